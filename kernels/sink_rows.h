/* Writes rows of samples, each followed by its mirror image, through the tile in accesses of
 * ROW_ACCESS bytes, which saves instructions and transactions. ROW_ACCESS is 0 if rows are not
 * aligned to it. */
#ifndef SINK_ROWS_H
#define SINK_ROWS_H

#include "sink.h"
#include "tile.h"

#ifndef ROW_ACCESS
#define ROW_ACCESS 0
#endif

#if ROW_ACCESS
#if ROW_ACCESS == 16
typedef uint4 row_word;
#elif ROW_ACCESS == 8
typedef uint2 row_word;
#else
typedef uint row_word;
#endif
#define ROW_WORDS ((int)(LENGTH * sizeof(sink_element)) / ROW_ACCESS)

/* A mirrored row is read from the row itself, reversed. */
#define REVERSES (MIRROR && SYMMETRIC && OUT_SMALL)

#if REVERSES
/* Four bytes of a mirrored row: the first sample of word `above`, then those of the word before it,
 * but for its own first, reversed. */
INLINE uint mirrored_samples(uint above, uint below) {
    return sizeof(sink_element) == 1 ? REVERSED_BYTES(above, below)
                                     : (above & 0xffffu) | (below & 0xffff0000u);
}

/* Word i of the mirrored row: coordinate k has the row's sample at LENGTH - k; the first stays,
 * with the zero frequency at either place, as LENGTH is even. */
INLINE row_word mirrored_word(LOCAL const row_word *row, int i) {
    const row_word from = row[ROW_WORDS - 1 - i];
    const uint above = *(LOCAL const uint *)(row + (i ? ROW_WORDS - i : 0));
    row_word to;
#if ROW_ACCESS == 16
    to.x = mirrored_samples(above, from.w);
    to.y = mirrored_samples(from.w, from.z);
    to.z = mirrored_samples(from.z, from.y);
    to.w = mirrored_samples(from.y, from.x);
#elif ROW_ACCESS == 8
    to.x = mirrored_samples(above, from.y);
    to.y = mirrored_samples(from.y, from.x);
#else
    to = mirrored_samples(above, from);
#endif
    return to;
}
#define MIRRORED_WORD(words, i) mirrored_word(words, i)
#else
#define MIRRORED_WORD(words, i) (words)[ROW_WORDS + (i)]
#endif

/* Puts result k's sample, and its mirror image's if that differs. */
INLINE void put_sample(const struct sink *s, LOCAL sink_element *row, int k, cplx v) {
    const int centre = SHIFTED ? LENGTH / 2 : 0, to = k + centre;
    if (MIRROR && s->line.self && (k == 0 || 2 * k == LENGTH))
        v.y = R(0);
    const sink_element sample = as_sample(v, &s->shade, s->clipped);
    row[to >= LENGTH ? to - LENGTH : to] = sample;
#if MIRROR && !REVERSES
    const int from = centre - k;
    row[LENGTH + (from < 0 ? from + LENGTH : from)] =
        SYMMETRIC ? sample : as_sample(conj_of(v), &s->shade, s->clipped);
#endif
}

INLINE void store_rows(const struct sink *s, GLOBAL sink_element *dst, const cplx *x,
                       LOCAL word *tile) {
    LOCAL sink_element *row = (LOCAL sink_element *)tile + s->share.line * (MIRROR + 1) * LENGTH;
    LOCAL const row_word *words = (LOCAL const row_word *)row;
    BARRIER();
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = s->share.first + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++)
                put_sample(s, row, (int)p + q * (POINTS / LAST), x[b * LAST + q]);
        }
    }
    BARRIER();
    if (!s->line.there)
        return;
    GLOBAL row_word *to = (GLOBAL row_word *)(dst + s->line.out);
    GLOBAL row_word *mirrored = (GLOBAL row_word *)(dst + s->line.out_mirror);
    for (int i = (int)s->share.first; i < ROW_WORDS; i += PER_LINE) {
        to[i] = words[i];
        if (MIRROR && !s->line.own)
            mirrored[i] = MIRRORED_WORD(words, i);
    }
}
#endif

#endif
