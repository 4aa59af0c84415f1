/* Samples to a spectrum: planes, the exchange, rows, and the spectrum's file. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/halves.h"
#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/mpi/direction.h"
#include "core/mpi/file_rows.h"
#include "core/mpi/planes.h"
#include "core/mpi/symmetry.h"

struct forward {
    struct gf_slabs v;
    struct gf_spread *s;
    struct gf_planes planes;
    char *last; /* packed, with the frequency 0: the frequency n / 2, as [z][own row][channel] */
    struct gf_file_rows file;
    char *values, *samples; /* a chunk of rows as complex numbers, and as they are written */
    uint32_t *sum;
};

/* ---------------------------------------------------------------- rows */

/* Samples of a real volume have symmetric spectra: what follows for the frequencies x = 0 and n / 2,
 * which the half spectrum has with both of each pair. */

static char *at(const struct forward *f, int64_t z, int64_t row, int64_t column) {
    const struct gf_slabs *v = &f->v;
    const int64_t i = z * v->rows.count + row;
    return column == v->cols ? f->last + i * v->point : v->by_rows + i * v->row + column * v->point;
}

/* Row y of the column and its mirror image, in the roles that they have in one process
 * (kernels/cpu/tile.h), where these decide the sign of zeros. */
static void unpack_row(struct forward *f, int64_t y) {
    const struct gf_slabs *v = &f->v;
    const int64_t mirror = gf_half_negative(y, v->ny);
    const int64_t a = gf_rows_index(&v->rows, y), b = gf_rows_index(&v->rows, mirror);
    const bool own = y == mirror;
    if (!own && !gf_half_leads(0, v->nz, y, mirror))
        return;
    for (int64_t z = 0; z < (own ? v->nz / 2 + 1 : v->nz); z++) {
        const int64_t back = gf_half_negative(z, v->nz);
        gf_unpack_pair(v, at(f, z, a, 0), at(f, back, b, 0), at(f, z, a, v->cols),
                       at(f, back, b, v->cols));
    }
}

static void make_symmetric(struct forward *f) {
    const struct gf_slabs *v = &f->v;
    const int64_t zero = gf_slabs_column(v, 0);
    const int64_t nyquist = v->nx % 2 ? -1 : gf_slabs_column(v, v->nx / 2);
    for (int64_t i = 0; i < v->rows.count && f->last; i++)
        unpack_row(f, gf_rows_at(&v->rows, i));
    for (int64_t i = 0; i < v->rows.count; i++) {
        const int64_t y = gf_rows_at(&v->rows, i);
        for (int64_t z = 0; z < v->nz; z++) {
            if (z != gf_half_negative(z, v->nz) || y != gf_half_negative(y, v->ny))
                continue;
            if (zero >= 0)
                gf_drop_imaginary(v, at(f, z, i, zero));
            if (nyquist >= 0)
                gf_drop_imaginary(v, at(f, z, i, nyquist));
        }
    }
}

/* ---------------------------------------------------------------- the file */

/* Own columns of a row of the file as complex numbers: the other half from the row at the mirror
 * image. */
static void fill_row(struct forward *f, int64_t z, int64_t y, char *to) {
    const struct gf_slabs *v = &f->v;
    const int64_t i = gf_rows_index(&v->rows, y), back = gf_half_negative(z, v->nz);
    for (int k = 0; k < f->file.runs; k++) {
        const struct gf_column_run *r = &f->file.run[k];
        char *first = to + r->at * v->point;
        if (!r->mirrored)
            memcpy(first, at(f, z, i, r->column), (size_t)(r->n * v->point));
        const int64_t mirror = gf_rows_index(&v->rows, gf_half_negative(y, v->ny));
        if (r->mirrored)
            gf_half_mirror_columns(GF_COMPLEX, v->type, v->channels,
                                   at(f, back, mirror, r->column - r->n + 1), r->n, first);
    }
}

/* Only the store step: n rows of complex numbers to samples. */
static int store_rows(struct forward *f, int64_t n, int64_t columns, const char **samples) {
    struct gf_slabs *v = &f->v;
    const struct gf_job *whole = &f->s->job;
    const struct gf_output *o = &whole->out[0];
    *samples = f->values;
    struct gf_job job = gf_slabs_job(v, 1, n, 1, GF_FORWARD);
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
    const int64_t bytes = file->columns * v->point;
    int rc = 0;
    for (int64_t i = 0; i < file->rounds && !rc; i++) {
        int64_t first, z, y, n = gf_file_rows_round(file, i, &first);
        const char *samples = f->values;
        n = file->columns ? n : 0;
        for (int64_t k = 0; k < n; k++) {
            gf_file_rows_index(file, first + k, &z, &y);
            fill_row(f, z, y, f->values + k * bytes);
        }
        int bad = n ? store_rows(f, n, file->columns, &samples) : 0;
        if (!bad && f->sum)
            gf_file_rows_add(file, first, n, samples, f->sum);
        int parts = gf_file_rows_parts(file, first, n);
        rc = gf_ranks_write(v->ranks, file->parts, parts, samples);
        rc = gf_ranks_agree(v->ranks, bad ? bad : rc);
    }
    return rc;
}

/* ---------------------------------------------------------------- all of it */

/* Whole rows are summed as they are written, parts of them when all are there. */
static bool sums_rows(const struct forward *f) {
    return !f->s->out.strip && f->v.grid.across == 1;
}

static int allocate(struct forward *f) {
    struct gf_slabs *v = &f->v;
    const struct gf_job *job = &f->s->job;
    const struct gf_output *o = &job->out[0];
    int rc = gf_planes_open(v, &f->s->in, job->in_dtype, job->channels, &f->planes);
    if (!rc)
        rc = gf_file_rows_open(v, &f->s->out, o->shift, v->real && o->half,
                               (int64_t)gf_dtype_size(o->dtype), &f->file);
    if (rc)
        return rc;
    const size_t rows = (size_t)f->file.chunk;
    f->values = gf_alloc(rows * (size_t)((f->file.columns + 1) * v->point));
    f->samples = gf_alloc(rows * (size_t)f->file.row + 1);
    if (sums_rows(f))
        f->sum = calloc((size_t)(v->nz * GF_MOST_RUNS), sizeof *f->sum);
    if (v->packed && v->cols && !v->columns.first)
        f->last = gf_alloc((size_t)(v->nz * v->rows.count * v->point + 1));
    return f->values && f->samples && (f->sum || !sums_rows(f)) &&
                   (f->last || !v->packed || !v->cols || v->columns.first)
               ? 0
               : gf_fail(GF_ENOMEM, "out of memory");
}

/* What follows the last write. */
static int add_up(struct forward *f) {
    struct gf_spread *s = f->s;
    double overflowed = (double)s->overflowed;
    int rc = 0;
    if (sums_rows(f))
        rc = gf_file_rows_sum(&f->v, &f->file, f->sum, &s->crc32);
    else if (!s->out.strip)
        rc = gf_file_crc(s->ranks, s->out.path, s->out.at, f->v.nz * f->v.ny * f->file.map.row,
                         &s->crc32);
    if (!rc)
        rc = gf_ranks_sum(s->ranks, &overflowed, 1);
    s->overflowed = (int64_t)overflowed;
    return rc;
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
    rc = gf_ranks_close_file(ranks, gf_planes_take(&f->planes));
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
        rc = add_up(f);
    s->ms_write = gf_now_ms() - start;
    return rc;
}

int gf_spread_forward(struct gf_spread *s) {
    struct forward f = {.s = s};
    int rc = run(&f);
    gf_file_rows_close(&f.file);
    gf_planes_close(&f.planes);
    gf_free(f.last);
    gf_free(f.values);
    gf_free(f.samples);
    free(f.sum);
    gf_slabs_close(&f.v);
    return rc;
}
