/* Samples to a spectrum: planes, the exchange, rows, and the spectrum's file. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "core/mpi/direction.h"
#include "core/mpi/slabs.h"

struct forward {
    struct gf_slabs v;
    struct gf_spread *s;
    int64_t chunk, rounds; /* planes of the input at a time */
    struct gf_array in;    /* room for a chunk of it */
    char *last;            /* packed: the frequency n / 2, as [z][own row][channel] */
    struct gf_file_rows file;
    char *line, *values,
        *samples; /* a row as complex numbers; a chunk of rows; as they are written */
    uint32_t *sum;
};

/* ---------------------------------------------------------------- planes */

static int64_t plane_bytes(const struct forward *f) {
    const struct gf_job *job = &f->s->job;
    return f->v.ny * f->v.nx * job->channels * (int64_t)gf_dtype_size(job->in_dtype);
}

/* Counts, or mends, what is not finite in planes first .. first + n of the own ones. */
static void look_for_nonfinite(struct forward *f, struct gf_array *in, int64_t first) {
    struct gf_spread *s = f->s;
    int64_t at[GF_MAX_RANK], bad = gf_array_nonfinite(in, at);
    if (!bad)
        return;
    if (s->zero_nonfinite) {
        gf_samples_mend(in, false);
        return;
    }
    if (!s->nonfinite) {
        int64_t z = f->v.planes.first + first + at[0];
        s->first_nonfinite = ((z * f->v.ny + at[1]) * f->v.nx + at[2]) * s->job.channels + at[3];
    }
    s->nonfinite += bad;
}

/* Reads and transforms planes first .. first + n of the own ones, n perhaps 0. */
static int take_planes(struct forward *f, int64_t first, int64_t n) {
    struct gf_slabs *v = &f->v;
    struct gf_spread *s = f->s;
    const int64_t bytes = plane_bytes(f);
    double start = gf_now_ms();
    int rc = gf_slabs_read(v, s->in.at + (v->planes.first + first) * bytes, n * bytes,
                           f->chunk * bytes, f->in.data);
    s->ms_read += gf_now_ms() - start;
    if (rc || !n)
        return rc;
    struct gf_array in = gf_array_slice(&f->in, 0, 0, n);
    if (s->in.swap)
        s->in.swap(&in);
    look_for_nonfinite(f, &in, first);
    return gf_slabs_planes(v, &in, first);
}

static int run_planes(struct forward *f) {
    struct gf_slabs *v = &f->v;
    int rc = gf_slabs_expect_rows(v);
    for (int64_t i = 0; i < f->rounds && !v->ranks->broken; i++) {
        int64_t first = i * f->chunk, left = v->planes.count - first;
        int64_t n = left < 0 ? 0 : left < f->chunk ? left : f->chunk;
        /* After a failure of its own a rank keeps step, and sends what the others wait for. */
        int bad = rc ? gf_slabs_read(v, 0, 0, f->chunk * plane_bytes(f), f->in.data)
                     : take_planes(f, first, n);
        rc = rc ? rc : bad;
        bad = gf_slabs_send_planes(v, first, n);
        rc = rc ? rc : bad;
    }
    int bad = gf_slabs_arrive(v);
    return gf_ranks_agree(v->ranks, rc ? rc : bad);
}

/* ---------------------------------------------------------------- rows */

/* Samples of a real volume have symmetric spectra: what follows for the frequencies x = 0 and n / 2,
 * which the half spectrum has with both of each pair. */
#define PAIRS(real, suffix)                                                                        \
    /* A of A + i B at a frequency x and B, from there and from the mirror image y. */             \
    static void unpack_##suffix(real *x, real *y, real *p, real *q) {                              \
        const real half = (real)0.5, zr = x[0], zi = x[1], yr = y[0], yi = y[1];                   \
        const real ar = (zr + yr) * half, ai = (zi - yi) * half;                                   \
        const real br = (zi + yi) * half, bi = (yr - zr) * half;                                   \
        y[0] = ar;                                                                                 \
        y[1] = -ai;                                                                                \
        x[0] = ar;                                                                                 \
        x[1] = ai;                                                                                 \
        q[0] = br;                                                                                 \
        q[1] = -bi;                                                                                \
        p[0] = br;                                                                                 \
        p[1] = bi;                                                                                 \
    }
PAIRS(float, f32)
PAIRS(double, f64)

static char *last_at(const struct forward *f, int64_t z, int64_t row) {
    return f->last + (z * f->v.rows.count + row) * f->v.point;
}

static char *first_at(const struct forward *f, int64_t z, int64_t row) {
    return f->v.by_rows + (z * f->v.rows.count + row) * f->v.row;
}

/* Row y of the column and its mirror image, in the roles that they have in one process
 * (kernels/cpu/tile.h), where these decide the sign of zeros. */
static void unpack_row(struct forward *f, int64_t y) {
    const struct gf_slabs *v = &f->v;
    const bool wide = v->type == GF_C128;
    const int64_t mirror = (v->ny - y) % v->ny, nearest = y < mirror ? y : mirror;
    const int64_t a = gf_rows_index(&v->rows, y), b = gf_rows_index(&v->rows, mirror);
    const bool own = y == mirror;
    if (!own && (mirror > y) != (nearest % 2 != 0))
        return;
    for (int64_t z = 0; z < (own ? v->nz / 2 + 1 : v->nz); z++)
        for (int64_t c = 0; c < v->channels; c++) {
            const int64_t at = c * (v->point / v->channels), back = (v->nz - z) % v->nz;
            char *x = first_at(f, z, a) + at, *m = first_at(f, back, b) + at;
            char *p = last_at(f, z, a) + at, *q = last_at(f, back, b) + at;
            if (wide)
                unpack_f64((double *)x, (double *)m, (double *)p, (double *)q);
            else
                unpack_f32((float *)x, (float *)m, (float *)p, (float *)q);
        }
}

/* Frequencies that are their own mirror image are real. */
static void drop_imaginary(const struct forward *f, char *value) {
    for (int64_t c = 0; c < f->v.channels; c++) {
        const int64_t at = c * (f->v.point / f->v.channels);
        if (f->v.type == GF_C128)
            ((double *)(value + at))[1] = 0;
        else
            ((float *)(value + at))[1] = 0;
    }
}

static void make_symmetric(struct forward *f) {
    const struct gf_slabs *v = &f->v;
    for (int64_t i = 0; i < v->rows.count && v->packed; i++)
        unpack_row(f, gf_rows_at(&v->rows, i));
    for (int64_t i = 0; i < v->rows.count; i++) {
        const int64_t y = gf_rows_at(&v->rows, i);
        for (int64_t z = 0; z < v->nz; z++) {
            if (z != (v->nz - z) % v->nz || y != (v->ny - y) % v->ny)
                continue;
            drop_imaginary(f, first_at(f, z, i));
            if (v->packed)
                drop_imaginary(f, last_at(f, z, i));
            else if (v->nx % 2 == 0)
                drop_imaginary(f, first_at(f, z, i) + v->nx / 2 * v->point);
        }
    }
}

/* ---------------------------------------------------------------- the file */

/* The frequencies x = 0 .. of a row, as far as the half spectrum has them. */
static void half_row(const struct forward *f, int64_t z, int64_t y, char *to) {
    const struct gf_slabs *v = &f->v;
    const int64_t i = gf_rows_index(&v->rows, y);
    memcpy(to, first_at(f, z, i), (size_t)v->row);
    if (v->packed)
        memcpy(to + v->row, last_at(f, z, i), (size_t)v->point);
}

/* `value` becomes the conjugate of `from`. */
static void conjugate(const struct forward *f, const char *from, char *value) {
    memcpy(value, from, (size_t)f->v.point);
    for (int64_t c = 0; c < f->v.channels; c++) {
        if (f->v.type == GF_C128)
            ((double *)value)[2 * c + 1] = -((double *)value)[2 * c + 1];
        else
            ((float *)value)[2 * c + 1] = -((float *)value)[2 * c + 1];
    }
}

/* A row of the file as complex numbers: the other half from the row at the mirror image, and the
 * frequency 0 where the file has it. */
static void whole_row(struct forward *f, int64_t z, int64_t y, char *to) {
    const struct gf_slabs *v = &f->v;
    const bool half = f->s->job.out[0].half;
    char *line = f->file.shift_x ? f->line : to;
    half_row(f, z, y, line);
    if (v->real && !half) {
        const int64_t i = gf_rows_index(&v->rows, (v->ny - y) % v->ny);
        const char *mirror = first_at(f, (v->nz - z) % v->nz, i);
        for (int64_t x = v->nx / 2 + 1; x < v->nx; x++)
            conjugate(f, mirror + (v->nx - x) * v->point, line + x * v->point);
    }
    if (!f->file.shift_x)
        return;
    const size_t shift = (size_t)(f->file.shift_x * v->point);
    const size_t rest = (size_t)(v->nx * v->point) - shift;
    memcpy(to + shift, line, rest);
    memcpy(to, line + rest, shift);
}

/* Only the store step: n rows of complex numbers to samples. */
static int store_rows(struct forward *f, int64_t n, int64_t columns, const char **samples) {
    struct gf_slabs *v = &f->v;
    const struct gf_job *whole = &f->s->job;
    const struct gf_output *o = &whole->out[0];
    *samples = f->values;
    struct gf_job job = gf_slabs_job(v, 1, n, 1);
    job.shape[2] = columns;
    job.norm = whole->norm;
    job.elsewhere = gf_job_points(whole);
    job.out[0].kind = o->kind;
    job.out[0].dtype = o->dtype;
    struct gf_array in = gf_slabs_array(v, f->values, v->type, 1, n, columns);
    struct gf_array out = in;
    int rc = 0;
    if (o->kind != GF_COMPLEX || o->dtype != v->type || gf_job_scale(&job) != 1) {
        out = gf_slabs_array(v, f->samples, o->dtype, 1, n, columns);
        *samples = f->samples;
        rc = gf_slabs_transform(v, &job, &in, &out, NULL);
    }
    int64_t first[GF_MAX_RANK];
    if (!rc && !gf_job_is_bounded(whole))
        f->s->overflowed += gf_array_nonfinite(&out, first);
    return rc;
}

static int write_rows(struct forward *f) {
    struct gf_slabs *v = &f->v;
    struct gf_file_rows *file = &f->file;
    const int64_t columns = v->real && f->s->job.out[0].half ? v->nx / 2 + 1 : v->nx;
    const int64_t bytes = columns * v->point;
    int rc = 0;
    for (int64_t i = 0; i < file->rounds && !rc; i++) {
        int64_t first, z, y, n = gf_file_rows_round(file, i, &first);
        const char *samples = f->values;
        for (int64_t k = 0; k < n; k++) {
            gf_file_rows_index(file, first + k, &z, &y);
            whole_row(f, z, y, f->values + k * bytes);
        }
        int bad = n ? store_rows(f, n, columns, &samples) : 0;
        if (!bad)
            gf_file_rows_add(file, first, n, samples, f->sum);
        int parts = gf_file_rows_parts(file, f->s->out.at, v->ny, first, n);
        rc = gf_ranks_write(v->ranks, file->parts, parts, samples);
        rc = gf_ranks_agree(v->ranks, bad ? bad : rc);
    }
    return rc;
}

/* ---------------------------------------------------------------- all of it */

static int allocate(struct forward *f) {
    struct gf_slabs *v = &f->v;
    const struct gf_job *job = &f->s->job;
    const struct gf_output *o = &job->out[0];
    const int64_t columns = v->real && o->half ? v->nx / 2 + 1 : v->nx;
    const int64_t sample = (int64_t)gf_dtype_size(o->dtype);
    f->chunk = gf_slabs_chunk(v, plane_bytes(f), &f->rounds);
    int64_t n = f->chunk < v->planes.count ? f->chunk : v->planes.count;
    int rc = gf_array_alloc(&f->in, job->in_dtype, 4,
                            (int64_t[]){n > 0 ? n : 1, v->ny, v->nx, job->channels});
    if (!rc)
        rc = gf_file_rows_open(v, o->shift, v->real && o->half, sample, &f->file);
    if (rc)
        return rc;
    const size_t line = (size_t)((columns + 1) * v->point), rows = (size_t)f->file.chunk;
    f->line = gf_alloc((size_t)((v->nx + 1) * v->point));
    f->values = gf_alloc(rows * line);
    f->samples = gf_alloc(rows * (size_t)f->file.row);
    f->sum = calloc((size_t)(v->nz * GF_MOST_RUNS), sizeof *f->sum);
    if (v->packed)
        f->last = gf_alloc((size_t)(v->nz * v->rows.count * v->point + 1));
    return f->line && f->values && f->samples && f->sum && (f->last || !v->packed)
               ? 0
               : gf_fail(GF_ENOMEM, "out of memory");
}

static int run(struct forward *f) {
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
    rc = gf_ranks_close_file(ranks, run_planes(f));
    if (!rc)
        rc = gf_slabs_refuse_nonfinite(&f->v);
    if (!rc)
        rc = gf_ranks_agree(ranks, gf_slabs_rows(&f->v));
    if (!rc && f->v.real)
        make_symmetric(f);
    s->ms_transform = gf_now_ms() - start - s->ms_read;
    start = gf_now_ms();
    if (!rc)
        rc = gf_ranks_open_file(ranks, s->out.path, true);
    if (rc)
        return rc;
    rc = gf_ranks_close_file(ranks, write_rows(f));
    if (!rc)
        rc = gf_file_rows_sum(&f->v, &f->file, f->sum, &s->crc32);
    double overflowed = (double)s->overflowed;
    if (!rc)
        rc = gf_ranks_sum(ranks, &overflowed, 1);
    s->overflowed = (int64_t)overflowed;
    s->ms_write = gf_now_ms() - start;
    return rc;
}

int gf_spread_forward(struct gf_spread *s) {
    struct forward f = {.s = s};
    int rc = run(&f);
    gf_file_rows_close(&f.file);
    gf_array_free(&f.in);
    gf_free(f.last);
    gf_free(f.line);
    gf_free(f.values);
    gf_free(f.samples);
    free(f.sum);
    gf_slabs_close(&f.v);
    return rc;
}
