/* The CPU's share of wavelet jobs on a GPU. */
#include "core/gpu/dwt.h"

#include <string.h>

#include "core/wavelet/dwt.h"

static int take_coefficients(const struct gf_job *job, struct gf_array *c) {
    int64_t packed[GF_MAX_RANK];
    gf_dwt_shape(job, true, packed);
    return gf_array_alloc(c, gf_dwt_real(job), job->ndim + 1, packed);
}

int gf_gpu_dwt_upload(struct gf_plan *plan, const struct gf_array *in) {
    const struct gf_gpu_context *c = plan->context;
    const struct gf_job *job = &plan->job;
    struct gf_array coefficients = {0};
    if (job->direction == GF_FORWARD)
        return gf_gpu_whole_upload(plan, in);
    int rc = take_coefficients(job, &coefficients);
    if (!rc)
        gf_dwt_convert(in, &coefficients, c->threads);
    if (!rc)
        rc = gf_dwt_threshold(job, &coefficients, c->threads);
    if (!rc)
        rc = gf_gpu_whole_upload(plan, &coefficients);
    if (!rc) /* the upload may still read the array */
        rc = c->api->sync(c->gpu);
    gf_array_free(&coefficients);
    return rc;
}

int gf_gpu_dwt_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report) {
    const struct gf_gpu_context *c = plan->context;
    const struct gf_job *job = &plan->job;
    struct gf_array coefficients = {0};
    struct gf_report found = {.imag_ratio = 0};
    if (job->direction == GF_INVERSE)
        return gf_gpu_whole_download(plan, out, report);
    int rc = take_coefficients(job, &coefficients);
    if (!rc)
        rc = gf_gpu_whole_download(plan, &coefficients, &found);
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
    int64_t packed[GF_MAX_RANK], bytes = (int64_t)gf_dtype_size(gf_dwt_real(job)), count;
    if (!m->plan->host_share || plan->n_passes == GF_MAX_PASSES)
        return;
    gf_dwt_shape(job, true, packed);
    gf_size_product(packed, job->ndim + 1, 1, &count);
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
    p->what[used - 1] = 0; /* the last comma */
    plan->workspace_bytes += count * bytes;
}
