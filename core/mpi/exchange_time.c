/* Times the exchange of a run in slabs without its transforms. */

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/mpi/exchange.h"

enum { LEAST_RUNS = 3, MOST_RUNS = 1000 };

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
                     struct gf_exchange_times *e) {
    double *time = malloc(MOST_RUNS * sizeof *time), sum = 0;
    int n = 0, rc = gf_ranks_agree(l->exchange.ranks, time ? 0 : gf_no_memory());
    if (!rc)
        rc = time_once(l, work, &time[0]);
    while (!rc && n < MOST_RUNS && (runs ? n < runs : n < LEAST_RUNS || sum < seconds)) {
        rc = time_once(l, work, &time[n]);
        sum += time[n++];
    }
    if (!rc) {
        qsort(time, (size_t)n, sizeof *time, gf_ascending);
        e->runs = n;
        e->median = time[n / 2];
        e->least = time[0];
    }
    free(time);
    return rc;
}

int gf_exchange_measure(struct gf_ranks *ranks, const struct gf_job *job, int64_t memory,
                        double seconds, int runs, struct gf_exchange_times *e) {
    struct gf_exchange_times copies;
    struct lab l = {.room = 0};
    *e = (struct gf_exchange_times){.runs = 0};
    int rc = open_lab(ranks, job, memory, &l);
    double sent = (double)l.bytes_sent;
    if (!rc)
        rc = gf_ranks_most(ranks, &sent, 1);
    e->bytes_sent = (int64_t)sent;
    if (!rc)
        rc = time_many(&l, exchange, seconds, runs, e);
    if (!rc)
        rc = time_many(&l, copy, seconds / 4, runs, &copies);
    if (!rc)
        e->copy = copies.least;
    gf_free(l.piece);
    gf_free(l.copy);
    gf_rank_exchange_close(&l.exchange);
    return rc;
}
