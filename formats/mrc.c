/* MRC2014 (Cheng et al., J. Struct. Biol. 192, 2015, 146-150), of electron microscopy: a header of
 * 1024 bytes, an extended header, then sections of rows. The order of the rows is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/sample_value.h"
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
enum { SIGNED_BYTES = 0, FOUR_BITS = 101, IMOD = 1146047817 };
enum { IMAGE_STACK = 0, VOLUME = 1, VOLUME_STACK = 401, MOST_ISPG = 630 };

static const struct {
    int mode;
    enum gf_dtype dtype;
    enum gf_stored stored;
} modes[] = {{SIGNED_BYTES, GF_I8, (enum gf_stored)GF_I8}, {1, GF_I16, (enum gf_stored)GF_I16},
             {2, GF_F32, (enum gf_stored)GF_F32},          {4, GF_C64, (enum gf_stored)GF_C64},
             {6, GF_U16, (enum gf_stored)GF_U16},          {12, GF_F32, GF_STORED_F16},
             {FOUR_BITS, GF_U8, (enum gf_stored)GF_U8}};
enum { N_MODES = sizeof modes / sizeof *modes };

static int32_t number(const unsigned char *h, int at, bool big_endian) {
    return (int32_t)gf_get_integer(h + at, 4, big_endian);
}

/* ---- reading ---- */

static bool mrc_sniff(const unsigned char *head, size_t n) {
    return n >= MARK + 4 && !memcmp(head + MARK, "MAP", 3) &&
           (head[MARK + 3] == ' ' || !head[MARK + 3]);
}

/* True if the mode and the axes make sense in this byte order: the machine stamp may be wrong. */
static bool makes_sense(const unsigned char *h, bool big_endian) {
    const int32_t mode = number(h, MODE, big_endian), axis = number(h, MAPC, big_endian);
    return mode >= 0 && mode <= FOUR_BITS && axis >= 0 && axis <= 3;
}

static bool is_big_endian(const unsigned char *h) {
    const bool stamp = h[MACHST] == 0x11;
    return makes_sense(h, stamp) ? stamp : makes_sense(h, !stamp) ? !stamp : stamp;
}

/* Columns, rows and sections are along the axes that MAPC, MAPR and MAPS name. */
static void describe_axes(const unsigned char *h, bool big, const int64_t n[3],
                          struct gf_axes *axes) {
    static const char *const names[] = {"x", "y", "z"};
    const int32_t group = number(h, ISPG, big), mz = number(h, MX + 8, big);
    const bool volumes = group >= VOLUME_STACK && mz > 0 && n[2] % mz == 0;
    int axis[3] = {0, 1, 2};
    for (int i = 0, seen = 0; i < 3; i++) {
        const int32_t a = number(h, MAPC + 4 * i, big);
        axis[i] = a >= 1 && a <= 3 ? a - 1 : i;
        seen |= 1 << axis[i];
        if (i == 2 && seen != 7) /* unset: the usual order */
            axis[0] = 0, axis[1] = 1, axis[2] = 2;
    }
    for (int i = 0; i < 3; i++) {
        const double cell = gf_get_real(h + CELLA + 4 * axis[i], 4, big);
        const int32_t intervals = number(h, MX + 4 * axis[i], big);
        const double spacing = intervals > 0 ? cell / intervals : 0;
        if (i == 2 && n[2] == 1)
            continue;
        if (i == 2 && group == IMAGE_STACK)
            gf_axes_add(axes, "n", n[2], 0, "");
        else
            gf_axes_add(axes, names[axis[i]], i == 2 && volumes ? mz : n[i], spacing, "A");
    }
    if (volumes)
        gf_axes_add(axes, "n", n[2] / mz, 0, "");
    axes->named = n[2] > 1 && (volumes || group == IMAGE_STACK);
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
        return gf_fail(GF_EUNSUPP,
                       "an MRC file of mode %ld (0, 1, 2, 4, 6, 12 and 101 can be read)",
                       (long)mode);
    for (int k = 0; k < 3; k++) {
        n[k] = number(h, NX + 4 * k, big);
        if (n[k] < 1 || n[k] > MOST_SIDE)
            return gf_fail(GF_EFORMAT, "broken MRC: %lld columns, rows or sections",
                           (long long)n[k]);
    }
    if (more < 0)
        return gf_fail(GF_EFORMAT, "broken MRC: an extended header of %ld bytes", (long)more);
    const bool is_unsigned = mode == SIGNED_BYTES && number(h, IMOD_STAMP, big) == IMOD &&
                             !(number(h, IMOD_FLAGS, big) & 1);
    *l = (struct gf_raw_layout){.ndim = n[2] > 1 ? 3 : 2,
                                .channels = 1,
                                .dtype = is_unsigned ? GF_U8 : modes[i].dtype,
                                .big_endian = big,
                                .offset = HEADER + (int64_t)more};
    for (int k = 0; k < l->ndim; k++)
        l->shape[k] = n[l->ndim - 1 - k];
    d->coding = (struct gf_coding){.coded = modes[i].stored == GF_STORED_F16,
                                   .type = modes[i].stored,
                                   .slope = 1,
                                   .tail = true,
                                   .pages = mode == FOUR_BITS};
    image->depth = mode == FOUR_BITS ? 4 : mode == 12 ? 16 : 0;
    image->color = GF_GRAY;
    describe_axes(h, big, n, &image->axes);
    return GF_OK;
}

/* Rows of four-bit samples are padded to whole bytes, so there are as many bytes as this. */
static int64_t packed_row(const struct gf_image *image) {
    return (image->px.shape[image->ndim - 1] + 1) / 2;
}

static int check_packed(struct gf_decoder *d) {
    const struct gf_raw_layout *l = &d->layout;
    const int64_t size = gf_source_known_size(d->source);
    int64_t rows = 1, need;
    for (int i = 0; i < l->ndim - 1; i++)
        if (__builtin_mul_overflow(rows, l->shape[i], &rows))
            return gf_fail(GF_EFORMAT, "broken MRC: more samples than 63 bits count");
    if (__builtin_mul_overflow(rows, (l->shape[l->ndim - 1] + 1) / 2, &need))
        return gf_fail(GF_EFORMAT, "broken MRC: more samples than 63 bits count");
    if (size >= 0 && size - l->offset < need)
        return gf_fail(GF_EFORMAT, "the file holds %lld bytes of data, its header promises %lld",
                       (long long)(size - l->offset), (long long)need);
    return GF_OK;
}

static int mrc_header(struct gf_decoder *d, struct gf_image *image) {
    unsigned char h[HEADER];
    int rc = gf_source_read_exactly(d->source, h, HEADER);
    if (!rc)
        rc = describe(d, image, h, is_big_endian(h));
    if (!rc && d->coding.pages)
        rc = check_packed(d);
    return rc ? rc : gf_header_keep(d, image, h, HEADER, d->layout.offset);
}

/* Unpacks four-bit samples, the first of two in the low bits. */
static int read_packed(struct gf_decoder *d, const struct gf_image *image, int64_t from, int64_t n,
                       unsigned char *to) {
    const int64_t row = packed_row(image), width = image->px.shape[image->ndim - 1];
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

/* The header, which is written again once the statistics are known. */
struct writer {
    unsigned char h[HEADER];
    bool counts; /* real samples are put in order */
    double low, high, sum, squares, n;
};

static int mode_of(const struct gf_encoder *e, bool big) {
    const struct gf_metadata *m = &e->image->metadata;
    const bool own = m->header && m->header_format == gf_format_mrc.name;
    if (own && e->image->restores && number(m->header, MODE, big) == 12 &&
        e->image->px.dtype == GF_F32)
        return 12;
    for (int i = 0; i < N_MODES; i++)
        if (modes[i].dtype == e->image->px.dtype)
            return modes[i].mode;
    return 2;
}

/* The header of the picture's own file, in little-endian order, or a new one; sets *more to the
 * bytes behind it. */
static void begin_header(const struct gf_metadata *m, unsigned char *h, size_t *more) {
    static const char label[] = "gpufft";
    memset(h, 0, HEADER);
    *more = 0;
    if (m->header && m->header_format == gf_format_mrc.name && m->header_bytes >= HEADER) {
        const bool big = is_big_endian(m->header);
        memcpy(h, m->header, HEADER);
        for (int at = 0; at < LABEL && big; at += 4) /* numbers but for a few texts */
            if (at < 96 || (at >= NVERSION && at < MARK) || at > MACHST)
                gf_swap_bytes(h + at, 1, 4);
        *more = m->header_bytes - HEADER;
        return;
    }
    for (int i = 0; i < 3; i++) {
        gf_put_real(h + CELLB + 4 * i, 4, 90);
        gf_put_integer(h + MAPC + 4 * i, 4, i + 1);
    }
    gf_put_integer(h + ISPG, 4, VOLUME);
    gf_put_integer(h + NLABL, 4, 1);
    memset(h + LABEL, ' ', 80);
    memcpy(h + LABEL, label, sizeof label - 1);
}

/* Sets what follows from the image: sizes, mode, cell. */
static void put_image(const struct gf_encoder *e, unsigned char *h) {
    const struct gf_image *image = e->image;
    const struct gf_axes *axes = &image->axes;
    struct gf_planes p;
    gf_planes_view(&p, image);
    const int64_t n[3] = {p.width, p.height, p.depth};
    const int32_t group = number(h, ISPG, false);
    const bool stack = axes->named || image->ndim < 3;
    int64_t depth = n[2];
    if (axes->named && group >= VOLUME_STACK && group <= MOST_ISPG)
        depth = n[2] / gf_axes_groups(axes);
    else
        gf_put_integer(h + ISPG, 4, stack ? IMAGE_STACK : group == IMAGE_STACK ? VOLUME : group);
    for (int i = 0; i < 3; i++) {
        const int axis = image->ndim - 1 - i;
        const struct gf_axis *a = axis < 0 ? NULL : gf_axes_spatial(axes, image->ndim, axis);
        const int64_t count = i < 2 ? n[i] : number(h, ISPG, false) == IMAGE_STACK ? 1 : depth;
        const int32_t named = number(h, MAPC + 4 * i, false);
        const int at = named >= 1 && named <= 3 ? named - 1 : i;
        char kind;
        const double unit = a ? gf_unit_value(a->unit, &kind) / gf_unit_value("A", &kind) : 0;
        gf_put_integer(h + NX + 4 * i, 4, n[i]);
        gf_put_integer(h + MX + 4 * at, 4, count);
        if (a && a->role == GF_SPACE)
            gf_put_real(h + CELLA + 4 * at, 4, (double)count * (unit > 0 ? a->spacing * unit : 0));
    }
    gf_put_integer(h + MODE, 4, e->coding.coded ? 12 : mode_of(e, false));
    memcpy(h + MARK, "MAP \x44\x44\0\0", 8);
    gf_put_integer(h + NVERSION, 4, 20141);
    if (number(h, IMOD_STAMP, false) == IMOD) /* bytes are signed */
        gf_put_integer(h + IMOD_FLAGS, 4, number(h, IMOD_FLAGS, false) | 1);
}

/* The value as a half holds it. */
static double rounded(const struct gf_coding *c, double v) {
    unsigned char half[2];
    gf_coding_encode(c, &v, 1, GF_F64, half);
    gf_coding_decode(c, half, 1, GF_F64, &v);
    return v;
}

/* By the standard's convention for statistics that are not known, until they are. */
static void put_statistics(struct writer *w, const struct gf_coding *c) {
    const bool known = w->n > 0;
    const double mean = known ? w->sum / w->n : -2;
    gf_put_real(w->h + DMIN, 4, !known ? 0 : c->coded ? rounded(c, w->low) : w->low);
    gf_put_real(w->h + DMAX, 4, !known ? -1 : c->coded ? rounded(c, w->high) : w->high);
    gf_put_real(w->h + DMEAN, 4, mean);
    gf_put_real(w->h + RMS, 4, known ? sqrt(fmax(w->squares / w->n - mean * mean, 0)) : -1);
}

static int mrc_begin(struct gf_encoder *e) {
    const struct gf_metadata *m = &e->image->metadata;
    size_t more;
    struct writer *w = e->state = calloc(1, sizeof *w);
    if (!w)
        return gf_no_memory();
    const bool own =
        m->header && m->header_format == gf_format_mrc.name && m->header_bytes >= HEADER;
    e->coding = (struct gf_coding){.slope = 1, .type = GF_STORED_F16};
    e->coding.coded = own && mode_of(e, is_big_endian(m->header)) == 12;
    begin_header(m, w->h, &more);
    put_image(e, w->h);
    gf_put_integer(w->h + NSYMBT, 4, (int64_t)more);
    put_statistics(w, &e->coding);
    gf_sink_keep(e->sink);
    int rc = gf_sink_write(e->sink, w->h, HEADER);
    return rc || !more ? rc : gf_sink_write(e->sink, m->header + HEADER, more);
}

/* Adds a page's rows to the statistics. */
static void add_rows(struct writer *w, const struct gf_planes *p, const char *rows) {
    for (int64_t i = 0; i < p->height * p->width; i++) {
        const double v = gf_sample_get(rows + i * (int64_t)p->sample, p->px.dtype);
        if (!isfinite(v))
            continue;
        w->low = w->n > 0 ? fmin(w->low, v) : v;
        w->high = w->n > 0 ? fmax(w->high, v) : v;
        w->sum += v;
        w->squares += v * v;
        w->n++;
    }
}

static int mrc_put_pages(struct gf_encoder *e, const struct gf_image *pages) {
    struct writer *w = e->state;
    struct gf_planes p;
    gf_planes_view(&p, pages);
    char *buffer = gf_planes_in_place(&p) ? NULL : malloc((size_t)p.height * p.row_bytes);
    if (!gf_planes_in_place(&p) && !buffer)
        return gf_no_memory();
    for (int64_t z = 0; z < p.depth && !gf_dtype_is_complex(p.px.dtype); z++)
        add_rows(w, &p, gf_planes_rows(&p, z, 0, p.height, buffer));
    free(buffer);
    return gf_planes_write(e, pages);
}

static int mrc_end(struct gf_encoder *e) {
    struct writer *w = e->state;
    int rc = GF_OK;
    if (w->n > 0) {
        const int64_t end = gf_sink_tell(e->sink);
        put_statistics(w, &e->coding);
        rc = gf_sink_seek(e->sink, 0);
        if (!rc)
            rc = gf_sink_write(e->sink, w->h, HEADER);
        if (!rc)
            rc = gf_sink_seek(e->sink, end);
    }
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
    .channels = 1u << 1,
    .embeds_header = true,
    .record_beside = true,
};
