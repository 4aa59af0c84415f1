/* gpufft filter: transforms, multiplies by a filter and transforms back, in one job. */
#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/report.h"
#include "cli/command.h"
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "core/filter/smooth_pages.h"
#include "core/base/host/clock.h"
#include "core/slab/plan.h"

enum { MOST_CLIPPED = 1 /* % of the samples that may be clipped without a note */ };

/* ---- the job ---- */

/* Mirroring keeps the samples' type; fading, splitting and subtracting waves need floats. */
static enum gf_dtype input_dtype(const struct gf_task *t) {
    const enum gf_edges edges = gf_filter_edges(t);
    const bool as_read = edges != GF_EDGES_TAPER && edges != GF_EDGES_SMOOTH &&
                         !t->filtering->n_striped && !t->filtering->peaks.n;
    return as_read && !gf_filter_iterates(t->s) ? t->image.px.dtype
           : t->op.job.precision == GF_DOUBLE   ? GF_F64
                                                : GF_F32;
}

static int describe_job(struct gf_task *t) {
    struct gf_job *job = &t->op.job;
    struct gf_filtering *f = t->filtering;
    if (gf_dtype_is_complex(t->image.px.dtype))
        return gf_fail(GF_EINVAL, "a filter takes real samples, not complex ones");
    job->op = GF_FILTER;
    gf_task_begin_job(t, GF_FORWARD);
    if (gf_filter_iterates(t->s))
        job->precision = GF_SINGLE;
    job->in_dtype = input_dtype(t);
    int rc = gf_settings_axes(t->s, &t->image.axes, job->ndim, &job->axes);
    if (!rc)
        rc = gf_task_take_channels(t);
    f->frame.dtype = t->image.px.dtype;
    f->frame.oblique = t->image.axes.oblique;
    f->frame.white = t->image.white;
    for (int i = 0; i < job->ndim; i++) {
        f->frame.shape[i] = job->shape[i] = t->image.px.shape[i];
        f->frame.spacing[i] = gf_image_spacing(&t->image, i, &f->frame.kind[i]);
    }
    gf_filter_set_lengths(t);
    return rc;
}

/* ---- the filter ---- */

/* True if there are masks, kernels or an inverse, which become a table. */
static bool has_table(const struct gf_settings *s) {
    bool has = false;
    for (int i = 0; i < s->filter.n_parts; i++)
        has = has || s->filter.part[i].what >= GF_KERNEL;
    return has;
}

/* True if the filter depends on the samples. */
static bool looks(const struct gf_settings *s) {
    return gf_filter_searches(s) || s->filter.destripe || s->filter.paints;
}

/* Refuses pages for the search for noise and --mask-out, which concern the whole volume; and slabs
 * if kernels leave too little memory for them. */
static void refuse_parts(struct gf_task *t) {
    int64_t kernel;
    const int64_t parts = gf_filter_parts_bytes(t, &kernel) + kernel;
    const bool most = 2 * parts > gf_runner_limit(t->op.crew.runner);
    if (looks(t->s) || t->s->filter.mask_out)
        t->op.refuses.pages = "the filter is made for all planes together";
    if (gf_filter_measures(t->s) || gf_filter_iterates(t->s))
        t->op.refuses.pages = "--deconvolve takes all samples together";
    t->op.refuses.slabs = t->op.refuses.pages   ? t->op.refuses.pages
                          : gf_filter_psf(t->s) ? "--deconvolve takes the whole spectrum"
                          : most                ? "its kernels take most of that memory"
                                                : NULL;
}

/* Bytes that a table of masks, kernels or an inverse takes with the run, less the samples: files'
 * values, the table twice, since the plan has its own, and a spectrum of each channel; or while
 * Wiener's filter is made, the picture's spectrum and a workspace as large; or while a painted
 * spectrum is compared, magnitudes and a workspace, then a mask. The rest is for threads' rows. Tables
 * of kernels are complex. `half`: the bytes of half a spectrum. */
static int64_t table_bytes(const struct gf_task *t, int64_t half) {
    const struct gf_filter_settings *f = &t->s->filter;
    int64_t values = 0, out = 0, table = half / 2, files = 0;
    for (int i = 0; i < f->n_parts; i++)
        if (gf_filter_is_file(&f->part[i])) {
            values += gf_shape_count(f->part[i].file.extent, f->part[i].ndim) * 8;
            table = gf_filter_is_shown(&f->part[i]) ? table : half;
            files++;
        }
    for (int i = 0; i < t->op.job.n_out; i++)
        out += gf_array_bytes(&t->product[i].image.px);
    const int64_t spectrum = half * t->op.job.channels, more = files > 1 ? half / 2 : 0;
    int64_t run = out + 2 * table + spectrum + more + (f->paints ? half / 2 : 0), rows = 0;
    for (int i = 0; i < t->op.job.ndim; i++)
        rows += t->op.job.shape[i];
    run += gf_max(run / 16, gf_settings_threads(t->s) * rows * 256);
    return values + gf_filter_lengthen_bytes(t) +
           (gf_filter_measures(t->s) ? gf_max(run, table + 2 * spectrum)
            : f->paints              ? gf_max(run, (3 * spectrum + half) / 2)
                                     : run);
}

/* Checks the memory for the table and its making before any of it is allocated. */
static int check_table(struct gf_task *t) {
    const struct gf_notches *peaks = &t->filtering->peaks;
    const bool masked = peaks->screens.px.data || peaks->painted.px.data;
    bool file = has_table(t->s), mask = masked || (peaks->expected && t->op.job.ndim == 2);
    /* The screens' mask, the table's values and the table each hold half a spectrum. */
    int64_t bytes, unit = !file ? 12 : t->op.job.precision == GF_DOUBLE ? 32 : 24;
    int rc = gf_size_product(t->op.job.shape, t->op.job.ndim, unit, &bytes);
    if (rc || !(file || mask))
        return rc;
    if (file && !gf_filter_iterates(t->s) && !gf_filter_searches(t->s) && !t->s->filter.destripe)
        bytes = table_bytes(t, bytes / (unit == 24 ? 6 : 4)); /* a number for two samples */
    const int64_t screens = gf_filter_screen_bytes(t); /* a file's numbers are widened with them */
    rc = gf_filter_check_memory(t, bytes + (file ? screens + screens / 2 : screens));
    if (rc || !(file || masked)) /* without a mask yet the task checks all memory */
        return rc;
    rc = gf_runner_check_memory(t->op.crew.runner, t->op.prepare_bytes);
    if (!rc || !file)
        return rc;
    char need[256];
    snprintf(need, sizeof need, "%s", gf_message());
    const char *why = t->s->scratch || gf_filter_psf(t->s) ? t->op.refuses.slabs : NULL;
    const bool offers = !t->s->scratch && (t->op.job.axes & 1 || gf_slab_is_line(&t->op.job));
    return gf_fail(
        (enum gf_status)rc,
        "%s: a mask or a kernel becomes a table as large as the volume or the picture%s%s", need,
        why ? "; not in slabs: " : "",
        why      ? why
        : offers ? "; --scratch=auto or --scratch=DIR makes it in parts"
                 : "");
}

/* True if the table is made part by part: with --scratch if it does not fit beside the samples,
 * which makes the task too large; and by processes that share the filter. */
static bool leaves_table(struct gf_task *t) {
    int64_t half;
    if ((!t->s->scratch && !t->ranks) || !has_table(t->s) || t->image.px.data ||
        t->op.refuses.slabs ||
        gf_size_product(t->op.job.shape, t->op.job.ndim, t->op.job.precision == GF_DOUBLE ? 8 : 4,
                        &half))
        return false;
    const int64_t bytes = table_bytes(t, half) + gf_array_bytes(&t->image.px);
    if (!t->ranks && bytes <= gf_runner_limit(t->op.crew.runner))
        return false;
    t->op.prepare_bytes = bytes;
    return true;
}

/* A file that --paint names is checked when it is used. */
static int check_files(const struct gf_settings *s) {
    int rc = 0;
    for (int i = 0; i < s->filter.n_parts && !rc; i++)
        if (s->filter.part[i].what != GF_PAINT)
            rc = gf_filter_check_file(&s->filter.part[i]);
    return rc;
}

static int choose_filter(struct gf_task *t) {
    struct gf_filtering *f = t->filtering;
    f->frame.in_parts = leaves_table(t);
    int rc = f->frame.in_parts ? 0 : check_table(t);
    rc = rc ? rc : check_files(t->s);
    if (!rc && (looks(t->s) || gf_filter_measures(t->s)))
        rc = gf_filter_make(t->s, &t->op.job, &f->frame, &f->peaks, &f->filter);
    else if (!rc)
        rc = gf_filter_obtain(t->s, &t->op.job, &f->frame, &f->filter);
    if (rc)
        return rc;
    gf_filter_use(t, &t->op.job);
    t->op.extra_bytes += gf_filter_mask_bytes(t) + gf_filter_notch_bytes(t);
    return 0;
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
    memcpy(t->product[i].shape, t->filtering->frame.shape,
           (size_t)t->op.job.ndim * sizeof *t->product[i].shape);
    return rc;
}

/* True if no noise or paint was found and no other filter given: the outputs are copies of the samples. */
static bool is_copy(const struct gf_task *t) {
    const struct gf_filter_settings *f = &t->s->filter;
    const struct gf_notches *peaks = &t->filtering->peaks;
    bool copy = !t->filtering->n_striped && !peaks->n && !peaks->n_screens &&
                !peaks->painted.px.data && !t->op.job.luma && f->offset == 0 &&
                f->offset_unit != GF_OFFSET_MID;
    for (int i = 0; i < f->n_parts; i++)
        copy = copy && f->part[i].what == GF_PAINT;
    for (int i = 0; i < t->op.job.n_out; i++)
        copy = copy && t->op.job.out[i].dtype == t->image.px.dtype;
    return copy;
}

/* ---- the input in memory: all samples, or some pages ---- */

static void release(struct gf_filtering *f) {
    gf_filter_release(f->filter);
    gf_array_free(&f->input);
    f->filter = NULL;
}

/* Searches the samples for noise, and extends them beyond the edges. */
static int take_all(struct gf_task *t) {
    double start = gf_now_ms();
    const bool searches = gf_filter_searches(t->s);
    int rc = t->s->filter.destripe ? gf_filter_remove_stripes(t) : 0;
    if (!rc && searches)
        rc = gf_filter_find_notches(t);
    if (!rc && t->s->filter.paints)
        rc = gf_filter_paint(t);
    if (!rc && gf_filter_psf(t->s))
        rc = gf_filter_measure_noise(t);
    if (!rc && looks(t->s)) {
        release(t->filtering);
        gf_filter_set_lengths(t);
        t->op.untouched = is_copy(t);
        t->op.job.in_dtype = input_dtype(t);
    }
    if (!rc && !t->op.untouched)
        rc = gf_filter_lengthen(t);
    if (!rc && gf_filter_edges(t) == GF_EDGES_SCREEN)
        rc = gf_filter_mask_screens(t);
    if (!rc && looks(t->s))
        rc = choose_filter(t);
    if (!rc && gf_filter_psf(t->s))
        rc = gf_filter_restore(t);
    if (!rc && gf_filter_measures(t->s)) {
        gf_filter_release(t->filtering->filter);
        t->filtering->filter = NULL;
        rc = choose_filter(t);
    }
    if (!rc && t->s->filter.destripe)
        gf_filter_tell_stripes(t);
    if (!rc && searches)
        gf_filter_tell_notches(t);
    t->ms_prepare += gf_now_ms() - start;
    return rc;
}

/* Counts the masks and kernels, and what making the table takes: beside a kernel's planes as much for
 * their workspace and its spectrum, then the table. All of it is freed before the pages are read,
 * but a last group of fewer pages makes a table of its own. */
static void count_making(struct gf_task *part) {
    int64_t kernel, n = part->whole->op.job.shape[0] % part->op.job.shape[0];
    const int64_t values = gf_filter_parts_bytes(part, &kernel);
    const int64_t making = 2 * kernel + gf_array_bytes(&part->filtering->filter->table);
    part->op.extra_bytes += values + (kernel && n ? making : 0);
    if (kernel)
        part->whole->op.prepare_bytes = values + making;
}

/* Obtains the filter for the part's pages. Without samples the whole task keeps it for its plan. */
static int take_pages(struct gf_task *part) {
    struct gf_filtering *f = part->filtering = calloc(1, sizeof *f), *of = part->whole->filtering;
    if (!f)
        return gf_no_memory();
    f->frame = of->frame;
    f->frame.shape[0] = part->op.job.shape[0];
    if (!part->op.in.data && of->of_pages) { /* of more pages, which memory is too short for */
        gf_filter_release(of->of_pages);
        of->of_pages = NULL;
        gf_filter_forget();
    }
    int rc = part->op.in.data ? check_files(part->s) : 0;
    rc = rc ? rc : gf_filter_obtain(part->s, &part->op.job, &f->frame, &f->filter);
    if (rc)
        return rc;
    gf_filter_use(part, &part->op.job);
    if (part->op.in.data)
        return gf_filter_lengthen(part);
    of->of_pages = f->filter;
    count_making(part);
    free(f);
    part->filtering = NULL;
    return 0;
}

static int take(struct gf_task *t) {
    return t->whole ? take_pages(t) : take_all(t);
}

static void drop(struct gf_task *t) {
    struct gf_filtering *f = t->filtering;
    if (!f)
        return;
    release(f);
    gf_filter_release(f->of_pages);
    gf_array_free(&f->clean);
    gf_array_free(&f->peaks.screens.px);
    gf_array_free(&f->peaks.painted.px);
    gf_array_free(&f->restored.transfer);
    if (f->smooth)
        gf_smooth_pages_free(f->smooth);
    free(f->smooth);
    free(f->peaks.factor);
    free(f);
    t->filtering = NULL;
}

static const struct gf_task_input input = {
    .take = take, .drop = drop, .read = gf_filter_make_units, .bytes = gf_filter_make_units_bytes};

static int prepare(struct gf_task *t) {
    t->filtering = calloc(1, sizeof *t->filtering);
    if (!t->filtering)
        return gf_no_memory();
    double start = gf_now_ms();
    int rc = describe_job(t);
    if (!rc)
        refuse_parts(t);
    t->op.scans = !rc && gf_filter_scans(t);
    for (int i = 0; i < t->op.job.n_out && !rc; i++)
        rc = describe_product(t, i);
    if (!rc && t->s->filter.mask_out)
        rc = gf_filter_describe_mask(t, &t->product[t->op.job.n_out]);
    if (!rc && t->s->filter.destripe)
        rc = gf_filter_expect_stripes(t);
    if (!rc && gf_filter_searches(t->s))
        rc = gf_filter_expect_notches(t);
    if (!rc)
        t->op.job.in_dtype = input_dtype(t);
    /* A table for all pages would be as large as the volume, so it is made for a few. */
    t->pages.always = !rc && has_table(t->s) && !gf_task_refuses_pages(t);
    if (t->pages.always) /* the table and the plan's, of half a spectrum */
        t->pages.beside = gf_job_points(&t->op.job) * (t->op.job.precision == GF_DOUBLE ? 16 : 8);
    if (!rc && gf_filter_psf(t->s))
        rc = gf_filter_expect_restored(t);
    if (!rc && !t->pages.always && !t->op.inner)
        rc = choose_filter(t);
    t->op.job.spend_input = !t->image.alpha || t->s->filter.edges != GF_EDGES_PERIODIC;
    t->ms_prepare = gf_now_ms() - start;
    return rc;
}

/* ---- after the run ---- */

/* Overshoot clips a few samples; if more are clipped, the result does not fit the type. */
static void tell_clipped(const struct gf_task *t, int i) {
    long long clipped = (long long)t->report.clipped[i];
    double share = 100. * (double)clipped / (double)gf_array_count(&t->product[i].image.px);
    const char *type = gf_task_range_name(t, i, (char[24]){0});
    const struct gf_filter_settings *f = &t->s->filter;
    bool shifted = f->offset_unit != GF_OFFSET_NUMBER || f->offset != 0;
    /* Removing noise may exceed the picture's range in places, which needs no advice. */
    if (share > MOST_CLIPPED && f->n_parts)
        gf_log_note("'%s': %.*f%% of the samples were clipped to %s; %s", gf_log_name(t->read[0]),
                    share < 10, share, type,
                    shifted ? "a .tif with --depth=32 keeps them"
                    : gf_filter_psf(t->s)
                        ? "the blur may be less than PSF; a .tif with --depth=32 keeps them"
                        : "--offset=mid adds mid-grey, a .tif with --depth=32 keeps them");
    gf_task_tell_clipped(t, i);
}

/* ---- the command ---- */

/* Adds the picture's properties to the JSON line, since the job's may be those of a longer one. */
static int describe(struct gf_task *t) {
    const struct gf_filtering *f = t->filtering;
    const enum gf_edges edges = f->tiles.mirrors ? GF_EDGES_MIRROR : gf_filter_edges(t);
    gf_json_memory_begin();
    t->also = GF_REPORT(GF_KEY("shape", gf_json_shape(f->frame.shape, t->op.job.ndim)),
                        GF_KEY("type", gf_dtype_name(f->frame.dtype)),
                        GF_KEY("edges", gf_edges_name(edges)));
    gf_filter_describe_notches(t, t->also);
    if (gf_filter_psf(t->s))
        gf_filter_describe_restored(t, t->also);
    gf_filter_describe_stripes(t, t->also);
    return gf_json_memory_missed() ? gf_no_memory() : 0;
}

static int check(struct gf_task *t) {
    gf_log_verbose("'%s': the filter, and what is beyond the edges: %.1f ms",
                   gf_log_name(t->read[0]), t->ms_prepare);
    gf_array_free(&t->filtering->input);
    for (int i = 0; i < t->op.job.n_out; i++) {
        /* Crops the samples that --edges added. */
        memcpy(t->product[i].image.px.shape, t->filtering->frame.shape,
               (size_t)t->op.job.ndim * sizeof *t->filtering->frame.shape);
        tell_clipped(t, i);
        gf_task_note_lost(t, i);
        if (t->image.metadata.exif_damaged && t->product[i].format->lossy && !t->op.untouched)
            gf_log_note("'%s': its EXIF is damaged and left out", gf_log_name(t->read[0]));
    }
    int rc = t->s->json ? describe(t) : 0;
    if (rc)
        return rc;
    return t->s->filter.mask_out ? gf_filter_draw_mask(t, &t->product[t->op.job.n_out]) : 0;
}

const struct gf_task_hooks gf_hooks_filter = {
    .name = "filter",
    .default_kind = GF_REAL,
    .label = "filtered",
    .keeps_type = true,
    .puts_back = true,
    .prepare = prepare,
    .input = &input,
    .check = check,
};

static int run(struct gf_settings *s, char **operands, int n) {
    if (!s->filter.n_parts && !looks(s))
        return gf_fail(GF_EUSAGE,
                       "no filter; there are --lowpass, --highpass, --bandpass, --bandreject, "
                       "--notch, --auto-notch, --descreen, --destripe, --paint, --mask, --convolve "
                       "and --deconvolve");
    int rc = gf_filter_check(s);
    if (rc)
        return rc;
    rc = gf_filter_read_files(s);
    gf_filter_note_radii(s);
    int code = rc ? gf_exit_code(rc) : gf_batch_run(&gf_hooks_filter, s, operands, n);
    gf_filter_forget();
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
