/* Opening, planning and checking jobs on devices of little memory; counting and failing OpenCL's calls. */
#include "tests/gpu/gpu_limited.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/filter/filter.h"
#include "core/engine/backends.h"
#include "tests/test.h"

/* ---- the command line ---- */

struct limited_args limited_args_read(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : "";
    struct limited_args a = {.gpu = !strcmp(first, "gpu"), .all = !strcmp(first, "all")};
    a.names = argv + 1 + (a.gpu || a.all);
    return a;
}

bool limited_subject(const struct limited_args *args, const struct gf_backend *b,
                     const char *device, struct subject *s, struct gf_gpu_props *props) {
    char reason[GF_REASON] = "";
    bool wanted = !*args->names;
    for (char **name = args->names; *name; name++)
        wanted = wanted || !strcmp(*name, b->name);
    if (!wanted)
        return false;
    *s = (struct subject){.backend = b, .seed = 20240301, .shards = 1, .device = device};
    if (b->probe(b, NULL, reason) || gf_backend_device(NULL, b, device, props) ||
        (args->gpu && props->is_cpu)) {
        printf("%s: skipped: %s\n", b->name, *reason ? reason : "no device but the CPU");
        return false;
    }
    return true;
}

bool limited_runs(const struct limited_args *args, const struct gf_gpu_props *props, size_t i,
                  int of) {
    return args->all || !props->is_cpu || case_takes((long long)i, of);
}

/* ---- jobs ---- */

int limited_open(struct subject *s, const struct gf_backend_options *options, const char *text,
                 struct limited_job *j) {
    *j = (struct limited_job){0};
    if (!backends_parse_filtered(s, text, &j->job, &j->filter))
        return gf_fail(GF_EINVAL, "no job");
    int rc = s->backend->open(s->backend, options, &s->context[0]);
    s->context[1] = s->context[0];
    return rc ? rc : gf_backend_plan(s->backend, s->context[0], &j->job, &j->plan);
}

static void drop_plan(struct limited_job *j) {
    gf_plan_drop(j->plan);
    j->plan = NULL;
}

void limited_check(struct subject *s, struct limited_job *j) {
    drop_plan(j);
    backends_check(s, &j->job, false);
    backends_check(s, &j->job, true);
}

void limited_close(struct subject *s, struct limited_job *j) {
    drop_plan(j);
    if (s->context[0])
        s->backend->close(s->context[0]);
    s->context[0] = s->context[1] = NULL;
    gf_filter_free(j->filter);
}

/* ---- calls that fail ---- */

struct limited_failing limited_failing;

int limited_fails(void) {
    struct limited_failing *f = &limited_failing;
    return ++f->calls == f->at ? gf_fail(f->error, "made to fail") : 0;
}

static int alloc(void *gpu, int64_t bytes, struct gf_gpu_buffer **b) {
    *b = NULL;
    int rc = limited_fails();
    if (!rc)
        rc = gf_gpu_opencl.alloc(gpu, bytes, b);
    limited_failing.held += !rc;
    return rc;
}

/* The latest views, and their bytes. */
enum { VIEWS = 256 };
static struct {
    const struct gf_gpu_buffer *buffer;
    int64_t bytes;
} viewed[VIEWS];
static int n_viewed;

static int view(void *gpu, struct gf_gpu_buffer *of, int64_t offset, int64_t bytes,
                struct gf_gpu_buffer **b) {
    *b = NULL;
    int rc = limited_fails();
    if (!rc)
        rc = gf_gpu_opencl.view(gpu, of, offset, bytes, b);
    limited_failing.held += !rc;
    viewed[n_viewed % VIEWS].buffer = *b;
    viewed[n_viewed++ % VIEWS].bytes = bytes;
    return rc;
}

static int64_t viewed_bytes(const struct gf_gpu_buffer *b) {
    for (int i = n_viewed; i > 0 && i > n_viewed - VIEWS; i--) /* addresses are used again */
        if (viewed[(i - 1) % VIEWS].buffer == b)
            return viewed[(i - 1) % VIEWS].bytes;
    return 0;
}

static void free_buffer(void *gpu, struct gf_gpu_buffer *b) {
    limited_failing.held -= b != NULL;
    gf_gpu_opencl.free(gpu, b);
}

void *limited_pair[2];
int limited_read;

/* The other device's buffer, as it is now, in memory of this one. */
static int bring(void *gpu, struct gf_gpu_buffer *there, struct gf_gpu_buffer **here) {
    const struct gf_gpu *api = &gf_gpu_opencl;
    void *other = limited_pair[gpu == limited_pair[0]];
    const int64_t bytes = viewed_bytes(there);
    void *host = malloc((size_t)bytes + 1);
    int rc = api->alloc(gpu, bytes, here);
    if (!rc)
        rc = api->download(other, host, there, 0, bytes);
    if (!rc)
        rc = api->sync(other);
    if (!rc)
        rc = api->upload(gpu, *here, 0, host, bytes);
    if (!rc)
        rc = api->sync(gpu);
    free(host);
    return rc;
}

static int launch(void *gpu, const struct gf_gpu_launch *l) {
    enum { LAST = GF_GPU_MAX_BUFFERS - 1 };
    struct gf_gpu_launch own = *l;
    int rc = limited_fails();
    if (rc || l->n_buffers <= LAST)
        return rc ? rc : gf_gpu_opencl.launch(gpu, l);
    limited_read++;
    own.buffer[LAST] = NULL;
    rc = bring(gpu, l->buffer[LAST], &own.buffer[LAST]);
    if (!rc)
        rc = gf_gpu_opencl.launch(gpu, &own);
    if (!rc)
        rc = gf_gpu_opencl.sync(gpu);
    gf_gpu_opencl.free(gpu, own.buffer[LAST]);
    return rc;
}

struct gf_gpu limited_opencl(void) {
    struct gf_gpu api = gf_gpu_opencl;
    api.alloc = alloc;
    api.view = view;
    api.free = free_buffer;
    api.launch = launch;
    return api;
}

int limited_arrays(const char *text, struct gf_job *job, struct gf_array *in, struct gf_array *out,
                   struct gf_array *again) {
    int64_t shape[GF_MAX_RANK];
    uint64_t seed = 5;
    if (!backends_parse(text, job))
        return gf_fail(GF_EINVAL, "no job: %s", text);
    gf_job_in_shape(job, shape);
    int rc = gf_array_alloc(in, GF_C64, job->ndim + 1, shape);
    if (!rc)
        rc = gf_array_alloc(out, GF_C64, job->ndim + 1, shape);
    if (!rc)
        rc = gf_array_alloc(again, GF_C64, job->ndim + 1, shape);
    if (!rc)
        backends_fill(in, &seed);
    return rc;
}

void limited_free(struct gf_array *in, struct gf_array *out, struct gf_array *again) {
    gf_array_free(in);
    gf_array_free(out);
    gf_array_free(again);
}
