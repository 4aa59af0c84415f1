/* Measurements of `gpufft tune`, kept from run to run by backend, device, driver and version of the
 * program. Shares of several devices, auto and plan take their speeds from it where there is a record.
 *
 *     struct gf_speed_record r;
 *     if (gf_record_of_device(backend, "0", &r))
 *         seconds = gf_record_seconds(&r, &job, threads);                                       */
#ifndef GF_CORE_SESSION_RECORD_H
#define GF_CORE_SESSION_RECORD_H

#include "core/session/backends.h"

enum { GF_RECORD_FFTS = 3, GF_RECORD_WAVELETS = 2 };
enum { GF_RECORD_RATES = 7 + GF_RECORD_FFTS + GF_RECORD_WAVELETS, GF_RECORD_DIGEST = 17 };

/* Rates a second; 0: not measured. */
struct gf_speed_record {
    int threads;      /* of the CPU; 0 for other devices */
    double copy;      /* bytes read plus written */
    double open;      /* seconds, to open its context */
    double bus[2][2]; /* bytes: [pageable, page-locked][to the device, back] */
    double link;      /* bytes each way, to the device of its kind that it sends to most slowly */
    double staged[2]; /* bytes of a large array that plans copy through buffers */
    double fft[GF_RECORD_FFTS];         /* samples of a real square of gf_record_fft_side[i] */
    double wavelet[GF_RECORD_WAVELETS]; /* likewise, three levels */
    bool noisy; /* measured twice they differ, or something else had the CPU: nobody uses it */
};

/* The rates that a busy machine changes: all but open and link. */
void gf_record_rates(struct gf_speed_record *r, double *rate[GF_RECORD_RATES]);

/* Sides of the squares that are measured, rising; small ones several at a time. */
extern const int gf_record_fft_side[GF_RECORD_FFTS], gf_record_wavelet_side[GF_RECORD_WAVELETS];

/* The record of a backend's device (NULL: the first, or the backend has none), or that of another one of
 * the same name; false where there is none for such a device, driver and version, or a noisy one (r->noisy).
 * Opens no context. */
bool gf_record_of_device(const struct gf_backend *b, const char *device, struct gf_speed_record *r);
/* Whether there may be any, without a look for devices. */
bool gf_record_has_any(void);
/* Replaces it. False where it could not be kept. */
bool gf_record_keep(const struct gf_backend *b, const char *device,
                    const struct gf_speed_record *r);
/* Plans that were measured, see core/gpu/cache/plan_record.h: their text for another machine, in memory that the caller
 * frees, NULL without memory; and that of another one. */
char *gf_record_export_plans(void);
int gf_record_import_plans(const char *text, size_t bytes, int *kept, int *others);
/* A hash of all records that this run uses, in hexadecimal digits; false if there are none. */
bool gf_record_digest(char text[GF_RECORD_DIGEST]);
/* Deletes all records, of plans too. 1: there were any, 0: there was none, or a negative code. */
int gf_record_forget(void);

/* How long the job takes from host memory to host memory by the record; 0: it tells nothing of such a
 * job. `threads`: those of a CPU that it gets. */
double gf_record_seconds(const struct gf_speed_record *r, const struct gf_job *job, int threads);

#endif
