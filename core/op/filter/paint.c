/* Removes the frequencies that were painted black in a picture of the spectrum. */
#include <stdlib.h>

#include "core/op/filter/filtering.h"
#include "core/base/value/sample_value.h"

/* Greys of an integer file, whose white is 1; of a float file only 0 is black. */
static const double BLACK = 0.5 / 255, GREY = 1.5 / 255, WHITE = 254. / 255;
/* A black bin was painted if the grey it should have exceeds this many errors of the drawing. */
static const double ERRORS = 10;
/* A file that explains less of its greys' variance is of another spectrum. */
static const double LEAST_SHARE = 0.6;
/* The curves by which fwd draws a magnitude: log(1 + v) of it or of the power, each with the three
 * norms; and those that norms only scale. */
enum { LOG_POWER = 3, MAGNITUDE = 6, ROOT, POWER, CURVES };

/* Some positions in a file. */
enum { MOST_PLACES = 1 << 14, LEAST_GREYS = 3 };
struct places {
    int64_t n, *at;
};

/* The layout of a picture of a spectrum: from the centre or the corner, half or whole. */
struct layout {
    bool centred, half;
};

/* How a file draws the spectrum: black + gain * curve(magnitude), within 0 to 1. */
struct drawing {
    struct layout layout;
    int curve;
    double black, gain;
    double rms, error, share; /* of the greys; without outliers; the variance that is explained */
};

/* A file, and the spectrum that it may draw. */
struct painting {
    const struct gf_filter_part *file;
    int64_t n; /* bins in the file */
    struct gf_job job;
    struct gf_array size; /* magnitudes of half the spectrum; owned */
    struct drawing drawing;
    int64_t n_greys;
    double largest; /* magnitude */
};

/* The indices in half a spectrum of the picture's position `at` (C order) or of its mirror image,
 * and of the other one if the half contains both, else the same. */
static void find_bin(const struct gf_job *job, const struct gf_array *half, struct layout layout,
                     int64_t at, int64_t where[2]) {
    int64_t k[GF_MAX_DIMS] = {0};
    const int folded = gf_job_half_axis(job);
    for (int i = job->ndim - 1; i >= 0; i--) {
        const bool halved = layout.half && i == folded;
        const int64_t n = halved ? half->shape[i] : job->shape[i];
        k[i] = (at % n + (layout.centred && !halved ? n - n / 2 : 0)) % n;
        at /= n;
    }
    const int64_t n = job->shape[folded];
    const bool both = gf_half_negative(k[folded], n) == k[folded];
    where[0] = where[1] = 0;
    for (int i = 0; i < job->ndim; i++) {
        const int64_t mirror = gf_half_negative(k[i], job->shape[i]);
        where[0] = where[0] * half->shape[i] + (k[folded] > n / 2 ? mirror : k[i]);
        where[1] = where[1] * half->shape[i] + (both || k[folded] > n / 2 ? mirror : k[i]);
    }
}

static double bend(const struct painting *p, int curve, double size) {
    const double points = (double)gf_job_points(&p->job), norm[] = {1, sqrt(points), points};
    const double v = fmin(size, 1e150) / (curve < MAGNITUDE ? norm[curve % LOG_POWER] : 1);
    return curve < LOG_POWER   ? log1p(v)
           : curve < MAGNITUDE ? log1p(v * v)
           : curve == ROOT     ? sqrt(v)
           : curve == POWER    ? v * v
                               : v;
}

/* The grey that a drawing gives to the file's bin `at`; `limit`: the grey of white. */
static double grey_of(const struct painting *p, const struct drawing *d, int64_t at, double limit) {
    const int64_t channels = p->size.shape[p->job.ndim];
    int64_t where[2];
    double grey = 0;
    find_bin(&p->job, &p->size, d->layout, at, where);
    for (int64_t c = 0; c < channels; c++) {
        const double size = gf_filter_number(&p->size, where[0] * channels + c).re;
        const double own = d->black + d->gain * bend(p, d->curve, size);
        grey +=
            (channels == 3 ? gf_luma_weight[c] : 1. / (double)channels) * fmin(fmax(own, 0), limit);
    }
    return grey;
}

static bool is_black(const struct gf_filter_part *file, int64_t at) {
    return file->file.value[at] <= (file->step > 0 ? BLACK : 0);
}

/* True for a sample that a drawing's curve determines: neither black nor white. */
static bool is_grey(const struct gf_filter_part *file, int64_t at) {
    const double v = file->file.value[at];
    return file->step > 0 ? v > 1.5 * file->step && v < WHITE : v > 0;
}

/* Fits a file's greys to the curve's `x` by least squares, without outliers, which were painted. */
static void fit(const double *value, const struct places *grey, const double *x,
                struct drawing *d) {
    double error = INFINITY, variance = 0;
    d->black = d->gain = 0;
    for (int round = 0; round < 4 && grey->n >= LEAST_GREYS; round++) {
        const struct drawing old = *d;
        double sum[6] = {0}, all = 0, rest = 0;
        for (int64_t i = 0; i < grey->n; i++) {
            const double v = value[grey->at[i]];
            const double term[] = {1, x[i], v, x[i] * x[i], x[i] * v, v * v};
            for (int k = 0; k < 6 && fabs(v - old.black - old.gain * x[i]) <= 3 * error; k++)
                sum[k] += term[k];
        }
        if (sum[0] < 0.9 * (double)grey->n)
            break;
        const double x0 = sum[1] / sum[0], v0 = sum[2] / sum[0];
        const double xx = sum[3] / sum[0] - x0 * x0, xv = sum[4] / sum[0] - x0 * v0;
        variance = round ? variance : sum[5] / sum[0] - v0 * v0;
        d->gain = xx > 0 ? fmax(xv / xx, 0) : 0;
        d->black = v0 - d->gain * x0;
        for (int64_t i = 0; i < grey->n; i++) {
            const double v = value[grey->at[i]], r = pow(v - d->black - d->gain * x[i], 2);
            all += r;
            rest += fabs(v - old.black - old.gain * x[i]) <= 3 * error ? r : 0;
        }
        error = sqrt(rest / sum[0]);
        d->rms = sqrt(all / (double)grey->n);
        d->error = error;
    }
    d->share = variance > 0 ? 1 - d->rms * d->rms / variance : 0;
}

/* The mean grey, limited to CAP, that a drawing gives to black bins. */
static double mean_of_blacks(const struct painting *p, const struct drawing *d,
                             const struct places *black) {
    const double CAP = 20. / 255;
    double sum = 0;
    for (int64_t k = 0; k < black->n; k++)
        sum += grey_of(p, d, black->at[k], CAP);
    return black->n ? sum / (double)black->n : 0;
}

/* The position of the zero frequency in a file. */
static int64_t zero_at(const struct painting *p, const int64_t *extent, struct layout layout) {
    const int folded = layout.half ? gf_job_half_axis(&p->job) : -1;
    int64_t at = 0;
    for (int i = 0; i < p->job.ndim; i++)
        at = at * extent[i] + (layout.centred && i != folded ? extent[i] / 2 : 0);
    return at;
}

/* Finds the curve and the layout that draw the greys. Some curves are alike in them; of those the
 * right one makes the black bins darkest. `x`: a number for each grey. */
static void try_drawings(struct painting *p, const struct places *grey, const struct places *black,
                         double *x) {
    struct drawing tried[2 * CURVES];
    int64_t extent[GF_MAX_DIMS];
    const int folded = gf_job_half_axis(&p->job);
    double least = INFINITY, worst = INFINITY;
    gf_filter_spread(&p->job, p->file, extent);
    for (int i = 0; i < 2 * CURVES; i++) {
        struct drawing *d = &tried[i];
        *d = (struct drawing){.curve = i % CURVES, .gain = 1};
        d->layout.centred = i < CURVES;
        d->layout.half = extent[folded] != p->job.shape[folded];
        for (int64_t k = 0; k < grey->n; k++)
            x[k] = grey_of(p, d, grey->at[k], INFINITY);
        fit(p->file->file.value, grey, x, d);
        least = fmin(least, d->rms);
    }
    for (int i = 0; i < 2 * CURVES; i++) {
        const struct drawing *d = &tried[i];
        if (d->rms > fmax(2 * least, p->file->step > 0 ? BLACK : 0))
            continue;
        const double hidden = is_black(p->file, zero_at(p, extent, d->layout)) ? 1e-9 : 0;
        const double worse = d->rms + mean_of_blacks(p, d, black) + hidden;
        if (worse < (i % CURVES == p->drawing.curve ? 1 : 0.95) * worst) {
            worst = worse;
            p->drawing = *d;
        }
    }
}

/* Finds up to MOST_PLACES of the file's bins that are black, or grey. GF_ENOMEM. */
static int find_places(const struct painting *p, bool black, struct places *out) {
    int64_t all = 0, seen = 0;
    for (int64_t i = 0; i < p->n; i++)
        all += black ? is_black(p->file, i) : is_grey(p->file, i);
    if (!(out->at = malloc(MOST_PLACES * sizeof *out->at)))
        return gf_no_memory();
    for (int64_t i = 0; i < p->n; i++)
        if ((black ? is_black(p->file, i) : is_grey(p->file, i)) &&
            seen++ % (all / MOST_PLACES + 1) == 0)
            out->at[out->n++] = i;
    return 0;
}

/* Finds how the file draws the spectrum, from some of its bins. GF_ENOMEM. */
static int find_drawing(struct painting *p) {
    struct places grey = {.n = 0}, black = {.n = 0};
    double *x = malloc(MOST_PLACES * sizeof *x);
    int rc = x ? find_places(p, false, &grey) : gf_no_memory();
    if (!rc)
        rc = find_places(p, true, &black);
    if (!rc)
        try_drawings(p, &grey, &black, x);
    p->n_greys = grey.n;
    free(x);
    free(grey.at);
    free(black.at);
    return rc;
}

/* Transforms the picture, or its luma, and finds how the file draws that. */
static int look(struct gf_operation *op, bool luma, struct painting *p) {
    const enum gf_dtype dtype = op->job.precision == GF_DOUBLE ? GF_F64 : GF_F32;
    const struct gf_output sizes = {.kind = GF_MAGNITUDE, .dtype = dtype, .half = true};
    struct gf_report report;
    p->job = gf_filter_look_job(op, &sizes, luma, &p->size);
    p->job.norm = GF_NORM_BACKWARD;
    int rc = gf_runner_plan(op->crew.runner, &p->job);
    if (!rc)
        rc = gf_filter_check_memory(op, gf_array_bytes(&p->size) + op->crew.runner->workspace);
    if (!rc)
        rc = gf_array_alloc(&p->size, p->size.dtype, p->size.rank, p->size.shape);
    if (!rc)
        rc = gf_runner_run(op->crew.runner, &op->in, &p->size, &report);
    gf_runner_forget(op->crew.runner);
    for (int64_t i = 0; !rc && i < gf_array_count(&p->size); i++)
        p->largest = fmax(p->largest, gf_filter_number(&p->size, i).re);
    return rc ? rc : find_drawing(p);
}

/* The magnitude of a bin of half the spectrum, of the channel that has most. */
static double size_of(const struct painting *p, int64_t bin) {
    const int64_t channels = p->size.shape[p->job.ndim];
    double size = 0;
    for (int64_t c = 0; c < channels; c++)
        size = fmax(size, gf_filter_number(&p->size, bin * channels + c).re);
    return size;
}

/* True if a bin is more than a rounding error. */
static bool is_seen(const struct painting *p, int64_t bin) {
    return size_of(p, bin) > (p->job.precision == GF_DOUBLE ? 1e-14 : 1e-6) * p->largest;
}

/* For a file without greys: black is the darkest bin that is seen, unless all are alike. Returns
 * INFINITY if many are seen. */
static double black_of_few(const struct painting *p) {
    const int64_t channels = p->size.shape[p->job.ndim], n = gf_array_count(&p->size) / channels;
    double low = INFINITY, high = 0;
    int64_t seen = 0;
    for (int64_t i = 1; i < n; i++)
        if (is_seen(p, i)) {
            const double size = size_of(p, i);
            low = fmin(low, size);
            high = fmax(high, size);
            seen++;
        }
    return seen > n / 8 ? INFINITY : low < 0.99 * high ? 1.01 * low : 0;
}

/* Chooses how bright a bin should be to count as painted if it is black. */
static double least_grey(const struct gf_operation *op, struct painting *p) {
    const double step = p->file->step, few = black_of_few(p);
    struct drawing *d = &p->drawing;
    if (p->n_greys >= LEAST_GREYS && d->share >= LEAST_SHARE)
        return fmax(step > 0 ? GREY : 0, fmin(ERRORS * d->error, step > 0 ? 0.5 : INFINITY));
    if (p->n_greys < LEAST_GREYS || (d->error <= 4 * step && few < INFINITY)) {
        *d = (struct drawing){.layout = d->layout, .curve = MAGNITUDE, .gain = 1};
        return few;
    }
    if (d->error > step) /* strokes on one grey are meant as they are */
        gf_tell(op->note, op->caller,
                "--paint=%s is not drawn from its spectrum; black areas from 3x3 bins on "
                "are removed",
                p->file->text);
    return -1;
}

/* True if a bin belongs to a black square of 3 x 3, in a line to three in a row. */
static bool is_stroke(const struct painting *p, const int64_t *extent, int64_t at) {
    const int64_t nx = extent[p->job.ndim - 1], ny = p->n / nx, tall = ny > 1;
    for (int64_t y = at / nx - tall; y <= at / nx + tall; y++)
        for (int64_t x = at % nx - 1; x <= at % nx + 1; x++) {
            bool black = y >= tall && y + tall < ny && x >= 1 && x + 1 < nx;
            for (int i = 0; i < 9 && black; i++)
                black = is_black(p->file, (y + tall * (i / 3 - 1)) * nx + x + i % 3 - 1);
            if (black)
                return true;
        }
    return false;
}

/* Zeroes the mask, which is 1 at first, where the file is black and should not be. GF_ENOMEM. */
static int compare(struct gf_operation *op, struct painting *p) {
    struct gf_array *mask = &gf_filtering_of(op)->peaks.painted.px;
    const bool fresh = !mask->data;
    int64_t count = 0, where[2], extent[GF_MAX_DIMS];
    const double least = least_grey(op, p);
    /* A window, --edges and JPEG move the darkest bins. */
    const bool rough = p->drawing.error > GREY;
    gf_filter_spread(&p->job, p->file, extent);
    int rc = fresh ? gf_array_alloc(mask, GF_F32, p->job.ndim, p->size.shape) : 0;
    if (rc)
        return rc;
    memcpy(gf_filtering_of(op)->peaks.painted.extent, p->job.shape, sizeof p->job.shape);
    for (int64_t i = 0; fresh && i < gf_array_count(mask); i++)
        ((float *)mask->data)[i] = 1;
    for (int64_t i = 0; i < p->n; i++) {
        find_bin(&p->job, mask, p->drawing.layout, i, where);
        if (!is_black(p->file, i) || !is_seen(p, where[0]) ||
            grey_of(p, &p->drawing, i, INFINITY) <= least || (rough && !is_stroke(p, extent, i)))
            continue;
        ((float *)mask->data)[where[0]] = ((float *)mask->data)[where[1]] = 0;
        count++;
    }
    if (fresh && !count)
        gf_array_free(mask);
    gf_tell(op->note, op->caller, "--paint=%s removes %lld painted frequencies", p->file->text,
            (long long)count);
    return 0;
}

/* fwd draws the luma of a colour picture by default, but each channel beside other outputs. */
static int paint(struct gf_operation *op, const struct gf_filter_part *file) {
    const bool colour = op->of.rgb && !op->job.luma;
    struct painting best = {.file = file}, other = best;
    int rc = gf_filter_check_file(file);
    best.n = other.n = gf_shape_count(file->file.extent, file->ndim);
    rc = rc ? rc : look(op, colour, &best);
    if (!rc && colour && best.drawing.error > GREY) {
        rc = look(op, false, &other);
        if (!rc && other.drawing.error < best.drawing.error) {
            const struct painting worse = best;
            best = other;
            other = worse;
        }
    }
    if (!rc)
        rc = compare(op, &best);
    gf_array_free(&best.size);
    gf_array_free(&other.size);
    return rc;
}

int gf_filter_paint(struct gf_operation *op) {
    if (op->job.axes != (1u << op->job.ndim) - 1)
        return gf_fail(GF_EINVAL, "--paint needs the whole spectrum, without --axes and --dims");
    const struct gf_filter_options *o = gf_filter_options_of(op);
    int rc = 0;
    for (int i = 0; i < o->n_parts && !rc; i++)
        if (o->part[i].what == GF_PAINT)
            rc = paint(op, &o->part[i]);
    return rc;
}
