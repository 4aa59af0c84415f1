/* A row of a table of options: the field of a structure that a text fills in, and the text again.
 *
 *     #define GF_AT(field) offsetof(struct gf_match_options, field)
 *     const struct gf_opt gf_match_rows[] = {
 *         GF_INTEGER("peaks", peaks, "N", 0, 100000, "list the N best places (default: 5)"), {0}};
 *     rc = gf_opt_set(gf_match_rows, "7", &options.peaks);
 *
 * The rows of an operation are in its file; the command line (cli/opt.h) and other programs compose
 * their tables of these. option.c */
#ifndef GF_CORE_OP_OPTION_H
#define GF_CORE_OP_OPTION_H

#include <stdbool.h>
#include <stddef.h>

enum gf_opt_type {
    GF_OPT_FLAG,    /* bool: --name; --no-name takes it back */
    GF_OPT_NEGATE,  /* bool listed as --no-name; --name takes it back */
    GF_OPT_CHOICE3, /* int: -1 unset, 0 --no-name, 1 --name */
    GF_OPT_TEXT,    /* const char *, the text itself */
    GF_OPT_INT,     /* int in low..high */
    GF_OPT_REAL,    /* double above 0, up to `high` if that is not 0; a refusal ends with `wants` */
    GF_OPT_CHOICE,  /* int: index into `choices` */
    GF_OPT_PARSE,   /* parse(row, value, field) */
    GF_OPT_ROWS,    /* stands for rows of another table */
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
    /* 0, or GF_EUSAGE. The field may keep `value`, which must outlive it. */
    int (*parse)(const struct gf_opt *o, const char *value, void *field);
    /* GF_OPT_PARSE: writes the i-th value that the field holds, as parse() reads it; false if there
     * is none. Options that are given in a sequence count together. */
    bool (*print)(const struct gf_opt *o, const void *field, int i, char text[GF_OPT_TEXT_SIZE]);
    int low, high; /* GF_OPT_PARSE: parameters of the functions */
    const char *wants;
    bool automatic, whole; /* GF_OPT_REAL: or auto, as -1; only whole numbers */
    bool inert;            /* changes no byte of an output */
    bool own;              /* changes bytes, but may differ among processes of a run */
    bool optional;         /* --name alone is parse(row, "", field); a value follows only after = */
    /* GF_OPT_ROWS: the table, whose structure is the field; `name` lists its rows between blanks. */
    const struct gf_opt *rows;
};

/* ---- one row: its name, its field, its value in --help, its text ----
 *
 * After the text, further members: GF_TEXT("out", out, "OUT", "where to write", .letter = 'o').
 * GF_AT(field) is the offset in the structure of the file's rows, which defines it. */

/* clang-format off */
#define GF_ROW(n, kind, offset, ...) {.name = n, .type = kind, .at = offset, __VA_ARGS__}
/* clang-format on */
#define GF_FLAG(n, field, ...)    GF_ROW(n, GF_OPT_FLAG, GF_AT(field), .help = __VA_ARGS__)
#define GF_NEGATE(n, field, ...)  GF_ROW(n, GF_OPT_NEGATE, GF_AT(field), .help = __VA_ARGS__)
#define GF_CHOICE3(n, field, ...) GF_ROW(n, GF_OPT_CHOICE3, GF_AT(field), .help = __VA_ARGS__)
#define GF_TEXT(n, field, argument, ...) \
    GF_ROW(n, GF_OPT_TEXT, GF_AT(field), .arg = argument, .help = __VA_ARGS__)
#define GF_CHOICE(n, field, argument, list, ...) \
    GF_ROW(n, GF_OPT_CHOICE, GF_AT(field), .arg = argument, .choices = list, .help = __VA_ARGS__)
#define GF_INTEGER(n, field, argument, least, most, ...) \
    GF_ROW(n, GF_OPT_INT, GF_AT(field), .arg = argument, .low = least, .high = most, \
           .help = __VA_ARGS__)
#define GF_NUMBER(n, field, argument, most, what, ...) \
    GF_ROW(n, GF_OPT_REAL, GF_AT(field), .arg = argument, .high = most, .wants = what, \
           .help = __VA_ARGS__)
/* `offset`: of the field that the function fills; 0: it fills the whole structure. */
#define GF_PARSED(n, offset, argument, function, ...) \
    GF_ROW(n, GF_OPT_PARSE, offset, .arg = argument, .parse = function, .help = __VA_ARGS__)
/* Those rows of a table, in its order, whose names `list` has between blanks. */
#define GF_ROWS(list, field, table) GF_ROW(list, GF_OPT_ROWS, GF_AT(field), .rows = table)

/* Walks over a table and the tables that it names:
 *
 *     struct gf_opt_walk walk = {.level[0] = {.row = rows}};
 *     for (const struct gf_opt *o; (o = gf_opt_next(&walk));)
 *         gf_opt_set(o, value, (char *)&options + walk.at);                                  */
struct gf_opt_walk {
    size_t at; /* offset of the row's field in the structure of the first table */
    int depth;
    struct gf_opt_level {
        const struct gf_opt *row; /* the next one */
        const char *only;         /* NULL: all */
        size_t at;
    } level[3];
};
const struct gf_opt *gf_opt_next(struct gf_opt_walk *w); /* NULL after the last */

bool gf_opt_is_flag(const struct gf_opt *o);
/* Sets the field to a value that is not empty; a flag's is "1" or "0". GF_EUSAGE. */
int gf_opt_set(const struct gf_opt *o, const char *value, void *field);
/* Writes the field's i-th value, as gf_opt_set() reads it; false if it has none, or but for
 * GF_OPT_PARSE the same as `usual`. */
bool gf_opt_show(const struct gf_opt *o, const void *field, const void *usual, int i,
                 char text[GF_OPT_TEXT_SIZE]);

/* Fails with GF_EUSAGE: the option cannot be `value`; `wants` continues: "it is …". */
int gf_opt_refuse(const struct gf_opt *o, const char *value, const char *wants);
/* Finds `value` in the NULL-terminated names. GF_EUSAGE, with `what` as its name. */
int gf_opt_choose(const char *what, const char *value, const char *const *names, int *out);

#endif
