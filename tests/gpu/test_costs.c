/* The expected times of plans beside their measured times on the GPU whose figures the costs are
 * fitted to: an NVIDIA H200 that copies 4.24 TB/s. The costs are of launches one after the other; on CUDA
 * they overlap, so that a job takes up to some microseconds a launch less. No device is touched. */
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
    {PICTURE, {1, 512, 512}, 6, 0.0096},   {PICTURE, {1, 1024, 1024}, 6, 0.0104},
    {PICTURE, {1, 2048, 2048}, 6, 0.0203}, {PICTURE, {1, 4096, 4096}, 6, 0.0812},
    {PICTURE, {1, 8192, 8192}, 6, 0.370},  {PICTURE, {1, 16384, 16384}, 6, 1.473},
    {R2C, {1, 2048, 65536}, 4, 0.565},     {C2C, {1, 512, 512}, 6, 0.0063},
    {C2C, {1, 1024, 1024}, 6, 0.0109},     {R2C, {1, 1024, 1024}, 6, 0.0082},
    {C2C, {1, 2048, 2048}, 6, 0.0431},     {C2C, {1, 4096, 4096}, 6, 0.1762},
    {C2C, {1, 8192, 8192}, 6, 0.715},      {R2C, {1, 8192, 8192}, 6, 0.387},
    {C2C, {1, 16384, 16384}, 6, 3.058},    {C2C, {1, 128, 1 << 20}, 4, 1.132},
    {C2C, {256, 256, 256}, 7, 0.1762},     {R2C, {256, 256, 256}, 7, 0.1053},
    {C2C, {512, 512, 512}, 7, 1.453},      {R2C, {512, 512, 512}, 7, 0.854},
    {C2C, {1024, 1024, 1024}, 7, 12.90},   {R2C, {1024, 1024, 1024}, 7, 7.09},
    {C2C, {1000, 512, 512}, 6, 1.684},     {R2C, {1000, 512, 512}, 6, 1.025},
    {C2C, {1, 16384, 8192}, 4, 0.546},     {C2C, {1, 8192, 16384}, 4, 0.650},
    {C2C, {1, 2048, 65536}, 4, 0.841},     {C2C, {1, 1, 1 << 24}, 4, 0.220},
    {C2C, {1, 1, 1 << 26}, 4, 0.854},      {C2C, {1, 1, 1 << 28}, 4, 3.669},
    {C2C, {1, 3000, 4000}, 6, 0.141},      {C2C, {64, 64, 64}, 7, 0.0086},
    {C2C, {251, 251, 251}, 7, 0.426},      {R2C, {2048, 1024, 1024}, 7, 15.56},
    {C2C, {1, 1000000, 5}, 4, 0.0209},     {C2C, {1, 1000000, 16}, 4, 0.0626},
    {R2C, {1, 1000000, 16}, 4, 0.0386},    {R2C, {1, 200000, 64}, 4, 0.0299},
    {C2C, {1, 139810, 120}, 4, 0.0669},    {C2C, {1, 33554, 500}, 4, 0.0670},
    {C2C, {1, 1250, 1250}, 6, 0.0201},     {C2C, {1, 1, 6561}, 4, 0.0052},
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

static void test_row(size_t i) {
    static const double copy = 4.24e12, overlap_ms = 1e-3;
    const int64_t *n = measured[i].shape;
    struct gf_job job = job_of(measured[i].kind, n, measured[i].axes);
    struct gf_gpu_plan *p;
    double cost = 0;
    CHECK_EQ(gf_gpu_plan_make(&job, &gpu_devices[0], &p), 0);
    for (int k = 0; k < p->n_passes; k++)
        cost += p->pass[k].cost;
    const double ms = cost / copy * 1e3, overlap = p->n_passes * overlap_ms;
    const double least = (measured[i].ms - overlap) / 1.15;
    const double most = (measured[i].ms + overlap) * 1.15;
    CHECK_MSG(least < ms && ms < most, "%.4f ms expected, %.4f measured", ms, measured[i].ms);
    gf_gpu_plan_free(p);
}

/* Rows of these lengths end in a radix whose points begin whole sectors, and are moved by groups of
 * one warp. */
static void test_sectors(void) {
    static const int64_t lengths[] = {96, 104, 120, 180, 300};
    enum { SECTOR = 4, WARP = 32 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const int64_t n = lengths[i];
        struct gf_job job = job_of(C2C, (const int64_t[]){1, (1 << 24) / n, n}, 4);
        struct gf_gpu_plan *p;
        CHECK_EQ(gf_gpu_plan_make(&job, &gpu_devices[0], &p), 0);
        const struct gf_gpu_tile *t = &p->pass[0].tile;
        const int last = t->radix[t->stages - 1];
        CHECK_MSG(t->rows_out && n / last % SECTOR == 0, "rows of %lld end in radix %d",
                  (long long)n, last);
        CHECK_MSG(t->threads <= WARP, "rows of %lld: %d items", (long long)n, t->threads);
        gf_gpu_plan_free(p);
    }
}

/* Queueing a second launch takes longer than it saves for a single line of up to 8192 points. */
static void test_single_lines(void) {
    static const int64_t lengths[] = {5400, 6000, 6561, 7000, 8000, 8192, 16384};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct gf_job job = job_of(C2C, (const int64_t[]){1, 1, lengths[i]}, 4);
        struct gf_gpu_plan *p;
        CHECK_EQ(gf_gpu_plan_make(&job, &gpu_devices[0], &p), 0);
        CHECK_MSG(p->n_passes == 1 + (lengths[i] > 8192), "%lld points: %d launches",
                  (long long)lengths[i], p->n_passes);
        gf_gpu_plan_free(p);
    }
}

int main(void) {
    gpu_make_devices();
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        RUN(case_name("%dx%dx%d, axes %u, kind %d takes the time that was measured",
                      (int)measured[i].shape[0], (int)measured[i].shape[1],
                      (int)measured[i].shape[2], measured[i].axes, (int)measured[i].kind),
            test_row(i));
    RUN("rows are written in whole sectors by groups of one warp", test_sectors());
    RUN("a line of up to 8192 points is one launch", test_single_lines());
    return TEST_END();
}
