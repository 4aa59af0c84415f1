/* Finds the quanta of a picture that was a JPEG file, from the cosine transform of its blocks. */
#include "core/restore/quanta.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/status.h"

enum { SIDE = 8, ALL = SIDE * SIDE, MOST_BLOCKS = 1024 };
/* A quantum has so many nonzero coefficients; a JPEG file has so many quanta above 1. */
enum { ENOUGH = 32, LEAST_QUANTA = 6 };
/* The most mean square distance from multiples, and as a share of that of evenly spread numbers. */
static const double NEAR = 0.35, SHARE = 0.5;

/* The luma of JFIF, less the level that it is shifted by. */
static double luma_at(const struct gf_array *a, int64_t y, int64_t x) {
    const uint8_t *p = (const uint8_t *)a->data + y * a->stride[0] + x * a->stride[1];
    const int64_t next = a->stride[2];
    return (a->shape[2] < 3 ? p[0] : 0.299 * p[0] + 0.587 * p[next] + 0.114 * p[2 * next]) - 128;
}

/* wave[k][i]: the k-th cosine at sample i. */
static void transform(const struct gf_array *a, int64_t y, int64_t x, const double wave[SIDE][SIDE],
                      float *to) {
    double half[SIDE][SIDE] = {{0}};
    for (int i = 0; i < ALL; i++)
        for (int k = 0; k < SIDE; k++)
            half[i / SIDE][k] += luma_at(a, y + i / SIDE, x + i % SIDE) * wave[k][i % SIDE];
    for (int i = 0; i < ALL; i++) {
        double sum = 0;
        for (int k = 0; k < SIDE; k++)
            sum += half[k][i % SIDE] * wave[i / SIDE][k];
        to[i] = (float)sum;
    }
}

/* The quantum of a coefficient, from n blocks; 0: unknown. */
static int quantum_of(const float (*block)[ALL], int64_t n, int of) {
    for (int q = UINT8_MAX; q > 1; q--) {
        double square = 0;
        int count = 0;
        for (int64_t i = 0; i < n; i++) {
            const double multiple = rint((double)block[i][of] / q);
            count += multiple != 0;
            square += multiple != 0 ? pow((double)block[i][of] - q * multiple, 2) : 0;
        }
        if (count >= ENOUGH && square < count * fmin(NEAR, SHARE * q * q / 12))
            return q;
    }
    return 0;
}

int gf_quanta_find(const struct gf_array *a, uint8_t rounding[GF_ROUNDING_BANDS]) {
    const int64_t nx = a->shape[1] / SIDE, all = a->shape[0] / SIDE * nx;
    const int64_t n = gf_min(all, MOST_BLOCKS);
    float(*block)[ALL] = malloc((size_t)gf_max(n, 1) * sizeof *block);
    double wave[SIDE][SIDE];
    uint16_t quantum[ALL];
    int found = 0;
    if (!block)
        return gf_no_memory();
    for (int k = 0; k < SIDE; k++)
        for (int i = 0; i < SIDE; i++)
            wave[k][i] = (k ? 0.5 : sqrt(0.125)) * cos(M_PI * k * (2 * i + 1) / (2 * SIDE));
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i * all / n;
        transform(a, at / nx * SIDE, at % nx * SIDE, (const double(*)[SIDE])wave, block[i]);
    }
    for (int i = 0; i < ALL; i++) {
        quantum[i] = (uint16_t)quantum_of((const float(*)[ALL])block, n, i);
        found += quantum[i] > 0;
    }
    if (found >= LEAST_QUANTA)
        gf_rounding_make(quantum, rounding);
    free(block);
    return 0;
}
