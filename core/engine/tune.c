/* The measurements of `gpufft tune`, of one device. */
#include "core/engine/tune.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/bandwidth.h"
#include "core/base/host/clock.h"
#include "core/base/value/sample_value.h"

/* Milliseconds: each round repeats a transform for REPEAT_MS, or runs it once if it takes SLOW_MS;
 * no round begins after ROUNDS_MS, no transform after LATEST_MS. */
enum { REPEAT_MS = 100, SLOW_MS = 3000, ROUNDS_MS = 20000, LATEST_MS = 40000 };
enum { BUS_BYTES = 64 << 20, LINK_BYTES = 256 << 20 };
/* Threads spin while they wait for their team; one with less of a CPU shares it with other work. */
static const double least_cpu = 0.75;
enum { MOST_SIDE = 4096, BATCH = 8 << 20 /* samples */ };

struct tuning {
    const struct gf_backend *b;
    void *context;
    double start; /* ms */
    int threads;  /* as in struct gf_speeds */
};

/* Transforms of real pictures, enough of them to occupy a device: to full spectra, or to three
 * levels of coefficients. */
static struct gf_job job_of(int side, bool wavelet, bool several) {
    const int64_t n = several && side < MOST_SIDE ? (int64_t)BATCH / side / side : 1;
    struct gf_job job = {.direction = GF_FORWARD,
                         .ndim = 3,
                         .shape = {n > 1 ? n : 1, side, side},
                         .channels = 1,
                         .axes = 6,
                         .in_dtype = GF_F32,
                         .n_out = 1,
                         .op = wavelet ? GF_DWT : GF_FFT};
    job.out[0] = (struct gf_output){.kind = wavelet ? GF_REAL : GF_COMPLEX,
                                    .dtype = wavelet ? GF_F32 : GF_C64,
                                    .map = GF_MAP_NUMBER};
    if (wavelet)
        job.wavelet = (struct gf_wavelet){.levels = 3};
    return job;
}

/* A plan with its arrays. */
struct work {
    struct gf_plan *plan;
    struct gf_array in, out;
};

/* Allocates a new output, as for each file of a run. */
static int renew(const struct gf_job *job, struct gf_array *out) {
    gf_array_free(out);
    return gf_job_alloc(job, 0, out);
}

static int prepare(const struct gf_backend *b, void *context, const struct gf_job *job,
                   struct work *w) {
    *w = (struct work){.plan = NULL};
    int rc = gf_job_alloc(job, -1, &w->in);
    if (!rc)
        rc = renew(job, &w->out);
    if (!rc)
        rc = gf_backend_plan(b, context, job, &w->plan);
    if (!rc)
        gf_samples_noise(&w->in);
    return rc;
}

static void drop(struct work *w) {
    gf_plan_drop(w->plan);
    gf_array_free(&w->in);
    gf_array_free(&w->out);
}

/* Samples a second by the device's clock, the best of a few runs; and rates of the staged
 * copies. */
static double rate_on_device(const struct tuning *t, const struct gf_job *job, double staged[2]) {
    struct work w;
    struct gf_report report;
    double best = 0, begun = gf_now_ms();
    int rc = prepare(t->b, t->context, job, &w);
    for (int i = 0; !rc && (i < 2 || gf_now_ms() - begun < (i < 3 ? SLOW_MS : REPEAT_MS)); i++) {
        rc = renew(job, &w.out);
        if (!rc)
            rc = gf_plan_exec(w.plan, &w.in, &w.out, &report);
        if (rc)
            break;
        const double rate = (double)gf_array_count(&w.in) / report.ms.run * 1e3;
        best = i && report.ms.run > 0 ? fmax(rate, best) : best;
        if (i && report.ms.upload > 0 && report.ms.download > 0) {
            staged[0] = fmax(staged[0], (double)gf_array_bytes(&w.in) / report.ms.upload * 1e3);
            staged[1] = fmax(staged[1], (double)gf_array_bytes(&w.out) / report.ms.download * 1e3);
        }
    }
    drop(&w);
    return best;
}

/* Some of the CPU's threads, with their own context and pictures. */
struct team {
    const struct gf_backend *b;
    const struct gf_job *job;
    struct gf_backend_options options;
    pthread_t thread;
    double rate; /* samples a second */
    bool busy;   /* its first thread had to wait for a CPU */
};

static void *run_team(void *user) {
    struct team *team = user;
    const struct gf_backend *b = team->b;
    struct work w;
    struct gf_report report;
    void *context;
    if (b->open(b, &team->options, &context))
        return NULL;
    int rc = prepare(b, context, team->job, &w), runs = 0;
    if (!rc)
        rc = gf_plan_exec(w.plan, &w.in, &w.out, &report); /* warms up */
    double start = gf_now_ms(), cpu = gf_thread_ms(), ms = 0, least = INFINITY;
    while (!rc && (runs < 2 || ms < REPEAT_MS)) {
        rc = gf_plan_exec(w.plan, &w.in, &w.out, &report);
        runs++;
        least = fmin(least, gf_now_ms() - start - ms);
        ms = gf_now_ms() - start;
    }
    if (!rc)
        team->rate = (double)gf_array_count(&w.in) / least * 1e3;
    team->busy = gf_thread_ms() - cpu < least_cpu * ms;
    drop(&w);
    b->close(context);
    return NULL;
}

/* The combined rate of all CPU threads, in small teams for small pictures, as for a file's pages
 * and a folder's files. */
static double rate_on_cpu(const struct tuning *t, const struct gf_job *job, bool *busy) {
    enum { MOST_TEAMS = 8, TEAM = 4 };
    struct team team[MOST_TEAMS];
    const int threads = t->threads;
    const bool small = t->b->per_thread && job->shape[1] < MOST_SIDE;
    const int wanted = small ? threads / TEAM : 1;
    const int teams = wanted < 1 ? 1 : wanted < MOST_TEAMS ? wanted : MOST_TEAMS;
    double rate = 0;
    int started = 1;
    for (int i = 0; i < teams; i++)
        team[i] = (struct team){
            .b = t->b, .job = job, .options = {.threads = threads / teams, .general = true}};
    while (started < teams &&
           !pthread_create(&team[started].thread, NULL, run_team, &team[started]))
        started++;
    run_team(&team[0]);
    for (int i = 1; i < started; i++)
        pthread_join(team[i].thread, NULL);
    for (int i = 0; i < started; i++) {
        rate += team[i].rate;
        *busy = *busy || team[i].busy;
    }
    return rate;
}

/* Samples a second; 0 if the device cannot or time is up. */
static double rate_of(const struct tuning *t, int side, bool wavelet, struct gf_speeds *r) {
    const struct gf_job job = job_of(side, wavelet, t->b->on_device);
    if (gf_now_ms() - t->start > LATEST_MS)
        return 0;
    return t->b->on_device ? rate_on_device(t, &job, r->staged) : rate_on_cpu(t, &job, &r->noisy);
}

static void measure_copies(const struct tuning *t, struct gf_speeds *r) {
    const struct gf_on_device *d = t->b->on_device;
    struct gf_device_speed speed = {.copy = 0};
    double seconds[2];
    if (!d) {
        gf_bandwidth_copy(t->threads, &r->copy);
        return;
    }
    if (!d->measure(t->context, &speed))
        r->copy = speed.copy;
    for (int pinned = 0; pinned < 2 && d->transfer; pinned++)
        if (!d->transfer(t->context, BUS_BYTES, pinned, seconds))
            for (int i = 0; i < 2; i++)
                r->bus[pinned][i] = seconds[i] > 0 ? BUS_BYTES / seconds[i] : 0;
}

/* Measures the link to another device of its kind. */
static double link_to(const struct gf_environment *env, const struct gf_backend *b, int own,
                      int other) {
    char name[2][16];
    const char *const pair[] = {name[0], name[1]};
    void *context;
    double speed;
    snprintf(name[0], sizeof name[0], "%d", own);
    snprintf(name[1], sizeof name[1], "%d", other);
    if (b->open(b,
                &(struct gf_backend_options){.environment = env, .devices = pair, .n_devices = 2},
                &context))
        return 0;
    if (b->on_device->link(context, LINK_BYTES, &speed))
        speed = 0;
    b->close(context);
    return speed;
}

/* The slowest link to another device of its kind; 0 if one is out of reach, or if the device is not
 * given by number. */
static double slowest_link(const struct gf_environment *env, const struct gf_backend *b,
                           const char *device) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    const int n = b->shares && b->on_device->link ? gf_backend_devices(env, b, props) : 0;
    const int own = device ? atoi(device) : 0;
    double slowest = INFINITY;
    if (n < 2 || (device && strspn(device, "0123456789") < strlen(device)) || own >= n ||
        props[own].is_cpu)
        return 0;
    for (int i = 0; i < n && slowest > 0; i++)
        if (i != own && !props[i].is_cpu)
            slowest = fmin(slowest, link_to(env, b, own, i));
    return isfinite(slowest) ? slowest : 0;
}

static double measure(void *user, struct gf_speeds *r) {
    const struct tuning *t = user;
    for (int i = 0; i < GF_SPEEDS_FFTS; i++)
        r->fft[i] = rate_of(t, gf_speeds_fft_side[i], false, r);
    for (int i = 0; i < GF_SPEEDS_WAVELETS; i++)
        r->wavelet[i] = rate_of(t, gf_speeds_wavelet_side[i], true, r);
    measure_copies(t, r); /* last, as it is not skipped when time is up */
    return gf_now_ms() - t->start;
}

void gf_tune_rounds(gf_tune_round round, void *user, struct gf_speeds *r) {
    struct gf_speeds second = {.threads = 0}, now;
    double *best[GF_SPEEDS_RATES], *next[GF_SPEEDS_RATES], *rate[GF_SPEEDS_RATES], ms;
    int quiet = 0;
    bool agree;
    gf_speeds_rates(r, best);
    gf_speeds_rates(&second, next);
    gf_speeds_rates(&now, rate);
    do {
        now = (struct gf_speeds){.threads = 0};
        ms = round(user, &now);
        quiet += !now.noisy;
        agree = true;
        for (int i = 0; i < GF_SPEEDS_RATES; i++) {
            *next[i] = fmax(*next[i], fmin(*best[i], *rate[i]));
            *best[i] = fmax(*best[i], *rate[i]);
            agree = agree && *next[i] >= (1 - GF_TUNE_TOLERANCE) * *best[i];
        }
        r->noisy = quiet < 2 || !agree;
    } while (r->noisy && ms < ROUNDS_MS);
}

int gf_tune_device(const struct gf_backend *b, const struct gf_backend_options *options,
                   struct gf_speeds *r) {
    struct tuning t = {.b = b, .start = gf_now_ms()};
    *r = (struct gf_speeds){.threads = 0};
    int rc = b->open(b, options, &t.context);
    if (rc)
        return rc;
    if (b->devices)
        r->open = (gf_now_ms() - t.start) * 1e-3;
    else
        t.threads = r->threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    gf_tune_rounds(measure, &t, r);
    b->close(t.context);
    if (b->devices)
        r->link = slowest_link(options->environment, b, options->device);
    return 0;
}
