/* EXIF is a TIFF file inside a segment of a JPEG; only its first directory is read. */
#include "formats/jpeg/jpeg.h"

#include <string.h>

#include "formats/tiff/tiff.h"

enum { HEADER = 6 /* "Exif\0\0" */, ENTRY = 12 };

/* Reads the fraction at the offset that the entry holds; 0 if the offset is outside. */
static double rational(const unsigned char *p, size_t n, const unsigned char *entry, bool big) {
    size_t at = gf_get_number(entry + 8, 4, big);
    if (gf_get_number(entry + 2, 2, big) != TIFF_RATIONAL || n < 8 || at > n - 8)
        return 0;
    uint64_t divisor = gf_get_number(p + at + 4, 4, big);
    return divisor ? (double)gf_get_number(p + at, 4, big) / divisor : 0;
}

struct gf_exif gf_exif_read(const unsigned char *p, size_t n) {
    struct gf_exif exif = {0};
    double x = 0, y = 0;
    enum gf_resolution_unit unit = GF_INCH;
    if (n < HEADER + 8 || memcmp(p, "Exif\0", HEADER))
        return exif;
    p += HEADER;
    n -= HEADER;
    bool big = p[0] == 'M';
    if (memcmp(p, big ? "MM\0*" : "II*", 4))
        return exif;
    size_t at = gf_get_number(p + 4, 4, big);
    if (at > n - 2)
        return exif;
    size_t entries = gf_get_number(p + at, 2, big);
    at += 2;
    for (size_t i = 0; i < entries && at + ENTRY <= n; i++, at += ENTRY) {
        uint64_t tag = gf_get_number(p + at, 2, big), v = gf_get_number(p + at + 8, 2, big);
        bool is_short = gf_get_number(p + at + 2, 2, big) == TIFF_SHORT;
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

/* True if a directory and the values of its entries are within the n bytes, and with `deep` those
 * of the directories inside it. */
static bool is_whole(const unsigned char *p, size_t n, size_t at, bool big, bool deep) {
    enum { EXIF_IFD = 0x8769, GPS_IFD = 0x8825 };
    size_t entries = at + 2 <= n ? gf_get_number(p + at, 2, big) : n;
    if (at + 2 + ENTRY * entries > n)
        return false;
    for (size_t i = 0; i < entries; i++) {
        const unsigned char *entry = p + at + 2 + ENTRY * i;
        uint64_t tag = gf_get_number(entry, 2, big), v = gf_get_number(entry + 8, 4, big);
        uint64_t bytes = gf_tiff_type_size((unsigned)gf_get_number(entry + 2, 2, big)) *
                         gf_get_number(entry + 4, 4, big);
        if (bytes > 4 && (v > n || bytes > n - v))
            return false;
        if (deep && (tag == EXIF_IFD || tag == GPS_IFD) &&
            (v == at || !is_whole(p, n, v, big, false)))
            return false;
    }
    return true;
}

bool gf_exif_settle(unsigned char *p, size_t n) {
    static const unsigned char one[2][10] = {{3, 0, 1, 0, 0, 0, 1}, {0, 3, 0, 0, 0, 1, 0, 1}};
    if (n < HEADER + 8)
        return false;
    p += HEADER;
    n -= HEADER;
    bool big = p[0] == 'M';
    size_t at = gf_get_number(p + 4, 4, big);
    if (memcmp(p, big ? "MM\0*" : "II*", 4) || !is_whole(p, n, at, big, true))
        return false;
    size_t entries = gf_get_number(p + at, 2, big);
    for (at += 2; entries--; at += ENTRY)
        if (gf_get_number(p + at, 2, big) == TIFFTAG_ORIENTATION)
            memcpy(p + at + 2, one[big], sizeof one[big]);
    if (at + 4 <= n)
        memset(p + at, 0, 4); /* the thumbnail's directory */
    return true;
}

/* tiff:Orientation="6" or <tiff:Orientation>6</tiff:Orientation> */
void gf_xmp_settle(unsigned char *p, size_t n) {
    static const char name[] = "tiff:Orientation";
    unsigned char *end = p + n;
    while ((p = memmem(p, (size_t)(end - p), name, sizeof name - 1))) {
        p += sizeof name - 1;
        while (p < end && strchr(" \t\r\n=\"'>", *p) && *p)
            p++;
        if (p < end && *p >= '1' && *p <= '8')
            *p = '1';
    }
}

struct gf_orientation gf_exif_turn(int orientation) {
    /* 1 as is, 2 mirrored, 3 turned by half, 4 upside down; 5 to 8 are the transposed ones. */
    static const struct gf_orientation turns[] = {
        {0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1},
    };
    return turns[orientation ? orientation - 1 : 0];
}
