/* Distinguishes Zarr folders from others. */
#include "formats/zarr_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/base/value/status.h"

char *gf_zarr_path(const char *folder, const char *name) {
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

int gf_zarr_metadata(const char *path, char **out) {
    static const char *const names[] = {"zarr.json", ".zarray", ".zattrs", ".zgroup"};
    struct stat st;
    *out = NULL;
    if (stat(path, &st) || !S_ISDIR(st.st_mode))
        return GF_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *out = gf_zarr_path(path, names[i]);
        if (!*out)
            return gf_no_memory();
        if (!stat(*out, &st) && S_ISREG(st.st_mode))
            return GF_OK;
        const bool there = i < 2 && !lstat(*out, &st);
        free(*out);
        *out = NULL;
        if (there)
            return gf_fail(GF_EFORMAT, "broken Zarr: its '%s' is no file", names[i]);
    }
    return GF_OK;
}

bool gf_zarr_is(const char *path) {
    char *metadata;
    const bool is = gf_zarr_metadata(path, &metadata) || metadata;
    free(metadata);
    return is;
}
