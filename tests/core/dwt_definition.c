/* The wavelet transform straight from its definition, in double, for comparison. */
#include "tests/core/dwt_definition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/wavelet/dwt.h"

/* The taps of a wavelet, and how many. */
static int taps_of(enum wavelet name, double h[]) {
    const double r = sqrt(3.0), d4[4] = {1 + r, 3 + r, 3 - r, 1 - r};
    for (int i = 0; name == WAVELET_D4 && i < 4; i++)
        h[i] = d4[i] / (4 * sqrt(2.0));
    return name == WAVELET_D4 ? 4 : 0;
}

/* The value at index i of a line of n. */
static double at_index(const double *x, int64_t stride, int64_t n, int64_t i, enum gf_boundary b) {
    if (b == GF_ZERO && (i < 0 || i >= n))
        return 0;
    if (b == GF_PERIODIC) {
        int64_t even = n + n % 2;
        i = (i % even + even) % even;
        return x[(i == n ? n - 1 : i) * stride];
    }
    while (i < 0 || i >= n)
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return x[i * stride];
}

void dwt_define(const struct gf_job *job, const double *picture, double *out) {
    int64_t n[4] = {1, 1, 1, job->channels}, packed[GF_MAX_RANK], all[4] = {1, 1, 1, 1};
    bool on[3] = {false, false, false};
    gf_dwt_shape(job, true, packed);
    for (int i = 0; i < job->ndim; i++) {
        n[3 - job->ndim + i] = job->shape[i];
        all[3 - job->ndim + i] = packed[i];
        on[3 - job->ndim + i] = job->axes >> i & 1;
    }
    all[3] = n[3];
    int64_t total = all[0] * all[1] * all[2] * all[3];
    int64_t room = n[0] * n[1] * n[2] * n[3] * 64 + total;
    double tap[GF_DWT_MOST_TAPS];
    const int taps = taps_of(job->wavelet.name, tap);
    double *a = calloc((size_t)room, sizeof *a), *b = calloc((size_t)room, sizeof *b);
    memcpy(a, picture, (size_t)(n[0] * n[1] * n[2] * n[3]) * sizeof *a);
    memset(out, 0, (size_t)total * sizeof *out);
    int64_t end[3] = {all[0], all[1], all[2]}; /* the box that this level's details end at */
    for (int level = 1; level <= job->wavelet.levels; level++) {
        int64_t m[4] = {n[0], n[1], n[2], n[3]}, half[3];
        for (int axis = 0; axis < 3; axis++) {
            if (!on[axis])
                continue;
            bool periodic = job->wavelet.boundary == GF_PERIODIC;
            half[axis] = periodic ? (m[axis] + 1) / 2 : (m[axis] + taps - 1) / 2;
            int64_t stride = 1, outer = 1;
            for (int i = axis + 1; i < 4; i++)
                stride *= m[i];
            for (int i = 0; i < axis; i++)
                outer *= m[i];
            for (int64_t o = 0; o < outer; o++)
                for (int64_t s = 0; s < stride; s++)
                    for (int64_t k = 0; k < half[axis]; k++) {
                        double low = 0, high = 0;
                        for (int i = 0; i < taps; i++) {
                            double v = at_index(a + o * m[axis] * stride + s, stride, m[axis],
                                                2 * k - (periodic ? taps / 2 - 1 : taps - 2) + i,
                                                job->wavelet.boundary);
                            low += tap[i] * v;
                            high += (i % 2 ? -1 : 1) * tap[taps - 1 - i] * v;
                        }
                        double *to = b + o * 2 * half[axis] * stride + s;
                        to[k * stride] = low;
                        to[(half[axis] + k) * stride] = high;
                    }
            m[axis] = 2 * half[axis];
            double *t = a;
            a = b;
            b = t;
        }
        /* Boxes to their places: the details end where the coarser level's begin to end. */
        int64_t next = 0;
        for (int64_t z = 0; z < m[0]; z++)
            for (int64_t y = 0; y < m[1]; y++)
                for (int64_t x = 0; x < m[2]; x++) {
                    int64_t i[3] = {z, y, x};
                    bool detail = false;
                    for (int axis = 0; axis < 3; axis++)
                        if (on[axis] && i[axis] >= half[axis]) {
                            detail = true;
                            i[axis] += end[axis] - 2 * half[axis];
                        }
                    const double *from = a + ((z * m[1] + y) * m[2] + x) * n[3];
                    if (detail || level == job->wavelet.levels)
                        memcpy(out + ((i[0] * all[1] + i[1]) * all[2] + i[2]) * n[3], from,
                               (size_t)n[3] * sizeof *out);
                    if (!detail)
                        memcpy(b + n[3] * next++, from, (size_t)n[3] * sizeof *b);
                }
        double *t = a;
        a = b;
        b = t;
        for (int axis = 0; axis < 3; axis++)
            if (on[axis]) {
                n[axis] = half[axis];
                end[axis] -= half[axis];
            }
    }
    free(a);
    free(b);
}
