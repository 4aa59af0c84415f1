/* gpufft demo: lessons, each a folder of numbered panels made by the program's own commands. */
#ifndef GF_CLI_DEMO_DEMO_H
#define GF_CLI_DEMO_DEMO_H

#include "cli/settings.h"

enum { GF_MAX_SAMPLES = 2, GF_MAX_STEPS = 10 };

/* A command without "gpufft": words between spaces, optionally "> FILE" at the end. Names of panels
 * begin with two digits and a dash. */
struct gf_lesson_step {
    const char *words;
    const char *see; /* what to look at, or NULL */
};

struct gf_lesson {
    const char *name, *title;
    const char *text;
    struct {
        const char *sample, *panel; /* a file of samples/, and its name in the lesson */
    } input[GF_MAX_SAMPLES];
    struct gf_lesson_step step[GF_MAX_STEPS];
};

extern const struct gf_lesson gf_lessons[]; /* ends with a NULL name */

/* The samples inside the program: a table that the Makefile writes from samples/. */
struct gf_sample_file {
    const char *name; /* NULL ends the table */
    const unsigned char *bytes;
    const unsigned char *end;
};

extern const struct gf_sample_file gf_sample_files[];

#endif
