/* The exchange between processes, and the transform that they share beside FFTW's. Built by an MPI compiler
 * wrapper (make check-mpi), started by mpirun:
 *
 *     reference exchange     every number arrives where its block has it
 *     reference large        pieces of more than 2^31 bytes
 *     reference times DxHxW [GB/s [RUNS]]
 *                            times of the exchange of complex numbers beside its lower bounds, as JSON: the time in
 *                            which all ranks at once copy as many bytes within their memory, and the link's
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
#include "core/schedule/plan.h"
#include "core/split/split.h"

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
    const struct gf_span slabs = gf_span_share(p.n_slabs, ranks.size, ranks.rank);
    const struct gf_span blocks = gf_span_share(p.n_blocks, ranks.size, ranks.rank);
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

/* ---------------------------------------------------------------- times of the exchange */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t, size_t n) {
    qsort(t, n, sizeof *t, by_value);
    return t[n / 2];
}

enum { RUNS = 9, MOST_RUNS = 100 };

/* This rank puts its slabs' pieces, all from one buffer. */
struct lab {
    struct gf_slab_plan plan;
    struct gf_rank_exchange exchange;
    double bytes_sent; /* to other ranks, by the rank that sends most */
    int64_t room;      /* bytes of the largest piece of any rank */
    char *piece, *copy;
};

/* Puts this rank's pieces, or only counts the bytes that other ranks keep. */
static int put_pieces(struct lab *l, bool counts) {
    const struct gf_slab_plan *p = &l->plan;
    const struct gf_span own = gf_ranks_own(&ranks, p->n_slabs);
    const int64_t *from = l->exchange.from + ranks.rank;
    int rc = 0;
    for (int64_t i = own.first; i < own.first + own.count; i++)
        for (int64_t k = 0; k < p->n_blocks && !rc; k++) {
            const int64_t at = gf_slab_piece_at(p, i, k), bytes = gf_slab_piece_bytes(p, i, k);
            if (!counts) {
                rc = gf_rank_exchange_put(&l->exchange, at, l->piece, bytes);
                continue;
            }
            const int64_t kept = gf_min(at + bytes, from[1]) - gf_max(at, from[0]);
            l->bytes_sent += (double)(bytes - gf_max(kept, 0));
            l->room = gf_max(l->room, bytes);
        }
    return rc;
}

static int exchange(struct lab *l) {
    return gf_rank_exchange_turn(&l->exchange, put_pieces(l, false));
}

static int copy(struct lab *l) {
    for (double left = l->bytes_sent; left > 0; left -= (double)l->room)
        memcpy(l->copy, l->piece, (size_t)(left < (double)l->room ? left : (double)l->room));
    return 0;
}

static int open_lab(struct lab *l, int64_t nz, int64_t ny, int64_t nx) {
    const struct gf_job job = complex_job(nz, ny, nx);
    int rc = gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, INT64_C(1) << 40, ranks.size,
                               &l->plan);
    if (!rc)
        rc = gf_rank_exchange_open(&ranks, &l->plan, &l->exchange);
    if (!rc)
        rc = put_pieces(l, true);
    double most[] = {l->bytes_sent, (double)l->room}; /* of all ranks */
    if (!rc)
        rc = gf_ranks_most(&ranks, most, 2);
    l->bytes_sent = most[0], l->room = (int64_t)most[1];
    l->piece = calloc((size_t)l->room, 1);
    l->copy = calloc((size_t)l->room, 1);
    return gf_ranks_agree(&ranks, rc || (l->piece && l->copy) ? rc : gf_no_memory());
}

static void close_lab(struct lab *l) {
    gf_rank_exchange_close(&l->exchange);
    free(l->piece);
    free(l->copy);
}

/* Milliseconds of the slowest rank, sorted; all start together. The first run is not counted. */
static int time_runs(struct lab *l, int (*work)(struct lab *l), double *ms, int runs) {
    int rc = 0;
    for (int i = -1; i < runs && !rc; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        rc = work(l);
        double *to = &ms[i < 0 ? 0 : i];
        *to = (MPI_Wtime() - start) * 1e3;
        rc = rc ? rc : gf_ranks_most(&ranks, to, 1);
    }
    qsort(ms, (size_t)runs, sizeof *ms, by_value);
    return rc;
}

static void time_exchange(const char *shape, double link, int runs) {
    struct lab l = {.room = 0};
    int nz = 0, ny = 0, nx = 0;
    double ms[MOST_RUNS], copies[MOST_RUNS];
    const bool sound =
        sscanf(shape, "%dx%dx%d", &nz, &ny, &nx) == 3 && runs > 0 && runs <= MOST_RUNS;
    int rc = sound ? open_lab(&l, nz, ny, nx) : gf_fail(GF_EUSAGE, "times DxHxW [GB/s [RUNS]]");
    rc = rc ? rc : time_runs(&l, exchange, ms, runs);
    rc = rc ? rc : time_runs(&l, copy, copies, runs);
    check(!rc, gf_message());
    if (!rc && ranks.rank == 0) {
        printf("{\"kind\":\"exchange\",\"shape\":\"%s\",\"mpi\":\"%s\",\"ranks\":%d,\"bytes_sent\":"
               "%.0f,"
               "\"runs\":%d,\"median_ms\":%g,\"least_ms\":%g,\"copy_ms\":%g",
               shape, ranks.transport->library, ranks.size, l.bytes_sent, runs,
               median(ms, (size_t)runs), ms[0], copies[0]);
        if (link > 0)
            printf(",\"link_ms\":%g", l.bytes_sent / link * 1e-6);
        puts("}");
    }
    close_lab(&l);
}

/* 8 planes of 20 - 10 rows of 32 numbers. */
static void test_bytes_sent(void) {
    struct lab l = {.room = 0};
    check(!open_lab(&l, 16, 20, 32) && (ranks.size != 2 || l.bytes_sent == 20480), "bytes sent");
    close_lab(&l);
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

/* They take turns; FFTW leaves its result transposed in memory, the slabs hand theirs out row by row. */
static void time_fftw(int64_t n) {
    struct beside f = {.n = n};
    struct gf_slab_io io = {.user = &f,
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
    io.serial = f.exchange.window;
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
        test_bytes_sent();
    } else if (!strcmp(what, "large")) {
        test_large();
    } else if (!strcmp(what, "times") && argc > 2) {
        time_exchange(argv[2], argc > 3 ? atof(argv[3]) : 0, argc > 4 ? atoi(argv[4]) : RUNS);
    }
#ifdef WITH_FFTW
    else if (!strcmp(what, "fftw") && argc > 2)
        time_fftw(atol(argv[2]));
#endif
    if (ranks.rank == 0)
        printf("%d passed, %d failed\n", passed, failed);
    ranks.transport->stop();
    return failed != 0;
}
