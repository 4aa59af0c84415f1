/* The filter and the window as operations on arrays that are made here, without a file or a command: three numbers
 * of each result are those that gpufft wrote for the same samples when a filter was steps of its command, and four
 * threads at once make equal bytes. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/base/value/sample_value.h"
#include "core/op/filter/filtering.h"
#include "core/op/filter/window.h"
#include "tests/test.h"

enum { THREADS = 4 };

static struct gf_engine *engine;

/* ---- samples ---- */

enum {
    LOW,     /* --lowpass=9 */
    HIGH,    /* --highpass=5%,butterworth:2 --offset=128 */
    BLUR,    /* --convolve=disk:2 */
    MASK,    /* --mask of a shape, 1 in its middle half */
    WIENER,  /* --deconvolve=gaussian:1.2 */
    REGULAR, /* --deconvolve=disk:1.5 --regularize=.01 */
    LUCY,    /* --deconvolve=gaussian:1.2 --iterations=5 */
    STRIPES, /* --destripe=0 */
    NOTCHES, /* --auto-notch=4 */
    SCREEN,  /* --descreen=6px */
    HANN,    /* the operation window: fwd --window=hann, real part */
    FORWARD, /* fwd --magnitude */
    WAVELET  /* dwt --levels=2 --threshold=soft:5 */
};

/* A blurred pattern of lines and dots with noise: positive, with ends that do not meet. */
static double sample_at(const int64_t *at, int rank) {
    uint32_t x = 1;
    double v = 96, along = 0;
    for (int i = 0; i < rank; i++) {
        const double p = (double)at[i];
        x = (x ^ (uint32_t)at[i]) * 2246822519u;
        x ^= x >> 15;
        v += 20 * sin(0.13 * (i + 1) * p) + 0.3 * p;
        along += (i + 1) * p;
    }
    return v + 25 * (sin(0.21 * along) > 0.4) + (double)(x * 3266489917u >> 24) / 64;
}

/* Noise that is to be found: a wave, or another offset of each column. */
static double noise_at(int what, const int64_t *at, int rank) {
    const double x = (double)at[rank - 1], y = rank > 1 ? (double)at[rank - 2] : 0;
    const double screen = sin(2 * M_PI * x / 6) + sin(2 * M_PI * y / 6);
    return what == SCREEN    ? 20 * tanh(3 * screen)
           : what == NOTCHES ? 15 * sin(2 * M_PI * (0.19 * x + 0.11 * y))
           : what == STRIPES ? 2 * fmod(x * 7919, 5)
                             : 0;
}

static struct gf_array make(int what, enum gf_dtype dtype, int rank, const int64_t *shape) {
    int64_t whole[GF_MAX_RANK] = {0}, at[GF_MAX_RANK];
    struct gf_array a;
    memcpy(whole, shape, (size_t)rank * sizeof *shape);
    whole[rank] = 1;
    if (gf_array_alloc(&a, dtype, rank + 1, whole)) /* in a thread, which counts no checks */
        abort();
    for (int64_t i = 0; i < gf_array_count(&a); i++) {
        gf_array_unravel(&a, i, at);
        const double v = sample_at(at, rank) + noise_at(what, at, rank);
        gf_sample_put(gf_array_at(&a, i), dtype, dtype == GF_U8 ? floor(v) : v);
    }
    return a;
}

/* ---- rows ---- */

static const struct row {
    int what;
    enum gf_dtype dtype;
    int rank;
    int64_t shape[3];
    enum gf_edges edges;
    double mean, rms, last;
} rows[] = {
#include "tests/core/op_filter_rows.inc"
};

enum { ROWS = sizeof rows / sizeof *rows };

static struct gf_filter_part part_of(int what) {
    static const enum gf_filter_what kinds[] = {
        [LOW] = GF_LOWPASS,     [HIGH] = GF_HIGHPASS,    [BLUR] = GF_KERNEL_MADE, [MASK] = GF_MASK,
        [WIENER] = GF_PSF_MADE, [REGULAR] = GF_PSF_MADE, [LUCY] = GF_PSF_MADE};
    struct gf_filter_part p = {.what = kinds[what], .option = "option", .text = "value"};
    p.radius[0] = what == HIGH ? (struct gf_radius){.value = 5, .unit = GF_NYQUIST}
                               : (struct gf_radius){.value = 9};
    p.profile = what == HIGH ? GF_BUTTERWORTH : GF_GAUSSIAN;
    p.order = 2;
    p.symmetric = true;
    p.psf.shape = what == BLUR || what == REGULAR ? GF_PSF_DISK : GF_PSF_GAUSSIAN;
    p.psf.size = what == BLUR ? 2 : what == REGULAR ? 1.5 : what >= WIENER ? 1.2 : 0;
    if (what == BLUR || what == REGULAR) {
        p.ndim = 2;
        CHECK_EQ(gf_psf_allocate(&p.psf, p.file.extent, &p.file.value), 0);
    }
    return p;
}

static void make_mask(const struct row *r, struct gf_filter_part *p) {
    const int64_t n = gf_shape_count(r->shape, r->rank);
    p->ndim = r->rank;
    memcpy(p->file.extent, r->shape, sizeof r->shape);
    p->file.value = calloc((size_t)n, sizeof *p->file.value);
    NEED(p->file.value);
    for (int64_t i = 0; i < n; i++) {
        bool inside = true;
        int64_t rest = i;
        for (int k = r->rank - 1; k >= 0; rest /= r->shape[k--])
            inside = inside && llabs(rest % r->shape[k] - r->shape[k] / 2) <= r->shape[k] / 4;
        p->file.value[i] = inside;
    }
}

static struct gf_filter_options options_of(const struct row *r) {
    struct gf_filter_options o = {.edges = (int)r->edges};
    if (r->what < STRIPES) {
        o.n_parts = 1;
        o.part[0] = part_of(r->what);
    }
    if (r->what == MASK)
        make_mask(r, &o.part[0]);
    o.offset = r->what == HIGH ? 128 : 0;
    o.restore.regularize = r->what == REGULAR ? 0.01 : 0;
    o.restore.iterations = r->what == LUCY ? 5 : 0;
    o.destripe = r->what == STRIPES ? GF_DESTRIPE_COLUMNS : GF_DESTRIPE_OFF;
    o.auto_notch = r->what == NOTCHES ? 4 : 0;
    o.descreen.on = r->what == SCREEN;
    o.descreen.period = r->what == SCREEN ? 6 : 0;
    return o;
}

/* The job of all axes to floats. */
static struct gf_job job_of(const struct row *r) {
    const bool is_double = r->dtype == GF_F64;
    struct gf_job job = {.ndim = r->rank,
                         .channels = 1,
                         .axes = (1u << r->rank) - 1,
                         .in_dtype = r->dtype,
                         .precision = is_double ? GF_DOUBLE : GF_SINGLE,
                         .norm = GF_NORM_BACKWARD,
                         .n_out = 1};
    memcpy(job.shape, r->shape, sizeof r->shape);
    job.out[0].kind = r->what == FORWARD ? GF_MAGNITUDE : GF_REAL;
    job.out[0].dtype = GF_F32;
    job.op = r->what == WAVELET ? GF_DWT : GF_FFT;
    job.wavelet = (struct gf_wavelet){.levels = 2, .threshold = GF_SOFT, .amount = 5};
    return job;
}

/* ---- one thread and four ---- */

struct work {
    const struct row *row;
    void *shared; /* of the operation */
    struct gf_array out;
    int status;
};

static void *work(void *user) {
    struct work *w = user;
    const struct row *r = w->row;
    struct gf_runner runner;
    struct gf_array in = make(r->what, r->dtype, r->rank, r->shape);
    struct gf_operation op = {.kind = r->what < HANN    ? &gf_operation_filter
                                      : r->what == HANN ? &gf_operation_window
                                                        : NULL,
                              .crew = {.runner = &runner, .threads = 1},
                              .job = job_of(r),
                              .shared = w->shared};
    gf_runner_open(&runner, engine, 0, 1);
    w->status = gf_operation_apply(&op, &in, &w->out);
    gf_operation_drop(&op);
    gf_array_free(&in);
    gf_runner_close(&runner);
    return NULL;
}

static bool are_equal(const struct gf_array *a, const struct gf_array *b) {
    bool equal = a->data && b->data && gf_array_count(a) == gf_array_count(b);
    for (int64_t i = 0; equal && i < gf_array_count(a); i++)
        equal = !memcmp(gf_array_at(a, i), gf_array_at(b, i), gf_dtype_size(a->dtype));
    return equal;
}

static void check_numbers(const struct row *r, const struct gf_array *out) {
    const int64_t n = gf_array_count(out);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        const double v = gf_sample_get(gf_array_at(out, i), out->dtype);
        sum += v;
        squares += v * v;
    }
    const double rms = sqrt(squares / (double)n), error = 2e-5 * r->rms;
    const double last = gf_sample_get(gf_array_at(out, n - 1), out->dtype);
    CHECK(n == gf_shape_count(r->shape, r->rank) || r->what == WAVELET);
    CHECK_MSG(fabs(sum / (double)n - r->mean) <= error && fabs(rms - r->rms) <= error &&
                  fabs(last - r->last) <= 5 * error,
              "row %d: expected mean %.9g, rms %.9g, last %.9g, got %.9g %.9g %.9g",
              (int)(r - rows), r->mean, r->rms, r->last, sum / (double)n, rms, last);
}

static void run_row(const struct row *r, void *shared) {
    struct work first = {.row = r, .shared = shared}, at_once[THREADS];
    pthread_t thread[THREADS];
    work(&first);
    CHECK_EQ(first.status, 0);
    if (first.status)
        return;
    check_numbers(r, &first.out);
    for (int i = 0; i < THREADS; i++) {
        at_once[i] = (struct work){.row = r, .shared = shared};
        CHECK_EQ(pthread_create(&thread[i], NULL, work, &at_once[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK_MSG(!at_once[i].status && are_equal(&at_once[i].out, &first.out),
                  "row %d: thread %d differs", (int)(r - rows), i);
        gf_array_free(&at_once[i].out);
    }
    gf_array_free(&first.out);
}

static void test_rows(int from, int to) {
    int tried = 0;
    for (const struct row *r = rows; r < rows + ROWS; r++) {
        if (r->what < from || r->what > to)
            continue;
        struct gf_filter_options options = options_of(r);
        struct gf_window_options window = {.window = {.shape = GF_WINDOW_HANN}};
        struct gf_filter_maker maker;
        gf_filter_maker_open(&maker, &options);
        run_row(r, r->what == HANN ? (void *)&window : &maker);
        gf_filter_maker_close(&maker);
        free(options.part[0].file.value);
        tried++;
    }
    CHECK(tried > 0);
}

/* ---- in parts ---- */

/* A row's operation, with the options of another one. */
struct bench {
    struct gf_filter_options options;
    struct gf_filter_maker maker;
    struct gf_runner runner;
    struct gf_operation op;
};

static void open_bench(struct bench *b, const struct row *r, const struct row *options) {
    b->options = options_of(options);
    gf_filter_maker_open(&b->maker, &b->options);
    gf_runner_open(&b->runner, engine, 0, 1);
    b->op = (struct gf_operation){.kind = &gf_operation_filter,
                                  .crew = {.runner = &b->runner, .threads = 1},
                                  .job = job_of(r),
                                  .shared = &b->maker};
}

static void close_bench(struct bench *b) {
    gf_runner_close(&b->runner);
    gf_filter_maker_close(&b->maker);
    free(b->options.part[0].file.value);
}

/* A volume whose pages are filtered by themselves, at once and in parts of some pages. */
static void test_pages(void) {
    for (enum gf_edges edges = GF_EDGES_PERIODIC; edges <= GF_EDGES_TAPER; edges++) {
        const struct row r = {edges ? LOW : MASK, GF_F32, 3, {5, 24, 30}, edges, 0, 0, 0};
        const struct row page = {r.what, GF_F32, 2, {24, 30}, edges, 0, 0, 0};
        struct gf_array in = make(LOW, GF_F32, 3, r.shape), all = {0}, some = {0};
        struct bench b;
        open_bench(&b, &r, &page);
        b.op.job.axes = 6;
        const struct gf_operation part = b.op;
        CHECK_EQ(gf_operation_apply(&b.op, &in, &all), 0);
        gf_operation_drop(&b.op);
        for (int64_t z = 0, n; z < 5; z += n) {
            n = gf_min(2, 5 - z);
            struct gf_operation pages = part;
            const struct gf_array view = gf_array_slice(&in, 0, z, n),
                                  expected = gf_array_slice(&all, 0, z, n);
            pages.job.shape[0] = n;
            CHECK_EQ(gf_operation_apply(&pages, &view, &some), 0);
            gf_operation_drop(&pages);
            CHECK_MSG(are_equal(&some, &expected), "edges %d, page %d", (int)edges, (int)z);
            gf_array_free(&some);
        }
        gf_array_free(&all);
        gf_array_free(&in);
        close_bench(&b);
    }
}

static int read_units(void *user, int64_t first, struct gf_array *to) {
    const struct gf_array from = gf_array_slice(user, 0, first, to->shape[0]);
    gf_array_copy(to, &from);
    return 0;
}

/* The units that continue a volume are those of the volume in memory. */
static void test_units(void) {
    for (enum gf_edges edges = GF_EDGES_MIRROR; edges <= GF_EDGES_SMOOTH; edges++) {
        const struct row r = {LOW, GF_F32, 3, {9, 14, 18}, edges, 0, 0, 0};
        struct gf_array in = make(LOW, GF_F32, 3, r.shape), units = {0};
        struct bench b;
        struct gf_operation *op = &b.op;
        open_bench(&b, &r, &r);
        op->of.px = in;
        const struct gf_unit_source below = {read_units, &in};
        CHECK_EQ(gf_operation_describe(op), 0);
        CHECK_EQ(op->kind->expect(op), 0);
        CHECK_EQ(op->scans, edges == GF_EDGES_SMOOTH);
        CHECK_EQ(gf_job_alloc(&op->job, -1, &units), 0);
        for (int64_t z = 0, n; z < op->job.shape[0]; z += n) { /* none of them across the end */
            n = gf_min(4, (z < 9 ? 9 : op->job.shape[0]) - z);
            struct gf_array some = gf_array_slice(&units, 0, z, n);
            CHECK_EQ(op->kind->read(op, &below, z, &some), 0);
        }
        op->in = in;
        CHECK_EQ(gf_operation_take(op), 0);
        double most = 0;
        for (int64_t i = 0; i < gf_array_count(&units); i++)
            most = fmax(most, fabs(gf_sample_get(gf_array_at(&units, i), GF_F32) -
                                   gf_sample_get(gf_array_at(&op->in, i), GF_F32)));
        CHECK_EQ(gf_array_count(&units), gf_array_count(&op->in));
        CHECK_MSG(most <= (edges == GF_EDGES_SMOOTH ? 2e-4 : 0), "edges %d: off by %g", (int)edges,
                  most);
        gf_operation_drop(op);
        gf_array_free(&units);
        gf_array_free(&in);
        close_bench(&b);
    }
}

/* ---- refusals ---- */

static void test_refusals(void) {
    const struct row *r = rows;
    const int64_t shape[] = {16, 16, 1};
    struct gf_array in, out = {0};
    struct bench b;
    struct gf_operation *op = &b.op;
    open_bench(&b, r, r);
    op->job.ndim = 2;
    op->job.axes = 3;
    op->job.shape[0] = op->job.shape[1] = 16;
    CHECK_EQ(gf_array_alloc(&in, GF_C64, 3, shape), 0);
    CHECK_EQ(gf_operation_apply(op, &in, &out), GF_EINVAL);
    CHECK_HAS(gf_message(), "real samples");
    CHECK(!out.data);
    gf_operation_drop(op);
    in.dtype = GF_F32;
    b.options.part[0].radius[0].value = 400;
    CHECK_EQ(gf_operation_apply(op, &in, &out), GF_EINVAL);
    CHECK_HAS(gf_message(), "outside the spectrum of 16x16");
    gf_operation_drop(op);
    b.options.part[0].radius[0].value = 4;
    op->crew.held = gf_runner_limit(op->crew.runner);
    CHECK_EQ(gf_operation_apply(op, &in, &out), GF_ENOMEM);
    CHECK(!out.data);
    gf_operation_drop(op);
    gf_array_free(&in);
    close_bench(&b);
}

int main(void) {
    struct gf_request request;
    NEED(!gf_request_one(NULL, &request, NULL, "openmp", NULL));
    NEED(!gf_engine_open(&engine, &(struct gf_engine_options){.request = &request,
                                                              .memory_limit = INT64_C(1) << 30}));
    RUN("a filter multiplies lines, pictures and volumes, with all edges", test_rows(LOW, MASK));
    RUN("blurred samples are restored", test_rows(WIENER, LUCY));
    RUN("stripes and waves are found and removed", test_rows(STRIPES, SCREEN));
    RUN("a window changes the input of a transform", test_rows(HANN, HANN));
    RUN("a job alone is an operation too", test_rows(FORWARD, WAVELET));
    RUN("pages in parts are those of the volume", test_pages());
    RUN("units beyond the edges are those of the volume in memory", test_units());
    RUN("samples and options that do not fit are refused", test_refusals());
    gf_engine_close(engine);
    return TEST_END();
}
