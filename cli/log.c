#include "cli/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/progress.h"
#include "core/base/status.h"

/* The errno of the first thing that did not reach stdout. */
static int first_error;

static void note_error(int error) {
    first_error = first_error ? first_error : error;
}

void gf_log_open_stdout(void) {
    static char buffer[1 << 16];
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

int gf_log_flush_stdout(void) {
    if (fflush(stdout))
        note_error(errno);
    if (ferror(stdout)) /* a full buffer was lost in between, and the reason with it */
        note_error(EIO);
    return first_error;
}

static bool is_quiet, is_verbose;

void gf_log_setup(bool quiet, bool verbose) {
    is_quiet = quiet;
    is_verbose = verbose;
}

bool gf_log_is_verbose(void) {
    return is_verbose;
}

/* NULL where this thread's lines go out at once. */
struct keeper {
    struct gf_said said;
    size_t n_err, n_out;
    FILE *err, *out;
};
static _Thread_local struct keeper *keeper;

void gf_log_keep(void) {
    keeper = calloc(1, sizeof *keeper);
}

static FILE *kept_stream(FILE **stream, char **text, size_t *n) {
    if (!*stream)
        *stream = open_memstream(text, n);
    return *stream;
}

struct gf_said gf_log_kept(void) {
    struct gf_said said = {0};
    struct keeper *k = keeper;
    keeper = NULL;
    if (!k)
        return said;
    if (k->err)
        fclose(k->err);
    if (k->out)
        fclose(k->out);
    said = k->said;
    free(k);
    return said;
}

static void print_err(const char *text, size_t n) {
    gf_progress_hide();
    fwrite(text, 1, n, stderr); /* one write: lines of threads do not mix */
}

void gf_log_say(struct gf_said *said) {
    if (said->err)
        print_err(said->err, strlen(said->err));
    if (said->out && fputs(said->out, stdout) < 0)
        note_error(errno);
    if (said->out)
        gf_log_flush_stdout();
    free(said->err);
    free(said->out);
    *said = (struct gf_said){0};
}

void gf_log_line(const char *line) {
    FILE *f = keeper ? kept_stream(&keeper->out, &keeper->said.out, &keeper->n_out) : stdout;
    if (f && fprintf(f, "%s\n", line) < 0 && f == stdout)
        note_error(errno);
    if (f == stdout)
        gf_log_flush_stdout(); /* a reader sees each file when it is done; main reports errors */
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
        FILE *f = keeper ? kept_stream(&keeper->err, &keeper->said.err, &keeper->n_err) : NULL;
        if (f)
            fwrite(line, 1, (size_t)n, f);
        else
            print_err(line, (size_t)n);
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

int gf_exit_code(int status) {
    if (status == GF_EUSAGE)
        return 2;
    if (status == GF_EABSENT)
        return 3;
    return status ? 1 : 0;
}
