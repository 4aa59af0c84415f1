/* Measurements of `gpufft tune`, kept between runs by backend, device, driver and program version.
 * auto, plan and the division among devices use them.
 *
 *     struct gf_speeds r;
 *     if (gf_speeds_of_device(env, backend, "0", &r))
 *         seconds = gf_speeds_seconds(&r, &job, threads); */
#ifndef GF_CORE_ENGINE_SPEEDS_H
#define GF_CORE_ENGINE_SPEEDS_H

#include "core/engine/backends.h"

enum { GF_SPEEDS_FFTS = 3, GF_SPEEDS_WAVELETS = 2 };
enum { GF_SPEEDS_RATES = 7 + GF_SPEEDS_FFTS + GF_SPEEDS_WAVELETS, GF_SPEEDS_DIGEST = 17 };

/* Rates a second; 0: not measured. */
struct gf_speeds {
    int threads;                /* of the CPU; 0 for other devices */
    double copy;                /* bytes read plus written by a copy */
    double open;                /* seconds to open its context */
    double bus[2][2];           /* bytes: [pageable, page-locked][to the device, back] */
    double link;                /* bytes each way over the slowest link to a device of its kind */
    double staged[2];           /* bytes of a large array through page-locked buffers */
    double fft[GF_SPEEDS_FFTS]; /* samples of a real square of gf_speeds_fft_side[i] */
    double wavelet[GF_SPEEDS_WAVELETS]; /* likewise, three levels */
    bool noisy; /* measurements differ, or other work had the CPU: not used */
};

/* The rates that other work can disturb: all but open and link. */
void gf_speeds_rates(struct gf_speeds *r, double *rate[GF_SPEEDS_RATES]);

/* Sides of the measured squares, ascending; small ones run several at a time. */
extern const int gf_speeds_fft_side[GF_SPEEDS_FFTS], gf_speeds_wavelet_side[GF_SPEEDS_WAVELETS];

/* Reads the record of a backend's device (NULL: the first, or a backend without devices), or of
 * another device of the same name. False if none fits device, driver and version, or if it is noisy
 * (r->noisy). Opens no context. */
bool gf_speeds_of_device(const struct gf_environment *env, const struct gf_backend *b,
                         const char *device, struct gf_speeds *r);
/* True if there may be a record; does not look for devices. */
bool gf_speeds_has_any(const struct gf_environment *env);
/* Replaces the record. False if it cannot be written. */
bool gf_speeds_keep(const struct gf_environment *env, const struct gf_backend *b,
                    const char *device, const struct gf_speeds *r);
/* Exports measured plans (core/gpu/cache/plan_record.h) as text for another machine, which the
 * caller frees (NULL: out of memory); imports such a text. */
char *gf_speeds_export_plans(const struct gf_environment *env);
int gf_speeds_import_plans(const struct gf_environment *env, const char *text, size_t bytes,
                           int *kept, int *others);
/* Hashes all records in use, in hexadecimal; false if there are none. */
bool gf_speeds_digest(const struct gf_environment *env, char text[GF_SPEEDS_DIGEST]);
/* Deletes all records, of plans and disks too. Returns 1 if there were any, else 0, or a negative
 * code. */
int gf_speeds_forget(const struct gf_environment *env);

/* Bytes a second, read plus written, that the folder's file system last achieved; 0 if unknown. */
double gf_speeds_of_disk(const struct gf_environment *env, const char *folder);
void gf_speeds_keep_disk(const struct gf_environment *env, const char *folder,
                         double bytes_per_second);

/* Seconds predicted for the job, from host memory to host memory; 0 if unknown. `threads`: CPU
 * threads available. */
double gf_speeds_seconds(const struct gf_speeds *r, const struct gf_job *job, int threads);

#endif
