/* Makes the samples beyond a picture's edges: mirrors, fades, or splits off the smooth part. */

#include "core/op/filter/filtering.h"
#include "core/filter/smooth.h"
#include "core/filter/waves.h"
#include "core/base/value/sample_value.h"

enum { BANDS = 27 }; /* of a wave that varies over a volume, itself included */

int gf_filter_check_memory(struct gf_operation *op, int64_t bytes) {
    bytes += op->crew.held;
    if (op->prepare_bytes < bytes)
        op->prepare_bytes = bytes;
    /* Until the samples are read the caller checks all memory. */
    if (!op->in.data)
        return 0;
    return gf_runner_check_memory(op->crew.runner, op->need > bytes ? op->need : bytes);
}

/* True if the job needs samples other than the picture's. */
static bool needs_input(const struct gf_operation *op) {
    return gf_filter_options_of(op)->edges != GF_EDGES_PERIODIC || gf_filtering_of(op)->peaks.n ||
           gf_filter_edges(op) == GF_EDGES_SCREEN || gf_filter_iterates(gf_filter_options_of(op));
}

enum gf_edges gf_filter_edges(const struct gf_operation *op) {
    const enum gf_edges mode = (enum gf_edges)gf_filter_options_of(op)->edges;
    return mode == GF_EDGES_PERIODIC && gf_filtering_of(op)->peaks.n_screens ? GF_EDGES_SCREEN
           : mode == GF_EDGES_MIRROR && gf_filter_iterates(gf_filter_options_of(op))
               ? GF_EDGES_PERIODIC
               : mode;
}

void gf_filter_set_lengths(struct gf_operation *op) {
    for (int i = 0; i < op->job.ndim; i++)
        if (op->job.axes >> i & 1) {
            op->job.counted[i] = gf_filtering_of(op)->frame.shape[i];
            op->job.shape[i] = gf_edges_length(gf_filter_edges(op), op->job.counted[i]);
        }
}

/* Continues the picture's screens beyond its edges. */
static int continue_screens(const struct gf_notches *list, const int64_t *shape,
                            struct gf_array *input) {
    _Static_assert(2 * GF_MAX_SCREENS <= GF_EDGES_MOST_WAVES, "all of their vectors");
    double wave[2 * GF_MAX_SCREENS][2];
    int n = 0;
    for (int i = 0; i < list->n_screens; i++)
        for (int k = 0; k < list->screen[i].n; k++)
            memcpy(wave[n++], list->screen[i].basis[k], sizeof *wave);
    return gf_edges_continue((const double(*)[2])wave, n, shape, input);
}

int gf_filter_run_over(struct gf_runner *runner, const struct gf_job *job, struct gf_array *in) {
    struct gf_report report;
    struct gf_array out = {0};
    if (!job->axes)
        return 0;
    int rc = gf_job_alloc(job, 0, &out);
    if (!rc)
        rc = gf_runner_plan(runner, job);
    if (!rc)
        rc = gf_runner_run(runner, in, &out, &report);
    gf_array_free(in);
    *in = out;
    return rc;
}

/* Makes x->part. */
static int make_part(struct gf_runner *runner, int threads, const struct gf_array *picture,
                     struct gf_smooth *x) {
    struct gf_array jump = {0};
    int rc = gf_job_alloc(&x->forward, -1, &jump);
    if (!rc) {
        gf_smooth_jump(x, picture, &jump);
        rc = gf_filter_run_over(runner, &x->forward, &jump);
    }
    if (!rc)
        rc = gf_job_alloc(&x->inverse, -1, &x->part);
    if (!rc)
        rc = gf_smooth_extend(x, threads, &jump, &x->part);
    gf_array_free(&jump);
    return rc ? rc : gf_filter_run_over(runner, &x->inverse, &x->part);
}

int gf_filter_smooth(struct gf_runner *runner, const struct gf_job *job, int threads,
                     struct gf_array *picture, struct gf_array *input) {
    struct gf_smooth x[GF_MAX_DIMS] = {{0}};
    int count = 0, rc = 0;
    for (int i = 0; i < job->ndim && !rc; i++)
        if (gf_smooth_init(&x[count], job, i))
            rc = make_part(runner, threads, picture, &x[count++]);
    if (!rc && input)
        rc = gf_smooth_fill(x, count, threads, picture->shape, input);
    else if (!rc)
        rc = gf_smooth_subtract(x, count, threads, picture);
    for (int i = 0; i < count; i++)
        gf_array_free(&x[i].part);
    return rc;
}

struct gf_job gf_filter_picture_job(const struct gf_operation *op) {
    struct gf_job job = op->job;
    memcpy(job.shape, gf_filtering_of(op)->frame.shape, (size_t)job.ndim * sizeof *job.shape);
    return job;
}

int64_t gf_filter_smooth_bytes(const struct gf_job *job) {
    struct gf_smooth x;
    int64_t most = 0, parts = 0;
    for (int i = 0; i < job->ndim; i++)
        if (gf_smooth_init(&x, job, i)) {
            parts += gf_job_bytes(&x.inverse, 0);
            most = gf_max(most, gf_job_bytes(&x.inverse, -1));
        }
    return parts + most;
}

int64_t gf_filter_lengthen_bytes(const struct gf_operation *op) {
    const struct gf_job *job = &op->job;
    if (!needs_input(op))
        return 0;
    int64_t bytes = gf_job_bytes(job, -1);
    const struct gf_job picture = gf_filter_picture_job(op);
    if (gf_filter_edges(op) == GF_EDGES_SMOOTH)
        bytes += gf_filter_smooth_bytes(&picture);
    return bytes + gf_waves_bytes(gf_filtering_of(op)->frame.shape, job->ndim,
                                  (int)gf_max(gf_filtering_of(op)->peaks.n, BANDS),
                                  op->crew.threads);
}

#define TO_FLOAT(to_type, from_type) \
    for (int64_t i = 0; i < n; i++) \
        ((to_type *)to)[i] = (to_type)((const from_type *)from)[i];

/* Converts a row between the usual types; false for others. */
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

void gf_filter_take_in(int threads, const struct gf_array *in, struct gf_array *to) {
    const int last = in->rank - 2;
    const int64_t rows = gf_shape_count(in->shape, last);
    const int64_t n = in->shape[last] * in->shape[last + 1];
    const bool dense = in->stride[last] == in->shape[last + 1] * (int64_t)gf_dtype_size(in->dtype);
    bool usual = dense; /* true at the start of each thread */
#pragma omp parallel for num_threads(threads) reduction(&& : usual)
    for (int64_t row = 0; row < rows; row++) {
        const char *from = in->data;
        char *p = to->data;
        int64_t rest = row;
        for (int i = last - 1; i >= 0; i--) {
            from += rest % in->shape[i] * in->stride[i];
            p += rest % in->shape[i] * to->stride[i];
            rest /= in->shape[i];
        }
        usual = dense && usual && convert_row(p, to->dtype, from, in->dtype, n);
    }
    if (!usual)
        gf_samples_convert(to, in);
}

/* A wave whose amplitude varies over the picture has side bands: those at half a bin to both sides
 * of it along each axis make up its rise and fall, and no seam at the picture's borders. */
static int subtract_variation(struct gf_operation *op, const struct gf_notch *notch,
                              struct gf_array *samples) {
    struct gf_sinusoid band[BANDS] = {{.known = NULL}};
    const int ndim = op->job.ndim, n = ndim > 2 ? BANDS : ndim > 1 ? 9 : 3;
    for (int i = 0; i < n; i++)
        for (int k = 0, rest = i; k < ndim; k++, rest /= 3)
            band[i].frequency[k] =
                (notch->at[k] + 0.5 * (rest % 3 - 1)) / (double)gf_filtering_of(op)->frame.shape[k];
    return gf_waves_subtract(samples, ndim, op->crew.threads, band, n);
}

static int subtract_waves(struct gf_operation *op, struct gf_array *samples) {
    struct gf_notches *list = &gf_filtering_of(op)->peaks;
    struct gf_sinusoid wave[GF_MAX_NOTCHES];
    for (int i = 0; i < list->n; i++) {
        int hidden = i - (list->n - list->n_hidden);
        wave[i].known = hidden < 0 ? NULL : list->factor + 2 * hidden * op->job.channels;
        for (int k = 0; k < op->job.ndim; k++)
            wave[i].frequency[k] =
                list->notch[i].at[k] / (double)gf_filtering_of(op)->frame.shape[k];
    }
    int rc = gf_waves_subtract(samples, op->job.ndim, op->crew.threads, wave, list->n);
    for (int i = 0; i < list->n && !rc; i++)
        list->notch[i].amplitude = wave[i].amplitude;
    for (int i = 0; i < list->n - list->n_hidden && !rc; i++)
        if (list->notch[i].varies)
            rc = subtract_variation(op, &list->notch[i], samples);
    return rc;
}

int gf_filter_lengthen(struct gf_operation *op) {
    const enum gf_edges mode = gf_filter_edges(op);
    const int threads = op->crew.threads;
    struct gf_array *input = &gf_filtering_of(op)->input;
    if (!needs_input(op))
        return 0;
    int rc = gf_runner_check_memory(op->crew.runner, gf_filter_lengthen_bytes(op));
    if (!rc)
        rc = gf_job_alloc(&op->job, -1, input);
    if (rc)
        return rc;
    struct gf_array picture = *input;
    picture.base = NULL;
    memcpy(picture.shape, op->in.shape, sizeof picture.shape);
    gf_filter_take_in(threads, &op->in, &picture);
    if (gf_filtering_of(op)->peaks.n)
        rc = subtract_waves(op, &picture);
    const struct gf_job job = gf_filter_picture_job(op);
    if (!rc && mode == GF_EDGES_SMOOTH)
        rc = gf_filter_smooth(op->crew.runner, &job, threads, &picture, input);
    else if (!rc && mode == GF_EDGES_SCREEN)
        rc = continue_screens(&gf_filtering_of(op)->peaks, picture.shape, input);
    else if (!rc && mode != GF_EDGES_PERIODIC)
        gf_edges_fill(mode, picture.shape, threads, input);
    op->in = *input;
    op->in.base = NULL;
    return rc;
}
