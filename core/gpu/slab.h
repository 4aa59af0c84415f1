/* A Fourier transform, or a filter, of arrays that do not fit the device, through host memory: two walks over the
 * arrays, part by part. A part is a slab, that is some pages (indices of the slowest axis), or a
 * block, that is some bins of all pages. One walk takes slabs through all axes but the slowest, the
 * other one blocks through that: forward the slabs come first, inverse the blocks. In between the
 * complex numbers, half spectra of real samples, are in the exchange: host memory, which is an
 * output or a spent input where one of these can hold them. While the device transforms a part, the
 * next one is uploaded and the last one downloaded: from and to the arrays themselves where these are
 * page-locked and need no rearrangement, otherwise through buffers that the host's threads fill.
 *
 * A line of n = rows x columns points is a matrix, row by row (Bailey 1990, "FFTs in external or
 * hierarchical memory", four-step): a spectrum of its columns, times exp(-2 pi i number column / n), is
 * in the exchange as a page for each column; through all pages, number k1 of theirs becomes the points
 * k1 + rows k2 of the line's spectrum, which the blocks have as they are in the output. So a line is a
 * picture whose slabs are read, or inverse written, as blocks of columns. The exchange
 * of real samples has half spectra of the columns; the host writes, or inverse reads, the mirror images of the points
 * that come of those.
 *
 * Several devices (core/gpu/team.h) each have a plan for their share of every walk's parts, and the exchange is
 * in the devices' memory: a part that has been transformed is sent in pieces (core/gpu/slab_walk.h) to those
 * whose parts of the next walk they belong to.
 *
 *     struct gf_gpu_shared *p;
 *     int rc = gf_gpu_slabs_plan(c, &job, &p);
 *     if (!rc) rc = gf_gpu_shared_exec(p, &in, out, &report);
 *     gf_gpu_shared_drop(p);
 *
 * The arrays may also stay on several devices, as `gpufft bench` times it: each keeps its share of the input and
 * of the output, and a run repeats both walks. The output stays as the exchange leaves it: forward each device
 * has its bins of all pages.
 *
 *     plan->impl = p;
 *     int rc = gf_gpu_shared_upload(plan, &in);
 *     if (!rc) rc = gf_gpu_shared_run(plan, 10, &seconds);
 *     if (!rc) rc = gf_gpu_shared_download(plan, &out, &report);
 *
 * Two devices that reach each other's memory and have room for the whole exchange, all pages of all bins, have it
 * in place. A device transforms its pages into their place there, and sends the other device's bins of them to
 * the same place of that one's memory; then it transforms its own bins of all pages where they are, which is its
 * share of the output. So nothing is copied within a device. The last pages are sent by the parts of the bins,
 * and the transform of a part's bins begins as soon as these are there; or kernels read them in the other device's
 * memory. Inverse the bins come first, as the forward transform leaves them, and the pages then, into memory of
 * their own. In natural order, which begins with the pages both ways, each device ends with its pages of all bins:
 * the other one's pages of a part's bins are sent back to the same place as soon as they are transformed. The
 * other device had sent its own numbers of that place before the part could be transformed, and writes there next
 * in the next run, before which both devices are idle.
 */
#ifndef GF_CORE_GPU_SLAB_H
#define GF_CORE_GPU_SLAB_H

#include "core/gpu/run.h"
#include "core/gpu/slab_copy.h"
#include "core/slab/plan.h"

/* Parts in flight: packed, uploaded, transformed and downloaded, unpacked. */
enum {
    GF_GPU_SLAB_DEPTH = 4,
    GF_GPU_SLAB_SLOTS = 8 /* in place */,
    GF_GPU_SLAB_REPORTED = GF_GPU_N_BUFFERS,
    GF_GPU_SLAB_BUFFERS,
    GF_GPU_MEMBERS = GF_MAX_SHARES
};
enum {
    GF_GPU_SLAB_UP,
    GF_GPU_SLAB_DOWN,
    GF_GPU_SLAB_REPORT,
    GF_GPU_SLAB_TABLE,
    GF_GPU_SLAB_SENT, /* to devices whose memory this one does not reach */
    GF_GPU_SLAB_STAGES
};

struct gf_gpu_walk {
    const struct gf_gpu_context *c;
    struct gf_gpu_slabs *s;
    struct gf_gpu_shared *all;
    const char *what;
    bool blocks;                 /* parts are blocks, else slabs */
    bool columns;                /* of a line: slabs that its array has as columns of the matrix */
    bool scans;                  /* for display ranges: nothing is downloaded */
    bool from_input, to_output;  /* otherwise the exchange */
    bool reads_other;            /* in place: what the other device sends last, in its memory */
    bool filters;                /* blocks: forward, times the filter, and back */
    enum gf_direction direction; /* of the others */
    int64_t extent, each, n;     /* pages, or bins of a page; of a part; parts */
    int64_t first;               /* of the extent, where others have the rest */
    int64_t granule;             /* parts have a multiple of so many */
    int64_t bytes_read, bytes_written; /* of host memory, by the device */
    int output[GF_MAX_OUTPUTS];        /* the job's outputs that the parts' outputs are */
    struct gf_gpu_run run[2];          /* a part, and the last one where that is smaller */
    int n_runs;

    /* While a job runs: the arrays in host memory, and whether they are staged; the device copies others alone. */
    struct gf_gpu_slab_copy from, to[GF_MAX_OUTPUTS];
    bool from_staged, to_staged[GF_MAX_OUTPUTS];
    /* The exchange, if devices hold it, by part: the walk before fills it. A walk for display ranges borrows that of
     * the next one. */
    struct gf_gpu_buffer **inbox;
    /* By slot, which a part has while it is in flight: its input, outputs and filter, in place the other device's
     * exchange; then its report. */
    struct gf_gpu_buffer *slot[GF_GPU_SLAB_SLOTS][GF_GPU_SLAB_BUFFERS];
};

/* Parts of this walk that are in flight at once. */
static inline int gf_gpu_walk_depth(const struct gf_gpu_walk *w) {
    return w->n < GF_GPU_SLAB_DEPTH ? (int)w->n : GF_GPU_SLAB_DEPTH;
}

static inline struct gf_span gf_gpu_part_span(const struct gf_gpu_walk *w, int64_t part) {
    const int64_t at = part * w->each;
    return (struct gf_span){w->first + at, part + 1 < w->n ? w->each : w->extent - at};
}
/* The walk's plan that a part has. */
static inline struct gf_gpu_run *gf_gpu_part_run(struct gf_gpu_walk *w, int64_t part) {
    return &w->run[gf_gpu_part_span(w, part).count < w->each];
}

/* The offset of output k among a plan's packed outputs; for k = n_out their bytes. */
static inline int64_t gf_gpu_slab_output_at(const struct gf_gpu_plan *p, int k) {
    enum { ALIGNED = 64 };
    int64_t at = 0;
    for (int i = 0; i < k; i++)
        at += gf_divide_up(p->bytes[GF_GPU_OUT + i], ALIGNED) * ALIGNED;
    return at;
}

/* True if the output of a walk is beside the exchange in place. */
static inline bool gf_gpu_walk_leaves(const struct gf_gpu_walk *w) {
    return w->to_output && !w->blocks;
}

/* One of so many devices; members 0: alone, with the exchange in host memory. resident: its share of the
 * input and of the output is in its memory as well. in_place: so is the whole exchange. natural: the output is
 * exchanged back, so that the device ends with its pages. */
struct gf_gpu_role {
    int member, members;
    bool resident, in_place, natural;
};

/* An array in host memory. */
struct gf_gpu_slab_end {
    struct gf_array a;
    bool locked, ours; /* page-locked; by this job */
};

/* The plan of one device. */
struct gf_gpu_slabs {
    const struct gf_gpu_context *c;
    struct gf_gpu_role role;
    struct gf_gpu_buffer *work[2], *whole; /* while a job runs: workspace, the exchange in place */
    struct gf_job job; /* as asked for, a picture's as a volume with one row a page */
    bool picture;      /* it is a picture's, or a line's: as that of a picture */
    struct gf_slab_plan
        plan;            /* the shape of the exchange, for display ranges; no more is filled in */
    struct gf_job asked; /* as asked for */
    struct gf_filter *filter; /* without its offset; its table is the job's */
    struct gf_array table;    /* a filter that is multiplied by one: its values, once it has run */
    int64_t unit;             /* bytes of a bin in the exchange: all channels */
    int64_t bins, columns;    /* of a page there; of a row */
    int64_t
        pitch; /* in_place: bins from page to page of the exchange, for rows that begin at views */
    int64_t
        late; /* in_place: the first walk's last parts, sent by the second walk's parts or read by them */
    bool in_output, in_input; /* the exchange can be there */
    struct gf_gpu_walk walk[GF_SLAB_WALKS];
    int n_walks;
    int64_t device_bytes, host_bytes; /* taken: of the device; of the host, exchange included */
    void *exchange; /* where no array can hold it; kept until the plan is dropped */
    bool exchange_locked;
    /* Page-locked, as they are needed: parts to be uploaded, parts that were downloaded, reports. */
    char *staging[GF_GPU_SLAB_STAGES][GF_GPU_SLAB_DEPTH];
    int64_t staging_bytes[GF_GPU_SLAB_STAGES];
};

/* A job's devices, each with its plan; one may be alone. Private to core/gpu/slab_*.c and team.c. */
struct gf_gpu_member {
    const struct gf_gpu_context *c;
    struct gf_gpu_slabs *s;
    const char *name; /* in messages, of one of several; outlives the plan */
};
struct gf_gpu_shared {
    struct gf_gpu_member member[GF_GPU_MEMBERS];
    int n;
    unsigned reaches[GF_GPU_MEMBERS]; /* bits: the members whose memory it writes to */
    bool uploaded;                    /* resident: the memory is taken */
    /* While a job runs: what its parts reported, the largest value of each output in a walk for display ranges, and
     * what finds ranges in what several devices exchange, or NULL. */
    struct gf_report found;
    double high[GF_MAX_OUTPUTS];
    struct gf_slab_range *range;
};

/* GF_EUNSUPP for a job that is not run so, GF_ENOMEM where the device has no room for a part. The context outlives
 * the plan. */
int gf_gpu_slabs_plan(const struct gf_gpu_context *c, const struct gf_job *job,
                      struct gf_gpu_shared **plan);
/* The same for the devices of a plan that is empty otherwise. */
int gf_gpu_shared_plan(const struct gf_gpu_shared *devices, const struct gf_job *job,
                       struct gf_gpu_role role, struct gf_gpu_shared **plan);
/* Whether a walk over the data finds output i's display range. */
bool gf_gpu_slabs_scans(const struct gf_gpu_slabs *s, int i);

/* As the function of gf_plan_ops. */
int gf_gpu_shared_exec(struct gf_gpu_shared *p, const struct gf_array *in, struct gf_array *out,
                       struct gf_report *report);
/* Functions of gf_plan_ops, for a plan whose impl is a resident one. */
int gf_gpu_shared_upload(struct gf_plan *plan, const struct gf_array *in);
int gf_gpu_shared_run(struct gf_plan *plan, int times, double *seconds);
int gf_gpu_shared_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report);
/* The walks, as passes of a plan, and the memory. */
void gf_gpu_shared_list(const struct gf_gpu_shared *p, struct gf_plan *plan);
void gf_gpu_shared_drop(struct gf_gpu_shared *p); /* takes NULL */

#endif
