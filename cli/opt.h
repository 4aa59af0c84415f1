/* One table of options drives parsing and --help.
 *
 *     --name=value  --name value  --flag  --no-flag  --unambiguous-pref  --
 *     -n value  -nvalue  -f  -fgn value
 *
 * Options and operands may be mixed; a lone `-` is an operand. A row names the field of the
 * caller's structure that takes the value, so that groups of rows are shared between commands. */
#ifndef GF_CLI_OPT_H
#define GF_CLI_OPT_H

#include <stdint.h>
#include <stdio.h>

#include "core/op/option.h"

struct gf_opt_group {
    const char *title; /* NULL: continues the group before */
    const struct gf_opt *opts;
};

/* Walks over the rows of groups, which are NULL-terminated: gf_opt_list_next() until it returns NULL. */
struct gf_opt_list {
    const struct gf_opt_group *const *group;
    const char *title;       /* of the group, with its first row; else NULL */
    struct gf_opt_walk walk; /* `at`: where the row's field is in the structure */
};
const struct gf_opt *gf_opt_list_next(struct gf_opt_list *l);

/* Parses argv[0..argc) into `fields` and moves the operands to argv[0..*n_operands). GF_EUSAGE with
 * a one-line message. `groups` is NULL-terminated. fingerprint[0] hashes the last value of each
 * option that is not inert; [1] also leaves out those that are `own`. */
int gf_opt_parse(const struct gf_opt_group *const *groups, void *fields, int argc, char **argv,
                 int *n_operands, uint64_t fingerprint[2]);

/* For tests: calls put() with a word for each option whose field differs from the default, so that
 * gf_opt_parse() of the words fills in the same fields. */
void gf_opt_print(const struct gf_opt_group *const *groups, const void *fields,
                  const void *defaults, void (*put)(void *user, const char *word), void *user);

/* Prints the groups' rows, wrapped at 80 columns; if `only`, words between blanks, is not NULL, those
 * of these names and without the groups' titles. */
void gf_opt_help(FILE *to, const struct gf_opt_group *const *groups, const char *only);

#endif
