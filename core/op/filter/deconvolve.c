/* Restores a blurred picture: measures it, and runs Richardson-Lucy. */
#include <stdlib.h>

#include "core/op/filter/filtering.h"
#include "core/base/host/memory.h"
#include "core/base/value/sample_value.h"
#include "core/restore/quanta.h"
#include "core/restore/richardson.h"

/* A Gaussian ends after so many standard deviations, where 4e-8 of it is left. */
static const double GAUSSIAN_REACH = 5.5;
static const double ROUNDING = 0.2886751345948129; /* the deviation of rounding to integers */
enum { LOSSY_STEP = 2 }; /* means of so many samples keep most of their noise in a JPEG */

/* ---- the picture ---- */

/* From the samples with what --edges added to half their spectrum. */
static struct gf_job forward_job(const struct gf_operation *op) {
    struct gf_array out;
    struct gf_job job = gf_filter_search_job(op, &out);
    memcpy(job.shape, op->job.shape, sizeof job.shape);
    memset(job.counted, 0, sizeof job.counted);
    job.in_dtype = op->job.in_dtype;
    return job;
}

static int iterations(const struct gf_operation *op) {
    return (int)fmax(gf_filter_options_of(op)->restore.iterations, 0);
}

/* Tells a runner how often the tiles' job runs. */
static void expect_blurs(const struct gf_operation *op, struct gf_runner *runner) {
    const struct gf_tiles *tiles = &gf_filtering_of(op)->tiles;
    const int n = iterations(op) ? iterations(op) : GF_RICHARDSON_MOST / 4;
    gf_runner_repeat(runner, 2 * n * tiles->jobs);
}

/* True if the kernel's mirror image is another one, with a table and runners of its own. */
static bool is_lopsided(const struct gf_filter *f) {
    return f->table.data && gf_dtype_is_complex(f->table.dtype);
}

/* Cuts the picture into tiles, and makes the filter that blurs them. */
static int cut(struct gf_operation *op) {
    const struct gf_filter_part *psf = gf_filter_psf(gf_filter_options_of(op));
    struct gf_filtering *f = op->state;
    const struct gf_runner *r = op->crew.runner;
    const struct gf_backend *asked = gf_engine_asked(r->engine, r->device);
    const bool on_device = asked && asked->list;
    struct gf_filter_frame frame = {.dtype = f->frame.dtype};
    int64_t reach[GF_MAX_DIMS];
    gf_filter_spread(&op->job, psf, reach);
    for (int i = 0; i < op->job.ndim; i++) {
        frame.shape[GF_MAX_DIMS - op->job.ndim + i] = f->frame.shape[i];
        reach[i] = psf->file.value ? reach[i] / 2 : (int64_t)ceil(GAUSSIAN_REACH * psf->psf.size);
    }
    gf_tiles_init(&f->tiles, &op->job, reach, gf_filter_options_of(op)->edges == GF_EDGES_MIRROR,
                  op->crew.threads, on_device);
    op->inner = &f->tiles.job;
    int rc = gf_filter_obtain(op->shared, op->inner, op->crew.threads, &frame, &f->filter);
    if (rc)
        return rc;
    gf_filter_use(op, op->inner);
    const bool mirrored = is_lopsided(f->filter);
    const int64_t work = gf_max(0, gf_runner_workspace(op->crew.runner, op->inner));
    op->extra_bytes += gf_richardson_bytes(&f->tiles) +
                       ((1 + mirrored) * f->tiles.hands - 1) * work +
                       (mirrored ? gf_array_bytes(&f->filter->table) : 0);
    expect_blurs(op, op->crew.runner);
    return 0;
}

int gf_filter_expect_restored(struct gf_operation *op) {
    if (gf_filter_iterates(gf_filter_options_of(op)))
        return cut(op);
    int64_t bytes = gf_filter_lengthen_bytes(op);
    const struct gf_job forward = forward_job(op);
    if (gf_filter_measures(gf_filter_options_of(op))) /* the spectrum, a plan's, and the table */
        bytes += 2 * gf_job_bytes(&forward, 0) +
                 gf_job_bytes(&forward, 0) /
                     (gf_filter_psf(gf_filter_options_of(op))->file.value ? 1 : 2) /
                     forward.channels;
    return gf_filter_check_memory(op, bytes);
}

int gf_filter_measure_noise(struct gf_operation *op) {
    const struct gf_filter_options *f = gf_filter_options_of(op);
    struct gf_noise *noise = &gf_filtering_of(op)->restored.noise;
    const double given = fmax(f->restore.noise, 0), *w = gf_luma_weight;
    *noise = (struct gf_noise){given, given * given, 0, given * given};
    int rc = 0;
    if (given > 0 || f->restore.regularize > 0 || f->restore.iterations > 0)
        return 0;
    if (op->in.dtype == GF_U8 && op->job.ndim == 2 && !op->of.rounding[0])
        rc = gf_quanta_find(&op->in, op->of.rounding);
    const int step =
        gf_filter_iterates(gf_filter_options_of(op)) && op->of.rounding[0] ? LOSSY_STEP : 1;
    if (!rc)
        rc = gf_noise_estimate(&op->in, op->job.ndim, op->of.white, step, op->crew.threads, noise);
    if (op->job.luma)
        noise->deviation *= sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (gf_dtype_is_integer(op->in.dtype)) {
        noise->deviation = fmax(noise->deviation, ROUNDING);
        noise->least = fmax(noise->least, ROUNDING * ROUNDING);
    }
    return rc;
}

/* The shares of the blur's spectrum by classes of |H|^2. In a lossy file its rounding is the least
 * noise. */
static int classify(const struct gf_operation *op, double share[GF_BLUR_CLASSES]) {
    struct gf_job job = gf_filtering_of(op)->tiles.job;
    struct gf_array h = {.data = NULL};
    job.filter = gf_filtering_of(op)->filter;
    int rc = gf_filter_tabulate(&job, op->crew.threads, &h);
    const int64_t n = rc ? 0 : gf_array_count(&h);
    for (int64_t i = 0; i < n; i++) {
        const struct gf_number v = gf_filter_number(&h, i);
        const double square = fmax(v.re * v.re + v.im * v.im, 1e-30);
        const long class = lround(-4 * log2(fmin(square, 1)));
        share[gf_min(class, GF_BLUR_CLASSES - 1)] += 1 / (double)n;
    }
    if (!rc && !(gf_filter_options_of(op)->restore.noise > 0)) {
        struct gf_noise *noise = &gf_filtering_of(op)->restored.noise;
        const double least = gf_blur_rounding(&job, &h, op->of.rounding);
        if (least > 0) /* base may be below 0 */
            noise->base = fmax(noise->base, least);
        noise->deviation = fmax(noise->deviation, sqrt(least));
    }
    gf_array_free(&h);
    return rc;
}

static int make_prior(struct gf_operation *op) {
    struct gf_filtering *f = op->state;
    struct gf_restored *r = &f->restored;
    struct gf_job forward = forward_job(op);
    struct gf_array spectrum = op->in;
    spectrum.base = NULL;
    r->transfer = f->filter->table; /* only the blur's until now */
    f->filter->table = (struct gf_array){0};
    int rc = gf_filter_run_over(op->crew.runner, &forward, &spectrum);
    if (!rc)
        rc = gf_prior_make(&forward, &spectrum, &r->transfer, pow(r->noise.deviation, 2),
                           op->of.rounding, op->crew.threads, &r->prior);
    gf_array_free(&spectrum);
    gf_runner_forget(op->crew.runner); /* makes room for the filter's table */
    f->frame.prior = &r->prior;
    f->frame.transfer = &r->transfer;
    return rc;
}

/* One of a hand's two blurs. */
struct blur {
    struct gf_runner *runner;
    struct gf_job job;
};

static int run_blur(void *context, const struct gf_job *job, const struct gf_array *in,
                    struct gf_array *out) {
    const struct blur *b = context;
    struct gf_report report;
    (void)job; /* b->job, but for the filter */
    int rc = gf_runner_plan(b->runner, &b->job);
    return rc ? rc : gf_runner_run(b->runner, in, out, &report);
}

/* A filter with the conjugate of the table: the kernel's mirror image. NULL if that is the kernel. */
static int transpose(const struct gf_filter *f, struct gf_filter **out) {
    *out = NULL;
    if (!is_lopsided(f))
        return 0;
    int rc = gf_filter_new(out);
    if (!rc)
        rc = gf_array_alloc(&(*out)->table, f->table.dtype, f->table.rank, f->table.shape);
    for (int64_t i = 0; !rc && i < gf_array_count(&f->table); i++) {
        const struct gf_number h = gf_filter_number(&f->table, i);
        gf_filter_put_number(&(*out)->table, i, (struct gf_number){h.re, -h.im});
    }
    return rc;
}

/* Lets each hand run the tiles' jobs with runners of its own. */
static int iterate(struct gf_operation *op) {
    const struct gf_tiles *tiles = &gf_filtering_of(op)->tiles;
    struct gf_filter *mirrored = NULL;
    double share[GF_BLUR_CLASSES] = {0};
    int rc = iterations(op) ? 0 : classify(op, share);
    rc = rc ? rc : transpose(gf_filtering_of(op)->filter, &mirrored);
    const int each = mirrored ? 2 : 1, runners = each * tiles->hands;
    struct gf_runner *own = calloc((size_t)runners, sizeof *own);
    struct blur *to = calloc((size_t)(2 * tiles->hands), sizeof *to);
    struct gf_filter_transform(*blur)[2] = calloc((size_t)tiles->hands, sizeof *blur);
    const struct gf_richardson how = {.iterations = iterations(op),
                                      .noise = gf_filtering_of(op)->restored.noise,
                                      .blur_share = share,
                                      .tiles = tiles,
                                      .blur = (const struct gf_filter_transform(*)[2])blur};
    if (!rc)
        rc = own && to && blur ? 0 : gf_no_memory();
    for (int i = 0; i < runners && runners > 1 && !rc; i++) {
        gf_runner_beside(&own[i], op->crew.runner, tiles->threads);
        expect_blurs(op, &own[i]);
    }
    for (int i = 0; i < 2 * tiles->hands && !rc; i++) {
        const int h = i / 2, transposed = i % 2 && mirrored;
        to[i] =
            (struct blur){runners > 1 ? &own[h * each + transposed] : op->crew.runner, tiles->job};
        if (transposed) {
            to[i].job.filter = mirrored;
            to[i].job.filter_serial = mirrored->serial;
        }
        blur[h][i % 2] = (struct gf_filter_transform){run_blur, &to[i]};
    }
    if (!rc)
        rc = gf_richardson_restore(&how, &gf_filtering_of(op)->input,
                                   &gf_filtering_of(op)->restored.iterations);
    if (!rc && !how.iterations && gf_filtering_of(op)->restored.iterations == GF_RICHARDSON_MOST)
        gf_tell(op->note, op->caller,
                "--iterations=auto ended at its limit, %d, still above the noise of "
                "%.3g; --noise=LEVEL or --iterations=N ends it earlier",
                GF_RICHARDSON_MOST, how.noise.deviation);
    for (int i = 0; i < runners && own; i++)
        gf_runner_close(&own[i]);
    free(own);
    free(to);
    free(blur);
    gf_filter_free(mirrored);
    return rc;
}

int gf_filter_restore(struct gf_operation *op) {
    return gf_filter_iterates(gf_filter_options_of(op))   ? iterate(op)
           : gf_filter_measures(gf_filter_options_of(op)) ? make_prior(op)
                                                          : 0;
}
