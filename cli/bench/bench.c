/* gpufft bench: compares the backends on the same samples in the same run. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/log.h"
#include "core/base/host/bandwidth.h"

/* ---- options, and sizes: typed ones or one of two lists ---- */

/* Sets a bit for each of the row's choices that the list names. */
static int parse_set(const struct gf_opt *o, const char *value, void *field) {
    unsigned *set = field;
    char word[32], what[32];
    int i, rc = 0;
    snprintf(what, sizeof what, "--%s", o->name);
    for (*set = 0; !rc && gf_bench_next_word(&value, word, sizeof word);) {
        rc = gf_opt_choose(what, word, o->choices, &i);
        if (!rc)
            *set |= 1u << i;
    }
    return rc;
}

static int parse_kinds(const struct gf_opt *o, const char *value, void *field) {
    unsigned *set = field;
    int rc = parse_set(o, value, set);
    if (*set >> GF_BENCH_PICTURE & 1) /* both ranges */
        *set |= 1u << GF_BENCH_PICTURE_FULL;
    return rc;
}

/* Returns the next number, 1 to `most`, of the list at *at, or 0 for anything else. Advances *at,
 * to NULL after the last. */
static int next_number(const char **at, int most) {
    char *end;
    errno = 0;
    long n = strtol(*at, &end, 10);
    if (errno || end == *at || n < 1 || n > most || (*end && *end != ','))
        return 0;
    *at = *end ? end + 1 : NULL;
    return (int)n;
}

static int parse_levels(const struct gf_opt *o, const char *value, void *field) {
    unsigned *set = field;
    const char *at = value;
    *set = 0;
    for (int n; at && (n = next_number(&at, GF_BENCH_MOST_LEVELS));)
        *set |= 1u << n;
    return at ? gf_fail(GF_EUSAGE, "--%s cannot be '%.40s'; it lists numbers from 1 to %d", o->name,
                        value, GF_BENCH_MOST_LEVELS)
              : 0;
}

static int parse_threads(const struct gf_opt *o, const char *value, void *field) {
    struct gf_settings *s = field;
    const char *at = value;
    s->bench.threads.n = 0;
    for (int n; at && s->bench.threads.n < GF_MAX_THREAD_COUNTS && (n = next_number(&at, 4096));)
        s->bench.threads.count[s->bench.threads.n++] = n;
    return at ? gf_fail(GF_EUSAGE,
                        "--%s cannot be '%.40s'; it lists up to %d whole numbers from 1 to 4096",
                        o->name, value, GF_MAX_THREAD_COUNTS)
              : 0;
}

#define SECONDS "it takes seconds, above 0 and up to 3600"

const struct gf_opt_group gf_opts_bench_what = GF_GROUP(
    "What is measured",
    GF_CHOICE("step", step, "NAME", gf_steps,
              "the sizes of a range A..B: 2x (default), 7smooth, primes"),
    GF_PARSED("kind", GF_AT(bench.kinds), "LIST", parse_kinds,
              "c2c, r2c (forward), c2r (inverse), picture (u8 to log-magnitude, 2D, with both "
              "--range=auto and full), picture-full, dwt (wavelets), filter (u8 to u8 through a "
              "low pass) (default: c2c and the real one of --direction)",
              .choices = gf_bench_kinds),
    GF_PARSED("axes", GF_AT(axes), "LIST", gf_settings_parse_axes,
              "axes to transform: x,y,z or NumPy indices (default: all); the others are batches"),
    GF_CHOICE("direction", bench.direction, "NAME", gf_bench_directions,
              "forward (default) or inverse, for c2c and dwt"),
    GF_PARSED("precision", GF_AT(bench.precisions), "LIST", parse_set, "single (default), double",
              .choices = gf_bench_precisions));

static const struct gf_opt_group own_options = GF_GROUP(
    "Benchmark", GF_FLAG("all", bench.all, "measure the long list of sizes"),
    GF_PARSED("levels", GF_AT(bench.levels), "LIST", parse_levels,
              "numbers of levels of dwt, a row each (default: 1,3)"),
    GF_PLAN_ROW,
    GF_TEXT("backend", bench.backends, "LIST",
            "backends that `gpufft devices` lists, openmp-1 (one thread), fftw-measure, mkl, ipp, "
            "clfft, vkfft, cuda-natural, cufftxt, cufftxt-perm (default: all present, except on "
            "devices that are the CPU)",
            .letter = 'b', .known = gf_bench_entrant_name),
    GF_PARSED("threads", 0, "LIST", parse_threads,
              "numbers of CPU threads (default: OMP_NUM_THREADS, or all)"),
    GF_TEXT("device", device, "N|NAME|LIST",
            "a GPU, by number or part of its name, for the backends that run on one; several "
            "between commas, or all, for cufftxt, and for cuda and opencl to share a transform"),
    GF_PARSED("max-device-memory", GF_AT(max_device_memory), "SIZE", gf_opt_parse_memory,
              "a GPU's memory to use; larger arrays pass through it in parts, timed with their "
              "copies (default: what is free)"),
    GF_TEXT("mkl", bench.mkl, "PATH",
            "libmkl_rt.so, to measure MKL too (default: where the loader finds it)"),
    GF_TEXT("ipp", bench.ipp, "FOLDER",
            "the folder of Intel IPP's libraries, to measure it too (default: as --mkl)"),
    GF_TEXT("relative", bench.relative, "NAME",
            "the backend that ratios compare with (default: fftw-measure, else fftw)",
            .known = gf_bench_entrant_name),
    GF_NUMBER("time", bench.seconds, "SECONDS", 3600, SECONDS,
              "how long to measure a row, at least three runs (default: 0.5)"),
    GF_NUMBER("plan-time", bench.plan_seconds, "SECONDS", 3600, SECONDS,
              "how long fftw-measure may measure for one plan (default: no limit)"),
    GF_INTEGER("repeat", bench.repeat, "N", 1, 100000,
               "how many times to measure a row, instead of --time"),
    GF_FLAG("passes", bench.passes, "time each pass, beside what the planner expects"),
    GF_FLAG("transfers", bench.transfers,
            "time the copies to a device and back, and the whole job with them"),
    GF_FLAG("joules", bench.joules,
            "count the energy of a run, over a second: the CPU's packages, or an NVIDIA GPU"),
    GF_FLAG("csv", bench.csv, "print comma-separated values, the names of the columns first"));

/* Refuses contradictory options: GF_EUSAGE. */
static int check(const struct gf_settings *s) {
    if (s->bench.csv && s->json)
        return gf_fail(GF_EUSAGE, "--csv and --json exclude each other");
    if (s->quiet && s->verbose)
        return gf_fail(GF_EUSAGE, "--quiet and --verbose exclude each other");
    return 0;
}

/* ---- sizes ---- */

struct listed {
    const char *text;
    bool rows; /* transform only the last axis */
};

/* A line, a picture that fits in cache and one that does not, a film frame, primes, two volumes. */
static const struct listed quick[] = {
    {"2^18", false},      {"512^2", false}, {"2048^2", false}, {"1080x1920", false},
    {"1009x1013", false}, {"64^3", false},  {"256^3", false},  {NULL, false},
};
static const struct listed all[] = {
    {"2^1..2^26", false}, {"64^2..8192^2", false}, {"1080x1920", false},   {"3000x4000", false},
    {"4001^2", false},    {"65536x256", true},     {"64^3..512^3", false}, {NULL, false},
};

/* Checks a shape and chooses its transformed axes. */
static int check_shape(const struct gf_settings *s, const struct listed *from, bool typed,
                       struct gf_extents *e) {
    const char *text = from->text;
    const unsigned pictures = 1u << GF_BENCH_PICTURE | 1u << GF_BENCH_PICTURE_FULL;
    if (e->n > GF_MAX_DIMS)
        return gf_fail(GF_EUSAGE, "shape '%.60s': %d axes, where 1 to %d are possible", text, e->n,
                       GF_MAX_DIMS);
    if (typed && s->bench.kinds && !(s->bench.kinds & ~pictures) && e->n != 2)
        return gf_fail(GF_EUSAGE, "shape '%.60s': a picture has two axes", text);
    if (gf_settings_axes(s, NULL, e->n, &e->axes))
        return gf_fail(GF_EUSAGE, "shape '%.60s': %s", text, gf_message());
    if (from->rows)
        e->axes = 1u << (e->n - 1);
    return 0;
}

/* Adds the shapes of an entry, which may be a range. */
static int add(const struct gf_settings *s, const struct listed *from, bool typed,
               struct gf_shapes *sizes) {
    int i = sizes->n, rc = gf_shapes_add(sizes, from->text, (enum gf_step)s->step);
    for (; i < sizes->n && !rc; i++)
        rc = check_shape(s, from, typed, &sizes->shape[i]);
    return rc;
}

int gf_bench_sizes(const struct gf_settings *s, char *const *operands, int n,
                   struct gf_shapes *sizes) {
    if (n && s->bench.all)
        return gf_fail(GF_EUSAGE, "--all and a shape exclude each other");
    if (!n && s->axes.n)
        return gf_fail(GF_EUSAGE, "--axes needs a shape");
    int rc = 0;
    for (int i = 0; i < n && !rc; i++)
        rc = add(s, &(struct listed){operands[i], false}, true, sizes);
    for (const struct listed *l = s->bench.all ? all : quick; !n && l->text && !rc; l++)
        rc = add(s, l, false, sizes);
    return rc;
}

/* ---- the measurement ---- */

/* Takes the CPU's name from /proc/cpuinfo and the instruction set from the CPU backend. */
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
    b->probe(b, gf_environment(), reason);
    snprintf(h->isa, sizeof h->isa, "%.*s", (int)strcspn(reason, ","), reason);
}

/* Counts the fastest of a case's rows, one an entrant, if two or more were timed. */
static void note_fastest(struct gf_bench *b, const struct gf_bench_row *rows, int n) {
    int timed = 0, first = -1;
    for (int i = 0; i < n; i++)
        if (rows[i].status == GF_BENCH_OK) {
            timed++;
            first = first < 0 || rows[i].time.median < rows[first].time.median ? i : first;
        }
    if (timed > 1)
        b->wins[first]++;
    b->contests += timed > 1;
}

static int run_case(void *user, const struct gf_bench_case *c) {
    struct gf_bench *b = user;
    struct gf_bench_row rows[GF_MAX_ENTRANTS];
    int n = gf_bench_case_run(b, c, rows);
    gf_bench_print_case(b->s, c);
    for (int i = 0; i < n; i++) {
        gf_bench_print_row(b, c, &rows[i]);
        b->rows += rows[i].status == GF_BENCH_OK;
        b->bad += rows[i].status == GF_BENCH_WRONG || rows[i].status == GF_BENCH_FAILED;
        free(rows[i].listed);
    }
    note_fastest(b, rows, n);
    gf_log_flush_stdout();
    return 0;
}

/* Returns the numbers of levels to measure, as bits. */
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
    return 0;
}

static int run_all(struct gf_bench *b, const struct gf_shapes *sizes) {
    int rc = begin(b);
    if (!rc) {
        gf_bench_print_host(b);
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

/* Measures the operands' sizes with each number of threads. */
static int measure(struct gf_bench *b, char *const *operands, int n) {
    const struct gf_settings *s = b->s;
    struct gf_shapes sizes = {0};
    int rc = gf_bench_sizes(s, operands, n, &sizes);
    if (!rc)
        rc = gf_bench_enter(b);
    if (!rc)
        rc = gf_bench_find_relative(b);
    if (!rc)
        describe_machine(&b->host);
    for (int i = 0; i < (s->bench.threads.n ? s->bench.threads.n : 1) && !rc; i++) {
        b->host.threads = s->bench.threads.n ? s->bench.threads.count[i] : gf_settings_threads(s);
        rc = run_all(b, &sizes);
    }
    gf_shapes_free(&sizes);
    return rc;
}

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_bench b = {.s = s};
    int rc = check(s);
    if (!rc)
        rc = measure(&b, operands, n);
    if (rc)
        return rc;
    gf_bench_print_fastest(&b);
    if (b.bad)
        gf_log_error("bench: %d wrong or failed", b.bad);
    else if (!b.rows)
        gf_log_error("bench: nothing could be measured");
    return b.bad || !b.rows;
}

static const struct gf_opt_group *const groups[] = {
    &gf_opts_bench_what, &own_options, &gf_opts_peer, &gf_opts_memory, &gf_opts_common, NULL};

const struct gf_command gf_command_bench = {
    .name = "bench",
    .operands = "[SHAPE|RANGE]...",
    .summary = "the backends compared in one table",
    .groups = groups,
    .text = true,
    .examples = "  gpufft bench\n"
                "  gpufft bench 2^4..2^20 64^2..1024^2 --kind=c2c\n"
                "  gpufft bench 1000..1000000 --step=primes --backend=openmp,fftw\n"
                "  gpufft bench 4096x4096 256x256x256 --kind=r2c --precision=single,double\n"
                "  gpufft bench 65536x256 --axes=x --kind=c2c,r2c\n"
                "  gpufft bench 1048576 --backend=openmp,fftw-measure --threads=1,2 --csv\n"
                "  gpufft bench --all --mkl=/opt/intel/mkl/lib/libmkl_rt.so.2\n"
                "  gpufft bench 2^4..2^24 --kind=c2c --json | gpufft-bench-report --plot=n.svg\n",
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
