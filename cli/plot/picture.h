/* Pictures of centred spectra for people: a part of one, magnified or reduced, in colours, with marks
 * and rulers. Axis 0 is y, downwards; axis 1 is x.
 *
 *     rc = gf_view_make(shape, &(struct gf_view_wish){.zoom = 4, .rulers = true}, &view);
 *     gf_view_draw(&view, &spectrum, true, colors, 2, &picture);
 *     rc = gf_view_annotate(&view, &notes, &picture); */
#ifndef GF_CLI_PLOT_PICTURE_H
#define GF_CLI_PLOT_PICTURE_H

#include "core/base/array.h"

/* Shows `bins` of `shape` from `first` on in `size` pixels: each bin is as many pixels wide as high,
 * or there are fewer pixels than bins. The picture has a margin at the left and below, if any. */
struct gf_view {
    int64_t shape[2], first[2], bins[2], size[2], margin;
    double scale; /* of letters and lines: 1, or more for a picture of more than 800 pixels */
};

struct gf_view_wish {
    int zoom; /* pixels for a bin; 0: one, but enough for `least` along the longer side */
    int64_t least;
    int64_t at[2]; /* the bin in the middle, from the zero frequency */
    int64_t most;  /* pixels of the picture's longer side; 0: any number */
    bool rulers;
};

/* A view magnified `zoom` times shows as many bins as the spectrum's size has pixels for, and at
 * least GF_VIEW_LEAST pixels along the longer side if there are as many. It stays within the
 * spectrum. GF_EINVAL if `at` is outside. */
enum { GF_VIEW_LEAST = 512 };
int gf_view_make(const int64_t shape[2], const struct gf_view_wish *wish, struct gf_view *view);

/* Draws a view of `from` (height, width, 1; u8) into a picture (size + margin, 1 or 3; u8). A pixel
 * of several bins shows the largest, so that no peak is lost, or else the one in the middle. */
void gf_view_draw(const struct gf_view *view, const struct gf_array *from, bool largest,
                  unsigned char (*colors)[3], int threads, const struct gf_array *picture);

struct gf_mark {
    int64_t at[2]; /* from the zero frequency */
    bool twin;     /* the opposite bin belongs to it */
    char label[48];
};

struct gf_notes {
    struct gf_mark *mark;
    int n_marks;
    const char *unit;  /* rulers are in cycles per this */
    double spacing[2]; /* of the samples, in the unit */
};

/* Draws marks, and rulers in the margin, on a dense picture of three channels. GF_ENOMEM. */
int gf_view_annotate(const struct gf_view *view, const struct gf_notes *notes,
                     const struct gf_array *picture);

#endif
