/* Times the exchange of a volume and compares it with its lower bounds: copying the sent bytes in
 * memory, and the link. */
#include "cli/bench/bench.h"

#include <stdlib.h>

#include "cli/batch/ranks.h"
#include "cli/log.h"
#include "cli/report.h"
#include "core/base/host/clock.h"
#include "core/base/host/memory.h"
#include "core/mpi/exchange.h"
#include "formats/io/keeper.h"

enum { LEAST_RUNS = 3, MOST_RUNS = 1000 };

static const double usual_seconds = 0.5;

/* Times of the slowest of ranks that exchange a volume, and that copy as many bytes in memory, all at
 * once. */
struct times {
    int64_t bytes_sent; /* by the rank that sends most */
    struct gf_times exchange, copy;
};

/* ---- measuring ---- */

struct lab {
    struct gf_slab_plan plan;
    struct gf_rank_exchange exchange;
    int64_t bytes_sent; /* by this rank */
    int64_t room;       /* bytes of the largest piece */
    char *piece, *copy;
};

/* The bytes of a piece that other ranks keep. */
static int64_t sent_of(const struct lab *l, int64_t at, int64_t bytes) {
    const int64_t *from = l->exchange.from + l->exchange.ranks->rank;
    const int64_t own = gf_min(at + bytes, from[1]) - gf_max(at, from[0]);
    return bytes - gf_max(own, 0);
}

static int exchange(struct lab *l) {
    const struct gf_slab_plan *p = &l->plan;
    const struct gf_ranks *ranks = l->exchange.ranks;
    const struct gf_span own = gf_ranks_own(ranks, p->n_slabs);
    int rc = 0;
    for (int64_t i = own.first; i < own.first + own.count; i++)
        for (int64_t k = 0; k < p->n_blocks && !rc; k++)
            rc = gf_rank_exchange_put(&l->exchange, gf_slab_piece_at(p, i, k), l->piece,
                                      gf_slab_piece_bytes(p, i, k));
    return gf_rank_exchange_turn(&l->exchange, rc);
}

static int open_lab(struct gf_ranks *ranks, const struct gf_job *job, int64_t memory,
                    struct lab *l) {
    struct gf_slab_plan *p = &l->plan;
    const char *why = gf_slab_is_line(job) ? "only volumes and pictures are" : gf_slab_refuses(job);
    int rc = why ? gf_fail(GF_EUNSUPP, "not by several processes: %s", why)
                 : gf_slab_plan_make(job, &(struct gf_slab_worker){0}, memory, ranks->size, p);
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = gf_rank_exchange_open(ranks, p, &l->exchange);
    if (rc)
        return rc;
    const struct gf_span own = gf_ranks_own(ranks, p->n_slabs);
    for (int64_t i = 0; i < p->n_slabs; i++)
        for (int64_t k = 0; k < p->n_blocks; k++) {
            const int64_t bytes = gf_slab_piece_bytes(p, i, k);
            l->room = gf_max(l->room, bytes);
            if (i >= own.first && i < own.first + own.count)
                l->bytes_sent += sent_of(l, gf_slab_piece_at(p, i, k), bytes);
        }
    l->piece = gf_alloc((size_t)l->room);
    l->copy = gf_alloc((size_t)l->room);
    rc = gf_ranks_agree(ranks, l->piece && l->copy ? 0 : gf_no_memory());
    if (!rc)
        memset(l->piece, 0, (size_t)l->room);
    return rc;
}

static int copy(struct lab *l) {
    for (int64_t left = l->bytes_sent; left > 0; left -= l->room)
        memcpy(l->copy, l->piece, (size_t)gf_min(left, l->room));
    return 0;
}

/* Seconds of the slowest rank; all start together. */
static int time_once(struct lab *l, int (*work)(struct lab *l), double *seconds) {
    struct gf_ranks *ranks = l->exchange.ranks;
    int rc = gf_ranks_agree(ranks, 0);
    const double start = gf_now_ms();
    if (!rc)
        rc = work(l);
    *seconds = (gf_now_ms() - start) * 1e-3;
    return rc ? rc : gf_ranks_most(ranks, seconds, 1);
}

/* All ranks have the same times, so they stop together. The first run is not counted. */
static int time_many(struct lab *l, int (*work)(struct lab *l), double seconds, int runs,
                     struct gf_times *t) {
    double *time = malloc(MOST_RUNS * sizeof *time), sum = 0;
    int n = 0, rc = gf_ranks_agree(l->exchange.ranks, time ? 0 : gf_no_memory());
    if (!rc)
        rc = time_once(l, work, &time[0]);
    while (!rc && n < MOST_RUNS && (runs ? n < runs : n < LEAST_RUNS || sum < seconds)) {
        rc = time_once(l, work, &time[n]);
        sum += time[n++];
    }
    if (!rc)
        *t = gf_times_of(time, n);
    free(time);
    return rc;
}

/* Collective; takes `memory` bytes a rank. Times the exchange alone for some seconds, at least
 * three times, or `runs` times if not 0. *e is the same on all ranks. */
static int time_exchange(struct gf_ranks *ranks, const struct gf_job *job, int64_t memory,
                         double seconds, int runs, struct times *e) {
    struct lab l = {.room = 0};
    int rc = open_lab(ranks, job, memory, &l);
    double sent = (double)l.bytes_sent;
    if (!rc)
        rc = gf_ranks_most(ranks, &sent, 1);
    e->bytes_sent = (int64_t)sent;
    if (!rc)
        rc = time_many(&l, exchange, seconds, runs, &e->exchange);
    if (!rc)
        rc = time_many(&l, copy, seconds / 4, runs, &e->copy);
    gf_free(l.piece);
    gf_free(l.copy);
    gf_rank_exchange_close(&l.exchange);
    return rc;
}

/* ---- the command ---- */

static json_t *report(const struct gf_settings *s, const char *shape, const struct gf_ranks *ranks,
                      const struct times *e) {
    const double sent = (double)e->bytes_sent;
    const struct gf_times *t = &e->exchange;
    return GF_REPORT(GF_KEY("kind", "exchange"), GF_KEY("shape", shape),
                     GF_KEY("mpi", ranks->transport->library), GF_KEY("ranks", ranks->size),
                     GF_KEY("bytes_sent", e->bytes_sent), GF_KEY("runs", t->runs),
                     GF_KEY("median_ms", t->median * 1e3), GF_KEY("least_ms", t->least * 1e3),
                     GF_KEY("copy_ms", e->copy.least * 1e3),
                     GF_KEY(".gb_s", sent / t->median * 1e-9),
                     GF_KEY(".copies", t->least / e->copy.least), GF_KEY(".link", s->link),
                     GF_KEY_IF(s->link > 0, "link_ms", sent / s->link * 1e-6),
                     GF_KEY_IF(s->link > 0, ".links", t->least * s->link * 1e9 / sent));
}

static const char form[] =
    "{shape} complex, {ranks} processes of {mpi}\n"
    "  sent      {bytes_sent:B} by each\n"
    "  exchange  {median_ms:.4g} ms, the least {least_ms:.4g} ms, {gb_s:.3g} GB/s from each, "
    "{runs} runs\n"
    "  copy      {copy_ms:.4g} ms: the exchange takes at least {copies:.2f} times what a memory "
    "copy does\n"
    "{?link_ms   link      {link_ms:.4g} ms at {link:.3g} GB/s: the exchange takes at least "
    "{links:.2f} times that\n}";

static int measure(const struct gf_settings *s, const struct gf_extents *shape,
                   struct gf_ranks *ranks) {
    const bool is_double = s->bench.precisions == 1u << GF_DOUBLE;
    const enum gf_dtype type = is_double ? GF_C128 : GF_C64;
    struct times e;
    char text[GF_SHAPE_TEXT];
    struct gf_job job = {.ndim = shape->n,
                         .channels = 1,
                         .axes = (1u << shape->n) - 1,
                         .in_dtype = type,
                         .precision = is_double ? GF_DOUBLE : GF_SINGLE,
                         .n_out = 1,
                         .out = {{.kind = GF_COMPLEX, .dtype = type}}};
    for (int i = 0; i < shape->n; i++)
        job.shape[i] = shape->extent[i];
    int rc =
        time_exchange(ranks, &job, s->max_memory ? s->max_memory : gf_memory_available(),
                      s->bench.seconds > 0 ? s->bench.seconds : usual_seconds, s->bench.repeat, &e);
    if (!rc && ranks->rank == 0)
        gf_report_print(s->json, form,
                        report(s, gf_shape_text(shape->extent, shape->n, text), ranks, &e));
    return rc;
}

static int run(const struct gf_settings *s, const struct gf_shapes *shapes,
               struct gf_ranks *ranks) {
    int rc = 0;
    for (int i = 0; i < shapes->n && !rc; i++)
        rc = measure(s, &shapes->shape[i], ranks);
    gf_log_mute(ranks->rank != (rc ? ranks->speaker : 0));
    return rc;
}

int gf_bench_exchange(const struct gf_settings *s, char *const *operands, int n) {
    const struct gf_launcher launcher = gf_environment_launcher();
    struct gf_shapes shapes = {0};
    struct gf_ranks ranks = {.transport = NULL};
    struct gf_settings all = *s;
    const struct gf_targets none = {.n = 0};
    const struct gf_rank_work work = {&all, "bench", &none, operands, n};
    bool joined;
    int rc = launcher.size > 1 ? 0
                               : gf_fail(GF_EUSAGE, "--kind=exchange measures the processes that "
                                                    "mpirun or srun started");
    all.mpi = GF_MPI_ON;
    for (int i = 0; i < n && !rc; i++)
        rc = gf_shapes_add(&shapes, operands[i], (enum gf_step)s->step);
    if (!rc && !n)
        rc = gf_shapes_add(&shapes, "256^3", GF_STEP_DOUBLE);
    if (!rc)
        rc = gf_ranks_join(&launcher, &work, &ranks, &joined);
    if (!rc)
        rc = run(s, &shapes, &ranks);
    /* the others wait, since the launcher kills all processes when one exits with an error */
    if (rc)
        gf_log_error("bench: %s", gf_message());
    gf_keeper_stop();
    if (ranks.broken)
        ranks.transport->abandon(gf_exit_code(rc));
    gf_ranks_close(&ranks);
    gf_shapes_free(&shapes);
    return gf_exit_code(rc);
}
