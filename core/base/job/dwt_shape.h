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

#include "core/base/job/job.h"

/* One axis: n[l] samples after l levels; at[l] is where the details of level l >= 1 begin. */
struct gf_dwt_axis {
    int64_t n[GF_MAX_LEVELS + 1], at[GF_MAX_LEVELS + 1];
    int64_t packed; /* extent of all bands */
};

/* The number of taps of each wavelet, and the maximum. */
#define GF_DWT_TAPS(NAME, taps, name, also, alias, what, h) taps,
#define GF_DWT_ROOM(NAME, taps, name, also, alias, what, h) char NAME[taps];
enum { GF_DWT_MOST_TAPS = sizeof(union {WAVELETS(GF_DWT_ROOM)}) };
static inline int gf_dwt_taps(const struct gf_wavelet *w) {
    static const int taps[] = {WAVELETS(GF_DWT_TAPS)};
    return taps[w->name];
}
/* Sample k of a band starts at sample 2 k - gf_dwt_offset() and takes as many samples as there are
 * taps. */
static inline int gf_dwt_offset(const struct gf_wavelet *w) {
    return w->boundary == GF_PERIODIC ? gf_dwt_taps(w) / 2 - 1 : gf_dwt_taps(w) - 2;
}

/* If `on` is false the axis is not transformed: every band begins at 0 and has n samples. */
void gf_dwt_axis(int64_t n, bool on, int levels, const struct gf_wavelet *w,
                 struct gf_dwt_axis *out);

/* The number of levels, at least 1, that still shorten the approximation along the shortest
 * transformed axis: down to 1 sample, or taps - 1 if the boundary is not periodic. */
int gf_dwt_max_levels(int ndim, const int64_t *shape, unsigned axes, const struct gf_wavelet *w);

/* Shape of the picture, or of its packed coefficients, with channels last. */
void gf_dwt_shape(const struct gf_job *job, bool packed, int64_t shape[GF_MAX_RANK]);

/* The type of coefficients. */
static inline enum gf_dtype gf_dwt_real(const struct gf_job *job) {
    return job->precision == GF_DOUBLE ? GF_F64 : GF_F32;
}
/* The extents of all levels; axes that the job lacks have one sample. */
struct gf_dwt_layout {
    struct gf_dwt_axis axis[3]; /* z, y, x */
    bool on[3];                 /* transformed */
    int64_t pixel;              /* bytes of a coefficient, all channels */
};
void gf_dwt_layout(const struct gf_job *job, struct gf_dwt_layout *out);
/* True if bands have no gaps between them. */
bool gf_dwt_layout_is_tight(const struct gf_dwt_layout *a);
/* Rows, and bytes of a row, of a plane that holds a level's y and x bands without gaps. */
static inline int64_t gf_dwt_layout_rows(const struct gf_dwt_layout *a, int level) {
    return (1 + a->on[1]) * a->axis[1].n[level];
}
static inline int64_t gf_dwt_layout_row(const struct gf_dwt_layout *a, int level) {
    return (1 + a->on[2]) * a->axis[2].n[level] * a->pixel;
}
/* The job of one level on `planes` planes. Its finer side is the samples on level 1, else the
 * previous level's approximation. */
struct gf_job gf_dwt_level_job(const struct gf_job *job, int level, int64_t planes);

#endif
