/* NumPy's .npy, versions 1.0 to 3.0 (numpy.lib.format). The header is a Python dictionary in text:
 *     {'descr': '<c8', 'fortran_order': False, 'shape': (512, 512), }
 * This parser accepts nothing else and trusts nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"

enum { MAX_HEADER = 64 * 1024, MAX_NPY_RANK = GF_MAX_AXES + 1 };

struct header {
    enum gf_stored type;
    bool big_endian, fortran;
    int rank, lead; /* axes; those before the last three are pages */
    int64_t shape[MAX_NPY_RANK];
    bool has_descr, has_order, has_shape;
};

static bool npy_sniff(const unsigned char *head, size_t n) {
    return n >= 6 && !memcmp(head, "\x93NUMPY", 6);
}

static int bad_header(const char *what) {
    return gf_fail(GF_EFORMAT, "not a .npy file: %s in its header", what);
}

static const char *skip_space(const char *p) {
    while (*p == ' ' || *p == '\n' || *p == '\t')
        p++;
    return p;
}

/* Steps over a character with space around it; false, and space alone, if it is not there. */
static bool take(const char **p, char c) {
    *p = skip_space(*p);
    const bool there = **p == c;
    *p = there ? skip_space(*p + 1) : *p;
    return there;
}

/* Parses a quoted word without escapes; returns NULL if there is none. */
static const char *parse_word(const char *p, char *word, size_t size) {
    char quote = *p++;
    if (quote != '\'' && quote != '"')
        return NULL;
    size_t n = 0;
    for (; *p && *p != quote; p++) {
        if (n + 1 >= size || *p == '\\')
            return NULL;
        word[n++] = *p;
    }
    word[n] = 0;
    return *p ? p + 1 : NULL;
}

static const char *parse_shape(const char *p, struct header *h) {
    if (!take(&p, '('))
        return NULL;
    for (; *p != ')'; h->rank++) {
        int64_t v = 0;
        const char *digits = p;
        for (; *p >= '0' && *p <= '9'; p++)
            if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
                return NULL;
        if (p == digits)
            return NULL;
        p += *p == 'L'; /* a long integer of Python 2 */
        if (h->rank < MAX_NPY_RANK)
            h->shape[h->rank] = v;
        if (!take(&p, ',') && *p != ')')
            return NULL;
    }
    return p + 1;
}

static int parse_descr(const char *descr, struct header *h) {
    const char order = descr[0];
    const int type = order && strchr("<>|=", order) ? gf_numpy_type(descr + 1, false) : -1;
    if (type >= 0) {
        h->type = (enum gf_stored)type;
        h->big_endian = order == '>' || (order == '=' && gf_host_is_big_endian());
        return GF_OK;
    }
    char clean[24];
    return gf_fail(GF_EUNSUPP,
                   "a .npy file of type '%s' (bools, integers, f2, f4, f8, c8 and c16 can be read)",
                   gf_clean_text(clean, sizeof clean, descr));
}

static int parse_header(const char *p, struct header *h) {
    char word[32];
    if (!take(&p, '{'))
        return bad_header("no dictionary");
    while (*p != '}') {
        p = parse_word(p, word, sizeof word);
        if (!p)
            return bad_header("a bad key");
        if (!take(&p, ':'))
            return bad_header("a missing colon");
        if (!strcmp(word, "descr") && !h->has_descr) {
            if (*p == '[')
                return gf_fail(GF_EUNSUPP, "a .npy file of structured records");
            p = parse_word(p, word, sizeof word);
            if (!p)
                return bad_header("a bad descr");
            int rc = parse_descr(word, h);
            if (rc)
                return rc;
            h->has_descr = true;
        } else if (!strcmp(word, "fortran_order") && !h->has_order) {
            h->fortran = !strncmp(p, "True", 4);
            if (!h->fortran && strncmp(p, "False", 5))
                return bad_header("a bad fortran_order");
            p += h->fortran ? 4 : 5;
            h->has_order = true;
        } else if (!strcmp(word, "shape") && !h->has_shape) {
            p = parse_shape(p, h);
            if (!p)
                return bad_header("a bad shape");
            h->has_shape = true;
        } else {
            return bad_header("an unknown or repeated key");
        }
        if (!take(&p, ',') && *p != '}')
            return bad_header("a missing comma");
    }
    if (*skip_space(p + 1))
        return bad_header("text after the dictionary");
    if (!h->has_descr || !h->has_order || !h->has_shape)
        return bad_header("a missing key");
    return GF_OK;
}

static int read_header(struct gf_source *source, struct header *h) {
    unsigned char lead[12];
    int rc = gf_source_read_exactly(source, lead, 8);
    if (rc)
        return rc;
    if (!npy_sniff(lead, 6))
        return gf_fail(GF_EFORMAT, "not a .npy file");
    int version = lead[6];
    if (version < 1 || version > 3 || lead[7] != 0)
        return gf_fail(GF_EUNSUPP, ".npy version %d.%d (1.0 to 3.0 can be read)", lead[6], lead[7]);
    size_t field = version == 1 ? 2 : 4;
    if ((rc = gf_source_read_exactly(source, lead + 8, field)) != GF_OK)
        return rc;
    const size_t size = gf_get_number(lead + 8, (int)field, false);
    if (size > MAX_HEADER)
        return bad_header("more than 64 KiB");
    char *text = malloc(size + 1);
    if (!text)
        return gf_no_memory();
    rc = gf_source_read_exactly(source, text, size);
    text[rc ? 0 : size] = 0;
    if (!rc && strlen(text) != size)
        rc = bad_header("a zero byte");
    if (!rc)
        rc = parse_header(text, h);
    free(text);
    return rc;
}

/* Reorders samples from Fortran to C order; they fill image->px as a flat buffer. */
static int reorder(const struct header *h, struct gf_image *image) {
    struct gf_array flat = image->px, fresh = {0};
    int rc = gf_array_alloc(&fresh, flat.dtype, flat.rank, flat.shape);
    if (rc)
        return rc;
    int64_t stride[MAX_NPY_RANK + 1] = {(int64_t)gf_dtype_size(flat.dtype)};
    for (int i = 0; i < h->rank; i++)
        stride[i + 1] = stride[i] * h->shape[i];
    const int64_t leads = gf_shape_count(h->shape, h->lead), n = flat.shape[0] / leads;
    for (int64_t k = 0; k < leads; k++) {
        struct gf_array from = gf_array_slice(&flat, 0, 0, n);
        struct gf_array to = gf_array_slice(&fresh, 0, k * n, n);
        int64_t rest = k;
        for (int i = h->lead - 1; i >= 0; rest /= h->shape[i--])
            from.data = (char *)from.data + rest % h->shape[i] * stride[i];
        memcpy(from.stride, stride + h->lead, (size_t)from.rank * sizeof *stride);
        gf_array_copy(&to, &from);
    }
    gf_array_free(&image->px);
    image->px = fresh;
    return GF_OK;
}

/* Names the axes of an array that has pages besides depth. */
static void describe_axes(const struct header *h, int rank, struct gf_axes *axes) {
    static const char *const names[] = {"x", "y", "z", "n", "m", "l", "k", "j"};
    for (int i = 0; i < rank && h->lead; i++)
        gf_axes_add(axes, names[i], h->shape[rank - 1 - i], 0, "");
    axes->named = h->lead && gf_axes_groups(axes) > 1;
    axes->separate = h->lead;
}

/* True if the last axis is the channels: by an option, or by the shape of the record. */
static bool has_channels(const struct gf_read_options *o, const struct header *h) {
    return o->channels_last ||
           (o->ndim && h->rank == o->ndim + 1 && h->shape[o->ndim] == 1 &&
            !memcmp(h->shape, o->raw.shape, (size_t)o->ndim * sizeof *h->shape));
}

/* Divides the file's axes into pages, spatial ones and channels. */
static int npy_header(struct gf_decoder *d, struct gf_image *image) {
    struct header *h = d->state;
    struct gf_raw_layout *l = &d->layout;
    int rc = read_header(d->source, h);
    if (rc)
        return rc;
    const bool last = has_channels(&d->options, h);
    const int rank = h->rank - last;
    if (rank < 1 || rank > GF_MAX_AXES)
        return gf_fail(GF_EUNSUPP, "an array of rank %d (1 to %d axes can be read%s)", h->rank,
                       GF_MAX_AXES, last ? " besides the channels" : "");
    for (int i = 0; i < h->rank; i++)
        if (h->shape[i] < 1)
            return gf_fail(GF_EINVAL, "an array without elements");
    h->lead = rank > 3 ? rank - 3 : 0;
    *l = (struct gf_raw_layout){.ndim = rank - h->lead,
                                .channels = last ? h->shape[rank] : 1,
                                .big_endian = h->big_endian,
                                .offset = gf_source_tell(d->source)};
    memcpy(l->shape, h->shape + h->lead, (size_t)l->ndim * sizeof *l->shape);
    if (h->lead && (rc = gf_size_product(h->shape, h->lead + 1, 1, &l->shape[0])) != GF_OK)
        return rc;
    l->dtype = gf_coding_set(&d->coding, h->type, 1, 0);
    if (d->coding.coded) {
        image->depth = 8 * (int)gf_coding_bytes(&d->coding, l->dtype);
        image->color = gf_color_of(l->channels);
    }
    if (h->fortran && h->rank > 1)
        d->unit = GF_WHOLE;
    image->channel_axis = last && l->channels == 1;
    describe_axes(h, rank, &image->axes);
    return GF_OK;
}

static int npy_read(struct gf_decoder *d, struct gf_image *image) {
    int rc = gf_plain_read(d, image, GF_WHOLE, 0, 1, image->px.data);
    return !rc && d->unit == GF_WHOLE ? reorder(d->state, image) : rc;
}

/* The array's shape, with an axis for each of the pages that a .npy source had. */
static int shape_of(const struct gf_image *image, int64_t shape[MAX_NPY_RANK]) {
    const struct gf_array *px = &image->px;
    const struct gf_axes *axes = &image->axes;
    const bool separate =
        axes->separate && image->ndim == 3 && axes->n > 3 && gf_axes_pages(axes) == px->shape[0];
    const int end = image->ndim + (image->channel_axis || px->shape[image->ndim] > 1);
    int rank = 0;
    for (int i = 0; i < axes->n - 2 && separate; i++)
        shape[rank++] = axes->axis[i].extent;
    for (int i = separate; i < end; i++)
        shape[rank++] = px->shape[i];
    return rank;
}

static int write_header(struct gf_encoder *e) {
    char text[320], head[384];
    int64_t shape[MAX_NPY_RANK];
    const enum gf_dtype dtype = e->image->px.dtype;
    const int rank = shape_of(e->image, shape);
    int n = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                     gf_dtype_size(dtype) == 1 ? '|' : '<', gf_numpy_names[dtype][0]);
    for (int i = 0; i < rank; i++)
        n +=
            snprintf(text + n, sizeof text - (size_t)n, i ? ", %lld" : "%lld", (long long)shape[i]);
    n += snprintf(text + n, sizeof text - (size_t)n, rank == 1 ? ",), }" : "), }");
    /* Padded so that the data begins at a multiple of 64 bytes. */
    int total = (10 + n + 1 + 63) / 64 * 64;
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    gf_put_integer((unsigned char *)head + 8, 2, total - 10);
    memcpy(head + 10, text, (size_t)n);
    head[total - 1] = '\n';
    return gf_sink_write(e->sink, head, (size_t)total);
}

const struct gf_format gf_format_npy = {
    .name = "npy",
    .suffixes = "npy",
    .summary = "NumPy arrays of any type here, a spectrum's record beside them",
    .sniff = npy_sniff,
    .state_bytes = sizeof(struct header),
    .header = npy_header,
    .read = npy_read,
    .read_part = gf_plain_read,
    .begin = write_header,
    .put_pages = gf_planes_write,
    .dtypes = (1u << GF_N_DTYPES) - 1,
    .max_ndim = 3,
    .lines = true,
    .channels = 1,
    .alpha = true,
    .record_beside = true,
};
