/* A file of lines, tab-separated: version, backend, device, driver, numbers, and "noisy" if they
 * are. */
#include "core/engine/speeds.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/base/value/hash.h"
#include "core/gpu/common.h"
#include "core/gpu/cache/plan_record.h"
#include "core/store/lines.h"

enum { KEY = 640, VALUE = 512, NUMBERS = GF_SPEEDS_RATES + 2 };
static const char name[] = "device-speeds", noisy[] = " noisy"; /* at a line's end */
static const char disks[] = "disk-speeds";                      /* one record per file system */

const int gf_speeds_fft_side[GF_SPEEDS_FFTS] = {256, 1024, 4096};
const int gf_speeds_wavelet_side[GF_SPEEDS_WAVELETS] = {1024, 4096};

/* The properties that identify a device. */
struct identity {
    struct gf_gpu_props props;
    char reason[GF_REASON];
    int rank, alike; /* position among, and number of, devices of this name */
};

static bool identify(const struct gf_environment *env, const struct gf_backend *b,
                     const char *device, struct identity *id) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES];
    int index = 0, n;
    *id = (struct identity){.alike = 1};
    if (b->probe(b, env, id->reason))
        return false;
    if (!b->list)
        return true;
    n = gf_backend_devices(env, b, list);
    if (gf_gpu_pick(device, list, n, &index))
        return false;
    id->props = list[index];
    id->alike = 0;
    for (int i = 0; i < n; i++) {
        const bool alike = !strcmp(list[i].name, list[index].name);
        id->rank += alike && i < index;
        id->alike += alike;
    }
    return true;
}

/* The key at the start of a device's line: any change makes it another device. Further devices of
 * one name get a number. */
static void key_of(const struct gf_backend *b, const char *device, const struct identity *id,
                   int rank, char key[KEY]) {
    char number[16] = "";
    if (rank)
        snprintf(number, sizeof number, " #%d", rank + 1);
    if (b->list)
        snprintf(key, KEY, GF_VERSION "\t%s\t%s%s\t%s, %s\t", b->name, id->props.name, number,
                 id->props.driver, id->props.compiler);
    else
        snprintf(key, KEY, GF_VERSION "\t%s\t%s\t%s\t", b->name, device ? device : "", id->reason);
    for (char *at = key; *at; at++)
        if (*at == '\n')
            *at = ' ';
}

void gf_speeds_rates(struct gf_speeds *r, double *at[GF_SPEEDS_RATES]) {
    int n = 0;
    at[n++] = &r->copy;
    for (int i = 0; i < 4; i++)
        at[n++] = &r->bus[i / 2][i % 2];
    for (int i = 0; i < 2; i++)
        at[n++] = &r->staged[i];
    for (int i = 0; i < GF_SPEEDS_FFTS; i++)
        at[n++] = &r->fft[i];
    for (int i = 0; i < GF_SPEEDS_WAVELETS; i++)
        at[n++] = &r->wavelet[i];
}

/* A record's numbers, in file order. */
static void numbers(struct gf_speeds *r, double *at[NUMBERS]) {
    gf_speeds_rates(r, at);
    at[GF_SPEEDS_RATES] = &r->open;
    at[GF_SPEEDS_RATES + 1] = &r->link;
}

static bool parse(const char *text, struct gf_speeds *r) {
    double *at[NUMBERS] = {NULL};
    char *end;
    *r = (struct gf_speeds){.threads = (int)strtol(text, &end, 10)};
    numbers(r, at);
    for (int i = 0; i < NUMBERS && at[i]; i++) {
        text = end;
        *at[i] = strtod(text, &end);
        if (end == text || !isfinite(*at[i]) || *at[i] < 0)
            return false;
    }
    r->noisy = !strcmp(end, noisy);
    return r->threads >= 0;
}

static bool find(const struct gf_environment *env, const char *key, struct gf_speeds *r) {
    char value[VALUE];
    return gf_store_lines_find(env, name, key, value, sizeof value) && parse(value, r);
}

bool gf_speeds_of_device(const struct gf_environment *env, const struct gf_backend *b,
                         const char *device, struct gf_speeds *r) {
    struct identity id;
    char key[KEY];
    bool any_noisy = false;
    *r = (struct gf_speeds){.threads = 0};
    if (!identify(env, b, device, &id))
        return false;
    for (int i = -1; i < id.alike; i++) { /* its own first */
        key_of(b, device, &id, i < 0 ? id.rank : i, key);
        if (!find(env, key, r))
            continue;
        if (!r->noisy)
            return true;
        any_noisy = true;
    }
    r->noisy = any_noisy;
    return false;
}

bool gf_speeds_keep(const struct gf_environment *env, const struct gf_backend *b,
                    const char *device, const struct gf_speeds *r) {
    struct gf_speeds own = *r;
    double *at[NUMBERS] = {NULL};
    struct identity id;
    char key[KEY], value[VALUE];
    if (!identify(env, b, device, &id))
        return false;
    key_of(b, device, &id, id.rank, key);
    numbers(&own, at);
    int used = snprintf(value, sizeof value, "%d", own.threads);
    for (int i = 0; i < NUMBERS && at[i]; i++)
        used += snprintf(value + used, sizeof value - (size_t)used, " %.6g", *at[i]);
    snprintf(value + used, sizeof value - (size_t)used, "%s", own.noisy ? noisy : "");
    return gf_store_lines_keep(env, name, key, value);
}

bool gf_speeds_has_any(const struct gf_environment *env) {
    char text[8];
    return gf_store_lines_find(env, name, "", text, sizeof text);
}

char *gf_speeds_export_plans(const struct gf_environment *env) {
    return gf_gpu_plan_records_export(env);
}

int gf_speeds_import_plans(const struct gf_environment *env, const char *text, size_t bytes,
                           int *kept, int *others) {
    return gf_gpu_plan_records_import(env, text, bytes, kept, others);
}

bool gf_speeds_digest(const struct gf_environment *env, char text[GF_SPEEDS_DIGEST]) {
    char *speeds = gf_store_lines_text(env, name), *plans = gf_gpu_plan_records_export(env);
    const bool any = gf_speeds_has_any(env) || gf_gpu_plan_records_any(env);
    const uint64_t h = gf_hash_text(gf_hash_text(GF_HASH_START, speeds), plans);
    snprintf(text, GF_SPEEDS_DIGEST, "%016llx", (unsigned long long)h);
    free(speeds);
    free(plans);
    return any;
}

int gf_speeds_forget(const struct gf_environment *env) {
    const int speeds = gf_store_lines_remove(env, name);
    const int plans = speeds < 0 ? speeds : gf_gpu_plan_records_forget(env);
    const int all = plans < 0 ? plans : gf_store_lines_remove(env, disks);
    return all < 0 ? all : speeds | plans | all;
}

/* ---- disks ---- */

/* The number of the folder's file system. */
static bool disk_key(const char *folder, char key[32]) {
    struct stat st;
    const bool there = !stat(folder, &st);
    snprintf(key, 32, "%llu ", there ? (unsigned long long)st.st_dev : 0);
    return there;
}

double gf_speeds_of_disk(const struct gf_environment *env, const char *folder) {
    char key[32], value[32];
    const bool known = disk_key(folder, key) && gf_store_lines_find(env, disks, key, value, 32);
    const double speed = known ? strtod(value, NULL) : 0;
    return speed > 0 && isfinite(speed) ? speed : 0;
}

void gf_speeds_keep_disk(const struct gf_environment *env, const char *folder,
                         double bytes_per_second) {
    char key[32], value[32];
    if (!(bytes_per_second > 0) || !isfinite(bytes_per_second) || !disk_key(folder, key))
        return;
    snprintf(value, sizeof value, "%.6g", bytes_per_second);
    gf_store_lines_keep(env, disks, key, value);
}

/* ---- what it tells ---- */

/* Samples a second for a transform of this size: logarithmic interpolation between measured sizes,
 * the nearest one beyond them. */
static double rate_at(const int *side, const double *rate, int n, double samples) {
    int i = 0;
    while (i < n - 1 && (double)side[i + 1] * side[i + 1] < samples && rate[i + 1] > 0)
        i++;
    const double low = (double)side[i] * side[i];
    if (samples <= low || i == n - 1 || !(rate[i + 1] > 0))
        return rate[i];
    const double high = (double)side[i + 1] * side[i + 1];
    const double part = log(samples / low) / log(high / low);
    return rate[i] > 0 ? exp((1 - part) * log(rate[i]) + part * log(rate[i + 1])) : rate[i + 1];
}

/* Arrays from 1 MiB on are copied through page-locked buffers. */
static double copy_seconds(const struct gf_speeds *r, double bytes, int back) {
    const double speed = bytes >= 1 << 20 ? r->staged[back] : r->bus[0][back];
    return speed > 0 ? bytes / speed : 0;
}

double gf_speeds_seconds(const struct gf_speeds *r, const struct gf_job *job, int threads) {
    double samples = (double)job->channels, seconds;
    for (int i = 0; i < job->ndim; i++)
        samples *= (double)job->shape[i];
    const double rate =
        job->op == GF_DWT ? rate_at(gf_speeds_wavelet_side, r->wavelet, GF_SPEEDS_WAVELETS, samples)
                          : rate_at(gf_speeds_fft_side, r->fft, GF_SPEEDS_FFTS, samples);
    if (!(rate > 0))
        return 0;
    seconds = samples / rate;
    if (job->op == GF_FILTER)
        seconds *= 2; /* there and back */
    if (!gf_job_is_real(job) && job->op != GF_DWT)
        seconds *= 2;
    if (job->precision == GF_DOUBLE)
        seconds *= 2;
    if (r->threads > 0 && threads > 0 && threads < r->threads)
        seconds *= (double)r->threads / threads;
    seconds += copy_seconds(r, gf_job_array_bytes(job, -1), 0);
    for (int i = 0; i < job->n_out; i++)
        seconds += copy_seconds(r, gf_job_array_bytes(job, i), 1);
    return seconds;
}
