/* Sums of parts, put in order and joined by zlib's crc32_combine(). */
#include "formats/sums.h"

#include <stdlib.h>
#include <zlib.h>

#include "formats/checksum.h"

enum { MOST_RUNS = 1 << 20 };

/* The part before, if this one follows it. */
static struct gf_sum *continued(const struct gf_sums *s, int64_t at) {
    struct gf_sum *last = s->n ? &s->run[s->n - 1] : NULL;
    return last && last->at + last->n == at ? last : NULL;
}

void gf_sums_join(struct gf_sums *s, int64_t at, size_t n, uint32_t crc) {
    struct gf_sum *last = continued(s, at);
    if (s->lost || !n)
        return;
    if (last) {
        last->crc = gf_crc32_join(last->crc, crc, (int64_t)n);
        last->n += (int64_t)n;
        return;
    }
    if (s->n == s->room) {
        size_t room = s->room ? 2 * s->room : 256;
        struct gf_sum *more = room > MOST_RUNS ? NULL : realloc(s->run, room * sizeof *more);
        s->lost = !more;
        if (!more)
            return;
        s->run = more;
        s->room = room;
    }
    s->run[s->n++] = (struct gf_sum){at, (int64_t)n, crc};
}

void gf_sums_add(struct gf_sums *s, int64_t at, const void *data, size_t n, int threads) {
    struct gf_sum *last = s->lost ? NULL : continued(s, at);
    if (last) {
        last->crc = gf_crc32(last->crc, data, n, threads);
        last->n += (int64_t)n;
    } else if (!s->lost && n) {
        gf_sums_join(s, at, n, gf_crc32(0, data, n, threads));
    }
}

static int by_place(const void *a, const void *b) {
    const int64_t x = ((const struct gf_sum *)a)->at, y = ((const struct gf_sum *)b)->at;
    return x < y ? -1 : x > y;
}

bool gf_sums_total(struct gf_sums *s, int64_t begin, int64_t end, uint32_t *crc) {
    if (s->lost)
        return false;
    if (s->n)
        qsort(s->run, s->n, sizeof *s->run, by_place);
    uLong sum = *crc;
    for (size_t i = 0; i < s->n; i++) {
        if (s->run[i].at != begin)
            return false;
        sum = crc32_combine(sum, s->run[i].crc, (z_off_t)s->run[i].n);
        begin += s->run[i].n;
    }
    *crc = (uint32_t)sum;
    return begin == end;
}

void gf_sums_free(struct gf_sums *s) {
    free(s->run);
    *s = (struct gf_sums){.run = NULL};
}
