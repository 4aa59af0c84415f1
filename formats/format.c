/* The table of formats, and reading and writing whole files by it. */
#include "formats/format.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/base/status.h"
#include "formats/checksum.h"
#include "formats/image.h"
#include "formats/pair.h"
#include "formats/io_guard.h"
#include "formats/pnm.h"
#include "formats/record_file.h"

const struct gf_format *const gf_formats[] = {&gf_format_png,
                                              &gf_format_tiff,
                                              &gf_format_pnm,
                                              &gf_format_pfm,
                                              &gf_format_npy,
                                              &gf_format_raw,
                                              NULL};

/* True when `word` is one of the space-separated words of `list`; case does not matter. */
static bool in_list(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; n && *p; p += strspn(p, " ")) {
        size_t length = strcspn(p, " ");
        if (length == n && !strncasecmp(p, word, n))
            return true;
        p += length;
    }
    return false;
}

const struct gf_format *gf_format_by_name(const char *name) {
    for (int i = 0; gf_formats[i]; i++)
        if (!strcasecmp(gf_formats[i]->name, name) || in_list(gf_formats[i]->suffixes, name))
            return gf_formats[i];
    return NULL;
}

/* What follows the last point of the last component; "" when there is none. */
static const char *suffix_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

const struct gf_format *gf_format_by_suffix(const char *path) {
    const char *suffix = suffix_of(path);
    for (int i = 0; gf_formats[i]; i++)
        if (in_list(gf_formats[i]->suffixes, suffix))
            return gf_formats[i];
    return NULL;
}

const struct gf_format *gf_format_sniff(const unsigned char *head, size_t n) {
    for (int i = 0; gf_formats[i]; i++)
        if (gf_formats[i]->sniff && gf_formats[i]->sniff(head, n))
            return gf_formats[i];
    return NULL;
}

static const char *upper_name(const struct gf_format *f, char text[8]) {
    size_t i = 0;
    for (; i < 7 && f->name[i]; i++)
        text[i] = (char)toupper((unsigned char)f->name[i]);
    text[i] = 0;
    return text;
}

static int fail_unknown(struct gf_source *source, const char *path) {
    char name[8];
    const struct gf_format *f = gf_format_by_suffix(path);
    if (gf_source_known_size(source) == 0)
        return gf_fail(GF_EFORMAT, "the file is empty");
    if (f && f->sniff)
        return gf_fail(GF_EFORMAT, "not a %s: its first bytes are another's", upper_name(f, name));
    if (f)
        return gf_fail(GF_EFORMAT, "a raw file needs --shape and --type");
    return gf_fail(GF_EFORMAT, "not a picture of a known format (PNG, TIFF, PNM, PFM, NPY)");
}

/* The description of this data in the record beside it; *out stays NULL when there is none. A lone
 * description is only held against the size here. */
static int find_description(struct gf_source *source, const struct gf_record_file *file,
                            const struct gf_read_options *options,
                            const struct gf_description **out) {
    *out = file->n == 1 && file->d[0].record ? &file->d[0] : NULL;
    if (*out || file->n == 0)
        return GF_OK;
    int rc = gf_record_file_choose(file, source, options->threads, out);
    if (!rc && !*out)
        rc = gf_fail(GF_EFORMAT, "its record (.json beside it) is another file's: no description "
                                 "in it fits");
    if (!rc && !(*out)->record)
        *out = NULL; /* the data that had no record */
    return rc;
}

/* Holds the record's word against the data file: its size, and all its bytes. */
static int check_data(const struct gf_source *source, const struct gf_description *d,
                      const struct gf_read_options *options) {
    uint32_t crc;
    int64_t size = gf_source_known_size(source);
    if (size != d->bytes)
        return gf_fail(GF_EFORMAT,
                       "its record (.json beside it) is another file's: %lld bytes, not %lld",
                       (long long)d->bytes, (long long)size);
    if (options->header_only)
        return GF_OK;
    int rc = gf_crc32_source(source, size, options->threads, &crc);
    if (!rc && crc != d->crc32)
        rc = gf_fail(GF_EFORMAT,
                     "its record (.json beside it) is another file's: the checksums differ");
    return rc;
}

static int read_from(struct gf_source *source, const char *path,
                     const struct gf_read_options *options, struct gf_image *image,
                     struct gf_record_file *file, const struct gf_format **format) {
    const struct gf_description *d = NULL;
    unsigned char head[GF_SNIFF];
    struct gf_read_options adapted = *options;
    const struct gf_format *f = NULL;
    int rc = GF_OK;
    if (options->raw.ndim > 0) {
        f = &gf_format_raw;
    } else {
        int64_t n = gf_source_peek(source, head, sizeof head);
        if (n < 0)
            return (int)n;
        f = gf_format_sniff(head, (size_t)n);
    }
    /* A pipe has nothing beside it. Raw bytes may begin like anything, so the suffix counts too. */
    bool raw = !f || gf_format_by_suffix(path) == &gf_format_raw;
    if (gf_source_known_size(source) >= 0 && strcmp(path, "-") && (raw || f->record_beside))
        if ((rc = gf_record_file_read(path, file)) != GF_OK ||
            (rc = find_description(source, file, options, &d)) != GF_OK)
            return rc;
    if (d && options->raw.ndim == 0 && raw && d->format == &gf_format_raw)
        f = &gf_format_raw;
    if (!f)
        return fail_unknown(source, path);
    *format = f;
    if (!d || d->format != f)
        return f->read(source, &adapted, image);
    if ((rc = check_data(source, d, options)) != GF_OK)
        return rc;
    adapted.channels_last |= d->layout.channels > 1;
    rc = f == &gf_format_raw && options->raw.ndim == 0
             ? gf_raw_read(source, options, &d->layout, image)
             : f->read(source, &adapted, image);
    if (!rc && !image->record) {
        image->record = strdup(d->record);
        rc = image->record ? GF_OK : gf_fail(GF_ENOMEM, "out of memory");
    }
    return rc;
}

int gf_image_read_from(struct gf_source *source, const char *path,
                       const struct gf_read_options *options, struct gf_image *image,
                       const struct gf_format **format) {
    struct gf_record_file file = {0};
    const struct gf_format *f = NULL;
    *image = (struct gf_image){0};
    int rc = read_from(source, path, options, image, &file, &f);
    if (rc)
        gf_image_free(image);
    if (format)
        *format = f;
    gf_record_file_free(&file);
    return rc;
}

int gf_image_read(const char *path, const struct gf_read_options *options, struct gf_image *image,
                  const struct gf_format **format) {
    enum { TRIES = 5 };
    bool again = true;
    int rc = GF_OK;
    *image = (struct gf_image){0};
    /* A pair that is replaced after its data was opened has a record that does not fit. */
    for (int i = 0; i < TRIES && again; i++) {
        struct gf_source *source;
        rc = gf_source_open(path, &source);
        if (rc)
            return rc;
        gf_source_limit(source, options->max_memory);
        rc = gf_image_read_from(source, path, options, image, format);
        again = rc == GF_EFORMAT && gf_source_is_replaced(source, path);
        gf_source_close(source);
    }
    return rc;
}

int gf_image_more(struct gf_source *source, const struct gf_format *format) {
    return format == &gf_format_pnm ? gf_pnm_more(source) : 0;
}

/* "u8 u16" for the types in a set. */
static const char *type_list(unsigned dtypes, char *text, size_t size) {
    size_t n = 0;
    text[0] = 0;
    for (int t = 0; t < GF_N_DTYPES && n < size; t++)
        if (dtypes >> t & 1)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "",
                                  gf_dtype_name((enum gf_dtype)t));
    return text;
}

int gf_format_accepts(const struct gf_format *f, const struct gf_image *image) {
    char name[8], types[64];
    int64_t channels = image->px.shape[image->ndim];
    upper_name(f, name);
    if (image->ndim > f->max_ndim)
        return gf_fail(GF_EINVAL,
                       "a volume does not fit one %s: write .tif or .npy, or a file for each "
                       "plane with {page} in its name",
                       name);
    if (!(f->dtypes >> image->px.dtype & 1))
        return gf_fail(GF_EINVAL, "a %s holds %s, not %s (.tif, .npy and raw hold all)", name,
                       type_list(f->dtypes, types, sizeof types), gf_dtype_name(image->px.dtype));
    if (!(f->channels & 1) && (channels > 31 || !(f->channels >> channels & 1)))
        return gf_fail(GF_EINVAL, "a %s does not hold %lld channels%s (.tif and .npy do)", name,
                       (long long)channels, image->alpha ? " with alpha" : "");
    if (f == &gf_format_png && image->alpha != (channels == 2 || channels == 4))
        return gf_fail(GF_EINVAL, "a PNG does not hold %lld plain channels (.tif and .npy do)",
                       (long long)channels);
    return GF_OK;
}

/* The suffixes of the Netpbm family promise more than the family does. */
static int check_suffix(const struct gf_format *f, const char *path, const struct gf_image *image) {
    const char *suffix = suffix_of(path);
    if (f != &gf_format_pnm)
        return GF_OK;
    if (!strcasecmp(suffix, "pgm") && image->px.shape[image->ndim] == 3)
        return gf_fail(GF_EINVAL, "a .pgm holds one channel, not three: write .ppm");
    if (!strcasecmp(suffix, "pbm") || !strcasecmp(suffix, "pam"))
        return gf_fail(GF_EINVAL, "no .%s is written: write .pgm or .ppm", suffix);
    return GF_OK;
}

int gf_image_write(const char *path, const struct gf_format *f, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber) {
    struct gf_sink *data = NULL;
    int rc = gf_format_accepts(f, image);
    if (!rc)
        rc = check_suffix(f, path, image);
    if (!rc)
        rc = gf_sink_open(path, clobber, &data);
    if (rc)
        return rc;
    if (f->record_beside && gf_sink_is_file(data) && image->record) {
        rc = gf_pair_check(path, f, image->record, clobber);
        gf_sink_checksum(data, options->threads);
    }
    if (!rc)
        rc = f->write(data, image, options);
    if (rc) {
        gf_sink_abort(data);
        return rc;
    }
    return gf_pair_commit(path, f, image, options, clobber, data);
}
