/* The signatures of picture types that are not read. */
#include "formats/foreign.h"

#include <string.h>

/* "RIFF", four bytes of length, "WEBP"; ISO media: four bytes of length, "ftyp", a brand. A BMP's two
 * letters are few, so its four reserved bytes, zero, count too. */
static const struct {
    struct gf_foreign type;
    size_t at[2];
    const char *bytes[2];
    size_t n[2];
} signs[] = {
    {{"a WebP", "PNG"}, {0, 8}, {"RIFF", "WEBP"}, {4, 4}},
    {{"a HEIF", "PNG"}, {4, 8}, {"ftyp", "hei"}, {4, 3}},
    {{"a HEIF", "PNG"}, {4, 8}, {"ftyp", "hev"}, {4, 3}},
    {{"a HEIF", "PNG"}, {4, 8}, {"ftyp", "mif1"}, {4, 4}},
    {{"a HEIF", "PNG"}, {4, 8}, {"ftyp", "msf1"}, {4, 4}},
    {{"an AVIF", "PNG"}, {4, 8}, {"ftyp", "avi"}, {4, 3}},
    {{"a JPEG XL", "PNG"}, {0, 0}, {"\xff\x0a", ""}, {2, 0}},
    {{"a JPEG XL", "PNG"}, {0, 8}, {"\0\0\0\x0cJXL ", "\r\n\x87\n"}, {8, 4}},
    {{"a JPEG 2000", "PNG"}, {0, 8}, {"\0\0\0\x0cjP  ", "\r\n\x87\n"}, {8, 4}},
    {{"a GIF", "PNG"}, {0, 5}, {"GIF8", "a"}, {4, 1}},
    {{"a BMP", "PNG"}, {0, 6}, {"BM", "\0\0\0"}, {2, 4}},
    {{"a DICOM", "TIFF"}, {128, 128}, {"DICM", ""}, {4, 0}},
    {{"a FITS", "TIFF"}, {0, 6}, {"SIMPLE", "  ="}, {6, 3}},
    {{"an OpenEXR", "TIFF"}, {0, 0}, {"\x76\x2f\x31\x01", ""}, {4, 0}},
};

const struct gf_foreign *gf_foreign_find(const unsigned char *head, size_t n) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        int found = 0;
        for (int k = 0; k < 2; k++)
            found += signs[i].at[k] + signs[i].n[k] <= n &&
                     !memcmp(head + signs[i].at[k], signs[i].bytes[k], signs[i].n[k]);
        if (found == 2)
            return &signs[i].type;
    }
    return NULL;
}
