/* gpufft dwt: pictures, volumes and frames to their wavelet coefficients. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/commands/wavelet.h"
#include "core/wavelet/dwt.h"
#include "core/base/status.h"

static int too_many(const struct gf_settings *s, const struct gf_job *job, int most) {
    char size[64] = "";
    for (int i = 0; i < job->ndim; i++) {
        size_t used = strlen(size);
        snprintf(size + used, sizeof size - used, "%s%lld", i ? "x" : "", (long long)job->shape[i]);
    }
    return gf_fail(GF_EINVAL, "--levels=%d, and a size of %s allows 1%s%.0d", s->wavelet.levels,
                   size, most > 1 ? " to " : "", most > 1 ? most : 0);
}

int gf_wavelet_describe(const struct gf_settings *s, struct gf_job *job) {
    job->op = GF_DWT;
    job->wavelet.boundary =
        s->wavelet.boundary == GF_UNSET ? GF_PERIODIC : (enum gf_boundary)s->wavelet.boundary;
    job->wavelet.threshold = (enum gf_threshold)s->wavelet.threshold;
    job->wavelet.percent = s->wavelet.percent;
    job->wavelet.amount = s->wavelet.amount;
    int rc = gf_settings_axes(s, job->ndim, &job->axes);
    if (rc)
        return rc;
    /* An axis of one sample has nothing to split. Only a picture of one sample is padded, to two, so
     * that it too comes back. */
    unsigned longer = 0;
    for (int i = 0; i < job->ndim; i++)
        longer |= job->shape[i] > 1 ? job->axes & 1u << i : 0;
    if (!longer && (s->axes.n || s->dims))
        return gf_fail(GF_EINVAL, "one sample along each axis to transform: nothing to split");
    job->axes = longer ? longer : job->axes;
    int most = gf_dwt_max_levels(job->ndim, job->shape, job->axes, job->wavelet.boundary);
    int levels = s->wavelet.levels;
    if (levels > most)
        return too_many(s, job, most);
    job->wavelet.levels = levels == GF_MOST_LEVELS   ? most
                          : levels                   ? levels
                          : most < GF_DEFAULT_LEVELS ? most
                                                     : GF_DEFAULT_LEVELS;
    return 0;
}

struct gf_record gf_wavelet_record(const struct gf_task *t, bool alpha_kept) {
    const struct gf_image *image = &t->image;
    struct gf_record r = {
        .version = GF_RECORD_WAVELET,
        .kind = GF_REAL,
        .ndim = t->job.ndim,
        .channel_axis = image->channel_axis,
        .channels = t->job.channels,
        .color = image->color,
        .dtype = image->px.dtype,
        .depth = image->depth,
        .axes = t->job.axes,
        .alpha = !image->alpha ? GF_ALPHA_NONE
                 : alpha_kept  ? GF_ALPHA_KEPT
                               : GF_ALPHA_DROPPED,
        .levels = t->job.wavelet.levels,
        .boundary = t->job.wavelet.boundary,
        .thresholded = t->job.wavelet.threshold != GF_KEEP_ALL,
    };
    memcpy(r.shape, t->job.shape, sizeof r.shape);
    return r;
}

/* Alpha stands beside coefficients that have the picture's own shape. */
static bool keeps_alpha(const struct gf_task *t, int i) {
    const struct gf_product *p = &t->product[i];
    int64_t packed[GF_MAX_RANK];
    gf_dwt_shape(&t->job, true, packed);
    return t->image.alpha && !p->bands && p->format == &gf_format_tiff &&
           t->job.out[i].map == GF_MAP_NUMBER &&
           !memcmp(packed, t->job.shape, (size_t)t->job.ndim * sizeof *packed);
}

static int describe_product(struct gf_task *t, int i) {
    struct gf_product *p = &t->product[i];
    struct gf_output *out = &t->job.out[i];
    int rc =
        gf_target_dtype(t->s, &t->targets->target[i], p->format, t->job.precision, &out->dtype);
    if (rc)
        return rc;
    out->kind = GF_REAL;
    out->map = gf_dtype_is_integer(out->dtype) ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
    p->alpha_plane = keeps_alpha(t, i);
    rc = gf_task_describe(t, i, p->alpha_plane ? GF_OTHER_COLOR : t->image.color);
    if (!p->bands && out->map == GF_MAP_NUMBER) {
        p->has_record = true;
        p->record = gf_wavelet_record(t, p->alpha_plane);
    }
    return rc;
}

static int prepare(struct gf_task *t) {
    struct gf_job *job = &t->job;
    job->direction = GF_FORWARD;
    job->ndim = t->image.ndim;
    memcpy(job->shape, t->image.px.shape, (size_t)job->ndim * sizeof *job->shape);
    job->in_dtype = t->image.px.dtype;
    if (gf_dtype_is_complex(job->in_dtype))
        return gf_fail(GF_EINVAL, "complex samples, and wavelets are taken of real ones");
    job->precision = gf_task_precision(t->s, job->in_dtype);
    int rc = gf_task_take_channels(t);
    if (!rc)
        rc = gf_wavelet_describe(t->s, job);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = describe_product(t, i);
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

char *gf_band_path(const struct gf_product *p, const struct gf_dwt_band *band) {
    size_t n = strlen(p->path) - 1; /* its last character is the star that the name replaces */
    char *path = malloc(n + sizeof band->name + sizeof ".tif");
    if (path)
        sprintf(path, "%.*s%s.tif", (int)n, p->path, band->name);
    return path;
}

static int write_band(const struct gf_task *t, const struct gf_product *p,
                      const struct gf_dwt_band *band) {
    struct gf_write_options options = gf_settings_write_options(t->s);
    struct gf_image v = p->image;
    char *path = gf_band_path(p, band);
    if (!path)
        return gf_fail(GF_ENOMEM, "out of memory");
    v.px = gf_dwt_band_view(&t->job, band, &p->image.px);
    v.record = NULL;
    while (v.ndim < 2) { /* a line is a picture of one row */
        memmove(v.px.shape + 1, v.px.shape, 2 * sizeof *v.px.shape);
        memmove(v.px.stride + 1, v.px.stride, 2 * sizeof *v.px.stride);
        v.px.shape[0] = 1;
        v.px.rank++;
        v.ndim++;
    }
    int rc = gf_image_write(path, &gf_format_tiff, &v, &options, t->s->clobber);
    free(path);
    return rc;
}

int gf_bands_write(const struct gf_task *t, const struct gf_product *p) {
    struct gf_dwt_band band[GF_MAX_BANDS];
    int rc = 0, n = gf_dwt_bands(&t->job, band);
    if (mkdir(t->s->wavelet.bands, 0777) && errno != EEXIST) {
        char what[256];
        snprintf(what, sizeof what, "cannot make folder '%.200s'", t->s->wavelet.bands);
        return gf_fail_errno(GF_EIO, what);
    }
    for (int i = 0; i < n && !rc; i++)
        rc = write_band(t, p, &band[i]);
    return rc;
}

const struct gf_task_hooks gf_hooks_dwt = {
    .name = "dwt",
    .default_kind = GF_REAL,
    .label = "coefficients",
    .prepare = prepare,
    .check = check,
    .stream = gf_wavelet_stream,
};

static int run(struct gf_settings *s, char **operands, int n) {
    return gf_batch_run(&gf_hooks_dwt, s, operands, n);
}

static const struct gf_opt band_rows[] = {
    GF_TEXT("bands", wavelet.bands, "DIR",
            "also write each band as DIR/{stem}_BAND.tif; works without --out"),
    GF_END,
};
static const struct gf_opt_group band_group = {NULL, band_rows};

static const struct gf_opt_group *const groups[] = {
    &gf_opts_out,     &band_group,      &gf_opts_depth_display, &gf_opts_files,
    &gf_opts_axes,    &gf_opts_wavelet, &gf_opts_levels,        &gf_opts_precision,
    &gf_opts_list,    &gf_opts_frames,  &gf_opts_raw,           &gf_opts_offset,
    &gf_opts_backend, &gf_opts_run,     &gf_opts_report,        NULL};

const struct gf_command gf_command_dwt = {
    .name = "dwt",
    .operands = "IN... --out=OUT",
    .summary = "Daubechies W4 wavelet: 2D of a picture, 3D of a volume or frames",
    .groups = groups,
    .examples = "  gpufft dwt scene.png --out=pyramid.png\n"
                "  gpufft dwt scene.png --levels=max --out=coeffs.tif --bands=bands\n"
                "  gpufft dwt scene.png --threshold=hard:5% --out=small.tif\n"
                "  gpufft dwt --frames frames/ --levels=3 --out=coeffs.tif\n",
    .run = run,
};
