/* Long lines: the walk over blocks of columns, from the input or back to the outputs. */
#include <string.h>

#include "core/slab/line.h"
#include "core/slab/line_walks.h"

static void twiddle(const struct gf_lines *l, bool inverse, int64_t first, int64_t count,
                    char *block) {
    for (int64_t k1 = 1; k1 < l->p->pages; k1++)
        gf_line_twiddle(&(struct gf_line_twiddle){&l->points, k1, first, count, l->p->width,
                                                  inverse, gf_lines_wide(l), l->r->io->threads},
                        block + k1 * count * l->point);
}

static int transform_columns(struct gf_lines *l, bool inverse, int64_t count, void *block) {
    struct gf_job job = gf_slab_block_job(l->p, 1, count * l->p->width);
    struct gf_array a = gf_array_wrap(block, gf_slab_number(l->p), 4,
                                      (int64_t[]){l->p->pages, 1, count * l->p->width, 1});
    struct gf_array out = a;
    struct gf_report report;
    if (inverse) { /* a filter's way back too */
        job.direction = GF_INVERSE;
        job.norm = GF_NORM_FORWARD;
    }
    return l->p->pages > 1 ? l->r->io->run(l->r->io->user, &job, &a, &out, &report) : 0;
}

/* Samples that are the points as they are need no `samples`. */
static int read_run(struct gf_lines *l, int64_t point, int64_t count, void *samples, char *to) {
    const struct gf_slab_plan *p = l->p;
    const int64_t unit = p->real ? 2 : 1;
    const struct gf_line_samples s = {p->job.in_dtype,  count, p->width, p->real, gf_lines_wide(l),
                                      l->r->io->threads};
    const bool same = gf_slab_line_in_bytes(p) == l->point && (!p->real || p->width == 1) &&
                      !gf_dtype_is_integer(p->job.in_dtype);
    int rc = l->r->io->read_span(l->r->io->user, point * unit, count * unit, same ? to : samples);
    if (rc || (same && !gf_job_samples(&p->job)))
        return rc;
    l->squares += gf_line_points(&s, same ? to : samples, to);
    return 0;
}

static int forward_columns(struct gf_lines *l, int64_t line, int64_t first, void *samples,
                           char *block) {
    const struct gf_slab_plan *p = l->p;
    const int64_t count = gf_lines_least(p->block_units, p->rows - first), run = count * l->point;
    int rc = 0;
    for (int64_t i1 = 0; i1 < p->pages && !rc; i1++)
        rc = read_run(l, line * l->n + i1 * p->rows + first, count, samples, block + i1 * run);
    if (!rc)
        rc = transform_columns(l, false, count, block);
    if (!rc)
        twiddle(l, false, first, count, block);
    for (int64_t k1 = 0; k1 < p->pages && !rc; k1++)
        rc = l->r->io->put(l->r->io->user, gf_lines_place(l, line, k1, first), block + k1 * run,
                           run);
    if (!rc)
        gf_slab_moved(l->r, p->pages * count * (gf_slab_line_in_bytes(p) + l->point));
    return rc;
}

/* `count` numbers of a run, samples or complex points with their channels, as output i from sample
 * `first` of all lines on. */
static int write_run(struct gf_lines *l, int i, int64_t first, int64_t count, void *numbers,
                     void *samples) {
    const struct gf_slab_plan *p = l->p;
    const struct gf_output *o = &p->job.out[i];
    const struct gf_line_result r = {.from = p->real ? gf_dtype_real(gf_slab_number(p))
                                                     : gf_slab_number(p),
                                     .to = o->dtype,
                                     .kind = o->kind,
                                     .count = count * p->width,
                                     .scale = gf_job_scale(&p->job),
                                     .threads = l->r->io->threads};
    l->r->report->clipped[i] += gf_line_result(&r, numbers, samples);
    gf_slab_moved(l->r, count * p->width * (int64_t)gf_dtype_size(o->dtype));
    return l->r->io->write_span(l->r->io->user, i, first, count, samples);
}

/* A run of points from `first` of a line on, without what was added behind its end. */
static int write_points(struct gf_lines *l, int64_t line, int64_t first, int64_t count,
                        void *numbers, void *samples) {
    const struct gf_slab_plan *p = l->p;
    const int64_t unit = p->real ? 2 : 1, kept = gf_job_counted(&p->job, p->job.ndim - 1);
    const int64_t left = gf_lines_least(count * unit, kept - first * unit);
    int rc = 0;
    for (int i = 0; i < p->job.n_out && left > 0 && !rc; i++)
        rc = write_run(l, i, line * kept + first * unit, left, numbers, samples);
    return rc;
}

/* Real points are pairs of samples of each channel: pair by pair to sample by sample. */
static void split_pairs(const struct gf_lines *l, int64_t count, char *points) {
    const int64_t width = l->p->width, real = l->p->number / 2;
    char pair[16 * GF_SLAB_CHANNELS];
    for (int64_t i = 0; i < count && l->p->real && width > 1; i++, points += l->point) {
        memcpy(pair, points, (size_t)l->point);
        for (int64_t c = 0; c < 2 * width; c++)
            memcpy(points + c * real, pair + (c % width * 2 + c / width) * real, (size_t)real);
    }
}

static int inverse_columns(struct gf_lines *l, int64_t line, int64_t first, void *samples,
                           char *block) {
    const struct gf_slab_plan *p = l->p;
    const int64_t count = gf_lines_least(p->block_units, p->rows - first), run = count * l->point;
    int rc = 0;
    for (int64_t k1 = 0; k1 < p->pages && !rc; k1++)
        rc = l->r->io->get(l->r->io->user, gf_lines_place(l, line, k1, first), block + k1 * run,
                           run);
    if (!rc) {
        gf_slab_moved(l->r, p->pages * run);
        twiddle(l, true, first, count, block);
        rc = transform_columns(l, true, count, block);
    }
    for (int64_t i1 = 0; i1 < p->pages && !rc; i1++) {
        split_pairs(l, count, block + i1 * run);
        rc = write_points(l, line, i1 * p->rows + first, count, block + i1 * run, samples);
    }
    return rc;
}

int gf_lines_columns(struct gf_lines *l, bool inverse) {
    const struct gf_slab_plan *p = l->p;
    int64_t widest = gf_slab_line_in_bytes(p);
    void *samples = NULL, *block = NULL;
    for (int i = 0; i < p->job.n_out && inverse; i++) {
        const int64_t bytes = gf_slab_line_out_bytes(p, i);
        widest = i && widest > bytes ? widest : bytes;
    }
    int rc = gf_slab_take(&samples, p->block_units * widest);
    if (!rc)
        rc = gf_slab_take(&block, p->pages * p->block_units * l->point);
    const struct gf_span own = gf_slab_own(l->r, p->lines * p->n_blocks);
    for (int64_t i = own.first; i < own.first + own.count && !rc; i++) {
        const int64_t line = i / p->n_blocks, first = i % p->n_blocks * p->block_units;
        rc = inverse ? inverse_columns(l, line, first, samples, block)
                     : forward_columns(l, line, first, samples, block);
    }
    gf_free(samples);
    gf_free(block);
    return gf_slab_turn(l->r, rc);
}
