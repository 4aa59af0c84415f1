/* The generic first and last step of a job: input array -> work buffer, work buffer -> outputs.
 *
 * They are right for every job that gf_job_validate() passes: any type, stride, shift, half or
 * full spectrum, display mapping. A backend writes its own for the cases it wants to be fast at
 * and falls back to these. Between the two stands the transform, unnormalised:
 *
 *     gf_work_before(&job, &a);   a.data = …;  gf_loadstore_load(&job, in, &a, threads, &report);
 *     gf_work_after(&job, &b);    b.data = …;  the backend transforms a -> b, in place or not
 *     for each output i:
 *         report.high[i] = gf_loadstore_range(&job, i, &b, scale, threads);
 *         gf_loadstore_store(&job, i, &b, scale, report.high[i], &out[i], threads, &report);
 *
 * Results do not depend on the number of threads. */
#ifndef GF_CORE_BASE_LOADSTORE_H
#define GF_CORE_BASE_LOADSTORE_H

#include "core/base/job.h"

/* Planes of reals or of complex pairs in f32 or f64, channel by channel: component x of row y of
 * plane z of channel c stands at ((c * extent[0] + z) * extent[1] + y) * pitch + x. Always three
 * axes; those that the job does not have come first and are 1 long. */
struct gf_work {
    enum gf_precision precision;
    bool complex;
    int64_t extent[GF_MAX_DIMS]; /* as stored: n/2 + 1 along the halved axis of a half spectrum */
    int64_t channels;
    int64_t pitch; /* elements, reals or pairs, from row to row; >= extent[2] */
    void *data;
};

/* What the transform of this job reads, and what it writes: reals and a half spectrum when
 * gf_job_is_real(), otherwise complex in full. The pitch is the tightest; data is NULL. */
void gf_work_before(const struct gf_job *job, struct gf_work *w);
void gf_work_after(const struct gf_job *job, struct gf_work *w);
int64_t gf_work_bytes(const struct gf_work *w);

/* Where axis i of the job stands among the work buffer's three. */
static inline int gf_work_axis(const struct gf_job *job, int i) {
    return GF_MAX_DIMS - job->ndim + i;
}

/* Fills the work buffer of gf_work_before(): every channel by itself, or their luma; a spectrum
 * taken out of the centre. Of a full spectrum with a real result it takes the Hermitian part,
 * (F(k) + conj F(-k)) / 2, whose inverse is the real part, and sets report->imag_ratio from the
 * energy of what is left (Parseval). */
void gf_loadstore_load(const struct gf_job *job, const struct gf_array *in, const struct gf_work *w,
                       int threads, struct gf_report *report);

/* True when the range of output i can be told only by looking at all values: a display without a
 * given range. Not so for samples that are never negative: none of their magnitudes is above that
 * of the zero frequency, where all of them add up. */
bool gf_loadstore_scans(const struct gf_job *job, int i);
/* The upper end of output i's display range, in unscaled units; `scale` is the factor still to be
 * put on the work buffer's values. 0 for outputs that are not mapped for display, pi for phases. */
double gf_loadstore_range(const struct gf_job *job, int i, const struct gf_work *w, double scale,
                          int threads);

/* Writes output i out of the work buffer of gf_work_after(): mirror, shift, kind, mapping. Bins
 * that are their own mirror image are real in the spectrum of real samples: rounding noise in
 * their imaginary part is dropped, for it would turn a phase of pi into -pi. */
void gf_loadstore_store(const struct gf_job *job, int i, const struct gf_work *w, double scale,
                        double high, struct gf_array *out, int threads, struct gf_report *report);

/* One line each for gf_pass_info.what. */
void gf_loadstore_load_text(const struct gf_job *job, char *text, size_t size);
void gf_loadstore_store_text(const struct gf_job *job, int i, char *text, size_t size);

/* Sets the imaginary parts to 0 that only rounding made: of the bins that are their own mirror
 * image, in a real input's spectrum `out` of one channel, c64 or c128, unshifted, full or half. */
void gf_loadstore_settle(const struct gf_job *job, struct gf_array *out, int threads);

#endif
