/* The shapes of a job's arrays. */
#include <string.h>

#include "core/base/job/dwt_shape.h"

int gf_job_half_axis(const struct gf_job *job) {
    for (int i = job->ndim - 1; i >= 0; i--)
        if (job->axes >> i & 1)
            return i;
    return -1;
}

/* packed: the half spectrum lacks its last column. */
static void spectrum_shape(const struct gf_job *job, bool half, bool packed,
                           int64_t shape[GF_MAX_RANK]) {
    memset(shape, 0, GF_MAX_RANK * sizeof *shape);
    for (int i = 0; i < job->ndim; i++)
        shape[i] = job->shape[i];
    int axis = gf_job_half_axis(job);
    if (half && axis >= 0)
        shape[axis] = job->shape[axis] / 2 + !packed;
    shape[job->ndim] = job->channels;
}

void gf_job_in_shape(const struct gf_job *job, int64_t shape[GF_MAX_RANK]) {
    if (job->op == GF_DWT) {
        gf_dwt_shape(job, job->direction == GF_INVERSE, shape);
        return;
    }
    spectrum_shape(job, job->direction == GF_INVERSE && job->in_half, false, shape);
}

void gf_job_out_shape(const struct gf_job *job, int i, int64_t shape[GF_MAX_RANK]) {
    if (job->op == GF_DWT) {
        gf_dwt_shape(job, job->direction == GF_FORWARD, shape);
        return;
    }
    spectrum_shape(job, job->direction == GF_FORWARD && job->out[i].half, job->out[i].packed,
                   shape);
    if (job->luma)
        shape[job->ndim] = 1;
}

bool gf_job_joins_pages(const struct gf_job *job) {
    enum { MANY = 128 };
    const bool part = job->axes == 4 && job->elsewhere && !job->whole.axes;
    const int64_t pages = part ? job->elsewhere : job->shape[0];
    return gf_job_is_real(job) && job->ndim == 3 && (job->axes == 5 || part) && pages >= MANY;
}

/* Shape and type of an output, or of the input if output < 0. */
static enum gf_dtype describe(const struct gf_job *job, int output, int64_t shape[GF_MAX_RANK]) {
    if (output < 0)
        gf_job_in_shape(job, shape);
    else
        gf_job_out_shape(job, output, shape);
    return output < 0 ? job->in_dtype : job->out[output].dtype;
}

struct gf_array gf_job_array(const struct gf_job *job, int output, void *data) {
    int64_t shape[GF_MAX_RANK];
    const enum gf_dtype type = describe(job, output, shape);
    return gf_array_wrap(data, type, job->ndim + 1, shape);
}

int gf_job_alloc(const struct gf_job *job, int output, struct gf_array *a) {
    int64_t shape[GF_MAX_RANK];
    const enum gf_dtype type = describe(job, output, shape);
    return gf_array_alloc(a, type, job->ndim + 1, shape);
}

double gf_job_array_bytes(const struct gf_job *job, int output) {
    int64_t shape[GF_MAX_RANK];
    double bytes = (double)gf_dtype_size(describe(job, output, shape));
    for (int i = 0; i <= job->ndim; i++)
        bytes *= (double)shape[i];
    return bytes;
}
