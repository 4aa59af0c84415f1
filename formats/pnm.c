/* The Netpbm family: PBM, PGM, PPM, plain and raw, and PAM in; raw PGM and PPM out. */
#include "formats/pnm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/value/status.h"
#include "formats/image.h"

bool gf_pnm_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int gf_pnm_token(struct gf_source *source, const char *name, char *word, size_t size) {
    unsigned char c;
    size_t n = 0;
    bool comment = false;
    for (;;) {
        int rc = gf_source_read_exactly(source, &c, 1);
        if (rc)
            return rc;
        if (comment) {
            comment = c != '\n' && c != '\r';
        } else if (c == '#') {
            /* a comment right after a word ends the word, and the comment's line ends the space */
            comment = true;
        } else if (!gf_pnm_space(c)) {
            if (n + 1 >= size || c < 0x20 || c > 0x7e)
                return gf_fail(GF_EFORMAT, "not a %s: bad header", name);
            word[n++] = (char)c;
            continue;
        }
        if (n && !comment)
            break;
    }
    word[n] = 0;
    return GF_OK;
}

int gf_pnm_number(struct gf_source *source, const char *name, int64_t max, int64_t *out) {
    char word[24];
    int rc = gf_pnm_token(source, name, word, sizeof word);
    if (rc)
        return rc;
    int64_t v = 0;
    for (const char *p = word; *p; p++) {
        if (*p < '0' || *p > '9')
            return gf_fail(GF_EFORMAT, "not a %s: '%s' in its header", name, word);
        v = v * 10 + (*p - '0');
        if (v > max)
            break;
    }
    if (v < 1 || v > max)
        return gf_fail(GF_EFORMAT, "not a %s: %s is not within 1 to %lld", name, word,
                       (long long)max);
    *out = v;
    return GF_OK;
}

static int next_after_space(struct gf_source *source) {
    int c;
    do {
        c = gf_source_byte(source);
        if (c == '#') /* not standard, but older programs wrote comments here */
            while (c >= 0 && c != '\n' && c != '\r')
                c = gf_source_byte(source);
    } while (c >= 0 && gf_pnm_space(c));
    return c;
}

/* The status of a byte that gf_source_byte() did not get. */
static int status_of(int c) {
    return c < -1 ? c : GF_OK;
}

/* Parses a number whose first digit is `c`, and consumes the byte after it. */
static int number(struct gf_source *source, int c, int maxval, int *out) {
    int v = 0;
    for (; c >= '0' && c <= '9'; c = gf_source_byte(source)) {
        v = v * 10 + (c - '0');
        if (v > maxval)
            return gf_fail(GF_EFORMAT, "a sample above the maximum of %d", maxval);
    }
    if (c >= 0 && !gf_pnm_space(c))
        return gf_fail(GF_EFORMAT, "a sample that is no number");
    *out = v;
    return status_of(c);
}

/* Reads `n` decimal samples of 0..maxval into `out` of 1 or 2 bytes each (bitmaps: single digits,
 * 1 is black and becomes 0, 0 becomes 255). */
static int read_plain(struct gf_source *source, bool bitmap, int maxval, size_t n, void *out,
                      size_t sample) {
    for (size_t i = 0; i < n; i++) {
        int c = next_after_space(source), v = 0, rc = status_of(c);
        if (!rc && c < 0)
            return gf_fail(GF_EFORMAT, "unexpected end of file");
        if (!rc && (c < '0' || c > (bitmap ? '1' : '9')))
            return gf_fail(GF_EFORMAT, "a sample that is no number");
        if (bitmap)
            v = c == '0' ? 255 : 0;
        else if (!rc)
            rc = number(source, c, maxval, &v);
        if (rc)
            return rc;
        if (sample == 1)
            ((unsigned char *)out)[i] = (unsigned char)v;
        else
            ((uint16_t *)out)[i] = (uint16_t)v;
    }
    const int c = next_after_space(source);
    return c < 0 ? status_of(c) : gf_fail(GF_EFORMAT, "data after the picture's samples");
}

/* After the samples: returns 1 if another picture begins, 0 if only white space is left, GF_EFORMAT
 * otherwise. */
static int more_pictures(struct gf_source *source) {
    unsigned char c = ' ';
    int64_t got;
    while ((got = gf_source_peek(source, &c, 1)) > 0 && gf_pnm_space(c))
        gf_source_read(source, &c, 1);
    if (got <= 0)
        return (int)got;
    return c == 'P' ? 1 : gf_fail(GF_EFORMAT, "data after the picture's samples");
}

int gf_pnm_end(struct gf_source *source, const char *name) {
    int more = more_pictures(source);
    return more > 0 ? gf_fail(GF_EUNSUPP, "a %s of more than one picture", name) : more;
}

/* ---- pictures ---- */

struct header {
    int kind; /* the digit after the P */
    int64_t width, height, channels, maxval;
    enum gf_color color;
    bool alpha;
    /* With options.frames: where the samples of each picture begin; owned. */
    int64_t *at, n;
};

static bool pnm_sniff(const unsigned char *head, size_t n) {
    return n >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' &&
           (gf_pnm_space(head[2]) || head[2] == '#');
}

/* Sets the colour from a PAM's tuple type; channels of an unknown type are plain. */
static int pam_tuple_type(struct header *h, const char *type) {
    static const struct {
        const char *name;
        int channels;
        enum gf_color color;
        bool alpha;
    } types[] = {
        {"BLACKANDWHITE", 1, GF_GRAY, false},
        {"GRAYSCALE", 1, GF_GRAY, false},
        {"RGB", 3, GF_RGB, false},
        {"BLACKANDWHITE_ALPHA", 2, GF_GRAY, true},
        {"GRAYSCALE_ALPHA", 2, GF_GRAY, true},
        {"RGB_ALPHA", 4, GF_RGB, true},
    };
    h->color = h->channels == 1 ? GF_GRAY : GF_OTHER_COLOR;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i].name)) {
            if (h->channels < types[i].channels)
                return gf_fail(GF_EFORMAT, "not a PAM: %s with %d channels", type,
                               (int)h->channels);
            /* more planes than the type names have no stated meaning */
            if (h->channels == types[i].channels) {
                h->color = types[i].color;
                h->alpha = types[i].alpha;
            }
        }
    return GF_OK;
}

static int read_pam_header(struct gf_source *source, struct header *h) {
    char word[32], type[32] = "";
    struct {
        const char *name;
        int64_t max, *value;
    } fields[] = {{"WIDTH", INT32_MAX, &h->width},
                  {"HEIGHT", INT32_MAX, &h->height},
                  {"DEPTH", GF_MAX_CHANNELS, &h->channels},
                  {"MAXVAL", 65535, &h->maxval}};
    int rc;
    while ((rc = gf_pnm_token(source, "PAM", word, sizeof word)) == GF_OK) {
        if (!strcmp(word, "ENDHDR"))
            break;
        if (!strcmp(word, "TUPLTYPE")) {
            if ((rc = gf_pnm_token(source, "PAM", type, sizeof type)) != GF_OK)
                return rc;
            continue;
        }
        size_t i = 0;
        while (i < 4 && strcmp(word, fields[i].name))
            i++;
        if (i == 4 || *fields[i].value)
            return gf_fail(GF_EFORMAT, "not a PAM: unknown or repeated '%s'", word);
        if ((rc = gf_pnm_number(source, "PAM", fields[i].max, fields[i].value)) != GF_OK)
            return rc;
    }
    if (rc)
        return rc;
    for (size_t i = 0; i < 4; i++)
        if (!*fields[i].value)
            return gf_fail(GF_EFORMAT, "not a PAM: no %s", fields[i].name);
    return pam_tuple_type(h, type);
}

static int read_header(struct gf_source *source, struct header *h) {
    unsigned char magic[2];
    int rc = gf_source_read_exactly(source, magic, 2);
    if (rc)
        return rc;
    if (magic[0] != 'P' || magic[1] < '1' || magic[1] > '7')
        return gf_fail(GF_EFORMAT, "not a PNM");
    h->kind = magic[1] - '0';
    if (h->kind == 7)
        return read_pam_header(source, h);
    h->channels = h->kind == 3 || h->kind == 6 ? 3 : 1;
    h->color = h->channels == 3 ? GF_RGB : GF_GRAY;
    h->maxval = 1;
    rc = gf_pnm_number(source, "PNM", INT32_MAX, &h->width);
    if (!rc)
        rc = gf_pnm_number(source, "PNM", INT32_MAX, &h->height);
    if (!rc && h->kind != 1 && h->kind != 4)
        rc = gf_pnm_number(source, "PNM", 65535, &h->maxval);
    return rc;
}

/* Unpacks a bitmap: eight pixels a byte, the first in the high bit, 1 for black. */
static int read_bits(struct gf_source *source, const struct header *h, unsigned char *out) {
    size_t packed = ((size_t)h->width + 7) / 8;
    unsigned char *row = malloc(packed);
    if (!row)
        return gf_no_memory();
    int rc = GF_OK;
    for (int64_t y = 0; y < h->height && !rc; y++) {
        rc = gf_source_read_exactly(source, row, packed);
        for (size_t x = 0; x < (size_t)h->width && !rc; x++)
            *out++ = row[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
    }
    free(row);
    return rc;
}

static int read_raw(struct gf_source *source, const struct header *h, struct gf_array *px) {
    size_t n = (size_t)gf_array_count(px), sample = gf_dtype_size(px->dtype), above = 0;
    int rc = gf_source_read_exactly(source, px->data, n * sample);
    if (rc)
        return rc;
    const uint16_t *words = px->data;
    const unsigned char *narrow = px->data;
    if (sample == 2 && !gf_host_is_big_endian())
        gf_swap_bytes(px->data, n, 2);
    if (h->maxval < (sample == 2 ? 65535 : 255))
        for (size_t i = 0; i < n; i++)
            above += (sample == 2 ? words[i] : narrow[i]) > h->maxval;
    if (above)
        return gf_fail(GF_EFORMAT, "%zu samples above the maximum of %d", above, (int)h->maxval);
    return GF_OK;
}

static bool is_bitmap(const struct header *h) {
    return h->kind == 1 || h->kind == 4;
}

/* Bytes of a raw picture's samples. */
static int64_t raw_bytes(const struct header *h) {
    const int64_t samples = h->width * h->channels;
    return h->height * (h->kind == 4 ? (samples + 7) / 8 : h->maxval > 255 ? 2 * samples : samples);
}

/* Finds the pictures that follow each other in a file or stream, which are alike. */
static int find_frames(struct gf_source *source, struct header *h) {
    const int64_t bytes = raw_bytes(h);
    int rc =
        h->kind > 3 ? GF_OK : gf_fail(GF_EUNSUPP, "frames in plain PNM; convert them to raw PNM");
    for (int more = 1; !rc && more;) {
        struct header next = {0};
        const int64_t at = gf_source_tell(source), size = gf_source_known_size(source);
        rc = gf_list_grow(&h->at, h->n, sizeof *h->at);
        if (!rc)
            h->at[h->n++] = at;
        if (!rc && size >= 0 && size - at < bytes)
            rc = gf_fail(GF_EFORMAT, "frame %lld: unexpected end of file", (long long)h->n - 1);
        if (!rc)
            rc = gf_source_seek(source, at + bytes);
        more = rc ? 0 : more_pictures(source);
        rc = more < 0 ? more : rc;
        if (!rc && more)
            rc = read_header(source, &next);
        if (!rc && more &&
            (next.kind != h->kind || next.width != h->width || next.height != h->height ||
             next.channels != h->channels || next.maxval != h->maxval || next.alpha != h->alpha))
            rc = gf_fail(GF_EFORMAT,
                         "frame %lld is P%d of %lldx%lld, maximum %lld; frame 0 is P%d of "
                         "%lldx%lld, maximum %lld",
                         (long long)h->n, next.kind, (long long)next.height, (long long)next.width,
                         (long long)next.maxval, h->kind, (long long)h->height, (long long)h->width,
                         (long long)h->maxval);
    }
    return rc;
}

static int pnm_open(struct gf_decoder *d, struct gf_image *image) {
    struct header *h = d->state;
    if (!d->options.frames)
        gf_source_forward(d->source);
    int rc = read_header(d->source, h);
    if (rc)
        return rc;
    bool bitmap = is_bitmap(h);
    enum gf_dtype dtype = h->maxval > 255 ? GF_U16 : GF_U8;
    image->color = h->color;
    image->alpha = h->alpha;
    if (!bitmap && h->maxval != (dtype == GF_U16 ? 65535 : 255))
        image->white = (double)h->maxval;
    image->depth = bitmap ? 1 : dtype == GF_U16 ? 16 : 8;
    rc = gf_image_describe(image, dtype, 2, (int64_t[]){h->height, h->width}, h->channels);
    if (rc)
        return rc;
    int64_t stored = gf_array_bytes(&image->px);
    if (h->kind <= 3 && !bitmap && dtype == GF_U8)
        stored *= 2; /* a digit and a space each; the header is longer than a last space */
    rc = gf_image_plausible(d->source, stored, h->kind == 4 ? 8 : 1);
    const int64_t size = gf_source_known_size(d->source);
    if (!rc && h->kind > 3 && size >= 0 && size - gf_source_tell(d->source) < raw_bytes(h))
        rc = gf_fail(GF_EFORMAT, "unexpected end of file");
    d->unit = d->options.frames ? GF_PAGE : GF_WHOLE;
    if (rc || d->unit == GF_WHOLE)
        return rc;
    rc = find_frames(d->source, h);
    return rc ? rc
              : gf_image_describe(image, dtype, 3, (int64_t[]){h->n, h->height, h->width},
                                  h->channels);
}

/* Decodes the samples of one picture, which begin at the source's position. */
static int read_samples(struct gf_source *source, const struct header *h, struct gf_array *px) {
    if (h->kind <= 3)
        return read_plain(source, is_bitmap(h), (int)h->maxval, (size_t)gf_array_count(px),
                          px->data, gf_dtype_size(px->dtype));
    return is_bitmap(h) ? read_bits(source, h, px->data) : read_raw(source, h, px);
}

static int pnm_read_part(struct gf_decoder *d, const struct gf_image *image, enum gf_unit unit,
                         int64_t from, int64_t n, void *to) {
    const struct header *h = d->state;
    struct gf_array page = gf_array_wrap(to, image->px.dtype, 3, image->px.shape + 1);
    int rc = GF_OK;
    (void)unit; /* pages */
    for (int64_t i = from; i < from + n && !rc; i++) {
        rc = gf_source_seek(d->source, h->at[i]);
        if (!rc)
            rc = read_samples(d->source, h, &page);
        page.data = (char *)page.data + image->px.stride[0];
    }
    return rc;
}

static int pnm_read(struct gf_decoder *d, struct gf_image *image) {
    if (image->ndim == 3)
        return pnm_read_part(d, image, GF_PAGE, 0, image->px.shape[0], image->px.data);
    int rc = read_samples(d->source, d->state, &image->px);
    return rc || d->options.several || ((const struct header *)d->state)->kind <= 3
               ? rc
               : gf_pnm_end(d->source, "PNM");
}

static void pnm_close(struct gf_decoder *d) {
    free(((struct header *)d->state)->at);
}

/* Refuses the suffixes of the Netpbm family that promise a type which is not written. */
static int check_suffix(const char *suffix, const struct gf_image *image) {
    if (!strcasecmp(suffix, "pgm") && image->px.shape[image->ndim] == 3)
        return gf_fail(GF_EINVAL, "a .pgm holds one channel, not three: write .ppm");
    if (!strcasecmp(suffix, "pbm") || !strcasecmp(suffix, "pam"))
        return gf_fail(GF_EINVAL, "no .%s is written: write .pgm or .ppm", suffix);
    return GF_OK;
}

static int pnm_write(struct gf_encoder *e) {
    struct gf_planes p;
    char head[96];
    gf_planes_view(&p, e->image);
    const double most = p.sample == 2 ? 65535 : 255, white = e->image->white;
    snprintf(head, sizeof head, "P%c\n%lld %lld\n%.0f\n", p.channels == 3 ? '6' : '5',
             (long long)p.width, (long long)p.height, white > 0 ? white : most);
    int rc = gf_sink_write(e->sink, head, strlen(head));
    return rc ? rc : gf_planes_write(e, e->image);
}

const struct gf_format gf_format_pnm = {
    .name = "pnm",
    .suffixes = "pgm ppm pnm pbm pam",
    .summary = "PGM and PPM of 8 or 16 bits (reads PBM, PAM and plain ones too)",
    .sniff = pnm_sniff,
    .state_bytes = sizeof(struct header),
    .open = pnm_open,
    .read = pnm_read,
    .read_part = pnm_read_part,
    .close = pnm_close,
    .write = pnm_write,
    .more = more_pictures,
    .stacks = true,
    .check_suffix = check_suffix,
    .dtypes = 1u << GF_U8 | 1u << GF_U16,
    .max_ndim = 2,
    .channels = 1u << 1 | 1u << 3,
    .big_endian = true,
    .keeps_white = true,
};
