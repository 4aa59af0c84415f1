/* Sources and sinks of bytes. A sink never leaves half a file behind. The program must ignore
 * SIGPIPE, so that writing into a pipe without a reader returns an error. */
#ifndef GF_FORMATS_IO_H
#define GF_FORMATS_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stat;

/* An input: a file, a pipe or memory. Always seekable: a pipe is kept in memory once a reader seeks
 * back or asks for the size. */
struct gf_source;
int gf_source_open(const char *path, struct gf_source **out); /* "-": stdin */
/* For tests; borrows the data. */
int gf_source_open_memory(const void *data, size_t size, struct gf_source **out);
/* Opens another source at the start of the same open file or memory, even if the path has been
 * replaced. Borrows from `s`. GF_EIO for a pipe that is not entirely in memory. */
int gf_source_again(const struct gf_source *s, struct gf_source **out);
/* The same, but it may outlive `s` and is read forward only. *out is NULL for pipes and memory. */
int gf_source_keep(const struct gf_source *s, struct gf_source **out);
/* Opens a source on the first `size` bytes of an open file. Borrows the descriptor. */
int gf_source_open_fd(int fd, int64_t size, struct gf_source **out);
/* Makes *s, at its start, a source of the bytes that its gzip stream decodes to, which is like a
 * pipe. */
int gf_source_inflate(struct gf_source **s);
/* Reads a regular file into *data, which the caller frees; NULL if there is none. If it has more than
 * `most` bytes, *n is most + 1. A failure of stat() is reported as `what`. */
int gf_source_load(const char *path, const char *what, int64_t most, char **data, int64_t *n);
/* True if `path` no longer leads to the open file. */
bool gf_source_is_replaced(const struct gf_source *s, const char *path);
void gf_source_close(struct gf_source *s);
/* Reads up to n bytes; fewer only at the end. Returns the count, or a negative status. */
int64_t gf_source_read(struct gf_source *s, void *buffer, size_t n);
/* Reads one byte; -1 at the end, or a status below that. */
int gf_source_byte(struct gf_source *s);
/* Reads n bytes or fails with GF_EFORMAT "unexpected end of file". */
int gf_source_read_exactly(struct gf_source *s, void *buffer, size_t n);
/* Reads up to n <= 64 KiB bytes without consuming them; returns the count or a negative status. */
int64_t gf_source_peek(struct gf_source *s, void *buffer, size_t n);
int gf_source_seek(struct gf_source *s, int64_t position);
/* Reads a gzip stream on to its end, which checks the checksum; nothing can be read afterwards unless
 * all of it is in memory. Does nothing to other sources. */
int gf_source_end_stream(struct gf_source *s);
int64_t gf_source_tell(const struct gf_source *s);
/* Hints that the next n bytes will be read next, so that the system can prefetch them. */
void gf_source_expect(const struct gf_source *s, int64_t n);
int64_t gf_source_size(struct gf_source *s);
/* The size if it is known without reading on, else -1 (a pipe). */
int64_t gf_source_known_size(const struct gf_source *s);
/* GF_EIO if the file's length has changed since it was opened. */
int gf_source_check_size(const struct gf_source *s);
/* Promises never to seek back, so that a pipe's bytes need not be kept. */
void gf_source_forward(struct gf_source *s);
/* The most threads for one large read of a file; initially one. */
void gf_source_set_threads(struct gf_source *s, int threads);
/* The most bytes of a pipe to keep in memory; 0, the initial value: no limit. */
void gf_source_limit(struct gf_source *s, int64_t bytes);

/* True for "-", a pipe or a device, but not for a new file. */
bool gf_path_is_stream(const char *path);
/* The length of the file's own path in "FILE[PART]"; 0 if there is a file of that whole name, or none
 * of the name before the bracket. */
size_t gf_path_part(const char *path);
/* stat() of an input: of the file itself for "FILE[PART]". */
int gf_path_stat(const char *path, struct stat *st);
/* The path of the samples (.img) of a NIfTI header (.hdr), or of the header of such samples, whether
 * or not there is a file; both may end with .gz. *out is NULL for another suffix; the caller frees it. */
int gf_path_partner(const char *path, char **out);
/* Makes FILE.img FILE.hdr, in place. */
void gf_path_to_header(char *path);

/* An output. A regular file is written to a temporary in the same folder (unnamed if the file
 * system supports that; with the umask's mode). gf_sink_commit() flushes it, checks the result of
 * close(), and links or renames it to its path; gf_sink_abort() removes it. Symbolic links are
 * resolved first. stdout, devices and FIFOs are written to directly (buffered, in order). */
struct gf_sink;
int gf_sink_open(const char *path, bool clobber, struct gf_sink **out); /* "-": stdout */
/* The same for one of several versions of a file, all of which are prepared before the first is
 * renamed. The caller must have called gf_guard_open() for the file once. */
int gf_sink_open_version(const char *path, bool clobber, struct gf_sink **out);
int gf_sink_write(struct gf_sink *s, const void *data, size_t n);
/* Writes to a position of a file (or /dev/null), bypassing the buffer. Several threads may do so at
 * once for disjoint ranges; afterwards one thread at a time reports the end with
 * gf_sink_extend(). */
int gf_sink_write_at(const struct gf_sink *s, int64_t at, const void *data, size_t n);
void gf_sink_extend(struct gf_sink *s, int64_t end);
/* True if `path` is /dev/null, which can be written to at any position. */
bool gf_sink_goes_nowhere(const char *path);
/* For formats that seek back (TIFF): an unseekable sink keeps everything in memory until commit. */
int gf_sink_seek(struct gf_sink *s, int64_t position);
int64_t gf_sink_tell(const struct gf_sink *s);
int64_t gf_sink_size(const struct gf_sink *s);
/* Packs all that is written from here on into a gzip stream, of the same bytes each time; no
 * seeking. gf_sink_tell() counts unpacked bytes. */
int gf_sink_deflate(struct gf_sink *s, int level);
/* Reads back what was written (libtiff does); returns the count or a negative status. */
int64_t gf_sink_read(struct gf_sink *s, void *buffer, size_t n);
/* Announces that the writer will seek back. Call it before the first write. */
void gf_sink_keep(struct gf_sink *s);
/* Computes the CRC-32 of everything written from here on, in order, on `threads` threads. */
void gf_sink_checksum(struct gf_sink *s, int threads);
/* Sets that checksum if the caller knows it. */
void gf_sink_set_crc32(struct gf_sink *s, uint32_t crc);
/* The CRC-32 of all bytes; reads a file back if it was not computed while writing. */
int gf_sink_crc32(struct gf_sink *s, int threads, uint32_t *out);
/* Lets other processes write into the file: `bytes` more after its end or, if 0, into its gaps.
 * Flushes, reserves space if the file system can, and sets *path to the temporary's path, which
 * the sink owns. Not for streams. */
int gf_sink_lend(struct gf_sink *s, int64_t bytes, const char **path);
/* Opens a lent file in another process, for gf_sink_write_at(), gf_sink_seek() and gf_sink_write().
 * gf_sink_commit() and gf_sink_abort() only close it. */
int gf_sink_join(const char *path, struct gf_sink **out);
/* Makes everything written visible to other processes. */
int gf_sink_show(struct gf_sink *s);
/* The other processes have written `bytes` with this CRC-32. GF_EIO if the file is shorter. */
int gf_sink_take_back(struct gf_sink *s, int64_t bytes, uint32_t crc);
/* True if commit renames the output into place, false for a stream. */
bool gf_sink_is_file(const struct gf_sink *s);
/* Syncs every file to disk before it is renamed; initially off. Call it before starting threads. */
void gf_sink_sync(bool on);
/* Does everything that commit does before the rename, so that replacing an existing file (or, with
 * `replaces`, one that will exist by then) needs no more disk space. */
int gf_sink_finish(struct gf_sink *s, bool replaces);
int gf_sink_commit(struct gf_sink *s); /* always frees the sink */
void gf_sink_abort(struct gf_sink *s); /* removes the temporary; NULL is fine */

/* Removes all temporaries and prevents new ones. Async-signal-safe, for the handler of INT, TERM
 * and HUP. */
void gf_sink_remove_temporaries(void);

/* Reads up to n bytes at a position of a file; fewer only at its end or after a failure, with errno. */
size_t gf_read_at(int fd, void *to, size_t n, int64_t at);
/* Writes n bytes there, or at the end of a stream (-1); false after a failure, with errno. */
bool gf_write_at(int fd, const void *data, size_t n, int64_t at);
/* open() with O_CLOEXEC that retries after EINTR. Creates no files. */
int gf_open(const char *path, int flags);

/* gf_fail() with the text of errno: "`what`: no space left on device", or the text alone if `what`
 * is NULL. Control characters in `what` become '?'. */
int gf_fail_errno(int code, const char *what);
/* Copies a message into n bytes: truncated, on one line, with ? for control characters. */
char *gf_clean_text(char *buffer, size_t n, const char *text);

#endif
