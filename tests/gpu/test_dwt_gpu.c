/* Wavelets on GPUs: kernels for large arrays, and integers out of range, beside openmp.
 *
 *     test_dwt_gpu [gpu] [BACKEND...]
 *
 * `gpu`: on a device that is not the CPU. */
#include <math.h>

#include "cli/environment.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/run.h"
#include "tests/core/backends.h"
#include "tests/core/dwt_run.h"

static bool same(const struct gf_array *a, const struct gf_array *b) {
    double wrong = 0, size = 0;
    for (int64_t i = 0; i < gf_array_count(a); i++) {
        wrong += pow(value(a, i) - value(b, i), 2);
        size += pow(value(b, i), 2);
    }
    return wrong <= 1e-12 * size;
}

/* Both directions of one pair of a list: all on a GPU, where kernels take no time to compile. */
static bool takes(int turn, bool gpu) {
    return gpu || case_takes(turn / 2, 3);
}

/* Kernels for arrays beyond 32 bits, on small ones: the plan's options are changed. */
static void test_far(bool gpu) {
    for (int turn = 0; turn < 6; turn++) {
        if (!takes(turn, gpu))
            continue;
        int64_t shape[3] = {6, 10, 14}, n[GF_MAX_RANK];
        bool back = turn % 2;
        struct gf_job job =
            make_job(back ? GF_INVERSE : GF_FORWARD, 3, shape, turn / 2 ? 7 : 3 + (turn & 1), 1,
                     (enum gf_boundary)(turn / 2), GF_F32, GF_F32);
        struct gf_array in = {0}, near = {0}, far = {0};
        struct gf_report report;
        gf_job_in_shape(&job, n);
        CHECK_EQ(gf_array_alloc(&in, GF_F32, 4, n), 0);
        backends_fill(&in, &seed);
        bool ran = run(&job, &in, &near, NULL);
        const struct gf_gpu_context *c = contexts[0];
        struct gf_gpu_run m = {.ready = false};
        CHECK_EQ(gf_gpu_plan_make(&job, &c->props, &m.program.plan), 0);
        for (int i = 0; ran && i < m.program.plan->n_passes; i++) {
            char *option = strstr(m.program.plan->pass[i].kernel.options, "-DFAR=0");
            CHECK(option);
            if (option)
                option[6] = '1';
        }
        gf_job_out_shape(&job, 0, n);
        CHECK_EQ(gf_array_alloc(&far, GF_F32, 4, n), 0);
        int rc = gf_gpu_program_prepare(c, &m.program, 0);
        if (!rc)
            rc = gf_gpu_run_upload(c, &m, &in);
        if (!rc)
            rc = gf_gpu_run_launch(c, &m, 0, m.program.plan->n_passes);
        if (!rc)
            rc = gf_gpu_run_download(c, &m, &far, &report);
        CHECK_MSG(!rc, "%s", gf_message());
        CHECK_MSG(rc || !ran || same(&far, &near), "turn %d differs", turn);
        gf_gpu_run_drop(c, &m);
        gf_array_free(&in);
        gf_array_free(&near);
        gf_array_free(&far);
    }
}

/* A job in slabs, in `kib` of the device's memory, gives the bytes and the counts that it gives in one
 * piece. */
static void check_slabs(const struct gf_job *job, int64_t kib, bool strided) {
    struct gf_backend_options options = {.environment = gf_environment(),
                                         .threads = 2,
                                         .device = gf_environment_device(),
                                         .device_memory = kib << 10};
    struct gf_array in = {0}, whole = {0}, parts = {0}, base = {0};
    struct gf_report expected, report;
    struct gf_plan *plan = NULL;
    void *little = NULL;
    int64_t n[GF_MAX_RANK];
    gf_job_in_shape(job, n);
    n[job->ndim - 1] += strided;
    CHECK_EQ(gf_array_alloc(&base, job->in_dtype, job->ndim + 1, n), 0);
    backends_fill(&base, &seed);
    in = gf_array_slice(&base, job->ndim - 1, 0, n[job->ndim - 1] - strided);
    gf_job_out_shape(job, 0, n);
    CHECK_EQ(gf_array_alloc(&parts, job->out[0].dtype, job->ndim + 1, n), 0);
    memset(parts.data, 0xff, (size_t)gf_array_bytes(&parts));
    CHECK_EQ(backend->open(backend, &options, &little), 0);
    int rc = gf_backend_plan(backend, little, job, &plan);
    CHECK_MSG(!rc && plan->in_slabs, "%s", rc ? gf_message() : "in one piece");
    if (!rc)
        CHECK(plan->device_bytes <= kib << 10);
    if (!rc)
        rc = gf_plan_exec(plan, &in, &parts, &report);
    CHECK_MSG(!rc, "%s", gf_message());
    if (!rc && run(job, &in, &whole, &expected)) {
        CHECK_MSG(!memcmp(parts.data, whole.data, (size_t)gf_array_bytes(&parts)),
                  "%dD, axes %u, boundary %d, %d levels differ", job->ndim, job->axes,
                  (int)job->wavelet.boundary, job->wavelet.levels);
        CHECK_EQ(report.clipped[0], expected.clipped[0]);
    }
    gf_plan_drop(plan);
    backend->close(little);
    gf_array_free(&base);
    gf_array_free(&whole);
    gf_array_free(&parts);
}

/* All boundaries; volumes and pictures; axes with and without the slowest one. */
static void test_slabs(bool gpu) {
    static const int64_t volume[3] = {57, 20, 24}, picture[2] = {301, 96};
    for (int turn = 0; turn < 12; turn++) {
        const bool back = turn % 2, flat = turn / 2 % 2;
        if (turn != 6 &&
            !takes(turn, gpu)) /* each third has volumes and pictures; 6: the threshold */
            continue;
        const unsigned axes = flat ? 3 : turn == 9 ? 6 : turn == 8 ? 6 : turn == 4 ? 5 : 7;
        struct gf_job job =
            make_job(back ? GF_INVERSE : GF_FORWARD, flat ? 2 : 3, flat ? picture : volume, axes,
                     1 + turn % 3, (enum gf_boundary)(turn / 4), back ? GF_F32 : GF_U8,
                     turn == 5 || turn == 7 ? GF_U8 : GF_F32);
        if (turn == 6) {
            job.wavelet.threshold = GF_HARD;
            job.wavelet.amount = 3;
        }
        check_slabs(&job, turn == 8 || turn == 9 ? 61 : 150, turn == 4 || turn == 1);
    }
}

static void test_integers(void) {
    static const enum gf_dtype types[] = {GF_U8, GF_I8, GF_U16, GF_I16, GF_U32, GF_I32};
    int64_t shape[2] = {9, 22}, packed[GF_MAX_RANK];
    for (int t = 0; t < 6; t++) {
        /* Coefficients that overflow the type: both backends clip as many samples, and alike. */
        struct gf_job job = make_job(GF_INVERSE, 2, shape, 3, 2, GF_PERIODIC, GF_F32, types[t]);
        struct gf_array in = {0}, out = {0}, host = {0};
        struct gf_report report, expected;
        gf_job_in_shape(&job, packed);
        CHECK_EQ(gf_array_alloc(&in, GF_F32, 3, packed), 0);
        backends_fill(&in, &seed);
        double low, high;
        gf_dtype_range(types[t], &low, &high);
        for (int64_t i = 0; i < gf_array_count(&in); i++)
            ((float *)in.data)[i] *= (float)(3 * high);
        const struct gf_backend *tried = backend;
        void *kept = contexts[0], *other = contexts[1];
        struct gf_backend_options options = {
            .environment = gf_environment(), .threads = 1, .device = gf_environment_device()};
        bool ran = run(&job, &in, &out, &report);
        backend = &gf_backend_openmp;
        CHECK_EQ(backend->open(backend, &options, &contexts[0]), 0);
        contexts[1] = contexts[0];
        ran = run(&job, &in, &host, &expected) && ran;
        backend->close(contexts[0]);
        backend = tried;
        contexts[0] = kept;
        contexts[1] = other;
        if (ran) {
            CHECK_EQ(report.clipped[0], expected.clipped[0]);
            CHECK(report.clipped[0] > 0);
            if (gf_dtype_size(types[t]) <= 2)
                CHECK_MSG(!memcmp(out.data, host.data,
                                  (size_t)gf_array_count(&out) * gf_dtype_size(types[t])),
                          "%s differs", gf_dtype_name(types[t]));
        }
        gf_array_free(&in);
        gf_array_free(&out);
        gf_array_free(&host);
    }
}

/* Each backend gets the same samples: at ties it may round otherwise than openmp. */
static void test_backend(bool gpu) {
    char reason[GF_REASON], number[16];
    struct gf_backend_options options = {
        .environment = gf_environment(), .threads = 1, .device = gf_environment_device()};
    if (backend->probe(backend, gf_environment(), reason)) {
        printf("%s: skipped: %s\n", backend->name, reason);
        RUN(case_name("%s names a remedy where it is absent", backend->name),
            CHECK_HAS(reason, ";"));
        return;
    }
    if (gpu && !(options.device = find_gpu(number))) {
        printf("%s: skipped: no device but the CPU\n", backend->name);
        return;
    }
    for (int i = 0; i < 2; i++)
        NEED(!backend->open(backend, &options, &contexts[i]));
    seed = 20240229;
    RUN(case_name("%s clips integers as openmp does", backend->name), test_integers());
    RUN(case_name("%s has kernels for arrays beyond 32 bits", backend->name), test_far(gpu));
    RUN(case_name("%s transforms in slabs as in one piece", backend->name), test_slabs(gpu));
    backend->close(contexts[0]);
    backend->close(contexts[1]);
}

int main(int argc, char **argv) {
    gf_environment_read();
    bool gpu = argc > 1 && !strcmp(argv[1], "gpu");
    for (int i = 0; gf_backends[i]; i++) {
        bool wanted = argc == 1 + gpu;
        backend = gf_backends[i];
        for (int k = 1; k < argc; k++)
            wanted = wanted || !strcmp(argv[k], backend->name);
        if (wanted && (backend == &gf_backend_opencl || backend == &gf_backend_cuda))
            test_backend(gpu);
    }
    return TEST_END();
}
