/* Prints the rows of `gpufft bench`: a table, CSV or JSON. */

#include "cli/bench/bench.h"
#include "cli/environment.h"
#include "cli/log.h"
#include "cli/report.h"

/* By enum gf_bench_status. */
static const char *const statuses[] = {"ok", "wrong", "failed", "skipped"};

static json_t *case_report(const struct gf_bench_case *c) {
    return GF_REPORT(GF_KEY("shape", gf_json_shape(c->job.shape, c->job.ndim)),
                     GF_KEY("kind", gf_bench_kinds[c->kind]),
                     GF_KEY("axes", gf_json_axes(c->job.axes, c->job.ndim)),
                     GF_KEY_IF(c->kind == GF_BENCH_DWT, "levels", c->job.wavelet.levels),
                     GF_KEY("direction", gf_bench_directions[c->job.direction]),
                     GF_KEY("precision", gf_bench_precisions[c->job.precision]),
                     GF_BOOL(".some", c->job.axes != (1u << c->job.ndim) - 1));
}

/* Lists the entrants with the version or code that their backend's probe reports. */
static json_t *entrants_report(const struct gf_bench *b) {
    json_t *list = json_array();
    for (int i = 0; i < b->n; i++) {
        const struct gf_bench_entrant *e = &b->entrant[i];
        char what[GF_REASON] = "";
        int first = 0;
        while (b->entrant[first].backend != e->backend)
            first++;
        if (first < i)
            snprintf(what, sizeof what, "as %s", b->entrant[first].name);
        else
            e->backend->probe(e->backend, gf_environment(), what);
        GF_APPEND(list, GF_KEY("backend", e->name), GF_KEY("what", what),
                  GF_KEY("path", e->code_path), GF_KEY_IF(e->threads, "threads", e->threads));
    }
    return list;
}

static json_t *host_report(const struct gf_bench *b) {
    const struct gf_bench_host *h = &b->host;
    json_t *devices = json_array();
    for (const struct gf_bench_entrant *e = b->entrant; e < b->entrant + b->n; e++)
        if (e->resident)
            GF_APPEND(devices, GF_KEY("backend", e->name), GF_KEY("name", e->device.name),
                      GF_KEY_OR_NULL(e->device.copy > 0, "copy_gb_s", e->device.copy * 1e-9));
    return GF_REPORT(GF_KEY("machine", h->cpu), GF_KEY("cores", h->cores), GF_KEY("isa", h->isa),
                     GF_KEY("threads", h->threads),
                     GF_KEY_OR_NULL(h->copy > 0, "copy_gb_s", h->copy * 1e-9),
                     GF_KEY("devices", devices));
}

static json_t *passes_report(const struct gf_bench_row *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->n_listed; i++) {
        const struct gf_bench_pass *p = &r->listed[i];
        const bool timed = p->seconds > 0, expected = p->expected > 0;
        const double rate = timed ? (double)p->bytes / p->seconds : 0;
        GF_APPEND(list, GF_KEY("what", p->what), GF_KEY("bytes", p->bytes),
                  GF_KEY_OR_NULL(expected, "expected_ms", p->expected * 1e3),
                  GF_KEY_OR_NULL(timed, "measured_ms", p->seconds * 1e3),
                  GF_KEY_OR_NULL(timed, "gb_s", rate * 1e-9),
                  GF_KEY_IF(timed && expected, ".over", (p->seconds / p->expected - 1) * 100),
                  GF_KEY_IF(timed && r->copy > 0, ".of_copy", rate / r->copy * 100));
    }
    return list;
}

static json_t *transfer_report(const struct gf_bench_transfers *t, int way) {
    const double bytes = (double)t->bytes[way];
    return GF_REPORT(GF_KEY("bytes", t->bytes[way]), GF_REAL("pageable_ms", t->pageable[way] * 1e3),
                     GF_REAL("pageable_gb_s", bytes / t->pageable[way] * 1e-9),
                     GF_REAL("pinned_ms", t->pinned[way] * 1e3),
                     GF_REAL("pinned_gb_s", bytes / t->pinned[way] * 1e-9));
}

static void add_times(json_t *o, const struct gf_bench_case *c, const struct gf_bench_row *r) {
    const double seconds = r->time.median, rate = (double)r->moved / seconds;
    const bool known = r->copy > 0;
    GF_ADD(o, GF_BOOL(".timed", true), GF_KEY("runs", r->time.runs),
           GF_REAL("median_ms", seconds * 1e3), GF_REAL("least_ms", r->time.least * 1e3),
           GF_REAL("p90_ms", r->time.p90 * 1e3), GF_KEY_IF(r->devices, "devices", r->devices),
           GF_TRUE_IF(r->noisy, "noisy"), GF_KEY_IF(r->again, "again", r->again),
           GF_TRUE_IF(r->astray, "off_trend"), GF_KEY_IF(r->host > 0, "host_ms", r->host * 1e3),
           GF_REAL("plan_ms", r->plan * 1e3), GF_REAL("build_ms", r->build * 1e3),
           GF_REAL("gflops", c->flops / seconds * 1e-9), GF_KEY("passes", r->passes),
           GF_KEY("bytes_moved", r->moved), GF_REAL("gb_s", rate * 1e-9));
    if (*r->device)
        GF_ADD(o, GF_KEY_OR_NULL(known, "device_copy_gb_s", r->copy * 1e-9));
    GF_ADD(o, GF_KEY_OR_NULL(known, "copy_share", rate / r->copy),
           GF_KEY_OR_NULL(known, "floors", seconds * r->copy / (double)c->floor),
           GF_KEY_IF(r->ratio > 0, "ratio", r->ratio),
           GF_KEY(r->ratio > 0 ? "relative" : ".relative", r->relative),
           GF_BOOL(".beyond", r->error > gf_bench_promise(c, c->job.precision)));
}

static json_t *row_report(const struct gf_bench_host *h, const struct gf_bench_case *c,
                          const struct gf_bench_row *r) {
    const struct gf_bench_transfers *t = &r->transfers;
    const struct gf_bench_energy *e = &r->energy;
    const bool answers = r->status == GF_BENCH_OK || r->status == GF_BENCH_WRONG;
    const bool counted = !*e->why && e->seconds > 0, copied = t->whole > 0;
    json_t *o = GF_ADD(
        case_report(c), GF_KEY("threads", h->threads),
        GF_KEY(*r->name ? "backend" : ".backend", r->name),
        GF_KEY(*r->device ? "device" : ".device", r->device),
        GF_KEY(*r->code_path ? "path" : ".path", r->code_path),
        GF_KEY("status", statuses[r->status]), GF_BOOL(".wrong", r->status == GF_BENCH_WRONG),
        GF_KEY(answers ? ".why" : "why", r->why), GF_KEY(".cpu", h->cpu), GF_KEY(".isa", h->isa),
        GF_KEY(".copy_gb_s", (*r->name ? r->copy : h->copy) * 1e-9));
    if (answers)
        GF_ADD(o, GF_REAL("error", r->error));
    if (r->status == GF_BENCH_OK)
        add_times(o, c, r);
    if (*e->why || counted)
        GF_ADD(o, GF_KEY_OR_NULL(counted, "joules", e->joules),
               GF_KEY_OR_NULL(counted, "watts", e->joules / e->seconds),
               GF_KEY_IF(!counted, "joules_why", e->why));
    return GF_ADD(o, GF_KEY_IF(r->n_listed, "pass_times", passes_report(r)),
                  GF_KEY_IF(copied, "in", transfer_report(t, 0)),
                  GF_KEY_IF(copied, "out", transfer_report(t, 1)),
                  GF_KEY_IF(copied, "with_copies_ms", t->whole * 1e3),
                  GF_KEY(".host_clock_ms", r->host * 1e3));
}

/* ---- forms ---- */

#define COPY "{?copy_gb_s copy {copy_gb_s:.1f} GB/s (read + written)|copy not measured}\n"
static const char host_form[] = "{machine}, {cores#core}, {isa}, {threads#thread}, " COPY
                                "{*devices {backend}: {name}, device-resident, " COPY "}";

static const char case_form[] = "{shape} {kind}{?levels  of {levels#level}}{?some  along {axes}}, "
                                "{direction}, {precision}\n";

#define TRANSFER \
    "{bytes:B}: pageable {pageable_ms:.3g} ms, {pageable_gb_s:.3g} GB/s; pinned {pinned_ms:.3g} " \
    "ms, {pinned_gb_s:.3g} GB/s\n}"
static const char row_form[] =
    "  {backend:-12s}{?wrong  WRONG, error {error:.1e}|{?timed "
    " {median_ms:9.4m} {least_ms:9.4m} {p90_ms:9.4m} {gflops:8.3n} {passes:6d} {gb_s:6.3n} "
    "{?copy_share {copy_share:4.0f*100}% {floors:6.3n}|    -      -} {?ratio {ratio:6.3n}|     -} "
    "{error:8.1e}{?beyond !| } {plan_ms:8.4n} {?build_ms {build_ms:8.4n}|       -}"
    "{?devices  {devices} devices}{?path  {path}}{?noisy  noisy}{?off_trend  off its trend}|"
    " {status}: {why}}}\n"
    "{?joules_why       energy n/a: {joules_why}\n|"
    "{?watts       energy {joules:.3g} J a run, {watts:.3g} W\n}}"
    "{*pass_times       {what}\n        {?expected_ms expected {expected_ms:.3g} ms, }"
    "{?measured_ms measured {measured_ms:.3g} ms{?expected_ms  ({over:+.0f}%)}, {gb_s:.3g} GB/s"
    "{?of_copy , {of_copy:.0f}% of copy}|not timed apart}\n}"
    "{*in       in   " TRANSFER "{*out       out  " TRANSFER
    "{?with_copies_ms       the job {median_ms:.3g} ms by the device's clock, {host_clock_ms:.3g} "
    "ms by the host's, {with_copies_ms:.3g} ms with its copies\n}";

static const char csv_head[] =
    "shape,kind,direction,precision,threads,backend,status,runs,median_ms,least_ms,"
    "p90_ms,gflops,passes,bytes_moved,gb_s,copy_share,floors,ratio,relative,error,"
    "plan_ms,why,cpu,isa,copy_gb_s,device,levels,axes,build_ms,host_ms,noisy,"
    "again,off_trend,path\n";
static const char csv_form[] =
    "{shape},{kind},{direction},{precision},{threads},{backend},{status},{?timed "
    "{runs},{median_ms:.6g},{least_ms:.6g},{p90_ms:.6g},{gflops:.6g},{passes},{bytes_moved},"
    "{gb_s:.6g},{?copy_share {copy_share:.6g}|0},{?floors {floors:.6g}|0},{?ratio {ratio:.6g}|0},"
    "{relative},{error:.3g},{plan_ms:.6g}|,,,,,,,,,,,,{error:.3g},},"
    "{why:q},{cpu:q},{isa:q},{copy_gb_s:.6g},{device:q},{levels},{axes:q},"
    "{?timed {build_ms:.6g},{?host_ms {host_ms:.6g}|{median_ms:.6g}},{?noisy 1|0},"
    "{?again {again}|0},{?off_trend 1|0}|,,,,},{path:q}\n";

/* ---- */

static void say_bad_row(const struct gf_bench_case *c, const struct gf_bench_row *r) {
    char shape[GF_SHAPE_TEXT];
    if (r->status == GF_BENCH_WRONG || r->status == GF_BENCH_FAILED)
        gf_log_error("bench: %s %s, %s: %s", gf_shape_text(c->job.shape, c->job.ndim, shape),
                     gf_bench_kinds[c->kind], r->name,
                     r->status == GF_BENCH_WRONG ? "wrong" : r->why);
}

void gf_bench_print_host(const struct gf_bench *b) {
    const struct gf_settings *s = b->s;
    if (s->bench.csv)
        return;
    json_t *o = host_report(b);
    if (s->json)
        GF_ADD(o, GF_KEY("gpufft", GF_VERSION), GF_KEY("entrants", entrants_report(b)));
    gf_report_print(s->json, host_form, o);
}

void gf_bench_print_head(const struct gf_settings *s) {
    if (s->bench.csv)
        printf("%s", csv_head);
    else if (!s->json)
        printf("%-14s %9s %9s %9s %8s %6s %6s %5s %6s %6s %8s %9s %8s\n", "", "ms", "least", "90%",
               "GFLOP/s", "passes", "GB/s", "copy", "floors", "ratio", "error", "plan ms",
               "build ms");
}

void gf_bench_print_case(const struct gf_settings *s, const struct gf_bench_case *c) {
    if (!s->json && !s->bench.csv)
        gf_report_print(false, case_form, case_report(c));
}

void gf_bench_print_row(const struct gf_bench *b, const struct gf_bench_case *c,
                        const struct gf_bench_row *row) {
    const struct gf_settings *s = b->s;
    if (s->quiet && !s->json && !s->bench.csv)
        say_bad_row(c, row);
    else
        gf_report_print(s->json, s->bench.csv ? csv_form : row_form, row_report(&b->host, c, row));
}

void gf_bench_print_fastest(const struct gf_bench *b) {
    int best = 0;
    for (int i = 1; i < b->n; i++)
        best = b->wins[i] > b->wins[best] ? i : best;
    if (b->contests && !b->s->json && !b->s->bench.csv)
        printf("fastest: %s, in %d of %d cases\n", b->entrant[best].name, b->wins[best],
               b->contests);
}
