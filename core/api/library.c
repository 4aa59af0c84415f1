/* Opens and closes libraries, and decides who may still use them. */
#include "core/api/library.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/value/factor.h"
#include "core/op/facts.h"

/* The header repeats these numbers. */
#define SAME(NAME) _Static_assert((int)GPUFFT_##NAME == (int)GF_##NAME, #NAME);
/* clang-format off */
#define EACH(X) \
    X(EUSAGE) X(EFORMAT) X(EIO) X(ENOMEM) X(EABSENT) X(EINVAL) X(EUNSUPP) X(EBACKEND) X(EUNABLE) \
    X(ECANCELED) X(ECLOSED) X(EFORK) X(U8) X(I8) X(U16) X(I16) X(U32) X(I32) X(F32) X(F64) X(C64) \
    X(C128) X(FORWARD) X(INVERSE) X(NORM_BACKWARD) X(NORM_ORTHO) X(NORM_FORWARD) X(FACT_REAL) \
    X(FACT_LONG) X(FACT_BOOL) X(FACT_TEXT) X(FACT_RECORD) X(FACT_TABLE) X(FACT_LIST)
/* clang-format on */
EACH(SAME)

const char *gpufft_message(void) {
    return gf_message();
}

const char *gpufft_version(void) {
    return GF_VERSION;
}

int gf_struct_take(void *to, size_t size, const void *from, const char *what) {
    size_t theirs;
    if (!from)
        return gf_fail(GF_EUSAGE, "no %s", what);
    memcpy(&theirs, from, sizeof theirs);
    bool known = theirs >= size;
    for (size_t i = size; i < theirs && known && theirs < 65536; i++)
        known = !((const char *)from)[i];
    if (!known || theirs >= 65536)
        return gf_fail(GF_EUSAGE, "the size of the struct of the %s is not that of its members",
                       what);
    if (to)
        memcpy(to, from, size);
    return 0;
}

/* ---- use ---- */

int gf_library_check(const struct gpufft *g) {
    if (!g)
        return gf_fail(GF_EUSAGE, "no library");
    if (!gf_library_is_here(g))
        return gf_fail(GF_EFORK, "the library was opened before the fork; open one here");
    return gf_library_is_open(g) ? 0 : gf_fail(GF_ECLOSED, "the library was closed");
}

struct gpufft *gf_library_keep(struct gpufft *g) {
    g->users++;
    return g;
}

bool gf_library_is_here(const struct gpufft *g) {
    return *g->state != GF_LIBRARY_LOST;
}

void gf_library_drop(struct gpufft *g) {
    if (atomic_fetch_sub(&g->users, 1) > 1)
        return;
    gf_engine_close(g->engine);
    if (g->state)
        munmap(g->state, sizeof *g->state);
    free((char *)g->options.backend);
    free((char *)g->options.device);
    free((char *)g->options.cache_folder);
    free(g);
}

void gpufft_close(struct gpufft *g) {
    int open = GF_LIBRARY_OPEN;
    if (g && atomic_compare_exchange_strong(g->state, &open, GF_LIBRARY_CLOSED))
        gf_library_drop(g);
}

/* ---- open ---- */

/* Copies the texts, or sets those that are not copied to NULL. */
static int take_options(struct gpufft *g, const struct gpufft_options *options) {
    struct gpufft_options o = {.size = sizeof o};
    int rc = options ? gf_struct_take(&o, sizeof o, options, "options") : 0;
    if (!rc && (o.threads < 0 || o.memory < 0 || (o.untuned & ~1)))
        rc = gf_fail(GF_EUSAGE, "threads and memory are not negative, and untuned is 0 or 1");
    const char **text[] = {&o.backend, &o.device, &o.cache_folder};
    for (int i = 0; i < 3; i++) {
        const char *theirs = rc ? NULL : *text[i];
        *text[i] = theirs ? strdup(theirs) : NULL;
        rc = theirs && !*text[i] ? gf_no_memory() : rc;
    }
    g->options = o;
    g->threads = o.threads ? o.threads : omp_get_max_threads();
    return rc;
}

/* A page of its own: the kernel rounds the size up. */
static int make_state(struct gpufft *g) {
    void *page =
        mmap(NULL, sizeof *g->state, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return gf_no_memory();
    g->state = page;
    *g->state = GF_LIBRARY_OPEN;
    return madvise(page, sizeof *g->state, MADV_WIPEONFORK)
               ? gf_fail(GF_EUNSUPP, "this kernel is older than Linux 4.14")
               : 0;
}

/* A forked child has no other threads, and OpenMP would wait there for those of the team. They are
 * started again when the parent needs them. */
static void end_team(void) {
    omp_pause_resource_all(omp_pause_soft);
}

static void expect_forks(void) {
    pthread_atfork(end_team, NULL, NULL);
}

static int open_engine(struct gpufft *g) {
    const struct gpufft_options *o = &g->options;
    g->environment = (struct gf_environment){.cache_folder = o->cache_folder};
    const int rc = gf_request_find(&g->environment, &g->request, o->backend, o->device);
    if (rc)
        return rc;
    return gf_engine_open(&g->engine,
                          &(struct gf_engine_options){
                              .request = &g->request,
                              .use = GF_ENGINE_TOGETHER,
                              .open = {.environment = &g->environment,
                                       .threads = g->threads,
                                       .plan = o->untuned ? GF_PLAN_ESTIMATE : GF_PLAN_KEPT,
                                       .device = g->request.n ? NULL : o->device},
                              .untuned = o->untuned,
                              .memory_limit = o->memory,
                              .note = o->log,
                              .user = o->user,
                          });
}

int gpufft_open(const struct gpufft_options *options, struct gpufft **library) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!library)
        return gf_fail(GF_EUSAGE, "no place for the library");
    pthread_once(&once, expect_forks);
    struct gpufft *g = *library = calloc(1, sizeof *g);
    if (!g)
        return gf_no_memory();
    g->users = 1;
    int rc = take_options(g, options);
    if (!rc)
        rc = make_state(g);
    if (!rc)
        rc = open_engine(g);
    if (rc) {
        gf_library_drop(g);
        *library = NULL;
    }
    return rc;
}

/* ---- lengths and memory ---- */

int64_t gpufft_good_size(int64_t n) {
    return n < 1 || n > INT64_C(1) << 40 ? 0 : gf_factor_smooth_length(n);
}

void *gpufft_alloc(size_t bytes) {
    return gf_alloc(bytes);
}

void gpufft_free(void *memory) {
    gf_free(memory);
}
