/* Display ranges from a few lines of all pages. */
#include "core/schedule/range.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/job/loadstore.h"
#include "core/base/value/status.h"

/* With several outputs backends look at all bins, not at the zero frequency. */
static bool ends_at_zero(const struct gf_job *job, int i) {
    return gf_output_is_full(&job->out[i]) && job->n_out == 1 && !gf_output_scans(job, i);
}

bool gf_slab_range_scans(const struct gf_job *job, int i) {
    return gf_output_is_full(&job->out[i]) && !ends_at_zero(job, i);
}

/* Columns of the sample that pages have: a packed half spectrum has its last column in its
 * first. */
static int columns_of(const struct gf_slab_plan *p, const struct gf_range_sample *s) {
    const struct gf_range_axis *x = &s->axis[2];
    const int64_t all = (p->picture ? p->rows : 1) * p->width / gf_job_lanes(&p->job);
    return x->index[x->count - 1] < all ? x->count : x->count - 1;
}

int64_t gf_slab_range_bytes(const struct gf_slab_plan *p) {
    struct gf_range_sample s;
    if (p->job.direction != GF_FORWARD || !gf_job_samples(&p->job))
        return 0;
    int rc = gf_range_sample_make(&p->job, &s);
    if (rc)
        return rc;
    int64_t numbers = (int64_t)columns_of(p, &s) * s.axis[1].count * s.axis[3].count * p->pages;
    gf_range_sample_free(&s);
    return numbers * p->number;
}

int gf_slab_range_open(const struct gf_slab_plan *p, struct gf_slab_range *r) {
    const struct gf_job *job = &p->job;
    *r = (struct gf_slab_range){.plan = p, .samples = gf_job_samples(job), .n_zeros = 1};
    for (int i = 0; i < job->n_out; i++) {
        r->zeros |= !p->line && ends_at_zero(job, i);
        r->of[i][0] = job->out[i].low;
        r->of[i][1] = job->out[i].high;
        if (job->out[i].range != GF_RANGE_GIVEN)
            r->of[i][0] = r->of[i][1] = 0;
    }
    for (int axis = 1; axis < 3; axis++)
        r->n_zeros *= job->axes >> axis & 1 ? 1 : job->shape[axis];
    r->n_zeros *= gf_job_lanes(&p->job);
    if (r->zeros && !(r->zero = calloc((size_t)r->n_zeros, sizeof *r->zero)))
        return gf_no_memory();
    int rc = r->samples ? gf_range_planes_make(job, &r->sampled) : 0;
    if (!rc && r->samples && p->line)
        memset(r->sampled.value, 0, (size_t)r->sampled.sample.count * 16);
    if (rc || !r->samples || p->line)
        return rc;
    const struct gf_range_sample *s = &r->sampled.sample;
    r->lines = (int64_t)columns_of(p, s) * s->axis[1].count * s->axis[3].count;
    r->kept = gf_alloc((size_t)(r->lines * p->pages * p->number));
    r->energy = calloc((size_t)p->pages, sizeof *r->energy);
    return r->kept && r->energy ? 0 : gf_no_memory();
}

void gf_slab_range_close(struct gf_slab_range *r) {
    gf_range_planes_free(&r->sampled);
    gf_free(r->kept);
    free(r->energy);
    free(r->zero);
    *r = (struct gf_slab_range){.kept = NULL};
}

void gf_slab_range_input(struct gf_slab_range *r, int64_t first, const struct gf_array *in) {
    for (int64_t z = 0; z < in->shape[0] && r->samples; z++) {
        const struct gf_array page = gf_array_slice(in, 0, z, 1);
        if (gf_range_energy_wants(&r->plan->job, first + z))
            gf_range_energy_add(&r->plan->job, &page, &r->energy[first + z]);
    }
}

static void add_zeros(struct gf_slab_range *r, const char *page) {
    const struct gf_slab_plan *p = r->plan;
    const int64_t channels = gf_job_lanes(&p->job);
    const int64_t rows = p->job.axes >> 1 & 1 ? 1 : p->job.shape[1];
    const int64_t columns = p->job.axes >> 2 & 1 ? 1 : p->job.shape[2];
    for (int64_t k = 0; k < r->n_zeros; k++) {
        const int64_t y = k / channels / columns % rows, x = k / channels % columns;
        r->zero[k] +=
            gf_number_get(page, y * p->width + x * channels + k % channels, gf_slab_is_double(p))
                .re;
    }
}

static void keep(struct gf_slab_range *r, int64_t z, const char *page) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_range_sample *s = &r->sampled.sample;
    const struct gf_range_axis *y = &s->axis[1], *x = &s->axis[2], *channel = &s->axis[3];
    const int columns = columns_of(p, s);
    const size_t size = (size_t)p->number;
    char *to = r->kept + z * r->lines * p->number;
    for (int b = 0; b < y->count; b++)
        for (int k = 0; k < columns; k++)
            for (int c = 0; c < channel->count; c++, to += size)
                memcpy(to,
                       page + (y->index[b] * p->width + x->index[k] * gf_job_lanes(&p->job) +
                               channel->index[c]) *
                                  p->number,
                       size);
}

void gf_slab_range_pages(struct gf_slab_range *r, int64_t first, int64_t count, const char *pages) {
    const int64_t bytes = r->plan->rows * r->plan->width * r->plan->number;
    for (int64_t z = 0; z < count; z++) {
        if (r->zeros)
            add_zeros(r, pages + z * bytes);
        if (r->samples)
            keep(r, first + z, pages + z * bytes);
    }
}

/* Adds up the bins and energies of lines, of which each rank has those of its parts. */
static int join_lines(struct gf_range_planes *s, struct gf_ranks *ranks) {
    double energy[2] = {s->energy.sum, s->energy.n};
    int rc = gf_ranks_sum(ranks, energy, 2);
    s->energy = (struct gf_range_energy){energy[0], energy[1]};
    return rc ? rc : gf_ranks_sum(ranks, s->value, 2 * s->sample.count);
}

int gf_slab_range_join(struct gf_slab_range *r, struct gf_ranks *ranks) {
    const int64_t page = r->lines * r->plan->number;
    if (r->plan->line)
        return r->samples ? join_lines(&r->sampled, ranks) : 0;
    int rc = r->zeros ? gf_ranks_sum(ranks, r->zero, r->n_zeros) : 0;
    for (int i = 0; ranks && i < ranks->size && r->samples && !rc; i++) {
        const struct gf_span slabs = gf_slab_share(r->plan->n_slabs, ranks->size, i);
        const struct gf_span pages = gf_slab_pages_of(r->plan, slabs);
        rc = gf_ranks_share(ranks, r->kept + pages.first * page, pages.count * page, i);
        if (!rc)
            rc = gf_ranks_share(ranks, r->energy + pages.first,
                                pages.count * (int64_t)sizeof *r->energy, i);
    }
    return rc;
}

struct gf_array gf_slab_range_lines(const struct gf_slab_range *r) {
    const int64_t rows = r->samples ? r->sampled.sample.axis[1].count : 1;
    return gf_array_wrap(r->kept, gf_job_number(&r->plan->job), 4,
                         (int64_t[]){r->plan->pages, rows, r->lines / rows, 1});
}

/* ---- after the transform ---- */

static struct gf_number bin_at(const struct gf_slab_range *r, int64_t z, int64_t line) {
    return gf_number_get(r->kept, z * r->lines + line, gf_slab_is_double(r->plan));
}

/* A bin of the sample, unpacked as core/cpu/sampling.c unpacks it. */
static struct gf_number sampled(const struct gf_slab_range *r, int a, int b, int k, int c) {
    const struct gf_slab_plan *p = r->plan;
    const struct gf_range_sample *s = &r->sampled.sample;
    const struct gf_range_axis *y = &s->axis[1], *x = &s->axis[2];
    const int columns = columns_of(p, s), channels = s->axis[3].count;
    const int64_t z = s->axis[0].index[a], n = p->job.shape[2];
    const bool nyquist = p->packed && 2 * x->index[k] == n;
    const int column = nyquist ? 0 : k;
    const struct gf_number v = bin_at(r, z, ((int64_t)b * columns + column) * channels + c);
    if (!p->packed || (x->index[k] && !nyquist))
        return v;
    const int64_t ny = gf_half_negative(y->index[b], p->job.shape[1]);
    const struct gf_number w = bin_at(r, gf_half_negative(z, p->pages),
                                      (int64_t)gf_range_axis_find(y, ny) * columns * channels + c);
    struct gf_number first, last;
    gf_half_unpack(v, w, true, &first, &last);
    return nyquist ? last : first;
}

/* Gathers the sample's bins and the input's energy. */
static void collect(struct gf_slab_range *r) {
    const struct gf_range_axis *axis = r->sampled.sample.axis;
    double *to = r->sampled.value;
    for (int64_t z = 0; z < r->plan->pages; z++) {
        r->sampled.energy.sum += r->energy[z].sum;
        r->sampled.energy.n += r->energy[z].n;
    }
    for (int c = 0; c < axis[3].count; c++)
        for (int a = 0; a < axis[0].count; a++)
            for (int b = 0; b < axis[1].count; b++)
                for (int k = 0; k < axis[2].count; k++, to += 2) {
                    const struct gf_number v = sampled(r, a, b, k, c);
                    to[0] = v.re;
                    to[1] = v.im;
                }
}

static double zero_frequency(const struct gf_slab_range *r, int i) {
    const struct gf_job *job = &r->plan->job;
    const double scale = gf_job_scale(job);
    double largest = 0;
    for (int64_t k = 0; k < r->n_zeros; k++)
        largest = fmax(largest, r->zero[k]);
    const bool power = job->out[i].kind == GF_POWER;
    const double high = power ? largest * largest * (scale * scale) : largest * scale;
    return fmin(high, gf_slab_is_double(r->plan) ? DBL_MAX : (double)FLT_MAX);
}

void gf_slab_range_find(struct gf_slab_range *r) {
    if (r->kept)
        collect(r);
    for (int i = 0; i < r->plan->job.n_out; i++) {
        if (gf_output_samples(&r->plan->job, i))
            gf_range_planes_find(&r->sampled, i, r->of[i]);
        else if (r->zeros && ends_at_zero(&r->plan->job, i))
            r->of[i][1] = zero_frequency(r, i);
    }
}
