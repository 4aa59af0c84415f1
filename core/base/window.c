/* Values of windows, and their product with samples. */
#include "core/base/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"

static const double PI = 3.14159265358979323846;

/* By enum gf_window_shape, which begins with the unset one; `most` 0: no parameter. */
static const struct {
    const char *name;
    double most;
} windows[] = {{"none", 0},     {"none", 0},  {"hann", 0},    {"hamming", 0},
               {"blackman", 0}, {"tukey", 1}, {"kaiser", 500}};
enum { N_WINDOWS = sizeof windows / sizeof *windows };
_Static_assert(N_WINDOWS == GF_WINDOW_KAISER + 1, "a window for each shape");

bool gf_window_parse(const char *text, struct gf_window *w) {
    const size_t n = strcspn(text, ":");
    for (int i = GF_WINDOW_NONE; i < N_WINDOWS; i++) {
        char *end = (char *)text + n;
        if (strlen(windows[i].name) != n || strncmp(text, windows[i].name, n))
            continue;
        *w = (struct gf_window){.shape = (enum gf_window_shape)i};
        if (windows[i].most > 0 && *end)
            w->parameter = strtod(text + n + 1, &end);
        const bool given = end > text + n + 1;
        return !*end && given == (windows[i].most > 0) && w->parameter >= 0 &&
               w->parameter <= windows[i].most;
    }
    return false;
}

const char *gf_window_text(const struct gf_window *w, char text[GF_WINDOW_TEXT]) {
    const int n = snprintf(text, GF_WINDOW_TEXT, "%s", windows[w->shape].name);
    if (windows[w->shape].most > 0)
        snprintf(text + n, GF_WINDOW_TEXT - (size_t)n, ":%.9g", w->parameter);
    return text;
}

/* The modified Bessel function of order 0: its power series, all of whose terms are positive. */
static double bessel_i0(double x) {
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= x / (2 * k) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

double gf_window_at(const struct gf_window *w, int64_t i, int64_t n) {
    const double at = (double)i / (double)n, t = 2 * PI * at, p = w->parameter;
    const double from_end = fmin(at, 1 - at);
    if (n < 2)
        return 1;
    switch (w->shape) {
    case GF_WINDOW_HANN:
        return 0.5 - 0.5 * cos(t);
    case GF_WINDOW_HAMMING:
        return 0.54 - 0.46 * cos(t);
    case GF_WINDOW_BLACKMAN:
        return 0.42 - 0.5 * cos(t) + 0.08 * cos(2 * t);
    case GF_WINDOW_TUKEY:
        return from_end < p / 2 ? 0.5 - 0.5 * cos(2 * PI * from_end / p) : 1;
    case GF_WINDOW_KAISER:
        return bessel_i0(p * sqrt(fmax(0, 1 - (2 * at - 1) * (2 * at - 1)))) / bessel_i0(p);
    case GF_WINDOW_UNSET:
    case GF_WINDOW_NONE:
        break;
    }
    return 1;
}

void gf_window_means(const struct gf_window_grid *g, double *mean, double *square) {
    *mean = *square = 1;
    for (int axis = 0; axis < g->ndim; axis++) {
        const int64_t n = g->shape[axis];
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < n && g->axes >> axis & 1; i++) {
            const double v = gf_window_at(&g->window, i, n);
            sum += v;
            squares += v * v;
        }
        *mean *= g->axes >> axis & 1 ? sum / (double)n : 1;
        *square *= g->axes >> axis & 1 ? squares / (double)n : 1;
    }
}

/* The weight of row `row`, counted over all axes but the last. */
static double row_weight(const struct gf_window_grid *g, int64_t row) {
    double weight = 1;
    for (int axis = g->ndim - 2; axis >= 0; row /= g->shape[axis--])
        if (g->axes >> axis & 1)
            weight *= gf_window_at(&g->window, row % g->shape[axis], g->shape[axis]);
    return weight;
}

int gf_window_apply(const struct gf_window_grid *g, int64_t first, int threads,
                    struct gf_array *a) {
    const int64_t n = g->shape[g->ndim - 1], channels = a->shape[a->rank - 1];
    const int64_t end = first + gf_array_count(a) / channels, count = gf_min(n, end - first);
    const int64_t reals = channels * (gf_dtype_is_complex(a->dtype) ? 2 : 1);
    const bool is_double = gf_dtype_real(a->dtype) == GF_F64, along = g->axes >> (g->ndim - 1) & 1;
    double *weight = malloc((size_t)count * sizeof *weight); /* of the first samples in `a` */
    if (!weight)
        return gf_no_memory();
    for (int64_t i = 0; i < count; i++)
        weight[i] = along ? gf_window_at(&g->window, (first + i) % n, n) : 1;
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t row = first / n; row < gf_divide_up(end, n); row++) {
        const double whole = row_weight(g, row);
        for (int64_t i = gf_max(row * n, first); i < gf_min((row + 1) * n, end); i++) {
            const double w = whole * weight[(i - first) % count];
            for (int64_t k = (i - first) * reals; k < (i - first + 1) * reals; k++)
                if (is_double)
                    ((double *)a->data)[k] *= w;
                else
                    ((float *)a->data)[k] = (float)(((float *)a->data)[k] * w);
        }
    }
    free(weight);
    return 0;
}
