/* OME's XML of a TIFF's pages (openmicroscopy.org, OME-TIFF), read with expat.
 *
 *     struct gf_ome ome;
 *     int rc = gf_ome_read(text, 0, "cells.ome.tif", &ome);
 *     if (!rc && ome.images)
 *         rc = gf_ome_map(&ome, directories, page);      page[i]: the directory of plane i
 *     gf_ome_free(&ome); */
#ifndef GF_FORMATS_OME_H
#define GF_FORMATS_OME_H

#include <expat.h>

#include "formats/axes.h"

/* expat, loaded when the first such text is read, as libtiff is (formats/tiff/tiff.h). */
/* clang-format off */
#define GF_EXPAT_FUNCTIONS(X)                                                                      \
    X(XML_ErrorString) X(XML_GetCurrentByteCount) X(XML_GetCurrentByteIndex) X(XML_GetErrorCode)   \
    X(XML_Parse) X(XML_ParserCreate) X(XML_ParserFree) X(XML_SetCharacterDataHandler)              \
    X(XML_SetElementHandler) X(XML_SetStartDoctypeDeclHandler) X(XML_SetUserData) X(XML_StopParser)
/* clang-format on */
extern struct gf_expat {
#define GF_EXPAT_POINTER(name) __typeof__(name) *name;
    GF_EXPAT_FUNCTIONS(GF_EXPAT_POINTER)
} gf_expat;
int gf_expat_load(void);

struct gf_ome {
    int images;     /* 0: the text describes no image */
    char list[100]; /* their numbers and names: "0 'label', 1 'scan'" */
    char other[64]; /* another file that has some of the planes or the description; "": none */
    int image;      /* the chosen one; the rest is about it */
    struct gf_pages pages;
    struct
        gf_ome_data { /* a TiffData element: `count` directories for the planes from `first` on */
        int64_t directory, count, first[3]; /* z, c, t; count -1: all directories */
        bool elsewhere;
    } * data;
    size_t n_data;
    size_t pixels[2], list_at[2]; /* in the text: Pixels' start tag and all TiffData; end 0: none */
};

/* Reads the description of image `which`, or of the first one in this file if it is below 0. Finds none in texts that are not OME's. The planes in
 * files of another name than `path` (NULL: unknown) are elsewhere, unless they have this file's
 * UUID or no other planes exist. GF_EFORMAT for XML that is broken or defines entities, GF_EINVAL
 * if there is no such image; frees after a failure. */
int gf_ome_read(const char *text, int64_t which, const char *path, struct gf_ome *ome);
/* Takes the channels that are the samples of a pixel out of those of the pages. */
void gf_ome_set_samples(struct gf_ome *ome, int samples);
/* The number of planes. */
int64_t gf_ome_planes(const struct gf_ome *ome);
/* True if it says which directories hold the planes; otherwise all do, in order. */
bool gf_ome_lists(const struct gf_ome *ome);
/* The directory of the first listed plane. */
int64_t gf_ome_start(const struct gf_ome *ome);
/* Sets page[i] to the directory, of n, of plane i in DimensionOrder. GF_EINVAL if one is missing. */
int gf_ome_map(const struct gf_ome *ome, int64_t n, int64_t *page);
void gf_ome_free(struct gf_ome *ome);

#endif
