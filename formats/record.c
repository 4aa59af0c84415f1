/* Records as JSON, and back with every field checked. */
#include "formats/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/value/status.h"
#include "formats/checksum.h"
#include "formats/json.h"

enum { MAX_DEPTH = 128, MAX_CHANNELS = 65535 };

static const char *const color_names[] = {"gray", "rgb", "other", NULL};
static const char *const alpha_names[] = {"none", "dropped", "kept", NULL};
static const char *const unit_names[] = {"none", "inch", "centimetre", "metre", NULL};

/* The key of the picture's shape, then the keys of older files. Not "shape": TIFF readers such as
 * tifffile take that for the arrangement of the pages. */
static const char *const shape_keys[] = {"extents", "shape", "picture_shape", NULL};

/* The fields of a record in order; the words are part of the file format. A constant word is a
 * field without a member of struct gf_record. */
static const struct field {
    const char *key;
    enum { NUMBER, TRUTH, NAME, SHAPE, AXES } type;
    size_t at, size; /* in struct gf_record */
    int64_t low, high;
    const char *const *names;
    bool sparse;  /* present only if true */
    bool wavelet; /* present only for wavelet coefficients */
} fields[] = {
#define AT(member) offsetof(struct gf_record, member), sizeof((struct gf_record *)0)->member
#define WORD(only) \
    0, 0, .names = (const char *const[]) { \
        only, NULL \
    }
    {"gpufft", NUMBER, AT(version), .low = 1, .high = INT32_MAX},
    {"kind", NAME, AT(kind), .names = gf_kind_names},
    {"extents", SHAPE, AT(shape), .low = 1},
    {"channels", NUMBER, AT(channels), .low = 1, .high = MAX_CHANNELS},
    {"color", NAME, AT(color), .names = color_names},
    {"type", NAME, AT(dtype), .names = gf_dtype_names},
    {"depth", NUMBER, AT(depth), .high = MAX_DEPTH},
    {"axes", AXES, AT(axes), .low = 0},
    {"norm", NAME, AT(norm), .names = gf_norm_names},
    {"shift", TRUTH, AT(shift), .low = 0},
    {"half", TRUTH, AT(half), .low = 0},
    {"luma", TRUTH, AT(luma), .low = 0},
    {"complex_input", TRUTH, AT(complex_input), .low = 0},
    {"alpha", NAME, AT(alpha), .names = alpha_names},
    {"white", NUMBER, AT(white), .low = 1, .high = UINT32_MAX, .sparse = true},
    {"channel_axis", TRUTH, AT(channel_axis), .sparse = true},
    {"smooth", TRUTH, AT(smooth), .sparse = true},
    {"transform", NAME, WORD("dwt"), .wavelet = true},
    {"wavelet", NAME, AT(wavelet), .names = gf_wavelet_names, .wavelet = true},
    {"levels", NUMBER, AT(levels), .low = 1, .high = GF_MAX_LEVELS, .wavelet = true},
    {"boundary", NAME, AT(boundary), .names = gf_boundary_names, .wavelet = true},
    {"thresholded", TRUTH, AT(thresholded), .wavelet = true},
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

/* Keys that few other programs write. A foreign description may have one or two of them. */
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

static int get_integer(const json_t *v, const char *key, int64_t low, int64_t high, int64_t *out) {
    *out = json_integer_value(v);
    return json_is_integer(v) && *out >= low && *out <= high ? GF_OK : bad(key);
}

static int get_shape(const json_t *root, struct gf_record *r) {
    const json_t *shape = NULL;
    for (int i = 0; shape_keys[i]; i++) {
        const json_t *named = json_object_get(root, shape_keys[i]);
        if (shape && named)
            return bad(shape_keys[i]);
        shape = named ? named : shape;
    }
    r->ndim = gf_json_list(shape, GF_MAX_DIMS, 1, INT64_MAX, r->shape);
    return r->ndim ? GF_OK : bad("shape");
}

static int get_axes(const json_t *root, struct gf_record *r) {
    int64_t axis[GF_MAX_DIMS];
    const int n = gf_json_list(json_object_get(root, "axes"), r->ndim, 0, r->ndim - 1, axis);
    for (int i = 0; i < n; i++)
        r->axes |= 1u << axis[i];
    return n && __builtin_popcount(r->axes) == n ? GF_OK : bad("axes");
}

static int get_field(const json_t *root, const struct field *f, struct gf_record *r) {
    const json_t *v = json_object_get(root, f->key);
    const char *word = json_string_value(v);
    void *to = (char *)r + f->at;
    int64_t n = 0;
    int rc = GF_OK;
    if (f->type == SHAPE || f->type == AXES)
        return f->type == SHAPE ? get_shape(root, r) : get_axes(root, r);
    if (f->type == NUMBER) {
        rc = get_integer(v, f->key, f->low, f->high, &n);
    } else if (f->type == TRUTH) {
        n = json_is_true(v);
        rc = json_is_boolean(v) ? GF_OK : bad(f->key);
    } else {
        n = gf_word_find(f->names, word);
        rc = n >= 0 ? GF_OK : bad(f->key);
    }
    if (f->size == sizeof(int64_t))
        *(int64_t *)to = n;
    else if (f->size == sizeof(int))
        *(int *)to = (int)n;
    else if (f->size)
        *(bool *)to = n;
    return rc;
}

/* [x, y, unit]; most records have none. */
static int get_resolution(const json_t *root, struct gf_resolution *out) {
    const json_t *v = json_object_get(root, "resolution");
    const json_t *x = json_array_get(v, 0), *y = json_array_get(v, 1);
    const int unit = gf_word_find(unit_names, json_string_value(json_array_get(v, 2)));
    if (!v)
        return GF_OK;
    if (unit >= 0)
        gf_resolution_set(out, json_number_value(x), json_number_value(y),
                          (enum gf_resolution_unit)unit);
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
        gf_put_big_endian(m->primaries + 4 * i, (uint32_t)number);
    }
    return GF_OK;
}

static int get_metadata(const json_t *root, struct gf_metadata *m) {
    const json_t *g = json_object_get(root, "gamma"), *s = json_object_get(root, "srgb");
    int64_t gamma = 0, intent = 0;
    m->srgb = s != NULL;
    int rc = get_resolution(root, &m->resolution);
    if (!rc && g)
        rc = get_integer(g, "gamma", 1, INT32_MAX, &gamma);
    if (!rc && s)
        rc = get_integer(s, "srgb", 0, 3, &intent);
    m->gamma = (uint32_t)gamma;
    m->intent = (uint8_t)intent;
    return rc ? rc : get_primaries(root, m);
}

static int get_axis(const json_t *v, struct gf_axes *axes) {
    const char *name = json_string_value(json_object_get(v, "name"));
    const char *unit = json_string_value(json_object_get(v, "unit"));
    const int role = gf_word_find(gf_role_names, json_string_value(json_object_get(v, "role")));
    int64_t extent = 0;
    int rc = get_integer(json_object_get(v, "extent"), "file_axes", 1, INT64_MAX, &extent);
    if (rc || !name || role < 0)
        return bad("file_axes");
    char clean[12];
    gf_unit_copy(unit, 0, clean);
    gf_axes_add(axes, name, extent, json_number_value(json_object_get(v, "spacing")), clean);
    axes->axis[0].role = (enum gf_role)role;
    return GF_OK;
}

/* The axes, and whether those of its pages are time, channel or picture. */
static int get_axes_of_file(const json_t *root, struct gf_axes *axes) {
    const json_t *list = json_object_get(root, "file_axes");
    const size_t n = json_array_size(list);
    int64_t all[GF_MAX_AXES], count;
    int rc = list && (!json_is_array(list) || !n || n > GF_MAX_AXES) ? bad("file_axes") : GF_OK;
    for (size_t i = n; i > 0 && !rc; i--)
        rc = get_axis(json_array_get(list, i - 1), axes);
    for (int i = 0; i < axes->n; i++) {
        all[i] = axes->axis[i].extent;
        axes->named = axes->named || (i < axes->n - 2 && axes->axis[i].role != GF_SPACE);
    }
    return !rc && n && gf_size_product(all, axes->n, 1, &count) ? bad("file_axes") : rc;
}

/* Checks fields against each other. */
static int check_together(const struct gf_record *r) {
    int64_t extents[GF_MAX_DIMS + 1], bytes;
    for (int i = 0; i < r->ndim; i++)
        extents[i] = r->shape[i];
    extents[r->ndim] = r->channels + 1; /* with alpha */
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
    if (r->is_wavelet && (r->kind != GF_REAL || r->complex_input || r->half || r->shift || r->luma))
        return bad("kind");
    const bool changed = !gf_window_is_flat(&r->window) || r->smooth;
    if (changed != (r->version == GF_RECORD_WINDOW) || (r->smooth && r->complex_input) ||
        (changed && (r->is_wavelet || gf_dtype_is_integer(r->dtype))))
        return bad("window");
    if (r->depth > 8 * (int)gf_dtype_size(r->dtype))
        return bad("depth");
    return GF_OK;
}

static int parse(const json_t *root, struct gf_record *r) {
    if (!json_is_object(root) || !json_object_get(root, "gpufft"))
        return gf_fail(GF_EFORMAT, "this is no spectrum record");
    int rc = get_field(root, &fields[0], r);
    if (!rc && r->version > GF_RECORD_LATEST)
        return gf_fail(GF_EFORMAT,
                       "its spectrum record is of version %d, this program knows up to %d",
                       r->version, GF_RECORD_LATEST);
    r->is_wavelet = r->version == GF_RECORD_WAVELET ||
                    (r->version >= GF_RECORD_AXES && json_object_get(root, "transform"));
    /* Most records, and all of older versions, lack sparse fields. */
    for (const struct field *f = fields + 1; f < fields + N_FIELDS && !rc; f++)
        if (f->sparse ? json_object_get(root, f->key) != NULL : !f->wavelet || r->is_wavelet)
            rc = get_field(root, f, r);
    if (!rc)
        rc = get_metadata(root, &r->metadata);
    const json_t *window = json_object_get(root, "window");
    if (!rc && window &&
        (!json_is_string(window) || !gf_window_parse(json_string_value(window), &r->window)))
        rc = bad("window");
    if (!rc && r->version >= GF_RECORD_AXES)
        rc = get_axes_of_file(root, &r->file_axes);
    return rc ? rc : check_together(r);
}

int gf_record_parse(const char *text, struct gf_record *out) {
    struct gf_record r = {0};
    json_error_t error;
    if (strnlen(text, GF_MOST_RECORD + 1) > GF_MOST_RECORD)
        return gf_fail(GF_EFORMAT, "its spectrum record is longer than %d bytes", GF_MOST_RECORD);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    int rc;
    if (root)
        rc = parse(root, &r);
    else if (json_error_code(&error) == json_error_out_of_memory)
        rc = gf_no_memory();
    else
        rc = gf_fail(GF_EFORMAT, "its spectrum record is no JSON (line %d, column %d)", error.line,
                     error.column);
    json_decref(root);
    if (!rc)
        *out = r;
    return rc;
}

/* NULL if memory is short. */
static json_t *axes_json(const struct gf_axes *axes) {
    json_t *list = json_array();
    bool whole = list != NULL;
    for (const struct gf_axis *a = axes->axis; a < axes->axis + axes->n; a++)
        whole = whole && !json_array_append_new(
                             list, json_pack("{s:s, s:I, s:f, s:s, s:s}", "name", a->name, "extent",
                                             (json_int_t)a->extent, "spacing", a->spacing, "unit",
                                             a->unit, "role", gf_role_names[a->role]));
    if (whole)
        return list;
    json_decref(list);
    return NULL;
}

/* ---- bytes as text: deflated (zlib's format), then in base64 (RFC 4648) ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The caller frees the text; NULL if memory is short. */
static char *packed_encode(const unsigned char *data, size_t n) {
    uLongf packed = compressBound((uLong)n);
    unsigned char *bytes = calloc(1, packed + 3); /* zeros behind the last group */
    char *text = bytes ? malloc(packed / 3 * 4 + 8) : NULL;
    if (!text || compress2(bytes, &packed, data, (uLong)n, 9) != Z_OK) {
        free(bytes);
        free(text);
        return NULL;
    }
    char *p = text;
    for (size_t i = 0; i < packed; i += 3, p += 4) {
        const uint32_t group =
            (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 0; k < 4; k++)
            p[k] = i + (size_t)k > packed ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
    *p = 0;
    free(bytes);
    return text;
}

/* Decodes base64 into *n bytes at `to`, which has room for three for every four characters. */
static int decode_digits(const char *text, unsigned char *to, size_t *n) {
    const size_t length = strlen(text), used = strcspn(text, "=");
    uint32_t group = 0;
    *n = 0;
    if (length % 4 || length - used > 2 || strspn(text + used, "=") != length - used)
        return bad("deflated");
    for (size_t i = 0; i < used; i++) {
        const char *at = strchr(digits, text[i]);
        if (!at)
            return bad("deflated");
        group = group << 6 | (uint32_t)(at - digits);
        if (i % 4)
            to[(*n)++] = (unsigned char)(group >> (6 - 2 * (i % 4)));
    }
    return GF_OK;
}

/* Sets *out to the n bytes that the text must decode to; the caller frees them. GF_EFORMAT for
 * anything else, before more than n bytes are made. */
static int packed_decode(const char *text, size_t n, unsigned char **out) {
    unsigned char *bytes = malloc(strlen(text) / 4 * 3 + 3);
    uLongf got = (uLong)n + 1; /* one more shows a text that holds more */
    size_t packed = 0;
    *out = malloc(n + 1);
    int rc = bytes && *out ? decode_digits(text, bytes, &packed) : gf_no_memory();
    if (!rc) {
        const int status = uncompress(*out, &got, bytes, (uLong)packed);
        rc = status == Z_MEM_ERROR        ? gf_no_memory()
             : status != Z_OK || got != n ? bad("deflated")
                                          : GF_OK;
    }
    free(bytes);
    if (rc) {
        free(*out);
        *out = NULL;
    }
    return rc;
}

/* {format, bytes, crc32, deflated in base64, more}. NULL if memory is short. */
static json_t *header_json(const struct gf_metadata *m) {
    char crc[9], *text = packed_encode(m->header, m->header_bytes);
    snprintf(crc, sizeof crc, "%08x", (unsigned)gf_crc32(0, m->header, m->header_bytes, 1));
    json_t *o = text ? json_pack("{s:s, s:I, s:s, s:s, s:o*}", "format", m->header_format, "bytes",
                                 (json_int_t)m->header_bytes, "crc32", crc, "deflated", text,
                                 "more", m->more ? json_true() : NULL)
                     : NULL;
    free(text);
    return o;
}

int gf_record_header(const char *text, struct gf_metadata *m) {
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    const json_t *o = json_object_get(root, "header");
    const char *name = json_string_value(json_object_get(o, "format"));
    const char *crc = json_string_value(json_object_get(o, "crc32"));
    const char *packed = json_string_value(json_object_get(o, "deflated"));
    const struct gf_format *format = name ? gf_format_by_name(name) : NULL;
    unsigned char *bytes = NULL;
    int64_t n = 0;
    int rc = o ? get_integer(json_object_get(o, "bytes"), "header", 0, GF_MOST_HEADER, &n) : GF_OK;
    if (o && !rc && (!format || !crc || !packed))
        rc = bad("header");
    if (o && !rc)
        rc = packed_decode(packed, (size_t)n, &bytes);
    if (o && !rc && strtoul(crc, NULL, 16) != gf_crc32(0, bytes, (size_t)n, 1))
        rc = bad("header");
    if (o && !rc)
        rc = gf_header_copy(m, format->name, bytes, (size_t)n);
    m->more = json_is_true(json_object_get(o, "more"));
    free(bytes);
    json_decref(root);
    return rc;
}

int gf_record_restore(const struct gf_record *r, struct gf_image *image) {
    struct gf_metadata *m = &image->metadata;
    const struct gf_metadata own = gf_metadata_profile(m);
    free(m->header);
    gf_rest_free(m->rest);
    *m = r->metadata;
    m->profile = own.profile;
    m->profile_bytes = own.profile_bytes;
    return gf_record_header(image->record, m);
}

/* Returns false if memory is short. */
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
    for (size_t i = 0; i < 8; i++)
        whole &=
            !json_array_append_new(list, json_integer(gf_get_big_endian(m->primaries + 4 * i)));
    return !json_object_set_new(root, "primaries", list) && whole;
}

static int64_t number_of(const struct field *f, const struct gf_record *r) {
    const void *at = (const char *)r + f->at;
    return f->size == sizeof(int64_t) ? *(const int64_t *)at
           : f->size == sizeof(int)   ? *(const int *)at
           : f->size                  ? *(const bool *)at
                                      : 0;
}

/* Returns NULL if memory is short. */
static json_t *field_json(const struct field *f, const struct gf_record *r) {
    if (f->type == NUMBER || f->type == TRUTH)
        return f->type == NUMBER ? json_integer(number_of(f, r)) : json_boolean(number_of(f, r));
    if (f->type == NAME)
        return json_string(f->names[number_of(f, r)]);
    json_t *list = json_array();
    bool whole = list != NULL;
    for (int i = 0; i < r->ndim; i++)
        if (f->type == SHAPE || r->axes >> i & 1)
            whole &= !json_array_append_new(list, json_integer(f->type == SHAPE ? r->shape[i] : i));
    if (whole)
        return list;
    json_decref(list);
    return NULL;
}

/* Returns NULL if memory is short. */
static json_t *record_json(const struct gf_record *r) {
    json_t *root = json_object();
    bool whole = root != NULL;
    for (const struct field *f = fields; f < fields + N_FIELDS; f++)
        if (f->sparse ? number_of(f, r) : !f->wavelet || r->is_wavelet)
            whole = whole && !json_object_set_new(root, f->key, field_json(f, r));
    char text[GF_WINDOW_TEXT];
    if (whole && !gf_window_is_flat(&r->window))
        whole = !json_object_set_new(root, "window", json_string(gf_window_text(&r->window, text)));
    if (whole && r->file_axes.n)
        whole = !json_object_set_new(root, "file_axes", axes_json(&r->file_axes));
    if (whole && r->metadata.header)
        whole = !json_object_set_new(root, "header", header_json(&r->metadata));
    if (whole && put_metadata(root, &r->metadata))
        return root;
    json_decref(root);
    return NULL;
}

int gf_record_format(const struct gf_record *record, char **text) {
    struct gf_record parsed, r = *record;
    r.version = !gf_window_is_flat(&r.window) || r.smooth ? GF_RECORD_WINDOW
                : r.file_axes.n || r.metadata.header      ? GF_RECORD_AXES
                : r.is_wavelet                            ? GF_RECORD_WAVELET
                                                          : GF_RECORD_SPECTRUM;
    int rc = gf_json_text(record_json(&r), "", text);
    if (!rc && (rc = gf_record_parse(*text, &parsed)) != GF_OK) {
        free(*text);
        *text = NULL;
    }
    return rc;
}

char *gf_record_path(const char *path) {
    char *p;
    return asprintf(&p, "%s.json", path) < 0 ? NULL : p;
}
