/* How a job becomes launches of kernels on a GPU.
 *
 * Real samples are transformed as complex ones half their number: neighbours along the last
 * transformed axis h are packed as real and imaginary part, all other axes are transformed as they
 * are, and the pass along h, last on the way forward and first on the way back, takes each line
 * together with its mirror image and tells the two apart (Cooley, Lewis and Welch 1970). So the
 * half spectrum costs no ninth block, and the pass along h reads and writes whole rows. Where h is
 * the only transformed axis, two lines make one. Long lines are split over passes (Bailey's four
 * steps, 1990), lengths with large primes become convolutions, in the tile where they fit.
 *
 * A filter's last axis forward is its first one back, so one pass takes it there, multiplies and
 * brings it back: of a picture three passes in all. That axis is h, on packed pairs; or, where its
 * columns would be too narrow in the other passes, h comes first and last, as half spectra written
 * column by column, and the other axis goes both ways along them. Where no tile holds that, a pass
 * of its own multiplies half spectra in memory. */
#ifndef GF_CORE_GPU_PLAN_PLAN_H
#define GF_CORE_GPU_PLAN_PLAN_H

#define GF_HOST 1
#include "core/gpu/plan/tile.h"
#include "kernels/args.h"

/* The buffers of a plan. Tables: complex values; order: Rader's permutations, 32-bit integers;
 * params: reals, see PARAM_ in kernels/args.h; found: what the search for a range leaves; energy:
 * what the load step leaves of a spectrum's parts; filter: a filter's values over the half
 * spectrum, where they are not evaluated on the fly. */
enum gf_gpu_buffer_id {
    GF_GPU_IN,
    GF_GPU_A,
    GF_GPU_B,
    GF_GPU_TABLES,
    GF_GPU_ORDER,
    GF_GPU_PARAMS,
    GF_GPU_COUNTERS,
    GF_GPU_FOUND,
    GF_GPU_ENERGY,
    GF_GPU_FILTER,
    GF_GPU_OUT, /* and the following, one an output */
    GF_GPU_N_BUFFERS = GF_GPU_OUT + GF_MAX_OUTPUTS
};

enum { GF_GPU_GROUPS = 1024, GF_GPU_PARAMS_EACH = 4 };

struct gf_gpu_pass {
    struct gf_kernel_request kernel;
    int64_t groups;
    int group;
    int64_t local_bytes;
    int n_buffers;
    enum gf_gpu_buffer_id buffer[GF_GPU_MAX_BUFFERS];
    union {
        struct pass_args pass;
        struct step_args step;
        struct range_args range;
        struct filter_step_args filter;
        struct wave_args wave;
    } args;
    size_t args_bytes;
    int output;  /* of a store step: which; its clipped samples are counted for it. -1: none */
    bool energy; /* leaves the energies of the input's parts in FOUND */
    bool silent; /* the second half of a walk: not counted as one of its own */
    struct gf_pass_info summary;
    double cost; /* bytes over the share of the copy bandwidth that the pattern reaches */
};

/* Twiddles and chirps, in double until they are uploaded. */
struct gf_gpu_tables {
    double *value; /* pairs */
    int64_t count, room;
    int32_t *order;
    int64_t order_count, order_room;
    struct gf_gpu_table_key {
        int what;
        int64_t a[10], at;
    } key[48];
    int keys;
};

struct gf_gpu_plan {
    struct gf_job job;
    struct gf_gpu_props props;
    int n_passes;
    struct gf_gpu_pass pass[GF_MAX_PASSES];
    int64_t bytes[GF_GPU_N_BUFFERS];
    struct gf_gpu_tables tables;
    bool dry;        /* passes are added to see what they cost: no tables are made */
    bool gaps;       /* the output has some that no pass writes: zeros */
    bool finish;     /* wavelets: `job` is the device's share, see core/gpu/plan/dwt.h */
    int range_known; /* bit i: output i's upper end is known before the run */
    double high[GF_MAX_OUTPUTS];
    struct filter_args filter;       /* GF_FILTER: how its passes come by the values */
    int filter_form, filter_profile; /* FILTER_…, PROFILE_… */
    bool filter_bands;
};

/* Plans for a device of these properties; pure arithmetic, no device is touched. GF_ENOMEM,
 * GF_EUNSUPP (no fp64, a line or array beyond what the kernels index). */
int gf_gpu_plan_make(const struct gf_job *job, const struct gf_gpu_props *props,
                     struct gf_gpu_plan **plan);
void gf_gpu_plan_free(struct gf_gpu_plan *plan);

/* ---- what the planner's files share ---- */

/* A block of elements by axis: z, y, x, channel. */
struct gf_gpu_space {
    enum gf_gpu_buffer_id place;
    int64_t extent[4], stride[4]; /* strides in elements */
    int element;                  /* bytes */
};

/* A pass along one axis, or one part of it. */
struct gf_gpu_axis_pass {
    int axis;
    int64_t length;    /* points of the pass's own transform */
    int64_t before[2]; /* lengths of the parts done before, 1 if none: the outer one first */
    int64_t after;     /* product of those still to come */
    int dir, sense;    /* of the pass; of the transform, where that is a convolution */
    int load, store;
    enum gf_dtype in_type, out_type; /* of samples, for ends that have them */
    const struct gf_output *sample;  /* STORE_SAMPLE, STORE_PAIR: what is written */
    int output;                      /* its number, -1 none */
    int pair_axis;                   /* axis along which samples are packed two by two, -1 none */
    int mirror_axis;                 /* mirrored axis of which half is enumerated, -1 none */
    bool mirror, scaled, multiply_in, multiply_out;
    bool filtered; /* there, times the filter, and back */
    bool fold;     /* real samples are paired along the line itself, whichever way: `length` is
                    * half the axis */
    int64_t convolution; /* of a split line's, its points; else 0 */
    /* Of a split convolution, there and back over three passes: the middle one, which multiplies by
     * its spectrum; and for Rader's, which takes its points in his order and carries the zeroth
     * one behind the others, which of the three: 1, 2, 3; else 0. */
    bool both;
    int rader;
};

/* Appends the cheapest pass for the leg; its cost goes to *cost. GF_EUNSUPP without a message when
 * no tile fits. */
int gf_gpu_add_axis_pass(struct gf_gpu_plan *p, const struct gf_gpu_axis_pass *leg,
                         const struct gf_gpu_space *src, const struct gf_gpu_space *dst,
                         double *cost);

int gf_gpu_add_load(struct gf_gpu_plan *p, const struct gf_gpu_space *work, bool real, bool half);
int gf_gpu_add_store(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     bool half);
/* The search for output i's upper end over all of the work buffer; or over the lines of the zero
 * frequency along `axis` in packed pairs. */
int gf_gpu_add_range(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     int axis);
/* The next pass; NULL, said, when there are too many. */
struct gf_gpu_pass *gf_gpu_next_pass(struct gf_gpu_plan *p, const char *file, const char *entry);
void gf_gpu_option(struct gf_gpu_pass *pass, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "-DIN_T=uchar" and the like; integers' limits with the output's. */
void gf_gpu_type_options(struct gf_gpu_pass *pass, const char *which, enum gf_dtype type);
/* Axis i of the device's four as the job numbers it, -1 when the job has none such; 3 is channels.
 */
static inline int gf_gpu_job_axis(const struct gf_job *job, int axis) {
    return axis == 3 ? -1 : axis - (GF_MAX_DIMS - job->ndim);
}
static inline bool gf_gpu_axis_on(const struct gf_job *job, int axis) {
    int i = gf_gpu_job_axis(job, axis);
    return i >= 0 && job->axes >> i & 1 && job->shape[i] > 1;
}

/* Where a filter's values stand, and the options of kernels/filter.h. */
enum gf_gpu_buffer_id gf_gpu_filter_place(const struct gf_gpu_plan *p);
void gf_gpu_filter_options(const struct gf_gpu_plan *p, struct gf_gpu_pass *pass);
/* The filter of a GF_FILTER job over the half spectrum, for GF_GPU_FILTER; the caller frees it. */
int gf_gpu_filter_table(const struct gf_job *job, int threads, struct gf_array *out);

/* core/gpu/plan/tables.c: offsets of tables, made where they are not there yet; -1 and said when memory
 * is short. */
int64_t gf_gpu_table_stages(struct gf_gpu_tables *t, const struct gf_gpu_tile *tile);
/* exp(-2 pi i k / n) for k < n: as high and low parts of `bits` bits, 0 for one table. */
int64_t gf_gpu_table_split(struct gf_gpu_tables *t, int64_t n, int bits, int64_t *low);
/* Bluestein's chirp exp(-pi i k^2 / n); for the inverse direction conjugated. */
int64_t gf_gpu_table_chirp(struct gf_gpu_tables *t, int64_t n, int dir);
/* The spectrum that a tile's, or a split line's, convolution multiplies by, over its length. */
int64_t gf_gpu_table_spectrum(struct gf_gpu_tables *t, enum gf_gpu_algorithm algorithm, int64_t n,
                              int64_t points, int dir);
/* Rader's order: which point is the i-th input, which the i-th output, and the other way round
 * where points 1, 2, … stand among the inputs and among the outputs: offset in the integers. */
int64_t gf_gpu_table_order(struct gf_gpu_tables *t, int64_t prime);
/* `count` reals, as they are: where they stand, in reals. */
int64_t gf_gpu_table_reals(struct gf_gpu_tables *t, const double *v, int64_t count);
void gf_gpu_tables_free(struct gf_gpu_tables *t);

#endif
