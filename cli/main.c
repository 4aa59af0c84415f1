/* The command table, signals, and the only exit. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/log.h"
#include "core/base/status.h"
#include "formats/io.h"
#include "formats/io_guard.h"

struct command {
    const char *name;
    const char *operands;
    const char *summary;
    int (*run)(struct gf_settings *s, char **operands, int n);
    const struct gf_opt_group *const *groups;
    const char *examples;
};

static const struct gf_opt_group *const fwd_groups[] = {
    &gf_opts_output, &gf_opts_display, &gf_opts_transform, &gf_opts_input,
    &gf_opts_raw,    &gf_opts_backend, &gf_opts_run,       NULL,
};
static const struct gf_opt_group *const inv_groups[] = {
    &gf_opts_output_inv, &gf_opts_pair,    &gf_opts_spectrum, &gf_opts_input,
    &gf_opts_raw,        &gf_opts_backend, &gf_opts_run,      NULL,
};
static const struct gf_opt_group *const dwt_groups[] = {
    &gf_opts_output_dwt, &gf_opts_wavelet, &gf_opts_input, &gf_opts_raw,
    &gf_opts_backend,    &gf_opts_run,     NULL,
};
static const struct gf_opt_group *const idwt_groups[] = {
    &gf_opts_output_idwt, &gf_opts_wavelet, &gf_opts_input, &gf_opts_raw,
    &gf_opts_backend,     &gf_opts_run,     NULL,
};
static const struct gf_opt_group *const filter_groups[] = {
    &gf_opts_output_filter,
    &gf_opts_filter,
    &gf_opts_filter_transform,
    &gf_opts_input,
    &gf_opts_raw_filter,
    &gf_opts_backend,
    &gf_opts_run,
    NULL,
};
static const struct gf_opt_group *const stats_groups[] = {
    &gf_opts_stats, &gf_opts_input, &gf_opts_raw, &gf_opts_backend, &gf_opts_run_alone, NULL,
};
static const struct gf_opt_group *const demo_groups[] = {&gf_opts_demo, &gf_opts_common, NULL};
static const struct gf_opt_group *const info_groups[] = {&gf_opts_list, &gf_opts_raw,
                                                         &gf_opts_common, NULL};
static const struct gf_opt_group *const plan_groups[] = {
    &gf_opts_plan, &gf_opts_output,  &gf_opts_transform, &gf_opts_display, &gf_opts_filter,
    &gf_opts_raw,  &gf_opts_backend, &gf_opts_memory,    &gf_opts_common,  NULL,
};
static const struct gf_opt_group *const devices_groups[] = {&gf_opts_common, NULL};
static const struct gf_opt_group *const selftest_groups[] = {&gf_opts_backend, &gf_opts_common,
                                                             NULL};

static const struct gf_opt_group *const bench_groups[] = {&gf_opts_bench, &gf_opts_memory,
                                                          &gf_opts_common, NULL};

static const struct command commands[] = {
    {"fwd", "IN... --out=OUT", "forward FFT: 2D of a picture, 3D of a volume, 1D of a line",
     gf_command_fwd, fwd_groups,
     "  gpufft fwd scene.png --out=spectrum.png\n"
     "  gpufft fwd scene.png --complex=spec.tif --phase=phase.png\n"
     "  gpufft fwd photos/ --out='spectra/{stem}_{kind}.png' --resume\n"
     "  find a -name '*.png' -print0 | gpufft fwd --files0-from=- --out='o/{stem}.png'\n"
     "  gpufft fwd head.raw --shape=32x64x64 --type=u8 --out=head.tif\n"
     "  gpufft fwd - --out=png:- < scene.png > spectrum.png\n"},
    {"inv", "IN... --out=OUT", "inverse FFT of a spectrum file, back to its picture",
     gf_command_inv, inv_groups,
     "  gpufft inv spec.tif --out=back.png\n"
     "  gpufft inv --from-magnitude=mag.tif --from-phase=phase.tif --out=back.png\n"},
    {"dwt", "IN... --out=OUT", "Daubechies W4 wavelet: 2D of a picture, 3D of a volume or frames",
     gf_command_dwt, dwt_groups,
     "  gpufft dwt scene.png --out=pyramid.png\n"
     "  gpufft dwt scene.png --levels=max --out=coeffs.tif --bands=bands\n"
     "  gpufft dwt scene.png --threshold=hard:5% --out=small.tif\n"
     "  gpufft dwt --frames frames/ --levels=3 --out=coeffs.tif\n"},
    {"idwt", "IN... --out=OUT", "its inverse, back to the picture", gf_command_idwt, idwt_groups,
     "  gpufft idwt coeffs.tif --out=back.png\n"
     "  gpufft idwt coeffs.tif --threshold=soft:12.5 --out=smooth.png\n"
     "  gpufft idwt foreign.npy --levels=2 --out=picture.tif\n"},
    {"filter", "IN... --out=OUT", "low, high and band passes, notches, masks, kernels",
     gf_command_filter, filter_groups,
     "  gpufft filter scene.png --lowpass=30 --out=blurred.png\n"
     "  gpufft filter scene.png --highpass=5%,butterworth:2 --offset=mid --out=hp.png\n"
     "  gpufft filter noise.png --notch=36,20,3 --notch=-56,100,3 --out=clean.png\n"
     "  gpufft filter scan.png --auto-notch --verbose --mask-out=m.png --out=clean.png\n"
     "  gpufft filter scene.png --mask=m.png --out=masked.png\n"
     "  gpufft filter photos/ --convolve=gaussian:2 --edges=mirror --out='{stem}.tif'\n"},
    {"stats", "IN...", "energy, radial spectrum, strongest peaks", gf_command_stats, stats_groups,
     "  gpufft stats scene.png\n"
     "  gpufft stats noise.png --peaks=10 --radial=noise.png\n"
     "  gpufft stats photos/ --radial='{stem}.csv' --json\n"},
    {"info", "IN...", "what a file holds: shape, type, pages, a spectrum's record", gf_command_info,
     info_groups,
     "  gpufft info scene.png spec.tif\n"
     "  gpufft info --json head.tif\n"},
    {"plan", "IN|SHAPE...", "what would run: backend, passes, bytes, memory", gf_command_plan,
     plan_groups,
     "  gpufft plan scene.png\n"
     "  gpufft plan scene.png --lowpass=30 --edges=mirror\n"
     "  gpufft plan 64x512x512 --type=u16 --kind=complex --out=x.npy\n"
     "  gpufft plan 4096x4096 --transform=dwt --levels=3\n"},
    {"devices", "", "every backend and device, or why one is absent", gf_command_devices,
     devices_groups, "  gpufft devices\n"},
    {"bench", "[SHAPE]...", "the backends side by side in one table", gf_command_bench,
     bench_groups,
     "  gpufft bench\n"
     "  gpufft bench 4096x4096 256x256x256 --kind=r2c --precision=single,double\n"
     "  gpufft bench 65536x256 --axes=x --kind=c2c,r2c\n"
     "  gpufft bench 1048576 --backend=openmp,fftw-measure --threads=1,2 --csv\n"
     "  gpufft bench --all --mkl=/opt/intel/mkl/lib/libmkl_rt.so.2\n"
     "\n"
     "least, 90%: the shortest time, and what nine runs in ten stay within. GFLOP/s:\n"
     "by 5 N log2 N, half of that for real samples. GB/s, copy: what the planned\n"
     "passes read and write, and its share of the copy bandwidth. floors: the time\n"
     "over that of one read and one write at copy bandwidth (a picture's half spectrum\n"
     "out and in as well). ratio: above 1 is faster than the one compared to. error:\n"
     "relative (L2); single against a run in double, double against sums in long\n"
     "double at 8 places; of a picture the share of pixels one level beside; ! is more\n"
     "than gpufft promises. What comes out wrong is not timed, and the exit status is\n"
     "1. plan: the time that planning took, not counted.\n"
     "Backends on a device are timed there, by its clock, with input and output in its\n"
     "memory; copy is its own bandwidth then.\n"},
    {"demo", "[NAME|all]... --out=DIR", "a lesson as numbered pictures", gf_command_demo,
     demo_groups,
     "  gpufft demo\n"
     "  gpufft demo phase --out=phase\n"
     "  gpufft demo all --out=lessons\n"
     "\n"
     "A lesson prints its commands, runs them in DIR, and writes DIR/README.md, which\n"
     "shows them with their pictures.\n"},
    {"selftest", "", "the invariants, on this machine, per backend", gf_command_selftest,
     selftest_groups,
     "  gpufft selftest\n"
     "  gpufft selftest --backend=fftw\n"},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

static void print_overview(void) {
    printf("usage: gpufft COMMAND [OPTION]... [IN]...\n"
           "\n"
           "Fourier and wavelet transforms of pictures and volumes.\n"
           "\n"
           "commands:\n");
    for (const struct command *c = commands; c->name; c++)
        printf("  %-10s%s\n", c->name, c->summary);
    printf("\n"
           "files, by suffix or as a type before the name (png:-):\n");
    for (int i = 0; gf_formats[i]; i++)
        printf("  %-10s%s\n", gf_formats[i]->name, gf_formats[i]->summary);
    printf("\n"
           "  gpufft COMMAND --help   a command's options, with examples\n"
           "  gpufft --version        the version\n"
           "\n"
           "exit status: 0 all done, 1 some file failed, 2 wrong usage, 3 the backend or\n"
           "device asked for is not there, 129/130/143 interrupted. See gpufft(1).\n");
}

static void print_help(const struct command *c) {
    printf("usage: gpufft %s%s%s [OPTION]...\n\n%s\n", c->name, *c->operands ? " " : "",
           c->operands, c->summary);
    gf_opt_help(stdout, c->groups);
    printf("\nExamples:\n%s", c->examples);
}

static const struct command *find_command(const char *name) {
    const char *names[sizeof commands / sizeof *commands] = {NULL};
    for (int i = 0; commands[i].name; i++) {
        if (!strcmp(name, commands[i].name))
            return &commands[i];
        names[i] = commands[i].name;
    }
    const char *near = gf_opt_near(name, names);
    if (near)
        gf_log_error("unknown command '%s'; did you mean '%s'?", name, near);
    else
        gf_log_error("unknown command '%s'; see gpufft --help", name);
    return NULL;
}

static int run_command(const struct command *c, int argc, char **argv) {
    struct gf_settings s = gf_settings_default();
    int n;
    int rc = gf_opt_parse(c->groups, &s, argc, argv, &n);
    if (rc) {
        gf_log_error("%s: %s", c->name, gf_message());
        return gf_exit_code(rc);
    }
    if (s.help) {
        print_help(c);
        return 0;
    }
    gf_log_setup(s.quiet, s.verbose);
    gf_guard_begin();
    int code = c->run(&s, argv, n);
    gf_guard_end();
    return code;
}

int gf_run_line(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : NULL;
    if (!first) {
        gf_log_error("no command; see gpufft --help");
        return 2;
    }
    if (!strcmp(first, "--version")) {
        printf("gpufft %s\n", GF_VERSION);
        return 0;
    }
    if (!strcmp(first, "--help") || !strcmp(first, "-h") || !strcmp(first, "help")) {
        const struct command *c = argc > 2 ? find_command(argv[2]) : NULL;
        if (argc > 2 && !c)
            return 2;
        c ? print_help(c) : print_overview();
        return 0;
    }
    if (first[0] == '-') {
        gf_log_error("unknown option '%s'; a command comes first, see gpufft --help", first);
        return 2;
    }
    const struct command *c = find_command(first);
    return c ? run_command(c, argc - 2, argv + 2) : 2;
}

static void on_signal(int number) {
    gf_sink_remove_temporaries();
    _exit(128 + number);
}

static void catch_signals(void) {
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    sigfillset(&action.sa_mask);
    for (int i = 0; i < 3; i++) {
        struct sigaction old;
        /* What our parent had us ignore (nohup) stays ignored. */
        if (!sigaction(caught[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* EPIPE from write() instead */
    signal(SIGXFSZ, SIG_IGN); /* EFBIG from write() instead */
}

/* A standard stream that came closed would lend its number to the first file opened, and what is
 * meant for it would end up there. Each gets a /dev/null that fails when it is used. */
static void fill_streams(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Text that did not reach stdout is a failure like any other. */
static int close_stdout(int code) {
    int error = gf_log_flush_stdout();
    if (!error)
        return code;
    errno = error;
    gf_fail_errno(GF_EIO, "cannot write to stdout");
    gf_log_fail(NULL);
    return code ? code : 1;
}

int main(int argc, char **argv) {
    fill_streams();
    catch_signals();
    gf_log_open_stdout();
    return close_stdout(gf_run_line(argc, argv));
}
