/* Statistics of core/op of arrays that are made here: the values that gpufft stats gave for the same samples when
 * they were steps of its command. */
#include "core/op/statistics.h"
#include "tests/core/op_rig.h"

static const struct {
    enum gf_dtype dtype;
    int rank; /* without channels, the last of `shape` */
    int64_t shape[4];
    struct gf_statistics_options options;
} surveys[] = {
    {GF_U8, 2, {40, 50, 3}, {.peaks = 2}},
    {GF_F32, 2, {50, 60, 1}, {.peaks = 3, .angular = true, .window = {{GF_WINDOW_HANN, 0}, 0}}},
    {GF_F64,
     2,
     {80, 70, 1},
     {.psd = true,
      .tile = 32,
      .overlap = 0.5,
      .band = {0.1, 0.3},
      .window = {{GF_WINDOW_HANN, 0}, 0}}},
    {GF_U8, 3, {10, 16, 14, 1}, {.peaks = 1, .window.smooth = 1}},
    {GF_C64, 1, {300, 1}, {.peaks = 2}},
};

/* A field with a wave in it, of the row's type; in channels after the first one the wave is absent. */
static struct gf_array make_survey(int which) {
    struct gf_array a;
    const int rank = surveys[which].rank;
    OP_CHECK(!gf_array_alloc(&a, surveys[which].dtype, rank + 1, surveys[which].shape));
    for (int64_t i = 0; i < gf_array_count(&a); i++) {
        int64_t at[GF_MAX_RANK];
        gf_array_unravel(&a, i, at);
        const double angle = 0.9 * (double)at[rank - 1] + 0.4 * (double)at[0];
        const double v =
            op_field(at[rank] + 1, at, rank) / 2 + (at[rank] ? 0 : 50 + 50 * sin(angle));
        if (a.dtype == GF_C64)
            ((float *)a.data)[2 * i + 1] = (float)cos(angle);
        if (a.dtype == GF_C64)
            ((float *)a.data)[2 * i] = (float)v;
        else
            gf_sample_put(gf_array_at(&a, i), a.dtype, a.dtype == GF_U8 ? floor(v) : v);
    }
    return a;
}

/* Runs the operation, of which the caller drops the state; samples of f64 are half a metre apart. Without data
 * only plans. */
static int measure(struct gf_operation *op, struct gf_statistics_options *o,
                   const struct gf_crew *crew, const struct gf_array *px) {
    *op = (struct gf_operation){.kind = &gf_operation_stats, .crew = *crew};
    op->of.rgb = px->shape[px->rank - 1] == 3;
    for (int i = 0; i < px->rank - 1 && px->dtype == GF_F64; i++) {
        op->of.spacing[i] = 0.5;
        op->of.kind[i] = 'm';
    }
    int rc = gf_operation_open(op, o, NULL, 0);
    gf_operation_begin(op, px);
    if (rc)
        return rc;
    return px->data ? gf_operation_apply(op, px, NULL) : gf_operation_expect(op, px);
}

static int run_statistics(const struct gf_crew *crew, int which, double *fact) {
    struct gf_array px = make_survey(which);
    struct gf_statistics_options o = surveys[which].options;
    struct gf_operation op;
    int n = 0;
    OP_CHECK(!measure(&op, &o, crew, &px));
    const struct gf_statistics *s = op.state;
    OP_CHECK(s->n_signals == 1);
    const struct gf_signal_statistics *of = s->signal;
    fact[n++] = of->samples.mean;
    fact[n++] = of->samples.low;
    fact[n++] = of->samples.high;
    fact[n++] = of->samples.deviation;
    fact[n++] = of->samples.energy;
    fact[n++] = of->energy.total;
    fact[n++] = of->energy.zero;
    fact[n++] = of->energy.below[1];
    for (int64_t r = 1; r < s->n_rings; r += s->n_rings / 3)
        fact[n++] = of->ring[r].mean;
    fact[n++] = of->slope.value;
    fact[n++] = of->slope.error;
    fact[n++] = (double)of->slope.rings;
    for (int i = 0; i < of->n_peaks; i++) {
        fact[n++] = of->wave[i].period;
        fact[n++] = of->wave[i].amplitude;
        fact[n++] = of->peak[i].strength;
    }
    double sum = 0;
    for (int i = 0; i < GF_ANGLES; i++)
        sum += of->angle[i];
    for (int i = 20; i < GF_ANGLES && surveys[which].options.angular; i += 60)
        fact[n++] = of->angle[i] / sum;
    gf_operation_drop(&op);
    gf_array_free(&px);
    return n;
}

static void test_statistics(void) {
    op_check(run_statistics, 0, 1e-5, 17,
             (double[]){73.87690999999998, 20.3984, 128.3642, 16.542859600122952, 11462928.06979496,
                        11462926.98439724, 10915594.554142578, 77201.72922393143,
                        4915237.9401517995, 880687.270408825, 39997.480778049314, 0.0, 0.0, 0,
                        6.2962855002055855, 8.07883760399409, 9.46437174973191});
    op_check(run_statistics, 1, 1e-5, 20,
             (double[]){113.18299095185598,
                        9.957621574401855,
                        212.02249145507812,
                        39.96312001728606,
                        43222321.20697175,
                        6241034.137136122,
                        2440952.443145528,
                        3148308.5139693725,
                        1860155489.7528355,
                        337652.6860925381,
                        15231.822285415297,
                        0.0,
                        0.0,
                        0,
                        6.189844605901729,
                        44.50261577919627,
                        32.492690372431326,
                        1.9925293479622877e-05,
                        0.0002987876834817344,
                        0.0});
    op_check(run_statistics, 2, 1e-10, 14,
             (double[]){113.42365081967876, 9.957621872606694, 216.60027817618936,
                        39.46816758332016, 80766900.57883696, 221202.29070277401,
                        137.04519441188677, 10393.921562521571, 325.83861211515114,
                        137.53853129858655, 3.5457743690273102, -4.888662718222098,
                        1.1710725953231809, 6});
    op_check(run_statistics, 3, 1e-5, 14,
             (double[]){115.09776785714286, 31.0, 197.0, 38.11315148929709, 32928243.0,
                        31902314.74792221, 29674391.411160715, 26784.76826626005,
                        2571204.6425968036, 466480.06337487267, 4608.808567407969, 0.0, 0.0, 0});
    op_check(run_statistics, 4, 1e-5, 20,
             (double[]){112.22119719052431,
                        3.7594109202479986,
                        216.79845385482602,
                        44.492055524196516,
                        4371942.0310928235,
                        4371942.2164144255,
                        3777903.835330826,
                        99754.12738049755,
                        298772.3345639423,
                        159909.4112072913,
                        93491.69770357752,
                        0.0,
                        0.0,
                        0,
                        4.838709677419355,
                        26.06389137790201,
                        16.45748211632334,
                        4.838709677419355,
                        25.074427173585082,
                        15.832706283306546});
}

static void test_statistics_refusals(void) {
    struct gf_runner runner;
    gf_runner_open(&runner, op_engine, 0, 1);
    const struct gf_crew crew = {&runner, 1, 0}, full = {&runner, 1, gf_runner_limit(&runner)};
    struct gf_array volume = make_survey(3), line = make_survey(4), like = volume;
    struct gf_statistics_options o = {.angular = true};
    struct gf_operation op;
    CHECK_EQ(measure(&op, &o, &crew, &volume), GF_EINVAL);
    CHECK_HAS(gf_message(), "--angular takes pictures");
    gf_operation_drop(&op);
    o = (struct gf_statistics_options){.psd = true, .tile = 12};
    CHECK_EQ(measure(&op, &o, &crew, &volume), GF_EINVAL);
    CHECK_STR(gf_message(), "--tiles=12 does not fit the 10 samples along an axis");
    gf_operation_drop(&op);
    o = (struct gf_statistics_options){.window.smooth = 1};
    CHECK_EQ(measure(&op, &o, &crew, &line), GF_EINVAL);
    CHECK_HAS(gf_message(), "--edges=smooth takes real samples");
    gf_operation_drop(&op);
    o = (struct gf_statistics_options){.psd = true};
    like.data = NULL;
    CHECK_EQ(measure(&op, &o, &crew, &like), 0);
    gf_operation_drop(&op);
    CHECK_EQ(measure(&op, &o, &full, &like), GF_ENOMEM);
    gf_operation_drop(&op);
    CHECK_EQ(measure(&op, &o, &full, &volume), GF_ENOMEM);
    gf_operation_drop(&op);
    gf_array_free(&volume);
    gf_array_free(&line);
    gf_runner_close(&runner);
}

int main(void) {
    NEED(!op_begin());
    RUN("stats measures samples, spectra, tiles, peaks and directions", test_statistics());
    RUN("stats refuses what does not suit the samples, or memory", test_statistics_refusals());
    op_end();
    return TEST_END();
}
