/* Signals, the standard streams, and the only exit. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/batch/ranks.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/launched.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/base/status.h"
#include "formats/io/io.h"

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
        /* A signal that the parent process ignores (nohup) remains ignored. */
        if (!sigaction(caught[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* EPIPE from write() instead */
    signal(SIGXFSZ, SIG_IGN); /* EFBIG from write() instead */
}

/* If a standard stream is closed, the first file opened gets its number, and text for the stream would end up in
 * the file. Opens /dev/null in its place, in the mode in which using the stream fails. */
static void fill_streams(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* libgomp calls exit(), after a message of its own, if it gets no thread or no memory. */
static bool returned;
static void on_exit_of_library(void) {
    gf_sink_remove_temporaries();
    if (!returned && *gf_progress_name())
        gf_log_error("'%s': no thread for it could be started; see --threads", gf_progress_name());
}

/* Raises a soft limit of the stack that is too low for the compilers of kernels, for threads too. False if that is
 * not allowed. */
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

int main(int argc, char **argv) {
    gf_environment_read();
    fill_streams();
    catch_signals();
    if (!has_stack())
        return 1;
    atexit(on_exit_of_library);
    gf_log_open_stdout();
    gf_json_memory_setup();
    int code;
    if (!gf_launched_ends(argc, argv, &code))
        code = gf_run_line(argc, argv);
    code = close_stdout(gf_launched_end(code));
    while (ending) /* a signal handler is ending the program and causes what fails meanwhile */
        pause();
    returned = true;
    return code;
}
