/* Resolution, profile and the like between a TIFF's tags and memory. */
#include "core/base/status.h"
#include "formats/tiff/tiff.h"

static const struct {
    uint16_t number;
    const char *name;
} compressions[] = {
    {COMPRESSION_NONE, "none"},
    {COMPRESSION_CCITTRLE, "ccitt rle"},
    {COMPRESSION_CCITTFAX3, "ccitt group 3"},
    {COMPRESSION_CCITTFAX4, "ccitt group 4"},
    {COMPRESSION_LZW, "lzw"},
    {COMPRESSION_JPEG, "jpeg"},
    {COMPRESSION_PACKBITS, "packbits"},
    {COMPRESSION_DEFLATE, "deflate"},
    {COMPRESSION_ADOBE_DEFLATE, "deflate"},
    {COMPRESSION_LZMA, "lzma"},
    {COMPRESSION_ZSTD, "zstd"},
    {COMPRESSION_WEBP, "webp"},
    {COMPRESSION_LERC, "lerc"},
};

const char *gf_tiff_compression_name(uint16_t number) {
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++)
        if (compressions[i].number == number)
            return compressions[i].name;
    return "other";
}

int gf_tiff_get_metadata(struct gf_tiff *t, struct gf_image *image) {
    float x = 0, y = 0;
    uint16_t unit = RESUNIT_INCH, compression = COMPRESSION_NONE, orientation = 0;
    uint32_t n = 0;
    void *profile = NULL;
    struct gf_metadata *m = &image->metadata;
    gf_libtiff.TIFFGetFieldDefaulted(t->tif, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (gf_libtiff.TIFFGetField(t->tif, TIFFTAG_XRESOLUTION, &x) &&
        gf_libtiff.TIFFGetField(t->tif, TIFFTAG_YRESOLUTION, &y) && unit >= RESUNIT_NONE &&
        unit <= RESUNIT_CENTIMETER)
        gf_resolution_set(&m->resolution, x, y,
                          unit == RESUNIT_INCH         ? GF_INCH
                          : unit == RESUNIT_CENTIMETER ? GF_CENTIMETRE
                                                       : GF_UNIT_NONE);
    if (gf_libtiff.TIFFGetField(t->tif, TIFFTAG_ORIENTATION, &orientation) && orientation <= 8)
        image->orientation = orientation;
    gf_libtiff.TIFFGetFieldDefaulted(t->tif, TIFFTAG_COMPRESSION, &compression);
    image->compression = gf_tiff_compression_name(compression);
    if (!gf_libtiff.TIFFGetField(t->tif, TIFFTAG_ICCPROFILE, &n, &profile) || !n)
        return GF_OK;
    t->no_memory |= !profile; /* libtiff had no memory for it */
    return profile ? gf_profile_copy(m, profile, n) : gf_no_memory();
}

/* libtiff does not report that it has no memory for the bytes. */
static bool put_profile(TIFF *tif, const struct gf_metadata *m) {
    uint32_t n = 0;
    void *kept = NULL;
    return gf_libtiff.TIFFSetField(tif, TIFFTAG_ICCPROFILE, (uint32_t)m->profile_bytes,
                                   m->profile) &&
           gf_libtiff.TIFFGetField(tif, TIFFTAG_ICCPROFILE, &n, &kept) && kept;
}

bool gf_tiff_put_metadata(TIFF *tif, const struct gf_metadata *m, int colors, bool profile) {
    const struct gf_resolution *r = &m->resolution;
    double x = r->x, y = r->y;
    enum gf_unit unit = r->unit == GF_INCH ? GF_INCH : GF_CENTIMETRE;
    bool known = gf_resolution_in(r, unit, &x, &y);
    bool done = true;
    if (x > 0)
        done = gf_libtiff.TIFFSetField(tif, TIFFTAG_XRESOLUTION, x) &&
               gf_libtiff.TIFFSetField(tif, TIFFTAG_YRESOLUTION, y) &&
               gf_libtiff.TIFFSetField(tif, TIFFTAG_RESOLUTIONUNIT,
                                       !known            ? RESUNIT_NONE
                                       : unit == GF_INCH ? RESUNIT_INCH
                                                         : RESUNIT_CENTIMETER);
    return done && (!profile || !gf_profile_suits(m, colors) || put_profile(tif, m));
}
