/* Checks the arrays that callers describe, and makes a job of a transform of any rank and strides. */
#include "core/api/layout.h"

#include <stdlib.h>
#include <string.h>

#include "core/api/library.h"

/* ---- arrays ---- */

static int check_type(int type) {
    return type < 0 || type >= GF_N_DTYPES ? gf_fail(GF_EUSAGE, "no such type: %d", type) : 0;
}

/* GF_EUSAGE for a rank that is not 1 to `most`, GF_EINVAL for an extent below 1, GF_ENOMEM for too many
 * elements. */
static int check_extents(int rank, int most, const int64_t *shape) {
    int64_t bytes;
    if (rank < 1 || rank > most)
        return gf_fail(GF_EUSAGE, "a rank of %d, where 1 to %d are possible", rank, most);
    /* twice c128, as half a spectrum of few samples is longer than they are */
    return gf_size_product(shape, rank, 32, &bytes);
}

static int64_t unit_of(const struct gpufft_array *a) {
    return (int64_t)gf_dtype_size(gf_dtype_real((enum gf_dtype)a->type));
}

static bool has_strides(const struct gpufft_array *a) {
    static const int64_t none[GPUFFT_MAX_RANK];
    return memcmp(a->stride, none, (size_t)a->rank * sizeof *none) != 0;
}

/* Without strides sets those of C order. GF_EINVAL if they split numbers or exceed the address space. */
static int take_strides(struct gpufft_array *a) {
    const int64_t most = INT64_C(1) << 58;
    const bool given = has_strides(a);
    int64_t next = (int64_t)gf_dtype_size((enum gf_dtype)a->type);
    for (int i = a->rank - 1; i >= 0; next *= a->shape[i--]) {
        const int64_t stride = given ? a->stride[i] : next;
        if (stride % unit_of(a))
            return gf_fail(GF_EINVAL, "a stride of %lld bytes is no multiple of %lld",
                           (long long)stride, (long long)unit_of(a));
        if (stride > most / a->shape[i] || stride < -most / a->shape[i])
            return gf_fail(GF_EINVAL, "a stride of %lld bytes over %lld elements",
                           (long long)stride, (long long)a->shape[i]);
        a->stride[i] = stride;
    }
    return 0;
}

/* GF_EINVAL if the array is to be written and its elements share memory. */
static int find_bounds(const struct gpufft_array *a, bool written, struct gf_bounds *out) {
    const int64_t size = (int64_t)gf_dtype_size((enum gf_dtype)a->type);
    *out = (struct gf_bounds){.high = size, .unit = (int)unit_of(a)};
    for (int i = 0; i < a->rank; i++) {
        const int64_t stride = a->stride[i];
        int64_t inner = size; /* bytes that the faster axes span */
        for (int k = 0; k < a->rank; k++)
            if (llabs(a->stride[k]) < llabs(stride) || (a->stride[k] == stride && k > i))
                inner += (a->shape[k] - 1) * llabs(a->stride[k]);
        if (written && a->shape[i] > 1 && llabs(stride) < inner)
            return gf_fail(GF_EINVAL, "elements of the output share memory");
        *(stride > 0 ? &out->high : &out->low) += (a->shape[i] - 1) * stride;
    }
    return 0;
}

/* GF_EUSAGE for NULL, GF_EINVAL for data that is not aligned to its numbers. */
static int check_address(const struct gf_bounds *b, const void *data, const char *which) {
    if (!data)
        return gf_fail(GF_EUSAGE, "no %s array", which);
    return (intptr_t)data % b->unit
               ? gf_fail(GF_EINVAL, "the %s array is not aligned to its numbers", which)
               : 0;
}

int gf_array_take(const struct gpufft_array *from, bool data, bool written, struct gf_array *to,
                  struct gf_bounds *bounds) {
    struct gpufft_array a;
    int rc = gf_struct_take(&a, sizeof a, from, written ? "output array" : "array");
    if (!rc)
        rc = check_type(a.type);
    if (!rc && (a.channels < 0 || a.channels > 2))
        rc = gf_fail(GF_EUSAGE, "channels is 0, 1 or 2");
    if (!rc)
        rc = check_extents(a.rank, GF_MAX_RANK, a.shape);
    if (!rc)
        rc = check_extents(a.rank - !!a.channels, GF_MAX_DIMS, a.shape);
    if (rc)
        return rc;
    if (a.channels == 2 && a.shape[a.rank - 1] < 2)
        return gf_fail(GF_EINVAL, "nothing but an alpha channel");
    rc = take_strides(&a);
    if (!rc)
        rc = find_bounds(&a, written, bounds);
    if (!rc && data)
        rc = check_address(bounds, a.data, written ? "output" : "input");
    *to = gf_array_wrap(data ? a.data : NULL, (enum gf_dtype)a.type, a.rank, a.shape);
    memcpy(to->stride, a.stride, sizeof to->stride);
    if (!a.channels) {
        to->shape[to->rank] = 1;
        to->stride[to->rank++] = (int64_t)gf_dtype_size(to->dtype);
    }
    return rc;
}

bool gf_bounds_meet(const struct gf_bounds *a, const void *x, const struct gf_bounds *b,
                    const void *y) {
    const intptr_t p = (intptr_t)x, q = (intptr_t)y;
    return p + a->low < q + b->high && q + b->low < p + a->high;
}

size_t gpufft_array_bytes(const struct gpufft_array *array) {
    struct gpufft_array a;
    if (gf_struct_take(&a, sizeof a, array, "array") || check_type(a.type) ||
        check_extents(a.rank, GPUFFT_MAX_RANK, a.shape))
        return 0;
    return (size_t)gf_shape_count(a.shape, a.rank) * gf_dtype_size((enum gf_dtype)a.type);
}

/* ---- a transform ---- */

static int check_types(const struct gpufft_transform *t) {
    const bool inverse = t->direction == GPUFFT_INVERSE;
    if (t->direction != GPUFFT_FORWARD && !inverse)
        return gf_fail(GF_EUSAGE, "no such direction: %d", t->direction);
    if (t->norm < GPUFFT_NORM_BACKWARD || t->norm > GPUFFT_NORM_FORWARD)
        return gf_fail(GF_EUSAGE, "no such normalisation: %d", t->norm);
    const int rc = check_type(t->in_type) ? GF_EUSAGE : check_type(t->out_type);
    if (rc)
        return rc;
    const int spectrum = inverse ? t->in_type : t->out_type;
    const int samples = inverse ? t->out_type : t->in_type;
    if (!gf_dtype_is_complex(spectrum))
        return gf_fail(GF_EINVAL, "a spectrum is of type c64 or c128, not %s",
                       gf_dtype_name(spectrum));
    if (inverse && gf_dtype_is_integer(samples))
        return gf_fail(GF_EINVAL, "an inverse transform gives f32, f64, c64 or c128, not %s",
                       gf_dtype_name(samples));
    if ((t->half & ~1) || (t->in_place & ~1) || (t->on_device & ~1))
        return gf_fail(GF_EUSAGE, "half, in_place and on_device are 0 or 1");
    if (t->half && gf_dtype_is_complex(samples))
        return gf_fail(GF_EINVAL, "only real samples have half a spectrum, not %s",
                       gf_dtype_name(samples));
    if (t->in_place && t->in_type != t->out_type &&
        !(t->half && gf_dtype_real(t->in_type) == gf_dtype_real(t->out_type)))
        return gf_fail(GF_EINVAL, "a transform in place has one type, not %s and %s",
                       gf_dtype_name(t->in_type), gf_dtype_name(t->out_type));
    return t->runs < 0 ? gf_fail(GF_EUSAGE, "the number of runs is negative") : 0;
}

/* Checks the extents, and marks the transformed axes and the halved one. */
static int mark_axes(const struct gpufft_transform *t, struct gf_layout *l) {
    const int n = t->n_axes ? t->n_axes : t->rank;
    const int rc = check_extents(t->rank, GPUFFT_MAX_RANK, t->shape);
    if (rc)
        return rc;
    if (n < 0 || n > GPUFFT_MAX_AXES)
        return gf_fail(GF_EUSAGE, "%d axes to transform; name the axes, at most %d", n,
                       GPUFFT_MAX_AXES);
    for (int i = 0; i < n; i++) {
        const int k = t->n_axes ? t->axes[i] + (t->axes[i] < 0 ? t->rank : 0) : i;
        if (k < 0 || k >= t->rank)
            return gf_fail(GF_EUSAGE, "no axis %d in an array of rank %d", t->axes[i], t->rank);
        if (l->axes >> k & 1)
            return gf_fail(GF_EUSAGE, "axis %d is named twice", t->axes[i]);
        l->axes |= 1u << k;
        l->halved = t->half ? k : -1;
    }
    return 0;
}

/* ---- the order of axes ---- */

static bool transformed(const struct gf_layout *l, const struct gf_layout_axis *a) {
    return l->axes >> a->number & 1;
}

/* Slower axes first, by the strides of the input, then by those of the output. */
static int by_stride(const void *x, const void *y) {
    const struct gf_layout_axis *a = x, *b = y;
    const int64_t in = llabs(b->in) - llabs(a->in), out = llabs(b->out) - llabs(a->out);
    return in ? (in > 0) - (in < 0) : (out > 0) - (out < 0);
}

static struct gf_layout_axis take(struct gf_layout_axis *axis, int *n, int i) {
    const struct gf_layout_axis a = axis[i];
    memmove(&axis[i], &axis[i + 1], (size_t)(--*n - i) * sizeof a);
    return a;
}

/* Drops batches of one, joins those that are adjacent in both arrays, and sorts all from the slowest
 * to the fastest. Returns their number. */
static int reduce(const struct gf_layout *l, struct gf_layout_axis *axis, int rank) {
    int n = 0;
    for (int i = 0; i < rank; i++)
        if (transformed(l, &axis[i]) || axis[i].n > 1)
            axis[n++] = axis[i];
    qsort(axis, (size_t)n, sizeof *axis, by_stride);
    for (int i = n - 2; i >= 0; i--) {
        struct gf_layout_axis *a = &axis[i], *b = &axis[i + 1];
        if (transformed(l, a) || transformed(l, b) || a->in != b->in * b->n ||
            a->out != b->out * b->n)
            continue;
        a->n *= b->n;
        a->in = b->in;
        a->out = b->out;
        take(axis, &n, i + 1);
    }
    return n;
}

/* The job halves its last transformed axis. */
static void put_halved_last(const struct gf_layout *l, struct gf_layout_axis *axis, int n) {
    int from = 0, to = n - 1;
    while (from < n && axis[from].number != l->halved)
        from++;
    while (to > from && !transformed(l, &axis[to]))
        to--;
    for (; from < to; from++) {
        const struct gf_layout_axis a = axis[from];
        axis[from] = axis[from + 1];
        axis[from + 1] = a;
    }
}

/* Chooses the axes of the job: the transformed ones and the fastest others. The fastest of all become
 * channels if they are few, as colours are, or if none of the job's axes is left for them. Slow ones
 * are repeated, unless each repetition would be short. Returns how many are the job's; the axis of
 * channels is behind them. */
static int choose(struct gf_layout *l, struct gf_layout_axis *axis, int n) {
    enum { FEW = 4, SHORT = 1 << 15 };
    struct gf_layout_axis channels = {.n = 1};
    int room = GF_MAX_DIMS, batches = 0;
    int64_t points = 1;
    for (int i = 0; i < n; i++) {
        room -= transformed(l, &axis[i]);
        batches += !transformed(l, &axis[i]);
        points *= transformed(l, &axis[i]) ? axis[i].n : 1;
    }
    if (!transformed(l, &axis[n - 1]) && (axis[n - 1].n <= FEW || !room)) {
        channels = take(axis, &n, n - 1);
        batches--;
    }
    for (int i = 0; batches > room;) {
        if (transformed(l, &axis[i])) {
            i++;
            continue;
        }
        if (batches-- == room + 1 && channels.n == 1 && points < SHORT)
            channels = take(axis, &n, i);
        else
            l->loop[l->n_loops++] = take(axis, &n, i);
    }
    axis[n] = channels;
    return n;
}

/* ---- the job ---- */

static void make_job(const struct gpufft_transform *t, struct gf_layout *l,
                     const struct gf_layout_axis *axis, int n) {
    const bool inverse = t->direction == GPUFFT_INVERSE, real = !gf_dtype_is_complex(t->out_type);
    struct gf_job *job = &l->job;
    *job = (struct gf_job){.direction = (enum gf_direction)t->direction,
                           .ndim = n,
                           .channels = axis[n].n,
                           .in_dtype = (enum gf_dtype)t->in_type,
                           .in_half = inverse && t->half,
                           .real = inverse && real,
                           .lean = t->in_place && !l->copies,
                           .placed = t->on_device,
                           .norm = (enum gf_norm)t->norm,
                           .n_out = 1};
    job->out[0] = (struct gf_output){.kind = real ? GF_REAL : GF_COMPLEX,
                                     .dtype = (enum gf_dtype)t->out_type,
                                     .half = !inverse && t->half};
    job->precision =
        gf_dtype_real(job->in_dtype) == GF_F64 || gf_dtype_real(job->out[0].dtype) == GF_F64
            ? GF_DOUBLE
            : GF_SINGLE;
    for (int i = 0; i < n; i++) {
        job->shape[i] = axis[i].n;
        job->axes |= (unsigned)transformed(l, &axis[i]) << i;
    }
    l->in = gf_job_array(job, -1, NULL);
    l->out = gf_job_array(job, 0, NULL);
    for (int i = 0; i < n + (job->channels > 1); i++) {
        l->in.stride[i] = axis[i].in;
        l->out.stride[i] = axis[i].out;
    }
}

static struct gpufft_array array_of(const struct gpufft_transform *t, int type,
                                    const int64_t *stride) {
    struct gpufft_array a = {.type = type, .rank = t->rank};
    memcpy(a.shape, t->shape, sizeof a.shape);
    memcpy(a.stride, stride, sizeof a.stride);
    return a;
}

/* In place the strides of both arrays are the same, but of samples half of it along the halved axis. Gives
 * samples that had none of their own those that fit their half spectrum. */
static int share_strides(const struct gf_layout *l, bool given, const struct gpufft_array *spectrum,
                         struct gpufft_array *samples) {
    for (int i = 0; i < samples->rank; i++) {
        const int64_t want = spectrum->stride[i] / (i == l->halved ? 2 : 1);
        if (l->copies && !given)
            samples->stride[i] = want;
        if (samples->shape[i] > 1 && (samples->stride[i] != want || want % unit_of(samples)))
            return gf_fail(GF_EINVAL,
                           l->copies ? "samples in place have the strides of their half spectrum, "
                                       "and half of that along the halved axis"
                                     : "a transform in place has the same strides on both sides");
    }
    return 0;
}

/* Sets the axes' extents and strides, and both arrays' bounds. */
static int take_arrays(const struct gpufft_transform *t, struct gf_layout_axis *axis,
                       struct gf_layout *l) {
    const bool inverse = t->direction == GPUFFT_INVERSE;
    struct gpufft_array in = array_of(t, t->in_type, t->in_stride),
                        out = array_of(t, t->out_type, t->out_stride);
    struct gpufft_array *spectrum = inverse ? &in : &out, *samples = inverse ? &out : &in;
    const bool given = has_strides(samples);
    if (l->halved >= 0)
        spectrum->shape[l->halved] = t->shape[l->halved] / 2 + 1;
    int rc = take_strides(&in);
    if (!rc)
        rc = take_strides(&out);
    if (!rc && t->in_place)
        rc = share_strides(l, given, spectrum, samples);
    if (!rc)
        rc = find_bounds(&in, l->copies, &l->in_bounds);
    if (!rc)
        rc = find_bounds(&out, true, &l->out_bounds);
    for (int i = 0; i < t->rank; i++)
        axis[i] = (struct gf_layout_axis){i, t->shape[i], in.stride[i], out.stride[i]};
    return rc;
}

int gf_layout_make(const struct gpufft_transform *t, struct gf_layout *l) {
    struct gf_layout_axis axis[GPUFFT_MAX_RANK + 1];
    *l = (struct gf_layout){.calls = 1, .in_place = t->in_place};
    l->copies = t->in_place && t->in_type != t->out_type;
    int rc = check_types(t);
    if (!rc)
        rc = mark_axes(t, l);
    if (!rc)
        rc = take_arrays(t, axis, l);
    if (rc)
        return rc;
    const int n = choose(l, axis, reduce(l, axis, t->rank));
    put_halved_last(l, axis, n);
    for (int i = 0; i < l->n_loops; i++)
        l->calls *= l->loop[i].n;
    make_job(t, l, axis, n);
    if (t->on_device && t->in_place)
        return gf_fail(GF_EUNSUPP,
                       "a transform in place is not supported in a device's memory; give "
                       "the output memory of its own");
    return !t->on_device || (gf_array_is_contiguous(&l->in) && gf_array_is_contiguous(&l->out))
               ? 0
               : gf_fail(GF_EUNSUPP,
                         "arrays in a device's memory must be contiguous, with the axes of "
                         "both in one order and the halved axis last of those "
                         "transformed; copy them first");
}

/* ---- a run's arrays ---- */

int gf_layout_check(const struct gf_layout *l, const void *in, const void *out) {
    int rc = check_address(&l->in_bounds, in, "input");
    if (!rc)
        rc = check_address(&l->out_bounds, out, "output");
    if (!rc && l->in_place && in != out)
        rc = gf_fail(GF_EINVAL, "this plan is in place, and there are two arrays");
    if (!rc && !l->in_place && gf_bounds_meet(&l->in_bounds, in, &l->out_bounds, out))
        rc = gf_fail(GF_EINVAL, "input and output overlap; a plan with in_place takes one array");
    return rc;
}

void gf_layout_views(const struct gf_layout *l, const void *in, void *out, int64_t i,
                     struct gf_array *a, struct gf_array *b) {
    int64_t from = 0, to = 0;
    for (int k = l->n_loops - 1; k >= 0; i /= l->loop[k--].n) {
        from += i % l->loop[k].n * l->loop[k].in;
        to += i % l->loop[k].n * l->loop[k].out;
    }
    *a = l->in;
    *b = l->out;
    a->data = (char *)(uintptr_t)in + from;
    b->data = (char *)out + to;
}
