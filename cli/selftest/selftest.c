/* gpufft selftest: what must hold for every Fourier transform, on the user's machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/backend_options.h"
#include "cli/command.h"
#include "cli/selftest/rig.h"
#include "cli/log.h"
#include "cli/batch/report.h"
#include "core/base/status.h"

enum { MAX_POINTS = 8192 };

/* Powers of two, mixed radices, primes with smooth and with rough neighbours, one of each rank. */
static const struct gf_shape shapes[] = {
    {1, {1}},       {1, {2}},       {1, {3}},          {1, {16}},      {1, {60}},
    {1, {97}},      {1, {1009}},    {1, {2039}},       {1, {4096}},    {2, {1, 7}},
    {2, {8, 8}},    {2, {12, 17}},  {2, {64, 64}},     {2, {31, 128}}, {2, {67, 45}},
    {3, {4, 6, 5}}, {3, {8, 1, 9}}, {3, {16, 16, 16}}, {0, {0}},
};

/* Room for signals, allocated once. */
struct room {
    double complex *x, *y, *fx, *fy, *want;
};

static int room_alloc(struct room *r) {
    double complex **all[] = {&r->x, &r->y, &r->fx, &r->fy, &r->want};
    *r = (struct room){0};
    for (int i = 0; i < 5; i++) {
        *all[i] = calloc(MAX_POINTS, sizeof **all[i]);
        if (!*all[i])
            return gf_fail(GF_ENOMEM, "out of memory");
    }
    return 0;
}

static void room_free(struct room *r) {
    free(r->x);
    free(r->y);
    free(r->fx);
    free(r->fy);
    free(r->want);
}

/* The phase that a step of `at[]` points puts on frequency number i. */
static double complex ramp(const struct gf_shape *s, int64_t i, const int64_t *at) {
    double turns = 0;
    for (int a = s->ndim - 1; a >= 0; a--) {
        turns += (double)(i % s->n[a] * at[a] % s->n[a]) / (double)s->n[a];
        i /= s->n[a];
    }
    return cexp(-2 * M_PI * turns * I);
}

static int64_t position(const struct gf_shape *s, const int64_t *at) {
    int64_t i = 0;
    for (int a = 0; a < s->ndim; a++)
        i = i * s->n[a] + at[a] % s->n[a];
    return i;
}

static int check_impulse(struct gf_rig *lab, const struct gf_shape *s, struct room *r) {
    int64_t n = gf_rig_points(s), at[GF_MAX_DIMS];
    for (int a = 0; a < s->ndim; a++)
        at[a] = s->n[a] / 3;
    memset(r->x, 0, (size_t)n * sizeof *r->x);
    r->x[position(s, at)] = 1;
    for (int64_t i = 0; i < n; i++)
        r->want[i] = ramp(s, i, at);
    int rc = gf_rig_transform(lab, s, GF_FORWARD, true, r->x, r->fx);
    if (!rc)
        gf_rig_compare(lab, "an impulse becomes a wave", s, 1, r->fx, r->want);
    return rc;
}

static int check_constant(struct gf_rig *lab, const struct gf_shape *s, struct room *r) {
    int64_t n = gf_rig_points(s);
    for (int64_t i = 0; i < n; i++) {
        r->x[i] = 1;
        r->want[i] = i ? 0 : (double)n;
    }
    int rc = gf_rig_transform(lab, s, GF_FORWARD, true, r->x, r->fx);
    if (!rc)
        gf_rig_compare(lab, "a constant becomes one number", s, 1, r->fx, r->want);
    return rc;
}

static int check_linear(struct gf_rig *lab, const struct gf_shape *s, struct room *r) {
    int64_t n = gf_rig_points(s);
    gf_rig_random(r->x, n, 1, false);
    gf_rig_random(r->y, n, 2, false);
    int rc = gf_rig_transform(lab, s, GF_FORWARD, false, r->x, r->fx);
    if (!rc)
        rc = gf_rig_transform(lab, s, GF_FORWARD, false, r->y, r->fy);
    for (int64_t i = 0; i < n; i++) {
        r->want[i] = 0.5 * r->fx[i] - 2 * r->fy[i];
        r->x[i] = 0.5 * r->x[i] - 2 * r->y[i];
    }
    if (!rc)
        rc = gf_rig_transform(lab, s, GF_FORWARD, false, r->x, r->fx);
    if (!rc)
        gf_rig_compare(lab, "sums stay sums", s, 2, r->fx, r->want);
    return rc;
}

static int check_shift(struct gf_rig *lab, const struct gf_shape *s, struct room *r) {
    int64_t n = gf_rig_points(s), at[GF_MAX_DIMS], from[GF_MAX_DIMS];
    gf_rig_random(r->x, n, 3, true);
    for (int a = 0; a < s->ndim; a++)
        at[a] = s->n[a] / 2;
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i;
        for (int a = s->ndim - 1; a >= 0; a--) {
            from[a] = rest % s->n[a] + at[a];
            rest /= s->n[a];
        }
        r->y[position(s, from)] = r->x[i];
    }
    int rc = gf_rig_transform(lab, s, GF_FORWARD, true, r->x, r->want);
    if (!rc)
        rc = gf_rig_transform(lab, s, GF_FORWARD, true, r->y, r->fy);
    for (int64_t i = 0; i < n; i++)
        r->want[i] *= ramp(s, i, at);
    if (!rc)
        gf_rig_compare(lab, "a step becomes a phase", s, 2, r->fy, r->want);
    return rc;
}

static long double square(double complex v) {
    long double re = creal(v), im = cimag(v);
    return re * re + im * im;
}

static int check_parseval(struct gf_rig *lab, const struct gf_shape *s, struct room *r) {
    int64_t n = gf_rig_points(s);
    long double before = 0, after = 0;
    gf_rig_random(r->x, n, 4, true);
    int rc = gf_rig_transform(lab, s, GF_FORWARD, true, r->x, r->fx);
    for (int64_t i = 0; i < n; i++) {
        before += square(r->x[i]);
        after += square(r->fx[i]) / (long double)n;
    }
    if (!rc)
        gf_rig_check(lab, "energy is kept", s,
                     fabsl(after / before - 1) <= 4 * gf_rig_bound(lab, n));
    return rc;
}

static int check_definition(struct gf_rig *lab, const struct gf_shape *s, struct room *r) {
    int64_t n = gf_rig_points(s);
    int rc = 0;
    if (s->ndim == 1 && n > 2500)
        return 0; /* n^2 steps take their time */
    for (int real = 0; real < 2 && !rc; real++) {
        gf_rig_random(r->x, n, 5, real);
        rc = gf_rig_reference(s, r->x, r->want);
        if (!rc)
            rc = gf_rig_transform(lab, s, GF_FORWARD, real, r->x, r->fx);
        if (!rc)
            gf_rig_compare(lab, real ? "real against the definition" : "against the definition", s,
                           1, r->fx, r->want);
    }
    return rc;
}

static int check_inverse(struct gf_rig *lab, const struct gf_shape *s, struct room *r) {
    gf_rig_random(r->x, gf_rig_points(s), 6, false);
    int rc = gf_rig_transform(lab, s, GF_FORWARD, false, r->x, r->fx);
    if (!rc)
        rc = gf_rig_transform(lab, s, GF_INVERSE, false, r->fx, r->y);
    if (!rc)
        gf_rig_compare(lab, "there and back", s, 2, r->y, r->x);
    return rc;
}

static int check_round_trip(struct gf_rig *lab, const struct gf_shape *s, struct room *r) {
    (void)r;
    for (int i = 0; i < 8; i++) {
        enum gf_dtype dtype = i & 1 ? GF_U16 : GF_U8;
        char what[64];
        snprintf(what, sizeof what, "%s, %s spectrum, %d channels", gf_dtype_name(dtype),
                 i & 2 ? "half" : "full", i & 4 ? 3 : 1);
        gf_rig_check(lab, what, s, gf_rig_round_trip(lab, s, dtype, i & 4 ? 3 : 1, i & 2));
    }
    return 0;
}

/* On all processors, what is large enough to be shared out. */
static int check_threads(struct gf_rig *lab, const struct gf_shape *s, struct room *r) {
    return gf_rig_points(s) >= 3000 ? check_inverse(lab, s, r) : 0;
}

static const struct group {
    const char *name;
    int (*check)(struct gf_rig *lab, const struct gf_shape *s, struct room *r);
    bool exact;    /* no error to report */
    bool threaded; /* small transforms waste their time waiting for threads, so few groups are */
} groups[] = {
    {"impulse", check_impulse, false, false},  {"constant", check_constant, false, false},
    {"linearity", check_linear, false, false}, {"shift", check_shift, false, false},
    {"parseval", check_parseval, true, false}, {"definition", check_definition, false, false},
    {"inverse", check_inverse, false, false},  {"round trip", check_round_trip, true, false},
    {"threads", check_threads, false, true},   {NULL, NULL, false, false},
};

static void print_group(const struct gf_settings *s, const struct gf_rig *lab,
                        const struct group *g) {
    const char *precision = lab->precision == GF_DOUBLE ? "double" : "single";
    if (s->json) {
        json_t *o = json_object();
        json_object_set_new(o, "backend", json_string(lab->backend->name));
        json_object_set_new(o, "precision", json_string(precision));
        json_object_set_new(o, "group", json_string(g->name));
        json_object_set_new(o, "checks", json_integer(lab->checks));
        json_object_set_new(o, "failed", json_integer(lab->failed));
        if (!g->exact && isfinite(lab->worst))
            json_object_set_new(o, "worst_error", json_real(lab->worst));
        json_object_set_new(o, "ok", json_boolean(!lab->failed));
        gf_json_print(o);
        return;
    }
    if (s->quiet && !lab->failed)
        return;
    printf("%-8s %s  %-11s %-6s %3d checks", lab->backend->name, precision, g->name,
           lab->failed ? "FAILED" : "ok", lab->checks);
    if (!g->exact)
        printf(", worst error %.1e", lab->worst);
    if (lab->failed)
        printf(", %d failed: %s", lab->failed, lab->problem);
    printf("\n");
    gf_log_flush_stdout();
}

static int run_group(const struct gf_settings *s, const struct group *g, struct gf_rig lab,
                     struct room *room, int *failed) {
    int rc = 0;
    for (const struct gf_shape *shape = shapes; shape->ndim && !rc; shape++)
        rc = g->check(&lab, shape, room);
    if (!rc)
        print_group(s, &lab, g);
    *failed += lab.failed;
    return rc;
}

/* All groups in both precisions; adds to *failed. */
static int test_backend(const struct gf_settings *s, const struct gf_backend *backend,
                        struct room *room, int *failed) {
    struct gf_backend_options options = gf_backend_options_of(s);
    void *context[2] = {NULL, NULL}; /* of one thread, of all */
    int opened = 0, rc = 0;
    for (; opened < 2 && !rc; opened += !rc) {
        options.threads = s->threads ? s->threads : opened ? 0 : 1;
        rc = backend->open(&options, &context[opened]);
    }
    for (int wide = 0; wide < 2; wide++)
        for (const struct group *g = groups; g->name && !rc; g++) {
            struct gf_rig lab = {.backend = backend,
                                 .context = context[g->threaded],
                                 .precision = wide ? GF_DOUBLE : GF_SINGLE};
            rc = run_group(s, g, lab, room, failed);
        }
    while (opened)
        backend->close(context[--opened]);
    return rc;
}

static int run(struct gf_settings *s, char **operands, int n) {
    (void)operands;
    struct room room = {0};
    const struct gf_backend *only = NULL;
    int code = 0, failed = 0, tested = 0;
    int rc = n ? gf_fail(GF_EUSAGE, "takes no operands") : 0;
    if (!rc && strcmp(s->backend, "auto"))
        rc = gf_backend_find(s->backend, &only);
    if (!rc)
        rc = room_alloc(&room);
    if (rc) {
        gf_log_error("selftest: %s", gf_message());
        code = gf_exit_code(rc);
        goto out;
    }
    for (int i = 0; gf_backends[i]; i++) {
        char reason[GF_REASON] = "";
        const struct gf_backend *b = gf_backends[i];
        if (only && b != only)
            continue;
        if (b->probe(reason)) {
            if (!s->json && !s->quiet)
                printf("%-8s absent: %s\n", b->name, reason);
            continue;
        }
        tested++;
        rc = test_backend(s, b, &room, &failed);
        if (rc) {
            gf_log_error("selftest: %s: %s", b->name, gf_message());
            code = gf_exit_code(rc);
        }
    }
    if (!tested) {
        gf_log_error("selftest: no backend is usable here");
        code = 1;
    }
    code = failed ? 1 : code;
out:
    room_free(&room);
    return code;
}

static const struct gf_opt_group *const option_groups[] = {&gf_opts_backend, &gf_opts_common, NULL};

const struct gf_command gf_command_selftest = {
    .name = "selftest",
    .operands = "",
    .summary = "checks of the invariants on this machine, per backend",
    .groups = option_groups,
    .examples = "  gpufft selftest\n"
                "  gpufft selftest --backend=fftw\n",
    .run = run,
};
