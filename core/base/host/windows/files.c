/* Files and folders of Windows under the names that POSIX gives the functions, see posix.h. */
#include <stdarg.h>
#include <windows.h>

#include "core/base/host/path.h"
#include "core/base/host/windows/names.h"
#include "core/base/host/windows/wide.h"

enum { MOST = PATH_MAX };

/* ---- errors and names ---- */

int gf_windows_fail(void) {
    static const struct {
        DWORD from;
        int to;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_NET_NAME, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_NOT_READY, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_SHARING_VIOLATION, ETXTBSY},
        {ERROR_USER_MAPPED_FILE, ETXTBSY},
        {ERROR_LOCK_VIOLATION, EAGAIN},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_FILE_TOO_LARGE, EFBIG},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_NOT_SUPPORTED, ENOSYS},
        {ERROR_INVALID_FUNCTION, ENOSYS},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
    };
    const DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].from == error)
            errno = known[i].to;
    return -1;
}

static int result(BOOL good) {
    return good ? 0 : gf_windows_fail();
}

bool gf_windows_wide(const char *path, wchar_t out[PATH_MAX]) {
    enum { SHORT = 240 }; /* longer ones need a prefix, and programs may add a few characters */
    char text[MOST];
    wchar_t given[MOST];
    if (!gf_windows_path(path, text, sizeof text)) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, given, MOST))
        return gf_windows_fail() == 0;
    const DWORD n = *given ? GetFullPathNameW(given, MOST - 8, out + 8, NULL) : 0;
    if (!n || n >= MOST - 8) {
        errno = n ? ENAMETOOLONG : ENOENT;
        return false;
    }
    const bool is_share = out[8] == '\\' && out[9] == '\\';
    const bool has_prefix = is_share && (out[10] == '?' || out[10] == '.') && out[11] == '\\';
    const wchar_t *prefix = n < SHORT || has_prefix ? L"" : is_share ? L"\\\\?\\UNC" : L"\\\\?\\";
    const wchar_t *from = out + 8 + (*prefix && is_share); /* one "\" is the prefix's */
    const size_t m = wcslen(prefix);
    memmove(out + m, from, (wcslen(from) + 1) * sizeof *out);
    memcpy(out, prefix, m * sizeof *out);
    return true;
}

bool gf_windows_narrow(const wchar_t *text, char *out, size_t size) {
    if (!WideCharToMultiByte(CP_UTF8, 0, text, -1, out, (int)size, NULL, NULL)) {
        errno = ENAMETOOLONG;
        return false;
    }
    gf_windows_to_slashes(out);
    return true;
}

int gf_name_compare(const char *a, const char *b) {
    wchar_t wide[2][MOST];
    if (!MultiByteToWideChar(CP_UTF8, 0, a, -1, wide[0], MOST) ||
        !MultiByteToWideChar(CP_UTF8, 0, b, -1, wide[1], MOST))
        return strcmp(a, b);
    return CompareStringOrdinal(wide[0], -1, wide[1], -1, TRUE) - CSTR_EQUAL;
}

static HANDLE handle(int fd) {
    return (HANDLE)_get_osfhandle(fd);
}

/* The path of an open file or folder. */
static bool path_of(int fd, char out[PATH_MAX]) {
    wchar_t wide[MOST];
    const DWORD n = GetFinalPathNameByHandleW(handle(fd), wide, MOST, 0);
    return n && n < MOST ? gf_windows_narrow(wide, out, MOST) : gf_windows_fail() == 0;
}

/* The path of a name in an open folder. */
static const char *path_at(int folder, const char *name, char room[PATH_MAX]) {
    if (folder == AT_FDCWD)
        return name;
    if (!path_of(folder, room))
        return NULL;
    const size_t n = strlen(room);
    if (!strcmp(name, "."))
        return room;
    return snprintf(room + n, MOST - n, "/%s", name) < (int)(MOST - n) ? room : NULL;
}

/* ---- opening ---- */

static HANDLE open_handle(const char *path, DWORD rights, DWORD creation, DWORD flags) {
    wchar_t wide[MOST];
    /* Others may read, write, rename and delete meanwhile, as in POSIX. */
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    if (!gf_windows_wide(path, wide))
        return INVALID_HANDLE_VALUE;
    HANDLE h =
        CreateFileW(wide, rights, share, NULL, creation, flags | FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (h == INVALID_HANDLE_VALUE)
        gf_windows_fail();
    return h;
}

int open(const char *path, int flags, ...) {
    const DWORD rights = flags & O_RDWR     ? GENERIC_READ | GENERIC_WRITE
                         : flags & O_WRONLY ? GENERIC_WRITE
                                            : GENERIC_READ;
    const DWORD creation = flags & O_EXCL    ? CREATE_NEW
                           : flags & O_CREAT ? flags & O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS
                           : flags & O_TRUNC ? TRUNCATE_EXISTING
                                             : OPEN_EXISTING;
    struct stat st;
    if (flags & O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    HANDLE h = open_handle(path, rights, creation, FILE_ATTRIBUTE_NORMAL);
    if (h == INVALID_HANDLE_VALUE)
        return -1;
    const int fd =
        _open_osfhandle((intptr_t)h, (flags & (O_RDWR | O_WRONLY | O_APPEND)) | _O_BINARY);
    if (fd < 0) {
        CloseHandle(h);
    } else if (flags & O_DIRECTORY && (fstat(fd, &st) || !S_ISDIR(st.st_mode))) {
        close(fd);
        errno = ENOTDIR;
        return -1;
    }
    return fd;
}

int openat(int folder, const char *name, int flags, ...) {
    char room[MOST];
    const char *path = path_at(folder, name, room);
    return path ? open(path, flags) : -1;
}

/* The mode's "e" is how all files are opened, and text is never translated. */
FILE *fopen(const char *path, const char *mode) {
    const int fd = open(path, *mode == 'r'   ? O_RDONLY
                              : *mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                                             : O_WRONLY | O_CREAT | O_APPEND);
    FILE *f = fd < 0 ? NULL : fdopen(fd, *mode == 'r' ? "rb" : *mode == 'w' ? "wb" : "ab");
    if (!f && fd >= 0)
        close(fd);
    return f;
}

FILE *freopen(const char *path, const char *mode, FILE *stream) {
    const int fd = open(path, *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC);
    fflush(stream);
    const bool good = fd >= 0 && !dup2(fd, fileno(stream));
    if (fd >= 0)
        close(fd);
    return good ? stream : NULL;
}

/* ---- what is known of a file ---- */

static int describe(HANDLE h, struct stat *st) {
    const int64_t to_1970 = 116444736000000000; /* from 1601, in 100 ns */
    BY_HANDLE_FILE_INFORMATION i;
    const DWORD type = GetFileType(h);
    *st = (struct stat){.st_mode = S_IRUSR | S_IWUSR, .st_nlink = 1};
    if (type == FILE_TYPE_UNKNOWN && GetLastError())
        return gf_windows_fail();
    /* Wine gives a file at stdin no identity; it is read as a pipe. */
    if (type != FILE_TYPE_DISK || !GetFileInformationByHandle(h, &i)) {
        st->st_mode |= type == FILE_TYPE_CHAR ? S_IFCHR : S_IFIFO;
        return 0;
    }
    const int64_t time =
        ((int64_t)i.ftLastWriteTime.dwHighDateTime << 32 | i.ftLastWriteTime.dwLowDateTime) -
        to_1970;
    st->st_mode |= i.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR : S_IFREG;
    if (i.dwFileAttributes & FILE_ATTRIBUTE_READONLY)
        st->st_mode &= ~(unsigned)S_IWUSR;
    st->st_dev = i.dwVolumeSerialNumber;
    st->st_ino = (uint64_t)i.nFileIndexHigh << 32 | i.nFileIndexLow;
    st->st_size = (int64_t)i.nFileSizeHigh << 32 | i.nFileSizeLow;
    st->st_nlink = i.nNumberOfLinks;
    st->st_mtim = (struct timespec){time / 10000000, (long)(time % 10000000 * 100)};
    return 0;
}

int fstat(int fd, struct stat *st) {
    HANDLE h = handle(fd);
    if (h != INVALID_HANDLE_VALUE)
        return describe(h, st);
    errno = EBADF;
    return -1;
}

int stat(const char *path, struct stat *st) {
    HANDLE h = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, 0);
    if (h == INVALID_HANDLE_VALUE)
        return -1;
    const int rc = describe(h, st);
    CloseHandle(h);
    if (!rc && S_ISCHR(st->st_mode) && (!strcasecmp(path, "NUL") || !strcmp(path, "/dev/null")))
        st->st_rdev = makedev(1, 3);
    return rc;
}

static bool is_link(const char *path) {
    wchar_t wide[MOST];
    WIN32_FIND_DATAW found;
    HANDLE h = gf_windows_wide(path, wide) ? FindFirstFileW(wide, &found) : INVALID_HANDLE_VALUE;
    if (h == INVALID_HANDLE_VALUE)
        return false;
    FindClose(h);
    return found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT &&
           (found.dwReserved0 == IO_REPARSE_TAG_SYMLINK ||
            found.dwReserved0 == IO_REPARSE_TAG_MOUNT_POINT);
}

int lstat(const char *path, struct stat *st) {
    if (!is_link(path))
        return stat(path, st);
    *st = (struct stat){.st_mode = S_IFLNK, .st_nlink = 1};
    return 0;
}

int fstatat(int folder, const char *name, struct stat *st, int flags) {
    char room[MOST];
    const char *path = path_at(folder, name, room);
    return !path ? -1 : flags & AT_SYMLINK_NOFOLLOW ? lstat(path, st) : stat(path, st);
}

/* The final target, which has no links in it. */
ssize_t readlink(const char *path, char *to, size_t size) {
    char whole[MOST];
    const int fd = is_link(path) ? open(path, O_RDONLY) : -1;
    if (fd < 0) {
        errno = EINVAL;
        return -1;
    }
    const bool good = path_of(fd, whole);
    close(fd);
    const size_t n = good ? strlen(whole) : 0;
    memcpy(to, whole, n < size ? n : size);
    return good ? (ssize_t)(n < size ? n : size) : -1;
}

char *realpath(const char *path, char *to) {
    char whole[MOST];
    const int fd = open(path, O_RDONLY);
    const bool good = fd >= 0 && path_of(fd, whole);
    if (fd >= 0)
        close(fd);
    return !good ? NULL : to ? strcpy(to, whole) : strdup(whole);
}

int access(const char *path, int mode) {
    wchar_t wide[MOST];
    const DWORD a =
        gf_windows_wide(path, wide) ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    if (a == INVALID_FILE_ATTRIBUTES)
        return gf_windows_fail();
    if (!(mode & W_OK) || !(a & FILE_ATTRIBUTE_READONLY))
        return 0;
    errno = EACCES;
    return -1;
}

int isatty(int fd) {
    DWORD mode;
    return GetConsoleMode(handle(fd), &mode);
}

/* ---- names that change ---- */

static int move(const char *from, const char *to, DWORD flags) {
    wchar_t a[MOST], b[MOST];
    return gf_windows_wide(from, a) && gf_windows_wide(to, b) ? result(MoveFileExW(a, b, flags))
                                                              : -1;
}

int rename(const char *from, const char *to) {
    return move(from, to, MOVEFILE_REPLACE_EXISTING);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    char a[MOST], b[MOST];
    from = path_at(from_folder, from, a);
    to = path_at(to_folder, to, b);
    return from && to ? rename(from, to) : -1;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return flags & RENAME_NOREPLACE && from_folder == AT_FDCWD && to_folder == AT_FDCWD
               ? move(from, to, 0)
               : renameat(from_folder, from, to_folder, to);
}

int link(const char *from, const char *to) {
    wchar_t a[MOST], b[MOST];
    return gf_windows_wide(from, a) && gf_windows_wide(to, b) ? result(CreateHardLinkW(b, a, NULL))
                                                              : -1;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    (void)from_folder, (void)to_folder, (void)flags;
    return link(from, to);
}

int unlink(const char *path) {
    wchar_t wide[MOST];
    return gf_windows_wide(path, wide) ? result(DeleteFileW(wide)) : -1;
}

int unlinkat(int folder, const char *name, int flags) {
    char room[MOST];
    const char *path = path_at(folder, name, room);
    (void)flags;
    return path ? unlink(path) : -1;
}

int mkdir(const char *path, unsigned mode) {
    wchar_t wide[MOST];
    (void)mode;
    return gf_windows_wide(path, wide) ? result(CreateDirectoryW(wide, NULL)) : -1;
}

int mkdirat(int folder, const char *name, unsigned mode) {
    char room[MOST];
    const char *path = path_at(folder, name, room);
    return path ? mkdir(path, mode) : -1;
}

int chdir(const char *path) {
    wchar_t wide[MOST];
    return gf_windows_wide(path, wide) ? result(SetCurrentDirectoryW(wide)) : -1;
}

int fchdir(int fd) {
    char path[MOST];
    return path_of(fd, path) ? chdir(path) : -1;
}

char *getcwd(char *path, size_t size) {
    wchar_t wide[MOST];
    return GetCurrentDirectoryW(MOST, wide) && gf_windows_narrow(wide, path, size) ? path : NULL;
}

int gf_posix_touch(int folder, const char *name) {
    char room[MOST];
    FILETIME now;
    const char *path = path_at(folder, name, room);
    HANDLE h =
        path ? open_handle(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING, 0) : INVALID_HANDLE_VALUE;
    if (h == INVALID_HANDLE_VALUE)
        return -1;
    GetSystemTimeAsFileTime(&now);
    const int rc = result(SetFileTime(h, NULL, NULL, &now));
    CloseHandle(h);
    return rc;
}

/* ---- data ---- */

static OVERLAPPED at_offset(int64_t at) {
    return (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
}

ssize_t pread(int fd, void *to, size_t n, int64_t at) {
    OVERLAPPED where = at_offset(at);
    DWORD done = 0;
    if (ReadFile(handle(fd), to, (DWORD)n, &done, &where) || GetLastError() == ERROR_HANDLE_EOF)
        return done;
    return gf_windows_fail();
}

ssize_t pwrite(int fd, const void *from, size_t n, int64_t at) {
    OVERLAPPED where = at_offset(at);
    DWORD done = 0;
    return WriteFile(handle(fd), from, (DWORD)n, &done, &where) ? (ssize_t)done : gf_windows_fail();
}

int fsync(int fd) {
    return result(FlushFileBuffers(handle(fd)));
}

int fallocate(int fd, int mode, int64_t at, int64_t n) {
    (void)fd, (void)mode, (void)at, (void)n;
    errno = ENOSYS;
    return -1;
}

int fcntl(int fd, int command, ...) {
    va_list list;
    va_start(list, command);
    const struct flock *range = command == F_OFD_SETLK ? va_arg(list, const struct flock *) : NULL;
    va_end(list);
    if (command == F_DUPFD_CLOEXEC)
        return dup(fd);
    if (handle(fd) == INVALID_HANDLE_VALUE) {
        errno = EBADF;
        return -1;
    }
    if (command == F_GETFD)
        return 0;
    OVERLAPPED where = at_offset(range->l_start);
    return result(LockFileEx(handle(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0,
                             (DWORD)range->l_len, 0, &where));
}

int flock(int fd, int command) {
    (void)fd, (void)command;
    errno = ENOLCK;
    return -1;
}

int fstatvfs(int fd, struct statvfs *v) {
    char path[MOST], *slash;
    wchar_t wide[MOST];
    ULARGE_INTEGER mine, all;
    if (!path_of(fd, path))
        return -1;
    if ((slash = strrchr(path, '/')))
        slash[1] = 0;
    if (!gf_windows_wide(path, wide) || !GetDiskFreeSpaceExW(wide, &mine, &all, NULL))
        return gf_windows_fail();
    *v = (struct statvfs){1, 1, mine.QuadPart, all.QuadPart};
    return 0;
}

/* ---- folders ---- */

struct gf_posix_folder {
    int fd;
    HANDLE search; /* INVALID_HANDLE_VALUE before the first entry */
    struct dirent entry;
};

DIR *fdopendir(int fd) {
    DIR *d = malloc(sizeof *d);
    if (d)
        *d = (DIR){.fd = fd, .search = INVALID_HANDLE_VALUE};
    return d;
}

DIR *opendir(const char *path) {
    const int fd = open(path, O_RDONLY | O_DIRECTORY);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    return d;
}

struct dirent *readdir(DIR *d) {
    WIN32_FIND_DATAW found;
    char path[MOST];
    wchar_t wide[MOST];
    bool good;
    if (d->search != INVALID_HANDLE_VALUE) {
        good = FindNextFileW(d->search, &found);
    } else {
        if (!path_at(d->fd, "*", path) || !gf_windows_wide(path, wide))
            return NULL;
        d->search = FindFirstFileW(wide, &found);
        good = d->search != INVALID_HANDLE_VALUE;
    }
    if (good && gf_windows_narrow(found.cFileName, d->entry.d_name, sizeof d->entry.d_name))
        return &d->entry;
    if (!good && GetLastError() != ERROR_NO_MORE_FILES && GetLastError() != ERROR_FILE_NOT_FOUND)
        gf_windows_fail();
    return NULL;
}

int closedir(DIR *d) {
    if (d->search != INVALID_HANDLE_VALUE)
        FindClose(d->search);
    close(d->fd);
    free(d);
    return 0;
}

int dirfd(const DIR *d) {
    return d->fd;
}
