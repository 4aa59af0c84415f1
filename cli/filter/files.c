/* Reads masks and kernels from pictures. */
#include <stdlib.h>

#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "core/base/value/sample_value.h"
#include "core/base/host/memory.h"

/* A mask that is read in parts. */
struct source {
    struct gf_file *file;
    struct gf_image header;
};

static void close_mask(struct gf_filter_part *p) {
    struct source *from = p->source;
    if (from) {
        gf_file_close(from->file);
        gf_image_free(&from->header);
    }
    free(from);
    p->source = NULL;
    p->read = NULL;
}

/* A kernel whose sum is below this share of its absolute sum is a difference and not scaled. */
static const double ZERO_SUM = 1e-6;

/* The value of the pixel at `p`: grey, or the luma of red, green and blue, without alpha. */
static double sample_at(const struct gf_image *image, const char *p) {
    const struct gf_array *px = &image->px;
    double v = 0;
    if (px->shape[image->ndim] - image->alpha == 1)
        return gf_sample_get(p, px->dtype);
    for (int c = 0; c < 3; c++)
        v += gf_luma_weight[c] * gf_sample_get(p + c * px->stride[image->ndim], px->dtype);
    return v;
}

static int check_image(const struct gf_image *image) {
    const int64_t channels = image->px.shape[image->ndim] - image->alpha;
    if (gf_dtype_is_complex(image->px.dtype))
        return gf_fail(GF_EINVAL, "complex samples; a filter's picture is real");
    if (channels != 1 && !(channels == 3 && image->color == GF_RGB))
        return gf_fail(GF_EINVAL, "%lld plain channels; a filter's picture is grey or RGB",
                       (long long)channels);
    if (image->px.data && gf_array_nonfinite(&image->px, NULL))
        return gf_fail(GF_EINVAL, "NaN or Inf among the samples");
    return 0;
}

double gf_filter_mask_white(const struct gf_image *image) {
    double low, white = 1;
    if (gf_dtype_is_integer(image->px.dtype))
        gf_dtype_range(image->px.dtype, &low, &white);
    return image->white > 0 ? image->white : white;
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

/* Reads rows of a mask as numbers from 0 to 1, or of a line samples. */
static int read_rows(const struct gf_filter_part *p, int64_t first, int64_t n, double *to) {
    const struct source *from = p->source;
    const struct gf_array *px = &from->header.px;
    const bool line = p->ndim == 1;
    const double white = gf_filter_mask_white(&from->header);
    const int64_t samples = line ? n : n * px->shape[p->ndim - 1], step = px->stride[p->ndim - 1];
    char *row = gf_alloc((size_t)(samples * step));
    int rc = row ? 0 : gf_no_memory();
    if (!rc && line && gf_file_unit(from->file) < GF_SAMPLE)
        rc = gf_fail(GF_EUNSUPP, "--mask=%s: a line's mask of that size is a raw or .npy file",
                     p->text);
    if (!rc)
        rc = gf_file_read_part(from->file, &from->header, line ? GF_SAMPLE : GF_ROW, first, n, row);
    const int64_t shape[] = {samples, px->shape[p->ndim]};
    const struct gf_array a = gf_array_wrap(row, px->dtype, 2, shape);
    if (!rc && gf_array_nonfinite(&a, NULL))
        rc = gf_fail(GF_EINVAL, "--mask=%s: NaN or Inf among the samples", p->text);
    for (int64_t i = 0; i < samples && !rc; i++)
        to[i] = sample_at(&from->header, row + i * step) / white;
    gf_free(row);
    return rc;
}

/* Keeps a large mask open as p->source, if it can be read row by row, or a line's span by span. */
static int open_mask(const struct gf_settings *s, const struct gf_read_options *options,
                     struct gf_filter_part *p) {
    enum { SHARE = 4 };
    bool kept = false;
    if (p->what != GF_MASK || !s->scratch)
        return 0;
    struct source *from = p->source = calloc(1, sizeof *from);
    if (!from)
        return gf_no_memory();
    int rc = gf_file_open(p->text, options, &from->file, &from->header);
    const struct gf_array *px = &from->header.px;
    if (!rc)
        kept = gf_array_count(px) > options->max_memory / SHARE / (int64_t)sizeof(double) &&
               gf_file_unit(from->file) >= (from->header.ndim > 1 ? GF_ROW : GF_SAMPLE);
    if (!rc && kept)
        rc = check_image(&from->header);
    p->ndim = from->header.ndim;
    if (!rc && kept) {
        memcpy(p->file.extent, px->shape, (size_t)p->ndim * sizeof *px->shape);
        p->sample_bytes = px->stride[p->ndim - 1];
        p->read = read_rows;
    } else {
        close_mask(p);
    }
    return rc;
}

/* True if it is bright in the middle, even, and as rough as noise, 4/9 of which are extremes. */
static bool is_spectrum(const struct gf_filter_part *p) {
    const double *v = p->file.value, step = 0.5 / 255;
    const int64_t h = p->file.extent[0], w = p->file.extent[1], n = h * w;
    double even = 0, rough = 0, excess = 0;
    for (int64_t i = 0; i < n && p->ndim == 2; i++) {
        const int64_t left = (i + n - 1) % n, right = (i + 1) % n;
        const int64_t up = (i + n - w) % n, down = (i + w) % n;
        const int64_t y = (2 * (h / 2) - i / w + h) % h, x = (2 * (w / 2) - i % w + w) % w;
        const bool inner = llabs(y - h / 2) < h / 16 && llabs(x - w / 2) < w / 16;
        excess += inner ? 63 * v[i] : -v[i];
        even += fabs(v[i] - v[y * w + x]) < 3 * step;
        rough += fabs(v[i] - v[left]) > step && (v[i] > v[left]) == (v[i] > v[right]) &&
                 fabs(v[i] - v[up]) > step && (v[i] > v[up]) == (v[i] > v[down]);
    }
    return fmin(fmin(even / 0.8, rough / 0.25), excess / 0.04) > (double)n;
}

/* Reads a file. If it exceeds the memory limit, its header suffices: the task is refused later, with
 * its whole need. */
static int read_image(const struct gf_settings *s, struct gf_read_options *options,
                      struct gf_filter_part *p, struct gf_image *image) {
    const int rc = gf_image_read(p->text, options, image, NULL);
    if (rc != GF_ENOMEM || gf_filter_iterates(&s->filter))
        return rc;
    options->header_only = true;
    p->refused = strdup(gf_message());
    return p->refused ? gf_image_read(p->text, options, image, NULL) : rc;
}

static int read_part(const struct gf_settings *s, struct gf_filter_part *p) {
    struct gf_image image = {0};
    /* The need depends on a point-spread function's symmetry, so that it is read at any rate. */
    const bool limited = s->max_memory && p->what != GF_PSF;
    struct gf_read_options options = {.max_memory =
                                          limited ? s->max_memory : gf_memory_available()};
    int rc = open_mask(s, &options, p);
    if (rc || p->source)
        return rc;
    rc = read_image(s, &options, p, &image);
    if (!rc)
        rc = check_image(&image);
    if (rc)
        goto out;
    int64_t n = gf_array_count(&image.px) / image.px.shape[image.ndim];
    p->ndim = image.ndim;
    memcpy(p->file.extent, image.px.shape, (size_t)image.ndim * sizeof *p->file.extent);
    p->file.value = calloc((size_t)n, sizeof *p->file.value); /* zeros take none until written */
    if (!p->file.value)
        rc = gf_no_memory();
    if (rc || p->refused)
        goto out;
    const double white = gf_filter_is_shown(p) ? gf_filter_mask_white(&image) : 1;
    p->step = gf_dtype_is_integer(image.px.dtype) ? 1 / white : 0;
    const char *pixel = image.px.data;
    for (int64_t i = 0; i < n; i++)
        p->file.value[i] = sample_at(&image, pixel + i * image.px.stride[image.ndim - 1]) / white;
    if (p->what == GF_MASK && is_spectrum(p))
        gf_log_note("--mask=%s is like a spectrum's picture; did you mean --paint=FILE?", p->text);
    if (!gf_filter_is_shown(p))
        rc = scale_kernel(p->file.value, n, p->what == GF_PSF);
out:
    gf_image_free(&image);
    return rc;
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
static int choose_edges(struct gf_settings *s, const struct gf_filter_part *psf) {
    int *edges = &s->filter.edges;
    if (*edges == GF_EDGES_MIRROR && !psf->symmetric && gf_filter_iterates(&s->filter))
        return gf_fail(GF_EINVAL,
                       "--edges=mirror: --iterations would diverge, as the blur is not its "
                       "own mirror image; leave --edges out, or give taper");
    if (*edges == GF_UNSET)
        *edges = psf->symmetric ? GF_EDGES_MIRROR : GF_EDGES_TAPER;
    return 0;
}

int gf_filter_read_files(struct gf_settings *s) {
    for (int i = 0; i < s->filter.n_parts; i++) {
        struct gf_filter_part *p = &s->filter.part[i];
        int rc = gf_filter_is_file(p) ? read_part(s, p) : 0;
        const bool made = p->what == GF_KERNEL_MADE || p->what == GF_PSF_MADE;
        if (made && p->psf.shape != GF_PSF_GAUSSIAN) {
            p->ndim = 2;
            rc = gf_psf_allocate(&p->psf, p->file.extent, &p->file.value);
        }
        const bool line = made && p->psf.shape == GF_PSF_MOTION;
        if (!rc && line)
            gf_psf_sample(&p->psf, p->file.extent, p->file.value);
        /* Round ones are sampled once a picture has room for them. */
        p->symmetric = !rc && p->what >= GF_PSF && ((made && !line) || is_symmetric(p));
        if (!rc && p->what >= GF_PSF)
            rc = choose_edges(s, p);
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
        free(s->filter.part[i].refused);
        s->filter.part[i].file.value = NULL;
        s->filter.part[i].refused = NULL;
        close_mask(&s->filter.part[i]);
    }
}
