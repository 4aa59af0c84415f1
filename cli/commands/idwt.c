/* gpufft idwt: wavelet coefficients back to the pictures they came from. */
#include <string.h>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/batch/describe.h"
#include "cli/commands/planes.h"
#include "cli/commands/wavelet.h"
#include "core/wavelet/window.h"
#include "core/base/status.h"

/* Options may repeat what is in the record, whose job this is. */
static int check_options(const struct gf_settings *s, const struct gf_job *job) {
    const struct gf_wavelet *w = &job->wavelet;
    int rc = gf_task_check_axes(s, job);
    if (!rc && s->wavelet.levels > 0 && s->wavelet.levels != w->levels)
        rc = gf_fail(GF_EINVAL, "its record has %d level%s, not %d", w->levels,
                     w->levels == 1 ? "" : "s", s->wavelet.levels);
    if (!rc && s->wavelet.boundary != GF_UNSET && s->wavelet.boundary != (int)w->boundary)
        rc = gf_fail(GF_EINVAL, "its record has boundary %s, not %s", gf_boundary_name(w->boundary),
                     gf_boundary_name((enum gf_boundary)s->wavelet.boundary));
    return rc;
}

static int job_from_record(struct gf_task *t, const struct gf_record *r) {
    struct gf_job *job = &t->job;
    gf_job_of_record(r, job);
    int rc = check_options(t->s, job);
    if (rc)
        return rc;
    job->wavelet.threshold = (enum gf_threshold)t->s->wavelet.threshold;
    job->wavelet.percent = t->s->wavelet.percent;
    job->wavelet.amount = t->s->wavelet.amount;
    return gf_task_take_recorded(t, r->alpha == GF_ALPHA_KEPT);
}

/* Without a record the picture has the coefficients' own size, so it must be one that every level
 * halves. */
static int job_from_options(struct gf_task *t) {
    struct gf_job *job = &t->job;
    int64_t packed[GF_MAX_RANK];
    job->channels = t->image.px.shape[job->ndim];
    int rc = gf_wavelet_describe(t->s, job);
    if (rc)
        return rc;
    gf_task_split(t, &t->image.px, job->channels);
    gf_dwt_shape(job, true, packed);
    if (memcmp(packed, job->shape, (size_t)job->ndim * sizeof *packed))
        return gf_fail(GF_EINVAL,
                       "no record has the picture's size; without one --boundary=periodic and a "
                       "size that 2^%d divides can be inverted",
                       job->wavelet.levels);
    return 0;
}

static int prepare(struct gf_task *t) {
    struct gf_job *job = &t->job;
    struct gf_record record, *r = t->image.record ? &record : NULL;
    int rc = r ? gf_record_parse(t->image.record, r) : 0;
    if (!rc && r && r->version != GF_RECORD_WAVELET)
        rc = gf_fail(GF_EINVAL, "a spectrum, not wavelet coefficients; gpufft inv inverts it");
    if (!rc && gf_dtype_is_complex(t->image.px.dtype))
        rc = gf_fail(GF_EINVAL, "complex samples, and wavelet coefficients are real");
    if (!rc && !r && gf_dtype_is_integer(t->image.px.dtype))
        rc = gf_fail(GF_EINVAL,
                     "%s samples and no record: a picture of coefficients, not the coefficients; "
                     "write those as .tif, .npy or .raw",
                     gf_dtype_name(t->image.px.dtype));
    if (rc)
        return rc;
    gf_task_take_metadata(t, r);
    t->lossy = t->s->wavelet.threshold != GF_KEEP_ALL || (r && r->thresholded);
    gf_task_begin_job(t, GF_INVERSE);
    rc = r ? job_from_record(t, r) : job_from_options(t);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = gf_task_describe_restored(t, i, r);
    t->refuses.pages = gf_dwt_refuses_parts(job);
    return rc;
}

/* Samples that do not fit: a threshold may push a few over, anything else may not. */
static int check(struct gf_task *t) {
    for (int i = 0; i < t->job.n_out; i++) {
        long long clipped = (long long)t->report.clipped[i];
        const char *type = gf_dtype_name(t->job.out[i].dtype);
        if (clipped && !t->s->depth && !t->lossy)
            return gf_task_fail_clipped(t, i);
        if (clipped && !t->s->depth)
            gf_log_verbose("'%s': %lld sample%s clipped to %s", gf_log_name(t->read[0]), clipped,
                           clipped == 1 ? "" : "s", type);
        gf_task_note_alpha(t, i);
    }
    return 0;
}

const struct gf_task_hooks gf_hooks_idwt = {
    .name = "idwt",
    .default_kind = GF_REAL,
    .label = "picture",
    .prepare = prepare,
    .check = check,
    .stream = gf_idwt_planes_stream,
};

static const struct gf_opt_group *const groups[] = {
    &gf_opts_out,    &gf_opts_depth_own, &gf_opts_files, &gf_opts_axes,   &gf_opts_wavelet,
    &gf_opts_levels, &gf_opts_precision, &gf_opts_list,  &gf_opts_frames, &gf_opts_raw,
    &gf_opts_skip,   &gf_opts_backend,   &gf_opts_run,   &gf_opts_report, NULL};

const struct gf_command gf_command_idwt = {
    .name = "idwt",
    .operands = "IN... --out=OUT",
    .summary = "inverse wavelet transform, back to the picture",
    .launched = true,
    .joins = true,
    .groups = groups,
    .examples = "  gpufft idwt coeffs.tif --out=back.png\n"
                "  gpufft idwt coeffs.tif --threshold=soft:12.5 --out=smooth.png\n"
                "  gpufft idwt foreign.npy --levels=2 --out=picture.tif\n",
    .notes = "The record in a file of coefficients determines axes, levels and boundary. The\n"
             "options for them are for files without one; otherwise they may only repeat it.\n",
    .hooks = &gf_hooks_idwt,
};
