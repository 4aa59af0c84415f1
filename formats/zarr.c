/* OME-Zarr 0.4 and 0.5 (ngff.openmicroscopy.org) and plain Zarr arrays, versions 2 and 3 of the
 * format (zarr-specs.readthedocs.io): a folder with metadata in JSON and a file for each chunk. */
#include "formats/zarr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/value/status.h"
#include "formats/image.h"

enum { MOST_LEVELS = 64 };

int gf_zarr_source(const char *path, struct gf_source **out, bool *is_zarr) {
    char *metadata;
    int rc = gf_source_open(path, out);
    const int found = rc ? gf_zarr_metadata(path, &metadata) : GF_OK;
    if (!rc || found || !metadata)
        return found ? found : rc;
    *is_zarr = true;
    rc = gf_source_open(metadata, out);
    if (rc)
        gf_fail(rc, "its '%s': %s", strrchr(metadata, '/') + 1, gf_message());
    free(metadata);
    return rc;
}

/* A relative path that stays below its folder. */
static bool is_below(const char *path) {
    for (const char *p = path; p && *p; p += strcspn(p, "/"), p += *p == '/')
        if (*p == '/' || !strncmp(p, "..", 2))
            return false;
    return path && *path;
}

/* ---- levels and axes ---- */

/* Multiplies *spacing by the scales of axis i that the multiscales or one of their levels has, or by 0
 * where one is not known; returns how many it has. */
static int multiply_scales(const json_t *node, size_t i, double *spacing) {
    const json_t *list = json_object_get(node, "coordinateTransformations");
    int n = 0;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *one = json_array_get(list, k);
        const char *type = gf_zarr_text(one, "type");
        if (type && (!strcmp(type, "translation") || !strcmp(type, "identity")))
            continue;
        *spacing *= json_number_value(json_array_get(json_object_get(one, "scale"), i));
        n++;
    }
    return n;
}

/* The samples' distance along axis i; 0 if it is not known. */
static double spacing_of(const json_t *scales, const json_t *level, size_t i) {
    double spacing = 1;
    const int n = multiply_scales(scales, i, &spacing) + multiply_scales(level, i, &spacing);
    return n ? spacing : 0;
}

/* The axes of the image by a list of names or of the multiscales' objects, the fastest last. Pages
 * of several axes without a list have extents only. */
static int describe_axes(const struct gf_zarr_array *a, const json_t *list, const json_t *scales,
                         const json_t *level, struct gf_axes *axes) {
    const bool has_names = json_array_size(list) > 0;
    if (has_names && json_array_size(list) != (size_t)a->n)
        return gf_zarr_bad("axes");
    for (int i = a->n - 1; i >= 0 && (has_names || a->n > 3); i--) {
        const json_t *v = json_array_get(list, (size_t)i);
        const char *given = json_string_value(json_is_string(v) ? v : json_object_get(v, "name"));
        const char *type = gf_zarr_text(v, "type");
        const bool is_page = i < a->n - 2;
        char unit[12] = "", name[12];
        snprintf(name, sizeof name, "%s", given ? given : i < a->n - 3 ? "n" : "");
        for (char *p = name; *p; p++)
            *p = *p > ' ' && *p < 127 ? (char)tolower((unsigned char)*p) : '?';
        if (!*name)
            snprintf(name, sizeof name, "%c", i < a->n - 3 ? 'n' : "xyz"[a->n - 1 - i]);
        gf_unit_copy(gf_zarr_text(v, "unit"), 0, unit);
        gf_axes_add(axes, name, a->shape[a->rank - a->n + i],
                    *unit ? spacing_of(scales, level, (size_t)i) : 0, unit);
        struct gf_axis *axis = &axes->axis[0];
        const int role = gf_word_find(gf_role_names, type ? type : name);
        if (role >= 0 && role < GF_OTHER_ROLE)
            axis->role = (enum gf_role)role;
        if (!is_page && axis->role == GF_CHANNEL)
            return gf_fail(GF_EUNSUPP, "channels along the last two axes are not read");
        if (is_page && axis->extent > 1 && axis->role != (type ? GF_SPACE : GF_OTHER_ROLE))
            axes->named = axes->named || axis->role != GF_SPACE;
    }
    return GF_OK;
}

/* The attributes of an array or a group, OME's if it has them; borrowed from *root. */
static int find_attributes(const char *folder, json_t **root, const json_t **attributes,
                           bool *group) {
    int rc = gf_zarr_load(folder, "zarr.json", root);
    const char *kind = gf_zarr_text(*root, "node_type");
    *attributes = json_object_get(*root, "attributes");
    const json_t *ome = json_object_get(*attributes, "ome");
    *group = !kind || strcmp(kind, "array");
    if (!rc && !*root) {
        rc = gf_zarr_load(folder, ".zattrs", root);
        ome = *root;
        char *array = gf_zarr_path(folder, ".zarray");
        struct stat st;
        *group = !array || stat(array, &st);
        free(array);
    }
    *attributes = ome ? ome : *attributes;
    return rc;
}

static const json_t *scales_of(const json_t *attributes) {
    return json_array_get(json_object_get(attributes, "multiscales"), 0);
}

/* How many series a folder of bioformats2raw has, and the path of the first. */
static int64_t count_series(const char *folder, char first[64]) {
    json_t *root = NULL;
    const json_t *attributes = NULL;
    bool group;
    char *ome = gf_zarr_path(folder, "OME");
    const bool found = ome && !find_attributes(ome, &root, &attributes, &group);
    const json_t *list = found ? json_object_get(attributes, "series") : NULL;
    const char *path = json_string_value(json_array_get(list, 0));
    gf_clean_text(first, 64, is_below(path) ? path : "0");
    const int64_t n = (int64_t)json_array_size(list);
    json_decref(root);
    free(ome);
    return n;
}

/* GF_EUNSUPP: a group of images, the first of which the message names, or something else. `plate` is
 * the number of its wells, if the group is one of them. */
static int refuse_group(const char *folder, const json_t *attributes, size_t plate) {
    const json_t *wells = json_object_get(json_object_get(attributes, "plate"), "wells");
    const json_t *images = json_object_get(json_object_get(attributes, "well"), "images");
    const json_t *list = plate || !json_array_size(wells) ? images : wells, *below = NULL;
    const char *path = gf_zarr_text(json_array_get(list, 0), "path");
    char clean[256], first[64];
    gf_clean_text(clean, sizeof clean, folder);
    if (json_object_get(attributes, "bioformats2raw.layout")) {
        const int64_t n = count_series(folder, first);
        return n ? gf_fail(GF_EUNSUPP, "holds %lld series; name one, such as '%s/%s'", (long long)n,
                           clean, first)
                 : gf_fail(GF_EUNSUPP, "holds several series; name one, such as '%s/%s'", clean,
                           first);
    }
    if (!is_below(path))
        return gf_fail(GF_EUNSUPP, "a Zarr group without an image's levels (multiscales)");
    gf_clean_text(first, sizeof first, path);
    if (list == images && plate)
        return gf_fail(GF_EUNSUPP, "a plate of %zu wells; name an image of one, such as '%s/%s'",
                       plate, clean, first);
    if (list == images)
        return gf_fail(GF_EUNSUPP, "a well of %zu images; name one, such as '%s/%s'",
                       json_array_size(images), clean, first);
    json_t *root = NULL;
    bool group;
    char *well = gf_zarr_path(folder, path);
    int rc = well ? find_attributes(well, &root, &below, &group) : gf_no_memory();
    rc = rc ? rc : refuse_group(well, below, json_array_size(wells));
    json_decref(root);
    free(well);
    return rc;
}

/* Opens the level of a group that has the most samples. */
static int open_level(const char *folder, const json_t *attributes, struct gf_zarr_array *best,
                      const json_t **level) {
    const json_t *levels = json_object_get(scales_of(attributes), "datasets");
    double most = 0;
    for (size_t i = 0; i < json_array_size(levels) && i < MOST_LEVELS; i++) {
        const json_t *one = json_array_get(levels, i);
        const char *path = gf_zarr_text(one, "path");
        char *below = is_below(path) ? gf_zarr_path(folder, path) : NULL;
        struct gf_zarr_array a = {0};
        double all = 1;
        int rc = below ? gf_zarr_open_array(below, &a) : gf_zarr_bad("path");
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
    return most > 0 ? GF_OK : refuse_group(folder, attributes, 0);
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
        char *above = gf_zarr_path(around, "..");
        free(around);
        around = above;
        json_decref(*root);
        *root = NULL;
        const json_t *attributes = NULL;
        const bool found = around && !find_attributes(around, root, &attributes, &group);
        *scales = found ? scales_of(attributes) : NULL;
        const json_t *levels = json_object_get(*scales, "datasets");
        for (size_t i = 0; i < json_array_size(levels) && i < MOST_LEVELS && !*level; i++) {
            const json_t *one = json_array_get(levels, i);
            const char *name = gf_zarr_text(one, "path");
            char *path = is_below(name) ? gf_zarr_path(around, name) : NULL;
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
    struct gf_zarr_array *a = d->state;
    const int64_t size = (int64_t)gf_dtype_size(a->dtype), limit = d->options.max_memory;
    a->page = gf_shape_count(a->shape + a->rank - 2, 2) * size;
    for (a->axis = 0;; a->axis++) {
        const int64_t along = gf_min(a->chunk[a->axis], a->shape[a->axis]);
        a->most_pages = along * gf_shape_count(a->shape + a->axis + 1, a->rank - 3 - a->axis);
        const bool fits = !limit || a->most_pages * a->page <= limit / 4;
        if (a->axis == a->rank - 3 || (along > 1 && fits))
            break;
    }
    d->extra = gf_zarr_chunk_bytes(a) +
               (d->unit == GF_WHOLE ? 0 : gf_min(a->most_pages * a->page, 1LL << 60));
}

static int zarr_open(struct gf_decoder *d, struct gf_image *image) {
    struct gf_zarr_array *a = d->state;
    const char *folder = d->options.path;
    json_t *root = NULL, *around = NULL;
    const json_t *attributes = NULL, *level = NULL;
    bool group = true;
    int rc = folder ? find_attributes(folder, &root, &attributes, &group) : gf_zarr_bad("path");
    const json_t *scales = scales_of(attributes);
    if (!rc)
        rc = group ? open_level(folder, attributes, a, &level) : gf_zarr_open_array(folder, a);
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
            rc = gf_zarr_bad("shape");
    const int ndim = a->n < 3 ? a->n : 3;
    if (!rc)
        rc = gf_image_describe(image, a->dtype, ndim, shape + 3 - ndim, 1);
    if (rc)
        return rc;
    image->compression = gf_zarr_codec_names[a->codec];
    d->unit = ndim < 3 ? GF_WHOLE : GF_PAGE;
    choose_runs(d);
    return GF_OK;
}

/* Pages that are decoded together, and their chunks' indices along each axis. */
struct run {
    int64_t first, count;
    int64_t from[GF_ZARR_DIMS], end[GF_ZARR_DIMS];
};

static struct run run_of(const struct gf_zarr_array *a, int64_t page) {
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
static void place(const struct gf_zarr_array *a, const struct run *r, const int64_t *at,
                  const char *chunk, char *to) {
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

/* The number of a run's first chunk; *n is the number of its chunks, which follow each other. */
static int64_t chunks_of(const struct gf_zarr_array *a, const struct run *r, int64_t *n) {
    int64_t number = 0;
    *n = 1;
    for (int i = 0; i < a->rank; i++) {
        number = number * gf_divide_up(a->shape[i], a->chunk[i]) + r->from[i];
        *n *= r->end[i] - r->from[i];
    }
    return number;
}

static int decode_run(struct gf_zarr_array *a, const struct run *r, char *to) {
    const int64_t numbers = gf_shape_count(a->chunk, a->rank);
    const bool coded = a->coding.coded;
    int64_t at[GF_ZARR_DIMS], n, first = chunks_of(a, r, &n);
    int64_t k = gf_zarr_find_stored(a, first), end = gf_zarr_find_stored(a, first + n);
    int rc = GF_OK;
    if (end - k < n)
        rc = gf_zarr_fill(a, r->count * (a->page / (int64_t)gf_dtype_size(a->dtype)), to);
    char *buffer[2] = {malloc((size_t)numbers * gf_coding_bytes(&a->coding, a->dtype)),
                       coded ? malloc((size_t)numbers * gf_dtype_size(a->dtype)) : NULL};
    rc = rc || (buffer[0] && buffer[coded]) ? rc : gf_no_memory();
    for (; k < end && !rc; k++) {
        for (int64_t i = a->rank - 1, rest = a->stored[k]; i >= 0; i--) {
            const int64_t chunks = gf_divide_up(a->shape[i], a->chunk[i]);
            at[i] = rest % chunks;
            rest /= chunks;
        }
        rc = gf_zarr_read_chunk(a, at, numbers, buffer);
        if (!rc)
            place(a, r, at, buffer[coded], to);
    }
    free(buffer[0]);
    free(buffer[1]);
    return rc;
}

/* How many pages from p on, of a run of none but missing chunks, have the fill value: those of the
 * runs until a chunk that is stored. */
static int64_t missing_pages(const struct gf_zarr_array *a, const struct run *r, int64_t p) {
    const int64_t along = gf_divide_up(a->shape[a->axis], a->chunk[a->axis]);
    const int64_t faster =
        r->count /
        gf_min(a->chunk[a->axis], a->shape[a->axis] - r->from[a->axis] * a->chunk[a->axis]);
    int64_t n, first = chunks_of(a, r, &n), k = gf_zarr_find_stored(a, first), all = 1;
    bool in_order = true; /* runs are as their chunks are */
    for (int i = 0; i < a->rank; i++) {
        all *= gf_divide_up(a->shape[i], a->chunk[i]);
        in_order = in_order && (i >= a->axis || a->chunk[i] == 1);
    }
    const int64_t run = first / n, line = run / along;
    int64_t until = (k < a->n_stored ? a->stored[k] : all) / n;
    if (!in_order)
        until = gf_min(until, (line + 1) * along);
    const int64_t runs = (until / along - line) * a->shape[a->axis] +
                         (until % along - run % along) * a->chunk[a->axis];
    return until > run ? r->first + runs * faster - p : 0;
}

/* Whole runs are decoded in place, others are kept for the pages that come next. */
static int zarr_read(struct gf_decoder *d, const struct gf_image *image, enum gf_unit unit,
                     int64_t from, int64_t n, void *to) {
    struct gf_zarr_array *a = d->state;
    const int64_t samples = a->page / (int64_t)gf_dtype_size(a->dtype);
    char *out = to;
    int rc = gf_zarr_list_chunks(a);
    (void)image, (void)unit; /* pages, or the only one */
    for (int64_t p = from, some; p < from + n && !rc; p += some, out += some * a->page) {
        const struct run r = run_of(a, p);
        const bool held = a->held && a->first == r.first;
        some = held ? 0 : gf_min(missing_pages(a, &r, p), from + n - p);
        if (some > 0) {
            rc = gf_zarr_fill(a, some * samples, out);
            continue;
        }
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
    struct gf_zarr_array *a = d->state;
    free(a->run);
    free(a->stored);
    free(a->folder);
}

const struct gf_format gf_format_zarr = {
    .name = "zarr",
    .suffixes = "zarr",
    .summary = "OME-Zarr 0.4 and 0.5, and arrays of Zarr 2 and 3",
    .state_bytes = sizeof(struct gf_zarr_array),
    .open = zarr_open,
    .read_part = zarr_read,
    .close = zarr_close,
};
