/* A spectrum to samples: rows of the spectrum's file, the exchange, planes. */
#include <math.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/halves.h"
#include "core/base/sample_value.h"
#include "core/mpi/direction.h"
#include "core/mpi/file_rows.h"
#include "core/mpi/pencils.h"
#include "core/mpi/planes.h"
#include "core/mpi/symmetry.h"

struct inverse {
    struct gf_slabs v;
    struct gf_spread *s;
    bool hermitian; /* a whole spectrum, of which the symmetric part is taken */
    struct gf_file_rows file;
    struct gf_array in; /* room for a chunk of its rows */
    struct gf_planes planes;
    double energy[2]; /* of the Hermitian part, and of the rest */
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

/* Row i of the file to its place among the own rows; numbers that only their mirror images need, to
 * the rest. */
static void place_row(struct inverse *f, int64_t i, const char *from) {
    const struct gf_slabs *v = &f->v;
    int64_t z, y;
    gf_file_rows_index(&f->file, i, &z, &y);
    const int64_t at = (z * v->rows.count + gf_rows_index(&v->rows, y)) * v->row;
    for (int k = 0; k < f->file.runs; k++) {
        const struct gf_column_run *r = &f->file.run[k];
        const char *first = from + r->at * f->file.point;
        if (!r->mirrored)
            convert(f, first, r->n * v->channels, v->by_rows + at + r->column * v->point);
        for (int64_t c = 0; c < r->n && r->mirrored; c++)
            convert(f, first + c * f->file.point, v->channels,
                    v->rest + at + (r->column - c) * v->point);
    }
}

static void look_for_nonfinite(struct inverse *f, struct gf_array *rows, int64_t first) {
    struct gf_spread *s = f->s;
    int64_t at[GF_MAX_RANK], bad = gf_array_nonfinite(rows, at);
    if (bad && s->zero_nonfinite) {
        gf_samples_mend(rows, false);
        return;
    }
    if (bad && !s->nonfinite)
        s->first_nonfinite =
            gf_file_rows_place(&f->file, first + at[1], at[2]) * f->v.channels + at[3];
    s->nonfinite += bad;
}

static int read_rows(struct inverse *f) {
    struct gf_slabs *v = &f->v;
    struct gf_file_rows *file = &f->file;
    int rc = 0;
    for (int64_t i = 0; i < file->rounds && !rc; i++) {
        int64_t first, n = gf_file_rows_round(file, i, &first);
        n = file->columns ? n : 0;
        int parts = gf_file_rows_parts(file, first, n);
        rc = gf_ranks_read(v->ranks, file->parts, parts, f->in.data);
        rc = gf_ranks_agree(v->ranks, rc);
        struct gf_array rows = gf_array_slice(&f->in, 1, 0, n);
        if (!rc && n && f->s->swap)
            f->s->swap(&rows);
        if (!rc && n)
            look_for_nonfinite(f, &rows, first);
        for (int64_t k = 0; k < n && !rc; k++)
            place_row(f, first + k, (const char *)f->in.data + k * file->row);
    }
    return rc;
}

/* A column that has both of each pair: the own row and the one at its mirror image. */
static void join_column(struct inverse *f, int64_t here, int64_t there, int64_t column) {
    const struct gf_slabs *v = &f->v;
    char *a = v->by_rows + here * v->row + column * v->point;
    char *b = v->by_rows + there * v->row + column * v->point;
    if (here == there)
        gf_join_pair(v, a, a, a, 1, f->energy);
    else
        gf_join_pairs(v, a, b, f->energy);
}

static void take_symmetric(struct inverse *f, int64_t z, int64_t row) {
    const struct gf_slabs *v = &f->v;
    const int64_t y = gf_rows_at(&v->rows, row), n = v->rows.count;
    const int64_t mirror = gf_rows_index(&v->rows, gf_half_negative(y, v->ny));
    const int64_t here = z * n + row, there = gf_half_negative(z, v->nz) * n + mirror;
    for (int64_t c = 0; c < v->cols; c++) {
        const int64_t x = v->columns.first + c;
        char *a = v->by_rows + here * v->row + c * v->point;
        if (x && 2 * x != v->nx)
            gf_join_pair(v, a, v->rest + there * v->row + c * v->point, a, 2, f->energy);
        else if (here <= there)
            join_column(f, here, there, c);
    }
}

static void make_symmetric(struct inverse *f) {
    for (int64_t z = 0; z < f->v.nz && f->hermitian; z++)
        for (int64_t i = 0; i < f->v.rows.count; i++)
            take_symmetric(f, z, i);
}

/* ---------------------------------------------------------------- all of it */

static int allocate(struct inverse *f) {
    struct gf_slabs *v = &f->v;
    const struct gf_job *job = &f->s->job;
    f->hermitian = v->real && !job->in_half;
    int rc = gf_file_rows_open(v, &f->s->in, job->in_shift, job->in_half,
                               (int64_t)gf_dtype_size(job->in_dtype), &f->file);
    if (!rc)
        rc = gf_array_alloc(
            &f->in, job->in_dtype, 4,
            (int64_t[]){1, f->file.chunk, f->file.columns + !f->file.columns, v->channels});
    return rc ? rc : gf_planes_open(v, &f->s->out, job->out[0].dtype, v->channels, &f->planes);
}

/* The ranks' energies, together. */
static int add_up(struct inverse *f) {
    double found[2] = {f->energy[0], f->energy[1]};
    int rc = gf_planes_add_up(&f->planes);
    if (!rc)
        rc = gf_ranks_sum(f->v.ranks, found, 2);
    if (found[0] > 0 || found[1] > 0)
        f->s->report.imag_ratio = found[0] > 0 ? sqrt(found[1] / found[0]) : INFINITY;
    return rc;
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
        rc = gf_pencils_from_rows(&f->v);
    s->ms_transform = gf_now_ms() - start;
    start = gf_now_ms();
    if (!rc)
        rc = gf_ranks_open_file(ranks, s->out.path, true);
    if (rc)
        return rc;
    rc = gf_ranks_close_file(ranks, gf_planes_give(&f->planes));
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
    gf_planes_close(&f.planes);
    gf_slabs_close(&f.v);
    return rc;
}
