/* FFTW 3, or a library with its interface, loaded at run time and declared after its documentation,
 * with a lock around its planner.
 *
 *     const struct gf_fftw *f = gf_fftw_find(GF_FFTW_OWN, GF_SINGLE, NULL);
 *     gf_fftw_plan_begin(env, f, threads, GF_FFTW_ESTIMATE, 0);
 *     void *plan = f->plan_dft(1, &dim, 0, NULL, in, out, GF_FFTW_FORWARD, GF_FFTW_ESTIMATE);
 *     gf_fftw_plan_end(env, f, GF_FFTW_ESTIMATE);
 */
#ifndef GF_CORE_VENDOR_FFTW_LIBRARY_H
#define GF_CORE_VENDOR_FFTW_LIBRARY_H

#include "core/base/job/backend.h"

struct gf_fftw_dim {
    ptrdiff_t n, in_stride, out_stride;
};

enum { GF_FFTW_FORWARD = -1, GF_FFTW_INVERSE = 1 };
enum {
    GF_FFTW_MEASURE = 0,
    GF_FFTW_DESTROY_INPUT = 1,
    GF_FFTW_PRESERVE_INPUT = 1 << 4,
    GF_FFTW_PATIENT = 1 << 5,
    GF_FFTW_ESTIMATE = 1 << 6,
};

struct gf_fftw {
    void *(*plan_dft)(int rank, const struct gf_fftw_dim *dims, int batch_rank,
                      const struct gf_fftw_dim *batch, void *in, void *out, int sign,
                      unsigned flags);
    void *(*plan_r2c)(int rank, const struct gf_fftw_dim *dims, int batch_rank,
                      const struct gf_fftw_dim *batch, void *in, void *out, unsigned flags);
    void *(*plan_c2r)(int rank, const struct gf_fftw_dim *dims, int batch_rank,
                      const struct gf_fftw_dim *batch, void *in, void *out, unsigned flags);
    void (*run_dft)(const void *plan, void *in, void *out);
    void (*run_r2c)(const void *plan, void *in, void *out);
    void (*run_c2r)(const void *plan, void *in, void *out);
    void (*destroy)(void *plan);
    void (*set_timelimit)(double seconds);  /* of planning; below 0: none */
    int (*import_wisdom)(const char *text); /* this and the next two are not loaded from MKL */
    char *(*export_wisdom)(void);
    void (*forget_wisdom)(void);
    const char *version;
    int (*init_threads)(void);
    void (*plan_with_nthreads)(int threads); /* NULL: one thread */
    void (*set_threads)(int threads);        /* MKL only: before each run; else NULL */
    int (*set_layer)(int layer);             /* MKL's */
};

enum gf_fftw_maker { GF_FFTW_OWN, GF_FFTW_MKL, GF_FFTW_N_MAKERS };

/* Loads the library once and for good, as one with threads must not be unloaded. `path` names the
 * file (NULL: the loader's choice); only the first call's counts. NULL with gf_message() if it is
 * absent. */
const struct gf_fftw *gf_fftw_find(enum gf_fftw_maker maker, enum gf_precision p, const char *path);

/* Names the library's code for this CPU: FFTW's instruction sets ("sse2-avx") or the library of
 * kernels that MKL has loaded ("avx512"); "" if unknown. Takes the lock. */
void gf_fftw_code_path(const struct gf_fftw *f, char text[GF_CODE_PATH]);

/* The planner has global state and is not thread-safe: plans are made between these two calls,
 * which hold a lock. `flags` is the planning mode; after `seconds` (0: no limit) measuring falls
 * back to estimates. Measured plans are kept from run to run. */
void gf_fftw_plan_begin(const struct gf_environment *env, const struct gf_fftw *f, int threads,
                        unsigned flags, double seconds);
void gf_fftw_plan_end(const struct gf_environment *env, const struct gf_fftw *f, unsigned flags);
/* Sets `path` to the file that keeps them; false if there is no cache folder. */
bool gf_fftw_wisdom_path(const struct gf_environment *env, enum gf_precision p, char *path,
                         size_t size);
void gf_fftw_destroy(const struct gf_fftw *f, void *plan); /* takes the lock; plan may be NULL */

#endif
