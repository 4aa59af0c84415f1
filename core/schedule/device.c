/* Plans the exchange and the walks of jobs in parts on devices, which choose the parts' sizes themselves. */
#include "core/schedule/plan.h"

#include <string.h>

/* A line's job as a picture's with a page for each column of its matrix; it has as many rows as the
 * largest divisor up to the root, or one. */
static struct gf_job line_matrix(const struct gf_job *job) {
    struct gf_job matrix = *job;
    const int64_t n = job->shape[0];
    int64_t rows = 1;
    for (int64_t i = 2; i <= n / i; i++)
        rows = n % i ? rows : i;
    matrix.ndim = 3;
    memcpy(matrix.shape, (int64_t[]){n / rows, 1, rows}, sizeof matrix.shape);
    memset(matrix.counted, 0, sizeof matrix.counted);
    matrix.axes = 5;
    return matrix;
}

bool gf_slab_device_scans(const struct gf_slab_plan *p, int i) {
    return gf_slab_walks_twice(&p->job) ? gf_output_scans_parts(&p->job, i)
                                        : gf_output_is_full(&p->job.out[i]);
}

static bool scans(const struct gf_slab_plan *p) {
    bool any = false;
    for (int i = 0; i < p->job.n_out; i++)
        any |= gf_slab_device_scans(p, i);
    return any && p->job.direction == GF_FORWARD && p->job.op == GF_FFT;
}

void gf_slab_plan_device(const struct gf_job *asked, bool natural, struct gf_slab_plan *p) {
    const bool line = asked->ndim == 1;
    *p = (struct gf_slab_plan){.job = line ? line_matrix(asked) : gf_job_volume(asked),
                               .picture = asked->ndim < 3,
                               .line = line,
                               .number = (int64_t)gf_dtype_size(gf_job_number(asked)),
                               .real = gf_job_is_real(asked)};
    const struct gf_job *job = &p->job;
    const bool forward = job->direction == GF_FORWARD, twice = gf_slab_walks_twice(job);
    const bool slabs_first = forward || natural, filter = twice && job->op == GF_FILTER;
    const int64_t halved = p->real && (forward || job->in_half), n = job->shape[2];
    unsigned first = slabs_first ? GF_SLAB_FORTH : GF_SLAB_INPUT;
    unsigned last = slabs_first && !filter ? GF_SLAB_OUTPUT : GF_SLAB_BACK;
    p->pages = job->shape[0];
    p->kept_pages = gf_job_counted(job, 0);
    p->rows = job->shape[1];
    p->width = (halved ? n / 2 + 1 : n) * gf_job_lanes(job);
    p->exchange_bytes = twice ? p->pages * p->rows * gf_slab_row_bytes(p) : 0;
    if (!twice) {
        first = 0;
        last = GF_SLAB_FROM_INPUT | GF_SLAB_TO_OUTPUT | (job->axes == 1) * GF_SLAB_BLOCKS;
    }
    gf_slab_list_steps(p, first, filter, scans(p) || (line && gf_job_samples(job)), last);
}
