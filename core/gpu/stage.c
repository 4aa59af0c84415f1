/* Cuts arrays into pieces and copies them through page-locked buffers. */
#include "core/gpu/stage.h"

#include <omp.h>
#include <stdlib.h>

#include "core/base/value/pages.h"
#include "core/base/value/status.h"

/* Copying a piece of 4 MiB takes some 80 us on the fastest buses, 5 us of them to start; larger
 * pieces take longer to lock. */
enum { PIECE = 4 << 20, LEAST_STAGED = 1 << 20, MOST_THREADS = 16, FIRST_MARK = 2 };
/* Threads that pack a piece: more wait for each other longer than they save, but for large
 * downloads, which write new memory. Measured on an H200's 16 cores: 1 GiB goes up in 36 ms by 4, 43
 * by 8, 45 by 16, 61 by 2, and comes down in 84 by 4, 62 by 16. */
enum { PACKERS = 4, LARGE = 256 << 20 };
/* Bytes of a new array to populate at a time, before pieces are unpacked into it. */
enum { AHEAD = 32 << 20 };

struct gf_gpu_stage {
    const struct gf_gpu *api;
    void *gpu;
    bool plain; /* page-locked memory does not help, or is exhausted */
    int threads;
    void *pinned[2];
};

/* Iterates over an array in pieces of at most PIECE bytes, in the order of its packed elements. */
struct pieces {
    struct gf_array array; /* of as few axes as possible */
    int axis;              /* cut into pieces; axes before it are cut into single steps */
    int64_t step, below;   /* a piece's extent along `axis`; bytes of one step */
    int64_t outer, at;     /* the next piece: steps along all axes before `axis`, and along it */
    int64_t bytes;         /* the whole */
};

struct piece {
    struct gf_array array;
    int64_t offset, bytes; /* in the packed whole */
};

/* ---- pieces ---- */

/* Returns a view that merges axes contiguous with each other. */
static struct gf_array merged(const struct gf_array *a) {
    struct gf_array m = {.dtype = a->dtype, .data = a->data};
    for (int i = 0; i < a->rank; i++) {
        if (a->shape[i] == 1)
            continue;
        if (!m.rank || m.stride[m.rank - 1] != a->shape[i] * a->stride[i])
            m.shape[m.rank++] = 1;
        m.shape[m.rank - 1] *= a->shape[i];
        m.stride[m.rank - 1] = a->stride[i];
    }
    if (m.rank)
        return m;
    m.shape[m.rank] = 1;
    m.stride[m.rank++] = (int64_t)gf_dtype_size(m.dtype);
    return m;
}

static struct pieces cut(const struct gf_array *a) {
    struct pieces p = {.array = merged(a), .below = (int64_t)gf_dtype_size(a->dtype)};
    p.bytes = p.below * gf_array_count(a);
    for (p.axis = p.array.rank - 1; p.axis; p.axis--) {
        if (p.below * p.array.shape[p.axis] > PIECE)
            break;
        p.below *= p.array.shape[p.axis];
    }
    p.step = PIECE / p.below;
    return p;
}

static bool is_dense(const struct pieces *p) {
    return p->array.rank == 1 && p->array.stride[0] == (int64_t)gf_dtype_size(p->array.dtype);
}

/* False after the last piece. */
static bool next(struct pieces *p, struct piece *out) {
    int64_t rest = p->outer, extent = p->array.shape[p->axis];
    int64_t count = extent - p->at < p->step ? extent - p->at : p->step;
    out->array = p->array;
    for (int i = p->axis - 1; i >= 0; i--) {
        out->array = gf_array_slice(&out->array, i, rest % p->array.shape[i], 1);
        rest /= p->array.shape[i];
    }
    if (rest)
        return false;
    out->array = gf_array_slice(&out->array, p->axis, p->at, count);
    out->offset = (p->outer * extent + p->at) * p->below;
    out->bytes = count * p->below;
    p->at += count;
    if (p->at == extent) {
        p->at = 0;
        p->outer++;
    }
    return true;
}

static int packers(const struct gf_gpu_stage *s, bool unpack, int64_t bytes) {
    return (unpack && bytes >= LARGE) || s->threads < PACKERS ? s->threads : PACKERS;
}

/* Packs or unpacks a piece, dividing the cut axis among threads. */
static void pack(const struct pieces *p, const struct piece *piece, char *packed, bool unpack,
                 int threads) {
    int64_t extent = piece->array.shape[p->axis];
    int parts = extent < threads ? (int)extent : threads;
#pragma omp parallel for num_threads(parts) schedule(static) if (piece->bytes > LEAST_STAGED)
    for (int i = 0; i < parts; i++) {
        int64_t first = extent * i / parts, end = extent * (i + 1) / parts;
        struct gf_array part = gf_array_slice(&piece->array, p->axis, first, end - first);
        struct gf_array dense =
            gf_array_wrap(packed + first * p->below, part.dtype, part.rank, part.shape);
        if (unpack)
            gf_array_copy(&part, &dense);
        else
            gf_array_copy(&dense, &part);
    }
}

/* ---- buffers ---- */

int gf_gpu_stage_open(const struct gf_gpu *api, void *gpu, bool plain, int threads,
                      struct gf_gpu_stage **stage) {
    struct gf_gpu_stage *s = calloc(1, sizeof *s);
    *stage = s;
    if (!s)
        return gf_no_memory();
    s->api = api;
    s->gpu = gpu;
    s->plain = plain;
    s->threads = threads > 0 ? threads : omp_get_max_threads();
    if (s->threads > MOST_THREADS)
        s->threads = MOST_THREADS;
    return 0;
}

static void unpin(struct gf_gpu_stage *s) {
    for (int i = 0; i < 2; i++) {
        if (s->pinned[i])
            s->api->unpin(s->gpu, s->pinned[i]);
        s->pinned[i] = NULL;
    }
}

void gf_gpu_stage_close(struct gf_gpu_stage *s) {
    if (!s)
        return;
    if (s->pinned[0])
        s->api->sync(s->gpu); /* the last upload may still be reading */
    unpin(s);
    free(s);
}

static bool take_pinned(struct gf_gpu_stage *s) {
    for (int i = 0; i < 2 && !s->plain; i++)
        if (!s->pinned[i] && s->api->pin(s->gpu, PIECE, &s->pinned[i]))
            s->plain = true; /* do not try again */
    if (s->plain)
        unpin(s);
    return !s->plain;
}

static bool is_locked(const struct gf_gpu_stage *s, const struct pieces *p) {
    return is_dense(p) && s->api->is_locked && s->api->is_locked(s->gpu, p->array.data, p->bytes);
}

/* Sets room[] to two buffers for pieces: page-locked, or in *own, which the caller frees; NULL if
 * the array can be copied directly. */
static int take_room(struct gf_gpu_stage *s, const struct pieces *p, char *room[2], char **own) {
    *own = room[0] = room[1] = NULL;
    if (p->bytes > LEAST_STAGED && !is_locked(s, p) && take_pinned(s)) {
        room[0] = s->pinned[0];
        room[1] = s->pinned[1];
        return 0;
    }
    if (is_dense(p))
        return 0;
    size_t each = (size_t)(p->bytes < PIECE ? p->bytes : PIECE);
    *own = malloc(2 * each);
    if (!*own)
        return gf_fail(GF_ENOMEM, "no memory to pack an array");
    room[0] = *own;
    room[1] = *own + each;
    return 0;
}

/* ---- copies ---- */

/* Populates several pieces at once, as one piece has fewer huge pages than there are threads. */
static void clear_ahead(const struct gf_gpu_stage *s, const struct pieces *p, int64_t offset) {
    const int64_t bytes = p->bytes - offset < AHEAD ? p->bytes - offset : AHEAD;
    if (is_dense(p) && offset % AHEAD == 0 && bytes > PIECE)
        gf_populate((char *)p->array.data + offset, (size_t)bytes, packers(s, true, p->bytes));
}

int gf_gpu_stage_upload(struct gf_gpu_stage *s, struct gf_gpu_buffer *to,
                        const struct gf_array *from) {
    struct pieces p = cut(from);
    struct piece piece;
    char *room[2], *own;
    int rc = take_room(s, &p, room, &own);
    if (rc || !room[0])
        return rc ? rc : s->api->upload(s->gpu, to, 0, p.array.data, p.bytes);
    for (int k = 0; !rc && next(&p, &piece); k ^= 1) {
        rc = s->api->reach(s->gpu, FIRST_MARK + k); /* this buffer's last copy is done */
        if (rc)
            break;
        pack(&p, &piece, room[k], false, packers(s, false, p.bytes));
        rc = s->api->upload(s->gpu, to, piece.offset, room[k], piece.bytes);
        if (!rc)
            rc = s->api->mark(s->gpu, FIRST_MARK + k);
    }
    free(own); /* uploads from pageable memory have ended */
    return rc;
}

int gf_gpu_stage_download(struct gf_gpu_stage *s, struct gf_array *to,
                          const struct gf_gpu_buffer *from) {
    struct pieces p = cut(to);
    struct piece piece[2];
    char *room[2], *own;
    int rc = take_room(s, &p, room, &own), last = 0;
    if (!rc && !room[0])
        rc = s->api->download(s->gpu, p.array.data, from, 0, p.bytes);
    /* The device copies piece k while the previous piece is unpacked from the other buffer. */
    bool more = !rc && room[0] && next(&p, &piece[0]), before = false;
    for (int k = 0; !rc && (more || before); k ^= 1) {
        if (more)
            rc = s->api->download(s->gpu, room[k], from, piece[k].offset, piece[k].bytes);
        if (more && !rc)
            rc = s->api->mark(s->gpu, FIRST_MARK + k);
        if (before && !rc) {
            clear_ahead(s, &p, piece[!k].offset);
            rc = s->api->reach(s->gpu, FIRST_MARK + !k);
        }
        if (before && !rc)
            pack(&p, &piece[!k], room[!k], true, packers(s, true, p.bytes));
        before = more;
        more = more && next(&p, &piece[!k]);
    }
    last = s->api->sync(s->gpu);
    free(own);
    return rc ? rc : last;
}
