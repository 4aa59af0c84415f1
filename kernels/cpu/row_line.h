/* A line that stays in the caches, transformed within vectors (rows.h) in two halves whose parts
 * can be shared by threads. The first stage reads the line; the last one is done for just enough
 * vectors to form squares, which are completed in the nearest cache. */
#ifndef GF_KERNELS_CPU_ROW_LINE_H
#define GF_KERNELS_CPU_ROW_LINE_H

/* Sets the ends of all lines that share vectors. */
INLINE void split_ends(const struct gf_cpu_split *s, struct row_end *from, struct row_end *to) {
    const real sign = s->inverse ? -1 : 1, factor = (real)s->factor;
    *from = (struct row_end){.kind = ROW_PAIRS, .re_factor = 1, .im_factor = sign};
    *to = (struct row_end){.kind = ROW_PAIRS, .re_factor = factor, .im_factor = factor * sign};
    for (int l = 0; l < LANES / s->rows->block; l++) {
        from->re[l] = (real *)s->in;
        to->re[l] = s->out;
    }
}

static void split(const struct gf_cpu_split *s, bool second, int64_t first, int64_t last) {
    const struct gf_cpu_line *line = s->rows->line;
    const bool joins = s->rows->joins;
    cvec *a = s->work;
    struct row_end from, to;
    split_ends(s, &from, &to);
    if (!second && joins)
        row_first(line, &from, row_leaves_for(line, &from, LANES), first, last, a);
    else if (!second)
        rows_vectors(s->rows, &from, a, a + line->n, LANES);
    else if (joins)
        row_second(s->rows, a, first * LANES, last * LANES, &from, &to, LANES);
    else
        for (int64_t k = first * LANES; k < last * LANES; k += LANES)
            row_finish_vectors(s->rows, a + line->n + k, k, &from, &to, LANES);
}

/* LANES / block lines share vectors: all are this one. */
static void line(const struct gf_cpu_split *s) {
    const struct gf_cpu_row *rows = s->rows;
    struct row_end from, to;
    split_ends(s, &from, &to);
#if N_LANES == 16
    if (s->halves && !s->inverse && rows->block == 16 &&
        (rows->line->n == 4 || rows->line->n == 8)) {
        row_few_halves(rows, &from, &to, s->halves);
        return;
    }
#endif
    if (s->halves && s->inverse)
        pack(s->halves, 0, INT64_MAX);
    rows_run(rows, &from, &to, 1, s->work, (cvec *)s->work + rows->line->n);
    if (s->halves && !s->inverse)
        unpack(s->halves, 0, INT64_MAX);
}

#endif
