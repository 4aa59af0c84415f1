/* The bands of a wavelet transform: their names, and where they are among the coefficients. */
#include "core/wavelet/dwt.h"

#include <stdio.h>

static bool on_axis(const struct gf_job *job, int i) {
    return job->axes >> i & 1;
}

static void describe_band(const struct gf_job *job, const struct gf_dwt_axis *axis, int level,
                          unsigned detail, struct gf_dwt_band *band) {
    *band = (struct gf_dwt_band){.level = level, .detail = detail};
    int letters = 0;
    for (int i = 0; i < job->ndim; i++) {
        bool d = detail >> i & 1;
        band->start[i] = d ? axis[i].at[level] : 0;
        band->extent[i] = axis[i].n[level];
        if (on_axis(job, i))
            band->name[letters++] = d ? 'd' : 'a';
    }
    snprintf(band->name + letters, sizeof band->name - (size_t)letters, "%d", level);
}

int gf_dwt_bands(const struct gf_job *job, struct gf_dwt_band bands[GF_MAX_BANDS]) {
    struct gf_dwt_axis axis[GF_MAX_DIMS];
    int n = 0, levels = job->wavelet.levels;
    for (int i = 0; i < job->ndim; i++)
        gf_dwt_axis(job->shape[i], on_axis(job, i), levels, &job->wavelet, &axis[i]);
    describe_band(job, axis, levels, 0, &bands[n++]);
    for (int l = levels; l >= 1; l--)
        for (unsigned key = 1; key < 1u << job->ndim; key++) {
            unsigned detail = 0; /* the last axis is fastest, in PyWavelets' key order */
            for (int i = 0; i < job->ndim; i++)
                detail |= (key >> (job->ndim - 1 - i) & 1) << i;
            if (!(detail & ~job->axes))
                describe_band(job, axis, l, detail, &bands[n++]);
        }
    return n;
}

struct gf_array gf_dwt_band_view(const struct gf_job *job, const struct gf_dwt_band *band,
                                 const struct gf_array *c) {
    struct gf_array v = *c;
    v.base = NULL;
    for (int i = 0; i < job->ndim; i++)
        v = gf_array_slice(&v, i, band->start[i], band->extent[i]);
    return v;
}
