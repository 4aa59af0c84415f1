/* Predicts runs of several processes: memory bounds the passes, the network's bandwidth or latency
 * the exchange. */
#include "cli/commands/plan.h"

#include "cli/commands/planes.h"
#include "core/base/bandwidth.h"
#include "core/wavelet/window.h"

/* Latency of a message: order of magnitude for a fast network. */
static const double message_seconds = 5e-6;

/* Returns the bytes that rank i puts in the first walk, and their number of pieces. */
static double put_by(const struct gf_slab_plan *p, int ranks, int i, double *pieces) {
    const struct gf_span slabs = gf_slab_share(p->n_slabs, ranks, i);
    const double pages =
        p->line ? (double)p->pages / ranks : (double)gf_slab_pages_of(p, slabs).count;
    *pieces = (double)slabs.count * (double)p->n_blocks;
    return pages * (double)(p->exchange_bytes / p->pages);
}

/* Finds the bytes and pieces of the busiest rank. */
static int share(const struct gf_job *job, int ranks, double *pieces, struct gf_ranks_plan *p) {
    struct gf_slab_plan plan;
    double most = 0;
    int rc = gf_slab_plan_make(job, &(struct gf_slab_worker){0}, INT64_MAX / 2, ranks, &plan);
    if (rc)
        return rc;
    *pieces = 0;
    for (int i = 0; i < ranks; i++) {
        double own, put = put_by(&plan, ranks, i, &own);
        const int64_t kept =
            gf_slab_owned_from(&plan, ranks, i + 1) - gf_slab_owned_from(&plan, ranks, i);
        put -= put * (double)kept / (double)plan.exchange_bytes;
        most = put > most ? put : most;
        *pieces = own > *pieces ? own : *pieces;
    }
    const int64_t units = plan.line ? plan.pages : plan.units;
    p->most = plan.pages < units ? plan.pages : units;
    p->bytes_sent = (int64_t)(most + 0.5);
    p->bytes_needed = plan.memory_bytes;
    p->slabs = plan;
    /* Filters, pictures and lines exchange once more. */
    p->exchanges = plan.n_walks > 2 ? 2 : 1;
    return 0;
}

/* Parts of a wavelet transform and pages need no exchange. */
static int share_planes(const struct gf_task *t, int ranks, struct gf_ranks_plan *p) {
    const struct gf_job job = gf_dwt_planes_job(&t->job);
    struct gf_slab_wavelet w = {.memory_bytes = gf_dwt_planes_bytes(t, true)};
    p->most = gf_dwt_parts(&job, INT_MAX / 16);
    if (job.direction == GF_INVERSE && gf_idwt_planes_plan(t, &w))
        gf_slab_wavelet_part(&w, gf_dwt_parts(&job, ranks), 0, &w);
    p->bytes_needed = w.memory_bytes;
    return 0;
}

static int share_pages(const struct gf_task *t, struct gf_ranks_plan *p) {
    p->most = t->job.shape[0];
    p->bytes_needed = t->need;
    return 0;
}

static int predict(const struct gf_task *t, int64_t moved, int ranks, struct gf_ranks_plan *p) {
    double pieces = 0;
    int rc = t->job.op == GF_DWT ? share_planes(t, ranks, p)
             : t->pages.at_once  ? share_pages(t, p)
                                 : share(&t->job, ranks, &pieces, p);
    p->ranks = ranks;
    p->alone = (double)moved / p->copy;
    p->passes = p->alone / (double)(ranks < p->most ? ranks : p->most);
    p->exchange = ((double)p->bytes_sent / p->link + pieces * message_seconds) * p->exchanges;
    p->together = p->passes + p->exchange;
    return rc;
}

/* Returns the fewest ranks from which doubling saves less than a tenth of the time. */
static int64_t find_enough(const struct gf_task *t, int64_t moved, const struct gf_ranks_plan *p) {
    struct gf_ranks_plan some = *p, more = *p;
    int64_t n = 1;
    const bool fits = !predict(t, moved, 1, &some);
    for (; fits && 2 * n <= p->most && n < INT_MAX / 4; n *= 2, some = more)
        if (predict(t, moved, (int)(2 * n), &more) || more.together > 0.9 * some.together)
            break;
    return n;
}

int gf_ranks_plan(const struct gf_task *t, int64_t moved, struct gf_ranks_plan *out) {
    const char *why = t->job.op != GF_DWT ? t->pages.at_once ? NULL : gf_slab_refuses(&t->job)
                      : t->job.direction == GF_FORWARD ? gf_dwt_planes_refuses(t, true)
                                                       : gf_idwt_planes_refuses(t);
    *out = (struct gf_ranks_plan){.link = t->s->link * 1e9};
    int rc = why ? gf_fail(GF_EUNSUPP, "not by several processes: %s", why)
                 : gf_bandwidth_copy(gf_settings_threads(t->s), &out->copy);
    if (!rc)
        rc = predict(t, moved, t->s->ranks, out);
    if (!rc)
        out->enough = find_enough(t, moved, out);
    return rc;
}
