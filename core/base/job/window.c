/* Values of windows, and their product with samples. */
#include "core/base/job/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/job/job.h"
#include "core/base/value/halves.h"
#include "core/base/value/status.h"

/* By enum gf_window_shape, of which the first is unset. Those without a parameter, whose `most` is 0,
 * are a[0] - a[1] cos t + a[2] cos 2t. */
static const struct {
    const char *name;
    double most, a[3];
} windows[] = {{"none", 0, {1}},
               {"none", 0, {1}},
               {"hann", 0, {0.5, 0.5}},
               {"hamming", 0, {0.54, 0.46}},
               {"blackman", 0, {0.42, 0.5, 0.08}},
               {"tukey", 1, {0}},
               {"kaiser", 500, {0}}};
enum { N_WINDOWS = sizeof windows / sizeof *windows };

bool gf_window_parse(const char *text, struct gf_window *w) {
    const size_t n = strcspn(text, ":");
    for (int i = GF_WINDOW_NONE; i < N_WINDOWS; i++) {
        const bool takes = windows[i].most > 0;
        if (strlen(windows[i].name) != n || strncmp(text, windows[i].name, n))
            continue;
        char *end = (char *)text + n + takes;
        *w = (struct gf_window){.shape = (enum gf_window_shape)i};
        w->parameter = takes && text[n] ? strtod(end, &end) : 0;
        return !*end && end[-1] != ':' && (text[n] == ':') == takes && w->parameter >= 0 &&
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

/* The weight of sample i of n. */
static double weight_at(const struct gf_window *w, int64_t i, int64_t n) {
    const double at = (double)i / (double)n, t = 2 * M_PI * at, p = w->parameter;
    const double from_end = fmin(at, 1 - at), *a = windows[w->shape].a;
    if (n < 2)
        return 1;
    if (w->shape == GF_WINDOW_TUKEY)
        return from_end < p / 2 ? 0.5 - 0.5 * cos(2 * M_PI * from_end / p) : 1;
    if (w->shape == GF_WINDOW_KAISER)
        return bessel_i0(p * sqrt(fmax(0, 1 - (2 * at - 1) * (2 * at - 1)))) / bessel_i0(p);
    return a[0] - a[1] * cos(t) + a[2] * cos(2 * t);
}

double gf_window_mean(const struct gf_window *w, const struct gf_job *job, int power) {
    double mean = 1;
    for (int axis = 0; axis < job->ndim; axis++) {
        const int64_t n = job->axes >> axis & 1 ? job->shape[axis] : 0;
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += pow(weight_at(w, i, n), power);
        mean *= n ? sum / (double)n : 1;
    }
    return mean;
}

int gf_window_apply(const struct gf_window *w, const struct gf_job *job, int64_t first, int threads,
                    struct gf_array *a) {
    const int64_t n = job->shape[job->ndim - 1], channels = a->shape[a->rank - 1];
    const int64_t end = first + gf_array_count(a) / channels, count = gf_min(n, end - first);
    const int64_t reals = channels * (gf_dtype_is_complex(a->dtype) ? 2 : 1);
    const bool is_double = gf_dtype_real(a->dtype) == GF_F64,
               along = job->axes >> (job->ndim - 1) & 1;
    double *weight = malloc((size_t)count * sizeof *weight); /* of the first samples in `a` */
    if (!weight)
        return gf_no_memory();
    for (int64_t i = 0; i < count; i++)
        weight[i] = along ? weight_at(w, (first + i) % n, n) : 1;
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t row = first / n; row < gf_divide_up(end, n); row++) {
        double whole = 1;
        int64_t at = row;
        for (int axis = job->ndim - 2; axis >= 0; at /= job->shape[axis--])
            if (job->axes >> axis & 1)
                whole *= weight_at(w, at % job->shape[axis], job->shape[axis]);
        for (int64_t i = gf_max(row * n, first); i < gf_min((row + 1) * n, end); i++) {
            const double product = whole * weight[(i - first) % count];
            for (int64_t k = (i - first) * reals; k < (i - first + 1) * reals; k++)
                gf_real_put(a->data, k, is_double, gf_real_get(a->data, k, is_double) * product);
        }
    }
    free(weight);
    return 0;
}
