/* Copies between arrays in host memory and packed parts of them (core/gpu/slab.h). Arrays have the
 * axes page, row, column, channel, and any strides. */
#ifndef GF_CORE_GPU_SLAB_COPY_H
#define GF_CORE_GPU_SLAB_COPY_H

#include "core/base/job.h"

/* Bins [first, first + count) of all pages: numbered row by row, `columns` to a row. */
struct gf_gpu_slab_bins {
    struct gf_array array;
    int64_t first, count, columns;
    bool shift[3]; /* in the array zero is in the centre of this axis */
    /* The array has whole rows of real samples' spectra, of which a part has the columns up to half:
     * the others are mirror images. */
    bool mirrors;
    unsigned axes;     /* that were transformed, as gf_job.axes */
    enum gf_kind kind; /* of what is mirrored */
    int threads;
};

/* Pages, all of the array, to packed memory, or (unpack) from there. */
void gf_gpu_slab_copy_pages(const struct gf_array *pages, char *packed, bool unpack, int threads);
/* The same for bins, packed page by page. Mirror images are only written. */
void gf_gpu_slab_copy_bins(const struct gf_gpu_slab_bins *bins, char *packed, bool unpack);
/* Whether mirror images of this output can be made from its samples. */
bool gf_gpu_slab_mirrors(const struct gf_output *o);

#endif
