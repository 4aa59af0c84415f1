/* gpufft dwt: pictures, volumes and frames to their wavelet coefficients. */
#include <string.h>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/batch/describe.h"
#include "cli/commands/planes.h"
#include "cli/commands/wavelet.h"
#include "core/wavelet/window.h"
#include "core/base/status.h"

/* Alpha is kept beside coefficients that have the picture's own shape. */
static bool keeps_alpha(const struct gf_task *t, int i) {
    const struct gf_product *p = &t->product[i];
    int64_t packed[GF_MAX_RANK];
    gf_dwt_shape(&t->job, true, packed);
    return t->image.alpha && !p->target->bands && p->format->alpha_plane &&
           t->job.out[i].map == GF_MAP_NUMBER &&
           !memcmp(packed, t->job.shape, (size_t)t->job.ndim * sizeof *packed);
}

static int describe_product(struct gf_task *t, int i) {
    struct gf_product *p = &t->product[i];
    struct gf_output *out = &t->job.out[i];
    int rc = gf_target_dtype(t->s, p->target, p->kind, p->format, t->job.precision, &out->dtype);
    if (rc)
        return rc;
    out->kind = GF_REAL;
    out->map = gf_dtype_is_integer(out->dtype) ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
    p->alpha_plane = keeps_alpha(t, i);
    rc = gf_task_describe(t, i, p->alpha_plane ? GF_OTHER_COLOR : t->image.color);
    if (!p->target->bands && out->map == GF_MAP_NUMBER) {
        p->has_record = true;
        p->keeps = GF_KEEPS_PROFILE;
        p->record = gf_record_of_job(&t->job, i, &t->image, p->alpha_plane);
    }
    return rc;
}

static const char *refuses_pages(const struct gf_task *t) {
    for (int i = 0; i < t->job.n_out; i++)
        if (t->job.out[i].map == GF_MAP_DISPLAY)
            return "pictures are made from all coefficients";
    return gf_dwt_refuses_parts(&t->job);
}

static int prepare(struct gf_task *t) {
    struct gf_job *job = &t->job;
    gf_task_begin_job(t, GF_FORWARD);
    if (gf_dtype_is_complex(job->in_dtype))
        return gf_fail(GF_EINVAL, "wavelets take real samples, not complex ones");
    int rc = gf_task_take_channels(t);
    if (!rc)
        rc = gf_wavelet_describe(t->s, job);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = describe_product(t, i);
    t->refuses.pages = refuses_pages(t);
    return rc;
}

static int check(struct gf_task *t) {
    bool kept = true;
    for (int i = 0; i < t->job.n_out; i++)
        kept = kept && t->product[i].alpha_plane;
    if (t->image.alpha && !kept)
        gf_log_note("'%s': alpha dropped; a float TIFF keeps it where 2^levels divides the size",
                    gf_log_name(t->read[0]));
    return 0;
}

const struct gf_task_hooks gf_hooks_dwt = {
    .name = "dwt",
    .default_kind = GF_REAL,
    .label = "coefficients",
    .prepare = prepare,
    .check = check,
    .stream = gf_dwt_planes_stream,
};

static const struct gf_opt_group band_group =
    GF_GROUP(NULL, GF_TEXT("bands", wavelet.bands, "DIR",
                           "also write each band as DIR/{stem}_BAND.tif; works without --out",
                           .inert = true));

static const struct gf_opt_group *const groups[] = {
    &gf_opts_out,     &band_group,      &gf_opts_depth_display, &gf_opts_files,
    &gf_opts_axes,    &gf_opts_wavelet, &gf_opts_levels,        &gf_opts_precision,
    &gf_opts_list,    &gf_opts_frames,  &gf_opts_raw,           &gf_opts_skip,
    &gf_opts_backend, &gf_opts_run,     &gf_opts_report,        NULL};

const struct gf_command gf_command_dwt = {
    .name = "dwt",
    .operands = "IN... --out=OUT",
    .summary = "Daubechies W4 wavelet: 2D of a picture, 3D of a volume or frames",
    .launched = true,
    .joins = true,
    .groups = groups,
    .examples = "  gpufft dwt scene.png --out=pyramid.png\n"
                "  gpufft dwt scene.png --levels=max --out=coeffs.tif --bands=bands\n"
                "  gpufft dwt scene.png --threshold=hard:5% --out=small.tif\n"
                "  gpufft dwt --frames frames/ --levels=3 --out=coeffs.tif\n",
    .hooks = &gf_hooks_dwt,
};
