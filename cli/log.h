/* Messages to stderr: one line each, whatever the names in it hold. Threads may call these.
 */
#ifndef GF_CLI_LOG_H
#define GF_CLI_LOG_H

#include <stdbool.h>

/* Flags stay set: a lesson's commands are as quiet as the lesson. */
void gf_log_setup(bool quiet, bool verbose);
bool gf_log_is_verbose(void);
/* Nothing is printed to stderr: another process of the run prints it. */
void gf_log_mute(bool on);

/* "gpufft: …" always. */
void gf_log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "gpufft: 'name': " and gf_message(); `name` may be NULL. A reader that closed our pipe is no
 * failure worth a line: EPIPE stays silent. */
void gf_log_fail(const char *name);
/* True where gf_message() is about that. */
bool gf_log_pipe_closed(void);
/* Unless --quiet. */
void gf_log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With --verbose. */
void gf_log_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How a path is called in messages: '-' is stdin. */
const char *gf_log_name(const char *path);
/* The same as a line of text on stdout, whatever is in it. */
void gf_log_heading(const char *path);

/* Messages of a thread that works beside others are kept, and printed when its turn has come. */
struct gf_said {
    char *err, *out; /* lines for stderr and stdout; NULL: none */
};
/* From here on this thread's messages are kept. */
void gf_log_keep(void);
/* Their lines for stderr until now, or NULL. */
const char *gf_log_held(void);
/* Ends that. The caller hands the result to gf_log_say(), which frees it. */
struct gf_said gf_log_kept(void);
void gf_log_say(struct gf_said *said);

/* Drops everything printed to stdout from here on: --quiet, where text is a command's product. */
void gf_log_drop_text(void);

/* One line for stdout, at once. */
void gf_log_line(const char *line);
/* The same of text that has names in it, which is made one line. */
void gf_log_text(char *text);

/* Before anything is printed: room for the text between two flushes, so that it is a flush that
 * fails and tells why. */
void gf_log_open_stdout(void);
/* Something that was due on stdout will never come: the program ends with a failure. */
void gf_log_lost(int error);
/* Pushes out what was printed to stdout. The errno of the first failure, ever; 0 for none. */
int gf_log_flush_stdout(void);

/* The exit code of a status: 1, 2 or 3. */
int gf_exit_code(int status);
/* The same of an input's failure: what is wrong with its data is no usage error, and what a backend
 * cannot do concerns that input alone where there are others. */
int gf_exit_code_of_input(int status, bool only);

#endif
