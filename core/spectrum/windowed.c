/* A Hann window as a kernel in the spectrum. */
#include "core/spectrum/windowed.h"

#include <omp.h>
#include <stdlib.h>

#include "core/base/value/status.h"

void gf_bins_value(const struct gf_bins *b, const int64_t at[3], double value[2]) {
    int64_t k[3];
    for (int i = 0; i < 3; i++)
        k[i] = (at[i] % b->n[i] + b->n[i]) % b->n[i];
    bool mirrored = k[2] >= b->stored;
    for (int i = 0; i < 3 && mirrored; i++)
        k[i] = gf_half_negative(k[i], b->n[i]);
    const struct gf_number f = gf_bins_number(b, k[0], k[1], k[2]);
    value[0] = f.re;
    value[1] = mirrored ? -f.im : f.im;
}

/* weight * F of a stored row into row[2], row[4], …; its neighbours beyond both ends too. */
static void add_row(const struct gf_bins *b, int64_t z, int64_t y, double weight, double *row) {
    const int64_t wrapped[2] = {(z + b->n[0]) % b->n[0], (y + b->n[1]) % b->n[1]};
    const char *p = b->data + wrapped[0] * b->stride[0] + wrapped[1] * b->stride[1];
    for (int end = 0; end < 2; end++) {
        int64_t x = end ? b->stored : -1;
        double value[2];
        gf_bins_value(b, (int64_t[]){z, y, x}, value);
        row[2 * (x + 1)] += weight * value[0];
        row[2 * (x + 1) + 1] += weight * value[1];
    }
    weight *= b->scale;
    row += 2;
    for (int64_t x = 0; x < b->stored; x++, p += b->stride[2]) {
        const struct gf_number f = gf_number_get(p, 0, b->is_double);
        row[2 * x] += weight * f.re;
        row[2 * x + 1] += weight * f.im;
    }
}

static double tap(bool on, int64_t step) {
    return !on ? 1 : step ? -0.25 : 0.5;
}

static void make_row(const struct gf_windowed *w, int64_t z, int64_t y, double *row, bool add) {
    const struct gf_bins *b = &w->b;
    float *power = w->power + (z * b->n[1] + y) * b->stored;
    memset(row, 0, (size_t)(2 * (b->stored + 2)) * sizeof *row);
    for (int64_t dz = -w->on[0]; dz <= w->on[0]; dz++)
        for (int64_t dy = -w->on[1]; dy <= w->on[1]; dy++)
            add_row(b, z + dz, y + dy, tap(w->on[0], dz) * tap(w->on[1], dy), row);
    const double side = w->on[2] ? -0.25 : 0, middle = w->on[2] ? 0.5 : 1;
    for (int64_t x = 0; x < b->stored; x++) {
        const double *v = row + 2 * x;
        double re = side * (v[0] + v[4]) + middle * v[2];
        double im = side * (v[1] + v[5]) + middle * v[3];
        double p = (re * re + im * im) * b->unit;
        power[x] = (float)(add ? power[x] + p : p);
    }
}

static int begin(const struct gf_spectrum *s, struct gf_windowed *w) {
    gf_bins_view(s, &w->b);
    gf_bins_fit(&w->b);
    if (!s->half)
        return gf_fail(GF_EINVAL, "the window needs half a spectrum");
    for (int i = 0; i < 3; i++)
        w->on[i] = !w->whole && w->b.n[i] >= GF_WINDOW_LEAST;
    int rc = gf_bins_sum(&w->b, true, &w->total);
    if (rc)
        return rc;
    w->b.unit = w->total > 0 && isfinite(w->total) ? 1 / w->total : 1;
    w->power = gf_alloc((size_t)(w->b.n[0] * w->b.n[1] * w->b.stored) * sizeof *w->power);
    if (!w->power)
        return gf_no_memory();
    w->total *= w->b.unit;
    return 0;
}

int gf_windowed_power(const struct gf_spectrum *s, struct gf_windowed *w) {
    const bool add = w->power;
    int rc = 0;
    if (!add) {
        rc = begin(s, w);
    } else { /* in the first one's unit */
        double unit = w->b.unit * w->b.scale * w->b.scale;
        gf_bins_view(s, &w->b);
        gf_bins_fit(&w->b);
        w->b.unit = unit / (w->b.scale * w->b.scale);
    }
    if (rc)
        return rc;
    const int64_t room = 2 * (w->b.stored + 2);
    double *rows = malloc((size_t)(room * w->b.threads) * sizeof *rows);
    if (!rows)
        return gf_no_memory();
#pragma omp parallel for num_threads(w->b.threads) schedule(static)
    for (int64_t i = 0; i < w->b.n[0] * w->b.n[1]; i++)
        make_row(w, i / w->b.n[1], i % w->b.n[1], rows + room * omp_get_thread_num(), add);
    free(rows);
    return 0;
}

void gf_windowed_free(struct gf_windowed *w) {
    gf_free(w->power);
    w->power = NULL;
}

int64_t gf_windowed_bytes(const struct gf_spectrum *s) {
    struct gf_bins b;
    gf_bins_view(s, &b);
    return b.n[0] * b.n[1] * (b.stored * 4 + 8) + b.threads * (b.stored + 2) * 16;
}
