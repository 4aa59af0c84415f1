/* A job describes everything between the samples read and the samples written: what comes in, which
 * transform runs over which axes, and what is written. A planner turns it into passes and a backend
 * runs them; neither asks the files or the command line again. The magnitudes of a picture's
 * spectrum, as 8 bits to look at:
 *
 *     struct gf_job job = {.ndim = 2, .shape = {1080, 1920}, .channels = 3, .axes = 3,
 *                          .in_dtype = GF_U8, .n_out = 1,
 *                          .out = {{.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY,
 *                                   .shift = true}}};
 *     gf_job_out_shape(&job, 0, shape);        1080, 1920, 3
 *
 * Zero is the usual value of every member that is not named. A job owns nothing. Only
 * gf_job_alloc() and the checks at the end can fail. */
#ifndef GF_CORE_BASE_JOB_H
#define GF_CORE_BASE_JOB_H

#include "core/base/array.h"
#include "core/base/kinds.h"

enum gf_op {
    GF_FFT,    /* Fourier */
    GF_DWT,    /* wavelet: core/wavelet/dwt.h */
    GF_FILTER, /* forward, times job.filter, and back: core/filter/filter.h */
};
enum gf_direction { GF_FORWARD, GF_INVERSE };
enum gf_precision { GF_SINGLE, GF_DOUBLE };
enum gf_scale { GF_SCALE_LOG, GF_SCALE_LINEAR, GF_SCALE_SQRT };

/* How a value becomes an integer sample; a float sample is always the number itself. */
enum gf_map {
    GF_MAP_NUMBER,  /* rounded half away from zero and saturated: a picture's own samples */
    GF_MAP_DISPLAY, /* the value's display range on black..white, see struct gf_output */
};

struct gf_filter;

enum { GF_MAX_OUTPUTS = 7 };

/* Hard: details below T become zero. Soft: all details move towards zero by T. The approximation
 * does not change. */
enum gf_threshold { GF_KEEP_ALL, GF_HARD, GF_SOFT };

/* GF_DWT. Coefficients are real and packed (core/base/dwt_shape.h). Forward outputs are GF_REAL:
 * floats, or integers with GF_MAP_DISPLAY, which show the approximation from its minimum to its
 * maximum and every detail band as |c| from 0 to its own largest. Inverse outputs are GF_REAL with
 * GF_MAP_NUMBER. */
struct gf_wavelet {
    enum wavelet name;
    int levels; /* 1..GF_MAX_LEVELS */
    enum gf_boundary boundary;
    enum gf_threshold threshold; /* forward: before the outputs; inverse: before the transform */
    bool percent;                /* keep this many % of all details, the largest ones */
    double amount;               /* T, in the coefficients' unit, or the percentage */
};

/* The rule for a display's black and white. */
enum gf_range {
    GF_RANGE_FULL,  /* 0 and the largest value over all channels and planes */
    GF_RANGE_AUTO,  /* quantiles of a spectrum: core/base/range_sample.h */
    GF_RANGE_GIVEN, /* gf_output.low and .high */
};

/* Places in which a backend carries the last column of half spectra in the first one's imaginary
 * part: nowhere, between all passes, or between the first two alone. */
enum gf_packing { GF_PACKS_NOTHING, GF_PACKS_ALL, GF_PACKS_WITHIN };

/* One result, written by the store step. */
struct gf_output {
    enum gf_kind kind;
    enum gf_dtype dtype; /* complex for GF_COMPLEX, real otherwise */
    enum gf_map map;
    /* GF_MAP_DISPLAY. Magnitude and power: scale(v) with [low, high] on black..white, log(1+v) for
     * GF_SCALE_LOG. Phase: -pi..pi. Real and imaginary: symmetric about mid-grey, -high..high, high
     * being the range's upper end for |v|. */
    enum gf_scale scale;
    enum gf_range range;
    double low, high; /* GF_RANGE_GIVEN, unscaled units */
    bool shift;       /* zero frequency in the centre, n/2 along every transformed axis; with `half`
                       * the halved axis is never shifted */
    bool half;        /* only the non-redundant half along the last transformed axis */
    /* Parts of a transform (`elsewhere`): the half without its last column, which, times i, is
     * added to the first one. Only where the backend packs() the whole job. */
    bool packed;
    /* Parts of a transform: the second pass unpacks that column, as the backend's plan for the
     * whole job does. */
    bool packed_within;
};

/* True if values are mapped to black..white; other integers are the numbers themselves. */
static inline bool gf_output_is_display(const struct gf_output *out) {
    return out->map == GF_MAP_DISPLAY && gf_dtype_is_integer(out->dtype);
}

struct gf_job {
    enum gf_direction direction;
    int ndim;                   /* 1..3 spatial axes */
    int64_t shape[GF_MAX_DIMS]; /* of the picture, also for an inverse; slowest first */
    int64_t channels;           /* innermost axis of every array; each is transformed by itself */
    unsigned axes;              /* bit i: axis i is transformed; the others are batches */
    /* Inverse and GF_FILTER: the first samples along each axis, the only ones that are counted
     * where they clip; 0: all. The others were added for the transform's sake. */
    int64_t counted[GF_MAX_DIMS];
    enum gf_dtype in_dtype;
    bool luma; /* forward: three (or more) channels in, one out: Rec.709 of the encoded values */
    bool in_shift; /* inverse: the spectrum is centred */
    bool in_half;  /* inverse: the spectrum is the half along the last transformed axis */
    bool real;     /* inverse: the result is real; of a full spectrum the Hermitian part is taken */
    /* Little memory: an output that can hold the numbers between passes serves as workspace, which
     * costs some speed. A complex transform may then run in place, out being in. */
    bool lean;
    bool spend_input; /* the input array may be overwritten, which may save a backend a copy */
    enum gf_precision precision;
    enum gf_norm norm;
    /* Points of the axes that other jobs transform, this one being a part of a transform of more
     * axes: they count in the norm. 0: the job is all of it. */
    int64_t elsewhere;
    /* Parts that have some of the indices of every axis: those from `first` on, of a transform of
     * this shape over these axes. axes 0: it has all indices of the axes that it leaves to others.
     * A GF_FILTER part transforms complex numbers, multiplies by the filter, transforms back, and
     * has no factor; GF_FFT parts of a filter name it too, and are computed as a backend does it
     * there. */
    struct {
        int64_t shape[GF_MAX_DIMS], first[GF_MAX_DIMS];
        unsigned axes;
        int64_t
            step; /* of a line's: every step-th index, whose filter's values are asked for; 0: 1 */
    } whole;
    /* Parts of a line of so many points, which is taken as a matrix (core/gpu/slab.h). A GF_FFT
     * part has some columns of it, axis 0 being transformed: their spectra are row by row,
     * [column][number], and times exp(-2 pi i number column / line). A GF_FILTER part has some
     * rows. 0: no line. */
    int64_t line;
    /* Parts in a device's memory: elements from one index of axis 0 to the next, of the input and
     * of the outputs, which have gaps there; 0: none. */
    int64_t in_pitch, out_pitch;
    int n_out;
    struct gf_output out[GF_MAX_OUTPUTS];
    enum gf_op op;
    struct gf_wavelet wavelet; /* GF_DWT; norm, shifts, halves, luma and `real` are then unused */
    /* GF_FILTER, `direction` being GF_FORWARD: real samples in, outputs GF_REAL with GF_MAP_NUMBER.
     * Not owned. The serial distinguishes two filters that were at the same address in turn. */
    const struct gf_filter *filter;
    int64_t filter_serial;
};

/* Milliseconds that the parts of a run took on a device; 0 where arrays stay in host memory. */
struct gf_device_ms {
    double upload, run, download;
};

/* The findings of a run. */
struct gf_report {
    /* The display range that was used, unscaled units. */
    double low[GF_MAX_OUTPUTS], high[GF_MAX_OUTPUTS];
    /* GF_MAP_NUMBER: samples that did not fit the integer type, of those that are counted. */
    int64_t clipped[GF_MAX_OUTPUTS];
    double imag_ratio; /* inverse of a full spectrum to real: |imaginary| / |real|, L2 norms */
    double kept, lost; /* energies of the real and the imaginary part, in one unit */
    struct gf_device_ms ms;
    int devices; /* that shared the job; 0: one */
};

/* The axis that a half spectrum halves: the last transformed one. -1 if none is. */
int gf_job_half_axis(const struct gf_job *job);
/* Shape of the input array: the picture's or the spectrum's, then channels. Rank is ndim + 1. */
void gf_job_in_shape(const struct gf_job *job, int64_t shape[GF_MAX_RANK]);
/* Shape of output `i`, likewise (luma leaves one channel). */
void gf_job_out_shape(const struct gf_job *job, int i, int64_t shape[GF_MAX_RANK]);
/* How many samples along axis i are counted where they clip: see `counted`; and whether these are
 * not all. */
static inline int64_t gf_job_counted(const struct gf_job *job, int i) {
    return job->counted[i] ? job->counted[i] : job->shape[i];
}
bool gf_job_counts_part(const struct gf_job *job);
/* Bytes of an output, of the input where that is below 0; as a number that any shape's fit, or
 * exactly. */
double gf_job_array_bytes(const struct gf_job *job, int output);
static inline int64_t gf_job_bytes(const struct gf_job *job, int output) {
    return (int64_t)gf_job_array_bytes(job, output);
}
/* Allocates an output, or the input where that is below 0. GF_ENOMEM. */
int gf_job_alloc(const struct gf_job *job, int output, struct gf_array *a);
/* The type of the complex numbers that are transformed, and how many there are to a pixel. */
static inline enum gf_dtype gf_job_number(const struct gf_job *job) {
    return job->precision == GF_DOUBLE ? GF_C128 : GF_C64;
}
static inline int64_t gf_job_lanes(const struct gf_job *job) {
    return job->luma ? 1 : job->channels;
}
/* Number of samples a transform runs over: the product of the transformed extents, `elsewhere`
 * included. */
int64_t gf_job_points(const struct gf_job *job);
/* The factor that `norm` applies in this direction; 1 / N for a filter, which runs both ways. */
double gf_job_scale(const struct gf_job *job);
/* True when the arithmetic runs on half spectra: real input forward, real result inverse. */
bool gf_job_is_real(const struct gf_job *job);
/* True where real lines along x are taken together with those of the next pages, not of the next
 * rows: in volumes of many pages where this job, or the one that it is a part of, transforms x and
 * z alone. Which two real lines are transformed as one complex line decides how they are
 * rounded. */
bool gf_job_joins_pages(const struct gf_job *job);
/* True when a transform alone makes the output: one, of one channel, of the arithmetic's own types,
 * without shift and factor; half spectra where the arithmetic runs on those. */
bool gf_job_is_bare(const struct gf_job *job);
/* True when both ask for the same, so that a plan for one serves the other. Compares field by
 * field, without padding, extents beyond ndim, and outputs beyond n_out. */
bool gf_job_equal(const struct gf_job *a, const struct gf_job *b);
/* True for a spectrum of 8- or 16-bit samples: no result, and no square of one, leaves the range of
 * a float. */
bool gf_job_is_bounded(const struct gf_job *job);

/* Notes the range that output i used: of magnitude and power the two values; symmetric about zero
 * for the other kinds; zeros where nothing is displayed. */
void gf_report_range(const struct gf_job *job, int i, double low, double high,
                     struct gf_report *report);

/* Notes the energies of an inverse's real and imaginary part, and their ratio: 0 where nothing is
 * imaginary, or where both are too large to compare. */
void gf_report_energy(double kept, double lost, struct gf_report *report);

/* ---- checks: 0, or a negative code with the reason in gf_message() ---- */

/* Call this before planning, and gf_filter_validate() for a filter's values: GF_EINVAL for a job
 * that no backend can run, GF_ENOMEM if an array exceeds 2^62 bytes. */
int gf_job_validate(const struct gf_job *job);

/* Called first by every exec(): GF_EINVAL if an array differs from the job in type or shape. out[]
 * has job->n_out entries. */
int gf_job_check_arrays(const struct gf_job *job, const struct gf_array *in,
                        const struct gf_array *out);

/* As gf_job_validate(), for a backend that does not pack() half spectra, GF_EUNSUPP, and has these
 * operations alone (bits: 1 << enum gf_op); for others GF_EUNABLE, naming the backend that can. */
int gf_job_check_ops(const struct gf_job *job, unsigned ops);

#endif
