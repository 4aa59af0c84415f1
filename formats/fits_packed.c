/* Tile-compressed images of FITS files (FITS 4.0, 10.1), as fpack makes them: tables that libcfitsio
 * unpacks. It gets the table in memory, as CFITSIO's names of files run filters and open URLs, and runs
 * in a child process, as its decoders may crash on damaged tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/dl.h"
#include "formats/fits.h"
#include "formats/image.h"
#include "formats/io/isolated.h"

enum { BLOCK = GF_FITS_BLOCK, CHANGED = 1 << 20 /* no status of CFITSIO's */ };

/* CFITSIO's functions do nothing unless *status is 0, and return it. */
static struct {
    int (*open)(void **file, const char *name, int mode, void **memory, size_t *bytes, size_t delta,
                void *(*grow)(void *, size_t), int *status);
    int (*go)(void *file, int unit, int *kind, int *status);
    int (*cards)(void *file, int plain, char **no, int n_no, char **cards, int *n, int *status);
    int (*check)(void *file, int *data_sum, int *unit_sum, int *status);
    int (*shape)(void *file, int most, int *bits, int *n, long *extent, int *status);
    int (*read)(void *file, int type, long *first, long *last, long *step, void *null, void *to,
                int *any_null, int *status);
} library;

/* Reads pages in boxes, which CFITSIO reads; blanks become NaN in floats. */
static int read_numbers(void *file, const struct gf_fits_packed *p, char *to) {
    static const int types[] = {11, 12, 20, 21, 30, 31, 42, 82}; /* by enum gf_dtype */
    const enum gf_dtype dtype = p->image->px.dtype;
    const int slow = p->image->ndim - 1; /* the axis of pages, with all behind it */
    long extent[GF_FITS_AXES], first[GF_FITS_AXES], last[GF_FITS_AXES];
    long step[GF_FITS_AXES] = {1, 1, 1, 1, 1, 1, 1, 1}, some = slow < 2 ? (long)p->n : 1;
    double number = NAN;
    float narrow = NAN;
    void *null = dtype == GF_F32 ? (void *)&narrow : dtype == GF_F64 ? (void *)&number : NULL;
    int status = 0, sum = 0, axes = 0, any;
    if (!library.check(file, &sum, &any, &status) && sum < 0)
        return CHANGED;
    library.shape(file, GF_FITS_AXES, &any, &axes, extent, &status);
    for (int64_t k = 0; k < p->n && !status; k += some) {
        long rest = (long)(p->from + k);
        for (int i = 0; i < axes; rest /= i < slow ? 1 : extent[i], i++) {
            first[i] = i < slow ? 1 : 1 + rest % extent[i];
            last[i] = i < slow ? extent[i] : i > slow ? first[i] : first[i] + some - 1;
        }
        library.read(file, types[dtype], first, last, step, null, to + k * p->image->px.stride[0],
                     &any, &status);
    }
    return status;
}

/* Returns CFITSIO's status, or CHANGED. */
static int answer(const void *user, size_t most, void *to) {
    const struct gf_fits_packed *p = user;
    void *file, *memory = p->memory;
    size_t bytes = p->bytes;
    int status = 0, kind, count;
    char *cards;
    library.open(&file, "table", 0, &memory, &bytes, 0, NULL, &status);
    if (library.go(file, 2, &kind, &status) || p->image)
        return status ? status : read_numbers(file, p, to);
    if (!library.cards(file, 0, NULL, 0, &cards, &count, &status))
        snprintf(to, most, "%s", cards);
    return status;
}

static int ask(const struct gf_fits_packed *p, size_t bytes, void *to) {
    static const struct gf_dl_symbol symbols[] = {{"ffomem", 0 * sizeof(void *)},
                                                  {"ffmahd", 1 * sizeof(void *)},
                                                  {"ffcnvthdr2str", 2 * sizeof(void *)},
                                                  {"ffvcks", 3 * sizeof(void *)},
                                                  {"ffgipr", 4 * sizeof(void *)},
                                                  {"ffgsv", 5 * sizeof(void *)},
                                                  {NULL, 0}};
    static struct gf_dl_library cfitsio = GF_DL_LIBRARY(
        symbols, &library, GF_EIO, "its compressed images need libcfitsio; install libcfitsio10",
        "libcfitsio.so.10", "libcfitsio.so.9");
    int status, rc = gf_dl_load(&cfitsio);
    if (!rc)
        rc = gf_isolated(answer, p, bytes, to, &status);
    return rc || !status ? rc
                         : gf_fail(GF_EFORMAT, "broken compressed FITS image: %s",
                                   status == CHANGED ? "its DATASUM differs"
                                   : status < 0      ? "libcfitsio crashed on it"
                                                     : "libcfitsio cannot unpack it");
}

/* Makes a file of an empty unit and the table's cards, and asks for those of the image. */
int gf_fits_find_packed(struct gf_decoder *d, const struct gf_fits_cards *table, int64_t end,
                        struct gf_fits_cards *plain, const char **how) {
    static const char *const methods[] = {"RICE_1", "GZIP_1", "GZIP_2", "PLIO_1", "HCOMPRESS_1"};
    struct gf_fits_packed *p = d->state;
    const char *blank = gf_fits_find(table, "ZBLANK", 0);
    const int64_t bits = gf_fits_integer(gf_fits_find(table, "ZBITPIX", 0), 0);
    const size_t most = table->n + 2 * BLOCK;
    char text[GF_FITS_TEXT];
    *how = "by tiles";
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(gf_fits_text(gf_fits_find(table, "ZCMPTYPE", 0), text), methods[i]))
            *how = methods[i];
    if (bits == 64) /* CFITSIO 4.2 makes other numbers of them */
        return gf_fail(GF_EUNSUPP, "a compressed image of 64-bit integers");
    p->begin = gf_source_tell(d->source);
    p->end = end;
    p->bytes = BLOCK + (table->n / BLOCK + 1) * BLOCK;
    if (!(plain->text = malloc(most)) || !(p->memory = malloc(p->bytes + BLOCK)))
        return gf_no_memory();
    snprintf(p->memory, p->bytes + 1, "%-80s%-80s%-80s%-2640s%s%-2880s",
             "SIMPLE  =                    T", "BITPIX  =                    8",
             "NAXIS   =                    0", "END", table->text, "END");
    if (blank && bits > 0 && !gf_fits_find(table, "BLANK", 0)) /* which CFITSIO keeps */
        memcpy(p->memory + BLOCK + (blank - table->text) - GF_FITS_VALUE, "BLANK   ", 8);
    d->extra = end - p->begin;
    int rc = ask(p, most, plain->text);
    plain->n = rc ? 0 : strlen(plain->text) - GF_FITS_CARD; /* without END */
    plain->text[plain->n] = 0;
    return rc;
}

/* Appends the table's rows. */
static int load_rows(struct gf_decoder *d, struct gf_fits_packed *p) {
    const int64_t bytes = p->end - p->begin;
    char *all = realloc(p->memory, p->bytes + (size_t)bytes);
    if (!all)
        return gf_no_memory();
    p->memory = all;
    memset(all + p->bytes, 0, (size_t)bytes);
    int rc = gf_source_seek(d->source, p->begin);
    const int64_t got = rc ? rc : gf_source_read(d->source, all + p->bytes, (size_t)bytes);
    p->bytes += (size_t)bytes;
    p->begin = p->end;
    if (got < 0 || got + BLOCK > bytes) /* the last block's padding may be missing */
        return (int)gf_min(got, 0);
    return gf_fail(GF_EFORMAT, "broken FITS: it ends within a compressed image");
}

int gf_fits_read(struct gf_decoder *d, const struct gf_image *image, enum gf_unit unit,
                 int64_t from, int64_t n, void *to) {
    struct gf_fits_packed *p = d->state;
    if (!p->memory)
        return gf_plain_read(d, image, unit, from, n, to);
    int rc = p->begin < p->end ? load_rows(d, p) : GF_OK;
    p->image = image;
    p->from = from;
    p->n = n;
    return rc ? rc : ask(p, (size_t)(n * image->px.stride[0]), to);
}

void gf_fits_close(struct gf_decoder *d) {
    free(((struct gf_fits_packed *)d->state)->memory);
}
