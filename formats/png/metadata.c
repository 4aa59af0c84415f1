/* Reads and writes pHYs, gAMA, sRGB, cHRM and iCCP (PNG specification, 11.3.2 and 11.3.4). */
#include "formats/png/png.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/value/status.h"

enum { MOST_PACKED = GF_MOST_PROFILE + GF_MOST_PROFILE / 16 /* of noise, deflated */ };
enum { SIGNATURE = 8, HEAD = 8, CRC = 4, MOST_NAME = 80 /* of a profile, with its zero byte */ };
enum { PHYS, GAMA, SRGB, CHRM, ICCP, N_KINDS };

static const struct {
    char name[5];
    size_t bytes; /* 0: up to MOST_PACKED */
} kinds[N_KINDS] = {
    [PHYS] = {"pHYs", 9},  [GAMA] = {"gAMA", 4}, [SRGB] = {"sRGB", 1},
    [CHRM] = {"cHRM", 32}, [ICCP] = {"iCCP", 0},
};

/* ---- reading ---- */

/* Inflates n bytes into exactly `size`; *whole is false if they hold less or are damaged. Data
 * after the profile is ignored. */
static int inflate_to(const unsigned char *packed, size_t n, unsigned char *out, size_t size,
                      bool *whole) {
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)packed, .avail_in = (uInt)n};
    z.next_out = out;
    z.avail_out = (uInt)size;
    if (inflateInit(&z) != Z_OK)
        return gf_no_memory();
    int rc = inflate(&z, Z_SYNC_FLUSH);
    *whole = (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR) && z.avail_out == 0;
    inflateEnd(&z);
    return rc == Z_MEM_ERROR ? gf_no_memory() : GF_OK;
}

/* An iCCP of n bytes: a name, a zero byte, the method 0 and zlib's stream of the profile, which
 * begins with its size. */
static int take_profile(const unsigned char *data, size_t n, struct gf_metadata *m) {
    const unsigned char *zero = memchr(data, 0, n < MOST_NAME ? n : MOST_NAME);
    unsigned char first[4], *profile = NULL;
    size_t head = zero ? (size_t)(zero - data) + 2 : 0, size = 0;
    bool whole = false;
    if (!zero || head >= n || zero[1])
        return GF_OK;
    int rc = inflate_to(data + head, n - head, first, sizeof first, &whole);
    if (!rc && whole)
        size = gf_get_big_endian(first);
    if (rc || size < sizeof first || size > GF_MOST_PROFILE)
        return rc;
    profile = malloc(size);
    if (!profile)
        return gf_no_memory();
    rc = inflate_to(data + head, n - head, profile, size, &whole);
    if (!rc && whole)
        rc = gf_profile_copy(m, profile, size);
    free(profile);
    return rc;
}

/* Takes the n bytes of a chunk; invalid ones are ignored. */
static int take_chunk(int kind, const unsigned char *data, size_t n, struct gf_metadata *m) {
    const uint32_t number = n >= 4 ? gf_get_big_endian(data) : 0;
    if (kind == PHYS && data[8] <= 1)
        gf_resolution_set(&m->resolution, number, gf_get_big_endian(data + 4),
                          data[8] ? GF_METRE : GF_UNIT_NONE);
    else if (kind == GAMA && number <= INT_MAX)
        m->gamma = number;
    else if (kind == SRGB && data[0] < 4) {
        m->srgb = true;
        m->intent = data[0];
    } else if (kind == CHRM) {
        m->has_primaries = true;
        for (size_t i = 0; i < n; i += 4)
            m->has_primaries &= gf_get_big_endian(data + i) <= INT_MAX;
        if (m->has_primaries)
            memcpy(m->primaries, data, sizeof m->primaries);
    }
    return kind == ICCP ? take_profile(data, n, m) : GF_OK;
}

/* Returns the kind of a chunk of n bytes that is read, or -1. */
static int find_kind(const unsigned char *name, size_t n) {
    for (int i = 0; i < N_KINDS; i++)
        if (!memcmp(name, kinds[i].name, 4))
            return n && (kinds[i].bytes ? n == kinds[i].bytes : n <= MOST_PACKED) ? i : -1;
    return -1;
}

static int read_chunk(struct gf_source *source, int kind, size_t n, struct gf_metadata *m) {
    unsigned char *data = malloc(n);
    int rc = data ? gf_source_read_exactly(source, data, n) : gf_no_memory();
    if (!rc)
        rc = take_chunk(kind, data, n, m);
    free(data);
    return rc;
}

/* True for a chunk that goes from PNG to PNG as it is: one that is ancillary and safe to copy (5.4), or
 * the colours. */
static bool is_kept(const unsigned char *name) {
    return (name[0] & name[3] & 32 && memcmp(name, kinds[PHYS].name, 4)) ||
           !memcmp(name, "cICP", 4);
}

/* Appends length, type and data to the header. */
static int keep_chunk(struct gf_source *source, const unsigned char head[HEAD], size_t n,
                      struct gf_metadata *m) {
    unsigned char *chunk = malloc(HEAD + n);
    if (!chunk)
        return gf_no_memory();
    memcpy(chunk, head, HEAD);
    int rc = gf_source_read_exactly(source, chunk + HEAD, n);
    if (!rc)
        rc = gf_header_append(m, gf_format_png.name, chunk, HEAD + n);
    free(chunk);
    return rc;
}

/* Keeps texts behind the samples, if these are not in too many chunks. */
static int read_end(struct gf_source *source, int64_t at, struct gf_metadata *m) {
    enum { MOST_CHUNKS = 256 };
    unsigned char head[HEAD] = {0};
    int rc = GF_OK;
    for (int i = 0; i < MOST_CHUNKS && !rc && memcmp(head + 4, "IEND", 4); i++) {
        rc = gf_source_seek(source, at);
        if (!rc)
            rc = gf_source_read_exactly(source, head, HEAD);
        const size_t n = gf_get_big_endian(head);
        if (!rc && is_kept(head + 4) && n <= MOST_PACKED)
            rc = keep_chunk(source, head, n, m);
        at += HEAD + (int64_t)n + CRC;
    }
    return rc == GF_ENOMEM ? rc : GF_OK; /* the decoder reports damage */
}

int gf_png_read_metadata(struct gf_source *source, int64_t begin, struct gf_metadata *m) {
    int64_t at = begin + SIGNATURE;
    unsigned taken = 0; /* kinds: only the first chunk of each counts */
    for (;;) {
        unsigned char head[HEAD];
        int rc = gf_source_seek(source, at);
        if (!rc)
            rc = gf_source_read_exactly(source, head, HEAD);
        if (rc)
            return rc;
        const bool samples = !memcmp(head + 4, "IDAT", 4);
        if (samples && gf_source_known_size(source) >= 0)
            rc = read_end(source, at, m);
        if (samples)
            return rc ? rc : gf_source_seek(source, at + HEAD);
        const size_t n = gf_get_big_endian(head);
        const int kind = find_kind(head + 4, n);
        if (kind >= 0 && !(taken >> kind & 1)) {
            taken |= 1u << kind;
            rc = read_chunk(source, kind, n, m);
        } else if (is_kept(head + 4) && n <= MOST_PACKED)
            rc = keep_chunk(source, head, n, m);
        if (rc)
            return rc;
        at += HEAD + (int64_t)n + CRC;
    }
}

/* ---- writing ---- */

static int put_resolution(const struct gf_resolution *r, gf_png_put *put, void *to) {
    struct gf_resolution whole;
    unsigned char data[9];
    if (!gf_resolution_round(r, GF_METRE, INT_MAX, &whole))
        return GF_OK;
    gf_put_big_endian(data, (uint32_t)whole.x);
    gf_put_big_endian(data + 4, (uint32_t)whole.y);
    data[8] = whole.unit == GF_METRE;
    return put(to, "pHYs", data, sizeof data);
}

static int put_profile(const struct gf_metadata *m, gf_png_put *put, void *to) {
    static const char head[] = "ICC profile\0"; /* the name, its zero byte, the method 0 */
    uLongf packed = compressBound((uLong)m->profile_bytes);
    unsigned char *data = malloc(sizeof head + packed);
    if (!data)
        return gf_no_memory();
    memcpy(data, head, sizeof head);
    int rc = compress2(data + sizeof head, &packed, m->profile, (uLong)m->profile_bytes, 9) == Z_OK
                 ? put(to, "iCCP", data, sizeof head + packed)
                 : gf_no_memory();
    free(data);
    return rc;
}

/* The kept chunk behind this one, or for NULL the first; NULL at the end. Headers of records may be
 * damaged. */
static const unsigned char *next_chunk(const struct gf_metadata *m, const unsigned char *chunk) {
    const size_t at = chunk ? (size_t)(chunk - m->header) + HEAD + gf_get_big_endian(chunk) : 0;
    const bool whole = m->header && m->header_format == gf_format_png.name &&
                       at + HEAD <= m->header_bytes && is_kept(m->header + at + 4) &&
                       gf_get_big_endian(m->header + at) <= m->header_bytes - at - HEAD;
    return whole ? m->header + at : NULL;
}

void gf_png_name_header(const struct gf_metadata *m, char text[GF_HEADER_NAMES]) {
    for (const unsigned char *c = NULL; (c = next_chunk(m, c));)
        gf_header_name(!memcmp(c + 4, "eXIf", 4)                              ? "EXIF"
                       : !memcmp(c + 5, "EXt", 3) || !memcmp(c + 5, "TXt", 3) ? "texts"
                                                                              : "other chunks",
                       text);
}

int gf_png_put_metadata(const struct gf_metadata *m, int colors, gf_png_put *put, void *to) {
    const bool profile = gf_profile_suits(m, colors); /* a file has a profile or sRGB, not both */
    unsigned char gamma[4];
    gf_put_big_endian(gamma, m->gamma);
    int rc = put_resolution(&m->resolution, put, to);
    if (!rc && m->gamma)
        rc = put(to, "gAMA", gamma, sizeof gamma);
    if (!rc && m->srgb && !profile)
        rc = put(to, "sRGB", &m->intent, 1);
    if (!rc && m->has_primaries && colors == 3)
        rc = put(to, "cHRM", m->primaries, sizeof m->primaries);
    if (!rc && profile)
        rc = put_profile(m, put, to);
    for (const unsigned char *c = NULL; !rc && (c = next_chunk(m, c));) {
        const char name[5] = {(char)c[4], (char)c[5], (char)c[6], (char)c[7]};
        rc = put(to, name, c + HEAD, gf_get_big_endian(c));
    }
    return rc;
}
