/* Scratch files: what is written is read back, no name is left, and what each call that fails leads to. The
 * calls of the system that fail here are those of this program. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/scratch.h"
#include "tests/test.h"

/* Errors that the next calls return, one after the other; 0 ends the list. */
static int open_errors[4], reserve_errors[4], read_errors[4], write_errors[4];
static bool nothing_written, room_unknown, in_pieces;
static uint64_t room; /* bytes; 0: what there is */

static bool next_error(int errors[4]) {
    const int error = errors[0];
    memmove(errors, errors + 1, 3 * sizeof *errors);
    if (error)
        errno = error;
    return error;
}

/* ---- the system ---- */

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) && next_error(open_errors))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fallocate(int fd, int mode, off_t at, off_t bytes) {
    return next_error(reserve_errors) ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, bytes);
}

int fstatvfs(int fd, struct statvfs *v) {
    (void)fd;
    if (room_unknown) {
        errno = ENOSYS;
        return -1;
    }
    *v = (struct statvfs){.f_bsize = 512, .f_frsize = room ? 512 : 1 << 20, .f_blocks = 1 << 20};
    v->f_bavail = room ? room / 512 : 1 << 20;
    return 0;
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) {
    if (next_error(write_errors))
        return -1;
    return nothing_written ? 0 : syscall(SYS_pwrite64, fd, data, in_pieces && n > 7 ? 7 : n, at);
}

ssize_t pread(int fd, void *data, size_t n, off_t at) {
    return next_error(read_errors) ? -1
                                   : syscall(SYS_pread64, fd, data, in_pieces && n > 5 ? 5 : n, at);
}

/* ---- the tests ---- */

static char folder[] = "/tmp/test_scratch.XXXXXX";

static int count_names(void) {
    DIR *d = opendir(folder);
    int n = 0;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n - 2;
}

static void test_data(void) {
    enum { BYTES = 10000, AT = 1 << 20 };
    static unsigned char out[BYTES], in[BYTES];
    struct gf_scratch *s;
    for (int i = 0; i < BYTES; i++)
        out[i] = (unsigned char)(i * 7 + i / 256);
    CHECK_EQ(gf_scratch_open(folder, AT + BYTES, NULL, 0, &s), 0);
    CHECK_EQ(count_names(), 0);
    for (int pieces = 0; pieces < 2; pieces++) {
        in_pieces = pieces;
        memset(in, 0, sizeof in);
        CHECK_EQ(gf_scratch_write(s, AT, out, BYTES), 0);
        CHECK_EQ(gf_scratch_write(s, 0, out + 1, 100), 0);
        gf_scratch_expect(s, AT, BYTES);
        CHECK_EQ(gf_scratch_read(s, AT, in, BYTES), 0);
        CHECK(!memcmp(in, out, BYTES));
        CHECK_EQ(gf_scratch_read(s, 0, in, 100), 0);
        CHECK(!memcmp(in, out + 1, 100));
        CHECK_EQ(gf_scratch_read(s, AT, in, 0), 0);
    }
    in_pieces = false;
    gf_scratch_close(s);
    gf_scratch_close(NULL);
}

static void check_fails(int rc, const char *what, const char *why) {
    CHECK_EQ(rc, GF_EIO);
    CHECK_MSG(strstr(gf_message(), what) && strstr(gf_message(), why), "%s", gf_message());
}

static void check_refused(const char *where, int64_t bytes, const char *beside, int64_t also,
                          const char *what, const char *why) {
    struct gf_scratch *s = (struct gf_scratch *)folder;
    check_fails(gf_scratch_open(where, bytes, beside, also, &s), what, why);
    CHECK(!s && count_names() == 0);
}

static void check_opens(int64_t bytes, const char *beside, int64_t also) {
    struct gf_scratch *s;
    char back[4] = "";
    CHECK_MSG(!gf_scratch_open(folder, bytes, beside, also, &s), "%s", gf_message());
    CHECK_EQ(count_names(), 0);
    if (!s)
        return;
    CHECK(!gf_scratch_write(s, 0, "abc", 3) && !gf_scratch_read(s, 0, back, 3));
    CHECK(!strcmp(back, "abc"));
    gf_scratch_close(s);
}

static void set_errors(int errors[4], int first, int second) {
    errors[0] = first;
    errors[1] = second;
}

static void test_folders(void) {
    char path[64];
    snprintf(path, sizeof path, "%s/none", folder);
    check_refused(path, 10, NULL, 0, "cannot make a scratch file in '",
                  "no such file or directory");
    check_refused("/dev/null", 10, NULL, 0, "in '/dev/null'", "not a directory");
    set_errors(open_errors, EACCES, EACCES); /* without a name, and with one */
    check_refused(folder, 10, NULL, 0, "cannot make a scratch file", "permission denied");
    set_errors(open_errors, EINTR, EINTR);
    check_opens(10, NULL, 0);
    /* File systems that make no file without a name: one with a name, which is removed at once. */
    static const int unable[] = {EOPNOTSUPP, EISDIR, ENOENT, EINVAL};
    for (int i = 0; i < 4; i++) {
        set_errors(open_errors, unable[i], 0);
        check_opens(10, NULL, 0);
    }
    static const char *const paths[][2] = {
        {"a.npy", "."}, {"/a.npy", "/"}, {"x/a.npy", "x"}, {"/x/y/a.npy", "/x/y"}};
    for (int i = 0; i < 4; i++) {
        char *of = gf_folder_of(paths[i][0]);
        CHECK_MSG(of && !strcmp(of, paths[i][1]), "%s: %s", paths[i][0], of);
        free(of);
    }
}

static void test_room(void) {
    char beside[64];
    snprintf(beside, sizeof beside, "%s/out.npy", folder);
    room = 1 << 20;
    check_opens(1 << 20, NULL, 0);
    check_refused(folder, (1 << 20) + 1, NULL, 0, "the scratch file needs 1.0 MiB, and '",
                  "has room for 1.0 MiB");
    /* Outputs on the same file system need room too, those on others do not. */
    check_opens(1 << 19, beside, 1 << 19);
    check_refused(folder, 1 << 19, beside, (1 << 19) + 1,
                  "needs 512.0 KiB and the output 512.0 KiB", "1.0 MiB (--scratch)");
    check_refused(folder, 1 << 19, beside, INT64_MAX, "and the output", "--scratch");
    check_opens(1 << 19, "/proc/self/out.npy", 1 << 20);
    check_opens(1 << 19, "/none/out.npy", 1 << 20);
    room_unknown = true;
    check_opens(1 << 19, beside, INT64_MAX);
    room_unknown = false;
    room = 0;
}

static void test_full(void) {
    struct gf_scratch *s;
    char back[8];
    set_errors(reserve_errors, ENOSPC, 0);
    check_refused(folder, 100, NULL, 0, "cannot fill a scratch file in '",
                  "no space left on device");
    set_errors(reserve_errors, EINTR, EOPNOTSUPP);
    check_opens(100, NULL, 0);
    set_errors(reserve_errors, EOPNOTSUPP, 0); /* and nothing is reserved */
    CHECK_EQ(gf_scratch_open(folder, 100, NULL, 0, &s), 0);
    set_errors(write_errors, EINTR, ENOSPC);
    check_fails(gf_scratch_write(s, 0, "abc", 3), "cannot write a scratch file in '",
                "no space left");
    nothing_written = true;
    check_fails(gf_scratch_write(s, 0, "abc", 3), "cannot write", "no space left");
    nothing_written = false;
    set_errors(write_errors, EINTR, 0);
    CHECK_EQ(gf_scratch_write(s, 0, "abc", 3), 0);
    set_errors(read_errors, EINTR, EIO);
    check_fails(gf_scratch_read(s, 0, back, 3), "cannot read a scratch file in '",
                "input/output error");
    check_fails(gf_scratch_read(s, 0, back, 4), "cannot read",
                "input/output error"); /* behind the end */
    gf_scratch_close(s);
}

int main(void) {
    NEED(mkdtemp(folder));
    RUN("what is written to a scratch file is read back", test_data());
    RUN("folders that cannot hold a scratch file are refused", test_folders());
    RUN("a scratch file that does not fit is refused at once", test_room());
    RUN("a disk that fills up is reported", test_full());
    NEED(!rmdir(folder));
    return TEST_END();
}
