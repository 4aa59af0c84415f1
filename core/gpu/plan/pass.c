/* Appends passes and their kernels' options. */
#include <stdarg.h>

#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/plan_builder.h"
#include "core/base/value/status.h"

struct gf_gpu_pass *gf_gpu_next_pass(struct gf_gpu_plan *p, enum gf_gpu_pass_kind kind,
                                     const char *file, const char *entry) {
    if (p->n_passes == GF_MAX_PASSES) {
        gf_fail(GF_EUNSUPP, "the job needs more than %d passes", (int)GF_MAX_PASSES);
        return NULL;
    }
    struct gf_gpu_pass *pass = &p->pass[p->n_passes++];
    *pass = (struct gf_gpu_pass){.kind = kind, .output = -1};
    snprintf(pass->kernel.file, sizeof pass->kernel.file, "%s", file);
    snprintf(pass->kernel.entry, sizeof pass->kernel.entry, "%s", entry);
    if (p->job.precision == GF_DOUBLE)
        gf_gpu_option(pass, "-DDOUBLE");
    return pass;
}

void gf_gpu_set_buffers(struct gf_gpu_pass *pass, int n, const enum gf_gpu_buffer_id *buffer_id) {
    memcpy(pass->buffer, buffer_id, (size_t)n * sizeof *buffer_id);
    pass->n_buffers = n;
}

void gf_gpu_set_launch(struct gf_gpu_pass *pass, int64_t groups, int group, int64_t local_bytes,
                       size_t args_bytes) {
    pass->groups = groups;
    pass->group = group;
    pass->kernel.local_bytes = local_bytes;
    pass->args_bytes = args_bytes;
}

void gf_gpu_option(struct gf_gpu_pass *pass, const char *format, ...) {
    char *text = pass->kernel.options;
    size_t used = strlen(text), size = sizeof pass->kernel.options;
    va_list arguments;
    if (used && used + 1 < size)
        text[used++] = ' ';
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void gf_gpu_type_options(struct gf_gpu_pass *pass, const char *which, enum gf_dtype type) {
    static const char *const names[GF_N_DTYPES] = {
        [GF_U8] = "uchar",  [GF_I8] = "schar",   [GF_U16] = "ushort", [GF_I16] = "short",
        [GF_U32] = "uint",  [GF_I32] = "int",    [GF_F32] = "float",  [GF_F64] = "double",
        [GF_C64] = "float", [GF_C128] = "double"};
    static const char *const pairs[GF_N_DTYPES] = {
        [GF_U8] = "uchar2",  [GF_I8] = "char2",    [GF_U16] = "ushort2", [GF_I16] = "short2",
        [GF_U32] = "uint2",  [GF_I32] = "int2",    [GF_F32] = "float2",  [GF_F64] = "double2",
        [GF_C64] = "float2", [GF_C128] = "double2"};
    gf_gpu_option(pass, "-D%s_T=%s -D%s_T2=%s", which, names[type], which, pairs[type]);
}

void gf_gpu_output_options(struct gf_gpu_pass *pass, enum gf_dtype type) {
    bool integer = gf_dtype_is_integer(type);
    double low = 0, high = 0;
    if (integer)
        gf_dtype_range(type, &low, &high);
    gf_gpu_type_options(pass, "OUT", type);
    /* -2147483648 is not a literal */
    gf_gpu_option(pass, "-DOUT_INTEGER=%d -DOUT_SMALL=%d -DOUT_LOW=%s%.0f%s -DOUT_HIGH=%.0f%s",
                  integer, gf_dtype_size(type) <= 2, low < -2e9 ? "(-" : "(",
                  low < -2e9 ? -low - 1 : low, low < -2e9 ? "-1)" : ")", high,
                  high > 3e9 ? "u" : "");
}

/* ---- trials ---- */

struct gf_gpu_trial gf_gpu_trial_begin(struct gf_gpu_plan *p) {
    struct gf_gpu_trial trial = {.n_passes = p->n_passes, .nested = p->trial};
    memcpy(trial.bytes, p->bytes, sizeof trial.bytes);
    p->trial = true;
    return trial;
}

double gf_gpu_trial_end(struct gf_gpu_plan *p, const struct gf_gpu_trial *trial) {
    double cost = 0;
    for (int i = trial->n_passes; i < p->n_passes; i++)
        cost += p->pass[i].cost;
    p->n_passes = trial->n_passes;
    p->trial = trial->nested;
    memcpy(p->bytes, trial->bytes, sizeof trial->bytes);
    return cost;
}

/* ---- reading from another buffer ---- */

static const struct gf_gpu_pass *first_launch(const struct gf_gpu_plan *p) {
    const struct gf_gpu_pass *pass = &p->pass[0];
    return pass->chain ? &p->chain[pass->chain - 1] : pass;
}

bool gf_gpu_plan_can_read_elsewhere(const struct gf_gpu_plan *p) {
    const struct gf_gpu_pass *pass = &p->pass[0], *launch = first_launch(p);
    return p->n_passes && pass->kind == GF_GPU_PASS_AXIS && pass->plain &&
           pass->load == LOAD_COMPLEX && launch->n_buffers < GF_GPU_MAX_BUFFERS;
}

void gf_gpu_plan_read_elsewhere(struct gf_gpu_plan *p) {
    struct gf_gpu_pass *launch = (struct gf_gpu_pass *)first_launch(p);
    launch->buffer[launch->n_buffers++] = GF_GPU_ELSEWHERE;
    gf_gpu_option(launch, "-DELSEWHERE=1");
}

void gf_gpu_plan_set_elsewhere(struct gf_gpu_plan *p, struct gf_span coordinates) {
    struct gf_gpu_pass *launch = (struct gf_gpu_pass *)first_launch(p);
    struct pass_args *args =
        launch->kind == GF_GPU_PASS_CHAIN ? &launch->args.chain.first : &launch->args.pass;
    args->elsewhere_first = coordinates.first;
    args->elsewhere_count = coordinates.count;
}
