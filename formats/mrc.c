/* MRC2014 (Cheng et al., J. Struct. Biol. 192, 2015, 146-150), of electron microscopy: a header of
 * 1024 bytes, an extended header, then sections of rows. The order of the rows is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "formats/image.h"

enum { HEADER = 1024, MOST_SIDE = 1 << 30 };
/* Bytes of the header's fields: numbers of 4 bytes, the first of several. */
enum {
    NX = 0,
    MODE = 12,
    MX = 28,
    CELLA = 40,
    CELLB = 52,
    MAPC = 64,
    DMIN = 76,
    DMAX = 80,
    DMEAN = 84,
    ISPG = 88,
    NSYMBT = 92,
    NVERSION = 108,
    IMOD_STAMP = 152,
    IMOD_FLAGS = 156,
    MARK = 208,
    MACHST = 212,
    RMS = 216,
    NLABL = 220,
    LABEL = 224
};
enum { BYTES = 0, HALVES = 12, FOUR_BITS = 101, IMOD = 1146047817 };
enum { SIGNED = 1, PACKED = 16 }; /* IMOD's flags for bytes */
enum { IMAGE_STACK = 0, VOLUME = 1, VOLUME_STACK = 401, MOST_ISPG = 630 };

static const struct {
    int mode;
    enum gf_dtype dtype;
    enum gf_stored stored;
} modes[] = {{BYTES, GF_I8, (enum gf_stored)GF_I8},    {1, GF_I16, (enum gf_stored)GF_I16},
             {2, GF_F32, (enum gf_stored)GF_F32},      {4, GF_C64, (enum gf_stored)GF_C64},
             {6, GF_U16, (enum gf_stored)GF_U16},      {HALVES, GF_F32, GF_STORED_F16},
             {FOUR_BITS, GF_U8, (enum gf_stored)GF_U8}};
enum { N_MODES = sizeof modes / sizeof *modes };

/* ---- fields ---- */

static int32_t number(const unsigned char *h, int at, bool big_endian) {
    return (int32_t)gf_get_number(h + at, 4, big_endian);
}

static double real(const unsigned char *h, int at, bool big_endian) {
    const uint32_t bits = (uint32_t)gf_get_number(h + at, 4, big_endian);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void put_number(unsigned char *h, int at, bool big_endian, int64_t v) {
    for (int i = 0; i < 4; i++)
        h[at + i] = (unsigned char)((uint64_t)v >> 8 * (big_endian ? 3 - i : i));
}

static void put_real(unsigned char *h, int at, bool big_endian, double v) {
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    put_number(h, at, big_endian, bits);
}

/* ---- reading ---- */

static bool mrc_sniff(const unsigned char *head, size_t n) {
    return n >= MARK + 4 && !memcmp(head + MARK, "MAP", 3) &&
           (head[MARK + 3] == ' ' || !head[MARK + 3]);
}

/* True if the mode, axes and extents make sense in this byte order: the machine stamp may be wrong. */
static bool makes_sense(const unsigned char *h, bool big) {
    const int32_t mode = number(h, MODE, big), axis = number(h, MAPC, big);
    bool good = mode >= 0 && mode <= FOUR_BITS && axis >= 0 && axis <= 3;
    for (int i = 0; i < 3; i++)
        good = good && number(h, NX + 4 * i, big) >= 1 && number(h, NX + 4 * i, big) <= MOST_SIDE;
    return good;
}

static bool is_big_endian(const unsigned char *h) {
    const bool stamp = h[MACHST] == 0x11;
    return makes_sense(h, stamp) || !makes_sense(h, !stamp) ? stamp : !stamp;
}

/* The axis of columns, rows or sections: 0 is x. The usual order unless MAPC, MAPR and MAPS name all
 * three. */
static int axis_of(const unsigned char *h, bool big, int i) {
    int seen = 0;
    for (int k = 0; k < 3; k++) {
        const int32_t axis = number(h, MAPC + 4 * k, big);
        seen |= axis >= 1 && axis <= 3 ? 1 << axis : 0;
    }
    return seen == 14 ? number(h, MAPC + 4 * i, big) - 1 : i;
}

/* In angstrom; 0 or less, or no number, if it is unknown. */
static double spacing_of(const unsigned char *h, bool big, int axis) {
    const int32_t intervals = number(h, MX + 4 * axis, big);
    return intervals > 0 ? real(h, CELLA + 4 * axis, big) / intervals : 0;
}

static void describe_axes(const unsigned char *h, bool big, const int64_t n[3],
                          struct gf_axes *axes) {
    static const char *const names[] = {"x", "y", "z"};
    const int32_t group = number(h, ISPG, big), mz = number(h, MX + 8, big);
    const bool volumes = group >= VOLUME_STACK && mz > 0 && n[2] > 1 && n[2] % mz == 0;
    for (int i = 0; i < (n[2] > 1 ? 3 : 2); i++) {
        const int axis = axis_of(h, big, i);
        if (i == 2 && group == IMAGE_STACK)
            gf_axes_add(axes, "n", n[2], 0, "");
        else
            gf_axes_add(axes, names[axis], i == 2 && volumes ? mz : n[i], spacing_of(h, big, axis),
                        "A");
    }
    if (volumes)
        gf_axes_add(axes, "n", n[2] / mz, 0, "");
    axes->named = volumes || (n[2] > 1 && group == IMAGE_STACK);
}

/* Refuses a mode that cannot be read. */
static int refuse_mode(int32_t mode) {
    return gf_fail(GF_EUNSUPP, "an MRC file of mode %ld%s (0, 1, 2, 4, 6, 12 and 101 can be read)",
                   (long)mode,
                   mode == 3    ? ", complex integers,"
                   : mode == 16 ? ", colours of 8 bits,"
                                : "");
}

static int describe(struct gf_decoder *d, struct gf_image *image, const unsigned char *h,
                    bool big) {
    struct gf_raw_layout *l = &d->layout;
    const int32_t mode = number(h, MODE, big), more = number(h, NSYMBT, big);
    int64_t n[3];
    int i = 0;
    while (i < N_MODES && modes[i].mode != mode)
        i++;
    if (i == N_MODES)
        return refuse_mode(mode);
    for (int k = 0; k < 3; k++) {
        n[k] = number(h, NX + 4 * k, big);
        if (n[k] < 1 || n[k] > MOST_SIDE)
            return gf_fail(GF_EFORMAT, "broken MRC: %lld columns, rows or sections",
                           (long long)n[k]);
    }
    if (more < 0)
        return gf_fail(GF_EFORMAT, "broken MRC: an extended header of %ld bytes", (long)more);
    const bool flagged = mode == BYTES && number(h, IMOD_STAMP, big) == IMOD;
    const int32_t flags = flagged ? number(h, IMOD_FLAGS, big) : SIGNED;
    if (flags & PACKED)
        return gf_fail(GF_EUNSUPP, "an MRC file of bytes that hold two samples each (IMOD's flag)");
    *l = (struct gf_raw_layout){.ndim = n[2] > 1 ? 3 : 2,
                                .channels = 1,
                                .dtype = flags & SIGNED ? modes[i].dtype : GF_U8,
                                .big_endian = big,
                                .offset = HEADER + (int64_t)more};
    for (int k = 0; k < l->ndim; k++)
        l->shape[k] = n[l->ndim - 1 - k];
    d->coding = (struct gf_coding){.coded = modes[i].stored == GF_STORED_F16,
                                   .type = modes[i].stored,
                                   .slope = 1,
                                   .tail = true,
                                   .pages = mode == FOUR_BITS};
    image->depth = mode == FOUR_BITS ? 4 : mode == HALVES ? 16 : 0;
    image->color = GF_GRAY;
    describe_axes(h, big, n, &image->axes);
    return GF_OK;
}

/* Keeps the header at `h` and the extended one behind it, unless that is too large. */
static int keep_header(struct gf_decoder *d, struct gf_image *image, const unsigned char *h) {
    const int64_t all = d->layout.offset, size = gf_source_known_size(d->source);
    if (size >= 0 && size < all)
        return gf_fail(GF_EFORMAT, "broken MRC: it ends in its extended header");
    if (all > GF_MOST_HEADER)
        return GF_OK;
    unsigned char *text = malloc((size_t)all);
    if (!text)
        return gf_no_memory();
    memcpy(text, h, HEADER);
    int rc = gf_source_read_exactly(d->source, text + HEADER, (size_t)all - HEADER);
    if (!rc)
        rc = gf_header_copy(&image->metadata, gf_format_mrc.name, text, (size_t)all);
    free(text);
    return rc;
}

/* Compares the bytes of four-bit samples, whose rows are padded to whole bytes, with the file's. */
static int check_packed(struct gf_decoder *d) {
    int64_t rows[3] = {0}, need;
    const int64_t size = gf_source_known_size(d->source), offset = d->layout.offset;
    memcpy(rows, d->layout.shape, sizeof rows);
    rows[d->layout.ndim - 1] = (rows[d->layout.ndim - 1] + 1) / 2;
    int rc = gf_size_product(rows, d->layout.ndim, 1, &need);
    if (!rc && size >= 0 && size - offset < need)
        rc = gf_fail(GF_EFORMAT, "the file holds %lld bytes of data, its header promises %lld",
                     (long long)(size - offset), (long long)need);
    return rc;
}

static int mrc_header(struct gf_decoder *d, struct gf_image *image) {
    unsigned char h[HEADER];
    int rc = gf_source_read_exactly(d->source, h, HEADER);
    if (!rc)
        rc = describe(d, image, h, is_big_endian(h));
    if (!rc && d->coding.pages)
        rc = check_packed(d);
    return rc ? rc : keep_header(d, image, h);
}

/* Unpacks four-bit samples, the first of two in the low bits. */
static int read_packed(struct gf_decoder *d, const struct gf_image *image, int64_t from, int64_t n,
                       unsigned char *to) {
    const int64_t width = image->px.shape[image->ndim - 1], row = (width + 1) / 2;
    const int64_t rows = image->ndim == 3 ? image->px.shape[1] : 1;
    unsigned char *packed = malloc((size_t)row);
    int rc =
        packed ? gf_source_seek(d->source, d->layout.offset + from * rows * row) : gf_no_memory();
    for (int64_t y = 0; y < n * rows && !rc; y++, to += width) {
        rc = gf_source_read_exactly(d->source, packed, (size_t)row);
        for (int64_t x = 0; x < width && !rc; x++)
            to[x] = packed[x / 2] >> (x % 2 ? 4 : 0) & 15;
    }
    free(packed);
    return rc;
}

static int mrc_read_pages(struct gf_decoder *d, const struct gf_image *image, int64_t from,
                          int64_t n, void *to) {
    return d->coding.pages ? read_packed(d, image, from, n, to)
                           : gf_plain_read_pages(d, image, from, n, to);
}

/* ---- writing ---- */

/* The samples so far; sums are of them less the first one. */
struct statistics {
    int64_t n;
    double first, low, high, sum, squares;
};

struct writer {
    unsigned char h[HEADER]; /* written again once the statistics are known */
    bool counts;             /* real samples are put in order, into a file */
    struct statistics s;
};

/* The header of the picture's own file, or NULL. */
static const unsigned char *kept(const struct gf_metadata *m) {
    const bool own = m->header && m->header_format == gf_format_mrc.name;
    return own && m->header_bytes >= HEADER ? m->header : NULL;
}

/* Copies a header into little-endian order. Texts stay; extra bytes are IMOD's numbers or unknown. */
static void copy_header(const unsigned char *from, unsigned char *h) {
    static const short runs[][3] = {/* offset, size, count */
                                    {0, 4, 24},  {NVERSION, 4, 1}, {196, 4, 3}, {RMS, 4, 2},
                                    {96, 2, 1},  {128, 2, 2},      {152, 4, 2}, {160, 2, 6},
                                    {172, 4, 6}, {0, 0, 0}};
    const bool big = is_big_endian(from), imod = number(from, IMOD_STAMP, big) == IMOD;
    memcpy(h, from, HEADER);
    for (int i = 0; big && i < (imod ? 9 : 4); i++)
        gf_swap_bytes(h + runs[i][0], (size_t)runs[i][2], (size_t)runs[i][1]);
}

static void make_header(unsigned char *h) {
    static const char label[] = "gpufft";
    for (int i = 0; i < 3; i++)
        put_real(h, CELLB + 4 * i, false, 90);
    put_number(h, ISPG, false, VOLUME);
    put_number(h, NLABL, false, 1);
    memset(h + LABEL, ' ', 80);
    memcpy(h + LABEL, label, sizeof label - 1);
}

/* Sets the extents and the cell. An axis whose spacing the image does not know keeps the header's. */
static void put_shape(const struct gf_image *image, unsigned char *h) {
    const struct gf_axes *axes = &image->axes;
    const int32_t group = number(h, ISPG, false);
    struct gf_planes p;
    gf_planes_view(&p, image);
    const int64_t n[3] = {p.width, p.height, p.depth}, groups = gf_axes_groups(axes);
    const bool volumes = axes->named && group >= VOLUME_STACK && group <= MOST_ISPG &&
                         groups <= p.depth && p.depth % groups == 0;
    const bool stack = !volumes && (axes->named || image->ndim < 3);
    const int along[3] = {axis_of(h, false, 0), axis_of(h, false, 1), axis_of(h, false, 2)};
    put_number(h, ISPG, false, stack ? IMAGE_STACK : group <= IMAGE_STACK ? VOLUME : group);
    for (int i = 0; i < 3; i++) {
        const int axis = image->ndim - 1 - i, at = along[i];
        const struct gf_axis *a = axis < 0 ? NULL : gf_axes_spatial(axes, image->ndim, axis);
        const int64_t count = i < 2 ? n[i] : stack ? 1 : volumes ? p.depth / groups : p.depth;
        double spacing = fmax(spacing_of(h, false, at), 0);
        char kind = 0;
        if (a && a->role == GF_SPACE)
            spacing = gf_image_spacing(image, axis, &kind) * 1e10;
        put_number(h, NX + 4 * i, false, n[i]);
        put_number(h, MX + 4 * at, false, count);
        put_number(h, MAPC + 4 * i, false, at + 1);
        put_real(h, CELLA + 4 * at, false, kind && kind != 'm' ? 0 : (double)count * spacing);
    }
}

/* The value as a half holds it. */
static double rounded(const struct gf_coding *c, double v) {
    unsigned char half[2];
    gf_coding_encode(c, &v, 1, GF_F64, half);
    gf_coding_decode(c, half, 1, GF_F64, &v);
    return v;
}

/* By the standard's convention for statistics that are not known, unless all samples are finite. */
static void put_statistics(struct writer *w, const struct gf_coding *c) {
    const struct statistics *s = &w->s;
    const bool known = s->n > 0 && isfinite(s->sum);
    const double n = (double)gf_max(s->n, 1), mean = s->sum / n, square = s->squares / n;
    put_real(w->h, DMIN, false, !known ? 0 : c->coded ? rounded(c, s->low) : s->low);
    put_real(w->h, DMAX, false, !known ? -1 : c->coded ? rounded(c, s->high) : s->high);
    put_real(w->h, DMEAN, false, known ? s->first + mean : -2);
    put_real(w->h, RMS, false, known ? sqrt(fmax(square - mean * mean, 0)) : -1);
}

static int mrc_begin(struct gf_encoder *e) {
    const struct gf_image *image = e->image;
    const struct gf_metadata *m = &image->metadata;
    const unsigned char *own = kept(m);
    const size_t more = own ? m->header_bytes - HEADER : 0;
    struct writer *w = e->state = calloc(1, sizeof *w);
    int i = 0;
    if (!w)
        return gf_no_memory();
    if (own)
        copy_header(own, w->h);
    else
        make_header(w->h);
    while (modes[i].dtype != image->px.dtype)
        i++;
    e->coding = (struct gf_coding){.slope = 1, .type = GF_STORED_F16};
    e->coding.coded =
        own && image->restores && image->px.dtype == GF_F32 && number(w->h, MODE, false) == HALVES;
    if (modes[i].mode == BYTES && number(w->h, IMOD_STAMP, false) == IMOD)
        put_number(w->h, IMOD_FLAGS, false, number(w->h, IMOD_FLAGS, false) | SIGNED);
    put_number(w->h, MODE, false, e->coding.coded ? HALVES : modes[i].mode);
    put_number(w->h, NSYMBT, false, (int64_t)more);
    put_number(w->h, NVERSION, false, 20141);
    memcpy(w->h + MARK, "MAP \x44\x44\0\0", 8);
    put_shape(image, w->h);
    put_statistics(w, &e->coding);
    /* The checksum for a record is that of the bytes in order. */
    w->counts = gf_sink_is_file(e->sink) && !image->record && !gf_dtype_is_complex(image->px.dtype);
    int rc = gf_sink_write(e->sink, w->h, HEADER);
    return rc || !more ? rc : gf_sink_write(e->sink, own + HEADER, more);
}

/* The samples of a type, for add_rows(). */
#define ADD(type) \
    for (int64_t i = 0; i < n; i++) { \
        const double v = ((const type *)rows)[i]; \
        if (!s.n++) \
            s.first = s.low = s.high = v; \
        s.low = v < s.low ? v : s.low; \
        s.high = v > s.high ? v : s.high; \
        s.sum += v - s.first; \
        s.squares += (v - s.first) * (v - s.first); \
    }

static struct statistics add_rows(struct statistics s, enum gf_dtype dtype, int64_t n,
                                  const void *rows) {
    if (dtype == GF_I8)
        ADD(int8_t)
    else if (dtype == GF_I16)
        ADD(int16_t)
    else if (dtype == GF_U16)
        ADD(uint16_t)
    else
        ADD(float)
    return s;
}

static int mrc_put_pages(struct gf_encoder *e, const struct gf_image *pages) {
    struct writer *w = e->state;
    struct gf_planes p;
    gf_planes_view(&p, pages);
    char *buffer = gf_planes_in_place(&p) ? NULL : malloc((size_t)p.height * p.row_bytes);
    if (!gf_planes_in_place(&p) && !buffer)
        return gf_no_memory();
    for (int64_t z = 0; z < p.depth && w->counts; z++)
        w->s = add_rows(w->s, p.px.dtype, p.height * p.width,
                        gf_planes_rows(&p, z, 0, p.height, buffer));
    free(buffer);
    return gf_planes_write(e, pages);
}

static int mrc_end(struct gf_encoder *e) {
    struct writer *w = e->state;
    const int64_t end = gf_sink_tell(e->sink);
    int rc = GF_OK;
    put_statistics(w, &e->coding);
    if (w->s.n > 0)
        rc = gf_sink_seek(e->sink, 0);
    if (!rc && w->s.n > 0)
        rc = gf_sink_write(e->sink, w->h, HEADER);
    if (!rc && w->s.n > 0)
        rc = gf_sink_seek(e->sink, end);
    free(w);
    e->state = NULL;
    return rc;
}

const struct gf_format gf_format_mrc = {
    .name = "mrc",
    .suffixes = "mrc mrcs map rec st",
    .summary = "MRC2014 pictures, stacks and volumes of electron microscopy",
    .sniff = mrc_sniff,
    .header = mrc_header,
    .read_pages = mrc_read_pages,
    .begin = mrc_begin,
    .put_pages = mrc_put_pages,
    .end = mrc_end,
    .dtypes = 1u << GF_I8 | 1u << GF_I16 | 1u << GF_U16 | 1u << GF_F32 | 1u << GF_C64,
    .max_ndim = 3,
    .max_side = MOST_SIDE,
    .channels = 1u << 1,
    .embeds_header = true,
    .record_beside = true,
};
