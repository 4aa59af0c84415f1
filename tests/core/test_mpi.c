/* Volumes that ranks share: the slabs as pure functions, and the result, which is that of one process
 * bit for bit. The ranks are threads here; tests/cli/mpi.test has processes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/backend.h"
#include "core/base/status.h"
#include "core/filter/filter.h"
#include "core/mpi/slab.h"
#include "core/mpi/volume.h"
#include "tests/core/backends.h"
#include "tests/core/thread_ranks.h"
#include "tests/test.h"

static const struct gf_backend *const backend = &gf_backend_openmp;

/* ---------------------------------------------------------------- slabs */

static void test_planes(int64_t n, int ranks, int64_t unit) {
    int64_t next = 0, most = 0, least = n;
    for (int r = 0; r < ranks; r++) {
        struct gf_span s = gf_slab_planes(n, ranks, r, unit);
        if (!s.count)
            continue;
        CHECK_EQ(s.first, next);
        CHECK_EQ(s.first % unit, 0);
        CHECK_MSG(s.count >= unit || s.count == n, "%lld planes of %lld, unit %lld",
                  (long long)s.count, (long long)n, (long long)unit);
        next += s.count;
        most = s.count > most ? s.count : most;
        least = s.count < least ? s.count : least;
    }
    CHECK_EQ(next, n);
    CHECK_MSG(n < ranks || unit > 1 || most - least <= 1, "%lld planes, %d ranks", (long long)n,
              ranks);
}

static void test_rows(int64_t n, int ranks, int mirrored) {
    int *seen = calloc((size_t)n, sizeof *seen);
    for (int r = 0; r < ranks; r++) {
        struct gf_rows rows = gf_slab_rows(n, ranks, r, mirrored);
        int64_t before = -1;
        for (int64_t i = 0; i < rows.count; i++) {
            int64_t y = gf_rows_at(&rows, i), m = mirrored ? (n - y) % n : y;
            CHECK_EQ(gf_rows_index(&rows, y), i);
            CHECK_EQ(gf_rows_at(&rows, gf_rows_index(&rows, m)), m);
            CHECK(y > before);
            before = y;
            seen[y]++;
        }
    }
    for (int64_t y = 0; y < n; y++)
        CHECK_EQ(seen[y], 1);
    struct gf_rows rows = gf_slab_rows(n, ranks, 0, mirrored);
    for (int64_t first = 0; first < rows.count; first += 3) {
        struct gf_rows part = gf_rows_part(&rows, first, 3);
        CHECK_EQ(part.count, rows.count - first < 3 ? rows.count - first : 3);
        for (int64_t i = 0; i < part.count; i++)
            CHECK_EQ(gf_rows_at(&part, i), gf_rows_at(&rows, first + i));
    }
    free(seen);
}

static void test_slabs(void) {
    static const int64_t extents[] = {2, 3, 5, 8, 13, 31, 64};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
        for (int ranks = 1; ranks < 9; ranks++) {
            test_planes(extents[i], ranks, 1);
            test_planes(extents[i], ranks, 8);
            test_rows(extents[i], ranks, 0);
            test_rows(extents[i], ranks, 1);
        }
    /* No extent that fits 62 bits overflows. */
    struct gf_span s = gf_slab_planes(INT64_C(1) << 61, 7, 6, 1);
    CHECK_EQ(s.first + s.count, INT64_C(1) << 61);
}

/* ---------------------------------------------------------------- transforms */

struct shared {
    struct gf_job job;
    struct gf_grid grid;
    char in[64], out[64];
    int64_t strip_rows; /* of both files; 0: samples without gaps */
    int64_t *strip[2];  /* where those of the input and of the output begin */
    int status[THREAD_RANKS_MOST];
    struct gf_spread result; /* of rank 0 */
    int pencils;             /* how many runs had several ranks across */
};

static void run_shared(void *user, struct gf_ranks *ranks) {
    struct shared *s = user;
    struct gf_backend_options options = {.threads = 1};
    struct gf_spread spread = {.ranks = ranks, .backend = backend, .job = s->job, .grid = s->grid};
    spread.in.path = s->in;
    spread.in.at = 10;
    spread.out.path = s->out;
    spread.out.at = 3;
    if (s->strip_rows) {
        spread.in.strip_rows = spread.out.strip_rows = s->strip_rows;
        spread.in.strip = s->strip[0];
        spread.out.strip = s->strip[1];
    }
    gf_backend_open(backend, &options, &spread.context);
    s->status[ranks->rank] = gf_spread_run(&spread);
    backend->close(spread.context);
    if (ranks->rank == 0)
        s->result = spread;
}

static void write_file(const char *path, int64_t skip, const void *data, size_t bytes) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && (!bytes || pwrite(fd, data, bytes, skip) == (ssize_t)bytes));
    close(fd);
}

/* The output of one process is `out`; so many ranks in such a grid write the same. */
static void compare_grid(struct shared *s, int ranks, int across, const struct gf_array *out,
                         const struct gf_report *report) {
    const size_t bytes = (size_t)gf_array_bytes(out);
    char *back = malloc(bytes), text[160];
    backends_text(&s->job, text);
    s->grid = across ? (struct gf_grid){ranks / across, across} : (struct gf_grid){0, 0};
    write_file(s->out, 0, NULL, 0);
    thread_ranks_run(ranks, -1, run_shared, s);
    for (int i = 0; i < ranks; i++)
        CHECK_MSG(!s->status[i] ||
                      (across > 1 && s->status[i] == GF_EUNSUPP && s->status[0] == GF_EUNSUPP),
                  "%s, rank %d of %d, %d across: %d, %s", text, i, ranks, across, s->status[i],
                  gf_message());
    if (s->status[0]) {
        free(back);
        return;
    }
    s->pencils += across > 1;
    int fd = open(s->out, O_RDONLY);
    CHECK(pread(fd, back, bytes, 3) == (ssize_t)bytes);
    close(fd);
    CHECK_MSG(!memcmp(back, out->data, bytes), "%s differs, %d ranks, %d across", text, ranks,
              across);
    CHECK_EQ(s->result.crc32, crc32_z(0, out->data, bytes));
    CHECK_EQ(s->result.report.clipped[0], report->clipped[0]);
    double a = s->result.report.imag_ratio, b = report->imag_ratio;
    CHECK_MSG(a <= b * 1.001 + 1e-7 && b <= a * 1.001 + 1e-7, "%s: %g after %g", text, a, b);
    free(back);
}

static void compare(struct shared *s, const struct gf_array *out, const struct gf_report *report) {
    /* Slabs, pencils, ranks without a place. */
    static const int grid[][2] = {{1, 0}, {2, 0}, {3, 0}, {5, 0}, {7, 0},
                                  {2, 2}, {4, 2}, {3, 3}, {6, 3}, {8, 3}};
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++)
        compare_grid(s, grid[i][0], grid[i][1], out, report);
    s->grid = (struct gf_grid){0, 0};
}

static void test_job(struct shared *s) {
    uint64_t seed = 5;
    struct gf_array in = {0}, out = {0};
    struct gf_report report;
    struct gf_plan *plan = NULL;
    struct gf_backend_options options = {.threads = 2};
    void *context = NULL;
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(&s->job, shape);
    int rc = gf_array_alloc(&in, s->job.in_dtype, 4, shape);
    gf_job_out_shape(&s->job, 0, shape);
    if (!rc)
        rc = gf_array_alloc(&out, s->job.out[0].dtype, 4, shape);
    if (!rc)
        rc = gf_backend_open(backend, &options, &context);
    if (!rc)
        rc = backend->plan(context, &s->job, &plan);
    if (!rc) {
        backends_fill(&in, &seed);
        write_file(s->in, 10, in.data, (size_t)gf_array_bytes(&in));
        rc = plan->ops->exec(plan, &in, &out, &report);
    }
    CHECK_MSG(!rc, "%s", gf_message());
    if (!rc)
        compare(s, &out, &report);
    gf_plan_drop(plan);
    backend->close(context);
    gf_array_free(&in);
    gf_array_free(&out);
}

/* Forward and inverse, real and complex, half and whole, of one shape. */
static void test_shape(struct shared *s, int64_t nz, int64_t ny, int64_t nx) {
    static const enum gf_kind kinds[] = {GF_COMPLEX, GF_MAGNITUDE, GF_PHASE, GF_IMAG};
    for (int kind = 0; kind < 4; kind++)
        for (int half = 0; half < 2; half++) {
            enum gf_precision p = kind == 1 ? GF_DOUBLE : GF_SINGLE;
            s->job = backends_job(GF_FORWARD, kind == 2 ? GF_U8 : GF_F32, p, 3, nz, ny, nx);
            s->job.channels = kind == 3 ? 2 : 1;
            s->job.norm = (enum gf_norm)(kind % 3);
            s->job.out[0].kind = kinds[kind];
            s->job.out[0].half = half;
            s->job.out[0].shift = kind % 2;
            if (kind)
                s->job.out[0].dtype = p == GF_DOUBLE ? GF_F64 : GF_F32;
            test_job(s);
            s->job = backends_job(GF_INVERSE, GF_C64, p, 3, nz, ny, nx);
            s->job.real = kind < 3;
            s->job.in_half = half && s->job.real;
            s->job.in_shift = kind % 2;
            if (s->job.real)
                s->job.out[0] = (struct gf_output){.kind = GF_REAL,
                                                   .dtype = kind == 2 ? GF_U8
                                                            : p       ? GF_F64
                                                                      : GF_F32};
            test_job(s);
        }
    s->job = backends_job(GF_FORWARD, GF_C64, GF_SINGLE, 3, nz, ny, nx);
    test_job(s);
    s->job.out[0].shift = true;
    test_job(s);
}

/* A filter with factors of each kind, and an offset, from and to integers and floats. */
static void test_filter(struct shared *s, int64_t nz, int64_t ny, int64_t nx) {
    struct gf_filter *f;
    struct gf_lowpass low = {.radius = {3, 4, 5}};
    struct gf_lowpass steep = {.profile = GF_BUTTERWORTH, .order = 20, .radius = {9, 9, 9}};
    struct gf_lowpass notch = {.centre = {1, -2, 3}, .radius = {1, 1, 1}};
    for (int kind = 0; kind < 3; kind++) {
        enum gf_precision p = kind == 1 ? GF_DOUBLE : GF_SINGLE;
        enum gf_dtype type = kind == 0 ? GF_U8 : kind == 1 ? GF_F64 : GF_U16;
        CHECK(!gf_filter_new(&f));
        s->job = backends_job(GF_FORWARD, type, p, 3, nz, ny, nx);
        s->job.channels = kind == 2 ? 3 : 1;
        s->job.luma = kind == 2;
        CHECK(!gf_filter_add_highpass(f, &low));
        CHECK(!kind || !gf_filter_add_notch(f, &s->job, &notch));
        CHECK(kind != 2 || !gf_filter_add_lowpass(f, &steep)); /* has its values in a table */
        f->offset = 100;
        s->job.op = GF_FILTER;
        s->job.filter = f;
        s->job.filter_serial = f->serial;
        s->job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = type};
        test_job(s);
        gf_filter_free(f);
    }
}

/* Half spectra whose columns the second pass unpacks. */
static void test_within(struct shared *s) {
    s->job = backends_job(GF_FORWARD, GF_U8, GF_SINGLE, 3, 33, 70, 64);
    s->job.out[0].half = true;
    CHECK_EQ(backend->packs(&s->job), GF_PACKS_WITHIN);
    test_job(s);
    s->job.precision = GF_DOUBLE;
    s->job.in_dtype = GF_F64;
    s->job.out[0].dtype = GF_C128;
    test_job(s);
}

/* ---------------------------------------------------------------- strips */

/* Rows of so many bytes in strips of three, with gaps. */
static int64_t *list_strips(int64_t nz, int64_t ny, int64_t row) {
    const int64_t each = (ny + 2) / 3, n = nz * each;
    int64_t *at = malloc((size_t)n * sizeof *at);
    for (int64_t i = 0; i < n; i++)
        at[i] = 7 + i * (3 * row + 5);
    return at;
}

/* Between an array and a file in strips. */
static void move_strips(const char *path, const int64_t *strip, const struct gf_array *a,
                        bool write) {
    const int64_t nz = a->shape[0], ny = a->shape[1], row = a->stride[1];
    int fd = open(path, write ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0600);
    CHECK(fd >= 0);
    for (int64_t z = 0; z < nz; z++)
        for (int64_t y = 0; y < ny; y += 3) {
            const size_t bytes = (size_t)((ny - y < 3 ? ny - y : 3) * row);
            const int64_t at = strip[z * ((ny + 2) / 3) + y / 3];
            char *data = (char *)a->data + (z * ny + y) * row;
            CHECK((write ? pwrite(fd, data, bytes, at) : pread(fd, data, bytes, at)) ==
                  (ssize_t)bytes);
        }
    close(fd);
}

/* Files in strips, which are no whole number of planes' parts, hold what files without gaps do. */
static void test_strips(struct shared *s) {
    static const int grid[][2] = {{3, 0}, {4, 2}};
    struct gf_array in, out, back;
    uint64_t seed = 9;
    s->job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 3, 5, 70, 34);
    s->job.out[0].shift = true;
    CHECK(!gf_array_alloc(&in, GF_F32, 4, (int64_t[]){5, 70, 34, 1}));
    CHECK(!gf_array_alloc(&out, GF_C64, 4, (int64_t[]){5, 70, 34, 1}));
    CHECK(!gf_array_alloc(&back, GF_C64, 4, (int64_t[]){5, 70, 34, 1}));
    backends_fill(&in, &seed);
    for (int i = 0; i < 2; i++) {
        const int ranks = grid[i][0], across = grid[i][1];
        s->grid = across ? (struct gf_grid){ranks / across, across} : (struct gf_grid){0, 0};
        s->strip_rows = 0;
        write_file(s->in, 10, in.data, (size_t)gf_array_bytes(&in));
        write_file(s->out, 0, NULL, 0);
        thread_ranks_run(ranks, -1, run_shared, s);
        int fd = open(s->out, O_RDONLY);
        CHECK(pread(fd, out.data, (size_t)gf_array_bytes(&out), 3) == gf_array_bytes(&out));
        close(fd);
        s->strip_rows = 3;
        s->strip[0] = list_strips(5, 70, in.stride[1]);
        s->strip[1] = list_strips(5, 70, out.stride[1]);
        move_strips(s->in, s->strip[0], &in, true);
        write_file(s->out, 0, NULL, 0);
        thread_ranks_run(ranks, -1, run_shared, s);
        move_strips(s->out, s->strip[1], &back, false);
        CHECK(!s->status[0] && !memcmp(out.data, back.data, (size_t)gf_array_bytes(&out)));
        free(s->strip[0]);
        free(s->strip[1]);
    }
    s->strip_rows = 0;
    s->grid = (struct gf_grid){0, 0};
    gf_array_free(&in);
    gf_array_free(&out);
    gf_array_free(&back);
}

/* A rank that fails fails all of them, and none waits for it. */
static void test_failure(struct shared *s) {
    for (int write = 0; write < 2; write++) {
        s->job = backends_job(write ? GF_INVERSE : GF_FORWARD, GF_C64, GF_SINGLE, 3, 6, 7, 8);
        write_file(s->in, 10 + 6 * 7 * 8 * 8 - 1, "", 1);
        write_file(s->out, 0, NULL, 0);
        thread_ranks_run(3, 0, run_shared, s);
        for (int i = 0; i < 3; i++)
            CHECK_EQ(s->status[i], GF_EIO);
    }
    write_file(s->in, 0, "", 1); /* too short for any rank */
    thread_ranks_run(3, -1, run_shared, s);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(s->status[i], GF_EIO);
}

static void test_refusals(void) {
    struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 3, 4, 5, 6);
    CHECK_EQ(gf_spread_check(&job), 0);
    job.axes = 3;
    CHECK_EQ(gf_spread_check(&job), GF_EUNSUPP);
    job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 3, 4, 1, 6);
    CHECK_EQ(gf_spread_check(&job), GF_EUNSUPP);
    job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 2, 4, 5, 1);
    CHECK_EQ(gf_spread_check(&job), GF_EUNSUPP);
}

int main(void) {
    struct shared s = {.in = "/tmp/test_mpi_in_XXXXXX", .out = "/tmp/test_mpi_out_XXXXXX"};
    close(mkstemp(s.in));
    close(mkstemp(s.out));
    test_slabs();
    test_refusals();
    test_shape(&s, 8, 6, 32);   /* packed half spectra */
    test_shape(&s, 12, 33, 64); /* the same, with lines that are pairs along y */
    test_shape(&s, 7, 11, 13);
    test_shape(&s, 67, 5, 24);   /* pairs of lines along z */
    test_shape(&s, 3, 24, 2200); /* rows long enough to be sent in groups */
    test_shape(&s, 2, 2, 2);
    test_filter(&s, 12, 33, 64);
    test_filter(&s, 7, 11, 13);
    test_filter(&s, 67, 5, 24);
    test_filter(&s, 5, 70, 34); /* several ranks share its planes' pairs of lines */
    test_shape(&s, 5, 70, 34);
    test_within(&s);
    test_strips(&s);
    CHECK_MSG(s.pencils > 200, "%d runs with several ranks across", s.pencils);
    test_failure(&s);
    unlink(s.in);
    unlink(s.out);
    return TEST_END();
}
