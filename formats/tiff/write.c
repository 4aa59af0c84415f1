/* TIFF out: strips, one page a plane, channels as samples. */
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/tiff/tiff.h"

enum {
    PLAIN_STRIP = 4 << 20,    /* uncompressed: large, each is one write */
    PACKED_STRIP = 256 << 10, /* compressed: the unit of decoding */
    PAGE_OVERHEAD = 1024
};

struct page_style {
    uint16_t compression, predictor, photometric, format, bits;
    uint16_t n_extra, *extra;
    int colors; /* 3 or 1; 0: plain channels */
    int orientation;
    uint32_t rows_a_strip;
    int level;
};

static int choose_compression(const struct gf_write_options *o, const struct gf_image *image,
                              struct page_style *s) {
    s->compression = COMPRESSION_NONE;
    s->predictor = PREDICTOR_NONE;
    s->level = o->level;
    if (!strcmp(o->tiff_compression, "deflate"))
        s->compression = COMPRESSION_ADOBE_DEFLATE;
    else if (!strcmp(o->tiff_compression, "lzw"))
        s->compression = COMPRESSION_LZW;
    else if (o->tiff_compression[0] && strcmp(o->tiff_compression, "none"))
        return gf_fail(GF_EUSAGE, "unknown TIFF compression '%.7s' (none deflate lzw)",
                       o->tiff_compression);
    if (s->compression != COMPRESSION_NONE && !o->noise && gf_dtype_is_integer(image->px.dtype))
        s->predictor = PREDICTOR_HORIZONTAL;
    return GF_OK;
}

static uint16_t sample_format(enum gf_dtype t) {
    if (gf_dtype_is_complex(t))
        return SAMPLEFORMAT_COMPLEXIEEEFP;
    if (t == GF_F32 || t == GF_F64)
        return SAMPLEFORMAT_IEEEFP;
    return t == GF_I8 || t == GF_I16 || t == GF_I32 ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT;
}

static int choose_style(const struct gf_image *image, const struct gf_planes *p,
                        const struct gf_write_options *options, struct page_style *s) {
    int rc = choose_compression(options, image, s);
    if (rc)
        return rc;
    s->format = sample_format(image->px.dtype);
    s->bits = (uint16_t)(8 * p->sample);
    bool rgb = image->color == GF_RGB && p->channels >= 3;
    s->photometric = rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    s->n_extra = (uint16_t)(p->channels - (rgb ? 3 : 1));
    s->colors = s->n_extra > image->alpha ? 0 : rgb ? 3 : 1;
    if (s->n_extra) {
        s->extra = calloc(s->n_extra, sizeof *s->extra); /* EXTRASAMPLE_UNSPECIFIED */
        if (!s->extra)
            return gf_no_memory();
        if (image->alpha)
            s->extra[s->n_extra - 1] = EXTRASAMPLE_UNASSALPHA;
    }
    int64_t strip = s->compression == COMPRESSION_NONE ? PLAIN_STRIP : PACKED_STRIP;
    int64_t rows = strip / (int64_t)p->row_bytes;
    s->rows_a_strip = (uint32_t)(rows < 1 ? 1 : rows > p->height ? p->height : rows);
    return GF_OK;
}

static void set_tags(TIFF *tif, const struct gf_planes *p, const struct page_style *s) {
    gf_libtiff.TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)p->width);
    gf_libtiff.TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)p->height);
    gf_libtiff.TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, (int)s->bits);
    gf_libtiff.TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, (int)s->format);
    gf_libtiff.TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, (int)p->channels);
    gf_libtiff.TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    gf_libtiff.TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, (int)s->photometric);
    gf_libtiff.TIFFSetField(tif, TIFFTAG_COMPRESSION, (int)s->compression);
    gf_libtiff.TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, s->rows_a_strip);
    gf_libtiff.TIFFSetField(tif, TIFFTAG_ORIENTATION, s->orientation);
    if (s->n_extra)
        gf_libtiff.TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, (int)s->n_extra, s->extra);
    if (s->predictor != PREDICTOR_NONE)
        gf_libtiff.TIFFSetField(tif, TIFFTAG_PREDICTOR, (int)s->predictor);
    if (s->compression == COMPRESSION_ADOBE_DEFLATE)
        gf_libtiff.TIFFSetField(tif, TIFFTAG_ZIPQUALITY, s->level < 1 ? 1 : s->level);
}

/* State kept from page to page. */
struct writer {
    struct gf_tiff t;
    struct page_style style;
    void *buffer; /* of a strip whose rows have to be put together; NULL: none was yet */
    bool begun;   /* the first page is written */
    char *text;   /* the description of the pages, or NULL */
    struct gf_metadata metadata; /* the image's, perhaps with another resolution; borrowed */
    struct gf_coding coding;     /* of samples that are stored as the picture's own file has them */
    void *coded;                 /* a strip of them; NULL: none was yet */
};

/* NaN becomes GDAL_NODATA again, in the type of the picture's own file. */
static void choose_coding(const struct gf_image *image, struct writer *w) {
    const struct gf_metadata *m = &image->metadata;
    const unsigned char *text = gf_tiff_kept_tag(m, GF_TIFF_NODATA);
    const unsigned char *bits = gf_tiff_kept_tag(m, TIFFTAG_BITSPERSAMPLE);
    const unsigned char *format = gf_tiff_kept_tag(m, TIFFTAG_SAMPLEFORMAT);
    struct gf_tiff was = {.has_nodata = true};
    struct gf_tiff_page page = {.format = SAMPLEFORMAT_UINT};
    if (!image->restores || !text || !bits ||
        !gf_tiff_parse_nodata((const char *)text, &was.nodata))
        return;
    memcpy(&page.bits, bits, sizeof page.bits);
    if (format)
        memcpy(&page.format, format, sizeof page.format);
    if (gf_tiff_set_dtype(&was, &page) || !page.coding.coded || page.dtype != image->px.dtype)
        return;
    w->coding = page.coding;
    w->style.format = page.format;
    w->style.bits = (uint16_t)(8 * gf_coding_bytes(&w->coding, page.dtype));
}

static int write_strips(struct writer *w, const struct gf_planes *p, int64_t z) {
    const struct page_style *s = &w->style;
    struct gf_tiff *t = &w->t;
    uint32_t strip = 0;
    for (int64_t y = 0; y < p->height; y += s->rows_a_strip, strip++) {
        int64_t n = p->height - y < s->rows_a_strip ? p->height - y : s->rows_a_strip;
        /* libtiff's parameter is not const but, for strips, it works on a copy */
        void *rows = (void *)(uintptr_t)(t->hole ? t->hole : gf_planes_rows(p, z, y, n, w->buffer));
        tmsize_t bytes = (tmsize_t)((size_t)n * p->row_bytes);
        if (w->coding.coded) {
            const int64_t count = n * p->width * p->channels;
            gf_coding_encode(&w->coding, rows, count, p->px.dtype, w->coded);
            rows = w->coded;
            bytes = count * (s->bits / 8);
        }
        t->samples = true;
        tmsize_t done = s->compression == COMPRESSION_NONE
                            ? gf_libtiff.TIFFWriteRawStrip(t->tif, strip, rows, bytes)
                            : gf_libtiff.TIFFWriteEncodedStrip(t->tif, strip, rows, bytes);
        t->samples = false;
        if (done != bytes || t->failed || t->status)
            return gf_tiff_report(t, "libtiff: ");
    }
    if (!gf_libtiff.TIFFWriteDirectory(t->tif))
        return gf_tiff_report(t, "libtiff: ");
    return GF_OK;
}

/* libtiff does not report that it has no memory for a text. */
static bool set_description(TIFF *tif, const char *text) {
    char *kept = NULL;
    return gf_libtiff.TIFFSetField(tif, TIFFTAG_IMAGEDESCRIPTION, text) &&
           gf_libtiff.TIFFGetField(tif, TIFFTAG_IMAGEDESCRIPTION, &kept) && kept;
}

/* Writes plane z of `p` as a page with its tags. */
static int write_page(struct writer *w, const struct gf_image *image, const struct gf_planes *p,
                      int64_t z) {
    struct gf_tiff *t = &w->t;
    bool first = !w->begun;
    set_tags(t->tif, p, &w->style);
    const char *text = image->record ? image->record : w->text;
    t->no_memory |= first && text && !set_description(t->tif, text);
    t->no_memory |= !gf_tiff_put_metadata(t->tif, &w->metadata, w->style.colors, first);
    t->no_memory |= first && !gf_tiff_put_tags(t, &w->metadata, image->texts);
    w->begun = true;
    if (t->no_memory)
        return gf_no_memory();
    return t->failed ? gf_tiff_report(t, "libtiff: ") : write_strips(w, p, z);
}

int gf_tiff_begin(struct gf_encoder *e) {
    struct gf_planes p;
    struct writer *w = e->state = calloc(1, sizeof *w);
    if (!w)
        return gf_no_memory();
    w->t.sink = e->sink;
    gf_planes_view(&p, e->image);
    if (p.width > UINT32_MAX || p.height > INT32_MAX || p.channels > UINT16_MAX)
        return gf_fail(GF_EUNSUPP, "too large for a TIFF");
    w->metadata = e->image->metadata;
    int rc = choose_style(e->image, &p, e->options, &w->style);
    w->style.orientation =
        e->image->texts ? ORIENTATION_TOPLEFT : gf_tiff_orientation(&w->metadata);
    if (!rc)
        choose_coding(e->image, w);
    if (!rc)
        rc = gf_tiff_describe_pages(e->image, e->options->ome, &w->text, &w->metadata.resolution);
    if (rc)
        return rc;
    /* BigTIFF if 32-bit offsets could overflow; compressed strips may grow a little. */
    double bytes = (double)w->metadata.header_bytes +
                   (double)p.depth * (PAGE_OVERHEAD + (double)p.height * 16 +
                                      (double)p.height * (double)p.row_bytes * 1.02);
    gf_sink_keep(e->sink);
    w->t.big = bytes > 4.0e9;
    rc = gf_tiff_open(&w->t, w->t.big ? "w8" : "w", 0);
    /* ImageJ reads pages that are not compressed as one block. */
    if (!rc && w->text && !strncmp(w->text, "ImageJ=", 7) &&
        w->style.compression == COMPRESSION_NONE) {
        w->t.samples_at = gf_sink_size(e->sink);
        w->t.samples_end =
            w->t.samples_at + p.depth * p.height * p.width * p.channels * (w->style.bits / 8);
    }
    return rc;
}

int gf_tiff_put_pages(struct gf_encoder *e, const struct gf_image *pages) {
    struct writer *w = e->state;
    struct gf_planes p;
    int rc = GF_OK;
    gf_planes_view(&p, pages);
    if (!gf_planes_in_place(&p) && !w->buffer) {
        w->buffer = malloc(w->style.rows_a_strip * p.row_bytes);
        if (!w->buffer)
            return gf_no_memory();
    }
    if (w->coding.coded && !w->coded &&
        !(w->coded = malloc((size_t)(w->style.rows_a_strip * p.width * p.channels) * 8)))
        return gf_no_memory();
    for (int64_t z = 0; z < p.depth && !rc; z++)
        rc = write_page(w, e->image, &p, z);
    return rc;
}

int gf_tiff_end(struct gf_encoder *e) {
    struct writer *w = e->state;
    gf_tiff_close(&w->t);
    int rc = w->t.failed || w->t.status ? gf_tiff_report(&w->t, "libtiff: ") : GF_OK;
    free(w->style.extra);
    free(w->text);
    free(w->buffer);
    free(w->coded);
    free(w);
    e->state = NULL;
    return rc;
}

/* libtiff lays out the file, without samples. */
int gf_tiff_write_frame(struct gf_encoder *e, struct gf_frame *frame) {
    static const char hole = 0;
    struct gf_planes p;
    int rc = gf_tiff_begin(e);
    struct writer *w = e->state;
    *frame = (struct gf_frame){.base = 0};
    if (rc)
        return gf_encoder_end(e, rc);
    gf_planes_view(&p, e->image);
    frame->rows = w->style.rows_a_strip;
    int64_t strips = gf_divide_up(p.height, frame->rows);
    frame->at = w->t.hole_at = calloc((size_t)(p.depth * strips), sizeof *frame->at);
    w->t.hole = &hole;
    rc = frame->at ? GF_OK : gf_no_memory();
    for (int64_t z = 0; z < p.depth && !rc; z++)
        rc = write_page(w, e->image, &p, z);
    rc = gf_encoder_end(e, rc);
    if (rc) {
        free(frame->at);
        frame->at = NULL;
    }
    return rc;
}
