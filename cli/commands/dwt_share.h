/* A streamed task whose parts (core/wavelet/parts.h) are dealt to several devices; each reads the planes of
 * its own, and the coefficients come to their places in one file.
 *
 *     const int parts = gf_dwt_share_parts(t);
 *     if (parts)
 *         rc = gf_dwt_share_run(t, parts, volume, &sum);
 */
#ifndef GF_CLI_COMMANDS_DWT_SHARE_H
#define GF_CLI_COMMANDS_DWT_SHARE_H

#include "cli/commands/dwt_stream.h"

/* How many; 0: the task is one device's. One part is a device's whose others take over if it fails. */
int gf_dwt_share_parts(const struct gf_task *t);
/* The same of a job, without regard to its files; and the threads of the CPU's stream, which leaves some to
 * those that copy for the other devices, read and write. */
int gf_dwt_share_count(const struct gf_job *job, const struct gf_deal *d);
int gf_dwt_share_threads(const struct gf_settings *s, const struct gf_deal *d);
/* Bytes that all devices take together. */
int64_t gf_dwt_share_bytes(const struct gf_task *t, int parts);
/* Adds what the runs count to the task, and to *sum. */
int gf_dwt_share_run(struct gf_task *t, int parts, struct gf_volume *volume,
                     struct gf_part_sum *sum);

#endif
