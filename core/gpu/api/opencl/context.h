/* An open OpenCL device. Private to opencl.c and memory.c. */
#ifndef GF_CORE_GPU_OPENCL_CONTEXT_H
#define GF_CORE_GPU_OPENCL_CONTEXT_H

#include "core/gpu/api/opencl/library.h"

enum { GF_OPENCL_PENDING = 256 };

struct gf_opencl_pinned {
    void *memory; /* NULL on a CPU, which uses plain memory */
    char *host;
    bool lent; /* the caller's memory, from lock() */
    int64_t bytes;
    struct gf_opencl_pinned *next;
};

struct gf_opencl_context {
    struct gf_gpu_device head;
    const struct gf_opencl *cl;
    void *device, *context;
    void *queue; /* the current one of `queues`, which are opened on first use */
    void *queues[GF_GPU_QUEUES];
    struct gf_opencl_pinned *pinned;
    void *mark[GF_GPU_MARKS];
    /* A ring of events of commands in flight: only they report failures reliably. */
    void *pending[GF_OPENCL_PENDING];
    const char *pending_what[GF_OPENCL_PENDING];
    unsigned next_pending, launches;
    int32_t failed; /* the first such failure since the last sync */
    const char *failed_what;
};

struct gf_gpu_kernel {
    void *program, *kernel;
};

/* Turns OpenCL's code into a status. */
int gf_opencl_failure(const struct gf_opencl_context *g, int32_t rc, const char *what);
/* Waits for the command in a slot of the ring, if any. Records its failure and returns its code. */
int gf_opencl_harvest(struct gf_opencl_context *g, unsigned slot);
/* Adds a queued command to the ring; waits for the oldest one if the ring is full. */
void gf_opencl_watch(struct gf_opencl_context *g, void *event, const char *what);
/* Checks the code of a call that queued a command; flushes the queue if there is an event. */
int gf_opencl_queued(struct gf_opencl_context *g, int32_t rc, void *event, const char *what);

/* As in struct gf_gpu. */
int gf_opencl_take(void *gpu, int64_t bytes, uint64_t *handle);
void gf_opencl_give(void *gpu, uint64_t handle);
int gf_opencl_part(void *gpu, uint64_t handle, int64_t offset, int64_t bytes, uint64_t *part);
int64_t gf_opencl_free_bytes(void *gpu);
int gf_opencl_pin(void *gpu, int64_t bytes, void **host);
void gf_opencl_unpin(void *gpu, void *host);
int gf_opencl_lock(void *gpu, void *host, int64_t bytes, bool *locked);
void gf_opencl_unlock(void *gpu, void *host);
bool gf_opencl_is_locked(void *gpu, const void *host, int64_t bytes);
int gf_opencl_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes);
int gf_opencl_move(void *gpu, const struct gf_gpu_move *m);
bool gf_opencl_reaches(void *gpu, void *other);

#endif
