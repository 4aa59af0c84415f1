/* The sum of a whole is the exclusive or of its parts' sums, each moved by the bytes that follow the part
 * (zlib's crc32_combine() moves the first of two by the length of the second). How many bytes follow is not
 * known before the end, so each sum is first moved back by the part's end, then all by the whole's. Moving
 * by ORDER bytes changes nothing, as the polynomial is primitive. */
#include "formats/sums.h"

#include "formats/checksum.h"

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
