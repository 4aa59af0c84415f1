/* One line that stays in the caches, transformed within vectors as in kernels/cpu/rows.h, in two halves
 * whose parts threads may share. The first stage reads the line, and the last one is done for as many
 * vectors as make squares, which are finished while the nearest cache holds them. */
#ifndef GF_KERNELS_CPU_ROW_LINE_H
#define GF_KERNELS_CPU_ROW_LINE_H

typedef void row_leaf_function(const struct row_end *from, long first, long stride, cvec *b);

/* Stages s and inwards over a line's vectors `first`, first + stride, …, from memory to b. */
static void row_stages(const struct gf_cpu_line *line, int s, const struct row_end *from,
                       row_leaf_function *leaf, long first, long stride, cvec *b) {
    if (s == line->n_stages - 1) {
        leaf(from, first, stride, b);
        return;
    }
    const int radix = line->radix[s];
    const long m = line->n / stride / radix;
    for (int i = 0; i < radix; i++)
        row_stages(line, s + 1, from, leaf, first + i * stride, stride * radix, b + i * m);
    codelets[radix].stage(b, m, m, line->twiddle[s]);
}

/* Blocks `i` to end - 1 of stage 0. */
static void row_first(const struct gf_cpu_line *line, const struct row_end *from,
                      row_leaf_function *leaf, long i, long end, cvec *b) {
    const long radix = line->radix[0], m = line->n / radix;
    for (; i < end; i++)
        row_stages(line, 1, from, leaf, i, radix, b + i * (m + GF_CPU_SPLIT_APART));
}

/* Stage 0 and what follows it, for the points k to end - 1 of its blocks. */
INLINE void row_second(const struct gf_cpu_row *rows, cvec *b, long k, long end,
                       const struct row_end *from, const struct row_end *to, int block) {
    const struct gf_cpu_line *line = rows->line;
    const long radix = line->radix[0], m = line->n / radix;
    const real *w = line->twiddle[0];
    for (; k < end; k += block) {
        codelets[radix].stage(b + k, m + GF_CPU_SPLIT_APART, block, w + 2 * k * (radix - 1));
        for (long r = 0; r < radix; r++) {
            cvec *y = b + r * (m + GF_CPU_SPLIT_APART) + k;
            row_finish_vectors(rows, y, r * m + k, from, to, block);
        }
    }
}

static void row_leaf_8(const struct row_end *from, long first, long stride, cvec *b) {
    row_leaf(8, from, first, stride, b, LANES, true);
}
static void row_leaf_16(const struct row_end *from, long first, long stride, cvec *b) {
    row_leaf(16, from, first, stride, b, LANES, true);
}

/* All stages of the vectors, to the second half of the workspace. */
static void split_vectors(const struct gf_cpu_split *s, const struct row_end *from,
                          row_leaf_function *leaf) {
    const struct gf_cpu_line *line = s->rows->line;
    cvec *a = s->work;
    if (gf_cpu_split_reads(s->rows)) {
        row_stages(line, 0, from, leaf, 0, 1, a + line->n);
        return;
    }
    for (long i = 0; i < line->n; i++)
        a[i] = row_read(from, i * LANES, LANES, true);
    line_run(line, a, a + line->n);
}

static void split(const struct gf_cpu_split *s, bool second, long first, long last) {
    const struct gf_cpu_line *line = s->rows->line;
    const real sign = s->inverse ? -1 : 1, factor = (real)s->factor;
    const bool joins = gf_cpu_split_joins(s->rows);
    row_leaf_function *leaf = line->radix[line->n_stages - 1] == 8 ? row_leaf_8 : row_leaf_16;
    const struct row_end from = {.re = {(real *)s->in}, .im_factor = sign};
    const struct row_end to = {
        .kind = ROW_PAIRS, .re = {s->out}, .re_factor = factor, .im_factor = factor * sign};
    cvec *vectors = (cvec *)s->work + line->n;
    if (!second && joins)
        row_first(line, &from, leaf, first, last, s->work);
    else if (!second)
        split_vectors(s, &from, leaf);
    else if (joins)
        row_second(s->rows, s->work, first * LANES, last * LANES, &from, &to, LANES);
    else
        for (long k = first * LANES; k < last * LANES; k += LANES)
            row_finish_vectors(s->rows, vectors + k, k, &from, &to, LANES);
}

#endif
