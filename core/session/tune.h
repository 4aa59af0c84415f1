/* Measures a device for its record (core/session/record.h): how it copies, over its bus too, and how
 * fast transforms of a few sizes are. Takes less than a minute: what would come later is left out.
 *
 *     struct gf_speed_record r;
 *     int rc = gf_tune_device(backend, &(struct gf_backend_options){.device = "0"}, &r);
 *     if (!rc) gf_record_keep(backend, "0", &r);                                               */
#ifndef GF_CORE_SESSION_TUNE_H
#define GF_CORE_SESSION_TUNE_H

#include "core/session/record.h"

/* Two rounds agree where each rate of one is within this part of the other's. */
#define GF_TUNE_TOLERANCE 0.15

/* Measures all rates once: into r, which is empty, with r->noisy where the CPU was somebody else's.
 * Returns the milliseconds since the first round began. */
typedef double (*gf_tune_round)(void *user, struct gf_speed_record *r);

/* Rounds until two of them had the CPU for themselves and the two best values of every rate agree, or none is
 * begun any more, after 20 s: r is noisy then. Each rate becomes its best. */
void gf_tune_rounds(gf_tune_round round, void *user, struct gf_speed_record *r);

/* Opens a context of the backend, and closes it. */
int gf_tune_device(const struct gf_backend *b, const struct gf_backend_options *options,
                   struct gf_speed_record *r);

#endif
