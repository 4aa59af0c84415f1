/* The pages of a file that are read, and the images they make. A file of several times or channels
 * of volumes is read as a series of volumes, like a stream of pictures. */
#ifndef GF_FORMATS_PICK_H
#define GF_FORMATS_PICK_H

#include "formats/format.h"

struct gf_pick {
    int n;      /* 0: all pages, in one image */
    int n_axes; /* the same, also if n is 0 */
    /* The pages' axes, slowest first. */
    struct gf_picked {
        char name[12];
        int64_t extent;       /* in the file */
        int64_t first, count; /* that are read */
        bool counts_images;   /* each index is an image of its own */
        enum gf_role role;
    } axis[GF_MAX_AXES];
    int64_t image, images; /* the current one, and how many */
    int64_t pages;         /* of an image */
    bool apart;            /* the images differ in shape or type */
    struct gf_axes all;    /* of all that is picked, if it is a series of images */
};

/* Page i has index first + i / step % count of an axis in the file. */
struct gf_pick_count {
    int64_t first, step, count;
};

/* Applies the options' selection to a file's image, and divides it into volumes if the options ask
 * for that and its axes allow it: sets its shape and axes to those of one. GF_EINVAL for an axis or
 * an index that does not exist. */
int gf_pick_make(const struct gf_read_options *options, struct gf_image *image, struct gf_pick *p);
/* Moves the coordinates in a header by the indices ahead of those that are read. */
int gf_pick_move(const struct gf_pick *p, struct gf_metadata *m);
/* The file's number of page i of the current image. */
int64_t gf_pick_page(const struct gf_pick *p, int64_t i);
/* True if the pages of all images follow each other in the order of the images. */
bool gf_pick_is_in_order(const struct gf_pick *p);
/* The number, among all picked pages in the order of the file, of page i of the current image. */
int64_t gf_pick_place(const struct gf_pick *p, int64_t i);
/* How the first axis of that role counts the current image's pages; all are 0 if there is none. */
struct gf_pick_count gf_pick_counts(const struct gf_pick *p, enum gf_role role);
/* The index along axis k, from the first that is read, of page i of the current image. */
int64_t gf_pick_index(const struct gf_pick *p, int k, int64_t i);
/* "t=3,c=1" of the current image, for messages; returns `text`. */
const char *gf_pick_name(const struct gf_pick *p, char *text, size_t size);

#endif
