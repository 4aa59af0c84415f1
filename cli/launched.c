/* Decides which of several processes with one command line run it, and which print. */
#include "cli/launched.h"

#include <string.h>

#include "cli/batch/ranks.h"
#include "cli/command.h"
#include "cli/log.h"

static bool has(int argc, char **argv, const char *word) {
    bool found = false;
    for (int i = 1; i < argc; i++)
        found = found || !strcmp(argv[i], word);
    return found;
}

/* The file that an argument names, as an operand or an output, or "". Numbers in other options mean nothing. */
static const char *file_of(const char *argument) {
    static const char *const outputs[] = {"--out=", "--magnitude=", "--phase=", "--complex="};
    const char *letters = argument + (argument[0] == '-' && argument[1] != '-');
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (!strncmp(argument, outputs[i], strlen(outputs[i])))
            return argument + strlen(outputs[i]);
    if (letters > argument) /* -oOUT, -voOUT */
        letters += strspn(letters, "hnqrv");
    return letters == argument ? (argument[0] == '-' ? "" : argument)
           : *letters == 'o'   ? letters + 1
                               : "";
}

static bool is_alone(int argc, char **argv) {
    bool alone = has(argc, argv, "--mpi=off");
    for (int i = 1; i + 1 < argc; i++)
        alone = alone || (!strcmp(argv[i], "--mpi") && !strcmp(argv[i + 1], "off"));
    return alone;
}

static bool is_own(int argc, char **argv, int rank) {
    bool own = is_alone(argc, argv);
    for (int i = 1; i < argc; i++)
        own = own || gf_ranks_differ(file_of(argv[i]), rank);
    return own;
}

bool gf_launched_ends(int argc, char **argv, int *code) {
    const struct gf_launcher launcher = gf_environment_launcher();
    const struct gf_command *c = argc > 1 ? gf_command_find(argv[1]) : NULL;
    const bool asks = has(argc, argv, "--help") || has(argc, argv, "-h") || argc < 2 ||
                      !strcmp(argv[1], "help") || gf_command_asks_version(argc, argv);
    if (!is_alone(argc, argv))
        gf_ranks_expect(&launcher);
    if (launcher.size < 2)
        return false;
    if (is_own(argc, argv, launcher.rank)) {
        *code = asks || !c || c->joins ? 0 : gf_ranks_end(&launcher, 0);
        return *code != 0;
    }
    gf_log_mute(launcher.rank > 0 && !is_own(argc, argv, 0));
    *code = asks && argc > 1 ? 0 : 2;
    if (argc < 2 && launcher.rank > 0)
        gf_log_error("no command; see gpufft --help");
    if (asks)
        return launcher.rank > 0;
    if (!c)
        return false;
    if (!c->launched)
        gf_log_error("%s runs in one process, and %s started %d", c->name, launcher.name,
                     launcher.size);
    else
        *code = c->joins ? 0 : gf_ranks_end(&launcher, 0);
    return *code != 0;
}

int gf_launched_end(int code) {
    const struct gf_launcher launcher = gf_environment_launcher();
    return gf_ranks_end(&launcher, code);
}
