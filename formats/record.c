/* Records as JSON, and back with every field checked. */
#include "formats/record.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"

enum { MAX_TEXT = 64 * 1024, MAX_DEPTH = 128, MAX_CHANNELS = 65535 };

/* By enum gf_record_kind and so on: the words are part of the file format. */
static const char *const kind_names[] = {"magnitude", "phase",   "power", "real",
                                         "imag",      "complex", NULL};
static const char *const norm_names[] = {"backward", "ortho", "forward", NULL};
static const char *const boundary_names[] = {"periodic", "symmetric", "zero", NULL};
static const char *const color_names[] = {"gray", "rgb", "other", NULL};
static const char *const alpha_names[] = {"none", "dropped", "kept", NULL};

static const char *const unit_names[] = {"none", "inch", "centimetre", "metre", NULL};

/* The picture's shape; the later ones are what older files call it. Not "shape": TIFF readers such as
 * tifffile take that for how the pages are to be put together. */
static const char *const shape_keys[] = {"extents", "shape", "picture_shape", NULL};

/* Keys that few others write. A foreign description may have one or two of them. */
static const char *const own_keys[] = {"\"kind\"",          "\"norm\"",  "\"shift\"",
                                       "\"half\"",          "\"luma\"",  "\"complex_input\"",
                                       "\"picture_shape\"", "\"alpha\"", NULL};

bool gf_record_is_ours(const char *text, size_t n) {
    static const char start[] = "{\"gpufft\":";
    size_t whole = sizeof start - 1, marker = strlen("\"gpufft\"");
    if (memmem(text, n, "\"gpufft\"", marker) || (n > 0 && n < whole && !memcmp(text, start, n)))
        return true;
    int found = 0;
    for (int i = 0; own_keys[i]; i++)
        found += memmem(text, n, own_keys[i], strlen(own_keys[i])) != NULL;
    return found >= 3;
}

static int bad(const char *field) {
    return gf_fail(GF_EFORMAT, "its spectrum record is broken: bad '%s'", field);
}

static int get_integer(const json_t *root, const char *key, int64_t low, int64_t high,
                       int64_t *out) {
    const json_t *v = json_object_get(root, key);
    if (!json_is_integer(v) || json_integer_value(v) < low || json_integer_value(v) > high)
        return bad(key);
    *out = json_integer_value(v);
    return GF_OK;
}

static int get_bool(const json_t *root, const char *key, bool *out) {
    const json_t *v = json_object_get(root, key);
    if (!json_is_boolean(v))
        return bad(key);
    *out = json_is_true(v);
    return GF_OK;
}

/* The index of a string among `names`. */
static int get_name(const json_t *root, const char *key, const char *const *names, int *out) {
    const char *v = json_string_value(json_object_get(root, key));
    for (int i = 0; v && names[i]; i++)
        if (!strcmp(v, names[i])) {
            *out = i;
            return GF_OK;
        }
    return bad(key);
}

static int get_shape(const json_t *root, struct gf_record *r) {
    const json_t *shape = NULL;
    for (int i = 0; shape_keys[i]; i++) {
        const json_t *named = json_object_get(root, shape_keys[i]);
        if (shape && named)
            return bad(shape_keys[i]);
        shape = named ? named : shape;
    }
    size_t n = json_is_array(shape) ? json_array_size(shape) : 0;
    if (n < 1 || n > GF_RECORD_DIMS)
        return bad("shape");
    r->ndim = (int)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(shape, i);
        if (!json_is_integer(v) || json_integer_value(v) < 1)
            return bad("shape");
        r->shape[i] = json_integer_value(v);
    }
    return GF_OK;
}

static int get_axes(const json_t *root, struct gf_record *r) {
    const json_t *axes = json_object_get(root, "axes");
    size_t n = json_is_array(axes) ? json_array_size(axes) : 0;
    if (n < 1 || n > (size_t)r->ndim)
        return bad("axes");
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(axes, i);
        if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) >= r->ndim ||
            r->axes >> json_integer_value(v) & 1)
            return bad("axes");
        r->axes |= 1u << json_integer_value(v);
    }
    return GF_OK;
}

static int get_enums(const json_t *root, struct gf_record *r) {
    const char *types[GF_N_DTYPES + 1] = {0};
    int kind, norm, type, color, alpha;
    for (int i = 0; i < GF_N_DTYPES; i++)
        types[i] = gf_dtype_name((enum gf_dtype)i);
    int rc = get_name(root, "kind", kind_names, &kind);
    if (!rc)
        rc = get_name(root, "norm", norm_names, &norm);
    if (!rc)
        rc = get_name(root, "type", types, &type);
    if (!rc)
        rc = get_name(root, "color", color_names, &color);
    if (!rc)
        rc = get_name(root, "alpha", alpha_names, &alpha);
    if (rc)
        return rc;
    r->kind = (enum gf_record_kind)kind;
    r->norm = (enum gf_record_norm)norm;
    r->dtype = (enum gf_dtype)type;
    r->color = (enum gf_color)color;
    r->alpha = (enum gf_alpha)alpha;
    return GF_OK;
}

static int get_wavelet(const json_t *root, struct gf_record *r) {
    static const char *const transforms[] = {"dwt", NULL}, *const wavelets[] = {"d4", NULL};
    int transform, wavelet, boundary;
    int64_t levels;
    int rc = get_name(root, "transform", transforms, &transform);
    if (!rc)
        rc = get_name(root, "wavelet", wavelets, &wavelet);
    if (!rc)
        rc = get_integer(root, "levels", 1, GF_RECORD_LEVELS, &levels);
    if (!rc)
        rc = get_name(root, "boundary", boundary_names, &boundary);
    if (!rc)
        rc = get_bool(root, "thresholded", &r->thresholded);
    if (rc)
        return rc;
    if (r->kind != GF_RECORD_REAL || r->complex_input || r->half || r->shift || r->luma)
        return bad("kind");
    r->levels = (int)levels;
    r->boundary = (enum gf_record_boundary)boundary;
    return GF_OK;
}

/* [x, y, unit]; most records are without it. */
static int get_resolution(const json_t *root, struct gf_resolution *out) {
    const json_t *v = json_object_get(root, "resolution");
    const json_t *x = json_array_get(v, 0), *y = json_array_get(v, 1);
    const char *name = json_string_value(json_array_get(v, 2));
    if (!v)
        return GF_OK;
    for (int i = 0; name && unit_names[i]; i++)
        if (!strcmp(name, unit_names[i]))
            gf_resolution_set(out, json_number_value(x), json_number_value(y), (enum gf_unit)i);
    return out->x > 0 ? GF_OK : bad("resolution");
}

static int get_primaries(const json_t *root, struct gf_metadata *m) {
    const json_t *v = json_object_get(root, "primaries");
    m->has_primaries = v != NULL;
    for (size_t i = 0; i < 8 && v; i++) {
        const json_t *one = json_array_get(v, i);
        json_int_t number = json_integer_value(one);
        if (!json_is_integer(one) || number < 0 || number > INT32_MAX)
            return bad("primaries");
        for (size_t k = 0; k < 4; k++)
            m->primaries[4 * i + k] = (unsigned char)(number >> 8 * (3 - k));
    }
    return GF_OK;
}

static int get_metadata(const json_t *root, struct gf_metadata *m) {
    int64_t gamma = 0, intent = 0;
    m->srgb = json_object_get(root, "srgb") != NULL;
    int rc = get_resolution(root, &m->resolution);
    if (!rc && json_object_get(root, "gamma"))
        rc = get_integer(root, "gamma", 1, INT32_MAX, &gamma);
    if (!rc && m->srgb)
        rc = get_integer(root, "srgb", 0, 3, &intent);
    m->gamma = (uint32_t)gamma;
    m->intent = (uint8_t)intent;
    return rc ? rc : get_primaries(root, m);
}

/* Checks fields against each other. */
static int check_together(const struct gf_record *r) {
    int64_t extents[GF_RECORD_DIMS + 1], bytes;
    for (int i = 0; i < r->ndim; i++)
        extents[i] = r->shape[i];
    extents[r->ndim] = r->channels + 1; /* and alpha */
    /* c128 is the largest type of a spectrum */
    if (gf_size_product(extents, r->ndim + 1, 16, &bytes))
        return bad("shape");
    if (r->complex_input != gf_dtype_is_complex(r->dtype))
        return bad("complex_input");
    if (r->half && r->complex_input) /* only a real picture has a redundant half */
        return bad("half");
    if ((r->color == GF_GRAY && r->channels != 1) || (r->color == GF_RGB && r->channels != 3))
        return bad("color");
    if (r->luma && r->channels != 1)
        return bad("luma");
    if (r->channel_axis && r->channels != 1)
        return bad("channel_axis");
    if (r->depth > 8 * (int)gf_dtype_size(r->dtype))
        return bad("depth");
    return GF_OK;
}

static int parse(const json_t *root, struct gf_record *r) {
    int64_t version, depth;
    if (!json_is_object(root) || !json_object_get(root, "gpufft"))
        return gf_fail(GF_EFORMAT, "this is no spectrum record");
    int rc = get_integer(root, "gpufft", 1, INT32_MAX, &version);
    if (rc)
        return rc;
    if (version > GF_RECORD_WAVELET)
        return gf_fail(GF_EFORMAT,
                       "its spectrum record is of version %d, this program knows up to %d",
                       (int)version, GF_RECORD_WAVELET);
    r->version = (int)version;
    if ((rc = get_shape(root, r)) != GF_OK || (rc = get_axes(root, r)) != GF_OK ||
        (rc = get_integer(root, "channels", 1, MAX_CHANNELS, &r->channels)) != GF_OK ||
        (rc = get_integer(root, "depth", 0, MAX_DEPTH, &depth)) != GF_OK ||
        (rc = get_enums(root, r)) != GF_OK || (rc = get_bool(root, "shift", &r->shift)) != GF_OK ||
        (rc = get_bool(root, "half", &r->half)) != GF_OK ||
        (rc = get_bool(root, "luma", &r->luma)) != GF_OK ||
        (rc = get_bool(root, "complex_input", &r->complex_input)) != GF_OK)
        return rc;
    r->depth = (int)depth;
    if (r->version == GF_RECORD_WAVELET && (rc = get_wavelet(root, r)) != GF_OK)
        return rc;
    /* Records of most pictures, and those that older programs wrote, are without it. */
    if (json_object_get(root, "channel_axis") &&
        (rc = get_bool(root, "channel_axis", &r->channel_axis)) != GF_OK)
        return rc;
    if ((rc = get_metadata(root, &r->metadata)) != GF_OK)
        return rc;
    return check_together(r);
}

int gf_record_parse(const char *text, struct gf_record *out) {
    struct gf_record r = {0};
    json_error_t error;
    if (strnlen(text, MAX_TEXT + 1) > MAX_TEXT)
        return gf_fail(GF_EFORMAT, "its spectrum record is longer than %d bytes", MAX_TEXT);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    int rc;
    if (root)
        rc = parse(root, &r);
    else if (json_error_code(&error) == json_error_out_of_memory)
        rc = gf_fail(GF_ENOMEM, "out of memory");
    else
        rc = gf_fail(GF_EFORMAT, "its spectrum record is no JSON (line %d, column %d)", error.line,
                     error.column);
    json_decref(root);
    if (!rc)
        *out = r;
    return rc;
}

static bool same_metadata(const struct gf_metadata *a, const struct gf_metadata *b) {
    return !memcmp(&a->resolution.x, &b->resolution.x, sizeof a->resolution.x) &&
           !memcmp(&a->resolution.y, &b->resolution.y, sizeof a->resolution.y) &&
           a->resolution.unit == b->resolution.unit && a->gamma == b->gamma && a->srgb == b->srgb &&
           a->intent == b->intent && a->has_primaries == b->has_primaries &&
           !memcmp(a->primaries, b->primaries, sizeof a->primaries);
}

static bool same_record(const struct gf_record *a, const struct gf_record *b) {
    bool same = a->version == b->version && a->kind == b->kind && a->ndim == b->ndim &&
                a->channels == b->channels && a->color == b->color && a->dtype == b->dtype &&
                a->depth == b->depth && a->axes == b->axes && a->norm == b->norm &&
                a->shift == b->shift && a->half == b->half && a->luma == b->luma &&
                a->complex_input == b->complex_input && a->alpha == b->alpha &&
                a->channel_axis == b->channel_axis && same_metadata(&a->metadata, &b->metadata) &&
                !memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape);
    return same && (a->version != GF_RECORD_WAVELET ||
                    (a->levels == b->levels && a->boundary == b->boundary &&
                     a->thresholded == b->thresholded));
}

/* False where memory runs out. */
static bool put_metadata(json_t *root, const struct gf_metadata *m) {
    const struct gf_resolution *r = &m->resolution;
    bool whole = true;
    if (r->x > 0)
        whole &= !json_object_set_new(root, "resolution",
                                      json_pack("[f, f, s]", r->x, r->y, unit_names[r->unit]));
    if (m->gamma)
        whole &= !json_object_set_new(root, "gamma", json_integer(m->gamma));
    if (m->srgb)
        whole &= !json_object_set_new(root, "srgb", json_integer(m->intent));
    if (!m->has_primaries)
        return whole;
    json_t *list = json_array();
    for (size_t i = 0; i < 8; i++) {
        uint32_t v = 0;
        for (size_t k = 0; k < 4; k++)
            v = v << 8 | m->primaries[4 * i + k];
        whole &= !json_array_append_new(list, json_integer(v));
    }
    return !json_object_set_new(root, "primaries", list) && whole;
}

/* NULL where memory runs out; the library may also leave something out without a word. */
static char *record_text(const struct gf_record *r) {
    json_t *shape = json_array(), *axes = json_array();
    bool whole = shape && axes;
    for (int i = 0; i < r->ndim; i++) {
        whole &= !json_array_append_new(shape, json_integer(r->shape[i]));
        if (r->axes >> i & 1)
            whole &= !json_array_append_new(axes, json_integer(i));
    }
    json_t *root =
        json_pack("{s:i, s:s, s:O, s:I, s:s, s:s, s:i, s:O, s:s, s:b, s:b, s:b, s:b, s:s}",
                  "gpufft", r->version, "kind", kind_names[r->kind], shape_keys[0], shape,
                  "channels", (json_int_t)r->channels, "color", color_names[r->color], "type",
                  gf_dtype_name(r->dtype), "depth", r->depth, "axes", axes, "norm",
                  norm_names[r->norm], "shift", r->shift, "half", r->half, "luma", r->luma,
                  "complex_input", r->complex_input, "alpha", alpha_names[r->alpha]);
    if (r->channel_axis)
        whole &= !json_object_set_new(root, "channel_axis", json_true());
    if (r->version == GF_RECORD_WAVELET)
        whole &= !json_object_set_new(root, "transform", json_string("dwt")) &&
                 !json_object_set_new(root, "wavelet", json_string("d4")) &&
                 !json_object_set_new(root, "levels", json_integer(r->levels)) &&
                 !json_object_set_new(root, "boundary", json_string(boundary_names[r->boundary])) &&
                 !json_object_set_new(root, "thresholded", json_boolean(r->thresholded));
    whole = whole && root && put_metadata(root, &r->metadata);
    char *text = whole ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(shape);
    json_decref(axes);
    json_decref(root);
    return text;
}

int gf_record_format(const struct gf_record *r, char **text) {
    struct gf_record back;
    *text = record_text(r);
    int rc =
        *text ? gf_record_parse(*text, &back) : gf_fail(GF_ENOMEM, "out of memory for the record");
    if (!rc && !same_record(r, &back))
        rc = gf_fail(GF_EIO, "its record does not read back as it was made");
    if (rc) {
        free(*text);
        *text = NULL;
    }
    return rc;
}

char *gf_record_path(const char *path) {
    size_t n = strlen(path);
    char *p = malloc(n + sizeof ".json");
    if (p) {
        memcpy(p, path, n);
        memcpy(p + n, ".json", sizeof ".json");
    }
    return p;
}
