/* Reads and writes pictures and volumes. */
#include "core/api/picture.h"

#include <stdlib.h>
#include <string.h>

#include "core/api/layout.h"
#include "formats/files.h"

static int check_path(const struct gpufft *library, const char *path) {
    const int rc = gf_library_check(library);
    if (rc)
        return rc;
    return path && *path && strcmp(path, "-") ? 0 : gf_fail(GF_EUSAGE, "no path of a file");
}

/* ---- reading ---- */

/* Makes a spectrum's image one of the picture in its record, but for its samples. A record that cannot be
 * read counts as none; gpufft_image_inverse() says why. */
static int take_record(struct gpufft_image *p) {
    struct gf_record r;
    if (!p->image.record || gf_record_parse(p->image.record, &r))
        return 0;
    const int rc = gf_record_match(&r, &p->image.px);
    p->image.ndim = r.ndim;
    p->image.color = r.color;
    p->image.alpha = r.alpha == GF_ALPHA_KEPT;
    p->image.white = (double)r.white;
    p->image.channel_axis = r.channel_axis;
    p->image.axes = r.file_axes;
    return rc ? rc : gf_record_restore(&r, &p->image);
}

int gpufft_image_read(struct gpufft *library, const char *path, struct gpufft_image **out) {
    if (!out)
        return gf_fail(GF_EUSAGE, "no place for the picture");
    *out = NULL;
    int rc = check_path(library, path);
    struct gpufft_image *p = rc ? NULL : calloc(1, sizeof *p);
    if (!p)
        return rc ? rc : gf_no_memory();
    p->library = gf_library_keep(library);
    rc = gf_image_read(path,
                       &(struct gf_read_options){.max_memory = library->options.memory,
                                                 .threads = library->threads},
                       &p->image, NULL);
    if (!rc)
        rc = take_record(p);
    if (rc)
        gpufft_image_free(p);
    else
        *out = p;
    return rc;
}

void gpufft_image_free(struct gpufft_image *p) {
    if (!p || !gf_library_is_here(p->library))
        return;
    gf_image_free(&p->image);
    gf_library_drop(p->library);
    free(p);
}

int gpufft_image_samples(const struct gpufft_image *p, struct gpufft_array *to) {
    if (!p)
        return gf_fail(GF_EUSAGE, "no picture");
    const int rc = gf_struct_take(NULL, sizeof *to, to, "array");
    if (rc)
        return rc;
    const struct gf_array *px = &p->image.px;
    *to = (struct gpufft_array){.size = to->size,
                                .type = (int)px->dtype,
                                .rank = px->rank,
                                .data = px->data,
                                .channels = 1 + p->image.alpha,
                                .image = p};
    memcpy(to->shape, px->shape, (size_t)px->rank * sizeof *px->shape);
    memcpy(to->stride, px->stride, (size_t)px->rank * sizeof *px->stride);
    return 0;
}

int gpufft_image_spacing(const struct gpufft_image *p, int i, double *spacing, const char **unit) {
    if (!p || !spacing || !unit || i < 0 || i >= p->image.ndim)
        return gf_fail(GF_EUSAGE, p ? "no axis %d, or no place for its spacing" : "no picture", i);
    const struct gf_axis *a = gf_axes_spatial(&p->image.axes, p->image.ndim, i);
    *spacing = a ? a->spacing : 0;
    *unit = a ? a->unit : "";
    return 0;
}

const char *gpufft_image_record(const struct gpufft_image *p) {
    return p ? p->image.record : NULL;
}

int gpufft_image_inverse(const struct gpufft_image *p, struct gpufft_transform *to) {
    struct gpufft_transform t;
    struct gf_record record, *r = &record;
    if (!p)
        return gf_fail(GF_EUSAGE, "no picture");
    int rc = gf_struct_take(&t, sizeof t, to, "transform");
    if (!rc && !p->image.record)
        rc = gf_fail(GF_EINVAL, "no record of a transform");
    if (!rc)
        rc = gf_record_parse(p->image.record, r);
    if (rc)
        return rc;
    if (r->is_wavelet || r->kind != GF_COMPLEX)
        return gf_fail(GF_EINVAL, "a record of %s, not of a complex spectrum",
                       r->is_wavelet ? "wavelet coefficients" : gf_kind_name(r->kind));
    if (r->shift || p->image.alpha || !gf_window_is_flat(&r->window) || r->smooth)
        return gf_fail(GF_EUNSUPP, "a spectrum that is centred, has alpha, or is of samples behind "
                                   "a window or without their smooth part");
    t = (struct gpufft_transform){.size = to->size,
                                  .direction = GPUFFT_INVERSE,
                                  .in_type = (int)p->image.px.dtype,
                                  .rank = r->ndim + 1,
                                  .half = r->half,
                                  .norm = (int)r->norm};
    t.out_type = r->complex_input ? t.in_type : (int)gf_dtype_real(p->image.px.dtype);
    memcpy(t.shape, r->shape, (size_t)r->ndim * sizeof *t.shape);
    t.shape[r->ndim] = r->channels;
    for (int i = 0; i < r->ndim; i++)
        if (r->axes >> i & 1)
            t.axes[t.n_axes++] = i;
    *to = t;
    return 0;
}

/* ---- writing ---- */

/* The transform as a job of the array's axes, channels last. */
static int job_of(const struct gpufft_transform *from, const struct gf_image *v,
                  const struct gpufft_array *samples, struct gf_job *job) {
    struct gpufft_transform t;
    struct gf_layout l;
    int64_t shape[GF_MAX_RANK];
    int rc = gf_struct_take(&t, sizeof t, from, "transform");
    if (!rc)
        rc = gf_layout_make(&t, &l);
    if (!rc && (t.direction != GPUFFT_FORWARD || t.rank != v->ndim + samples->channels ||
                t.out_type != (int)v->px.dtype || v->alpha))
        rc = gf_fail(GF_EINVAL, "this transform did not make these samples");
    if (rc)
        return rc;
    *job = l.job;
    job->ndim = v->ndim;
    job->channels = v->px.shape[v->ndim];
    job->axes = job->channels > 1 ? l.axes : l.axes & ((1u << v->ndim) - 1);
    memcpy(job->shape, t.shape, (size_t)v->ndim * sizeof *job->shape);
    if (!job->axes || job->axes >> v->ndim || (t.half && job->axes >> l.halved != 1))
        return gf_fail(GF_EINVAL, "a record has spatial axes, and halves the last one");
    gf_job_out_shape(job, 0, shape);
    return memcmp(shape, v->px.shape, (size_t)v->px.rank * sizeof *shape)
               ? gf_fail(GF_EINVAL, "this transform did not make these samples")
               : 0;
}

/* Sets what the file gets beside the samples. What is borrowed stays the source's. */
static void describe(const struct gf_image *source, struct gf_image *v) {
    const int64_t channels = v->px.shape[v->ndim] - v->alpha;
    v->color = gf_color_of(channels);
    if (!source)
        return;
    if (source->px.shape[source->ndim] - source->alpha == channels)
        v->color = source->color;
    v->channel_axis = source->channel_axis;
    v->metadata = source->metadata;
    if (source->px.dtype == v->px.dtype) {
        v->white = source->white;
        v->restores = true;
    }
    if (source->ndim != v->ndim)
        return;
    v->axes = source->axes;
    if (gf_axes_pages(&v->axes) != v->px.shape[0])
        gf_axes_drop_pages(&v->axes, false);
}

/* Makes the described image that of a spectrum, and its record, which the caller frees. */
static int describe_spectrum(const struct gpufft_array *samples,
                             const struct gpufft_transform *made_by, struct gf_image *v) {
    const struct gf_image plain = {.color = v->color};
    const struct gf_image picture = samples->image ? samples->image->image : plain;
    struct gf_job job;
    int rc = job_of(made_by, v, samples, &job);
    if (rc)
        return rc;
    const struct gf_record record = gf_record_of_job(&job, 0, &picture, false);
    rc = gf_record_format(&record, &v->record);
    gf_axes_transform(&v->axes, job.ndim, job.shape, job.axes);
    v->metadata = gf_metadata_profile(&picture.metadata);
    v->restores = false;
    v->white = 0;
    return rc;
}

int gpufft_image_write(struct gpufft *library, const char *path, const struct gpufft_array *samples,
                       const struct gpufft_transform *made_by) {
    struct gf_image v = {.depth = 0};
    struct gf_bounds bounds;
    int rc = check_path(library, path);
    if (!rc)
        rc = gf_array_take(samples, true, false, &v.px, &bounds);
    const struct gf_format *format = rc ? NULL : gf_format_by_suffix(path);
    if (!rc && !format)
        rc = gf_fail(GF_EUSAGE, "'%.200s' has no suffix of a type that is written", path);
    if (rc)
        return rc;
    v.ndim = v.px.rank - 1;
    v.alpha = samples->channels == 2;
    describe(samples->image ? &samples->image->image : NULL, &v);
    if (made_by)
        rc = describe_spectrum(samples, made_by, &v);
    struct gf_image fits = gf_format_fit(format, &v);
    const struct gf_write_options options = {
        .level = -1, .noise = made_by, .threads = library->threads};
    if (!rc)
        rc = gf_format_accepts(format, &fits);
    if (!rc)
        rc = gf_image_write(path, format, &fits, &options, true);
    free(v.record);
    return rc;
}
