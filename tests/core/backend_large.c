/* Large arrays, where long double would take minutes: against the openmp backend, which the other
 * sections hold to it. Both have their rounding, so twice one's bound is allowed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter/filter.h"
#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/core/reference.h"
#include "tests/test.h"

static const char *const jobs[] = {
    "fwd f32 4096x4096 > complex half",
    "inv c64 4096x4096 real half > real f32",
    "fwd c64 4096x4096 > complex",
    "fwd u8 4096x4096 > magnitude u8 display shift",
    "fwd f32 8192x8192 > complex half",
    "inv c64 8192x8192 real half > real f32",
    "fwd f32 1080x1920 > complex half",
    "fwd u8 1080x1920 ch=3 > magnitude u8 display shift",
    "inv c64 1080x1920 real > real f32",
    "fwd u16 3000x4000 > magnitude u16 display shift",
    "fwd f32 3000x4000 > complex half",
    "inv c64 3000x4000 > complex",
    "fwd f32 4001x4001 > complex half",
    "fwd u8 4001x4001 > phase f32 shift",
    "fwd f32 4007x4007 > complex half",
    "inv c64 4007x4001 real half > real f32",
    "fwd c64 20011x911 > complex",
    "fwd f32 128x128x128 > complex half",
    "inv c64 128x128x128 real half > real f32",
    "fwd c64 251x251x251 > complex",
    "fwd f32 251x251x251 > complex half",
    "fwd u8 256x200x180 > magnitude u8 display shift",
    "fwd f32 16384x1024 axes=2 > complex half",
    "fwd c64 16384x1024 axes=2 > complex",
    "inv c64 16384x1000 axes=2 real half > real f32",
    "fwd c64 16384x1024 axes=1 > complex",
    "fwd u8 16384x512 > magnitude u8 display shift",
    "fwd c64 16777216 > complex",
    "fwd f32 10000000 > complex half",
    "fwd c64 1000003 > complex",
    "fwd f64 4096x4096 double > complex half",
    "inv c128 2048x4096 double real half > real f64",
    "fwd c128 3000x4000 double > complex",
    "fwd f64 4001x2003 double > complex half",
    "fwd c128 128x128x128 double > complex",
    "fwd f64 251x251x251 double > complex half",
    "fwd c128 4194304 double > complex",
    "fwd c128 1000003 double > complex",
    /* Filters after a bar. */
    "fwd u8 4096x4096 > real u8 | low-gaussian=200",
    "fwd f32 8192x8192 > real f32 | band-butterworth=900/2",
    "fwd u8 1080x1920 ch=3 > real u8 | high-ideal=50 offset=100",
    "fwd u16 3000x4000 > real u16 | notch-gaussian=9@70 notch-ideal=5@300 reject-gaussian=800",
    "fwd f32 4007x4001 > real f32 | low-gaussian=1000",
    "fwd f32 20011x911 > real f32 | low-butterworth=300/1",
    "fwd u16 256x200x180 > real u16 | low-gaussian=60",
    "fwd f32 251x251x251 > real f32 | high-gaussian=20",
    "fwd f32 16384x1024 axes=2 > real f32 | low-gaussian=100",
    "fwd f32 16384x1024 axes=1 > real f32 | low-gaussian=2000",
    "fwd f32 10000000 > real f32 | low-gaussian=100000",
    "fwd f64 3000x4000 double > real f64 | band-gaussian=500",
    "fwd f64 251x251x251 double > real f64 | low-butterworth=60/30",
};

static double number(const struct gf_array *a, int64_t i) {
    const char *p = a->data;
    switch (gf_dtype_real(a->dtype)) {
    case GF_F32:
        return ((const float *)(const void *)p)[i];
    case GF_F64:
        return ((const double *)(const void *)p)[i];
    case GF_U16:
        return ((const uint16_t *)(const void *)p)[i];
    default:
        return ((const uint8_t *)p)[i];
    }
}

/* The relative L2 distance; of a phase, whose ends meet, and which means nothing where there is
 * hardly a value: the share of samples that are off by more than a thousandth. */
static double distance(const struct gf_output *o, const struct gf_array *a,
                       const struct gf_array *b, double *furthest) {
    int64_t count = gf_array_count(a) * (gf_dtype_is_complex(a->dtype) ? 2 : 1), far = 0;
    double error = 0, norm = 0;
    *furthest = 0;
    for (int64_t i = 0; i < count; i++) {
        double want = number(b, i), off = fabs(number(a, i) - want);
        if (o->kind == GF_PHASE) {
            off = fmin(off, fabs(6.283185307179586 - off));
            far += !(off < 1e-3);
        }
        *furthest = off > *furthest || isnan(off) ? off : *furthest;
        error += off * off;
        norm += want * want;
    }
    return o->kind == GF_PHASE ? (double)far / (double)count : sqrt(error / norm);
}

void backends_compare(struct subject *s, struct subject *yardstick, const char *text) {
    struct gf_array in = {0}, out = {0}, want = {0};
    struct gf_report report, wanted;
    struct gf_job job;
    struct gf_filter *filter = NULL;
    if (!backends_parse_filtered(s, text, &job, &filter)) {
        CHECK_MSG(0, "no job: %s", text);
        gf_filter_free(filter);
        return;
    }
    const struct gf_output *o = &job.out[0];
    bool shades = gf_dtype_is_integer(o->dtype);
    double furthest, bound = 2 * reference_bound(&job);
    int rc = gf_job_alloc(&job, -1, &in);
    if (!rc) {
        backends_fill(&in, &s->seed);
        rc = backends_run(s, &job, &in, &out, &report);
    }
    CHECK_RAN(s, rc, "%s: %s: %s", s->backend->name, text, gf_message());
    if (!rc) {
        rc = backends_run(yardstick, &job, &in, &want, &wanted);
        CHECK_MSG(!rc, "openmp: %s: %s", text, gf_message());
    }
    if (!rc) {
        double error = distance(o, &out, &want, &furthest);
        /* A value near the border of two shades; and a frequency near zero, whose logarithm has the
         * rounding of all others in it, is many of 65536 off. */
        if (shades)
            CHECK_MSG(furthest <= (gf_dtype_size(o->dtype) > 1 ? 64 : 1) && error < 1e-2,
                      "%s: %s: off by %g, %.3g in all", s->backend->name, text, furthest, error);
        else if (o->kind == GF_PHASE)
            CHECK_MSG(error < 1e-3, "%s: %s: %.3g of the phases are off", s->backend->name, text,
                      error);
        else
            CHECK_MSG(error <= bound, "%s: %s: error %.3g, allowed %.3g", s->backend->name, text,
                      error, bound);
        bool plain = !shades && o->kind != GF_PHASE;
        struct worst *w = &s->worst[job.precision][1];
        if (plain && !(error / bound <= w->ratio)) {
            w->ratio = error / bound;
            w->error = error;
            snprintf(w->what, sizeof w->what, "%s", text);
        }
        if (s->shards == 1)
            printf("%s: %-52s %.2e\n", s->backend->name, text, plain ? error : furthest);
    }
    gf_filter_free(filter);
    gf_array_free(&in);
    gf_array_free(&out);
    gf_array_free(&want);
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}

void backends_large(struct subject *s) {
    struct gf_backend_options options = {.threads = s->shards > 1 ? 1 : 0};
    struct subject yardstick = {.backend = &gf_backend_openmp};
    int rc = gf_backend_openmp.open(&gf_backend_openmp, &options, &yardstick.context[0]);
    CHECK_MSG(!rc, "openmp: %s", gf_message());
    yardstick.context[1] = yardstick.context[0];
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs && !rc; i++)
        if (backends_mine(s) && (!strchr(jobs[i], '|') || backends_has_filters(s)))
            backends_compare(s, &yardstick, jobs[i]);
    if (yardstick.context[0])
        gf_backend_openmp.close(yardstick.context[0]);
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}
