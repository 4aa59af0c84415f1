/* Wavelets on a GPU: a pass a level. What needs all coefficients at once is done on the processor:
 * thresholds by a percentage, pictures of the pyramid, several outputs of a forward transform. */
#ifndef GF_CORE_GPU_PLAN_DWT_H
#define GF_CORE_GPU_PLAN_DWT_H

#include "core/gpu/run.h"

/* How a level's work is cut; see kernels/wavelet.h. */
struct gf_gpu_wave_tile {
    int items;     /* of a group */
    int width;     /* of those side by side along x, a power of two */
    int rows;      /* bands' rows of an item, where planes and rows are transformed */
    int resident;  /* groups that are to share a multiprocessor */
    bool ahead;    /* the next planes are read before the last ones are done with */
    int64_t strip; /* steps of an item along its walk */
};

/* What a level's tile is chosen by. */
struct gf_gpu_wave_request {
    bool inverse, along_walk, along_row;
    bool wide;       /* double precision */
    int64_t columns; /* along x: work items */
    int64_t rows;    /* bands' rows, pairs of rows, or independent rows */
    int64_t steps;   /* along the walk */
};
void gf_gpu_wave_tile(const struct gf_gpu_wave_request *request, const struct gf_gpu_props *props,
                      struct gf_gpu_wave_tile *tile);

/* Fills an empty plan for its job, which becomes the device's share of it (plan->finish says
 * whether there is more); for gf_gpu_plan_make(). GF_EUNSUPP. */
int gf_gpu_dwt_make(struct gf_gpu_plan *p);

/* The processor's share, for plans with `finish`: of `job`, as it was asked for. What remains of an
 * inverse is done before the upload, of a forward transform after the download. */
int gf_gpu_dwt_upload(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                      const struct gf_job *job, const struct gf_array *in);
int gf_gpu_dwt_download(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                        const struct gf_job *job, struct gf_array *out, struct gf_report *report);
/* As a line of `gpufft plan`, first or last; and the memory it takes. */
void gf_gpu_dwt_list(const struct gf_gpu_run *m, const struct gf_job *job, struct gf_plan *plan);

#endif
