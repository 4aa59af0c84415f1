/* Screens: their lattice, and a mask without it. */
#include "core/spectrum/screen.h"

#include <omp.h>
#include <stdlib.h>

#include "core/base/value/status.h"

/* ---- finding ---- */

enum {
    DOT_ORDER = 12,  /* multiples of each basis vector that are removed … */
    LINE_ORDER = 24, /* … and of a line screen's */
    SEEN_ORDER = 5,  /* |i| + |j| of the members that are looked for */
    CLAIM_ORDER = 8, /* … and of those that belong to a screen that was found */
    BANDS = 8,       /* of the spectrum below the screen, for its slope */
    BOX = 2,         /* bins to each side that the power is averaged over */
};

/* Requirements for a basis vector; `share`: amplitude over deviation. Second vectors and further
 * members need member_clear and member_phase. */
struct evidence {
    double periods, in_phase, clear, level, share, longest;
    double member_clear, member_phase;
};
static const struct evidence unasked = {10, 0.9, 50, 100, 0.35, 16, 12, 0.4};
static const struct evidence asked = {10, 0.8, 20, 30, 0.2, 16, 8, 0};
static const double PARTNER = 0.5;   /* amplitude of the second vector over the first */
static const double MEMBER = 0.08;   /* of a further member over the first vector */
static const double PRODUCT = 0.15;  /* the same of a sum or difference of two waves */
static const double SAME_BINS = 1.5; /* nearer peaks are that member */
static const double PERIOD_SHARE = 0.1;
static const double LEFT = 0.3;    /* of the picture's own power, in the mask's amplitudes */
static const double SPREAD = 0.06; /* of a frequency, by which a photographed screen's varies */

struct finder {
    const struct gf_periodic_list *list;
    double shape[2];
    const struct gf_screen_request *want;
};

static void frequency(const struct finder *f, const struct gf_periodic *p, double v[2]) {
    for (int i = 0; i < 2; i++)
        v[i] = p->at[i] / f->shape[i];
}

/* The member i, j of the lattice, in -1/2 .. 1/2. */
static void member(const struct gf_screen *s, int i, int j, double v[2]) {
    for (int k = 0; k < 2; k++) {
        v[k] = i * s->basis[0][k] + (s->n > 1 ? j * s->basis[1][k] : 0);
        v[k] -= nearbyint(v[k]);
    }
}

static bool is_at(const struct finder *f, const struct gf_periodic *p, const double v[2]) {
    for (int sign = -1; sign <= 1; sign += 2) {
        double square = 0;
        for (int k = 0; k < 2; k++) {
            double d = p->at[k] / f->shape[k] - sign * v[k];
            square += pow((d - nearbyint(d)) * f->shape[k], 2);
        }
        if (square < SAME_BINS * SAME_BINS)
            return true;
    }
    return false;
}

/* True if p is a member of order |i| + |j| in least..most. */
static bool is_member(const struct finder *f, const struct gf_screen *s,
                      const struct gf_periodic *p, int least, int most) {
    for (int i = 0; i <= most; i++)
        for (int j = s->n > 1 ? i - most : 0; j <= (s->n > 1 ? most - i : 0); j++) {
            double v[2];
            if (i + abs(j) < least)
                continue;
            member(s, i, j, v);
            if (is_at(f, p, v))
                return true;
        }
    return false;
}

static const struct evidence *evidence_of(const struct finder *f) {
    return f->want->known ? &asked : &unasked;
}

static bool is_first_vector(const struct finder *f, const struct gf_periodic *p) {
    const struct evidence *e = evidence_of(f);
    double v[2];
    frequency(f, p, v);
    double cycles = hypot(v[0], v[1]), period = f->want->period;
    if (period > 0 ? fabs(cycles * period - 1) > PERIOD_SHARE : cycles * e->longest < 1)
        return false;
    return p->periods >= e->periods && p->in_phase >= e->in_phase && p->clear >= e->clear &&
           p->level >= e->level && p->amplitude >= e->share * f->list->deviation;
}

/* The strongest other peak that spans a lattice with p. */
static const struct gf_periodic *find_partner(const struct finder *f, const struct gf_periodic *p) {
    double a[2], b[2];
    frequency(f, p, a);
    for (int i = 0; i < f->list->n; i++) {
        const struct gf_periodic *q = &f->list->item[i];
        frequency(f, q, b);
        double la = hypot(a[0], a[1]), lb = hypot(b[0], b[1]);
        if (q != p && q->amplitude >= PARTNER * p->amplitude && q->in_phase >= 0.6 &&
            q->clear >= evidence_of(f)->member_clear && lb > la / 2 && lb < 2 * la &&
            fabs(a[0] * b[1] - a[1] * b[0]) > la * lb / 2)
            return q;
    }
    return NULL;
}

/* True if both vectors have equal strength and length and are at right angles, which is no
 * coincidence. */
static bool is_square(const struct gf_screen *s, double ratio) {
    const double *a = s->basis[0], *b = s->basis[1];
    double la = hypot(a[0], a[1]), lb = hypot(b[0], b[1]);
    return s->n == 2 && ratio > 0.8 && fabs(la / lb - 1) < 0.03 &&
           fabs(a[0] * b[0] + a[1] * b[1]) < 0.09 * la * lb;
}

static bool has_members(const struct finder *f, const struct gf_screen *s) {
    const struct evidence *e = evidence_of(f);
    for (int i = 0; i < f->list->n; i++)
        if (f->list->item[i].amplitude >= MEMBER * s->amplitude &&
            f->list->item[i].clear >= e->member_clear &&
            f->list->item[i].in_phase >= e->member_phase &&
            !is_member(f, s, &f->list->item[i], 1, 1) &&
            is_member(f, s, &f->list->item[i], 2, SEEN_ORDER))
            return true;
    return false;
}

static bool make_screen(const struct finder *f, const struct gf_periodic *p, struct gf_screen *s) {
    const struct gf_periodic *partner = find_partner(f, p);
    *s = (struct gf_screen){.n = partner ? 2 : 1, .amplitude = p->amplitude, .level = p->level};
    memcpy(s->at, p->at, sizeof s->at);
    frequency(f, p, s->basis[0]);
    if (partner)
        frequency(f, partner, s->basis[1]);
    return f->want->known || has_members(f, s) ||
           is_square(s, partner ? partner->amplitude / p->amplitude : 0);
}

/* The power within SPREAD of a frequency's length around it, less that of its surroundings. */
static double power_around(const struct gf_bins *b, const double v[2]) {
    const double ny = (double)b->n[1], nx = (double)b->n[2], reach = SPREAD * hypot(v[0], v[1]);
    double sum[2] = {0}, bins[2] = {0};
    for (double y = floor((v[0] - 2 * reach) * ny); y <= (v[0] + 2 * reach) * ny; y++)
        for (double x = floor((v[1] - 2 * reach) * nx); x <= (v[1] + 2 * reach) * nx; x++) {
            const double d = hypot(y / ny - v[0], x / nx - v[1]) / reach;
            if (d > 2)
                continue;
            /* F of reals: the bin, or its mirror image, that is stored */
            const double k = x - nx * floor(x / nx), sign = k > nx / 2 ? -1 : 1;
            const double row = sign * y - ny * floor(sign * y / ny);
            sum[d > 1] += gf_bins_power(b, 0, (int64_t)row, (int64_t)(sign > 0 ? k : nx - k));
            bins[d > 1]++;
        }
    return bins[1] > 0 ? sum[0] - sum[1] / bins[1] * bins[0] : 0;
}

/* True of lines if their power is found again at right angles to them, though no wave is: the
 * second vector of dots whose period varies. */
static bool has_spread_partner(const struct gf_spectrum *s, const struct gf_screen *lines) {
    const double *a = lines->basis[0], across[2] = {a[1], -a[0]};
    struct gf_bins b;
    gf_bins_view(s, &b);
    return power_around(&b, across) > PARTNER * PARTNER * power_around(&b, a);
}

int gf_screens_find(const struct gf_periodic_list *list, const struct gf_spectrum *s,
                    const struct gf_screen_request *want, struct gf_screen *screen) {
    const struct finder f = {
        .list = list, .shape = {(double)s->shape[0], (double)s->shape[1]}, .want = want};
    int found = 0;
    if (s->ndim != 2 || s->shape[0] < GF_WINDOW_LEAST || s->shape[1] < GF_WINDOW_LEAST)
        return 0;
    for (int i = 0; i < list->n && found < GF_MAX_SCREENS; i++) {
        bool known = false;
        for (int k = 0; k < found; k++)
            known = known || is_member(&f, &screen[k], &list->item[i], 1, CLAIM_ORDER);
        if (!known && is_first_vector(&f, &list->item[i]))
            found += make_screen(&f, &list->item[i], &screen[found]);
    }
    for (int k = 0; k < found; k++)
        screen[k].varies = screen[k].n == 1 && has_spread_partner(s, &screen[k]);
    return found;
}

/* Sums the power of a large spectrum in at most MOST_CELLS cells an axis, so that the search takes no
 * longer than in a picture of that size. GF_ENOMEM. */
static int sum_cells(const struct gf_spectrum *s, struct gf_array *cells, struct gf_spectrum *out) {
    enum { MOST_CELLS = 1024 };
    struct gf_bins b;
    gf_bins_view(s, &b);
    *out = *s;
    for (int i = 0; i < 2; i++)
        out->shape[i] = gf_min(s->shape[i], MOST_CELLS);
    const int64_t ny = out->shape[0], nx = out->shape[1], stored = s->half ? nx / 2 + 1 : nx;
    int rc = gf_array_alloc(cells, GF_C64, 2, (int64_t[]){ny, stored});
    if (rc)
        return rc;
    float *sum = cells->data;
    memset(sum, 0, (size_t)gf_array_bytes(cells));
    for (int64_t y = 0; y < b.n[1]; y++)
        for (int64_t x = 0; x < b.stored; x++)
            sum[2 * (y * ny / b.n[1] * stored + x * nx / b.n[2])] +=
                (float)gf_bins_power(&b, 0, y, x);
    for (int64_t i = 0; i < ny * stored; i++)
        sum[2 * i] = sqrtf(sum[2 * i]);
    out->px = *cells;
    return 0;
}

int gf_screens_spread(const struct gf_periodic_list *list, const struct gf_spectrum *s,
                      const struct gf_screen_request *want, double *period) {
    enum { TURNS = 64 };
    const double pi = acos(-1), points = (double)s->shape[0] * (double)s->shape[1];
    double most = pow(asked.share * list->deviation * points / 2, 2);
    struct gf_array cells = {.data = NULL};
    struct gf_spectrum small;
    struct gf_bins b;
    *period = 0;
    int rc = s->ndim == 2 ? sum_cells(s, &cells, &small) : GF_OK;
    if (rc || s->ndim != 2)
        return rc;
    gf_bins_view(&small, &b);
    for (double f = 1 / asked.longest; f < 0.5; f *= 1 + SPREAD)
        for (int i = 0; i < TURNS / 2; i++) { /* and at right angles */
            if (want->period > 0 && fabs(f * want->period - 1) > PERIOD_SHARE)
                continue;
            const double v[2] = {f * sin(pi * i / TURNS), f * cos(pi * i / TURNS)};
            const double across[2] = {v[1], -v[0]};
            const double power = fmin(power_around(&b, v), power_around(&b, across));
            *period = power > most ? 1 / f : *period;
            most = fmax(most, power);
        }
    gf_array_free(&cells);
    return GF_OK;
}

/* The lattice of halves of the strongest wave and the strongest one across it. A sensor's own
 * pattern, of 2 to 4 samples, is such a product. */
static bool make_lattice(const struct finder *f, struct gf_screen *s) {
    *s = (struct gf_screen){.n = 1};
    frequency(f, &f->list->item[0], s->basis[0]);
    for (int i = 1; i < f->list->n && s->n < 2; i++) {
        double *a = s->basis[0], *b = s->basis[1];
        frequency(f, &f->list->item[i], b);
        double la = hypot(a[0], a[1]), lb = hypot(b[0], b[1]);
        if (fabs(a[0] * b[1] - a[1] * b[0]) > 0.2 * la * lb && (la < 0.24 || lb < 0.24))
            s->n = 2;
    }
    for (int i = 0; i < 4; i++)
        s->basis[i / 2][i % 2] /= 2;
    return s->n > 1;
}

bool gf_screens_product(const struct gf_periodic_list *list, const struct gf_spectrum *s,
                        bool *in) {
    const struct finder f = {.list = list, .shape = {(double)s->shape[0], (double)s->shape[1]}};
    struct gf_screen both;
    bool product = false;
    memset(in, 0, (size_t)list->n * sizeof *in);
    if (s->ndim != 2 || list->n < 3)
        return false;
    if (!make_lattice(&f, &both))
        return false;
    struct gf_screen one = both, other = both;
    one.n = other.n = 1;
    memcpy(other.basis[0], both.basis[1], sizeof other.basis[0]);
    for (int i = 0; i < list->n; i++) {
        const struct gf_periodic *p = &list->item[i];
        in[i] = is_member(&f, &both, p, 1, CLAIM_ORDER);
        product = product || (in[i] && p->amplitude >= PRODUCT * list->item[0].amplitude &&
                              !is_member(&f, &one, p, 1, CLAIM_ORDER) &&
                              !is_member(&f, &other, p, 1, CLAIM_ORDER));
    }
    for (int i = 0; i < list->n && !product; i++)
        in[i] = false;
    return product;
}

/* ---- the picture's own power ---- */

/* The logarithm of w->power's unit, a sample. */
static double log_unit(const struct gf_windowed *w) {
    double unit = w->b.scale * w->b.scale * w->b.unit * w->b.points;
    for (int i = 0; i < 3; i++)
        unit *= w->on[i] ? 3. / 8 : 1; /* the mean of the window's square */
    return log(unit);
}

static double nearest(const struct gf_screen *screen, int n) {
    double f = 1;
    for (int i = 0; i < n; i++)
        f = fmin(f, hypot(screen[i].basis[0][0], screen[i].basis[0][1]));
    return f;
}

static double cycles(const struct gf_bins *b, int64_t y, int64_t x) {
    return hypot((double)gf_bins_signed(y, b->n[1]) / (double)b->n[1],
                 (double)gf_bins_signed(x, b->n[2]) / (double)b->n[2]);
}

/* From geometric means of the power in bands: a photograph's falls with about the square of the
 * frequency. */
struct gf_own_power gf_screens_own(const struct gf_windowed *w, const struct gf_screen *screen,
                                   int n) {
    const double first = nearest(screen, n);
    const struct gf_bins *b = &w->b;
    double low = log(4 / (double)b->longest), high = log(0.6 * first), sum[BANDS] = {0};
    double count[BANDS] = {0}, bands = 0, xy = 0, xx = 0, mx = 0, my = 0;
    for (int64_t y = 0; y < b->n[1]; y++)
        for (int64_t x = 0; x < b->stored; x++) {
            double f = cycles(b, y, x);
            if (f >= 0.6 * first || f * (double)b->longest < 4)
                continue;
            int k = (int)((log(f) - low) / (high - low) * BANDS);
            k = k < 0 ? 0 : k >= BANDS ? BANDS - 1 : k;
            sum[k] += log((double)w->power[y * b->stored + x] + 1e-30);
            count[k]++;
        }
    for (int k = 0; k < BANDS; k++) {
        if (count[k] < 4)
            continue;
        double lx = low + (k + 0.5) * (high - low) / BANDS, ly = sum[k] / count[k];
        mx += lx;
        my += ly;
        xx += lx * lx;
        xy += lx * ly;
        bands++;
    }
    if (bands < 1)
        return (struct gf_own_power){-69, 0};
    double spread = xx - mx * mx / bands;
    double q = spread > 1e-9 ? (xy - mx * my / bands) / spread : -2;
    q = fmin(fmax(q, -3.5), -1.5);
    /* The mean of an exponential variable is exp(0.5772) times its geometric mean. */
    return (struct gf_own_power){0.5772 + (my - q * mx) / bands - log_unit(w), q};
}

/* ---- the mask ---- */

/* A disc of the spectrum, wrapping around; the part on the unstored side applies to its mirror
 * image. */
static void paint_disc(const struct gf_bins *b, const double v[2], double radius,
                       unsigned char *reach) {
    const double ny = (double)b->n[1], nx = (double)b->n[2];
    for (int64_t y = (int64_t)ceil((v[0] - radius) * ny); (double)y <= (v[0] + radius) * ny; y++) {
        double dy = (double)y / ny - v[0];
        double half = sqrt(fmax(radius * radius - dy * dy, 0));
        int64_t row = ((y % b->n[1]) + b->n[1]) % b->n[1];
        int64_t from = (int64_t)ceil((v[1] - half) * nx), to = (int64_t)floor((v[1] + half) * nx);
        for (int64_t turn = -1; turn <= 1; turn++) {
            int64_t first = from + turn * b->n[2], last = to + turn * b->n[2];
            first = first < 0 ? 0 : first;
            last = last >= b->stored ? b->stored - 1 : last;
            if (last >= first)
                memset(reach + row * b->stored + first, 1, (size_t)(last - first + 1));
        }
    }
}

static void paint_screen(const struct gf_bins *b, const struct gf_screen *s, unsigned char *reach) {
    const int most = s->n > 1 ? DOT_ORDER : LINE_ORDER;
    double own = hypot(s->basis[0][0], s->basis[0][1]);
    for (int i = 0; i <= most; i++)
        for (int j = s->n > 1 ? -most : 0; j <= (s->n > 1 ? most : 0); j++) {
            double v[2];
            member(s, i, j, v);
            double far = hypot(v[0], v[1]);
            if (far < own / 2)
                continue;
            for (int sign = -1; sign <= 1; sign += 2)
                paint_disc(b, (double[]){sign * v[0], sign * v[1]}, far / 3, reach);
        }
}

/* The mean power over the box around each bin of a row. */
static void smooth_row(const struct gf_windowed *w, int64_t y, double *column, double *mean) {
    const struct gf_bins *b = &w->b;
    const int64_t at[3] = {0, y, 0};
    for (int64_t x = -BOX; x < b->stored + BOX; x++) {
        double sum = 0;
        for (int64_t d = -BOX; d <= BOX; d++) {
            int64_t to[3];
            gf_bins_neighbour(b, at, (int64_t[]){0, d, x}, to);
            sum += (double)w->power[to[1] * b->stored + to[2]];
        }
        column[x + BOX] = sum;
    }
    for (int64_t x = 0; x < b->stored; x++) {
        double sum = 0;
        for (int i = 0; i <= 2 * BOX; i++)
            sum += column[x + i];
        mean[x] = sum / ((2 * BOX + 1) * (2 * BOX + 1));
    }
}

/* Less than the picture's power: remains of the screen cost more than lost parts of the picture. */
static void fill_row(const struct gf_windowed *w, int64_t y, const unsigned char *reach,
                     const struct gf_own_power *own, const double *mean, float *mask) {
    const double log_c = own->log_c + log_unit(w);
    for (int64_t x = 0; x < w->b.stored; x++) {
        mask[x] = 1;
        if (!reach[x])
            continue;
        double picture = exp(log_c + own->q * log(cycles(&w->b, y, x)));
        mask[x] = (float)fmin(1, LEFT * picture / fmax(mean[x], 1e-30));
    }
}

int gf_screens_mask(const struct gf_windowed *w, const struct gf_own_power *own,
                    const struct gf_screen *screen, int n, struct gf_array *mask) {
    const struct gf_bins *b = &w->b;
    const int64_t room = 2 * b->stored + 2 * BOX;
    unsigned char *reach = calloc((size_t)(b->n[1] * b->stored), 1);
    double *rows = malloc((size_t)(room * b->threads) * sizeof *rows);
    int rc = gf_array_alloc(mask, GF_F32, 2, (int64_t[]){b->n[1], b->stored});
    if (!rc && !(reach && rows))
        rc = gf_no_memory();
    if (rc)
        goto out;
    for (int i = 0; i < n; i++)
        paint_screen(b, &screen[i], reach);
#pragma omp parallel for num_threads(b->threads) schedule(static)
    for (int64_t y = 0; y < b->n[1]; y++) {
        double *column = rows + room * omp_get_thread_num(), *mean = column + b->stored + 2 * BOX;
        smooth_row(w, y, column, mean);
        fill_row(w, y, reach + y * b->stored, own, mean, (float *)mask->data + y * b->stored);
    }
out:
    free(reach);
    free(rows);
    if (rc)
        gf_array_free(mask);
    return rc;
}

int64_t gf_screens_mask_bytes(const struct gf_spectrum *s) {
    struct gf_bins b;
    gf_bins_view(s, &b);
    return b.n[0] * b.n[1] * b.stored * 5 + 4096;
}
