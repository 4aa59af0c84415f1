/* Libraries that transform on a GPU API's devices, for `gpufft bench`, and their plans from the
 * input's buffer to the output's. A library is a row, to which its backend's `own` points:
 *
 *     static const struct gf_vendor vkfft = {.name = "vkfft", .api = &gf_gpu_cuda, .find = find,
 *                                            .bytes = sizeof(struct impl), .make = make,
 *                                            .once = run_once, .drop = drop};
 *     const struct gf_backend gf_backend_vkfft = {GF_VENDOR(vkfft), .plan = vkfft_plan, …}; */
#ifndef GF_CORE_VENDOR_BARE_H
#define GF_CORE_VENDOR_BARE_H

#include "core/gpu/run.h"

enum { GF_VENDOR_TEXT = 64 };

/* The first member of a plan's impl. The run has no passes unless the library adds some. */
struct gf_bare {
    struct gf_gpu_run run;
    int64_t work_bytes; /* of the library's work area */
    struct gf_gpu_buffer *work;
    double build_seconds;
    void (*drop)(const struct gf_gpu_context *c, struct gf_bare *m); /* see struct gf_vendor */
};

struct gf_vendor {
    const char *name; /* of the one listed pass */
    const struct gf_gpu *api;
    /* Loads the library once and for good; writes its name and version to `text` unless NULL.
     * GF_EABSENT with the remedy. */
    int (*find)(char text[GF_VENDOR_TEXT]);
    int (*start)(void); /* before a context is opened; may be NULL */
    /* For gf_bare_plan(): plans a job that gf_bare_check() passed, in an impl of so many bytes. */
    size_t bytes;
    int (*make)(const struct gf_gpu_context *c, struct gf_bare *m, const struct gf_job *job);
    /* Queues a transform, as `once` in struct gf_gpu_run. */
    int (*once)(const struct gf_gpu_context *c, const struct gf_gpu_run *run);
    /* Ends the library's plan if make() has made it. */
    void (*drop)(const struct gf_gpu_context *c, struct gf_bare *m);
};

/* As in struct gf_backend. */
int gf_vendor_probe(const struct gf_backend *b, const struct gf_environment *env,
                    char reason[GF_REASON]);
int gf_vendor_list(const struct gf_backend *b, const struct gf_environment *env,
                   struct gf_gpu_props *props);
int gf_vendor_open(const struct gf_backend *b, const struct gf_backend_options *options,
                   void **context);
extern const struct gf_on_device gf_vendor_on_device;
#define GF_VENDOR(row) \
    .own = &(row), .devices = true, .probe = gf_vendor_probe, .open = gf_vendor_open, \
    .on_device = &gf_vendor_on_device, .lost = gf_gpu_run_lost, .close = gf_gpu_run_close

/* GF_EUNSUPP for jobs that need passes before or after the transform. */
int gf_bare_check(const struct gf_job *job);
/* Makes the plan's impl, without sizes; NULL with GF_ENOMEM's message. */
void *gf_bare_impl(struct gf_plan *plan, const struct gf_plan_ops *ops);
int gf_bare_plan(struct gf_plan *plan); /* as in struct gf_backend */
/* As in struct gf_plan_ops; the first upload allocates the work area. */
int gf_bare_upload(struct gf_plan *plan, const struct gf_array *in);
void gf_bare_drop(struct gf_plan *plan);

#endif
