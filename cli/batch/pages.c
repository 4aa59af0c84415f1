/* The loop over the pages of a volume. It may be walked through more than once: an automatic display
 * range looks at a few pages first, a full one at all of them. */
#include "cli/batch/pages.h"

#include "cli/batch/page_walk.h"
#include "cli/batch/store.h"
#include "cli/log.h"
#include "core/base/clock.h"
#include "core/base/range_planes.h"

/* ---- display ranges ---- */

static void set_range(struct gf_task *t, int i, double low, double high) {
    struct gf_output *out = &t->pages.job.out[i];
    out->range = GF_RANGE_GIVEN;
    out->low = low;
    out->high = high;
}

/* The pages that the sample of an automatic range is on, one by one. *spoiled: there is none, as samples
 * will be refused, once the walk over all pages has counted them. */
static int look_at_pages(struct gf_task *t, struct gf_range_planes *r, bool *spoiled) {
    struct gf_job one = gf_range_planes_job(&t->job);
    struct gf_array px = {0}, spectrum = {0}, in, alpha, like = t->image.px;
    struct gf_nonfinite bad = {0};
    struct gf_report report;
    int64_t shape[GF_MAX_RANK];
    gf_job_out_shape(&one, 0, shape);
    like.shape[0] = 1;
    int rc = gf_runner_plan(t->runner, &one);
    if (!rc)
        rc = gf_array_alloc(&px, like.dtype, like.rank, like.shape);
    if (!rc)
        rc = gf_array_alloc(&spectrum, one.out[0].dtype, one.ndim + 1, shape);
    for (int64_t z = 0; !rc && (z = gf_range_planes_next(r, z)) >= 0; z++) {
        rc = gf_page_walk_read(t, &t->reader, z, &px, &bad);
        if (rc || bad.count)
            break;
        gf_page_walk_split(t, &px, &in, &alpha);
        rc = gf_runner_run(t->runner, &in, &spectrum, &report);
        if (!rc)
            gf_range_planes_add(r, z, &in, &spectrum);
    }
    gf_array_free(&px);
    gf_array_free(&spectrum);
    *spoiled = bad.count > 0;
    return rc;
}

static int sample_ranges(struct gf_task *t) {
    struct gf_range_planes r;
    double start = gf_now_ms();
    int rc = gf_range_planes_make(&t->job, &r);
    if (rc)
        return rc;
    bool spoiled;
    rc = look_at_pages(t, &r, &spoiled);
    for (int i = 0; i < t->job.n_out && !rc; i++) {
        double range[2] = {0, 1};
        if (!gf_output_samples(&t->job, i))
            continue;
        if (!spoiled)
            gf_range_planes_find(&r, i, range);
        set_range(t, i, range[0], range[1]);
    }
    gf_range_planes_free(&r);
    t->ms_transform += gf_now_ms() - start;
    return rc;
}

/* Ranges over all pages, before the first of them is written. */
static int find_ranges(struct gf_task *t) {
    bool full = false;
    int rc = 0;
    if (gf_job_samples(&t->job))
        rc = sample_ranges(t);
    for (int i = 0; i < t->job.n_out; i++)
        full = full || gf_output_is_full(&t->job.out[i]);
    if (rc || !full)
        return rc;
    rc = gf_page_walk(t, NULL);
    for (int i = 0; i < t->job.n_out && !rc; i++)
        if (gf_output_is_full(&t->job.out[i]))
            set_range(t, i, t->report.low[i], t->report.high[i]);
    return rc;
}

/* ---- outputs ---- */

static int begin(struct gf_task *t, struct gf_volume **volume) {
    int rc = 0;
    for (int i = 0; i < t->job.n_out && !rc; i++) {
        const struct gf_format *f = t->product[i].format;
        if (f->load) /* see gf_formats_load() */
            rc = f->load();
        if (!rc)
            rc = gf_product_begin(t->s, &t->product[i], &t->image.metadata, &volume[i]);
    }
    return rc;
}

static int commit(struct gf_task *t, struct gf_volume **volume) {
    int rc = 0;
    for (int i = 0; i < t->job.n_out && !rc; i++) {
        if (volume[i])
            rc = gf_volume_commit(volume[i]);
        volume[i] = NULL;
    }
    return rc;
}

int gf_pages_run(struct gf_task *t) {
    struct gf_volume *volume[GF_MAX_OUTPUTS] = {NULL};
    char alpha;
    const double begun = gf_now_ms();
    int rc = find_ranges(t);
    if (!rc)
        rc = begin(t, volume);
    if (!rc)
        rc = gf_page_walk(t, volume);
    t->alpha.data = t->has_alpha ? &alpha : NULL; /* check() asks only whether there is one */
    if (!rc && t->hooks->check)
        rc = t->hooks->check(t);
    t->alpha.data = NULL;
    double start = gf_now_ms();
    if (!rc)
        rc = commit(t, volume);
    t->ms_encode += gf_now_ms() - start;
    for (int i = 0; i < t->job.n_out; i++)
        gf_volume_abort(volume[i]);
    gf_reader_close(&t->reader);
    if (!rc)
        gf_log_verbose("'%s': %lld pages, %lld at once, %.1f a second", gf_log_name(t->read[0]),
                       (long long)t->job.shape[0], (long long)t->pages.at_once,
                       (double)t->job.shape[0] * 1e3 / (gf_now_ms() - begun));
    return rc;
}
