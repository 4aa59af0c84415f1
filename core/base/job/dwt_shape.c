/* The extents of a wavelet transform, level by level and packed. */
#include "core/base/job/dwt_shape.h"

#include <string.h>

static int64_t half(int64_t n, const struct gf_wavelet *w) {
    return w->boundary == GF_PERIODIC ? n / 2 + n % 2 : (n + gf_dwt_taps(w) - 1) / 2;
}

void gf_dwt_axis(int64_t n, bool on, int levels, const struct gf_wavelet *w,
                 struct gf_dwt_axis *out) {
    memset(out, 0, sizeof *out);
    out->n[0] = n;
    for (int l = 1; l <= levels; l++)
        out->n[l] = on ? half(out->n[l - 1], w) : n;
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

int gf_dwt_max_levels(int ndim, const int64_t *shape, unsigned axes, const struct gf_wavelet *w) {
    int most = GF_MAX_LEVELS;
    for (int i = 0; i < ndim; i++) {
        if (!(axes >> i & 1))
            continue;
        int levels = 0;
        for (int64_t n = shape[i]; half(n, w) < n && levels < GF_MAX_LEVELS; n = half(n, w))
            levels++;
        most = (int)gf_min(levels, most);
    }
    return (int)gf_max(most, 1);
}

void gf_dwt_shape(const struct gf_job *job, bool packed, int64_t shape[GF_MAX_RANK]) {
    memset(shape, 0, GF_MAX_RANK * sizeof *shape);
    for (int i = 0; i < job->ndim; i++) {
        struct gf_dwt_axis axis;
        gf_dwt_axis(job->shape[i], job->axes >> i & 1, job->wavelet.levels, &job->wavelet, &axis);
        shape[i] = packed ? axis.packed : job->shape[i];
    }
    shape[job->ndim] = job->channels;
}

void gf_dwt_layout(const struct gf_job *job, struct gf_dwt_layout *out) {
    out->pixel = job->channels * (int64_t)gf_dtype_size(gf_dwt_real(job));
    for (int i = 0; i < 3; i++) {
        const int at = i - (3 - job->ndim);
        out->on[i] = at >= 0 && (job->axes >> at & 1);
        gf_dwt_axis(at < 0 ? 1 : job->shape[at], out->on[i], job->wavelet.levels, &job->wavelet,
                    &out->axis[i]);
    }
}

bool gf_dwt_layout_is_tight(const struct gf_dwt_layout *a) {
    bool gaps = false;
    for (int i = 0; i < 3; i++)
        for (int l = 1; l <= GF_MAX_LEVELS && a->on[i]; l++)
            gaps |= a->axis[i].at[l] > a->axis[i].n[l];
    return !gaps;
}

struct gf_job gf_dwt_level_job(const struct gf_job *job, int level, int64_t planes) {
    const struct gf_output real = {.kind = GF_REAL, .dtype = gf_dwt_real(job)};
    const bool forward = job->direction == GF_FORWARD;
    struct gf_dwt_layout layout;
    struct gf_job one = *job;
    gf_dwt_layout(job, &layout);
    for (int i = 0; i < 3; i++)
        one.shape[i] = i ? layout.axis[i].n[level - 1] : planes;
    one.wavelet.levels = 1;
    one.lean = one.spend_input = false;
    if (level > 1 && forward)
        one.in_dtype = real.dtype;
    if (level > 1 || forward) {
        one.out[0] = real;
        one.n_out = 1;
    }
    return one;
}
