/* Fourier transforms and filters of arrays that do not fit the device: two walks over host memory,
 * part by part. A slab is some pages (indices of the slowest axis), a block is some bins of all
 * pages. One walk transforms slabs along all axes but the slowest, the other transforms blocks
 * along that one: forward the slabs come first, inverse the blocks. Between the walks the complex
 * numbers, half spectra of real samples, are in the exchange: host memory, if possible an output or
 * a spent input. While the device transforms a part, the next one is uploaded and the last one
 * downloaded, directly if the array is page-locked and needs no rearrangement, else through buffers
 * that the host's threads fill.
 *
 * A line of n = rows x columns points is a matrix, row by row (Bailey 1990, "FFTs in external or
 * hierarchical memory", four-step). The exchange has a page for each column, its spectrum times
 * exp(-2 pi i number column / n). Along all pages number k1 becomes the points k1 + rows k2 of the
 * line's spectrum, in the output's order. So a line is a picture whose slabs are read, or by an
 * inverse written, as blocks of columns. With half spectra of the columns of real samples, the host
 * writes the mirror images, or an inverse reads them.
 *
 * Several devices (core/gpu/team.h) have a plan each, for their shares of every walk's parts, and
 * keep the exchange in their memory: a transformed part is sent in pieces to the devices that need
 * it next (core/gpu/slab_walk.h).
 *
 *     struct gf_gpu_shared *p;
 *     int rc = gf_gpu_slabs_plan(c, &job, &p);
 *     if (!rc) rc = gf_gpu_shared_exec(p, &in, out, &report);
 *     gf_gpu_shared_drop(p);
 *
 * The arrays may stay on several devices, as `gpufft bench` times it: each keeps its share of the
 * input and output, and a run repeats both walks. The output stays in the exchange's order: forward
 * each device has its bins of all pages.
 *
 *     plan->impl = p;
 *     int rc = gf_gpu_shared_upload(plan, &in);
 *     if (!rc) rc = gf_gpu_shared_run(plan, 10, &seconds);
 *     if (!rc) rc = gf_gpu_shared_download(plan, &out, &report);
 *
 * Two devices that reach each other's memory exchange in place if each has room for all pages of
 * all bins. A device transforms its pages into their place there and sends the other device's bins
 * of them to the same place in that one's memory; then it transforms its bins of all pages in
 * place, which are its share of the output. Nothing is copied within a device. The last pages are
 * sent when the bins of a part need them, and that part's transform waits only for these; or
 * kernels read them in the other device's memory. An inverse takes the bins first, as the forward
 * transform left them, then the pages into other memory. In natural order both directions begin
 * with the pages, and each device ends with its pages of all bins: the other device's pages of a
 * part's bins are sent back to the same place once transformed. That is safe, because the other
 * device sent its numbers of that place before the part could start, and writes there only in the
 * next run, before which both devices are idle. */
#ifndef GF_CORE_GPU_SLAB_H
#define GF_CORE_GPU_SLAB_H

#include "core/gpu/run.h"
#include "core/gpu/slab_copy.h"
#include "core/schedule/plan.h"

/* Parts in flight: packed, uploaded, transformed, then downloaded and unpacked. */
enum {
    GF_GPU_SLAB_DEPTH = 4,
    GF_GPU_SLAB_SLOTS = 8, /* in place */
    GF_GPU_SLAB_REPORTED = GF_GPU_N_BUFFERS,
    GF_GPU_SLAB_BUFFERS,
    GF_GPU_MEMBERS = GF_MAX_SHARES
};
enum {
    GF_GPU_SLAB_UP,
    GF_GPU_SLAB_DOWN,
    GF_GPU_SLAB_REPORT,
    GF_GPU_SLAB_TABLE,
    GF_GPU_SLAB_SENT, /* for devices whose memory is out of reach */
    GF_GPU_SLAB_STAGES
};

struct gf_gpu_walk {
    const struct gf_gpu_context *c;
    struct gf_gpu_slabs *s;
    struct gf_gpu_shared *all;
    struct gf_pass_info *info; /* of s->plan; its bytes: host memory, copied by the device */
    bool reads_other; /* in place: kernels read the last parts in the other device's memory */
    int64_t extent, each, n;    /* pages, or bins of a page: in all, of a part; parts */
    int64_t first;              /* this device's first */
    int64_t granule;            /* parts are multiples of it */
    int output[GF_MAX_OUTPUTS]; /* the job's output for each output of a part */
    struct gf_gpu_run run[2];   /* for a part, and for a smaller last one */
    int n_runs;

    /* During a job: the host's arrays, and whether the host's threads copy them through staging
     * buffers. */
    struct gf_gpu_slab_copy from, to[GF_MAX_OUTPUTS];
    bool from_staged, to_staged[GF_MAX_OUTPUTS];
    /* The device's share of the exchange by part, filled by the previous walk. A scan borrows the
     * next walk's. */
    struct gf_gpu_buffer **inbox;
    /* A part's input, outputs, filter and report while it is in flight; in place also the other
     * device's exchange. */
    struct gf_gpu_buffer *slot[GF_GPU_SLAB_SLOTS][GF_GPU_SLAB_BUFFERS];
};

/* Parts in flight. */
static inline int gf_gpu_walk_depth(const struct gf_gpu_walk *w) {
    return w->n < GF_GPU_SLAB_DEPTH ? (int)w->n : GF_GPU_SLAB_DEPTH;
}

static inline struct gf_span gf_gpu_part_span(const struct gf_gpu_walk *w, int64_t part) {
    const int64_t at = part * w->each;
    return (struct gf_span){w->first + at, part + 1 < w->n ? w->each : w->extent - at};
}
/* The plan for a part. */
static inline struct gf_gpu_run *gf_gpu_part_run(struct gf_gpu_walk *w, int64_t part) {
    return &w->run[gf_gpu_part_span(w, part).count < w->each];
}

/* The offset of packed output k; k = n_out: the bytes of all. */
static inline int64_t gf_gpu_slab_output_at(const struct gf_gpu_plan *p, int k) {
    enum { ALIGNED = 64 };
    int64_t at = 0;
    for (int i = 0; i < k; i++)
        at += gf_divide_up(p->bytes[GF_GPU_OUT + i], ALIGNED) * ALIGNED;
    return at;
}

/* True if a walk's parts are blocks; if it reads the job's input, makes its outputs, not the
 * exchange; if it only finds display ranges. */
static inline bool gf_gpu_blocks(const struct gf_gpu_walk *w) {
    return w->info->step & GF_SLAB_BLOCKS;
}
static inline bool gf_gpu_from_input(const struct gf_gpu_walk *w) {
    return w->info->step & GF_SLAB_FROM_INPUT;
}
static inline bool gf_gpu_to_output(const struct gf_gpu_walk *w) {
    return w->info->step & GF_SLAB_TO_OUTPUT;
}
static inline bool gf_gpu_scans(const struct gf_gpu_walk *w) {
    return w->info->step & GF_SLAB_SCANS;
}
/* True if the walk's output is outside the exchange in place. */
static inline bool gf_gpu_walk_leaves(const struct gf_gpu_walk *w) {
    return gf_gpu_to_output(w) && !gf_gpu_blocks(w);
}

/* A device's role. members: devices that share the job, 0 for one that exchanges through host
 * memory. resident: its share of the input and output stays in its memory. in_place: so does the
 * whole exchange. natural: the output is exchanged back, so that the device ends with its pages. */
struct gf_gpu_role {
    int member, members;
    bool resident, in_place, natural;
};

/* An array in host memory. */
struct gf_gpu_slab_end {
    struct gf_array a;
    bool locked, ours; /* page-locked; to be unlocked by this job */
};

/* A view without the n slowest axes and the `last` ones before the channels, each of one index. */
static inline struct gf_array gf_gpu_slab_drop(const struct gf_array *a, int n, int last) {
    struct gf_array v = *a;
    for (v.base = NULL; n > 0; n--)
        v = gf_array_index(&v, 0, 0);
    for (; last > 0; last--)
        v = gf_array_index(&v, v.rank - 2, 0);
    return v;
}

/* The plan of one device. */
struct gf_gpu_slabs {
    const struct gf_gpu_context *c;
    struct gf_gpu_role role;
    struct gf_gpu_buffer *work[2], *whole; /* during a job: workspace, the exchange in place */
    /* The job, a picture's or a line's as a volume's with one row a page, the walks, and the shape of
     * the exchange, which is in the array's order. Each walk cuts its own parts. */
    struct gf_slab_plan plan;
    struct gf_job asked;           /* as asked for, without the dropped axes */
    int dropped, last;             /* dropped: so many slowest, and last, axes of one index */
    struct gf_filter *filter;      /* of blocks: a copy without the offset */
    struct gf_filter *of_pages[2]; /* of slabs by themselves, as long as each and as the rest */
    struct gf_gpu_run *page;       /* of one walk: for the pages that automatic ranges sample */
    struct gf_array table;         /* values of a filter that needs a table; the first member's */
    int64_t unit;                  /* bytes of a bin in the exchange, all channels */
    int64_t bins, columns;         /* of a page of the exchange, of a row */
    int64_t pitch; /* in place: bins between pages of the exchange, so that rows begin at views */
    int64_t late;  /* in place: last parts of the first walk, sent or read by the second walk's */
    bool in_output, in_input; /* the array can hold the exchange */
    struct gf_gpu_walk walk[GF_SLAB_WALKS];
    int64_t device_bytes, host_bytes; /* of the device; of the host, with the exchange */
    void *exchange;                   /* if no array can hold it; kept until the plan is dropped */
    bool exchange_locked;
    /* Page-locked, allocated when needed. */
    char *staging[GF_GPU_SLAB_STAGES][GF_GPU_SLAB_DEPTH];
    int64_t staging_bytes[GF_GPU_SLAB_STAGES];
};

/* A job's devices with a plan each. Private to core/gpu/slab_*.c and team.c. */
struct gf_gpu_member {
    const struct gf_gpu_context *c;
    struct gf_gpu_slabs *s;
    const char *name; /* for messages if there are several; outlives the plan */
};
struct gf_gpu_shared {
    struct gf_gpu_member member[GF_GPU_MEMBERS];
    int n;
    unsigned reaches[GF_GPU_MEMBERS]; /* bits: members whose memory it can write to */
    bool uploaded;                    /* resident: memory is allocated */
    /* During a job: the report, each output's largest value in a scan, and the ranges being found
     * (or NULL). */
    struct gf_report found;
    double high[GF_MAX_OUTPUTS];
    struct gf_ranges *range;
};

/* GF_EUNSUPP if the job cannot run this way, GF_ENOMEM if no part fits the device. The context
 * outlives the plan. */
int gf_gpu_slabs_plan(const struct gf_gpu_context *c, const struct gf_job *job,
                      struct gf_gpu_shared **plan);
/* The same for several devices; `devices` has no plans. */
int gf_gpu_shared_plan(const struct gf_gpu_shared *devices, const struct gf_job *job,
                       struct gf_gpu_role role, struct gf_gpu_shared **plan);

/* As gf_plan_exec(); `report` may be NULL. */
int gf_gpu_shared_exec(struct gf_gpu_shared *p, const struct gf_array *in, struct gf_array *out,
                       struct gf_report *report);
/* As in gf_plan_ops, for a resident plan as impl. */
int gf_gpu_shared_upload(struct gf_plan *plan, const struct gf_array *in);
int gf_gpu_shared_run(struct gf_plan *plan, int times, double *seconds);
int gf_gpu_shared_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report);
/* Lists walks as passes, and memory. */
void gf_gpu_shared_list(const struct gf_gpu_shared *p, struct gf_plan *plan);
void gf_gpu_shared_drop(struct gf_gpu_shared *p); /* takes NULL */

#endif
