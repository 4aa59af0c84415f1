/* A spectrum to samples: rows of the spectrum's file, the exchange, planes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/clock.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "core/mpi/direction.h"
#include "core/mpi/slabs.h"

struct inverse {
    struct gf_slabs v;
    struct gf_spread *s;
    bool hermitian;  /* a whole spectrum, of which the symmetric part is taken */
    int64_t columns; /* of a row of the file */
    struct gf_file_rows file;
    struct gf_array in;    /* room for a chunk of its rows */
    char *whole;           /* hermitian: z, own rows, x, channel */
    int64_t chunk, rounds; /* planes of the output at a time */
    struct gf_array out;   /* room for a chunk of it */
    double energy, anti_energy;
    uint32_t crc32;
};

/* ---------------------------------------------------------------- rows */

/* n complex numbers of the file's type as ones of the arithmetic's. */
static void convert(const struct inverse *f, const char *from, int64_t n, char *to) {
    const bool wide = f->s->job.in_dtype == GF_C128;
    if (f->s->job.in_dtype == f->v.type) {
        memcpy(to, from, (size_t)n * gf_dtype_size(f->v.type));
        return;
    }
    for (int64_t i = 0; i < 2 * n; i++) {
        if (wide)
            ((float *)to)[i] = (float)((const double *)from)[i];
        else
            ((double *)to)[i] = ((const float *)from)[i];
    }
}

/* Row i of the file, which begins at frequency -shift_x, to its place among the own rows. */
static void place_row(struct inverse *f, int64_t i, const char *from) {
    const struct gf_slabs *v = &f->v;
    const int64_t shift = f->file.shift_x, rest = f->columns - shift;
    const int64_t sample = v->channels * (int64_t)gf_dtype_size(f->s->job.in_dtype);
    int64_t z, y;
    gf_file_rows_index(&f->file, i, &z, &y);
    char *to = f->hermitian ? f->whole : v->by_rows;
    to += (z * v->rows.count + gf_rows_index(&v->rows, y)) * f->columns * v->point;
    convert(f, from + shift * sample, rest * v->channels, to);
    convert(f, from, shift * v->channels, to + rest * v->point);
}

static void look_for_nonfinite(struct inverse *f, struct gf_array *rows, int64_t first) {
    struct gf_spread *s = f->s;
    int64_t at[GF_MAX_RANK], bad = gf_array_nonfinite(rows, at);
    if (bad && s->zero_nonfinite) {
        gf_samples_mend(rows, false);
        return;
    }
    if (bad && !s->nonfinite) {
        int64_t i = first + at[1];
        int64_t row = i / f->file.rows * f->v.ny + f->file.at[i % f->file.rows];
        s->first_nonfinite = (row * f->columns + at[2]) * f->v.channels + at[3];
    }
    s->nonfinite += bad;
}

static int read_rows(struct inverse *f) {
    struct gf_slabs *v = &f->v;
    struct gf_file_rows *file = &f->file;
    int rc = 0;
    for (int64_t i = 0; i < file->rounds && !rc; i++) {
        int64_t first, n = gf_file_rows_round(file, i, &first);
        int parts = gf_file_rows_parts(file, f->s->in.at, v->ny, first, n);
        rc = gf_ranks_read(v->ranks, file->parts, parts, f->in.data);
        rc = gf_ranks_agree(v->ranks, rc);
        struct gf_array rows = gf_array_slice(&f->in, 1, 0, n);
        if (!rc && n && f->s->in.swap)
            f->s->in.swap(&rows);
        if (!rc && n)
            look_for_nonfinite(f, &rows, first);
        for (int64_t k = 0; k < n && !rc; k++)
            place_row(f, first + k, (const char *)f->in.data + k * file->row);
    }
    return rc;
}

/* (F(k) + conj F(-k)) / 2, as the kernels make it (kernels/cpu/load.h). By Parseval the energy of the
 * rest is that of the result's imaginary part. */
#define HERMITIAN(real, suffix)                                                                    \
    static void join_##suffix(const real *a, const real *b, real *to, double weight,               \
                              struct inverse *f) {                                                 \
        const real half = (real)0.5, re = (a[0] + b[0]) * half, im = (a[1] - b[1]) * half;         \
        const double p = (double)((a[0] - b[0]) * half), q = (double)((a[1] + b[1]) * half);       \
        to[0] = re;                                                                                \
        to[1] = im;                                                                                \
        f->energy += weight * ((double)re * (double)re + (double)im * (double)im);                 \
        f->anti_energy += weight * (p * p + q * q);                                                \
    }
HERMITIAN(float, f32)
HERMITIAN(double, f64)

static void take_symmetric(struct inverse *f, int64_t z, int64_t row) {
    const struct gf_slabs *v = &f->v;
    const int64_t y = gf_rows_at(&v->rows, row), n = v->rows.count;
    const int64_t mirror = gf_rows_index(&v->rows, (v->ny - y) % v->ny);
    const char *a = f->whole + (z * n + row) * v->nx * v->point;
    const char *b = f->whole + ((v->nz - z) % v->nz * n + mirror) * v->nx * v->point;
    char *to = v->by_rows + (z * n + row) * v->row;
    for (int64_t x = 0; x < v->cols; x++) {
        const double weight = x == 0 || 2 * x == v->nx ? 1 : 2;
        const int64_t here = x * v->point, back = (v->nx - x) % v->nx * v->point;
        for (int64_t c = 0; c < v->channels; c++) {
            const int64_t at = c * (v->point / v->channels);
            if (v->type == GF_C128)
                join_f64((const double *)(a + here + at), (const double *)(b + back + at),
                         (double *)(to + here + at), weight, f);
            else
                join_f32((const float *)(a + here + at), (const float *)(b + back + at),
                         (float *)(to + here + at), weight, f);
        }
    }
}

static void make_symmetric(struct inverse *f) {
    for (int64_t z = 0; z < f->v.nz && f->hermitian; z++)
        for (int64_t i = 0; i < f->v.rows.count; i++)
            take_symmetric(f, z, i);
    gf_free(f->whole);
    f->whole = NULL;
}

/* ---------------------------------------------------------------- planes */

/* The two inner axes of n planes. */
static struct gf_job plane_job(const struct inverse *f, int64_t n) {
    const struct gf_job *whole = &f->s->job;
    struct gf_job job = gf_slabs_job(&f->v, n, f->v.ny, 6);
    job.shape[2] = f->v.nx;
    job.real = job.in_half = f->v.real;
    job.norm = whole->norm;
    job.out[0] = whole->out[0];
    return job;
}

static int64_t plane_bytes(const struct inverse *f) {
    return f->v.ny * f->v.nx * f->v.channels * (int64_t)gf_dtype_size(f->s->job.out[0].dtype);
}

static int make_planes(struct inverse *f, int64_t first, int64_t n) {
    struct gf_slabs *v = &f->v;
    struct gf_job job = plane_job(f, n);
    struct gf_report report = {.clipped = {0}};
    struct gf_array in =
        gf_slabs_array(v, v->by_planes + first * v->ny * v->row, v->type, n, v->ny, v->cols);
    struct gf_array out = gf_array_slice(&f->out, 0, 0, n);
    int64_t at[GF_MAX_RANK];
    int rc = gf_slabs_transform(v, &job, &in, &out, &report);
    if (rc)
        return rc;
    f->s->report.clipped[0] += report.clipped[0];
    f->s->overflowed += gf_array_nonfinite(&out, at);
    f->crc32 = (uint32_t)crc32_z(f->crc32, out.data, (size_t)(n * plane_bytes(f)));
    return 0;
}

static int write_planes(struct inverse *f) {
    struct gf_slabs *v = &f->v;
    const int64_t bytes = plane_bytes(f);
    int rc = 0;
    for (int64_t i = 0; i < f->rounds && !rc; i++) {
        int64_t first = i * f->chunk, left = v->planes.count - first;
        int64_t n = left < 0 ? 0 : left < f->chunk ? left : f->chunk;
        rc = gf_ranks_agree(v->ranks, n ? make_planes(f, first, n) : 0);
        if (!rc)
            rc = gf_slabs_write(v, f->s->out.at + (v->planes.first + first) * bytes, n * bytes,
                                f->chunk * bytes, f->out.data);
    }
    return rc;
}

/* The sum of all planes on all ranks, and what else the ranks found. */
static int add_up(struct inverse *f) {
    struct gf_spread *s = f->s;
    struct gf_ranks *ranks = s->ranks;
    double found[4] = {(double)s->report.clipped[0], (double)s->overflowed, f->energy,
                       f->anti_energy};
    uint32_t *all = malloc((size_t)ranks->size * sizeof *all);
    uLong total = 0;
    int rc = gf_ranks_agree(ranks, all ? 0 : gf_fail(GF_ENOMEM, "out of memory"));
    if (!rc)
        rc = gf_ranks_gather(ranks, &f->crc32, sizeof f->crc32, all);
    for (int i = 0; i < ranks->size && !rc; i++) {
        struct gf_span p = gf_slab_planes(f->v.nz, ranks->size, i, f->v.unit);
        total = crc32_combine(total, all[i], (z_off_t)(p.count * plane_bytes(f)));
    }
    free(all);
    if (!rc)
        rc = gf_ranks_sum(ranks, found, 4);
    s->crc32 = (uint32_t)total;
    s->report.clipped[0] = (int64_t)found[0];
    s->overflowed = (int64_t)found[1];
    if (found[2] > 0 || found[3] > 0)
        s->report.imag_ratio = found[2] > 0 ? sqrt(found[3] / found[2]) : INFINITY;
    return rc;
}

/* ---------------------------------------------------------------- all of it */

static int allocate(struct inverse *f) {
    struct gf_slabs *v = &f->v;
    const struct gf_job *job = &f->s->job;
    f->hermitian = v->real && !job->in_half;
    f->columns = job->in_half ? v->nx / 2 + 1 : v->nx;
    int rc = gf_file_rows_open(v, job->in_shift, job->in_half,
                               (int64_t)gf_dtype_size(job->in_dtype), &f->file);
    if (!rc)
        rc = gf_array_alloc(&f->in, job->in_dtype, 4,
                            (int64_t[]){1, f->file.chunk, f->columns, v->channels});
    f->chunk = gf_slabs_chunk(v, plane_bytes(f), &f->rounds);
    int64_t n = f->chunk < v->planes.count ? f->chunk : v->planes.count;
    if (!rc)
        rc = gf_array_alloc(&f->out, job->out[0].dtype, 4,
                            (int64_t[]){n > 0 ? n : 1, v->ny, v->nx, v->channels});
    if (!rc && f->hermitian &&
        !(f->whole = gf_alloc((size_t)(v->nz * v->rows.count * v->nx * v->point + 1))))
        rc = gf_fail(GF_ENOMEM, "no memory for a rank's share of the spectrum");
    return rc;
}

/* z of all rows, which become planes. */
static int exchange(struct inverse *f) {
    struct gf_slabs *v = &f->v;
    int rc = gf_slabs_expect_planes(v);
    int bad = gf_slabs_send_rows(v, true);
    rc = rc ? rc : bad;
    bad = gf_slabs_arrive(v);
    return gf_ranks_agree(v->ranks, rc ? rc : bad);
}

static int run(struct inverse *f) {
    struct gf_spread *s = f->s;
    struct gf_ranks *ranks = s->ranks;
    int rc = gf_slabs_open(s, &f->v);
    if (!rc)
        rc = allocate(f);
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = gf_ranks_open_file(ranks, s->in.path, false);
    if (rc)
        return rc;
    double start = gf_now_ms();
    rc = gf_ranks_close_file(ranks, read_rows(f));
    s->ms_read = gf_now_ms() - start;
    start = gf_now_ms();
    if (!rc)
        rc = gf_slabs_refuse_nonfinite(&f->v);
    if (!rc)
        make_symmetric(f);
    if (!rc)
        rc = exchange(f);
    s->ms_transform = gf_now_ms() - start;
    start = gf_now_ms();
    if (!rc)
        rc = gf_ranks_open_file(ranks, s->out.path, true);
    if (rc)
        return rc;
    rc = gf_ranks_close_file(ranks, write_planes(f));
    if (!rc)
        rc = add_up(f);
    s->ms_write = gf_now_ms() - start;
    return rc;
}

int gf_spread_inverse(struct gf_spread *s) {
    struct inverse f = {.s = s};
    int rc = run(&f);
    gf_file_rows_close(&f.file);
    gf_array_free(&f.in);
    gf_array_free(&f.out);
    gf_free(f.whole);
    gf_slabs_close(&f.v);
    return rc;
}
