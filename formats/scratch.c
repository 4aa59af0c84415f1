/* Scratch files: unlinked from the start, and sized before they are filled. */
#include "formats/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "formats/io/io.h"
#include "formats/io/temporary.h"

struct gf_scratch {
    int fd;
    char *folder; /* for messages */
};

static int fail_here(const struct gf_scratch *s, const char *verb) {
    char what[160];
    snprintf(what, sizeof what, "cannot %s a scratch file in '%.100s'", verb, s->folder);
    return gf_fail_errno(GF_EIO, what);
}

char *gf_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    while (slash > path && slash[-1] == '/')
        slash--;
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static int open_unnamed(struct gf_scratch *s) {
    struct stat st;
    char *target;
    if (stat(s->folder, &st))
        return fail_here(s, "make");
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return fail_here(s, "make");
    }
    if (asprintf(&target, "%s/scratch", s->folder) < 0)
        return gf_no_memory();
    int slot = gf_temporary_create(target, 0600, &s->fd);
    free(target);
    if (slot < 0)
        return fail_here(s, "make");
    gf_temporary_drop(slot); /* removes its name, if any; the file stays open */
    return GF_OK;
}

static bool same_disk(const struct gf_scratch *s, const char *path) {
    struct stat a, b;
    char *folder = path ? gf_folder_of(path) : NULL;
    bool same = folder && !stat(folder, &a) && !fstat(s->fd, &b) && a.st_dev == b.st_dev;
    free(folder);
    return same;
}

static int check_room(const struct gf_scratch *s, int64_t bytes, int64_t also) {
    struct statvfs v;
    char need[GF_SIZE_TEXT], room[GF_SIZE_TEXT], more[GF_SIZE_TEXT + 40] = "";
    if (fstatvfs(s->fd, &v) || !v.f_blocks)
        return GF_OK; /* unknown: writes will report a full disk */
    int64_t left = (int64_t)v.f_bavail * (int64_t)(v.f_frsize ? v.f_frsize : v.f_bsize);
    if (bytes <= left && also <= left - bytes)
        return GF_OK;
    if (also)
        snprintf(more, sizeof more, " and the output %s", gf_memory_text(also, need));
    char first[GF_SIZE_TEXT];
    return gf_fail(GF_EIO, "the scratch file needs %s%s, and '%.100s' has room for %s (--scratch)",
                   gf_memory_text(bytes, first), more, s->folder, gf_memory_text(left, room));
}

/* Reserves blocks, so that the disk cannot become full midway, if the file system can. */
static int reserve(const struct gf_scratch *s, int64_t bytes) {
    int rc;
    do
        rc = fallocate(s->fd, 0, 0, (off_t)bytes);
    while (rc && errno == EINTR);
    if (rc && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
        return fail_here(s, "fill");
    return GF_OK;
}

int gf_scratch_open(const char *folder, int64_t bytes, const char *beside, int64_t also,
                    struct gf_scratch **out) {
    *out = NULL;
    struct gf_scratch *s = calloc(1, sizeof *s);
    if (!s)
        return gf_no_memory();
    s->fd = -1;
    s->folder = strdup(folder);
    int rc = s->folder ? open_unnamed(s) : gf_no_memory();
    if (!rc)
        rc = check_room(s, bytes, same_disk(s, beside) ? also : 0);
    if (!rc)
        rc = reserve(s, bytes);
    if (rc)
        gf_scratch_close(s);
    else
        *out = s;
    return rc;
}

int gf_scratch_write(struct gf_scratch *s, int64_t at, const void *data, int64_t n) {
    return gf_write_at(s->fd, data, (size_t)n, at) ? GF_OK : fail_here(s, "write");
}

int gf_scratch_read(struct gf_scratch *s, int64_t at, void *data, int64_t n) {
    return gf_read_at(s->fd, data, (size_t)n, at) == (size_t)n ? GF_OK : fail_here(s, "read");
}

void gf_scratch_expect(const struct gf_scratch *s, int64_t at, int64_t n) {
    posix_fadvise(s->fd, (off_t)at, (off_t)n, POSIX_FADV_WILLNEED);
}

void gf_scratch_close(struct gf_scratch *s) {
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    free(s->folder);
    free(s);
}
