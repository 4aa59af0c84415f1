/* What the GPUs' planner promises, on made-up devices; no device is touched.
 *
 *     test_gpu_plans            the promises
 *     test_gpu_plans options    one line a kernel, file and options, as the lint compiles them
 *     test_gpu_plans nvrtc      a sample of kernels through NVRTC, for each architecture */
#include <stdlib.h>
#include <string.h>

#include "core/cuda_library.h"
#include "core/dl.h"
#include "core/dwt.h"
#include "core/filter.h"
#include "core/plan.h"
#include "core/status.h"
#include "tests/backends.h"
#include "tests/gpu_walk.h"
#include "tests/test.h"

enum { FOLLOWED = 1 << 16 }; /* bytes up to which every element of a plan's arrays is followed */

static struct gf_gpu_props device(int64_t local, int64_t unit, int group, int units, bool fp64,
                                  bool cpu) {
    struct gf_gpu_props p = {.memory = (int64_t)1 << 40,
                             .max_alloc = (int64_t)1 << 40,
                             .local_bytes = local << 10,
                             .unit_local_bytes = unit << 10,
                             .max_group = group,
                             .units = units,
                             .lanes = cpu ? 1 : 32,
                             .fp64 = fp64,
                             .is_cpu = cpu};
    snprintf(p.name, sizeof p.name, "a device of %lld KiB, groups of %d", (long long)local, group);
    return p;
}

static struct gf_gpu_props props[6];
enum { DEVICES = sizeof props / sizeof *props };

static void make_devices(void) {
    props[0] = device(227, 228, 1024, 132, true, false);
    props[1] = device(48, 228, 1024, 132, true, false);
    props[2] = device(64, 64, 256, 40, true, false);
    props[3] = device(96, 96, 512, 60, false, false);
    props[4] = device(64, 64, 4096, 8, true, true);
    props[5] = device(32, 64, 256, 16, true, false);
}

static int n_plans, n_followed;
static double bytes_per_point_most;

static void check_pass(const struct gf_gpu_plan *p, const struct gf_gpu_pass *pass,
                       const char *text) {
    const struct gf_gpu_props *d = &p->props;
    size_t length = strlen(pass->kernel.options);
    CHECK_MSG(pass->local_bytes >= 0 && pass->local_bytes <= d->local_bytes &&
                  pass->kernel.local_bytes == pass->local_bytes,
              "%s on %s: a tile of %lld bytes", text, d->name, (long long)pass->local_bytes);
    CHECK_MSG(pass->group >= 1 && pass->group <= d->max_group && pass->groups >= 1 &&
                  pass->groups <= INT32_MAX,
              "%s on %s: %lld groups of %d", text, d->name, (long long)pass->groups, pass->group);
    CHECK_MSG(length + 1 < sizeof pass->kernel.options, "%s on %s: options cut short: %s", text,
              d->name, pass->kernel.options);
    CHECK_MSG(pass->summary.bytes_read >= 0 && pass->summary.bytes_written >= 0 &&
                  strlen(pass->summary.what) + 1 < sizeof pass->summary.what,
              "%s on %s: %s", text, d->name, pass->summary.what);
    if (strcmp(pass->kernel.file, "fft.cl") && strcmp(pass->kernel.file, "filter_pass.cl"))
        return;
    int64_t points = walk_option(pass, "POINTS"), product = 1, stages = walk_option(pass, "STAGES");
    int64_t threads = walk_option(pass, "THREADS"), lines = walk_option(pass, "LINES");
    int64_t n = walk_option(pass, "LENGTH"), algorithm = walk_option(pass, "ALGORITHM");
    for (int i = 0; i < stages; i++) {
        char name[16];
        snprintf(name, sizeof name, "RADIX%d", i);
        product *= walk_option(pass, name);
    }
    CHECK_MSG(product == points && threads == pass->group && threads % lines == 0, "%s on %s: %s",
              text, d->name, pass->kernel.options);
    CHECK_MSG(algorithm == GF_GPU_BLUESTEIN ? points >= 2 * n - 1
              : algorithm == GF_GPU_RADER   ? points == n - 1
                                            : points == n,
              "%s on %s: %s", text, d->name, pass->kernel.options);
    if (algorithm == GF_GPU_RADER)
        CHECK_MSG(pass->args.pass.order + 4 * points <= p->tables.order_count,
                  "%s on %s: an order of %lld in %lld", text, d->name, (long long)points,
                  (long long)p->tables.order_count);
    int64_t held = walk_option(pass, "HELD"), most = 0;
    for (int i = 0; i < stages; i++) {
        char name[16];
        snprintf(name, sizeof name, "RADIX%d", i);
        int64_t r = walk_option(pass, name), per_line = threads / lines;
        int64_t turns = (points / r + per_line - 1) / per_line;
        most = turns * r > most ? turns * r : most;
    }
    CHECK_MSG(held == most, "%s on %s: %lld points held, not %lld", text, d->name, (long long)held,
              (long long)most);
}

/* Plans the job for the device and checks all that is promised; false when it cannot be had. */
static bool check_job(const struct gf_job *job, const struct gf_gpu_props *d) {
    struct gf_gpu_plan *p;
    char text[160], wrong[256];
    backends_text(job, text);
    int rc = gf_gpu_plan_make(job, d, &p);
    bool wide = job->precision == GF_DOUBLE || job->in_dtype == GF_F64 || job->in_dtype == GF_C128;
    for (int i = 0; i < job->n_out; i++)
        wide |= job->out[i].dtype == GF_F64 || job->out[i].dtype == GF_C128;
    if (wide && !d->fp64) {
        CHECK_MSG(rc == GF_EUNSUPP && !p && strstr(gf_message(), d->name), "%s on %s: %d", text,
                  d->name, rc);
        if (!rc)
            gf_gpu_plan_free(p);
        return false;
    }
    CHECK_MSG(!rc, "%s on %s: %s", text, d->name, gf_message());
    if (rc)
        return false;
    CHECK_MSG(p->n_passes >= 1 && p->n_passes <= GF_MAX_PASSES, "%s on %s: %d passes", text,
              d->name, p->n_passes);
    double moved = 0, kept = 0, points = 1;
    for (int i = 0; i < p->n_passes; i++) {
        check_pass(p, &p->pass[i], text);
        moved += (double)(p->pass[i].summary.bytes_read + p->pass[i].summary.bytes_written);
    }
    for (int i = 0; i < job->ndim; i++)
        points *= (double)job->shape[i];
    points *= (double)job->channels;
    for (int i = 0; i < GF_GPU_PLACES; i++) {
        CHECK_MSG(p->bytes[i] >= 0 && p->bytes[i] < (int64_t)1 << 48, "%s on %s: %lld bytes", text,
                  d->name, (long long)p->bytes[i]);
        kept += i <= GF_GPU_B ? (double)p->bytes[i] : 0;
    }
    double word = job->precision == GF_DOUBLE ? 2 : 1;
    /* Two buffers of a convolution's complex words, up to four times the points and a bit, where
     * lines are short 256 at least. */
    double shortest = 1e30;
    for (int i = 0; i < job->ndim; i++)
        if (job->shape[i] > 1 && (double)job->shape[i] < shortest)
            shortest = (double)job->shape[i];
    double padded = shortest < 256 ? 8 + 512 / shortest : 8;
    CHECK_MSG(kept <= points * word * (16 + 16 * padded) + 1024, "%s on %s: %.3g bytes for %.3g",
              text, d->name, kept, points);
    CHECK_MSG(moved > 0 && moved <= points * word * 16 * 2 * padded * (p->n_passes + job->n_out),
              "%s on %s: %.3g bytes moved for %.3g points", text, d->name, moved, points);
    if (moved / points / word > bytes_per_point_most)
        bytes_per_point_most = moved / points / word;
    int64_t broken = walk_plan(p, FOLLOWED, wrong, sizeof wrong);
    CHECK_MSG(!broken, "%s on %s: %lld broken: %s", text, d->name, (long long)broken, wrong);
    n_plans++;
    n_followed += p->bytes[GF_GPU_IN] <= FOLLOWED;
    gf_gpu_plan_free(p);
    return true;
}

/* The five transforms there are. */
static struct gf_job variant(struct gf_job job, int which) {
    bool wide = job.precision == GF_DOUBLE;
    enum gf_dtype real = wide ? GF_F64 : GF_F32, complex = wide ? GF_C128 : GF_C64;
    job.direction = which < 2 ? GF_FORWARD : GF_INVERSE;
    job.in_dtype = which == 0 ? real : complex;
    job.real = which >= 3;
    job.in_half = which == 4;
    job.out[0] = (struct gf_output){.kind = which >= 3 ? GF_REAL : GF_COMPLEX,
                                    .dtype = which >= 3 ? real : complex,
                                    .half = which == 0};
    return job;
}

/* Every length along one axis. The device and the transform change with the length. */
static void check_lengths(void) {
    for (int64_t n = 1; n <= 4100; n++)
        for (int p = GF_SINGLE; p <= GF_DOUBLE; p++) {
            struct gf_job job = backends_job(GF_FORWARD, GF_C64, (enum gf_precision)p, 1, n, 1, 1);
            job = variant(job, (int)(n % 5));
            int i = (int)((n + n / 5 + p) % DEVICES);
            check_job(&job, &props[p && !props[i].fp64 ? 0 : i]);
            if (n > 600 && n % 7)
                continue;
            job = backends_job(GF_FORWARD, GF_C64, (enum gf_precision)p, 2, 3, n, 1);
            if (n % 3 == 0) {
                job.shape[0] = n;
                job.shape[1] = 3;
            }
            job = variant(job, (int)((n + 2) % 5));
            i = (int)((n + n / 7 + p) % DEVICES);
            check_job(&job, &props[p && !props[i].fp64 ? 0 : i]);
        }
}

/* Lengths beyond a tile. Of a long prime the tables take a second or more: one device each. */
static void check_long(void) {
    static const int64_t n[] = {1 << 13, 10007,    16384,    16411,   20000,   65536,
                                65537,   99991,    1 << 20,  1594323, 3000000, 4826809,
                                5308416, 16777216, 19487171, 1 << 26, 1000003};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (int d = 0; d < DEVICES; d++) {
            enum gf_precision p = i % 2 && props[d].fp64 && n[i] < 1 << 22 ? GF_DOUBLE : GF_SINGLE;
            struct gf_job job = backends_job(GF_FORWARD, GF_C64, p, 1, n[i], 1, 1);
            if (n[i] > 20000 && n[i] % 2 && gf_is_prime(n[i]) && d != (int)i % DEVICES)
                continue;
            job = variant(job, (int)(i + (size_t)d) % 5);
            check_job(&job, &props[d]);
            if (n[i] > 1 << 20)
                continue;
            job = backends_job(GF_FORWARD, GF_C64, p, 2, d % 2 ? n[i] : 2, d % 2 ? 2 : n[i], 1);
            job = variant(job, (int)(i / 2 + (size_t)d) % 5);
            check_job(&job, &props[d]);
        }
}

static int64_t pick(uint64_t *seed, int64_t n) {
    return backends_below(seed, n);
}

static struct gf_job random_job(uint64_t *seed, const int64_t *most) {
    struct gf_job job = {.ndim = 1 + (int)pick(seed, 3), .n_out = 1 + (int)pick(seed, 3) % 3 / 2};
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = 1 + pick(seed, most[job.ndim]);
    if (pick(seed, 4) == 0) /* something that several devices cut */
        job.shape[pick(seed, job.ndim)] = 256 + pick(seed, most[0]);
    job.axes = 1 + (unsigned)pick(seed, (1 << job.ndim) - 1);
    job.channels = pick(seed, 3) ? 1 : 1 + pick(seed, 5);
    job.direction = (enum gf_direction)(pick(seed, 3) == 0);
    job.precision = (enum gf_precision)(pick(seed, 3) == 0);
    job.norm = (enum gf_norm)pick(seed, 3);
    job.in_dtype = (enum gf_dtype)pick(seed, GF_N_DTYPES);
    if (job.direction == GF_INVERSE) {
        if (pick(seed, 4))
            job.in_dtype = pick(seed, 2) ? GF_C64 : GF_C128;
        job.in_shift = pick(seed, 2);
        job.real = pick(seed, 2);
        job.in_half = job.real && pick(seed, 2);
    } else if (!gf_dtype_is_complex(job.in_dtype) && job.channels >= 3) {
        job.luma = pick(seed, 2);
    }
    for (int i = 0; i < job.n_out; i++) {
        struct gf_output *o = &job.out[i];
        bool forward = job.direction == GF_FORWARD;
        o->kind = (enum gf_kind)pick(seed, GF_N_KINDS);
        o->dtype = o->kind == GF_COMPLEX ? (pick(seed, 2) ? GF_C64 : GF_C128)
                                         : (enum gf_dtype)pick(seed, GF_F64 + 1);
        o->map = pick(seed, 3) ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
        o->scale = (enum gf_scale)pick(seed, 3);
        o->shift = forward && pick(seed, 2);
        o->half = forward && gf_job_is_real(&job) && pick(seed, 2);
    }
    return job;
}

/* A filter of random low passes, perhaps too many to evaluate, perhaps with a table, which the
 * planner does not look into; freed with the job by drop_filter(). */
static void random_filter(uint64_t *seed, struct gf_job *job) {
    struct gf_filter *f;
    if (gf_filter_new(&f))
        abort();
    int n = (int)pick(seed, 4) * (pick(seed, 4) ? 1 : 3), profile = (int)pick(seed, 4);
    for (int i = 0; i < n; i++) {
        struct gf_lowpass a = {.profile = (enum gf_profile)(profile < 3 ? profile : pick(seed, 3)),
                               .order = 1 + (int)pick(seed, 4),
                               .radius = {3, 4, 5}},
                          b = a;
        if (pick(seed, 2))
            gf_filter_add_lowpass(f, &a);
        else
            gf_filter_add_band(f, &b, &a, true);
    }
    if (pick(seed, 3) == 0) {
        static const enum gf_dtype type[] = {GF_F32, GF_F64, GF_C64, GF_C128};
        int64_t shape[GF_MAX_RANK];
        memcpy(shape, job->shape, sizeof job->shape);
        shape[gf_job_half_axis(job)] = shape[gf_job_half_axis(job)] / 2 + 1;
        if (gf_array_alloc(&f->table, type[pick(seed, 4)], job->ndim, shape))
            abort();
    }
    job->filter = f;
    job->filter_serial = f->serial;
}

/* Of a forward job with real samples, one of a filter. */
static bool make_filter_job(uint64_t *seed, struct gf_job *job) {
    if (job->direction != GF_FORWARD || gf_dtype_is_complex(job->in_dtype))
        return false;
    job->op = GF_FILTER;
    for (int i = 0; i < job->n_out; i++)
        job->out[i] =
            (struct gf_output){.kind = GF_REAL, .dtype = (enum gf_dtype)pick(seed, GF_F64 + 1)};
    random_filter(seed, job);
    return true;
}

static void drop_filter(struct gf_job *job) {
    gf_filter_free((struct gf_filter *)job->filter);
}

static void check_filters(int count, const int64_t *most) {
    uint64_t seed = 6180339;
    for (int i = 0; i < count;) {
        struct gf_job job = random_job(&seed, most);
        if (!make_filter_job(&seed, &job))
            continue;
        i++;
        if (!gf_job_validate(&job))
            check_job(&job, &props[i % DEVICES]);
        drop_filter(&job);
    }
}

static void check_random(int count, const int64_t *most) {
    uint64_t seed = 20240229;
    for (int i = 0; i < count; i++) {
        struct gf_job job = random_job(&seed, most);
        if (gf_job_validate(&job))
            continue;
        check_job(&job, &props[i % DEVICES]);
    }
}

static struct gf_job random_wavelet(uint64_t *seed, const int64_t *most) {
    struct gf_job job = {.op = GF_DWT, .ndim = 1 + (int)pick(seed, 3), .n_out = 1};
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = 1 + pick(seed, most[job.ndim]);
    job.axes = 1 + (unsigned)pick(seed, (1 << job.ndim) - 1);
    job.channels = pick(seed, 3) ? 1 : 1 + pick(seed, 4);
    job.direction = (enum gf_direction)pick(seed, 2);
    job.precision = (enum gf_precision)(pick(seed, 4) == 0);
    job.wavelet.boundary = (enum gf_boundary)pick(seed, 3);
    job.wavelet.levels =
        1 + (int)pick(seed, gf_dwt_max_levels(job.ndim, job.shape, job.axes, job.wavelet.boundary));
    job.wavelet.threshold = (enum gf_threshold)(pick(seed, 4) ? 0 : pick(seed, 3));
    enum gf_dtype real = pick(seed, 4) ? GF_F32 : GF_F64, any = (enum gf_dtype)pick(seed, GF_C64);
    bool forward = job.direction == GF_FORWARD;
    job.in_dtype = forward || !pick(seed, 4) ? any : real;
    job.n_out = forward ? 1 : 1 + (int)pick(seed, 2);
    for (int i = 0; i < job.n_out; i++) {
        job.out[i].kind = GF_REAL;
        job.out[i].dtype = forward ? real : (enum gf_dtype)pick(seed, GF_C64);
    }
    return job;
}

static void check_wavelets(int count, const int64_t *most) {
    uint64_t seed = 20040229;
    for (int i = 0; i < count; i++) {
        struct gf_job job = random_wavelet(&seed, most);
        CHECK_MSG(!gf_job_validate(&job), "%s", gf_message());
        check_job(&job, &props[i % DEVICES]);
    }
}

/* Arrays beyond 32 bits: bytes within a plane, an axis. */
static void check_far_wavelets(void) {
    static const struct {
        int ndim;
        int64_t shape[3];
        bool far;
    } cases[] = {
        {3, {1024, 1024, 1024}, false}, {3, {4, 32768, 32768}, true},
        {3, {3000, 3000, 3000}, false}, {2, {65536, 65536}, false},
        {2, {4, 1500000000}, true},     {2, {1200000000, 4}, true},
        {1, {1 << 28}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int d = 0; d < 2; d++) {
            struct gf_job job =
                backends_job((enum gf_direction)d, GF_F32, GF_SINGLE, cases[i].ndim,
                             cases[i].shape[0], cases[i].shape[1], cases[i].shape[2]);
            struct gf_gpu_plan *p;
            job.op = GF_DWT;
            job.wavelet.levels = 1;
            job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
            if (!check_job(&job, &props[0]) || gf_gpu_plan_make(&job, &props[0], &p))
                continue;
            CHECK_MSG((walk_option(&p->pass[0], "FAR") == 1) == cases[i].far, "case %zu: %s", i,
                      p->pass[0].kernel.options);
            gf_gpu_plan_free(p);
        }
    struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 1, 3ll << 30, 1, 1);
    struct gf_gpu_plan *p;
    job.op = GF_DWT;
    job.wavelet.levels = 1;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    CHECK_EQ(gf_gpu_plan_make(&job, &props[0], &p), GF_EUNSUPP);
}

static void check_named(void) {
    int n;
    const char *const *list = backends_named_jobs(&n);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < DEVICES; d++) {
            struct gf_job job;
            if (backends_parse(list[i], &job))
                check_job(&job, &props[d]);
        }
}

/* ---- kernels, for compilers ---- */

struct known {
    char *text[4000];
    int n;
};

/* Whether this is new: sizes aside, which do not change what is compiled. */
static bool is_new(struct known *k, const struct gf_gpu_pass *pass) {
    char text[1200] = "", copy[1024];
    snprintf(text, sizeof text, "%s %s", pass->kernel.file, pass->kernel.entry);
    snprintf(copy, sizeof copy, "%s", pass->kernel.options);
    for (char *rest = copy, *word; (word = strsep(&rest, " "));) {
        static const char *const sizes[] = {
            "-DLENGTH=",   "-DPOINTS=", "-DLINES=",     "-DTHREADS=",   "-DHELD=",
            "-DRESIDENT=", "-DRADIX",   "-DPAD_EVERY=", "-DIDX_STRIDE", "-DLINE_STRIDE=",
            "-DINDICES=",  "-DUNIT_",   "-DDIR=",       "-DOUT_T",      "-DOUT_LOW",
            "-DOUT_HIGH",  "-DIN_T",    "-DBOUNDED",    "-DSCALED",     "-DSIDE_STRIDE"};
        bool size = false, fft = !strcmp(pass->kernel.file, "fft.cl") ||
                                 !strcmp(pass->kernel.file, "filter_pass.cl");
        if (fft && !strncmp(word, "-DSTAGES=", 9))
            word = strcmp(word + 9, "1") ? "" : "one stage";
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && fft; i++)
            size = size || !strncmp(word, sizes[i], strlen(sizes[i]));
        size_t used = strlen(text);
        if (!size && used + strlen(word) + 2 < sizeof text)
            snprintf(text + used, sizeof text - used, " %s", word);
    }
    for (int i = 0; i < k->n; i++)
        if (!strcmp(k->text[i], text))
            return false;
    if (k->n < (int)(sizeof k->text / sizeof *k->text))
        k->text[k->n++] = strdup(text);
    return true;
}

typedef void with_pass(const struct gf_gpu_pass *pass, const struct gf_gpu_props *d, void *what);

static void each_of(const struct gf_job *job, const struct gf_gpu_props *d, struct known *k,
                    with_pass *then, void *what) {
    struct gf_gpu_plan *p;
    if (gf_gpu_plan_make(job, d, &p))
        return;
    for (int i = 0; i < p->n_passes; i++)
        if (is_new(k, &p->pass[i]))
            then(&p->pass[i], d, what);
    gf_gpu_plan_free(p);
}

static void forget(struct known *k) {
    for (int i = 0; i < k->n; i++)
        free(k->text[i]);
    k->n = 0;
}

/* Kernels of the named jobs and of some random ones, each kind of options once. */
static void each_kernel(int random, const struct gf_gpu_props *d, struct known *known,
                        with_pass *then, void *what) {
    static const int64_t most[4] = {20000, 200, 70, 20};
    uint64_t seed = 7;
    int n;
    const char *const *list = backends_named_jobs(&n);
    for (int i = 0; i < n; i++) {
        struct gf_job job;
        if (backends_parse(list[i], &job))
            each_of(&job, d, known, then, what);
    }
    enum { FILTERS = 40 };
    for (int i = 0; i < random || i < FILTERS; i++) {
        struct gf_job job = random_job(&seed, most);
        if (i < random && !gf_job_validate(&job))
            each_of(&job, d, known, then, what);
        if (!make_filter_job(&seed, &job))
            continue;
        if (!gf_job_validate(&job))
            each_of(&job, d, known, then, what);
        drop_filter(&job);
    }
    for (int i = 0; i < 20 + 2 * random; i++) {
        struct gf_job job = random_wavelet(&seed, most);
        each_of(&job, d, known, then, what);
    }
}

static void print_pass(const struct gf_gpu_pass *pass, const struct gf_gpu_props *d, void *what) {
    (void)d;
    (void)what;
    printf("%s %s\n", pass->kernel.file, pass->kernel.options);
}

/* ---- NVRTC ---- */

#define SYMBOL(field, name)                                                                        \
    { name, offsetof(struct gf_nvrtc, field) }
static const struct gf_dl_symbol symbols[] = {SYMBOL(version, "nvrtcVersion"),
                                              SYMBOL(n_archs, "nvrtcGetNumSupportedArchs"),
                                              SYMBOL(archs, "nvrtcGetSupportedArchs"),
                                              SYMBOL(create, "nvrtcCreateProgram"),
                                              SYMBOL(destroy, "nvrtcDestroyProgram"),
                                              SYMBOL(compile, "nvrtcCompileProgram"),
                                              SYMBOL(log_size, "nvrtcGetProgramLogSize"),
                                              SYMBOL(log, "nvrtcGetProgramLog"),
                                              SYMBOL(error_string, "nvrtcGetErrorString"),
                                              {NULL, 0}};

struct compiler {
    struct gf_nvrtc nvrtc;
    const char *arch;
    int kernels;
};

static void compile_pass(const struct gf_gpu_pass *pass, const struct gf_gpu_props *d, void *what) {
    struct compiler *c = what;
    const char *option[128] = {c->arch, "--std=c++14", "-default-device", "--fmad=true"};
    char *source = NULL, *log = NULL, copy[1024], *rest = copy, *word;
    void *program = NULL;
    size_t bytes = 0;
    int n = 4;
    snprintf(copy, sizeof copy, "%s", pass->kernel.options);
    while ((word = strsep(&rest, " ")) && n < 128)
        if (*word)
            option[n++] = word;
    if (gf_kernel_source(pass->kernel.file, &source)) {
        CHECK_MSG(0, "%s", gf_message());
        return;
    }
    int rc = c->nvrtc.create(&program, source, pass->kernel.file, 0, NULL, NULL);
    if (!rc) {
        rc = c->nvrtc.compile(program, n, option);
        if (!c->nvrtc.log_size(program, &bytes) && bytes > 1 && (log = calloc(bytes + 1, 1)))
            c->nvrtc.log(program, log);
    }
    CHECK_MSG(!rc && (!log || !*log), "%s, %s, %s: %s %s: %s", d->name, c->arch, pass->kernel.file,
              pass->kernel.options, rc ? c->nvrtc.error_string(rc) : "", log ? log : "");
    c->kernels++;
    if (program)
        c->nvrtc.destroy(&program);
    free(log);
    free(source);
}

static struct known known;

static void check_nvrtc(int random) {
    static const char *const sonames[] = {"libnvrtc.so.13",
                                          "libnvrtc.so.12",
                                          "/usr/local/cuda/lib64/libnvrtc.so.13",
                                          "/usr/local/cuda/lib64/libnvrtc.so.12",
                                          "libnvrtc.so",
                                          "/usr/local/cuda/lib64/libnvrtc.so",
                                          NULL};
    /* Each with a tile of a device of its kind: index into props. */
    static const struct {
        const char *arch;
        int number, device;
    } targets[] = {{"sm_75", 75, 2}, {"sm_80", 80, 1}, {"sm_90", 90, 0}, {"sm_100", 100, 0}};
    struct compiler c = {.kernels = 0};
    int archs[64], n = 0;
    void *handle;
    if (gf_dl_open(sonames, symbols, &c.nvrtc, &handle)) {
        printf("nvrtc: skipped: %s\n", gf_message());
        CHECK(1);
        return;
    }
    if (c.nvrtc.n_archs(&n) || n > 64 || c.nvrtc.archs(archs))
        n = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char option[48];
        bool can = false;
        for (int k = 0; k < n; k++)
            can = can || archs[k] == targets[i].number;
        if (!can) {
            printf("nvrtc: %s: skipped: not among what it compiles for\n", targets[i].arch);
            continue;
        }
        snprintf(option, sizeof option, "--gpu-architecture=%s", targets[i].arch);
        c.arch = option;
        c.kernels = 0;
        each_kernel(random, &props[targets[i].device], &known, compile_pass, &c);
        forget(&known);
        printf("nvrtc: %s: %d kernels\n", targets[i].arch, c.kernels);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    static const int64_t little[4] = {1500, 60, 18, 9}, much[4] = {20000, 9000, 900, 90};
    make_devices();
    if (argc > 1 && !strcmp(argv[1], "options")) {
        for (int d = 0; d < DEVICES; d++)
            each_kernel(100, &props[d], &known, print_pass, NULL);
        forget(&known);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "nvrtc")) {
        check_nvrtc(argc > 2 ? atoi(argv[2]) : 0);
        return TEST_END();
    }
    check_named();
    check_lengths();
    check_long();
    check_random(2500, little);
    check_random(150, much);
    check_filters(800, little);
    check_filters(60, much);
    check_wavelets(1500, little);
    check_wavelets(150, much);
    check_far_wavelets();
    printf("%d plans, %d followed element by element; at most %.0f bytes moved a point\n", n_plans,
           n_followed, bytes_per_point_most);
    return TEST_END();
}
