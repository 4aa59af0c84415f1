/* The steps from line to line of a picture: by how much each row, or each column, is brighter than
 * the one before it, whatever the objects in the picture.
 *
 * A step is where most differences between the two lines' samples lie: from their median on, their
 * mean with weights 1 / (1 + (r / scale)^2)^2, r the distance from it (Huber 1981, Robust
 * Statistics, chapter 4; weights of a Student distribution). Most of a picture is shades, whose
 * differences are small; edges, which are large, do not count.
 *
 * Bands of light: the flicker of a lamp on a rolling shutter is a wave across the lines of a
 * picture, which multiplies it, adds to it, or both. */
#ifndef GF_CORE_RESTORE_BANDING_H
#define GF_CORE_RESTORE_BANDING_H

#include "core/base/value/array.h"

enum { GF_SEGMENTS = 8 /* of a line, each with steps of its own */ };

struct gf_line_steps {
    const struct gf_array *px; /* f32 (y, x, channel), dense */
    int axis;                  /* across the lines: 0 or 1 */
    double low, high; /* samples at these are clipped, and not looked at; equal: none are */
    double least;     /* scale at least */
    int threads;
    double scale; /* of ordinary differences */
    /* f32 (line, segment, channel), allocated: the steps from the line before; after the segments
     * the step of the whole line. NAN in a segment with few samples; the first line's are 0. */
    struct gf_array step;
};

/* Sets scale and step; the caller frees step. GF_ENOMEM. */
int gf_steps_make(struct gf_line_steps *p);

static inline float *gf_steps_at(const struct gf_array *a, int64_t line, int segment,
                                 int64_t channel) {
    return (float *)a->data + (line * a->shape[1] + segment) * a->shape[2] + channel;
}

/* Elements between neighbouring samples across the lines (axis), or along them (!axis). */
static inline int64_t gf_steps_stride(const struct gf_array *px, int axis) {
    return axis ? px->shape[2] : px->shape[1] * px->shape[2];
}

static inline bool gf_steps_is_clipped(const struct gf_line_steps *p, float v) {
    return p->low < p->high && (v <= (float)p->low || v >= (float)p->high);
}

struct gf_banding {
    double frequency; /* cycles a line; 0: none was found */
    double amplitude; /* of the line's brightness, in sample units */
    double evidence;  /* power of the strongest wave over that of the frequencies around it */
    double others;    /* the most power at another frequency, as a share */
    double coherence; /* of its phase in the segments of lines, 0 .. 1 */
};

/* Finds the strongest wave of 3 to 64 periods, of 8 lines or more each, in the spectrum of the
 * steps. */
struct gf_banding gf_banding_find(const struct gf_line_steps *p);

/* Fits the wave to the differences of lines by weighted least squares: for each line and channel,
 * sample = (1 + gain) picture + offset. GF_ENOMEM. */
int gf_banding_fit(const struct gf_line_steps *p, const struct gf_banding *wave, float *offset,
                   float *gain);

#endif
