/* Folders that are there, or are made. */
#include "cli/batch/folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/status.h"

static bool exists(const char *folder) {
    struct stat st;
    return !stat(folder, &st) && S_ISDIR(st.st_mode);
}

static int make(const char *folder) {
    char what[256];
    if (!mkdir(folder, 0777) || exists(folder))
        return 0;
    snprintf(what, sizeof what, "cannot make folder '%.200s'", folder);
    return gf_fail_errno(GF_EIO, what);
}

/* The folder and those above it; `folder` is the same again at the end. */
static int make_all(char *folder) {
    int rc = 0;
    for (char *p = folder + 1; *p && !rc; p++)
        if (*p == '/') {
            *p = 0;
            rc = exists(folder) ? 0 : make(folder);
            *p = '/';
        }
    return rc ? rc : make(folder);
}

static int check(const struct gf_settings *s, const struct gf_target *t, char *folder) {
    if (exists(folder) || strstr(folder, "{page}"))
        return 0;
    if (s->mkdir)
        return s->dry_run ? 0 : make_all(folder);
    /* --bands makes its own folder. */
    char *slash = strrchr(folder, '/');
    if (t->bands && slash)
        *slash = 0;
    if (t->bands && (!slash || slash == folder || exists(folder)))
        return 0;
    return gf_fail(GF_EIO, "%s: there is no folder '%s'; --mkdir makes it", t->where.option,
                   folder);
}

/* `last` is the folder that was looked at before: most outputs share one. */
static int check_target(const struct gf_settings *s, const struct gf_target *t, const char *in,
                        char **last) {
    char *path = NULL;
    int rc = gf_template_expand(&t->where, in, t->label, -1, &path);
    char *slash = rc ? NULL : strrchr(path, '/');
    if (!slash || slash == path) {
        free(path);
        return rc;
    }
    *slash = 0;
    if (*last && !strcmp(*last, path)) {
        free(path);
        return 0;
    }
    while (t->bands && slash > path + 1 && slash[-1] == '/')
        *--slash = 0;
    free(*last);
    *last = path;
    return check(s, t, path);
}

int gf_folders_check(const struct gf_settings *s, const struct gf_targets *targets,
                     char *const *names, int n_names) {
    int rc = 0;
    for (int k = 0; k < targets->n && !rc; k++) {
        char *last = NULL;
        for (int i = 0; i < n_names && !rc; i++)
            rc = check_target(s, &targets->target[k], names[i], &last);
        free(last);
    }
    return rc;
}
