/* Makes filters from options, and keeps them for later files. */

#include "core/op/filter/filtering.h"
#include "core/base/value/hash.h"

static bool on(const struct gf_job *job, int axis) {
    return job->axes >> axis & 1;
}

/* "512x512": the transformed axes of the picture. */
static const char *spectrum_text(const struct gf_job *job, const struct gf_filter_frame *frame,
                                 char text[64]) {
    int n = 0;
    for (int i = 0; i < job->ndim; i++)
        if (on(job, i))
            n += snprintf(text + n, 64 - (size_t)n, "%s%lld", n ? "x" : "",
                          (long long)frame->shape[i]);
    return text;
}

/* ---- radii and places ---- */

/* The distance of the spectrum's corner, in the unit. */
static double farthest(const struct gf_job *job, const struct gf_filter_frame *frame, int unit) {
    double squares = 0, axes = 0;
    for (int i = 0; i < job->ndim; i++)
        if (on(job, i) && frame->shape[i] > 1) {
            squares += pow((double)(frame->shape[i] / 2), 2);
            axes++;
        }
    axes = fmax(axes, 1);
    return unit == GF_BINS ? fmax(sqrt(squares), 1) : (unit == GF_CYCLES ? 0.5 : 100) * sqrt(axes);
}

/* Limits a radius to numbers whose squares neither overflow nor vanish; the effect is the same. */
static double within_reason(double radius) {
    return fmin(fmax(radius, 1e-60), 1e60);
}

/* A period or a frequency in cycles per metre, degree or second */
static double frequency_of(const struct gf_radius *r) {
    return r->unit == GF_PERIOD ? 1 / (r->value * r->unit_value) : r->value / r->unit_value;
}

/* The distance in bins of the picture's axis. */
static double in_bins(const struct gf_filter_frame *frame, const struct gf_radius *r, int axis) {
    const double n = (double)frame->shape[axis];
    return r->unit == GF_BINS      ? r->value
           : r->unit == GF_CYCLES  ? r->value * n
           : r->unit == GF_NYQUIST ? r->value / 100 * n / 2
                                   : frequency_of(r) * frame->spacing[axis] * n;
}

/* GF_EINVAL for a distance in the file's units if the samples along the axis have no such. */
static int check_spacing(const struct gf_filter_frame *frame, const struct gf_filter_part *p,
                         const struct gf_radius *r, int axis) {
    const char kind = r->kind;
    const bool print = frame->kind[axis] == 'p' && frame->spacing[axis] > 0 && kind == 'm';
    if (r->unit < GF_PERIOD || (frame->spacing[axis] > 0 && frame->kind[axis] == kind) ||
        (print && r->unit_value > 1e-5))
        return 0;
    if (print)
        return gf_fail(GF_EINVAL, "--%s=%.60s: %.0f dpi is a print's size; give --pixel=LENGTH",
                       p->option, p->text, 0.0254 / frame->spacing[axis]);
    if (frame->oblique)
        return gf_fail(
            GF_EINVAL,
            "--%s=%.60s: the file's cell is not rectangular, so lengths are no radius in "
            "bins; give bins, 20px, 0.1c or 10%%",
            p->option, p->text);
    return gf_fail(GF_EINVAL,
                   "--%s=%.60s: the picture's samples have no known distance in %s; give "
                   "--pixel=LENGTH, or bins, or 20px, 0.1c or 10%%",
                   p->option, p->text,
                   kind == 'm'   ? "metres"
                   : kind == 'd' ? "degrees"
                                 : "seconds");
}

/* Checks a period or a frequency in the file's units: a sphere in them. */
static int check_length(const struct gf_job *job, const struct gf_filter_frame *frame,
                        const struct gf_filter_part *p, const struct gf_radius *r) {
    const double unit = r->unit_value, f = frequency_of(r);
    double squares = 0;
    int rc = 0;
    for (int i = 0; i < job->ndim && !rc; i++) {
        rc = on(job, i) ? check_spacing(frame, p, r, i) : 0;
        squares += on(job, i) && frame->shape[i] > 1 ? pow(0.5 / frame->spacing[i], 2) : 0;
    }
    const double most = sqrt(squares);
    if (rc || f <= most * (1 + 1e-12))
        return rc;
    return gf_fail(GF_EINVAL, "--%s=%.60s: outside the spectrum; here a %s %.6g%s%s", p->option,
                   p->text, r->unit == GF_PERIOD ? "period is at least" : "frequency is at most",
                   r->unit == GF_PERIOD ? 1 / (most * unit) : most * unit,
                   r->unit == GF_PERIOD ? " " : "/", r->name);
}

/* Converts a radius to bins of the job's axes, which are finer if it is longer than the picture. */
static int resolve(const struct gf_job *job, const struct gf_filter_frame *frame,
                   const struct gf_filter_part *p, const struct gf_radius *r,
                   double radius[GF_MAX_DIMS]) {
    static const char *const units[] = {" bins", "c", "%"};
    double most = farthest(job, frame, r->unit);
    char text[64];
    int rc = r->unit >= GF_PERIOD ? check_length(job, frame, p, r) : 0;
    if (rc)
        return rc;
    if (r->unit < GF_PERIOD && r->value > most * (1 + 1e-12))
        return gf_fail(
            GF_EINVAL,
            "--%s=%.60s: outside the spectrum of %s; a radius is above 0 and up to %.6g%s",
            p->option, p->text, spectrum_text(job, frame, text), most, units[r->unit]);
    for (int i = 0; i < job->ndim; i++) {
        const double scale = (double)job->shape[i] / (double)frame->shape[i];
        radius[i] = within_reason(scale * in_bins(frame, r, i));
    }
    return 0;
}

/* Sets a notch's centre: x is the last transformed axis, y the one before it. */
static int place_notch(const struct gf_job *job, const struct gf_filter_frame *frame,
                       const struct gf_filter_part *p, struct gf_lowpass *l) {
    int at = 0, axes = 0;
    for (int i = 0; i < job->ndim; i++)
        axes += on(job, i);
    if (axes == p->n_centre + 1)
        return gf_fail(GF_EINVAL, "--notch=%.60s: R is missing; on %d axes it is %s", p->text, axes,
                       axes == 2 ? "X,Y,R" : "X,Y,Z,R");
    if (axes != p->n_centre)
        return gf_fail(GF_EINVAL, "--notch=%.60s: %d coordinate%s, and %d ax%s transformed",
                       p->text, p->n_centre, p->n_centre == 1 ? "" : "s", axes,
                       axes == 1 ? "is is" : "es are");
    for (int i = job->ndim - 1; i >= 0; i--) {
        if (!on(job, i))
            continue;
        int64_t n = frame->shape[i];
        int rc = check_spacing(frame, p, &p->centre[at], i);
        if (rc)
            return rc;
        const double c = in_bins(frame, &p->centre[at], i), most = (double)n / 2;
        if (fabs(c) > (p->centre[at].unit == GF_BINS ? floor(most) : most * (1 + 1e-12)))
            return gf_fail(
                GF_EINVAL,
                "--notch=%.60s: outside the spectrum; %c is from -%lld to %lld bins here", p->text,
                "xyz"[at], (long long)(n / 2), (long long)(n / 2));
        l->centre[i] = c * (double)job->shape[i] / (double)n;
        at++;
    }
    return 0;
}

static int add_band(struct gf_filter *f, const struct gf_job *job, const struct gf_filter_part *p,
                    const struct gf_lowpass *inner, const struct gf_lowpass *outer) {
    for (int i = 0; i < job->ndim; i++)
        if (on(job, i) && inner->radius[i] >= outer->radius[i])
            return gf_fail(GF_EINVAL, "--%s=%.60s: R1 is not below R2 in a spectrum of this size",
                           p->option, p->text);
    return gf_filter_add_band(f, inner, outer, p->what == GF_BANDREJECT);
}

static int add_profile(struct gf_filter *f, const struct gf_job *job,
                       const struct gf_filter_frame *frame, const struct gf_filter_part *p) {
    struct gf_lowpass l[2];
    for (int i = 0; i < 2; i++)
        l[i] = (struct gf_lowpass){.profile = p->profile, .order = p->order};
    bool band = p->what == GF_BANDPASS || p->what == GF_BANDREJECT;
    int rc = p->what == GF_NOTCH ? place_notch(job, frame, p, &l[0]) : 0;
    for (int i = 0; i <= band && !rc; i++)
        rc = resolve(job, frame, p, &p->radius[i], l[i].radius);
    if (rc)
        return rc;
    return band                     ? add_band(f, job, p, &l[0], &l[1])
           : p->what == GF_NOTCH    ? gf_filter_add_notch(f, job, &l[0])
           : p->what == GF_HIGHPASS ? gf_filter_add_highpass(f, &l[0])
                                    : gf_filter_add_lowpass(f, &l[0]);
}

static int add_peak(struct gf_filter *f, const struct gf_job *job,
                    const struct gf_filter_frame *frame, const struct gf_notch *notch) {
    struct gf_lowpass l = {.profile = GF_GAUSSIAN};
    for (int i = 0; i < job->ndim; i++) {
        double scale = (double)job->shape[i] / (double)frame->shape[i];
        l.centre[i] = notch->at[i] * scale;
        l.radius[i] = notch->radius * scale;
    }
    return gf_filter_add_notch(f, job, &l);
}

/* ---- masks and kernels ---- */

/* GF_EINVAL unless a mask has the spectrum's size, and a kernel is not larger than the picture. */
static int check_file(const struct gf_job *job, const struct gf_filter_frame *frame,
                      const struct gf_filter_part *p) {
    const bool mask = gf_filter_is_shown(p);
    const int folded = p->what == GF_PAINT ? gf_job_half_axis(job) : -1;
    int64_t extent[GF_MAX_DIMS];
    char text[64], own[GF_SHAPE_TEXT];
    bool fits = gf_filter_spread(job, p, extent);
    for (int i = 0; i < job->ndim; i++)
        fits = fits && (!on(job, i) || extent[i] == frame->shape[i] ||
                        (i == folded && extent[i] == frame->shape[i] / 2 + 1) ||
                        (!mask && extent[i] < frame->shape[i]));
    if (!fits && mask)
        return gf_fail(GF_EINVAL, "--%s=%s is %s, and the spectrum %s", p->option, p->text,
                       gf_shape_text(p->file.extent, p->ndim, own),
                       spectrum_text(job, frame, text));
    if (!fits)
        return gf_fail(GF_EINVAL, "--%s=%s is larger than the picture's %s", p->option, p->text,
                       spectrum_text(job, frame, text));
    if (p->read && !frame->in_parts)
        return gf_fail(GF_ENOMEM, "--mask=%s is too large for the memory limit (--max-memory)",
                       p->text);
    return 0;
}

/* check_file(), and samples a point-spread function that fits. */
static int take_file(struct gf_filter_maker *m, const struct gf_job *job,
                     const struct gf_filter_frame *frame, const struct gf_filter_part *p) {
    const int rc = check_file(job, frame, p);
    if (rc || p->psf.size == 0 || !p->file.value)
        return rc;
    pthread_mutex_lock(&m->sampling);
    if (p->file.value[gf_shape_count(p->file.extent, p->ndim) / 2] == 0)
        gf_psf_sample(&p->psf, p->file.extent, p->file.value);
    pthread_mutex_unlock(&m->sampling);
    return 0;
}

/* ---- deconvolution ---- */

/* Makes an empty filter what --deconvolve says: the blur's inverse, or for iterations the blur. */
static int add_restoring(const struct gf_filter_options *o, const struct gf_job *job, int threads,
                         const struct gf_filter_frame *frame, struct gf_filter *f) {
    struct gf_array *kept = frame->transfer;
    int rc = 0;
    if (gf_filter_iterates(o))
        return gf_filter_add_psf(o, job, threads, f);
    if (kept && kept->data) {
        f->table = *kept;
        *kept = (struct gf_array){0};
    } else {
        rc = gf_filter_take_psf(o, job, threads, f);
    }
    if (rc)
        return rc;
    if (frame->prior || !gf_filter_measures(o))
        return gf_wiener_invert(job, frame->prior, o->restore.regularize, threads, &f->table);
    return 0;
}

/* ---- the whole ---- */

/* White is the file's, else an integer type's largest number, and 1 for floats. A percentage of an integer type's
 * white is rounded, so that flat areas are not on a rounding boundary. */
static double offset_of(const struct gf_filter_options *f, const struct gf_filter_frame *frame) {
    double low = 0, high = frame->white > 0 ? frame->white : 1;
    bool whole = gf_dtype_is_integer(frame->dtype) || frame->white > 0;
    if (whole && !(frame->white > 0))
        gf_dtype_range(frame->dtype, &low, &high);
    if (f->offset_unit == GF_OFFSET_MID)
        return whole ? (low + high + 1) / 2 : 0.5;
    if (f->offset_unit == GF_OFFSET_NUMBER)
        return f->offset;
    return whole ? round(f->offset / 100 * high) : f->offset / 100;
}

int gf_filter_make(struct gf_filter_maker *m, const struct gf_job *job, int threads,
                   const struct gf_filter_frame *frame, const struct gf_notches *peaks,
                   struct gf_filter **out) {
    const struct gf_filter_options *o = m->options;
    int rc = gf_filter_new(out);
    if (rc)
        return rc;
    const struct gf_filter_part *psf = gf_filter_psf(o);
    bool files = psf && frame->in_parts;
    if (psf)
        rc = take_file(m, job, frame, psf);
    if (!rc && psf && !frame->in_parts)
        rc = add_restoring(o, job, threads, frame, *out);
    for (int i = 0; i < o->n_parts && !rc; i++) {
        const struct gf_filter_part *p = &o->part[i];
        files = files || (p->what >= GF_KERNEL && p->what <= GF_MASK);
        rc = p->what >= GF_KERNEL ? take_file(m, job, frame, p)
             : p->what == GF_BLUR ? gf_filter_add_blur(*out, job, p->radius[0].value)
                                  : add_profile(*out, job, frame, p);
    }
    if (!rc && files) {
        (*out)->make_part = gf_filter_make_table;
        (*out)->maker = o;
        (*out)->in_parts = frame->in_parts;
    }
    /* Before the picture's spectrum is known the table is the blur's. */
    if (!rc && files && !frame->in_parts && (frame->prior || !gf_filter_measures(o)))
        rc = gf_filter_make_table(o, job, threads, *out);
    for (int i = 0; peaks && i < peaks->n && !rc; i++)
        if (peaks->notch[i].radius > 0)
            rc = add_peak(*out, job, frame, &peaks->notch[i]);
    for (int i = 0; peaks && i < 2 && !rc; i++) {
        const struct gf_peaks_mask *from = i ? &peaks->painted : &peaks->screens;
        struct gf_filter_samples mask = {.half = from->px.data};
        memcpy(mask.extent, from->extent, sizeof mask.extent);
        if (mask.half)
            rc = gf_filter_times_mask(*out, job, threads, &mask);
    }
    (*out)->offset = offset_of(o, frame);
    if (rc) {
        gf_filter_free(*out);
        *out = NULL;
    }
    return rc;
}

/* ---- kept filters ---- */

void gf_filter_maker_open(struct gf_filter_maker *m, const struct gf_filter_options *options) {
    *m = (struct gf_filter_maker){.options = options};
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->sampling, NULL);
}

void gf_filter_maker_close(struct gf_filter_maker *m) {
    gf_filter_forget(m);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->sampling);
}

/* A hash of all that the filter depends on besides the run's options. */
static uint64_t key_of(const struct gf_job *job, const struct gf_filter_frame *frame) {
    const int what[] = {job->ndim, (int)job->axes, job->precision, frame->dtype, frame->in_parts};
    const size_t bytes = (size_t)job->ndim * sizeof *job->shape;
    uint64_t h = gf_hash(GF_HASH_START, what, sizeof what);
    h = gf_hash(h, &frame->white, sizeof frame->white);
    h = gf_hash(h, frame->spacing, sizeof frame->spacing);
    return gf_hash(gf_hash(h, job->shape, bytes), frame->shape, bytes);
}

/* The entry with that key; else the unused entry that was used longest ago, emptied; else NULL. */
static struct gf_filter_kept *find_kept(struct gf_filter_maker *m, uint64_t key) {
    struct gf_filter_kept *oldest = NULL;
    for (int i = 0; i < GF_FILTERS_KEPT; i++) {
        struct gf_filter_kept *k = &m->kept[i];
        if (k->filter && k->key == key)
            return k;
        if (!k->users && (!oldest || k->used < oldest->used))
            oldest = k;
    }
    if (oldest) {
        gf_filter_free(oldest->filter);
        oldest->filter = NULL;
    }
    return oldest;
}

int gf_filter_obtain(struct gf_filter_maker *m, const struct gf_job *job, int threads,
                     const struct gf_filter_frame *frame, struct gf_filter **out) {
    const uint64_t key = key_of(job, frame);
    int rc = 0;
    pthread_mutex_lock(&m->lock);
    struct gf_filter_kept *k = find_kept(m, key);
    if (!k || !k->filter)
        rc = gf_filter_make(m, job, threads, frame, NULL, out);
    if (k && !rc) {
        if (!k->filter)
            k->filter = *out;
        k->key = key;
        k->users++;
        k->used = ++m->clock;
        *out = k->filter;
    }
    pthread_mutex_unlock(&m->lock);
    return rc;
}

void gf_filter_release(struct gf_filter_maker *m, struct gf_filter *f) {
    bool known = false;
    if (!f)
        return;
    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < GF_FILTERS_KEPT; i++)
        if (m->kept[i].filter == f) {
            m->kept[i].users--;
            known = true;
        }
    pthread_mutex_unlock(&m->lock);
    if (!known)
        gf_filter_free(f);
}

void gf_filter_forget(struct gf_filter_maker *m) {
    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < GF_FILTERS_KEPT; i++)
        if (!m->kept[i].users) {
            gf_filter_free(m->kept[i].filter);
            m->kept[i] = (struct gf_filter_kept){0};
        }
    pthread_mutex_unlock(&m->lock);
}

void gf_filter_use(struct gf_operation *op, struct gf_job *job) {
    const struct gf_filter *f = gf_filtering_of(op)->filter;
    job->filter = f;
    job->filter_serial = f->serial;
    op->extra_bytes = gf_filter_lengthen_bytes(op);
    if (f->table.data)
        op->extra_bytes += gf_array_bytes(&f->table);
}
