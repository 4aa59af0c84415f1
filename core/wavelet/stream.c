/* What all streams share: which jobs they run, and the boxes of a finished plane. */
#include "core/wavelet/stream.h"

const char *gf_dwt_stream_refuses(const struct gf_job *job) {
    if (job->op != GF_DWT || job->direction != GF_FORWARD || job->ndim != 3 || !(job->axes & 1))
        return "only a forward wavelet transform along z runs frame by frame";
    if (job->wavelet.threshold != GF_KEEP_ALL && job->wavelet.percent)
        return "a threshold that keeps a share needs all coefficients at once";
    return NULL;
}

static int place_boxes(const struct gf_dwt_plane *p, struct gf_dwt_box box[GF_DWT_PLANE_BOXES]) {
    const struct gf_dwt_axis *y = &p->axis[1], *x = &p->axis[2];
    const int l = p->level;
    const bool by = p->on[1], bx = p->on[2];
    const int64_t ny = y->n[l], nx = x->n[l], at_y = y->at[l], at_x = x->at[l];
    const int64_t height = by ? at_y + ny : ny, width = bx ? at_x + nx : nx;
    const bool tight = (!by || at_y == ny) && (!bx || at_x == nx);
    const int64_t z = p->detail ? p->axis[0].at[l] + p->step : p->step;
    int n = 0;
    if (tight && p->detail) {
        box[n++] = (struct gf_dwt_box){.z = z, .height = height, .width = width};
        return n;
    }
    if (p->last || p->detail)
        box[n++] = (struct gf_dwt_box){.z = z, .height = ny, .width = nx};
    if (bx)
        box[n++] = (struct gf_dwt_box){.z = z, .x = at_x, .height = ny, .width = nx};
    if (by && (tight || !bx)) {
        box[n++] = (struct gf_dwt_box){.z = z, .y = at_y, .height = ny, .width = width};
        return n;
    }
    if (by)
        box[n++] = (struct gf_dwt_box){.z = z, .y = at_y, .height = ny, .width = nx};
    if (by && bx)
        box[n++] = (struct gf_dwt_box){.z = z, .y = at_y, .x = at_x, .height = ny, .width = nx};
    return n;
}

int gf_dwt_plane_boxes(const struct gf_dwt_plane *p, struct gf_dwt_box box[GF_DWT_PLANE_BOXES]) {
    const int n = place_boxes(p, box);
    for (int i = 0; i < n; i++) {
        box[i].level = p->level;
        box[i].detail = p->detail;
        box[i].step = p->step;
    }
    return n;
}
