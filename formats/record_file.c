/* PATH.json: parsed as hostile input, and verified by parsing before it is written. */
#include "formats/record_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/value/status.h"
#include "formats/json.h"

int gf_record_file_load(const char *path, char **text, size_t *n) {
    int64_t bytes = 0;
    char *name = gf_record_path(path);
    *text = NULL;
    int rc = name ? gf_source_load(name, "cannot read its record", GF_RECORD_FILE_MAX, text, &bytes)
                  : gf_no_memory();
    *n = rc ? 0 : (size_t)bytes;
    free(name);
    return rc;
}

static int bad(const char *what) {
    return gf_fail(GF_EFORMAT, "its record (.json beside it) is broken: %s", what);
}

static int parse_crc(const char *text, uint32_t *out) {
    if (!text || strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8)
        return bad("no crc32");
    *out = (uint32_t)strtoul(text, NULL, 16);
    return GF_OK;
}

static int parse_layout(const json_t *data, struct gf_description *out) {
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
    l->ndim = gf_json_list(json_object_get(data, "shape"), 3, 1, INT64_MAX, l->shape);
    l->channels = json_integer_value(json_object_get(data, "channels"));
    if (!l->ndim || l->channels < 1 || l->channels > GF_MAX_CHANNELS)
        return bad("no shape");
    return GF_OK;
}

/* Removes the description's own keys from `root`, which leaves the record. */
static int parse_description(json_t *root, struct gf_description *out) {
    const json_t *data = json_object_get(root, "data"), *bytes = json_object_get(data, "bytes");
    if (!json_is_object(data))
        return bad("no word on the data");
    bool has_record = !json_is_null(json_object_get(data, "format"));
    int rc = has_record ? parse_layout(data, out) : GF_OK;
    if (rc)
        return rc;
    if (!json_is_integer(bytes) || json_integer_value(bytes) < 0)
        return bad("no size");
    out->bytes = json_integer_value(bytes);
    rc = parse_crc(json_string_value(json_object_get(data, "crc32")), &out->crc32);
    if (rc || !has_record)
        return rc;
    json_object_del(root, "data");
    json_object_del(root, "before");
    out->record = json_dumps(root, JSON_COMPACT);
    return out->record ? GF_OK : gf_no_memory();
}

int gf_record_file_parse(const char *text, size_t n, struct gf_record_file *out) {
    int rc = GF_OK;
    json_error_t error;
    *out = (struct gf_record_file){0};
    if (n > GF_RECORD_FILE_MAX)
        return gf_record_is_ours(text, n) ? bad("more than 46 MiB") : GF_OK;
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error), *before = NULL;
    if (!json_is_object(root)) {
        /* Other programs' JSON is ignored; an empty file is a record that was cut short. */
        if (!root && json_error_code(&error) == json_error_out_of_memory)
            rc = gf_no_memory();
        else if (n == 0 || gf_record_is_ours(text, n))
            rc = bad("no JSON object");
        goto out;
    }
    if (!json_object_get(root, "gpufft")) {
        if (gf_record_is_ours(text, n))
            rc = bad("its \"gpufft\" is missing");
        goto out;
    }
    before = json_incref(json_object_get(root, "before"));
    rc = parse_description(root, &out->d[out->n++]);
    if (!rc && before)
        rc = parse_description(before, &out->d[out->n++]);
out:
    json_decref(before);
    json_decref(root);
    if (rc)
        gf_record_file_free(out);
    return rc;
}

int gf_record_file_read(const char *path, struct gf_record_file *out) {
    char *text;
    size_t n;
    *out = (struct gf_record_file){0};
    int rc = gf_record_file_load(path, &text, &n);
    if (!rc && text)
        rc = gf_record_file_parse(text, n, out);
    free(text);
    return rc;
}

int gf_record_file_choose(const struct gf_record_file *file, const struct gf_chain *data,
                          int threads, const struct gf_description **out) {
    uint32_t crc;
    int64_t size = gf_chain_size(data);
    *out = NULL;
    if (size < 0)
        return GF_OK;
    int rc = gf_crc32_source(data, size, threads, &crc);
    for (int i = 0; i < file->n && !rc && !*out; i++)
        if (file->d[i].bytes == size && file->d[i].crc32 == crc)
            *out = &file->d[i];
    return rc;
}

int gf_description_differs(const char *why, bool may_be_edited) {
    return gf_fail(GF_EFORMAT, "the .json record beside it describes a different file: %s%s", why,
                   may_be_edited ? "; inv --edited and idwt --edited take a file that was edited"
                                 : "");
}

int gf_record_file_find(const struct gf_record_file *file, const struct gf_chain *data, int threads,
                        const struct gf_description **out) {
    *out = file->n == 1 && file->d[0].record ? &file->d[0] : NULL;
    if (*out || file->n == 0)
        return GF_OK;
    int rc = gf_record_file_choose(file, data, threads, out);
    if (!rc && !*out)
        rc = gf_fail(GF_EFORMAT, "the .json record beside it describes a different file%s",
                     file->n > 1 ? ", and of two --edited cannot choose" : "");
    if (!rc && !(*out)->record)
        *out = NULL; /* data without a record */
    return rc;
}

int gf_description_check(const struct gf_description *d, const struct gf_decoder *decoder) {
    const struct gf_raw_layout *is = &decoder->layout, *was = &d->layout;
    if (decoder->coding.coded || is->dtype != was->dtype)
        return gf_fail(GF_EFORMAT,
                       "its type is %s%s, that of its record %s; save it with that type",
                       decoder->coding.coded ? "another one, read as " : "",
                       gf_dtype_name(is->dtype), gf_dtype_name(was->dtype));
    if (is->ndim != was->ndim || is->channels != was->channels ||
        memcmp(is->shape, was->shape, (size_t)was->ndim * sizeof *was->shape))
        return gf_fail(GF_EFORMAT, "its shape is not that of its record");
    return GF_OK;
}

void gf_record_file_free(struct gf_record_file *file) {
    for (int i = 0; i < file->n; i++)
        free(file->d[i].record);
    *file = (struct gf_record_file){0};
}

/* Returns NULL if memory is short or the record is no JSON object. */
static json_t *description_json(const struct gf_description *d) {
    const struct gf_raw_layout *l = &d->layout;
    char crc[9];
    json_error_t error;
    json_t *root, *data;
    snprintf(crc, sizeof crc, "%08x", (unsigned)d->crc32);
    if (d->record) {
        json_t *shape = json_array();
        bool whole = shape != NULL;
        for (int i = 0; i < l->ndim; i++)
            whole &= !json_array_append_new(shape, json_integer(l->shape[i]));
        root = json_loads(d->record, JSON_REJECT_DUPLICATES, &error);
        data = json_pack("{s:s, s:s, s:O, s:I, s:s, s:I, s:s}", "format", d->format->name, "type",
                         gf_dtype_name(l->dtype), "shape", whole ? shape : NULL, "channels",
                         (json_int_t)l->channels, "endian", l->big_endian ? "big" : "little",
                         "bytes", (json_int_t)d->bytes, "crc32", crc);
        json_decref(shape);
    } else {
        root = json_pack("{s:i}", "gpufft", 1);
        data = json_pack("{s:n, s:I, s:s}", "format", "bytes", (json_int_t)d->bytes, "crc32", crc);
    }
    if (json_object_set_new(root, "data", data)) {
        json_decref(root);
        return NULL;
    }
    return root;
}

int gf_record_file_text(const struct gf_description *now, const struct gf_description *before,
                        char **text) {
    struct gf_record_file parsed = {0};
    json_t *root = description_json(now);
    if (root && before && json_object_set_new(root, "before", description_json(before))) {
        json_decref(root);
        root = NULL;
    }
    int rc = gf_json_text(root, "\n", text);
    if (!rc)
        rc = gf_record_file_parse(*text, strlen(*text), &parsed);
    gf_record_file_free(&parsed);
    if (rc) {
        free(*text);
        *text = NULL;
    }
    return rc;
}

void gf_record_name_axes(struct gf_image *image, struct gf_read_options *options) {
    const int64_t pages = image->ndim == 3 ? image->px.shape[0] : 1;
    struct gf_record r;
    struct gf_axes *axes = &r.file_axes;
    bool own = false;
    for (int i = 0; i < image->axes.n; i++)
        own = own || image->axes.axis[i].spacing > 0;
    if (image->ndim < 2 || gf_record_parse(image->record, &r) || axes->n < 2 ||
        (own && !axes->named))
        return;
    const int64_t volumes = gf_axes_groups(axes);
    const bool is_whole = r.ndim == 3 && r.shape[0] == gf_axes_pages(axes);
    for (int i = 0; i < axes->n && r.is_wavelet; i++)
        if (axes->axis[i].role == GF_SPACE) {
            axes->axis[i].spacing = 0;
            if (pages % volumes == 0) /* the last two have the image's extents in the end */
                axes->axis[i].extent = pages / volumes;
        }
    if (gf_axes_pages(axes) != pages)
        return;
    if (!r.is_wavelet)
        gf_axes_transform(axes, r.ndim, r.shape, r.axes);
    for (int i = 0; i < 2; i++)
        axes->axis[axes->n - 2 + i].extent = image->px.shape[image->ndim - 2 + i];
    axes->separate = image->axes.separate;
    image->axes = *axes;
    options->volumes = options->volumes && !is_whole;
}
