/* gpufft plan: what would run, and what it needs, without running it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "cli/backend_options.h"
#include "cli/command.h"
#include "cli/commands/planes.h"
#include "cli/commands/plan_assume.h"
#include "cli/commands/plan_bus.h"
#include "cli/commands/plan_parts.h"
#include "cli/commands/plan_ranks.h"
#include "cli/commands/plan_shares.h"
#include "cli/commands/plan_slabs.h"
#include "cli/filter/files.h"
#include "cli/filter/make.h"
#include "cli/filter/options.h"
#include "cli/log.h"
#include "cli/shapes.h"
#include "cli/batch/ranks.h"
#include "cli/batch/report.h"
#include "cli/batch/slabs.h"
#include "core/base/memory.h"
#include "core/base/range_planes.h"
#include "core/base/status.h"
#include "core/session/record.h"

/* Shapes, or a range of them; a file of that name comes first. */
static bool is_shape(const char *text) {
    struct stat st;
    return gf_shape_looks_like_one(text) && stat(text, &st);
}

/* An image without samples, of a shape that was typed. */
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
                       gf_shape_text(shape, text), n - channels);
    if (!channels)
        extent[n++] = 1;
    rc = gf_size_product(extent, n, (int64_t)gf_dtype_size(dtype), &bytes);
    if (rc)
        return rc;
    image->ndim = n - 1;
    image->px = gf_array_wrap(NULL, dtype, n, extent);
    image->color = extent[n - 1] == 1 ? GF_GRAY : extent[n - 1] == 3 ? GF_RGB : GF_OTHER_COLOR;
    return 0;
}

struct needs {
    int64_t in, out, workspace, moved, total;
    double cost;  /* of all passes, see struct gf_pass_info; 0: not known of each */
    double copy;  /* bytes a second */
    int64_t runs; /* of all passes */
    int passes;   /* those that walk over the data */
};

static double share_of(const struct gf_pass_info *pass) {
    return (double)(pass->bytes_read + pass->bytes_written) / pass->cost;
}

/* Page by page a full display range takes a walk of its own. */
static bool is_walked_twice(const struct gf_task *t) {
    bool full = false;
    for (int i = 0; i < t->job.n_out; i++)
        full = full || gf_output_is_full(&t->job.out[i]);
    return full && t->pages.at_once;
}

static struct needs sum_up(const struct gf_task *t) {
    struct needs n = {.workspace = t->runner->plan->workspace_bytes + gf_task_extra_bytes(t)};
    n.in = gf_task_in_bytes(t);
    n.out = gf_task_out_bytes(t);
    if (n.workspace < t->prepare_bytes - n.in - n.out)
        n.workspace = t->prepare_bytes - n.in - n.out;
    bool known = true;
    for (int i = 0; i < t->runner->plan->n_passes; i++) {
        const struct gf_pass_info *pass = &t->runner->plan->pass[i];
        n.moved += pass->bytes_read + pass->bytes_written;
        n.cost += pass->cost;
        known = known && pass->cost > 0;
    }
    n.runs = t->pages.at_once ? (t->job.shape[0] + t->pages.at_once - 1) / t->pages.at_once : 1;
    if (t->pages.at_once)
        n.moved = n.moved / t->pages.at_once * t->job.shape[0] * (1 + is_walked_twice(t));
    n.cost = known ? n.cost * (double)n.runs : 0;
    n.copy = gf_runner_copy_speed(t->runner);
    n.total = n.in + n.out + n.workspace;
    return n;
}

/* What a pass on a device is expected to take, or how near to copying it is where it is not known
 * how long that takes. */
static void print_expected(const struct gf_pass_info *pass, double copy) {
    if (pass->cost > 0 && copy > 0)
        printf(", expected %.3g ms", pass->cost / copy * 1e3);
    else if (pass->cost > 0)
        printf(", expected at %.0f%% of the copy bandwidth", 100 * share_of(pass));
    printf("\n");
}

static const char *direction_name(const struct gf_task *t) {
    return t->job.op == GF_FILTER           ? "filter"
           : t->job.direction == GF_FORWARD ? "forward"
                                            : "inverse";
}

/* A wavelet transform of a volume, in one walk without an exchange; false where it cannot. */
static bool plans_planes(const struct gf_task *t, struct gf_slab_plan *p) {
    struct gf_slab_wavelet w = {.memory_bytes = -1,
                                .bytes_read = gf_array_bytes(&t->image.px),
                                .bytes_written = gf_array_bytes(&t->product[0].image.px)};
    if (t->hooks == &gf_hooks_dwt)
        w.memory_bytes = gf_dwt_planes_bytes(t);
    else if (t->hooks == &gf_hooks_idwt && !gf_idwt_planes_plan(t, &w))
        w.memory_bytes = -1;
    *p = (struct gf_slab_plan){.n_walks = 1, .memory_bytes = w.memory_bytes};
    p->walk[0].what = "planes, all levels";
    p->walk[0].bytes_read = w.bytes_read;
    p->walk[0].bytes_written = w.bytes_written;
    return w.memory_bytes >= 0 && w.memory_bytes <= gf_runner_limit(t->runner);
}

/* How a job that does not fit runs, most of them with --scratch; false where it cannot. */
static bool plans_slabs(struct gf_task *t, const struct needs *n, struct gf_slab_plan *p) {
    if (n->total <= gf_runner_limit(t->runner))
        return false;
    return plans_planes(t, p) || (!gf_slabs_refuses(t) && !gf_slabs_describe(t, p));
}

/* Which measurements this run goes by. */
static void print_records(const struct gf_task *t) {
    const struct gf_plan_choice *c = &t->runner->plan->choice;
    char digest[GF_RECORD_DIGEST];
    if (t->s->tune && gf_record_digest(digest))
        printf("  records   %s\n", digest);
    if (c->kept)
        printf("  chosen    by measurement: %.4g ms, the estimate's plan %.4g ms\n", c->ms,
               c->estimate_ms);
}

/* How often the passes run, and what runs before the first of them. */
static void print_pages(const struct gf_task *t, int64_t runs) {
    const struct gf_job *job = &t->job;
    struct gf_range_planes r;
    if (!t->pages.at_once)
        return;
    printf("  pages     %lld, %lld at once: %lld runs of the passes below",
           (long long)job->shape[0], (long long)t->pages.at_once, (long long)runs);
    if (is_walked_twice(t))
        printf(", and as many before for the display range\n");
    else if (gf_job_samples(job) && !gf_range_planes_make(job, &r)) {
        printf(", and %lld pages before for the display range\n",
               (long long)gf_range_planes_count(&r));
        gf_range_planes_free(&r);
    } else {
        printf("\n");
    }
}

/* The device of --assume, which this plan is for. */
static void print_assumed(const struct gf_task *t) {
    const struct gf_gpu_props *p = gf_assumed();
    char memory[GF_SIZE_TEXT], local[GF_SIZE_TEXT];
    if (t->s->assume)
        printf("  assumed   %s, %s: %d compute units, %s, %s local memory\n", p->name, p->platform,
               p->units, gf_memory_text(p->memory, memory), gf_memory_text(p->local_bytes, local));
}

/* Beside the plan of the job: how others share it. */
struct sharing {
    struct gf_ranks_plan ranks;
    struct gf_plan_parts parts;
};

static void print_sharing(const struct sharing *s) {
    gf_plan_parts_print(&s->parts);
    if (s->ranks.ranks)
        gf_ranks_plan_print(&s->ranks);
}

static void print_plan(const char *name, struct gf_task *t, const struct sharing *sharing) {
    struct gf_slab_plan slabs;
    char a[GF_SIZE_TEXT], b[GF_SIZE_TEXT], c[GF_SIZE_TEXT];
    const struct gf_plan *plan = t->runner->plan;
    struct needs n = sum_up(t);
    gf_log_heading(name);
    printf("  transform ");
    for (int i = 0; i < t->job.ndim; i++)
        printf("%s%lld%s", i ? "x" : "", (long long)t->job.shape[i],
               t->job.axes >> i & 1 ? "" : " (not transformed) ");
    printf(", %lld channel%s, %s, %s, %s precision\n", (long long)t->job.channels,
           t->job.channels == 1 ? "" : "s", gf_dtype_name(t->job.in_dtype), direction_name(t),
           t->job.precision == GF_DOUBLE ? "double" : "single");
    if (t->job.op == GF_DWT)
        printf("  wavelet   d4, %d level%s, %s\n", t->job.wavelet.levels,
               t->job.wavelet.levels == 1 ? "" : "s", gf_boundary_name(t->job.wavelet.boundary));
    for (int i = 0; i < t->job.n_out; i++)
        printf("  output    %s, %s, %s\n", gf_kind_name(t->product[i].kind),
               gf_dtype_name(t->job.out[i].dtype), t->product[i].format->name);
    printf("  backend   %s (%s)\n", gf_runner_name(t->runner), t->runner->why);
    print_assumed(t);
    print_records(t);
    print_pages(t, n.runs);
    for (int i = 0; i < plan->n_passes; i++) {
        if (plan->pass[i].part)
            printf("  beside    ");
        else
            printf("  %s %-4d ", plan->in_slabs ? "walk" : "pass", ++n.passes);
        printf("%s\n            reads %s, writes %s", plan->pass[i].what,
               gf_memory_text(plan->pass[i].bytes_read, a),
               gf_memory_text(plan->pass[i].bytes_written, b));
        print_expected(&plan->pass[i], n.copy);
    }
    printf("  moved     %s in %d %s%s", gf_memory_text(n.moved, a), n.passes,
           plan->in_slabs ? "walk" : "pass",
           n.passes == 1    ? ""
           : plan->in_slabs ? "s"
                            : "es");
    if (n.copy > 0 && n.cost > 0)
        printf(", expected %.3g ms; the device copies %.0f GB/s", n.cost / n.copy * 1e3,
               n.copy * 1e-9);
    printf("\n");
    if (plan->in_slabs)
        gf_plan_bus_print(t->runner);
    gf_plan_shares_print(plan);
    if (!plan->n_shares && plan->device_bytes)
        printf("  device    %s of its memory\n", gf_memory_text(plan->device_bytes, a));
    printf("  memory    %s: input %s, output %s", gf_memory_text(n.total, a),
           gf_memory_text(n.in, b), gf_memory_text(n.out, c));
    const bool serves = plans_slabs(t, &n, &slabs), fits = n.total <= gf_runner_limit(t->runner);
    printf(", workspace %s; limit %s%s\n", gf_memory_text(n.workspace, a),
           gf_memory_text(gf_runner_limit(t->runner), b),
           fits                              ? ""
           : serves && !slabs.exchange_bytes ? ": plane by plane"
           : serves && t->s->scratch         ? ": in slabs"
                                             : ": would be refused");
    if (serves)
        gf_plan_slabs_print(t, &slabs);
    print_sharing(sharing);
}

static json_t *json_passes(const struct gf_plan *plan, double copy) {
    json_t *passes = json_array();
    for (int i = 0; i < plan->n_passes; i++) {
        json_t *pass = json_object();
        json_object_set_new(pass, "what", gf_json_text(plan->pass[i].what));
        json_object_set_new(pass, "bytes_read", json_integer(plan->pass[i].bytes_read));
        json_object_set_new(pass, "bytes_written", json_integer(plan->pass[i].bytes_written));
        if (plan->pass[i].cost > 0)
            json_object_set_new(pass, "copy_share", json_real(share_of(&plan->pass[i])));
        if (plan->pass[i].cost > 0 && copy > 0)
            json_object_set_new(pass, "expected_ms", json_real(plan->pass[i].cost / copy * 1e3));
        if (plan->pass[i].part)
            json_object_set_new(pass, "part", json_true());
        json_array_append_new(passes, pass);
    }
    return passes;
}

static void print_json(const char *name, struct gf_task *t, const struct sharing *sharing) {
    struct gf_slab_plan slabs;
    const struct gf_plan *plan = t->runner->plan;
    struct needs n = sum_up(t);
    json_t *o = json_object();
    json_object_set_new(o, "in", gf_json_text(name));
    json_object_set_new(o, "shape", gf_json_shape(t->job.shape, t->job.ndim));
    json_object_set_new(o, "channels", json_integer(t->job.channels));
    json_object_set_new(o, "type", json_string(gf_dtype_name(t->job.in_dtype)));
    json_object_set_new(o, "direction", json_string(direction_name(t)));
    if (t->job.op == GF_DWT) {
        json_object_set_new(o, "wavelet", json_string("d4"));
        json_object_set_new(o, "levels", json_integer(t->job.wavelet.levels));
        json_object_set_new(o, "boundary", json_string(gf_boundary_name(t->job.wavelet.boundary)));
    }
    json_object_set_new(o, "precision",
                        json_string(t->job.precision == GF_DOUBLE ? "double" : "single"));
    json_object_set_new(o, "backend", json_string(gf_runner_name(t->runner)));
    json_object_set_new(o, "why", gf_json_text(t->runner->why));
    if (t->s->assume)
        json_object_set_new(o, "assumed", gf_json_text(t->s->assume));
    char digest[GF_RECORD_DIGEST];
    if (t->s->tune && gf_record_digest(digest))
        json_object_set_new(o, "records", json_string(digest));
    if (plan->choice.kept) {
        json_object_set_new(o, "measured_ms", json_real(plan->choice.ms));
        json_object_set_new(o, "estimate_ms", json_real(plan->choice.estimate_ms));
    }
    json_object_set_new(o, "passes", json_passes(plan, n.copy));
    if (t->pages.at_once)
        json_object_set_new(o, "pages_at_once", json_integer(t->pages.at_once));
    json_object_set_new(o, "bytes_moved", json_integer(n.moved));
    json_object_set_new(o, "bytes_in", json_integer(n.in));
    json_object_set_new(o, "bytes_out", json_integer(n.out));
    json_object_set_new(o, "bytes_workspace", json_integer(n.workspace));
    json_object_set_new(o, "bytes_needed", json_integer(n.total));
    json_object_set_new(o, "bytes_limit", json_integer(gf_runner_limit(t->runner)));
    if (plans_slabs(t, &n, &slabs))
        json_object_set_new(o, "scratch", gf_plan_slabs_json(t, &slabs));
    if (plan->in_slabs)
        json_object_set_new(o, "bus", gf_plan_bus_json(t->runner));
    if (plan->times.devices)
        json_object_set_new(o, "times", gf_plan_times_json(&plan->times));
    if (plan->n_shares)
        json_object_set_new(o, "devices", gf_plan_shares_json(plan));
    if (plan->device_bytes)
        json_object_set_new(o, "bytes_device", json_integer(plan->device_bytes));
    if (n.copy > 0)
        json_object_set_new(o, "device_copy_gb_s", json_real(n.copy * 1e-9));
    gf_plan_parts_add(&sharing->parts, o);
    if (sharing->ranks.ranks)
        json_object_set_new(o, "shared", gf_ranks_plan_json(&sharing->ranks));
    gf_json_print(o);
}

static bool is_filter(const struct gf_settings *s) {
    return s->filter.n_parts || s->filter.auto_notch || s->filter.descreen.on;
}

/* The transform that was named; else a recorded file is planned as its inverse, anything else as a
 * filter, if there is one, or a forward FFT. */
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
    bool wavelet = !gf_record_parse(image->record, &record) && record.version == GF_RECORD_WAVELET;
    return wavelet ? &gf_hooks_idwt : &gf_hooks_forward;
}

/* What begins like a shape, and is no file either. */
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
    struct gf_task t = {
        .s = s, .targets = targets, .runner = runner, .read = &name, .name = name, .n_read = 1};
    int rc =
        shape ? image_from_shape(s, shape, &t.image) : gf_load_picture(s, name, true, &t.image);
    if (rc && !shape)
        rc = fail_operand(rc, name);
    struct gf_targets own = *targets;
    t.hooks = transform_of(s, &t.image);
    if (!rc && t.hooks != &gf_hooks_forward && !is_filter(s)) {
        for (int i = 0; i < own.n && s->kind == GF_UNSET; i++)
            own.target[i].kind = GF_REAL;
        t.targets = &own;
    }
    if (!rc)
        rc = gf_task_plan(&t);
    struct sharing sharing = {.ranks = {.ranks = 0}};
    if (!rc && s->ranks)
        rc = gf_ranks_plan(&t.job, sum_up(&t).moved, s->ranks, s->link * 1e9,
                           gf_settings_threads(s), &sharing.ranks);
    if (!rc)
        rc = gf_plan_parts(&t, &sharing.parts);
    if (!rc)
        (s->json ? print_json : print_plan)(gf_log_name(name), &t, &sharing);
    gf_task_free(&t);
    return rc;
}

/* A file, a shape, or all shapes of a range. */
static int plan_operand(struct gf_settings *s, struct gf_runner *runner,
                        const struct gf_targets *targets, char *name) {
    struct gf_shapes shapes = {0};
    char text[GF_SHAPE_TEXT];
    if (!is_shape(name))
        return plan_one(s, runner, targets, name, NULL);
    int rc = gf_shapes_add(&shapes, name, (enum gf_step)s->step);
    for (int i = 0; i < shapes.n && !rc; i++) {
        gf_shape_text(&shapes.shape[i], text);
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
    if (wavelet && (s->half || s->color || s->norm != GF_UNSET))
        return gf_fail(GF_EUSAGE, "--norm, --half and --color belong to an FFT");
    return 0;
}

static int check_ranks(const struct gf_settings *s) {
    return !s->ranks == !(s->link > 0)
               ? 0
               : gf_fail(GF_EUSAGE, "--ranks=P and --link=GB/s need each other");
}

/* What a session's options point to, as long as it. */
struct devices {
    struct gf_deal_device first;
    char *list;
};

/* On the device of --assume where one is named, or on those of a list. */
static int open_session(const struct gf_settings *s, struct gf_session *session,
                        struct devices *devices) {
    static const struct gf_backend *list[2]; /* as long as the session */
    struct gf_assumed_device device;
    if (!s->assume && gf_deal_is_list(s->backend, s->device))
        return gf_session_open_together(s, session, &devices->first, &devices->list);
    int rc = s->assume ? gf_plan_assume(s, &device) : 0;
    if (!rc && s->assume)
        rc = gf_assume_backend(s->backend, &device, &list[0]);
    return rc ? rc : gf_session_open_among(s, s->assume ? list : NULL, session);
}

/* The worst exit code of all. */
static int plan_operands(struct gf_settings *s, struct gf_session *session,
                         const struct gf_targets *targets, char **operands, int n) {
    struct gf_runner runner;
    int rc, worst;
    gf_runner_open(&runner, session, s->threads);
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
    struct gf_targets targets;
    struct gf_session session;
    struct devices devices = {.list = NULL};
    int worst = 0, rc = 0;
    bool further = false, any_output;
    for (int k = 0; k < GF_N_KINDS; k++)
        further = further || s->further[k];
    any_output = s->out || further;
    s->plan_only = true;
    if (!gf_ranks_prints(s, operands, n))
        return 0;
    bool wavelet = s->plan_transform > GF_PLAN_FFT;
    if (!any_output && is_filter(s))
        s->out = "tiff:plan.tif"; /* which holds all types */
    else if (!any_output)         /* then it is a picture to look at, if it can be one */
        s->out =
            wavelet || s->kind == GF_COMPLEX || s->depth == 32 ? "npy:plan.npy" : "png:plan.png";
    rc = gf_settings_check(s);
    if (!rc)
        rc = check_ranks(s);
    if (!rc)
        rc = check_wavelet(s);
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
        rc = open_session(s, &session, &devices);
    if (rc) {
        gf_log_error("plan: %s", gf_message());
        free(devices.list);
        return gf_exit_code(rc);
    }
    worst = plan_operands(s, &session, &targets, operands, n);
    gf_session_close(&session);
    free(devices.list);
    gf_filter_forget();
    gf_filter_free_files(s);
    return worst;
}

static const char *const transforms[] = {"fft", "dwt", "idwt", NULL}; /* as enum gf_plan_of */

static const struct gf_opt plan_rows[] = {
    GF_CHOICE("transform", plan_transform, "NAME", transforms,
              "fft, dwt or idwt (default: fft; for a file with a record, its inverse)"),
    GF_TEXT("assume", assume, "FILE|NAME",
            "plan for a device that need not be here: one that `gpufft devices --json` printed to "
            "FILE, or h200; with --backend=cuda or opencl"),
    GF_INTEGER("ranks", ranks, "P", 1, 1 << 20,
               "also predict a run of P machines like this one (mpirun), with --link"),
    GF_CHOICE("step", step, "NAME", gf_steps,
              "the sizes of a range A..B: 2x (default), 7smooth, primes"),
    GF_END,
};
static const struct gf_opt_group plan_group = {"What is planned", plan_rows};

static const struct gf_opt_group *const groups[] = {&plan_group,
                                                    &gf_opts_link,
                                                    &gf_opts_levels,
                                                    &gf_opts_out,
                                                    &gf_opts_spectrum_kind,
                                                    &gf_opts_further,
                                                    &gf_opts_depth_display,
                                                    &gf_opts_files,
                                                    &gf_opts_axes,
                                                    &gf_opts_norm,
                                                    &gf_opts_precision,
                                                    &gf_opts_color,
                                                    &gf_opts_half,
                                                    &gf_opts_display,
                                                    &gf_opts_filter,
                                                    &gf_opts_raw,
                                                    &gf_opts_skip,
                                                    &gf_opts_backend,
                                                    &gf_opts_peer,
                                                    &gf_opts_memory,
                                                    &gf_opts_scratch,
                                                    &gf_opts_mpi,
                                                    &gf_opts_common,
                                                    NULL};

const struct gf_command gf_command_plan = {
    .name = "plan",
    .operands = "IN|SHAPE|RANGE...",
    .summary = "what would run: backend, passes, bytes, memory",
    .launched = true,
    .groups = groups,
    .text = true,
    .examples = "  gpufft plan scene.png\n"
                "  gpufft plan scene.png --lowpass=30 --edges=mirror\n"
                "  gpufft plan 64x512x512 --type=u16 --kind=complex --out=x.npy\n"
                "  gpufft plan 4096x4096 --transform=dwt --levels=3\n"
                "  gpufft plan 2^10..2^20 --step=primes\n"
                "  gpufft plan 4096x4096 --backend=cuda --assume=h200\n"
                "  gpufft plan 512x512x512 --kind=complex --ranks=16 --link=12.5\n",
    .run = run,
};
