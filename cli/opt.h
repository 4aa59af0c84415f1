/* One table of options drives parsing and --help.
 *
 *     --name=value  --name value  --flag  --no-flag  --unambiguous-pref  --
 *     -n value  -nvalue  -f  -fgn value
 *
 * Options and operands may be mixed; a lone `-` is an operand. A row names the field of the
 * caller's structure that takes the value, so that groups of rows are shared between commands. */
#ifndef GF_CLI_OPT_H
#define GF_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum gf_opt_type {
    GF_OPT_FLAG,    /* bool: --name; --no-name takes it back */
    GF_OPT_NEGATE,  /* bool that is listed as --no-name; --name takes it back */
    GF_OPT_CHOICE3, /* int: -1 unset, 0 --no-name, 1 --name */
    GF_OPT_TEXT,    /* const char * into argv */
    GF_OPT_INT,     /* int in low..high */
    GF_OPT_REAL,    /* double above 0, up to `high` if that is not 0; a refusal ends with `wants` */
    GF_OPT_CHOICE,  /* int: index into `choices` */
    GF_OPT_PARSE,   /* parse(row, value, field) */
};

struct gf_opt {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* its short form, or 0 */
    enum gf_opt_type type;
    size_t at;       /* offset of the field */
    const char *arg; /* how --help names the value */
    const char *help;
    const char *const *choices;  /* NULL-terminated; of GF_OPT_PARSE some values, for completion */
    const char *(*known)(int i); /* NULL, or further ones: the i-th, NULL behind the last */
    int (*parse)(const struct gf_opt *o, const char *value, void *field); /* 0, or GF_EUSAGE */
    int low, high; /* GF_OPT_PARSE: parameters of the function */
    const char *wants;
    bool inert;    /* changes no byte of a file that is written */
    bool own;      /* may change some, but may differ among processes that share a run */
    bool optional; /* --name alone is parse(row, "", field); a value only follows after = */
};

struct gf_opt_group {
    const char *title; /* NULL: the rows continue those of the group before */
    const struct gf_opt *opts;
};

/* Parses argv[0..argc), filling `fields`; the operands, in order, end up in argv[0..*n_operands).
 * GF_EUSAGE with a one-line message otherwise. `groups` is NULL-terminated. fingerprint[0] is a hash of
 * the options that are not inert, with the last value of each; [1] leaves out those that are `own`. */
int gf_opt_parse(const struct gf_opt_group *const *groups, void *fields, int argc, char **argv,
                 int *n_operands, uint64_t fingerprint[2]);

/* GF_EUSAGE: the option cannot be `value`; `wants` continues the sentence: "it is …". */
int gf_opt_refuse(const struct gf_opt *o, const char *value, const char *wants);

/* The groups' rows, wrapped at 80 columns. */
void gf_opt_help(FILE *to, const struct gf_opt_group *const *groups);

/* The index of `value` in the NULL-terminated names; otherwise GF_EUSAGE, calling it `what`. */
int gf_opt_choose(const char *what, const char *value, const char *const *names, int *out);

/* The name that `word` may be a misspelling of, or NULL. */
const char *gf_opt_near(const char *word, const char *const *names);

#endif
