/* Makes one list of files from operands, folders and name lists. */
#include "cli/batch/inputs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/environment.h"
#include "cli/log.h"
#include "formats/io/guard.h"
#include "formats/zarr_folder.h"

static int compare_naturally(const char *a, const char *b) {
    const char *first_a = a, *first_b = b;
    while (*a && *b) {
        if (!isdigit((unsigned char)*a) || !isdigit((unsigned char)*b)) {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
            continue;
        }
        a += strspn(a, "0");
        b += strspn(b, "0");
        size_t m = strspn(a, "0123456789"), n = strspn(b, "0123456789");
        if (m != n)
            return m < n ? -1 : 1;
        int order = strncmp(a, b, m);
        if (order)
            return order;
        a += m;
        b += n;
    }
    if (*a || *b)
        return *a ? 1 : -1;
    return strcmp(first_a, first_b); /* at most leading zeros differ */
}

static int by_nature(const void *a, const void *b) {
    return compare_naturally(*(char *const *)a, *(char *const *)b);
}

/* Appends a text, and takes ownership of it. NULL is GF_ENOMEM. */
static int append(char ***list, int *n, char *text) {
    int rc = text ? gf_list_grow(list, *n, sizeof **list) : gf_no_memory();
    if (rc)
        free(text);
    else
        (*list)[(*n)++] = text;
    return rc;
}

static int add(struct gf_inputs *list, char *path) {
    return append(&list->path, &list->n, path);
}

/* Pictures in a folder whose types gpufft does not read. */
struct foreign_files {
    int64_t n;
    char *first; /* in natural order */
    const struct gf_foreign *type;
};

static int note_foreign(struct foreign_files *seen, const char *path,
                        const struct gf_foreign *type) {
    seen->n++;
    if (seen->first && compare_naturally(seen->first, path) < 0)
        return 0;
    free(seen->first);
    seen->type = type;
    seen->first = strdup(path);
    return seen->first ? 0 : gf_no_memory();
}

/* Recognises a picture in a folder by its first bytes, or by its suffix so that a broken picture is
 * reported, not skipped. Returns 1 or 0, or a negative status if the file cannot be examined. */
static int is_picture(const char *path, const struct stat *st, bool raw,
                      struct foreign_files *seen) {
    if (!S_ISREG(st->st_mode))
        return 0;
    const struct gf_format *by_suffix = gf_format_by_suffix(path);
    if (by_suffix && (!by_suffix->needs_layout || raw))
        return 1;
    unsigned char head[GF_FOREIGN_SNIFF];
    struct gf_source *source = NULL;
    const struct gf_foreign *foreign;
    int rc = gf_source_open(path, &source);
    if (rc)
        return rc;
    int64_t n = gf_source_peek(source, head, sizeof head);
    gf_source_close(source);
    if (n <= 0)
        return (int)n;
    if (gf_format_sniff(head, n < GF_SNIFF ? (size_t)n : GF_SNIFF))
        return 1;
    foreign = gf_foreign_find(head, (size_t)n);
    return foreign && !foreign->seldom ? note_foreign(seen, path, foreign) : 0;
}

/* Reports errno for `name`; the run goes on with the other inputs. */
static void note_failure(struct gf_inputs *list, const char *name) {
    gf_fail_errno(GF_EIO, NULL);
    gf_log_fail(name);
    list->failed++;
}

/* A walk through a folder and its subfolders. */
struct walk {
    struct gf_inputs *list;
    bool raw, recursive;
    struct foreign_files seen;
    int64_t links; /* to folders; not followed, since they may form loops */
};

/* NULL without memory. */
static char *path_in(const char *folder, const char *name) {
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    char *path = NULL;
    return asprintf(&path, "%s%s%s", folder, slash, name) < 0 ? NULL : path;
}

/* Lists a folder's entries in natural order, and reports a failure. */
static int read_folder(struct walk *w, const char *folder, struct gf_inputs *entries) {
    int rc = 0;
    DIR *dir = opendir(folder);
    if (!dir) {
        note_failure(w->list, folder);
        return 0;
    }
    for (struct dirent *e; !rc && (errno = 0, e = readdir(dir));) {
        if (e->d_name[0] != '.')
            rc = add(entries, path_in(folder, e->d_name));
    }
    if (!rc && errno)
        note_failure(w->list, folder);
    closedir(dir);
    if (entries->n)
        qsort(entries->path, (size_t)entries->n, sizeof *entries->path, by_nature);
    return rc;
}

static int walk_folder(struct walk *w, const char *folder);

/* Moves *path to the list if it is an input, leaving NULL. */
static int walk_entry(struct walk *w, char **path) {
    struct stat st, own;
    int found = stat(*path, &st) ? gf_fail_errno(GF_EIO, NULL) : 0;
    if (!found && S_ISDIR(st.st_mode))
        found = gf_zarr_is(*path);
    if (!found && S_ISDIR(st.st_mode)) {
        const bool link = w->recursive && !lstat(*path, &own) && S_ISLNK(own.st_mode);
        w->links += link;
        return w->recursive && !link ? walk_folder(w, *path) : 0;
    }
    if (!found)
        found = is_picture(*path, &st, w->raw, &w->seen);
    if (found > 0) {
        char *taken = *path;
        *path = NULL;
        return add(w->list, taken);
    }
    if (found < 0) {
        gf_log_fail(*path);
        w->list->failed++;
    } else {
        w->list->skipped++;
    }
    return 0;
}

static int walk_folder(struct walk *w, const char *folder) {
    struct gf_inputs entries = {0};
    int rc = read_folder(w, folder, &entries);
    for (int i = 0; i < entries.n && !rc; i++)
        rc = walk_entry(w, &entries.path[i]);
    gf_inputs_free(&entries);
    return rc;
}

static int add_folder(struct gf_inputs *list, const char *folder, const struct gf_settings *s) {
    struct walk w = {.list = list, .raw = s->shape.n > 0, .recursive = s->recursive};
    const int first = list->n, failed = list->failed;
    struct gf_roots *roots = &list->roots;
    int rc = s->recursive ? append(&roots->path, &roots->n, path_in(folder, "")) : 0;
    if (!rc)
        rc = walk_folder(&w, folder);
    if (!rc && w.seen.n)
        gf_log_note("'%s': %lld picture%s skipped; '%s' is %s file, which gpufft does not read",
                    folder, (long long)w.seen.n, w.seen.n == 1 ? "" : "s", w.seen.first,
                    w.seen.type->name);
    if (!rc && w.links)
        gf_log_note("'%s': %lld link%s to folders not followed", folder, (long long)w.links,
                    w.links == 1 ? "" : "s");
    free(w.seen.first);
    if (!rc && list->n == first && list->failed == failed) {
        gf_log_error("'%s': no pictures in this folder", folder);
        list->failed++;
    }
    return rc;
}

static int add_name(struct gf_inputs *list, const char *name, const struct gf_settings *s) {
    struct stat st;
    if (!*name)
        return gf_fail(GF_EUSAGE, "an input's name is empty");
    if (strcmp(name, "-") && !stat(name, &st) && S_ISDIR(st.st_mode) && !gf_zarr_is(name)) {
        list->many = true;
        return add_folder(list, name, s);
    }
    return add(list, strdup(name));
}

/* Adds the names in a file, each terminated by `end`. Skips empty ones. */
static int add_from(struct gf_inputs *list, const char *file, int end,
                    const struct gf_settings *s) {
    bool is_stdin = !strcmp(file, "-");
    char *name = NULL;
    size_t size = 0;
    ssize_t n;
    int rc = 0;
    FILE *f = is_stdin ? stdin : fopen(file, "re");
    if (!f) {
        note_failure(list, file);
        return 0;
    }
    list->many = true;
    while (!rc && (n = getdelim(&name, &size, end, f)) > 0) {
        if (name[n - 1] == end)
            name[n - 1] = 0;
        if (*name && is_stdin && !strcmp(name, "-"))
            rc = gf_fail(GF_EUSAGE, "'-' as a name in a list that comes from stdin itself");
        else if (*name)
            rc = add_name(list, name, s);
    }
    if (!rc && ferror(f))
        note_failure(list, file);
    free(name);
    if (!is_stdin)
        fclose(f);
    return rc;
}

const char *gf_inputs_beside(const struct gf_settings *s, int i) {
    const char *const pictures[] = {s->from_phase, s->other.with, s->other.mask};
    for (size_t k = 0; k < sizeof pictures / sizeof *pictures; k++)
        if (pictures[k] && i-- == 0)
            return pictures[k];
    for (int k = 0; k < s->filter.n_parts; k++)
        if (gf_filter_is_file(&s->filter.part[k]) && i-- == 0)
            return s->filter.part[k].text;
    return NULL;
}

int gf_inputs_guard(const struct gf_settings *s, char *const *path, int n) {
    const char *const lists[] = {s->files_from, s->files0_from};
    const char *const pictures[] = {s->from_magnitude, s->demo.sum};
    const char *beside;
    int rc = gf_backend_files(gf_environment(), gf_guard_read);
    for (int i = 0; i < 2 && !rc; i++)
        rc = lists[i] ? gf_guard_read(lists[i], lists[i]) : 0;
    for (int i = 0; i < 2 && !rc; i++)
        rc = pictures[i] ? gf_guard_read_picture(pictures[i], pictures[i]) : 0;
    for (int i = 0; !rc && (beside = gf_inputs_beside(s, i)); i++)
        rc = gf_guard_read_picture(beside, beside);
    for (int i = 0; i < n && !rc; i++)
        rc = gf_guard_read_picture(path[i], path[i]);
    return rc;
}

int gf_inputs_gather(const struct gf_settings *s, char **operands, int n, struct gf_inputs *list) {
    int rc = 0, from_stdin = 0;
    *list = (struct gf_inputs){0};
    for (int i = 0; i < n && !rc; i++)
        rc = add_name(list, operands[i], s);
    if (!rc && s->files_from)
        rc = add_from(list, s->files_from, '\n', s);
    if (!rc && s->files0_from)
        rc = add_from(list, s->files0_from, '\0', s);
    for (int i = 0; i < list->n && !rc; i++)
        from_stdin += !strcmp(list->path[i], "-");
    from_stdin += s->files_from && !strcmp(s->files_from, "-");
    from_stdin += s->files0_from && !strcmp(s->files0_from, "-");
    if (!rc && from_stdin > 1)
        rc = gf_fail(GF_EUSAGE, "stdin can be read once, not as two inputs");
    if (!rc && list->n == 0 && list->failed == 0)
        rc = gf_fail(GF_EUSAGE, "no input; name a file, a folder, or - for stdin");
    return rc ? rc : gf_inputs_guard(s, list->path, list->n);
}

void gf_inputs_free(struct gf_inputs *list) {
    for (int i = 0; i < list->n; i++)
        free(list->path[i]);
    free(list->path);
    for (int i = 0; i < list->roots.n; i++)
        free(list->roots.path[i]);
    free(list->roots.path);
    *list = (struct gf_inputs){0};
}
