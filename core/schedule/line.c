/* Plans long lines: the factors of their length, columns of a block, points of a slab. */
#include "core/base/value/factor.h"
#include "core/base/host/memory.h"
#include "core/filter/filter.h"
#include "core/base/value/status.h"
#include "core/schedule/plan.h"

enum { STAGED = GF_SLAB_STAGED, MOST_ROWS = 1 << 16, STEPS = 4 };

bool gf_slab_is_line(const struct gf_job *job) {
    return job->op != GF_DWT && job->axes == 1u << (job->ndim - 1);
}

static int64_t length_of(const struct gf_job *job) {
    return job->shape[job->ndim - 1];
}

/* An odd number of real samples is transformed as complex ones. */
static bool is_odd(const struct gf_job *job) {
    return gf_job_is_real(job) && length_of(job) % 2;
}

static int64_t points_of(const struct gf_job *job) {
    return gf_job_is_real(job) && !is_odd(job) ? length_of(job) / 2 : length_of(job);
}

const char *gf_slab_line_refuses(const struct gf_job *job) {
    if (job->luma)
        return gf_why(GF_WHY_LUMA);
    if (job->channels > GF_SLAB_CHANNELS)
        return gf_why(GF_WHY_CHANNELS);
    if (length_of(job) < 16)
        return gf_why(GF_WHY_SHORT);
    return NULL;
}

int64_t gf_slab_line_rows(const struct gf_slab_plan *p) {
    return p->real ? 2 * p->pages : p->pages;
}

int64_t gf_slab_line_out_bytes(const struct gf_slab_plan *p, int i) {
    return p->width * (int64_t)gf_dtype_size(p->job.out[i].dtype);
}

bool gf_slab_line_in_place(const struct gf_slab_plan *p, bool inverse) {
    const struct gf_output *o = &p->job.out[0];
    if (p->real || (inverse && (p->job.n_out > 1 || o->kind != GF_COMPLEX || p->pages == 1)))
        return false;
    return (inverse ? o->dtype : p->job.in_dtype) == gf_job_number(&p->job);
}

struct gf_job gf_slab_line_columns_job(const struct gf_slab_plan *p, int64_t count, bool inverse) {
    struct gf_job job = gf_part_lines(&p->job, p->pages, 1, count * p->width);
    job.shape[0] = gf_slab_line_rows(p);
    if (!inverse) {
        job.in_dtype = p->job.in_dtype;
        job.out[0].half = p->real;
        return job;
    }
    job.direction = GF_INVERSE;
    job.real = job.in_half = p->real;
    job.norm = p->job.op == GF_FILTER ? GF_NORM_BACKWARD : p->job.norm;
    job.elsewhere = p->rows;
    job.lean = gf_slab_line_in_place(p, true);
    job.n_out = p->job.n_out;
    memcpy(job.out, p->job.out, sizeof job.out);
    return job;
}

struct gf_job gf_slab_line_row_job(const struct gf_slab_plan *p, bool is_real, bool inverse) {
    struct gf_job job = gf_part_lines(&p->job, p->pages, 1, 1);
    job.ndim = 1;
    job.shape[0] = p->rows;
    job.channels = p->width;
    job.elsewhere = p->pages;
    if (!is_real)
        return job;
    job.shape[0] *= 2;
    job.lean = false;
    job.direction = inverse ? GF_INVERSE : GF_FORWARD;
    job.norm = inverse ? GF_NORM_FORWARD : GF_NORM_BACKWARD;
    job.real = job.in_half = inverse;
    job.out[0].half = !inverse;
    if (inverse)
        job.out[0] =
            (struct gf_output){.kind = GF_REAL, .dtype = gf_dtype_real(gf_job_number(&p->job))};
    else
        job.in_dtype = gf_dtype_real(job.in_dtype);
    return job;
}

/* Bytes for transforming a row: the row, the backend's workspace, with several channels a channel
 * at a time. A length with a large prime factor is convolved with a chirp. */
static int64_t transform_bytes(int64_t n2, int64_t row, bool channels) {
    enum { TABLES = 1 << 12 };
    if (gf_factor_radices(n2).rest != 1)
        return 12 * row + TABLES;
    return (channels ? 4 : 2) * row + row / 4 + TABLES;
}

static int64_t row_bytes(const struct gf_slab_plan *p, int64_t n2) {
    const int64_t row = n2 * p->width * p->number;
    const int64_t bytes = transform_bytes(n2, row, p->width > 1) + (p->real ? row : 0);
    if (p->job.op != GF_FILTER)
        return bytes;
    /* A filter's part has a table, two more while it is made, and a kernel's spectrum in double
     * with twice the points. */
    const bool some = p->job.filter && gf_filter_has_table(p->job.filter);
    return bytes + (some ? 3 * (n2 + 1) * p->number + transform_bytes(2 * n2, 32 * n2, false) : 0);
}

/* Chooses the least number of rows, from `least` on, of which one fits. */
static int choose_cut(struct gf_slab_plan *p, int64_t memory, int64_t least, int64_t *needed) {
    const int64_t n = points_of(&p->job);
    *needed = INT64_MAX;
    for (int64_t n1 = least; n1 <= MOST_ROWS && n1 * n1 <= 16 * n; n1++) {
        if (n % n1)
            continue;
        const int64_t bytes = row_bytes(p, n / n1);
        *needed = gf_min(*needed, bytes);
        if (bytes > memory)
            continue;
        p->pages = n1;
        p->rows = n / n1;
        *needed = bytes;
        return 0;
    }
    return GF_ENOMEM;
}

/* Bytes of the widest output's point. */
static int64_t widest(const struct gf_slab_plan *p) {
    int64_t widest = 0;
    for (int i = 0; i < p->job.n_out; i++) {
        int64_t bytes = gf_slab_line_out_bytes(p, i);
        if (gf_output_scans_parts(&p->job, i)) /* as floats */
            bytes += p->width * p->number / 2;
        widest = gf_max(widest, bytes);
    }
    return widest;
}

/* Bytes of a column of a block, with its samples, in a slot. */
static int64_t column_bytes(const struct gf_slab_plan *p) {
    const int64_t rows = gf_slab_line_rows(p);
    const bool reads = p->job.direction == GF_FORWARD, writes = !reads || p->job.op == GF_FILTER;
    int64_t in = 0, out = 0;
    if (reads && !gf_slab_line_in_place(p, false))
        in = rows * p->width * (int64_t)gf_dtype_size(p->job.in_dtype);
    for (int i = 0; i < p->job.n_out && writes && !gf_slab_line_in_place(p, true); i++)
        out += rows * gf_slab_line_out_bytes(p, i);
    return (p->pages + p->real) * p->width * p->number + (in > out ? in : out);
}

/* Chooses the columns of a block, and the points of a slab with its interleaved rows and a step of
 * samples. */
static int choose_blocks(struct gf_slab_plan *p, int64_t memory, int64_t *needed) {
    const bool inverse = p->job.direction == GF_INVERSE;
    const int64_t number = p->width * p->number, room = memory - memory / 8;
    const int64_t column = p->slots * column_bytes(p), rows = gf_slab_line_rows(p);
    const int64_t staged = gf_min(rows, STAGED);
    const bool full = gf_job_is_real(&p->job) && !p->job.in_half;
    const int64_t step = !inverse ? number + widest(p) : full ? number : 0;
    const int64_t point =
        p->slots * number + gf_divide_up(staged * number, rows) + step / STEPS + 1;
    const int64_t most = gf_slab_line_frequencies(p);
    int64_t n = room / column, slab = (room - staged * number) / point;
    n = gf_min(n, p->rows);
    slab = gf_min(slab, most);
    *needed = gf_max(column, point + staged * number);
    if (n < 1 || slab < 1)
        return GF_ENOMEM;
    p->n_blocks = gf_slab_part_count(p, p->rows, n);
    p->block_units = gf_divide_up(p->rows, p->n_blocks);
    p->n_blocks = gf_divide_up(p->rows, p->block_units);
    p->n_slabs = gf_slab_part_count(p, most, slab);
    p->slab_pages = gf_divide_up(most, p->n_slabs);
    p->step_pages = gf_divide_up(p->slab_pages, STEPS);
    *needed = p->slab_pages * point + staged * number;
    if (p->job.op == GF_FILTER) { /* a slab is a row */
        p->n_slabs = p->pages;
        p->slab_pages = p->rows;
        *needed = 0;
    }
    *needed = gf_max(*needed, p->block_units * column) + memory / 8;
    return 0;
}

int64_t gf_slab_line_frequencies(const struct gf_slab_plan *p) {
    const bool last = p->real && p->job.direction == GF_FORWARD;
    return p->odd ? p->units / 2 + 1 : p->units + last;
}

void gf_slab_line_describe(struct gf_slab_plan *p) {
    p->lines = 1;
    p->odd = is_odd(&p->job);
    p->real = p->real && !p->odd;
    p->units = points_of(&p->job);
    p->width = p->job.channels;
    for (int i = 0; i < p->job.ndim - 1; i++)
        p->lines *= p->job.shape[i];
    p->exchange_bytes = p->lines * p->units * p->width * p->number;
}

/* Two slots, unless that makes the runs of columns shorter than several of a disk's blocks; of rows
 * if the memory holds them with the cut for one. */
static int choose_slots(struct gf_slab_plan *p, int64_t memory, int64_t *row, int64_t *needed) {
    enum { LEAST_RUN = 64 << 10 };
    const int64_t more = (p->real ? 2 : 1) * p->rows * p->width * p->number;
    const bool overlaps = !p->members && p->slots > 1;
    p->row_slots = overlaps && *row + more <= memory ? p->slots : 1;
    *row += p->row_slots > 1 ? more : 0;
    if (overlaps && !choose_blocks(p, memory, needed) &&
        p->block_units * p->width * p->number >= LEAST_RUN)
        return 0;
    p->slots = 1;
    return choose_blocks(p, gf_slab_cached(p, memory), needed);
}

int gf_slab_line_fit(struct gf_slab_plan *p, int64_t memory, int64_t kept, int64_t *needed) {
    char need[GF_SIZE_TEXT], limit[GF_SIZE_TEXT];
    int64_t row = 0;
    /* A row for each member, if such a cut exists. */
    const int64_t least = gf_divide_up(p->members, p->lines);
    int rc = choose_cut(p, memory - kept, least > 1 ? least : 1, &row);
    if (rc && least > 1)
        rc = choose_cut(p, memory - kept, 1, &row);
    if (rc)
        return gf_fail(GF_ENOMEM,
                       "no two factors of the %lld points of a line cut it into rows that fit: the "
                       "shortest take %s, limit %s (--max-memory)",
                       (long long)p->units, gf_memory_need_text(row, need),
                       gf_memory_limit_text(memory, limit));
    rc = choose_slots(p, memory - kept, &row, needed);
    *needed = row > *needed && !rc ? row : *needed;
    return rc;
}
