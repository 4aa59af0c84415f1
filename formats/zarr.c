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
    int n;        /* dimensions of the file, 1 or more */
    /* Pages, rows and columns: a file of less than three dimensions has one page, or one row. */
    int rank;
    int64_t shape[MOST_DIMS], chunk[MOST_DIMS];
    struct gf_coding coding;
    enum gf_dtype dtype;
    bool big_endian;
    unsigned char fill[16]; /* a sample */
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

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static int bad(const char *what) {
    return gf_fail(GF_EFORMAT, "broken Zarr: bad '%s'", what);
}

/* Reads `name` in the folder; *out is NULL if there is no such file. */
static int load(const char *folder, const char *name, json_t **out) {
    char *path = path_of(folder, name), *text = malloc(MOST_JSON + 1);
    struct gf_source *source = NULL;
    struct stat st;
    int64_t n = 0;
    int rc = path && text ? GF_OK : gf_no_memory();
    *out = NULL;
    if (rc || stat(path, &st) || !S_ISREG(st.st_mode))
        goto out;
    rc = gf_source_open(path, &source);
    if (!rc && (n = gf_source_read(source, text, MOST_JSON + 1)) < 0)
        rc = (int)n;
    if (!rc && n <= MOST_JSON)
        *out = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, NULL);
    if (!rc && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        rc = gf_fail(GF_EFORMAT, "broken Zarr: '%s' is no JSON object%s", name,
                     n > MOST_JSON ? " of at most 1 MiB" : "");
    }
out:
    gf_source_close(source);
    free(path);
    free(text);
    return rc;
}

/* False for anything else than "." and "/". */
static bool get_separator(const json_t *v, char fallback, char *out) {
    const bool is_one = json_string_length(v) == 1;
    *out = v && !is_one ? 0 : v ? *json_string_value(v) : fallback;
    return *out == '.' || *out == '/';
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
        int stored; /* enum gf_stored or gf_dtype */
    } types[] = {
        {"b1", "bool", GF_U8},          {"u1", "uint8", GF_U8},
        {"i1", "int8", GF_I8},          {"u2", "uint16", GF_U16},
        {"i2", "int16", GF_I16},        {"u4", "uint32", GF_U32},
        {"i4", "int32", GF_I32},        {"u8", "uint64", GF_STORED_U64},
        {"i8", "int64", GF_STORED_I64}, {"f2", "float16", GF_STORED_F16},
        {"f4", "float32", GF_F32},      {"f8", "float64", GF_F64},
        {"c8", "complex64", GF_C64},    {"c16", "complex128", GF_C128},
    };
    const bool is_code = type && *type && strchr("<>|", *type);
    char clean[24];
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (!strcmp(is_code ? type + 1 : type, is_code ? types[i].code : types[i].name)) {
            const int t = types[i].stored;
            a->dtype = t < GF_STORED_F16 ? (enum gf_dtype)t : t == GF_STORED_F16 ? GF_F32 : GF_F64;
            a->coding = (struct gf_coding){
                .coded = t >= GF_STORED_F16, .type = (enum gf_stored)t, .slope = 1};
            a->big_endian = *type == '>';
            return GF_OK;
        }
    return gf_fail(GF_EUNSUPP, "samples of type '%s' are not read",
                   gf_clean_text(clean, sizeof clean, type ? type : "structured"));
}

static bool get_number(const json_t *v, double *out) {
    const char *word = json_is_string(v) ? json_string_value(v) : "";
    *out = !strcmp(word, "NaN")         ? NAN
           : !strcmp(word, "Infinity")  ? INFINITY
           : !strcmp(word, "-Infinity") ? -INFINITY
           : json_is_true(v)            ? 1
                                        : json_number_value(v);
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
        const char *name = text_of(c, "name");
        const char *endian = text_of(json_object_get(c, "configuration"), "endian");
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
    const char *kind = text_of(grid, "name");
    const char *encoding = text_of(keys, "name");
    a->prefixed = encoding && !strcmp(encoding, "default");
    *chunks = json_object_get(json_object_get(grid, "configuration"), "chunk_shape");
    if (!kind || strcmp(kind, "regular"))
        return bad("chunk_grid");
    if (!encoding || (!a->prefixed && strcmp(encoding, "v2")) ||
        !get_separator(json_object_get(json_object_get(keys, "configuration"), "separator"),
                       a->prefixed ? '/' : '.', &a->separator))
        return bad("chunk_key_encoding");
    if (json_array_size(json_object_get(root, "storage_transformers")))
        return gf_fail(GF_EUNSUPP, "arrays with storage transformers are not read");
    int rc = get_type(a, text_of(root, "data_type"));
    return rc ? rc : get_codecs(a, json_object_get(root, "codecs"));
}

static int get_version_2(struct array *a, const json_t *root, const json_t **chunks) {
    const json_t *packed = json_object_get(root, "compressor");
    const char *order = text_of(root, "order");
    const char *codec = text_of(packed, "id");
    *chunks = json_object_get(root, "chunks");
    if (order && strcmp(order, "C"))
        return gf_fail(GF_EUNSUPP, "chunks in Fortran's order are not read");
    if (json_array_size(json_object_get(root, "filters")))
        return gf_fail(GF_EUNSUPP, "chunks with filters are not read");
    if (packed && !json_is_null(packed) && !codec)
        return bad("compressor");
    if (!get_separator(json_object_get(root, "dimension_separator"), '.', &a->separator))
        return bad("dimension_separator");
    int rc = get_type(a, text_of(root, "dtype"));
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
    if (!a->n || get_extents(chunks, a->chunk) != a->n)
        return bad("shape");
    for (a->rank = a->n; a->rank < 3; a->rank++) {
        memmove(a->shape + 1, a->shape, 2 * sizeof *a->shape);
        memmove(a->chunk + 1, a->chunk, 2 * sizeof *a->chunk);
        a->shape[0] = a->chunk[0] = 1;
    }
    rc = gf_size_product(a->chunk, a->rank, (int64_t)gf_coding_bytes(&a->coding, a->dtype), &bytes);
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

/* The samples' distance along axis i of the multiscales or one of their levels. */
static double scale_of(const json_t *node, size_t i) {
    const json_t *list = json_object_get(node, "coordinateTransformations");
    double scale = 1;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *v = json_array_get(json_object_get(json_array_get(list, k), "scale"), i);
        scale *= json_is_number(v) ? json_number_value(v) : 1;
    }
    return scale;
}

static enum gf_role role_of(const char *kind, enum gf_role by_name) {
    return !strcmp(kind, "time")      ? GF_TIME
           : !strcmp(kind, "channel") ? GF_CHANNEL
           : !strcmp(kind, "space")   ? GF_SPACE
                                      : by_name;
}

/* The axes of the image by a list of names or of the multiscales' objects, the fastest last. Pages
 * of several axes without a list have extents only. */
static int describe_axes(const struct array *a, const json_t *list, const json_t *scales,
                         const json_t *level, struct gf_axes *axes) {
    const bool has_names = json_array_size(list) > 0;
    if (has_names && json_array_size(list) != (size_t)a->n)
        return bad("axes");
    for (int i = a->n - 1; i >= 0 && (has_names || a->n > 3); i--) {
        const json_t *v = json_array_get(list, (size_t)i);
        const char *given = json_string_value(json_is_string(v) ? v : json_object_get(v, "name"));
        const char *type = text_of(v, "type");
        const bool is_page = i < a->n - 2;
        char unit[12] = "", name[12];
        snprintf(name, sizeof name, "%s", given ? given : i < a->n - 3 ? "n" : "");
        for (char *p = name; *p; p++)
            *p = *p > ' ' && *p < 127 ? (char)tolower((unsigned char)*p) : '?';
        if (!*name)
            snprintf(name, sizeof name, "%c", i < a->n - 3 ? 'n' : "xyz"[a->n - 1 - i]);
        gf_unit_copy(text_of(v, "unit"), 0, unit);
        gf_axes_add(axes, name, a->shape[a->rank - a->n + i],
                    *unit ? scale_of(scales, (size_t)i) * scale_of(level, (size_t)i) : 0, unit);
        struct gf_axis *axis = &axes->axis[0];
        axis->role = role_of(type ? type : name, axis->role);
        if (!is_page && axis->role == GF_CHANNEL)
            return gf_fail(GF_EUNSUPP, "channels along the last two axes are not read");
        if (is_page && axis->extent > 1 && axis->role != (type ? GF_SPACE : GF_OTHER_ROLE))
            axes->named = axes->named || axis->role != GF_SPACE;
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
        const char *path = text_of(one, "path");
        char *below = is_below(path) ? path_of(folder, path) : NULL;
        struct array a = {0};
        double all = 1;
        int rc = below ? open_array(below, &a) : bad("path");
        free(below);
        for (int k = 0; k < a.rank; k++)
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
    const char *kind = text_of(*root, "node_type");
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
    char *around = strdup(folder);
    struct stat own, other;
    bool group;
    for (int up = 0; around && up < MOST_UP && !*level && !stat(folder, &own); up++) {
        char *above = path_of(around, "..");
        free(around);
        around = above;
        json_decref(*root);
        *root = NULL;
        *scales = NULL;
        const bool found = around && !find_scales(around, root, scales, &group);
        const json_t *levels = found ? json_object_get(*scales, "datasets") : NULL;
        for (size_t i = 0; i < json_array_size(levels) && i < MOST_LEVELS && !*level; i++) {
            const json_t *one = json_array_get(levels, i);
            const char *name = text_of(one, "path");
            char *path = is_below(name) ? path_of(around, name) : NULL;
            if (path && !stat(path, &other) && other.st_ino == own.st_ino &&
                other.st_dev == own.st_dev)
                *level = one;
            free(path);
        }
    }
    *scales = *level ? *scales : NULL;
    free(around);
    return around ? GF_OK : gf_no_memory();
}

/* Chooses the runs of pages: so long that each chunk is decoded once, if memory allows. */
static void choose_runs(struct gf_decoder *d) {
    struct array *a = d->state;
    const int64_t size = (int64_t)gf_dtype_size(a->dtype), limit = d->options.max_memory;
    const int64_t numbers = gf_shape_count(a->chunk, a->rank);
    const int64_t bytes = numbers * (int64_t)gf_coding_bytes(&a->coding, a->dtype);
    a->page = gf_shape_count(a->shape + a->rank - 2, 2) * size;
    for (a->axis = 0;; a->axis++) {
        const int64_t along = gf_min(a->chunk[a->axis], a->shape[a->axis]);
        a->most_pages = along * gf_shape_count(a->shape + a->axis + 1, a->rank - 3 - a->axis);
        const bool fits = !limit || a->most_pages * a->page <= limit / 4;
        if (a->axis == a->rank - 3 || (along > 1 && fits))
            break;
    }
    d->extra = bytes + most_packed(bytes) + (a->coding.coded ? numbers * size : 0);
    d->extra += d->whole ? 0 : gf_min(a->most_pages * a->page, 1LL << 60);
}

static int zarr_open(struct gf_decoder *d, struct gf_image *image) {
    struct array *a = d->state;
    const char *folder = d->options.path;
    json_t *root = NULL, *around = NULL;
    const json_t *scales = NULL, *level = NULL;
    bool group = true;
    int rc = folder ? find_scales(folder, &root, &scales, &group) : bad("path");
    if (!rc)
        rc = group ? open_level(folder, scales, a, &level) : open_array(folder, a);
    if (!rc && !group)
        rc = find_around(folder, &around, &scales, &level);
    const json_t *names = json_object_get(scales, "axes");
    if (!rc)
        rc = describe_axes(a, names ? names : json_object_get(root, "dimension_names"), scales,
                           level, &image->axes);
    json_decref(root);
    json_decref(around);
    int64_t shape[3] = {1};
    for (int i = 0; i < a->rank && !rc; i++)
        if (i >= a->rank - 2)
            shape[i - a->rank + 3] = a->shape[i];
        else if (__builtin_mul_overflow(shape[0], a->shape[i], &shape[0]))
            rc = bad("shape");
    const int ndim = a->n < 3 ? a->n : 3;
    if (!rc)
        rc = gf_image_describe(image, a->dtype, ndim, shape + 3 - ndim, 1);
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
    for (int i = a->rank - a->n; i < a->rank; i++) {
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

/* Decodes a chunk into the second buffer if its numbers are in another type, else into the first. */
static int read_chunk(const struct array *a, const int64_t *at, int64_t numbers,
                      char *const buffer[2]) {
    const size_t stored = gf_coding_bytes(&a->coding, a->dtype), size = gf_dtype_size(a->dtype);
    const size_t unit = a->coding.coded ? stored : gf_dtype_size(gf_dtype_real(a->dtype));
    const int64_t bytes = numbers * (int64_t)stored;
    char name[MOST_NAME], why[256], *samples = buffer[a->coding.coded];
    bool missing = false;
    chunk_name(a, at, name);
    char *path = path_of(a->folder, name);
    int rc = path ? load_chunk(a, path, buffer[0], bytes, &missing) : gf_no_memory();
    free(path);
    for (int64_t i = 0; i < numbers && missing; i++)
        memcpy(samples + (size_t)i * size, a->fill, size);
    if (!rc && !missing && unit > 1 && a->big_endian != gf_host_is_big_endian())
        gf_swap_bytes(buffer[0], (size_t)bytes / unit, unit);
    if (!rc && !missing && a->coding.coded)
        rc = gf_coding_decode(&a->coding, buffer[0], numbers, a->dtype, samples);
    if (!rc)
        return GF_OK;
    snprintf(why, sizeof why, "%s", gf_message());
    return gf_fail(rc, "chunk '%s': %s", name, why);
}

/* Pages that are decoded together, and their chunks' indices along each axis. */
struct run {
    int64_t first, count;
    int64_t from[MOST_DIMS], end[MOST_DIMS];
};

static struct run run_of(const struct array *a, int64_t page) {
    struct run r = {0};
    const int64_t faster = gf_shape_count(a->shape + a->axis + 1, a->rank - 3 - a->axis);
    int64_t rest = page / faster;
    for (int i = a->rank - 1; i >= 0; i--) {
        r.from[i] = i > a->axis ? 0 : rest % a->shape[i] / a->chunk[i];
        r.end[i] = i > a->axis ? gf_divide_up(a->shape[i], a->chunk[i]) : r.from[i] + 1;
        rest /= i > a->axis ? 1 : a->shape[i];
    }
    const int64_t begin = r.from[a->axis] * a->chunk[a->axis], all = a->shape[a->axis];
    r.first = (page / faster / all * all + begin) * faster;
    r.count = gf_min(a->chunk[a->axis], all - begin) * faster;
    return r;
}

/* Copies what a chunk has of a run's pages to them. */
static void place(const struct array *a, const struct run *r, const int64_t *at, const char *chunk,
                  char *to) {
    const int64_t size = (int64_t)gf_dtype_size(a->dtype), pages = a->rank - 2;
    const int64_t height = a->shape[pages], width = a->shape[pages + 1];
    const int64_t rows = a->chunk[pages], columns = a->chunk[pages + 1];
    const int64_t y = at[pages] * rows, x = at[pages + 1] * columns;
    const size_t bytes = (size_t)(gf_min(columns, width - x) * size);
    for (int64_t k = 0; k < gf_shape_count(a->chunk, (int)pages); k++) {
        int64_t rest = k, page = 0, step = 1;
        for (int i = (int)pages - 1; i >= 0 && page >= 0; i--) {
            const int64_t index = at[i] * a->chunk[i] + rest % a->chunk[i];
            page = index < a->shape[i] ? page + index * step : -1;
            rest /= a->chunk[i];
            step *= a->shape[i];
        }
        page -= r->first;
        for (int64_t row = 0; row < gf_min(rows, height - y) && page >= 0 && page < r->count; row++)
            memcpy(to + page * a->page + ((y + row) * width + x) * size,
                   chunk + (k * rows + row) * columns * size, bytes);
    }
}

static int decode_run(const struct array *a, const struct run *r, char *to) {
    const int64_t numbers = gf_shape_count(a->chunk, a->rank);
    const bool coded = a->coding.coded;
    int64_t at[MOST_DIMS];
    char *buffer[2] = {malloc((size_t)numbers * gf_coding_bytes(&a->coding, a->dtype)),
                       coded ? malloc((size_t)numbers * gf_dtype_size(a->dtype)) : NULL};
    int rc = buffer[0] && buffer[coded] ? GF_OK : gf_no_memory(), i = 0;
    memcpy(at, r->from, sizeof at);
    while (i >= 0 && !rc) {
        rc = read_chunk(a, at, numbers, buffer);
        if (!rc)
            place(a, r, at, buffer[coded], to);
        for (i = a->rank - 1; i >= 0 && ++at[i] == r->end[i]; i--)
            at[i] = r->from[i];
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
    for (int64_t p = from, some; p < from + n && !rc; p += some, out += some * a->page) {
        const struct run r = run_of(a, p);
        const bool held = a->held && a->first == r.first;
        some = gf_min(r.first + r.count, from + n) - p;
        if (!held && some == r.count) {
            rc = decode_run(a, &r, out);
            continue;
        }
        if (!a->run && !(a->run = malloc((size_t)(a->most_pages * a->page))))
            return gf_no_memory();
        if (!held)
            rc = decode_run(a, &r, a->run);
        a->first = r.first;
        a->held = rc ? 0 : r.count;
        memcpy(out, a->run + (p - r.first) * a->page, (size_t)(some * a->page));
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
