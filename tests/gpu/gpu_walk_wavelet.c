/* Follows wavelet passes: which elements kernels/wavelet.cl reads and writes. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/wavelet/dwt.h"
#include "tests/gpu/gpu_walk.h"

struct walk {
    const struct gf_gpu_plan *p;
    const struct gf_gpu_pass *pass;
    const struct wave_args *a;
    int number;
    bool all;
    unsigned char *mark[GF_GPU_N_BUFFERS]; /* written by a pass before this one, 2: by this one */
    int64_t in_bytes, low_bytes, out_bytes;
    bool walk, row, x, forward;
    int rows, s; /* of core/wavelet/dwt.h */
    int64_t broken;
    char *wrong;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void broken(struct walk *w, const char *format, ...) {
    va_list arguments;
    if (w->broken++)
        return;
    int used = snprintf(w->wrong, w->size, "pass %d (%s): ", w->number, w->pass->kernel.entry);
    va_start(arguments, format);
    vsnprintf(w->wrong + used, w->size - (size_t)used, format, arguments);
    va_end(arguments);
}

static void touch(struct walk *w, enum gf_gpu_buffer_id buffer_id, int64_t at, int64_t bytes,
                  bool write) {
    if (at < 0 || (at + 1) * bytes > w->p->bytes[buffer_id]) {
        broken(w, "%s element %lld of %lld bytes of buffer %d, which has %lld",
               write ? "writes" : "reads", (long long)at, (long long)bytes, (int)buffer_id,
               (long long)w->p->bytes[buffer_id]);
        return;
    }
    if (!w->all || (buffer_id == GF_GPU_IN && !write))
        return;
    unsigned char *mark = w->mark[buffer_id] + at * bytes;
    if (write && mark[0] == 2)
        broken(w, "writes element %lld of buffer %d twice", (long long)at, (int)buffer_id);
    if (!write && !mark[0])
        broken(w, "reads element %lld of buffer %d, which no pass wrote", (long long)at,
               (int)buffer_id);
    if (write)
        memset(mark, 2, (size_t)bytes);
}

/* The element at index i of a line of n beyond its ends; -1: zero. As the definition has it. */
static int64_t extend(const struct walk *w, int64_t i, int64_t n) {
    switch (w->p->job.wavelet.boundary) {
    case GF_ZERO:
        return i < 0 || i >= n ? -1 : i;
    case GF_PERIODIC:
        i = (i + 4 * (n + n % 2)) % (n + n % 2);
        return i < n ? i : n - 1;
    default:
        while (i < 0 || i >= n)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        return i;
    }
}

/* Samples that band sample k of an axis takes, or bands' samples that a pair does; 1 where off. */
static int needed(const struct walk *w, bool on, int64_t k, int64_t n, int64_t m, int64_t out[4]) {
    out[0] = k;
    if (!on)
        return 1;
    if (w->forward) {
        for (int i = 0; i < 4; i++)
            out[i] = extend(w, 2 * k - w->s + i, n);
        return 4;
    }
    for (int i = 0; i < 2; i++)
        out[i] = (k + w->s - 2 + i + m) % m;
    return 2;
}

/* The same of x in an inverse, where an item has samples 2 q and 2 q + 1: three of a band. */
static int needed_x(const struct walk *w, int64_t q, int64_t out[4]) {
    int64_t n = w->a->n[2], m = w->a->m[2];
    if (w->forward || !w->x)
        return needed(w, w->x, q, n, m, out);
    int count = 0;
    for (int i = w->s == 1 ? -1 : 0; i < 2; i++)
        out[count++] = (q + i + m) % m;
    return count;
}

static int made(const struct walk *w, bool on, int64_t k, int64_t n, int64_t out[2]) {
    out[0] = k;
    if (!on || w->forward)
        return 1;
    int count = 0;
    for (int i = 0; i < 2; i++) {
        int64_t at = 2 * k + w->s - 2 + i;
        at = at < 0 ? n + n % 2 - 1 : at;
        if (at < n)
            out[count++] = at;
    }
    return count;
}

/* Band `b` of an element: bit 2 along the walk, 1 across rows, 0 along x, of those that are on. */
static void touch_bands(struct walk *w, int64_t k, int64_t y, int64_t column, bool write) {
    const struct wave_args *a = w->a;
    int64_t bytes = write ? w->out_bytes : w->in_bytes;
    enum gf_gpu_buffer_id packed = w->pass->buffer[w->forward ? 1 : 0], low = w->pass->buffer[2];
    touch(w, low, k * a->low[0] + y * a->low[1] + column, w->low_bytes, write);
    for (int b = 1; b < 8; b++) {
        if ((b & 4 && !w->walk) || (b & 2 && !w->row) || (b & 1 && !w->x))
            continue;
        int64_t at = k * a->packed[0] + y * a->packed[1] + column;
        at += (b & 4 ? a->detail[0] : 0) + (b & 2 ? a->detail[1] : 0) + (b & 1 ? a->detail[2] : 0);
        touch(w, packed, at, bytes, write);
    }
}

/* One step of an item: element (k, y, column). */
static void step(struct walk *w, int64_t k, int64_t y, int64_t column) {
    const struct wave_args *a = w->a;
    int64_t c = a->channels, q = column / c, channel = column % c, ks[4], ys[4], xs[4];
    int nk = needed(w, w->walk, k, a->n[0], a->m[0], ks);
    int ny = needed(w, w->row, y, a->n[1], a->m[1], ys);
    int nx = needed_x(w, q, xs);
    for (int i = 0; i < nk * ny * nx; i++) {
        int64_t z = ks[i / (ny * nx)], r = ys[i / nx % ny], x = xs[i % nx];
        if (z < 0 || r < 0 || x < 0)
            continue;
        if (w->forward)
            touch(w, w->pass->buffer[0], z * a->fine[0] + r * a->fine[1] + x * c + channel,
                  w->in_bytes, false);
        else
            touch_bands(w, z, r, x * c + channel, false);
    }
    if (w->forward) {
        touch_bands(w, k, y, column, true);
        return;
    }
    nk = made(w, w->walk, k, a->n[0], ks);
    ny = made(w, w->row, y, a->n[1], ys);
    nx = 1;
    xs[0] = q;
    if (w->x) {
        xs[0] = 2 * q;
        xs[1] = 2 * q + 1;
        nx = xs[1] < a->n[2] ? 2 : 1;
    }
    for (int i = 0; i < nk * ny * nx; i++)
        touch(w, w->pass->buffer[1],
              ks[i / (ny * nx)] * a->fine[0] + ys[i / nx % ny] * a->fine[1] + xs[i % nx] * c +
                  channel,
              w->out_bytes, true);
}

/* All that one item of a group does; items of small arrays, and the first and last of large ones.
 */
static void item(struct walk *w, int64_t group, int64_t local) {
    const struct wave_args *a = w->a;
    int64_t items = w->pass->group, width = (int64_t)1 << a->width_bits;
    int64_t unit = group / a->blocks * (items / width) + local / width;
    int64_t inner = unit % a->inner, outer = unit / a->inner;
    int64_t column = group % a->blocks * width + local % width;
    int64_t row = w->row ? inner * w->rows : outer, first = (w->row ? outer : inner) * a->strip;
    if (column >= a->columns || row >= a->rows || first >= a->steps)
        return;
    for (int64_t k = first; k < first + a->strip && k < a->steps; k++)
        for (int64_t y = row; y < row + (w->row ? w->rows : 1) && y < a->rows; y++)
            if (w->all || k == first || k == a->steps - 1)
                step(w, k, y, column);
}

static void walk_level(struct walk *w) {
    const struct gf_gpu_pass *pass = w->pass;
    w->a = &pass->args.wave;
    w->forward = w->p->job.direction == GF_FORWARD;
    if (w->forward != (strstr(pass->kernel.options, "-DFORWARD") != NULL))
        broken(w, "the kernel transforms in the other direction");
    w->walk = walk_option(pass, "ALONG_WALK") == 1;
    w->row = walk_option(pass, "ALONG_ROW") == 1;
    w->x = walk_option(pass, "ALONG_X") == 1;
    w->rows = (int)walk_option(pass, "ROWS");
    w->s = w->p->job.wavelet.boundary == GF_PERIODIC ? 1 : 2;
    w->in_bytes = walk_type_bytes(pass, "IN");
    w->low_bytes = walk_type_bytes(pass, "LOW");
    w->out_bytes = walk_type_bytes(pass, "OUT");
    if (walk_option(pass, "ITEMS") != pass->group || pass->group >> w->a->width_bits < 1)
        broken(w, "groups of %d, rows of %lld", pass->group, 1ll << w->a->width_bits);
    if (walk_option(pass, "NEAR") == 1 && (w->a->n[2] % 2 || w->a->channels > 1 || !w->x))
        broken(w, "pairs that are not aligned");
    int64_t items = pass->groups * pass->group;
    for (int64_t i = 0; i < items; i += w->all || i > items - 400 || i < 400 ? 1 : items / 400 + 1)
        item(w, i / pass->group, i % pass->group);
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        for (int64_t k = 0; k < w->p->bytes[i] && w->mark[i]; k++)
            w->mark[i][k] = w->mark[i][k] ? 1 : 0;
}

/* All bands together, bytes of an output. */
static int64_t covered(const struct gf_job *job) {
    struct gf_dwt_band band[GF_MAX_BANDS];
    int64_t sum = 0;
    int n = gf_dwt_bands(job, band);
    for (int b = 0; b < n; b++) {
        int64_t count = job->channels;
        for (int i = 0; i < job->ndim; i++)
            count *= band[b].extent[i];
        sum += count;
    }
    return sum * (int64_t)gf_dtype_size(job->out[0].dtype);
}

int64_t walk_wavelet(const struct gf_gpu_plan *p, int64_t most, char *wrong, size_t size) {
    struct walk w = {.p = p, .wrong = wrong, .size = size, .all = true};
    *wrong = 0;
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        w.all = w.all && p->bytes[i] <= most;
    for (int i = 0; i < GF_GPU_N_BUFFERS && w.all; i++)
        w.mark[i] = calloc((size_t)p->bytes[i] + 1, 1);
    for (w.number = 0; w.number < p->n_passes; w.number++) {
        w.pass = &p->pass[w.number];
        for (int k = 0; k < w.pass->n_buffers; k++)
            if (!p->bytes[w.pass->buffer[k]])
                broken(&w, "buffer %d has no bytes", (int)w.pass->buffer[k]);
        /* No level reads what was written before the level in front of it. */
        enum gf_gpu_buffer_id to = w.pass->buffer[p->job.direction == GF_FORWARD ? 2 : 1];
        if (w.all && (to == GF_GPU_A || to == GF_GPU_B))
            memset(w.mark[to], 0, (size_t)p->bytes[to]);
        walk_level(&w);
    }
    for (int i = 0; i < p->job.n_out && w.all; i++) {
        enum gf_gpu_buffer_id buffer_id = (enum gf_gpu_buffer_id)(GF_GPU_OUT + i);
        int64_t written = 0, wanted = p->bytes[buffer_id];
        for (int64_t k = 0; k < p->bytes[buffer_id]; k++)
            written += w.mark[buffer_id][k] != 0;
        if (p->job.direction == GF_FORWARD) {
            wanted = covered(&p->job);
            if (p->gaps != (wanted < p->bytes[buffer_id]))
                broken(&w, "gaps that are not told of");
        }
        if (written != wanted)
            broken(&w, "%lld bytes of output %d are written, not %lld", (long long)written, i,
                   (long long)wanted);
    }
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        free(w.mark[i]);
    return w.broken;
}
