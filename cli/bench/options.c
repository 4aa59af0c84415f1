/* The options of `gpufft bench`, and its sizes: typed ones or one of two lists. */
#include <errno.h>
#include <stdlib.h>

#include "cli/bench/bench.h"
#include "cli/options.h"

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
              "low pass), exchange (what processes of mpirun send each other for a volume, by "
              "itself) (default: c2c and the real one of --direction)",
              .choices = gf_bench_kinds),
    GF_PARSED("axes", GF_AT(axes), "LIST", gf_settings_parse_axes,
              "axes to transform: x,y,z or NumPy indices (default: all); the others are batches"),
    GF_CHOICE("direction", bench.direction, "NAME", gf_bench_directions,
              "forward (default) or inverse, for c2c and dwt"),
    GF_PARSED("precision", GF_AT(bench.precisions), "LIST", parse_set, "single (default), double",
              .choices = gf_bench_precisions));

const struct gf_opt_group gf_opts_bench = GF_GROUP(
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

bool gf_bench_exchanges(const struct gf_settings *s) {
    return s->bench.kinds >> GF_BENCH_EXCHANGE & 1;
}

/* --kind=exchange excludes the options of other kinds, and --link requires it. */
static int check_exchange(const struct gf_settings *s) {
    const struct gf_bench_settings *b = &s->bench;
    const bool alone = b->kinds == 1u << GF_BENCH_EXCHANGE;
    if (!gf_bench_exchanges(s))
        return s->link > 0 ? gf_fail(GF_EUSAGE, "--link belongs to --kind=exchange") : 0;
    if (!alone || b->csv || b->all || b->backends)
        return gf_fail(GF_EUSAGE, "--kind=exchange is measured by itself, without --csv, --all "
                                  "and --backend");
    return 0;
}

int gf_bench_check(const struct gf_settings *s) {
    int rc = check_exchange(s);
    if (rc)
        return rc;
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
