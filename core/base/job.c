#include "core/base/job.h"

#include <math.h>
#include <string.h>

#include "core/wavelet/dwt.h"
#include "core/filter/filter.h"
#include "core/base/status.h"

int gf_job_half_axis(const struct gf_job *job) {
    for (int i = job->ndim - 1; i >= 0; i--)
        if (job->axes >> i & 1)
            return i;
    return -1;
}

static void spectrum_shape(const struct gf_job *job, bool half, int64_t shape[GF_MAX_RANK]) {
    memset(shape, 0, GF_MAX_RANK * sizeof *shape);
    for (int i = 0; i < job->ndim; i++)
        shape[i] = job->shape[i];
    int axis = gf_job_half_axis(job);
    if (half && axis >= 0)
        shape[axis] = job->shape[axis] / 2 + 1;
    shape[job->ndim] = job->channels;
}

void gf_job_in_shape(const struct gf_job *job, int64_t shape[GF_MAX_RANK]) {
    if (job->op == GF_DWT) {
        gf_dwt_shape(job, job->direction == GF_INVERSE, shape);
        return;
    }
    spectrum_shape(job, job->direction == GF_INVERSE && job->in_half, shape);
}

void gf_job_out_shape(const struct gf_job *job, int i, int64_t shape[GF_MAX_RANK]) {
    if (job->op == GF_DWT) {
        gf_dwt_shape(job, job->direction == GF_FORWARD, shape);
        return;
    }
    spectrum_shape(job, job->direction == GF_FORWARD && job->out[i].half, shape);
    if (job->luma)
        shape[job->ndim] = 1;
}

int64_t gf_job_points(const struct gf_job *job) {
    int64_t n = 1;
    for (int i = 0; i < job->ndim; i++)
        if (job->axes >> i & 1)
            n *= job->shape[i];
    return n;
}

double gf_job_scale(const struct gf_job *job) {
    double n = (double)gf_job_points(job);
    if (job->op == GF_FILTER)
        return 1 / n;
    if (job->norm == GF_NORM_ORTHO)
        return 1 / sqrt(n);
    bool scaled = (job->norm == GF_NORM_BACKWARD) == (job->direction == GF_INVERSE);
    return scaled ? 1 / n : 1;
}

bool gf_job_is_bounded(const struct gf_job *job) {
    return job->direction == GF_FORWARD && job->op != GF_FILTER &&
           gf_dtype_is_integer(job->in_dtype) && gf_dtype_size(job->in_dtype) <= 2;
}

bool gf_job_is_real(const struct gf_job *job) {
    return job->direction == GF_FORWARD ? !gf_dtype_is_complex(job->in_dtype) : job->real;
}

static bool same_wavelet(const struct gf_wavelet *a, const struct gf_wavelet *b) {
    return a->levels == b->levels && a->boundary == b->boundary && a->threshold == b->threshold &&
           a->percent == b->percent && a->amount == b->amount;
}

static bool same_output(const struct gf_output *a, const struct gf_output *b) {
    return a->kind == b->kind && a->dtype == b->dtype && a->map == b->map && a->scale == b->scale &&
           a->has_range == b->has_range && a->low == b->low && a->high == b->high &&
           a->shift == b->shift && a->half == b->half;
}

bool gf_job_equal(const struct gf_job *a, const struct gf_job *b) {
    bool same = a->direction == b->direction && a->ndim == b->ndim && a->channels == b->channels &&
                a->axes == b->axes && a->in_dtype == b->in_dtype && a->luma == b->luma &&
                a->in_shift == b->in_shift && a->in_half == b->in_half && a->real == b->real &&
                a->lean == b->lean && a->spend_input == b->spend_input &&
                a->precision == b->precision && a->norm == b->norm && a->n_out == b->n_out &&
                a->op == b->op && same_wavelet(&a->wavelet, &b->wavelet) &&
                a->filter == b->filter && a->filter_serial == b->filter_serial;
    for (int i = 0; same && i < a->ndim; i++)
        same = a->shape[i] == b->shape[i];
    for (int i = 0; same && i < a->n_out; i++)
        same = same_output(&a->out[i], &b->out[i]);
    return same;
}

static int check_input(const struct gf_job *job) {
    if (job->op == GF_DWT)
        return gf_dwt_validate(job);
    if (job->direction == GF_FORWARD) {
        if (job->in_shift || job->in_half || job->real)
            return gf_fail(GF_EINVAL, "a forward transform has no shifted, half or real spectrum "
                                      "as its input");
        if (job->luma && gf_dtype_is_complex(job->in_dtype))
            return gf_fail(GF_EINVAL, "luma is made of real samples, not of complex ones");
        if (job->luma && job->channels < 3)
            return gf_fail(GF_EINVAL, "luma needs 3 channels, and there %s %lld",
                           job->channels == 1 ? "is" : "are", (long long)job->channels);
        return 0;
    }
    if (job->direction != GF_INVERSE)
        return gf_fail(GF_EINVAL, "no such direction: %d", (int)job->direction);
    if (job->luma)
        return gf_fail(GF_EINVAL, "luma belongs to a forward transform");
    if (job->in_half && !job->real)
        return gf_fail(GF_EINVAL, "a half spectrum has a real result");
    return 0;
}

static int check_range(const struct gf_output *out) {
    if (!out->has_range || out->map != GF_MAP_DISPLAY || out->kind == GF_PHASE)
        return 0;
    if (!isfinite(out->low) || !isfinite(out->high))
        return gf_fail(GF_EINVAL, "the display range is not finite");
    if (out->kind == GF_REAL || out->kind == GF_IMAG)
        return out->high > 0 ? 0
                             : gf_fail(GF_EINVAL, "a display range symmetric about zero needs an "
                                                  "upper end above 0");
    if (out->high <= out->low)
        return gf_fail(GF_EINVAL, "the display range's upper end is not above its lower end");
    if (out->low < 0)
        return gf_fail(GF_EINVAL, "a display range of magnitude or power starts at 0 or above");
    return 0;
}

static int check_output(const struct gf_job *job, int i) {
    const struct gf_output *out = &job->out[i];
    if ((int)out->kind < 0 || out->kind >= GF_N_KINDS)
        return gf_fail(GF_EINVAL, "no such kind of output: %d", (int)out->kind);
    if ((int)out->dtype < 0 || out->dtype >= GF_N_DTYPES)
        return gf_fail(GF_EINVAL, "no such output type: %d", (int)out->dtype);
    if ((out->kind == GF_COMPLEX) != gf_dtype_is_complex(out->dtype))
        return gf_fail(GF_EINVAL, "%s output cannot be of type %s", gf_kind_name(out->kind),
                       gf_dtype_name(out->dtype));
    if (out->map != GF_MAP_NUMBER && out->map != GF_MAP_DISPLAY)
        return gf_fail(GF_EINVAL, "no such mapping: %d", (int)out->map);
    if (out->scale != GF_SCALE_LOG && out->scale != GF_SCALE_LINEAR && out->scale != GF_SCALE_SQRT)
        return gf_fail(GF_EINVAL, "no such scale: %d", (int)out->scale);
    if (job->direction == GF_INVERSE && (out->shift || out->half))
        return gf_fail(GF_EINVAL, "only a spectrum is shifted or halved, not an inverse's result");
    if (out->half && !gf_job_is_real(job))
        return gf_fail(GF_EINVAL, "only a real input's spectrum has a redundant half");
    return check_range(out);
}

int gf_job_validate(const struct gf_job *job) {
    if (job->ndim < 1 || job->ndim > GF_MAX_DIMS)
        return gf_fail(GF_EINVAL, "%d axes, where 1 to %d are possible", job->ndim, GF_MAX_DIMS);
    if (!job->axes || job->axes >> job->ndim)
        return gf_fail(GF_EINVAL,
                       job->axes ? "an axis to transform is not there" : "no axis to transform");
    if ((int)job->in_dtype < 0 || job->in_dtype >= GF_N_DTYPES)
        return gf_fail(GF_EINVAL, "no such input type: %d", (int)job->in_dtype);
    if (job->precision != GF_SINGLE && job->precision != GF_DOUBLE)
        return gf_fail(GF_EINVAL, "no such precision: %d", (int)job->precision);
    if (job->op != GF_FFT && job->op != GF_DWT && job->op != GF_FILTER)
        return gf_fail(GF_EINVAL, "no such transform: %d", (int)job->op);
    if (job->norm != GF_NORM_BACKWARD && job->norm != GF_NORM_ORTHO && job->norm != GF_NORM_FORWARD)
        return gf_fail(GF_EINVAL, "no such normalisation: %d", (int)job->norm);
    int64_t extent[GF_MAX_RANK];
    for (int i = 0; i < job->ndim; i++) {
        extent[i] = job->shape[i];
        if (extent[i] < 1)
            return gf_fail(GF_EINVAL, "axis %d has an extent of %lld", i, (long long)extent[i]);
    }
    extent[job->ndim] = job->channels;
    if (job->channels < 1)
        return gf_fail(GF_EINVAL, "%lld channels", (long long)job->channels);
    /* c128 is the widest element; twice that leaves room for the half spectrum's n/2 + 1. */
    int64_t bytes;
    int rc = gf_size_product(extent, job->ndim + 1, 32, &bytes);
    if (rc)
        return rc;
    rc = check_input(job);
    if (rc)
        return rc;
    if (job->n_out < 1 || job->n_out > GF_MAX_OUTPUTS)
        return gf_fail(GF_EINVAL, "%d outputs, where 1 to %d are possible", job->n_out,
                       GF_MAX_OUTPUTS);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = check_output(job, i);
    return !rc && job->op == GF_FILTER ? gf_filter_validate(job) : rc;
}

int gf_job_fourier_only(const struct gf_job *job) {
    if (job->op == GF_FFT)
        return 0;
    return gf_fail(GF_EUNSUPP, "this backend has no %s in this version; --backend=openmp has them",
                   job->op == GF_DWT ? "wavelets" : "filters");
}

static int check_array(const char *which, const struct gf_array *a, enum gf_dtype dtype, int rank,
                       const int64_t *shape) {
    if (a->dtype != dtype)
        return gf_fail(GF_EINVAL, "the %s array is of type %s, the job's of %s", which,
                       gf_dtype_name(a->dtype), gf_dtype_name(dtype));
    if (a->rank != rank || memcmp(a->shape, shape, (size_t)rank * sizeof *shape))
        return gf_fail(GF_EINVAL, "the %s array has another shape than the job's", which);
    return 0;
}

int gf_job_check_arrays(const struct gf_job *job, const struct gf_array *in,
                        const struct gf_array *out) {
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(job, shape);
    int rc = check_array("input", in, job->in_dtype, job->ndim + 1, shape);
    for (int i = 0; i < job->n_out && !rc; i++) {
        gf_job_out_shape(job, i, shape);
        rc = check_array("output", &out[i], job->out[i].dtype, job->ndim + 1, shape);
    }
    return rc;
}

const char *gf_kind_name(enum gf_kind k) {
    static const char *const name[GF_N_KINDS] = {"magnitude", "phase", "power",
                                                 "real",      "imag",  "complex"};
    return (int)k >= 0 && k < GF_N_KINDS ? name[k] : "?";
}

const char *gf_boundary_name(enum gf_boundary b) {
    static const char *const name[] = {"periodic", "symmetric", "zero"};
    return (int)b >= 0 && b <= GF_ZERO ? name[b] : "?";
}

const char *gf_norm_name(enum gf_norm n) {
    switch (n) {
    case GF_NORM_BACKWARD:
        return "backward";
    case GF_NORM_ORTHO:
        return "ortho";
    case GF_NORM_FORWARD:
        return "forward";
    }
    return "?";
}
