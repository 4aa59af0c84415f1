/* The table of formats, what each can hold, and the signatures of types that are not read. */
#include "formats/format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/value/status.h"
#include "formats/ome.h"

const struct gf_format *const gf_formats[] = {
    &gf_format_png,   &gf_format_tiff, &gf_format_jpeg, &gf_format_pnm,
    &gf_format_pfm,   &gf_format_npy,  &gf_format_mrc,  &gf_format_fits,
    &gf_format_nifti, &gf_format_zarr, &gf_format_raw,  NULL,
};

void gf_formats_load(void) {
    for (int i = 0; gf_formats[i]; i++)
        if (gf_formats[i]->load)
            gf_formats[i]->load();
    gf_expat_load();
}

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
        if (in_list(gf_formats[i]->suffixes, name))
            return gf_formats[i];
    return NULL;
}

const char *gf_suffix(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.'), *before = dot;
    while (before && before > name && *--before != '.')
        ;
    const bool packed = dot && !strcasecmp(dot, ".gz") && before < dot && *before == '.';
    const bool known = packed && (gf_format_by_name(before + 1) || in_list("img.gz", before + 1));
    return known ? before + 1 : dot ? dot + 1 : "";
}

const struct gf_format *gf_format_by_suffix(const char *path) {
    return gf_format_by_name(gf_suffix(path));
}

bool gf_format_makes_pair(const struct gf_format *f, const char *path) {
    return f->pairs && in_list("hdr img", gf_suffix(path));
}

const struct gf_format *gf_format_sniff(const unsigned char *head, size_t n) {
    for (int i = 0; gf_formats[i]; i++)
        if (gf_formats[i]->sniff && gf_formats[i]->sniff(head, n))
            return gf_formats[i];
    return NULL;
}

const char *gf_format_label(const struct gf_format *f, char text[8]) {
    size_t i = 0;
    for (; i < 7 && f->name[i]; i++)
        text[i] = (char)toupper((unsigned char)f->name[i]);
    text[i] = 0;
    return text;
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

void gf_image_drop_axis(struct gf_image *v) {
    memmove(v->px.shape, v->px.shape + 1, (size_t)v->ndim * sizeof *v->px.shape);
    memmove(v->px.stride, v->px.stride + 1, (size_t)v->ndim * sizeof *v->px.stride);
    v->ndim--;
    v->px.rank--;
    gf_axes_drop_pages(&v->axes, true);
}

struct gf_image gf_format_fit(const struct gf_format *format, const struct gf_image *image) {
    struct gf_image v = *image;
    v.px.base = NULL;
    while (v.ndim > format->max_ndim && v.ndim > 1 && v.px.shape[0] == 1)
        gf_image_drop_axis(&v);
    if (v.ndim == 1 && !format->lines) {
        memmove(v.px.shape + 1, v.px.shape, 2 * sizeof *v.px.shape);
        memmove(v.px.stride + 1, v.px.stride, 2 * sizeof *v.px.stride);
        v.px.shape[0] = 1;
        v.px.stride[0] = v.px.stride[1] * v.px.shape[1];
        v.ndim++;
        v.px.rank++;
    }
    return v;
}

int gf_format_accepts(const struct gf_format *f, const struct gf_image *image) {
    char name[8], types[64];
    int64_t channels = image->px.shape[image->ndim];
    gf_format_label(f, name);
    if (image->ndim > f->max_ndim)
        return gf_fail(GF_EINVAL,
                       "a volume does not fit one %s: write .tif or .npy, or a file for each "
                       "plane with {page} in its name",
                       name);
    for (int i = 0; i < image->ndim && f->max_side; i++)
        if (image->px.shape[i] > f->max_side)
            return gf_fail(GF_EINVAL, "a %s has at most %lld rows and columns; write .png or .tif",
                           name, (long long)f->max_side);
    if (!(f->dtypes >> image->px.dtype & 1))
        return gf_fail(GF_EINVAL, "a %s holds %s, not %s (.tif, .npy and raw hold all)", name,
                       type_list(f->dtypes, types, sizeof types), gf_dtype_name(image->px.dtype));
    if (!(f->channels & 1) && (channels > 31 || !(f->channels >> channels & 1)))
        return gf_fail(GF_EINVAL, "a %s does not hold %lld channels%s (.tif and .npy do)", name,
                       (long long)channels, image->alpha ? " with alpha" : "");
    if (f->alpha_channels && image->alpha != (f->alpha_channels >> channels & 1))
        return gf_fail(GF_EINVAL, "a %s does not hold %lld plain channels (.tif and .npy do)", name,
                       (long long)channels);
    return f->accepts ? f->accepts(image) : GF_OK;
}

/* "RIFF", four bytes of length, "WEBP"; ISO media: four bytes of length, "ftyp", a brand. A BMP's
 * two letters are few, so its four reserved bytes, zero, count too. DM3 and DM4: a version, a length,
 * 0 or 1. The first row that fits counts. */
#define PNG    "convert it to PNG"
#define RAW    "convert it to TIFF (dcraw -T)"
#define OME    "convert it to OME-TIFF (bfconvert of Bio-Formats)"
#define FRAMES "convert it to frames (ffmpeg)"
static const struct {
    struct gf_foreign type;
    size_t at[2];
    const char *bytes[2];
    size_t n[2];
} signs[] = {
    {{"a WebP", PNG, false}, {0, 8}, {"RIFF", "WEBP"}, {4, 4}},
    {{"an AVI", FRAMES, true}, {0, 8}, {"RIFF", "AVI "}, {4, 4}},
    {{"a HEIF", PNG, false}, {4, 8}, {"ftyp", "hei"}, {4, 3}},
    {{"a HEIF", PNG, false}, {4, 8}, {"ftyp", "hev"}, {4, 3}},
    {{"a HEIF", PNG, false}, {4, 8}, {"ftyp", "mif1"}, {4, 4}},
    {{"a HEIF", PNG, false}, {4, 8}, {"ftyp", "msf1"}, {4, 4}},
    {{"an AVIF", PNG, false}, {4, 8}, {"ftyp", "avi"}, {4, 3}},
    {{"a camera raw", RAW, false}, {4, 8}, {"ftyp", "crx "}, {4, 4}},
    {{"an MP4", FRAMES, true}, {4, 0}, {"ftyp", ""}, {4, 0}},
    {{"a Matroska", FRAMES, true}, {0, 0}, {"\x1a\x45\xdf\xa3", ""}, {4, 0}},
    {{"a camera raw", RAW, false}, {0, 0}, {"FUJIFILMCCD-RAW", ""}, {15, 0}},
    {{"a camera raw", RAW, false}, {0, 0}, {"IIU\0", ""}, {4, 0}},
    {{"a camera raw", RAW, false}, {0, 0}, {"IIRO", ""}, {4, 0}},
    {{"a camera raw", RAW, false}, {0, 0}, {"IIRS", ""}, {4, 0}},
    {{"a camera raw", RAW, false}, {0, 0}, {"MMOR", ""}, {4, 0}},
    {{"a JPEG XL", PNG, false}, {0, 0}, {"\xff\x0a", ""}, {2, 0}},
    {{"a JPEG XL", PNG, false}, {0, 8}, {"\0\0\0\x0cJXL ", "\r\n\x87\n"}, {8, 4}},
    {{"a JPEG 2000", PNG, false}, {0, 8}, {"\0\0\0\x0cjP  ", "\r\n\x87\n"}, {8, 4}},
    {{"a GIF", PNG, false}, {0, 5}, {"GIF8", "a"}, {4, 1}},
    {{"a BMP", PNG, false}, {0, 6}, {"BM", "\0\0\0"}, {2, 4}},
    {{"a PSD", "convert it to TIFF (ImageMagick)", false}, {0, 0}, {"8BPS", ""}, {4, 0}},
    {{"a DICOM", "convert it to TIFF (or NIfTI: dcm2niix)", false}, {128, 0}, {"DICM", ""}, {4, 0}},
    {{"an OpenEXR", "convert it to TIFF", false}, {0, 0}, {"\x76\x2f\x31\x01", ""}, {4, 0}},
    {{"an HDF5", "convert it to .npy (h5py)", false}, {0, 0}, {"\x89HDF\r\n\x1a\n", ""}, {8, 0}},
    {{"a NetCDF", "convert it to .npy (xarray)", false}, {0, 0}, {"CDF\1", ""}, {4, 0}},
    {{"a NetCDF", "convert it to .npy (xarray)", false}, {0, 0}, {"CDF\2", ""}, {4, 0}},
    {{"a NetCDF", "convert it to .npy (xarray)", false}, {0, 0}, {"CDF\5", ""}, {4, 0}},
    {{"an NRRD", "convert it to NIfTI (SimpleITK)", false}, {0, 0}, {"NRRD000", ""}, {7, 0}},
    {{"a DM3", "convert it to MRC (dm2mrc of IMOD)", false},
     {0, 8},
     {"\0\0\0\3", "\0\0\0"},
     {4, 3}},
    {{"a DM4", "convert it to MRC (dm2mrc of IMOD)", false},
     {0, 12},
     {"\0\0\0\4", "\0\0\0"},
     {4, 3}},
    {{"a CZI", OME, false}, {0, 0}, {"ZISRAWFILE", ""}, {10, 0}},
    {{"a LIF", OME, false}, {0, 8}, {"\x70\0\0\0", "\x2a"}, {4, 1}},
    {{"an ND2", OME, false}, {0, 0}, {"\xda\xce\xbe\x0a", ""}, {4, 0}},
    {{"a MATLAB", "save it as .npy (SciPy)", true}, {0, 0}, {"MATLAB 5", ""}, {8, 0}},
    {{"an NPZ or ZIP", "unpack it (unzip)", true}, {0, 0}, {"PK\3\4", ""}, {4, 0}},
    {{"a PDF", "convert it to PNG (pdftoppm)", true}, {0, 0}, {"%PDF-", ""}, {5, 0}},
    {{"a bzip2", "unpack it (bunzip2)", true}, {0, 4}, {"BZh", "1AY&SY"}, {3, 6}},
    {{"an xz", "unpack it (unxz)", true},
     {0, 0},
     {"\xfd"
      "7zXZ\0",
      ""},
     {6, 0}},
    {{"a Zstandard", "unpack it (unzstd)", true}, {0, 0}, {"\x28\xb5\x2f\xfd", ""}, {4, 0}},
};

const struct gf_foreign *gf_foreign_find(const unsigned char *head, size_t n) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        int found = 0;
        for (int k = 0; k < 2; k++)
            found += signs[i].at[k] + signs[i].n[k] <= n &&
                     !memcmp(head + signs[i].at[k], signs[i].bytes[k], signs[i].n[k]);
        if (found == 2)
            return &signs[i].type;
    }
    return NULL;
}
