/* The calls that a GPU programming interface provides: memory, copies, kernels, launches.
 * core/gpu/api/cuda/cuda.c, core/gpu/api/opencl/opencl.c and core/gpu/api/opengl/opengl.c fill one table each; everything above them (planning,
 * passes, caching of kernels) is written once. A run from end to end:
 *
 *     void *gpu;
 *     struct gf_gpu_props props;
 *     struct gf_gpu_buffer *b;
 *     int rc = gf_gpu_open(api, "0", &gpu, &props);
 *     if (!rc) rc = api->alloc(gpu, bytes, &b);
 *     if (!rc) rc = api->upload(gpu, b, 0, host, bytes);
 *     if (!rc) rc = api->launch(gpu, &(struct gf_gpu_launch){.kernel = k, …});
 *     if (!rc) rc = api->sync(gpu);
 *     api->close(gpu);
 *
 * A device executes the commands of a queue in the order given; until use() picks another queue,
 * all go to the first one. Uploads, downloads and launches return as soon as they are queued where
 * that is possible; sync() waits for all queues and reports errors.
 * All functions return 0 or a negative status, with the message set by gf_fail(). One thread at a
 * time uses an open device, except for build() and load(), which several may call at once. */
#ifndef GF_CORE_GPU_GPU_H
#define GF_CORE_GPU_GPU_H

#include <stdatomic.h>

#include "core/base/backend.h"

/* Device memory. */
struct gf_gpu_buffer {
    uint64_t handle; /* an address, an object or a name: the interface's own */
    int64_t bytes;
    bool view; /* the memory belongs to another buffer */
};
struct gf_gpu_kernel; /* one entry point of a built program, for one launch shape */

enum { GF_GPU_MAX_BUFFERS = 7, GF_GPU_MARKS = 96, GF_GPU_QUEUES = 3, GF_GPU_VIEW_ALIGNED = 512 };

/* One launch: `groups` work groups of `group` items each, one-dimensional. The kernel's parameters
 * are its buffers in order, then, by value, the argument block (64-bit integers and doubles
 * only, so that every compiler lays it out alike), then the tile of local_bytes. */
struct gf_gpu_launch {
    struct gf_gpu_kernel *kernel;
    int64_t groups;
    int group;
    int64_t local_bytes;
    int n_buffers;
    struct gf_gpu_buffer *buffer[GF_GPU_MAX_BUFFERS]; /* NULL is passed as a null pointer */
    const void *args;
    size_t args_bytes; /* 0: the kernel takes no argument block */
    /* The kernel begins with AWAIT_PREVIOUS() (kernels/lang.h), so that its groups may be started
     * before the launch before it has ended as a whole. */
    bool awaits;
};

/* Rows in a buffer, from `offset` on, or in host memory; 0 bytes apart: packed. */
struct gf_gpu_end {
    const struct gf_gpu_buffer *buffer; /* NULL: in host memory */
    char *host;
    int64_t offset, pitch;
};
/* A copy of rows. */
struct gf_gpu_move {
    struct gf_gpu_end from, to;
    int64_t bytes, count; /* of a row; rows */
    const char *what;     /* for messages: "an upload" */
};

/* Every open device begins with this. */
struct gf_gpu_device {
    const struct gf_gpu *api;
    struct gf_gpu_props props;
    atomic_bool lost; /* the context is unusable after an error */
};

struct gf_gpu {
    const char *name; /* "cuda", "opencl", "opengl" */
    /* Whether its library is there, else false with gf_message(); loads it, but opens no context. */
    bool (*installed)(void);
    /* As gf_backend.probe: whether there is a usable device. NULL: find() tells all. */
    int (*probe)(char reason[GF_REASON]);
    /* The devices in the order of --device=N, GPUs before CPUs, up to GF_GPU_MAX_DEVICES; returns how
     * many, or a negative status. Opens no context. */
    int (*find)(struct gf_gpu_props *props);
    /* Opens the device with these properties, to which it may add. */
    int (*open)(struct gf_gpu_props *props, void **gpu);
    void (*close)(void *gpu);

    /* Memory for alloc() and free(); move() serves all copies, whose ends are in range. */
    int (*take)(void *gpu, int64_t bytes, uint64_t *handle);
    void (*give)(void *gpu, uint64_t handle);
    int (*part)(void *gpu, uint64_t handle, int64_t offset, int64_t bytes, uint64_t *part);
    int (*move)(void *gpu, const struct gf_gpu_move *move);
    int (*zero)(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes);

    int (*alloc)(void *gpu, int64_t bytes, struct gf_gpu_buffer **buffer); /* GF_ENOMEM: full */
    void (*free)(void *gpu, struct gf_gpu_buffer *buffer);
    /* Some bytes of a buffer, from a multiple of GF_GPU_VIEW_ALIGNED on, as a buffer of its own, which is
     * freed before that one. NULL: there is none. */
    int (*view)(void *gpu, struct gf_gpu_buffer *of, int64_t offset, int64_t bytes,
                struct gf_gpu_buffer **view);
    int64_t (*free_bytes)(void *gpu); /* free now, or the total where the interface has no call */
    /* Page-locked host memory, which the device reads and writes at full speed. GF_ENOMEM. */
    int (*pin)(void *gpu, int64_t bytes, void **host);
    void (*unpin)(void *gpu, void *host);
    /* Page-locks existing memory until unlock(). *locked is false if it was locked before, so that
     * it is not this caller's to unlock. GF_EUNSUPP on OpenCL's GPUs. NULL in OpenGL, as are
     * unlock(), is_locked(), use() and follow(). */
    int (*lock)(void *gpu, void *host, int64_t bytes, bool *locked);
    void (*unlock)(void *gpu, void *host);
    bool (*is_locked)(void *gpu, const void *host, int64_t bytes);

    int (*upload)(void *gpu, struct gf_gpu_buffer *to, int64_t offset, const void *host,
                  int64_t bytes);
    int (*download)(void *gpu, void *host, const struct gf_gpu_buffer *from, int64_t offset,
                    int64_t bytes);
    /* The same for rows, in host memory that pin() or lock() knows, or in buffers; those of `to` may be another
     * open device's, which reaches() tells. */
    int (*rows)(void *gpu, void *other, const struct gf_gpu_move *rows);
    int (*clear)(void *gpu, struct gf_gpu_buffer *to, int64_t offset, int64_t bytes); /* zeros */
    /* From device memory to device memory, not overlapping. */
    int (*copy)(void *gpu, struct gf_gpu_buffer *to, int64_t to_offset,
                const struct gf_gpu_buffer *from, int64_t from_offset, int64_t bytes);

    /* Several open devices of one interface, whose functions one thread calls; NULL where it has none.
     * reaches(): whether rows() can write to the other device's memory, which it always can to the
     * device's own; it is queued in the first device's queue. follow_other() is follow() for a
     * mark of the other device's; it may wait. reads_others: kernels read the memory of devices in reach. */
    bool reads_others;
    bool (*reaches)(void *gpu, void *other);
    int (*follow_other)(void *gpu, void *other, int which);

    /* Compiles flat source text (no #include left) to a binary for this device; the caller frees
     * it. GF_EBACKEND with the first error of the compiler's log. */
    int (*build)(void *gpu, const char *name, const char *source, const char *options,
                 void **binary, size_t *bytes);
    /* A binary to a kernel; `entry` is the function, local_bytes the most it will be launched with.
     * Refuses a damaged binary instead of crashing, as far as the driver can detect one. */
    int (*load)(void *gpu, const void *binary, size_t bytes, const char *entry, int64_t local_bytes,
                struct gf_gpu_kernel **kernel);
    void (*unload)(void *gpu, struct gf_gpu_kernel *kernel);

    int (*launch)(void *gpu, const struct gf_gpu_launch *launch);
    int (*sync)(void *gpu);
    /* Commands go to this queue from here on; queue < GF_GPU_QUEUES. The device may overlap what is
     * in different queues. */
    int (*use)(void *gpu, int queue);
    /* Marks points in the queue's work; which < GF_GPU_MARKS. reach() waits until the device has
     * passed the mark; follow() does not wait, but lets the device begin what comes next in the
     * queue only then. Both do nothing where none was set. elapsed() waits for mark 1 and
     * returns the seconds since mark 0 by the device's own clock. */
    int (*mark)(void *gpu, int which);
    int (*reach)(void *gpu, int which);
    int (*follow)(void *gpu, int which);
    int (*elapsed)(void *gpu, double *seconds);
    /* After an error: whether the context is lost, so that nothing more can run on it. */
    bool (*lost)(void *gpu);
    /* For libraries that share the context: its queue, after the calling thread entered the context;
     * NULL with gf_message() if that fails. NULL in OpenGL. */
    void *(*stream)(void *gpu);
};

extern const struct gf_gpu gf_gpu_opencl, gf_gpu_cuda, gf_gpu_opengl;

/* Device memory as libraries that share CUDA's or OpenCL's context take it. */
static inline void *gf_gpu_native(const struct gf_gpu_buffer *b) {
    return (void *)(uintptr_t)b->handle;
}

/* As gf_backend.probe. */
int gf_gpu_probe(const struct gf_gpu *api, char reason[GF_REASON]);
/* Opens the device that `device` names: a number, or a part of a name (case aside); NULL: the first.
 * GF_EABSENT with the list of names when there is no such device. */
int gf_gpu_open(const struct gf_gpu *api, const char *device, void **gpu,
                struct gf_gpu_props *props);

#endif
