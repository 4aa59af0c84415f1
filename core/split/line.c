/* Transforms lines that do not fit memory. A line of n samples is a matrix of n1 rows and n2
 * columns: it is transformed along the columns, multiplied by twiddles, transformed along the rows,
 * and read column by column (Bailey 1990, "FFTs in external or hierarchical memory", four-step).
 * Forward in three walks, inverse in the opposite order:
 *
 *     blocks of columns    n1 runs of the file; along the columns, times exp(-2 pi i k1 i2 / n)
 *     rows                 one after the other, n2 points each
 *     slabs                runs of all rows, whose points k1 + n1 k2 are interleaved into the result
 *
 * Columns of real samples have half spectra, rows 0 to n1/2. The other rows are mirror images, as
 * k1 + n1 k2 is the negative of n1 - k1 + n1 (n2 - 1 - k2). Rows 0 and n1/2 hold the multiples of
 * n1/2; the exchange has one real line of 2 n2 samples for both, so half a line's numbers take half
 * its rows.
 *
 * The exchange holds the matrix row by row. n1 is the least divisor of n whose rows fit memory,
 * which makes the file's runs as long as possible: about M^2 / 3n bytes with M bytes of memory in a
 * slot. Two walks would have runs of the square root of that. */
#include "core/split/line_numbers.h"

#include "core/base/value/status.h"

/* ---- the state ---- */

struct lines {
    struct gf_slab_state *r;
    const struct gf_slab_plan *p;
    int64_t n, point; /* points of a line in the exchange; bytes of a point */
    int64_t step;     /* rows of the whole matrix, and the step between a row's frequencies */
    const struct gf_roots *roots;       /* of a line's length */
    struct gf_ranges *ranges;           /* the run's */
    void *staged, *numbers, *converted; /* rooms of the slabs' walk */
};

static bool is_real(const struct lines *l) {
    return gf_job_is_real(&l->p->job);
}

/* Samples of a line. */
static int64_t length_of(const struct lines *l) {
    return l->p->job.shape[l->p->job.ndim - 1];
}

static bool is_inverse(const struct lines *l) {
    return l->p->job.direction == GF_INVERSE;
}

/* The offset of a point in the exchange. */
static int64_t place(const struct lines *l, int64_t line, int64_t row, int64_t column) {
    return (line * l->n + row * l->p->rows + column) * l->point;
}

static int move(struct lines *l, int64_t at, void *data, int64_t bytes, bool gets) {
    const struct gf_slab_io *io = l->r->io;
    return gets ? io->get(io->user, at, data, bytes) : io->put(io->user, at, data, bytes);
}

/* ---- columns ---- */

/* Some columns of a line: numbers, [row][column], and samples of the input or of each output, which
 * are the numbers if in_place. */
struct columns {
    struct lines *l;
    bool inverse, in_place;
    int64_t line, first, count;
    char *block;
    void *samples[GF_MAX_OUTPUTS];
};

/* Copies the columns' spectra to or from the exchange. */
static int move_columns(struct lines *l, const struct columns *c, bool gets) {
    const struct gf_slab_plan *p = l->p;
    const int64_t run = c->count * l->point;
    int rc = 0;
    if (p->real && !gets)
        gf_slab_fold(c->block, c->block + p->pages * run, c->count * p->width,
                     gf_slab_is_double(l->p), false);
    for (int64_t k = 0; k < p->pages + p->real && !rc; k++) {
        const bool folded = p->real && k % p->pages == 0; /* two rows of reals, consecutive */
        const int64_t at =
            folded ? place(l, c->line, 0, 0) + ((k ? p->rows : 0) + c->first) * l->point / 2
                   : place(l, c->line, k, c->first);
        rc = move(l, at, c->block + k * run, folded ? run / 2 : run, gets);
    }
    if (p->real && gets && !rc)
        gf_slab_fold(c->block, c->block + p->pages * run, c->count * p->width,
                     gf_slab_is_double(l->p), true);
    if (!rc)
        gf_slab_moved(l->r, c->count * p->pages * l->point);
    return rc;
}

static void twiddle(const struct lines *l, const struct columns *c, bool inverse) {
    for (int64_t k1 = 1; k1 < l->p->pages; k1++)
        gf_slab_twiddle(&(struct gf_slab_twiddle){l->roots, k1, c->first, c->count, l->p->width,
                                                  inverse, gf_slab_is_double(l->p), l->r->threads},
                        c->block + k1 * c->count * l->point);
}

static int read_samples(const struct columns *c) {
    struct lines *l = c->l;
    const struct gf_slab_plan *p = l->p;
    const int64_t sample = p->width * (int64_t)gf_dtype_size(p->job.in_dtype);
    struct gf_array run = gf_array_wrap(NULL, p->job.in_dtype, 2, (int64_t[]){c->count, p->width});
    int rc = 0;
    for (int64_t i1 = 0; i1 < l->step && !rc; i1++) {
        run.data = (char *)c->samples[0] + i1 * c->count * sample;
        rc = l->r->io->read_span(l->r->io->user, (c->line * l->step + i1) * p->rows + c->first,
                                 c->count, run.data);
        if (!rc && l->ranges->samples)
            gf_range_energy_add(&(struct gf_job){.ndim = 1}, &run, l->ranges->energy);
    }
    if (!rc)
        gf_slab_moved(l->r, c->count * l->step * sample);
    return rc;
}

static int forward_columns(const struct columns *c) {
    struct lines *l = c->l;
    const struct gf_job job = gf_slab_line_columns_job(l->p, c->count, false);
    int rc = 0;
    if (l->step > 1 || !c->in_place)
        rc = gf_slab_run_part(l->r, &job, c->samples[0], (void *[]){c->block});
    if (!rc)
        twiddle(l, c, false);
    return rc;
}

static int put_columns(const struct columns *c) {
    return move_columns(c->l, c, false);
}

static int get_columns(const struct columns *c) {
    return move_columns(c->l, c, true);
}

/* The rows of samples up to the line's end, without the padding behind it. */
static int64_t kept_rows(const struct columns *c) {
    const struct gf_slab_plan *p = c->l->p;
    const int64_t kept = gf_job_counted(&p->job, p->job.ndim - 1) - c->first;
    return kept > 0 ? gf_min(gf_divide_up(kept, p->rows), c->l->step) : 0;
}

static int inverse_columns(const struct columns *c) {
    struct gf_job job = gf_slab_line_columns_job(c->l->p, c->count, true);
    job.counted[0] = kept_rows(c);
    if (!job.counted[0])
        return 0;
    twiddle(c->l, c, true);
    return gf_slab_run_part(c->l->r, &job, c->block, c->samples);
}

static int write_samples(const struct columns *c) {
    const struct gf_slab_plan *p = c->l->p;
    const struct gf_slab_io *io = c->l->r->io;
    const int64_t kept = gf_job_counted(&p->job, p->job.ndim - 1), rows = kept_rows(c);
    int rc = 0;
    for (int i = 0; i < p->job.n_out; i++) {
        const int64_t run = c->count * gf_slab_line_out_bytes(p, i);
        for (int64_t i1 = 0; i1 < rows && !rc; i1++)
            rc = io->write_span(io->user, i, c->line * kept + i1 * p->rows + c->first, c->count,
                                (char *)c->samples[i] + i1 * run);
        gf_slab_moved(c->l->r, rows * run);
    }
    return rc;
}

/* The bytes of a column's samples of the input, or of output i. */
static int64_t column_bytes(const struct columns *c, int i) {
    const struct gf_slab_plan *p = c->l->p;
    const enum gf_dtype t = c->inverse ? p->job.out[i].dtype : p->job.in_dtype;
    return c->l->step * p->width * (int64_t)gf_dtype_size(t);
}

/* Takes a step with the block of a part, in two pieces if the padding begins within it. */
static int step_columns(struct gf_slab_part *part, int (*step)(const struct columns *)) {
    struct columns c = *(const struct columns *)part->user;
    const struct gf_slab_plan *p = c.l->p;
    const int64_t k = part->index, first = k % p->n_blocks * p->block_units;
    const int64_t end = gf_min(first + p->block_units, p->rows);
    const int64_t kept = gf_job_counted(&p->job, p->job.ndim - 1) % p->rows;
    int rc = 0;
    c.line = k / p->n_blocks;
    for (c.first = first; c.first < end && !rc; c.first += c.count) {
        const int64_t done = c.first - first;
        c.count = (c.inverse && c.first < kept && kept < end ? kept : end) - c.first;
        for (int i = 0; i < GF_MAX_OUTPUTS && part->room[1 + i]; i++)
            c.samples[i] = (char *)part->room[1 + i] + done * column_bytes(&c, i);
        c.block = c.in_place ? c.samples[0]
                             : (char *)part->room[0] + done * (p->pages + p->real) * c.l->point;
        rc = step(&c);
    }
    return rc;
}

static int read_columns(struct gf_slab_state *r, struct gf_slab_part *part) {
    const bool inverse = ((const struct columns *)part->user)->inverse;
    (void)r;
    return step_columns(part, inverse ? get_columns : read_samples);
}

static int run_columns(struct gf_slab_state *r, struct gf_slab_part *part) {
    const bool inverse = ((const struct columns *)part->user)->inverse;
    (void)r;
    return step_columns(part, inverse ? inverse_columns : forward_columns);
}

static int write_columns(struct gf_slab_state *r, struct gf_slab_part *part) {
    const bool inverse = ((const struct columns *)part->user)->inverse;
    (void)r;
    return step_columns(part, inverse ? write_samples : put_columns);
}

static int column_walk(struct lines *l, bool inverse) {
    const struct gf_slab_plan *p = l->p;
    struct columns c = {.l = l, .inverse = inverse, .in_place = gf_slab_line_in_place(p, inverse)};
    struct gf_slab_walk walk = {.read = read_columns,
                                .work = run_columns,
                                .write = write_columns,
                                .writes_input = c.in_place,
                                .user = &c,
                                .n = p->lines * p->n_blocks};
    for (int i = 0; i < (inverse ? p->job.n_out : 1); i++) {
        walk.room[1 + i].bytes = p->block_units * column_bytes(&c, i);
        walk.room[1 + i].of = inverse && !c.in_place ? GF_SLAB_WRITTEN : GF_SLAB_READ;
    }
    walk.room[0].bytes = c.in_place ? 0 : (p->pages + p->real) * p->block_units * l->point;
    walk.room[0].of = inverse ? GF_SLAB_READ : GF_SLAB_WRITTEN;
    return gf_slab_walk(l->r, &walk);
}

/* ---- slabs ---- */

/* Frequencies of a line. */
struct span {
    int64_t line, first, count;
    char *numbers;
};

/* Copies rows k1 .. k1 + n - 1 to or from a span, in which their frequencies are `step` apart. */
static int move_rows(struct lines *l, const struct span *s, int64_t k1, int64_t n, int64_t step,
                     bool gets) {
    const struct gf_slab_plan *p = l->p;
    struct gf_slab_weave w = {.n = (int)n,
                              .step = step,
                              .stride = (s->count / step + 1) * l->point,
                              .point = l->point,
                              .number = p->number,
                              .threads = l->r->threads};
    int64_t from[GF_SLAB_STAGED];
    int rc = 0;
    for (int i = 0; i < n; i++) {
        const int64_t k = k1 + i, at = (k - s->first % step + step) % step;
        const int64_t column = (s->first + at) / step;
        const bool own = p->real && k == p->pages; /* kept in row 0 */
        const int64_t count = at < s->count && !own ? (s->count - at - 1) / step + 1 : 0;
        w.run[i].at = at;
        w.run[i].count = count;
        w.run[i].mirrored = p->real && k > p->pages;
        from[i] = w.run[i].mirrored ? place(l, s->line, step - k, p->rows - column - count)
                                    : place(l, s->line, k, column);
    }
    if (!gets)
        gf_slab_weave(&w, l->staged, s->numbers, false);
    for (int i = 0; i < n && !rc; i++)
        if (w.run[i].count)
            rc =
                move(l, from[i], (char *)l->staged + i * w.stride, w.run[i].count * l->point, gets);
    if (!rc && gets)
        gf_slab_weave(&w, l->staged, s->numbers, true);
    return rc;
}

/* Copies all but the last frequency of real samples, which is the imaginary part of the zero
 * frequency. */
static int move_span(struct lines *l, const struct span *all, bool gets) {
    struct span s = *all;
    s.count = gf_min(s.count, l->n - s.first);
    int rc = l->p->real && s.count > 0 ? move_rows(l, &s, 0, 1, l->p->pages, gets) : 0;
    for (int64_t k = l->p->real; k < l->step && s.count > 0 && !rc; k += GF_SLAB_STAGED)
        rc = move_rows(l, &s, k, gf_min(GF_SLAB_STAGED, l->step - k), l->step, gets);
    return rc;
}

/* Copies frequencies to output i, or from the input if i is -1. */
static int move_shifted(struct lines *l, int i, const struct span *s, char *data) {
    const struct gf_slab_plan *p = l->p;
    const struct gf_slab_io *io = l->r->io;
    const bool in = i < 0, half = is_real(l) && (in ? p->job.in_half : p->job.out[i].half);
    const int64_t all = half ? length_of(l) / 2 + 1 : length_of(l);
    const int64_t bytes = in ? l->point : gf_slab_line_out_bytes(p, i);
    struct gf_span run[2];
    int rc = 0;
    gf_span_shift((in ? p->job.in_shift : p->job.out[i].shift) && !half, all,
                  (struct gf_span){s->first, s->count}, run);
    for (int k = 0; k < 2 && run[k].count && !rc; data += run[k++].count * bytes) {
        const int64_t at = s->line * all + run[k].first;
        rc = in ? io->read_span(io->user, at, run[k].count, data)
                : io->write_span(io->user, i, at, run[k].count, data);
    }
    if (!rc)
        gf_slab_moved(l->r, s->count * bytes);
    return rc;
}

/* ---- forward ---- */

static int convert(struct lines *l, int i, const struct span *s) {
    return gf_slab_convert(l->r, i, (int64_t[]){1, s->count}, s->numbers, l->converted);
}

static int write_numbers(struct lines *l, int i, const struct span *s) {
    if (gf_slab_is_output(l->p, i))
        return move_shifted(l, i, s, s->numbers);
    int rc = convert(l, i, s);
    return rc ? rc : move_shifted(l, i, s, l->converted);
}

/* Writes the conjugates at the negative frequencies, except for frequency 0 and an even length's
 * last. */
static int write_mirror(struct lines *l, int i, const struct span *s) {
    const int64_t own = s->first == 0, nyquist = 2 * (s->first + s->count - 1) == length_of(l);
    const int64_t count = s->count - own - nyquist;
    struct span m = {s->line, length_of(l) - s->first - own - count + 1, count, l->numbers};
    if (!count)
        return 0;
    gf_half_mirror_columns(GF_COMPLEX, gf_job_number(&l->p->job), l->p->width,
                           s->numbers + own * l->point, count, l->numbers);
    return write_numbers(l, i, &m);
}

/* Writes all outputs, or during a scan collects their display ranges, a step at a time. */
static int emit(struct lines *l, const struct span *all) {
    const struct gf_slab_plan *p = l->p;
    const int64_t rows = p->job.ndim == 3 ? p->job.shape[1] : p->lines;
    int rc = 0;
    for (int64_t at = 0; at < all->count && !rc; at += p->step_pages) {
        const struct span s = {all->line, all->first + at, gf_min(p->step_pages, all->count - at),
                               all->numbers + at * l->point};
        const struct gf_array points =
            gf_array_wrap(s.numbers, gf_job_number(&p->job), 4,
                          (int64_t[]){1, 1, s.count, gf_job_lanes(&p->job)});
        if (l->r->scans)
            gf_ranges_spectrum(l->ranges, (int64_t[]){s.line / rows, s.line % rows, s.first},
                               &points);
        for (int i = 0; i < p->job.n_out && !rc; i++) {
            if (l->r->scans) {
                rc = gf_output_is_full(&p->job.out[i]) ? convert(l, i, &s) : 0;
                continue;
            }
            rc = write_numbers(l, i, &s);
            if (!rc && is_real(l) && !p->job.out[i].half)
                rc = write_mirror(l, i, &s);
        }
    }
    return rc;
}

/* Separates the real numbers 0 and n of real samples; an odd number of them has 0 alone. */
static int split_zero(struct lines *l, const struct span *s) {
    const struct gf_slab_plan *p = l->p;
    char zero[16 * GF_SLAB_CHANNELS], *last = s->numbers + (s->count - 1) * l->point;
    const bool nyquist = p->real && s->first + s->count - 1 == l->n;
    int rc = nyquist ? move(l, place(l, s->line, 0, 0), zero, l->point, true) : 0;
    for (int64_t c = 0; c < p->width && !rc; c++) {
        struct gf_number v = gf_number_get(s->numbers, c, gf_slab_is_double(l->p));
        if (s->first == 0)
            gf_number_put(s->numbers, c, gf_slab_is_double(l->p), (struct gf_number){v.re, 0});
        v = gf_number_get(zero, c, gf_slab_is_double(l->p));
        if (nyquist)
            gf_number_put(last, c, gf_slab_is_double(l->p), (struct gf_number){v.im, 0});
    }
    return rc;
}

static int get_slab(struct lines *l, const struct span *s) {
    int rc = move_span(l, s, true);
    if (!rc && is_real(l))
        rc = split_zero(l, s);
    if (!rc)
        gf_slab_moved(l->r, gf_min(s->count, l->n - s->first) * l->point);
    return rc;
}

/* ---- inverse ---- */

/* half[i] becomes its Hermitian part with mirror[count - 1 - i], whose energy, and that of the
 * rest, is added to `energy`. */
static void make_hermitian(const struct lines *l, void *half, const void *mirror, int64_t count,
                           double energy[2]) {
    const int64_t width = l->p->width;
    const bool is_double = gf_slab_is_double(l->p);
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < width; c++) {
            const struct gf_number f = gf_number_get(half, i * width + c, is_double);
            const struct gf_number g =
                gf_number_get(mirror, (count - 1 - i) * width + c, is_double);
            gf_number_put(half, i * width + c, is_double,
                          gf_half_hermitian(f, g, is_double, 1, energy));
        }
}

/* Reads frequencies, of a full spectrum of real samples their Hermitian part. */
static int read_numbers(struct lines *l, const struct span *s) {
    const struct gf_slab_plan *p = l->p;
    const bool full = is_real(l) && !p->job.in_half;
    int rc = move_shifted(l, -1, s, s->numbers);
    for (int64_t at = 0, n; at < s->count && full && !rc; at += n) {
        const int64_t k = s->first + at;
        const bool own = k % l->n == 0;
        n = own ? 1 : gf_min(gf_min(p->step_pages, s->count - at), l->n - k);
        double energy[2] = {0, 0};
        char *half = s->numbers + at * l->point, *mirror = own ? half : l->numbers;
        if (!own)
            rc = move_shifted(l, -1, &(struct span){s->line, length_of(l) - k - n + 1, n, mirror},
                              mirror);
        if (!rc)
            make_hermitian(l, half, mirror, n, energy);
        for (int i = 0; i < 2; i++) /* with the mirror image's */
            l->r->energy[i] += (own ? 1 : 2) * energy[i];
    }
    return rc;
}

/* Copies the conjugates of a span, which it reverses, to the negative frequencies. */
static int move_mirror(struct lines *l, const struct span *s) {
    const int64_t own = s->first == 0, count = s->count - own, width = l->p->width;
    const struct span m = {s->line, l->n - s->first - s->count + 1, count,
                           s->numbers + own * l->point};
    const bool is_double = gf_slab_is_double(l->p);
    for (int64_t a = 0, b = count - 1; a <= b; a++, b--)
        for (int64_t c = 0; c < width; c++) {
            const struct gf_number x = gf_number_get(m.numbers, a * width + c, is_double);
            const struct gf_number y = gf_number_get(m.numbers, b * width + c, is_double);
            gf_number_put(m.numbers, a * width + c, is_double, gf_number_conjugate(y));
            gf_number_put(m.numbers, b * width + c, is_double, gf_number_conjugate(x));
        }
    gf_slab_moved(l->r, count * l->point);
    return move_span(l, &m, false);
}

static int read_slab_numbers(struct lines *l, const struct span *s) {
    const struct gf_slab_plan *p = l->p;
    char last[16 * GF_SLAB_CHANNELS];
    const bool zero = p->real && s->first == 0;
    int rc = read_numbers(l, s);
    if (!rc && zero)
        rc = read_numbers(l, &(struct span){s->line, l->n, 1, last});
    for (int64_t c = 0; c < p->width && zero && !rc; c++) {
        const struct gf_number a = gf_number_get(s->numbers, c, gf_slab_is_double(l->p));
        const struct gf_number b = gf_number_get(last, c, gf_slab_is_double(l->p));
        gf_number_put(s->numbers, c, gf_slab_is_double(l->p), (struct gf_number){a.re, b.re});
    }
    return rc;
}

static int put_slab(struct lines *l, const struct span *s) {
    int rc = move_span(l, s, false);
    if (!rc)
        gf_slab_moved(l->r, s->count * l->point);
    return rc || !l->p->odd ? rc : move_mirror(l, s);
}

/* ---- both ---- */

static int step_slab(struct gf_slab_part *part, int (*step)(struct lines *, const struct span *)) {
    struct lines l = *(const struct lines *)part->user;
    const struct gf_slab_plan *p = l.p;
    const int64_t all = gf_slab_line_frequencies(p), k = part->index;
    struct span s = {k / p->n_slabs, k % p->n_slabs * p->slab_pages, 0, part->room[0]};
    l.staged = part->room[1];
    l.numbers = part->room[2];
    l.converted = part->room[3];
    s.count = gf_min(p->slab_pages, all - s.first);
    return s.count < 1 ? 0 : step(&l, &s);
}

static int read_slab(struct gf_slab_state *r, struct gf_slab_part *part) {
    const bool inverse = r->plan->job.direction == GF_INVERSE;
    return step_slab(part, inverse ? read_slab_numbers : get_slab);
}

static int run_slab(struct gf_slab_state *r, struct gf_slab_part *part) {
    return step_slab(part, r->plan->job.direction == GF_INVERSE ? put_slab : emit);
}

static int slab_walk(struct lines *l) {
    const struct gf_slab_plan *p = l->p;
    const int64_t step = p->step_pages * l->point, staged = gf_min(l->step, GF_SLAB_STAGED);
    int64_t widest = step / 2;
    for (int i = 0; i < p->job.n_out; i++) {
        const int64_t bytes = p->step_pages * gf_slab_line_out_bytes(p, i);
        widest = gf_max(widest, bytes);
    }
    const struct gf_slab_walk walk = {
        .read = read_slab,
        .work = run_slab,
        .user = l,
        .n = p->lines * p->n_slabs,
        .room = {{p->slab_pages * l->point, GF_SLAB_READ},
                 {staged * (p->slab_pages / l->step + 1) * l->point, GF_SLAB_ALONE},
                 {is_real(l) ? step : 0, GF_SLAB_ALONE},
                 {is_inverse(l) ? 0 : widest, GF_SLAB_ALONE}}};
    return gf_slab_walk(l->r, &walk);
}

int gf_slab_line_walk(struct gf_slab_state *r, unsigned step) {
    const struct gf_slab_plan *p = r->plan;
    struct lines l = {.r = r,
                      .p = p,
                      .n = p->units,
                      .point = p->width * p->number,
                      .step = gf_slab_line_rows(p),
                      .roots = &r->roots,
                      .ranges = &r->range};
    return step == GF_SLAB_WITHIN                          ? gf_slab_line_transform_rows(r)
           : step == GF_SLAB_FORTH || step == GF_SLAB_BACK ? column_walk(&l, step == GF_SLAB_BACK)
                                                           : slab_walk(&l);
}
