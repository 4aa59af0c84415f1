/* The common start of all streams, and the boxes of a finished plane. */
#include "core/wavelet/stream.h"

#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"
#include "core/wavelet/dwt.h"

bool gf_dwt_part_place(const struct gf_dwt_part *part, struct gf_dwt_box *box) {
    const bool own = gf_dwt_part_step(part, box->level, &box->step);
    box->z = box->step + (box->detail ? part->axis.at[box->level] : 0);
    return own;
}

int gf_dwt_sender_begin(struct gf_dwt_sender *s, const struct gf_job *job,
                        const struct gf_dwt_taker *taker) {
    const int rc = gf_job_validate(job);
    *s = (struct gf_dwt_sender){.job = *job, .taker = *taker};
    if (rc)
        return rc;
    if (job->direction != GF_FORWARD || gf_dwt_refuses_planes(job) ||
        gf_wavelet_keeps_share(&job->wavelet))
        return gf_fail(GF_EINVAL, "no forward wavelet transform that runs plane by plane");
    gf_dwt_layout(job, &s->layout);
    return 0;
}

/* Makes the box's coefficients the output's type, which may be narrower, where they are. */
static void narrow(const struct gf_job *job, const struct gf_dwt_box *b) {
    const int64_t shape[] = {b->height, b->width * job->channels};
    struct gf_array from = gf_array_wrap((void *)b->data, gf_dwt_real(job), 2, shape),
                    to = gf_array_wrap((void *)b->data, job->out[0].dtype, 2, shape);
    from.stride[0] = to.stride[0] = b->stride;
    gf_samples_convert(&to, &from);
}

int gf_dwt_emit(struct gf_dwt_sender *s) {
    const int n = s->n;
    s->n = 0;
    for (int i = 0; i < n && s->job.out[0].dtype != gf_dwt_real(&s->job); i++)
        narrow(&s->job, &s->box[i]);
    return n ? s->taker.emit(s->taker.user, s->box, n) : 0;
}

/* Bands that touch in the packed array share a box: those of a row, then rows of the same width. */
int gf_dwt_send(struct gf_dwt_sender *s, int level, bool detail, int64_t step, char *data,
                bool shrink) {
    const struct gf_dwt_layout *a = &s->layout;
    const int64_t ny = a->axis[1].n[level], at_y = a->on[1] ? a->axis[1].at[level] : ny;
    const int64_t nx = a->axis[2].n[level], at_x = a->on[2] ? a->axis[2].at[level] : nx;
    const int64_t row = gf_dwt_layout_row(a, level);
    const bool tight = at_y == ny && at_x == nx;
    const int y_bands = detail && tight ? 1 : 1 + a->on[1];
    int rc = 0;
    for (int by = 0; by < y_bands && !rc; by++) {
        const bool kept = detail || by || level == s->job.wavelet.levels;
        const int x_bands = tight && (detail || by) ? 1 : 1 + a->on[2];
        for (int bx = !kept; bx < x_bands && !rc; bx++) {
            struct gf_dwt_box *box = &s->box[s->n++];
            *box = (struct gf_dwt_box){.z = detail ? a->axis[0].at[level] + step : step,
                                       .y = by ? at_y : 0,
                                       .x = bx ? at_x : 0,
                                       .height = y_bands <= a->on[1] ? at_y + ny : ny,
                                       .width = x_bands <= a->on[2] ? at_x + nx : nx,
                                       .stride = row,
                                       .data = data + by * ny * row + bx * nx * a->pixel,
                                       .level = level,
                                       .detail = detail,
                                       .step = step};
            if (shrink && s->job.wavelet.threshold != GF_KEEP_ALL && (detail || by || bx))
                gf_dwt_shrink(&s->job, (void *)box->data, box->height, box->width * s->job.channels,
                              row);
            s->boxes++;
            rc = s->n < GF_DWT_BATCH ? 0 : gf_dwt_emit(s);
        }
    }
    return rc;
}
