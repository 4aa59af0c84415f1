/* Kernels from the store, or built concurrently and stored. */
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu/cache/kernel_cache.h"
#include "core/gpu/cache/kernel_source.h"
#include "core/gpu/cache/kernel_store.h"
#include "core/base/memory.h"
#include "core/divide/conveyor.h"

enum { MAX_WORKERS = 8 };

/* One kernel to find or build, for one or more requests. */
struct task {
    const struct gf_kernel_request *first;
    const char *source;
    char *key; /* consecutive texts, each with its terminating zero */
    size_t key_bytes;
    bool built;
};

struct work {
    const struct gf_gpu *api;
    void *gpu;
    const struct gf_kernel_store *store;
    struct gf_kernel_request *requests;
    int n_requests;
    int *task_of; /* a request's task */
    struct task *tasks;
    int n_tasks;
};

/* Loads the binary for every request of the task that has no kernel yet. */
static int load(struct work *w, int task, const void *binary, size_t bytes) {
    int rc = 0;
    for (int i = 0; i < w->n_requests && !rc; i++) {
        struct gf_kernel_request *r = &w->requests[i];
        if (w->task_of[i] == task && !r->kernel)
            rc = w->api->load(w->gpu, binary, bytes, r->entry, r->local_bytes, &r->kernel);
    }
    return rc;
}

static int find_or_build(struct work *w, int index) {
    struct task *t = &w->tasks[index];
    void *binary = NULL;
    size_t bytes = 0;
    int rc;
    if (gf_kernel_store_read(w->store, t->key, t->key_bytes, &binary, &bytes)) {
        rc = load(w, index, binary, bytes);
        free(binary);
        binary = NULL;
        if (!rc || w->api->lost(w->gpu))
            return rc;
    } /* intact, but the driver refuses it: build it again */
    rc = w->api->build(w->gpu, t->first->file, t->source, t->first->options, &binary, &bytes);
    if (rc)
        return rc;
    t->built = true;
    rc = load(w, index, binary, bytes);
    if (!rc)
        gf_kernel_store_write(w->store, t->key, t->key_bytes, binary, bytes);
    free(binary);
    return rc;
}

static int build_one(void *user, int hand, int64_t task) {
    (void)hand;
    return find_or_build(user, (int)task);
}

/* Side by side, on as many threads as can be had. */
static int run_all(struct work *w) {
    cpu_set_t allowed;
    struct gf_conveyor c = {
        .items = w->n_tasks, .slots = 1, .hands = MAX_WORKERS, .work = build_one, .user = w};
    if (!sched_getaffinity(0, sizeof allowed, &allowed) && CPU_COUNT(&allowed) < c.hands)
        c.hands = CPU_COUNT(&allowed);
    if (w->n_tasks < c.hands)
        c.hands = w->n_tasks;
    return gf_conveyor_run(&c);
}

/* ---- tasks ---- */

static int make_key(const struct work *w, const struct gf_gpu_props *p, const char *source,
                    const struct gf_kernel_request *r, struct task *t) {
    const char *const parts[] = {
        "gpufft " GF_VERSION, w->api->name, p->platform, p->name, p->driver,
        p->compiler,          r->entry,     r->options,  source};
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
    t->first = r;
    t->source = source;
    return 0;
}

/* Requests that ask for the same share a task. */
static int make_tasks(struct work *w, const struct gf_gpu_props *props, char **sources) {
    for (int i = 0; i < w->n_requests; i++) {
        struct gf_kernel_request *r = &w->requests[i];
        int same = 0, rc = 0;
        while (same < i && strcmp(w->requests[same].file, r->file))
            same++;
        if (same == i)
            rc = gf_kernel_source(r->file, &sources[i]);
        if (rc)
            return rc;
        struct task *t = &w->tasks[w->n_tasks];
        rc = make_key(w, props, sources[same], r, t);
        if (rc)
            return rc;
        int old = 0;
        while (old < w->n_tasks && (w->tasks[old].key_bytes != t->key_bytes ||
                                    memcmp(w->tasks[old].key, t->key, t->key_bytes)))
            old++;
        w->task_of[i] = old;
        if (old == w->n_tasks) {
            w->n_tasks++;
        } else {
            free(t->key);
            t->key = NULL;
        }
    }
    return 0;
}

int gf_kernel_cache_get(const struct gf_gpu *api, void *gpu, const struct gf_gpu_props *props,
                        struct gf_kernel_request *requests, int n, int *built) {
    struct gf_kernel_store store;
    struct work w = {.api = api, .gpu = gpu, .store = &store, .requests = requests};
    size_t room = n > 0 ? (size_t)n : 1;
    int rc, n_built = 0;
    for (int i = 0; i < n; i++)
        requests[i].kernel = NULL;
    w.n_requests = n;
    w.task_of = calloc(room, sizeof *w.task_of);
    w.tasks = calloc(room, sizeof *w.tasks);
    char **sources = calloc(room, sizeof *sources);
    gf_kernel_store_open(&store, true);
    if (!w.task_of || !w.tasks || !sources) {
        rc = gf_fail(GF_ENOMEM, "no memory for %d kernels", n);
        goto out;
    }
    rc = make_tasks(&w, props, sources);
    if (rc)
        goto out;
    rc = n ? run_all(&w) : 0;
    for (int i = 0; i < n; i++)
        requests[i].built = w.tasks[w.task_of[i]].built;
    for (int i = 0; i < w.n_tasks; i++)
        n_built += w.tasks[i].built;
    if (n_built)
        gf_kernel_store_prune(&store);
out:
    for (int i = 0; i < n && rc; i++) {
        if (requests[i].kernel)
            api->unload(gpu, requests[i].kernel);
        requests[i].kernel = NULL;
    }
    for (int i = 0; i < n; i++) {
        if (w.tasks)
            free(w.tasks[i].key);
        if (sources)
            free(sources[i]);
    }
    gf_kernel_store_close(&store);
    free(sources);
    free(w.tasks);
    free(w.task_of);
    if (built)
        *built = n_built;
    return rc;
}

void gf_kernel_cache_forget(const struct gf_gpu *api, const struct gf_gpu_props *props,
                            const struct gf_kernel_request *request) {
    struct gf_kernel_store store;
    struct task t = {.key = NULL};
    char *source = NULL;
    if (gf_kernel_store_open(&store, false) && !gf_kernel_source(request->file, &source) &&
        !make_key(&(struct work){.api = api}, props, source, request, &t))
        gf_kernel_store_remove(&store, t.key, t.key_bytes);
    free(t.key);
    free(source);
    gf_kernel_store_close(&store);
}

bool gf_kernel_cache_is_empty(void) {
    struct gf_kernel_store store;
    int64_t bytes;
    bool empty = !gf_kernel_store_open(&store, false) || !gf_kernel_store_count(&store, 1, &bytes);
    gf_kernel_store_close(&store);
    return empty;
}

void gf_kernel_cache_describe(char text[GF_REASON]) {
    struct gf_kernel_store store;
    int64_t bytes;
    char size[GF_SIZE_TEXT];
    if (gf_kernel_store_open(&store, false)) {
        int n = gf_kernel_store_count(&store, INT_MAX, &bytes);
        snprintf(text, GF_REASON, "%d kernel%s, %s in %.190s", n, n == 1 ? "" : "s",
                 gf_memory_text(bytes, size), store.path);
    } else {
        snprintf(text, GF_REASON, "none kept: %.240s", store.why);
    }
    gf_kernel_store_close(&store);
}
