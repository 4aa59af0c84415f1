/* The library by its header alone: transforms of random shapes, axes, types and strides beside direct sums in long
 * double, several threads with one plan, bad input. */
#include <math.h>
#include <pthread.h>

#include "core/api/gpufft.h"
#include "tests/test.h"

/* The layout that programs are compiled for. */
_Static_assert(sizeof(struct gpufft_options) == 72 && sizeof(struct gpufft_transform) == 256 &&
                   sizeof(struct gpufft_description) == 64,
               "a struct changed: append members, and accept the size before");

static struct gpufft *library;
static uint64_t state = 1;

static int64_t pick(int64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

static const char *backend = "openmp";

static int open_library(struct gpufft **g, int threads) {
    const struct gpufft_options o = {.size = sizeof o, .backend = backend, .threads = threads};
    return gpufft_open(&o, g);
}

static bool is_complex(int type) {
    return type == GPUFFT_C64 || type == GPUFFT_C128;
}

static int64_t size_of(int type) {
    static const int64_t size[] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 16};
    return size[type];
}

/* ---- an array of the caller's, with any strides ---- */

struct held {
    int64_t n[GPUFFT_MAX_RANK], stride[GPUFFT_MAX_RANK], bytes;
    char *memory, *zero; /* all of it; element (0, …, 0) */
};

/* Strides of a random order of axes, some with gaps, some negative. */
static void lay_out(struct held *h, int rank, const int64_t *n, int type) {
    int order[GPUFFT_MAX_RANK];
    int64_t unit = size_of(type), zero = 0;
    const bool plain = !pick(3);
    for (int i = 0; i < rank; i++)
        order[i] = i;
    for (int i = rank - 1; i > 0 && !plain; i--) {
        const int k = (int)pick(i + 1), other = order[i];
        order[i] = order[k];
        order[k] = other;
    }
    h->bytes = unit;
    for (int i = rank - 1; i >= 0; i--) {
        const int axis = order[i];
        const bool back = !plain && !pick(4);
        h->n[axis] = n[axis];
        h->stride[axis] = back ? -unit : unit;
        zero += back ? (n[axis] - 1) * unit : 0;
        h->bytes += (n[axis] - 1) * unit;
        unit = unit * n[axis] + (plain ? 0 : pick(2) * size_of(type));
    }
    h->memory = malloc((size_t)h->bytes);
    NEED(h->memory);
    memset(h->memory, 0x55, (size_t)h->bytes);
    h->zero = h->memory + zero;
}

static int64_t offset_of(const struct held *h, int rank, int64_t i) {
    int64_t at = 0;
    for (int k = rank - 1; k >= 0; i /= h->n[k--])
        at += i % h->n[k] * h->stride[k];
    return at;
}

static void put(void *at, int type, long double re, long double im) {
    float f[2] = {(float)re, (float)im};
    double d[2] = {(double)re, (double)im};
    uint8_t byte = (uint8_t)re;
    int16_t word = (int16_t)re;
    if (type == GPUFFT_U8)
        memcpy(at, &byte, 1);
    else if (type == GPUFFT_I16)
        memcpy(at, &word, 2);
    else if (type == GPUFFT_F32 || type == GPUFFT_C64)
        memcpy(at, f, (size_t)size_of(type));
    else
        memcpy(at, d, (size_t)size_of(type));
}

static void get(const void *at, int type, long double to[2]) {
    float f[2] = {0, 0};
    double d[2] = {0, 0};
    const bool single = type == GPUFFT_F32 || type == GPUFFT_C64;
    memcpy(single ? (void *)f : (void *)d, at, (size_t)size_of(type));
    for (int i = 0; i < 2; i++)
        to[i] = single ? (long double)f[i] : (long double)d[i];
}

/* ---- direct sums ---- */

static void sum_along(long double (*x)[2], int64_t n, int64_t step, int64_t points, int sign) {
    long double line[64][2], turn[64][2];
    for (int64_t i = 0; i < n; i++) {
        turn[i][0] = cosl(2 * acosl(-1) * (long double)i / n);
        turn[i][1] = sign * sinl(2 * acosl(-1) * (long double)i / n);
    }
    for (int64_t first = 0; first < points; first++) {
        if (first / step % n)
            continue;
        for (int64_t k = 0; k < n; k++) {
            line[k][0] = line[k][1] = 0;
            for (int64_t i = 0; i < n; i++) {
                const long double *v = x[first + i * step], *w = turn[i * k % n];
                line[k][0] += v[0] * w[0] - v[1] * w[1];
                line[k][1] += v[0] * w[1] + v[1] * w[0];
            }
        }
        for (int64_t k = 0; k < n; k++)
            memcpy(x[first + k * step], line[k], sizeof line[k]);
    }
}

struct trial {
    struct gpufft_transform t;
    bool on[GPUFFT_MAX_RANK];
    int half_axis;
    int64_t points, n_in[GPUFFT_MAX_RANK], n_out[GPUFFT_MAX_RANK];
    long double scale;
};

static void choose_types(struct gpufft_transform *t) {
    const bool real = pick(2), twice = pick(2);
    static const int reals[] = {GPUFFT_F32, GPUFFT_F64, GPUFFT_U8, GPUFFT_I16};
    const int spectrum = twice ? GPUFFT_C128 : GPUFFT_C64;
    int samples = real ? reals[pick(t->direction == GPUFFT_INVERSE ? 2 : 4)] : spectrum;
    t->in_type = t->direction == GPUFFT_INVERSE ? spectrum : samples;
    t->out_type = t->direction == GPUFFT_INVERSE ? samples : spectrum;
    t->half = real && pick(3);
}

static struct trial make_trial(void) {
    struct trial r = {.t = {.size = sizeof r.t}, .points = 1, .scale = 1};
    struct gpufft_transform *t = &r.t;
    const int64_t most = 2000;
    t->direction = (int)pick(2);
    t->norm = (int)pick(3);
    t->rank = (int)pick(GPUFFT_MAX_RANK) + 1;
    choose_types(t);
    for (int i = 0; i < t->rank; i++) {
        t->shape[i] = pick(3) ? pick(6) + 1 : pick(40) + 1;
        if (r.points * t->shape[i] > most)
            t->shape[i] = 1;
        r.points *= t->shape[i];
    }
    const int axes = (int)pick(t->rank < 3 ? t->rank : 3) + 1;
    while (t->n_axes < axes) {
        const int k = (int)pick(t->rank);
        if (r.on[k])
            continue;
        r.on[k] = true;
        r.half_axis = k;
        t->axes[t->n_axes++] = pick(2) ? k : k - t->rank;
    }
    long double n = 1;
    for (int i = 0; i < t->rank; i++) {
        const int64_t halved = t->half && i == r.half_axis ? t->shape[i] / 2 + 1 : t->shape[i];
        r.n_in[i] = t->direction == GPUFFT_INVERSE ? halved : t->shape[i];
        r.n_out[i] = t->direction == GPUFFT_INVERSE ? t->shape[i] : halved;
        n *= r.on[i] ? t->shape[i] : 1;
    }
    const bool scales = t->direction == GPUFFT_INVERSE ? t->norm == GPUFFT_NORM_BACKWARD
                                                       : t->norm == GPUFFT_NORM_FORWARD;
    r.scale = t->norm == GPUFFT_NORM_ORTHO ? 1 / sqrtl(n) : scales ? 1 / n : 1;
    return r;
}

/* The index in C order of the whole shape, of element i of an array of other extents. */
static int64_t whole(const struct trial *r, const int64_t *n, int64_t i) {
    int64_t at = 0, step = 1;
    for (int k = r->t.rank - 1; k >= 0; k--) {
        at += i % n[k] * step;
        i /= n[k];
        step *= r->t.shape[k];
    }
    return at;
}

static int64_t count(const int64_t *n, int rank) {
    int64_t all = 1;
    for (int i = 0; i < rank; i++)
        all *= n[i];
    return all;
}

static void transform_directly(const struct trial *r, int sign, long double (*x)[2]) {
    int64_t step = r->points;
    for (int i = 0; i < r->t.rank; i++) {
        step /= r->t.shape[i];
        if (r->on[i])
            sum_along(x, r->t.shape[i], step, r->points, sign);
    }
}

/* Samples whose spectrum, for a real inverse, is that of real samples: the spectrum of some is made directly. */
static void fill(const struct trial *r, long double (*x)[2]) {
    const bool inverse = r->t.direction == GPUFFT_INVERSE;
    const int samples = inverse ? r->t.out_type : r->t.in_type;
    for (int64_t i = 0; i < r->points; i++) {
        x[i][0] = pick(200);
        x[i][1] = is_complex(samples) ? pick(200) : 0;
    }
    if (inverse && !is_complex(samples))
        transform_directly(r, -1, x);
}

static long double error_of(const struct trial *r, const struct held *out, long double (*x)[2]) {
    long double worst = 0, sum = 0;
    for (int64_t i = 0; i < r->points; i++)
        sum += x[i][0] * x[i][0] + x[i][1] * x[i][1];
    for (int64_t i = 0; i < count(r->n_out, r->t.rank); i++) {
        long double got[2];
        const long double *expected = x[whole(r, r->n_out, i)];
        get(out->zero + offset_of(out, r->t.rank, i), r->t.out_type, got);
        const long double e =
            hypotl(got[0] - expected[0] * r->scale,
                   is_complex(r->t.out_type) ? got[1] - expected[1] * r->scale : 0);
        worst = e > worst || isnan(e) ? e : worst;
    }
    return sum > 0 ? worst / (sqrtl(sum / (long double)r->points) * r->scale) : worst;
}

static int run_trial(const struct trial *r, const struct held *in, struct held *out) {
    struct gpufft_plan *plan = NULL;
    struct gpufft_bound *bound = NULL;
    int rc = gpufft_plan_make(library, &r->t, &plan);
    if (!rc)
        rc = gpufft_plan_bind(plan, in->zero, out->zero, &bound);
    for (int i = 0; i < (r->t.in_place ? 1 : 2) && !rc; i++)
        rc = gpufft_run(bound);
    gpufft_plan_free(plan);
    gpufft_bound_free(bound);
    return rc;
}

static bool fits_in_place(const struct gpufft_transform *t) {
    return t->half && (t->in_type + 2 == t->out_type || t->out_type + 2 == t->in_type);
}

/* Samples in the memory of their half spectrum; false if the halved axis is not the fastest. */
static bool lay_out_padded(const struct trial *r, struct held *in, struct held *out) {
    const bool inverse = r->t.direction == GPUFFT_INVERSE;
    const int type = inverse ? r->t.in_type : r->t.out_type;
    struct held *samples = inverse ? out : in, *spectrum = inverse ? in : out;
    lay_out(spectrum, r->t.rank, inverse ? r->n_in : r->n_out, type);
    const bool fastest = llabs(spectrum->stride[r->half_axis]) == size_of(type);
    *samples = *spectrum;
    memcpy(samples->n, inverse ? r->n_out : r->n_in, sizeof samples->n);
    samples->stride[r->half_axis] /= 2;
    if (!fastest)
        free(spectrum->memory);
    return fastest;
}

static void test_random(int trials) {
    for (int k = 0; k < trials; k++) {
        struct trial r = make_trial();
        struct held in, out;
        long double(*x)[2] = malloc((size_t)r.points * sizeof *x);
        NEED(x);
        const bool padded = fits_in_place(&r.t) && !pick(3) && lay_out_padded(&r, &in, &out);
        r.t.in_place = padded || (r.t.in_type == r.t.out_type && !pick(3));
        if (!padded)
            lay_out(&in, r.t.rank, r.n_in, r.t.in_type);
        if (!padded && r.t.in_place)
            out = in;
        else if (!padded)
            lay_out(&out, r.t.rank, r.n_out, r.t.out_type);
        memcpy(r.t.in_stride, in.stride, sizeof r.t.in_stride);
        memcpy(r.t.out_stride, out.stride, sizeof r.t.out_stride);
        fill(&r, x);
        for (int64_t i = 0; i < count(r.n_in, r.t.rank); i++) {
            const long double *v = x[whole(&r, r.n_in, i)];
            put(in.zero + offset_of(&in, r.t.rank, i), r.t.in_type, v[0], v[1]);
        }
        transform_directly(&r, r.t.direction == GPUFFT_INVERSE ? 1 : -1, x);
        const int rc = run_trial(&r, &in, &out);
        const bool twice = (r.t.in_type == GPUFFT_C128 || r.t.in_type == GPUFFT_F64 ||
                            r.t.out_type == GPUFFT_C128 || r.t.out_type == GPUFFT_F64) &&
                           size_of(r.t.in_type) >= 8 && r.t.in_type != GPUFFT_C64 &&
                           r.t.out_type != GPUFFT_C64 && r.t.out_type != GPUFFT_F32;
        const long double e = rc ? 0 : error_of(&r, &out, x);
        CHECK_MSG(!rc && e < (twice ? 1e-13L : 2e-5L), "trial %d: rank %d, error %Lg: %s", k,
                  r.t.rank, e, rc ? gpufft_message() : "");
        free(in.memory);
        if (!r.t.in_place)
            free(out.memory);
        free(x);
    }
}

/* Transforms with a member or two that are any number: a code and a message, or a plan. */
static void test_corrupted(int trials) {
    /* no lengths whose tables take minutes or gigabytes */
    static const int64_t any[] = {-1, 0,  1,   2,         3,         7,
                                  9,  64, 255, INT64_MIN, INT64_MAX, INT64_MAX / 8};
    int refused = 0;
    for (int k = 0; k < trials; k++) {
        struct trial r = make_trial();
        struct gpufft_plan *plan = (void *)&r;
        struct gpufft_bound *bound;
        struct gpufft_description d = {.size = sizeof d};
        const int n = (int)pick(2) + 1;
        for (int i = 0; i < n; i++) {
            const int64_t v = any[pick(sizeof any / sizeof *any)];
            const size_t at = (size_t)pick(sizeof r.t / 4) * 4,
                         axes = offsetof(struct gpufft_transform, n_axes);
            const bool small = (at >= 8 && at < offsetof(struct gpufft_transform, shape)) ||
                               (at >= axes && at < offsetof(struct gpufft_transform, in_stride)) ||
                               at == offsetof(struct gpufft_transform, in_place);
            memcpy((char *)&r.t + (small ? at : at / 8 * 8), &v, small ? 4 : 8);
        }
        const int rc = gpufft_plan_make(library, &r.t, &plan);
        CHECK_MSG(rc ? rc < 0 && !plan && *gpufft_message() : !!plan, "trial %d: %d", k, rc);
        refused += rc != 0;
        if (rc)
            continue;
        CHECK(!gpufft_plan_describe(plan, &d) && d.n_calls > 0);
        CHECK_EQ(gpufft_plan_bind(plan, NULL, &r, &bound), GPUFFT_EUSAGE);
        gpufft_plan_free(plan);
    }
    CHECK_MSG(trials < 100 || (refused > trials / 4 && refused < trials), "%d of %d refused",
              refused, trials);
}

/* ---- threads ---- */

enum { THREADS = 8, SIDE = 24 };

struct worker {
    struct gpufft_plan *plan;
    float in[SIDE * SIDE], out[SIDE * (SIDE / 2 + 1) * 2];
    int seed, rc;
};

static void *work(void *user) {
    struct worker *w = user;
    struct gpufft_bound *bound = NULL;
    for (int i = 0; i < SIDE * SIDE; i++)
        w->in[i] = (float)((i * 7919 + w->seed * 104729) % 251);
    w->rc = gpufft_plan_bind(w->plan, w->in, w->out, &bound);
    for (int i = 0; i < 200 && !w->rc; i++)
        w->rc = gpufft_run(bound);
    gpufft_bound_free(bound);
    return NULL;
}

static void test_threads(void) {
    static struct worker w[THREADS], alone;
    pthread_t thread[THREADS];
    const struct gpufft_transform t = {.size = sizeof t,
                                       .in_type = GPUFFT_F32,
                                       .out_type = GPUFFT_C64,
                                       .rank = 2,
                                       .shape = {SIDE, SIDE},
                                       .half = 1};
    struct gpufft_plan *plan;
    NEED(!gpufft_plan_make(library, &t, &plan));
    for (int i = 0; i < THREADS; i++) {
        w[i].plan = plan;
        w[i].seed = i;
        NEED(!pthread_create(&thread[i], NULL, work, &w[i]));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        alone = (struct worker){.plan = plan, .seed = i};
        work(&alone);
        CHECK(!w[i].rc && !memcmp(w[i].out, alone.out, sizeof alone.out));
    }
    gpufft_plan_free(plan);
}

/* ---- bad input ---- */

static const struct gpufft_transform good = {
    .size = sizeof good, .in_type = GPUFFT_C64, .out_type = GPUFFT_C64, .rank = 2, .shape = {4, 6}};

#define REFUSED(code, text, ...) \
    do { \
        struct gpufft_transform bad = good; \
        struct gpufft_plan *plan_ = NULL; \
        __VA_ARGS__; \
        CHECK_EQ(gpufft_plan_make(library, &bad, &plan_), code); \
        CHECK_MSG(!plan_ && strstr(gpufft_message(), text), "%s", gpufft_message()); \
    } while (0)

static void test_refused(void) {
    REFUSED(GPUFFT_EUSAGE, "size", bad.size = 0);
    REFUSED(GPUFFT_EUSAGE, "size", bad.size -= 8);
    REFUSED(GPUFFT_EUSAGE, "direction", bad.direction = 2);
    REFUSED(GPUFFT_EUSAGE, "normalisation", bad.norm = 3);
    REFUSED(GPUFFT_EUSAGE, "type: -1", bad.in_type = -1);
    REFUSED(GPUFFT_EUSAGE, "type: 10", bad.out_type = 10);
    REFUSED(GPUFFT_EINVAL, "c64 or c128", bad.out_type = GPUFFT_F32);
    REFUSED(GPUFFT_EINVAL, "u8", bad.direction = GPUFFT_INVERSE; bad.out_type = GPUFFT_U8);
    REFUSED(GPUFFT_EINVAL, "only real samples", bad.half = 1);
    REFUSED(GPUFFT_EUSAGE, "0 or 1", bad.half = 2);
    REFUSED(GPUFFT_EUSAGE, "rank of 0", bad.rank = 0);
    REFUSED(GPUFFT_EUSAGE, "rank of 9", bad.rank = 9);
    REFUSED(GPUFFT_EINVAL, "", bad.shape[1] = 0);
    REFUSED(GPUFFT_EINVAL, "", bad.shape[0] = -3);
    REFUSED(GPUFFT_ENOMEM, "", bad.shape[0] = bad.shape[1] = INT64_MAX / 8);
    REFUSED(GPUFFT_EUSAGE, "no axis 2", bad.n_axes = 1; bad.axes[0] = 2);
    REFUSED(GPUFFT_EUSAGE, "no axis -3", bad.n_axes = 1; bad.axes[0] = -3);
    REFUSED(GPUFFT_EUSAGE, "twice", bad.n_axes = 2; bad.axes[0] = 1; bad.axes[1] = -1);
    REFUSED(GPUFFT_EUSAGE, "4 axes", bad.n_axes = 4);
    REFUSED(GPUFFT_EUSAGE, "name the axes", bad.rank = 4; bad.shape[2] = bad.shape[3] = 1);
    REFUSED(GPUFFT_EINVAL, "share memory", bad.out_stride[0] = 8; bad.out_stride[1] = 8);
    REFUSED(GPUFFT_EINVAL, "multiple of 4", bad.in_stride[0] = 50; bad.in_stride[1] = 8);
    REFUSED(GPUFFT_EINVAL, "stride", bad.in_stride[0] = INT64_MIN; bad.in_stride[1] = 8);
    REFUSED(GPUFFT_EINVAL, "one type", bad.in_place = 1; bad.out_type = GPUFFT_C128);
    REFUSED(GPUFFT_EINVAL, "same strides", bad.in_place = 1; bad.in_stride[0] = 56;
            bad.in_stride[1] = 8);
    REFUSED(GPUFFT_EINVAL, "one type", bad.in_place = bad.half = 1; bad.in_type = GPUFFT_F64);
    REFUSED(GPUFFT_EINVAL, "half of that", bad.in_place = bad.half = 1; bad.in_type = GPUFFT_F32;
            bad.in_stride[0] = 24; bad.in_stride[1] = 4);
    REFUSED(GPUFFT_EINVAL, "share memory", bad.in_place = bad.half = bad.n_axes = 1;
            bad.in_type = GPUFFT_F32);
    REFUSED(GPUFFT_EUSAGE, "negative", bad.runs = -1);
    struct {
        struct gpufft_transform t;
        int64_t later;
    } longer = {good, 0};
    struct gpufft_plan *plan = NULL;
    longer.t.size = sizeof longer;
    CHECK_EQ(gpufft_plan_make(library, &longer.t, &plan), 0);
    gpufft_plan_free(plan);
    longer.later = 1;
    CHECK_EQ(gpufft_plan_make(library, &longer.t, &plan), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_make(NULL, &good, &plan), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_make(library, NULL, &plan), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_make(library, &good, NULL), GPUFFT_EUSAGE);
}

/* As FFTW has it: five samples in rows of three complex numbers, there and back. */
static void test_padded(void) {
    float x[3][6] = {{1, 2, 3, 4, 5, 77}, {6, 7, 8, 9, 10, 77}, {2, 4, 8, 16, 32, 77}}, y[3][6];
    struct gpufft_transform t = good;
    struct gpufft_description d = {.size = sizeof d};
    struct gpufft_plan *plan;
    struct gpufft_bound *bound;
    memcpy(y, x, sizeof x);
    memcpy(t.shape, (int64_t[]){3, 5}, 2 * sizeof *t.shape);
    t.half = t.in_place = 1;
    t.in_type = GPUFFT_F32;
    for (t.direction = 0; t.direction < 2; t.direction++) {
        NEED(!gpufft_plan_make(library, &t, &plan) && !gpufft_plan_describe(plan, &d));
        CHECK_EQ(gpufft_plan_bind(plan, x, (float *)x + 18, &bound), GPUFFT_EINVAL);
        NEED(!gpufft_plan_bind(plan, x, x, &bound) && !gpufft_run(bound));
        CHECK(d.workspace >= (int64_t)sizeof x - 4 &&
              (t.direction || fabsf(x[0][0] - 117) < 1e-4F));
        gpufft_bound_free(bound);
        gpufft_plan_free(plan);
        t.in_type = GPUFFT_C64;
        t.out_type = GPUFFT_F32;
    }
    for (int i = 0; i < 15; i++)
        CHECK(fabsf(x[i / 5][i % 5] - y[i / 5][i % 5]) < 1e-5F);
}

static void test_overlap(void) {
    float x[4 * 6 * 2 * 2] = {0};
    struct gpufft_plan *plan, *same;
    struct gpufft_bound *bound;
    struct gpufft_transform t = good;
    NEED(!gpufft_plan_make(library, &t, &plan));
    t.in_place = 1;
    NEED(!gpufft_plan_make(library, &t, &same));
    CHECK_EQ(gpufft_plan_bind(plan, x, x, &bound), GPUFFT_EINVAL);
    CHECK(!bound);
    CHECK_EQ(gpufft_plan_bind(plan, x, x + 46, &bound), GPUFFT_EINVAL);
    CHECK_EQ(gpufft_plan_bind(plan, x + 46, x, &bound), GPUFFT_EINVAL);
    CHECK_EQ(gpufft_plan_bind(same, x, x + 48, &bound), GPUFFT_EINVAL);
    CHECK_EQ(gpufft_plan_bind(plan, (char *)x + 2, x + 48, &bound), GPUFFT_EINVAL);
    CHECK_EQ(gpufft_plan_bind(plan, NULL, x, &bound), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_bind(plan, x, NULL, &bound), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_bind(NULL, x, x, &bound), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_bind(plan, x, x + 48, NULL), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_bind(plan, x, x + 48, &bound), 0);
    CHECK_EQ(gpufft_run(bound), 0);
    /* the same numbers in other arrays, with the same workspace */
    float *y = gpufft_alloc(sizeof x);
    NEED(y);
    x[0] = y[0] = 5;
    memset(y + 1, 0, sizeof x - sizeof *x);
    CHECK_EQ(gpufft_bound_move(bound, y, y + 47), GPUFFT_EINVAL);
    CHECK_EQ(gpufft_run(bound), 0);
    CHECK(x[48] > 4.99F && x[48] < 5.01F);
    CHECK_EQ(gpufft_bound_move(bound, y, y + 48), 0);
    CHECK_EQ(gpufft_run(bound), 0);
    CHECK(!memcmp(x + 48, y + 48, 48 * sizeof *x));
    CHECK_EQ(gpufft_bound_move(NULL, y, y + 48), GPUFFT_EUSAGE);
    gpufft_free(y);
    gpufft_bound_free(bound);
    CHECK_EQ(gpufft_run(NULL), GPUFFT_EUSAGE);
    gpufft_plan_free(plan);
    gpufft_plan_free(same);
    gpufft_plan_free(NULL);
    gpufft_bound_free(NULL);
}

/* ---- options, descriptions ---- */

static void test_open(void) {
    struct gpufft *g;
    struct gpufft_options o = {.size = sizeof o, .backend = "nonesuch"};
    CHECK_EQ(gpufft_open(&o, &g), GPUFFT_EUSAGE);
    CHECK(!g && strstr(gpufft_message(), "nonesuch"));
    o = (struct gpufft_options){.size = sizeof o, .threads = -1};
    CHECK_EQ(gpufft_open(&o, &g), GPUFFT_EUSAGE);
    o = (struct gpufft_options){.size = sizeof o, .untuned = 2};
    CHECK_EQ(gpufft_open(&o, &g), GPUFFT_EUSAGE);
    o = (struct gpufft_options){.size = 4};
    CHECK_EQ(gpufft_open(&o, &g), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_open(NULL, NULL), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_open(NULL, &g), 0);
    gpufft_close(g);
    gpufft_close(NULL);
    CHECK_EQ(gpufft_good_size(2017), 2048);
    CHECK_EQ(gpufft_good_size(1), 1);
    CHECK_EQ(gpufft_good_size(0), 0);
    void *memory = gpufft_alloc(1000);
    CHECK(memory && !((uintptr_t)memory % 64));
    gpufft_free(memory);
    gpufft_free(NULL);
    CHECK_STR(gpufft_version(), GF_VERSION);
}

static void test_memory(void) {
    const struct gpufft_options o = {
        .size = sizeof o, .backend = "openmp", .threads = 1, .memory = 1 << 20};
    struct gpufft_transform t = good;
    struct gpufft_plan *plan;
    struct gpufft *g;
    NEED(!gpufft_open(&o, &g));
    t.shape[0] = t.shape[1] = 600;
    CHECK_EQ(gpufft_plan_make(g, &t, &plan), 0); /* the output is its workspace */
    gpufft_plan_free(plan);
    t.shape[0] = t.shape[1] = 20011;
    CHECK_EQ(gpufft_plan_make(g, &t, &plan), GPUFFT_ENOMEM);
    gpufft_close(g);
}

static void test_describe(void) {
    struct gpufft_description d = {.size = sizeof d};
    struct gpufft_plan *plan;
    struct gpufft_transform t = good;
    t.rank = 6;
    t.n_axes = 2;
    t.axes[0] = 1;
    t.axes[1] = 3;
    memcpy(t.shape, (int64_t[]){3, 16, 5, 16, 2, 7}, 6 * sizeof *t.shape);
    NEED(!gpufft_plan_make(library, &t, &plan));
    CHECK_EQ(gpufft_plan_describe(plan, &d), 0);
    CHECK_STR(d.backend, backend);
    CHECK_EQ(d.n_calls, 3); /* of the slowest axis */
    CHECK(d.n_passes > 0 && d.bytes >= 2 * 8 * 16 * 5 * 16 * 2 * 7);
    for (int i = 0; i < d.n_passes; i++)
        CHECK(gpufft_plan_pass(plan, i));
    CHECK(!gpufft_plan_pass(plan, d.n_passes) && !gpufft_plan_pass(plan, -1));
    d.size = 8;
    CHECK_EQ(gpufft_plan_describe(plan, &d), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_describe(NULL, &d), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_plan_describe(plan, NULL), GPUFFT_EUSAGE);
    gpufft_plan_free(plan);
}

/* usage: test_api [BACKEND [TRIALS]] */
int main(int argc, char **argv) {
    const int trials = argc > 2 ? atoi(argv[2]) : getenv("LONG") ? 100000 : 2000;
    backend = argc > 1 ? argv[1] : backend;
    NEED(!open_library(&library, 2));
    RUN("random transforms are direct sums", test_random(trials));
    RUN("whatever a transform says, there is a code or a plan", test_corrupted(trials));
    RUN("eight threads share a plan", test_threads());
    RUN("bad transforms are refused", test_refused());
    RUN("arrays that overlap are refused", test_overlap());
    RUN("samples make room for their half spectrum", test_padded());
    RUN("options are checked", test_open());
    RUN("the memory limit holds", test_memory());
    RUN("a plan is described", test_describe());
    gpufft_close(library);
    return TEST_END();
}
