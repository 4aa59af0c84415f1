/* Which transforms are spread over ranks, and what they take. */
#include "core/mpi/volume.h"

#include "core/base/status.h"
#include "core/mpi/direction.h"

/* Of files, on each side. */
enum { CHUNKS = 64 << 20 };

int gf_spread_check(const struct gf_job *job) {
    if (job->op != GF_FFT || job->ndim != 3 || job->axes != 7 || job->shape[0] < 2 ||
        job->shape[1] < 2 || job->shape[2] < 2)
        return gf_fail(GF_EUNSUPP,
                       "only a volume of three axes, all of them transformed, is shared "
                       "by several processes");
    if (job->n_out != 1)
        return gf_fail(GF_EUNSUPP, "several processes write one output, not %d", job->n_out);
    if (job->out[0].map == GF_MAP_DISPLAY && gf_dtype_is_integer(job->out[0].dtype))
        return gf_fail(GF_EUNSUPP, "several processes write numbers, not shades; give --depth=32");
    return 0;
}

int64_t gf_spread_bytes(const struct gf_job *job, int ranks) {
    int64_t point = job->channels * (job->precision == GF_DOUBLE ? 16 : 8);
    int64_t cols = gf_job_is_real(job) ? job->shape[2] / 2 + 1 : job->shape[2];
    int64_t planes = (job->shape[0] + ranks - 1) / ranks,
            rows = (job->shape[1] + ranks - 1) / ranks;
    int64_t share = (planes * job->shape[1] + job->shape[0] * rows) * cols * point;
    return share + (share < CHUNKS ? share : CHUNKS);
}

int gf_spread_run(struct gf_spread *s) {
    return s->job.direction == GF_FORWARD ? gf_spread_forward(s) : gf_spread_inverse(s);
}
