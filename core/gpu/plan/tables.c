/* A plan's tables: twiddles, chirps, spectra and permutations, each stored once. */
#include "core/gpu/plan/tables.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/value/factor.h"
#include "core/base/value/status.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/exact.h"
#include "kernels/cpu/root.h"

enum { STAGES, LINES, SPLIT_HIGH, SPLIT_LOW, CHIRP, SPECTRUM, ORDER, REALS, INTEGERS };

/* Threads compute a generator's powers in chunks of this size. */
enum { SHARE = 1 << 14 };

/* ---- registration ---- */

static struct gf_gpu_table *known(struct gf_gpu_tables *t, const struct gf_gpu_table *key) {
    for (int i = 0; i < t->n; i++)
        if (t->table[i].what == key->what && !memcmp(t->table[i].a, key->a, sizeof key->a))
            return &t->table[i];
    return NULL;
}

/* Appends the key's table and returns its offset; `total` counts the elements of its buffer. */
static int64_t append(struct gf_gpu_tables *t, struct gf_gpu_table *key, int64_t *total) {
    if (t->n == t->room) {
        int room = 2 * t->room + 16;
        struct gf_gpu_table *more = realloc(t->table, (size_t)room * sizeof *more);
        if (!more) {
            t->failed = gf_fail(GF_ENOMEM, "no memory for a list of %d tables", room);
            return 0;
        }
        t->table = more;
        t->room = room;
    }
    key->at = *total;
    *total += key->count;
    t->table[t->n++] = *key;
    return key->at;
}

static int64_t add(struct gf_gpu_tables *t, struct gf_gpu_table *key, int64_t *total) {
    const struct gf_gpu_table *same = known(t, key);
    return same ? same->at : append(t, key, total);
}

/* Twiddles stored per butterfly after `done` points: ROOTS in kernels/tile.h. */
static int roots(int64_t radix, int64_t done) {
    return (int)(radix > 5 && done > MOST_DIRECT ? 3 + (radix - 1) / 4 : radix - 1);
}

/* Counts entries for stages of these radices, up to a zero. */
static int64_t chain_count(const int64_t *radix, int most) {
    int64_t done = radix[0], count = 0;
    for (int i = 1; i < most && radix[i]; done *= radix[i++])
        count += roots(radix[i], done) * done;
    return count;
}

int64_t gf_gpu_table_stages(struct gf_gpu_tables *t, const struct gf_gpu_tile *tile) {
    struct gf_gpu_table key = {.what = STAGES};
    for (int i = 0; i < tile->member_stages; i++)
        key.a[i] = tile->member_radix[i];
    for (int i = 0; i < tile->stages; i++)
        key.a[GF_GPU_MAX_MEMBERS + i] = tile->radix[i];
    key.count = chain_count(key.a, GF_GPU_MAX_MEMBERS) +
                chain_count(key.a + GF_GPU_MAX_MEMBERS, GF_GPU_MAX_STAGES) + 1; /* never empty */
    return add(t, &key, &t->count);
}

int64_t gf_gpu_table_split(struct gf_gpu_tables *t, int64_t n, int bits, int64_t *low) {
    struct gf_gpu_table high = {.what = SPLIT_HIGH, .a = {n, bits}, .count = ((n - 1) >> bits) + 1};
    struct gf_gpu_table fine = {.what = SPLIT_LOW, .a = {n, bits}, .count = (int64_t)1 << bits};
    int64_t at = add(t, &high, &t->count);
    *low = add(t, &fine, &t->count);
    return at;
}

int64_t gf_gpu_table_lines(struct gf_gpu_tables *t, const struct gf_gpu_tile *tile, int64_t lines,
                           int64_t *low) {
    const int64_t last = tile->radix[tile->stages - 1], below = tile->points / last;
    const int64_t n = tile->length * lines;
    struct gf_gpu_table each = {.what = LINES, .a = {n, lines, 1, below}, .count = below * lines};
    struct gf_gpu_table step = {.what = LINES, .a = {n, lines, below, last}, .count = last * lines};
    int64_t at = add(t, &each, &t->count);
    *low = add(t, &step, &t->count);
    return at;
}

int64_t gf_gpu_table_chirp(struct gf_gpu_tables *t, int64_t n, int dir) {
    return add(t, &(struct gf_gpu_table){.what = CHIRP, .a = {n, dir}, .count = n}, &t->count);
}

int64_t gf_gpu_table_spectrum(struct gf_gpu_tables *t, enum gf_gpu_algorithm algorithm, int64_t n,
                              int64_t points, int dir) {
    struct gf_gpu_table key = {.what = SPECTRUM, .a = {n, dir, points, algorithm}, .count = points};
    return add(t, &key, &t->count);
}

int64_t gf_gpu_table_order(struct gf_gpu_tables *t, int64_t n, int64_t prime) {
    struct gf_gpu_table key = {.what = ORDER, .a = {n, prime}, .count = 4 * n};
    return add(t, &key, &t->order_count);
}

/* Copies `n` values into key.own, which has `room` for more, set to 0. */
static int64_t append_copy(struct gf_gpu_tables *t, struct gf_gpu_table key, const double *v,
                           int64_t n, int64_t room, int64_t *total) {
    key.own = calloc((size_t)room, sizeof *key.own);
    if (!key.own) {
        t->failed = gf_fail(GF_ENOMEM, "no memory for a table of %lld values", (long long)n);
        return 0;
    }
    memcpy(key.own, v, (size_t)n * sizeof *v);
    const int known = t->n;
    const int64_t at = append(t, &key, total);
    if (t->n == known)
        free(key.own);
    return at;
}

int64_t gf_gpu_table_integers(struct gf_gpu_tables *t, const double *v, int64_t count) {
    const struct gf_gpu_table key = {.what = INTEGERS, .count = count};
    return append_copy(t, key, v, count, count, &t->order_count);
}

int64_t gf_gpu_table_reals(struct gf_gpu_tables *t, const double *v, int64_t count) {
    const struct gf_gpu_table key = {.what = REALS, .count = (count + 1) / 2};
    return 2 * append_copy(t, key, v, count, 2 * key.count, &t->count);
}

void gf_gpu_tables_free(struct gf_gpu_tables *t) {
    for (int i = 0; i < t->n; i++)
        free(t->table[i].own);
    free(t->table);
    *t = (struct gf_gpu_tables){0};
}

/* ---- values ---- */

/* Complex numbers. */
struct values {
    void *data;
    int bits; /* 32, 64; 80: long double */
};

static void put(struct values v, int64_t i, long double re, long double im) {
    if (v.bits == 32) {
        ((float *)v.data)[2 * i] = (float)re;
        ((float *)v.data)[2 * i + 1] = (float)im;
    } else if (v.bits == 64) {
        ((double *)v.data)[2 * i] = (double)re;
        ((double *)v.data)[2 * i + 1] = (double)im;
    } else {
        ((long double *)v.data)[2 * i] = re;
        ((long double *)v.data)[2 * i + 1] = im;
    }
}

static size_t pair_bytes(int bits) {
    return bits == 80 ? 2 * sizeof(long double) : (size_t)bits / 4;
}

static struct values from(struct values v, int64_t first) {
    return (struct values){(char *)v.data + (size_t)first * pair_bytes(v.bits), v.bits};
}

/* Fills from entry `at`; returns the end. */
static int64_t fill_chain(const int64_t *radix, int most, int64_t at, struct values v) {
    int64_t done = radix[0];
    for (int i = 1; i < most && radix[i]; done *= radix[i++])
        for (int q = 1; q <= roots(radix[i], done); q++) {
            /* All powers; or w, w^2, w^3, then every fourth. */
            bool some = roots(radix[i], done) < radix[i] - 1;
            int64_t power = some && q > 3 ? 4 * (q - 3) : q;
            for (int64_t m = 0; m < done; m++, at++) {
                long double re, im;
                gf_root_of_unity((uint64_t)(m * power), (uint64_t)(done * radix[i]), &re, &im);
                put(v, at, re, im);
            }
        }
    return at;
}

static void fill_stages(const struct gf_gpu_table *t, struct values v) {
    int64_t at = fill_chain(t->a, GF_GPU_MAX_MEMBERS, 0, v);
    at = fill_chain(t->a + GF_GPU_MAX_MEMBERS, GF_GPU_MAX_STAGES, at, v);
    put(v, at, 0, 0);
}

static int64_t power_mod(int64_t base, int64_t e, int64_t m) {
    int64_t v = 1;
    for (; e; e >>= 1, base = base * base % m)
        if (e & 1)
            v = v * base % m;
    return v;
}

static void rader_kernel(const struct gf_roots *r, int64_t n, int dir, struct values b) {
    int64_t inverse = power_mod(gf_primitive_root(n), n - 2, n);
#pragma omp parallel for if (n > SHARE)
    for (int64_t first = 0; first < n - 1; first += SHARE) {
        int64_t k = power_mod(inverse, first, n), end = gf_min(first + SHARE, n - 1);
        for (int64_t i = first; i < end; i++, k = k * inverse % n) {
            long double re, im;
            gf_roots_at(r, (uint64_t)k, &re, &im);
            put(b, i, re, im * dir);
        }
    }
}

/* The chirp is conjugated in both directions. */
static void bluestein_kernel(const struct gf_roots *r, int64_t n, int64_t points, int dir,
                             struct values b) {
    for (int64_t i = n; i <= points - n; i++)
        put(b, i, 0, 0);
#pragma omp parallel for if (n > SHARE)
    for (int64_t k = 0; k < n; k++) {
        long double re, im;
        gf_roots_at(r, gf_square_mod((uint64_t)k, r->n), &re, &im);
        put(b, k, re, -im * dir);
        if (k)
            put(b, points - k, re, -im * dir);
    }
}

/* Double is exact enough for floats. */
static int workspace_bits(int bits) {
    return bits == 32 ? 64 : 80;
}

static int fill_spectrum(const struct gf_gpu_table *t, struct values v) {
    const int64_t n = t->a[0], points = t->a[2];
    const int dir = (int)t->a[1];
    const bool rader = t->a[3] == GF_GPU_RADER;
    struct values b = {.bits = workspace_bits(v.bits)};
    struct gf_roots r = {.n = 0};
    b.data = gf_alloc((size_t)points * pair_bytes(b.bits));
    bool ok = b.data && gf_roots_make(&r, (uint64_t)(rader ? n : 2 * n));
    if (ok && rader)
        rader_kernel(&r, n, dir, b);
    else if (ok)
        bluestein_kernel(&r, n, points, dir, b);
    gf_roots_free(&r);
    if (b.bits == 80)
        ok = ok && gf_exact_transform(b.data, points, 1.0L / (long double)points, v.data, v.bits);
    else
        ok = ok && gf_double_transform(b.data, points, 1.0 / (double)points, v.data, v.bits);
    gf_free(b.data);
    return ok ? 0
              : gf_fail(GF_ENOMEM, "no memory for a convolution of %lld points", (long long)points);
}

/* Orders the points k, k + prime, … as members, by their value modulo the number of members. */
static void order_members(int64_t n, int64_t prime, int64_t k, int32_t *out) {
    const int64_t members = n / prime;
    for (; k < n; k += prime)
        out[k % members] = (int32_t)k;
}

static void fill_order(const struct gf_gpu_table *t, int32_t *in) {
    const int64_t n = t->a[0], prime = t->a[1], members = n / prime, g = gf_primitive_root(prime);
    const int64_t inverse = power_mod(g, prime - 2, prime);
    int32_t *out = in + n, *in_slot = out + n, *out_slot = in_slot + n;
#pragma omp parallel for if (prime > SHARE)
    for (int64_t first = 0; first < prime - 1; first += SHARE) {
        int64_t a = power_mod(g, first, prime), b = power_mod(inverse, first, prime);
        for (int64_t i = first; i < first + SHARE && i < prime - 1; i++) {
            for (int64_t j = 0; j < members; j++)
                in[j * prime + i] = (int32_t)((members * a + prime * j) % n);
            order_members(n, prime, b, out + i * members);
            a = a * g % prime;
            b = b * inverse % prime;
        }
    }
    for (int64_t j = 0; j < members; j++)
        in[j * prime + prime - 1] = (int32_t)(prime * j);
    order_members(n, prime, 0, out + n - members);
    for (int64_t i = 0; i < n; i++) {
        in_slot[in[i]] = (int32_t)i;
        out_slot[out[i]] = (int32_t)i;
    }
}

/* Fills a row for each result, or step. */
static bool fill_lines(const struct gf_gpu_table *t, struct values v) {
    const int64_t n = t->a[0], lines = t->a[1], step = t->a[2];
    struct gf_roots r = {.n = 0};
    if (!gf_roots_make(&r, (uint64_t)n))
        return false;
#pragma omp parallel for if (t->count > SHARE)
    for (int64_t i = 0; i < t->count; i++) {
        long double re, im;
        gf_roots_at(&r, (uint64_t)(i / lines * step * (i % lines)), &re, &im);
        put(v, i, re, im);
    }
    gf_roots_free(&r);
    return true;
}

static int fill(const struct gf_gpu_table *t, struct values v) {
    const int64_t n = t->a[0];
    bool ok = true;
    switch (t->what) {
    case STAGES:
        fill_stages(t, v);
        break;
    case LINES:
        ok = fill_lines(t, v);
        break;
    case SPLIT_HIGH:
        ok = gf_cpu_roots(v.data, v.bits, n, (int64_t)1 << t->a[1], false, t->count);
        break;
    case SPLIT_LOW:
        ok = gf_cpu_roots(v.data, v.bits, n, 1, false, t->count);
        break;
    case CHIRP:
        ok = gf_cpu_roots(v.data, v.bits, 2 * n, 0, t->a[1] < 0, t->count);
        break;
    case SPECTRUM:
        return fill_spectrum(t, v);
    default:
        for (int64_t i = 0; i < t->count; i++)
            put(v, i, t->own[2 * i], t->own[2 * i + 1]);
    }
    return ok ? 0 : gf_no_memory();
}

int gf_gpu_tables_fill(const struct gf_gpu_tables *t, enum gf_precision precision, void *value,
                       int32_t *order) {
    struct values all = {value, precision == GF_DOUBLE ? 64 : 32};
    int rc = 0;
    for (int i = 0; i < t->n && !rc; i++) {
        const struct gf_gpu_table *one = &t->table[i];
        if (one->what == ORDER && order)
            fill_order(one, order + one->at);
        else if (one->what == INTEGERS && order)
            for (int64_t k = 0; k < one->count; k++)
                order[one->at + k] = (int32_t)one->own[k];
        else if (one->what != ORDER && one->what != INTEGERS && value)
            rc = fill(one, from(all, one->at));
    }
    return rc;
}

int64_t gf_gpu_tables_bytes(const struct gf_gpu_tables *t, enum gf_precision precision) {
    const int bits = precision == GF_DOUBLE ? 64 : 32;
    int64_t workspace = 0;
    for (int i = 0; i < t->n; i++) {
        int64_t bytes = t->table[i].count * (int64_t)pair_bytes(workspace_bits(bits));
        if (t->table[i].what == SPECTRUM && bytes > workspace)
            workspace = bytes;
    }
    int64_t values = t->count * (int64_t)pair_bytes(bits) + workspace, order = 4 * t->order_count;
    return gf_max(values, order);
}
