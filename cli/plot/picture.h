/* Pictures of centred spectra for people: a part of one, magnified or reduced, in colours, with marks
 * and rulers. Axis 0 is y, downwards; axis 1 is x. */
#ifndef GF_CLI_PLOT_PICTURE_H
#define GF_CLI_PLOT_PICTURE_H

#include "core/base/value/array.h"

/* Shows `bins` of `shape` from `first` on in `size` pixels: each bin is as wide as high, or there are
 * fewer pixels than bins. The picture has a margin at the left and below, if any. */
struct gf_view {
    int64_t shape[2], first[2], bins[2], size[2], margin;
    double scale; /* of letters and lines: 1, or more for a view of more than 800 pixels */
};

/* Makes a view of pixels `zoom` times as large as bins: of as many bins as the spectrum's size has
 * pixels for, at least 512 along the longer side, around bin `at` from the zero frequency. It stays
 * within the spectrum. The picture has at most `most` pixels along its longer side; 0: any number.
 * GF_EINVAL if `at` is outside. */
int gf_view_make(struct gf_view *view, const int64_t shape[2], int64_t zoom, const int at[2],
                 int64_t most, bool rulers);

/* Draws a view of `from` (height, width, 1; u8) into a picture (size + margin, 1 or 3; u8). A pixel
 * of several bins shows the largest, so that no peak is lost, or else the one in the middle. */
void gf_view_draw(const struct gf_view *view, const struct gf_array *from, bool largest,
                  unsigned char (*colors)[3], int threads, const struct gf_array *picture);

enum { GF_MAX_MARKS = 100 };
struct gf_notes {
    struct gf_mark {
        int64_t at[2]; /* from the zero frequency */
        bool twin;     /* the opposite bin belongs to it */
        char label[48];
    } mark[GF_MAX_MARKS];
    int n_marks;
    const char *unit;  /* rulers are in cycles per this */
    double spacing[2]; /* of the samples, in the unit */
};

/* Draws marks, and rulers in the margin, on a dense picture of three channels. GF_ENOMEM. */
int gf_view_annotate(const struct gf_view *view, const struct gf_notes *notes,
                     const struct gf_array *picture);

/* Colour maps of even perceived steps, for grey pictures. */
extern const char *const gf_colormap_names[]; /* gray first, NULL at the end */
/* Makes the colours of map number `map`, black to white: within 2/255 of matplotlib's, by Smith,
 * van der Walt and Firing 2015 (viridis to plasma), Nuñez, Anderton and Renslow 2018 (cividis) and
 * Bechtold 2018 (twilight, which ends as it begins, for phases). */
void gf_colormap_make(int map, unsigned char rgb[256][3]);

#endif
