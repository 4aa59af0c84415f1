/* The input that a transform takes instead of the samples: these without their smooth part (core/filter/edges.h),
 * times a window (core/base/job/window.h), as floats.
 *
 *     struct gf_window_options options = {.window = {GF_WINDOW_HANN}};
 *     struct gf_array made = {0};
 *     rc = gf_window_prepare(&options, &job);
 *     if (!rc) rc = gf_window_make(&options, &crew, &job, false, &samples, &made);
 *     gf_array_free(&made); */
#ifndef GF_CORE_OP_FILTER_WINDOW_H
#define GF_CORE_OP_FILTER_WINDOW_H

#include "core/base/job/window.h"
#include "core/op/operation.h"

struct gf_window_options {
    struct gf_window window;
    int smooth; /* 1: the smooth part is subtracted */
};
extern const struct gf_opt gf_window_rows[];

bool gf_window_is_asked(const struct gf_window_options *o);
/* 1 for so few samples that a team of threads would only wait for each other. */
int gf_window_threads(const struct gf_job *job, int threads);
/* Gives the job the changed samples' type. GF_EINVAL for the smooth part of complex samples. */
int gf_window_prepare(const struct gf_window_options *o, struct gf_job *job);
/* Allocates `to`, the job's input, and makes it of `in`. With `centred` the mean of each channel is
 * subtracted first. GF_ENOMEM. */
int gf_window_make(const struct gf_window_options *o, const struct gf_crew *crew,
                   const struct gf_job *job, bool centred, const struct gf_array *in,
                   struct gf_array *to);
/* Bytes of that input and of its making. */
int64_t gf_window_bytes(const struct gf_window_options *o, const struct gf_job *job);

/* The operation, of which op->shared is the options; unit by unit if there is no smooth part. */
extern const struct gf_operation_kind gf_operation_window;

#endif
