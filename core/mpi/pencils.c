/* Messages between ranks that share planes. Lines are cut into columns when they are sent, and joined
 * when they are taken: [rank across][plane][own line][its columns] in the memory of by_rows. */
#include "core/mpi/pencils.h"

#include <string.h>

#include "core/base/halves.h"
#include "core/mpi/symmetry.h"

static int rank_of(const struct gf_slabs *v, int across) {
    return v->down * v->grid.across + across;
}

/* Own lines of a plane, the columns of a rank across the grid. */
static char *message_at(const struct gf_slabs *v, int across, int64_t plane) {
    struct gf_span c = gf_slabs_columns(v, across);
    int64_t before = v->planes.count * c.first + plane * c.count;
    return v->by_rows + before * v->lines.count * v->point;
}

/* Bytes of own columns before the frequency n / 2 is behind them. */
static int64_t narrow_row(const struct gf_slabs *v) {
    return v->columns.count * v->point;
}

/* Lines of a rank across, in an own plane, as columns. */
static char *columns_at(const struct gf_slabs *v, int across, int64_t plane) {
    return v->by_planes + (plane * v->ny + gf_slabs_lines(v, across).first) * narrow_row(v);
}

/* ---------------------------------------------------------------- forward */

int gf_pencils_expect_columns(struct gf_slabs *v) {
    int rc = 0;
    for (int i = 0; i < v->grid.across; i++) {
        const int64_t bytes = gf_slabs_lines(v, i).count * narrow_row(v);
        for (int64_t plane = 0; plane < v->planes.count && i != v->across && bytes && !rc; plane++)
            rc = gf_ranks_receive(v->ranks, columns_at(v, i, plane), bytes, rank_of(v, i));
    }
    return rc;
}

/* The columns of a rank, from or to lines of a plane. */
static void copy_columns(const struct gf_slabs *v, int across, char *lines, char *columns,
                         bool back) {
    const struct gf_span c = gf_slabs_columns(v, across);
    const int64_t bytes = c.count * v->point;
    for (int64_t y = 0; y < v->lines.count; y++) {
        char *line = lines + (y * v->width + c.first) * v->point, *part = columns + y * bytes;
        memcpy(back ? line : part, back ? part : line, (size_t)bytes);
    }
}

int gf_pencils_send_columns(struct gf_slabs *v, int64_t first, int64_t n, const char *lines) {
    const int64_t plane_bytes = v->lines.count * v->width * v->point;
    int rc = 0;
    for (int64_t plane = first; plane < first + n && v->lines.count; plane++)
        for (int i = 0; i < v->grid.across; i++) {
            const int64_t bytes = v->lines.count * gf_slabs_columns(v, i).count * v->point;
            char *from = (char *)(uintptr_t)lines + (plane - first) * plane_bytes;
            char *to = i == v->across ? columns_at(v, i, plane) : message_at(v, i, plane);
            copy_columns(v, i, from, to, false);
            if (i != v->across && !rc)
                rc = gf_ranks_send(v->ranks, to, bytes, rank_of(v, i));
        }
    return rc ? rc : gf_ranks_progress(v->ranks, false);
}

/* Rows of a plane get room for the frequency n / 2, which, times i, was added to the frequency 0. */
static void widen_plane(const struct gf_slabs *v, int64_t plane) {
    const int64_t narrow = narrow_row(v);
    char *to = v->by_planes + plane * v->ny * v->row;
    const char *from = v->by_planes + plane * v->ny * narrow;
    for (int64_t y = v->ny; y-- > 0;)
        memmove(to + y * v->row, from + y * narrow, (size_t)narrow);
    for (int64_t y = 0; 2 * y <= v->ny; y++) {
        char *x = to + y * v->row, *m = to + gf_half_negative(y, v->ny) * v->row;
        gf_unpack_pair(v, x, m, x + narrow, m + narrow);
    }
}

/* y of planes first .. first + n, in place. */
static int transform_planes(struct gf_slabs *v, int64_t first, int64_t n, enum gf_direction way) {
    struct gf_job job = gf_slabs_job(v, n, v->ny, 2, way);
    const int64_t columns = v->columns.count;
    struct gf_array a =
        gf_slabs_array(v, v->by_planes + first * v->ny * narrow_row(v), v->type, n, v->ny, columns);
    job.shape[2] = columns;
    job.lean = true;
    return columns && n ? gf_slabs_transform(v, &job, &a, &a, NULL) : 0;
}

int gf_pencils_columns(struct gf_slabs *v) {
    const bool widens = v->cols > v->columns.count;
    int64_t rounds, chunk = gf_slabs_chunk(v, v->ny * v->row, &rounds);
    int rc = gf_slabs_expect_rows(v);
    /* Planes that become wider move behind their own place, the last one first. */
    if (widens && !rc)
        rc = transform_planes(v, 0, v->planes.count, GF_FORWARD);
    for (int64_t plane = v->planes.count; widens && plane-- > 0;)
        widen_plane(v, plane);
    for (int64_t first = 0; first < v->planes.count && !v->ranks->broken; first += chunk) {
        int64_t left = v->planes.count - first, n = left < chunk ? left : chunk;
        if (!widens && !rc)
            rc = transform_planes(v, first, n, GF_FORWARD);
        int bad = gf_slabs_send_planes(v, first, n);
        rc = rc ? rc : bad;
    }
    int bad = gf_slabs_arrive(v);
    return gf_ranks_agree(v->ranks, rc ? rc : bad);
}

/* ---------------------------------------------------------------- back */

static int expect_lines(struct gf_slabs *v) {
    int rc = 0;
    for (int i = 0; i < v->grid.across && v->lines.count; i++) {
        const int64_t bytes = v->lines.count * gf_slabs_columns(v, i).count * v->point;
        for (int64_t plane = 0; plane < v->planes.count && i != v->across && !rc; plane++)
            rc = gf_ranks_receive(v->ranks, message_at(v, i, plane), bytes, rank_of(v, i));
    }
    return rc;
}

static int send_lines(struct gf_slabs *v, int64_t first, int64_t n) {
    int rc = 0;
    for (int64_t plane = first; plane < first + n; plane++)
        for (int i = 0; i < v->grid.across; i++) {
            const int64_t bytes = gf_slabs_lines(v, i).count * narrow_row(v);
            if (i != v->across && bytes && !rc)
                rc = gf_ranks_send(v->ranks, columns_at(v, i, plane), bytes, rank_of(v, i));
        }
    return rc ? rc : gf_ranks_progress(v->ranks, false);
}

int gf_pencils_lines(struct gf_slabs *v) {
    int64_t rounds, chunk = gf_slabs_chunk(v, v->ny * v->row, &rounds);
    int rc = expect_lines(v);
    for (int64_t first = 0; first < v->planes.count && !v->ranks->broken; first += chunk) {
        int64_t left = v->planes.count - first, n = left < chunk ? left : chunk;
        if (!rc)
            rc = transform_planes(v, first, n, GF_INVERSE);
        int bad = send_lines(v, first, n);
        rc = rc ? rc : bad;
    }
    int bad = gf_slabs_arrive(v);
    return gf_ranks_agree(v->ranks, rc ? rc : bad);
}

void gf_pencils_take_lines(const struct gf_slabs *v, int64_t first, int64_t n, char *lines) {
    const int64_t plane_bytes = v->lines.count * v->width * v->point;
    for (int64_t plane = first; plane < first + n; plane++)
        for (int i = 0; i < v->grid.across; i++)
            copy_columns(v, i, lines + (plane - first) * plane_bytes,
                         i == v->across ? columns_at(v, i, plane) : message_at(v, i, plane), true);
}

int gf_pencils_from_rows(struct gf_slabs *v) {
    int rc = gf_slabs_exchange_rows(v);
    return rc || v->grid.across <= 1 ? rc : gf_pencils_lines(v);
}
