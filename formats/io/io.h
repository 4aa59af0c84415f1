/* Sources and sinks of bytes. A sink never leaves half a file behind. The program must ignore
 * SIGPIPE, so that writing into a pipe without a reader is an error status. */
#ifndef GF_FORMATS_IO_H
#define GF_FORMATS_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An input: a file, a pipe or memory. It is always seekable: a pipe is kept in memory once a reader
 * seeks back or asks for the size. */
struct gf_source;
int gf_source_open(const char *path, struct gf_source **out);                     /* "-": stdin */
int gf_source_open_memory(const void *data, size_t size, struct gf_source **out); /* borrows */
/* Opens another source on the same open file or memory, at its start, whatever the path leads to by
 * now. Borrows from `s`. GF_EIO for a pipe that is not wholly in memory. */
int gf_source_again(const struct gf_source *s, struct gf_source **out);
/* Opens one on the first `size` bytes of an open file. Borrows the descriptor. */
int gf_source_open_fd(int fd, int64_t size, struct gf_source **out);
/* True if `path` now leads to another file than the open one. */
bool gf_source_is_replaced(const struct gf_source *s, const char *path);
void gf_source_close(struct gf_source *s);
/* Reads up to n bytes; fewer only at the end. Returns the count, or a negative status. */
int64_t gf_source_read(struct gf_source *s, void *buffer, size_t n);
/* Reads n bytes or fails with GF_EFORMAT "unexpected end of file". */
int gf_source_read_exactly(struct gf_source *s, void *buffer, size_t n);
/* The next n bytes without consuming them (n <= 64 KiB); returns how many there are. */
int64_t gf_source_peek(struct gf_source *s, void *buffer, size_t n);
int gf_source_seek(struct gf_source *s, int64_t position);
int64_t gf_source_tell(const struct gf_source *s);
/* The n bytes from here on will be read next: the system may fetch them meanwhile. */
void gf_source_expect(const struct gf_source *s, int64_t n);
int64_t gf_source_size(struct gf_source *s);
/* The size if it is known without reading on, -1 for a pipe. */
int64_t gf_source_known_size(const struct gf_source *s);
/* GF_EIO where a file that is open has become longer or shorter since. */
int gf_source_check_size(const struct gf_source *s);
/* The reader promises not to go back: from here on a pipe's bytes are not kept. */
void gf_source_forward(struct gf_source *s);
/* How many threads may read a large part of a file; 0 (the start): one. */
void gf_source_set_threads(struct gf_source *s, int threads);
/* Bytes a pipe may take while it is kept in memory; 0 (the start): no limit. */
void gf_source_limit(struct gf_source *s, int64_t bytes);

/* An output. A regular file is written to a temporary in its folder (without a name where the file
 * system makes such files; the umask's mode), and gf_sink_commit() flushes it, checks what closing
 * it reports, and links or renames it to its place; gf_sink_abort() removes it. Symbolic links are
 * resolved first. stdout, devices and FIFOs are written through (buffered, in order). */
struct gf_sink;
int gf_sink_open(const char *path, bool clobber, struct gf_sink **out); /* "-": stdout */
/* The same for one of several versions of a file of which all are prepared before the first is
 * renamed: gf_guard_open() has been asked about the file once. */
int gf_sink_open_version(const char *path, bool clobber, struct gf_sink **out);
int gf_sink_write(struct gf_sink *s, const void *data, size_t n);
/* Past the buffer to a place of a file (or /dev/null), by several threads at once where their
 * places differ. The sink is told the end of what was so written, by one thread at a time. */
int gf_sink_write_at(const struct gf_sink *s, int64_t at, const void *data, size_t n);
void gf_sink_extend(struct gf_sink *s, int64_t end);
/* Whether an output at this path is /dev/null, in which any position may be written to. */
bool gf_sink_goes_nowhere(const char *path);
/* For formats that go back (TIFF): a sink that cannot seek keeps all in memory until commit. */
int gf_sink_seek(struct gf_sink *s, int64_t position);
int64_t gf_sink_tell(const struct gf_sink *s);
int64_t gf_sink_size(const struct gf_sink *s);
/* Reads back what was written (libtiff does); returns the count or a negative status. */
int64_t gf_sink_read(struct gf_sink *s, void *buffer, size_t n);
/* Announces that the writer will go back; to be called before the first write. */
void gf_sink_keep(struct gf_sink *s);
/* Sums up (zlib's crc32, on that many threads) what is written from here on, in order. */
void gf_sink_checksum(struct gf_sink *s, int threads);
/* Sets that sum, if it is known without reading back. */
void gf_sink_set_crc32(struct gf_sink *s, uint32_t crc);
/* The sum of all bytes; a file that was not summed up in writing is read back for it. */
int gf_sink_crc32(struct gf_sink *s, int threads, uint32_t *out);
/* For other processes that write `bytes` more into the file, from the size on, or with 0 into gaps
 * that were left: what was written so far is in it, there is room for the rest where the file
 * system can tell, and *path is that of the temporary, the sink's own. Not of a stream. */
int gf_sink_lend(struct gf_sink *s, int64_t bytes, const char **path);
/* Such a file in another process: for gf_sink_write_at(), gf_sink_seek() and gf_sink_write(), until
 * gf_sink_commit() or gf_sink_abort(), which close it and leave it where it is. */
int gf_sink_join(const char *path, struct gf_sink **out);
/* Makes what was written visible to other processes. */
int gf_sink_show(struct gf_sink *s);
/* They have written these bytes, whose crc32 this is. GF_EIO where the file is not that long. */
int gf_sink_take_back(struct gf_sink *s, int64_t bytes, uint32_t crc);
/* True for an output that commit renames into place, false for what is written through. */
bool gf_sink_is_file(const struct gf_sink *s);
/* From here on every file is on its disk before it is renamed; off at the start. Before any thread. */
void gf_sink_sync(bool on);
/* Does all of a commit but putting a file in its place, which needs no more room on the disk where
 * it replaces another: one that is there now, or with `replaces` one that will be there. */
int gf_sink_finish(struct gf_sink *s, bool replaces);
int gf_sink_commit(struct gf_sink *s); /* frees the sink in any case */
void gf_sink_abort(struct gf_sink *s); /* removes the temporary; NULL is fine */

/* Removes every temporary that is open, and lets none be made any more; async-signal-safe, for the
 * handler of INT, TERM, HUP. */
void gf_sink_remove_temporaries(void);

/* open() that continues after a signal; O_CLOEXEC is added. Makes no files. */
int gf_open(const char *path, int flags);

/* gf_fail() with the cause that errno names: "`what`: no space left on device", or the cause alone
 * when `what` is NULL. Control characters in `what` become '?'. */
int gf_fail_errno(int code, const char *what);
/* Copies text into a buffer of n bytes for a message: one line, no control characters, cut short. */
char *gf_clean_text(char *buffer, size_t n, const char *text);

#endif
