/* Spans of lengthened lines that are not in memory. */
#include <string.h>

#include "cli/filter/filtering.h"
#include "cli/filter/input.h"
#include "cli/filter/parts.h"
#include "core/filter/edges.h"
#include "core/base/sample_value.h"
#include "core/slab/line.h"

/* A line of n samples, lengthened to P; buffers for at_once() of them, with their channels. */
struct making {
    struct gf_task *t;
    const struct gf_span_source *file;
    int64_t n, length, line;
    enum gf_edges mode;
    struct gf_array read, end, start;
};

static int64_t sample_bytes(const struct gf_task *t) {
    return 3 * (int64_t)sizeof(double) * t->job.channels;
}

/* Samples that are made together. */
static int64_t at_once(const struct gf_task *t) {
    enum { SHARE = 16, LEAST = 64, MOST = 1 << 16 };
    const int64_t n = gf_runner_limit(t->runner) / SHARE / sample_bytes(t);
    return n < LEAST ? LEAST : n < MOST ? n : MOST;
}

int64_t gf_filter_make_span_bytes(const struct gf_task *t) {
    const bool own = t->s->filter.edges == GF_EDGES_PERIODIC;
    return gf_filter_parts_bytes(t) + (own ? 0 : at_once(t) * sample_bytes(t));
}

/* Samples first .. first + count - 1 of the line in its file, in the job's type, perhaps in reverse
 * order. */
static int read_some(const struct making *m, bool reverse, int64_t first, struct gf_array *to) {
    const int64_t count = to->shape[0], bytes = to->stride[0];
    struct gf_array read = gf_array_slice(&m->read, 0, 0, count);
    int rc = m->file->read(m->file->user, m->line * m->n + first, count, read.data);
    if (rc)
        return rc;
    gf_filter_take_in(m->t, &read, to);
    for (int64_t i = 0; i < count / 2 && reverse; i++) {
        char one[16 * GF_SLAB_CHANNELS], *a = (char *)to->data + i * bytes;
        char *b = (char *)to->data + (count - 1 - i) * bytes;
        memcpy(one, a, (size_t)bytes);
        memcpy(a, b, (size_t)bytes);
        memcpy(b, one, (size_t)bytes);
    }
    return 0;
}

/* What the end of the line fades into. */
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

/* u less s and plus the mirror image of s, which along one axis is a straight line through 0 in its
 * middle: s(y) = (u(n - 1) - u(0)) (y + 1/2 - n/2) / n. */
static int split(const struct making *m, int64_t first, struct gf_array *to) {
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
        if (to->dtype == GF_F64)
            ((double *)to->data)[i] -= 2 * jump * at;
        else
            ((float *)to->data)[i] = (float)((double)((float *)to->data)[i] - 2 * jump * at);
    }
    return rc;
}

/* Samples of the lengthened line, none or all of them behind its end. */
static int make_some(const struct making *m, int64_t first, struct gf_array *to) {
    if (first < m->n)
        return read_some(m, false, first, to);
    return m->mode == GF_EDGES_TAPER    ? fade(m, first, to)
           : m->mode == GF_EDGES_SMOOTH ? split(m, first, to)
                                        : read_some(m, true, m->length - first - to->shape[0], to);
}

static int make_all(struct making *m, int64_t first, int64_t count, void *to) {
    const struct gf_job *job = &m->t->job;
    const int64_t most = at_once(m->t), shape[] = {most, job->channels};
    const int64_t sample = (int64_t)gf_dtype_size(job->in_dtype) * job->channels;
    int rc = gf_array_alloc(&m->read, m->t->filtering->frame.dtype, 2, shape);
    if (!rc)
        rc = gf_array_alloc(&m->end, job->in_dtype, 2, shape);
    if (!rc)
        rc = gf_array_alloc(&m->start, job->in_dtype, 2, shape);
    for (int64_t at = 0, some; at < count && !rc; at += some) {
        const int64_t from = first + at, line = from / m->length, i = from % m->length;
        const int64_t end = i < m->n ? m->n : m->length;
        some = count - at < most ? count - at : most;
        some = end - i < some ? end - i : some;
        m->line = line;
        struct gf_array part = gf_array_wrap((char *)to + at * sample, job->in_dtype, 2,
                                             (int64_t[]){some, job->channels});
        rc = make_some(m, i, &part);
    }
    return rc;
}

int gf_filter_make_span(struct gf_task *t, const struct gf_span_source *file, int64_t first,
                        int64_t count, void *to) {
    const int x = t->job.ndim - 1;
    struct making m = {.t = t,
                       .file = file,
                       .n = t->filtering->frame.shape[x],
                       .length = t->job.shape[x],
                       .mode = (enum gf_edges)t->s->filter.edges};
    if (m.mode == GF_EDGES_PERIODIC)
        return file->read(file->user, first, count, to);
    int rc = make_all(&m, first, count, to);
    gf_array_free(&m.read);
    gf_array_free(&m.end);
    gf_array_free(&m.start);
    return rc;
}
