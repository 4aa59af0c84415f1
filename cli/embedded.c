/* Finds files inside the program. */
#include "cli/embedded.h"

#include <string.h>

const struct gf_embedded *gf_embedded_find(const char *name) {
    const struct gf_embedded *f = gf_embedded_files;
    while (f->name && strcmp(f->name, name))
        f++;
    return f->name ? f : 0;
}
