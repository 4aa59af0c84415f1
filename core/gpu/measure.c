/* Measures how fast a device copies within its memory, and to the host and back. */
#include <math.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/gpu/run.h"

/* Copies once, by `copier` if it has a kernel, else by the API's call. */
static int copy_once(const struct gf_gpu_context *c, const struct gf_gpu_copier *copier) {
    return copier->launch.kernel
               ? c->api->launch(c->gpu, &copier->launch)
               : c->api->copy(c->gpu, copier->to, 0, copier->from, 0, copier->bytes);
}

/* Sets *seconds to the mean time of consecutive copies. */
static int time_some(const struct gf_gpu_context *c, const struct gf_gpu_copier *copy, int copies,
                     double *seconds) {
    int rc = gf_gpu_run_begin(c, seconds);
    for (int i = 0; i < copies && !rc; i++)
        rc = copy_once(c, copy);
    if (!rc)
        rc = gf_gpu_run_end(c, seconds);
    *seconds /= copies;
    return rc;
}

/* Takes the least of five runs of 20 ms, in which launching is negligible. */
static int time_copies(const struct gf_gpu_context *c, struct gf_gpu_buffer *const b[2],
                       int64_t bytes, double *least) {
    enum { RUNS = 5, MOST_COPIES = 10 };
    const double run = 20e-3;
    double seconds = 0;
    struct gf_gpu_copier copy = {.from = b[0], .to = b[1], .bytes = bytes};
    int rc = c->api->clear(c->gpu, b[0], 0, bytes);
    if (!rc && c->api->copier && !c->props.is_cpu) /* a driver for the CPU copies by memcpy() */
        rc = c->api->copier(c->gpu, &c->props, &copy);
    if (!rc) /* untimed: the driver may allocate at the first use */
        rc = copy_once(c, &copy);
    if (!rc)
        rc = time_some(c, &copy, 1, &seconds);
    const int copies = seconds > run ? 1 : (int)fmin(MOST_COPIES, run / (seconds + 1e-9) + 1);
    *least = INFINITY;
    for (int i = 0; i < RUNS && !rc; i++) {
        rc = time_some(c, &copy, copies, &seconds);
        *least = fmin(*least, seconds);
    }
    if (copy.launch.kernel)
        c->api->unload(c->gpu, copy.launch.kernel);
    return rc;
}

int gf_gpu_run_measure(void *context, struct gf_device_speed *speed) {
    struct gf_gpu_context *c = context;
    struct gf_gpu_buffer *b[2] = {NULL, NULL};
    /* Larger than any cache, but a CPU device shares its memory with other programs. */
    int64_t bytes = (int64_t)1 << (c->props.is_cpu ? 28 : 30);
    const int64_t room = c->api->free_bytes(c->gpu) / 4;
    double seconds;
    *speed = (struct gf_device_speed){.copy = 0};
    snprintf(speed->name, sizeof speed->name, "%.110s%s", c->props.name,
             c->props.is_cpu ? ", the CPU itself" : "");
    if (bytes > room)
        bytes = room;
    if (bytes > c->props.max_alloc)
        bytes = c->props.max_alloc;
    bytes &= ~(int64_t)0xfff;
    int rc = c->api->alloc(c->gpu, bytes, &b[0]);
    if (!rc)
        rc = c->api->alloc(c->gpu, bytes, &b[1]);
    if (!rc)
        rc = time_copies(c, b, bytes, &seconds);
    if (!rc && seconds > 0)
        speed->copy = 2 * (double)bytes / seconds;
    for (int i = 0; i < 2; i++)
        c->api->free(c->gpu, b[i]);
    return rc;
}

/* The first round trip is a warm-up: the driver may allocate at the first use. */
static int time_transfer(const struct gf_gpu_context *c, struct gf_gpu_buffer *b, void *host,
                         int64_t bytes, double seconds[2]) {
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        double start = gf_now_ms();
        rc = c->api->upload(c->gpu, b, 0, host, bytes);
        if (!rc)
            rc = c->api->sync(c->gpu);
        double between = gf_now_ms();
        if (!rc)
            rc = c->api->download(c->gpu, host, b, 0, bytes);
        if (!rc)
            rc = c->api->sync(c->gpu);
        seconds[0] = (between - start) * 1e-3;
        seconds[1] = (gf_now_ms() - between) * 1e-3;
    }
    return rc;
}

int gf_gpu_run_transfer(void *context, int64_t bytes, bool pinned, double seconds[2]) {
    struct gf_gpu_context *c = context;
    struct gf_gpu_buffer *b = NULL;
    void *host = NULL;
    int rc = c->api->alloc(c->gpu, bytes, &b);
    if (!rc && pinned)
        rc = c->api->pin(c->gpu, bytes, &host);
    else if (!rc && !(host = gf_alloc((size_t)bytes)))
        rc = gf_fail(GF_ENOMEM, "no memory for %lld bytes", (long long)bytes);
    if (!rc) {
        memset(host, 1, (size_t)bytes);
        rc = time_transfer(c, b, host, bytes, seconds);
    }
    if (host && pinned)
        c->api->unpin(c->gpu, host);
    else
        gf_free(host);
    c->api->free(c->gpu, b);
    return rc;
}
