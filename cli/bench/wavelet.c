/* Single values of a periodic wavelet transform by definition, in long double: weighted sums whose
 * weights are products of one weight per axis. */
#include <math.h>

#include "cli/bench/bench.h"
#include "core/base/value/sample_value.h"
#include "core/wavelet/dwt.h"

/* Elements of a line and their weights: at most 3 * 2^l + 1 after l levels. */
enum { MOST = 4 << GF_BENCH_MOST_LEVELS };
struct line {
    int n;
    int64_t at[MOST];
    long double weight[MOST];
};

static long double tap(int i) {
    const long double r = sqrtl(3), h[4] = {1 + r, 3 + r, 3 - r, 1 - r};
    return h[i] / (4 * sqrtl(2));
}

static void add(struct line *l, int64_t at, long double weight) {
    for (int i = 0; i < l->n; i++)
        if (l->at[i] == at) {
            l->weight[i] += weight;
            return;
        }
    if (l->n < MOST) {
        l->at[l->n] = at;
        l->weight[l->n++] = weight;
    }
}

/* Finds the weights of the samples in band sample k of a level. */
static void analyse(const struct gf_dwt_axis *axis, int level, bool detail, int64_t k,
                    struct line *out) {
    static struct line next; /* large; one thread calls */
    *out = (struct line){.n = 1, .at = {k}, .weight = {1}};
    for (; level >= 1; level--, detail = false) {
        int64_t n = axis->n[level - 1], even = n + n % 2;
        next.n = 0;
        for (int j = 0; j < out->n; j++)
            for (int i = 0; i < 4; i++) {
                int64_t at = (2 * out->at[j] - 1 + i + even) % even;
                long double w = detail ? (i % 2 ? -1 : 1) * tap(3 - i) : tap(i);
                add(&next, at < n ? at : n - 1, w * out->weight[j]);
            }
        *out = next;
    }
}

/* The weights of each level's approximations and details in a sample, along one axis. */
struct pyramid {
    struct line low[GF_BENCH_MOST_LEVELS + 1], high[GF_BENCH_MOST_LEVELS + 1];
};

static void synthesise(const struct gf_dwt_axis *axis, int levels, int64_t sample,
                       struct pyramid *p) {
    p->low[0] = (struct line){.n = 1, .at = {sample}, .weight = {1}};
    for (int level = 1; level <= levels; level++) {
        const struct line *from = &p->low[level - 1];
        int64_t m = axis->n[level];
        p->low[level].n = p->high[level].n = 0;
        for (int j = 0; j < from->n; j++) {
            int odd = (from->at[j] + 1) % 2;
            int64_t k = (from->at[j] + 1) / 2;
            for (int i = 0; i < 2; i++) { /* band samples k - 1 and k */
                int64_t at = (k + i - 1 + m) % m;
                int t = 2 * (1 - i) + odd;
                add(&p->low[level], at, tap(t) * from->weight[j]);
                add(&p->high[level], at, (t % 2 ? -1 : 1) * tap(3 - t) * from->weight[j]);
            }
        }
    }
}

/* Sums over the elements of three lines, shifted to the starts of their bands. */
static long double sum(const struct gf_array *in, const int64_t extent[3],
                       const struct line *const line[3], const int64_t start[3]) {
    const int64_t size = (int64_t)gf_dtype_size(in->dtype);
    long double s = 0;
    for (int z = 0; z < line[0]->n; z++)
        for (int y = 0; y < line[1]->n; y++)
            for (int x = 0; x < line[2]->n; x++) {
                int64_t row = (line[0]->at[z] + start[0]) * extent[1] + line[1]->at[y] + start[1];
                row = row * extent[2] + line[2]->at[x] + start[2];
                s += line[0]->weight[z] * line[1]->weight[y] * line[2]->weight[x] *
                     gf_sample_get((const char *)in->data + row * size, in->dtype);
            }
    return s;
}

/* A coefficient belongs to the finest level with a detail at j. Gaps are zero. */
static long double coefficient(const struct gf_bench_case *c, const struct gf_array *in,
                               const int64_t j[3]) {
    struct gf_dwt_layout l;
    bool detail[3];
    int levels = c->job.wavelet.levels, level = 1;
    gf_dwt_layout(&c->job, &l);
    const struct gf_dwt_axis *axis = l.axis;
    for (;; level++) {
        bool any = false;
        for (int i = 0; i < 3; i++) {
            int64_t k = j[i] - axis[i].at[level];
            detail[i] = l.on[i] && k >= 0 && k < axis[i].n[level];
            any = any || detail[i];
        }
        if (any || level == levels)
            break;
    }
    static struct line line[3]; /* large; one thread calls */
    const int64_t extent[3] = {axis[0].n[0], axis[1].n[0], axis[2].n[0]}, corner[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        if (!detail[i] && j[i] >= axis[i].n[level])
            return 0;
        analyse(&axis[i], l.on[i] ? level : 0, detail[i],
                detail[i] ? j[i] - axis[i].at[level] : j[i], &line[i]);
    }
    return sum(in, extent, (const struct line *[3]){&line[0], &line[1], &line[2]}, corner);
}

static long double sample(const struct gf_bench_case *c, const struct gf_array *in,
                          const int64_t j[3]) {
    static struct pyramid pyramid[3]; /* large; one thread calls */
    struct gf_dwt_layout l;
    int levels = c->job.wavelet.levels;
    long double s = 0;
    gf_dwt_layout(&c->job, &l);
    const struct gf_dwt_axis *axis = l.axis;
    const int64_t extent[3] = {axis[0].packed, axis[1].packed, axis[2].packed};
    for (int i = 0; i < 3; i++)
        synthesise(&axis[i], l.on[i] ? levels : 0, j[i], &pyramid[i]);
    for (int level = 1; level <= levels; level++)
        for (int key = level == levels ? 0 : 1; key < 8; key++) {
            const struct line *line[3];
            int64_t start[3];
            bool there = true;
            for (int i = 0; i < 3; i++) {
                bool high = key >> i & 1;
                there = there && (l.on[i] || !high);
                line[i] = !l.on[i] ? &pyramid[i].low[0]
                          : high   ? &pyramid[i].high[level]
                                   : &pyramid[i].low[level];
                start[i] = high ? axis[i].at[level] : 0;
            }
            if (there)
                s += sum(in, extent, line, start);
        }
    return s;
}

long double gf_bench_wavelet_value(const struct gf_bench_case *c, const struct gf_array *in,
                                   const int64_t j[3]) {
    return c->job.direction == GF_FORWARD ? coefficient(c, in, j) : sample(c, in, j);
}
