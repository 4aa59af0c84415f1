/* A file without a name for data between two walks: gone when it is closed, however the program
 * ends.
 *
 *     struct gf_scratch *s;
 *     int rc = gf_scratch_open("/var/tmp", bytes, &s);
 *     if (!rc)
 *         rc = gf_scratch_write(s, at, data, n);
 *     …
 *     gf_scratch_close(s);                                                              */
#ifndef GF_FORMATS_SCRATCH_H
#define GF_FORMATS_SCRATCH_H

#include <stdint.h>

struct gf_scratch;

/* In a folder that has room for `bytes`, which are reserved where the file system can; `also`: bytes
 * that files beside `beside` will take, which must find room too where that is the same file system
 * (NULL: none). GF_EIO with the need and the room. */
int gf_scratch_open(const char *folder, int64_t bytes, const char *beside, int64_t also,
                    struct gf_scratch **out);
int gf_scratch_write(struct gf_scratch *s, int64_t at, const void *data, int64_t n);
int gf_scratch_read(struct gf_scratch *s, int64_t at, void *data, int64_t n);
/* These bytes will be read next: the system may fetch them meanwhile. */
void gf_scratch_expect(const struct gf_scratch *s, int64_t at, int64_t n);
void gf_scratch_close(struct gf_scratch *s); /* takes NULL */

/* The folder that a file is in, on the heap; NULL without memory. */
char *gf_folder_of(const char *path);

#endif
