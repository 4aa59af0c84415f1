/* Rows on their way past the caches. They are written to a buffer in the nearest cache, where
 * neither their alignment nor their order matters, and from there in whole cache lines, in the order
 * of their addresses: a partial line written past the caches costs as much as several whole ones. */
#ifndef GF_KERNELS_CPU_ROW_WRITER_H
#define GF_KERNELS_CPU_ROW_WRITER_H

enum { CACHE_LINE = 64 };

/* buffer[begun .. end) goes to `to` and on; `begun` is as far from a cache line's start as `to` is.
 */
struct row_writer {
    char *to, *buffer;
    size_t begun, end;
};

/* `buffer` is aligned to cache lines. */
static void writer_begin(struct row_writer *w, char *buffer, char *to) {
    size_t offset = (uintptr_t)to % CACHE_LINE;
    *w = (struct row_writer){.to = to, .buffer = buffer, .begun = offset, .end = offset};
}

/* Where the next `bytes` bytes are to be written before the next call. */
INLINE char *writer_room(struct row_writer *w, size_t bytes) {
    char *at = w->buffer + w->end;
    w->end += bytes;
    return at;
}

/* Writes the whole cache lines, and keeps what follows them. */
static void writer_flush(struct row_writer *w) {
    const size_t full = w->end / CACHE_LINE * CACHE_LINE;
    size_t at = w->begun;
    if (!full)
        return;
    if (at) {
        memcpy(w->to, w->buffer + at, CACHE_LINE - at);
        w->to += CACHE_LINE - at;
        at = CACHE_LINE;
    }
    for (; at < full; at += sizeof(vec), w->to += sizeof(vec))
        vec_stream(w->to, *(const vec *)(w->buffer + at));
    for (size_t i = full; i < w->end; i += sizeof(vec))
        *(vec *)(w->buffer + i - full) = *(const vec *)(w->buffer + i);
    w->begun = 0;
    w->end -= full;
}

static void writer_end(struct row_writer *w) {
    writer_flush(w);
    memcpy(w->to, w->buffer + w->begun, w->end - w->begun);
}

#endif
