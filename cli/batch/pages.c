/* Runs the pages of a volume on a conveyor, in parts of a few pages. An automatic display range
 * looks at some pages first, a full one at all pages. */
#include "cli/batch/pages.h"

#include <math.h>
#include <stdlib.h>

#include "cli/batch/shared_output.h"
#include "cli/log.h"
#include "core/base/host/clock.h"
#include "core/base/job/range.h"
#include "core/base/value/blocks.h"
#include "core/base/value/sample_value.h"
#include "core/base/host/conveyor.h"

enum { MOST_READERS = 4, MOST_HANDS = 2 * GF_REQUEST_MOST };

/* A thread that drives a device. */
struct hand {
    int device;
    struct gf_runner *runner, own;
    int streams; /* threads that drive the same device */
    double ms;
};

struct walk {
    struct gf_task *t;
    struct gf_shared_output *to; /* NULL: only t->op.report is wanted */
    struct gf_span own;          /* this process's pages */
    int64_t parts, at_once, slots;
    struct gf_array in, out[GF_MAX_OUTPUTS]; /* pages of all slots */
    struct gf_operation *done;               /* by slot: their reports are wanted */
    unsigned char *hole;                     /* of the pages of all slots; NULL: not kept */
    int readers, hands;
    struct gf_reader reader[MOST_READERS]; /* the first is the task's instead */
    double ms_read[MOST_READERS], ms_write;
    bool crowded; /* outnumber_cpus() was called */
    struct hand hand[MOST_HANDS];
};

static int64_t first_of(const struct walk *w, int64_t part) {
    return w->own.first + part * w->at_once;
}

static int64_t pages_of(const struct walk *w, int64_t part) {
    return gf_min(w->at_once, w->own.first + w->own.count - first_of(w, part));
}

/* The first n pages of a part's slot. */
static struct gf_array slot_of(const struct walk *w, const struct gf_array *a, int64_t part,
                               int64_t n) {
    return gf_array_slice(a, 0, part % w->slots * w->at_once, n);
}

/* The first sample of a part's slot. */
static int64_t hole_of(const struct walk *w, int64_t part) {
    return part % w->slots * w->at_once * (gf_array_count(&w->in) / w->in.shape[0]);
}

/* ---- reading ---- */

/* Threads of libgomp spin for milliseconds while they wait for each other, unless they outnumber
 * the CPUs. Spinning would keep the CPUs from the threads that read and write, so a team in the
 * reading thread makes them too many. */
static void outnumber_cpus(struct walk *w) {
    enum { WORTH_A_TEAM = 1 << 20 /* bytes of all slots */ };
    int threads = 0;
    const bool called = w->crowded;
    w->crowded = true;
    if (called || gf_settings_threads(w->t->s) < 2 ||
        gf_task_in_bytes(w->t) + gf_task_out_bytes(w->t) < WORTH_A_TEAM)
        return;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads++;
}

static int read_part(void *user, int i, int64_t part) {
    struct walk *w = user;
    const struct gf_task *t = w->t;
    struct gf_array to = slot_of(w, &w->in, part, pages_of(w, part));
    struct gf_reader *reader = i ? &w->reader[i] : &w->t->reader;
    if (!i)
        outnumber_cpus(w);
    const double start = gf_now_ms();
    reader->any_order = w->readers > 1;
    reader->hole = w->hole ? w->hole + hole_of(w, part) : NULL;
    int rc = gf_finite_read(reader, &t->image, GF_PAGE, first_of(w, part), &to);
    w->ms_read[i] += gf_now_ms() - start;
    return rc;
}

/* ---- transforming ---- */

/* Pages of output i, cropped to what is written. */
static struct gf_array finished(const struct walk *w, int i, int64_t part) {
    const struct gf_task *t = w->t;
    struct gf_array pages = slot_of(w, &w->out[i], part, pages_of(w, part));
    for (int axis = 1; axis < t->op.job.ndim; axis++)
        pages = gf_array_slice(&pages, axis, 0, t->product[i].shape[axis]);
    return pages;
}

static int transform(struct gf_operation *op, struct gf_array *out) {
    int rc = gf_operation_take(op);
    if (!rc)
        rc = gf_runner_plan(op->crew.runner, &op->job);
    return rc ? rc : gf_operation_run(op, out);
}

static int run_part(struct walk *w, int64_t i, struct gf_runner *runner) {
    const struct gf_task *t = w->t;
    const int64_t n = pages_of(w, i);
    const struct gf_array px = slot_of(w, &w->in, i, n);
    struct gf_operation op = gf_task_pages(w->t, runner, n);
    const struct gf_array alpha = gf_task_alpha(t, &px);
    op.in.data = px.data;
    struct gf_array plain[GF_MAX_OUTPUTS];
    for (int k = 0; k < t->op.job.n_out; k++) {
        const struct gf_array pages = slot_of(w, &w->out[k], i, n);
        plain[k] = gf_task_without_alpha(t, k, &pages);
    }
    const int rc = transform(&op, plain);
    for (int k = 0; k < t->op.job.n_out && !rc && w->to; k++) {
        struct gf_array pages = finished(w, k, i);
        gf_task_clip(t, k, &pages, &op);
        gf_task_complete(t, k, &pages, &alpha, &op);
        gf_task_put_back(t, &pages, w->hole ? w->hole + hole_of(w, i) : NULL);
    }
    gf_operation_drop(&op);
    w->done[i % w->slots] = op;
    return rc;
}

static int work(void *user, int i, int64_t part) {
    struct walk *w = user;
    struct hand *h = &w->hand[i];
    const double start = gf_now_ms(), turn = h->runner->ms.turn;
    int rc = run_part(w, part, h->runner);
    const double ms = gf_now_ms() - start;
    h->ms += ms;
    if (!rc && w->t->deal) /* the time of its turn, or its share of the time of all streams */
        gf_deal_end(w->t->deal, h->device, fmax(h->runner->ms.turn - turn, ms / h->streams) * 1e-3);
    return rc;
}

/* ---- writing ---- */

/* Called in the order of the parts, so that sums round alike however parts were dealt. */
static void add_report(struct gf_task *t, const struct gf_operation *part) {
    struct gf_report *sum = &t->op.report;
    const struct gf_report *one = &part->report;
    for (int i = 0; i < t->op.job.n_out; i++) {
        sum->clipped[i] += one->clipped[i];
        sum->low[i] = one->low[i];
        sum->high[i] = one->high[i] > sum->high[i] ? one->high[i] : sum->high[i];
        t->op.overflowed[i] += part->overflowed[i];
    }
    gf_report_energy(sum->kept + one->kept, sum->lost + one->lost, sum);
}

static int write_part(void *user, int64_t part) {
    struct walk *w = user;
    const struct gf_task *t = w->t;
    const double start = gf_now_ms();
    int rc = 0;
    for (int i = 0; i < t->op.job.n_out && !rc && w->to; i++) {
        struct gf_array pages = finished(w, i, part);
        rc = gf_product_put(t->s, &t->product[i], &t->image.metadata, w->to[i].volume,
                            first_of(w, part), &pages);
    }
    w->ms_write += gf_now_ms() - start;
    add_report(w->t, &w->done[part % w->slots]);
    if (t->deal) /* a taken part has its slot, so no device waits for another */
        gf_deal_allow(t->deal, part + 1 + w->slots);
    return rc;
}

/* ---- a walk ---- */

static int take_slots(struct walk *w) {
    const struct gf_task *t = w->t;
    struct gf_array like = t->image.px;
    w->done = calloc((size_t)w->slots, sizeof *w->done);
    int rc = w->done ? 0 : gf_no_memory();
    like.shape[0] = w->slots * w->at_once;
    gf_blocks_keep(); /* for a device to lock */
    if (!rc)
        rc = gf_array_alloc(&w->in, like.dtype, like.rank, like.shape);
    if (!rc && t->s->nan == GF_NAN_KEEP && !gf_dtype_is_integer(like.dtype)) {
        w->hole = malloc((size_t)gf_array_count(&w->in));
        rc = w->hole ? 0 : gf_no_memory();
    }
    for (int k = 0; k < t->op.job.n_out && !rc; k++) {
        like = t->product[k].image.px;
        like.shape[0] = w->slots * w->at_once;
        rc = gf_array_alloc(&w->out[k], like.dtype, like.rank, like.shape);
    }
    return rc;
}

/* Opens several readers if devices share the pages of a file that can be reopened. A file with a
 * record gets one, since each reader would verify the checksum. */
static void open_readers(struct walk *w) {
    const struct gf_task *t = w->t;
    const int64_t most = gf_min(gf_settings_threads(t->s), MOST_READERS);
    w->readers = 1;
    if (!t->deal || t->image.record || !gf_task_is_at_hand(t))
        return;
    while (w->readers < most && !gf_reader_again(&t->reader, &w->reader[w->readers]))
        w->readers++;
}

/* Threads of the CPU as a device beside others: fewer, so that it does not compete with threads
 * that copy for the others, read and write. */
static int own_threads(const struct gf_task *t) {
    const int all = gf_settings_threads(t->s);
    int left = all, others = 0;
    for (int i = 0; i < gf_engine_devices(t->deal); i++)
        if (!gf_engine_has_own_contexts(t->deal, i))
            others += gf_task_streams(t, i) * GF_DEAL_COPYING;
    left -= others ? others + MOST_READERS + 1 : 0;
    return left > all / 2 ? left : all > 1 ? all / 2 : 1;
}

/* Opens two threads a device, so that one checks its results while the device runs the other's
 * pages; for the CPU one for each small team, in which threads wait less for each other. */
static void open_hands(struct walk *w) {
    struct gf_task *t = w->t;
    w->hand[0] = (struct hand){.runner = t->op.crew.runner, .streams = 1};
    w->hands = !t->deal;
    for (int i = 0; t->deal && i < gf_engine_devices(t->deal); i++) {
        const int streams = gf_task_streams(t, i), team = own_threads(t) / streams;
        const int threads = gf_engine_has_own_contexts(t->deal, i) ? (team > 0 ? team : 1) : 0;
        for (int k = 0; k < streams && w->hands < MOST_HANDS; k++) {
            struct hand *h = &w->hand[w->hands++];
            *h = (struct hand){.device = i, .streams = streams};
            h->runner = k ? &h->own : &t->runners[i];
            if (!k) /* reopened with this number of threads */
                gf_runner_close(h->runner);
            gf_runner_open(h->runner, t->deal, i, threads);
        }
    }
}

static int64_t take(void *user, int i) {
    const struct walk *w = user;
    return gf_deal_take(w->t->deal, w->hand[i].device);
}

static void cancel(void *user) {
    const struct walk *w = user;
    gf_deal_stop(w->t->deal);
}

static int start_deal(struct walk *w) {
    struct gf_task *t = w->t;
    int rc = gf_deal_start(t->deal, &t->group.job, w->parts, 1);
    if (!rc)
        gf_deal_allow(t->deal, w->slots);
    return rc;
}

static int run_conveyor(struct walk *w) {
    open_hands(w);
    open_readers(w);
    struct gf_conveyor c = {.items = w->parts,
                            .slots = (int)w->slots,
                            .readers = w->readers,
                            .hands = w->hands,
                            .read = read_part,
                            .work = work,
                            .write = write_part,
                            .user = w};
    if (w->t->deal) {
        c.take = take;
        c.cancel = cancel;
    }
    return gf_conveyor_run(&c);
}

static void close_walk(struct walk *w) {
    double ms = 0;
    for (int i = 0; i < w->hands; i++) {
        ms = fmax(ms, w->hand[i].ms);
        if (w->hand[i].runner == &w->hand[i].own)
            gf_runner_close(&w->hand[i].own);
    }
    for (int i = 0; i < w->readers; i++) {
        w->t->op.ms.decode += w->ms_read[i];
        gf_reader_close(&w->reader[i]);
    }
    w->t->op.ms.transform += ms;
    w->t->op.ms.encode += w->ms_write;
    gf_array_free(&w->in);
    for (int k = 0; k < GF_MAX_OUTPUTS; k++)
        gf_array_free(&w->out[k]);
    gf_blocks_end();
    free(w->done);
    free(w->hole);
    free(w);
}

/* Runs this process's pages: writes output i to to[i], fills in t->op.report, adds to t's times. */
static int walk_own(struct gf_task *t, struct gf_shared_output *to) {
    struct walk *w = calloc(1, sizeof *w);
    if (!w)
        return gf_no_memory();
    w->t = t;
    w->to = to;
    w->at_once = gf_task_at_once(t);
    w->slots = t->group.slots;
    w->own = gf_ranks_own(t->ranks, t->op.job.shape[0]);
    w->parts = gf_divide_up(w->own.count, w->at_once);
    t->op.report = (struct gf_report){.imag_ratio = 0};
    int rc = take_slots(w);
    if (!rc && t->deal)
        rc = start_deal(w);
    if (!rc && w->parts)
        rc = run_conveyor(w);
    gf_task_choose_reported(t);
    close_walk(w);
    return rc;
}

/* Runs the pages of all processes; each then has the report of all. */
static int walk_through(void *task, struct gf_shared_output *to) {
    struct gf_task *t = task;
    int rc = gf_ranks_agree(t->ranks, walk_own(t, to));
    if (!rc && !to)
        rc = gf_ranks_most(t->ranks, t->op.report.high, GF_MAX_OUTPUTS);
    return rc ? rc : gf_ranks_join_report(t->ranks, &t->op.report);
}

/* ---- display ranges ---- */

static void set_range(struct gf_task *t, int i, double low, double high) {
    struct gf_output *out = &t->group.job.out[i];
    out->range = GF_RANGE_GIVEN;
    out->low = low;
    out->high = high;
}

/* Transforms the pages that an automatic range samples, one by one. */
static int look_at_pages(struct gf_task *t, struct gf_ranges *r) {
    struct gf_job one = gf_ranges_page_job(&t->op.job);
    struct gf_array px = {0}, spectrum = {0}, like = t->image.px;
    struct gf_report report;
    like.shape[0] = 1;
    int rc = gf_runner_plan(t->op.crew.runner, &one);
    if (!rc)
        rc = gf_array_alloc(&px, like.dtype, like.rank, like.shape);
    if (!rc)
        rc = gf_job_alloc(&one, 0, &spectrum);
    t->reader.any_order = true;
    for (int64_t z = 0; !rc && (z = gf_ranges_next_page(r, z)) >= 0; z++) {
        rc = gf_finite_read(&t->reader, &t->image, GF_PAGE, z, &px);
        if (rc)
            break;
        struct gf_operation page = gf_task_pages(t, t->op.crew.runner, 1);
        page.in.data = px.data;
        gf_ranges_input(r, z, &page.in);
        rc = gf_runner_run(t->op.crew.runner, &page.in, &spectrum, &report);
        if (!rc)
            gf_ranges_spectrum(r, (int64_t[]){z, 0, 0}, &spectrum);
    }
    gf_array_free(&px);
    gf_array_free(&spectrum);
    return rc;
}

static int sample_ranges(struct gf_task *t) {
    struct gf_ranges r;
    double start = gf_now_ms();
    int rc = gf_ranges_open(&t->op.job, GF_RANGES_WHOLE, &r);
    if (!rc)
        rc = look_at_pages(t, &r);
    if (!rc)
        gf_ranges_settle(&r);
    for (int i = 0; i < t->op.job.n_out && !rc; i++)
        if (gf_output_samples(&t->op.job, i))
            set_range(t, i, r.of[i][0], r.of[i][1]);
    gf_ranges_close(&r);
    t->op.ms.transform += gf_now_ms() - start;
    return rc;
}

/* Finds ranges over all pages before the first one is written. */
static int find_ranges(struct gf_task *t) {
    int rc = 0;
    if (gf_job_samples(&t->op.job)) /* few pages: each process runs them all */
        rc = gf_ranks_agree(t->ranks, sample_ranges(t));
    if (rc || !gf_job_is_full(&t->op.job))
        return rc;
    rc = walk_through(t, NULL);
    for (int i = 0; i < t->op.job.n_out && !rc; i++)
        if (gf_output_is_full(&t->op.job.out[i]))
            set_range(t, i, t->op.report.low[i], t->op.report.high[i]);
    return rc;
}

/* ---- outputs ---- */

int gf_pages_run(struct gf_task *t) {
    const double begun = gf_now_ms();
    int rc = find_ranges(t);
    if (!rc)
        rc = gf_shared_run(t, true, walk_through, t);
    gf_reader_close(&t->reader);
    if (!rc)
        gf_log_verbose("'%s': %lld pages, %lld at once, %.1f a second", gf_log_name(t->read[0]),
                       (long long)t->op.job.shape[0], (long long)gf_task_at_once(t),
                       (double)t->op.job.shape[0] * 1e3 / (gf_now_ms() - begun));
    return rc;
}
