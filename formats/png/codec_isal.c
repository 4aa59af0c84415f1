/* ISA-L's codec: inflates twice as fast as zlib, deflates and computes checksums several times as
 * fast. */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include "core/base/value/array.h"
#include "formats/png/codec.h"

static uint32_t crc(uint32_t sum, const void *data, size_t n) {
    return crc32_gzip_refl(sum, data, n);
}

static uint32_t adler(uint32_t sum, const void *data, size_t n) {
    return isal_adler32(sum, data, n);
}

static bool inflate_start(struct gf_inflate *s) {
    struct inflate_state *z = s->state = gf_alloc(sizeof *z);
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
            return -1; /* it has consumed bytes after the stream */
        s->ended = true;
    }
    return most - z->avail_out;
}

static void inflate_end(struct gf_inflate *s) {
    gf_free(s->state);
}

/* A strip of 128 KiB gives at most 65 Ki tokens, two literals or a match each. */
struct deflate_state {
    struct isal_zstream z;
    uint8_t level_buffer[ISAL_DEF_LVL1_EXTRA_LARGE]; /* 128 Ki tokens, which share their codes */
};

enum { FIRST_BYTES = 16 };

static bool deflate_part(struct isal_zstream *z, size_t n, int flush) {
    z->avail_in = (uint32_t)n;
    z->flush = (uint16_t)flush;
    return isal_deflate(z) == COMP_OK && !z->avail_in && z->avail_out;
}

/* Level 1 with matches within the last 4 bytes: runs of a value or a pixel. In noise, more distant
 * matches cost more bits than the bytes they replace and twice the time.
 *
 * The first bytes are a separate block. isal_deflate_icf_body_hash_hist_* (ISA-L 2.30) computes the
 * hash of a stream's third byte from a register that still holds the stream's address, so that in
 * about one of 500 processes a match, and with it the output, depends on the address. Blocks of up
 * to 16 bytes are coded by another function, after which that path is not taken again. They cost
 * about 10 bytes. */
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
    z->next_out = out;
    z->avail_out = (uint32_t)room;
    if (n > FIRST_BYTES) {
        if (!deflate_part(z, FIRST_BYTES, SYNC_FLUSH))
            return 0;
        n -= FIRST_BYTES;
    }
    z->end_of_stream = last;
    /* no match may reach into another strip */
    return deflate_part(z, n, last ? NO_FLUSH : FULL_FLUSH) ? z->total_out : 0;
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
