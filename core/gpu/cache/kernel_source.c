/* Flattens a kernel's source: replaces its includes by the files' text. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu/cache/kernel_source.h"
#include "core/gpu/cache/kernel_embedded.h"
#include "core/base/process.h"
#include "core/base/status.h"

enum { MAX_DEPTH = 12, MAX_NAME = 64, MAX_TEXT = 4 << 20 };

struct text {
    char *data;
    size_t used, room;
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

/* The file from a folder (GPUFFT_KERNEL_DIR), in memory that the caller frees. */
static int read_file(const char *folder, const char *file, char **text) {
    struct text t = {NULL, 0, 0};
    char *path = NULL, piece[4096];
    FILE *f = NULL;
    size_t n;
    int rc = add(&t, "", 0);
    const char *suffix = strrchr(file, '.');
    const bool shader = suffix && (!strcmp(suffix, ".comp") || !strcmp(suffix, ".glsl"));
    if (!rc && asprintf(&path, "%s/%s%s", folder, shader ? "gl/" : "", file) < 0) {
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

/* The file's text. The caller frees `taken`, which holds it where it is not a constant. */
static int find(const char *file, const char **text, char **taken) {
    const char *folder = gf_process()->kernel_folder;
    *taken = NULL;
    if (folder) {
        int rc = read_file(folder, file, taken);
        *text = *taken;
        return rc;
    }
    for (const struct gf_kernel_file *f = gf_kernel_files; f->name; f++) {
        if (!strcmp(f->name, file)) {
            *text = (const char *)f->text;
            return 0;
        }
    }
    return gf_fail(GF_EBACKEND, "there is no kernel source '%s'", file);
}

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* True for a line #include "name"; a line #include <name> is left alone. */
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

/* Files have plain names, so that a source cannot include a file outside its folder. */
static bool is_plain(const char *name) {
    bool plain = isalnum((unsigned char)*name);
    for (; *name; name++)
        plain = plain && (isalnum((unsigned char)*name) || strchr("._-", *name));
    return plain;
}

static int flatten(struct text *t, const char *file, int depth) {
    const char *text = "";
    char *taken, name[MAX_NAME];
    int rc = find(file, &text, &taken);
    if (!rc)
        rc = add_marker(t, 1, file);
    for (int line = 1; !rc && *text; line++) {
        size_t n = strcspn(text, "\n");
        if (!is_include(text, name)) {
            rc = add(t, text, n);
            if (!rc)
                rc = add(t, "\n", 1);
        } else if (!is_plain(name)) {
            rc = gf_fail(GF_EBACKEND, "kernels/%s:%d: '%s' is not a file name", file, line, name);
        } else if (depth == MAX_DEPTH) {
            rc = gf_fail(GF_EBACKEND, "kernels/%s:%d: includes are nested too deeply", file, line);
        } else {
            rc = flatten(t, name, depth + 1);
            if (!rc)
                rc = add_marker(t, line + 1, file);
            else if (depth == 0) /* the outermost file and line; the message has the innermost */
                rc = gf_fail(rc, "%s (from kernels/%s:%d)", gf_message(), file, line);
        }
        text += n;
        text += *text == '\n';
    }
    free(taken);
    return rc;
}

int gf_kernel_source(const char *file, char **text) {
    struct text t = {NULL, 0, 0};
    *text = NULL;
    if (!is_plain(file))
        return gf_fail(GF_EBACKEND, "there is no kernel source '%s'", file);
    int rc = flatten(&t, file, 0);
    if (rc)
        free(t.data);
    else
        *text = t.data;
    return rc;
}
