/* Keeps blobs in the cache folder, one file each, with its key and a checksum. */
#include "core/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/base/value/hash.h"

#define SUFFIX    ".kernel"
#define TEMPORARY ".building"

enum { MAX_FILES = 4096, HOUR = 3600 };
static const int64_t max_bytes = (int64_t)256 << 20;
static const off_t max_file = (off_t)64 << 20;

/* A file has this header, the key and the binary. Numbers are in the machine's byte order; one of
 * the other order does not match `order` and builds again. */
struct header {
    char magic[8];
    uint32_t order; /* 1 */
    uint32_t version;
    uint64_t key_bytes, binary_bytes;
    uint64_t checksum; /* of the file with 0 here */
};

static const struct header pattern = {"GFKERN\r\n", 1, 1, 0, 0, 0};

static void file_name(const struct gf_store *s, const void *key, size_t key_bytes, char name[64]) {
    snprintf(name, 64, "%016llx%.16s", (unsigned long long)gf_hash(GF_HASH_START, key, key_bytes),
             s->suffix);
}

/* ---- the folder ---- */

/* Opens the folder of all caches; makes it too, as ~/.cache may not exist yet. */
static int open_parent(const struct gf_environment *env, struct gf_store *s, bool make) {
    const char *path = gf_environment_cache(env);
    if (!path) {
        snprintf(s->why, GF_REASON, "neither XDG_CACHE_HOME nor HOME names a folder");
        return -1;
    }
    if (make)
        mkdir(path, 0700); /* open() reports a failure */
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        snprintf(s->why, GF_REASON, "%.200s: %.40s", path, strerror(errno));
    snprintf(s->path, GF_REASON, "%.240s/gpufft", path);
    return folder;
}

bool gf_store_open(const struct gf_environment *env, struct gf_store *s, bool make) {
    struct stat st;
    const char *why = NULL;
    memset(s, 0, sizeof *s);
    s->folder = -1;
    s->suffix = SUFFIX;
    int parent = open_parent(env, s, make);
    if (parent < 0)
        return false;
    if (make)
        mkdirat(parent, "gpufft", 0700);
    int folder = openat(parent, "gpufft", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(parent);
    if (folder < 0)
        why = errno == ENOTDIR || errno == ELOOP ? "a link, or no folder"
              : errno == ENOENT && !make         ? "nothing there yet"
                                                 : strerror(errno);
    else if (fstat(folder, &st))
        why = strerror(errno);
    else if (st.st_uid != geteuid())
        why = "belongs to another user";
    else if (st.st_mode & (S_IWGRP | S_IWOTH))
        why = "others may write into it";
    if (!why) {
        s->folder = folder;
        return true;
    }
    snprintf(s->why, GF_REASON, "%.200s: %.40s", s->path, why);
    if (folder >= 0)
        close(folder);
    return false;
}

void gf_store_close(struct gf_store *s) {
    if (s->folder >= 0)
        close(s->folder);
    s->folder = -1;
}

/* ---- files ---- */

int gf_store_file(const struct gf_store *s, const char *name, int flags, struct stat *st) {
    /* O_NONBLOCK: opening a FIFO must not wait. */
    int fd = openat(s->folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0 && !fstat(fd, st) && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
        !(st->st_mode & (S_IWGRP | S_IWOTH)))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

void *gf_store_load(const struct gf_store *s, const char *name, off_t most, struct stat *st,
                    size_t *bytes) {
    char *data = NULL;
    ssize_t n = 1;
    *bytes = 0;
    int fd = gf_store_file(s, name, O_RDONLY, st);
    if (fd < 0)
        return NULL;
    const size_t size = st->st_size <= most ? (size_t)st->st_size : 0;
    if (size)
        data = malloc(size + 1);
    while (data && *bytes < size && n > 0) {
        n = read(fd, data + *bytes, size - *bytes);
        *bytes += n > 0 ? (size_t)n : 0;
        if (n < 0 && errno == EINTR)
            n = 1;
    }
    close(fd);
    if (data)
        data[*bytes] = 0;
    return data;
}

bool gf_store_read(const struct gf_store *s, const void *key, size_t key_bytes, void **binary,
                   size_t *bytes) {
    char name[64];
    struct header h;
    struct stat st;
    size_t size = 0;
    *binary = NULL;
    *bytes = 0;
    file_name(s, key, key_bytes, name);
    char *data = gf_store_load(s, name, max_file, &st, &size);
    if (size < sizeof h) {
        free(data);
        return false;
    }
    /* Pruning orders files by their last use, to an hour. */
    if (time(NULL) - st.st_mtime > HOUR)
        utimensat(s->folder, name, NULL, AT_SYMLINK_NOFOLLOW);
    memcpy(&h, data, sizeof h);
    uint64_t checksum = h.checksum;
    size -= sizeof h;
    bool good = !memcmp(h.magic, pattern.magic, sizeof h.magic) && h.order == pattern.order &&
                h.version == pattern.version && h.key_bytes == key_bytes && size >= key_bytes &&
                h.binary_bytes == size - key_bytes && h.binary_bytes > 0 &&
                !memcmp(data + sizeof h, key, key_bytes);
    h.checksum = 0;
    if (good)
        good = gf_hash(gf_hash(GF_HASH_START, &h, sizeof h), data + sizeof h, size) == checksum;
    if (good) {
        /* The front of the block is aligned. */
        *bytes = size - key_bytes;
        memmove(data, data + sizeof h + key_bytes, *bytes);
        *binary = data;
        data = NULL;
    }
    free(data);
    return good;
}

static bool write_all(int fd, const void *data, size_t bytes) {
    const char *at = data;
    while (bytes) {
        ssize_t n = write(fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool gf_store_replace(const struct gf_store *s, const char *name, const struct gf_store_part *part,
                      int n) {
    static atomic_uint counter;
    char temporary[128];
    struct timespec now;
    /* The process number tells writers on one machine apart, the time machines that share the
     * folder. */
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(temporary, sizeof temporary, "%.50s-%ld-%u-%ld" TEMPORARY, name, (long)getpid(),
             atomic_fetch_add(&counter, 1), now.tv_nsec);
    int fd =
        openat(s->folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good = fd >= 0;
    for (int i = 0; i < n && good; i++)
        good = write_all(fd, part[i].data, part[i].bytes);
    /* No fsync: a file damaged by a power cut fails its checksum. */
    good = fd >= 0 && !close(fd) && good && !renameat(s->folder, temporary, s->folder, name);
    if (fd >= 0 && !good)
        unlinkat(s->folder, temporary, 0);
    return good;
}

void gf_store_write(const struct gf_store *s, const void *key, size_t key_bytes, const void *binary,
                    size_t bytes) {
    char name[64];
    struct header h = pattern;
    const struct gf_store_part part[] = {{&h, sizeof h}, {key, key_bytes}, {binary, bytes}};
    if (s->folder < 0 || !bytes || sizeof h + key_bytes + bytes > (size_t)max_file)
        return;
    h.key_bytes = key_bytes;
    h.binary_bytes = bytes;
    h.checksum =
        gf_hash(gf_hash(gf_hash(GF_HASH_START, &h, sizeof h), key, key_bytes), binary, bytes);
    file_name(s, key, key_bytes, name);
    gf_store_replace(s, name, part, 3);
}

void gf_store_remove(const struct gf_store *s, const void *key, size_t key_bytes) {
    char name[64];
    file_name(s, key, key_bytes, name);
    unlinkat(s->folder, name, 0);
}

/* ---- keeping it small ---- */

struct entry {
    char name[64];
    int64_t bytes, used; /* seconds */
};

static bool ends_in(const char *name, const char *end) {
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

static int older_first(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

/* Lists up to `most` kernels in memory that the caller frees. `sweep` deletes files that killed
 * processes left half written. */
static int list(const struct gf_store *s, int most, struct entry **entries, bool sweep) {
    struct dirent *d;
    struct stat st;
    int n = 0;
    *entries = NULL;
    const int fd = openat(s->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0)
        close(fd);
    while (dir && n < most && (d = readdir(dir))) {
        const bool temporary = ends_in(d->d_name, TEMPORARY);
        const bool kernel =
            ends_in(d->d_name, SUFFIX) && strlen(d->d_name) < sizeof(*entries)->name;
        if ((!kernel && !temporary) || fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            S_ISDIR(st.st_mode))
            continue;
        if (temporary) {
            if (sweep && time(NULL) - st.st_mtime > HOUR)
                unlinkat(fd, d->d_name, 0);
            continue;
        }
        if (gf_list_grow(entries, n, sizeof **entries))
            break;
        struct entry *e = &(*entries)[n++];
        snprintf(e->name, sizeof e->name, "%.63s", d->d_name);
        e->bytes = st.st_size;
        e->used = st.st_mtime;
    }
    if (dir)
        closedir(dir);
    return n;
}

void gf_store_prune(const struct gf_store *s) {
    struct entry *entries;
    int64_t bytes = 0;
    int n = list(s, INT_MAX, &entries, true), left = n;
    for (int i = 0; i < n; i++)
        bytes += entries[i].bytes;
    if (left > MAX_FILES || bytes > max_bytes)
        qsort(entries, (size_t)n, sizeof *entries, older_first);
    for (int i = 0; left > MAX_FILES || bytes > max_bytes; i++) {
        unlinkat(s->folder, entries[i].name, 0);
        bytes -= entries[i].bytes;
        left--;
    }
    free(entries);
}

int gf_store_count(const struct gf_store *s, int most, int64_t *bytes) {
    struct entry *entries;
    int n = list(s, most, &entries, false);
    *bytes = 0;
    for (int i = 0; i < n; i++)
        *bytes += entries[i].bytes;
    free(entries);
    return n;
}
