#include "core/wavelet/dwt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/status.h"

static int64_t half(int64_t n, enum gf_boundary b) {
    return b == GF_PERIODIC ? n / 2 + n % 2 : (n + 3) / 2;
}

void gf_dwt_axis(int64_t n, bool on, int levels, enum gf_boundary b, struct gf_dwt_axis *out) {
    memset(out, 0, sizeof *out);
    out->n[0] = n;
    for (int l = 1; l <= levels; l++)
        out->n[l] = on ? half(out->n[l - 1], b) : n;
    if (levels < 1 || !on) {
        out->packed = n;
        return;
    }
    int64_t end = out->n[levels];
    for (int l = levels; l >= 1; l--) {
        out->at[l] = end;
        end += out->n[l];
    }
    out->packed = end;
}

int gf_dwt_max_levels(int ndim, const int64_t *shape, unsigned axes, enum gf_boundary b) {
    int most = GF_MAX_LEVELS;
    for (int i = 0; i < ndim; i++) {
        if (!(axes >> i & 1))
            continue;
        int levels = 0;
        for (int64_t n = shape[i]; half(n, b) < n && levels < GF_MAX_LEVELS; n = half(n, b))
            levels++;
        most = levels < most ? levels : most;
    }
    return most < 1 ? 1 : most;
}

static bool on_axis(const struct gf_job *job, int i) {
    return job->axes >> i & 1;
}

void gf_dwt_shape(const struct gf_job *job, bool packed, int64_t shape[GF_MAX_RANK]) {
    memset(shape, 0, GF_MAX_RANK * sizeof *shape);
    for (int i = 0; i < job->ndim; i++) {
        struct gf_dwt_axis axis;
        gf_dwt_axis(job->shape[i], on_axis(job, i), job->wavelet.levels, job->wavelet.boundary,
                    &axis);
        shape[i] = packed ? axis.packed : job->shape[i];
    }
    shape[job->ndim] = job->channels;
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
        gf_dwt_axis(job->shape[i], on_axis(job, i), levels, job->wavelet.boundary, &axis[i]);
    describe_band(job, axis, levels, 0, &bands[n++]);
    for (int l = levels; l >= 1; l--)
        for (unsigned key = 1; key < 1u << job->ndim; key++) {
            unsigned detail = 0; /* counted with the last axis fastest, as PyWavelets sorts keys */
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

static int check_threshold(const struct gf_wavelet *w) {
    if (w->threshold == GF_KEEP_ALL)
        return 0;
    if (w->threshold != GF_HARD && w->threshold != GF_SOFT)
        return gf_fail(GF_EINVAL, "no such threshold: %d", (int)w->threshold);
    if (!isfinite(w->amount) || w->amount < 0)
        return gf_fail(GF_EINVAL, "a threshold is a finite number from 0");
    if (w->percent && w->amount > 100)
        return gf_fail(GF_EINVAL, "a threshold keeps 0%% to 100%% of the details");
    return 0;
}

static int check_outputs(const struct gf_job *job) {
    for (int i = 0; i < job->n_out && i < GF_MAX_OUTPUTS; i++) {
        const struct gf_output *out = &job->out[i];
        bool integer = gf_dtype_is_integer(out->dtype);
        if (out->kind != GF_REAL || gf_dtype_is_complex(out->dtype))
            return gf_fail(GF_EINVAL, "a wavelet transform of real samples is real");
        if (out->half || out->shift)
            return gf_fail(GF_EINVAL, "wavelet coefficients are not shifted or halved");
        if (job->direction == GF_FORWARD && integer && out->map != GF_MAP_DISPLAY)
            return gf_fail(GF_EINVAL, "wavelet coefficients do not fit %s as numbers",
                           gf_dtype_name(out->dtype));
        if (job->direction == GF_INVERSE && out->map != GF_MAP_NUMBER)
            return gf_fail(GF_EINVAL, "an inverse wavelet transform gives numbers");
    }
    return 0;
}

int gf_dwt_validate(const struct gf_job *job) {
    const struct gf_wavelet *w = &job->wavelet;
    int64_t shape[GF_MAX_RANK], bytes;
    if (job->direction != GF_FORWARD && job->direction != GF_INVERSE)
        return gf_fail(GF_EINVAL, "no such direction: %d", (int)job->direction);
    if (w->levels < 1 || w->levels > GF_MAX_LEVELS)
        return gf_fail(GF_EINVAL, "%d levels, where 1 to %d are possible", w->levels,
                       GF_MAX_LEVELS);
    if (w->boundary != GF_PERIODIC && w->boundary != GF_SYMMETRIC && w->boundary != GF_ZERO)
        return gf_fail(GF_EINVAL, "no such boundary: %d", (int)w->boundary);
    if (gf_dtype_is_complex(job->in_dtype))
        return gf_fail(GF_EINVAL, "complex samples, and wavelets are taken of real ones");
    if (job->luma)
        return gf_fail(GF_EINVAL, "a wavelet transform has no luma");
    gf_dwt_shape(job, true, shape);
    int rc = gf_size_product(shape, job->ndim + 1, 16, &bytes);
    if (!rc)
        rc = check_threshold(w);
    return rc ? rc : check_outputs(job);
}
