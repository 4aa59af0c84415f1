/* Planes of a part (core/wavelet/parts.h), read by a thread while the ones before are transformed.
 *
 *     struct gf_dwt_ahead ahead = {.t = t, .reader = &t->reader, .part = &part, .beside = true};
 *     int rc = 0;
 *     gf_dwt_ahead_start(&ahead);
 *     for (int64_t k = 0; k < part.job.shape[0] && !rc; k++) {
 *         struct gf_array plane;
 *         rc = gf_dwt_ahead_next(&ahead, k, &plane);       until the next call
 *     }
 *     gf_dwt_ahead_stop(&ahead);
 */
#ifndef GF_CLI_COMMANDS_DWT_AHEAD_H
#define GF_CLI_COMMANDS_DWT_AHEAD_H

#include "cli/batch/task.h"
#include "cli/commands/dwt_side.h"
#include "core/wavelet/parts.h"

enum { GF_DWT_AHEAD = 2 /* planes in memory */ };

struct gf_dwt_ahead {
    const struct gf_task *t;
    struct gf_reader *reader; /* its own, until it is stopped */
    const struct gf_dwt_part *part;
    bool beside; /* by a thread: planes are worth waking one */
    double ms;   /* for reading */
    int64_t at;  /* of the whole: the plane that was read last, or failed */

    /* Its own. */
    struct gf_image plane[GF_DWT_AHEAD];
    struct gf_dwt_side side;
    int64_t read, done; /* planes so far: in memory; that are not needed any more */
};

void gf_dwt_ahead_start(struct gf_dwt_ahead *a);
/* Plane k, in ascending order, its channels without alpha, as a view. */
int gf_dwt_ahead_next(struct gf_dwt_ahead *a, int64_t k, struct gf_array *view);
void gf_dwt_ahead_stop(struct gf_dwt_ahead *a);

#endif
