/* Libraries found at run time: one struct of function pointers a library, filled from a table. */
#ifndef GF_CORE_BASE_DL_H
#define GF_CORE_BASE_DL_H

#include <stddef.h>

/* One symbol and where in the struct its pointer goes; a table ends with a NULL name. */
struct gf_dl_symbol {
    const char *name;
    size_t offset;
};

/* Opens the first of `sonames` (NULL-terminated) that loads and holds every symbol, and fills
 * `table`. GF_EABSENT with the names tried, or the symbol missing. The library stays loaded until
 * gf_dl_close(), or for good: one that has started threads of its own must never be closed. */
int gf_dl_open(const char *const sonames[], const struct gf_dl_symbol *symbols, void *table,
               void **handle);
void gf_dl_close(void *handle);

#endif
