/* The parsed options of all commands. */
#ifndef GF_CLI_SETTINGS_H
#define GF_CLI_SETTINGS_H

#include "cli/opt.h"
#include "core/op/dwt.h"
#include "core/op/frc.h"
#include "core/op/match.h"
#include "core/op/registration.h"
#include "core/op/spectrum.h"
#include "core/op/statistics.h"
#include "formats/format.h"

enum gf_plan_of { GF_PLAN_FFT, GF_PLAN_DWT, GF_PLAN_IDWT };
enum gf_deal_rule { GF_DEAL_FIXED, GF_DEAL_DYNAMIC };
enum gf_register_to { GF_TO_FIRST, GF_TO_PREVIOUS };
enum gf_mpi { GF_MPI_AUTO, GF_MPI_ON, GF_MPI_OFF };

/* The last two fill NaN and Inf from their surroundings in the plane; GF_NAN_KEEP then makes the
 * result NaN there. */
enum gf_nan { GF_NAN_REFUSE, GF_NAN_ZERO, GF_NAN_MEAN, GF_NAN_INTERPOLATE, GF_NAN_KEEP };
enum { GF_UNSET = -1, GF_MAX_THREAD_COUNTS = 8, GF_BENCH_MOST_LEVELS = 10 };

/* --axes as typed: letters ('x') and NumPy indices, resolved once the rank is known. */
struct gf_axes_text {
    int n;
    struct {
        char letter; /* the axis' name: 'x', 'y', 'z', or the file's; 0 for an index */
        int index;
    } axis[GF_MAX_DIMS];
};

struct gf_filter_maker;

struct gf_settings {
    bool help;
    uint64_t fingerprint[2]; /* hashes of the options: gf_opt_parse() */

    /* input */
    struct {
        int n;
        int64_t extent[GF_MAX_RANK];
    } shape;
    int type; /* enum gf_dtype or GF_UNSET */
    int big_endian;
    int64_t offset;
    int channels_last; /* GF_UNSET or 0 */
    int n_select;
    struct gf_range_of select[GF_MAX_AXES];
    struct {
        int n; /* 0: the file's; 1: all spatial axes alike; else one each, slowest first */
        double spacing[GF_MAX_DIMS];
        char unit[12];
    } pixel;
    bool frames;
    bool stacked; /* instead of it: they are the pictures of one PNM */
    bool recursive;
    int nan; /* enum gf_nan */
    const char *files_from, *files0_from;
    const char *from_magnitude, *from_phase;

    /* output */
    const char *out;
    const char *further[GF_N_KINDS]; /* --magnitude=F, … */
    int kind;                        /* enum gf_kind or GF_UNSET */
    int depth;                       /* 0: unset */
    bool clobber, sync, mkdir;
    /* gf_settings_write_options() adds threads and tiff_compression */
    struct gf_write_options write;
    int tiff_compression; /* index into gf_tiff_compressions */

    struct gf_display_options display;

    /* transform */
    struct gf_axes_text axes;
    int dims;      /* 0: unset */
    int norm;      /* enum gf_norm or GF_UNSET */
    int precision; /* enum gf_precision or GF_UNSET */
    int color;     /* 0 channels, 1 luma, or GF_UNSET */
    bool half;
    bool edited;
    int64_t halved; /* inv --half: the extent of the halved axis; -1: by its bins; 0: unset */
    struct gf_window_options windowing;

    struct gf_dwt_options wavelet;
    const char *bands; /* the folder of --bands */

    struct gf_filter_options filter;
    struct gf_filter_maker *maker; /* of the run's filters */
    const char *mask_out;

    struct gf_stats_settings {
        const char *radial; /* --radial=FILE */
        int channels;       /* 0: luma */
        struct gf_statistics_options find;
    } stats;

    struct gf_picture_settings {
        int marks, zoom, max_size, colormap; /* 0: none, or gray */
        int centre[2];                       /* of the zoom: bins from the centre, x, y */
        bool rulers;
    } picture;

    /* All inputs of match, frc or register are compared with it: gf_signal_load_other(). */
    struct gf_other_settings {
        const char *with, *mask; /* as typed, or NULL */
        struct gf_array px, weights;
        struct gf_operation op; /* of the run: its kind, and what all inputs share */
        struct gf_image about;  /* without samples */
    } other;

    struct gf_match_settings {
        struct gf_match_options find;
    } match;

    struct gf_frc_settings {
        const char *curve;
        struct gf_frc_options find;
    } frc;

    struct gf_register_settings {
        struct gf_registration_options find;
        int to;                /* enum gf_register_to */
        struct gf_range_of by; /* name "": the first channel, if there are several */
        bool each;             /* --by=none */
        const char *csv, *mean;
        struct gf_registering *state; /* of the run */
    } reg;

    struct gf_demo_settings {
        int every;       /* 0: unset */
        const char *sum; /* the kernel's file */
    } demo;

    /* run */
    const char *backend, *device;        /* as typed */
    struct gf_request request;           /* set by gf_settings_request() */
    int deal;                            /* enum gf_deal_rule */
    bool peer;                           /* devices copy directly to each other if possible */
    bool tune;                           /* use what `gpufft tune` measured */
    bool forget;                         /* tune: delete it */
    const char *export_to, *import_from; /* tune: files; NULL: none */
    int threads;
    int jobs; /* pictures at once; 0: unset */
    int mpi;  /* enum gf_mpi */
    bool resume, force, dry_run;
    bool full;                             /* selftest: every shape */
    int step;                              /* enum gf_step */
    int fftw_plan;                         /* index into gf_fftw_plans, or GF_UNSET */
    int plan;                              /* index into gf_plans, or GF_UNSET */
    int64_t max_memory, max_device_memory; /* 0: what is free */
    const char *scratch;                   /* a folder, or "auto": beside the output; NULL: none */
    bool json, quiet, verbose;
    bool plan_only;     /* not an option: nothing will be written */
    int plan_transform; /* enum gf_plan_of or GF_UNSET */
    const char *assume; /* plan: a device that may be absent, or NULL */
    int ranks;          /* plan: processes that share the volume; 0: unset */
    double link;        /* GB/s to and from each rank; 0: unset */

    struct gf_bench_settings {
        unsigned kinds, precisions, levels; /* bits; 0: unset */
        struct {
            int n, count[GF_MAX_THREAD_COUNTS];
        } threads;
        const char *backends, *relative, *mkl, *ipp;
        int direction; /* enum gf_direction */
        int repeat;    /* 0: unset */
        double seconds;
        double plan_seconds; /* 0: no limit */
        bool all, csv, passes, transfers, joules;
    } bench;
};

struct gf_settings gf_settings_default(void);

extern const char *const gf_fftw_plans[], *const gf_plans[];
extern const char *const gf_tiff_compressions[];

/* Refuses options that contradict each other: GF_EUSAGE with the reason. */
int gf_settings_check(const struct gf_settings *s);

struct gf_read_options gf_settings_read_options(const struct gf_settings *s);
struct gf_write_options gf_settings_write_options(const struct gf_settings *s);
/* Returns --threads, else OpenMP's default. */
int gf_settings_threads(const struct gf_settings *s);

/* --precision, or the precision that suits samples of that type. */
enum gf_precision gf_settings_precision(const struct gf_settings *s, enum gf_dtype dtype);

/* Sets *axes to the transformed axes of a picture with `ndim` axes, as bits: --axes, --dims, or
 * all, but not pages that the file names times, channels or pictures. `names` may be NULL. */
int gf_settings_axes(const struct gf_settings *s, const struct gf_axes *names, int ndim,
                     unsigned *axes);
/* Applies --pixel to an image's axes. GF_EINVAL if it gives more spacings than there are axes. */
int gf_settings_pixel(const struct gf_settings *s, struct gf_image *image);

/* ---- backends and the engine ---- */

/* Options for a backend's open(): --threads, --fftw-plan, --max-device-memory, and --device or
 * GPUFFT_DEVICE. */
struct gf_backend_options gf_backend_options_of(const struct gf_settings *s);

/* Sets s->request from --backend and --device. GF_EUSAGE, GF_EABSENT as gf_request_find(). */
int gf_settings_request(struct gf_settings *s);

/* Opens an engine for s->request, --threads and --max-memory (default: all free memory). The
 * settings must outlive it. */
int gf_settings_engine(const struct gf_settings *s, enum gf_engine_use use,
                       struct gf_engine **engine);

#endif
