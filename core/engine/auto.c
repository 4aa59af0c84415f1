/* auto's choice: the CPU's time against a GPU's, both estimated from the job alone. */
#include "core/engine/auto.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/base/value/factor.h"
#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/engine/speeds.h"

/* Seconds: opening a context; copying a byte to or from a device; one point's step between levels
 * of a transform, in single precision on one thread; compiling a plan's kernels concurrently; one
 * point's step of a transform for tables, needed on either side. Rough figures from an H200 beside
 * two cores of a Xeon: where they decide wrongly, little is lost. */
const double gf_context_seconds = 0.4;
static const double byte_seconds = 1e-10, step_seconds = 0.4e-9, build_seconds = 0.6,
                    table_step_seconds = 2e-9;

/* The terms compared; seconds for all runs. */
struct weights {
    int threads;
    bool is_double;
    double host, device;
    int64_t device_bytes; /* arrays and one spectrum */
};

/* Points of, and seconds for, the tables of lengths with a large prime: spectra of convolutions
 * over at least twice as many points. */
static double weigh_tables(const struct gf_job *job, int threads, double *points) {
    double seconds = 0;
    *points = 0;
    for (int i = 0; i < job->ndim; i++) {
        int64_t n = job->shape[i];
        if (!(job->axes >> i & 1) || gf_factor_radices(n).rest == 1)
            continue;
        double m = (double)gf_factor_smooth_length(2 * n - 1);
        *points += m + (double)n;
        seconds += m * log2(m) * table_step_seconds / threads;
    }
    return seconds;
}

static struct weights weigh(const struct gf_job *job, const struct gf_outlook *o) {
    struct weights w = {.is_double = job->precision == GF_DOUBLE};
    double points = job->luma ? 1 : (double)job->channels, runs = (double)o->runs, bytes = 0;
    w.threads = o->threads > 0 ? o->threads : omp_get_max_threads();
    for (int i = 0; i < job->ndim; i++)
        points *= (double)job->shape[i];
    for (int i = -1; i < job->n_out; i++)
        bytes += gf_job_array_bytes(job, i);
    double share = gf_job_is_real(job) ? 0.5 : 1;
    double ways = job->op == GF_FILTER ? 2 : 1; /* there and back */
    double steps = ways * points * share * log2((double)gf_job_points(job) + 1);
    w.host = runs * steps * step_seconds * (w.is_double ? 2 : 1) / w.threads;
    double table_points, tables = weigh_tables(job, w.threads, &table_points);
    w.host += tables;
    w.device = (o->open ? 0 : gf_context_seconds) + tables +
               (runs * bytes + table_points * (w.is_double ? 16 : 8)) * byte_seconds;
    w.device_bytes =
        (int64_t)fmin(bytes + (points * share + table_points) * (w.is_double ? 16 : 8), 0x1p62);
    return w;
}

/* The first usable backend in host memory. */
static int choose_host(const struct gf_outlook *o, const struct gf_backend **out) {
    char reason[GF_REASON] = "no backend runs on the CPU";
    *out = NULL;
    while ((*out = gf_backend_next(o->backends, false, *out)))
        if (!(*out)->probe(*out, o->environment, reason))
            return 0;
    return gf_fail(GF_EABSENT, "no backend is usable here: %s", reason);
}

/* Seconds of the runs by the device's record; 0 if there is none or it is noisy. */
static double recorded(const struct gf_backend *b, const struct gf_job *job,
                       const struct gf_outlook *o, const char **noisy) {
    struct gf_speeds r;
    if (!gf_speeds_of_device(o->environment, b, b->devices ? o->device : NULL, &r)) {
        *noisy = r.noisy ? b->name : *noisy;
        return 0;
    }
    return (double)o->runs * gf_speeds_seconds(&r, job, o->threads);
}

/* Replaces estimates by measurements. Looks at devices only if the CPU takes longer than a context.
 * Returns the name of a backend with a noisy record, or NULL. */
static const char *weigh_recorded(const struct gf_job *job, const struct gf_outlook *o,
                                  struct weights *w) {
    const char *noisy = NULL;
    const struct gf_backend *b;
    const double context = o->open ? 0 : gf_context_seconds;
    if (o->untuned || !gf_speeds_has_any(o->environment))
        return NULL;
    double seconds = choose_host(o, &b) ? 0 : recorded(b, job, o, &noisy);
    if (seconds > 0)
        w->host = seconds;
    for (b = NULL, seconds = 0; w->host > context && (b = gf_backend_next(o->backends, true, b)) &&
                                !(seconds = recorded(b, job, o, &noisy));)
        continue;
    if (seconds > 0)
        w->device = context + seconds;
    return noisy;
}

static const char *time_text(double seconds, char text[32]) {
    if (seconds < 1e-3)
        snprintf(text, 32, "a millisecond");
    else if (seconds < 1)
        snprintf(text, 32, "%.0f ms", seconds * 1e3);
    else
        snprintf(text, 32, "%.1f s", seconds);
    return text;
}

/* True if the backend has a device that could run the job; otherwise `but` becomes the reason. */
static bool suits(const struct gf_backend *b, const struct gf_outlook *o, const struct weights *w,
                  struct gf_gpu_props *p, char but[GF_REASON]) {
    char need[GF_SIZE_TEXT], has[GF_SIZE_TEXT];
    if (gf_backend_device(o->environment, b, o->device, p) || p->is_cpu)
        return false;
    if (w->is_double && !p->fp64) {
        snprintf(but, GF_REASON, "%.60s has no double precision", p->name);
        return false;
    }
    if (o->device_memory && o->device_memory < p->memory)
        p->memory = o->device_memory;
    if (w->device_bytes <= p->memory)
        return true;
    snprintf(but, GF_REASON, "that takes %s on the device, %.60s has %s",
             gf_memory_text(w->device_bytes, need), p->name, gf_memory_text(p->memory, has));
    return false;
}

/* The requested device does not exist if there are usable backends, but none has it. */
static void look_for_device(const struct gf_outlook *o, char no_device[GF_REASON]) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES], p;
    for (const struct gf_backend *b = NULL; (b = gf_backend_next(o->backends, true, b));) {
        if (!gf_backend_devices(o->environment, b, list))
            continue;
        if (!gf_backend_device(o->environment, b, o->device, &p)) {
            no_device[0] = 0;
            return;
        }
        snprintf(no_device, GF_REASON, "%.250s", gf_message());
    }
}

static void add_noisy(const char *backend, char why[GF_REASON]) {
    const size_t n = strlen(why);
    if (backend)
        snprintf(why + n, GF_REASON - n, "; tune's record of %s is noisy, not used", backend);
}

int gf_auto_choose(const struct gf_job *job, const struct gf_outlook *o, struct gf_choice *choice) {
    *choice = (struct gf_choice){.backend = NULL};
    if (job->op == GF_DWT) { /* few operations per sample, bound by memory */
        int rc = choose_host(o, &choice->backend);
        if (!rc)
            snprintf(choice->why, GF_REASON, "wavelets are done before a GPU has the samples");
        return rc;
    }
    struct weights w = weigh(job, o);
    const char *noisy = weigh_recorded(job, o, &w);
    if (w.host > w.device && o->is_cold && o->is_cold(o->environment))
        w.device += build_seconds;
    struct gf_gpu_props props;
    char host[32], device[32], times[32] = "", but[GF_REASON] = "no GPU is usable";
    const char *s = w.threads == 1 ? "" : "s";
    time_text(w.host, host);
    time_text(w.device, device);
    if (o->runs > 1)
        snprintf(times, sizeof times, ", for %lld jobs", (long long)o->runs);
    if (o->device && w.host > w.device)
        look_for_device(o, choice->no_device);
    if (choice->no_device[0])
        snprintf(but, GF_REASON, "no device '%.64s'", o->device);
    for (const struct gf_backend *b = NULL;
         w.host > w.device && (b = gf_backend_next(o->backends, true, b));) {
        if (!suits(b, o, &w, &props, but))
            continue;
        choice->backend = b;
        snprintf(choice->why, GF_REASON, "about %s with the copies on %.60s, %s on %d thread%s%s",
                 device, props.name, host, w.threads, s, times);
        add_noisy(noisy, choice->why);
        return 0;
    }
    if (w.host <= w.device)
        snprintf(but, GF_REASON, "a GPU would take %s in all", device);
    int rc = choose_host(o, &choice->backend);
    if (!rc)
        snprintf(choice->why, GF_REASON, "about %s on %d thread%s%s; %.150s", host, w.threads, s,
                 times, but);
    add_noisy(noisy, choice->why);
    return rc;
}
