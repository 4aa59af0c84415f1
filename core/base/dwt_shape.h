/* The extents of a wavelet transform: how many samples each level has and where its bands lie.
 * core/wavelet/dwt.h says what it computes.
 *
 *     struct gf_dwt_axis x;
 *     gf_dwt_axis(1000, true, 3, &(struct gf_wavelet){.name = WAVELET_D4}, &x);
 *                                                     x.n: 1000 500 250 125, x.at[3]: 125
 *
 * A level turns n samples into ceil(n / 2) approximations and as many details if the boundary is
 * periodic, else into floor((n + taps - 1) / 2) of each, as in PyWavelets. Along a packed axis the
 * last level's approximation is at 0 and the details of level l follow everything coarser, as
 * PyWavelets' coeffs_to_array packs them. Sizes that do not divide leave gaps, which hold zeros.
 * The functions are pure and cannot fail. */
#ifndef GF_CORE_BASE_DWT_SHAPE_H
#define GF_CORE_BASE_DWT_SHAPE_H

#include "core/base/job.h"

/* One axis: n[l] samples after l levels; at[l] is where the details of level l >= 1 begin. */
struct gf_dwt_axis {
    int64_t n[GF_MAX_LEVELS + 1], at[GF_MAX_LEVELS + 1];
    int64_t packed; /* extent of all bands together */
};

/* The number of taps of the wavelets, and the largest of them. */
#define GF_DWT_TAPS(NAME, taps, name, also, alias, what, h) taps,
#define GF_DWT_ROOM(NAME, taps, name, also, alias, what, h) char NAME[taps];
enum { GF_DWT_MOST_TAPS = sizeof(union {WAVELETS(GF_DWT_ROOM)}) };
static inline int gf_dwt_taps(const struct gf_wavelet *w) {
    static const int taps[] = {WAVELETS(GF_DWT_TAPS)};
    return taps[w->name];
}
/* Sample k of a band takes the samples from 2 k - gf_dwt_offset() on, as many as there are taps. */
static inline int gf_dwt_offset(const struct gf_wavelet *w) {
    return w->boundary == GF_PERIODIC ? gf_dwt_taps(w) / 2 - 1 : gf_dwt_taps(w) - 2;
}

/* With `on` false the axis is not transformed: every band begins at 0 and has n samples. */
void gf_dwt_axis(int64_t n, bool on, int levels, const struct gf_wavelet *w,
                 struct gf_dwt_axis *out);

/* Levels until an approximation would not become shorter than its input (1 sample, or taps - 1
 * where the boundary is not periodic), along the shortest transformed axis; at least 1. */
int gf_dwt_max_levels(int ndim, const int64_t *shape, unsigned axes, const struct gf_wavelet *w);

/* The picture's shape, or that of its packed coefficients; then channels. */
void gf_dwt_shape(const struct gf_job *job, bool packed, int64_t shape[GF_MAX_RANK]);

/* The type of coefficients. */
static inline enum gf_dtype gf_dwt_real(const struct gf_job *job) {
    return job->precision == GF_DOUBLE ? GF_F64 : GF_F32;
}
/* The planes of a job's levels; axes that a picture or a line lacks have one sample. */
struct gf_dwt_layout {
    struct gf_dwt_axis axis[3]; /* z, y, x */
    bool on[3];                 /* likewise */
    int64_t pixel;              /* bytes of a coefficient, all channels */
};
void gf_dwt_layout(const struct gf_job *job, struct gf_dwt_layout *out);
/* Whether there are no gaps between bands. */
bool gf_dwt_layout_is_tight(const struct gf_dwt_layout *a);
/* Rows of a plane that holds a level's bands along y and x without gaps, and bytes of such a
 * row. */
static inline int64_t gf_dwt_layout_rows(const struct gf_dwt_layout *a, int level) {
    return (1 + a->on[1]) * a->axis[1].n[level];
}
static inline int64_t gf_dwt_layout_row(const struct gf_dwt_layout *a, int level) {
    return (1 + a->on[2]) * a->axis[2].n[level] * a->pixel;
}
/* The job of one level on so many planes. Its finer side holds samples on the first level, else the
 * approximation of the level before. */
struct gf_job gf_dwt_level_job(const struct gf_job *job, int level, int64_t planes);

#endif
