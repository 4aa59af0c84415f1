/* The codec of ISA-L: inflates twice as fast as zlib, its checksums several times. Its deflate is not
 * used: with the levels that make dynamic codes (2.30, level 1) the bytes depend on where memory
 * is, once in some hundred runs, and equal pictures are to give equal files. */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include "formats/png_codec.h"

static uint32_t crc(uint32_t sum, const void *data, size_t n) {
    return crc32_gzip_refl(sum, data, n);
}

static uint32_t adler(uint32_t sum, const void *data, size_t n) {
    return isal_adler32(sum, data, n);
}

static bool inflate_start(struct gf_inflate *s) {
    struct inflate_state *z = s->state = malloc(sizeof *z);
    if (!z)
        return false;
    isal_inflate_init(z);
    z->crc_flag = ISAL_ZLIB;
    return true;
}

static int64_t inflate_some(struct gf_inflate *s, unsigned char *out, size_t room) {
    struct inflate_state *z = s->state;
    uint32_t in = s->n < 1 << 30 ? (uint32_t)s->n : 1 << 30;
    uint32_t most = room < 1 << 30 ? (uint32_t)room : 1 << 30;
    z->next_in = (uint8_t *)(uintptr_t)s->in;
    z->avail_in = in;
    z->next_out = out;
    z->avail_out = most;
    int rc = isal_inflate(z);
    s->in += in - z->avail_in;
    s->n -= in - z->avail_in;
    if (rc != ISAL_DECOMP_OK)
        return -1;
    if (z->block_state == ISAL_BLOCK_FINISH) {
        if (z->read_in_length >= 8)
            return -1; /* it has taken bytes that follow the stream */
        s->ended = true;
    }
    return most - z->avail_out;
}

static void inflate_end(struct gf_inflate *s) {
    free(s->state);
}

const struct gf_codec gf_codec_isal = {
    .name = "ISA-L",
    .crc32 = crc,
    .adler32 = adler,
    .inflate_start = inflate_start,
    .inflate = inflate_some,
    .inflate_end = inflate_end,
};
