/* Leftovers, see io_leftovers.h. */
#include "formats/io/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/checksum.h"
#include "formats/io/io.h"

/* One byte far behind any data: on a server, libraries that write in our place lock ranges of the file
 * themselves. */
static bool lock(int fd) {
    struct flock byte = {.l_type = F_WRLCK, .l_start = INT64_MAX - 1, .l_len = 1};
    return !fcntl(fd, F_OFD_SETLK, &byte);
}

bool gf_leftovers_lock(int fd) {
    return lock(fd) || (errno != EAGAIN && errno != EACCES);
}

static bool is_temporary(const char *name) {
    const char head[] = ".gpufft-", tail[] = ".tmp";
    const size_t digits = strspn(name + strnlen(name, sizeof head - 1), "0123456789abcdef");
    return !strncmp(name, head, sizeof head - 1) && digits == 16 &&
           !strcmp(name + sizeof head - 1 + digits, tail);
}

static void remove_one(int folder, const char *name) {
    struct stat st;
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && lock(fd))
        unlinkat(folder, name, 0);
    close(fd);
}

/* Whether it is the first call for this folder; false too once the table is full. */
static bool is_first(const char *folder) {
    enum { MOST = 512 };
    static _Atomic uint64_t seen[MOST];
    const uint64_t own = UINT64_C(1) << 32 | gf_crc32(0, folder, strlen(folder), 1);
    for (uint64_t i = 0; i < MOST; i++) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&seen[(own + i) % MOST], &there, own))
            return true;
        if (there == own)
            return false;
    }
    return false;
}

void gf_leftovers_remove(const char *folder) {
    const int e = errno;
    DIR *d = is_first(folder) ? opendir(folder) : NULL;
    for (struct dirent *entry; d && (entry = readdir(d));)
        if (is_temporary(entry->d_name))
            remove_one(dirfd(d), entry->d_name);
    if (d)
        closedir(d);
    errno = e;
}
