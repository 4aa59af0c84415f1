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
 * picture whose slabs are read, or inverse written, as blocks of columns. Of real samples the exchange
 * has half spectra of the columns; the host writes, or inverse reads, the mirror images of the points
 * that come of those.
 *
 *     struct gf_gpu_slabs *s;
 *     int rc = gf_gpu_slabs_plan(c, &job, &s);
 *     if (!rc) rc = gf_gpu_slabs_exec(c, s, &in, out, &report);
 *     gf_gpu_slabs_drop(c, s);
 *
 * Of several devices (core/gpu/team.h) each has a plan for its share of every walk's parts, and what is
 * between the walks is in the devices' memory: a part that has been transformed is sent in pieces
 * (core/gpu/exchange.h) to those whose parts of the next walk they belong to.
 */
#ifndef GF_CORE_GPU_SLAB_H
#define GF_CORE_GPU_SLAB_H

#include "core/gpu/exchange.h"
#include "core/gpu/run.h"
#include "core/slab/plan.h"

/* Parts in flight: packed, uploaded, transformed and downloaded, unpacked. */
enum { GF_GPU_SLAB_DEPTH = 4, GF_GPU_MEMBERS = GF_MAX_SHARES };
enum {
    GF_GPU_SLAB_UP,
    GF_GPU_SLAB_DOWN,
    GF_GPU_SLAB_REPORT,
    GF_GPU_SLAB_TABLE,
    GF_GPU_SLAB_SENT, /* to devices whose memory this one does not reach */
    GF_GPU_SLAB_STAGES
};

struct gf_gpu_walk {
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
};

/* Parts of this walk that are in flight at once. */
static inline int gf_gpu_walk_depth(const struct gf_gpu_walk *w) {
    return w->n < GF_GPU_SLAB_DEPTH ? (int)w->n : GF_GPU_SLAB_DEPTH;
}

/* Of an exchange in place: whether the walk's output is beside it. */
static inline bool gf_gpu_walk_leaves(const struct gf_gpu_walk *w) {
    return w->to_output && !w->blocks;
}

/* Which of so many devices; members 0: alone, with the exchange in host memory. resident: its share of the
 * input and of the output is in its memory as well (core/gpu/slab_resident.h). in_place: and there is room
 * for the whole exchange (core/gpu/slab_in_place.h). natural: and the output is exchanged back, so that its
 * share of that are its pages. */
struct gf_gpu_seat {
    int member, members;
    bool resident, in_place, natural;
};

/* Device memory that a walk's parts are read from: all of them, filled during the walk before. */
struct gf_gpu_held {
    struct gf_gpu_buffer **part;
    int64_t n;
};

struct gf_gpu_slabs {
    struct gf_gpu_seat seat;
    struct gf_gpu_exchange between;
    struct gf_gpu_held held, next; /* while a job runs: for this walk, for the next one */
    struct gf_job job;             /* as asked for, a picture's as a volume with one row a page */
    bool picture;                  /* it is a picture's, or a line's: as that of a picture */
    struct gf_slab_plan
        plan;            /* the shape of the exchange, for display ranges; no more is filled in */
    struct gf_job asked; /* as asked for */
    struct gf_filter *filter; /* without its offset; its table is the job's */
    struct gf_array table;    /* a filter that is multiplied by one: its values, once it has run */
    int64_t unit;             /* bytes of a bin in the exchange: all channels */
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

/* GF_EUNSUPP for a job that is not run so, GF_ENOMEM where the device has no room for a part. */
int gf_gpu_slabs_plan(const struct gf_gpu_context *c, const struct gf_job *job,
                      struct gf_gpu_slabs **slabs);
/* The same for one device of several, whose share may be empty. */
int gf_gpu_slabs_plan_share(const struct gf_gpu_context *c, const struct gf_job *job,
                            struct gf_gpu_seat seat, struct gf_gpu_slabs **slabs);
/* The walks, as passes of a plan, and the memory. */
void gf_gpu_slabs_list(const struct gf_gpu_slabs *s, struct gf_plan *plan);
/* Whether a walk over the data finds output i's display range. */
bool gf_gpu_slabs_scans(const struct gf_gpu_slabs *s, int i);

/* An open device and its plan. */
struct gf_gpu_member {
    const struct gf_gpu_context *c;
    struct gf_gpu_slabs *s;
    const char *name; /* in messages, of one of several */
};

/* As gf_plan_ops.exec. reaches: bits, by member, of the members whose memory it writes to. */
int gf_gpu_slabs_exec(const struct gf_gpu_context *c, struct gf_gpu_slabs *s,
                      const struct gf_array *in, struct gf_array *out, struct gf_report *report);
int gf_gpu_slabs_exec_all(const struct gf_gpu_member *member, int n, const unsigned *reaches,
                          const struct gf_array *in, struct gf_array *out,
                          struct gf_report *report);
/* Bins that mirror themselves, of spectra of real samples, become those of real numbers: the last transform
 * is one of complex numbers, and rounds them. */
void gf_gpu_slabs_make_real(const struct gf_gpu_slabs *s, const struct gf_array *out);
void gf_gpu_slabs_drop(const struct gf_gpu_context *c, struct gf_gpu_slabs *s); /* takes NULL */

#endif
