/* Resolutions and colour profiles, see metadata.h. */
#include "formats/metadata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/io/io.h"

/* ICC.1:2022: the header, a table of tags behind it (a count, then 12 bytes each), numbers in
 * big-endian order. */
enum { HEADER = 128, SPACE = 16, MAGIC = 36, TAG = 12, MOST_TAGS = 256 };

static const double most_pixels = 1e9;

int64_t gf_get_integer(const unsigned char *p, int bytes, bool big_endian) {
    const int unused = 64 - 8 * bytes;
    return (int64_t)(gf_get_number(p, bytes, big_endian) << unused) >> unused;
}

double gf_get_real(const unsigned char *p, int bytes, bool big_endian) {
    const uint64_t bits = gf_get_number(p, bytes, big_endian);
    const uint32_t low = (uint32_t)bits;
    double d;
    float f;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    return bytes == 4 ? (double)f : d;
}

void gf_put_integer(unsigned char *p, int bytes, int64_t v) {
    for (int i = 0; i < bytes; i++)
        p[i] = (unsigned char)((uint64_t)v >> 8 * i);
}

void gf_put_real(unsigned char *p, int bytes, double v) {
    const float f = (float)v;
    uint64_t bits;
    uint32_t low;
    memcpy(&bits, &v, sizeof bits);
    memcpy(&low, &f, sizeof low);
    gf_put_integer(p, bytes, bytes == 4 ? (int64_t)low : (int64_t)bits);
}

void gf_metadata_free(struct gf_metadata *m) {
    free(m->profile);
    free(m->header);
    gf_rest_free(m->rest);
    *m = (struct gf_metadata){0};
}

/* Copies n bytes, with a zero behind them for texts; false if memory is short. */
static bool copy_bytes(const void *from, size_t n, unsigned char **to) {
    *to = from ? malloc(n + 1) : NULL;
    if (*to) {
        memcpy(*to, from, n);
        (*to)[n] = 0;
    }
    return !from || *to;
}

static int replace_bytes(const void *from, size_t n, unsigned char **to, size_t *bytes) {
    free(*to);
    const bool whole = copy_bytes(from, n, to);
    *bytes = whole ? n : 0;
    return whole ? GF_OK : gf_no_memory();
}

int gf_metadata_copy(struct gf_metadata *to, const struct gf_metadata *from) {
    *to = *from;
    bool whole = copy_bytes(from->profile, from->profile_bytes, &to->profile);
    whole &= copy_bytes(from->header, from->header_bytes, &to->header);
    to->rest = NULL;
    int rc = whole ? GF_OK : gf_no_memory();
    if (!rc && from->rest)
        rc = gf_rest_make(from->rest->file, from->rest->begin, from->rest->end, &to->rest);
    if (rc)
        gf_metadata_free(to);
    return rc;
}

int gf_rest_make(const struct gf_source *file, int64_t begin, int64_t end, struct gf_rest **out) {
    struct gf_source *again;
    *out = NULL;
    int rc = gf_source_keep(file, &again);
    if (rc || !again)
        return rc;
    if (!(*out = malloc(sizeof **out))) {
        gf_source_close(again);
        return gf_no_memory();
    }
    **out = (struct gf_rest){again, begin, end};
    return GF_OK;
}

void gf_rest_free(struct gf_rest *r) {
    if (r)
        gf_source_close(r->file);
    free(r);
}

void gf_resolution_set(struct gf_resolution *r, double x, double y, enum gf_resolution_unit unit) {
    bool valid = x > 0 && y > 0 && x <= most_pixels && y <= most_pixels;
    if (valid && (unit != GF_UNIT_NONE || x < y || x > y))
        *r = (struct gf_resolution){x, y, unit};
}

bool gf_resolution_in(const struct gf_resolution *r, enum gf_resolution_unit unit, double *x,
                      double *y) {
    static const double metres[] = {[GF_INCH] = 0.0254, [GF_CENTIMETRE] = 0.01, [GF_METRE] = 1};
    if (!(r->x > 0) || r->unit == GF_UNIT_NONE)
        return false;
    double factor = r->unit == unit ? 1 : metres[unit] / metres[r->unit];
    *x = r->x * factor;
    *y = r->y * factor;
    return true;
}

bool gf_resolution_round(const struct gf_resolution *r, enum gf_resolution_unit unit, double most,
                         struct gf_resolution *out) {
    *out = (struct gf_resolution){r->x, r->y, unit};
    if (!gf_resolution_in(r, unit, &out->x, &out->y)) {
        out->unit = GF_UNIT_NONE;
        if (fmod(r->x, 1) > 0 || fmod(r->y, 1) > 0)
            return false;
    }
    out->x = round(out->x);
    out->y = round(out->y);
    return out->x >= 1 && out->y >= 1 && out->x <= most && out->y <= most;
}

int gf_profile_copy(struct gf_metadata *m, const void *profile, size_t n) {
    const unsigned char *p = profile;
    if (n < HEADER + 4 || n > GF_MOST_PROFILE || gf_get_big_endian(p) != n ||
        memcmp(p + MAGIC, "acsp", 4))
        return GF_OK;
    return replace_bytes(p, n, &m->profile, &m->profile_bytes);
}

int gf_header_copy(struct gf_metadata *m, const char *format, const void *header, size_t n) {
    if (n > GF_MOST_HEADER)
        return GF_OK;
    m->header_format = format;
    return replace_bytes(header, n, &m->header, &m->header_bytes);
}

int gf_header_append(struct gf_metadata *m, const char *format, const void *bytes, size_t n) {
    if (n > GF_MOST_HEADER - m->header_bytes)
        return GF_OK;
    unsigned char *more = realloc(m->header, m->header_bytes + n + 1);
    if (!more)
        return gf_no_memory();
    m->header = more;
    m->header_format = format;
    memcpy(more + m->header_bytes, bytes, n);
    m->header_bytes += n;
    more[m->header_bytes] = 0;
    return GF_OK;
}

void gf_header_name(const char *name, char list[GF_HEADER_NAMES]) {
    const size_t n = strlen(list);
    if (!strstr(list, name))
        snprintf(list + n, GF_HEADER_NAMES - n, "%s%s", n ? ", " : "", name);
}

void gf_profile_space(const struct gf_metadata *m, char space[5]) {
    memset(space, 0, 5);
    for (int i = 0; i < 4 && m->profile; i++) {
        unsigned char c = m->profile[SPACE + i];
        space[i] = c >= 32 && c < 127 ? (char)c : '?';
    }
}

bool gf_profile_suits(const struct gf_metadata *m, int colors) {
    char space[5];
    gf_profile_space(m, space);
    return !strcmp(space, colors == 3 ? "RGB " : "GRAY");
}

/* Returns the bytes of the tag 'desc', or NULL. */
static const unsigned char *find_description(const struct gf_metadata *m, size_t *size) {
    const unsigned char *p = m->profile;
    size_t n = m->profile_bytes, count = p ? gf_get_big_endian(p + HEADER) : 0;
    for (size_t i = 0; i < count && i < MOST_TAGS; i++) {
        size_t at = HEADER + 4 + i * TAG;
        if (at + TAG > n)
            return NULL;
        size_t offset = gf_get_big_endian(p + at + 4);
        *size = gf_get_big_endian(p + at + 8);
        if (!memcmp(p + at, "desc", 4))
            return offset <= n && *size <= n - offset && *size >= 12 ? p + offset : NULL;
    }
    return NULL;
}

/* Version 2 has a count and ASCII; version 4 has UTF-16 texts by language, of which this takes the
 * first. */
const char *gf_profile_name(const struct gf_metadata *m, char *text, size_t size) {
    size_t n = 0, used = 0, offset = 12, length = 0, step = 1;
    const unsigned char *p = find_description(m, &n);
    if (p && !memcmp(p, "desc", 4)) {
        length = gf_get_big_endian(p + 8);
    } else if (p && !memcmp(p, "mluc", 4) && n >= 28 && gf_get_big_endian(p + 8) > 0) {
        length = gf_get_big_endian(p + 20);
        offset = gf_get_big_endian(p + 24);
        step = 2;
    }
    if (offset > n || length > n - offset)
        length = 0;
    for (size_t i = step - 1; i < length && used + 1 < size; i += step) {
        unsigned char c = p[offset + i];
        if (!c && step == 1)
            break;
        text[used++] = c >= 32 && c < 127 && (step == 1 || !p[offset + i - 1]) ? (char)c : '?';
    }
    text[used] = 0;
    return text;
}
