/* A rank's part of a volume: memory, jobs, and the exchange between planes and rows. */
#include "core/mpi/slabs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"

enum { CHUNK = 16 << 20, MOST_READ = 1 << 30 };

/* The plan of the whole job tells how its arithmetic pairs real lines. */
static int look_at_plan(struct gf_slabs *v) {
    struct gf_spread *s = v->s;
    struct gf_plan *plan = NULL;
    int rc = s->backend->packs ? s->backend->plan(s->context, &s->job, &plan)
                               : gf_fail(GF_EUNSUPP,
                                         "backend %s does not share a volume among processes; "
                                         "--backend=openmp does",
                                         s->backend->name);
    if (rc)
        return rc;
    v->packed = s->backend->packs(&s->job);
    v->unit = plan->pair_axis == 0 ? plan->pair_lines : 1;
    s->backend->unplan(s->context, plan);
    return 0;
}

int gf_slabs_open(struct gf_spread *s, struct gf_slabs *v) {
    const struct gf_job *job = &s->job;
    bool wide = job->precision == GF_DOUBLE;
    *v = (struct gf_slabs){.s = s,
                           .ranks = s->ranks,
                           .nz = job->shape[0],
                           .ny = job->shape[1],
                           .nx = job->shape[2],
                           .channels = job->luma ? 1 : job->channels,
                           .real = gf_job_is_real(job),
                           .type = wide ? GF_C128 : GF_C64};
    int rc = gf_spread_check(job);
    if (!rc)
        rc = look_at_plan(v);
    if (rc)
        return rc;
    v->planes = gf_slab_planes(v->nz, v->ranks->size, v->ranks->rank, v->unit);
    v->rows = gf_slab_rows(v->ny, v->ranks->size, v->ranks->rank, v->real);
    v->cols = v->real ? v->nx / 2 + !v->packed : v->nx;
    v->point = v->channels * (int64_t)gf_dtype_size(v->type);
    v->row = v->cols * v->point;
    v->by_rows = gf_alloc((size_t)(v->nz * v->rows.count * v->row));
    v->by_planes = gf_alloc((size_t)(v->planes.count * v->ny * v->row));
    if ((v->rows.count && !v->by_rows) || (v->planes.count && !v->by_planes))
        return gf_fail(GF_ENOMEM, "no memory for a rank's share of the volume");
    return 0;
}

void gf_slabs_close(struct gf_slabs *v) {
    for (int i = 0; i < GF_SLABS_PLANS; i++) {
        if (v->plan[i])
            v->s->backend->unplan(v->s->context, v->plan[i]);
        v->plan[i] = NULL;
    }
    gf_free(v->by_rows);
    gf_free(v->by_planes);
    v->by_rows = v->by_planes = NULL;
}

/* ---------------------------------------------------------------- jobs */

int gf_slabs_transform(struct gf_slabs *v, const struct gf_job *job, const struct gf_array *in,
                       struct gf_array *out, struct gf_report *report) {
    const struct gf_backend *b = v->s->backend;
    void *context = v->s->context;
    struct gf_report unused;
    int i = 0, rc = 0;
    while (i < GF_SLABS_PLANS && (!v->plan[i] || !gf_job_equal(&v->plan[i]->job, job)))
        i++;
    if (i == GF_SLABS_PLANS) {
        i = v->next_plan++ % GF_SLABS_PLANS;
        if (v->plan[i])
            b->unplan(context, v->plan[i]);
        v->plan[i] = NULL;
        rc = b->plan(context, job, &v->plan[i]);
    }
    return rc ? rc : b->exec(context, v->plan[i], in, out, report ? report : &unused);
}

/* Points of the axes that a job leaves to others. */
static int64_t elsewhere(const struct gf_slabs *v, unsigned axes) {
    return (axes & 1 ? 1 : v->nz) * (axes & 2 ? 1 : v->ny) * (axes & 4 ? 1 : v->nx);
}

struct gf_job gf_slabs_job(const struct gf_slabs *v, int64_t nz, int64_t ny, unsigned axes) {
    const struct gf_job *job = &v->s->job;
    return (struct gf_job){.direction = job->direction,
                           .ndim = 3,
                           .shape = {nz, ny, v->cols},
                           .channels = v->channels,
                           .axes = axes,
                           .in_dtype = v->type,
                           .precision = job->precision,
                           .norm =
                               job->direction == GF_FORWARD ? GF_NORM_BACKWARD : GF_NORM_FORWARD,
                           .elsewhere = elsewhere(v, axes),
                           .n_out = 1,
                           .out = {{.kind = GF_COMPLEX, .dtype = v->type}}};
}

struct gf_array gf_slabs_array(const struct gf_slabs *v, void *data, enum gf_dtype type, int64_t nz,
                               int64_t ny, int64_t nx) {
    return gf_array_wrap(data, type, 4, (const int64_t[]){nz, ny, nx, v->channels});
}

/* The two inner axes of n planes. */
static struct gf_job plane_job(const struct gf_slabs *v, int64_t n) {
    const struct gf_job *whole = &v->s->job;
    struct gf_job job = gf_slabs_job(v, n, v->ny, 6);
    job.shape[2] = v->nx;
    job.channels = whole->channels;
    job.luma = whole->luma;
    job.in_dtype = whole->in_dtype;
    job.out[0].half = v->real;
    job.out[0].packed = v->packed;
    return job;
}

int gf_slabs_planes(struct gf_slabs *v, const struct gf_array *in, int64_t first) {
    const int64_t n = in->shape[0];
    struct gf_job job = plane_job(v, n);
    struct gf_array out =
        gf_slabs_array(v, v->by_planes + first * v->ny * v->row, v->type, n, v->ny, v->cols);
    return gf_slabs_transform(v, &job, in, &out, NULL);
}

/* z of own rows first .. first + n, in place. */
static int transform_rows(struct gf_slabs *v, int64_t first, int64_t n) {
    struct gf_job job = gf_slabs_job(v, v->nz, n, 1);
    job.lean = true;
    struct gf_array a = gf_slabs_array(v, v->by_rows, v->type, v->nz, v->rows.count, v->cols);
    a = gf_array_slice(&a, 1, first, n);
    return gf_slabs_transform(v, &job, &a, &a, NULL);
}

int gf_slabs_rows(struct gf_slabs *v) {
    return v->rows.count ? transform_rows(v, 0, v->rows.count) : 0;
}

int64_t gf_slabs_chunk(const struct gf_slabs *v, int64_t plane_bytes, int64_t *rounds) {
    const int64_t planes = CHUNK / plane_bytes > 1 ? CHUNK / plane_bytes : 1;
    const int64_t chunk = v->unit > 1 ? v->nz : planes;
    *rounds = 0;
    for (int i = 0; i < v->ranks->size; i++) {
        struct gf_span r = gf_slab_planes(v->nz, v->ranks->size, i, v->unit);
        int64_t n = (r.count + chunk - 1) / chunk;
        *rounds = n > *rounds ? n : *rounds;
    }
    return chunk;
}

/* ---------------------------------------------------------------- the exchange */

/* Messages are the rows of a range in one plane, which are together at both ends. Between two ranks
 * they come in the order of the planes, and of the ranges in each. */

static char *at_rows(const struct gf_slabs *v, int64_t z, int64_t row) {
    return v->by_rows + (z * v->rows.count + row) * v->row;
}

static char *at_plane(const struct gf_slabs *v, int64_t plane, int64_t y) {
    return v->by_planes + (plane * v->ny + y) * v->row;
}

static struct gf_rows rows_of(const struct gf_slabs *v, int rank) {
    return gf_slab_rows(v->ny, v->ranks->size, rank, v->real);
}

/* Rank i of the others, beginning behind this one, so that not all turn to the same one first. */
static int other(const struct gf_slabs *v, int i) {
    return (v->ranks->rank + 1 + i) % v->ranks->size;
}

int gf_slabs_expect_rows(struct gf_slabs *v) {
    int rc = 0;
    for (int i = 0; i + 1 < v->ranks->size; i++) {
        int from = other(v, i);
        struct gf_span p = gf_slab_planes(v->nz, v->ranks->size, from, v->unit);
        for (int64_t z = p.first; z < p.first + p.count; z++) {
            int64_t row = 0;
            for (int k = 0; k < v->rows.n && !rc; row += v->rows.range[k++].count)
                rc = gf_ranks_receive(v->ranks, at_rows(v, z, row), v->rows.range[k].count * v->row,
                                      from);
        }
    }
    return rc;
}

/* Own rows of an own plane, from one side to the other. */
static void keep_own(const struct gf_slabs *v, int64_t plane, int64_t row,
                     const struct gf_rows *part, bool back) {
    for (int k = 0; k < part->n; row += part->range[k++].count) {
        char *a = at_rows(v, v->planes.first + plane, row);
        char *b = at_plane(v, plane, part->range[k].first);
        memcpy(back ? b : a, back ? a : b, (size_t)(part->range[k].count * v->row));
    }
}

int gf_slabs_send_planes(struct gf_slabs *v, int64_t first, int64_t n) {
    int rc = 0;
    for (int64_t plane = first; plane < first + n; plane++) {
        for (int i = 0; i + 1 < v->ranks->size; i++) {
            struct gf_rows to = rows_of(v, other(v, i));
            for (int k = 0; k < to.n && !rc; k++)
                rc = gf_ranks_send(v->ranks, at_plane(v, plane, to.range[k].first),
                                   to.range[k].count * v->row, other(v, i));
        }
        keep_own(v, plane, 0, &v->rows, false);
    }
    return rc ? rc : gf_ranks_progress(v->ranks, false);
}

/* How many of its rows a rank transforms before it sends them: a few times in all, in messages that are
 * worth one. */
static int64_t group_of(const struct gf_slabs *v, int64_t rows) {
    enum { GROUPS = 4, WORTH_SENDING = 1 << 16 };
    int64_t group = (rows + GROUPS - 1) / GROUPS, least = (WORTH_SENDING + v->row - 1) / v->row;
    return group > least ? group : least;
}

int gf_slabs_expect_planes(struct gf_slabs *v) {
    int rc = 0;
    for (int i = 0; i + 1 < v->ranks->size; i++) {
        struct gf_rows all = rows_of(v, other(v, i));
        const int64_t group = group_of(v, all.count);
        for (int64_t first = 0; first < all.count; first += group) {
            struct gf_rows from = gf_rows_part(&all, first, group);
            for (int64_t plane = 0; plane < v->planes.count; plane++)
                for (int k = 0; k < from.n && !rc; k++)
                    rc = gf_ranks_receive(v->ranks, at_plane(v, plane, from.range[k].first),
                                          from.range[k].count * v->row, other(v, i));
        }
    }
    return rc;
}

/* Own rows first .. first + n. */
static int send_rows(struct gf_slabs *v, int64_t first, int64_t n) {
    const struct gf_rows part = gf_rows_part(&v->rows, first, n);
    int rc = 0;
    for (int i = 0; i + 1 < v->ranks->size; i++) {
        struct gf_span to = gf_slab_planes(v->nz, v->ranks->size, other(v, i), v->unit);
        for (int64_t z = to.first; z < to.first + to.count; z++) {
            int64_t row = first;
            for (int k = 0; k < part.n && !rc; row += part.range[k++].count)
                rc = gf_ranks_send(v->ranks, at_rows(v, z, row), part.range[k].count * v->row,
                                   other(v, i));
        }
    }
    for (int64_t plane = 0; plane < v->planes.count; plane++)
        keep_own(v, plane, first, &part, true);
    return rc ? rc : gf_ranks_progress(v->ranks, false);
}

int gf_slabs_send_rows(struct gf_slabs *v, bool transform) {
    const int64_t group = group_of(v, v->rows.count);
    int rc = 0;
    for (int64_t first = 0; first < v->rows.count && !v->ranks->broken; first += group) {
        int64_t left = v->rows.count - first, n = left < group ? left : group;
        if (transform && !rc)
            rc = transform_rows(v, first, n);
        int bad = send_rows(v, first, n); /* the others wait for them in any case */
        rc = rc ? rc : bad;
    }
    return rc;
}

int gf_slabs_arrive(struct gf_slabs *v) {
    return gf_ranks_progress(v->ranks, true);
}

int gf_slabs_forward(struct gf_slabs *v, const struct gf_array *planes) {
    int64_t rounds, plane = planes->stride[0];
    const int64_t chunk = gf_slabs_chunk(v, plane, &rounds);
    int rc = gf_slabs_expect_rows(v);
    for (int64_t first = 0; first < v->planes.count && !v->ranks->broken; first += chunk) {
        int64_t left = v->planes.count - first, n = left < chunk ? left : chunk;
        struct gf_array in = gf_array_slice(planes, 0, first, n);
        rc = rc ? rc : gf_slabs_planes(v, &in, first);
        int bad = gf_slabs_send_planes(v, first, n);
        rc = rc ? rc : bad;
    }
    int bad = gf_slabs_arrive(v);
    rc = gf_ranks_agree(v->ranks, rc ? rc : bad);
    return rc ? rc : gf_ranks_agree(v->ranks, gf_slabs_rows(v));
}

/* ---------------------------------------------------------------- planes of a file */

/* The part of bytes at .. at + bytes that begins at `done`. */
static struct gf_file_part part_of(int64_t at, int64_t bytes, int64_t done) {
    int64_t left = bytes > done ? bytes - done : 0;
    return (struct gf_file_part){at + done, left < MOST_READ ? left : MOST_READ};
}

int gf_slabs_read(struct gf_slabs *v, int64_t at, int64_t bytes, int64_t most, char *data) {
    int rc = 0;
    for (int64_t done = 0; done < most && !rc; done += MOST_READ) {
        struct gf_file_part part = part_of(at, bytes, done);
        rc = gf_ranks_read(v->ranks, &part, part.bytes > 0, data + done);
        rc = gf_ranks_agree(v->ranks, rc);
    }
    return rc;
}

int gf_slabs_write(struct gf_slabs *v, int64_t at, int64_t bytes, int64_t most, const char *data) {
    int rc = 0;
    for (int64_t done = 0; done < most && !rc; done += MOST_READ) {
        struct gf_file_part part = part_of(at, bytes, done);
        rc = gf_ranks_write(v->ranks, &part, part.bytes > 0, data + done);
        rc = gf_ranks_agree(v->ranks, rc);
    }
    return rc;
}

int gf_slabs_refuse_nonfinite(struct gf_slabs *v) {
    struct gf_spread *s = v->s;
    double n = (double)s->nonfinite;
    int64_t first = s->nonfinite ? s->first_nonfinite : INT64_MAX;
    int rc = gf_ranks_sum(v->ranks, &n, 1);
    if (!rc)
        rc = gf_ranks_least(v->ranks, &first, 1);
    if (rc)
        return rc;
    s->nonfinite = (int64_t)n;
    s->first_nonfinite = first;
    v->ranks->speaker = 0;
    return s->nonfinite ? gf_fail(GF_EINVAL, "%lld samples are NaN or Inf", (long long)s->nonfinite)
                        : 0;
}
