/* Kernels for passes that the planner seldom asks for, on small arrays: its options are changed, and
 * the results must be those of its own choice.
 *
 *     test_gpu_forced [gpu] [BACKEND...]
 *
 * `gpu`: on a device that is not the CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/environment.h"
#include "core/gpu/plan/decision.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/run.h"
#include "tests/core/backends.h"
#include "tests/core/dwt_run.h"

/* Changes the digit behind `option`, "-DFAR=", in all passes' options that have it; returns in how
 * many. */
static int change(struct gf_gpu_plan *p, const char *option, char to) {
    int changed = 0;
    for (int i = 0; i < p->n_passes; i++) {
        char *at = strstr(p->pass[i].kernel.options, option);
        if (at && at[strlen(option)] != to) {
            at[strlen(option)] = to;
            changed++;
        }
    }
    return changed;
}

/* A chain's counters, which it must leave at zero. */
static void check_counters(const struct gf_gpu_run *m) {
    const struct gf_gpu_context *c = contexts[0];
    const int64_t bytes = m->program.plan->bytes[GF_GPU_CHAIN];
    uint32_t *counter = calloc(1, (size_t)bytes + 4);
    int rc =
        !counter || (bytes && c->api->download(c->gpu, counter, m->buffer[GF_GPU_CHAIN], 0, bytes));
    CHECK(!rc && !c->api->sync(c->gpu));
    for (int64_t i = 0; !rc && i < bytes / 4; i++)
        CHECK_MSG(!counter[i], "counter %lld of a chain is %u", (long long)i, counter[i]);
    free(counter);
}

/* Runs the plan a few times, and drops it. */
static bool run_plan(struct gf_gpu_plan *p, const struct gf_array *in, struct gf_array *out) {
    const struct gf_gpu_context *c = contexts[0];
    struct gf_gpu_run m = {.program.plan = p};
    int64_t n[GF_MAX_RANK];
    gf_job_out_shape(&p->job, 0, n);
    int rc = gf_array_alloc(out, p->job.out[0].dtype, p->job.ndim + 1, n);
    if (!rc)
        rc = gf_gpu_program_prepare(c, &m.program, 0);
    for (int i = 0; i < 3 && !rc; i++) {
        rc = gf_gpu_run_upload(c, &m, in);
        if (!rc)
            rc = gf_gpu_run_launch(c, &m, 0, m.program.plan->n_passes);
        if (!rc)
            check_counters(&m);
    }
    if (!rc)
        rc = gf_gpu_run_download(c, &m, out, NULL);
    CHECK_MSG(!rc, "%s", gf_message());
    gf_gpu_run_drop(c, &m);
    return !rc;
}

/* Runs the job, with FAR changed where `far` is set. */
static bool run_changed(const struct gf_job *job, bool far, const struct gf_array *in,
                        struct gf_array *out) {
    const struct gf_gpu_context *c = contexts[0];
    struct gf_gpu_plan *p;
    if (gf_gpu_plan_make(job, &c->props, &p))
        return false;
    if (far)
        CHECK(change(p, "-DFAR=", '1') > 0);
    return run_plan(p, in, out);
}

/* The relative difference, of pixels in shades, of one kernel's results from another's: compilers may
 * round them differently. */
static double difference(const struct gf_array *a, const struct gf_array *b) {
    double wrong = 0, size = 0;
    int64_t count = gf_array_count(a);
    if (a->dtype == GF_U8) {
        for (int64_t i = 0; i < count; i++)
            wrong += abs(((uint8_t *)a->data)[i] - ((uint8_t *)b->data)[i]);
        return wrong / (double)count;
    }
    const bool wide = a->dtype == GF_C128 || a->dtype == GF_F64;
    for (int64_t i = 0; i < count * (gf_dtype_is_complex(a->dtype) ? 2 : 1); i++) {
        const double x = wide ? ((double *)a->data)[i] : ((float *)a->data)[i];
        const double y = wide ? ((double *)b->data)[i] : ((float *)b->data)[i];
        wrong += pow(x - y, 2);
        size += pow(x, 2);
    }
    return sqrt(wrong / size);
}

static struct gf_job job_of(int turn) {
    static const int64_t shapes[][3] = {{96, 40, 1}, {17, 50, 1}, {12, 18, 10}, {6, 31, 1}};
    int64_t n[3];
    memcpy(n, shapes[turn / 3], sizeof n);
    struct gf_job job = backends_job(GF_FORWARD, turn % 3 ? GF_F32 : GF_C64, GF_SINGLE,
                                     n[2] > 1 ? 3 : 2, n[0], n[1], n[2]);
    job.out[0].half = turn % 3 == 1;
    if (turn % 3 == 2) {
        job.in_dtype = GF_U8;
        job.out[0] = (struct gf_output){.kind = GF_MAGNITUDE,
                                        .dtype = GF_U8,
                                        .map = GF_MAP_DISPLAY,
                                        .scale = GF_SCALE_LOG,
                                        .shift = true};
    }
    return job;
}

static void test_far(void) {
    for (int turn = 0; turn < 12; turn++) {
        struct gf_job job = job_of(turn);
        struct gf_array in = {0}, near = {0}, far = {0};
        int64_t n[GF_MAX_RANK];
        gf_job_in_shape(&job, n);
        CHECK_EQ(gf_array_alloc(&in, job.in_dtype, job.ndim + 1, n), 0);
        backends_fill(&in, &seed);
        bool ran = run_changed(&job, false, &in, &near) && run_changed(&job, true, &in, &far);
        double most = job.out[0].dtype == GF_U8 ? 1e-3 : 1e-7,
               found = ran ? difference(&near, &far) : 1;
        CHECK_MSG(found <= most, "turn %d: %.3g", turn, found);
        gf_array_free(&in);
        gf_array_free(&near);
        gf_array_free(&far);
    }
}

/* Plans the job for a device of a few units whose tiles are so small that two of the passes become
 * one launch. */
static bool plan_chained(const struct gf_job *job, struct gf_gpu_props *props,
                         struct gf_gpu_plan **p) {
    const struct gf_gpu_context *c = contexts[0];
    *props = c->props;
    props->units = 2;
    props->chain_bytes = 1;
    for (int64_t kib = 8; kib <= 40; kib += 4) {
        props->local_bytes = props->unit_local_bytes = kib << 10;
        if (props->local_bytes > c->props.local_bytes || gf_gpu_plan_make(job, props, p))
            return false;
        if ((*p)->n_chains)
            return true;
        gf_gpu_plan_free(*p);
    }
    return false;
}

/* Runs the job as one launch of two passes, and as two. */
static bool run_chained(const struct gf_job *job, const struct gf_array *in, struct gf_array *one,
                        struct gf_array *apart) {
    struct gf_gpu_props props;
    struct gf_gpu_plan *p;
    if (!plan_chained(job, &props, &p) || !run_plan(p, in, one))
        return false;
    props.chain_bytes = 0;
    return !gf_gpu_plan_make(job, &props, &p) && run_plan(p, in, apart);
}

/* Runs the job with planes that a tile holds whole, and as it is planned for a CPU: in two passes. */
static bool run_planes(const struct gf_job *job, const struct gf_array *in, struct gf_array *whole,
                       struct gf_array *apart) {
    const struct gf_gpu_context *c = contexts[0];
    struct gf_gpu_props props = c->props;
    struct gf_gpu_plan *p;
    props.is_cpu = false;
    props.unit_local_bytes = 4 * props.local_bytes;
    props.units = 2; /* a lone plane would leave those of a large device idle */
    if (gf_gpu_plan_make(job, &props, &p))
        return false;
    const bool volume =
        job->axes == 7 && gf_job_is_real(job); /* whose mirror images are other planes */
    bool planes = false;
    for (int i = 0; i < p->n_chains; i++)
        planes |= !strcmp(p->chain[i].kernel.entry, "fft_planes");
    CHECK(planes == !volume);
    props.is_cpu = true;
    return run_plan(p, in, whole) && !gf_gpu_plan_make(job, &props, &p) && run_plan(p, in, apart);
}

/* Runs the job with tiles of so few points that its lines are cut in three, and as it is planned for
 * the device. */
static bool run_cut(const struct gf_job *job, const struct gf_array *in, struct gf_array *three,
                    struct gf_array *usual) {
    const struct gf_gpu_context *c = contexts[0];
    struct gf_gpu_props props = c->props;
    struct gf_gpu_plan *p;
    props.local_bytes = props.unit_local_bytes = 4 << 10;
    if (gf_gpu_plan_make(job, &props, &p))
        return false;
    CHECK_EQ(p->n_passes, 3);
    return run_plan(p, in, three) && !gf_gpu_plan_make(job, &c->props, &p) &&
           run_plan(p, in, usual);
}

/* Runs the job with tiles of so few points that its rows are cut in two, and as it is planned for the
 * device. */
static bool run_rows_cut(const struct gf_job *job, const struct gf_array *in, struct gf_array *cut,
                         struct gf_array *usual) {
    const struct gf_gpu_context *c = contexts[0];
    struct gf_gpu_props props = c->props;
    struct gf_gpu_plan *p;
    props.local_bytes = props.unit_local_bytes = 2 << 10;
    if (gf_gpu_plan_make(job, &props, &p))
        return false;
    const struct gf_gpu_pass *last = &p->pass[p->n_passes - 1];
    CHECK(strstr(last->kernel.options, "-DWHOLE_OUT=0") && last->store == STORE_SAMPLE);
    return run_plan(p, in, cut) && !gf_gpu_plan_make(job, &c->props, &p) && run_plan(p, in, usual);
}

/* Runs the job with the last radix of its columns in the pass along the rows, and as it is planned for
 * the device. */
static bool run_across(const struct gf_job *job, const struct gf_array *in, struct gf_array *across,
                       struct gf_array *usual) {
    const struct gf_gpu_context *c = contexts[0];
    struct gf_gpu_plan *p;
    if (gf_gpu_plan_make_way(job, &c->props, "across", &p))
        return false;
    const struct gf_gpu_pass *last = &p->pass[p->n_passes - 1];
    CHECK(strstr(last->kernel.options, "-DACROSS=1"));
    return run_plan(p, in, across) && !gf_gpu_plan_make(job, &c->props, &p) &&
           run_plan(p, in, usual);
}

/* Runs the job with radices of z and y, 4 and 2, in the pass along the rows, and as it is planned for the
 * device. */
static bool run_joined(const struct gf_job *job, const struct gf_array *in, struct gf_array *joined,
                       struct gf_array *usual) {
    const struct gf_gpu_context *c = contexts[0];
    const char *way = job->shape[1] % 2 ? "left4x1" : "left4x2";
    struct gf_gpu_plan *p;
    if (gf_gpu_plan_make_way(job, &c->props, way, &p))
        return false;
    bool found = false;
    for (int i = 0; i < p->n_passes; i++)
        found = found || strstr(p->pass[i].kernel.options, "-DJOIN_Z=4");
    CHECK(found);
    return run_plan(p, in, joined) && !gf_gpu_plan_make(job, &c->props, &p) &&
           run_plan(p, in, usual);
}

/* Runs the job for a device of three units with small groups, whose memory holds one tile and what it
 * fetches ahead, and as it is planned for the device. */
static bool run_ahead(const struct gf_job *job, const struct gf_array *in, struct gf_array *ahead,
                      struct gf_array *usual) {
    const struct gf_gpu_context *c = contexts[0];
    struct gf_gpu_props props = c->props;
    struct gf_gpu_plan *p;
    bool found = false;
    props.units = 3;
    props.max_group = 8;
    props.fetches = true;
    for (int64_t kib = 2; kib <= 8 && !found; kib++) {
        props.local_bytes = props.unit_local_bytes = kib << 10;
        if (props.local_bytes > c->props.local_bytes || gf_gpu_plan_make(job, &props, &p))
            continue;
        found = !strcmp(p->pass[0].kernel.entry, "fft_ahead");
        if (!found)
            gf_gpu_plan_free(p);
    }
    return found && run_plan(p, in, ahead) && !gf_gpu_plan_make(job, &c->props, &p) &&
           run_plan(p, in, usual);
}

/* Runs the job for a device that is not the CPU, whose items read and write short rows in the order of
 * memory, and for the CPU, where each reads a row by itself. */
static bool run_coalesced(const struct gf_job *job, const struct gf_array *in,
                          struct gf_array *coalesced, struct gf_array *apart) {
    const struct gf_gpu_context *c = contexts[0];
    struct gf_gpu_props props = c->props;
    struct gf_gpu_plan *p;
    bool found = false;
    props.is_cpu = false;
    props.units = 1; /* more would prefer more groups, of fewer rows */
    if (gf_gpu_plan_make(job, &props, &p))
        return false;
    for (int i = 0; i < p->n_passes; i++)
        found = found || strstr(p->pass[i].kernel.options, "-DCOALESCED_");
    CHECK_MSG(found, "rows of %lld points: %s", (long long)job->shape[job->ndim - 1],
              p->pass[0].kernel.options);
    props.is_cpu = true;
    return run_plan(p, in, coalesced) && !gf_gpu_plan_make(job, &props, &p) &&
           run_plan(p, in, apart);
}

/* Runs the job's candidate `which` for a GPU, and as it is planned for the device. */
static int which;
static bool run_candidate(const struct gf_job *job, const struct gf_array *in,
                          struct gf_array *chosen, struct gf_array *usual) {
    const struct gf_gpu_context *c = contexts[0];
    struct gf_gpu_candidate list[GF_GPU_CANDIDATES];
    struct gf_gpu_props props = c->props;
    struct gf_gpu_plan *p;
    props.is_cpu = false;
    props.units = 16;
    const int n = gf_gpu_candidates(job, &props, list);
    CHECK_MSG(n > which, "%d candidates", n);
    struct gf_gpu_choices choices = {.script = list[which % n].script};
    return !gf_gpu_plan_make_chosen(job, &props, &choices, &p) && run_plan(p, in, chosen) &&
           !gf_gpu_plan_make(job, &c->props, &p) && run_plan(p, in, usual);
}

typedef bool run_both(const struct gf_job *, const struct gf_array *, struct gf_array *,
                      struct gf_array *);

static void check_both(const char *what, const struct gf_job *job, run_both *run) {
    struct gf_array in = {0}, a = {0}, b = {0};
    int64_t n[GF_MAX_RANK];
    gf_job_in_shape(job, n);
    CHECK_EQ(gf_array_alloc(&in, job->in_dtype, job->ndim + 1, n), 0);
    backends_fill(&in, &seed);
    double found = run(job, &in, &a, &b) ? difference(&b, &a) : 1;
    CHECK_MSG(found <= (job->out[0].dtype == GF_U8 ? 1e-3 : 5e-7), "%s of %lldx%lldx%lld: %.3g",
              what, (long long)job->shape[0], (long long)job->shape[1], (long long)job->shape[2],
              found);
    gf_array_free(&in);
    gf_array_free(&a);
    gf_array_free(&b);
}

/* Lines of reals to half spectra, or back. */
static struct gf_job real_lines(bool back, int64_t lines, int64_t length) {
    struct gf_job job = backends_job(back ? GF_INVERSE : GF_FORWARD, back ? GF_C64 : GF_F32,
                                     GF_SINGLE, 3, (int64_t)1, lines, length);
    job.axes = 4;
    if (back) {
        job.in_half = job.real = true;
        job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    } else {
        job.out[0].half = true;
    }
    return job;
}

static void test_candidates(void) {
    static const char *const jobs[] = {
        "fwd c64 96x120 > complex",           "fwd f32 128x96 > complex half",
        "inv c64 64x80 real half > real f32", "fwd u8 100x128 > magnitude u8 display shift",
        "fwd c64 12x20x18 > complex",         "fwd c64 74x34 > complex"};
    for (int i = 0; i < 6; i++) {
        struct gf_job job;
        CHECK(backends_parse(jobs[i], &job));
        for (which = 1; which < 8; which += 3)
            check_both(jobs[i], &job, run_candidate);
    }
}

static void test_chains(void) {
    static const struct {
        int64_t shape[3];
        unsigned axes;
    } cases[] = {{{1, 8192, 132}, 7},
                 {{9, 64, 64}, 6},
                 {{9, 128, 128}, 6},
                 {{16, 128, 128}, 7},
                 {{1, 20, 65536}, 4}};
    for (int turn = 0; turn < 5; turn++) {
        const int64_t *s = cases[turn].shape;
        struct gf_job job = backends_job(turn % 2 ? GF_INVERSE : GF_FORWARD, GF_C64, GF_SINGLE, 3,
                                         s[0], s[1], s[2]);
        job.axes = cases[turn].axes;
        check_both("a chain", &job, run_chained);
    }
    for (int turn = 0; turn < 2; turn++) {
        struct gf_job job = real_lines(turn, 20, 65536);
        check_both("a chain of real lines", &job, run_chained);
    }
    static const int64_t real[][3] = {{9, 128, 64}, {10, 128, 64}};
    for (int turn = 0; turn < 2; turn++) { /* planes; and each with its mirror image */
        const int64_t *s = real[turn];
        struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 3, s[0], s[1], s[2]);
        job.axes = turn ? 7 : 6;
        job.out[0].half = true;
        check_both("a chain of real planes", &job, run_chained);
    }
}

/* Both directions and precisions: planes that fill no tile, one alone, axes of different lengths, a volume,
 * whose last two passes are along the axes of its planes; reals there and back, and odd lengths of them. */
static void test_planes(void) {
    static const struct {
        int64_t shape[3];
        unsigned axes;
        bool back, wide, real;
    } cases[] = {{{37, 16, 16}, 6, false, false, false}, {{37, 28, 28}, 6, true, false, false},
                 {{5, 64, 64}, 6, false, false, false},  {{1, 48, 48}, 6, true, true, false},
                 {{3, 16, 64}, 6, false, true, false},   {{3, 60, 25}, 6, true, false, false},
                 {{24, 32, 32}, 7, false, false, false}, {{5, 32, 32}, 6, false, false, true},
                 {{6, 16, 16}, 7, false, false, true},   {{6, 16, 16}, 7, true, false, true},
                 {{5, 32, 32}, 6, true, false, true},    {{37, 15, 21}, 6, false, true, true},
                 {{37, 21, 15}, 6, true, false, true},   {{3, 64, 30}, 6, true, true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *s = cases[i].shape;
        const bool wide = cases[i].wide, back = cases[i].back, real = cases[i].real;
        const enum gf_dtype complex = wide ? GF_C128 : GF_C64, sample = wide ? GF_F64 : GF_F32;
        struct gf_job job =
            backends_job(back ? GF_INVERSE : GF_FORWARD, real && !back ? sample : complex,
                         wide ? GF_DOUBLE : GF_SINGLE, 3, s[0], s[1], s[2]);
        job.axes = cases[i].axes;
        job.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = complex, .half = real};
        if (real && back) {
            job.in_half = job.real = true;
            job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = sample};
        }
        check_both("planes in a tile", &job, run_planes);
    }
}

/* A picture whose columns are fetched ahead, several tiles in turn, and not as many by each group. */
static void test_ahead(void) {
    struct gf_job job = backends_job(GF_FORWARD, GF_U8, GF_SINGLE, 3, 1, 64, 128);
    check_both("tiles fetched ahead", &job, run_ahead);
}

/* Real lines, folded. */
static void test_cuts(void) {
    for (int turn = 0; turn < 2; turn++) {
        struct gf_job job = real_lines(turn, 1, 3 << 20);
        check_both("a line", &job, run_cut);
    }
}

/* Pictures and a volume whose display range is found in the second part of their rows; one with a prime
 * there. */
static void test_rows_cut(void) {
    static const struct {
        int64_t shape[3];
        enum gf_kind kind;
    } cases[] = {
        {{1, 24, 2048}, GF_MAGNITUDE}, {{6, 10, 1152}, GF_POWER}, {{1, 30, 1216}, GF_IMAG}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *n = cases[i].shape;
        struct gf_job job =
            backends_job(GF_FORWARD, GF_U8, i == 1 ? GF_DOUBLE : GF_SINGLE, 3, n[0], n[1], n[2]);
        job.out[0] = (struct gf_output){.kind = cases[i].kind,
                                        .dtype = GF_U8,
                                        .map = GF_MAP_DISPLAY,
                                        .shift = i != 1,
                                        .range = GF_RANGE_AUTO};
        check_both("rows that are cut", &job, run_rows_cut);
    }
}

/* Both directions, reals, samples with and without the search for their range; halves of odd length,
 * rows that are their own mirror images, volumes, batches. */
static void test_across(void) {
    static const struct {
        int64_t shape[3];
        unsigned axes;
        enum { FORTH, BACK, HALF, FULL, AUTO } way;
    } cases[] = {{{1, 96, 40}, 7, FORTH}, {{6, 10, 12}, 7, BACK}, {{9, 22, 30}, 6, HALF},
                 {{6, 12, 10}, 7, HALF},  {{1, 50, 64}, 7, FULL}, {{1, 64, 48}, 7, AUTO}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *n = cases[i].shape;
        const int way = cases[i].way;
        struct gf_job job = backends_job(way == BACK ? GF_INVERSE : GF_FORWARD,
                                         way < HALF    ? GF_C64
                                         : way == HALF ? GF_F32
                                                       : GF_U8,
                                         GF_SINGLE, 3, n[0], n[1], n[2]);
        job.axes = cases[i].axes;
        job.out[0].half = way == HALF;
        if (way > HALF)
            job.out[0] = (struct gf_output){.kind = GF_MAGNITUDE,
                                            .dtype = GF_U8,
                                            .map = GF_MAP_DISPLAY,
                                            .scale = GF_SCALE_LOG,
                                            .shift = true,
                                            .range = way == FULL ? GF_RANGE_FULL : GF_RANGE_AUTO};
        check_both("a radix across", &job, run_across);
    }
}

/* Both directions, a radix of z alone, a step that stores after the rows, and channels, with which the first
 * pass has five indices. */
static void test_joined(void) {
    static const struct {
        int64_t shape[3];
        enum gf_direction direction;
        int channels;
        bool shifted;
    } cases[] = {{{16, 4, 32}, GF_FORWARD, 1, false},
                 {{8, 6, 32}, GF_INVERSE, 3, false},
                 {{8, 5, 16}, GF_FORWARD, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *n = cases[i].shape;
        struct gf_job job =
            backends_job(cases[i].direction, GF_C64, GF_SINGLE, 3, n[0], n[1], n[2]);
        job.channels = cases[i].channels;
        job.out[0].shift = cases[i].shifted;
        check_both("joined rows", &job, run_joined);
    }
}

/* Rows of few points: complex ones, whose number no tile divides, of planes; samples to half spectra and
 * back, the last row without a partner; a norm; large primes. */
static void test_rows(void) {
    static const struct {
        int64_t shape[3];
        enum { THERE, BACKWARD, HALVES, REALS, BYTES, NUMBERS } way;
        enum gf_precision precision;
    } cases[] = {{{1, 301, 5}, THERE, GF_SINGLE},   {{3, 77, 16}, BACKWARD, GF_SINGLE},
                 {{1, 260, 24}, THERE, GF_SINGLE},  {{2, 135, 2}, THERE, GF_SINGLE},
                 {{1, 301, 10}, HALVES, GF_SINGLE}, {{3, 77, 13}, HALVES, GF_SINGLE},
                 {{1, 131, 16}, REALS, GF_SINGLE},  {{2, 99, 7}, REALS, GF_SINGLE},
                 {{1, 301, 12}, BYTES, GF_SINGLE},  {{1, 200, 29}, HALVES, GF_SINGLE},
                 {{1, 131, 23}, HALVES, GF_SINGLE}, {{1, 131, 34}, REALS, GF_SINGLE},
                 {{1, 131, 31}, HALVES, GF_SINGLE}, {{1, 150, 8}, NUMBERS, GF_SINGLE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *n = cases[i].shape;
        const int way = cases[i].way;
        const bool back = way == BACKWARD || way == REALS;
        struct gf_job job = backends_job(back ? GF_INVERSE : GF_FORWARD,
                                         way == BYTES                      ? GF_U8
                                         : way == HALVES || way == NUMBERS ? GF_F32
                                                                           : GF_C64,
                                         cases[i].precision, 3, n[0], n[1], n[2]);
        job.axes = 4;
        job.norm = i % 2 ? GF_NORM_ORTHO : GF_NORM_BACKWARD;
        job.out[0].half = way == HALVES || way == BYTES;
        if (way == REALS) {
            job.in_half = job.real = true;
            job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
        }
        if (way == NUMBERS)
            job.out[0] = (struct gf_output){.kind = GF_MAGNITUDE, .dtype = GF_F32};
        check_both("rows", &job, run_coalesced);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} kernels[] = {{"kernels for arrays beyond 32 bits", test_far},
               {"chained passes", test_chains},
               {"planes in a tile", test_planes},
               {"lines that are cut", test_cuts},
               {"radices across rows", test_across},
               {"joined rows", test_joined},
               {"rows of few points", test_rows},
               {"tiles fetched ahead", test_ahead},
               {"rows cut by the display range", test_rows_cut},
               {"candidates of the choice", test_candidates}};

int main(int argc, char **argv) {
    gf_environment_read();
    bool gpu = argc > 1 && !strcmp(argv[1], "gpu");
    for (int i = 0; gf_backends[i]; i++) {
        char reason[GF_REASON], number[16];
        struct gf_backend_options options = {
            .environment = gf_environment(), .threads = 1, .device = gf_environment_device()};
        bool wanted = argc == 1 + gpu;
        backend = gf_backends[i];
        for (int k = 1; k < argc; k++)
            wanted = wanted || !strcmp(argv[k], backend->name);
        if (!wanted || (backend != &gf_backend_opencl && backend != &gf_backend_cuda))
            continue;
        if (backend->probe(backend, gf_environment(), reason) ||
            (gpu && !(options.device = find_gpu(number)))) {
            printf("%s: skipped\n", backend->name);
            continue;
        }
        NEED(!backend->open(backend, &options, &contexts[0]));
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            RUN(case_name("%s: %s give the planner's own results", backend->name, kernels[k].name),
                kernels[k].run());
        backend->close(contexts[0]);
    }
    return TEST_END();
}
