/* Factorisation of lengths into radices, and the cheapest lengths near others. */
#include "core/base/value/factor.h"

#include <stdio.h>
#include <string.h>

/* Measured cost of a stage per point, relative to each other: its butterfly, one load, one
 * store. */
static const struct {
    int radix;
    double cost;
} codelets[] = {
    {16, 3.9}, {8, 3.1}, {4, 2.3}, {2, 1.7}, {3, 2.2}, {5, 3.0}, {7, 3.9}, {11, 6.0}, {13, 7.0},
};

static double stage_cost(int radix) {
    for (size_t i = 0; i < sizeof codelets / sizeof *codelets; i++)
        if (codelets[i].radix == radix)
            return codelets[i].cost;
    return 0.9 * radix; /* by definition */
}

/* Splits 2^e into eights and one 16, 4 or 2. Radix 8 keeps all its operands in registers, and its
 * eight streams a power of two apart fit the ways of a first-level cache set; sixteen do not, so
 * only the leaf, whose block is contiguous, may be 16. */
static void split_power_of_two(int e, struct gf_radices *r) {
    if (e % 3 == 1 && e > 1) {
        r->radix[r->n++] = 16;
        e -= 4;
    }
    for (; e >= 3; e -= 3)
        r->radix[r->n++] = 8;
    if (e)
        r->radix[r->n++] = 1 << e;
}

struct gf_radices gf_factor_radices(int64_t n) {
    struct gf_radices r = {.rest = n};
    int twos = 0;
    for (; r.rest % 2 == 0; r.rest /= 2)
        twos++;
    split_power_of_two(twos, &r);
    static const int odd[] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (; r.rest % odd[i] == 0 && r.n < GF_MAX_STAGES; r.rest /= odd[i])
            r.radix[r.n++] = odd[i];
    /* The leaf is called once per block, so it is the largest. The others are in descending order,
     * which makes blocks small early. Insertion sort, then the first moves to the end. */
    for (int i = 1; i < r.n; i++)
        for (int j = i; j > 0 && r.radix[j] > r.radix[j - 1]; j--) {
            int t = r.radix[j];
            r.radix[j] = r.radix[j - 1];
            r.radix[j - 1] = t;
        }
    if (r.n > 1) {
        int largest = r.radix[0];
        memmove(r.radix, r.radix + 1, (size_t)(r.n - 1) * sizeof *r.radix);
        r.radix[r.n - 1] = largest;
    }
    return r;
}

bool gf_is_prime(int64_t n) {
    if (n < 2)
        return false;
    for (int64_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return true;
}

static int64_t power_mod(int64_t base, int64_t e, int64_t m) {
    unsigned __int128 result = 1, b = (unsigned __int128)(base % m);
    for (; e; e >>= 1, b = b * b % (unsigned __int128)m)
        if (e & 1)
            result = result * b % (unsigned __int128)m;
    return (int64_t)result;
}

int64_t gf_primitive_root(int64_t prime) {
    int64_t order = prime - 1;
    for (int64_t g = 2;; g++) {
        bool root = true;
        int64_t rest = order;
        for (int64_t d = 2; d * d <= rest && root; d++)
            if (rest % d == 0) {
                root = power_mod(g, order / d, prime) != 1;
                while (rest % d == 0)
                    rest /= d;
            }
        if (root && rest > 1)
            root = power_mod(g, order / rest, prime) != 1;
        if (root || g >= prime)
            return prime == 2 ? 1 : g;
    }
}

bool gf_factor_is_smooth(int64_t n) {
    static const int primes[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

/* Relative cost of one transform of n smooth points: arithmetic and stages. */
static double smooth_cost(int64_t n) {
    struct gf_radices r = gf_factor_radices(n);
    double cost = 0;
    for (int i = 0; i < r.n; i++)
        cost += stage_cost(r.radix[i]);
    return cost * (double)n;
}

int64_t gf_factor_smooth_length(int64_t minimum) {
    int64_t best = 1;
    while (best < minimum)
        best *= 2;
    double best_cost = smooth_cost(best);
    for (int64_t a = 1; a < 2 * minimum; a *= 7)
        for (int64_t b = a; b < 2 * minimum; b *= 5)
            for (int64_t c = b; c < 2 * minimum; c *= 3) {
                int64_t n = c;
                while (n < minimum)
                    n *= 2;
                double cost = smooth_cost(n);
                if (cost < best_cost) {
                    best = n;
                    best_cost = cost;
                }
            }
    return best;
}

/* Rader's convolution has n - 1 points, Bluestein's at least 2 n - 1, and more passes. */
static bool rader_pays(int64_t prime) {
    return prime <= INT32_MAX && gf_factor_radices(prime - 1).rest == 1;
}

enum gf_algorithm gf_factor_algorithm(int64_t n) {
    struct gf_radices r = gf_factor_radices(n);
    if (r.rest == 1)
        return GF_ALG_STAGES;
    if (!gf_is_prime(r.rest))
        return GF_ALG_BLUESTEIN; /* two large primes: one chirp covers both */
    if (r.n)
        return GF_ALG_STAGES;
    return rader_pays(n) ? GF_ALG_RADER : GF_ALG_BLUESTEIN;
}

/* Appends to text, never past its end. */
static void append(char *text, size_t size, const char *format, int64_t value) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, format, (long long)value);
}

static void append_radices(const struct gf_radices *r, char *text, size_t size) {
    for (int i = 0; i < r->n; i++)
        append(text, size, i ? "·%lld" : "%lld", r->radix[i]);
    if (r->rest > 1)
        append(text, size, r->n ? "·%lld" : "%lld", r->rest);
}

void gf_factor_describe(int64_t n, char *text, size_t size) {
    struct gf_radices r = gf_factor_radices(n);
    text[0] = 0;
    append(text, size, "%lld", n);
    switch (gf_factor_algorithm(n)) {
    case GF_ALG_STAGES:
        if (r.n > 1 || r.rest > 1) {
            append(text, size, " = ", 0);
            append_radices(&r, text, size);
        }
        if (r.rest > 1)
            append(text, size, rader_pays(r.rest) ? " (%lld by Rader)" : " (%lld by Bluestein)",
                   r.rest);
        break;
    case GF_ALG_RADER:
    case GF_ALG_BLUESTEIN: {
        bool rader = gf_factor_algorithm(n) == GF_ALG_RADER;
        int64_t m = rader ? n - 1 : gf_factor_smooth_length(2 * n - 1);
        struct gf_radices c = gf_factor_radices(m);
        append(text, size, rader ? ": Rader over %lld = " : ": Bluestein over %lld = ", m);
        append_radices(&c, text, size);
        break;
    }
    }
}
