/* Stripes: known ones are removed from pictures of many shapes, along both axes alike; pictures
 * without, and those too small to tell, stay as they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/job/backend.h"
#include "core/base/value/status.h"
#include "core/restore/destripe.h"
#include "tests/core/backends.h"
#include "tests/test.h"

static void *context;
static int calls, fails_at; /* of run(); 0: none fails */

static int run(void *user, const struct gf_job *job, const struct gf_array *in,
               struct gf_array *out) {
    CHECK(user == &context && job->op == GF_DWT);
    if (++calls == fails_at)
        return gf_fail(GF_EBACKEND, "as asked");
    return gf_backend_run(&gf_backend_openmp, context, job, in, out, NULL);
}

static uint64_t seed = 7;
/* Almost a normal deviate. */
static double normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)backends_below(&seed, 1 << 20) / (1 << 20);
    return sum;
}

/* A scene of a shape, with an offset for each line along `axis`, or none. */
struct picture {
    int64_t h, w, channels;
    int axis;
    double size;    /* of the offsets */
    bool alternate; /* they change sign from line to line */
    bool levels;    /* rounded and clipped to 0 .. 255 */
};

/* A shade with hills and an object. */
static double scene(const struct picture *p, int64_t y, int64_t x, int64_t c) {
    const double v = (double)y / (double)p->h, u = (double)x / (double)p->w;
    const bool object = fabs(v - 0.4) < 0.2 && fabs(u - 0.6 - 0.3 * v) < 0.15;
    return 90 + 70 * sin(5 * u + 2 * v + (double)c) * cos(3 * v - u) + 50 * object;
}

static struct gf_array make(const struct picture *p, bool striped) {
    struct gf_array a;
    const int64_t shape[] = {p->h, p->w, p->channels}, lines = p->axis ? p->w : p->h;
    double *offset = calloc((size_t)(lines * p->channels), sizeof *offset);
    CHECK(offset && !gf_array_alloc(&a, GF_F64, 3, shape));
    seed = 7;
    for (int64_t i = 0; i < lines * p->channels; i++) {
        const double v = p->alternate ? (double)(i / p->channels % 2 * 2) - 1 : normal();
        offset[i] = striped ? p->size * v : 0;
    }
    for (int64_t i = 0; i < p->h * p->w * p->channels; i++) {
        const int64_t c = i % p->channels, x = i / p->channels % p->w, y = i / p->channels / p->w;
        double v = scene(p, y, x, c) + normal() + offset[(p->axis ? x : y) * p->channels + c];
        if (p->levels)
            v = fmin(fmax(round(v), 0), 255);
        ((double *)a.data)[i] = v;
    }
    free(offset);
    return a;
}

static double error(const struct gf_array *a, const struct gf_array *b) {
    double sum = 0;
    const int64_t n = gf_array_count(a);
    for (int64_t i = 0; i < n; i++)
        sum += pow(((double *)a->data)[i] - ((double *)b->data)[i], 2);
    return sqrt(sum / (double)n);
}

static struct gf_destripe request(int axis, const struct picture *p) {
    struct gf_destripe want = {.axis = axis, .threads = 2, .transform = {run, &context}};
    want.high = p->levels ? 255 : 0;
    return want;
}

/* The error that is left, relative to that of the stripes; NAN after a failure. */
static double left(int axis, const struct picture *p, struct gf_stripes *found) {
    struct gf_array clean = make(p, false), in = make(p, true), out = make(p, false);
    const struct gf_destripe want = request(axis, p);
    const int rc = gf_destripe(&want, &in, &out, found);
    CHECK_MSG(!rc, "%s", gf_message());
    const double ratio = rc ? NAN : error(&out, &clean) / error(&in, &clean);
    CHECK(rc || found->axis >= 0 || error(&out, &in) == 0);
    gf_array_free(&clean);
    gf_array_free(&in);
    gf_array_free(&out);
    return ratio;
}

static void removes(void) {
    static const int64_t shapes[][3] = {{256, 200, 1}, {160, 90, 3}, {301, 41, 2}};
    struct gf_stripes found;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int k = 0; k < 8; k++) {
            const bool across = k & 1;
            struct picture p = {.h = shapes[i][across],
                                .w = shapes[i][!across],
                                .channels = shapes[i][2],
                                .axis = across,
                                .size = 4,
                                .alternate = k & 2,
                                .levels = k & 4};
            const double all = left(-1, &p, &found);
            CHECK_MSG(found.axis == across, "shape %zu, %d: axis %d", i, k, found.axis);
            CHECK_MSG(all < 0.35, "shape %zu, %d: %.3f of the stripes is left", i, k, all);
            CHECK_MSG(fabs(found.deviation / 4 - 1) < 0.25, "deviation %.2f", found.deviation);
            CHECK(fabs(left(across, &p, &found) - all) < 1e-12);
        }
}

/* Rows and columns are one thing: of a transposed picture comes the transposed result. */
static void transposed(void) {
    const struct picture p = {.h = 120, .w = 97, .channels = 1, .size = 5, .levels = true};
    struct gf_array in = make(&p, true), out = make(&p, false), in2, out2;
    const int64_t shape[] = {97, 120, 1};
    const struct gf_destripe want = request(0, &p), other = request(1, &p);
    struct gf_stripes found;
    CHECK(!gf_array_alloc(&in2, GF_F64, 3, shape) && !gf_array_alloc(&out2, GF_F64, 3, shape));
    for (int64_t i = 0; i < 120 * 97; i++)
        ((double *)in2.data)[i % 97 * 120 + i / 97] = ((double *)in.data)[i];
    CHECK(!gf_destripe(&want, &in, &out, &found) && !gf_destripe(&other, &in2, &out2, &found));
    double most = 0;
    for (int64_t i = 0; i < 120 * 97; i++)
        most = fmax(most,
                    fabs(((double *)out2.data)[i % 97 * 120 + i / 97] - ((double *)out.data)[i]));
    CHECK_MSG(most < 1e-3, "%g", most);
    gf_array_free(&in);
    gf_array_free(&out);
    gf_array_free(&in2);
    gf_array_free(&out2);
}

/* Bands of light: a wave that multiplies the picture; its period is found, whatever the axis. */
static void bands(void) {
    for (int k = 0; k < 4; k++) {
        const struct picture p = {.h = k & 1 ? 200 : 300,
                                  .w = k & 1 ? 300 : 200,
                                  .channels = k & 2 ? 3 : 1,
                                  .axis = k & 1,
                                  .levels = true};
        struct gf_array clean = make(&p, false), in = make(&p, false), out = make(&p, false);
        const struct gf_destripe want = request(-1, &p);
        struct gf_stripes found;
        for (int64_t i = 0; i < gf_array_count(&in); i++) {
            const int64_t x = i / p.channels % p.w, y = i / p.channels / p.w;
            double *v = (double *)in.data + i;
            *v =
                round(*v * (1 + 0.15 * sin(2 * 3.14159265358979 * (double)(k & 1 ? x : y) / 43.7)));
        }
        CHECK(!gf_destripe(&want, &in, &out, &found));
        CHECK_MSG(found.axis == p.axis && fabs(found.period / 43.7 - 1) < 0.01,
                  "bands %d: axis %d, period %g", k, found.axis, found.period);
        const double rest = error(&out, &clean) / error(&in, &clean);
        CHECK_MSG(rest < 0.2, "bands %d: %.3f is left", k, rest);
        gf_array_free(&clean);
        gf_array_free(&in);
        gf_array_free(&out);
    }
}

/* Alternate rows that black clips: the dark rows lost what the bright ones have. */
static void clipped(void) {
    struct picture p = {
        .h = 150, .w = 160, .channels = 1, .size = 40, .alternate = true, .levels = true};
    struct gf_stripes found;
    const double share = left(0, &p, &found);
    CHECK_MSG(share < 0.2, "%.3f of the stripes is left", share);
}

static void untouched(void) {
    static const int64_t small[][2] = {{1, 1}, {1, 500}, {500, 1}, {39, 15}, {20, 300}, {8, 8}};
    struct gf_stripes found;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        for (int axis = -1; axis < 2; axis++) {
            struct picture p = {.h = small[i][0], .w = small[i][1], .channels = 1, .size = 4};
            if (axis < 0 || p.h == 1 || p.w == 1)
                CHECK_MSG(left(axis, &p, &found) == 1 && found.axis == -1, "small %zu", i);
            else
                left(axis, &p, &found); /* may find some, and reads nothing beyond its arrays */
        }
    for (int axis = 0; axis < 2; axis++) { /* one grey, and a ramp, up to rounding */
        struct picture p = {.h = 90, .w = 80, .channels = 1};
        struct gf_array in = make(&p, false), out = make(&p, false);
        struct gf_destripe want = request(axis, &p);
        for (int ramp = 0; ramp < 2; ramp++) {
            for (int64_t i = 0; i < p.h * p.w; i++)
                ((double *)in.data)[i] = 7 + ramp * (double)(i / p.w + i % p.w);
            CHECK(!gf_destripe(&want, &in, &out, &found));
            CHECK(ramp || (found.axis == -1 && error(&in, &out) == 0));
        }
        gf_array_free(&in);
        gf_array_free(&out);
    }
    for (int k = 0; k < 3; k++) { /* none, or too faint, or all there is */
        struct picture p = {.h = 200, .w = 150, .channels = 1, .size = k == 1 ? 0.05 : 0};
        struct gf_array in = make(&p, true), out = make(&p, false);
        struct gf_destripe want = request(-1, &p);
        want.least = 0.75;
        for (int64_t i = 0; i < 200 * 150 && k == 2; i++)
            ((double *)in.data)[i] = (double)(i / 150 * 7919 % 251);
        CHECK(!gf_destripe(&want, &in, &out, &found) && found.axis == -1 && error(&in, &out) == 0);
        gf_array_free(&in);
        gf_array_free(&out);
    }
}

/* The transform's failure is the caller's, whichever it is. */
static void failures(void) {
    const struct picture p = {.h = 100, .w = 100, .channels = 1, .size = 4};
    struct gf_array in = make(&p, true), out = make(&p, false);
    const struct gf_destripe want = request(-1, &p);
    struct gf_stripes found;
    for (fails_at = 1; fails_at <= 3; fails_at++) {
        calls = 0;
        CHECK_EQ(gf_destripe(&want, &in, &out, &found), GF_EBACKEND);
    }
    fails_at = 0;
    gf_array_free(&in);
    gf_array_free(&out);
}

int main(void) {
    const struct gf_backend_options options = {.threads = 2};
    NEED(!gf_backend_openmp.open(&gf_backend_openmp, &options, &context));
    RUN("known stripes are removed along both axes", removes());
    RUN("a transposed picture gives the transposed result", transposed());
    RUN("bands of light are removed and their period is found", bands());
    RUN("alternate rows that black clips are restored", clipped());
    RUN("pictures without stripes, or too small to tell, are left alone", untouched());
    RUN("a failure of any transform is returned", failures());
    gf_backend_openmp.close(context);
    return TEST_END();
}
