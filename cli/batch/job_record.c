/* Records of jobs, and jobs of records. */
#include "cli/batch/job_record.h"

#include <string.h>

static void describe_spectrum(const struct gf_job *job, const struct gf_output *out,
                              struct gf_record *r) {
    r->version = GF_RECORD_VERSION;
    r->norm = job->norm;
    r->shift = out->shift;
    r->half = out->half;
    r->luma = job->luma;
    r->complex_input = gf_dtype_is_complex(job->in_dtype);
    if (job->luma) {
        r->channels = 1;
        r->color = GF_GRAY;
    }
}

static void describe_wavelet(const struct gf_wavelet *w, struct gf_record *r) {
    r->version = GF_RECORD_WAVELET;
    r->wavelet = w->name;
    r->levels = w->levels;
    r->boundary = w->boundary;
    r->thresholded = w->threshold != GF_KEEP_ALL;
}

struct gf_record gf_record_of_job(const struct gf_job *job, int i, const struct gf_image *image,
                                  bool alpha_kept) {
    struct gf_record r = {
        .kind = job->out[i].kind,
        .ndim = job->ndim,
        .channels = job->channels,
        .channel_axis = image->channel_axis,
        .color = image->color,
        .dtype = image->px.dtype,
        .depth = image->depth,
        .axes = job->axes,
        .alpha = !image->alpha ? GF_ALPHA_NONE
                 : alpha_kept  ? GF_ALPHA_KEPT
                               : GF_ALPHA_DROPPED,
    };
    memcpy(r.shape, job->shape, sizeof r.shape);
    r.metadata = image->metadata;
    r.metadata.profile = NULL; /* the image's own */
    r.metadata.profile_bytes = 0;
    r.metadata.exif = NULL;
    if (job->op == GF_DWT)
        describe_wavelet(&job->wavelet, &r);
    else
        describe_spectrum(job, &job->out[i], &r);
    return r;
}

void gf_job_of_record(const struct gf_record *r, struct gf_job *job) {
    job->ndim = r->ndim;
    memset(job->shape, 0, sizeof job->shape);
    memcpy(job->shape, r->shape, (size_t)r->ndim * sizeof *job->shape);
    job->channels = r->channels;
    job->axes = r->axes;
    job->op = r->version == GF_RECORD_WAVELET ? GF_DWT : GF_FFT;
    if (job->op == GF_DWT) {
        job->wavelet.name = r->wavelet;
        job->wavelet.levels = r->levels;
        job->wavelet.boundary = r->boundary;
        return;
    }
    job->norm = r->norm;
    job->in_shift = r->shift;
    job->in_half = r->half;
}
