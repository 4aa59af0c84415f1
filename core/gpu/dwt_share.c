/* The host's share of wavelet transforms on a GPU. */
#include "core/gpu/dwt.h"

#include <string.h>

#include "core/wavelet/dwt.h"

int gf_gpu_dwt_begin(const struct gf_gpu_context *c, const struct gf_job *job,
                     const struct gf_array *in, struct gf_array *coefficients) {
    int64_t packed[GF_MAX_RANK];
    gf_dwt_shape(job, true, packed);
    int rc = gf_array_alloc(coefficients, gf_dwt_real(job), job->ndim + 1, packed);
    if (rc || !in)
        return rc;
    gf_dwt_convert(in, coefficients, c->threads);
    return gf_dwt_threshold(job, coefficients, c->threads);
}

int gf_gpu_dwt_end(const struct gf_gpu_context *c, const struct gf_job *job,
                   struct gf_array *coefficients, struct gf_array *out, struct gf_report *report) {
    int rc = gf_dwt_threshold(job, coefficients, c->threads);
    for (int i = 0; i < job->n_out && !rc; i++)
        gf_dwt_output(job, i, coefficients, &out[i], c->threads, &report->high[i]);
    return rc;
}

void gf_gpu_dwt_list_share(struct gf_plan *plan) {
    const struct gf_job *job = &plan->job;
    int64_t packed[GF_MAX_RANK], bytes = (int64_t)gf_dtype_size(gf_dwt_real(job)), count;
    if (plan->n_passes == GF_MAX_PASSES)
        return;
    gf_dwt_shape(job, true, packed);
    gf_size_product(packed, job->ndim + 1, 1, &count);
    bool inverse = job->direction == GF_INVERSE;
    struct gf_pass_info *p = gf_pass_list(
        plan, count * (inverse ? (int64_t)gf_dtype_size(job->in_dtype) : bytes),
        inverse ? count * bytes : 0, "on the CPU, %s:%s", inverse ? "beforehand" : "at the end",
        job->wavelet.threshold == GF_KEEP_ALL ? ""
        : job->wavelet.threshold == GF_SOFT   ? " soft threshold,"
                                              : " hard threshold,");
    size_t used = strlen(p->what);
    p->host = true;
    for (int i = 0; i < job->n_out && !inverse; i++) {
        p->bytes_written += count * (int64_t)gf_dtype_size(job->out[i].dtype);
        used += (size_t)snprintf(p->what + used, sizeof p->what - used, " %s,",
                                 gf_dtype_name(job->out[i].dtype));
    }
    p->what[used - 1] = 0; /* the last comma */
    plan->workspace_bytes += count * bytes;
}
