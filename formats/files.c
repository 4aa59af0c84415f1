/* Whole files: finds their format and record, and writes them safely. */
#include "formats/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/pair.h"
#include "formats/record_file.h"
#include "formats/zarr.h"

/* ---- reading ---- */

struct gf_file {
    char *path;
    struct gf_source *source;
    struct gf_source *samples; /* of a header (.hdr), or NULL */
    char *samples_path;
    struct gf_read_options options;
    struct gf_record_file beside;           /* the record beside the data, if there is one */
    const struct gf_description *described; /* the one in it that is this data's, or NULL */
    bool looked_beside;
    bool is_zarr;        /* a folder, and the source is its metadata */
    bool is_packed;      /* in gzip */
    bool checked;        /* the data has the checksum of its description */
    bool is_summed;      /* gf_file_sum_reads() was called, */
    struct gf_sums sums; /* and these are the samples that were read since */
    struct gf_decoder decoder;
    struct gf_array px;   /* of all pages, without data */
    struct gf_image like; /* without samples, if the file holds several images */
    struct gf_pick pick;
    struct gf_array decoded; /* all pages of a file without separate ones, if some are picked */
};

static int fail_unknown(struct gf_source *source, const char *path) {
    char name[8];
    unsigned char head[GF_FOREIGN_SNIFF];
    const struct gf_foreign *foreign;
    const struct gf_format *f = gf_format_by_suffix(path);
    int64_t n = gf_source_peek(source, head, sizeof head);
    if (gf_source_known_size(source) == 0)
        return gf_fail(GF_EFORMAT, "the file is empty");
    if (n > 0 && (foreign = gf_foreign_find(head, (size_t)n)))
        return gf_fail(GF_EFORMAT, "is %s file, which gpufft does not read; %s first",
                       foreign->name, foreign->convert);
    if (f && !f->needs_layout)
        return gf_fail(GF_EFORMAT, "not a %s: %s", gf_format_label(f, name),
                       f->claims ? f->unclaimed : "its first bytes are another format's");
    if (f)
        return gf_fail(GF_EFORMAT, "a raw file needs --shape and --type");
    return gf_fail(GF_EFORMAT, "not a picture of a known format (PNG, TIFF, JPEG, PNM, PFM, "
                               "NPY, MRC, FITS, NIfTI, Zarr)");
}

/* Identifies the format by its first bytes, which it decompresses, unless the options give a layout.
 * *out is NULL if it is not known, or not yet. */
static int sniff(struct gf_file *file, const struct gf_format **out) {
    unsigned char head[GF_LONG_SNIFF];
    if (file->options.raw.ndim > 0 || file->is_zarr) {
        *out = file->is_zarr ? &gf_format_zarr : &gf_format_raw;
        return GF_OK;
    }
    int64_t n = gf_source_peek(file->source, head, GF_SNIFF);
    if (n > 2 && !memcmp(head, "\x1f\x8b", 2)) {
        int rc = gf_source_inflate(&file->source);
        file->is_packed = true;
        if (!rc && file->samples) /* the header's extensions are as long as the file */
            rc = (int)gf_min(gf_source_size(file->source), 0);
        n = rc ? rc : gf_source_peek(file->source, head, GF_SNIFF);
    }
    *out = n > 0 ? gf_format_sniff(head, (size_t)n) : NULL;
    if (n == GF_SNIFF && !*out && (n = gf_source_peek(file->source, head, sizeof head)) > 0)
        *out = gf_format_sniff(head, (size_t)n);
    const struct gf_format *named = gf_format_by_suffix(file->path);
    if (n > 0 && !*out && named && named->claims &&
        named->claims(head, (size_t)n, gf_source_known_size(file->source)))
        *out = named;
    return n < 0 ? (int)n : GF_OK;
}

static struct gf_chain data_of(const struct gf_file *file) {
    return (struct gf_chain){file->source, file->samples};
}

/* An edited file has the record's type and shape, which open_decoder() checks. */
static int check_sum(const struct gf_file *file, gf_file_summer *sum, void *user) {
    const struct gf_description *d = file->described;
    const struct gf_chain data = data_of(file);
    uint32_t crc;
    int rc = sum ? sum(user, &data, d->bytes, &crc)
                 : gf_crc32_source(&data, d->bytes, file->options.threads, &crc);
    return rc || crc == d->crc32 ? rc : gf_description_differs("the checksums differ", true);
}

/* Finds the format and, if that keeps one there, the record beside the data. */
static int identify(struct gf_file *file, const struct gf_format **out) {
    const struct gf_format *f, *named = gf_format_by_suffix(file->path);
    const struct gf_description *d = NULL;
    int rc = sniff(file, &f);
    if (rc)
        return rc;
    const struct gf_chain data = data_of(file);
    /* A pipe has nothing beside it. Raw bytes may begin like anything, so the suffix counts too. */
    bool raw = !f || (named && named->needs_layout);
    bool has_beside = gf_source_known_size(file->source) >= 0 && strcmp(file->path, "-");
    file->looked_beside = has_beside && (raw || f->record_beside);
    if (file->looked_beside &&
        ((rc = gf_record_file_read(file->path, &file->beside)) != GF_OK ||
         (rc = gf_record_file_find(&file->beside, &data, file->options.threads, &d)) != GF_OK))
        return rc;
    if (d && file->options.raw.ndim == 0 && raw && d->format->needs_layout)
        f = d->format;
    if (!f)
        return fail_unknown(file->source, file->path);
    *out = f;
    file->described = d && d->format == f ? d : NULL;
    if (!file->described || file->options.edited || gf_chain_size(&data) == d->bytes)
        return GF_OK;
    char why[64];
    snprintf(why, sizeof why, "%lld bytes, not %lld", (long long)d->bytes,
             (long long)gf_chain_size(&data));
    return gf_description_differs(why, !file->samples); /* NumPy may write a longer header */
}

/* Decodes the header at the source's position. */
static int open_decoder(struct gf_file *file, const struct gf_format *f, struct gf_image *image) {
    const struct gf_description *d = file->described;
    struct gf_read_options options = file->options;
    options.path = file->path;
    options.samples = file->samples;
    if (options.part && !f->parts)
        return gf_fail(GF_EINVAL, "only FITS files have parts named in brackets");
    if (d) {
        options.channels_last |= d->layout.channels > 1;
        options.ndim = d->layout.ndim;
        if (options.raw.ndim == 0)
            options.raw = d->layout;
    }
    int rc = gf_decoder_open(&file->decoder, f, file->source, &options, image);
    if (!rc && d && options.edited)
        rc = gf_description_check(d, &file->decoder);
    if (!rc && d && !image->record) {
        image->record = strdup(d->record);
        rc = image->record ? GF_OK : gf_no_memory();
    }
    if (file->is_packed && !image->compression)
        image->compression = "gzip";
    file->px = image->px;
    if (!rc && image->record)
        gf_record_name_axes(image, &file->decoder.options);
    if (!rc)
        rc = gf_pick_make(&file->decoder.options, image, &file->pick);
    return rc ? rc : gf_pick_move(&file->pick, &image->metadata);
}

/* Makes `image` the file's current one, of several with the same header. */
static int describe_like(const struct gf_file *file, struct gf_image *image) {
    *image = file->like;
    image->record = file->like.record ? strdup(file->like.record) : NULL;
    int rc = file->like.record && !image->record ? gf_no_memory() : GF_OK;
    return rc ? rc : gf_metadata_copy(&image->metadata, &file->like.metadata);
}

/* Samples beside a header (.img) stand for it; with a layout they are raw. */
static int find_pair(struct gf_file *file) {
    char *partner = NULL;
    int rc = file->options.raw.ndim > 0 ? GF_OK : gf_path_partner(file->path, &partner);
    if (rc || !partner || access(partner, F_OK)) {
        free(partner);
        return rc;
    }
    const bool is_header = !strncasecmp(gf_suffix(file->path), "hdr", 3);
    file->samples_path = is_header ? partner : file->path;
    file->path = is_header ? file->path : partner;
    rc = gf_source_open(file->samples_path, &file->samples);
    if (!rc && !strcasecmp(strrchr(file->samples_path, '.'), ".gz")) {
        gf_source_limit(file->samples, file->options.max_memory);
        rc = gf_source_inflate(&file->samples);
        gf_source_forward(file->samples);
    }
    return rc ? gf_fail(rc, "its samples: %s", gf_message()) : GF_OK;
}

/* Opens the path or, if `again` is not NULL, its file again. */
static int new_file(const char *path, const struct gf_read_options *options,
                    const struct gf_source *again, struct gf_file **out) {
    struct gf_file *file = *out = calloc(1, sizeof *file);
    if (!file || !(file->path = strdup(path)))
        return gf_no_memory();
    file->options = *options;
    const size_t part = again ? 0 : gf_path_part(path);
    if (part) {
        file->path[part] = 0;
        file->options.part = file->path + part + 1;
    }
    int rc = again ? GF_OK : find_pair(file);
    path = file->path;
    if (!rc)
        rc = again ? gf_source_again(again, &file->source)
                   : gf_zarr_source(path, &file->source, &file->is_zarr);
    if (!rc)
        gf_source_limit(file->source, options->max_memory);
    return rc;
}

static int open_once(const char *path, const struct gf_read_options *options, struct gf_file **out,
                     struct gf_image *image, const struct gf_format **format) {
    int rc = new_file(path, options, NULL, out);
    struct gf_file *file = *out;
    if (rc)
        return rc;
    gf_source_set_threads(file->source, options->threads);
    rc = identify(file, format);
    if (!rc)
        rc = open_decoder(file, *format, image);
    if (rc || file->pick.images == 1)
        return rc;
    file->like = *image;
    file->like.note = NULL; /* only the first one has it */
    char *note = image->note;
    rc = describe_like(file, image);
    image->note = note;
    return rc;
}

/* True if another process has replaced what is open. */
static bool is_replaced(const struct gf_file *file) {
    return gf_source_is_replaced(file->source, file->path) ||
           (file->samples && gf_source_is_replaced(file->samples, file->samples_path));
}

/* Sets *format once it is known, even if the header cannot be decoded. If a pair is replaced while
 * it is being opened, its data and record may not match, so it is opened again; if the data is
 * still in place after the record was read, the two match (formats/pair.c has the order). */
static int open_file(const char *path, const struct gf_read_options *options, struct gf_file **out,
                     struct gf_image *image, const struct gf_format **format) {
    enum { TRIES = 5 };
    *image = (struct gf_image){0};
    for (int i = 0;; i++) {
        int rc = open_once(path, options, out, image, format);
        struct gf_file *file = *out;
        bool again = i + 1 < TRIES && file && file->source && !file->is_zarr &&
                     (file->looked_beside || rc) && is_replaced(file);
        if (!rc && !again)
            return GF_OK;
        gf_file_close(file);
        gf_image_free(image);
        *out = NULL;
        if (!again)
            return rc;
    }
}

int gf_file_open(const char *path, const struct gf_read_options *options, struct gf_file **out,
                 struct gf_image *image) {
    const struct gf_format *format = NULL;
    return open_file(path, options, out, image, &format);
}

int gf_file_again(const struct gf_file *of, struct gf_file **out) {
    struct gf_image image = {0};
    int rc = new_file(of->path, &of->options, of->source, out);
    struct gf_file *file = *out;
    if (rc)
        return rc;
    file->described = of->described;
    file->checked = of->checked;
    if (of->samples)
        rc = gf_source_again(of->samples, &file->samples);
    if (!rc)
        rc = open_decoder(file, of->decoder.format, &image);
    file->pick = of->pick;
    if (!rc && file->pick.apart)
        rc = of->decoder.format->next(&file->decoder, gf_pick_page(&file->pick, 0), &image);
    gf_image_free(&image);
    if (rc) {
        gf_file_close(file);
        *out = NULL;
    }
    return rc;
}

/* Reads gzip streams to their ends, where their checksums are. */
static int end_streams(struct gf_file *file) {
    int rc = gf_source_end_stream(file->source);
    return rc || !file->samples ? rc : gf_source_end_stream(file->samples);
}

int gf_file_read(struct gf_file *file, struct gf_image *image, struct gf_feed *feed) {
    struct gf_decoder *d = &file->decoder;
    /* A file with a checksum must pass it first. */
    const bool feeds = feed && !file->described && !file->pick.n && !file->is_packed;
    int rc = gf_file_check(file);
    if (!rc && file->pick.n) {
        rc = gf_decoder_allocate(d, image);
        return rc ? rc
                  : gf_file_read_part(file, image, GF_PAGE, 0, file->pick.pages, image->px.data);
    }
    if (!rc)
        rc = gf_decoder_read(d, image, feeds ? feed : NULL);
    if (feed && feed->produce)
        return rc;
    if (!rc) /* where more pictures may follow, at least a checksum that follows is read */
        rc = file->is_packed && file->options.several && d->format->more
                 ? d->format->more(file->source)
                 : end_streams(file);
    return rc < 0 ? rc : GF_OK;
}

/* True if each sample was read once, and the header and the samples, which end the file, have the
 * record's checksum. */
static bool sum_fits(struct gf_file *file) {
    const struct gf_description *d = file->described;
    const int64_t header = d->bytes - file->sums.bytes - file->sums.n;
    const struct gf_chain data = data_of(file);
    uint32_t crc;
    return file->is_summed && header >= 0 && !gf_crc32_part(&data, 0, header, &crc) &&
           gf_sums_total(&file->sums, 0, d->bytes - header, &crc) && crc == d->crc32;
}

int gf_file_check_by(struct gf_file *file, gf_file_summer *sum, void *user) {
    const bool checks =
        file->described && !file->options.edited && !file->checked && !sum_fits(file);
    int rc = checks ? check_sum(file, sum, user) : GF_OK;
    file->is_summed = false;
    file->checked = !rc;
    return rc;
}

int gf_file_check(struct gf_file *file) {
    return gf_file_check_by(file, NULL, NULL);
}

void gf_file_sum_reads(struct gf_file *file) {
    file->is_summed =
        file->described && !file->checked && !file->pick.n && file->decoder.format->header;
}

enum gf_unit gf_file_unit(const struct gf_file *file) {
    const enum gf_unit unit = file->decoder.unit;
    return file->pick.n && unit == GF_SAMPLE ? GF_ROW : unit;
}

/* Reads units of the file's own image, pages that are left out included. */
static int read_stored(struct gf_file *file, const struct gf_image *image, enum gf_unit unit,
                       int64_t first, int64_t n, void *to) {
    struct gf_decoder *d = &file->decoder;
    const int64_t numbers = gf_image_numbers(image, unit);
    const int64_t bytes = numbers * (int64_t)gf_dtype_size(image->px.dtype);
    int rc = file->is_summed ? GF_OK : gf_file_check(file);
    if (!rc)
        rc = d->format->read_part(d, image, unit, first, n, to);
    if (!rc && (first + n) * numbers == gf_array_count(&image->px))
        rc = end_streams(file);
    if (!rc && file->is_summed)
        gf_sums_add(&file->sums, first * bytes, to, (size_t)(n * bytes), file->options.threads);
    return rc;
}

/* Reads picked pages: runs of them that follow each other in the file. */
static int read_picked(struct gf_file *file, int64_t from, int64_t n, char *to) {
    struct gf_decoder *d = &file->decoder;
    const struct gf_image all = {.ndim = file->px.rank - 1, .px = file->px};
    const int64_t page = file->px.stride[0];
    int rc = gf_file_check(file);
    if (!rc && d->unit == GF_WHOLE && !file->decoded.data) {
        struct gf_image whole = all;
        rc = gf_decoder_read(d, &whole, NULL);
        file->decoded = whole.px;
    }
    for (int64_t i = 0, run; i < n && !rc; i += run) {
        const int64_t at = gf_pick_page(&file->pick, from + i);
        for (run = 1; i + run < n && gf_pick_page(&file->pick, from + i + run) == at + run; run++)
            ;
        if (d->unit == GF_WHOLE)
            memcpy(to + i * page, (char *)file->decoded.data + at * page, (size_t)(run * page));
        else
            rc = d->format->read_part(d, &all, GF_PAGE, at, run, to + i * page);
    }
    const bool last = from + n == file->pick.pages && file->pick.image + 1 == file->pick.images;
    return !rc && last ? end_streams(file) : rc;
}

int gf_file_read_part(struct gf_file *file, const struct gf_image *image, enum gf_unit unit,
                      int64_t first, int64_t n, void *to) {
    const struct gf_image all = {.ndim = file->px.rank - 1, .px = file->px};
    if (!file->pick.n)
        return read_stored(file, image, unit, first, n, to);
    if (unit == GF_PAGE)
        return read_picked(file, first, n, to);
    const int64_t rows = image->px.shape[image->ndim - 2]; /* a picture is page 0 */
    return read_stored(file, &all, unit,
                       gf_pick_page(&file->pick, first / rows) * rows + first % rows, n, to);
}

void gf_file_expect_pages(const struct gf_file *file, const struct gf_image *image, int64_t n) {
    if (file->decoder.format->header && !file->pick.n)
        gf_source_expect(file->source, n * image->px.stride[0]);
}

int64_t gf_file_decoding_bytes(const struct gf_file *file) {
    const bool decodes_all = file->pick.n && file->decoder.unit == GF_WHOLE;
    return file->decoder.extra + (decodes_all ? gf_array_bytes(&file->px) : 0);
}

const struct gf_pick *gf_file_pick(const struct gf_file *file) {
    return &file->pick;
}

int gf_file_more(struct gf_file *file) {
    const struct gf_format *f = file->decoder.format;
    if (file->pick.images > 1)
        return file->pick.image + 1 < file->pick.images;
    return f->more ? f->more(file->source) : 0;
}

int gf_file_next(struct gf_file *file, struct gf_image *image) {
    const struct gf_format *f = file->decoder.format;
    if (file->pick.images > 1) {
        file->pick.image++;
        int rc = describe_like(file, image);
        return rc || !file->pick.apart
                   ? rc
                   : f->next(&file->decoder, gf_pick_page(&file->pick, 0), image);
    }
    gf_decoder_close(&file->decoder);
    int rc = open_decoder(file, f, image);
    file->decoder.format = f; /* so that gf_file_more() has it after a failure too */
    return rc;
}

static int check_end_bytes(struct gf_file *file, int64_t size) {
    const struct gf_format *f = file->decoder.format;
    char end[16], name[8];
    int rc = size < (int64_t)f->n_end_bytes
                 ? GF_EFORMAT
                 : gf_source_seek(file->source, size - (int64_t)f->n_end_bytes);
    if (!rc)
        rc = gf_source_read_exactly(file->source, end, f->n_end_bytes);
    if (!rc && !memcmp(end, f->end_bytes, f->n_end_bytes))
        return GF_OK;
    return gf_fail(GF_EFORMAT, "a %s that has no end", gf_format_label(f, name));
}

int gf_file_check_end(struct gf_file *file, const struct gf_image *image) {
    const struct gf_format *f = file->decoder.format;
    const int64_t size = gf_source_known_size(file->source);
    const int64_t end = gf_source_tell(file->source) + gf_array_bytes(&image->px);
    const int block = file->samples ? f->header_block : f->block;
    if (file->is_packed)
        return end_streams(file);
    if (f->end_bytes)
        return check_end_bytes(file, size);
    if (block && size % block)
        return gf_fail(GF_EFORMAT, "its last block is not whole");
    if (size >= end || f->read_part) /* open() compares sizes or reads the end */
        return GF_OK;
    return gf_fail(GF_EFORMAT, "%lld bytes are missing at its end", (long long)(end - size));
}

const struct gf_format *gf_file_format(const struct gf_file *file) {
    return file->decoder.format;
}

bool gf_file_is_at_hand(const struct gf_file *file) {
    return gf_source_known_size(file->source) >= 0 &&
           (!file->samples || gf_source_known_size(file->samples) >= 0);
}

int gf_file_check_size(const struct gf_file *file) {
    int rc = gf_source_check_size(file->source);
    return rc || !file->samples ? rc : gf_source_check_size(file->samples);
}

void gf_file_close(struct gf_file *file) {
    if (!file)
        return;
    gf_decoder_close(&file->decoder);
    gf_image_free(&file->like);
    gf_array_free(&file->decoded);
    gf_record_file_free(&file->beside);
    gf_source_close(file->source);
    gf_source_close(file->samples);
    free(file->samples_path);
    free(file->path);
    free(file);
}

int gf_image_read(const char *path, const struct gf_read_options *options, struct gf_image *image,
                  const struct gf_format **format) {
    const struct gf_format *found = NULL;
    struct gf_file *file;
    int rc = open_file(path, options, &file, image, &found);
    if (format)
        *format = found;
    if (rc)
        return rc;
    if (!options->header_only)
        rc = gf_file_read(file, image, NULL);
    gf_file_close(file);
    if (rc)
        gf_image_free(image);
    return rc;
}

/* ---- writing ---- */

int gf_file_copy(struct gf_file *file, const char *path, bool clobber) {
    enum { PIECE = 1 << 16 };
    struct gf_sink *sink;
    unsigned char *piece = malloc(PIECE);
    int64_t n = 1;
    int rc = piece ? gf_source_seek(file->source, 0) : gf_no_memory();
    if (!rc)
        rc = gf_sink_open(path, clobber, &sink);
    if (rc)
        goto out;
    while (!rc && n > 0) {
        n = gf_source_read(file->source, piece, PIECE);
        rc = n < 0 ? (int)n : gf_sink_write(sink, piece, (size_t)n);
    }
    if (!rc)
        rc = gf_source_check_size(file->source);
    if (rc)
        gf_sink_abort(sink);
    else
        rc = gf_sink_commit(sink);
out:
    free(piece);
    return rc;
}
