/* libtiff, loaded when the first TIFF is opened: it brings eight more libraries, whose loading takes a
 * fifth of the CPU time of a 512x512 PNG. Where the Makefile found no name to load it by, it is
 * linked. Include this instead of <tiffio.h>. Private to formats/. */
#ifndef GF_FORMATS_TIFF_LIB_H
#define GF_FORMATS_TIFF_LIB_H

#include <tiffio.h>

#if TIFFLIB_VERSION >= 20221213
#define HAVE_OPEN_OPTIONS 1 /* libtiff 4.5: handlers that belong to a handle */
#endif

/* Before any function of libtiff is called; GF_EIO with the reason. Tries once. */
int gf_tiff_load(void);

#ifdef GF_TIFF_SONAME

/* clang-format off */
#ifdef HAVE_OPEN_OPTIONS
#define GF_TIFF_OPENING(X)                                                                         \
    X(TIFFClientOpenExt) X(TIFFOpenOptionsAlloc) X(TIFFOpenOptionsFree)                            \
    X(TIFFOpenOptionsSetErrorHandlerExtR) X(TIFFOpenOptionsSetMaxSingleMemAlloc)                   \
    X(TIFFOpenOptionsSetWarningHandlerExtR)
#else
#define GF_TIFF_OPENING(X)                                                                         \
    X(TIFFClientOpen) X(TIFFSetErrorHandler) X(TIFFSetErrorHandlerExt)                             \
    X(TIFFSetWarningHandler) X(TIFFSetWarningHandlerExt)
#endif
#define GF_TIFF_FUNCTIONS(X)                                                                       \
    GF_TIFF_OPENING(X)                                                                             \
    X(TIFFClose) X(TIFFComputeStrip) X(TIFFComputeTile) X(TIFFCurrentDirOffset) X(TIFFGetField)    \
    X(TIFFGetFieldDefaulted) X(TIFFIsBigEndian) X(TIFFIsCODECConfigured) X(TIFFIsTiled)            \
    X(TIFFLastDirectory) X(TIFFReadDirectory) X(TIFFReadEncodedStrip) X(TIFFReadEncodedTile)       \
    X(TIFFSetField) X(TIFFSetSubDirectory) X(TIFFStripSize) X(TIFFTileSize) X(TIFFWriteDirectory)  \
    X(TIFFWriteEncodedStrip) X(TIFFWriteRawStrip)
/* clang-format on */

struct gf_tiff_lib {
#define GF_TIFF_POINTER(name) __typeof__(name) *name##_;
    GF_TIFF_FUNCTIONS(GF_TIFF_POINTER)
};
extern struct gf_tiff_lib gf_tiff_lib;

#define TIFFClose                            gf_tiff_lib.TIFFClose_
#define TIFFComputeStrip                     gf_tiff_lib.TIFFComputeStrip_
#define TIFFComputeTile                      gf_tiff_lib.TIFFComputeTile_
#define TIFFCurrentDirOffset                 gf_tiff_lib.TIFFCurrentDirOffset_
#define TIFFGetField                         gf_tiff_lib.TIFFGetField_
#define TIFFGetFieldDefaulted                gf_tiff_lib.TIFFGetFieldDefaulted_
#define TIFFIsBigEndian                      gf_tiff_lib.TIFFIsBigEndian_
#define TIFFIsCODECConfigured                gf_tiff_lib.TIFFIsCODECConfigured_
#define TIFFIsTiled                          gf_tiff_lib.TIFFIsTiled_
#define TIFFLastDirectory                    gf_tiff_lib.TIFFLastDirectory_
#define TIFFReadDirectory                    gf_tiff_lib.TIFFReadDirectory_
#define TIFFReadEncodedStrip                 gf_tiff_lib.TIFFReadEncodedStrip_
#define TIFFReadEncodedTile                  gf_tiff_lib.TIFFReadEncodedTile_
#define TIFFSetField                         gf_tiff_lib.TIFFSetField_
#define TIFFSetSubDirectory                  gf_tiff_lib.TIFFSetSubDirectory_
#define TIFFStripSize                        gf_tiff_lib.TIFFStripSize_
#define TIFFTileSize                         gf_tiff_lib.TIFFTileSize_
#define TIFFWriteDirectory                   gf_tiff_lib.TIFFWriteDirectory_
#define TIFFWriteEncodedStrip                gf_tiff_lib.TIFFWriteEncodedStrip_
#define TIFFWriteRawStrip                    gf_tiff_lib.TIFFWriteRawStrip_
#define TIFFClientOpenExt                    gf_tiff_lib.TIFFClientOpenExt_
#define TIFFOpenOptionsAlloc                 gf_tiff_lib.TIFFOpenOptionsAlloc_
#define TIFFOpenOptionsFree                  gf_tiff_lib.TIFFOpenOptionsFree_
#define TIFFOpenOptionsSetErrorHandlerExtR   gf_tiff_lib.TIFFOpenOptionsSetErrorHandlerExtR_
#define TIFFOpenOptionsSetMaxSingleMemAlloc  gf_tiff_lib.TIFFOpenOptionsSetMaxSingleMemAlloc_
#define TIFFOpenOptionsSetWarningHandlerExtR gf_tiff_lib.TIFFOpenOptionsSetWarningHandlerExtR_
#define TIFFClientOpen                       gf_tiff_lib.TIFFClientOpen_
#define TIFFSetErrorHandler                  gf_tiff_lib.TIFFSetErrorHandler_
#define TIFFSetErrorHandlerExt               gf_tiff_lib.TIFFSetErrorHandlerExt_
#define TIFFSetWarningHandler                gf_tiff_lib.TIFFSetWarningHandler_
#define TIFFSetWarningHandlerExt             gf_tiff_lib.TIFFSetWarningHandlerExt_

#endif

#endif
