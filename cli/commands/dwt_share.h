/* A streamed task whose parts (core/wavelet/parts.h) are dealt to several devices; each reads the planes of
 * its own, and the coefficients come to their places in one file.
 *
 *     const int parts = gf_dwt_share_parts(t);
 *     if (parts)
 *         rc = gf_dwt_share_run(t, parts, volume);
 */
#ifndef GF_CLI_COMMANDS_DWT_SHARE_H
#define GF_CLI_COMMANDS_DWT_SHARE_H

#include "cli/commands/dwt_stream.h"

/* How many; 0: the task is one device's. One part is a device's whose others take over if it fails. */
int gf_dwt_share_parts(const struct gf_task *t);
/* Bytes that all devices take together. */
int64_t gf_dwt_share_bytes(const struct gf_task *t, int parts);
/* Adds what the runs count to the task. *sum: their milliseconds of waiting and planes in memory. */
int gf_dwt_share_run(struct gf_task *t, int parts, struct gf_volume *volume,
                     struct gf_dwt_run *sum);

#endif
