/* A filter's table, made from a mask or a kernel and multiplied by its previous contents. */
#include "core/filter/table.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/span.h"
#include "core/base/value/status.h"
#include "core/base/job/part_job.h"

/* Imaginary parts below this share of the sum of |h| are rounding errors. */
static const double IMAG_RATIO = 1e-12;

/* Half a spectrum of the transformed axes alone, extent 1 along the others. */
struct half {
    int ndim;
    int64_t extent[GF_MAX_DIMS];
    bool complex;
    double *value;
};

/* Axes and extents of the whole job of a part, and the part's first index. */
static unsigned axes_of(const struct gf_job *job) {
    return job->whole.axes ? job->whole.axes : job->axes;
}

static bool on(const struct gf_job *job, int axis) {
    return axes_of(job) >> axis & 1;
}

static int64_t length_of(const struct gf_job *job, int axis) {
    return !on(job, axis) ? 1 : job->whole.axes ? job->whole.shape[axis] : job->shape[axis];
}

static int64_t first_of(const struct gf_job *job, int axis) {
    return job->whole.axes ? job->whole.first[axis] : 0;
}

static int64_t index_of(const struct gf_job *job, int axis, int64_t k) {
    return first_of(job, axis) + (job->whole.step ? k * job->whole.step : k);
}

static int64_t half_init(const struct gf_job *job, bool complex, struct half *h) {
    int64_t count = 1;
    *h = (struct half){.ndim = job->ndim, .complex = complex};
    for (int i = 0; i < job->ndim; i++) {
        const bool half = i == gf_job_half_axis(job) && !job->whole.axes;
        h->extent[i] = !on(job, i) ? 1 : half ? job->shape[i] / 2 + 1 : job->shape[i];
        count *= h->extent[i];
    }
    return count;
}

/* ---- the table ---- */

/* The index in `h` of table element `at` (C order). */
static int64_t find(const struct half *h, const struct gf_array *table, int64_t at) {
    int64_t where = 0, step = 1;
    for (int i = h->ndim - 1; i >= 0; i--) {
        where += h->extent[i] > 1 ? at % table->shape[i] * step : 0;
        at /= table->shape[i];
        step *= h->extent[i];
    }
    return where;
}

/* Number `at` of the table: its previous value (1 without data) times h. */
static void multiply(const struct gf_array *old, const struct half *h, int64_t at,
                     struct gf_array *to) {
    const int64_t from = find(h, to, at);
    struct gf_number y = {h->value[h->complex ? 2 * from : from],
                          h->complex ? h->value[2 * from + 1] : 0};
    if (old->data) {
        const struct gf_number x = gf_filter_number(old, at);
        y = (struct gf_number){y.re * x.re - y.im * x.im, y.re * x.im + y.im * x.re};
    }
    gf_filter_put_number(to, at, y);
}

static int times(struct gf_filter *f, const struct gf_job *job, int threads, const struct half *h) {
    struct gf_array old = f->table, to;
    int64_t shape[GF_MAX_DIMS];
    for (int i = 0; i < job->ndim; i++)
        shape[i] = on(job, i) ? h->extent[i] : job->shape[i];
    int rc = gf_filter_table_alloc(job, h->complex || (old.data && gf_dtype_is_complex(old.dtype)),
                                   shape, &to);
    if (rc)
        return rc;
    const int64_t count = gf_array_count(&to);
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t at = 0; at < count; at++)
        multiply(&old, h, at, &to);
    gf_array_free(&f->table);
    f->table = to;
    return 0;
}

/* ---- masks ---- */

/* The two samples around a bin of the longer axis, and the share of the second. */
struct between {
    int64_t at[2];
    double share;
};

/* Sample k (any sign) of a centred axis of n. */
static int64_t centred(int64_t k, int64_t n) {
    return ((k + n / 2) % n + n) % n;
}

static struct between look_up(int64_t k, int64_t n, int64_t length) {
    int64_t sign = 2 * k > length ? k - length : k;
    double x = (double)(sign * n) / (double)length, low = floor(x);
    return (struct between){{centred((int64_t)low, n), centred((int64_t)low + 1, n)}, x - low};
}

/* Bin k of the job along an axis, between the samples of a mask of n. */
static struct between look_up_on(const struct gf_job *job, int axis, int64_t k, int64_t n) {
    return on(job, axis) ? look_up(index_of(job, axis, k), n, length_of(job, axis))
                         : look_up(0, n, 1);
}

/* The index of the mirror image of sample `at` of the mask. */
static int64_t opposite(int64_t at, int64_t n) {
    return centred(-(at - n / 2), n);
}

/* A sample of half a mask at centred indices of the whole. */
static double half_at(const struct gf_filter_samples *m, int ndim, const int64_t *centred_at) {
    const int last = ndim - 1;
    const int64_t stored = m->extent[last] / 2 + 1;
    int64_t k[GF_MAX_DIMS], at = 0;
    for (int i = 0; i <= last; i++)
        k[i] = (centred_at[i] - m->extent[i] / 2 + m->extent[i]) % m->extent[i];
    const bool mirrored = k[last] >= stored;
    for (int i = 0; i <= last; i++)
        at = at * (i < last ? m->extent[i] : stored) +
             (mirrored && k[i] ? m->extent[i] - k[i] : k[i]);
    return (double)m->half[at];
}

/* A stored sample; 0 outside a span. */
static inline double value_at(const struct gf_filter_samples *m, int64_t at) {
    at -= m->first;
    return m->count && (at < 0 || at >= m->count) ? 0 : m->value[at];
}

/* The mask's even part, interpolated; half a mask is already even. */
static double mask_at(const struct gf_filter_samples *m, int ndim, const struct between *b) {
    double sum = 0;
    for (int corner = 0; corner < 1 << ndim; corner++) {
        double weight = 1;
        int64_t index[GF_MAX_DIMS], at = 0, twin = 0;
        for (int i = 0; i < ndim; i++) {
            const int up = corner >> i & 1;
            weight *= up ? b[i].share : 1 - b[i].share;
            const int64_t here = b[i].at[up], there = opposite(here, m->extent[i]);
            const bool some = m->held && i == m->axis;
            const int64_t n = some ? m->n_held : m->extent[i];
            index[i] = here;
            at = at * n + (some ? m->held[here] : here);
            twin = twin * n + (some ? m->held[there] : there);
        }
        if (weight > 0)
            sum += weight *
                   (m->half ? 2 * half_at(m, ndim, index) : value_at(m, at) + value_at(m, twin)) /
                   2;
    }
    return sum;
}

int gf_filter_times_mask(struct gf_filter *f, const struct gf_job *job, int threads,
                         const struct gf_filter_samples *mask) {
    struct half h;
    const int64_t count = half_init(job, false, &h);
    h.value = malloc((size_t)count * sizeof *h.value);
    if (!h.value)
        return gf_fail(GF_ENOMEM, "no memory for the filter's table");
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t at = 0; at < count; at++) {
        struct between b[GF_MAX_DIMS];
        int64_t rest = at;
        for (int i = job->ndim - 1; i >= 0; i--) {
            b[i] = look_up_on(job, i, rest % h.extent[i], mask->extent[i]);
            rest /= h.extent[i];
        }
        h.value[at] = mask_at(mask, job->ndim, b);
    }
    int rc = times(f, job, threads, &h);
    free(h.value);
    return rc;
}

void gf_filter_mark_mask(const struct gf_job *job, int axis, int64_t extent, int64_t *held) {
    memset(held, 0, (size_t)extent * sizeof *held);
    for (int64_t k = 0; k < (on(job, axis) ? job->shape[axis] : 1); k++) {
        const struct between b = look_up_on(job, axis, k, extent);
        for (int i = 0; i < 2; i++)
            held[b.at[i]] = held[opposite(b.at[i], extent)] = 1;
    }
}

/* ---- masks of lines, span by span ---- */

struct indices {
    int64_t first, end;
};

/* Indices of the part, with some margin, whose bins are `low` to `high` mask bins from the zero
 * frequency, or from its repetition after a turn. */
static struct indices find_indices(const struct gf_job *part, int64_t extent, int64_t low,
                                   int64_t high, bool turn) {
    const double bin = (double)length_of(part, 0) / (double)extent, step = (double)part->whole.step;
    const double first = (double)(first_of(part, 0) - (turn ? length_of(part, 0) : 0));
    const double n = (double)part->shape[0];
    const double from = ((double)(low - 1) * bin - first) / step - 1;
    const double end = ((double)(high + 2) * bin - first) / step + 2;
    return (struct indices){(int64_t)fmin(fmax(from, 0), n), (int64_t)fmin(fmax(end, 0), n)};
}

static bool is_in(const struct indices *some, int n, int64_t j) {
    bool in = false;
    for (int i = 0; i < n; i++)
        in |= j >= some[i].first && j < some[i].end;
    return in;
}

void gf_filter_add_span(const struct gf_job *part, const struct gf_filter_samples *span,
                        int threads, double *value) {
    const int64_t extent = span->extent[0], low = span->first - extent / 2;
    const int64_t high = low + span->count - 1;
    struct indices some[4];
    for (int i = 0; i < 4; i++)
        some[i] = find_indices(part, extent, i % 2 ? -high : low, i % 2 ? -low : high, i / 2);
    for (int i = 0; i < 4; i++) {
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
        for (int64_t j = some[i].first; j < some[i].end; j++)
            if (!is_in(some, i, j)) {
                const struct between b = look_up_on(part, 0, j, extent);
                value[j] += mask_at(span, 1, &b);
            }
    }
}

int gf_filter_times_values(struct gf_filter *f, const struct gf_job *part, int threads,
                           double *value) {
    struct half h;
    half_init(part, false, &h);
    h.value = value;
    return times(f, part, threads, &h);
}

/* ---- kernels ---- */

/* The sample of a kernel at an index of the job's circular axes. */
static double kernel_at(const struct gf_job *job, const struct gf_filter_samples *kernel,
                        const int64_t *offset) {
    int64_t at = 0;
    for (int i = 0; i < job->ndim; i++) {
        const int64_t n = kernel->extent[i], length = length_of(job, i);
        const int64_t j = ((offset[i] + n / 2) % length + length) % length;
        if (j >= n)
            return 0;
        at = at * n + j;
    }
    return kernel->value[at];
}

/* True if the spectrum's imaginary parts are rounding. They come from the kernel's odd part, which
 * has the same mean square (Parseval). */
static bool is_even(const struct gf_job *job, const struct gf_filter_samples *kernel) {
    double odd = 0, sum = 0;
    int64_t count = 1;
    for (int i = 0; i < job->ndim; i++)
        count *= kernel->extent[i];
    for (int64_t at = 0; at < count; at++) {
        int64_t rest = at, offset[GF_MAX_DIMS];
        for (int i = job->ndim - 1; i >= 0; i--) {
            offset[i] = kernel->extent[i] / 2 - rest % kernel->extent[i];
            rest /= kernel->extent[i];
        }
        odd += pow(kernel->value[at] - kernel_at(job, kernel, offset), 2) / 2;
        sum += fabs(kernel->value[at]);
    }
    return sqrt(odd) <= IMAG_RATIO * sum;
}

/* In place, along the slowest axis of a contiguous block. */
static int transform_slowest(int ndim, const int64_t *extent, double *value,
                             const struct gf_filter_transform *transform) {
    struct gf_job job = {.ndim = ndim,
                         .channels = 1,
                         .axes = 1,
                         .in_dtype = GF_C128,
                         .lean = true,
                         .precision = GF_DOUBLE,
                         .n_out = 1,
                         .out = {{.kind = GF_COMPLEX, .dtype = GF_C128}}};
    int64_t shape[GF_MAX_RANK];
    memcpy(job.shape, extent, (size_t)ndim * sizeof *extent);
    gf_job_in_shape(&job, shape);
    struct gf_array in = gf_array_wrap(value, GF_C128, ndim + 1, shape), out = in;
    return transform->run(transform->context, &job, &in, &out);
}

/* Transforms `count` planes of a kernel along all axes but the slowest; a line along that one. */
static struct gf_job planes_job(const struct gf_job *job, int64_t count) {
    struct gf_job planes = {.ndim = job->ndim,
                            .shape = {count},
                            .channels = 1,
                            .axes = axes_of(job) == 1 ? 1 : axes_of(job) & ~1u,
                            .in_dtype = GF_F64,
                            .precision = GF_DOUBLE,
                            .elsewhere = axes_of(job) == 1 ? 0 : length_of(job, 0),
                            .n_out = 1,
                            .out = {{.kind = GF_COMPLEX, .dtype = GF_C128, .half = true}}};
    for (int i = 1; i < job->ndim; i++)
        planes.shape[i] = length_of(job, i);
    return planes;
}

/* The planes transformed together with plane z, so that the table is the same when made in parts:
 * those that share a tile of rows, or z alone. */
static struct gf_span tile_of(const struct gf_job *job, int64_t z) {
    const struct gf_job planes = planes_job(job, 1);
    const int64_t length = length_of(job, 0), rows = job->ndim == 3 ? planes.shape[1] : 1;
    const bool joined = gf_job_joins_pages(&planes) || rows == 1;
    if (axes_of(job) == 1)
        return (struct gf_span){0, length};
    if (!joined && (rows >= GF_PART_TILE || length <= rows))
        return (struct gf_span){z, 1};
    const int64_t n = length < GF_PART_TILE ? 1 : length / GF_PART_TILE;
    const int64_t i = z / GF_PART_TILE < n ? z / GF_PART_TILE : n - 1, first = i * GF_PART_TILE;
    return (struct gf_span){first, i == n - 1 ? length - first : GF_PART_TILE};
}

/* Puts the kernel's planes of the tile into x, which is zero, with the centre at the origin; false
 * if there are none. */
static bool lay_out(const struct gf_job *job, const struct gf_filter_samples *kernel,
                    const struct gf_span *tile, struct gf_array *x) {
    const int64_t length = length_of(job, 0), n = kernel->extent[0];
    int64_t plane = 1;
    bool any = false;
    for (int i = 1; i < job->ndim; i++)
        plane *= kernel->extent[i];
    for (int64_t j = 0; j < n; j++) {
        const int64_t z = (j - n / 2 + length) % length - tile->first;
        if (z < 0 || z >= tile->count)
            continue;
        any = true;
        for (int64_t at = 0; at < plane && x; at++) {
            int64_t rest = at, offset = z * x->stride[0];
            for (int i = job->ndim - 1; i > 0; i--) {
                const int64_t m = kernel->extent[i], k = rest % m - m / 2;
                rest /= m;
                offset += (k < 0 ? k + x->shape[i] : k) * x->stride[i];
            }
            *(double *)((char *)x->data + offset) = kernel->value[j * plane + at];
        }
    }
    return any;
}

/* Transforms a tile of the kernel and adds it to the lines through it. */
static int add_tile(const struct gf_job *job, const struct gf_filter_samples *kernel,
                    const struct gf_span *tile, const struct gf_filter_transform *transform,
                    struct half *h) {
    const struct gf_job planes = planes_job(job, tile->count);
    const int last = job->ndim - 1;
    const int64_t rows = last == 2 ? h->extent[1] : 1, columns = last ? h->extent[last] : 1;
    struct gf_array x = {0}, spectrum = {0};
    int rc = gf_job_alloc(&planes, -1, &x);
    if (!rc)
        rc = gf_job_alloc(&planes, 0, &spectrum);
    if (rc)
        goto out;
    memset(x.data, 0, (size_t)gf_array_bytes(&x));
    lay_out(job, kernel, tile, &x);
    rc = transform->run(transform->context, &planes, &x, &spectrum);
    for (int64_t k = 0; k < spectrum.shape[0] * rows && !rc; k++) {
        int64_t from = k / rows * spectrum.stride[0];
        if (on(job, 1) && last == 2)
            from += (first_of(job, 1) + k % rows) * spectrum.stride[1];
        if (last)
            from += first_of(job, last) * spectrum.stride[last];
        memcpy(h->value + 2 * (tile->first * rows + k) * columns, (char *)spectrum.data + from,
               (size_t)columns * 2 * sizeof(double));
    }
out:
    gf_array_free(&x);
    gf_array_free(&spectrum);
    return rc;
}

int64_t gf_filter_kernel_bytes(const struct gf_job *job) {
    const struct gf_job planes = planes_job(job, tile_of(job, length_of(job, 0) - 1).count);
    return (int64_t)(gf_job_array_bytes(&planes, -1) + gf_job_array_bytes(&planes, 0));
}

/* A line's kernel for every step-th frequency: the sums have the period P / step, with a factor per
 * sample for the first frequency. */
static void fold(const struct gf_job *job, const struct gf_filter_samples *kernel, int64_t period,
                 double *value) {
    const int64_t n = kernel->extent[0], length = length_of(job, 0), first = first_of(job, 0);
    for (int64_t j = 0; j < n; j++) {
        const int64_t offset = j - n / 2, turn = first * offset % length;
        const double angle = -2 * M_PI * (double)turn / (double)length;
        double *to = value + 2 * ((offset % period + period) % period);
        to[0] += kernel->value[j] * cos(angle);
        to[1] += kernel->value[j] * sin(angle);
    }
}

int gf_filter_times_kernel(struct gf_filter *f, const struct gf_job *job, int threads,
                           const struct gf_filter_samples *kernel,
                           const struct gf_filter_transform *transform) {
    struct half h;
    const int64_t count = half_init(job, true, &h), length = length_of(job, 0);
    const int64_t period = job->whole.step ? length / job->whole.step : count;
    for (int i = 0; i < job->ndim; i++)
        if (kernel->extent[i] > length_of(job, i))
            return gf_fail(GF_EINVAL,
                           "the kernel is larger than the picture: %lld samples along "
                           "an axis of %lld",
                           (long long)kernel->extent[i], (long long)length_of(job, i));
    h.value = gf_alloc((size_t)period * 2 * sizeof *h.value);
    if (!h.value)
        return gf_fail(GF_ENOMEM, "no memory for the filter's table");
    memset(h.value, 0, (size_t)period * 2 * sizeof *h.value);
    int rc = 0;
    struct gf_span tile = {0, 0};
    for (int64_t z = 0; z < length && !rc && !job->whole.step; z += tile.count) {
        tile = tile_of(job, z);
        if (lay_out(job, kernel, &tile, NULL))
            rc = add_tile(job, kernel, &tile, transform, &h);
    }
    if (job->whole.step) {
        fold(job, kernel, period, h.value);
        rc = transform_slowest(1, &period, h.value, transform);
    } else if (!rc && length > 1 && axes_of(job) != 1) {
        rc = transform_slowest(job->ndim, h.extent, h.value, transform);
    }
    h.complex = !is_even(job, kernel);
    for (int64_t i = 0; i < count && !h.complex; i++)
        h.value[i] = h.value[2 * i];
    if (!rc)
        rc = times(f, job, threads, &h);
    gf_free(h.value);
    return rc;
}
