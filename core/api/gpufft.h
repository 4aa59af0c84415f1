/* gpufft: Fourier transforms on the CPU and on GPUs, for C and C++.
 *
 * The spectrum of 480 x 640 complex numbers:
 *
 *     #include <gpufft.h>                                cc x.c $(pkg-config --cflags --libs gpufft)
 *
 *     struct gpufft *library;
 *     struct gpufft_plan *plan;
 *     struct gpufft_bound *bound;
 *     struct gpufft_transform t = {sizeof t, GPUFFT_FORWARD, GPUFFT_C64, GPUFFT_C64, 2, {480, 640}};
 *     int rc = gpufft_open(NULL, &library);
 *     if (!rc) rc = gpufft_plan_make(library, &t, &plan);
 *     if (!rc) rc = gpufft_plan_bind(plan, samples, spectrum, &bound);
 *     if (!rc) rc = gpufft_run(bound);                   again and again; samples may change between
 *     if (rc) fprintf(stderr, "%s\n", gpufft_message());
 *
 * Functions that return int return 0 or a negative code (enum gpufft_status), and set the message of
 * the calling thread. They never print, never end the process, and read neither the environment nor
 * signals. NULL where a pointer is required is GPUFFT_EUSAGE; functions that close or free accept it.
 *
 * Threads: a library and its plans may be used by any number of threads at once. A bound plan has its
 * own workspace and belongs to one thread at a time. Every object keeps those that it was made from:
 * they may be freed in any order. After gpufft_close() all that was made from the library returns
 * GPUFFT_ECLOSED, and in a forked child GPUFFT_EFORK; the child may open a library of its own.
 *
 * Each struct that you fill begins with its size, `sizeof` it, and members that you do not set are
 * zero. Later versions append members, and read yours by that size. */
#ifndef GPUFFT_H
#define GPUFFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GPUFFT_API __attribute__((visibility("default")))
#else
#define GPUFFT_API
#endif

/* ---- failures ---- */

enum gpufft_status {
    GPUFFT_OK = 0,
    GPUFFT_EUSAGE = -1,     /* the arguments alone show the mistake */
    GPUFFT_EFORMAT = -2,    /* a file is damaged, or of another type */
    GPUFFT_EIO = -3,        /* open, read, write, rename or close failed */
    GPUFFT_ENOMEM = -4,     /* memory is short, or the need exceeds the limit */
    GPUFFT_EABSENT = -5,    /* the requested backend or device is not present */
    GPUFFT_EINVAL = -6,     /* the data does not suit the request */
    GPUFFT_EUNSUPP = -7,    /* legal, but not supported here */
    GPUFFT_EBACKEND = -8,   /* a backend's own library or device failed */
    GPUFFT_EUNABLE = -9,    /* the requested backend cannot do this */
    GPUFFT_ECANCELED = -10, /* tick() asked for the end; the outputs are meaningless */
    GPUFFT_ECLOSED = -11,   /* the library was closed */
    GPUFFT_EFORK = -12      /* the library was opened before this process was forked */
};

/* The message of the calling thread's last failure: one line without a full stop, never NULL. It is
 * valid until the thread's next failure. */
GPUFFT_API const char *gpufft_message(void);
/* "0.1.0" */
GPUFFT_API const char *gpufft_version(void);

/* ---- a library: devices, and the memory and threads they may use ---- */

struct gpufft;

struct gpufft_options {
    size_t size;
    /* As --backend and --device of gpufft(1): "openmp", "cuda:1", …; NULL: the backend that is
     * expected to be fastest for each transform, GPUs included. */
    const char *backend, *device;
    int threads;    /* 0: as many as the CPUs that this process may use */
    int untuned;    /* 1: speeds and plans that `gpufft tune` recorded are ignored */
    int64_t memory; /* limit in bytes for workspace and for operations' arrays; 0: what is free */
    /* The folder in which compiled kernels and measured speeds are kept, absolute; NULL: none is. */
    const char *cache_folder;
    /* NULL, or receives lines about unexpected events, on any thread that uses the library. */
    void (*log)(void *user, const char *line);
    /* NULL, or is called now and then by the thread that called the library, with the finished share of the
     * call, 0 to 1, or -1 if that is unknown. A result other than 0 ends the call with GPUFFT_ECANCELED: on
     * the CPU within some 20 ms, on a device after the transform that runs. */
    int (*tick)(void *user, double done);
    void *user;
};

/* Opens a library; NULL: all options are zero. GPUFFT_EABSENT names the remedy if the requested
 * backend is missing. Devices are opened by the first plan that uses them. */
GPUFFT_API int gpufft_open(const struct gpufft_options *options, struct gpufft **library);
/* Devices close with the last plan. */
GPUFFT_API void gpufft_close(struct gpufft *library);

/* ---- transforms ---- */

enum { GPUFFT_MAX_RANK = 8, GPUFFT_MAX_AXES = 3 };

enum gpufft_type {
    GPUFFT_U8,
    GPUFFT_I8,
    GPUFFT_U16,
    GPUFFT_I16,
    GPUFFT_U32,
    GPUFFT_I32,
    GPUFFT_F32,
    GPUFFT_F64,
    GPUFFT_C64, /* float _Complex: the real and the imaginary part */
    GPUFFT_C128 /* double _Complex */
};
enum gpufft_direction { GPUFFT_FORWARD, GPUFFT_INVERSE };
/* The factor 1/N is applied by the inverse, by both as its square root, or by the forward transform, as
 * numpy.fft names them. N is the product of the transformed extents. */
enum gpufft_norm { GPUFFT_NORM_BACKWARD, GPUFFT_NORM_ORTHO, GPUFFT_NORM_FORWARD };

/* F(k) = sum over n of f(n) exp(-2 pi i k n / N) along each of the axes; the inverse has the other
 * sign. Samples are real or complex, spectra complex. In and out have the same shape, but a half
 * spectrum has n / 2 + 1 numbers along the last of `axes`, as numpy.fft.rfftn() and FFTW have it. The
 * arithmetic is double if either type is f64 or c128, else single.
 *
 *     forward   in: any type      out: c64 or c128; with `half` `in` is real
 *     inverse   in: c64 or c128   out: c64 or c128; f32 or f64: the real part; with `half` these
 */
struct gpufft_transform {
    size_t size;
    int direction;                  /* enum gpufft_direction */
    int in_type, out_type;          /* enum gpufft_type */
    int rank;                       /* 1 to GPUFFT_MAX_RANK */
    int64_t shape[GPUFFT_MAX_RANK]; /* of the samples, slowest axis first */
    /* Which axes are transformed, negative ones counted from the end, as numpy.fft has them. n_axes 0:
     * all of up to three. The others are batches. */
    int n_axes, axes[GPUFFT_MAX_AXES];
    int half; /* 1: the spectrum is half of it */
    int norm; /* enum gpufft_norm */
    /* Bytes from an element to the next along each axis, of any sign; all 0: C order without gaps.
     * They are multiples of the size of a real number of the type. */
    int64_t in_stride[GPUFFT_MAX_RANK], out_stride[GPUFFT_MAX_RANK];
    /* 1: out is in, with the same type and strides. Or with `half` of one precision, along the fastest axis:
     * samples have the strides of the spectrum, and half of that along this axis, so that their rows have room
     * for n / 2 + 1 complex numbers, as FFTW has it; strides of 0 mean this, and a run takes a copy of its
     * input. Arrays overlap in no other way. */
    int in_place;
    /* 1: both arrays are in the memory of the library's CUDA device, in its primary context, as the CUDA
     * runtime, CuPy, PyTorch and Numba allocate them. The backend is cuda, and a run copies neither array:
     * gpufft_bound_stream(). GPUFFT_EUNSUPP if the library has another backend, for a transform in place, and
     * for strides with gaps. */
    int on_device;
    int64_t runs; /* how often it will run, for the choice of a device; 0: once */
};

struct gpufft_plan;
struct gpufft_bound;

/* Chooses a backend and makes a plan, which never changes. *plan is NULL after a failure. */
GPUFFT_API int gpufft_plan_make(struct gpufft *library, const struct gpufft_transform *transform,
                                struct gpufft_plan **plan);
GPUFFT_API void gpufft_plan_free(struct gpufft_plan *plan);

/* A plan, for people. Texts are valid while the plan is. */
struct gpufft_description {
    size_t size;
    const char *backend; /* "openmp" */
    const char *why;     /* the reason for its choice */
    int n_passes;        /* times that a run reads and writes the data; gpufft_plan_pass() */
    int64_t n_calls;     /* runs of those passes, as the backend takes some axes of batches only */
    int64_t bytes;       /* that such a call reads and writes */
    int64_t workspace;   /* bytes of a bound plan beside the arrays */
    int64_t device;      /* bytes of device memory, arrays included unless on_device */
};
GPUFFT_API int gpufft_plan_describe(const struct gpufft_plan *plan,
                                    struct gpufft_description *description);
/* Pass i in one line, such as "x: 4096 = 8·8·8·8, complex"; NULL after the last. */
GPUFFT_API const char *gpufft_plan_pass(const struct gpufft_plan *plan, int i);

/* Binds a plan to arrays, at the addresses of their elements (0, …, 0), which outlive it. GPUFFT_EINVAL if
 * they overlap, or if those of a plan with on_device are not in the device's memory, which each run checks
 * again; GPUFFT_EUNSUPP if these do not begin at a multiple of 16 bytes. The first run takes the workspace,
 * later ones take no memory and no lock (on a GPU: of the device). */
GPUFFT_API int gpufft_plan_bind(struct gpufft_plan *plan, const void *in, void *out,
                                struct gpufft_bound **bound);
/* Binds it to other arrays, with the workspace that it has; it keeps its arrays if these are refused. */
GPUFFT_API int gpufft_bound_move(struct gpufft_bound *bound, const void *in, void *out);
GPUFFT_API int gpufft_run(struct gpufft_bound *bound);
/* Orders the runs of a plan with on_device on a stream, a CUstream of the same context, which is not checked;
 * NULL, and before this call: the default stream. A run waits for the commands that the stream was given before
 * it, and the stream's later commands wait for the run. gpufft_run() returns once the run is queued: a later
 * call may return an error of the device. */
GPUFFT_API int gpufft_bound_stream(struct gpufft_bound *bound, void *stream);
GPUFFT_API void gpufft_bound_free(struct gpufft_bound *bound);

/* Page-locks memory for the device of a plan, which then copies it faster; on the CPU there is nothing to
 * do. Unlock it once, before it is freed and before the library is closed. Memory that you have page-locked
 * otherwise needs neither. */
GPUFFT_API int gpufft_lock(struct gpufft_plan *plan, void *memory, size_t bytes);
GPUFFT_API int gpufft_unlock(struct gpufft_plan *plan, void *memory);

/* ---- operations: filters, and what else gpufft(1) does to arrays ---- */

struct gpufft_image;

/* An array in memory, or without data its shape and type. */
struct gpufft_array {
    size_t size;
    int type; /* enum gpufft_type */
    int rank;
    int64_t shape[GPUFFT_MAX_RANK], stride[GPUFFT_MAX_RANK]; /* as in struct gpufft_transform */
    void *data;
    /* 1: the last axis is that of channels, which are processed by themselves; 2: the last of them is
     * alpha, which operations pass on */
    int channels;
    /* NULL, or the picture whose samples these are or were made of: its units and colours. */
    const struct gpufft_image *image;
};

/* Bytes of its elements without gaps; 0 for what is no array. */
GPUFFT_API size_t gpufft_array_bytes(const struct gpufft_array *array);

struct gpufft_operation;

/* Opens an operation on arrays of one to three axes beside channels. Its options are those of the
 * command line without their dashes, and end with NULL: {"lowpass=20px", "edges=mirror", NULL}; NULL: none.
 * `with`: n further arrays, which outlive it.
 *
 *     filter      gpufft-filter(1): pass filters, notches, masks, --deconvolve, --destripe, …; `with`: the
 *                 samples of each option that names a picture, in their order
 *     window      weights, and --edges=smooth, before a spectrum: all of the complex spectrum
 *     spectrum    gpufft-fwd(1): a picture of 8 bits, or 16, or of floats the numbers; options kind, shift,
 *                 scale, range, window, edges, norm and color
 *     match       gpufft-match(1): the map of scores; with: the template, and its weights or none
 *     register    gpufft-register(1): the aligned picture; with: the reference
 *     dwt         gpufft-dwt(1): the packed coefficients; axes=LIST, as in axes=0,-1: those alone
 *     idwt        back from these by levels=N, boundary and axes: an even number of samples along each axis,
 *                 of which the last one may be beyond the border
 *     frc         gpufft-frc(1): facts alone; with: the other half and a mask, or none
 *     stats       gpufft-stats(1): facts alone
 *
 * An operation belongs to one thread at a time, and is used for one input after another: it keeps its
 * plan and its filter while their shape is the same. */
GPUFFT_API int gpufft_operation_open(struct gpufft *library, const char *name,
                                     const char *const *options, const struct gpufft_array *with,
                                     int n, struct gpufft_operation **operation);
GPUFFT_API void gpufft_operation_free(struct gpufft_operation *operation);
/* Sets the type, the shape and the channels of the result for an input like this; rank 0: there are only
 * facts. *bytes, unless NULL, becomes the need of memory with all arrays, -1 if it depends on the
 * samples. */
GPUFFT_API int gpufft_operation_describe(struct gpufft_operation *operation,
                                         const struct gpufft_array *in, struct gpufft_array *out,
                                         int64_t *bytes);
/* Runs it. `out` may have another type than described: a result that is real is rounded and clipped to
 * integers. It is NULL if there are only facts. NaN and Inf are GPUFFT_EINVAL. */
GPUFFT_API int gpufft_operation_run(struct gpufft_operation *operation,
                                    const struct gpufft_array *in, struct gpufft_array *out);

enum gpufft_fact_kind {
    GPUFFT_FACT_REAL,   /* double; NaN: none */
    GPUFFT_FACT_LONG,   /* int64_t */
    GPUFFT_FACT_BOOL,   /* _Bool */
    GPUFFT_FACT_TEXT,   /* char[], ends with 0 */
    GPUFFT_FACT_RECORD, /* the facts that follow, as many as `within` */
    GPUFFT_FACT_TABLE,  /* the same, each a column */
    GPUFFT_FACT_LIST    /* the same, each a record without a key */
};

/* A fact that the last run found, as --json prints it; its values are valid until the next one. */
struct gpufft_fact {
    size_t size;
    const char *key, *unit; /* NULL: none */
    int kind;               /* enum gpufft_fact_kind */
    int width;              /* 0: a value is one number; else a list of so many */
    int64_t rows;           /* of a table or a column, whose values are `stride` bytes apart */
    int64_t stride;         /* 0: one value */
    const void *data;
    int64_t within; /* following facts that belong to it, theirs included */
};
/* Sets fact i. Returns 1, or 0 after the last, or a code. */
GPUFFT_API int gpufft_operation_fact(const struct gpufft_operation *operation, int64_t i,
                                     struct gpufft_fact *fact);

/* ---- pictures and volumes ---- */

/* Reads a file of any type in gpufft-formats(1), as it says; a spectrum's record may be beside it. A picture
 * never changes, and may be used by any number of threads. */
GPUFFT_API int gpufft_image_read(struct gpufft *library, const char *path,
                                 struct gpufft_image **image);
GPUFFT_API void gpufft_image_free(struct gpufft_image *image);
/* A view of the samples with their stored numbers, channels last, valid while the picture is. */
GPUFFT_API int gpufft_image_samples(const struct gpufft_image *image, struct gpufft_array *samples);
/* Distances of samples along axis i of the first three, in *unit ("um", "A", "deg", "s"); 0 if they are
 * unknown. Returns 0 or a code. */
GPUFFT_API int gpufft_image_spacing(const struct gpufft_image *image, int i, double *spacing,
                                    const char **unit);
/* The record of a spectrum as one line of JSON; NULL: none. */
GPUFFT_API const char *gpufft_image_record(const struct gpufft_image *image);
/* Sets the transform that takes a spectrum's samples back to the picture's, by its record: shape, axes
 * (channels are one more), half, norm and types, in C order. GPUFFT_EINVAL if it has none. */
GPUFFT_API int gpufft_image_inverse(const struct gpufft_image *spectrum,
                                    struct gpufft_transform *transform);
/* Writes an array to a file of the type of its suffix, complete or not at all; an existing file is
 * replaced. samples->image: whose colours, metadata and axes the file gets. `made_by`: NULL, or the
 * forward transform whose result this is, for the record; its input is of samples->image. */
GPUFFT_API int gpufft_image_write(struct gpufft *library, const char *path,
                                  const struct gpufft_array *samples,
                                  const struct gpufft_transform *made_by);

/* ---- lengths and memory ---- */

/* The cheapest length of at least n points to transform, for padding: its prime factors are 2, 3, 5 and
 * 7. 0 if n is below 1 or above 2^40. */
GPUFFT_API int64_t gpufft_good_size(int64_t n);

/* Memory for arrays, aligned to 64 bytes and in huge pages if large; NULL if memory is short. */
GPUFFT_API void *gpufft_alloc(size_t bytes);
GPUFFT_API void gpufft_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
