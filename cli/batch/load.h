/* Files to the array that a task transforms: one picture, several as planes of a volume (--frames),
 * or a spectrum from its magnitude and phase. The header comes first, then, from the same open
 * files, the samples:
 *
 *     struct gf_reader reader = {0};
 *     int rc = gf_reader_open(&reader, settings, paths, n, &image);
 *     if (!rc)
 *         rc = gf_reader_read(&reader, &image);
 *     gf_reader_close(&reader);
 */
#ifndef GF_CLI_BATCH_LOAD_H
#define GF_CLI_BATCH_LOAD_H

#include "cli/settings.h"
#include "formats/files.h"

/* The files between header and samples. Those of a pair, or the first of the frames, have an image
 * of their own that `image` is made of. */
struct gf_reader {
    const struct gf_settings *s; /* the caller's, as are the paths */
    char *const *paths;
    struct gf_file *file[2];
    struct gf_image part[2];
    bool several; /* one picture at a time of a file that may hold more */
    bool copies;  /* stays open, for an output that may become the same file */
    bool pending; /* a picture's header was read, and not its samples */
    bool
        any_order; /* pages before one that is read may be unread yet: a refusal counts from the first */
    struct gf_samples_mean
        *mean; /* --nan=mean, by channel; NULL until a part has a sample that is not finite */
};

/* The header of what `paths` name, px.data stays NULL; of the next picture where one is open. */
int gf_reader_open(struct gf_reader *r, const struct gf_settings *s, char *const *paths, int n,
                   struct gf_image *image);
/* A reader of the same files for another thread; `of` stays open as long. Frames are opened one by one. */
int gf_reader_again(const struct gf_reader *of, struct gf_reader *r);
/* The samples. The reader stays open where more pictures may follow in the file, or it may be copied. */
int gf_reader_read(struct gf_reader *r, struct gf_image *image);
/* Instead of that, for one picture whose first rows are used while the last ones are decoded: see
 * gf_decoder_feed(). If feed->produce stays NULL, or it returns false, gf_reader_read() reads the samples. */
int gf_reader_feed(struct gf_reader *r, struct gf_image *image, struct gf_feed *feed);
/* True where the file is open and of a format that holds several pictures. */
bool gf_reader_may_have_more(const struct gf_reader *r);
/* 1 where the file has another picture, 0 at its end, a negative status for anything else. May wait
 * for a pipe. */
int gf_reader_more(struct gf_reader *r);
/* Whether pages of the volume that was opened can be read by themselves, instead of all samples; and
 * pages `from` on into `to`, which is contiguous and has as many as are wanted. */
bool gf_reader_has_pages(const struct gf_reader *r);
int gf_reader_pages(struct gf_reader *r, const struct gf_image *image, int64_t from,
                    struct gf_array *to);
/* Frame `i` of --frames as a plane of that volume, finite. */
int gf_reader_frame(struct gf_reader *r, int64_t i, const struct gf_image *volume,
                    struct gf_image *plane);
/* Takes an all-zero struct too, and leaves frames readable, which are opened one by one. */
void gf_reader_close(struct gf_reader *r);

/* One picture, without a reader; `header_only` leaves px.data NULL. */
int gf_load_picture(const struct gf_settings *s, const char *path, bool header_only,
                    struct gf_image *image);

/* Lays samples out in the rank and shape of a record; formats without room for leading axes of
 * extent 1 lose them, others gain one. GF_EFORMAT where they differ otherwise. */
int gf_image_match(struct gf_array *px, int rank, const int64_t *shape);
/* NaN and Inf, by --nan refused, with their number among all samples and the first one's place, or mended: in
 * samples that are in memory; in pages from `from` on, rows of a page, samples from `first` on, as they are read
 * (to->data is contiguous, and the count its extents). NULL, or why parts cannot be mended by themselves. */
int gf_load_finite(const struct gf_settings *s, struct gf_image *image);
int gf_finite_pages(struct gf_reader *r, const struct gf_image *image, int64_t from,
                    struct gf_array *to);
int gf_finite_rows(struct gf_reader *r, const struct gf_image *image, int64_t page, int64_t row,
                   struct gf_array *to);
int gf_finite_samples(struct gf_reader *r, const struct gf_image *image, int64_t first,
                      struct gf_array *to);
const char *gf_finite_refuses_parts(const struct gf_settings *s);
/* Bytes that reading parts takes beside them for --nan=mean, the mean of all samples of a file that can be read
 * again. */
int64_t gf_finite_bytes(const struct gf_reader *r, const struct gf_image *image);
/* One line where what a file calls times or channels is the first of three axes and is transformed. */
void gf_load_note_stack(const char *name, const struct gf_image *image, unsigned axes);
#endif
