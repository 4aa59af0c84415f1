/* CRC-32 in shares, one a thread, and in parts; both are joined by zlib's crc32_combine(). */
#include "formats/checksum.h"

#include <stdlib.h>
#include <zlib.h>

#include "core/base/value/array.h"
#include "core/base/value/status.h"
#include "formats/io/io.h"
#include "formats/png/codec.h"

enum { MIN_SHARE = 1 << 20, MAX_SHARES = 16, PIECE = 256 * 1024 };

/* How many threads are worth starting. */
static int shares_of(int64_t n, int threads) {
    return (int)gf_min(threads, gf_min(n / MIN_SHARE, MAX_SHARES));
}

/* Sums bytes begin .. end of something that all threads read. Returns 0 or a status. */
typedef int sum_range(const void *of, int64_t begin, int64_t end, uint32_t *out);

/* Sums one share in each thread. */
static int sum_shares(sum_range *sum_of, const void *of, int64_t size, int threads, uint32_t *out) {
    uint32_t part[MAX_SHARES];
    struct gf_failure failed = {0};
    const int shares = (int)gf_max(shares_of(size, threads), 1);
    const int64_t share = size / shares;
#pragma omp parallel for num_threads(shares)
    for (int i = 0; i < shares; i++)
        gf_failure_keep(&failed,
                        sum_of(of, i * share, i == shares - 1 ? size : (i + 1) * share, &part[i]));
    *out = 0;
    for (int i = 0; i < shares && !failed.status; i++)
        *out = gf_crc32_join(*out, part[i], i == shares - 1 ? size - i * share : share);
    return gf_failure_return(&failed);
}

static int memory_range(const void *of, int64_t begin, int64_t end, uint32_t *out) {
    *out = gf_codec_best()->crc32(0, (const unsigned char *)of + begin, (size_t)(end - begin));
    return GF_OK;
}

static int source_range(const void *of, int64_t begin, int64_t end, uint32_t *out) {
    return gf_crc32_part(of, begin, end, out);
}

uint32_t gf_crc32(uint32_t crc, const void *data, size_t n, int threads) {
    uint32_t sum;
    if (shares_of((int64_t)n, threads) < 2)
        return gf_codec_best()->crc32(crc, data, n);
    sum_shares(memory_range, data, (int64_t)n, threads, &sum);
    return gf_crc32_join(crc, sum, (int64_t)n);
}

uint32_t gf_crc32_join(uint32_t first, uint32_t second, int64_t n) {
    return (uint32_t)crc32_combine(first, second, n);
}

/* Continues *out over bytes begin .. end of a file. */
static int add_part(const struct gf_source *of, int64_t begin, int64_t end, uint32_t *out) {
    struct gf_source *source;
    int rc = gf_source_again(of, &source);
    if (rc)
        return rc;
    unsigned char *piece = malloc(PIECE);
    rc = piece ? gf_source_seek(source, begin) : gf_no_memory();
    for (size_t n; !rc && begin < end; begin += (int64_t)n) {
        n = (size_t)gf_min(end - begin, PIECE);
        rc = gf_source_read_exactly(source, piece, n);
        if (!rc)
            *out = gf_codec_best()->crc32(*out, piece, n);
    }
    free(piece);
    gf_source_close(source);
    return rc;
}

int64_t gf_chain_size(const struct gf_chain *chain) {
    const int64_t size = gf_source_known_size(chain->first);
    const int64_t more = chain->second ? gf_source_known_size(chain->second) : 0;
    return size < 0 || more < 0 ? -1 : size + more;
}

int gf_crc32_part(const struct gf_chain *of, int64_t begin, int64_t end, uint32_t *out) {
    const int64_t split = of->second ? gf_source_known_size(of->first) : end;
    int rc = GF_OK;
    *out = 0;
    if (begin < split)
        rc = add_part(of->first, begin, gf_min(end, split), out);
    if (!rc && end > split)
        rc = add_part(of->second, gf_max(begin - split, 0), end - split, out);
    return rc;
}

int gf_crc32_source(const struct gf_chain *of, int64_t size, int threads, uint32_t *out) {
    return sum_shares(source_range, of, size, threads, out);
}

/* ---- parts in any order ----
 *
 * The sum of a whole is the exclusive or of its parts' sums, each moved by the bytes that follow
 * the part (zlib's crc32_combine() moves the first of two by the length of the second). How many
 * bytes follow is not known before the end, so each sum is first moved back by the part's end, then
 * all by the whole's. Moving by ORDER bytes changes nothing, as the polynomial is primitive. */

static const int64_t ORDER = 0xffffffff;

static uint32_t move(uint32_t crc, int64_t bytes) {
    return gf_crc32_join(crc, 0, (bytes % ORDER + ORDER) % ORDER);
}

/* The last run goes to the rest, unless a part at `at` continues it. */
static void begin_part(struct gf_sums *s, int64_t at) {
    if (s->at + s->n == at)
        return;
    s->rest ^= move(s->crc, -(s->at + s->n));
    s->bytes += s->n;
    s->at = at;
    s->n = 0;
    s->crc = 0;
}

void gf_sums_join(struct gf_sums *s, int64_t at, size_t n, uint32_t crc) {
    begin_part(s, at);
    s->crc = gf_crc32_join(s->crc, crc, (int64_t)n);
    s->n += (int64_t)n;
}

void gf_sums_add(struct gf_sums *s, int64_t at, const void *data, size_t n, int threads) {
    begin_part(s, at);
    s->crc = gf_crc32(s->crc, data, n, threads);
    s->n += (int64_t)n;
}

bool gf_sums_total(struct gf_sums *s, int64_t begin, int64_t end, uint32_t *crc) {
    begin_part(s, -1);
    *crc = gf_crc32_join(*crc, move(s->rest, end), end - begin);
    return !s->lost && s->bytes == end - begin;
}
