/* A scratch folder, whole files at once, and pictures to write: for the tests of formats/. */
#ifndef GF_TESTS_FILES_H
#define GF_TESTS_FILES_H

#include "formats/format.h"

/* Makes an empty folder and works in it; leaving removes it with all it holds. */
void scratch_enter(void);
void scratch_leave(void);
/* Removes a folder with all it holds. */
void folder_remove(const char *path);
/* Files and folders in the working folder, temporaries among them. */
int scratch_count(void);

void file_put(const char *path, const void *data, size_t n);
/* The whole file, on the heap, with a zero byte behind it; NULL if there is none. */
unsigned char *file_get(const char *path, size_t *n);
bool file_is(const char *path, const void *data, size_t n);

/* Writes a file as gpufft does. Returns the status. */
int text_put(const char *path, bool clobber, const char *text);

/* A repeatable stream of numbers. */
uint32_t random_next(uint32_t *state);
/* An image of that shape (zero extents are left out), its samples random but finite. */
struct gf_image image_make(enum gf_dtype dtype, int64_t z, int64_t y, int64_t x, int64_t channels,
                           uint32_t seed);
/* Same shape, type and samples. */
bool image_same(const struct gf_image *a, const struct gf_image *b);
/* One line, no control characters, not empty, not long. */
bool message_is_good(const char *text);

#endif
