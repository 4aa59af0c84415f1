#include "formats/record_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/status.h"
#include "formats/record.h"

enum { MAX_TEXT = 64 * 1024 };

char *gf_record_path(const char *path) {
    size_t n = strlen(path);
    char *p = malloc(n + sizeof ".json");
    if (p) {
        memcpy(p, path, n);
        memcpy(p + n, ".json", sizeof ".json");
    }
    return p;
}

/* *text is NULL when there is no such file. */
static int load(const char *path, char **text, size_t *n) {
    struct gf_source *source = NULL;
    struct stat st;
    *text = NULL;
    char *name = gf_record_path(path);
    if (!name)
        return gf_fail(GF_ENOMEM, "out of memory");
    int rc = GF_OK;
    if (stat(name, &st)) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
            rc = gf_fail_errno(GF_EIO, "cannot read its record");
        goto out;
    }
    if (!S_ISREG(st.st_mode))
        goto out;
    *text = malloc(MAX_TEXT + 1);
    if (!*text)
        rc = gf_fail(GF_ENOMEM, "out of memory");
    else
        rc = gf_source_open(name, &source);
    if (!rc) {
        int64_t got = gf_source_read(source, *text, MAX_TEXT + 1);
        rc = got < 0 ? (int)got : GF_OK;
        *n = got > 0 ? (size_t)got : 0; /* MAX_TEXT + 1 shows that it is too long */
    }
out:
    gf_source_close(source);
    free(name);
    if (rc) {
        free(*text);
        *text = NULL;
    }
    return rc;
}

static bool mentions_us(const char *text, size_t n) {
    return memmem(text, n < MAX_TEXT ? n : MAX_TEXT, "\"gpufft\"", 8) != NULL;
}

int gf_record_file_probe(const char *path, bool *exists, bool *ours) {
    char *text;
    size_t n = 0;
    int rc = load(path, &text, &n);
    *exists = text != NULL;
    *ours = !text || mentions_us(text, n);
    free(text);
    return rc;
}

static int bad(const char *what) {
    return gf_fail(GF_EFORMAT, "its record (.json beside it) is broken: %s", what);
}

static int get_extent(const json_t *value, int64_t max, int64_t *out) {
    if (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > max)
        return bad("an extent that cannot be");
    *out = json_integer_value(value);
    return GF_OK;
}

static int parse_crc(const char *text, uint32_t *out) {
    uint32_t v = 0;
    if (!text || strlen(text) != 8)
        return bad("no crc32");
    for (const char *p = text; *p; p++) {
        const char *digits = "0123456789abcdef", *d = strchr(digits, *p);
        if (!d)
            return bad("no crc32");
        v = v << 4 | (uint32_t)(d - digits);
    }
    *out = v;
    return GF_OK;
}

static int parse_data(const json_t *data, struct gf_record_file *out) {
    const json_t *shape = json_object_get(data, "shape"), *bytes = json_object_get(data, "bytes");
    const char *format = json_string_value(json_object_get(data, "format"));
    const char *type = json_string_value(json_object_get(data, "type"));
    const char *endian = json_string_value(json_object_get(data, "endian"));
    struct gf_raw_layout *l = &out->layout;
    out->format = format ? gf_format_by_name(format) : NULL;
    if (!out->format || !out->format->record_beside)
        return bad("an unknown format");
    if (!type || gf_dtype_parse(type, &l->dtype))
        return bad("an unknown type");
    if (!endian || (strcmp(endian, "little") && strcmp(endian, "big")))
        return bad("an unknown byte order");
    l->big_endian = !strcmp(endian, "big");
    size_t ndim = json_is_array(shape) ? json_array_size(shape) : 0;
    if (ndim < 1 || ndim > 3)
        return bad("no shape");
    l->ndim = (int)ndim;
    for (size_t i = 0; i < ndim; i++) {
        int rc = get_extent(json_array_get(shape, i), INT64_MAX, &l->shape[i]);
        if (rc)
            return rc;
    }
    int rc = get_extent(json_object_get(data, "channels"), GF_MAX_CHANNELS, &l->channels);
    if (rc)
        return rc;
    if (!json_is_integer(bytes) || json_integer_value(bytes) < 0)
        return bad("no size");
    out->bytes = json_integer_value(bytes);
    return parse_crc(json_string_value(json_object_get(data, "crc32")), &out->crc32);
}

int gf_record_file_read(const char *path, struct gf_record_file *out) {
    char *text;
    size_t n = 0;
    *out = (struct gf_record_file){0};
    int rc = load(path, &text, &n);
    if (rc || !text)
        return rc;
    json_t *root = NULL;
    if (n > MAX_TEXT) {
        if (mentions_us(text, n))
            rc = bad("more than 64 KiB");
        goto out;
    }
    json_error_t error;
    root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(root)) {
        /* Someone else's JSON is none of our business; an empty file is a record cut short. */
        if (n == 0 || mentions_us(text, n))
            rc = bad("no JSON object");
        goto out;
    }
    if (!json_object_get(root, "gpufft"))
        goto out;
    json_t *data = json_object_get(root, "data");
    if (!json_is_object(data))
        rc = bad("no word on the data");
    else
        rc = parse_data(data, out);
    if (rc)
        goto out;
    json_object_del(root, "data");
    out->record = json_dumps(root, JSON_COMPACT);
    out->found = true;
    if (!out->record)
        rc = gf_fail(GF_ENOMEM, "out of memory");
out:
    json_decref(root);
    free(text);
    return rc;
}

void gf_record_file_free(struct gf_record_file *file) {
    free(file->record);
    *file = (struct gf_record_file){0};
}

char *gf_record_file_text(const struct gf_format *format, const struct gf_image *image,
                          bool big_endian, int64_t bytes, uint32_t crc32) {
    char crc[9], *text = NULL;
    json_error_t error;
    json_t *root = json_loads(image->record, JSON_REJECT_DUPLICATES, &error);
    json_t *shape = json_array();
    for (int i = 0; i < image->ndim; i++)
        json_array_append_new(shape, json_integer(image->px.shape[i]));
    snprintf(crc, sizeof crc, "%08x", (unsigned)crc32);
    json_t *data =
        json_pack("{s:s, s:s, s:o, s:I, s:s, s:I, s:s}", "format", format->name, "type",
                  gf_dtype_name(image->px.dtype), "shape", shape, "channels",
                  (json_int_t)image->px.shape[image->ndim], "endian", big_endian ? "big" : "little",
                  "bytes", (json_int_t)bytes, "crc32", crc);
    if (json_is_object(root) && data && !json_object_set(root, "data", data)) {
        char *line = json_dumps(root, JSON_COMPACT);
        size_t n = line ? strlen(line) : 0;
        text = line ? malloc(n + 2) : NULL;
        if (text) {
            memcpy(text, line, n);
            memcpy(text + n, "\n", 2);
        }
        free(line);
    }
    json_decref(data);
    json_decref(root);
    return text;
}
