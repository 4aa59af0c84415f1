/* Temporaries, and the table of them that a signal handler removes. If the file system supports it,
 * a temporary is unnamed until its output is complete. A new output is then linked to its path; to
 * replace a file, the temporary is named and renamed. */
#include "formats/io/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/checksum.h"
#include "formats/io/io.h"
#include "formats/io/keeper.h"

enum { N_SLOTS = 512, SLOT_FREE = 0, SLOT_TAKEN, SLOT_LIVE };

/* Separate tables, so that the handler can read all states without touching the pages of paths. */
static atomic_int states[N_SLOTS];
static char paths[N_SLOTS][PATH_MAX];
static int fds[N_SLOTS];
static bool unnamed[N_SLOTS];

/* The number of threads between gf_uncut_begin() and gf_uncut_end(), and true once the program is
 * about to end: either the thread, having counted itself, sees `ending`, or the handler sees the
 * count and waits. */
static atomic_int uncut;
static atomic_bool ending;
static _Thread_local int uncut_depth;

static int slot_take(void) {
    for (int i = 0; i < N_SLOTS; i++) {
        int free_state = SLOT_FREE;
        if (atomic_compare_exchange_strong(&states[i], &free_state, SLOT_TAKEN))
            return i;
    }
    int rc = gf_fail(GF_EIO, "more than %d outputs are open at once", N_SLOTS);
    errno = EMFILE;
    return rc;
}

static uint64_t random_number(void) {
    uint64_t r = 0;
    if (getrandom(&r, sizeof r, GRND_NONBLOCK) != (ssize_t)sizeof r) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        r = (uint64_t)t.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
    }
    return r;
}

/* Picks a new name in the same folder. */
static void rename_slot(int i) {
    enum { TAIL = sizeof "0123456789abcdef.tmp" };
    char *tail = paths[i] + strlen(paths[i]) + 1 - TAIL;
    snprintf(tail, TAIL, "%016llx.tmp", (unsigned long long)random_number());
}

static bool name_slot(int i, const char *target) {
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target + 1) : 0;
    int n = snprintf(paths[i], sizeof paths[i], "%.*s.gpufft-0123456789abcdef.tmp", folder, target);
    if (n >= (int)sizeof paths[i]) {
        errno = ENAMETOOLONG;
        return false;
    }
    rename_slot(i);
    return true;
}

/* ---- leftovers: temporaries of killed runs, which the next run in their folder removes. A living
 * process holds a lock on each of its temporaries. ---- */

/* Locks one byte far beyond any data, because file servers' libraries lock ranges of the data. */
static bool take_lock(int fd) {
    struct flock byte = {.l_type = F_WRLCK, .l_start = INT64_MAX - 1, .l_len = 1};
    return !fcntl(fd, F_OFD_SETLK, &byte);
}

/* Marks an open temporary as in use until its descriptor is closed. False if another process is
 * removing it as a leftover. True if the file system has no locks: leftovers then stay. */
static bool lock(int fd) {
    return take_lock(fd) || (errno != EAGAIN && errno != EACCES);
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
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && take_lock(fd))
        unlinkat(folder, name, 0);
    close(fd);
}

/* True for the first call for this folder; false once the table is full. */
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

/* Removes leftovers in a folder, once per process. */
static void remove_leftovers(const char *folder) {
    const int e = errno;
    DIR *d = is_first(folder) ? opendir(folder) : NULL;
    for (struct dirent *entry; d && (entry = readdir(d));)
        if (is_temporary(entry->d_name))
            remove_one(dirfd(d), entry->d_name);
    if (d)
        closedir(d);
    errno = e;
}

/* ---- making one ---- */

/* Naming an unnamed file needs /proc. */
static bool can_link(void) {
    static atomic_int known; /* 1: it can, -1: it cannot */
    if (!atomic_load(&known))
        atomic_store(&known, access("/proc/self/fd", X_OK) ? -1 : 1);
    return atomic_load(&known) > 0;
}

static int link_to(int i, const char *path) {
    char open_file[40];
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", fds[i]);
    return linkat(AT_FDCWD, open_file, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Opens an unnamed file, which disappears with its descriptor. */
static int open_unnamed(int i, int mode) {
    const char *slash = strrchr(paths[i], '/');
    char folder[PATH_MAX] = ".";
    int fd;
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - paths[i] + 1), paths[i]);
    remove_leftovers(folder);
    do
        fd = can_link() ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;
    while (fd < 0 && can_link() && errno == EINTR);
    return fd;
}

/* For file systems without unnamed files. Fails with EEXIST, so that another name is tried, if
 * another process removes the file as a leftover before it is locked. */
static int open_named(int i, int mode) {
    struct stat st;
    int fd = open(paths[i], O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 || (lock(fd) && (fstat(fd, &st) || st.st_nlink > 0)))
        return fd;
    close(fd);
    unlink(paths[i]);
    errno = EEXIST;
    return -1;
}

/* Calls make(i, …) with one name after another until one is free. The slot is live before the file
 * exists, so a signal in between finds no file or our own. */
static int with_name(int i, int (*make)(int i, int mode), int mode) {
    int made = -1, tries = 0;
    do {
        if (tries)
            rename_slot(i);
        atomic_store(&states[i], SLOT_LIVE);
        gf_keeper_watch(paths[i]);
        made = make(i, mode);
        if (made < 0)
            atomic_store(&states[i], SLOT_TAKEN);
    } while (made < 0 && (errno == EEXIST || errno == EINTR) && ++tries < 100);
    return made;
}

static int create(const char *target, int mode, int i, int *fd) {
    bool named = name_slot(i, target);
    const int created = mode < 0 ? 0666 : 0600;
    *fd = fds[i] = named ? open_unnamed(i, created) : -1;
    unnamed[i] = *fd >= 0;
    if (named && *fd < 0)
        *fd = fds[i] = with_name(i, open_named, created);
    if (*fd >= 0 && (mode < 0 || !fchmod(*fd, (mode_t)mode & 0777)))
        return i;
    int e = errno;
    if (*fd >= 0)
        close(*fd);
    gf_temporary_drop(i);
    errno = e;
    char what[160];
    snprintf(what, sizeof what, "cannot write '%.120s'", target);
    int rc = gf_fail_errno(GF_EIO, what);
    errno = e;
    return rc;
}

bool gf_uncut_begin(sigset_t *before) {
    sigset_t all;
    /* The handler waits for this thread, so it must not run in it. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    atomic_fetch_add(&uncut, 1);
    if (uncut_depth++ || !atomic_load(&ending))
        return true;
    gf_uncut_end(before);
    gf_fail(GF_EIO, "interrupted");
    errno = EINTR;
    return false;
}

void gf_uncut_end(const sigset_t *before) {
    int e = errno;
    uncut_depth--;
    atomic_fetch_sub(&uncut, 1);
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = e;
}

int gf_temporary_create(const char *target, int mode, int *fd) {
    sigset_t before;
    int i = slot_take();
    if (i < 0)
        return i;
    if (!gf_uncut_begin(&before)) {
        atomic_store(&states[i], SLOT_FREE);
        return GF_EIO;
    }
    int rc = create(target, mode, i, fd);
    gf_uncut_end(&before);
    return rc;
}

static int link_named(int i, int mode) {
    (void)mode;
    return link_to(i, paths[i]);
}

int gf_temporary_name(int slot, const char **path) {
    sigset_t before;
    *path = paths[slot];
    if (!unnamed[slot])
        return 0;
    if (!gf_uncut_begin(&before))
        return -1;
    lock(fds[slot]);
    int rc = with_name(slot, link_named, 0);
    unnamed[slot] = rc != 0;
    gf_uncut_end(&before);
    return rc;
}

/* For file systems with neither RENAME_NOREPLACE nor hard links: renames over a name that O_EXCL
 * reserved. */
static int rename_reserved(const char *from, const char *to) {
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    close(fd);
    if (!rename(from, to))
        return 0;
    int e = errno;
    unlink(to);
    errno = e;
    return -1;
}

/* The temporary's name no longer exists, so the handler must not remove it. */
static int renamed(int slot) {
    atomic_store(&states[slot], SLOT_TAKEN);
    return 0;
}

static int link_new(int slot, const char *target) {
    sigset_t before;
    if (!gf_uncut_begin(&before))
        return -1;
    int rc = link_to(slot, target);
    gf_uncut_end(&before);
    return rc;
}

int gf_temporary_rename(int slot, const char *target, bool replace) {
    const char *from;
    if (unnamed[slot] && !link_new(slot, target))
        return 0;
    if (unnamed[slot] && (!replace || errno != EEXIST))
        return -1;
    if (gf_temporary_name(slot, &from))
        return -1;
    if (replace)
        return rename(from, target) ? -1 : renamed(slot);
#ifdef RENAME_NOREPLACE
    if (!renameat2(AT_FDCWD, from, AT_FDCWD, target, RENAME_NOREPLACE))
        return renamed(slot);
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
#endif
    if (!link(from, target))
        return 0; /* gf_temporary_drop() removes the temporary's name */
    if (errno == EEXIST)
        return -1;
    return rename_reserved(from, target) ? -1 : renamed(slot);
}

void gf_temporary_drop(int slot) {
    if (atomic_load(&states[slot]) == SLOT_LIVE)
        unlink(paths[slot]);
    unnamed[slot] = false;
    atomic_store(&states[slot], SLOT_FREE);
}

/* Uses only nanosleep(), unlink() and lock-free loads, which are async-signal-safe. The wait is
 * bounded because a file server may not answer. */
void gf_sink_remove_temporaries(void) {
    int e = errno;
    atomic_store(&ending, true);
    for (int ms = 0; atomic_load(&uncut) && ms < 2000; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (int i = 0; i < N_SLOTS; i++)
        if (atomic_load(&states[i]) == SLOT_LIVE)
            unlink(paths[i]);
    errno = e;
}
