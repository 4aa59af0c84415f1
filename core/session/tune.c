/* The measurements of `gpufft tune`, of one device. */
#include "core/session/tune.h"

#include <omp.h>

#include "core/base/bandwidth.h"
#include "core/base/clock.h"

/* Milliseconds: a transform is repeated for so long, and none is begun so late. */
enum { REPEAT_MS = 300, LATEST_MS = 40000, BUS_BYTES = 64 << 20 };
enum { MOST_SIDE = 4096, BATCH = 8 << 20 /* samples */ };

struct tuning {
    const struct gf_backend *b;
    void *context;
    double start;               /* ms */
    struct gf_device_ms copies; /* of the last run */
};

/* Real pictures, so many that they keep a device busy: to their whole spectra, or to three levels of
 * coefficients. */
static struct gf_job job_of(int side, bool wavelet) {
    const int64_t n = side < MOST_SIDE ? (int64_t)BATCH / side / side : 1;
    struct gf_job job = {.direction = GF_FORWARD,
                         .ndim = 3,
                         .shape = {n > 1 ? n : 1, side, side},
                         .channels = 1,
                         .axes = 6,
                         .in_dtype = GF_F32,
                         .n_out = 1,
                         .op = wavelet ? GF_DWT : GF_FFT};
    job.out[0] = (struct gf_output){.kind = wavelet ? GF_REAL : GF_COMPLEX,
                                    .dtype = wavelet ? GF_F32 : GF_C64,
                                    .map = GF_MAP_NUMBER};
    if (wavelet)
        job.wavelet = (struct gf_wavelet){.levels = 3};
    return job;
}

/* Pseudo-random samples in [-1/2, 1/2): zeros are faster than what people transform. */
static void fill(struct gf_array *a) {
    float *at = a->data;
    uint32_t state = 1;
    for (int64_t i = 0, n = gf_array_count(a); i < n; i++) {
        state = state * 1664525u + 1013904223u;
        at[i] = (float)(state >> 8) * 0x1p-24f - 0.5f;
    }
}

/* Seconds of one run once it is warm: the best of a few, on the device alone where there is one. */
static int time_runs(struct tuning *t, struct gf_plan *plan, const struct gf_array *in,
                     struct gf_array *out, double *best) {
    struct gf_report report = {.imag_ratio = 0};
    double begun = gf_now_ms();
    int rc = 0;
    *best = 0;
    for (int i = 0; !rc && (i < 3 || gf_now_ms() - begun < REPEAT_MS); i++) {
        double start = gf_now_ms();
        rc = t->b->exec(t->context, plan, in, out, &report);
        double ms = t->b->on_device ? report.ms.run : gf_now_ms() - start;
        if (i && ms > 0 && (*best == 0 || ms * 1e-3 < *best))
            *best = ms * 1e-3;
        if (i && gf_now_ms() - begun > 10 * REPEAT_MS)
            break;
    }
    t->copies = report.ms;
    return rc;
}

/* Samples a second; 0 where the device cannot, or time is up. */
static double rate_of(struct tuning *t, int side, bool wavelet, double staged[2]) {
    const struct gf_job job = job_of(side, wavelet);
    struct gf_plan *plan = NULL;
    struct gf_array in = {0}, out = {0};
    double seconds = 0;
    int64_t shape[GF_MAX_RANK];
    if (gf_now_ms() - t->start > LATEST_MS)
        return 0;
    gf_job_in_shape(&job, shape);
    int rc = gf_array_alloc(&in, job.in_dtype, 4, shape);
    gf_job_out_shape(&job, 0, shape);
    if (!rc)
        rc = gf_array_alloc(&out, job.out[0].dtype, 4, shape);
    if (!rc)
        rc = t->b->plan(t->context, &job, &plan);
    if (!rc)
        fill(&in);
    if (!rc)
        rc = time_runs(t, plan, &in, &out, &seconds);
    if (!rc && t->copies.upload > 0 && t->copies.download > 0) {
        staged[0] = (double)gf_array_bytes(&in) / t->copies.upload * 1e3;
        staged[1] = (double)gf_array_bytes(&out) / t->copies.download * 1e3;
    }
    const double samples = (double)gf_array_count(&in);
    t->b->unplan(t->context, plan);
    gf_array_free(&in);
    gf_array_free(&out);
    return !rc && seconds > 0 ? samples / seconds : 0;
}

static void measure_copies(const struct tuning *t, struct gf_speed_record *r) {
    const struct gf_device_exec *d = t->b->on_device;
    struct gf_device_speed speed = {.copy = 0};
    double seconds[2];
    if (!d) {
        gf_bandwidth_copy(r->threads, &r->copy);
        return;
    }
    if (!d->measure(t->context, &speed))
        r->copy = speed.copy;
    for (int pinned = 0; pinned < 2 && d->transfer; pinned++)
        if (!d->transfer(t->context, BUS_BYTES, pinned, seconds))
            for (int i = 0; i < 2; i++)
                r->bus[pinned][i] = seconds[i] > 0 ? BUS_BYTES / seconds[i] : 0;
}

int gf_tune_device(const struct gf_backend *b, const struct gf_backend_options *options,
                   struct gf_speed_record *r) {
    struct tuning t = {.b = b, .start = gf_now_ms()};
    *r = (struct gf_speed_record){.threads = 0};
    int rc = b->open(options, &t.context);
    if (rc)
        return rc;
    if (!b->devices)
        r->threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    measure_copies(&t, r);
    for (int i = 0; i < GF_RECORD_FFTS; i++)
        r->fft[i] = rate_of(&t, gf_record_fft_side[i], false, r->staged);
    for (int i = 0; i < GF_RECORD_WAVELETS; i++)
        r->wavelet[i] = rate_of(&t, gf_record_wavelet_side[i], true, r->staged);
    b->close(t.context);
    return 0;
}
