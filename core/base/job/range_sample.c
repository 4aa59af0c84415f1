/* Chooses the bins that the automatic display range samples, and finds the quantiles of their
 * values. */
#include "core/base/job/range_sample.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/value/sample_run.h"
#include "core/base/value/status.h"

/* Numbers of indices, if one, two or three axes have more than one point: blocks along rows, and
 * indices along each other axis. Indices of transformed axes count twice, for their negatives. */
static const int row_blocks[4] = {0, 512, 6, 6}, others[4] = {0, 64, 48, 8};
/* Spectra of up to FEW_BINS are sampled completely, unless an axis is very long. */
enum { MOST_CHANNELS = 4, MOST_STRATA = 512, FEW_BINS = 8192 };

/* Least share of the largest bin that is no rounding error. */
static double least_of(const struct gf_job *job) {
    return job->precision == GF_DOUBLE ? 1e-14 : 1e-6;
}

/* ---- indices ---- */

/* Scatters an index within its stratum: equal distances would hit or miss every harmonic of a
 * periodic picture. */
static int64_t scatter(int64_t n, int64_t i, int64_t width) {
    uint64_t h = ((uint64_t)n * 1000003 + (uint64_t)i) * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)((h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 40) % width;
}

/* Cuts 0 .. n - 1 into at most `count` strata; at[i] becomes an index in stratum i, width[i] its
 * length. The first `dense` have length 1; the others are equally long or, for `both`, shorter
 * towards both ends. Returns their number. */
static int stratify(int64_t n, int count, int dense, bool both, int64_t *at, int64_t *width) {
    if (n <= count) {
        for (int i = 0; i < n; i++) {
            at[i] = i;
            width[i] = 1;
        }
        return (int)n;
    }
    int64_t rest = n - dense, from = 0;
    int strata = count - dense;
    for (int i = 0; i < count; i++) {
        int64_t to = i + 1;
        if (i >= dense) {
            double part = (double)(i + 1 - dense) / strata;
            part = both ? part * part * (3 - 2 * part) : part;
            to = dense + (int64_t)((double)rest * part + 0.5);
        }
        to = to > from ? to : from + 1;
        to = to < n - (count - 1 - i) ? to : n - (count - 1 - i);
        width[i] = to - from;
        at[i] = from + scatter(n, i, width[i]);
        from = to;
    }
    return count;
}

static void add(struct gf_range_axis *a, int64_t index, int64_t weight) {
    a->index[a->count] = index;
    a->weight[a->count++] = weight;
}

/* Limits the blocks of long rows, as each costs a pass over a block of columns. Below FEW quality
 * matters more. */
static int blocks_of(int64_t all, int most) {
    enum { FEW = 20, LEAST = 4, SHARE = 8 };
    if (all <= most)
        return (int)all;
    int64_t part = all / SHARE > LEAST ? all / SHARE : LEAST;
    return all <= FEW || most < part ? most : (int)part;
}

/* Blocks of neighbours along rows of n bins. A full spectrum has low frequencies at both ends, so
 * blocks are taken alternately from both. A single bin behind the last block costs as much as a
 * block, and is only included if all others are. */
static void add_blocks(struct gf_range_axis *a, int64_t n, int64_t full, int most, bool on) {
    int64_t at[MOST_STRATA], width[MOST_STRATA];
    int64_t all = n > 1 ? (n + GF_RANGE_BLOCK - 2) / GF_RANGE_BLOCK : 1;
    bool half = n < full;
    int blocks = blocks_of(all, most);
    int count = stratify(all, on && !half && 2 * blocks <= MOST_STRATA ? 2 * blocks : blocks, 1, on,
                         at, width);
    for (int i = 0; i < count; i++) {
        int64_t block = half || !on ? at[i] : at[i] % 2 ? all - 1 - at[i] / 2 : at[i] / 2;
        int64_t end = (block + 1) * GF_RANGE_BLOCK;
        end = end > n || (count == all && block == all - 1) ? n : end;
        for (int64_t k = block * GF_RANGE_BLOCK; k < end; k++)
            add(a, k, width[i] * (half && k && 2 * k != full ? 2 : 1));
    }
}

/* Single indices along another axis of n, or of n / 2 + 1 if it is halved. */
static void add_singles(struct gf_range_axis *a, int64_t n, int count, bool on, bool half) {
    int64_t at[MOST_STRATA], width[MOST_STRATA];
    bool pairs = on && !half;
    int strata = pairs ? count : 2 * count;
    int used = stratify(on ? n / 2 + 1 : n, strata, on ? strata / 4 : 0, on, at, width);
    for (int i = 0; i < used; i++) {
        bool own = at[i] == 0 || 2 * at[i] == n;
        add(a, at[i], width[i] * (half && !own ? 2 : 1));
    }
    /* Ascending order: an index and its negative are equally far from the two ends. */
    for (int i = used - 1; i >= 0 && pairs; i--)
        if (at[i] != 0 && 2 * at[i] != n)
            add(a, n - at[i], width[i]);
}

/* Room in the tables for an axis of n; `rows`: the last axis longer than a point. */
static int most_indices(int64_t n, bool rows) {
    const int64_t most = rows ? 2 * MOST_STRATA * GF_RANGE_BLOCK + 1 : 2 * MOST_STRATA + 1;
    return (int)(n < most ? n : most);
}

/* `all`: sum of all products of weights. */
static void weigh(struct gf_range_sample *s, double all) {
    const struct gf_range_axis *z = &s->axis[0], *y = &s->axis[1], *x = &s->axis[2];
    const double scale = all > 0x1p31 ? 0x1p31 / all : 1;
    uint32_t *w = s->weight;
    for (int c = 0; c < s->axis[3].count; c++)
        for (int a = 0; a < z->count; a++)
            for (int b = 0; b < y->count; b++) {
                double row = scale * (double)s->axis[3].weight[c] * (double)z->weight[a] *
                             (double)y->weight[b];
                bool origin = (!s->on[0] || !z->index[a]) && (!s->on[1] || !y->index[b]);
                for (int k = 0; k < x->count; k++, w++) {
                    double weight = row * (double)x->weight[k];
                    bool zero = origin && (!s->on[2] || !x->index[k]);
                    *w = zero ? 0 : weight > 1 ? (uint32_t)weight : 1;
                }
            }
}

int gf_range_sample_make(const struct gf_job *job, struct gf_range_sample *s) {
    int64_t n[4] = {1, 1, 1, job->luma ? 1 : job->channels}, room = MOST_CHANNELS;
    int row = 2, longer = 0, halved = -1;
    *s = (struct gf_range_sample){.count = 1};
    for (int i = 0; i < job->ndim; i++) {
        int axis = GF_MAX_DIMS - job->ndim + i;
        n[axis] = job->shape[i];
        s->on[axis] = job->axes >> i & 1;
        longer += n[axis] > 1;
        row = n[axis] > 1 ? axis : row;
        halved = n[axis] > 1 && s->on[axis] && gf_job_is_real(job) ? axis : halved;
    }
    longer = longer ? longer : 1;
    int64_t bins = 1;
    for (int i = 0; i < 3; i++) {
        room += most_indices(n[i], i == row);
        bins *= i == halved ? n[i] / 2 + 1 : n[i];
    }
    const int blocks = bins > FEW_BINS ? row_blocks[longer] : MOST_STRATA;
    const int singles = bins > FEW_BINS ? others[longer] : MOST_STRATA / 2;
    if (!(s->table = malloc(2 * (size_t)room * sizeof *s->table)))
        return gf_no_memory();
    double all = 1;
    int64_t *next = s->table;
    for (int i = 0; i < 4; i++) {
        struct gf_range_axis *a = &s->axis[i];
        int most = i < 3 ? most_indices(n[i], i == row) : MOST_CHANNELS;
        *a = (struct gf_range_axis){.index = next, .weight = next + most};
        next += 2 * most;
        if (i == row)
            add_blocks(a, i == halved ? n[i] / 2 + 1 : n[i], n[i], blocks, s->on[i]);
        else
            add_singles(a, n[i], i < 3 ? singles : MOST_CHANNELS / 2, i < 3 && s->on[i],
                        i == halved);
        double sum = 0;
        for (int k = 0; k < a->count; k++)
            sum += (double)a->weight[k];
        all *= sum;
        s->count *= a->count;
    }
    s->weight = malloc((size_t)s->count * sizeof *s->weight);
    if (!s->weight) {
        gf_range_sample_free(s);
        return gf_no_memory();
    }
    weigh(s, all);
    return 0;
}

void gf_range_sample_free(struct gf_range_sample *s) {
    free(s->table);
    free(s->weight);
    *s = (struct gf_range_sample){.table = NULL};
}

/* ---- the input's energy ---- */

/* The number of indices read along an axis of n, and the k-th of them. */
static int64_t count_looks(const struct gf_job *job, int axis, int64_t n) {
    static const int most[4] = {0, 256, 16, 6};
    int64_t limit = axis < job->ndim ? most[job->ndim] : MOST_CHANNELS;
    return n < limit ? n : limit;
}

static int64_t look_at(int64_t n, int64_t count, int64_t k) {
    int64_t from = n * k / count, to = n * (k + 1) / count;
    return from + scatter(n, k, to - from);
}

void gf_range_energy_add(const struct gf_job *job, const struct gf_array *in,
                         struct gf_range_energy *e) {
    int64_t at[GF_MAX_RANK] = {0}, count[GF_MAX_RANK];
    for (int i = 0; i <= job->ndim; i++)
        count[i] = count_looks(job, i, in->shape[i]);
    double sum = 0; /* per plane, so that planes read one by one give the same sum */
    for (bool more = true; more;) {
        const char *p = in->data;
        double re, im;
        for (int i = 0; i <= job->ndim; i++)
            p += look_at(in->shape[i], count[i], at[i]) * in->stride[i];
        gf_sample_run_read(p, in->dtype, 0, 1, &re, &im);
        sum += re * re + im * im;
        e->n++;
        more = false;
        for (int i = job->ndim; i >= 0 && !more; i--) {
            more = ++at[i] < count[i];
            at[i] = more ? at[i] : 0;
            if (i == 0) {
                e->sum += sum;
                sum = 0;
            }
        }
    }
}

double gf_range_rms(const struct gf_job *job, const struct gf_range_energy *e) {
    return e->n > 0 ? sqrt(e->sum / e->n * (double)gf_job_points(job)) : 0;
}

bool gf_range_energy_wants(const struct gf_job *job, int64_t z) {
    const int64_t n = job->shape[0], count = count_looks(job, 0, n);
    for (int64_t k = 0; k < count; k++)
        if (look_at(n, count, k) == z)
            return true;
    return false;
}

/* ---- packed half spectra ---- */

void gf_range_unpack(const struct gf_job *job, const struct gf_range_bins *bins) {
    const struct gf_range_axis *z = &bins->sample->axis[0], *y = z + 1, *x = z + 2,
                               *channel = z + 3;
    const bool is_double = bins->is_double;
    const int last = 2 * x->index[x->count - 1] == job->shape[2] ? x->count - 1 : 0;
    for (int64_t i = 0; i < (int64_t)channel->count * z->count * y->count; i++) {
        const int b = (int)(i % y->count), a = (int)(i / y->count % z->count);
        const int other_b = gf_range_axis_find(y, gf_half_negative(y->index[b], job->shape[1]));
        const int other_a = gf_range_axis_find(z, gf_half_negative(z->index[a], job->shape[0]));
        const int64_t mirror =
            i - b - (int64_t)a * y->count + (int64_t)other_a * y->count + other_b;
        const int64_t here = i * x->count, there = mirror * x->count;
        struct gf_number first, nyquist;
        if (there < here) /* done with its mirror image */
            continue;
        gf_half_unpack(gf_number_get(bins->value, here, is_double),
                       gf_number_get(bins->value, there, is_double), true, &first, &nyquist);
        gf_number_put(bins->value, here, is_double, first);
        gf_number_put(bins->value, there, is_double, gf_number_conjugate(first));
        if (!last)
            continue;
        gf_number_put(bins->value, here + last, is_double, nyquist);
        gf_number_put(bins->value, there + last, is_double, gf_number_conjugate(nyquist));
    }
}

/* ---- quantiles ---- */

/* The bits of positive numbers sort as the numbers do. A double's exponent and eleven bits of its
 * fraction are precise enough for a shade. */
enum { DIGIT = 11, DIGITS = 1 << DIGIT, KEY_SHIFT = 63 - 2 * DIGIT };

/* The key of a bin's size: of its square for magnitude and power. */
static uint32_t key_of(enum gf_kind kind, double re, double im) {
    double v = kind == GF_REAL ? re : kind == GF_IMAG ? im : re * re + im * im;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (uint32_t)((bits & (UINT64_MAX >> 1)) >> KEY_SHIFT);
}

static double value_of(uint32_t key) {
    uint64_t bits = (uint64_t)key << KEY_SHIFT;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The first digit at which the running sum exceeds *rank; subtracts the sum before it from
 * *rank. */
static uint32_t find_digit(const uint32_t *sum, uint32_t *rank) {
    uint32_t digit = 0;
    for (; digit < DIGITS - 1 && *rank >= sum[digit]; digit++)
        *rank -= sum[digit];
    return digit;
}

/* Keys of both quantiles of values above key `from`; false if there are none. */
static bool select_two(const struct gf_range_sample *s, const uint32_t *keys, uint32_t from,
                       uint32_t found[2]) {
    uint32_t high[DIGITS] = {0}, low[2][DIGITS] = {{0}}, all = 0;
    for (int64_t i = 0; i < s->count; i++)
        high[keys[i] >> DIGIT] += keys[i] > from ? s->weight[i] : 0;
    for (int i = 0; i < DIGITS; i++)
        all += high[i];
    if (!all)
        return false;
    uint32_t rank[2] = {all / 100, all - 1 - all / 1000};
    for (int q = 0; q < 2; q++)
        found[q] = find_digit(high, &rank[q]);
    for (int64_t i = 0; i < s->count; i++)
        for (int q = 0; q < 2; q++)
            if (keys[i] >> DIGIT == found[q] && keys[i] > from)
                low[q][keys[i] & (DIGITS - 1)] += s->weight[i];
    for (int q = 0; q < 2; q++)
        found[q] = found[q] << DIGIT | find_digit(low[q], &rank[q]);
    return true;
}

/* True if more than half of the bins, by weight, are below `key`. */
static bool most_are_below(const struct gf_range_sample *s, const uint32_t *keys, uint32_t key) {
    int64_t balance = 0;
    for (int64_t k = 0; k < s->count; k++)
        balance += keys[k] < key ? (int64_t)s->weight[k] : -(int64_t)s->weight[k];
    return balance > 0;
}

static double shown(enum gf_kind kind, double v) {
    return kind == GF_POWER ? v * v : v;
}

double gf_range_rounding(const struct gf_job *job, double rms) {
    return least_of(job) * rms * sqrt((double)gf_job_points(job));
}

void gf_range_find(const struct gf_job *job, int i, const struct gf_range_bins *b,
                   double range[2]) {
    const struct gf_range_sample *s = b->sample;
    const double rms = b->rms;
    uint32_t *keys = b->key;
    const enum gf_kind kind = job->out[i].kind;
    const bool squares = kind == GF_MAGNITUDE || kind == GF_POWER;
    const double unit = gf_sample_run_unit(rms), scale = gf_job_scale(job) / unit;
    const double least = least_of(job), least_size = squares ? least * least : least;
    double rounding = gf_range_rounding(job, rms) * unit;
    uint32_t zero = 0, largest = key_of(kind, rms * unit, kind == GF_IMAG ? rms * unit : 0);
    uint32_t found[2], from = key_of(kind, rounding, kind == GF_IMAG ? rounding : 0);
    for (int64_t k = 0; k < s->count; k++) {
        const struct gf_number v = gf_number_get(b->value, k, b->is_double);
        uint32_t *most = s->weight[k] ? &largest : &zero;
        keys[k] = key_of(kind, unit * v.re, unit * v.im);
        *most = keys[k] > *most ? keys[k] : *most;
    }
    if (!most_are_below(s, keys, from)) {
        rounding = 0;
        from = key_of(GF_REAL, least_size * value_of(largest), 0);
    }
    if (!select_two(s, keys, from, found))
        found[0] = found[1] = zero > largest ? zero : largest;
    for (int q = 0; q < 2; q++)
        range[q] = shown(kind, scale * (squares ? sqrt(value_of(found[q])) : value_of(found[q])));
    if (range[0] > range[1] * 0.99)
        range[0] = fmax(range[1] * (kind == GF_POWER ? least * least : least),
                        shown(kind, scale * rounding));
}
