/* The rows and columns of a spectrum's file that a rank has: their order there, and checksums. */
#include <stdlib.h>
#include <zlib.h>

#include "core/base/status.h"
#include "core/mpi/file_rows.h"

enum { CHUNK = 16 << 20 };

static bool has_row(const struct gf_rows *r, int64_t y) {
    bool has = false;
    for (int k = 0; k < r->n; k++)
        has |= y >= r->range[k].first && y < r->range[k].first + r->range[k].count;
    return has;
}

/* Lists the own rows in the order of the file. */
static void list_rows(const struct gf_slabs *v, bool shifted, struct gf_file_rows *f) {
    const int64_t half = shifted ? v->ny / 2 : 0;
    int64_t n = 0;
    for (int64_t at = 0; at < v->ny; at++) {
        int64_t y = (at + v->ny - half) % v->ny;
        if (has_row(&v->rows, y)) {
            f->y[n] = y;
            f->at[n++] = at;
        }
    }
}

/* Lists the own columns in the order of the file. */
static int list_columns(const struct gf_slabs *v, bool shifted, bool half, struct gf_file_rows *f) {
    const int64_t columns = half ? v->nx / 2 + 1 : v->nx;
    const int64_t shift = shifted && !half ? v->nx / 2 : 0;
    for (int64_t at = 0; at < columns; at++) {
        int64_t x = (at + columns - shift) % columns;
        const bool mirrored = v->real && 2 * x > v->nx;
        const int64_t column = gf_slabs_column(v, mirrored ? v->nx - x : x);
        struct gf_column_run *r = f->runs ? &f->run[f->runs - 1] : NULL;
        if (column < 0)
            continue;
        bool next = r && r->file + r->n == at && r->mirrored == mirrored && column < v->cols &&
                    r->column < v->cols && column == r->column + (mirrored ? -r->n : r->n);
        if (next)
            r->n++;
        else if (f->runs == GF_MOST_COLUMN_RUNS)
            return gf_fail(GF_EUNSUPP, "columns in more than %d runs", GF_MOST_COLUMN_RUNS);
        else
            f->run[f->runs++] = (struct gf_column_run){at, f->columns, 1, column, mirrored};
        f->columns++;
    }
    return 0;
}

int gf_file_rows_open(const struct gf_slabs *v, const struct gf_spread_file *file, bool shifted,
                      bool half, int64_t sample, struct gf_file_rows *f) {
    const int64_t point = v->channels * sample;
    const int64_t whole = (half ? v->nx / 2 + 1 : v->nx) * point;
    int64_t most = 0;
    *f = (struct gf_file_rows){.map = {file, v->ny, whole},
                               .planes = v->nz,
                               .rows = v->rows.count,
                               .point = point,
                               .shift_z = shifted ? v->nz / 2 : 0};
    for (int i = 0; i < v->grid.down; i++) {
        int64_t rows = gf_slab_rows(v->ny, v->grid.down, i, v->mirrored).count;
        most = rows > most ? rows : most;
    }
    int rc = list_columns(v, shifted, half, f);
    f->row = f->columns * point;
    if (!rc && whole > CHUNK * 32)
        rc = gf_fail(GF_EUNSUPP, "a row of %lld bytes is too long for several processes",
                     (long long)whole);
    if (rc)
        return rc;
    f->chunk = CHUNK / whole > 1 ? CHUNK / whole : 1;
    f->rounds = (v->nz * most + f->chunk - 1) / f->chunk;
    f->y = malloc((size_t)(f->rows + 1) * sizeof *f->y);
    f->at = malloc((size_t)(f->rows + 1) * sizeof *f->at);
    f->parts = malloc((size_t)(f->chunk * (f->runs + 1)) * sizeof *f->parts);
    if (!f->y || !f->at || !f->parts)
        return gf_fail(GF_ENOMEM, "out of memory");
    list_rows(v, shifted, f);
    return 0;
}

void gf_file_rows_close(struct gf_file_rows *f) {
    free(f->y);
    free(f->at);
    free(f->parts);
    *f = (struct gf_file_rows){0};
}

int64_t gf_file_rows_round(const struct gf_file_rows *f, int64_t i, int64_t *first) {
    int64_t all = f->planes * f->rows;
    *first = i * f->chunk < all ? i * f->chunk : all;
    return all - *first < f->chunk ? all - *first : f->chunk;
}

void gf_file_rows_index(const struct gf_file_rows *f, int64_t i, int64_t *z, int64_t *y) {
    *z = (i / f->rows + f->planes - f->shift_z) % f->planes;
    *y = f->y[i % f->rows];
}

int gf_file_rows_parts(const struct gf_file_rows *f, int64_t first, int64_t n) {
    int parts = 0;
    for (int64_t i = first; i < first + n; i++) {
        int64_t unused, at = gf_file_at(&f->map, i / f->rows, f->at[i % f->rows], &unused);
        for (int k = 0; k < f->runs; k++)
            parts = gf_file_add(f->parts, parts, at + f->run[k].file * f->point,
                                f->run[k].n * f->point);
    }
    return parts;
}

int64_t gf_file_rows_place(const struct gf_file_rows *f, int64_t i, int64_t c) {
    const int64_t row = i / f->rows * f->map.rows + f->at[i % f->rows];
    int k = 0;
    while (c >= f->run[k].at + f->run[k].n)
        k++;
    return row * (f->map.row / f->point) + f->run[k].file + c - f->run[k].at;
}

/* ---------------------------------------------------------------- checksums */

/* Which run of adjacent rows own row i of a plane is in. */
static int run_of(const struct gf_file_rows *f, int64_t i) {
    int run = 0;
    for (int64_t k = 1; k <= i; k++)
        run += f->at[k] != f->at[k - 1] + 1;
    return run;
}

void gf_file_rows_add(const struct gf_file_rows *f, int64_t first, int64_t n, const char *data,
                      uint32_t *sum) {
    while (n > 0) {
        int64_t i = first % f->rows, count = 1;
        while (count < n && i + count < f->rows && f->at[i + count] == f->at[i] + count)
            count++;
        uint32_t *of = &sum[first / f->rows * GF_MOST_RUNS + run_of(f, i)];
        *of = (uint32_t)crc32_z(*of, (const unsigned char *)data, (size_t)(count * f->row));
        data += count * f->row;
        first += count;
        n -= count;
    }
}

/* A run of some rank: its place in a plane. */
struct run {
    int64_t at, rows;
};

static void list_runs(const struct gf_file_rows *f, struct run run[GF_MOST_RUNS]) {
    for (int64_t i = 0; i < f->rows; i++) {
        struct run *r = &run[run_of(f, i)];
        r->at = r->rows++ ? r->at : f->at[i];
    }
}

/* All runs of all ranks, plane after plane, in the order of the file. */
static uint32_t join(const struct gf_file_rows *f, int ranks, const struct run *runs,
                     const uint32_t *sums) {
    uLong total = 0;
    for (int64_t z = 0; z < f->planes; z++) {
        const int n = ranks * GF_MOST_RUNS;
        for (int64_t at = 0, before = -1; at != before;) {
            before = at;
            for (int i = 0; i < n; i++) {
                if (!runs[i].rows || runs[i].at != at)
                    continue;
                int rank = i / GF_MOST_RUNS, run = i % GF_MOST_RUNS;
                uint32_t sum = sums[(rank * f->planes + z) * GF_MOST_RUNS + run];
                total = crc32_combine(total, sum, (z_off_t)(runs[i].rows * f->row));
                at += runs[i].rows;
            }
        }
    }
    return (uint32_t)total;
}

int gf_file_rows_sum(const struct gf_slabs *v, const struct gf_file_rows *f, const uint32_t *sum,
                     uint32_t *out) {
    struct run own[GF_MOST_RUNS] = {{0, 0}};
    const size_t ranks = (size_t)v->ranks->size;
    const int64_t bytes = f->planes * GF_MOST_RUNS * (int64_t)sizeof *sum;
    struct run *runs = malloc(ranks * sizeof own);
    uint32_t *sums = malloc(ranks * (size_t)bytes);
    list_runs(f, own);
    int rc = gf_ranks_agree(v->ranks, runs && sums ? 0 : gf_fail(GF_ENOMEM, "out of memory"));
    if (!rc)
        rc = gf_ranks_gather(v->ranks, own, sizeof own, runs);
    if (!rc)
        rc = gf_ranks_gather(v->ranks, sum, bytes, sums);
    if (!rc)
        *out = join(f, v->ranks->size, runs, sums);
    free(runs);
    free(sums);
    return rc;
}
