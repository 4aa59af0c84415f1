/* Runs a volume in slabs from its file to its outputs, through a scratch file. */
#include "cli/batch/slabs.h"

#include <math.h>
#include <stdlib.h>

#include "cli/batch/shared_output.h"
#include "cli/environment.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "core/base/host/clock.h"
#include "core/base/host/memory.h"
#include "core/base/value/sample_run.h"
#include "core/mpi/exchange.h"
#include "core/engine/speeds.h"
#include "core/split/split.h"
#include "formats/scratch.h"

struct slabs {
    struct gf_task *t;
    struct gf_slab_plan plan;
    struct gf_scratch *scratch;
    struct gf_rank_exchange exchange; /* instead, for several processes */
    const struct gf_slab_io *io;
    const struct gf_shared_output *out;
    double start;
    double disk_ms; /* of the first walk's writes to the exchange */
    int64_t moved;  /* bytes, so far */
    bool measured;
};

/* The job of the slabs. A spectrum of another precision is converted when it is read. */
static struct gf_job job_of(const struct gf_task *t) {
    struct gf_job job = gf_slab_without_single(&t->op.job);
    job.lean = false;
    if (t->ranks)
        job.spend_input = false;
    if (job.direction == GF_INVERSE && gf_dtype_is_complex(job.in_dtype))
        job.in_dtype = job.precision == GF_DOUBLE ? GF_C128 : GF_C64;
    return job;
}

const char *gf_slabs_refuses(const struct gf_task *t) {
    const struct gf_array *px = &t->image.px;
    const struct gf_job job = job_of(t);
    const bool line = gf_slab_is_line(&job);
    const char *why = gf_slab_refuses(&job);
    if (why || t->op.refuses.slabs)
        return why ? why : t->op.refuses.slabs;
    if (t->s->from_magnitude)
        return gf_why(GF_WHY_PAIR);
    const bool cut = !line && px->shape[0] != gf_job_counted(&t->op.job, 0);
    if (cut || px->shape[t->image.ndim] != t->op.job.channels)
        return gf_why(GF_WHY_ALPHA);
    if (t->s->nan >= GF_NAN_INTERPOLATE && !gf_dtype_is_integer(px->dtype))
        return gf_why(GF_WHY_NEIGHBOURS);
    const bool rows = job.ndim == 2 || job.direction == GF_INVERSE;
    why = gf_task_refuses_input(t, line ? GF_SAMPLE : rows ? GF_ROW : GF_PAGE);
    return why ? why : gf_task_refuses_outputs(t, false);
}

/* Makes the plan for a memory limit, less the bytes needed for reading. */
static int make(const struct gf_task *t, const struct gf_job *job, const struct gf_slab_worker *w,
                int64_t limit, struct gf_slab_plan *plan) {
    const int members = t->ranks ? t->ranks->size : 0;
    int64_t memory = limit - gf_finite_bytes(&t->reader, &t->image);
    memory -= t->op.kind ? t->op.kind->room(&t->op, limit) : 0;
    memory -= t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0;
    return gf_slab_plan_make(job, w, memory > 0 ? memory : 0, members, plan);
}

/* Makes the plan for the run's limit. If that is too low the message states the smallest that is
 * not. */
static int make_within(const struct gf_task *t, const struct gf_job *job,
                       const struct gf_slab_worker *w, struct gf_slab_plan *plan) {
    const int64_t low = gf_runner_limit(t->op.crew.runner);
    char need[GF_SIZE_TEXT], given[GF_SIZE_TEXT];
    int64_t high = low + 1024;
    struct gf_failure first = {0};
    gf_failure_keep(&first, make(t, job, w, low, plan));
    if (first.status != GF_ENOMEM)
        return gf_failure_return(&first);
    while (high < INT64_MAX / 4 && make(t, job, w, high, plan))
        high *= 2;
    if (high >= INT64_MAX / 4) /* no limit is high enough */
        return gf_failure_return(&first);
    /* Shrinks by 1/64 while it fits, to find the smallest limit. */
    for (high *= 4; high - high / 64 > low && !make(t, job, w, high - high / 64, plan);)
        high -= high / 64;
    return gf_fail(GF_ENOMEM, "%sit needs %s, limit %s (--max-memory)", t->ranks ? "" : "in slabs ",
                   gf_memory_need_text(high, need), gf_memory_limit_text(low, given));
}

static int64_t workspace(void *user, const struct gf_job *part) {
    return gf_runner_workspace(user, part);
}

int gf_slabs_describe(struct gf_task *t, struct gf_slab_plan *plan) {
    struct gf_slab_worker worker = {
        .workspace = workspace, .user = t->op.crew.runner, .makes_input = t->op.scans};
    const struct gf_job whole = job_of(t);
    int rc =
        gf_slab_is_line(&whole) ? 0 : gf_runner_packs(t->op.crew.runner, &whole, &worker.packs);
    if (!rc && worker.packs == GF_PACKS_WITHIN && whole.ndim == 2)
        rc = gf_fail(GF_EUNSUPP, "%s", gf_why(GF_WHY_SMALL));
    if (!rc)
        rc = make_within(t, &whole, &worker, plan);
    if (!rc && t->op.scans)
        gf_slab_plan_look(plan, gf_array_bytes(&t->image.px),
                          plan->picture ? "rows, for the jumps between the edges"
                                        : "pages, for the jumps between the edges");
    return rc;
}

/* Called after gf_memory_check() refused the whole, whose message it extends. */
int gf_slabs_plan(struct gf_task *t) {
    struct gf_slab_plan plan;
    struct gf_failure whole = {0}, slabs = {0};
    gf_failure_keep(&whole, GF_ENOMEM);
    const char *why = gf_slabs_refuses(t);
    if (!why)
        gf_failure_keep(&slabs, gf_slabs_describe(t, &plan));
    if (slabs.status == GF_EUNSUPP)
        why = slabs.message;
    if (t->s->scratch && why)
        return gf_fail(GF_ENOMEM, "%s; not in slabs: %s", whole.message, why);
    if (t->s->scratch && !slabs.status)
        t->op.need = plan.memory_bytes;
    if (t->s->scratch)
        return gf_failure_return(&slabs);
    if (why || slabs.status)
        return gf_failure_return(&whole);
    return gf_fail(GF_ENOMEM, "%s; --scratch=auto or --scratch=DIR transforms it in slabs",
                   whole.message);
}

/* ---------------------------------------------------------------- files */

static void convert(const struct gf_array *a, enum gf_dtype type, void *to) {
    enum { CHUNK = 256 };
    const int64_t all = gf_array_count(a), from = (int64_t)gf_dtype_size(a->dtype);
    const int64_t step = (int64_t)gf_dtype_size(type);
    double re[CHUNK], im[CHUNK];
    for (int64_t i = 0, n; i < all; i += n) {
        n = gf_min(all - i, CHUNK);
        gf_sample_run_read((char *)a->data + i * from, a->dtype, from, n, re, im);
        gf_sample_run_write((char *)to + i * step, type, step, n, re, im);
    }
}

/* True if the plan lacks the last axis, which has one index: its rows are columns of the files. */
static bool is_column(const struct slabs *s) {
    const struct gf_job *job = &s->t->op.job;
    return job->ndim > 1 && job->shape[job->ndim - 1] == 1 && (s->plan.picture || s->plan.line);
}

static int read_file(void *user, int64_t first, struct gf_array *pages) {
    struct slabs *s = user;
    struct gf_task *t = s->t;
    double start = gf_now_ms();
    const enum gf_unit unit = s->plan.picture && !is_column(s) ? GF_ROW : GF_PAGE;
    int rc = gf_finite_read(&t->reader, &t->image, unit, first, pages);
    if (!t->s->frames)
        gf_file_expect_pages(t->reader.file[0], &t->image, pages->shape[0]);
    t->op.ms.decode += gf_now_ms() - start;
    return rc;
}

/* Reads units of the job's input, which may have to be made from the file's. */
static int make_units(struct slabs *s, int (*read)(void *user, int64_t first, struct gf_array *to),
                      int64_t first, struct gf_array *to) {
    struct gf_operation *op = &s->t->op;
    const struct gf_unit_source file = {read, s};
    return op->kind ? op->kind->read(op, &file, first, to) : read(s, first, to);
}

static int read_pages(void *user, int64_t first, struct gf_array *pages) {
    return make_units(user, read_file, first, pages);
}

/* Reads zero units, which only scans the file. */
static int look(void *user) {
    return read_pages(user, 0, &(struct gf_array){.rank = 1});
}

/* Reads units of that shape. Converts a spectrum of another type to the job's. */
static int read_converted(struct slabs *s, enum gf_unit unit, int64_t first, const int64_t shape[3],
                          void *to) {
    struct gf_task *t = s->t;
    double start = gf_now_ms();
    const enum gf_dtype type = s->plan.job.in_dtype;
    struct gf_array a = gf_array_wrap(to, t->image.px.dtype, 3, shape);
    const bool other = s->plan.job.direction == GF_INVERSE && a.dtype != type;
    int rc = other ? gf_array_alloc(&a, a.dtype, 3, shape) : 0;
    if (!rc)
        rc = gf_finite_read(&t->reader, &t->image, unit, first, &a);
    if (!rc && other)
        convert(&a, type, to);
    if (other)
        gf_array_free(&a);
    t->op.ms.decode += gf_now_ms() - start;
    return rc;
}

static int read_rows(void *user, const struct gf_slab_rows *rows, void *to) {
    struct slabs *s = user;
    const int64_t *columns = s->t->image.px.shape + s->t->image.ndim - 1; /* and channels */
    const int64_t first = rows->page * columns[-1] + rows->row;
    if (is_column(s))
        return read_converted(s, GF_PAGE, rows->row,
                              (int64_t[]){rows->count, columns[-1], columns[1]}, to);
    return read_converted(s, GF_ROW, first, (int64_t[]){rows->count, columns[0], columns[1]}, to);
}

static int write_box(struct slabs *s, int i, const struct gf_volume_box *box, const void *data) {
    struct gf_task *t = s->t;
    const struct gf_array *px = &t->product[i].image.px;
    const int x = t->op.job.ndim - 1;
    double start = gf_now_ms();
    const struct gf_array a = gf_array_wrap((void *)data, px->dtype, 3,
                                            (int64_t[]){box->height, box->width, px->shape[x + 1]});
    t->op.overflowed[i] += gf_task_overflowed(t, &a);
    struct gf_volume_box at = *box;
    at.z = gf_series_place(t, i, box->z);
    int rc = gf_volume_write(s->out[i].volume, &at, data, box->width * px->stride[x]);
    t->op.ms.encode += gf_now_ms() - start;
    return rc;
}

/* Writes samples, numbered through all pages, of an output whose rows have one. */
static int write_column(struct slabs *s, int i, int64_t first, int64_t count, const char *data) {
    const struct gf_array *px = &s->t->product[i].image.px;
    const int x = s->t->op.job.ndim - 1;
    const int64_t rows = x > 1 ? px->shape[x - 1] : INT64_MAX;
    int rc = 0;
    for (int64_t n; count > 0 && !rc; first += n, count -= n, data += n * px->stride[x]) {
        n = gf_min(count, rows - first % rows);
        rc = write_box(s, i, &(struct gf_volume_box){first / rows, first % rows, 0, n, 1}, data);
    }
    return rc;
}

static int write_rows(void *user, int i, const struct gf_slab_rows *rows, const void *data) {
    struct slabs *s = user;
    const int64_t samples = gf_slab_columns(&s->plan, i);
    if (is_column(s))
        return write_column(s, i, rows->row * samples, rows->count * samples, data);
    const int64_t columns = s->t->product[i].shape[s->t->op.job.ndim - 1];
    const struct gf_volume_box box = {rows->page, rows->row, 0, rows->count, columns};
    return write_box(s, i, &box, data);
}

static int read_samples(void *user, int64_t first, struct gf_array *samples) {
    struct slabs *s = user;
    const int64_t channels = s->t->image.px.shape[s->t->image.ndim];
    return read_converted(s, GF_SAMPLE, first, (int64_t[]){1, samples->shape[0], channels},
                          samples->data);
}

static int read_span(void *user, int64_t first, int64_t count, void *to) {
    const struct gf_job *job = &((const struct slabs *)user)->t->op.job;
    struct gf_array samples =
        gf_array_wrap(to, job->in_dtype, 2, (int64_t[]){count, job->channels});
    return make_units(user, read_samples, first, &samples);
}

static int write_span(void *user, int i, int64_t first, int64_t count, const void *data) {
    struct slabs *s = user;
    const struct gf_task *t = s->t;
    if (is_column(s))
        return write_column(s, i, first, count, data);
    const int64_t *shape = t->product[i].shape;
    const int64_t n = shape[t->op.job.ndim - 1], row = first / n;
    const int64_t rows = t->op.job.ndim == 3 ? shape[1] : INT64_MAX;
    const struct gf_volume_box box = {row / rows, row % rows, first % n, 1, count};
    return write_box(s, i, &box, data);
}

static int put(void *user, int64_t at, const void *data, int64_t bytes) {
    struct slabs *s = user;
    double start = gf_now_ms();
    int rc = s->t->ranks ? gf_rank_exchange_put(&s->exchange, at, data, bytes)
                         : gf_scratch_write(s->scratch, at, data, bytes);
    s->disk_ms += gf_now_ms() - start;
    return rc;
}

static int get(void *user, int64_t at, void *data, int64_t bytes) {
    struct slabs *s = user;
    return s->t->ranks ? gf_rank_exchange_get(&s->exchange, at, data, bytes)
                       : gf_scratch_read(s->scratch, at, data, bytes);
}

static void expect(void *user, int64_t at, int64_t bytes) {
    gf_scratch_expect(((struct slabs *)user)->scratch, at, bytes);
}

static void *lend(void *user, int64_t at, int64_t bytes) {
    return gf_rank_exchange_lend(&((struct slabs *)user)->exchange, at, bytes);
}

static int run_job(void *user, const struct gf_job *job, const struct gf_array *in,
                   struct gf_array *out, struct gf_report *report) {
    struct slabs *s = user;
    double start = gf_now_ms();
    int rc = gf_runner_plan(s->t->op.crew.runner, job);
    if (!rc)
        rc = gf_runner_run(s->t->op.crew.runner, in, out, report);
    s->t->op.ms.transform += gf_now_ms() - start;
    return rc;
}

/* Records the disk's speed after the first walk, if that moved enough bytes. */
static void measure(struct slabs *s) {
    enum { LEAST = 16 << 20 };
    const int64_t walk = s->plan.walk[0].bytes_read + s->plan.walk[0].bytes_written;
    if (s->measured || s->moved < walk)
        return;
    s->measured = true;
    char *folder = walk < LEAST ? NULL : gf_slabs_folder(s->t);
    const double read = s->t->op.ms.decode, written = s->disk_ms;
    const double ms = s->plan.slots > 1 ? fmax(read, written) : read + written;
    if (folder)
        gf_speeds_keep_disk(gf_environment(), folder, (double)walk / ms * 1e3);
    free(folder);
}

static int turn(void *user, int rc) {
    struct slabs *s = user;
    if (s->t->ranks)
        return gf_rank_exchange_turn(&s->exchange, rc);
    if (!rc)
        measure(s);
    return rc;
}

static void moved(void *user, int64_t bytes) {
    struct slabs *s = user;
    s->moved = bytes;
    gf_progress_share((double)bytes / (double)gf_slab_bytes_moved(&s->plan));
}

/* ---------------------------------------------------------------- the run */

char *gf_slabs_folder(const struct gf_task *t) {
    const bool named = t->s->scratch && strcmp(t->s->scratch, "auto");
    return named ? strdup(t->s->scratch) : gf_folder_of(t->product[0].path);
}

static int open_scratch(struct slabs *s) {
    const struct gf_task *t = s->t;
    int64_t also = 0;
    for (int i = 0; i < t->op.job.n_out; i++)
        also += gf_array_bytes(&t->product[i].image.px);
    char *folder = gf_slabs_folder(t);
    int rc = folder ? gf_scratch_open(folder, s->plan.exchange_bytes, t->product[0].path, also,
                                      &s->scratch)
                    : gf_no_memory();
    free(folder);
    return rc;
}

static int open_exchange(struct slabs *s) {
    int rc = gf_ranks_agree(s->t->ranks, gf_slabs_describe(s->t, &s->plan));
    return rc            ? rc
           : s->t->ranks ? gf_rank_exchange_open(s->t->ranks, &s->plan, &s->exchange)
                         : open_scratch(s);
}

static void report(const struct slabs *s) {
    char parts[GF_SLAB_TEXT], moved_text[GF_SIZE_TEXT], scratch[GF_SIZE_TEXT];
    const double ms = gf_now_ms() - s->start;
    const int64_t bytes = gf_slab_bytes_moved(&s->plan);
    gf_log_verbose("'%s': %s, %s of scratch; %s moved, %.0f MB/s", gf_log_name(s->t->name),
                   gf_slab_text(&s->plan, parts), gf_memory_text(s->plan.exchange_bytes, scratch),
                   gf_memory_text(bytes, moved_text), (double)bytes / ms * 1e-3);
}

static int walk(void *user, struct gf_shared_output *out) {
    struct slabs *s = user;
    s->out = out;
    int rc = gf_slab_run(&s->plan, s->io, &s->t->op.report);
    gf_progress_share(0);
    return rc;
}

int gf_slabs_run(struct gf_task *t) {
    struct slabs s = {.t = t, .start = gf_now_ms()};
    struct gf_slab_io io = {.user = &s,
                            .threads = gf_settings_threads(t->s),
                            .ranks = t->ranks,
                            .turn = turn,
                            .look = look,
                            .read = read_pages,
                            .read_rows = read_rows,
                            .write = write_rows,
                            .put = put,
                            .get = get,
                            .lend = t->ranks ? lend : NULL,
                            .expect = t->ranks ? NULL : expect,
                            .run = run_job,
                            .moved = moved,
                            .read_span = read_span,
                            .write_span = write_span};
    if (t->reader.file[0])
        gf_file_sum_reads(t->reader.file[0]);
    s.io = &io;
    int rc = open_exchange(&s);
    io.serial = s.exchange.window; /* MPI is called by one thread */
    if (!rc)
        rc = gf_shared_run(t, false, walk, &s);
    gf_series_close(t);
    gf_rank_exchange_close(&s.exchange);
    gf_scratch_close(s.scratch);
    if (!rc)
        report(&s);
    return rc;
}
