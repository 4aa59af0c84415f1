/* A library handle, and what everything made from it shares: whether it may still be used, and the
 * structs of callers. library.c
 *
 *     rc = gf_struct_take(&own, sizeof own, theirs, "transform");
 *     if (!rc) rc = gf_library_check(library);
 *     plan->library = gf_library_keep(library);
 *     gf_library_drop(plan->library); */
#ifndef GF_CORE_API_LIBRARY_H
#define GF_CORE_API_LIBRARY_H

#include <stdatomic.h>

#include "core/api/gpufft.h"
#include "core/engine/engine.h"

/* A page that a fork wipes holds it, so that a forked child sees its library as lost. */
enum gf_library_state { GF_LIBRARY_LOST, GF_LIBRARY_OPEN, GF_LIBRARY_CLOSED };

struct gpufft {
    atomic_int *state;
    atomic_int users; /* the handle, and what was made from it */
    struct gf_environment environment;
    struct gf_engine *engine;
    struct gf_request request;
    struct gpufft_options options;
    int threads; /* of options, but never 0 */
};

/* Copies a caller's struct, which begins with its size, unless `to` is NULL. GF_EUSAGE if it has members
 * that this version does not know, or lacks some. */
int gf_struct_take(void *to, size_t size, const void *from, const char *what);

static inline bool gf_library_is_open(const struct gpufft *g) {
    return atomic_load_explicit(g->state, memory_order_relaxed) == GF_LIBRARY_OPEN;
}
/* 0; else GF_EUSAGE for NULL, GF_ECLOSED or GF_EFORK. */
int gf_library_check(const struct gpufft *g);
struct gpufft *gf_library_keep(struct gpufft *g);
/* Returns false in a forked child, in which nothing that was made from the library may be freed. */
bool gf_library_is_here(const struct gpufft *g);
void gf_library_drop(struct gpufft *g);

#endif
