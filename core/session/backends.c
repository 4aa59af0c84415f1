#include "core/base/backend.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/gpu/common.h"
#include "core/base/memory.h"
#include "core/base/status.h"

const struct gf_backend *const gf_backends[] = {
    &gf_backend_openmp, &gf_backend_opencl, &gf_backend_cuda,
    &gf_backend_cufft,  &gf_backend_fftw,   NULL,
};

static int min3(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Edit distance, case aside, where a swap of neighbours counts as one; names longer than a
 * backend's could ever be are simply far away. */
static int distance(const char *a, const char *b) {
    enum { LONGEST = 16 };
    int d[LONGEST + 1][LONGEST + 1];
    int n = (int)strnlen(a, LONGEST + 1), m = (int)strnlen(b, LONGEST + 1);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= m; j++) {
            if (!i || !j) {
                d[i][j] = i + j;
                continue;
            }
            int differ = (a[i - 1] | 32) != (b[j - 1] | 32);
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + differ);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = min3(d[i][j], d[i - 2][j - 2] + 1, d[i][j]);
        }
    }
    return d[n][m];
}

static int unknown_name(const char *name) {
    char list[128] = "";
    const char *near = NULL;
    int nearest = 3; /* two slips of the hand are a typing mistake, three another word */
    for (int i = 0; gf_backends[i]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", gf_backends[i]->name);
        int d = distance(name, gf_backends[i]->name);
        if (d < nearest) {
            nearest = d;
            near = gf_backends[i]->name;
        }
    }
    if (near)
        return gf_fail(GF_EUSAGE, "no backend '%s'; did you mean '%s'? (auto, %s)", name, near,
                       list);
    return gf_fail(GF_EUSAGE, "no backend '%s'; there are auto, %s", name, list);
}

int gf_backend_find(const char *name, const struct gf_backend **out) {
    *out = NULL;
    for (int i = 0; gf_backends[i]; i++) {
        if (strcmp(name, gf_backends[i]->name))
            continue;
        char reason[GF_REASON] = "";
        if (gf_backends[i]->probe(reason))
            return gf_fail(GF_EABSENT, "backend '%s' is not usable here: %s", name, reason);
        *out = gf_backends[i];
        return 0;
    }
    return unknown_name(name);
}

/* ---- devices ---- */

int gf_backend_device(const struct gf_backend *b, const char *name, struct gf_gpu_props *props) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES];
    char reason[GF_REASON] = "";
    int index;
    if (b->probe(reason))
        return gf_fail(GF_EABSENT, "backend '%s' is not usable here: %s", b->name, reason);
    int n = b->gpu->list(list, GF_GPU_MAX_DEVICES);
    int rc = n < 0 ? n : gf_gpu_pick(name, list, n, &index);
    if (!rc)
        *props = list[index];
    return rc;
}

/* GPU backends in the order of preference. */
static const struct gf_backend *const on_devices[] = {&gf_backend_cuda, &gf_backend_opencl, NULL};

int gf_backend_of_device(const char *name, const struct gf_backend **out) {
    struct gf_gpu_props props;
    for (int i = 0; on_devices[i]; i++) {
        *out = on_devices[i];
        if (!gf_backend_device(*out, name, &props))
            return 0;
    }
    *out = NULL;
    return gf_fail(GF_EABSENT,
                   "--device=%s: no usable backend has such a device; see gpufft devices", name);
}

/* ---- auto ---- */

/* Seconds: opening a context; a byte's way to a device or back; a point's step from one level of a
 * transform to the next, in single precision on one thread. Rough: an H200 beside two cores of a
 * Xeon stands behind them; where they decide wrongly, little is lost. */
static const double context_seconds = 0.4, byte_seconds = 1e-10, step_seconds = 0.4e-9;

/* What there is to weigh; times for all runs together. */
struct weights {
    int threads;
    bool wide;
    double host, device;
    int64_t device_bytes; /* arrays and one spectrum */
};

static struct weights weigh(const struct gf_job *job, const struct gf_outlook *o) {
    struct weights w = {.wide = job->precision == GF_DOUBLE};
    int64_t shape[GF_MAX_RANK];
    double points = job->luma ? 1 : (double)job->channels, runs = (double)o->runs, bytes = 0;
    w.threads = o->threads > 0 ? o->threads : omp_get_max_threads();
    for (int i = 0; i < job->ndim; i++)
        points *= (double)job->shape[i];
    for (int i = -1; i < job->n_out; i++) {
        double size = (double)gf_dtype_size(i < 0 ? job->in_dtype : job->out[i].dtype);
        if (i < 0)
            gf_job_in_shape(job, shape);
        else
            gf_job_out_shape(job, i, shape);
        for (int j = 0; j <= job->ndim; j++)
            size *= (double)shape[j];
        bytes += size;
    }
    double share = gf_job_is_real(job) ? 0.5 : 1;
    double ways = job->op == GF_FILTER ? 2 : 1; /* there and back */
    double steps = ways * points * share * log2((double)gf_job_points(job) + 1);
    w.host = runs * steps * step_seconds * (w.wide ? 2 : 1) / w.threads;
    w.device = (o->open ? 0 : context_seconds) + runs * bytes * byte_seconds;
    w.device_bytes = (int64_t)fmin(bytes + points * share * (w.wide ? 16 : 8), 0x1p62);
    return w;
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

/* Whether the backend's device could do it; if not, what to say of it goes to `but`. */
static bool suits(const struct gf_backend *b, const struct weights *w, struct gf_gpu_props *p,
                  char but[GF_REASON]) {
    char need[GF_SIZE_TEXT], has[GF_SIZE_TEXT];
    if (gf_backend_device(b, NULL, p) || p->is_cpu)
        return false;
    if (w->wide && !p->fp64) {
        snprintf(but, GF_REASON, "%.60s has no double precision", p->name);
        return false;
    }
    if (w->device_bytes <= p->memory)
        return true;
    snprintf(but, GF_REASON, "that takes %s on the device, %.60s has %s",
             gf_memory_text(w->device_bytes, need), p->name, gf_memory_text(p->memory, has));
    return false;
}

int gf_backend_weigh(const struct gf_job *job, const struct gf_outlook *outlook,
                     const struct gf_backend **out, char why[GF_REASON]) {
    if (job->op == GF_DWT) { /* a few operations a sample, at the pace of memory */
        *out = &gf_backend_openmp;
        snprintf(why, GF_REASON, "%s: wavelets are done before a GPU has the samples",
                 gf_backend_openmp.name);
        return 0;
    }
    struct weights w = weigh(job, outlook);
    struct gf_gpu_props props;
    char host[32], device[32], times[32] = "", but[GF_REASON] = "no GPU is usable";
    const char *s = w.threads == 1 ? "" : "s";
    time_text(w.host, host);
    time_text(w.device, device);
    if (outlook->runs > 1)
        snprintf(times, sizeof times, ", for %lld jobs", (long long)outlook->runs);
    for (int i = 0; on_devices[i] && w.host > w.device; i++) {
        if (!suits(on_devices[i], &w, &props, but))
            continue;
        *out = on_devices[i];
        snprintf(why, GF_REASON, "%s: about %s with the copies on %.60s, %s on %d thread%s%s",
                 (*out)->name, device, props.name, host, w.threads, s, times);
        return 0;
    }
    if (w.host <= w.device)
        snprintf(but, GF_REASON, "a GPU would take %s to be there", device);
    snprintf(why, GF_REASON, "openmp: about %s on %d thread%s%s; %.150s", host, w.threads, s, times,
             but);
    return gf_backend_find("openmp", out);
}

int gf_backend_choose(const struct gf_job *job, const struct gf_backend **out,
                      char why[GF_REASON]) {
    return gf_backend_weigh(job, &(struct gf_outlook){.runs = 1}, out, why);
}
