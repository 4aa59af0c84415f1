/* Reads the array that a task transforms: one picture, several as planes of a volume (--frames), or a
 * spectrum from its magnitude and phase. The header is read first, then the samples, from the same open
 * files:
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

/* The open files between header and samples. Each file of a pair, and the first frame, has an image of its own,
 * from which the caller's is made. */
struct gf_reader {
    const struct gf_settings *s; /* the caller's, as are the paths */
    char *const *paths;
    struct gf_file *file[2];
    struct gf_image part[2];
    bool several; /* the file may hold more pictures, which are read one by one */
    bool copies;  /* stays open, as an output may become a copy of the file */
    bool pending; /* a picture's header was read, but not its samples */
    bool
        any_order; /* earlier pages may be unread: a refusal counts NaN and Inf from the first page on */
    /* --nan=mean, by channel; NULL until a part has a sample that is not finite */
    struct gf_samples_mean *mean;
};

/* Reads the header of what `paths` name, or of the next picture of an open file; px.data remains NULL. */
int gf_reader_open(struct gf_reader *r, const struct gf_settings *s, char *const *paths, int n,
                   struct gf_image *image);
/* Opens a reader of the same files for another thread; `of` must stay open meanwhile. Frames are opened one by one. */
int gf_reader_again(const struct gf_reader *of, struct gf_reader *r);
/* Reads the samples. The reader stays open if more pictures may follow in the file, or it may be copied. */
int gf_reader_read(struct gf_reader *r, struct gf_image *image);
/* Instead of that: prepares to use the first rows of a picture while the last ones are decoded, see
 * gf_decoder_feed(). If feed->produce remains NULL, or it returns false, gf_reader_read() reads the samples. */
int gf_reader_feed(struct gf_reader *r, struct gf_image *image, struct gf_feed *feed);
/* True if the file is open and its format can hold several pictures. */
bool gf_reader_may_have_more(const struct gf_reader *r);
/* Returns 1 if the file has another picture, 0 at its end, a negative status for anything else. May wait
 * for a pipe. */
int gf_reader_more(struct gf_reader *r);
/* True if pages of the volume can be read separately. gf_reader_pages() reads as many as `to` has, which is
 * contiguous, from page `from` on. */
bool gf_reader_has_pages(const struct gf_reader *r);
int gf_reader_pages(struct gf_reader *r, const struct gf_image *image, int64_t from,
                    struct gf_array *to);
/* Reads frame `i` of --frames as a plane of that volume, finite. */
int gf_reader_frame(struct gf_reader *r, int64_t i, const struct gf_image *volume,
                    struct gf_image *plane);
/* Takes an all-zero struct too. Frames, which are opened one by one, can still be read. */
void gf_reader_close(struct gf_reader *r);

/* Reads one picture; `header_only` leaves px.data NULL. */
int gf_load_picture(const struct gf_settings *s, const char *path, bool header_only,
                    struct gf_image *image);

/* As --nan says, refuses NaN and Inf, with their number among all samples and the first one's place, or replaces
 * them in samples that are in memory. */
int gf_load_finite(const struct gf_settings *s, struct gf_image *image);
/* The same for parts as they are read, as many as `to` has, which is contiguous: pages, rows of a page, samples. */
int gf_finite_pages(struct gf_reader *r, const struct gf_image *image, int64_t from,
                    struct gf_array *to);
int gf_finite_rows(struct gf_reader *r, const struct gf_image *image, int64_t page, int64_t row,
                   struct gf_array *to);
int gf_finite_samples(struct gf_reader *r, const struct gf_image *image, int64_t first,
                      struct gf_array *to);
/* Bytes that reading parts needs besides them for --nan=mean: the file is read once more for the mean. */
int64_t gf_finite_bytes(const struct gf_reader *r, const struct gf_image *image);
/* Prints a line if the first of three axes is transformed and the file declares it as times or channels. */
void gf_load_note_stack(const char *name, const struct gf_image *image, unsigned axes);

#endif
