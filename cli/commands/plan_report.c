/* Reports a plan: passes, traffic, memory, and who shares the work. */
#include "cli/commands/plan.h"

#include <math.h>
#include <stdlib.h>

#include "cli/batch/slabs.h"
#include "cli/commands/planes.h"
#include "cli/log.h"
#include "cli/report.h"
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
    struct needs n = {.in = gf_task_in_bytes(t), .out = gf_task_out_bytes(t)};
    n.workspace = gf_max(t->op.crew.runner->plan->workspace_bytes + gf_task_extra_bytes(t),
                         t->op.prepare_bytes - n.in - n.out);
    bool known = true;
    for (int i = 0; i < t->op.crew.runner->plan->n_passes; i++) {
        const struct gf_pass_info *pass = &t->op.crew.runner->plan->pass[i];
        n.moved += pass->bytes_read + pass->bytes_written;
        n.cost += pass->cost;
        known = known && pass->cost > 0;
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
    const int looks = gf_dwt_survey_walks(&t->op.job), last = looks > 0;
    *p = (struct gf_slab_plan){.n_walks = last + 1, .memory_bytes = w.memory_bytes};
    p->walk[0].what = is_dwt(t) ? "planes, all levels, for what all coefficients decide"
                                : "planes, for the threshold's limit";
    p->walk[0].bytes_read = looks * gf_array_bytes(&t->image.px);
    p->walk[last].what = "planes, all levels";
    p->walk[last].bytes_read = w.bytes_read;
    p->walk[last].bytes_written = w.bytes_written;
    return w.memory_bytes >= 0 && w.memory_bytes <= gf_runner_limit(t->op.crew.runner);
}

/* Plans a job that does not fit memory; false if it fits or cannot run in slabs. */
static bool plans_slabs(struct gf_task *t, const struct needs *n, struct gf_slab_plan *p) {
    if (n->total <= gf_runner_limit(t->op.crew.runner) && !n->planes)
        return false;
    return plans_planes(t, p) || (!gf_slabs_refuses(t) && !gf_slabs_describe(t, p));
}

int64_t gf_plan_moved(const struct gf_task *t) {
    return sum_up(t).moved;
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
    double speed[2], floor = 0; /* bytes a second; seconds; 0: unknown */
    gf_runner_bus_speed(r, speed);
    for (int i = 0; i < plan->n_passes; i++) {
        const struct gf_pass_info *p = &plan->pass[i];
        if (p->host)
            continue;
        up += p->bytes_read;
        down += p->bytes_written;
        if (speed[0] > 0 && speed[1] > 0)
            floor += fmax((double)p->bytes_read / speed[0], (double)p->bytes_written / speed[1]);
    }
    if (plan->n_shares) /* each has its own bus */
        floor /= plan->n_shares;
    return GF_REPORT(GF_KEY("bytes_up", up), GF_KEY("bytes_down", down),
                     GF_KEY_IF(floor > 0, "up_gb_s", speed[0] * 1e-9),
                     GF_KEY_IF(floor > 0, "down_gb_s", speed[1] * 1e-9),
                     GF_KEY_IF(floor > 0, "least_ms", floor * 1e3));
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

static json_t *shares_report(const struct gf_plan *plan) {
    json_t *list = json_array();
    char pages[64], bins[64];
    for (int i = 0; i < plan->n_shares; i++) {
        const struct gf_plan_share *s = &plan->share[i];
        GF_APPEND(list, GF_KEY("device", s->device), GF_KEY("pages", span_report(s->pages)),
                  GF_KEY(".its_pages", span_text("page", s->pages, pages)),
                  GF_KEY("bins", span_report(s->bins)),
                  GF_KEY(".its_bins", span_text("bin", s->bins, bins)),
                  GF_KEY("bytes_device", s->bytes), GF_KEY("bytes_sent", s->sent),
                  GF_KEY("direct", s->direct));
    }
    return list;
}

/* Sums the bytes that all devices send. */
static json_t *exchange_report(const struct gf_plan *plan) {
    int64_t sent = 0;
    bool direct = true;
    for (int i = 0; i < plan->n_shares; i++) {
        sent += plan->share[i].sent;
        direct = direct && plan->share[i].direct;
    }
    return sent ? GF_REPORT(GF_KEY("sent", sent), GF_KEY("direct", direct)) : NULL;
}

static json_t *parts_report(const struct gf_plan_parts *p) {
    json_t *devices = json_array();
    for (int i = 0; i < p->n_devices; i++) {
        const struct gf_plan_parts_device *d = &p->device[i];
        const bool known = d->parts >= 0;
        GF_APPEND(devices, GF_KEY("device", d->name), GF_KEY_IF(known, "parts", d->parts),
                  GF_KEY(".known", known), GF_KEY("bytes_device", d->bytes_device),
                  GF_KEY("bytes_host", d->bytes));
    }
    return GF_REPORT(GF_KEY("parts", p->n), GF_KEY("planes", p->most), GF_KEY("beside", p->beside),
                     GF_KEY("devices", devices));
}

static json_t *ranks_report(const struct gf_ranks_plan *p) {
    return GF_REPORT(GF_KEY("ranks", p->ranks), GF_KEY("link_gb_s", p->link * 1e-9),
                     GF_KEY("copy_gb_s", p->copy * 1e-9), GF_KEY("alone_ms", p->alone * 1e3),
                     GF_KEY("passes_ms", p->passes * 1e3), GF_KEY("exchange_ms", p->exchange * 1e3),
                     GF_KEY("expected_ms", p->together * 1e3), GF_KEY("bytes_sent", p->bytes_sent),
                     GF_KEY("bytes_needed", p->bytes_needed), GF_KEY("most_ranks", p->most),
                     GF_KEY("enough_ranks", p->enough));
}

/* ---- larger than memory: walks over a disk or planes ---- */

/* Returns the speed of the task's scratch or output folder; 0: unknown. */
static double disk_speed(const struct gf_task *t) {
    char *folder = gf_slabs_folder(t);
    double speed = folder ? gf_speeds_of_disk(folder) : 0;
    free(folder);
    return speed;
}

static json_t *slabs_report(const struct gf_task *t, const struct gf_slab_plan *p) {
    const double speed = disk_speed(t);
    const int64_t moved = gf_slab_bytes_moved(p), cut[2] = {p->pages, p->rows};
    json_t *walks = json_array();
    for (int i = 0; i < p->n_walks; i++)
        GF_APPEND(walks, GF_KEY(".number", i + 1), GF_KEY("what", p->walk[i].what),
                  GF_KEY("bytes_read", p->walk[i].bytes_read),
                  GF_KEY("bytes_written", p->walk[i].bytes_written));
    return GF_REPORT(GF_KEY("slabs", p->n_slabs), GF_KEY("blocks", p->n_blocks),
                     GF_KEY_IF(p->line, "cut", gf_json_shape(cut, 2)), GF_KEY(".pages", p->pages),
                     GF_KEY(".rows", p->rows), GF_KEY(".slab_pages", p->slab_pages),
                     GF_KEY_IF(p->exchange_bytes, ".unit", gf_slabs_unit(p)),
                     GF_BOOL(".columns", p->picture || p->line), GF_KEY("walks", walks),
                     GF_KEY("bytes_moved", moved), GF_KEY("bytes_scratch", p->exchange_bytes),
                     GF_KEY("bytes_needed", p->memory_bytes),
                     GF_KEY_IF(speed > 0, "disk_mb_s", speed * 1e-6),
                     GF_KEY_IF(speed > 0, "least_s", (double)moved / speed));
}

/* ---- the whole ---- */

static json_t *passes_report(const struct gf_plan *plan, double copy) {
    json_t *passes = json_array();
    int number = 0;
    for (int i = 0; i < plan->n_passes; i++) {
        const struct gf_pass_info *p = &plan->pass[i];
        const double moved = (double)(p->bytes_read + p->bytes_written);
        number += !p->part;
        GF_APPEND(passes, GF_KEY("what", p->what), GF_KEY("bytes_read", p->bytes_read),
                  GF_KEY("bytes_written", p->bytes_written),
                  GF_KEY_IF(p->cost > 0, "copy_share", moved / p->cost),
                  GF_KEY_IF(p->cost > 0 && copy > 0, "expected_ms", p->cost / copy * 1e3),
                  GF_TRUE_IF(p->part, "part"), GF_KEY(".number", number));
    }
    return passes;
}

/* ---- steps and their workers ---- */

/* Lists what the backend runs for a part: passes, or walks if the part itself passes through the
 * device in slabs. Replaces the runner's plan. */
static json_t *workers_report(const struct gf_task *t, const char *kind, int count,
                              const struct gf_job *part) {
    json_t *steps = NULL;
    if (part && !gf_runner_plan(t->op.crew.runner, part))
        steps = passes_report(t->op.crew.runner->plan, gf_runner_copy_speed(t->op.crew.runner));
    return GF_REPORT(GF_KEY("kind", kind), GF_KEY("count", count),
                     GF_KEY("backend", gf_runner_name(t->op.crew.runner)),
                     GF_KEY(".walks", steps && t->op.crew.runner->plan->in_slabs),
                     GF_BOOL(".runs", steps != NULL), GF_KEY_IF(steps, "steps", steps));
}

/* Lists the walks of ranks or through a scratch file with their workers; NULL for a job in one
 * piece. */
static json_t *steps_report(const struct gf_task *t, const struct gf_slab_plan *p, int ranks) {
    json_t *steps = p ? json_array() : NULL;
    for (int i = 0; p && i < p->n_walks; i++) {
        struct gf_job job;
        const bool runs = p->exchange_bytes && gf_slab_part_job(p, i, &job);
        json_t *workers =
            workers_report(t, ranks ? "rank" : "backend", ranks ? ranks : 1, runs ? &job : NULL);
        GF_APPEND(steps, GF_KEY(".number", i + 1), GF_KEY("what", p->walk[i].what),
                  GF_KEY("bytes_read", p->walk[i].bytes_read),
                  GF_KEY("bytes_written", p->walk[i].bytes_written), GF_KEY("workers", workers));
    }
    return steps;
}

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
    gf_backend_device(w->device->backend, NULL, &p);
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
        GF_KEY_IF(t->s->tune && gf_speeds_digest(digest), "records", digest),
        GF_KEY_IF(c->kept, "measured_ms", c->ms),
        GF_KEY_IF(c->kept, "estimate_ms", c->estimate_ms));
}

/* Builds the whole report. */
static json_t *report(const char *name, struct gf_task *t, const struct gf_plan_parts *parts,
                      const struct gf_ranks_plan *ranks) {
    struct gf_slab_plan slabs;
    const struct gf_plan *plan = t->op.crew.runner->plan;
    const struct needs n = sum_up(t);
    const int64_t limit = gf_runner_limit(t->op.crew.runner), pages = gf_task_at_once(t);
    const bool serves = plans_slabs(t, &n, &slabs);
    int passed = 0; /* passes over the data */
    for (int i = 0; i < plan->n_passes; i++)
        passed += !plan->pass[i].part;
    json_t *o = GF_ADD(
        what_report(name, t), GF_KEY("passes", passes_report(plan, n.copy)),
        GF_KEY_IF(pages, "pages_at_once", pages), GF_KEY_IF(pages, ".pages", t->op.job.shape[0]),
        GF_KEY_IF(pages, ".runs", n.runs), GF_KEY_IF(pages, ".twice", is_walked_twice(t)),
        GF_KEY_IF(pages, ".before", pages_before(t)), GF_KEY(".passed", passed),
        GF_KEY(".in_walks", plan->in_slabs), GF_BOOL(".one", passed == 1),
        GF_KEY("bytes_moved", n.moved), GF_KEY("bytes_in", n.in), GF_KEY("bytes_out", n.out),
        GF_KEY("bytes_workspace", n.workspace), GF_KEY("bytes_needed", n.total),
        GF_KEY("bytes_limit", limit),
        GF_KEY(".outcome", serves && !slabs.exchange_bytes ? ": plane by plane"
                           : n.total <= limit              ? ""
                           : serves && t->s->scratch       ? ": in slabs"
                                                           : ": would be refused"),
        GF_KEY_IF(serves, "scratch", slabs_report(t, &slabs)),
        GF_KEY_IF(plan->in_slabs, "bus", bus_report(t->op.crew.runner)),
        GF_KEY_IF(plan->times.devices, "times", times_report(&plan->times)),
        GF_KEY_IF(plan->n_shares, "devices", shares_report(plan)),
        GF_KEY_IF(plan->n_shares, ".exchange", exchange_report(plan)),
        GF_KEY_IF(plan->device_bytes, "bytes_device", plan->device_bytes),
        GF_KEY_IF(n.copy > 0, "device_copy_gb_s", n.copy * 1e-9),
        GF_KEY_IF(n.copy > 0 && n.cost > 0, ".all_ms", n.cost / n.copy * 1e3),
        GF_KEY_IF(parts->n, "dealt", parts_report(parts)),
        GF_KEY_IF(ranks->ranks, "shared", ranks_report(ranks)));
    const bool by_ranks = ranks->ranks && ranks->slabs.n_walks;
    const struct gf_slab_plan *outer = by_ranks ? &ranks->slabs : serves ? &slabs : NULL;
    return GF_ADD(o, GF_KEY(".by_ranks", by_ranks),
                  GF_KEY_IF(outer, "steps", steps_report(t, outer, by_ranks ? ranks->ranks : 0)));
}

/* Walks, each followed by the passes of its workers. */
#define STEPS \
    "{*steps     walk {number:-4d} {what}\n" \
    "              reads {bytes_read:B}, writes {bytes_written:B}\n" \
    "{*workers {?runs {*steps       {?walks walk|pass} {number:-4d} {what}\n" \
    "                reads {bytes_read:B}, writes {bytes_written:B}\n}}}}"

static const char form[] =
    "  transform {shape_said}, {channels#channel}, {type}, {direction}, {precision} precision\n"
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
    "{?before , and {before} pages before for the display range}}\n}"
    "{*passes   {?part beside    |{?in_walks walk|pass} {number:-4d} }{what}\n"
    "            reads {bytes_read:B}, writes {bytes_written:B}"
    "{?expected_ms , expected {expected_ms:.3g} ms|"
    "{?copy_share , expected at {copy_share:.0f*100}% of the copy bandwidth}}\n}"
    "  moved     {bytes_moved:B} in {passed} {?in_walks walk{?one |s}|pass{?one |es}}"
    "{?all_ms , expected {all_ms:.3g} ms; the device copies {device_copy_gb_s:.0f} GB/s}\n"
    "{*bus   bus       {bytes_up:B} to the device, {bytes_down:B} back; "
    "{?least_ms at least {least_ms:.3g} ms at {up_gb_s:.0f} GB/s there and {down_gb_s:.0f} GB/s "
    "back|its speed is unknown}\n}"
    "{*times   time      one device {one_ms:.3g} ms, {count} devices {several_ms:.3g} ms, which "
    "are opened first\n"
    "            by a bus of {up_gb_s:.3g} GB/s there and {down_gb_s:.3g} back"
    "{?bus_assumed  (assumed)}, a link of {link_gb_s:.3g} GB/s{?link_assumed  (assumed)}\n}"
    "{*devices   device {device}  {its_pages}, {its_bins} of a page; {bytes_device:B} of its "
    "memory, sends {bytes_sent:B}\n}"
    "{*exchange   exchange  {sent:B}, {?direct from device to device|through the host's memory}\n}"
    "{?devices |{?bytes_device   device    {bytes_device:B} of its memory\n}}"
    "  memory    {bytes_needed:B}: input {bytes_in:B}, output {bytes_out:B}, workspace "
    "{bytes_workspace:B}; limit {bytes_limit:B}{outcome}\n"
    "{*scratch "
    "{?unit   slabs     with --scratch: {slabs} of up to {slab_pages} {unit}, {blocks} blocks of "
    "{?columns columns|rows}, {bytes_needed:B} of memory\n|"
    "  planes    one after the other, {bytes_needed:B} of memory\n}"
    "{?cut   cut       {pages} rows of {rows} points\n}"
    "{?by_ranks {*walks     walk {number:-4d} {what}\n"
    "              reads {bytes_read:B}, writes {bytes_written:B}\n}|" STEPS "}"
    "  disk      {bytes_moved:B} moved, {bytes_scratch:B} of scratch; "
    "{?least_s at least {least_s:.3g} s at the {disk_mb_s:.0f} MB/s of its last run|"
    "its speed is unknown}\n}"
    "{*dealt   shared    {parts} parts of up to {planes} planes, and {beside} beside, which others "
    "read too\n"
    "{*devices   device {device}  {?known {parts#part}|as many parts as its first ones tell}"
    "{?bytes_device ; {bytes_device:B} of its memory}; {bytes_host:B} of the host's\n}}"
    "{*shared   ranks     {ranks}, {link_gb_s:.3g} GB/s to and from each; memory copies "
    "{copy_gb_s:.3g} GB/s here\n"
    "            expected {expected_ms:.3g} ms: passes {passes_ms:.3g} ms, exchange "
    "{exchange_ms:.3g} "
    "ms ({bytes_sent:B} from each rank); one process {alone_ms:.3g} ms\n"
    "            memory {bytes_needed:B} a rank; at most {most_ranks} ranks have work; from "
    "{enough_ranks} on, twice as many save less than a tenth\n"
    "{?by_ranks " STEPS "}}";

void gf_plan_print(const char *name, struct gf_task *t, const struct gf_plan_parts *parts,
                   const struct gf_ranks_plan *ranks) {
    if (!t->s->json)
        gf_log_heading(name);
    gf_report_print(t->s->json, form, report(name, t, parts, ranks));
}
