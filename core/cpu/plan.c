#include "core/cpu/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cpu/filter.h"
#include "core/cpu/line.h"
#include "core/base/status.h"

static bool transformed(const struct gf_job *job, int axis) {
    return axis < job->ndim && (job->axes >> axis & 1);
}

static long spectral_extent(const struct gf_cpu_plan *p, int axis) {
    const struct gf_job *job = &p->job;
    if (axis == job->ndim)
        return job->luma ? 1 : job->channels;
    return axis == p->half ? job->shape[axis] / 2 + 1 : job->shape[axis];
}

/* The halved axis of the arithmetic: like that of the files, but one that has something to halve.
 */
static int half_axis(const struct gf_job *job) {
    if (!gf_job_is_real(job))
        return -1;
    int last = -1;
    for (int i = job->ndim - 1; i >= 0; i--)
        if (transformed(job, i) && (last < 0 || job->shape[last] == 1))
            last = i;
    return job->shape[last] > 1 ? last : gf_job_half_axis(job);
}

/* The workspace's innermost axis is the last one that is longer than a point. */
static void set_extents(struct gf_cpu_plan *p) {
    int nd = p->job.ndim;
    p->inner = nd - 1;
    for (int i = 0; i <= nd; i++)
        p->extent[i] = spectral_extent(p, i);
    for (int i = nd - 1; i >= 0 && p->extent[p->inner] == 1; i--)
        if (p->extent[i] > 1)
            p->inner = i;
}

/* Odd multiples of 128 bytes keep rows, planes and tiles off each other's cache sets. */
static int64_t off_beat(int64_t bytes) {
    return ((bytes + 127) / 128 | 1) * 128;
}

/* Lays out blocks: neighbours along `fast` (-1: none) side by side, then along the innermost axis,
 * then the others, the last first. Axes in `planes` are left out: all their indices share a place.
 */
static int lay_out(const struct gf_cpu_plan *p, int fast, unsigned planes,
                   struct gf_cpu_layout *l) {
    const int64_t lanes = p->kernels->lanes, block = lanes * 2 * p->kernels->bits / 8;
    int nd = p->job.ndim, order[GF_MAX_RANK], n = 0;
    if (fast >= 0)
        order[n++] = fast;
    order[n++] = p->inner;
    for (int i = nd - 1; i >= 0; i--)
        if (i != fast && i != p->inner)
            order[n++] = i;
    order[n++] = nd;
    int64_t bytes = block;
    for (int i = 0; i < n; i++) {
        int axis = order[i];
        int64_t count = p->extent[axis];
        l->stride[axis] = bytes;
        if (axis == p->inner) {
            count = (count + lanes - 1) / lanes;
            l->stride[axis] = bytes / lanes;
        }
        if (planes >> axis & 1) {
            l->stride[axis] = 0;
            continue;
        }
        if (count > (INT64_C(1) << 61) / bytes)
            return gf_fail(GF_ENOMEM, "the size does not fit 62 bits");
        bytes = count > 1 ? off_beat(bytes * count) : bytes;
    }
    l->bytes = bytes;
    return 0;
}

/* The lane axis of a pass along `axis`: the workspace's innermost where that is free. The rest goes
 * to outer[]; a halved axis comes first. */
static void choose_axes(const struct gf_cpu_plan *p, int axis, struct gf_cpu_step *s) {
    int nd = p->job.ndim, n_outer = 0;
    s->axis = axis;
    s->lane = -1;
    if (axis != p->inner) {
        s->lane = p->inner;
    } else {
        /* The next axis up, so that tiles stay within a plane; a longer one if it is short. */
        for (int i = nd; i >= 0; i--) {
            bool fills = s->lane >= 0 && p->extent[s->lane] >= 2 * p->kernels->lanes;
            if (i != axis && (s->lane < 0 || (!fills && p->extent[i] > p->extent[s->lane])))
                s->lane = i;
        }
    }
    s->outer[0] = s->outer[1] = -1;
    for (int i = 0; i <= nd; i++)
        if (i != axis && i != s->lane)
            s->outer[n_outer++] = i;
    if (s->outer[1] == p->half && p->half >= 0) {
        s->outer[1] = s->outer[0];
        s->outer[0] = p->half;
    }
    s->pass.n_lane = p->extent[s->lane];
    for (int d = 0; d < 2; d++)
        s->pass.n_outer[d] = s->outer[d] < 0 ? 1 : p->extent[s->outer[d]];
}

/* ---------------------------------------------------------------- the list of steps */

/* Adds the pass along `axis`; output -1 keeps the result in the workspace. */
static struct gf_cpu_step *add_step(struct gf_cpu_plan *p, int axis, const struct gf_cpu_line *line,
                                    bool inverse, bool from_input, int output, bool discard) {
    struct gf_cpu_step *s = &p->step[p->n_steps++];
    *s = (struct gf_cpu_step){.from_input = from_input, .output = output};
    choose_axes(p, axis, s);
    s->pass.line = line;
    s->pass.inverse = inverse && s->pass.line;
    s->pass.form = axis != p->half || !s->pass.line ? GF_CPU_C2C
                   : inverse                        ? GF_CPU_C2R
                                                    : GF_CPU_R2C;
    s->pass.n = s->pass.line ? p->job.shape[axis] : p->extent[axis];
    s->pass.destination.discard = discard;
    return s;
}

/* Half of the second-level cache, which a tile and its scratch should not outgrow. */
static int64_t cache_share(void) {
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return (cache > 0 ? cache : 1 << 20) / 2;
}

bool gf_cpu_stays_cached(int64_t bytes, int threads) {
    return bytes <= 4 * cache_share() * threads;
}

/* Blocks side by side for a pass across the workspace's blocks: as many as the cache holds, evenly
 * over the tiles, of which every thread should get a few. */
static void choose_groups(const struct gf_cpu_plan *p, int threads, struct gf_cpu_step *s) {
    enum { TILES_A_THREAD = 8 };
    if (s->pass.form != GF_CPU_C2C || (p->lean && !s->from_plane) || s->from_input ||
        s->axis == p->inner)
        return;
    long blocks = (s->pass.n_lane + p->kernels->lanes - 1) / p->kernels->lanes - s->pass.unpacks;
    long fit = cache_share() / (long)gf_cpu_scratch_bytes(p->kernels, &s->pass);
    fit = fit > GF_CPU_MAX_GROUPS ? GF_CPU_MAX_GROUPS : fit;
    long share = blocks * s->pass.n_outer[0] * s->pass.n_outer[1] / (TILES_A_THREAD * threads);
    fit = fit > share ? share : fit;
    if (fit > 1 && blocks > 1) {
        long tiles = (blocks + fit - 1) / fit;
        s->pass.groups = (int)((blocks + tiles - 1) / tiles);
    }
}

static void size_scratch(struct gf_cpu_plan *p, int threads) {
    for (int i = 0; i < p->n_steps; i++) {
        choose_groups(p, threads, &p->step[i]);
        size_t bytes = gf_cpu_scratch_bytes(p->kernels, &p->step[i].pass);
        bytes = (bytes + 4095) / 4096 * 4096 + 128; /* threads off each other's cache sets */
        if (bytes > p->scratch_bytes)
            p->scratch_bytes = bytes;
    }
}

/* Reads the workspace without transforming: across its blocks, along the longest other axis. */
static void add_extraction(struct gf_cpu_plan *p, int output, bool discard) {
    int axis = -1;
    for (int i = 0; i <= p->job.ndim; i++)
        if (i != p->inner && (axis < 0 || p->extent[i] > p->extent[axis]))
            axis = i;
    add_step(p, axis, NULL, false, false, output, discard);
}

/* An integer display of magnitudes, powers, reals or imaginaries without a given range needs one.
 */
static bool needs_range(const struct gf_output *o) {
    return o->map == GF_MAP_DISPLAY && gf_dtype_is_integer(o->dtype) && !o->has_range &&
           o->kind != GF_PHASE && o->kind != GF_COMPLEX;
}

static bool never_negative(enum gf_dtype t) {
    return t == GF_U8 || t == GF_U16 || t == GF_U32;
}

/* The range of these ends at the zero frequency, if more than one pass is there to tell. */
static bool fits_from_zero(const struct gf_cpu_plan *p, const struct gf_output *o) {
    return needs_range(o) && never_negative(p->job.in_dtype) && p->job.direction == GF_FORWARD &&
           o->kind != GF_IMAG;
}

/* True when the job's one output has a place for every number between the passes. */
static bool can_be_lean(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    const struct gf_output *o = &job->out[0];
    bool real = p->half >= 0;
    bool whole = real ? o->half && p->half == gf_job_half_axis(job) : !o->half;
    return job->n_out == 1 && o->kind == GF_COMPLEX && !o->shift && whole &&
           o->dtype == (p->kernels->bits == 32 ? GF_C64 : GF_C128) &&
           !(real && job->direction == GF_INVERSE);
}

/* Only a last pass that goes straight to its one output can unpack. A column of its own for the
 * frequency n / 2 would cost a whole block, twice in volumes; in pictures, with more blocks and one
 * pass fewer, packing saves nothing (1080x1920: a tenth slower). */
static bool can_pack(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    const struct gf_output *o = &job->out[0];
    int n = 0;
    for (int i = 0; i < job->ndim; i++)
        n += transformed(job, i) && job->shape[i] > 1;
    bool fused = job->op == GF_FFT && job->n_out == 1 && (!needs_range(o) || fits_from_zero(p, o));
    return p->half >= 0 && p->half == p->inner && job->direction == GF_FORWARD && n > 2 && fused &&
           !p->lean && job->shape[p->half] % (2 * p->kernels->lanes) == 0;
}

/* The transformed axes in the order of their passes; at least one. */
static int order_axes(const struct gf_cpu_plan *p, int axes[GF_MAX_DIMS]) {
    const struct gf_job *job = &p->job;
    bool inverse = job->direction == GF_INVERSE;
    int n = 0;
    for (int i = 0; i < job->ndim; i++) {
        int axis = inverse ? i : job->ndim - 1 - i;
        bool idle = job->shape[axis] == 1; /* a transform of one point changes nothing */
        if (transformed(job, axis) && axis != p->half && !idle)
            axes[n++] = axis;
    }
    if (p->half >= 0) { /* real samples stand at its start, or at its end */
        if (!inverse)
            memmove(axes + 1, axes, (size_t)n * sizeof *axes);
        axes[inverse ? n : 0] = p->half;
        n++;
    }
    if (!n)
        axes[n++] = gf_job_half_axis(job);
    return n;
}

/* There along all axes but the last, there and back along that, and back along the others. */
static void plan_filter_steps(struct gf_cpu_plan *p) {
    int axes[GF_MAX_DIMS], n = order_axes(p, axes), n_out = p->job.n_out;
    for (int i = 0; i < n - 1; i++)
        add_step(p, axes[i], p->line[axes[i]], false, i == 0, -1, false);
    for (int o = 0; o < (n == 1 ? n_out : 1); o++) {
        struct gf_cpu_step *s =
            add_step(p, axes[n - 1], p->line[axes[n - 1]], false, n == 1, n == 1 ? o : -1, false);
        s->pass.form = n == 1 ? GF_CPU_R2R : GF_CPU_C2C;
        s->filters = true;
    }
    for (int i = n - 2; i >= 0; i--)
        for (int o = 0; o < (i ? 1 : n_out); o++)
            add_step(p, axes[i], p->line[axes[i]], true, false, i ? -1 : o, false);
}

static void plan_steps(struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    bool inverse = job->direction == GF_INVERSE;
    int axes[GF_MAX_DIMS], n = order_axes(p, axes);
    const struct gf_output *first = &job->out[0];
    bool zero = n > 1 && fits_from_zero(p, first);
    bool fused = job->n_out == 1 && (!needs_range(first) || zero);
    bool ends_real = inverse && p->half >= 0; /* cannot go through the complex workspace */
    for (int i = 0; i < n; i++) {
        bool last = i == n - 1;
        if (!last || fused || !ends_real) {
            struct gf_cpu_step *s = add_step(p, axes[i], p->line[axes[i]], inverse, i == 0,
                                             last && fused ? 0 : -1, false);
            s->range_from_zero = last && fused && zero;
            continue;
        }
        for (int o = 0; o < job->n_out; o++) {
            if (needs_range(&job->out[o]))
                add_step(p, axes[i], p->line[axes[i]], inverse, i == 0, o, true);
            add_step(p, axes[i], p->line[axes[i]], inverse, i == 0, o, false);
        }
    }
    for (int o = 0; o < job->n_out && !fused && !ends_real; o++) {
        if (needs_range(&job->out[o]))
            add_extraction(p, o, true);
        add_extraction(p, o, false);
    }
}

/* Neighbouring passes within planes that fit the second-level cache run plane by plane: two of a
 * volume's three axes, or all of a filter's when planes are batches. */
static int join_planes(struct gf_cpu_plan *p, int threads) {
    enum { CACHE = 3 << 19 };
    for (int i = 0; i + 1 < p->n_steps; i++) {
        struct gf_cpu_step *a = &p->step[i], *b = a + 1;
        struct gf_cpu_layout plane = {.bytes = 0};
        bool same = a->outer[0] == b->outer[0] && a->outer[1] == b->outer[1];
        bool read_again = b->pass.form == GF_CPU_C2R && i + 2 < p->n_steps;
        if (!same || read_again || !a->pass.line || !b->pass.line || a->output >= 0 ||
            b->range_from_zero || b->pass.destination.discard ||
            a->pass.n_outer[0] * a->pass.n_outer[1] < 2 * threads)
            continue;
        unsigned outer = 0;
        for (int d = 0; d < 2; d++)
            if (a->outer[d] >= 0)
                outer |= 1u << a->outer[d];
        int rc = lay_out(p, a->axis == p->inner ? b->axis : a->axis, outer, &plane);
        if (rc)
            return rc;
        if (plane.bytes > CACHE)
            continue;
        p->plane = plane; /* the same for all that are joined */
        a->with_next = a->to_plane = b->from_plane = true;
    }
    return 0;
}

/* True when the workspace can take the place of the input: rows of numbers of the arithmetic's
 * precision that every tile of the first pass reads whole and writes back as many of, and columns
 * after them that end in the output. */
static bool can_spend_input(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    const struct gf_cpu_step *rows = &p->step[0], *columns = &p->step[1];
    bool single = p->kernels->bits == 32, real = rows->pass.form == GF_CPU_R2C;
    enum gf_dtype type = real ? (single ? GF_F32 : GF_F64) : (single ? GF_C64 : GF_C128);
    return job->spend_input && p->n_steps == 2 && !rows->with_next && job->in_dtype == type &&
           job->channels == 1 && !job->in_shift && rows->axis == p->inner &&
           rows->pass.form != GF_CPU_C2R && rows->pass.line && columns->pass.line &&
           columns->axis == rows->lane && rows->pass.n_outer[0] * rows->pass.n_outer[1] == 1;
}

/* Rows in bands, each as long as one of the first pass's tiles. */
static void lay_out_in_input(struct gf_cpu_plan *p) {
    const struct gf_cpu_step *rows = &p->step[0];
    const long lanes = p->kernels->lanes, block = lanes * 2 * p->kernels->bits / 8;
    struct gf_cpu_layout *l = &p->work;
    l->band = gf_cpu_tile_lines(&rows->pass, (int)lanes);
    l->row_bytes = p->job.shape[rows->axis] * (long)gf_dtype_size(p->job.in_dtype);
    l->rest_from = l->row_bytes / block;
    if (p->extent[p->inner] > l->rest_from * lanes)
        l->bytes = p->extent[rows->lane] * block;
}

/* The workspace's fast axis is that of the first pass that reads it across its blocks, so that the
 * read is one straight line; failing that, of one that writes it so. */
static int plan_workspace(struct gf_cpu_plan *p) {
    int reads = -1, writes = -1;
    bool used = false;
    for (int i = 0; i < p->n_steps; i++) {
        const struct gf_cpu_step *s = &p->step[i];
        bool from_work = !s->from_input && !s->from_plane;
        bool to_work = s->output < 0 && !s->to_plane;
        bool across = s->pass.line && s->axis != p->inner;
        if (across && from_work && reads < 0)
            reads = s->axis;
        if (across && to_work && writes < 0)
            writes = s->axis;
        used |= from_work || to_work;
    }
    if (used && can_spend_input(p)) {
        p->lean = false;
        lay_out_in_input(p);
        return 0;
    }
    if (!used || p->lean) /* nothing stops between input and output */
        return 0;
    return lay_out(p, reads >= 0 ? reads : writes, 0, &p->work);
}

/* Results that outgrow the second-level caches are written past them: the old contents of the lines
 * are not fetched, and what is in cache stays. Measured: half the time at 4096^2, none below 3 MB.
 */
static void choose_streams(struct gf_cpu_plan *p) {
    for (int i = 0; i < p->n_steps; i++)
        p->step[i].stream = p->step[i].summary.bytes_written > 1 << 20;
    /* A filter's middle pass writes where it read: those lines are in cache. */
    for (int i = 0; i < p->n_steps; i++)
        p->step[i].stream &= !p->step[i].filters || p->step[i].from_input;
    /* A spent input's rows are in cache when they are written, as long as the tile fits there. */
    if (p->work.band * p->work.row_bytes <= cache_share() / 2)
        p->step[0].stream &= !p->work.band;
}

int gf_cpu_plan_make(const struct gf_job *job, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_plan **out) {
    struct gf_cpu_plan *p = calloc(1, sizeof *p);
    if (!p)
        return gf_fail(GF_ENOMEM, "no memory for the plan");
    p->job = *job;
    p->kernels = kernels;
    p->half = half_axis(job);
    int rc = 0;
    set_extents(p);
    for (int i = 0; i < job->ndim; i++)
        if (transformed(job, i) && !(p->line[i] = gf_cpu_line_plan(job->shape[i], kernels->bits))) {
            rc = gf_fail(GF_ENOMEM, "no memory for the tables of %lld points",
                         (long long)job->shape[i]);
            goto fail;
        }
    p->lean = job->lean && can_be_lean(p);
    p->packed = can_pack(p);
    if (p->packed)
        p->extent[p->half]--;
    if (job->op == GF_FILTER)
        plan_filter_steps(p);
    else
        plan_steps(p);
    for (int i = 0; i < p->n_steps; i++) {
        struct gf_cpu_step *s = &p->step[i];
        if (s->filters && !p->filter && (rc = gf_cpu_filter_make(p, s, threads, &p->filter)))
            goto fail;
        s->pass.mask = s->filters ? &p->filter->mask : NULL;
    }
    if (p->packed)
        p->step[0].pass.packs = p->step[p->n_steps - 1].pass.unpacks = true;
    if ((rc = join_planes(p, threads)) || (rc = plan_workspace(p)))
        goto fail;
    for (int i = 0; i < p->n_steps; i++)
        gf_cpu_step_summarise(p, &p->step[i]);
    choose_streams(p);
    int64_t touched = 0;
    for (int i = 0; i < p->n_steps; i++)
        touched += p->step[i].summary.bytes_read + p->step[i].summary.bytes_written;
    p->stays = gf_cpu_stays_cached(touched, threads);
    size_scratch(p, threads);
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
    gf_cpu_filter_free(p->filter);
    gf_free(p->work_data);
    gf_free(p->plane_data);
    gf_free(p->banded);
    gf_free(p->scratch);
    free(p);
}
