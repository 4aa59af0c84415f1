/* The keeper of one temporary: a child process at the other end of a pipe. */
#include "formats/io_keeper.h"

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

/* The path, as far as it comes, until the other end is closed; an empty one for a maker that ended
 * well. A new session, so that signals to the maker's group do not end this process too. */
static void keep(int from) {
    static char path[PATH_MAX];
    size_t n = 0;
    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    for (;;) {
        ssize_t got = read(from, path + n, sizeof path - 1 - n);
        if (got > 0)
            n += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
    }
    if (n > 1 && path[n - 1] == '\0')
        unlink(path);
}

void gf_keeper_start(void) {
    int ends[2];
    if (pipe_end >= 0 || pipe2(ends, O_CLOEXEC))
        return;
    child = fork();
    if (child == 0) {
        /* Nothing of the maker's may stay open here: a launcher waits for the end of its pipes. */
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
    char *whole = realpath(path, NULL); /* the child never changes its folder, but this one may */
    const char *p = whole ? whole : path;
    size_t n = strlen(p) + 1;
    if (pipe_end >= 0 && write(pipe_end, p, n) != (ssize_t)n) {
        close(pipe_end);
        pipe_end = -1;
    }
    free(whole);
}

void gf_keeper_stop(void) {
    if (pipe_end < 0)
        return;
    close(pipe_end);
    pipe_end = -1;
    waitpid(child, NULL, 0);
}
