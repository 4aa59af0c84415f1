/* Filters: random ones against plain loops, and what must hold for any of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter/filter.h"
#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/core/reference.h"
#include "tests/test.h"

static int64_t pick(struct subject *s, int64_t n) {
    return backends_below(&s->seed, n);
}

/* Between low and high. */
static double between(struct subject *s, double low, double high) {
    return low + (high - low) * (double)pick(s, 1 << 20) / (1 << 20);
}

static struct gf_lowpass random_lowpass(struct subject *s, const struct gf_job *job, bool central) {
    struct gf_lowpass l = {.profile = (enum gf_profile)pick(s, GF_N_PROFILES)};
    bool circle = pick(s, 2), whole = pick(s, 2);
    double most = 1;
    const bool has_order = strchr(gf_filter_profiles[l.profile], ':');
    l.order = has_order ? 1 + (int)pick(s, pick(s, 4) ? 4 : GF_MAX_ORDER) : 0;
    for (int i = 0; i < job->ndim; i++)
        most = fmax(most, (double)job->shape[i]);
    double radius = whole ? 1 + (double)pick(s, (int64_t)most) : between(s, 0.3, most);
    for (int i = 0; i < GF_MAX_DIMS; i++) {
        double n = i < job->ndim ? (double)job->shape[i] : 1;
        l.radius[i] = circle ? radius : between(s, 0.3, n + 1);
        if (!central)
            l.centre[i] = whole ? (double)pick(s, (int64_t)n) - floor(n / 2) : between(s, -n, n);
    }
    return l;
}

/* A table of the half spectrum's shape with a real inverse: of a random real kernel, or its power.
 */
static int make_table(struct subject *s, const struct gf_job *job, enum gf_dtype t,
                      struct gf_array *out) {
    struct reference r;
    struct gf_job kernel = *job;
    struct gf_array in = {0};
    int64_t shape[GF_MAX_RANK], index[GF_MAX_RANK] = {0};
    kernel.op = GF_FFT;
    kernel.channels = 1;
    kernel.luma = false;
    kernel.in_dtype = GF_F64;
    kernel.norm = GF_NORM_ORTHO;
    gf_job_in_shape(&kernel, shape);
    int rc = gf_array_alloc(&in, GF_F64, job->ndim + 1, shape);
    if (rc)
        return rc;
    backends_fill(&in, &s->seed);
    rc = reference_run(&kernel, &in, &r) ? 0 : GF_ENOMEM;
    int half = gf_job_half_axis(job);
    shape[half] = shape[half] / 2 + 1;
    if (!rc)
        rc = gf_array_alloc(out, t, job->ndim, shape);
    int64_t count = rc ? 0 : gf_array_count(out);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = 0, rest = i;
        for (int a = job->ndim - 1; a >= 0; rest /= shape[a--])
            index[a] = rest % shape[a];
        for (int a = 0; a < job->ndim; a++)
            at = at * job->shape[a] + index[a];
        struct cld v = r.v[at];
        double power = (double)(v.re * v.re + v.im * v.im);
        float *f = out->data;
        double *d = out->data;
        if (t == GF_F32)
            f[i] = (float)power;
        else if (t == GF_F64)
            d[i] = power;
        else if (t == GF_C64)
            f[2 * i] = (float)v.re, f[2 * i + 1] = (float)v.im;
        else
            d[2 * i] = (double)v.re, d[2 * i + 1] = (double)v.im;
    }
    reference_free(&r);
    gf_array_free(&in);
    return rc;
}

static int add_factor(struct subject *s, const struct gf_job *job, struct gf_filter *f) {
    struct gf_lowpass l = random_lowpass(s, job, true), m = random_lowpass(s, job, true);
    switch (pick(s, 5)) {
    case 0:
        return gf_filter_add_lowpass(f, &l);
    case 1:
        return gf_filter_add_highpass(f, &l);
    case 2:
        return gf_filter_add_band(f, &l, &m, false);
    case 3:
        return gf_filter_add_band(f, &l, &m, true);
    default:
        l = random_lowpass(s, job, false);
        return gf_filter_add_notch(f, job, &l);
    }
}

static int random_filter(struct subject *s, struct gf_job *job, struct gf_filter **out) {
    static const enum gf_dtype types[] = {GF_F32, GF_F64, GF_C64, GF_C128};
    struct reference r;
    int rc = gf_filter_new(out), n = pick(s, 8) ? (int)pick(s, 4) : 3 + (int)pick(s, 20);
    reference_shape(job, &r);
    job->filter = *out;
    for (int i = 0; i < n && !rc; i++) {
        struct gf_filter_factor *last = &(*out)->factor[(*out)->n_factors];
        int before = (*out)->n_factors;
        rc = add_factor(s, job, *out);
        if (!rc && reference_filter_doubtful(job, &r)) {
            *last = (struct gf_filter_factor){.c0 = 0};
            (*out)->n_factors = before;
        }
    }
    if (!rc)
        job->filter_serial = (*out)->serial;
    if (!rc && pick(s, 3) == 0)
        rc = make_table(s, job, types[pick(s, 4)], &(*out)->table);
    if (!rc && pick(s, 2))
        (*out)->offset = between(s, -200, 200);
    return rc;
}

static void random_shape(struct subject *s, struct gf_job *job) {
    static const int64_t most[4] = {0, 90, 40, 14};
    static const int64_t odd_ones[] = {1, 2, 17, 31, 32, 37, 47, 61, 64};
    *job = (struct gf_job){.op = GF_FILTER, .ndim = 1 + (int)pick(s, 3)};
    for (int i = 0; i < job->ndim; i++)
        job->shape[i] = 1 + pick(s, most[job->ndim]);
    if (job->ndim < 3 && pick(s, 2))
        job->shape[pick(s, job->ndim)] = odd_ones[pick(s, 9)];
    if (job->ndim == 1 && pick(s, 4) == 0)
        job->shape[0] = 512 + pick(s, 200);
    job->axes = 1 + (unsigned)pick(s, (1 << job->ndim) - 1);
    job->channels = pick(s, 2) ? 1 : 1 + pick(s, 5);
}

static struct gf_job random_job(struct subject *s) {
    struct gf_job job;
    random_shape(s, &job);
    job.precision = (enum gf_precision)pick(s, 2);
    job.norm = (enum gf_norm)pick(s, 3);
    job.in_dtype = (enum gf_dtype)pick(s, GF_F64 + 1);
    job.luma = job.channels >= 3 && pick(s, 2);
    job.spend_input = pick(s, 4) == 0;
    job.lean = pick(s, 4) == 0;
    backends_count_part(s, &job);
    job.n_out = pick(s, 3) ? 1 : 1 + (int)pick(s, 3);
    for (int i = 0; i < job.n_out; i++)
        job.out[i] = (struct gf_output){.kind = GF_REAL,
                                        .dtype = pick(s, 2) ? job.in_dtype
                                                            : (enum gf_dtype)pick(s, GF_F64 + 1)};
    return job;
}

static void check_random(struct subject *s, bool strided) {
    struct gf_job job = random_job(s);
    struct gf_filter *f = NULL;
    int rc = random_filter(s, &job, &f);
    CHECK_MSG(!rc, "%s", gf_message());
    if (!rc)
        backends_check(s, &job, strided);
    gf_filter_free(f);
}

/* ---- by name ---- */

/* A job as tests/core/backend_jobs.c has them, and after a bar its filter: words of
 * PROFILE=RADIUS[/ORDER][@CENTRE] with low-, high-, notch-, band- and reject- (from half of the
 * radius) before; real and complex tables; offset=N. */
static const char *const jobs[] = {
    "fwd u8 60x48 > real u8 | low-gaussian=6",
    "fwd u16 45x35 > real u16 | high-ideal=7",
    "fwd f32 61x47 > real f32 | low-butterworth=5/2 offset=-3",
    "fwd f32 40x36 ch=3 > real f32 | band-gaussian=9 offset=2",
    "fwd u8 48x59 ch=3 luma > real u8 | reject-butterworth=8/3",
    "fwd u8 64x50 > real u8, real f32 | notch-gaussian=3@9 notch-ideal=2@4",
    "fwd f32 30x33 > real f32 | low-butterworth=6/64",
    "fwd f32 36x60 > real f32 | notch-gaussian=2@5 notch-gaussian=3@-8 notch-gaussian=4@11",
    "fwd f32 40x48 > real f32 | real low-gaussian=30",
    "fwd u8 35x36 ch=2 > real i16 | complex offset=10",
    "fwd f64 33x40 double > real f64 | band-ideal=9",
    "fwd f64 30x61 double > real f64 | complex high-butterworth=4/4",
    "fwd u8 5x24x20 axes=6 > real u8 | low-gaussian=5",
    "fwd u8 5x24x20 axes=6 > real f32 | complex",
    "fwd f32 24x7x20 axes=5 > real f32 | low-butterworth=5/1",
    "fwd f32 10x12x9 > real f32 | low-gaussian=3 offset=1",
    "fwd f32 17x6x20 > real f32 | real notch-ideal=2@3",
    "fwd f32 48x7 axes=1 > real f32 | high-gaussian=4",
    "fwd u16 9x60 axes=2 > real u16 | low-gaussian=5 offset=100",
    "fwd f32 8x61 axes=2 > real f32 | complex",
    "fwd f32 600 > real f32 | low-gaussian=40 offset=5",
    "fwd f32 16384 > real f32 | high-butterworth=900/2",
    "fwd u8 2x16384 > real u8 | low-gaussian=300",
    "fwd u8 1x1 > real u8 | low-gaussian=3 offset=4",
    "fwd u8 60x1 > real u8 | low-gaussian=3",
    "fwd u8 24x20 > real u8 | ",
    "fwd u8 12x16 > real u8 | notch-gaussian=2@3 low-butterworth=5/2 offset=5",
    "fwd f32 3x6x8 > real f32 | band-gaussian=3",
    /* Results that clip, only a part of which is counted: packed pairs, pairs of lines, of channels,
     * folded lines, reals as complex numbers, cut lines, the generic store. */
    "fwd u8 60x48 part > real u8 | high-gaussian=6",
    "fwd u8 45x35 ch=3 part > real i8 | high-gaussian=6 offset=100",
    "fwd u8 47x59 part > real u8 | high-gaussian=6",
    "fwd u8 64x2 part > real u8 | high-gaussian=2",
    "fwd u16 9x61 axes=2 part > real u16 | high-gaussian=5",
    "fwd u16 61x9 axes=1 ch=2 part > real u16 | high-gaussian=5",
    "fwd u8 2x10007 axes=1 part > real u8 | high-gaussian=1",
    "fwd u8 2x1031 axes=2 part > real u8 | high-gaussian=30",
    "fwd u8 2x16384 axes=2 part > real u8 | high-gaussian=300",
    "fwd u8 20000x3 axes=1 part > real u8 | high-gaussian=300",
    "fwd u8 5x24x20 part > real u8, real i16 | high-gaussian=5 offset=40",
    "fwd f32 9x14 > real f32 | complex",
};

static bool add_word(const struct gf_job *job, struct gf_filter *f, const char *word) {
    static const char *const kinds[] = {"low-", "high-", "band-", "reject-", "notch-"};
    struct gf_lowpass l = {.order = 0}, inner;
    int kind = 0, profile = 0;
    while (kind < 5 && strncmp(word, kinds[kind], strlen(kinds[kind])))
        kind++;
    word += kind < 5 ? strlen(kinds[kind]) : 0;
    while (profile < GF_N_PROFILES &&
           strncmp(word, gf_filter_profiles[profile], strcspn(gf_filter_profiles[profile], ":")))
        profile++;
    if (kind == 5 || profile == GF_N_PROFILES)
        return false;
    l.profile = (enum gf_profile)profile;
    const char *order = strchr(word, '/'), *centre = strchr(word, '@');
    l.order = order ? atoi(order + 1) : 0;
    for (int i = 0; i < GF_MAX_DIMS; i++) {
        l.radius[i] = atof(strchr(word, '=') + 1);
        l.centre[i] = centre ? atof(centre + 1) + i : 0;
    }
    inner = l;
    for (int i = 0; i < GF_MAX_DIMS; i++)
        inner.radius[i] /= 2;
    int rc = kind == 0   ? gf_filter_add_lowpass(f, &l)
             : kind == 1 ? gf_filter_add_highpass(f, &l)
             : kind < 4  ? gf_filter_add_band(f, &inner, &l, kind == 3)
                         : gf_filter_add_notch(f, job, &l);
    return !rc;
}

static bool parse_filter(struct subject *s, const char *text, const struct gf_job *job,
                         struct gf_filter *f) {
    char copy[128], *rest = copy, *word;
    bool wide = job->precision == GF_DOUBLE, fine = true;
    snprintf(copy, sizeof copy, "%s", text);
    while (fine && (word = strsep(&rest, " ")))
        if (!strncmp(word, "offset=", 7))
            f->offset = atof(word + 7);
        else if (!strcmp(word, "real"))
            fine = !make_table(s, job, wide ? GF_F64 : GF_F32, &f->table);
        else if (!strcmp(word, "complex"))
            fine = !make_table(s, job, wide ? GF_C128 : GF_C64, &f->table);
        else
            fine = !*word || add_word(job, f, word);
    return fine;
}

bool backends_parse_filtered(struct subject *s, const char *text, struct gf_job *job,
                             struct gf_filter **filter) {
    char copy[400];
    const char *bar = strchr(text, '|');
    *filter = NULL;
    snprintf(copy, sizeof copy, "%.*s", bar ? (int)(bar - text) : 399, text);
    if (!backends_parse(copy, job))
        return false;
    if (!bar)
        return true;
    if (gf_filter_new(filter))
        return false;
    job->op = GF_FILTER;
    job->filter = *filter;
    job->filter_serial = (*filter)->serial;
    return parse_filter(s, bar + 1, job, *filter);
}

static void check_named(struct subject *s) {
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct gf_job job;
        struct gf_filter *f = NULL;
        bool fine = backends_parse_filtered(s, jobs[i], &job, &f);
        CHECK_MSG(fine, "no job: %s", jobs[i]);
        if (fine && (gf_job_points(&job) <= 500 || !s->tiny))
            backends_check(s, &job, false);
        gf_filter_free(f);
    }
}

/* ---- laws ---- */

/* One run of one filter over `in`; out is made. */
static bool run(struct subject *s, struct gf_job *job, const struct gf_filter *f,
                const struct gf_array *in, struct gf_array *out) {
    struct gf_report report;
    char text[160];
    job->filter = f;
    job->filter_serial = f->serial;
    int rc = backends_run(s, job, in, out, &report);
    CHECK_RAN(s, rc, "%s: %s", backends_text(job, text), gf_message());
    for (int i = 0; i < job->n_out && !rc; i++)
        CHECK_EQ(report.clipped[i], 0);
    return !rc;
}

/* Integer samples come through no filter as they were; a flat picture through any that leaves the
 * zero frequency alone. */
static void check_identity(struct subject *s, enum gf_dtype t, int64_t h, int64_t w, bool flat) {
    struct gf_job job = {.op = GF_FILTER,
                         .ndim = 2,
                         .shape = {h, w},
                         .channels = 3,
                         .axes = 3,
                         .in_dtype = t,
                         .n_out = 1,
                         .out = {{.kind = GF_REAL, .dtype = t}}};
    struct gf_array in = {0}, out = {0};
    struct gf_filter *f = NULL;
    struct gf_lowpass l = {.profile = GF_BUTTERWORTH, .order = 2, .radius = {3, 4, 1}};
    int64_t shape[GF_MAX_RANK];
    if (!backends_mine(s))
        return;
    gf_job_in_shape(&job, shape);
    int rc = gf_filter_new(&f);
    if (!rc && flat)
        rc = gf_filter_add_lowpass(f, &l);
    if (!rc)
        rc = gf_array_alloc(&in, t, 3, shape);
    CHECK_MSG(!rc, "%s", gf_message());
    if (!rc) {
        size_t bytes = (size_t)gf_array_count(&in) * gf_dtype_size(t);
        backends_fill(&in, &s->seed);
        if (flat)
            memset(in.data, 77, bytes);
        if (run(s, &job, f, &in, &out))
            CHECK_MSG(!memcmp(in.data, out.data, bytes), "%lldx%lld %s: not the same%s",
                      (long long)h, (long long)w, gf_dtype_name(t), flat ? ", flat" : "");
    }
    gf_filter_free(f);
    gf_array_free(&in);
    gf_array_free(&out);
}

/* The results of a low pass and the high pass of the same radius add up to the picture. */
static void check_sum(struct subject *s, enum gf_profile profile, int64_t h, int64_t w) {
    struct gf_job job = {.op = GF_FILTER,
                         .ndim = 2,
                         .shape = {h, w},
                         .channels = 1,
                         .axes = 3,
                         .in_dtype = GF_F32,
                         .n_out = 1,
                         .out = {{.kind = GF_REAL, .dtype = GF_F32}}};
    struct gf_array in = {0}, out[2] = {{0}};
    struct gf_filter *low = NULL, *high = NULL;
    struct gf_lowpass l = {.profile = profile, .order = 3, .radius = {7, 7, 7}};
    int64_t shape[GF_MAX_RANK];
    double error = 0, norm = 0;
    if (!backends_mine(s))
        return;
    gf_job_in_shape(&job, shape);
    int rc = gf_filter_new(&low);
    rc = rc ? rc : gf_filter_new(&high);
    rc = rc ? rc : gf_filter_add_lowpass(low, &l);
    rc = rc ? rc : gf_filter_add_highpass(high, &l);
    rc = rc ? rc : gf_array_alloc(&in, GF_F32, 3, shape);
    CHECK_MSG(!rc, "%s", gf_message());
    if (rc)
        goto out;
    backends_fill(&in, &s->seed);
    if (!run(s, &job, low, &in, &out[0]) || !run(s, &job, high, &in, &out[1]))
        goto out;
    for (int64_t i = 0; i < h * w; i++) {
        double x = (double)((float *)in.data)[i];
        error += pow((double)((float *)out[0].data)[i] + (double)((float *)out[1].data)[i] - x, 2);
        norm += x * x;
    }
    CHECK_MSG(sqrt(error / norm) < 6e-7, "%lldx%lld: low and high pass lack %.3g", (long long)h,
              (long long)w, sqrt(error / norm));
out:
    gf_filter_free(low);
    gf_filter_free(high);
    gf_array_free(&in);
    gf_array_free(&out[0]);
    gf_array_free(&out[1]);
}

/* ---- sizes where work is dealt out, and tiles hold several blocks ---- */

static void check_size(struct subject *s, int ndim, int64_t n0, int64_t n1, int64_t n2,
                       unsigned axes, int64_t channels) {
    for (int i = 0; i < (s->small ? 1 : 2); i++) {
        struct gf_filter *f = NULL;
        struct gf_job job = random_job(s);
        job.ndim = ndim;
        job.shape[0] = n0;
        job.shape[1] = n1;
        job.shape[2] = n2;
        backends_count_part(s, &job);
        job.axes = axes;
        job.channels = channels;
        job.luma = false;
        int rc = random_filter(s, &job, &f);
        CHECK_MSG(!rc, "%s", gf_message());
        if (!rc)
            backends_check(s, &job, i == 1);
        gf_filter_free(f);
    }
}

/* Backends that have no filters say so of any; these two are known to have them. */
bool backends_has_filters(struct subject *s) {
    struct gf_filter *f = NULL;
    struct gf_plan *plan = NULL;
    struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 2, 8, 8, 1);
    job.op = GF_FILTER;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    int rc = gf_filter_new(&f);
    job.filter = f;
    if (!rc)
        rc = gf_backend_plan(s->backend, s->context[0], &job, &plan);
    if (!rc)
        gf_plan_drop(plan);
    gf_filter_free(f);
    return rc != GF_EUNABLE || s->backend == &gf_backend_openmp || s->backend == &gf_backend_fftw;
}

void backends_named_filters(struct subject *s) {
    if (backends_has_filters(s))
        check_named(s);
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}

void backends_filters(struct subject *s) {
    static const int64_t sides[][2] = {{1, 1}, {1, 7}, {9, 1}, {16, 24}, {31, 40}, {64, 61}};
    if (!backends_has_filters(s)) {
        printf("%s: no filters\n", s->backend->name);
        return;
    }
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        for (int flat = 0; flat < 2; flat++) {
            check_identity(s, GF_U8, sides[i][0], sides[i][1], flat);
            check_identity(s, GF_U16, sides[i][0], sides[i][1], flat);
        }
        check_sum(s, (enum gf_profile)(i % GF_N_PROFILES), sides[i][0], sides[i][1]);
    }
    check_size(s, 2, 40, 1100, 1, 3, 1);
    check_size(s, 3, 9, 40, 70, 7, 1);
    check_size(s, 3, 24, 6, 300, 5, 1);
    check_size(s, 3, 6, 100, 70, 6, 1);
    check_size(s, 3, 5, 30, 100, 6, 2);
    check_size(s, 3, 100, 4, 70, 3, 1);
    check_size(s, 2, 500, 70, 1, 1, 1);
    check_size(s, 2, 70, 500, 1, 2, 1);
    for (int i = 0; i < (s->full ? 8000 : s->small ? 600 : 1500); i++)
        check_random(s, i & 1);
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}
