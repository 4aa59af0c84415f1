/* Matches, Fourier ring correlations and registrations of core/op on arrays that are made here, without a file,
 * an option or a report: the values that gpufft gave for the same samples when they were steps of its commands. */
#include "core/op/frc.h"
#include "core/op/match.h"
#include "core/op/registration.h"
#include "core/op/signal.h"
#include "tests/core/op_rig.h"

/* ---- match ---- */

static const struct {
    enum gf_dtype dtype;
    int rank;
    int64_t shape[3], size[3],
        first; /* of the signal; of the template, a part of it from there on */
    bool weighted;
} matches[] = {
    {GF_F32, 1, {300}, {11}, 120, false},
    {GF_U8, 2, {60, 70}, {9, 7}, 13, false},
    {GF_F64, 2, {60, 70}, {9, 7}, 31, true},
    {GF_F32, 3, {12, 14, 16}, {3, 4, 5}, 6, true},
};

/* The template, and its weights or no data. */
static void make_template(int which, struct gf_array with[2]) {
    const enum gf_dtype t = matches[which].dtype;
    const int rank = matches[which].rank;
    with[0] = op_make(t, rank, matches[which].size, matches[which].first, 1);
    with[1] = op_make(t, rank, matches[which].size, 0, 2);
    for (int64_t i = 0; i < gf_array_count(&with[1]); i++) {
        char *p = gf_array_at(&with[0], i);
        const double more = gf_sample_get(gf_array_at(&with[1], i), with[1].dtype) / 4;
        gf_sample_put(p, with[1].dtype, gf_sample_get(p, with[1].dtype) + floor(more));
    }
    if (!matches[which].weighted)
        gf_array_free(&with[1]);
}

static int run_match(const struct gf_crew *crew, int which, double *fact) {
    const int rank = matches[which].rank;
    const bool single = matches[which].dtype == GF_F32;
    struct gf_operation op = {.kind = &gf_operation_match, .crew = *crew};
    struct gf_match_options o = {{.precision = single ? GF_SINGLE : GF_DOUBLE}, 3, 0.2};
    struct gf_array with[2], map = {0},
                             px = op_make(matches[which].dtype, rank, matches[which].shape, 0, 1);
    struct gf_facts facts = {0};
    int n = 0;
    make_template(which, with);
    const double first = gf_sample_get(with->data, with->dtype),
                 sample = gf_sample_get(px.data, px.dtype);
    OP_CHECK(!op_apply(&op, &o, with, 1 + matches[which].weighted, &px, &map));
    OP_CHECK(first == gf_sample_get(with->data, with->dtype)); /* what it changes are copies */
    OP_CHECK(sample == gf_sample_get(px.data, px.dtype));
    OP_CHECK(op.need > 2 * gf_array_bytes(&px));
    for (int i = 0; i < rank; i++)
        OP_CHECK(map.shape[i] == matches[which].shape[i] - matches[which].size[i] + 1);
    op.kind->facts(&op, &facts);
    const struct gf_fact *score = op_column(&facts, "peaks", "score"),
                         *corner = op_column(&facts, "peaks", "corner");
    for (int k = 0; k < score->rows; k++) {
        fact[n++] = op_value(score, k, 0);
        for (int i = 0; i < rank; i++)
            fact[n++] = op_value(corner, k, i);
    }
    gf_facts_free(&facts);
    op_drop(&op);
    gf_array_free(&map);
    gf_array_free(&px);
    gf_array_free(&with[0]);
    gf_array_free(&with[1]);
    return n;
}

static void test_match(void) {
    op_check(run_match, 0, 1e-5, 6,
             (double[]){0.9722544023678238, 119.9655996118113, 0.8531328947769067,
                        149.0080281953352, 0.8429851477723149, 184.11805977150422});
    op_check(run_match, 1, 1e-10, 9,
             (double[]){0.9691134986642138, 13.005834706706967, 12.990902698978896,
                        0.61739116597418, 28.994182242597237, 21.912088466401965,
                        0.6081691437033696, 37.99362660432299, 50.96215020711721});
    op_check(run_match, 2, 1e-10, 9,
             (double[]){0.956995110571432, 30.94982858493008, 30.959789023654913,
                        0.6063325949178553, 18.958730327381343, 56.83288665462118,
                        0.5924145619019126, 19.033433280950522, 43.020806010441596});
    op_check(run_match, 3, 1e-5, 12,
             (double[]){0.9687692523002625, 5.929472482512911, 6.083381312032466,
                        6.0783743857528325, 0.619114339351654, 0.0, 7.851203055156599,
                        3.790947971596741, 0.4896695017814636, 0.0, 0.0, 0.7199106324311557});
}

static void test_match_refusals(void) {
    struct gf_runner runner;
    gf_runner_open(&runner, op_engine, 0, 1);
    const struct gf_crew crew = {&runner, 1, gf_runner_limit(&runner)};
    struct gf_array t[2], other[2], map = {0}, px = op_make(GF_F64, 2, matches[1].shape, 0, 1),
                                    line = op_make(GF_F64, 1, (int64_t[]){50}, 0, 1);
    struct gf_match_options o = {{.precision = -1}, 3, 0.2};
    struct gf_operation op = {.kind = &gf_operation_match, .crew = crew};
    make_template(1, t);
    make_template(2, other);
    px.shape[1] = 6;
    CHECK_EQ(op_apply(&op, &o, t, 1, &px, &map), GF_EINVAL);
    CHECK_STR(gf_message(), "the template is larger: 7 samples along an axis of 6");
    px.shape[1] = matches[1].shape[1];
    op_drop(&op);
    CHECK_EQ(op_apply(&op, &o, t, 1, &line, &map), GF_EINVAL);
    op_drop(&op);
    op.crew = crew;
    CHECK_EQ(op_apply(&op, &o, t, 1, &px, &map), GF_ENOMEM);
    CHECK_HAS(gf_message(), "limit 1.0 GiB");
    op_drop(&op);
    gf_array_free(&px);
    px = op_make(GF_F32, 2, matches[1].shape, 0, 1);
    CHECK_EQ(op_apply(&op, &o, t, 1, &px, &map), GF_EINVAL);
    CHECK_STR(gf_message(), "f32 samples, and the template has f64");
    op_drop(&op);
    other[1].shape[0]--;
    CHECK_EQ(op_apply(&op, &o, other, 2, &px, &map), GF_EINVAL);
    CHECK_STR(gf_message(), "8x7, and the template is 9x7; both must have the same size");
    gf_operation_close(&op);
    for (int i = 0; i < 2; i++) {
        gf_array_free(&t[i]);
        gf_array_free(&other[i]);
    }
    gf_array_free(&px);
    gf_array_free(&line);
    gf_runner_close(&runner);
}

/* ---- frc ---- */

static const struct {
    enum gf_dtype dtype;
    int rank;
    int64_t shape[3];
    bool halves, masked;
    double spacing; /* metres */
    struct gf_frc_options options;
} rings[] = {
    {GF_U8, 2, {48, 60}, false, false, 0.5, {.n_thresholds = 0}},
    {GF_F32, 2, {64, 50}, true, false, 0, {.mask = "soft"}},
    {GF_F64, 3, {12, 16, 14}, false, true, 0, {.randomize = {.value = 0.2}}},
    {GF_F64, 1, {500}, true, false, 0, {.mask = "soft:90", .randomize = {.value = 0.1}}},
};

/* The signal, the mean of it and of others, and a mask. */
static void make_three(int which, struct gf_array a[3]) {
    const enum gf_dtype t = rings[which].dtype;
    for (int k = 0; k < 3; k++)
        a[k] = op_make(t, rings[which].rank, rings[which].shape, 0, k + 1);
    for (int64_t i = 0; i < gf_array_count(a); i++) {
        char *p = gf_array_at(&a[1], i);
        const double sum = gf_sample_get(p, a->dtype) + gf_sample_get(gf_array_at(a, i), a->dtype);
        gf_sample_put(p, a->dtype, floor(sum / 2));
    }
}

static int run_frc(const struct gf_crew *crew, int which, double *fact) {
    const bool single = rings[which].dtype == GF_F32;
    struct gf_frc_options o = rings[which].options;
    struct gf_operation op = {.kind = &gf_operation_frc, .crew = *crew};
    struct gf_array a[3];
    int n = 0;
    o.signal.precision = single ? GF_SINGLE : GF_DOUBLE;
    o.n_thresholds = 2;
    o.threshold[0] = (struct gf_frc_threshold){GF_FRC_CONSTANT, 0.5};
    o.threshold[1] = (struct gf_frc_threshold){GF_FRC_HALF_BIT, 0};
    make_three(which, a);
    for (int i = 0; i < rings[which].rank; i++)
        op.of.spacing[i] = rings[which].spacing, op.of.kind[i] = 'm';
    OP_CHECK(!op_apply(&op, &o, &a[1], rings[which].halves ? 0 : 1 + rings[which].masked, a, NULL));
    OP_CHECK(op.need > 2 * gf_array_bytes(a));
    const struct gf_frc *f = op.state;
    for (int k = 0; k < 2; k++)
        fact[n++] = isfinite(f->crossing[k]) && f->crossing[k] > 0 ? f->crossing[k] : -1;
    for (int64_t i = f->n / 4; i < f->n && n < 14; i += f->n / 4) {
        fact[n++] = f->curve[GF_FRC_FREQUENCY][i];
        fact[n++] = f->curve[GF_FRC_CORRELATION][i];
        fact[n++] = f->curve[GF_FRC_CORRECTED][i];
    }
    op_drop(&op);
    for (int k = 0; k < 3; k++)
        gf_array_free(&a[k]);
    return n;
}

static void test_frc(void) {
    op_check(run_frc, 0, 1e-10, 14,
             (double[]){0.13032902259416146, 0.12056277143780429, 0.23333333333333334,
                        0.5528080459480901, 0.5528080459480901, 0.4666666666666667,
                        0.802051664073583, 0.802051664073583, 0.7, 0.7072198838028717,
                        0.7072198838028717, 0.9333333333333333, 0.7103966856728542,
                        0.7103966856728542});
    op_check(run_frc, 1, 1e-5, 14,
             (double[]){0.14986334122623107, 0.15437353368839132, 0.0625, 0.9398107842056262,
                        0.9398107842056262, 0.125, 0.7698019535887385, 0.7698019535887385, 0.1875,
                        0.32063039699523255, 0.32063039699523255, 0.25, 0.09358925959729941,
                        0.09358925959729941});
    op_check(run_frc, 2, 1e-10, 14,
             (double[]){-1, -1, 0.125, 0.7608740733897453, 0.7608740733897453, 0.25,
                        0.7269206528414524, 0.6881343867324263, 0.375, 0.7380465596992758,
                        0.7241045726866635, 0.5, 0.6935530456323139, 0.682076514154802});
    op_check(run_frc, 3, 1e-10, 14,
             (double[]){0.03482839958204634, -1, 0.062, 0.7343989643329689, 0.7343989643329689,
                        0.124, -0.9641622266016591, -3.154306379210659, 0.186, 0.997282086199463,
                        0.9985795692896186, 0.248, 0.5824966375460479, 0.77773719546049});
}

/* Runs the operation on a signal, another one or none, and a mask or none. */
static int refused(const struct gf_crew *crew, const struct gf_array *px,
                   const struct gf_array *other, const struct gf_array *mask) {
    struct gf_frc_options o = {.signal.precision = -1};
    struct gf_operation op = {.kind = &gf_operation_frc, .crew = *crew};
    struct gf_array with[2] = {{.data = NULL}, {.data = NULL}};
    if (other)
        with[0] = *other;
    if (mask)
        with[1] = *mask;
    const int rc = op_apply(&op, &o, with, mask ? 2 : other ? 1 : 0, px, NULL);
    op_drop(&op);
    return rc;
}

static void test_frc_refusals(void) {
    struct gf_runner runner;
    gf_runner_open(&runner, op_engine, 0, 1);
    const struct gf_crew crew = {&runner, 1, 0}, full = {&runner, 1, gf_runner_limit(&runner)};
    struct gf_array a[3], single = op_make(GF_F32, 2, rings[0].shape, 0, 1);
    make_three(0, a);
    CHECK_EQ(refused(&full, a, &a[1], NULL), GF_ENOMEM);
    a[1].shape[0]--;
    CHECK_EQ(refused(&crew, a, &a[1], NULL), GF_EINVAL);
    CHECK_STR(gf_message(), "48x60, and the other is 47x60; both must have the same size");
    CHECK_EQ(refused(&crew, a, NULL, &a[1]), GF_EINVAL);
    CHECK_STR(gf_message(), "47x60, and the picture is 48x60; both must have the same size");
    CHECK_EQ(refused(&crew, a, &single, NULL), GF_EINVAL);
    CHECK_STR(gf_message(), "f64 samples, and the other has f32");
    CHECK_EQ(refused(&crew, a, NULL, &single), GF_EINVAL);
    memset(a[2].data, 0, (size_t)gf_array_bytes(&a[2]));
    CHECK_EQ(refused(&crew, a, NULL, &a[2]), GF_EINVAL);
    CHECK_HAS(gf_message(), "the mask leaves nothing");
    a[0].shape[1] = 1;
    CHECK_EQ(refused(&crew, a, NULL, NULL), GF_EINVAL);
    CHECK_HAS(gf_message(), "an axis of one sample");
    for (int k = 0; k < 3; k++)
        gf_array_free(&a[k]);
    gf_array_free(&single);
    gf_runner_close(&runner);
}

/* ---- registration and alignment ---- */

static const struct {
    enum gf_dtype dtype;
    int rank;
    int64_t shape[3];
    struct gf_registration_options options;
    double moved[3], turn,
        scale; /* what lies on the reference, of a smooth picture; 0: a field 3 samples on */
} pairs[] = {
    {GF_F64, 1, {400}, {{.precision = -1}, GF_SHIFT, GF_FILL_ZERO}, {0}, 0, 0},
    {GF_F32, 2, {260, 256}, {{.precision = -1}, GF_SHIFT, GF_FILL_EDGE}, {0}, 0, 0},
    {GF_F64, 3, {18, 20, 24}, {{.precision = -1}, GF_SHIFT, GF_FILL_ZERO}, {0}, 0, 0},
    {GF_U8, 2, {100, 96}, {{.precision = -1}, GF_RIGID, GF_FILL_EDGE}, {4, -6}, 8, 1},
    {GF_F32, 2, {120, 128}, {{.precision = -1}, GF_SIMILARITY, GF_FILL_ZERO}, {-5, 3}, -12, 1.06},
};

/* Moves a picture, whose samples stay whole if they are to be of u8. */
static struct gf_array moved(const struct gf_array *px, const struct gf_motion *m, bool whole) {
    struct gf_array to;
    OP_CHECK(!gf_array_alloc(&to, px->dtype, 2, px->shape));
    gf_motion_apply(px, m, true, 1, &to);
    for (int64_t i = 0; i < gf_array_count(&to) && whole; i++) {
        char *p = gf_array_at(&to, i);
        gf_sample_put(p, to.dtype, fmin(fmax(floor(gf_sample_get(p, to.dtype)), 0), 255));
    }
    return to;
}

static void make_pair(int which, struct gf_array *ref, struct gf_array *px) {
    const enum gf_dtype t = pairs[which].dtype;
    struct gf_motion m = {.scale = 4};
    *ref = op_make(t, pairs[which].rank, pairs[which].shape, 3, 1);
    if (!(pairs[which].scale > 0)) {
        *px = op_make(t, pairs[which].rank, pairs[which].shape, 0, 1);
        return;
    }
    const struct gf_array rough = *ref;
    *ref = moved(&rough, &m, t == GF_U8);
    memcpy(m.shift, pairs[which].moved, sizeof m.shift);
    m.turn = pairs[which].turn;
    m.scale = pairs[which].scale;
    *px = moved(ref, &m, t == GF_U8);
    gf_array_free((struct gf_array *)&rough);
}

/* Makes samples of the row's type. */
static struct gf_array typed(int which, const struct gf_array *px) {
    struct gf_array a;
    OP_CHECK(!gf_array_alloc(&a, pairs[which].dtype, px->rank, px->shape));
    gf_samples_convert(&a, px);
    return a;
}

/* Writes what is found, the sum of what is aligned, of the row's type, and some samples. */
static int run_registration(const struct gf_crew *crew, int which, double *fact) {
    struct gf_registration_options o = pairs[which].options;
    struct gf_operation op = {.kind = &gf_operation_register, .crew = *crew, .times = 3};
    struct gf_array first, second, out = {0};
    double sum = 0;
    int n = 0;
    make_pair(which, &first, &second);
    struct gf_array ref = typed(which, &first), px = typed(which, &second);
    OP_CHECK(!op_apply(&op, &o, &ref, 1, &px, &out));
    OP_CHECK(op.need > 6 * gf_array_bytes(&px));
    const struct gf_found found = *(struct gf_found *)op.state, *again = op.state;
    OP_CHECK(found.aligned && !found.inverted && !strcmp(found.backend, "openmp"));
    for (int k = 0; k < 2 && !which; k++) { /* by the spectra that it kept */
        op.in = op_wide(k ? &px : &ref);
        OP_CHECK(!gf_operation_take(&op));
        OP_CHECK(fabs(again->motion.shift[0] - (k ? found.motion.shift[0] : 0)) < 1e-6);
    }
    for (int i = 0; i < ref.rank; i++)
        fact[n++] = found.motion.shift[i];
    fact[n++] = found.motion.turn;
    fact[n++] = found.motion.scale;
    fact[n++] = found.coefficient;
    fact[n++] = found.height;
    const int at = n++;
    for (int64_t i = 0, all = gf_array_count(&out); i < all; i++) {
        const double v = gf_sample_get(gf_array_at(&out, i), out.dtype);
        sum += v;
        if (i % (all / 5) == all / 10)
            fact[n++] = v;
    }
    fact[at] = sum;
    op_drop(&op);
    struct gf_array *const arrays[] = {&first, &second, &ref, &px, &out};
    for (int i = 0; i < 5; i++)
        gf_array_free(arrays[i]);
    return n;
}

static void test_registration(void) {
    op_check(run_registration, 0, 1e-4, 11,
             (double[]){-3.0000000296391574, 0.0, 1.0, 1.0000002961165761, 19.526101655884197,
                        49402.04276348755, 57.79026100000233, 238.71376899055045,
                        35.812996360899376, 131.51598556349163, 168.1957028969452});
    op_check(run_registration, 1, 1e-4, 12,
             (double[]){-3.0000021552536604, -2.999991200833216, 0.0, 1.0, 0.9999997072639725,
                        55.998753221912324, 8506975.139389992, 70.21857452392578,
                        123.83085632324219, 170.23275756835938, 132.8541717529297,
                        130.05909729003906});
    op_check(run_registration, 2, 1e-4, 13,
             (double[]){-3.0000716957841207, -2.9992729785664793, -2.9994288981496022, 0.0, 1.0,
                        0.999975854047359, 23.0806932494783, 682307.498908378, 122.9839384531554,
                        138.92713022989315, 121.00406213468753, 100.20570907350094, 0.0});
    op_check(run_registration, 3, 1e-4, 12,
             (double[]){-3.127264284310139, 6.4952317660015435, -7.966661305089245, 1.0,
                        0.9999361583689746, 42.19001738360823, 1150675.0, 115.0, 156.0, 101.0, 96.0,
                        160.0});
    op_check(run_registration, 4, 2e-3, 12,
             (double[]){5.228359389236765, -1.783102856995839, 12.145826604219032,
                        0.9459097689904489, 0.9995442224969946, 52.57243657708613,
                        1637535.8770418167, 0.0, 97.6797103881836, 189.65052795410156, 0.0, 0.0});
}

static void test_registration_refusals(void) {
    struct gf_runner runner;
    gf_runner_open(&runner, op_engine, 0, 1);
    const struct gf_crew crew = {&runner, 1, 0}, full = {&runner, 1, gf_runner_limit(&runner)};
    struct gf_array ref = op_make(GF_F32, 2, (int64_t[]){64, 60}, 0, 1),
                    px = op_make(GF_F32, 2, (int64_t[]){64, 60}, 0, 2),
                    line = op_make(GF_F32, 1, (int64_t[]){60}, 0, 1), out = {0};
    struct gf_operation op = {.kind = &gf_operation_register, .crew = crew};
    struct gf_registration_options turn = {{.precision = -1}, GF_RIGID, 0},
                                   o = {{.precision = -1}, GF_SHIFT, 0};
    CHECK_EQ(op_apply(&op, &turn, &line, 1, &line, &out), GF_EINVAL);
    CHECK_HAS(gf_message(), "1 axes; --estimate=rigid and similarity take pictures");
    op_drop(&op);
    CHECK_EQ(op_apply(&op, &o, &ref, 1, &line, &out), GF_EINVAL);
    CHECK_STR(gf_message(), "60, and the reference is 64x60; both must have the same size");
    op_drop(&op);
    op.crew = full;
    CHECK_EQ(op_apply(&op, &o, &ref, 1, &ref, &out), GF_ENOMEM);
    op_drop(&op);
    op.crew = crew;
    CHECK_EQ(op_apply(&op, &o, &ref, 1, &px, &out), GF_EINVAL);
    CHECK_HAS(gf_message(), "nothing in common with the reference");
    CHECK(!((struct gf_found *)op.state)->aligned);
    op_drop(&op);
    memset(px.data, 0, (size_t)gf_array_bytes(&px));
    CHECK_EQ(op_apply(&op, &o, &ref, 1, &px, &out), GF_EINVAL);
    CHECK_HAS(gf_message(), "all samples are equal");
    op_drop(&op);
    gf_array_free(&ref);
    gf_array_free(&px);
    gf_array_free(&line);
    gf_runner_close(&runner);
}

/* ---- signals ---- */

/* A picture of three channels is stored upside down. */
static void test_signals(void) {
    const uint8_t stored[2][2][3] = {{{10, 20, 30}, {0, 0, 255}}, {{255, 255, 255}, {7, 0, 0}}};
    const double luma[] = {255, 7 * 0.2126, 0.2126 * 10 + 0.7152 * 20 + 0.0722 * 30, 255 * 0.0722};
    struct gf_array px = gf_array_wrap((void *)stored, GF_U8, 3, (int64_t[]){2, 2, 3});
    double of[4];
    float grey[4];
    struct gf_array out = gf_array_wrap(of, GF_F64, 2, px.shape);
    px.data = (char *)px.data + px.stride[0];
    px.stride[0] = -px.stride[0];
    CHECK_EQ(gf_signal_take(&px, true, &out), 0);
    for (int i = 0; i < 4; i++)
        CHECK(fabs(of[i] - luma[i]) < 1e-12);
    CHECK_EQ(gf_signal_take(&px, false, &out), GF_EINVAL);
    CHECK_STR(gf_message(), "3 plain channels; grey or RGB is compared");
    out = gf_array_wrap(grey, GF_F32, 2, px.shape);
    px = gf_array_slice(&px, 2, 1, 1);
    CHECK_EQ(gf_signal_take(&px, true, &out), 0);
    CHECK(grey[0] == 255 && grey[1] == 0 && grey[2] == 20 && grey[3] == 0);
    px = gf_array_wrap(of, GF_C64, 2, (int64_t[]){4, 1});
    CHECK_EQ(gf_signal_take(&px, false, &out), GF_EINVAL);
}

int main(void) {
    NEED(!op_begin());
    RUN("signals are made of samples of any type and strides", test_signals());
    RUN("match finds a template in lines, pictures and volumes", test_match());
    RUN("match refuses what does not fit the template, or memory", test_match_refusals());
    RUN("frc correlates rings and shells of two signals, or halves of one", test_frc());
    RUN("frc refuses different shapes, empty masks and too little memory", test_frc_refusals());
    RUN("register finds shift, rotation and scale, and aligns", test_registration());
    RUN("register refuses other shapes and unlike signals", test_registration_refusals());
    op_end();
    return TEST_END();
}
