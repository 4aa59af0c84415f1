/* The arithmetic of long lines (core/split/line.c): twiddles, real rows, interleaving. */
#ifndef GF_CORE_SPLIT_LINE_NUMBERS_H
#define GF_CORE_SPLIT_LINE_NUMBERS_H

#include "core/base/value/halves.h"
#include "core/split/state.h"

/* columns[count][width] of row k1, from column `first` on, times exp(-+2 pi i k1 i2 / n). */
struct gf_slab_twiddle {
    const struct gf_roots *roots; /* of the line's samples */
    int64_t row, first, count, width;
    bool inverse, is_double;
    int threads;
};
void gf_slab_twiddle(const struct gf_slab_twiddle *t, void *columns);

/* Rows 0 and n1/2 of half spectra are real. Their a[i] and b[i] become (a + b) / 2 and (a - b) / 2,
 * samples i2 and i2 + n2 of the real line of 2 n2 samples whose spectrum both rows form, stored as
 * consecutive reals. Or back. Works in the order in which no number is overwritten before it is
 * read. */
void gf_slab_fold(void *a, void *b, int64_t count, bool is_double, bool back);

/* Interleaves a few rows into a part of a line, or back: number j of run i, which is in `staged` at
 * i * stride bytes, goes to place at + step j. Mirrored runs are reversed and conjugated. */
struct gf_slab_weave {
    int n;
    int64_t step, stride, point; /* bytes of a point: all channels, of `number` bytes each */
    int64_t number;
    int threads;
    struct {
        int64_t at, count;
        bool mirrored;
    } run[GF_SLAB_STAGED];
};
void gf_slab_weave(const struct gf_slab_weave *w, char *staged, char *line, bool to_line);

#endif
