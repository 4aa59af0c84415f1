/* A transform of single lines that do not fit memory. A line of n samples is a picture of n1 rows of n2
 * samples whose numbers are multiplied by twiddles between its axes, and whose result is read column by
 * column (Bailey 1990, "FFTs in external or hierarchical memory", four-step). Forward, three walks:
 *
 *     blocks of columns    n1 runs of the file; along the columns, times exp(-2 pi i k1 i2 / n)
 *     rows                 one after the other, n2 points each
 *     slabs                runs of the rows, whose points k1 + n1 k2 lie side by side in the result
 *
 * and the inverse takes them in the opposite order. Columns of real samples have half spectra: rows 0 to
 * n1/2, the others being their mirror images, as k1 + n1 k2 is the negative of n1 - k1 + n1 (n2 - 1 - k2).
 * Rows 0 and n1/2 are those of the multiples of n1/2, the frequencies of a real line of 2 n2 samples that
 * the exchange has for both: so half a line's numbers are half its rows.
 *
 * In the exchange the matrix is row by row. n1 is the least divisor of n whose rows fit memory, so all runs
 * are as long as they can be: a third of M^2 / n bytes or so of M bytes of memory. Two walks would do with
 * runs of the square root of that.
 *
 * Lines of the last axis alone: others are batches. */
#ifndef GF_CORE_SLAB_LINE_H
#define GF_CORE_SLAB_LINE_H

#include "core/slab/plan.h"

enum { GF_SLAB_CHANNELS = 16 };

/* True for jobs of a single axis, the last one. */
bool gf_slab_is_line(const struct gf_job *job);
/* For core/slab/make.c: why such a job is refused, and its extents, which are the lines'; then its parts, of so much
 * memory less what is kept: GF_ENOMEM with all that they need in *needed, or with a message and 0 there. */
const char *gf_slab_line_refuses(const struct gf_job *job);
void gf_slab_line_describe(struct gf_slab_plan *p);
int gf_slab_line_fit(struct gf_slab_plan *p, int64_t memory, int64_t kept, int64_t *needed);

/* Rows of the whole matrix: the plan's pages, of real samples twice these. */
int64_t gf_slab_line_rows(const struct gf_slab_plan *p);
/* The job of `count` columns: from samples to numbers or, `inverse`, back to all outputs; and whether it
 * runs in place. */
struct gf_job gf_slab_line_columns_job(const struct gf_slab_plan *p, int64_t count, bool inverse);
/* The job of a row; is_real: of one that is half a spectrum of real numbers, to which or from which it is. */
struct gf_job gf_slab_line_row_job(const struct gf_slab_plan *p, bool is_real, bool inverse);
bool gf_slab_line_in_place(const struct gf_slab_plan *p, bool inverse);
/* Bytes of a frequency or a sample in output i. */
int64_t gf_slab_line_out_bytes(const struct gf_slab_plan *p, int i);

#endif
