/* The arithmetic of long lines beside the transforms: twiddles between the two of them, the two real rows
 * that share one in the exchange, and numbers of the rows to their places in the line. Numbers are complex;
 * nothing allocates. Private to core/slab/. */
#ifndef GF_CORE_SLAB_LINE_MATH_H
#define GF_CORE_SLAB_LINE_MATH_H

#include "core/slab/plan.h"
#include "kernels/cpu/root.h"

/* columns[count][width] of row k1, the first one being column `first`: times
 * exp(-+2 pi i k1 i2 / n). */
struct gf_line_twiddle {
    const struct gf_roots *roots; /* of the line's samples */
    int64_t row, first, count, width;
    bool inverse, is_double;
    int threads;
};
void gf_line_twiddle(const struct gf_line_twiddle *t, void *columns);

/* Rows 0 and n1/2 of the columns' half spectra are real: a[i] and b[i] become (a + b) / 2 and (a - b) / 2,
 * samples i2 and i2 + n2 of the real line of 2 n2 samples whose spectrum is that of both rows. They stay in
 * the rows' memory as reals side by side. Or back. */
void gf_line_fold(void *a, void *b, int64_t count, bool is_double, bool back);

/* Runs of a few rows, each in `staged` at a multiple of `stride` bytes, and a part of the line: number j of
 * run i is at place at + step j. Mirrored runs are backwards, and conjugates. */
struct gf_line_weave {
    int n;
    int64_t step, stride, point; /* bytes of a point, all channels of `number` bytes */
    int64_t number;
    int threads;
    struct {
        int64_t at, count;
        bool mirrored;
    } run[GF_SLAB_STAGED];
};
void gf_line_weave(const struct gf_line_weave *w, char *staged, char *line, bool to_line);

#endif
