/* Coefficients of a stream (core/wavelet/stream.h) on their way to the output's file: a thread writes them while the
 * next ones are computed.
 *
 *     struct gf_dwt_boxes boxes = {.t = t, .volume = volume, .part = &part, .beside = true};
 *     const struct gf_dwt_taker taker = gf_dwt_boxes_taker(&boxes);
 *     int rc = gf_dwt_boxes_start(&boxes);
 *     if (!rc) {
 *         push all planes
 *         rc = gf_dwt_boxes_stop(&boxes, rc);
 *     }
 */
#ifndef GF_CLI_COMMANDS_DWT_BOXES_H
#define GF_CLI_COMMANDS_DWT_BOXES_H

#include "cli/batch/task.h"
#include "cli/commands/dwt_side.h"
#include "core/wavelet/parts.h"
#include "formats/volume.h"

enum { GF_DWT_QUEUE = 256 };

struct gf_dwt_boxes {
    const struct gf_task *t;
    struct gf_volume *volume;
    const struct gf_dwt_part *part; /* boxes that are not its own are dropped */
    bool beside;                    /* by a thread: they are worth waking one */
    int64_t overflowed;             /* samples that are Inf or NaN */
    double ms, ms_waited;           /* for writing; that the stream waited for it */

    /* The queue's own. */
    struct gf_dwt_side side; /* one: writes to the same file wait for each other */
    struct gf_dwt_box box[GF_DWT_QUEUE];
    int64_t put, taken; /* boxes so far */
};

struct gf_dwt_taker gf_dwt_boxes_taker(struct gf_dwt_boxes *q);
int gf_dwt_boxes_start(struct gf_dwt_boxes *q);
/* Waits until all are written, after a start that succeeded; rc, or the first failure of writing. */
int gf_dwt_boxes_stop(struct gf_dwt_boxes *q, int rc);

#endif
