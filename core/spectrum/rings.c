/* Looking at a spectrum as a whole: the grid of its bins, energy and rings; and a peak's wave. */
#include <stdlib.h>

#include "core/base/value/sample_run.h"
#include "core/base/value/status.h"
#include "core/spectrum/bins.h"

/* Rows are divided into at most so many blocks with separate sums. Their number depends only on the
 * shape, and so do the sums. */
enum { MOST_BLOCKS = 64, SMALL = 1 << 14 };

struct gf_spectrum gf_spectrum_of(const struct gf_job *job, const struct gf_array *out,
                                  int64_t channel, int threads) {
    struct gf_spectrum s = {.ndim = job->ndim, .half = job->out[0].half, .threads = threads};
    memcpy(s.shape, job->shape, sizeof s.shape);
    s.px = gf_array_index(out, job->ndim, channel);
    s.px.base = NULL;
    return s;
}

void gf_bins_view(const struct gf_spectrum *s, struct gf_bins *b) {
    int missing = 3 - s->ndim;
    *b = (struct gf_bins){.n = {1, 1, 1},
                          .data = s->px.data,
                          .is_double = s->px.dtype == GF_C128,
                          .half = s->half,
                          .longest = 1,
                          .points = 1,
                          .scale = 1,
                          .unit = 1};
    for (int i = 0; i < s->ndim; i++) {
        b->n[missing + i] = s->shape[i];
        b->stride[missing + i] = s->px.stride[i];
        b->longest = gf_max(b->longest, s->shape[i]);
        b->points *= (double)s->shape[i];
    }
    b->stored = s->px.shape[s->ndim - 1];
    b->threads = b->points < SMALL || s->threads < 1 ? 1 : s->threads;
}

void gf_bins_fit(struct gf_bins *b) {
    double largest = 0;
    const int64_t rows = b->is_double ? b->n[0] * b->n[1] : 0;
#pragma omp parallel for num_threads(b->threads) reduction(max : largest)
    for (int64_t i = 0; i < rows; i++) {
        const char *p = b->data + i / b->n[1] * b->stride[0] + i % b->n[1] * b->stride[1];
        for (int64_t x = 0; x < b->stored; x++, p += b->stride[2])
            largest =
                fmax(largest, fmax(fabs(((const double *)p)[0]), fabs(((const double *)p)[1])));
    }
    b->scale = gf_sample_run_unit(largest);
}

double *gf_bins_squares(const struct gf_bins *b) {
    double *square = malloc((size_t)b->stored * sizeof *square);
    for (int64_t x = 0; x < b->stored && square; x++)
        square[x] = gf_bins_square(b, 2, x);
    return square;
}

int gf_bins_sum(const struct gf_bins *b, bool full, double *total) {
    const int64_t rows = b->n[0] * b->n[1];
    double *of = malloc((size_t)rows * sizeof *of);
    *total = 0;
    if (!of)
        return gf_no_memory();
#pragma omp parallel for num_threads(b->threads) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t x = 0; x < b->stored; x++)
            sum += (full ? (i || x) * gf_bins_weight(b, x) : 1) *
                   gf_bins_power(b, i / b->n[1], i % b->n[1], x);
        of[i] = sum;
    }
    for (int64_t i = 0; i < rows; i++)
        *total += of[i];
    free(of);
    return 0;
}

/* Hoare's selection. */
float gf_select_float(float *v, int64_t n, int64_t k) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        float pivot = v[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                float t = v[i];
                v[i++] = v[j];
                v[j--] = t;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return v[k];
}

/* Bin n/2 of each axis is the farthest one. */
int64_t gf_spectrum_ring_count(const struct gf_spectrum *s) {
    struct gf_bins b;
    double square = 0;
    gf_bins_view(s, &b);
    for (int i = 0; i < 3; i++)
        square += gf_bins_square(&b, i, b.n[i] / 2);
    return gf_bins_ring(square) + 1;
}

/* Adds the second spectrum at a bin. */
static void add_other(const struct gf_bins *b, int64_t z, int64_t y, int64_t x, int weight,
                      struct gf_ring *r) {
    const struct gf_number f = gf_bins_number(b, z, y, x), g = gf_bins_number(b->other, z, y, x);
    r->cross += weight * (f.re * g.re + f.im * g.im);
    r->other += weight * (g.re * g.re + g.im * g.im);
}

/* Each row has its own sum: adding sums of similar size loses less. */
static void add_row(const struct gf_bins *b, const double *along, int64_t z, int64_t y,
                    struct gf_ring *ring, struct gf_energy *row) {
    double nyquist = 0.25 * (double)b->longest * (double)b->longest; /* squared, as all of these */
    double edge[GF_N_BANDS] = {nyquist / 64, nyquist / 16, nyquist / 4};
    double square = gf_bins_square(b, 0, z) + gf_bins_square(b, 1, y);
    *row = (struct gf_energy){0};
    for (int64_t x = 0; x < b->stored; x++) {
        int weight = gf_bins_weight(b, x);
        double far = square + along[x];
        double power = weight * gf_bins_power(b, z, y, x);
        struct gf_ring *r = &ring[gf_bins_ring(far)];
        r->bins += weight;
        r->mean += power;
        if (b->other)
            add_other(b, z, y, x, weight, r);
        row->total += power;
        for (int i = 0; i < GF_N_BANDS && far > 0; i++)
            row->below[i] += far < edge[i] ? power : 0;
    }
}

static int64_t block_count(const struct gf_bins *b, int64_t rings) {
    const int64_t rows = b->n[0] * b->n[1], room = rows * b->stored / (16 * rings);
    return gf_max(1, gf_min(room, gf_min(rows, MOST_BLOCKS)));
}

/* Adds rows [first, last) to the rings; returns their energies. */
static struct gf_energy add_block(const struct gf_bins *b, const double *along, int64_t first,
                                  int64_t last, struct gf_ring *ring) {
    struct gf_energy all = {0}, row;
    for (int64_t i = first; i < last; i++) {
        add_row(b, along, i / b->n[1], i % b->n[1], ring, &row);
        all.total += row.total / b->points;
        for (int k = 0; k < GF_N_BANDS; k++)
            all.below[k] += row.below[k] / b->points;
    }
    return all;
}

/* Fills the rings of one spectrum, or of two. */
static int walk(const struct gf_spectrum *s, const struct gf_spectrum *second, struct gf_ring *ring,
                struct gf_energy *energy) {
    struct gf_bins b, other;
    struct gf_energy of[MOST_BLOCKS];
    gf_bins_view(s, &b);
    gf_bins_fit(&b);
    if (second) {
        gf_bins_view(second, &other);
        gf_bins_fit(&other);
        b.other = &other;
    }
    const int64_t count = gf_spectrum_ring_count(s), blocks = block_count(&b, count);
    struct gf_ring *part = calloc((size_t)(blocks * count), sizeof *part);
    double *along = gf_bins_squares(&b);
    int rc = part && along ? 0 : gf_fail(GF_ENOMEM, "no memory for %lld rings", (long long)count);
    if (rc)
        goto out;
    const int64_t rows = b.n[0] * b.n[1];
#pragma omp parallel for num_threads(b.threads) schedule(dynamic)
    for (int64_t k = 0; k < blocks; k++)
        of[k] = add_block(&b, along, rows * k / blocks, rows * (k + 1) / blocks, part + k * count);
    *energy = (struct gf_energy){0};
    for (int64_t k = 0; k < blocks; k++) {
        energy->total += of[k].total;
        for (int i = 0; i < GF_N_BANDS; i++)
            energy->below[i] += of[k].below[i];
    }
    for (int64_t i = 0; i < count; i++) {
        ring[i] = (struct gf_ring){.frequency = (double)i / (double)b.longest};
        for (int64_t k = 0; k < blocks; k++) {
            ring[i].bins += part[k * count + i].bins;
            ring[i].mean += part[k * count + i].mean;
            ring[i].cross += part[k * count + i].cross;
            ring[i].other += part[k * count + i].other;
        }
    }
    energy->zero = ring[0].mean / b.points / b.scale / b.scale;
    energy->total = energy->total / b.scale / b.scale;
    for (int i = 0; i < GF_N_BANDS; i++)
        energy->below[i] = energy->below[i] / b.scale / b.scale;
    for (int64_t i = 0; i < count; i++) {
        const double bins = ring[i].bins ? (double)ring[i].bins : 1;
        ring[i].mean = ring[i].mean / bins / b.scale / b.scale;
        if (second) {
            ring[i].cross = ring[i].cross / bins / b.scale / other.scale;
            ring[i].other = ring[i].other / bins / other.scale / other.scale;
        }
    }
out:
    free(part);
    free(along);
    return rc;
}

int gf_spectrum_rings(const struct gf_spectrum *s, struct gf_ring *ring, struct gf_energy *energy) {
    return walk(s, NULL, ring, energy);
}

int gf_spectrum_cross_rings(const struct gf_spectrum *f, const struct gf_spectrum *g,
                            struct gf_ring *ring) {
    struct gf_energy energy;
    return walk(f, g, ring, &energy);
}

struct gf_wave gf_wave_at(int ndim, const int64_t *shape, const double *at) {
    const double degrees = 180 / M_PI;
    double f[3] = {0, 0, 0}; /* z, y up, x */
    for (int i = 0; i < ndim; i++)
        f[3 - ndim + i] = at[i] / (double)shape[i];
    f[1] = 0 - f[1]; /* no -0 */
    /* A wave has two directions: the one to the right, else up, else to larger z. */
    double sign = f[2] ? f[2] : f[1] ? f[1] : f[0];
    for (int i = 0; i < 3 && sign < 0; i++)
        f[i] = -f[i];
    double flat = hypot(f[1], f[2]), all = hypot(flat, f[0]);
    return (struct gf_wave){
        .frequency = all,
        .period = 1 / all,
        .angle = flat > 0 ? atan2(f[1], f[2]) * degrees : 0,
        .tilt = atan2(f[0], flat) * degrees,
    };
}

struct gf_wave gf_peak_wave(const struct gf_spectrum *s, const struct gf_peak *p) {
    double at[GF_MAX_DIMS], points = 1;
    for (int i = 0; i < s->ndim; i++) {
        at[i] = (double)p->at[i];
        points *= (double)s->shape[i];
    }
    struct gf_wave wave = gf_wave_at(s->ndim, s->shape, at);
    wave.amplitude = (p->twin ? 2 : 1) * p->magnitude / points;
    return wave;
}
