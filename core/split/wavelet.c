/* An inverse wavelet transform in which each level asks the coarser one for planes. */
#include "core/split/wavelet.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/split/state.h"
#include "core/wavelet/window.h"

enum { ROWS_AT_ONCE = 32 };

/* A level (1 is the finest), whose bands consist of planes of the file and of the next level's
 * finer side. */
struct level {
    struct gf_dwt_window z;
    char *in, *out[GF_MAX_OUTPUTS]; /* packed bands; finer side, of level 1 all outputs */
    char *wrapped;                  /* a periodic finer side's first planes, if has_wrapped */
    unsigned has_wrapped;
    int64_t low, high; /* planes of the finer side in out[0], whose first plane is `base` */
    int64_t base;
    /* pairs of the finer side that are needed; wrapped planes at a periodic line's end are extra */
    struct gf_span needed;
    int64_t planes, next; /* of each band in `in`; the first of the next chunk, or -1 */
};

struct run {
    const struct gf_slab_wavelet *w;
    const struct gf_slab_io *io;
    struct gf_report *report;
    struct gf_dwt_layout layout;
    int64_t real; /* bytes of a real */
    char *rows;
    struct level level[GF_MAX_LEVELS + 1]; /* from 1 on */
    int64_t moved;
};

static bool is_periodic(const struct gf_job *job) {
    return job->wavelet.boundary == GF_PERIODIC;
}

static int64_t real_bytes(const struct gf_job *job) {
    return (int64_t)gf_dtype_size(gf_dwt_real(job));
}

const char *gf_slab_wavelet_refuses(const struct gf_job *job) {
    if (gf_dwt_refuses_planes(job))
        return gf_dwt_refuses_planes(job);
    if (job->in_dtype != gf_dwt_real(job))
        return gf_why(GF_WHY_PRECISION);
    return job->n_out < GF_MAX_OUTPUTS ? NULL : gf_why(GF_WHY_MANY);
}

/* The finest level has an extra output in floats if samples may be clipped, to count them. */
static void describe(const struct gf_job *job, int number, struct level *l) {
    bool clips = false;
    *l = (struct level){.next = -1};
    gf_dwt_window(job, number, &l->z);
    for (int i = 0; i < l->z.job.n_out; i++)
        clips |= gf_dtype_is_integer(l->z.job.out[i].dtype);
    if (clips)
        l->z.job.out[l->z.job.n_out++] =
            (struct gf_output){.kind = GF_REAL, .dtype = gf_dwt_real(job)};
}

/* Planes of both bands, or of the finer side, for `pairs` pairs. */
static int64_t band_planes(const struct gf_dwt_window *z, int64_t pairs) {
    return 2 * (pairs + gf_dwt_window_shared(z));
}

static int64_t bytes_of(const struct gf_job *job, int64_t pairs) {
    /* The backend copies bands to threshold them. */
    const int64_t copies = job->wavelet.threshold == GF_KEEP_ALL ? 1 : 2, real = real_bytes(job);
    int64_t shape[GF_MAX_RANK], bytes = 0;
    for (int number = 1; number <= job->wavelet.levels; number++) {
        struct gf_dwt_window z;
        gf_dwt_window(job, number, &z);
        const int64_t planes = band_planes(&z, pairs), shared = gf_dwt_window_shared(&z);
        bytes += z.packed * planes * copies + z.fine * real * (planes + shared);
        for (int i = 0; i < job->n_out && number == 1; i++)
            bytes += z.fine * (int64_t)gf_dtype_size(job->out[i].dtype) * planes;
    }
    gf_dwt_shape(job, true, shape);
    return bytes + ROWS_AT_ONCE * shape[2] * shape[3] * real;
}

static int64_t memory_for(const struct gf_job *job, int64_t pairs) {
    return bytes_of(job, pairs) / 7 * 8; /* the backend's scratch */
}

/* Counts whole rows: those that coarser bands share are read again for these. */
static void count_bytes(struct gf_slab_wavelet *w) {
    const struct gf_job *job = &w->job;
    struct gf_dwt_layout layout;
    gf_dwt_layout(job, &layout);
    for (int l = 1; l <= job->wavelet.levels; l++)
        w->bytes_read += 2 * layout.axis[0].n[l] * gf_dwt_layout_rows(&layout, l) *
                         layout.axis[2].packed * layout.pixel;
    for (int i = 0; i < job->n_out; i++)
        w->bytes_written += job->shape[0] * job->shape[1] * job->shape[2] * job->channels *
                            (int64_t)gf_dtype_size(job->out[i].dtype);
}

void gf_slab_wavelet_take(struct gf_slab_wavelet *w, int64_t pairs) {
    w->pairs = pairs;
    w->memory_bytes = memory_for(&w->job, pairs);
}

int gf_slab_wavelet_make(const struct gf_job *job, int64_t memory, struct gf_slab_wavelet *w) {
    char need[GF_SIZE_TEXT], limit[GF_SIZE_TEXT];
    const int64_t base = bytes_of(job, 0), each = bytes_of(job, 1) - base;
    const int64_t most = (job->shape[0] + 1) / 2;
    *w = (struct gf_slab_wavelet){.job = *job};
    count_bytes(w);
    const int64_t room = memory - memory / 8 - base;
    gf_slab_wavelet_take(w, gf_max(gf_min(room / each, most), 1));
    w->own = gf_dwt_all_pairs(job);
    if (room >= each)
        return 0;
    return gf_fail(GF_ENOMEM, "two planes of each level need %s, limit %s (--max-memory)",
                   gf_memory_need_text(w->memory_bytes, need), gf_memory_limit_text(memory, limit));
}

/* ---- parts ---- */

void gf_slab_wavelet_part(const struct gf_slab_wavelet *all, int n, int i,
                          struct gf_slab_wavelet *part) {
    const int levels = all->job.wavelet.levels;
    struct gf_span pairs = gf_span_share(gf_dwt_all_pairs(&all->job).count, n, i);
    struct gf_dwt_window w;
    *part = *all;
    part->own = pairs;
    part->in_part = n > 1;
    part->planes_read = 0;
    for (int l = 1; l <= levels; l++) {
        gf_dwt_window(&all->job, l, &w);
        if (l > 1)
            pairs = gf_dwt_window_coarser(&w, pairs);
        part->planes_read += pairs.count + gf_dwt_window_shared(&w);
    }
    part->planes_read += pairs.count + gf_dwt_window_shared(&w); /* the coarsest approximation */
    if (part->pairs > part->own.count)
        gf_slab_wavelet_take(part, part->own.count);
}

/* ---- bands ---- */

/* Reads rows of a plane of the file as rows of packed bands; only details if the approximation is
 * computed. */
static int read_band_rows(struct run *r, const struct level *l, const struct gf_slab_rows *rows,
                          bool details, char *to) {
    const struct gf_dwt_axis *x = &r->layout.axis[2];
    const int64_t pixel = r->layout.pixel, row = x->packed * pixel;
    const int64_t band = x->n[l->z.level] * pixel,
                  packed = gf_dwt_layout_row(&r->layout, l->z.level);
    int rc = 0;
    for (int64_t y = 0; y < rows->count && !rc; y += ROWS_AT_ONCE) {
        const int64_t n = gf_min(rows->count - y, ROWS_AT_ONCE);
        rc = r->io->read_rows(r->io->user, &(struct gf_slab_rows){rows->page, rows->row + y, n},
                              r->rows);
        for (int64_t i = 0; i < n && !rc; i++) {
            char *at = to + (y + i) * packed;
            if (!details)
                memcpy(at, r->rows + i * row, (size_t)band);
            if (r->layout.on[2])
                memcpy(at + band, r->rows + i * row + x->at[l->z.level] * pixel, (size_t)band);
        }
        r->moved += n * row;
    }
    return rc;
}

static int fine_at(struct run *r, int number, int64_t j, const char **plane);

/* Loads band planes k, approximation and detail along z, at index i of the chunk's n. */
static int load_bands(struct run *r, const struct level *l, int64_t k, int64_t i, int64_t n) {
    const int number = l->z.level;
    const bool coarsest = number == r->w->job.wavelet.levels;
    const struct gf_dwt_axis *axis = r->layout.axis;
    const int64_t ny = axis[1].n[number], packed = gf_dwt_layout_row(&r->layout, number);
    const int64_t row = axis[2].n[number] * r->layout.pixel;
    const char *from = NULL;
    int rc = 0;
    for (int z = 0; z < 2; z++)
        for (int y = 0; y <= r->layout.on[1] && !rc; y++) {
            const struct gf_slab_rows rows = {z ? axis[0].at[number] + k : k,
                                              y ? axis[1].at[number] : 0, ny};
            rc = read_band_rows(r, l, &rows, !z && !y && !coarsest,
                                l->in + (z * n + i) * l->z.packed + y * ny * packed);
        }
    if (rc || coarsest)
        return rc;
    rc = fine_at(r, number + 1, k, &from);
    for (int64_t y = 0; y < ny && !rc; y++)
        memcpy(l->in + i * l->z.packed + y * packed, from + y * row, (size_t)row);
    return rc;
}

/* ---- a level ---- */

/* The job that makes so many pairs of a level's finer side. */
static struct gf_job chunk_job(const struct level *l, int64_t pairs) {
    struct gf_job job = l->z.job;
    job.shape[0] = is_periodic(&job) ? band_planes(&l->z, pairs) : 2 * pairs;
    return job;
}

struct gf_job gf_slab_wavelet_chunk(const struct gf_slab_wavelet *w) {
    struct level finest;
    describe(&w->job, 1, &finest);
    return chunk_job(&finest, w->pairs);
}

/* Loads the bands of n planes from k on, reusing the last planes of the chunk before. */
static int load_chunk(struct run *r, struct level *l, int64_t k, int64_t n) {
    const int64_t bytes = l->z.packed;
    const int64_t again = l->next == k ? gf_dwt_window_shared(&l->z) : 0;
    int rc = 0;
    memmove(l->in, l->in + (l->planes - again) * bytes, (size_t)(again * bytes));
    memmove(l->in + n * bytes, l->in + (2 * l->planes - again) * bytes, (size_t)(again * bytes));
    for (int64_t i = again; i < n && !rc; i++)
        rc = load_bands(r, l, (k + i) % l->z.steps, i, n);
    l->planes = n;
    l->next = rc ? -1 : k + n - gf_dwt_window_shared(&l->z);
    return rc;
}

/* Makes the chunk that begins with the pair of plane j, up to the last pair needed. */
static int make_chunk(struct run *r, struct level *l, int64_t j) {
    const struct gf_span needed = l->needed;
    const int64_t all = gf_dwt_window_pairs(&l->z), end = needed.first + needed.count;
    /* A finest level that fits has its wrapped planes in the same chunk. */
    const bool at_once = l->z.level == 1 && all == needed.count && all <= r->w->pairs;
    const int64_t k = at_once ? 0 : gf_dwt_window_pair(&l->z, j);
    const int64_t pairs = gf_min((k < end ? end : all) - k, r->w->pairs);
    const struct gf_job job = chunk_job(l, pairs);
    struct gf_report report;
    void *out[GF_MAX_OUTPUTS];
    int rc = load_chunk(r, l, k, pairs + gf_dwt_window_shared(&l->z));
    memcpy(out, l->out, sizeof out);
    if (!rc)
        rc = gf_slab_run_job(r->io, &job, l->in, out, &report);
    /* A periodic chunk wraps around at its own ends, where its planes are not used. */
    l->base = 2 * k;
    l->low = rc ? 0 : l->base + gf_dwt_window_wrapped(&l->z);
    l->high = rc ? 0 : l->low + 2 * pairs;
    return rc;
}

/* Finds plane `at` of the extended finer side in a chunk, which may have to be made. */
static int chunk_at(struct run *r, struct level *l, int64_t at, int64_t *index) {
    const bool made = at >= l->low && at < l->high;
    const int rc = made ? 0 : make_chunk(r, l, at % (2 * l->z.steps));
    *index = at - l->base;
    return rc;
}

/* Returns plane j of a coarser level's finer side, valid until the next call for that level. */
static int fine_at(struct run *r, int number, int64_t j, const char **plane) {
    struct level *l = &r->level[number];
    const int64_t bytes = l->z.fine * r->real;
    const bool wraps = j < gf_dwt_window_wrapped(&l->z);
    char *kept = l->wrapped + (wraps ? j * bytes : 0);
    int64_t index;
    *plane = kept;
    if (wraps && l->has_wrapped >> j & 1)
        return 0;
    const int rc = chunk_at(r, l, gf_dwt_window_made(&l->z, j), &index);
    if (rc)
        return rc;
    *plane = l->out[0] + index * bytes;
    if (wraps) {
        memcpy(kept, *plane, (size_t)bytes);
        *plane = kept;
        l->has_wrapped |= 1u << j;
    }
    return 0;
}

/* ---- the finest level ---- */

/* Counts the samples of a plane that output i's type cannot hold. */
static int64_t clipped(const struct run *r, int i, const char *plane, int64_t n) {
    double low, high;
    int64_t count = 0;
    gf_dtype_range(r->w->job.out[i].dtype, &low, &high);
    for (int64_t k = 0; k < n; k++) {
        double v = r->real == 8 ? ((const double *)plane)[k] : (double)((const float *)plane)[k];
        count += !(v >= low - 0.5 && v < high + 0.5);
    }
    return count;
}

static int write_plane(struct run *r, int64_t j, int64_t at) {
    const struct gf_job *job = &r->w->job;
    struct level *l = &r->level[1];
    int rc = 0;
    for (int i = 0; i < job->n_out && !rc; i++) {
        const int64_t bytes = l->z.fine * (int64_t)gf_dtype_size(job->out[i].dtype);
        rc = r->io->write(r->io->user, i, &(struct gf_slab_rows){j, 0, job->shape[1]},
                          l->out[i] + at * bytes);
        if (!rc && gf_dtype_is_integer(job->out[i].dtype))
            r->report->clipped[i] +=
                clipped(r, i, l->out[job->n_out] + at * l->z.fine * r->real, l->z.fine);
        r->moved += bytes;
    }
    if (r->io->moved)
        r->io->moved(r->io->user, r->moved);
    return rc;
}

/* Writes all planes in ascending order; or those of a part, as its chunks have them. */
static int run_finest(struct run *r) {
    struct level *l = &r->level[1];
    const int64_t line = 2 * l->z.steps, n = 2 * l->needed.count;
    const int64_t first = 2 * l->needed.first + gf_dwt_window_wrapped(&l->z);
    int rc = 0;
    for (int64_t i = 0; i < n && !rc; i++) {
        const int64_t at = gf_dwt_window_made(&l->z, r->w->in_part ? first + i : i);
        int64_t index;
        if (at % line >= l->z.planes) /* an odd line has one plane fewer */
            continue;
        rc = chunk_at(r, l, at, &index);
        if (!rc)
            rc = write_plane(r, at % line, index);
    }
    return rc;
}

static int take(char **memory, int64_t bytes) {
    *memory = gf_alloc((size_t)bytes);
    return *memory ? 0 : gf_fail(GF_ENOMEM, "no memory for planes of %lld bytes", (long long)bytes);
}

static int take_level(struct run *r, int number, struct gf_span needed) {
    struct level *l = &r->level[number];
    describe(&r->w->job, number, l);
    const struct gf_job *job = &l->z.job;
    const int64_t planes = band_planes(&l->z, r->w->pairs);
    l->needed = number > 1 ? gf_dwt_window_coarser(&l->z, needed) : needed;
    int rc = take(&l->in, l->z.packed * planes);
    if (!rc && number > 1)
        rc = take(&l->wrapped, l->z.fine * r->real * gf_dwt_window_shared(&l->z));
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = take(&l->out[i], l->z.fine * planes * (int64_t)gf_dtype_size(job->out[i].dtype));
    return rc;
}

int gf_slab_wavelet_run(const struct gf_slab_wavelet *w, const struct gf_slab_io *io,
                        struct gf_report *report) {
    const int levels = w->job.wavelet.levels;
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        return gf_no_memory();
    *report = (struct gf_report){0};
    *r = (struct run){.w = w, .io = io, .report = report, .real = real_bytes(&w->job)};
    gf_dwt_layout(&w->job, &r->layout);
    int rc = take(&r->rows, ROWS_AT_ONCE * r->layout.axis[2].packed * r->layout.pixel);
    for (int l = 1; l <= levels && !rc; l++)
        rc = take_level(r, l, l > 1 ? r->level[l - 1].needed : w->own);
    if (!rc)
        rc = run_finest(r);
    for (int l = 1; l <= levels; l++) {
        gf_free(r->level[l].in);
        gf_free(r->level[l].wrapped);
        for (int i = 0; i < GF_MAX_OUTPUTS; i++)
            gf_free(r->level[l].out[i]);
    }
    gf_free(r->rows);
    free(r);
    return rc;
}
