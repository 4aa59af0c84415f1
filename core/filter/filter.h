/* Filters: the factors of a spectrum between a forward and an inverse transform (GF_FILTER).
 *
 *     struct gf_filter *f;
 *     rc = gf_filter_new(&f);
 *     if (!rc)
 *         rc = gf_filter_add_lowpass(f, &(struct gf_lowpass){.radius = {30, 30}});
 *     job.op = GF_FILTER, job.filter = f, job.filter_serial = f->serial;    the job does not own it
 *     …
 *     gf_filter_free(f);
 *
 * A filter is a product of factors, each made of low passes L, functions of the distance from a
 * centre that fall from 1 to 0, and perhaps of a table:
 *     low pass     L                   high pass    1 - L
 *     band pass    L2 (1 - L1)         band reject  1 - L2 (1 - L1)
 *     notch        (1 - L at c) (1 - L at -c)
 * With D the distance and R the radius (Gonzalez and Woods 2018, Digital Image Processing, 4.8):
 *     gaussian     exp(-D^2 / (2 R^2))
 *     ideal        1 where D <= R, else 0
 *     Butterworth  1 / (1 + (D / R)^(2 N))
 * Frequencies are in bins, signed: index k above n / 2 is k - n. Distances wrap around the ends of
 * the spectrum, so a factor and its mirror image are symmetric and the result is real. Where radii
 * differ by axis, D / R is the root of the sum of (d_i / R_i)^2.
 *
 * Functions return 0, GF_ENOMEM or GF_EINVAL. */
#ifndef GF_CORE_FILTER_FILTER_H
#define GF_CORE_FILTER_FILTER_H

#include "core/base/job.h"

enum gf_profile { GF_GAUSSIAN, GF_IDEAL, GF_BUTTERWORTH };

enum { GF_MAX_FACTORS = 128, GF_MAX_ORDER = 64 };

/* Arrays are indexed by the job's axes; entries of axes that are not transformed are ignored. */
struct gf_lowpass {
    enum gf_profile profile;
    int order;                  /* Butterworth: N, 1..GF_MAX_ORDER */
    double centre[GF_MAX_DIMS]; /* bins, signed */
    double radius[GF_MAX_DIMS]; /* bins, > 0 */
};

/* c0 + ca A(k) + cab A(k) B(k) */
struct gf_filter_factor {
    double c0, ca, cab;
    struct gf_lowpass a, b; /* b is ignored where cab is 0 */
};

struct gf_filter {
    int64_t serial; /* unique within the process */
    int n_factors;
    struct gf_filter_factor factor[GF_MAX_FACTORS];
    /* A further factor, or no data: of the half spectrum's shape (gf_job_half_axis() halved, no
     * channels), unshifted, C-contiguous, real or complex, f32 or f64. A complex table is
     * Hermitian, as the spectrum of a real kernel is. Of a part of a job (`whole`): of the part's
     * shape. Owned. */
    struct gf_array table;
    bool in_parts; /* the parts of a job get a table each, which is not here */
    /* NULL, or multiplies the table of a part (`whole`) by the values there of what this table is made of. */
    int (*make_part)(const void *maker, const struct gf_job *part, struct gf_filter *filter);
    const void *maker;
    double offset; /* added to every sample of the result, in the input's unit */
};

/* A filter without factors, which changes nothing. gf_filter_free() also takes NULL. */
int gf_filter_new(struct gf_filter **out);
void gf_filter_free(struct gf_filter *f);

static inline bool gf_filter_has_table(const struct gf_filter *f) {
    return f->table.data || f->in_parts;
}

/* Append factors; GF_EINVAL above GF_MAX_FACTORS. */
int gf_filter_add_lowpass(struct gf_filter *f, const struct gf_lowpass *l);
int gf_filter_add_highpass(struct gf_filter *f, const struct gf_lowpass *l);
int gf_filter_add_band(struct gf_filter *f, const struct gf_lowpass *inner,
                       const struct gf_lowpass *outer, bool reject);
/* At l->centre and at -l->centre, unless those are one bin on the job's shape. */
int gf_filter_add_notch(struct gf_filter *f, const struct gf_job *job, const struct gf_lowpass *l);

/* The job that a part (struct gf_job, `whole`) is a part of, as far as its filter's values depend on it;
 * of any other job, that job. */
struct gf_job gf_filter_whole(const struct gf_job *job);

/* The filter of a job that gf_job_validate() passed: GF_EINVAL unless its offset and factors are
 * finite, its radii above 0 and its table of the job's shape. 0 for jobs that are not GF_FILTER. A
 * backend that runs filters calls this before it plans one. */
int gf_filter_validate(const struct gf_job *job);

/* ---- a filter on a job's shape, as the kernels evaluate it ---- */

/* A low pass as a function of one value for each axis: the product of the values for a gaussian,
 * else a function of their sum; ideal: sum <= limit; Butterworth: 1 / (1 + (sum / limit)^N). */
struct gf_filter_term {
    enum gf_profile profile;
    int order;
    double limit;
    int64_t at[GF_MAX_DIMS]; /* index of the axis's first value; -1: not transformed */
};

struct gf_filter_terms {
    int n_factors;
    struct {
        double c0, ca, cab;
        int a, b; /* which terms; b is -1 where cab is 0 */
    } factor[GF_MAX_FACTORS];
    int n_terms;
    struct gf_filter_term term[2 * GF_MAX_FACTORS];
    double *value; /* `count` of them; one for each index of an axis of the half spectrum */
    int64_t count;
};

/* Fills *t for the job and its filter, of a part of a line for its indices alone; the caller frees with
 * gf_filter_terms_free(). */
int gf_filter_compile(const struct gf_job *job, struct gf_filter_terms *t);
void gf_filter_terms_free(struct gf_filter_terms *t);
/* The product of all factors but the table at an index of the spectrum, by the job's axes. */
double gf_filter_value(const struct gf_filter_terms *t, const int64_t index[GF_MAX_DIMS]);
/* The whole filter over the half spectrum, laid out as filter->table; f32, f64, c64 or c128 by the
 * job's precision and the table's kind. The caller frees. */
int gf_filter_tabulate(const struct gf_job *job, int threads, struct gf_array *out);

#endif
