/* Keeps measured plans as lines of fields between tabs: checksum, API, device, driver and compiler,
 * job, script, times. */
#include "core/gpu/cache/plan_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/store/lines.h"
#include "core/gpu/cache/kernel_source.h"

enum { KEY = 1024, VALUE = GF_GPU_SCRIPT + 64, FIELDS = 7 };
static const char name[] = "plans", head[] = "gpufft plans 1\n", noisy[] = " noisy";

/* Writes all of a job that its plan depends on. */
static void job_text(const struct gf_job *job, char *text, size_t size) {
    int used = snprintf(text, size, "%s", job->direction == GF_FORWARD ? "forward " : "inverse ");
    for (int i = 0; i < job->ndim; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%lld", i ? "x" : "",
                         (long long)job->shape[i]);
    used += snprintf(text + used, size - (size_t)used, " channels %lld axes %u %s%s%s%s%s%s%s%s",
                     (long long)job->channels, job->axes, gf_dtype_name(job->in_dtype),
                     job->precision == GF_DOUBLE ? " double" : "", job->luma ? " luma" : "",
                     job->in_shift ? " shift" : "", job->in_half ? " half" : "",
                     job->real ? " real" : "", job->lean ? " lean" : "",
                     gf_job_scale(job) != 1 ? " scaled" : "");
    for (int i = 0; i < job->n_out; i++) {
        const struct gf_output *o = &job->out[i];
        used += snprintf(text + used, size - (size_t)used, " > %s %s%s%s", gf_kind_name(o->kind),
                         gf_dtype_name(o->dtype), o->half ? " half" : "", o->shift ? " shift" : "");
        if (o->map == GF_MAP_DISPLAY)
            used +=
                snprintf(text + used, size - (size_t)used, " display %d.%d", o->scale, o->range);
    }
}

static void key_of(const struct gf_gpu *api, const struct gf_gpu_props *props,
                   const struct gf_job *job, char key[KEY]) {
    char text[KEY / 2];
    job_text(job, text, sizeof text);
    snprintf(key, KEY, "%s\t%s\t%s\t%s, %s\t%s\t", gf_planner_sum, api->name, props->name,
             props->driver, props->compiler, text);
    for (char *at = key; *at; at++)
        if (*at == '\n')
            *at = ' ';
}

static bool parse(const char *value, struct gf_gpu_plan_record *r) {
    const size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789 ");
    char *end;
    if (!n || n >= sizeof r->script || value[n] != '\t')
        return false;
    memcpy(r->script, value, n);
    r->script[n] = 0;
    r->ms = strtod(value + n + 1, &end);
    r->estimate_ms = strtod(end, &end);
    r->noisy = !strcmp(end, noisy);
    return r->ms > 0 && isfinite(r->ms) && r->estimate_ms > 0 && isfinite(r->estimate_ms) &&
           (r->noisy || !*end);
}

bool gf_gpu_plan_record_find(const struct gf_gpu *api, const struct gf_gpu_props *props,
                             const struct gf_job *job, struct gf_gpu_plan_record *r) {
    char key[KEY], value[VALUE];
    if (!api->build || !gf_gpu_can_choose(job)) /* no build(): a device that only plans */
        return false;
    key_of(api, props, job, key);
    return gf_store_lines_find(props->environment, name, key, value, sizeof value) &&
           parse(value, r);
}

bool gf_gpu_plan_record_keep(const struct gf_gpu *api, const struct gf_gpu_props *props,
                             const struct gf_job *job, const struct gf_gpu_plan_record *r) {
    char key[KEY], value[VALUE];
    key_of(api, props, job, key);
    snprintf(value, sizeof value, "%s\t%.6g %.6g%s", r->script, r->ms, r->estimate_ms,
             r->noisy ? noisy : "");
    return gf_store_lines_keep(props->environment, name, key, value);
}

/* ---- files ---- */

bool gf_gpu_plan_records_any(const struct gf_environment *env) {
    char text[8];
    return gf_store_lines_find(env, name, "", text, sizeof text);
}

char *gf_gpu_plan_records_export(const struct gf_environment *env) {
    char *records = gf_store_lines_text(env, name);
    const size_t size = records ? sizeof head + strlen(records) : 0;
    char *text = records ? malloc(size) : NULL;
    if (text)
        snprintf(text, size, "%s%s", head, records);
    free(records);
    return text;
}

/* Returns the value in a line that gf_gpu_plan_record_keep() could have written; NULL for
 * others. */
static const char *value_of(const char *line, size_t bytes) {
    struct gf_gpu_plan_record r;
    char text[KEY + VALUE];
    int tabs = 0;
    size_t i = 0;
    if (bytes >= sizeof text)
        return NULL;
    for (; i < bytes && tabs < FIELDS - 2; i++) {
        const unsigned char ch = (unsigned char)line[i];
        tabs += ch == '\t';
        if ((ch < ' ' && ch != '\t') || ch == 0x7f)
            return NULL;
    }
    snprintf(text, sizeof text, "%.*s", (int)(bytes - i), line + i);
    return i < KEY && strlen(text) == bytes - i && parse(text, &r) ? line + i : NULL;
}

int gf_gpu_plan_records_import(const struct gf_environment *env, const char *text, size_t bytes,
                               int *kept, int *others) {
    const size_t own = strlen(gf_planner_sum);
    const char *end = text + bytes, *line;
    *kept = *others = 0;
    if (bytes < sizeof head - 1 || memcmp(text, head, sizeof head - 1) ||
        bytes > sizeof head + GF_STORE_LINES_BYTES)
        return gf_fail(GF_EFORMAT, "no file of gpufft tune --export");
    for (int keeps = 0; keeps < 2; keeps++)
        for (line = text + sizeof head - 1; line < end;) {
            const char *stop = memchr(line, '\n', (size_t)(end - line));
            const size_t n = (size_t)((stop ? stop : end) - line);
            const char *value = value_of(line, n);
            char key[KEY], rest[VALUE];
            if (!value || !stop)
                return gf_fail(GF_EFORMAT, "a damaged record: %.*s", (int)(n < 40 ? n : 40), line);
            const bool ours = !strncmp(line, gf_planner_sum, own) && line[own] == '\t';
            snprintf(key, sizeof key, "%.*s", (int)(value - line), line);
            snprintf(rest, sizeof rest, "%.*s", (int)(line + n - value), value);
            if (keeps && ours && !gf_store_lines_keep(env, name, key, rest))
                return gf_fail(GF_EIO, "the records could not be kept");
            *kept += keeps && ours;
            *others += keeps && !ours;
            line = stop + 1;
        }
    return 0;
}

int gf_gpu_plan_records_forget(const struct gf_environment *env) {
    return gf_store_lines_remove(env, name);
}
