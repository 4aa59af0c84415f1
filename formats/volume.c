/* Volumes written box by box, and raw ones read plane by plane. */
#include "formats/volume.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/status.h"
#include "formats/image.h"
#include "formats/pair.h"

struct gf_volume {
    char *path;
    const struct gf_format *format;
    struct gf_image image; /* without samples; owns its record */
    struct gf_write_options options;
    bool clobber;
    struct gf_sink *sink;
    int64_t base; /* of the first plane; the others follow without a gap */
    int64_t pixel, row, plane, depth;
};

const char *gf_volume_refuses(const char *path, const struct gf_format *format,
                              const struct gf_write_options *options) {
    struct stat st;
    if (!format->write_frame)
        return "only .tif, .npy and .raw are written plane by plane";
    if (format->compresses && format->compresses(options))
        return "compressed planes have no position known beforehand";
    if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
        return "a pipe cannot take planes out of order";
    return NULL;
}

int gf_volume_create(const char *path, const struct gf_format *format, const struct gf_image *image,
                     const struct gf_write_options *options, bool clobber, struct gf_volume **out) {
    const char *why = gf_volume_refuses(path, format, options);
    int64_t bytes;
    *out = NULL;
    if (why)
        return gf_fail(GF_EUNSUPP, "%s", why);
    int rc = gf_format_accepts(format, image);
    if (!rc)
        rc = gf_size_product(image->px.shape, 4, (int64_t)gf_dtype_size(image->px.dtype), &bytes);
    if (rc)
        return rc;
    struct gf_volume *v = calloc(1, sizeof *v);
    if (!v)
        return gf_fail(GF_ENOMEM, "out of memory");
    v->format = format;
    v->image = *image;
    v->image.record = image->record ? strdup(image->record) : NULL;
    v->options = *options;
    v->clobber = clobber;
    v->path = strdup(path);
    v->pixel = image->px.shape[3] * (int64_t)gf_dtype_size(image->px.dtype);
    v->row = v->pixel * image->px.shape[2];
    v->plane = v->row * image->px.shape[1];
    v->depth = image->px.shape[0];
    if (!v->path || (image->record && !v->image.record))
        rc = gf_fail(GF_ENOMEM, "out of memory");
    if (!rc)
        rc = gf_pair_check(path, format, v->image.record, clobber);
    if (!rc)
        rc = gf_sink_open(path, clobber, &v->sink);
    if (!rc)
        rc = format->write_frame(v->sink, &v->image);
    if (rc) {
        gf_volume_abort(v);
        return rc;
    }
    v->base = gf_sink_tell(v->sink);
    *out = v;
    return GF_OK;
}

int gf_volume_write(struct gf_volume *v, const struct gf_volume_box *box, const void *data,
                    int64_t stride) {
    int64_t at = v->base + box->z * v->plane + box->y * v->row + box->x * v->pixel;
    int64_t bytes = box->width * v->pixel, height = box->height;
    const char *p = data;
    if (bytes == v->row && stride == v->row) { /* one run */
        bytes *= height;
        height = 1;
    }
    int rc = GF_OK;
    for (int64_t i = 0; i < height && !rc; i++, at += v->row, p += stride) {
        rc = gf_sink_seek(v->sink, at);
        if (!rc)
            rc = gf_sink_write(v->sink, p, (size_t)bytes);
    }
    return rc;
}

int gf_volume_lend(struct gf_volume *v, const char **path, int64_t *base) {
    *base = v->base;
    return gf_sink_lend(v->sink, path);
}

void gf_volume_written(struct gf_volume *v, uint32_t crc32) {
    gf_sink_take_back(v->sink, v->depth * v->plane, crc32);
}

/* Gaps at the end of the file are zeros too. */
static int fill(struct gf_volume *v) {
    int64_t end = v->base + v->depth * v->plane;
    int rc = GF_OK;
    if (gf_sink_size(v->sink) < end) {
        rc = gf_sink_seek(v->sink, end - 1);
        if (!rc)
            rc = gf_sink_write(v->sink, "", 1);
    }
    return rc;
}

int gf_volume_commit(struct gf_volume *v) {
    int rc = fill(v);
    if (!rc) {
        struct gf_write_options options = v->options;
        struct gf_sink *sink = v->sink;
        v->sink = NULL;
        options.big_endian = false;
        rc = gf_pair_commit(v->path, v->format, &v->image, &options, v->clobber, sink);
    }
    gf_volume_abort(v);
    return rc;
}

void gf_volume_abort(struct gf_volume *v) {
    if (!v)
        return;
    gf_sink_abort(v->sink);
    free(v->image.record);
    free(v->path);
    free(v);
}

/* ---------------------------------------------------------------- reading */

struct gf_volume_reader {
    struct gf_source *source;
    bool big_endian;
};

int gf_volume_open(const char *path, const struct gf_read_options *options,
                   struct gf_volume_reader **out) {
    struct gf_volume_reader *r = calloc(1, sizeof *r);
    *out = r;
    if (!r)
        return gf_fail(GF_ENOMEM, "out of memory");
    r->big_endian = options->raw.big_endian;
    int rc = gf_source_open(path, &r->source);
    if (!rc)
        rc = gf_source_seek(r->source, options->raw.offset);
    if (!rc)
        gf_source_forward(r->source);
    return rc;
}

int gf_volume_read(struct gf_volume_reader *r, struct gf_array *px) {
    size_t bytes = (size_t)gf_array_count(px) * gf_dtype_size(px->dtype);
    size_t unit = gf_dtype_unit(px->dtype);
    int rc = gf_source_read_exactly(r->source, px->data, bytes);
    if (!rc && unit > 1 && r->big_endian != gf_host_is_big_endian())
        gf_swap_bytes(px->data, bytes / unit, unit);
    return rc;
}

void gf_volume_close(struct gf_volume_reader *r) {
    if (r)
        gf_source_close(r->source);
    free(r);
}
