/* Jobs for the parts of a volume's transform: pages along all axes but the slowest, and lines along
 * that one. Between them are unscaled complex numbers, half spectra of real samples.
 *
 *     struct gf_job first = gf_part_pages(&volume, false, 16);
 *     struct gf_job second = gf_part_lines(&volume, pages, 8, width);
 *     gf_part_numbers(&first, real);         16 pages to complex numbers
 *     gf_part_outputs(&second, &volume);     8 rows of all pages to the outputs */
#ifndef GF_CORE_BASE_PART_JOB_H
#define GF_CORE_BASE_PART_JOB_H

#include "core/base/job/job.h"

/* Backends transform two real lines as one complex line. Which two depends on a line's place in a
 * tile of this many lines, along the preceding axis or, if that is shorter, the one before. Parts
 * of whole tiles round as the whole array does. */
enum { GF_PART_TILE = 32 };

/* A picture's job as a volume's with one row a page; other jobs as they are. */
struct gf_job gf_job_volume(const struct gf_job *job);
/* Drops the slowest axes of one index before another transformed one, and returns their number. The
 * caller does the same to a filter. */
int gf_job_drop_single(struct gf_job *job);

/* The two transforms of a filter: samples to an unscaled complex half spectrum, and back to the
 * job's outputs with the factor 1 / N. */
void gf_filter_split(const struct gf_job *job, struct gf_job *forward, struct gf_job *inverse);

/* Pages along the other axes, from input to outputs; of a filter the forward transform, or with
 * `back` the inverse. */
struct gf_job gf_part_pages(const struct gf_job *volume, bool back, int64_t pages);
/* [page][row][column] of complex numbers along the volume's slowest axis. */
struct gf_job gf_part_lines(const struct gf_job *volume, int64_t pages, int64_t rows,
                            int64_t columns);
/* Makes the part's output complex numbers, unscaled. */
void gf_part_numbers(struct gf_job *part, bool half);
/* Gives the part the volume's outputs, scaled, but neither shifted nor mirrored. */
void gf_part_outputs(struct gf_job *part, const struct gf_job *volume);
/* Sets a display range that was found; any range if all is zero. */
void gf_part_range(struct gf_output *out, const double range[2]);

#endif
