/* gpufft completion: scripts that complete command lines in a shell, from the tables of commands and
 * options. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/log.h"
#include "core/base/status.h"

/* ---- what may follow ---- */

/* The completions of an option's value or of an operand. */
struct values {
    char words[512]; /* with a blank between two */
    enum { NOWHERE, FILES, FOLDERS } place;
    bool list; /* several words with commas between them */
};

static void add_word(struct values *v, const char *word, size_t n) {
    size_t used = strlen(v->words);
    snprintf(v->words + used, sizeof v->words - used, "%s%.*s", used ? " " : "", (int)n, word);
}

static void add_named(struct values *v, const char *(*name)(int i)) {
    for (int i = 0; name && name(i); i++)
        add_word(v, name(i), strlen(name(i)));
}

static bool is_word(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]))
            return false;
    return n > 0;
}

static bool takes_value(const struct gf_opt *o) {
    return o->type >= GF_OPT_TEXT;
}

/* The names that the row has, or else those among its argument's as --help shows it: "8|16|32",
 * "N|max". Capitals name what the user makes up. */
static struct values values_of(const struct gf_opt *o) {
    struct values v = {.list = !strcmp(o->arg, "LIST")};
    if (!strcmp(o->arg, "FILE") || !strcmp(o->arg, "OUT") || !strcmp(o->arg, "PATH") ||
        !strcmp(o->arg, "KERNEL"))
        v.place = FILES;
    else if (!strncmp(o->arg, "DIR", 3))
        v.place = FOLDERS;
    for (int i = 0; o->choices && o->choices[i]; i++)
        add_word(&v, o->choices[i], strlen(o->choices[i]));
    add_named(&v, o->known);
    bool named = *v.words;
    for (const char *p = o->arg; !named && strchr(o->arg, '|') && *p; p += *p == '|') {
        size_t n = strcspn(p, "|");
        if (is_word(p, n))
            add_word(&v, p, n);
        p += n;
    }
    return v;
}

static struct values operands_of(const struct gf_command *c) {
    struct values v = {.place = strstr(c->operands, "IN") ? FILES : NOWHERE};
    add_named(&v, c->known);
    return v;
}

/* The help text up to its first remark, or a remark in brackets that ends it. */
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

/* Within single quotes; `escape` lists what the place reserves. */
static void put_quoted(const char *text, int n, const char *escape, const char *quote) {
    for (int i = 0; i < n; i++)
        if (text[i] == '\'')
            fputs(quote, stdout);
        else
            printf("%s%c", strchr(escape, text[i]) ? "\\" : "", text[i]);
}

/* Calls put(command, option) for every row of every command. */
static void each_option(void (*put)(const struct gf_command *, const struct gf_opt *)) {
    for (int i = 0; gf_commands[i]; i++)
        for (const struct gf_opt_group *const *g = gf_commands[i]->groups; *g; g++)
            for (const struct gf_opt *o = (*g)->opts; o->name; o++)
                put(gf_commands[i], o);
}

/* How the option is typed where it has an effect: "--no-clobber", or both forms. */
static bool has_plain_form(const struct gf_opt *o) {
    return o->type != GF_OPT_NEGATE;
}
static bool has_no_form(const struct gf_opt *o) {
    return o->type == GF_OPT_NEGATE || o->type == GF_OPT_CHOICE3;
}

/* ---- bash ---- */

static void bash_option(const struct gf_command *c, const struct gf_opt *o) {
    (void)c;
    if (o->letter)
        printf(" -%c", o->letter);
    if (has_plain_form(o))
        printf(" --%s%s", o->name, takes_value(o) && !o->optional ? "=" : "");
    if (has_no_form(o))
        printf(" --no-%s", o->name);
}

static void bash_value(const struct gf_command *c, const struct gf_opt *o) {
    if (!takes_value(o) || o->optional) /* an optional value follows = only */
        return;
    struct values v = values_of(o);
    printf("    %s:--%s", c->name, o->name);
    if (o->letter)
        printf("|%s:-%c", c->name, o->letter);
    printf(") words='%s' place=%s list=%s ;;\n", v.words,
           v.place == FILES ? "f"
           : v.place        ? "d"
                            : "",
           v.list ? "," : "");
}

static const char bash_body[] =
    "_gpufft() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} "
    "line=${COMP_LINE:0:COMP_POINT}\n"
    "    local options operands words= place= list= option= before name reply "
    "whole=${line##*[[:blank:]]}\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        COMPREPLY=($(compgen -W \"$_gpufft_commands --help --version\" -- \"$cur\"))\n"
    "        return\n"
    "    fi\n"
    "    # = and : divide words, as they do unless that was changed; the whole one is what blanks "
    "divide.\n"
    "    [[ $cur == [=:] ]] && cur=\n"
    "    [[ $whole == *\"$cur\" ]] || whole=$cur\n"
    "    line=${line%\"$whole\"} name=$whole\n"
    "    read -ra before <<<\"$line\"\n"
    "    before=${before[-1]}\n"
    "    _gpufft_options\n"
    "    if [[ $line == *' -- '* ]]; then options=\n"
    "    elif [[ $whole == --*=* ]]; then option=${whole%%=*} name=${whole#*=}\n"
    "    elif [[ $before == -* && $before != *=* ]]; then option=$before; fi\n"
    "    if ! _gpufft_values; then\n"
    "        if [[ -n $options && $whole == -* ]]; then\n"
    "            COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
    "            if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi\n"
    "            return\n"
    "        fi\n"
    "        words=${operands#:} place= name=$whole\n"
    "        [ \"$words\" = \"$operands\" ] || place=f\n"
    "    fi\n"
    "    before=${whole%\"$name\"}\n"
    "    if [ -n \"$list\" ] && [[ $name == *,* ]]; then\n"
    "        before=$before${name%,*}, name=${name##*,}\n"
    "    fi\n"
    "    name=${name//\\\\/}\n"
    "    whole=${whole%\"$cur\"}\n"
    "    for reply in $(compgen -W \"$words\" -- \"$name\"); do COMPREPLY+=(\"$before$reply\"); "
    "done\n"
    "    if [ -n \"$place\" ]; then\n"
    "        compopt -o filenames\n"
    "        while IFS= read -r reply; do COMPREPLY+=(\"$before$reply\"); done < <(compgen -$place "
    "-- \"$name\")\n"
    "    fi\n"
    "    # What comes before the last = or : stays as it was typed.\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$whole\"}\")\n"
    "}\n"
    "complete -F _gpufft gpufft\n";

static void print_bash(void) {
    printf("# Completion of gpufft for bash, as `gpufft completion bash` prints it.\n"
           "_gpufft_commands='");
    for (int i = 0; gf_commands[i]; i++)
        printf("%s%s", i ? " " : "", gf_commands[i]->name);
    /* A colon before the operands: files too. */
    printf(" help'\n_gpufft_options() {\n    options= operands=\n    case $command in\n");
    for (int i = 0; gf_commands[i]; i++) {
        struct values v = operands_of(gf_commands[i]);
        printf("    %s) operands='%s%s' options='", gf_commands[i]->name,
               v.place == FILES ? ":" : "", v.words);
        for (const struct gf_opt_group *const *g = gf_commands[i]->groups; *g; g++)
            for (const struct gf_opt *o = (*g)->opts; o->name; o++)
                bash_option(gf_commands[i], o);
        printf("' ;;\n");
    }
    printf("    help) operands=$_gpufft_commands ;;\n    esac\n}\n"
           "# Fails for what takes no value.\n"
           "_gpufft_values() {\n    case $command:$option in\n");
    each_option(bash_value);
    printf("    *) return 1 ;;\n    esac\n}\n%s", bash_body);
}

/* ---- zsh ---- */

static void zsh_action(const struct values *v, const char *name) {
    if (v->list && *v->words)
        printf("_values -s , %s %s", name, v->words);
    else if (v->place == FOLDERS && *v->words)
        printf("{compadd %s; _files -/}", v->words);
    else if (v->place == FOLDERS)
        printf("_files -/");
    else if (v->place == FILES && !*v->words)
        printf("_files");
    else if (*v->words)
        printf("(%s)", v->words);
}

/* One form of an option: 'NAME[what it does]:ARG:action'. */
static void zsh_form(const struct gf_opt *o, const char *name, const char *follow) {
    printf(" \\\n            '*%s%s[", name, follow);
    put_quoted(o->help, summary_length(o->help), "[]\\", "'\\''");
    printf("]");
    if (takes_value(o)) {
        struct values v = values_of(o);
        printf("%s", o->optional ? "::" : ":");
        put_quoted(o->arg, (int)strlen(o->arg), "[]:\\", "'\\''");
        printf(":");
        zsh_action(&v, o->name);
    }
    printf("'");
}

static void zsh_option(const struct gf_opt *o) {
    char name[64];
    const char *follow = !takes_value(o) ? "" : o->optional ? "=-" : "=";
    snprintf(name, sizeof name, "-%c", o->letter);
    if (o->letter)
        zsh_form(o, name, takes_value(o) ? "+" : "");
    snprintf(name, sizeof name, "--%s", o->name);
    if (has_plain_form(o))
        zsh_form(o, name, follow);
    snprintf(name, sizeof name, "--no-%s", o->name);
    if (has_no_form(o))
        zsh_form(o, name, "");
}

static void zsh_command(const struct gf_command *c) {
    struct values v = operands_of(c);
    printf("    %s)\n        _arguments -S", c->name);
    for (const struct gf_opt_group *const *g = c->groups; *g; g++)
        for (const struct gf_opt *o = (*g)->opts; o->name; o++)
            zsh_option(o);
    if (v.place != NOWHERE || *v.words) {
        printf(" \\\n            '*:%s:", v.place == FILES ? "file" : "name");
        zsh_action(&v, c->name);
        printf("'");
    }
    printf(" ;;\n");
}

static void print_zsh(void) {
    printf("#compdef gpufft\n"
           "# Completion of gpufft for zsh, as `gpufft completion zsh` prints it.\n"
           "_gpufft() {\n"
           "    local -a commands\n"
           "    commands=(\n");
    for (int i = 0; gf_commands[i]; i++) {
        const char *summary = gf_commands[i]->summary;
        printf("        '%s:", gf_commands[i]->name);
        put_quoted(summary, (int)strlen(summary), "\\", "'\\''");
        printf("'\n");
    }
    printf("        'help:the options and examples of a command'\n"
           "    )\n"
           "    if (( CURRENT == 2 )); then\n"
           "        _describe command commands\n"
           "        compadd -- --help --version\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $words[1] in\n"
           "    help) _describe command commands ;;\n");
    for (int i = 0; gf_commands[i]; i++)
        zsh_command(gf_commands[i]);
    printf("    esac\n"
           "}\n"
           "if [ \"$funcstack[1]\" = _gpufft ]; then\n"
           "    _gpufft \"$@\"\n"
           "else\n"
           "    compdef _gpufft gpufft\n"
           "fi\n");
}

/* ---- fish ---- */

static void fish_values(const struct values *v) {
    if (v->list && *v->words)
        printf(" -x -a '(__fish_append , %s)'", v->words);
    else if (v->place == FOLDERS)
        printf(" -x -a '(__fish_complete_directories)'");
    else if (v->place == FILES)
        printf(" -r -F");
    else
        printf(" -x");
    if (*v->words && !v->list)
        printf(" -a '%s'", v->words);
}

static void fish_form(const struct gf_command *c, const struct gf_opt *o, const char *before) {
    printf("complete -c gpufft -n '__gpufft_runs %s' -l %s%s", c->name, before, o->name);
    if (o->letter && !*before)
        printf(" -s %c", o->letter);
    if (takes_value(o) && !o->optional) {
        struct values v = values_of(o);
        fish_values(&v);
    }
    printf(" -d '");
    put_quoted(o->help, summary_length(o->help), "\\", "\\'");
    printf("'\n");
}

static void fish_option(const struct gf_command *c, const struct gf_opt *o) {
    if (has_plain_form(o))
        fish_form(c, o, "");
    if (has_no_form(o))
        fish_form(c, o, "no-");
}

static void fish_operands(const struct gf_command *c) {
    struct values v = operands_of(c);
    if (v.place != FILES)
        printf("complete -c gpufft -n '__gpufft_runs %s' -f\n", c->name);
    if (*v.words)
        printf("complete -c gpufft -n '__gpufft_runs %s' -a '%s'\n", c->name, v.words);
}

static void print_fish(void) {
    printf("# Completion of gpufft for fish, as `gpufft completion fish` prints it.\n"
           "function __gpufft_runs\n"
           "    set -l words (commandline -opc)\n"
           "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
           "end\n"
           "function __gpufft_starts\n"
           "    test (count (commandline -opc)) -eq 1\n"
           "end\n"
           "complete -c gpufft -n __gpufft_starts -f -l help -d 'print the commands'\n"
           "complete -c gpufft -n __gpufft_starts -f -l version -d 'print the version'\n");
    for (int i = 0; gf_commands[i]; i++) {
        const struct gf_command *c = gf_commands[i];
        for (int k = 0; k < 2; k++) {
            printf("complete -c gpufft -n %s -f -a %s -d '",
                   k ? "'__gpufft_runs help'" : "__gpufft_starts", c->name);
            put_quoted(c->summary, (int)strlen(c->summary), "\\", "\\'");
            printf("'\n");
        }
    }
    printf("complete -c gpufft -n __gpufft_starts -f -a help -d 'the options of a command'\n");
    for (int i = 0; gf_commands[i]; i++)
        fish_operands(gf_commands[i]);
    each_option(fish_option);
}

/* ---- the command ---- */

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
enum { N_SHELLS = sizeof shells / sizeof *shells };

static const char *shell_name(int i) {
    return i < N_SHELLS ? shells[i].name : NULL;
}

static int run(struct gf_settings *s, char **operands, int n) {
    (void)s;
    if (n != 1) {
        gf_log_error("completion: names one shell: bash, zsh or fish");
        return 2;
    }
    for (int i = 0; i < N_SHELLS; i++)
        if (!strcmp(operands[0], shells[i].name)) {
            shells[i].print();
            return 0;
        }
    gf_log_error("completion: no script for '%s'; there are bash, zsh and fish", operands[0]);
    return 2;
}

static const struct gf_opt rows[] = {
    GF_FLAG("help", help, "print the options and examples", .letter = 'h'),
    GF_END,
};
static const struct gf_opt_group group = {"General", rows};
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
