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

/* A picture's colours, without alpha. */
static struct gf_array colours(const struct gf_image *image) {
    return gf_array_slice(&image->px, image->ndim, 0, image->px.shape[image->ndim] - image->alpha);
}

/* Reads rows of a mask as numbers from 0 to 1, or of a line samples. */
static int read_rows(const struct gf_filter_part *p, int64_t first, int64_t n, double *to) {
    const struct source *from = p->source;
    const struct gf_array *px = &from->header.px, pixels = colours(&from->header);
    const bool line = p->ndim == 1;
    const double white = gf_filter_white(from->header.px.dtype, from->header.white);
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
        to[i] = gf_filter_pixel(&pixels, row + i * step) / white;
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
    const struct gf_array pixels = colours(&from->header);
    if (!rc && kept)
        rc = gf_filter_check_picture(&pixels, from->header.color == GF_RGB);
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
    const struct gf_array px = colours(&image);
    if (!rc)
        rc = gf_filter_give(p, &px, image.color == GF_RGB, image.white);
    if (!rc && !p->refused && p->what == GF_MASK && is_spectrum(p))
        gf_log_note("--mask=%s is like a spectrum's picture; did you mean --paint=FILE?", p->text);
    gf_image_free(&image);
    return rc;
}

int gf_filter_read_files(struct gf_settings *s) {
    for (int i = 0; i < s->filter.n_parts; i++) {
        struct gf_filter_part *p = &s->filter.part[i];
        int rc = gf_filter_is_file(p) ? read_part(s, p) : 0;
        if (!rc)
            rc = gf_filter_finish(&s->filter, p);
        if (rc) {
            gf_log_fail(p->text);
            return rc;
        }
    }
    return 0;
}

void gf_filter_free_files(struct gf_settings *s) {
    gf_filter_free_parts(&s->filter);
    for (int i = 0; i < s->filter.n_parts; i++)
        close_mask(&s->filter.part[i]);
}
