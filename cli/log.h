/* What goes to stderr: one line a message, whatever the names in it hold. Threads may call these.
 */
#ifndef GF_CLI_LOG_H
#define GF_CLI_LOG_H

#include <stdbool.h>

void gf_log_setup(bool quiet, bool verbose);
bool gf_log_is_verbose(void);

/* "gpufft: …" always. */
void gf_log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "gpufft: 'name': " and gf_message(); `name` may be NULL. A reader that closed our pipe is no
 * failure worth a line: EPIPE stays silent. */
void gf_log_fail(const char *name);
/* Unless --quiet. */
void gf_log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With --verbose. */
void gf_log_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How a path is called in messages: '-' is stdin. */
const char *gf_log_name(const char *path);

/* Pushes out what was printed to stdout. The errno of the first failure, ever; 0 for none. */
int gf_log_flush_stdout(void);

/* The exit code that a status stands for: 1, 2 or 3. */
int gf_exit_code(int status);

#endif
