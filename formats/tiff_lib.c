/* Loading libtiff. */
#include "formats/tiff_lib.h"

#include "core/base/status.h"

#ifdef GF_TIFF_SONAME
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/dl.h"

struct gf_tiff_lib gf_tiff_lib;

int gf_tiff_load(void) {
    static const char *const names[] = {GF_TIFF_SONAME, NULL};
#define SYMBOL(name) {#name, offsetof(struct gf_tiff_lib, name##_)},
    static const struct gf_dl_symbol symbols[] = {GF_TIFF_FUNCTIONS(SYMBOL){NULL, 0}};
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static bool tried;
    static int rc;
    pthread_mutex_lock(&mutex);
    if (!tried) {
        void *handle; /* never closed */
        rc = gf_dl_open(names, symbols, &gf_tiff_lib, &handle);
        tried = true;
    }
    pthread_mutex_unlock(&mutex);
    return rc ? gf_fail(GF_EIO, "TIFF files need libtiff; %s does not load", GF_TIFF_SONAME)
              : GF_OK;
}
#else
int gf_tiff_load(void) {
    return GF_OK;
}
#endif
