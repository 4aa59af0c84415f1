/* Coordinates along an axis of n: of the mirror image, and with the zero frequency at `centre`. */
#ifndef COORD_H
#define COORD_H

#include "args.h"

/* Element offsets and coordinates: 32 bits, at half the instructions, unless some exceed them
 * (FAR). */
#ifndef FAR
#define FAR 1
#endif
#if FAR
#define place wide
#else
#define place int
#endif

#define NEGATED(k, n) ((k) != 0 ? (n) - (k) : 0) /* in k's type */

INLINE place negated(place k, place n) {
    return NEGATED(k, n);
}
INLINE place centred(place k, place centre, place n) {
    k += centre;
    return k >= n ? k - n : k;
}

#endif
