/* Copies between arrays in host memory and packed parts of them (core/gpu/slab.h). Arrays have the
 * axes page, row, column, channel, and any strides; a line has one page of one row. */
#ifndef GF_CORE_GPU_SLAB_COPY_H
#define GF_CORE_GPU_SLAB_COPY_H

#include "core/base/job.h"
#include "core/base/span.h"

/* A line as a volume of one row, a picture as one with one row a page, a volume as it is. A view. */
struct gf_array gf_gpu_slab_volume(const struct gf_array *a);

/* A line, or its spectrum, as a matrix row by row: a page is a row of it. */
struct gf_gpu_slab_matrix {
    int64_t points; /* of the line; 0: no line */
    int64_t rows, columns;
};

/* A part of an array, and where it is packed, page by page: some bins of all pages, numbered row by row, `columns` to
 * a row; or with whole_pages all bins of some pages. */
struct gf_gpu_slab_copy {
    struct gf_array array;
    bool whole_pages;
    struct gf_span part;
    int64_t columns;
    struct gf_gpu_slab_matrix line;
    bool shift[3]; /* in the array zero is in the centre of this axis */
    /* The array has whole rows of real samples' spectra, of which a part has the columns up to half:
     * the others are mirror images. A line's array may have the first half of all bins. */
    bool mirrors;
    unsigned axes;     /* that were transformed, as gf_job.axes */
    enum gf_kind kind; /* of what is mirrored */
    char *packed;
    bool unpack; /* to the array; otherwise from there */
};

/* All of them at once. Mirror images are only written, but those of a line are read too. */
void gf_gpu_slab_copy(const struct gf_gpu_slab_copy *copy, int n, int threads);
/* Whether mirror images of this output can be made from its samples. */
bool gf_gpu_slab_mirrors(const struct gf_output *o);

#endif
