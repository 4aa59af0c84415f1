/* The generic load and store steps of a job: input array -> work buffer, work buffer -> outputs.
 *
 * They are right for every job that gf_job_validate() passes: any type, stride, shift, half or full
 * spectrum, display mapping. A backend that has faster steps of its own for some jobs uses these
 * for the others. The transform between the two is unnormalised:
 *
 *     gf_work_before(&job, &a);   a.data = …;  gf_work_load(&job, in, &a, threads, &report);
 *     gf_work_after(&job, &b);    b.data = …;  the backend transforms a -> b, in place or not
 *     rc = gf_work_store(&job, &b, &energy, out, threads, &report);
 *
 * The caller owns the buffers. Only gf_work_store() can fail, and results do not depend on the
 * number of threads. */
#ifndef GF_CORE_BASE_LOADSTORE_H
#define GF_CORE_BASE_LOADSTORE_H

#include "core/base/job/range.h"

/* Planes of reals or complex pairs in f32 or f64, channel by channel: component x of row y of plane
 * z of channel c is at ((c * extent[0] + z) * extent[1] + y) * pitch + x. There are always three
 * axes; axes that the job lacks come first, with extent 1. */
struct gf_work {
    enum gf_precision precision;
    bool complex;
    int64_t extent[GF_MAX_DIMS]; /* as stored: n/2 + 1 along the halved axis of a half spectrum */
    int64_t channels;
    int64_t pitch; /* reals or pairs from row to row, >= extent[2] */
    void *data;
};

/* Arrays before and after the job's transform: reals and a half spectrum if gf_job_is_real(), else
 * complex. The pitch is minimal and data is NULL. */
void gf_work_before(const struct gf_job *job, struct gf_work *w);
void gf_work_after(const struct gf_job *job, struct gf_work *w);
int64_t gf_work_bytes(const struct gf_work *w);
/* Allocates *own for the buffer unless it is set. GF_ENOMEM; the caller frees it. */
int gf_work_allocate(const struct gf_work *w, void **own);

/* The work buffer's axis for axis i of the job. */
static inline int gf_work_axis(const struct gf_job *job, int i) {
    return GF_MAX_DIMS - job->ndim + i;
}

/* Fills the buffer of gf_work_before() with each channel or their luma, a centred spectrum from
 * frequency 0 on. From a full spectrum with a real result it takes the Hermitian part, (F(k) + conj
 * F(-k)) / 2, whose inverse is the real part; report->imag_ratio becomes the energy ratio of the
 * rest (Parseval), otherwise 0. If w->data is NULL, only sets the report. */
void gf_work_load(const struct gf_job *job, const struct gf_array *in, const struct gf_work *w,
                  int threads, struct gf_report *report);

/* Recomputes in double precision energies of `in` that overflowed or vanished in single precision
 * (squares above 1e19, below 1e-19). */
void gf_work_mend_energy(const struct gf_job *job, const struct gf_array *in, int threads,
                         struct gf_report *report);

/* Writes all outputs from the buffer of gf_work_after(): mirror image, shift, norm, kind, mapping of
 * the display range. Sets the ranges and the clipped counts in the report. energy:
 * gf_range_energy() of the input. In the spectrum of real samples, bins that are their own mirror
 * image are real: their imaginary part is rounding noise, which would turn a phase of pi into -pi,
 * and is dropped. GF_ENOMEM. */
int gf_work_store(const struct gf_job *job, const struct gf_work *w,
                  const struct gf_range_energy *energy, struct gf_array *out, int threads,
                  struct gf_report *report);

/* One line each for gf_pass_info.what. */
void gf_work_load_text(const struct gf_job *job, char *text, size_t size);
void gf_work_store_text(const struct gf_job *job, int i, char *text, size_t size);

/* Drops rounding noise in output i of a real input's spectrum: bins that are their own mirror image
 * become real. */
void gf_rounding_drop(const struct gf_job *job, int i, const struct gf_array *out, int threads);

#endif
