/* Stripes along rows or columns: the evidence for them, their estimate, and the picture without. */
#include "core/restore/destripe.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "core/spectrum/spectrum.h"
#include "core/base/dwt_shape.h"

enum {
    SEGMENTS = 8, /* of a line, which must agree */
    MOST = 128,   /* samples of a segment that are looked at */
    LEAST_OF = 5, /* and the fewest that are not clipped */
    ITEMS = 16,   /* the fewest lines that are evidence */
    LEVELS = 7,   /* at most */
    SHORTEST = 8, /* the fewest coefficients along a band */
    SEEN = 2,     /* levels that are evidence */
    LAGS = 16,    /* distances at which lines are compared */
    ITERATIONS = 8,
    ROOM = 1 << 14, /* coefficients that a band's deviation is taken from */
    ARRAYS = 7,     /* of a picture's size: those of struct work, and two more */
};
static const float SIGMA = 1; /* bins */
/* Of a Gaussian variable: the median of its square over its variance, and of its magnitude over its
 * deviation. */
static const double MEDIAN_SQUARE = 0.4549, MEDIAN = 0.6745;
/* Limits of stripes that nobody named. Lines of things are wider than a sample, so their second
 * level is at least twice as strong as the first; those of random rows are equal, and alternate
 * rows, which are all alike, have no second level. Rules have few strong lines, a large fourth
 * moment; slats are alike at a distance of some lines. A barcode or brushed metal is nothing but
 * stripes: the greys extend over 4.7 of their deviations. */
static const double LEAST_COHERENCE = 0.6, LEAST_RATIO = 0.55, MOST_KURTOSIS = 5, MOST_ALIKE = 0.5;
static const double LEAST_RANGE = 6, ALTERNATE_RANGE = 3, ALTERNATE_KURTOSIS = 1.5;
/* Gains must explain so much more than offsets; and the grey that is added before the logarithm, as
 * a share of the range. */
static const double GAIN_SHARE = 0.6, DARK = 0.02;
/* Bands that would be damped by less are left; the least share of a line that is not clipped. */
static const double LEAST_DAMPING = 0.1, LEAST_SHARE = 0.05;

/* The lines of a level's band, of all channels. */
struct evidence {
    int items;
    double stripes;  /* variance of what the segments of a line share */
    double all;      /* variance of the segments */
    double kurtosis; /* of the lines */
    double alike;    /* their highest correlation with lines at a distance */
};

/* Arrays of f32, one picture or its packed coefficients each. */
struct work {
    const struct gf_destripe *want;
    const struct gf_array *px;
    int axis;
    double dark;       /* 0, or logarithms are taken: gains become offsets */
    int64_t n, across; /* coefficients, and elements between them across the stripes */
    struct gf_job job; /* the wavelet's */
    struct gf_array u; /* the picture, or its logarithm; at the end the stripes */
    struct gf_array detail;
    struct gf_array weight; /* 1, or 0 where a clipped sample is in a coefficient */
    struct gf_array share;  /* the weight, smoothed along the stripes */
    struct gf_array part;   /* the estimate of the stripes' coefficients */
    int levels;
    struct gf_dwt_axis layout;
    struct evidence e[SEEN + 1];
};

static float *at(const struct gf_array *a, int64_t i) {
    return (float *)a->data + i;
}

/* Elements between indices along an axis of a dense array (y, x, channel). */
static int64_t stride(const int64_t *shape, int axis) {
    return axis ? shape[2] : shape[1] * shape[2];
}

/* The index across the stripes of element i of an array of coefficients, and its level; 0: no
 * detail. */
static int64_t place(const struct work *w, int64_t i) {
    return i / w->across % w->layout.packed;
}
static int level_of(const struct work *w, int64_t i) {
    const int64_t k = place(w, i);
    int l = w->levels;
    while (l > 0 && (k < w->layout.at[l] || k >= w->layout.at[l] + w->layout.n[l]))
        l--;
    return l;
}

static bool is_clipped(const struct gf_destripe *want, float v) {
    return want->low < want->high && (v <= (float)want->low || v >= (float)want->high);
}

static int run(const struct work *w, const struct gf_job *job, const struct gf_array *in,
               struct gf_array *out) {
    return w->want->transform.run(w->want->transform.context, job, in, out);
}

/* ---- evidence ---- */

/* The medians of a line's segments; a line with too few of them has none. */
static int look_at_line(const struct work *w, int64_t first, float median[SEGMENTS]) {
    const int64_t n = w->px->shape[!w->axis], gap = stride(w->detail.shape, !w->axis);
    int seen = 0;
    for (int s = 0; s < SEGMENTS; s++) {
        float v[MOST + 1];
        const int64_t begin = s * n / SEGMENTS, end = (s + 1) * n / SEGMENTS;
        const int64_t step = gf_divide_up(end - begin, MOST);
        int count = 0;
        for (int64_t i = begin; i < end; i += step)
            if (*at(&w->weight, first + i * gap) > 0)
                v[count++] = *at(&w->detail, first + i * gap);
        if (count >= LEAST_OF && 4 * count * step >= end - begin)
            median[seen++] = gf_select_float(v, count, count / 2);
    }
    return seen > SEGMENTS / 2 ? seen : 0;
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

/* What the segments of a line share is the mean of their products in pairs. */
static int look(struct work *w, int level) {
    struct evidence *e = &w->e[level];
    const int64_t channels = w->px->shape[2], lines = w->layout.n[level];
    float *room = malloc((size_t)(3 * lines * channels) * sizeof *room);
    double second = 0, fourth = 0;
    *e = (struct evidence){0};
    if (!room)
        return gf_no_memory();
    float *mean = room, *shared = mean + lines * channels, *all = shared + lines * channels;
    for (int64_t i = 0; i < lines * channels; i++) {
        float median[SEGMENTS];
        double sum = 0, squares = 0;
        const int n =
            look_at_line(w, (w->layout.at[level] + i % lines) * w->across + i / lines, median);
        for (int s = 0; s < n; s++) {
            sum += (double)median[s];
            squares += (double)median[s] * (double)median[s];
        }
        if (!n)
            continue;
        mean[e->items] = (float)(sum / n);
        shared[e->items] = (float)((sum * sum - squares) / (n * (n - 1)));
        all[e->items++] = (float)(squares / n);
        second += pow(sum / n, 2);
        fourth += pow(sum / n, 4);
    }
    e->alike = compare(mean, e->items);
    e->stripes = fmax(median_of(shared, e->items), 0);
    e->all = fmax(median_of(all, e->items), 1e-30);
    e->kurtosis = second > 0 ? e->items * fourth / (second * second) : 0;
    free(room);
    return 0;
}

/* From the darkest to the brightest hundredth. */
static double range_of(const struct gf_array *px) {
    enum { SAMPLES = 4096 };
    float v[SAMPLES];
    const int64_t n = gf_array_count(px), count = gf_min(n, SAMPLES);
    for (int64_t i = 0; i < count; i++)
        v[i] = *at(px, (int64_t)((double)i * (double)n / (double)count));
    const double low = (double)gf_select_float(v, count, count / 100);
    return (double)gf_select_float(v, count, count - 1 - count / 100) - low;
}

static bool is_evident(const struct work *w) {
    const struct evidence *e = w->e;
    const double deviation = sqrt(e[1].stripes), range = range_of(w->px);
    const bool alternate = e[1].kurtosis < ALTERNATE_KURTOSIS;
    return e[1].items >= ITEMS && deviation >= fmax(w->want->least, 1e-6 * range) &&
           e[1].stripes > LEAST_COHERENCE * e[1].all && e[1].stripes > LEAST_RATIO * e[2].stripes &&
           e[1].kurtosis < MOST_KURTOSIS && (alternate || e[1].alike < MOST_ALIKE) &&
           range > (alternate ? ALTERNATE_RANGE : LEAST_RANGE) * deviation;
}

/* ---- the wavelet transform ---- */

static void end(struct work *w) {
    struct gf_array *const all[] = {&w->u, &w->detail, &w->weight, &w->share, &w->part};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gf_array_free(all[i]);
}

/* A coefficient of level l takes 3 2^l - 2 samples, from 2^l k - 2 (2^l - 1) on. */
static void weigh(struct work *w) {
    const int64_t from = stride(w->px->shape, w->axis), last = w->px->shape[w->axis] - 1;
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < w->n; i++) {
        const int l = level_of(w, i);
        const int64_t step = 1LL << l, k = place(w, i) - w->layout.at[l];
        const int64_t line = i / w->across / w->layout.packed * (last + 1) * from + i % w->across;
        bool whole = l > 0;
        for (int64_t j = step * (k - 2) + 2; whole && j < step * (k + 1); j++)
            whole = !is_clipped(w->want, *at(w->px, line + gf_min(gf_max(j, 0), last) * from));
        *at(&w->weight, i) = whole;
    }
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
    w->levels = 0;
    for (int64_t n = shape[w->axis]; n / 2 >= SHORTEST && w->levels < LEVELS; n = (n + 3) / 2)
        w->levels++;
    if (w->levels < SEEN || shape[!w->axis] < SEGMENTS * LEAST_OF)
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
    w->n = gf_shape_count(packed, 3);
    w->across = stride(packed, w->axis);
    int rc = gf_array_alloc(&w->u, GF_F32, 3, w->px->shape);
    if (!rc)
        rc = gf_array_alloc(&w->detail, GF_F32, 3, packed);
    if (!rc)
        rc = gf_array_alloc(&w->weight, GF_F32, 3, packed);
    if (rc)
        return rc;
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < gf_array_count(w->px); i++) {
        const float v = *at(w->px, i);
        *at(&w->u, i) = w->dark > 0 ? logf(fmaxf(v, 0) + (float)w->dark) : v;
    }
    rc = run(w, &w->job, &w->u, &w->detail);
    weigh(w);
    for (int l = 1; l <= SEEN && !rc; l++)
        rc = look(w, l);
    return rc;
}

/* ---- the estimate ---- */

/* The deviation of what the estimate leaves of a band, from some of it. */
static float limit_of(const struct work *w, int level, float *room) {
    const int64_t step = w->n / (ROOM * 8LL) | 1;
    int64_t count = 0;
    for (int64_t i = 0; i < w->n && count < ROOM; i += step)
        if (level_of(w, i) == level && *at(&w->weight, i) > 0)
            room[count++] = fabsf(*at(&w->detail, i) - *at(&w->part, i));
    return count ? gf_select_float(room, count, count / 2) / (float)MEDIAN : 0;
}

/* Keeps the frequencies of stripes in all coefficients. */
static int smooth(const struct work *w, const struct gf_filter *f, struct gf_array *a,
                  struct gf_array *out) {
    const int64_t *shape = a->shape;
    const struct gf_job job = {.op = GF_FILTER,
                               .ndim = 2,
                               .shape = {shape[0], shape[1]},
                               .channels = shape[2],
                               .axes = 1u << !w->axis,
                               .in_dtype = GF_F32,
                               .filter = f,
                               .filter_serial = f->serial,
                               .n_out = 1,
                               .out = {{.kind = GF_REAL, .dtype = GF_F32}}};
    return run(w, &job, a, out);
}

/* One step towards the M-estimate; rest and step: arrays of coefficients. */
static int improve(struct work *w, const struct gf_filter *f, struct gf_array *rest,
                   struct gf_array *step) {
    float limit[LEVELS + 1] = {0}, *room = malloc(ROOM * sizeof *room);
    for (int l = 1; l <= w->levels && room; l++)
        limit[l] = limit_of(w, l, room);
    free(room);
    if (!room)
        return gf_no_memory();
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < w->n; i++) {
        const float t = limit[level_of(w, i)], r = *at(&w->detail, i) - *at(&w->part, i);
        *at(rest, i) = fminf(fmaxf(r, -t), t) * *at(&w->weight, i);
    }
    int rc = smooth(w, f, rest, step);
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < w->n; i++)
        *at(&w->part, i) += *at(step, i) / fmaxf(*at(&w->share, i), (float)LEAST_SHARE);
    return rc;
}

static int estimate(struct work *w) {
    struct gf_filter *f = NULL;
    const struct gf_lowpass l = {.profile = GF_GAUSSIAN, .radius = {(double)SIGMA, (double)SIGMA}};
    struct gf_array rest = {0}, step = {0};
    struct gf_array *const all[] = {&w->part, &w->share, &rest, &step};
    int rc = gf_filter_new(&f);
    if (!rc)
        rc = gf_filter_add_lowpass(f, &l);
    for (int i = 0; i < 4 && !rc; i++)
        rc = gf_array_alloc(all[i], GF_F32, 3, w->detail.shape);
    if (!rc) {
        memset(w->part.data, 0, (size_t)gf_array_bytes(&w->part));
        rc = smooth(w, f, &w->weight, &w->share);
    }
    for (int i = 0; i < ITERATIONS && !rc; i++)
        rc = improve(w, f, &rest, &step);
    gf_array_free(&rest);
    gf_array_free(&step);
    gf_filter_free(f);
    return rc;
}

/* Damps each band by the share of its lines that stripes explain; returns the levels damped. */
static int damp(struct work *w) {
    double power[LEVELS + 1] = {0}, factor[LEVELS + 1] = {0};
    int levels = 0;
    for (int64_t i = 0; i < w->n; i++)
        power[level_of(w, i)] += pow((double)*at(&w->part, i), 2);
    for (int l = 1; l <= w->levels; l++) {
        const double one = w->e[1].stripes, two = w->e[2].stripes;
        const double expected = (l > 2 ? fmin(one, two) : w->e[l].stripes) *
                                (double)(w->n / w->layout.packed * w->layout.n[l]);
        factor[l] = fmin(1, expected / fmax(power[l], 1e-30));
        if (factor[l] < LEAST_DAMPING)
            factor[l] = 0;
        levels += factor[l] > 0;
    }
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < w->n; i++)
        *at(&w->detail, i) = *at(&w->part, i) * (float)factor[level_of(w, i)];
    return levels;
}

/* ---- the result ---- */

static double without(const struct work *w, int64_t i) {
    const double v = (double)*at(w->px, i), stripe = (double)*at(&w->u, i);
    return w->dark > 0 ? (v + w->dark) * exp(-stripe) - w->dark : v - stripe;
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
    int rc = estimate(w);
    const int levels = rc ? 0 : damp(w);
    struct gf_job back = w->job;
    back.direction = GF_INVERSE;
    if (levels)
        rc = run(w, &back, &w->detail, &w->u);
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

/* Looks along an axis, and keeps in `best` the clearest stripes. */
static int consider(const struct gf_destripe *want, const struct gf_array *px, int axis, bool gain,
                    struct work *best) {
    struct work w = {.want = want, .px = px, .axis = axis};
    const struct evidence *e = w.e, *other = best->e;
    w.dark = gain ? fmax(DARK * range_of(px), 1e-30) : 0;
    int rc = begin(&w);
    const double rest = e[1].all - e[1].stripes, share = gain ? GAIN_SHARE : 1;
    if (!rc && w.levels && (gain || want->axis >= 0 || is_evident(&w)) &&
        (!best->want ||
         rest * other[1].all < share * (other[1].all - other[1].stripes) * e[1].all)) {
        const struct work worse = *best;
        *best = w;
        w = worse;
    }
    end(&w);
    return rc;
}

int gf_destripe(const struct gf_destripe *want, const struct gf_array *in, struct gf_array *out,
                struct gf_stripes *found) {
    struct gf_array px = {0};
    struct work best = {0};
    gf_samples_convert(out, in);
    int rc = gf_array_alloc(&px, GF_F32, 3, in->shape);
    if (!rc)
        gf_samples_convert(&px, in);
    for (int axis = 0; axis < 2 && !rc; axis++)
        if (want->axis < 0 || want->axis == axis)
            rc = consider(want, &px, axis, false, &best);
    const double deviation = sqrt(best.e[1].stripes);
    if (!rc && best.want)
        rc = consider(want, &px, best.axis, true, &best);
    if (!rc && best.want)
        rc = remove_stripes(&best, out);
    *found = (struct gf_stripes){.axis = rc > 0 ? best.axis : -1,
                                 .gain = best.dark > 0,
                                 .deviation = deviation,
                                 .coherence = best.e[1].stripes / fmax(best.e[1].all, 1e-30),
                                 .levels = rc};
    end(&best);
    gf_array_free(&px);
    return rc < 0 ? rc : 0;
}

int64_t gf_destripe_bytes(int64_t h, int64_t w, int64_t channels) {
    const int64_t beyond = 4 * LEVELS; /* coefficients that a band has besides half the line */
    return ARRAYS * 4 * channels * ((h + beyond) * w + beyond * h);
}
