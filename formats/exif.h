/* The part of EXIF that changes how samples are laid out, the orientation, and their resolution.
 *
 *     struct gf_exif exif = gf_exif_read(app1, n);
 */
#ifndef GF_FORMATS_EXIF_H
#define GF_FORMATS_EXIF_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/metadata.h"

struct gf_exif {
    int orientation; /* 1..8; 0 where there is no valid one, which means 1, as stored */
    struct gf_resolution resolution;
};

/* `p` is the body of an APP1 segment, "Exif\0\0" and a TIFF header included. */
struct gf_exif gf_exif_read(const unsigned char *p, size_t n);

/* Changes such a body to that of a picture made from this one: Orientation is 1, and there is no thumbnail.
 * False, and the bytes as they were, where it is damaged. */
bool gf_exif_settle(unsigned char *p, size_t n);

/* The steps of an orientation, in this order: rows and columns exchanged, then the picture mirrored
 * left to right and top to bottom. */
struct gf_orientation {
    bool transpose, mirror_x, mirror_y;
};
struct gf_orientation gf_exif_turn(int orientation); /* 0..8 */

#endif
