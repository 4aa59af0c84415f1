/* The jobs of the parts that a volume's transform is divided into: pages through all axes but the slowest, and
 * lines through that one. In between are complex numbers, half spectra of real samples, without a factor.
 *
 *     struct gf_job first = gf_part_pages(&volume, false, 16), second = gf_part_lines(&volume, pages, 8, width);
 *     gf_part_numbers(&first, real);         16 pages to complex numbers
 *     gf_part_outputs(&second, &volume);     8 rows of all pages to the outputs
 */
#ifndef GF_CORE_DIVIDE_PART_JOB_H
#define GF_CORE_DIVIDE_PART_JOB_H

#include "core/base/job.h"

/* Backends transform two real lines as one complex one. Which two depends on where a line is in a
 * tile of at most so many lines, along the axis before that of the lines, or where that is shorter than
 * a tile, along the one before it. Parts of whole tiles round as the whole array does. */
enum { GF_PART_TILE = 32 };

/* A picture's job as that of a volume whose pages have one row each; a volume's as it is. */
struct gf_job gf_slab_volume(const struct gf_job *job);

/* The jobs of a filter's two transforms around the product: samples to an unscaled complex half spectrum, and
 * that to the job's outputs, with the factor 1 / N. */
void gf_filter_split(const struct gf_job *job, struct gf_job *forward, struct gf_job *inverse);

/* Some pages of the volume through its other axes, from its input to its outputs; of a filter the transform before
 * the product, or the one after it where `back`. */
struct gf_job gf_part_pages(const struct gf_job *volume, bool back, int64_t pages);
/* [page][row][column], complex numbers to complex numbers along the volume's slowest axis. */
struct gf_job gf_part_lines(const struct gf_job *volume, int64_t pages, int64_t rows,
                            int64_t columns);
/* The part leaves complex numbers without a factor. */
void gf_part_numbers(struct gf_job *part, bool half);
/* The part leaves the volume's outputs, unshifted, with the norm's factor: rows are placed, and mirrored, by
 * others. */
void gf_part_outputs(struct gf_job *part, const struct gf_job *volume);
/* A display range that was found; anything where all is zero. */
void gf_part_range(struct gf_output *out, const double range[2]);

#endif
