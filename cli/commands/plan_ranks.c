/* The prediction: passes are bound by memory, the exchange by the network or, in small messages, by what
 * each of them costs. */
#include "cli/commands/plan_ranks.h"

#include <jansson.h>
#include <stdio.h>

#include "core/base/bandwidth.h"
#include "core/base/memory.h"
#include "core/mpi/slab.h"
#include "core/mpi/volume.h"

/* Of a message, beside its bytes: order of magnitude of a fast network. */
static const double message_seconds = 5e-6;

/* The shares of rank 0, which has the most rows, or one less. */
static void predict(const struct gf_job *job, int64_t moved, int ranks, struct gf_ranks_plan *p) {
    const int real = gf_job_is_real(job);
    const int64_t nz = job->shape[0], ny = job->shape[1];
    const int64_t cols = real ? job->shape[2] / 2 + 1 : job->shape[2];
    const int64_t point = (job->luma ? 1 : job->channels) * (job->precision == GF_DOUBLE ? 16 : 8);
    struct gf_span planes = gf_slab_planes(nz, ranks, ranks - 1, 1);
    struct gf_rows rows = gf_slab_rows(ny, ranks, 0, real);
    const double messages = (double)planes.count * (ranks - 1) * rows.n;
    p->ranks = ranks;
    p->bytes_sent = planes.count * (ny - rows.count) * cols * point;
    p->bytes_needed = gf_spread_bytes(job, &(struct gf_grid){ranks, 1});
    p->alone = (double)moved / p->copy;
    p->passes = p->alone * (double)planes.count / (double)nz;
    p->exchange = (double)p->bytes_sent / p->link + messages * message_seconds;
    /* Two axes of three are done beside it, or after it. */
    double beside = p->passes * 2 / 3;
    p->together = p->passes - beside + (beside > p->exchange ? beside : p->exchange);
}

/* The fewest ranks from which on twice as many save less than a tenth of the time. */
static int64_t find_enough(const struct gf_job *job, int64_t moved, const struct gf_ranks_plan *p) {
    struct gf_ranks_plan some = *p, more = *p;
    int64_t n = 1;
    for (; 2 * n <= p->most; n *= 2) {
        predict(job, moved, (int)n, &some);
        predict(job, moved, (int)(2 * n), &more);
        if (more.together > 0.9 * some.together)
            break;
    }
    return n;
}

int gf_ranks_plan(const struct gf_job *job, int64_t moved, int ranks, double link, int threads,
                  struct gf_ranks_plan *out) {
    *out = (struct gf_ranks_plan){.link = link};
    int rc = gf_spread_check(job);
    if (!rc)
        rc = gf_bandwidth_copy(threads, &out->copy);
    if (rc)
        return rc;
    const struct gf_shares shares = gf_spread_shares(job, -1, 1);
    out->most = gf_grid_most_down(&shares);
    out->enough = find_enough(job, moved, out);
    predict(job, moved, ranks, out);
    return 0;
}

void gf_ranks_plan_print(const struct gf_ranks_plan *p) {
    char text[GF_SIZE_TEXT];
    printf("  ranks     %d, %.3g GB/s to and from each; memory copies %.3g GB/s here\n", p->ranks,
           p->link * 1e-9, p->copy * 1e-9);
    printf(
        "            expected %.3g ms: passes %.3g ms, exchange %.3g ms (%s from each rank); one "
        "process %.3g ms\n",
        p->together * 1e3, p->passes * 1e3, p->exchange * 1e3, gf_memory_text(p->bytes_sent, text),
        p->alone * 1e3);
    printf(
        "            memory %s a rank; at most %lld ranks have work; from %lld on, twice as many "
        "save less than a tenth\n",
        gf_memory_text(p->bytes_needed, text), (long long)p->most, (long long)p->enough);
}

struct json_t *gf_ranks_plan_json(const struct gf_ranks_plan *p) {
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I}", "ranks", p->ranks,
                     "link_gb_s", p->link * 1e-9, "copy_gb_s", p->copy * 1e-9, "alone_ms",
                     p->alone * 1e3, "passes_ms", p->passes * 1e3, "exchange_ms", p->exchange * 1e3,
                     "expected_ms", p->together * 1e3, "bytes_sent", (json_int_t)p->bytes_sent,
                     "bytes_needed", (json_int_t)p->bytes_needed, "most_ranks", (json_int_t)p->most,
                     "enough_ranks", (json_int_t)p->enough);
}
