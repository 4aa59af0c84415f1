/* Zarr folders. Private to formats/. zarr_folder.h: which folders are; zarr.c: groups, axes and pages;
 * zarr_array.c: an array, and its chunks, which it unpacks. */
#ifndef GF_FORMATS_ZARR_H
#define GF_FORMATS_ZARR_H

#include <jansson.h>

#include "formats/format.h"
#include "formats/zarr_folder.h"

/* Opens a file, or the metadata of a folder if it is Zarr. */
int gf_zarr_source(const char *path, struct gf_source **out, bool *is_zarr);

/* How chunks are packed. */
enum gf_zarr_codec { GF_ZARR_PLAIN, GF_ZARR_ZLIB, GF_ZARR_GZIP, GF_ZARR_ZSTD, GF_ZARR_BLOSC };
extern const char *const gf_zarr_codec_names[]; /* NULL for plain */

enum { GF_ZARR_DIMS = 8 };

struct gf_zarr_array {
    char *folder; /* owned */
    int n;        /* dimensions of the file, 1 or more */
    /* Pages, rows and columns: a file of less than three dimensions has one page, or one row. */
    int rank;
    int64_t shape[GF_ZARR_DIMS], chunk[GF_ZARR_DIMS];
    struct gf_coding coding;
    enum gf_dtype dtype;
    bool big_endian;
    unsigned char fill[16]; /* a sample */
    bool fill_known;
    enum gf_zarr_codec codec;
    bool summed; /* a checksum follows the packed bytes */
    char separator;
    bool prefixed; /* chunks are below "c" */
    /* Pages are decoded in runs: those of one chunk along `axis`, with all indices of the faster
     * axes. */
    int axis;
    int64_t page;       /* bytes */
    int64_t most_pages; /* of a run */
    char *run;          /* the last one, of `held` pages from `first` on; owned */
    int64_t first, held;
    /* The chunks that have a file, by their number in the order of their indices, ascending; owned. */
    int64_t *stored, n_stored;
    bool listed;
};

/* Reads a JSON object of at most 1 MiB; *out is NULL if the folder has no file of that name. */
int gf_zarr_load(const char *folder, const char *name, json_t **out);
/* The text of an object's member; NULL if it is none. */
const char *gf_zarr_text(const json_t *object, const char *key);
/* GF_EFORMAT: the metadata's member `what` is wrong. */
int gf_zarr_bad(const char *what);
/* Describes the array in a folder, whose metadata has one of two names; the caller frees a->folder. */
int gf_zarr_open_array(const char *folder, struct gf_zarr_array *a);
/* Bytes that reading a chunk needs, its two buffers among them. */
int64_t gf_zarr_chunk_bytes(const struct gf_zarr_array *a);
/* Lists the chunks that have a file, once. */
int gf_zarr_list_chunks(struct gf_zarr_array *a);
/* The place in a->stored of the first chunk whose number is `from` or more. */
int64_t gf_zarr_find_stored(const struct gf_zarr_array *a, int64_t from);
/* Sets n samples to the fill value, which missing chunks have; GF_EUNSUPP if it is not known. */
int gf_zarr_fill(const struct gf_zarr_array *a, int64_t n, char *samples);
/* Decodes the chunk at these indices, of so many `numbers`, into the second buffer if they are stored
 * in another type, else into the first. */
int gf_zarr_read_chunk(const struct gf_zarr_array *a, const int64_t *at, int64_t numbers,
                       char *const buffer[2]);

#endif
