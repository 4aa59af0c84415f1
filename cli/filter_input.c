/* What stands before a filter's job: samples beyond the edges, and a look for periodic noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter.h"
#include "cli/log.h"
#include "cli/samples.h"
#include "core/memory.h"
#include "core/spectrum.h"
#include "core/status.h"

/* ---- edges ---- */

static int64_t count_of(const int64_t *shape, int n) {
    int64_t count = 1;
    for (int i = 0; i < n; i++)
        count *= shape[i];
    return count;
}

int64_t gf_filter_lengthen_bytes(const struct gf_task *t) {
    const struct gf_job *job = &t->job;
    int64_t sample = (int64_t)gf_dtype_size(job->in_dtype) * job->channels;
    if (t->s->filter.edges == GF_EDGES_PERIODIC)
        return 0;
    /* The smooth mode needs the jump and the smooth part, then goes on without the first. */
    return sample * (count_of(job->shape, job->ndim) +
                     (t->s->filter.edges == GF_EDGES_SMOOTH
                          ? 2 * count_of(t->filtering->frame.shape, job->ndim)
                          : 0));
}

/* The job that takes the jumps to the smooth part. */
static int run_smooth(struct gf_task *t, const struct gf_array *jumps, struct gf_array *smooth) {
    struct gf_job job;
    struct gf_filter *filter;
    struct gf_report report;
    memset(&job, 0, sizeof job); /* padding too: jobs are compared as bytes */
    job.op = GF_FILTER;
    job.direction = GF_FORWARD;
    job.ndim = t->job.ndim;
    memcpy(job.shape, t->filtering->frame.shape, (size_t)job.ndim * sizeof *job.shape);
    job.channels = t->job.channels;
    job.axes = t->job.axes;
    job.in_dtype = jumps->dtype;
    job.precision = t->job.precision;
    job.n_out = 1;
    job.out[0].kind = GF_REAL;
    job.out[0].dtype = jumps->dtype;
    int rc = gf_edges_filter(&job, gf_settings_threads(t->s), &filter);
    if (rc)
        return rc;
    job.filter = filter;
    job.filter_serial = filter->serial;
    rc = gf_engine_plan(t->engine, &job);
    if (!rc)
        rc = gf_engine_exec(t->engine, jumps, smooth, &report);
    gf_filter_free(filter);
    return rc;
}

static int split_smooth(struct gf_task *t, struct gf_array *picture, struct gf_array *input) {
    struct gf_array jumps = {0}, smooth = {0};
    int rc = gf_array_alloc(&jumps, picture->dtype, picture->rank, picture->shape);
    if (!rc)
        rc = gf_array_alloc(&smooth, picture->dtype, picture->rank, picture->shape);
    if (!rc) {
        gf_edges_jumps(picture, t->job.axes, &jumps);
        rc = run_smooth(t, &jumps, &smooth);
    }
    gf_array_free(&jumps);
    if (!rc)
        gf_edges_fill_smooth(&smooth, gf_settings_threads(t->s), input);
    gf_array_free(&smooth);
    return rc;
}

int gf_filter_lengthen(struct gf_task *t) {
    const enum gf_edges mode = (enum gf_edges)t->s->filter.edges;
    const int ndim = t->job.ndim;
    struct gf_array *input = &t->filtering->input;
    int64_t shape[GF_MAX_RANK];
    if (mode == GF_EDGES_PERIODIC || !t->in.data)
        return 0;
    memcpy(shape, t->job.shape, (size_t)ndim * sizeof *shape);
    shape[ndim] = t->job.channels;
    int rc = gf_memory_check(gf_filter_lengthen_bytes(t), t->engine->limit);
    if (!rc)
        rc = gf_array_alloc(input, t->job.in_dtype, ndim + 1, shape);
    if (rc)
        return rc;
    struct gf_array picture = *input;
    picture.base = NULL;
    memcpy(picture.shape, t->in.shape, sizeof picture.shape);
    gf_samples_convert(&picture, &t->in);
    if (mode == GF_EDGES_SMOOTH)
        rc = split_smooth(t, &picture, input);
    else
        gf_edges_fill(mode, picture.shape, gf_settings_threads(t->s), input);
    t->in = *input;
    t->in.base = NULL;
    return rc;
}

/* ---- periodic noise ---- */

static bool same_place(const struct gf_notch *a, const struct gf_peak *b, int ndim) {
    return !memcmp(a->at, b->at, (size_t)ndim * sizeof *a->at);
}

/* Into the list, the strongest first; what several channels have is taken once. */
static void add_peak(struct gf_notches *list, const struct gf_peak *p, int ndim, int most) {
    for (int i = 0; i < list->n; i++)
        if (same_place(&list->notch[i], p, ndim)) {
            list->notch[i].radius = fmax(list->notch[i].radius, p->radius);
            return;
        }
    if (list->n == most && p->strength <= list->notch[most - 1].strength)
        return;
    int i = list->n < most ? list->n++ : most - 1;
    for (; i > 0 && list->notch[i - 1].strength < p->strength; i--)
        list->notch[i] = list->notch[i - 1];
    list->notch[i] = (struct gf_notch){.radius = p->radius, .strength = p->strength};
    memcpy(list->notch[i].at, p->at, sizeof p->at);
}

static int find_peaks(struct gf_task *t, const struct gf_job *job, const struct gf_array *out) {
    struct gf_notches *list = &t->filtering->peaks;
    struct gf_peak peak[GF_MAX_NOTCHES];
    int rc = 0, most = t->s->filter.auto_notch, n;
    list->n = 0;
    for (int64_t c = 0; c < out->shape[job->ndim] && !rc; c++) {
        struct gf_spectrum s = gf_spectrum_of(job, out, c);
        rc = gf_spectrum_peaks(&s, 0, peak, most, &n);
        for (int i = 0; i < n && !rc; i++)
            add_peak(list, &peak[i], job->ndim, most);
    }
    return rc;
}

static void say(const struct gf_task *t) {
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
        gf_log_verbose("'%s': notch at %s%g (X,Y,R), %.3g times its surroundings", name, place,
                       p->radius, p->strength);
    }
}

int gf_filter_find_notches(struct gf_task *t) {
    struct gf_job job = t->job;
    struct gf_array out = {0};
    struct gf_report report;
    int64_t shape[GF_MAX_RANK];
    if (job.axes != (1u << job.ndim) - 1)
        return gf_fail(GF_EINVAL, "--auto-notch looks at all axes together; not page by page, nor "
                                  "at some of --axes");
    if (!t->in.data)
        return 0;
    job.op = GF_FFT;
    memcpy(job.shape, t->filtering->frame.shape, sizeof job.shape);
    job.in_dtype = t->image.px.dtype;
    job.n_out = 1;
    memset(job.out, 0, sizeof job.out);
    job.out[0].kind = GF_COMPLEX;
    job.out[0].dtype = job.precision == GF_DOUBLE ? GF_C128 : GF_C64;
    job.out[0].half = true;
    gf_job_out_shape(&job, 0, shape);
    int rc = gf_array_alloc(&out, job.out[0].dtype, job.ndim + 1, shape);
    if (!rc)
        rc = gf_engine_plan(t->engine, &job);
    if (!rc)
        rc = gf_engine_exec(t->engine, &t->in, &out, &report);
    if (!rc)
        rc = find_peaks(t, &job, &out);
    gf_array_free(&out);
    if (!rc)
        say(t);
    return rc;
}
