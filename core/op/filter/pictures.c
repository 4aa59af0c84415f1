/* The pictures that a filter's options name, masks and kernels, and kernels that are made. */
#include <stdlib.h>

#include "core/base/value/sample_value.h"
#include "core/op/filter/filtering.h"

/* A kernel whose sum is below this share of its absolute sum is a difference and not scaled. */
static const double ZERO_SUM = 1e-6;

double gf_filter_pixel(const struct gf_array *px, const char *p) {
    double v = 0;
    if (px->shape[px->rank - 1] == 1)
        return gf_sample_get(p, px->dtype);
    for (int c = 0; c < 3; c++)
        v += gf_luma_weight[c] * gf_sample_get(p + c * px->stride[px->rank - 1], px->dtype);
    return v;
}

int gf_filter_check_picture(const struct gf_array *px, bool rgb) {
    const int64_t channels = px->shape[px->rank - 1];
    if (gf_dtype_is_complex(px->dtype))
        return gf_fail(GF_EINVAL, "complex samples; a filter's picture is real");
    if (channels != 1 && !(channels == 3 && rgb))
        return gf_fail(GF_EINVAL, "%lld plain channels; a filter's picture is grey or RGB",
                       (long long)channels);
    if (px->data && gf_array_nonfinite(px, NULL))
        return gf_fail(GF_EINVAL, "NaN or Inf among the samples");
    return 0;
}

double gf_filter_white(enum gf_dtype dtype, double white) {
    double low, most = 1;
    if (gf_dtype_is_integer(dtype))
        gf_dtype_range(dtype, &low, &most);
    return white > 0 ? white : most;
}

static int scale_kernel(double *v, int64_t n, bool is_psf) {
    double sum = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += v[i];
        size += fabs(v[i]);
    }
    if (size == 0)
        return gf_fail(GF_EINVAL, "a kernel of zeros");
    if (is_psf && sum <= ZERO_SUM * size)
        return gf_fail(GF_EINVAL, "a sum of %.6g; that of a point-spread function is above 0", sum);
    for (int64_t i = 0; i < n && fabs(sum) > ZERO_SUM * size; i++)
        v[i] /= sum;
    return 0;
}

int gf_filter_give(struct gf_filter_part *p, const struct gf_array *px, bool rgb, double white) {
    int rc = gf_filter_check_picture(px, rgb);
    if (rc)
        return rc;
    p->ndim = px->rank - 1;
    const int64_t n = gf_shape_count(px->shape, p->ndim), step = px->stride[p->ndim - 1];
    memcpy(p->file.extent, px->shape, (size_t)p->ndim * sizeof *p->file.extent);
    p->file.value = calloc((size_t)n, sizeof *p->file.value); /* zeros take none until written */
    if (!p->file.value)
        return gf_no_memory();
    white = gf_filter_is_shown(p) ? gf_filter_white(px->dtype, white) : 1;
    p->step = gf_dtype_is_integer(px->dtype) ? 1 / white : 0;
    for (int64_t i = 0; i < n && px->data; i++)
        p->file.value[i] = gf_filter_pixel(px, (char *)px->data + i * step) / white;
    return gf_filter_is_shown(p) || !px->data ? 0
                                              : scale_kernel(p->file.value, n, p->what == GF_PSF);
}

/* True if a mirror image of the kernel along any axis is the kernel, but for rounding. */
static bool is_symmetric(const struct gf_filter_part *p) {
    const double ROUNDING = 1e-3, *v = p->file.value;
    double all = 0, differ = 0;
    int64_t step = 1;
    for (int axis = p->ndim - 1; axis >= 0 && v; axis--) {
        const int64_t n = p->file.extent[axis];
        for (int64_t i = 0; i < gf_shape_count(p->file.extent, p->ndim); i++) {
            const int64_t k = i / step % n, mirror = n / 2 * 2 - k;
            all += fabs(v[i]);
            differ += fabs(v[i] - (mirror < n ? v[i + (mirror - k) * step] : 0));
        }
        step *= n;
    }
    return differ <= ROUNDING * all;
}

/* A mirror image of the picture is blurred by the mirror image of the kernel: another kernel, if that
 * is not symmetric. Wiener's filter then gives waves along the edges, and the two blurs of
 * Richardson and Lucy are not each other's transpose, so that it diverges. */
static int choose_edges(struct gf_filter_options *o, const struct gf_filter_part *psf) {
    int *edges = &o->edges;
    if (*edges == GF_EDGES_MIRROR && !psf->symmetric && gf_filter_iterates(o))
        return gf_fail(GF_EINVAL,
                       "--edges=mirror: --iterations would diverge, as the blur is not its "
                       "own mirror image; leave --edges out, or give taper");
    if (*edges < 0)
        *edges = psf->symmetric ? GF_EDGES_MIRROR : GF_EDGES_TAPER;
    return 0;
}

int gf_filter_finish(struct gf_filter_options *o, struct gf_filter_part *p) {
    const bool made = p->what == GF_KERNEL_MADE || p->what == GF_PSF_MADE;
    const bool line = made && p->psf.shape == GF_PSF_MOTION;
    int rc = 0;
    if (made && p->psf.shape != GF_PSF_GAUSSIAN) {
        p->ndim = 2;
        rc = gf_psf_allocate(&p->psf, p->file.extent, &p->file.value);
    }
    if (!rc && line)
        gf_psf_sample(&p->psf, p->file.extent, p->file.value);
    /* Round ones are sampled once a picture has room for them. */
    p->symmetric = !rc && p->what >= GF_PSF && ((made && !line) || is_symmetric(p));
    return rc || p->what < GF_PSF ? rc : choose_edges(o, p);
}

void gf_filter_free_parts(struct gf_filter_options *o) {
    for (int i = 0; i < o->n_parts; i++) {
        free(o->part[i].file.value);
        free(o->part[i].refused);
        o->part[i].file.value = NULL;
        o->part[i].refused = NULL;
    }
}
