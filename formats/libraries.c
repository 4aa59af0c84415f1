/* The libraries that are loaded when the first file that needs them is opened. */
#include "core/base/host/dl.h"
#include "formats/jpeg/jpeg.h"
#include "formats/ome.h"
#include "formats/tiff/tiff.h"

#define SYMBOL(library, name) {#name, offsetof(struct library, name)},
#define TIFF_SYMBOL(name)     SYMBOL(gf_libtiff, name)
#define JPEG_SYMBOL(name)     SYMBOL(gf_libjpeg, name)
#define EXPAT_SYMBOL(name)    SYMBOL(gf_expat, name)
#define ADDRESS(name)         .name = name,

#ifdef GF_TIFF_SONAME
struct gf_libtiff gf_libtiff;
#else
#define GF_TIFF_SONAME ""
struct gf_libtiff gf_libtiff = {GF_TIFF_FUNCTIONS(ADDRESS)};
#endif
#ifdef GF_JPEG_SONAME
struct gf_libjpeg gf_libjpeg;
#else
#define GF_JPEG_SONAME ""
struct gf_libjpeg gf_libjpeg = {GF_JPEG_FUNCTIONS(ADDRESS)};
#endif

#ifdef GF_EXPAT_SONAME
struct gf_expat gf_expat;
#else
#define GF_EXPAT_SONAME ""
struct gf_expat gf_expat = {GF_EXPAT_FUNCTIONS(ADDRESS)};
#endif

int gf_tiff_load(void) {
    static const struct gf_dl_symbol symbols[] = {GF_TIFF_FUNCTIONS(TIFF_SYMBOL){NULL, 0}};
    static struct gf_dl_library library =
        GF_DL_LIBRARY(symbols, &gf_libtiff, GF_EIO,
                      "TIFF files need libtiff; " GF_TIFF_SONAME " does not load", GF_TIFF_SONAME);
    return gf_dl_load(&library);
}

int gf_jpeg_load(void) {
    static const struct gf_dl_symbol symbols[] = {GF_JPEG_FUNCTIONS(JPEG_SYMBOL){NULL, 0}};
    static struct gf_dl_library library =
        GF_DL_LIBRARY(symbols, &gf_libjpeg, GF_EIO,
                      "JPEG files need libjpeg; " GF_JPEG_SONAME " does not load", GF_JPEG_SONAME);
    return gf_dl_load(&library);
}

int gf_expat_load(void) {
    static const struct gf_dl_symbol symbols[] = {GF_EXPAT_FUNCTIONS(EXPAT_SYMBOL){NULL, 0}};
    static struct gf_dl_library library = GF_DL_LIBRARY(
        symbols, &gf_expat, GF_EIO,
        "OME's descriptions need libexpat; " GF_EXPAT_SONAME " does not load", GF_EXPAT_SONAME);
    return gf_dl_load(&library);
}
