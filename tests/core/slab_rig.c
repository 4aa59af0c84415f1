/* Runs jobs in slabs on the CPU, from arrays to arrays. */
#include "tests/core/slab_rig.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/schedule/plan.h"
#include "core/split/split.h"
#include "tests/core/backends.h"

static const struct gf_backend *const backend = &gf_backend_openmp;

/* Fails at one call of rank 1. */
static int spoil(struct slab_rig *f) {
    const bool counts = f->ranks && f->ranks->rank == 1 && f->spoiled;
    return counts && --f->spoiled == 0 ? gf_fail(GF_EIO, "spoiled") : 0;
}

static int read_pages(void *user, int64_t first, struct gf_array *pages) {
    struct slab_rig *f = user;
    if (spoil(f))
        return GF_EIO;
    memcpy(pages->data, (char *)f->in.data + first * f->in.stride[0],
           (size_t)gf_array_bytes(pages));
    return 0;
}

char *slab_rig_row(const struct gf_array *a, int64_t page, int64_t row) {
    const int y = a->rank - 3;
    return (char *)a->data + (y ? page * a->stride[0] : 0) + row * a->stride[y];
}

static int read_rows(void *user, const struct gf_slab_rows *rows, void *to) {
    struct slab_rig *f = user;
    if (spoil(f))
        return GF_EIO;
    memcpy(to, slab_rig_row(&f->in, rows->page, rows->row),
           (size_t)(rows->count * f->in.stride[f->in.rank - 3]));
    return 0;
}

static int write_rows(void *user, int i, const struct gf_slab_rows *rows, const void *data) {
    struct slab_rig *f = user;
    const struct gf_array *a = &f->out[i];
    const int64_t row = f->columns[i] * a->stride[a->rank - 2];
    if (spoil(f))
        return GF_EIO;
    for (int64_t y = 0; y < rows->count; y++)
        memcpy(slab_rig_row(a, rows->page, rows->row + y), (const char *)data + y * row,
               (size_t)row);
    return 0;
}

static int put(void *user, int64_t at, const void *data, int64_t bytes) {
    struct slab_rig *f = user;
    if (f->ranks)
        return gf_rank_exchange_put(&f->between, at, data, bytes);
    if (at < 0 || at + bytes > f->bytes)
        return gf_fail(GF_EINVAL, "outside the exchange");
    memcpy(f->exchange + at, data, (size_t)bytes);
    return 0;
}

static int get(void *user, int64_t at, void *data, int64_t bytes) {
    struct slab_rig *f = user;
    if (f->ranks)
        return gf_rank_exchange_get(&f->between, at, data, bytes);
    if (at < 0 || at + bytes > f->bytes)
        return gf_fail(GF_EINVAL, "outside the exchange");
    memcpy(data, f->exchange + at, (size_t)bytes);
    return 0;
}

static int turn(void *user, int rc) {
    return gf_rank_exchange_turn(&((struct slab_rig *)user)->between, rc);
}

static void *lend(void *user, int64_t at, int64_t bytes) {
    return gf_rank_exchange_lend(&((struct slab_rig *)user)->between, at, bytes);
}

static void moved(void *user, int64_t bytes) {
    ((struct slab_rig *)user)->moved = bytes;
}

/* Plans a job, unless it is the one before, and runs it. */
static int run_job(void *user, const struct gf_job *job, const struct gf_array *in,
                   struct gf_array *out, struct gf_report *report) {
    struct slab_rig *f = user;
    const int rc = gf_backend_replan(backend, f->context, job, &f->plan);
    return rc ? rc : gf_plan_exec(f->plan, in, out, report);
}

static int read_span(void *user, int64_t first, int64_t count, void *to) {
    struct slab_rig *f = user;
    const int64_t sample = f->in.stride[f->in.rank - 2];
    memcpy(to, (char *)f->in.data + first * sample, (size_t)(count * sample));
    return 0;
}

static int write_span(void *user, int i, int64_t first, int64_t count, const void *data) {
    struct slab_rig *f = user;
    const int64_t sample = f->out[i].stride[f->out[i].rank - 2];
    memcpy((char *)f->out[i].data + first * sample, data, (size_t)(count * sample));
    return 0;
}

/* In several slabs and blocks, as far as a slab of whole tiles leaves little memory for a block. */
static int make_plan(const struct gf_job *job, struct gf_slab_plan *p) {
    if (gf_slab_is_line(job))
        return gf_slab_plan_make(job, &(struct gf_slab_worker){0}, 60000, 0, p);
    const enum gf_packing packed = backend->packs(job);
    int rc = gf_slab_plan_make(job, &(struct gf_slab_worker){.packs = packed}, 1 << 30, 0, p);
    struct gf_slab_plan less = *p;
    for (int64_t memory = p->memory_bytes; !rc && (p->n_slabs < 2 || p->n_blocks < 2);) {
        memory -= memory / 8;
        if (gf_slab_plan_make(job, &(struct gf_slab_worker){.packs = packed}, memory, 0, &less))
            break;
        *p = less;
    }
    char text[160];
    if (!rc && p->n_slabs == 1 && p->n_blocks == 1)
        rc = gf_fail(GF_EINVAL, "in one piece: %s, %lld bytes", backends_text(job, text),
                     (long long)p->memory_bytes);
    return rc;
}

static struct gf_slab_io io_of(struct slab_rig *f) {
    struct gf_slab_io io = {.user = f,
                            .threads = SLAB_RIG_THREADS,
                            .read = read_pages,
                            .read_rows = read_rows,
                            .write = write_rows,
                            .put = put,
                            .get = get,
                            .run = run_job,
                            .moved = moved,
                            .read_span = read_span,
                            .write_span = write_span};
    if (f->ranks)
        io.lend = lend;
    if (f->ranks)
        io.ranks = f->ranks, io.turn = turn;
    return io;
}

static int refuse(const struct gf_job *job) {
    const char *why = gf_slab_refuses(job);
    return why ? gf_fail(GF_EINVAL, "%s", why) : 0;
}

int slab_rig_share(struct slab_rig *f, const struct gf_job *job, int64_t memory,
                   struct gf_ranks *ranks) {
    struct gf_slab_plan p;
    const struct gf_backend_options options = {.threads = 1};
    struct slab_rig own = *f; /* the arrays are those of all */
    own.ranks = ranks;
    own.plan = NULL;
    own.context = NULL;
    struct gf_slab_io io = io_of(&own);
    int rc = backend->open(backend, &options, &own.context);
    if (!rc)
        rc = refuse(job);
    if (!rc)
        rc = gf_slab_plan_make(job, &(struct gf_slab_worker){.packs = backend->packs(job)}, memory,
                               ranks->size, &p);
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = gf_rank_exchange_open(ranks, &p, &own.between);
    io.serial = own.between.window;
    if (!rc)
        rc = gf_slab_run(&p, &io, &own.report[1]);
    gf_rank_exchange_close(&own.between);
    gf_plan_drop(own.plan);
    backend->close(own.context);
    if (ranks->rank == 0)
        f->report[1] = own.report[1];
    return rc;
}

/* The samples that are counted are all but where a filter was given others beyond the edges. */
bool slab_rig_same(const struct slab_rig *f, const struct gf_job *job, int i) {
    const struct gf_array *a = &f->whole[i], *b = &f->out[i];
    const int y = a->rank - 3;
    const bool cut = gf_job_counts_part(job);
    const int64_t pages = !y ? 1 : cut ? gf_job_counted(job, 0) : a->shape[0];
    const int64_t rows = cut ? gf_job_counted(job, y) : a->shape[y];
    const int64_t columns = cut ? gf_job_counted(job, y + 1) : a->shape[y + 1];
    bool same = true;
    for (int64_t k = 0; k < pages * rows; k++)
        same &= !memcmp(slab_rig_row(a, k / rows, k % rows), slab_rig_row(b, k / rows, k % rows),
                        (size_t)(columns * a->stride[y + 1]));
    return same;
}

static int look_and_clear(struct slab_rig *f, const struct gf_job *job) {
    int rc = 0;
    for (int i = 0; i < job->n_out; i++) {
        if (!gf_slab_is_line(job) && !slab_rig_same(f, job, i))
            rc = gf_fail(GF_EINVAL, "output %d differs in turn", i);
        memset(f->out[i].data, 0xa5, (size_t)gf_array_bytes(&f->out[i]));
    }
    return rc;
}

static int run_slabs(struct slab_rig *f, const struct gf_job *job, struct gf_report *report) {
    const struct gf_slab_io io = io_of(f);
    struct gf_slab_plan p;
    int rc = refuse(job);
    if (!rc)
        rc = make_plan(job, &p);
    if (rc)
        return rc;
    f->bytes = p.exchange_bytes;
    f->exchange = malloc((size_t)f->bytes);
    /* in turn, then on three threads, whose bytes the caller sees */
    for (p.slots = 1; p.slots <= GF_SLAB_MOST_SLOTS && !rc; p.slots++) {
        rc = gf_slab_run(&p, &io, report);
        if (!rc && f->moved != gf_slab_bytes_moved(&p))
            rc = gf_fail(GF_EINVAL, "%lld bytes moved, of %lld", (long long)f->moved,
                         (long long)gf_slab_bytes_moved(&p));
        if (!rc && p.slots == 1)
            rc = look_and_clear(f, job);
    }
    free(f->exchange);
    return rc;
}

static int take_arrays(struct slab_rig *f, const struct gf_job *job) {
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(job, shape);
    int rc = gf_array_alloc(&f->in, job->in_dtype, job->ndim + 1, shape);
    for (int i = 0; i < job->n_out && !rc; i++) {
        gf_job_out_shape(job, i, shape);
        rc = gf_array_alloc(&f->whole[i], job->out[i].dtype, job->ndim + 1, shape);
        if (!rc)
            rc = gf_array_alloc(&f->out[i], job->out[i].dtype, job->ndim + 1, shape);
        const int x = job->ndim - 1;
        f->columns[i] = gf_job_counts_part(job) ? gf_job_counted(job, x) : shape[x];
    }
    return rc;
}

int slab_rig_run(struct slab_rig *f, const struct gf_job *job) {
    uint64_t seed = 5;
    int rc = take_arrays(f, job);
    if (rc)
        return rc;
    if (f->zeros)
        memset(f->in.data, 0, (size_t)gf_array_bytes(&f->in));
    else
        backends_fill(&f->in, &seed);
    rc = run_job(f, job, &f->in, f->whole, &f->report[0]);
    return rc ? rc : run_slabs(f, job, &f->report[1]);
}

void slab_rig_free(struct slab_rig *f) {
    gf_plan_drop(f->plan);
    gf_array_free(&f->in);
    for (int i = 0; i < GF_MAX_OUTPUTS; i++) {
        gf_array_free(&f->whole[i]);
        gf_array_free(&f->out[i]);
    }
}
