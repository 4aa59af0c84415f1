/* OME-Zarr 0.4 and 0.5 (ngff.openmicroscopy.org) and plain Zarr arrays, versions 2 and 3 of the
 * format (zarr-specs.readthedocs.io): a folder with metadata in JSON and a file for each chunk. */
#include "formats/zarr.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "formats/image.h"

enum { MOST_DIMS = 8, MOST_JSON = 1 << 20, MOST_LEVELS = 64 };
enum { MOST_NAME = MOST_DIMS * 22 + 4 };
static const int64_t most_chunk = 1 << 30;

struct array {
    char *folder; /* owned */
    int n;        /* dimensions, 1 or more */
    int64_t shape[MOST_DIMS], chunk[MOST_DIMS];
    struct gf_coding coding;
    enum gf_dtype dtype;
    bool big_endian;
    unsigned char fill[16]; /* a sample */
    enum gf_zarr_codec codec;
    bool summed; /* a checksum follows the packed bytes */
    char separator;
    bool prefixed; /* chunks are below "c" */
    /* Pages are decoded in runs that follow each other: those of one chunk along `axis`, with all
     * indices of the faster axes. */
    int axis;
    int64_t page;       /* bytes */
    int64_t most_pages; /* of a run */
    char *run;          /* the run decoded last, of `held` pages from `first` on; owned */
    int64_t first, held;
};

/* The most bytes of a chunk's file. */
static int64_t most_packed(int64_t bytes) {
    return bytes + bytes / 8 + (1 << 16);
}

/* ---- metadata ---- */

static char *path_of(const char *folder, const char *name) {
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
        *out = path_of(path, names[i]);
        if (!*out)
            return gf_no_memory();
        if (!stat(*out, &st) && S_ISREG(st.st_mode))
            return GF_OK;
        free(*out);
        *out = NULL;
    }
    return GF_OK;
}

/* Reads `name` in the folder; *out is NULL if there is no such file. */
static int load(const char *folder, const char *name, json_t **out) {
    char *path = path_of(folder, name), *text = malloc(MOST_JSON + 1);
    struct gf_source *source = NULL;
    struct stat st;
    json_error_t error;
    int rc = path && text ? GF_OK : gf_no_memory();
    *out = NULL;
    if (!rc && !stat(path, &st) && S_ISREG(st.st_mode)) {
        rc = gf_source_open(path, &source);
        const int64_t n = rc ? rc : gf_source_read(source, text, MOST_JSON + 1);
        rc = n < 0 ? (int)n : GF_OK;
        if (!rc && n > MOST_JSON)
            rc = gf_fail(GF_EFORMAT, "broken Zarr: '%s' has more than 1 MiB", name);
        else if (!rc)
            *out = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &error);
        if (!rc && !json_is_object(*out)) {
            json_decref(*out);
            *out = NULL;
            rc = gf_fail(GF_EFORMAT, "broken Zarr: '%s' is no JSON object", name);
        }
        gf_source_close(source);
    }
    free(path);
    free(text);
    return rc;
}

static int bad(const char *what) {
    return gf_fail(GF_EFORMAT, "broken Zarr: bad '%s'", what);
}

/* Sets *out to the character that is the whole text; false if there are none or more. */
static bool get_character(const json_t *v, char *out) {
    if (json_string_length(v) == 1)
        *out = *json_string_value(v);
    return json_string_length(v) == 1;
}

/* Reads 1 to MOST_DIMS integers from 1 on; 0 for anything else. */
static int get_extents(const json_t *list, int64_t out[MOST_DIMS]) {
    const size_t n = json_array_size(list);
    for (size_t i = 0; i < n && n <= MOST_DIMS; i++) {
        out[i] = json_integer_value(json_array_get(list, i));
        if (out[i] < 1)
            return 0;
    }
    return n <= MOST_DIMS ? (int)n : 0;
}

/* By NumPy's letter and size ("u2") or by name ("uint16"). */
static int get_type(struct array *a, const char *type) {
    static const struct {
        const char *code, *name;
        enum gf_stored stored;
        enum gf_dtype dtype;
    } types[] = {{"b1", "bool", (enum gf_stored)GF_U8, GF_U8},
                 {"u1", "uint8", (enum gf_stored)GF_U8, GF_U8},
                 {"i1", "int8", (enum gf_stored)GF_I8, GF_I8},
                 {"u2", "uint16", (enum gf_stored)GF_U16, GF_U16},
                 {"i2", "int16", (enum gf_stored)GF_I16, GF_I16},
                 {"u4", "uint32", (enum gf_stored)GF_U32, GF_U32},
                 {"i4", "int32", (enum gf_stored)GF_I32, GF_I32},
                 {"u8", "uint64", GF_STORED_U64, GF_F64},
                 {"i8", "int64", GF_STORED_I64, GF_F64},
                 {"f2", "float16", GF_STORED_F16, GF_F32},
                 {"f4", "float32", (enum gf_stored)GF_F32, GF_F32},
                 {"f8", "float64", (enum gf_stored)GF_F64, GF_F64},
                 {"c8", "complex64", (enum gf_stored)GF_C64, GF_C64},
                 {"c16", "complex128", (enum gf_stored)GF_C128, GF_C128}};
    char clean[24];
    const bool coded = type && *type && strchr("<>|", *type);
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (!strcmp(coded ? type + 1 : type, coded ? types[i].code : types[i].name)) {
            a->dtype = types[i].dtype;
            a->coding = (struct gf_coding){
                .coded = types[i].stored >= GF_STORED_F16, .type = types[i].stored, .slope = 1};
            a->big_endian = *type == '>';
            return GF_OK;
        }
    return gf_fail(GF_EUNSUPP, "samples of type '%s' are not read",
                   gf_clean_text(clean, sizeof clean, type ? type : "structured"));
}

static bool get_number(const json_t *v, double *out) {
    const char *word = json_string_value(v);
    *out = json_is_number(v)                    ? json_number_value(v)
           : json_is_true(v)                    ? 1
           : word && !strcmp(word, "NaN")       ? NAN
           : word && !strcmp(word, "Infinity")  ? INFINITY
           : word && !strcmp(word, "-Infinity") ? -INFINITY
                                                : 0;
    return json_is_number(v) || json_is_boolean(v) || !isfinite(*out);
}

/* The sample of a missing chunk, rounded as a chunk's would be. */
static int get_fill(struct array *a, const json_t *v) {
    const enum gf_dtype real = gf_dtype_real(a->dtype);
    const bool is_complex = gf_dtype_is_complex(a->dtype);
    const bool is_pair = is_complex && json_array_size(v) == 2;
    double part[2] = {0, 0};
    unsigned char stored[8];
    bool good = !v || json_is_null(v) || get_number(is_pair ? json_array_get(v, 0) : v, &part[0]);
    if (is_pair)
        good = good && get_number(json_array_get(v, 1), &part[1]);
    if (!good || (gf_dtype_is_integer(real) && !isfinite(part[0])))
        return gf_fail(GF_EUNSUPP, "a fill value that is no number of the samples' type");
    for (int i = 0; i <= is_complex; i++)
        gf_sample_put(a->fill + (size_t)i * gf_dtype_size(real), real, part[i]);
    if (!a->coding.coded)
        return GF_OK;
    gf_coding_encode(&a->coding, a->fill, 1, a->dtype, stored);
    return gf_coding_decode(&a->coding, stored, 1, a->dtype, a->fill);
}

/* The steps that made a version 3 chunk: bytes, perhaps one that packs, perhaps a checksum. */
static int get_codecs(struct array *a, const json_t *list) {
    const size_t n = json_array_size(list);
    int rc = n ? GF_OK : bad("codecs");
    for (size_t i = 0; i < n && !rc; i++) {
        const json_t *c = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(c, "name"));
        const char *endian =
            json_string_value(json_object_get(json_object_get(c, "configuration"), "endian"));
        if (!name)
            rc = bad("codecs");
        else if (!strcmp(name, "sharding_indexed") || !strcmp(name, "transpose"))
            rc = gf_fail(GF_EUNSUPP, "chunks made by '%s' are not read", name);
        else if ((i == 0) != !strcmp(name, "bytes") ||
                 (endian && strcmp(endian, "little") && strcmp(endian, "big")))
            rc = bad("codecs");
        else if (i == 0)
            a->big_endian = endian && !strcmp(endian, "big");
        else if (!strcmp(name, "crc32c") && i + 1 == n)
            a->summed = true;
        else if (a->codec != GF_ZARR_PLAIN)
            rc = gf_fail(GF_EUNSUPP, "chunks packed more than once are not read");
        else
            rc = gf_zarr_codec_find(name, &a->codec);
    }
    return rc;
}

static int get_version_3(struct array *a, const json_t *root, const json_t **chunks) {
    const json_t *grid = json_object_get(root, "chunk_grid");
    const json_t *keys = json_object_get(root, "chunk_key_encoding");
    const char *kind = json_string_value(json_object_get(grid, "name"));
    const char *encoding = json_string_value(json_object_get(keys, "name"));
    const json_t *separator = json_object_get(json_object_get(keys, "configuration"), "separator");
    a->prefixed = encoding && !strcmp(encoding, "default");
    a->separator = a->prefixed ? '/' : '.';
    *chunks = json_object_get(json_object_get(grid, "configuration"), "chunk_shape");
    if (!kind || strcmp(kind, "regular"))
        return bad("chunk_grid");
    if (!encoding || (!a->prefixed && strcmp(encoding, "v2")) ||
        (separator && !get_character(separator, &a->separator)))
        return bad("chunk_key_encoding");
    if (json_array_size(json_object_get(root, "storage_transformers")))
        return gf_fail(GF_EUNSUPP, "arrays with storage transformers are not read");
    int rc = get_type(a, json_string_value(json_object_get(root, "data_type")));
    return rc ? rc : get_codecs(a, json_object_get(root, "codecs"));
}

static int get_version_2(struct array *a, const json_t *root, const json_t **chunks) {
    const json_t *packed = json_object_get(root, "compressor");
    const json_t *separator = json_object_get(root, "dimension_separator");
    const char *order = json_string_value(json_object_get(root, "order"));
    const char *codec = json_string_value(json_object_get(packed, "id"));
    a->separator = '.';
    *chunks = json_object_get(root, "chunks");
    if (order && strcmp(order, "C"))
        return gf_fail(GF_EUNSUPP, "chunks in Fortran's order are not read");
    if (json_array_size(json_object_get(root, "filters")))
        return gf_fail(GF_EUNSUPP, "chunks with filters are not read");
    if (packed && !json_is_null(packed) && !codec)
        return bad("compressor");
    if (separator && !get_character(separator, &a->separator))
        return bad("dimension_separator");
    int rc = get_type(a, json_string_value(json_object_get(root, "dtype")));
    return rc || !codec ? rc : gf_zarr_codec_find(codec, &a->codec);
}

/* Describes the array whose metadata `root` is. */
static int describe_array(const json_t *root, struct array *a) {
    const int64_t version = json_integer_value(json_object_get(root, "zarr_format"));
    const json_t *chunks = NULL;
    int64_t bytes;
    if (version != 2 && version != 3)
        return gf_fail(GF_EUNSUPP, "a Zarr array of another version than 2 and 3");
    int rc = (version == 3 ? get_version_3 : get_version_2)(a, root, &chunks);
    if (rc)
        return rc;
    a->n = get_extents(json_object_get(root, "shape"), a->shape);
    if (!a->n || get_extents(chunks, a->chunk) != a->n ||
        (a->separator != '.' && a->separator != '/'))
        return bad("shape");
    rc = gf_size_product(a->chunk, a->n, (int64_t)gf_coding_bytes(&a->coding, a->dtype), &bytes);
    if (rc || bytes > most_chunk)
        return gf_fail(GF_EFORMAT, "broken Zarr: chunks of more than a gigabyte");
    return get_fill(a, json_object_get(root, "fill_value"));
}

/* A relative path that stays below its folder. */
static bool is_below(const char *path) {
    for (const char *p = path; p && *p; p += strcspn(p, "/"), p += *p == '/')
        if (*p == '/' || !strncmp(p, "..", 2))
            return false;
    return path && *path;
}

/* Opens the array in a folder, whose metadata has one of two names. */
static int open_array(const char *folder, struct array *a) {
    json_t *root;
    char clean[256];
    int rc = load(folder, "zarr.json", &root);
    if (!rc && !root)
        rc = load(folder, ".zarray", &root);
    if (!rc && !root)
        rc = gf_fail(GF_EFORMAT, "broken Zarr: '%s' has no array",
                     gf_clean_text(clean, sizeof clean, folder));
    if (!rc)
        rc = describe_array(root, a);
    json_decref(root);
    if (!rc && !(a->folder = strdup(folder)))
        rc = gf_no_memory();
    return rc;
}

/* ---- levels and axes ---- */

static double scale_of(const json_t *transformations, size_t i) {
    double scale = 1;
    for (size_t k = 0; k < json_array_size(transformations); k++) {
        const json_t *t = json_array_get(transformations, k);
        const char *type = json_string_value(json_object_get(t, "type"));
        const json_t *v = json_array_get(json_object_get(t, "scale"), i);
        if (type && !strcmp(type, "scale") && json_is_number(v))
            scale *= json_number_value(v);
    }
    return scale;
}

/* Names an axis in lower case, in ASCII. */
static void copy_name(const char *name, char out[12]) {
    snprintf(out, 12, "%s", name);
    for (char *p = out; *p; p++)
        *p = *p > ' ' && *p < 127 ? (char)tolower((unsigned char)*p) : '?';
}

/* The axes of the image by a list of names or of the multiscales' objects, the fastest last. Without
 * a list, pages of several axes are given extents only. */
static int describe_axes(const struct array *a, const json_t *list, const json_t *scales,
                         const json_t *level, struct gf_axes *axes) {
    const bool has_names = json_array_size(list) > 0;
    if (has_names && json_array_size(list) != (size_t)a->n)
        return bad("axes");
    for (int i = a->n - 1; i >= 0 && (has_names || a->n > 3); i--) {
        const json_t *v = json_array_get(list, (size_t)i);
        const char *given = json_string_value(json_is_string(v) ? v : json_object_get(v, "name"));
        const char *type = json_string_value(json_object_get(v, "type"));
        const char *unknown = i < a->n - 3 ? "n" : &"z\0y\0x"[2 * (i - a->n + 3)];
        char unit[12] = "", name[12];
        gf_unit_copy(json_string_value(json_object_get(v, "unit")), 0, unit);
        copy_name(given && *given ? given : unknown, name);
        const double spacing =
            scale_of(json_object_get(level, "coordinateTransformations"), (size_t)i) *
            scale_of(json_object_get(scales, "coordinateTransformations"), (size_t)i);
        gf_axes_add(axes, name, a->shape[i], *unit ? spacing : 0, unit);
        struct gf_axis *axis = &axes->axis[0];
        const char *kind = type ? type : name;
        axis->role = !strcmp(kind, "time")      ? GF_TIME
                     : !strcmp(kind, "channel") ? GF_CHANNEL
                     : !strcmp(kind, "space")   ? GF_SPACE
                                                : axis->role;
        const bool pages =
            type ? axis->role != GF_SPACE : axis->role == GF_TIME || axis->role == GF_CHANNEL;
        if (i >= a->n - 2 && axis->role == GF_CHANNEL)
            return gf_fail(GF_EUNSUPP, "channels along the last two axes are not read");
        axes->named = axes->named || (i < a->n - 2 && axis->extent > 1 && pages);
    }
    return GF_OK;
}

/* Opens the level of a group that has the most samples. */
static int open_level(const char *folder, const json_t *scales, struct array *best,
                      const json_t **level) {
    const json_t *levels = json_object_get(scales, "datasets");
    double most = 0;
    for (size_t i = 0; i < json_array_size(levels) && i < MOST_LEVELS; i++) {
        const json_t *one = json_array_get(levels, i);
        const char *path = json_string_value(json_object_get(one, "path"));
        char *below = is_below(path) ? path_of(folder, path) : NULL;
        struct array a = {0};
        double all = 1;
        int rc = below ? open_array(below, &a) : bad("path");
        free(below);
        for (int k = 0; k < a.n; k++)
            all *= (double)a.shape[k];
        if (!rc && all > most) {
            free(best->folder);
            *best = a;
            most = all;
            *level = one;
        } else {
            free(a.folder);
        }
        if (rc)
            return rc;
    }
    return most > 0 ? GF_OK
                    : gf_fail(GF_EUNSUPP, "a Zarr group without an image's levels (multiscales)");
}

/* The attributes that describe an image, in the array's or group's metadata; borrowed from *root. */
static int find_scales(const char *folder, json_t **root, const json_t **scales, bool *group) {
    int rc = load(folder, "zarr.json", root);
    const char *kind = json_string_value(json_object_get(*root, "node_type"));
    const json_t *attributes = json_object_get(*root, "attributes");
    const json_t *ome = json_object_get(attributes, "ome");
    *group = !kind || strcmp(kind, "array");
    if (!rc && !*root) {
        rc = load(folder, ".zattrs", root);
        ome = *root;
        char *array = path_of(folder, ".zarray");
        struct stat st;
        *group = !array || stat(array, &st);
        free(array);
    }
    *scales = json_array_get(json_object_get(ome ? ome : attributes, "multiscales"), 0);
    return rc;
}

/* Looks in the folders around an array for the multiscales that it is a level of, which are borrowed
 * from *root; NULL if there are none. */
static int find_around(const char *folder, json_t **root, const json_t **scales,
                       const json_t **level) {
    enum { MOST_UP = 3 };
    char *path = strdup(folder);
    size_t at = path ? strlen(path) : 0;
    bool group;
    while (at > 1 && path[at - 1] == '/')
        path[--at] = 0;
    for (int up = 0; up < MOST_UP && at > 0 && !*level; up++) {
        while (at > 0 && path[at - 1] != '/')
            at--;
        char *around = at ? strndup(path, at) : strdup(".");
        json_decref(*root);
        *root = NULL;
        const bool found = around && !find_scales(around, root, scales, &group);
        const json_t *levels = found ? json_object_get(*scales, "datasets") : NULL;
        for (size_t i = 0; i < json_array_size(levels) && !*level; i++) {
            const json_t *one = json_array_get(levels, i);
            const char *name = json_string_value(json_object_get(one, "path"));
            *level = name && !strcmp(name, path + at) ? one : NULL;
        }
        free(around);
        while (at > 0 && path[at - 1] == '/')
            at--;
    }
    *scales = *level ? *scales : NULL;
    free(path);
    return path ? GF_OK : gf_no_memory();
}

/* Chooses the runs of pages: so long that each chunk is decoded once, if memory allows. */
static void choose_runs(struct gf_decoder *d) {
    struct array *a = d->state;
    const int64_t size = (int64_t)gf_dtype_size(a->dtype), limit = d->options.max_memory;
    const int64_t numbers = gf_shape_count(a->chunk, a->n);
    const int64_t bytes = numbers * (int64_t)gf_coding_bytes(&a->coding, a->dtype);
    a->page = gf_shape_count(a->shape + gf_max(a->n - 2, 0), a->n > 1 ? 2 : 1) * size;
    a->most_pages = 1;
    for (a->axis = 0; a->axis < a->n - 2; a->axis++) {
        const int64_t along = gf_min(a->chunk[a->axis], a->shape[a->axis]);
        a->most_pages = along * gf_shape_count(a->shape + a->axis + 1, a->n - 3 - a->axis);
        if (along > 1 && (!limit || a->most_pages * a->page <= limit / 4))
            break;
    }
    a->axis = (int)gf_min(a->axis, gf_max(a->n - 3, 0));
    d->extra = (a->n > 2 ? gf_min(a->most_pages * a->page, 1LL << 60) : 0) + bytes +
               most_packed(bytes) + (a->coding.coded ? numbers * size : 0);
}

static int zarr_open(struct gf_decoder *d, struct gf_image *image) {
    struct array *a = d->state;
    const char *folder = d->options.path;
    json_t *root = NULL, *around = NULL;
    const json_t *scales = NULL, *level = NULL, *names = NULL;
    int64_t shape[3] = {1, 1, 1};
    bool group = true;
    int rc = folder ? find_scales(folder, &root, &scales, &group) : bad("path");
    if (!rc)
        rc = group ? open_level(folder, scales, a, &level) : open_array(folder, a);
    if (!rc && !group)
        rc = find_around(folder, &around, &scales, &level);
    names = json_object_get(scales, "axes");
    names = names ? names : json_object_get(root, "dimension_names");
    if (!rc)
        rc = describe_axes(a, names, scales, level, &image->axes);
    json_decref(root);
    json_decref(around);
    const int n = rc ? 0 : a->n, ndim = n < 3 ? n : 3;
    for (int i = 0; i < n && !rc; i++)
        if (n > 3 && i < n - 2 && __builtin_mul_overflow(shape[0], a->shape[i], &shape[0]))
            rc = bad("shape");
        else if (i >= n - 2 || n <= 3)
            shape[ndim - (n - i)] = a->shape[i];
    if (!rc)
        rc = gf_image_describe(image, a->dtype, ndim, shape, 1);
    if (rc)
        return rc;
    image->compression = gf_zarr_codec_names[a->codec];
    d->whole = ndim < 3;
    choose_runs(d);
    return GF_OK;
}

/* ---- chunks ---- */

/* The chunk's indices between separators. */
static void chunk_name(const struct array *a, const int64_t *at, char name[MOST_NAME]) {
    size_t n = (size_t)snprintf(name, MOST_NAME, "%s", a->prefixed ? "c" : "");
    for (int i = 0; i < a->n; i++) {
        if (n)
            name[n++] = a->separator;
        n += (size_t)snprintf(name + n, MOST_NAME - n, "%lld", (long long)at[i]);
    }
}

/* Reads a chunk's file and unpacks it into `bytes` at `to`; *missing if there is none. */
static int load_chunk(const struct array *a, const char *path, char *to, int64_t bytes,
                      bool *missing) {
    struct gf_source *source = NULL;
    struct stat st;
    char *packed = NULL;
    *missing = lstat(path, &st) && errno == ENOENT;
    if (*missing)
        return GF_OK;
    if (!stat(path, &st) && !S_ISREG(st.st_mode))
        return gf_fail(GF_EFORMAT, "is no file");
    int rc = gf_source_open(path, &source);
    const int64_t n = rc ? rc : gf_source_size(source);
    if (!rc && (n < 0 || n > most_packed(bytes)))
        rc = n < 0 ? (int)n : gf_fail(GF_EFORMAT, "a file of %lld bytes", (long long)n);
    if (!rc && !(packed = malloc((size_t)n + 1)))
        rc = gf_no_memory();
    if (!rc)
        rc = gf_source_read_exactly(source, packed, (size_t)n);
    if (!rc)
        rc = gf_zarr_unpack(a->codec, a->summed, packed, (size_t)n, to, (size_t)bytes);
    gf_source_close(source);
    free(packed);
    return rc;
}

/* Decodes a chunk into `numbers` samples at *to, which is one of the two buffers. */
static int read_chunk(const struct array *a, const int64_t *at, int64_t numbers,
                      char *const buffer[2], const char **to) {
    const size_t stored = gf_coding_bytes(&a->coding, a->dtype), size = gf_dtype_size(a->dtype);
    const size_t unit = a->coding.coded ? stored : gf_dtype_size(gf_dtype_real(a->dtype));
    const int64_t bytes = numbers * (int64_t)stored;
    char name[MOST_NAME], why[256];
    bool missing = false;
    chunk_name(a, at, name);
    char *path = path_of(a->folder, name), *samples = buffer[a->coding.coded];
    int rc = path ? load_chunk(a, path, buffer[0], bytes, &missing) : gf_no_memory();
    free(path);
    *to = samples;
    if (!rc && !missing && unit > 1 && a->big_endian != gf_host_is_big_endian())
        gf_swap_bytes(buffer[0], (size_t)bytes / unit, unit);
    if (!rc && !missing && a->coding.coded)
        rc = gf_coding_decode(&a->coding, buffer[0], numbers, a->dtype, samples);
    for (int64_t i = 0; i < numbers && missing; i++)
        memcpy(samples + (size_t)i * size, a->fill, size);
    if (!rc)
        return GF_OK;
    snprintf(why, sizeof why, "%s", gf_message());
    return gf_fail(rc, "chunk '%s': %s", name, why);
}

/* Copies what a chunk has of `count` pages, starting at page `first`, to them. */
static void place(const struct array *a, const int64_t *at, const char *chunk, int64_t first,
                  int64_t count, char *to) {
    const int64_t size = (int64_t)gf_dtype_size(a->dtype), width = a->shape[a->n - 1];
    const int64_t height = a->n > 1 ? a->shape[a->n - 2] : 1;
    const int64_t cw = a->chunk[a->n - 1], ch = a->n > 1 ? a->chunk[a->n - 2] : 1;
    const int64_t x = at[a->n - 1] * cw, y = a->n > 1 ? at[a->n - 2] * ch : 0;
    const int64_t slow = gf_shape_count(a->chunk, a->n - 2), columns = gf_min(cw, width - x);
    for (int64_t p = 0; p < slow; p++) {
        int64_t rest = p, page = 0, step = 1;
        bool inside = true;
        for (int i = a->n - 3; i >= 0; i--) {
            const int64_t index = at[i] * a->chunk[i] + rest % a->chunk[i];
            inside = inside && index < a->shape[i];
            rest /= a->chunk[i];
            page += inside ? index * step : 0;
            step *= a->shape[i];
        }
        if (!inside || page < first || page >= first + count)
            continue;
        for (int64_t row = 0; row < ch && y + row < height; row++)
            memcpy(to + (page - first) * a->page + ((y + row) * width + x) * size,
                   chunk + (p * ch + row) * cw * size, (size_t)(columns * size));
    }
}

/* The run of pages that page p is in, and the range of its chunks along each axis. */
static void find_run(const struct array *a, int64_t p, int64_t *first, int64_t *count,
                     int64_t from[MOST_DIMS], int64_t to[MOST_DIMS]) {
    int64_t step = 1;
    *first = 0;
    *count = 1;
    for (int i = a->n - 1; i >= 0; i--) {
        const int64_t chunk = a->chunk[i], index = i < a->n - 2 ? p % a->shape[i] : 0;
        const bool all = i > a->axis || i >= a->n - 2;
        from[i] = all ? 0 : index / chunk;
        to[i] = all ? gf_divide_up(a->shape[i], chunk) : from[i] + 1;
        if (i >= a->n - 2)
            continue;
        const int64_t begin = all ? 0 : i == a->axis ? from[i] * chunk : index;
        *count *= all ? a->shape[i] : i == a->axis ? gf_min(chunk, a->shape[i] - begin) : 1;
        *first += begin * step;
        step *= a->shape[i];
        p /= a->shape[i];
    }
}

/* Decodes the run of page p into `to`. */
static int decode_run(const struct array *a, int64_t p, char *to) {
    const int64_t numbers = gf_shape_count(a->chunk, a->n);
    int64_t first, count, from[MOST_DIMS], end[MOST_DIMS], at[MOST_DIMS];
    find_run(a, p, &first, &count, from, end);
    memcpy(at, from, sizeof at);
    char *buffer[2] = {malloc((size_t)numbers * gf_coding_bytes(&a->coding, a->dtype)), NULL};
    if (a->coding.coded)
        buffer[1] = malloc((size_t)numbers * gf_dtype_size(a->dtype));
    int rc = buffer[0] && buffer[a->coding.coded] ? GF_OK : gf_no_memory(), i = 0;
    while (i >= 0 && !rc) {
        const char *chunk;
        rc = read_chunk(a, at, numbers, buffer, &chunk);
        if (!rc)
            place(a, at, chunk, first, count, to);
        for (i = a->n - 1; i >= 0 && ++at[i] == end[i]; i--)
            at[i] = from[i];
    }
    free(buffer[0]);
    free(buffer[1]);
    return rc;
}

/* Whole runs are decoded in place, others are kept for the pages that come next. */
static int zarr_read_pages(struct gf_decoder *d, const struct gf_image *image, int64_t from,
                           int64_t n, void *to) {
    struct array *a = d->state;
    char *out = to;
    int rc = GF_OK;
    (void)image;
    for (int64_t p = from, first, count, some; p < from + n && !rc; p += some) {
        int64_t range[2][MOST_DIMS];
        find_run(a, p, &first, &count, range[0], range[1]);
        const bool held = a->held && a->first == first;
        some = gf_min(first + count, from + n) - p;
        if (!held && some == count) {
            rc = decode_run(a, p, out + (p - from) * a->page);
            continue;
        }
        if (!a->run && !(a->run = malloc((size_t)(a->most_pages * a->page))))
            return gf_no_memory();
        if (!held)
            rc = decode_run(a, p, a->run);
        a->first = first;
        a->held = rc ? 0 : count;
        if (!rc)
            memcpy(out + (p - from) * a->page, a->run + (p - first) * a->page,
                   (size_t)(some * a->page));
    }
    return rc;
}

static void zarr_close(struct gf_decoder *d) {
    struct array *a = d->state;
    free(a->run);
    free(a->folder);
}

const struct gf_format gf_format_zarr = {
    .name = "zarr",
    .suffixes = "zarr",
    .summary = "OME-Zarr 0.4 and 0.5, and arrays of Zarr 2 and 3",
    .state_bytes = sizeof(struct array),
    .open = zarr_open,
    .read_pages = zarr_read_pages,
    .close = zarr_close,
};
