/* Measures a device's speeds (core/session/speeds.h): its copy rate, its bus, and transforms of a
 * few sizes. Takes less than a minute; what would take longer is left out.
 *
 *     struct gf_speeds r;
 *     int rc = gf_tune_device(backend, &(struct gf_backend_options){.device = "0"}, &r);
 *     if (!rc) gf_speeds_keep(backend, "0", &r); */
#ifndef GF_CORE_SESSION_TUNE_H
#define GF_CORE_SESSION_TUNE_H

#include "core/session/speeds.h"

/* Two rounds agree if their rates differ by at most this fraction. */
#define GF_TUNE_TOLERANCE 0.15

/* Measures all rates once into the empty r, and sets r->noisy if other work had the CPU. Returns
 * the milliseconds since the first round began. */
typedef double (*gf_tune_round)(void *user, struct gf_speeds *r);

/* Repeats rounds until two of them had the CPU to themselves and the two best values of every rate
 * agree. After 20 s no round begins, and r is noisy. Each rate becomes the best one measured. */
void gf_tune_rounds(gf_tune_round round, void *user, struct gf_speeds *r);

/* Measures in a context of its own. */
int gf_tune_device(const struct gf_backend *b, const struct gf_backend_options *options,
                   struct gf_speeds *r);

#endif
