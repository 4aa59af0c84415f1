/* Zarr folders that a test makes: arrays of every type, codec and key, chunk by chunk. */
#ifndef GF_TESTS_FORMATS_ZARR_MADE_H
#define GF_TESTS_FORMATS_ZARR_MADE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/value/array.h"

enum codec { PLAIN, ZLIB, GZIP, ZSTD, BLOSC, SUM, N_CODECS };
extern const char *const codec_names[];

struct zarr_type {
    const char *code, *name;
    enum gf_dtype dtype;
    int size;
    char kind; /* of stored numbers: u, i, f; h: 16-bit float; c */
};
extern const struct zarr_type zarr_types[];
enum { N_TYPES = 14, U2 = 3 };

struct made {
    int version, type, rank;
    int shape[5], chunk[5];
    enum codec codec;
    bool big, v2_keys;
    char separator;
    const char *fill, *more; /* metadata as text */
};

/* One of a list of shapes and of chunks that do not divide them; n counts on. */
struct made nth(int n);
/* The number at an index of the array, small enough for every type; a complex sample has it and the
 * next one. */
int number_at(const struct made *m, const int *index);
/* Packs n bytes; Zstandard and Blosc have a form that only stores. Returns the packed size. */
size_t pack(enum codec codec, const unsigned char *from, size_t n, unsigned char *to);
void write_metadata(const char *folder, const struct made *m);
void write_chunk(const char *folder, const struct made *m, const int *at);
void write_array(const char *folder, const struct made *m);

#endif
