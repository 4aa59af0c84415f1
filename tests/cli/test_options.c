/* Random options of the commands that have operations: what gf_opt_print() prints of the parsed fields is parsed to
 * fields of which it prints the same, and the fields are equal. */
#include <stdlib.h>

#include "cli/command.h"
#include "core/base/value/spelling.h"
#include "tests/test.h"

enum { RUNS = 1000, MOST_WORDS = 24, WORD = 256 };

struct words {
    int n;
    char word[MOST_WORDS][WORD];
};

static void put(void *user, const char *word) {
    struct words *w = user;
    NEED(w->n < MOST_WORDS && strlen(word) < WORD);
    snprintf(w->word[w->n++], WORD, "%s", word);
}

static uint32_t state;

static int below(int n) {
    state = state * 1664525 + 1013904223;
    return (int)((state >> 8) % (uint32_t)n);
}

static double number(double most) {
    return most * (below(1 << 20) + 1) / (1 << 20);
}

/* ---- values ---- */

static void radius(char *text, double share) {
    static const char *const units[] = {"A", "um", "nm", "deg", "mm"};
    const char *unit = units[below(5)];
    switch (below(5)) {
    case 0:
        sprintf(text, "%.17g", 200 * share);
        break;
    case 1:
        sprintf(text, "%.17gc", 0.5 * share);
        break;
    case 2:
        sprintf(text, "%.17g%%", 100 * share);
        break;
    case 3:
        sprintf(text, "%.17g%s", 1 / share, unit);
        break;
    default:
        sprintf(text, "%.17g/%s", share, unit);
    }
}

static void profile(char *text) {
    const char *name = gf_filter_profiles[below(GF_N_PROFILES)];
    const int n = (int)strcspn(name, ":");
    if (below(3))
        text += sprintf(text, ",%.*s", n, name);
    else
        return;
    if (name[n])
        sprintf(text, ":%d", 1 + below(10));
}

static void filter_value(const char *name, char *text) {
    char r[4][64];
    for (int i = 0; i < 4; i++)
        radius(r[i], number(1));
    if (!strcmp(name, "notch"))
        text += sprintf(text, "%d,%d,%s", below(99) - 50, below(99) - 50, r[0]);
    else if (!strncmp(name, "band", 4))
        text += sprintf(text, "%.17gc,%.17gc", number(0.1), 0.2 + number(0.2));
    else
        text += sprintf(text, "%s", r[0]);
    profile(text);
}

static void kernel(char *text) {
    static const char *const names[] = {"gaussian:", "disk:", "motion:", "airy:", "moffat:"};
    const int k = below(6);
    if (k == 5)
        strcpy(text, "kernels/a.png");
    else
        sprintf(text, k == 2 || k == 4 ? "%s%.17g,%.17g" : "%s%.17g", names[k], number(200),
                1.001 + number(90));
}

/* A value of the options that a function of their own parses; false for others. */
static bool parsed_value(const struct gf_opt *o, char *text) {
    static const char *const windows[] = {"hann", "hamming", "blackman", "none"};
    static const char *const axes[] = {"x", "y,x", "-1", "0,2", "z,y,x"};
    const char *name = o->name;
    if (strstr("lowpass highpass bandpass bandreject notch", name))
        filter_value(name, text);
    else if (!strcmp(name, "convolve") || !strcmp(name, "deconvolve"))
        kernel(text);
    else if (!strcmp(name, "mask") || !strcmp(name, "paint"))
        sprintf(text, "m%d.png", below(9));
    else if (!strcmp(name, "auto-notch"))
        sprintf(text, "%d", 1 + below(60));
    else if (!strcmp(name, "descreen"))
        sprintf(text, below(2) ? "%.17gpx" : "%.17glpi", 2.5 + number(100));
    else if (!strcmp(name, "destripe"))
        strcpy(text, (const char *[]){"auto", "90", "0"}[below(3)]);
    else if (!strcmp(name, "offset"))
        sprintf(text, (const char *[]){"%.17g", "%.17g%%", "mid"}[below(3)], number(90));
    else if (!strcmp(name, "window") && below(2))
        strcpy(text, windows[below(4)]);
    else if (!strcmp(name, "window"))
        sprintf(text, below(2) ? "tukey:%.17g" : "kaiser:%.17g", number(1));
    else if (!strcmp(name, "wavelet"))
        strcpy(text, o->choices[below(3)]);
    else if (!strcmp(name, "levels"))
        strcpy(text, (const char *[]){"1", "3", "max"}[below(3)]);
    else if (!strcmp(name, "axes"))
        strcpy(text, axes[below(5)]);
    else if (!strcmp(name, "tiles"))
        sprintf(text, below(2) ? "%d" : "%d,%d%%", 2 + below(500), below(96));
    else if (!strcmp(name, "band"))
        sprintf(text, "%.17g,%.17g", number(0.1), 0.2 + number(0.5));
    else if (!strcmp(name, "by"))
        strcpy(text, (const char *[]){"none", "c=0", "c=2"}[below(3)]);
    else if (!strcmp(name, "randomize"))
        radius(text, number(0.5));
    else if (!strcmp(name, "threshold") && o->low == 0 && o->help[0] == 'h')
        sprintf(text, (const char *[]){"hard:%.17g", "soft:%.17g%%"}[below(2)], number(90));
    else if (!strcmp(name, "threshold"))
        strcpy(text, (const char *[]){"0.143", "half-bit,0.5", "3-sigma,0.123456789"}[below(3)]);
    else
        return false;
    return true;
}

/* A random word for the row; false if it is not of an operation. */
static bool random_word(const struct gf_opt *o, char *word) {
    char value[128] = "";
    int choices = 0;
    switch (o->type) {
    case GF_OPT_FLAG:
        return sprintf(word, "--%s", o->name) > 0;
    case GF_OPT_NEGATE:
        return sprintf(word, "--no-%s", o->name) > 0;
    case GF_OPT_CHOICE3:
        return sprintf(word, "--%s%s", below(2) ? "" : "no-", o->name) > 0;
    case GF_OPT_TEXT:
        sprintf(value, "name%d", below(99));
        break;
    case GF_OPT_INT:
        sprintf(value, "%d", o->low + below(o->high - o->low + 1));
        break;
    case GF_OPT_REAL:
        if (o->automatic && below(2))
            strcpy(value, "auto");
        else
            sprintf(value, "%.17g", o->whole ? 1 + below(100) : number(o->high ? o->high : 50));
        break;
    case GF_OPT_CHOICE:
        while (o->choices[choices])
            choices++;
        strcpy(value, o->choices[below(choices)]);
        break;
    default:
        if (!o->print || !parsed_value(o, value))
            return false;
    }
    return sprintf(word, "--%s=%s", o->name, value) > 0;
}

/* ---- a round trip ---- */

static int parse(const struct gf_command *c, struct words *w, struct gf_settings *s) {
    char *argv[MOST_WORDS];
    int operands;
    *s = gf_settings_default();
    for (int i = 0; i < w->n; i++)
        argv[i] = w->word[i];
    return gf_opt_parse(c->groups, s, w->n, argv, &operands, s->fingerprint);
}

/* Forgets where texts lie and how values were written; a part's text is its file's name. */
static void forget_texts(struct gf_settings *s) {
    for (int i = 0; i < s->filter.n_parts; i++) {
        struct gf_filter_part *p = &s->filter.part[i];
        if (!gf_filter_is_file(p))
            p->text = NULL;
    }
    s->frc.find.randomize_text = s->bands = NULL;
    memset(s->fingerprint, 0, sizeof s->fingerprint);
}

/* Compares all but texts, which the printed words hold. */
static bool are_equal(struct gf_settings *a, struct gf_settings *b) {
    bool equal = a->filter.n_parts == b->filter.n_parts;
    forget_texts(a);
    forget_texts(b);
    for (int i = 0; i < a->filter.n_parts && equal; i++) {
        const struct gf_filter_part *p = &a->filter.part[i], *q = &b->filter.part[i];
        equal = p->what == q->what && p->profile == q->profile && p->order == q->order &&
                p->n_centre == q->n_centre && !memcmp(p->radius, q->radius, sizeof p->radius) &&
                !memcmp(p->centre, q->centre, sizeof p->centre) &&
                !memcmp(&p->psf, &q->psf, sizeof p->psf);
    }
    return equal && !memcmp(&a->wavelet, &b->wavelet, sizeof a->wavelet) &&
           !memcmp(&a->windowing, &b->windowing, sizeof a->windowing) &&
           !memcmp(&a->stats.find, &b->stats.find, sizeof a->stats.find) &&
           a->precision == b->precision && a->filter.edges == b->filter.edges &&
           a->filter.auto_notch == b->filter.auto_notch && a->filter.offset == b->filter.offset &&
           a->filter.offset_unit == b->filter.offset_unit;
}

static bool are_same_words(const struct words *a, const struct words *b) {
    bool same = a->n == b->n;
    for (int i = 0; i < a->n && same; i++)
        same = !strcmp(a->word[i], b->word[i]);
    return same;
}

static void join(const struct words *w, char *text, size_t size) {
    size_t n = 0;
    *text = 0;
    for (int i = 0; i < w->n && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, " %s", w->word[i]);
}

static int count_rows(const struct gf_command *c) {
    struct gf_opt_list list = {.group = c->groups};
    int n = 0;
    while (gf_opt_list_next(&list))
        n++;
    return n;
}

static const struct gf_opt *row_of(const struct gf_command *c, int i) {
    struct gf_opt_list list = {.group = c->groups};
    const struct gf_opt *o;
    while ((o = gf_opt_list_next(&list)) && i--)
        ;
    return o;
}

static void test_command(const char *name) {
    static struct gf_settings first, second;
    static struct words given, printed, again;
    const struct gf_settings usual = gf_settings_default();
    const struct gf_command *c = gf_command_find(name);
    NEED(c);
    const int rows = count_rows(c);
    int parsed = 0;
    for (int run = 0; run < RUNS; run++) {
        char text[2][MOST_WORDS * WORD];
        given.n = printed.n = again.n = 0;
        for (int i = below(8); i >= 0; i--)
            given.n += random_word(row_of(c, below(rows)), given.word[given.n]);
        if (parse(c, &given, &first)) /* such as --deconvolve given twice */
            continue;
        parsed++;
        gf_opt_print(c->groups, &first, &usual, put, &printed);
        CHECK_EQ(parse(c, &printed, &second), 0);
        gf_opt_print(c->groups, &second, &usual, put, &again);
        join(&given, text[0], sizeof text[0]);
        join(&printed, text[1], sizeof text[1]);
        CHECK_MSG(are_same_words(&printed, &again) && are_equal(&first, &second),
                  "gpufft %s%s\nis printed as %s", name, text[0], text[1]);
    }
    CHECK(parsed > RUNS / 2);
}

/* The options that a command's name alone lists. */
static void test_usual(void) {
    for (int k = 0; gf_commands[k]; k++) {
        const struct gf_command *c = gf_commands[k];
        int words = c->usual != NULL;
        for (const char *p = c->usual; p && *p; p++)
            words += *p == ' ';
        for (int i = 0; c->usual && i < count_rows(c); i++)
            words -= gf_spelling_has(c->usual, row_of(c, i)->name);
        CHECK_MSG(words == 0, "gpufft %s lacks %d of '%s'", c->name, words, c->usual);
    }
}

int main(void) {
    static const char *const names[] = {"fwd",   "dwt", "filter",  "stats",
                                        "match", "frc", "register"};
    for (int i = 0; i < 7; i++) {
        char title[64];
        snprintf(title, sizeof title, "the options of %s can be printed and read again", names[i]);
        state = (uint32_t)i + 1;
        RUN(title, test_command(names[i]));
    }
    RUN("the usual options of each command are its own", test_usual());
    return TEST_END();
}
