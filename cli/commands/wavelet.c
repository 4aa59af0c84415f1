/* From the wavelet options to a job. */
#include "cli/commands/wavelet.h"

#include "cli/shapes.h"
#include "core/wavelet/dwt.h"
#include "core/base/status.h"

enum { DEFAULT_LEVELS = 3 };

static int too_many(const struct gf_settings *s, const struct gf_job *job, int most) {
    char size[GF_SHAPE_TEXT];
    return gf_fail(GF_EINVAL, "--levels=%d, and a size of %s allows 1%s%.0d", s->wavelet.levels,
                   gf_shape_text(job->shape, job->ndim, size), most > 1 ? " to " : "",
                   most > 1 ? most : 0);
}

int gf_wavelet_describe(const struct gf_settings *s, struct gf_job *job) {
    job->op = GF_DWT;
    job->wavelet.name = (enum wavelet)s->wavelet.name;
    job->wavelet.boundary =
        s->wavelet.boundary == GF_UNSET ? GF_PERIODIC : (enum gf_boundary)s->wavelet.boundary;
    job->wavelet.threshold = (enum gf_threshold)s->wavelet.threshold;
    job->wavelet.percent = s->wavelet.percent;
    job->wavelet.amount = s->wavelet.amount;
    int rc = gf_settings_axes(s, job->ndim, &job->axes);
    if (rc)
        return rc;
    /* An axis of one sample cannot be split. Only a picture of one sample is padded, to two, so that it
     * too comes back. */
    unsigned longer = 0;
    for (int i = 0; i < job->ndim; i++)
        longer |= job->shape[i] > 1 ? job->axes & 1u << i : 0;
    if (!longer && (s->axes.n || s->dims))
        return gf_fail(GF_EINVAL, "one sample along each axis to transform: nothing to split");
    job->axes = longer ? longer : job->axes;
    int most = gf_dwt_max_levels(job->ndim, job->shape, job->axes, &job->wavelet);
    int levels = s->wavelet.levels;
    if (levels > most)
        return too_many(s, job, most);
    job->wavelet.levels = levels == GF_MOST_LEVELS ? most
                          : levels                 ? levels
                          : most < DEFAULT_LEVELS  ? most
                                                   : DEFAULT_LEVELS;
    return 0;
}
