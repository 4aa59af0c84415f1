/* Filters as products of factors: making, checking, and evaluating them on a shape. */
#include "core/filter/filter.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/status.h"

#define TEXT(NAME, text, JOINED, axis, value) text,
const char *const gf_filter_profiles[GF_N_PROFILES] = {PROFILES(TEXT)};

static bool has_order(enum gf_profile profile) {
    return strchr(gf_filter_profiles[profile], ':') != NULL;
}

int gf_filter_new(struct gf_filter **out) {
    static int64_t serial;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return gf_no_memory();
    (*out)->serial = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
    return 0;
}

int gf_filter_new_for_parts(const struct gf_filter *whole, struct gf_filter **out) {
    const int rc = gf_filter_new(out);
    if (rc)
        return rc;
    const int64_t serial = (*out)->serial;
    **out = *whole;
    (*out)->serial = serial;
    (*out)->table = (struct gf_array){.data = NULL};
    return 0;
}

void gf_filter_free(struct gf_filter *f) {
    if (f)
        gf_array_free(&f->table);
    free(f);
}

/* ---- factors ---- */

static int add(struct gf_filter *f, double c0, double ca, double cab, const struct gf_lowpass *a,
               const struct gf_lowpass *b) {
    if (f->n_factors == GF_MAX_FACTORS)
        return gf_fail(GF_EINVAL, "more than %d factors make the filter", GF_MAX_FACTORS);
    struct gf_filter_factor *to = &f->factor[f->n_factors++];
    *to = (struct gf_filter_factor){.c0 = c0, .ca = ca, .cab = cab, .a = *a};
    if (b)
        to->b = *b;
    return 0;
}

int gf_filter_add_lowpass(struct gf_filter *f, const struct gf_lowpass *l) {
    return add(f, 0, 1, 0, l, NULL);
}

int gf_filter_add_highpass(struct gf_filter *f, const struct gf_lowpass *l) {
    return add(f, 1, -1, 0, l, NULL);
}

int gf_filter_add_band(struct gf_filter *f, const struct gf_lowpass *inner,
                       const struct gf_lowpass *outer, bool reject) {
    return reject ? add(f, 1, -1, 1, outer, inner) : add(f, 0, 1, -1, outer, inner);
}

/* d on a circle of n bins, in -n/2 .. n/2. */
static double around(double d, double n) {
    return d - n * nearbyint(d / n);
}

static bool on(const struct gf_job *job, int axis) {
    return axis < job->ndim && job->axes >> axis & 1;
}

int gf_filter_add_notch(struct gf_filter *f, const struct gf_job *job, const struct gf_lowpass *l) {
    struct gf_lowpass twin = *l;
    bool alone = true;
    for (int i = 0; i < job->ndim; i++) {
        twin.centre[i] = -l->centre[i];
        if (on(job, i))
            alone = alone && around(2 * l->centre[i], (double)job->shape[i]) == 0;
    }
    int rc = add(f, 1, -1, 0, l, NULL);
    return rc || alone ? rc : add(f, 1, -1, 0, &twin, NULL);
}

struct gf_job gf_filter_whole(const struct gf_job *job) {
    struct gf_job whole = *job;
    if (!job->whole.axes)
        return whole;
    memcpy(whole.shape, job->whole.shape, sizeof whole.shape);
    whole.axes = job->whole.axes;
    whole.elsewhere = 0;
    return whole;
}

/* ---- validation ---- */

static int check_lowpass(const struct gf_job *job, const struct gf_lowpass *l) {
    if ((unsigned)l->profile >= GF_N_PROFILES)
        return gf_fail(GF_EINVAL, "no such profile: %d", (int)l->profile);
    if (has_order(l->profile) && (l->order < 1 || l->order > GF_MAX_ORDER))
        return gf_fail(GF_EINVAL, "a filter of order %d, where 1 to %d are possible", l->order,
                       GF_MAX_ORDER);
    for (int i = 0; i < job->ndim; i++)
        if (on(job, i) && !(l->radius[i] > 0 && isfinite(l->radius[i]) && isfinite(l->centre[i])))
            return gf_fail(GF_EINVAL, "a filter's radius is not above 0, or not finite");
    return 0;
}

static void table_shape(const struct gf_job *job, int64_t shape[GF_MAX_RANK]) {
    for (int i = 0; i < job->ndim; i++)
        shape[i] = job->shape[i];
    int half = gf_job_half_axis(job);
    if (!job->whole.axes) /* parts have only their numbers */
        shape[half] = job->shape[half] / 2 + 1;
}

static int check_table(const struct gf_job *job, const struct gf_array *t) {
    int64_t shape[GF_MAX_RANK];
    if (!t->data)
        return 0;
    table_shape(job, shape);
    if (t->rank != job->ndim || memcmp(t->shape, shape, (size_t)t->rank * sizeof *shape) ||
        gf_dtype_is_integer(t->dtype) || !gf_array_is_contiguous(t))
        return gf_fail(GF_EINVAL, "the filter's table is not of the half spectrum's shape");
    return 0;
}

int gf_filter_validate(const struct gf_job *job) {
    const struct gf_filter *f = job->filter;
    if (job->op != GF_FILTER)
        return 0;
    int rc = isfinite(f->offset) ? 0 : gf_fail(GF_EINVAL, "the offset is not finite");
    for (int i = 0; i < f->n_factors && !rc; i++) {
        rc = check_lowpass(job, &f->factor[i].a);
        if (!rc && f->factor[i].cab != 0)
            rc = check_lowpass(job, &f->factor[i].b);
    }
    return rc ? rc : check_table(job, &f->table);
}

/* ---- terms ---- */

/* An axis's value, `square` being (d / R)^2 there. */
static double axis_value(enum gf_profile profile, double square) {
#define AXIS(NAME, text, JOINED, axis, value) profile == GF_##NAME ? (axis):
    return PROFILES(AXIS) NAN;
}

#define power       pow
#define up_to(a, b) ((a) <= (b) ? 1 : 0)
/* The low pass at v, the combined value of its axes. */
static double lowpass_value(const struct gf_filter_term *term, double v) {
    const double one = 1, limit = term->limit, ratio = v / limit;
    const int order = term->order;
#define VALUE(NAME, text, JOINED, axis, value) term->profile == GF_##NAME ? (value):
    return PROFILES(VALUE) NAN;
}

/* If all radii are equal, distances stay in bins: floats hold squares of integers exactly up to
 * 2^24, so comparisons with an integer radius are exact too. An ideal filter keeps bins at its radius, which in
 * other units, as 1.5um of samples by 0.3um, is rounded. */
static int compile_lowpass(const struct gf_job *job, const struct gf_lowpass *l,
                           struct gf_filter_terms *t) {
    struct gf_filter_term *term = &t->term[t->n_terms];
    *term = (struct gf_filter_term){.profile = l->profile, .order = l->order, .limit = 1};
    bool circle = true;
    double first = 0;
    for (int i = 0; i < job->ndim; i++) {
        if (!on(job, i))
            continue;
        circle = circle && (first == 0 || l->radius[i] == first);
        first = l->radius[i];
    }
    bool bins = circle && !PROFILE_IS_PRODUCT(l->profile);
    if (bins)
        term->limit = first * first;
    if (l->profile == GF_IDEAL)
        term->limit *= 1 + (bins || job->precision == GF_DOUBLE ? 1e-10 : 1e-6);
    for (int i = 0; i < GF_MAX_DIMS; i++) {
        term->at[i] = -1;
        if (!on(job, i))
            continue;
        const int64_t step = job->whole.step; /* of a line's part */
        const int64_t n = step ? job->whole.shape[i] : job->shape[i];
        const int64_t count = step || i != gf_job_half_axis(job) ? job->shape[i] : n / 2 + 1;
        term->at[i] = t->count;
        for (int64_t j = 0; j < count; j++) {
            const int64_t k = step ? job->whole.first[i] + j * step : j;
            double d = around((double)k - l->centre[i], (double)n);
            double v = bins ? d * d : d / l->radius[i] * (d / l->radius[i]);
            t->value[t->count++] = axis_value(l->profile, v);
        }
    }
    return t->n_terms++;
}

int gf_filter_compile(const struct gf_job *job, struct gf_filter_terms *t) {
    const struct gf_filter *f = job->filter;
    int64_t each = 0;
    memset(t, 0, sizeof *t);
    for (int i = 0; i < job->ndim; i++)
        each += on(job, i) ? job->shape[i] : 0;
    t->value = malloc((size_t)(2 * f->n_factors * each + 1) * sizeof *t->value);
    if (!t->value)
        return gf_fail(GF_ENOMEM, "no memory for the filter's values");
    for (int i = 0; i < f->n_factors; i++) {
        const struct gf_filter_factor *from = &f->factor[i];
        t->factor[i].c0 = from->c0;
        t->factor[i].ca = from->ca;
        t->factor[i].cab = from->cab;
        t->factor[i].a = compile_lowpass(job, &from->a, t);
        t->factor[i].b = from->cab != 0 ? compile_lowpass(job, &from->b, t) : -1;
    }
    t->n_factors = f->n_factors;
    return 0;
}

void gf_filter_terms_free(struct gf_filter_terms *t) {
    free(t->value);
    *t = (struct gf_filter_terms){.n_factors = 0};
}

static double term_value(const struct gf_filter_terms *t, int i, const int64_t index[GF_MAX_DIMS]) {
    const struct gf_filter_term *term = &t->term[i];
    const bool product = PROFILE_IS_PRODUCT(term->profile);
    double v = product ? 1 : 0;
    for (int a = 0; a < GF_MAX_DIMS; a++)
        if (term->at[a] >= 0) {
            double w = t->value[term->at[a] + index[a]];
            v = product ? v * w : v + w;
        }
    return lowpass_value(term, v);
}

bool gf_filter_is_exact(const struct gf_job *job, const struct gf_filter_terms *t) {
    /* A power multiplies rounding errors by its order, and squares of bins above 2^24 are
     * rounded. */
    enum { HIGHEST_ORDER = 8, LARGEST_SQUARE = 1 << 24 };
    for (int i = 0; i < t->n_terms && job->precision == GF_SINGLE; i++) {
        const struct gf_filter_term *term = &t->term[i];
        if (has_order(term->profile)
                ? term->order > HIGHEST_ORDER
                : !PROFILE_IS_PRODUCT(term->profile) && term->limit > LARGEST_SQUARE + 1)
            return false;
    }
    return true;
}

double gf_filter_value(const struct gf_filter_terms *t, const int64_t index[GF_MAX_DIMS]) {
    double v = 1;
    for (int i = 0; i < t->n_factors; i++) {
        double a = term_value(t, t->factor[i].a, index);
        double ab = t->factor[i].b >= 0 ? a * term_value(t, t->factor[i].b, index) : 0;
        v *= t->factor[i].c0 + t->factor[i].ca * a + t->factor[i].cab * ab;
    }
    return v;
}

int gf_filter_table_alloc(const struct gf_job *job, bool is_complex, const int64_t *shape,
                          struct gf_array *table) {
    const enum gf_dtype number = gf_job_number(job);
    return gf_array_alloc(table, is_complex ? number : gf_dtype_real(number), job->ndim, shape);
}

/* The factors' product `v` times the table's number at that index, if any. */
static struct gf_number times_table(const struct gf_job *job, double v, int64_t at) {
    const struct gf_array *table = &job->filter->table;
    const struct gf_number t = table->data ? gf_filter_number(table, at) : (struct gf_number){1, 0};
    return (struct gf_number){v * t.re, v * t.im};
}

static int tabulate_line(const struct gf_job *part, struct gf_array *out) {
    enum { AT_ONCE = 1024 };
    double value[2 * AT_ONCE];
    int rc = 0;
    for (int64_t at = 0, n; at < part->shape[0] && !rc; at += n) {
        n = gf_min(part->shape[0] - at, AT_ONCE);
        rc = gf_filter_line_values(part, at, n, value);
        for (int64_t i = 0; i < n && !rc; i++)
            gf_filter_put_number(out, at + i, gf_number_get(value, i, true));
    }
    return rc;
}

int gf_filter_tabulate(const struct gf_job *job, int threads, struct gf_array *out) {
    const struct gf_array *table = &job->filter->table;
    const struct gf_job whole = gf_filter_whole(job);
    const int64_t *first = job->whole.first; /* of a part, otherwise 0 */
    int64_t shape[GF_MAX_RANK];
    struct gf_filter_terms t;
    if (table->data && !job->filter->n_factors && !job->whole.axes &&
        gf_dtype_real(table->dtype) == gf_dtype_real(gf_job_number(job))) {
        *out = *table;
        out->base = NULL;
        return 0;
    }
    table_shape(job, shape);
    int rc =
        gf_filter_table_alloc(job, table->data && gf_dtype_is_complex(table->dtype), shape, out);
    if (rc)
        return rc;
    rc = job->whole.step ? tabulate_line(job, out) : gf_filter_compile(&whole, &t);
    if (rc)
        gf_array_free(out);
    if (rc || job->whole.step)
        return rc;
    const int last = job->ndim - 1;
    const int64_t rows = gf_array_count(out) / shape[last];
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t row = 0; row < rows; row++) {
        int64_t index[GF_MAX_DIMS] = {0}, rest = row;
        for (int i = last - 1; i >= 0; i--) {
            index[i] = first[i] + rest % shape[i];
            rest /= shape[i];
        }
        for (int64_t k = 0; k < shape[last]; k++) {
            const int64_t at = row * shape[last] + k;
            index[last] = first[last] + k;
            gf_filter_put_number(out, at, times_table(job, gf_filter_value(&t, index), at));
        }
    }
    gf_filter_terms_free(&t);
    return 0;
}

int gf_filter_line_values(const struct gf_job *part, int64_t first, int64_t count, double *value) {
    struct gf_filter_terms *t = malloc(sizeof *t); /* too large for a stack */
    struct gf_job some = *part;
    some.shape[0] = count;
    some.whole.first[0] += first * part->whole.step;
    int rc = t ? gf_filter_compile(&some, t) : gf_no_memory();
    for (int64_t i = 0; i < count && !rc; i++) {
        const double v = gf_filter_value(t, (int64_t[GF_MAX_DIMS]){i});
        gf_number_put(
            value, i, true,
            gf_filter_drop_tiny(times_table(part, v, first + i), part->precision == GF_DOUBLE));
    }
    if (!rc)
        gf_filter_terms_free(t);
    free(t);
    return rc;
}
