/* Finds how a signal lies on a reference: its shift and, of pictures, its rotation and scale.
 *
 *     struct gf_registration_options options = {.estimate = GF_RIGID};
 *     struct gf_registration *r;
 *     struct gf_found found;
 *     int rc = gf_registration_new(&crew, &options, 1, &r);
 *     if (!rc)
 *         rc = gf_registration_find(r, &crew, &ref, &px, &found);
 *     gf_registration_free(r);
 *
 * Signals (core/op/signal.h) of one shape. core/compare/correlate.h and motion.h have the sources.
 * registration.c */
#ifndef GF_CORE_OP_REGISTRATION_H
#define GF_CORE_OP_REGISTRATION_H

#include "core/compare/motion.h"
#include "core/op/signal.h"

enum gf_estimate { GF_SHIFT, GF_RIGID, GF_SIMILARITY };
enum gf_fill { GF_FILL_ZERO, GF_FILL_EDGE };

struct gf_registration_options {
    struct gf_signal_options signal; /* by the samples' type by default */
    int estimate;                    /* enum gf_estimate */
    int fill; /* enum gf_fill: what aligned pictures have where the signal shows nothing */
};
extern const struct gf_opt gf_registration_rows[];

struct gf_found {
    struct gf_motion motion;    /* moves the signal onto the reference */
    double height, coefficient; /* the correlation's peak over its deviation, and its value there */
    bool inverted;              /* the signal is like a negative */
    bool aligned;               /* false: not found */
    const char *backend;
};

struct gf_registration;
/* Bytes of the arrays that it keeps; px needs no data. */
int64_t gf_registration_bytes(const struct gf_registration_options *o, const struct gf_array *px);
/* For one thread at a time. It opens runners that keep their plans, on the crew's device with its
 * threads, if it is for several signals: `times`. GF_ENOMEM. */
int gf_registration_new(const struct gf_crew *crew, const struct gf_registration_options *o,
                        int64_t times, struct gf_registration **out);
void gf_registration_free(struct gf_registration *r);
/* The next reference is another one; else it is taken as the last one, and its spectra are kept. */
void gf_registration_forget(struct gf_registration *r);
/* GF_EINVAL unless both have one shape, and that is a picture's if it is to be turned. `ref` may be
 * NULL. They need no data. */
int gf_registration_fits(const struct gf_registration_options *o, const struct gf_array *ref,
                         const struct gf_array *px);
/* Fills *found. crew->held counts what gf_registration_bytes() says, too. GF_EINVAL if px has nothing in
 * common with the reference; GF_ENOMEM or a backend's status. */
int gf_registration_find(struct gf_registration *r, const struct gf_crew *crew,
                         const struct gf_array *ref, const struct gf_array *px,
                         struct gf_found *found);
/* All but the shift. */
void gf_registration_facts(const struct gf_found *f, struct gf_facts *to);

#endif
