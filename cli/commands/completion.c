/* gpufft completion: scripts that complete command lines in a shell, from the tables of commands and
 * options. */
#include <ctype.h>

#include "cli/command.h"
#include "cli/report.h"

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

/* The names in the row, or else those in its argument as --help shows it: "8|16|32", "N|max".
 * Capitals stand for what the user makes up. */
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

/* The help text up to its first remark, without a final remark in brackets. */
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

/* ---- the tables as a tree, which each shell prints by a form of its own ---- */

struct shell {
    const char *name, *form, *body;
    const char *quote;                /* how a single quote is written inside single quotes */
    const char *summary, *help, *arg; /* what takes a backslash in each of these texts */
};

/* The text for a place inside single quotes. */
static json_t *quoted(const struct shell *sh, const char *text, int n, const char *escape) {
    char out[1024];
    size_t used = 0;
    for (int i = 0; i < n && used < sizeof out - 8; i++)
        used += (size_t)(text[i] == '\'' ? sprintf(out + used, "%s", sh->quote)
                                         : sprintf(out + used, "%s%c",
                                                   strchr(escape, text[i]) ? "\\" : "", text[i]));
    return json_stringn(out, used);
}

static json_t *add_values(json_t *o, const struct values *v) {
    return GF_ADD(o, GF_KEY("words", v->words), GF_BOOL("list", v->list),
                  GF_BOOL("choices", v->list && *v->words), GF_BOOL("files", v->place == FILES),
                  GF_BOOL("folders", v->place == FOLDERS));
}

static json_t *option_report(const struct shell *sh, const struct gf_opt *o) {
    const char letter[2] = {o->letter, 0}, *arg = o->arg ? o->arg : "";
    const bool value = o->type >= GF_OPT_TEXT;
    const struct values v = value ? values_of(o) : (struct values){.list = false};
    return add_values(
        GF_REPORT(GF_KEY("name", o->name), GF_KEY("letter", (const char *)letter),
                  GF_BOOL("plain", o->type != GF_OPT_NEGATE),
                  GF_BOOL("no", o->type == GF_OPT_NEGATE || o->type == GF_OPT_CHOICE3),
                  GF_KEY("value", value), GF_KEY("optional", o->optional),
                  GF_BOOL("required", value && !o->optional), /* an optional value follows = only */
                  GF_KEY("help", quoted(sh, o->help, summary_length(o->help), sh->help)),
                  GF_KEY("arg", quoted(sh, arg, (int)strlen(arg), sh->arg))),
        &v);
}

static json_t *command_report(const struct shell *sh, const struct gf_command *c) {
    struct values v = {.place = strstr(c->operands, "IN") ? FILES : NOWHERE};
    json_t *options = json_array();
    add_named(&v, c->known);
    for (const struct gf_opt_group *const *g = c->groups; *g; g++)
        for (const struct gf_opt *o = (*g)->opts; o->name; o++)
            json_array_append_new(options, option_report(sh, o));
    return add_values(
        GF_REPORT(GF_KEY("name", c->name), GF_KEY("command", c->name), GF_KEY("options", options),
                  GF_BOOL("operand", v.place || *v.words),
                  GF_KEY("summary", quoted(sh, c->summary, (int)strlen(c->summary), sh->summary))),
        &v);
}

static void print_script(const struct shell *sh) {
    json_t *commands = json_array();
    for (int i = 0; gf_commands[i]; i++)
        json_array_append_new(commands, command_report(sh, gf_commands[i]));
    gf_report_print(false, sh->form,
                    GF_REPORT(GF_KEY("commands", commands), GF_KEY("shell", sh->name),
                              GF_KEY("open", "{"), GF_KEY("close", "}")));
    fputs(sh->body, stdout);
}

#define HEAD "# Completion of gpufft for {shell}, as `gpufft completion {shell}` prints it.\n"

/* ---- bash ---- */

/* A colon before the operands stands for files. */
static const char bash_form[] =
    HEAD "_gpufft_commands='{*commands {?@  }{name}} help'\n"
         "_gpufft_options() {open}\n"
         "    options= operands=\n"
         "    case $command in\n"
         "{*commands     {name}) operands='{?files :}{words}' options='"
         "{*options {?letter  -{letter}}{?plain  --{name}{?required =}}{?no  --no-{name}}}' ;;\n}"
         "    help) operands=$_gpufft_commands ;;\n"
         "    esac\n"
         "{close}\n"
         "# Fails for what takes no value.\n"
         "_gpufft_values() {open}\n"
         "    case $command:$option in\n"
         "{*commands {*options {?required     {command}:--{name}{?letter ||{command}:-{letter}}) "
         "words='{words}' place={?files f|{?folders d}} list={?list ,} ;;\n}}}"
         "    *) return 1 ;;\n"
         "    esac\n"
         "{close}\n";

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

/* ---- zsh ---- */

#define ACTION \
    "{?choices _values -s , {name} {words}|{?folders {?words {open}compadd {words}; _files " \
    "-/{close}|_files -/}|{?words ({words})|{?files _files}}}}'"
#define VALUE "[{help}]{?value {?optional ::|:}{arg}:" ACTION "|'}"
static const char zsh_form[] =
    "#compdef gpufft\n" HEAD "_gpufft() {open}\n"
    "    local -a commands\n"
    "    commands=(\n"
    "{*commands         '{name}:{summary}'\n}"
    "        'help:the options and examples of a command'\n"
    "    )\n"
    "    if (( CURRENT == 2 )); then\n"
    "        _describe command commands\n"
    "        compadd -- --help --version\n"
    "        return\n"
    "    fi\n"
    "    shift words\n"
    "    (( CURRENT-- ))\n"
    "    case $words[1] in\n"
    "    help) _describe command commands ;;\n"
    "{*commands     {name})\n        _arguments -S{*options "
    "{?letter  \\\n            '*-{letter}{?value +}" VALUE "}"
    "{?plain  \\\n            '*--{name}{?value {?optional =-|=}}" VALUE "}"
    "{?no  \\\n            '*--no-{name}" VALUE "}}"
    "{?operand  \\\n            '*:{?files file|name}:" ACTION "} ;;\n}"
    "    esac\n"
    "{close}\n"
    "if [ \"$funcstack[1]\" = _gpufft ]; then\n"
    "    _gpufft \"$@\"\n"
    "else\n"
    "    compdef _gpufft gpufft\n"
    "fi\n";

/* ---- fish ---- */

static const char fish_form[] = HEAD
    "function __gpufft_runs\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
    "end\n"
    "function __gpufft_starts\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "complete -c gpufft -n __gpufft_starts -f -l help -d 'print the commands'\n"
    "complete -c gpufft -n __gpufft_starts -f -l version -d 'print the version'\n"
    "{*commands complete -c gpufft -n __gpufft_starts -f -a {name} -d '{summary}'\n"
    "complete -c gpufft -n '__gpufft_runs help' -f -a {name} -d '{summary}'\n}"
    "complete -c gpufft -n __gpufft_starts -f -a help -d 'the options of a command'\n"
    "{*commands {?files |complete -c gpufft -n '__gpufft_runs {name}' -f\n}"
    "{?words complete -c gpufft -n '__gpufft_runs {name}' -a '{words}'\n}}"
    "{*commands {*options {?plain complete -c gpufft -n '__gpufft_runs {command}' -l {name}"
    "{?letter  -s {letter}}{?required {?choices  -x -a '(__fish_append , {words})'|{?folders  -x "
    "-a '(__fish_complete_directories)'|{?files  -r -F| -x}}{?words  -a '{words}'}}} -d "
    "'{help}'\n}{?no complete -c gpufft -n '__gpufft_runs {command}' -l no-{name} -d "
    "'{help}'\n}}}";

/* ---- the command ---- */

static const struct shell shells[] = {
    {"bash", bash_form, bash_body, "", "", "", ""},
    {"zsh", zsh_form, "", "'\\''", "\\", "[]\\", "[]:\\"},
    {"fish", fish_form, "", "\\'", "\\", "\\", ""},
};
enum { N_SHELLS = sizeof shells / sizeof *shells };

static const char *shell_name(int i) {
    return i < N_SHELLS ? shells[i].name : NULL;
}

static int run(struct gf_settings *s, char **operands, int n) {
    (void)s;
    if (n != 1)
        return gf_fail(GF_EUSAGE, "name one shell: bash, zsh or fish");
    for (int i = 0; i < N_SHELLS; i++)
        if (!strcmp(operands[0], shells[i].name)) {
            print_script(&shells[i]);
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
