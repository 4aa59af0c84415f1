/* Messages on stderr: one line each, whatever characters the names in it have. Any thread may call these. */
#ifndef GF_CLI_LOG_H
#define GF_CLI_LOG_H

#include <stdbool.h>

/* Flags remain set: a lesson's commands are as quiet as the lesson. */
void gf_log_setup(bool quiet, bool verbose);
bool gf_log_is_verbose(void);
/* Prints nothing more to stderr, since another process of the run does. */
void gf_log_mute(bool on);

/* "gpufft: …" always. */
void gf_log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "gpufft: 'name': " and gf_message(); `name` may be NULL. Prints nothing for EPIPE: the reader of stdout has closed
 * it. */
void gf_log_fail(const char *name);
/* True if gf_message() is about EPIPE. */
bool gf_log_pipe_closed(void);
/* Unless --quiet. */
void gf_log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With --verbose. */
void gf_log_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The name of a path in messages: '-' is stdin. */
const char *gf_log_name(const char *path);
/* Prints that as a line of text on stdout, whatever characters it has. */
void gf_log_heading(const char *path);

/* Messages of concurrent threads are kept, and printed when their turn has come. */
struct gf_said {
    char *err, *out; /* lines for stderr and stdout; NULL: none */
};
/* Keeps this thread's messages from here on. */
void gf_log_keep(void);
/* The lines for stderr kept so far, or NULL. */
const char *gf_log_held(void);
/* Ends that. The caller passes the result to gf_log_say(), which frees it. */
struct gf_said gf_log_kept(void);
void gf_log_say(struct gf_said *said);

/* Drops everything printed to stdout from here on: --quiet, where text is a command's product. */
void gf_log_drop_text(void);

/* Prints one line to stdout, at once. */
void gf_log_line(const char *line);
/* The same for text with names in it, of which it makes one line. */
void gf_log_text(char *text);

/* Called before anything is printed: makes the buffer large enough for the text between two flushes, so that a
 * failure occurs in a flush, which reports its cause. */
void gf_log_open_stdout(void);
/* Notes that something is missing on stdout: the program ends with a failure. */
void gf_log_lost(int error);
/* Flushes stdout. Returns the errno of the first failure so far; 0 for none. */
int gf_log_flush_stdout(void);

/* The exit code of a status: 1, 2 or 3. */
int gf_exit_code(int status);
/* The same for an input's failure: wrong data are no usage error, and a job that the backend cannot do fails only
 * that input if there are others (`only` is false). */
int gf_exit_code_of_input(int status, bool only);

#endif
