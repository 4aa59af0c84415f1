/* Finds kernels in the store, or builds them concurrently and stores them. */
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu/cache/kernel_cache.h"
#include "core/gpu/cache/kernel_source.h"
#include "core/store/store.h"
#include "core/base/host/memory.h"
#include "core/base/host/conveyor.h"

enum { MAX_WORKERS = 8 };

/* The source and the key of one request. */
struct task {
    const char *source;
    char *key; /* consecutive texts, each with its terminating zero */
    size_t key_bytes;
};

struct work {
    const struct gf_gpu *api;
    void *gpu;
    const struct gf_gpu_props *props;
    const struct gf_store *store;
    void (*compiling)(const char *device);
    struct gf_kernel_request *requests;
    struct task *tasks; /* one for each request */
};

static int find_or_build(void *user, int hand, int64_t index) {
    struct work *w = user;
    const struct task *t = &w->tasks[index];
    struct gf_kernel_request *r = &w->requests[index];
    void *binary = NULL;
    size_t bytes = 0;
    int rc;
    (void)hand;
    if (gf_store_read(w->store, t->key, t->key_bytes, &binary, &bytes)) {
        rc = w->api->load(w->gpu, binary, bytes, r->entry, r->local_bytes, &r->kernel);
        free(binary);
        binary = NULL;
        if (!rc || w->api->lost(w->gpu))
            return rc;
    } /* intact, but the driver refuses it: build it again */
    if (w->compiling)
        w->compiling(w->props->name);
    rc = w->api->build(w->gpu, r->file, t->source, r->options, &binary, &bytes);
    if (rc)
        return rc;
    r->built = true;
    rc = w->api->load(w->gpu, binary, bytes, r->entry, r->local_bytes, &r->kernel);
    if (!rc)
        gf_store_write(w->store, t->key, t->key_bytes, binary, bytes);
    free(binary);
    return rc;
}

/* Runs the tasks on as many threads as the process has CPUs, at most MAX_WORKERS. */
static int run_all(struct work *w, int n) {
    cpu_set_t allowed;
    struct gf_conveyor c = {
        .items = n, .slots = 1, .hands = MAX_WORKERS, .work = find_or_build, .user = w};
    if (!sched_getaffinity(0, sizeof allowed, &allowed) && CPU_COUNT(&allowed) < c.hands)
        c.hands = CPU_COUNT(&allowed);
    if (n < c.hands)
        c.hands = n;
    return gf_conveyor_run(&c);
}

/* ---- tasks ---- */

static int make_key(const struct gf_gpu *api, const struct gf_gpu_props *p,
                    const struct gf_kernel_request *r, struct task *t) {
    const char *const parts[] = {"gpufft " GF_VERSION, api->name, p->platform, p->name,  p->driver,
                                 p->compiler,          r->entry,  r->options,  t->source};
    enum { N_PARTS = sizeof parts / sizeof *parts };
    size_t bytes = 0;
    for (int i = 0; i < N_PARTS; i++)
        bytes += strlen(parts[i]) + 1;
    t->key = malloc(bytes);
    if (!t->key)
        return gf_fail(GF_ENOMEM, "no memory for a kernel's key");
    t->key_bytes = bytes;
    char *at = t->key;
    for (int i = 0; i < N_PARTS; i++)
        at = stpcpy(at, parts[i]) + 1;
    return 0;
}

/* Requests of one file share its source: `sources` has it at the first of them. */
static int make_tasks(struct work *w, int n, char **sources) {
    int rc = 0;
    for (int i = 0; i < n && !rc; i++) {
        struct gf_kernel_request *r = &w->requests[i];
        int same = 0;
        while (same < i && strcmp(w->requests[same].file, r->file))
            same++;
        if (same == i)
            rc = gf_kernel_source(w->props->environment, r->file, &sources[i]);
        w->tasks[i].source = sources[same];
        if (!rc)
            rc = make_key(w->api, w->props, r, &w->tasks[i]);
    }
    return rc;
}

int gf_kernel_cache_get(const struct gf_gpu *api, void *gpu, const struct gf_gpu_props *props,
                        struct gf_kernel_request *requests, int n, int *built,
                        void (*compiling)(const char *device)) {
    struct gf_store store;
    const size_t room = n > 0 ? (size_t)n : 1;
    struct work w = {.api = api,
                     .gpu = gpu,
                     .props = props,
                     .store = &store,
                     .compiling = compiling,
                     .requests = requests};
    int n_built = 0;
    for (int i = 0; i < n; i++) {
        requests[i].kernel = NULL;
        requests[i].built = false;
    }
    w.tasks = calloc(room, sizeof *w.tasks);
    char **sources = calloc(room, sizeof *sources);
    gf_store_open(props->environment, &store, true);
    int rc = w.tasks && sources ? make_tasks(&w, n, sources)
                                : gf_fail(GF_ENOMEM, "no memory for %d kernels", n);
    if (!rc && n)
        rc = run_all(&w, n);
    for (int i = 0; i < n; i++)
        n_built += requests[i].built;
    if (n_built)
        gf_store_prune(&store);
    gf_store_close(&store);
    for (int i = 0; i < n; i++) {
        if (rc && requests[i].kernel) {
            api->unload(gpu, requests[i].kernel);
            requests[i].kernel = NULL;
        }
        if (w.tasks)
            free(w.tasks[i].key);
        if (sources)
            free(sources[i]);
    }
    free(sources);
    free(w.tasks);
    if (built)
        *built = n_built;
    return rc;
}

void gf_kernel_cache_forget(const struct gf_gpu *api, const struct gf_gpu_props *props,
                            const struct gf_kernel_request *request) {
    struct gf_store store;
    struct task t = {.key = NULL};
    char *source = NULL;
    const bool found = gf_store_open(props->environment, &store, false) &&
                       !gf_kernel_source(props->environment, request->file, &source);
    t.source = source;
    if (found && !make_key(api, props, request, &t))
        gf_store_remove(&store, t.key, t.key_bytes);
    free(t.key);
    free(source);
    gf_store_close(&store);
}

bool gf_kernel_cache_is_empty(const struct gf_environment *env) {
    struct gf_store store;
    int64_t bytes;
    bool empty = !gf_store_open(env, &store, false) || !gf_store_count(&store, 1, &bytes);
    gf_store_close(&store);
    return empty;
}

void gf_kernel_cache_describe(const struct gf_environment *env, char text[GF_REASON]) {
    struct gf_store store;
    int64_t bytes;
    char size[GF_SIZE_TEXT];
    if (gf_store_open(env, &store, false)) {
        int n = gf_store_count(&store, INT_MAX, &bytes);
        snprintf(text, GF_REASON, "%d kernel%s, %s in %.190s", n, n == 1 ? "" : "s",
                 gf_memory_text(bytes, size), store.path);
    } else {
        snprintf(text, GF_REASON, "none kept: %.240s", store.why);
    }
    gf_store_close(&store);
}
