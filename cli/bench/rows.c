/* Reads the lines of `bench --json` again, and relates rows of several runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/log.h"
#include "cli/report.h"
#include "cli/bench/results.h"
#include "core/base/status.h"

void gf_bench_results_free(struct gf_bench_results *r) {
    free(r->host);
    free(r->result);
    *r = (struct gf_bench_results){0};
}

static int add_host(struct gf_bench_results *r, const struct gf_bench_host *h) {
    struct gf_bench_host *grown = realloc(r->host, ((size_t)r->n_hosts + 1) * sizeof *grown);
    if (!grown)
        return gf_no_memory();
    r->host = grown;
    grown[r->n_hosts++] = *h;
    return 0;
}

static int add_row(struct gf_bench_results *r, const struct gf_bench_case *c,
                   const struct gf_bench_row *row) {
    struct gf_bench_result *grown = realloc(r->result, ((size_t)r->n + 1) * sizeof *grown);
    if (!grown)
        return gf_no_memory();
    r->result = grown;
    grown[r->n++] = (struct gf_bench_result){.host = r->n_hosts - 1, .c = *c, .row = *row};
    return 0;
}

/* ---- lines of bench --json ---- */

/* Returns a number times `unit`; 0 if absent. */
static double get_real(const json_t *o, const char *key, double unit) {
    return json_number_value(json_object_get(o, key)) * unit;
}

/* Returns the index of the member's text in `names`, or -1. */
static int get_choice(const json_t *o, const char *key, const char *const *names) {
    const char *value = json_string_value(json_object_get(o, key));
    for (int i = 0; value && names[i]; i++)
        if (!strcmp(value, names[i]))
            return i;
    return -1;
}

static int read_host(const json_t *o, struct gf_bench_results *r) {
    struct gf_bench_host h = {.cores = gf_json_get_int(o, "cores"),
                              .threads = gf_json_get_int(o, "threads")};
    const json_t *devices = json_object_get(o, "devices");
    gf_json_get_text(o, "machine", h.cpu, sizeof h.cpu);
    gf_json_get_text(o, "isa", h.isa, sizeof h.isa);
    h.copy = get_real(o, "copy_gb_s", 1e9);
    for (size_t i = 0; i < json_array_size(devices) && h.n_devices < GF_MAX_ENTRANTS; i++) {
        const json_t *d = json_array_get(devices, i);
        struct gf_bench_device *to = &h.device[h.n_devices++];
        gf_json_get_text(d, "backend", to->entrant, sizeof to->entrant);
        gf_json_get_text(d, "name", to->name, sizeof to->name);
        to->copy = get_real(d, "copy_gb_s", 1e9);
    }
    return add_host(r, &h);
}

static int bad_row(void) {
    return gf_fail(GF_EFORMAT, "not a line of bench --json");
}

static int read_case(const json_t *o, struct gf_bench_case *c) {
    const json_t *extents = json_object_get(o, "shape");
    const int kind = get_choice(o, "kind", gf_bench_kinds), levels = gf_json_get_int(o, "levels");
    const int precision = get_choice(o, "precision", gf_bench_precisions);
    const int direction = get_choice(o, "direction", gf_bench_directions);
    const char *letters = json_string_value(json_object_get(o, "axes"));
    const size_t ndim = json_array_size(extents);
    if (ndim < 1 || ndim > GF_MAX_DIMS || kind < 0 || kind >= GF_BENCH_N_KINDS || precision < 0 ||
        direction < 0 || !letters)
        return bad_row();
    *c = (struct gf_bench_case){.kind = (enum gf_bench_kind)kind,
                                .job = {.ndim = (int)ndim,
                                        .direction = (enum gf_direction)direction,
                                        .precision = (enum gf_precision)precision,
                                        .wavelet.levels = levels ? levels : 1}};
    for (size_t i = 0; i < ndim; i++) {
        c->job.shape[i] = json_integer_value(json_array_get(extents, i));
        if (c->job.shape[i] < 1 || c->job.shape[i] > INT64_C(1) << 40)
            return bad_row();
        c->job.axes |= strchr(letters, "zyx"[GF_MAX_DIMS - ndim + i]) ? 1u << i : 0;
    }
    int rc = gf_bench_case_make(c);
    if (!rc)
        gf_bench_case_free(c);
    return rc;
}

static int read_row(const json_t *o, struct gf_bench_results *r) {
    struct gf_bench_case c;
    struct gf_bench_row row = {.status = GF_BENCH_OK};
    int status = get_choice(o, "status", gf_bench_statuses);
    if (status < 0 || !r->n_hosts)
        return bad_row();
    int rc = read_case(o, &c);
    if (rc)
        return rc;
    row.status = (enum gf_bench_status)status;
    gf_json_get_text(o, "backend", row.name, sizeof row.name);
    gf_json_get_text(o, "device", row.device, sizeof row.device);
    gf_json_get_text(o, "why", row.why, sizeof row.why);
    row.error = get_real(o, "error", 1);
    row.time = (struct gf_times){.runs = gf_json_get_int(o, "runs"),
                                 .median = get_real(o, "median_ms", 1e-3),
                                 .least = get_real(o, "least_ms", 1e-3),
                                 .p90 = get_real(o, "p90_ms", 1e-3)};
    row.devices = gf_json_get_int(o, "devices");
    row.noisy = json_is_true(json_object_get(o, "noisy"));
    row.again = gf_json_get_int(o, "again");
    row.astray = json_is_true(json_object_get(o, "off_trend"));
    gf_json_get_text(o, "path", row.code_path, sizeof row.code_path);
    row.host = get_real(o, "host_ms", 1e-3);
    row.plan = get_real(o, "plan_ms", 1e-3);
    row.build = get_real(o, "build_ms", 1e-3);
    row.passes = gf_json_get_int(o, "passes");
    row.moved = json_integer_value(json_object_get(o, "bytes_moved"));
    row.copy = *row.device ? get_real(o, "device_copy_gb_s", 1e9) : r->host[r->n_hosts - 1].copy;
    row.ratio = get_real(o, "ratio", 1);
    gf_json_get_text(o, "relative", row.relative, sizeof row.relative);
    if (row.status == GF_BENCH_OK && !(row.time.median > 0))
        return bad_row();
    return add_row(r, &c, &row);
}

static int read_line(const char *text, struct gf_bench_results *r) {
    json_error_t error;
    json_t *line = json_loads(text, 0, &error);
    int rc = !json_is_object(line)              ? bad_row()
             : json_object_get(line, "machine") ? read_host(line, r)
                                                : read_row(line, r);
    json_decref(line);
    return rc;
}

int gf_bench_read(const char *path, struct gf_bench_results *r) {
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    int rc = 0, before = r->n;
    if (!f)
        return gf_fail(GF_EIO, "'%s': %s", gf_log_name(path), strerror(errno));
    while (!rc && getline(&line, &size, f) > 0)
        rc = read_line(line, r);
    if (!rc && r->n == before)
        rc = gf_fail(GF_EFORMAT, "no rows of bench --json");
    free(line);
    fclose(f);
    return rc ? gf_fail((enum gf_status)rc, "'%s': %s", gf_log_name(path), gf_message()) : 0;
}

static const struct gf_bench_result *
counterpart(const struct gf_bench_results *r, const struct gf_bench_result *of, const char *name) {
    const struct gf_bench_result *found = NULL;
    for (int i = 0; i < r->n; i++) {
        const struct gf_bench_result *to = &r->result[i];
        if (strcmp(to->row.name, name) || to->row.status != GF_BENCH_OK ||
            !gf_bench_same_case(&to->c, &of->c))
            continue;
        if (to->host == of->host)
            return to;
        found = found ? found : to;
    }
    return found;
}

void gf_bench_relate(struct gf_bench_results *r, const char *relative) {
    for (int i = 0; i < r->n; i++) {
        struct gf_bench_result *row = &r->result[i];
        const struct gf_bench_result *to = NULL;
        if (row->row.status != GF_BENCH_OK)
            continue;
        if (relative || *row->row.relative)
            to = counterpart(r, row, relative ? relative : row->row.relative);
        row->row.ratio = to ? to->row.time.median / row->row.time.median : 0;
        snprintf(row->row.relative, sizeof row->row.relative, "%s", to ? to->row.name : "");
    }
}
