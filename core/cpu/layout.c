/* The layout of data between a plan's passes. */
#include "core/cpu/plan.h"

#include <unistd.h>

#include "core/base/value/status.h"

int64_t gf_cpu_cache_share(void) {
    int64_t cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return (cache > 0 ? cache : 1 << 20) / 2;
}

int64_t gf_cpu_last_cache(void) {
    return gf_max(sysconf(_SC_LEVEL3_CACHE_SIZE), 2 << 20);
}

int64_t gf_cpu_last_cache_share(void) {
    const int64_t most = 16 << 20;
    return gf_min(gf_cpu_last_cache() / 2, most);
}

/* Odd multiples of 128 bytes put rows, planes and tiles into different cache sets. */
static int64_t pad_to_odd(int64_t bytes) {
    return ((bytes + 127) / 128 | 1) * 128;
}

int gf_cpu_layout_blocks(const struct gf_cpu_plan *p, int fast, unsigned planes,
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
            count = gf_divide_up(count, lanes);
            l->stride[axis] = bytes / lanes;
        }
        if (planes >> axis & 1) {
            l->stride[axis] = 0;
            continue;
        }
        if (count > (INT64_C(1) << 61) / bytes)
            return gf_fail(GF_ENOMEM, "the size does not fit 62 bits");
        bytes = count > 1 ? pad_to_odd(bytes * count) : bytes;
    }
    l->bytes = bytes;
    return 0;
}

/* True if the input's memory can be the workspace: its numbers have the arithmetic's precision, the
 * first pass's tiles read whole rows and write as many numbers, and the second pass transforms
 * columns into the output. */
static bool can_spend_input(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    const struct gf_cpu_pass *rows = &p->pass[0], *columns = &p->pass[1];
    bool single = p->kernels->bits == 32, real = rows->args.form == GF_CPU_R2C;
    enum gf_dtype type = real ? (single ? GF_F32 : GF_F64) : (single ? GF_C64 : GF_C128);
    return job->spend_input && p->n_passes == 2 && !rows->with_next && job->in_dtype == type &&
           job->channels == 1 && !job->in_shift && rows->axis == p->inner &&
           rows->args.form != GF_CPU_C2R && rows->args.line && columns->args.line &&
           columns->axis == rows->lane && rows->args.n_outer[0] * rows->args.n_outer[1] == 1;
}

/* Lays out rows in bands, each as long as a tile of the first pass. */
static void lay_out_in_input(struct gf_cpu_plan *p) {
    const struct gf_cpu_pass *rows = &p->pass[0];
    const int64_t lanes = p->kernels->lanes, block = lanes * 2 * p->kernels->bits / 8;
    struct gf_cpu_layout *l = &p->work;
    l->band = gf_cpu_tile_lines(&rows->args, (int)lanes);
    l->row_bytes = p->job.shape[rows->axis] * (int64_t)gf_dtype_size(p->job.in_dtype);
    l->rest_from = l->row_bytes / block;
    if (p->extent[p->inner] > l->rest_from * lanes)
        l->bytes = p->extent[rows->lane] * block;
}

bool gf_cpu_layout_is_plain(const struct gf_cpu_plan *p) {
    const struct gf_job *job = &p->job;
    const struct gf_cpu_pass *first = &p->pass[0];
    return job->direction == GF_INVERSE && job->op == GF_FFT && job->in_half && job->ndim == 3 &&
           job->axes == 5 && job->channels == 1 && p->inner == 2 && p->half == 2 && p->rows &&
           p->n_passes == 2 && first->axis == 0 && !first->with_next;
}

/* Lays out the workspace as rows of a half spectrum, with planes in different cache sets. */
static void lay_out_plain(struct gf_cpu_plan *p) {
    const bool single = p->kernels->bits == 32;
    struct gf_array *a = &p->plain;
    *a = (struct gf_array){.dtype = single ? GF_C64 : GF_C128, .rank = p->job.ndim + 1};
    const int64_t size = (int64_t)gf_dtype_size(a->dtype);
    for (int i = 0; i < a->rank; i++)
        a->shape[i] = p->extent[i];
    a->stride[3] = a->stride[2] = size;
    a->stride[1] = size * a->shape[2];
    a->stride[0] = pad_to_odd(a->stride[1] * a->shape[1]);
    p->work.bytes = a->stride[0] * a->shape[0];
}

int gf_cpu_layout_workspace(struct gf_cpu_plan *p) {
    int reads = -1, writes = -1;
    bool used = false;
    for (int i = 0; i < p->n_passes; i++) {
        const struct gf_cpu_pass *pass = &p->pass[i];
        bool from_work = !pass->from_input && !pass->from_plane;
        bool to_work = pass->output < 0 && !pass->to_plane;
        bool across = pass->args.line && pass->axis != p->inner;
        if (across && from_work && reads < 0)
            reads = pass->axis;
        if (across && to_work && writes < 0)
            writes = pass->axis;
        used |= from_work || to_work;
    }
    if (used && can_spend_input(p)) {
        p->lean = false;
        lay_out_in_input(p);
        return 0;
    }
    if (!used || p->lean) /* no array between input and output */
        return 0;
    if (p->plain.rank) {
        lay_out_plain(p);
        return 0;
    }
    return gf_cpu_layout_blocks(p, reads >= 0 ? reads : writes, 0, &p->work);
}
