/* Small texts in the cache folder. */
#include "core/session/cache_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/status.h"
#include "core/gpu/kernel_store.h"

void gf_cache_lines_read(const char *name, char *text, size_t size) {
    struct gf_kernel_store s;
    struct stat st;
    text[0] = 0;
    if (!gf_kernel_store_open(&s, false))
        return;
    int fd = openat(s.folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    gf_kernel_store_close(&s);
    if (fd < 0)
        return;
    bool own = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid();
    ssize_t bytes = own ? read(fd, text, size - 1) : 0;
    close(fd);
    text[bytes > 0 ? bytes : 0] = 0;
}

bool gf_cache_lines_write(const char *name, const char *text) {
    struct gf_kernel_store s;
    struct timespec now;
    char temporary[128];
    if (!gf_kernel_store_open(&s, true))
        return false;
    /* A name of its own: a killed process may have left its temporary behind, which is deleted with
     * those of kernels. */
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(temporary, sizeof temporary, "%.50s-%ld-%ld.building", name, (long)getpid(),
             now.tv_nsec);
    int fd =
        openat(s.folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) {
        good = !close(fd) && good;
        good = good && !renameat(s.folder, temporary, s.folder, name);
        if (!good)
            unlinkat(s.folder, temporary, 0);
    }
    gf_kernel_store_close(&s);
    return good;
}

int gf_cache_lines_remove(const char *name) {
    struct gf_kernel_store s;
    if (!gf_kernel_store_open(&s, false))
        return 0;
    int rc = unlinkat(s.folder, name, 0) ? errno : 0;
    gf_kernel_store_close(&s);
    if (!rc || rc == ENOENT)
        return !rc;
    return gf_fail(GF_EIO, "cannot delete '%s/%s': %s", s.path, name, strerror(rc));
}

int gf_cache_lines_lock(void) {
    struct gf_kernel_store s;
    if (!gf_kernel_store_open(&s, true))
        return -1;
    /* The folder itself. Where a file system knows no locks, the last writer wins. */
    if (flock(s.folder, LOCK_EX) && errno != EINTR)
        gf_kernel_store_close(&s);
    return s.folder;
}

void gf_cache_lines_unlock(int lock) {
    if (lock >= 0)
        close(lock);
}
