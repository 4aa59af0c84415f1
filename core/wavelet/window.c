/* Planes and steps of one level, of chunks of it, and of parts of all levels. */
#include "core/wavelet/window.h"

static bool is_periodic(const struct gf_dwt_window *w) {
    return w->boundary == GF_PERIODIC;
}

int64_t gf_dwt_extend(int64_t i, int64_t n, enum gf_boundary b) {
    if (i >= 0 && i < n)
        return i;
    if (b == GF_ZERO)
        return -1;
    const int64_t period = b == GF_PERIODIC ? n + n % 2 : 2 * n;
    i %= period;
    i += i < 0 ? period : 0;
    if (i < n)
        return i;
    return b == GF_PERIODIC ? n - 1 : period - 1 - i;
}

const char *gf_dwt_refuses_parts(const struct gf_job *job) {
    return gf_wavelet_keeps_share(&job->wavelet)
               ? "the largest K% are known only when all coefficients are there"
               : NULL;
}

const char *gf_dwt_refuses_planes(const struct gf_job *job) {
    if (job->ndim != 3)
        return "a single line is not";
    return job->op != GF_DWT || !(job->axes & 1) || job->shape[0] < 2
               ? "the slowest axis is not transformed"
           : gf_dwt_taps(&job->wavelet) != 4 ? "only wavelets of four taps go plane by plane"
                                             : NULL;
}

void gf_dwt_window(const struct gf_job *job, int level, struct gf_dwt_window *w) {
    struct gf_dwt_axis z;
    const enum gf_boundary b = job->wavelet.boundary;
    gf_dwt_axis(job->shape[0], job->axes & 1, level, &job->wavelet, &z);
    *w = (struct gf_dwt_window){.planes = z.n[level - 1],
                                .steps = z.n[level],
                                .first = b == GF_PERIODIC && level > 1,
                                .boundary = b,
                                .offset = gf_dwt_offset(&job->wavelet)};
}

/* ---- step by step ---- */

int64_t gf_dwt_window_ready(const struct gf_dwt_window *w, int64_t came) {
    const int64_t end = came + w->first; /* earlier planes have come, except plane 0 */
    if (came >= w->planes)
        return w->steps;
    return is_periodic(w) ? (end < 5 ? 0 : (end - 3) / 2) : end / 2;
}

int64_t gf_dwt_window_step(const struct gf_dwt_window *w, int64_t i) {
    return is_periodic(w) ? (i + 1) % w->steps : i;
}

int gf_dwt_window_slot(const struct gf_dwt_window *w, int64_t plane) {
    const int64_t kept = is_periodic(w) ? GF_DWT_KEPT : 0, turn = GF_DWT_SLOTS - GF_DWT_KEPT;
    return (int)(plane < kept ? plane : kept + (plane - kept) % turn);
}

int gf_dwt_window_slots(const struct gf_dwt_window *w) {
    return (int)gf_min(w->planes, is_periodic(w) ? GF_DWT_SLOTS : GF_DWT_SLOTS - GF_DWT_KEPT);
}

/* ---- chunks ---- */

void gf_dwt_window_chunk(const struct gf_dwt_window *w, int64_t each, int64_t i,
                         struct gf_dwt_chunk *c) {
    const bool periodic = is_periodic(w), last = i + 1 == gf_dwt_window_chunks(w, each);
    c->plane = 2 * each * i;
    c->step = i || periodic ? each * i + 1 : 0;
    c->end = last ? w->steps + periodic : each * (i + 1) + 1;
    c->extent = periodic ? 2 * (c->end - c->step) + 4 : gf_min(w->planes - c->plane, 2 * each + 2);
    c->planes = c->extent - periodic;
    c->bands = periodic ? c->extent / 2 : (c->extent + 3) / 2;
}

int64_t gf_dwt_window_chunks(const struct gf_dwt_window *w, int64_t each) {
    const int64_t all = is_periodic(w) ? w->steps : (w->planes - 1) / 2;
    return all < each ? 1 : gf_divide_up(all, each);
}

/* ---- parts ---- */

int gf_dwt_parts(const struct gf_job *job, int most) {
    enum { WORTH = 8 };
    const bool forward = job->direction == GF_FORWARD;
    struct gf_dwt_window finest;
    gf_dwt_window(job, 1, &finest);
    const int64_t fit =
        (forward ? job->shape[0] / 2 >> job->wavelet.levels : gf_dwt_window_pairs(&finest)) / WORTH;
    return fit < 1 ? 1 : (int)gf_min(fit, most);
}

void gf_dwt_part(const struct gf_job *job, int n, int i, struct gf_dwt_part *part) {
    const bool periodic = job->wavelet.boundary == GF_PERIODIC;
    const int64_t unit = (int64_t)1 << job->wavelet.levels; /* planes per step of the last level */
    const int64_t all = job->shape[0];
    /* The first plane of part 0's share of a periodic line's end: early enough that no other
     * part needs planes beyond the end. */
    const int64_t tail = periodic ? (all / unit - 1) * unit : all;
    const int64_t before = periodic ? unit : 2 * unit, after = periodic ? unit : 0;
    *part = (struct gf_dwt_part){.job = *job, .planes = {{0, all}}, .own = {{0, all}}, .all = all};
    gf_dwt_axis(all, true, job->wavelet.levels, &job->wavelet, &part->axis);
    if (n < 2)
        return;
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

bool gf_dwt_part_step(const struct gf_dwt_part *part, int level, int64_t *step) {
    const struct gf_span *p = part->planes;
    const int64_t joint = p[0].count >> level;
    const bool second = p[1].count && *step >= joint;
    const struct gf_span own = part->own[second];
    const int64_t end = own.first + own.count;
    *step += (p[second].first >> level) - (second ? joint : 0);
    return *step >= own.first >> level &&
           *step < (end == part->all ? part->axis.n[level] : end >> level);
}

/* ---- inverse ---- */

int64_t gf_dwt_window_pairs(const struct gf_dwt_window *w) {
    return is_periodic(w) ? w->steps : w->steps - 1;
}

int64_t gf_dwt_window_pair(const struct gf_dwt_window *w, int64_t plane) {
    if (!is_periodic(w))
        return plane / 2;
    return plane ? (plane - 1) / 2 : w->steps - 1;
}

struct gf_span gf_dwt_window_coarser(const struct gf_dwt_window *coarser, struct gf_span pairs) {
    const int64_t last = gf_min(pairs.first + pairs.count, coarser->planes - 1);
    const int64_t from = pairs.first ? gf_dwt_window_pair(coarser, pairs.first) : 0;
    const int64_t to = last ? gf_dwt_window_pair(coarser, last) : 0;
    return (struct gf_span){from, to - from + 1};
}
