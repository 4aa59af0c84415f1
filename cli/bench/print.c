/* The rows of `gpufft bench`: a table to look at, CSV or JSON to compute with. */
#include <math.h>
#include <stdio.h>

#include "cli/bench/bench.h"
#include "cli/log.h"
#include "cli/batch/report.h"
#include "core/base/memory.h"

const char *const gf_bench_statuses[] = {"ok", "wrong", "failed", "skipped", NULL};

static const char *shape_text(const struct gf_shape *s, char text[72]) {
    int n = 0;
    for (int i = 0; i < s->ndim; i++)
        n += snprintf(text + n, 72 - (size_t)n, "%s%lld", i ? "x" : "", (long long)s->n[i]);
    return text;
}

/* "y,x" */
static const char *axes_text(const struct gf_bench_case *c, char text[8]) {
    int n = 0;
    for (int a = 0; a < GF_MAX_DIMS; a++)
        if (gf_bench_axis_on(c, a)) {
            if (n)
                text[n++] = ',';
            text[n++] = "zyx"[a];
        }
    text[n] = 0;
    return text;
}

/* " of 3 levels" */
static const char *levels_text(const struct gf_bench_case *c, char text[24]) {
    *text = 0;
    if (c->kind == GF_BENCH_DWT)
        snprintf(text, 24, " of %d level%s", c->job.wavelet.levels,
                 c->job.wavelet.levels == 1 ? "" : "s");
    return text;
}

static const char *direction_of(const struct gf_bench_case *c) {
    return gf_bench_directions[c->job.direction];
}

static const char *precision_of(const struct gf_bench_case *c) {
    return gf_bench_precisions[c->job.precision];
}

/* What follows from the times; all 0 for a row that was not timed. */
struct rates {
    double gflops, bytes; /* a second */
    double share;         /* of the copy bandwidth */
    double floors;        /* time / that of one read and one write at copy bandwidth */
};

static struct rates rates_of(const struct gf_bench_case *c, const struct gf_bench_row *r) {
    struct rates v = {0, 0, 0, 0};
    if (r->status != GF_BENCH_OK)
        return v;
    v.gflops = c->flops / r->time.median * 1e-9;
    v.bytes = (double)r->moved / r->time.median;
    if (r->copy > 0) {
        v.share = v.bytes / r->copy;
        v.floors = r->time.median * r->copy / (double)c->floor;
    }
    return v;
}

/* ---- table ---- */

static void print_copy(double copy) {
    if (copy > 0)
        printf("copy %.1f GB/s (read + written)\n", copy * 1e-9);
    else
        printf("copy not measured\n");
}

static void table_host(const struct gf_bench_host *h, int number) {
    if (number)
        printf("[%d] ", number);
    printf("%s, %d core%s, %s, %d thread%s, ", h->cpu, h->cores, h->cores == 1 ? "" : "s", h->isa,
           h->threads, h->threads == 1 ? "" : "s");
    print_copy(h->copy);
    for (int i = 0; i < h->n_devices; i++) {
        printf("%s%s: %s, device-resident, ", number ? "    " : "", h->device[i].entrant,
               h->device[i].name);
        print_copy(h->device[i].copy);
    }
}

static void table_head(void) {
    printf("%-14s %9s %9s %9s %8s %6s %6s %5s %6s %6s %8s %9s %8s\n", "", "ms", "least", "90%",
           "GFLOP/s", "passes", "GB/s", "copy", "floors", "ratio", "error", "plan ms", "build ms");
}

/* At most `most` decimals, fewer for large values, so that all sizes fit one column. */
static void print_number(int width, int most, double v) {
    int decimals = v < 1 ? most : v < 10 ? most - 1 : v < 100 ? most - 2 : most - 3;
    printf(" %*.*f", width, decimals > 0 ? decimals : 0, v);
}

static void print_ms(double seconds) {
    print_number(9, seconds < 1e-5 ? 7 : 4, seconds * 1e3);
}

static void table_row(const struct gf_bench_case *c, const struct gf_bench_row *r, int number) {
    struct rates v = rates_of(c, r);
    char name[GF_BENCH_NAME + 8];
    snprintf(name, sizeof name, number ? "%s [%d]" : "%s", r->name, number);
    printf("  %-12s", name);
    if (r->status == GF_BENCH_WRONG) {
        printf(" WRONG, error %.1e\n", r->error);
        return;
    }
    if (r->status != GF_BENCH_OK) {
        printf(" %s: %s\n", gf_bench_statuses[r->status], r->why);
        return;
    }
    print_ms(r->time.median);
    print_ms(r->time.least);
    print_ms(r->time.p90);
    print_number(8, 3, v.gflops);
    printf(" %6d", r->passes);
    print_number(6, 3, v.bytes * 1e-9);
    if (r->copy > 0) {
        printf(" %4.0f%%", v.share * 100);
        print_number(6, 3, v.floors);
    } else
        printf(" %5s %6s", "-", "-");
    if (r->ratio > 0)
        print_number(6, 3, r->ratio);
    else
        printf(" %6s", "-");
    printf(" %8.1e%s", r->error, r->error > gf_bench_promise(c, c->job.precision) ? "!" : " ");
    print_number(8, 4, r->plan * 1e3);
    if (r->build > 0)
        print_number(8, 4, r->build * 1e3);
    else
        printf(" %8s", "-");
    if (r->devices)
        printf(" %d devices", r->devices);
    printf("%s%s%s%s\n", *r->code_path ? " " : "", r->code_path, r->noisy ? " noisy" : "",
           r->astray ? " off its trend" : "");
}

static void say_bad_row(const struct gf_bench_case *c, const struct gf_bench_row *r) {
    char shape[72];
    if (r->status == GF_BENCH_WRONG || r->status == GF_BENCH_FAILED)
        gf_log_error("bench: %s %s, %s: %s", shape_text(&c->shape, shape), gf_bench_kinds[c->kind],
                     r->name, r->status == GF_BENCH_WRONG ? "wrong" : r->why);
}

static void print_transfer(const char *way, int64_t bytes, double pageable, double pinned) {
    char size[GF_SIZE_TEXT];
    printf("      %-4s %s: pageable %.3g ms, %.3g GB/s; pinned %.3g ms, %.3g GB/s\n", way,
           gf_memory_text(bytes, size), pageable * 1e3, (double)bytes / pageable * 1e-9,
           pinned * 1e3, (double)bytes / pinned * 1e-9);
}

static void print_pass(const struct gf_bench_pass *p, double copy) {
    printf("      %s\n        ", p->what);
    if (p->expected > 0)
        printf("expected %.3g ms, ", p->expected * 1e3);
    if (!(p->seconds > 0)) {
        printf("not timed apart\n");
        return;
    }
    printf("measured %.3g ms", p->seconds * 1e3);
    if (p->expected > 0)
        printf(" (%+.0f%%)", (p->seconds / p->expected - 1) * 100);
    printf(", %.3g GB/s", (double)p->bytes / p->seconds * 1e-9);
    if (copy > 0)
        printf(", %.0f%% of copy", (double)p->bytes / p->seconds / copy * 100);
    printf("\n");
}

void gf_bench_print_details(const struct gf_bench_row *r) {
    const struct gf_bench_transfers *t = &r->transfers;
    if (*r->energy.why)
        printf("      energy n/a: %s\n", r->energy.why);
    else if (r->energy.seconds > 0)
        printf("      energy %.3g J a run, %.3g W\n", r->energy.joules,
               r->energy.joules / r->energy.seconds);
    for (int i = 0; i < r->n_listed; i++)
        print_pass(&r->listed[i], r->copy);
    if (t->whole > 0) {
        print_transfer("in", t->bytes[0], t->pageable[0], t->pinned[0]);
        print_transfer("out", t->bytes[1], t->pageable[1], t->pinned[1]);
        printf("      the job %.3g ms by the device's clock, %.3g ms by the host's, %.3g ms with "
               "its copies\n",
               r->time.median * 1e3, r->host * 1e3, t->whole * 1e3);
    }
}

/* ---- CSV ---- */

static void csv_text(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void csv_head(void) {
    printf("shape,kind,direction,precision,threads,backend,status,runs,median_ms,least_ms,"
           "p90_ms,gflops,passes,bytes_moved,gb_s,copy_share,floors,ratio,relative,error,"
           "plan_ms,why,cpu,isa,copy_gb_s,device,levels,axes,build_ms,host_ms,noisy,"
           "again,off_trend,path\n");
}

static void csv_row(const struct gf_bench_host *h, const struct gf_bench_case *c,
                    const struct gf_bench_row *r) {
    char shape[72];
    struct rates v = rates_of(c, r);
    printf("%s,%s,%s,%s,%d,%s,%s,", shape_text(&c->shape, shape), gf_bench_kinds[c->kind],
           direction_of(c), precision_of(c), h->threads, r->name, gf_bench_statuses[r->status]);
    if (r->status == GF_BENCH_OK)
        printf("%d,%.6g,%.6g,%.6g,%.6g,%d,%lld,%.6g,%.6g,%.6g,%.6g,%s,%.3g,%.6g,", r->time.runs,
               r->time.median * 1e3, r->time.least * 1e3, r->time.p90 * 1e3, v.gflops, r->passes,
               (long long)r->moved, v.bytes * 1e-9, v.share, v.floors, r->ratio, r->relative,
               r->error, r->plan * 1e3);
    else if (r->status == GF_BENCH_WRONG)
        printf(",,,,,,,,,,,,%.3g,,", r->error);
    else
        printf(",,,,,,,,,,,,,,");
    csv_text(r->why);
    putchar(',');
    csv_text(h->cpu);
    putchar(',');
    csv_text(h->isa);
    printf(",%.6g,", (*r->name ? r->copy : h->copy) * 1e-9);
    csv_text(r->device);
    if (c->kind == GF_BENCH_DWT)
        printf(",%d,", c->job.wavelet.levels);
    else
        printf(",,");
    csv_text(axes_text(c, shape));
    if (r->status == GF_BENCH_OK)
        printf(",%.6g,%.6g,%d,%d,%d,", r->build * 1e3,
               (r->host > 0 ? r->host : r->time.median) * 1e3, r->noisy, r->again, r->astray);
    else
        printf(",,,,,,");
    csv_text(r->code_path);
    putchar('\n');
}

/* ---- JSON ---- */

/* JSON has no NaN. */
static void set_real(json_t *o, const char *key, double v) {
    json_object_set_new(o, key, isfinite(v) ? json_real(v) : json_null());
}

static void json_host(const struct gf_bench_host *h) {
    json_t *o = json_object(), *devices = json_array();
    json_object_set_new(o, "machine", gf_json_text(h->cpu));
    json_object_set_new(o, "cores", json_integer(h->cores));
    json_object_set_new(o, "isa", gf_json_text(h->isa));
    json_object_set_new(o, "threads", json_integer(h->threads));
    set_real(o, "copy_gb_s", h->copy > 0 ? h->copy * 1e-9 : NAN);
    for (int i = 0; i < h->n_devices; i++) {
        json_t *d = json_object();
        json_object_set_new(d, "backend", json_string(h->device[i].entrant));
        json_object_set_new(d, "name", gf_json_text(h->device[i].name));
        set_real(d, "copy_gb_s", h->device[i].copy > 0 ? h->device[i].copy * 1e-9 : NAN);
        json_array_append_new(devices, d);
    }
    json_object_set_new(o, "devices", devices);
    gf_json_print(o);
}

static void json_passes(json_t *o, const struct gf_bench_row *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->n_listed; i++) {
        const struct gf_bench_pass *p = &r->listed[i];
        json_t *pass = json_object();
        json_object_set_new(pass, "what", gf_json_text(p->what));
        json_object_set_new(pass, "bytes", json_integer(p->bytes));
        set_real(pass, "expected_ms", p->expected > 0 ? p->expected * 1e3 : NAN);
        set_real(pass, "measured_ms", p->seconds > 0 ? p->seconds * 1e3 : NAN);
        set_real(pass, "gb_s", p->seconds > 0 ? (double)p->bytes / p->seconds * 1e-9 : NAN);
        json_array_append_new(list, pass);
    }
    json_object_set_new(o, "pass_times", list);
}

static void json_transfers(json_t *o, const struct gf_bench_transfers *t) {
    static const char *const ways[] = {"in", "out"};
    for (int way = 0; way < 2; way++) {
        json_t *w = json_object();
        json_object_set_new(w, "bytes", json_integer(t->bytes[way]));
        set_real(w, "pageable_ms", t->pageable[way] * 1e3);
        set_real(w, "pageable_gb_s", (double)t->bytes[way] / t->pageable[way] * 1e-9);
        set_real(w, "pinned_ms", t->pinned[way] * 1e3);
        set_real(w, "pinned_gb_s", (double)t->bytes[way] / t->pinned[way] * 1e-9);
        json_object_set_new(o, ways[way], w);
    }
    set_real(o, "with_copies_ms", t->whole * 1e3);
}

/* null: not counted. */
static void json_energy(json_t *o, const struct gf_bench_energy *e) {
    set_real(o, "joules", *e->why ? NAN : e->joules);
    set_real(o, "watts", *e->why ? NAN : e->joules / e->seconds);
    if (*e->why)
        json_object_set_new(o, "joules_why", gf_json_text(e->why));
}

static void json_times(json_t *o, const struct gf_bench_case *c, const struct gf_bench_row *r) {
    struct rates v = rates_of(c, r);
    json_object_set_new(o, "runs", json_integer(r->time.runs));
    set_real(o, "median_ms", r->time.median * 1e3);
    set_real(o, "least_ms", r->time.least * 1e3);
    set_real(o, "p90_ms", r->time.p90 * 1e3);
    if (r->devices)
        json_object_set_new(o, "devices", json_integer(r->devices));
    if (r->noisy)
        json_object_set_new(o, "noisy", json_true());
    if (r->again)
        json_object_set_new(o, "again", json_integer(r->again));
    if (r->astray)
        json_object_set_new(o, "off_trend", json_true());
    if (r->host > 0)
        set_real(o, "host_ms", r->host * 1e3);
    set_real(o, "plan_ms", r->plan * 1e3);
    set_real(o, "build_ms", r->build * 1e3);
    set_real(o, "gflops", v.gflops);
    json_object_set_new(o, "passes", json_integer(r->passes));
    json_object_set_new(o, "bytes_moved", json_integer(r->moved));
    set_real(o, "gb_s", v.bytes * 1e-9);
    if (*r->device)
        set_real(o, "device_copy_gb_s", r->copy > 0 ? r->copy * 1e-9 : NAN);
    set_real(o, "copy_share", r->copy > 0 ? v.share : NAN);
    set_real(o, "floors", r->copy > 0 ? v.floors : NAN);
    if (r->ratio > 0) {
        set_real(o, "ratio", r->ratio);
        json_object_set_new(o, "relative", json_string(r->relative));
    }
}

static void json_row(const struct gf_bench_host *h, const struct gf_bench_case *c,
                     const struct gf_bench_row *r) {
    json_t *o = json_object();
    char axes[8];
    json_object_set_new(o, "shape", gf_json_shape(c->shape.n, c->shape.ndim));
    json_object_set_new(o, "kind", json_string(gf_bench_kinds[c->kind]));
    json_object_set_new(o, "axes", json_string(axes_text(c, axes)));
    if (c->kind == GF_BENCH_DWT)
        json_object_set_new(o, "levels", json_integer(c->job.wavelet.levels));
    json_object_set_new(o, "direction", json_string(direction_of(c)));
    json_object_set_new(o, "precision", json_string(precision_of(c)));
    json_object_set_new(o, "threads", json_integer(h->threads));
    if (*r->name)
        json_object_set_new(o, "backend", json_string(r->name));
    if (*r->device)
        json_object_set_new(o, "device", gf_json_text(r->device));
    if (*r->code_path)
        json_object_set_new(o, "path", gf_json_text(r->code_path));
    json_object_set_new(o, "status", json_string(gf_bench_statuses[r->status]));
    if (r->status == GF_BENCH_OK || r->status == GF_BENCH_WRONG)
        set_real(o, "error", r->error);
    else
        json_object_set_new(o, "why", gf_json_text(r->why));
    if (r->status == GF_BENCH_OK)
        json_times(o, c, r);
    if (*r->energy.why || r->energy.seconds > 0)
        json_energy(o, &r->energy);
    if (r->n_listed)
        json_passes(o, r);
    if (r->transfers.whole > 0)
        json_transfers(o, &r->transfers);
    gf_json_print(o);
}

/* ---- */

void gf_bench_print_host(const struct gf_settings *s, const struct gf_bench_host *host,
                         int number) {
    if (s->json)
        json_host(host);
    else if (!s->bench.csv)
        table_host(host, number);
}

void gf_bench_print_head(const struct gf_settings *s) {
    if (s->bench.csv)
        csv_head();
    else if (!s->json)
        table_head();
}

void gf_bench_print_case(const struct gf_settings *s, const struct gf_bench_case *c) {
    char shape[72], levels[24], axes[8];
    bool all = c->job.axes == (1u << c->shape.ndim) - 1;
    if (!s->json && !s->bench.csv)
        printf("%s %s%s%s%s, %s, %s\n", shape_text(&c->shape, shape), gf_bench_kinds[c->kind],
               levels_text(c, levels), all ? "" : " along ", all ? "" : axes_text(c, axes),
               direction_of(c), precision_of(c));
}

void gf_bench_print_row(const struct gf_settings *s, const struct gf_bench_host *host, int number,
                        const struct gf_bench_case *c, const struct gf_bench_row *row) {
    if (s->json)
        json_row(host, c, row);
    else if (s->bench.csv)
        csv_row(host, c, row);
    else if (s->quiet)
        say_bad_row(c, row);
    else {
        table_row(c, row, number);
        gf_bench_print_details(row);
    }
}
