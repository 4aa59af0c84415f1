/* The pages of slabs, the rows of blocks, and the places of pieces. */
#include "core/schedule/plan.h"

struct gf_job gf_slab_without_single(const struct gf_job *job) {
    struct gf_job without = *job;
    bool samples = job->op != GF_FFT; /* those of an automatic range depend on the shape */
    if (job->op == GF_FFT)
        gf_job_drop_single(&without);
    for (int i = 0; i < job->n_out; i++)
        samples |= gf_output_samples(job, i);
    while (!samples && without.ndim > 1 && without.shape[without.ndim - 1] == 1 &&
           without.axes >> (without.ndim - 1) && without.axes & ((1u << (without.ndim - 1)) - 1)) {
        without.axes &= ~(1u << --without.ndim);
        for (int i = 0; i < job->n_out; i++)
            without.out[i].half = false; /* an axis of one index has nothing to halve */
        without.in_half = false;
    }
    return without;
}

const char *gf_slab_text(const struct gf_slab_plan *p, char text[GF_SLAB_TEXT]) {
    snprintf(text, GF_SLAB_TEXT, "%lld slabs of %s, %lld blocks of %s", (long long)p->n_slabs,
             p->line      ? "points"
             : p->picture ? "rows"
                          : "pages",
             (long long)p->n_blocks, p->picture || p->line ? "columns" : "rows");
    return text;
}

struct gf_span gf_slab_pages(const struct gf_slab_plan *p, int64_t i) {
    const int64_t first = i * p->slab_pages;
    return (struct gf_span){first, i + 1 < p->n_slabs ? p->slab_pages : p->pages - first};
}

int64_t gf_slab_part_count(const struct gf_slab_plan *p, int64_t n, int64_t most) {
    const int64_t parts = gf_divide_up(n, most), members = gf_max(p->members, 1);
    const int64_t even = gf_divide_up(parts, members) * members;
    return gf_min(even, n);
}

int64_t gf_slab_cached(const struct gf_slab_plan *p, int64_t memory) {
    enum { CACHED = 64 << 20 };
    return p->members ? gf_min(memory, CACHED) : memory;
}

struct gf_span gf_slab_pages_of(const struct gf_slab_plan *p, struct gf_span slabs) {
    if (slabs.count < 1)
        return (struct gf_span){0, 0};
    const struct gf_span first = gf_slab_pages(p, slabs.first);
    const struct gf_span last = gf_slab_pages(p, slabs.first + slabs.count - 1);
    return (struct gf_span){first.first, last.first + last.count - first.first};
}

int64_t gf_slab_owned_from(const struct gf_slab_plan *p, int members, int i) {
    const bool slabs = !p->line && !p->picture && p->job.direction == GF_INVERSE;
    const int64_t parts = p->line ? p->lines * p->pages : slabs ? p->n_slabs : p->n_blocks;
    const int64_t first = i < members ? gf_span_share(parts, members, i).first : parts;
    if (first >= parts)
        return p->exchange_bytes;
    return p->line ? first * p->rows * p->width * p->number
                   : gf_slab_piece_at(p, slabs ? first : 0, slabs ? 0 : first);
}

struct gf_slab_block gf_slab_block(const struct gf_slab_plan *p, int64_t i) {
    const int64_t first = i * p->block_units, end = gf_min(first + p->block_units, p->units);
    struct gf_slab_block b = {.low = first, .n_low = end - first, .before = first};
    if (!p->paired)
        return b;
    /* Rows -(end - 1) .. -first, without those that are their own negatives. */
    int64_t least = first ? first : 1, most = 2 * (end - 1) == p->rows ? end - 2 : end - 1;
    b.n_high = most >= least ? most - least + 1 : 0;
    b.high = p->rows - most;
    b.before = first ? 2 * first - 1 : 0;
    return b;
}

int64_t gf_slab_piece_bytes(const struct gf_slab_plan *p, int64_t slab, int64_t block) {
    const struct gf_slab_block b = gf_slab_block(p, block);
    return gf_slab_pages(p, slab).count * gf_slab_block_rows(&b) * p->width * p->number;
}

int64_t gf_slab_piece_at(const struct gf_slab_plan *p, int64_t slab, int64_t block) {
    const struct gf_span pages = gf_slab_pages(p, slab);
    return gf_slab_place(p, &pages, block);
}

int64_t gf_slab_place(const struct gf_slab_plan *p, const struct gf_span *pages, int64_t block) {
    const int64_t row = p->width * p->number;
    const struct gf_slab_block b = gf_slab_block(p, block);
    return p->job.direction == GF_FORWARD || p->picture
               ? (b.before * p->pages + pages->first * gf_slab_block_rows(&b)) * row
               : (pages->first * p->rows + b.before * pages->count) * row;
}

struct gf_slab_plan gf_slab_rows_plan(const struct gf_slab_plan *p) {
    struct gf_slab_plan r = *p;
    const bool inverse = p->job.direction == GF_INVERSE;
    bool mirrored = inverse && p->real && !p->job.in_half;
    for (int i = 0; i < p->job.n_out && !inverse && p->job.op == GF_FFT; i++)
        mirrored |= p->real && !p->job.out[i].half;
    r.job.shape[0] = r.pages = 1;
    r.job.shape[1] = r.rows = p->pages;
    r.job.axes = 6;
    r.width = p->rows * p->width;
    r.paired = mirrored;
    r.units = mirrored ? r.rows / 2 + 1 : r.rows;
    r.block_units = p->row_units;
    r.n_blocks = gf_divide_up(r.units, r.block_units);
    r.step_pages = 1;
    return r;
}

double gf_slab_exchange_seconds(const struct gf_slab_plan *p, double link) {
    const double message = 5e-6; /* latency: order of magnitude for a fast network */
    int exchanges = 0;
    for (int i = 0; i < p->n_walks; i++)
        exchanges += !(p->walk[i].step & (GF_SLAB_TO_OUTPUT | GF_SLAB_SCANS));
    return ((double)p->sent_bytes / link + (double)p->pieces * message) * exchanges;
}

struct gf_array gf_slab_spectrum(const struct gf_slab_plan *p, int64_t count, void *pages) {
    const int64_t rows = p->picture ? 1 : p->rows, lanes = gf_job_lanes(&p->job);
    return gf_array_wrap(pages, gf_job_number(&p->job), 4,
                         (int64_t[]){count, rows, p->rows / rows * p->width / lanes, lanes});
}

int64_t gf_slab_outer_row(const struct gf_slab_plan *p, int i) {
    return i < 0 ? p->walk[0].bytes_read / (p->pages * p->rows)
                 : gf_slab_columns(p, i) * gf_job_lanes(&p->job) *
                       (int64_t)gf_dtype_size(p->job.out[i].dtype);
}

int64_t gf_slab_longest(const struct gf_slab_plan *p) {
    return gf_max(p->slab_pages, gf_slab_pages(p, p->n_slabs - 1).count);
}

struct gf_job gf_slab_pages_job(const struct gf_slab_plan *p, bool back, int64_t count) {
    struct gf_job job = gf_part_pages(&p->job, back, count);
    if (back) {
        job.in_half = p->real;
        job.in_shift = false;
    } else {
        gf_part_numbers(&job, p->real);
        job.out[0].packed = p->packed;
        job.out[0].packed_within = p->packed_within;
    }
    return job;
}

int64_t gf_slab_largest_piece(const struct gf_slab_plan *p, int64_t count) {
    int64_t largest = 0;
    for (int64_t k = 0; k < p->n_blocks; k++) {
        const struct gf_slab_block b = gf_slab_block(p, k);
        largest = gf_max(largest, gf_slab_block_rows(&b));
    }
    return count * largest * gf_slab_row_bytes(p);
}

bool gf_slab_is_output(const struct gf_slab_plan *p, int i) {
    const struct gf_output *o = &p->job.out[i];
    return o->kind == GF_COMPLEX && o->dtype == gf_job_number(&p->job) &&
           gf_job_scale(&p->job) == 1;
}

int64_t gf_slab_columns(const struct gf_slab_plan *p, int i) {
    const int64_t n = p->job.shape[p->job.ndim - 1];
    return p->real && p->job.out[i].half ? n / 2 + 1 : n;
}
