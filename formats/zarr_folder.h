/* Zarr folders as the names of their files show them. */
#ifndef GF_FORMATS_ZARR_FOLDER_H
#define GF_FORMATS_ZARR_FOLDER_H

#include <stdbool.h>

/* Sets *out to the path of the metadata of a folder that is a Zarr array or a group of them, which
 * the caller frees; NULL if the path is something else. GF_EFORMAT if the array's is no file. */
int gf_zarr_metadata(const char *path, char **out);
/* True also if gf_zarr_metadata() fails: a reader of the folder reports the reason. */
bool gf_zarr_is(const char *path);

/* "FOLDER/NAME", which the caller frees; NULL without memory. */
char *gf_zarr_path(const char *folder, const char *name);

#endif
