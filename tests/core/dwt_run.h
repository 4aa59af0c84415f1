/* Shared by the wavelet tests: the backend under test, jobs made in a line, runs. */
#ifndef GF_TESTS_DWT_RUN_H
#define GF_TESTS_DWT_RUN_H

#include <string.h>

#include "core/base/job/backend.h"
#include "core/engine/backends.h"
#include "core/base/value/status.h"
#include "tests/test.h"

static const struct gf_backend *backend;
static void *contexts[2];
static uint64_t seed = 20240229;
static inline struct gf_job make_job(enum gf_direction direction, int ndim, const int64_t *shape,
                                     unsigned axes, int levels, enum gf_boundary b,
                                     enum gf_dtype in, enum gf_dtype out) {
    struct gf_job job;
    memset(&job, 0, sizeof job);
    job.op = GF_DWT;
    job.direction = direction;
    job.ndim = ndim;
    memcpy(job.shape, shape, (size_t)ndim * sizeof *shape);
    job.channels = 1;
    job.axes = axes;
    job.in_dtype = in;
    job.precision = in == GF_F64 || out == GF_F64 ? GF_DOUBLE : GF_SINGLE;
    job.wavelet.levels = levels;
    job.wavelet.boundary = b;
    job.n_out = 1;
    job.out[0].kind = GF_REAL;
    job.out[0].dtype = out;
    return job;
}

/* Runs on one thread and on several in turn; out is made. */
static inline bool run(const struct gf_job *job, const struct gf_array *in, struct gf_array *out,
                       struct gf_report *report) {
    static int turn;
    int rc = 0;
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = out[i].data ? 0 : gf_job_alloc(job, i, &out[i]);
    if (!rc)
        rc = gf_job_check_arrays(job, in, out);
    if (!rc)
        rc = gf_backend_run(backend, contexts[turn++ % 2], job, in, out, report);
    CHECK_MSG(!rc, "run: %s", gf_message());
    return !rc;
}

static inline double value(const struct gf_array *a, int64_t i) {
    return a->dtype == GF_F64   ? ((double *)a->data)[i]
           : a->dtype == GF_F32 ? (double)((float *)a->data)[i]
           : a->dtype == GF_U8  ? ((uint8_t *)a->data)[i]
                                : ((uint16_t *)a->data)[i];
}

/* A device that is no processor, as --device=N wants it; NULL: none. */
static inline const char *find_gpu(char number[16]) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES];
    int n = gf_backend_devices(NULL, backend, list);
    for (int i = 0; i < n; i++)
        if (!list[i].is_cpu) {
            snprintf(number, 16, "%d", i);
            return number;
        }
    return NULL;
}

#endif
