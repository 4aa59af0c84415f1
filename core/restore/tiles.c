/* Cuts pictures into overlapping tiles. */
#include "core/restore/tiles.h"

#include <string.h>

#include "core/base/factor.h"

/* A tile is this many times the kernel's reach, so that a seventh of its samples is repeated, but
 * not so small that short transforms waste time. Extents are multiples of what vectors hold. */
enum { REACHES = 16, LEAST_LINE = 2048, LEAST_SIDE = 128, LEAST_EDGE = 64, UNIT = 16 };
enum { BYTES = 1 << 20, MOST_BATCH = 64 }; /* of a job for one thread: its caches hold it */

enum { X = GF_TILE_AXES - 1 };

/* Chooses the tiles along an axis that is transformed. */
static void choose(struct gf_tiles *t, int axis, int64_t least) {
    const int64_t n = t->shape[axis], ends = 2 * t->reach[axis];
    int64_t extent = axis == X ? 2 * least : least; /* long rows are read faster */
    while (extent < REACHES * t->reach[axis])
        extent *= 2;
    if (ends >= n) { /* one period of what continues the picture needs no more */
        t->reach[axis] = 0;
        t->extent[axis] = t->mirrors ? 2 * n : n;
        t->step[axis] = n;
        t->count[axis] = 1;
        return;
    }
    const int64_t count = n + ends <= 2 * extent ? 1 : gf_divide_up(n, extent - ends);
    const int64_t wanted = gf_divide_up(n, count) + ends;
    t->extent[axis] = UNIT * gf_factor_smooth_length(gf_divide_up(wanted, UNIT));
    t->step[axis] = wanted - ends;
    t->count[axis] = gf_divide_up(n, t->step[axis]);
}

/* Places several tiles in a job: along the first axis that has one sample of each. Threads have jobs
 * of their own, which need not wait for each other, if there are enough tiles. */
static void choose_batch(struct gf_tiles *t) {
    struct gf_job *job = &t->job;
    int64_t samples = 1;
    int along = 0;
    t->n = 1;
    for (int i = 0; i < GF_TILE_AXES; i++) {
        t->n *= t->count[i];
        samples *= t->extent[i];
        along = along || t->extent[i] > 1 || !i ? along : i;
    }
    const int64_t most = gf_min(BYTES / (int64_t)sizeof(float) / samples, MOST_BATCH);
    const int threads = t->threads;
    t->hands = t->n >= 2 * threads ? threads : 1;
    t->threads = t->hands > 1 ? 1 : threads;
    const int64_t wanted = t->hands > 1 ? gf_min(most, t->n / (2 * threads)) : most * threads;
    t->batch = along ? gf_min(gf_max(wanted, 1), t->n) : 1;
    for (int i = 1; i < GF_TILE_AXES; i++)
        job->shape[i - 1] = i == along ? t->batch : t->extent[i];
    t->stride[X] = 1;
    for (int i = X; i > 0; i--)
        t->stride[i - 1] = t->stride[i] * job->shape[i - 1];
    t->next = t->stride[along];
}

void gf_tiles_init(struct gf_tiles *t, const struct gf_job *job, const int64_t *reach, bool mirrors,
                   int threads) {
    const int before = GF_TILE_AXES - 1 - job->ndim;
    int axes = 0;
    *t = (struct gf_tiles){.threads = threads, .mirrors = mirrors};
    t->job = *job;
    t->job.ndim = GF_TILE_AXES - 1;
    t->job.axes = job->axes << before;
    t->job.channels = 1;
    t->job.in_dtype = GF_F32;
    t->job.n_out = 1;
    t->job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    t->job.spend_input = false;
    memset(t->job.counted, 0, sizeof t->job.counted);
    for (int i = 0; i < job->ndim; i++)
        axes += job->axes >> i & 1;
    for (int i = 0; i < GF_TILE_AXES; i++) {
        const int axis = i - 1 - before;
        t->shape[i] = axis >= 0 ? job->shape[axis] : i ? 1 : job->channels;
        t->extent[i] = t->step[i] = 1;
        t->count[i] = t->shape[i];
        t->reach[i] = 0;
        if (axis >= 0 && job->axes >> axis & 1) {
            t->reach[i] = reach[axis];
            choose(t, i, axes == 1 ? LEAST_LINE : axes == 2 ? LEAST_SIDE : LEAST_EDGE);
        }
    }
    /* Rows that are not transformed are whole, as one sample of each would be slow to move. */
    if (!(t->job.axes >> (X - 1) & 1)) {
        t->extent[X] = t->step[X] = t->shape[X];
        t->count[X] = 1;
    }
    choose_batch(t);
}

/* The tile's first sample along each axis that is right. */
static void begin(const struct gf_tiles *t, int64_t tile, int64_t at[GF_TILE_AXES]) {
    for (int i = X; i >= 0; i--) {
        at[i] = tile % t->count[i] * t->step[i];
        tile /= t->count[i];
    }
}

/* Index i of an axis of n samples, continued beyond both ends. */
static int64_t fold(int64_t i, int64_t n, bool mirrors) {
    while (i < 0 || i >= n)
        i = mirrors ? (i < 0 ? 0 : 2 * n) - 1 - i : i < 0 ? i + n : i - n;
    return i;
}

static void fill_row(const struct gf_tiles *t, const float *from, int64_t first, bool reversed,
                     float *to) {
    const int64_t n = t->shape[X], extent = t->extent[X];
    const int64_t begins = gf_min(gf_max(-first, 0), extent), ends = gf_min(n - first, extent);
    for (int64_t i = 0; i < begins; i++)
        to[reversed ? -i : i] = from[fold(first + i, n, t->mirrors)];
    if (!reversed)
        memcpy(to + begins, from + first + begins, (size_t)(ends - begins) * sizeof *to);
    for (int64_t i = begins; i < ends && reversed; i++)
        to[-i] = from[first + i];
    for (int64_t i = ends; i < extent; i++)
        to[reversed ? -i : i] = from[fold(first + i, n, t->mirrors)];
}

static void fill_tile(const struct gf_tiles *t, int64_t tile, const float *picture, bool reversed,
                      float *to) {
    const int64_t *n = t->extent;
    int64_t at[GF_TILE_AXES];
    begin(t, tile, at);
    for (int64_t z = 0; z < n[1]; z++)
        for (int64_t y = 0; y < n[2]; y++) {
            const int64_t index[] = {0, z, y};
            int64_t from = at[0], place = reversed ? n[X] - 1 : 0;
            for (int i = 1; i < X; i++) {
                const int64_t k = at[i] - t->reach[i] + index[i];
                from = from * t->shape[i] + fold(k, t->shape[i], t->mirrors);
                place += (reversed ? n[i] - 1 - index[i] : index[i]) * t->stride[i];
            }
            fill_row(t, picture + from * t->shape[X], at[X] - t->reach[X], reversed, to + place);
        }
}

void gf_tiles_fill(const struct gf_tiles *t, int64_t first, const float *picture, bool reversed,
                   float *to) {
#pragma omp parallel for num_threads(t->threads)
    for (int64_t k = 0; k < t->batch; k++)
        fill_tile(t, gf_min(first + k, t->n - 1), picture, reversed, to + k * t->next);
}

static void use_tile(const struct gf_tiles *t, int64_t tile, const float *from, bool reversed,
                     gf_tile_row *use, void *user) {
    int64_t at[GF_TILE_AXES], size[GF_TILE_AXES];
    begin(t, tile, at);
    for (int i = 0; i < GF_TILE_AXES; i++)
        size[i] = gf_min(t->step[i], t->shape[i] - at[i]);
    for (int64_t z = 0; z < size[1]; z++)
        for (int64_t y = 0; y < size[2]; y++) {
            const int64_t index[] = {0, z, y, 0};
            int64_t to = at[0], place = 0;
            for (int i = 1; i < GF_TILE_AXES; i++) {
                const int64_t k = t->reach[i] + index[i];
                to = to * t->shape[i] + at[i] + index[i];
                place += (reversed ? t->extent[i] - 1 - k : k) * t->stride[i];
            }
            use(user, tile, to, from + place, size[X]);
        }
}

void gf_tiles_use(const struct gf_tiles *t, int64_t first, const float *from, bool reversed,
                  gf_tile_row *use, void *user) {
    const int64_t n = gf_min(t->batch, t->n - first);
#pragma omp parallel for num_threads(t->threads)
    for (int64_t k = 0; k < n; k++)
        use_tile(t, first + k, from + k * t->next, reversed, use, user);
}
