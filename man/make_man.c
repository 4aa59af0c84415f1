/* Makes a manual page from its source and the table of commands, so that a page cannot lack an
 * option: make_man PAGE.1.in OPTIONS.in CLOSURE.table > PAGE.1
 *
 * In a page, which is mdoc(7), a line of
 *     @COMMANDS@       becomes the list of commands with their summaries (in gpufft.1.in)
 *     @DIVIDED@        becomes the table of work that can be divided, which tests/cli/closure.test runs
 *     .Cm @TEXT@ …     takes the names of the commands whose result is text
 *     .Nd @SUMMARY@    takes the summary of the page's command
 *     @OPTIONS@        becomes its options: their help, and what is known beyond that
 * What is known beyond the help is in blocks, at the end of the page and, for options that several
 * pages have, in OPTIONS.in. A block begins with "@--NAME" and, if it is not for all commands, the
 * commands that it is for; the page's own block comes first. A line "@-- NAME NAME..." lists options
 * whose help says all: any other option without a block is refused, as its text was lost. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "core/base/value/why.h"

#define TEXT_COMMANDS ".Cm @TEXT@"

struct text {
    const char *path;
    char *bytes;
};

static int load(const char *path, struct text *t) {
    FILE *f = fopen(path, "rb");
    size_t size = 0, got = 0;
    *t = (struct text){.path = path};
    for (;;) {
        if (got + 1 >= size) {
            char *more = realloc(t->bytes, size += 65536);
            if (!more)
                break;
            t->bytes = more;
        }
        size_t n = f ? fread(t->bytes + got, 1, size - got - 1, f) : 0;
        if (!n)
            break;
        got += n;
    }
    bool ok = f && !ferror(f) && t->bytes;
    if (t->bytes)
        t->bytes[got] = 0;
    if (f)
        fclose(f);
    if (!ok)
        fprintf(stderr, "make_man: cannot read %s\n", path);
    return ok ? 0 : -1;
}

/* The line after this one; at the end of the text, the NUL. */
static const char *next_line(const char *line) {
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

static bool line_is(const char *line, const char *text) {
    size_t n = strlen(text);
    return !strncmp(line, text, n) && (line[n] == '\n' || !line[n]);
}

static const struct gf_opt *find_option(const struct gf_command *c, const char *name, size_t n) {
    struct gf_opt_list list = {.group = c->groups};
    const struct gf_opt *o;
    while ((o = gf_opt_list_next(&list)) && (strlen(o->name) != n || strncmp(o->name, name, n)))
        ;
    return o;
}

/* The next word of the line at *at, or 0 bytes. */
static size_t next_word(const char **at) {
    *at += strspn(*at, " ");
    return strcspn(*at, " \n");
}

/* True if `name` is among the line's words from `word` on. */
static bool has_word(const char *word, const char *name) {
    for (size_t n; (n = next_word(&word)) > 0; word += n)
        if (n == strlen(name) && !strncmp(word, name, n))
            return true;
    return false;
}

/* "@--NAME COMMAND..." is for this option of this command. */
static bool block_matches(const char *line, const char *option, const struct gf_command *c) {
    const char *word = line + 3;
    size_t n = strcspn(word, " \n");
    if (n != strlen(option) || strncmp(word, option, n))
        return false;
    word += n;
    return !next_word(&word) || has_word(word, c->name);
}

/* True if a line "@-- NAME..." has the option. */
static bool needs_no_block(const struct text *t, const char *option) {
    for (const char *line = t->bytes; *line; line = next_line(line))
        if (!strncmp(line, "@-- ", 4) && has_word(line + 3, option))
            return true;
    return false;
}

static const char *find_block(const struct text *t, const char *option,
                              const struct gf_command *c) {
    const char *line = t->bytes;
    while (*line && (strncmp(line, "@--", 3) || !block_matches(line, option, c)))
        line = next_line(line);
    return *line ? next_line(line) : NULL;
}

/* Blank lines divide the sources only. */
static void put_line(const char *line) {
    if (*line && *line != '\n')
        printf("%.*s\n", (int)strcspn(line, "\n"), line);
}

/* Text for roff: dashes that can be copied, `code` in bold. */
static void put_text(const char *text) {
    bool code = false;
    if (*text == '.' || *text == '\'')
        printf("\\&");
    for (; *text; text++)
        switch (*text) {
        case '-':
            printf("\\-");
            break;
        case '\\':
            printf("\\e");
            break;
        case '`':
            code = !code;
            printf(code ? "\\fB" : "\\fR");
            break;
        default:
            putchar(*text);
        }
}

/* "read IN" becomes "Read IN.", but "d4, also" stays: that is a value. */
static void put_sentence(const char *text) {
    size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    bool begins = word && text[word] == ' ' && text[word + 1] != '(';
    char *copy = strdup(text);
    if (copy && begins)
        *copy = (char)toupper((unsigned char)*copy);
    put_text(copy ? copy : text);
    printf(".\n");
    free(copy);
}

static void put_head(const struct gf_opt *o) {
    printf(".It ");
    if (o->letter)
        printf("Fl %c , ", o->letter);
    printf("Fl \\-");
    put_text(o->type == GF_OPT_NEGATE ? "no-" : "");
    put_text(o->name);
    if (o->type == GF_OPT_CHOICE3) {
        printf(" , Fl \\-no\\-");
        put_text(o->name);
    }
    if (o->arg) {
        printf(o->optional ? " Ns Op = Ns " : " Ns = Ns ");
        printf(strpbrk(o->arg, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") ? "Ar " : "Cm ");
        put_text(o->arg);
    }
    printf("\n");
}

static int put_option(const struct gf_opt *o, const struct gf_command *c, const struct text *page,
                      const struct text *shared) {
    const char *block = find_block(page, o->name, c);
    if (!o->help || !*o->help) {
        fprintf(stderr, "make_man: %s --%s has no help\n", c->name, o->name);
        return -1;
    }
    put_head(o);
    put_sentence(o->help);
    block = block ? block : find_block(shared, o->name, c);
    if (!block == !(needs_no_block(page, o->name) || needs_no_block(shared, o->name))) {
        fprintf(stderr, "make_man: %s --%s has %s\n", c->name, o->name,
                block ? "a text, but \"@--\" lists it without" : "no text");
        return -1;
    }
    for (; block && *block && strncmp(block, "@--", 3); block = next_line(block))
        put_line(block);
    return 0;
}

static int put_options(const struct gf_command *c, const struct text *page,
                       const struct text *shared) {
    int rc = 0;
    bool open = false;
    struct gf_opt_list list = {.group = c->groups};
    for (const struct gf_opt *o; !rc && (o = gf_opt_list_next(&list));) {
        if (list.title) {
            printf(open ? ".El\n.Ss " : ".Ss ");
            put_text(list.title);
            printf("\n.Bl -tag -width indent\n");
            open = true;
        }
        rc = put_option(o, c, page, shared);
    }
    printf(".El\n");
    return rc;
}

static void put_commands(void) {
    printf(".Bl -tag -width Ds\n");
    for (int i = 0; gf_commands[i]; i++) {
        printf(".It Xr gpufft-%s 1\n", gf_commands[i]->name);
        put_sentence(gf_commands[i]->summary);
    }
    printf(".El\n");
}

/* Writes a line ".Cm @TEXT@ REST" with the commands whose result is text. */
static void put_text_commands(const char *line) {
    const char *before = ".Cm ";
    for (int i = 0; gf_commands[i]; i++)
        if (gf_commands[i]->text) {
            printf("%s%s", before, gf_commands[i]->name);
            before = " , ";
        }
    line += strlen(TEXT_COMMANDS);
    printf("%.*s\n", (int)strcspn(line, "\n"), line);
}

/* ---- the table of divided work ---- */

enum { COLUMNS = 6, MOST_ROWS = 32, MOST_REASONS = 64, WORD = 64, WORDS = 128 };

/* A row of the manual's table: all rows of the test's table with the same object and operation. */
struct divided_row {
    char object[WORD], op[WORD];
    struct {
        char result;      /* '=' '~' '-', or 0 where all are refused or unknown */
        uint64_t refused; /* bit i: some are refused for reason i */
    } cell[COLUMNS];
};

struct divided {
    struct divided_row row[MOST_ROWS];
    char name[MOST_REASONS][WORD], words[MOST_REASONS][WORDS];
    int rows, reasons;
};

/* Reasons of the same words in several ways are one; the words are a pattern, of which those of limits are left out. */
static int find_reason(const struct divided *d, const char *name) {
    for (int i = 0; i < d->reasons; i++)
        if (!strcmp(d->name[i], name))
            for (int k = 0; k <= i; k++)
                if (!strcmp(d->words[k], d->words[i]))
                    return strpbrk(d->words[k], "*[?") ? -1 : k;
    return -1;
}

/* The reason whose text begins with these words; -1: none. */
static int find_why(const char *words) {
    for (int i = 0; i < GF_N_WHYS; i++)
        if (!strncmp(gf_why((enum gf_why)i), words, strlen(words)))
            return i;
    return -1;
}

static struct divided_row *find_row(struct divided *d, const char *object, const char *op) {
    for (int i = 0; i < d->rows; i++)
        if (!strcmp(d->row[i].object, object) && !strcmp(d->row[i].op, op))
            return &d->row[i];
    if (d->rows == MOST_ROWS || strchr(object, ':'))
        return NULL;
    struct divided_row *r = &d->row[d->rows++];
    snprintf(r->object, WORD, "%s", object);
    snprintf(r->op, WORD, "%s", op);
    return r;
}

static void add_cell(const struct divided *d, struct divided_row *r, int column, char *cell) {
    static const char order[] = "-=~"; /* the least exact result speaks for all */
    cell[strcspn(cell, ">")] = 0;
    const char *was = strchr(order, r->cell[column].result), *is = strchr(order, *cell);
    if (is && (!r->cell[column].result || is > was))
        r->cell[column].result = *cell;
    const int reason = *cell == 'x' ? find_reason(d, cell + 1) : -1;
    if (reason >= 0)
        r->cell[column].refused |= (uint64_t)1 << reason;
}

static int read_divided(const struct text *table, struct divided *d) {
    for (const char *line = table->bytes; *line; line = next_line(line)) {
        char w[5][WORD], cell[COLUMNS][WORD];
        int at = 0;
        if (sscanf(line, "reason %63s %*d %n", w[0], &at) == 1 && at) {
            if (d->reasons == MOST_REASONS) {
                fprintf(stderr, "make_man: more than %d reasons\n", MOST_REASONS);
                return -1;
            }
            const int i = d->reasons++;
            const char *colon = memchr(line + at, ':', strcspn(line + at, "\n"));
            const bool own = strncmp(w[0], "device-", 7) != 0;
            snprintf(d->name[i], WORD, "%s", w[0]);
            line = colon ? colon + 2 : line + at;
            snprintf(d->words[i], WORDS, "%.*s", (int)strcspn(line, "\n"), line);
            if (colon && own && find_why(d->words[i]) < 0) {
                fprintf(stderr, "make_man: no such reason: %s\n", d->words[i]);
                return -1;
            }
            continue;
        }
        if (*line == '#' || *line == '\n' || !strncmp(line, "reason ", 7) ||
            sscanf(line, "%63s %63s %63s %63s %63s %63s %63s %63s %63s %63s %63s", w[0], w[1], w[2],
                   w[3], w[4], cell[0], cell[1], cell[2], cell[3], cell[4], cell[5]) != 11)
            continue;
        struct divided_row *r = find_row(d, w[0], w[1]);
        for (int i = 0; i < COLUMNS && r; i++)
            add_cell(d, r, i, cell[i]);
    }
    return 0;
}

static char letter_of(uint64_t used, int reason) {
    char letter = 'a';
    for (int i = 0; i < reason; i++)
        letter += used >> i & 1;
    return letter;
}

static void put_divided_row(const struct divided_row *r, uint64_t used) {
    printf(".It %s %s", r->object, r->op);
    for (int i = 0; i < COLUMNS; i++) {
        const char *apart = " ";
        char result = r->cell[i].result ? r->cell[i].result : r->cell[i].refused ? 'x' : '?';
        printf(result == '-' ? " Ta \\-" : " Ta %c", result);
        for (int k = 0; k < MOST_REASONS; k++)
            if (r->cell[i].refused >> k & 1) {
                printf("%s%c", apart, letter_of(used, k));
                apart = ",";
            }
    }
    printf("\n");
}

static int put_divided(const struct text *table) {
    static struct divided d;
    uint64_t used = 0, listed = 0;
    if (read_divided(table, &d))
        return -1;
    for (int i = 0; i < d.rows * COLUMNS; i++)
        used |= d.row[i / COLUMNS].cell[i % COLUMNS].refused;
    printf(".Bl -column \"picture filter\" \"~ a,b,c,d\" \"~ a,b,c\" \"~ a,b,c\" \"~ a,b,c\" \"~ "
           "a,b,c\" \"~ a,b,c\"\n"
           ".It \\& Ta file Ta GPU Ta GPUs Ta ranks Ta +GPU Ta file+GPU\n");
    for (int i = 0; i < d.rows; i++)
        put_divided_row(&d.row[i], used);
    printf(".El\n.Pp\n.Bl -tag -width x -compact\n");
    for (int i = 0; i < d.reasons; i++)
        if (used >> i & 1) {
            printf(".It %c\n", letter_of(used, i));
            const int why = find_why(d.words[i]);
            put_text(why < 0 ? d.words[i] : gf_why((enum gf_why)why));
            printf("\n");
            listed |= why < 0 ? 0 : (uint64_t)1 << why;
        }
    for (int i = 0; i < GF_N_WHYS; i++)
        if (!(listed >> i & 1)) {
            printf(".It \\-\n");
            put_text(gf_why((enum gf_why)i));
            printf("\n");
        }
    printf(".El\n");
    return d.rows ? 0 : -1;
}

/* A block of an option that no command has documents nothing: `only` is the page's command, or NULL
 * for any. */
static int check_blocks(const struct text *t, const struct gf_command *only) {
    for (const char *line = t->bytes; *line; line = next_line(line)) {
        if (strncmp(line, "@--", 3) || line[3] == ' ')
            continue;
        const char *name = line + 3, *word = name + strcspn(name, " \n");
        size_t n = (size_t)(word - name), length;
        bool known = only && find_option(only, name, n);
        for (int i = 0; gf_commands[i] && !only; i++)
            known = known || find_option(gf_commands[i], name, n);
        for (; (length = next_word(&word)) > 0 && known; word += length) {
            char command[32];
            snprintf(command, sizeof command, "%.*s", (int)length, word);
            const struct gf_command *c = gf_command_find(command);
            known = c && find_option(c, name, n);
        }
        if (!known) {
            fprintf(stderr, "make_man: %s: no such option: %.*s\n", t->path,
                    (int)strcspn(line, "\n"), line);
            return -1;
        }
    }
    return 0;
}

static int make(const struct text *page, const struct text *shared, const struct text *table,
                const struct gf_command *c) {
    int rc = 0, summaries = 0, lists = 0;
    printf(".\\\" Made from %s and the table of options.\n", page->path);
    for (const char *line = page->bytes; *line && strncmp(line, "@--", 3) && !rc;
         line = next_line(line)) {
        if (c && line_is(line, ".Nd @SUMMARY@")) {
            printf(".Nd ");
            put_text(c->summary);
            printf("\n");
            summaries++;
        } else if (c && line_is(line, "@OPTIONS@")) {
            rc = put_options(c, page, shared);
            lists++;
        } else if (!c && line_is(line, "@COMMANDS@")) {
            put_commands();
            lists++;
        } else if (!strncmp(line, TEXT_COMMANDS, strlen(TEXT_COMMANDS))) {
            put_text_commands(line);
        } else if (!c && line_is(line, "@DIVIDED@")) {
            rc = put_divided(table);
        } else {
            put_line(line);
        }
    }
    if (!rc && (lists != 1 || summaries != (c != NULL))) {
        fprintf(stderr, "make_man: %s lacks %s\n", page->path,
                c ? ".Nd @SUMMARY@ or @OPTIONS@" : "@COMMANDS@");
        rc = -1;
    }
    return rc;
}

/* "man/gpufft-fwd.1.in" is about fwd, "man/gpufft.1.in" about all: NULL. */
static int find_subject(const char *path, const struct gf_command **c) {
    const char *file = strrchr(path, '/');
    char name[32] = "";
    file = file ? file + 1 : path;
    *c = NULL;
    if (!strcmp(file, "gpufft.1.in"))
        return 0;
    if (sscanf(file, "gpufft-%31[a-z0-9].1.in", name) == 1)
        *c = gf_command_find(name);
    if (!*c)
        fprintf(stderr, "make_man: %s: no command of that name\n", path);
    return *c ? 0 : -1;
}

int main(int argc, char **argv) {
    struct text page = {0}, shared = {0}, table = {0};
    const struct gf_command *c = NULL;
    int rc = -1;
    if (argc != 4)
        fprintf(stderr, "usage: make_man PAGE.1.in OPTIONS.in CLOSURE.table\n");
    else
        rc = find_subject(argv[1], &c);
    if (!rc)
        rc = load(argv[1], &page);
    if (!rc)
        rc = load(argv[2], &shared);
    if (!rc)
        rc = load(argv[3], &table);
    if (!rc)
        rc = check_blocks(&shared, NULL);
    if (!rc && c)
        rc = check_blocks(&page, c);
    if (!rc)
        rc = make(&page, &shared, &table, c);
    if (!rc && fflush(stdout))
        rc = -1;
    free(page.bytes);
    free(shared.bytes);
    free(table.bytes);
    return rc ? 1 : 0;
}
