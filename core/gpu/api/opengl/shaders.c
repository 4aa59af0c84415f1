/* Which passes the shaders of kernels/gl serve, and the one that copies. */
#include "core/gpu/api/opengl/shaders.h"

#include <string.h>

#include "core/base/value/factor.h"
#include "core/base/host/memory.h"
#include "core/base/value/status.h"

/* The shaders repeat these blocks, member by member in 32 bits. */
_Static_assert(sizeof(struct pass_args) == 122 * sizeof(int64_t), "as in kernels/gl/pass.glsl");

static int refuse(const char *what) {
    return gf_fail(GF_EUNABLE, "OpenGL's shaders have no %s; --backend=openmp or opencl does it",
                   what);
}

/* Samples of 8 and 16 bits and floats. */
static bool has_type(enum gf_dtype type) {
    return type == GF_U8 || type == GF_I8 || type == GF_U16 || type == GF_I16 || type == GF_F32 ||
           type == GF_C64;
}

static int check_radices(const struct gf_gpu_tile *t) {
    for (int i = 0; i < t->stages; i++)
        if (t->radix[i] > 7 && gf_is_prime(t->radix[i]))
            return refuse("lengths with factors above 7");
    return 0;
}

static int check_axis(const struct gf_gpu_pass *pass) {
    if (!pass->plain)
        return refuse("lengths with factors above 7");
    if (pass->far)
        return refuse("offsets beyond 32 bits");
    if ((pass->load > LOAD_TWO_HALVES && pass->load != LOAD_ROW_HALVES) ||
        (pass->store > STORE_SAMPLE && pass->store != STORE_ROW_HALVES) || pass->folded)
        return refuse("real lines that are split over passes");
    return check_radices(&pass->tile);
}

/* Offsets, also of the parts of complex numbers, must fit 32 bits. */
static int check_loadstore(const struct loadstore_args *a) {
    double work = (double)a->channels, array = (double)a->channels * (a->luma ? 3 : 1);
    for (int axis = 0; axis < 3; axis++) {
        work *= (double)a->work[axis];
        array *= (double)a->array[axis];
    }
    return 2 * work <= INT32_MAX && 2 * array <= INT32_MAX ? 0 : refuse("offsets beyond 32 bits");
}

static int check_pass(const struct gf_gpu_pass *pass) {
    switch (pass->kind) {
    case GF_GPU_PASS_AXIS:
        return check_axis(pass);
    case GF_GPU_PASS_LOAD:
    case GF_GPU_PASS_STORE:
        return check_loadstore(&pass->args.loadstore);
    case GF_GPU_PASS_RANGE:
    case GF_GPU_PASS_RANGE_LAST:
    case GF_GPU_PASS_SAMPLE:
    case GF_GPU_PASS_SELECT:
        return 0;
    case GF_GPU_PASS_WAVELET:
        return refuse("wavelets");
    case GF_GPU_PASS_FILTER_AXIS:
    case GF_GPU_PASS_MULTIPLY:
        return refuse("filters");
    default:
        return refuse("passes of other kinds");
    }
}

int gf_opengl_check_plan(const struct gf_gpu_plan *plan) {
    const struct gf_job *job = &plan->job;
    char need[GF_SIZE_TEXT], largest[GF_SIZE_TEXT];
    if (job->precision == GF_DOUBLE)
        return refuse("double precision");
    bool has = has_type(job->in_dtype);
    for (int i = 0; i < job->n_out; i++)
        has = has && has_type(job->out[i].dtype);
    if (!has)
        return refuse("samples of 32-bit integers or doubles");
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        if (plan->bytes[i] > plan->props.max_alloc)
            return gf_fail(GF_EUNABLE,
                           "the plan needs a buffer of %s, OpenGL's largest on %.60s is of %s; "
                           "--backend=openmp or opencl does it",
                           gf_memory_text(plan->bytes[i], need), plan->props.name,
                           gf_memory_text(plan->props.max_alloc, largest));
    for (int i = 0; i < plan->n_passes; i++) {
        int rc = check_pass(&plan->pass[i]);
        if (rc)
            return rc;
    }
    return 0;
}

int gf_opengl_copier(void *gpu, const struct gf_gpu_props *props, struct gf_gpu_copier *copy) {
    enum { BYTES = 64 }; /* copied by an invocation */
    struct gf_kernel_request r = {.file = "copy.comp", .entry = "copy"};
    copy->count = copy->bytes / 16;
    int rc = gf_kernel_cache_get(&gf_gpu_opengl, gpu, props, &r, 1, NULL, NULL);
    copy->launch =
        (struct gf_gpu_launch){.kernel = r.kernel,
                               .groups = (copy->bytes + GROUP * BYTES - 1) / (GROUP * BYTES),
                               .group = GROUP,
                               .n_buffers = 2,
                               .buffer = {copy->from, copy->to},
                               .args = &copy->count,
                               .args_bytes = sizeof copy->count};
    return rc;
}
