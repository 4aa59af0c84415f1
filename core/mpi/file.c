/* Rows to parts of a file; the sum of a file by all ranks. */
#include "core/mpi/file.h"

#include <stdlib.h>
#include <zlib.h>

#include "core/base/status.h"

enum { CHUNK = 16 << 20, MOST_BYTES = 1 << 30 };

int64_t gf_file_at(const struct gf_file_map *m, int64_t z, int64_t y, int64_t *run) {
    const struct gf_spread_file *f = m->file;
    if (!f->strip) {
        *run = m->rows - y;
        return f->at + (z * m->rows + y) * m->row;
    }
    const int64_t strips = (m->rows + f->strip_rows - 1) / f->strip_rows;
    const int64_t within = y % f->strip_rows, left = m->rows - y;
    *run = f->strip_rows - within < left ? f->strip_rows - within : left;
    return f->strip[z * strips + y / f->strip_rows] + within * m->row;
}

int gf_file_add(struct gf_file_part *parts, int n, int64_t at, int64_t bytes) {
    struct gf_file_part *last = n ? &parts[n - 1] : NULL;
    if (last && last->at + last->bytes == at)
        last->bytes += bytes;
    else
        parts[n++] = (struct gf_file_part){at, bytes};
    return n;
}

int64_t gf_file_most(const struct gf_file_map *m, int64_t n) {
    return m->file->strip ? n / m->file->strip_rows + 2 : 1;
}

int gf_file_transfer(struct gf_ranks *r, struct gf_file_part *parts, int n, int64_t most,
                     void *data, bool write) {
    char *at = data;
    int rc = 0;
    for (int64_t done = 0; done < most && !rc; done += MOST_BYTES) {
        int64_t bytes = 0;
        int whole = 0;
        while (whole < n && bytes + parts[whole].bytes <= MOST_BYTES)
            bytes += parts[whole++].bytes;
        /* The next one is cut. */
        const int64_t fits = whole < n ? MOST_BYTES - bytes : 0;
        const struct gf_file_part next = whole < n ? parts[whole] : (struct gf_file_part){0, 0};
        if (fits)
            parts[whole].bytes = fits;
        const int used = whole + (fits > 0);
        rc = gf_ranks_agree(r, write ? gf_ranks_write(r, parts, used, at)
                                     : gf_ranks_read(r, parts, used, at));
        if (fits)
            parts[whole] = (struct gf_file_part){next.at + fits, next.bytes - fits};
        at += bytes + fits;
        parts += whole;
        n -= whole;
    }
    return rc;
}

/* This rank's share, in chunks; all ranks take the same number of them. */
static int sum_share(struct gf_ranks *r, int64_t at, struct gf_span share, int64_t most,
                     uint32_t *crc) {
    char *data = malloc(CHUNK);
    int rc = gf_ranks_agree(r, data ? 0 : gf_fail(GF_ENOMEM, "out of memory"));
    for (int64_t done = 0; done < most && !rc; done += CHUNK) {
        const int64_t left = share.count > done ? share.count - done : 0;
        const struct gf_file_part part = {at + share.first + done, left < CHUNK ? left : CHUNK};
        rc = gf_ranks_read(r, &part, part.bytes > 0, data);
        rc = gf_ranks_agree(r, rc);
        if (!rc)
            *crc = (uint32_t)crc32_z(*crc, (unsigned char *)data, (size_t)part.bytes);
    }
    free(data);
    return rc;
}

int gf_file_crc(struct gf_ranks *r, const char *path, int64_t at, int64_t bytes, uint32_t *crc) {
    uint32_t own = 0, *all = malloc((size_t)r->size * sizeof *all);
    uLong total = 0;
    int rc = gf_ranks_agree(r, all ? 0 : gf_fail(GF_ENOMEM, "out of memory"));
    if (!rc)
        rc = gf_ranks_open_file(r, path, false);
    if (!rc) {
        rc = sum_share(r, at, gf_slab_share(bytes, r->size, r->rank), bytes / r->size + 1, &own);
        rc = gf_ranks_close_file(r, rc);
    }
    if (!rc)
        rc = gf_ranks_gather(r, &own, sizeof own, all);
    for (int i = 0; i < r->size && !rc; i++)
        total = crc32_combine(total, all[i], (z_off_t)gf_slab_share(bytes, r->size, i).count);
    *crc = (uint32_t)total;
    free(all);
    return rc;
}
