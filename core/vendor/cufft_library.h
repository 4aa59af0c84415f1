/* NVIDIA's cuFFT, loaded at run time and declared after its documentation. A plan is an integer; a
 * stream is the driver's; device memory is an address.
 *
 *     const struct gf_cufft *f = gf_cufft_find();
 *     int plan, code = f ? f->create(&plan) : GF_CUFFT_NOT_SUPPORTED;
 */
#ifndef GF_CORE_VENDOR_CUFFT_LIBRARY_H
#define GF_CORE_VENDOR_CUFFT_LIBRARY_H

#include "core/vendor/bare.h"

/* Return codes. */
enum {
    GF_CUFFT_ALLOC_FAILED = 2,
    GF_CUFFT_INVALID_SIZE = 8,
    GF_CUFFT_NOT_IMPLEMENTED = 14,
    GF_CUFFT_NOT_SUPPORTED = 16,
};
/* Directions; types of transforms, of floats and of doubles. */
enum { GF_CUFFT_FORWARD = -1, GF_CUFFT_INVERSE = 1 };
enum {
    GF_CUFFT_C2C = 0x29,
    GF_CUFFT_R2C = 0x2a,
    GF_CUFFT_C2R = 0x2c,
    GF_CUFFT_Z2Z = 0x69,
    GF_CUFFT_D2Z = 0x6a,
    GF_CUFFT_Z2D = 0x6c,
};

/* cudaXtDesc: each GPU's part. */
struct gf_cufft_parts {
    int version, n;
    int device[64];
    void *data[64];
    size_t bytes[64];
    void *state;
};

/* cudaLibXtDesc: samples in the memory of several GPUs. */
struct gf_cufft_spread {
    int version;
    struct gf_cufft_parts *parts;
    int library, order;
    void *own;
};

/* Functions: member of struct gf_cufft, name after "cufft", parameters. make(): point (i, j, k) of
 * transform b is element b * dist + ((i * embed[1] + j) * embed[2] + k) * stride; without embeds
 * all is dense. spread_*: plans for several GPUs (cuFFTXt). */
#define GF_CUFFT_FUNCTIONS(F) \
    F(version, "GetVersion", (int *version)) /* 11203 is 11.2.3 */ \
    F(create, "Create", (int *plan)) \
    F(destroy, "Destroy", (int plan)) \
    F(auto_allocate, "SetAutoAllocation", \
      (int plan, int on)) /* 0: the caller sets the work area */ \
    F(make, "MakePlanMany64", \
      (int plan, int rank, long long *n, long long *in_embed, long long in_stride, \
       long long in_dist, long long *out_embed, long long out_stride, long long out_dist, \
       int type, long long batch, size_t *work_bytes)) \
    F(set_work, "SetWorkArea", (int plan, void *work)) \
    F(set_stream, "SetStream", (int plan, void *stream)) \
    F(c2c, "ExecC2C", (int plan, void *in, void *out, int direction)) \
    F(z2z, "ExecZ2Z", (int plan, void *in, void *out, int direction)) \
    F(r2c, "ExecR2C", (int plan, void *in, void *out)) \
    F(d2z, "ExecD2Z", (int plan, void *in, void *out)) \
    F(c2r, "ExecC2R", (int plan, void *in, void *out)) /* may overwrite what it reads */ \
    F(z2d, "ExecZ2D", (int plan, void *in, void *out)) \
    F(use, "XtSetGPUs", (int plan, int n, int *devices)) \
    F(make_2d, "MakePlan2d", (int plan, int ny, int nx, int type, size_t *work_bytes)) \
    F(make_3d, "MakePlan3d", (int plan, int nz, int ny, int nx, int type, size_t *work_bytes)) \
    F(spread_alloc, "XtMalloc", (int plan, struct gf_cufft_spread **s, int order)) \
    F(spread_free, "XtFree", (struct gf_cufft_spread * s)) \
    F(spread_copy, "XtMemcpy", (int plan, void *to, void *from, int way)) \
    F(spread_c2c, "XtExecDescriptorC2C", \
      (int plan, struct gf_cufft_spread *in, struct gf_cufft_spread *out, int direction)) \
    F(spread_z2z, "XtExecDescriptorZ2Z", \
      (int plan, struct gf_cufft_spread *in, struct gf_cufft_spread *out, int direction)) \
    F(spread_r2c, "XtExecDescriptorR2C", \
      (int plan, struct gf_cufft_spread *in, struct gf_cufft_spread *out)) \
    F(spread_d2z, "XtExecDescriptorD2Z", \
      (int plan, struct gf_cufft_spread *in, struct gf_cufft_spread *out))

#define GF_CUFFT_MEMBER(member, name, parameters) int(*member) parameters;
struct gf_cufft {
    GF_CUFFT_FUNCTIONS(GF_CUFFT_MEMBER)
};

/* Loads the library once and for good. NULL with gf_message(), which names the remedy. */
const struct gf_cufft *gf_cufft_find(void);
/* For tests: GF_EABSENT; the message names the package to install, or that the driver is missing. */
int gf_cufft_absent(void);

/* As find() in struct gf_vendor: "cuFFT 12.0.0". */
int gf_cufft_version(char text[GF_VENDOR_TEXT]);
/* Returns one of the types above; runs a plan of that type on one GPU. Only complex transforms use
 * `direction`. */
int gf_cufft_type(bool in_complex, bool out_complex, bool is_double);
int gf_cufft_exec(int type, int plan, void *in, void *out, int direction);

/* Returns "CUFFT_INVALID_SIZE", or "error 99" for an unknown code, valid until the thread's next
 * call. */
const char *gf_cufft_error(int code);
/* Turns an error in `what` into a status with a message. */
int gf_cufft_failure(int code, const char *what, const char *device);

#endif
