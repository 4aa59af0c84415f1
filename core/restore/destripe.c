/* Stripes along rows or columns: the evidence for them, their estimate, and the picture without. */
#include "core/restore/destripe.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/job/dwt_shape.h"
#include "core/base/host/memory.h"
#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"
#include "core/base/value/stretch.h"
#include "core/restore/banding.h"
#include "core/spectrum/spectrum.h"

enum {
    ITEMS = 16,    /* the fewest lines that are evidence */
    LEVELS = 7,    /* at most */
    SHORTEST = 8,  /* the fewest coefficients of a level */
    NARROWEST = 5, /* samples of a segment */
    LAGS = 16,     /* distances at which lines are compared */
};
/* The median of the square of a Gaussian variable over its variance. */
static const double MEDIAN_SQUARE = 0.4549;
/* Limits of stripes that nobody named. Lines of things are wider than a sample, so their second
 * level is at least twice as strong as the first; those of random rows are equal, and alternate
 * rows, which are all alike, have no second level. Rules have few strong lines, a large fourth
 * moment; slats are alike at a distance of some lines. A barcode or brushed metal is nothing but
 * stripes: the greys extend over 4.7 of their deviations. */
static const double LEAST_COHERENCE = 0.45, LEAST_RATIO = 0.55, MOST_KURTOSIS = 5, MOST_ALIKE = 0.5;
static const double LEAST_RANGE = 6, ALTERNATE_RANGE = 3, ALTERNATE_KURTOSIS = 1.75;
/* Limits of bands of light: a wave in the rows of things is less clear, or not in all of them. */
static const double LEAST_EVIDENCE = 60, LEAST_PHASE = 0.8, MOST_OTHERS = 0.3;
/* Levels damped by less are left; powers of neighbouring levels; stripes over their median; the
 * most that a stripe exceeds their deviation by, squared. */
static const double LEAST_DAMPING = 0.02, SLOPE = 4, RAISE = 1.25, MOST_EXCESS = 9;
/* The least scale of differences, as a share of the range and of the least deviation. */
static const double LEAST_SCALE = 1e-3, SCALE_OF_LEAST = 1.3;

/* The details of a level, of all channels. */
struct evidence {
    int items;
    double stripes;   /* power that segments share in most coefficients */
    double shared;    /* and in all */
    double coherence; /* share of the segments' power that they share, by medians, 0 .. 1 */
    double kurtosis;  /* of the segments' means */
    double alike;     /* their highest correlation with lines at a distance */
};

struct work {
    const struct gf_destripe *want;
    const struct gf_array *px;
    double range; /* from the darkest to the brightest hundredth */
    struct gf_line_steps lines;
    struct gf_banding banding;
    struct gf_job job;       /* the wavelet's */
    struct gf_array profile; /* the sums of the steps */
    struct gf_array detail;  /* its transform; at the end of the stripes alone */
    float *offset, *gain;    /* for each line and channel: the stripes */
    int levels;
    struct gf_dwt_axis layout;
    struct evidence e[LEVELS + 1];
};

static int run(const struct work *w, const struct gf_array *in, struct gf_array *out) {
    return w->want->transform.run(w->want->transform.context, &w->job, in, out);
}

/* ---- evidence ---- */

/* Coefficient k of a level in a segment; NAN if more than a quarter of its steps are not known: of
 * the samples 2^level k - 2 (2^level - 1) .. 2^level (k + 1) - 1. */
static float coefficient(const struct work *w, int level, int64_t k, int segment, int64_t channel) {
    const int64_t size = 1LL << level, last = w->layout.n[0] - 1;
    const int64_t begin = size * (k - 2) + 3, end = size * (k + 1);
    int64_t unknown = 0;
    for (int64_t i = begin; i < end; i++)
        unknown +=
            isnan(*gf_steps_at(&w->lines.step, gf_min(gf_max(i, 0), last), segment, channel));
    if (4 * unknown > end - begin)
        return NAN;
    return *gf_steps_at(&w->detail, w->layout.at[level] + k, segment, channel);
}

static double median_of(float *v, int n) {
    return n ? (double)gf_select_float(v, n, n / 2) / MEDIAN_SQUARE : 0;
}

/* The mean with values of at most `most`: less noisy than the median. */
static double mean_below(const float *v, int n, double most) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fmin((double)v[i], most);
    return fmax(sum / fmax(n, 1), 0);
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
    const int64_t channels = w->px->shape[2], n = w->layout.n[level] * channels;
    float *mean = malloc((size_t)(3 * n) * sizeof *mean), *shared = mean + n, *all = shared + n;
    double squares = 0, fourth = 0;
    if (!mean)
        return gf_no_memory();
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, square = 0;
        int seen = 0;
        for (int s = 0; s < GF_SEGMENTS; s++) {
            const double v =
                (double)coefficient(w, level, i % (n / channels), s, i / (n / channels));
            sum += isnan(v) ? 0 : v;
            square += isnan(v) ? 0 : v * v;
            seen += !isnan(v);
        }
        if (seen <= GF_SEGMENTS / 2)
            continue;
        mean[e->items] = (float)(sum / seen);
        shared[e->items] = (float)((sum * sum - square) / (seen * (seen - 1)));
        e->shared += (double)shared[e->items];
        squares += pow(sum / seen, 2);
        fourth += pow(sum / seen, 4);
        all[e->items++] = (float)(square / seen);
    }
    e->kurtosis = squares > 0 ? e->items * fourth / (squares * squares) : 0;
    e->alike = compare(mean, e->items);
    e->coherence = median_of(all, e->items);
    e->stripes = median_of(shared, e->items);
    e->coherence = fmax(e->stripes, 0) / fmax(e->coherence, 1e-30);
    e->stripes = mean_below(shared, e->items, MOST_EXCESS * e->stripes);
    e->shared /= fmax(e->items, 1);
    free(mean);
    return 0;
}

/* True if most lines have samples that are not clipped. */
static bool is_seen(const struct work *w) {
    return w->e[1].items >= gf_max(ITEMS, w->layout.n[1] * w->px->shape[2] / 2);
}

/* Stripes of random lines, or alternate ones. */
static bool is_random(const struct work *w) {
    const struct evidence *e = w->e;
    const double deviation = sqrt(e[1].stripes), range = w->range;
    const bool alternate = e[1].kurtosis < ALTERNATE_KURTOSIS;
    return is_seen(w) && deviation >= fmax(w->want->least, 1e-6 * range) &&
           e[1].coherence > LEAST_COHERENCE && e[1].stripes > LEAST_RATIO * e[2].stripes &&
           e[1].kurtosis < MOST_KURTOSIS && (alternate || e[1].alike < MOST_ALIKE) &&
           (w->want->axis >= 0 || range > (alternate ? ALTERNATE_RANGE : LEAST_RANGE) * deviation);
}

static bool is_banding(const struct work *w) {
    const struct gf_banding *b = &w->banding;
    const double deviation = b->amplitude / sqrt(2);
    return b->frequency > 0 && b->evidence > LEAST_EVIDENCE && b->coherence > LEAST_PHASE &&
           b->others < MOST_OTHERS && is_seen(w) &&
           deviation >= fmax(w->want->least, 1e-6 * w->range) &&
           (w->want->axis >= 0 || w->range > LEAST_RANGE * deviation);
}

/* ---- the profile ---- */

static void end(struct work *w) {
    gf_array_free(&w->lines.step);
    gf_array_free(&w->profile);
    gf_array_free(&w->detail);
    free(w->offset);
}

static void lay_out(struct work *w) {
    const int64_t lines = w->px->shape[w->lines.axis];
    for (int64_t n = lines; n / 2 >= SHORTEST && w->levels < LEVELS; n = (n + 3) / 2)
        w->levels++;
    if (w->levels < 2 || w->px->shape[!w->lines.axis] < GF_SEGMENTS * NARROWEST)
        w->levels = 0;
    w->job = (struct gf_job){
        .op = GF_DWT,
        .ndim = 2,
        .shape = {lines, GF_SEGMENTS + 1},
        .channels = w->px->shape[2],
        .axes = 1,
        .in_dtype = GF_F32,
        .n_out = 1,
        .out = {{.kind = GF_REAL, .dtype = GF_F32}},
        .wavelet = {.name = WAVELET_D4, .boundary = GF_SYMMETRIC, .levels = w->levels}};
    gf_dwt_axis(lines, true, w->levels, &w->job.wavelet, &w->layout);
}

static void add_up(struct work *w) {
    const int64_t row = w->profile.shape[1] * w->profile.shape[2];
    float *sum = w->profile.data;
    const float *step = w->lines.step.data;
    for (int64_t i = 0; i < row * w->layout.n[0]; i++)
        sum[i] = (i < row ? 0 : sum[i - row]) + (isnan(step[i]) ? 0 : step[i]);
}

/* Transforms the lines' profile, and looks at its details. */
static int begin(struct work *w) {
    lay_out(w);
    if (!w->levels || !(w->range > 0))
        return 0;
    const int64_t packed[] = {w->layout.packed, GF_SEGMENTS + 1, w->px->shape[2]};
    const size_t count = (size_t)(w->layout.n[0] * packed[2]);
    w->offset = calloc(2 * count, sizeof *w->offset);
    w->gain = w->offset + count;
    int rc = w->offset ? gf_steps_make(&w->lines) : gf_no_memory();
    if (!rc)
        rc = gf_array_alloc(&w->profile, GF_F32, 3, w->lines.step.shape);
    if (!rc)
        rc = gf_array_alloc(&w->detail, GF_F32, 3, packed);
    if (rc)
        return rc;
    add_up(w);
    rc = run(w, &w->profile, &w->detail);
    for (int l = 1; l <= w->levels && !rc; l++)
        rc = look(w, l);
    if (!rc)
        w->banding = gf_banding_find(&w->lines);
    return rc;
}

/* ---- the estimate ---- */

/* The power of a picture's own level, whose amplitudes are about 1 / frequency. */
static double own_of(const struct work *w, int level) {
    double own = HUGE_VAL;
    for (int l = 1; l <= w->levels; l++)
        if (l != level && l >= level - 2 && l <= level + 1)
            own = fmin(own, fmax(w->e[l].shared, 0) * pow(SLOPE, level - l));
    return own;
}

/* Leaves the stripes' part of a level of the whole lines' profile. Random lines have as much in
 * each as in the finest two, and hardly exceed their deviation thrice; others have what the
 * segments share. Returns true if it has some. */
static bool damp(const struct work *w, int level, bool random) {
    const struct evidence *e = &w->e[level];
    const int64_t channels = w->px->shape[2], n = w->layout.n[level] * channels;
    const double finest = level > 2 ? fmin(w->e[1].stripes, w->e[2].stripes) : e->stripes;
    const double expected = random ? RAISE * finest : e->shared - own_of(w, level);
    const double most = random && level > 2 ? MOST_EXCESS * finest : HUGE_VAL;
    double power = 1e-30, factor = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < n; i++) {
            float *v = gf_steps_at(&w->detail, w->layout.at[level] + i / channels, GF_SEGMENTS,
                                   i % channels);
            const double square = (double)*v * (double)*v;
            power += pass ? 0 : fmin(square, most) / (double)n;
            *v *= pass ? (float)(factor * fmin(1, most / fmax(square, 1e-30))) : 1;
        }
        factor = fmin(1, expected / power);
        if (factor < LEAST_DAMPING || power <= pow(1e-6 * w->range, 2))
            factor = 0;
    }
    return factor > 0;
}

/* Finds the stripes that random lines, or those of a named angle, have; returns the levels that
 * have some, or a status. */
static int separate(struct work *w) {
    const int64_t channels = w->px->shape[2];
    const bool random = is_random(w);
    int levels = 0;
    for (int l = 1; l <= w->levels; l++)
        levels += damp(w, l, random);
    const size_t rest = (size_t)(w->layout.at[w->levels] * w->detail.shape[1] * channels);
    memset(w->detail.data, 0, rest * sizeof(float));
    w->job.direction = GF_INVERSE;
    int rc = levels ? run(w, &w->detail, &w->profile) : 0;
    for (int64_t i = 0; i < w->layout.n[0] * channels && !rc && levels; i++)
        w->offset[i] = *gf_steps_at(&w->profile, i / channels, GF_SEGMENTS, i % channels);
    return rc ? rc : levels;
}

/* ---- the result ---- */

/* Sample i, of line and channel k, without the stripe. */
static double without(const struct work *w, int64_t i, int64_t k) {
    return ((double)((float *)w->px->data)[i] - (double)w->offset[k]) / (1 + (double)w->gain[k]);
}

/* The same, `clean`, unless it is clipped: one that would leave the limit may have been anything
 * between what it is and what it becomes: the mean of its neighbours, if that is between the two. */
static double restore(const struct work *w, int64_t i, int64_t k, double clean) {
    const int64_t across = gf_steps_stride(w->px, w->lines.axis), channels = w->px->shape[2];
    const int64_t last = w->layout.n[0] - 1, line = k / channels;
    const double v = (double)((float *)w->px->data)[i];
    if (!gf_steps_is_clipped(&w->lines, (float)v) || (v <= w->want->low) != (clean > v))
        return clean;
    const int64_t before = line ? -1 : 1, after = line < last ? 1 : before;
    const double mean = (without(w, i + before * across, k + before * channels) +
                         without(w, i + after * across, k + after * channels)) /
                        2;
    return fmin(fmax(mean, fmin(v, clean)), fmax(v, clean));
}

/* Returns the sum of the squares of a row's stripes. */
static double remove_row(const struct work *w, int64_t y, struct gf_array *out) {
    const int64_t n = w->px->shape[1], channels = w->px->shape[2];
    double squares = 0;
    for (int64_t x = 0; x < n; x++)
        for (int64_t c = 0; c < channels; c++) {
            const int64_t i = (y * n + x) * channels + c;
            const int64_t k = (w->lines.axis ? x : y) * channels + c;
            const double was = (double)((float *)w->px->data)[i], clean = without(w, i, k);
            char *v = (char *)out->data + i * (int64_t)gf_dtype_size(out->dtype);
            gf_sample_put(v, out->dtype,
                          gf_sample_get(v, out->dtype) + restore(w, i, k, clean) - was);
            squares += pow(clean - was, 2);
        }
    return squares;
}

static int remove_stripes(struct work *w, struct gf_array *out, struct gf_stripes *found) {
    const bool banding = !is_random(w) && is_banding(w);
    const int64_t rows = w->px->shape[0];
    double squares = 0;
    int rc = banding ? gf_banding_fit(&w->lines, &w->banding, w->offset, w->gain) : separate(w);
    if (rc < 0 || (!rc && !banding))
        return rc;
    double *row = malloc((size_t)rows * sizeof *row);
    if (!row)
        return gf_no_memory();
#pragma omp parallel for num_threads(w->want->threads)
    for (int64_t y = 0; y < rows; y++)
        row[y] = remove_row(w, y, out);
    for (int64_t y = 0; y < rows; y++)
        squares += row[y];
    free(row);
    *found = (struct gf_stripes){.axis = w->lines.axis,
                                 .deviation = sqrt(squares / (double)gf_array_count(w->px)),
                                 .coherence = banding ? w->banding.coherence : w->e[1].coherence,
                                 .period = banding ? 1 / w->banding.frequency : 0,
                                 .levels = rc};
    return 0;
}

/* The axis of the stripes: of random ones, or else of bands; -1 if neither is evident. */
static int choose(const struct work *w) {
    const bool random[2] = {is_random(&w[0]), is_random(&w[1])};
    const bool banding[2] = {is_banding(&w[0]), is_banding(&w[1])};
    if (random[0] || random[1])
        return random[1] && (!random[0] || w[1].e[1].coherence > w[0].e[1].coherence);
    if (banding[0] || banding[1])
        return banding[1] && (!banding[0] || w[1].banding.evidence > w[0].banding.evidence);
    return -1;
}

int gf_destripe(const struct gf_destripe *want, const struct gf_array *in, struct gf_array *out,
                struct gf_stripes *found) {
    struct gf_array px = {0};
    struct work w[2];
    double range[2] = {0};
    int axis = want->axis;
    *found = (struct gf_stripes){.axis = -1};
    gf_samples_convert(out, in);
    int rc = gf_array_alloc(&px, GF_F32, 3, in->shape);
    if (!rc)
        rc = gf_samples_quantiles(in, (const double[]){0.01, 0.99}, range);
    if (!rc)
        gf_samples_convert(&px, in);
    for (int i = 0; i < 2; i++) {
        const double least = LEAST_SCALE * (range[1] - range[0]);
        w[i] = (struct work){.want = want, .px = &px, .range = range[1] - range[0]};
        w[i].lines = (struct gf_line_steps){.px = &px,
                                            .axis = i,
                                            .low = want->low,
                                            .high = want->high,
                                            .least = fmax(least, SCALE_OF_LEAST * want->least),
                                            .threads = want->threads};
        if (!rc && (axis < 0 || axis == i))
            rc = begin(&w[i]);
    }
    if (!rc && axis < 0)
        axis = choose(w);
    if (!rc && axis >= 0 && w[axis].offset)
        rc = remove_stripes(&w[axis], out, found);
    end(&w[0]);
    end(&w[1]);
    gf_array_free(&px);
    return rc;
}

int64_t gf_destripe_bytes(int64_t h, int64_t w, int64_t channels) {
    /* the samples as f32; for each line of both axes steps, profile, its transform, and the sums of
     * a fit */
    return 4 * channels * h * w + (h + w) * channels * (4 * (3 * GF_SEGMENTS + 8) + 160);
}
