/* Makes the input of a transform from samples: without their smooth part, and times a window. */
#include "core/op/filter/window.h"

#include <stdlib.h>

#include "core/op/filter/filtering.h"
#include "core/schedule/plan.h"

bool gf_window_is_asked(const struct gf_window_options *o) {
    return o->smooth || !gf_window_is_flat(&o->window);
}

int gf_window_threads(const struct gf_job *job, int threads) {
    return gf_shape_count(job->shape, job->ndim) < 1 << 15 ? 1 : threads;
}

int gf_window_prepare(const struct gf_window_options *o, struct gf_job *job) {
    if (!gf_dtype_is_complex(job->in_dtype))
        job->in_dtype = job->precision == GF_DOUBLE ? GF_F64 : GF_F32;
    else if (o->smooth)
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

int gf_window_make(const struct gf_window_options *o, const struct gf_crew *crew,
                   const struct gf_job *job, bool centred, const struct gf_array *in,
                   struct gf_array *to) {
    const int threads = gf_window_threads(job, crew->threads),
              lanes = gf_dtype_is_complex(job->in_dtype) ? 2 : 1;
    int rc = gf_job_alloc(job, -1, to);
    if (rc)
        return rc;
    gf_filter_take_in(threads, in, to);
    if (centred)
        rc = subtract_means(to, job->channels * lanes);
    if (!rc && o->smooth)
        rc = gf_filter_smooth(crew->runner, job, threads, to, NULL);
    if (!rc && !gf_window_is_flat(&o->window))
        rc = gf_window_apply(&o->window, job, 0, threads, to);
    return rc;
}

int64_t gf_window_bytes(const struct gf_window_options *o, const struct gf_job *job) {
    return gf_job_bytes(job, -1) + job->shape[job->ndim - 1] * (int64_t)sizeof(double) +
           (o->smooth ? gf_filter_smooth_bytes(job) : 0);
}

/* ---- the operation ---- */

static const struct gf_window_options *options_of(const struct gf_operation *op) {
    return op->shared;
}

static int describe(struct gf_operation *op) {
    const int rc = gf_window_prepare(options_of(op), &op->job);
    op->extra_bytes = gf_window_bytes(options_of(op), &op->job);
    op->refuses.slabs = options_of(op)->smooth ? gf_why(GF_WHY_SMOOTH) : NULL;
    return rc;
}

static int take(struct gf_operation *op) {
    op->extra_bytes = gf_window_bytes(options_of(op), &op->job);
    if (!op->in.data)
        return 0;
    struct gf_array *made = op->state;
    const int rc = gf_window_make(options_of(op), &op->crew, &op->job, false, &op->in, made);
    if (!rc) {
        op->in = *made;
        op->in.base = NULL;
    }
    return rc;
}

static void drop(struct gf_operation *op) {
    gf_array_free(op->state);
}

/* The samples that are read at a time: some of a line, or the unit's, a page or a row. */
static int64_t samples_at_once(const struct gf_operation *op) {
    enum { SOME = 1 << 12 };
    return gf_slab_is_line(&op->job) ? SOME : gf_shape_count(op->job.shape + 1, op->job.ndim - 1);
}

static int64_t bytes(const struct gf_operation *op, int64_t limit) {
    (void)limit;
    return samples_at_once(op) *
           (op->job.channels * (int64_t)gf_dtype_size(op->of.px.dtype) + (int64_t)sizeof(double));
}

static int read_units(struct gf_operation *op, const struct gf_unit_source *below, int64_t first,
                      struct gf_array *to) {
    const int threads = op->crew.threads;
    const int64_t unit = gf_array_count(to) / to->shape[0] / op->job.channels;
    const int64_t most = gf_max(1, samples_at_once(op) / unit);
    struct gf_array read = {0}, like = *to;
    like.shape[0] = most;
    int rc = gf_array_alloc(&read, op->of.px.dtype, like.rank, like.shape);
    for (int64_t at = 0, n; at < to->shape[0] && !rc; at += n) {
        n = gf_min(most, to->shape[0] - at);
        struct gf_array from = gf_array_slice(&read, 0, 0, n), part = gf_array_slice(to, 0, at, n);
        rc = below->read(below->user, first + at, &from);
        if (rc)
            break;
        gf_filter_take_in(threads, &from, &part);
        rc =
            gf_window_apply(&options_of(op)->window, &op->job, (first + at) * unit, threads, &part);
    }
    gf_array_free(&read);
    return rc;
}

/* ---- the options ---- */

static int parse_window(const struct gf_opt *o, const char *value, void *field) {
    return gf_window_parse(value, field)
               ? 0
               : gf_opt_refuse(o, value,
                               "it is none, hann, hamming, blackman, tukey:A with A from 0 to 1 or "
                               "kaiser:B with B from 0 to 500");
}

static bool print_window(const struct gf_opt *o, const void *field, int i,
                         char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_window *w = field;
    (void)o;
    gf_window_text(w, text);
    const size_t n = strcspn(text, ":");
    if (text[n])
        snprintf(text + n, GF_OPT_TEXT_SIZE - n, ":%.17g", w->parameter);
    return !i && w->shape != GF_WINDOW_UNSET;
}

static const char *const names[] = {"none",   "hann",    "hamming", "blackman",
                                    "tukey:", "kaiser:", NULL};
static const char *const edges[] = {"periodic", "smooth", NULL};

#define GF_AT(field) offsetof(struct gf_window_options, field)

const struct gf_opt gf_window_rows[] = {
    GF_PARSED(
        "window", GF_AT(window), "NAME", parse_window,
        "multiply the samples by a window: none, hann, hamming, blackman, tukey:A or kaiser:B",
        .choices = names, .print = print_window),
    GF_CHOICE("edges", smooth, "periodic|smooth", edges,
              "smooth: subtract the smooth part, so that opposite edges meet (default: periodic)"),
    {0}};

const struct gf_operation_kind gf_operation_window = {
    .name = "window",
    .options = {gf_window_rows, sizeof(struct gf_window_options), NULL, NULL},
    .gives = GF_COMPLEX,
    .state = sizeof(struct gf_array),
    .describe = describe,
    .take = take,
    .read = read_units,
    .room = bytes,
    .drop = drop};
