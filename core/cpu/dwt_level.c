/* One level of the wavelet transform: tiles, pieces of their rows, and the axes in turn. */
#include "core/cpu/dwt.h"

#include <omp.h>
#include <string.h>

/* Pairs of columns and rows per tile: rows fit the nearest cache with a small halo; along z, the
 * rows of all planes of a step fit the second-level cache. */
enum { TILE_COLUMNS = 512, TILE_ROWS = 64, TILE_ROWS_DEEP = 16 };
/* Eight row buffers and, along y and z, those for all bands of a pair of rows. */
enum { MAX_ROWS = 8 + 4 * GF_DWT_MOST_TAPS, MAX_PIECES = 2 * GF_DWT_MOST_TAPS };

static int buffers_of(const struct gf_cpu_dwt_level *l) {
    return 8 + 4 * gf_dwt_taps(&l->wavelet);
}

struct gf_cpu_dwt_level gf_cpu_dwt_level_of(const struct gf_job *job,
                                            const struct gf_dwt_layout *layout,
                                            const struct gf_cpu_kernels *kernels, int level) {
    struct gf_cpu_dwt_level l = {.kernels = kernels,
                                 .wavelet = job->wavelet,
                                 .channels = job->channels,
                                 .type = kernels->bits == 64 ? GF_CPU_F64 : GF_CPU_F32};
    for (int i = 0; i < 3; i++) {
        l.on[i] = layout->on[i];
        l.n[i] = layout->axis[i].n[level - 1];
        l.m[i] = layout->axis[i].n[level];
    }
    return l;
}

static size_t type_size(enum gf_cpu_sample t) {
    return gf_dtype_size((enum gf_dtype)t); /* asserted in core/cpu/mirror.h */
}

/* Contiguous columns: `count` columns starting at `from` in the array (-1: zeros) and at `at` in
 * the buffer. */
struct piece {
    int64_t from, at, count;
};

struct tile {
    const struct gf_cpu_dwt_level *level;
    const struct gf_cpu_wavelet *kernels;
    int taps, offset;            /* s in core/wavelet/dwt.h */
    size_t real, pixel;          /* bytes of a number; of a column */
    int64_t first_row, last_row; /* rows of bands (forward) or pairs (inverse), [first, last) */
    int64_t first, last;
    int64_t width; /* columns per row buffer */
    struct piece piece[MAX_PIECES];
    int n_pieces;
    char *buffer[MAX_ROWS];
    char *zeros;
    int64_t clipped;
};

static enum gf_cpu_sample own_type(const struct tile *t) {
    return t->real == 4 ? GF_CPU_F32 : GF_CPU_F64;
}

/* NULL stands for a row of zeros. */
static const char *row_at(const struct gf_cpu_rows *r, int64_t z, int64_t y) {
    return z < 0 || y < 0 ? NULL : r->data + z * r->plane + y * r->row;
}

static size_t row_bytes(const struct gf_cpu_dwt_level *l) {
    int64_t columns = gf_min(l->m[GF_DWT_X], TILE_COLUMNS);
    size_t bytes = (size_t)((2 * (columns + gf_dwt_taps(&l->wavelet))) * l->channels) * 8;
    return (bytes + 63) / 64 * 64 + 192; /* avoid sharing one cache set */
}

size_t gf_cpu_dwt_scratch(const struct gf_cpu_dwt_level *l) {
    return row_bytes(l) * (size_t)(buffers_of(l) + 1);
}

static void set_buffers(struct tile *t, char *scratch) {
    const size_t bytes = row_bytes(t->level);
    const int n = buffers_of(t->level);
    for (int i = 0; i < n; i++)
        t->buffer[i] = scratch + (size_t)i * bytes;
    t->zeros = scratch + (size_t)n * bytes;
    memset(t->zeros, 0, bytes);
}

/* Index in a periodic band of m samples; other boundaries need no extension. */
static int64_t band_index(int64_t k, int64_t m) {
    return (k % m + m) % m;
}

/* Divides columns [from, to) of an extended line, or band, of n into pieces. */
static void cut_columns(struct tile *t, int64_t from, int64_t to, int64_t n, bool band) {
    t->width = to - from;
    t->n_pieces = 0;
    for (int64_t c = from; c < to;) {
        struct piece *p = &t->piece[t->n_pieces++];
        p->at = c - from;
        p->from = band ? band_index(c, n) : gf_dwt_extend(c, n, t->level->wavelet.boundary);
        p->count = c >= 0 && c < n ? gf_min(to, n) - c : 1;
        c += p->count;
    }
}

/* Combines one row per tap into two, piece by piece. */
static void fetch_pair(const struct tile *t, bool inverse, const char *const *row,
                       enum gf_cpu_sample type, char *low, char *high) {
    const int64_t channels = t->level->channels;
    size_t pixel = type_size(type) * (size_t)channels;
    for (int i = 0; i < t->n_pieces; i++) {
        const struct piece *p = &t->piece[i];
        const void *at[GF_DWT_MOST_TAPS];
        for (int j = 0; j < t->taps; j++)
            at[j] = row[j] && p->from >= 0 ? row[j] + (size_t)p->from * pixel : t->zeros;
        t->kernels->pair(inverse, at, type, p->count * channels, low + (size_t)p->at * t->pixel,
                         high + (size_t)p->at * t->pixel);
    }
}

static void fetch_row(const struct tile *t, const char *row, enum gf_cpu_sample type, char *to) {
    const int64_t channels = t->level->channels;
    size_t pixel = type_size(type) * (size_t)channels;
    for (int i = 0; i < t->n_pieces; i++) {
        const struct piece *p = &t->piece[i];
        const char *at = row && p->from >= 0 ? row + (size_t)p->from * pixel : t->zeros;
        t->kernels->load(at, type, p->count * channels, to + (size_t)p->at * t->pixel);
    }
}

/* The same for rows in buffers. */
static void pair_buffers(const struct tile *t, bool inverse, char *const *row, char *low,
                         char *high) {
    t->kernels->pair(inverse, (const void *const *)row, own_type(t), t->width * t->level->channels,
                     low, high);
}

/* ---------------------------------------------------------------- forward */

/* Finishes a row along x, into one band or two. */
static void finish_row(const struct tile *t, int band, int64_t z, int64_t y, const char *row) {
    const struct gf_cpu_dwt_level *l = t->level;
    int64_t n = t->last - t->first;
    const struct gf_cpu_rows *a = &l->band[band], *d = &l->band[band | 1];
    size_t at = (size_t)t->first * t->pixel;
    char *to_a = a->data + z * a->plane + y * a->row + at;
    if (!l->on[GF_DWT_X]) {
        t->kernels->store(row, n * l->channels, own_type(t), to_a, l->stream[band]);
        return;
    }
    char *to_d = d->data + z * d->plane + y * d->row + at;
    t->kernels->split(row, n, l->channels, to_a, to_d, l->stream[band], l->stream[band | 1]);
}

/* Finds row y of each plane used by step k along z. */
static void plane_rows(const struct tile *t, int64_t k, int64_t y, const char **row) {
    const struct gf_cpu_dwt_level *l = t->level;
    for (int j = 0; j < t->taps; j++) {
        if (l->window) {
            row[j] = l->window[j] && y >= 0 ? l->window[j] + y * l->fine.row : NULL;
            continue;
        }
        int64_t z = gf_dwt_extend(2 * k - t->offset + j, l->n[GF_DWT_Z], l->wavelet.boundary);
        row[j] = row_at(&l->fine, z, y);
    }
}

/* Without z, along y: reads rows of the array. */
static void forward_rows(const struct tile *t, int64_t z) {
    const struct gf_cpu_dwt_level *l = t->level;
    for (int64_t k = t->first_row; k < t->last_row; k++) {
        const char *row[GF_DWT_MOST_TAPS];
        for (int j = 0; j < t->taps; j++)
            row[j] =
                row_at(&l->fine, z,
                       gf_dwt_extend(2 * k - t->offset + j, l->n[GF_DWT_Y], l->wavelet.boundary));
        fetch_pair(t, false, row, l->type, t->buffer[0], t->buffer[1]);
        finish_row(t, 0, z, k, t->buffer[0]);
        finish_row(t, 2, z, k, t->buffer[1]);
    }
}

/* Along z: combines planes, and with y keeps a ring with one combined row per tap. */
static void forward_planes(const struct tile *t, int64_t k) {
    const struct gf_cpu_dwt_level *l = t->level;
    const char *row[GF_DWT_MOST_TAPS];
    if (!l->on[GF_DWT_Y]) {
        for (int64_t y = t->first_row; y < t->last_row; y++) {
            plane_rows(t, k, y, row);
            fetch_pair(t, false, row, l->type, t->buffer[0], t->buffer[1]);
            finish_row(t, 0, k, y, t->buffer[0]);
            finish_row(t, 4, k, y, t->buffer[1]);
        }
        return;
    }
    char *const *ring[2] = {t->buffer + 2, t->buffer + 2 + t->taps};
    int64_t r = 2 * t->first_row - t->offset;
    for (int64_t y = t->first_row, have = 0; y < t->last_row; y++) {
        for (; have < 2 * (y - t->first_row) + t->taps; have++, r++) {
            plane_rows(t, k, gf_dwt_extend(r, l->n[GF_DWT_Y], l->wavelet.boundary), row);
            fetch_pair(t, false, row, l->type, ring[0][have % t->taps], ring[1][have % t->taps]);
        }
        for (int z = 0; z < 2; z++) {
            char *rows[GF_DWT_MOST_TAPS];
            for (int j = 0; j < t->taps; j++)
                rows[j] = ring[z][(have + j) % t->taps];
            pair_buffers(t, false, rows, t->buffer[0], t->buffer[1]);
            finish_row(t, 4 * z, k, y, t->buffer[0]);
            finish_row(t, 4 * z + 2, k, y, t->buffer[1]);
        }
    }
}

static void forward_tile(struct tile *t, int64_t z) {
    const struct gf_cpu_dwt_level *l = t->level;
    if (l->on[GF_DWT_X])
        cut_columns(t, 2 * t->first - t->offset, 2 * t->last - t->offset + t->taps - 2,
                    l->n[GF_DWT_X], false);
    else
        cut_columns(t, t->first, t->last, l->n[GF_DWT_X], false);
    if (l->on[GF_DWT_Z]) {
        for (int64_t k = 0; k < l->m[GF_DWT_Z]; k++)
            forward_planes(t, k);
    } else if (l->on[GF_DWT_Y]) {
        forward_rows(t, z);
    } else {
        for (int64_t y = t->first_row; y < t->last_row; y++) {
            fetch_row(t, row_at(&l->fine, z, y), l->type, t->buffer[0]);
            finish_row(t, 0, z, y, t->buffer[0]);
        }
    }
}

/* ---------------------------------------------------------------- inverse */

/* Pair p of an axis holds samples 2 p - first and the next one, where first is 1 for odd s. It is
 * computed from band samples p - before and following, one for every two taps. */
static int64_t first_of(const struct tile *t) {
    return t->offset % 2;
}

static int64_t before_of(const struct tile *t) {
    return (t->taps - 2 - t->offset + first_of(t)) / 2;
}

static int64_t band_sample(const struct tile *t, int axis, int64_t p) {
    return band_index(p - before_of(t), t->level->m[axis]);
}

/* A pair's first (j = 0) or second sample; -1 past the end of the line. */
static int64_t fine_sample(const struct tile *t, int axis, int64_t p, int j) {
    int64_t n = t->level->n[axis], i = 2 * p - first_of(t) + j;
    if (i < 0)
        i = n + n % 2 - 1;
    return i < n ? i : -1;
}

/* Writes a row to the finer side, merging two halves if x is on. */
static void put_row(struct tile *t, int64_t z, int64_t y, const char *a, const char *d) {
    const struct gf_cpu_dwt_level *l = t->level;
    if (z < 0 || y < 0)
        return;
    char *row = l->fine.data + z * l->fine.plane + y * l->fine.row;
    size_t pixel = type_size(l->type) * (size_t)l->channels;
    const char *x = a;
    int64_t from = t->first, count = t->last - t->first;
    if (l->on[GF_DWT_X]) {
        t->kernels->merge(a, d, count, l->channels, t->buffer[0]);
        x = t->buffer[0];
        from = 2 * t->first - first_of(t);
        count *= 2;
    }
    if (from < 0) { /* periodic: the pair that wraps around */
        int64_t last = fine_sample(t, GF_DWT_X, 0, 0);
        if (last >= 0)
            t->clipped +=
                t->kernels->store(x, l->channels, l->type, row + (size_t)last * pixel, false);
        x += t->pixel;
        from++;
        count--;
    }
    if (from + count > l->n[GF_DWT_X])
        count = l->n[GF_DWT_X] - from;
    if (count > 0)
        t->clipped += t->kernels->store(x, count * l->channels, l->type, row + (size_t)from * pixel,
                                        l->stream_fine);
}

/* Without z, along y. */
static void inverse_rows(struct tile *t, int64_t z) {
    const struct gf_cpu_dwt_level *l = t->level;
    int halves = l->on[GF_DWT_X] ? 2 : 1;
    for (int64_t p = t->first_row; p < t->last_row; p++) {
        char *out[2][2] = {{t->buffer[1], t->buffer[2]}, {t->buffer[3], t->buffer[4]}};
        for (int x = 0; x < halves; x++) {
            const char *row[GF_DWT_MOST_TAPS];
            for (int j = 0; j < t->taps; j++)
                row[j] = row_at(&l->band[2 * (j & 1) + x], z, band_sample(t, GF_DWT_Y, p + j / 2));
            fetch_pair(t, true, row, own_type(t), out[0][x], out[1][x]);
        }
        for (int j = 0; j < 2; j++)
            put_row(t, z, fine_sample(t, GF_DWT_Y, p, j), out[j][0], out[j][1]);
    }
}

/* Computes row y of a band of y and x, for both planes of pair p along z. */
static void fetch_planes(const struct tile *t, int64_t p, int64_t y, int band, char *low,
                         char *high) {
    const struct gf_cpu_dwt_level *l = t->level;
    const char *row[GF_DWT_MOST_TAPS];
    for (int j = 0; j < t->taps; j++)
        row[j] = row_at(&l->band[4 * (j & 1) + band], band_sample(t, GF_DWT_Z, p + j / 2), y);
    fetch_pair(t, true, row, own_type(t), low, high);
}

static void inverse_planes(struct tile *t, int64_t p) {
    const struct gf_cpu_dwt_level *l = t->level;
    int halves = l->on[GF_DWT_X] ? 2 : 1;
    const int64_t z[2] = {fine_sample(t, GF_DWT_Z, p, 0), fine_sample(t, GF_DWT_Z, p, 1)};
    if (!l->on[GF_DWT_Y]) {
        char *out[2][2] = {{t->buffer[1], t->buffer[2]}, {t->buffer[3], t->buffer[4]}};
        for (int64_t y = t->first_row; y < t->last_row; y++) {
            for (int x = 0; x < halves; x++)
                fetch_planes(t, p, y, x, out[0][x], out[1][x]);
            for (int j = 0; j < 2; j++)
                put_row(t, z[j], y, out[j][0], out[j][1]);
        }
        return;
    }
    /* ring[plane][x band][q % (taps / 2)]: band row q, approximation and detail along y. */
    const int turn = t->taps / 2;
    char **ring[2][2];
    for (int i = 0; i < 4; i++)
        ring[i / 2][i % 2] = t->buffer + 8 + i * t->taps;
    for (int64_t q = t->first_row; q < t->last_row + turn - 1; q++) {
        const int64_t in = q % turn * 2;
        for (int x = 0; x < halves; x++)
            for (int y = 0; y < 2; y++)
                fetch_planes(t, p, band_sample(t, GF_DWT_Y, q), 2 * y + x, ring[0][x][in + y],
                             ring[1][x][in + y]);
        if (q < t->first_row + turn - 1)
            continue;
        for (int j = 0; j < 2; j++) {
            char *out[2][2] = {{t->buffer[1], t->buffer[2]}, {t->buffer[3], t->buffer[4]}};
            for (int x = 0; x < halves; x++) {
                char *row[GF_DWT_MOST_TAPS];
                for (int i = 0; i < t->taps; i++)
                    row[i] = ring[j][x][(q + 1 + i / 2) % turn * 2 + i % 2];
                pair_buffers(t, true, row, out[0][x], out[1][x]);
            }
            for (int i = 0; i < 2; i++)
                put_row(t, z[j], fine_sample(t, GF_DWT_Y, q - turn + 1, i), out[i][0], out[i][1]);
        }
    }
}

static int64_t pairs(const struct gf_cpu_dwt_level *l, int axis) {
    return !l->on[axis]
               ? l->n[axis]
               : l->m[axis] -
                     (l->wavelet.boundary == GF_PERIODIC ? 0 : gf_dwt_taps(&l->wavelet) / 2 - 1);
}

static void inverse_tile(struct tile *t, int64_t z) {
    const struct gf_cpu_dwt_level *l = t->level;
    if (l->on[GF_DWT_X])
        cut_columns(t, t->first - before_of(t), t->last - before_of(t) + t->taps / 2 - 1,
                    l->m[GF_DWT_X], true);
    else
        cut_columns(t, t->first, t->last, l->n[GF_DWT_X], true);
    if (l->on[GF_DWT_Z]) {
        for (int64_t p = 0; p < pairs(l, GF_DWT_Z); p++)
            inverse_planes(t, p);
    } else if (l->on[GF_DWT_Y]) {
        inverse_rows(t, z);
    } else {
        for (int64_t y = t->first_row; y < t->last_row; y++) {
            fetch_row(t, row_at(&l->band[0], z, y), own_type(t), t->buffer[1]);
            if (l->on[GF_DWT_X])
                fetch_row(t, row_at(&l->band[1], z, y), own_type(t), t->buffer[2]);
            put_row(t, z, y, t->buffer[1], t->buffer[2]);
        }
    }
}

/* ---------------------------------------------------------------- tiles */

static int64_t run(const struct gf_cpu_dwt_level *l, bool inverse, int threads, char *scratch) {
    int64_t rows = inverse ? pairs(l, GF_DWT_Y) : l->m[GF_DWT_Y];
    int64_t columns = inverse ? pairs(l, GF_DWT_X) : l->m[GF_DWT_X];
    int64_t planes = l->on[GF_DWT_Z] ? 1 : l->n[GF_DWT_Z];
    int64_t high = l->on[GF_DWT_Z] ? TILE_ROWS_DEEP : TILE_ROWS;
    if (planes < threads && rows / high < 4 * threads) /* work for every thread */
        high = gf_divide_up(rows, 4 * threads);
    int64_t down = gf_divide_up(rows, high), across = gf_divide_up(columns, TILE_COLUMNS);
    size_t bytes = gf_cpu_dwt_scratch(l);
    int64_t clipped = 0;
#pragma omp parallel num_threads(threads) reduction(+ : clipped)
    {
        struct tile t = {.level = l,
                         .kernels = &l->kernels->wavelet[l->wavelet.name],
                         .taps = gf_dwt_taps(&l->wavelet),
                         .offset = gf_dwt_offset(&l->wavelet),
                         .real = (size_t)l->kernels->bits / 8};
        t.pixel = t.real * (size_t)l->channels;
        set_buffers(&t, scratch + bytes * (size_t)omp_get_thread_num());
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < planes * down * across; i++) {
            t.first = i % across * TILE_COLUMNS;
            t.last = gf_min(t.first + TILE_COLUMNS, columns);
            t.first_row = i / across % down * high;
            t.last_row = gf_min(t.first_row + high, rows);
            if (inverse)
                inverse_tile(&t, i / across / down);
            else
                forward_tile(&t, i / across / down);
        }
        t.kernels->fence();
        clipped += t.clipped;
    }
    return clipped;
}

void gf_cpu_dwt_forward(const struct gf_cpu_dwt_level *l, int threads, char *scratch) {
    run(l, false, threads, scratch);
}

int64_t gf_cpu_dwt_inverse(const struct gf_cpu_dwt_level *l, int threads, char *scratch) {
    return run(l, true, threads, scratch);
}
