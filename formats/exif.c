/* EXIF is a TIFF file inside a segment of a JPEG; only its first directory is read. */
#include "formats/exif.h"

#include <stdint.h>
#include <string.h>

#include "formats/tiff.h"

enum { HEADER = 6 /* "Exif\0\0" */, ENTRY = 12 };

/* Two numbers at the offset that the entry holds; 0 where that is outside. */
static double rational(const unsigned char *p, size_t n, const unsigned char *entry, bool big) {
    size_t at = gf_tiff_number(entry + 8, 4, big);
    if (gf_tiff_number(entry + 2, 2, big) != TIFF_RATIONAL || n < 8 || at > n - 8)
        return 0;
    uint64_t divisor = gf_tiff_number(p + at + 4, 4, big);
    return divisor ? (double)gf_tiff_number(p + at, 4, big) / divisor : 0;
}

struct gf_exif gf_exif_read(const unsigned char *p, size_t n) {
    struct gf_exif exif = {0};
    double x = 0, y = 0;
    enum gf_unit unit = GF_INCH;
    if (n < HEADER + 8 || memcmp(p, "Exif\0", HEADER))
        return exif;
    p += HEADER;
    n -= HEADER;
    bool big = p[0] == 'M';
    if (memcmp(p, big ? "MM\0*" : "II*", 4))
        return exif;
    size_t at = gf_tiff_number(p + 4, 4, big);
    if (at > n - 2)
        return exif;
    size_t entries = gf_tiff_number(p + at, 2, big);
    at += 2;
    for (size_t i = 0; i < entries && at + ENTRY <= n; i++, at += ENTRY) {
        uint64_t tag = gf_tiff_number(p + at, 2, big), v = gf_tiff_number(p + at + 8, 2, big);
        bool is_short = gf_tiff_number(p + at + 2, 2, big) == TIFF_SHORT;
        if (tag == TIFFTAG_ORIENTATION && is_short && v >= 1 && v <= 8 && !exif.orientation)
            exif.orientation = (int)v;
        else if (tag == TIFFTAG_XRESOLUTION)
            x = rational(p, n, p + at, big);
        else if (tag == TIFFTAG_YRESOLUTION)
            y = rational(p, n, p + at, big);
        else if (tag == TIFFTAG_RESOLUTIONUNIT && is_short)
            unit = v == 3 ? GF_CENTIMETRE : v == 2 ? GF_INCH : GF_UNIT_NONE;
    }
    gf_resolution_set(&exif.resolution, x, y, unit);
    return exif;
}

struct gf_orientation gf_exif_turn(int orientation) {
    /* 1 as is, 2 mirrored, 3 turned by half, 4 upside down; 5 to 8 are the transposed ones. */
    static const struct gf_orientation turns[] = {
        {0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1},
    };
    return turns[orientation ? orientation - 1 : 0];
}
