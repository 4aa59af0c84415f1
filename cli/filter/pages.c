/* Pages of a lengthened volume that is not in memory, of a picture rows. */
#include <stdlib.h>
#include <string.h>

#include "cli/filter/filtering.h"
#include "cli/filter/input.h"
#include "cli/filter/parts.h"
#include "core/filter/edges.h"
#include "core/filter/smooth.h"
#include "core/filter/smooth_pages.h"
#include "core/base/status.h"
#include "core/slab/line.h"

/* A page of the file as it is read, of a picture a row, and two lengthened ones that fade into each other. */
struct making {
    struct gf_task *t;
    const struct gf_page_source *file;
    struct gf_array page, end, start;
};

static bool fades(const struct gf_task *t) {
    return t->s->filter.edges == GF_EDGES_TAPER;
}

static bool splits(const struct gf_task *t) {
    return t->s->filter.edges == GF_EDGES_SMOOTH;
}

static int take_buffers(struct making *m) {
    const struct gf_job *job = &m->t->job;
    const int64_t *n = m->t->filtering->frame.shape;
    const int x = job->ndim - 1;
    const bool rows = job->ndim == 3;
    const int64_t read[] = {1, rows ? n[1] : 1, n[x], job->channels};
    const int64_t made[] = {1, rows ? job->shape[1] : 1, job->shape[x], job->channels};
    int rc = gf_array_alloc(&m->page, m->t->filtering->frame.dtype, 4, read);
    if (!rc && fades(m->t))
        rc = gf_array_alloc(&m->end, job->in_dtype, 4, made);
    if (!rc && fades(m->t))
        rc = gf_array_alloc(&m->start, job->in_dtype, 4, made);
    return rc;
}

/* ---- the smooth part ---- */

/* Of --edges=smooth: the picture as a volume, and how many of its pages are taken at once. */
static struct gf_job smooth_job(const struct gf_task *t) {
    const struct gf_job job = gf_filter_picture_job(t);
    return gf_slab_volume(&job);
}

/* A page as it is read, two of the smooth part, and one more where these are made. */
static int64_t smooth_page_bytes(const struct gf_task *t, const struct gf_job *job) {
    const int64_t number = (int64_t)gf_dtype_size(job->in_dtype);
    return job->shape[1] * (job->shape[2] + 2) * job->channels *
           ((int64_t)gf_dtype_size(t->filtering->frame.dtype) + 4 * number);
}

static int64_t pages_at_once(const struct gf_task *t, const struct gf_job *job) {
    enum { SHARE = 4 };
    const int64_t n = gf_runner_limit(t->runner) / SHARE / smooth_page_bytes(t, job);
    return n < 1 ? 1 : n < job->shape[0] ? n : job->shape[0];
}

static int64_t smooth_bytes(const struct gf_task *t) {
    const struct gf_job job = smooth_job(t);
    struct gf_smooth_pages s;
    gf_smooth_pages_init(&s, &job);
    return pages_at_once(t, &job) * smooth_page_bytes(t, &job) + gf_smooth_pages_bytes(&s);
}

bool gf_filter_looks(const struct gf_task *t) {
    return splits(t) && !gf_slab_is_line(&t->job);
}

/* `pages` of the file from `first` on, in the job's type. */
static int look_at(struct gf_task *t, const struct gf_page_source *file, int64_t first,
                   struct gf_array *read, struct gf_array *pages) {
    int rc = file->read(file->user, first, read);
    if (rc)
        return rc;
    gf_filter_take_in(t, read, pages);
    gf_smooth_pages_look(t->filtering->smooth, first, pages);
    return 0;
}

int gf_filter_look(struct gf_task *t, const struct gf_page_source *file) {
    const struct gf_job job = smooth_job(t);
    const int64_t *n = job.shape, most = pages_at_once(t, &job);
    const int64_t shape[] = {most, n[1], n[2], job.channels};
    struct gf_array read = {0}, pages = {0};
    struct gf_smooth_pages *s = t->filtering->smooth = calloc(1, sizeof *s);
    if (!s)
        return gf_fail(GF_ENOMEM, "out of memory");
    gf_smooth_pages_init(s, &job);
    int rc = gf_smooth_pages_take(s);
    if (!rc)
        rc = gf_array_alloc(&read, t->filtering->frame.dtype, 4, shape);
    if (!rc)
        rc = gf_array_alloc(&pages, job.in_dtype, 4, shape);
    for (int64_t z = 0; z < n[0] && !rc; z += most) {
        const int64_t count = n[0] - z < most ? n[0] - z : most;
        struct gf_array some = gf_array_slice(&read, 0, 0, count);
        struct gf_array converted = gf_array_slice(&pages, 0, 0, count);
        rc = look_at(t, file, z, &some, &converted);
    }
    gf_array_free(&read);
    gf_array_free(&pages);
    for (int i = 0; i < GF_MAX_DIMS && !rc; i++)
        if (s->face[i].jumps)
            rc = gf_filter_run_over(t->runner, &s->face[i].job, &s->face[i].of);
    return rc;
}

/* Pages of the smooth part; the caller frees. */
static int make_smooth(struct gf_task *t, int64_t first, int64_t count, struct gf_array *s) {
    const struct gf_job job = gf_smooth_pages_job(t->filtering->smooth, count);
    int rc = 0;
    *s = (struct gf_array){0};
    gf_filter_job_array(&job, false, &rc, s);
    if (!rc)
        rc = gf_smooth_pages_spectrum(t->filtering->smooth, gf_settings_threads(t->s), first, s);
    return rc ? rc : gf_filter_run_over(t->runner, &job, s);
}

/* Pages of the job's input from `first` on, none or all of them beyond the volume's last page. */
static int split_pages(struct making *m, int64_t first, struct gf_array *pages) {
    const struct gf_job job = smooth_job(m->t);
    const int64_t *n = job.shape, count = pages->shape[0];
    const bool inside = first < n[0];
    struct gf_array s = {0}, image = {0};
    struct gf_array read = gf_array_slice(&m->page, 0, 0, count), own = *pages;
    memcpy(own.shape, read.shape, sizeof own.shape);
    int rc = m->file->read(m->file->user, inside ? first : first - n[0], &read);
    if (!rc) {
        gf_filter_take_in(m->t, &read, &own);
        rc = make_smooth(m->t, inside ? first : first - n[0], count, &s);
    }
    if (!rc && !inside)
        rc = make_smooth(m->t, 2 * n[0] - first - count, count, &image);
    for (int64_t z = 0; z < count && !rc; z++) {
        struct gf_array page = gf_array_slice(pages, 0, z, 1);
        const struct gf_array here = gf_array_slice(&s, 0, z, 1);
        const struct gf_array there = inside ? here : gf_array_slice(&image, 0, count - 1 - z, 1);
        gf_smooth_fill_page(n + 1, gf_settings_threads(m->t->s),
                            (const struct gf_array[]){here, there}, inside, &page);
    }
    gf_array_free(&s);
    gf_array_free(&image);
    return rc;
}

static int make_smooth_pages(struct making *m, int64_t first, struct gf_array *pages) {
    const struct gf_job job = smooth_job(m->t);
    const int64_t n = job.shape[0], most = pages_at_once(m->t, &job);
    const int64_t shape[] = {most, job.shape[1], job.shape[2], job.channels};
    int rc = gf_array_alloc(&m->page, m->t->filtering->frame.dtype, 4, shape);
    for (int64_t z = 0, count; z < pages->shape[0] && !rc; z += count) {
        const int64_t from = first + z, left = pages->shape[0] - z;
        const int64_t end = from < n && from + left > n ? n - from : left;
        count = end < most ? end : most;
        struct gf_array some = gf_array_slice(pages, 0, z, count);
        rc = split_pages(m, from, &some);
    }
    gf_array_free(&m->page);
    return rc;
}

/* ---- all ---- */

int64_t gf_filter_make_pages_bytes(const struct gf_task *t) {
    const struct gf_job *job = &t->job;
    const int64_t *n = t->filtering->frame.shape;
    if (gf_slab_is_line(job))
        return gf_filter_make_span_bytes(t);
    int64_t read = (int64_t)gf_dtype_size(t->filtering->frame.dtype) * job->channels;
    int64_t made = fades(t) ? 2 * (int64_t)gf_dtype_size(job->in_dtype) * job->channels : 0;
    for (int i = 1; i < job->ndim; i++) {
        read *= n[i];
        made *= job->shape[i];
    }
    return (splits(t) ? smooth_bytes(t) : read + made) + gf_filter_parts_bytes(t);
}

/* Page z of the file, lengthened within its plane. */
static int lengthen_page(struct making *m, int64_t z, struct gf_array *to) {
    const int64_t shape[] = {1, m->page.shape[1], m->page.shape[2]};
    int rc = m->file->read(m->file->user, z, &m->page);
    if (rc)
        return rc;
    struct gf_array picture = *to;
    memcpy(picture.shape, m->page.shape, sizeof picture.shape);
    gf_filter_take_in(m->t, &m->page, &picture);
    gf_edges_fill((enum gf_edges)m->t->s->filter.edges, shape, gf_settings_threads(m->t->s), to);
    return 0;
}

/* Page z of the job's input. */
static int make_page(struct making *m, int64_t z, struct gf_array *to) {
    const int64_t n = m->t->filtering->frame.shape[0], length = m->t->job.shape[0];
    if (z < n)
        return lengthen_page(m, z, to);
    if (!fades(m->t))
        return lengthen_page(m, 2 * n - 1 - z, to);
    int rc = lengthen_page(m, 2 * n - 1 - z, &m->end);
    if (!rc)
        rc = lengthen_page(m, length - 1 - z, &m->start);
    if (!rc)
        gf_edges_fade(z - n, length - n, &m->end, &m->start, to);
    return rc;
}

int gf_filter_make_pages(struct gf_task *t, const struct gf_page_source *file, int64_t first,
                         struct gf_array *pages) {
    struct making m = {.t = t, .file = file};
    if (t->s->filter.edges == GF_EDGES_PERIODIC)
        return file->read(file->user, first, pages);
    if (splits(t))
        return make_smooth_pages(&m, first, pages);
    int rc = take_buffers(&m);
    for (int64_t z = 0; z < pages->shape[0] && !rc; z++) {
        struct gf_array page = gf_array_slice(pages, 0, z, 1);
        rc = make_page(&m, first + z, &page);
    }
    gf_array_free(&m.page);
    gf_array_free(&m.end);
    gf_array_free(&m.start);
    return rc;
}
