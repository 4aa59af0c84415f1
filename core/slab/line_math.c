/* Twiddles, pairs of real samples, and the interleaving of rows. */
#include "core/slab/line_math.h"

#include <string.h>

#include "core/base/halves.h"
#include "core/base/sample_run.h"

enum { CHUNK = 256 };

static inline struct gf_number times(struct gf_number a, struct gf_number b) {
    return (struct gf_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(-2 pi i step j / n), j < CHUNK. */
static void fill_roots(const struct gf_roots *r, int64_t step, struct gf_number *to) {
    for (int j = 0; j < CHUNK; j++) {
        long double re, im;
        gf_roots_at(r, (uint64_t)step * (uint64_t)j % r->n, &re, &im);
        to[j] = (struct gf_number){(double)re, (double)im};
    }
}

static struct gf_number root_at(const struct gf_roots *r, uint64_t k) {
    long double re, im;
    gf_roots_at(r, k % r->n, &re, &im);
    return (struct gf_number){(double)re, (double)im};
}

/* The product of two 64-bit numbers modulo n. */
static uint64_t product_mod(int64_t a, int64_t b, uint64_t n) {
    return (uint64_t)((unsigned __int128)(uint64_t)a * (uint64_t)b % n);
}

static inline __attribute__((always_inline)) void twiddle_chunk(const struct gf_number *fine,
                                                                struct gf_number base,
                                                                int64_t count, int64_t width,
                                                                bool wide, void *columns) {
    for (int64_t j = 0; j < count; j++) {
        const struct gf_number w = times(base, fine[j]);
        for (int64_t c = 0; c < width; c++) {
            const int64_t i = j * width + c;
            gf_number_put(columns, i, wide, times(gf_number_get(columns, i, wide), w));
        }
    }
}

void gf_line_twiddle(const struct gf_line_twiddle *t, void *columns) {
    struct gf_number fine[CHUNK];
    const double sign = t->inverse ? -1 : 1;
    fill_roots(t->roots, t->row, fine);
    for (int j = 0; j < CHUNK; j++)
        fine[j].im *= sign;
#pragma omp parallel for num_threads(t->threads) if (t->threads > 1)
    for (int64_t at = 0; at < t->count; at += CHUNK) {
        const int64_t n = t->count - at < CHUNK ? t->count - at : CHUNK;
        struct gf_number base = root_at(t->roots, product_mod(t->row, t->first + at, t->roots->n));
        char *to = (char *)columns + at * t->width * (t->wide ? 16 : 8);
        base.im *= sign;
        if (t->width == 1 && !t->wide) /* constants, so that it becomes vectors */
            twiddle_chunk(fine, base, n, 1, false, to);
        else
            twiddle_chunk(fine, base, n, t->width, t->wide, to);
    }
}

/* ---- real samples ---- */

/* z = x[2j] + i x[2j + 1] has the spectrum Z; with E and O those of the even and the odd samples,
 * E = (Z(k) + conj Z(n - k)) / 2, O = (Z(k) - conj Z(n - k)) / 2i, and X(k) = E + w O,
 * X(n - k) = conj(E - w O), w = exp(-2 pi i k / 2n). */
static void forward_pair(struct gf_number w, struct gf_number *a, struct gf_number *b) {
    const struct gf_number e = {(a->re + b->re) / 2, (a->im - b->im) / 2};
    const struct gf_number o = {(a->im + b->im) / 2, (b->re - a->re) / 2}, wo = times(w, o);
    *a = (struct gf_number){e.re + wo.re, e.im + wo.im};
    *b = (struct gf_number){e.re - wo.re, wo.im - e.im};
}

/* Z(k) = E + i conj(w) D, Z(n - k) = conj(E) + i conj(conj(w) D), with E and D the sum and the
 * difference of X(k) and conj X(n - k). */
static void inverse_pair(struct gf_number w, struct gf_number *a, struct gf_number *b) {
    const struct gf_number e = {a->re + b->re, a->im - b->im}, d = {a->re - b->re, a->im + b->im};
    const struct gf_number wd = times((struct gf_number){w.re, -w.im}, d);
    *a = (struct gf_number){e.re - wd.im, e.im + wd.re};
    *b = (struct gf_number){e.re + wd.im, wd.re - e.im};
}

/* Point 0 and point n: both are real. */
static void ends(const struct gf_line_pairs *t, void *low, void *high) {
    const int64_t last = (t->count - 1) * t->width;
    for (int64_t c = 0; c < t->width; c++) {
        const struct gf_number a = gf_number_get(low, c, t->wide);
        if (!t->inverse) {
            gf_number_put(low, c, t->wide, (struct gf_number){a.re + a.im, 0});
            gf_number_put(high, last + c, t->wide, (struct gf_number){a.re - a.im, 0});
        } else {
            const struct gf_number b = gf_number_get(high, last + c, t->wide);
            gf_number_put(low, c, t->wide, (struct gf_number){a.re + b.re, a.re - b.re});
        }
    }
}

void gf_line_pairs(const struct gf_line_pairs *t, void *low, void *high) {
    struct gf_number fine[CHUNK];
    fill_roots(t->roots, t->step, fine);
    const int64_t from = t->first == 0;
    if (from)
        ends(t, low, high);
#pragma omp parallel for num_threads(t->threads) if (t->threads > 1)
    for (int64_t at = from; at < t->count; at += CHUNK) {
        const int64_t end = t->count - at < CHUNK ? t->count : at + CHUNK;
        const struct gf_number base = root_at(t->roots, (uint64_t)(t->first + at * t->step));
        for (int64_t j = at; j < end; j++) {
            const struct gf_number w = times(base, fine[j - at]);
            for (int64_t c = 0; c < t->width; c++) {
                const int64_t i = j * t->width + c, k = (t->count - 1 - j) * t->width + c;
                struct gf_number a = gf_number_get(low, i, t->wide),
                                 b = gf_number_get(high, k, t->wide);
                if (t->inverse)
                    inverse_pair(w, &a, &b);
                else
                    forward_pair(w, &a, &b);
                gf_number_put(low, i, t->wide, a);
                gf_number_put(high, k, t->wide, b);
            }
        }
    }
}

/* ---- samples ---- */

/* Real numbers of `count` samples, in their order. */
static double read_reals(const struct gf_line_samples *s, const char *from, int64_t count,
                         int64_t at, void *points) {
    double re[CHUNK], im[CHUNK], sum = 0;
    const int64_t size = (int64_t)gf_dtype_size(s->type);
    gf_sample_run_read(from, s->type, size, count, re, im);
    for (int64_t i = 0; i < count; i++)
        sum += re[i] * re[i] + im[i] * im[i];
    for (int64_t i = 0; i < count && !s->pairs; i++)
        gf_number_put(points, at + i, s->wide, (struct gf_number){re[i], im[i]});
    /* Sample at + i is that of channel (at + i) mod width. */
    for (int64_t i = 0; i < count && s->pairs; i++) {
        const int64_t k = (at + i) / s->width, c = (at + i) % s->width;
        const int64_t to = s->width == 1 ? at + i : 2 * (k / 2 * s->width + c) + k % 2;
        if (s->wide)
            ((double *)points)[to] = re[i];
        else
            ((float *)points)[to] = (float)re[i];
    }
    return sum;
}

double gf_line_points(const struct gf_line_samples *s, const void *samples, void *points) {
    const int64_t count = s->count * s->width * (s->pairs ? 2 : 1);
    const int64_t size = (int64_t)gf_dtype_size(s->type);
    double sum = 0;
#pragma omp parallel for num_threads(s->threads) if (s->threads > 1) reduction(+ : sum)
    for (int64_t at = 0; at < count; at += CHUNK)
        sum += read_reals(s, (const char *)samples + at * size,
                          count - at < CHUNK ? count - at : CHUNK, at, points);
    return sum;
}

static int64_t result_chunk(const struct gf_line_result *r, const char *from, int64_t count,
                            char *to) {
    const int64_t in = (int64_t)gf_dtype_size(r->from), out = (int64_t)gf_dtype_size(r->to);
    double re[CHUNK], im[CHUNK];
    gf_sample_run_read(from, r->from, in, count, re, im);
    for (int64_t i = 0; i < count; i++) {
        re[i] *= r->scale;
        im[i] *= r->scale;
    }
    gf_sample_run_kind(r->kind, count, re, im);
    const int64_t clipped = gf_dtype_is_integer(r->to) ? gf_sample_run_round(r->to, count, re) : 0;
    gf_sample_run_write(to, r->to, out, count, re, im);
    return clipped;
}

int64_t gf_line_result(const struct gf_line_result *r, const void *numbers, void *samples) {
    const int64_t in = (int64_t)gf_dtype_size(r->from), out = (int64_t)gf_dtype_size(r->to);
    int64_t clipped = 0;
#pragma omp parallel for num_threads(r->threads) if (r->threads > 1) reduction(+ : clipped)
    for (int64_t at = 0; at < r->count; at += CHUNK)
        clipped +=
            result_chunk(r, (const char *)numbers + at * in,
                         r->count - at < CHUNK ? r->count - at : CHUNK, (char *)samples + at * out);
    return clipped;
}

void gf_line_hermitian(void *half, const void *mirror, int64_t count, int64_t width, bool wide,
                       double energy[2]) {
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < width; c++) {
            const struct gf_number f = gf_number_get(half, i * width + c, wide);
            const struct gf_number g = gf_number_get(mirror, (count - 1 - i) * width + c, wide);
            gf_number_put(half, i * width + c, wide, gf_half_hermitian(f, g, wide, 1, energy));
        }
}

/* ---- filters ---- */

void gf_line_times(const double *value, int64_t count, int64_t width, bool wide, void *numbers) {
    for (int64_t i = 0; i < count; i++) {
        const struct gf_number h = {value[2 * i], value[2 * i + 1]};
        for (int64_t c = i * width; c < (i + 1) * width; c++)
            gf_number_put(numbers, c, wide, times(gf_number_get(numbers, c, wide), h));
    }
}

void gf_line_conjugate(int64_t count, bool wide, int threads, void *numbers) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < count; i++)
        if (wide)
            ((double *)numbers)[2 * i + 1] *= -1;
        else
            ((float *)numbers)[2 * i + 1] *= -1;
}

/* ---- rows and the line ---- */

static inline __attribute__((always_inline)) void weave_column(const struct gf_line_weave *w,
                                                               int64_t k2, int64_t point,
                                                               char *rows, char *line,
                                                               bool to_line) {
    char *at = line + (w->row + w->n1 * k2 - w->first) * point;
    for (int64_t i = 0; i < w->n; i++) {
        const int64_t j = k2 - w->column[i];
        if (j < 0 || j >= w->run[i])
            continue;
        char *one = rows + i * w->stride + j * point, *other = at + i * point;
        memcpy(to_line ? other : one, to_line ? one : other, (size_t)point);
    }
}

void gf_line_weave(const struct gf_line_weave *w, char *rows, char *line, bool to_line) {
    int64_t from = INT64_MAX, end = 0;
    for (int64_t i = 0; i < w->n; i++) {
        from = w->run[i] && w->column[i] < from ? w->column[i] : from;
        end = w->column[i] + w->run[i] > end ? w->column[i] + w->run[i] : end;
    }
#pragma omp parallel for num_threads(w->threads) if (w->threads > 1)
    for (int64_t k2 = from; k2 < end; k2++)
        if (w->point == 8) /* a constant, so that a copy is a move */
            weave_column(w, k2, 8, rows, line, to_line);
        else
            weave_column(w, k2, w->point, rows, line, to_line);
}
