/* Makes the input of a transform from the file's samples: without their smooth part, and times a
 * window. */
#include "cli/filter/filtering.h"

#include <stdlib.h>

#include "core/slab/plan.h"

static int parse_window(const struct gf_opt *o, const char *value, void *field) {
    return gf_window_parse(value, field)
               ? 0
               : gf_opt_refuse(o, value,
                               "it is none, hann, hamming, blackman, tukey:A with A from 0 to 1 or "
                               "kaiser:B with B from 0 to 500");
}

static const char *const names[] = {"none",   "hann",    "hamming", "blackman",
                                    "tukey:", "kaiser:", NULL};
static const char *const edges[] = {"periodic", "smooth", NULL};

const struct gf_opt_group gf_opts_window = GF_GROUP(
    "Edges",
    GF_PARSED(
        "window", GF_AT(window), "NAME", parse_window,
        "multiply the samples by a window: none, hann, hamming, blackman, tukey:A or kaiser:B",
        .choices = names),
    GF_CHOICE("edges", smooth, "periodic|smooth", edges,
              "smooth: subtract the smooth part, so that opposite edges meet (default: periodic)"));

bool gf_window_is_asked(const struct gf_settings *s) {
    return s->smooth || !gf_window_is_flat(&s->window);
}

int gf_window_threads(const struct gf_settings *s, const struct gf_job *job) {
    return gf_shape_count(job->shape, job->ndim) < 1 << 15 ? 1 : gf_settings_threads(s);
}

int gf_window_prepare(const struct gf_settings *s, struct gf_job *job) {
    if (!gf_dtype_is_complex(job->in_dtype))
        job->in_dtype = job->precision == GF_DOUBLE ? GF_F64 : GF_F32;
    else if (s->smooth)
        return gf_fail(GF_EINVAL, "--edges=smooth takes real samples, and these are complex");
    return 0;
}

/* Subtracts the mean of all samples of each of `lanes` interleaved reals. */
static int subtract_means(struct gf_array *a, int64_t lanes) {
    const bool is_double = gf_dtype_real(a->dtype) == GF_F64;
    const int64_t rows = gf_array_bytes(a) / (is_double ? 8 : 4) / lanes;
    double *sum = calloc((size_t)lanes, sizeof *sum);
    if (!sum)
        return gf_no_memory();
    for (int64_t i = 0; i < rows * lanes; i++)
        sum[i % lanes] += gf_real_get(a->data, i, is_double);
    for (int64_t i = 0; i < rows * lanes; i++)
        gf_real_put(a->data, i, is_double,
                    gf_real_get(a->data, i, is_double) - sum[i % lanes] / (double)rows);
    free(sum);
    return 0;
}

int gf_window_make(const struct gf_settings *s, struct gf_runner *runner, const struct gf_job *job,
                   bool centred, const struct gf_array *in, struct gf_array *to) {
    const int threads = gf_window_threads(s, job),
              lanes = gf_dtype_is_complex(job->in_dtype) ? 2 : 1;
    int rc = gf_job_alloc(job, -1, to);
    if (rc)
        return rc;
    gf_filter_take_in(threads, in, to);
    if (centred)
        rc = subtract_means(to, job->channels * lanes);
    if (!rc && s->smooth)
        rc = gf_filter_smooth(runner, job, threads, to, NULL);
    if (!rc && !gf_window_is_flat(&s->window))
        rc = gf_window_apply(&s->window, job, 0, threads, to);
    return rc;
}

int64_t gf_window_bytes(const struct gf_settings *s, const struct gf_job *job) {
    return gf_job_bytes(job, -1) + job->shape[job->ndim - 1] * (int64_t)sizeof(double) +
           (s->smooth ? gf_filter_smooth_bytes(job) : 0);
}

/* ---- a task's input ---- */

static int take(struct gf_task *t) {
    t->op.extra_bytes = gf_window_bytes(t->s, &t->op.job);
    int rc = t->op.in.data ? gf_window_make(t->s, t->op.crew.runner, &t->op.job, false, &t->op.in,
                                            &t->weighed)
                           : 0;
    if (!rc && t->op.in.data) {
        t->op.in = t->weighed;
        t->op.in.base = NULL;
    }
    return rc;
}

static void drop(struct gf_task *t) {
    gf_array_free(&t->weighed);
}

/* The file's samples that are read at a time: some of a line, or the unit's, a page or a row. */
static int64_t samples_at_once(const struct gf_task *t) {
    enum { SOME = 1 << 12 };
    return gf_slab_is_line(&t->op.job) ? SOME
                                       : gf_shape_count(t->op.job.shape + 1, t->op.job.ndim - 1);
}

static int64_t bytes(const struct gf_task *t, int64_t limit) {
    (void)limit;
    return samples_at_once(t) * (t->op.job.channels * (int64_t)gf_dtype_size(t->image.px.dtype) +
                                 (int64_t)sizeof(double));
}

static int read_units(struct gf_task *t, const struct gf_unit_source *below, int64_t first,
                      struct gf_array *to) {
    const int threads = gf_settings_threads(t->s);
    const int64_t unit = gf_array_count(to) / to->shape[0] / t->op.job.channels;
    const int64_t most = gf_max(1, samples_at_once(t) / unit);
    struct gf_array read = {0}, like = *to;
    like.shape[0] = most;
    int rc = gf_array_alloc(&read, t->image.px.dtype, like.rank, like.shape);
    for (int64_t at = 0, n; at < to->shape[0] && !rc; at += n) {
        n = gf_min(most, to->shape[0] - at);
        struct gf_array from = gf_array_slice(&read, 0, 0, n), part = gf_array_slice(to, 0, at, n);
        rc = below->read(below->user, first + at, &from);
        if (rc)
            break;
        gf_filter_take_in(threads, &from, &part);
        rc = gf_window_apply(&t->s->window, &t->op.job, (first + at) * unit, threads, &part);
    }
    gf_array_free(&read);
    return rc;
}

const struct gf_task_input gf_window_input = {
    .take = take, .drop = drop, .read = read_units, .bytes = bytes};
