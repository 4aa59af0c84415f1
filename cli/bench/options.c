/* The options of `gpufft bench`, and the sizes it runs without operands. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "core/base/status.h"

const char *const gf_bench_kinds[] = {"c2c", "r2c", "c2r", "picture", "dwt", "filter", NULL};
static const char *const precisions[] = {"single", "double", NULL};
static const char *const directions[] = {"forward", "inverse", NULL};

/* A line, a picture in cache and one beyond, a film frame, primes, two volumes. */
const struct gf_shape gf_bench_quick[] = {
    {1, {1 << 18}},    {2, {512, 512}},   {2, {2048, 2048}},    {2, {1080, 1920}},
    {2, {1009, 1013}}, {3, {64, 64, 64}}, {3, {256, 256, 256}}, {0, {0}},
};
const struct gf_shape gf_bench_full[] = {
    {1, {1 << 10}},       {1, {1 << 12}},    {1, {1 << 14}},       {1, {1 << 16}},
    {1, {1 << 18}},       {1, {1 << 20}},    {1, {1 << 22}},       {1, {1 << 24}},
    {2, {512, 512}},      {2, {1024, 1024}}, {2, {2048, 2048}},    {2, {4096, 4096}},
    {2, {8192, 8192}},    {2, {1080, 1920}}, {2, {3000, 4000}},    {2, {4001, 4001}},
    {2, {4007, 4007}},    {3, {64, 64, 64}}, {3, {128, 128, 128}}, {3, {256, 256, 256}},
    {3, {512, 512, 512}}, {0, {0}},
};

bool gf_bench_next_word(const char **at, char *word, size_t size) {
    int n = (int)strcspn(*at, ",");
    if (!**at)
        return false;
    snprintf(word, size, "%.*s", n, *at);
    *at += n + ((*at)[n] == ',');
    return true;
}

static int parse_set(const char *what, const char *value, const char *const *names, unsigned *set) {
    char word[32];
    int i, rc = 0;
    for (*set = 0; !rc && gf_bench_next_word(&value, word, sizeof word);) {
        rc = gf_opt_choose(what, word, names, &i);
        if (!rc)
            *set |= 1u << i;
    }
    return rc;
}

static int parse_kinds(const char *value, void *field) {
    return parse_set("--kind", value, gf_bench_kinds, field);
}

static int parse_levels(const char *value, void *field) {
    unsigned *set = field;
    const char *at = value;
    for (*set = 0;;) {
        char *end;
        long n = strtol(at, &end, 10);
        if (end == at || n < 1 || n > GF_BENCH_MOST_LEVELS || (*end && *end != ','))
            return gf_fail(GF_EUSAGE, "--levels cannot be '%.40s'; it lists numbers from 1 to %d",
                           value, GF_BENCH_MOST_LEVELS);
        *set |= 1u << n;
        if (!*end)
            return 0;
        at = end + 1;
    }
}

static int parse_precisions(const char *value, void *field) {
    return parse_set("--precision", value, precisions, field);
}

static int parse_threads(const char *value, void *field) {
    struct gf_settings *s = field;
    const char *at = value;
    for (s->bench.threads.n = 0; s->bench.threads.n < GF_MAX_THREAD_COUNTS;) {
        char *end;
        errno = 0;
        long count = strtol(at, &end, 10);
        if (errno || end == at || count < 1 || count > 4096 || (*end && *end != ','))
            break;
        s->bench.threads.count[s->bench.threads.n++] = (int)count;
        if (!*end)
            return 0;
        at = end + 1;
    }
    return gf_fail(GF_EUSAGE,
                   "--threads cannot be '%.40s'; it lists up to %d whole numbers from 1 to 4096",
                   value, GF_MAX_THREAD_COUNTS);
}

static int parse_seconds(const char *value, void *field) {
    char *end;
    double v = strtod(value, &end);
    if (end == value || *end || !(v > 0) || v > 3600)
        return gf_fail(GF_EUSAGE, "--time cannot be '%.40s'; it is seconds, above 0 up to 3600",
                       value);
    *(double *)field = v;
    return 0;
}

#define AT(field) offsetof(struct gf_settings, field)

static const struct gf_opt rows[] = {
    {.name = "all", .type = GF_OPT_FLAG, .at = AT(bench.all), .help = "the long list of sizes"},
    {.name = "kind",
     .type = GF_OPT_PARSE,
     .at = AT(bench.kinds),
     .arg = "LIST",
     .parse = parse_kinds,
     .help = "c2c, r2c (forward), c2r (inverse), picture (u8 to log-magnitude, 2D), dwt "
             "(wavelets), filter "
             "(u8 to u8 through a low pass) (default: c2c and the real one of --direction)"},
    {.name = "axes",
     .type = GF_OPT_PARSE,
     .at = AT(axes),
     .arg = "LIST",
     .parse = gf_settings_parse_axes,
     .help = "axes to transform: x,y,z or NumPy indices (default: all); the others are batches"},
    {.name = "levels",
     .type = GF_OPT_PARSE,
     .at = AT(bench.levels),
     .arg = "LIST",
     .parse = parse_levels,
     .help = "of dwt, each a row (default: 1,3)"},
    {.name = "direction",
     .type = GF_OPT_CHOICE,
     .at = AT(bench.direction),
     .arg = "NAME",
     .choices = directions,
     .help = "forward (default) or inverse, of c2c and dwt"},
    {.name = "precision",
     .type = GF_OPT_PARSE,
     .at = AT(bench.precisions),
     .arg = "LIST",
     .parse = parse_precisions,
     .help = "single (default), double"},
    {.name = "backend",
     .type = GF_OPT_TEXT,
     .at = AT(bench.backends),
     .arg = "LIST",
     .help = "those of `gpufft devices`, fftw-measure, mkl (default: all present, but "
             "for devices that are the processor)"},
    {.name = "threads",
     .type = GF_OPT_PARSE,
     .at = 0,
     .arg = "LIST",
     .parse = parse_threads,
     .help = "numbers of processor threads (default: OMP_NUM_THREADS, or all)"},
    {.name = "device",
     .type = GF_OPT_TEXT,
     .at = AT(device),
     .arg = "N|NAME",
     .help = "GPU by number or part of its name, for the backends that run on one"},
    {.name = "mkl",
     .type = GF_OPT_TEXT,
     .at = AT(bench.mkl),
     .arg = "PATH",
     .help = "libmkl_rt.so to measure too (default: where the loader finds it)"},
    {.name = "relative",
     .type = GF_OPT_TEXT,
     .at = AT(bench.relative),
     .arg = "NAME",
     .help = "ratios are to this backend's time (default: fftw-measure, else fftw)"},
    {.name = "time",
     .type = GF_OPT_PARSE,
     .at = AT(bench.seconds),
     .arg = "SECONDS",
     .parse = parse_seconds,
     .help = "how long a row is measured, three runs at least (default: 0.5)"},
    {.name = "repeat",
     .type = GF_OPT_INT,
     .at = AT(bench.repeat),
     .arg = "N",
     .low = 1,
     .high = 100000,
     .help = "or how many times"},
    {.name = "csv",
     .type = GF_OPT_FLAG,
     .at = AT(bench.csv),
     .help = "comma-separated values, the names of the columns first"},
    {.name = NULL},
};
const struct gf_opt_group gf_opts_bench = {"Benchmark", rows};

int gf_bench_check(const struct gf_settings *s) {
    if (s->bench.csv && s->json)
        return gf_fail(GF_EUSAGE, "--csv and --json exclude each other");
    if (s->quiet && s->verbose)
        return gf_fail(GF_EUSAGE, "--quiet and --verbose exclude each other");
    return 0;
}

int gf_bench_shape(const char *text, struct gf_shape *shape) {
    int64_t extent[GF_MAX_RANK];
    int rc = gf_shape_parse(text, extent, &shape->ndim);
    if (rc)
        return rc;
    if (shape->ndim > GF_MAX_DIMS)
        return gf_fail(GF_EUSAGE, "shape '%.60s': %d axes, where 1 to %d are possible", text,
                       shape->ndim, GF_MAX_DIMS);
    memcpy(shape->n, extent, sizeof shape->n);
    return 0;
}
