/* Normalised cross-correlation: the template, sums of windows, scores and their peaks. */
#include "core/compare/match.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/value/status.h"

int gf_match_prepare(struct gf_array *t, const struct gf_array *weight, struct gf_match *m) {
    const bool is_double = t->dtype == GF_F64;
    const int64_t n = gf_array_count(t);
    double sum = 0, size = 0;
    *m = (struct gf_match){.ndim = t->rank};
    memcpy(m->shape, t->shape, (size_t)t->rank * sizeof *t->shape);
    for (int64_t i = 0; i < n; i++) {
        const double w = weight ? gf_real_get(weight->data, i, is_double) : 1;
        if (w < 0)
            return gf_fail(GF_EINVAL, "the template's mask has samples below 0");
        m->count += w;
        sum += w * gf_real_get(t->data, i, is_double);
    }
    if (!(m->count > 0))
        return gf_fail(GF_EINVAL, "the template's mask leaves no sample; white keeps, black drops");
    const double mean = sum / m->count;
    for (int64_t i = 0; i < n; i++) {
        const double w = weight ? gf_real_get(weight->data, i, is_double) : 1;
        const double x = gf_real_get(t->data, i, is_double), d = x - mean;
        m->energy += w * d * d;
        size += w * x * x;
        gf_real_put(t->data, i, is_double, w * d);
    }
    if (!(m->energy > 1e-26 * size))
        return gf_fail(GF_EINVAL, "a flat template: its samples%s are alike",
                       weight ? " that the mask keeps" : "");
    return 0;
}

/* Each axis adds up its lines from the end, and subtracts the sums a template's length later. */
void gf_match_windows(const struct gf_match *m, struct gf_array *a) {
    int64_t outer = 1, inner = gf_array_count(a);
    for (int axis = 0; axis < m->ndim; outer *= a->shape[axis++]) {
        const int64_t n = a->shape[axis], length = m->shape[axis];
        inner /= n;
        for (int64_t o = 0; o < outer; o++) {
            double *x = (double *)a->data + o * n * inner;
            for (int64_t i = (n - 1) * inner - 1; i >= 0; i--)
                x[i] += x[i + inner];
            for (int64_t i = 0; i < (n - length) * inner; i++)
                x[i] -= x[i + length * inner];
        }
    }
}

void gf_match_score(const struct gf_match *m, const struct gf_array *correlation,
                    const struct gf_array *square, double floor, struct gf_array *sum) {
    const struct gf_array *const all[] = {sum, square, correlation};
    for (int64_t i = 0; i < gf_array_count(sum); i++) {
        double v[3];
        for (int k = 0; k < 3; k++)
            v[k] = gf_real_get(all[k]->data, i, all[k]->dtype == GF_F64);
        const double rest = v[1] - v[0] * v[0] / m->count;
        const double score = rest > floor ? v[2] / sqrt(rest * m->energy) : 0;
        gf_real_put(sum->data, i, sum->dtype == GF_F64, fmin(fmax(score, -1), 1));
    }
}

/* ---- peaks ---- */

struct place {
    double score;
    int64_t index; /* in C order */
};

static double score_at(const struct gf_array *map, const int64_t *at) {
    const char *p = map->data;
    for (int i = 0; i < map->rank; i++)
        p += at[i] * map->stride[i];
    return gf_real_get(p, 0, map->dtype == GF_F64);
}

/* True if no neighbour is higher, and none before it as high. */
static bool is_summit(const struct gf_array *map, const int64_t *at, double score) {
    const int cells = map->rank == 1 ? 3 : map->rank == 2 ? 9 : 27;
    for (int k = 0; k < cells; k++) {
        int64_t to[GF_MAX_DIMS];
        bool inside = k != cells / 2;
        for (int i = map->rank - 1, rest = k; i >= 0; i--, rest /= 3) {
            to[i] = at[i] + rest % 3 - 1;
            inside = inside && to[i] >= 0 && to[i] < map->shape[i];
        }
        const double other = inside ? score_at(map, to) : -1;
        if (k < cells / 2 ? other >= score : other > score)
            return false;
    }
    return true;
}

static int better(const void *a, const void *b) {
    const struct place *p = a, *q = b;
    if (p->score != q->score)
        return p->score < q->score ? 1 : -1;
    return p->index < q->index ? -1 : 1;
}

/* Lists the local maxima, best first; *list is the caller's to free. */
static int list_summits(const struct gf_array *map, double least, struct place **list,
                        int64_t *count) {
    int64_t at[GF_MAX_DIMS];
    for (int64_t i = 0; i < gf_array_count(map); i++) {
        gf_array_unravel(map, i, at);
        const double score = score_at(map, at);
        if (!(score > 0) || score < least || !is_summit(map, at, score))
            continue;
        if (gf_list_grow(list, *count, sizeof **list))
            return GF_ENOMEM;
        (*list)[(*count)++] = (struct place){score, i};
    }
    if (*count)
        qsort(*list, (size_t)*count, sizeof **list, better);
    return 0;
}

/* The maximum of the parabola through the scores around `at` along an axis. */
static double vertex(const struct gf_array *map, const int64_t *at, int axis) {
    int64_t to[GF_MAX_DIMS];
    double v[3];
    if (at[axis] == 0 || at[axis] == map->shape[axis] - 1)
        return (double)at[axis];
    memcpy(to, at, sizeof to);
    for (int k = 0; k < 3; k++) {
        to[axis] = at[axis] + k - 1;
        v[k] = score_at(map, to);
    }
    const double bend = v[0] - 2 * v[1] + v[2]; /* at a maximum the vertex is half a step away */
    return (double)at[axis] + (bend < 0 ? (v[0] - v[2]) / (2 * bend) : 0);
}

static bool overlaps(const struct gf_match *m, const int64_t *a, const int64_t *b) {
    for (int i = 0; i < m->ndim; i++)
        if (llabs(a[i] - b[i]) >= m->shape[i])
            return false;
    return true;
}

int gf_match_peaks(const struct gf_match *m, const struct gf_array *map, double least,
                   struct gf_match_peak *peak, int max, int *n) {
    struct place *list = NULL;
    int64_t count = 0;
    int rc = max > 0 ? list_summits(map, least, &list, &count) : 0;
    *n = 0;
    for (int64_t i = 0; i < count && *n < max && !rc; i++) {
        struct gf_match_peak p = {.score = list[i].score};
        bool apart = true;
        gf_array_unravel(map, list[i].index, p.at);
        for (int k = 0; k < *n && apart; k++)
            apart = !overlaps(m, peak[k].at, p.at);
        if (!apart)
            continue;
        for (int axis = 0; axis < m->ndim; axis++) {
            p.fine[axis] = vertex(map, p.at, axis);
            p.centre[axis] = p.fine[axis] + (double)(m->shape[axis] - 1) / 2;
        }
        peak[(*n)++] = p;
    }
    free(list);
    return rc;
}
