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
 * kernels/profiles.h has the profiles of L, by the distance D and the radius R. Frequencies are in
 * bins, signed: index k above n / 2 is k - n. Distances wrap around the ends of the spectrum, so a
 * factor and its mirror image are symmetric and the result is real. Where radii differ by axis, D /
 * R is the root of the sum of (d_i / R_i)^2.
 *
 * Functions return 0, GF_ENOMEM or GF_EINVAL. */
#ifndef GF_CORE_FILTER_FILTER_H
#define GF_CORE_FILTER_FILTER_H

#include "core/base/job/job.h"
#include "core/base/value/halves.h"
#include "kernels/profiles.h"

#define GF_PROFILE_NUMBER(NAME, text, JOINED, axis, value) GF_##NAME = PROFILE_##NAME,
#define GF_PROFILE_COMMA(NAME, text, JOINED, axis, value)  text ", "
/* "gaussian, ideal, ", and so on */
#define GF_PROFILE_NAMES PROFILES(GF_PROFILE_COMMA)

enum gf_profile { PROFILES(GF_PROFILE_NUMBER) }; /* GF_GAUSSIAN, … */

enum { GF_N_PROFILES = PROFILE_MIXED, GF_MAX_FACTORS = 128, GF_MAX_ORDER = 64 };

/* As users type them; those with an order N end in ":N". */
extern const char *const gf_filter_profiles[GF_N_PROFILES];

/* Arrays are indexed by the job's axes; entries of untransformed axes are ignored. */
struct gf_lowpass {
    enum gf_profile profile;
    int order;                  /* N, 1..GF_MAX_ORDER, for profiles with an order */
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
    /* A further factor, or no data: the half spectrum's shape (gf_job_half_axis() halved, no
     * channels), or the part's if the job is a part (`whole`); unshifted, C-contiguous, real or
     * complex, f32 or f64. A complex table is Hermitian, like the spectrum of a real kernel.
     * Owned. */
    struct gf_array table;
    bool in_parts; /* each part of a job has its own table, not stored here */
    /* NULL, or multiplies the table of a part (`whole`) by the part's values of this table's
     * factors. */
    int (*make_part)(const void *maker, const struct gf_job *part, int threads,
                     struct gf_filter *filter);
    const void *maker;
    double offset; /* added to every result, in the input's unit */
};

/* An empty filter, which changes nothing. gf_filter_free() takes NULL. */
int gf_filter_new(struct gf_filter **out);
/* Another one with the same factors, for parts of a job: without the table, which parts make. */
int gf_filter_new_for_parts(const struct gf_filter *whole, struct gf_filter **out);
void gf_filter_free(struct gf_filter *f);

/* Making a part's table takes this many times the bytes of its numbers: rows of a mask and their
 * mirror images as doubles, values, and the table three times. */
enum { GF_FILTER_TABLE_SHARE = 9 };

static inline bool gf_filter_has_table(const struct gf_filter *f) {
    return f->table.data || f->in_parts;
}

/* Append a factor each; GF_EINVAL above GF_MAX_FACTORS. */
int gf_filter_add_lowpass(struct gf_filter *f, const struct gf_lowpass *l);
int gf_filter_add_highpass(struct gf_filter *f, const struct gf_lowpass *l);
int gf_filter_add_band(struct gf_filter *f, const struct gf_lowpass *inner,
                       const struct gf_lowpass *outer, bool reject);
/* At l->centre and -l->centre, unless they are the same bin on the job's shape. */
int gf_filter_add_notch(struct gf_filter *f, const struct gf_job *job, const struct gf_lowpass *l);

/* The whole job of a part (struct gf_job, `whole`), as far as it determines the filter's values;
 * other jobs are returned unchanged. */
struct gf_job gf_filter_whole(const struct gf_job *job);

/* Checks the filter of a job that gf_job_validate() passed, before planning: GF_EINVAL unless its
 * offset and factors are finite, its radii above 0 and its table of the job's shape. Returns 0 for
 * jobs other than GF_FILTER. */
int gf_filter_validate(const struct gf_job *job);

/* ---- a filter on a job's shape, as the kernels evaluate it ---- */

/* A low pass as a function of one value per axis; see kernels/profiles.h. */
struct gf_filter_term {
    enum gf_profile profile;
    int order;
    double limit;
    int64_t at[GF_MAX_DIMS]; /* index of the axis's first value; -1: untransformed */
};

struct gf_filter_terms {
    int n_factors;
    struct {
        double c0, ca, cab;
        int a, b; /* numbers of terms; b is -1 if cab is 0 */
    } factor[GF_MAX_FACTORS];
    int n_terms;
    struct gf_filter_term term[2 * GF_MAX_FACTORS];
    double *value; /* `count` values, one per index of each axis of the half spectrum */
    int64_t count;
};

/* Fills *t for the job and its filter; for a part of a line only at its indices. Free with
 * gf_filter_terms_free(). */
int gf_filter_compile(const struct gf_job *job, struct gf_filter_terms *t);
void gf_filter_terms_free(struct gf_filter_terms *t);
/* True if kernels can evaluate the terms in the job's precision as accurately as a table. */
bool gf_filter_is_exact(const struct gf_job *job, const struct gf_filter_terms *t);
/* The product of all factors except the table, at an index of the spectrum by the job's axes. */
double gf_filter_value(const struct gf_filter_terms *t, const int64_t index[GF_MAX_DIMS]);
/* The whole filter over the half spectrum, laid out as filter->table; f32, f64, c64 or c128 by the
 * job's precision and the table's kind. The caller frees it; it is a view of the filter's table if
 * that is all of the filter. */
int gf_filter_tabulate(const struct gf_job *job, int threads, struct gf_array *out);
/* The numbers of a line's filter at indices first .. first + count - 1 of a part with steps, as
 * real and imaginary parts. GF_ENOMEM. */
int gf_filter_line_values(const struct gf_job *part, int64_t first, int64_t count, double *value);

/* ---- numbers of a table, for core/filter/ ---- */

/* Allocates a table in the job's precision. */
int gf_filter_table_alloc(const struct gf_job *job, bool is_complex, const int64_t *shape,
                          struct gf_array *table);
static inline struct gf_number gf_filter_number(const struct gf_array *table, int64_t i) {
    const bool is_double = gf_dtype_real(table->dtype) == GF_F64;
    if (gf_dtype_is_complex(table->dtype))
        return gf_number_get(table->data, i, is_double);
    return (struct gf_number){gf_real_get(table->data, i, is_double), 0};
}
/* Tiny values become 0: their products would be denormal, which is slow on CPUs. */
static inline struct gf_number gf_filter_drop_tiny(struct gf_number y, bool is_double) {
    const double tiny = is_double ? 0x1p-900 : 0x1p-90;
    y.re = y.re < tiny && y.re > -tiny ? 0 : y.re;
    y.im = y.im < tiny && y.im > -tiny ? 0 : y.im;
    return y;
}
/* Real tables drop the imaginary part. */
static inline void gf_filter_put_number(struct gf_array *table, int64_t i, struct gf_number y) {
    const bool is_double = gf_dtype_real(table->dtype) == GF_F64;
    y = gf_filter_drop_tiny(y, is_double);
    if (gf_dtype_is_complex(table->dtype))
        gf_number_put(table->data, i, is_double, y);
    else
        gf_real_put(table->data, i, is_double, y.re);
}

#endif
