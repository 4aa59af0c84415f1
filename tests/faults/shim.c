/* Preloaded into gpufft: fails one call of one kind as page.h describes, counts all of them, and tells
 * whose code crashed. Counting begins with main(), so the loader and constructors are left alone.
 * Calls that the C library makes inside itself are not seen; its streams are counted instead. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/faults/page.h"

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static struct fault_page *page;
static atomic_bool armed;
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

/* ---- where it happened ---- */

/* snprintf() and dladdr() take no memory here. */
static void describe(char *text, size_t size, void **frame, int n) {
    Dl_info info;
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < n && used + 1 < size; i++) {
        if (!dladdr(frame[i], &info) || !info.dli_fname)
            continue;
        const char *slash = strrchr(info.dli_fname, '/'),
                   *name = slash ? slash + 1 : info.dli_fname;
        if (strstr(name, "faults_shim"))
            continue;
        int m = snprintf(text + used, size - used, "%s%s+0x%lx", used ? " " : "", name,
                         (unsigned long)((char *)frame[i] - (char *)info.dli_fbase - 1));
        used += m > 0 ? (size_t)m : 0;
    }
}

static void on_crash(int number) {
    void *frame[24];
    atomic_store(&armed, false);
    if (!page->crash_signal) {
        page->crash_signal = number;
        describe(page->crash, sizeof page->crash, frame, backtrace(frame, 24));
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- which call fails ---- */

/* 0, or the fault to be had: an errno, FAULT_SHORT. */
static int due(enum fault_kind kind, int fd) {
    void *frame[16];
    if (!atomic_load(&armed) || inside)
        return 0;
    int n = atomic_fetch_add(&page->count[kind], 1) + 1;
    if ((kind >= FAULT_OPEN && kind <= FAULT_CLOSE && kind != FAULT_READ)) {
        int change = atomic_fetch_add(&page->count[FAULT_CHANGE], 1) + 1;
        if (page->kind == FAULT_CHANGE && change == page->nth && page->error == FAULT_KILL)
            kill(getpid(), SIGKILL);
    }
    if (!page->nth || page->kind != (int)kind || (page->on ? n < page->nth : n != page->nth))
        return 0;
    if (!atomic_exchange(&page->fired, 1)) {
        inside = true;
        page->fired_on_stderr = fd == STDERR_FILENO;
        describe(page->site, sizeof page->site, frame, backtrace(frame, 16));
        inside = false;
    }
    return page->error;
}

/* True where the call is to fail; errno is set. What is not a plain read or write, and a stream, is
 * never interrupted: gpufft's handlers end it. */
static bool fails(enum fault_kind kind, int fd) {
    int before = errno, error = due(kind, fd);
    if (error == EINTR)
        error = 0;
    errno = error > 0 ? error : before;
    return error > 0;
}

static int (*real_main)(int, char **, char **);

static int armed_main(int argc, char **argv, char **env) {
    static const int caught[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    void *frame[4];
    backtrace(frame, 4); /* loads the unwinder */
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, FAULT_FD, 0);
    if (page != MAP_FAILED) {
        for (int i = 0; i < 5; i++)
            signal(caught[i], on_crash);
        page->armed = 1;
        fcntl(FAULT_FD, F_SETFD, FD_CLOEXEC);
        atomic_store(&armed, true);
    }
    return real_main(argc, argv, env);
}

/* The next function of that name; found once. */
#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) \
    next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    NEXT(__libc_start_main);
    real_main = main;
    return next(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- memory ---- */

void *malloc(size_t n) {
    return fails(FAULT_ALLOC, -1) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
    return fails(FAULT_ALLOC, -1) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n) {
    return fails(FAULT_ALLOC, -1) ? NULL : __libc_realloc(p, n);
}

void *memalign(size_t align, size_t n) {
    return fails(FAULT_ALLOC, -1) ? NULL : __libc_memalign(align, n);
}

void *aligned_alloc(size_t align, size_t n) {
    return memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n) {
    int before = errno;
    *p = memalign(align, n);
    errno = before;
    return *p ? 0 : ENOMEM;
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
    NEXT(mmap);
    return fails(FAULT_MMAP, -1) ? MAP_FAILED : next(at, n, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t n, int protection, int flags, int fd, off64_t offset) {
    NEXT(mmap64);
    return fails(FAULT_MMAP, -1) ? MAP_FAILED : next(at, n, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *p) {
    NEXT(pthread_create);
    int error = due(FAULT_THREAD, -1);
    return error > 0 ? error : next(thread, attr, run, p);
}

/* ---- libraries ---- */

/* No EGL here: its loader and Mesa's drivers crash and hang where they get no memory. */
void *dlopen(const char *name, int flags) {
    NEXT(dlopen);
    return name && !strncmp(name, "libEGL.so", 9) ? NULL : next(name, flags);
}

/* ---- opening ---- */

/* open() of a FIFO or of a file on a server may be interrupted. */
static bool opens(int flags) {
    int before = errno, error = due(FAULT_OPEN, -1);
    if (error <= 0 && (flags & O_TMPFILE) == O_TMPFILE && atomic_load(&armed) && page->named)
        error = EOPNOTSUPP;
    errno = error > 0 ? error : before;
    return error <= 0;
}

#define MODE_OF(flags, mode) \
    int mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list list; \
        va_start(list, flags); \
        mode = va_arg(list, int); \
        va_end(list); \
    }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        NEXT(name); \
        MODE_OF(flags, mode) \
        return opens(flags) ? next(path, flags, mode) : -1; \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int at, const char *path, int flags, ...) { \
        NEXT(name); \
        MODE_OF(flags, mode) \
        return opens(flags) ? next(at, path, flags, mode) : -1; \
    }
OPENAT(openat)
OPENAT(openat64)

/* A function that fails with `bad`: OF(kind, fd, bad, type, name, parameters, arguments). */
#define OF(kind, fd, bad, type, name, parameters, arguments) \
    type name parameters; \
    type name parameters { \
        NEXT(name); \
        return fails(kind, fd) ? bad : next arguments; \
    }
OF(FAULT_OPEN, -1, -1, int, __open_2, (const char *path, int flags), (path, flags))
OF(FAULT_OPEN, -1, -1, int, __open64_2, (const char *path, int flags), (path, flags))
OF(FAULT_OPEN, -1, -1, int, __openat_2, (int at, const char *path, int flags), (at, path, flags))
OF(FAULT_OPEN, -1, -1, int, __openat64_2, (int at, const char *path, int flags), (at, path, flags))
OF(FAULT_OPEN, -1, -1, int, creat, (const char *path, mode_t mode), (path, mode))
OF(FAULT_OPEN, -1, -1, int, mkostemp, (char *path, int flags), (path, flags))
OF(FAULT_OPEN, -1, -1, int, mkstemp, (char *path), (path))
OF(FAULT_OPEN, -1, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))
OF(FAULT_OPEN, -1, -1, int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
OF(FAULT_OPEN, -1, NULL, DIR *, opendir, (const char *path), (path))
OF(FAULT_OPEN, -1, NULL, DIR *, fdopendir, (int fd), (fd))
OF(FAULT_OPEN, -1, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
OF(FAULT_OPEN, -1, NULL, FILE *, fopen64, (const char *path, const char *mode), (path, mode))
OF(FAULT_OPEN, -1, NULL, FILE *, fdopen, (int fd, const char *mode), (fd, mode))
OF(FAULT_OPEN, -1, NULL, FILE *, open_memstream, (char **text, size_t *n), (text, n))

/* ---- reading and writing ---- */

/* The count to ask for where a short one is due; `n` else. Less than 0: fail. */
static ssize_t asked(enum fault_kind kind, int fd, size_t n) {
    int before = errno, error = due(kind, fd);
    errno = error > 0 ? error : before;
    if (error > 0)
        return -1;
    return (ssize_t)(error == FAULT_SHORT && n > 1 ? n / 2 : n);
}

#define READ(kind, name, parameters, arguments) \
    ssize_t name parameters; \
    ssize_t name parameters { \
        NEXT(name); \
        ssize_t m = asked(kind, fd, n); \
        return m < 0 ? m : next arguments; \
    }
READ(FAULT_READ, read, (int fd, void *to, size_t n), (fd, to, (size_t)m))
READ(FAULT_READ, pread, (int fd, void *to, size_t n, off_t at), (fd, to, (size_t)m, at))
READ(FAULT_READ, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, (size_t)m, at))
READ(FAULT_READ, __read_chk, (int fd, void *to, size_t n, size_t room), (fd, to, (size_t)m, room))
READ(FAULT_READ, __pread_chk, (int fd, void *to, size_t n, off_t at, size_t room),
     (fd, to, (size_t)m, at, room))
READ(FAULT_READ, __pread64_chk, (int fd, void *to, size_t n, off64_t at, size_t room),
     (fd, to, (size_t)m, at, room))
READ(FAULT_WRITE, write, (int fd, const void *from, size_t n), (fd, from, (size_t)m))
READ(FAULT_WRITE, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, (size_t)m, at))
READ(FAULT_WRITE, pwrite64, (int fd, const void *from, size_t n, off64_t at),
     (fd, from, (size_t)m, at))
OF(FAULT_WRITE, fd, -1, ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))

/* A stream's failure, with its mark. glibc keeps the mark in this bit of the first member. */
static bool stream_fails(enum fault_kind kind, FILE *f) {
    if (!f || !fails(kind, fileno(f)))
        return false;
    f->_flags |= 0x20;
    return true;
}

/* The stream's contents are lost, as when the disk is full. */
int fflush(FILE *f) {
    NEXT(fflush);
    return stream_fails(FAULT_WRITE, f) ? EOF : next(f);
}

char *fgets(char *text, int n, FILE *f) {
    NEXT(fgets);
    return stream_fails(FAULT_READ, f) ? NULL : next(text, n, f);
}

size_t fread(void *to, size_t size, size_t n, FILE *f) {
    NEXT(fread);
    return stream_fails(FAULT_READ, f) ? 0 : next(to, size, n, f);
}

ssize_t getdelim(char **text, size_t *n, int end, FILE *f) {
    NEXT(getdelim);
    return stream_fails(FAULT_READ, f) ? -1 : next(text, n, end, f);
}

OF(FAULT_READ, -1, NULL, struct dirent *, readdir, (DIR * dir), (dir))
OF(FAULT_READ, -1, NULL, struct dirent64 *, readdir64, (DIR * dir), (dir))
OF(FAULT_READ, -1, -1, ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n))

/* ---- the rest ---- */

OF(FAULT_SYNC, fd, -1, int, fsync, (int fd), (fd))
OF(FAULT_SYNC, fd, -1, int, fdatasync, (int fd), (fd))
OF(FAULT_RENAME, -1, -1, int, rename, (const char *from, const char *to), (from, to))
OF(FAULT_RENAME, -1, -1, int, renameat, (int a, const char *from, int b, const char *to),
   (a, from, b, to))
OF(FAULT_RENAME, -1, -1, int, renameat2,
   (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
OF(FAULT_RENAME, -1, -1, int, link, (const char *from, const char *to), (from, to))
OF(FAULT_RENAME, -1, -1, int, linkat, (int a, const char *from, int b, const char *to, int flags),
   (a, from, b, to, flags))
OF(FAULT_UNLINK, -1, -1, int, unlink, (const char *path), (path))
OF(FAULT_UNLINK, -1, -1, int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
OF(FAULT_UNLINK, -1, -1, int, remove, (const char *path), (path))
OF(FAULT_UNLINK, -1, -1, int, rmdir, (const char *path), (path))
OF(FAULT_STAT, -1, -1, int, stat, (const char *path, struct stat *st), (path, st))
OF(FAULT_STAT, -1, -1, int, lstat, (const char *path, struct stat *st), (path, st))
OF(FAULT_STAT, fd, -1, int, fstat, (int fd, struct stat *st), (fd, st))
OF(FAULT_STAT, at, -1, int, fstatat, (int at, const char *path, struct stat *st, int flags),
   (at, path, st, flags))
OF(FAULT_STAT, -1, -1, int, fchmod, (int fd, mode_t mode), (fd, mode))
OF(FAULT_STAT, -1, -1, int, access, (const char *path, int mode), (path, mode))
OF(FAULT_STAT, -1, -1, int, faccessat, (int at, const char *path, int mode, int flags),
   (at, path, mode, flags))

/* Locks and second descriptors. */
#define FCNTL(name) \
    int name(int fd, int command, ...) { \
        NEXT(name); \
        va_list list; \
        va_start(list, command); \
        void *p = va_arg(list, void *); \
        va_end(list); \
        bool counted = command == F_OFD_SETLK || command == F_DUPFD_CLOEXEC; \
        return counted && fails(FAULT_STAT, fd) ? -1 : next(fd, command, p); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

/* Closed all the same, as Linux does it. */
#define CLOSE(name, type, number) \
    int name(type what) { \
        NEXT(name); \
        int error = due(FAULT_CLOSE, number), rc = next(what); \
        if (error <= 0 || (error == EINTR && sizeof(what) != sizeof(int))) \
            return rc; \
        errno = error; \
        return -1; \
    }
CLOSE(close, int, what)
CLOSE(fclose, FILE *, -1)
CLOSE(closedir, DIR *, -1)
