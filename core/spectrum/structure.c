/* Measures a wave in the places of a picture and judges it. */
#include "core/spectrum/structure.h"

#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/spectrum/places.h"

enum {
    PLACES = GF_PLACES_SIDE * GF_PLACES_SIDE,
    TURNS = 4, /* directions that show the picture without the wave */
    MOST_HARMONIC = 8,
    LAG = 2, /* distance of two places that hardly overlap */
};

typedef double value[2];

struct places {
    struct gf_bins b;
    struct gf_places grid;
    int inner; /* places along an axis, without those at the picture's edges */
    int n;     /* places: inner * inner */
    value wave[PLACES], other[PLACES];
    double mean[PLACES], noise[PLACES], weight[PLACES];
};

static void look_at(const struct places *p, const double at[2], value *z) {
    const double unit = 2 / (p->b.points * p->b.scale);
    gf_places_look(&p->b, &p->grid, (double[]){0, at[0], at[1]}, z);
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < 2; k++)
            z[i][k] *= unit;
}

/* Estimates each place's noise: the median power at the wave's frequency in other directions. */
static void look_aside(struct places *p, const double at[2]) {
    static const double degrees[TURNS] = {35, 55, 125, 145};
    float power[TURNS][PLACES];
    for (int k = 0; k < TURNS; k++) {
        double c = cos(degrees[k] * M_PI / 180), s = sin(degrees[k] * M_PI / 180);
        double h = (double)p->b.n[1], w = (double)p->b.n[2], fy = at[0] / h, fx = at[1] / w;
        look_at(p, (double[]){(fy * c - fx * s) * h, (fy * s + fx * c) * w}, p->other);
        for (int i = 0; i < p->n; i++)
            power[k][i] =
                (float)(p->other[i][0] * p->other[i][0] + p->other[i][1] * p->other[i][1]);
    }
    for (int i = 0; i < p->n; i++) {
        float v[TURNS];
        for (int k = 0; k < TURNS; k++)
            v[k] = power[k][i];
        p->noise[i] = (double)gf_select_float(v, TURNS, 1) / 2;
        p->noise[i] += (double)gf_select_float(v, TURNS, 2) / 2;
    }
}

/* The weighted mean of z. */
static void find_mean(const struct places *p, const value *z, value mean) {
    double sum = 0;
    mean[0] = mean[1] = 0;
    for (int i = 0; i < p->n; i++) {
        sum += p->weight[i];
        mean[0] += p->weight[i] * z[i][0];
        mean[1] += p->weight[i] * z[i][1];
    }
    mean[0] /= sum;
    mean[1] /= sum;
}

/* Weighs quiet places more, and clipped ones 0 if a fifth of the places is not clipped. */
static void weigh(struct places *p, const double levels[2], double total, value mean) {
    int open = 0;
    for (int i = 0; i < p->n; i++) {
        p->weight[i] = 1;
        open += p->mean[i] > levels[0] + total && p->mean[i] < levels[1] - total;
    }
    find_mean(p, p->wave, mean);
    for (int round = 0; round < 4; round++) {
        double floor = fmax(0.1 * (mean[0] * mean[0] + mean[1] * mean[1]), 1e-30);
        for (int i = 0; i < p->n; i++) {
            bool clear = p->mean[i] > levels[0] + total && p->mean[i] < levels[1] - total;
            p->weight[i] = open > p->n / 5 && !clear ? 0 : 1 / (p->noise[i] + floor);
        }
        find_mean(p, p->wave, mean);
    }
}

/* Divides z by its mean. */
static void normalise(value *z, int n, const value mean) {
    const double square = fmax(mean[0] * mean[0] + mean[1] * mean[1], 1e-30);
    for (int i = 0; i < n; i++) {
        double re = z[i][0];
        z[i][0] = (re * mean[0] + z[i][1] * mean[1]) / square;
        z[i][1] = (z[i][1] * mean[0] - re * mean[1]) / square;
    }
}

static void look_at_places(const struct places *p, struct gf_structure *look) {
    double sum = 0, grey = 0, mm = 0, mr = 0, rr = 0, ii = 0, pairs = 0;
    for (int i = 0; i < p->n; i++) {
        sum += p->weight[i];
        grey += p->weight[i] * p->mean[i];
    }
    grey /= sum;
    look->level = grey;
    for (int i = 0; i < p->n; i++) {
        double w = p->weight[i] / sum, r = p->wave[i][0] - 1, m = p->mean[i] - grey;
        mm += w * m * m;
        mr += w * m * r;
        rr += w * r * r;
        ii += w * p->wave[i][1] * p->wave[i][1];
        if (i % p->inner < LAG || i < LAG * p->inner)
            continue;
        for (int k = 0; k < 2; k++) {
            int other = i - (k ? LAG : LAG * p->inner);
            double both = w * p->weight[other];
            pairs += both;
            for (int c = 0; c < 2; c++)
                look->swing[c] += both * pow(p->wave[i][c] - p->wave[other][c], 2) / 2;
        }
    }
    look->chance = 3.1 * LAG / p->inner;
    look->correlation = mm * rr > 0 ? mr / sqrt(mm * rr) : 0;
    look->follows = look->correlation * sqrt(rr);
    look->gain = mm > 0 ? mr * grey / mm : 0;
    look->noise = rr + ii;
    for (int c = 0; c < 2 && pairs > 0; c++)
        look->swing[c] /= pairs;
}

/* Compares the wave with a print's, the first harmonic of ink that covers part of a period:
 * sin(pi s) for a grey of s. */
static void look_for_ink(const struct places *p, const double levels[2], double amplitude,
                         struct gf_structure *look) {
    const int n = p->n;
    const double range = fmax(levels[1] - levels[0], 1e-30);
    double mean[3] = {0, 0, 0}, ss = 0, as = 0, aa = 0, all = 0, greys = 0;
    for (int i = 0; i < n; i++) {
        double a = p->wave[i][0], s = (p->mean[i] - levels[0]) / range;
        mean[2] += s / n;
        greys += s * s / n;
        s = sin(M_PI * fmin(fmax(s, 0), 1));
        ss += s * s / n;
        as += a * s / n;
        aa += a * a / n;
        all += (a * a + p->wave[i][1] * p->wave[i][1]) / n;
        mean[0] += a / n;
        mean[1] += p->wave[i][1] / n;
    }
    look->print_swing[0] = aa - mean[0] * mean[0];
    look->print_swing[1] = all - aa - mean[1] * mean[1];
    look->ink = ss > 0 ? (aa - as * as / ss) / fmax(look->print_swing[0], 1e-30) : 1e30;
    look->contrast = amplitude * sqrt(all) / range;
    look->range = range;
    look->greys = sqrt(fmax(greys - mean[2] * mean[2], 0));
}

/* The correlation of z's deviations from its mean, 1, with the wave's. */
static double correlate(const struct places *p, const value *z) {
    double both = 0, squares[2] = {0, 0};
    for (int i = 0; i < p->n; i++)
        for (int c = 0; c < 2; c++) {
            const double a = p->wave[i][c] - !c, b = z[i][c] - !c;
            both += p->weight[i] * a * b;
            squares[0] += p->weight[i] * a * a;
            squares[1] += p->weight[i] * b * b;
        }
    return both / sqrt(fmax(squares[0] * squares[1], 1e-60));
}

/* Counts harmonics of at least a twentieth of the amplitude with the same phase in all places. */
static void look_for_harmonics(struct places *p, const double at[2], struct gf_structure *look) {
    for (int k = 2; k <= MOST_HARMONIC; k++) {
        double sum = 0, power = 0;
        value mean;
        if (fabs(k * at[0]) > (double)p->b.n[1] / 2 || fabs(k * at[1]) > (double)p->b.n[2] / 2)
            break;
        look_at(p, (double[]){k * at[0], k * at[1]}, p->other);
        find_mean(p, p->other, mean);
        for (int i = 0; i < p->n; i++) {
            sum += p->weight[i];
            power +=
                p->weight[i] * (p->other[i][0] * p->other[i][0] + p->other[i][1] * p->other[i][1]);
        }
        double square = mean[0] * mean[0] + mean[1] * mean[1];
        if (sqrt(square) <= 0.05 * look->amplitude || square * sum <= 0.4 * power)
            continue;
        normalise(p->other, p->n, mean);
        look->shared = fmax(look->shared, correlate(p, p->other));
        look->harmonics++;
    }
}

int gf_structure_look(const struct gf_spectrum *s, const double levels[2], const double *at,
                      double total, struct gf_structure *look) {
    *look = (struct gf_structure){.looked = s->ndim == 2 && s->shape[0] >= GF_WINDOW_LEAST &&
                                            s->shape[1] >= GF_WINDOW_LEAST};
    if (!look->looked)
        return 0;
    struct places *p = calloc(1, sizeof *p);
    value mean;
    if (!p)
        return gf_no_memory();
    gf_bins_view(s, &p->b);
    gf_bins_fit(&p->b);
    const int reach =
        (int)fmin(fmax(0.4 * hypot(at[0], at[1]), 2),
                  fmin(GF_PLACES_REACH, fmin((double)p->b.n[1], (double)p->b.n[2]) / 4));
    p->inner = 2 * reach - 1;
    p->n = p->inner * p->inner;
    p->grid = (struct gf_places){.reach = {0, reach, reach},
                                 .count = {1, p->inner, p->inner},
                                 .first = 1,
                                 .span = p->inner + 2};
    look_at(p, (double[]){0, 0}, p->wave);
    for (int i = 0; i < p->n; i++)
        p->mean[i] = p->wave[i][0] / 2;
    look_aside(p, at);
    look_at(p, at, p->wave);
    weigh(p, levels, total, mean);
    normalise(p->wave, p->n, mean);
    look->amplitude = hypot(mean[0], mean[1]);
    look_at_places(p, look);
    look_for_ink(p, levels, look->amplitude, look);
    look_for_harmonics(p, at, look);
    free(p);
    return 0;
}

int64_t gf_structure_bytes(void) {
    return sizeof(struct places);
}

/* The limits were measured on generated pictures (tests/core/regular_structures.h): 1,440 of structures, of
 * which none is changed, and 300 with interference, of which 213 gain 6 dB. */
bool gf_structure_is_likely(const struct gf_structure *t) {
    const double follows = fabs(t->follows), sure = fabs(t->correlation);
    if (!t->looked || gf_structure_is_added(t))
        return false;
    bool edges = t->harmonics >= 4 || (t->harmonics >= 2 && ((follows >= 0.03 && sure >= 0.5) ||
                                                             (follows >= 0.02 && sure >= 0.7)));
    /* Interference deviates by the picture below it, which differs at each of its harmonics. */
    const bool bare = gf_structure_is_bare(t);
    bool framed = t->shared >= 0.55 && (bare || t->noise >= 0.02);
    /* Without a picture below it the wave is the picture, unless it is as even as interference. */
    bool alone = bare && t->noise >= 0.0075 && (t->harmonics > 0 || t->contrast >= 0.1);
    bool lit = t->painted || (follows >= 0.1 && sure >= fmax(0.3, t->chance)) ||
               (follows >= 0.06 && sure >= 0.55) || (follows >= 0.035 && sure >= 0.7);
    bool hidden = t->swing[0] >= 0.06 && t->swing[0] > 2.5 * t->swing[1];
    bool wanders = (t->swing[1] >= 0.015 && t->swing[1] > 4.5 * t->swing[0]) ||
                   (t->swing[1] >= 0.045 && t->swing[1] > 3.2 * t->swing[0]);
    bool strong =
        (t->contrast >= 0.12 && t->harmonics > 0 && (t->noise >= 0.04 || t->contrast > 0.25)) ||
        (t->contrast >= 0.15 && t->noise >= 0.1);
    return edges || framed || alone || strong || lit || hidden || wanders;
}

/* 832 generated structures and 1,021 photographs reach 0.0102 and more with up to two harmonics.
 * Without a picture below it a wave with harmonics is the picture: tiles of a roof, stripes. */
bool gf_structure_is_added(const struct gf_structure *t) {
    return t->looked && t->harmonics <= (t->painted || gf_structure_is_bare(t) ? 0 : 2) &&
           t->noise + 20 * t->follows * t->follows < 0.0075;
}

bool gf_structure_is_pure(const struct gf_structure *t) {
    return !t->looked || (t->harmonics == 0 && t->noise < 0.05 && fabs(t->follows) < 0.04);
}

/* The noise is mostly the variance of the light, which is small in a picture of little contrast. 417
 * generated structures with that noise and correlation have gains of 1.11 and more; 60 photographs with
 * lines are within the limits. */
bool gf_structure_is_factor(const struct gf_structure *t) {
    return t->noise >= 0.0035 && t->correlation >= 0.95 && fabs(t->gain - 1) <= 0.06;
}

bool gf_structure_is_print(const struct gf_structure *t, const struct gf_screen *screen) {
    const double period = 1 / hypot(screen->basis[0][0], screen->basis[0][1]);
    const bool fine = period < 5;
    if (period < 2 || period > 10 || t->print_swing[1] > 0.5 * t->print_swing[0] + 0.01)
        return false;
    if (screen->n < 2)
        return t->ink < 0.45 && t->contrast >= 0.3;
    return t->shared < 0.55 &&
           (t->contrast >= 0.255 || (t->ink < 0.5 && t->contrast >= 0.22) ||
            (t->ink < 0.1 && t->contrast >= 0.15) || (fine && t->ink < 0.7 && t->contrast >= 0.1));
}
