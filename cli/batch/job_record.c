/* Records of jobs, and jobs of records. The two count their kinds, norms and boundaries alike, so
 * that a cast is the translation; the assertions hold them to that. */
#include "cli/batch/job_record.h"

#include <string.h>

#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a " and " #b)
SAME(GF_MAGNITUDE, GF_RECORD_MAGNITUDE);
SAME(GF_PHASE, GF_RECORD_PHASE);
SAME(GF_POWER, GF_RECORD_POWER);
SAME(GF_REAL, GF_RECORD_REAL);
SAME(GF_IMAG, GF_RECORD_IMAG);
SAME(GF_COMPLEX, GF_RECORD_COMPLEX);
SAME(GF_N_KINDS, GF_RECORD_COMPLEX + 1);
SAME(GF_NORM_BACKWARD, GF_RECORD_BACKWARD);
SAME(GF_NORM_ORTHO, GF_RECORD_ORTHO);
SAME(GF_NORM_FORWARD, GF_RECORD_FORWARD);
SAME(GF_PERIODIC, GF_RECORD_PERIODIC);
SAME(GF_SYMMETRIC, GF_RECORD_SYMMETRIC);
SAME(GF_ZERO, GF_RECORD_ZERO);
SAME(GF_MAX_DIMS, GF_RECORD_DIMS);
SAME(GF_MAX_LEVELS, GF_RECORD_LEVELS);

static void describe_spectrum(const struct gf_job *job, const struct gf_output *out,
                              struct gf_record *r) {
    r->version = GF_RECORD_VERSION;
    r->norm = (enum gf_record_norm)job->norm;
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
    r->levels = w->levels;
    r->boundary = (enum gf_record_boundary)w->boundary;
    r->thresholded = w->threshold != GF_KEEP_ALL;
}

struct gf_record gf_record_of_job(const struct gf_job *job, int i, const struct gf_image *image,
                                  bool alpha_kept) {
    struct gf_record r = {
        .kind = (enum gf_record_kind)job->out[i].kind,
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
        job->wavelet.levels = r->levels;
        job->wavelet.boundary = (enum gf_boundary)r->boundary;
        return;
    }
    job->norm = (enum gf_norm)r->norm;
    job->in_shift = r->shift;
    job->in_half = r->half;
}

enum gf_kind gf_kind_of_record(const struct gf_record *r) {
    return (enum gf_kind)r->kind;
}
