/* The arithmetic of long lines: twiddles, real rows, interleaving. */
#include "core/split/line_numbers.h"

enum { CHUNK = 256 };

/* exp(-+2 pi i k / n) */
static struct gf_number root_at(const struct gf_slab_twiddle *t, uint64_t k) {
    long double re, im;
    gf_roots_at(t->roots, k % t->roots->n, &re, &im);
    return (struct gf_number){(double)re, t->inverse ? -(double)im : (double)im};
}

/* a b mod n */
static uint64_t product_mod(int64_t a, int64_t b, uint64_t n) {
    return (uint64_t)((unsigned __int128)(uint64_t)a * (uint64_t)b % n);
}

static inline __attribute__((always_inline)) void twiddle_chunk(const struct gf_number *fine,
                                                                struct gf_number base,
                                                                int64_t count, int64_t width,
                                                                bool is_double, void *columns) {
    for (int64_t j = 0; j < count; j++) {
        const struct gf_number w = gf_number_times(base, fine[j]);
        for (int64_t c = 0; c < width; c++) {
            const int64_t i = j * width + c;
            gf_number_put(columns, i, is_double,
                          gf_number_times(gf_number_get(columns, i, is_double), w));
        }
    }
}

void gf_slab_twiddle(const struct gf_slab_twiddle *t, void *columns) {
    struct gf_number fine[CHUNK];
    for (int j = 0; j < CHUNK; j++)
        fine[j] = root_at(t, (uint64_t)t->row * (uint64_t)j);
#pragma omp parallel for num_threads(t->threads) if (t->threads > 1)
    for (int64_t at = 0; at < t->count; at += CHUNK) {
        const int64_t n = gf_min(t->count - at, CHUNK);
        const struct gf_number base = root_at(t, product_mod(t->row, t->first + at, t->roots->n));
        char *to = (char *)columns + at * t->width * (t->is_double ? 16 : 8);
        if (t->width == 1 && !t->is_double) /* constants let the loop be vectorized */
            twiddle_chunk(fine, base, n, 1, false, to);
        else
            twiddle_chunk(fine, base, n, t->width, t->is_double, to);
    }
}

void gf_slab_fold(void *a, void *b, int64_t count, bool is_double, bool back) {
    for (int64_t i = 0; i < count && !back; i++) {
        const double x = gf_real_get(a, 2 * i, is_double), y = gf_real_get(b, 2 * i, is_double);
        gf_real_put(a, i, is_double, (x + y) / 2);
        gf_real_put(b, i, is_double, (x - y) / 2);
    }
    for (int64_t i = count - 1; i >= 0 && back; i--) {
        const double x = gf_real_get(a, i, is_double), y = gf_real_get(b, i, is_double);
        gf_number_put(a, i, is_double, (struct gf_number){(x + y) / 2, 0});
        gf_number_put(b, i, is_double, (struct gf_number){(x - y) / 2, 0});
    }
}

static inline __attribute__((always_inline)) void weave_at(const struct gf_slab_weave *w, int64_t j,
                                                           int64_t point, int64_t number,
                                                           char *staged, char *line, bool to_line) {
    for (int i = 0; i < w->n; i++) {
        const int64_t count = w->run[i].count;
        const bool mirrored = w->run[i].mirrored;
        if (j >= count)
            continue;
        char *one = staged + i * w->stride + (mirrored ? count - 1 - j : j) * point;
        char *other = line + (w->run[i].at + w->step * j) * point, *to = to_line ? other : one;
        memcpy(to, to_line ? one : other, (size_t)point);
        for (int64_t c = 0; c < point && mirrored; c += number)
            gf_number_put(to + c, 0, number == 16,
                          gf_number_conjugate(gf_number_get(to + c, 0, number == 16)));
    }
}

void gf_slab_weave(const struct gf_slab_weave *w, char *staged, char *line, bool to_line) {
    int64_t longest = 0;
    for (int i = 0; i < w->n; i++)
        longest = w->run[i].count > longest ? w->run[i].count : longest;
#pragma omp parallel for num_threads(w->threads) if (w->threads > 1)
    for (int64_t j = 0; j < longest; j++)
        if (w->point == 8) /* constants turn the copy into a move */
            weave_at(w, j, 8, 8, staged, line, to_line);
        else
            weave_at(w, j, w->point, w->number, staged, line, to_line);
}
