/* Cuts pictures into overlapping tiles. */
#include "core/restore/tiles.h"

#include <string.h>

#include "core/base/value/factor.h"

/* A tile is this many times the kernel's reach, so that a seventh of its samples is repeated, but
 * not so small that short transforms waste time. Extents are multiples of what vectors hold. */
enum { REACHES = 16, LEAST_LINE = 2048, LEAST_SIDE = 128, LEAST_EDGE = 64, UNIT = 16 };
enum { BYTES = 1 << 20, MOST_BATCH = 64 }; /* of a job for one thread: its caches hold it */
/* A device's tiles and jobs are larger, as each waits for copies. */
enum { DEVICE_EXTENT = 16, DEVICE_BYTES = 32, DEVICE_PIECES = 64 };

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

/* Places several tiles in a job: along the first axis that has one sample of each, neighbours where
 * there are most. Of these few are in two jobs. Threads have jobs of their own, which need not wait
 * for each other, if there are enough tiles. */
static void choose_batch(struct gf_tiles *t, bool on_device) {
    const int threads = t->threads;
    int64_t samples = 1;
    t->n = t->batch = 1;
    for (int i = 0; i < GF_TILE_AXES; i++) {
        t->n *= t->count[i];
        samples *= t->extent[i];
        t->whole[i] = (t->count[i] - 1) * t->step[i] + t->extent[i];
        t->along = t->count[i] > t->count[t->along] ? i : t->along;
        t->place = !t->place && i && t->extent[i] == 1 ? i : t->place;
    }
    t->hands = t->n >= 2 * threads && !on_device ? threads : 1;
    t->threads = t->hands > 1 ? 1 : threads;
    const int64_t bytes = BYTES * (t->hands > 1 ? 1 : on_device ? DEVICE_BYTES : threads);
    int64_t most = gf_min(bytes / (int64_t)sizeof(float) / samples, MOST_BATCH);
    if (t->hands > 1)
        most = gf_min(most, t->n / (2 * threads));
    const int64_t count = t->count[t->along];
    for (int64_t b = 2; t->place && b <= gf_min(most, count); b++)
        if (gf_divide_up(count, b) * b - count <= count / 16)
            t->batch = b;
    t->jobs = t->n / count * gf_divide_up(count, t->batch);
    for (int i = 1; i < GF_TILE_AXES; i++)
        t->job.shape[i - 1] = i == t->place ? t->batch : t->extent[i];
}

void gf_tiles_init(struct gf_tiles *t, const struct gf_job *job, const int64_t *reach, bool mirrors,
                   int threads, bool on_device) {
    const int before = GF_TILE_AXES - 1 - job->ndim;
    int axes = 0;
    *t = (struct gf_tiles){.threads = threads, .mirrors = mirrors};
    t->pieces = on_device ? DEVICE_PIECES : 1;
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
            const int64_t least = axes == 1 ? LEAST_LINE : axes == 2 ? LEAST_SIDE : LEAST_EDGE;
            choose(t, i, on_device ? DEVICE_EXTENT * least : least);
        }
    }
    /* Rows that are not transformed are whole, as one sample of each would be slow to move. */
    if (!(t->job.axes >> (X - 1) & 1)) {
        t->extent[X] = t->step[X] = t->shape[X];
        t->count[X] = 1;
    }
    choose_batch(t, on_device);
}

int64_t gf_tiles_samples(const struct gf_tiles *t) {
    return gf_shape_count(t->whole, GF_TILE_AXES);
}

int64_t gf_tiles_at(const struct gf_tiles *t, const int64_t index[GF_TILE_AXES]) {
    int64_t at = 0;
    for (int i = 0; i < GF_TILE_AXES; i++)
        at = at * t->whole[i] + t->reach[i] + index[i];
    return at;
}

/* Samples from one index to the next along an axis of a picture. */
static int64_t stride_of(const struct gf_tiles *t, int axis) {
    return gf_shape_count(t->whole + axis + 1, X - axis);
}

/* The sample of n that continues an axis at index i. */
static int64_t fold(int64_t i, int64_t n, bool mirrors) {
    while (i < 0 || i >= n)
        i = mirrors ? (i < 0 ? 0 : 2 * n) - 1 - i : i < 0 ? i + n : i - n;
    return i;
}

static void extend_axis(const struct gf_tiles *t, int axis, float *picture) {
    const int64_t n = t->shape[axis], reach = t->reach[axis], below = stride_of(t, axis);
    const int64_t outer = gf_shape_count(t->whole, axis), beyond = t->whole[axis] - n;
#pragma omp parallel for num_threads(t->hands * t->threads) collapse(2)
    for (int64_t k = 0; k < outer; k++)
        for (int64_t j = 0; j < beyond; j++) {
            const int64_t i = j < reach ? j : j + n;
            float *first = picture + k * t->whole[axis] * below;
            const float *from = first + (reach + fold(i - reach, n, t->mirrors)) * below;
            if (axis == X)
                first[i] = *from;
            else
                memcpy(first + i * below, from, (size_t)below * sizeof *from);
        }
}

void gf_tiles_extend(const struct gf_tiles *t, float *picture) {
    for (int axis = X; axis > 0; axis--)
        extend_axis(t, axis, picture);
}

/* The job's first tile along each axis; returns how many of its tiles an earlier job has. */
static int64_t first_tile(const struct gf_tiles *t, int64_t k, int64_t tile[GF_TILE_AXES]) {
    int64_t again = 0;
    for (int i = X; i >= 0; i--) {
        const int64_t batch = i == t->along ? t->batch : 1, n = gf_divide_up(t->count[i], batch);
        const int64_t first = k % n * batch;
        tile[i] = gf_min(first, t->count[i] - batch);
        again += first - tile[i];
        k /= n;
    }
    return again;
}

struct gf_array gf_tiles_view(const struct gf_tiles *t, int64_t k, float *picture) {
    const int64_t size = (int64_t)sizeof *picture;
    struct gf_array view = {.dtype = GF_F32, .rank = GF_TILE_AXES, .data = picture};
    int64_t tile[GF_TILE_AXES];
    first_tile(t, k, tile);
    for (int i = 0; i < GF_TILE_AXES; i++)
        view.data = (float *)view.data + tile[i] * t->step[i] * stride_of(t, i);
    for (int i = 1; i < GF_TILE_AXES; i++) {
        view.shape[i - 1] = t->job.shape[i - 1];
        view.stride[i - 1] = size * stride_of(t, i);
        if (i == t->place)
            view.stride[i - 1] = size * t->step[t->along] * stride_of(t, t->along);
    }
    view.shape[X] = 1;
    view.stride[X] = size;
    return view;
}

/* Passes a piece of a job's tiles, the first of which is that. */
static void use_piece(const struct gf_tiles *t, const int64_t *first, int64_t piece,
                      const float *from, gf_tile_row *use, void *user) {
    const int64_t j = piece / t->pieces, part = piece % t->pieces;
    int64_t at[GF_TILE_AXES], size[GF_TILE_AXES], stride[GF_TILE_AXES], number = 0;
    for (int i = 0; i < GF_TILE_AXES; i++) {
        const int64_t tile = first[i] + (i == t->along ? j : 0);
        number = number * t->count[i] + tile;
        at[i] = tile * t->step[i];
        size[i] = gf_min(t->step[i], t->shape[i] - at[i]);
        stride[i] = gf_shape_count(t->job.shape + i, X - i);
        from += i == t->place ? j * stride[i] : i ? t->reach[i] * stride[i] : 0;
    }
    const int64_t to = gf_tiles_at(t, at), rows = size[1] * size[2];
    for (int64_t row = rows * part / t->pieces; row < rows * (part + 1) / t->pieces; row++) {
        const int64_t z = row / size[2], y = row % size[2];
        use(user, number * t->pieces + part, to + z * stride_of(t, 1) + y * stride_of(t, 2),
            from + z * stride[1] + y * stride[2], size[X]);
    }
}

void gf_tiles_use(const struct gf_tiles *t, int64_t k, const float *from, gf_tile_row *use,
                  void *user) {
    int64_t tile[GF_TILE_AXES];
    const int64_t again = first_tile(t, k, tile);
#pragma omp parallel for num_threads(t->threads)
    for (int64_t i = again * t->pieces; i < t->batch * t->pieces; i++)
        use_piece(t, tile, i, from, use, user);
}
