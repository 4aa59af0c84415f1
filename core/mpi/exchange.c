/* The exchange without its transforms, timed. */
#include "core/mpi/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/mpi/pencils.h"

enum { LEAST_RUNS = 3, MOST_RUNS = 1000 };

struct lab {
    struct gf_slabs v;
    char *lines;        /* pencils: own lines of all planes */
    int64_t bytes_sent; /* by this rank */
    int64_t room;       /* bytes that can be copied at a time */
};

static int64_t lines_bytes(const struct gf_slabs *v) {
    return v->grid.across > 1 ? v->planes.count * v->lines.count * v->width * v->point : 0;
}

static int open_lab(struct gf_spread *s, struct lab *l) {
    struct gf_slabs *v = &l->v;
    int rc = gf_slabs_open(s, v);
    if (rc)
        return rc;
    const int64_t planes = v->planes.count * v->ny * v->row, rows = v->nz * v->rows.count * v->row;
    const int64_t own = v->lines.count * v->columns.count * v->point;
    l->bytes_sent = v->planes.count * (v->ny - v->rows.count) * v->row;
    if (v->grid.across > 1)
        l->bytes_sent += lines_bytes(v) - v->planes.count * own;
    l->room = planes < rows ? planes : rows;
    l->lines = gf_alloc((size_t)lines_bytes(v) + 1);
    if (!l->lines)
        return gf_fail(GF_ENOMEM, "out of memory");
    memset(l->lines, 0, (size_t)lines_bytes(v));
    memset(v->by_planes, 0, (size_t)planes);
    memset(v->by_rows, 0, (size_t)rows);
    return 0;
}

static int exchange(struct lab *l) {
    struct gf_slabs *v = &l->v;
    int rc = 0;
    if (v->grid.across > 1) {
        rc = gf_pencils_expect_columns(v);
        if (!rc)
            rc = gf_pencils_send_columns(v, 0, v->planes.count, l->lines);
        rc = rc ? rc : gf_slabs_arrive(v);
    }
    if (!rc)
        rc = gf_slabs_expect_rows(v);
    if (!rc)
        rc = gf_slabs_send_planes(v, 0, v->planes.count);
    return rc ? rc : gf_slabs_arrive(v);
}

static int copy(struct lab *l) {
    for (int64_t left = l->bytes_sent; left > 0 && l->room > 0; left -= l->room)
        memcpy(l->v.by_rows, l->v.by_planes, (size_t)(left < l->room ? left : l->room));
    return 0;
}

/* Seconds of the slowest rank, all of them beginning together. */
static int time_once(struct lab *l, int (*work)(struct lab *l), double *seconds) {
    struct gf_ranks *ranks = l->v.ranks;
    double own, *all = malloc((size_t)ranks->size * sizeof *all);
    int rc = gf_ranks_agree(ranks, all ? 0 : gf_fail(GF_ENOMEM, "out of memory"));
    const double start = gf_now_ms();
    if (!rc)
        rc = work(l);
    own = (gf_now_ms() - start) * 1e-3;
    if (!rc)
        rc = gf_ranks_gather(ranks, &own, sizeof own, all);
    *seconds = 0;
    for (int i = 0; i < ranks->size && !rc; i++)
        *seconds = all[i] > *seconds ? all[i] : *seconds;
    free(all);
    return rc;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All ranks have the same times, so that they stop together. The first run is not counted. */
static int time_many(struct lab *l, int (*work)(struct lab *l), double seconds, int runs,
                     struct gf_exchange *e) {
    double *time = malloc(MOST_RUNS * sizeof *time), sum = 0;
    int n = 0, rc = gf_ranks_agree(l->v.ranks, time ? 0 : gf_fail(GF_ENOMEM, "out of memory"));
    if (!rc)
        rc = time_once(l, work, &time[0]);
    while (!rc && n < MOST_RUNS && (runs ? n < runs : n < LEAST_RUNS || sum < seconds)) {
        rc = time_once(l, work, &time[n]);
        sum += time[n++];
    }
    if (!rc) {
        qsort(time, (size_t)n, sizeof *time, ascending);
        e->runs = n;
        e->median = time[n / 2];
        e->least = time[0];
    }
    free(time);
    return rc;
}

int gf_exchange_measure(struct gf_spread *s, double seconds, int runs, struct gf_exchange *e) {
    struct gf_exchange copies;
    struct lab l = {.lines = NULL};
    double *sent = NULL;
    *e = (struct gf_exchange){.runs = 0};
    int rc = open_lab(s, &l);
    if (!rc && !(sent = malloc((size_t)s->ranks->size * sizeof *sent)))
        rc = gf_fail(GF_ENOMEM, "out of memory");
    rc = gf_ranks_agree(s->ranks, rc);
    e->grid = l.v.grid;
    const double own = (double)l.bytes_sent;
    if (!rc)
        rc = gf_ranks_gather(s->ranks, &own, sizeof own, sent);
    for (int i = 0; i < s->ranks->size && !rc; i++)
        e->bytes_sent = (int64_t)sent[i] > e->bytes_sent ? (int64_t)sent[i] : e->bytes_sent;
    if (!rc)
        rc = time_many(&l, exchange, seconds, runs, e);
    if (!rc)
        rc = time_many(&l, copy, seconds / 4, runs, &copies);
    if (!rc)
        e->copy = copies.least;
    free(sent);
    gf_free(l.lines);
    gf_slabs_close(&l.v);
    return rc;
}
