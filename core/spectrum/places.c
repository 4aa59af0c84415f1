/* Bins around a frequency, transformed back to a coarse grid of places, axis by axis. */
#include "core/spectrum/places.h"

/* Turns one axis of z from bins into places; `part` is the wave's offset from the middle bin. */
static void gather(const struct gf_places *g, int axis, double part, int n[3], double (*z)[2]) {
    double turn[GF_PLACES_SIDE][GF_PLACES_SIDE][2], line[GF_PLACES_SIDE][2];
    const int bins = n[axis], places = g->count[axis], reach = g->reach[axis];
    int outer = 1, inner = 1;
    if (bins == 1)
        return;
    for (int i = 0; i < 3; i++) {
        outer *= i < axis ? n[i] : 1;
        inner *= i > axis ? n[i] : 1;
    }
    for (int t = 0; t < places; t++)
        for (int k = 0; k < bins; k++) {
            double angle = 2 * M_PI * (k - reach - part) * (g->first + t) / g->span;
            double taper = pow(cos(M_PI * (k - reach) / (2 * (reach + 1))), 2);
            turn[t][k][0] = taper * cos(angle);
            turn[t][k][1] = taper * sin(angle);
        }
    for (int o = 0; o < outer; o++)
        for (int i = 0; i < inner; i++) {
            for (int k = 0; k < bins; k++)
                memcpy(line[k], z[(o * bins + k) * inner + i], sizeof line[k]);
            for (int t = 0; t < places; t++) {
                double re = 0, im = 0;
                for (int k = 0; k < bins; k++) {
                    re += line[k][0] * turn[t][k][0] - line[k][1] * turn[t][k][1];
                    im += line[k][0] * turn[t][k][1] + line[k][1] * turn[t][k][0];
                }
                z[(o * places + t) * inner + i][0] = re;
                z[(o * places + t) * inner + i][1] = im;
            }
        }
    n[axis] = places;
}

void gf_places_look(const struct gf_bins *b, const struct gf_places *g, const double at[3],
                    double (*z)[2]) {
    int64_t middle[3], d[3];
    int n[3], count = 0;
    for (int i = 0; i < 3; i++) {
        middle[i] = (int64_t)nearbyint(at[i]);
        n[i] = 2 * g->reach[i] + 1;
    }
    GF_EACH_STEP(d, g->reach) {
        const int64_t bin[] = {middle[0] + d[0], middle[1] + d[1], middle[2] + d[2]};
        gf_bins_value(b, bin, z[count++]);
    }
    for (int axis = 2; axis >= 0; axis--)
        gather(g, axis, at[axis] - (double)middle[axis], n, z);
}
