/* Stripes along rows or columns: the evidence for them, their estimate, and the picture without. */
#include "core/restore/destripe.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "core/spectrum/spectrum.h"
#include "core/wavelet/window.h"

enum {
    SEGMENTS = 8, /* of a line, which must agree */
    MOST = 128,   /* samples of a segment that are looked at */
    LEAST_OF = 5, /* and the fewest that are not clipped */
    ITEMS = 16,   /* the fewest lines that are evidence */
    LEVELS = 7,   /* at most */
    SHORTEST = 8, /* the fewest coefficients along a band */
    SEEN = 3,     /* levels that are evidence */
    ITERATIONS = 8,
    ARRAYS = 6, /* of a picture's size: see struct work */
};
static const double SIGMA = 1;
/* Of a Gaussian variable: the median of its square over its variance, and of its magnitude over its
 * deviation. */
static const double MEDIAN_SQUARE = 0.4549, MEDIAN = 0.6745;
/* Limits of stripes that nobody named. Lines of things are wider than a sample, so their second
 * level is at least twice as strong as the first; those of random rows are equal, and alternate
 * rows have no second level. Rules and drawings have few strong lines, a large fourth moment. A
 * barcode and brushed metal have a range of 4.7 deviations: there is nothing but stripes. */
static const double LEAST_COHERENCE = 0.6, LEAST_RATIO = 0.55, MOST_KURTOSIS = 5, LEAST_RANGE = 6;
/* The slope of a stripe's amplitude with the greys that it crosses: 0 of offsets, 1 of gains. */
static const double LEAST_SLOPE = 0.36;
/* Added to the greys before the logarithm, as a share of the range. */
static const double DARK = 0.02;
/* Bands that would be damped by less are left. */
static const double LEAST_DAMPING = 0.1;
/* The least share of a line that is not clipped. */
static const double LEAST_SHARE = 0.05;

/* A level's bands. */
struct evidence {
    int items;       /* lines, of all channels */
    double stripes;  /* variance of what the segments of a line share */
    double all;      /* variance of the segments */
    double kurtosis; /* of the lines */
};

/* Arrays of f32, one picture or its packed coefficients each. */
struct work {
    const struct gf_destripe *want;
    int axis;
    int64_t shape[3], packed[3];
    struct gf_dwt_axis layout;
    struct gf_job job; /* the wavelet's */
    int levels;
    struct gf_array u;      /* the picture, or its logarithm */
    struct gf_array detail; /* coefficients; at the end those of the stripes */
    struct gf_array weight; /* 1, or 0 where a clipped sample was in it; no data: all 1 */
    struct gf_array share;  /* `weight`, smoothed along the lines */
    struct gf_array part;   /* the estimate of the stripes' coefficients */
    struct gf_array step;   /* its next correction; then the stripes */
    int *level;             /* by the index along `axis`: the band's level, 0 for none */
};

static float *at(const struct gf_array *a, int64_t i) {
    return (float *)a->data + i;
}

/* Elements between indices along an axis of a dense array (y, x, channel). */
static int64_t stride(const int64_t *shape, int axis) {
    return axis ? shape[2] : shape[1] * shape[2];
}

/* ---- the wavelet transform ---- */

static int begin(const struct gf_destripe *want, int axis, const int64_t *shape, struct work *w) {
    w->want = want;
    w->axis = axis;
    memcpy(w->shape, shape, sizeof w->shape);
    memcpy(w->packed, shape, sizeof w->packed);
    w->job = (struct gf_job){.op = GF_DWT,
                             .ndim = 2,
                             .shape = {shape[0], shape[1]},
                             .channels = shape[2],
                             .axes = 1u << axis,
                             .in_dtype = GF_F32,
                             .n_out = 1,
                             .out = {{.kind = GF_REAL, .dtype = GF_F32}},
                             .wavelet = {.name = WAVELET_D4, .boundary = GF_SYMMETRIC}};
    for (int64_t n = shape[axis]; n / 2 >= SHORTEST && w->levels < LEVELS; n = (n + 3) / 2)
        w->levels++;
    if (w->levels < SEEN || shape[!axis] < SEGMENTS * LEAST_OF)
        w->levels = 0;
    if (!w->levels)
        return 0;
    w->job.wavelet.levels = w->levels;
    gf_dwt_axis(shape[axis], true, w->levels, &w->job.wavelet, &w->layout);
    w->packed[axis] = w->layout.packed;
    w->level = calloc((size_t)w->layout.packed, sizeof *w->level);
    if (!w->level)
        return gf_no_memory();
    for (int l = 1; l <= w->levels; l++)
        for (int64_t k = 0; k < w->layout.n[l]; k++)
            w->level[w->layout.at[l] + k] = l;
    return gf_array_alloc(&w->detail, GF_F32, 3, w->packed);
}

static int transform(struct work *w, enum gf_direction direction, const struct gf_array *in,
                     struct gf_array *out) {
    struct gf_job job = w->job;
    job.direction = direction;
    return w->want->transform.run(w->want->transform.context, &job, in, out);
}

/* Marks the coefficients that depend on clipped samples, if there are any. */
static int mark_clipped(struct work *w, const struct gf_array *px) {
    const struct gf_destripe *want = w->want;
    const int64_t n = gf_array_count(&w->u), to = stride(w->packed, w->axis);
    const int64_t from = stride(w->shape, w->axis);
    int64_t clipped = 0;
    struct gf_array one = {0};
    int rc = want->low < want->high ? gf_array_alloc(&one, GF_F32, 3, w->shape) : 0;
    if (rc || !one.data)
        return rc;
    for (int64_t i = 0; i < n; i++) {
        const float v = *at(px, i);
        *at(&one, i) = v > (float)want->low && v < (float)want->high;
        clipped += *at(&one, i) == 0;
    }
    rc = clipped ? gf_array_alloc(&w->weight, GF_F32, 3, w->packed) : 0;
    if (rc || !clipped)
        goto out;
    for (int64_t i = 0; i < gf_array_count(&w->weight); i++)
        *at(&w->weight, i) = 0;
    const int64_t lines = n / w->shape[w->axis];
    const int64_t row = w->axis ? w->shape[2] : lines; /* lines that are next to each other */
    const int offset = gf_dwt_offset(&w->job.wavelet), taps = gf_dwt_taps(&w->job.wavelet);
    for (int l = 1; l <= w->levels; l++)
        for (int64_t line = 0; line < lines; line++) {
            const int64_t rest = line % row, outer = line / row;
            float *band = at(&w->weight, outer * w->packed[w->axis] * to + rest);
            const float *finer = l > 1 ? band + w->layout.at[l - 1] * to
                                       : at(&one, outer * w->shape[w->axis] * from + rest);
            const int64_t gap = l > 1 ? to : from;
            for (int64_t k = 0; k < w->layout.n[l]; k++) {
                float *v = band + (w->layout.at[l] + k) * to;
                *v = 1;
                for (int i = 0; i < taps; i++)
                    *v *= finer[gap * gf_dwt_extend(2 * k - offset + i, w->layout.n[l - 1],
                                                    GF_SYMMETRIC)];
            }
        }
out:
    gf_array_free(&one);
    return rc;
}

/* ---- evidence ---- */

/* The medians of a line's segments, and how many segments have one. */
static int look_at_line(const struct work *w, int64_t k, int64_t channel, float median[SEGMENTS],
                        bool known[SEGMENTS]) {
    const int64_t n = w->shape[!w->axis], gap = stride(w->packed, !w->axis);
    const int64_t first = k * stride(w->packed, w->axis) + channel;
    int seen = 0;
    for (int s = 0; s < SEGMENTS; s++) {
        float v[MOST + 1];
        const int64_t begin = s * n / SEGMENTS, end = (s + 1) * n / SEGMENTS;
        const int64_t step = gf_divide_up(end - begin, MOST);
        int count = 0;
        for (int64_t i = begin; i < end; i += step)
            if (!w->weight.data || *at(&w->weight, first + i * gap) > 0)
                v[count++] = *at(&w->detail, first + i * gap);
        known[s] = count >= LEAST_OF && 4 * count * step >= end - begin;
        median[s] = known[s] ? gf_select_float(v, count, count / 2) : 0;
        seen += known[s];
    }
    return seen;
}

static double median_of(float *v, int n) {
    return n ? (double)gf_select_float(v, n, n / 2) / MEDIAN_SQUARE : 0;
}

/* What the segments of a line share is the mean of their products in pairs. */
static int look(const struct work *w, int level, struct evidence *e) {
    const int64_t lines = w->layout.n[level] * w->shape[2];
    float *shared = malloc((size_t)(2 * lines) * sizeof *shared), *all = shared + lines;
    double second = 0, fourth = 0;
    *e = (struct evidence){0};
    if (!shared)
        return gf_no_memory();
    for (int64_t i = 0; i < lines; i++) {
        float median[SEGMENTS];
        bool known[SEGMENTS];
        double sum = 0, squares = 0;
        const double n =
            look_at_line(w, w->layout.at[level] + i / w->shape[2], i % w->shape[2], median, known);
        for (int s = 0; s < SEGMENTS; s++) {
            sum += (double)median[s];
            squares += (double)median[s] * (double)median[s];
        }
        if (n <= SEGMENTS / 2)
            continue;
        shared[e->items] = (float)((sum * sum - squares) / (n * (n - 1)));
        all[e->items++] = (float)(squares / n);
        second += pow(sum / n, 2);
        fourth += pow(sum / n, 4);
    }
    e->stripes = fmax(median_of(shared, e->items), 0);
    e->all = median_of(all, e->items);
    e->kurtosis = second > 0 ? e->items * fourth / (second * second) : 0;
    free(shared);
    return 0;
}

/* ---- offsets, or gains ---- */

/* Twice the mean of a segment's samples under coefficient k of the first level. */
static double grey_of(const struct work *w, const struct gf_array *px, int64_t k, int64_t channel,
                      int segment) {
    const int64_t n = w->shape[!w->axis], last = w->shape[w->axis] - 1;
    const int64_t begin = segment * n / SEGMENTS, end = (segment + 1) * n / SEGMENTS;
    const int64_t step = gf_divide_up(end - begin, MOST), gap = stride(w->shape, !w->axis);
    const int64_t across = stride(w->shape, w->axis), a = gf_min(2 * k, last);
    double sum = 0;
    int count = 0;
    for (int64_t i = begin; i < end; i += step, count++)
        sum += (double)*at(px, a * across + i * gap + channel) +
               (double)*at(px, gf_max(a - 1, 0) * across + i * gap + channel);
    return sum / count;
}

/* The slope of the stripes' amplitude with the grey, both relative to their means. */
static double find_slope(const struct work *w, const struct gf_array *px) {
    double up = 0, down = 0, weight = 0, greys = 0;
    for (int64_t i = 0; i < w->layout.n[1] * w->shape[2]; i++) {
        float median[SEGMENTS];
        bool known[SEGMENTS];
        double grey[SEGMENTS], amplitude = 0, mean = 0;
        const int64_t k = i / w->shape[2], channel = i % w->shape[2];
        const int n = look_at_line(w, w->layout.at[1] + k, channel, median, known);
        for (int s = 0; s < SEGMENTS; s++) {
            grey[s] = grey_of(w, px, k, channel, s);
            amplitude += known[s] ? (double)median[s] / n : 0;
            mean += known[s] ? grey[s] / n : 0;
        }
        for (int s = 0; s < SEGMENTS; s++) {
            const double d = known[s] ? grey[s] - mean : 0;
            up += ((double)median[s] - amplitude) * amplitude * d;
            down += amplitude * amplitude * d * d;
        }
        weight += amplitude * amplitude;
        greys += amplitude * amplitude * mean;
    }
    return down > 0 ? up / down * greys / weight : 0;
}

/* ---- the estimate ---- */

/* A sample of the magnitudes of part a minus b in a level's band, and their limit. */
static float limit_of(const struct work *w, int level, float *room, int64_t most) {
    const int64_t n = gf_array_count(&w->detail), across = stride(w->packed, w->axis);
    const int64_t step = gf_max(1, n / (most * 8) | 1);
    int64_t count = 0;
    for (int64_t i = 0; i < n && count < most; i += step) {
        const int64_t k = i / across % w->packed[w->axis];
        if (w->level[k] == level && !(w->weight.data && *at(&w->weight, i) == 0))
            room[count++] = fabsf(*at(&w->detail, i) - *at(&w->part, i));
    }
    return count ? gf_select_float(room, count, count / 2) / (float)MEDIAN : 0;
}

/* The job that keeps the frequencies of stripes in all coefficients. */
static int smooth(const struct work *w, const struct gf_filter *f, const struct gf_array *in,
                  struct gf_array *out) {
    const struct gf_job job = {.op = GF_FILTER,
                               .ndim = 2,
                               .shape = {w->packed[0], w->packed[1]},
                               .channels = w->packed[2],
                               .axes = 1u << !w->axis,
                               .in_dtype = GF_F32,
                               .filter = f,
                               .filter_serial = f->serial,
                               .n_out = 1,
                               .out = {{.kind = GF_REAL, .dtype = GF_F32}}};
    return w->want->transform.run(w->want->transform.context, &job, in, out);
}

/* One step towards the M-estimate. */
static int improve(struct work *w, const struct gf_filter *f, float *room, int64_t most) {
    const int64_t n = gf_array_count(&w->detail), across = stride(w->packed, w->axis);
    float limit[LEVELS + 1] = {0};
    struct gf_array clipped = {0};
    for (int l = 1; l <= w->levels; l++)
        limit[l] = limit_of(w, l, room, most);
    int rc = gf_array_alloc(&clipped, GF_F32, 3, w->packed);
    if (rc)
        return rc;
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < n; i++) {
        const float t = limit[w->level[i / across % w->packed[w->axis]]];
        const float r = *at(&w->detail, i) - *at(&w->part, i);
        *at(&clipped, i) = fminf(fmaxf(r, -t), t) * (w->weight.data ? *at(&w->weight, i) : 1);
    }
    rc = smooth(w, f, &clipped, &w->step);
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < n; i++) {
        const float share = w->weight.data ? *at(&w->share, i) : 1;
        *at(&w->part, i) += *at(&w->step, i) / fmaxf(share, (float)LEAST_SHARE);
    }
    gf_array_free(&clipped);
    return rc;
}

static int estimate(struct work *w) {
    enum { ROOM = 1 << 14 };
    float *room = malloc(ROOM * sizeof *room);
    struct gf_filter *f = NULL;
    struct gf_lowpass l = {.profile = GF_GAUSSIAN, .radius = {SIGMA, SIGMA}};
    int rc = room ? gf_filter_new(&f) : gf_no_memory();
    if (!rc)
        rc = gf_filter_add_lowpass(f, &l);
    if (!rc)
        rc = gf_array_alloc(&w->part, GF_F32, 3, w->packed);
    if (!rc)
        rc = gf_array_alloc(&w->step, GF_F32, 3, w->packed);
    if (!rc && w->weight.data)
        rc = gf_array_alloc(&w->share, GF_F32, 3, w->packed);
    if (!rc && w->weight.data)
        rc = smooth(w, f, &w->weight, &w->share);
    if (!rc)
        memset(w->part.data, 0, (size_t)gf_array_bytes(&w->part));
    for (int i = 0; i < ITERATIONS && !rc; i++)
        rc = improve(w, f, room, ROOM);
    gf_filter_free(f);
    free(room);
    return rc;
}

/* Damps each band by the share of its lines that stripes explain; returns the levels damped. */
static int damp(struct work *w, const struct evidence *e) {
    const int64_t n = gf_array_count(&w->part), across = stride(w->packed, w->axis);
    double power[LEVELS + 1] = {0}, factor[LEVELS + 1] = {0};
    int levels = 0;
    for (int64_t i = 0; i < n; i++)
        power[w->level[i / across % w->packed[w->axis]]] += pow((double)*at(&w->part, i), 2);
    for (int l = 1; l <= w->levels; l++) {
        const double line = (double)(w->layout.n[l] * w->shape[!w->axis] * w->shape[2]);
        const double stripes = l <= 2 ? e[l].stripes : fmin(e[1].stripes, e[2].stripes);
        factor[l] = fmin(1, stripes * line / fmax(power[l], 1e-30));
        if (l > 1 && factor[l] < LEAST_DAMPING)
            factor[l] = 0;
        levels += factor[l] > 0;
    }
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < n; i++)
        *at(&w->detail, i) =
            *at(&w->part, i) * (float)factor[w->level[i / across % w->packed[w->axis]]];
    return levels;
}

/* ---- the result ---- */

/* The sample without its stripe. */
static double without(double v, double stripe, double dark) {
    return dark > 0 ? (v + dark) * exp(-stripe) - dark : v - stripe;
}

/* A clipped sample whose stripe goes beyond the limit may have been anything between what it is and
 * what it becomes: the mean of its neighbours across the stripes, if these are between the two. */
static double restore(const struct work *w, const struct gf_array *px, int64_t i, double dark) {
    const struct gf_destripe *want = w->want;
    const int64_t across = stride(w->shape, w->axis), k = i / across % w->shape[w->axis];
    const double v = (double)*at(px, i), clean = without(v, (double)*at(&w->step, i), dark);
    double sum = 0;
    int count = 0;
    if (!(want->low < want->high) ||
        !((v <= want->low && clean > v) || (v >= want->high && clean < v)))
        return clean;
    for (int side = -1; side <= 1; side += 2) {
        if (k + side < 0 || k + side >= w->shape[w->axis])
            continue;
        const int64_t j = i + side * across;
        const double next = (double)*at(px, j);
        sum += without(next, (double)*at(&w->step, j), dark);
        count++;
    }
    const double mean = count ? sum / count : v;
    return fmin(fmax(mean, fmin(v, clean)), fmax(v, clean));
}

/* Makes `out` of the samples and the stripes in w->step. */
static void apply(const struct work *w, const struct gf_array *px, double dark,
                  struct gf_array *out) {
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t i = 0; i < gf_array_count(px); i++) {
        const double change = restore(w, px, i, dark) - (double)*at(px, i);
        if (out->dtype == GF_F64)
            ((double *)out->data)[i] += change;
        else
            *at(out, i) += (float)change;
    }
}

/* ---- the whole ---- */

static void end(struct work *w) {
    gf_array_free(&w->u);
    gf_array_free(&w->detail);
    gf_array_free(&w->weight);
    gf_array_free(&w->share);
    gf_array_free(&w->part);
    gf_array_free(&w->step);
    free(w->level);
    *w = (struct work){0};
}

/* Begins with the picture, or with its logarithm if dark > 0. */
static int take(const struct gf_destripe *want, int axis, const struct gf_array *px, double dark,
                struct work *w) {
    int rc = begin(want, axis, px->shape, w);
    if (rc || !w->levels)
        return rc;
    rc = gf_array_alloc(&w->u, GF_F32, 3, px->shape);
    if (rc)
        return rc;
#pragma omp parallel for num_threads(want->threads)
    for (int64_t i = 0; i < gf_array_count(px); i++)
        *at(&w->u, i) = dark > 0 ? logf(fmaxf(*at(px, i), 0) + (float)dark) : *at(px, i);
    rc = transform(w, GF_FORWARD, &w->u, &w->detail);
    return rc ? rc : mark_clipped(w, px);
}

/* From the darkest to the brightest hundredth. */
static double range_of(const struct gf_array *px) {
    enum { ROOM = 4096 };
    float v[ROOM];
    const int64_t n = gf_array_count(px), count = gf_min(n, ROOM);
    for (int64_t i = 0; i < count; i++)
        v[i] = *at(px, (int64_t)((double)i * (double)n / (double)count));
    const double low = (double)gf_select_float(v, count, count / 100);
    return (double)gf_select_float(v, count, count - 1 - count / 100) - low;
}

static bool is_evident(const struct gf_destripe *want, const struct evidence *e, double range) {
    const double deviation = sqrt(e[1].stripes);
    return e[1].items >= ITEMS && deviation >= fmax(want->least, 1e-6 * range) &&
           e[1].stripes > LEAST_COHERENCE * e[1].all && e[1].stripes > LEAST_RATIO * e[2].stripes &&
           e[1].kurtosis < MOST_KURTOSIS && range > LEAST_RANGE * deviation;
}

/* Begins along each axis that is wanted, and stays at the one with the clearest stripes. */
static int choose(const struct gf_destripe *want, const struct gf_array *px, struct work *w,
                  struct evidence e[SEEN + 1]) {
    double best = 0;
    int axis = want->axis, rc = 0;
    const double range = range_of(px);
    for (int a = 0; a < 2 && !rc && want->axis < 0; a++) {
        rc = take(want, a, px, 0, w);
        for (int l = 1; l <= SEEN && !rc && w->levels; l++)
            rc = look(w, l, &e[l]);
        if (!rc && w->levels && is_evident(want, e, range) && e[1].stripes / e[1].all > best) {
            best = e[1].stripes / e[1].all;
            axis = a;
        }
        end(w);
    }
    if (rc || axis < 0)
        return rc;
    rc = take(want, axis, px, 0, w);
    for (int l = 1; l <= SEEN && !rc && w->levels; l++)
        rc = look(w, l, &e[l]);
    return rc;
}

static int remove_stripes(struct work *w, struct evidence *e, const struct gf_array *px,
                          struct gf_array *out, struct gf_stripes *found) {
    const struct gf_destripe *want = w->want;
    double dark = 0;
    int rc = 0, axis = w->axis;
    found->deviation = sqrt(e[1].stripes);
    found->coherence = fmin(e[1].stripes / fmax(e[1].all, 1e-30), 1);
    if (!(e[1].stripes + e[2].stripes > 0))
        return 0;
    found->gain = find_slope(w, px) > LEAST_SLOPE;
    if (found->gain) {
        dark = fmax(DARK * range_of(px), 1e-30);
        end(w);
        rc = take(want, axis, px, dark, w);
        for (int l = 1; l <= SEEN && !rc; l++)
            rc = look(w, l, &e[l]);
    }
    if (!rc)
        rc = estimate(w);
    if (rc)
        return rc;
    found->levels = damp(w, e);
    gf_array_free(&w->step);
    rc = gf_array_alloc(&w->step, GF_F32, 3, w->shape);
    if (!rc)
        rc = transform(w, GF_INVERSE, &w->detail, &w->step);
    if (!rc)
        apply(w, px, dark, out);
    found->axis = axis;
    return rc;
}

int gf_destripe(const struct gf_destripe *want, const struct gf_array *in, struct gf_array *out,
                struct gf_stripes *found) {
    struct gf_array px = {0};
    struct work w = {0};
    struct evidence e[SEEN + 1] = {{0}};
    *found = (struct gf_stripes){.axis = -1};
    gf_samples_convert(out, in);
    int rc = gf_array_alloc(&px, GF_F32, 3, in->shape);
    if (rc)
        return rc;
    gf_samples_convert(&px, in);
    rc = choose(want, &px, &w, e);
    if (!rc && w.levels)
        rc = remove_stripes(&w, e, &px, out, found);
    end(&w);
    gf_array_free(&px);
    return rc;
}

int64_t gf_destripe_bytes(int64_t h, int64_t w, int64_t channels) {
    const int64_t beyond = 4 * LEVELS; /* coefficients that a band has besides half the line */
    return (ARRAYS + 2) * 4 * channels * ((h + beyond) * w + beyond * h);
}
