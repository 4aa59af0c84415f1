/* An unnamed file for data between two passes, which disappears when it is closed, however the
 * program ends.
 *
 *     struct gf_scratch *s;
 *     int rc = gf_scratch_open("/var/tmp", bytes, NULL, 0, &s);
 *     if (!rc)
 *         rc = gf_scratch_write(s, at, data, n);
 *     …
 *     gf_scratch_close(s); */
#ifndef GF_FORMATS_SCRATCH_H
#define GF_FORMATS_SCRATCH_H

#include <stdint.h>

struct gf_scratch;

/* Opens one in a folder and reserves `bytes` if the file system can. `also`: bytes that the output
 * `beside` (NULL: none) will need too, counted if it is on the same file system. GF_EIO, with the
 * bytes needed and free, if they do not fit. */
int gf_scratch_open(const char *folder, int64_t bytes, const char *beside, int64_t also,
                    struct gf_scratch **out);
int gf_scratch_write(struct gf_scratch *s, int64_t at, const void *data, int64_t n);
int gf_scratch_read(struct gf_scratch *s, int64_t at, void *data, int64_t n);
/* Hints that these bytes will be read next, so that the system can fetch them. */
void gf_scratch_expect(const struct gf_scratch *s, int64_t at, int64_t n);
void gf_scratch_close(struct gf_scratch *s); /* takes NULL */

/* Returns the folder of a file, which the caller frees; NULL if memory is short. */
char *gf_folder_of(const char *path);

#endif
