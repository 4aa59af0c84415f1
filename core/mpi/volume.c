/* Which transforms are spread over ranks, and what they take. */
#include "core/mpi/volume.h"

#include "core/base/status.h"
#include "core/mpi/direction.h"

/* Of files, on each side. */
enum { CHUNKS = 64 << 20 };

int gf_spread_check(const struct gf_job *job) {
    if (job->op == GF_DWT || job->ndim != 3 || job->axes != 7 || job->shape[0] < 2 ||
        job->shape[1] < 2 || job->shape[2] < 2)
        return gf_fail(GF_EUNSUPP,
                       "only a volume of three axes, all of them transformed, is shared "
                       "by several processes");
    if (job->n_out != 1)
        return gf_fail(GF_EUNSUPP, "several processes write one output, not %d", job->n_out);
    if (job->out[0].map == GF_MAP_DISPLAY && gf_dtype_is_integer(job->out[0].dtype))
        return gf_fail(GF_EUNSUPP, "several processes write numbers, not shades; give --depth=32");
    if (job->op == GF_FILTER && gf_job_counts_part(job))
        return gf_fail(GF_EUNSUPP, "several processes filter a volume without added edges");
    return 0;
}

/* Frequencies x between the transforms. */
static int64_t columns_of(const struct gf_job *job) {
    return gf_job_is_real(job) ? job->shape[2] / 2 + 1 : job->shape[2];
}

struct gf_shares gf_spread_shares(const struct gf_job *job, int pair_axis, int64_t pair_lines) {
    return (struct gf_shares){.nz = job->shape[0],
                              .ny = job->shape[1],
                              .columns = columns_of(job),
                              .planes = pair_axis == 0 ? pair_lines : 1,
                              .lines = pair_axis == 1 ? pair_lines : 1,
                              .mirrored = gf_job_is_real(job) && job->op == GF_FFT};
}

int64_t gf_spread_bytes(const struct gf_job *job, const struct gf_grid *grid) {
    const int64_t point = job->channels * (job->precision == GF_DOUBLE ? 16 : 8);
    const int64_t cols = (columns_of(job) + grid->across - 1) / grid->across;
    const int64_t planes = (job->shape[0] + grid->down - 1) / grid->down,
                  rows = (job->shape[1] + grid->down - 1) / grid->down;
    const int64_t share = (planes * job->shape[1] + job->shape[0] * rows) * cols * point;
    return share + (share < CHUNKS ? share : CHUNKS);
}

int gf_spread_run(struct gf_spread *s) {
    return s->job.op == GF_FILTER           ? gf_spread_filter(s)
           : s->job.direction == GF_FORWARD ? gf_spread_forward(s)
                                            : gf_spread_inverse(s);
}
