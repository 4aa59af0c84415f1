/* A Zarr array of version 2 or 3: its metadata, and its chunks one by one, which are unpacked with
 * zlib and with libraries that are loaded when one is met. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "core/base/host/dl.h"
#include "formats/zarr.h"
#include "core/base/value/sample_value.h"
#include "formats/image.h"
#include "formats/json.h"

const char *const gf_zarr_codec_names[] = {NULL, "zlib", "gzip", "zstd", "blosc"};

static struct blosc {
    int (*decompress)(const void *from, void *to, size_t bytes, int threads);
    int (*validate)(const void *from, size_t n, size_t *bytes);
} blosc;

static struct zstd {
    size_t (*decompress)(void *to, size_t bytes, const void *from, size_t n);
    unsigned (*is_error)(size_t code);
} zstd;

/* Libraries of codecs: zlib's needs none. */
static const struct gf_dl_symbol zstd_symbols[] = {
    {"ZSTD_decompress", offsetof(struct zstd, decompress)},
    {"ZSTD_isError", offsetof(struct zstd, is_error)},
    {NULL, 0},
};
static const struct gf_dl_symbol blosc_symbols[] = {
    {"blosc_decompress_ctx", offsetof(struct blosc, decompress)},
    {"blosc_cbuffer_validate", offsetof(struct blosc, validate)},
    {NULL, 0},
};
static struct gf_dl_library libraries[] = {
    [GF_ZARR_ZSTD] = GF_DL_LIBRARY(zstd_symbols, &zstd, GF_EIO,
                                   "its chunks need Zstandard; install libzstd1", "libzstd.so.1"),
    [GF_ZARR_BLOSC] = GF_DL_LIBRARY(blosc_symbols, &blosc, GF_EIO,
                                    "its chunks need Blosc; install libblosc1", "libblosc.so.1")};

/* GF_EUNSUPP for an unknown name; GF_EIO, with the package, if its library is missing. */
static int find_codec(const char *name, enum gf_zarr_codec *codec) {
    char clean[40];
    int i = GF_ZARR_BLOSC;
    while (i > GF_ZARR_PLAIN && strcmp(name, gf_zarr_codec_names[i]))
        i--;
    *codec = (enum gf_zarr_codec)i;
    if (i == GF_ZARR_PLAIN)
        return gf_fail(GF_EUNSUPP, "chunks packed by '%s' (blosc, zstd, zlib and gzip can be read)",
                       gf_clean_text(clean, sizeof clean, name));
    return libraries[i].table ? gf_dl_load(&libraries[i]) : GF_OK;
}

/* Castagnoli's polynomial, four bits at a time. */
static uint32_t crc32c(const unsigned char *p, size_t n) {
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                       0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                       0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    uint32_t crc = ~0u;
    for (; n > 0; n--, p++) {
        crc = table[(crc ^ *p) & 15] ^ crc >> 4;
        crc = table[(crc ^ *p >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

static bool unpack_zlib(const void *from, size_t n, void *to, size_t bytes) {
    enum { EITHER = 32 + MAX_WBITS };
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)from,
                  .avail_in = (uInt)n,
                  .next_out = to,
                  .avail_out = (uInt)bytes};
    if (inflateInit2(&z, EITHER) != Z_OK)
        return false;
    const int rc = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return rc == Z_STREAM_END && !z.avail_out;
}

/* Unpacks n bytes, the last four of which are a CRC-32C if `summed`, into exactly `bytes` at `to`;
 * GF_EFORMAT for anything else. */
static int unpack(enum gf_zarr_codec codec, bool summed, const void *from, size_t n, void *to,
                  size_t bytes) {
    enum { SUM = 4 };
    size_t made = 0;
    bool good = false;
    if (summed && (n < SUM || crc32c(from, n - SUM) !=
                                  gf_get_number((const unsigned char *)from + n - SUM, SUM, false)))
        return gf_fail(GF_EFORMAT, "its checksum differs");
    n -= summed ? SUM : 0;
    switch (codec) {
    case GF_ZARR_PLAIN:
        good = n == bytes;
        if (good)
            memcpy(to, from, bytes);
        break;
    case GF_ZARR_ZLIB:
    case GF_ZARR_GZIP:
        good = unpack_zlib(from, n, to, bytes);
        break;
    case GF_ZARR_ZSTD:
        made = zstd.decompress(to, bytes, from, n);
        good = !zstd.is_error(made) && made == bytes;
        break;
    case GF_ZARR_BLOSC:
        good = !blosc.validate(from, n, &made) && made == bytes &&
               blosc.decompress(from, to, bytes, 1) == (int)bytes;
        break;
    }
    return good ? GF_OK : gf_fail(GF_EFORMAT, "does not unpack to its size");
}

/* ---- arrays ---- */

enum { MOST_JSON = 1 << 20, MOST_NAME = GF_ZARR_DIMS * 22 + 4 };
static const int64_t most_chunk = 1 << 30, most_chunks = 1 << 30, few_samples = 4096;

const char *gf_zarr_text(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

int gf_zarr_bad(const char *what) {
    return gf_fail(GF_EFORMAT, "broken Zarr: bad '%s'", what);
}

int gf_zarr_load(const char *folder, const char *name, json_t **out) {
    char *path = gf_zarr_path(folder, name), *text = NULL;
    int64_t n = 0;
    *out = NULL;
    int rc = path ? gf_source_load(path, name, MOST_JSON, &text, &n) : gf_no_memory();
    if (text && n <= MOST_JSON)
        *out = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, NULL);
    if (text && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        rc = gf_fail(GF_EFORMAT, "broken Zarr: '%s' is no JSON object%s", name,
                     n > MOST_JSON ? " of at most 1 MiB" : "");
    }
    free(path);
    free(text);
    return rc;
}

/* False for anything else than "." and "/". */
static bool get_separator(const json_t *v, char fallback, char *out) {
    const bool is_one = json_string_length(v) == 1;
    *out = v && !is_one ? 0 : v ? *json_string_value(v) : fallback;
    return *out == '.' || *out == '/';
}

/* By NumPy's letter and size ("u2") or by name ("uint16"). */
static int get_type(struct gf_zarr_array *a, const char *type) {
    const bool is_code = type && *type && strchr("<>|", *type);
    const int stored = type ? gf_numpy_type(type + is_code, !is_code) : -1;
    char clean[24];
    if (stored >= 0) {
        a->dtype = gf_coding_set(&a->coding, (enum gf_stored)stored, 1, 0);
        a->big_endian = *type == '>';
        return GF_OK;
    }
    return gf_fail(GF_EUNSUPP, "samples of type '%s' are not read",
                   gf_clean_text(clean, sizeof clean, type ? type : "structured"));
}

static bool is_integer(const struct gf_zarr_array *a) {
    return a->coding.coded ? a->coding.type >= GF_STORED_I64 : gf_dtype_is_integer(a->dtype);
}

/* The bits of a float, in as many hexadecimal digits as it has. */
static bool get_bits(const struct gf_zarr_array *a, const char *hex, double *out) {
    const enum gf_dtype real = gf_dtype_real(a->dtype);
    const size_t size = a->coding.coded ? gf_coding_bytes(&a->coding, real) : gf_dtype_size(real);
    const uint64_t bits = strtoull(hex, NULL, 16);
    const uint32_t low = (uint32_t)bits;
    const uint16_t half = (uint16_t)bits;
    float f = 0;
    if (is_integer(a) || strlen(hex) != 2 * size ||
        strspn(hex, "0123456789abcdefABCDEF") != 2 * size)
        return false;
    if (size == sizeof half)
        gf_coding_decode(&a->coding, &half, 1, GF_F32, &f);
    else
        memcpy(&f, &low, sizeof f);
    *out = f;
    if (size == sizeof *out)
        memcpy(out, &bits, size);
    return true;
}

/* A number as JSON or a string has it, a name of one, or a float's bits. */
static bool get_number(const struct gf_zarr_array *a, const json_t *v, double *out) {
    const char *word = json_string_value(v);
    *out = json_is_true(v) ? 1 : json_number_value(v);
    if (!word)
        return json_is_number(v) || json_is_boolean(v);
    if (!strncmp(word, "0x", 2))
        return get_bits(a, word + 2, out);
    *out = !strcmp(word, "NaN") ? NAN : !strcmp(word, "Infinity") ? INFINITY : -INFINITY;
    if (isnan(*out) || *out > 0 || !strcmp(word, "-Infinity"))
        return true;
    char *end;
    *out = strtod(word, &end);
    return *word && !*end && strspn(word, "0123456789.eE+-") == strlen(word);
}

/* The sample of a missing chunk, stored as a chunk's are; fill_known is false if `v` is no number of
 * the array's type. */
static void get_fill(struct gf_zarr_array *a, const json_t *v) {
    const enum gf_dtype real = gf_dtype_real(a->dtype);
    const bool is_complex = gf_dtype_is_complex(a->dtype);
    const bool is_pair = is_complex && json_array_size(v) == 2;
    const double beyond = 9007199254740992.0; /* 2^53 */
    double part[2] = {0, 0};
    unsigned char stored[8];
    a->fill_known = v;
    for (size_t i = 0; i <= is_pair && v && !json_is_null(v); i++)
        a->fill_known =
            get_number(a, is_pair ? json_array_get(v, i) : v, &part[i]) && a->fill_known;
    for (int i = 0; i <= is_complex; i++)
        gf_sample_put(a->fill + (size_t)i * gf_dtype_size(real), real, part[i]);
    if (a->coding.coded) {
        gf_coding_encode(&a->coding, a->fill, 1, a->dtype, stored);
        gf_coding_decode(&a->coding, stored, 1, a->dtype, a->fill);
    }
    for (int i = 0; i <= is_complex; i++) {
        const double is = gf_sample_get(a->fill + (size_t)i * gf_dtype_size(real), real);
        a->fill_known = a->fill_known && (is_integer(a) ? is == part[i] && fabs(is) < beyond
                                                        : !isfinite(is) == !isfinite(part[i]));
    }
}

/* The steps that made a version 3 chunk: bytes, perhaps one that packs, perhaps a checksum. */
static int get_codecs(struct gf_zarr_array *a, const json_t *list) {
    const size_t n = json_array_size(list);
    int rc = n ? GF_OK : gf_zarr_bad("codecs");
    for (size_t i = 0; i < n && !rc; i++) {
        const json_t *c = json_array_get(list, i);
        const char *name = gf_zarr_text(c, "name");
        const char *endian = gf_zarr_text(json_object_get(c, "configuration"), "endian");
        if (!name)
            rc = gf_zarr_bad("codecs");
        else if (!strcmp(name, "sharding_indexed") || !strcmp(name, "transpose"))
            rc = gf_fail(GF_EUNSUPP, "chunks made by '%s' are not read", name);
        else if ((i == 0) != !strcmp(name, "bytes") ||
                 (endian && strcmp(endian, "little") && strcmp(endian, "big")))
            rc = gf_zarr_bad("codecs");
        else if (i == 0)
            a->big_endian = endian && !strcmp(endian, "big");
        else if (!strcmp(name, "crc32c") && i + 1 == n)
            a->summed = true;
        else if (a->codec != GF_ZARR_PLAIN)
            rc = gf_fail(GF_EUNSUPP, "chunks packed more than once are not read");
        else
            rc = find_codec(name, &a->codec);
    }
    return rc;
}

static int get_version_3(struct gf_zarr_array *a, const json_t *root, const json_t **chunks) {
    const json_t *grid = json_object_get(root, "chunk_grid");
    const json_t *keys = json_object_get(root, "chunk_key_encoding");
    const char *kind = gf_zarr_text(grid, "name");
    const char *encoding = gf_zarr_text(keys, "name");
    a->prefixed = encoding && !strcmp(encoding, "default");
    *chunks = json_object_get(json_object_get(grid, "configuration"), "chunk_shape");
    if (!kind || strcmp(kind, "regular"))
        return gf_zarr_bad("chunk_grid");
    if (!encoding || (!a->prefixed && strcmp(encoding, "v2")) ||
        !get_separator(json_object_get(json_object_get(keys, "configuration"), "separator"),
                       a->prefixed ? '/' : '.', &a->separator))
        return gf_zarr_bad("chunk_key_encoding");
    if (json_array_size(json_object_get(root, "storage_transformers")))
        return gf_fail(GF_EUNSUPP, "arrays with storage transformers are not read");
    int rc = get_type(a, gf_zarr_text(root, "data_type"));
    return rc ? rc : get_codecs(a, json_object_get(root, "codecs"));
}

static int get_version_2(struct gf_zarr_array *a, const json_t *root, const json_t **chunks) {
    const json_t *packed = json_object_get(root, "compressor");
    const char *order = gf_zarr_text(root, "order");
    const char *codec = gf_zarr_text(packed, "id");
    *chunks = json_object_get(root, "chunks");
    if (order && strcmp(order, "C"))
        return gf_fail(GF_EUNSUPP, "chunks in Fortran's order are not read");
    if (json_array_size(json_object_get(root, "filters")))
        return gf_fail(GF_EUNSUPP, "chunks with filters are not read");
    if (packed && !json_is_null(packed) && !codec)
        return gf_zarr_bad("compressor");
    if (!get_separator(json_object_get(root, "dimension_separator"), '.', &a->separator))
        return gf_zarr_bad("dimension_separator");
    int rc = get_type(a, gf_zarr_text(root, "dtype"));
    return rc || !codec ? rc : find_codec(codec, &a->codec);
}

/* Describes the array whose metadata `root` is. */
static int describe_array(const json_t *root, struct gf_zarr_array *a) {
    const int64_t version = json_integer_value(json_object_get(root, "zarr_format"));
    const json_t *chunks = NULL;
    int64_t bytes;
    if (version != 2 && version != 3)
        return gf_fail(GF_EUNSUPP, "a Zarr array of another version than 2 and 3");
    int rc = (version == 3 ? get_version_3 : get_version_2)(a, root, &chunks);
    if (rc)
        return rc;
    a->n = gf_json_list(json_object_get(root, "shape"), GF_ZARR_DIMS, 1, INT64_MAX, a->shape);
    if (!a->n || gf_json_list(chunks, GF_ZARR_DIMS, 1, INT64_MAX, a->chunk) != a->n)
        return gf_zarr_bad("shape");
    for (a->rank = a->n; a->rank < 3; a->rank++) {
        memmove(a->shape + 1, a->shape, 2 * sizeof *a->shape);
        memmove(a->chunk + 1, a->chunk, 2 * sizeof *a->chunk);
        a->shape[0] = a->chunk[0] = 1;
    }
    rc = gf_size_product(a->chunk, a->rank, (int64_t)gf_coding_bytes(&a->coding, a->dtype), &bytes);
    if (rc || bytes > most_chunk)
        return gf_fail(GF_EFORMAT, "broken Zarr: chunks of more than a gigabyte");
    double count = 1;
    for (int i = 0; i < a->rank; i++)
        count *= (double)gf_divide_up(a->shape[i], a->chunk[i]);
    const int64_t samples = gf_shape_count(a->chunk, a->rank);
    if (count > (double)most_chunks && samples < few_samples)
        return gf_fail(GF_EUNSUPP,
                       "%.3g chunks of %lld samples; rechunk it to at most 2^30 of them", count,
                       (long long)samples);
    get_fill(a, json_object_get(root, "fill_value"));
    return GF_OK;
}

int gf_zarr_open_array(const char *folder, struct gf_zarr_array *a) {
    json_t *root;
    char clean[256];
    int rc = gf_zarr_load(folder, "zarr.json", &root);
    if (!rc && !root)
        rc = gf_zarr_load(folder, ".zarray", &root);
    if (!rc && !root)
        rc = gf_fail(GF_EFORMAT, "broken Zarr: '%s' has no array",
                     gf_clean_text(clean, sizeof clean, folder));
    if (!rc)
        rc = describe_array(root, a);
    json_decref(root);
    if (!rc && !(a->folder = strdup(folder)))
        rc = gf_no_memory();
    return rc;
}

/* The most bytes of a chunk's file. */
static int64_t most_packed(int64_t bytes) {
    return bytes + bytes / 8 + (1 << 16);
}

int64_t gf_zarr_chunk_bytes(const struct gf_zarr_array *a) {
    const int64_t numbers = gf_shape_count(a->chunk, a->rank);
    const int64_t bytes = numbers * (int64_t)gf_coding_bytes(&a->coding, a->dtype);
    return bytes + most_packed(bytes) +
           (a->coding.coded ? numbers * (int64_t)gf_dtype_size(a->dtype) : 0);
}

/* The chunk's indices between separators. */
static void chunk_name(const struct gf_zarr_array *a, const int64_t *at, char name[MOST_NAME]) {
    size_t n = (size_t)snprintf(name, MOST_NAME, "%s", a->prefixed ? "c" : "");
    for (int i = a->rank - a->n; i < a->rank; i++) {
        if (n)
            name[n++] = a->separator;
        n += (size_t)snprintf(name + n, MOST_NAME - n, "%lld", (long long)at[i]);
    }
}

/* ---- the chunks that are there ---- */

static int add_stored(struct gf_zarr_array *a, int64_t number) {
    int rc = gf_list_grow(&a->stored, a->n_stored, sizeof number);
    if (!rc)
        a->stored[a->n_stored++] = number;
    return rc;
}

/* Reads the indices along the axes [from, end) from a name as chunk_name() writes it, and appends
 * them to *number. */
static bool parse_name(const struct gf_zarr_array *a, const char *name, int from, int end,
                       int64_t *number) {
    for (int i = from; i < end; i++) {
        const int64_t chunks = gf_divide_up(a->shape[i], a->chunk[i]);
        int64_t index = 0;
        if (i > from && *name++ != a->separator)
            return false;
        if (*name < '0' || *name > '9' || (*name == '0' && name[1] >= '0' && name[1] <= '9'))
            return false;
        for (; *name >= '0' && *name <= '9' && index < chunks; name++)
            index = index * 10 + *name - '0';
        if (index >= chunks)
            return false;
        *number = *number * chunks + index;
    }
    return !*name;
}

/* Lists the chunks in a folder whose indices along the axes before `axis` are in `number`. */
static int list_folder(struct gf_zarr_array *a, const char *path, int axis, int64_t number) {
    const int first = a->rank - a->n;
    const bool nested = a->separator == '/', begins = a->prefixed && !nested;
    struct dirent *e;
    char clean[256];
    DIR *folder = opendir(path);
    int rc = GF_OK;
    if (!folder)
        return errno == ENOENT && axis == first ? GF_OK : gf_fail_errno(GF_EIO, path);
    while (!rc && (errno = 0, e = readdir(folder))) {
        const char *name = e->d_name;
        int64_t next = number;
        if (begins && (*name++ != 'c' || *name++ != a->separator))
            continue;
        if (!parse_name(a, name, axis, nested ? axis + 1 : a->rank, &next))
            continue;
        char *below = nested && axis + 1 < a->rank ? gf_zarr_path(path, name) : NULL;
        if (nested && axis + 1 < a->rank)
            rc = below ? list_folder(a, below, axis + 1, next) : gf_no_memory();
        else
            rc = add_stored(a, next);
        free(below);
    }
    if (!rc && errno)
        rc = gf_fail_errno(GF_EIO, gf_clean_text(clean, sizeof clean, path));
    closedir(folder);
    return rc;
}

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* An array may have millions of chunks and few files, so the folder is listed. */
int gf_zarr_list_chunks(struct gf_zarr_array *a) {
    const bool below = a->prefixed && a->separator == '/';
    if (a->listed)
        return GF_OK;
    char *path = below ? gf_zarr_path(a->folder, "c") : strdup(a->folder);
    a->n_stored = 0;
    int rc = path ? list_folder(a, path, a->rank - a->n, 0) : gf_no_memory();
    free(path);
    if (a->n_stored)
        qsort(a->stored, (size_t)a->n_stored, sizeof *a->stored, ascending);
    a->listed = !rc;
    return rc;
}

int64_t gf_zarr_find_stored(const struct gf_zarr_array *a, int64_t from) {
    int64_t low = 0, high = a->n_stored;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (a->stored[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int gf_zarr_fill(const struct gf_zarr_array *a, int64_t n, char *samples) {
    enum { BLOCK = 1 << 16 };
    const int64_t size = (int64_t)gf_dtype_size(a->dtype), bytes = n * size;
    if (!a->fill_known)
        return gf_fail(GF_EUNSUPP,
                       "has chunks without a file, and its fill value is no number of its type");
    memcpy(samples, a->fill, (size_t)size);
    for (int64_t done = size, more; done < bytes; done += more) {
        more = gf_min(gf_min(done, BLOCK), bytes - done);
        memcpy(samples + done, samples, (size_t)more);
    }
    return GF_OK;
}

/* ---- one chunk ---- */

/* Reads a chunk's file and unpacks it into `bytes` at `to`; *missing if it was removed meanwhile. */
static int load_chunk(const struct gf_zarr_array *a, const char *path, char *to, int64_t bytes,
                      bool *missing) {
    struct stat st;
    char *packed = NULL;
    int64_t n;
    *missing = lstat(path, &st) && errno == ENOENT;
    if (*missing)
        return GF_OK;
    int rc = gf_source_load(path, NULL, most_packed(bytes), &packed, &n);
    if (!rc && !packed)
        rc = gf_fail(GF_EFORMAT, "is no file");
    if (!rc && n > most_packed(bytes))
        rc = gf_fail(GF_EFORMAT, "a file of more than %lld bytes", (long long)n - 1);
    if (!rc)
        rc = unpack(a->codec, a->summed, packed, (size_t)n, to, (size_t)bytes);
    free(packed);
    return rc;
}

int gf_zarr_read_chunk(const struct gf_zarr_array *a, const int64_t *at, int64_t numbers,
                       char *const buffer[2]) {
    const size_t stored = gf_coding_bytes(&a->coding, a->dtype);
    const size_t unit = a->coding.coded ? stored : gf_dtype_size(gf_dtype_real(a->dtype));
    const int64_t bytes = numbers * (int64_t)stored;
    char name[MOST_NAME], why[256], *samples = buffer[a->coding.coded];
    bool missing = false;
    chunk_name(a, at, name);
    char *path = gf_zarr_path(a->folder, name);
    int rc = path ? load_chunk(a, path, buffer[0], bytes, &missing) : gf_no_memory();
    free(path);
    if (!rc && missing)
        rc = gf_zarr_fill(a, numbers, samples);
    if (!rc && !missing && unit > 1 && a->big_endian != gf_host_is_big_endian())
        gf_swap_bytes(buffer[0], (size_t)bytes / unit, unit);
    if (!rc && !missing && a->coding.coded)
        rc = gf_coding_decode(&a->coding, buffer[0], numbers, a->dtype, samples);
    if (!rc)
        return GF_OK;
    snprintf(why, sizeof why, "%s", gf_message());
    return gf_fail(rc, "chunk '%s': %s", name, why);
}
