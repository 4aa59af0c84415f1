/* The keeper of temporaries: a child process at the other end of a pipe. */
#include "formats/io/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int pipe_end = -1;
static pid_t child;

/* Collects zero-terminated paths until the other end is closed, then unlinks them; renamed ones no
 * longer exist. A new session protects this process from signals to the program's group. */
static void keep(int from) {
    static char path[16 * PATH_MAX];
    size_t n = 0;
    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    for (;;) {
        if (n == sizeof path - 1) /* more than any run has */
            return;
        ssize_t got = read(from, path + n, sizeof path - 1 - n);
        if (got > 0)
            n += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
    }
    for (size_t at = 0, end; at < n; at = end + 1) {
        end = at + strnlen(path + at, n - at);
        if (end > at && end < n)
            unlink(path + at);
    }
}

void gf_keeper_start(void) {
    int ends[2];
    if (pipe_end >= 0 || pipe2(ends, O_CLOEXEC))
        return;
    child = fork();
    if (child == 0) {
        /* Close the program's descriptors: a launcher waits until its pipes are closed. */
        int none = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3 && none >= 0; fd++)
            dup2(none, fd);
        if (ends[0] != 3)
            dup2(ends[0], 3);
        for (int fd = 4; fd < 1024; fd++)
            close(fd);
        keep(3);
        _Exit(0);
    }
    close(ends[0]);
    if (child < 0)
        close(ends[1]);
    else
        pipe_end = ends[1];
}

void gf_keeper_watch(const char *path) {
    char whole[2 * PATH_MAX] =
        ""; /* absolute: this process may change its folder, the child does not */
    if (pipe_end < 0)
        return;
    if (*path != '/' && getcwd(whole, PATH_MAX))
        strcat(whole, "/");
    strncat(whole, path, PATH_MAX - 1);
    const size_t n = strlen(whole) + 1;
    if (write(pipe_end, whole, n) != (ssize_t)n) {
        close(pipe_end);
        pipe_end = -1;
    }
}

void gf_keeper_stop(void) {
    if (pipe_end < 0)
        return;
    close(pipe_end);
    pipe_end = -1;
    waitpid(child, NULL, 0);
}
