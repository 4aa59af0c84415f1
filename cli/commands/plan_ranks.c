/* The prediction: passes are bound by memory, the exchange by the network or, in small messages, by what
 * each of them costs. */
#include "cli/commands/plan_ranks.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>

#include "core/base/bandwidth.h"
#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/mpi/slab.h"
#include "core/mpi/volume.h"

/* Of a message, beside its bytes: order of magnitude of a fast network. */
static const double message_seconds = 5e-6;

/* Real lines of a plane are paired within groups of at most so many, which are not shared. */
static struct gf_shares shares_of(const struct gf_job *job) {
    enum { GROUP = 32 };
    return gf_spread_shares(job, gf_job_is_real(job) ? 1 : -1, GROUP);
}

/* The shares of a rank that has the most, or one less; bytes and messages of both exchanges. */
static void predict(const struct gf_job *job, int64_t moved, int ranks, struct gf_ranks_plan *p) {
    const struct gf_shares shares = shares_of(job);
    const struct gf_grid grid = p->grid.down ? p->grid : gf_grid_choose(&shares, ranks);
    const int64_t point = (job->luma ? 1 : job->channels) * (job->precision == GF_DOUBLE ? 16 : 8);
    const int64_t nz = shares.nz, ny = shares.ny;
    struct gf_span planes = gf_slab_share(nz, grid.down, grid.down - 1);
    struct gf_span lines = gf_slab_share(ny, grid.across, grid.across - 1);
    struct gf_span columns = gf_slab_share(shares.columns, grid.across, 0);
    struct gf_rows rows = gf_slab_rows(ny, grid.down, 0, shares.mirrored);
    const double messages =
        (double)planes.count * ((grid.down - 1) * rows.n + (double)(grid.across - 1));
    const double share = (double)(planes.count * lines.count) / (double)(nz * ny);
    p->ranks = ranks;
    p->used = grid;
    p->bytes_sent =
        planes.count * point *
        ((ny - rows.count) * columns.count + lines.count * (shares.columns - columns.count));
    p->bytes_needed = gf_spread_bytes(job, &grid);
    p->alone = (double)moved / p->copy;
    p->passes = p->alone * share;
    p->exchange = (double)p->bytes_sent / p->link + messages * message_seconds;
    /* A filter sends all of it back. */
    if (job->op == GF_FILTER)
        p->exchange *= 2;
    /* Two axes of three are done beside it, or after it. */
    double beside = p->passes * 2 / 3;
    p->together = p->passes - beside + (beside > p->exchange ? beside : p->exchange);
}

/* The fewest ranks from which on twice as many save less than a tenth of the time. */
static int64_t find_enough(const struct gf_job *job, int64_t moved, const struct gf_ranks_plan *p) {
    struct gf_ranks_plan some = *p, more = *p;
    int64_t n = 1;
    some.grid = more.grid = (struct gf_grid){0, 0};
    for (; 2 * n <= p->most && n < INT_MAX / 4; n *= 2) {
        predict(job, moved, (int)n, &some);
        predict(job, moved, (int)(2 * n), &more);
        if (more.together > 0.9 * some.together)
            break;
    }
    return n;
}

/* Those down the grid times those across it. */
static int64_t most_of(const struct gf_shares *s) {
    return gf_grid_most_down(s) * gf_grid_most_across(s);
}

int gf_ranks_plan(const struct gf_job *job, int64_t moved, int ranks, double link, int threads,
                  struct gf_ranks_plan *out) {
    const struct gf_grid grid = out->grid;
    *out = (struct gf_ranks_plan){.link = link, .grid = grid};
    int rc = gf_spread_check(job);
    if (!rc && grid.down && (int64_t)grid.down * grid.across != ranks)
        rc = gf_fail(GF_EUSAGE, "--grid=%dx%d is for %lld processes, not %d", grid.down,
                     grid.across, (long long)grid.down * grid.across, ranks);
    if (!rc)
        rc = gf_bandwidth_copy(threads, &out->copy);
    if (rc)
        return rc;
    const struct gf_shares shares = shares_of(job);
    out->most = most_of(&shares);
    out->enough = find_enough(job, moved, out);
    predict(job, moved, ranks, out);
    return 0;
}

void gf_ranks_plan_print(const struct gf_ranks_plan *p) {
    char text[GF_SIZE_TEXT];
    printf("  ranks     %d as %dx%d, %.3g GB/s to and from each; memory copies %.3g GB/s here\n",
           p->ranks, p->used.down, p->used.across, p->link * 1e-9, p->copy * 1e-9);
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
    return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I}", "ranks",
                     p->ranks, "down", p->used.down, "across", p->used.across, "link_gb_s",
                     p->link * 1e-9, "copy_gb_s", p->copy * 1e-9, "alone_ms", p->alone * 1e3,
                     "passes_ms", p->passes * 1e3, "exchange_ms", p->exchange * 1e3, "expected_ms",
                     p->together * 1e3, "bytes_sent", (json_int_t)p->bytes_sent, "bytes_needed",
                     (json_int_t)p->bytes_needed, "most_ranks", (json_int_t)p->most, "enough_ranks",
                     (json_int_t)p->enough);
}
