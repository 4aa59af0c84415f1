/* The filter's values on the spectrum of its picture, some rows at a time. */
#include "core/op/filter/filtering.h"
#include "core/base/job/part_job.h"

/* The job at the picture's size, with one sample along axes that are not transformed. */
static struct gf_job values_job(const struct gf_operation *op) {
    struct gf_job job = op->job;
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = job.axes >> i & 1 ? gf_filtering_of(op)->frame.shape[i] : 1;
    job.channels = 1;
    job.precision = GF_DOUBLE;
    memset(job.counted, 0, sizeof job.counted);
    return job;
}

/* As a volume's, whose parts are rows of all pages. */
static void make_volume(struct gf_job *job, struct gf_filter_frame *frame) {
    const int lead = 3 - job->ndim;
    for (int i = 2; i >= 0; i--) {
        const bool own = i >= lead;
        job->shape[i] = own ? job->shape[i - lead] : 1;
        frame->shape[i] = own ? frame->shape[i - lead] : 1;
        frame->spacing[i] = own ? frame->spacing[i - lead] : 0;
        frame->kind[i] = own ? frame->kind[i - lead] : 0;
    }
    job->axes <<= lead;
    job->ndim = 3;
}

bool gf_filter_values_in_parts(const struct gf_operation *op) {
    const struct gf_filter_options *o = gf_filter_options_of(op);
    return !gf_filter_looks(o) && !gf_filter_measures(o) && op->job.axes >> (op->job.ndim - 1) & 1;
}

/* Rows y .. y + n - 1 of the volume's half spectrum. */
static int take_rows(const struct gf_job *job, int64_t y, int64_t n, int threads,
                     gf_filter_take_values *take, void *user) {
    struct gf_job part = gf_part_lines(job, job->shape[0], n, job->shape[2] / 2 + 1);
    struct gf_array values = {0};
    struct gf_filter *f;
    int rc = gf_filter_new_for_parts(job->filter, &f);
    if (rc)
        return rc;
    part.op = GF_FILTER;
    part.filter = f;
    memcpy(part.whole.shape, job->shape, sizeof part.whole.shape);
    part.whole.axes = job->axes;
    part.whole.first[1] = y;
    if (f->make_part)
        rc = f->make_part(f->maker, &part, threads, f);
    if (!rc)
        rc = gf_filter_tabulate(&part, threads, &values);
    if (!rc)
        rc = take(user, &part, &values);
    gf_array_free(&values);
    gf_filter_free(f);
    return rc;
}

int gf_filter_values(const struct gf_operation *op, int64_t memory, gf_filter_take_values *take,
                     void *user) {
    const struct gf_filtering *f = gf_filtering_of(op);
    const int threads = op->crew.threads;
    struct gf_job job = values_job(op);
    struct gf_filter_frame frame = f->frame;
    struct gf_array values = {0};
    struct gf_filter *filter;
    const bool parts = gf_filter_values_in_parts(op);
    if (parts) {
        make_volume(&job, &frame);
        frame.in_parts = true;
    }
    int rc = gf_filter_make(op->shared, &job, threads, &frame, parts ? NULL : &f->peaks, &filter);
    if (rc)
        return rc;
    job.filter = filter;
    const int64_t row = job.shape[0] * (job.shape[2] / 2 + 1) * (int64_t)sizeof(double) *
                        (filter->make_part ? GF_FILTER_TABLE_SHARE : 1);
    const int64_t rows = gf_max(memory / row, 1);
    for (int64_t y = 0; y < job.shape[1] && parts && !rc; y += rows)
        rc = take_rows(&job, y, gf_min(rows, job.shape[1] - y), threads, take, user);
    if (!parts)
        rc = gf_filter_tabulate(&job, threads, &values);
    if (!parts && !rc)
        rc = take(user, &job, &values);
    gf_array_free(&values);
    gf_filter_free(filter);
    return rc;
}
