/* TIFF whose planes come in any order: all directories are in front, in the layout of the
 * TIFF 6.0 specification, or of BigTIFF where 32-bit offsets could run out. Numbers are in the
 * host's order, which the first two bytes name. */
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "formats/image.h"
#include "formats/tiff.h"

enum { N_TAGS = 14, SHORT = TIFF_SHORT, LONG = TIFF_LONG, LONG8 = TIFF_LONG8, ASCII = TIFF_ASCII };

struct writer {
    struct gf_sink *sink;
    bool big;
    int rc;
};

static void put(struct writer *w, const void *data, size_t n) {
    if (!w->rc)
        w->rc = gf_sink_write(w->sink, data, n);
}

static void put16(struct writer *w, unsigned v) {
    uint16_t x = (uint16_t)v;
    put(w, &x, sizeof x);
}
static void put32(struct writer *w, uint64_t v) {
    uint32_t x = (uint32_t)v;
    put(w, &x, sizeof x);
}
/* An offset or a count of the file's own width. */
static void put_word(struct writer *w, uint64_t v) {
    if (w->big)
        put(w, &v, sizeof v);
    else
        put32(w, v);
}

/* One value is in the entry, padded behind it; several are at position `v`. */
static void entry(struct writer *w, unsigned tag, unsigned type, uint64_t count, uint64_t v) {
    static const char zeros[8] = {0};
    size_t room = w->big ? 8 : 4;
    put16(w, tag);
    put16(w, type);
    put_word(w, count);
    if (count == 1 && type == SHORT) {
        put16(w, (unsigned)v);
        put(w, zeros, room - 2);
    } else if (count == 1 && type == LONG) {
        put32(w, v);
        put(w, zeros, room - 4);
    } else {
        put_word(w, v);
    }
}

struct layout {
    int64_t shorts; /* position of bits, sample formats and extra samples, in this order */
    int64_t text, text_bytes;   /* the record */
    int64_t directories, bytes; /* the first one, and how long each is */
    int64_t data, plane;
};

/* A list of shorts that end with `last`: in the entry where it fits, else at `at`, shared by all
 * pages.
 */
static void list(struct writer *w, unsigned tag, int64_t count, unsigned value, unsigned last,
                 int64_t at) {
    int64_t fits = w->big ? 4 : 2;
    if (count == 1) {
        entry(w, tag, SHORT, 1, last);
        return;
    }
    put16(w, tag);
    put16(w, SHORT);
    put_word(w, (uint64_t)count);
    if (count > fits) {
        put_word(w, (uint64_t)at);
        return;
    }
    for (int64_t i = 0; i < fits; i++)
        put16(w, i >= count ? 0 : i == count - 1 ? last : value);
}

static void directory(struct writer *w, const struct gf_image *image, const struct layout *l,
                      int64_t z) {
    const int64_t *shape = image->px.shape;
    int64_t samples = shape[3];
    bool rgb = image->color == GF_RGB && samples >= 3;
    int64_t extra = samples - (rgb ? 3 : 1);
    unsigned bits = 8 * (unsigned)gf_dtype_size(image->px.dtype);
    unsigned format = image->px.dtype == GF_F32 || image->px.dtype == GF_F64 ? SAMPLEFORMAT_IEEEFP
                                                                             : SAMPLEFORMAT_UINT;
    bool text = z == 0 && l->text_bytes;
    uint64_t tags = N_TAGS - (extra ? 0 : 1) - (text ? 0 : 1);
    if (w->big)
        put_word(w, tags);
    else
        put16(w, (unsigned)tags);
    entry(w, TIFFTAG_IMAGEWIDTH, LONG, 1, (uint64_t)shape[2]);
    entry(w, TIFFTAG_IMAGELENGTH, LONG, 1, (uint64_t)shape[1]);
    list(w, TIFFTAG_BITSPERSAMPLE, samples, bits, bits, l->shorts);
    entry(w, TIFFTAG_COMPRESSION, SHORT, 1, COMPRESSION_NONE);
    entry(w, TIFFTAG_PHOTOMETRIC, SHORT, 1, rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    if (text)
        entry(w, TIFFTAG_IMAGEDESCRIPTION, ASCII, (uint64_t)l->text_bytes, (uint64_t)l->text);
    entry(w, TIFFTAG_STRIPOFFSETS, w->big ? LONG8 : LONG, 1, (uint64_t)(l->data + z * l->plane));
    entry(w, TIFFTAG_ORIENTATION, SHORT, 1, ORIENTATION_TOPLEFT);
    entry(w, TIFFTAG_SAMPLESPERPIXEL, SHORT, 1, (uint64_t)samples);
    entry(w, TIFFTAG_ROWSPERSTRIP, LONG, 1, (uint64_t)shape[1]);
    entry(w, TIFFTAG_STRIPBYTECOUNTS, w->big ? LONG8 : LONG, 1, (uint64_t)l->plane);
    entry(w, TIFFTAG_PLANARCONFIG, SHORT, 1, PLANARCONFIG_CONTIG);
    if (extra)
        list(w, TIFFTAG_EXTRASAMPLES, extra, 0, image->alpha ? EXTRASAMPLE_UNASSALPHA : 0,
             l->shorts + 4 * samples);
    list(w, TIFFTAG_SAMPLEFORMAT, samples, format, format, l->shorts + 2 * samples);
    bool more = z + 1 < shape[0];
    put_word(w, more ? (uint64_t)(l->directories + (z + 1) * l->bytes) : 0);
    static const char zeros[64] = {0};
    int64_t entry_bytes = w->big ? 20 : 12, used = (w->big ? 16 : 6) + (int64_t)tags * entry_bytes;
    put(w, zeros, (size_t)(l->bytes - used));
}

static void shorts(struct writer *w, int64_t count, unsigned value, unsigned last) {
    for (int64_t i = 0; i < count; i++)
        put16(w, i == count - 1 ? last : value);
}

int gf_tiff_write_frame(struct gf_sink *sink, const struct gf_image *image) {
    const int64_t *shape = image->px.shape;
    struct writer w = {.sink = sink};
    struct layout l = {.text_bytes = image->record ? (int64_t)strlen(image->record) + 1 : 0};
    int64_t samples = shape[3], all;
    if (image->px.rank != 4 || gf_dtype_is_complex(image->px.dtype))
        return gf_fail(GF_EUNSUPP, "only a volume of real samples is written plane by plane");
    if (shape[2] > UINT32_MAX || shape[1] > INT32_MAX || samples > UINT16_MAX)
        return gf_fail(GF_EUNSUPP, "too large for a TIFF");
    int rc = gf_size_product(shape + 1, 3, (int64_t)gf_dtype_size(image->px.dtype), &l.plane);
    if (!rc)
        rc = gf_size_product(shape, 4, (int64_t)gf_dtype_size(image->px.dtype), &all);
    if (rc)
        return rc;
    w.big = (double)all + 512.0 * (double)shape[0] > 4.0e9;
    l.shorts = w.big ? 16 : 8;
    l.text = l.shorts + 3 * 2 * samples;
    l.directories = (l.text + l.text_bytes + 15) / 16 * 16;
    l.bytes = ((w.big ? 16 : 6) + N_TAGS * (w.big ? 20 : 12) + 15) / 16 * 16;
    l.data = (l.directories + shape[0] * l.bytes + 63) / 64 * 64;
    put(&w, gf_host_is_big_endian() ? "MM" : "II", 2);
    put16(&w, w.big ? 43 : 42);
    if (w.big) {
        put16(&w, 8);
        put16(&w, 0);
    }
    put_word(&w, (uint64_t)l.directories);
    unsigned bits = 8 * (unsigned)gf_dtype_size(image->px.dtype);
    bool real = image->px.dtype == GF_F32 || image->px.dtype == GF_F64;
    unsigned format = real ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT;
    bool rgb = image->color == GF_RGB && samples >= 3;
    shorts(&w, samples, bits, bits);
    shorts(&w, samples, format, format);
    shorts(&w, samples - (rgb ? 3 : 1), 0, image->alpha ? EXTRASAMPLE_UNASSALPHA : 0);
    if (l.text_bytes && !w.rc) {
        w.rc = gf_sink_seek(sink, l.text);
        put(&w, image->record, (size_t)l.text_bytes);
    }
    if (!w.rc)
        w.rc = gf_sink_seek(sink, l.directories);
    for (int64_t z = 0; z < shape[0] && !w.rc; z++)
        directory(&w, image, &l, z);
    return w.rc ? w.rc : gf_sink_seek(sink, l.data);
}
