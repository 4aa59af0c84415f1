/* Copies between arrays in host memory and packed parts of them (core/gpu/slab.h). Arrays have axes
 * page, row, column, channel and any strides; a line is one page of one row. */
#ifndef GF_CORE_GPU_SLAB_COPY_H
#define GF_CORE_GPU_SLAB_COPY_H

#include "core/base/job/job.h"
#include "core/base/value/span.h"

/* A view of a line as one row, of a picture as one row a page, or of a volume. */
struct gf_array gf_gpu_slab_volume(const struct gf_array *a);

/* A line or its spectrum as a matrix, whose rows are pages. */
struct gf_gpu_slab_matrix {
    int64_t points; /* of the line, or 0 */
    int64_t rows, columns;
};

/* A part of an array, packed page by page: bins of all pages, numbered row by row with `columns` to
 * a row; or, with whole_pages, pages. */
struct gf_gpu_slab_copy {
    struct gf_array array;
    bool whole_pages;
    struct gf_span part;
    int64_t columns;
    struct gf_gpu_slab_matrix line;
    bool shift[3]; /* the array has zero in the centre of the axis */
    /* The array has full spectra of real samples and the part only columns up to half; the others
     * are mirror images. A line's array may end at half. */
    bool mirrors;
    unsigned axes;     /* transformed, as gf_job.axes */
    enum gf_kind kind; /* for mirror images */
    char *packed;
    bool unpack; /* to the array */
};

/* Copies n parts concurrently. Mirror images are written, but read only for lines. */
void gf_gpu_slab_copy(const struct gf_gpu_slab_copy *copy, int n, int threads);
/* True if an output's mirror images can be made from its samples. */
bool gf_gpu_slab_mirrors(const struct gf_output *o);

#endif
