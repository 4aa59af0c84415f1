/* Reports a plan: passes, traffic, memory, and who shares the work. */
#include "cli/commands/plan.h"

#include <math.h>
#include <stdlib.h>

#include "cli/batch/slabs.h"
#include "cli/commands/planes.h"
#include "cli/environment.h"
#include "cli/log.h"
#include "core/engine/speeds.h"

struct needs {
    int64_t in, out, workspace, moved, total;
    double cost;  /* of all passes, see struct gf_pass_info; 0: some are unknown */
    double copy;  /* bytes a second */
    int64_t runs; /* of all passes */
    bool planes;  /* plane by plane, even if memory holds all */
};

static bool is_dwt(const struct gf_task *t) {
    return t->op.job.op == GF_DWT && t->op.job.direction == GF_FORWARD;
}

/* True if a full display range takes a separate walk over the pages. */
static bool is_walked_twice(const struct gf_task *t) {
    return gf_task_at_once(t) && gf_job_is_full(&t->op.job);
}

static struct needs sum_up(const struct gf_task *t) {
    const struct gf_plan *plan = t->op.crew.runner->plan;
    struct needs n = {.in = gf_task_in_bytes(t), .out = gf_task_out_bytes(t)};
    n.workspace =
        gf_max(plan->workspace_bytes + gf_task_extra_bytes(t), t->op.prepare_bytes - n.in - n.out);
    n.moved = gf_pass_bytes(plan->pass, plan->n_passes);
    bool known = true;
    for (int i = 0; i < plan->n_passes; i++) {
        n.cost += plan->pass[i].cost;
        known = known && plan->pass[i].cost > 0;
    }
    n.runs = gf_task_at_once(t) ? gf_divide_up(t->op.job.shape[0], gf_task_at_once(t)) : 1;
    if (gf_task_at_once(t))
        n.moved = n.moved / gf_task_at_once(t) * t->op.job.shape[0] * (1 + is_walked_twice(t));
    n.cost = known ? n.cost * (double)n.runs : 0;
    n.copy = gf_runner_copy_speed(t->op.crew.runner);
    const int64_t planes = is_dwt(t) ? gf_dwt_planes_bytes(t, false) : -1;
    n.planes = planes >= 0;
    if (n.planes) {
        n.in = n.out = 0;
        n.workspace = planes;
    }
    n.total = n.in + n.out + n.workspace;
    return n;
}

static const char *direction_name(const struct gf_task *t) {
    return t->op.job.op == GF_FILTER           ? "filter"
           : t->op.job.direction == GF_FORWARD ? "forward"
                                               : "inverse";
}

/* Plans a wavelet transform plane by plane, in one walk without an exchange; false if
 * impossible. */
static bool plans_planes(const struct gf_task *t, struct gf_slab_plan *p) {
    struct gf_slab_wavelet w = {.memory_bytes = -1,
                                .bytes_read = gf_array_bytes(&t->image.px),
                                .bytes_written = gf_array_bytes(&t->product[0].image.px)};
    if (is_dwt(t))
        w.memory_bytes = gf_dwt_planes_bytes(t, true);
    else if (t->op.job.op == GF_DWT && !gf_idwt_planes_plan(t, &w))
        w.memory_bytes = -1;
    const int looks = gf_dwt_survey_walks(&t->op.job);
    *p = (struct gf_slab_plan){.n_walks = 1,
                               .memory_bytes = w.memory_bytes,
                               .walk = {{.what = "planes, all levels",
                                         .bytes_read = w.bytes_read,
                                         .bytes_written = w.bytes_written}}};
    if (looks)
        gf_slab_plan_look(p, looks * gf_array_bytes(&t->image.px),
                          is_dwt(t) ? "planes, all levels, for what all coefficients decide"
                                    : "planes, for the threshold's limit");
    return w.memory_bytes >= 0 && w.memory_bytes <= gf_runner_limit(t->op.crew.runner);
}

/* Plans a job that does not fit memory; false if it fits or cannot run in slabs. */
static bool plans_slabs(struct gf_task *t, const struct needs *n, struct gf_slab_plan *p) {
    if (n->total <= gf_runner_limit(t->op.crew.runner) && !n->planes)
        return false;
    return plans_planes(t, p) || (!gf_slabs_refuses(t) && !gf_slabs_describe(t, p));
}

/* Returns the pages read before the first pass for an automatic display range; 0: none, or all. */
static int64_t pages_before(const struct gf_task *t) {
    struct gf_ranges r;
    int64_t n = 0;
    if (is_walked_twice(t) || !gf_job_samples(&t->op.job))
        return 0;
    if (!gf_ranges_open(&t->op.job, GF_RANGES_WHOLE, &r))
        for (int64_t z = 0; (z = gf_ranges_next_page(&r, z)) >= 0; z++)
            n++;
    gf_ranges_close(&r);
    return n;
}

/* Bytes between host and device, and their least time: a walk moves both ways at once. */
static json_t *bus_report(struct gf_runner *r) {
    const struct gf_plan *plan = r->plan;
    int64_t up = 0, down = 0;
    double speed[2], floor = 0; /* bytes a second, 0: unknown; seconds */
    gf_runner_bus_speed(r, speed);
    for (int i = 0; i < plan->n_passes; i++) {
        const struct gf_pass_info *p = &plan->pass[i];
        if (p->host)
            continue;
        up += p->bytes_read;
        down += p->bytes_written;
        floor += fmax((double)p->bytes_read / speed[0], (double)p->bytes_written / speed[1]);
    }
    const bool known = speed[0] > 0 && speed[1] > 0;
    if (plan->n_shares) /* each has its own bus */
        floor /= plan->n_shares;
    return GF_REPORT(GF_KEY("bytes_up", up), GF_KEY("bytes_down", down),
                     GF_KEY_IF(known, "up_gb_s", speed[0] * 1e-9),
                     GF_KEY_IF(known, "down_gb_s", speed[1] * 1e-9),
                     GF_KEY_IF(known, "least_ms", floor * 1e3));
}

/* ---- several devices ---- */

static json_t *times_report(const struct gf_plan_times *t) {
    return GF_REPORT(
        GF_KEY("count", t->devices), GF_KEY("one_ms", t->one * 1e3),
        GF_KEY("several_ms", t->several * 1e3), GF_KEY("up_gb_s", t->rates.bus[0] * 1e-9),
        GF_KEY("down_gb_s", t->rates.bus[1] * 1e-9), GF_KEY("bus_assumed", t->bus_assumed),
        GF_KEY("link_gb_s", t->rates.link * 1e-9), GF_KEY("link_assumed", t->link_assumed));
}

/* "pages 0 to 255", "no page" */
static const char *span_text(const char *one, struct gf_span s, char text[64]) {
    snprintf(text, 64, s.count ? "%ss %lld to %lld" : "no %s", one, (long long)s.first,
             (long long)(s.first + s.count - 1));
    return text;
}

static json_t *span_report(struct gf_span s) {
    return gf_json_shape((int64_t[]){s.first, s.count}, 2);
}

/* Adds the devices that share the plan, and the bytes that pass between its steps. */
static json_t *add_shares(json_t *level, const struct gf_plan *plan) {
    json_t *list = plan->n_shares ? json_array() : NULL;
    char pages[64], bins[64];
    int64_t sent = 0;
    bool direct = true;
    for (int i = 0; i < plan->n_shares; i++) {
        const struct gf_plan_share *s = &plan->share[i];
        GF_APPEND(list, GF_KEY("device", s->device), GF_KEY("pages", span_report(s->pages)),
                  GF_KEY(".its_pages", span_text("page", s->pages, pages)),
                  GF_KEY("bins", span_report(s->bins)),
                  GF_KEY(".its_bins", span_text("bin", s->bins, bins)),
                  GF_KEY("bytes_device", s->bytes), GF_KEY("bytes_sent", s->sent),
                  GF_KEY("direct", s->direct));
        sent += s->sent;
        direct = direct && s->direct;
    }
    return GF_ADD(level, GF_KEY_IF(plan->n_shares, "devices", list), GF_KEY(".exchange", sent),
                  GF_KEY(".way", direct ? "from device to device" : "through the host's memory"));
}

/* ---- the steps of a level: passes, or walks and what their workers run ---- */

/* Lists the passes of that walk; 0: those of a plan, or its walks. */
static json_t *list_steps(const struct gf_pass_info *pass, int n, int walk, double copy) {
    json_t *steps = json_array();
    int number = 0;
    for (const struct gf_pass_info *p = pass; p < pass + n; p++) {
        if (p->walk != walk)
            continue;
        number += !p->part;
        GF_APPEND(steps, GF_KEY("what", p->what), GF_KEY("bytes_read", p->bytes_read),
                  GF_KEY("bytes_written", p->bytes_written), GF_KEY(".number", number),
                  GF_KEY_IF(p->cost > 0, "copy_share",
                            (double)(p->bytes_read + p->bytes_written) / p->cost),
                  GF_KEY_IF(p->cost > 0 && copy > 0, "expected_ms", p->cost / copy * 1e3),
                  GF_TRUE_IF(p->part, "part"));
    }
    return steps;
}

/* Makes step i a walk, with who runs it and by which steps; `own` NULL: it only copies. */
static void add_workers(json_t *steps, int i, const char *kind, int count,
                        const struct gf_runner *r, json_t *own) {
    json_t *workers = GF_REPORT(GF_KEY("kind", kind), GF_KEY("count", count ? count : 1),
                                GF_KEY("backend", gf_runner_name(r)), GF_KEY_IF(own, "steps", own));
    GF_ADD(json_array_get(steps, (size_t)i), GF_TRUE_IF(true, ".walk"), GF_KEY("workers", workers));
}

/* Lists the runner's plan: passes, or walks through its devices, which run passes. */
static json_t *list_plan(struct gf_runner *r) {
    const struct gf_plan *plan = r->plan;
    const double copy = gf_runner_copy_speed(r);
    json_t *steps = list_steps(plan->pass, plan->n_passes, 0, copy);
    for (int i = 0; i < plan->n_passes && plan->in_slabs; i++)
        add_workers(steps, i, "device", plan->n_shares, r,
                    plan->n_inner ? list_steps(plan->inner, plan->n_inner, i + 1, copy) : NULL);
    return steps;
}

/* Adds the walks that divide a task among ranks or through a scratch file, each with what the backend
 * runs for its largest part. Replaces the runner's plan. */
static json_t *add_walks(json_t *level, const struct gf_task *t, const struct gf_slab_plan *p) {
    struct gf_runner *r = t->op.crew.runner;
    json_t *walks = list_steps(p->walk, p->n_walks, 0, 0);
    for (int i = 0; i < p->n_walks; i++) {
        struct gf_job job;
        const bool runs =
            p->exchange_bytes && gf_slab_part_job(p, i, &job) && !gf_runner_plan(r, &job);
        add_workers(walks, i, p->members ? "rank" : "backend", p->members, r,
                    runs ? list_plan(r) : NULL);
    }
    return GF_ADD(level, GF_KEY("walks", walks), GF_KEY(".n", p->n_walks),
                  GF_TRUE_IF(true, ".in_walks"), GF_KEY("bytes_moved", gf_slab_bytes_moved(p)),
                  GF_KEY(".exchange", p->members ? p->sent_bytes : p->exchange_bytes),
                  GF_KEY(".way", p->members ? "from each rank" : "in the scratch file"));
}

/* ---- larger than memory: walks over a disk or planes ---- */

static json_t *slabs_report(const struct gf_task *t, const struct gf_slab_plan *p) {
    char text[GF_SLAB_TEXT];
    char *folder = gf_slabs_folder(t);
    const double speed = folder ? gf_speeds_of_disk(gf_environment(), folder) : 0;
    const int64_t cut[2] = {p->pages, p->rows};
    free(folder);
    return GF_REPORT(GF_KEY("slabs", p->n_slabs), GF_KEY("blocks", p->n_blocks),
                     GF_KEY_IF(p->line, "cut", gf_json_shape(cut, 2)), GF_KEY(".pages", p->pages),
                     GF_KEY(".rows", p->rows), GF_KEY(".slab_pages", p->slab_pages),
                     GF_KEY_IF(p->exchange_bytes, ".text", gf_slab_text(p, text)),
                     GF_TRUE_IF(true, ".disk"), GF_KEY("bytes_scratch", p->exchange_bytes),
                     GF_KEY("bytes_needed", p->memory_bytes),
                     GF_KEY_IF(speed > 0, "disk_mb_s", speed * 1e-6),
                     GF_KEY_IF(speed > 0, "least_s", (double)gf_slab_bytes_moved(p) / speed));
}

/* ---- the whole ---- */

static json_t *outputs_report(const struct gf_task *t) {
    json_t *list = json_array();
    for (int i = 0; i < t->op.job.n_out; i++)
        GF_APPEND(list, GF_KEY("kind", gf_kind_name(t->product[i].kind)),
                  GF_KEY("type", gf_dtype_name(t->op.job.out[i].dtype)),
                  GF_KEY("format", t->product[i].format->name));
    return list;
}

/* Reports the device of --assume. */
static json_t *assumed_report(const struct gf_request *w) {
    struct gf_gpu_props p;
    gf_backend_device(gf_environment(), w->device->backend, NULL, &p);
    return GF_REPORT(GF_KEY("name", p.name), GF_KEY("platform", p.platform),
                     GF_KEY("units", p.units), GF_KEY("memory", p.memory),
                     GF_KEY("local", p.local_bytes));
}

static json_t *what_report(const char *name, const struct gf_task *t) {
    const struct gf_job *job = &t->op.job;
    const struct gf_plan_choice *c = &t->op.crew.runner->plan->choice;
    const bool wavelet = job->op == GF_DWT;
    char digest[GF_SPEEDS_DIGEST], shape[GF_SHAPE_TEXT];
    gf_shape_mark(job->shape, job->ndim, job->axes, " (not transformed) ", shape);
    const int64_t volumes = t->reader.series ? gf_file_pick(t->reader.file[0])->images : 1;
    return GF_REPORT(
        GF_KEY("in", name), GF_KEY("shape", gf_json_shape(job->shape, job->ndim)),
        GF_KEY(".shape_said", shape), GF_KEY_IF(volumes > 1, "volumes", volumes),
        GF_KEY("channels", job->channels), GF_KEY("type", gf_dtype_name(job->in_dtype)),
        GF_KEY("direction", direction_name(t)),
        GF_KEY_IF(wavelet, "wavelet", gf_wavelet_names[job->wavelet.name]),
        GF_KEY_IF(wavelet, "levels", job->wavelet.levels),
        GF_KEY_IF(wavelet, "boundary", gf_boundary_name(job->wavelet.boundary)),
        GF_KEY("precision", job->precision == GF_DOUBLE ? "double" : "single"),
        GF_KEY(".outputs", outputs_report(t)), GF_KEY("backend", gf_runner_name(t->op.crew.runner)),
        GF_KEY("why", t->op.crew.runner->why), GF_KEY_IF(t->s->assume, "assumed", t->s->assume),
        GF_KEY_IF(t->s->assume, ".device", assumed_report(&t->s->request)),
        GF_KEY_IF(t->s->tune && gf_speeds_digest(gf_environment(), digest), "records", digest),
        GF_KEY_IF(c->kept, "measured_ms", c->ms),
        GF_KEY_IF(c->kept, "estimate_ms", c->estimate_ms));
}

/* Reports the whole. `slabs`: those that serve if it does not fit, or NULL. */
static json_t *whole_report(const char *name, const struct gf_task *t, const struct needs *n,
                            const struct gf_slab_plan *slabs) {
    struct gf_runner *r = t->op.crew.runner;
    const struct gf_plan *plan = r->plan;
    const int64_t limit = gf_runner_limit(r), pages = gf_task_at_once(t);
    int passed = 0; /* passes over the data */
    for (int i = 0; i < plan->n_passes; i++)
        passed += !plan->pass[i].part;
    return GF_ADD(
        add_shares(what_report(name, t), plan), GF_KEY("passes", list_plan(r)),
        GF_KEY_IF(pages, "pages_at_once", pages), GF_KEY_IF(pages, ".pages", t->op.job.shape[0]),
        GF_KEY_IF(pages, ".runs", n->runs), GF_KEY_IF(pages, ".twice", is_walked_twice(t)),
        GF_KEY_IF(pages, ".before", pages_before(t)), GF_KEY(".n", passed),
        GF_BOOL(".one", passed == 1), GF_KEY(".in_walks", plan->in_slabs),
        GF_KEY("bytes_moved", n->moved), GF_KEY("bytes_in", n->in), GF_KEY("bytes_out", n->out),
        GF_KEY("bytes_workspace", n->workspace), GF_KEY("bytes_needed", n->total),
        GF_KEY("bytes_limit", limit),
        GF_KEY(".outcome", slabs && !slabs->exchange_bytes ? ": plane by plane"
                           : n->total <= limit             ? ""
                           : slabs && t->s->scratch        ? ": in slabs"
                                                           : ": would be refused"),
        GF_KEY_IF(plan->in_slabs, "bus", bus_report(r)),
        GF_KEY_IF(plan->times.devices, "times", times_report(&plan->times)),
        GF_KEY_IF(plan->device_bytes, "bytes_device", plan->device_bytes),
        GF_KEY_IF(n->copy > 0, "device_copy_gb_s", n->copy * 1e-9),
        GF_KEY_IF(n->copy > 0 && n->cost > 0, ".all_ms", n->cost / n->copy * 1e3));
}

/* Each level has its parts, steps, bytes moved, exchange and memory: the whole and, if it is divided,
 * parts for devices, walks through a scratch file, ranks. */
static const char form[] =
    "{*levels {?shape_said   transform {shape_said}, {channels#channel}, {type}, {direction}, "
    "{precision} precision\n"
    "{?volumes   volumes   {volumes}, one after the other; the plan is that of each\n}"
    "{?wavelet   wavelet   {wavelet}, {levels#level}, {boundary}\n}"
    "{*outputs   output    {kind}, {type}, {format}\n}"
    "  backend   {backend} ({why})\n"
    "{*device   assumed   {name}, {platform}: {units} compute units, {memory:B}, {local:B} local "
    "memory\n}"
    "{?records   records   {records}\n}"
    "{?measured_ms   chosen    by measurement: {measured_ms:.4g} ms, the estimate's plan "
    "{estimate_ms:.4g} ms\n}"
    "{?pages_at_once   pages     {pages}, {pages_at_once} at once: {runs} runs of the passes below"
    "{?twice , and as many before for the display range|"
    "{?before , and {before} pages before for the display range}}\n}}"
    "{?parts   shared    {parts} parts of up to {planes} planes, and {beside} beside, which others "
    "read too\n}"
    "{?text   scratch   {text}; at most {slab_pages} in a slab{?cut ; the line is {pages} rows of "
    "{rows} points}\n|"
    "{?disk   planes    one after the other\n}}"
    "{?ranks   ranks     {ranks}, {link_gb_s:.3g} GB/s to and from each; memory copies "
    "{copy_gb_s:.3g} GB/s here\n}"
    "{*lines {at}{?part beside    |{?walk walk|pass} {number:-4d} }{what}\n"
    "{at}          reads {bytes_read:B}, writes {bytes_written:B}"
    "{?copy_share , expected {?expected_ms {expected_ms:.3g} ms|at {copy_share:.0f*100}% of the "
    "copy bandwidth}}\n}"
    "{?n {at}moved     {bytes_moved:B} in {?in_walks {n#walk}|{n} pass{?one |es}}"
    "{?all_ms , expected {all_ms:.3g} ms; the device copies {device_copy_gb_s:.0f} GB/s}"
    "{?disk ; {?least_s at least {least_s:.3g} s at the {disk_mb_s:.0f} MB/s of the disk's last "
    "run|"
    "the disk's speed is unknown}}\n}"
    "{*bus {at}bus       {bytes_up:B} to the device, {bytes_down:B} back; "
    "{?least_ms at least {least_ms:.3g} ms at {up_gb_s:.0f} GB/s there and {down_gb_s:.0f} GB/s "
    "back|its speed is unknown}\n}"
    "{*times {at}time      one device {one_ms:.3g} ms, {count} devices {several_ms:.3g} ms, which "
    "are opened first\n"
    "{at}          by a bus of {up_gb_s:.3g} GB/s there and {down_gb_s:.3g} back"
    "{?bus_assumed  (assumed)}, a link of {link_gb_s:.3g} GB/s{?link_assumed  (assumed)}\n}"
    "{?ranks {at}time      {expected_ms:.3g} ms: passes {passes_ms:.3g} ms, exchange "
    "{exchange_ms:.3g} ms; one process {alone_ms:.3g} ms\n}"
    "{*devices {at}device {device}  {?its_pages {its_pages}, {its_bins} of a page|"
    "{?known {parts#part}|as many parts as its first ones tell}}"
    "{?bytes_device ; {bytes_device:B} of its memory}{?its_pages , sends {bytes_sent:B}}"
    "{?bytes_host ; {bytes_host:B} of the host's}\n}"
    "{?exchange {at}exchange  {exchange:B}, {way}\n}"
    "{?devices |{?bytes_device {at}device    {bytes_device:B} of its memory\n}}"
    "{?bytes_needed {at}memory    {bytes_needed:B}{?bytes_limit : input {bytes_in:B}, output "
    "{bytes_out:B}, workspace {bytes_workspace:B}; limit {bytes_limit:B}{outcome}}"
    "{?ranks  a rank; at most {most_ranks} ranks have work; from {enough_ranks} on, twice as many "
    "save less than a tenth}\n}}";

/* Appends the steps and, indented below each, those of its workers. */
static void add_lines(json_t *lines, json_t *steps, const char *at) {
    char below[16];
    json_t *step;
    size_t i;
    snprintf(below, sizeof below, "%s  ", at);
    json_array_foreach(steps, i, step) {
        json_array_append(lines, GF_ADD(step, GF_KEY(".at", at)));
        add_lines(lines, json_object_get(json_object_get(step, "workers"), "steps"), below);
    }
}

/* Appends a level, unless it is NULL, whose steps are in the list of that key. */
static void add_level(json_t *levels, const char *at, json_t *level, const char *steps) {
    if (!level)
        return;
    json_t *lines = json_array();
    add_lines(lines, json_object_get(level, steps), at);
    json_array_append(levels, GF_ADD(level, GF_KEY(".at", at), GF_KEY(".lines", lines)));
}

/* The levels of a plan, as text prints them. */
static json_t *levels_of(json_t *o) {
    json_t *levels = json_array();
    add_level(levels, "  ", o, "passes");
    add_level(levels, "    ", json_object_get(o, "dealt"), "");
    add_level(levels, "    ", json_object_get(o, "scratch"), "walks");
    add_level(levels, "    ", json_object_get(o, "shared"), "walks");
    json_decref(o);
    return GF_REPORT(GF_KEY("levels", levels));
}

int gf_plan_print(const char *name, struct gf_task *t) {
    struct gf_slab_plan slabs, shared;
    const struct needs n = sum_up(t);
    const bool serves = plans_slabs(t, &n, &slabs);
    json_t *o = whole_report(name, t, &n, serves ? &slabs : NULL);
    json_t *dealt = NULL, *scratch = NULL, *ranks = NULL;
    int rc = gf_plan_dealt(t, &dealt);
    if (!rc)
        rc = gf_plan_ranks(t, n.moved, &shared, &ranks);
    /* From here on the runner's plans are those of parts. */
    if (!rc && serves)
        scratch = add_walks(slabs_report(t, &slabs), t, &slabs);
    if (!rc && ranks)
        add_walks(ranks, t, &shared);
    json_t *walks = json_object_get(ranks ? ranks : scratch, "walks");
    GF_ADD(o, GF_KEY("dealt", dealt), GF_KEY("scratch", scratch), GF_KEY("shared", ranks),
           GF_KEY_IF(json_array_size(walks), "steps", json_incref(walks)));
    if (rc) {
        json_decref(o);
        return rc;
    }
    if (!t->s->json)
        gf_log_heading(name);
    gf_report_print(t->s->json, form, t->s->json ? o : levels_of(o));
    return 0;
}
