/* Stands before the C library, for calls that not every file system has. Include it in one file of a test
 * program. */
#ifndef GF_TESTS_CALLS_H
#define GF_TESTS_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Writes the counts of a coverage build, also for a process that does not end by exit(). */
void __gcov_dump(void) __attribute__((weak));
static inline void keep_counts(void) {
    if (__gcov_dump)
        __gcov_dump();
}

_Noreturn void _Exit(int code) {
    keep_counts();
    _exit(code);
}

static int taken_locks; /* so many times a lock is another's */
static bool no_unnamed, no_renameat2, no_link;

int open(const char *path, int flags, ...) {
    int mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, int);
        va_end(list);
    }
    if (no_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return openat(AT_FDCWD, path, flags, mode);
}

int fcntl(int fd, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (command == F_OFD_SETLK && taken_locks && taken_locks--) {
        errno = EAGAIN;
        return -1;
    }
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    errno = EINVAL;
    return no_renameat2 ? -1 : (int)syscall(SYS_renameat2, a, from, b, to, flags);
}

int link(const char *from, const char *to) {
    errno = EPERM;
    return no_link ? -1 : linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

#endif
