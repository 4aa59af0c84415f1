/* The exchange between processes against MPI's and FFTW's own. Built by an MPI compiler wrapper
 * (make check-mpi), started by mpirun:
 *
 *     reference exchange     against MPI_Alltoallw with subarray types (Dalcin, Mortensen, Keyes 2019)
 *     reference large        messages of more than 2^31 bytes
 *     reference fftw N       times of N x N x N, single precision, beside FFTW's MPI transforms
 *     reference files N DIR  the same from a file to a file in DIR
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_FFTW
#include <fftw3-mpi.h>
#endif

#include "core/base/backend.h"
#include "core/base/status.h"
#include "core/mpi/file_rows.h"
#include "core/mpi/slabs.h"

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

static int open_slabs(struct gf_spread *s, struct gf_slabs *v, const struct gf_job *job,
                      int threads) {
    *s = (struct gf_spread){
        .ranks = &ranks, .backend = &gf_backend_openmp, .job = *job, .grid = {ranks.size, 1}};
    int rc =
        gf_backend_open(s->backend, &(struct gf_backend_options){.threads = threads}, &s->context);
    return rc ? rc : gf_slabs_open(s, v);
}

static void close_slabs(struct gf_spread *s, struct gf_slabs *v) {
    gf_slabs_close(v);
    s->backend->close(s->context);
}

/* ---------------------------------------------------------------- MPI_Alltoallw */

/* Own planes of (z, y, x) to own rows, each block as a subarray at both ends: back[z][row][x]. */
static void alltoallw(const struct gf_slabs *v, const void *planes, void *rows) {
    const int n = ranks.size;
    int *counts = calloc((size_t)n, sizeof *counts), *zeros = calloc((size_t)n, sizeof *zeros);
    MPI_Datatype *send = malloc((size_t)n * sizeof(MPI_Datatype));
    MPI_Datatype *receive = malloc((size_t)n * sizeof(MPI_Datatype));
    MPI_Datatype point;
    MPI_Type_contiguous((int)v->point, MPI_BYTE, &point);
    for (int i = 0; i < n; i++) {
        struct gf_span z = gf_slab_planes(v->nz, n, i, v->shares.planes);
        struct gf_rows y = gf_slab_rows(v->ny, n, i, v->mirrored);
        counts[i] = 1;
        int own[3] = {(int)v->planes.count, (int)v->ny, (int)v->cols};
        int part[3] = {(int)v->planes.count, (int)y.count, (int)v->cols};
        int from[3] = {0, (int)y.range[0].first, 0};
        bool some = v->planes.count && y.count;
        if (some)
            MPI_Type_create_subarray(3, own, part, from, MPI_ORDER_C, point, &send[i]);
        else
            MPI_Type_contiguous(0, point, &send[i]);
        int all[3] = {(int)v->nz, (int)v->rows.count, (int)v->cols};
        int got[3] = {(int)z.count, (int)v->rows.count, (int)v->cols};
        int to[3] = {(int)z.first, 0, 0};
        some = z.count && v->rows.count;
        if (some)
            MPI_Type_create_subarray(3, all, got, to, MPI_ORDER_C, point, &receive[i]);
        else
            MPI_Type_contiguous(0, point, &receive[i]);
        MPI_Type_commit(&send[i]);
        MPI_Type_commit(&receive[i]);
    }
    MPI_Alltoallw(planes, counts, zeros, send, rows, counts, zeros, receive, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        MPI_Type_free(&send[i]);
        MPI_Type_free(&receive[i]);
    }
    MPI_Type_free(&point);
    free(counts);
    free(zeros);
    free(send);
    free(receive);
}

static void test_exchange(int64_t nz, int64_t ny, int64_t nx) {
    struct gf_spread s;
    struct gf_slabs v;
    char what[80];
    struct gf_job job = complex_job(nz, ny, nx);
    snprintf(what, sizeof what, "exchange of %dx%dx%d", (int)nz, (int)ny, (int)nx);
    if (open_slabs(&s, &v, &job, 1)) {
        check(0, gf_message());
        return;
    }
    size_t own = (size_t)(v.planes.count * v.ny * v.row),
           got = (size_t)(v.nz * v.rows.count * v.row);
    char *want = calloc(got + 1, 1), *sent = malloc(own + 1);
    for (size_t i = 0; i < own; i++)
        sent[i] = v.by_planes[i] = (char)(i * 2654435761u >> 13 ^ (size_t)ranks.rank * 97);
    alltoallw(&v, v.by_planes, want);
    int rc = gf_slabs_expect_rows(&v);
    for (int64_t z = 0; z < v.planes.count && !rc; z += 2)
        rc = gf_slabs_send_planes(&v, z, v.planes.count - z < 2 ? v.planes.count - z : 2);
    rc = rc ? rc : gf_slabs_arrive(&v);
    check(!rc && (!got || !memcmp(want, v.by_rows, got)), what);
    /* And back. */
    if (own)
        memset(v.by_planes, 0, own);
    rc = gf_slabs_expect_planes(&v);
    rc = rc ? rc : gf_slabs_send_rows(&v, false);
    rc = rc ? rc : gf_slabs_arrive(&v);
    check(!rc && (!own || !memcmp(sent, v.by_planes, own)), what);
    free(want);
    free(sent);
    close_slabs(&s, &v);
}

/* ---------------------------------------------------------------- large messages */

static void test_large(void) {
    const int64_t bytes = (INT64_C(1) << 31) + 12345;
    const int peer = ranks.size - 1 - ranks.rank;
    unsigned char *data = ranks.rank == 0 || peer == 0 ? malloc((size_t)bytes) : NULL;
    int good = 1, rc = 0;
    if (ranks.rank == 0 && data && ranks.size > 1) {
        for (int64_t i = 0; i < bytes; i++)
            data[i] = (unsigned char)(i * 31 + (i >> 20));
        rc = gf_ranks_send(&ranks, data, bytes, peer);
    } else if (peer == 0 && data) {
        rc = gf_ranks_receive(&ranks, data, bytes, peer);
    }
    rc = rc ? rc : gf_ranks_progress(&ranks, true);
    for (int64_t i = 0; i < bytes && peer == 0 && data && good; i++)
        good = data[i] == (unsigned char)(i * 31 + (i >> 20));
    check(!rc && good && (data || (ranks.rank && peer)), "a message of more than 2^31 bytes");
    free(data);
}

/* ---------------------------------------------------------------- FFTW */

#ifdef WITH_FFTW
static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { RUNS = 9, FILE_RUNS = 5 };

static double median(double *t, size_t n) {
    qsort(t, n, sizeof *t, by_value);
    return t[n / 2];
}

/* Both leave the spectrum transposed: y is spread, z is whole. They take turns. */
static void time_fftw(int64_t n) {
    struct gf_spread s;
    struct gf_slabs v;
    struct gf_job job = complex_job(n, n, n);
    ptrdiff_t z0, nz, y0, ny;
    double ours[RUNS], theirs[RUNS], error = 0, sum = 0;
    fftwf_mpi_init();
    ptrdiff_t points =
        fftwf_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &nz, &z0, &ny, &y0);
    fftwf_complex *a = fftwf_alloc_complex((size_t)points),
                  *b = fftwf_alloc_complex((size_t)points);
    fftwf_plan plan = fftwf_mpi_plan_dft_3d(n, n, n, a, b, MPI_COMM_WORLD, FFTW_FORWARD,
                                            FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
    if (open_slabs(&s, &v, &job, 1) || v.planes.count != nz || v.rows.count != ny) {
        check(0, "FFTW shares otherwise");
        return;
    }
    for (ptrdiff_t i = 0; i < nz * n * n; i++) {
        a[i][0] = (float)(i * 2654435761u % 1000) / 1000;
        a[i][1] = (float)(i * 40503u % 1000) / 1000;
    }
    struct gf_array in = gf_slabs_array(&v, a, GF_C64, nz, n, n);
    int rc = 0;
    for (int i = 0; i < RUNS && !rc; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        fftwf_execute(plan);
        MPI_Barrier(MPI_COMM_WORLD);
        double middle = MPI_Wtime();
        rc = gf_slabs_forward(&v, &in);
        MPI_Barrier(MPI_COMM_WORLD);
        theirs[i] = middle - start;
        ours[i] = MPI_Wtime() - middle;
    }
    const float *x = (const float *)v.by_rows;
    for (int64_t z = 0; z < n; z++)
        for (int64_t y = 0; y < ny; y++)
            for (int64_t i = 0; i < 2 * n; i++) {
                double f = b[(y * n + z) * n + i / 2][i % 2], g = x[((z * ny + y) * n) * 2 + i];
                error += (f - g) * (f - g);
                sum += f * f;
            }
    check(!rc && error < 1e-12 * sum, "FFTW has other results");
    double t = median(theirs, RUNS), o = median(ours, RUNS);
    if (ranks.rank == 0)
        printf("%dx%dx%d, %d ranks: FFTW %.1f ms, gpufft %.1f ms, ratio %.2f\n", (int)n, (int)n,
               (int)n, ranks.size, t * 1e3, o * 1e3, t / o);
    fftwf_destroy_plan(plan);
    fftwf_free(a);
    fftwf_free(b);
    close_slabs(&s, &v);
}

/* FFTW's transform between two files, each read and written by the functions that gpufft's are. */
struct files {
    int64_t n;
    struct gf_spread_file in, out;
    const struct gf_slabs *v; /* FFTW shares planes and rows in the same way */
    fftwf_complex *a, *b;
    fftwf_plan plan;
};

/* Own planes, which lie in the file one after the other. */
static int move_planes(const struct files *f, const struct gf_spread_file *file, void *data,
                       bool write) {
    const int64_t plane = f->n * f->n * (int64_t)sizeof(fftwf_complex);
    struct gf_file_part part = {file->at + f->v->planes.first * plane, f->v->planes.count * plane};
    int rc = gf_ranks_open_file(&ranks, file->path, write);
    if (rc)
        return rc;
    return gf_ranks_close_file(&ranks, gf_file_transfer(&ranks, &part, 1, part.bytes, data, write));
}

/* Rows of b[own y][z][x], in the order of the file. */
static int write_rows(const struct files *f) {
    const size_t row = (size_t)f->n * sizeof(fftwf_complex);
    struct gf_file_rows rows;
    int64_t first, z, y;
    int rc = gf_file_rows_open(f->v, &f->out, false, false, sizeof(fftwf_complex), &rows);
    char *data = malloc((size_t)rows.chunk * row);
    rc = rc ? rc : gf_ranks_open_file(&ranks, f->out.path, true);
    for (int64_t i = 0; i < rows.rounds && data && !rc; i++) {
        const int64_t count = gf_file_rows_round(&rows, i, &first);
        for (int64_t k = 0; k < count; k++) {
            gf_file_rows_index(&rows, first + k, &z, &y);
            y -= f->v->rows.range[0].first;
            memcpy(data + (size_t)k * row, f->b[(y * f->n + z) * f->n], row);
        }
        rc = gf_ranks_write(&ranks, rows.parts, gf_file_rows_parts(&rows, first, count), data);
    }
    free(data);
    gf_file_rows_close(&rows);
    return gf_ranks_close_file(&ranks, rc);
}

static double time_theirs(const struct files *f, bool transposed, int *rc) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    *rc = *rc ? *rc : move_planes(f, &f->in, f->a, false);
    fftwf_execute(f->plan);
    if (!*rc)
        *rc = transposed ? write_rows(f) : move_planes(f, &f->out, f->b, true);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

static double time_ours(struct gf_spread *s, int *rc) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    *rc = *rc ? *rc : gf_spread_run(s);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

/* Whether two files of so many bytes hold about the same numbers. Rank 0 reads them. */
static bool agree(const char *a, const char *b, size_t bytes) {
    enum { ROOM = 1 << 16 };
    static float x[ROOM], y[ROOM];
    double error = 0, sum = 0;
    FILE *p = fopen(a, "rb"), *q = fopen(b, "rb");
    size_t all = 0, n = ROOM;
    while (p && q && n == ROOM) {
        n = fread(x, sizeof *x, ROOM, p);
        n = fread(y, sizeof *y, ROOM, q) == n ? n : 0;
        for (size_t i = 0; i < n; i++) {
            error += (double)(x[i] - y[i]) * (x[i] - y[i]);
            sum += (double)x[i] * x[i];
        }
        all += n * sizeof *x;
    }
    if (p)
        fclose(p);
    if (q)
        fclose(q);
    return all == bytes && sum > 0 && error < 1e-12 * sum;
}

/* The input, and both outputs, empty. */
static bool make_files(char path[3][4096], size_t bytes) {
    enum { ROOM = 1 << 15 };
    static float x[ROOM];
    bool good = true;
    for (int k = 0; k < 3; k++) {
        FILE *f = fopen(path[k], "wb");
        for (size_t at = 0; f && !k && at < bytes; at += sizeof x) {
            for (size_t i = 0; i < ROOM; i++)
                x[i] = (float)((at + i) * 2654435761u % 1000) / 1000;
            good &= fwrite(x, sizeof x, 1, f) == 1;
        }
        good &= f && !fclose(f);
    }
    return good;
}

static void time_files(int64_t n, const char *folder) {
    static const char *const name[] = {"in", "ours", "theirs"};
    const size_t bytes = (size_t)(n * n * n) * sizeof(fftwf_complex);
    char path[3][4096];
    double ours[FILE_RUNS], theirs[2][FILE_RUNS];
    struct gf_spread s;
    struct gf_slabs v;
    struct gf_job job = complex_job(n, n, n);
    ptrdiff_t at[4];
    int rc = 0;
    fftwf_mpi_init();
    for (int k = 0; k < 3; k++)
        snprintf(path[k], sizeof path[k], "%s/reference-%s.raw", folder, name[k]);
    size_t points = (size_t)fftwf_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &at[0],
                                                               &at[1], &at[2], &at[3]);
    check(ranks.rank || make_files(path, bytes), folder);
    if (open_slabs(&s, &v, &job, 1) || v.planes.count != at[0] || v.rows.count != at[2]) {
        check(0, "FFTW shares otherwise");
        return;
    }
    struct files f = {.n = n, .in = {path[0], 0, NULL, 0}, .out = {path[2], 0, NULL, 0}, .v = &v};
    s.in = f.in;
    s.out = (struct gf_spread_file){path[1], 0, NULL, 0};
    f.a = fftwf_alloc_complex(points);
    f.b = fftwf_alloc_complex(points);
    for (int k = 0; k < 2; k++) {
        f.plan = fftwf_mpi_plan_dft_3d(n, n, n, f.a, f.b, MPI_COMM_WORLD, FFTW_FORWARD,
                                       FFTW_MEASURE | (k ? FFTW_MPI_TRANSPOSED_OUT : 0));
        for (int i = 0; i < FILE_RUNS; i++) {
            theirs[k][i] = time_theirs(&f, k, &rc);
            ours[i] = time_ours(&s, &rc);
        }
        check(!rc && (ranks.rank || agree(path[1], path[2], bytes)), "FFTW's file is another");
        fftwf_destroy_plan(f.plan);
    }
    double o = median(ours, FILE_RUNS), t = median(theirs[0], FILE_RUNS);
    double u = median(theirs[1], FILE_RUNS);
    if (ranks.rank == 0)
        printf("%dx%dx%d, %d ranks, file to file: FFTW %.0f ms, transposed out %.0f ms, gpufft "
               "%.0f ms, ratio %.2f\n",
               (int)n, (int)n, (int)n, ranks.size, t * 1e3, u * 1e3, o * 1e3, (t < u ? t : u) / o);
    for (int k = 0; k < 3 && ranks.rank == 0; k++)
        remove(path[k]);
    fftwf_free(f.a);
    fftwf_free(f.b);
    close_slabs(&s, &v);
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
    else if (!strcmp(what, "files") && argc > 3)
        time_files(atol(argv[2]), argv[3]);
    else if (argc > 2)
        time_fftw(atol(argv[2]));
#endif
    if (ranks.rank == 0)
        printf("%d passed, %d failed\n", passed, failed);
    ranks.transport->stop();
    return failed != 0;
}
