/* Volumes written page by page, or box by box. */
#include "formats/volume.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/checksum.h"
#include "formats/pair.h"
#include "core/base/value/why.h"

/* Bytes: longer runs bypass the sink's buffer, and longer parts of rows have a checksum. */
enum { LONG_RUN = 1 << 16 };

struct gf_volume {
    char *path;
    const struct gf_format *format;
    struct gf_image image; /* without samples; owns its record */
    struct gf_write_options options;
    bool clobber;
    struct gf_sink *sink;      /* of a pair: for the samples (.img), */
    struct gf_sink *header;    /* and this for the header; else NULL */
    struct gf_encoder encoder; /* pages in their order */
    int64_t appended;          /* so far */
    struct gf_frame frame;     /* boxes in any order */
    struct gf_planes planes;
    pthread_mutex_t lock; /* of the sink and the sums, for several writers */
    int writers;
    bool framed;
    bool joined; /* another process' volume */
    bool summed; /* a record beside the data will hold its checksum */
    struct gf_sums sums;
};

static bool has_end(const char *path, const char *end) {
    const size_t n = strlen(path), m = strlen(end);
    return n > m && !strcasecmp(path + n - m, end);
}

/* True if the output is packed into a gzip stream. */
static bool is_packed(const char *path) {
    return has_end(gf_suffix(path), ".gz");
}

const char *gf_volume_pages_refused(const char *path, const struct gf_format *format) {
    if (!format->put_pages)
        return gf_why(GF_WHY_OUTPUT);
    if (format->embeds_record && gf_path_is_stream(path))
        return gf_why(GF_WHY_OUTPUT_PIPE);
    return NULL;
}

/* True if pages can be written in any order into the file that write_frame() writes, with zeros for
 * samples. */
static bool has_frame(const struct gf_format *f) {
    return f->write_frame || f->header;
}

static int write_frame(struct gf_encoder *e, struct gf_frame *frame) {
    if (e->format->write_frame)
        return e->format->write_frame(e, frame);
    int rc = gf_encoder_begin(e);
    *frame = (struct gf_frame){.rows = INT64_MAX, .base = gf_sink_tell(e->sink)};
    return gf_encoder_end(e, rc);
}

const char *gf_volume_refuses(const char *path, const struct gf_format *format,
                              const struct gf_write_options *options) {
    if (!has_frame(format))
        return gf_why(GF_WHY_OUTPUT);
    if (is_packed(path) || (format->compresses && format->compresses(options)))
        return gf_why(GF_WHY_OUTPUT_PACKED);
    if (gf_path_is_stream(path) && (format->embeds_record || !gf_sink_goes_nowhere(path)))
        return gf_why(GF_WHY_OUTPUT_PIPE);
    return NULL;
}

/* Frees a volume whose beginning failed. */
static int begun(int rc, struct gf_volume **v) {
    if (rc) {
        gf_volume_abort(*v);
        *v = NULL;
    }
    return rc;
}

static int open_sinks(struct gf_volume *v) {
    char *samples;
    if (!gf_format_makes_pair(v->format, v->path))
        return gf_sink_open(v->path, v->clobber, &v->sink);
    gf_path_to_header(v->path);
    int rc = gf_path_partner(v->path, &samples);
    if (!rc && (gf_path_is_stream(v->path) || gf_path_is_stream(samples)))
        rc = gf_fail(GF_EINVAL, "a header and its samples are two files, no pipe; write .nii");
    if (!rc)
        rc = gf_sink_open(v->path, v->clobber, &v->header);
    if (!rc)
        rc = gf_sink_open(samples, v->clobber, &v->sink);
    free(samples);
    return rc;
}

/* Opens the output. Fails with `why` if it is not NULL, or if the format does not accept the
 * image. */
static int open_volume(const char *why, const char *path, const struct gf_format *format,
                       const struct gf_image *image, const struct gf_write_options *options,
                       bool clobber, struct gf_volume **out) {
    int64_t bytes;
    *out = NULL;
    int rc = why ? gf_fail(GF_EUNSUPP, "%s", why) : gf_format_accepts(format, image);
    if (!rc && is_packed(path) && image->record)
        rc =
            gf_fail(GF_EINVAL, "a packed file has no record beside it to invert it by; write .nii");
    if (!rc && format->check_suffix)
        rc = format->check_suffix(gf_suffix(path), image);
    if (!rc)
        rc = gf_size_product(image->px.shape, image->px.rank,
                             (int64_t)gf_dtype_size(image->px.dtype), &bytes);
    if (rc)
        return rc;
    struct gf_volume *v = calloc(1, sizeof *v);
    if (!v)
        return gf_no_memory();
    pthread_mutex_init(&v->lock, NULL);
    v->writers = 1;
    v->format = format;
    v->image = *image;
    v->image.record = image->record ? strdup(image->record) : NULL;
    v->options = *options;
    v->options.ome = options->ome || has_end(path, ".ome.tif") || has_end(path, ".ome.tiff");
    v->clobber = clobber;
    v->path = strdup(path);
    gf_planes_view(&v->planes, &v->image);
    v->encoder = (struct gf_encoder){.format = format, .image = &v->image, .options = &v->options};
    v->image.metadata.rest = NULL; /* is read at the end, when the image may be gone */
    if (!v->path || (image->record && !v->image.record))
        rc = gf_no_memory();
    const struct gf_rest *rest = image->metadata.rest;
    if (!rc && rest && image->metadata.header_format == format->name)
        rc = gf_rest_make(rest->file, rest->begin, rest->end, &v->image.metadata.rest);
    if (!rc)
        rc = open_sinks(v);
    if (!rc && gf_sink_is_file(v->sink))
        rc = gf_pair_check(v->path, format, v->image.record, clobber);
    if (!rc && is_packed(path))
        rc = gf_sink_deflate(v->sink, options->level < 0 ? 1 : options->level);
    v->encoder.sink = v->sink;
    v->encoder.header = v->header;
    v->summed = !rc && format->record_beside && v->image.record && gf_sink_is_file(v->sink);
    *out = v;
    return begun(rc, out);
}

int gf_volume_begin(const char *path, const struct gf_format *format, const struct gf_image *image,
                    const struct gf_write_options *options, bool clobber, struct gf_volume **out) {
    int rc = open_volume(gf_volume_pages_refused(path, format), path, format, image, options,
                         clobber, out);
    if (rc)
        return rc;
    if ((*out)->summed)
        gf_sink_checksum((*out)->sink, options->threads);
    return begun(gf_encoder_begin(&(*out)->encoder), out);
}

int gf_image_write(const char *path, const struct gf_format *format, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber) {
    struct gf_volume *v;
    int rc = open_volume(NULL, path, format, image, options, clobber, &v);
    if (rc)
        return rc;
    if (v->summed)
        gf_sink_checksum(v->sink, options->threads);
    v->appended = image->px.shape[0];
    rc = begun(gf_encoder_write(&v->encoder), &v);
    return rc ? rc : gf_volume_commit(v);
}

int gf_file_write(const char *path, const void *data, size_t n, bool clobber) {
    struct gf_sink *sink;
    int rc = gf_sink_open(path, clobber, &sink);
    if (rc)
        return rc;
    rc = gf_sink_write(sink, data, n);
    if (!rc)
        return gf_sink_commit(sink);
    gf_sink_abort(sink);
    return rc;
}

static int append(struct gf_volume *v, const struct gf_image *pages) {
    const struct gf_array *all = &v->image.px, *px = &pages->px;
    bool same = px->dtype == all->dtype && px->rank == all->rank &&
                !memcmp(px->shape + 1, all->shape + 1, (size_t)(px->rank - 1) * sizeof *px->shape);
    v->appended += px->shape[0];
    if (!same || v->appended > all->shape[0])
        return gf_fail(GF_EINVAL, "pages that are not the volume's");
    return v->format->put_pages(&v->encoder, pages);
}

int gf_volume_create(const char *path, const struct gf_format *format, const struct gf_image *image,
                     const struct gf_write_options *options, bool clobber, struct gf_volume **out) {
    int rc = open_volume(gf_volume_refuses(path, format, options), path, format, image, options,
                         clobber, out);
    struct gf_volume *v = *out;
    if (rc)
        return rc;
    v->image.restores = false; /* numbers in another type are encoded in order */
    rc = write_frame(&v->encoder, &v->frame);
    v->framed = true;
    v->summed &= !v->frame.at;
    return begun(rc, out);
}

static int64_t strips_of_page(const struct gf_volume *v, int64_t rows) {
    return gf_divide_up(v->planes.height, rows);
}

/* Returns the offset of row y of plane z; *run is the number of contiguous rows from there. */
static int64_t place_of(const struct gf_volume *v, int64_t z, int64_t y, int64_t *run) {
    const struct gf_frame *f = &v->frame;
    const struct gf_planes *p = &v->planes;
    const int64_t row = (int64_t)p->row_bytes;
    *run = p->height - y;
    if (!f->at)
        return f->base + (z * p->height + y) * row;
    const int64_t strips = strips_of_page(v, f->rows), within = y % f->rows;
    *run = f->rows - within < *run ? f->rows - within : *run;
    return f->at[z * strips + y / f->rows] + within * row;
}

/* Bytes that follow each other in the file. Only small ones, of which many may do so, take the
 * sink's buffer. */
static int write_run(struct gf_volume *v, int64_t at, const void *data, size_t n, bool sums) {
    const bool large = n >= LONG_RUN;
    const int threads = v->options.threads / v->writers;
    uint32_t crc = 0;
    int rc = GF_OK;
    if (large) {
        rc = gf_sink_write_at(v->sink, at, data, n);
        crc = sums ? gf_crc32(0, data, n, threads > 1 ? threads : 1) : 0;
    }
    pthread_mutex_lock(&v->lock);
    if (large) {
        gf_sink_extend(v->sink, at + (int64_t)n);
    } else {
        rc = gf_sink_seek(v->sink, at);
        if (!rc)
            rc = gf_sink_write(v->sink, data, n);
    }
    if (!rc && sums && large)
        gf_sums_join(&v->sums, at, n, crc);
    else if (!rc && sums)
        gf_sums_add(&v->sums, at, data, n, 1);
    pthread_mutex_unlock(&v->lock);
    return rc;
}

/* Writes parts of rows. */
static int write_rows(struct gf_volume *v, const struct gf_volume_box *box, const char *from,
                      int64_t stride) {
    const int64_t pixel = v->planes.channels * (int64_t)v->planes.sample;
    const int64_t bytes = box->width * pixel;
    int64_t last = 0, run;
    int rc = GF_OK;
    for (int64_t y = 0; y < box->height && !rc; y++) {
        const int64_t at = place_of(v, box->z, box->y + y, &run) + box->x * pixel;
        rc = gf_sink_write_at(v->sink, at, from + y * stride, (size_t)bytes);
        last = at + bytes > last ? at + bytes : last;
    }
    pthread_mutex_lock(&v->lock);
    gf_sink_extend(v->sink, last);
    pthread_mutex_unlock(&v->lock);
    return rc;
}

/* True if the write needs a checksum. Parts of rows are too many: one not `worth` it ends all. */
static bool take_sums(struct gf_volume *v, bool worth) {
    pthread_mutex_lock(&v->lock);
    v->sums.lost |= !worth;
    const bool sums = v->summed && !v->sums.lost;
    pthread_mutex_unlock(&v->lock);
    return sums;
}

static int write_box(struct gf_volume *v, const struct gf_volume_box *box, const void *data,
                     int64_t stride) {
    const struct gf_planes *p = &v->planes;
    const int64_t row = (int64_t)p->row_bytes, pixel = p->channels * (int64_t)p->sample;
    const int64_t bytes = box->width * pixel, end = box->y + box->height;
    const bool dense = bytes == row && stride == row;
    const bool one = box->height == 1 && bytes >= LONG_RUN, sums = take_sums(v, dense || one);
    const char *from = data;
    int rc = GF_OK;
    if (!dense && !one)
        return write_rows(v, box, from, stride);
    for (int64_t y = box->y, n; y < end && !rc; y += n, from += n * stride) {
        const int64_t at = place_of(v, box->z, y, &n) + box->x * pixel;
        n = n < end - y ? n : end - y;
        rc = write_run(v, at, from, (size_t)(n * bytes), sums);
    }
    return rc;
}

/* Writes rows in the form in which the format stores them. */
static int write_encoded(struct gf_volume *v, const struct gf_volume_box *box, const char *data,
                         int64_t stride) {
    enum { AT_ONCE = 1 << 20 };
    const int64_t numbers = box->width * v->planes.channels;
    const int64_t bytes = numbers * (int64_t)v->planes.sample, most = AT_ONCE / bytes + 1;
    char *buffer = malloc((size_t)(gf_min(box->height, most) * bytes));
    int rc = buffer ? GF_OK : gf_no_memory();
    struct gf_volume_box part = *box;
    for (int64_t y = 0; y < box->height && !rc; y += most) {
        part.y = box->y + y;
        part.height = gf_min(box->height - y, most);
        for (int64_t i = 0; i < part.height; i++)
            memcpy(buffer + i * bytes, data + (y + i) * stride, (size_t)bytes);
        gf_plain_encode(v->format, false, v->image.px.dtype, (size_t)(part.height * numbers),
                        buffer);
        rc = write_box(v, &part, buffer, bytes);
    }
    free(buffer);
    return rc;
}

int gf_volume_write(struct gf_volume *v, const struct gf_volume_box *box, const void *data,
                    int64_t stride) {
    const bool encodes = gf_plain_encode(v->format, false, v->image.px.dtype, 0, NULL);
    return encodes ? write_encoded(v, box, data, stride) : write_box(v, box, data, stride);
}

int gf_volume_put(struct gf_volume *v, int64_t from, const struct gf_image *pages) {
    const struct gf_array *px = &pages->px;
    int rc = v->framed ? GF_OK : append(v, pages);
    for (int64_t z = 0; z < px->shape[0] && v->framed && !rc; z++) {
        const struct gf_volume_box box = {from + z, 0, 0, px->shape[1], px->shape[2]};
        rc = gf_volume_write(v, &box, (const char *)px->data + z * px->stride[0], px->stride[1]);
    }
    return rc;
}

void gf_volume_share(struct gf_volume *v, int writers) {
    v->writers = writers;
}

int64_t gf_volume_bytes(const struct gf_volume *v) {
    return v->planes.depth * v->planes.height * (int64_t)v->planes.row_bytes;
}

int gf_volume_lend(struct gf_volume *v, const char **path, struct gf_frame *frame) {
    *frame = v->frame;
    v->summed = false; /* the sink has the sum from gf_volume_written() */
    return gf_sink_lend(v->sink, v->frame.at ? 0 : gf_volume_bytes(v), path);
}

int gf_volume_join(const char *path, const struct gf_format *format, const struct gf_frame *frame,
                   const struct gf_image *image, struct gf_volume **out) {
    struct gf_volume *v = *out = calloc(1, sizeof *v);
    if (!v)
        return gf_no_memory();
    pthread_mutex_init(&v->lock, NULL);
    v->writers = 1;
    v->options.threads = 1;
    v->format = format;
    v->image = *image;
    v->image.record = NULL;
    v->image.metadata.rest = NULL;
    v->framed = v->joined = true;
    gf_planes_view(&v->planes, &v->image);
    v->frame = *frame;
    v->frame.at = NULL;
    const int64_t strips = frame->rows ? v->planes.depth * strips_of_page(v, frame->rows) : 0;
    if (frame->at && !(v->frame.at = malloc((size_t)strips * sizeof *frame->at)))
        return begun(gf_no_memory(), out);
    if (frame->at)
        memcpy(v->frame.at, frame->at, (size_t)strips * sizeof *frame->at);
    return begun(gf_sink_join(path, &v->sink), out);
}

int gf_volume_leave(struct gf_volume **v) {
    if (!(*v)->joined)
        return gf_sink_show((*v)->sink);
    int rc = gf_sink_commit((*v)->sink);
    (*v)->sink = NULL;
    gf_volume_abort(*v);
    *v = NULL;
    return rc;
}

int64_t gf_volume_strips(const struct gf_volume *v) {
    return v->frame.at ? v->planes.depth * strips_of_page(v, v->frame.rows) : 0;
}

int gf_volume_written(struct gf_volume *v, uint32_t crc32) {
    return gf_sink_take_back(v->sink, v->frame.at ? 0 : gf_volume_bytes(v), crc32);
}

/* Gives the sink the checksum of everything written, unless there are gaps. */
static int sum_up(struct gf_volume *v) {
    unsigned char head[4096];
    const int64_t base = v->frame.base, size = gf_sink_size(v->sink);
    if (!v->summed || base > (int64_t)sizeof head)
        return GF_OK;
    int rc = gf_sink_seek(v->sink, 0);
    int64_t got = rc ? rc : gf_sink_read(v->sink, head, (size_t)base);
    if (got < 0)
        return (int)got;
    uint32_t crc = gf_crc32(0, head, (size_t)got, 1);
    if (got == base && gf_sums_total(&v->sums, base, size, &crc))
        gf_sink_set_crc32(v->sink, crc);
    return GF_OK;
}

/* Extends the file if the last samples were never written, and ends a file that has more behind its
 * samples. */
static int fill(struct gf_volume *v) {
    const int64_t end = v->frame.base + gf_volume_bytes(v);
    int rc = GF_OK;
    if (v->frame.at)
        return GF_OK;
    if (gf_sink_size(v->sink) < end) {
        rc = gf_sink_seek(v->sink, end - 1);
        if (!rc)
            rc = gf_sink_write(v->sink, "", 1);
    }
    if (rc || !v->format->header || !v->format->end)
        return rc;
    rc = gf_sink_seek(v->sink, end);
    return rc ? rc : v->format->end(&v->encoder);
}

int gf_volume_commit(struct gf_volume *v) {
    int rc = v->framed ? fill(v) : gf_encoder_end(&v->encoder, GF_OK);
    if (!rc && !v->framed && v->appended < v->image.px.shape[0])
        rc = gf_fail(GF_EINVAL, "%lld pages of %lld", (long long)v->appended,
                     (long long)v->image.px.shape[0]);
    if (!rc && v->framed)
        rc = sum_up(v);
    if (!rc) {
        struct gf_write_options options = v->options;
        struct gf_pair_files files = {v->header, v->sink};
        v->header = v->sink = NULL;
        options.big_endian = options.big_endian && !v->framed;
        rc = gf_pair_commit(v->path, v->format, &v->image, &options, v->clobber, &files);
    }
    gf_volume_abort(v);
    return rc;
}

void gf_volume_abort(struct gf_volume *v) {
    if (!v)
        return;
    gf_encoder_end(&v->encoder, GF_OK);
    gf_sink_abort(v->header);
    gf_sink_abort(v->sink);
    gf_rest_free(v->image.metadata.rest);
    free(v->frame.at);
    free(v->image.record);
    free(v->path);
    pthread_mutex_destroy(&v->lock);
    free(v);
}
