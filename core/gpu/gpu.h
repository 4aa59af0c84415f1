/* The calls that a GPU API provides: memory, copies, kernels, launches. cuda.c, opencl.c,
 * opengl.c, vulkan.c and directcompute.c in core/gpu/api fill one table each; everything above them
 * is written once. A complete run:
 *
 *     void *gpu;
 *     struct gf_gpu_props props;
 *     struct gf_gpu_buffer *b;
 *     int rc = gf_gpu_open(env, api, "0", &gpu, &props);
 *     if (!rc) rc = api->alloc(gpu, bytes, &b);
 *     if (!rc) rc = api->upload(gpu, b, 0, host, bytes);
 *     if (!rc) rc = api->launch(gpu, &(struct gf_gpu_launch){.kernel = k, …});
 *     if (!rc) rc = api->sync(gpu);
 *     api->close(gpu);
 *
 * A device executes a queue's commands in order. All commands go to the first queue until use()
 * picks another. Uploads, downloads and launches return once they are queued, if the API allows
 * that; sync() waits for all queues and reports errors. Functions return 0 or a negative status
 * with gf_message(). One thread at a time uses an open device, except that several may call build()
 * and load() concurrently. */
#ifndef GF_CORE_GPU_GPU_H
#define GF_CORE_GPU_GPU_H

#include <stdatomic.h>

#include "core/base/job/backend.h"

/* Device memory. */
struct gf_gpu_buffer {
    uint64_t handle; /* the API's address, object or name */
    int64_t bytes;
    bool view; /* the memory belongs to another buffer */
};
struct gf_gpu_kernel; /* one entry point of a built program, for one launch shape */

enum { GF_GPU_MAX_BUFFERS = 7, GF_GPU_MARKS = 96, GF_GPU_QUEUES = 3, GF_GPU_VIEW_ALIGNED = 512 };

/* A one-dimensional launch of `groups` work groups of `group` items. The kernel's parameters are
 * its buffers in order, then, by value, the argument block (only 64-bit integers and doubles, so
 * that every compiler lays it out alike), then the tile of local_bytes. */
struct gf_gpu_launch {
    struct gf_gpu_kernel *kernel;
    int64_t groups;
    int group;
    int64_t local_bytes;
    int n_buffers;
    struct gf_gpu_buffer *buffer[GF_GPU_MAX_BUFFERS]; /* NULL is passed as a null pointer */
    const void *args;
    size_t args_bytes; /* 0: the kernel takes no argument block */
    /* The kernel begins with AWAIT_PREVIOUS() (kernels/lang.h), so its groups may start before the
     * previous launch has ended. */
    bool awaits;
};

/* Rows in a buffer or in host memory, from `offset` on; pitch 0: packed. */
struct gf_gpu_end {
    const struct gf_gpu_buffer *buffer; /* NULL: host memory */
    char *host;
    int64_t offset, pitch;
};
/* A copy of rows. */
struct gf_gpu_move {
    struct gf_gpu_end from, to;
    int64_t bytes, count; /* of a row; rows */
    const char *what;     /* for messages: "an upload" */
};

/* A kernel that copies `bytes`, a multiple of 16. The launch reads this struct; the caller unloads
 * its kernel. */
struct gf_gpu_copier {
    struct gf_gpu_buffer *from, *to;
    int64_t bytes, count;
    struct gf_gpu_launch launch;
};

struct gf_gpu_plan;

/* Every open device begins with this. */
struct gf_gpu_device {
    const struct gf_gpu *api;
    struct gf_gpu_props props;
    atomic_bool lost; /* the context is unusable after an error */
};

struct gf_gpu {
    const char *name; /* "cuda", "opencl", "vulkan", "opengl", "directcompute" */

    /* The dialect of its kernels. */

    /* NULL: those of kernels/. Else its kernels are files with this suffix, each with one entry
     * point, chosen by the option ENTRY_name. */
    const char *suffix;
    /* Kernels take an array as one buffer: alloc() gives no more than max_alloc, rows() fails. */
    bool whole;
    /* NULL, or returns GF_EUNABLE, naming what is missing and a backend that has it, for a plan with
     * a pass that has no such kernel. */
    int (*check)(const struct gf_gpu_plan *plan);
    /* NULL, or prepares a kernel that copies, as copy() may be far slower than the memory. */
    int (*copier)(void *gpu, const struct gf_gpu_props *props, struct gf_gpu_copier *copier);

    /* Loads the library without opening a context. False with gf_message() if there is none. */
    bool (*installed)(void);
    /* As gf_backend.probe. NULL: find() suffices. */
    int (*probe)(const struct gf_environment *env, char reason[GF_REASON]);
    /* Lists up to GF_GPU_MAX_DEVICES devices in the order of --device=N, GPUs before CPUs. Returns
     * their number or a negative status. Opens no context (OpenGL: one on each, once). */
    int (*find)(const struct gf_environment *env, struct gf_gpu_props *props);
    /* Opens the device with these properties, to which it may add. */
    int (*open)(struct gf_gpu_props *props, void **gpu);
    void (*close)(void *gpu);

    /* The API's part of alloc(), free(), view(), clear() and, with ends in range, all copies. */
    int (*take)(void *gpu, int64_t bytes, uint64_t *handle);
    void (*give)(void *gpu, uint64_t handle);
    int (*part)(void *gpu, uint64_t handle, int64_t offset, int64_t bytes, uint64_t *part);
    int (*move)(void *gpu, const struct gf_gpu_move *move);
    int (*zero)(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes);

    int (*alloc)(void *gpu, int64_t bytes, struct gf_gpu_buffer **buffer); /* GF_ENOMEM if full */
    void (*free)(void *gpu, struct gf_gpu_buffer *buffer); /* takes NULL, like unpin() */
    /* Makes a buffer of part of another, from a multiple of GF_GPU_VIEW_ALIGNED on. It must be
     * freed before the other. NULL if unsupported. */
    int (*view)(void *gpu, struct gf_gpu_buffer *of, int64_t offset, int64_t bytes,
                struct gf_gpu_buffer **view);
    int64_t (*free_bytes)(void *gpu); /* free memory, or the total if the API cannot tell */
    /* Allocates page-locked host memory, which the device accesses at full speed. GF_ENOMEM. */
    int (*pin)(void *gpu, int64_t bytes, void **host);
    void (*unpin)(void *gpu, void *host);
    /* Page-locks existing memory until unlock(). *locked is false if it was locked before, so that
     * it is not this caller's to unlock. GF_EUNSUPP on OpenCL's GPUs. NULL if unsupported, as are
     * unlock(), is_locked(), use() and follow(). */
    int (*lock)(void *gpu, void *host, int64_t bytes, bool *locked);
    void (*unlock)(void *gpu, void *host);
    bool (*is_locked)(void *gpu, const void *host, int64_t bytes);

    int (*upload)(void *gpu, struct gf_gpu_buffer *to, int64_t offset, const void *host,
                  int64_t bytes);
    int (*download)(void *gpu, void *host, const struct gf_gpu_buffer *from, int64_t offset,
                    int64_t bytes);
    /* Copies rows between buffers and host memory from pin() or lock(). The buffer of `to` may
     * belong to another open device that this one reaches(). */
    int (*rows)(void *gpu, void *other, const struct gf_gpu_move *rows);
    int (*clear)(void *gpu, struct gf_gpu_buffer *to, int64_t offset, int64_t bytes);
    /* Copies within the device's memory; the ranges do not overlap. */
    int (*copy)(void *gpu, struct gf_gpu_buffer *to, int64_t to_offset,
                const struct gf_gpu_buffer *from, int64_t from_offset, int64_t bytes);

    /* For several open devices of one API, called by one thread; NULL if unsupported. reaches():
     * true if rows(), queued on the first device, can write to the other's memory. follow_other()
     * is follow() for another device's mark; it may wait. reads_others: kernels can read the memory
     * of devices in reach. */
    bool reads_others;
    bool (*reaches)(void *gpu, void *other);
    int (*follow_other)(void *gpu, void *other, int which);

    /* Compiles source text without #include to a binary for this device, which the caller frees.
     * GF_EBACKEND with the first error of the compiler's log. */
    int (*build)(void *gpu, const char *name, const char *source, const char *options,
                 void **binary, size_t *bytes);
    /* Loads a binary's function `entry`, for launches with at most local_bytes. Refuses a damaged
     * binary, as far as the driver detects it. */
    int (*load)(void *gpu, const void *binary, size_t bytes, const char *entry, int64_t local_bytes,
                struct gf_gpu_kernel **kernel);
    void (*unload)(void *gpu, struct gf_gpu_kernel *kernel);

    int (*launch)(void *gpu, const struct gf_gpu_launch *launch);
    int (*sync)(void *gpu);
    /* Sends commands to this queue from now on; queue < GF_GPU_QUEUES. Queues may overlap. */
    int (*use)(void *gpu, int queue);
    /* mark() marks a point in the queue; which < GF_GPU_MARKS. reach() waits until the device has
     * passed the mark; follow() makes the queue's next commands wait for it. Both ignore a mark
     * that was not set. elapsed() waits for mark 1 and returns the seconds since mark 0 by the
     * device's clock. */
    int (*mark)(void *gpu, int which);
    int (*reach)(void *gpu, int which);
    int (*follow)(void *gpu, int which);
    int (*elapsed)(void *gpu, double *seconds);
    /* For memory and streams of the caller's; cuda's alone. adopt(): GF_EINVAL unless the
     * bytes are this device's. order() makes the queue's next commands wait for those that the
     * stream has been given, or if `behind` the stream's for the queue's. */
    int (*adopt)(void *gpu, const char *which, uint64_t address, int64_t bytes);
    int (*order)(void *gpu, void *stream, bool behind);
    /* True if an error has left the context unusable. */
    bool (*lost)(void *gpu);
    /* For libraries that share the context: enters it and returns its queue, or NULL with
     * gf_message(). NULL if unsupported. */
    void *(*stream)(void *gpu);
};

extern const struct gf_gpu gf_gpu_opencl, gf_gpu_cuda, gf_gpu_opengl, gf_gpu_vulkan,
    gf_gpu_directcompute;

/* Device memory as libraries that share CUDA's or OpenCL's context take it. */
static inline void *gf_gpu_native(const struct gf_gpu_buffer *b) {
    return (void *)(uintptr_t)b->handle;
}

/* As gf_backend.probe. */
int gf_gpu_probe(const struct gf_environment *env, const struct gf_gpu *api,
                 char reason[GF_REASON]);
/* find(), and whose environment it was. */
int gf_gpu_list(const struct gf_environment *env, const struct gf_gpu *api,
                struct gf_gpu_props *props);
/* Opens a device by number or part of its name, ignoring case; NULL: the first. GF_EABSENT with the
 * list of names if there is none. */
int gf_gpu_open(const struct gf_environment *env, const struct gf_gpu *api, const char *device,
                void **gpu, struct gf_gpu_props *props);

#endif
