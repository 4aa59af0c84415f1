/* Which walks a job in slabs takes, what each part of them is, and how large it may be. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/range_sample.h"
#include "core/base/status.h"
#include "core/filter/filter.h"
#include "core/gpu/plan/filter_values.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/slab.h"
#include "core/gpu/slab_copy.h"
#include "core/gpu/slab_job.h"
#include "core/gpu/slab_read.h"
#include "core/slab/range.h"

/* A part of 32 MiB takes 0.6 milliseconds on the fastest buses, and its launches some microseconds. There
 * are several parts, so that copies and passes overlap. Rows of blocks begin at pages of memory, or at
 * cache lines where they are short: a device copies rows that begin anywhere at half the speed. */
enum { PART = 32 << 20, LEAST_PARTS = 8, BUFFER_ALIGNED = 64, ALIGNED = 4096, ALIGNED_BINS = 16 };
/* Of one device among several: each part is sent in as many pieces as the next walk has parts. */
enum { MOST_PARTS = 64 };
/* Every so many bins, of at least 8 bytes, a view can begin. */
enum { VIEW_BINS = GF_GPU_VIEW_ALIGNED / 8 };
/* Bytes of a page that a block has at least, where there is room. */
enum { LEAST_ROW = 12 << 10 };

static bool is_real(const struct gf_gpu_slabs *s) {
    return gf_job_is_real(&s->job);
}

/* A line's job as that of a picture, a page for each column of its matrix, whose rows are as many as
 * the largest divisor up to the root. One row where there is none. */
static struct gf_job line_matrix(const struct gf_job *job) {
    struct gf_job matrix = *job;
    const int64_t n = job->shape[0];
    int64_t rows = 1;
    for (int64_t i = 2; i <= n / i; i++)
        rows = n % i ? rows : i;
    matrix.ndim = 3;
    memcpy(matrix.shape, (int64_t[]){n / rows, 1, rows}, sizeof matrix.shape);
    memset(matrix.counted, 0, sizeof matrix.counted);
    matrix.axes = 5;
    return matrix;
}

/* `matrix`: the job as line_matrix() has it. */
static const char *refuses_line(const struct gf_job *job, const struct gf_job *matrix) {
    if (job->op == GF_DWT)
        return "a single line's wavelet transform";
    if (job->axes != 1)
        return "a single line that is not transformed";
    if (matrix->shape[2] < 2)
        return "a single line of a prime number of points";
    if (job->counted[0] && job->counted[0] < job->shape[0])
        return "edges that were added to a single line";
    for (int i = 0; i < job->n_out; i++) {
        if (gf_job_is_real(job) && job->direction == GF_FORWARD && job->op == GF_FFT &&
            !gf_gpu_slab_mirrors(&job->out[i]))
            return "an output of this type has no mirror image";
        if (gf_output_samples(job, i))
            return "an automatic range of a single line";
    }
    return NULL;
}

static const char *refuses(const struct gf_job *job) {
    const bool real = gf_job_is_real(job);
    const bool forward = job->direction == GF_FORWARD;
    if (job->op == GF_DWT && job->wavelet.threshold != GF_KEEP_ALL && job->wavelet.percent)
        return "a threshold that keeps a share of all details";
    if (job->op == GF_DWT && forward && (job->n_out > 1 || gf_dtype_is_integer(job->out[0].dtype)))
        return "pictures of wavelet coefficients";
    if (job->op == GF_DWT)
        return job->shape[0] < 2 ? "a single page" : NULL;
    if (job->shape[0] < 2)
        return "a single page";
    if (real && (job->axes == 1 || !(job->axes >> 2 & 1) || job->shape[2] < 2))
        return "real samples whose last axis is not transformed";
    if (job->counted[0] && job->counted[0] < job->shape[0])
        return "edges that were added to the slowest axis";
    if (job->op == GF_FILTER)
        return gf_gpu_job_walks_twice(job) ? NULL : "a filter that leaves the slowest axis alone";
    for (int i = 0; i < job->n_out; i++) {
        if (real && job->direction == GF_FORWARD && gf_gpu_job_walks_twice(job) &&
            !job->out[i].half && !gf_gpu_slab_mirrors(&job->out[i]))
            return "an output of this type has no mirror image";
        if (!gf_gpu_job_walks_twice(job) && gf_output_samples(job, i))
            return "an automatic range of pages";
    }
    return NULL;
}

/* Jobs whose arrays may stay on several devices, which report nothing but their output. */
static const char *refuses_resident(const struct gf_job *volume, const struct gf_job *job) {
    const struct gf_output *o = &job->out[0];
    const bool real = gf_job_is_real(job);
    const bool to_real = real && job->direction == GF_INVERSE;
    if (job->op != GF_FFT || job->ndim < 2 || !gf_gpu_job_walks_twice(volume))
        return "only transforms of all pages stay on several devices";
    if (job->n_out > 1 || o->shift || job->in_shift || job->luma)
        return "only one unshifted result of all channels stays on several devices";
    if (to_real ? !job->in_half || o->kind != GF_REAL || gf_dtype_is_integer(o->dtype)
                : o->kind != GF_COMPLEX || !gf_dtype_is_complex(o->dtype) || (real && !o->half))
        return "only complex spectra, half ones of real samples, stay on several devices";
    return NULL;
}

/* In two walks some are found in the exchange. */
bool gf_gpu_slabs_scans(const struct gf_gpu_slabs *s, int i) {
    return gf_gpu_job_walks_twice(&s->job) ? gf_slab_range_scans(&s->job, i)
                                           : gf_output_is_full(&s->job.out[i]);
}

/* The exchange. */
static void describe(struct gf_gpu_slabs *s) {
    const struct gf_job *job = &s->job;
    const struct gf_output *o = &job->out[0];
    const bool forward = job->direction == GF_FORWARD;
    const bool halved = is_real(s) && (forward || job->in_half);
    const int64_t channels = job->luma ? 1 : job->channels;
    struct gf_slab_plan *p = &s->plan;
    p->job = *job;
    p->real = is_real(s);
    p->pages = job->shape[0];
    p->rows = job->shape[1];
    p->width = (halved ? job->shape[2] / 2 + 1 : job->shape[2]) * channels;
    p->number = (int64_t)gf_dtype_size(gf_gpu_work_type(job));
    s->unit = channels * p->number;
    p->exchange_bytes = gf_gpu_job_walks_twice(job) ? p->pages * p->rows * p->width * p->number : 0;
    s->pitch = (p->rows * p->width * p->number / s->unit + VIEW_BINS - 1) / VIEW_BINS * VIEW_BINS;
    s->between =
        (struct gf_gpu_exchange){p->pages, p->rows * p->width * p->number / s->unit, s->unit};
    s->in_output = job->op == GF_FFT && job->n_out == 1 && o->dtype == gf_gpu_work_type(job) &&
                   !o->shift && (forward ? halved == o->half : !job->real);
    s->in_input =
        !forward && job->spend_input && job->in_dtype == gf_gpu_work_type(job) && !job->in_shift;
    /* A walk over a line's columns reads other places than it writes, and of half spectra the exchange has
     * more bins. */
    if (gf_gpu_slabs_are_line(s)) {
        s->in_output = s->in_output && forward && !halved && !job->lean;
        s->in_input = s->in_input && !halved && !job->lean;
    }
}

/* Blocks of a volume's filter are rows; those of an exchange in place begin at views. */
static int64_t granule_of(const struct gf_gpu_slabs *s) {
    if (s->seat.in_place)
        return VIEW_BINS;
    return s->filter && !s->picture ? s->plan.width * s->plan.number / s->unit : 1;
}

/* ---- parts ---- */

static int64_t outputs_bytes(const struct gf_gpu_plan *p) {
    int64_t sum = 0;
    for (int i = 0; i < p->job.n_out; i++)
        sum += (p->bytes[GF_GPU_OUT + i] + BUFFER_ALIGNED - 1) / BUFFER_ALIGNED * BUFFER_ALIGNED;
    return sum;
}

/* What the smaller last part takes beside the others' buffers. */
static int64_t own_bytes(const struct gf_gpu_walk *w) {
    int64_t sum = 0;
    for (int i = GF_GPU_A; i < GF_GPU_OUT && w->n_runs > 1; i++)
        if (i > GF_GPU_B || w->run[1].plan->bytes[i] > w->run[0].plan->bytes[i])
            sum += w->run[1].plan->bytes[i];
    return sum;
}

/* Of the devices' memory, what this walk reads and the next one will read. */
static int64_t held_bytes(const struct gf_gpu_slabs *s, const struct gf_gpu_walk *w) {
    const struct gf_gpu_exchange *e = &s->between;
    const int members = s->seat.members, member = s->seat.member;
    const int64_t pages = members ? gf_slab_share(e->pages, members, member).count : 0;
    const int64_t bins =
        members ? gf_slab_planes(e->bins, members, member, granule_of(s)).count : 0;
    const int64_t slab = pages * e->bins * e->unit, block = bins * e->pages * e->unit;
    return (w->from_input ? 0
            : w->blocks   ? block
                          : slab) +
           (w->to_output ? 0
            : w->blocks  ? slab
                         : block);
}

/* What the walks before keep, where the arrays stay on the device; without what is between the walks, which
 * is counted in each. */
static int64_t kept_bytes(const struct gf_gpu_slabs *s, const struct gf_gpu_walk *w) {
    int64_t bytes = 0;
    for (const struct gf_gpu_walk *b = s->walk; b < w && s->seat.resident; b++)
        bytes += b->n ? b->run[0].bytes - held_bytes(s, b) : 0;
    return bytes;
}

static void drop_runs(const struct gf_gpu_context *c, struct gf_gpu_walk *w) {
    for (int i = 0; i < 2; i++) {
        gf_gpu_run_drop(c, &w->run[i]);
        w->run[i] = (struct gf_gpu_run){.plan = NULL};
    }
    w->n_runs = 0;
}

/* Plans for parts of `each`, and for what is left. */
static int make_plans(const struct gf_gpu_context *c, const struct gf_gpu_slabs *s,
                      struct gf_gpu_walk *w) {
    const int64_t rest = w->extent - (w->n - 1) * w->each;
    const int64_t counts[2] = {w->each, rest};
    int rc = 0;
    w->n_runs = rest < w->each ? 2 : 1;
    for (int i = 0; i < w->n_runs && !rc; i++) {
        const struct gf_job job = gf_gpu_part_job(s, w, counts[i]);
        rc = gf_gpu_run_make(c, &w->run[i], &job);
    }
    return rc;
}

/* These, with kernels; GF_ENOMEM where they do not fit. */
static int make_runs(const struct gf_gpu_context *c, const struct gf_gpu_slabs *s,
                     struct gf_gpu_walk *w) {
    int rc = make_plans(c, s, w);
    if (rc)
        return rc;
    const struct gf_gpu_plan *p = w->run[0].plan;
    const int64_t held = held_bytes(s, w), in = w->from_input || !held ? p->bytes[GF_GPU_IN] : 0;
    const int64_t again = in + p->bytes[GF_GPU_FILTER] + outputs_bytes(p);
    const int64_t deep = gf_gpu_walk_depth(w);
    const int64_t beside = (deep - 1) * again + own_bytes(w) + held +
                           deep * gf_gpu_run_report_bytes(&w->run[0]) + kept_bytes(s, w);
    for (int i = 0; i < w->n_runs && !rc; i++)
        rc = gf_gpu_run_prepare(c, &w->run[i], i ? 0 : beside);
    return rc;
}

/* Of the bins of a block, where it is not made of rows. */
static int64_t aligned_bins(const struct gf_gpu_slabs *s, int64_t each) {
    const int64_t pages = ALIGNED / s->unit;
    const int64_t bins = pages && each >= pages ? pages : ALIGNED_BINS;
    return each < ALIGNED_BINS ? each : each / bins * bins;
}

/* Parts of about the same size. */
static void set_parts(const struct gf_gpu_slabs *s, struct gf_gpu_walk *w, int64_t most) {
    w->n = (w->extent + most - 1) / most;
    w->each = (w->extent + w->n - 1) / w->n;
    if ((w->blocks || w->columns) && w->granule == 1)
        w->each = aligned_bins(s, w->each);
    w->each = (w->each + w->granule - 1) / w->granule * w->granule;
    w->n = (w->extent + w->each - 1) / w->each;
}

/* ---- in place ---- */

/* Of so many parts at most, and each of so many bytes at least, below which launches take longer than the
 * device works. */
static int64_t part_count(const struct gf_gpu_context *c, int64_t most, double bytes) {
    enum { LEAST = 16 << 20 };
    const double n = c->props.is_cpu ? (double)most : bytes / LEAST;
    return n >= (double)most ? most : n < 1 ? 1 : (int64_t)n;
}

/* Measured on two H200s over NVLink. Of pictures, whose columns take two passes, the second walk takes as long
 * as the exchange, and begins earlier. Where that reads what is not sent, it has one part, or two whose
 * workspace is half as large. A first walk over blocks of a volume, one pass, is done long before the
 * exchange. */
static void set_in_place(const struct gf_gpu_context *c, struct gf_gpu_slabs *s) {
    enum { SLABS = 8, LARGE = 1 << 30 };
    const double bytes = (double)s->plan.exchange_bytes / s->seat.members;
    const int64_t most = gf_gpu_slabs_may_read(c, s)   ? (s->picture ? 2 : 1)
                         : s->picture || bytes < LARGE ? 4
                                                       : 8;
    const int64_t blocks = part_count(c, most, bytes);
    const int64_t slabs = part_count(c, SLABS, bytes);
    s->late = s->walk[0].blocks ? blocks * (s->picture ? 2 : 6) / SLABS
                                : slabs *
                                      (!s->picture    ? 2
                                       : s->plan.real ? 3
                                                      : 4) /
                                      SLABS;
    for (int i = 0; i < s->n_walks; i++) {
        struct gf_gpu_walk *w = &s->walk[i];
        const int64_t n = w->blocks ? blocks : slabs, unit = w->blocks ? w->granule : 1;
        w->each = (w->extent + n * unit - 1) / (n * unit) * unit;
        w->n = w->extent ? (w->extent + w->each - 1) / w->each : 0;
    }
}

/* A plan's tables and the like. */
static int64_t beside_arrays(const struct gf_gpu_plan *p) {
    int64_t bytes = 0;
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        if (i > GF_GPU_B && i < GF_GPU_OUT)
            bytes += p->bytes[i];
    return bytes;
}

/* The exchange, the input, and workspace that all parts use in turn. */
static int64_t in_place_bytes(const struct gf_gpu_slabs *s) {
    int64_t bytes = s->plan.pages * s->pitch * s->unit, work[2] = {0, 0};
    for (int i = 0; i < s->n_walks; i++) {
        const struct gf_gpu_walk *w = &s->walk[i];
        for (int64_t k = 0; k < w->n && w->from_input; k++)
            bytes += w->run[k + 1 == w->n ? w->n_runs - 1 : 0].plan->bytes[GF_GPU_IN];
        for (int64_t k = 0; k < w->n && gf_gpu_walk_leaves(w); k++)
            bytes += w->run[k + 1 == w->n ? w->n_runs - 1 : 0].plan->bytes[GF_GPU_OUT];
        for (int k = 0; k < w->n_runs; k++) {
            const struct gf_gpu_plan *p = w->run[k].plan;
            bytes += beside_arrays(p);
            for (int j = 0; j < 2; j++)
                work[j] = p->bytes[GF_GPU_A + j] > work[j] ? p->bytes[GF_GPU_A + j] : work[j];
        }
    }
    return bytes + work[0] + work[1];
}

static int64_t all_bytes(const struct gf_gpu_plan *p) {
    int64_t bytes = 0;
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        bytes += p->bytes[i];
    return bytes;
}

static int fit_in_place(const struct gf_gpu_context *c, struct gf_gpu_slabs *s) {
    int rc = 0;
    set_in_place(c, s);
    for (int i = 0; i < s->n_walks && !rc; i++)
        if (s->walk[i].n)
            rc = make_plans(c, s, &s->walk[i]);
    if (!rc)
        gf_gpu_slabs_read(c, s);
    const int64_t all = rc ? 0 : in_place_bytes(s);
    for (int i = 0; i < s->n_walks && !rc; i++)
        for (int k = 0; k < s->walk[i].n_runs && !rc; k++) {
            struct gf_gpu_run *m = &s->walk[i].run[k];
            rc = gf_gpu_run_prepare(c, m, all - all_bytes(m->plan));
        }
    return rc;
}

/* ---- parts in flight ---- */

/* Parts that are on the device all at once: the first ones are sent while the others are transformed, and
 * whoever needs all that is sent has one. */
static int fit_resident(const struct gf_gpu_context *c, struct gf_gpu_slabs *s,
                        struct gf_gpu_walk *w) {
    const int64_t parts = w->to_output ? 1 : GF_GPU_SLAB_DEPTH;
    const int64_t unit = w->blocks && parts > 1 ? ALIGNED_BINS : 1;
    w->each = (w->extent + parts * unit - 1) / (parts * unit) * unit;
    w->n = (w->extent + w->each - 1) / w->each;
    return make_runs(c, s, w);
}

/* The largest parts up to PART that fit the device. */
static int fit_walk(const struct gf_gpu_context *c, struct gf_gpu_slabs *s, struct gf_gpu_walk *w) {
    if (!w->extent)
        return 0;
    if (s->seat.resident)
        return fit_resident(c, s, w);
    const int64_t bytes =
        (w->bytes_read > w->bytes_written ? w->bytes_read : w->bytes_written) / w->extent + 1;
    int64_t most = (w->extent + LEAST_PARTS - 1) / LEAST_PARTS;
    const bool in_rows = w->blocks || w->columns;
    int64_t part = w->columns  ? LEAST_ROW * s->job.shape[2]
                   : w->blocks ? LEAST_ROW * s->plan.pages
                               : PART;
    part = in_rows && part < 2 * PART ? 2 * PART : part; /* longer rows are copied faster */
    if (most > part / bytes)
        most = part / bytes;
    if (s->seat.members && most < (w->extent + MOST_PARTS - 1) / MOST_PARTS)
        most = (w->extent + MOST_PARTS - 1) / MOST_PARTS;
    for (most = most ? most : 1;; most /= 2) {
        set_parts(s, w, most);
        int rc = make_runs(c, s, w);
        if (!rc || rc != GF_ENOMEM || w->each == w->granule)
            return rc;
        drop_runs(c, w);
    }
}

/* ---- walks ---- */

static int64_t array_bytes(const struct gf_job *job, const int64_t *shape, enum gf_dtype t) {
    int64_t bytes = (int64_t)gf_dtype_size(t);
    for (int i = 0; i <= job->ndim; i++)
        bytes *= shape[i];
    return bytes;
}

/* Of the walk's pages or bins, and of the bytes that it copies. */
static void take_share(const struct gf_gpu_slabs *s, struct gf_gpu_walk *w) {
    const int64_t all = w->extent;
    const struct gf_span own = gf_slab_planes(all, s->seat.members, s->seat.member, w->granule);
    w->first = own.first;
    w->extent = own.count;
    w->bytes_read = (int64_t)((double)w->bytes_read / (double)all * (double)own.count);
    w->bytes_written = (int64_t)((double)w->bytes_written / (double)all * (double)own.count);
}

/* The next walk, whose kind the caller has set: what it moves. A walk is too large for the stack. */
static void add_walk(struct gf_gpu_slabs *s) {
    struct gf_gpu_walk *w = &s->walk[s->n_walks++];
    const struct gf_job *job = &s->job;
    int64_t shape[GF_MAX_RANK];
    const int64_t columns = s->plan.width * s->plan.number / s->unit;
    w->granule = w->blocks ? granule_of(s) : 1;
    w->columns = gf_gpu_slabs_are_line(s) && !w->blocks;
    w->extent = w->blocks ? s->plan.rows * columns : s->plan.pages;
    w->bytes_read = w->bytes_written = s->plan.exchange_bytes;
    gf_job_in_shape(job, shape);
    if (w->from_input)
        w->bytes_read = array_bytes(job, shape, job->in_dtype);
    if (w->to_output)
        w->bytes_written = 0;
    for (int i = 0; i < job->n_out && w->to_output && !w->scans; i++) {
        gf_job_out_shape(job, i, shape);
        if (gf_gpu_job_walks_twice(job) && s->plan.real && w->direction == GF_FORWARD)
            shape[2] = job->shape[2] / 2 + 1; /* the rest is mirrored by the host */
        w->bytes_written += array_bytes(job, shape, job->out[i].dtype);
    }
    if (s->seat.members)
        take_share(s, w);
}

static const char line_columns[] = "blocks of columns, and their twiddles";

static void add_filter_walks(struct gf_gpu_slabs *s) {
    const bool line = gf_gpu_slabs_are_line(s);
    struct gf_gpu_walk *w = s->walk;
    w[0].what = line ? line_columns : "slabs of pages, forward but along the slowest axis";
    w[0].from_input = true;
    w[1].what = line ? "blocks of rows, filtered and back"
                     : "blocks of all pages, the slowest axis, filtered and back";
    w[1].blocks = w[1].filters = true;
    w[2].what = line ? line_columns : "slabs of pages, back";
    w[2].direction = GF_INVERSE;
    w[2].to_output = true;
    for (int i = 0; i < 3; i++)
        add_walk(s);
}

static void add_walks(struct gf_gpu_slabs *s) {
    const struct gf_job *job = &s->job;
    const bool twice = gf_gpu_job_walks_twice(job), forward = job->direction == GF_FORWARD;
    const bool slabs_first =
        forward || s->seat.natural; /* which has the same order on both sides */
    const char *slabs = gf_gpu_slabs_are_line(s) ? line_columns
                        : twice                  ? "slabs of pages, all axes but the slowest"
                                                 : "slabs of pages";
    const char *blocks = gf_gpu_slabs_are_line(s) ? "blocks of rows"
                         : s->seat.natural ? "blocks of all pages, the slowest axis, and sent back"
                                           : "blocks of all pages, the slowest axis";
    bool scans = false;
    for (int i = 0; i < job->n_out && forward; i++)
        scans |= gf_gpu_slabs_scans(s, i);
    struct gf_gpu_walk *w = s->walk;
    if (twice) {
        w->what = slabs_first ? slabs : blocks;
        w->blocks = !slabs_first;
        w->from_input = true;
        w++->direction = job->direction;
        add_walk(s);
    }
    for (int last = scans ? 0 : 1; last < 2; last++) {
        w->direction = job->direction;
        w->what = twice == slabs_first || job->axes == 1 ? blocks : slabs;
        w->blocks = twice ? slabs_first : job->axes == 1;
        w->from_input = !twice;
        w->to_output = true;
        w++->scans = !last;
        add_walk(s);
    }
}

/* A filter's table, part by part. */
static void count_table(struct gf_gpu_slabs *s, struct gf_gpu_walk *w) {
    const int64_t part = w->run[0].plan->bytes[GF_GPU_FILTER];
    const int64_t bytes = part / w->each * w->extent;
    w->bytes_read += bytes;
    s->host_bytes += bytes;
}

static void count_memory(struct gf_gpu_slabs *s) {
    int64_t *most = s->staging_bytes;
    for (int i = 0; i < s->n_walks; i++) {
        if (!s->walk[i].n)
            continue;
        count_table(s, &s->walk[i]);
        const struct gf_gpu_run *m = &s->walk[i].run[0];
        const bool held = s->seat.members && !s->walk[i].from_input; /* by the devices */
        const int64_t bytes[GF_GPU_SLAB_STAGES] = {
            held ? 0 : m->plan->bytes[GF_GPU_IN], outputs_bytes(m->plan),
            gf_gpu_run_report_bytes(m), m->plan->bytes[GF_GPU_FILTER]};
        for (int k = 0; k < GF_GPU_SLAB_STAGES; k++)
            most[k] = bytes[k] > most[k] ? bytes[k] : most[k];
        if (s->seat.members && !s->walk[i].to_output &&
            most[GF_GPU_SLAB_SENT] < bytes[GF_GPU_SLAB_DOWN])
            most[GF_GPU_SLAB_SENT] = bytes[GF_GPU_SLAB_DOWN];
        s->device_bytes = m->bytes > s->device_bytes ? m->bytes : s->device_bytes;
    }
    for (int k = 0; k < GF_GPU_SLAB_STAGES && !s->seat.in_place; k++)
        s->host_bytes += GF_GPU_SLAB_DEPTH * most[k];
    if (!s->in_output && !s->in_input && !s->seat.members)
        s->host_bytes += s->plan.exchange_bytes;
}

/* Parts are filtered without the offset, which belongs to one bin. */
static int take_filter(struct gf_gpu_slabs *s) {
    if (s->job.op != GF_FILTER)
        return 0;
    if (!(s->filter = malloc(sizeof *s->filter)))
        return gf_fail(GF_ENOMEM, "no memory for a filter");
    *s->filter = *s->job.filter;
    s->filter->offset = 0;
    return 0;
}

/* Walks that read the same exchange cut it alike. */
static int fit_walks(const struct gf_gpu_context *c, struct gf_gpu_slabs *s) {
    int rc = s->seat.in_place ? fit_in_place(c, s) : 0;
    for (int i = 0; i < s->n_walks && !s->seat.in_place && !rc; i++)
        rc = fit_walk(c, s, &s->walk[i]);
    for (int i = 1; i < s->n_walks && s->seat.members && !rc; i++) {
        struct gf_gpu_walk *scan = &s->walk[i - 1], *w = &s->walk[i];
        if (!scan->scans || scan->from_input || scan->each == w->each)
            continue;
        struct gf_gpu_walk *longer = scan->each > w->each ? scan : w;
        drop_runs(c, longer);
        longer->each = scan->each < w->each ? scan->each : w->each;
        longer->n = (longer->extent + longer->each - 1) / longer->each;
        rc = make_runs(c, s, longer);
    }
    return rc;
}

int gf_gpu_slabs_plan(const struct gf_gpu_context *c, const struct gf_job *job,
                      struct gf_gpu_slabs **slabs) {
    return gf_gpu_slabs_plan_share(c, job, (struct gf_gpu_seat){.members = 0}, slabs);
}

int gf_gpu_slabs_plan_share(const struct gf_gpu_context *c, const struct gf_job *job,
                            struct gf_gpu_seat seat, struct gf_gpu_slabs **slabs) {
    *slabs = NULL;
    const bool line = job->ndim == 1;
    const struct gf_job volume = line ? line_matrix(job) : gf_slab_volume(job);
    const char *why = line ? refuses_line(job, &volume) : refuses(&volume);
    if (!why && seat.resident)
        why = refuses_resident(&volume, job);
    if (!why && seat.in_place && seat.members != 2)
        why = "only two devices exchange in place";
    if (!why && seat.natural && job->direction == GF_INVERSE && gf_job_is_real(job))
        why = "half spectra in natural order are not transformed by several devices";
    if (why)
        return gf_fail(GF_EUNSUPP, "%s", why);
    struct gf_gpu_slabs *s = calloc(1, sizeof *s);
    if (!s)
        return gf_fail(GF_ENOMEM, "no memory for a plan");
    s->seat = seat;
    s->job = volume;
    s->picture = job->ndim < 3;
    s->asked = *job;
    int rc = take_filter(s);
    describe(s);
    if (s->filter)
        add_filter_walks(s);
    else if (!rc)
        add_walks(s);
    if (!rc)
        rc = fit_walks(c, s);
    if (rc) {
        gf_gpu_slabs_drop(c, s);
        return rc;
    }
    count_memory(s);
    *slabs = s;
    return 0;
}

void gf_gpu_slabs_drop(const struct gf_gpu_context *c, struct gf_gpu_slabs *s) {
    for (int i = 0; s && i < s->n_walks; i++)
        drop_runs(c, &s->walk[i]);
    if (s) {
        free(s->filter);
        gf_array_free(&s->table);
    }
    if (s && s->exchange_locked)
        c->api->unlock(c->gpu, s->exchange);
    if (s)
        gf_free(s->exchange);
    for (int i = 0; s && i < GF_GPU_SLAB_STAGES * GF_GPU_SLAB_DEPTH; i++)
        if (s->staging[i / GF_GPU_SLAB_DEPTH][i % GF_GPU_SLAB_DEPTH])
            c->api->unpin(c->gpu, s->staging[i / GF_GPU_SLAB_DEPTH][i % GF_GPU_SLAB_DEPTH]);
    free(s);
}
