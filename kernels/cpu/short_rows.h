/* Tiles of short real lines and their half spectra: LANES pairs of lines fill the lanes, the first
 * of each pair in the real parts, transposed from and to memory. Splitting a single line of few
 * vectors (row_tile.h) costs more than transposing it. */
#ifndef GF_KERNELS_CPU_SHORT_ROWS_H
#define GF_KERNELS_CPU_SHORT_ROWS_H

/* True for lines of whole vectors, evenly spaced at both ends, enough to fill the lanes; half
 * spectra in pairs. */
static bool rows_are_short(const struct row_work *w) {
    const struct gf_cpu_pass_args *p = w->t->pass;
    const struct gf_cpu_end *spectra = p->form == GF_CPU_R2C ? w->to.end : w->from.end;
    return p->form != GF_CPU_C2C && p->n <= GF_CPU_SHORT_ROW && p->n % LANES == 0 && w->from.next &&
           w->to.next && spectra->type != GF_CPU_WORK && !p->packs && !p->part &&
           p->n_lane >= LANES;
}

/* LANES lines starting at `first`, `stride` bytes apart; missing ones repeat the last. */
struct short_lines {
    char *at;
    ptrdiff_t stride;
    int count; /* existing lines, at least one */
};

INLINE char *short_line(const struct short_lines *s, int l) {
    return s->at + (l < s->count ? l : s->count - 1) * s->stride;
}

static struct short_lines short_lines(const struct row_work *w, const struct row_side *side,
                                      int first) {
    const int count = real_lines(w->t), left = count - first;
    return (struct short_lines){.at = (char *)row_place(side, left > 0 ? first : count - 1).at,
                                .stride = side->end->lane.stride,
                                .count = left < 1       ? 1
                                         : left < LANES ? left
                                                        : LANES};
}

/* Reads LANES reals of each line, starting at byte `offset`, and transposes them. */
INLINE void short_read(const struct short_lines *s, enum gf_cpu_sample type, ptrdiff_t offset,
                       vec column[LANES]) {
    if (s->count == LANES) {
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++)
            column[l] = read_reals(type, s->at + l * s->stride + offset);
    } else {
        for (int l = 0; l < LANES; l++)
            column[l] = read_reals(type, short_line(s, l) + offset);
    }
    vec_transpose(column);
}

/* Writes the transposed columns to each line, starting at real `at`. */
INLINE void short_write(const struct short_lines *s, int64_t at, vec column[LANES], bool stream) {
    vec_transpose(column);
    if (s->count < LANES) {
        for (int l = 0; l < s->count; l++)
            vec_storeu((real *)(s->at + l * s->stride) + at, column[l]);
    } else if (stream) {
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++)
            vec_stream((real *)(s->at + l * s->stride) + at, column[l]);
    } else {
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++)
            vec_storeu((real *)(s->at + l * s->stride) + at, column[l]);
    }
}

/* Frequency k of the lines in z's real or imaginary parts: half of z[k] + conj z[n - k], or of
 * their difference over i. */
INLINE cvec short_frequency(const cvec *z, int64_t k, int64_t n, bool second, vec f) {
    const cvec x = z[k], y = z[k ? n - k : 0];
    return second ? (cvec){(x.im + y.im) * f, (y.re - x.re) * f}
                  : (cvec){(x.re + y.re) * f, (x.im - y.im) * f};
}

/* Writes the half spectra of the lines in one of z's parts. */
INLINE void short_split(const struct short_lines *s, const cvec *z, int64_t n, real factor,
                        bool second) {
    const vec f = vec_splat(factor * (real)0.5);
    vec column[LANES];
    for (int64_t k = 0; k < n / 2; k += LANES / 2) {
#pragma GCC unroll 8
        for (int j = 0; j < LANES / 2; j++) {
            cvec x = short_frequency(z, k + j, n, second, f);
            column[2 * j] = x.re;
            column[2 * j + 1] = x.im;
        }
        short_write(s, 2 * k, column, false);
    }
    real last[2 * LANES];
    store_pairs(last, short_frequency(z, n / 2, n, second, f));
    for (int l = 0; l < s->count; l++)
        memcpy((real *)(s->at + l * s->stride) + n, last + 2 * l, 2 * sizeof *last);
}

static void short_rows_to_half(const struct row_work *w) {
    /* measured: rows of 16 points lose 5 to 15% */
    enum { WORTH_WRITING = 32 };
    const struct gf_cpu_pass_args *p = w->t->pass;
    const enum gf_cpu_sample type = w->from.end->type;
    const int count = real_lines(w->t);
    struct row_writer writer, *writes = NULL;
    if (half_rows(w, count))
        return;
    if (p->n >= WORTH_WRITING)
        writes = begin_writing(w, p->n / 2 + 1, &writer);
    for (int i = 0; i < count; i += 2 * LANES) {
        for (int h = 0; h < 2; h++) {
            const struct short_lines s = short_lines(w, &w->from, i + h * LANES);
            for (int64_t k = 0; k < p->n; k += LANES) {
                vec column[LANES];
                short_read(&s, type, k * sample_size[type], column);
                for (int j = 0; j < LANES; j++)
                    *(h ? &w->a[k + j].im : &w->a[k + j].re) = column[j];
            }
        }
        const cvec *z = line_run(p->line, w->a, w->b);
        char *room = writes ? writer_room(writes) : NULL;
        const int here = count - i < 2 * LANES ? count - i : 2 * LANES;
        for (int h = 0; h < 2 && h * LANES < here; h++) {
            struct short_lines s = short_lines(w, &w->to, i + h * LANES);
            if (room)
                s.at = room + h * LANES * s.stride;
            if (h)
                short_split(&s, z, p->n, (real)w->to.end->factor, true);
            else
                short_split(&s, z, p->n, (real)w->to.end->factor, false);
        }
        if (writes)
            writer_add(writes, (size_t)(here * w->to.end->lane.stride));
    }
    if (writes)
        writer_end(writes);
}

/* Reads half spectra of LANES lines, transposed. Imaginary parts at 0 and n / 2 are zero by
 * symmetry. */
static void short_spectra(const struct short_lines *s, int64_t n, cvec *x) {
    const enum gf_cpu_sample type = sizeof(real) == 4 ? GF_CPU_F32 : GF_CPU_F64;
    vec column[LANES];
    for (int64_t k = 0; k < n / 2; k += LANES / 2) {
        short_read(s, type, 2 * k * (int64_t)sizeof(real), column);
        for (int j = 0; j < LANES / 2; j++)
            x[k + j] = (cvec){column[2 * j], column[2 * j + 1]};
    }
    real last[LANES];
    for (int l = 0; l < LANES; l++)
        last[l] = ((const real *)short_line(s, l))[n];
    x[0].im = (vec){0};
    x[n / 2] = (cvec){vec_loadu(last), {0}};
}

static void short_rows_to_real(const struct row_work *w) {
    const struct gf_cpu_pass_args *p = w->t->pass;
    const struct gf_cpu_end *d = w->to.end;
    const int count = real_lines(w->t);
    const vec factor = vec_splat((real)d->factor);
    for (int i = 0; i < count; i += 2 * LANES) {
        cvec *x = w->b, *y = x + p->n / 2 + 1, *z = w->a;
        struct short_lines s = short_lines(w, &w->from, i);
        short_spectra(&s, p->n, x);
        s = short_lines(w, &w->from, i + LANES);
        short_spectra(&s, p->n, y);
        z[0] = (cvec){x[0].re, -y[0].re};
        for (int64_t k = 1; k <= p->n / 2; k++) { /* like join_rows() */
            z[k] = (cvec){x[k].re - y[k].im, -(x[k].im + y[k].re)};
            z[p->n - k] = (cvec){x[k].re + y[k].im, x[k].im - y[k].re};
        }
        const cvec *r = line_run(p->line, w->a, w->b);
        for (int h = 0; h < 2 && i + h * LANES < count; h++) {
            const struct short_lines to = short_lines(w, &w->to, i + h * LANES);
            const bool stream =
                d->stream && ((uintptr_t)to.at | (uintptr_t)to.stride) % sizeof(vec) == 0;
            for (int64_t k = 0; k < p->n; k += LANES) {
                vec column[LANES];
                for (int j = 0; j < LANES; j++)
                    column[j] = h ? -r[k + j].im * factor : r[k + j].re * factor;
                short_write(&to, k, column, stream);
            }
        }
    }
}

static void run_short_rows(struct row_work *w) {
    const struct gf_cpu_pass_args *p = w->t->pass;
    const int64_t points = gf_cpu_scratch_points(p, LANES);
    w->a = w->t->a;
    w->b = w->a + points;
    w->stage = (char *)(w->b + points); /* aligned like cvec */
    if (p->form == GF_CPU_R2C)
        short_rows_to_half(w);
    else
        short_rows_to_real(w);
}

static void run_rows(const struct tile *t) {
    const struct gf_cpu_row *rows = t->pass->rows;
    struct row_work w; /* not cleared, which would take longer than transforming short lines */
    w.t = t;
    w.from = row_side(t, &t->pass->source);
    w.to = row_side(t, &t->pass->destination);
    w.a = t->a;
    w.lines = LANES / rows->block;
    w.b = w.a + rows->line->scratch_points;
    w.planes = (real *)(w.b + rows->line->scratch_points + gf_cpu_row_apart(rows));
    w.pitch = gf_cpu_row_pitch(rows->n, LANES);
    w.stage = (char *)(w.planes + (2 * w.lines + 1) * w.pitch);
    w.stage += -(uintptr_t)w.stage % WRITER_UNIT;
    if (rows_are_short(&w)) {
        run_short_rows(&w);
        return;
    }
    if (w.to.end->band)
        stage_lines(&w, t->count[0] + t->count[1],
                    (size_t)(rows->n * sample_size[w.from.end->type]));
    switch (t->pass->form) {
    case GF_CPU_C2C:
        run_complex_rows(&w);
        break;
    case GF_CPU_R2C:
        run_rows_to_half(&w);
        break;
    case GF_CPU_C2R:
        run_rows_to_real(&w);
        break;
    case GF_CPU_R2R: /* has a gain */
        break;
    }
}

#endif
