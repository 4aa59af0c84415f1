/* Writes products to files: one each, or one for every plane or band. */
#include "cli/batch/store.h"

#include <stdlib.h>

#include "core/base/value/stretch.h"
#include "formats/files.h"
#include "formats/scratch.h"

/* A view of plane `z` as a picture. */
static struct gf_image page(const struct gf_image *image, int64_t z) {
    struct gf_image v = *image;
    v.px.base = NULL;
    if (image->ndim < 3)
        return v;
    gf_image_drop_axis(&v);
    if (image->px.data)
        v.px.data = (char *)image->px.data + z * image->px.stride[0];
    return v;
}

int gf_product_accepts(const struct gf_product *p) {
    struct gf_image image = p->by_plane ? page(&p->image, 0) : p->image;
    image = gf_format_fit(p->format, &image);
    return gf_format_accepts(p->format, &image);
}

/* Makes the record of one plane; false if planes are not transformed separately. */
static bool page_record(const struct gf_record *volume, struct gf_record *out) {
    *out = *volume; /* a wavelet's fields are the same for all planes */
    if (volume->ndim < 3)
        return true;
    if (volume->axes & 1)
        return false;
    out->ndim = 2;
    out->axes = volume->axes >> 1;
    gf_axes_drop_pages(&out->file_axes, true);
    memmove(out->shape, volume->shape + 1, 2 * sizeof *out->shape);
    out->shape[2] = 0;
    return true;
}

bool gf_product_has_record(const struct gf_product *p) {
    struct gf_record record;
    return p->has_record && (!p->by_plane || page_record(&p->record, &record));
}

/* The image without the samples that --edges added. */
static struct gf_image cut(const struct gf_product *p) {
    struct gf_image image = p->image;
    memcpy(image.px.shape, p->shape, sizeof p->shape);
    return image;
}

/* Gives `m`, whose header is borrowed, one of its own with the coordinates of plane z of the picture, or of the
 * first plane of a volume of a series, if these are others. */
static int place_header(const struct gf_product *p, int64_t z, struct gf_metadata *m) {
    const unsigned char *borrowed = m->header;
    const struct gf_format *f = borrowed ? gf_format_by_name(m->header_format) : NULL;
    int rc = 0;
    for (int k = 0; k < p->pick.n_axes && f && f->skip && !rc; k++) {
        const int64_t index = gf_pick_index(&p->pick, k, z);
        if (index && m->header == borrowed) {
            m->header = NULL;
            rc = gf_header_copy(m, m->header_format, borrowed, m->header_bytes);
        }
        if (index && !rc)
            rc = f->skip(m, 1 + p->pick.n_axes - k, index);
    }
    return rc;
}

static int format_record(const struct gf_product *p, int64_t z, const struct gf_record *record,
                         char **text) {
    struct gf_record placed = *record;
    int rc = place_header(p, z, &placed.metadata);
    if (!rc)
        rc = gf_record_format(&placed, text);
    if (placed.metadata.header != record->metadata.header)
        free(placed.metadata.header);
    return rc;
}

static void undress(const struct gf_product *p, const struct gf_metadata *metadata,
                    struct gf_image *image) {
    free(image->record);
    if (p->keeps == GF_KEEPS_ALL && image->metadata.header != metadata->header)
        free(image->metadata.header);
}

/* Makes the image that is written, whose first plane is plane z: in a shape that the format can hold, with
 * the record and the metadata that are kept. Samples, and metadata but for a header that differs, are borrowed.
 * undress() frees the rest, also after a failure. */
static int dress(const struct gf_product *p, int64_t z, const struct gf_image *image,
                 const struct gf_record *record, const struct gf_metadata *metadata,
                 struct gf_image *out) {
    *out = gf_format_fit(p->format, image);
    if (p->keeps == GF_KEEPS_ALL)
        out->metadata = *metadata;
    if (p->keeps == GF_KEEPS_PROFILE)
        out->metadata = gf_metadata_profile(metadata);
    out->texts = (p->keeps == GF_KEEPS_PROFILE || p->keeps == GF_KEEPS_TEXTS) &&
                 p->format->keeps_texts && metadata->header_format == p->format->name;
    if (out->texts) {
        out->metadata.header_format = metadata->header_format;
        out->metadata.header = metadata->header;
        out->metadata.header_bytes = metadata->header_bytes;
    }
    if (p->by_plane) /* the file's other images are not each plane's */
        out->metadata.rest = NULL;
    int rc = p->keeps == GF_KEEPS_ALL ? place_header(p, z, &out->metadata) : 0;
    return rc || !record ? rc : format_record(p, z, record, &out->record);
}

int gf_product_stretch(const struct gf_settings *s, struct gf_product *p) {
    const struct gf_range_options *r = &s->display.range;
    double fraction[2] = {0, 1}, range[2] = {r->low, r->high};
    struct gf_array from = cut(p).px, *to = &p->image.px;
    if (!p->stretches)
        return 0;
    for (int i = 0; i < 2 && r->percent; i++)
        fraction[i] = range[i] / 100;
    const bool numbers = r->which == GF_RANGE_GIVEN && !r->percent;
    int rc = numbers ? 0 : gf_samples_quantiles(&from, fraction, range);
    if (rc)
        return rc;
    /* Integers are narrower, so each is written behind the samples that are still needed. */
    struct gf_array dense = gf_array_wrap(from.data, p->dtype, from.rank, from.shape);
    gf_samples_stretch(&dense, &from, range);
    dense.base = to->base;
    *to = dense;
    return 0;
}

static struct gf_write_options options_of(const struct gf_settings *s, const struct gf_product *p) {
    struct gf_write_options options = gf_settings_write_options(s);
    options.noise = p->noise;
    return options;
}

static int write_image(const struct gf_settings *s, const struct gf_product *p, const char *path,
                       int64_t z, const struct gf_image *image, const struct gf_record *record,
                       const struct gf_metadata *metadata) {
    const struct gf_write_options options = options_of(s, p);
    struct gf_image v;
    int rc = dress(p, z, image, record, metadata, &v);
    if (!rc)
        rc = gf_image_write(path, p->format, &v, &options, s->clobber);
    undress(p, metadata, &v);
    return rc;
}

/* The path of plane z of a product, or of all for z = 0; the caller frees it. */
static int page_path(const struct gf_product *p, int64_t z, char **path) {
    const struct gf_pick_count *t = &p->time, *c = &p->channel;
    const struct gf_indices at = {p->page + z, t->first + z / t->step % t->count,
                                  c->first + z / c->step % c->count};
    return gf_template_expand(&p->target->where, p->in, p->target->label, &at, path);
}

int gf_product_number(struct gf_product *p, const struct gf_pick *pick) {
    static const struct gf_pick none = {0};
    const struct gf_template *where = &p->target->where;
    const struct gf_picked *missing = NULL;
    pick = pick ? pick : &none;
    p->pick = *pick;
    p->time = gf_pick_counts(pick, GF_TIME);
    p->channel = gf_pick_counts(pick, GF_CHANNEL);
    p->by_plane = where->has_page;
    for (int i = 0; i < pick->n_axes && !where->has_page; i++) {
        const struct gf_picked *a = &pick->axis[i];
        const bool named = (a->role == GF_TIME && where->has_time) ||
                           (a->role == GF_CHANNEL && where->has_channel);
        p->by_plane = p->by_plane || (named && a->count > 1 && !a->counts_images);
        missing = !named && a->count > 1 && (a->counts_images || !missing) ? a : missing;
    }
    if (!gf_template_counts(where) || where->has_page)
        return 0;
    if (missing && (p->by_plane || missing->counts_images))
        return gf_fail(GF_EINVAL, "its pages along %s would all be written to '%s'; add %s",
                       missing->name, p->path,
                       missing->role == GF_TIME      ? "{t}"
                       : missing->role == GF_CHANNEL ? "{c}"
                                                     : "{page}");
    char *path = p->path;
    int rc = p->by_plane ? 0 : page_path(p, 0, &p->path);
    if (p->path != path)
        free(path);
    return rc;
}

/* Writes each plane of `image` to a file; the first is plane `from` of the product. */
static int write_planes(const struct gf_settings *s, const struct gf_product *p, int64_t from,
                        const struct gf_image *image, const struct gf_metadata *metadata) {
    int64_t n = image->ndim == 3 ? image->px.shape[0] : 1;
    int rc = 0;
    for (int64_t z = 0; z < n && !rc; z++) {
        struct gf_record record;
        bool has_record = p->has_record && page_record(&p->record, &record);
        struct gf_image plane = page(image, z);
        char *path;
        rc = page_path(p, from + z, &path);
        if (rc)
            break;
        rc = write_image(s, p, path, from + z, &plane, has_record ? &record : NULL, metadata);
        free(path);
    }
    return rc;
}

/* DIR/{stem}_aa3.tif for band aa3; the caller frees it. NULL: no memory. */
static char *band_path(const struct gf_product *p, const struct gf_dwt_band *band) {
    char *path = NULL; /* p->path ends with a star */
    return asprintf(&path, "%.*s%s.tif", (int)strlen(p->path) - 1, p->path, band->name) < 0 ? NULL
                                                                                            : path;
}

int gf_product_folder(const struct gf_product *p) {
    char *folder = gf_folder_of(p->path);
    int rc = folder ? gf_folder_make(folder) : gf_no_memory();
    free(folder);
    return rc;
}

int gf_product_band(const struct gf_product *p, const struct gf_dwt_band *b,
                    struct gf_product *band) {
    struct gf_array *px = &band->image.px;
    *band = *p;
    band->path = band_path(p, b);
    memcpy(band->shape, b->extent, (size_t)p->image.ndim * sizeof *b->extent);
    *px = gf_array_wrap(NULL, px->dtype, px->rank, band->shape);
    return band->path ? 0 : gf_no_memory();
}

static int write_bands(const struct gf_settings *s, const struct gf_job *job,
                       const struct gf_product *p) {
    struct gf_dwt_band band[GF_MAX_BANDS];
    int rc = gf_product_folder(p), n = gf_dwt_bands(job, band);
    for (int i = 0; i < n && !rc; i++) {
        struct gf_image image = p->image;
        image.px = gf_dwt_band_view(job, &band[i], &p->image.px);
        char *path = band_path(p, &band[i]);
        rc = path ? write_image(s, p, path, 0, &image, NULL, NULL) : gf_no_memory();
        free(path);
    }
    return rc;
}

int gf_product_write(const struct gf_settings *s, const struct gf_job *job,
                     const struct gf_product *p, const struct gf_metadata *metadata) {
    if (p->target->bands)
        return write_bands(s, job, p);
    if (p->by_plane)
        return write_planes(s, p, 0, &p->image, metadata);
    return write_image(s, p, p->path, 0, &p->image, p->has_record ? &p->record : NULL, metadata);
}

/* ---- in parts ---- */

const char *gf_product_refuses(const struct gf_settings *s, const struct gf_product *p,
                               bool in_order) {
    const struct gf_write_options options = options_of(s, p);
    if (p->target->bands)
        return gf_why(GF_WHY_BANDS);
    if (p->target->aside)
        return gf_volume_refuses(p->path, p->format, &options);
    if (p->by_plane)
        return in_order ? NULL : gf_why(GF_WHY_OUTPUT_PAGE);
    return in_order ? gf_volume_pages_refused(p->path, p->format)
                    : gf_volume_refuses(p->path, p->format, &options);
}

int gf_product_open(const struct gf_settings *s, const struct gf_product *p,
                    const struct gf_metadata *metadata, bool in_order, struct gf_volume **out) {
    const struct gf_write_options options = options_of(s, p);
    const struct gf_image image = cut(p);
    struct gf_image v;
    int rc = in_order && p->format->load ? p->format->load() : 0; /* see gf_formats_load() */
    *out = NULL;
    if (rc || p->by_plane)
        return rc;
    rc = dress(p, 0, &image, p->has_record ? &p->record : NULL, metadata, &v);
    if (!rc)
        rc = (in_order ? gf_volume_begin : gf_volume_create)(p->path, p->format, &v, &options,
                                                             s->clobber, out);
    undress(p, metadata, &v);
    return rc;
}

int gf_product_put(const struct gf_settings *s, const struct gf_product *p,
                   const struct gf_metadata *metadata, struct gf_volume *v, int64_t from,
                   const struct gf_array *pages) {
    struct gf_image image = p->image;
    image.px = *pages;
    image.px.base = NULL;
    return v ? gf_volume_put(v, from, &image) : write_planes(s, p, from, &image, metadata);
}

int gf_product_join(const struct gf_product *p, const char *path, const struct gf_frame *frame,
                    struct gf_volume **out) {
    const struct gf_image image = cut(p), v = gf_format_fit(p->format, &image);
    return gf_volume_join(path, p->format, frame, &v, out);
}

/* ---- names ---- */

static int each_band(const struct gf_job *job, const struct gf_product *p, gf_file_visit *visit,
                     void *user) {
    struct gf_dwt_band band[GF_MAX_BANDS];
    int rc = 0, n = gf_dwt_bands(job, band);
    for (int b = 0; b < n && !rc; b++) {
        char *path = band_path(p, &band[b]);
        rc = path ? visit(user, p, path) : gf_no_memory();
        free(path);
    }
    return rc;
}

static int each_page(const struct gf_product *p, gf_file_visit *visit, void *user) {
    int64_t n = p->image.ndim == 3 ? p->shape[0] : 1; /* image.px may include --edges' planes */
    int rc = 0;
    for (int64_t z = 0; z < n && !rc; z++) {
        char *path = NULL;
        rc = page_path(p, z, &path);
        if (!rc)
            rc = visit(user, p, path);
        free(path);
    }
    return rc;
}

int gf_outputs_each_file(const struct gf_outputs *o, gf_file_visit *visit, void *user) {
    int rc = 0;
    for (const struct gf_product *p = o->product; p < o->product + o->n && !rc; p++)
        rc = p->target->bands ? each_band(o->job, p, visit, user)
             : p->by_plane    ? each_page(p, visit, user)
                              : visit(user, p, p->path);
    return rc;
}
