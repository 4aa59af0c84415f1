/* Operations on samples, against which the lessons compare transforms. */
#include <stdlib.h>

#include "cli/demo/demo.h"
#include "core/base/sample_value.h"
#include "cli/batch/task.h"
#include "cli/batch/template.h"
#include "core/base/status.h"
#include "formats/files.h"

bool gf_hand_asked(const struct gf_settings *s) {
    return s->demo.page != GF_UNSET || s->demo.every || s->demo.sum;
}

/* Allocates a picture of `like`'s type and colour and of this shape. */
static int make_picture(const struct gf_image *like, int ndim, const int64_t *shape,
                        struct gf_image *out) {
    *out = (struct gf_image){
        .ndim = ndim, .color = like->color, .alpha = like->alpha, .depth = like->depth};
    return gf_array_alloc(&out->px, like->px.dtype, ndim + 1, shape);
}

static int take_page(const struct gf_image *in, int64_t page, struct gf_image *out) {
    if (in->ndim != 3)
        return gf_fail(GF_EINVAL, "not a volume; --page needs one");
    if (page >= in->px.shape[0])
        return gf_fail(GF_EINVAL, "--page=%lld, and the last one is %lld", (long long)page,
                       (long long)in->px.shape[0] - 1);
    struct gf_array plane = gf_array_index(&in->px, 0, page);
    int rc = make_picture(in, 2, plane.shape, out);
    if (!rc)
        gf_array_copy(&out->px, &plane);
    return rc;
}

/* Samples 0, step, 2 step, … along every axis. */
static int take_every(const struct gf_image *in, int64_t step, struct gf_image *out) {
    struct gf_array some = in->px;
    some.base = NULL;
    for (int i = 0; i < in->ndim; i++) {
        some.shape[i] = (some.shape[i] + step - 1) / step;
        some.stride[i] *= step;
    }
    int rc = make_picture(in, in->ndim, some.shape, out);
    if (!rc)
        gf_array_copy(&out->px, &some);
    return rc;
}

/* A sample of the kernel that is not 0, and its offset from the middle, sample n/2. */
struct tap {
    int64_t y, x;
    double weight;
};

/* Reads the taps; their weights add up to 1. */
static int read_taps(const struct gf_image *kernel, struct tap **taps, int64_t *n) {
    const struct gf_array *k = &kernel->px;
    double whole = 0;
    if (kernel->ndim != 2 || k->shape[2] != 1)
        return gf_fail(GF_EINVAL, "--sum: the kernel must be a grey picture");
    *taps = malloc((size_t)gf_array_count(k) * sizeof **taps);
    if (!*taps)
        return gf_fail(GF_ENOMEM, "out of memory for the kernel");
    for (int64_t j = 0; j < k->shape[0]; j++)
        for (int64_t i = 0; i < k->shape[1]; i++) {
            const char *p = (const char *)k->data + j * k->stride[0] + i * k->stride[1];
            struct tap t = {j - k->shape[0] / 2, i - k->shape[1] / 2, gf_sample_get(p, k->dtype)};
            whole += t.weight;
            if (t.weight != 0)
                (*taps)[(*n)++] = t;
        }
    if (!(whole > 0))
        return gf_fail(GF_EINVAL, "--sum: the kernel's samples add up to %g", whole);
    for (int64_t i = 0; i < *n; i++)
        (*taps)[i].weight /= whole;
    return 0;
}

static int64_t wrap(int64_t k, int64_t n) {
    return (k % n + n) % n;
}

/* One sample of the convolution by its definition: the sum of k(j, i) p(y - j, x - i), the picture
 * repeating itself. */
static double sum_at(const struct gf_array *p, const struct tap *tap, int64_t n, int64_t y,
                     int64_t x, int64_t channel) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t v = wrap(y - tap[i].y, p->shape[0]), u = wrap(x - tap[i].x, p->shape[1]);
        const char *from = (const char *)p->data + v * p->stride[0] + u * p->stride[1];
        sum += tap[i].weight * gf_sample_get(from + channel * p->stride[2], p->dtype);
    }
    return sum;
}

static int take_sum(const struct gf_image *in, const struct gf_image *kernel,
                    struct gf_image *out) {
    struct tap *tap = NULL;
    int64_t n = 0;
    if (in->ndim != 2)
        return gf_fail(GF_EINVAL, "--sum takes a picture, and this has %d axes", in->ndim);
    int rc = read_taps(kernel, &tap, &n);
    if (!rc)
        rc = make_picture(in, 2, in->px.shape, out);
    for (int64_t y = 0; y < in->px.shape[0] && !rc; y++)
        for (int64_t x = 0; x < in->px.shape[1]; x++)
            for (int64_t c = 0; c < in->px.shape[2]; c++) {
                char *to = (char *)out->px.data + y * out->px.stride[0] + x * out->px.stride[1] +
                           c * out->px.stride[2];
                gf_sample_put(to, out->px.dtype, sum_at(&in->px, tap, n, y, x, c));
            }
    free(tap);
    return rc;
}

int gf_hand_run(const struct gf_settings *s, const char *in) {
    struct gf_image image = {0}, kernel = {0}, out = {0};
    const struct gf_format *format;
    struct gf_write_options options = gf_settings_write_options(s);
    struct gf_template where;
    int rc = gf_template_parse("--out", s->out, &where);
    if (!rc)
        rc = gf_template_format(&where, where.text, &format);
    if (!rc)
        rc = gf_load_picture(s, in, false, &image);
    if (rc)
        goto out;
    if (s->demo.page != GF_UNSET)
        rc = take_page(&image, s->demo.page, &out);
    else if (s->demo.every)
        rc = take_every(&image, s->demo.every, &out);
    else if (!(rc = gf_load_picture(s, s->demo.sum, false, &kernel)))
        rc = take_sum(&image, &kernel, &out);
    if (!rc)
        rc = gf_format_accepts(format, &out);
    if (!rc)
        rc = gf_image_write(where.text, format, &out, &options, s->clobber);
out:
    gf_image_free(&image);
    gf_image_free(&kernel);
    gf_image_free(&out);
    return rc;
}
