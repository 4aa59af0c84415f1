/* Whether a job can be run at all: its numbers, its shape, its input, its outputs. */

#include <math.h>
#include <string.h>

#include "core/base/job/dwt_shape.h"
#include "core/base/value/status.h"

/* ---- the whole job ---- */

/* A member of an enum that has n of them. */
struct choice {
    int value, n;
    const char *what;
};

static int check_choices(const struct choice *c, int n) {
    for (int i = 0; i < n; i++)
        if (c[i].value < 0 || c[i].value >= c[i].n)
            return gf_fail(GF_EINVAL, "no such %s: %d", c[i].what, c[i].value);
    return 0;
}

static int check_enums(const struct gf_job *job) {
    const struct choice choices[] = {
        {(int)job->in_dtype, GF_N_DTYPES, "input type"},
        {(int)job->precision, GF_DOUBLE + 1, "precision"},
        {(int)job->op, GF_FILTER + 1, "transform"},
        {(int)job->norm, GF_NORM_FORWARD + 1, "normalisation"},
        {(int)job->direction, GF_INVERSE + 1, "direction"},
    };
    return check_choices(choices, sizeof choices / sizeof *choices);
}

static int check_shape(const struct gf_job *job) {
    int64_t extent[GF_MAX_RANK], bytes;
    for (int i = 0; i < job->ndim; i++) {
        extent[i] = job->shape[i];
        if (extent[i] < 1)
            return gf_fail(GF_EINVAL, "axis %d has an extent of %lld", i, (long long)extent[i]);
        if (job->counted[i] < 0 || job->counted[i] > extent[i])
            return gf_fail(GF_EINVAL, "axis %d counts %lld samples of %lld", i,
                           (long long)job->counted[i], (long long)extent[i]);
    }
    if (gf_job_counts_part(job) &&
        (job->op == GF_DWT || (job->op == GF_FFT && job->direction == GF_FORWARD)))
        return gf_fail(GF_EINVAL, "only a filter and an inverse count a part of their samples");
    extent[job->ndim] = job->channels;
    if (job->channels < 1)
        return gf_fail(GF_EINVAL, "%lld channels", (long long)job->channels);
    /* c128 is the widest element; twice that leaves room for the half spectrum's n/2 + 1. */
    return gf_size_product(extent, job->ndim + 1, 32, &bytes);
}

/* ---- a Fourier transform's input ---- */

static int check_samples(const struct gf_job *job) {
    if (job->in_shift || job->in_half || job->real)
        return gf_fail(GF_EINVAL, "a forward transform has no shifted, half or real spectrum as "
                                  "its input");
    if (job->luma && gf_dtype_is_complex(job->in_dtype))
        return gf_fail(GF_EINVAL, "luma is made of real samples, not of complex ones");
    if (job->luma && job->channels < 3)
        return gf_fail(GF_EINVAL, "luma needs 3 channels, and there %s %lld",
                       job->channels == 1 ? "is" : "are", (long long)job->channels);
    return 0;
}

static int check_spectrum(const struct gf_job *job) {
    if (job->luma)
        return gf_fail(GF_EINVAL, "luma belongs to a forward transform");
    if (job->in_half && !job->real)
        return gf_fail(GF_EINVAL, "a half spectrum has a real result");
    return 0;
}

/* ---- a wavelet transform ---- */

static int check_threshold(const struct gf_wavelet *w) {
    if (w->threshold == GF_KEEP_ALL)
        return 0;
    if (!isfinite(w->amount) || w->amount < 0)
        return gf_fail(GF_EINVAL, "a threshold is a finite number, 0 or above");
    if (w->percent && w->amount > 100)
        return gf_fail(GF_EINVAL, "a threshold keeps 0%% to 100%% of the details");
    return 0;
}

static int check_coefficients(const struct gf_job *job, const struct gf_output *out) {
    if (out->kind != GF_REAL)
        return gf_fail(GF_EINVAL, "a wavelet transform of real samples is real");
    if (out->half || out->shift)
        return gf_fail(GF_EINVAL, "wavelet coefficients are not shifted or halved");
    if (job->direction == GF_FORWARD && gf_dtype_is_integer(out->dtype) &&
        out->map != GF_MAP_DISPLAY)
        return gf_fail(GF_EINVAL, "wavelet coefficients do not fit %s as numbers",
                       gf_dtype_name(out->dtype));
    if (job->direction == GF_INVERSE && out->map != GF_MAP_NUMBER)
        return gf_fail(GF_EINVAL, "an inverse wavelet transform gives numbers");
    return 0;
}

static int check_wavelet(const struct gf_job *job) {
    const struct gf_wavelet *w = &job->wavelet;
    int64_t shape[GF_MAX_RANK], bytes;
    if (w->levels < 1 || w->levels > GF_MAX_LEVELS)
        return gf_fail(GF_EINVAL, "%d levels, where 1 to %d are possible", w->levels,
                       GF_MAX_LEVELS);
    const struct choice choices[] = {{(int)w->name, N_WAVELETS, "wavelet"},
                                     {(int)w->boundary, GF_ZERO + 1, "boundary"},
                                     {(int)w->threshold, GF_SOFT + 1, "threshold"}};
    int rc = check_choices(choices, sizeof choices / sizeof *choices);
    if (rc)
        return rc;
    if (gf_dtype_is_complex(job->in_dtype))
        return gf_fail(GF_EINVAL, "a wavelet transform takes real samples, not complex ones");
    if (job->luma)
        return gf_fail(GF_EINVAL, "a wavelet transform has no luma");
    gf_dwt_shape(job, true, shape);
    rc = gf_size_product(shape, job->ndim + 1, 16, &bytes);
    return rc ? rc : check_threshold(w);
}

/* ---- a filter ---- */

static int check_filter(const struct gf_job *job) {
    if (!job->filter)
        return gf_fail(GF_EINVAL, "no filter to apply");
    const bool part = job->whole.axes != 0;
    if (job->direction != GF_FORWARD || gf_dtype_is_complex(job->in_dtype) != part)
        return gf_fail(GF_EINVAL, "a filter takes real samples, not complex ones");
    return check_samples(job);
}

static int check_filtered(const struct gf_job *job, const struct gf_output *out) {
    if (out->kind != (job->whole.axes ? GF_COMPLEX : GF_REAL) || out->map != GF_MAP_NUMBER ||
        out->shift || out->half)
        return gf_fail(GF_EINVAL, "a filter's results are real numbers, as its input is");
    return 0;
}

/* ---- outputs ---- */

static int check_range(const struct gf_output *out) {
    if (out->range != GF_RANGE_GIVEN || out->map != GF_MAP_DISPLAY || out->kind == GF_PHASE)
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

static int check_output(const struct gf_job *job, const struct gf_output *out) {
    const struct choice choices[] = {
        {(int)out->kind, GF_N_KINDS, "kind of output"},
        {(int)out->dtype, GF_N_DTYPES, "output type"},
        {(int)out->map, GF_MAP_DISPLAY + 1, "mapping"},
        {(int)out->scale, GF_SCALE_SQRT + 1, "scale"},
        {(int)out->range, GF_RANGE_GIVEN + 1, "display range"},
    };
    int rc = check_choices(choices, sizeof choices / sizeof *choices);
    if (rc)
        return rc;
    if ((out->kind == GF_COMPLEX) != gf_dtype_is_complex(out->dtype))
        return gf_fail(GF_EINVAL, "%s output cannot be of type %s", gf_kind_name(out->kind),
                       gf_dtype_name(out->dtype));
    if (out->range == GF_RANGE_AUTO && (job->op != GF_FFT || job->direction != GF_FORWARD))
        return gf_fail(GF_EINVAL, "an automatic display range is that of a spectrum");
    rc = job->op == GF_DWT      ? check_coefficients(job, out)
         : job->op == GF_FILTER ? check_filtered(job, out)
                                : 0;
    if (rc)
        return rc;
    if (job->direction == GF_INVERSE && (out->shift || out->half))
        return gf_fail(GF_EINVAL, "only a spectrum is shifted or halved, not an inverse's result");
    if ((out->packed || out->packed_within) &&
        (!out->half || !job->elsewhere || out->kind != GF_COMPLEX || out->shift))
        return gf_fail(GF_EINVAL, "only the half spectrum of a part is packed, in complex numbers");
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
    int rc = check_enums(job);
    if (!rc)
        rc = check_shape(job);
    if (!rc)
        rc = job->op == GF_DWT              ? check_wavelet(job)
             : job->op == GF_FILTER         ? check_filter(job)
             : job->direction == GF_FORWARD ? check_samples(job)
                                            : check_spectrum(job);
    if (!rc && (job->n_out < 1 || job->n_out > GF_MAX_OUTPUTS))
        rc = gf_fail(GF_EINVAL, "%d outputs, where 1 to %d are possible", job->n_out,
                     GF_MAX_OUTPUTS);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = check_output(job, &job->out[i]);
    return rc;
}

/* ---- what one run gets ---- */

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

int gf_job_check_ops(const struct gf_job *job, unsigned ops) {
    for (int i = 0; i < job->n_out; i++)
        if (job->out[i].packed)
            return gf_fail(GF_EUNSUPP, "this backend does not pack half spectra");
    if (ops >> job->op & 1)
        return 0;
    return gf_fail(GF_EUNABLE, "this backend has no %s in this version; --backend=openmp has them",
                   job->op == GF_DWT ? "wavelets" : "filters");
}
