/* gpufft plan: reports what would run and what it needs, also on a device that is not here. */
#include "cli/commands/plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/log.h"
#include "cli/filter/filtering.h"
#include "cli/command.h"
#include "cli/shapes.h"
#include "cli/batch/ranks.h"
#include "core/engine/assume.h"
#include "core/engine/speeds.h"

/* True for shapes and ranges, unless a file has that name. */
static bool is_shape(const char *text) {
    return isdigit((unsigned char)*text) && strspn(text, "0123456789x^.") == strlen(text) &&
           access(text, F_OK);
}

/* Makes an image without samples, of a typed shape. */
static int image_from_shape(const struct gf_settings *s, const struct gf_extents *shape,
                            struct gf_image *image) {
    int64_t extent[GF_MAX_RANK], bytes;
    int n = shape->n, rc;
    char text[GF_SHAPE_TEXT];
    enum gf_dtype usual = s->plan_transform == GF_PLAN_IDWT ? GF_F32 : GF_U8;
    enum gf_dtype dtype = s->type == GF_UNSET ? usual : (enum gf_dtype)s->type;
    memcpy(extent, shape->extent, sizeof extent);
    bool channels = s->channels_last != GF_UNSET;
    if (n - channels < 1 || n - channels > GF_MAX_DIMS)
        return gf_fail(GF_EUSAGE, "shape '%s': %d axes, where 1 to 3 are possible",
                       gf_shape_text(shape->extent, shape->n, text), n - channels);
    if (!channels)
        extent[n++] = 1;
    rc = gf_size_product(extent, n, (int64_t)gf_dtype_size(dtype), &bytes);
    if (rc)
        return rc;
    image->ndim = n - 1;
    image->px = gf_array_wrap(NULL, dtype, n, extent);
    image->color = gf_color_of(extent[n - 1]);
    return 0;
}

static bool is_filter(const struct gf_settings *s) {
    return s->filter.n_parts || s->filter.auto_notch || s->filter.descreen.on || s->filter.destripe;
}

/* Returns the named transform, or else: a filter if there is one, the inverse for a file with a
 * record, a forward FFT. */
static const struct gf_task_hooks *transform_of(const struct gf_settings *s,
                                                const struct gf_image *image) {
    struct gf_record record;
    if (s->plan_transform == GF_PLAN_DWT)
        return &gf_hooks_dwt;
    if (s->plan_transform == GF_PLAN_IDWT)
        return &gf_hooks_idwt;
    if (is_filter(s))
        return &gf_hooks_filter;
    if (!image->record || s->plan_transform == GF_PLAN_FFT)
        return &gf_hooks_forward;
    if (gf_dtype_is_complex(image->px.dtype))
        return &gf_hooks_inverse;
    bool wavelet = !gf_record_parse(image->record, &record) && record.is_wavelet;
    return wavelet ? &gf_hooks_idwt : &gf_hooks_forward;
}

/* Explains the failure of an operand that begins like a shape. */
static int fail_operand(int rc, const char *name) {
    if (*name < '0' || *name > '9' || !access(name, F_OK))
        return rc;
    return gf_fail(
        (enum gf_status)rc,
        "no such file, and no shape; a shape is DEPTHxHEIGHTxWIDTH, HEIGHTxWIDTH or WIDTH");
}

/* `shape`: NULL for a file. */
static int plan_one(struct gf_settings *s, struct gf_runner *runner,
                    const struct gf_targets *targets, char *name, const struct gf_extents *shape) {
    struct gf_task t = {.s = s,
                        .targets = targets,
                        .op.crew = {.runner = runner, .threads = gf_settings_threads(s)},
                        .read = &name,
                        .name = name,
                        .n_read = 1};
    int rc = shape ? image_from_shape(s, shape, &t.image)
                   : gf_reader_open(&t.reader, s, &name, 1, &t.image);
    if (rc && !shape)
        rc = fail_operand(rc, name);
    struct gf_targets own = *targets;
    t.hooks = transform_of(s, &t.image);
    t.targets = &own;
    for (int i = 0; i < own.n && s->kind == GF_UNSET && t.hooks->default_kind == GF_REAL; i++)
        own.target[i].kind = GF_REAL;
    if (!rc)
        rc = gf_task_plan(&t);
    if (!rc)
        rc = gf_plan_print(gf_log_name(name), &t);
    gf_task_free(&t);
    return rc;
}

/* Plans a file, a shape, or all shapes of a range. */
static int plan_operand(struct gf_settings *s, struct gf_runner *runner,
                        const struct gf_targets *targets, char *name) {
    struct gf_shapes shapes = {0};
    char text[GF_SHAPE_TEXT];
    if (!is_shape(name))
        return plan_one(s, runner, targets, name, NULL);
    int rc = gf_shapes_add(&shapes, name, (enum gf_step)s->step);
    for (int i = 0; i < shapes.n && !rc; i++) {
        gf_shape_text(shapes.shape[i].extent, shapes.shape[i].n, text);
        rc = plan_one(s, runner, targets, text, &shapes.shape[i]);
    }
    gf_shapes_free(&shapes);
    return rc;
}

static int check_wavelet(const struct gf_settings *s) {
    bool wavelet = s->plan_transform == GF_PLAN_DWT || s->plan_transform == GF_PLAN_IDWT;
    bool said = s->wavelet.levels || s->wavelet.boundary != GF_UNSET || s->wavelet.threshold;
    if (said && !wavelet)
        return gf_fail(GF_EUSAGE,
                       "--levels, --boundary and --threshold belong to --transform=dwt or idwt");
    if (wavelet && is_filter(s))
        return gf_fail(GF_EUSAGE, "--transform=dwt and a filter exclude each other");
    if (wavelet && (s->half || s->color == 1 || s->norm != GF_UNSET))
        return gf_fail(GF_EUSAGE, "--norm, --half and --color belong to an FFT");
    return 0;
}

/* Requests the device of --assume, the only one of its backend. */
static int assume(struct gf_settings *s, struct gf_assumed_device *device) {
    int rc = gf_assume(s->assume, s->backend, device);
    if (!rc && gf_request_is_list(s->backend, s->device))
        rc = gf_fail(GF_EUSAGE, "this command uses one device, not a list of them");
    return rc ? rc : gf_request_one(gf_environment(), &s->request, device->list, s->backend, NULL);
}

/* Opens the device of --assume, or those that --backend and --device name. */
static int open_engine(struct gf_settings *s, struct gf_engine **engine,
                       struct gf_assumed_device *device) {
    int rc = s->assume ? assume(s, device) : gf_settings_request(s);
    if (rc == GF_EABSENT && s->backend &&
        (!strcmp(s->backend, "cuda") || !strcmp(s->backend, "opencl")))
        rc = gf_fail(rc, "%.400s; --assume=h200 plans for an H200", gf_message());
    const bool parts = s->plan_transform > GF_PLAN_FFT; /* of wavelets go to any devices */
    if (!rc && s->request.n > 1 && !parts && !gf_request_shares(&s->request))
        rc = gf_fail(GF_EUSAGE,
                     "a transform can be shared by devices of one backend, not of several");
    return rc ? rc : gf_settings_engine(s, GF_ENGINE_ONE, engine);
}

/* Plans all operands; returns the worst exit code. */
static int plan_operands(struct gf_settings *s, struct gf_engine *engine,
                         const struct gf_targets *targets, char **operands, int n) {
    struct gf_runner runner;
    int rc, worst;
    gf_runner_open(&runner, engine, 0, s->threads);
    rc = gf_filter_read_files(s);
    bool stop = rc != 0;
    worst = rc ? gf_exit_code(rc) : 0;
    for (int i = 0; i < n && !stop; i++) {
        rc = plan_operand(s, &runner, targets, operands[i]);
        gf_log_flush_stdout();
        if (!rc)
            continue;
        int code = rc == GF_EUNABLE && n > 1 ? 1 : gf_exit_code(rc);
        worst = code > worst ? code : worst;
        gf_log_fail(operands[i]);
        gf_report_failed(s, operands[i]);
    }
    gf_runner_close(&runner);
    return worst;
}

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_targets targets = {0};
    struct gf_engine *engine;
    struct gf_assumed_device assumed; /* lives as long as the engine */
    struct gf_filter_maker maker;
    int worst = 0, rc = 0;
    bool further = false;
    s->maker = &maker;
    for (int k = 0; k < GF_N_KINDS; k++)
        further = further || s->further[k];
    s->plan_only = true;
    if (!gf_ranks_prints(s, operands, n))
        return 0;
    const bool numbers = s->plan_transform > GF_PLAN_FFT || s->kind == GF_COMPLEX || s->depth == 32;
    if (!s->out &&
        !further) /* TIFF holds all types; else a viewable picture, if that is possible */
        s->out = is_filter(s) ? "tiff:plan.tif" : numbers ? "npy:plan.npy" : "png:plan.png";
    rc = gf_settings_check(s);
    if (!rc && !s->ranks != !(s->link > 0))
        rc = gf_fail(GF_EUSAGE, "--ranks=P and --link=GB/s need each other");
    if (!rc)
        rc = check_wavelet(s);
    if (!rc)
        rc = gf_filter_check_settings(s);
    if (!rc)
        rc = gf_targets_parse(s,
                              is_filter(s)          ? GF_REAL
                              : s->kind == GF_UNSET ? GF_MAGNITUDE
                                                    : (enum gf_kind)s->kind,
                              is_filter(s), &targets);
    if (!rc && is_filter(s) && (s->kind != GF_UNSET || further))
        rc = gf_fail(GF_EUSAGE, "a filter's result is the picture; --out alone names it");
    if (!rc && !n)
        rc = gf_fail(GF_EUSAGE, "no input; name a file or a shape such as 512x512 or 4096");
    if (!rc)
        rc = open_engine(s, &engine, &assumed);
    if (!rc) {
        gf_filter_maker_open(&maker, &s->filter);
        worst = plan_operands(s, engine, &targets, operands, n);
        gf_engine_close(engine);
        gf_filter_maker_close(&maker);
        gf_filter_free_files(s);
    }
    gf_targets_free(&targets);
    return rc ? rc : worst;
}

static const char *const transforms[] = {"fft", "dwt", "idwt", NULL}; /* as enum gf_plan_of */

static const struct gf_opt_group plan_group = GF_GROUP(
    "What is planned",
    GF_CHOICE("transform", plan_transform, "NAME", transforms,
              "fft, dwt or idwt (default: fft; for a file with a record, its inverse)"),
    GF_TEXT("assume", assume, "NAME",
            "plan for a device that this machine may lack: h200, with --backend=cuda or opencl"),
    GF_INTEGER("ranks", ranks, "P", 1, 1 << 20,
               "also predict a run of P machines like this one (mpirun), with --link"),
    GF_CHOICE("step", step, "NAME", gf_steps,
              "the sizes of a range A..B: 2x (default), 7smooth, primes"),
    GF_NUMBER("link", link, "GB/s", 0, "it is a number of GB/s above 0",
              "what the network carries to and from each process's machine"));

static const struct gf_opt_group *const groups[] = {
    /* what is planned */
    &plan_group, &gf_opts_levels,
    /* outputs */
    &gf_opts_out, &gf_opts_spectrum_kind, &gf_opts_further, &gf_opts_depth_display, &gf_opts_files,
    /* the transform */
    &gf_opts_axes, &gf_opts_norm, &gf_opts_precision, &gf_opts_color, &gf_opts_half,
    &gf_opts_display, &gf_opts_filter,
    /* inputs */
    &gf_opts_raw,
    /* the run */
    &gf_opts_backend, &gf_opts_peer, &gf_opts_memory, &gf_opts_scratch, &gf_opts_mpi,
    &gf_opts_common, NULL};

const struct gf_command gf_command_plan = {
    .name = "plan",
    .operands = "IN|SHAPE|RANGE...",
    .summary = "what would run: backend, passes, bytes, memory",
    .launched = true,
    .groups = groups,
    .text = true,
    .examples = "  gpufft plan scene.png\n"
                "  gpufft plan scene.png --lowpass=20px --edges=mirror\n"
                "  gpufft plan 64x512x512 --type=u16 --kind=complex --out=x.npy\n"
                "  gpufft plan 4096x4096 --transform=dwt --levels=3\n"
                "  gpufft plan 2^10..2^20 --step=primes\n"
                "  gpufft plan 4096x4096 --backend=cuda --assume=h200\n"
                "  gpufft plan 512x512x512 --kind=complex --ranks=16 --link=12.5\n",
    .run = run,
};
