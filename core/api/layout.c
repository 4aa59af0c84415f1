/* Makes a job of a transform of any rank and strides, and finds arrays that overlap. */
#include "core/api/layout.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"

#define SAME(NAME) _Static_assert((int)GPUFFT_##NAME == (int)GF_##NAME, "mirrored")
SAME(U8);
SAME(I8);
SAME(U16);
SAME(I16);
SAME(U32);
SAME(I32);
SAME(F32);
SAME(F64);
SAME(C64);
SAME(C128);
SAME(FORWARD);
SAME(INVERSE);
SAME(NORM_BACKWARD);
SAME(NORM_ORTHO);
SAME(NORM_FORWARD);

/* ---- the caller's words ---- */

static int check_types(const struct gpufft_transform *t) {
    const bool inverse = t->direction == GPUFFT_INVERSE;
    if (t->direction != GPUFFT_FORWARD && !inverse)
        return gf_fail(GF_EUSAGE, "no such direction: %d", t->direction);
    if (t->norm < GPUFFT_NORM_BACKWARD || t->norm > GPUFFT_NORM_FORWARD)
        return gf_fail(GF_EUSAGE, "no such normalisation: %d", t->norm);
    if (t->in_type < 0 || t->in_type >= GF_N_DTYPES || t->out_type < 0 ||
        t->out_type >= GF_N_DTYPES)
        return gf_fail(GF_EUSAGE, "no such type: %d",
                       t->in_type < 0 || t->in_type >= GF_N_DTYPES ? t->in_type : t->out_type);
    const int spectrum = inverse ? t->in_type : t->out_type;
    const int samples = inverse ? t->out_type : t->in_type;
    if (!gf_dtype_is_complex(spectrum))
        return gf_fail(GF_EINVAL, "a spectrum is of type c64 or c128, not %s",
                       gf_dtype_name(spectrum));
    if (inverse && gf_dtype_is_integer(samples))
        return gf_fail(GF_EINVAL, "an inverse transform gives f32, f64, c64 or c128, not %s",
                       gf_dtype_name(samples));
    if ((t->half & ~1) || (t->in_place & ~1))
        return gf_fail(GF_EUSAGE, "half and in_place are 0 or 1");
    if (t->half && gf_dtype_is_complex(samples))
        return gf_fail(GF_EINVAL, "only real samples have half a spectrum, not %s",
                       gf_dtype_name(samples));
    if (t->in_place && t->in_type != t->out_type)
        return gf_fail(GF_EINVAL, "a transform in place has one type, not %s and %s",
                       gf_dtype_name(t->in_type), gf_dtype_name(t->out_type));
    return t->runs < 0 ? gf_fail(GF_EUSAGE, "the number of runs is negative") : 0;
}

static int check_shape(const struct gpufft_transform *t) {
    int64_t bytes;
    if (t->rank < 1 || t->rank > GPUFFT_MAX_RANK)
        return gf_fail(GF_EUSAGE, "a rank of %d, where 1 to %d are possible", t->rank,
                       GPUFFT_MAX_RANK);
    if (t->n_axes < 0 || t->n_axes > GPUFFT_MAX_AXES)
        return gf_fail(GF_EUSAGE, "%d axes to transform, where 1 to %d are possible", t->n_axes,
                       GPUFFT_MAX_AXES);
    if (!t->n_axes && t->rank > GPUFFT_MAX_AXES)
        return gf_fail(GF_EUSAGE, "name the axes to transform, at most %d of %d", GPUFFT_MAX_AXES,
                       t->rank);
    /* twice c128, as a half spectrum of few samples is longer than they are */
    return gf_size_product(t->shape, t->rank, 32, &bytes);
}

/* Marks the transformed axes and the halved one. */
static int mark_axes(const struct gpufft_transform *t, struct gf_layout_axis *axis) {
    const int n = t->n_axes ? t->n_axes : t->rank;
    for (int i = 0; i < n; i++) {
        const int k = t->n_axes ? t->axes[i] + (t->axes[i] < 0 ? t->rank : 0) : i;
        if (k < 0 || k >= t->rank)
            return gf_fail(GF_EUSAGE, "no axis %d in an array of rank %d", t->axes[i], t->rank);
        if (axis[k].transformed)
            return gf_fail(GF_EUSAGE, "axis %d is named twice", t->axes[i]);
        axis[k].transformed = true;
        axis[k].halved = t->half && i == n - 1;
    }
    return 0;
}

/* Sets the strides of one side: those given, or those of C order. */
static int take_strides(const int64_t *given, int rank, enum gf_dtype type,
                        struct gf_layout_axis *axis, bool out) {
    int64_t contiguous = (int64_t)gf_dtype_size(type);
    const int64_t unit = (int64_t)gf_dtype_size(gf_dtype_real(type)), most = INT64_C(1) << 61;
    bool any = false;
    for (int i = 0; i < rank; i++)
        any = any || given[i];
    for (int i = rank - 1; i >= 0; i--) {
        const int64_t n = out ? axis[i].n_out : axis[i].n_in;
        int64_t *stride = out ? &axis[i].out : &axis[i].in;
        *stride = any ? given[i] : contiguous;
        contiguous *= n;
        if (*stride % unit)
            return gf_fail(GF_EINVAL, "a stride of %lld bytes is no multiple of %lld",
                           (long long)*stride, (long long)unit);
        if (*stride > most / n || *stride < -most / n)
            return gf_fail(GF_EINVAL, "a stride of %lld bytes over %lld elements",
                           (long long)*stride, (long long)n);
    }
    return 0;
}

/* ---- the order of axes ---- */

/* Slower axes first, by the strides of the input, then by those of the output. */
static int by_stride(const void *x, const void *y) {
    const struct gf_layout_axis *a = x, *b = y;
    const int64_t in = llabs(b->in) - llabs(a->in), out = llabs(b->out) - llabs(a->out);
    return in ? (in > 0) - (in < 0) : (out > 0) - (out < 0);
}

/* Drops batches of one, joins those that are adjacent in both arrays, and sorts all from the slowest
 * to the fastest. Returns their number. */
static int reduce(struct gf_layout_axis *axis, int rank) {
    int n = 0;
    for (int i = 0; i < rank; i++)
        if (axis[i].transformed || axis[i].n > 1)
            axis[n++] = axis[i];
    qsort(axis, (size_t)n, sizeof *axis, by_stride);
    for (int i = n - 2; i >= 0; i--) {
        struct gf_layout_axis *a = &axis[i], *b = &axis[i + 1];
        if (a->transformed || b->transformed || a->in != b->in * b->n || a->out != b->out * b->n)
            continue;
        a->n_in = a->n_out = a->n = a->n * b->n;
        a->in = b->in;
        a->out = b->out;
        memmove(b, b + 1, (size_t)(n - i - 2) * sizeof *b);
        n--;
    }
    return n;
}

static struct gf_layout_axis take(struct gf_layout_axis *axis, int *n, int i) {
    const struct gf_layout_axis a = axis[i];
    memmove(&axis[i], &axis[i + 1], (size_t)(--*n - i) * sizeof a);
    return a;
}

/* The job halves its last transformed axis. */
static void put_halved_last(struct gf_layout_axis *axis, int n) {
    int from = 0, to = n - 1;
    while (from < n && !axis[from].halved)
        from++;
    while (to > from && !axis[to].transformed)
        to--;
    for (; from < to; from++) {
        const struct gf_layout_axis a = axis[from];
        axis[from] = axis[from + 1];
        axis[from + 1] = a;
    }
}

/* Chooses the axes of the job: the transformed ones and the fastest others. The fastest of all become
 * channels if they are few, as colours are, or if none of the job's axes is left for them. Slow ones
 * are repeated, unless each repetition would be short. Returns how many are the job's; `channels` is
 * the axis of channels. */
static int choose(struct gf_layout *l, struct gf_layout_axis *axis, int n,
                  struct gf_layout_axis *channels) {
    enum { FEW = 4, SHORT = 1 << 15 };
    int room = GF_MAX_DIMS;
    int64_t points = 1;
    for (int i = 0; i < n; i++) {
        room -= axis[i].transformed;
        points *= axis[i].transformed ? axis[i].n : 1;
    }
    const struct gf_layout_axis none = {.n = 1, .n_in = 1, .n_out = 1};
    *channels = none;
    if (!axis[n - 1].transformed && (axis[n - 1].n <= FEW || !room))
        *channels = take(axis, &n, n - 1);
    int batches = 0;
    for (int i = 0; i < n; i++)
        batches += !axis[i].transformed;
    for (int i = 0; i < n && batches > room;) {
        if (axis[i].transformed) {
            i++;
            continue;
        }
        if (batches == room + 1 && channels->n == 1 && points < SHORT)
            *channels = take(axis, &n, i);
        else
            l->loop[l->n_loops++] = take(axis, &n, i);
        batches--;
    }
    return n;
}

/* ---- the job ---- */

static void make_job(const struct gpufft_transform *t, struct gf_layout *l,
                     const struct gf_layout_axis *axis, int n,
                     const struct gf_layout_axis *channels) {
    const bool inverse = t->direction == GPUFFT_INVERSE, real = !gf_dtype_is_complex(t->out_type);
    struct gf_job *job = &l->job;
    *job = (struct gf_job){.direction = (enum gf_direction)t->direction,
                           .ndim = n,
                           .channels = channels->n,
                           .in_dtype = (enum gf_dtype)t->in_type,
                           .in_half = inverse && t->half,
                           .real = inverse && real,
                           .lean = t->in_place,
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
        job->axes |= (unsigned)axis[i].transformed << i;
    }
    l->in = gf_job_array(job, -1, NULL);
    l->out = gf_job_array(job, 0, NULL);
    for (int i = 0; i < n; i++) {
        l->in.stride[i] = axis[i].in;
        l->out.stride[i] = axis[i].out;
    }
    if (channels->n > 1) {
        l->in.stride[n] = channels->in;
        l->out.stride[n] = channels->out;
    }
}

/* The bytes that an array takes around element (0, …, 0). GF_EINVAL if `separate` and elements share
 * memory. */
static int measure(struct gf_layout_axis *axis, int n, enum gf_dtype type, bool out,
                   int64_t bounds[2]) {
    const int64_t size = (int64_t)gf_dtype_size(type);
    int64_t reach = size; /* bytes of the axes before in the order of strides */
    bounds[0] = 0;
    bounds[1] = size;
    for (int i = n - 1; i >= 0; i--) {
        const int64_t count = out ? axis[i].n_out : axis[i].n_in;
        const int64_t stride = out ? axis[i].out : axis[i].in;
        bounds[stride > 0] += (count - 1) * stride;
        if (out && count > 1 && llabs(stride) < reach)
            return gf_fail(GF_EINVAL, "elements of the output share memory");
        reach += (count - 1) * llabs(stride);
    }
    return 0;
}

static int by_output(const void *x, const void *y) {
    const struct gf_layout_axis *a = x, *b = y;
    const int64_t out = llabs(b->out) - llabs(a->out);
    return (out > 0) - (out < 0);
}

static int measure_both(const struct gpufft_transform *t, struct gf_layout *l,
                        struct gf_layout_axis *axis) {
    int64_t in[2], out[2];
    qsort(axis, (size_t)t->rank, sizeof *axis, by_output);
    int rc = measure(axis, t->rank, (enum gf_dtype)t->out_type, true, out);
    if (!rc)
        rc = measure(axis, t->rank, (enum gf_dtype)t->in_type, false, in);
    for (int i = 0; i < t->rank && !rc && t->in_place; i++)
        if (axis[i].in != axis[i].out && axis[i].n > 1)
            rc = gf_fail(GF_EINVAL, "a transform in place has the same strides on both sides");
    if (rc)
        return rc;
    l->in_low = in[0];
    l->in_high = in[1];
    l->out_low = out[0];
    l->out_high = out[1];
    return 0;
}

int gf_layout_make(const struct gpufft_transform *t, struct gf_layout *l) {
    struct gf_layout_axis axis[GPUFFT_MAX_RANK] = {{0}}, sorted[GPUFFT_MAX_RANK], channels;
    const bool inverse = t->direction == GPUFFT_INVERSE;
    *l = (struct gf_layout){.calls = 1, .in_place = t->in_place};
    int rc = check_types(t);
    if (!rc)
        rc = check_shape(t);
    if (!rc)
        rc = mark_axes(t, axis);
    if (rc)
        return rc;
    for (int i = 0; i < t->rank; i++) {
        const int64_t n = t->shape[i], halved = axis[i].halved ? n / 2 + 1 : n;
        axis[i].n = n;
        axis[i].n_in = inverse ? halved : n;
        axis[i].n_out = inverse ? n : halved;
    }
    rc = take_strides(t->in_stride, t->rank, (enum gf_dtype)t->in_type, axis, false);
    if (!rc)
        rc = take_strides(t->out_stride, t->rank, (enum gf_dtype)t->out_type, axis, true);
    memcpy(sorted, axis, sizeof sorted);
    if (!rc)
        rc = measure_both(t, l, sorted);
    if (rc)
        return rc;
    int n = choose(l, axis, reduce(axis, t->rank), &channels);
    put_halved_last(axis, n);
    for (int i = 0; i < l->n_loops; i++)
        l->calls *= l->loop[i].n;
    make_job(t, l, axis, n, &channels);
    l->in_unit = (int)gf_dtype_size(gf_dtype_real(l->in.dtype));
    l->out_unit = (int)gf_dtype_size(gf_dtype_real(l->out.dtype));
    return 0;
}

/* ---- a run's arrays ---- */

int gf_layout_check(const struct gf_layout *l, const void *in, const void *out) {
    const intptr_t a = (intptr_t)in, b = (intptr_t)out;
    if (!in || !out)
        return gf_fail(GF_EUSAGE, "no %s array", in ? "output" : "input");
    if (a % l->in_unit || b % l->out_unit)
        return gf_fail(GF_EINVAL, "the %s array is not aligned to its numbers",
                       a % l->in_unit ? "input" : "output");
    if (l->in_place)
        return a == b ? 0 : gf_fail(GF_EINVAL, "this plan is in place, and there are two arrays");
    if (a + l->in_low < b + l->out_high && b + l->out_low < a + l->in_high)
        return gf_fail(GF_EINVAL, "input and output overlap; a plan with in_place takes one array");
    return 0;
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
