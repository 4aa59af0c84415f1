/* Candidates for periodic noise: peaks behind a window, and their evidence in tiles. */
#include "core/spectrum/periodic.h"

#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/spectrum/places.h"
#include "core/spectrum/windowed.h"

enum {
    RING_MOST = 2200, /* bins at RING_NEAR to RING_FAR in a volume */
    SECTORS = 27,     /* directions: -1, 0 or 1 along each axis */
    RING_ORDERS = 8,
    MOST_HARMONIC = 32,
    LATTICE_ORDER = 2, /* multiples of each basis vector; a chessboard's waves have odd sums */
    TILE_BINS = 343,   /* most bins that are transformed back to tiles */
};

/* Bins between a wave and a lattice point. With 1, one wave in twenty over a floor of tiles is
 * mistaken for a tile's. */
static const double LATTICE_ERROR = 0.5;
static const double RING_NEAR = 2.9, RING_FAR = 6.5;
static const double LEAST_PERIODS = 4.5; /* a slope or a large shape has fewer */
static const double LEAST_LEVEL = 8, LEAST_CLEAR = 2.5;
/* Stricter limits for an uneven wave, whose other evidence may be weaker. */
static const double UNEVEN_LEVEL = 20, UNEVEN_CLEAR = 6;
/* The least level at which a wave's side lobes rise above its surroundings. */
static const double LEAST_SWELL = 400;
static const double LEAST_SHARE = 0.01; /* of the standard deviation */

struct ring_bin {
    int64_t step[3];
    int sector;
};

struct search {
    struct gf_windowed w;
    int axes;  /* with a window */
    int tiles; /* along each of them */
    bool uneven;
    double level, clear;
    double least; /* power */
    int n_ring;
    struct ring_bin ring[RING_MOST];
    struct gf_periodic_list *list;
};

/* ---- preparation ---- */

/* The number of the direction; each covers 45 degrees in a plane. */
static int sector_of(const int64_t step[3], double distance) {
    const double middle = 0.3826834323650898; /* sin 22.5 degrees */
    int sector = 0;
    for (int i = 0; i < 3; i++) {
        double c = (double)step[i] / distance;
        sector = 3 * sector + (c > middle ? 2 : c < -middle ? 0 : 1);
    }
    return sector;
}

static void prepare_ring(struct search *s) {
    int64_t most[3], d[3];
    for (int i = 0; i < 3; i++)
        most[i] = s->w.on[i] ? (int64_t)RING_FAR : 0;
    GF_EACH_STEP(d, most) {
        double far = gf_bins_length(d);
        if (far < RING_NEAR || far > RING_FAR)
            continue;
        struct ring_bin *r = &s->ring[s->n_ring++];
        memcpy(r->step, d, sizeof d);
        r->sector = sector_of(d, far);
    }
}

/* ---- one candidate ---- */

static float power_at(const struct search *s, const int64_t at[3], const int64_t step[3]) {
    const struct gf_bins *b = &s->w.b;
    int64_t to[3];
    gf_bins_neighbour(b, at, step, to);
    return s->w.power[(to[0] * b->n[1] + to[1]) * b->stored + to[2]];
}

/* If bins are equal, the first stored one is the summit. */
static bool is_summit(const struct search *s, const int64_t at[3], float power) {
    int64_t d[3], to[3];
    GF_EACH_STEP(d, s->w.on) {
        float p = power_at(s, at, d);
        if (p > power)
            return false;
        gf_bins_neighbour(&s->w.b, at, d, to);
        if (p == power && gf_bins_compare(to, at) < 0)
            return false;
    }
    return true;
}

/* Quickly samples every fifth bin: true if most of the surroundings are much weaker. */
static bool may_be_clear(const struct search *s, const int64_t at[3], float power) {
    int looked = 0, strong = 0, most = s->n_ring / 10;
    for (int i = 0; i < s->n_ring && strong <= most; i += 5, looked++)
        strong += power_at(s, at, s->ring[i].step) > power / (float)s->level;
    return strong <= most;
}

static void look_around(const struct search *s, const int64_t at[3], double power,
                        struct gf_periodic *p) {
    float all[RING_MOST], side[SECTORS][RING_MOST / 8];
    int count[SECTORS] = {0};
    double highest = 0;
    for (int i = 0; i < s->n_ring; i++) {
        const struct ring_bin *r = &s->ring[i];
        all[i] = power_at(s, at, r->step);
        if (count[r->sector] < RING_MOST / 8)
            side[r->sector][count[r->sector]++] = all[i];
    }
    for (int k = 0; k < SECTORS; k++)
        if (count[k])
            highest = fmax(highest, (double)gf_select_float(side[k], count[k], count[k] / 2));
    double middle = (double)gf_select_float(all, s->n_ring, s->n_ring / 2);
    p->level = power / fmax(middle, 1e-30);
    p->clear = power / fmax(highest, 1e-30);
}

/* The wave's distance from the bin along an axis, -1/2 .. 1/2, from the ratio of the two highest
 * bins of a Hann window's main lobe. (Grandke 1983, Interpolation algorithms for discrete Fourier
 * transforms of weighted signals.) */
static double fraction(const struct search *s, const int64_t at[3], int axis, double power) {
    int64_t step[3] = {0, 0, 0};
    if (!s->w.on[axis])
        return 0;
    step[axis] = -1;
    double below = (double)power_at(s, at, step);
    step[axis] = 1;
    double above = (double)power_at(s, at, step);
    double r = sqrt(fmax(below, above) / power), d = (2 * r - 1) / (r + 1);
    d = fmin(fmax(d, -0.5), 0.5);
    return above >= below ? d : -d;
}

/* The window's transform at d bins, 1/2 at 0. */
static double lobe(double d) {
    if (fabs(d) < 1e-6)
        return 0.5;
    return fabs(fabs(d) - 1) < 1e-6 ? 0.25 : sin(M_PI * d) / (2 * M_PI * d * (1 - d * d));
}

/* A wave that swells and fades has more power around its peak than the window's lobe. The first of
 * the rings at 2, 3, … bins that does not exceed the lobe and the surroundings is beyond it. */
static double find_radius(const struct search *s, const int64_t at[3], const double part[3],
                          double power, double height, double level) {
    double own[RING_ORDERS + 1] = {0}, there[RING_ORDERS + 1] = {0}, count[RING_ORDERS + 1] = {0};
    int64_t most[3], d[3];
    for (int i = 0; i < 3; i++)
        most[i] = s->w.on[i] ? RING_ORDERS : 0;
    GF_EACH_STEP(d, most) {
        int r = (int)(gf_bins_length(d) + 0.5);
        double wave = 1 / height;
        if (r > RING_ORDERS)
            continue;
        for (int i = 0; i < 3; i++)
            wave *= s->w.on[i] ? lobe((double)d[i] - part[i]) : 1;
        own[r] += power * wave * wave;
        there[r] += (double)power_at(s, at, d);
        count[r]++;
    }
    int r = 2;
    while (r <= RING_ORDERS && there[r] > 3 * own[r] + 4 * level * count[r])
        r++;
    return r > 2 ? r - 0.5 : 0;
}

/* The i-th tile's coordinates, and its distance in tiles to the next one along each axis. */
static void tile_at(const struct search *s, int i, int tile[3], int step[3]) {
    for (int k = 2, next = 1; k >= 0; k--) {
        int along = s->w.on[k] ? s->tiles : 1;
        tile[k] = i / next % along;
        step[k] = next;
        next *= along;
    }
}

/* An uneven wave's peak is skewed, and its phase turns from tile to tile with the error of the
 * frequency: moves the mean turn from z to `part`. */
static void settle(const struct search *s, double z[][2], int n, double part[3]) {
    double turn[3], sum[3][2] = {{0}};
    int tile[3], step[3];
    for (int i = 0; i < n; i++) {
        tile_at(s, i, tile, step);
        for (int k = 0; k < 3; k++)
            if (s->w.on[k] && tile[k] < s->tiles - 1) {
                const double *a = z[i], *b = z[i + step[k]];
                sum[k][0] += a[0] * b[0] + a[1] * b[1];
                sum[k][1] += a[0] * b[1] - a[1] * b[0];
            }
    }
    for (int k = 0; k < 3; k++) {
        turn[k] = atan2(sum[k][1], sum[k][0]) / (2 * M_PI) * s->tiles;
        if (fabs(turn[k]) >= 1)
            return;
    }
    for (int k = 0; k < 3; k++)
        part[k] += turn[k];
    for (int i = 0; i < n; i++) {
        double angle = 0, re = z[i][0];
        tile_at(s, i, tile, step);
        for (int k = 0; k < 3; k++)
            angle -= 2 * M_PI * turn[k] * (tile[k] + 0.5) / s->tiles;
        z[i][0] = re * cos(angle) - z[i][1] * sin(angle);
        z[i][1] = re * sin(angle) + z[i][1] * cos(angle);
    }
}

static void look_in_tiles(const struct search *s, int tiles, const int64_t at[3], double part[3],
                          struct gf_periodic *p) {
    struct gf_places places = {.first = 0.5, .span = tiles};
    double z[TILE_BINS][2], wave[3], sum[2] = {0, 0}, squares = 0, sizes = 0;
    int n = 1, here = 0;
    for (int k = 0; k < 3; k++) {
        places.reach[k] = s->w.on[k] ? tiles : 0;
        places.count[k] = s->w.on[k] ? tiles : 1;
        n *= places.count[k];
        wave[k] = (double)at[k] + part[k];
    }
    gf_places_look(&s->w.b, &places, wave, z);
    for (int i = 0; i < 2 && s->uneven && tiles == s->tiles; i++)
        settle(s, z, n, part);
    for (int i = 0; i < n; i++) {
        sum[0] += z[i][0];
        sum[1] += z[i][1];
        squares += z[i][0] * z[i][0] + z[i][1] * z[i][1];
        sizes += hypot(z[i][0], z[i][1]);
    }
    double whole = sum[0] * sum[0] + sum[1] * sum[1];
    for (int i = 0; i < n && whole > 0; i++) { /* in units of the mean */
        double re = n * (z[i][0] * sum[0] + z[i][1] * sum[1]) / whole;
        double im = n * (z[i][1] * sum[0] - z[i][0] * sum[1]) / whole;
        here += re > 0.5 && re < 1.7 && fabs(im) < 0.7 * re;
    }
    p->steady = squares > 0 ? whole / (n * squares) : 0;
    p->in_phase = sizes > 0 ? sqrt(whole) / sizes : 0;
    p->spread = n ? (double)here / n : 0;
}

/* ---- the search ---- */

/* Orders the list: the strongest first, equals by their place. */
static bool comes_before(const struct gf_periodic *a, const struct gf_periodic *b) {
    if (a->amplitude != b->amplitude)
        return a->amplitude > b->amplitude;
    for (int i = 0; i < GF_MAX_DIMS; i++)
        if (a->at[i] != b->at[i])
            return a->at[i] < b->at[i];
    return false;
}

static void insert(struct gf_periodic_list *list, const struct gf_periodic *p) {
    if (list->n == GF_MAX_PERIODIC && !comes_before(p, &list->item[list->n - 1]))
        return;
    int i = list->n < GF_MAX_PERIODIC ? list->n++ : list->n - 1;
    for (; i > 0 && comes_before(p, &list->item[i - 1]); i--)
        list->item[i] = list->item[i - 1];
    list->item[i] = *p;
}

void gf_periodic_merge(struct gf_periodic_list *list, const struct gf_periodic_list *other) {
    list->deviation = fmax(list->deviation, other->deviation);
    for (int i = 0; i < other->n; i++) {
        const struct gf_periodic *p = &other->item[i];
        int same = -1;
        for (int k = 0; k < list->n && same < 0; k++) {
            double square = 0;
            for (int axis = 0; axis < GF_MAX_DIMS; axis++)
                square += pow(list->item[k].at[axis] - p->at[axis], 2);
            same = square < 1 ? k : -1;
        }
        if (same >= 0 && list->item[same].amplitude >= p->amplitude)
            continue;
        if (same >= 0)
            memmove(&list->item[same], &list->item[same + 1],
                    (size_t)(--list->n - same) * sizeof *p);
        insert(list, p);
    }
}

static double periods(const struct search *s, const int64_t at[3]) {
    double square = 0;
    for (int i = 0; i < 3; i++) {
        double k = s->w.on[i] ? (double)gf_bins_signed(at[i], s->w.b.n[i]) : 0;
        square += k * k;
    }
    return sqrt(square);
}

/* True if the bin is within a bin of its mirror image, as at two samples a period. */
static bool is_own_twin(const struct gf_bins *b, const int64_t at[3]) {
    for (int i = 0; i < 3; i++) {
        int64_t twice = 2 * at[i] % b->n[i];
        if (twice > 2 && twice < b->n[i] - 2)
            return false;
    }
    return true;
}

static bool try_bin(const struct search *s, int ndim, const int64_t at[3], struct gf_periodic *p) {
    const struct gf_bins *b = &s->w.b;
    double power = (double)power_at(s, at, (int64_t[]){0, 0, 0}), part[3], height = 1;
    *p = (struct gf_periodic){.periods = periods(s, at)};
    if (p->periods < LEAST_PERIODS || !gf_bins_is_first(b, at[0], at[1], at[2]) ||
        !is_summit(s, at, (float)power) || !may_be_clear(s, at, (float)power))
        return false;
    look_around(s, at, power, p);
    if (p->level < s->level || p->clear < s->clear)
        return false;
    for (int i = 0; i < 3; i++) {
        part[i] = fraction(s, at, i, power);
        height *= s->w.on[i] ? lobe(part[i]) : 1;
    }
    p->amplitude =
        (is_own_twin(b, at) ? 1 : 2) * sqrt(power / b->unit) / (b->scale * b->points * height);
    if (p->level >= LEAST_SWELL)
        p->radius = find_radius(s, at, part, power, height, power / p->level);
    look_in_tiles(s, s->tiles, at, part, p);
    if (s->uneven) /* the frequency is settled; finer tiles tell more */
        look_in_tiles(s, 2 * s->tiles, at, part, p);
    for (int i = 0; i < ndim; i++) {
        int axis = 3 - ndim + i;
        p->at[i] = (double)gf_bins_signed(at[axis], b->n[axis]);
        p->at[i] += nearbyint(part[axis] * 4096) / 4096; /* hides the backends' rounding errors */
    }
    return true;
}

static void try_all(struct search *s, int ndim) {
    const struct gf_bins *b = &s->w.b;
#pragma omp parallel for num_threads(b->threads) schedule(dynamic, 16)
    for (int64_t row = 0; row < b->n[0] * b->n[1]; row++)
        for (int64_t x = 0; x < b->stored; x++) {
            struct gf_periodic p;
            if ((double)s->w.power[row * b->stored + x] < s->least ||
                !try_bin(s, ndim, (int64_t[]){row / b->n[1], row % b->n[1], x}, &p))
                continue;
#pragma omp critical(gf_periodic_list)
            insert(s->list, &p);
        }
}

int gf_spectrum_periodic(const struct gf_spectrum *spectrum, double least, bool uneven,
                         struct gf_periodic_list *list) {
    struct search *s = calloc(1, sizeof *s);
    list->n = 0;
    list->deviation = 0;
    if (!s)
        return gf_no_memory();
    s->list = list;
    s->uneven = uneven;
    s->level = uneven ? UNEVEN_LEVEL : LEAST_LEVEL;
    s->clear = uneven ? UNEVEN_CLEAR : LEAST_CLEAR;
    int rc = gf_windowed_power(spectrum, &s->w);
    const struct gf_bins *b = &s->w.b;
    s->axes = s->w.on[0] + s->w.on[1] + s->w.on[2];
    if (!rc && s->axes && s->w.total > 0) {
        list->deviation = sqrt(s->w.total / b->unit) / (b->scale * b->points);
        double peak = fmax(least, LEAST_SHARE * list->deviation) * b->points * b->scale / 2;
        /* Between bins the highest one has at least 0.85 of the window's height along each axis. */
        s->least = pow(peak * pow(0.425, s->axes), 2) * b->unit;
        prepare_ring(s);
        s->tiles = s->axes == 1 ? 8 : s->axes == 2 ? 4 : 3;
        try_all(s, spectrum->ndim);
        while (list->n && list->item[list->n - 1].amplitude < least)
            list->n--;
    }
    gf_windowed_free(&s->w);
    free(s);
    return rc;
}

int64_t gf_spectrum_periodic_bytes(const struct gf_spectrum *s) {
    return gf_windowed_bytes(s) + (int64_t)sizeof(struct search) + 4096;
}

/* ---- noise, or the picture ---- */

/* Each row was measured on pictures without noise: none of their peaks passes. Waves with few
 * periods in a tile need more evidence, since a drift hardly shows there. */
bool gf_periodic_is_wave(const struct gf_periodic *p) {
    static const struct {
        double below, clear, level, spread, steady;
    } rule[] = {
        {8.5, 5, 18, 1, 0.88},
        {10, 5, 18, 0.93, 0.8},
        {15, 6, 22, 0.75, 0.7},
        {HUGE_VAL, 4, 12, 0.68, 0.65},
    };
    int i = 0;
    while (p->periods >= rule[i].below)
        i++;
    bool everywhere = p->clear >= rule[i].clear && p->level >= rule[i].level &&
                      p->spread >= rule[i].spread && p->steady >= rule[i].steady;
    /* A strong background hides the wave in single tiles; its phase in the others remains. */
    bool in_phase = p->periods >= 12 && p->clear >= 6 && p->level >= 20 && p->steady >= 0.62 &&
                    p->in_phase >= 0.88;
    return everywhere || in_phase;
}

/* ---- families of waves ---- */

bool gf_wave_is_multiple(const double *a, const double *b) {
    for (int k = 2; k <= MOST_HARMONIC; k++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (hypot(k * a[0] - sign * b[0], k * a[1] - sign * b[1]) < 2)
                return true;
    return false;
}

bool gf_periodic_is_harmonic(const struct gf_periodic_list *list, const bool *left, int n) {
    for (int i = 0; i < n; i++)
        if (!left[i] && gf_wave_is_multiple(list->item[i].at, list->item[n].at))
            return true;
    return false;
}

static bool is_of_lattice(const double *u, const double *v, const double *at) {
    for (int a = -LATTICE_ORDER; a <= LATTICE_ORDER; a++)
        for (int b = -LATTICE_ORDER; b <= LATTICE_ORDER; b++)
            if (hypot(a * u[0] + b * v[0] - at[0], a * u[1] + b * v[1] - at[1]) < LATTICE_ERROR)
                return true;
    return false;
}

bool gf_periodic_is_of_lattice(const struct gf_periodic_list *list, const bool *in, double turn,
                               int n) {
    for (int i = 0; i < list->n; i++)
        for (int k = 0; k <= i && in[i]; k++) {
            const double *u = list->item[i].at, *v = list->item[k].at;
            const double area = fabs(u[0] * v[1] - u[1] * v[0]);
            if (in[k] && area >= turn * hypot(u[0], u[1]) * hypot(v[0], v[1]) &&
                is_of_lattice(u, v, list->item[n].at))
                return true;
        }
    return false;
}
