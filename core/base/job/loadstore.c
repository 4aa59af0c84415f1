/* The generic load and store steps: any type, stride, shift, half or full spectrum, kind and
 * map. */
#include "core/base/job/loadstore.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/job/display.h"
#include "core/base/value/sample_run.h"
#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"

/* Rows are processed in segments that fit a thread's stack and the nearest cache, in a fixed number
 * of blocks, so that sums do not depend on the number of threads. */
enum { SEGMENT = 1024, BLOCKS = 256, SMALL = 1 << 14 };

/* The job's axes as three, z, y, x. */
struct axes {
    int64_t n[3];      /* the picture's extents */
    bool on[3];        /* transformed */
    int half;          /* the axis that half spectra halve */
    int64_t centre[3]; /* index of the zero frequency in the array; 0 without a shift */
    int64_t count[3];  /* extents of the array */
    int64_t segments, items;
};

static struct axes axes_make(const struct gf_job *job, bool shift, bool half,
                             const int64_t count[3]) {
    struct axes a = {.half = gf_work_axis(job, gf_job_half_axis(job))};
    for (int i = 0; i < 3; i++) {
        int j = i - (GF_MAX_DIMS - job->ndim);
        a.n[i] = j >= 0 ? job->shape[j] : 1;
        a.on[i] = j >= 0 && job->axes >> j & 1;
        a.centre[i] = shift && a.on[i] && !(half && i == a.half) ? a.n[i] / 2 : 0;
        a.count[i] = count[i];
    }
    a.segments = gf_divide_up(count[2], SEGMENT);
    a.items = count[0] * count[1] * a.segments;
    return a;
}

/* A segment of one row: z, y, x .. x + count. */
struct segment {
    int64_t at[3];
    int64_t count;
};

static struct segment segment_at(const struct axes *a, int64_t item) {
    struct segment s;
    s.at[2] = item % a->segments * SEGMENT;
    s.at[1] = item / a->segments % a->count[1];
    s.at[0] = item / a->segments / a->count[1];
    s.count = gf_min(a->count[2] - s.at[2], SEGMENT);
    return s;
}

static int64_t block_start(const struct axes *a, int64_t block) {
    return a->items / BLOCKS * block + a->items % BLOCKS * block / BLOCKS;
}

static int team(const struct gf_work *w, int threads) {
    int64_t n = w->channels * w->extent[0] * w->extent[1] * w->extent[2];
    return n < SMALL || threads < 1 ? 1 : threads;
}

/* k - n/2 modulo n, for 0 <= k < n. */
static int64_t from_centre(int64_t k, int64_t centre, int64_t n) {
    return k >= centre ? k - centre : k - centre + n;
}
static int64_t to_centre(int64_t k, int64_t centre, int64_t n) {
    return from_centre(k, centre ? n - centre : 0, n);
}

/* ---- work buffer ---- */

static void work_make(const struct gf_job *job, bool complex, bool half, struct gf_work *w) {
    *w = (struct gf_work){.precision = job->precision, .complex = complex};
    for (int i = 0; i < 3; i++)
        w->extent[i] = 1;
    for (int i = 0; i < job->ndim; i++)
        w->extent[gf_work_axis(job, i)] = job->shape[i];
    if (half) {
        int64_t *n = &w->extent[gf_work_axis(job, gf_job_half_axis(job))];
        *n = *n / 2 + 1;
    }
    w->channels = job->luma ? 1 : job->channels;
    w->pitch = w->extent[2];
}

void gf_work_before(const struct gf_job *job, struct gf_work *w) {
    bool real = gf_job_is_real(job), inverse = job->direction == GF_INVERSE;
    work_make(job, !real || inverse, real && inverse, w);
}

void gf_work_after(const struct gf_job *job, struct gf_work *w) {
    bool real = gf_job_is_real(job), inverse = job->direction == GF_INVERSE;
    work_make(job, !real || !inverse, real && !inverse, w);
}

static enum gf_dtype work_dtype(const struct gf_work *w) {
    if (w->complex)
        return w->precision == GF_DOUBLE ? GF_C128 : GF_C64;
    return w->precision == GF_DOUBLE ? GF_F64 : GF_F32;
}

static int64_t element_bytes(const struct gf_work *w) {
    return (int64_t)gf_dtype_size(work_dtype(w));
}

int64_t gf_work_bytes(const struct gf_work *w) {
    return w->channels * w->extent[0] * w->extent[1] * w->pitch * element_bytes(w);
}

int gf_work_allocate(const struct gf_work *w, void **own) {
    if (!*own && !(*own = gf_alloc((size_t)gf_work_bytes(w))))
        return gf_fail(GF_ENOMEM, "no memory for %lld bytes", (long long)gf_work_bytes(w));
    return 0;
}

static char *work_at(const struct gf_work *w, int64_t c, int64_t z, int64_t y, int64_t x) {
    int64_t i = ((c * w->extent[0] + z) * w->extent[1] + y) * w->pitch + x;
    return (char *)w->data + i * element_bytes(w);
}

/* ---- load ---- */

/* Address of sample (z, y, x) of channel c, and the stride along x. */
static char *sample_at(const struct gf_job *job, const struct gf_array *a, int64_t c,
                       const int64_t at[3]) {
    char *p = (char *)a->data + c * a->stride[job->ndim];
    for (int i = 0; i < job->ndim; i++)
        p += at[gf_work_axis(job, i)] * a->stride[i];
    return p;
}

struct load {
    const struct gf_job *job;
    const struct gf_array *in;
    const struct gf_work *w;
    struct axes a;
};

/* Reads F(k) or F(-k) for a segment of k. Positions advance by one, or minus one if mirrored, and
 * wrap around at the spectrum's edge. */
static void read_spectrum(const struct load *l, int64_t c, const struct segment *s, bool mirrored,
                          double *re, double *im) {
    const struct axes *a = &l->a;
    int64_t stride = l->in->stride[l->job->ndim - 1];
    int step = mirrored && a->on[2] ? -1 : 1;
    for (int64_t done = 0; done < s->count;) {
        int64_t at[3];
        for (int i = 0; i < 3; i++) {
            int64_t k = s->at[i] + (i == 2 ? done : 0);
            k = mirrored && a->on[i] ? gf_half_negative(k, a->n[i]) : k;
            at[i] = to_centre(k, a->centre[i], a->n[i]);
        }
        int64_t run = step > 0 ? a->n[2] - at[2] : at[2] + 1;
        run = gf_min(run, s->count - done);
        gf_sample_run_read(sample_at(l->job, l->in, c, at), l->in->dtype, step * stride, run,
                           re + done, im + done);
        done += run;
    }
}

/* Takes the Hermitian part and adds its energy and the rest's to energy[0] and [1]. Bins whose
 * mirror image is not stored count for both. */
static void hermitian(const struct axes *a, const struct segment *s, double *re, double *im,
                      const double *mirror_re, const double *mirror_im, double energy[2]) {
    for (int64_t i = 0; i < s->count; i++) {
        int64_t k = s->at[a->half] + (a->half == 2 ? i : 0);
        double weight = k == 0 || 2 * k == a->n[a->half] ? 1 : 2;
        struct gf_number f = {re[i], im[i]}, g = {mirror_re[i], mirror_im[i]};
        f = gf_half_hermitian(f, g, true, weight, energy);
        re[i] = f.re;
        im[i] = f.im;
    }
}

static void load_segment(const struct load *l, const struct segment *s, double energy[2]) {
    const struct gf_job *job = l->job;
    const struct gf_array *in = l->in;
    const struct gf_work *w = l->w;
    double re[SEGMENT], im[SEGMENT], re2[SEGMENT], im2[SEGMENT];
    int64_t stride = in->stride[job->ndim - 1];
    for (int64_t c = 0; c < w->channels; c++) {
        if (job->direction == GF_INVERSE) {
            read_spectrum(l, c, s, false, re, im);
            if (job->real && !job->in_half) {
                read_spectrum(l, c, s, true, re2, im2);
                hermitian(&l->a, s, re, im, re2, im2, energy);
            }
        } else if (job->luma) {
            gf_sample_luma(sample_at(job, in, 0, s->at), in->dtype, in->stride[job->ndim], stride,
                           s->count, re, re2);
        } else {
            gf_sample_run_read(sample_at(job, in, c, s->at), in->dtype, stride, s->count, re, im);
        }
        if (w->data)
            gf_sample_run_write(work_at(w, c, s->at[0], s->at[1], s->at[2]), work_dtype(w),
                                element_bytes(w), s->count, re, im);
    }
}

void gf_work_load(const struct gf_job *job, const struct gf_array *in, const struct gf_work *w,
                  int threads, struct gf_report *report) {
    struct load l = {.job = job, .in = in, .w = w};
    l.a = axes_make(job, job->in_shift, job->in_half, w->extent);
    double energy[BLOCKS][2] = {{0}};
#pragma omp parallel for num_threads(team(w, threads)) schedule(static)
    for (int block = 0; block < BLOCKS; block++) {
        for (int64_t i = block_start(&l.a, block); i < block_start(&l.a, block + 1); i++) {
            struct segment s = segment_at(&l.a, i);
            load_segment(&l, &s, energy[block]);
        }
    }
    double kept = 0, lost = 0;
    for (int block = 0; block < BLOCKS; block++) {
        kept += energy[block][0];
        lost += energy[block][1];
    }
    gf_report_energy(kept, lost, report);
}

void gf_work_mend_energy(const struct gf_job *job, const struct gf_array *in, int threads,
                         struct gf_report *report) {
    /* Within these bounds, energies that matter were representable in single precision, whatever
     * the number of bins. */
    const double least = 1e-16, most = FLT_MAX;
    const bool summed = job->op == GF_FFT && job->direction == GF_INVERSE && job->real &&
                        !job->in_half && job->precision == GF_SINGLE && !job->spend_input;
    struct gf_work w;
    if (!summed || (report->kept > least && report->kept < most && report->lost < most))
        return;
    gf_work_before(job, &w);
    gf_work_load(job, in, &w, threads, report);
}

/* ---- range ---- */

static double largest_in(const struct gf_work *w, const struct segment *s, enum gf_kind kind,
                         double scale) {
    double re[SEGMENT], im[SEGMENT], largest = 0;
    for (int64_t c = 0; c < w->channels; c++) {
        gf_sample_run_read(work_at(w, c, s->at[0], s->at[1], s->at[2]), work_dtype(w),
                           element_bytes(w), s->count, re, im);
        for (int64_t i = 0; i < s->count; i++) {
            re[i] *= scale;
            im[i] *= scale;
        }
        gf_sample_run_kind(kind, s->count, re, im);
        for (int64_t i = 0; i < s->count; i++)
            largest = fabs(re[i]) > largest ? fabs(re[i]) : largest;
    }
    return largest;
}

/* The largest value of all, or only of the zero frequencies. */
static double largest_of_all(const struct gf_job *job, int i, const struct gf_work *w, double scale,
                             int threads) {
    /* Half of a real input's spectrum suffices: mirror images have equal magnitudes. */
    struct axes a = axes_make(job, false, false, w->extent);
    if (!gf_output_scans(job, i)) {
        for (int j = 0; j < 3; j++)
            a.count[j] = a.on[j] ? 1 : a.count[j];
        a.segments = gf_divide_up(a.count[2], SEGMENT);
        a.items = a.count[0] * a.count[1] * a.segments;
    }
    double largest = 0;
#pragma omp parallel for num_threads(team(w, threads)) schedule(static) reduction(max : largest)
    for (int block = 0; block < BLOCKS; block++) {
        for (int64_t j = block_start(&a, block); j < block_start(&a, block + 1); j++) {
            struct segment s = segment_at(&a, j);
            double v = largest_in(w, &s, job->out[i].kind, scale);
            largest = v > largest ? v : largest;
        }
    }
    return largest;
}

/* Finds the display ranges of all outputs. */
static int find_ranges(const struct gf_job *job, const struct gf_work *w,
                       const struct gf_range_energy *energy, int threads, struct gf_ranges *r) {
    int rc = gf_ranges_open(job, GF_RANGES_WHOLE, r);
    if (rc)
        return rc;
    if (r->samples) {
        const int64_t size = element_bytes(w), row = w->pitch * size, page = w->extent[1] * row;
        const struct gf_array spectrum = {
            .dtype = work_dtype(w),
            .rank = 4,
            .shape = {w->extent[0], w->extent[1], w->extent[2], w->channels},
            .stride = {page, row, size, w->extent[0] * page},
            .data = w->data};
        *r->energy = *energy;
        gf_ranges_spectrum(r, (int64_t[]){0, 0, 0}, &spectrum);
    }
    gf_ranges_settle(r);
    for (int i = 0; i < job->n_out; i++)
        if (gf_output_is_full(&job->out[i]))
            r->of[i][1] = largest_of_all(job, i, w, gf_job_scale(job), threads);
    return 0;
}

/* ---- store ---- */

struct store {
    const struct gf_job *job;
    const struct gf_output *out;
    const struct gf_work *w;
    struct axes a;
    double scale;
    bool half;          /* the work buffer holds half a spectrum */
    int64_t counted[3]; /* gf_job_counted() of each axis */
    struct gf_display display;
};

/* Reads the frequencies for a segment of output positions; those beyond the stored half are conj
 * F(-k). */
static void gather(const struct store *st, int64_t c, const struct segment *s, double *re,
                   double *im) {
    const struct axes *a = &st->a;
    const struct gf_work *w = st->w;
    int64_t k[3], size = element_bytes(w);
    k[0] = from_centre(s->at[0], a->centre[0], a->n[0]);
    k[1] = from_centre(s->at[1], a->centre[1], a->n[1]);
    for (int64_t done = 0, run; done < s->count; done += run) {
        k[2] = from_centre(s->at[2] + done, a->centre[2], a->n[2]);
        bool mirrored = st->half && 2 * k[a->half] > a->n[a->half];
        run = a->n[2] - k[2];
        if (st->half && a->half == 2 && !mirrored)
            run = a->n[2] / 2 + 1 - k[2];
        int64_t m[3];
        for (int i = 0; i < 3; i++)
            m[i] = mirrored && a->on[i] ? gf_half_negative(k[i], a->n[i]) : k[i];
        int step = mirrored && a->on[2] ? -1 : 1;
        if (step < 0)
            run = k[2] ? run : 1;
        run = gf_min(run, s->count - done);
        double sign = mirrored ? -st->scale : st->scale;
        gf_sample_run_read(work_at(w, c, m[0], m[1], m[2]), work_dtype(w), step * size, run,
                           re + done, im + done);
        for (int64_t i = done; i < done + run; i++) {
            re[i] *= st->scale;
            im[i] *= sign;
        }
    }
}

/* Sets the imaginary part of bins that are their own mirror image to 0. */
static void drop_rounding(const struct axes *a, const struct segment *s, double *im) {
    for (int i = 0; i < 2; i++) {
        int64_t k = from_centre(s->at[i], a->centre[i], a->n[i]);
        if (a->on[i] && k && 2 * k != a->n[i])
            return;
    }
    if (!a->on[2]) {
        memset(im, 0, (size_t)s->count * sizeof *im);
        return;
    }
    int64_t zero = a->centre[2] - s->at[2];
    int64_t middle = to_centre(a->n[2] / 2, a->centre[2], a->n[2]) - s->at[2];
    if (zero >= 0 && zero < s->count)
        im[zero] = 0;
    if (a->n[2] % 2 == 0 && middle >= 0 && middle < s->count)
        im[middle] = 0;
}

/* The number of a segment's first samples that count as clipped. */
static int64_t counted_in(const struct store *st, const struct segment *s) {
    if (s->at[0] >= st->counted[0] || s->at[1] >= st->counted[1])
        return 0;
    return gf_max(gf_min(st->counted[2] - s->at[2], s->count), 0);
}

static int64_t store_segment(const struct store *st, const struct segment *s,
                             struct gf_array *out) {
    double re[SEGMENT], im[SEGMENT];
    int64_t clipped = 0, counted = counted_in(st, s);
    for (int64_t c = 0; c < st->w->channels; c++) {
        gather(st, c, s, re, im);
        if (st->half)
            drop_rounding(&st->a, s, im);
        gf_sample_run_kind(st->out->kind, s->count, re, im);
        if (gf_output_is_display(st->out))
            gf_display_run(&st->display, s->count, re);
        else if (gf_dtype_is_integer(out->dtype)) {
            clipped += gf_sample_run_round(out->dtype, counted, re);
            gf_sample_run_round(out->dtype, s->count - counted, re + counted);
        }
        gf_sample_run_write(sample_at(st->job, out, c, s->at), out->dtype,
                            out->stride[st->job->ndim - 1], s->count, re, im);
    }
    return clipped;
}

static void store_output(const struct gf_job *job, int i, const struct gf_work *w,
                         struct gf_array *out, int threads, struct gf_report *report) {
    struct store st = {.job = job, .out = &job->out[i], .w = w, .scale = gf_job_scale(job)};
    int64_t count[3] = {1, 1, 1}, clipped = 0;
    memcpy(st.counted, count, sizeof count);
    for (int j = 0; j < job->ndim; j++) {
        count[gf_work_axis(job, j)] = out->shape[j];
        st.counted[gf_work_axis(job, j)] = gf_job_counted(job, j);
    }
    st.a = axes_make(job, st.out->shift, st.out->half, count);
    st.half = gf_job_is_real(job) && job->direction == GF_FORWARD;
    if (gf_output_is_display(st.out))
        st.display = gf_display_make(st.out, report->low[i], report->high[i]);
#pragma omp parallel for num_threads(team(w, threads)) schedule(static) reduction(+ : clipped)
    for (int block = 0; block < BLOCKS; block++) {
        for (int64_t j = block_start(&st.a, block); j < block_start(&st.a, block + 1); j++) {
            struct segment s = segment_at(&st.a, j);
            clipped += store_segment(&st, &s, out);
        }
    }
    report->clipped[i] = clipped;
}

int gf_work_store(const struct gf_job *job, const struct gf_work *w,
                  const struct gf_range_energy *energy, struct gf_array *out, int threads,
                  struct gf_report *report) {
    struct gf_ranges r;
    int rc = find_ranges(job, w, energy, threads, &r);
    for (int i = 0; i < job->n_out && !rc; i++) {
        gf_report_range(job, i, r.of[i][0], r.of[i][1], report);
        store_output(job, i, w, &out[i], threads, report);
    }
    gf_ranges_close(&r);
    return rc;
}

/* ---- text ---- */

void gf_work_load_text(const struct gf_job *job, char *text, size_t size) {
    const char *to = job->precision == GF_DOUBLE ? "double" : "single";
    if (job->direction == GF_FORWARD)
        snprintf(text, size, "load: %s%s -> %s planes, %s", gf_dtype_name(job->in_dtype),
                 job->luma ? " luma" : "", gf_job_is_real(job) ? "real" : "complex", to);
    else
        snprintf(text, size, "load: %s%s%s spectrum -> %s spectrum, %s",
                 gf_dtype_name(job->in_dtype), job->in_shift ? " centred" : "",
                 job->in_half ? " half" : " full", job->real ? "half" : "full", to);
}

void gf_work_store_text(const struct gf_job *job, int i, char *text, size_t size) {
    static const char *const scale[] = {"log ", "linear ", "sqrt "};
    const struct gf_output *out = &job->out[i];
    bool scaled = gf_output_is_display(out) && (out->kind == GF_MAGNITUDE || out->kind == GF_POWER);
    snprintf(text, size, "store: %s%s -> %s%s%s", scaled ? scale[out->scale] : "",
             gf_kind_name(out->kind), gf_dtype_name(out->dtype), out->half ? ", half" : "",
             out->shift ? ", centred" : "");
}

/* ---- rounding ---- */

static const double pi = 3.14159265358979323846;

/* Makes a bin of output `o` real. */
static void drop_at(const struct gf_output *o, char *at) {
    const bool shown = gf_output_is_display(o);
    if (o->kind == GF_COMPLEX)
        gf_sample_put(at, o->dtype, gf_sample_get(at, o->dtype));
    else if (o->kind == GF_IMAG && !shown)
        gf_sample_put(at, o->dtype, 0);
    else if (o->kind == GF_PHASE && !shown)
        gf_sample_put(at, o->dtype, fabs(gf_sample_get(at, o->dtype)) < pi / 2 ? 0 : pi);
    else if (o->kind == GF_PHASE) { /* -pi is pi */
        const double v = gf_sample_get(at, o->dtype);
        double low, high;
        gf_dtype_range(o->dtype, &low, &high);
        gf_sample_put(at, o->dtype, fmax(v, high - v));
    }
}

/* Makes one spectrum's self-mirrored bins real. */
static void drop_in_one(const struct gf_job *job, const struct gf_output *o,
                        const struct gf_array *out, int64_t batch) {
    const int halved = o->half ? gf_job_half_axis(job) : -1;
    for (unsigned corner = 0; corner < 1u << job->ndim; corner++) {
        char *at = out->data;
        int64_t rest = batch;
        bool own = !(corner & ~job->axes);
        for (int i = 0; i < job->ndim; i++) {
            const int64_t n = job->shape[i];
            bool middle = corner >> i & 1;
            int64_t k = middle ? n / 2 : 0;
            own = own && !(middle && n % 2);
            if (!(job->axes >> i & 1)) {
                k = rest % n;
                rest /= n;
            } else if (o->shift && i != halved) {
                k = (k + n / 2) % n;
            }
            at += k * out->stride[i];
        }
        for (int64_t c = 0; own && c < out->shape[job->ndim]; c++)
            drop_at(o, at + c * out->stride[job->ndim]);
    }
}

void gf_rounding_drop(const struct gf_job *job, int i, const struct gf_array *out, int threads) {
    const struct gf_output *o = &job->out[i];
    int64_t batches = 1;
    for (int axis = 0; axis < job->ndim; axis++)
        batches *= job->axes >> axis & 1 ? 1 : job->shape[axis];
    /* Even a team of one takes as long to start as a transform of 64 points. */
    for (int64_t b = 0; b < batches && batches <= 256; b++)
        drop_in_one(job, o, out, b);
    if (batches <= 256)
        return;
#pragma omp parallel for num_threads(threads)
    for (int64_t b = 0; b < batches; b++)
        drop_in_one(job, o, out, b);
}
