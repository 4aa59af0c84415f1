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

#include "core/base/value/array.h"
#include "core/base/value/kinds.h"
#include "core/base/value/why.h"

enum gf_op {
    GF_FFT,    /* Fourier */
    GF_DWT,    /* wavelet: core/wavelet/dwt.h */
    GF_FILTER, /* forward, times job.filter, and back: core/filter/filter.h */
};
enum gf_direction { GF_FORWARD, GF_INVERSE };
enum gf_precision { GF_SINGLE, GF_DOUBLE };
enum gf_scale { GF_SCALE_LOG, GF_SCALE_LINEAR, GF_SCALE_SQRT };

/* How a value becomes an integer sample; float samples are the number itself. */
enum gf_map {
    GF_MAP_NUMBER,  /* rounded half away from zero and saturated, as a picture's samples */
    GF_MAP_DISPLAY, /* its display range maps to black..white; see struct gf_output */
};

struct gf_filter;

enum { GF_MAX_OUTPUTS = 7 };

/* Hard: details below T become zero. Soft: all details move towards zero by T. The approximation is
 * unchanged. */
enum gf_threshold { GF_KEEP_ALL, GF_HARD, GF_SOFT };

/* GF_DWT. Coefficients are real and packed (core/base/job/dwt_shape.h). Outputs are GF_REAL. Forward
 * ones are floats, or integers with GF_MAP_DISPLAY, which show the approximation from its minimum
 * to its maximum and each detail band as |c| from 0 to its maximum. Inverse ones have
 * GF_MAP_NUMBER. */
struct gf_wavelet {
    enum wavelet name;
    int levels; /* 1..GF_MAX_LEVELS */
    enum gf_boundary boundary;
    enum gf_threshold threshold; /* forward: before the outputs; inverse: before the transform */
    bool percent;                /* keep the largest amount % of all details */
    double amount;               /* T, in the coefficients' unit, or the percentage */
};
/* True if the threshold's limit depends on all details. */
static inline bool gf_wavelet_keeps_share(const struct gf_wavelet *w) {
    return w->threshold != GF_KEEP_ALL && w->percent;
}

/* The values that black and white stand for. */
enum gf_range {
    GF_RANGE_FULL,  /* 0 and the maximum over all channels and planes */
    GF_RANGE_AUTO,  /* quantiles of a spectrum: core/base/job/range_sample.h */
    GF_RANGE_GIVEN, /* gf_output.low and .high */
};

/* When a backend carries the last column of half spectra in the first one's imaginary part: never,
 * between all passes, or only between the first two. */
enum gf_packing { GF_PACKS_NOTHING, GF_PACKS_ALL, GF_PACKS_WITHIN };

/* One result, written by the store step. */
struct gf_output {
    enum gf_kind kind;
    enum gf_dtype dtype; /* complex for GF_COMPLEX, real otherwise */
    enum gf_map map;
    /* GF_MAP_DISPLAY. Magnitude and power: scale(v) of [low, high] maps to black..white;
     * GF_SCALE_LOG is log(1 + v). Phase: -pi..pi. Real and imaginary: -high..high, with zero
     * mid-grey. */
    enum gf_scale scale;
    enum gf_range range;
    double low, high; /* GF_RANGE_GIVEN, unscaled units */
    /* zero frequency at n/2 along each transformed axis, except the one halved by `half` */
    bool shift;
    bool half; /* only the non-redundant half along the last transformed axis */
    /* Parts of a transform (`elsewhere`): the half spectrum lacks its last column; i times that
     * column is added to the first. Requires a backend that packs() the whole job. */
    bool packed;
    /* Parts of a transform: the second pass unpacks that column, as in the backend's plan for the
     * whole job. */
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
    /* innermost axis of every array; channels are transformed separately */
    int64_t channels;
    unsigned axes; /* bit i: axis i is transformed; the others are batches */
    /* Inverse and GF_FILTER: only the first samples along each axis count as clipped, as the others
     * were added for the transform. 0: all count. */
    int64_t counted[GF_MAX_DIMS];
    enum gf_dtype in_dtype;
    bool luma;     /* forward: Rec.709 luma of the first three channels' encoded values */
    bool in_shift; /* inverse: the spectrum is centred */
    bool in_half;  /* inverse: the spectrum is the half along the last transformed axis */
    bool real;     /* inverse: the result is real; a full spectrum's Hermitian part is used */
    /* Saves memory: an output large enough for the numbers between passes serves as workspace, at
     * some cost in speed. A complex transform may then run in place, out being in. */
    bool lean;
    bool spend_input; /* the input may be overwritten, which may save a copy */
    /* All arrays are placed on the device (struct gf_on_device), and the plan takes no others. */
    bool placed;
    enum gf_precision precision;
    enum gf_norm norm;
    /* Points along axes that other jobs transform, if this job is part of a transform over more
     * axes; they count in the norm. 0: the job is complete. */
    int64_t elsewhere;
    /* Parts with some of the indices of every axis: those from `first` on of a transform of this
     * shape over these axes. axes 0: the part has all indices along axes left to others. A
     * GF_FILTER part transforms complex numbers, multiplies by the filter and transforms back,
     * without a factor. GF_FFT parts of a filter name it too, so that they are computed as the
     * backend computes them there. */
    struct {
        int64_t shape[GF_MAX_DIMS], first[GF_MAX_DIMS];
        unsigned axes;
        int64_t step; /* lines: only every step-th index, at which the filter is evaluated; 0: 1 */
    } whole;
    /* Parts of a line of `line` points, treated as a matrix (core/gpu/slab.h). A GF_FFT part has
     * some of its columns; axis 0 is transformed, and the spectra are stored row by row,
     * [column][number], times exp(-2 pi i number column / line). A GF_FILTER part has some rows. 0:
     * no line. */
    int64_t line;
    /* Parts in device memory: elements between indices of axis 0, for input and outputs with gaps
     * between rows; 0: no gaps. */
    int64_t in_pitch, out_pitch;
    int n_out;
    struct gf_output out[GF_MAX_OUTPUTS];
    enum gf_op op;
    struct gf_wavelet wavelet; /* GF_DWT; norm, shifts, halves, luma and `real` are then unused */
    /* GF_FILTER, always GF_FORWARD: real samples in, outputs GF_REAL with GF_MAP_NUMBER. Not owned.
     * The serial tells apart two filters that had the same address in turn. */
    const struct gf_filter *filter;
    int64_t filter_serial;
};

/* Milliseconds of a run's parts on a device; 0 if arrays stay in host memory. */
struct gf_device_ms {
    double upload, run, download;
};

/* Results of a run beside its outputs. */
struct gf_report {
    /* The display range used, unscaled. */
    double low[GF_MAX_OUTPUTS], high[GF_MAX_OUTPUTS];
    /* GF_MAP_NUMBER: counted samples that did not fit the integer type. */
    int64_t clipped[GF_MAX_OUTPUTS];
    double imag_ratio; /* inverse of a full spectrum to real: |imaginary| / |real|, L2 norms */
    double kept, lost; /* energies of the real and the imaginary part, in the same unit */
    struct gf_device_ms ms;
    int devices; /* that shared the job; 0: one */
};

/* The last transformed axis, which half spectra halve; -1 if there is none. */
int gf_job_half_axis(const struct gf_job *job);
/* Shape of the input, a picture or a spectrum, with channels last. Its rank is ndim + 1. */
void gf_job_in_shape(const struct gf_job *job, int64_t shape[GF_MAX_RANK]);
/* The same for output i; luma leaves one channel. */
void gf_job_out_shape(const struct gf_job *job, int i, int64_t shape[GF_MAX_RANK]);
/* The number of samples along axis i that count as clipped; true if some do not (see `counted`). */
static inline int64_t gf_job_counted(const struct gf_job *job, int i) {
    return job->counted[i] ? job->counted[i] : job->shape[i];
}
bool gf_job_counts_part(const struct gf_job *job);
/* Bytes of an output, or of the input if output < 0; a double holds those of any shape. */
double gf_job_array_bytes(const struct gf_job *job, int output);
static inline int64_t gf_job_bytes(const struct gf_job *job, int output) {
    return (int64_t)gf_job_array_bytes(job, output);
}
/* The contiguous array of an output, or of the input if output < 0, at `data`. */
struct gf_array gf_job_array(const struct gf_job *job, int output, void *data);
/* Allocates one. GF_ENOMEM. */
int gf_job_alloc(const struct gf_job *job, int output, struct gf_array *a);
/* The complex type of the arithmetic, and the complex numbers per pixel. */
static inline enum gf_dtype gf_job_number(const struct gf_job *job) {
    return job->precision == GF_DOUBLE ? GF_C128 : GF_C64;
}
static inline int64_t gf_job_lanes(const struct gf_job *job) {
    return job->luma ? 1 : job->channels;
}
/* Product of the transformed extents, including `elsewhere`. */
int64_t gf_job_points(const struct gf_job *job);
/* The factor that `norm` applies in this direction; 1 / N for a filter, which goes both ways. */
double gf_job_scale(const struct gf_job *job);
/* True if the arithmetic uses half spectra: real input forward, real result inverse. */
bool gf_job_is_real(const struct gf_job *job);
/* True if real lines along x are paired across pages, not rows: in volumes of many pages of which
 * this job, or the job it is part of, transforms only x and z. The pairing of real lines into
 * complex ones decides their rounding. */
bool gf_job_joins_pages(const struct gf_job *job);
/* True if a transform alone makes the output: one output of one channel in the arithmetic's types,
 * without shift or factor, and half a spectrum if the arithmetic uses those. */
bool gf_job_is_bare(const struct gf_job *job);
/* True if a plan for one job serves the other. Compares members, ignoring padding, extents beyond
 * ndim and outputs beyond n_out. */
bool gf_job_equal(const struct gf_job *a, const struct gf_job *b);
/* True for a spectrum of 8- or 16-bit samples, of which neither values nor squares overflow a
 * float. */
bool gf_job_is_bounded(const struct gf_job *job);

/* Notes output i's display range: low and high for magnitude and power, symmetric about zero for
 * other kinds, zeros if nothing is displayed. */
void gf_report_range(const struct gf_job *job, int i, double low, double high,
                     struct gf_report *report);

/* Notes the energies of an inverse's real and imaginary parts and their ratio, which is 0 if
 * nothing is imaginary or both are too large to compare. */
void gf_report_energy(double kept, double lost, struct gf_report *report);

/* ---- checks: 0, or a negative code with the reason in gf_message() ---- */

/* Call before planning, and gf_filter_validate() for a filter's values. GF_EINVAL if no backend can
 * run the job, GF_ENOMEM if an array exceeds 2^62 bytes. */
int gf_job_validate(const struct gf_job *job);

/* Called by gf_plan_bind(). GF_EINVAL if an array differs from the job in type or shape; out[]
 * has job->n_out entries. */
int gf_job_check_arrays(const struct gf_job *job, const struct gf_array *in,
                        const struct gf_array *out);

/* For a backend with only these operations (bits: 1 << enum gf_op), which does not pack() half
 * spectra. GF_EUNSUPP for packing; GF_EUNABLE for other operations, naming a
 * backend that has them. */
int gf_job_check_ops(const struct gf_job *job, unsigned ops);

#endif
