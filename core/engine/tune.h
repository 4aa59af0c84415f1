/* Measures a device's speeds (core/engine/speeds.h): copies, bus, and transforms of a few sizes,
 * in less than a minute; slower ones are omitted.
 *
 *     struct gf_speeds r;
 *     int rc = gf_tune_device(backend, &(struct gf_backend_options){.device = "0"}, &r);
 *     if (!rc) gf_speeds_keep(env, backend, "0", &r); */
#ifndef GF_CORE_ENGINE_TUNE_H
#define GF_CORE_ENGINE_TUNE_H

#include "core/engine/speeds.h"

/* The largest difference, as a fraction, between rates of rounds that agree. */
#define GF_TUNE_TOLERANCE 0.15

/* Measures all rates once into the empty r; sets r->noisy if other work had the CPU. Returns the
 * milliseconds since the first round began. */
typedef double (*gf_tune_round)(void *user, struct gf_speeds *r);

/* For tests: repeats rounds until two had the CPU to themselves and the best two values of every rate agree.
 * No round begins after 20 s, and r is then noisy. Keeps the best value of each rate. */
void gf_tune_rounds(gf_tune_round round, void *user, struct gf_speeds *r);

/* Measures in a separate context. */
int gf_tune_device(const struct gf_backend *b, const struct gf_backend_options *options,
                   struct gf_speeds *r);

#endif
