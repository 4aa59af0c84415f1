/* The slope of a power spectrum, and its energy by direction. */
#include "core/spectrum/density.h"

#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/spectrum/bins.h"

static bool is_inside(double f, const double band[2]) {
    return f >= band[0] * (1 - 1e-9) && f <= band[1] * (1 + 1e-9);
}

struct gf_slope gf_rings_slope(const struct gf_ring *ring, int64_t n, const double band[2]) {
    double w = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0; /* weighted means, and sums about them */
    int64_t rings = 0;
    for (int64_t i = 1; i < n; i++) {
        const double add = (double)ring[i].bins;
        if (!is_inside(ring[i].frequency, band) || !(ring[i].mean > 0) || !isfinite(ring[i].mean))
            continue;
        const double dx = log(ring[i].frequency) - x, dy = log(ring[i].mean) - y;
        const double share = add / (w += add), part = add * (1 - share);
        x += dx * share;
        y += dy * share;
        xx += dx * dx * part;
        xy += dx * dy * part;
        yy += dy * dy * part;
        rings++;
    }
    if (rings < 3)
        return (struct gf_slope){0};
    const double slope = xy / xx, rest = fmax(0, yy - slope * xy);
    return (struct gf_slope){
        .value = slope, .error = sqrt(rest / ((double)(rings - 2) * xx)), .rings = rings};
}

int gf_spectrum_angles(const struct gf_spectrum *s, const double band[2],
                       double energy[GF_ANGLES]) {
    struct gf_bins b;
    gf_bins_view(s, &b);
    gf_bins_fit(&b);
    double *along = gf_bins_squares(&b);
    if (!along)
        return gf_no_memory();
    for (int64_t y = 0; y < b.n[1]; y++)
        for (int64_t x = 0; x < b.stored; x++) {
            const double f = sqrt(gf_bins_square(&b, 1, y) + along[x]) / (double)b.longest;
            if (!(f > 0) || !is_inside(f, band))
                continue;
            const double at[] = {(double)gf_bins_signed(y, b.n[1]),
                                 (double)gf_bins_signed(x, b.n[2])};
            const int i = (int)lround(gf_wave_at(2, b.n + 1, at).angle) + GF_ANGLES / 2 - 1;
            energy[i < 0 ? GF_ANGLES - 1 : i] +=
                gf_bins_weight(&b, x) * gf_bins_power(&b, 0, y, x) / b.points / b.scale / b.scale;
        }
    free(along);
    return 0;
}
