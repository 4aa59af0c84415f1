/* Peaks: candidates against the median of their ring, then against their own neighbourhood. */
#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/spectrum/bins.h"

enum {
    LEAST_IN_MEDIAN = 24, /* rings with fewer bins include neighbours */
    NEAR = 3,             /* the neighbourhood: from this many steps away … */
    FAR = 8,              /* … to this many; half of that in a volume */
    MOST_AROUND = 729,    /* (2 FAR + 1)^2 in a picture, (FAR + 1)^3 in a volume */
};

/* Required ratio of a peak's power to its neighbourhood's maximum. A wave without a whole number of
 * periods leaks as 1/distance^2, and is at least 12 times weaker at NEAR. */
static const double clear_of = 8;
/* The share of the neighbourhood whose strength is ignored, as a streak may cross it. */
static const double share_of_streak = 0.04;

/* A stored row: each bin's ring and power. Ring 0: the zero frequency, and bins stored before as
 * mirror images. */
struct row {
    int64_t *ring;
    float *power;
};

struct search {
    struct gf_bins b; /* in units of the total power, to stay in range of floats */
    double *along;    /* gf_bins_squares() */
    int slices;       /* slices of the rows, one per thread */
    int64_t *ring;    /* rows of all slices */
    float *power;
    int reach;    /* FAR, or less */
    double floor; /* power of rounding errors of the rest of the spectrum */
    double least; /* power over the ring's median */
    int64_t rings;
    double *median; /* of each ring's powers */
    struct gf_peak *peak;
    int n, max;
    double weakest; /* strength required by a full list */
};

/* The first row of a slice. */
static int64_t slice_start(const struct search *s, int slice) {
    return s->b.n[0] * s->b.n[1] * slice / s->slices;
}

/* ---- medians ---- */

/* Reads row i for a slice. */
static struct row read_row(const struct search *s, int64_t i, int slice) {
    const struct gf_bins *b = &s->b;
    const struct row row = {s->ring + slice * b->stored, s->power + slice * b->stored};
    const int64_t z = i / b->n[1], y = i % b->n[1];
    double square = gf_bins_square(b, 0, z) + gf_bins_square(b, 1, y);
    for (int64_t x = 0; x < b->stored; x++) {
        row.ring[x] = gf_bins_ring(square + s->along[x]);
        row.power[x] = (float)gf_bins_power(b, z, y, x);
    }
    if (!gf_bins_is_first(b, z, y, 0))
        row.ring[0] = 0;
    if (!gf_bins_is_first(b, z, y, b->n[2] / 2))
        row.ring[b->n[2] / 2] = 0;
    return row;
}

/* Rings [*from, *to) around r with enough bins; start[i] is the index of ring i's first bin. */
static void widen(const int64_t *start, int64_t rings, int64_t r, int64_t *from, int64_t *to) {
    *from = r;
    *to = r + 1;
    while (start[*to] - start[*from] < LEAST_IN_MEDIAN && (*from > 1 || *to < rings)) {
        *from -= *from > 1;
        *to += *to < rings;
    }
}

/* Sorts powers by ring: ring r's become power[start[r]] to power[start[r + 1] - 1]. count: a zero
 * for each ring of each slice. */
static void sort_powers(const struct search *s, int64_t *count, int64_t *start, float *power) {
    int64_t at = 0;
#pragma omp parallel for num_threads(s->slices)
    for (int k = 0; k < s->slices; k++)
        for (int64_t i = slice_start(s, k); i < slice_start(s, k + 1); i++) {
            const struct row row = read_row(s, i, k);
            for (int64_t x = 0; x < s->b.stored; x++)
                count[k * s->rings + row.ring[x]]++;
        }
    for (int64_t r = 0; r < s->rings; r++) {
        start[r] = at;
        for (int k = 0; k < s->slices; k++) {
            int64_t n = count[k * s->rings + r];
            count[k * s->rings + r] = at;
            at += n;
        }
    }
    start[s->rings] = at;
#pragma omp parallel for num_threads(s->slices)
    for (int k = 0; k < s->slices; k++)
        for (int64_t i = slice_start(s, k); i < slice_start(s, k + 1); i++) {
            const struct row row = read_row(s, i, k);
            for (int64_t x = 0; x < s->b.stored; x++)
                power[count[k * s->rings + row.ring[x]]++] = row.power[x];
        }
}

/* Each ring's median. `some` has room for the `most` powers of the widest ring, per slice. */
static void take_medians(struct search *s, const int64_t *start, const float *power, float *some,
                         int64_t most) {
#pragma omp parallel for num_threads(s->slices) schedule(static, 1)
    for (int k = 0; k < s->slices; k++)
        for (int64_t r = 1 + k; r < s->rings; r += s->slices) {
            int64_t from, to;
            float *own = some + k * most;
            widen(start, s->rings, r, &from, &to);
            int64_t n = start[to] - start[from];
            memcpy(own, power + start[from], (size_t)n * sizeof *own);
            s->median[r] = n ? gf_select_float(own, n, n / 2) : 0;
        }
}

static int find_medians(struct search *s) {
    const struct gf_bins *b = &s->b;
    int64_t pairs = b->n[0] * b->n[1] * b->stored, most = 1, from, to;
    int64_t *start = malloc(((size_t)s->rings + 1) * sizeof *start);
    int64_t *count = calloc((size_t)s->rings * (size_t)s->slices, sizeof *count);
    float *power = gf_alloc((size_t)pairs * sizeof *power), *some = NULL;
    int rc = start && count && power ? 0 : GF_ENOMEM;
    if (rc)
        goto out;
    sort_powers(s, count, start, power);
    for (int64_t r = 1; r < s->rings; r++) {
        widen(start, s->rings, r, &from, &to);
        most = gf_max(most, start[to] - start[from]);
    }
    some = malloc((size_t)most * (size_t)s->slices * sizeof *some);
    rc = some ? 0 : GF_ENOMEM;
    if (!rc)
        take_medians(s, start, power, some, most);
out:
    free(start);
    free(count);
    gf_free(power);
    free(some);
    return rc ? gf_no_memory() : 0;
}

/* ---- the neighbourhood ---- */

/* A bin's power; 0 at the zero frequency. */
static double power_near(const struct gf_bins *b, const int64_t at[3], const int64_t step[3]) {
    int64_t to[3];
    gf_bins_neighbour(b, at, step, to);
    return to[0] || to[1] || to[2] ? gf_bins_power(b, to[0], to[1], to[2]) : 0;
}

/* Steps along axis i before the period repeats; at most `reach`. */
static int64_t limit(const struct gf_bins *b, int i, int reach) {
    return gf_min((b->n[i] - 1) / 2, reach);
}

/* True if no adjacent bin is stronger; of equals the one stored first. */
static bool is_summit(const struct gf_bins *b, const int64_t at[3], double power) {
    int64_t m[3], d[3], to[3];
    for (int i = 0; i < 3; i++)
        m[i] = b->n[i] > 2 ? 1 : b->n[i] - 1;
    GF_EACH_STEP(d, m) {
        double p = power_near(b, at, d);
        if (p < power)
            continue;
        gf_bins_neighbour(b, at, d, to);
        if (p > power || gf_bins_compare(to, at) < 0)
            return false;
    }
    return true;
}

/* The powers around `at`, NEAR to s->reach steps away along the axis that differs most. */
static int64_t look_around(const struct search *s, const int64_t at[3], float *around) {
    int64_t m[3], d[3], n = 0;
    for (int i = 0; i < 3; i++)
        m[i] = limit(&s->b, i, s->reach);
    GF_EACH_STEP(d, m) {
        if (llabs(d[0]) >= NEAR || llabs(d[1]) >= NEAR || llabs(d[2]) >= NEAR)
            around[n++] = (float)power_near(&s->b, at, d);
    }
    return n;
}

/* The median of the powers on the line through `at` along axis i, on both sides. */
static double line_level(const struct search *s, const int64_t at[3], int i) {
    float v[2 * FAR];
    int n = 0;
    for (int64_t k = NEAR; k <= limit(&s->b, i, FAR); k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int64_t d[3] = {0, 0, 0};
            d[i] = sign * k;
            v[n++] = (float)power_near(&s->b, at, d);
        }
    return n ? gf_select_float(v, n, n / 2) : 0;
}

/* True if the peak is much stronger than its neighbourhood and the lines of the cross. */
static bool is_prominent(const struct search *s, const int64_t at[3], double power) {
    float around[MOST_AROUND];
    int64_t n = look_around(s, at, around);
    if (!n || power < clear_of * gf_select_float(around, n,
                                                 n - 1 - (int64_t)(share_of_streak * (double)n)))
        return false;
    for (int i = 0; i < 3; i++)
        if (power < clear_of * line_level(s, at, i))
            return false;
    return true;
}

/* The radius at which the mean over distances r +- 1/2 reaches the background: the ring's, or the
 * neighbourhood's median. */
static double find_radius(const struct search *s, const int64_t at[3], double median) {
    float around[MOST_AROUND];
    double sum[FAR + 1] = {0};
    int64_t count[FAR + 1] = {0}, m[3], d[3], n = look_around(s, at, around);
    double level = n ? gf_select_float(around, n, n / 2) : 0;
    level = fmax(4 * fmax(level, median), s->floor);
    for (int i = 0; i < 3; i++)
        m[i] = limit(&s->b, i, s->reach);
    GF_EACH_STEP(d, m) {
        int r = (int)(gf_bins_length(d) + 0.5);
        if (r > s->reach)
            continue;
        sum[r] += power_near(&s->b, at, d);
        count[r]++;
    }
    int r = 1;
    while (r <= s->reach && count[r] && sum[r] > level * (double)count[r])
        r++;
    return r - 0.5;
}

/* ---- the search ---- */

static bool is_own_twin(const struct gf_bins *b, const int64_t at[3]) {
    for (int i = 0; i < 3; i++)
        if (at[i] && 2 * at[i] != b->n[i])
            return false;
    return true;
}

/* True for at most two periods along every axis, as slopes and large shapes have. */
static bool is_slope(const struct gf_bins *b, const int64_t at[3]) {
    for (int i = 0; i < 3; i++)
        if (llabs(gf_bins_signed(at[i], b->n[i])) > 2)
            return false;
    return true;
}

/* The list's order: strongest first, of equals the one stored first. */
static bool precedes(const struct gf_peak *a, const struct gf_peak *b) {
    return a->strength != b->strength ? a->strength > b->strength
                                      : gf_bins_compare(a->at, b->at) < 0;
}

/* Inserts a peak into the list; a full list drops its last. */
static void insert(struct search *s, const struct gf_peak *p) {
    if (s->n == s->max && !precedes(p, &s->peak[s->n - 1]))
        return;
    int i = s->n < s->max ? s->n++ : s->max - 1;
    for (; i > 0 && precedes(p, &s->peak[i - 1]); i--)
        s->peak[i] = s->peak[i - 1];
    s->peak[i] = *p;
    if (s->n < s->max)
        return;
#pragma omp atomic write
    s->weakest = s->peak[s->n - 1].strength;
}

static void try_bin(struct search *s, const int64_t at[3], int64_t ring) {
    const struct gf_bins *b = &s->b;
    double power = gf_bins_power(b, at[0], at[1], at[2]), weakest;
    double median = s->median[ring] > 0 ? s->median[ring] : s->floor * 1e-3;
    double strength = sqrt(power / median);
    if (power < s->floor || is_slope(b, at))
        return;
#pragma omp atomic read
    weakest = s->weakest;
    if (strength < weakest || !is_summit(b, at, power) || !is_prominent(s, at, power))
        return;
    struct gf_peak p = {.magnitude = sqrt(power / b->unit) / b->scale,
                        .strength = strength,
                        .radius = find_radius(s, at, median),
                        .twin = b->half && !is_own_twin(b, at)};
    memcpy(p.at, at, sizeof p.at);
#pragma omp critical(gf_peaks)
    insert(s, &p);
}

static void try_all(struct search *s) {
    const struct gf_bins *b = &s->b;
#pragma omp parallel for num_threads(s->slices)
    for (int k = 0; k < s->slices; k++)
        for (int64_t i = slice_start(s, k); i < slice_start(s, k + 1); i++) {
            const struct row row = read_row(s, i, k);
            for (int64_t x = 0; x < b->stored; x++) {
                const int64_t ring = row.ring[x];
                if (ring && row.power[x] >= s->least * s->median[ring])
                    try_bin(s, (int64_t[]){i / b->n[1], i % b->n[1], x}, ring);
            }
        }
}

/* Converts an index of the grid to signed bins along the axes of the picture. */
static void centre(const struct gf_spectrum *s, const struct gf_bins *b, struct gf_peak *p) {
    int64_t at[3];
    memcpy(at, p->at, sizeof at);
    memset(p->at, 0, sizeof p->at);
    for (int i = 0; i < s->ndim; i++) {
        int axis = 3 - s->ndim + i;
        p->at[i] = gf_bins_signed(at[axis], b->n[axis]);
    }
}

static int check(const struct gf_spectrum *s) {
    bool fits = s->ndim >= 1 && s->ndim <= GF_MAX_DIMS && s->px.rank == s->ndim &&
                gf_dtype_is_complex(s->px.dtype);
    for (int i = 0; i < s->ndim && fits; i++) {
        int64_t want = s->half && i == s->ndim - 1 ? s->shape[i] / 2 + 1 : s->shape[i];
        fits = s->px.shape[i] == want;
    }
    return fits ? 0
                : gf_fail(GF_EINVAL, "the array does not have the type and shape of the spectrum");
}

int64_t gf_spectrum_peaks_bytes(const struct gf_spectrum *s) {
    struct gf_bins b;
    gf_bins_view(s, &b);
    int64_t pairs = b.n[0] * b.n[1] * b.stored, rings = gf_spectrum_ring_count(s);
    /* All powers, and a sum per row; a start and a median per ring. Per thread: a row, a count per
     * ring, and a copy of the widest ring. */
    int64_t each = b.stored * 12 + rings * 8 + pairs * 4 / (s->ndim == 1 ? pairs : b.longest) * 8;
    return pairs * 4 + b.n[0] * b.n[1] * 8 + b.stored * 8 + rings * 16 + b.threads * each + 4096;
}

static void free_search(struct search *s) {
    free(s->ring);
    free(s->power);
    free(s->along);
    free(s->median);
}

static int allocate_search(struct search *s) {
    const size_t bins = (size_t)(s->b.stored * s->slices);
    s->median = calloc((size_t)s->rings, sizeof *s->median);
    s->ring = malloc(bins * sizeof *s->ring);
    s->power = malloc(bins * sizeof *s->power);
    s->along = gf_bins_squares(&s->b);
    return s->median && s->ring && s->power && s->along
               ? 0
               : gf_fail(GF_ENOMEM, "no memory for %lld rings", (long long)s->rings);
}

int gf_spectrum_peaks(const struct gf_spectrum *spectrum, double least, struct gf_peak *peak,
                      int max, int *n) {
    struct search s = {.peak = peak, .max = max};
    double total;
    *n = 0;
    int rc = check(spectrum);
    if (rc || max < 1)
        return rc;
    gf_bins_view(spectrum, &s.b);
    gf_bins_fit(&s.b);
    rc = gf_bins_sum(&s.b, false, &total);
    if (rc || !(total > 0 && isfinite(total))) /* nothing to look for */
        return rc;
    s.b.unit = 1 / total;
    s.rings = gf_spectrum_ring_count(spectrum);
    s.slices = s.b.threads;
    s.reach = spectrum->ndim == 3 ? FAR / 2 : FAR;
    /* Rounding leaves about 1e-7 (1e-16) of the total magnitude, perhaps in few bins. */
    s.floor = s.b.is_double ? 1e-28 : 1e-12;
    /* Noise has exponential powers: the largest of M is ln M / ln 2 = log2 M medians, and twice
     * that is exceeded with a probability of about 1/M. */
    s.least = least > 0 ? least * least : 2 * log2(fmax(s.b.points, 16));
    rc = allocate_search(&s);
    if (!rc)
        rc = find_medians(&s);
    if (!rc)
        try_all(&s);
    for (int i = 0; i < s.n; i++)
        centre(spectrum, &s.b, &peak[i]);
    *n = s.n;
    free_search(&s);
    return rc;
}
