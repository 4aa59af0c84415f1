/* The fast deflate encoder (RFC 1951). */
#include <stdlib.h>
#include <string.h>

#include "formats/png.h"

enum {
    BLOCK = 64 * 1024 - 1, /* bytes a block: as much as one stored block takes */
    N_LITERALS = 286,
    N_LENGTH_CODES = 19,
    END_OF_BLOCK = 256,
    MAX_MATCH = 258,
    MAX_CODE_BITS = 12, /* four literals fit a 64-bit accumulator with 7 bits left over in it */
    MAX_RUNS = BLOCK / 8 + 1
};

struct bits {
    unsigned char *p;
    uint64_t held; /* the low `n` bits are still to be written */
    unsigned n;
};

/* A code, bit-reversed as deflate wants it, in the low half and its length in the high half. */
typedef uint32_t code;

struct run {
    uint32_t start, length; /* of equal bytes; the first of them is coded as a literal */
};

struct block {
    const unsigned char *in;
    size_t n;
    struct run runs[MAX_RUNS];
    size_t n_runs;
    uint32_t frequency[N_LITERALS];
    unsigned char length[N_LITERALS + 1]; /* and the distance code's */
    code codes[N_LITERALS];
    int n_lengths;                 /* literal codes that are sent */
    uint16_t sent[N_LITERALS + 1]; /* the run-length coded lengths: symbol | extra << 8 */
    int n_sent;
    unsigned char sent_length[N_LENGTH_CODES];
    code sent_codes[N_LENGTH_CODES];
};

static void store_le64(unsigned char *p, uint64_t v) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(p, &v, 8);
}

static inline void put(struct bits *b, uint32_t value, unsigned n) {
    b->held |= (uint64_t)value << b->n;
    b->n += n;
    store_le64(b->p, b->held);
    b->p += b->n >> 3;
    b->held >>= b->n & ~7u;
    b->n &= 7;
}

static inline void put_code(struct bits *b, code c) {
    put(b, c & 0xffff, c >> 16);
}

static void align(struct bits *b) {
    if (b->n)
        put(b, 0, 8 - b->n);
}

/* An empty or a full stored block. */
static void put_stored(struct bits *b, const unsigned char *in, size_t n, bool last) {
    put(b, last, 3);
    align(b);
    put(b, (uint32_t)n, 16);
    put(b, (uint32_t)n ^ 0xffff, 16);
    if (n)
        memcpy(b->p, in, n);
    b->p += n;
}

/* The symbol of a match length (RFC 1951, 3.2.5), its extra bits and their number. */
static int length_symbol(int length, uint32_t *extra, unsigned *n_extra) {
    *extra = 0;
    *n_extra = 0;
    if (length == MAX_MATCH)
        return 285;
    int v = length - 3;
    if (v < 8)
        return 257 + v;
    int top = 31 - __builtin_clz((unsigned)v);
    *n_extra = (unsigned)top - 2;
    *extra = (uint32_t)v & ((1u << *n_extra) - 1);
    return 257 + 4 * (top - 1) + ((v >> *n_extra) & 3);
}

/* How many bytes of `left` the next match takes: none of 1 or 2 remains that would not pay. */
static int next_match(uint32_t left) {
    if (left > MAX_MATCH)
        return left < MAX_MATCH + 3 ? (int)left - 3 : MAX_MATCH;
    return (int)left;
}

/* Finds runs by whole aligned words: every run of 15 bytes or more has one, and shorter ones are
 * cheap as literals. */
static void find_runs(struct block *b) {
    size_t done = 0;
    b->n_runs = 0;
    for (size_t i = 0; i + 8 <= b->n; i += 8) {
        uint64_t word;
        memcpy(&word, b->in + i, 8);
        if (word != (word & 0xff) * 0x0101010101010101u || i < done)
            continue;
        unsigned char value = b->in[i];
        size_t start = i, end = i + 8;
        while (start > done && b->in[start - 1] == value)
            start--;
        while (end < b->n && b->in[end] == value)
            end++;
        b->runs[b->n_runs++] = (struct run){(uint32_t)start, (uint32_t)(end - start)};
        done = end;
    }
}

/* Four counters side by side, so that equal neighbours do not wait for each other's increment. */
static void count(struct block *b) {
    uint32_t part[4][256];
    memset(part, 0, sizeof part);
    memset(b->frequency, 0, sizeof b->frequency);
    size_t i = 0;
    for (size_t r = 0; r <= b->n_runs; r++) {
        size_t end = r < b->n_runs ? b->runs[r].start + 1 : b->n;
        for (; i + 4 <= end; i += 4) {
            part[0][b->in[i]]++;
            part[1][b->in[i + 1]]++;
            part[2][b->in[i + 2]]++;
            part[3][b->in[i + 3]]++;
        }
        for (; i < end; i++)
            part[0][b->in[i]]++;
        if (r == b->n_runs)
            break;
        for (uint32_t left = b->runs[r].length - 1; left;) {
            uint32_t extra;
            unsigned n_extra;
            int n = next_match(left);
            b->frequency[length_symbol(n, &extra, &n_extra)]++;
            left -= (uint32_t)n;
        }
        i = b->runs[r].start + b->runs[r].length;
    }
    for (int s = 0; s < 256; s++)
        b->frequency[s] = part[0][s] + part[1][s] + part[2][s] + part[3][s];
    b->frequency[END_OF_BLOCK] = 1;
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Lengths of a Huffman code of at most `limit` bits, by the two-queue method: leaves sorted by
 * weight, and inner nodes, which come into being in order of weight. */
static void code_lengths(const uint32_t *frequency, int n, int limit, unsigned char *length) {
    uint32_t sorted[N_LITERALS]; /* weight << 9 | symbol: weights stay below 2^17 */
    uint32_t weight[2 * N_LITERALS];
    int parent[2 * N_LITERALS], depth[2 * N_LITERALS];
    int leaves = 0;
    memset(length, 0, (size_t)n);
    for (int s = 0; s < n; s++)
        if (frequency[s])
            sorted[leaves++] = frequency[s] << 9 | (uint32_t)s;
    if (leaves < 2) {
        if (leaves)
            length[sorted[0] & 511] = 1;
        return;
    }
    qsort(sorted, (size_t)leaves, sizeof *sorted, by_value);
    for (int i = 0; i < leaves; i++)
        weight[i] = sorted[i] >> 9;
    int leaf = 0, inner = leaves, nodes = leaves;
    for (; nodes < 2 * leaves - 1; nodes++) {
        weight[nodes] = 0;
        for (int k = 0; k < 2; k++) {
            bool take_leaf = leaf < leaves && (inner >= nodes || weight[leaf] <= weight[inner]);
            int child = take_leaf ? leaf++ : inner++;
            weight[nodes] += weight[child];
            parent[child] = nodes;
        }
    }
    int of_length[64] = {0};
    depth[nodes - 1] = 0;
    for (int i = nodes - 2; i >= 0; i--) {
        depth[i] = depth[parent[i]] + 1;
        if (i < leaves)
            of_length[depth[i] < limit ? depth[i] : limit]++;
    }
    /* Clamping has overdrawn the code space; each step gives back one unit of 2^-limit: a leaf at
     * the limit becomes the sibling of one that moves down from a shorter length. */
    int64_t used = 0;
    for (int l = 1; l <= limit; l++)
        used += (int64_t)of_length[l] << (limit - l);
    for (; used > (int64_t)1 << limit; used--) {
        int l = limit - 1;
        while (!of_length[l])
            l--;
        of_length[l]--;
        of_length[l + 1] += 2;
        of_length[limit]--;
    }
    int next = 0;
    for (int l = limit; l > 0; l--) /* the lightest leaves get the longest codes */
        for (int k = 0; k < of_length[l]; k++)
            length[sorted[next++] & 511] = (unsigned char)l;
}

/* Canonical codes from lengths (RFC 1951, 3.2.2). */
static void assign_codes(const unsigned char *length, int n, code *codes) {
    uint32_t next[16] = {0}, of_length[16] = {0};
    for (int s = 0; s < n; s++)
        of_length[length[s]]++;
    of_length[0] = 0;
    for (int l = 1; l < 16; l++)
        next[l] = (next[l - 1] + of_length[l - 1]) << 1;
    for (int s = 0; s < n; s++) {
        uint32_t c = next[length[s]]++, reversed = 0;
        for (int k = 0; k < length[s]; k++)
            reversed |= (c >> k & 1) << (length[s] - 1 - k);
        codes[s] = length[s] ? reversed | (uint32_t)length[s] << 16 : 0;
    }
}

/* The code lengths as the symbols 0..18 (RFC 1951, 3.2.7) and the codes for these. */
static void code_the_lengths(struct block *b) {
    uint32_t frequency[N_LENGTH_CODES] = {0};
    int n = N_LITERALS;
    while (n > END_OF_BLOCK + 1 && !b->length[n - 1])
        n--;
    b->n_lengths = n;
    b->length[n] = b->n_runs > 0; /* the one distance code, or none */
    n++;
    b->n_sent = 0;
    for (int i = 0; i < n;) {
        int same = 1, value = b->length[i];
        while (i + same < n && b->length[i + same] == value)
            same++;
        int take = 1, symbol = value, extra = 0;
        if (value == 0 && same >= 11) {
            take = same < 138 ? same : 138;
            symbol = 18;
            extra = take - 11;
        } else if (value == 0 && same >= 3) {
            take = same;
            symbol = 17;
            extra = take - 3;
        } else if (i > 0 && b->length[i - 1] == value && same >= 3) {
            take = same < 6 ? same : 6;
            symbol = 16;
            extra = take - 3;
        }
        b->sent[b->n_sent++] = (uint16_t)(symbol | extra << 8);
        frequency[symbol]++;
        i += take;
    }
    code_lengths(frequency, N_LENGTH_CODES, 7, b->sent_length);
    assign_codes(b->sent_length, N_LENGTH_CODES, b->sent_codes);
}

static unsigned sent_extra_bits(int symbol) {
    return symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0;
}

/* The block's size, so that one that would grow is stored instead. */
static uint64_t coded_bits(const struct block *b) {
    uint64_t bits = 3 + 14 + 3 * N_LENGTH_CODES;
    for (int i = 0; i < b->n_sent; i++)
        bits += b->sent_length[b->sent[i] & 31] + sent_extra_bits(b->sent[i] & 31);
    for (int s = 0; s < N_LITERALS; s++)
        /* at most 5 extra bits and one for the distance */
        bits += (uint64_t)b->frequency[s] * (b->length[s] + (s > END_OF_BLOCK ? 6u : 0u));
    return bits;
}

static void put_header(struct bits *out, const struct block *b, bool last) {
    static const unsigned char order[N_LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                        11, 4,  12, 3, 13, 2, 14, 1, 15};
    int n = N_LENGTH_CODES;
    while (n > 4 && !b->sent_length[order[n - 1]])
        n--;
    put(out, last, 1);
    put(out, 2, 2); /* dynamic codes */
    put(out, (uint32_t)b->n_lengths - 257, 5);
    put(out, 0, 5); /* one distance code */
    put(out, (uint32_t)n - 4, 4);
    for (int i = 0; i < n; i++)
        put(out, b->sent_length[order[i]], 3);
    for (int i = 0; i < b->n_sent; i++) {
        int symbol = b->sent[i] & 31;
        put_code(out, b->sent_codes[symbol]);
        if (symbol >= 16)
            put(out, b->sent[i] >> 8, sent_extra_bits(symbol));
    }
}

static void put_literals(struct bits *out, const code *codes, const unsigned char *in, size_t n) {
    struct bits b = *out;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            code c = codes[in[i + (size_t)k]];
            b.held |= (uint64_t)(c & 0xffff) << b.n;
            b.n += c >> 16;
        }
        store_le64(b.p, b.held);
        b.p += b.n >> 3;
        b.held >>= b.n & ~7u;
        b.n &= 7;
    }
    for (; i < n; i++)
        put_code(&b, codes[in[i]]);
    *out = b;
}

static void put_block(struct bits *out, struct block *b, bool last) {
    find_runs(b);
    count(b);
    code_lengths(b->frequency, N_LITERALS, MAX_CODE_BITS, b->length);
    code_the_lengths(b);
    if (coded_bits(b) / 8 >= b->n + 4) {
        put_stored(out, b->in, b->n, last);
        return;
    }
    assign_codes(b->length, b->n_lengths, b->codes);
    put_header(out, b, last);
    size_t i = 0;
    for (size_t r = 0; r < b->n_runs; r++) {
        put_literals(out, b->codes, b->in + i, b->runs[r].start + 1 - i);
        for (uint32_t left = b->runs[r].length - 1; left;) {
            uint32_t extra;
            unsigned n_extra;
            int n = next_match(left);
            put_code(out, b->codes[length_symbol(n, &extra, &n_extra)]);
            put(out, extra, n_extra);
            put(out, 0, 1); /* distance 1 */
            left -= (uint32_t)n;
        }
        i = b->runs[r].start + b->runs[r].length;
    }
    put_literals(out, b->codes, b->in + i, b->n - i);
    put_code(out, b->codes[END_OF_BLOCK]);
}

size_t gf_fast_deflate_bound(size_t n) {
    /* stored blocks, the closing empty one, and 8 bytes that store_le64() writes ahead */
    return n + (n / BLOCK + 2) * 6 + 16;
}

size_t gf_fast_deflate(const unsigned char *in, size_t n, bool last, unsigned char *out) {
    struct bits bits = {.p = out};
    struct block block;
    for (size_t done = 0; done < n; done += block.n) {
        block.in = in + done;
        block.n = n - done < BLOCK ? n - done : BLOCK;
        put_block(&bits, &block, last && done + block.n == n);
    }
    if (!last || n == 0)
        put_stored(&bits, NULL, 0, last);
    align(&bits);
    return (size_t)(bits.p - out);
}
