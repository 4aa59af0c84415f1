/* gpufft dwt: pictures, volumes and frames to wavelet coefficients; gpufft idwt: coefficients back
 * to pictures. */

#include "cli/command.h"
#include "cli/log.h"
#include "cli/batch/describe.h"
#include "cli/commands/planes.h"

/* Sets op, axes and wavelet of a job with a shape. */
static int describe(const struct gf_settings *s, const struct gf_axes *names, struct gf_job *job) {
    const int rc = gf_settings_axes(s, names, job->ndim, &job->axes);
    return rc ? rc : gf_dwt_describe(&s->wavelet, s->axes.n || s->dims, job);
}

/* ---- dwt ---- */

/* Coefficients with the picture's shape can keep its alpha. */
static bool keeps_alpha(const struct gf_task *t, int i) {
    const struct gf_product *p = &t->product[i];
    int64_t packed[GF_MAX_RANK];
    gf_dwt_shape(&t->op.job, true, packed);
    return t->image.alpha && !p->target->bands && p->format->alpha_plane &&
           t->op.job.out[i].map == GF_MAP_NUMBER &&
           !memcmp(packed, t->op.job.shape, (size_t)t->op.job.ndim * sizeof *packed);
}

static int describe_product(struct gf_task *t, int i) {
    struct gf_product *p = &t->product[i];
    struct gf_output *out = &t->op.job.out[i];
    int rc = gf_target_dtype(t->s, p->target, p->kind, p->format, t->op.job.precision, &out->dtype);
    if (rc)
        return rc;
    out->kind = GF_REAL;
    out->map = gf_dtype_is_integer(out->dtype) ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
    p->alpha_plane = keeps_alpha(t, i);
    rc = gf_task_describe(t, i, p->alpha_plane ? GF_OTHER_COLOR : t->image.color);
    if (!p->target->bands && out->map == GF_MAP_NUMBER) {
        p->has_record = true;
        p->keeps = GF_KEEPS_PROFILE;
        p->record = gf_record_of_job(&t->op.job, i, &t->image, p->alpha_plane);
    }
    return rc;
}

static int prepare_forward(struct gf_task *t) {
    struct gf_job *job = &t->op.job;
    gf_task_begin_job(t, GF_FORWARD);
    if (gf_dtype_is_complex(job->in_dtype))
        return gf_fail(GF_EINVAL, "wavelets take real samples, not complex ones");
    int rc = gf_task_take_channels(t);
    if (!rc)
        rc = describe(t->s, &t->image.axes, job);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = describe_product(t, i);
    t->op.refuses.pages = gf_dwt_refuses_parts(job);
    return rc;
}

static int check_forward(struct gf_task *t) {
    bool kept = true;
    for (int i = 0; i < t->op.job.n_out; i++)
        kept = kept && t->product[i].alpha_plane;
    if (t->image.alpha && !kept)
        gf_log_note("'%s': alpha dropped; %s", gf_log_name(t->read[0]),
                    t->op.streamed ? "frames that are streamed do not keep it"
                                   : "a float TIFF keeps it where 2^levels divides the size");
    return 0;
}

const struct gf_task_hooks gf_hooks_dwt = {
    .name = "dwt",
    .default_kind = GF_REAL,
    .label = "coefficients",
    .prepare = prepare_forward,
    .check = check_forward,
    .stream = gf_dwt_planes_stream,
};

static const struct gf_opt_group band_group =
    GF_GROUP(NULL, GF_TEXT("bands", bands, "DIR",
                           "also write each band as DIR/{stem}_BAND.tif; works without --out",
                           .inert = true));

static const struct gf_opt_group *const dwt_groups[] = {
    &gf_opts_out,     &band_group,      &gf_opts_depth_display, &gf_opts_files,  &gf_opts_axes,
    &gf_opts_wavelet, &gf_opts_levels,  &gf_opts_precision,     &gf_opts_list,   &gf_opts_frames,
    &gf_opts_raw,     &gf_opts_backend, &gf_opts_run,           &gf_opts_report, NULL};

const struct gf_command gf_command_dwt = {
    .name = "dwt",
    .operands = "IN... --out=OUT",
    .summary = "Daubechies D4 wavelet: 2D of a picture, 3D of a volume or frames",
    .launched = true,
    .joins = true,
    .usual = "out levels wavelet threshold bands depth dims backend resume",
    .groups = dwt_groups,
    .examples = "  gpufft dwt scene.png --out=pyramid.png\n"
                "  gpufft dwt scene.png --levels=max --out=coeffs.tif --bands=bands\n"
                "  gpufft dwt scene.png --threshold=hard:5% --out=small.tif\n"
                "  gpufft dwt --frames frames/ --levels=3 --out=coeffs.tif\n",
    .hooks = &gf_hooks_dwt,
};

/* ---- idwt ---- */

static int check_input(const struct gf_task *t, const struct gf_record *r) {
    const enum gf_dtype type = t->image.px.dtype;
    if (r && !r->is_wavelet)
        return gf_fail(GF_EINVAL, "a spectrum, not wavelet coefficients; gpufft inv inverts it");
    if (gf_dtype_is_complex(type))
        return gf_fail(GF_EINVAL, "complex samples, and wavelet coefficients are real");
    if (!r && gf_dtype_is_integer(type))
        return gf_fail(GF_EINVAL,
                       "%s samples and no record: a picture of coefficients, not the coefficients; "
                       "write those as .tif, .npy or .raw",
                       gf_dtype_name(type));
    return 0;
}

static int check_options(struct gf_task *t, const struct gf_record *r) {
    const struct gf_dwt_options *s = &t->s->wavelet;
    struct gf_wavelet *w = &t->op.job.wavelet;
    gf_dwt_take_threshold(s, w);
    t->op.lossy = t->op.lossy || r->thresholded || t->s->edited;
    if (s->levels > 0 && s->levels != w->levels)
        return gf_fail(GF_EINVAL, "its record has %d level%s, not %d", w->levels,
                       w->levels == 1 ? "" : "s", s->levels);
    if (s->boundary != GF_UNSET && s->boundary != (int)w->boundary)
        return gf_fail(GF_EINVAL, "its record has boundary %s, not %s",
                       gf_boundary_name(w->boundary),
                       gf_boundary_name((enum gf_boundary)s->boundary));
    return 0;
}

/* Without a record the picture is assumed to have the size of the coefficients; every level must
 * halve it. */
static int guess_job(struct gf_task *t) {
    struct gf_job *job = &t->op.job;
    int64_t packed[GF_MAX_RANK];
    job->channels = t->image.px.shape[job->ndim];
    int rc = describe(t->s, &t->image.axes, job);
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

static int prepare_inverse(struct gf_task *t) {
    static const struct gf_inverse how = {check_input, check_options, guess_job};
    t->op.lossy = t->s->wavelet.threshold != GF_KEEP_ALL;
    int rc = gf_task_prepare_inverse(t, &how);
    t->op.refuses.pages = gf_dwt_refuses_parts(&t->op.job);
    return rc;
}

const struct gf_task_hooks gf_hooks_idwt = {
    .name = "idwt",
    .default_kind = GF_REAL,
    .label = "picture",
    .prepare = prepare_inverse,
    .check = gf_task_check_restored,
    .stream = gf_idwt_planes_stream,
};

static const struct gf_opt_group *const idwt_groups[] = {
    &gf_opts_out,    &gf_opts_depth_own, &gf_opts_files,     &gf_opts_axes,   &gf_opts_wavelet,
    &gf_opts_levels, &gf_opts_edited,    &gf_opts_precision, &gf_opts_list,   &gf_opts_frames,
    &gf_opts_raw,    &gf_opts_backend,   &gf_opts_run,       &gf_opts_report, NULL};

const struct gf_command gf_command_idwt = {
    .name = "idwt",
    .operands = "IN... --out=OUT",
    .summary = "inverse wavelet transform, back to the picture",
    .launched = true,
    .joins = true,
    .usual = "out levels wavelet threshold depth dims backend resume",
    .groups = idwt_groups,
    .examples = "  gpufft idwt coeffs.tif --out=back.png\n"
                "  gpufft idwt coeffs.tif --threshold=soft:12.5 --out=smooth.png\n"
                "  gpufft idwt foreign.npy --levels=2 --out=picture.tif\n",
    .notes = "The record in a file of coefficients determines axes, levels and boundary. The\n"
             "options for them are for files without one; otherwise they may only repeat it.\n",
    .hooks = &gf_hooks_idwt,
};
