/* The axes of a file's samples: names, extents, spacing, units. Pages of several axes (times,
 * channels, depths) are flattened in the order of the file; these say what they are. */
#ifndef GF_FORMATS_AXES_H
#define GF_FORMATS_AXES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/value/unit.h"

enum gf_role { GF_SPACE, GF_TIME, GF_CHANNEL, GF_OTHER_ROLE };
extern const char *const gf_role_names[]; /* NULL-terminated */
/* The number of a word among names that end in NULL; -1 if it is none of them, or NULL. */
int gf_word_find(const char *const *names, const char *word);

struct gf_axis {
    char name[12]; /* lower case: "x", "t" */
    int64_t extent;
    double spacing; /* per sample, above 0; 0: unknown */
    char unit[12];  /* of the spacing, in ASCII: "um", "A", "1/nm"; "": unknown */
    enum gf_role role;
};

enum { GF_MAX_AXES = 8 };

/* Slowest first, without the samples of a pixel. The last one is the image's last spatial axis, the
 * one before it its last but one; all others are its pages. */
struct gf_axes {
    int n; /* 0: the file tells nothing */
    struct gf_axis axis[GF_MAX_AXES];
    /* Who describes the pages: "ImageJ", "OME", "tifffile", NULL for the format itself. */
    const char *by;
    /* The file says that these are time, channel or depth, so they are transformed by their role;
     * otherwise all are space. */
    bool named;
    /* The axes are not at right angles, so that cycles per length do not follow from spacings. */
    bool oblique;
    bool separate; /* the array has an axis for each of them: .npy */
};

/* Begins with the axes y and x. */
void gf_axes_start(struct gf_axes *axes, int64_t height, int64_t width);
/* Adds an axis in front of the others. A name or unit that is too long is truncated, a spacing that
 * is not finite or not above 0 is unknown. Ignored if there are GF_MAX_AXES. */
void gf_axes_add(struct gf_axes *axes, const char *name, int64_t extent, double spacing,
                 const char *unit);
/* The product of the axes in front of the last two, and of those among them that are no space. */
int64_t gf_axes_pages(const struct gf_axes *axes);
int64_t gf_axes_groups(const struct gf_axes *axes);
/* The axis of an image's spatial axis i of ndim, or NULL: pages of several axes have none. */
const struct gf_axis *gf_axes_spatial(const struct gf_axes *axes, int ndim, int i);
/* Drops the pages' axes (for one plane), or those that are no space (for one volume). */
void gf_axes_drop_pages(struct gf_axes *axes, bool space);
/* Makes the axes of a spectrum: each transformed axis (bit i: of `axes`, an image's spatial axis i
 * of ndim) has n cycles per the picture's length. */
void gf_axes_transform(struct gf_axes *a, int ndim, const int64_t *shape, unsigned axes);

/* The pages of a TIFF by its description. */
struct gf_pages {
    int64_t z, c, t;
    char order[4];     /* slowest first */
    double spacing[4]; /* along z, y, x, t */
    char unit[4][12];
};
/* Replaces axes that begin with y and x by those of all pages; `by` is static. */
void gf_axes_describe(struct gf_axes *axes, const char *by, const struct gf_pages *pages);
/* The same by ImageJ's lines, "ImageJ=…". */
void gf_axes_parse_imagej(const char *text, struct gf_axes *axes);
/* Adds those of so many pages in front of y and x that tifffile's JSON names, or, as in a .npy file, only counts;
 * axes->n is 0 if they are depth alone. */
void gf_axes_parse_tifffile(const char *text, int64_t pages, struct gf_axes *axes);
/* The number that a text or its line holds, up to 1e12; 0 if it is none above 0. */
double gf_positive(const char *text);

#endif
