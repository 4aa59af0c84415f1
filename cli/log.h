/* Messages on stderr, one line each whatever characters names contain. Thread-safe. */
#ifndef GF_CLI_LOG_H
#define GF_CLI_LOG_H

#include <stdbool.h>

/* Flags stay set: a lesson's commands are as quiet as the lesson. */
void gf_log_setup(bool quiet, bool verbose);
bool gf_log_is_verbose(void);
/* Silences stderr: another process of the run prints. */
void gf_log_mute(bool on);

/* Always prints "gpufft: …". */
void gf_log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "gpufft: 'name': " and gf_message(); `name` may be NULL. Silent for EPIPE: the reader of
 * stdout has gone. */
void gf_log_fail(const char *name);
/* True if gf_message() is about EPIPE. */
bool gf_log_pipe_closed(void);
/* Unless --quiet. */
void gf_log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With --verbose. */
void gf_log_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The name of a path in messages: '-' is stdin. */
const char *gf_log_name(const char *path);
/* Prints the path as a line on stdout. */
void gf_log_heading(const char *path);

/* Messages of concurrent threads are stored and printed in turn. */
struct gf_said {
    char *err, *out; /* lines for stderr and stdout; NULL: none */
};
/* Starts storing this thread's messages. */
void gf_log_keep(void);
/* Returns the stored lines for stderr, or NULL. */
const char *gf_log_held(void);
/* Stops storing. The caller passes the result to gf_log_say(), which frees it. */
struct gf_said gf_log_kept(void);
void gf_log_say(struct gf_said *said);

/* Discards text from here on: --quiet for commands whose result is text. Outputs named "-" still
 * reach stdout. */
void gf_log_drop_text(void);

/* Prints one line to stdout, at once. */
void gf_log_line(const char *line);

/* Call before printing: enlarges the buffer to hold the text between flushes, so that failures
 * occur in a flush, which reports the cause. */
void gf_log_open_stdout(void);
/* Records that stdout is incomplete: the program fails at its end. */
void gf_log_lost(int error);
/* Flushes stdout. Returns the errno of the first failure so far, or 0. */
int gf_log_flush_stdout(void);

/* Returns a status's exit code: 1, 2 or 3. */
int gf_exit_code(int status);
/* The same; prints a failure as gf_log_fail() does. */
int gf_log_exit(int status, const char *name);

#endif
