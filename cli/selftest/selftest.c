/* gpufft selftest: checks the properties of the Fourier transform on the user's machine. Tests each
 * backend shape by shape for a few seconds, with each check at least once; --full tests all shapes.
 * A GPU backend first spends seconds compiling kernels, so the first shape needs few. */
#include <math.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/selftest/rig.h"
#include "cli/log.h"
#include "cli/report.h"
#include "cli/progress.h"
#include "core/base/host/clock.h"

enum { MAX_POINTS = 8192 };

/* A quick test may end after any shape, so each kind comes early: powers of two, mixed radices,
 * primes with smooth and rough neighbours, one to three axes. */
static const struct gf_extents shapes[] = {
    {1, {16}, 0},     {1, {60}, 0},     {2, {12, 17}, 0}, {1, {97}, 0},      {3, {4, 6, 5}, 0},
    {2, {64, 64}, 0}, {1, {4096}, 0},   {1, {1009}, 0},   {2, {31, 128}, 0}, {3, {16, 16, 16}, 0},
    {1, {2039}, 0},   {2, {67, 45}, 0}, {2, {8, 8}, 0},   {1, {1}, 0},       {3, {8, 1, 9}, 0},
    {2, {1, 7}, 0},   {1, {3}, 0},      {1, {2}, 0},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* After this time a quick test begins only checks that have not run yet (in double precision only
 * the definition). Even with a kernel or two to compile, it ends within ten seconds. */
static const double quick_ms = 5000;

/* Room for signals. */
struct room {
    double complex x[MAX_POINTS], y[MAX_POINTS], fx[MAX_POINTS], fy[MAX_POINTS], want[MAX_POINTS];
};

/* Returns the phase factor of frequency i for a shift by at[]. */
static double complex ramp(const struct gf_extents *s, int64_t i, const int64_t *at) {
    double turns = 0;
    for (int a = s->n - 1; a >= 0; a--) {
        turns += (double)(i % s->extent[a] * at[a] % s->extent[a]) / (double)s->extent[a];
        i /= s->extent[a];
    }
    return cexp(-2 * M_PI * turns * I);
}

static int64_t position(const struct gf_extents *s, const int64_t *at) {
    int64_t i = 0;
    for (int a = 0; a < s->n; a++)
        i = i * s->extent[a] + at[a] % s->extent[a];
    return i;
}

/* Checks that the transform of x is r->want. */
static int becomes(struct gf_rig *rig, const char *what, const struct gf_extents *s, int transforms,
                   bool real, const double complex *x, struct room *r) {
    int rc = gf_rig_transform(rig, s, GF_FORWARD, real, x, r->fx);
    if (!rc)
        gf_rig_compare(rig, what, s, transforms, r->fx, r->want);
    return rc;
}

static int check_impulse(struct gf_rig *rig, const struct gf_extents *s, struct room *r) {
    int64_t n = gf_rig_points(s), at[GF_MAX_DIMS];
    for (int a = 0; a < s->n; a++)
        at[a] = s->extent[a] / 3;
    memset(r->x, 0, (size_t)n * sizeof *r->x);
    r->x[position(s, at)] = 1;
    for (int64_t i = 0; i < n; i++)
        r->want[i] = ramp(s, i, at);
    return becomes(rig, "an impulse becomes a wave", s, 1, true, r->x, r);
}

static int check_constant(struct gf_rig *rig, const struct gf_extents *s, struct room *r) {
    int64_t n = gf_rig_points(s);
    for (int64_t i = 0; i < n; i++) {
        r->x[i] = 1;
        r->want[i] = i ? 0 : (double)n;
    }
    return becomes(rig, "a constant becomes one number", s, 1, true, r->x, r);
}

static int check_linear(struct gf_rig *rig, const struct gf_extents *s, struct room *r) {
    int64_t n = gf_rig_points(s);
    gf_rig_random(r->x, n, 1, false);
    gf_rig_random(r->y, n, 2, false);
    int rc = gf_rig_transform(rig, s, GF_FORWARD, false, r->x, r->fx);
    if (!rc)
        rc = gf_rig_transform(rig, s, GF_FORWARD, false, r->y, r->fy);
    for (int64_t i = 0; i < n; i++) {
        r->want[i] = 0.5 * r->fx[i] - 2 * r->fy[i];
        r->x[i] = 0.5 * r->x[i] - 2 * r->y[i];
    }
    return rc ? rc : becomes(rig, "sums stay sums", s, 2, false, r->x, r);
}

static int check_shift(struct gf_rig *rig, const struct gf_extents *s, struct room *r) {
    int64_t n = gf_rig_points(s), at[GF_MAX_DIMS], from[GF_MAX_DIMS];
    gf_rig_random(r->x, n, 3, true);
    for (int a = 0; a < s->n; a++)
        at[a] = s->extent[a] / 2;
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i;
        for (int a = s->n - 1; a >= 0; a--) {
            from[a] = rest % s->extent[a] + at[a];
            rest /= s->extent[a];
        }
        r->y[position(s, from)] = r->x[i];
    }
    int rc = gf_rig_transform(rig, s, GF_FORWARD, true, r->x, r->want);
    for (int64_t i = 0; i < n; i++)
        r->want[i] *= ramp(s, i, at);
    return rc ? rc : becomes(rig, "a step becomes a phase", s, 2, true, r->y, r);
}

static long double square(double complex v) {
    long double re = creal(v), im = cimag(v);
    return re * re + im * im;
}

static int check_parseval(struct gf_rig *rig, const struct gf_extents *s, struct room *r) {
    int64_t n = gf_rig_points(s);
    long double before = 0, after = 0;
    gf_rig_random(r->x, n, 4, true);
    int rc = gf_rig_transform(rig, s, GF_FORWARD, true, r->x, r->fx);
    for (int64_t i = 0; i < n; i++) {
        before += square(r->x[i]);
        after += square(r->fx[i]) / (long double)n;
    }
    if (!rc)
        gf_rig_check(rig, "energy is kept", s,
                     fabsl(after / before - 1) <= 4 * gf_rig_bound(rig->precision, n));
    return rc;
}

static int check_definition(struct gf_rig *rig, const struct gf_extents *s, struct room *r) {
    int64_t n = gf_rig_points(s);
    int rc = 0;
    if (s->n == 1 && n > 2500)
        return 0; /* n^2 steps take their time */
    for (int real = 0; real < 2 && !rc; real++) {
        gf_rig_random(r->x, n, 5, real);
        rc = gf_rig_reference(s, r->x, r->want);
        if (!rc)
            rc = becomes(rig, real ? "real against the definition" : "against the definition", s, 1,
                         real, r->x, r);
    }
    return rc;
}

static int check_inverse(struct gf_rig *rig, const struct gf_extents *s, struct room *r) {
    gf_rig_random(r->x, gf_rig_points(s), 6, false);
    int rc = gf_rig_transform(rig, s, GF_FORWARD, false, r->x, r->fx);
    if (!rc)
        rc = gf_rig_transform(rig, s, GF_INVERSE, false, r->fx, r->y);
    if (!rc)
        gf_rig_compare(rig, "there and back", s, 2, r->y, r->x);
    return rc;
}

static int check_round_trip(struct gf_rig *rig, const struct gf_extents *s, struct room *r) {
    (void)r;
    for (int i = 0; i < 8 && !gf_rig_is_late(rig); i++) {
        if (rig->deadline && i != 0 && i != 7)
            continue; /* each has its own kernels */
        enum gf_dtype dtype = i & 1 ? GF_U16 : GF_U8;
        char what[64];
        snprintf(what, sizeof what, "%s, %s spectrum, %d channels", gf_dtype_name(dtype),
                 i & 2 ? "half" : "full", i & 4 ? 3 : 1);
        gf_rig_check(rig, what, s, gf_rig_round_trip(rig, s, dtype, i & 4 ? 3 : 1, i & 2));
    }
    return 0;
}

/* Checks the inverse on all processors, with shapes large enough to divide among them. */
static int check_threads(struct gf_rig *rig, const struct gf_extents *s, struct room *r) {
    return rig->backend->devices || gf_rig_points(s) >= 3000 ? check_inverse(rig, s, r) : 0;
}

/* Definition and inverse come first; the other groups use their kernels. */
static const struct group {
    const char *name;
    int (*check)(struct gf_rig *rig, const struct gf_extents *s, struct room *r);
    bool exact;    /* no error to report */
    bool threaded; /* few groups, because small transforms mostly wait for threads */
} groups[] = {
    {"definition", check_definition, false, false}, {"inverse", check_inverse, false, false},
    {"impulse", check_impulse, false, false},       {"constant", check_constant, false, false},
    {"linearity", check_linear, false, false},      {"shift", check_shift, false, false},
    {"parseval", check_parseval, true, false},      {"round trip", check_round_trip, true, false},
    {"threads", check_threads, false, true},
};
enum { N_GROUPS = sizeof groups / sizeof *groups };

static void print_group(const struct gf_settings *s, const struct gf_rig *rig,
                        const struct group *g) {
    if (s->quiet && !s->json && !rig->failed)
        return;
    gf_report_print(
        s->json,
        "{backend:-8s} {precision}  {group:-11s} {?failed FAILED |{?checks ok     |not run}} "
        "{checks:3d} checks{?measured , worst error {worst_error:.1e}}"
        "{?failed , {failed} failed: {problem}}\n",
        GF_REPORT(GF_KEY("backend", rig->backend->name),
                  GF_KEY("precision", rig->precision == GF_DOUBLE ? "double" : "single"),
                  GF_KEY("group", g->name), GF_KEY("checks", rig->checks),
                  GF_KEY("failed", rig->failed), GF_KEY_IF(!g->exact, "worst_error", rig->worst),
                  GF_BOOL(".measured", !g->exact && rig->checks), GF_KEY(".problem", rig->problem),
                  GF_KEY_OR_NULL(rig->checks, "ok", (bool)!rig->failed)));
    gf_log_flush_stdout();
}

/* A backend under test: a rig for each group and precision collects its checks. */
struct bench {
    const struct gf_settings *s;
    const struct gf_backend *backend;
    void *context[2]; /* of one thread, of all */
    struct gf_rig rig[2][N_GROUPS];
    int shapes, due;           /* tested in full; supported by the backend */
    char absent[2][GF_REASON]; /* why the device lacks the precision, or "" */
};

/* Sets *late if a check was left out. */
static int test_precision(struct bench *b, int is_double, const struct gf_extents *shape,
                          struct room *room, bool *late) {
    for (int g = 0; g < N_GROUPS && !b->absent[is_double][0]; g++) {
        struct gf_rig *rig = &b->rig[is_double][g];
        const bool first = !g && !rig->checks;
        if (gf_rig_is_late(rig)) {
            *late = true;
            continue;
        }
        int rc = groups[g].check(rig, shape, room);
        if (first && (rc == GF_EUNABLE || rc == GF_EABSENT))
            snprintf(b->absent[is_double], GF_REASON, "%s", gf_message());
        else if (rc == GF_EUNABLE) /* a length that this backend does not support */
            return *late = true, 0;
        else if (rc)
            return rc;
    }
    return 0;
}

/* Fails if the device has neither precision. */
static int test_shape(struct bench *b, const struct gf_extents *shape, struct room *room) {
    bool late = false;
    int rc = 0;
    for (int is_double = 0; is_double < 2 && !rc; is_double++)
        rc = test_precision(b, is_double, shape, room, &late);
    b->shapes += !rc && !late;
    return rc || !b->absent[0][0] || !b->absent[1][0] ? rc
                                                      : gf_fail(GF_EUNABLE, "%s", b->absent[0]);
}

static void print_absent(const struct bench *b, int is_double) {
    const char *precision = is_double ? "double" : "single";
    if (b->s->json || !b->s->quiet)
        gf_report_print(b->s->json, "{backend:-8s} {precision}  not there: {absent}\n",
                        GF_REPORT(GF_KEY("backend", b->backend->name),
                                  GF_KEY("precision", precision),
                                  GF_KEY("absent", (const char *)b->absent[is_double])));
}

static void print_backend(const struct bench *b) {
    for (int is_double = 0; is_double < 2; is_double++) {
        if (b->absent[is_double][0])
            print_absent(b, is_double);
        for (int g = 0; g < N_GROUPS && !b->absent[is_double][0]; g++)
            print_group(b->s, &b->rig[is_double][g], &groups[g]);
    }
    if (b->shapes < b->due && !b->s->json && !b->s->quiet)
        printf("%-8s %d of %d shapes within the time of a quick test; --full tests all\n",
               b->backend->name, b->shapes, b->due);
    gf_log_flush_stdout();
}

static bool suits(const struct gf_backend *b, const struct gf_extents *shape) {
    bool powers = true;
    for (int i = 0; i < shape->n; i++)
        powers = powers && !(shape->extent[i] & (shape->extent[i] - 1));
    return powers || !b->powers_of_two;
}

/* Adds to *failed. */
static int test_backend(const struct gf_settings *s, const struct gf_backend *backend,
                        struct room *room, int *failed) {
    struct bench b = {.s = s, .backend = backend};
    struct gf_backend_options options = gf_backend_options_of(s);
    double deadline = s->full ? 0 : gf_now_ms() + quick_ms;
    int opened = 0, rc = 0;
    options.general = !s->full; /* the kernels for files, which are few */
    for (; opened < (backend->devices ? 1 : 2) && !rc; opened += !rc) {
        options.threads = s->threads ? s->threads : opened ? 0 : 1;
        rc = backend->open(backend, &options, &b.context[opened]);
    }
    for (int is_double = 0; is_double < 2; is_double++)
        for (int g = 0; g < N_GROUPS; g++)
            b.rig[is_double][g] =
                (struct gf_rig){.backend = backend,
                                .context = b.context[groups[g].threaded && !backend->devices],
                                .precision = is_double ? GF_DOUBLE : GF_SINGLE,
                                .deadline = deadline,
                                .once = !is_double || !g};
    for (int i = 0; i < N_SHAPES && !rc; i++) {
        char name[GF_SHAPE_TEXT];
        if (!suits(backend, &shapes[i]))
            continue;
        b.due++;
        gf_progress_show("testing", gf_shape_text(shapes[i].extent, shapes[i].n, name));
        rc = test_shape(&b, &shapes[i], room);
    }
    gf_progress_hide();
    print_backend(&b);
    for (int is_double = 0; is_double < 2; is_double++)
        for (int g = 0; g < N_GROUPS; g++)
            *failed += b.rig[is_double][g].failed;
    while (opened)
        backend->close(b.context[--opened]);
    return rc;
}

static void print_what(const struct gf_settings *s, const struct gf_backend *b, const char *absent,
                       const char *reason) {
    if (s->json || s->quiet)
        return;
    printf("%-8s %s%s\n", b->name, absent, reason);
    gf_log_flush_stdout();
}

static int run(struct gf_settings *s, char **operands, int n) {
    (void)operands;
    static struct room room; /* too large for a stack */
    const struct gf_backend *only = NULL;
    int code = 0, failed = 0, tested = 0;
    int rc = n ? gf_fail(GF_EUSAGE, "takes no operands") : 0;
    if (!rc)
        rc = gf_request_one(gf_environment(), &s->request, gf_backends, s->backend, NULL);
    if (!rc && s->request.n)
        rc = gf_backend_usable(gf_environment(), only = s->request.device->backend);
    if (rc)
        return rc;
    gf_progress_start(s->quiet, 0);
    for (int i = 0; gf_backends[i]; i++) {
        char reason[GF_REASON] = "";
        const struct gf_backend *b = gf_backends[i];
        if (only && b != only)
            continue;
        bool absent = b->probe(b, gf_environment(), reason);
        print_what(s, b, absent ? "absent: " : "", reason);
        if (absent)
            continue;
        tested++;
        rc = test_backend(s, b, &room, &failed);
        if (rc) {
            gf_log_error("selftest: %s: %s", b->name, gf_message());
            code = only ? gf_exit_code(rc) : 1;
        }
    }
    gf_progress_stop();
    if (!tested) {
        gf_log_error("selftest: no backend is usable here");
        code = 1;
    }
    return failed ? 1 : code;
}

static const struct gf_opt_group selftest_group = GF_GROUP(
    "Test",
    GF_FLAG("full", full,
            "test every shape, however long that takes (minutes where kernels must be compiled); "
            "default: up to 10 s a backend"));

static const struct gf_opt_group *const option_groups[] = {&selftest_group, &gf_opts_one_backend,
                                                           &gf_opts_common, NULL};

const struct gf_command gf_command_selftest = {
    .name = "selftest",
    .operands = "",
    .summary = "checks of the invariants on this machine, per backend",
    .groups = option_groups,
    .examples = "  gpufft selftest\n"
                "  gpufft selftest --full\n"
                "  gpufft selftest --backend=fftw\n",
    .run = run,
};
