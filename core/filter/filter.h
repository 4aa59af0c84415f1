/* What multiplies a spectrum between a forward and an inverse transform (GF_FILTER).
 *
 * A filter is a product of factors, each made of low passes L, functions of the distance from a
 * centre that fall from 1 to 0, and perhaps of a table:
 *     low pass L    high pass 1 - L    band pass L2 (1 - L1)    band reject 1 - L2 (1 - L1)
 *     notch (1 - L at c) (1 - L at -c)
 * With D the distance and R the radius (Gonzalez and Woods 2018, Digital Image Processing, 4.8):
 *     gaussian exp(-D^2 / (2 R^2))    ideal D <= R    Butterworth 1 / (1 + (D / R)^(2 N))
 * Frequencies are counted in bins, signed: k stands for k - n above n / 2. Distances run around the
 * spectrum's ends, so that a factor and its mirror image are each other's and the result is real.
 * Where radii differ by axis, D / R is the root of the sum of (d_i / R_i)^2. */
#ifndef GF_CORE_FILTER_FILTER_H
#define GF_CORE_FILTER_FILTER_H

#include "core/base/job.h"

enum gf_profile { GF_GAUSSIAN, GF_IDEAL, GF_BUTTERWORTH };

enum { GF_MAX_FACTORS = 128, GF_MAX_ORDER = 64 };

/* By the job's axes; those that are not transformed are not looked at. */
struct gf_lowpass {
    enum gf_profile profile;
    int order;                  /* Butterworth: N, 1..GF_MAX_ORDER */
    double centre[GF_MAX_DIMS]; /* bins, signed */
    double radius[GF_MAX_DIMS]; /* bins, > 0 */
};

/* c0 + ca A(k) + cab A(k) B(k) */
struct gf_filter_factor {
    double c0, ca, cab;
    struct gf_lowpass a, b; /* b is not looked at where cab is 0 */
};

struct gf_filter {
    int64_t serial; /* no two filters of one run of the program share it */
    int n_factors;
    struct gf_filter_factor factor[GF_MAX_FACTORS];
    /* One factor more: the half spectrum's shape (gf_job_half_axis() halved, no channels),
     * unshifted, C-contiguous, real or complex, f32 or f64; no data where there is none. Complex
     * ones are Hermitian, as the spectrum of a real kernel is. Owned. */
    struct gf_array table;
    double offset; /* added to every sample of the result, in the input's unit */
};

/* An empty one, which changes nothing; GF_ENOMEM. gf_filter_free() also takes NULL. */
int gf_filter_new(struct gf_filter **out);
void gf_filter_free(struct gf_filter *f);

/* Append factors. GF_EINVAL when there are too many. */
int gf_filter_add_lowpass(struct gf_filter *f, const struct gf_lowpass *l);
int gf_filter_add_highpass(struct gf_filter *f, const struct gf_lowpass *l);
int gf_filter_add_band(struct gf_filter *f, const struct gf_lowpass *inner,
                       const struct gf_lowpass *outer, bool reject);
/* At l->centre and, unless that is its own mirror image on the job's shape, at minus that. */
int gf_filter_add_notch(struct gf_filter *f, const struct gf_job *job, const struct gf_lowpass *l);

/* The filter of a job that gf_job_validate() passed: GF_EINVAL unless its offset and factors are
 * finite, its radii above 0 and its table of the job's shape. 0 for jobs that are not GF_FILTER. A
 * backend that runs filters calls this before it plans one. */
int gf_filter_validate(const struct gf_job *job);

/* ---- a filter on a job's shape, as the kernels evaluate it ---- */

/* A low pass is f(product of the axes' values) for gaussians, f = identity, and else f(their sum):
 * ideal: sum <= limit; Butterworth: 1 / (1 + (sum / limit)^N). */
struct gf_filter_term {
    enum gf_profile profile;
    int order;
    double limit;
    int64_t at[GF_MAX_DIMS]; /* where the axis's values begin among all; -1: not transformed */
};

struct gf_filter_terms {
    int n_factors;
    struct {
        double c0, ca, cab;
        int a, b; /* which terms; b is -1 where cab is 0 */
    } factor[GF_MAX_FACTORS];
    int n_terms;
    struct gf_filter_term term[2 * GF_MAX_FACTORS];
    double *value; /* `count` of them; one an index 0..extent-1 of the half spectrum */
    int64_t count;
};

/* Fills *t for the job and its filter; the caller frees with gf_filter_terms_free(). */
int gf_filter_compile(const struct gf_job *job, struct gf_filter_terms *t);
void gf_filter_terms_free(struct gf_filter_terms *t);
/* The product of all factors but the table at an index of the spectrum, by the job's axes. */
double gf_filter_value(const struct gf_filter_terms *t, const int64_t index[GF_MAX_DIMS]);
/* All of the filter over the half spectrum, as filter->table is laid out; f32, f64, c64 or c128 by
 * the job's precision and the table's kind. The caller frees. */
int gf_filter_tabulate(const struct gf_job *job, int threads, struct gf_array *out);

#endif
