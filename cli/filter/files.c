/* Masks and kernels from pictures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter/files.h"
#include "cli/log.h"
#include "core/base/sample_value.h"
#include "core/base/memory.h"
#include "core/base/status.h"
#include "formats/files.h"

static const double LUMA[3] = {0.2126, 0.7152, 0.0722}; /* Rec.709 */
/* A kernel whose sum is less than this of the sum of its absolute values is one of differences. */
static const double ZERO_SUM = 1e-6;

/* One number a place: grey, or the luma of red, green and blue; alpha does not count. */
static double sample(const struct gf_image *image, int64_t at) {
    const struct gf_array *px = &image->px;
    int64_t offset = 0;
    double v = 0;
    for (int i = image->ndim - 1; i >= 0; i--) {
        offset += at % px->shape[i] * px->stride[i];
        at /= px->shape[i];
    }
    const char *p = (const char *)px->data + offset;
    if (px->shape[image->ndim] - image->alpha == 1)
        return gf_sample_get(p, px->dtype);
    for (int c = 0; c < 3; c++)
        v += LUMA[c] * gf_sample_get(p + c * px->stride[image->ndim], px->dtype);
    return v;
}

static int check_image(const struct gf_image *image) {
    int64_t first[GF_MAX_RANK], channels = image->px.shape[image->ndim] - image->alpha;
    if (gf_dtype_is_complex(image->px.dtype))
        return gf_fail(GF_EINVAL, "complex samples; a filter's picture is real");
    if (channels != 1 && !(channels == 3 && image->color == GF_RGB))
        return gf_fail(GF_EINVAL, "%lld plain channels; a filter's picture is grey or RGB",
                       (long long)channels);
    if (gf_array_nonfinite(&image->px, first))
        return gf_fail(GF_EINVAL, "NaN or Inf among the samples");
    return 0;
}

/* Black to white is 0 to 1; of floats the numbers are taken. */
static void scale_mask(enum gf_dtype dtype, double *v, int64_t n) {
    double low, white = 1;
    if (gf_dtype_is_integer(dtype))
        gf_dtype_range(dtype, &low, &white);
    for (int64_t i = 0; i < n; i++)
        v[i] /= white;
}

static int scale_kernel(double *v, int64_t n) {
    double sum = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += v[i];
        size += fabs(v[i]);
    }
    if (size == 0)
        return gf_fail(GF_EINVAL, "a kernel of zeros");
    for (int64_t i = 0; i < n && fabs(sum) > ZERO_SUM * size; i++)
        v[i] /= sum;
    return 0;
}

static int read_part(const struct gf_settings *s, struct gf_filter_part *p) {
    struct gf_image image = {0};
    struct gf_read_options options = {.max_memory =
                                          s->max_memory ? s->max_memory : gf_memory_available()};
    int rc = gf_image_read(p->text, &options, &image, NULL);
    if (!rc)
        rc = check_image(&image);
    if (rc)
        goto out;
    int64_t n = gf_array_count(&image.px) / image.px.shape[image.ndim];
    p->ndim = image.ndim;
    memcpy(p->file.extent, image.px.shape, (size_t)image.ndim * sizeof *p->file.extent);
    p->file.value = malloc((size_t)n * sizeof *p->file.value);
    if (!p->file.value) {
        rc = gf_fail(GF_ENOMEM, "out of memory");
        goto out;
    }
    for (int64_t i = 0; i < n; i++)
        p->file.value[i] = sample(&image, i);
    if (p->what == GF_MASK)
        scale_mask(image.px.dtype, p->file.value, n);
    else
        rc = scale_kernel(p->file.value, n);
out:
    gf_image_free(&image);
    return rc;
}

int gf_filter_read_files(struct gf_settings *s) {
    for (int i = 0; i < s->filter.n_parts; i++) {
        struct gf_filter_part *p = &s->filter.part[i];
        int rc = p->what == GF_MASK || p->what == GF_KERNEL ? read_part(s, p) : 0;
        if (rc) {
            gf_log_fail(p->text);
            return rc;
        }
    }
    return 0;
}

void gf_filter_free_files(struct gf_settings *s) {
    for (int i = 0; i < s->filter.n_parts; i++) {
        free(s->filter.part[i].file.value);
        s->filter.part[i].file.value = NULL;
    }
}
