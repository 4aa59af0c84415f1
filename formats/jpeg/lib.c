/* Loading libjpeg. */
#include "formats/jpeg/lib.h"

#include "core/base/status.h"

#ifdef GF_JPEG_SONAME
#include <stddef.h>

#include "core/base/dl.h"

struct gf_jpeg_lib gf_jpeg_lib;

int gf_jpeg_load(void) {
    static const char *const names[] = {GF_JPEG_SONAME, NULL};
#define SYMBOL(name) {#name, offsetof(struct gf_jpeg_lib, name##_)},
    static const struct gf_dl_symbol symbols[] = {GF_JPEG_FUNCTIONS(SYMBOL){NULL, 0}};
    static struct gf_dl_once once = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    return gf_dl_open_once(&once, names, symbols, &gf_jpeg_lib)
               ? gf_fail(GF_EIO, "JPEG files need libjpeg; %s does not load", GF_JPEG_SONAME)
               : GF_OK;
}
#else
int gf_jpeg_load(void) {
    return GF_OK;
}
#endif
