/* The files inside the program, a table that the Makefile writes: lessons (NAME.md) and the samples
 * that they start from. A lesson is its page: a title, a text that names its samples, and commands,
 * each an indented line "gpufft …" with its pictures and what is to be seen behind it. A command is
 * words between spaces, optionally with "> FILE" at the end; names of panels begin with two digits
 * and a dash. */
#ifndef GF_CLI_DEMO_DEMO_H
#define GF_CLI_DEMO_DEMO_H

#include <stddef.h>

struct gf_sample_file {
    const char *name;                 /* NULL ends the table */
    const unsigned char *bytes, *end; /* a zero is behind the end */
};

extern const struct gf_sample_file gf_sample_files[];

#endif
