/* Temporaries, and the table of them that a signal handler removes. */
#include "formats/io_temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/status.h"
#include "formats/io.h"
#include "formats/io_keeper.h"

enum { N_SLOTS = 512, SLOT_FREE = 0, SLOT_TAKEN, SLOT_LIVE };

/* Two tables: the end of the program looks at every state, and touches no path's page for it. */
static atomic_int states[N_SLOTS];
static char paths[N_SLOTS][PATH_MAX];

/* Threads in an uncut stretch, and whether the program is about to end: a thread that has
 * counted itself sees the end coming, or what ends the program sees that it must wait. */
static atomic_int uncut;
static atomic_bool ending;

static int slot_take(void) {
    for (int i = 0; i < N_SLOTS; i++) {
        int free_state = SLOT_FREE;
        if (atomic_compare_exchange_strong(&states[i], &free_state, SLOT_TAKEN))
            return i;
    }
    return gf_fail(GF_EIO, "more than %d outputs are open at once", N_SLOTS);
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

static int create(const char *target, int mode, int i, int *fd) {
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target + 1) : 0;
    int tries = 0;
    do {
        int n = snprintf(paths[i], sizeof paths[i], "%.*s.gpufft-%016llx.tmp", folder, target,
                         (unsigned long long)random_number());
        if (n >= (int)sizeof paths[i]) {
            errno = ENAMETOOLONG;
            break;
        }
        /* Live before it exists: a signal in between finds either nothing or our own file. */
        atomic_store(&states[i], SLOT_LIVE);
        gf_keeper_watch(paths[i]);
        *fd = open(paths[i], O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode < 0 ? 0666 : 0600);
        if (*fd >= 0) {
            if (mode >= 0 && fchmod(*fd, (mode_t)mode & 0777)) {
                close(*fd);
                unlink(paths[i]);
                break;
            }
            return i;
        }
        atomic_store(&states[i], SLOT_TAKEN);
    } while ((errno == EEXIST || errno == EINTR) && ++tries < 100);
    int e = errno;
    atomic_store(&states[i], SLOT_FREE);
    errno = e;
    char what[160];
    snprintf(what, sizeof what, "cannot write '%.120s'", target);
    return gf_fail_errno(GF_EIO, what);
}

bool gf_uncut_begin(sigset_t *before) {
    sigset_t all;
    /* The handler waits for us, so it must not run in this thread meanwhile. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    atomic_fetch_add(&uncut, 1);
    if (!atomic_load(&ending))
        return true;
    gf_uncut_end(before);
    gf_fail(GF_EIO, "interrupted");
    return false;
}

void gf_uncut_end(const sigset_t *before) {
    int e = errno;
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

const char *gf_temporary_path(int slot) {
    return paths[slot];
}

/* For file systems that have neither the flag nor hard links: a name reserved by O_EXCL may be
 * renamed over. */
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

/* The temporary's name is nobody's any more: nothing is left to be removed. */
static int renamed(int slot) {
    atomic_store(&states[slot], SLOT_TAKEN);
    return 0;
}

int gf_temporary_rename(int slot, const char *target, bool replace) {
    const char *from = paths[slot];
    if (replace)
        return rename(from, target) ? -1 : renamed(slot);
#ifdef RENAME_NOREPLACE
    if (!renameat2(AT_FDCWD, from, AT_FDCWD, target, RENAME_NOREPLACE))
        return renamed(slot);
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
#endif
    if (!link(from, target))
        return 0; /* the temporary's own name is removed when the slot is dropped */
    if (errno == EEXIST)
        return -1;
    return rename_reserved(from, target) ? -1 : renamed(slot);
}

void gf_temporary_drop(int slot) {
    if (atomic_load(&states[slot]) == SLOT_LIVE)
        unlink(paths[slot]);
    atomic_store(&states[slot], SLOT_FREE);
}

/* Only nanosleep(), unlink() and lock-free loads: all may be used in a signal handler. The wait has
 * an end, for a file may be made on a server that does not answer. */
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
