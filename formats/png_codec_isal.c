/* The codec of ISA-L: twice as fast as zlib, its checksums several times. */
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

struct deflate_state {
    struct isal_zstream z;
    uint8_t level_buffer[ISAL_DEF_LVL1_SMALL]; /* 16 Ki symbols, which share their codes */
};

/* Level 1 on matches in the last 4 bytes: runs of a value or of a pixel. In noise matches from farther
 * away cost more bits than the bytes they replace (up to a quarter of the file) and twice the time. */
static size_t deflate_strip(void *state, const unsigned char *in, size_t n, bool last,
                            unsigned char *out, size_t room) {
    struct deflate_state *d = state;
    struct isal_zstream *z = &d->z;
    isal_deflate_init(z);
    z->level = 1;
    z->hist_bits = 2;
    z->level_buf = d->level_buffer;
    z->level_buf_size = sizeof d->level_buffer;
    z->next_in = (uint8_t *)(uintptr_t)in;
    z->avail_in = (uint32_t)n;
    z->next_out = out;
    z->avail_out = (uint32_t)room;
    z->end_of_stream = last;
    z->flush = last ? NO_FLUSH : FULL_FLUSH; /* strips do not know each other */
    bool whole = isal_deflate(z) == COMP_OK && !z->avail_in && z->avail_out;
    return whole ? z->total_out : 0;
}

const struct gf_codec gf_codec_isal = {
    .name = "ISA-L",
    .crc32 = crc,
    .adler32 = adler,
    .inflate_start = inflate_start,
    .inflate = inflate_some,
    .inflate_end = inflate_end,
    .deflate_bytes = sizeof(struct deflate_state),
    .deflate = deflate_strip,
};
