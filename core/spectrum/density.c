/* The slope of a power spectrum, and its energy by direction. */
#include "core/spectrum/density.h"

#include <stdlib.h>

#include "core/base/status.h"
#include "core/spectrum/bins.h"

static bool is_inside(double f, const double band[2]) {
    return f >= band[0] * (1 - 1e-9) && f <= band[1] * (1 + 1e-9);
}

/* Sums over the rings in the fit. */
struct sums {
    double w, x, y, xx, xy, yy;
    int64_t n;
};

/* Adds deviations of log frequency and log power from x and y. */
static struct sums add_rings(const struct gf_ring *ring, int64_t n, const double band[2], double x,
                             double y) {
    struct sums s = {0};
    for (int64_t i = 1; i < n; i++) {
        if (!is_inside(ring[i].frequency, band) || !(ring[i].mean > 0) || !isfinite(ring[i].mean))
            continue;
        const double w = (double)ring[i].bins;
        const double dx = log(ring[i].frequency) - x, dy = log(ring[i].mean) - y;
        s.w += w;
        s.x += w * dx;
        s.y += w * dy;
        s.xx += w * dx * dx;
        s.xy += w * dx * dy;
        s.yy += w * dy * dy;
        s.n++;
    }
    return s;
}

struct gf_slope gf_rings_slope(const struct gf_ring *ring, int64_t n, const double band[2]) {
    const struct sums all = add_rings(ring, n, band, 0, 0);
    if (all.n < 3)
        return (struct gf_slope){0};
    const double x = all.x / all.w, y = all.y / all.w;
    const struct sums s = add_rings(ring, n, band, x, y);
    const double slope = s.xy / s.xx, rest = fmax(0, s.yy - slope * s.xy);
    return (struct gf_slope){.value = slope,
                             .error = sqrt(rest / ((double)(s.n - 2) * s.xx)),
                             .level = exp(y - slope * x),
                             .rings = s.n};
}

int gf_spectrum_angles(const struct gf_spectrum *s, const double band[2], struct gf_angles *a) {
    struct gf_bins b;
    gf_bins_view(s, &b);
    gf_bins_fit(&b);
    double *along = gf_bins_squares(&b);
    if (!along)
        return gf_no_memory();
    const double unit = 1 / (b.points * b.scale * b.scale);
    for (int64_t y = 0; y < b.n[1]; y++)
        for (int64_t x = 0; x < b.stored; x++) {
            const double square = gf_bins_square(&b, 1, y) + along[x];
            if (!is_inside(sqrt(square) / (double)b.longest, band) || !(x || y))
                continue;
            const double at[] = {(double)gf_bins_signed(y, b.n[1]),
                                 (double)gf_bins_signed(x, b.n[2])};
            const int degrees = (int)lround(gf_wave_at(2, b.n + 1, at).angle);
            const int i = degrees > -90 ? degrees + GF_ANGLES / 2 - 1 : GF_ANGLES - 1;
            a->bins[i] += gf_bins_weight(&b, x);
            a->energy[i] += gf_bins_weight(&b, x) * gf_bins_power(&b, 0, y, x) * unit;
        }
    free(along);
    return 0;
}
