/* Tile-compressed images of FITS files (FITS 4.0, 10.1), as fpack makes them: tables that libcfitsio
 * unpacks. It gets the table in memory, as CFITSIO's names of files run filters and open URLs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/dl.h"
#include "formats/fits.h"
#include "formats/image.h"

enum { CARD = GF_FITS_CARD, BLOCK = GF_FITS_BLOCK };

/* CFITSIO's types; functions return *status, 0 if all went well. */
static struct {
    int (*open)(void **file, const char *name, int mode, void **memory, size_t *bytes, size_t delta,
                void *(*grow)(void *, size_t), int *status);
    int (*go)(void *file, int unit, int *kind, int *status);
    int (*set_scale)(void *file, double scale, double zero, int *status);
    int (*read)(void *file, int type, long long first, long long n, void *null, void *to,
                int *any_null, int *status);
    int (*close)(void *file, int *status);
    void (*explain)(int status, char text[31]);
} library;

static int load(void *user) {
    static const struct gf_dl_symbol symbols[] = {{"ffomem", 0 * sizeof(void *)},
                                                  {"ffmahd", 1 * sizeof(void *)},
                                                  {"ffpscl", 2 * sizeof(void *)},
                                                  {"ffgpv", 3 * sizeof(void *)},
                                                  {"ffclos", 4 * sizeof(void *)},
                                                  {"ffgerr", 5 * sizeof(void *)},
                                                  {NULL, 0}};
    void *handle;
    (void)user;
    return gf_dl_open((const char *const[]){"libcfitsio.so.10", "libcfitsio.so.9", NULL}, symbols,
                      &library, &handle)
               ? gf_fail(GF_EIO, "its compressed images need libcfitsio; install libcfitsio10")
               : GF_OK;
}

/* Appends a card. */
static void put(struct gf_fits_cards *c, const char *key, int i, long long value) {
    char name[24];
    snprintf(c->text + c->n, CARD + 1, "%-8s= %20lld%50s", gf_fits_numbered(key, i, name), value,
             "");
    c->n += CARD;
}

int gf_fits_find_packed(struct gf_decoder *d, const struct gf_fits_cards *table, int64_t end,
                        struct gf_fits_cards *plain, const char **how) {
    static const char *const hidden[] = {
        "XTENSION", "BITPIX",   "NAXIS",    "NAXIS#",   "PCOUNT",  "GCOUNT",  "TFIELDS",
        "TTYPE#",   "TFORM#",   "TUNIT#",   "TNULL#",   "TSCAL#",  "TZERO#",  "TDISP#",
        "TDIM#",    "THEAP",    "ZIMAGE",   "ZTENSION", "ZSIMPLE", "ZEXTEND", "ZBLOCKED",
        "ZPCOUNT",  "ZGCOUNT",  "ZCMPTYPE", "ZNAME#",   "ZVAL#",   "ZTILE#",  "ZQUANTIZ",
        "ZDITHER#", "ZMASKCMP", "ZHECKSUM", "ZDATASUM", "ZBITPIX", "ZNAXIS",  "ZNAXIS#",
        "ZBLANK",   "ZSCALE",   "ZZERO",    NULL};
    static const char *const methods[] = {"RICE_1", "GZIP_1",      "GZIP_2",
                                          "PLIO_1", "HCOMPRESS_1", "NOCOMPRESS"};
    static const int types[][2] = {{8, 11}, {16, 21}, {32, 31}, {64, 81}, {-32, 42}, {-64, 82}};
    struct gf_fits_packed *p = d->state;
    const int64_t bits = gf_fits_integer(gf_fits_find(table, "ZBITPIX", 0), 0);
    const int64_t n = gf_fits_integer(gf_fits_find(table, "ZNAXIS", 0), 0);
    char text[24];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        p->type = types[i][0] == bits ? types[i][1] : p->type;
    if (!p->type || n < 1 || n > GF_FITS_AXES || end - gf_source_tell(d->source) > INT32_MAX)
        return gf_fail(GF_EUNSUPP, "a compressed image without ZBITPIX or ZNAXIS, or above 2 GiB");
    gf_fits_text(gf_fits_find(table, "ZCMPTYPE", 0), text);
    *how = "by tiles";
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        *how = strcmp(text, methods[i]) ? *how : methods[i];
    p->begin = gf_source_tell(d->source);
    p->end = end;
    p->n = table->n;
    p->cards = malloc(table->n);
    plain->text = malloc(table->n + (GF_FITS_AXES + 4) * CARD + 1);
    if (!p->cards || !plain->text)
        return gf_no_memory();
    memcpy(p->cards, table->text, table->n);
    snprintf(plain->text, CARD + 1, "%-80s", "XTENSION= 'IMAGE   '");
    plain->n = CARD;
    put(plain, "BITPIX", 0, bits);
    put(plain, "NAXIS", 0, n);
    for (int i = 1; i <= n; i++)
        put(plain, "NAXIS", i, gf_fits_integer(gf_fits_find(table, "ZNAXIS", i), -1));
    if (bits > 0 && gf_fits_find(table, "ZBLANK", 0) && !gf_fits_find(table, "BLANK", 0))
        put(plain, "BLANK", 0, gf_fits_integer(gf_fits_find(table, "ZBLANK", 0), 0));
    for (size_t at = 0; at + CARD <= table->n; at += CARD) {
        const char *card = table->text + at;
        if (gf_fits_matches(card, hidden) || !strncmp(card, "EXTNAME = 'COMPRESSED_IMAGE'", 28))
            continue;
        memcpy(plain->text + plain->n, card, CARD);
        plain->n += CARD;
    }
    plain->text[plain->n] = 0;
    d->coding.pages = true;
    d->extra = 2 * BLOCK + (int64_t)table->n + end - p->begin;
    return GF_OK;
}

/* GF_EFORMAT if the table's bytes do not have its checksum (FITS 4.0, appendix J): CFITSIO may crash on
 * damaged data. */
static int check_sum(const struct gf_fits_packed *p, const unsigned char *data, size_t n) {
    const struct gf_fits_cards table = {p->cards, p->n};
    char text[24], *end;
    uint64_t sum = 0;
    const uint64_t want =
        strtoull(gf_fits_text(gf_fits_find(&table, "DATASUM", 0), text), &end, 10);
    for (size_t i = 0; i + 4 <= n; i += 4)
        sum += gf_get_big_endian(data + i);
    while (sum >> 32)
        sum = (sum & UINT32_MAX) + (sum >> 32);
    return end == text || *end || sum == want
               ? GF_OK
               : gf_fail(GF_EFORMAT, "broken compressed FITS image: its DATASUM differs");
}

static int fail(int status) {
    char text[31] = "";
    library.explain(status, text);
    return gf_fail_text(GF_EFORMAT, "broken compressed FITS image: ", text);
}

/* Loads the table behind an empty primary unit, and opens it. */
static int open_packed(struct gf_decoder *d, struct gf_fits_packed *p) {
    static const char *const empty[] = {"SIMPLE  =                    T",
                                        "BITPIX  =                    8",
                                        "NAXIS   =                    0", "END"};
    static struct gf_dl_once once = GF_DL_ONCE;
    const size_t header = (p->n / BLOCK + 1) * BLOCK, data = (size_t)(p->end - p->begin);
    int status = 0, kind;
    int rc = gf_dl_once(&once, load, NULL);
    if (rc)
        return rc;
    p->bytes = BLOCK + header + data;
    char *to = p->memory = malloc(p->bytes);
    if (!to)
        return gf_no_memory();
    memset(to, ' ', BLOCK + header);
    for (int i = 0; i < 4; i++)
        memcpy(to + i * CARD, empty[i], strlen(empty[i]));
    memcpy(to + BLOCK, p->cards, p->n);
    memcpy(to + BLOCK + p->n, "END", 3);
    rc = gf_source_seek(d->source, p->begin);
    const int64_t got = rc ? rc : gf_source_read(d->source, to + BLOCK + header, data);
    if (got < 0)
        return (int)got;
    if (got + BLOCK <= (int64_t)data) /* the last block's padding may be missing */
        return gf_fail(GF_EFORMAT, "broken FITS: it ends within a compressed image");
    memset(to + BLOCK + header + got, 0, data - (size_t)got);
    rc = check_sum(p, (unsigned char *)to + BLOCK + header, data);
    if (rc)
        return rc;
    library.open(&p->file, "table", 0, &p->memory, &p->bytes, 0, NULL, &status);
    if (!status)
        library.go(p->file, 2, &kind, &status);
    if (!status)
        library.set_scale(p->file, 1, 0, &status);
    return status ? fail(status) : GF_OK;
}

/* Reads numbers as they are stored; of floats, blanks become NaN. */
static int read_stored(struct gf_decoder *d, int64_t first, int64_t n, size_t size, void *to) {
    struct gf_fits_packed *p = d->state;
    double wide = NAN;
    float narrow = NAN;
    void *null = p->type == 42 ? (void *)&narrow : p->type == 82 ? (void *)&wide : NULL;
    int status = 0, any;
    if (library.read(p->file, p->type, first + 1, n, null, to, &any, &status))
        return fail(status);
    if (d->coding.flips)
        gf_flip_signs(to, (size_t)n, size);
    return GF_OK;
}

static int read_packed(struct gf_decoder *d, enum gf_dtype dtype, int64_t first, int64_t n,
                       char *to) {
    enum { PIECE = 1 << 16 };
    const size_t stored = gf_coding_bytes(&d->coding, dtype), size = gf_dtype_size(dtype);
    struct gf_fits_packed *p = d->state;
    int rc = p->file ? GF_OK : open_packed(d, p);
    if (rc || !d->coding.coded)
        return rc ? rc : read_stored(d, first, n, size, to);
    char *piece = malloc(PIECE * stored);
    if (!piece)
        return gf_no_memory();
    for (int64_t i = 0; i < n && !rc; i += PIECE) {
        const int64_t some = gf_min(n - i, PIECE);
        rc = read_stored(d, first + i, some, stored, piece);
        if (!rc)
            rc = gf_coding_decode(&d->coding, piece, some, dtype, to + i * (int64_t)size);
    }
    free(piece);
    return rc;
}

/* CFITSIO may have been built for one thread. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

int gf_fits_read_pages(struct gf_decoder *d, const struct gf_image *image, int64_t from, int64_t n,
                       void *to) {
    const struct gf_fits_packed *p = d->state;
    const enum gf_dtype dtype = image->px.dtype;
    const int64_t page = image->px.stride[0] / (int64_t)gf_dtype_size(dtype);
    if (!p->type)
        return gf_plain_read_pages(d, image, from, n, to);
    pthread_mutex_lock(&turn);
    int rc = read_packed(d, dtype, from * page, n * page, to);
    pthread_mutex_unlock(&turn);
    return rc;
}

void gf_fits_close(struct gf_decoder *d) {
    struct gf_fits_packed *p = d->state;
    int status = 0;
    pthread_mutex_lock(&turn);
    if (p->file)
        library.close(p->file, &status);
    pthread_mutex_unlock(&turn);
    free(p->memory);
    free(p->cards);
}
