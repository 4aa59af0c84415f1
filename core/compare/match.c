/* Normalised cross-correlation: the template, sums of windows, scores and their peaks. */
#include "core/compare/match.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/halves.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"

/* Below this share of sum w x^2 a window's variance is rounding. */
static const double rounding = 1e-12;

int gf_match_prepare(struct gf_array *t, const struct gf_array *weight, struct gf_match *m) {
    const bool wide = t->dtype == GF_F64;
    const int64_t n = gf_array_count(t);
    double sum = 0, size = 0;
    *m = (struct gf_match){.ndim = t->rank, .weighted = weight};
    memcpy(m->shape, t->shape, (size_t)t->rank * sizeof *t->shape);
    for (int64_t i = 0; i < n; i++) {
        const double w = weight ? gf_real_get(weight->data, i, wide) : 1;
        if (w < 0)
            return gf_fail(GF_EINVAL, "the template's mask has samples below 0");
        m->count += w;
        sum += w * gf_real_get(t->data, i, wide);
    }
    if (!(m->count > 0))
        return gf_fail(GF_EINVAL, "the template's mask leaves no sample; white keeps, black drops");
    const double mean = sum / m->count;
    for (int64_t i = 0; i < n; i++) {
        const double w = weight ? gf_real_get(weight->data, i, wide) : 1;
        const double x = gf_real_get(t->data, i, wide), d = x - mean;
        m->energy += w * d * d;
        size += w * x * x;
        gf_real_put(t->data, i, wide, w * d);
    }
    if (!(m->energy > 1e-26 * size))
        return gf_fail(GF_EINVAL, "a flat template: its samples%s are alike",
                       weight ? " that the mask keeps" : "");
    return 0;
}

void gf_match_multiply(const struct gf_array *a, struct gf_array *b) {
    const bool wide = a->dtype == GF_C128;
    const int64_t n = gf_array_count(a);
    for (int64_t i = 0; i < n; i++) {
        const struct gf_number x = gf_number_get(a->data, i, wide),
                               y = gf_number_get(b->data, i, wide);
        gf_number_put(b->data, i, wide,
                      (struct gf_number){x.re * y.re + x.im * y.im, x.im * y.re - x.re * y.im});
    }
}

/* ---- sums of windows ---- */

/* The grid of an array with missing axes first, in samples. */
struct grid {
    int64_t n[3], step[3];
};

static struct grid grid_of(const struct gf_array *a) {
    struct grid g = {{1, 1, 1}, {0, 0, 0}};
    for (int i = 0; i < a->rank; i++) {
        g.n[3 - a->rank + i] = a->shape[i];
        g.step[3 - a->rank + i] = a->stride[i] / (int64_t)gf_dtype_size(a->dtype);
    }
    return g;
}

/* Lines side by side, so that those across rows are read row by row. */
enum { LANES = 16 };

/* Replaces x[i] of `lanes` lines of n by x[i] + … + x[i + w - 1]. Blocks of w samples have running
 * sums from both ends, and a window is the end of a block and the start of the next. */
static void sum_lines(double *x, int64_t step, int64_t n, int64_t w, int64_t lanes, double *tail) {
    double head[LANES] = {0};
    for (int64_t i = n - 1; i >= 0; i--)
        for (int64_t k = 0; k < lanes; k++)
            tail[i * lanes + k] =
                x[i * step + k] + ((i + 1) % w && i < n - 1 ? tail[(i + 1) * lanes + k] : 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < lanes; k++) {
            const int64_t i = j - w + 1;
            head[k] = x[j * step + k] + (j % w ? head[k] : 0);
            if (i >= 0)
                x[i * step + k] = tail[i * lanes + k] + (i % w ? head[k] : 0);
        }
}

/* Sums along one axis of the grid. */
static int sum_axis(double *x, const struct grid *g, int axis, int64_t w, int threads) {
    const int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    const int64_t each = b == 2 ? LANES : 1, across = gf_divide_up(g->n[b], each);
    struct gf_failure failed = {0};
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        double *tail = malloc((size_t)(g->n[axis] * each) * sizeof *tail);
        gf_failure_keep(&failed, tail ? 0 : gf_no_memory());
#pragma omp for schedule(static)
        for (int64_t i = 0; i < g->n[a] * across; i++) {
            const int64_t at = i % across * each;
            double *line = x + i / across * g->step[a] + at * g->step[b];
            if (tail)
                sum_lines(line, g->step[axis], g->n[axis], w, gf_min(each, g->n[b] - at), tail);
        }
        free(tail);
    }
    return gf_failure_return(&failed);
}

int gf_match_windows(const struct gf_match *m, int threads, struct gf_array *sum,
                     struct gf_array *square) {
    const struct grid g = grid_of(sum);
    struct gf_array *both[] = {sum, square};
    int rc = 0;
    for (int i = 0; i < 2 * m->ndim && !rc; i++) {
        const int axis = i / 2, of = 3 - m->ndim + axis;
        if (m->shape[axis] > 1)
            rc = sum_axis(both[i % 2]->data, &g, of, m->shape[axis], threads);
    }
    return rc;
}

void gf_match_score(const struct gf_match *m, const struct gf_array *correlation,
                    const struct gf_array *square, double floor, struct gf_array *sum) {
    const struct gf_array *all[] = {sum, square, correlation};
    const struct grid g = grid_of(sum);
    for (int64_t i = 0; i < g.n[0] * g.n[1]; i++) {
        const char *p[3];
        for (int k = 0; k < 3; k++) {
            const struct grid of = grid_of(all[k]);
            p[k] =
                (const char *)all[k]->data + (i / g.n[1] * of.step[0] + i % g.n[1] * of.step[1]) *
                                                 (int64_t)gf_dtype_size(all[k]->dtype);
        }
        for (int64_t x = 0; x < g.n[2]; x++) {
            double v[3];
            for (int k = 0; k < 3; k++)
                v[k] = gf_real_get(p[k], x, all[k]->dtype == GF_F64);
            const double rest = v[1] - v[0] * v[0] / m->count;
            const bool flat = !(rest > fmax(floor, rounding * v[1]));
            const double score = flat ? 0 : v[2] / sqrt(rest * m->energy);
            gf_real_put((char *)p[0], x, sum->dtype == GF_F64, fmin(fmax(score, -1), 1));
        }
    }
}

/* ---- peaks ---- */

struct place {
    double score;
    int64_t at[3];
};

static double score_at(const struct gf_array *map, const struct grid *g, const int64_t at[3]) {
    const int64_t i = at[0] * g->step[0] + at[1] * g->step[1] + at[2] * g->step[2];
    return gf_real_get(map->data, i, map->dtype == GF_F64);
}

/* True if no neighbour is higher, and none before it as high. */
static bool is_summit(const struct gf_array *map, const struct grid *g, const int64_t at[3]) {
    const double score = score_at(map, g, at);
    int64_t to[3], d[3];
    for (d[0] = -1; d[0] <= 1; d[0]++)
        for (d[1] = -1; d[1] <= 1; d[1]++)
            for (d[2] = -1; d[2] <= 1; d[2]++) {
                bool inside = true;
                for (int i = 0; i < 3; i++) {
                    to[i] = at[i] + d[i];
                    inside = inside && to[i] >= 0 && to[i] < g->n[i];
                }
                const bool before = (d[0] ? d[0] : d[1] ? d[1] : d[2]) < 0;
                if (inside &&
                    (before ? score_at(map, g, to) >= score : score_at(map, g, to) > score))
                    return false;
            }
    return true;
}

static int better(const void *a, const void *b) {
    const struct place *p = a, *q = b;
    if (p->score != q->score)
        return p->score < q->score ? 1 : -1;
    for (int i = 0; i < 3; i++)
        if (p->at[i] != q->at[i])
            return p->at[i] < q->at[i] ? -1 : 1;
    return 0;
}

/* Lists the local maxima; *list is the caller's to free. */
static int list_summits(const struct gf_array *map, double least, struct place **list,
                        int64_t *count) {
    const struct grid g = grid_of(map);
    int64_t room = 0;
    for (int64_t i = 0; i < gf_array_count(map); i++) {
        struct place p = {.at = {i / g.n[2] / g.n[1], i / g.n[2] % g.n[1], i % g.n[2]}};
        p.score = score_at(map, &g, p.at);
        if (!(p.score > 0) || p.score < least || !is_summit(map, &g, p.at))
            continue;
        if (*count == room) {
            room = room ? 2 * room : 64;
            struct place *more = realloc(*list, (size_t)room * sizeof **list);
            if (!more)
                return gf_no_memory();
            *list = more;
        }
        (*list)[(*count)++] = p;
    }
    if (*count)
        qsort(*list, (size_t)*count, sizeof **list, better);
    return 0;
}

/* The maximum of the parabola through the scores around `at` along an axis, -1/2 to 1/2. */
static double vertex(const struct gf_array *map, const struct grid *g, const int64_t at[3],
                     int axis) {
    int64_t to[3] = {at[0], at[1], at[2]};
    if (at[axis] == 0 || at[axis] == g->n[axis] - 1)
        return 0;
    to[axis]--;
    const double before = score_at(map, g, to);
    to[axis] += 2;
    const double after = score_at(map, g, to), bend = before - 2 * score_at(map, g, at) + after;
    return bend < 0 ? fmin(fmax((before - after) / (2 * bend), -0.5), 0.5) : 0;
}

static bool overlaps(const struct gf_match *m, const struct gf_match_peak *p, const int64_t *at) {
    for (int i = 0; i < m->ndim; i++)
        if (llabs(p->at[i] - at[i]) >= m->shape[i])
            return false;
    return true;
}

int gf_match_peaks(const struct gf_match *m, const struct gf_array *map, double least,
                   struct gf_match_peak *peak, int max, int *n) {
    const struct grid g = grid_of(map);
    const int skip = 3 - m->ndim;
    struct place *list = NULL;
    int64_t count = 0;
    *n = 0;
    int rc = max > 0 ? list_summits(map, least, &list, &count) : 0;
    for (int64_t i = 0; i < count && *n < max && !rc; i++) {
        bool free_of = true;
        for (int k = 0; k < *n && free_of; k++)
            free_of = !overlaps(m, &peak[k], list[i].at + skip);
        if (!free_of)
            continue;
        struct gf_match_peak *p = &peak[(*n)++];
        p->score = list[i].score;
        for (int a = 0; a < m->ndim; a++) {
            p->at[a] = list[i].at[skip + a];
            p->fine[a] = (double)p->at[a] + vertex(map, &g, list[i].at, skip + a);
        }
    }
    free(list);
    return rc;
}
