/* A plan's tables: twiddles, chirps, spectra and permutations, each made once. */
#include "core/gpu/plan/tables.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/factor.h"
#include "core/base/status.h"
#include "kernels/cpu/root.h"

enum { STAGES, SPLIT_HIGH, SPLIT_LOW, CHIRP, SPECTRUM, ORDER };

/* The offset of an earlier table of the same key, or -1; where `at` is given, keeps a new key
 * with it. */
static int64_t known(struct gf_gpu_tables *t, struct gf_gpu_table_key *key, int64_t at) {
    for (int i = 0; i < t->keys; i++)
        if (t->key[i].what == key->what && !memcmp(t->key[i].a, key->a, sizeof key->a))
            return t->key[i].at;
    if (at >= 0 && t->keys < (int)(sizeof t->key / sizeof *t->key)) {
        key->at = at;
        t->key[t->keys++] = *key;
    }
    return -1;
}

static double *grow(struct gf_gpu_tables *t, int64_t count) {
    if (t->count + count > t->room) {
        int64_t room = 2 * t->room + count;
        double *v = realloc(t->value, (size_t)room * 2 * sizeof *v);
        if (!v) {
            gf_fail(GF_ENOMEM, "no memory for tables of %lld entries", (long long)room);
            return NULL;
        }
        t->value = v;
        t->room = room;
    }
    double *at = t->value + 2 * t->count;
    t->count += count;
    return at;
}

static void put_root(double *to, int64_t k, int64_t n) {
    long double re, im;
    gf_root_of_unity((uint64_t)k, (uint64_t)n, &re, &im);
    to[0] = (double)re;
    to[1] = (double)im;
}

/* Powers of a twiddle that the table holds for a butterfly. */
static int roots(int radix) {
    return radix > 5 ? 3 + (radix - 1) / 4 : radix - 1;
}

int64_t gf_gpu_table_stages(struct gf_gpu_tables *t, const struct gf_gpu_tile *tile) {
    struct gf_gpu_table_key key = {.what = STAGES, .a = {tile->points}};
    int64_t count = 1, done = tile->radix[0];
    for (int i = 0; i < tile->stages; i++)
        key.a[1 + i] = tile->radix[i];
    int64_t at = known(t, &key, -1);
    if (at >= 0)
        return at;
    for (int i = 1; i < tile->stages; done *= tile->radix[i++])
        count += roots(tile->radix[i]) * done;
    at = t->count;
    double *to = grow(t, count);
    if (!to)
        return -1;
    done = tile->radix[0];
    for (int i = 1; i < tile->stages; done *= tile->radix[i++])
        for (int q = 1; q <= roots(tile->radix[i]); q++) {
            /* w, w^2, w^3, then every fourth: see ROOTS in kernels/tile.h. */
            int power = tile->radix[i] > 5 && q > 3 ? 4 * (q - 3) : q;
            for (int64_t m = 0; m < done; m++, to += 2)
                put_root(to, m * power, done * tile->radix[i]);
        }
    to[0] = to[1] = 0; /* one entry more, so that no table is empty */
    known(t, &key, at);
    return at;
}

int64_t gf_gpu_table_split(struct gf_gpu_tables *t, int64_t n, int bits, int64_t *low) {
    struct gf_gpu_table_key high_key = {.what = SPLIT_HIGH, .a = {n, bits}};
    struct gf_gpu_table_key low_key = {.what = SPLIT_LOW, .a = {n, bits}};
    int64_t at = known(t, &high_key, -1), step = (int64_t)1 << bits;
    *low = known(t, &low_key, -1);
    if (at >= 0)
        return at;
    int64_t high_count = (n - 1) / step + 1;
    at = t->count;
    *low = at + high_count;
    double *to = grow(t, high_count + step);
    if (!to)
        return -1;
    for (int64_t i = 0; i < high_count; i++, to += 2)
        put_root(to, i * step, n);
    for (int64_t i = 0; i < step; i++, to += 2)
        put_root(to, i, n);
    known(t, &high_key, at);
    known(t, &low_key, *low);
    return at;
}

/* k^2 modulo 2 n, exactly: in floating point the angle pi k^2 / n of a large k has no digits
 * left. */
static int64_t square(int64_t k, int64_t n) {
    return (int64_t)((unsigned __int128)k * (unsigned __int128)k % (unsigned __int128)(2 * n));
}

int64_t gf_gpu_table_chirp(struct gf_gpu_tables *t, int64_t n, int dir) {
    struct gf_gpu_table_key key = {.what = CHIRP, .a = {n, dir}};
    int64_t at = known(t, &key, -1);
    if (at >= 0)
        return at;
    at = t->count;
    double *to = grow(t, n);
    if (!to)
        return -1;
    for (int64_t k = 0; k < n; k++, to += 2) {
        put_root(to, square(k, n), 2 * n);
        to[1] *= dir;
    }
    known(t, &key, at);
    return at;
}

/* A plain FFT in long double for tables: mixed radix by recursion, primes by definition; n has
 * small factors only. `w` holds the n-th roots, `step` is the whole length over n. */
static void table_fft(const long double *in, int64_t stride, long double *out, int64_t n,
                      const long double *w, int64_t step, int64_t whole) {
    if (n == 1) {
        out[0] = in[0];
        out[1] = in[1];
        return;
    }
    int64_t r = 2;
    while (n % r)
        r++;
    int64_t m = n / r;
    for (int64_t q = 0; q < r; q++)
        table_fft(in + 2 * q * stride, stride * r, out + 2 * q * m, m, w, step * r, whole);
    long double x[2 * 13];
    for (int64_t k = 0; k < m; k++) {
        for (int64_t q = 0; q < r; q++) {
            const long double *f = w + 2 * (q * k * step % whole), *v = out + 2 * (q * m + k);
            x[2 * q] = v[0] * f[0] - v[1] * f[1];
            x[2 * q + 1] = v[0] * f[1] + v[1] * f[0];
        }
        for (int64_t p = 0; p < r; p++) {
            long double re = 0, im = 0;
            for (int64_t q = 0; q < r; q++) {
                const long double *f = w + 2 * (p * q % r * (whole / r));
                re += x[2 * q] * f[0] - x[2 * q + 1] * f[1];
                im += x[2 * q] * f[1] + x[2 * q + 1] * f[0];
            }
            out[2 * (p * m + k)] = re;
            out[2 * (p * m + k) + 1] = im;
        }
    }
}

static int64_t power_mod(int64_t base, int64_t e, int64_t m) {
    int64_t v = 1;
    for (; e; e >>= 1, base = base * base % m)
        if (e & 1)
            v = v * base % m;
    return v;
}

/* The kernel of the convolution: the conjugate chirp in both directions; or the roots in Rader's
 * order. */
static void kernel_of(enum gf_gpu_algorithm algorithm, int64_t n, int64_t points, int dir,
                      long double *b) {
    memset(b, 0, (size_t)points * 2 * sizeof *b);
    if (algorithm == GF_GPU_RADER) {
        int64_t g = gf_primitive_root(n), inverse = power_mod(g, n - 2, n), k = 1;
        for (int64_t i = 0; i < points; i++, k = k * inverse % n) {
            gf_root_of_unity((uint64_t)k, (uint64_t)n, &b[2 * i], &b[2 * i + 1]);
            b[2 * i + 1] *= dir;
        }
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        long double re, im;
        gf_root_of_unity((uint64_t)square(k, n), 2 * (uint64_t)n, &re, &im);
        int64_t other = k ? points - k : 0;
        b[2 * k] = b[2 * other] = re;
        b[2 * k + 1] = b[2 * other + 1] = -im * dir;
    }
}

int64_t gf_gpu_table_spectrum(struct gf_gpu_tables *t, enum gf_gpu_algorithm algorithm, int64_t n,
                              int64_t points, int dir) {
    struct gf_gpu_table_key key = {.what = SPECTRUM, .a = {n, dir, points, algorithm}};
    int64_t at = known(t, &key, -1);
    if (at >= 0)
        return at;
    at = t->count;
    double *to = grow(t, points);
    long double *b = malloc((size_t)points * 6 * sizeof *b);
    if (!to || !b) {
        free(b);
        gf_fail(GF_ENOMEM, "no memory for a convolution of %lld points", (long long)points);
        return -1;
    }
    long double *out = b + 2 * points, *w = b + 4 * points;
    for (int64_t i = 0; i < points; i++)
        gf_root_of_unity((uint64_t)i, (uint64_t)points, &w[2 * i], &w[2 * i + 1]);
    kernel_of(algorithm, n, points, dir, b);
    table_fft(b, 1, out, points, w, 1, points);
    for (int64_t i = 0; i < 2 * points; i++)
        to[i] = (double)(out[i] / (long double)points);
    free(b);
    known(t, &key, at);
    return at;
}

int32_t *gf_gpu_table_integers(struct gf_gpu_tables *t, int64_t count, int64_t *at) {
    if (t->order_count + count > t->order_room) {
        int64_t room = 2 * t->order_room + count;
        int32_t *v = realloc(t->order, (size_t)room * sizeof *v);
        if (!v) {
            gf_fail(GF_ENOMEM, "no memory for %lld integers", (long long)count);
            return NULL;
        }
        t->order = v;
        t->order_room = room;
    }
    *at = t->order_count;
    t->order_count += count;
    return t->order + *at;
}

int64_t gf_gpu_table_order(struct gf_gpu_tables *t, int64_t prime) {
    struct gf_gpu_table_key key = {.what = ORDER, .a = {prime}};
    int64_t at = known(t, &key, -1);
    if (at >= 0)
        return at;
    int32_t *in = gf_gpu_table_integers(t, 4 * (prime - 1), &at);
    if (!in)
        return -1;
    int32_t *out = in + prime - 1;
    int32_t *in_slot = out + prime - 1, *out_slot = in_slot + prime - 1;
    int64_t g = gf_primitive_root(prime), inverse = power_mod(g, prime - 2, prime), a = 1, b = 1;
    for (int64_t i = 0; i < prime - 1; i++) {
        in[i] = (int32_t)a;
        out[i] = (int32_t)b;
        in_slot[a - 1] = out_slot[b - 1] = (int32_t)i;
        a = a * g % prime;
        b = b * inverse % prime;
    }
    known(t, &key, at);
    return at;
}

int64_t gf_gpu_table_reals(struct gf_gpu_tables *t, const double *v, int64_t count) {
    int64_t at = t->count;
    double *to = grow(t, (count + 1) / 2);
    if (!to)
        return -1;
    memcpy(to, v, (size_t)count * sizeof *v);
    if (count % 2)
        to[count] = 0;
    return 2 * at;
}

void gf_gpu_tables_free(struct gf_gpu_tables *t) {
    free(t->value);
    free(t->order);
    *t = (struct gf_gpu_tables){0};
}
