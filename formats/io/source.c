/* Inputs: files, read by pread() through a small window; pipes, through memory; memory itself. */
#include "formats/io/gzip.h"
#include "formats/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/value/array.h"
#include "core/base/value/status.h"

enum { WINDOW = 64 * 1024, LEAST_ALONE = 512 };
/* Several threads read the pieces of a large read: copying from the page cache and faulting in the
 * destination's pages both scale. */
enum { PIECE = 4 << 20, MANY_PIECES = 8, MOST_THREADS = 16 };

enum source_kind { SOURCE_FILE, SOURCE_PIPE, SOURCE_MEMORY };

struct gf_source {
    enum source_kind kind;
    int fd;
    bool owns_fd;
    int64_t base;         /* offset of byte 0 in the file: stdin may start midway */
    int64_t size;         /* of a file or of memory */
    int64_t position;     /* the reader's */
    int64_t read_to;      /* of a file: the end of the last read */
    unsigned char *block; /* the bytes [block_at, block_at + block_n) */
    int64_t block_at;
    size_t block_n, block_size;
    int threads;
    bool at_end;  /* a pipe has been read to its end */
    bool forward; /* a pipe's consumed bytes may be dropped */
    int64_t limit;
    const unsigned char *memory;
    struct gf_gzip *gzip;    /* a pipe's bytes come from it */
    struct gf_source *inner; /* which reads this source; owned */
};

char *gf_clean_text(char *buffer, size_t n, const char *text) {
    size_t i = 0;
    for (; text[i] && i + 1 < n; i++) {
        unsigned char c = (unsigned char)text[i];
        buffer[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    buffer[i] = 0;
    return buffer;
}

int gf_fail_errno(int code, const char *what) {
    char cause[96], name[160];
    int e = errno;
    gf_clean_text(cause, sizeof cause, strerror(e));
    /* "No such file" becomes "no such file", but "RPC failed" stays. */
    if (cause[0] >= 'A' && cause[0] <= 'Z' && cause[1] >= 'a' && cause[1] <= 'z')
        cause[0] = (char)(cause[0] + 'a' - 'A');
    if (!what)
        return gf_fail(code, "%s", cause);
    return gf_fail(code, "%s: %s", gf_clean_text(name, sizeof name, what), cause);
}

bool gf_path_is_stream(const char *path) {
    struct stat st;
    return !strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode));
}

size_t gf_path_part(const char *path) {
    const size_t n = strlen(path);
    const char *bracket = n > 3 && path[n - 1] == ']' ? strrchr(path, '[') : NULL;
    struct stat st;
    if (!bracket || bracket == path || !bracket[2] || !stat(path, &st))
        return 0;
    char *file = strndup(path, (size_t)(bracket - path));
    const bool is_file = file && !stat(file, &st) && S_ISREG(st.st_mode);
    free(file);
    return is_file ? (size_t)(bracket - path) : 0;
}

int gf_path_stat(const char *path, struct stat *st) {
    const size_t part = gf_path_part(path);
    char *file = part ? strndup(path, part) : NULL;
    const int failed = part && !file ? -1 : stat(file ? file : path, st);
    free(file);
    return failed;
}

/* Changes a suffix, or the one before .gz, into another one in the same case, by ASCII's bit; false if
 * it is not `from`. */
static bool change_suffix(char *path, const char *from, const char *to) {
    char *suffix = strrchr(path, '.');
    if (suffix && !strcasecmp(suffix, ".gz") && suffix - path >= 4)
        suffix -= 4;
    if (!suffix || *suffix != '.' || strncasecmp(suffix + 1, from, 3) ||
        (suffix[4] && suffix[4] != '.'))
        return false;
    for (int i = 0; i < 3; i++)
        suffix[1 + i] = (char)(to[i] | (suffix[1 + i] & 32));
    return true;
}

void gf_path_to_header(char *path) {
    change_suffix(path, "IMG", "HDR");
}

int gf_path_partner(const char *path, char **out) {
    if (!(*out = strdup(path)))
        return gf_no_memory();
    if (change_suffix(*out, "IMG", "HDR") || change_suffix(*out, "HDR", "IMG"))
        return GF_OK;
    free(*out);
    *out = NULL;
    return GF_OK;
}

int gf_open(const char *path, int flags) {
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static int64_t read_some(struct gf_source *s, void *buffer, size_t n, int64_t at) {
    if (s->gzip)
        return gf_gzip_read(s->gzip, buffer, n);
    for (;;) {
        n = (size_t)gf_min((int64_t)n, 1 << 30); /* read() takes no more than 2 GiB */
        ssize_t got = s->kind == SOURCE_FILE ? pread(s->fd, buffer, n, (off_t)(s->base + at))
                                             : read(s->fd, buffer, n);
        if (got >= 0)
            return got;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd p = {.fd = s->fd, .events = POLLIN};
            poll(&p, 1, -1);
        } else if (errno != EINTR) {
            return gf_fail_errno(GF_EIO, "cannot read");
        }
    }
}

/* Makes a source of a pipe, or of an open file from byte `base` on. The caller keeps `fd`. */
static int new_source(enum source_kind kind, int fd, int64_t base, int64_t size,
                      struct gf_source **out) {
    struct gf_source *s = *out = calloc(1, sizeof *s);
    if (s)
        *s = (struct gf_source){.kind = kind,
                                .fd = fd,
                                .base = base,
                                .size = size,
                                .block_size = WINDOW,
                                .block = malloc(WINDOW)};
    if (s && s->block)
        return GF_OK;
    free(s);
    *out = NULL;
    return gf_no_memory();
}

/* Drops the bytes that a forward reader has consumed. */
static void pipe_drop(struct gf_source *s) {
    size_t passed = (size_t)(s->position - s->block_at);
    if (!s->forward || passed == 0)
        return;
    memmove(s->block, s->block + passed, s->block_n - passed);
    s->block_n -= passed;
    s->block_at = s->position;
}

/* Reads until the pipe's window reaches byte `end` or the pipe ends. */
static int pipe_fill(struct gf_source *s, int64_t end) {
    if (!s->at_end && s->block_at + (int64_t)s->block_n < end)
        pipe_drop(s);
    while (!s->at_end && s->block_at + (int64_t)s->block_n < end) {
        if (s->block_n == s->block_size) {
            if (s->limit > 0 && (int64_t)s->block_size > s->limit / 2)
                return gf_fail(GF_ENOMEM, "the pipe holds more than the memory limit of %lld bytes",
                               (long long)s->limit);
            unsigned char *more = realloc(s->block, s->block_size * 2);
            if (!more)
                return gf_no_memory();
            s->block = more;
            s->block_size *= 2;
        }
        int64_t got = read_some(s, s->block + s->block_n, s->block_size - s->block_n, 0);
        if (got < 0)
            return (int)got;
        s->at_end = got == 0;
        s->block_n += (size_t)got;
    }
    return GF_OK;
}

int gf_source_open(const char *path, struct gf_source **out) {
    *out = NULL;
    const bool is_stdin = !strcmp(path, "-");
    const int fd = is_stdin ? STDIN_FILENO : gf_open(path, O_RDONLY);
    struct stat st = {0};
    if (fd < 0)
        return gf_fail_errno(GF_EIO, NULL);
    int rc = fstat(fd, &st)        ? gf_fail_errno(GF_EIO, NULL)
             : S_ISDIR(st.st_mode) ? gf_fail(GF_EIO, "is a directory")
                                   : GF_OK;
    const off_t base = lseek(fd, 0, SEEK_CUR);
    /* Files of size 0 may be in /proc, where only reading shows the size. */
    if (!rc && S_ISREG(st.st_mode) && st.st_size > 0 && base >= 0)
        rc = new_source(SOURCE_FILE, fd, base, gf_max(st.st_size - base, 0), out);
    else if (!rc)
        rc = new_source(SOURCE_PIPE, fd, 0, 0, out);
    if (!rc && S_ISREG(st.st_mode) && (*out)->kind == SOURCE_PIPE && (rc = pipe_fill(*out, 1))) {
        gf_source_close(*out);
        *out = NULL;
    }
    if (!rc)
        (*out)->owns_fd = !is_stdin;
    else if (!is_stdin)
        close(fd);
    return rc;
}

int gf_source_open_fd(int fd, int64_t size, struct gf_source **out) {
    return new_source(SOURCE_FILE, fd, 0, size, out);
}

int gf_source_open_memory(const void *data, size_t size, struct gf_source **out) {
    *out = calloc(1, sizeof **out);
    if (!*out)
        return gf_no_memory();
    (*out)->kind = SOURCE_MEMORY;
    (*out)->memory = data;
    (*out)->size = (int64_t)size;
    return GF_OK;
}

int gf_source_again(const struct gf_source *s, struct gf_source **out) {
    *out = NULL;
    if (s->kind == SOURCE_MEMORY)
        return gf_source_open_memory(s->memory, (size_t)s->size, out);
    if (s->kind == SOURCE_PIPE && s->at_end && s->block_at == 0)
        return gf_source_open_memory(s->block, s->block_n, out);
    if (s->kind == SOURCE_PIPE)
        return gf_fail(GF_EIO, "cannot read a pipe twice");
    return new_source(SOURCE_FILE, s->fd, s->base, s->size, out);
}

int gf_source_keep(const struct gf_source *s, struct gf_source **out) {
    *out = NULL;
    int rc = s->gzip ? gf_source_keep(s->inner, out) : GF_OK;
    if (!rc && *out) {
        rc = gf_source_inflate(out);
    } else if (!rc && s->kind == SOURCE_FILE) {
        const int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
        rc = fd < 0 ? gf_fail_errno(GF_EIO, NULL)
                    : new_source(SOURCE_FILE, fd, s->base, s->size, out);
        if (!rc)
            (*out)->owns_fd = true;
        else if (fd >= 0)
            close(fd);
    }
    if (rc) {
        gf_source_close(*out);
        *out = NULL;
    } else if (*out) {
        gf_source_forward(*out);
    }
    return rc;
}

static int64_t read_inner(void *inner, void *to, size_t n) {
    return gf_source_read(inner, to, n);
}

int gf_source_inflate(struct gf_source **s) {
    struct gf_source *inner = *s, *outer;
    int rc = new_source(SOURCE_PIPE, -1, 0, 0, &outer);
    if (rc)
        return rc;
    rc = gf_gzip_open(read_inner, inner, &outer->gzip);
    if (rc) {
        gf_source_close(outer);
        return rc;
    }
    gf_source_forward(inner);
    outer->inner = inner;
    outer->limit = inner->limit;
    *s = outer;
    return GF_OK;
}

bool gf_source_is_replaced(const struct gf_source *s, const char *path) {
    struct stat open_one, named;
    return s->kind == SOURCE_FILE && s->owns_fd && !fstat(s->fd, &open_one) &&
           !stat(path, &named) &&
           (open_one.st_dev != named.st_dev || open_one.st_ino != named.st_ino);
}

void gf_source_close(struct gf_source *s) {
    if (!s)
        return;
    if (s->owns_fd)
        close(s->fd);
    gf_gzip_close(s->gzip);
    gf_source_close(s->inner);
    free(s->block);
    free(s);
}

/* Fills a file's window from the reader's position on. */
static int file_fill(struct gf_source *s) {
    s->block_at = s->position;
    s->block_n = 0;
    while (s->block_n < s->block_size) {
        int64_t got = read_some(s, s->block + s->block_n, s->block_size - s->block_n,
                                s->block_at + (int64_t)s->block_n);
        if (got < 0)
            return (int)got;
        if (got == 0)
            break;
        s->block_n += (size_t)got;
    }
    return GF_OK;
}

/* Copies from the window; returns 0 if the position is outside it. */
static size_t take(struct gf_source *s, void *buffer, size_t n) {
    int64_t off = s->position - s->block_at;
    if (off < 0 || off >= (int64_t)s->block_n)
        return 0;
    n = (size_t)gf_min((int64_t)n, (int64_t)s->block_n - off);
    memcpy(buffer, s->block + off, n);
    s->position += (int64_t)n;
    return n;
}

size_t gf_read_at(int fd, void *to, size_t n, int64_t at) {
    size_t done = 0;
    ssize_t got = 1;
    while (done < n && got > 0) {
        const size_t most = n - done < 1 << 30 ? n - done : 1 << 30;
        got = pread(fd, (char *)to + done, most, (off_t)(at + (int64_t)done));
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            done += (size_t)got;
        else if (!got)
            errno = EIO;
    }
    return done;
}

/* Returns the bytes before the first unreadable one; the next read reports the error. */
static size_t read_pieces(struct gf_source *s, unsigned char *to, size_t n) {
    const int64_t pieces = gf_divide_up((int64_t)n, PIECE);
    const int threads = (int)gf_min(s->threads, MOST_THREADS);
    int64_t whole = (int64_t)n;
    if (s->threads < 2 || pieces < MANY_PIECES)
        return 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(min : whole)
    for (int64_t i = 0; i < pieces; i++) {
        const int64_t first = i * PIECE;
        const size_t wanted = (size_t)gf_min((int64_t)n - first, PIECE);
        const size_t got = gf_read_at(s->fd, to + first, wanted, s->base + s->position + first);
        if (got < wanted && first + (int64_t)got < whole)
            whole = first + (int64_t)got;
    }
    s->position += whole;
    return (size_t)whole;
}

/* Reads rows that lie apart directly: windows around them would overlap. */
static int64_t read_file(struct gf_source *s, unsigned char *to, size_t n) {
    const size_t alone = s->position == s->read_to ? WINDOW : LEAST_ALONE;
    size_t done = take(s, to, n);
    done += read_pieces(s, to + done, n - done);
    while (done < n) {
        if (n - done >= alone) {
            int64_t got = read_some(s, to + done, n - done, s->position);
            if (got < 0)
                return got;
            if (got == 0)
                break;
            done += (size_t)got;
            s->position += got;
        } else {
            int rc = file_fill(s);
            if (rc)
                return rc;
            size_t got = take(s, to + done, n - done);
            if (got == 0)
                break;
            done += got;
        }
    }
    s->read_to = s->position;
    return (int64_t)done;
}

static int64_t read_pipe(struct gf_source *s, unsigned char *to, size_t n) {
    size_t done = take(s, to, n);
    while (done < n && !s->at_end) {
        if (s->forward && n - done >= WINDOW) {
            int64_t got = read_some(s, to + done, n - done, 0);
            if (got < 0)
                return got;
            s->at_end = got == 0;
            done += (size_t)got;
            s->position += got;
            s->block_at = s->position;
            s->block_n = 0;
        } else {
            int rc = pipe_fill(s, s->position + (int64_t)(n - done));
            if (rc)
                return rc;
            done += take(s, to + done, n - done);
        }
    }
    return (int64_t)done;
}

int64_t gf_source_read(struct gf_source *s, void *buffer, size_t n) {
    if (s->kind == SOURCE_FILE)
        return read_file(s, buffer, n);
    if (s->kind == SOURCE_PIPE)
        return read_pipe(s, buffer, n);
    n = (size_t)gf_min((int64_t)n, gf_max(s->size - s->position, 0));
    if (n)
        memcpy(buffer, s->memory + s->position, n);
    s->position += (int64_t)n;
    return (int64_t)n;
}

int gf_source_byte(struct gf_source *s) {
    unsigned char c;
    const int64_t at = s->position - s->block_at;
    if (at >= 0 && at < (int64_t)s->block_n) {
        s->position++;
        return s->block[at];
    }
    const int64_t got = gf_source_read(s, &c, 1);
    return got > 0 ? c : got < 0 ? (int)got : -1;
}

int gf_source_read_exactly(struct gf_source *s, void *buffer, size_t n) {
    int64_t got = gf_source_read(s, buffer, n);
    if (got < 0)
        return (int)got;
    if ((size_t)got < n)
        return gf_fail(GF_EFORMAT, "unexpected end of file");
    return GF_OK;
}

int64_t gf_source_peek(struct gf_source *s, void *buffer, size_t n) {
    int64_t position = s->position;
    n = (size_t)gf_min((int64_t)n, WINDOW);
    if (s->kind == SOURCE_PIPE) {
        int rc = pipe_fill(s, position + (int64_t)n);
        if (rc)
            return rc;
        size_t got = take(s, buffer, n);
        s->position = position;
        return (int64_t)got;
    }
    int64_t got = gf_source_read(s, buffer, n);
    s->position = position;
    return got;
}

int gf_source_seek(struct gf_source *s, int64_t position) {
    if (position < 0)
        return gf_fail(GF_EFORMAT, "a position before the start of the file");
    if (s->kind == SOURCE_PIPE) {
        if (position < s->block_at)
            return gf_fail(GF_EIO, "cannot go back in a pipe");
        /* Skip in steps, so that the skipped bytes are never all in memory. */
        while (position > s->block_at + (int64_t)s->block_n && !s->at_end) {
            int64_t end = s->block_at + (int64_t)s->block_n;
            s->position = end;
            int rc = pipe_fill(s, gf_min(position, end + WINDOW));
            if (rc)
                return rc;
        }
    }
    s->position = position;
    return GF_OK;
}

int gf_source_end_stream(struct gf_source *s) {
    if (!s->gzip || s->at_end)
        return GF_OK;
    gf_source_forward(s);
    return gf_source_seek(s, INT64_MAX / 2);
}

int64_t gf_source_tell(const struct gf_source *s) {
    return s->position;
}

void gf_source_expect(const struct gf_source *s, int64_t n) {
    if (s->kind == SOURCE_FILE && n > 0)
        posix_fadvise(s->fd, (off_t)(s->base + s->position), (off_t)n, POSIX_FADV_WILLNEED);
}

int64_t gf_source_known_size(const struct gf_source *s) {
    if (s->kind == SOURCE_PIPE)
        return s->at_end ? s->block_at + (int64_t)s->block_n : -1;
    return s->size;
}

int64_t gf_source_size(struct gf_source *s) {
    if (s->kind == SOURCE_PIPE) {
        if (s->forward && !s->at_end)
            return gf_fail(GF_EIO, "the size of a pipe is not known");
        int rc = pipe_fill(s, INT64_MAX);
        if (rc)
            return rc;
    }
    return gf_source_known_size(s);
}

int gf_source_check_size(const struct gf_source *s) {
    struct stat st;
    if (s->kind != SOURCE_FILE || fstat(s->fd, &st) || st.st_size == s->base + s->size)
        return GF_OK;
    return gf_fail(GF_EIO, "the file changed while it was read: %lld bytes became %lld",
                   (long long)s->size, (long long)(st.st_size - s->base));
}

void gf_source_forward(struct gf_source *s) {
    s->forward = true;
}

void gf_source_set_threads(struct gf_source *s, int threads) {
    s->threads = threads;
}

void gf_source_limit(struct gf_source *s, int64_t bytes) {
    s->limit = bytes;
}

int gf_source_load(const char *path, const char *what, int64_t most, char **data, int64_t *n) {
    struct gf_source *source = NULL;
    struct stat st;
    *data = NULL;
    *n = 0;
    if (stat(path, &st))
        return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG
                   ? GF_OK
                   : gf_fail_errno(GF_EIO, what);
    if (!S_ISREG(st.st_mode))
        return GF_OK;
    int rc = gf_source_open(path, &source); /* another file, if it is being replaced */
    const int64_t size = rc ? rc : gf_source_size(source), room = gf_min(size, most) + 1;
    if (!rc && size < 0)
        rc = (int)size;
    if (!rc && !(*data = malloc((size_t)room)))
        rc = gf_no_memory();
    if (!rc && (*n = gf_source_read(source, *data, (size_t)room)) < 0)
        rc = (int)*n;
    gf_source_close(source);
    if (rc) {
        free(*data);
        *data = NULL;
    }
    return rc;
}
