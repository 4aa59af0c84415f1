/* Signals, the standard streams, and the only exit. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/json_memory.h"
#include "cli/launched.h"
#include "cli/log.h"
#include "core/base/status.h"
#include "formats/io.h"

static volatile sig_atomic_t ending;

static void on_signal(int number) {
    ending = 1;
    gf_sink_remove_temporaries();
    _exit(128 + number);
}

static void catch_signals(void) {
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    sigfillset(&action.sa_mask);
    for (int i = 0; i < 3; i++) {
        struct sigaction old;
        /* What our parent had us ignore (nohup) stays ignored. */
        if (!sigaction(caught[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* EPIPE from write() instead */
    signal(SIGXFSZ, SIG_IGN); /* EFBIG from write() instead */
}

/* A standard stream that came closed would lend its number to the first file opened, and what is
 * meant for it would end up there. Each gets a /dev/null that fails when it is used. */
static void fill_streams(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
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
    /* libgomp ends the program by exit() where it gets no thread or no memory. */
    atexit(gf_sink_remove_temporaries);
    gf_log_open_stdout();
    gf_json_memory_setup();
    int code;
    if (!gf_launched_ends(argc, argv, &code))
        code = gf_run_line(argc, argv);
    code = close_stdout(gf_launched_end(code));
    while (
        ending) /* a thread that got a signal ends the program: what failed meanwhile is its doing */
        pause();
    return code;
}
