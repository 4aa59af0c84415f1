/* NVIDIA's cuFFT, loaded at run time: the few declarations that are needed, from its documentation.
 * A plan is an integer; a stream is the driver's; device memory is an address.
 *
 *     const struct gf_cufft *f = gf_cufft_find();
 *     int plan, code = f ? f->create(&plan) : GF_CUFFT_NOT_SUPPORTED;
 */
#ifndef GF_CORE_VENDOR_CUFFT_LIBRARY_H
#define GF_CORE_VENDOR_CUFFT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/dl.h"

/* Return codes. */
enum {
    GF_CUFFT_ALLOC_FAILED = 2,
    GF_CUFFT_INVALID_SIZE = 8,
    GF_CUFFT_NOT_IMPLEMENTED = 14,
    GF_CUFFT_NOT_SUPPORTED = 16,
};
/* Directions, and types of transforms: of floats, of doubles. */
enum { GF_CUFFT_FORWARD = -1, GF_CUFFT_INVERSE = 1 };
enum {
    GF_CUFFT_C2C = 0x29,
    GF_CUFFT_R2C = 0x2a,
    GF_CUFFT_C2R = 0x2c,
    GF_CUFFT_Z2Z = 0x69,
    GF_CUFFT_D2Z = 0x6a,
    GF_CUFFT_Z2D = 0x6c,
};

struct gf_cufft {
    int (*version)(int *version); /* 11203 is 11.2.3 */
    int (*create)(int *plan);
    int (*destroy)(int plan);
    int (*auto_allocate)(int plan, int on); /* 0: the caller sets the work area */
    /* Point (i, j, k) of transform b is element
     * b * dist + ((i * embed[1] + j) * embed[2] + k) * stride; without embeds all is dense. */
    int (*make)(int plan, int rank, long long *n, long long *in_embed, long long in_stride,
                long long in_dist, long long *out_embed, long long out_stride, long long out_dist,
                int type, long long batch, size_t *work_bytes);
    int (*set_work)(int plan, void *work);
    int (*set_stream)(int plan, void *stream);
    int (*c2c)(int plan, void *in, void *out, int direction);
    int (*z2z)(int plan, void *in, void *out, int direction);
    int (*r2c)(int plan, void *in, void *out);
    int (*d2z)(int plan, void *in, void *out);
    int (*c2r)(int plan, void *in, void *out); /* may overwrite what it reads */
    int (*z2d)(int plan, void *in, void *out);
};

/* Loads the library once and for good. NULL with gf_message(), which names the remedy. */
const struct gf_cufft *gf_cufft_find(void);

/* Another table of the library's functions, whose first is version(), of so many bytes. False where there is
 * no such library, without a message. */
bool gf_cufft_open(struct gf_dl_once *once, const struct gf_dl_symbol *symbols, size_t bytes,
                   void *table);
/* GF_EABSENT with the remedy. */
int gf_cufft_absent(void);

/* "CUFFT_INVALID_SIZE"; "error 99" for one without a name here. Static, or the thread's own until
 * its next call. */
const char *gf_cufft_error(int code);
/* The status of an error in `what`, with its message. */
int gf_cufft_failure(int code, const char *what, const char *device);

#endif
