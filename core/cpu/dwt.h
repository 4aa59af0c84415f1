/* The openmp backend's wavelet jobs; each level is one fused pass.
 *
 *     rc = gf_cpu_dwt_plan(plan, kernels, threads);
 *     if (!rc)
 *         rc = gf_plan_exec(plan, &in, out, &report); */
#ifndef GF_CORE_CPU_DWT_H
#define GF_CORE_CPU_DWT_H

#include "core/base/job/backend.h"
#include "core/wavelet/stream.h"
#include "kernels/cpu/cpu.h"

/* Plans plan->job; GF_ENOMEM. */
int gf_cpu_dwt_plan(struct gf_plan *plan, const struct gf_cpu_kernels *kernels, int threads);

/* The transform along time, frame by frame. Each level keeps a window of the few planes that its
 * next steps along z need, and emits each finished step at once (Chrysafis and Ortega 2000,
 * "Line-based, reduced memory, wavelet image compression"). */
extern const struct gf_dwt_streamer gf_cpu_dwt_streamer;

/* ---- dwt_level.c: one level over up to three axes, fused: a tile's rows are read once, with a
 * halo of taps - 1, transformed along all axes in the nearest caches, and written once. Cannot
 * fail; the caller owns all memory.
 *
 *     struct gf_cpu_dwt_level l = {.kernels = k, .wavelet = job.wavelet,
 *                                  .on = {false, true, true}, .n = {1, 512, 512},
 *                                  .m = {1, 256, 256}, .channels = 1,
 *                                  .type = GF_CPU_U8, .fine = {.data = picture, .row = 512}};
 *     for each of the four bands b of y and x: l.band[b] = …
 *     gf_cpu_dwt_forward(&l, threads, gf_alloc(gf_cpu_dwt_scratch(&l) * threads)); ---- */

/* Rows of contiguous samples: row (z, y) is at data + z * plane + y * row. */
struct gf_cpu_rows {
    char *data;
    ptrdiff_t plane, row;
};

enum { GF_DWT_Z, GF_DWT_Y, GF_DWT_X };

struct gf_cpu_dwt_level {
    const struct gf_cpu_kernels *kernels;
    struct gf_wavelet wavelet;
    bool on[3];   /* z, y, x */
    int64_t n[3]; /* samples of the finer side */
    int64_t m[3]; /* samples of a band; n if the axis is off */
    int64_t channels;
    enum gf_cpu_sample type; /* of the finer side; bands have the kernels' precision */
    struct gf_cpu_rows fine;
    /* Forward along z, or NULL: one step from these planes, one per tap (NULL: zeros), with m[z] =
     * 1 and fine.data unused. */
    const char *const *window;
    struct gf_cpu_rows band[8]; /* bit 2: detail along z, 1: y, 0: x */
    bool stream[8];             /* forward: bands larger than the caches */
    bool stream_fine;           /* inverse */
};

/* A level of the job without addresses, with the finer side in the kernels' precision. */
struct gf_cpu_dwt_level gf_cpu_dwt_level_of(const struct gf_job *job,
                                            const struct gf_dwt_layout *layout,
                                            const struct gf_cpu_kernels *kernels, int level);
/* Bytes per thread. */
size_t gf_cpu_dwt_scratch(const struct gf_cpu_dwt_level *level);
/* `scratch`: that many bytes per thread, 64-byte aligned. */
void gf_cpu_dwt_forward(const struct gf_cpu_dwt_level *level, int threads, char *scratch);
/* Transforms bands to the finer side; returns the number of samples clipped by an integer type. */
int64_t gf_cpu_dwt_inverse(const struct gf_cpu_dwt_level *level, int threads, char *scratch);

#endif
