/* CRC-32 in shares, one a thread, joined by zlib's crc32_combine(). */
#include "formats/checksum.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/status.h"
#include "formats/io/io.h"

enum { MIN_SHARE = 1 << 20, MAX_SHARES = 16, PIECE = 256 * 1024 };

/* How many threads are worth starting. */
static int shares_of(int64_t n, int threads) {
    int64_t most = n / MIN_SHARE;
    if (most > MAX_SHARES)
        most = MAX_SHARES;
    return threads < most ? threads : (int)most;
}

uint32_t gf_crc32(uint32_t crc, const void *data, size_t n, int threads) {
    uLong part[MAX_SHARES];
    int shares = shares_of((int64_t)n, threads);
    if (shares < 2)
        return (uint32_t)crc32_z(crc, data, n);
    size_t share = n / (size_t)shares;
#pragma omp parallel for num_threads(shares)
    for (int i = 0; i < shares; i++) {
        size_t begin = (size_t)i * share, end = i == shares - 1 ? n : begin + share;
        part[i] = crc32_z(0, (const unsigned char *)data + begin, end - begin);
    }
    uLong sum = crc;
    for (int i = 0; i < shares; i++) {
        size_t length = i == shares - 1 ? n - (size_t)i * share : share;
        sum = crc32_combine(sum, part[i], (z_off_t)length);
    }
    return (uint32_t)sum;
}

static int crc_range(const struct gf_source *of, int64_t begin, int64_t end, uLong *out) {
    struct gf_source *source;
    int rc = gf_source_again(of, &source);
    if (rc)
        return rc;
    unsigned char *piece = malloc(PIECE);
    if (!piece)
        rc = gf_fail(GF_ENOMEM, "out of memory");
    else
        rc = gf_source_seek(source, begin);
    uLong crc = 0;
    while (!rc && begin < end) {
        size_t n = end - begin < PIECE ? (size_t)(end - begin) : PIECE;
        rc = gf_source_read_exactly(source, piece, n);
        if (!rc)
            crc = crc32_z(crc, piece, n);
        begin += (int64_t)n;
    }
    *out = crc;
    free(piece);
    gf_source_close(source);
    return rc;
}

uint32_t gf_crc32_join(uint32_t first, uint32_t second, int64_t n) {
    return (uint32_t)crc32_combine(first, second, (z_off_t)n);
}

int gf_crc32_part(const struct gf_source *source, int64_t begin, int64_t end, uint32_t *out) {
    uLong crc = 0;
    int rc = crc_range(source, begin, end, &crc);
    *out = (uint32_t)crc;
    return rc;
}

/* Sums bytes begin .. end of something that all threads read; 0 or a code of its own. */
typedef int sum_range(const void *of, int64_t begin, int64_t end, uLong *out);

/* In shares, one a thread; the first failure's code, with its message. */
static int sum_shares(sum_range *sum_of, const void *of, int64_t size, int threads, uint32_t *out) {
    uLong part[MAX_SHARES], sum = 0;
    struct gf_failure failed = {0};
    int shares = shares_of(size, threads);
    if (shares < 1)
        shares = 1;
    int64_t share = size / shares;
#pragma omp parallel for num_threads(shares)
    for (int i = 0; i < shares; i++)
        gf_failure_keep(&failed,
                        sum_of(of, i * share, i == shares - 1 ? size : (i + 1) * share, &part[i]));
    for (int i = 0; i < shares && !failed.status; i++) {
        int64_t length = i == shares - 1 ? size - i * share : share;
        sum = crc32_combine(sum, part[i], (z_off_t)length);
    }
    *out = (uint32_t)sum;
    return gf_failure_return(&failed);
}

static int source_range(const void *of, int64_t begin, int64_t end, uLong *out) {
    return crc_range(of, begin, end, out);
}

int gf_crc32_source(const struct gf_source *source, int64_t size, int threads, uint32_t *out) {
    return sum_shares(source_range, source, size, threads, out);
}

static int file_range(const void *of, int64_t begin, int64_t end, uLong *out) {
    const int fd = *(const int *)of;
    unsigned char *piece = malloc(PIECE);
    uLong crc = 0;
    int error = piece ? 0 : ENOMEM;
    while (!error && begin < end) {
        ssize_t n =
            pread(fd, piece, end - begin < PIECE ? (size_t)(end - begin) : PIECE, (off_t)begin);
        if (n > 0) {
            crc = crc32_z(crc, piece, (size_t)n);
            begin += n;
        } else if (n == 0 || errno != EINTR) {
            error = n ? errno : EIO;
        }
    }
    *out = crc;
    free(piece);
    return error;
}

int gf_crc32_file(int fd, int64_t size, int threads, uint32_t *out) {
    return sum_shares(file_range, &fd, size, threads, out);
}
