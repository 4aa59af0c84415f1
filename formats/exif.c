/* EXIF is a TIFF file inside a segment of a JPEG; only its first directory is read, for tag 274. */
#include "formats/exif.h"

#include <stdint.h>
#include <string.h>

#include "formats/tiff.h"

enum { HEADER = 6 /* "Exif\0\0" */, ENTRY = 12 };

int gf_exif_orientation(const unsigned char *p, size_t n) {
    if (n < HEADER + 8 || memcmp(p, "Exif\0", HEADER))
        return 1;
    p += HEADER;
    n -= HEADER;
    bool big = p[0] == 'M';
    if (memcmp(p, big ? "MM\0*" : "II*", 4))
        return 1;
    size_t at = gf_tiff_number(p + 4, 4, big);
    if (at > n - 2)
        return 1;
    size_t entries = gf_tiff_number(p + at, 2, big);
    at += 2;
    for (size_t i = 0; i < entries && at + ENTRY <= n; i++, at += ENTRY) {
        if (gf_tiff_number(p + at, 2, big) != TIFFTAG_ORIENTATION ||
            gf_tiff_number(p + at + 2, 2, big) != TIFF_SHORT)
            continue;
        uint64_t v = gf_tiff_number(p + at + 8, 2, big);
        return v >= 1 && v <= 8 ? (int)v : 1;
    }
    return 1;
}

struct gf_orientation gf_exif_turn(int orientation) {
    /* 1 as is, 2 mirrored, 3 turned by half, 4 upside down; 5 to 8 are the transposed ones. */
    static const struct gf_orientation turns[] = {
        {0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1},
    };
    return turns[orientation - 1];
}
