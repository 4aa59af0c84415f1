/* Windows of a wavelet transform along its slowest axis, level by level: which planes a step needs,
 * which steps are ready once so many planes have come, which planes must be kept. The functions are
 * pure and cannot fail.
 *
 * All of it is for wavelets of four taps. Forward, step k of a level makes plane k of each band
 * from planes 2 k - s to 2 k - s + 3 of the finer side (core/wavelet/dwt.h), the line being
 * continued at its ends. Steps are taken in the order in which their planes come: on a periodic
 * line step 0 is the last, and hence plane 0 of the next level comes last.
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

/* The index of the sample that continues a line of n at index i; -1 for a zero. */
int64_t gf_dwt_extend(int64_t i, int64_t n, enum gf_boundary b);

/* NULL, or why coefficients cannot be processed a few at a time; the second one: plane by plane. */
const char *gf_dwt_refuses_parts(const struct gf_job *job);
const char *gf_dwt_refuses_planes(const struct gf_job *job);
/* A picture's job as a volume's, each of whose planes is one row; of a volume the same job. */
struct gf_job gf_dwt_planes_job(const struct gf_job *job);

/* One level; level 1 is the finest. */
struct gf_dwt_window {
    int64_t planes, steps; /* of the finer side; of each band */
    int64_t first;         /* the plane that comes first; if not 0, plane 0 comes last */
    enum gf_boundary boundary;
    int offset; /* s */
};
void gf_dwt_window(const struct gf_job *job, int level, struct gf_dwt_window *w);

/* ---- forward, step by step ---- */

/* The number of steps that can be taken once `came` planes have come; which step is the i-th of
 * these; the plane that is its input j, -1 for zeros. */
int64_t gf_dwt_window_ready(const struct gf_dwt_window *w, int64_t came);
int64_t gf_dwt_window_step(const struct gf_dwt_window *w, int64_t i);
static inline int64_t gf_dwt_window_plane(const struct gf_dwt_window *w, int64_t k, int j) {
    return gf_dwt_extend(2 * k - w->offset + j, w->planes, w->boundary);
}
/* The slot that keeps a plane as long as a step needs it: four slots in turn, and GF_DWT_KEPT for
 * those at the beginning of a periodic line, which its end needs. How many there are. */
enum { GF_DWT_KEPT = 3, GF_DWT_SLOTS = 4 + GF_DWT_KEPT };
int gf_dwt_window_slot(const struct gf_dwt_window *w, int64_t plane);
int gf_dwt_window_slots(const struct gf_dwt_window *w);

/* ---- forward, in chunks that are transformed by themselves ---- */

/* A chunk begins at an even plane and repeats the last planes of the chunk before it: GF_DWT_KEPT
 * on a periodic line, else two. Planes are numbered along the extended line. */
struct gf_dwt_chunk {
    int64_t plane, planes; /* the first, and how many it waits for */
    int64_t extent;        /* that are transformed: of a periodic line one more, whatever it is */
    int64_t bands;         /* planes of each band that it yields */
    int64_t step, end;     /* its own steps, of which number `steps` is step 0 */
};
/* Chunk i of those that add `each` steps, and how many there are. */
void gf_dwt_window_chunk(const struct gf_dwt_window *w, int64_t each, int64_t i,
                         struct gf_dwt_chunk *c);
int64_t gf_dwt_window_chunks(const struct gf_dwt_window *w, int64_t each);

/* ---- forward, in parts that are streams of their own ---- */

/* A part reads some planes beyond its share, so that its share of every level's steps gets the
 * coefficients of the whole. Shares begin at multiples of 2^levels planes, so that a step of the
 * part is a step of the whole. A part needs up to 2 (2^levels - 1) planes before its share, or half
 * as many on each side if the boundary is periodic; other coefficients at its own ends are
 * discarded. The ends of a periodic line need each other, so part 0 has the last planes as well as
 * the first. */
struct gf_dwt_part {
    struct gf_job job; /* of the part's stream */
    /* The planes that are pushed, first those of planes[0], then those of planes[1], and the share
     * among them, both numbered as in the whole. */
    struct gf_span planes[2], own[2];
    int64_t all; /* planes of the whole */
    struct gf_dwt_axis axis;
};
/* The largest number of parts, up to `most`, whose shares are at least eight times as large as what
 * they read beyond them, or eight pairs of an inverse; 1: do not divide. gf_dwt_part() gives part i
 * of n of a forward transform. */
int gf_dwt_parts(const struct gf_job *job, int most);
void gf_dwt_part(const struct gf_job *job, int n, int i, struct gf_dwt_part *part);
/* The number of planes that the part reads beyond its share, and the plane of the whole that is its
 * plane k. */
int64_t gf_dwt_part_beside(const struct gf_dwt_part *part);
int64_t gf_dwt_part_plane(const struct gf_dwt_part *part, int64_t k);
/* Converts a step of the part's level to the whole's; false if it is outside the part's share. */
bool gf_dwt_part_step(const struct gf_dwt_part *part, int level, int64_t *step);

/* ---- inverse ---- */

/* Pairs of the finer side. The planes of pair k are 2 k + first, and one more; that number 2 *
 * steps of a periodic line is plane 0. */
int64_t gf_dwt_window_pairs(const struct gf_dwt_window *w);
int64_t gf_dwt_window_pair(const struct gf_dwt_window *w, int64_t plane);
/* Pairs of the next level's finer side that have the planes of these pairs' bands, but for plane 0
 * where a periodic line's end needs it, which is made by itself. `coarser` is that level. */
struct gf_span gf_dwt_window_coarser(const struct gf_dwt_window *coarser, struct gf_span pairs);

#endif
