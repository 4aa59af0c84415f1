/* Signals, standard streams, command lines shared by several processes (mpirun, srun), and the only
 * exit. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/batch/ranks.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "cli/report.h"

static volatile sig_atomic_t ending;

static void on_signal(int number) {
    ending = 1;
    gf_sink_remove_temporaries();
    _exit(number == SIGALRM ? gf_ranks_late() : 128 + number);
}

static void catch_signals(void) {
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    struct sigaction action = {.sa_handler = on_signal};
    sigfillset(&action.sa_mask);
    for (int i = 0; i < 4; i++) {
        struct sigaction old;
        /* Signals that the parent ignores (nohup) stay ignored. */
        if (!sigaction(caught[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* EPIPE from write() instead */
    signal(SIGXFSZ, SIG_IGN); /* EFBIG from write() instead */
}

/* If a standard stream is closed, the first file opened would get its number and its text. Opens
 * /dev/null instead, in the mode in which using the stream fails. */
static void fill_streams(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* libgomp prints a message and calls exit() if it gets no thread or memory. */
static bool returned;
static void on_exit_of_library(void) {
    gf_sink_remove_temporaries();
    if (!returned && *gf_progress_name())
        gf_log_error("'%s': no thread for it could be started; see --threads", gf_progress_name());
}

/* Raises a soft stack limit that is too low for kernel compilers and their threads. False if not
 * allowed. */
static bool has_stack(void) {
    enum { LEAST = 512 << 10, USUAL = 8 << 20 };
    struct rlimit r;
    pthread_attr_t threads;
    if (getrlimit(RLIMIT_STACK, &r) || r.rlim_cur >= LEAST)
        return true;
    if (r.rlim_max < LEAST) {
        gf_log_error("a stack of %lld KiB; at least %d KiB are needed (ulimit -s)",
                     (long long)r.rlim_cur >> 10, LEAST >> 10);
        return false;
    }
    r.rlim_cur = r.rlim_max < USUAL ? r.rlim_max : USUAL;
    if (!pthread_getattr_default_np(&threads) &&
        !pthread_attr_setstacksize(&threads, (size_t)r.rlim_cur))
        pthread_setattr_default_np(&threads);
    return !setrlimit(RLIMIT_STACK, &r);
}

/* The stack grows where it is touched, and finding no room then (ulimit -v) ends the program: takes
 * what the main thread uses before anything else does. False, with a message, if there is none. */
static bool take_stack(size_t bytes) {
    void *probe = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED) {
        gf_log_error("no memory for a stack of %zu KiB", bytes >> 10);
        return false;
    }
    munmap(probe, bytes);
    /* Only the lowest page: an array would have each of its pages probed. */
    *(volatile char *)((uintptr_t)__builtin_frame_address(0) - bytes) = 0;
    return true;
}

/* Text that did not reach stdout is a failure like any other. */
static int close_stdout(int code) {
    int error = gf_log_flush_stdout();
    if (!error)
        return code;
    errno = error;
    gf_fail_errno(GF_EIO, "cannot write to stdout");
    gf_log_fail(NULL);
    return code ? code : 1;
}

/* ---- several processes with one command line: who runs and who prints ---- */

static bool has(int argc, char **argv, const char *word) {
    bool found = false;
    for (int i = 1; i < argc; i++)
        found = found || !strcmp(argv[i], word);
    return found;
}

static bool is_alone(int argc, char **argv) {
    bool alone = has(argc, argv, "--mpi=off");
    for (int i = 1; i + 1 < argc; i++)
        alone = alone || (!strcmp(argv[i], "--mpi") && !strcmp(argv[i + 1], "off"));
    return alone;
}

/* True if the process runs alone, or the rank is in the name of an operand or output. A line with an
 * error counts up to that. */
static bool is_own(const struct gf_command *c, int argc, char **argv, int rank) {
    struct gf_settings s = gf_settings_default();
    struct gf_targets targets = {0};
    char **words = c ? calloc((size_t)argc, sizeof *words) : NULL;
    bool own = is_alone(argc, argv);
    int n = 0;
    if (words) {
        memcpy(words, argv + 2, (size_t)(argc - 2) * sizeof *words);
        gf_opt_parse(c->groups, &s, argc - 2, words, &n, s.fingerprint);
        gf_targets_parse(&s, GF_MAGNITUDE, false, &targets);
    }
    for (int i = 0; i < n; i++)
        own = own || gf_ranks_differ(words[i], rank);
    for (int i = 0; i < targets.n; i++)
        own = own || gf_ranks_differ(targets.target[i].where.text, rank);
    gf_targets_free(&targets);
    free(words);
    return own;
}

/* True if this process ends here with *code: the command runs in one process, or the first one
 * prints for all. Only the first process reports a bad command line, unless lines differ: with
 * --mpi=off, or with the rank in an operand or output. */
static bool line_ends(int argc, char **argv, int *code) {
    const struct gf_launcher launcher = gf_environment_launcher();
    const struct gf_command *c = argc > 1 ? gf_command_find(argv[1]) : NULL;
    const bool asks = has(argc, argv, "--help") || has(argc, argv, "-h") || argc < 2 ||
                      !strcmp(argv[1], "help") || gf_command_asks_version(argc, argv);
    if (!is_alone(argc, argv))
        gf_ranks_expect(&launcher);
    if (launcher.size < 2)
        return false;
    if (is_own(c, argc, argv, launcher.rank)) {
        *code = asks || !c || c->joins ? 0 : gf_ranks_end(&launcher, 0);
        return *code != 0;
    }
    gf_log_mute(launcher.rank > 0 && !is_own(c, argc, argv, 0));
    *code = asks && argc > 1 ? 0 : 2;
    if (argc < 2 && launcher.rank > 0)
        gf_log_error("no command; see gpufft --help");
    if (asks)
        return launcher.rank > 0;
    if (!c)
        return false;
    if (!c->launched)
        gf_log_error("%s runs in one process, and %s started %d", c->name, launcher.name,
                     launcher.size);
    else
        *code = c->joins ? 0 : gf_ranks_end(&launcher, 0);
    return *code != 0;
}

/* ---- */

int main(int argc, char **argv) {
    gf_environment_read();
    fill_streams();
    catch_signals();
    if (!has_stack() || !take_stack(256 << 10))
        return 1;
    atexit(on_exit_of_library);
    gf_log_open_stdout();
    gf_json_memory_setup();
    gf_command_move_switches(argc, argv);
    int code;
    if (!line_ends(argc, argv, &code))
        code = gf_run_line(argc, argv);
    const struct gf_launcher launcher = gf_environment_launcher();
    code = close_stdout(gf_ranks_end(&launcher, code)); /* no process waits for this one now */
    while (ending) /* a signal handler is ending the program and causes these failures */
        pause();
    returned = true;
    return code;
}
