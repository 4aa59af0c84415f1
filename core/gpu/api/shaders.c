/* Shaders of kernels/gl: which passes they serve, their text, their launches, and the one that
 * copies. */
#include "core/gpu/api/shaders.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/value/factor.h"
#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/gpu/common.h"

/* The shaders repeat these blocks, member by member in 32 bits. */
_Static_assert(sizeof(struct pass_args) == 122 * sizeof(int64_t), "as in kernels/gl/pass.glsl");

static int refuse(const char *what) {
    return gf_fail(GF_EUNABLE, "shaders have no %s; --backend=openmp or opencl does it", what);
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

int gf_shaders_check(const struct gf_gpu_plan *plan) {
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
                           "the plan needs a buffer of %s, the largest on %.60s is of %s; "
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

/* ---- texts and launches ---- */

/* GLSL's #line takes no file name; vkd3d complains of any. */
static void drop_file_names(char *text, bool hlsl) {
    for (char *at = text; (at = strstr(at, "#line "));) {
        char *from = hlsl ? at : strchr(at, '"'), *end = strchr(at, '\n');
        if (from && end && from < end)
            memset(from, ' ', (size_t)(end - from));
        at = end ? end : at + 1;
    }
}

bool gf_shaders_on_cpu(const char *device) {
    static const char *const names[] = {"llvmpipe", "softpipe", "swrast", "SWR", "Basic Render"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasestr(device, names[i]))
            return true;
    return false;
}

int gf_shaders_clear(const struct gf_gpu_device *d, const struct gf_gpu_buffer *to, int64_t offset,
                     int64_t bytes) {
    return offset % 4 || (bytes % 4 && offset + bytes < to->bytes)
               ? gf_fail(GF_EBACKEND, "%s clears whole words", d->api->name)
               : 0;
}

int gf_shaders_fit(const struct gf_gpu_device *d, const char *entry, int64_t local_bytes,
                   bool whole) {
    if (local_bytes > d->props.local_bytes)
        return gf_fail(GF_EBACKEND, "%s needs %lld bytes of shared memory, '%s' has %lld", entry,
                       (long long)local_bytes, d->props.name, (long long)d->props.local_bytes);
    return whole ? 0
                 : gf_fail(GF_EBACKEND, "loading %s on '%s': its binary is damaged", entry,
                           d->props.name);
}

int gf_shaders_refused(const char *name, const char *device, const char *log) {
    char *copy = log ? strdup(log) : NULL;
    int rc = gf_fail(GF_EBACKEND, "building %s for '%s': %.400s", name, device,
                     copy && *copy ? gf_gpu_complaint(copy) : "no reason given");
    free(copy);
    return rc;
}

char *gf_shaders_text(const char *first, const char *options, const char *source) {
    size_t room = 2 * strlen(options) + strlen(source) + 256;
    char *text = malloc(room), *copy = strdup(options), *rest = copy, *word;
    size_t used = text ? (size_t)snprintf(text, room, "%s\n", first) : 0;
    while (text && copy && (word = strsep(&rest, " "))) {
        char *value = strchr(word, '=');
        if (strncmp(word, "-D", 2))
            continue;
        if (value)
            *value++ = 0;
        bool name = value && ((*value >= 'a' && *value <= 'z') || (*value >= 'A' && *value <= 'Z'));
        used += (size_t)snprintf(text + used, room - used, "#define %s %s%s\n", word + 2,
                                 name ? "TYPE_" : "", value ? value : "1");
    }
    if (text && copy) {
        snprintf(text + used, room - used, "%s", source);
        drop_file_names(text, !strcmp(first, GF_SHADERS_HLSL));
    } else {
        free(text);
        text = NULL;
    }
    free(copy);
    return text;
}

int gf_shaders_launch(const struct gf_gpu_device *d, const struct gf_gpu_launch *l,
                      struct gf_shader_launch *to) {
    const int64_t *from = l->args, most = d->props.max_groups;
    const int64_t across = l->groups < most ? l->groups : most;
    if (l->groups <= 0 || l->group <= 0 || l->groups > across * most || l->groups > INT32_MAX ||
        l->n_buffers > GF_SHADERS_ARGS_AT || l->args_bytes > sizeof to->args * 2 || !l->args_bytes)
        return gf_fail(GF_EBACKEND, "cannot launch %lld groups of %d", (long long)l->groups,
                       l->group);
    to->across = (uint32_t)across;
    to->down = (uint32_t)((l->groups + across - 1) / across);
    to->groups = (int32_t)l->groups;
    to->bytes = l->args_bytes / 2;
    for (size_t i = 0; i < l->args_bytes / sizeof *from; i++) {
        if (from[i] < INT32_MIN || from[i] > INT32_MAX)
            return gf_fail(GF_EUNSUPP, "shaders count in 32 bits");
        to->args[i] = (int32_t)from[i];
    }
    return 0;
}

int gf_shaders_copier(void *gpu, const struct gf_gpu_props *props, struct gf_gpu_copier *copy) {
    enum { BYTES = 64 }; /* copied by an invocation */
    struct gf_kernel_request r = {.file = "copy.comp", .entry = "copy"};
    copy->count = copy->bytes / 16;
    int rc = gf_kernel_cache_get(((struct gf_gpu_device *)gpu)->api, gpu, props, &r, 1, NULL, NULL);
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
