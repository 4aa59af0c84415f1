/* Turns a job into passes: the order of axes, joined passes, and the lines per tile. */
#include "core/cpu/plan.h"

#include <stdlib.h>

#include "core/base/value/factor.h"
#include "core/base/job/loadstore.h"
#include "core/base/value/status.h"

static int64_t spectral_extent(const struct gf_cpu_plan *p, int axis) {
    const struct gf_job *job = &p->job;
    if (axis == job->ndim)
        return job->luma ? 1 : job->channels;
    return axis == p->half ? job->shape[axis] / 2 + 1 : job->shape[axis];
}

/* The axis halved by the arithmetic: that of the files, unless its extent is 1. */
static int half_axis(const struct gf_job *job) {
    if (!gf_job_is_real(job))
        return -1;
    int last = -1;
    for (int i = job->ndim - 1; i >= 0; i--)
        if (gf_cpu_transforms(job, i) && (last < 0 || job->shape[last] == 1))
            last = i;
    return job->shape[last] > 1 ? last : gf_job_half_axis(job);
}

/* The innermost axis of the workspace is the last one longer than a point. */
static void set_extents(struct gf_cpu_plan *p) {
    int nd = p->job.ndim;
    p->inner = nd - 1;
    for (int i = 0; i <= nd; i++)
        p->extent[i] = spectral_extent(p, i);
    for (int i = nd - 1; i >= 0 && p->extent[p->inner] == 1; i--)
        if (p->extent[i] > 1)
            p->inner = i;
}

/* Lanes run along the workspace's innermost axis, unless that is `axis`; the rest become outer[], a
 * halved axis first. Lanes transform real lines in pairs, but never from two independent pages,
 * because memory decides how many pages a run takes. */
static void choose_axes(const struct gf_cpu_plan *p, int axis, struct gf_cpu_pass *pass) {
    int nd = p->job.ndim, n_outer = 0;
    const bool alone = gf_job_is_real(&p->job) && nd == 3 && p->job.axes == 6 && !p->job.elsewhere;
    pass->axis = axis;
    pass->lane = -1;
    if (axis != p->inner) {
        pass->lane = p->inner;
    } else {
        /* The next axis up keeps tiles within a plane; if it is short, take a longer one. */
        if (axis == 2 && gf_job_joins_pages(&p->job))
            pass->lane = 0;
        for (int i = nd; i >= 0; i--) {
            bool fills = pass->lane >= 0 && p->extent[pass->lane] >= 2 * p->kernels->lanes;
            if (i != axis && (i || !alone || p->extent[1] < 2) &&
                (pass->lane < 0 || (!fills && p->extent[i] > p->extent[pass->lane])))
                pass->lane = i;
        }
    }
    pass->outer[0] = pass->outer[1] = -1;
    for (int i = 0; i <= nd; i++)
        if (i != axis && i != pass->lane)
            pass->outer[n_outer++] = i;
    if (pass->outer[1] == p->half && p->half >= 0) {
        pass->outer[1] = pass->outer[0];
        pass->outer[0] = p->half;
    }
    pass->args.n_lane = p->extent[pass->lane];
    for (int d = 0; d < 2; d++)
        pass->args.n_outer[d] = pass->outer[d] < 0 ? 1 : p->extent[pass->outer[d]];
}

/* ---------------------------------------------------------------- the list of passes */

/* output -1: to the workspace */
static struct gf_cpu_pass *add_pass(struct gf_cpu_plan *p, int axis, const struct gf_cpu_line *line,
                                    bool inverse, bool from_input, int output, bool discard) {
    struct gf_cpu_pass *pass = &p->pass[p->n_passes++];
    *pass = (struct gf_cpu_pass){.from_input = from_input, .output = output};
    choose_axes(p, axis, pass);
    pass->args.line = line;
    pass->args.inverse = inverse && pass->args.line;
    pass->args.form = axis != p->half || !pass->args.line ? GF_CPU_C2C
                      : inverse                           ? GF_CPU_C2R
                                                          : GF_CPU_R2C;
    pass->args.n = pass->args.line ? p->job.shape[axis] : p->extent[axis];
    pass->args.destination.discard = discard;
    return pass;
}

/* True if tiles of this many blocks fit the cache together with the plane they read. */
static bool fits_with_plane(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                            int64_t blocks) {
    struct gf_cpu_pass_args args = pass->args;
    args.groups = (int)gf_min(blocks, GF_CPU_MAX_GROUPS);
    int64_t bytes = p->plane.bytes + (int64_t)gf_cpu_scratch_bytes(p->kernels, &args);
    return blocks <= GF_CPU_MAX_GROUPS && bytes <= 2 * gf_cpu_cache_share();
}

/* True if input and output take at most `times` the share of the last-level cache. */
static bool fits_last_caches(const struct gf_cpu_plan *p, int times) {
    int64_t points = 2;
    for (int i = 0; i < p->job.ndim; i++)
        points *= p->job.shape[i];
    return points * p->kernels->bits / 8 <= times * gf_cpu_last_cache_share();
}

/* Chooses how many adjacent blocks form a tile of a pass across the workspace's blocks: as many as
 * the cache holds, with several equal tiles per thread. */
static void choose_groups(const struct gf_cpu_plan *p, int threads, struct gf_cpu_pass *pass) {
    enum { TILES_A_THREAD = 8 };
    const bool hermitian = p->half >= 0 && !p->job.in_half;
    if (pass->args.form != GF_CPU_C2C || pass->axis == p->inner ||
        (pass->from_input && (hermitian || fits_last_caches(p, 1))))
        return;
    int64_t lines = pass->args.n_lane, outer = pass->args.n_outer[0] * pass->args.n_outer[1];
    if (pass->folds) {
        lines *= outer;
        outer = 1;
    }
    int64_t blocks = gf_divide_up(lines, p->kernels->lanes) - pass->args.unpacks;
    int64_t fit = gf_cpu_cache_share() / (int64_t)gf_cpu_scratch_bytes(p->kernels, &pass->args);
    if (pass->from_plane && fits_with_plane(p, pass, blocks))
        fit = blocks;
    int64_t share = blocks * outer / (TILES_A_THREAD * threads);
    fit = gf_min(gf_min(fit, GF_CPU_MAX_GROUPS), share);
    if (fit > 1 && blocks > 1) {
        int64_t tiles = gf_divide_up(blocks, fit);
        pass->args.groups = (int)gf_divide_up(blocks, tiles);
    }
}

/* Groups short lines from array to array into tiles of a few pages, as a tile costs as much as a
 * line; each thread gets several. Measured: longer real lines lose a tenth. */
static void choose_row_groups(const struct gf_cpu_plan *p, int threads, struct gf_cpu_pass *pass) {
    enum { TILE_BYTES = 1 << 15, TILES_A_THREAD = 8 };
    const struct gf_cpu_pass_args *a = &pass->args;
    if (!p->rows || pass->axis != p->inner || !pass->from_input || pass->output < 0 ||
        (a->form == GF_CPU_R2C && a->n > GF_CPU_SHORT_ROW))
        return;
    const int64_t lines = gf_cpu_tile_lines(a, p->kernels->lanes);
    const int64_t bytes = lines * a->n * p->kernels->bits / 4;
    const int64_t share = a->n_lane / (lines * TILES_A_THREAD * threads);
    const int64_t fit = gf_min(TILE_BYTES / bytes, share);
    pass->row_groups = fit > 1 ? (int)fit : 0;
}

static void size_scratch(struct gf_cpu_plan *p, int threads) {
    for (int i = 0; i < p->n_passes; i++) {
        choose_groups(p, threads, &p->pass[i]);
        choose_row_groups(p, threads, &p->pass[i]);
        p->pass[i].args.rows = p->pass[i].axis == p->inner ? p->rows : NULL;
        size_t bytes = gf_cpu_scratch_bytes(p->kernels, &p->pass[i].args);
        bytes = (bytes + 4095) / 4096 * 4096 + 128; /* threads use different cache sets */
        if (bytes > p->scratch_bytes)
            p->scratch_bytes = bytes;
    }
}

/* Adds a pass that extracts from the workspace: across its blocks, along the longest other axis. */
static void add_extraction(struct gf_cpu_plan *p, int output, bool discard) {
    int axis = -1;
    for (int i = 0; i <= p->job.ndim; i++)
        if (i != p->inner && (axis < 0 || p->extent[i] > p->extent[axis]))
            axis = i;
    add_pass(p, axis, NULL, false, false, output, discard);
}

/* True if the job's only output can hold the data between passes. */
static bool can_be_lean(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    const struct gf_output *o = &job->out[0];
    bool real = p->half >= 0;
    bool whole = real ? o->half && p->half == gf_job_half_axis(job) : !o->half;
    return job->n_out == 1 && o->kind == GF_COMPLEX && !o->shift && whole &&
           o->dtype == gf_job_number(job) && !o->packed && !(real && job->direction == GF_INVERSE);
}

/* True if frequency n / 2 would need a block for a single column. */
static bool can_pack(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    return p->half >= 0 && p->half == p->inner && job->direction == GF_FORWARD &&
           job->op == GF_FFT && job->shape[p->half] % (2 * p->kernels->lanes) == 0;
}

/* Only a last pass that writes the only output can unpack all axes at once. */
static bool can_pack_all(const struct gf_cpu_plan *p) {
    bool fused = p->job.n_out == 1 && !gf_output_scans(&p->job, 0);
    return can_pack(p) && gf_cpu_count_axes(&p->job) > 2 && fused && !p->lean;
}

/* Planes up to this size stay in the second-level cache between passes. */
enum { PLANE_BYTES = 3 << 19 };

/* For half spectra of volumes: complete planes go to the output in order, and the last pass
 * transforms them in place, as planes are whole vectors more often than rows. Does not depend on
 * the number of threads, because packing affects rounding. */
static bool serves_as_workspace(const struct gf_cpu_plan *p) {
    enum { LEAST_PLANES = 32 }; /* enough for the threads */
    const struct gf_job *job = &p->job;
    return can_pack(p) && can_be_lean(p) && job->ndim == 3 && job->axes == 7 &&
           job->channels == 1 && job->shape[0] >= LEAST_PLANES &&
           job->shape[1] >= 2 * p->kernels->lanes &&
           job->shape[1] * job->shape[2] * p->kernels->bits / 8 <= PLANE_BYTES;
}

/* True for half spectra of so few blocks that the extra column's block matters. Measured: 11.8 ms
 * become 7.5 at 65536x64. Excludes pictures for which memory may be short, as packed ones are not
 * transformed in slabs. */
static bool is_narrow(const struct gf_cpu_plan *p) {
    enum { FEW_BLOCKS = 4, MOST_CACHES = 4 };
    return p->job.shape[p->half] <= 2L * FEW_BLOCKS * p->kernels->lanes &&
           fits_last_caches(p, MOST_CACHES);
}

/* For volumes along x and z: rows within vectors, from array to array, then columns in place across
 * all rows of a plane, so that rows of half spectra need no extra block. Measured: 20 ms become 12
 * at 64x512x512. */
static bool transforms_rows_in_place(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    return job->op == GF_FFT && job->ndim == 3 && job->axes == 5 && job->channels == 1 &&
           job->shape[0] > 1 && p->inner == 2 && p->half == 2 && p->rows;
}

/* Bytes of a spectrum of one channel in the workspace or the output. */
static int64_t spectrum_bytes(const struct gf_cpu_plan *p) {
    int64_t bytes = p->kernels->bits / 4;
    for (int i = 0; i < p->job.ndim; i++)
        bytes *= spectral_extent(p, i);
    return bytes;
}

/* Bytes of a spectrum that fills the second-level cache with its neighbours, and that is several
 * times as large. */
enum { FILLS_CACHES = 1 << 19, MANY_CACHES = 7 << 19 };

/* True for pictures that fill the caches: a third array would evict the other two. One thread has
 * a single second-level cache; of several, each finds the output's lines in another's. Excludes
 * strides that put a column into few sets of a cache that does not hold the picture, which costs
 * more beyond the last level. Measured: one thread takes 0.80 of the time for 512x512 reals, 0.67
 * for 300x400 complex numbers, two take 1.04 and 1.33; 1024x1024 reals take 0.63, with rows of 8192
 * bytes 1.27; 2160x3840 with rows an odd multiple of 2048 bytes apart takes 1.15. */
static bool spares_the_workspace(const struct gf_cpu_plan *p, int threads) {
    enum { SAME_SETS = 1 << 11 };
    const struct gf_job *job = &p->job;
    const int64_t same_sets = fits_last_caches(p, 1) ? 2 * SAME_SETS : SAME_SETS;
    const int64_t alone = p->half < 0 ? FILLS_CACHES : 2 * FILLS_CACHES;
    const int64_t bytes = spectrum_bytes(p), row = bytes / spectral_extent(p, 0);
    return job->op == GF_FFT && job->ndim == 2 && job->axes == 3 && job->channels == 1 &&
           p->half != 0 && p->inner == 1 && !(p->half > 0 && is_narrow(p)) &&
           (row % same_sets || (threads == 1 && bytes <= 2 * gf_cpu_cache_share())) &&
           bytes >= (threads > 1 ? MANY_CACHES : alone);
}

/* Likewise for volumes of complex numbers whose results do not bypass the caches.
 * Measured: 64^3 takes 0.68 of the time, 96^3 and 100^3 0.80, 128^3 0.83; 160^3 takes 1.4. */
static bool volume_spares_the_workspace(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    return job->op == GF_FFT && job->ndim == 3 && job->axes == 7 && job->channels == 1 &&
           p->half < 0 && p->inner == 2 && job->shape[0] > 1 && job->shape[1] > 1 &&
           fits_last_caches(p, 1) && spectrum_bytes(p) >= FILLS_CACHES;
}

static bool is_lean(const struct gf_cpu_plan *p, int threads) {
    return (p->job.lean || serves_as_workspace(p) || transforms_rows_in_place(p) ||
            spares_the_workspace(p, threads) || volume_spares_the_workspace(p)) &&
           can_be_lean(p);
}

/* True if the second pass unpacks into plain complex numbers. Measured: pictures up to 1024x1024
 * gain 8 to 25%; 1080x1920 loses 10%, as it fetches the column's cache lines from memory. */
static bool can_pack_within(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    if (job->out[0].packed_within || serves_as_workspace(p))
        return true;
    return can_pack(p) && can_be_lean(p) && job->channels == 1 && job->ndim == 2 &&
           gf_cpu_count_axes(job) == 2 && !job->elsewhere && !job->lean &&
           !(p->lean && spectrum_bytes(p) >= MANY_CACHES) &&
           (fits_last_caches(p, 1) || is_narrow(p));
}

/* True for an inverse whose first pass packs what the last one reads. Excludes pictures that fit
 * the caches, as their inverse may run in slabs. Measured: 10 ms become 6 at 65536x64. */
static bool can_pack_back(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    return job->direction == GF_INVERSE && job->op == GF_FFT && job->in_half && job->ndim == 2 &&
           gf_cpu_count_axes(job) == 2 && job->channels == 1 && p->half == 1 && p->inner == 1 &&
           job->shape[1] % (2 * p->kernels->lanes) == 0 && !job->elsewhere && !job->lean &&
           is_narrow(p) && !fits_last_caches(p, 1);
}

enum gf_packing gf_cpu_packs(const struct gf_job *job, const struct gf_cpu_kernels *kernels) {
    struct gf_cpu_plan p = {.job = *job, .kernels = kernels, .half = half_axis(job)};
    set_extents(&p);
    p.lean = is_lean(&p, 1); /* threads do not matter: can_pack_within() */
    return can_pack_within(&p) || can_pack_back(&p) ? GF_PACKS_WITHIN
           : can_pack_all(&p)                       ? GF_PACKS_ALL
                                                    : GF_PACKS_NOTHING;
}

/* Lists the transformed axes in the order of their passes; at least one. */
static int order_axes(const struct gf_cpu_plan *p, int axes[GF_MAX_DIMS]) {
    const struct gf_job *job = &p->job;
    bool inverse = job->direction == GF_INVERSE;
    int n = 0;
    for (int i = 0; i < job->ndim; i++) {
        int axis = inverse ? i : job->ndim - 1 - i;
        bool idle = job->shape[axis] == 1; /* one point is its own transform */
        if (gf_cpu_transforms(job, axis) && axis != p->half && !idle)
            axes[n++] = axis;
    }
    if (p->half >= 0) { /* where the samples are real */
        if (!inverse)
            memmove(axes + 1, axes, (size_t)n * sizeof *axes);
        axes[inverse ? n : 0] = p->half;
        n++;
    }
    if (!n)
        axes[n++] = gf_job_half_axis(job);
    return n;
}

/* Forward along all axes but the last, both ways along the last, and back along the others. */
static void list_filter_passes(struct gf_cpu_plan *p) {
    int axes[GF_MAX_DIMS], n = order_axes(p, axes), n_out = p->job.n_out;
    for (int i = 0; i < n - 1; i++)
        add_pass(p, axes[i], p->line[axes[i]], false, i == 0, -1, false);
    for (int o = 0; o < (n == 1 ? n_out : 1); o++) {
        struct gf_cpu_pass *pass =
            add_pass(p, axes[n - 1], p->line[axes[n - 1]], false, n == 1, n == 1 ? o : -1, false);
        pass->args.form = n == 1 && p->half >= 0 ? GF_CPU_R2R : GF_CPU_C2C;
        pass->filters = true;
    }
    for (int i = n - 2; i >= 0; i--)
        for (int o = 0; o < (i ? 1 : n_out); o++)
            add_pass(p, axes[i], p->line[axes[i]], true, false, i ? -1 : o, false);
}

static void list_passes(struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    bool inverse = job->direction == GF_INVERSE;
    int axes[GF_MAX_DIMS], n = order_axes(p, axes);
    const struct gf_output *first = &job->out[0];
    /* the display range ends at the zero frequency, which is known before the last pass */
    bool zero = n > 1 && gf_output_is_full(first) && !gf_output_scans(job, 0);
    bool sampled = gf_output_samples(job, 0), served = n > 1 && axes[n - 1] != p->inner;
    bool fused = job->n_out == 1 && (!gf_output_is_full(first) || zero) && (!sampled || served);
    bool real_last = inverse && p->half >= 0; /* reals do not fit the complex workspace */
    for (int i = 0; i < n; i++) {
        bool last = i == n - 1;
        if (!last || fused || !real_last) {
            struct gf_cpu_pass *pass = add_pass(p, axes[i], p->line[axes[i]], inverse, i == 0,
                                                last && fused ? 0 : -1, false);
            pass->range_from_zero = last && fused && zero;
            pass->range_sampled = last && fused && sampled;
            continue;
        }
        for (int o = 0; o < job->n_out; o++) {
            if (gf_output_is_full(&job->out[o]))
                add_pass(p, axes[i], p->line[axes[i]], inverse, i == 0, o, true);
            add_pass(p, axes[i], p->line[axes[i]], inverse, i == 0, o, false);
        }
    }
    for (int o = 0; o < job->n_out && !fused && !real_last; o++) {
        if (gf_output_is_full(&job->out[o]))
            add_extraction(p, o, true);
        add_extraction(p, o, false);
    }
}

/* Joins consecutive passes within planes that fit the second-level cache: two of a volume's three
 * axes, or all of a filter's if planes are batches. */
static int join_planes(struct gf_cpu_plan *p, int threads) {
    for (int i = 0; i + 1 < p->n_passes; i++) {
        struct gf_cpu_pass *a = &p->pass[i], *b = a + 1;
        struct gf_cpu_layout plane = {.bytes = 0};
        bool same = a->outer[0] == b->outer[0] && a->outer[1] == b->outer[1];
        bool read_again = b->args.form == GF_CPU_C2R && i + 2 < p->n_passes;
        if (!same || read_again || !a->args.line || !b->args.line || a->output >= 0 ||
            b->range_from_zero || b->range_sampled || b->args.destination.discard ||
            (a->args.n_outer[0] * a->args.n_outer[1] < 2 * threads && !serves_as_workspace(p)))
            continue;
        unsigned outer = 0;
        for (int d = 0; d < 2; d++)
            if (a->outer[d] >= 0)
                outer |= 1u << a->outer[d];
        int rc = gf_cpu_layout_blocks(p, a->axis == p->inner ? b->axis : a->axis, outer, &plane);
        if (rc)
            return rc;
        if (plane.bytes > PLANE_BYTES && !serves_as_workspace(p))
            continue;
        a->with_next = true;
        if (p->lean && p->half < 0 && p->extent[p->inner] % p->kernels->lanes == 0)
            continue;     /* planes of whole vectors of the output, in place */
        p->plane = plane; /* the same for all joined passes */
        a->to_plane = b->from_plane = true;
    }
    return 0;
}

/* A filter's middle pass and in-place passes write cached lines. Measured: half the time at 128^3
 * reals. Planes that the last pass reads again stay in a last level that holds several times as
 * much. Measured: 0.57 of the time at 192^3 reals. */
static bool writes_cached(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass) {
    const bool joined = pass->with_next && !pass->to_plane;
    if (pass->from_input || joined)
        return joined;
    const bool near = pass->summary.bytes_written < gf_cpu_last_cache() / 4;
    return pass->filters || (p->lean && (near || !pass->from_plane));
}

/* Lets large results bypass the caches: old lines are not fetched, and cached data stays. With
 * several passes, only data that outgrows the last level, as the next pass reads it again.
 * Measured: half the time at 4096^2, a third more at 64^3; a single pass never loses above 1 MB. */
static void choose_streams(struct gf_cpu_plan *p) {
    const int64_t alone = 1 << 20, least = gf_cpu_last_cache_share();
    for (int i = 0; i < p->n_passes; i++) {
        const struct gf_pass_info *info = &p->pass[i].summary;
        p->pass[i].stream = p->n_passes == 1 ? info->bytes_written > alone
                                             : info->bytes_read + info->bytes_written > least;
    }
    for (int i = 0; i < p->n_passes; i++)
        p->pass[i].stream &= !writes_cached(p, &p->pass[i]);
    /* So do passes over a spent input's rows, as long as the tile fits. */
    if (p->work.band * p->work.row_bytes <= gf_cpu_cache_share() / 2)
        p->pass[0].stream &= !p->work.band;
}

/* True for a pass that may bypass the caches even if they hold what it writes. */
static bool may_stream(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass) {
    return !pass->to_plane && !pass->filters && !p->lean && !p->work.band &&
           (pass->output < 0 || p->job.out[pass->output].kind == GF_COMPLEX);
}

/* Adds alternatives to the choices above, to be tried in runs. */
static void choose_ways(struct gf_cpu_plan *p, int threads) {
    const int64_t least = 1 << 12, most_alone = 1 << 20, least_past_caches = 1 << 15;
    const int64_t points = gf_cpu_points(&p->job);
    const bool alone = points < GF_CPU_WORTH_A_TEAM;
    bool streams = false;
    if (threads == 1 || points < least)
        return;
    for (int i = 0; i < p->n_passes; i++) {
        streams |= p->pass[i].stream;
        p->pass[i].may_stream = may_stream(p, &p->pass[i]);
    }
    gf_cpu_ways_add(&p->ways, alone ? 0 : GF_CPU_TEAM);
    if (points < most_alone)
        gf_cpu_ways_add(&p->ways, alone ? GF_CPU_TEAM : 0);
    if (points >= least_past_caches && p->work.bytes && !streams)
        gf_cpu_ways_add(&p->ways, GF_CPU_TEAM | GF_CPU_PAST_CACHES);
    if (p->ways.n == 1)
        p->ways.n = 0;
}

/* Folds passes over adjacent rows: within an output that is the workspace, or from the input to a
 * plain workspace. */
static void choose_folds(struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    for (int i = p->plain.rank ? 0 : 1; i < p->n_passes; i++) {
        struct gf_cpu_pass *pass = &p->pass[i];
        pass->folds = (p->lean || p->plain.rank) && job->ndim == 3 && p->inner == 2 &&
                      pass->axis == 0 && job->channels == 1 && !pass->from_plane && !pass->to_plane;
    }
}

static int choose_passes(struct gf_cpu_plan *p, int threads) {
    const struct gf_job *job = &p->job;
    p->lean = is_lean(p, threads);
    p->packed_within = can_pack_within(p);
    p->packed = p->packed_within || job->out[0].packed || can_pack_all(p);
    p->packed_back = can_pack_back(p);
    if (p->packed || p->packed_back || gf_cpu_column_pays(p))
        p->extent[p->half]--;
    if (job->op == GF_FILTER)
        list_filter_passes(p);
    else
        list_passes(p);
    p->pass[0].args.packs = p->packed;
    p->pass[0].args.packs_within = p->packed_back;
    if (p->packed_within)
        p->pass[1].args.unpacks_within = true;
    else
        p->pass[p->n_passes - 1].args.unpacks =
            p->packed && !job->out[0].packed; /* a part of a job stays packed */
    for (int i = 2; i < p->n_passes && p->packed_within; i++)
        p->pass[i].args.n_lane++;
    int rc = join_planes(p, threads);
    if (gf_cpu_layout_is_plain(p))
        p->plain.rank = job->ndim + 1;
    choose_folds(p);
    return rc;
}

static const char *type_name(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, bool in) {
    const struct gf_job *job = &p->job;
    if (in ? !pass->from_input : pass->output < 0)
        return p->half >= 0 ? "half spectrum" : "spectrum";
    return gf_dtype_name(in ? job->in_dtype : job->out[pass->output].dtype);
}

static int64_t bytes_between(const struct gf_cpu_plan *p) {
    if (p->work.band)
        return p->work.bytes + p->extent[p->pass[0].lane] * p->work.row_bytes;
    return p->lean ? gf_job_bytes(&p->job, 0) : p->work.bytes;
}

static void summarise(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass) {
    const struct gf_job *job = &p->job;
    static const char names[] = "zyx";
    char how[128] = "";
    const char *kind = pass->output >= 0 ? gf_kind_name(job->out[pass->output].kind) : "";
    if (pass->args.line) {
        char factors[96];
        gf_factor_describe(pass->args.n, factors, sizeof factors);
        snprintf(how, sizeof how, "%c: %s%s", names[GF_MAX_DIMS - job->ndim + pass->axis], factors,
                 pass->args.gain ? ", filter, and back" : "");
    } else {
        snprintf(how, sizeof how, pass->args.destination.discard ? "range" : "extract");
    }
    pass->summary.bytes_read = pass->from_input ? gf_job_bytes(job, -1) : bytes_between(p);
    pass->summary.bytes_written = pass->with_next ? 0 : bytes_between(p);
    if (pass > p->pass && pass[-1].with_next)
        pass->summary.bytes_read = 0; /* its planes are in cache */
    if (pass->args.gain)
        pass->summary.bytes_read += p->filter->bytes;
    if (pass->output >= 0)
        pass->summary.bytes_written = gf_job_bytes(job, pass->output);
    if (pass->args.destination.discard) {
        pass->summary.bytes_written = 0;
        snprintf(pass->summary.what, sizeof pass->summary.what, "%s of %s", how, kind);
        return;
    }
    snprintf(pass->summary.what, sizeof pass->summary.what, "%s, %s -> %s%s%s", how,
             type_name(p, pass, true), type_name(p, pass, false), *kind ? " " : "", kind);
}

int gf_cpu_plan_make(const struct gf_job *job, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_plan **out) {
    struct gf_cpu_plan *p = calloc(1, sizeof *p);
    if (!p)
        return gf_no_memory();
    p->job = *job;
    p->kernels = kernels;
    p->half = half_axis(job);
    int rc = 0;
    set_extents(p);
    for (int i = 0; i < job->ndim; i++)
        if (gf_cpu_transforms(job, i) &&
            !(p->line[i] = gf_cpu_line_plan(job->shape[i], kernels->bits))) {
            rc = gf_fail(GF_ENOMEM, "no memory for the tables of %lld points",
                         (long long)job->shape[i]);
            goto fail;
        }
    if (p->line[p->inner] && job->op == GF_FFT && !job->filter &&
        !gf_cpu_row_plan(job->shape[p->inner], kernels, false, &p->rows)) {
        rc = gf_no_memory();
        goto fail;
    }
    if ((rc = choose_passes(p, threads)))
        goto fail;
    for (int i = 0; i < p->n_passes; i++) {
        struct gf_cpu_pass *pass = &p->pass[i];
        if (pass->filters && !p->filter && (rc = gf_cpu_filter_make(p, pass, threads, &p->filter)))
            goto fail;
        pass->args.gain = pass->filters ? &p->filter->gain : NULL;
    }
    if ((rc = gf_cpu_layout_workspace(p)) ||
        (gf_job_samples(job) && (rc = gf_cpu_sampling_make(p, &p->sampling))))
        goto fail;
    for (int i = 0; i < p->n_passes; i++)
        summarise(p, &p->pass[i]);
    choose_streams(p);
    choose_ways(p, threads);
    size_scratch(p, threads);
    if (gf_cpu_column_pays(p))
        gf_cpu_column_add(p);
    *out = p;
    return 0;
fail:
    gf_cpu_plan_free(p);
    return rc;
}

void gf_cpu_plan_free(struct gf_cpu_plan *p) {
    if (!p)
        return;
    for (int i = 0; i < GF_MAX_DIMS; i++)
        gf_cpu_line_free(p->line[i]);
    gf_cpu_row_free(p->rows);
    gf_cpu_filter_free(p->filter);
    gf_cpu_sampling_free(p->sampling);
    free(p);
}
