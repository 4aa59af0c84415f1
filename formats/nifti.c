/* NIfTI-1 and -2 (nifti.nimh.nih.gov), and Analyze 7.5 before them: a header with the affine and
 * extensions, then samples, x fastest, in the same file (.nii) or in another one (.hdr and .img). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/value/status.h"
#include "formats/image.h"

enum {
    FIRST = 348,
    SECOND = 540,
    MOST_DIMS = 7,
    AFTER = 4 /* bytes behind the header */,
    BLOCK = 16
};

/* Bytes of the fields in either version; `shown` is cal_max and cal_min, a range of the samples before
 * they were changed. */
struct fields {
    int size, type, bits, dim, spacing, offset, slope, inter, units, shown, magic;
    int start, quaternion, affine; /* of time, and of space in the q-form and the s-form */
    int dim_bytes, real_bytes, units_bytes;
};
static const struct fields fields[2] = {
    {FIRST, 70, 72, 40, 76, 108, 112, 116, 123, 124, 344, 136, 256, 280, 2, 4, 1},
    {SECOND, 12, 14, 16, 104, 168, 176, 184, 500, 192, 4, 216, 352, 400, 8, 8, 4},
};

/* Offsets of the codes of the q-form and the s-form, and their bytes. */
static const short codes[2][3] = {{252, 254, 2}, {344, 348, 4}};

static const struct gf_header_run first_runs[] = {/* offset, size, count */
                                                  {0, 4, 1},    {32, 4, 1},  {36, 2, 1},
                                                  {40, 2, 8},   {56, 4, 3},  {68, 2, 4},
                                                  {76, 4, 8},   {108, 4, 3}, {120, 2, 1},
                                                  {124, 4, 4},  {140, 4, 2}, {252, 2, 2},
                                                  {256, 4, 18}, {0, 0, 0}};
static const struct gf_header_run second_runs[] = {/* the same */
                                                   {0, 4, 1},   {12, 2, 2},   {16, 8, 8},
                                                   {80, 8, 3},  {104, 8, 8},  {168, 8, 1},
                                                   {176, 8, 2}, {192, 8, 4},  {224, 8, 2},
                                                   {344, 4, 2}, {352, 8, 18}, {496, 4, 3},
                                                   {0, 0, 0}};

static const struct {
    int code, stored /* enum gf_dtype or gf_stored */, channels;
} types[] = {
    {2, GF_U8, 1},    {256, GF_I8, 1},    {512, GF_U16, 1},         {4, GF_I16, 1},
    {768, GF_U32, 1}, {8, GF_I32, 1},     {16, GF_F32, 1},          {64, GF_F64, 1},
    {32, GF_C64, 1},  {1792, GF_C128, 1}, {1024, GF_STORED_I64, 1}, {1280, GF_STORED_U64, 1},
    {128, GF_U8, 3},  {2304, GF_U8, 4},
};
enum { N_TYPES = sizeof types / sizeof *types };

/* ---- fields ---- */

/* The version and byte order by the header's size; NULL for anything else. */
static const struct fields *version_of(const unsigned char *h, bool *big) {
    for (int i = 0; i < 4; i++) {
        *big = i % 2;
        if (gf_get_number(h, 4, *big) == (uint64_t)fields[i / 2].size)
            return &fields[i / 2];
    }
    return NULL;
}

/* ---- reading ---- */

static bool is_analyze(const struct fields *f, const unsigned char *h) {
    return f == fields && h[f->magic] != 'n';
}

static bool is_detached(const struct fields *f, const unsigned char *h) {
    return is_analyze(f, h) || h[f->magic + 1] == 'i';
}

static bool has_magic(const struct fields *f, const unsigned char *h) {
    static const char second[] = "\r\n\032\n";
    const unsigned char *m = h + f->magic;
    const bool known = m[0] == 'n' && (m[1] == '+' || m[1] == 'i') && !m[3];
    return known && (f == fields ? m[2] == '1' : m[2] == '2' && !memcmp(m + 4, second, 4));
}

static bool nifti_sniff(const unsigned char *head, size_t n) {
    bool big;
    const struct fields *f = n >= FIRST ? version_of(head, &big) : NULL;
    if (!f || has_magic(f, head))
        return f;
    /* Analyze has no magic: its extents and the bits of its type must be possible. */
    const int64_t dims = gf_get_integer(head + f->dim, 2, big),
                  bits = gf_get_integer(head + f->bits, 2, big);
    return f == fields && dims >= 1 && dims <= MOST_DIMS && bits >= 8 && bits <= 128 &&
           !(bits % 8) && !head[f->magic];
}

/* By their codes of three bits, in space and in time; the others are no distance in either. */
static const char *const units[2][8] = {{"", "m", "mm", "um", "", "", "", ""},
                                        {"", "s", "ms", "us", "", "", "", ""}};

/* The names of dimensions from the fourth on; behind the fifth they have none. */
static void describe_axes(const unsigned char *h, const struct fields *f, bool big, int n,
                          const int64_t *extent, struct gf_axes *axes) {
    static const char *const names[] = {"x", "y", "z", "t", "c", "u", "v"};
    const uint64_t codes = gf_get_number(h + f->units, f->units_bytes, big);
    for (int i = 0; i < n; i++) {
        const double spacing =
            gf_get_real(h + f->spacing + (i + 1) * f->real_bytes, f->real_bytes, big);
        const char *unit = i < 3 ? units[0][codes & 7] : i == 3 ? units[1][codes >> 3 & 7] : "";
        gf_axes_add(axes, names[i], extent[i], *unit ? fabs(spacing) : 0, unit);
        axes->named = axes->named || (i > 2 && extent[i] > 1);
    }
}

/* Notes that the columns of the s-form have other lengths than the distances of samples, in a known unit. */
static int note_form(const unsigned char *h, const struct fields *f, bool big,
                     const struct gf_axes *axes, char **note) {
    const int bytes = f->real_bytes;
    const short *at = codes[f != fields];
    const int64_t form = gf_get_integer(h + at[1], at[2], big);
    for (int i = 0; i < 3 && i < axes->n && form > 0; i++) {
        const struct gf_axis *a = &axes->axis[axes->n - 1 - i];
        double length = 0;
        for (int k = 0; k < 3; k++)
            length = hypot(length, gf_get_real(h + f->affine + (4 * k + i) * bytes, bytes, big));
        if (!(a->spacing > 0) || a->extent < 2 || fabs(length - a->spacing) <= 1e-3 * a->spacing)
            continue;
        return gf_image_note(note,
                             "samples along %s are %.6g %s apart by pixdim, which is used, and "
                             "%.6g by the s-form",
                             a->name, a->spacing, a->unit, length);
    }
    return GF_OK;
}

static int describe_type(struct gf_decoder *d, const unsigned char *h, const struct fields *f,
                         bool big) {
    struct gf_raw_layout *l = &d->layout;
    const int64_t code = gf_get_integer(h + f->type, 2, big);
    const double slope = gf_get_real(h + f->slope, f->real_bytes, big);
    const double inter = gf_get_real(h + f->inter, f->real_bytes, big);
    int i = 0;
    while (i < N_TYPES && types[i].code != code)
        i++;
    if (i == N_TYPES)
        return gf_fail(GF_EUNSUPP, "NIfTI samples of type %lld%s", (long long)code,
                       code == 1536 || code == 2048 ? ", of 128 bits a number, are not read" : "");
    const bool scales = isfinite(slope) && (slope < 0 || slope > 0) && types[i].channels == 1;
    if (scales && !isfinite(inter))
        return gf_fail(GF_EFORMAT, "broken NIfTI: scl_inter is not a finite number");
    l->dtype = gf_coding_set(&d->coding, (enum gf_stored)types[i].stored, scales ? slope : 1,
                             scales ? inter : 0);
    if (d->coding.coded && types[i].stored < GF_N_DTYPES &&
        gf_dtype_is_complex((enum gf_dtype)types[i].stored))
        return gf_fail(GF_EUNSUPP, "scaled complex samples (scl_slope) are not read");
    d->coding.tail = is_detached(f, h);
    l->channels = types[i].channels;
    return GF_OK;
}

static int describe_shape(struct gf_decoder *d, struct gf_image *image, const unsigned char *h,
                          const struct fields *f, bool big) {
    struct gf_raw_layout *l = &d->layout;
    const int64_t dims = gf_get_integer(h + f->dim, f->dim_bytes, big);
    int64_t extent[MOST_DIMS];
    if (dims < 1 || dims > MOST_DIMS)
        return gf_fail(GF_EFORMAT, "broken NIfTI: %lld dimensions", (long long)dims);
    int n = (int)dims;
    for (int i = 0; i < n; i++) {
        extent[i] = gf_get_integer(h + f->dim + (i + 1) * f->dim_bytes, f->dim_bytes, big);
        if (extent[i] < 1)
            return gf_fail(GF_EFORMAT, "broken NIfTI: an extent of %lld", (long long)extent[i]);
    }
    l->big_endian = big;
    n = gf_layout_extents(l, n, extent);
    describe_axes(h, f, big, n, extent, &image->axes);
    return n < 0 ? n : GF_OK;
}

/* Leaves the fields of an Analyze header that mean the same in NIfTI, and the scale, in SPM's field. */
static void clear_analyze(unsigned char *h) {
    static const short others[][2] = {{4, 40}, {56, 70}, {74, 76}, {116, 148}, {252, FIRST}};
    for (int i = 0; i < 5; i++)
        memset(h + others[i][0], 0, (size_t)(others[i][1] - others[i][0]));
}

static int nifti_header(struct gf_decoder *d, struct gf_image *image) {
    unsigned char h[SECOND];
    bool big;
    int rc = gf_source_read_exactly(d->source, h, FIRST);
    const struct fields *f = rc ? NULL : version_of(h, &big);
    if (!rc && !f)
        rc = gf_fail(GF_EFORMAT, "not a NIfTI header");
    if (!rc && f->size > FIRST)
        rc = gf_source_read_exactly(d->source, h + FIRST, SECOND - FIRST);
    if (!rc && !has_magic(f, h) && !is_analyze(f, h))
        rc = gf_fail(GF_EFORMAT, "broken NIfTI: no magic number");
    if (!rc && is_analyze(f, h))
        clear_analyze(h);
    if (!rc)
        rc = describe_type(d, h, f, big);
    if (!rc)
        rc = describe_shape(d, image, h, f, big);
    if (!rc)
        rc = note_form(h, f, big, &image->axes, &image->note);
    if (rc)
        return rc;
    const bool detached = is_detached(f, h);
    const double at = f == fields ? gf_get_real(h + f->offset, 4, big)
                                  : (double)gf_get_integer(h + f->offset, 8, big);
    if (!(at >= (detached ? 0 : f->size)) || at > 0x1p53)
        return gf_fail(GF_EFORMAT, "broken NIfTI: samples at byte %.6g", at);
    d->layout.offset = (int64_t)at;
    image->color = d->layout.channels == 1 ? GF_GRAY : GF_RGB;
    image->alpha = d->layout.channels == 4;
    image->depth = (int)(8 * gf_coding_bytes(&d->coding, d->layout.dtype));
    const int64_t known = gf_source_known_size(d->source); /* of a header with extensions */
    const int64_t all = !detached ? d->layout.offset : gf_max(has_magic(f, h) ? known : 0, f->size);
    rc = gf_header_keep(d, image, h, (size_t)f->size, all);
    if (detached && !d->options.samples)
        return gf_fail(GF_EUNSUPP, "a NIfTI header without its samples; name the two files .hdr "
                                   "and .img");
    d->data = detached ? d->options.samples : NULL;
    return rc;
}

/* ---- coordinates ---- */

static void put_real(unsigned char *at, const struct fields *f, bool big, double v) {
    gf_put_real(at, f->real_bytes, v);
    if (big)
        gf_swap_bytes(at, 1, (size_t)f->real_bytes);
}

static void add_real(unsigned char *at, const struct fields *f, bool big, double v) {
    put_real(at, f, big, gf_get_real(at, f->real_bytes, big) + v);
}

/* The forms, and with them pixdim's first number, the q-form's sign. Without a reference there are none. */
static int nifti_place(struct gf_metadata *m, const struct gf_metadata *reference) {
    enum { FORMS = 18 }; /* the quaternion, its offsets, the matrix */
    bool big, of_big = false, had = false;
    if (m->header_format != gf_format_nifti.name)
        return GF_OK;
    const bool is = reference->header_format == gf_format_nifti.name;
    const struct fields *f = version_of(m->header, &big),
                        *of = is ? version_of(reference->header, &of_big) : NULL;
    const short *to = codes[f != fields], *from = codes[of && of != fields];
    for (int i = 0; i < 2; i++) {
        had = had || gf_get_integer(m->header + to[i], to[2], big) > 0;
        gf_put_integer(m->header + to[i], to[2],
                       of ? gf_get_integer(reference->header + from[i], from[2], of_big) : 0);
        if (big)
            gf_swap_bytes(m->header + to[i], 1, (size_t)to[2]);
    }
    for (int i = 0; i < FORMS && of; i++)
        put_real(m->header + f->quaternion + i * f->real_bytes, f, big,
                 gf_get_real(reference->header + of->quaternion + i * of->real_bytes,
                             of->real_bytes, of_big));
    if (of)
        put_real(m->header + f->spacing, f, big,
                 gf_get_real(reference->header + of->spacing, of->real_bytes, of_big));
    return had && !of;
}

/* The step from plane to plane in the q-form is the third column of its rotation, which a quaternion gives. */
static int nifti_skip(struct gf_metadata *m, int i, int64_t first) {
    bool big;
    const struct fields *f = version_of(m->header, &big);
    if (!f || i < 2 || i > 3)
        return GF_OK;
    unsigned char *h = m->header, *rotation = h + f->quaternion, *affine = h + f->affine;
    const int bytes = f->real_bytes;
    const double n = (double)first,
                 step = n * gf_get_real(h + f->spacing + (i + 1) * bytes, bytes, big);
    const double b = gf_get_real(rotation, bytes, big),
                 c = gf_get_real(rotation + bytes, bytes, big),
                 d = gf_get_real(rotation + 2 * bytes, bytes, big);
    const double a = sqrt(fmax(1 - b * b - c * c - d * d, 0));
    const double column[] = {2 * (b * d + a * c), 2 * (c * d - a * b), 1 - 2 * (b * b + c * c)};
    const double sign = gf_get_real(h + f->spacing, bytes, big) < 0 ? -1 : 1;
    if (i == 3)
        add_real(h + f->start, f, big, step);
    for (int k = 0; k < 3 && i == 2; k++) {
        add_real(rotation + (3 + k) * bytes, f, big, sign * step * column[k]);
        add_real(affine + (4 * k + 3) * bytes, f, big,
                 n * gf_get_real(affine + (4 * k + 2) * bytes, bytes, big));
    }
    return GF_OK;
}

static void nifti_scale(struct gf_metadata *m, int i, double by) {
    bool big;
    const struct fields *f = version_of(m->header, &big);
    for (int k = 0; k < 3 && f; k++) {
        unsigned char *at = m->header + f->affine + (4 * k + i) * f->real_bytes;
        add_real(at, f, big, (by - 1) * gf_get_real(at, f->real_bytes, big));
    }
}

/* ---- writing ---- */

/* Reverses a kept header's numbers, and the sizes and codes of its extensions. */
static void swap_header(unsigned char *h, size_t n, const struct fields *f) {
    gf_swap_runs(h, f == fields ? first_runs : second_runs);
    for (size_t at = (size_t)f->size + AFTER; at + 8 <= n;) {
        gf_swap_bytes(h + at, 2, 4);
        const int64_t size = gf_get_integer(h + at, 4, false);
        if (size < 16 || (size_t)size > n - at)
            break;
        at += (size_t)size;
    }
}

/* Sets at[i] to the dimension of axis i, from the last: pages are z, t, then others. Those of extent 1 have
 * none (-1) unless a NIfTI header had them. Returns the number of dimensions; 0: the axes are not
 * those of the samples; -1: they have another order. */
static int place_axes(const struct gf_image *image, int at[GF_MAX_AXES]) {
    const struct gf_axes *axes = &image->axes;
    const bool keeps = gf_header_of(image, &gf_format_nifti, FIRST);
    int n = 0;
    if (axes->n != image->ndim && gf_axes_pages(axes) != (image->ndim > 2 ? image->px.shape[0] : 1))
        return 0;
    for (int i = 0; i < axes->n; i++) {
        const struct gf_axis *a = &axes->axis[axes->n - 1 - i];
        at[i] = i < 2 ? i : a->role == GF_SPACE ? 2 : a->role == GF_TIME ? 3 : n < 4 ? 4 : n;
        if (i >= 2 && a->extent == 1 && (!keeps || at[i] < n))
            at[i] = -1;
        else if (at[i] < n || at[i] >= MOST_DIMS)
            return -1;
        else
            n = at[i] + 1;
    }
    return n;
}

static int nifti_accepts(const struct gf_image *image) {
    int at[GF_MAX_AXES];
    return place_axes(image, at) >= 0
               ? GF_OK
               : gf_fail(GF_EINVAL,
                         "the planes of a NIfTI file are in the order z, then t, then c, and these "
                         "are not; write .tif or .npy, or leave one index of an axis by --select");
}

/* True if the axis has a distance in a unit that NIfTI's codes could stand for: a length, or along t a time. */
static bool has_unit(const struct gf_axis *a) {
    char kind = 0;
    return a->role <= GF_TIME && a->spacing > 0 && gf_unit_value(a->unit, &kind) > 0 &&
           kind == (a->role == GF_TIME ? 's' : 'm');
}

/* The axis's spacing in the header's unit, and as it is if the header has none; 0 if it cannot be converted. */
static double spacing_in(const struct gf_axis *a, int64_t codes) {
    char kind;
    const char *unit = a->role > GF_TIME ? "" : units[a->role][codes >> 3 * a->role & 7];
    if (!*unit)
        return a->spacing;
    return has_unit(a) ? a->spacing * (gf_unit_value(a->unit, &kind) / gf_unit_value(unit, &kind))
                       : 0;
}

/* Puts the extents and spacings. A spacing that is unknown beside a known one is 0. */
static void put_shape(unsigned char *h, const struct fields *f, const struct gf_image *image) {
    int64_t extent[MOST_DIMS] = {1, 1, 1, 1, 1, 1, 1};
    double spacing[MOST_DIMS] = {0};
    bool known[2] = {false, false}; /* in space and in time */
    int at[GF_MAX_AXES], n = place_axes(image, at);
    const int axes = n ? image->axes.n : 0;
    const struct gf_axis *last = image->axes.axis + axes - 1;
    /* In the units of a kept header, to which its affine belongs, or in mm and s. */
    int64_t codes = gf_get_integer(h + f->units, f->units_bytes, false) & 63;
    for (int i = 0; i < axes; i++)
        if (at[i] >= 0 && has_unit(last - i) &&
            !*units[last[-i].role][codes >> 3 * last[-i].role & 7])
            codes = last[-i].role == GF_TIME ? (codes & 7) | 1 << 3 : (codes & ~7) | 2;
    for (int i = 0; i < axes; i++) {
        if (at[i] < 0)
            continue;
        extent[at[i]] = last[-i].extent;
        spacing[at[i]] = spacing_in(last - i, codes);
        if (last[-i].role <= GF_TIME && last[-i].spacing > 0)
            known[last[-i].role] = true;
    }
    for (int i = 0; i < image->ndim && (!n || i < 2); i++)
        extent[i] = image->px.shape[image->ndim - 1 - i];
    n = n ? n : image->ndim;
    while (n < gf_get_integer(h + f->dim, f->dim_bytes, false) && /* the kept header's */
           gf_get_integer(h + f->dim + (n + 1) * f->dim_bytes, f->dim_bytes, false) == 1)
        n++;
    gf_put_integer(h + f->dim, f->dim_bytes, n);
    for (int i = 0; i < MOST_DIMS; i++) {
        unsigned char *field = h + f->spacing + (i + 1) * f->real_bytes;
        const double was = gf_get_real(field, f->real_bytes, false);
        gf_put_integer(h + f->dim + (i + 1) * f->dim_bytes, f->dim_bytes, extent[i]);
        const bool unknown = i < n && i < 4 && known[i == 3]; /* 1 would be one of the unit */
        gf_put_real(field, f->real_bytes,
                    spacing[i] > 0       ? spacing[i]
                    : was < 0 || was > 0 ? was
                                         : !unknown);
    }
    gf_put_integer(h + f->units, f->units_bytes, codes);
}

static int nifti_begin(struct gf_encoder *e) {
    const struct gf_image *image = e->image;
    const unsigned char *own = gf_header_of(image, e->format, FIRST);
    const size_t own_bytes = own ? image->metadata.header_bytes : 0;
    bool big = false;
    const struct fields *f = own ? version_of(own, &big) : fields;
    const size_t least = (size_t)f->size + AFTER, n = own_bytes > least ? own_bytes : least;
    const size_t all = (n + BLOCK - 1) / BLOCK * BLOCK;
    for (int i = 0; i < image->ndim; i++)
        if (f == fields && image->px.shape[i] > INT16_MAX)
            return gf_fail(GF_EUNSUPP, "a NIfTI-1 file has at most 32767 samples along an axis");
    unsigned char *h = calloc(1, all);
    if (!h)
        return gf_no_memory();
    struct gf_decoder was = {.format = e->format};
    e->coding = (struct gf_coding){0};
    if (own) {
        memcpy(h, own, own_bytes);
        if (image->restores && !describe_type(&was, h, f, big) &&
            was.layout.dtype == image->px.dtype)
            e->coding = was.coding;
        if (big)
            swap_header(h, own_bytes, f);
    }
    gf_put_integer(h, 4, f->size);
    memcpy(h + f->magic, f == fields ? "n+1" : "n+2\0\r\n\032\n", f == fields ? 4 : 8);
    h[f->magic + 1] = e->header ? 'i' : '+';
    const int64_t offset = e->header ? 0 : (int64_t)all;
    memset(h + f->shown, 0, 2 * (size_t)f->real_bytes);
    int i = 0;
    const int stored = e->coding.coded ? (int)e->coding.type : (int)image->px.dtype;
    while (types[i].stored != stored)
        i++;
    gf_put_integer(h + f->type, 2, types[i].code);
    gf_put_integer(h + f->bits, 2, 8 * (int64_t)gf_coding_bytes(&e->coding, image->px.dtype));
    gf_put_real(h + f->slope, f->real_bytes, e->coding.coded ? e->coding.slope : 1);
    gf_put_real(h + f->inter, f->real_bytes, e->coding.coded ? e->coding.offset : 0);
    if (f == fields)
        gf_put_real(h + f->offset, 4, (double)offset);
    else
        gf_put_integer(h + f->offset, 8, offset);
    put_shape(h, f, image);
    int rc = gf_sink_write(e->header ? e->header : e->sink, h, all);
    free(h);
    return rc;
}

static int check_suffix(const char *suffix, const struct gf_image *image) {
    (void)image;
    return strcasecmp(suffix, "hdr.gz") && strcasecmp(suffix, "img.gz")
               ? GF_OK
               : gf_fail(GF_EINVAL, "packed pairs are only read; write .nii.gz, .hdr or .nii");
}

const struct gf_format gf_format_nifti = {
    .name = "nifti",
    .suffixes = "nii nii.gz hdr hdr.gz nifti",
    .summary = "NIfTI-1 and -2 of medical imaging, pairs (.hdr, .img); reads Analyze",
    .sniff = nifti_sniff,
    .header = nifti_header,
    .read_part = gf_plain_read,
    .accepts = nifti_accepts,
    .begin = nifti_begin,
    .put_pages = gf_planes_write,
    .dtypes = (1u << GF_N_DTYPES) - 1,
    .place = nifti_place,
    .skip = nifti_skip,
    .scale = nifti_scale,
    .lengths = true,
    .max_ndim = 3,
    .lines = true,
    .channels = 1u << 1,
    .header_block = BLOCK,
    .check_suffix = check_suffix,
    .pairs = true,
    .record_beside = true,
};
