/* Copies rows of pages and runs of bins, shifted and mirrored, on all threads. */
#include "core/gpu/slab_copy.h"

#include "core/base/value/halves.h"
#include "core/base/value/pages.h"

struct gf_array gf_gpu_slab_volume(const struct gf_array *a) {
    struct gf_array v = *a;
    v.base = NULL;
    if (a->rank == 4)
        return v;
    v.rank = 4;
    if (a->rank == 2) {
        const int64_t bytes = a->shape[0] * a->stride[0];
        memcpy(v.shape, (int64_t[]){1, 1, a->shape[0], a->shape[1]}, sizeof v.shape);
        memcpy(v.stride, (int64_t[]){bytes, bytes, a->stride[0], a->stride[1]}, sizeof v.stride);
        return v;
    }
    memcpy(v.shape, (int64_t[]){a->shape[0], 1, a->shape[1], a->shape[2]}, sizeof v.shape);
    memcpy(v.stride, (int64_t[]){a->stride[0], a->stride[0], a->stride[1], a->stride[2]},
           sizeof v.stride);
    return v;
}

bool gf_gpu_slab_mirrors(const struct gf_output *o) {
    const bool opposite = o->kind == GF_PHASE || o->kind == GF_IMAG;
    if (opposite && gf_dtype_is_integer(o->dtype) && o->map != GF_MAP_DISPLAY)
        return false;
    return gf_half_mirror(o->kind, o->dtype) != NULL;
}

/* ---- runs of one row ---- */

/* Columns x .. x + n - 1 of a row. */
struct row_run {
    int64_t z, y, x, n;
};

static char *at(const struct gf_array *a, int64_t z, int64_t y, int64_t x) {
    return (char *)a->data + z * a->stride[0] + y * a->stride[1] + x * a->stride[2];
}

/* Bytes of a column, all channels. */
static int64_t unit_of(const struct gf_array *a) {
    return a->shape[3] * (int64_t)gf_dtype_size(a->dtype);
}

static void copy_run(const struct gf_array *a, struct row_run r, char *packed, bool unpack) {
    char *there = at(a, r.z, r.y, r.x);
    if (gf_array_has_dense_rows(a)) {
        gf_copy_streaming(unpack ? there : packed, unpack ? packed : there,
                          (size_t)(r.n * unit_of(a)));
        return;
    }
    const int64_t shape[2] = {r.n, a->shape[3]};
    struct gf_array dense = gf_array_wrap(packed, a->dtype, 2, shape), run = dense;
    run.data = there;
    run.stride[0] = a->stride[2];
    run.stride[1] = a->stride[3];
    gf_array_copy(unpack ? &run : &dense, unpack ? &dense : &run);
}

static int64_t shifted(int64_t i, int64_t n, bool shift) {
    i += shift ? n / 2 : 0;
    return i < n ? i : i - n;
}

static int64_t negative(int64_t i, int64_t n, bool transformed) {
    return transformed ? gf_half_negative(i, n) : i;
}

static void copy_shifted(const struct gf_gpu_slab_copy *b, struct row_run r, char *packed,
                         bool unpack) {
    const struct gf_array *a = &b->array;
    r.z = shifted(r.z, a->shape[0], b->shift[0]);
    r.y = shifted(r.y, a->shape[1], b->shift[1]);
    struct gf_span run[2];
    gf_span_shift(b->shift[2], a->shape[2], (struct gf_span){r.x, r.n}, run);
    for (int k = 0; k < 2 && run[k].count; packed += run[k++].count * unit_of(a))
        copy_run(a, (struct row_run){r.z, r.y, run[k].first, run[k].count}, packed, unpack);
}

/* Writes the mirror images of columns 1 .. (n - 1) / 2, at n - x of the negative row of the
 * negative page. */
static void mirror_run(const struct gf_gpu_slab_copy *b, struct row_run r, const char *packed) {
    const struct gf_array *a = &b->array;
    const int64_t n = a->shape[2], size = (int64_t)gf_dtype_size(a->dtype), unit = unit_of(a);
    const int64_t first = r.x ? r.x : 1, last = r.x + r.n - 1;
    const int64_t count = (last < (n - 1) / 2 ? last : (n - 1) / 2) - first + 1;
    if (count <= 0)
        return;
    const int64_t z = shifted(negative(r.z, a->shape[0], b->axes & 1), a->shape[0], b->shift[0]);
    const int64_t y =
        shifted(negative(r.y, a->shape[1], b->axes >> 1 & 1), a->shape[1], b->shift[1]);
    char *to = at(a, z, y, shifted(n - first, n, b->shift[2]));
    for (int64_t c = 0; c < a->shape[3]; c++)
        gf_half_mirror(b->kind, a->dtype)(to + c * a->stride[3], a->stride[2],
                                          packed + (first - r.x) * unit + c * size, unit, count);
}

/* ---- lines ---- */

/* Points k .. k + n - 1 of a line, packed, or their conjugates in reverse. */
struct point_run {
    int64_t k, n;
    char *packed;
    bool mirrored;
};

/* Copies points from .. from + count - 1 of a run, which are at `place` in the array. */
static void copy_points(const struct gf_gpu_slab_copy *b, const struct point_run *r, int64_t from,
                        int64_t place, int64_t count, bool unpack) {
    const struct gf_array *a = &b->array;
    const int64_t unit = unit_of(a), size = (int64_t)gf_dtype_size(a->dtype);
    if (!r->mirrored) {
        copy_run(a, (struct row_run){.x = place, .n = count}, r->packed + from * unit, unpack);
        return;
    }
    for (int64_t c = 0; c < a->shape[3]; c++) {
        char *const first = at(a, 0, 0, place) + c * a->stride[3];
        char *const last = r->packed + (r->n - 1 - from) * unit + c * size;
        if (unpack)
            gf_half_mirror(b->kind, a->dtype)(first + (count - 1) * a->stride[2], a->stride[2],
                                              last - (count - 1) * unit, unit, count);
        else
            gf_half_mirror(b->kind, a->dtype)(last, unit, first, a->stride[2], count);
    }
}

/* Copies the points that the array has; a shifted array may have them in two runs. */
static void copy_point_run(const struct gf_gpu_slab_copy *b, struct point_run r, bool unpack) {
    const int64_t all = b->array.shape[2], n = r.k + r.n < all ? r.n : all - r.k;
    if (n <= 0)
        return;
    if (r.mirrored)
        r.packed += (r.n - n) * unit_of(&b->array);
    r.n = n;
    struct gf_span run[2];
    gf_span_shift(b->shift[2], all, (struct gf_span){r.k, n}, run);
    copy_points(b, &r, 0, run[0].first, run[0].count, unpack);
    if (run[1].count)
        copy_points(b, &r, run[0].count, 0, run[1].count, unpack);
}

/* Copies row `row` of a line's matrix. If only some columns are packed, it also writes the mirror
 * images outside them, and reads points beyond half a spectrum from theirs. */
static void copy_line_row(const struct gf_gpu_slab_copy *b, int64_t row, char *packed,
                          bool unpack) {
    const int64_t unit = unit_of(&b->array), all = b->array.shape[2], n = b->line.points;
    const int64_t k = row * b->line.columns + b->part.first;
    const int64_t there = all - k < b->part.count ? (all > k ? all - k : 0) : b->part.count;
    copy_point_run(b, (struct point_run){k, there, packed, false}, unpack);
    if (!b->mirrors)
        return;
    if (!unpack) {
        copy_point_run(b,
                       (struct point_run){n - k - b->part.count + 1, b->part.count - there,
                                          packed + there * unit, true},
                       false);
        return;
    }
    const int64_t skip = b->part.first == 0, half = (b->line.columns - 1) / 2;
    const int64_t end =
        b->part.first + b->part.count <= half ? b->part.first + b->part.count : half + 1;
    const int64_t count = end - b->part.first - skip;
    if (count > 0)
        copy_point_run(
            b, (struct point_run){n - k - skip - count + 1, count, packed + skip * unit, true},
            true);
}

/* ---- parts ---- */

static void copy_page(const struct gf_gpu_slab_copy *b, int64_t z, char *packed, bool unpack) {
    const struct gf_array *a = &b->array;
    const int64_t unit = unit_of(a), end = b->part.first + b->part.count;
    if (b->line.points) {
        copy_line_row(b, z, packed, unpack);
        return;
    }
    const bool flat = !b->mirrors && !b->shift[1] && !b->shift[2] && gf_array_has_dense_rows(a) &&
                      a->stride[1] == a->shape[2] * unit;
    if (flat) {
        char *there = at(a, shifted(z, a->shape[0], b->shift[0]), 0, b->part.first);
        gf_copy_streaming(unpack ? there : packed, unpack ? packed : there,
                          (size_t)(b->part.count * unit));
        return;
    }
    for (int64_t i = b->part.first; i < end;) {
        struct row_run r = {.z = z, .y = i / b->columns, .x = i % b->columns};
        r.n = gf_min(b->columns - r.x, end - i);
        copy_shifted(b, r, packed, unpack);
        if (b->mirrors && unpack)
            mirror_run(b, r, packed);
        packed += r.n * unit;
        i += r.n;
    }
}

/* Threads share a copy by pages of bins, or by runs of rows. */
enum { RUN = 256 << 10 };

static int64_t row_bytes(const struct gf_gpu_slab_copy *c) {
    return c->array.shape[2] * unit_of(&c->array);
}

static int64_t rows_at_once(const struct gf_gpu_slab_copy *c) {
    return RUN / row_bytes(c) + 1;
}

static int64_t count_shares(const struct gf_gpu_slab_copy *c) {
    if (c->whole_pages)
        return gf_divide_up(c->part.count * c->array.shape[1], rows_at_once(c));
    return c->line.points ? c->line.rows : c->array.shape[0];
}

static void copy_share(const struct gf_gpu_slab_copy *c, int64_t i) {
    if (!c->whole_pages) {
        copy_page(c, i, c->packed + i * c->part.count * unit_of(&c->array), c->unpack);
        return;
    }
    const int64_t each = rows_at_once(c), rows = c->array.shape[1], all = c->part.count * rows;
    for (int64_t k = i * each; k < (i + 1) * each && k < all; k++)
        copy_run(&c->array,
                 (struct row_run){c->part.first + k / rows, k % rows, 0, c->array.shape[2]},
                 c->packed + k * row_bytes(c), c->unpack);
}

void gf_gpu_slab_copy(const struct gf_gpu_slab_copy *copy, int n, int threads) {
#pragma omp parallel num_threads(threads) if (threads > 1 && n > 0)
    for (int k = 0; k < n; k++) {
        const int64_t shares = count_shares(&copy[k]);
#pragma omp for schedule(dynamic) nowait
        for (int64_t i = 0; i < shares; i++)
            copy_share(&copy[k], i);
    }
}
