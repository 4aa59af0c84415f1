/* Several processes with one command line: one run, independent runs, or a refusal. */
#include "cli/batch/ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/log.h"
#include "core/base/status.h"
#include "formats/io_keeper.h"

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

typedef int visit(void *user, const char *path);

/* Every file that the arguments name as an output. */
static int each_output(const struct gf_rank_work *w, visit *visit, void *user) {
    int rc = 0;
    for (int i = 0; i < w->n_names && !rc; i++)
        for (int k = 0; k < w->targets->n && !rc; k++) {
            const struct gf_target *t = &w->targets->target[k];
            char *path;
            rc = gf_template_expand(&t->where, w->names[i], t->label, -1, &path);
            if (rc)
                return rc;
            if (is_file(path))
                rc = visit(user, path);
            free(path);
        }
    return rc;
}

bool gf_ranks_prints(const struct gf_settings *s, char *const *operands, int n) {
    const struct gf_launcher launcher = gf_environment_launcher();
    bool prints = s->mpi == GF_MPI_OFF || launcher.rank == 0;
    for (int i = 0; i < n; i++)
        prints = prints || gf_ranks_differ(operands[i], launcher.rank);
    return prints;
}

/* ---- without a plugin ---- */

struct check {
    const struct gf_launcher *launcher;
    const struct gf_rank_work *work;
    const char *why;
};

static int refuse(const struct check *c, const char *path) {
    if (c->launcher->rank)
        gf_log_mute(true);
    return gf_fail(
        GF_EUSAGE,
        "the %d processes of %s would all write '%s', and %s%s; give each a name with its "
        "rank in it, or --mpi=off",
        c->launcher->size, c->launcher->name, path, c->work->spreads ? "" : c->work->command,
        c->why);
}

static int check_output(void *user, const char *path) {
    const struct check *c = user;
    return gf_ranks_differ(path, c->launcher->rank) ? 0 : refuse(c, path);
}

static const char *not_joined(const struct gf_rank_work *w) {
    return w->spreads ? "no plugin joins them (make mpi)" : " runs in one process";
}

/* ---- with one ---- */

/* What the ranks compare. */
struct prints {
    uint64_t outputs, inputs;
};

static void print(uint64_t *hash, const char *text) { /* FNV-1a */
    do {
        *hash = (*hash ^ (unsigned char)*text) * 0x100000001b3u;
    } while (*text++);
}

static int print_output(void *user, const char *path) {
    print(user, path);
    return 0;
}

static int take_prints(const struct gf_rank_work *w, struct prints *p) {
    char folder[PATH_MAX];
    *p = (struct prints){0xcbf29ce484222325u, 0xcbf29ce484222325u};
    print(&p->outputs, getcwd(folder, sizeof folder) ? folder : "");
    for (int i = 0; i < w->n_names; i++)
        print(&p->inputs, w->names[i]);
    return each_output(w, print_output, &p->outputs);
}

static int first_output(void *user, const char *path) {
    return refuse(user, path);
}

/* All the same: one run. All different: independent ones. */
static int compare(const struct gf_launcher *launcher, const struct gf_rank_work *w,
                   struct gf_ranks *ranks, bool *joined) {
    struct prints own, *all = malloc((size_t)ranks->size * sizeof *all);
    int same = 0, alike = 0;
    int rc = all ? take_prints(w, &own) : gf_fail(GF_ENOMEM, "out of memory");
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = gf_ranks_gather(ranks, &own, sizeof own, all);
    for (int i = 0; i < ranks->size && !rc; i++)
        for (int k = 0; k < ranks->size; k++) {
            same += all[i].outputs == all[k].outputs;
            alike += !memcmp(&all[i], &all[k], sizeof own);
        }
    free(all);
    if (rc)
        return rc;
    *joined = w->spreads && alike == ranks->size * ranks->size;
    if (!*joined) /* independent runs remove what they leave as a single one does */
        gf_keeper_stop();
    if (*joined || same == ranks->size)
        return 0;
    struct check c = {.launcher = launcher, .work = w};
    c.why = !w->spreads ? not_joined(w) : "they were given different inputs";
    return each_output(w, first_output, &c);
}

/* Where the plugins are: the user's folder, beside an installed program, or where make mpi puts them. */
static bool find_plugin(const char *mpi, char path[PATH_MAX]) {
    char program[PATH_MAX];
    const char *own = gf_environment_plugins();
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = 0;
    static const char *const folders[] = {"../lib/gpufft", "build"};
    if (own && snprintf(path, PATH_MAX, "%s/gpufft-mpi-%s.so", own, mpi) < PATH_MAX)
        return !access(path, R_OK);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && slash; i++)
        if (snprintf(path, PATH_MAX, "%s/%s/gpufft-mpi-%s.so", program, folders[i], mpi) <
                PATH_MAX &&
            !access(path, R_OK))
            return true;
    return false;
}

/* Loads the launcher's plugin and joins the processes that it started. */
int gf_ranks_start(const struct gf_launcher *launcher, struct gf_ranks *ranks) {
    static const char *const either[] = {"openmpi", "mpich"};
    char path[PATH_MAX];
    bool found = launcher->mpi && find_plugin(launcher->mpi, path);
    for (int i = 0; i < 2 && !found && !launcher->mpi; i++)
        found = find_plugin(either[i], path);
    if (!found)
        return gf_fail(GF_EABSENT, "no plugin gpufft-mpi-%s.so; make mpi builds it",
                       launcher->mpi ? launcher->mpi : "openmpi");
    if (launcher->rank == 0)
        gf_keeper_start();
    int rc = gf_ranks_open(path, ranks);
    if (rc || ranks->size == launcher->size)
        return rc;
    rc = gf_fail(GF_EABSENT, "%s sees %d process%s, and %s started %d", ranks->transport->library,
                 ranks->size, ranks->size == 1 ? "" : "es", launcher->name, launcher->size);
    gf_ranks_close(ranks);
    return rc;
}

/* --grid is for processes that share a volume, and for so many. */
static int check_grid(const struct gf_launcher *launcher, const struct gf_rank_work *work,
                      bool joined) {
    const int down = work->s->grid.down, across = work->s->grid.across;
    if (!down || (joined && (int64_t)down * across == launcher->size))
        return 0;
    if (launcher->rank && work->s->mpi != GF_MPI_OFF)
        gf_log_mute(true);
    return joined ? gf_fail(GF_EUSAGE, "--grid=%dx%d is for %lld processes, and there are %d", down,
                            across, (long long)down * across, launcher->size)
                  : gf_fail(GF_EUSAGE, "--grid: no processes share this volume (mpirun)");
}

int gf_ranks_join(const struct gf_launcher *launcher, const struct gf_rank_work *work,
                  struct gf_ranks *ranks, bool *joined) {
    const bool demanded = work->s->mpi == GF_MPI_ON;
    struct check c = {launcher, work, not_joined(work)};
    *joined = false;
    if (work->s->mpi == GF_MPI_OFF || (!demanded && launcher->size < 2))
        return check_grid(launcher, work, false);
    if (demanded && launcher->rank)
        gf_log_mute(true);
    if (demanded && !work->spreads)
        return gf_fail(GF_EUSAGE, "--mpi=on: %s runs in one process", work->command);
    if (!launcher->name)
        return gf_fail(GF_EUSAGE, "--mpi=on: no mpirun or srun started this process");
    int rc = gf_ranks_start(launcher, ranks);
    if (rc && !demanded)
        return each_output(work, check_output, &c);
    if (!rc)
        rc = compare(launcher, work, ranks, joined);
    if (!rc && demanded && !*joined)
        rc = gf_fail(GF_EUSAGE, "--mpi=on: the processes have different outputs");
    return rc ? rc : check_grid(launcher, work, *joined);
}
