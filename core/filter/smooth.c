/* The smooth part of a picture, axis by axis in closed form. */
#include "core/filter/smooth.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/value/status.h"

bool gf_smooth_init(struct gf_smooth *x, const struct gf_job *job, int axis) {
    const int64_t n = job->shape[axis];
    unsigned others = 0;
    if (n < 2 || !(job->axes >> axis & 1))
        return false;
    for (int i = 0; i < job->ndim; i++)
        if (i != axis && job->axes >> i & 1 && job->shape[i] > 1)
            others |= 1u << i;
    const enum gf_dtype complex_type = job->in_dtype == GF_F64 ? GF_C128 : GF_C64;
    struct gf_job f = {.ndim = job->ndim,
                       .channels = job->channels,
                       .axes = others,
                       .in_dtype = job->in_dtype,
                       .precision = job->precision,
                       .spend_input = true,
                       .n_out = 1};
    memcpy(f.shape, job->shape, sizeof f.shape);
    struct gf_job b = f;
    f.shape[axis] = 1;
    f.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = complex_type, .half = true};
    b.shape[axis] = n / 2;
    b.direction = GF_INVERSE;
    b.in_dtype = others ? complex_type : job->in_dtype;
    b.in_half = b.real = true;
    b.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = job->in_dtype};
    *x = (struct gf_smooth){.axis = axis, .n = n, .forward = f, .inverse = b};
    return true;
}

void gf_smooth_jump(const struct gf_smooth *x, const struct gf_array *u, struct gf_array *jump) {
    const struct gf_array first = gf_array_slice(u, x->axis, 0, 1);
    const int64_t last = (x->n - 1) * u->stride[x->axis];
    const bool is_double = u->dtype == GF_F64;
    for (int64_t i = 0; i < gf_array_count(jump); i++) {
        const char *p = gf_array_at(&first, i);
        gf_real_put(jump->data, i, is_double,
                    gf_real_get(p + last, 0, is_double) - gf_real_get(p, 0, is_double));
    }
}

/* The parts of S(y, k) / R(k) that depend only on k. */
struct decay {
    double a, factor;
};

static struct decay decay_of(double sum, int64_t n) {
    double a = 2 * asinh(sqrt(sum));
    if (a == 0)
        return (struct decay){0, -0.5 / (double)n};
    return (struct decay){a, 0.5 / (cosh(a / 2) * expm1(-a * (double)n))};
}

/* 4e-18 is below a double's rounding. */
static bool has_decayed(const struct decay *k, double d) {
    return k->a * d > 40;
}

/* S(y, k) / R(k) for y + 1/2 = d < n / 2, without differences of nearly equal numbers. */
static double profile(const struct decay *k, double d, double n) {
    if (k->a == 0)
        return (n - 2 * d) * k->factor;
    if (has_decayed(k, d))
        return 0;
    return -exp(-k->a * d) * expm1(-k->a * (n - 2 * d)) * k->factor;
}

/* One for each bin of the spectrum; NULL if memory is short. The caller frees. */
static struct decay *decays(const struct gf_smooth *x, const struct gf_array *spectrum) {
    const struct gf_job *f = &x->forward;
    const int64_t bins = gf_array_count(spectrum) / f->channels;
    struct decay *k = malloc((size_t)bins * sizeof *k);
    for (int64_t at = 0; at < bins && k; at++) {
        double sum = 0;
        int64_t rest = at;
        for (int i = f->ndim - 1; i >= 0; i--) {
            double s = sin(M_PI * (double)(rest % spectrum->shape[i]) / (double)f->shape[i]);
            sum += f->axes >> i & 1 ? s * s : 0;
            rest /= spectrum->shape[i];
        }
        k[at] = decay_of(sum, x->n);
    }
    return k;
}

/* A row of bins of the spectrum, `reals` numbers each, and how each decays. */
struct bins {
    const struct decay *k;
    const void *r;
    int64_t count, reals;
    bool is_double;
};

#define EXTEND(type) \
    for (int64_t i = 0; i < count; i++) { \
        double q = profile(&b->k[i], d, n); \
        for (int64_t j = 0; j < b->reals; j++) \
            ((type *)to)[i * b->reals + j] = \
                (type)(q * (double)((const type *)b->r)[i * b->reals + j]); \
    }

/* A few rows from an edge nearly all bins have decayed, so the search for the last that has not
 * begins at the end. `to` is all zeros. */
static void extend_bins(const struct bins *b, double d, double n, void *to) {
    int64_t count = b->count;
    while (count > 0 && has_decayed(&b->k[count - 1], d))
        count--;
    if (b->is_double)
        EXTEND(double)
    else
        EXTEND(float)
}

int gf_smooth_extend(const struct gf_smooth *x, int threads, const struct gf_array *spectrum,
                     struct gf_array *half) {
    const enum gf_dtype type = spectrum->dtype;
    const bool is_double = type == GF_F64 || type == GF_C128;
    const size_t size = gf_dtype_size(type);
    const int64_t channels = x->forward.channels, m = x->n / 2;
    int64_t inner = 1; /* contiguous numbers after the axis, which has an extent of 1 */
    for (int i = x->axis + 1; i < spectrum->rank; i++)
        inner *= spectrum->shape[i];
    const int64_t outer = gf_array_count(spectrum) / inner;
    const int64_t reals = channels * (type == GF_C64 || type == GF_C128 ? 2 : 1);
    struct decay *k = decays(x, spectrum);
    if (!k)
        return gf_no_memory();
    const int64_t count = inner / channels;
#pragma omp parallel for collapse(2) num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t o = 0; o < outer; o++)
        for (int64_t y = 0; y < m; y++) {
            const struct bins b = {.k = k + o * count,
                                   .r = (const char *)spectrum->data + (size_t)(o * inner) * size,
                                   .count = count,
                                   .reals = reals,
                                   .is_double = is_double};
            char *to = (char *)half->data + (size_t)((o * m + y) * inner) * size;
            memset(to, 0, (size_t)inner * size);
            extend_bins(&b, (double)y + 0.5, (double)x->n, to);
        }
    free(k);
    return GF_OK;
}

/* ---- filling ---- */

/* to += sign * from, n reals. */
static void add(void *to, const void *from, int64_t n, bool is_double, int sign) {
    if (is_double)
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
            ((double *)to)[i] += sign * ((const double *)from)[i];
    else
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
            ((float *)to)[i] += (float)sign * ((const float *)from)[i];
}

/* The same with `from`, n samples of `channels` reals, in reverse order. */
#define ADD_REVERSED(type) \
    for (int64_t c = 0; c < channels; c++) { \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++)((type *)to)[i * channels + c] += \
            (type)sign * ((const type *)from)[(n - 1 - i) * channels + c]; \
    }

static inline __attribute__((always_inline)) void add_samples_reversed(void *to, const void *from,
                                                                       int64_t n, int64_t channels,
                                                                       bool is_double, int sign) {
    if (is_double)
        ADD_REVERSED(double)
    else
        ADD_REVERSED(float)
}

static void add_reversed(void *to, const void *from, int64_t n, int64_t channels, bool is_double,
                         int sign) {
    if (channels == 1) /* a constant, so that it becomes vectors */
        add_samples_reversed(to, from, n, 1, is_double, sign);
    else
        add_samples_reversed(to, from, n, channels, is_double, sign);
}

struct rows {
    const struct gf_smooth *x;
    int count;
    const int64_t *shape;
    int last; /* spatial axis */
    int64_t channels;
    bool is_double;
};

/* Adds an axis's share of row `at` of s; `at` has an index for each axis but the last. */
static void add_part(const struct rows *r, const struct gf_smooth *x, const int64_t *at,
                     void *row) {
    const int64_t n = r->shape[r->last], m = x->n / 2, c = r->channels;
    const char *from = x->part.data;
    int sign = 1;
    for (int i = 0; i < r->last; i++) {
        int64_t k = at[i];
        if (i == x->axis && k >= m) {
            sign = -1;
            k = x->n - 1 - k;
            if (k >= m) /* the middle of an odd axis */
                return;
        }
        from += k * x->part.stride[i];
    }
    if (x->axis < r->last) {
        add(row, from, n * c, r->is_double, sign);
        return;
    }
    add(row, from, m * c, r->is_double, 1);
    add_reversed((char *)row +
                     (size_t)((n - m) * c) * (r->is_double ? sizeof(double) : sizeof(float)),
                 from, m, c, r->is_double, -1);
}

static void smooth_row(const struct rows *r, const int64_t *at, void *row, size_t bytes) {
    memset(row, 0, bytes);
    for (int j = 0; j < r->count; j++)
        add_part(r, &r->x[j], at, row);
}

/* A row of u and of s that the lengthened row repeats, and of s at its mirror image. */
struct row {
    const void *u, *s, *image;
    bool inside; /* the row is part of u */
};

/* u - s plus the mirror image of s, into `to`, which may be u, and into its continuation unless
 * `more` is NULL. */
static void compose(const struct rows *r, const struct row *from, char *to, char *more) {
    const int64_t n = r->shape[r->last], reals = n * r->channels;
    const size_t bytes = (size_t)reals * (r->is_double ? sizeof(double) : sizeof(float));
    if (more) {
        memcpy(more, from->u, bytes);
        add(more, from->s, reals, r->is_double, -1);
        add_reversed(more, from->image, n, r->channels, r->is_double, 1);
    }
    if (from->inside)
        return;
    if (to != from->u)
        memcpy(to, from->u, bytes);
    add(to, from->s, reals, r->is_double, -1);
    add(to, from->image, reals, r->is_double, 1);
}

/* Row `row` of `a`, counted over all axes but the last; `scratch` holds two rows of s. */
static void fill_row(const struct rows *r, int64_t row, struct gf_array *a, char *scratch) {
    const int64_t n = r->shape[r->last];
    const size_t bytes =
        (size_t)(n * r->channels) * (r->is_double ? sizeof(double) : sizeof(float));
    int64_t at[GF_MAX_DIMS], image[GF_MAX_DIMS];
    char *to = a->data, *u = a->data, *s = scratch, *of_image = scratch;
    bool inside = true;
    for (int i = r->last - 1; i >= 0; i--) {
        int64_t k = row % a->shape[i], extent = r->shape[i];
        row /= a->shape[i];
        inside = inside && k < extent;
        at[i] = k % extent;
        image[i] = k < extent ? k : 2 * extent - 1 - k;
        to += k * a->stride[i];
        u += at[i] * a->stride[i];
    }
    char *more = a->shape[r->last] > n ? to + n * a->stride[r->last] : NULL;
    if (inside && !more)
        return;
    smooth_row(r, at, s, bytes);
    if (!inside) {
        of_image = scratch + bytes;
        smooth_row(r, image, of_image, bytes);
    }
    compose(r, &(struct row){u, s, of_image, inside}, to, more);
}

/* u - s in row `row` of u. */
static void subtract_row(const struct rows *r, int64_t row, struct gf_array *a, char *scratch) {
    const int64_t reals = r->shape[r->last] * r->channels;
    const size_t bytes = (size_t)reals * gf_dtype_size(a->dtype);
    int64_t at[GF_MAX_DIMS], rest = row;
    for (int i = r->last - 1; i >= 0; rest /= r->shape[i--])
        at[i] = rest % r->shape[i];
    smooth_row(r, at, scratch, bytes);
    add((char *)a->data + (size_t)row * bytes, scratch, reals, r->is_double, -1);
}

typedef void row_fn(const struct rows *r, int64_t row, struct gf_array *a, char *scratch);

static int each_row(const struct gf_smooth *x, int count, int threads, const int64_t *shape,
                    struct gf_array *a, row_fn *work) {
    const int last = a->rank - 2;
    const struct rows r = {.x = x,
                           .count = count,
                           .shape = shape,
                           .last = last,
                           .channels = a->shape[last + 1],
                           .is_double = a->dtype == GF_F64};
    const size_t room = 2 * (size_t)(shape[last] * r.channels) * gf_dtype_size(a->dtype);
    threads = threads > 0 ? threads : 1;
    char *scratch = gf_alloc(room * (size_t)threads);
    if (!scratch)
        return gf_no_memory();
    int64_t rows = 1;
    for (int i = 0; i < last; i++)
        rows *= a->shape[i];
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t row = 0; row < rows; row++)
        work(&r, row, a, scratch + room * (size_t)omp_get_thread_num());
    gf_free(scratch);
    return GF_OK;
}

int gf_smooth_fill(const struct gf_smooth *x, int count, int threads, const int64_t *shape,
                   struct gf_array *a) {
    return each_row(x, count, threads, shape, a, fill_row);
}

int gf_smooth_subtract(const struct gf_smooth *x, int count, int threads, struct gf_array *a) {
    return each_row(x, count, threads, a->shape, a, subtract_row);
}

/* Row y of a page of the lengthened volume. */
static void fill_page_row(const struct rows *r, const struct gf_array s[2], int64_t y, bool inside,
                          struct gf_array *page) {
    const int64_t rows = r->shape[0], n = r->shape[1];
    const int64_t from = y % rows, image = y < rows ? y : 2 * rows - 1 - y;
    char *to = (char *)page->data + y * page->stride[1];
    char *more = page->shape[2] > n ? to + n * page->stride[2] : NULL;
    const struct row row = {(char *)page->data + from * page->stride[1],
                            (char *)s[0].data + from * s[0].stride[1],
                            (char *)s[1].data + image * s[1].stride[1], inside && y < rows};
    compose(r, &row, to, more);
}

void gf_smooth_fill_page(const int64_t *shape, int threads, const struct gf_array s[2], bool inside,
                         struct gf_array *page) {
    const struct rows r = {
        .shape = shape, .last = 1, .channels = page->shape[3], .is_double = page->dtype == GF_F64};
    threads = threads > 0 ? threads : 1;
    /* The added rows first: they are made from the others. */
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t y = shape[0]; y < page->shape[1]; y++)
        fill_page_row(&r, s, y, inside, page);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t y = 0; y < shape[0]; y++)
        fill_page_row(&r, s, y, inside, page);
}
