/* Records (formats/record.h) and jobs: forward, the record of an output; inverse, the
 * job that takes it back.
 *
 *     struct gf_record record = gf_record_of_job(&job, 0, &image, false);
 *     …
 *     gf_job_of_record(&record, &inverse);
 */
#ifndef GF_CLI_BATCH_JOB_RECORD_H
#define GF_CLI_BATCH_JOB_RECORD_H

#include "core/base/job.h"
#include "formats/record.h"

/* The record of output `i` of a forward job on `image`; alpha_kept: the image's alpha channel is
 * written as the last plane of the output. */
struct gf_record gf_record_of_job(const struct gf_job *job, int i, const struct gf_image *image,
                                  bool alpha_kept);

/* Sets op, ndim, shape, channels and axes of the inverse job, and what the record has of its input:
 * norm, shift and half of a spectrum, levels and boundary of wavelet coefficients. */
void gf_job_of_record(const struct gf_record *record, struct gf_job *job);

#endif
