/* Flattens a kernel's source: replaces its includes by the files, and lists of names by lines. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu/cache/kernel_source.h"
#include "core/base/value/array.h"
#include "core/base/value/status.h"

enum { MAX_DEPTH = 12, MAX_NAME = 64, MAX_GUARDS = 64, MAX_TEXT = 4 << 20 };

struct text {
    const struct gf_environment *environment;
    char *data;
    size_t used, room;
    char guard[MAX_GUARDS][MAX_NAME]; /* of included files, which add nothing more */
    int guards;
};

static int add(struct text *t, const char *from, size_t bytes) {
    if (t->used + bytes + 1 > t->room) {
        size_t room = 2 * (t->used + bytes) + 4096;
        char *more = room <= 2 * (size_t)MAX_TEXT + 4096 ? realloc(t->data, room) : NULL;
        if (!more)
            return gf_fail(GF_ENOMEM, "no memory for a kernel's source");
        t->data = more;
        t->room = room;
    }
    memcpy(t->data + t->used, from, bytes);
    t->used += bytes;
    t->data[t->used] = 0;
    return 0;
}

static int add_marker(struct text *t, int line, const char *file) {
    char marker[MAX_NAME + 48];
    int n = snprintf(marker, sizeof marker, "#line %d \"kernels/%s\"\n", line, file);
    return add(t, marker, (size_t)n);
}

/* NULL: there is no such file in kernels/. */
static const struct gf_kernel_file *embedded(const char *file) {
    const struct gf_kernel_file *f = gf_kernel_files;
    while (f->name && strcmp(f->name, file))
        f++;
    return f->name ? f : NULL;
}

/* Reads a file from GPUFFT_KERNEL_DIR; the caller frees *text. */
static int read_file(const char *folder, const char *file, char **text) {
    struct text t = {.data = NULL};
    char *path = NULL, piece[4096];
    FILE *f = NULL;
    size_t n;
    int rc = add(&t, "", 0);
    const struct gf_kernel_file *own = embedded(file);
    if (!rc && asprintf(&path, "%s/%s", folder, own ? own->path : file) < 0) {
        path = NULL;
        rc = gf_fail(GF_ENOMEM, "no memory for a kernel's source");
    }
    if (rc)
        goto out;
    f = fopen(path, "re");
    if (!f) {
        rc = gf_fail(GF_EIO, "'%s' (GPUFFT_KERNEL_DIR): %s", path, strerror(errno));
        goto out;
    }
    while (!rc && (n = fread(piece, 1, sizeof piece, f)) > 0)
        rc = add(&t, piece, n);
    if (!rc && ferror(f))
        rc = gf_fail(GF_EIO, "'%s': %s", path, strerror(errno));
out:
    if (f)
        fclose(f);
    free(path);
    if (rc)
        free(t.data);
    *text = rc ? NULL : t.data;
    return rc;
}

/* Sets *text to the file; the caller frees *taken, which owns it or is NULL. */
static int find(const struct gf_environment *env, const char *file, const char **text,
                char **taken) {
    const char *folder = gf_environment_kernels(env);
    *taken = NULL;
    if (folder) {
        int rc = read_file(folder, file, taken);
        *text = *taken;
        return rc;
    }
    const struct gf_kernel_file *own = embedded(file);
    if (!own)
        return gf_fail(GF_EBACKEND, "there is no kernel source '%s'", file);
    *text = (const char *)own->text;
    return 0;
}

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* True for a line #include "name", but not #include <name>. */
static bool is_include(const char *line, char name[MAX_NAME]) {
    line = skip_blanks(line);
    if (*line++ != '#')
        return false;
    line = skip_blanks(line);
    if (strncmp(line, "include", 7))
        return false;
    line = skip_blanks(line + 7);
    if (*line++ != '"')
        return false;
    if (!strncmp(line, "kernels/", 8))
        line += 8;
    size_t n = strcspn(line, "\"\n");
    if (line[n] != '"' || n >= MAX_NAME)
        return false;
    memcpy(name, line, n);
    name[n] = 0;
    return true;
}

/* Plain names keep a source from including files outside its folder. */
static bool is_plain(const char *name) {
    bool plain = isalnum((unsigned char)*name);
    for (; *name; name++)
        plain = plain && (isalnum((unsigned char)*name) || strchr("._-", *name));
    return plain;
}

/* Returns the word of *n characters after "#directive"; NULL for any other line. */
static const char *after(const char *line, const char *directive, size_t *n) {
    const size_t length = strlen(directive);
    line = skip_blanks(line);
    if (*line++ != '#' || strncmp(line = skip_blanks(line), directive, length))
        return NULL;
    line = skip_blanks(line + length);
    *n = strcspn(line, " \t\n");
    return line;
}

static char *find_guard(struct text *t, const char *name, size_t n) {
    for (int i = 0; i < t->guards; i++)
        if (strlen(t->guard[i]) == n && !strncmp(t->guard[i], name, n))
            return t->guard[i];
    return NULL;
}

/* Returns a file's guard: the name in its first directive, an #ifndef, and in the #define on the
 * next line. NULL if it has none. */
static const char *guard_of(const char *text, size_t *n) {
    size_t defined;
    while (*text && *text != '#')
        text += strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
    const char *name = after(text, "ifndef", n);
    const char *next = name ? strchr(name, '\n') : NULL;
    const char *again = next ? after(next + 1, "define", &defined) : NULL;
    return again && defined == *n && *n < MAX_NAME && !strncmp(name, again, *n) ? name : NULL;
}

/* Returns how many conditionals are open after this line; forgets a guard that it undefines. */
static int follow(struct text *t, const char *line, int open) {
    size_t n;
    const char *name = after(line, "undef", &n);
    char *guard = name ? find_guard(t, name, n) : NULL;
    if (guard)
        *guard = 0;
    return open + (after(line, "if", &n) != NULL) - (after(line, "endif", &n) != NULL);
}

/* True for "#pragma undef NAME…" and "#pragma rename PREFIX NAME…"; sets where the names begin, and
 * the prefix, "" without one. */
static bool is_list(const char *line, int *names, char prefix[MAX_NAME]) {
    size_t n;
    *names = 0;
    *prefix = 0;
    if (after(line, "pragma", &n)) {
        sscanf(line, "#pragma undef%n", names);
        sscanf(line, "#pragma rename %63s%n", prefix, names);
    }
    return *names > 0;
}

/* Adds an #undef for each name of a list and, with a prefix, a #define. */
static int add_names(struct text *t, const char *names, const char *prefix, int line,
                     const char *file) {
    int rc = 0;
    size_t n;
    for (; !rc && (n = strcspn(names = skip_blanks(names), " \t\n")); names += n) {
        char text[4 * MAX_NAME];
        const int m = (int)gf_min((int64_t)n, MAX_NAME - 1);
        snprintf(text, sizeof text, "#undef %.*s\n", m, names);
        follow(t, text, 0);
        rc = add(t, text, strlen(text));
        snprintf(text, sizeof text, "#define %.*s %s%.*s\n", m, names, prefix, m, names);
        if (!rc && *prefix)
            rc = add(t, text, strlen(text));
    }
    return rc ? rc : add_marker(t, line + 1, file);
}

static int flatten(struct text *t, const char *file, int depth, bool certain);

/* Adds an included file, unless its guard would skip it. */
static int include(struct text *t, const char *file, int line, const char *name, int depth,
                   bool certain) {
    int rc;
    if (!is_plain(name))
        return gf_fail(GF_EBACKEND, "kernels/%s:%d: '%s' is not a file name", file, line, name);
    if (depth == MAX_DEPTH)
        return gf_fail(GF_EBACKEND, "kernels/%s:%d: includes are nested too deeply", file, line);
    rc = flatten(t, name, depth + 1, certain);
    if (!rc)
        return add_marker(t, line + 1, file);
    /* the outermost file and line; the message has the innermost */
    return depth ? rc : gf_fail(rc, "%s (from kernels/%s:%d)", gf_message(), file, line);
}

/* `certain`: the compiler sees the file unconditionally. */
static int flatten(struct text *t, const char *file, int depth, bool certain) {
    const char *text = "";
    char *taken, name[MAX_NAME], prefix[MAX_NAME];
    size_t n = 0;
    int names, rc = find(t->environment, file, &text, &taken);
    const char *guard = rc ? NULL : guard_of(text, &n);
    const bool there = guard && find_guard(t, guard, n);
    int open = guard ? -1 : 0;
    if (!rc && !there)
        rc = add_marker(t, 1, file);
    if (!rc && guard && certain && !there && t->guards < MAX_GUARDS)
        snprintf(t->guard[t->guards++], MAX_NAME, "%.*s", (int)n, guard);
    for (int line = 1; !rc && !there && *text; line++) {
        n = strcspn(text, "\n");
        open = follow(t, text, open);
        if (is_include(text, name))
            rc = include(t, file, line, name, depth, certain && open == 0);
        else if (is_list(text, &names, prefix))
            rc = add_names(t, text + names, prefix, line, file);
        else if (!(rc = add(t, text, n)))
            rc = add(t, "\n", 1);
        text += n;
        text += *text == '\n';
    }
    free(taken);
    return rc;
}

int gf_kernel_source(const struct gf_environment *env, const char *file, char **text) {
    struct text t = {.environment = env};
    *text = NULL;
    if (!is_plain(file))
        return gf_fail(GF_EBACKEND, "there is no kernel source '%s'", file);
    int rc = flatten(&t, file, 0, true);
    if (rc)
        free(t.data);
    else
        *text = t.data;
    return rc;
}
