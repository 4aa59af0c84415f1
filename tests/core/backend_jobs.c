/* Jobs by name: one for each way through a backend's kernels, so that none is left to chance where
 * only a sample of the random jobs can be run.
 *
 *     fwd u16 40x36 axes=3 ch=3 ortho > magnitude u8 display shift, phase f32
 *
 * Direction, input type, shape; then any of axes=MASK ch=N double ortho norm-forward luma, of an
 * inverse's input real half centred; part: about half of each axis is counted where it clips. After '>' the outputs: kind and type (a complex one's may be
 * left out), then any of display linear sqrt range auto shift half. */
#include <stdlib.h>
#include <string.h>

#include "tests/core/backends.h"
#include "tests/test.h"

/* Lengths: 60, 48, 45 and 35 are products of radices, 61 goes by Rader, 83 and 107 by
 * Bluestein, 16384 and 20000 are cut, 10007, 65537 and columns of 4001 are cut convolutions. */
static const char *const jobs[] = {
    /* Real samples to half spectra and pictures, over all axes. */
    "fwd f32 60x48 > complex half",
    "fwd f32 45x35 > complex half",
    "fwd f32 61x17 > complex half",
    "fwd f32 83x107 > complex half",
    "fwd f64 60x61 double > complex half",
    "fwd u8 60x48 > magnitude u8 display shift",
    "fwd u8 45x35 > magnitude u8 display",
    "fwd u8 61x17 > magnitude u8 display shift",
    "fwd u8 83x107 > magnitude u8 display shift",
    "fwd u16 60x83 > magnitude u16 display shift sqrt",
    "fwd u16 40x36 ch=3 > power u16 display shift linear range",
    "fwd u8 40x36 ch=3 luma > magnitude u8 display shift",
    "fwd u8 30x33 ch=4 > phase u8 display shift",
    "fwd u8 60x48 > magnitude u8 display shift auto",
    "fwd u8 45x37 ch=3 > power u8 display shift auto",
    "fwd u8 2x640 > magnitude u8 display auto",
    "fwd u8 64x70 > magnitude u16 display auto linear, imag u8 display auto, real u8 display auto",
    "fwd f32 40x36 > magnitude u8 display shift auto",
    "fwd c64 40x36 > magnitude u8 display shift auto",
    "fwd u8 12x13x64 > magnitude u8 display shift auto",
    "fwd u8 9x40x37 axes=6 > magnitude u8 display shift auto",
    "fwd u8 61x8 axes=1 > magnitude u8 display shift auto",
    "fwd u8 6000 > magnitude u8 display shift auto",
    "fwd u8 40x36 double > magnitude u8 display shift auto",
    "fwd u8 31x30 ch=2 > phase f32 shift",
    "fwd u8 33x30 > imag u8 display shift",
    "fwd f32 30x31 > real f32",
    "fwd i16 30x32 > imag i16",
    "fwd u16 36x40 double > magnitude u16 display shift",
    "fwd u8 35x36 double ortho > phase f64 shift",
    "fwd f64 30x28 double > complex",
    "fwd u8 24x20 > magnitude u8 display shift, phase f32, power f32 half, real i16, imag u16 "
    "display "
    "linear, complex shift, complex half",
    "fwd f32 6x10x12 > complex half",
    "fwd u8 5x9x7 > magnitude u8 display shift",
    "fwd u16 17x6x83 axes=5 ch=2 > power f32 shift",
    "fwd f32 12x10x9 axes=3 > complex shift",
    /* Along one axis: two lines make one. */
    "fwd f32 7x60 axes=2 > complex half",
    "fwd f32 7x61 axes=2 > complex half",
    "fwd f32 8x83 axes=2 > complex half",
    "fwd f32 60x7 axes=1 > complex half",
    "fwd u8 61x8 axes=1 > magnitude u8 display shift",
    "fwd u8 5x45 axes=2 ch=3 double > phase f32 shift",
    "fwd f32 360 > complex half",
    "fwd u16 38 axes=1 ch=3 double ortho > complex half",
    "fwd u32 9x9 axes=1 ch=5 ortho > complex half",
    /* Complex numbers, and reals taken as such. */
    "fwd c64 60x48 > complex",
    "fwd c64 61x83 > complex",
    "inv c64 45x107 > complex",
    "inv c128 60x17 double ortho > complex",
    "fwd c64 48x61 > magnitude f32 shift",
    "fwd c64 83x48 > phase u8 display shift",
    "inv f32 40x36 > imag f32",
    "inv u8 36x83 > magnitude f32",
    "fwd c64 10x12x9 axes=6 ch=3 > complex shift",
    /* Spectra back to pictures. */
    "inv c64 60x48 real half > real f32",
    "inv f64 64 real half ch=5 > power u8",
    "inv c64 45x35 real half > real u8",
    "inv c64 61x17 real half > real f32",
    "inv c64 83x107 real half ch=3 > real u16",
    "inv c64 60x83 real > real u8",
    "inv c64 35x36 real centred > real f32",
    "inv c128 48x61 double real half > real f64",
    "inv c64 40x37 real half centred > real u8 display, magnitude f32",
    "inv c64 6x10x12 real half > real f32",
    "inv c64 18x20x64 real half centred > real u8 display, magnitude f32",
    "inv c128 17x19x32 double real half > real f64",
    "inv c64 9x10x12 axes=5 real > real f32",
    "inv c64 7x60 axes=2 real half > real f32",
    "inv c64 7x61 axes=2 real half > real u8",
    "inv c64 8x83 axes=2 real half > real f32",
    "inv c128 60x5 axes=1 double real > real f64",
    /* A large prime beside other factors, in one tile: one stage of them, two, and three. */
    "fwd c64 74x9 > complex",
    "inv c64 9x301 real half > real f32",
    "fwd f32 602x9 > complex half",
    "fwd u8 60x1290 > magnitude u8 display shift",
    "fwd u8 86x34 ch=3 > magnitude u8 display shift auto",
    "fwd c64 4097x3 axes=1 > complex",
    "inv c64 5504x3 > complex",
    "inv c128 1634x5 double real half > real f64",
    "fwd c128 1022x3 double > complex",
    /* Codelets of large primes. */
    "fwd c64 17x19 > complex",
    "inv c64 46x58 real half > real f32",
    "fwd f64 62x29 double > complex half",
    "fwd u8 124x437 > magnitude u8 display shift",
    /* Lines beyond a tile. */
    "fwd c64 16384 > complex",
    "inv c64 20000 > complex",
    "fwd c64 4001x70 axes=1 > complex",
    "fwd f32 4001x70 > complex half",
    "inv c64 4001x34 real half > real u8",
    "fwd c64 4000x20 axes=1 > complex",
    "fwd f32 65537 > complex half",
    "inv c64 10007 real half > real f32",
    "fwd u8 20000 > magnitude u8 display shift",
    "fwd u8 3x16384 > magnitude u8 display shift",
    "fwd u16 20000x3 > power f32 shift",
    "fwd u8 10007x2 ch=3 > magnitude u8 display shift",
    "fwd f32 2x10007 > complex half",
    "inv c64 2x16384 real half > real f32",
    "inv c64 16384x3 real half ortho > real u16",
    "inv c64 2x10007 real > real f32",
    "fwd c128 2x16384 axes=2 double > complex",
    "fwd f64 10007x2 double > complex half",
    /* Real lines beyond a tile, and no other axis. */
    "fwd u8 2x98304 axes=2 ch=3 ortho > complex half",
    "inv c64 2x98304 axes=2 real half ortho > real u8",
    "fwd f64 65536x3 axes=1 double > complex half",
    "inv c128 65536x3 axes=1 double real half > real f64",
    /* Hardly anything. */
    "fwd f32 1 > complex half",
    "fwd u8 1x60 > magnitude u8 display shift",
    "inv c64 60x1 real half > real f32",
    "fwd f32 16384x1 > complex",
    "inv c64 4099x1 real > real f32",
    "fwd u8 1x1x2 ch=3 > power f32",
};

/* The same ends on sizes for a simulator of 4 KiB of local memory, where a line is cut beyond 1024
 * points. */
static const char *const tiny[] = {
    "fwd f32 8x12 > complex half",
    "fwd f32 17x9 > complex half",
    "fwd f32 23x11 > complex half",
    "fwd u8 12x8 > magnitude u8 display shift",
    "fwd u16 17x23 ch=3 > phase f32 shift",
    "fwd u8 8x9 luma ch=3 > magnitude u8 display shift",
    "fwd u8 9x8 double > power u16 display linear",
    "fwd u8 4x6 > magnitude u8 display shift, phase f32, power f32 half, real i16, imag u16 "
    "display, "
    "complex shift, complex half",
    "fwd f32 3x4x5 > complex",
    "fwd f32 3x16 axes=2 > complex half",
    "fwd f32 3x17 axes=2 > complex half",
    "fwd f32 4x23 axes=2 > complex half",
    "fwd u8 16x3 axes=1 > magnitude u8 display shift",
    "fwd c64 16x17 > complex",
    "inv c64 23x16 > complex",
    "fwd c64 9x17 > magnitude u8 display shift",
    "inv f32 8x23 > imag f32",
    "inv c64 8x12 real half > real u8",
    "inv c64 17x9 real half > real f32",
    "inv c64 9x23 real centred > real f32",
    "inv c64 3x16 axes=2 real half > real f32",
    "inv c64 3x17 axes=2 real > real u8",
    "inv c64 4x23 axes=2 real half > real f32",
    "inv c128 8x17 double real half > real f64",
    "fwd u8 64x2 > magnitude u8 display shift",
    "fwd c64 64x3 axes=1 > complex",
    "fwd c64 2048 > complex",
    "fwd u8 2x2048 > magnitude u8 display shift",
    "fwd f32 2048x3 > complex half",
    "inv c64 2048x2 real half > real f32",
    "fwd u8 4096 > complex half",
    "inv c64 4096 real half > real f32",
    "fwd f32 1031 > complex half",
    "inv c64 1031x2 real half > real u8",
    "fwd c64 74 > complex",
    "inv c64 5x602 real half > real u8",
};

static bool set_word(struct gf_job *job, const char *word) {
    static const struct {
        const char *name;
        size_t offset;
    } flags[] = {{"luma", offsetof(struct gf_job, luma)},
                 {"real", offsetof(struct gf_job, real)},
                 {"half", offsetof(struct gf_job, in_half)},
                 {"centred", offsetof(struct gf_job, in_shift)}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strcmp(word, flags[i].name))
            return *(bool *)((char *)job + flags[i].offset) = true;
    if (!strcmp(word, "double"))
        job->precision = GF_DOUBLE;
    else if (!strcmp(word, "ortho"))
        job->norm = GF_NORM_ORTHO;
    else if (!strcmp(word, "norm-forward"))
        job->norm = GF_NORM_FORWARD;
    else if (!strcmp(word, "part"))
        for (int i = 0; i < job->ndim; i++)
            job->counted[i] = (job->shape[i] + 1) / 2 | 1;
    else if (!strncmp(word, "axes=", 5))
        job->axes = (unsigned)atoi(word + 5);
    else if (!strncmp(word, "ch=", 3))
        job->channels = atoi(word + 3);
    else
        return false;
    return true;
}

static bool set_output_word(struct gf_output *o, const char *word) {
    if (!strcmp(word, "display"))
        o->map = GF_MAP_DISPLAY;
    else if (!strcmp(word, "linear"))
        o->scale = GF_SCALE_LINEAR;
    else if (!strcmp(word, "sqrt"))
        o->scale = GF_SCALE_SQRT;
    else if (!strcmp(word, "shift"))
        o->shift = true;
    else if (!strcmp(word, "half"))
        o->half = true;
    else if (!strcmp(word, "auto"))
        o->range = GF_RANGE_AUTO;
    else if (!strcmp(word, "range")) {
        o->range = GF_RANGE_GIVEN;
        o->low = 1;
        o->high = 40000;
    } else {
        for (int k = 0; k < GF_N_KINDS; k++)
            if (!strcmp(word, gf_kind_name((enum gf_kind)k))) {
                o->kind = (enum gf_kind)k;
                return true;
            }
        return !gf_dtype_parse(word, &o->dtype);
    }
    return true;
}

bool backends_parse(const char *text, struct gf_job *job) {
    char copy[400], *rest = copy, *word, *outputs;
    snprintf(copy, sizeof copy, "%s", text);
    *job = (struct gf_job){.channels = 1};
    outputs = strchr(copy, '>');
    if (!outputs)
        return false;
    *outputs++ = 0;
    word = strsep(&rest, " ");
    job->direction = strcmp(word, "inv") ? GF_FORWARD : GF_INVERSE;
    word = strsep(&rest, " ");
    if (!word || gf_dtype_parse(word, &job->in_dtype))
        return false;
    for (char *at = strsep(&rest, " "); at && *at && job->ndim < GF_MAX_DIMS; at += *at == 'x')
        job->shape[job->ndim++] = strtoll(at, &at, 10);
    job->axes = (1u << job->ndim) - 1;
    while ((word = strsep(&rest, " ")))
        if (*word && !set_word(job, word))
            return false;
    while (outputs && job->n_out < GF_MAX_OUTPUTS) {
        char *one = strsep(&outputs, ",");
        struct gf_output *o = &job->out[job->n_out++];
        o->dtype = job->precision == GF_DOUBLE ? GF_C128 : GF_C64;
        while ((word = strsep(&one, " ")))
            if (*word && !set_output_word(o, word))
                return false;
    }
    return true;
}

static void check_all(struct subject *s, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct gf_job job;
        bool fine = backends_parse(list[i], &job);
        CHECK_MSG(fine, "no job: %s", list[i]);
        if (fine)
            backends_check(s, &job, false);
    }
    s->passed += test_passed;
    s->failed += test_failed;
    test_passed = test_failed = 0;
}

void backends_named(struct subject *s) {
    if (s->tiny)
        check_all(s, tiny, sizeof tiny / sizeof *tiny);
    else
        check_all(s, jobs, sizeof jobs / sizeof *jobs);
}

const char *const *backends_named_jobs(int *n) {
    *n = sizeof jobs / sizeof *jobs;
    return jobs;
}
