/* Writes Zarr arrays of versions 2 and 3. */
#include "tests/formats/zarr_made.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "tests/formats/files.h"

const char *const codec_names[] = {"", "zlib", "gzip", "zstd", "blosc", "crc32c"};
const struct zarr_type zarr_types[N_TYPES] = {
    {"b1", "bool", GF_U8, 1, 'u'},       {"u1", "uint8", GF_U8, 1, 'u'},
    {"i1", "int8", GF_I8, 1, 'i'},       {"u2", "uint16", GF_U16, 2, 'u'},
    {"i2", "int16", GF_I16, 2, 'i'},     {"u4", "uint32", GF_U32, 4, 'u'},
    {"i4", "int32", GF_I32, 4, 'i'},     {"u8", "uint64", GF_F64, 8, 'u'},
    {"i8", "int64", GF_F64, 8, 'i'},     {"f2", "float16", GF_F32, 2, 'h'},
    {"f4", "float32", GF_F32, 4, 'f'},   {"f8", "float64", GF_F64, 8, 'f'},
    {"c8", "complex64", GF_C64, 8, 'c'}, {"c16", "complex128", GF_C128, 16, 'c'}};

int number_at(const struct made *m, const int *index) {
    int i = 0;
    for (int k = 0; k < m->rank; k++)
        i = i * m->shape[k] + index[k];
    return i * 7 % 101;
}

/* Stores v and, of a complex number, v + 1. */
static void put_number(const struct made *m, int v, unsigned char *to) {
    const int parts = zarr_types[m->type].kind == 'c' ? 2 : 1,
              size = zarr_types[m->type].size / parts;
    for (int part = 0; part < parts; part++, v++, to += size) {
        const float f = (float)v;
        const double d = v;
        uint64_t bits = (uint64_t)v;
        uint32_t bits32;
        int e = 0;
        if (strchr("fc", zarr_types[m->type].kind) && size == 4)
            memcpy(&bits32, &f, 4), bits = bits32;
        else if (strchr("fc", zarr_types[m->type].kind))
            memcpy(&bits, &d, 8);
        else if (zarr_types[m->type].kind == 'h' && v) /* 1.xxx * 2^e */
            for (bits = 0; v >> (e + 1); e++)
                ;
        if (zarr_types[m->type].kind == 'h' && v)
            bits = (uint64_t)(e + 15) << 10 | (((uint64_t)v << 10 >> e) & 1023);
        for (int i = 0; i < size; i++)
            to[i] = (unsigned char)(bits >> 8 * (m->big ? size - 1 - i : i));
    }
}

static uint32_t sum_of(const unsigned char *p, size_t n) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n * 8; i++) {
        const uint32_t bit = (crc ^ p[i / 8] >> i % 8) & 1;
        crc = crc >> 1 ^ (bit ? 0x82f63b78 : 0);
    }
    return ~crc;
}

static void put_little(unsigned char *to, uint64_t v, int size) {
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(v >> 8 * i);
}

size_t pack(enum codec codec, const unsigned char *from, size_t n, unsigned char *to) {
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)from, .avail_in = (uInt)n};
    memcpy(to, from, n);
    switch (codec) {
    case ZLIB:
    case GZIP:
        z.next_out = to;
        z.avail_out = 1 << 16;
        deflateInit2(&z, 6, Z_DEFLATED, codec == GZIP ? 31 : 15, 8, Z_DEFAULT_STRATEGY);
        deflate(&z, Z_FINISH);
        deflateEnd(&z);
        return z.total_out;
    case ZSTD: /* a single segment, its size in four bytes, one last raw block */
        memcpy(to, "\x28\xb5\x2f\xfd\xa0", 5);
        put_little(to + 5, n, 4);
        put_little(to + 9, n << 3 | 1, 3);
        memcpy(to + 12, from, n);
        return n + 12;
    case BLOSC: /* version 2, copied, samples of one byte */
        memcpy(to, "\x02\x01\x02\x01", 4);
        put_little(to + 4, n, 4);
        put_little(to + 8, n, 4);
        put_little(to + 12, n + 16, 4);
        memcpy(to + 16, from, n);
        return n + 16;
    case SUM:
        put_little(to + n, sum_of(from, n), 4);
        return n + 4;
    default:
        return n;
    }
}

static void list_text(const int *v, int n, char *text) {
    for (int i = 0; i < n; i++)
        text += sprintf(text, "%s%d", i ? "," : "", v[i]);
}

void write_metadata(const char *folder, const struct made *m) {
    char path[256], text[2048], shape[64], chunk[64], packed[128] = "";
    list_text(m->shape, m->rank, shape);
    list_text(m->chunk, m->rank, chunk);
    mkdir(folder, 0777);
    if (m->codec)
        snprintf(packed, sizeof packed,
                 m->version == 2 ? "{\"id\":\"%s\"}" : ",{\"name\":\"%s\",\"configuration\":{}}",
                 codec_names[m->codec]);
    if (m->version == 2)
        snprintf(text, sizeof text,
                 "{\"zarr_format\":2,\"shape\":[%s],\"chunks\":[%s],\"dtype\":\"%c%s\","
                 "\"compressor\":%s,\"fill_value\":%s,\"order\":\"C\",\"filters\":null,"
                 "\"dimension_separator\":\"%c\"%s}",
                 shape, chunk, "<>||"[m->big + (zarr_types[m->type].size == 1) * 2],
                 zarr_types[m->type].code, m->codec ? packed : "null", m->fill ? m->fill : "0",
                 m->separator, m->more ? m->more : "");
    else
        snprintf(
            text, sizeof text,
            "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[%s],\"data_type\":\"%s\","
            "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[%s]}},"
            "\"chunk_key_encoding\":{\"name\":\"%s\",\"configuration\":{\"separator\":\"%c\"}},"
            "\"fill_value\":%s,\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":"
            "\"%s\"}}%s]%s}",
            shape, zarr_types[m->type].name, chunk, m->v2_keys ? "v2" : "default", m->separator,
            m->fill ? m->fill : "0", m->big ? "big" : "little", packed, m->more ? m->more : "");
    snprintf(path, sizeof path, "%s/%s", folder, m->version == 2 ? ".zarray" : "zarr.json");
    file_put(path, text, strlen(text));
}

/* The path of a chunk; makes the folders on the way. */
static void chunk_path(const char *folder, const struct made *m, const int *at, char path[256]) {
    const bool prefix = m->version == 3 && !m->v2_keys;
    int n = snprintf(path, 256, "%s/%s", folder, prefix ? "c" : "");
    for (int k = 0; k < m->rank; k++) {
        if (prefix || k)
            path[n++] = m->separator;
        path[n] = 0;
        if (m->separator == '/') {
            path[n - 1] = 0;
            mkdir(path, 0777);
            path[n - 1] = '/';
        }
        n += sprintf(path + n, "%d", at[k]);
    }
}

/* Samples beyond the array's edge are 255. */
void write_chunk(const char *folder, const struct made *m, const int *at) {
    static unsigned char plain[1 << 16], packed[1 << 17];
    const size_t size = (size_t)zarr_types[m->type].size;
    char path[256];
    int n = 1;
    for (int k = 0; k < m->rank; k++)
        n *= m->chunk[k];
    memset(plain, 255, sizeof plain);
    for (int i = 0; i < n; i++) {
        int index[5], rest = i;
        bool inside = true;
        for (int k = m->rank - 1; k >= 0; k--) {
            index[k] = at[k] * m->chunk[k] + rest % m->chunk[k];
            inside = inside && index[k] < m->shape[k];
            rest /= m->chunk[k];
        }
        if (inside || zarr_types[m->type].kind == 'u' || zarr_types[m->type].kind == 'i')
            put_number(m, inside ? number_at(m, index) : 0, plain + (size_t)i * size);
    }
    chunk_path(folder, m, at, path);
    file_put(path, packed, pack(m->codec, plain, (size_t)n * size, packed));
}

void write_array(const char *folder, const struct made *m) {
    int at[5] = {0}, k = 0;
    write_metadata(folder, m);
    while (k >= 0) {
        write_chunk(folder, m, at);
        for (k = m->rank - 1; k >= 0 && ++at[k] * m->chunk[k] >= m->shape[k]; k--)
            at[k] = 0;
    }
}

struct made nth(int n) {
    static const struct made shapes[] = {
        {.rank = 1, .shape = {50}, .chunk = {16}},
        {.rank = 2, .shape = {9, 13}, .chunk = {4, 5}},
        {.rank = 2, .shape = {9, 13}, .chunk = {16, 16}},
        {.rank = 3, .shape = {5, 7, 11}, .chunk = {2, 3, 4}},
        {.rank = 4, .shape = {2, 5, 4, 6}, .chunk = {1, 2, 4, 4}},
        {.rank = 5, .shape = {3, 2, 4, 5, 6}, .chunk = {2, 1, 3, 5, 4}},
    };
    struct made m = shapes[n % 6];
    m.separator = n % 2 ? '/' : '.';
    m.v2_keys = n % 4 == 1;
    return m;
}
