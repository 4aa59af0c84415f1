/* The rest of POSIX on Windows, see posix.h: the start of the program, signals, memory, libraries and texts. */
#include <omp.h>
#include <windows.h>

#include "core/base/host/windows/names.h"
#include "core/base/host/windows/wide.h"

#undef free

/* ---- the start: arguments and variables in UTF-8, with slashes ---- */

int _dowildcard = 0; /* MinGW's own expansion knows no UTF-16 */

static char **variables; /* "NAME=value", as given at the start; lasts until the end */

struct words {
    char **at;
    int n;
};

static bool add(struct words *w, const wchar_t *before, const wchar_t *text) {
    const size_t size = 3 * (wcslen(before) + wcslen(text)) + 1;
    char **more = realloc(w->at, ((size_t)w->n + 2) * sizeof *more);
    wchar_t *whole = malloc(size * sizeof *whole);
    if (more)
        w->at = more;
    if (!more || !whole || !(more[w->n] = malloc(size))) {
        free(whole);
        return false;
    }
    wcscat(wcscpy(whole, before), text);
    const bool good = gf_windows_narrow(whole, more[w->n], size);
    free(whole);
    more[++w->n] = NULL;
    return good;
}

static int by_name(const void *a, const void *b) {
    return wcscmp(*(wchar_t *const *)a, *(wchar_t *const *)b);
}

/* Adds the files that a pattern in a path's last part matches; *n is their number. */
static bool expand(struct words *w, wchar_t *pattern, int *n) {
    char narrow[PATH_MAX];
    wchar_t wide[PATH_MAX], **name = NULL, *last = pattern;
    WIN32_FIND_DATAW found;
    bool good = true;
    for (wchar_t *p = pattern; *p; p++)
        last = *p == '/' || *p == '\\' || (*p == ':' && p == pattern + 1) ? p + 1 : last;
    *n = 0;
    HANDLE h = gf_windows_narrow(pattern, narrow, sizeof narrow) && gf_windows_wide(narrow, wide)
                   ? FindFirstFileW(wide, &found)
                   : INVALID_HANDLE_VALUE;
    for (BOOL more = h != INVALID_HANDLE_VALUE; good && more; more = FindNextFileW(h, &found)) {
        /* Windows compares with short names ("IMAGE~1.TIF"), too. */
        if (!gf_windows_matches(last, found.cFileName))
            continue;
        wchar_t **list = realloc(name, ((size_t)*n + 1) * sizeof *list);
        good = list && (list[*n] = wcsdup(found.cFileName));
        name = list ? list : name;
        *n += good;
    }
    if (h != INVALID_HANDLE_VALUE)
        FindClose(h);
    if (*n)
        qsort(name, (size_t)*n, sizeof *name, by_name);
    *last = 0;
    for (int i = 0; i < *n; i++) {
        good = good && add(w, pattern, name[i]);
        free(name[i]);
    }
    free(name);
    return good;
}

static bool add_argument(struct words *w, const wchar_t *text) {
    int n = 0;
    bool good = true;
    if (*text != '-' && wcspbrk(text, L"*?")) {
        wchar_t *pattern = wcsdup(text);
        good = pattern && expand(w, pattern, &n);
        free(pattern);
    }
    return good && (n || add(w, L"", text));
}

static unsigned code_page_before;

static void restore_console(void) {
    SetConsoleOutputCP(code_page_before);
}

int wmain(int argc, wchar_t **argv, wchar_t **environment) {
    struct words words = {NULL, 0}, kept = {NULL, 0};
    bool good = true;
    for (int i = 0; i < argc && good; i++)
        good = i ? add_argument(&words, argv[i]) : add(&words, L"", argv[i]);
    for (; *environment && good; environment++)
        good = add(&kept, L"", *environment);
    if (!good) {
        fputs("gpufft: no memory for the arguments\n", stderr);
        return 1;
    }
    variables = kept.at;
    SetDllDirectoryW(L""); /* no library comes from the current folder */
    for (int fd = 0; fd < 3; fd++)
        _setmode(fd, _O_BINARY);
    if ((code_page_before = GetConsoleOutputCP())) {
        SetConsoleOutputCP(CP_UTF8);
        atexit(restore_console);
    }
    return main(words.n, words.at);
}

static char *variable(const char *name) {
    const size_t n = strlen(name);
    for (char **v = variables; v && *v; v++)
        if (!_strnicmp(*v, name, n) && (*v)[n] == '=')
            return *v + n + 1;
    return NULL;
}

char *gf_posix_getenv(const char *name) {
    char *value = variable(name);
    return value                             ? value
           : !strcmp(name, "HOME")           ? variable("USERPROFILE")
           : !strcmp(name, "XDG_CACHE_HOME") ? variable("LOCALAPPDATA")
                                             : NULL;
}

int setenv(const char *name, const char *value, int replace) {
    return (replace || !variable(name)) && _putenv_s(name, value) ? -1 : 0;
}

/* ---- signals ---- */

static struct sigaction handlers[32];

static BOOL WINAPI on_control(DWORD event) {
    const int number = event == CTRL_C_EVENT ? SIGINT : SIGTERM;
    void (*handler)(int) = handlers[number].sa_handler;
    if (!handler || handler == SIG_IGN)
        return handler == SIG_IGN;
    handler(number);
    return TRUE;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    if (old)
        *old = handlers[number];
    if (action)
        handlers[number] = *action;
    if (action && number == SIGINT)
        SetConsoleCtrlHandler(on_control, TRUE);
    return 0;
}

int pause(void) {
    Sleep(INFINITE);
    return -1;
}

/* ---- the machine ---- */

int getrlimit(int which, struct rlimit *limit) {
    MEMORYSTATUSEX m = {.dwLength = sizeof m};
    if (which != RLIMIT_AS || !GlobalMemoryStatusEx(&m))
        return -1;
    const uint64_t room = m.ullAvailPhys < m.ullAvailPageFile ? m.ullAvailPhys : m.ullAvailPageFile;
    *limit = (struct rlimit){room, room};
    return 0;
}

int setrlimit(int which, const struct rlimit *limit) {
    (void)which, (void)limit;
    return -1;
}

/* Bytes of the largest cache of that level. */
static long cache_size(int level) {
    DWORD bytes = 0;
    long most = 0;
    GetLogicalProcessorInformation(NULL, &bytes);
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION *i = malloc(bytes ? bytes : 1);
    if (i && bytes && GetLogicalProcessorInformation(i, &bytes))
        for (size_t k = 0; k < bytes / sizeof *i; k++)
            if (i[k].Relationship == RelationCache && i[k].Cache.Level == level &&
                i[k].Cache.Type != CacheInstruction && (long)i[k].Cache.Size > most)
                most = (long)i[k].Cache.Size;
    free(i);
    return most;
}

long sysconf(int name) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return name == _SC_PAGESIZE            ? (long)info.dwPageSize
           : name == _SC_NPROCESSORS_ONLN  ? (long)info.dwNumberOfProcessors
           : name == _SC_LEVEL2_CACHE_SIZE ? cache_size(2)
                                           : cache_size(3);
}

int sched_getaffinity(int process, size_t size, cpu_set_t *set) {
    DWORD_PTR own = 0, all;
    (void)process, (void)size;
    const bool known = GetProcessAffinityMask(GetCurrentProcess(), &own, &all) && own;
    set->bits = own;
    return known ? 0 : -1;
}

ssize_t getrandom(void *to, size_t n, unsigned flags) {
    unsigned word;
    (void)flags;
    for (size_t done = 0; done < n; done += sizeof word) {
        if (rand_s(&word))
            return -1;
        memcpy((char *)to + done, &word, n - done < sizeof word ? n - done : sizeof word);
    }
    return (ssize_t)n;
}

/* ---- memory ---- */

void *gf_posix_aligned(size_t bytes) {
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

/* Tells blocks of VirtualAlloc() from those of malloc(), which precedes its blocks with a head. */
void gf_posix_free(void *p) {
    MEMORY_BASIC_INFORMATION i;
    if (p && (uintptr_t)p % 65536 == 0 && VirtualQuery(p, &i, sizeof i) && i.AllocationBase == p)
        VirtualFree(p, 0, MEM_RELEASE);
    else
        free(p);
}

/* ---- libraries ---- */

const char *gf_library_here(const char *soname) {
    return gf_windows_library(soname);
}

void *dlopen(const char *name, int flags) {
    wchar_t wide[PATH_MAX];
    const bool is_path = strchr(name, '/');
    (void)flags;
    if (is_path ? !gf_windows_wide(name, wide)
                : !MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, PATH_MAX))
        return NULL;
    return LoadLibraryExW(wide, NULL, is_path ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
}

void *dlsym(void *library, const char *name) {
    const FARPROC found = GetProcAddress(library, name);
    void *p;
    memcpy(&p, &found, sizeof p);
    return p;
}

int dlclose(void *library) {
    return !FreeLibrary(library);
}

int dladdr(const void *function, Dl_info *info) {
    static _Thread_local char path[PATH_MAX];
    wchar_t wide[PATH_MAX];
    HMODULE module;
    info->dli_fname = path;
    return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                  GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                              function, &module) &&
           GetModuleFileNameW(module, wide, PATH_MAX) && gf_windows_narrow(wide, path, sizeof path);
}

/* ---- texts ---- */

#undef strerror
char *gf_posix_strerror(int error) {
    static char in_use[] = "In use by another program", too_long[] = "File name too long",
                busy[] = "Resource busy";
    return error == ETXTBSY        ? in_use
           : error == ENAMETOOLONG ? too_long
           : error == EBUSY        ? busy
                                   : strerror(error);
}

/* Streams whose text their owner gets after fclose(). The text is in a file of the system's until then. */
struct stream {
    FILE *f;
    char **text;
    size_t *size;
    struct stream *next;
};
static struct stream *streams;
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;

FILE *open_memstream(char **text, size_t *size) {
    struct stream *s = malloc(sizeof *s);
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    HANDLE h = INVALID_HANDLE_VALUE;
    if (s && GetTempPathW(MAX_PATH, folder) && GetTempFileNameW(folder, L"gpu", 0, name))
        h = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE, NULL, CREATE_ALWAYS,
                        FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    const int fd =
        h == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)h, _O_BINARY | _O_RDWR);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w+b");
    if (!f) {
        free(s);
        return NULL;
    }
    pthread_mutex_lock(&streams_lock);
    *s = (struct stream){f, text, size, streams};
    streams = s;
    pthread_mutex_unlock(&streams_lock);
    return f;
}

#undef fclose
static bool take_text(const struct stream *s) {
    const bool wrote = !fflush(s->f) && !ferror(s->f);
    const int64_t n = wrote ? _ftelli64(s->f) : -1;
    *s->text = n < 0 ? NULL : malloc((size_t)n + 1);
    if (!*s->text)
        return false;
    rewind(s->f);
    *s->size = fread(*s->text, 1, (size_t)n, s->f);
    (*s->text)[*s->size] = 0;
    return *s->size == (size_t)n;
}

int gf_posix_fclose(FILE *f) {
    bool good = true;
    pthread_mutex_lock(&streams_lock);
    struct stream **at = &streams, *s;
    while (*at && (*at)->f != f)
        at = &(*at)->next;
    if ((s = *at))
        *at = s->next;
    pthread_mutex_unlock(&streams_lock);
    if (s)
        good = take_text(s);
    free(s);
    return fclose(f) || !good ? EOF : 0;
}

ssize_t getdelim(char **line, size_t *size, int end, FILE *f) {
    size_t n = 0;
    int c = 0;
    while (c != end && (c = getc(f)) != EOF) {
        if (n + 2 > *size) {
            char *more = realloc(*line, 2 * n + 256);
            if (!more)
                return -1;
            *line = more;
            *size = 2 * n + 256;
        }
        (*line)[n++] = (char)c;
    }
    if (n)
        (*line)[n] = 0;
    return n ? (ssize_t)n : -1;
}

char *stpcpy(char *to, const char *from) {
    const size_t n = strlen(from);
    memcpy(to, from, n + 1);
    return to + n;
}

char *strndup(const char *text, size_t n) {
    n = strnlen(text, n);
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}

char *strsep(char **rest, const char *ends) {
    char *word = *rest;
    if (word) {
        char *end = word + strcspn(word, ends);
        *rest = *end ? end + 1 : NULL;
        *end = 0;
    }
    return word;
}

void *memmem(const void *in, size_t n, const void *what, size_t m) {
    for (const char *p = in; m <= n; p++, n--)
        if (!memcmp(p, what, m))
            return (char *)(uintptr_t)p;
    return NULL;
}

char *strcasestr(const char *text, const char *word) {
    const size_t n = strlen(word);
    for (; strlen(text) >= n; text++)
        if (!_strnicmp(text, word, n))
            return (char *)(uintptr_t)text;
    return NULL;
}

void tdestroy(void *root, void (*drop)(void *entry)) {
    struct node { /* as tsearch() makes them */
        void *key;
        struct node *left, *right;
    } *n = root;
    if (!n)
        return;
    tdestroy(n->left, drop);
    tdestroy(n->right, drop);
    drop(n->key);
    free(n);
}
