/* A file of lines: version, backend, device, driver, then numbers, between tabs. */
#include "core/session/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/cache_lines.h"

enum { MOST = 64, KEY = 640, BYTES = 32 << 10, NUMBERS = 10 + GF_RECORD_FFTS + GF_RECORD_WAVELETS };
static const char name[] = "device-speeds";

const int gf_record_fft_side[GF_RECORD_FFTS] = {256, 1024, 4096};
const int gf_record_wavelet_side[GF_RECORD_WAVELETS] = {1024, 4096};

/* How a device's line begins: a change of any of these makes it another one. */
static bool key_of(const struct gf_backend *b, const char *device, char key[KEY]) {
    struct gf_gpu_props p = {.name = ""};
    char reason[GF_REASON] = "";
    if (b->probe(reason) || (b->list && gf_backend_device(b, device, &p)))
        return false;
    if (b->list)
        snprintf(key, KEY, GF_VERSION "\t%s\t%s\t%s, %s\t", b->name, p.name, p.driver, p.compiler);
    else
        snprintf(key, KEY, GF_VERSION "\t%s\t%s\t%s\t", b->name, device ? device : "", reason);
    for (char *at = key; *at; at++)
        if (*at == '\n')
            *at = ' ';
    return true;
}

/* The numbers of a record in the order in which they are kept. */
static void numbers(struct gf_speed_record *r, double *at[NUMBERS]) {
    int n = 0;
    at[n++] = &r->copy;
    for (int i = 0; i < 4; i++)
        at[n++] = &r->bus[i / 2][i % 2];
    for (int i = 0; i < 2; i++)
        at[n++] = &r->staged[i];
    for (int i = 0; i < GF_RECORD_FFTS; i++)
        at[n++] = &r->fft[i];
    for (int i = 0; i < GF_RECORD_WAVELETS; i++)
        at[n++] = &r->wavelet[i];
    at[n++] = &r->open;
    at[n++] = &r->link;
}

static bool parse(const char *text, struct gf_speed_record *r) {
    double *at[NUMBERS] = {NULL};
    char *end;
    *r = (struct gf_speed_record){.threads = (int)strtol(text, &end, 10)};
    numbers(r, at);
    for (int i = 0; i < NUMBERS && at[i]; i++) {
        text = end;
        *at[i] = strtod(text, &end);
        if (end == text || !isfinite(*at[i]) || *at[i] < 0)
            return false;
    }
    return r->threads >= 0;
}

bool gf_record_of_device(const struct gf_backend *b, const char *device,
                         struct gf_speed_record *r) {
    char key[KEY], text[BYTES], *line, *rest = text;
    if (!key_of(b, device, key))
        return false;
    gf_cache_lines_read(name, text, sizeof text);
    while ((line = strsep(&rest, "\n")))
        if (!strncmp(line, key, strlen(key)))
            return parse(line + strlen(key), r);
    return false;
}

bool gf_record_keep(const struct gf_backend *b, const char *device,
                    const struct gf_speed_record *r) {
    struct gf_speed_record own = *r;
    double *at[NUMBERS] = {NULL};
    char key[KEY], old[BYTES], text[BYTES], *line, *rest = old;
    int kept = 1;
    if (!key_of(b, device, key))
        return false;
    numbers(&own, at);
    int used = snprintf(text, sizeof text, "%s%d", key, own.threads);
    for (int i = 0; i < NUMBERS && at[i]; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %.6g", *at[i]);
    used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    const int lock = gf_cache_lines_lock();
    gf_cache_lines_read(name, old, sizeof old);
    while ((line = strsep(&rest, "\n")) && kept < MOST)
        if (*line && strncmp(line, key, strlen(key)) &&
            used + (int)strlen(line) + 2 < (int)sizeof text) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%s\n", line);
            kept++;
        }
    const bool good = gf_cache_lines_write(name, text);
    gf_cache_lines_unlock(lock);
    return good;
}

bool gf_record_has_any(void) {
    char text[8];
    gf_cache_lines_read(name, text, sizeof text);
    return text[0];
}

int gf_record_forget(void) {
    return gf_cache_lines_remove(name);
}

/* ---- what it tells ---- */

/* Samples a second for a transform of so many samples: between two measured sizes by the logarithms,
 * beyond them as at the nearest. */
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

/* Arrays of a MiB and more are copied through page-locked buffers. */
static double copy_seconds(const struct gf_speed_record *r, double bytes, int back) {
    const double speed = bytes >= 1 << 20 ? r->staged[back] : r->bus[0][back];
    return speed > 0 ? bytes / speed : 0;
}

double gf_record_seconds(const struct gf_speed_record *r, const struct gf_job *job, int threads) {
    double samples = (double)job->channels, seconds;
    for (int i = 0; i < job->ndim; i++)
        samples *= (double)job->shape[i];
    const double rate =
        job->op == GF_DWT ? rate_at(gf_record_wavelet_side, r->wavelet, GF_RECORD_WAVELETS, samples)
                          : rate_at(gf_record_fft_side, r->fft, GF_RECORD_FFTS, samples);
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
