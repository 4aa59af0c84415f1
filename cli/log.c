#include "cli/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "core/status.h"

static bool is_quiet, is_verbose;

void gf_log_setup(bool quiet, bool verbose) {
    is_quiet = quiet;
    is_verbose = verbose;
}

bool gf_log_is_verbose(void) {
    return is_verbose;
}

/* Names and file contents reach messages; none of them may start a second line or speak to the
 * terminal. */
static void clean(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

static void say(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
static void say(const char *format, va_list args) {
    char *text = NULL, *line = NULL;
    if (vasprintf(&text, format, args) < 0)
        return;
    clean(text);
    int n = asprintf(&line, "gpufft: %s\n", text);
    if (n > 0) {
        gf_progress_hide();
        fwrite(line, 1, (size_t)n, stderr); /* one write: lines of threads do not mix */
        free(line);
    }
    free(text);
}

void gf_log_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

void gf_log_fail(const char *name) {
    if (strstr(gf_message(), "roken pipe"))
        return;
    if (name)
        gf_log_error("'%s': %s", gf_log_name(name), gf_message());
    else
        gf_log_error("%s", gf_message());
}

void gf_log_note(const char *format, ...) {
    va_list args;
    if (is_quiet)
        return;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

void gf_log_verbose(const char *format, ...) {
    va_list args;
    if (!is_verbose)
        return;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

const char *gf_log_name(const char *path) {
    return !strcmp(path, "-") ? "stdin" : path;
}

int gf_log_flush_stdout(void) {
    static int first;
    if (fflush(stdout) && !first)
        first = errno;
    return first;
}

int gf_exit_code(int status) {
    if (status == GF_EUSAGE)
        return 2;
    if (status == GF_EABSENT)
        return 3;
    return status ? 1 : 0;
}
