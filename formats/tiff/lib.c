/* Loading libtiff. */
#include "formats/tiff/lib.h"

#include "core/base/status.h"

#ifdef GF_TIFF_SONAME
#include <stddef.h>

#include "core/base/dl.h"

struct gf_tiff_lib gf_tiff_lib;

int gf_tiff_load(void) {
    static const char *const names[] = {GF_TIFF_SONAME, NULL};
#define SYMBOL(name) {#name, offsetof(struct gf_tiff_lib, name##_)},
    static const struct gf_dl_symbol symbols[] = {GF_TIFF_FUNCTIONS(SYMBOL){NULL, 0}};
    static struct gf_dl_once once = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    return gf_dl_open_once(&once, names, symbols, &gf_tiff_lib)
               ? gf_fail(GF_EIO, "TIFF files need libtiff; %s does not load", GF_TIFF_SONAME)
               : GF_OK;
}
#else
int gf_tiff_load(void) {
    return GF_OK;
}
#endif
