/* A rank's part of a volume: memory, jobs, and the exchange between planes and rows. */
#include "core/mpi/slabs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"

enum { CHUNK = 16 << 20 };

/* The plan of the whole job tells how its arithmetic pairs real lines. */
static int look_at_plan(struct gf_slabs *v) {
    struct gf_spread *s = v->s;
    struct gf_plan *plan = NULL;
    const bool filters = s->job.op == GF_FILTER;
    v->shares = gf_spread_shares(&s->job, -1, 1);
    if (!s->backend->packs && (!s->backend->devices || filters))
        return gf_fail(GF_EUNABLE,
                       "backend %s does not share a %s among processes; "
                       "--backend=openmp does",
                       s->backend->name, filters ? "filter" : "volume");
    if (!s->backend->packs)
        return 0;
    int rc = s->backend->plan(s->context, &s->job, &plan);
    if (rc)
        return rc;
    const enum gf_packing packs = s->backend->packs(&s->job);
    v->packed = packs == GF_PACKS_ALL;
    v->packed_within = packs == GF_PACKS_WITHIN;
    v->shares = gf_spread_shares(&s->job, plan->pair_axis, plan->pair_lines);
    gf_plan_drop(plan);
    return 0;
}

/* The grid, and this rank's place in it. */
static int take_place(struct gf_slabs *v) {
    const int64_t most = gf_grid_most_across(&v->shares);
    struct gf_grid *g = &v->grid;
    *g = v->s->grid.down ? v->s->grid : gf_grid_choose(&v->shares, v->ranks->size);
    if ((int64_t)g->down * g->across > v->ranks->size)
        return gf_fail(GF_EINVAL, "a grid of %dx%d, and %d processes", g->down, g->across,
                       v->ranks->size);
    if (g->across > most)
        return gf_fail(GF_EUNSUPP, "a grid of %dx%d, where at most %lld processes share a plane",
                       g->down, g->across, (long long)most);
    v->down = v->ranks->rank / g->across;
    v->across = v->ranks->rank % g->across;
    if (v->down >= g->down)
        v->down = v->across = -1;
    return 0;
}

static struct gf_span planes_of(const struct gf_slabs *v, int down) {
    return gf_slab_planes(v->nz, v->grid.down, down, v->shares.planes);
}

static struct gf_rows rows_of(const struct gf_slabs *v, int down) {
    return gf_slab_rows(v->ny, v->grid.down, down, v->mirrored);
}

struct gf_span gf_slabs_lines(const struct gf_slabs *v, int across) {
    return gf_slab_planes(v->ny, v->grid.across, across, v->shares.lines);
}

struct gf_span gf_slabs_columns(const struct gf_slabs *v, int across) {
    return gf_slab_share(v->width, v->grid.across, across);
}

int64_t gf_slabs_column(const struct gf_slabs *v, int64_t x) {
    const int64_t i = x - v->columns.first;
    if (i >= 0 && i < v->columns.count)
        return i;
    const bool with_zero = v->real && 2 * x == v->nx && !v->columns.first && v->columns.count;
    return !with_zero ? -1 : v->packed ? v->cols : v->packed_within ? v->cols - 1 : -1;
}

/* Slabs are transformed along x and y at once, so that only all axes' packing is left. */
static void take_shares(struct gf_slabs *v) {
    const bool apart = v->grid.across > 1;
    const bool packed = v->packed || (v->packed_within && apart);
    v->width = v->real ? v->nx / 2 + !packed : v->nx;
    if (v->down >= 0) {
        v->planes = planes_of(v, v->down);
        v->rows = rows_of(v, v->down);
        v->lines = gf_slabs_lines(v, v->across);
        v->columns = gf_slabs_columns(v, v->across);
    }
    v->cols = v->columns.count;
    v->cols += v->packed_within && apart && v->cols && !v->columns.first;
    v->row = v->cols * v->point;
}

/* Of messages across the grid (core/mpi/pencils.c). */
static int64_t message_bytes(const struct gf_slabs *v) {
    return v->grid.across > 1 ? v->planes.count * v->lines.count * v->width * v->point : 0;
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
    v->mirrored = v->real && job->op == GF_FFT;
    v->point = v->channels * (int64_t)gf_dtype_size(v->type);
    int rc = gf_spread_check(job);
    if (!rc)
        rc = look_at_plan(v);
    if (!rc)
        rc = take_place(v);
    if (rc)
        return rc;
    take_shares(v);
    /* The mirror images are where by_planes will be. */
    int64_t rows = v->nz * v->rows.count * v->row, planes = v->planes.count * v->ny * v->row;
    const bool rests = job->direction == GF_INVERSE && v->real && !job->in_half;
    planes = rests && rows > planes ? rows : planes;
    rows = message_bytes(v) > rows ? message_bytes(v) : rows;
    v->by_rows = gf_alloc((size_t)(rows + 1));
    v->by_planes = gf_alloc((size_t)(planes + 1));
    v->rest = rests ? v->by_planes : NULL;
    if (!v->by_rows || !v->by_planes)
        return gf_fail(GF_ENOMEM, "no memory for a rank's share of the volume");
    return 0;
}

void gf_slabs_close(struct gf_slabs *v) {
    for (int i = 0; i < GF_SLABS_PLANS; i++) {
        if (v->plan[i])
            gf_plan_drop(v->plan[i]);
        v->plan[i] = NULL;
    }
    gf_free(v->by_rows);
    gf_free(v->by_planes);
    v->by_rows = v->by_planes = v->rest = NULL;
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
            gf_plan_drop(v->plan[i]);
        v->plan[i] = NULL;
        rc = b->plan(context, job, &v->plan[i]);
    }
    return rc ? rc : v->plan[i]->ops->exec(v->plan[i], in, out, report ? report : &unused);
}

/* Points of the axes that a job leaves to others. */
static int64_t elsewhere(const struct gf_slabs *v, unsigned axes) {
    return (axes & 1 ? 1 : v->nz) * (axes & 2 ? 1 : v->ny) * (axes & 4 ? 1 : v->nx);
}

/* The part of this rank begins at its own columns, and all of the other axes. */
static void place_part(const struct gf_slabs *v, struct gf_job *job) {
    const struct gf_job *whole = &v->s->job;
    memcpy(job->whole.shape, whole->shape, sizeof job->whole.shape);
    job->whole.first[2] = v->columns.first;
    job->whole.axes = whole->axes;
}

struct gf_job gf_slabs_job(const struct gf_slabs *v, int64_t nz, int64_t ny, unsigned axes,
                           enum gf_direction direction) {
    const struct gf_job *whole = &v->s->job;
    struct gf_job job = {.direction = direction,
                         .ndim = 3,
                         .shape = {nz, ny, v->cols},
                         .channels = v->channels,
                         .axes = axes,
                         .in_dtype = v->type,
                         .precision = whole->precision,
                         .norm = direction == GF_FORWARD ? GF_NORM_BACKWARD : GF_NORM_FORWARD,
                         .elsewhere = elsewhere(v, axes),
                         .filter = whole->filter,
                         .filter_serial = whole->filter_serial,
                         .n_out = 1,
                         .out = {{.kind = GF_COMPLEX, .dtype = v->type}}};
    place_part(v, &job);
    return job;
}

struct gf_array gf_slabs_array(const struct gf_slabs *v, void *data, enum gf_dtype type, int64_t nz,
                               int64_t ny, int64_t nx) {
    return gf_array_wrap(data, type, 4, (const int64_t[]){nz, ny, nx, v->channels});
}

/* The two inner axes of n planes. */
static struct gf_job plane_job(const struct gf_slabs *v, int64_t n) {
    const struct gf_job *whole = &v->s->job;
    struct gf_job job = gf_slabs_job(v, n, v->ny, 6, GF_FORWARD);
    job.shape[2] = v->nx;
    job.channels = whole->channels;
    job.luma = whole->luma;
    job.in_dtype = whole->in_dtype;
    job.out[0].half = v->real;
    job.out[0].packed = v->packed;
    job.out[0].packed_within = v->packed_within;
    return job;
}

int gf_slabs_planes(struct gf_slabs *v, const struct gf_array *in, int64_t first) {
    const int64_t n = in->shape[0];
    struct gf_job job = plane_job(v, n);
    struct gf_array out =
        gf_slabs_array(v, v->by_planes + first * v->ny * v->row, v->type, n, v->ny, v->cols);
    return gf_slabs_transform(v, &job, in, &out, NULL);
}

/* z of own rows first .. first + n, in place; of a filter there and back. */
static int transform_rows(struct gf_slabs *v, int64_t first, int64_t n) {
    const struct gf_job *whole = &v->s->job;
    struct gf_job job = gf_slabs_job(v, v->nz, n, 1, whole->direction);
    job.lean = true;
    job.op = whole->op;
    if (whole->op == GF_FILTER)
        job.whole.first[1] = gf_rows_at(&v->rows, first);
    if (!v->cols)
        return 0;
    struct gf_array a = gf_slabs_array(v, v->by_rows, v->type, v->nz, v->rows.count, v->cols);
    a = gf_array_slice(&a, 1, first, n);
    return gf_slabs_transform(v, &job, &a, &a, NULL);
}

int gf_slabs_rows(struct gf_slabs *v) {
    enum { ON_DEVICE = 256 << 20 }; /* bytes at a time, of what a device may not hold at once */
    const int64_t all = v->rows.count, bytes = v->nz * v->row;
    const int64_t some = bytes && ON_DEVICE / bytes > 1 ? ON_DEVICE / bytes : 1;
    const int64_t group = v->s->backend->devices ? some : all;
    int rc = 0;
    for (int64_t first = 0; first < all && !rc; first += group)
        rc = transform_rows(v, first, all - first < group ? all - first : group);
    return rc;
}

int64_t gf_slabs_chunk(const struct gf_slabs *v, int64_t plane_bytes, int64_t *rounds) {
    const int64_t planes = plane_bytes && CHUNK / plane_bytes > 1 ? CHUNK / plane_bytes : 1;
    const int64_t chunk = v->shares.planes > 1 ? v->nz : planes;
    *rounds = 0;
    for (int i = 0; i < v->grid.down; i++) {
        int64_t n = (planes_of(v, i).count + chunk - 1) / chunk;
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

/* How many others there are down the grid. */
static int others(const struct gf_slabs *v) {
    return v->down < 0 ? 0 : v->grid.down - 1;
}

/* Number i of them, beginning behind this one, so that not all turn to the same one first; and its
 * rank. */
static int other(const struct gf_slabs *v, int i) {
    return (v->down + 1 + i) % v->grid.down;
}

static int rank_of(const struct gf_slabs *v, int down) {
    return down * v->grid.across + v->across;
}

int gf_slabs_expect_rows(struct gf_slabs *v) {
    int rc = 0;
    for (int i = 0; i < others(v); i++) {
        int from = other(v, i);
        struct gf_span p = planes_of(v, from);
        for (int64_t z = p.first; z < p.first + p.count; z++) {
            int64_t row = 0;
            for (int k = 0; k < v->rows.n && !rc; row += v->rows.range[k++].count)
                rc = gf_ranks_receive(v->ranks, at_rows(v, z, row), v->rows.range[k].count * v->row,
                                      rank_of(v, from));
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
        for (int i = 0; i < others(v); i++) {
            struct gf_rows to = rows_of(v, other(v, i));
            for (int k = 0; k < to.n && !rc; k++)
                rc = gf_ranks_send(v->ranks, at_plane(v, plane, to.range[k].first),
                                   to.range[k].count * v->row, rank_of(v, other(v, i)));
        }
        keep_own(v, plane, 0, &v->rows, false);
    }
    return rc ? rc : gf_ranks_progress(v->ranks, false);
}

/* How many of its rows a rank transforms before it sends them: a few times in all, in messages that are
 * worth one. Of ranks across the grid only those with as many columns exchange rows. */
static int64_t group_of(const struct gf_slabs *v, int64_t rows) {
    enum { GROUPS = 4, WORTH_SENDING = 1 << 16 };
    const int64_t row = v->row ? v->row : 1;
    int64_t group = (rows + GROUPS - 1) / GROUPS, least = (WORTH_SENDING + row - 1) / row;
    return group > least ? group : least;
}

int gf_slabs_expect_planes(struct gf_slabs *v) {
    int rc = 0;
    for (int i = 0; i < others(v); i++) {
        struct gf_rows all = rows_of(v, other(v, i));
        const int64_t group = group_of(v, all.count);
        for (int64_t first = 0; first < all.count; first += group) {
            struct gf_rows from = gf_rows_part(&all, first, group);
            for (int64_t plane = 0; plane < v->planes.count; plane++)
                for (int k = 0; k < from.n && !rc; k++)
                    rc = gf_ranks_receive(v->ranks, at_plane(v, plane, from.range[k].first),
                                          from.range[k].count * v->row, rank_of(v, other(v, i)));
        }
    }
    return rc;
}

/* Own rows first .. first + n. */
static int send_rows(struct gf_slabs *v, int64_t first, int64_t n) {
    const struct gf_rows part = gf_rows_part(&v->rows, first, n);
    int rc = 0;
    for (int i = 0; i < others(v); i++) {
        struct gf_span to = planes_of(v, other(v, i));
        for (int64_t z = to.first; z < to.first + to.count; z++) {
            int64_t row = first;
            for (int k = 0; k < part.n && !rc; row += part.range[k++].count)
                rc = gf_ranks_send(v->ranks, at_rows(v, z, row), part.range[k].count * v->row,
                                   rank_of(v, other(v, i)));
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

int gf_slabs_exchange_rows(struct gf_slabs *v) {
    int rc = gf_slabs_expect_planes(v);
    int bad = gf_slabs_send_rows(v, true);
    rc = rc ? rc : bad;
    bad = gf_slabs_arrive(v);
    return gf_ranks_agree(v->ranks, rc ? rc : bad);
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
