/* gpufft filter: transforms, multiplies by a filter and transforms back, in one job. */
#include "cli/batch/describe.h"
#include "cli/report.h"
#include "cli/command.h"
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "core/base/host/clock.h"

enum { MOST_CLIPPED = 1 /* % of the samples that may be clipped without a note */ };

static struct gf_filtering *of(const struct gf_task *t) {
    return gf_filtering_of(&t->op);
}

/* Tells what the operation noticed. */
static void note(void *task, const char *text) {
    const struct gf_task *t = task;
    gf_log_note("'%s': %s", gf_log_name(t->read[0]), text);
}

/* ---- outputs ---- */

/* Describes the output as a restored picture with a record like this. */
static int describe_product(struct gf_task *t, int i) {
    const struct gf_record own = {.dtype = t->image.px.dtype,
                                  .white = (int64_t)t->image.white,
                                  .color = t->op.job.luma ? GF_GRAY : t->image.color,
                                  .alpha = t->image.alpha ? GF_ALPHA_KEPT : GF_ALPHA_NONE};
    t->product[i].kind = GF_REAL;
    int rc = gf_task_describe_restored(t, i, &own);
    memcpy(t->product[i].shape, of(t)->frame.shape,
           (size_t)t->op.job.ndim * sizeof *t->product[i].shape);
    return rc;
}

/* ---- the job and its input ---- */

static int describe_job(struct gf_task *t) {
    gf_task_begin_job(t, GF_FORWARD);
    int rc = gf_settings_axes(t->s, &t->image.axes, t->op.job.ndim, &t->op.job.axes);
    if (!rc)
        rc = gf_task_take_channels(t);
    t->op.kind = &gf_operation_filter;
    t->op.shared = t->s->maker;
    t->op.note = note;
    t->op.divides = t->s->scratch;
    t->op.divided = t->ranks;
    t->op.crew.held = gf_array_bytes(&t->image.px);
    t->op.of.px = t->image.px;
    gf_operand_of_image(&t->image, t->image.ndim, &t->op.of);
    return rc ? rc : gf_operation_describe(&t->op);
}

/* Gives the outputs the lengths that a screen which was found needs, and says what was removed. */
static void taken(struct gf_task *t) {
    for (int i = 0; i < t->op.job.n_out; i++)
        memcpy(t->product[i].image.px.shape, t->op.job.shape,
               (size_t)t->op.job.ndim * sizeof *t->op.job.shape);
    if (t->s->filter.destripe)
        gf_filter_tell_stripes(t);
    if (gf_filter_searches(&t->s->filter))
        gf_filter_tell_notches(t);
}

static int prepare(struct gf_task *t) {
    const double start = gf_now_ms();
    const struct gf_job *job = &t->op.job;
    int rc = describe_job(t);
    if (!rc && t->s->mask_out && !t->op.refuses.pages && !gf_filter_values_in_parts(&t->op))
        t->op.refuses.pages = t->op.refuses.slabs = gf_why(GF_WHY_MADE);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = describe_product(t, i);
    if (!rc && t->s->mask_out)
        rc = gf_filter_describe_mask(t, &t->product[job->n_out]);
    /* A table for all pages would be as large as the volume, so it is made for a few. */
    t->op.by_pages = !rc && gf_filter_makes_table(&t->s->filter) && !gf_task_refuses_pages(t);
    if (t->op.by_pages) /* the table and the plan's, of half a spectrum */
        t->op.page_bytes = gf_job_points(job) * (job->precision == GF_DOUBLE ? 16 : 8);
    t->op.beside = rc ? 0 : gf_filter_mask_bytes(t);
    if (!rc)
        rc = t->op.kind->expect(&t->op);
    t->op.job.spend_input = !t->image.alpha || t->s->filter.edges != GF_EDGES_PERIODIC;
    t->op.ms.prepare = gf_now_ms() - start;
    return rc;
}

/* ---- after the run ---- */

/* Overshoot clips a few samples; if more are clipped, the result does not fit the type. */
static void tell_clipped(const struct gf_task *t, int i) {
    long long clipped = (long long)t->op.report.clipped[i];
    double share = 100. * (double)clipped / (double)gf_array_count(&t->product[i].image.px);
    const char *type = gf_task_range_name(t, i, (char[24]){0});
    const struct gf_filter_options *f = &t->s->filter;
    bool shifted = f->offset_unit != GF_OFFSET_NUMBER || f->offset != 0;
    /* Removing noise may exceed the picture's range in places, which needs no advice. */
    if (share > MOST_CLIPPED && f->n_parts)
        gf_log_note("'%s': %.*f%% of the samples were clipped to %s; %s", gf_log_name(t->read[0]),
                    share < 10, share, type,
                    shifted ? "a .tif with --depth=32 keeps them"
                    : gf_filter_psf(&t->s->filter)
                        ? "the blur may be less than PSF; a .tif with --depth=32 keeps them"
                        : "--offset=mid adds mid-grey, a .tif with --depth=32 keeps them");
    gf_task_tell_clipped(t, i);
}

/* ---- the command ---- */

/* Adds the picture's properties to the JSON line, since the job's may be those of a longer one. */
static int describe(struct gf_task *t) {
    const struct gf_filtering *f = of(t);
    const enum gf_edges edges = f->tiles.mirrors ? GF_EDGES_MIRROR : gf_filter_edges(&t->op);
    gf_json_memory_begin();
    t->also = GF_REPORT(GF_KEY("shape", gf_json_shape(f->frame.shape, t->op.job.ndim)),
                        GF_KEY("type", gf_dtype_name(f->frame.dtype)),
                        GF_KEY("edges", gf_edges_name(edges)));
    gf_filter_describe_notches(t, t->also);
    if (gf_filter_psf(&t->s->filter))
        gf_filter_describe_restored(t, t->also);
    gf_filter_describe_stripes(t, t->also);
    return gf_json_memory_missed() ? gf_no_memory() : 0;
}

static int check(struct gf_task *t) {
    gf_log_verbose("'%s': the filter, and what is beyond the edges: %.1f ms",
                   gf_log_name(t->read[0]), t->op.ms.prepare);
    gf_array_free(&of(t)->input);
    for (int i = 0; i < t->op.job.n_out; i++) {
        /* Crops the samples that --edges added. */
        memcpy(t->product[i].image.px.shape, of(t)->frame.shape,
               (size_t)t->op.job.ndim * sizeof *of(t)->frame.shape);
        tell_clipped(t, i);
        gf_task_note_lost(t, i);
        if (t->image.metadata.exif_damaged && t->product[i].format->lossy && !t->op.untouched)
            gf_log_note("'%s': its EXIF is damaged and left out", gf_log_name(t->read[0]));
    }
    return t->s->json ? describe(t) : 0;
}

const struct gf_task_hooks gf_hooks_filter = {
    .name = "filter",
    .default_kind = GF_REAL,
    .label = "filtered",
    .keeps_type = true,
    .puts_back = true,
    .prepare = prepare,
    .taken = taken,
    .check = check,
    .draw_aside = gf_filter_draw_mask,
};

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_filter_maker maker;
    if (!s->filter.n_parts && !gf_filter_looks(&s->filter))
        return gf_fail(GF_EUSAGE,
                       "no filter; there are --lowpass, --highpass, --bandpass, --bandreject, "
                       "--notch, --auto-notch, --descreen, --destripe, --paint, --mask, --convolve "
                       "and --deconvolve");
    int rc = gf_filter_check_settings(s);
    if (rc)
        return rc;
    gf_filter_maker_open(&maker, &s->filter);
    s->maker = &maker;
    rc = gf_filter_read_files(s);
    gf_filter_note_radii(s);
    int code = rc ? gf_exit_code(rc) : gf_batch_run(&gf_hooks_filter, s, operands, n);
    gf_filter_maker_close(&maker);
    gf_filter_free_files(s);
    return code;
}

static const struct gf_opt_group *const groups[] = {
    /* outputs */
    &gf_opts_out, &gf_opts_depth_own, &gf_opts_stretch, &gf_opts_filter_result, &gf_opts_files,
    /* the transform */
    &gf_opts_filter, &gf_opts_axes, &gf_opts_precision, &gf_opts_color, GF_GROUPS_TRANSFORMING};

const struct gf_command gf_command_filter = {
    .name = "filter",
    .operands = "IN... --out=OUT",
    .summary = "passes, notches, masks, kernels; waves, stripes and blur removed",
    .launched = true,
    .joins = true,
    .usual = "out lowpass highpass edges notch auto-notch descreen destripe paint deconvolve",
    .groups = groups,
    .examples = "  gpufft filter scene.png --lowpass=20px --edges=mirror --out=soft.png\n"
                "  gpufft filter scene.png --highpass=5%,butterworth:2 --offset=mid --out=hp.png\n"
                "  gpufft filter noise.png --notch=36,20,3 --notch=-56,100,3 --out=clean.png\n"
                "  gpufft filter scan.png --auto-notch --verbose --mask-out=m.png --out=clean.png\n"
                "  gpufft filter scene.png --mask=m.png --out=masked.png\n"
                "  gpufft filter photos/ --convolve=gaussian:2 --edges=mirror --out='{stem}.tif'\n"
                "  gpufft filter photo.png --deconvolve=disk:4 --out=sharp.png\n",
    .run = run,
};
