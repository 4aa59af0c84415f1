/* Chooses the pages of a slab and the rows of a block, and counts the bytes moved. */
#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/filter/filter.h"
#include "core/schedule/plan.h"

enum { SHORTEST = 2, STEP_SHARE = 8, DIRECT_STEP_SHARE = 32 };

const char *gf_slab_refuses(const struct gf_job *asked) {
    const struct gf_job without = gf_slab_without_single(asked), *job = &without;
    const int last = job->ndim - 1;
    if (job->op == GF_DWT)
        return gf_why(GF_WHY_WAVELET);
    if (job->direction == GF_INVERSE && job->in_dtype != gf_job_number(job))
        return gf_why(GF_WHY_PRECISION);
    if (gf_slab_is_line(job))
        return gf_slab_line_refuses(job);
    if (!(job->axes & 1) || job->axes == 1)
        return gf_why(job->axes == 1 ? GF_WHY_ALONE : GF_WHY_SLOWEST);
    if (job->shape[0] < 2)
        return gf_why(GF_WHY_SINGLE);
    if (job->shape[last] < SHORTEST)
        return gf_why(GF_WHY_SHORT);
    if (gf_job_is_real(job) && (!(job->axes >> last & 1) || job->shape[last] < 2))
        return gf_why(GF_WHY_LAST);
    return NULL;
}

/* Bytes of an array of the job without padding. */
static int64_t counted_bytes(const struct gf_job *job, int64_t channels, enum gf_dtype t) {
    int64_t n = channels * (int64_t)gf_dtype_size(t);
    for (int i = 0; i < job->ndim; i++)
        n *= gf_job_counted(job, i);
    return n;
}

/* True if the backend can write samples of a packed half spectrum: negative frequencies are copies
 * of them, except for odd kinds. */
static bool is_direct(const struct gf_slab_plan *p) {
    const struct gf_output *o = &p->job.out[0];
    const bool odd = o->kind == GF_PHASE || o->kind == GF_IMAG;
    return p->packed && p->paired && !p->picture && p->job.direction == GF_FORWARD &&
           p->job.op == GF_FFT && p->job.n_out == 1 && o->kind != GF_COMPLEX && (o->half || !odd) &&
           !gf_output_scans_parts(&p->job, 0);
}

/* Sets the extents of the exchange and of what a block must hold. */
static void describe(struct gf_slab_plan *p) {
    const struct gf_job *job = &p->job;
    const bool inverse = job->direction == GF_INVERSE;
    int64_t columns = job->shape[2];
    if (p->real)
        columns = columns / 2 + !p->packed;
    p->pages = job->shape[0];
    p->rows = job->shape[1];
    p->kept_pages = gf_job_counted(job, 0);
    p->width = columns * gf_job_lanes(job);
    if (p->picture) {
        p->rows = columns;
        p->width = gf_job_lanes(job);
    }
    bool mirrored = p->packed || (inverse && p->real && !job->in_half);
    for (int i = 0; i < job->n_out && !inverse && job->op == GF_FFT; i++)
        mirrored |= p->real && !job->out[i].half;
    p->paired = mirrored && job->axes >> 1 & 1;
    p->units = p->paired ? p->rows / 2 + 1 : p->rows;
    p->direct = is_direct(p);
    p->exchange_bytes = p->pages * p->rows * p->width * p->number;
}

/* The workspace for n pages in bytes, or -1 if the backend does not tell. */
static int64_t workspace(const struct gf_slab_plan *p, const struct gf_slab_worker *w, int64_t n) {
    int64_t most = -1;
    for (int back = 0; back < 2 && w->workspace; back++) {
        const bool used = p->job.op == GF_FILTER || (p->job.direction == GF_INVERSE) == back;
        const struct gf_job job = gf_slab_pages_job(p, back, n);
        const int64_t bytes = used ? w->workspace(w->user, &job) : 0;
        if (bytes < 0)
            return -1;
        most = gf_max(most, bytes);
    }
    return most;
}

/* Returns how many pages, at least n, fit with the workspace that the backend asks for, and the
 * workspace of a page in *work. With little memory asking gains too little. */
static int64_t add_pages(const struct gf_slab_plan *p, const struct gf_slab_worker *w,
                         int64_t memory, int64_t n, int64_t page, int64_t *work) {
    enum { LEAST = 16 << 20 };
    int64_t more = gf_min(memory / page, p->pages);
    int64_t bytes = memory < LEAST || more <= n ? -1 : workspace(p, w, more);
    if (bytes >= 0 && more * page + bytes > memory) {
        more = memory / (page + bytes / more + 1);
        bytes = more > n ? workspace(p, w, more) : -1;
    }
    if (bytes < 0 || more * page + bytes > memory)
        return n;
    *work = bytes / more + 1;
    return more;
}

/* Chooses the pages of a slab, from its input, result and workspace and the largest piece. */
static int choose_slabs(struct gf_slab_plan *p, const struct gf_slab_worker *w, int64_t memory,
                        int64_t *needed) {
    const struct gf_job *job = &p->job;
    const int64_t middle = p->exchange_bytes / p->pages;
    int64_t in = job->direction == GF_FORWARD ? gf_job_bytes(job, -1) / p->pages : 0, out = 0;
    for (int i = 0; i < job->n_out && (job->direction == GF_INVERSE || job->op == GF_FILTER); i++)
        out += gf_job_bytes(job, i) / p->pages;
    const int64_t arrays = p->slots * (gf_max(in, out) + middle) + middle / p->n_blocks + 1;
    int64_t work = middle + middle / 4;
    const bool pages =
        gf_job_joins_pages(job) || p->picture || (p->rows < GF_PART_TILE && p->pages > p->rows);
    const int64_t grain = pages ? GF_PART_TILE : 1;
    int64_t n = gf_slab_cached(p, memory) / (arrays + work);
    if (!p->members)
        n = add_pages(p, w, memory, n, arrays, &work);
    const int64_t page = arrays + work;
    n = n / grain * grain;
    n = n < grain && grain * page <= memory ? grain : n;
    n = gf_min(n, p->pages);
    if (p->members && n * p->members > p->pages)
        n = p->pages / p->members > grain ? p->pages / p->members / grain * grain : grain;
    *needed = page * n;
    /* as few as possible, of equal length */
    if ((n < p->pages || p->members) && grain == 1 && n > 0) {
        p->n_slabs = gf_slab_part_count(p, p->pages, n);
        p->slab_pages = gf_divide_up(p->pages, p->n_slabs);
        p->n_slabs = gf_divide_up(p->pages, p->slab_pages);
        *needed = page * p->slab_pages;
        return 0;
    }
    /* Whole tiles; the last slab has the remainder too. */
    for (n = gf_min(n, p->pages); n > 0; n -= grain) {
        p->slab_pages = n;
        p->n_slabs = p->pages / n;
        *needed = page * (p->pages - (p->n_slabs - 1) * n);
        if (*needed <= memory)
            return 0;
    }
    *needed = page * gf_min(2 * grain, p->pages);
    return GF_ENOMEM;
}

/* Bytes of the widest row of output, as complex numbers and as samples. */
static int64_t widest_output(const struct gf_slab_plan *p) {
    const struct gf_job *job = &p->job;
    const int64_t numbers = job->shape[2] * gf_job_lanes(job);
    int64_t widest = 0;
    for (int i = 0; i < job->n_out && job->direction == GF_FORWARD && job->op == GF_FFT; i++) {
        int64_t bytes = numbers * p->number;
        if (!gf_slab_is_output(p, i))
            bytes += gf_job_bytes(job, i) / (job->shape[0] * job->shape[1]);
        if (gf_output_scans_parts(job, i)) /* floats */
            bytes += numbers * p->number / 2;
        widest = gf_max(widest, bytes);
    }
    return widest;
}

/* Bytes of a row of full spectrum that an inverse reads. */
static int64_t full_input(const struct gf_slab_plan *p) {
    const struct gf_job *job = &p->job;
    bool full = job->direction == GF_INVERSE && !job->in_half && p->real;
    return full ? gf_job_bytes(job, -1) / (job->shape[0] * job->shape[1]) : 0;
}

/* Chooses the units of a slab of rows: the spectrum, a piece of it, and output or input. */
static int choose_rows(struct gf_slab_plan *p, int64_t memory, int64_t *needed) {
    p->row_units = 1;
    const struct gf_slab_plan rows = gf_slab_rows_plan(p);
    const int64_t row =
        p->slots * (rows.width * rows.number + full_input(p) + widest_output(p)) + 1;
    const int64_t unit = (rows.paired ? 2 : 1) * (row + rows.width * rows.number / p->n_blocks + 1);
    int64_t n = gf_slab_cached(p, memory) / unit;
    n = n < 1 && unit <= memory ? 1 : gf_min(n, rows.units);
    if (n > 0 && p->members) {
        const int64_t parts = gf_slab_part_count(p, rows.units, n);
        n = gf_divide_up(rows.units, parts);
    }
    *needed = gf_max(n, 1) * unit;
    p->row_units = n;
    return n < 1 ? GF_ENOMEM : 0;
}

/* The least columns of a picture's block: a single column would be transformed as a line and round
 * differently, so none may be left over. */
static int64_t least_units(const struct gf_slab_plan *p) {
    int64_t n = p->picture ? 2 : 1;
    while (p->picture && n < p->units && p->units % n == 1)
        n++;
    return n;
}

static void avoid_single(struct gf_slab_plan *p) {
    while (p->picture && p->block_units > 2 && p->units % p->block_units == 1)
        p->block_units--;
    p->n_blocks = gf_divide_up(p->units, p->block_units);
}

/* Chooses the units of a block: all pages of its rows, and a few pages of output. */
static int choose_blocks(struct gf_slab_plan *p, int64_t memory, int64_t *needed) {
    const struct gf_job *job = &p->job;
    const int64_t per_unit = p->paired ? 2 : 1, row = p->width * p->number;
    const int64_t samples = gf_job_bytes(job, 0) / (job->shape[0] * job->shape[1]);
    /* bytes of a row of output, samples alone if the backend writes them */
    const int64_t widest = p->picture ? 0 : p->direct ? samples : widest_output(p);
    const int64_t least = least_units(p);
    const int64_t share = p->direct ? DIRECT_STEP_SHARE : STEP_SHARE;
    /* of a row of the block */
    int64_t column = p->slots * (row + (p->picture ? 0 : full_input(p)));
    if (p->direct) /* samples, and the first and last column twice */
        column += p->width * (int64_t)gf_dtype_size(job->out[0].dtype) +
                  4 * gf_job_lanes(job) * p->number;
    if (job->op == GF_FILTER) /* values; without a table real ones */
        column +=
            (job->filter && gf_filter_has_table(job->filter) ? 2 * GF_FILTER_TABLE_SHARE : 1) *
            row / (2 * gf_job_lanes(job));
    const int64_t unit = per_unit * (p->pages * column + p->slots * widest + 1);
    int64_t n = (gf_slab_cached(p, memory) - gf_slab_cached(p, memory) / share) / unit;
    n = n < least && unit * least <= memory ? least : n;
    n = gf_min(n, p->units);
    if (n < least) {
        *needed = unit * least;
        return GF_ENOMEM;
    }
    const int64_t blocks = gf_slab_part_count(p, p->units, n);
    p->block_units = gf_divide_up(p->units, blocks);
    avoid_single(p);
    /* Long steps of output: threads waiting for each other at the end of short ones cost more on a
     * busy machine. */
    const int64_t page = per_unit * p->block_units * (p->slots * widest + 1);
    const int64_t block = per_unit * p->block_units * p->pages * column;
    p->step_pages = gf_min(gf_max((memory - block) / page, 1), p->pages);
    *needed = block + p->step_pages * page;
    return 0;
}

static bool scans(const struct gf_slab_plan *p) {
    bool any = p->line && gf_job_samples(&p->job);
    for (int i = 0; i < p->job.n_out; i++)
        any |= p->line ? gf_output_is_full(&p->job.out[i]) : gf_output_scans_parts(&p->job, i);
    return any && p->job.direction == GF_FORWARD;
}

/* By volume, picture, line; then forward, inverse, filter; then the first walk's parts, those that are
 * transformed along the slowest axis, the last walk's. */
static const char *const names[3][3][3] = {
    {{"slabs of pages, all axes but the slowest", "blocks of all pages, the slowest axis"},
     {NULL, "blocks of all pages, the slowest axis", "slabs of pages, all axes but the slowest"},
     {"slabs of pages, all axes but the slowest",
      "blocks of all pages, the slowest axis, filter, and back",
      "slabs of pages, back along the other axes"}},
    {{"slabs of rows, x", "blocks of columns, y", "slabs of rows"},
     {"slabs of rows", "blocks of columns, y", "slabs of rows, back along x"},
     {"slabs of rows, x", "blocks of columns, y, filter, and back", "slabs of rows, back along x"}},
    {{"blocks of columns, and their twiddles", "blocks of rows",
      "slabs of the line, from its rows"},
     {"slabs of the line, to its rows", "blocks of rows", "blocks of columns, and their twiddles"},
     {"blocks of columns, and their twiddles", "blocks of rows, filter, and back",
      "blocks of columns, back"}}};

/* Devices have no slabs of rows or of a line, as they read and write blocks of these directly. */
static void name_walk(const struct gf_slab_plan *p, struct gf_pass_info *w) {
    enum { ENDS = GF_SLAB_FROM_INPUT | GF_SLAB_TO_OUTPUT };
    const bool on_device = !p->slots, ends = w->step & ENDS;
    const bool blocks =
        w->step & GF_SLAB_BLOCKS && (on_device || !(p->picture || p->line) || !ends);
    const int of = p->line ? 2 : p->picture;
    const int way = p->job.op == GF_FILTER ? 2 : p->walk[0].step == GF_SLAB_INPUT;
    const int at = blocks ? 1 : w->step & GF_SLAB_TO_OUTPUT ? 2 : 0;
    const bool alone = (w->step & ENDS) == ENDS && !blocks;
    snprintf(w->what, sizeof w->what, "%s%s", alone ? "slabs of pages" : names[of][way][at],
             w->step & GF_SLAB_SCANS ? ", for the display range" : "");
}

void gf_slab_list_steps(struct gf_slab_plan *p, unsigned first, bool within, bool scans,
                        unsigned last) {
    const unsigned step[GF_SLAB_WALKS] = {first, within ? GF_SLAB_WITHIN : 0,
                                          scans ? last | GF_SLAB_SCANS : 0, last};
    p->n_walks = 0;
    for (int i = 0; i < GF_SLAB_WALKS; i++)
        if (step[i]) {
            p->walk[p->n_walks].step = step[i];
            name_walk(p, &p->walk[p->n_walks++]);
        }
}

/* A filter reads and writes without the padding, except a line: making its padding reads as much of
 * it. */
static void list_walks(struct gf_slab_plan *p) {
    const struct gf_job *job = &p->job;
    const bool filter = job->op == GF_FILTER, crops = filter && !p->line;
    const bool inverse = job->direction == GF_INVERSE;
    int64_t kept = crops ? 0 : p->pages, out = 0;
    for (int64_t i = 0; i < p->n_slabs && kept < p->kept_pages; i++)
        kept += gf_slab_pages(p, i).count;
    for (int i = 0; i < job->n_out; i++)
        out += filter ? counted_bytes(job, gf_job_lanes(job), job->out[i].dtype)
                      : gf_job_bytes(job, i);
    gf_slab_list_steps(p, inverse ? GF_SLAB_INPUT : GF_SLAB_FORTH, filter || p->picture || p->line,
                       scans(p), filter || inverse ? GF_SLAB_BACK : GF_SLAB_OUTPUT);
    for (int i = 0; i < p->n_walks; i++) {
        struct gf_pass_info *w = &p->walk[i];
        const bool last = w->step & GF_SLAB_TO_OUTPUT, blocks = w->step & GF_SLAB_BLOCKS;
        w->bytes_read = last && blocks && p->odd
                            ? gf_slab_line_frequencies(p) * p->lines * p->width * p->number
                        : last ? p->exchange_bytes / p->pages * kept
                               : p->exchange_bytes;
        w->bytes_written = !last ? p->exchange_bytes : w->step & GF_SLAB_SCANS ? 0 : out;
    }
    p->walk[0].bytes_read =
        crops ? counted_bytes(job, job->channels, job->in_dtype) / p->kept_pages * p->pages
              : gf_job_bytes(job, -1);
}

static void count_sent(struct gf_slab_plan *p) {
    for (int i = 0; i < p->members; i++) {
        const struct gf_span slabs = gf_span_share(p->n_slabs, p->members, i);
        const double made =
            p->line ? 1. / p->members : (double)gf_slab_pages_of(p, slabs).count / (double)p->pages;
        const int64_t kept =
            gf_slab_owned_from(p, p->members, i + 1) - gf_slab_owned_from(p, p->members, i);
        const double sent = made * (double)(p->exchange_bytes - kept);
        p->sent_bytes = gf_max(p->sent_bytes, (int64_t)(sent + 0.5));
        p->pieces = gf_max(p->pieces, slabs.count * p->n_blocks);
    }
}

/* Blocks, slabs, and a picture's slabs of rows. */
static int fit_slots(struct gf_slab_plan *p, const struct gf_slab_worker *w, int64_t memory,
                     int64_t *needed) {
    int64_t bytes[3] = {0};
    int rc = choose_blocks(p, memory, &bytes[0]);
    if (!rc)
        rc = choose_slabs(p, w, memory, &bytes[1]);
    if (!rc && p->picture)
        rc = choose_rows(p, memory, &bytes[2]);
    *needed = gf_max(bytes[0], gf_max(bytes[1], bytes[2]));
    return rc;
}

/* Two slots, unless that leaves parts too small or pieces shorter than a disk's block. */
static int fit(struct gf_slab_plan *p, const struct gf_slab_worker *w, int64_t memory,
               int64_t *needed) {
    enum { LEAST_PIECE = 4 << 10 };
    int rc = p->slots < 2 ? GF_ENOMEM : fit_slots(p, w, memory, needed);
    if (!rc && gf_slab_largest_piece(p, gf_slab_longest(p)) >= LEAST_PIECE)
        return 0;
    p->slots = 1;
    return fit_slots(p, w, memory, needed);
}

int gf_slab_plan_make(const struct gf_job *job, const struct gf_slab_worker *w, int64_t memory,
                      int members, struct gf_slab_plan *p) {
    char need[GF_SIZE_TEXT], limit[GF_SIZE_TEXT];
    const bool line = gf_slab_is_line(job);
    int64_t needed = 0, kept = 0;
    int rc = job->op == GF_FFT ? gf_job_validate(job) : 0; /* a filter's values may come later */
    if (rc)
        return rc;
    *p = (struct gf_slab_plan){.job = line ? *job : gf_job_volume(job),
                               .line = line,
                               .picture = !line && job->ndim == 2,
                               .number = (int64_t)gf_dtype_size(gf_job_number(job)),
                               .real = gf_job_is_real(job),
                               .packed = w->packs == GF_PACKS_ALL,
                               .packed_within = w->packs == GF_PACKS_WITHIN,
                               .slots = w->makes_input ? 1 : GF_SLAB_MOST_SLOTS,
                               .members = members};
    if (line)
        gf_slab_line_describe(p);
    else
        describe(p);
    if (!line && (kept = gf_ranges_bytes(&p->job, gf_slab_ranges(p))) < 0)
        return (int)kept;
    if (members) /* of the exchange */
        kept += p->exchange_bytes / members + p->exchange_bytes / p->units;
    rc = line ? gf_slab_line_fit(p, memory, kept, &needed) : fit(p, w, memory - kept, &needed);
    p->memory_bytes = needed + kept;
    if (rc)
        return needed ? gf_fail(GF_ENOMEM, "a slab needs %s, limit %s (--max-memory)",
                                gf_memory_need_text(p->memory_bytes, need),
                                gf_memory_limit_text(memory, limit))
                      : rc;
    list_walks(p);
    count_sent(p);
    return 0;
}

bool gf_slab_part_job(const struct gf_slab_plan *p, int i, struct gf_job *job) {
    const unsigned step = p->walk[i].step;
    const bool back = step == GF_SLAB_BACK, pages = step == GF_SLAB_FORTH || back;
    const bool within = p->picture || p->line; /* the slowest axis has a walk of its own */
    if (step == GF_SLAB_LOOK || (within && !pages && step != GF_SLAB_WITHIN))
        return false;
    if (p->line)
        *job = pages ? gf_slab_line_columns_job(p, p->block_units, back)
                     : gf_slab_line_row_job(p, false, false);
    else
        *job = pages ? gf_slab_pages_job(p, back, gf_slab_longest(p))
                     : gf_part_lines(&p->job, p->pages, gf_slab_most_rows(p), p->width);
    return true;
}

void gf_slab_plan_look(struct gf_slab_plan *p, int64_t bytes, const char *what) {
    memmove(p->walk + 1, p->walk, (size_t)p->n_walks * sizeof *p->walk);
    p->n_walks++;
    p->walk[0] = (struct gf_pass_info){.step = GF_SLAB_LOOK, .bytes_read = bytes};
    snprintf(p->walk[0].what, sizeof p->walk[0].what, "%s", what);
}
