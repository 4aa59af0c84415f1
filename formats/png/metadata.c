/* pHYs, gAMA, sRGB, cHRM and iCCP (PNG specification, 11.3.2 and 11.3.4) between files and memory. */
#include "formats/png/metadata.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/status.h"

enum { MOST_PACKED = GF_MOST_PROFILE + GF_MOST_PROFILE / 16 /* of noise, deflated */ };
enum { SIGNATURE = 8, CRC = 4, MOST_NAME = 80 /* of a profile, its zero byte included */ };

static const struct {
    char name[5];
    size_t bytes; /* 0: any number */
} kinds[GF_PNG_N_CHUNKS] = {
    [GF_PNG_PHYS] = {"pHYs", 9},  [GF_PNG_GAMA] = {"gAMA", 4}, [GF_PNG_SRGB] = {"sRGB", 1},
    [GF_PNG_CHRM] = {"cHRM", 32}, [GF_PNG_ICCP] = {"iCCP", 0},
};

/* ---- reading ---- */

/* Makes room for the chunk whose head has been read; a second chunk of a kind is ignored. */
static void begin_chunk(struct gf_png_chunks *c) {
    const size_t n = gf_get_big_endian(c->head);
    c->body = (uint64_t)n + CRC;
    c->n_body = 0;
    c->taking = -1;
    c->ended = !memcmp(c->head + 4, "IDAT", 4);
    for (int i = 0; i < GF_PNG_N_CHUNKS; i++) {
        struct gf_png_chunk *k = &c->chunk[i];
        if (memcmp(c->head + 4, kinds[i].name, 4) || k->n || !n)
            continue;
        if (kinds[i].bytes ? n != kinds[i].bytes : n > MOST_PACKED)
            continue;
        if (!kinds[i].bytes) {
            free(k->large);
            k->large = malloc(n);
            c->no_memory |= !k->large;
        }
        if (kinds[i].bytes || k->large)
            c->taking = i;
    }
}

static void take(struct gf_png_chunks *c, const unsigned char *bytes, size_t n) {
    const uint64_t data = c->body - CRC;
    struct gf_png_chunk *k = &c->chunk[c->taking];
    if (c->n_body < data) {
        size_t part = n < data - c->n_body ? n : (size_t)(data - c->n_body);
        memcpy((k->large ? k->large : k->small) + c->n_body, bytes, part);
    }
    if (c->n_body + n == c->body)
        k->n = (size_t)data;
}

void gf_png_follow(struct gf_png_chunks *c, const unsigned char *bytes, size_t n) {
    while (n && !c->ended) {
        size_t step = 1;
        if (c->n_skipped < SIGNATURE) {
            c->n_skipped++;
        } else if (c->n_head < sizeof c->head) {
            c->head[c->n_head++] = *bytes;
            if (c->n_head == sizeof c->head)
                begin_chunk(c);
        } else {
            uint64_t left = c->body - c->n_body;
            step = n < left ? n : (size_t)left;
            if (c->taking >= 0)
                take(c, bytes, step);
            c->n_body += step;
            if (c->n_body == c->body)
                c->n_head = 0;
        }
        bytes += step;
        n -= step;
    }
}

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

/* The chunk holds a name, a zero byte, the method 0 and zlib's stream; the profile begins with its size. */
static int take_profile(const struct gf_png_chunk *k, struct gf_metadata *m) {
    const unsigned char *zero = k->n ? memchr(k->large, 0, k->n < MOST_NAME ? k->n : MOST_NAME) : 0;
    unsigned char first[4], *profile = NULL;
    size_t head = zero ? (size_t)(zero - k->large) + 2 : 0, size = 0;
    bool whole = false;
    if (!zero || head >= k->n || zero[1])
        return GF_OK;
    int rc = inflate_to(k->large + head, k->n - head, first, sizeof first, &whole);
    if (!rc && whole)
        size = gf_get_big_endian(first);
    if (rc || size < sizeof first || size > GF_MOST_PROFILE)
        return rc;
    profile = malloc(size);
    if (!profile)
        return gf_no_memory();
    rc = inflate_to(k->large + head, k->n - head, profile, size, &whole);
    if (!rc && whole)
        rc = gf_profile_copy(m, profile, size);
    free(profile);
    return rc;
}

int gf_png_take_metadata(const struct gf_png_chunks *c, struct gf_metadata *m) {
    const struct gf_png_chunk *k = c->chunk;
    if (c->no_memory)
        return gf_no_memory();
    if (k[GF_PNG_PHYS].n && k[GF_PNG_PHYS].small[8] <= 1)
        gf_resolution_set(&m->resolution, gf_get_big_endian(k[GF_PNG_PHYS].small),
                          gf_get_big_endian(k[GF_PNG_PHYS].small + 4),
                          k[GF_PNG_PHYS].small[8] ? GF_METRE : GF_UNIT_NONE);
    if (k[GF_PNG_GAMA].n && gf_get_big_endian(k[GF_PNG_GAMA].small) <= INT_MAX)
        m->gamma = gf_get_big_endian(k[GF_PNG_GAMA].small);
    if (k[GF_PNG_SRGB].n && k[GF_PNG_SRGB].small[0] < 4) {
        m->srgb = true;
        m->intent = k[GF_PNG_SRGB].small[0];
    }
    m->has_primaries = k[GF_PNG_CHRM].n > 0;
    for (size_t i = 0; i < k[GF_PNG_CHRM].n; i += 4)
        m->has_primaries &= gf_get_big_endian(k[GF_PNG_CHRM].small + i) <= INT_MAX;
    if (m->has_primaries)
        memcpy(m->primaries, k[GF_PNG_CHRM].small, sizeof m->primaries);
    return take_profile(&k[GF_PNG_ICCP], m);
}

void gf_png_chunks_free(struct gf_png_chunks *c) {
    free(c->chunk[GF_PNG_ICCP].large);
    *c = (struct gf_png_chunks){0};
}

/* ---- writing ---- */

static void put_resolution(const struct gf_resolution *r, struct gf_png_chunk *k) {
    struct gf_resolution whole;
    if (!gf_resolution_round(r, GF_METRE, INT_MAX, &whole))
        return;
    gf_put_big_endian(k->small, (uint32_t)whole.x);
    gf_put_big_endian(k->small + 4, (uint32_t)whole.y);
    k->small[8] = whole.unit == GF_METRE;
    k->n = 9;
}

static int put_profile(const struct gf_metadata *m, struct gf_png_chunk *k) {
    static const char head[] = "ICC profile\0"; /* the name, its zero byte, the method 0 */
    uLongf packed = compressBound((uLong)m->profile_bytes);
    k->large = malloc(sizeof head + packed);
    if (!k->large)
        return gf_no_memory();
    memcpy(k->large, head, sizeof head);
    if (compress2(k->large + sizeof head, &packed, m->profile, (uLong)m->profile_bytes, 9) != Z_OK)
        return gf_no_memory();
    k->n = sizeof head + packed;
    return GF_OK;
}

int gf_png_put_metadata(const struct gf_metadata *m, int colors, struct gf_png_chunks *c) {
    *c = (struct gf_png_chunks){0};
    put_resolution(&m->resolution, &c->chunk[GF_PNG_PHYS]);
    if (m->gamma) {
        gf_put_big_endian(c->chunk[GF_PNG_GAMA].small, m->gamma);
        c->chunk[GF_PNG_GAMA].n = 4;
    }
    if (m->has_primaries && colors == 3) {
        memcpy(c->chunk[GF_PNG_CHRM].small, m->primaries, sizeof m->primaries);
        c->chunk[GF_PNG_CHRM].n = sizeof m->primaries;
    }
    if (gf_profile_suits(m, colors)) /* a file has a profile or sRGB, not both */
        return put_profile(m, &c->chunk[GF_PNG_ICCP]);
    if (m->srgb) {
        c->chunk[GF_PNG_SRGB].small[0] = m->intent;
        c->chunk[GF_PNG_SRGB].n = 1;
    }
    return GF_OK;
}

const char *gf_png_chunk_name(int i) {
    return kinds[i].name;
}

const unsigned char *gf_png_chunk_bytes(const struct gf_png_chunks *c, int i) {
    return c->chunk[i].large ? c->chunk[i].large : c->chunk[i].small;
}
