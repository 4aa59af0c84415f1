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
    for (int i = 0; i < job->n_out && job->direction == GF_FORWARD; i++)
        if (job->out[i].map == GF_MAP_DISPLAY)
            return gf_why(GF_WHY_PICTURES);
    return gf_wavelet_keeps_share(&job->wavelet) ? gf_why(GF_WHY_SHARE) : NULL;
}

const char *gf_dwt_refuses_planes(const struct gf_job *job) {
    if (job->ndim != 3)
        return gf_why(GF_WHY_LINE);
    return job->op != GF_DWT || !(job->axes & 1) ? gf_why(GF_WHY_SLOWEST)
           : job->shape[0] < 2                   ? gf_why(GF_WHY_SINGLE)
                                                 : NULL;
}

void gf_dwt_window(const struct gf_job *job, int level, struct gf_dwt_window *w) {
    struct gf_dwt_layout a;
    gf_dwt_layout(job, &a);
    *w = (struct gf_dwt_window){.level = level,
                                .job = gf_dwt_level_job(job, level, 1),
                                .planes = a.axis[0].n[level - 1],
                                .steps = a.axis[0].n[level],
                                .boundary = job->wavelet.boundary,
                                .taps = gf_dwt_taps(&job->wavelet),
                                .offset = gf_dwt_offset(&job->wavelet)};
    w->fine = w->job.shape[1] * w->job.shape[2] * job->channels;
    w->plane = w->fine * (int64_t)gf_dtype_size(w->job.in_dtype);
    w->packed = gf_dwt_layout_rows(&a, level) * gf_dwt_layout_row(&a, level);
    for (int l = 1; l <= level; l++) {
        w->first = is_periodic(w) ? w->whole : 0;
        w->whole = gf_divide_up(w->first + w->offset, 2);
    }
    w->kept = is_periodic(w) ? 2 * w->whole - 1 + w->taps / 2 : 0;
}

/* ---- step by step ---- */

int64_t gf_dwt_window_ready(const struct gf_dwt_window *w, int64_t came) {
    const int64_t last = gf_min(w->first + came, w->planes) - 1, end = last - w->taps / 2;
    if (came >= w->planes)
        return w->steps;
    if (is_periodic(w))
        return end < 2 * w->whole ? 0 : end / 2 - w->whole + 1;
    return came < w->taps - 2 ? 0 : came / 2;
}

int64_t gf_dwt_window_step(const struct gf_dwt_window *w, int64_t i) {
    return is_periodic(w) ? (i + w->whole) % w->steps : i;
}

int gf_dwt_window_slot(const struct gf_dwt_window *w, int64_t plane) {
    return (int)(plane < w->kept ? plane : w->kept + (plane - w->kept) % w->taps);
}

int gf_dwt_window_slots(const struct gf_dwt_window *w) {
    return (int)gf_min(w->planes, w->kept + w->taps);
}

/* ---- chunks ---- */

void gf_dwt_window_chunk(const struct gf_dwt_window *w, int64_t each, int64_t i,
                         struct gf_dwt_chunk *c) {
    const bool periodic = is_periodic(w), last = i + 1 == gf_dwt_window_chunks(w, each);
    c->plane = 2 * each * i + (2 * w->whole - w->offset) / 2 * 2;
    c->step = i || periodic ? each * i + w->whole : 0;
    c->end = !last ? each * (i + 1) + w->whole : w->steps + (periodic ? w->whole : 0);
    c->planes = periodic ? 2 * c->end - 1 + w->taps / 2 - c->plane
                         : gf_min(w->planes - c->plane, 2 * each + w->taps - 2);
    c->extent = c->planes + (periodic ? c->planes % 2 : 0);
    c->bands = periodic ? c->extent / 2 : (c->extent + w->taps - 1) / 2;
}

int64_t gf_dwt_window_chunks(const struct gf_dwt_window *w, int64_t each) {
    const int64_t all = is_periodic(w) ? w->steps : (w->planes - w->taps + 3) / 2;
    return all < each ? 1 : gf_divide_up(all, each);
}

/* ---- parts ---- */

int gf_dwt_parts(const struct gf_job *job, int most) {
    enum { WORTH = 8 };
    const int64_t fit =
        (job->direction == GF_FORWARD
             ? job->shape[0] / gf_max(gf_dwt_taps(&job->wavelet) - 2, 1) >> job->wavelet.levels
             : gf_dwt_all_pairs(job).count) /
        WORTH;
    return fit < 1 ? 1 : (int)gf_min(fit, most);
}

void gf_dwt_part(const struct gf_job *job, int n, int i, struct gf_dwt_part *part) {
    const bool periodic = job->wavelet.boundary == GF_PERIODIC;
    const int64_t unit = (int64_t)1 << job->wavelet.levels; /* planes per step of the last level */
    const int64_t all = job->shape[0];
    const int64_t before = gf_dwt_offset(&job->wavelet) * unit, after = periodic ? before : 0;
    /* The first plane of part 0's share of a periodic line's end: early enough that no other
     * part needs planes beyond the end. */
    const int64_t tail = periodic ? all / unit * unit - after : all;
    *part = (struct gf_dwt_part){.job = *job, .planes = {{0, all}}, .own = {{0, all}}, .all = all};
    gf_dwt_axis(all, true, job->wavelet.levels, &job->wavelet, &part->axis);
    if (n < 2)
        return;
    const struct gf_span own = gf_span_planes(tail, n, i, unit);
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
    return is_periodic(w) ? w->steps : w->steps - gf_dwt_window_shared(w);
}

int64_t gf_dwt_window_pair(const struct gf_dwt_window *w, int64_t plane) {
    return (gf_dwt_window_made(w, plane) - gf_dwt_window_wrapped(w)) / 2;
}

struct gf_span gf_dwt_all_pairs(const struct gf_job *job) {
    struct gf_dwt_window finest;
    gf_dwt_window(job, 1, &finest);
    return (struct gf_span){0, gf_dwt_window_pairs(&finest)};
}

struct gf_span gf_dwt_window_coarser(const struct gf_dwt_window *coarser, struct gf_span pairs) {
    const int64_t wrapped = gf_dwt_window_wrapped(coarser), first = pairs.first;
    const int64_t end = first + pairs.count + gf_dwt_window_shared(coarser);
    const int64_t last = gf_min(end, coarser->planes) - 1;
    const int64_t from = first < wrapped ? 0 : gf_dwt_window_pair(coarser, first);
    const int64_t to = last < wrapped ? 0 : gf_dwt_window_pair(coarser, last);
    return (struct gf_span){from, to - from + 1};
}
