/* The arithmetic of long lines beside the transforms: twiddles between the two of them, the spectra of
 * even and odd samples to that of all and back, samples to complex points, and points of the rows to
 * their places in the line. Numbers are complex, of a plan's precision; nothing allocates.
 * Private to core/slab/. */
#ifndef GF_CORE_SLAB_LINE_MATH_H
#define GF_CORE_SLAB_LINE_MATH_H

#include "core/slab/plan.h"
#include "kernels/cpu/root.h"

/* columns[count][width] of row k1, the first one being column `first`: times
 * exp(-+2 pi i k1 i2 / n). */
struct gf_line_twiddle {
    const struct gf_roots *roots; /* of the line's points */
    int64_t row, first, count, width;
    bool inverse, wide;
    int threads;
};
void gf_line_twiddle(const struct gf_line_twiddle *t, void *columns);

/* Points first .. first + count - 1 of a half-length spectrum in `low`, and in `high` those that they
 * mirror, n - first - count + 1 .. n - first, in this order; where count is odd about the middle, or
 * the two meet, both have the point in common. Forward: the spectrum of the pairs becomes that of the
 * samples; inverse: back, times two. Point n is that at 0 where first is 0. Of a row of the line the points
 * are `step` apart: first, first + step … and n - first - step (count - 1) .. n - first. */
struct gf_line_pairs {
    const struct gf_roots *roots; /* of the line's samples: twice the points */
    int64_t n, first, step, count, width;
    bool inverse, wide;
    int threads;
};
void gf_line_pairs(const struct gf_line_pairs *t, void *low, void *high);

/* `count` points from samples of any type: real pairs, or complex numbers as they are. Returns the sum
 * of the squares. */
struct gf_line_samples {
    enum gf_dtype type;
    int64_t count, width;
    bool pairs, wide;
    int threads;
};
double gf_line_points(const struct gf_line_samples *s, const void *samples, void *points);

/* `count` numbers of an inverse's result times `scale` to samples of a kind and type, whole ones rounded;
 * returns how many did not fit. */
struct gf_line_result {
    enum gf_dtype from, to;
    enum gf_kind kind;
    int64_t count;
    double scale;
    int threads;
};
int64_t gf_line_result(const struct gf_line_result *r, const void *numbers, void *samples);

/* half[i] becomes its Hermitian part with mirror[count - 1 - i]; adds the squares of this part, and of
 * the rest, to `energy`. */
void gf_line_hermitian(void *half, const void *mirror, int64_t count, int64_t width, bool wide,
                       double energy[2]);

/* numbers[i][width] times value[i], complex in double. */
void gf_line_times(const double *value, int64_t count, int64_t width, bool wide, void *numbers);
/* To their conjugates: what is transformed forward between two of these is transformed back. */
void gf_line_conjugate(int64_t count, bool wide, int threads, void *numbers);

/* Rows row .. row + n - 1 of n1, each from its column column[i] on, run[i] of them, and the places
 * row + n1 column of `line`, which begins with point `first`. */
struct gf_line_weave {
    int64_t n1, row, n, first, point; /* bytes of a point */
    const int64_t *column, *run;
    int64_t stride; /* bytes from row to row */
    int threads;
};
void gf_line_weave(const struct gf_line_weave *w, char *rows, char *line, bool to_line);

#endif
