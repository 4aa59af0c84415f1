/* The libraries that are loaded when the first file that needs them is opened. */
#include "core/base/host/dl.h"
#include "formats/jpeg/jpeg.h"
#include "formats/ome.h"
#include "formats/tiff/tiff.h"

#define SYMBOL(library, name) {#name, offsetof(struct library, name)},
#define TIFF_SYMBOL(name)     SYMBOL(gf_libtiff, name)
#define JPEG_SYMBOL(name)     SYMBOL(gf_libjpeg, name)
#define EXPAT_SYMBOL(name)    SYMBOL(gf_expat, name)
#define ADDRESS(name)         .name = name,

#ifdef GF_TIFF_SONAME
struct gf_libtiff gf_libtiff;
#else
#define GF_TIFF_SONAME NULL
struct gf_libtiff gf_libtiff = {GF_TIFF_FUNCTIONS(ADDRESS)};
#endif
#ifdef GF_JPEG_SONAME
struct gf_libjpeg gf_libjpeg;
#else
#define GF_JPEG_SONAME NULL
struct gf_libjpeg gf_libjpeg = {GF_JPEG_FUNCTIONS(ADDRESS)};
#endif

#ifdef GF_EXPAT_SONAME
struct gf_expat gf_expat;
#else
#define GF_EXPAT_SONAME NULL
struct gf_expat gf_expat = {GF_EXPAT_FUNCTIONS(ADDRESS)};
#endif

struct library {
    const char *soname; /* NULL: it is linked */
    const struct gf_dl_symbol *symbols;
    void *table;
    const char *need;
};

static int load(void *user) {
    const struct library *l = user;
    const char *const names[] = {l->soname, NULL};
    void *handle;
    if (!l->soname || !gf_dl_open(names, l->symbols, l->table, &handle))
        return GF_OK;
    return gf_fail(GF_EIO, "%s; %s does not load", l->need, l->soname);
}

int gf_tiff_load(void) {
    static const struct gf_dl_symbol symbols[] = {GF_TIFF_FUNCTIONS(TIFF_SYMBOL){NULL, 0}};
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(
        &once, load,
        &(struct library){GF_TIFF_SONAME, symbols, &gf_libtiff, "TIFF files need libtiff"});
}

int gf_jpeg_load(void) {
    static const struct gf_dl_symbol symbols[] = {GF_JPEG_FUNCTIONS(JPEG_SYMBOL){NULL, 0}};
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(
        &once, load,
        &(struct library){GF_JPEG_SONAME, symbols, &gf_libjpeg, "JPEG files need libjpeg"});
}

int gf_expat_load(void) {
    static const struct gf_dl_symbol symbols[] = {GF_EXPAT_FUNCTIONS(EXPAT_SYMBOL){NULL, 0}};
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(
        &once, load,
        &(struct library){GF_EXPAT_SONAME, symbols, &gf_expat, "OME's descriptions need libexpat"});
}
