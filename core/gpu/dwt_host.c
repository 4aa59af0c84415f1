/* The CPU's share of wavelet jobs on a GPU. */
#include "core/gpu/dwt_host.h"

#include <string.h>

#include "core/wavelet/dwt.h"
#include "core/base/sample_run.h"
#include "core/base/status.h"

static enum gf_dtype real_of(const struct gf_job *job) {
    return job->precision == GF_DOUBLE ? GF_F64 : GF_F32;
}

static int take_coefficients(const struct gf_job *job, struct gf_array *c) {
    int64_t packed[GF_MAX_RANK];
    gf_dwt_shape(job, true, packed);
    return gf_array_alloc(c, real_of(job), job->ndim + 1, packed);
}

/* Row i of an array, channels innermost. */
static char *row_at(const struct gf_array *a, int64_t i) {
    char *p = a->data;
    for (int axis = a->rank - 3; axis >= 0; axis--) {
        p += i % a->shape[axis] * a->stride[axis];
        i /= a->shape[axis];
    }
    return p;
}

/* All samples as floats, in an array that the caller frees. */
static int as_floats(const struct gf_job *job, const struct gf_array *in, struct gf_array *c,
                     int threads) {
    enum { SPAN = 512 };
    int rc = take_coefficients(job, c);
    if (rc)
        return rc;
    const int r = in->rank;
    int64_t n = in->shape[r - 2], channels = in->shape[r - 1], rows = 1;
    for (int i = 0; i < r - 2; i++)
        rows *= in->shape[i];
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < rows * channels; i++) {
        const char *from = row_at(in, i / channels) + i % channels * in->stride[r - 1];
        char *to = row_at(c, i / channels) + i % channels * c->stride[r - 1];
        double v[SPAN];
        for (int64_t x = 0; x < n; x += SPAN) {
            int64_t count = n - x < SPAN ? n - x : SPAN;
            gf_sample_run_read(from + x * in->stride[r - 2], in->dtype, in->stride[r - 2], count, v,
                               NULL);
            gf_sample_run_write(to + x * c->stride[r - 2], c->dtype, c->stride[r - 2], count, v,
                                NULL);
        }
    }
    return 0;
}

int gf_gpu_dwt_upload(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                      const struct gf_job *job, const struct gf_array *in) {
    struct gf_array coefficients = {0};
    if (job->direction == GF_FORWARD)
        return gf_gpu_run_upload(c, m, in);
    int rc = as_floats(job, in, &coefficients, c->threads);
    if (!rc)
        rc = gf_dwt_threshold(job, &coefficients, c->threads);
    if (!rc)
        rc = gf_gpu_run_upload(c, m, &coefficients);
    if (!rc) /* the upload may still read the array */
        rc = c->api->sync(c->gpu);
    gf_array_free(&coefficients);
    return rc;
}

int gf_gpu_dwt_download(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                        const struct gf_job *job, struct gf_array *out, struct gf_report *report) {
    struct gf_array coefficients = {0};
    struct gf_report found = {.imag_ratio = 0};
    if (job->direction == GF_INVERSE)
        return gf_gpu_run_download(c, m, out, report);
    int rc = take_coefficients(job, &coefficients);
    if (!rc)
        rc = gf_gpu_run_download(c, m, &coefficients, &found);
    if (!rc)
        rc = gf_dwt_threshold(job, &coefficients, c->threads);
    for (int i = 0; i < job->n_out && !rc; i++)
        gf_dwt_output(job, i, &coefficients, &out[i], c->threads, &found.high[i]);
    if (!rc && report)
        *report = found;
    gf_array_free(&coefficients);
    return rc;
}

void gf_gpu_dwt_list(const struct gf_gpu_run *m, const struct gf_job *job, struct gf_plan *plan) {
    int64_t packed[GF_MAX_RANK], bytes = (int64_t)gf_dtype_size(real_of(job)), count = 1;
    if (!m->plan->host_share || plan->n_passes == GF_MAX_PASSES)
        return;
    gf_dwt_shape(job, true, packed);
    for (int i = 0; i <= job->ndim; i++)
        count *= packed[i];
    bool inverse = job->direction == GF_INVERSE;
    struct gf_pass_info *p = &plan->pass[plan->n_passes++];
    *p = (struct gf_pass_info){
        .bytes_read = count * (inverse ? (int64_t)gf_dtype_size(job->in_dtype) : bytes)};
    snprintf(p->what, sizeof p->what, "on the CPU, %s:", inverse ? "beforehand" : "at the end");
    size_t used = strlen(p->what);
    if (job->wavelet.threshold != GF_KEEP_ALL)
        used += (size_t)snprintf(p->what + used, sizeof p->what - used, " %s threshold,",
                                 job->wavelet.threshold == GF_SOFT ? "soft" : "hard");
    for (int i = 0; i < job->n_out && !inverse; i++) {
        p->bytes_written += count * (int64_t)gf_dtype_size(job->out[i].dtype);
        used += (size_t)snprintf(p->what + used, sizeof p->what - used, " %s,",
                                 gf_dtype_name(job->out[i].dtype));
    }
    if (inverse)
        p->bytes_written = count * bytes;
    p->what[used - 1] = 0; /* without the last comma */
    plan->workspace_bytes += count * bytes;
}
