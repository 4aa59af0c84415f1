/* Correlates a template, and the squares below it, with a signal that zeros lengthen. */
#include "core/op/match.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/value/factor.h"
#include "core/base/value/halves.h"
#include "core/base/value/sample_value.h"
#include "core/compare/correlate.h"

struct matches {
    struct gf_match_peak *peak;
    int n;
    double best;         /* none was listed, although some were asked for: the highest, 0 without */
    struct gf_array map; /* f32 or f64, not contiguous */
};

/* Makes t->with[0], the template's samples t, w (t - mean t), and t->match. */
static int open_template(void *options, const struct gf_array *with, int n, void **shared) {
    int rc = gf_signals_open(options, with, n, shared);
    if (rc)
        return rc;
    struct gf_signals *t = *shared;
    const struct gf_array *weight = t->with[1].data ? &t->with[1] : NULL;
    rc = ((struct gf_match_options *)options)->signal.spends ? 0 : gf_signal_own(t->with);
    if (!rc && weight)
        rc = gf_signal_same_shape(weight, t->with, "the template");
    if (!rc && weight)
        rc = gf_signal_same_type(weight, t->with, "the template");
    return rc ? rc : gf_match_prepare(t->with, weight, &t->match);
}

/* GF_EINVAL unless px, which needs no data, has the template's axes, each as long at least. */
static int check_fit(const struct gf_signals *t, const struct gf_array *px) {
    const struct gf_match *m = &t->match;
    if (m->ndim != px->rank)
        return gf_fail(GF_EINVAL, "%d axes, and the template has %d%s", px->rank, m->ndim,
                       px->rank == 3 ? "; --dims=2 takes a volume page by page" : "");
    for (int i = 0; i < m->ndim; i++)
        if (m->shape[i] > px->shape[i])
            return gf_fail(GF_EINVAL, "the template is larger: %lld samples along an axis of %lld",
                           (long long)m->shape[i], (long long)px->shape[i]);
    return gf_signal_same_type(px, &t->with[0], "the template");
}

/* ---- correlation ---- */

/* The arrays of a run: `in` is padded, and the others have its shape. */
struct search {
    struct gf_crew crew; /* counts them */
    const struct gf_signals *of;
    double floor; /* of a window's variance */
    struct gf_array in, correlation, sum, square;
};

/* Gives s->in the padded shape, and counts all arrays at the peak, before which the signal is freed. */
static struct search begin(const struct gf_operation *op, const struct gf_array *px) {
    const struct gf_signals *t = op->shared;
    struct search s = {.crew = op->crew, .of = t, .in.rank = px->rank, .in.dtype = px->dtype};
    for (int i = 0; i < px->rank; i++)
        s.in.shape[i] = gf_factor_smooth_length(px->shape[i]);
    s.crew.held += gf_array_count(&s.in) * (int64_t)sizeof(double) * (t->with[1].data ? 6 : 4);
    return s;
}

/* Makes `out` of the part, and of zeros to the padded shape. */
static int pad(const struct search *s, const struct gf_array *part, struct gf_array *out) {
    int rc = gf_array_alloc(out, part->dtype, part->rank, s->in.shape);
    if (rc)
        return rc;
    struct gf_array to = *out;
    memset(out->data, 0, (size_t)gf_array_bytes(out));
    for (int i = 0; i < part->rank; i++)
        to = gf_array_slice(&to, i, 0, part->shape[i]);
    gf_array_copy(&to, part);
    return 0;
}

/* Makes `out` the correlation of a part of the template with the samples of which `spectrum` is the
 * transform. */
static int correlate(const struct search *s, const struct gf_spectrum *spectrum,
                     const struct gf_array *part, struct gf_array *out) {
    struct gf_array padded = {0};
    struct gf_spectrum own = {0};
    int rc = pad(s, part, &padded);
    if (!rc)
        rc = gf_signal_forward(&s->crew, &padded, &own);
    gf_array_free(&padded);
    if (!rc) {
        gf_cross_power(&spectrum->px, &own.px);
        rc = gf_signal_inverse(&s->crew, &own, out);
    }
    gf_array_free(&own.px);
    return rc;
}

/* Squares s->in, and correlates it with the weights. */
static int weigh_squares(struct search *s) {
    const bool is_double = s->in.dtype == GF_F64;
    struct gf_spectrum squares = {0};
    for (int64_t i = 0; i < gf_array_count(&s->in); i++) {
        const double x = gf_real_get(s->in.data, i, is_double);
        gf_real_put(s->in.data, i, is_double, x * x);
    }
    int rc = gf_signal_forward(&s->crew, &s->in, &squares);
    if (!rc)
        rc = correlate(s, &squares, &s->of->with[1], &s->square);
    gf_array_free(&squares.px);
    return rc;
}

static int sum_windows(struct search *s) {
    int rc = gf_array_alloc(&s->sum, GF_F64, s->in.rank, s->in.shape);
    if (!rc)
        rc = gf_array_alloc(&s->square, GF_F64, s->in.rank, s->in.shape);
    if (rc)
        return rc;
    gf_samples_convert(&s->sum, &s->in);
    const double *x = s->sum.data;
    for (int64_t i = 0; i < gf_array_count(&s->sum); i++)
        ((double *)s->square.data)[i] = x[i] * x[i];
    gf_match_windows(&s->of->match, &s->sum);
    gf_match_windows(&s->of->match, &s->square);
    return 0;
}

/* Removes the signal's mean and makes s->in and s->floor, below which a window's variance, or its
 * correlation, is rounding. */
static int take_signal(struct search *s, struct gf_array *px) {
    const bool is_double = px->dtype == GF_F64;
    const double error = 64 * (is_double ? DBL_EPSILON : FLT_EPSILON);
    const int64_t n = gf_array_count(px);
    double sum = 0, squares = 0, fourths = 0;
    for (int64_t i = 0; i < n; i++)
        sum += gf_real_get(px->data, i, is_double);
    for (int64_t i = 0; i < n; i++) {
        const double x = gf_real_get(px->data, i, is_double) - sum / (double)n;
        gf_real_put(px->data, i, is_double, x);
        squares += x * x;
        fourths += x * x * x * x;
    }
    s->floor = fmax(error * error, 64 * DBL_EPSILON) * squares;
    if (s->of->with[1].data)
        s->floor += error * sqrt(fourths * s->of->match.count);
    return pad(s, px, &s->in);
}

/* Makes the scores in s->sum. */
static int score(struct search *s) {
    const bool weighted = s->of->with[1].data;
    struct gf_spectrum spectrum = {0};
    int rc = gf_signal_forward(&s->crew, &s->in, &spectrum);
    if (!rc)
        rc = correlate(s, &spectrum, &s->of->with[0], &s->correlation);
    if (!rc && weighted)
        rc = correlate(s, &spectrum, &s->of->with[1], &s->sum);
    gf_array_free(&spectrum.px);
    if (!rc)
        rc = weighted ? weigh_squares(s) : sum_windows(s);
    if (!rc)
        gf_match_score(&s->of->match, &s->correlation, &s->square, s->floor, &s->sum);
    return rc;
}

/* ---- places ---- */

static int list(const struct gf_match *match, const struct gf_match_options *o, struct matches *m) {
    int none = 0;
    m->peak = malloc(((size_t)o->peaks + 1) * sizeof *m->peak);
    int rc = m->peak ? gf_match_peaks(match, &m->map, o->least, m->peak, o->peaks, &m->n)
                     : gf_no_memory();
    if (!rc && !m->n && o->peaks)
        rc = gf_match_peaks(match, &m->map, 0, m->peak, 1, &none);
    m->best = none ? m->peak->score : 0;
    return rc;
}

/* ---- the options ---- */

const struct gf_match_options gf_match_defaults = {
    .signal.precision = GF_DOUBLE, .peaks = 5, .least = 0.5};

#define GF_AT(field) offsetof(struct gf_match_options, field)

const struct gf_opt gf_match_rows[] = {
    GF_INTEGER("peaks", peaks, "N", 0, 100000, "list the N best places (default: 5)"),
    GF_NUMBER("least", least, "SCORE", 1, "it is a score above 0, up to 1",
              "list scores from this one on (default: 0.5)"),
    GF_ROWS("precision", signal, gf_signal_rows),
    {0}};

/* ---- the operation ---- */

static int describe(struct gf_operation *op) {
    const struct gf_signals *t = op->shared;
    const struct gf_array px = gf_signal_of(op);
    op->inner = &op->job;
    op->job.channels = 1;
    op->job.out[0].dtype = GF_F64;
    for (int i = 0; i < px.rank; i++)
        op->job.shape[i] -= t->match.shape[i] - 1;
    return check_fit(t, &px);
}

static int expect(struct gf_operation *op) {
    const struct gf_array px = gf_signal_of(op);
    const struct search s = begin(op, &px);
    op->need = s.crew.held + gf_signal_workspace(&op->crew, &s.in);
    return 0;
}

static int take(struct gf_operation *op) {
    const struct gf_signals *t = op->shared;
    struct matches *m = op->state;
    struct gf_array px;
    int rc = gf_signal_begin(op, &px);
    struct search s = begin(op, &px);
    if (!rc)
        rc = gf_signal_own(&px);
    if (!rc)
        rc = take_signal(&s, &px);
    gf_array_free(&px);
    if (!rc)
        rc = score(&s);
    gf_array_free(&s.in);
    gf_array_free(&s.correlation);
    gf_array_free(&s.square);
    m->map = s.sum;
    memcpy(m->map.shape, op->job.shape, sizeof op->job.shape);
    op->in = m->map;
    op->in.base = NULL;
    op->in.shape[op->in.rank] = 1;
    op->in.stride[op->in.rank++] = (int64_t)gf_dtype_size(op->in.dtype);
    return rc ? rc : list(&t->match, t->options, m);
}

static void drop(struct gf_operation *op) {
    struct matches *m = op->state;
    free(m->peak);
    gf_array_free(&m->map);
}

static void facts(const struct gf_operation *op, struct gf_facts *to) {
    const struct matches *m = op->state;
    const struct gf_match_peak *p = m->peak;
    const size_t step = sizeof *p;
    gf_facts_begin(to, "peaks", GF_FACT_TABLE, m->n);
    GF_FACTS(to, "at", "samples", op->job.ndim, m->n, step, p->at);
    GF_FACTS(to, "corner", "samples", op->job.ndim, m->n, step, p->fine);
    GF_FACTS(to, "centre", "samples", op->job.ndim, m->n, step, p->centre);
    GF_FACTS(to, "score", NULL, 0, m->n, step, &p->score);
    gf_facts_end(to);
    if (m->best > 0)
        GF_FACT(to, "best", NULL, &m->best);
}

const struct gf_operation_kind gf_operation_match = {
    .name = "match",
    .options = {gf_match_rows, sizeof(struct gf_match_options), &gf_match_defaults, NULL},
    .with = {1, 2, open_template, gf_signals_close},
    .gives = GF_REAL,
    .state = sizeof(struct matches),
    .describe = describe,
    .expect = expect,
    .take = take,
    .drop = drop,
    .facts = facts};
