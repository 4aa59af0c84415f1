/* Outputs: a temporary that is renamed into place, or a stream. */
#include "formats/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/value/array.h"
#include "core/base/value/status.h"
#include "formats/checksum.h"
#include "formats/io/guard.h"
#include "formats/io/temporary.h"

enum { BUFFER = 64 * 1024, NO_SLOT = -1 };

struct gf_sink {
    int fd;
    int slot; /* of the temporary; NO_SLOT for a stream */
    bool clobber;
    bool joined;  /* another process' temporary */
    bool nowhere; /* /dev/null: any position is fine */
    bool keep;    /* a stream whose writer seeks back: the buffer holds all of it */
    bool summing; /* crc follows the writes */
    int sum_threads;
    bool settled; /* see settle() */
    int failed;   /* the first failure's status; nothing is written after it */
    char *name;   /* as the user gave it, for messages */
    char *target;
    unsigned char *buffer; /* the bytes [buffer_at, buffer_at + n), not yet written */
    int64_t buffer_at;
    size_t n, capacity;
    int64_t position, size;
    int64_t lent; /* the size before other processes wrote */
    uint32_t crc;
    z_stream *deflate; /* NULL, or what is written is packed by it */
};

static bool is_synced;

void gf_sink_sync(bool on) {
    is_synced = on;
}

static int errno_of_write(const struct gf_sink *s) {
    char what[160];
    snprintf(what, sizeof what, "cannot write '%.120s'", s->name);
    return gf_fail_errno(GF_EIO, what);
}

static int fail_write(struct gf_sink *s) {
    return s->failed = errno_of_write(s);
}

static int open_stream(struct gf_sink *s, const char *path, bool is_stdout) {
    /* A duplicate, so that closing it reports the last error of a file behind stdout. */
    s->fd = is_stdout ? fcntl(gf_guard_stdout(), F_DUPFD_CLOEXEC, 3)
                      : gf_open(path, O_WRONLY | O_NOCTTY);
    return s->fd < 0 ? fail_write(s) : GF_OK;
}

static bool is_null(const struct stat *st) {
    return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

bool gf_sink_goes_nowhere(const char *path) {
    struct stat st;
    return !stat(path, &st) && is_null(&st);
}

static int open_file(struct gf_sink *s, const char *path, const struct stat *st) {
    int rc = gf_resolve_links(path, &s->target);
    if (rc)
        return rc;
    const size_t n = strlen(s->target);
    const char *slash = strrchr(s->target, '/'), *base = slash ? slash + 1 : s->target;
    /* Report these errors now, not when the rename fails after all the work. */
    errno = st && !s->clobber         ? EEXIST
            : !n                      ? ENOENT
            : !*base                  ? EISDIR
            : strlen(base) > NAME_MAX ? ENAMETOOLONG
                                      : 0;
    /* A rename would replace even a write-protected file. */
    if (errno || (st && faccessat(AT_FDCWD, s->target, W_OK, AT_EACCESS)))
        return fail_write(s);
    int slot = gf_temporary_create(s->target, st ? (int)st->st_mode : -1, &s->fd);
    if (slot < 0)
        return slot;
    s->slot = slot;
    /* Keep the owner of a file that root replaces; nobody else could set or change it. */
    if (st && geteuid() == 0 && fchown(s->fd, st->st_uid, st->st_gid))
        return fail_write(s);
    return GF_OK;
}

/* Makes a sink without an open file. */
static int new_sink(const char *path, struct gf_sink **out) {
    struct gf_sink *s = *out = calloc(1, sizeof *s);
    if (s)
        *s = (struct gf_sink){.fd = -1,
                              .slot = NO_SLOT,
                              .name = strdup(path),
                              .capacity = BUFFER,
                              .buffer = malloc(BUFFER)};
    if (s && s->name && s->buffer)
        return GF_OK;
    gf_sink_abort(s);
    *out = NULL;
    return gf_no_memory();
}

int gf_sink_open_version(const char *path, bool clobber, struct gf_sink **out) {
    struct gf_sink *s;
    struct stat st;
    int rc = new_sink(path, &s);
    *out = NULL;
    if (rc)
        return rc;
    const bool is_stdout = !strcmp(path, "-"), exists = !is_stdout && !stat(path, &st);
    s->clobber = clobber;
    s->nowhere = exists && is_null(&st);
    if (is_stdout || (exists && !S_ISREG(st.st_mode)))
        rc = open_stream(s, path, is_stdout);
    else
        rc = open_file(s, path, exists ? &st : NULL);
    if (rc)
        gf_sink_abort(s);
    else
        *out = s;
    return rc;
}

int gf_sink_open(const char *path, bool clobber, struct gf_sink **out) {
    *out = NULL;
    int rc = gf_guard_open(path);
    return rc ? rc : gf_sink_open_version(path, clobber, out);
}

int gf_sink_join(const char *path, struct gf_sink **out) {
    int rc = new_sink(path, out);
    if (rc)
        return rc;
    (*out)->joined = true;
    (*out)->fd = gf_open(path, O_WRONLY);
    if ((*out)->fd >= 0)
        return GF_OK;
    rc = fail_write(*out);
    gf_sink_abort(*out);
    *out = NULL;
    return rc;
}

/* True if bytes can be written at any position. */
static bool has_places(const struct gf_sink *s) {
    return s->slot != NO_SLOT || s->joined;
}

bool gf_write_at(int fd, const void *data, size_t n, int64_t at) {
    const unsigned char *p = data;
    while (n) {
        size_t part = n < 1 << 30 ? n : 1 << 30;
        ssize_t done = at >= 0 ? pwrite(fd, p, part, (off_t)at) : write(fd, p, part);
        if (done > 0) { /* after a short write, the next call reports the cause */
            p += done;
            n -= (size_t)done;
            at += at < 0 ? 0 : done;
        } else if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else if (done == 0 || errno != EINTR) {
            if (done == 0)
                errno = ENOSPC;
            return false;
        }
    }
    return true;
}

static int write_all(struct gf_sink *s, const unsigned char *p, size_t n, int64_t at) {
    return gf_write_at(s->fd, p, n, has_places(s) ? at : -1) ? GF_OK : fail_write(s);
}

static int flush(struct gf_sink *s) {
    int rc = write_all(s, s->buffer, s->n, s->buffer_at);
    s->buffer_at += (int64_t)s->n;
    s->n = 0;
    return rc;
}

/* Writes to a kept stream, whose buffer holds all bytes from 0 on. */
static int write_kept(struct gf_sink *s, const void *data, size_t n) {
    size_t end = (size_t)s->position + n;
    if (end > s->capacity) {
        size_t capacity = s->capacity;
        while (capacity < end)
            capacity *= 2;
        unsigned char *more = realloc(s->buffer, capacity);
        if (!more)
            return s->failed = gf_no_memory();
        s->buffer = more;
        s->capacity = capacity;
    }
    if ((size_t)s->position > s->n)
        memset(s->buffer + s->n, 0, (size_t)s->position - s->n);
    memcpy(s->buffer + s->position, data, n);
    s->n = (size_t)gf_max((int64_t)s->n, (int64_t)end);
    return GF_OK;
}

static int write_buffered(struct gf_sink *s, const void *data, size_t n) {
    int rc = GF_OK;
    if (s->position != s->buffer_at + (int64_t)s->n) {
        rc = flush(s);
        s->buffer_at = s->position;
    }
    if (!rc && s->n + n > s->capacity)
        rc = flush(s);
    if (rc)
        return rc;
    if (n >= s->capacity) {
        rc = write_all(s, data, n, s->position);
        s->buffer_at = s->position + (int64_t)n;
    } else {
        memcpy(s->buffer + s->n, data, n);
        s->n += n;
    }
    return rc;
}

static int put(struct gf_sink *s, const void *data, size_t n) {
    if (s->summing)
        s->crc = gf_crc32(s->crc, data, n, s->sum_threads);
    int rc = s->keep ? write_kept(s, data, n) : write_buffered(s, data, n);
    if (rc)
        return rc;
    s->position += (int64_t)n;
    s->size = gf_max(s->size, s->position);
    return GF_OK;
}

/* Packs bytes and writes what comes out; with Z_FINISH all of it. */
static int put_packed(struct gf_sink *s, const void *data, size_t n, int flush) {
    unsigned char packed[16 * 1024];
    z_stream *z = s->deflate;
    int rc = GF_OK;
    z->next_in = (unsigned char *)(uintptr_t)data;
    do {
        const size_t some = n < 1 << 30 ? n : 1 << 30;
        z->avail_in = (uInt)some;
        n -= some;
        do {
            z->next_out = packed;
            z->avail_out = sizeof packed;
            deflate(z, n ? Z_NO_FLUSH : flush);
            if (z->avail_out < sizeof packed)
                rc = put(s, packed, sizeof packed - z->avail_out);
        } while (!rc && !z->avail_out);
    } while (!rc && n);
    return rc;
}

int gf_sink_deflate(struct gf_sink *s, int level) {
    enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
    s->deflate = calloc(1, sizeof *s->deflate);
    if (s->deflate &&
        deflateInit2(s->deflate, level, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
        return GF_OK;
    free(s->deflate);
    s->deflate = NULL;
    return gf_no_memory();
}

int gf_sink_write(struct gf_sink *s, const void *data, size_t n) {
    if (s->failed || n == 0)
        return s->failed;
    return s->deflate ? put_packed(s, data, n, Z_NO_FLUSH) : put(s, data, n);
}

int gf_sink_write_at(const struct gf_sink *s, int64_t at, const void *data, size_t n) {
    return gf_write_at(s->fd, data, n, has_places(s) ? at : -1) ? GF_OK : errno_of_write(s);
}

void gf_sink_extend(struct gf_sink *s, int64_t end) {
    s->size = gf_max(s->size, end);
}

int gf_sink_seek(struct gf_sink *s, int64_t position) {
    if (s->failed)
        return s->failed;
    if (position < 0)
        return s->failed = gf_fail(GF_EIO, "a position before the start of the output");
    if (position != s->position && !has_places(s) && !s->keep && !s->nowhere) {
        if (s->buffer_at > 0)
            return s->failed = gf_fail(GF_EIO, "this output cannot seek");
        s->keep = true; /* the buffer still holds everything */
    }
    s->position = position;
    return GF_OK;
}

int64_t gf_sink_read(struct gf_sink *s, void *buffer, size_t n) {
    if (s->failed)
        return s->failed;
    n = (size_t)gf_min((int64_t)n, gf_max(s->size - s->position, 0));
    if (s->keep) {
        memcpy(buffer, s->buffer + s->position, n);
    } else {
        if (s->slot == NO_SLOT)
            return s->failed = gf_fail(GF_EIO, "this output cannot be read back");
        int rc = flush(s);
        if (rc || gf_read_at(s->fd, buffer, n, s->position) < n)
            return rc ? rc : fail_write(s);
    }
    s->position += (int64_t)n;
    return (int64_t)n;
}

int64_t gf_sink_tell(const struct gf_sink *s) {
    return s->deflate ? (int64_t)s->deflate->total_in : s->position;
}

int64_t gf_sink_size(const struct gf_sink *s) {
    return s->size;
}

void gf_sink_keep(struct gf_sink *s) {
    if (s->slot == NO_SLOT && s->size == 0)
        s->keep = true;
}

void gf_sink_checksum(struct gf_sink *s, int threads) {
    s->summing = true;
    s->sum_threads = threads;
    s->crc = 0;
}

void gf_sink_set_crc32(struct gf_sink *s, uint32_t crc) {
    s->summing = true;
    s->crc = crc;
}

int gf_sink_crc32(struct gf_sink *s, int threads, uint32_t *out) {
    *out = s->crc;
    if (s->summing || s->failed)
        return s->failed;
    if (s->keep) {
        *out = gf_crc32(0, s->buffer, s->n, threads);
        return GF_OK;
    }
    struct gf_source *source = NULL;
    int rc = s->slot == NO_SLOT ? gf_fail(GF_EIO, "this output cannot be read back") : flush(s);
    if (!rc)
        rc = gf_source_open_fd(s->fd, s->size, &source);
    if (!rc)
        rc = gf_crc32_source(&(struct gf_chain){source, NULL}, s->size, threads, out);
    gf_source_close(source);
    return s->failed = rc;
}

int gf_sink_lend(struct gf_sink *s, int64_t bytes, const char **path) {
    uint32_t crc = 0;
    if (s->slot == NO_SLOT)
        return gf_fail(GF_EIO, "'%.120s' is no file that others could write into", s->name);
    int rc = bytes ? gf_sink_crc32(s, 1, &crc) : 0; /* gaps have no checksum yet */
    if (!rc)
        rc = flush(s);
    if (rc)
        return rc;
    /* Reserve: not every library that writes for other processes reports a full disk. */
    if (fallocate(s->fd, 0, 0, s->size + bytes) &&
        (errno == ENOSPC || errno == EFBIG || errno == EDQUOT))
        return fail_write(s);
    s->crc = crc;
    s->lent = s->size;
    s->summing = false; /* the processes compute checksums of this one's writes too */
    return gf_temporary_name(s->slot, path) ? fail_write(s) : GF_OK;
}

int gf_sink_show(struct gf_sink *s) {
    int rc = s->failed ? s->failed : flush(s);
    int fd = rc ? -1 : fcntl(s->fd, F_DUPFD_CLOEXEC, 3);
    /* Network file systems make writes visible to others when a descriptor is closed. */
    return rc ? rc : fd < 0 || (close(fd) && errno != EINTR) ? fail_write(s) : GF_OK;
}

int gf_sink_take_back(struct gf_sink *s, int64_t bytes, uint32_t crc) {
    struct stat st;
    s->summing = bytes > 0;
    s->crc = gf_crc32_join(s->crc, crc, bytes);
    s->size = s->lent + bytes;
    s->position = s->buffer_at = s->size;
    if (fstat(s->fd, &st))
        return fail_write(s);
    return st.st_size == s->size
               ? GF_OK
               : gf_fail(GF_EIO, "cannot write '%.120s': %lld bytes of %lld are there", s->name,
                         (long long)st.st_size, (long long)s->size);
}

bool gf_sink_is_file(const struct gf_sink *s) {
    return s->slot != NO_SLOT;
}

/* Writes everything and checks the result of close(): a stream's descriptor, or a duplicate of a
 * file's, which is still needed for naming the file and for its lock. */
static int settle(struct gf_sink *s) {
    const bool is_file = s->slot != NO_SLOT;
    if (!s->failed && !s->settled && s->deflate)
        put_packed(s, "", 0, Z_FINISH);
    if (!s->failed && !s->settled)
        flush(s);
    if (is_synced && !s->failed && !s->settled && is_file && fsync(s->fd))
        fail_write(s);
    if (!s->settled) {
        s->settled = true;
        int fd = is_file ? fcntl(s->fd, F_DUPFD_CLOEXEC, 3) : s->fd;
        if ((fd < 0 || (close(fd) && errno != EINTR)) && !s->failed)
            fail_write(s);
    }
    return s->failed;
}

int gf_sink_finish(struct gf_sink *s, bool replaces) {
    const char *path;
    int rc = settle(s);
    if (rc || s->slot == NO_SLOT || (!replaces && access(s->target, F_OK)))
        return rc;
    return gf_temporary_name(s->slot, &path) ? fail_write(s) : GF_OK;
}

int gf_sink_commit(struct gf_sink *s) {
    int rc = settle(s);
    if (!rc && s->slot != NO_SLOT && gf_temporary_rename(s->slot, s->target, s->clobber))
        rc = fail_write(s);
    gf_sink_abort(s);
    return rc;
}

void gf_sink_abort(struct gf_sink *s) {
    if (!s)
        return;
    if (s->fd >= 0 && (s->slot != NO_SLOT || !s->settled))
        close(s->fd);
    if (s->slot != NO_SLOT)
        gf_temporary_drop(s->slot);
    if (s->deflate)
        deflateEnd(s->deflate);
    free(s->deflate);
    free(s->buffer);
    free(s->target);
    free(s->name);
    free(s);
}
