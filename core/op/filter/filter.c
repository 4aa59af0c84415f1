/* A filter's steps: describes the job, makes the filter, and completes both from the samples. */
#include <stdlib.h>

#include "core/op/filter/filtering.h"
#include "core/filter/smooth_pages.h"
#include "core/schedule/plan.h"

/* ---- the job ---- */

/* Mirroring keeps the samples' type; fading, splitting and subtracting waves need floats. */
static enum gf_dtype input_dtype(const struct gf_operation *op) {
    const enum gf_edges edges = gf_filter_edges(op);
    const bool as_read = edges != GF_EDGES_TAPER && edges != GF_EDGES_SMOOTH &&
                         !gf_filtering_of(op)->n_striped && !gf_filtering_of(op)->peaks.n;
    return as_read && !gf_filter_iterates(gf_filter_options_of(op)) ? op->of.px.dtype
           : op->job.precision == GF_DOUBLE                         ? GF_F64
                                                                    : GF_F32;
}

static void describe_job(struct gf_operation *op) {
    struct gf_job *job = &op->job;
    struct gf_filtering *f = op->state;
    job->op = GF_FILTER;
    if (gf_filter_iterates(gf_filter_options_of(op)))
        job->precision = GF_SINGLE;
    job->in_dtype = input_dtype(op);
    f->frame = (struct gf_filter_frame){
        .dtype = op->of.px.dtype, .oblique = op->of.oblique, .white = op->of.white};
    memcpy(f->frame.shape, job->shape, sizeof f->frame.shape);
    memcpy(f->frame.spacing, op->of.spacing, sizeof f->frame.spacing);
    memcpy(f->frame.kind, op->of.kind, sizeof f->frame.kind);
    gf_filter_set_lengths(op);
}

/* ---- the filter ---- */

/* Refuses pages for what concerns all samples together; and slabs if kernels leave too little memory
 * for them. */
static void refuse_parts(struct gf_operation *op) {
    const struct gf_filter_options *o = gf_filter_options_of(op);
    int64_t kernel;
    const int64_t parts = gf_filter_parts_bytes(op, &kernel) + kernel;
    const bool most = 2 * parts > gf_runner_limit(op->crew.runner);
    if (gf_filter_looks(o))
        op->refuses.pages = gf_why(GF_WHY_MADE);
    if (gf_filter_measures(o) || gf_filter_iterates(o))
        op->refuses.pages = gf_why(GF_WHY_DECONVOLVE);
    op->refuses.slabs = op->refuses.pages ? op->refuses.pages
                        : most            ? gf_why(GF_WHY_KERNELS)
                                          : NULL;
}

/* Bytes that a table of masks, kernels or an inverse takes with the run, less the samples: files'
 * values, the table twice, since the plan has its own, and a spectrum of each channel; or while
 * Wiener's filter is made, the picture's spectrum and a workspace as large; or while a painted
 * spectrum is compared, magnitudes and a workspace, then a mask. The rest is for threads' rows. Tables
 * of kernels are complex. `half`: the bytes of half a spectrum. */
static int64_t table_bytes(const struct gf_operation *op, int64_t half) {
    const struct gf_filter_options *f = gf_filter_options_of(op);
    int64_t values = 0, table = half / 2, files = 0;
    for (int i = 0; i < f->n_parts; i++)
        if (gf_filter_is_file(&f->part[i])) {
            values += gf_shape_count(f->part[i].file.extent, f->part[i].ndim) * 8;
            table = gf_filter_is_shown(&f->part[i]) ? table : half;
            files++;
        }
    const int64_t spectrum = half * op->job.channels, more = files > 1 ? half / 2 : 0;
    int64_t run = gf_operation_out_bytes(op) + 2 * table + spectrum + more +
                  (f->paints ? half / 2 : 0),
            rows = 0;
    for (int i = 0; i < op->job.ndim; i++)
        rows += op->job.shape[i];
    run += gf_max(run / 16, op->crew.threads * rows * 256);
    return values + gf_filter_lengthen_bytes(op) +
           (gf_filter_measures(f) ? gf_max(run, table + 2 * spectrum)
            : f->paints           ? gf_max(run, (3 * spectrum + half) / 2)
                                  : run);
}

/* Checks the memory for the table and its making before any of it is allocated. */
static int check_table(struct gf_operation *op) {
    const struct gf_filter_options *o = gf_filter_options_of(op);
    const struct gf_notches *peaks = &gf_filtering_of(op)->peaks;
    const bool masked = peaks->screens.px.data || peaks->painted.px.data;
    bool file = gf_filter_makes_table(o), mask = masked || (peaks->expected && op->job.ndim == 2);
    /* The screens' mask, the table's values and the table each hold half a spectrum. */
    int64_t bytes, unit = !file ? 12 : op->job.precision == GF_DOUBLE ? 32 : 24;
    int rc = gf_size_product(op->job.shape, op->job.ndim, unit, &bytes);
    if (rc || !(file || mask))
        return rc;
    if (file && !gf_filter_iterates(o) && !gf_filter_searches(o) && !o->destripe)
        bytes = table_bytes(op, bytes / (unit == 24 ? 6 : 4)); /* a number for two samples */
    const int64_t screens = gf_filter_screen_bytes(op); /* a file's numbers are widened with them */
    rc = gf_filter_check_memory(op, bytes + (file ? screens + screens / 2 : screens));
    if (rc || !(file || masked)) /* without a mask yet the caller checks all memory */
        return rc;
    rc = gf_runner_check_memory(op->crew.runner, op->prepare_bytes);
    if (!rc || !file)
        return rc;
    char need[256];
    snprintf(need, sizeof need, "%s", gf_message());
    const char *why = op->divides || gf_filter_psf(o) ? op->refuses.slabs : NULL;
    const bool offers = !op->divides && (op->job.axes & 1 || gf_slab_is_line(&op->job));
    return gf_fail(
        (enum gf_status)rc,
        "%s: a mask or a kernel becomes a table as large as the volume or the picture%s%s", need,
        why ? "; not in slabs: " : "",
        why      ? why
        : offers ? "; --scratch=auto or --scratch=DIR makes it in parts"
                 : "");
}

/* True if the table is made part by part: if it does not fit beside the samples, which makes the
 * operation too large; and by processes that share the filter. */
static bool leaves_table(struct gf_operation *op) {
    int64_t half;
    if ((!op->divides && !op->divided) || !gf_filter_makes_table(gf_filter_options_of(op)) ||
        op->in.data || op->refuses.slabs ||
        gf_size_product(op->job.shape, op->job.ndim, op->job.precision == GF_DOUBLE ? 8 : 4, &half))
        return false;
    const int64_t bytes = table_bytes(op, half) + op->crew.held;
    if (!op->divided && bytes <= gf_runner_limit(op->crew.runner))
        return false;
    op->prepare_bytes = bytes;
    return true;
}

/* A file that --paint names is checked when it is used. */
static int check_files(const struct gf_filter_options *o) {
    int rc = 0;
    for (int i = 0; i < o->n_parts && !rc; i++)
        if (o->part[i].what != GF_PAINT)
            rc = gf_filter_check_file(&o->part[i]);
    return rc;
}

static int choose_filter(struct gf_operation *op) {
    const struct gf_filter_options *o = gf_filter_options_of(op);
    struct gf_filtering *f = op->state;
    f->frame.in_parts = leaves_table(op);
    int rc = f->frame.in_parts ? 0 : check_table(op);
    rc = rc ? rc : check_files(o);
    if (!rc && (gf_filter_looks(o) || gf_filter_measures(o)))
        rc = gf_filter_make(op->shared, &op->job, op->crew.threads, &f->frame, &f->peaks,
                            &f->filter);
    else if (!rc)
        rc = gf_filter_obtain(op->shared, &op->job, op->crew.threads, &f->frame, &f->filter);
    if (rc)
        return rc;
    gf_filter_use(op, &op->job);
    op->extra_bytes += op->beside + gf_filter_notch_bytes(op);
    return 0;
}

/* True if no noise or paint was found and no other filter given: the outputs are copies of the samples. */
static bool is_copy(const struct gf_operation *op) {
    const struct gf_filter_options *f = gf_filter_options_of(op);
    const struct gf_notches *peaks = &gf_filtering_of(op)->peaks;
    bool copy = !gf_filtering_of(op)->n_striped && !peaks->n && !peaks->n_screens &&
                !peaks->painted.px.data && !op->job.luma && f->offset == 0 &&
                f->offset_unit != GF_OFFSET_MID;
    for (int i = 0; i < f->n_parts; i++)
        copy = copy && f->part[i].what == GF_PAINT;
    for (int i = 0; i < op->job.n_out; i++)
        copy = copy && op->job.out[i].dtype == op->of.px.dtype;
    return copy;
}

/* ---- the input in memory: all samples, or some pages ---- */

static void release(struct gf_operation *op) {
    struct gf_filtering *f = op->state;
    gf_filter_release(op->shared, f->filter);
    gf_array_free(&f->input);
    f->filter = NULL;
}

/* Searches the samples for noise, and extends them beyond the edges. */
static int take_all(struct gf_operation *op) {
    const struct gf_filter_options *o = gf_filter_options_of(op);
    int rc = o->destripe ? gf_filter_remove_stripes(op) : 0;
    if (!rc && gf_filter_searches(o))
        rc = gf_filter_find_notches(op);
    if (!rc && o->paints)
        rc = gf_filter_paint(op);
    if (!rc && gf_filter_psf(o))
        rc = gf_filter_measure_noise(op);
    if (!rc && gf_filter_looks(o)) {
        release(op);
        gf_filter_set_lengths(op);
        op->untouched = is_copy(op);
        op->job.in_dtype = input_dtype(op);
    }
    if (!rc && !op->untouched)
        rc = gf_filter_lengthen(op);
    if (!rc && gf_filter_edges(op) == GF_EDGES_SCREEN)
        rc = gf_filter_mask_screens(op);
    if (!rc && gf_filter_looks(o))
        rc = choose_filter(op);
    if (!rc && gf_filter_psf(o))
        rc = gf_filter_restore(op);
    if (!rc && gf_filter_measures(o)) {
        gf_filter_release(op->shared, gf_filtering_of(op)->filter);
        gf_filtering_of(op)->filter = NULL;
        rc = choose_filter(op);
    }
    return rc;
}

/* Counts the masks and kernels, and what making the table takes: beside a kernel's planes as much for
 * their workspace and its spectrum, then the table. All of it is freed before the pages are read,
 * but a last group of fewer pages makes a table of its own. */
static void count_making(struct gf_operation *part) {
    int64_t kernel, n = part->whole->job.shape[0] % part->job.shape[0];
    const int64_t values = gf_filter_parts_bytes(part, &kernel);
    const int64_t making = 2 * kernel + gf_array_bytes(&gf_filtering_of(part)->filter->table);
    part->extra_bytes += values + (kernel && n ? making : 0);
    if (kernel)
        part->whole->prepare_bytes = values + making;
}

/* Obtains the filter for the part's pages. Without samples the whole keeps it for its plan. */
static int take_pages(struct gf_operation *part) {
    struct gf_filtering own = {.n_striped = 0}, *f = part->in.data ? part->state : &own,
                        *of = part->whole->state;
    struct gf_filter_maker *maker = part->shared;
    part->state = f;
    f->frame = of->frame;
    f->frame.shape[0] = part->job.shape[0];
    if (!part->in.data && of->of_pages) { /* of more pages, which memory is too short for */
        gf_filter_release(maker, of->of_pages);
        of->of_pages = NULL;
        gf_filter_forget(maker);
    }
    int rc = part->in.data ? check_files(maker->options) : 0;
    rc = rc ? rc : gf_filter_obtain(maker, &part->job, part->crew.threads, &f->frame, &f->filter);
    if (!rc)
        gf_filter_use(part, &part->job);
    if (part->in.data)
        return rc ? rc : gf_filter_lengthen(part);
    of->of_pages = f->filter;
    if (!rc)
        count_making(part);
    part->state = NULL;
    return rc;
}

/* ---- the steps ---- */

static int describe(struct gf_operation *op) {
    if (gf_dtype_is_complex(op->of.px.dtype))
        return gf_fail(GF_EINVAL, "a filter takes real samples, not complex ones");
    describe_job(op);
    refuse_parts(op);
    op->scans = gf_filter_scans(op);
    return 0;
}

static int expect(struct gf_operation *op) {
    const struct gf_filter_options *o = gf_filter_options_of(op);
    int rc = o->destripe ? gf_filter_expect_stripes(op) : 0;
    if (!rc && gf_filter_searches(o))
        rc = gf_filter_expect_notches(op);
    if (!rc)
        op->job.in_dtype = input_dtype(op);
    if (!rc && gf_filter_psf(o))
        rc = gf_filter_expect_restored(op);
    if (!rc && !op->by_pages && !op->inner)
        rc = choose_filter(op);
    return rc;
}

static int take(struct gf_operation *op) {
    return op->whole ? take_pages(op) : take_all(op);
}

static void drop(struct gf_operation *op) {
    struct gf_filtering *f = op->state;
    release(op);
    gf_filter_release(op->shared, f->of_pages);
    gf_array_free(&f->clean);
    gf_array_free(&f->peaks.screens.px);
    gf_array_free(&f->peaks.painted.px);
    gf_array_free(&f->restored.transfer);
    if (f->smooth)
        gf_smooth_pages_free(f->smooth);
    free(f->smooth);
    free(f->peaks.factor);
}

/* ---- the options ---- */

static int check(void *options) {
    return gf_filter_check(options, false);
}

/* The arrays are the pictures of the options that name some, in their order. */
static int open_run(void *options, const struct gf_array *with, int n, void **shared) {
    struct gf_filter_options *o = options;
    struct gf_filter_maker *maker = *shared = calloc(1, sizeof *maker);
    int rc = 0;
    if (!maker)
        return gf_no_memory();
    gf_filter_maker_open(maker, o);
    for (int i = 0; i < o->n_parts && !rc; i++) {
        struct gf_filter_part *p = &o->part[i];
        const bool file = gf_filter_is_file(p);
        if (file && n-- < 1)
            return gf_fail(GF_EUSAGE, "--%s=%.60s: its samples are missing", p->option, p->text);
        if (file)
            rc = gf_filter_give(p, with, with->shape[with->rank - 1] == 3, 0);
        with += file;
        if (!rc)
            rc = gf_filter_finish(o, p);
    }
    if (!rc && n > 0)
        rc = gf_fail(GF_EUSAGE, "%d more array%s than the options name", n, n == 1 ? "" : "s");
    return rc;
}

static void close_run(void *shared) {
    struct gf_filter_maker *maker = shared;
    if (!maker)
        return;
    gf_filter_free_parts((struct gf_filter_options *)maker->options);
    gf_filter_maker_close(maker);
    free(maker);
}

static const struct gf_filter_options defaults = {.edges = -1};

const struct gf_operation_kind gf_operation_filter = {
    .name = "filter",
    .options = {gf_filter_rows, sizeof(struct gf_filter_options), &defaults, check},
    .with = {0, GF_MAX_PARTS, open_run, close_run},
    .gives = GF_REAL,
    .state = sizeof(struct gf_filtering),
    .describe = describe,
    .expect = expect,
    .take = take,
    .read = gf_filter_make_units,
    .room = gf_filter_make_units_bytes,
    .drop = drop};
