/* Finds the rank that keeps each byte of the exchange. */
#include "core/mpi/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"

int gf_rank_exchange_open(struct gf_ranks *ranks, const struct gf_slab_plan *plan,
                          struct gf_rank_exchange *e) {
    const int n = ranks->size, me = ranks->rank;
    *e = (struct gf_rank_exchange){.ranks = ranks,
                                   .from = malloc((size_t)(n + 1) * sizeof *e->from)};
    for (int i = 0; i <= n && e->from; i++)
        e->from[i] = gf_slab_owned_from(plan, n, i);
    const int64_t bytes = e->from ? e->from[me + 1] - e->from[me] : 0;
    e->own = e->from ? gf_alloc((size_t)bytes) : NULL;
    int rc = gf_ranks_agree(ranks, e->own ? 0 : gf_no_memory());
    if (!rc)
        rc = gf_ranks_check(ranks, ranks->transport->open(e->own, bytes));
    e->open = !rc;
    return rc;
}

void gf_rank_exchange_close(struct gf_rank_exchange *e) {
    if (e->open && !e->ranks->broken)
        gf_ranks_check(e->ranks, e->ranks->transport->close());
    if (!e->open || !e->ranks->broken) /* else others may still write to it */
        gf_free(e->own);
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
    const struct gf_transport *t = e->ranks->transport;
    int code = 0;
    for (int64_t n; bytes > 0 && !code; at += n, data += n, bytes -= n) {
        const int peer = keeper(e, at);
        const int64_t offset = at - e->from[peer], left = e->from[peer + 1] - at;
        n = gf_min(bytes, left);
        if (peer == e->ranks->rank)
            memcpy(puts ? e->own + offset : data, puts ? data : e->own + offset, (size_t)n);
        else
            code = puts ? t->put(data, n, peer, offset) : t->get(data, n, peer, offset);
    }
    return e->ranks->broken ? GF_EIO : gf_ranks_check(e->ranks, code);
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
    const int met = gf_ranks_check(e->ranks, e->ranks->transport->fence());
    return met ? met : gf_ranks_agree(e->ranks, rc);
}
