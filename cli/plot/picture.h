/* Pictures of centred spectra for people: a part of one, magnified or reduced, in colours, with marks
 * and rulers. Axis 0 is y, axis 1 is x.
 *
 *     rc = gf_view_make(shape, &(struct gf_view_wish){.zoom = 4}, &view);
 *     gf_picture_size(&view, true, size);              allocate it: height, width, 3, u8
 *     gf_view_draw(&view, &spectrum, GF_POOL_LARGEST, colors, &place);     a part of it
 *     rc = gf_picture_annotate(&view, &notes, &picture); */
#ifndef GF_CLI_PLOT_PICTURE_H
#define GF_CLI_PLOT_PICTURE_H

#include "core/base/array.h"

/* The bins that are shown: `bins` of `shape` from `first` on, in `size` pixels: each bin is as many
 * pixels wide as high, or there are fewer pixels than bins. */
struct gf_view {
    int64_t shape[2], first[2], bins[2], size[2];
};

struct gf_view_wish {
    int zoom; /* pixels for a bin; 0: one, but enough for `least` along the longer side */
    int64_t least;
    int64_t at[2]; /* the bin in the middle, from the zero frequency */
    int64_t most;  /* pixels of the longer side; 0: any number */
};

/* A view magnified `zoom` times shows as many bins as the spectrum has pixels in its size, and at
 * least GF_VIEW_LEAST pixels along the longer side if there are as many. It stays within the
 * spectrum. GF_EINVAL if `at` is outside. */
enum { GF_VIEW_LEAST = 512 };
int gf_view_make(const int64_t shape[2], const struct gf_view_wish *wish, struct gf_view *view);

/* The bin that a pixel shows if there are fewer pixels: the largest, so that no peak is lost; the
 * farthest from mid-grey; or the one in the middle. */
enum gf_pool { GF_POOL_LARGEST, GF_POOL_FARTHEST, GF_POOL_MIDDLE };
/* Draws a view of `from` (height, width, channels; u8 or u16) into `to`, of the view's size: of the
 * same type and channels, or with `colors` of u8 and three channels, `from` being u8 with one or
 * three. */
void gf_view_draw(const struct gf_view *view, const struct gf_array *from, enum gf_pool pool,
                  unsigned char (*colors)[3], struct gf_array *to, int threads);

struct gf_mark {
    int64_t at[2]; /* from the zero frequency */
    bool twin;     /* the opposite bin belongs to it */
    char label[48];
};

struct gf_notes {
    const struct gf_mark *mark;
    int n_marks;
    bool rulers;       /* frequencies, at the left and below */
    const char *unit;  /* in cycles per this */
    double spacing[2]; /* of the samples, in the unit */
};

/* The height and width of a picture of the view, and of its margin at the left and below. */
int64_t gf_picture_size(const struct gf_view *view, bool rulers, int64_t size[2]);
/* The longest side of a view whose picture is at most `most` high and wide with rulers. */
int64_t gf_picture_most(int64_t most);
/* Draws marks and rulers into a dense picture that holds the view at the top right. GF_ENOMEM. */
int gf_picture_annotate(const struct gf_view *view, const struct gf_notes *notes,
                        const struct gf_array *px);

#endif
