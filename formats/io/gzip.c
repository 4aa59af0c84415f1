/* Decodes gzip streams with zlib, see gzip.h. */
#include "formats/io/gzip.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "core/base/value/status.h"

enum { PIECE = 1 << 16, GZIP_ONLY = 16 + MAX_WBITS };

struct gf_gzip {
    int64_t (*read)(void *from, void *to, size_t n);
    void *from;
    z_stream z;
    bool begun; /* within a stream */
    bool ended; /* behind a stream */
    unsigned char piece[PIECE];
};

int gf_gzip_open(int64_t (*read)(void *from, void *to, size_t n), void *from,
                 struct gf_gzip **out) {
    struct gf_gzip *g = *out = calloc(1, sizeof *g);
    if (!g || inflateInit2(&g->z, GZIP_ONLY) != Z_OK) {
        free(g);
        *out = NULL;
        return gf_no_memory();
    }
    g->read = read;
    g->from = from;
    return GF_OK;
}

/* Returns 1 if there is input, 0 at its end, or a negative status. */
static int fill(struct gf_gzip *g) {
    if (g->z.avail_in)
        return 1;
    const int64_t got = g->read(g->from, g->piece, PIECE);
    g->z.next_in = g->piece;
    g->z.avail_in = got > 0 ? (uInt)got : 0;
    return got < 0 ? (int)got : got > 0;
}

/* Begins the next stream, if there is one; zeros behind a stream fill a block of a tape. Returns as
 * fill() does. */
static int begin(struct gf_gzip *g) {
    int more = fill(g);
    while (more > 0 && g->ended && !*g->z.next_in) {
        g->z.next_in++;
        g->z.avail_in--;
        more = fill(g);
    }
    if (more > 0 && g->ended && *g->z.next_in != 0x1f)
        return gf_fail(GF_EFORMAT, "broken gzip: other bytes follow it");
    if (more > 0 && inflateReset(&g->z) != Z_OK)
        return gf_fail(GF_EFORMAT, "broken gzip");
    g->begun = more > 0;
    return more;
}

int64_t gf_gzip_read(struct gf_gzip *g, void *to, size_t n) {
    g->z.next_out = to;
    g->z.avail_out = (uInt)(n < 1u << 30 ? n : 1u << 30);
    const uInt wanted = g->z.avail_out;
    while (g->z.avail_out == wanted) {
        const int more = g->begun ? fill(g) : begin(g);
        if (more < 0)
            return more;
        if (!more)
            return g->begun ? gf_fail(GF_EFORMAT, "broken gzip: it ends early") : 0;
        const int rc = inflate(&g->z, Z_NO_FLUSH);
        if (rc == Z_MEM_ERROR)
            return gf_no_memory();
        if (rc != Z_OK && rc != Z_STREAM_END)
            return gf_fail(GF_EFORMAT, "broken gzip: %s", g->z.msg ? g->z.msg : "bad data");
        g->ended = rc == Z_STREAM_END;
        g->begun = !g->ended;
    }
    return wanted - g->z.avail_out;
}

void gf_gzip_close(struct gf_gzip *g) {
    if (!g)
        return;
    inflateEnd(&g->z);
    free(g);
}
