/* Bands: their names and their files. */
#include "cli/batch/bands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/status.h"
#include "formats/files.h"

char *gf_band_path(const struct gf_product *p, const struct gf_dwt_band *band) {
    size_t n = strlen(p->path) - 1; /* its last character is the star that the name replaces */
    char *path = malloc(n + sizeof band->name + sizeof ".tif");
    if (path)
        sprintf(path, "%.*s%s.tif", (int)n, p->path, band->name);
    return path;
}

/* `p` with the band's samples alone. */
static struct gf_image band_image(const struct gf_job *job, const struct gf_product *p,
                                  const struct gf_dwt_band *band) {
    struct gf_image v = p->image;
    v.px = gf_dwt_band_view(job, band, &p->image.px);
    v.record = NULL;
    while (v.ndim < 2) { /* a line is a picture of one row */
        memmove(v.px.shape + 1, v.px.shape, 2 * sizeof *v.px.shape);
        memmove(v.px.stride + 1, v.px.stride, 2 * sizeof *v.px.stride);
        v.px.shape[0] = 1;
        v.px.rank++;
        v.ndim++;
    }
    return v;
}

/* The folder in the product's path; the ones above it are there. */
static int make_folder(const struct gf_product *p) {
    char what[256];
    char *folder = strndup(p->path, (size_t)(strrchr(p->path, '/') - p->path));
    if (!folder)
        return gf_fail(GF_ENOMEM, "out of memory");
    int rc = mkdir(folder, 0777) && errno != EEXIST ? -1 : 0;
    snprintf(what, sizeof what, "cannot make folder '%.200s'", folder);
    if (rc)
        rc = gf_fail_errno(GF_EIO, what);
    free(folder);
    return rc;
}

int gf_bands_write(const struct gf_settings *s, const struct gf_job *job,
                   const struct gf_product *p) {
    struct gf_write_options options = gf_settings_write_options(s);
    struct gf_dwt_band band[GF_MAX_BANDS];
    int rc = make_folder(p), n = gf_dwt_bands(job, band);
    for (int i = 0; i < n && !rc; i++) {
        struct gf_image image = band_image(job, p, &band[i]);
        char *path = gf_band_path(p, &band[i]);
        rc = path ? 0 : gf_fail(GF_ENOMEM, "out of memory");
        if (!rc)
            rc = gf_image_write(path, p->format, &image, &options, s->clobber);
        free(path);
    }
    return rc;
}
