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
    GF_OPT_NEGATE,  /* bool listed as --no-name; --name takes it back */
    GF_OPT_CHOICE3, /* int: -1 unset, 0 --no-name, 1 --name */
    GF_OPT_TEXT,    /* const char * into argv */
    GF_OPT_INT,     /* int in low..high */
    GF_OPT_REAL,    /* double above 0, up to `high` if that is not 0; a refusal ends with `wants` */
    GF_OPT_CHOICE,  /* int: index into `choices` */
    GF_OPT_PARSE,   /* parse(row, value, field) */
};

enum { GF_OPT_TEXT_SIZE = 4096 };

struct gf_opt {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* its short form, or 0 */
    enum gf_opt_type type;
    size_t at;       /* offset of the field */
    const char *arg; /* the value's name in --help */
    const char *help;
    const char *const *choices;  /* NULL-terminated; for GF_OPT_PARSE only used by completion */
    const char *(*known)(int i); /* NULL, or returns the i-th further choice, NULL after the last */
    int (*parse)(const struct gf_opt *o, const char *value, void *field); /* 0, or GF_EUSAGE */
    /* GF_OPT_PARSE: writes the i-th value that the field holds, as parse() reads it; false if there
     * is none. Options that are given in a sequence count together. */
    bool (*print)(const struct gf_opt *o, const void *field, int i, char text[GF_OPT_TEXT_SIZE]);
    int low, high; /* GF_OPT_PARSE: parameters of the functions */
    const char *wants;
    bool automatic, whole; /* GF_OPT_REAL: or auto, as -1; only whole numbers */
    bool inert;            /* changes no byte of an output */
    bool own;              /* changes bytes, but may differ among processes of a run */
    bool optional;         /* --name alone is parse(row, "", field); a value follows only after = */
};

struct gf_opt_group {
    const char *title; /* NULL: continues the group before */
    const struct gf_opt *opts;
};

/* Parses argv[0..argc) into `fields` and moves the operands to argv[0..*n_operands). GF_EUSAGE with
 * a one-line message. `groups` is NULL-terminated. fingerprint[0] hashes the last value of each
 * option that is not inert; [1] also leaves out those that are `own`. */
int gf_opt_parse(const struct gf_opt_group *const *groups, void *fields, int argc, char **argv,
                 int *n_operands, uint64_t fingerprint[2]);

/* For tests: calls put() with a word for each option whose field differs from the default, so that
 * gf_opt_parse() of the words fills in the same fields. */
void gf_opt_print(const struct gf_opt_group *const *groups, const void *fields,
                  const void *defaults, void (*put)(void *user, const char *word), void *user);

/* Fails with GF_EUSAGE: the option cannot be `value`; `wants` continues: "it is …". */
int gf_opt_refuse(const struct gf_opt *o, const char *value, const char *wants);

/* Prints the groups' rows, wrapped at 80 columns; if `only`, words between blanks, is not NULL, those
 * of these names and without the groups' titles. */
void gf_opt_help(FILE *to, const struct gf_opt_group *const *groups, const char *only);

/* Finds `value` in the NULL-terminated names. GF_EUSAGE, with `what` as its name. */
int gf_opt_choose(const char *what, const char *value, const char *const *names, int *out);

#endif
