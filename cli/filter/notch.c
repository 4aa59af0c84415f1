/* --auto-notch: periodic noise in a picture's own spectrum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter/notch.h"
#include "cli/filter/filtering.h"
#include "cli/filter/input.h"
#include "cli/log.h"
#include "core/base/memory.h"
#include "core/spectrum/spectrum.h"
#include "core/base/status.h"

/* Beside the strongest wave those are removed that are at least this strong, over their ring and by
 * their power: the lines of a printed page are periodic too, but weaker than its screen. */
static const double STRENGTH_RATIO = 1. / 4, POWER_RATIO = 1. / 9;
/* A modulated wave reaches far beyond the radius at which its peak is lost in its surroundings: a
 * gaussian notch of so many radii leaves a twelfth there. */
static const double RADII = 2.5;
enum { MOST_ORDER = 3 }; /* of sums and multiples of waves that are removed with them */

static bool same_place(const struct gf_notch *a, const struct gf_peak *b, int ndim) {
    return !memcmp(a->at, b->at, (size_t)ndim * sizeof *a->at);
}

/* Into the list, the strongest first; what several channels have is taken once. */
static void add_peak(struct gf_notches *list, const struct gf_peak *p, int ndim) {
    for (int i = 0; i < list->n; i++)
        if (same_place(&list->notch[i], p, ndim)) {
            list->notch[i].radius = fmax(list->notch[i].radius, p->radius);
            list->notch[i].power = fmax(list->notch[i].power, p->magnitude * p->magnitude);
            return;
        }
    if (list->n == GF_MAX_NOTCHES && p->strength <= list->notch[list->n - 1].strength)
        return;
    int i = list->n < GF_MAX_NOTCHES ? list->n++ : list->n - 1;
    for (; i > 0 && list->notch[i - 1].strength < p->strength; i--)
        list->notch[i] = list->notch[i - 1];
    list->notch[i] = (struct gf_notch){
        .radius = p->radius, .strength = p->strength, .power = p->magnitude * p->magnitude};
    memcpy(list->notch[i].at, p->at, sizeof p->at);
}

/* i a + j b is p, within a bin; frequencies are periodic. */
static bool is_sum(const struct gf_job *job, const struct gf_notch *p, const struct gf_notch *a,
                   const struct gf_notch *b, int i, int j) {
    for (int k = 0; k < job->ndim; k++) {
        int64_t n = job->shape[k], d = (i * a->at[k] + j * b->at[k] - p->at[k]) % n;
        d = d < 0 ? d + n : d;
        if (d > 1 && d < n - 1)
            return false;
    }
    return true;
}

static bool is_derived(const struct gf_job *job, const struct gf_notch *p,
                       const struct gf_notches *waves) {
    for (int a = 0; a < waves->n; a++)
        for (int b = a; b < waves->n; b++)
            for (int i = -MOST_ORDER; i <= MOST_ORDER; i++)
                for (int j = abs(i) - MOST_ORDER; j <= MOST_ORDER - abs(i); j++)
                    if ((i || j) && is_sum(job, p, &waves->notch[a], &waves->notch[b], i, j))
                        return true;
    return false;
}

static int64_t to_centre(int64_t k, int64_t n) {
    k = (k % n + n) % n;
    return k < (n + 1) / 2 ? k : k - n;
}

/* a + sign b, if it is not in the list and there is room. */
static void add_sum(struct gf_notches *list, const struct gf_job *job, const struct gf_notch *a,
                    const struct gf_notch *b, int sign, int most) {
    struct gf_notch sum = {.radius = RADII * fmax(a->radius, b->radius)};
    for (int k = 0; k < job->ndim; k++)
        sum.at[k] = to_centre(a->at[k] + sign * b->at[k], job->shape[k]);
    for (int i = 0; i < list->n; i++)
        if (is_sum(job, &sum, &list->notch[i], &list->notch[i], 1, 0) ||
            is_sum(job, &sum, &list->notch[i], &list->notch[i], -1, 0))
            return;
    if (list->n < most)
        list->notch[list->n++] = sum;
}

/* Of the peaks, the noise: the strongest waves, and what is made of them. Where some of those are
 * found, they form a pattern, such as a printer's screen, and their sums and doubles are removed too,
 * seen or not. */
static void choose(struct gf_notches *list, const struct gf_job *job, int most) {
    struct gf_notches waves = {0};
    int n = 0;
    for (int i = 0; i < list->n; i++)
        if (list->notch[i].strength >= STRENGTH_RATIO * list->notch[0].strength &&
            list->notch[i].power >= POWER_RATIO * list->notch[0].power)
            waves.notch[waves.n++] = list->notch[i];
    for (int i = 0; i < list->n && n < most; i++)
        if (is_derived(job, &list->notch[i], &waves)) {
            list->notch[n] = list->notch[i];
            list->notch[n++].radius *= RADII;
        }
    bool pattern = n > waves.n;
    list->n = n;
    for (int i = 0; i < waves.n && pattern; i++)
        for (int k = 0; k <= i; k++) {
            add_sum(list, job, &waves.notch[i], &waves.notch[k], 1, most);
            if (k < i)
                add_sum(list, job, &waves.notch[i], &waves.notch[k], -1, most);
        }
}

static int find_peaks(struct gf_task *t, const struct gf_job *job, const struct gf_array *out) {
    struct gf_notches *list = &t->filtering->peaks;
    struct gf_peak peak[GF_MAX_NOTCHES];
    int rc = 0, n;
    list->n = 0;
    for (int64_t c = 0; c < out->shape[job->ndim] && !rc; c++) {
        struct gf_spectrum s = gf_spectrum_of(job, out, c, gf_settings_threads(t->s));
        rc = gf_spectrum_peaks(&s, 0, peak, GF_MAX_NOTCHES, &n);
        for (int i = 0; i < n && !rc; i++)
            add_peak(list, &peak[i], job->ndim);
    }
    if (!rc)
        choose(list, job, t->s->filter.auto_notch);
    return rc;
}

static void log_notches(const struct gf_task *t) {
    const struct gf_notches *list = &t->filtering->peaks;
    const char *name = gf_log_name(t->read[0]);
    if (!list->n)
        gf_log_note("'%s': --auto-notch finds no periodic noise", name);
    for (int i = 0; i < list->n; i++) {
        const struct gf_notch *p = &list->notch[i];
        char place[96];
        int n = 0;
        for (int k = t->job.ndim - 1; k >= 0; k--)
            n += snprintf(place + n, sizeof place - (size_t)n, "%lld,", (long long)p->at[k]);
        if (p->strength > 0)
            gf_log_verbose("'%s': notch at %s%g, %.3g times its surroundings", name, place,
                           p->radius, p->strength);
        else
            gf_log_verbose("'%s': notch at %s%g, of the same pattern", name, place, p->radius);
    }
}

/* The job that takes the picture to its spectrum, and that spectrum without samples. */
static struct gf_job search_job(const struct gf_task *t, struct gf_array *out) {
    struct gf_job job = t->job;
    int64_t shape[GF_MAX_RANK];
    job.op = GF_FFT;
    memcpy(job.shape, t->filtering->frame.shape, sizeof job.shape);
    job.in_dtype = t->image.px.dtype;
    job.n_out = 1;
    memset(job.out, 0, sizeof job.out);
    job.out[0].kind = GF_COMPLEX;
    job.out[0].dtype = job.precision == GF_DOUBLE ? GF_C128 : GF_C64;
    job.out[0].half = true;
    gf_job_out_shape(&job, 0, shape);
    *out = gf_array_wrap(NULL, job.out[0].dtype, job.ndim + 1, shape);
    return job;
}

/* Plans the search within the limit. The plan's workspace stays while peaks are looked for. */
static int plan_search(struct gf_task *t, struct gf_job *job, const struct gf_array *out) {
    struct gf_spectrum one = gf_spectrum_of(job, out, 0, gf_settings_threads(t->s));
    int64_t held = gf_array_bytes(out) + gf_spectrum_peaks_bytes(&one);
    /* Where a context is being opened, nothing waits for it before the samples are read. */
    if (!t->in.data && gf_runner_ahead(t->runner, job))
        return gf_filter_check_memory(t, held);
    int rc = gf_runner_plan(t->runner, job);
    int64_t room = gf_runner_limit(t->runner) - held - gf_array_bytes(&t->image.px);
    if (!rc && t->runner->workspace > room) {
        job->lean = true;
        rc = gf_runner_plan(t->runner, job);
    }
    return rc ? rc : gf_filter_check_memory(t, held + t->runner->workspace);
}

int gf_filter_expect_notches(struct gf_task *t) {
    struct gf_notches *list = &t->filtering->peaks;
    struct gf_array out;
    if (t->job.axes != (1u << t->job.ndim) - 1)
        return gf_fail(GF_EINVAL, "--auto-notch looks at all axes together; not page by page, nor "
                                  "at some of --axes");
    struct gf_job job = search_job(t, &out);
    const int last = job.ndim - 1;
    for (list->n = 0; list->n < t->s->filter.auto_notch; list->n++) {
        struct gf_notch *p = &list->notch[list->n];
        *p = (struct gf_notch){.radius = RADII};
        p->at[last] = (list->n + 1) % (job.shape[last] / 2 + 1);
    }
    return plan_search(t, &job, &out);
}

int gf_filter_find_notches(struct gf_task *t) {
    struct gf_array out;
    struct gf_report report;
    struct gf_job job = search_job(t, &out);
    int rc = plan_search(t, &job, &out);
    if (!rc)
        rc = gf_array_alloc(&out, out.dtype, out.rank, out.shape);
    if (!rc)
        rc = gf_runner_run(t->runner, &t->in, &out, &report);
    if (!rc)
        rc = find_peaks(t, &job, &out);
    gf_array_free(&out);
    gf_runner_forget(t->runner); /* the filter's table takes memory before the next plan does */
    if (!rc)
        log_notches(t);
    return rc;
}
