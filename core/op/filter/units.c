/* Makes units of a lengthened input that is not in memory: pages, rows of a picture, samples of
 * lines. */
#include <stdlib.h>

#include "core/op/filter/filtering.h"
#include "core/filter/smooth.h"
#include "core/filter/smooth_pages.h"
#include "core/base/value/sample_value.h"
#include "core/schedule/plan.h"

/* Makes lengthened units from the file's: from n units of a line or volume `length` units. `read`
 * holds the file's, `end` and `start` lengthened ones that fade into each other. */
struct making {
    struct gf_operation *op;
    const struct gf_unit_source *file;
    bool is_line;
    int64_t most, n, length, line;
    enum gf_edges mode;
    struct gf_array read, end, start;
};

static bool splits(const struct gf_operation *op) {
    return gf_filter_options_of(op)->edges == GF_EDGES_SMOOTH;
}

/* ---- the smooth part ---- */

/* The picture's job as that of a volume. */
static struct gf_job smooth_job(const struct gf_operation *op) {
    const struct gf_job job = gf_filter_picture_job(op);
    return gf_job_volume(&job);
}

/* Bytes of a page of the file, two pages of the smooth part, and one in which these are made. */
static int64_t smooth_page_bytes(const struct gf_operation *op, const struct gf_job *job) {
    const int64_t number = (int64_t)gf_dtype_size(job->in_dtype);
    return job->shape[1] * (job->shape[2] + 2) * job->channels *
           ((int64_t)gf_dtype_size(gf_filtering_of(op)->frame.dtype) + 4 * number);
}

/* Bytes for pages of the smooth part: a share of the limit, which leaves the rest to slabs. */
static int64_t smooth_room(const struct gf_operation *op, const struct gf_job *job, int64_t limit) {
    enum { SHARE = 4 };
    const int64_t page = smooth_page_bytes(op, job);
    return gf_max(page, gf_min(limit / SHARE, page * job->shape[0]));
}

static int64_t smooth_bytes(const struct gf_operation *op, int64_t limit) {
    const struct gf_job job = smooth_job(op);
    struct gf_smooth_pages s;
    gf_smooth_pages_init(&s, &job);
    return smooth_room(op, &job, limit) + gf_smooth_pages_bytes(&s);
}

bool gf_filter_scans(const struct gf_operation *op) {
    return splits(op) && !gf_slab_is_line(&op->job);
}

/* Makes pages of the smooth part; the caller frees them. */
static int make_smooth(struct gf_operation *op, int64_t first, int64_t count, struct gf_array *s) {
    const struct gf_job job = gf_smooth_pages_job(gf_filtering_of(op)->smooth, count);
    int rc = gf_job_alloc(&job, -1, s);
    if (!rc)
        rc = gf_smooth_pages_spectrum(gf_filtering_of(op)->smooth, op->crew.threads, first, s);
    return rc ? rc : gf_filter_run_over(op->crew.runner, &job, s);
}

/* ---- units ---- */

static int64_t sample_bytes(const struct gf_operation *op) {
    return 3 * (int64_t)sizeof(double) * op->job.channels;
}

/* Bytes for the samples of lines that are made at once. */
static int64_t samples_room(const struct gf_operation *op, int64_t limit) {
    enum { SHARE = 16, LEAST = 64, MOST = 1 << 16 };
    const int64_t one = sample_bytes(op);
    return gf_max(LEAST * one, gf_min(limit / SHARE, MOST * one));
}

/* Reads units `first` and following of the line or volume in the job's type, with each page
 * lengthened; with `reverse` in reverse order. */
static int read_some(const struct making *m, bool reverse, int64_t first, struct gf_array *to) {
    const int64_t count = to->shape[0], bytes = to->stride[0];
    struct gf_array read = gf_array_slice(&m->read, 0, 0, count), picture = *to;
    int rc = m->file->read(m->file->user, m->line * m->n + first, &read);
    if (rc)
        return rc;
    memcpy(picture.shape, read.shape, sizeof picture.shape);
    gf_filter_take_in(m->op->crew.threads, &read, &picture);
    if (!m->is_line && !splits(m->op))
        gf_edges_fill(m->mode, read.shape, m->op->crew.threads, to);
    for (int64_t i = 0; i < count / 2 && reverse;
         i++) { /* only samples: pages are read one by one */
        char one[16 * GF_SLAB_CHANNELS], *a = (char *)to->data + i * bytes;
        char *b = (char *)to->data + (count - 1 - i) * bytes;
        memcpy(one, a, (size_t)bytes);
        memcpy(a, b, (size_t)bytes);
        memcpy(b, one, (size_t)bytes);
    }
    return 0;
}

/* Makes units beyond the end, where the end fades into the beginning. */
static int fade(const struct making *m, int64_t first, struct gf_array *to) {
    const int64_t count = to->shape[0], w = m->length - m->n, j = first - m->n;
    struct gf_array end = gf_array_slice(&m->end, 0, 0, count);
    struct gf_array start = gf_array_slice(&m->start, 0, 0, count);
    int rc = read_some(m, true, m->n - j - count, &end);
    if (!rc)
        rc = read_some(m, true, w - j - count, &start);
    for (int64_t i = 0; i < count && !rc; i++) {
        const struct gf_array from = gf_array_slice(&end, 0, i, 1);
        const struct gf_array into = gf_array_slice(&start, 0, i, 1);
        struct gf_array one = gf_array_slice(to, 0, i, 1);
        gf_edges_fade(j + i, w, &from, &into, &one);
    }
    return rc;
}

/* Makes samples beyond the end of a line: u minus s plus the mirror image of s. Along one axis s is
 * a straight line through 0 in the middle: s(y) = (u(n - 1) - u(0)) (y + 1/2 - n/2) / n. */
static int split_line(const struct making *m, int64_t first, struct gf_array *to) {
    const int64_t channels = to->shape[1], y = first - m->n;
    struct gf_array begin = gf_array_slice(&m->start, 0, 0, 1);
    struct gf_array end = gf_array_slice(&m->end, 0, 0, 1);
    int rc = read_some(m, false, 0, &begin);
    if (!rc)
        rc = read_some(m, false, m->n - 1, &end);
    if (!rc)
        rc = read_some(m, false, y, to);
    for (int64_t i = 0; i < to->shape[0] * channels && !rc; i++) {
        const int64_t c = i % channels;
        const double at = ((double)(y + i / channels) + 0.5) / (double)m->n - 0.5;
        const double jump = gf_sample_get((char *)end.data + c * end.stride[1], end.dtype) -
                            gf_sample_get((char *)begin.data + c * begin.stride[1], begin.dtype);
        const bool is_double = to->dtype == GF_F64;
        gf_real_put(to->data, i, is_double, gf_real_get(to->data, i, is_double) - 2 * jump * at);
    }
    return rc;
}

/* The same for pages, and within the picture, as each is lengthened; s is periodic in a page. */
static int split_pages(const struct making *m, int64_t first, struct gf_array *pages) {
    const int64_t count = pages->shape[0], *shape = m->read.shape;
    const bool inside = first < m->n;
    const int64_t at = inside ? first : first - m->n;
    const int threads = m->op->crew.threads;
    struct gf_array s = {0}, image = {0};
    int rc = read_some(m, false, at, pages);
    if (!rc)
        rc = make_smooth(m->op, at, count, &s);
    if (!rc && !inside)
        rc = make_smooth(m->op, m->n - at - count, count, &image);
    for (int64_t z = 0; z < count && !rc; z++) {
        struct gf_array page = gf_array_slice(pages, 0, z, 1);
        const struct gf_array here = gf_array_slice(&s, 0, z, 1);
        const struct gf_array there = inside ? here : gf_array_slice(&image, 0, count - 1 - z, 1);
        gf_smooth_fill_page(shape + 1, threads, (const struct gf_array[]){here, there}, inside,
                            &page);
    }
    gf_array_free(&s);
    gf_array_free(&image);
    return rc;
}

static int mirror(const struct making *m, int64_t first, struct gf_array *to) {
    return read_some(m, true, m->length - first - to->shape[0], to);
}

/* Makes units of the job's input, none or all of them beyond the end of the line or volume. */
static int make_some(const struct making *m, int64_t first, struct gf_array *to) {
    static int (*const beyond[])(const struct making *m, int64_t first, struct gf_array *to) = {
        [GF_EDGES_MIRROR] = mirror, [GF_EDGES_TAPER] = fade, [GF_EDGES_SMOOTH] = split_line};
    if (!m->is_line && splits(m->op))
        return split_pages(m, first, to);
    return first < m->n ? read_some(m, false, first, to) : beyond[m->mode](m, first, to);
}

static struct making making_of(struct gf_operation *op, const struct gf_unit_source *file) {
    const bool line = gf_slab_is_line(&op->job);
    const int axis = line ? op->job.ndim - 1 : 0;
    const struct gf_job picture = smooth_job(op);
    const int64_t limit = gf_runner_limit(op->crew.runner);
    return (struct making){.op = op,
                           .file = file,
                           .is_line = line,
                           .most = line         ? samples_room(op, limit) / sample_bytes(op)
                                   : splits(op) ? smooth_room(op, &picture, limit) /
                                                      smooth_page_bytes(op, &picture)
                                                : 1,
                           .n = gf_filtering_of(op)->frame.shape[axis],
                           .length = op->job.shape[axis],
                           .mode = (enum gf_edges)gf_filter_options_of(op)->edges};
}

static int take_buffers(struct making *m) {
    const struct gf_job *job = &m->op->job;
    const int64_t *n = gf_filtering_of(m->op)->frame.shape;
    const int x = job->ndim - 1, rank = m->is_line ? 2 : 4;
    const bool rows = job->ndim == 3;
    int64_t read[] = {m->most, rows ? n[1] : 1, n[x], job->channels};
    int64_t made[] = {m->most, rows ? job->shape[1] : 1, job->shape[x], job->channels};
    if (m->is_line)
        read[1] = made[1] = job->channels;
    int rc = gf_array_alloc(&m->read, gf_filtering_of(m->op)->frame.dtype, rank, read);
    if (!m->is_line && m->mode != GF_EDGES_TAPER)
        return rc;
    if (!rc)
        rc = gf_array_alloc(&m->end, job->in_dtype, rank, made);
    return rc ? rc : gf_array_alloc(&m->start, job->in_dtype, rank, made);
}

static int make(struct making *m, int64_t first, struct gf_array *to) {
    int rc = take_buffers(m);
    for (int64_t at = 0, some; at < to->shape[0] && !rc; at += some) {
        const int64_t i = (first + at) % m->length, end = i < m->n ? m->n : m->length;
        some = gf_min(gf_min(to->shape[0] - at, m->most), end - i);
        m->line = (first + at) / m->length;
        struct gf_array part = gf_array_slice(to, 0, at, some);
        rc = make_some(m, i, &part);
    }
    gf_array_free(&m->read);
    gf_array_free(&m->end);
    gf_array_free(&m->start);
    return rc;
}

/* ---- all ---- */

int64_t gf_filter_make_units_bytes(const struct gf_operation *op, int64_t limit) {
    const struct gf_job *job = &op->job;
    const int64_t *n = gf_filtering_of(op)->frame.shape;
    int64_t kernel;
    const int64_t parts = gf_filter_parts_bytes(op, &kernel) + kernel;
    const enum gf_edges mode = (enum gf_edges)gf_filter_options_of(op)->edges;
    if (gf_slab_is_line(job))
        return parts + (mode == GF_EDGES_PERIODIC ? 0 : samples_room(op, limit));
    if (splits(op))
        return parts + smooth_bytes(op, limit);
    int64_t read = (int64_t)gf_dtype_size(gf_filtering_of(op)->frame.dtype) * job->channels;
    int64_t made = 2 * (int64_t)gf_dtype_size(job->in_dtype) * job->channels;
    for (int i = 1; i < job->ndim; i++) {
        read *= n[i];
        made *= job->shape[i];
    }
    return parts + read + (mode == GF_EDGES_TAPER ? made : 0);
}

/* Reads all pages once, for the smooth part. */
static int scan(struct making *m) {
    struct gf_operation *op = m->op;
    const struct gf_job job = smooth_job(op);
    const int64_t *n = job.shape, shape[] = {m->most, n[1], n[2], job.channels};
    struct gf_array pages = {0};
    struct gf_smooth_pages *s = gf_filtering_of(op)->smooth = calloc(1, sizeof *s);
    if (!s)
        return gf_no_memory();
    gf_smooth_pages_init(s, &job);
    int rc = gf_smooth_pages_take(s);
    if (!rc)
        rc = take_buffers(m);
    if (!rc)
        rc = gf_array_alloc(&pages, job.in_dtype, 4, shape);
    for (int64_t z = 0; z < n[0] && !rc; z += m->most) {
        struct gf_array some = gf_array_slice(&pages, 0, 0, gf_min(n[0] - z, m->most));
        rc = read_some(m, false, z, &some);
        if (!rc)
            gf_smooth_pages_look(s, z, &some);
    }
    gf_array_free(&m->read);
    gf_array_free(&pages);
    for (int i = 0; i < GF_MAX_DIMS && !rc; i++)
        if (s->face[i].jumps)
            rc = gf_filter_run_over(op->crew.runner, &s->face[i].job, &s->face[i].of);
    return rc;
}

int gf_filter_make_units(struct gf_operation *op, const struct gf_unit_source *file, int64_t first,
                         struct gf_array *to) {
    struct making m = making_of(op, file);
    if (m.mode == GF_EDGES_PERIODIC)
        return file->read(file->user, first, to);
    int rc = op->scans && !gf_filtering_of(op)->smooth ? scan(&m) : 0;
    return rc ? rc : make(&m, first, to);
}
