/* FITS files in the making, for tests. */
#ifndef GF_TESTS_FITS_MAKE_H
#define GF_TESTS_FITS_MAKE_H

#include <string.h>

#include "formats/format.h"

enum { CARD = 80, BLOCK = 2880, MOST = 64 * BLOCK };

static const struct gf_write_options usual = {.level = -1};
static const struct gf_read_options modest = {.max_memory = 64 << 20};

/* A file in the making. */
static unsigned char file[MOST];
static size_t size;

static inline void pad(int with) {
    while (size % BLOCK)
        file[size++] = (unsigned char)with;
}

/* Appends a header unit: cards, separated by '|', and n bytes of data. */
static inline void add_unit(const char *cards, const void *data, size_t n) {
    for (const char *p = cards; *p; p += *p == '|') {
        const size_t length = strcspn(p, "|");
        memset(file + size, ' ', CARD);
        memcpy(file + size, p, length);
        size += CARD;
        p += length;
    }
    memset(file + size, ' ', CARD);
    memcpy(file + size, "END", 3);
    size += CARD;
    pad(' ');
    memcpy(file + size, data, n);
    size += n;
    pad(0);
}

static inline void start(const char *cards, const void *data, size_t n) {
    size = 0;
    add_unit(cards, data, n);
}

#define EXTENSION "BITPIX  = 8|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2|PCOUNT  = 0|GCOUNT  = 1"
#define TABLE \
    "XTENSION= 'BINTABLE'|BITPIX  = 8|NAXIS   = 2|NAXIS1  = 8|NAXIS2  = 400|PCOUNT  = 100|" \
    "GCOUNT  = 1|TFIELDS = 1"

#endif
