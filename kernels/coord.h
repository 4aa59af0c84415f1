/* Coordinates along an axis of n: the mirror image's, and with the zero frequency at `centre`. */
#ifndef COORD_H
#define COORD_H

#include "args.h"

/* Elements' offsets and coordinates of a pass: 32 bits where they hold all of its (NARROW), at half
 * the instructions. */
#ifndef NARROW
#define NARROW 0
#endif
#if NARROW
typedef int place;
#else
typedef wide place;
#endif

#define NEGATED(k, n) ((k) ? (n) - (k) : 0) /* in the type of k */

INLINE place negated(place k, place n) {
    return NEGATED(k, n);
}
INLINE place centred(place k, place centre, place n) {
    k += centre;
    return k >= n ? k - n : k;
}

#endif
