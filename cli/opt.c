/* Parses a command line by a table of options and prints the table for --help. */
#include "cli/opt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cli/text.h"
#include "core/base/value/hash.h"
#include "core/base/value/spelling.h"
#include "core/base/value/status.h"

enum { MAX_NAMES = 160, NAME_SIZE = 40, HELP_COLUMN = 27, HELP_WIDTH = 80 };

static bool is_flag(const struct gf_opt *o) {
    return o->type == GF_OPT_FLAG || o->type == GF_OPT_NEGATE || o->type == GF_OPT_CHOICE3;
}

int gf_opt_choose(const char *what, const char *value, const char *const *names, int *out) {
    char list[256];
    for (int i = 0; names[i]; i++)
        if (!strcmp(value, names[i])) {
            *out = i;
            return 0;
        }
    const char *near = gf_spelling_near(value, names);
    gf_spelling_list(names, list, sizeof list);
    if (near)
        return gf_fail(GF_EUSAGE, "%s cannot be '%.40s'; did you mean '%s'? (%s)", what, value,
                       near, list);
    return gf_fail(GF_EUSAGE, "%s cannot be '%.40s'; it is one of %s", what, value, list);
}

/* A name that may be typed, --no- forms included. */
struct name {
    char text[NAME_SIZE];
    const struct gf_opt *opt;
    bool negated;
    const char *given; /* the last value, kept with the first name of an option; NULL: none */
};

static int list_names(const struct gf_opt_group *const *groups, struct name names[MAX_NAMES]) {
    int n = 0;
    for (; *groups; groups++)
        for (const struct gf_opt *o = (*groups)->opts; o->name; o++)
            for (int negated = 0; negated <= is_flag(o) && n < MAX_NAMES; negated++, n++) {
                names[n] = (struct name){.opt = o, .negated = negated};
                snprintf(names[n].text, NAME_SIZE, "%s%s", negated ? "no-" : "", o->name);
            }
    return n;
}

static int unknown_option(const char *word, size_t len, const struct name *names, int n) {
    char text[NAME_SIZE];
    const char *all[MAX_NAMES + 1] = {NULL};
    snprintf(text, sizeof text, "%.*s", (int)len, word);
    for (int i = 0; i < n; i++)
        all[i] = names[i].text;
    /* The offset of raw samples is --skip. */
    const char *near = gf_spelling_near(strcmp(text, "offset") ? text : "skip", all);
    if (near)
        return gf_fail(GF_EUSAGE, "unknown option '--%s'; did you mean '--%s'?", text, near);
    return gf_fail(GF_EUSAGE, "unknown option '--%s'; see --help", text);
}

/* Finds the row that word[0..len) names, in full or by an unambiguous beginning. */
static int find_name(const struct name *names, int n, const char *word, size_t len,
                     const struct name **out) {
    const struct name *first = NULL, *second = NULL;
    for (int i = 0; i < n; i++) {
        if (strncmp(names[i].text, word, len))
            continue;
        if (!names[i].text[len]) {
            *out = &names[i];
            return 0;
        }
        if (!first)
            first = &names[i];
        else if (!second)
            second = &names[i];
    }
    if (second)
        return gf_fail(GF_EUSAGE, "option '--%.*s' is ambiguous: '--%s' or '--%s'?", (int)len, word,
                       first->text, second->text);
    if (!first || !len)
        return unknown_option(word, len, names, n);
    *out = first;
    return 0;
}

static int set_int(const struct gf_opt *o, const char *value, int *field) {
    char *end;
    errno = 0;
    long v = strtol(value, &end, 10);
    if (errno || end == value || *end || v < o->low || v > o->high)
        return gf_fail(GF_EUSAGE, "--%s cannot be '%.40s'; it is a whole number from %d to %d",
                       o->name, value, o->low, o->high);
    *field = (int)v;
    return 0;
}

int gf_opt_refuse(const struct gf_opt *o, const char *value, const char *wants) {
    return gf_fail(GF_EUSAGE, "--%s cannot be '%.40s'; %s", o->name, value, wants);
}

static int set_real(const struct gf_opt *o, const char *value, double *field) {
    char *end;
    const bool automatic = o->automatic && !strcmp(value, "auto");
    const double v = strtod(value, &end);
    if (!automatic && (end == value || *end || !(v > 0) || !isfinite(v) ||
                       (o->high && v > o->high) || (o->whole && v != floor(v))))
        return gf_opt_refuse(o, value, o->wants);
    *field = automatic ? -1 : v;
    return 0;
}

/* A flag's value is "1" or "0". */
static int set(struct name *names, const struct gf_opt *o, const char *value, char *base) {
    char what[NAME_SIZE + 2];
    void *field = base + o->at;
    while (names->opt != o)
        names++;
    names->given = value;
    if (!*value)
        return gf_fail(GF_EUSAGE, "option '--%s' needs a value: --%s=%s", o->name, o->name, o->arg);
    switch (o->type) {
    case GF_OPT_FLAG:
    case GF_OPT_NEGATE:
        *(bool *)field = *value == '1';
        return 0;
    case GF_OPT_CHOICE3:
        *(int *)field = *value == '1';
        return 0;
    case GF_OPT_TEXT:
        *(const char **)field = value;
        return 0;
    case GF_OPT_INT:
        return set_int(o, value, field);
    case GF_OPT_REAL:
        return set_real(o, value, field);
    case GF_OPT_CHOICE:
        snprintf(what, sizeof what, "--%s", o->name);
        return gf_opt_choose(what, value, o->choices, field);
    default:
        return o->parse(o, value, field);
    }
}

/* A lone dash is stdin; '-1.5' and '-1,2' are numbers. */
static bool looks_like_option(const char *arg) {
    return arg[0] == '-' && arg[1] && !strchr("0123456789.", arg[1]);
}

/* Sets an option with a value to `rest` or, if NULL, to the next word, advancing *i. */
static int set_next(struct name *names, const struct gf_opt *o, const char *rest, char *base,
                    int argc, char **argv, int *i) {
    if (!rest)
        rest = *i + 1 < argc && !looks_like_option(argv[*i + 1]) ? argv[++*i] : "";
    return set(names, o, rest, base);
}

/* Parses the option argv[*i]; advances *i to its last word. */
static int parse_option(struct name *names, int n, char *base, int argc, char **argv, int *i) {
    const char *word = argv[*i] + 2;
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    const struct name *name = NULL;
    int rc = find_name(names, n, word, len, &name);
    if (rc)
        return rc;
    const struct gf_opt *o = name->opt;
    if (is_flag(o) && equals)
        return gf_fail(GF_EUSAGE, "option '--%s' takes no value", name->text);
    if (is_flag(o))
        return set(names, o, name->negated ? "0" : "1", base);
    if (!equals && o->optional)
        return o->parse(o, "", base + o->at);
    return set_next(names, o, equals ? equals + 1 : NULL, base, argc, argv, i);
}

/* Refuses a long name after one dash, which would be read as letters. */
static int refuse_one_dash(const struct name *names, int n, const char *word) {
    size_t len = strcspn(word, "=");
    for (int k = 0; k < n && len > 1; k++)
        if (strlen(names[k].text) == len && !strncmp(names[k].text, word, len))
            return gf_fail(GF_EUSAGE, "unknown option '-%.*s'; did you mean '--%s'?", (int)len,
                           word, names[k].text);
    return 0;
}

static const struct gf_opt *find_letter(const struct name *names, int n, char letter) {
    for (int k = 0; k < n; k++)
        if (names[k].opt->letter == letter)
            return names[k].opt;
    return NULL;
}

/* Parses the short options of a word: flags, then at most one with a value: -qv, -vo OUT, -voOUT,
 * -o=OUT. */
static int parse_letters(struct name *names, int n, char *base, int argc, char **argv, int *i) {
    const char *word = argv[*i] + 1;
    int rc = refuse_one_dash(names, n, word);
    for (const char *p = word; *p && !rc; p++) {
        const struct gf_opt *o = find_letter(names, n, *p);
        if (!o && word[1])
            return unknown_option(word, strcspn(word, "="), names, n);
        if (!o)
            return gf_fail(GF_EUSAGE, "unknown option '-%c'; see --help", *p);
        if (!is_flag(o))
            return set_next(names, o, p[1] ? p + 1 + (p[1] == '=') : NULL, base, argc, argv, i);
        if (p[1] == '=')
            return gf_fail(GF_EUSAGE, "option '-%c' takes no value", *p);
        rc = set(names, o, o->type == GF_OPT_NEGATE ? "0" : "1", base);
    }
    return rc;
}

static uint64_t hash_given(const struct name *names, int n, bool own) {
    uint64_t h = GF_HASH_START;
    for (int i = 0; i < n; i++)
        if (names[i].given && !names[i].opt->inert && (own || !names[i].opt->own))
            h = gf_hash_text(gf_hash_text(h, names[i].opt->name), names[i].given);
    return h;
}

int gf_opt_parse(const struct gf_opt_group *const *groups, void *fields, int argc, char **argv,
                 int *n_operands, uint64_t fingerprint[2]) {
    struct name names[MAX_NAMES];
    int n = list_names(groups, names), operands = 0, rc = 0;
    for (int i = 0; i < argc && !rc; i++) {
        if (!strcmp(argv[i], "--")) {
            while (++i < argc)
                argv[operands++] = argv[i];
        } else if (!looks_like_option(argv[i])) {
            argv[operands++] = argv[i];
        } else if (argv[i][1] != '-') {
            rc = parse_letters(names, n, fields, argc, argv, &i);
        } else {
            rc = parse_option(names, n, fields, argc, argv, &i);
        }
    }
    *n_operands = operands;
    fingerprint[0] = hash_given(names, n, true);
    fingerprint[1] = hash_given(names, n, false);
    return rc;
}

/* The number in a field that is no text. */
static double number_of(const struct gf_opt *o, const void *field) {
    return o->type == GF_OPT_REAL                               ? *(const double *)field
           : o->type == GF_OPT_FLAG || o->type == GF_OPT_NEGATE ? *(const bool *)field
                                                                : *(const int *)field;
}

/* Writes the i-th value of an option, that of a flag as "1" or "0"; false if it has none or the
 * default. */
static bool print_value(const struct gf_opt *o, const void *field, const void *usual, int i,
                        char text[GF_OPT_TEXT_SIZE]) {
    if (o->type == GF_OPT_PARSE)
        return o->print && o->print(o, field, i, text);
    if (o->type == GF_OPT_TEXT) {
        const char *word = *(const char *const *)field;
        snprintf(text, GF_OPT_TEXT_SIZE, "%s", word ? word : "");
        return !i && word != *(const char *const *)usual;
    }
    const double v = number_of(o, field);
    if (o->type == GF_OPT_CHOICE && v >= 0)
        snprintf(text, GF_OPT_TEXT_SIZE, "%s", o->choices[(int)v]);
    else if (o->automatic && v < 0)
        snprintf(text, GF_OPT_TEXT_SIZE, "auto");
    else
        snprintf(text, GF_OPT_TEXT_SIZE, "%.17g", v);
    return !i && v != number_of(o, usual);
}

void gf_opt_print(const struct gf_opt_group *const *groups, const void *fields,
                  const void *defaults, void (*put)(void *user, const char *word), void *user) {
    char value[GF_OPT_TEXT_SIZE], word[GF_OPT_TEXT_SIZE + NAME_SIZE];
    bool more = true;
    for (int i = 0; more; i++) {
        more = false;
        for (const struct gf_opt_group *const *g = groups; *g; g++)
            for (const struct gf_opt *o = (*g)->opts; o->name; o++) {
                if (!print_value(o, (const char *)fields + o->at, (const char *)defaults + o->at, i,
                                 value))
                    continue;
                if (is_flag(o))
                    snprintf(word, sizeof word, "--%s%s", *value == '1' ? "" : "no-", o->name);
                else
                    snprintf(word, sizeof word, "--%s%s%s", o->name, *value ? "=" : "", value);
                put(user, word);
                more = true;
            }
    }
}

/* Writes words in lines of up to `width` characters, and a newline. Lines after the first begin
 * with `prefix`; the caller writes the first one's. */
static void wrap(FILE *to, const char *words, const char *prefix, int width) {
    const int indent = (int)strlen(prefix);
    int column = indent;
    while (*words) {
        const int word = (int)strcspn(words, " ");
        if (column > indent && column + 1 + word > width) {
            fprintf(to, "\n%s", prefix);
            column = indent;
        }
        column += fprintf(to, "%s%.*s", column > indent ? " " : "", word, words);
        words += word;
        words += strspn(words, " ");
    }
    fputc('\n', to);
}

void gf_opt_help(FILE *to, const struct gf_opt_group *const *groups, const char *only) {
    char indent[HELP_COLUMN + 1];
    snprintf(indent, sizeof indent, "%*s", HELP_COLUMN, "");
    for (; *groups; groups++) {
        if ((*groups)->title && !only)
            fprintf(to, "\n%s:\n", (*groups)->title);
        for (const struct gf_opt *o = (*groups)->opts; o->name; o++) {
            if (only && !gf_text_has_word(only, o->name))
                continue;
            const char *no = o->type == GF_OPT_NEGATE    ? "no-"
                             : o->type == GF_OPT_CHOICE3 ? "[no-]"
                                                         : "";
            int column = o->letter ? fprintf(to, "  -%c, ", o->letter) : fprintf(to, "  ");
            column += fprintf(to, "--%s%s%s%s%s%s", no, o->name, o->optional ? "[" : "",
                              o->arg ? "=" : "", o->arg ? o->arg : "", o->optional ? "]" : "");
            if (column > HELP_COLUMN - 2) {
                fputc('\n', to);
                column = 0;
            }
            fprintf(to, "%*s", HELP_COLUMN - column, "");
            wrap(to, o->help, indent, HELP_WIDTH);
        }
    }
}
