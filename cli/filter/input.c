/* Samples beyond a picture's edges: repeated, mirrored, faded or split off. */
#include "cli/filter/input.h"

#include <string.h>

#include "cli/filter/filtering.h"
#include "core/filter/edges.h"
#include "core/filter/waves.h"
#include "core/base/sample_value.h"
#include "core/base/memory.h"
#include "core/base/status.h"

static int64_t count_of(const int64_t *shape, int n) {
    int64_t count = 1;
    for (int i = 0; i < n; i++)
        count *= shape[i];
    return count;
}

int gf_filter_check_memory(struct gf_task *t, int64_t bytes) {
    bytes += gf_array_bytes(&t->image.px);
    if (t->prepare_bytes < bytes)
        t->prepare_bytes = bytes;
    /* Before that, the task itself checks what all of it takes. */
    if (!t->image.px.data)
        return 0;
    return gf_memory_check(t->need > bytes ? t->need : bytes, gf_runner_limit(t->runner));
}

/* Where the picture's own samples will not do. */
static bool needs_input(const struct gf_task *t) {
    return t->s->filter.edges != GF_EDGES_PERIODIC || t->filtering->peaks.n;
}

int64_t gf_filter_lengthen_bytes(const struct gf_task *t) {
    const struct gf_job *job = &t->job;
    int64_t sample = (int64_t)gf_dtype_size(job->in_dtype) * job->channels;
    if (!needs_input(t))
        return 0;
    /* The smooth mode needs the jump and the smooth part, then frees the first. */
    return sample * (count_of(job->shape, job->ndim) +
                     (t->s->filter.edges == GF_EDGES_SMOOTH
                          ? 2 * count_of(t->filtering->frame.shape, job->ndim)
                          : 0)) +
           gf_waves_bytes(t->filtering->frame.shape, job->ndim, t->filtering->peaks.n,
                          gf_settings_threads(t->s));
}

/* The job that makes the smooth part of the jumps. */
static int run_smooth(struct gf_task *t, const struct gf_array *jumps, struct gf_array *smooth) {
    struct gf_job job = {0};
    struct gf_filter *filter;
    struct gf_report report;
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
    rc = gf_runner_plan(t->runner, &job);
    if (!rc)
        rc = gf_runner_run(t->runner, jumps, smooth, &report);
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

#define TO_FLOAT(to_type, from_type)                                                               \
    for (int64_t i = 0; i < n; i++)                                                                \
        ((to_type *)to)[i] = (to_type)((const from_type *)from)[i];

/* The usual types by rows; false for others. */
static bool convert_row(void *to, enum gf_dtype to_type, const void *from, enum gf_dtype from_type,
                        int64_t n) {
    if (to_type == from_type)
        memcpy(to, from, (size_t)n * gf_dtype_size(to_type));
    else if (to_type == GF_F32 && from_type == GF_U8)
        TO_FLOAT(float, uint8_t)
    else if (to_type == GF_F32 && from_type == GF_U16)
        TO_FLOAT(float, uint16_t)
    else
        return false;
    return true;
}

/* The picture's samples into `to`, converted to its type. */
static void take_in(const struct gf_task *t, struct gf_array *to) {
    const struct gf_array *in = &t->in;
    const int last = in->rank - 2;
    int64_t rows = 1, n = in->shape[last] * in->shape[last + 1];
    for (int i = 0; i < last; i++)
        rows *= in->shape[i];
    bool usual = in->stride[last] == in->shape[last + 1] * (int64_t)gf_dtype_size(in->dtype);
#pragma omp parallel for num_threads(gf_settings_threads(t->s)) reduction(&& : usual)
    for (int64_t row = 0; row < rows; row++) {
        const char *from = in->data;
        char *p = to->data;
        int64_t rest = row;
        for (int i = last - 1; i >= 0; i--) {
            from += rest % in->shape[i] * in->stride[i];
            p += rest % in->shape[i] * to->stride[i];
            rest /= in->shape[i];
        }
        usual = usual && convert_row(p, to->dtype, from, in->dtype, n);
    }
    if (!usual)
        gf_samples_convert(to, in);
}

static int subtract_waves(struct gf_task *t, struct gf_array *samples) {
    struct gf_notches *list = &t->filtering->peaks;
    struct gf_sinusoid wave[GF_MAX_NOTCHES];
    for (int i = 0; i < list->n; i++)
        for (int k = 0; k < t->job.ndim; k++)
            wave[i].frequency[k] = list->notch[i].at[k] / (double)t->filtering->frame.shape[k];
    int rc = gf_waves_subtract(samples, t->job.ndim, gf_settings_threads(t->s), wave, list->n);
    for (int i = 0; i < list->n && !rc; i++)
        list->notch[i].amplitude = wave[i].amplitude;
    return rc;
}

int gf_filter_lengthen(struct gf_task *t) {
    const enum gf_edges mode = (enum gf_edges)t->s->filter.edges;
    const int ndim = t->job.ndim;
    struct gf_array *input = &t->filtering->input;
    int64_t shape[GF_MAX_RANK];
    if (!needs_input(t))
        return 0;
    memcpy(shape, t->job.shape, (size_t)ndim * sizeof *shape);
    shape[ndim] = t->job.channels;
    int rc = gf_memory_check(gf_filter_lengthen_bytes(t), gf_runner_limit(t->runner));
    if (!rc)
        rc = gf_array_alloc(input, t->job.in_dtype, ndim + 1, shape);
    if (rc)
        return rc;
    struct gf_array picture = *input;
    picture.base = NULL;
    memcpy(picture.shape, t->in.shape, sizeof picture.shape);
    take_in(t, &picture);
    if (t->filtering->peaks.n)
        rc = subtract_waves(t, &picture);
    if (!rc && mode == GF_EDGES_SMOOTH)
        rc = split_smooth(t, &picture, input);
    else if (!rc && mode != GF_EDGES_PERIODIC)
        gf_edges_fill(mode, picture.shape, gf_settings_threads(t->s), input);
    t->in = *input;
    t->in.base = NULL;
    return rc;
}
