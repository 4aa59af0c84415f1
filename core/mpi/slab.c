/* The slabs and pencils of a volume. */
#include "core/mpi/slab.h"

static void add(struct gf_rows *r, int64_t first, int64_t end) {
    struct gf_span *last = r->n ? &r->range[r->n - 1] : NULL;
    if (end <= first)
        return;
    r->count += end - first;
    if (last && last->first + last->count == first)
        last->count += end - first;
    else
        r->range[r->n++] = (struct gf_span){first, end - first};
}

struct gf_rows gf_slab_rows(int64_t n, int ranks, int rank, int mirrored) {
    struct gf_rows rows = {0};
    struct gf_span own = gf_slab_share(mirrored ? n / 2 + 1 : n, ranks, rank);
    int64_t end = own.first + own.count;
    add(&rows, own.first, end);
    if (!mirrored || !own.count)
        return rows;
    /* The mirror images of those that are not their own: 0 < y < n - y. */
    int64_t first = own.first ? own.first : 1, last = (n + 1) / 2;
    last = last < end ? last : end;
    add(&rows, n - last + 1, n - first + 1);
    return rows;
}

int64_t gf_rows_at(const struct gf_rows *r, int64_t i) {
    return i < r->range[0].count ? r->range[0].first + i
                                 : r->range[1].first + i - r->range[0].count;
}

struct gf_rows gf_rows_part(const struct gf_rows *r, int64_t first, int64_t n) {
    struct gf_rows part = {.n = 0};
    int64_t at = 0;
    for (int k = 0; k < r->n; at += r->range[k++].count) {
        int64_t begin = first > at ? first - at : 0, end = first + n - at;
        end = end < r->range[k].count ? end : r->range[k].count;
        if (begin < end)
            part.range[part.n++] = (struct gf_span){r->range[k].first + begin, end - begin};
        part.count += begin < end ? end - begin : 0;
    }
    return part;
}

int64_t gf_rows_index(const struct gf_rows *r, int64_t y) {
    int64_t i = y - r->range[0].first;
    return i < r->range[0].count ? i : y - r->range[1].first + r->range[0].count;
}

int64_t gf_grid_most_down(const struct gf_shares *s) {
    const int64_t planes = s->nz / s->planes > 1 ? s->nz / s->planes : 1;
    const int64_t rows = s->mirrored ? s->ny / 2 + 1 : s->ny;
    return planes < rows ? planes : rows;
}

int64_t gf_grid_most_across(const struct gf_shares *s) {
    const int64_t lines = s->ny / s->lines > 1 ? s->ny / s->lines : 1;
    return lines < s->columns ? lines : s->columns;
}

struct gf_grid gf_grid_choose(const struct gf_shares *s, int ranks) {
    const int64_t most_down = gf_grid_most_down(s), most_across = gf_grid_most_across(s);
    struct gf_grid best = {1, 1};
    for (int across = 1; across <= ranks && across <= most_across; across++) {
        int down = ranks / across;
        down = down < most_down ? down : (int)most_down;
        if ((int64_t)down * across > (int64_t)best.down * best.across)
            best = (struct gf_grid){down, across};
    }
    return best;
}
