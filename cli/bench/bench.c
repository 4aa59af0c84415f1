/* gpufft bench: the backends compared on the same samples in the same run. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/batch/targets.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/log.h"
#include "cli/plot/plot.h"
#include "cli/text.h"
#include "core/base/bandwidth.h"
#include "formats/scratch.h"

/* Names the CPU as it names itself, and the instruction set as its backend does. */
static void describe_machine(struct gf_bench_host *h) {
    char line[256], reason[GF_REASON] = "";
    FILE *f = fopen("/proc/cpuinfo", "re");
    snprintf(h->cpu, sizeof h->cpu, "unknown CPU");
    while (f && fgets(line, sizeof line, f)) {
        const char *name = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !name)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(h->cpu, sizeof h->cpu, "%.60s", name + 1 + strspn(name + 1, " "));
        break;
    }
    if (f)
        fclose(f);
    h->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const struct gf_backend *b = gf_backend_next(gf_backends, false, NULL);
    b->probe(b, reason);
    snprintf(h->isa, sizeof h->isa, "%.*s", (int)strcspn(reason, ","), reason);
}

static int run_case(void *user, const struct gf_bench_case *c) {
    struct gf_bench *b = user;
    struct gf_bench_row rows[GF_MAX_ENTRANTS];
    int n = gf_bench_case_run(b, c, rows), rc = 0;
    gf_bench_print_case(b->s, c);
    for (int i = 0; i < n; i++) {
        gf_bench_print_row(b->s, &b->host, 0, c, &rows[i]);
        b->rows += rows[i].status == GF_BENCH_OK;
        b->bad += rows[i].status == GF_BENCH_WRONG || rows[i].status == GF_BENCH_FAILED;
        if (b->kept && !rc)
            rc = gf_bench_keep(b->kept, c, &rows[i]);
        else
            free(rows[i].listed);
    }
    gf_log_flush_stdout();
    return rc;
}

/* The numbers of levels to measure for a kind, as bits. */
static unsigned levels_of(const struct gf_bench_settings *o, enum gf_bench_kind kind) {
    return kind != GF_BENCH_DWT ? 1u << 1 : o->levels ? o->levels : 1u << 1 | 1u << 3;
}

int gf_bench_each_case(const struct gf_settings *s, const struct gf_extents *size,
                       gf_bench_case_fn *run, void *user) {
    const struct gf_bench_settings *o = &s->bench;
    const unsigned real = 1u << (o->direction == GF_FORWARD ? GF_BENCH_R2C : GF_BENCH_C2R);
    const unsigned kinds = o->kinds ? o->kinds : 1u << GF_BENCH_C2C | real;
    const unsigned precisions = o->precisions ? o->precisions : 1u << GF_SINGLE;
    struct gf_bench_case like = {.job = {.ndim = size->n, .axes = size->axes}};
    memcpy(like.job.shape, size->extent, sizeof like.job.shape);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < GF_BENCH_N_KINDS; k++) {
            like.kind = (enum gf_bench_kind)k;
            if (!(precisions >> p & 1) || !(kinds >> k & 1) ||
                (gf_bench_is_picture(like.kind) && like.job.ndim != 2))
                continue;
            for (int l = 1; levels_of(o, like.kind) >> l; l++) {
                struct gf_bench_case c = like;
                if (!(levels_of(o, like.kind) >> l & 1))
                    continue;
                c.job.direction = (enum gf_direction)o->direction;
                c.job.precision = (enum gf_precision)p;
                c.job.wavelet.levels = l;
                int rc = gf_bench_case_make(&c);
                if (!rc)
                    rc = run(user, &c);
                gf_bench_case_free(&c);
                if (rc)
                    return rc;
            }
        }
    return 0;
}

/* The entrant that a figure compares with, or NULL. */
static const char *relative_of(const struct gf_bench *b) {
    if (b->s->bench.relative)
        return b->s->bench.relative;
    return b->kept->n && *b->kept->result[0].row.relative ? b->kept->result[0].row.relative : NULL;
}

static void leave(struct gf_bench *b) {
    for (int i = 0; i < b->n; i++) {
        if (b->entrant[i].context)
            b->entrant[i].backend->close(b->entrant[i].context);
        b->entrant[i].context = NULL;
    }
}

static int begin(struct gf_bench *b) {
    struct gf_bench_host *h = &b->host;
    int rc = 0;
    memset(b->trend, 0, sizeof b->trend);
    for (int i = 0; i < b->n && !rc; i++)
        rc = gf_bench_open_entrant(&b->entrant[i], b->s, h->threads);
    if (rc)
        return rc;
    if (gf_bandwidth_copy(h->threads, &h->copy))
        gf_log_note("bench: %s", gf_message());
    h->n_devices = 0;
    for (int i = 0; i < b->n; i++) {
        const struct gf_bench_entrant *e = &b->entrant[i];
        struct gf_bench_device *d = &h->device[h->n_devices];
        if (!e->resident)
            continue;
        snprintf(d->entrant, sizeof d->entrant, "%s", e->name);
        snprintf(d->name, sizeof d->name, "%s", e->device.name);
        d->copy = e->device.copy;
        h->n_devices++;
    }
    return b->kept ? gf_bench_keep_host(b->kept, h) : 0;
}

static int run_all(struct gf_bench *b, const struct gf_shapes *sizes) {
    int rc = begin(b);
    if (!rc) {
        gf_bench_print_host(b->s, &b->host, 0);
        if (!b->s->bench.csv || !b->headed)
            gf_bench_print_head(b->s);
        gf_log_flush_stdout();
        b->headed = true;
    }
    for (int i = 0; i < sizes->n && !rc; i++)
        rc = gf_bench_each_case(b->s, &sizes->shape[i], run_case, b);
    leave(b);
    return rc;
}

/* Finds the entrants and describes the machine. */
static int enter(struct gf_bench *b) {
    int rc = gf_bench_enter(b);
    if (!rc)
        rc = gf_bench_find_relative(b);
    if (!rc)
        describe_machine(&b->host);
    return rc;
}

/* Measures all sizes with each number of threads. */
static int measure(struct gf_bench *b, const struct gf_shapes *sizes) {
    const struct gf_settings *s = b->s;
    int rc = enter(b), counts = s->bench.threads.n ? s->bench.threads.n : 1;
    for (int i = 0; i < counts && !rc; i++) {
        b->host.threads = s->bench.threads.n ? s->bench.threads.count[i] : gf_settings_threads(s);
        rc = run_all(b, sizes);
    }
    return rc;
}

static const struct gf_bench_section sections[] = {
    {.title = "Lines",
     .text = "One complex line of n points, to complex.",
     .figure = "lines",
     .sizes = {"2^1..2^26"},
     .ndim = 1,
     .kind = GF_BENCH_C2C},
    {.title = "Squares",
     .text = "Complex, both axes.",
     .figure = "squares",
     .sizes = {"64^2..8192^2"},
     .ndim = 2,
     .kind = GF_BENCH_C2C},
    {.title = "Volumes",
     .text = "Complex, all three axes. Passes are timed one by one, the least of five, on a device "
             "with the few microseconds of a launch each.",
     .sizes = {"64^3..256^3"},
     .ndim = 3,
     .kind = GF_BENCH_C2C,
     .passes = true,
     .transfers = true},
    {.title = "Wavelets",
     .text = "Daubechies' four taps along y and x of 64 frames, forward, reals.",
     .sizes = {"64x512x512", "64x1024x1024", "64x2048x2048"},
     .ndim = 3,
     .kind = GF_BENCH_DWT,
     .axes = 6,
     .transfers = true},
};

/* Takes the operands, or without any the section's own sizes. */
static int section_sizes(const struct gf_bench_section *section, const struct gf_settings *s,
                         char *const *operands, int n, struct gf_shapes *sizes) {
    int own = 0;
    while (own < 4 && section->sizes[own])
        own++;
    int rc = gf_bench_sizes(s, n ? operands : (char *const *)section->sizes, n ? n : own, sizes);
    for (int i = 0; i < sizes->n && section->axes; i++)
        sizes->shape[i].axes = section->axes;
    return rc;
}

static int run_section(struct gf_bench *b, const struct gf_bench_section *section, FILE *f,
                       char *const *operands, int n) {
    const struct gf_settings *s = b->s;
    struct gf_settings own = *s;
    struct gf_bench_results kept = {0};
    struct gf_shapes sizes = {0};
    own.bench.kinds = 1u << section->kind;
    own.bench.passes = section->passes;
    own.bench.transfers = section->transfers;
    int rc = section_sizes(section, s, operands, n, &sizes);
    if (!rc)
        rc = gf_bench_keep_host(&kept, &b->host);
    b->s = &own;
    b->kept = &kept;
    for (int i = 0; i < sizes.n && !rc; i++)
        if (sizes.shape[i].n == section->ndim)
            rc = gf_bench_each_case(b->s, &sizes.shape[i], run_case, b);
    if (!rc)
        rc = gf_bench_report_section(f, section, &kept, s->bench.report);
    b->s = s;
    b->kept = NULL;
    gf_shapes_free(&sizes);
    gf_bench_results_free(&kept);
    return rc;
}

/* The page of --report: all sections, with one number of threads. */
static int report(struct gf_bench *b, char *const *operands, int n) {
    const struct gf_settings *s = b->s;
    char path[4096];
    struct gf_text page;
    int rc = enter(b);
    snprintf(path, sizeof path, "%s/README.md", s->bench.report);
    if (!rc)
        rc = gf_text_open(&page);
    if (rc)
        return rc;
    b->host.threads = s->bench.threads.n ? s->bench.threads.count[0] : gf_settings_threads(s);
    rc = begin(b);
    if (!rc) {
        gf_bench_report_begin(page.f, b, operands, n);
        gf_bench_print_head(s);
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !rc; i++)
        rc = run_section(b, &sections[i], page.f, operands, n);
    leave(b);
    return gf_text_save(&page, rc, path, true);
}

/* True if operand i is a file that an earlier operand names too. */
static bool is_repeated(char *const *operands, int i) {
    struct stat a, b;
    bool same = false;
    for (int k = 0; k < i && !stat(operands[i], &a); k++)
        same = same || (!stat(operands[k], &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
    return same;
}

/* The rows of files in place of measurements. */
static int merge(struct gf_bench *b, char *const *operands, int n) {
    int rc = n ? 0 : gf_fail(GF_EUSAGE, "--merge takes files that bench --json wrote");
    for (int i = 0; i < n && !rc; i++)
        rc = is_repeated(operands, i)
                 ? gf_fail(GF_EUSAGE, "--merge: '%s' is given twice", operands[i])
                 : gf_bench_read(operands[i], b->kept);
    if (rc)
        return rc;
    gf_bench_relate(b->kept, b->s->bench.relative);
    gf_bench_print_results(b->s, b->kept);
    for (int i = 0; i < b->kept->n; i++)
        b->rows += b->kept->result[i].row.status == GF_BENCH_OK;
    return 0;
}

/* Makes the folder of --report if necessary, and fails now rather than after an hour if it takes no
 * files. */
static int check_report(const struct gf_settings *s) {
    const char *folder = s->bench.report;
    struct stat st;
    if (!folder)
        return 0;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return gf_fail(GF_EIO, "'%s': %s", folder, strerror(errno));
    if (stat(folder, &st) || !S_ISDIR(st.st_mode))
        return gf_fail(GF_EIO, "--report=%s: not a folder", folder);
    return access(folder, W_OK | X_OK) ? gf_fail(GF_EIO, "'%s': %s", folder, strerror(errno)) : 0;
}

/* Checks that a file can be made, or replaced, at the path. */
static int check_place(const char *path) {
    struct stat st;
    char *folder = gf_folder_of(path);
    int rc = folder ? 0 : gf_no_memory();
    if (!rc && !stat(path, &st) && S_ISDIR(st.st_mode))
        rc = gf_fail(GF_EIO, "'%s' is a folder", path);
    const bool file = folder && !stat(folder, &st) && !S_ISDIR(st.st_mode);
    if (!rc && (file || access(folder, W_OK | X_OK)))
        rc = gf_fail(GF_EIO, "cannot write '%s': %s", path, strerror(file ? ENOTDIR : errno));
    free(folder);
    return rc;
}

/* Checks that the figure can be written, and replaces none of the files that are read. */
static int check_plot(const struct gf_settings *s, char *const *operands, int n) {
    struct gf_targets targets = {.n = 1, .target = {{.label = "plot", .plain = true}}};
    if (!s->bench.plot)
        return 0;
    if (!gf_plot_has_suffix(s->bench.plot))
        return gf_fail(GF_EUSAGE, "--plot=%.60s: the suffix must be .svg or .png", s->bench.plot);
    if (!s->clobber && !access(s->bench.plot, F_OK)) /* now rather than after an hour */
        return gf_fail(GF_EIO, "'%s' exists, and --no-clobber keeps it", s->bench.plot);
    int rc = check_place(s->bench.plot);
    if (!rc)
        rc = gf_template_parse("--plot", s->bench.plot, &targets.target[0].where);
    if (!rc)
        rc = gf_inputs_guard(s, operands, n);
    if (!rc)
        rc = gf_targets_claim(s, &targets, operands, n > 1 ? 1 : n);
    return rc;
}

static int run_alone(const struct gf_settings *s, char *const *operands, int n) {
    struct gf_bench_results kept = {0};
    struct gf_bench b = {.s = s};
    struct gf_shapes sizes = {0};
    bool merging = s->bench.merge;
    int rc = 0;
    if (!merging && !s->bench.report)
        rc = gf_bench_sizes(s, operands, n, &sizes);
    if (!rc)
        rc = check_plot(s, operands, merging ? n : 0);
    if (!rc)
        rc = check_report(s);
    if (merging || s->bench.plot)
        b.kept = &kept;
    if (!rc)
        rc = merging           ? merge(&b, operands, n)
             : s->bench.report ? report(&b, operands, n)
                               : measure(&b, &sizes);
    if (!rc && s->bench.plot && b.rows)
        rc = gf_bench_plot(&kept, relative_of(&b), true, s->bench.plot, s->clobber);
    gf_shapes_free(&sizes);
    gf_bench_results_free(&kept);
    if (rc)
        return rc;
    if (b.bad)
        gf_log_error("bench: %d wrong or failed", b.bad);
    else if (!b.rows)
        gf_log_error("bench: nothing could be measured");
    return b.bad || !b.rows;
}

/* Only --kind=exchange is for processes that mpirun started. */
static int run(struct gf_settings *s, char **operands, int n) {
    const struct gf_launcher launcher = gf_environment_launcher();
    int rc = gf_bench_check(s);
    if (!rc && !gf_bench_exchanges(s) && launcher.size > 1)
        rc = gf_fail(GF_EUSAGE, "only --kind=exchange is for the %d processes of %s", launcher.size,
                     launcher.name);
    return rc ? rc : (gf_bench_exchanges(s) ? gf_bench_exchange : run_alone)(s, operands, n);
}

static const struct gf_opt_group *const groups[] = {
    &gf_opts_bench_what, &gf_opts_bench,  &gf_opts_peer, &gf_opts_link,
    &gf_opts_memory,     &gf_opts_common, NULL};

const struct gf_command gf_command_bench = {
    .name = "bench",
    .operands = "[SHAPE|RANGE]...|--merge FILE...",
    .summary = "the backends compared in one table",
    .launched = true,
    .joins = true,
    .groups = groups,
    .text = true,
    .examples = "  gpufft bench\n"
                "  gpufft bench 2^4..2^20 64^2..1024^2 --kind=c2c\n"
                "  gpufft bench 1000..1000000 --step=primes --backend=openmp,fftw\n"
                "  gpufft bench 4096x4096 256x256x256 --kind=r2c --precision=single,double\n"
                "  gpufft bench 65536x256 --axes=x --kind=c2c,r2c\n"
                "  gpufft bench 1048576 --backend=openmp,fftw-measure --threads=1,2 --csv\n"
                "  gpufft bench --all --mkl=/opt/intel/mkl/lib/libmkl_rt.so.2\n"
                "  gpufft bench 2^4..2^24 --kind=c2c --relative=openmp --plot=lines.svg\n"
                "  gpufft bench --report=comparison\n"
                "  mpirun -n 2 gpufft bench 256^3 --kind=exchange --link=12.5\n"
                "  gpufft bench --merge laptop.json server.json --plot=both.svg\n",
    .notes = "least, 90%: the shortest time, and the time that nine runs in ten stay within.\n"
             "GFLOP/s: by 5 N log2 N operations, half of that for real samples. GB/s, copy:\n"
             "what the planned passes read and write, and its share of the copy bandwidth.\n"
             "floors: the time over that of one read and one write at copy bandwidth (for a\n"
             "picture, half a spectrum is written and read as well). ratio: above 1 is faster\n"
             "than the one compared with. error: relative (L2); single against a run in\n"
             "double, double against sums in long double at 8 places; for a picture, the\n"
             "share of pixels off by one level; ! is more than gpufft promises. A wrong result\n"
             "is not timed, and the exit status is 1. plan, build: the time for planning and\n"
             "compiling kernels, not included elsewhere. noisy: the median exceeds twice the\n"
             "least, also when measured three more times. off its trend: likewise, below a\n"
             "quarter of the GFLOP/s of the size before. Rows of FFTW, MKL and IPP end with\n"
             "the code that ran; generic path: code for every CPU, where this one has AVX2.\n"
             "Backends on a device are timed there, by its clock, with input and output in its\n"
             "memory; copy is then its own bandwidth. \"2 devices\" ends the row of a transform\n"
             "that these share, timed by the host's clock until all of them are done.\n",
    .run = run,
};
