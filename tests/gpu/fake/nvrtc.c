/* NVRTC: a kernel's text becomes C (the "PTX"), and C the shared library that is its binary. */
#include "tests/gpu/fake/fake.h"

#include <ctype.h>
#include <dirent.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* FAKE_PRELUDE: the path of prelude.h. FAKE_STAMP: a symbol of every binary, which says of which prelude it is.
 * Alignment is trapped, as devices do. */
#define TO_C "cc -E -x c -std=gnu11 @%s/options -include '" FAKE_PRELUDE "' %s/k.cu -o %s/k.c"
#define TO_LIBRARY \
    "cc -O1 -w -std=gnu11 -fno-strict-aliasing -fsanitize=alignment " \
    "-fsanitize-undefined-trap-on-error -fPIC -shared -x cpp-output %s/k.c -o %s/k.so"

enum {
    OUT_OF_MEMORY_HERE = 1,
    INVALID_INPUT = 3,
    INVALID_OPTION = 5,
    COMPILATION = 6,
    INTERNAL = 11
};
enum { ARCHS = 16 };

extern char **environ;

struct program {
    char *source, *ptx, *binary, *log;
    size_t binary_bytes;
};

/* ---- files ---- */

bool fake_folder(char folder[64]) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, 64, "%.40s/fake-cuda-XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) != NULL;
}

static void join(char path[256], const char *folder, const char *name) {
    snprintf(path, 256, "%s/%s", folder, name);
}

void fake_folder_drop(const char *folder) {
    static const char *const names[] = {"k.cu", "k.c", "k.so", "options", "log"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        join(path, folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

char *fake_read(const char *folder, const char *name, size_t *bytes) {
    char path[256], *text = NULL;
    join(path, folder, name);
    FILE *f = fopen(path, "re");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    rewind(f);
    text = calloc(1, (size_t)size + 1);
    *bytes = fread(text, 1, (size_t)size, f);
    fclose(f);
    return text;
}

bool fake_write(const char *folder, const char *name, const void *data, size_t bytes) {
    char path[256];
    join(path, folder, name);
    FILE *f = fopen(path, "we");
    const bool good = f && fwrite(data, 1, bytes, f) == bytes;
    return (!f || !fclose(f)) && good;
}

/* Not system(), which changes what the program's signals do. */
int fake_shell(const char *command) {
    char *const argv[] = {(char *)"sh", (char *)"-c", (char *)(uintptr_t)command, NULL};
    pid_t child;
    int status;
    if (posix_spawnp(&child, "sh", NULL, NULL, argv, environ))
        return -1;
    while (waitpid(child, &status, 0) < 0)
        ;
    return status;
}

/* ---- from CUDA to C ---- */

/* Blanks out the text from `begin` to `end`. */
static void blank(char *begin, const char *end) {
    memset(begin, ' ', (size_t)(end - begin));
}

static char *skip_blanks(char *at) {
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Behind the parenthesis that belongs to the one at `at`. */
static char *behind(char *at) {
    int depth = 0;
    do {
        depth += (*at == '(') - (*at == ')');
    } while (*at++ && depth);
    return at;
}

/* `extern __shared__ … TYPE tile[];` becomes a pointer to the group's. False: it is not like that. */
static bool declare_tiles(char **text) {
    static const char words[] = "extern __shared__";
    for (char *at; (at = strstr(*text, words));) {
        char *end = strchr(at, ';'), *last = end ? strstr(at, "tile[]") : NULL, *type, *whole;
        if (!last || last > end)
            return false;
        type = last - 1;
        while (type > at && isspace((unsigned char)*type))
            type--;
        char *type_end = type + 1;
        while (isalnum((unsigned char)type[-1]) || type[-1] == '_')
            type--;
        const int length = (int)(type_end - type);
        if (asprintf(&whole, "%.*s%.*s *tile = fake_group->tile%s", (int)(at - *text), *text,
                     length, type, end) < 0)
            return false;
        free(*text);
        *text = whole;
    }
    return true;
}

/* Writes, behind the text, how the driver calls the kernel whose parameters begin at `open`. */
static void describe(FILE *f, const char *name, int length, const char *limit, char *open) {
    char *close = behind(open) - 1, sizes[4096] = "", call[4096] = "", *at = open + 1;
    for (int n = 0; at < close; n++) {
        const char *end = at;
        while (end < close && *end != ',')
            end++;
        const char *word = end; /* the parameter's own name is its last word */
        while (isspace((unsigned char)word[-1]))
            word--;
        while (isalnum((unsigned char)word[-1]) || word[-1] == '_')
            word--;
        const int type = (int)(word - at);
        size_t used = strlen(sizes);
        snprintf(sizes + used, sizeof sizes - used, "sizeof(%.*s), ", type, at);
        used = strlen(call);
        snprintf(call + used, sizeof call - used, "%s*(%.*s *)a[%d]", n ? ", " : "", type, at, n);
        at += end + 1 - at;
    }
    fprintf(f,
            "\nconst int fake_threads_%.*s = %s;\nconst int fake_sizes_%.*s[] = {%s0};\n"
            "void fake_call_%.*s(void **a) { %.*s(%s); }\n",
            length, name, limit, length, name, sizes, length, name, length, name, call);
}

/* The preprocessed kernel as C, and a description of each entry behind it. In memory the caller frees. */
static char *to_c(char *text) {
    char *out = NULL, *tail = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&tail, &bytes);
    for (char *at = text; (at = strstr(at, "extern \"C\""));)
        blank(at, at + strlen("extern \"C\""));
    for (char *at = text; (at = strstr(at, "__global__"));) {
        char *name = skip_blanks(strstr(at, "void") + 4), limit[64] = "1024";
        blank(at, at + strlen("__global__"));
        if (!strncmp(name, "__launch_bounds__", 17)) {
            char *open = strchr(name, '('), *end = behind(open);
            snprintf(limit, sizeof limit, "%.*s", (int)strcspn(open + 1, ",)"), open + 1);
            blank(name, end);
            name = skip_blanks(end);
        }
        describe(f, name, (int)strcspn(name, " ("), limit, strchr(name, '('));
        at = name;
    }
    fprintf(f, "const int " FAKE_STAMP " = 1;\n");
    fclose(f);
    if (declare_tiles(&text) && asprintf(&out, FAKE_PTX "%s%s", text, tail) < 0)
        out = NULL;
    free(text);
    free(tail);
    return out;
}

/* ---- the compiler ---- */

int fake_compile(const char *folder, const char *ptx, char path[256]) {
    char command[1024];
    join(path, folder, "k.so");
    snprintf(command, sizeof command, TO_LIBRARY " 2>%s/log", folder, folder, folder);
    return fake_write(folder, "k.c", ptx, strlen(ptx)) ? fake_shell(command) : -1;
}

/* Writes the -D options to a file for the compiler; the others must be those NVRTC accepts. */
static int write_options(const char *folder, int n, const char *const *options, bool *ptx_alone) {
    static const char *const known[] = {"--std=c++14", "-default-device", "--fmad=true"};
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    int code = 0;
    bool architecture = false;
    for (int i = 0; i < n && !code; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            found |= !strcmp(options[i], known[k]);
        if (!strncmp(options[i], "--gpu-architecture=", 19)) {
            *ptx_alone = !strncmp(options[i] + 19, "compute_", 8);
            found = architecture = true;
        }
        if (!strncmp(options[i], "-D", 2))
            fprintf(f, "'%s'\n", options[i]);
        else if (!found)
            code = INVALID_OPTION;
    }
    fclose(f);
    if (!code && !architecture)
        code = INVALID_OPTION;
    if (!code && !fake_write(folder, "options", text, bytes))
        code = INTERNAL;
    free(text);
    return code;
}

static int compile(struct program *p, const char *folder, int n, const char *const *options) {
    char command[1024], path[256];
    bool ptx_alone = false;
    size_t bytes;
    int code = write_options(folder, n, options, &ptx_alone);
    if (code)
        return code;
    snprintf(command, sizeof command, TO_C " 2>%s/log", folder, folder, folder, folder);
    if (!fake_write(folder, "k.cu", p->source, strlen(p->source)))
        return INTERNAL;
    if (fake_shell(command))
        return COMPILATION;
    char *text = fake_read(folder, "k.c", &bytes);
    p->ptx = text ? to_c(text) : NULL;
    if (!p->ptx)
        return INTERNAL;
    if (ptx_alone)
        return 0;
    if (fake_compile(folder, p->ptx, path))
        return COMPILATION;
    p->binary = fake_read(folder, "k.so", &p->binary_bytes);
    return p->binary ? 0 : INTERNAL;
}

/* FNV-1a. */
static uint64_t checksum(const char *text) {
    uint64_t sum = 0xcbf29ce484222325;
    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3;
    return sum;
}

int nvrtcCompileProgram(void *program, int n, const char *const *options) {
    struct program *p = program;
    char folder[64];
    size_t bytes;
    int code = fake_begin(__func__);
    fake_note("    a text of %zu bytes, checksum %016llx, %d options", strlen(p->source),
              (unsigned long long)checksum(p->source), n);
    fake_end(0); /* several may compile at a time */
    if (code || !fake_folder(folder))
        return code ? code : INTERNAL;
    code = compile(p, folder, n, options);
    p->log = fake_read(folder, "log", &bytes);
    fake_folder_drop(folder);
    return code;
}

int nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return fake_end(fake_begin(__func__));
}

/* FAKE_NVRTC_ARCHS: those it knows, ascending. */
static int list_archs(int list[ARCHS]) {
    const char *at = getenv("FAKE_NVRTC_ARCHS");
    int n = 0;
    char *end;
    for (at = at ? at : "75 80 86 89 90"; n < ARCHS && *at; at = end + (*end == ' '))
        list[n++] = (int)strtol(at, &end, 10);
    return n;
}

int nvrtcGetNumSupportedArchs(int *n) {
    int list[ARCHS];
    *n = list_archs(list);
    return fake_end(fake_begin(__func__));
}

int nvrtcGetSupportedArchs(int *list) {
    int own[ARCHS];
    const int n = list_archs(own);
    memcpy(list, own, (size_t)n * sizeof *list);
    return fake_end(fake_begin(__func__));
}

int nvrtcCreateProgram(void **program, const char *source, const char *name, int n_headers,
                       const char *const *headers, const char *const *names) {
    const int code = fake_begin(__func__);
    if (code || n_headers || headers || names || !name)
        return fake_end(code ? code : INVALID_INPUT);
    struct program *p = calloc(1, sizeof *p);
    p->source = strdup(source);
    *program = p;
    return fake_end(0);
}

int nvrtcDestroyProgram(void **program) {
    struct program *p = *program;
    free(p->source);
    free(p->ptx);
    free(p->binary);
    free(p->log);
    free(p);
    *program = NULL;
    return fake_end(fake_begin(__func__));
}

/* A result's size, and a copy of it. */
static int size_of(const char *name, const void *result, size_t size, size_t *bytes) {
    const int code = fake_begin(name);
    *bytes = size;
    return fake_end(code ? code : result ? 0 : INVALID_INPUT);
}
static int copy_of(const char *name, const void *result, size_t size, char *to) {
    const int code = fake_begin(name);
    if (!code && result)
        memcpy(to, result, size);
    return fake_end(code ? code : result ? 0 : INVALID_INPUT);
}

int nvrtcGetCUBINSize(const struct program *p, size_t *bytes) {
    return size_of(__func__, p->binary, p->binary_bytes, bytes);
}
int nvrtcGetCUBIN(const struct program *p, char *to) {
    return copy_of(__func__, p->binary, p->binary_bytes, to);
}
int nvrtcGetPTXSize(const struct program *p, size_t *bytes) {
    return size_of(__func__, p->ptx, p->ptx ? strlen(p->ptx) + 1 : 0, bytes);
}
int nvrtcGetPTX(const struct program *p, char *to) {
    return copy_of(__func__, p->ptx, p->ptx ? strlen(p->ptx) + 1 : 0, to);
}
int nvrtcGetProgramLogSize(const struct program *p, size_t *bytes) {
    return size_of(__func__, p->log, p->log ? strlen(p->log) + 1 : 0, bytes);
}
int nvrtcGetProgramLog(const struct program *p, char *to) {
    return copy_of(__func__, p->log, p->log ? strlen(p->log) + 1 : 0, to);
}
const char *nvrtcGetErrorString(int code) {
    return code == COMPILATION          ? "NVRTC_ERROR_COMPILATION"
           : code == INVALID_OPTION     ? "NVRTC_ERROR_INVALID_OPTION"
           : code == OUT_OF_MEMORY_HERE ? "NVRTC_ERROR_OUT_OF_MEMORY"
                                        : "NVRTC_ERROR_INTERNAL_ERROR";
}
