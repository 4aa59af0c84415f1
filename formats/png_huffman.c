/* The quick coder: a block is counted, gets codes, and is written. zlib does the same in four times
 * the time; ISA-L looks for matches, which makes files of noise larger by up to a quarter. */
#include "formats/png_huffman.h"

#include <string.h>

#include "formats/image.h"
#include "formats/png_huffman_codes.h"

/* A block of so many symbols has codes of its own. Runs are matches of distance 1, as zlib's Z_RLE makes them. */
enum { BLOCK = 32 * 1024, MIN_RUN = 3, MAX_RUN = 258 };
enum { END = 256, FIRST_LENGTH = 257, N_LITERALS = 286, N_DISTANCES = 2, N_LENGTHS = 19 };
/* Four codes and 7 bits left over fit a word of 64. */
enum { LITERAL_BITS = 14, LENGTH_BITS = 7 };

struct codes {
    uint32_t count[N_LITERALS];
    uint8_t length[N_LITERALS + N_DISTANCES];
    uint16_t code[N_LITERALS];
};

/* Bits go out from the lowest; fewer than 8 are left after flush_bits(). */
struct bits {
    unsigned char *out;
    uint64_t word;
    unsigned n;
};

static inline void put_bits(struct bits *b, uint64_t code, unsigned n) {
    b->word |= code << b->n;
    b->n += n;
}

static inline void flush_bits(struct bits *b) {
    uint64_t v = gf_host_is_big_endian() ? __builtin_bswap64(b->word) : b->word;
    memcpy(b->out, &v, 8);
    b->out += b->n >> 3;
    b->word >>= b->n & ~7u;
    b->n &= 7;
}

static void fill_byte(struct bits *b) {
    flush_bits(b);
    b->out += b->n > 0;
    b->word = 0;
    b->n = 0;
}

/* ------------------------------------------------------- runs */

static inline bool begins_run(const unsigned char *p, const unsigned char *end) {
    return end - p >= MIN_RUN && p[0] == p[-1] && p[1] == p[-1] && p[2] == p[-1];
}

/* Bytes from p on that equal the one before p, at most a run's. */
static size_t run_length(const unsigned char *p, const unsigned char *end) {
    size_t n = 0, most = end - p < MAX_RUN ? (size_t)(end - p) : MAX_RUN;
    while (n < most && p[n] == p[-1])
        n++;
    return n;
}

/* Deflate's symbol for the length of a run, and its extra bits (RFC 1951, 3.2.5). */
static int length_symbol(size_t length, unsigned *extra) {
    unsigned v = (unsigned)length - MIN_RUN;
    *extra = 0;
    if (length == MAX_RUN)
        return FIRST_LENGTH + 28;
    while (v >> *extra >= 8)
        ++*extra;
    return FIRST_LENGTH + (int)(4 * *extra + (v >> *extra));
}

/* One word in 64 that is four equal bytes is worth looking for runs. */
static bool has_runs(const unsigned char *p, size_t n) {
    size_t words = 0;
    for (size_t i = 0; i + 4 <= n; i += 4) {
        uint32_t w;
        memcpy(&w, p + i, 4);
        words += w == (w >> 8 | w << 24);
    }
    return words * 4 * 64 > n;
}

/* ------------------------------------------------------- counting */

static void count_bytes(struct codes *c, const unsigned char *p, size_t n) {
    uint32_t count[4][256] = {{0}}; /* in one table equal neighbours would wait for each other */
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            count[k][p[i + k]]++;
    for (; i < n; i++)
        count[0][p[i]]++;
    for (int v = 0; v < 256; v++)
        c->count[v] = count[0][v] + count[1][v] + count[2][v] + count[3][v];
}

/* Returns where the block ends. The first byte of all has none before it. */
static const unsigned char *count_runs(struct codes *c, const unsigned char *p,
                                       const unsigned char *end, bool first) {
    unsigned extra;
    if (first)
        c->count[*p++]++;
    for (int n_symbols = 1; p < end && n_symbols < BLOCK; n_symbols++) {
        if (begins_run(p, end)) {
            size_t n = run_length(p, end);
            c->count[length_symbol(n, &extra)]++;
            p += n;
        } else {
            c->count[*p++]++;
        }
    }
    return p;
}

/* ------------------------------------------------------- a block's header */

struct tokens {
    int n;
    uint8_t symbol[N_LITERALS + N_DISTANCES], extra[N_LITERALS + N_DISTANCES];
};

/* Code lengths as themselves, 16 for the last one 3 to 6 times more, 17 and 18 for zeros. */
static void make_tokens(struct tokens *t, const uint8_t *length, int n) {
    t->n = 0;
    for (int i = 0; i < n;) {
        int same = 1, symbol = length[i], extra = 0;
        while (i + same < n && length[i + same] == symbol)
            same++;
        if (symbol == 0 && same >= 3) {
            same = same < 138 ? same : 138;
            symbol = same < 11 ? 17 : 18;
            extra = same < 11 ? same - 3 : same - 11;
        } else if (i > 0 && symbol == length[i - 1] && same >= 3) {
            same = same < 6 ? same : 6;
            symbol = 16;
            extra = same - 3;
        } else {
            same = 1;
        }
        t->symbol[t->n] = (uint8_t)symbol;
        t->extra[t->n++] = (uint8_t)extra;
        i += same;
    }
}

static void put_header(struct bits *b, struct codes *c, bool last) {
    static const uint8_t order[N_LENGTHS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                             11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t length[N_LENGTHS];
    uint16_t code[N_LENGTHS];
    uint32_t count[N_LENGTHS] = {0};
    struct tokens t;
    int literals = N_LITERALS, lengths = N_LENGTHS;
    while (c->length[literals - 1] == 0)
        literals--;
    /* Two distances of one bit, the first of which is 1: some decoders want two. */
    c->length[literals] = c->length[literals + 1] = 1;
    make_tokens(&t, c->length, literals + N_DISTANCES);
    for (int i = 0; i < t.n; i++)
        count[t.symbol[i]]++;
    gf_huffman_lengths(count, N_LENGTHS, LENGTH_BITS, length);
    gf_huffman_codes(length, N_LENGTHS, code);
    while (length[order[lengths - 1]] == 0)
        lengths--;
    put_bits(b, (unsigned)last | 2 << 1, 3);
    put_bits(b, (unsigned)(literals - FIRST_LENGTH), 5);
    put_bits(b, N_DISTANCES - 1, 5);
    put_bits(b, (unsigned)(lengths - 4), 4);
    for (int i = 0; i < lengths; i++) {
        flush_bits(b);
        put_bits(b, length[order[i]], 3);
    }
    for (int i = 0; i < t.n; i++) {
        int s = t.symbol[i];
        flush_bits(b);
        put_bits(b, code[s], length[s]);
        put_bits(b, t.extra[i], s == 18 ? 7 : s == 17 ? 3 : s == 16 ? 2 : 0);
    }
    flush_bits(b);
}

/* ------------------------------------------------------- a block */

static inline void put_symbol(struct bits *b, const struct codes *c, int symbol) {
    put_bits(b, c->code[symbol], c->length[symbol]);
}

static void put_bytes(struct bits *bits, const struct codes *c, const unsigned char *p, size_t n) {
    struct bits b = *bits; /* in registers */
    uint32_t code[256];    /* the length in the upper half */
    for (int v = 0; v < 256; v++)
        code[v] = c->code[v] | (uint32_t)c->length[v] << 16;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (size_t k = 0; k < 4; k++)
            put_bits(&b, code[p[i + k]] & 0xffff, code[p[i + k]] >> 16);
        flush_bits(&b);
    }
    for (; i < n; i++) {
        put_symbol(&b, c, p[i]);
        flush_bits(&b);
    }
    *bits = b;
}

static void put_runs(struct bits *bits, const struct codes *c, const unsigned char *p,
                     const unsigned char *end, bool first) {
    struct bits b = *bits;
    if (first)
        put_symbol(&b, c, *p++);
    while (p < end) {
        if (begins_run(p, end)) {
            unsigned extra;
            size_t n = run_length(p, end);
            put_symbol(&b, c, length_symbol(n, &extra));
            put_bits(&b, (n - MIN_RUN) & ((1u << extra) - 1), extra);
            put_bits(&b, 0, 1); /* distance 1 */
            p += n;
        } else {
            put_symbol(&b, c, *p++);
        }
        flush_bits(&b);
    }
    *bits = b;
}

size_t gf_huffman_bound(size_t n) {
    return n + n / 64 + (n / BLOCK + 1) * 1024;
}

size_t gf_huffman_deflate(const unsigned char *in, size_t n, bool last, unsigned char *out) {
    struct bits b = {.out = out};
    const unsigned char *end = in + n, *next;
    bool runs = has_runs(in, n);
    for (const unsigned char *p = in; p < end; p = next) {
        struct codes c = {.count = {[END] = 1}};
        next = end - p < BLOCK ? end : p + BLOCK;
        if (runs)
            next = count_runs(&c, p, end, p == in);
        else
            count_bytes(&c, p, (size_t)(next - p));
        gf_huffman_lengths(c.count, N_LITERALS, LITERAL_BITS, c.length);
        gf_huffman_codes(c.length, N_LITERALS, c.code);
        put_header(&b, &c, last && next == end);
        if (runs)
            put_runs(&b, &c, p, next, p == in);
        else
            put_bytes(&b, &c, p, (size_t)(next - p));
        put_symbol(&b, &c, END);
        flush_bits(&b);
    }
    if (!last) { /* an empty stored block ends on a whole byte */
        put_bits(&b, 0, 3);
        fill_byte(&b);
        memcpy(b.out, "\0\0\xff\xff", 4);
        b.out += 4;
    }
    fill_byte(&b);
    return (size_t)(b.out - out);
}
