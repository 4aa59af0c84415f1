/* The part of POSIX that MinGW lacks or that knows no names beyond a code page. Every source of a build for Windows
 * has this header first (-include), so that the other folders need no code of their own for Windows. Names are UTF-8
 * with "/" in between, as elsewhere; files.c turns them into UTF-16. Functions return what POSIX says, and set errno.
 * Some have nothing to do on Windows and succeed: they say so. */
#ifndef GF_CORE_BASE_HOST_WINDOWS_POSIX_H
#define GF_CORE_BASE_HOST_WINDOWS_POSIX_H

#define _CRT_RAND_S
#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* For calls that have nothing to do here and succeed, or that always fail. */
static inline int gf_posix_result(int result, ...) {
    return result;
}

/* ---- files and folders: files.c ---- */

#undef PATH_MAX
#define PATH_MAX 4096 /* bytes; MinGW's is that of short paths */
#ifndef NAME_MAX
#define NAME_MAX 255
#endif

#define O_CLOEXEC           0 /* handles are inherited only if that is asked for */
#define O_NOFOLLOW          0
#define O_NONBLOCK          0
#define O_NOCTTY            0
#define O_DIRECTORY         0x01000000
#define O_TMPFILE           0x02000000 /* open() refuses it, as some file systems of Linux do */
#define AT_FDCWD            (-100)
#define AT_SYMLINK_NOFOLLOW 1
#define AT_SYMLINK_FOLLOW   0
#define AT_EACCESS          0
#define F_GETFD             1
#define F_DUPFD_CLOEXEC     2
#define F_OFD_SETLK         3
#define F_WRLCK             1
#define LOCK_EX             2
#define LOCK_NB             4
#define RENAME_NOREPLACE    1
#define EDQUOT              10069

#undef S_ISLNK
#undef S_ISSOCK
#define S_IFLNK     0xa000
#define S_ISLNK(m)  (((m)&0xf000) == S_IFLNK)
#define S_ISSOCK(m) gf_posix_result(0, m)
#ifndef S_IWGRP
#define S_IWGRP 020
#define S_IWOTH 002
#endif
#define makedev(major, minor) ((uint64_t)(major) << 32 | (minor))

typedef unsigned uid_t, gid_t;
#define dev_t uint64_t
#define ino_t uint64_t

/* MinGW's has an inode of 16 bits, which is 0. */
struct gf_posix_stat {
    uint64_t st_dev, st_ino, st_rdev; /* of devices st_rdev is known for NUL alone: 1, 3 */
    int64_t st_size;
    unsigned st_mode, st_nlink, st_uid, st_gid; /* all files are user 0's, as is the process */
    struct timespec st_mtim;
};
#undef stat
#undef fstat
#undef st_mtime
#define st_mtime st_mtim.tv_sec
#define stat     gf_posix_stat
#define fstat    gf_posix_fstat
#define lstat    gf_posix_lstat
int stat(const char *path, struct stat *st);
int lstat(const char *path, struct stat *st);
int fstat(int fd, struct stat *st);
int fstatat(int folder, const char *name, struct stat *st, int flags);

#define open    gf_posix_open
#define fopen   gf_posix_fopen
#define freopen gf_posix_freopen
#define access  gf_posix_access
#define unlink  gf_posix_unlink
#define rename  gf_posix_rename
#define mkdir   gf_posix_mkdir
#define chdir   gf_posix_chdir
#define getcwd  gf_posix_getcwd
#define isatty  gf_posix_isatty
int open(const char *path, int flags, ...);
FILE *fopen(const char *path, const char *mode);
FILE *freopen(const char *path, const char *mode, FILE *stream);
int access(const char *path, int mode);
int unlink(const char *path);
int rename(const char *from, const char *to);
int mkdir(const char *path, unsigned mode);
int chdir(const char *path);
char *getcwd(char *path, size_t size);
int fchdir(int fd);
int isatty(int fd);
int openat(int folder, const char *name, int flags, ...);
int unlinkat(int folder, const char *name, int flags);
int mkdirat(int folder, const char *name, unsigned mode);
int renameat(int from_folder, const char *from, int to_folder, const char *to);
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int link(const char *from, const char *to);
ssize_t readlink(const char *path, char *to, size_t size);
char *realpath(const char *path, char *to);
#define faccessat(folder, path, mode, flags)  access(path, mode)
#define utimensat(folder, name, times, flags) gf_posix_touch(folder, name)
int gf_posix_touch(int folder, const char *name);

ssize_t pread(int fd, void *to, size_t n, int64_t at);
ssize_t pwrite(int fd, const void *from, size_t n, int64_t at);
int fsync(int fd);
/* struct flock's range alone counts; LOCK_EX of a folder fails with ENOLCK. */
struct flock {
    int l_type;
    int64_t l_start, l_len;
};
int fcntl(int fd, int command, ...);
int flock(int fd, int command);
int fallocate(int fd, int mode, int64_t at, int64_t n); /* ENOSYS */
#define POSIX_FADV_DONTNEED 0
#define POSIX_FADV_WILLNEED 0
#define posix_fadvise(...)  gf_posix_result(0, __VA_ARGS__)
#define fchmod(...)         gf_posix_result(0, __VA_ARGS__)
#define fchown(...)         gf_posix_result(0, __VA_ARGS__)
#define geteuid()           0u

struct statvfs {
    uint64_t f_bsize, f_frsize, f_bavail, f_blocks;
};
int fstatvfs(int fd, struct statvfs *v);

typedef struct gf_posix_folder DIR;
struct dirent {
    char d_name[3 * NAME_MAX + 8];
};
DIR *opendir(const char *path);
DIR *fdopendir(int fd);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);
int dirfd(const DIR *folder);

/* ---- processes and signals: system.c ---- */

#define SIGHUP      1
#define SIGPIPE     13
#define SIGALRM     14
#define SIGXFSZ     25
#define SIG_SETMASK 2
#define SIG_BLOCK   0
typedef unsigned long long gf_posix_sigset;
#define sigset_t gf_posix_sigset
struct sigaction {
    void (*sa_handler)(int number);
    sigset_t sa_mask;
};
#define sigfillset(set) gf_posix_result(0, *(set) = ~0ull)
/* The handler of SIGINT runs, in a thread of its own, after Ctrl-C; that of SIGTERM when the console or the session
 * ends. Others never run. */
int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int pause(void);

struct timeval_of_timer {
    int64_t tv_sec, tv_usec;
};
struct itimerval {
    struct timeval_of_timer it_value;
};
#define ITIMER_REAL    0
#define setitimer(...) gf_posix_result(-1, __VA_ARGS__) /* for launchers of MPI */
#undef pthread_atfork
#define pthread_atfork(...)             gf_posix_result(0, __VA_ARGS__)
#define pthread_getattr_default_np(...) gf_posix_result(-1, __VA_ARGS__)
#define pthread_setattr_default_np(...) gf_posix_result(-1, __VA_ARGS__)
#undef pthread_sigmask
#define pthread_sigmask(...) \
    gf_posix_result(0, __VA_ARGS__) /* handlers have threads of their own */
#define fork()       (errno = ENOSYS, gf_posix_result(-1))
#define setsid()     gf_posix_result(-1)
#define pipe2(...)   gf_posix_result(-1, __VA_ARGS__)
#define waitpid(...) gf_posix_result(-1, __VA_ARGS__)

/* Limits: RLIMIT_AS is the memory that can still be taken; others are unknown. */
struct rlimit {
    uint64_t rlim_cur, rlim_max;
};
#define RLIM_INFINITY UINT64_MAX
#define RLIMIT_AS     9
#define RLIMIT_STACK  3
#define RLIMIT_CORE   4
int getrlimit(int which, struct rlimit *limit);
int setrlimit(int which, const struct rlimit *limit);

#define _SC_NPROCESSORS_ONLN  1
#define _SC_PAGESIZE          2
#define _SC_LEVEL2_CACHE_SIZE 3
#define _SC_LEVEL3_CACHE_SIZE 4
long sysconf(int name); /* 0 if it is unknown, as in Linux */

typedef struct {
    uint64_t bits;
} cpu_set_t;
#define CPU_COUNT(set) __builtin_popcountll((set)->bits)
int sched_getaffinity(int process, size_t size, cpu_set_t *set);

/* ---- memory ---- */

#define PROT_READ                                  1
#define PROT_WRITE                                 2
#define MAP_PRIVATE                                0
#define MAP_SHARED                                 0
#define MAP_ANONYMOUS                              0
#define MAP_FAILED                                 NULL
#define MADV_WIPEONFORK                            18
#define mmap(at, n, protection, flags, fd, offset) gf_posix_aligned(n)
#define munmap(p, n)                               ((void)(n), gf_posix_free(p))
#define madvise(...)                               gf_posix_result(0, __VA_ARGS__)
/* Aligned to 64 KiB, zeroed; NULL without memory. free() takes these, too. */
void *gf_posix_aligned(size_t bytes);
void gf_posix_free(void *p);
#define aligned_alloc(alignment, bytes) gf_posix_aligned(bytes)
#define free                            gf_posix_free

/* ---- libraries ---- */

#define RTLD_NOW   0
#define RTLD_LOCAL 0
typedef struct {
    const char *dli_fname;
} Dl_info;
void *dlopen(const char *name, int flags);
void *dlsym(void *library, const char *name);
int dlclose(void *library);
const char *gf_library_here(const char *soname); /* "" if there is none of that name */
int dladdr(const void *function, Dl_info *info);
struct dl_phdr_info {
    const char *dlpi_name;
};
#define dl_iterate_phdr(...) gf_posix_result(0, __VA_ARGS__) /* visits none */
#define __BEGIN_DECLS                                        /* for <elf.h> */
#define __END_DECLS

/* ---- texts ---- */

struct pollfd {
    int fd;
    short events;
};
#define POLLIN        1
#define POLLOUT       4
#define poll(...)     gf_posix_result(0, __VA_ARGS__) /* descriptors always wait by themselves */
#define GRND_NONBLOCK 0
ssize_t getrandom(void *to, size_t n, unsigned flags);
#define getenv   gf_posix_getenv
#define setenv   gf_posix_setenv
#define strerror gf_posix_strerror
#define fclose   gf_posix_fclose
char *gf_posix_getenv(const char *name); /* HOME and XDG_CACHE_HOME fall back on Windows' own */
int setenv(const char *name, const char *value, int replace);
char *strerror(int error);
int fclose(FILE *f);
FILE *open_memstream(char **text, size_t *size); /* complete after fclose() */
ssize_t getdelim(char **line, size_t *size, int end, FILE *f);
char *stpcpy(char *to, const char *from);
char *strndup(const char *text, size_t n);
char *strsep(char **rest, const char *ends);
char *strcasestr(const char *text, const char *word);
void *memmem(const void *in, size_t n, const void *what, size_t m);
void tdestroy(void *root, void (*drop)(void *entry));

/* system.c's main() of Windows calls that of the program. */
#define main gf_posix_main
int main(int argc, char **argv);

#endif
