/* Rows that bypass the caches regardless of alignment. They are written to a buffer in the nearest
 * cache, and from there in whole vectors, in address order, a little at a time while the next rows
 * are computed. Memory accesses and arithmetic overlap, and no old contents are fetched. */
#ifndef GF_KERNELS_CPU_ROW_WRITER_H
#define GF_KERNELS_CPU_ROW_WRITER_H

/* buffer[sent .. end) is bound for `to`, in whole vectors up to `ready`. Offsets and addresses are
 * equal modulo WRITER_UNIT. */
struct row_writer {
    char *to, *buffer;
    size_t sent, ready, end;
};
enum { WRITER_UNIT = sizeof(cvec) };

/* `buffer` is aligned to WRITER_UNIT. */
static void writer_begin(struct row_writer *w, char *buffer, char *to) {
    size_t offset = (uintptr_t)to % WRITER_UNIT;
    *w = (struct row_writer){.to = to, .buffer = buffer, .sent = offset, .end = offset};
}

/* Writes a unit, if one is ready. */
INLINE void writer_step(struct row_writer *w) {
    if (w->sent >= w->ready)
        return;
    const vec *from = (const vec *)(w->buffer + w->sent);
    vec_stream(w->to, from[0]);
    vec_stream(w->to + sizeof(vec), from[1]);
    w->sent += WRITER_UNIT;
    w->to += WRITER_UNIT;
}

static void writer_copy(struct row_writer *w, size_t bytes) {
    memcpy(w->to, w->buffer + w->sent, bytes);
    w->to += bytes;
    w->sent += bytes;
}

/* Returns the place for the next bytes, to be filled before writer_add(). Writes pending ones
 * first: the buffer has room for one call's. */
static char *writer_room(struct row_writer *w) {
    while (w->sent < w->ready)
        writer_step(w);
    if (w->ready) {
        memmove(w->buffer, w->buffer + w->sent, w->end - w->sent);
        w->end -= w->sent;
        w->sent = w->ready = 0;
    }
    return w->buffer + w->end;
}

static void writer_add(struct row_writer *w, size_t bytes) {
    const size_t head = -w->sent % WRITER_UNIT;
    w->end += bytes;
    if (w->end - w->sent < head)
        return;
    writer_copy(w, head);
    w->ready = w->end / WRITER_UNIT * WRITER_UNIT;
}

static void writer_end(struct row_writer *w) {
    writer_room(w);
    writer_copy(w, w->end - w->sent);
}

#endif
