/* Windows of a wavelet transform along its slowest axis, level by level: which planes a run of others needs, how
 * many are ready once so many have come, which have to be kept. Pure functions, without failures.
 *
 * Forward, step k of a level makes plane k of each band from planes 2 k - s to 2 k - s + 3 of the finer
 * side (core/wavelet/dwt.h), of which a line has more at its ends. Steps are taken in the order in which their
 * planes come: on a periodic line step 0 is the last, and so is plane 0 of the levels behind it.
 *
 *     struct gf_dwt_window w;
 *     gf_dwt_window(&job, 1, &w);
 *     for (came = 1; came <= w.planes; came++)        plane came - 1 into gf_dwt_window_slot(&w, came - 1)
 *         for (; done < gf_dwt_window_ready(&w, came); done++)
 *             step k = gf_dwt_window_step(&w, done), from planes gf_dwt_window_plane(&w, k, 0 .. 3)
 *
 * Inverse, pair k of planes of the finer side needs planes k and k + 1 of each band. */
#ifndef GF_CORE_WAVELET_WINDOW_H
#define GF_CORE_WAVELET_WINDOW_H

#include "core/base/dwt_shape.h"
#include "core/base/span.h"

/* The sample that continues a line of n at index i; -1 for a zero. */
int64_t gf_dwt_extend(int64_t i, int64_t n, enum gf_boundary b);
/* s: 1 for a periodic line, 2 for others. */
static inline int gf_dwt_offset(enum gf_boundary b) {
    return b == GF_PERIODIC ? 1 : 2;
}

/* NULL, or why coefficients cannot be made, or used, a few at a time; or planes of a volume. */
const char *gf_dwt_refuses_parts(const struct gf_job *job);
const char *gf_dwt_refuses_planes(const struct gf_job *job);

/* A level, of which the first is the finest. */
struct gf_dwt_window {
    int64_t planes, steps; /* of the finer side; of each band */
    int64_t first;         /* which plane comes first; plane 0 is the last where it is not 0 */
    enum gf_boundary boundary;
};
void gf_dwt_window(const struct gf_job *job, int level, struct gf_dwt_window *w);

/* ---- forward, step by step ---- */

/* Steps that may be taken once so many planes have come; step number i of these; and the plane that is its
 * input j, -1: zeros. */
int64_t gf_dwt_window_ready(const struct gf_dwt_window *w, int64_t came);
int64_t gf_dwt_window_step(const struct gf_dwt_window *w, int64_t i);
static inline int64_t gf_dwt_window_plane(const struct gf_dwt_window *w, int64_t k, int j) {
    return gf_dwt_extend(2 * k - gf_dwt_offset(w->boundary) + j, w->planes, w->boundary);
}
/* The slot that keeps a plane as long as a step needs it: four slots in turn, and GF_DWT_KEPT for those at the
 * beginning of a periodic line, which its end needs. How many there are. */
enum { GF_DWT_KEPT = 3, GF_DWT_SLOTS = 4 + GF_DWT_KEPT };
int gf_dwt_window_slot(const struct gf_dwt_window *w, int64_t plane);
int gf_dwt_window_slots(const struct gf_dwt_window *w);

/* ---- forward, in chunks that are transformed by themselves ---- */

/* A chunk begins at an even plane, and has the last planes of the one before it again: GF_DWT_KEPT of a periodic
 * line, else two. Planes are numbered along the extended line. */
struct gf_dwt_chunk {
    int64_t plane, planes; /* the first, and how many it waits for */
    int64_t extent;        /* that are transformed: of a periodic line one more, whatever it is */
    int64_t bands;         /* planes of each band that come of it */
    int64_t step, end;     /* its own steps, of which number `steps` is step 0 */
};
/* Chunk i of those that add `each` steps, and how many there are. */
void gf_dwt_window_chunk(const struct gf_dwt_window *w, int64_t each, int64_t i,
                         struct gf_dwt_chunk *c);
int64_t gf_dwt_window_chunks(const struct gf_dwt_window *w, int64_t each);

/* ---- forward, in parts that are streams of their own ---- */

/* A part reads some planes more than its share, and has the coefficients of its share of every level's
 * steps as the whole has them. Shares begin at multiples of 2^levels planes, so that a step of the part is
 * one of the whole. They need up to 2 (2^levels - 1) planes before the share, or half as many on each
 * side where the boundary is periodic: what else the part computes at its own ends is nobody's. A
 * periodic line's ends need each other: part 0 has the last planes beside the first. */
struct gf_dwt_part {
    struct gf_job job; /* of the part's stream */
    /* Planes of the whole, those of planes[1] pushed after those of planes[0]; and which of them are
     * the part's share. */
    struct gf_span planes[2], own[2];
    int64_t all; /* planes of the whole */
    struct gf_dwt_axis axis;
};
/* How many parts, at most `most`, whose shares are at least eight times what they read beside, or eight pairs of
 * an inverse; 1: the whole is one. Part i of n of a forward transform. */
int gf_dwt_parts(const struct gf_job *job, int most);
void gf_dwt_part(const struct gf_job *job, int n, int i, struct gf_dwt_part *part);
/* Planes that the part reads beside its share; and which plane of the whole is its plane k. */
int64_t gf_dwt_part_beside(const struct gf_dwt_part *part);
int64_t gf_dwt_part_plane(const struct gf_dwt_part *part, int64_t k);
/* Turns a step of a level of the part into that of the whole; false where it is not of the part's share. */
bool gf_dwt_part_step(const struct gf_dwt_part *part, int level, int64_t *step);

/* ---- inverse ---- */

/* Pairs of the finer side. The planes of pair k are 2 k + first, and one more; that number 2 * steps of a
 * periodic line is plane 0. */
int64_t gf_dwt_window_pairs(const struct gf_dwt_window *w);
int64_t gf_dwt_window_pair(const struct gf_dwt_window *w, int64_t plane);
/* Pairs of the next level's finer side that have the planes of these pairs' bands, but for plane 0 where a
 * periodic line's end needs it, which is made by itself. `coarser` is that level. */
struct gf_span gf_dwt_window_coarser(const struct gf_dwt_window *coarser, struct gf_span pairs);

#endif
