/* Random images, files and folders for the tests of formats. */
#include "tests/formats/files.h"

#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/value/status.h"

static char scratch[PATH_MAX];

static void die(const char *what) {
    perror(what);
    exit(2);
}

void scratch_enter(void) {
    const char *base = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/gpufft-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(scratch) || chdir(scratch))
        die(scratch);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

void folder_remove(const char *path) {
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS))
        die(path);
}

void scratch_leave(void) {
    if (chdir("/"))
        die("/");
    folder_remove(scratch);
}

int scratch_count(void) {
    DIR *d = opendir(".");
    int n = 0;
    if (!d)
        die(".");
    for (const struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

void file_put(const char *path, const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || (n && fwrite(data, 1, n, f) != n) || fclose(f))
        die(path);
}

unsigned char *file_get(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    *n = 0;
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    unsigned char *data = malloc((size_t)size + 1);
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
        die(path);
    fclose(f);
    data[size] = 0;
    *n = (size_t)size;
    return data;
}

bool file_is(const char *path, const void *data, size_t n) {
    size_t have;
    unsigned char *got = file_get(path, &have);
    bool same = got && have == n && !memcmp(got, data, n);
    free(got);
    return same;
}

int text_put(const char *path, bool clobber, const char *text) {
    struct gf_sink *s;
    int rc = gf_sink_open(path, clobber, &s);
    if (rc)
        return rc;
    if ((rc = gf_sink_write(s, text, strlen(text))) != GF_OK) {
        gf_sink_abort(s);
        return rc;
    }
    return gf_sink_commit(s);
}

uint32_t random_next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    uint32_t v = *state ^ *state >> 15;
    return v * 0x9e3779b1u ^ v >> 13;
}

struct gf_image image_make(enum gf_dtype dtype, int64_t z, int64_t y, int64_t x, int64_t channels,
                           uint32_t seed) {
    struct gf_image image = {.color = gf_color_of(channels)};
    int64_t shape[4];
    int rank = 0;
    if (z)
        shape[rank++] = z;
    if (y)
        shape[rank++] = y;
    shape[rank++] = x;
    image.ndim = rank;
    shape[rank++] = channels;
    if (gf_array_alloc(&image.px, dtype, rank, shape))
        die("gf_array_alloc");
    int64_t bytes = gf_array_count(&image.px) * (int64_t)gf_dtype_size(dtype);
    enum gf_dtype real = gf_dtype_real(dtype);
    if (gf_dtype_is_integer(dtype))
        for (int64_t i = 0; i < bytes; i++)
            ((unsigned char *)image.px.data)[i] = (unsigned char)random_next(&seed);
    else if (real == GF_F32)
        for (int64_t i = 0; i < bytes / 4; i++)
            ((float *)image.px.data)[i] = (float)(int32_t)random_next(&seed) / 1024;
    else
        for (int64_t i = 0; i < bytes / 8; i++)
            ((double *)image.px.data)[i] = (double)(int32_t)random_next(&seed) / 1024;
    return image;
}

bool image_same(const struct gf_image *a, const struct gf_image *b) {
    if (a->ndim != b->ndim || a->px.rank != b->px.rank || a->px.dtype != b->px.dtype)
        return false;
    for (int i = 0; i < a->px.rank; i++)
        if (a->px.shape[i] != b->px.shape[i])
            return false;
    /* copied first: either may be a view */
    size_t bytes = (size_t)gf_array_count(&a->px) * gf_dtype_size(a->px.dtype);
    struct gf_array x, y;
    if (gf_array_alloc(&x, a->px.dtype, a->px.rank, a->px.shape) ||
        gf_array_alloc(&y, a->px.dtype, a->px.rank, a->px.shape))
        die("gf_array_alloc");
    gf_array_copy(&x, &a->px);
    gf_array_copy(&y, &b->px);
    bool same = !memcmp(x.data, y.data, bytes);
    gf_array_free(&x);
    gf_array_free(&y);
    return same;
}

bool message_is_good(const char *text) {
    size_t n = strlen(text);
    if (n == 0 || n > 240 || text[n - 1] == '.')
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return true;
}
