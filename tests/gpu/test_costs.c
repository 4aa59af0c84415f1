/* What plans are expected to take, beside what they took on the GPU whose figures the costs are
 * fitted to: an NVIDIA H200 that copies 4.24 TB/s. No device is touched. */
#include <math.h>

#include "core/gpu/plan/make.h"
#include "tests/gpu/gpu_jobs.h"
#include "tests/test.h"

enum kind { C2C, R2C, PICTURE };

/* Milliseconds measured, arrays on the device. */
static const struct {
    enum kind kind;
    int64_t shape[3];
    unsigned axes;
    double ms;
} measured[] = {
    {PICTURE, {1, 512, 512}, 6, 0.0165},   {PICTURE, {1, 1024, 1024}, 6, 0.0191},
    {PICTURE, {1, 2048, 2048}, 6, 0.0307}, {PICTURE, {1, 4096, 4096}, 6, 0.0970},
    {PICTURE, {1, 8192, 8192}, 6, 0.385},  {PICTURE, {1, 16384, 16384}, 6, 1.473},
    {R2C, {1, 2048, 65536}, 4, 0.607},     {C2C, {1, 512, 512}, 6, 0.0108},
    {C2C, {1, 1024, 1024}, 6, 0.0155},     {R2C, {1, 1024, 1024}, 6, 0.0130},
    {C2C, {1, 2048, 2048}, 6, 0.0491},     {C2C, {1, 4096, 4096}, 6, 0.1771},
    {C2C, {1, 8192, 8192}, 6, 0.751},      {R2C, {1, 8192, 8192}, 6, 0.411},
    {C2C, {1, 16384, 16384}, 6, 3.065},    {C2C, {1, 128, 1 << 20}, 4, 1.132},
    {C2C, {256, 256, 256}, 7, 0.2153},     {R2C, {256, 256, 256}, 7, 0.1170},
    {C2C, {512, 512, 512}, 7, 1.541},      {R2C, {512, 512, 512}, 7, 0.862},
    {C2C, {1024, 1024, 1024}, 7, 15.17},   {R2C, {1024, 1024, 1024}, 7, 7.83},
    {C2C, {1000, 512, 512}, 6, 1.866},     {R2C, {1000, 512, 512}, 6, 1.029},
    {C2C, {1, 16384, 8192}, 4, 0.546},     {C2C, {1, 8192, 16384}, 4, 0.650},
    {C2C, {1, 2048, 65536}, 4, 0.893},     {C2C, {1, 1, 1 << 24}, 4, 0.222},
    {C2C, {1, 1, 1 << 26}, 4, 0.856},      {C2C, {1, 1, 1 << 28}, 4, 3.669},
    {C2C, {1, 3000, 4000}, 6, 0.159},      {C2C, {64, 64, 64}, 7, 0.0139},
    {C2C, {251, 251, 251}, 7, 0.426},
};

static struct gf_job job_of(enum kind kind, const int64_t *shape, unsigned axes) {
    struct gf_job job = {.ndim = 3,
                         .shape = {shape[0], shape[1], shape[2]},
                         .channels = 1,
                         .axes = axes,
                         .in_dtype = kind == C2C   ? GF_C64
                                     : kind == R2C ? GF_F32
                                                   : GF_U8,
                         .n_out = 1};
    job.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = GF_C64, .half = kind == R2C};
    if (kind == PICTURE)
        job.out[0] = (struct gf_output){.kind = GF_MAGNITUDE,
                                        .dtype = GF_U8,
                                        .map = GF_MAP_DISPLAY,
                                        .scale = GF_SCALE_LOG,
                                        .shift = true};
    return job;
}

int main(void) {
    static const double copy = 4.24e12;
    gpu_make_devices();
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const int64_t *n = measured[i].shape;
        struct gf_job job = job_of(measured[i].kind, n, measured[i].axes);
        struct gf_gpu_plan *p;
        double cost = 0;
        CHECK_EQ(gf_gpu_plan_make(&job, &gpu_devices[0], &p), 0);
        for (int k = 0; k < p->n_passes; k++)
            cost += p->pass[k].cost;
        double ms = cost / copy * 1e3, off = fabs(log(ms / measured[i].ms));
        CHECK_MSG(off < log(1.15), "%lldx%lldx%lld, kind %d: %.4f ms expected, %.4f measured",
                  (long long)n[0], (long long)n[1], (long long)n[2], (int)measured[i].kind, ms,
                  measured[i].ms);
        gf_gpu_plan_free(p);
    }
    return TEST_END();
}
