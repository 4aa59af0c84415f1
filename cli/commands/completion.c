/* gpufft completion: scripts that complete command lines in a shell. They run `gpufft completion
 * words -- WORD...`, which lists what the last word may become, from the tables of commands and
 * options: a word and, if it has one, a tab and its summary; or ":f" for files, ":d" for folders,
 * followed by the part of the word before the path. */
#include "cli/command.h"
#include "cli/embedded.h"

/* ---- candidates ---- */

/* The word to complete: candidates begin with `typed` and follow before[0..n_before). */
struct partial {
    const char *typed;
    int n_before;
    const char *before;
};

static void offer_part(const struct partial *p, const char *word, size_t n, const char *summary,
                       int n_summary) {
    if (!strncmp(word, p->typed, strlen(p->typed)) && strlen(p->typed) <= n)
        printf("%.*s%.*s%s%.*s\n", p->n_before, p->before, (int)n, word, n_summary ? "\t" : "",
               n_summary, summary);
}

static void offer(const struct partial *p, const char *word, const char *summary) {
    offer_part(p, word, strlen(word), summary, (int)strlen(summary));
}

static bool is_word(const char *text, size_t n) {
    return n > 0 && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789") >= n;
}

/* Returns ":f" or ":d" if the argument is a path, else NULL. */
static const char *place_of(const char *arg) {
    static const char *const files[] = {"FILE", "OUT", "PATH", "KERNEL"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(arg, files[i]))
            return ":f";
    return strncmp(arg, "DIR", 3) ? NULL : ":d";
}

/* Offers the names in the option's row, or else those in its argument, such as "8|16|32" or
 * "N|max". Capitals are placeholders. */
static void offer_values(const struct gf_opt *o, struct partial p) {
    const char *comma = strcmp(o->arg, "LIST") ? NULL : strrchr(p.typed, ',');
    const bool named = o->choices || o->known;
    if (comma) {
        p.n_before += (int)(comma + 1 - p.typed);
        p.typed = comma + 1;
    }
    for (int i = 0; o->choices && o->choices[i]; i++)
        offer(&p, o->choices[i], "");
    for (int i = 0; o->known && o->known(i); i++)
        offer(&p, o->known(i), "");
    for (const char *w = o->arg; !named && strchr(o->arg, '|') && *w; w += *w == '|') {
        size_t n = strcspn(w, "|");
        if (is_word(w, n))
            offer_part(&p, w, n, "", 0);
        w += n;
    }
    if (place_of(o->arg))
        printf("%s%.*s\n", place_of(o->arg), p.n_before, p.before);
}

/* Returns the length of the help text before its first remark or final parenthesis. */
static int summary_length(const char *help) {
    size_t n = strcspn(help, ";");
    const char *bracket = strstr(help, " (");
    if (bracket && !bracket[strcspn(bracket, ")") + 1] && (size_t)(bracket - help) < n)
        n = (size_t)(bracket - help);
    const char *colon = strstr(help, ": ");
    if (colon && (size_t)(colon - help) < n)
        n = (size_t)(colon - help);
    while (n && help[n - 1] == ' ')
        n--;
    return (int)n;
}

/* An optional value follows only after =. */
static bool needs_value(const struct gf_opt *o) {
    return o->type >= GF_OPT_TEXT && !o->optional;
}

static void offer_option(const struct partial *p, const struct gf_opt *o) {
    const int n = summary_length(o->help);
    char name[64];
    if (o->letter)
        offer_part(p, name, (size_t)snprintf(name, sizeof name, "-%c", o->letter), o->help, n);
    if (o->type != GF_OPT_NEGATE)
        offer_part(
            p, name,
            (size_t)snprintf(name, sizeof name, "--%s%s", o->name, needs_value(o) ? "=" : ""),
            o->help, n);
    if (o->type == GF_OPT_NEGATE || o->type == GF_OPT_CHOICE3)
        offer_part(p, name, (size_t)snprintf(name, sizeof name, "--no-%s", o->name), o->help, n);
}

/* Finds the option that word[0..n) names, in full or by letter; NULL: none. */
static const struct gf_opt *find_option(const struct gf_command *c, const char *word, size_t n) {
    struct gf_opt_list list = {.group = c->groups};
    const struct gf_opt *o;
    while ((o = gf_opt_list_next(&list)))
        if ((n == 2 && word[0] == '-' && o->letter && word[1] == o->letter) ||
            (n > 2 && !strncmp(word, "--", 2) && strlen(o->name) == n - 2 &&
             !strncmp(word + 2, o->name, n - 2)))
            break;
    return o;
}

/* Offers commands and, as the first word, help and the global options. */
static void offer_commands(const struct partial *p, bool first) {
    for (int i = 0; gf_commands[i]; i++)
        offer(p, gf_commands[i]->name, gf_commands[i]->summary);
    if (!first)
        return;
    offer(p, "help", "the options and examples of a command");
    offer(p, "--help", "print the commands");
    offer(p, "--version", "print the version");
}

static void offer_operands(const struct gf_command *c, const struct partial *p) {
    for (int i = 0; c->known && c->known(i); i++)
        offer(p, c->known(i), "");
    if (strstr(c->operands, "IN"))
        puts(":f");
}

/* Completes `last` after the command and words[0..n). */
static void complete(const struct gf_command *c, char **words, int n, const char *last) {
    const struct partial whole = {.typed = last, .before = last};
    const size_t name = strcspn(last, "=");
    struct gf_opt_list list = {.group = c->groups};
    const struct gf_opt *o;
    bool ended = false; /* after --, only operands follow */
    for (int i = 0; i < n; i++)
        ended = ended || !strcmp(words[i], "--");
    if (!ended && last[name] && (o = find_option(c, last, name)) && o->type >= GF_OPT_TEXT)
        offer_values(o, (struct partial){last + name + 1, (int)name + 1, last});
    else if (!ended && n && (o = find_option(c, words[n - 1], strlen(words[n - 1]))) &&
             needs_value(o))
        offer_values(o, whole);
    else if (!ended && *last == '-')
        while ((o = gf_opt_list_next(&list)))
            offer_option(&whole, o);
    else
        offer_operands(c, &whole);
}

static void answer(char **words, int n) {
    const char *last = words[n - 1];
    const struct partial whole = {.typed = last, .before = last};
    if (n == 1 || !strcmp(words[0], "help"))
        offer_commands(&whole, n == 1);
    for (int i = 0; n > 1 && gf_commands[i]; i++)
        if (!strcmp(words[0], gf_commands[i]->name))
            complete(gf_commands[i], words + 1, n - 2, last);
}

/* ---- the command ---- */

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const char *shell_name(int i) {
    return shells[i];
}

static int run(struct gf_settings *s, char **operands, int n) {
    (void)s;
    if (n > 1 && !strcmp(operands[0], "words")) {
        answer(operands + 1, n - 1);
        return 0;
    }
    if (n != 1)
        return gf_fail(GF_EUSAGE, "name one shell: bash, zsh or fish");
    for (int i = 0; shells[i]; i++)
        if (!strcmp(operands[0], shells[i])) {
            char name[32];
            snprintf(name, sizeof name, "completion.%s", shells[i]);
            fputs((const char *)gf_embedded_find(name)->bytes, stdout);
            return 0;
        }
    return gf_fail(GF_EUSAGE, "no script for '%s'; there are bash, zsh and fish", operands[0]);
}

static const struct gf_opt_group group =
    GF_GROUP("General", GF_FLAG("help", help, "print the options and examples", .letter = 'h'));
static const struct gf_opt_group *const groups[] = {&group, NULL};

const struct gf_command gf_command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "a script that completes command lines in a shell",
    .groups = groups,
    .known = shell_name,
    .examples = "  source <(gpufft completion bash)\n"
                "  gpufft completion zsh > ~/.zsh/functions/_gpufft\n"
                "  gpufft completion fish > ~/.config/fish/completions/gpufft.fish\n",
    .run = run,
};
