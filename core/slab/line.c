/* The walks over long lines: rows, and slabs of the result or of a spectrum. */
#include "core/slab/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/halves.h"
#include "core/base/sample_run.h"
#include "core/base/status.h"
#include "core/slab/line_math.h"
#include "core/slab/line_walks.h"

static bool is_inverse(const struct gf_lines *l) {
    return l->p->job.direction == GF_INVERSE;
}

/* ---------------------------------------------------------------- rows */

struct gf_job gf_lines_row_job(const struct gf_slab_plan *p) {
    struct gf_job job = gf_slab_block_job(p, 1, 1);
    job.ndim = 1;
    job.shape[0] = p->rows;
    job.channels = p->width;
    job.elsewhere = p->pages;
    return job;
}

static int row_walk(struct gf_lines *l) {
    const struct gf_slab_plan *p = l->p;
    const struct gf_slab_io *io = l->r->io;
    const int64_t bytes = p->rows * l->point, rows = p->lines * p->pages;
    const struct gf_job job = gf_lines_row_job(p);
    struct gf_report report;
    void *row = NULL;
    int rc = gf_slab_take(&row, bytes);
    struct gf_array a = gf_array_wrap(row, job.in_dtype, 2, (int64_t[]){p->rows, p->width});
    const struct gf_span own = gf_slab_own(l->r, rows);
    for (int64_t k = own.first; k < own.first + own.count && !rc; k++) {
        struct gf_array out = a;
        rc = io->get(io->user, k * bytes, row, bytes);
        if (!rc && k + 1 < rows)
            gf_slab_expect(l->r, (k + 1) * bytes, bytes);
        if (!rc)
            rc = io->run(io->user, &job, &a, &out, &report);
        if (!rc)
            rc = io->put(io->user, k * bytes, row, bytes);
        if (!rc)
            gf_slab_moved(l->r, 2 * bytes);
    }
    gf_free(row);
    return gf_slab_turn(l->r, rc);
}

/* ---------------------------------------------------------------- slabs */

/* Points first .. first + count - 1 of a line from its rows or to them. */
static int move_points(struct gf_lines *l, int64_t line, int64_t first, int64_t count, void *to,
                       bool to_line) {
    const struct gf_slab_plan *p = l->p;
    const struct gf_slab_io *io = l->r->io;
    const int64_t n1 = p->pages, longest = count / n1 + 1;
    int64_t column[GF_SLAB_STAGED], run[GF_SLAB_STAGED];
    int rc = 0;
    for (int64_t row = 0; row < n1 && count > 0 && !rc; row += GF_SLAB_STAGED) {
        struct gf_line_weave w = {.n1 = n1,
                                  .row = row,
                                  .n = gf_lines_least(GF_SLAB_STAGED, n1 - row),
                                  .first = first,
                                  .point = l->point,
                                  .column = column,
                                  .run = run,
                                  .stride = longest * l->point,
                                  .threads = io->threads};
        for (int64_t i = 0; i < w.n; i++) {
            const int64_t before = first - row - i, end = before + count;
            column[i] = before > 0 ? (before + n1 - 1) / n1 : 0;
            run[i] = (end > 0 ? (end + n1 - 1) / n1 : 0) - column[i];
        }
        if (!to_line)
            gf_line_weave(&w, l->staged, to, false);
        for (int64_t i = 0; i < w.n && !rc; i++) {
            char *at = (char *)l->staged + i * w.stride;
            const int64_t from = gf_lines_place(l, line, row + i, column[i]),
                          bytes = run[i] * l->point;
            if (bytes)
                rc = to_line ? io->get(io->user, from, at, bytes)
                             : io->put(io->user, from, at, bytes);
        }
        if (!rc && to_line)
            gf_line_weave(&w, l->staged, to, true);
    }
    return rc;
}

/* A part of a line's half spectrum, and what mirrors it: `mirrored` of its points have a negative that
 * no part has, n - first - mirrored + 1 .. n - first, point n being point 0 between the walks. */
struct part {
    int64_t line, first, count, mirrored;
};

static struct part part_of(const struct gf_lines *l, int64_t slab) {
    const struct gf_slab_plan *p = l->p;
    const int64_t all = p->real ? l->n / 2 + 1 : l->n;
    struct part a = {.line = slab / p->n_slabs, .first = slab % p->n_slabs * p->slab_pages};
    a.count = gf_lines_least(p->slab_pages, all - a.first);
    a.mirrored = p->real ? gf_lines_least(a.count, l->n - all + 1 - a.first) : 0;
    return a;
}

/* Of the points that mirror it: those that are in the exchange. */
static int move_part(struct gf_lines *l, const struct part *a, bool to_line) {
    int rc = move_points(l, a->line, a->first, a->count, l->low, to_line);
    if (!rc && a->mirrored > 0)
        rc = move_points(l, a->line, l->n - a->first - a->mirrored + 1,
                         a->mirrored - (a->first == 0), l->high, to_line);
    return rc;
}

static void pair_part(struct gf_lines *l, const struct part *a) {
    char middle[16 * GF_SLAB_CHANNELS];
    struct gf_line_pairs t = {&l->samples,      l->n,        a->first,      1,
                              a->mirrored,      l->p->width, is_inverse(l), gf_lines_wide(l),
                              l->r->io->threads};
    if (!l->p->real)
        return;
    if (a->mirrored > 0)
        gf_line_pairs(&t, l->low, l->high);
    if (a->mirrored == a->count)
        return;
    /* The middle is its own mirror image. */
    char *low = (char *)l->low + (a->count - 1) * l->point;
    t.first = l->n / 2;
    t.count = 1;
    memcpy(middle, low, (size_t)l->point);
    gf_line_pairs(&t, low, middle);
}

/* ---- forward ---- */

/* Numbers of frequencies first .. first + count - 1, side by side. */
struct span {
    int64_t line, first, count;
    char *numbers;
};

static int write_shifted(struct gf_lines *l, int i, const struct span *s, const char *samples) {
    const struct gf_slab_plan *p = l->p;
    const struct gf_output *o = &p->job.out[i];
    const int64_t all = gf_slab_line_columns(p, i), out = gf_slab_line_out_bytes(p, i);
    const bool shifts = o->shift && !(p->real && o->half);
    const int64_t to = shifts ? (s->first + all / 2) % all : s->first;
    const int64_t fits = gf_lines_least(s->count, all - to);
    const struct gf_slab_io *io = l->r->io;
    int rc = io->write_span(io->user, i, s->line * all + to, fits, samples);
    if (!rc && fits < s->count)
        rc = io->write_span(io->user, i, s->line * all, s->count - fits, samples + fits * out);
    if (!rc)
        gf_slab_moved(l->r, s->count * out);
    return rc;
}

/* To output i's samples, or where they are scanned to floats. */
static int convert(struct gf_lines *l, int i, const struct span *s) {
    const struct gf_slab_plan *p = l->p;
    struct gf_job job = gf_slab_convert_job(p, i, 1, s->count);
    int64_t shape[GF_MAX_RANK];
    struct gf_report report;
    gf_slab_convert_range(&job.out[0], l->r->range.of[i]);
    if (l->scans) {
        job.out[0].dtype = gf_lines_wide(l) ? GF_F64 : GF_F32;
        job.out[0].map = GF_MAP_NUMBER;
    }
    gf_job_in_shape(&job, shape);
    struct gf_array in = gf_array_wrap(s->numbers, job.in_dtype, 4, shape);
    struct gf_array out = gf_array_wrap(l->converted, job.out[0].dtype, 4, shape);
    int rc = l->r->io->run(l->r->io->user, &job, &in, &out, &report);
    if (!rc && l->scans)
        l->r->range.of[i][1] = fmax(l->r->range.of[i][1], gf_slab_largest(&out));
    return rc;
}

static int write_numbers(struct gf_lines *l, int i, const struct span *s) {
    if (gf_slab_is_output(l->p, i))
        return write_shifted(l, i, s, s->numbers);
    int rc = convert(l, i, s);
    return rc ? rc : write_shifted(l, i, s, l->converted);
}

/* And of the conjugates at the negative frequencies, but for those that are their own. */
static int write_mirror(struct gf_lines *l, int i, const struct span *s) {
    const int64_t own = s->first == 0, nyquist = s->first + s->count - 1 == l->n;
    const int64_t count = s->count - own - nyquist;
    struct span m = {s->line, 2 * l->n - s->first - own - count + 1, count, l->numbers};
    if (!count)
        return 0;
    gf_half_mirror_columns(GF_COMPLEX, gf_lines_wide(l) ? GF_C128 : GF_C64, l->p->width,
                           s->numbers + own * l->point, count, l->numbers);
    return write_numbers(l, i, &m);
}

static int find(const struct gf_range_axis *a, int64_t index) {
    for (int i = 0; i < a->count; i++)
        if (a->index[i] == index)
            return i;
    return -1;
}

/* The bins of the automatic range's sample. */
static void take_sample(struct gf_lines *l, const struct span *s) {
    const struct gf_range_sample *b = &l->sample;
    const int64_t rows = l->p->job.ndim == 3 ? l->p->job.shape[1] : l->p->lines;
    const int z = find(&b->axis[0], s->line / rows), y = find(&b->axis[1], s->line % rows);
    const struct gf_range_axis *x = &b->axis[2], *channel = &b->axis[3];
    for (int c = 0; c < channel->count && z >= 0 && y >= 0; c++)
        for (int k = 0; k < x->count; k++) {
            const int64_t i = x->index[k] - s->first;
            const int64_t to = ((c * b->axis[0].count + z) * b->axis[1].count + y) * x->count + k;
            if (i < 0 || i >= s->count)
                continue;
            const char *at = s->numbers + i * l->point + channel->index[c] * l->p->number;
            gf_sample_run_read(at, gf_slab_number(l->p), 0, 1, &l->sampled[2 * to],
                               &l->sampled[2 * to + 1]);
        }
}

static int scan(struct gf_lines *l, const struct span *s) {
    const struct gf_job *job = &l->p->job;
    int rc = 0;
    if (l->sampled)
        take_sample(l, s);
    for (int i = 0; i < job->n_out && !rc; i++)
        if (gf_output_is_full(&job->out[i]))
            rc = convert(l, i, s);
    return rc;
}

/* All outputs, a step at a time. */
static int emit(struct gf_lines *l, const struct span *all) {
    const struct gf_slab_plan *p = l->p;
    int rc = 0;
    for (int64_t at = 0; at < all->count && !rc; at += p->step_pages) {
        const struct span s = {all->line, all->first + at,
                               gf_lines_least(p->step_pages, all->count - at),
                               all->numbers + at * l->point};
        if (l->scans)
            rc = scan(l, &s);
        for (int i = 0; i < p->job.n_out && !rc && !l->scans; i++) {
            rc = write_numbers(l, i, &s);
            if (!rc && p->real && !p->job.out[i].half)
                rc = write_mirror(l, i, &s);
        }
    }
    return rc;
}

static int forward_slab(struct gf_lines *l, int64_t slab) {
    const struct part a = part_of(l, slab);
    int rc = move_part(l, &a, true);
    if (rc)
        return rc;
    gf_slab_moved(l->r, (a.count + (a.mirrored > 0 ? a.mirrored - (a.first == 0) : 0)) * l->point);
    pair_part(l, &a);
    rc = emit(l, &(struct span){a.line, a.first, a.count, l->low});
    if (!rc && a.mirrored > 0)
        rc = emit(l, &(struct span){a.line, l->n - a.first - a.mirrored + 1, a.mirrored, l->high});
    return rc;
}

/* ---- inverse ---- */

/* Frequencies first .. first + count - 1 of a line of `all` that begins at `line`: in one run or, where the
 * zero frequency is in the centre, in two. */
static int read_shifted(struct gf_lines *l, int64_t line, int64_t all, int64_t first, int64_t count,
                        char *to) {
    const struct gf_slab_plan *p = l->p;
    const struct gf_slab_io *io = l->r->io;
    const bool shifts = p->job.in_shift && !(p->real && p->job.in_half);
    const int64_t from = shifts ? (first + all / 2) % all : first;
    const int64_t fits = gf_lines_least(count, all - from);
    int rc = io->read_span(io->user, line + from, fits, to);
    return rc || fits == count ? rc
                               : io->read_span(io->user, line, count - fits, to + fits * l->point);
}

/* Frequencies first .. first + count - 1; of a full spectrum their Hermitian part. */
static int read_numbers(struct gf_lines *l, int64_t line, int64_t first, int64_t count, char *to) {
    const struct gf_slab_plan *p = l->p;
    const bool full = p->real && !p->job.in_half;
    const int64_t all = full ? 2 * l->n : p->real ? l->n + 1 : l->n;
    int rc = read_shifted(l, line * all, all, first, count, to);
    for (int64_t at = 0, n; at < count && full && !rc; at += n) {
        const int64_t k = first + at;
        const bool own = k % l->n == 0;
        n = own ? 1 : gf_lines_least(gf_lines_least(p->step_pages, count - at), l->n - k);
        double energy[2] = {0, 0};
        char *half = to + at * l->point, *mirror = own ? half : l->numbers;
        if (!own)
            rc = read_shifted(l, line * all, all, all - k - n + 1, n, mirror);
        if (!rc)
            gf_line_hermitian(half, mirror, n, p->width, gf_lines_wide(l), energy);
        for (int i = 0; i < 2; i++) /* the mirror image has as much */
            l->r->energy[i] += (own ? 1 : 2) * energy[i];
    }
    return rc;
}

static int inverse_slab(struct gf_lines *l, int64_t slab) {
    const struct gf_slab_plan *p = l->p;
    const struct part a = part_of(l, slab);
    const int64_t in = p->width * (int64_t)gf_dtype_size(p->job.in_dtype);
    const int64_t points = a.count + (a.mirrored > 0 ? a.mirrored : 0);
    const int64_t own = (a.first == 0) + (a.first == 0 && a.mirrored > 0);
    int rc = read_numbers(l, a.line, a.first, a.count, l->low);
    if (!rc && a.mirrored > 0)
        rc = read_numbers(l, a.line, l->n - a.first - a.mirrored + 1, a.mirrored, l->high);
    if (rc)
        return rc;
    pair_part(l, &a);
    rc = move_part(l, &a, false);
    if (!rc)
        gf_slab_moved(l->r, (p->real && !p->job.in_half ? 2 * points - own : points) * in +
                                (points - (own > 1)) * l->point);
    return rc;
}

/* ---- both ---- */

static int take_buffers(struct gf_lines *l) {
    const struct gf_slab_plan *p = l->p;
    const int64_t slab = p->slab_pages * l->point, step = p->step_pages * l->point;
    int64_t widest = step / 2;
    for (int i = 0; i < p->job.n_out; i++) {
        const int64_t bytes = p->step_pages * gf_slab_line_out_bytes(p, i);
        widest = bytes > widest ? bytes : widest;
    }
    int rc = gf_slab_take(&l->low, slab);
    if (!rc && p->real)
        rc = gf_slab_take(&l->high, slab);
    if (!rc)
        rc = gf_slab_take(&l->staged, gf_lines_least(p->pages, GF_SLAB_STAGED) *
                                          (p->slab_pages / p->pages + 1) * l->point);
    if (!rc && p->real)
        rc = gf_slab_take(&l->numbers, step);
    if (!rc && !is_inverse(l))
        rc = gf_slab_take(&l->converted, widest);
    return rc;
}

static int slab_walk(struct gf_lines *l) {
    const struct gf_slab_plan *p = l->p;
    int rc = take_buffers(l);
    const struct gf_span own = gf_slab_own(l->r, p->lines * p->n_slabs);
    for (int64_t i = own.first; i < own.first + own.count && !rc; i++)
        rc = is_inverse(l) ? inverse_slab(l, i) : forward_slab(l, i);
    gf_free(l->low);
    gf_free(l->high);
    gf_free(l->staged);
    gf_free(l->numbers);
    gf_free(l->converted);
    l->low = l->high = l->staged = l->numbers = l->converted = NULL;
    return gf_slab_turn(l->r, rc);
}

static void find_sampled(struct gf_lines *l) {
    const struct gf_slab_plan *p = l->p;
    const int64_t count = p->lines * (p->real ? 2 : 1) * l->n * p->width;
    const double rms = sqrt(l->squares / (double)count * (double)gf_job_points(&p->job));
    const double unit = gf_sample_run_unit(rms);
    for (int i = 0; i < p->job.n_out; i++) {
        if (!gf_output_samples(&p->job, i))
            continue;
        for (int64_t k = 0; k < l->sample.count; k++)
            l->sample.key[k] = gf_range_key(p->job.out[i].kind, unit * l->sampled[2 * k],
                                            unit * l->sampled[2 * k + 1]);
        gf_range_sample_find(&l->sample, &p->job, i, rms, l->r->range.of[i]);
    }
}

/* Joins what the members found. */
static int join_scans(struct gf_lines *l) {
    const struct gf_slab_members *m = &l->r->io->members;
    int rc = gf_slab_join_largest(l->r);
    if (!rc)
        rc = m->sum(m->user, &l->squares, 1);
    return rc || !l->sampled ? rc : m->sum(m->user, l->sampled, 2 * l->sample.count);
}

/* The display ranges, in a walk of their own. */
static int find_ranges(struct gf_lines *l) {
    const struct gf_job *job = &l->p->job;
    int rc = 0;
    if (gf_job_samples(job))
        rc = gf_range_sample_make(job, &l->sample);
    if (!rc && gf_job_samples(job) && !(l->sampled = calloc((size_t)l->sample.count, 16)))
        rc = gf_fail(GF_ENOMEM, "no memory for the sample of a display range");
    rc = gf_slab_turn(l->r, rc);
    l->scans = true;
    if (!rc && l->p->n_walks > 3)
        rc = slab_walk(l);
    l->scans = false;
    if (!rc && l->r->io->members.n)
        rc = join_scans(l);
    if (!rc && l->sampled)
        find_sampled(l);
    return rc;
}

static int run_walks(struct gf_lines *l) {
    const struct gf_job *job = &l->p->job;
    double(*of)[2] = l->r->range.of;
    const bool filter = job->op == GF_FILTER;
    int rc = is_inverse(l) ? slab_walk(l) : gf_lines_columns(l, false);
    if (!rc)
        rc = filter ? gf_lines_filter_rows(l) : row_walk(l);
    if (rc || is_inverse(l) || filter)
        return rc ? rc : gf_lines_columns(l, true);
    for (int i = 0; i < job->n_out; i++) {
        const bool given = job->out[i].range == GF_RANGE_GIVEN;
        of[i][0] = given ? job->out[i].low : 0;
        of[i][1] = given ? job->out[i].high : 0;
    }
    rc = find_ranges(l);
    return rc ? rc : slab_walk(l);
}

int gf_slab_line_run(struct gf_slab_state *r) {
    const struct gf_slab_plan *p = r->plan;
    struct gf_lines l = {.r = r, .p = p, .n = p->units, .point = p->width * p->number};
    int rc = 0;
    if (!gf_roots_make(&l.points, (uint64_t)l.n) ||
        (p->real && !gf_roots_make(&l.samples, 2 * (uint64_t)l.n)))
        rc = gf_fail(GF_ENOMEM, "no memory for tables");
    rc = gf_slab_turn(r, rc);
    if (!rc)
        rc = run_walks(&l);
    for (int i = 0; i < p->job.n_out; i++)
        gf_report_range(&p->job, i, r->range.of[i][0], r->range.of[i][1], r->report);
    gf_roots_free(&l.points);
    gf_roots_free(&l.samples);
    gf_range_sample_free(&l.sample);
    free(l.sampled);
    return rc;
}
