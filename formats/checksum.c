/* CRC-32 in shares, one a thread, and in parts; both are joined by zlib's crc32_combine(). */
#include "formats/checksum.h"

#include <stdlib.h>
#include <zlib.h>

#include "core/base/array.h"
#include "core/base/status.h"
#include "formats/io/io.h"

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
    *out = (uint32_t)crc32_z(0, (const unsigned char *)of + begin, (size_t)(end - begin));
    return GF_OK;
}

static int source_range(const void *of, int64_t begin, int64_t end, uint32_t *out) {
    return gf_crc32_part(of, begin, end, out);
}

uint32_t gf_crc32(uint32_t crc, const void *data, size_t n, int threads) {
    uint32_t sum;
    if (shares_of((int64_t)n, threads) < 2)
        return (uint32_t)crc32_z(crc, data, n);
    sum_shares(memory_range, data, (int64_t)n, threads, &sum);
    return gf_crc32_join(crc, sum, (int64_t)n);
}

uint32_t gf_crc32_join(uint32_t first, uint32_t second, int64_t n) {
    return (uint32_t)crc32_combine(first, second, (z_off_t)n);
}

int gf_crc32_part(const struct gf_source *of, int64_t begin, int64_t end, uint32_t *out) {
    struct gf_source *source;
    int rc = gf_source_again(of, &source);
    if (rc)
        return rc;
    unsigned char *piece = malloc(PIECE);
    rc = piece ? gf_source_seek(source, begin) : gf_fail(GF_ENOMEM, "out of memory");
    *out = 0;
    for (size_t n; !rc && begin < end; begin += (int64_t)n) {
        n = (size_t)gf_min(end - begin, PIECE);
        rc = gf_source_read_exactly(source, piece, n);
        if (!rc)
            *out = (uint32_t)crc32_z(*out, piece, n);
    }
    free(piece);
    gf_source_close(source);
    return rc;
}

int gf_crc32_source(const struct gf_source *source, int64_t size, int threads, uint32_t *out) {
    return sum_shares(source_range, source, size, threads, out);
}

/* ---- parts in any order ---- */

enum { MOST_RUNS = 1 << 20 };

/* Returns the last part if one at this place continues it. */
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
    for (size_t i = 0; i < s->n; i++) {
        if (s->run[i].at != begin)
            return false;
        *crc = gf_crc32_join(*crc, s->run[i].crc, s->run[i].n);
        begin += s->run[i].n;
    }
    return begin == end;
}

void gf_sums_free(struct gf_sums *s) {
    free(s->run);
    *s = (struct gf_sums){.run = NULL};
}
