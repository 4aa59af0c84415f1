/* Windows of a wavelet transform along its slowest axis, level by level: which planes a step needs,
 * which steps are ready after so many planes, and which planes must be kept. Pure functions.
 *
 * Forward, step k of a level makes plane k of each band from planes 2 k - s to 2 k - s + taps - 1
 * of the finer side (core/wavelet/dwt.h), continued beyond the line's ends. Steps follow the order
 * in which their planes come: a periodic line's first steps are last, and so are the next level's
 * first planes.
 *
 *     struct gf_dwt_window w;
 *     gf_dwt_window(&job, 1, &w);
 *     for (came = 1; came <= w.planes; came++)    plane came - 1 into its gf_dwt_window_slot()
 *         for (; done < gf_dwt_window_ready(&w, came); done++)
 *             step k = gf_dwt_window_step(&w, done), from gf_dwt_window_plane(&w, k, 0 .. taps - 1)
 *
 * Inverse, pair k of planes of the finer side needs planes k to k + taps / 2 - 1 of each band. */
#ifndef GF_CORE_WAVELET_WINDOW_H
#define GF_CORE_WAVELET_WINDOW_H

#include "core/base/job/dwt_shape.h"
#include "core/base/value/span.h"

/* The index of the sample that continues a line of n at index i; -1: zero. */
int64_t gf_dwt_extend(int64_t i, int64_t n, enum gf_boundary b);

/* NULL, or why coefficients cannot be processed a few at a time before all were there (survey.h), or
 * plane by plane. */
const char *gf_dwt_refuses_parts(const struct gf_job *job);
const char *gf_dwt_refuses_planes(const struct gf_job *job);

struct gf_dwt_window {
    int level;             /* 1 is the finest */
    struct gf_job job;     /* of the level, for one plane of the finer side */
    int64_t fine;          /* numbers in a plane of the finer side */
    int64_t plane, packed; /* bytes of such a plane of the input, and of a plane of packed bands */
    int64_t planes, steps; /* of the finer side; of each band */
    int64_t first, whole; /* the plane that comes first; the first step that needs none before it */
    int64_t kept;         /* planes of a periodic line's beginning that its end needs again */
    enum gf_boundary boundary;
    int taps, offset; /* s */
};
void gf_dwt_window(const struct gf_job *job, int level, struct gf_dwt_window *w);

/* ---- forward, step by step ---- */

/* The number of steps ready after `came` planes; the i-th of these steps; the plane of a step's
 * input j, -1 for zeros. */
int64_t gf_dwt_window_ready(const struct gf_dwt_window *w, int64_t came);
int64_t gf_dwt_window_step(const struct gf_dwt_window *w, int64_t i);
static inline int64_t gf_dwt_window_plane(const struct gf_dwt_window *w, int64_t k, int j) {
    return gf_dwt_extend(2 * k - w->offset + j, w->planes, w->boundary);
}
/* The slot of a plane for as long as steps need it: one for each kept plane, and as many as there
 * are taps in turn. The number of slots. */
enum { GF_DWT_SLOTS = 5 * GF_DWT_MOST_TAPS / 2 - 3 };
int gf_dwt_window_slot(const struct gf_dwt_window *w, int64_t plane);
int gf_dwt_window_slots(const struct gf_dwt_window *w);

/* ---- forward, in chunks that are transformed separately ---- */

/* A chunk begins at an even plane, 2 each planes after the one before, and repeats that one's last
 * planes. Planes are numbered along the extended line. */
struct gf_dwt_chunk {
    int64_t plane, planes; /* the first, and the number it waits for */
    int64_t extent;        /* transformed planes; on a periodic line one more, with any content */
    int64_t bands;         /* planes of each resulting band */
    int64_t step, end;     /* its own steps, where number `steps` is step 0 */
};
/* Chunk i of those that add `each` steps, and the number of chunks. */
void gf_dwt_window_chunk(const struct gf_dwt_window *w, int64_t each, int64_t i,
                         struct gf_dwt_chunk *c);
int64_t gf_dwt_window_chunks(const struct gf_dwt_window *w, int64_t each);

/* ---- forward, in parts that are separate streams ---- */

/* A part reads some planes beyond its share, so that its share of every level's steps has the
 * coefficients of the whole. Shares begin at multiples of 2^levels planes, so that steps of a part
 * are steps of the whole. A part needs up to s (2^levels - 1) planes before its share, and as many
 * after it if the boundary is periodic; other coefficients at its ends are discarded. The
 * ends of a periodic line need each other, so part 0 has the last planes as well as the first. */
struct gf_dwt_part {
    struct gf_job job; /* of the part's stream */
    /* The planes pushed, planes[0] then planes[1], and the part's share among them, numbered as in
     * the whole. */
    struct gf_span planes[2], own[2];
    int64_t all; /* planes of the whole */
    struct gf_dwt_axis axis;
};
/* The largest number of parts, up to `most`, whose shares are at least eight times the planes read
 * beyond them, or eight pairs of an inverse; 1: do not divide. gf_dwt_part() gives part i of n of a
 * forward transform. */
int gf_dwt_parts(const struct gf_job *job, int most);
void gf_dwt_part(const struct gf_job *job, int n, int i, struct gf_dwt_part *part);
/* The number of planes read beyond the share; the whole's number of the part's plane k. */
int64_t gf_dwt_part_beside(const struct gf_dwt_part *part);
int64_t gf_dwt_part_plane(const struct gf_dwt_part *part, int64_t k);
/* Converts a step of the part's level to the whole's; false if it is outside the share. */
bool gf_dwt_part_step(const struct gf_dwt_part *part, int level, int64_t *step);

/* ---- inverse ---- */

/* Planes of each band that a pair shares with the next. The number of wrapped planes: the first of
 * a periodic line's finer side, which are the second half of its last pairs. */
static inline int gf_dwt_window_shared(const struct gf_dwt_window *w) {
    return w->taps / 2 - 1;
}
static inline int gf_dwt_window_wrapped(const struct gf_dwt_window *w) {
    return w->boundary == GF_PERIODIC ? w->offset : 0;
}
/* Pairs of the finer side: planes 2 k + wrapped and the next, numbered along the extended line.
 * made() is a plane's number there. */
static inline int64_t gf_dwt_window_made(const struct gf_dwt_window *w, int64_t plane) {
    const int64_t line = 2 * w->steps, wrapped = gf_dwt_window_wrapped(w);
    return plane < wrapped ? plane + gf_divide_up(wrapped - plane, line) * line : plane;
}
int64_t gf_dwt_window_pairs(const struct gf_dwt_window *w);
int64_t gf_dwt_window_pair(const struct gf_dwt_window *w, int64_t plane);
/* Those of the finest level. */
struct gf_span gf_dwt_all_pairs(const struct gf_job *job);
/* Pairs of the next level's finer side that contain the planes of these pairs' bands, except its
 * wrapped planes for a periodic line's end, which are made separately. `coarser` is that level. */
struct gf_span gf_dwt_window_coarser(const struct gf_dwt_window *coarser, struct gf_span pairs);

#endif
