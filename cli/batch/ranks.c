/* Compares processes with one command line: one run, independent runs, or a refusal. */
#include "cli/batch/ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/log.h"
#include "core/base/value/hash.h"
#include "formats/io/keeper.h"

/* This process has met the others, which happens once, or will not. */
static bool has_met = true;

/* The text to print, and the exit code, if the others do not come. */
static struct {
    char line[256];
    const char *text; /* the line, or kept messages */
    int code;
} late;

int gf_ranks_late(void) {
    ssize_t n = write(STDERR_FILENO, late.text, strlen(late.text));
    return n < 0 ? 1 : late.code;
}

/* Sets a timer, because MPI_Init() returns only when all processes have called it: never if one of
 * them is another program. The lowest waiting rank prints first, and the launcher ends the others.
 * A process that has failed with `code` prints why. */
static void watch(const struct gf_launcher *launcher, int code) {
    enum { A_SECOND = 10, LATEST = 50 }; /* ranks that print in a second; and in all */
    const int seconds = gf_environment_mpi_wait();
    const int after = launcher->rank < LATEST ? launcher->rank : LATEST;
    const char *kept = gf_log_held();
    snprintf(late.line, sizeof late.line,
             "gpufft: the other processes of %.40s did not come in %d s: all must run gpufft, "
             "all or none with --mpi=off (GPUFFT_MPI_WAIT=SECONDS waits longer)\n",
             launcher->name, seconds);
    late.text = code && kept ? kept : late.line;
    late.code = code ? code : 1;
    const struct itimerval time = {
        .it_value = {.tv_sec = (time_t)seconds + after / A_SECOND,
                     .tv_usec = after % A_SECOND * (1000000 / A_SECOND)}};
    setitimer(ITIMER_REAL, &time, NULL);
}

static void watch_ends(void) {
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 0}}, NULL);
}

bool gf_ranks_differ(const char *text, int rank) {
    for (const char *p = text; *p;) {
        size_t digits = strspn(p, "0123456789");
        if (digits && digits < 10 && strtol(p, NULL, 10) == rank)
            return true;
        p += digits ? digits : 1;
    }
    return false;
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
    const char *why;
    bool same; /* all processes have this one's outputs, whatever their names */
};

static int check_output(void *user, const struct gf_target *t, const char *in, char *path) {
    const struct check *c = user;
    (void)t, (void)in;
    if (gf_path_is_stream(path) || (!c->same && gf_ranks_differ(path, c->launcher->rank)))
        return 0;
    if (c->launcher->rank)
        gf_log_mute(true);
    return gf_fail(GF_EUSAGE,
                   "the %d processes of %s would all write '%s', and %s; give each a name with its "
                   "rank in it, or --mpi=off",
                   c->launcher->size, c->launcher->name, path, c->why);
}

/* ---- with one ---- */

/* The hashes that ranks compare when they meet; all members have eight bytes. A process that ends
 * before its work sets only ends and code. `version`, of the program, comes first, since other
 * versions may lay out the rest differently. */
struct prints {
    uint64_t version;
    int64_t ends, code;
    uint64_t outputs, inputs, command, line;
};

/* Hashes an output by its folder without links, so that one file has one name. */
static int print_output(void *user, const struct gf_target *t, const char *in, char *path) {
    uint64_t *print = user;
    (void)t, (void)in;
    if (gf_path_is_stream(path)) /* several processes may write to it */
        return 0;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    *print = gf_hash_text(gf_hash_text(*print, real ? real : ""), slash ? slash + 1 : path);
    free(folder);
    free(real);
    return 0;
}

static int take_prints(const struct gf_rank_work *w, struct prints *p) {
    p->command = gf_hash_text(GF_HASH_START, w->command);
    p->line = w->s->fingerprint[1];
    for (int i = 0; i < w->targets->n; i++)
        p->line = gf_hash_text(p->line, w->targets->target[i].label);
    p->inputs = p->outputs = GF_HASH_START;
    for (int i = 0; i < w->n_names; i++)
        p->inputs = gf_hash_text(p->inputs, w->names[i]);
    return gf_targets_each(w->targets, w->names, w->n_names, print_output, &p->outputs);
}

/* GF_EUSAGE if some processes, but not all, end before their work; the first failed one reports. */
static int end_together(const struct gf_ranks *ranks, const struct prints *all) {
    int ended = 0, speaker = -1;
    for (int i = 0; i < ranks->size; i++) {
        ended += all[i].ends != 0;
        if (all[i].code && speaker < 0)
            speaker = i;
    }
    if (speaker == ranks->rank)
        gf_log_mute(false);
    if (!ended || ended == ranks->size)
        return 0;
    gf_log_mute(ranks->rank != (speaker < 0 ? 0 : speaker));
    return speaker < 0 ? gf_fail(GF_EUSAGE, "the processes were given different commands")
                       : gf_fail(GF_EUSAGE, "rank %d failed", speaker);
}

/* Prints the kept messages, now that it is known which rank prints. */
static void say_kept(void) {
    struct gf_said said = gf_log_kept();
    gf_log_say(&said);
}

/* Gathers the hashes of all processes in *all, which the caller frees. */
static int meet(struct gf_ranks *ranks, struct prints *own, int rc, struct prints **all) {
    own->version = gf_hash_text(GF_HASH_START, GF_VERSION);
    *all = malloc((size_t)ranks->size * sizeof **all);
    rc = gf_ranks_agree(ranks, *all ? rc : gf_no_memory());
    if (!rc)
        rc = gf_ranks_gather(ranks, own, sizeof *own, *all);
    if (!rc)
        rc = end_together(ranks, *all);
    watch_ends();
    say_kept();
    return rc;
}

/* Explains why processes with the same outputs are not one run. */
static const char *difference(const struct prints *all, int n) {
    for (int i = 1; i < n; i++)
        if (all[i].version != all[0].version)
            return "they run different versions of this program";
        else if (all[i].command != all[0].command)
            return "they were given different commands";
        else if (all[i].inputs == all[0].inputs && all[i].line != all[0].line)
            return "they were given different options";
    return "they were given different inputs";
}

/* One run if all hashes are the same, independent runs if all outputs differ. */
static int compare(const struct gf_launcher *launcher, const struct gf_rank_work *w,
                   struct gf_ranks *ranks, bool *joined) {
    struct check c = {.launcher = launcher, .same = true};
    struct prints own = {0}, *all;
    int same = 0, alike = 0;
    int rc = meet(ranks, &own, take_prints(w, &own), &all);
    for (int i = 0; i < ranks->size && !rc; i++)
        for (int k = 0; k < ranks->size; k++) {
            same += all[i].outputs == all[k].outputs;
            alike += !memcmp(&all[i], &all[k], sizeof own);
        }
    if (!rc)
        c.why = difference(all, ranks->size);
    free(all);
    if (rc)
        return rc;
    *joined = alike == ranks->size * ranks->size;
    if (!*joined) /* each independent run removes its own temporaries */
        gf_keeper_stop();
    if (*joined || same == ranks->size)
        return 0;
    rc = gf_targets_each(w->targets, w->names, w->n_names, check_output, &c);
    if (rc || w->s->mpi != GF_MPI_ON)
        return rc;
    gf_log_mute(ranks->rank != 0);
    return gf_fail(GF_EUSAGE, "the processes are to be one run, and %s", c.why);
}

/* Looks for a plugin in GPUFFT_PLUGIN_DIR, beside an installed program, and in the build folder. */
static bool find_plugin_of(const char *mpi, char path[PATH_MAX]) {
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

/* Finds the launcher's plugin, or for an unknown launcher the first that exists. */
static bool find_plugin(const struct gf_launcher *launcher, char path[PATH_MAX]) {
    return launcher->mpi ? find_plugin_of(launcher->mpi, path)
                         : find_plugin_of("openmpi", path) || find_plugin_of("mpich", path);
}

/* Loads the plugin and joins the launcher's processes, to meet(). `code`: the exit code so far. */
static int start(const struct gf_launcher *launcher, struct gf_ranks *ranks, int code) {
    char path[PATH_MAX];
    has_met = true;
    if (!find_plugin(launcher, path))
        return gf_fail(GF_EABSENT, "no plugin gpufft-mpi-%s.so; make mpi builds it",
                       launcher->mpi ? launcher->mpi : "openmpi");
    if (launcher->rank == 0)
        gf_keeper_start();
    watch(launcher, code);
    int rc = gf_ranks_open(path, ranks);
    if (!rc && ranks->size == launcher->size)
        return 0;
    watch_ends();
    if (rc)
        return rc;
    rc = gf_fail(GF_EABSENT, "%s sees %d process%s, and %s started %d", ranks->transport->library,
                 ranks->size, ranks->size == 1 ? "" : "es", launcher->name, launcher->size);
    gf_ranks_close(ranks);
    return rc;
}

static int join(const struct gf_launcher *launcher, const struct gf_rank_work *work,
                struct gf_ranks *ranks, bool *joined) {
    const bool demanded = work->s->mpi == GF_MPI_ON;
    struct check c = {launcher, "no plugin joins them (make mpi)", false};
    *joined = false;
    if (work->s->mpi == GF_MPI_OFF || (!demanded && launcher->size < 2))
        return 0;
    if (demanded && launcher->rank)
        gf_log_mute(true);
    if (!launcher->name)
        return gf_fail(GF_EUSAGE, "--mpi=on: no mpirun or srun started this process");
    int rc = start(launcher, ranks, 0);
    if (rc && rc != GF_EUSAGE && !demanded)
        return gf_targets_each(work->targets, work->names, work->n_names, check_output, &c);
    if (!rc)
        rc = compare(launcher, work, ranks, joined);
    if (!rc && demanded && !*joined)
        rc = gf_fail(GF_EUSAGE, "--mpi=on: the processes have different outputs");
    return rc;
}

int gf_ranks_join(const struct gf_launcher *launcher, const struct gf_rank_work *work,
                  struct gf_ranks *ranks, bool *joined) {
    int rc = join(launcher, work, ranks, joined);
    if (!rc)
        say_kept();
    return rc;
}

void gf_ranks_expect(const struct gf_launcher *launcher) {
    char path[PATH_MAX];
    has_met = launcher->size < 2 || !find_plugin(launcher, path);
    if (!has_met)
        gf_log_keep();
}

int gf_ranks_end(const struct gf_launcher *launcher, int code) {
    struct prints own = {.ends = 1, .code = code}, *all = NULL;
    struct gf_ranks ranks = {.transport = NULL};
    if (!has_met && !start(launcher, &ranks, code)) {
        int rc = meet(&ranks, &own, 0, &all);
        if (rc && !code)
            gf_log_error("%s", gf_message());
        code = rc && !code ? gf_exit_code(rc) : code;
        free(all);
        gf_keeper_stop();
        gf_ranks_close(&ranks);
    }
    say_kept();
    return code;
}
