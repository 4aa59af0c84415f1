/* Records of spectra as jobs, and images as operations see them. */
#include <string.h>

#include "core/api/picture.h"

struct gf_record gf_record_of_job(const struct gf_job *job, int i, const struct gf_image *image,
                                  bool alpha_kept) {
    struct gf_record r = {
        .kind = job->out[i].kind,
        .ndim = job->ndim,
        .channels = job->luma ? 1 : job->channels,
        .channel_axis = image->channel_axis,
        .color = job->luma ? GF_GRAY : image->color,
        .dtype = job->in_dtype,
        .white = (int64_t)image->white,
        .depth = (int)gf_min(image->depth, 8 * (int64_t)gf_dtype_size(job->in_dtype)),
        .axes = job->axes,
        .alpha = !image->alpha ? GF_ALPHA_NONE
                 : alpha_kept  ? GF_ALPHA_KEPT
                               : GF_ALPHA_DROPPED,
        .norm = job->norm,
        .shift = job->out[i].shift,
        .half = job->out[i].half,
        .luma = job->luma,
        .complex_input = gf_dtype_is_complex(job->in_dtype),
        .is_wavelet = job->op == GF_DWT,
        .wavelet = job->wavelet.name,
        .levels = job->wavelet.levels,
        .boundary = job->wavelet.boundary,
        .thresholded = job->wavelet.threshold != GF_KEEP_ALL,
        .metadata = image->metadata,
        .file_axes = image->axes,
    };
    memcpy(r.shape, job->shape, sizeof r.shape);
    r.metadata.profile = NULL; /* the image has it */
    r.metadata.profile_bytes = 0;
    return r;
}

void gf_record_job(const struct gf_record *r, struct gf_job *job) {
    job->ndim = r->ndim;
    memcpy(job->shape, r->shape, sizeof job->shape);
    job->channels = r->channels;
    job->axes = r->axes;
    job->op = r->is_wavelet ? GF_DWT : GF_FFT;
    job->wavelet.name = r->wavelet;
    job->wavelet.levels = r->levels;
    job->wavelet.boundary = r->boundary;
    job->norm = r->norm;
    job->in_shift = r->shift;
    job->in_half = r->half;
}

int gf_record_match(const struct gf_record *r, struct gf_array *px) {
    const int rank = r->ndim + 1;
    struct gf_job job = {.direction = GF_INVERSE};
    int64_t shape[GF_MAX_RANK];
    struct gf_array v = *px;
    gf_record_job(r, &job);
    gf_job_in_shape(&job, shape);
    shape[r->ndim] += r->alpha == GF_ALPHA_KEPT;
    for (int i = 1; i <= GF_MAX_RANK; i++) { /* from the last axis */
        int64_t want = i <= rank ? shape[rank - i] : 1;
        int64_t is = i <= px->rank ? px->shape[px->rank - i] : 1;
        if (want != is)
            return gf_fail(GF_EFORMAT, "the file's shape is not that of its record");
        if (i <= rank) {
            v.shape[rank - i] = want;
            v.stride[rank - i] = i <= px->rank ? px->stride[px->rank - i] : 0;
        }
    }
    v.rank = rank;
    *px = v;
    return 0;
}

void gf_operand_of_image(const struct gf_image *image, int ndim, struct gf_operand *of) {
    const struct gf_axis *last = gf_axes_spatial(&image->axes, ndim, ndim - 1);
    double y;
    of->white = image->white;
    of->rgb = image->color == GF_RGB;
    of->oblique = image->axes.oblique;
    of->unit = last ? last->unit : "";
    memcpy(of->rounding, image->rounding, sizeof of->rounding);
    for (int i = 0; i < ndim; i++)
        of->spacing[i] = gf_image_spacing(image, i, &of->kind[i]);
    gf_resolution_in(&image->metadata.resolution, GF_INCH, &of->dpi, &y);
}
