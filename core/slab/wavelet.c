/* The levels of an inverse wavelet transform, each asked for planes by the finer one. */
#include "core/slab/wavelet.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/dwt_shape.h"
#include "core/base/memory.h"
#include "core/base/status.h"

enum { ROWS_AT_ONCE = 32 };

/* One level: its bands are made of planes of the file and of the next level's finer side. */
struct level {
    struct gf_dwt_axis axis[3]; /* with one level: the finer side and its bands */
    int64_t at[3];              /* where the file has the details */
    bool coarsest;
    char *in,
        *out[GF_MAX_OUTPUTS]; /* packed bands; the finer side, of the first level all outputs */
    char *first;              /* a periodic finer side's plane 0, once it is known */
    bool has_first;
    int64_t low, high; /* planes of the finer side in out[0], which begins with plane `base` */
    int64_t base;
    struct gf_span
        needed;           /* pairs of the finer side, but for the last one where plane 0 alone is */
    int64_t planes, last; /* that `in` has of each band; the last one's index, -1: none */
};

struct run {
    const struct gf_slab_wavelet *w;
    const struct gf_slab_io *io;
    struct gf_report *report;
    int n_out; /* of the first level: one more where samples may be clipped */
    size_t real;
    char *rows;
    struct level level[GF_MAX_LEVELS + 1]; /* from 1 on */
    int64_t moved;
};

static bool is_periodic(const struct gf_job *job) {
    return job->wavelet.boundary == GF_PERIODIC;
}

static enum gf_dtype real_of(const struct gf_job *job) {
    return job->precision == GF_DOUBLE ? GF_F64 : GF_F32;
}

const char *gf_slab_wavelet_refuses(const struct gf_job *job) {
    if (job->op != GF_DWT || job->direction != GF_INVERSE || job->ndim != 3 || !(job->axes & 1) ||
        job->shape[0] < 2)
        return "only volumes that are transformed along z are";
    if (job->wavelet.threshold != GF_KEEP_ALL && job->wavelet.percent)
        return "the largest K% are known only when all coefficients are there";
    if (job->in_dtype != real_of(job))
        return "coefficients are transformed in their own precision";
    return job->n_out < GF_MAX_OUTPUTS ? NULL : "there are too many outputs";
}

/* Level 1 is the finest. */
static void describe(const struct gf_job *job, int number, struct level *l) {
    *l = (struct level){.coarsest = number == job->wavelet.levels, .last = -1};
    for (int i = 0; i < 3; i++) {
        struct gf_dwt_axis all;
        const bool on = job->axes >> i & 1;
        gf_dwt_axis(job->shape[i], on, job->wavelet.levels, job->wavelet.boundary, &all);
        gf_dwt_axis(all.n[number - 1], on, 1, job->wavelet.boundary, &l->axis[i]);
        l->at[i] = on ? all.at[number] : 0;
    }
}

static int64_t pairs_of(const struct gf_job *job, const struct level *l) {
    return is_periodic(job) ? l->axis[0].n[1] : l->axis[0].n[1] - 1;
}

/* Numbers of a plane of packed bands, and of the finer side. */
static int64_t packed_plane(const struct gf_job *job, const struct level *l) {
    return l->axis[1].packed * l->axis[2].packed * job->channels;
}

static int64_t fine_plane(const struct gf_job *job, const struct level *l) {
    return l->axis[1].n[0] * l->axis[2].n[0] * job->channels;
}

/* Planes of bands, and of the finer side, for so many pairs. */
static int64_t band_planes(int64_t pairs) {
    return 2 * (pairs + 1);
}

static int64_t level_bytes(const struct gf_job *job, const struct level *l, bool finest,
                           int64_t pairs) {
    const int64_t real = (int64_t)gf_dtype_size(real_of(job)), fine = fine_plane(job, l);
    int64_t bytes = packed_plane(job, l) * real * band_planes(pairs);
    /* The backend keeps thresholded bands of its own. */
    bytes *= job->wavelet.threshold == GF_KEEP_ALL ? 1 : 2;
    bytes += fine * real * (band_planes(pairs) + 1);
    for (int i = 0; i < job->n_out && finest; i++)
        bytes += fine * (int64_t)gf_dtype_size(job->out[i].dtype) * band_planes(pairs);
    return bytes;
}

static int64_t bytes_of(const struct gf_job *job, int64_t pairs) {
    int64_t shape[GF_MAX_RANK], bytes = 0;
    for (int l = 1; l <= job->wavelet.levels; l++) {
        struct level level;
        describe(job, l, &level);
        bytes += level_bytes(job, &level, l == 1, pairs);
    }
    gf_dwt_shape(job, true, shape);
    return bytes + ROWS_AT_ONCE * shape[2] * shape[3] * (int64_t)gf_dtype_size(real_of(job));
}

/* Whole rows are read: those of a level that have coarser bands too once more for these. */
static int64_t read_bytes(const struct gf_job *job) {
    int64_t shape[GF_MAX_RANK], rows = 0;
    gf_dwt_shape(job, true, shape);
    for (int l = 1; l <= job->wavelet.levels; l++) {
        struct level level;
        describe(job, l, &level);
        rows += level.axis[0].packed * level.axis[1].packed;
    }
    return rows * shape[2] * shape[3] * (int64_t)gf_dtype_size(real_of(job));
}

static int64_t memory_for(const struct gf_job *job, int64_t pairs) {
    return bytes_of(job, pairs) / 7 * 8; /* the backend's scratch */
}

/* Of the finest level. A periodic line's last pair has its plane 0. */
static int64_t all_pairs(const struct gf_job *job) {
    struct level finest;
    describe(job, 1, &finest);
    return pairs_of(job, &finest);
}

int gf_slab_wavelet_make(const struct gf_job *job, int64_t memory, struct gf_slab_wavelet *w) {
    char need[GF_SIZE_TEXT], limit[GF_SIZE_TEXT];
    const int64_t base = bytes_of(job, 0), each = bytes_of(job, 1) - base;
    const int64_t most = (job->shape[0] + 1) / 2;
    *w = (struct gf_slab_wavelet){.job = *job, .bytes_read = read_bytes(job)};
    const int64_t room = memory - memory / 8 - base;
    w->pairs = room / each < most ? room / each : most;
    w->memory_bytes = memory_for(job, w->pairs < 1 ? 1 : w->pairs);
    for (int i = 0; i < job->n_out; i++) {
        int64_t bytes = job->channels * (int64_t)gf_dtype_size(job->out[i].dtype);
        for (int k = 0; k < 3; k++)
            bytes *= job->shape[k];
        w->bytes_written += bytes;
    }
    w->own.count = all_pairs(job);
    if (w->pairs >= 1)
        return 0;
    return gf_fail(GF_ENOMEM, "two planes of each level need %s, limit %s (--max-memory)",
                   gf_memory_text(w->memory_bytes, need), gf_memory_text(memory, limit));
}

/* ---- parts ---- */

/* Pairs of the next level's finer side, which are the planes of these pairs' bands. Those that are on the
 * other side of a periodic line's end are plane 0, which is made by itself. */
static struct gf_span coarser_pairs(const struct gf_job *job, const struct level *l,
                                    struct gf_span pairs) {
    const int64_t planes = l->axis[0].n[1], end = pairs.first + pairs.count;
    const bool periodic = is_periodic(job);
    const int64_t last = end < planes ? end : planes - 1;
    const int64_t from = periodic && pairs.first ? (pairs.first - 1) / 2 : pairs.first / 2;
    const int64_t to = periodic && last ? (last - 1) / 2 : last / 2;
    return (struct gf_span){from, to - from + 1};
}

int gf_slab_wavelet_parts(const struct gf_job *job, int most) {
    enum { WORTH = 8 };
    const int64_t fit = all_pairs(job) / WORTH;
    return fit < 1 ? 1 : fit < most ? (int)fit : most;
}

void gf_slab_wavelet_part(const struct gf_slab_wavelet *all, int n, int i,
                          struct gf_slab_wavelet *part) {
    const struct gf_job *job = &all->job;
    struct gf_span pairs;
    *part = *all;
    part->own = pairs = gf_slab_share(all_pairs(job), n, i);
    part->in_part = n > 1;
    part->planes_read = 0;
    for (int l = 1; l <= job->wavelet.levels; l++) {
        struct level level;
        describe(job, l, &level);
        part->planes_read += (pairs.count + 1) * (level.coarsest ? 2 : 1);
        pairs = coarser_pairs(job, &level, pairs);
    }
    if (part->pairs > part->own.count) {
        part->pairs = part->own.count;
        part->memory_bytes = memory_for(job, part->pairs);
    }
}

/* ---- bands ---- */

/* Rows from `from` on of a plane of the file to rows `to` on of a packed plane, both column bands;
 * details alone where the approximation is not the file's. */
static int read_band_rows(struct run *r, const struct level *l, const struct gf_slab_rows *rows,
                          bool details, char *to) {
    const struct gf_job *job = &r->w->job;
    int64_t shape[GF_MAX_RANK];
    gf_dwt_shape(job, true, shape);
    const int64_t pixel = job->channels * (int64_t)r->real, row = shape[2] * pixel;
    const struct gf_dwt_axis *x = &l->axis[2];
    const bool on = job->axes >> 2 & 1;
    int rc = 0;
    for (int64_t y = 0; y < rows->count && !rc; y += ROWS_AT_ONCE) {
        const int64_t n = rows->count - y < ROWS_AT_ONCE ? rows->count - y : ROWS_AT_ONCE;
        rc = r->io->read_rows(r->io->user, &(struct gf_slab_rows){rows->page, rows->row + y, n},
                              r->rows);
        for (int64_t i = 0; i < n && !rc; i++) {
            char *at = to + (y + i) * x->packed * pixel;
            if (!details)
                memcpy(at, r->rows + i * row, (size_t)(x->n[1] * pixel));
            if (on)
                memcpy(at + x->at[1] * pixel, r->rows + i * row + l->at[2] * pixel,
                       (size_t)(x->n[1] * pixel));
        }
        r->moved += n * row;
    }
    return rc;
}

/* Plane z of the file as a packed plane of one level. */
static int read_plane(struct run *r, const struct level *l, int64_t z, bool approximation,
                      char *to) {
    const struct gf_dwt_axis *y = &l->axis[1];
    const int64_t row = l->axis[2].packed * r->w->job.channels * (int64_t)r->real;
    const struct gf_slab_rows low = {z, 0, y->n[1]}, high = {z, l->at[1], y->n[1]};
    int rc = read_band_rows(r, l, &low, approximation && !l->coarsest, to);
    if (!rc && r->w->job.axes >> 1 & 1)
        rc = read_band_rows(r, l, &high, false, to + y->at[1] * row);
    return rc;
}

static int fine_at(struct run *r, int number, int64_t j, const char **plane);

/* Band planes k, approximation and detail along z, as index i of the chunk's n. */
static int load_bands(struct run *r, int number, int64_t k, int64_t i, int64_t n) {
    const struct gf_job *job = &r->w->job;
    struct level *l = &r->level[number];
    const int64_t pixel = job->channels * (int64_t)r->real;
    const int64_t plane = packed_plane(job, l) * (int64_t)r->real;
    const int64_t row = l->axis[2].n[1] * pixel, packed = l->axis[2].packed * pixel;
    char *approximation = l->in + i * plane;
    const char *from = NULL;
    int rc = read_plane(r, l, k, true, approximation);
    if (!rc)
        rc = read_plane(r, l, l->at[0] + k, false, l->in + (n + i) * plane);
    if (rc || l->coarsest)
        return rc;
    rc = fine_at(r, number + 1, k, &from);
    for (int64_t y = 0; y < l->axis[1].n[1] && !rc; y++)
        memcpy(approximation + y * packed, from + y * row, (size_t)row);
    return rc;
}

/* ---- a level ---- */

/* One more output where samples may be clipped: they are counted in floats. */
static int outputs_of(const struct gf_job *job) {
    for (int i = 0; i < job->n_out; i++)
        if (gf_dtype_is_integer(job->out[i].dtype))
            return job->n_out + 1;
    return job->n_out;
}

/* Of a level, from n planes of each band. */
static struct gf_job chunk_job(const struct gf_job *all, const struct level *l, int number,
                               int64_t n) {
    struct gf_job job = *all;
    job.shape[0] = is_periodic(&job) ? 2 * n : 2 * (n - 1);
    job.shape[1] = l->axis[1].n[0];
    job.shape[2] = l->axis[2].n[0];
    job.wavelet.levels = 1;
    if (number > 1)
        job.n_out = 0;
    if (number > 1 || outputs_of(all) > job.n_out)
        job.out[job.n_out++] = (struct gf_output){.kind = GF_REAL, .dtype = real_of(&job)};
    return job;
}

struct gf_job gf_slab_wavelet_chunk(const struct gf_slab_wavelet *w) {
    struct level finest;
    describe(&w->job, 1, &finest);
    return chunk_job(&w->job, &finest, 1, w->pairs + 1);
}

/* The bands of n planes from k on, of which the chunk before may have had the first. */
static int load_chunk(struct run *r, int number, int64_t k, int64_t n) {
    struct level *l = &r->level[number];
    const int64_t bytes = packed_plane(&r->w->job, l) * (int64_t)r->real;
    const bool again = l->last == k;
    int rc = 0;
    if (again) {
        memcpy(l->in, l->in + (l->planes - 1) * bytes, (size_t)bytes);
        memmove(l->in + n * bytes, l->in + (2 * l->planes - 1) * bytes, (size_t)bytes);
    }
    for (int64_t i = again; i < n && !rc; i++)
        rc = load_bands(r, number, (k + i) % l->axis[0].n[1], i, n);
    l->planes = n;
    l->last = rc ? -1 : k + n - 1;
    return rc;
}

/* Makes pairs k .. k + pairs - 1 of a level's finer side. */
static int make_chunk(struct run *r, int number, int64_t k, int64_t pairs) {
    struct level *l = &r->level[number];
    const bool periodic = is_periodic(&r->w->job);
    const int64_t n = pairs + 1;
    int64_t shape[GF_MAX_RANK];
    struct gf_array out[GF_MAX_OUTPUTS];
    struct gf_report report;
    int rc = load_chunk(r, number, k, n);
    const struct gf_job job = chunk_job(&r->w->job, l, number, n);
    gf_job_in_shape(&job, shape);
    struct gf_array in = gf_array_wrap(l->in, job.in_dtype, 4, shape);
    for (int i = 0; i < job.n_out; i++) {
        gf_job_out_shape(&job, i, shape);
        out[i] = gf_array_wrap(l->out[i], job.out[i].dtype, 4, shape);
    }
    if (!rc)
        rc = r->io->run(r->io->user, &job, &in, out, &report);
    /* A periodic chunk's own ends are not the line's: its first plane and its last one are not used. */
    l->base = 2 * k;
    l->low = rc ? 0 : periodic ? 2 * k + 1 : 2 * k;
    l->high = rc ? 0 : l->low + 2 * pairs;
    return rc;
}

/* The pair that has plane j. */
static int64_t pair_of(const struct run *r, const struct level *l, int64_t j) {
    if (!is_periodic(&r->w->job))
        return j / 2;
    return j ? (j - 1) / 2 : l->axis[0].n[1] - 1;
}

/* Plane j of the finer side of a level but the first, until the next call for the same level. */
static int fine_at(struct run *r, int number, int64_t j, const char **plane) {
    struct level *l = &r->level[number];
    const int64_t bytes = fine_plane(&r->w->job, l) * (int64_t)r->real;
    const bool wraps = !j && is_periodic(&r->w->job);
    *plane = l->first;
    if (wraps && l->has_first)
        return 0;
    const int64_t at = wraps ? 2 * l->axis[0].n[1] : j;
    if (at < l->low || at >= l->high) {
        const int64_t k = pair_of(r, l, j), end = l->needed.first + l->needed.count;
        const int64_t left = (k < end ? end : pairs_of(&r->w->job, l)) - k;
        int rc = make_chunk(r, number, k, left < r->w->pairs ? left : r->w->pairs);
        if (rc)
            return rc;
    }
    *plane = l->out[0] + (at - l->base) * bytes;
    if (wraps) {
        memcpy(l->first, *plane, (size_t)bytes);
        *plane = l->first;
        l->has_first = true;
    }
    return 0;
}

/* ---- the finest level ---- */

/* Samples of a plane that do not fit output i's type. */
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
    const int64_t n = fine_plane(job, l);
    int rc = 0;
    for (int i = 0; i < job->n_out && !rc; i++) {
        const int64_t bytes = n * (int64_t)gf_dtype_size(job->out[i].dtype);
        rc = r->io->write(r->io->user, i, &(struct gf_slab_rows){j, 0, job->shape[1]},
                          l->out[i] + at * bytes);
        if (!rc && gf_dtype_is_integer(job->out[i].dtype))
            r->report->clipped[i] +=
                clipped(r, i, l->out[job->n_out] + at * n * (int64_t)r->real, n);
        r->moved += bytes;
    }
    if (r->io->moved)
        r->io->moved(r->io->user, r->moved);
    return rc;
}

/* Those that the last chunk made; plane 0 of a periodic line is the one behind its last pair. */
static int write_chunk(struct run *r) {
    const struct level *l = &r->level[1];
    const int64_t planes = l->axis[0].n[0], wrapped = 2 * l->axis[0].n[1];
    int rc = 0;
    for (int64_t at = l->low; at < l->high && !rc; at++)
        if (at < planes) /* an odd line has one sample less */
            rc = write_plane(r, at, at - l->base);
        else if (r->w->in_part && is_periodic(&r->w->job) && at == wrapped)
            rc = write_plane(r, 0, at - l->base);
    return rc;
}

/* A part's planes. */
static int run_own(struct run *r) {
    const struct gf_span own = r->w->own;
    const int64_t most = r->w->pairs, end = own.first + own.count;
    int rc = 0;
    for (int64_t k = own.first; k < end && !rc; k += most) {
        rc = make_chunk(r, 1, k, end - k < most ? end - k : most);
        if (!rc)
            rc = write_chunk(r);
    }
    return rc;
}

/* All planes in ascending order: a periodic finer side's plane 0 is that behind its last pair. */
static int run_finest(struct run *r) {
    struct level *l = &r->level[1];
    const int64_t pairs = pairs_of(&r->w->job, l), most = r->w->pairs;
    int rc = 0;
    if (is_periodic(&r->w->job)) {
        const int64_t last = pairs <= most ? pairs : 1; /* all of them, where they fit */
        rc = make_chunk(r, 1, pairs - last, last);
        if (!rc)
            rc = write_plane(r, 0, 2 * pairs - l->base);
    }
    for (int64_t k = 0; k < pairs && !rc; k += most) {
        if (k || pairs > most || !is_periodic(&r->w->job))
            rc = make_chunk(r, 1, k, pairs - k < most ? pairs - k : most);
        if (!rc)
            rc = write_chunk(r);
    }
    return rc;
}

static int take(char **memory, int64_t bytes) {
    *memory = gf_alloc((size_t)bytes);
    return *memory ? 0 : gf_fail(GF_ENOMEM, "no memory for planes of %lld bytes", (long long)bytes);
}

static int take_level(struct run *r, int number) {
    const struct gf_job *job = &r->w->job;
    struct level *l = &r->level[number];
    describe(job, number, l);
    const int64_t planes = band_planes(r->w->pairs), fine = fine_plane(job, l);
    int rc = take(&l->in, packed_plane(job, l) * planes * (int64_t)r->real);
    if (!rc && number > 1)
        rc = take(&l->first, fine * (int64_t)r->real);
    for (int i = 0; i < (number > 1 ? 1 : r->n_out) && !rc; i++) {
        const bool output = number == 1 && i < job->n_out;
        rc = take(&l->out[i],
                  fine * planes * (int64_t)(output ? gf_dtype_size(job->out[i].dtype) : r->real));
    }
    return rc;
}

int gf_slab_wavelet_run(const struct gf_slab_wavelet *w, const struct gf_slab_io *io,
                        struct gf_report *report) {
    const int levels = w->job.wavelet.levels;
    int64_t shape[GF_MAX_RANK];
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        return gf_fail(GF_ENOMEM, "out of memory");
    *report = (struct gf_report){0};
    *r = (struct run){.w = w, .io = io, .report = report, .n_out = outputs_of(&w->job)};
    r->real = gf_dtype_size(real_of(&w->job));
    gf_dwt_shape(&w->job, true, shape);
    int rc = take(&r->rows, ROWS_AT_ONCE * shape[2] * shape[3] * (int64_t)r->real);
    struct gf_span needed = w->own;
    for (int l = 1; l <= levels && !rc; l++) {
        rc = take_level(r, l);
        r->level[l].needed = needed;
        needed = coarser_pairs(&w->job, &r->level[l], needed);
    }
    if (!rc)
        rc = w->in_part ? run_own(r) : run_finest(r);
    for (int l = 1; l <= levels; l++) {
        gf_free(r->level[l].in);
        gf_free(r->level[l].first);
        for (int i = 0; i < GF_MAX_OUTPUTS; i++)
            gf_free(r->level[l].out[i]);
    }
    gf_free(r->rows);
    free(r);
    return rc;
}
