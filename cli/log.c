/* Messages of several threads on stderr; exit codes. */
#include "cli/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/progress.h"
#include "core/base/value/status.h"
#include "formats/io/guard.h"
#include "formats/io/io.h"

/* The errno of the first failure to write to stdout. */
static int first_error;

void gf_log_lost(int error) {
    first_error = first_error ? first_error : error;
}

void gf_log_open_stdout(void) {
    static char buffer[1 << 16];
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

int gf_log_flush_stdout(void) {
    if (fflush(stdout))
        gf_log_lost(errno);
    if (ferror(stdout)) /* an earlier full buffer was lost, with the reason */
        gf_log_lost(EIO);
    return first_error;
}

void gf_log_drop_text(void) {
    const int data = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (data >= 0) /* else stdout is closed */
        gf_guard_set_stdout(data);
    if (!freopen("/dev/null", "w", stdout))
        gf_log_lost(errno);
}

static bool is_quiet, is_verbose, is_mute;

void gf_log_mute(bool on) {
    is_mute = on;
}

void gf_log_setup(bool quiet, bool verbose) {
    is_quiet = is_quiet || quiet;
    is_verbose = is_verbose || verbose;
}

bool gf_log_is_verbose(void) {
    return is_verbose;
}

/* A thread's stored messages. */
struct kept {
    char *text; /* ends with a zero byte */
    size_t n, capacity;
};

/* NULL: messages are printed at once. */
struct keeper {
    struct kept err, out;
};
static _Thread_local struct keeper *keeper;

void gf_log_keep(void) {
    keeper = calloc(1, sizeof *keeper);
}

/* False without memory: the caller prints the line early. */
static bool keep(struct kept *k, const char *line, size_t n) {
    if (k->n + n >= k->capacity) {
        size_t capacity = 2 * k->capacity + n + 256;
        char *more = realloc(k->text, capacity);
        if (!more)
            return false;
        k->text = more;
        k->capacity = capacity;
    }
    memcpy(k->text + k->n, line, n);
    k->n += n;
    k->text[k->n] = 0;
    return true;
}

const char *gf_log_held(void) {
    return keeper ? keeper->err.text : NULL;
}

struct gf_said gf_log_kept(void) {
    struct keeper *k = keeper;
    keeper = NULL;
    struct gf_said said = k ? (struct gf_said){k->err.text, k->out.text} : (struct gf_said){0};
    free(k);
    return said;
}

static void print_err(const char *text, size_t n) {
    if (is_mute)
        return;
    gf_progress_hide();
    fwrite(text, 1, n, stderr); /* one write, so that lines of threads do not mix */
}

void gf_log_say(struct gf_said *said) {
    if (said->err)
        print_err(said->err, strlen(said->err));
    if (said->out && fputs(said->out, stdout) < 0)
        gf_log_lost(errno);
    if (said->out)
        gf_log_flush_stdout();
    free(said->err);
    free(said->out);
    *said = (struct gf_said){0};
}

void gf_log_line(const char *line) {
    size_t n = strlen(line), before = keeper ? keeper->out.n : 0;
    if (keeper && keep(&keeper->out, line, n)) {
        if (keep(&keeper->out, "\n", 1))
            return;
        keeper->out.n = before;
        keeper->out.text[before] = 0;
    }
    if (printf("%s\n", line) < 0)
        gf_log_lost(errno);
    gf_log_flush_stdout(); /* readers get each line as its file is done; main() reports errors */
}

static void say(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
static void say(const char *format, va_list args) {
    /* On the stack, since memory may be short. A name has up to 4 KiB. */
    char line[8192] = "gpufft: ";
    size_t n = strlen(line);
    int more = vsnprintf(line + n, sizeof line - n - 1, format, args);
    if (more < 0)
        return;
    gf_clean_text(line, sizeof line, line); /* names must not control the terminal */
    n = strlen(line);
    line[n++] = '\n';
    if (!keeper || !keep(&keeper->err, line, n))
        print_err(line, n);
}

void gf_log_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

bool gf_log_pipe_closed(void) {
    return strstr(gf_message(), "roken pipe") != NULL;
}

void gf_log_fail(const char *name) {
    if (gf_log_pipe_closed())
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

void gf_log_heading(const char *path) {
    char line[8192];
    puts(gf_clean_text(line, sizeof line, gf_log_name(path)));
}

int gf_exit_code(int status) {
    if (status == GF_EUSAGE)
        return 2;
    if (status == GF_EABSENT || status == GF_EUNABLE)
        return 3;
    return status ? 1 : 0;
}

int gf_log_exit(int status, const char *name) {
    if (status)
        gf_log_fail(name);
    return gf_exit_code(status);
}
