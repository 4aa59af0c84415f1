/* Which planes a part of a stream reads, and which steps are its own. */
#include "core/wavelet/parts.h"

enum { WORTH = 8 };

static bool is_periodic(const struct gf_job *job) {
    return job->wavelet.boundary == GF_PERIODIC;
}

/* Planes for one step of the last level. */
static int64_t unit_of(const struct gf_job *job) {
    return (int64_t)1 << job->wavelet.levels;
}

int gf_dwt_parts(const struct gf_job *job, int most) {
    const int64_t fit = job->shape[0] / (2 * WORTH) >> job->wavelet.levels;
    return fit < 1 ? 1 : fit < most ? (int)fit : most;
}

/* Of a periodic line, where the planes at its end begin that are part 0's: enough that no other part
 * needs planes beyond the end. */
static int64_t tail_of(const struct gf_job *job) {
    const int64_t unit = unit_of(job), n = job->shape[0];
    return is_periodic(job) ? (n / unit - 1) * unit : n;
}

void gf_dwt_part(const struct gf_job *job, int n, int i, struct gf_dwt_part *part) {
    const int64_t unit = unit_of(job), all = job->shape[0], tail = tail_of(job);
    *part = (struct gf_dwt_part){.job = *job, .planes = {{0, all}}, .own = {{0, all}}, .all = all};
    gf_dwt_axis(all, true, job->wavelet.levels, job->wavelet.boundary, &part->axis);
    if (n < 2)
        return;
    const int64_t before = is_periodic(job) ? unit : 2 * unit, after = is_periodic(job) ? unit : 0;
    const struct gf_span own = gf_slab_planes(tail, n, i, unit);
    const int64_t first = i ? own.first - before : 0, end = own.first + own.count + after;
    part->own[0] = own;
    part->planes[0] = (struct gf_span){first, end - first};
    if (!i && tail < all) {
        part->own[1] = (struct gf_span){tail, all - tail};
        part->planes[1] = (struct gf_span){tail - before, all - tail + before};
    }
    part->job.shape[0] = part->planes[0].count + part->planes[1].count;
}

int64_t gf_dwt_part_beside(const struct gf_dwt_part *part) {
    return part->job.shape[0] - part->own[0].count - part->own[1].count;
}

int64_t gf_dwt_part_plane(const struct gf_dwt_part *part, int64_t k) {
    const struct gf_span *p = part->planes;
    return k < p[0].count ? p[0].first + k : p[1].first + k - p[0].count;
}

bool gf_dwt_part_place(const struct gf_dwt_part *part, struct gf_dwt_box *box) {
    const int l = box->level;
    const struct gf_span *p = part->planes;
    const int64_t joint = p[0].count >> l;
    const bool second = p[1].count && box->step >= joint;
    const struct gf_span own = part->own[second];
    const int64_t step = box->step + (p[second].first >> l) - (second ? joint : 0);
    const int64_t end =
        own.first + own.count == part->all ? part->axis.n[l] : (own.first + own.count) >> l;
    if (step < own.first >> l || step >= end)
        return false;
    box->step = step;
    box->z = box->detail ? part->axis.at[l] + step : step;
    return true;
}
