/* Where bytes come from and go to. A sink never leaves half a file behind. */
#ifndef GF_FORMATS_IO_H
#define GF_FORMATS_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An input: a file, a pipe or memory. Seekable always: a pipe is kept in memory once a reader asks
 * to go back or for the size. */
struct gf_source;
int gf_source_open(const char *path, struct gf_source **out);                     /* "-": stdin */
int gf_source_open_memory(const void *data, size_t size, struct gf_source **out); /* borrows */
void gf_source_close(struct gf_source *s);
/* Reads up to n bytes; fewer only at the end. Returns the count, or a negative status. */
int64_t gf_source_read(struct gf_source *s, void *buffer, size_t n);
/* Reads n bytes or fails with GF_EFORMAT "unexpected end of file". */
int gf_source_read_exactly(struct gf_source *s, void *buffer, size_t n);
/* The next n bytes without consuming them (n <= 64 KiB); returns how many there are. */
int64_t gf_source_peek(struct gf_source *s, void *buffer, size_t n);
int gf_source_seek(struct gf_source *s, int64_t position);
int64_t gf_source_tell(const struct gf_source *s);
int64_t gf_source_size(struct gf_source *s);

/* An output. A regular file is written to a temporary beside it (O_EXCL, the umask's mode), and
 * gf_sink_commit() flushes, closes and renames it; gf_sink_abort() removes it. Symbolic links are
 * resolved first. stdout, devices and FIFOs are written through (buffered, in order). */
struct gf_sink;
int gf_sink_open(const char *path, bool clobber, struct gf_sink **out); /* "-": stdout */
int gf_sink_write(struct gf_sink *s, const void *data, size_t n);
/* For formats that go back (TIFF): a sink that cannot seek keeps all in memory until commit. */
int gf_sink_seek(struct gf_sink *s, int64_t position);
int64_t gf_sink_tell(const struct gf_sink *s);
int64_t gf_sink_size(const struct gf_sink *s);
/* Reads back what was written (libtiff does); returns the count or a negative status. */
int64_t gf_sink_read(struct gf_sink *s, void *buffer, size_t n);
int gf_sink_commit(struct gf_sink *s); /* frees the sink in any case */
void gf_sink_abort(struct gf_sink *s); /* ditto; NULL is fine */

/* Removes every temporary that is open; async-signal-safe, for the handler of INT, TERM, HUP. */
void gf_sink_remove_temporaries(void);

#endif
