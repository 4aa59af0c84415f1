/* Finds the command, parses its options, and runs it or prints its help. */
#include "cli/command.h"

#include "cli/log.h"
#include "cli/text.h"
#include "core/base/value/spelling.h"
#include "formats/io/guard.h"

enum { MOST_COMMANDS = 63 };

static void print_overview(void) {
    printf("usage: gpufft COMMAND [OPTION]... [IN]...\n"
           "\n"
           "Fourier and wavelet transforms of pictures and volumes.\n"
           "\n"
           "commands:\n");
    for (int i = 0; gf_commands[i]; i++)
        printf("  %-12s%s\n", gf_commands[i]->name, gf_commands[i]->summary);
    printf("\n"
           "file types, by suffix or as a prefix of the name (png:-):\n");
    for (int i = 0; gf_formats[i]; i++)
        printf("  %-10s%s\n", gf_formats[i]->name, gf_formats[i]->summary);
    printf("\n"
           "  gpufft COMMAND --help   a command's options and examples\n"
           "  gpufft --version, -V    the version\n"
           "\n"
           "exit status: 0 all done, 1 some file failed, 2 wrong usage, 3 the requested\n"
           "backend or device is absent, 129/130/143 interrupted. See gpufft(1).\n");
}

/* `usual`: only those options and one example, the answer to a command's name without inputs. */
static void print_help(FILE *out, const struct gf_command *c, const char *usual) {
    fprintf(out, "usage: gpufft %s%s%s [OPTION]...\n\n", c->name, *c->operands ? " " : "",
            c->operands);
    if (!usual)
        fprintf(out, "%s\n", c->summary);
    gf_opt_help(out, c->groups, usual);
    if (usual)
        fprintf(out, "\nExample:\n%.*s\n\ngpufft %s --help lists all options.\n",
                (int)strcspn(c->examples, "\n"), c->examples, c->name);
    else
        fprintf(out, "\nExamples:\n%s%s%s", c->examples, c->notes ? "\n" : "",
                c->notes ? c->notes : "");
}

const struct gf_command *gf_command_find(const char *name) {
    for (int i = 0; gf_commands[i]; i++)
        if (!strcmp(name, gf_commands[i]->name))
            return gf_commands[i];
    return strcmp(name, "fsc") ? NULL : &gf_command_frc; /* of volumes */
}

/* Words that people type for a command and that are no misspellings of it. The last ones, although
 * one letter away from a command, mean none. */
static const struct {
    const char *command, *words;
} meant[] = {
    {"fwd", "forward transform spectrum fourier fft fft2 fftn rfft dft"},
    {"inv", "inverse invert backward back ifft ifft2 ifftn irfft idft"},
    {"dwt", "wavelet wavelets wavedec"},
    {"idwt", "iwavelet waverec"},
    {"filter", "lowpass highpass bandpass notch blur smooth sharpen denoise descreen mask convolve "
               "convolution deconvolve deconvolution"},
    {"stats", "statistics peaks radial analyze analyse plot"},
    {"match", "find locate template correlate ncc"},
    {"frc", "resolution"},
    {"info", "view show open header identify"},
    {"plan", "explain"},
    {"devices", "backends gpu gpus list"},
    {"tune", "measure calibrate"},
    {"bench", "benchmark speed"},
    {"demo", "play lesson lessons tutorial example examples"},
    {"selftest", "test check verify"},
    {"completion", "completions"},
    {NULL, "dct idct"},
};

/* Returns the command of that name, or prints an error. */
static const struct gf_command *find_typed(const char *name) {
    const char *names[MOST_COMMANDS + 1] = {NULL};
    const struct gf_command *c = gf_command_find(name);
    if (c)
        return c;
    for (int i = 0; gf_commands[i] && i < MOST_COMMANDS; i++)
        names[i] = gf_commands[i]->name;
    const char *near = gf_spelling_near(name, names);
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (gf_spelling_has(meant[i].words, name))
            near = meant[i].command;
    if (near)
        gf_log_error("unknown command '%s'; did you mean '%s'?", name, near);
    else
        gf_log_error("unknown command '%s'; see gpufft --help", name);
    return NULL;
}

static int run_command(const struct gf_command *c, int argc, char **argv) {
    struct gf_settings s = gf_settings_default();
    int n;
    if (argc == 0 && c->usual) {
        print_help(stderr, c, c->usual);
        return 2;
    }
    int rc = gf_opt_parse(c->groups, &s, argc, argv, &n, s.fingerprint);
    if (rc) {
        gf_log_error("%s: %s", c->name, gf_message());
        return gf_exit_code(rc);
    }
    if (s.help) {
        print_help(stdout, c, NULL);
        return 0;
    }
    gf_log_setup(s.quiet, s.verbose);
    if (c->text && s.quiet && !s.json && !s.bench.csv)
        gf_log_drop_text();
    if (s.sync) /* a lesson's commands inherit it */
        gf_sink_sync(true);
    gf_guard_begin();
    int code = c->run ? c->run(&s, argv, n) : gf_batch_run(c->hooks, &s, argv, n);
    gf_guard_end();
    if (code < 0)
        gf_log_error("%s: %s", c->name, gf_message());
    return code < 0 ? gf_exit_code(code) : code;
}

bool gf_command_asks_version(int argc, char **argv) {
    return argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") ||
                        !strcmp(argv[1], "version") || (argc == 2 && !strcmp(argv[1], "-v")));
}

void gf_command_move_switches(int argc, char **argv) {
    int n = 1;
    while (n < argc && gf_spelling_has("-q -v -qv -vq --quiet --verbose", argv[n]))
        n++;
    char *command = n < argc && argv[n][0] != '-' ? argv[n] : NULL;
    for (; command && n > 1; n--)
        argv[n] = argv[n - 1];
    if (command)
        argv[1] = command;
}

int gf_run_line(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : NULL;
    if (!first) { /* fails, so that a script with an empty command line stops */
        print_overview();
        return 2;
    }
    if (gf_command_asks_version(argc, argv)) {
        printf("gpufft %s\n", GF_VERSION);
        return 0;
    }
    if (!strcmp(first, "--help") || !strcmp(first, "-h") || !strcmp(first, "help")) {
        const struct gf_command *c = argc > 2 ? find_typed(argv[2]) : NULL;
        if (argc > 2 && !c)
            return 2;
        c ? print_help(stdout, c, NULL) : print_overview();
        return 0;
    }
    if (first[0] == '-') {
        gf_log_error("unknown option '%s'; a command comes first, see gpufft --help", first);
        return 2;
    }
    const struct gf_command *c = find_typed(first);
    return c ? run_command(c, argc - 2, argv + 2) : 2;
}
