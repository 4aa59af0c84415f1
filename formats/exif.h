/* The EXIF fields that matter for samples: their orientation and their resolution.
 *
 *     struct gf_exif exif = gf_exif_read(app1, n);
 */
#ifndef GF_FORMATS_EXIF_H
#define GF_FORMATS_EXIF_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/metadata.h"

struct gf_exif {
    int orientation; /* 1..8; 0 if there is no valid one, which means 1: as stored */
    struct gf_resolution resolution;
};

/* `p` is the body of an APP1 segment, "Exif\0\0" and a TIFF header included. */
struct gf_exif gf_exif_read(const unsigned char *p, size_t n);

/* Rewrites such a body for a picture made from this one: sets Orientation to 1 and drops the
 * thumbnail. If the body is damaged, returns false and leaves the bytes alone. */
bool gf_exif_settle(unsigned char *p, size_t n);

/* The steps that turn a picture upright, in this order: exchange rows and columns, mirror left to
 * right, mirror top to bottom. */
struct gf_orientation {
    bool transpose, mirror_x, mirror_y;
};
struct gf_orientation gf_exif_turn(int orientation); /* 0..8 */

#endif
