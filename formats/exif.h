/* The one thing of EXIF that changes how samples are laid out: the orientation.
 *
 *     int orientation = gf_exif_orientation(app1, n);    1 when there is none
 */
#ifndef GF_FORMATS_EXIF_H
#define GF_FORMATS_EXIF_H

#include <stdbool.h>
#include <stddef.h>

/* `p` is the body of an APP1 segment, "Exif\0\0" and a TIFF header included. 1..8; 1, as stored, for
 * whatever is no valid orientation. */
int gf_exif_orientation(const unsigned char *p, size_t n);

/* What an orientation asks for, in this order: rows and columns exchanged, then the picture mirrored
 * left to right and top to bottom. */
struct gf_orientation {
    bool transpose, mirror_x, mirror_y;
};
struct gf_orientation gf_exif_turn(int orientation);

#endif
