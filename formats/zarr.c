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

#include "core/base/status.h"
#include "formats/image.h"

enum { MOST_DIMS = 8, MOST_JSON = 1 << 20, MOST_LEVELS = 64 };
static const int64_t most_chunk = 1 << 30;

struct array {
    char *folder; /* owned */
    int n;        /* dimensions, 1 or more */
    int64_t shape[MOST_DIMS], chunk[MOST_DIMS];
    struct gf_coding coding;
    enum gf_dtype dtype;
    bool big_endian;
    double fill;
    enum gf_zarr_codec codec;
    char separator;
    bool prefixed; /* chunks are below "c" */
    /* The planes of the chunks along y and x that were decoded last. */
    unsigned char *planes;
    int64_t held; /* the number of these chunks along the slower axes; -1: none */
};

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
    if (!rc && !stat(path, &st)) {
        rc = gf_source_open(path, &source);
        const int64_t n = rc ? rc : gf_source_read(source, text, MOST_JSON + 1);
        rc = n < 0 ? (int)n : GF_OK;
        if (!rc && n <= MOST_JSON)
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
    const bool coded = type && strchr("<>|", *type);
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (!strcmp(coded ? type + 1 : type, coded ? types[i].code : types[i].name)) {
            a->dtype = types[i].dtype;
            a->coding = (struct gf_coding){
                .coded = types[i].stored >= GF_STORED_F16, .type = types[i].stored, .slope = 1};
            a->big_endian = *type == '>';
            return GF_OK;
        }
    return gf_fail(GF_EUNSUPP, "samples of type '%.20s' are not read", type ? type : "none");
}

static int get_fill(struct array *a, const json_t *v) {
    const char *word = json_string_value(v);
    const double special = !word                  ? 0
                           : !strcmp(word, "NaN") ? NAN
                           : strstr(word, "Inf")  ? (*word == '-' ? -INFINITY : INFINITY)
                                                  : 0;
    a->fill = json_is_number(v) ? json_number_value(v) : json_is_true(v) ? 1 : special;
    if (v && !json_is_null(v) && !json_is_number(v) && !json_is_boolean(v) && !json_is_array(v) &&
        !(isnan(special) || isinf(special)))
        return gf_fail(GF_EUNSUPP, "a fill value that is no number");
    return GF_OK;
}

/* The steps that made a version 3 chunk: bytes, and perhaps one that packs. */
static int get_codecs(struct array *a, const json_t *list) {
    int rc = json_array_size(list) ? GF_OK : bad("codecs");
    for (size_t i = 0; i < json_array_size(list) && !rc; i++) {
        const json_t *c = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(c, "name"));
        const json_t *how = json_object_get(c, "configuration");
        const char *endian = json_string_value(json_object_get(how, "endian"));
        if (!name)
            rc = bad("codecs");
        else if (!strcmp(name, "bytes"))
            a->big_endian = endian && !strcmp(endian, "big");
        else if (!strcmp(name, "sharding_indexed") || !strcmp(name, "transpose") ||
                 !strcmp(name, "crc32c"))
            rc = gf_fail(GF_EUNSUPP, "chunks made by '%s' are not read", name);
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
    const char *separator =
        json_string_value(json_object_get(json_object_get(keys, "configuration"), "separator"));
    a->prefixed = !encoding || !strcmp(encoding, "default");
    a->separator = separator ? *separator : a->prefixed ? '/' : '.';
    *chunks = json_object_get(json_object_get(grid, "configuration"), "chunk_shape");
    if (!kind || strcmp(kind, "regular"))
        return bad("chunk_grid");
    int rc = get_type(a, json_string_value(json_object_get(root, "data_type")));
    return rc ? rc : get_codecs(a, json_object_get(root, "codecs"));
}

static int get_version_2(struct array *a, const json_t *root, const json_t **chunks) {
    const json_t *packed = json_object_get(root, "compressor");
    const json_t *filters = json_object_get(root, "filters");
    const char *separator = json_string_value(json_object_get(root, "dimension_separator"));
    const char *order = json_string_value(json_object_get(root, "order"));
    const char *codec = json_string_value(json_object_get(packed, "id"));
    a->separator = separator ? *separator : '.';
    *chunks = json_object_get(root, "chunks");
    if (order && strcmp(order, "C"))
        return gf_fail(GF_EUNSUPP, "chunks in Fortran's order are not read");
    if (json_array_size(filters))
        return gf_fail(GF_EUNSUPP, "chunks with filters are not read");
    int rc = get_type(a, json_string_value(json_object_get(root, "dtype")));
    return rc || !codec ? rc : gf_zarr_codec_find(codec, &a->codec);
}

/* Describes the array whose metadata `root` is. */
static int describe_array(const json_t *root, struct array *a) {
    const bool third = json_integer_value(json_object_get(root, "zarr_format")) == 3;
    const json_t *chunks = NULL;
    int64_t bytes;
    int rc = (third ? get_version_3 : get_version_2)(a, root, &chunks);
    if (rc)
        return rc;
    a->n = get_extents(json_object_get(root, "shape"), a->shape);
    if (!a->n || get_extents(chunks, a->chunk) != a->n ||
        (a->separator != '.' && a->separator != '/'))
        return bad("shape");
    rc = gf_size_product(a->chunk, a->n, (int64_t)gf_coding_bytes(&a->coding, a->dtype), &bytes);
    if (rc || bytes > most_chunk)
        return gf_fail(GF_EFORMAT, "broken Zarr: chunks of more than a gigabyte");
    a->held = -1;
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
    int rc = load(folder, "zarr.json", &root);
    if (!rc && !root)
        rc = load(folder, ".zarray", &root);
    if (!rc && !root)
        rc = gf_fail(GF_EFORMAT, "broken Zarr: '%s' has no array", folder);
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

/* The axes of the image by the multiscales' entry, the fastest last; or of an array without names. */
static void describe_axes(const struct array *a, const json_t *scales, const json_t *level,
                          struct gf_axes *axes) {
    const json_t *list = json_object_get(scales, "axes");
    for (int i = a->n - 1; i >= 0; i--) {
        const json_t *v = json_array_get(list, (size_t)i);
        const char *name = json_string_value(json_is_string(v) ? v : json_object_get(v, "name"));
        const char *type = json_string_value(json_object_get(v, "type"));
        const char *given = json_string_value(json_object_get(v, "unit"));
        char unit[12] = "", low[12];
        gf_unit_copy(given, 0, unit);
        const double spacing =
            scale_of(json_object_get(level, "coordinateTransformations"), (size_t)i) *
            scale_of(json_object_get(scales, "coordinateTransformations"), (size_t)i);
        snprintf(low, sizeof low, "%s", name ? name : i >= a->n - 3 && a->n <= 3 ? "" : "n");
        for (char *p = low; *p; p++)
            *p = (char)tolower((unsigned char)*p);
        if (!*low)
            snprintf(low, sizeof low, "%c", "xyz"[a->n - 1 - i]);
        gf_axes_add(axes, low, a->shape[i], *unit ? spacing : 0, unit);
        struct gf_axis *axis = &axes->axis[0];
        if (type && !strcmp(type, "channel"))
            axis->role = GF_CHANNEL;
        axes->named = axes->named || (i < a->n - 2 && axis->extent > 1 && axis->role != GF_SPACE);
    }
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

static int zarr_open(struct gf_decoder *d, struct gf_image *image) {
    struct array *a = d->state;
    const char *folder = d->options.path;
    json_t *root = NULL;
    const json_t *scales = NULL, *level = NULL;
    int64_t planes[MOST_DIMS], shape[3] = {1, 1, 1};
    bool group = true;
    int rc = folder ? find_scales(folder, &root, &scales, &group) : bad("path");
    if (!rc)
        rc = group ? open_level(folder, scales, a, &level) : open_array(folder, a);
    if (!rc)
        describe_axes(a, scales, level, &image->axes);
    json_decref(root);
    const int n = rc ? 0 : a->n, ndim = n < 3 ? n : 3;
    for (int i = 0; i < n && !rc; i++)
        if (i < n - 2 && n > 3 && __builtin_mul_overflow(shape[0], a->shape[i], &shape[0]))
            rc = bad("shape");
        else if (i >= n - 2 || n <= 3)
            shape[ndim - (n - i)] = a->shape[i];
    for (int i = 0; i < n; i++) /* decoded at once: chunks along y and x */
        planes[i] = i < n - 2 ? a->chunk[i] : a->shape[i];
    if (!rc)
        rc = gf_size_product(planes, n, (int64_t)gf_dtype_size(a->dtype), &d->extra);
    d->whole = ndim < 3;
    return rc ? rc : gf_image_describe(image, a->dtype, ndim, shape, 1);
}

/* ---- chunks ---- */

/* The chunk's file: its indices between separators. NULL without memory. */
static char *chunk_path(const struct array *a, const int64_t *at) {
    char name[MOST_DIMS * 22 + 4] = "";
    size_t n = (size_t)snprintf(name, sizeof name, "%s", a->prefixed ? "c" : "");
    for (int i = 0; i < a->n; i++) {
        if (n)
            name[n++] = a->separator;
        n += (size_t)snprintf(name + n, sizeof name - n, "%lld", (long long)at[i]);
    }
    return path_of(a->folder, name);
}

/* Reads and decodes a chunk into `numbers` of a->dtype; a missing file is the fill value. */
static int read_chunk(const struct array *a, const int64_t *at, int64_t numbers, char *to) {
    const size_t stored = gf_coding_bytes(&a->coding, a->dtype), size = gf_dtype_size(a->dtype);
    const size_t bytes = (size_t)numbers * stored, most = 2 * bytes + (64 << 10);
    char *path = chunk_path(a, at), *plain = malloc(bytes), *packed = NULL;
    struct gf_source *source = NULL;
    struct stat st;
    int rc = path && plain ? GF_OK : gf_no_memory();
    if (!rc && stat(path, &st) && errno == ENOENT) {
        const struct gf_coding fill = {.coded = true, .type = (enum gf_stored)GF_F64, .slope = 1};
        for (int64_t i = 0; i < numbers && !rc; i++)
            rc = gf_coding_decode(&fill, &a->fill, 1, a->dtype, to + (size_t)i * size);
        goto out;
    }
    if (!rc)
        rc = gf_source_open(path, &source);
    const int64_t n = rc ? 0 : gf_source_size(source);
    if (!rc && (n < 0 || (size_t)n > most))
        rc = gf_fail(GF_EFORMAT, "broken Zarr: a chunk's file of %lld bytes", (long long)n);
    if (!rc && !(packed = malloc((size_t)n + 1)))
        rc = gf_no_memory();
    if (!rc)
        rc = gf_source_read_exactly(source, packed, (size_t)n);
    if (!rc)
        rc = gf_zarr_unpack(a->codec, packed, (size_t)n, plain, bytes);
    const size_t unit = a->coding.coded ? stored : gf_dtype_size(gf_dtype_real(a->dtype));
    if (!rc && unit > 1 && a->big_endian != gf_host_is_big_endian())
        gf_swap_bytes(plain, bytes / unit, unit);
    if (!rc && a->coding.coded)
        rc = gf_coding_decode(&a->coding, plain, numbers, a->dtype, to);
    else if (!rc)
        memcpy(to, plain, bytes);
out:
    gf_source_close(source);
    free(path);
    free(plain);
    free(packed);
    return rc;
}

/* Copies the part of a chunk that is in the array into the planes, which have whole rows. */
static void place(const struct array *a, const int64_t *at, int64_t slow, const char *chunk) {
    const int64_t size = (int64_t)gf_dtype_size(a->dtype), width = a->shape[a->n - 1];
    const int64_t height = a->n > 1 ? a->shape[a->n - 2] : 1;
    const int64_t cw = a->chunk[a->n - 1], ch = a->n > 1 ? a->chunk[a->n - 2] : 1;
    const int64_t x = at[a->n - 1] * cw, y = a->n > 1 ? at[a->n - 2] * ch : 0;
    const int64_t columns = gf_min(cw, width - x);
    for (int64_t p = 0; p < slow; p++)
        for (int64_t row = 0; row < ch && y + row < height; row++)
            memcpy(a->planes + ((p * height + y + row) * width + x) * size,
                   chunk + (p * ch + row) * cw * size, (size_t)(columns * size));
}

/* Decodes all chunks along y and x at these indices of the slower axes. */
static int hold(struct array *a, int64_t *at) {
    const int64_t size = (int64_t)gf_dtype_size(a->dtype);
    int64_t slow = 1, numbers = 1, plane = 1;
    for (int i = 0; i < a->n; i++) {
        numbers *= a->chunk[i];
        slow *= i < a->n - 2 ? a->chunk[i] : 1;
        plane *= i >= a->n - 2 ? a->shape[i] : 1;
    }
    char *chunk = malloc((size_t)(numbers * size));
    if (!a->planes)
        a->planes = malloc((size_t)(slow * plane * size));
    int rc = chunk && a->planes ? GF_OK : gf_no_memory();
    const int last = a->n - 1, before = a->n - 2;
    const int64_t rows = before >= 0 ? gf_divide_up(a->shape[before], a->chunk[before]) : 1;
    for (int64_t y = 0; y < rows && !rc; y++)
        for (at[last] = 0; at[last] * a->chunk[last] < a->shape[last] && !rc; at[last]++) {
            if (before >= 0)
                at[before] = y;
            rc = read_chunk(a, at, numbers, chunk);
            if (!rc)
                place(a, at, slow, chunk);
        }
    free(chunk);
    return rc;
}

static int zarr_read_pages(struct gf_decoder *d, const struct gf_image *image, int64_t from,
                           int64_t n, void *to) {
    struct array *a = d->state;
    const int64_t page = image->ndim < 3 ? gf_array_bytes(&image->px) : image->px.stride[0];
    int rc = GF_OK;
    for (int64_t p = from; p < from + n && !rc; p++) {
        int64_t rest = p, at[MOST_DIMS] = {0}, inside = 0, step = 1, number = 0, chunks = 1;
        for (int i = a->n - 3; i >= 0; i--) {
            const int64_t index = rest % a->shape[i];
            rest /= a->shape[i];
            at[i] = index / a->chunk[i];
            inside += index % a->chunk[i] * step;
            number += at[i] * chunks;
            step *= a->chunk[i];
            chunks *= gf_divide_up(a->shape[i], a->chunk[i]);
        }
        if (a->held != number)
            rc = hold(a, at);
        a->held = rc ? -1 : number;
        if (!rc)
            memcpy((char *)to + (p - from) * page, a->planes + inside * page, (size_t)page);
    }
    return rc;
}

static void zarr_close(struct gf_decoder *d) {
    struct array *a = d->state;
    free(a->planes);
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
