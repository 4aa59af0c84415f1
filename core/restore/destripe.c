/* Stripes along rows or columns: the evidence for them, their estimate, and the picture without. */
#include "core/restore/destripe.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/dwt_shape.h"
#include "core/base/memory.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "core/base/stretch.h"
#include "core/spectrum/spectrum.h"

enum {
    SEGMENTS = 8, /* of a line, which must agree */
    MOST = 256,   /* samples of a segment that are looked at */
    LEAST_OF = 5, /* and the fewest that are not clipped */
    ITEMS = 16,   /* the fewest lines that are evidence */
    LEVELS = 7,   /* at most */
    SHORTEST = 8, /* the fewest coefficients along a band */
    LAGS = 16,    /* distances at which lines are compared */
    ARRAYS = 7,   /* of a picture's size: those of two struct work, and the samples as f32 */
};
/* The median of the square of a Gaussian variable over its variance. */
static const double MEDIAN_SQUARE = 0.4549;
/* Limits of stripes that nobody named. Lines of things are wider than a sample, so their second
 * level is at least twice as strong as the first; those of random rows are equal, and alternate
 * rows, which are all alike, have no second level. Rules have few strong lines, a large fourth
 * moment; slats are alike at a distance of some lines. A barcode or brushed metal is nothing but
 * stripes: the greys extend over 4.7 of their deviations. */
static const double LEAST_COHERENCE = 0.6, LEAST_RATIO = 0.55, MOST_KURTOSIS = 5, MOST_ALIKE = 0.5;
static const double LEAST_RANGE = 6, ALTERNATE_RANGE = 3, ALTERNATE_KURTOSIS = 1.75;
/* Bands damped by less are left; powers of neighbouring levels; stripes over their median. */
static const double LEAST_DAMPING = 0.02, SLOPE = 4, RAISE = 1.25;

/* One coefficient across the stripes, all along a line. */
struct line {
    int seen;                 /* segments that have enough samples */
    float segment[SEGMENTS];  /* their medians, or NAN */
    float middle;             /* the median of these */
    double mean, shared, all; /* of them: mean, mean product in pairs, mean square */
};

/* The lines of a level's band, of all channels. */
struct evidence {
    int items;
    double stripes, all;  /* medians of line.shared and line.all, as variances */
    double shared, power; /* means of line.shared and of line.mean^2 */
    double coherence;     /* their ratio, 0 .. 1 */
    double kurtosis;      /* of the lines */
    double alike;         /* their highest correlation with lines at a distance */
};

struct work {
    const struct gf_destripe *want;
    const struct gf_array *px;
    int axis;
    double range;      /* from the darkest to the brightest hundredth */
    struct gf_job job; /* the wavelet's */
    struct gf_array u; /* at the end the stripes */
    struct gf_array detail;
    struct line *line; /* by coefficient and channel */
    int levels;
    struct gf_dwt_axis layout;
    struct evidence e[LEVELS + 1];
    double variance; /* of the stripes that were removed */
};

static float *at(const struct gf_array *a, int64_t i) {
    return (float *)a->data + i;
}

/* Elements between indices along an axis of a dense array (y, x, channel). */
static int64_t stride(const int64_t *shape, int axis) {
    return axis ? shape[2] : shape[1] * shape[2];
}

static bool is_clipped(const struct gf_destripe *want, float v) {
    return want->low < want->high && (v <= (float)want->low || v >= (float)want->high);
}

static int run(const struct work *w, const struct gf_array *in, struct gf_array *out) {
    return w->want->transform.run(w->want->transform.context, &w->job, in, out);
}

/* ---- evidence ---- */

/* True if a clipped sample is in coefficient k of a level, which takes 3 2^level - 2 samples from
 * 2^level k - 2 (2^level - 1) on; `first`: the column's or row's first sample. */
static bool has_clipped(const struct work *w, int level, int64_t k, int64_t first) {
    const int64_t gap = stride(w->px->shape, w->axis), last = w->px->shape[w->axis] - 1;
    const int64_t step = 1LL << level;
    bool clipped = false;
    for (int64_t j = step * (k - 2) + 2; !clipped && j < step * (k + 1); j++)
        clipped = is_clipped(w->want, *at(w->px, first + gf_min(gf_max(j, 0), last) * gap));
    return clipped;
}

static void look_at_line(const struct work *w, int level, int64_t k, int64_t channel) {
    const int64_t n = w->px->shape[!w->axis], channels = w->px->shape[2];
    const int64_t gap = stride(w->detail.shape, !w->axis), px_gap = stride(w->px->shape, !w->axis);
    const int64_t row = w->layout.at[level] + k;
    const int64_t first = row * stride(w->detail.shape, w->axis) + channel;
    struct line *line = &w->line[row * channels + channel];
    double sum = 0, squares = 0;
    float seen[SEGMENTS] = {0};
    for (int s = 0; s < SEGMENTS; s++) {
        float v[MOST + 1];
        const int64_t begin = s * n / SEGMENTS, end = (s + 1) * n / SEGMENTS;
        const int64_t step = gf_divide_up(end - begin, MOST);
        int count = 0;
        for (int64_t i = begin; i < end; i += step)
            if (!has_clipped(w, level, k, i * px_gap + channel))
                v[count++] = *at(&w->detail, first + i * gap);
        line->segment[s] = NAN;
        if (count < LEAST_OF || 4 * count * step < end - begin)
            continue;
        seen[line->seen++] = line->segment[s] = gf_select_float(v, count, count / 2);
        sum += (double)line->segment[s];
        squares += pow((double)line->segment[s], 2);
    }
    line->middle = gf_select_float(seen, gf_max(line->seen, 1), line->seen / 2);
    line->mean = sum / fmax(line->seen, 1);
    line->shared = (sum * sum - squares) / fmax(line->seen * (line->seen - 1), 1);
    line->all = squares / fmax(line->seen, 1);
}

static double median_of(float *v, int n) {
    return n ? (double)gf_select_float(v, n, n / 2) / MEDIAN_SQUARE : 0;
}

/* The highest correlation of lines with those some lines on. */
static double compare(const float *line, int n) {
    double most = 0;
    for (int lag = 1; lag <= LAGS && 2 * lag < n; lag++) {
        double product = 0, squares = 1e-30;
        for (int i = 0; i + lag < n; i++) {
            product += (double)line[i] * (double)line[i + lag];
            squares += (double)line[i] * (double)line[i];
        }
        most = fmax(most, product / squares);
    }
    return most;
}

static int look(struct work *w, int level) {
    struct evidence *e = &w->e[level];
    const int64_t channels = w->px->shape[2], lines = w->layout.n[level];
    float *room = malloc((size_t)(3 * lines * channels) * sizeof *room);
    double fourth = 0;
    if (!room)
        return gf_no_memory();
    float *mean = room, *shared = mean + lines * channels, *all = shared + lines * channels;
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < lines * channels; i++)
        look_at_line(w, level, i % lines, i / lines);
    for (int64_t i = 0; i < lines * channels; i++) {
        const struct line *l = &w->line[(w->layout.at[level] + i % lines) * channels + i / lines];
        if (l->seen <= SEGMENTS / 2)
            continue;
        mean[e->items] = (float)l->mean;
        shared[e->items] = (float)l->shared;
        all[e->items++] = (float)l->all;
        e->shared += l->shared;
        e->power += l->mean * l->mean;
        fourth += pow(l->mean, 4);
    }
    e->kurtosis = e->power > 0 ? e->items * fourth / (e->power * e->power) : 0;
    e->alike = compare(mean, e->items);
    e->stripes = fmax(median_of(shared, e->items), 0);
    e->all = fmax(median_of(all, e->items), 1e-30);
    e->coherence = e->stripes / e->all;
    e->shared /= fmax(e->items, 1);
    e->power /= fmax(e->items, 1);
    free(room);
    return 0;
}

static bool is_evident(const struct work *w) {
    const struct evidence *e = w->e;
    const double deviation = sqrt(e[1].stripes), range = w->range;
    const bool alternate = e[1].kurtosis < ALTERNATE_KURTOSIS;
    return e[1].items >= gf_max(ITEMS, w->layout.n[1] * w->px->shape[2] / 2) &&
           deviation >= fmax(w->want->least, 1e-6 * range) && e[1].coherence > LEAST_COHERENCE &&
           e[1].stripes > LEAST_RATIO * e[2].stripes && e[1].kurtosis < MOST_KURTOSIS &&
           (alternate || e[1].alike < MOST_ALIKE) &&
           (w->want->axis >= 0 || range > (alternate ? ALTERNATE_RANGE : LEAST_RANGE) * deviation);
}

/* ---- the wavelet transform ---- */

static void end(struct work *w) {
    gf_array_free(&w->u);
    gf_array_free(&w->detail);
    free(w->line);
}

static void lay_out(struct work *w) {
    const int64_t *shape = w->px->shape;
    w->job = (struct gf_job){.op = GF_DWT,
                             .ndim = 2,
                             .shape = {shape[0], shape[1]},
                             .channels = shape[2],
                             .axes = 1u << w->axis,
                             .in_dtype = GF_F32,
                             .n_out = 1,
                             .out = {{.kind = GF_REAL, .dtype = GF_F32}},
                             .wavelet = {.name = WAVELET_D4, .boundary = GF_SYMMETRIC}};
    for (int64_t n = shape[w->axis]; n / 2 >= SHORTEST && w->levels < LEVELS; n = (n + 3) / 2)
        w->levels++;
    if (w->levels < 2 || shape[!w->axis] < SEGMENTS * LEAST_OF)
        w->levels = 0;
}

/* Transforms the picture, and looks at its details. */
static int begin(struct work *w) {
    int64_t packed[3];
    lay_out(w);
    if (!w->levels)
        return 0;
    w->job.wavelet.levels = w->levels;
    gf_dwt_axis(w->px->shape[w->axis], true, w->levels, &w->job.wavelet, &w->layout);
    memcpy(packed, w->px->shape, sizeof packed);
    packed[w->axis] = w->layout.packed;
    w->line = calloc((size_t)(packed[w->axis] * packed[2]), sizeof *w->line);
    int rc = w->line ? gf_array_alloc(&w->u, GF_F32, 3, w->px->shape) : gf_no_memory();
    if (!rc)
        rc = gf_array_alloc(&w->detail, GF_F32, 3, packed);
    if (!rc)
        rc = run(w, w->px, &w->detail);
    for (int l = 1; l <= w->levels && !rc; l++)
        rc = look(w, l);
    return rc;
}

/* ---- the estimate ---- */

/* The sum over k of exp(-k^2 / 2) cos(2 pi k i / SEGMENTS) / SEGMENTS. */
static const double KERNEL[SEGMENTS] = {0.313244, 0.230257, 0.091166, 0.019743,
                                        0.004424, 0.019743, 0.091166, 0.230257};

/* The frequencies of stripes in a line's segments. Segments far from the line's median count as within `limit` of it. */
static void smooth(const struct line *line, double limit, double value[SEGMENTS]) {
    for (int to = 0; to < SEGMENTS; to++) {
        value[to] = (double)line->middle;
        for (int s = 0; s < SEGMENTS; s++) {
            const double rest = (double)(line->segment[s] - line->middle);
            if (!isnan(rest))
                value[to] += fmin(fmax(rest, -limit), limit) * KERNEL[abs(to - s)];
        }
    }
}

/* Writes a line's stripe instead of its coefficients, linear between the segments' middles. */
static void put_line(const struct work *w, int64_t row, int64_t channel, double limit,
                     double factor) {
    const int64_t n = w->px->shape[!w->axis], gap = stride(w->detail.shape, !w->axis);
    const int64_t first = row * stride(w->detail.shape, w->axis) + channel;
    double value[SEGMENTS];
    smooth(&w->line[row * w->px->shape[2] + channel], limit, value);
    for (int64_t i = 0; i < n; i++) {
        const double x =
            fmin(fmax(((double)i + 0.5) * SEGMENTS / (double)n - 0.5, 0), SEGMENTS - 1);
        const int s = x < SEGMENTS - 1 ? (int)x : SEGMENTS - 2;
        *at(&w->detail, first + i * gap) =
            (float)(factor * (value[s] + (x - s) * (value[s + 1] - value[s])));
    }
}

/* The power of a picture's own band, whose amplitudes are about 1 / frequency. */
static double own_of(const struct work *w, int level) {
    double own = HUGE_VAL;
    for (int l = 1; l <= w->levels; l++)
        if (l != level && l >= level - 2 && l <= level + 1)
            own = fmin(own, fmax(w->e[l].shared, 0) * pow(SLOPE, level - l));
    return own;
}

/* Leaves the stripes' part of each band: random rows have as much in each as in the finest two;
 * others have what the segments share. Returns the levels that have some. */
static int separate(struct work *w) {
    const bool random = is_evident(w);
    const int64_t channels = w->px->shape[2];
    int levels = 0;
    memset(w->detail.data, 0, (size_t)gf_array_bytes(&w->detail));
    for (int l = 1; l <= w->levels; l++) {
        const struct evidence *e = &w->e[l];
        const double finest = l > 2 ? fmin(w->e[1].stripes, w->e[2].stripes) : e->stripes;
        const double expected = random ? RAISE * finest : e->shared - own_of(w, l);
        const double factor = fmin(1, expected / fmax(e->power, 1e-30));
        if (factor < LEAST_DAMPING || e->power <= pow(1e-6 * w->range, 2))
            continue;
        const double limit = sqrt(fmax(e->all - e->stripes, 0));
        w->variance += factor * factor * e->power * (double)w->layout.n[l];
        levels++;
#pragma omp parallel for num_threads(w->want->threads)
        for (int64_t i = 0; i < w->layout.n[l] * channels; i++)
            put_line(w, w->layout.at[l] + i / channels, i % channels, limit, factor);
    }
    return levels;
}

/* ---- the result ---- */

static double without(const struct work *w, int64_t i) {
    return (double)*at(w->px, i) - (double)*at(&w->u, i);
}

/* A sample without its stripe. A clipped one that would leave the limit may have been anything
 * between what it is and what it becomes: the mean of its neighbours, if that is between the two. */
static double restore(const struct work *w, int64_t i) {
    const int64_t across = stride(w->px->shape, w->axis), n = w->px->shape[w->axis];
    const double v = (double)*at(w->px, i), clean = without(w, i);
    const int64_t k = i / across % n;
    if (!is_clipped(w->want, (float)v) || (v <= w->want->low) != (clean > v))
        return clean;
    const int64_t before = k ? i - across : i + across, after = k + 1 < n ? i + across : before;
    const double mean = (without(w, before) + without(w, after)) / 2;
    return fmin(fmax(mean, fmin(v, clean)), fmax(v, clean));
}

static int remove_stripes(struct work *w, struct gf_array *out) {
    const int levels = separate(w);
    w->job.direction = GF_INVERSE;
    int rc = levels ? run(w, &w->detail, &w->u) : 0;
    if (rc || !levels)
        return rc;
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < gf_array_count(w->px); i++) {
        char *v = (char *)out->data + i * (int64_t)gf_dtype_size(out->dtype);
        gf_sample_put(v, out->dtype,
                      gf_sample_get(v, out->dtype) + restore(w, i) - (double)*at(w->px, i));
    }
    return levels;
}

int gf_destripe(const struct gf_destripe *want, const struct gf_array *in, struct gf_array *out,
                struct gf_stripes *found) {
    struct gf_array px = {0};
    struct work w[2] = {{.want = want, .px = &px}, {.want = want, .px = &px, .axis = 1}};
    const bool ask = want->axis < 0;
    double range[2] = {0};
    gf_samples_convert(out, in);
    int rc = gf_array_alloc(&px, GF_F32, 3, in->shape);
    if (!rc)
        rc = gf_samples_quantiles(in, (const double[]){0.01, 0.99}, range);
    if (!rc)
        gf_samples_convert(&px, in);
    w[0].range = w[1].range = range[1] - range[0];
    for (int axis = 0; axis < 2 && !rc; axis++)
        if (ask || want->axis == axis)
            rc = begin(&w[axis]);
    const bool second =
        is_evident(&w[1]) && (!is_evident(&w[0]) || w[1].e[1].coherence > w[0].e[1].coherence);
    struct work *better = &w[ask ? second : want->axis];
    if (!rc && better->levels && better->range > 0 && (!ask || is_evident(better)))
        rc = remove_stripes(better, out);
    *found =
        (struct gf_stripes){.axis = rc > 0 ? better->axis : -1,
                            .deviation = sqrt(better->variance / (double)in->shape[better->axis]),
                            .coherence = better->e[1].coherence,
                            .levels = rc};
    end(&w[0]);
    end(&w[1]);
    gf_array_free(&px);
    return rc < 0 ? rc : 0;
}

int64_t gf_destripe_bytes(int64_t h, int64_t w, int64_t channels) {
    const int64_t beyond = 4 * LEVELS; /* coefficients that a band has besides half the line */
    return ARRAYS * 4 * channels * ((h + beyond) * w + beyond * h);
}
