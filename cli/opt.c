/* Parses a command line by a table of options and prints the table for --help. */
#include "cli/opt.h"

#include <stdlib.h>

#include "core/base/value/hash.h"
#include "core/base/value/spelling.h"
#include "core/base/value/status.h"

enum { MAX_NAMES = 160, NAME_SIZE = 40, HELP_COLUMN = 27, HELP_WIDTH = 80 };

const struct gf_opt *gf_opt_list_next(struct gf_opt_list *l) {
    l->title = NULL;
    for (;; l->group++) {
        if (!l->walk.level->row && *l->group) {
            l->walk.level->row = (*l->group)->opts;
            l->title = (*l->group)->title;
        }
        const struct gf_opt *o = gf_opt_next(&l->walk);
        if (o || !*l->group)
            return o;
        l->walk.level->row = NULL;
    }
}

/* A name that may be typed, --no- forms included. */
struct name {
    char text[NAME_SIZE];
    const struct gf_opt *opt;
    size_t at; /* of its field */
    bool negated;
    const char *given; /* the last value, kept with the first name of an option; NULL: none */
};

static int list_names(const struct gf_opt_group *const *groups, struct name names[MAX_NAMES]) {
    struct gf_opt_list list = {.group = groups};
    int n = 0;
    for (const struct gf_opt *o; (o = gf_opt_list_next(&list));)
        for (int negated = 0; negated <= gf_opt_is_flag(o) && n < MAX_NAMES; negated++, n++) {
            names[n] = (struct name){.opt = o, .at = list.walk.at, .negated = negated};
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

/* A flag's value is "1" or "0"; NULL stands for an optional value that is left out. */
static int set(struct name *names, const struct gf_opt *o, const char *value, char *base) {
    while (names->opt != o)
        names++;
    names->given = value ? value : "";
    if (!value)
        return o->parse(o, "", base + names->at);
    if (!*value)
        return gf_fail(GF_EUSAGE, "option '--%s' needs a value: --%s=%s", o->name, o->name, o->arg);
    return gf_opt_set(o, value, base + names->at);
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
    if (gf_opt_is_flag(o) && equals)
        return gf_fail(GF_EUSAGE, "option '--%s' takes no value", name->text);
    if (gf_opt_is_flag(o))
        return set(names, o, name->negated ? "0" : "1", base);
    if (!equals && o->optional)
        return set(names, o, NULL, base);
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
        if (!gf_opt_is_flag(o))
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

void gf_opt_print(const struct gf_opt_group *const *groups, const void *fields,
                  const void *defaults, void (*put)(void *user, const char *word), void *user) {
    char value[GF_OPT_TEXT_SIZE], word[GF_OPT_TEXT_SIZE + NAME_SIZE];
    bool more = true;
    for (int i = 0; more; i++) {
        struct gf_opt_list list = {.group = groups};
        more = false;
        for (const struct gf_opt *o; (o = gf_opt_list_next(&list));) {
            const size_t at = list.walk.at;
            if (!gf_opt_show(o, (const char *)fields + at, (const char *)defaults + at, i, value))
                continue;
            if (gf_opt_is_flag(o))
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
    struct gf_opt_list list = {.group = groups};
    for (const struct gf_opt *o; (o = gf_opt_list_next(&list));) {
        if (list.title && !only)
            fprintf(to, "\n%s:\n", list.title);
        if (only && !gf_spelling_has(only, o->name))
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
