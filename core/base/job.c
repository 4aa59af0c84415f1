/* The scale that follows from a job, and the names of its numbers. */
#include "core/base/job.h"

#include <math.h>

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
