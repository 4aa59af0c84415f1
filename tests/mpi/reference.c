/* The exchange between processes, and the transform that they share beside FFTW's. Built by an MPI compiler
 * wrapper (make check-mpi), started by mpirun:
 *
 *     reference exchange     every number arrives where its block has it
 *     reference large        pieces of more than 2^31 bytes
 *     reference fftw N       times of N x N x N, single precision, beside FFTW's MPI transforms
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_FFTW
#include <fftw3-mpi.h>
#endif

#include "core/base/job/backend.h"
#include "core/base/value/status.h"
#include "core/mpi/exchange.h"
#include "core/slab/plan.h"
#include "core/slab/io.h"

extern gf_transport_get gf_transport;

static struct gf_ranks ranks;
static int passed, failed;

static void check(int good, const char *what) {
    int all;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    passed += all;
    failed += !all;
    if (!all && ranks.rank == 0)
        fprintf(stderr, "%s, %d ranks\n", what, ranks.size);
}

static struct gf_job complex_job(int64_t nz, int64_t ny, int64_t nx) {
    return (struct gf_job){.ndim = 3,
                           .shape = {nz, ny, nx},
                           .channels = 1,
                           .axes = 7,
                           .in_dtype = GF_C64,
                           .n_out = 1,
                           .out = {{.kind = GF_COMPLEX, .dtype = GF_C64}}};
}

/* ---------------------------------------------------------------- the exchange */

static int64_t value_at(const struct gf_slab_plan *p, int64_t z, int64_t row, int64_t x) {
    return ((z * p->rows + row) * p->width + x) * 2654435761 ^ 12345;
}

/* The numbers of some pages of a block, to `data` or compared with it. */
static bool walk_piece(const struct gf_slab_plan *p, int64_t first, int64_t count, int64_t block,
                       int64_t *data, bool writes) {
    const struct gf_slab_block b = gf_slab_block(p, block);
    bool good = true;
    for (int64_t z = first; z < first + count; z++)
        for (int64_t i = 0; i < gf_slab_block_rows(&b); i++)
            for (int64_t x = 0; x < p->width; x++, data++) {
                const int64_t row = i < b.n_low ? b.low + i : b.high + i - b.n_low;
                const int64_t v = value_at(p, z, row, x);
                good &= writes || *data == v;
                *data = v;
            }
    return good;
}

static void test_exchange(int64_t nz, int64_t ny, int64_t nx) {
    const struct gf_job job = complex_job(nz, ny, nx);
    struct gf_slab_plan p;
    struct gf_rank_exchange e = {.own = NULL};
    char what[80];
    snprintf(what, sizeof what, "exchange of %dx%dx%d", (int)nz, (int)ny, (int)nx);
    int64_t *data = malloc((size_t)(nz * ny * nx) * sizeof *data);
    int rc = gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 1 << 30, ranks.size, &p);
    if (!rc)
        rc = gf_rank_exchange_open(&ranks, &p, &e);
    const struct gf_span slabs = gf_slab_share(p.n_slabs, ranks.size, ranks.rank);
    const struct gf_span blocks = gf_slab_share(p.n_blocks, ranks.size, ranks.rank);
    for (int64_t i = slabs.first; i < slabs.first + slabs.count; i++)
        for (int64_t k = 0; k < p.n_blocks && !rc; k++) {
            const struct gf_span pages = gf_slab_pages(&p, i);
            walk_piece(&p, pages.first, pages.count, k, data, true);
            rc = gf_rank_exchange_put(&e, gf_slab_piece_at(&p, i, k), data,
                                      gf_slab_piece_bytes(&p, i, k));
        }
    rc = gf_rank_exchange_turn(&e, rc);
    bool good = !rc;
    /* Own blocks, and then those of all. */
    for (int all = 0; all < 2 && good; all++)
        for (int64_t k = all ? 0 : blocks.first;
             k < (all ? p.n_blocks : blocks.first + blocks.count) && good; k++) {
            const struct gf_slab_block b = gf_slab_block(&p, k);
            good = !gf_rank_exchange_get(&e, gf_slab_piece_at(&p, 0, k), data,
                                         p.pages * gf_slab_block_rows(&b) * p.width * p.number) &&
                   walk_piece(&p, 0, p.pages, k, data, false);
        }
    check(good, what);
    rc = gf_rank_exchange_turn(&e, 0);
    gf_rank_exchange_close(&e);
    free(data);
}

/* ---------------------------------------------------------------- large pieces */

static void test_large(void) {
    const int64_t bytes = (INT64_C(1) << 31) + 12345;
    const bool keeps = ranks.rank == ranks.size - 1;
    unsigned char *data = keeps || ranks.rank == 0 ? malloc((size_t)bytes) : NULL;
    int rc = ranks.transport->open(data, keeps ? bytes : 0);
    bool good = !rc && (data || !(ranks.rank == 0 || keeps));
    if (ranks.rank == 0 && data && !keeps) {
        for (int64_t i = 0; i < bytes; i++)
            data[i] = (unsigned char)(i * 31 + (i >> 20));
        rc = rc ? rc : ranks.transport->put(data, bytes, ranks.size - 1, 0);
        memset(data, 0, (size_t)bytes);
    }
    rc = rc ? rc : ranks.transport->fence();
    if (ranks.rank == 0 && data && !keeps)
        rc = rc ? rc : ranks.transport->get(data, bytes, ranks.size - 1, 0);
    for (int64_t i = 0; i < bytes && data && ranks.size > 1 && good; i++)
        good = data[i] == (unsigned char)(i * 31 + (i >> 20));
    check(!rc && good, "a piece of more than 2^31 bytes");
    ranks.transport->close();
    free(data);
}

/* ---------------------------------------------------------------- FFTW */

#ifdef WITH_FFTW
enum { RUNS = 9 };

/* This rank's planes, the transform of all, and FFTW's: rows of y are spread, z is whole. */
struct beside {
    int64_t n, z0, y0, ny;
    const fftwf_complex *in, *theirs;
    struct gf_rank_exchange exchange;
    void *context;
    struct gf_plan *plan;
    bool compares;
    double error, sum;
};

static int read_planes(void *user, int64_t first, struct gf_array *pages) {
    const struct beside *f = user;
    memcpy(pages->data, f->in + (first - f->z0) * f->n * f->n, (size_t)gf_array_bytes(pages));
    return 0;
}

static int take_rows(void *user, int i, const struct gf_slab_rows *rows, const void *data) {
    struct beside *f = user;
    (void)i;
    for (int64_t k = 0; k < rows->count && f->compares; k++) {
        if (rows->row + k < f->y0 || rows->row + k >= f->y0 + f->ny)
            continue; /* FFTW has it elsewhere */
        const float *x = (const float *)data + 2 * k * f->n;
        const float *y = f->theirs[((rows->row + k - f->y0) * f->n + rows->page) * f->n];
        for (int64_t j = 0; j < 2 * f->n; j++) {
            f->error += (double)(x[j] - y[j]) * (x[j] - y[j]);
            f->sum += (double)x[j] * x[j];
        }
    }
    return 0;
}

static int put(void *user, int64_t at, const void *data, int64_t bytes) {
    return gf_rank_exchange_put(&((struct beside *)user)->exchange, at, data, bytes);
}
static int get(void *user, int64_t at, void *data, int64_t bytes) {
    return gf_rank_exchange_get(&((struct beside *)user)->exchange, at, data, bytes);
}
static void *lend(void *user, int64_t at, int64_t bytes) {
    return gf_rank_exchange_lend(&((struct beside *)user)->exchange, at, bytes);
}

static int turn(void *user, int rc) {
    return gf_rank_exchange_turn(&((struct beside *)user)->exchange, rc);
}

static int run_job(void *user, const struct gf_job *job, const struct gf_array *in,
                   struct gf_array *out, struct gf_report *report) {
    struct beside *f = user;
    const int rc = gf_backend_replan(&gf_backend_openmp, f->context, job, &f->plan);
    return rc ? rc : gf_plan_exec(f->plan, in, out, report);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t, size_t n) {
    qsort(t, n, sizeof *t, by_value);
    return t[n / 2];
}

/* They take turns; FFTW leaves its result transposed in memory, the slabs hand theirs out row by row. */
static void time_fftw(int64_t n) {
    struct beside f = {.n = n};
    const struct gf_slab_io io = {.user = &f,
                                  .threads = 1,
                                  .ranks = &ranks,
                                  .turn = turn,
                                  .read = read_planes,
                                  .write = take_rows,
                                  .put = put,
                                  .get = get,
                                  .lend = lend,
                                  .run = run_job};
    const struct gf_job job = complex_job(n, n, n);
    struct gf_slab_plan p;
    struct gf_report report;
    ptrdiff_t z0, nz, y0, ny;
    double ours[RUNS], theirs[RUNS];
    fftwf_mpi_init();
    const size_t points =
        (size_t)fftwf_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &nz, &z0, &ny, &y0);
    fftwf_complex *a = fftwf_alloc_complex(points), *b = fftwf_alloc_complex(points);
    fftwf_plan plan = fftwf_mpi_plan_dft_3d(n, n, n, a, b, MPI_COMM_WORLD, FFTW_FORWARD,
                                            FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
    for (ptrdiff_t i = 0; i < nz * n * n; i++) {
        a[i][0] = (float)(i * 2654435761u % 1000) / 1000;
        a[i][1] = (float)(i * 40503u % 1000) / 1000;
    }
    f.z0 = z0, f.y0 = y0, f.ny = ny, f.in = a, f.theirs = b;
    int rc = gf_backend_openmp.open(&gf_backend_openmp, &(struct gf_backend_options){.threads = 1},
                                    &f.context);
    if (!rc)
        rc = gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, INT64_C(1) << 40, ranks.size, &p);
    if (!rc)
        rc = gf_rank_exchange_open(&ranks, &p, &f.exchange);
    for (int i = 0; i < RUNS && !rc; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        fftwf_execute(plan);
        MPI_Barrier(MPI_COMM_WORLD);
        theirs[i] = MPI_Wtime() - start;
        start = MPI_Wtime();
        rc = gf_slab_run(&p, &io, &report);
        MPI_Barrier(MPI_COMM_WORLD);
        ours[i] = MPI_Wtime() - start;
    }
    f.compares = true;
    rc = rc ? rc : gf_slab_run(&p, &io, &report);
    check(!rc && f.sum > 0 && f.error < 1e-12 * f.sum,
          rc ? gf_message() : "FFTW has other results");
    if (ranks.rank == 0 && !rc)
        printf("%dx%dx%d, %d ranks: FFTW %.1f ms, gpufft %.1f ms, ratio %.2f\n", (int)n, (int)n,
               (int)n, ranks.size, median(theirs, RUNS) * 1e3, median(ours, RUNS) * 1e3,
               median(theirs, RUNS) / median(ours, RUNS));
    gf_plan_drop(f.plan);
    gf_backend_openmp.close(f.context);
    gf_rank_exchange_close(&f.exchange);
    fftwf_destroy_plan(plan);
    fftwf_free(a);
    fftwf_free(b);
}
#endif

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "exchange";
    ranks.transport = gf_transport();
    if (ranks.transport->start(&ranks.rank, &ranks.size))
        return 1;
    if (!strcmp(what, "exchange")) {
        test_exchange(8, 8, 8);
        test_exchange(7, 11, 13);
        test_exchange(3, 2, 5);
        test_exchange(64, 40, 24);
    } else if (!strcmp(what, "large")) {
        test_large();
    }
#ifdef WITH_FFTW
    else if (argc > 2)
        time_fftw(atol(argv[2]));
#endif
    if (ranks.rank == 0)
        printf("%d passed, %d failed\n", passed, failed);
    ranks.transport->stop();
    return failed != 0;
}
