/* Finds the rank that keeps each byte of the exchange. */
#include "core/mpi/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"

/* Finds the ranks on this machine. Collective. */
static int find_near(struct gf_rank_exchange *e) {
    struct gf_ranks *r = e->ranks;
    double far = 0; /* the most ranks that one cannot reach */
    gf_neighbour_open(e->own, &e->self);
    int rc = gf_ranks_gather(r, &e->self, sizeof e->self, e->near);
    for (int i = 0; i < r->size && !rc; i++)
        if (!gf_neighbour_reaches(&e->near[i])) {
            e->near[i].process = 0;
            far += i != r->rank;
        }
    if (!rc)
        rc = gf_ranks_most(r, &far, 1);
    e->window = far > 0;
    return rc;
}

int gf_rank_exchange_open(struct gf_ranks *ranks, const struct gf_slab_plan *plan,
                          struct gf_rank_exchange *e) {
    const int n = ranks->size, me = ranks->rank;
    *e = (struct gf_rank_exchange){.ranks = ranks,
                                   .from = malloc((size_t)(n + 1) * sizeof *e->from),
                                   .near = calloc((size_t)n, sizeof *e->near)};
    for (int i = 0; i <= n && e->from; i++)
        e->from[i] = gf_slab_owned_from(plan, n, i);
    const int64_t bytes = e->from ? e->from[me + 1] - e->from[me] : 0;
    e->own = e->from && e->near ? gf_alloc((size_t)bytes) : NULL;
    int rc = gf_ranks_agree(ranks, e->own ? 0 : gf_no_memory());
    if (!rc)
        rc = find_near(e);
    if (!rc && e->window)
        rc = gf_ranks_check(ranks, ranks->transport->open(e->own, bytes));
    e->open = !rc;
    return rc;
}

void gf_rank_exchange_close(struct gf_rank_exchange *e) {
    if (e->open && !e->ranks->broken && e->window)
        gf_ranks_check(e->ranks, e->ranks->transport->close());
    else if (e->open && !e->ranks->broken)
        gf_ranks_agree(e->ranks, 0);
    if (!e->open || !e->ranks->broken) /* else others may still write to it */
        gf_free(e->own);
    if (e->near)
        gf_neighbour_close();
    free(e->near);
    free(e->from);
    *e = (struct gf_rank_exchange){.own = NULL};
}

/* The rank that keeps byte `at`: of several that begin there the last, as the others keep none. */
static int keeper(const struct gf_rank_exchange *e, int64_t at) {
    int low = 0, high = e->ranks->size;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (e->from[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int move(struct gf_rank_exchange *e, int64_t at, char *data, int64_t bytes, bool puts) {
    struct gf_ranks *r = e->ranks;
    const struct gf_transport *t = r->transport;
    int rc = r->broken ? GF_EIO : 0;
    for (int64_t n; bytes > 0 && !rc; at += n, data += n, bytes -= n) {
        const int peer = keeper(e, at);
        const int64_t offset = at - e->from[peer], left = e->from[peer + 1] - at;
        n = gf_min(bytes, left);
        if (peer == r->rank)
            memcpy(puts ? e->own + offset : data, puts ? data : e->own + offset, (size_t)n);
        else if (e->near[peer].process)
            rc = gf_ranks_break(r, gf_neighbour_copy(&e->near[peer], offset, data, n, puts));
        else
            rc = gf_ranks_check(r, puts ? t->put(data, n, peer, offset)
                                        : t->get(data, n, peer, offset));
    }
    return rc;
}

int gf_rank_exchange_put(struct gf_rank_exchange *e, int64_t at, const void *data, int64_t bytes) {
    return move(e, at, (char *)(uintptr_t)data, bytes, true);
}

int gf_rank_exchange_get(struct gf_rank_exchange *e, int64_t at, void *data, int64_t bytes) {
    return move(e, at, data, bytes, false);
}

void *gf_rank_exchange_lend(const struct gf_rank_exchange *e, int64_t at, int64_t bytes) {
    const int64_t *from = e->from + e->ranks->rank;
    return at >= from[0] && at + bytes <= from[1] ? e->own + at - from[0] : NULL;
}

int gf_rank_exchange_turn(struct gf_rank_exchange *e, int rc) {
    if (e->ranks->broken)
        return rc ? rc : GF_EIO;
    const int met = e->window ? gf_ranks_check(e->ranks, e->ranks->transport->fence()) : 0;
    return met ? met : gf_ranks_agree(e->ranks, rc);
}
