/* Coordinates along an axis of n: the mirror image's, and with the zero frequency at `centre`. */
#ifndef COORD_H
#define COORD_H

#include "args.h"

#define NEGATED(k, n) ((k) ? (n) - (k) : 0) /* in the type of k */

INLINE wide negated(wide k, wide n) {
    return NEGATED(k, n);
}
INLINE wide centred(wide k, wide centre, wide n) {
    k += centre;
    return k >= n ? k - n : k;
}

#endif
