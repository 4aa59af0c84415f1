/* Moves pictures, and finds turn and scale in their spectra. */
#include "core/compare/motion.h"

#include "core/spectrum/bins.h"

/* ---- turn and scale in a spectrum ---- */

static const double slowest = 0.02; /* cycles a sample, of the first radius; the last is 1/2 */

static double log_power(const struct gf_bins *b, int64_t y, int64_t x) {
    double f[2];
    gf_bins_value(b, (int64_t[]){0, (y + b->n[1]) % b->n[1], (x + b->n[2]) % b->n[2]}, f);
    return log(f[0] * f[0] + f[1] * f[1] + 1e-12);
}

void gf_motion_polar(const struct gf_spectrum *s, struct gf_array *to) {
    struct gf_bins b;
    float *out = to->data;
    gf_bins_view(s, &b);
#pragma omp parallel for num_threads(b.threads)
    for (int r = 0; r < GF_POLAR; r++) {
        const double radius = slowest * pow(0.5 / slowest, (double)r / (GF_POLAR - 1));
        double mean = 0;
        for (int a = 0; a < GF_POLAR; a++) {
            const double angle = M_PI * a / GF_POLAR, fy = -radius * sin(angle),
                         fx = radius * cos(angle);
            const double y = fy * (double)b.n[1], x = fx * (double)b.n[2];
            const int64_t iy = (int64_t)floor(y), ix = (int64_t)floor(x);
            const double v = y - (double)iy, u = x - (double)ix;
            const double pass = cos(M_PI * fy) * cos(M_PI * fx);
            const double value =
                (1 - v) * ((1 - u) * log_power(&b, iy, ix) + u * log_power(&b, iy, ix + 1)) +
                v * ((1 - u) * log_power(&b, iy + 1, ix) + u * log_power(&b, iy + 1, ix + 1));
            out[a * GF_POLAR + r] = (float)((1 - pass) * (2 - pass) * value);
            mean += (double)out[a * GF_POLAR + r] / GF_POLAR;
        }
        for (int a = 0; a < GF_POLAR; a++)
            out[a * GF_POLAR + r] -= (float)mean;
    }
}

struct gf_motion gf_motion_of_polar(const double shift[2]) {
    return (struct gf_motion){.turn = 180 * shift[0] / GF_POLAR,
                              .scale = pow(0.5 / slowest, -shift[1] / (GF_POLAR - 1))};
}

/* ---- pictures ---- */

/* Keys's weights of the samples around a place at t between the second and the third. */
static void cubic(double t, double w[4]) {
    w[0] = ((2 - t) * t - 1) * t / 2;
    w[1] = ((3 * t - 5) * t * t + 2) / 2;
    w[2] = ((4 - 3 * t) * t + 1) * t / 2;
    w[3] = (t - 1) * t * t / 2;
}

static int64_t clamp(int64_t i, int64_t n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* The value at y, x of a channel. */
static double value_at(const struct gf_array *px, int64_t channels, int64_t channel, double y,
                       double x) {
    const int64_t iy = (int64_t)floor(y), ix = (int64_t)floor(x), n = px->shape[1];
    double wy[4], wx[4], sum = 0;
    cubic(y - (double)iy, wy);
    cubic(x - (double)ix, wx);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            const int64_t at = clamp(iy + j - 1, px->shape[0]) * n + clamp(ix + i - 1, n);
            sum +=
                wy[j] * wx[i] * gf_real_get(px->data, at * channels + channel, px->dtype == GF_F64);
        }
    return sum;
}

void gf_motion_apply(const struct gf_array *px, const struct gf_motion *m, bool edge, int threads,
                     struct gf_array *to) {
    const int64_t h = px->shape[0], w = px->shape[1], n = px->rank > 2 ? px->shape[2] : 1;
    const double c = cos(m->turn * M_PI / 180) / m->scale, s = sin(m->turn * M_PI / 180) / m->scale;
    const double cy = (double)(h - 1) / 2, cx = (double)(w - 1) / 2;
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < h; i++)
        for (int64_t k = 0; k < w; k++) {
            const double dy = (double)i - cy - m->shift[0], dx = (double)k - cx - m->shift[1];
            double y = cy + c * dy + s * dx, x = cx - s * dy + c * dx;
            const bool in = y >= -0.5 && y <= (double)h - 0.5 && x >= -0.5 && x <= (double)w - 0.5;
            y = fmax(0, fmin((double)h - 1, y));
            x = fmax(0, fmin((double)w - 1, x));
            for (int64_t channel = 0; channel < n; channel++)
                gf_real_put(to->data, (i * w + k) * n + channel, to->dtype == GF_F64,
                            in || edge ? value_at(px, n, channel, y, x) : 0);
        }
}

/* An axis's factor at bin k. */
static struct gf_number ramp_at(int64_t k, int64_t n, double shift) {
    const double angle = 2 * M_PI * (double)gf_bins_signed(k, n) * shift / (double)n;
    return (struct gf_number){cos(angle), 2 * k == n ? 0 : -sin(angle)}; /* both signs' mean */
}

/* The first row has the last axis's factors, and the others multiply them by their own. */
void gf_motion_ramp(const int64_t *shape, const double *shift, struct gf_array *table) {
    const bool is_double = table->dtype == GF_C128;
    const int last = table->rank - 1;
    const int64_t n = table->shape[last], count = gf_array_count(table);
    for (int64_t x = 0; x < n; x++)
        gf_number_put(table->data, x, is_double, ramp_at(x, shape[last], shift[last]));
    for (int64_t row = 1; row < count / n; row++) {
        struct gf_number e = {1, 0};
        for (int64_t axis = last - 1, rest = row; axis >= 0; rest /= shape[axis--])
            e = gf_number_times(e, ramp_at(rest % shape[axis], shape[axis], shift[axis]));
        for (int64_t x = 0; x < n; x++)
            gf_number_put(table->data, row * n + x, is_double,
                          gf_number_times(e, gf_number_get(table->data, x, is_double)));
    }
}

void gf_motion_fill(struct gf_array *a, const double *shift, bool edge) {
    for (int axis = 0; axis + 1 < a->rank; axis++) {
        const int64_t n = a->shape[axis];
        const int64_t first = clamp((int64_t)ceil(shift[axis] - 0.5), n);
        const int64_t last = clamp((int64_t)floor((double)n - 0.5 + shift[axis]), n);
        const struct gf_array from[2] = {gf_array_slice(a, axis, first, 1),
                                         gf_array_slice(a, axis, last, 1)};
        for (int64_t i = 0; i < n; i++) {
            struct gf_array to = gf_array_slice(a, axis, i, 1);
            if (i >= first && i <= last)
                continue;
            if (edge)
                gf_array_copy(&to, &from[i > last]);
            for (int64_t k = 0; k < gf_array_count(&to) && !edge; k++)
                memset(gf_array_at(&to, k), 0, gf_dtype_size(to.dtype));
        }
    }
}
