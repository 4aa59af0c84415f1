/* Reads the array that a task transforms: one picture, several as planes of a volume (--frames), or
 * a spectrum from its magnitude and phase. The header is read first, then the samples, from the
 * same open files:
 *
 *     struct gf_reader reader = {0};
 *     int rc = gf_reader_open(&reader, settings, paths, n, &image);
 *     if (!rc)
 *         rc = gf_reader_read(&reader, &image, NULL);
 *     gf_reader_close(&reader);
 */
#ifndef GF_CLI_BATCH_LOAD_H
#define GF_CLI_BATCH_LOAD_H

#include "cli/settings.h"
#include "formats/files.h"

/* The open files between header and samples. part[] are the images of a pair, or of the first
 * frame, from which the caller's image is made. */
struct gf_reader {
    const struct gf_settings *s; /* the caller's, as are the paths */
    char *const *paths;
    struct gf_file *file[2];
    struct gf_image part[2];
    bool several; /* the file may hold more pictures, read one by one */
    bool series;  /* they are volumes of the same kind, which an output can hold together */
    bool copies;  /* keeps the file open for an output that may be a copy of it */
    bool pending; /* a picture's header was read, but not its samples */
    /* Pages are read in any order, so a refusal must count NaN and Inf from page 0. */
    bool any_order;
    /* --nan=keep: gf_finite_read() marks the holes of what it reads here. NULL: nobody asks. */
    unsigned char *hole;
    /* --nan=mean: the mean of each channel; NULL until a part has NaN or Inf. */
    struct gf_samples_mean *mean;
};

/* Reads the header of `paths`, or of the next picture of an open file; px.data remains NULL. */
int gf_reader_open(struct gf_reader *r, const struct gf_settings *s, char *const *paths, int n,
                   struct gf_image *image);
/* Opens a reader of the same files for another thread; `of` must stay open meanwhile. */
int gf_reader_again(const struct gf_reader *of, struct gf_reader *r);
/* Reads the samples. Keeps the file open if it may hold more pictures or be copied. feed: NULL, or
 * all zeros, for a single picture's first rows to be used while the last ones are decoded, see
 * gf_decoder_read(). */
int gf_reader_read(struct gf_reader *r, struct gf_image *image, struct gf_feed *feed);
/* Returns 1 if another picture follows, 0 if none, or a negative status. May wait for a pipe. */
int gf_reader_more(struct gf_reader *r);
bool gf_reader_has_pages(const struct gf_reader *r);
/* Reads units `first` and following, pages if has_pages() or what gf_file_unit() allows, into all of
 * `to`, which is contiguous. */
int gf_reader_part(struct gf_reader *r, const struct gf_image *image, enum gf_unit unit,
                   int64_t first, struct gf_array *to);
/* Reads frame `i` of --frames as a plane of `volume`, and applies --nan to it. */
int gf_reader_frame(struct gf_reader *r, int64_t i, const struct gf_image *volume,
                    struct gf_image *plane);
/* Also takes an all-zero struct. Frames can still be read, as each is opened anew. */
void gf_reader_close(struct gf_reader *r);

/* Prints the reader's note, if it has one. */
void gf_load_note(const char *path, const struct gf_image *image);
/* Reads one picture; `header_only` leaves px.data NULL. */
int gf_load_picture(const struct gf_settings *s, const char *path, bool header_only,
                    struct gf_image *image);

/* Applies --nan to samples in memory; GF_EINVAL with the number of NaN and Inf and the first one's
 * place. */
int gf_load_finite(const struct gf_settings *s, struct gf_image *image);
/* gf_reader_part(), and applies --nan. */
int gf_finite_read(struct gf_reader *r, const struct gf_image *image, enum gf_unit unit,
                   int64_t first, struct gf_array *to);
/* Bytes that it needs besides `to` for --nan=mean, which reads the file once more. */
int64_t gf_finite_bytes(const struct gf_reader *r, const struct gf_image *image);

#endif
