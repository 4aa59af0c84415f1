/* Several processes with one command line: which of them would write the same file. */
#include "cli/batch/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/log.h"
#include "core/base/status.h"

bool gf_ranks_differ(const char *text, int rank) {
    for (const char *p = text; *p;) {
        size_t digits = strspn(p, "0123456789");
        if (digits && digits < 10 && strtol(p, NULL, 10) == rank)
            return true;
        p += digits ? digits : 1;
    }
    return false;
}

/* Pipes and devices take what several processes write. */
static bool is_file(const char *path) {
    struct stat st;
    return strcmp(path, "-") && (stat(path, &st) || S_ISREG(st.st_mode));
}

static int check_output(const struct gf_launcher *launcher, const char *command,
                        const struct gf_target *t, const char *in) {
    char *path;
    int rc = gf_template_expand(&t->where, in, t->label, -1, &path);
    if (!rc && is_file(path) && !gf_ranks_differ(path, launcher->rank)) {
        if (launcher->rank)
            gf_log_mute();
        rc = gf_fail(GF_EUSAGE,
                     "the %d processes of %s would all write '%s', and %s does not join them; give "
                     "each a name of its own with its rank in it, or --mpi=off",
                     launcher->size, launcher->name, path, command);
    }
    if (!rc)
        free(path);
    return rc;
}

int gf_ranks_check(const struct gf_settings *s, const struct gf_launcher *launcher,
                   const char *command, const struct gf_targets *targets, char *const *names,
                   int n_names) {
    int rc = 0;
    if (s->mpi == GF_MPI_ON) {
        if (launcher->rank)
            gf_log_mute();
        return gf_fail(GF_EUSAGE, "--mpi=on: %s runs in one process", command);
    }
    if (launcher->size < 2 || s->mpi == GF_MPI_OFF)
        return 0;
    for (int i = 0; i < n_names && !rc; i++)
        for (int k = 0; k < targets->n && !rc; k++)
            rc = check_output(launcher, command, &targets->target[k], names[i]);
    return rc;
}
