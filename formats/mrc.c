/* MRC2014 (Cheng et al., J. Struct. Biol. 192, 2015, 146-150), of electron microscopy: a header of
 * 1024 bytes, an extended header, then sections of rows. The order of the rows is kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/value/status.h"
#include "formats/checksum.h"
#include "formats/image.h"

struct header {
    int32_t n[3]; /* columns, rows, sections */
    int32_t mode, start[3], intervals[3];
    float cell[3], angle[3]; /* of all intervals, in angstrom */
    int32_t map[3];          /* the axes of columns, rows and sections: 1 is x */
    float low, high, mean;
    int32_t group, more; /* space group; bytes of the extended header */
    unsigned char extra[12];
    int32_t version;
    unsigned char extra_too[40];
    int32_t stamp, flags; /* IMOD's */
    unsigned char rest[36];
    float origin[3];
    unsigned char mark[8]; /* the last four bytes tell the byte order */
    float rms;
    int32_t labels;
    char label[10][80];
};
enum { HEADER = 1024, MARK = 208, LABELS = 224, MOST_SIDE = 1 << 30 };
_Static_assert(sizeof(struct header) == HEADER, "no gaps");

enum { BYTES = 0, HALVES = 12, FOUR_BITS = 101, IMOD = 1146047817 };
enum { SIGNED = 1, PACKED = 16 }; /* IMOD's flags for bytes */
enum { IMAGE_STACK = 0, VOLUME = 1, VOLUME_STACK = 401, MOST_GROUP = 630 };

static const struct {
    int mode;
    enum gf_dtype dtype;
} modes[] = {{BYTES, GF_I8}, {1, GF_I16},      {2, GF_F32},       {4, GF_C64},
             {6, GF_U16},    {HALVES, GF_F32}, {FOUR_BITS, GF_U8}};
enum { N_MODES = sizeof modes / sizeof *modes };

/* ---- byte order ---- */

/* Reverses the bytes of all numbers. Those between the standard's are known in IMOD's files only. */
static void turn(struct header *h) {
    static const struct gf_header_run standard[] = {/* offset, size, count */
                                                    {0, 4, 24},
                                                    {108, 4, 1},
                                                    {196, 4, 3},
                                                    {216, 4, 2},
                                                    {0, 0, 0}};
    static const struct gf_header_run between[] = {{96, 2, 1},  {128, 2, 2}, {152, 4, 2},
                                                   {160, 2, 6}, {172, 4, 6}, {0, 0, 0}};
    const uint32_t stamp = (uint32_t)h->stamp;
    gf_swap_runs(h, standard);
    if (stamp == IMOD || __builtin_bswap32(stamp) == IMOD)
        gf_swap_runs(h, between);
}

/* True if it has the mark that files have since 2000. */
static bool has_mark(const struct header *h) {
    return !memcmp(h->mark, "MAP", 3) && (h->mark[3] == ' ' || !h->mark[3]);
}

static bool makes_sense(const struct header *h) {
    bool good = h->mode >= 0 && h->mode <= FOUR_BITS;
    for (int i = 0; i < 3; i++)
        good = good && h->n[i] >= 1 && h->n[i] <= MOST_SIDE && h->map[i] >= 0 && h->map[i] <= 3;
    return good;
}

/* Makes the numbers those of the host; returns true if they were big-endian. The machine stamp
 * decides, unless only the other order makes sense. */
static bool to_host(struct header *h) {
    const bool host = gf_host_is_big_endian();
    struct header turned = *h;
    turn(&turned);
    bool turns = has_mark(h) ? (h->mark[4] == 0x11) != host
                             : (uint32_t)turned.n[0] < (uint32_t)h->n[0]; /* few are beyond 2^16 */
    if (!makes_sense(turns ? &turned : h))
        turns = turns != makes_sense(turns ? h : &turned);
    if (turns)
        *h = turned;
    return turns != host;
}

/* ---- reading ---- */

static bool mrc_sniff(const unsigned char *head, size_t n) {
    struct header h = {.mark = ""};
    memcpy(h.mark, head + MARK, n >= MARK + 4 ? 4 : 0);
    return has_mark(&h);
}

static int mode_index(const struct header *h) {
    int i = 0;
    while (i < N_MODES && modes[i].mode != h->mode)
        i++;
    return i;
}

/* A file from before 2000, or Amira's: without the mark, but its length follows from its header. */
static bool mrc_claims(const unsigned char *head, size_t n, int64_t size) {
    struct header h = {.mode = -1};
    memcpy(&h, head, n < HEADER ? n : HEADER);
    to_host(&h);
    const int i = mode_index(&h);
    if (n < LABELS || i == N_MODES || !makes_sense(&h) || h.more < 0)
        return false;
    const int64_t row = h.mode == FOUR_BITS ? gf_divide_up(h.n[0], 2)
                        : h.mode == HALVES  ? 2 * (int64_t)h.n[0]
                                            : h.n[0] * (int64_t)gf_dtype_size(modes[i].dtype);
    int64_t need;
    return !gf_size_product((int64_t[]){h.n[2], h.n[1], row}, 3, 1, &need) &&
           (size < 0 || size == HEADER + h.more + need);
}

static bool names_axes(const struct header *h) {
    int seen = 0;
    for (int k = 0; k < 3; k++)
        seen |= h->map[k] >= 1 && h->map[k] <= 3 ? 1 << h->map[k] : 0;
    return seen == 14;
}

/* The axis of columns, rows or sections: 0 is x. The usual order unless all three are named. */
static int axis_of(const struct header *h, int i) {
    return names_axes(h) ? h->map[i] - 1 : i;
}

/* 0 if it is unknown. */
static double spacing_of(const struct header *h, int axis) {
    const double cell = (double)h->cell[axis];
    return h->intervals[axis] > 0 && cell > 0 ? cell / h->intervals[axis] : 0;
}

/* True for the suffixes that stacks have: particles of RELION and others, tilt series of IMOD. */
static bool has_stack_name(const char *path) {
    size_t n = path ? strlen(path) : 0;
    n -= n > 3 && !strcasecmp(path + n - 3, ".gz") ? 3 : 0;
    return (n > 5 && !strncasecmp(path + n - 5, ".mrcs", 5)) ||
           (n > 3 && !strncasecmp(path + n - 3, ".st", 3));
}

/* True if the sections are pictures. In the standard only the space group decides, but RELION writes
 * 0 into volumes, and other programs write 1 into stacks. */
static bool is_stack(const struct header *h, const struct gf_read_options *o, const char **why) {
    static const char *const types[] = {"SERI", "FEI1", "FEI2"}; /* a record for each section */
    const int32_t mz = h->intervals[axis_of(h, 2)];
    bool recorded = false;
    for (int i = 0; i < 3; i++)
        recorded = recorded || (h->more > 0 && !memcmp(h->extra + 8, types[i], 4));
    *why = "MZ is NZ";
    if (has_stack_name(o->path)) {
        *why = "its suffix is a stack's";
        return true;
    }
    if (mz == 1)
        *why = "MZ is 1";
    return mz == 1 || (h->group == IMAGE_STACK && (mz != h->n[2] || recorded));
}

/* Chooses between pictures and one volume; writes a note if the space group disagrees. */
static int choose_stack(const struct header *h, const struct gf_read_options *o, bool *stack,
                        char **note) {
    const char *why = "", *volumes = h->group >= VOLUME_STACK ? "volumes of MZ sections" : NULL;
    const bool meant = h->group == IMAGE_STACK;
    *stack = o->dims != 3 && is_stack(h, o, &why);
    if (o->dims || (*stack == meant && !volumes))
        return GF_OK;
    return gf_image_note(note, "space group %d means %s, but %s: %s; --dims=%d takes %s",
                         (int)h->group,
                         volumes ? volumes
                         : meant ? "pictures"
                                 : "a volume",
                         volumes ? "MZ does not divide NZ" : why,
                         *stack ? "its sections are pictures" : "it is one volume", *stack ? 3 : 2,
                         *stack ? "them as a volume" : "its sections as pictures");
}

static int describe_axes(const struct header *h, const struct gf_read_options *o,
                         struct gf_image *image) {
    static const char *const names[] = {"x", "y", "z"};
    struct gf_axes *axes = &image->axes;
    const int32_t depth = h->n[2], mz = h->intervals[2];
    const bool volumes = h->group >= VOLUME_STACK && mz > 0 && depth > 1 && depth % mz == 0;
    bool stack = false;
    int rc = depth > 1 && !volumes ? choose_stack(h, o, &stack, &image->note) : GF_OK;
    for (int i = 0; i < (depth > 1 ? 3 : 2); i++)
        if (i == 2 && stack)
            gf_axes_add(axes, "n", depth, 0, "");
        else
            gf_axes_add(axes, names[axis_of(h, i)], i == 2 && volumes ? mz : h->n[i],
                        spacing_of(h, axis_of(h, i)), "A");
    if (volumes)
        gf_axes_add(axes, "n", depth / mz, 0, "");
    axes->named = volumes || stack;
    for (int i = 0; i < 3; i++) { /* alpha is between y and z; 0 is unset */
        const bool has = (depth > 1 && !stack) || i == 3 - axis_of(h, 0) - axis_of(h, 1);
        const double angle = (double)h->angle[i];
        axes->oblique = axes->oblique || (has && angle > 0 && fabs(angle - 90) > 0.01);
    }
    const bool odd = !names_axes(h) && (h->map[0] || h->map[1] || h->map[2]); /* all 0 is usual */
    if (!rc && odd)
        rc = gf_image_note(&image->note,
                           "MAPC, MAPR and MAPS are %d, %d and %d, and read as x, y and z",
                           (int)h->map[0], (int)h->map[1], (int)h->map[2]);
    return rc;
}

static int describe(struct gf_decoder *d, struct gf_image *image, const struct header *h) {
    struct gf_raw_layout *l = &d->layout;
    const int i = mode_index(h);
    if (i == N_MODES)
        return gf_fail(GF_EUNSUPP, "an MRC file of mode %ld%s is not read", (long)h->mode,
                       h->mode == 3    ? ", complex integers,"
                       : h->mode == 16 ? ", colours of 8 bits,"
                                       : "");
    for (int k = 0; k < 3; k++)
        if (h->n[k] < 1 || h->n[k] > MOST_SIDE)
            return gf_fail(GF_EFORMAT, "broken MRC: %ld columns, rows or sections", (long)h->n[k]);
    if (h->more < 0)
        return gf_fail(GF_EFORMAT, "broken MRC: an extended header of %ld bytes", (long)h->more);
    const int32_t flags = h->mode == BYTES && h->stamp == IMOD ? h->flags : SIGNED;
    if (flags & PACKED)
        return gf_fail(GF_EUNSUPP, "an MRC file of bytes that hold two samples each (IMOD's flag)");
    l->ndim = h->n[2] > 1 ? 3 : 2;
    l->channels = 1;
    l->dtype = flags & SIGNED ? modes[i].dtype : GF_U8;
    l->offset = HEADER + (int64_t)h->more;
    for (int k = 0; k < l->ndim; k++)
        l->shape[k] = h->n[l->ndim - 1 - k];
    d->coding = (struct gf_coding){
        .coded = h->mode == HALVES, .type = GF_STORED_F16, .slope = 1, .tail = true};
    d->unit = h->mode == FOUR_BITS ? GF_PAGE : GF_SAMPLE;
    image->depth = h->mode == FOUR_BITS ? 4 : h->mode == HALVES ? 16 : 0;
    image->color = GF_GRAY;
    image->centred_half = h->mode == 4 && h->stamp == IMOD;
    return describe_axes(h, &d->options, image);
}

/* Rows of four-bit samples are padded to whole bytes. */
static int check_packed(struct gf_decoder *d) {
    int64_t bytes[3], need;
    const int last = d->layout.ndim - 1;
    memcpy(bytes, d->layout.shape, sizeof bytes);
    bytes[last] = (bytes[last] + 1) / 2;
    int rc = gf_size_product(bytes, last + 1, 1, &need);
    return rc ? rc : gf_image_plausible(d->source, d->layout.offset + need, 1);
}

static int mrc_header(struct gf_decoder *d, struct gf_image *image) {
    struct header stored, h;
    int rc = gf_source_read_exactly(d->source, &stored, HEADER);
    if (rc)
        return rc;
    h = stored;
    d->layout.big_endian = to_host(&h);
    rc = describe(d, image, &h);
    if (!rc && d->unit == GF_PAGE)
        rc = check_packed(d);
    return rc ? rc : gf_header_keep(d, image, &stored, HEADER, d->layout.offset);
}

/* Unpacks four-bit samples, the first of two in the low bits. */
static int mrc_read(struct gf_decoder *d, const struct gf_image *image, enum gf_unit unit,
                    int64_t from, int64_t n, void *to) {
    if (d->unit != GF_PAGE)
        return gf_plain_read(d, image, unit, from, n, to);
    const int64_t width = image->px.shape[image->ndim - 1], row = (width + 1) / 2;
    const int64_t rows = image->ndim == 3 ? image->px.shape[1] : 1;
    unsigned char *packed = malloc((size_t)row), *p = to;
    int rc =
        packed ? gf_source_seek(d->source, d->layout.offset + from * rows * row) : gf_no_memory();
    for (int64_t y = 0; y < n * rows && !rc; y++, p += width) {
        rc = gf_source_read_exactly(d->source, packed, (size_t)row);
        for (int64_t x = 0; x < width && !rc; x++)
            p[x] = packed[x / 2] >> (x % 2 ? 4 : 0) & 15;
    }
    free(packed);
    return rc;
}

/* ---- writing ---- */

/* The samples so far; the sums are of samples less the first one. */
struct statistics {
    int64_t n;
    double first, low, high, sum, squares;
};

struct writer {
    struct header h; /* written again once the statistics are known */
    uint32_t crc;    /* the written one's */
    bool counts;     /* real samples are put in order, into a file */
    struct statistics s;
};

static void make_header(struct header *h) {
    h->angle[0] = h->angle[1] = h->angle[2] = 90;
    h->labels = 1;
    memset(h->label[0], ' ', sizeof h->label[0]);
    memcpy(h->label[0], "gpufft", 6);
}

/* Sets extents and cell. An axis of which the image knows nothing keeps the header's spacing. */
static void put_shape(const struct gf_image *image, bool own, struct header *h) {
    const struct gf_axes *axes = &image->axes;
    const int along[3] = {axis_of(h, 0), axis_of(h, 1), axis_of(h, 2)};
    struct gf_planes p;
    gf_planes_view(&p, image);
    const int64_t n[3] = {p.width, p.height, p.depth}, groups = gf_axes_groups(axes);
    const bool volumes = axes->named && h->group >= VOLUME_STACK && h->group <= MOST_GROUP &&
                         groups > 0 && p.depth % groups == 0;
    const bool stack = !volumes && (axes->named || image->ndim < 3);
    if (!own)
        h->group = stack ? IMAGE_STACK : VOLUME;
    for (int i = 0; i < 3; i++) {
        const int axis = image->ndim - 1 - i, at = along[i];
        const struct gf_axis *a = axis < 0 ? NULL : gf_axes_spatial(axes, image->ndim, axis);
        const int64_t count = i < 2 ? n[i] : stack ? 1 : volumes ? p.depth / groups : p.depth;
        double spacing = spacing_of(h, at);
        char kind = 'm';
        if (a && a->role == GF_SPACE && !axes->oblique)
            spacing = gf_image_spacing(image, axis, &kind) * 1e10;
        h->n[i] = (int32_t)n[i];
        h->map[i] = at + 1;
        h->intervals[at] = (int32_t)count;
        h->cell[at] = kind == 'm' ? (float)((double)count * spacing) : 0;
    }
}

/* Programs take one of the two for the place of a part: an origin of 0 stays, so that the start counts. */
static int mrc_skip(struct gf_metadata *m, int i, int64_t first) {
    struct header h;
    if (m->header_bytes < HEADER || i != 2)
        return GF_OK;
    memcpy(&h, m->header, HEADER);
    const bool big = to_host(&h);
    const int axis = axis_of(&h, 2);
    bool has_origin = false;
    for (int k = 0; k < 3; k++)
        has_origin = has_origin || h.origin[k] < 0 || h.origin[k] > 0;
    h.start[2] = (int32_t)(h.start[2] + first);
    if (has_origin)
        h.origin[axis] += (float)((double)first * spacing_of(&h, axis));
    if (big != gf_host_is_big_endian())
        turn(&h);
    memcpy(m->header, &h, HEADER);
    return GF_OK;
}

/* The start and the origin. */
static int mrc_place(struct gf_metadata *m, const struct gf_metadata *reference) {
    struct header h, of = {.mode = 0};
    if (m->header_format != gf_format_mrc.name || m->header_bytes < HEADER)
        return GF_OK;
    const bool is =
        reference->header_format == gf_format_mrc.name && reference->header_bytes >= HEADER;
    memcpy(&h, m->header, HEADER);
    if (is)
        memcpy(&of, reference->header, HEADER);
    const bool big = to_host(&h);
    if (is)
        to_host(&of);
    bool had = false;
    for (int k = 0; k < 3; k++)
        had = had || h.start[k] || h.origin[k] < 0 || h.origin[k] > 0;
    memcpy(h.start, of.start, sizeof h.start);
    memcpy(h.origin, of.origin, sizeof h.origin);
    if (big != gf_host_is_big_endian())
        turn(&h);
    memcpy(m->header, &h, HEADER);
    return had && !is;
}

/* The value as a half holds it, if these are written. */
static float rounded(const struct gf_coding *c, double v) {
    unsigned char half[2];
    if (c->coded) {
        gf_coding_encode(c, &v, 1, GF_F64, half);
        gf_coding_decode(c, half, 1, GF_F64, &v);
    }
    return (float)v;
}

/* By the standard's convention for statistics that are not known, unless all samples are finite. */
static void put_statistics(struct writer *w, const struct gf_coding *c) {
    const struct statistics *s = &w->s;
    const bool known = s->n > 0 && isfinite(s->sum);
    const double n = (double)gf_max(s->n, 1), mean = s->sum / n, square = s->squares / n;
    w->h.low = known ? rounded(c, s->low) : 0;
    w->h.high = known ? rounded(c, s->high) : -1;
    w->h.mean = known ? (float)(s->first + mean) : -2;
    w->h.rms = known ? (float)sqrt(fmax(square - mean * mean, 0)) : -1;
}

static int put_header(struct gf_encoder *e, struct writer *w) {
    struct header h = w->h;
    if (gf_host_is_big_endian())
        turn(&h);
    w->crc = gf_crc32(0, &h, HEADER, 1);
    return gf_sink_write(e->sink, &h, HEADER);
}

static int mrc_begin(struct gf_encoder *e) {
    const struct gf_image *image = e->image;
    const enum gf_dtype dtype = image->px.dtype;
    const unsigned char *own = gf_header_of(image, e->format, HEADER);
    struct writer *w = e->state = calloc(1, sizeof *w);
    int i = 0;
    if (!w)
        return gf_no_memory();
    struct header *h = &w->h;
    if (own) {
        memcpy(h, own, HEADER);
        to_host(h);
        if (!has_mark(h)) /* which takes the place of an older origin */
            memset(h->origin, 0, sizeof h->origin);
    } else {
        make_header(h);
    }
    while (modes[i].dtype != dtype)
        i++;
    e->coding = (struct gf_coding){.slope = 1, .type = GF_STORED_F16};
    e->coding.coded = own && image->restores && dtype == GF_F32 && h->mode == HALVES;
    h->mode = e->coding.coded ? HALVES : modes[i].mode;
    h->flags |= h->mode == BYTES && h->stamp == IMOD ? SIGNED : 0;
    h->more = own ? (int32_t)(image->metadata.header_bytes - HEADER) : 0;
    h->version = 20141;
    memcpy(h->mark, "MAP \x44\x44\0\0", sizeof h->mark);
    put_shape(image, own, h);
    put_statistics(w, &e->coding);
    w->counts = gf_sink_is_file(e->sink) && !gf_dtype_is_complex(dtype);
    int rc = put_header(e, w);
    return rc || !own ? rc : gf_sink_write(e->sink, own + HEADER, (size_t)h->more);
}

#define ADD(type) \
    { \
        const type *p = rows; \
        if (!s.n) \
            s.first = s.low = s.high = *p; \
        for (int64_t i = 0; i < n; i++) { \
            const double v = p[i], above = v - s.first; \
            s.low = v < s.low ? v : s.low; \
            s.high = v > s.high ? v : s.high; \
            s.sum += above; \
            s.squares += above * above; \
        } \
    }

static struct statistics add(struct statistics s, enum gf_dtype dtype, int64_t n,
                             const void *rows) {
    if (dtype == GF_I8)
        ADD(int8_t)
    else if (dtype == GF_I16)
        ADD(int16_t)
    else if (dtype == GF_U16)
        ADD(uint16_t)
    else
        ADD(float)
    s.n += n;
    return s;
}

static int mrc_put_pages(struct gf_encoder *e, const struct gf_image *pages) {
    struct writer *w = e->state;
    struct gf_planes p;
    gf_planes_view(&p, pages);
    char *buffer = malloc(p.row_bytes);
    if (!buffer)
        return gf_no_memory();
    for (int64_t y = 0; y < p.depth * p.height && w->counts; y++)
        w->s = add(w->s, p.px.dtype, p.width,
                   gf_planes_rows(&p, y / p.height, y % p.height, 1, buffer));
    free(buffer);
    return gf_planes_write(e, pages);
}

/* Replaces the header by that with the statistics, also in the checksum that a record needs. */
static int put_again(struct gf_encoder *e, struct writer *w) {
    const int64_t end = gf_sink_tell(e->sink);
    const uint32_t before = w->crc;
    uint32_t all = 0;
    int rc = e->image->record ? gf_sink_crc32(e->sink, 1, &all) : GF_OK;
    put_statistics(w, &e->coding);
    if (!rc)
        rc = gf_sink_seek(e->sink, 0);
    if (!rc)
        rc = put_header(e, w);
    if (!rc)
        rc = gf_sink_seek(e->sink, end);
    all = gf_crc32_join(before, gf_crc32_join(w->crc, all, end - HEADER), end - HEADER);
    if (!rc && e->image->record)
        gf_sink_set_crc32(e->sink, all);
    return rc;
}

static int mrc_end(struct gf_encoder *e) {
    struct writer *w = e->state;
    int rc = w && w->s.n > 0 ? put_again(e, w) : GF_OK; /* NULL behind boxes */
    free(w);
    e->state = NULL;
    return rc;
}

const struct gf_format gf_format_mrc = {
    .name = "mrc",
    .suffixes = "mrc mrcs map rec st",
    .summary = "MRC2014 pictures, stacks and volumes of electron microscopy",
    .sniff = mrc_sniff,
    .claims = mrc_claims,
    .unclaimed = "no word MAP at byte 208, and its extents, mode and length are not an MRC's; "
                 "--shape, --type and --skip read it as raw",
    .header = mrc_header,
    .read_part = mrc_read,
    .begin = mrc_begin,
    .put_pages = mrc_put_pages,
    .end = mrc_end,
    .dtypes = 1u << GF_I8 | 1u << GF_I16 | 1u << GF_U16 | 1u << GF_F32 | 1u << GF_C64,
    .place = mrc_place,
    .skip = mrc_skip,
    .lengths = true,
    .max_ndim = 3,
    .max_side = MOST_SIDE,
    .channels = 1u << 1,
    .record_beside = true,
};
