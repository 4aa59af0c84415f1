/* Looking at a spectrum as a whole: the grid of its bins, energy and rings; and a peak's wave. */
#include <math.h>
#include <string.h>

#include "core/base/sample_run.h"
#include "core/spectrum/bins.h"

struct gf_spectrum gf_spectrum_of(const struct gf_job *job, const struct gf_array *out,
                                  int64_t channel) {
    struct gf_spectrum s = {.ndim = job->ndim, .half = job->out[0].half};
    memcpy(s.shape, job->shape, sizeof s.shape);
    s.px = gf_array_index(out, job->ndim, channel);
    s.px.base = NULL;
    return s;
}

void gf_bins_view(const struct gf_spectrum *s, struct gf_bins *b) {
    int missing = 3 - s->ndim;
    *b = (struct gf_bins){.n = {1, 1, 1},
                          .data = s->px.data,
                          .wide = s->px.dtype == GF_C128,
                          .half = s->half,
                          .longest = 1,
                          .points = 1,
                          .scale = 1,
                          .unit = 1};
    for (int i = 0; i < s->ndim; i++) {
        b->n[missing + i] = s->shape[i];
        b->stride[missing + i] = s->px.stride[i];
        b->longest = s->shape[i] > b->longest ? s->shape[i] : b->longest;
        b->points *= (double)s->shape[i];
    }
    b->stored = s->px.shape[s->ndim - 1];
}

void gf_bins_fit(struct gf_bins *b) {
    double largest = 0;
    for (int64_t i = 0; i < b->n[0] * b->n[1] && b->wide; i++) {
        const char *p = b->data + i / b->n[1] * b->stride[0] + i % b->n[1] * b->stride[1];
        for (int64_t x = 0; x < b->stored; x++, p += b->stride[2])
            largest =
                fmax(largest, fmax(fabs(((const double *)p)[0]), fabs(((const double *)p)[1])));
    }
    b->scale = gf_sample_run_unit(largest);
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

/* Each row has its own sum: adding sums of similar size loses less. */
static void add_row(const struct gf_bins *b, int64_t z, int64_t y, struct gf_ring *ring,
                    struct gf_energy *row) {
    double nyquist = 0.25 * (double)b->longest * (double)b->longest; /* squared, as all of these */
    double edge[GF_N_BANDS] = {nyquist / 64, nyquist / 16, nyquist / 4};
    double square = gf_bins_square(b, 0, z) + gf_bins_square(b, 1, y);
    *row = (struct gf_energy){0};
    for (int64_t x = 0; x < b->stored; x++) {
        int weight = gf_bins_weight(b, x);
        double far = square + gf_bins_square(b, 2, x);
        double power = weight * gf_bins_power(b, z, y, x);
        struct gf_ring *r = &ring[gf_bins_ring(far)];
        r->bins += weight;
        r->mean += power;
        row->total += power;
        for (int i = 0; i < GF_N_BANDS && far > 0; i++)
            row->below[i] += far < edge[i] ? power : 0;
    }
}

void gf_spectrum_rings(const struct gf_spectrum *s, struct gf_ring *ring,
                       struct gf_energy *energy) {
    struct gf_bins b;
    gf_bins_view(s, &b);
    gf_bins_fit(&b);
    int64_t count = gf_spectrum_ring_count(s);
    for (int64_t i = 0; i < count; i++)
        ring[i] = (struct gf_ring){.frequency = (double)i / (double)b.longest};
    *energy = (struct gf_energy){0};
    for (int64_t z = 0; z < b.n[0]; z++)
        for (int64_t y = 0; y < b.n[1]; y++) {
            struct gf_energy row;
            add_row(&b, z, y, ring, &row);
            energy->total += row.total / b.points;
            for (int i = 0; i < GF_N_BANDS; i++)
                energy->below[i] += row.below[i] / b.points;
        }
    energy->zero = ring[0].mean / b.points / b.scale / b.scale;
    energy->total = energy->total / b.scale / b.scale;
    for (int i = 0; i < GF_N_BANDS; i++)
        energy->below[i] = energy->below[i] / b.scale / b.scale;
    for (int64_t i = 0; i < count; i++)
        ring[i].mean = ring[i].mean / (ring[i].bins ? (double)ring[i].bins : 1) / b.scale / b.scale;
}

struct gf_wave gf_wave_at(int ndim, const int64_t *shape, const double *at) {
    const double degrees = 180 / 3.14159265358979323846;
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
