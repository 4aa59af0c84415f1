/* One case: arrays and plans, a checked first run of every entrant, then runs in turns. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/status.h"

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 10000 };
/* A measurement is at least this long, so that the clock costs it nothing; a device wants some
 * launches queued behind one another. */
static const double shortest = 100e-6, shortest_resident = 1e-3;

struct entry {
    struct gf_plan *plan;
    struct gf_bound *bound; /* to the arrays, where they are in the host's memory */
    double *seconds;        /* by run */
    double *host_seconds;   /* likewise, by the host's clock where a device has its own */
    int runs, inner;        /* inner: executions a run */
    double spent;           /* seconds on these runs */
    bool done;              /* measured for now */
    bool uploaded;          /* a device has the input */
    bool waits;             /* for memory that the plans of others hold */
    bool locked[2];         /* it copies from the input and to the output, which are page-locked */
};

struct state {
    struct gf_bench *b;
    const struct gf_bench_case *c;
    struct gf_array in, out, fresh; /* fresh: what a spent input was */
    struct gf_bench_reference reference;
    struct entry entry[GF_MAX_ENTRANTS];
    int64_t limit; /* bytes that may still be taken */
};

static double now(void) {
    return gf_now_ms() * 1e-3;
}

/* Seconds that one execution takes, by the device's clock if it has one, and by the host's. */
struct measured {
    double seconds, host;
};

static int run_on_host(struct state *st, int i, struct measured *m) {
    struct entry *entry = &st->entry[i];
    if (st->fresh.data)
        memcpy(st->in.data, st->fresh.data, (size_t)st->c->bytes_in);
    double start = now();
    for (int k = 0; k < entry->inner; k++) {
        int rc = gf_bound_run(entry->bound, NULL);
        if (rc)
            return rc;
    }
    m->seconds = m->host = (now() - start) / entry->inner;
    return 0;
}

/* The input is there already; one that was spent is copied again. */
static int run_on_device(struct state *st, int i, struct measured *m) {
    struct entry *entry = &st->entry[i];
    int rc = 0;
    if (!entry->uploaded || st->fresh.data)
        rc = entry->plan->ops->upload(entry->plan, st->fresh.data ? &st->fresh : &st->in);
    entry->uploaded = !rc;
    double start = now();
    if (!rc)
        rc = entry->plan->ops->run(entry->plan, entry->inner, &m->seconds);
    m->host = (now() - start) / entry->inner;
    m->seconds /= entry->inner;
    return rc;
}

/* Whether the arrays are on the device while it is timed. In slabs they pass through it. */
static bool is_resident(const struct state *st, int i) {
    const struct gf_plan *plan = st->entry[i].plan;
    return st->b->entrant[i].resident && !(plan && plan->in_slabs);
}

static int run(struct state *st, int i, struct measured *m) {
    *m = (struct measured){0, 0};
    return is_resident(st, i) ? run_on_device(st, i, m) : run_on_host(st, i, m);
}

static void give_up(struct gf_bench_row *row, int rc) {
    bool left_out = rc == GF_ENOMEM || rc == GF_EUNSUPP || rc == GF_EUNABLE;
    row->status = left_out ? GF_BENCH_SKIPPED : GF_BENCH_FAILED;
    snprintf(row->why, sizeof row->why, "%s", gf_message());
}

static int take(struct state *st, int64_t bytes) {
    int rc = gf_memory_check(bytes, st->limit);
    if (!rc)
        st->limit -= bytes;
    return rc;
}

static int prepare(struct state *st) {
    const struct gf_bench_case *c = st->c;
    int64_t shape[GF_MAX_RANK];
    int rank = c->job.ndim + 1;
    st->limit = st->b->s->max_memory ? st->b->s->max_memory : gf_memory_available();
    int rc = take(st, c->bytes_in * (c->job.spend_input ? 2 : 1) + c->bytes_out);
    if (rc)
        return rc;
    gf_job_in_shape(&c->job, shape);
    rc = gf_array_alloc(&st->in, c->job.in_dtype, rank, shape);
    if (!rc && c->job.spend_input)
        rc = gf_array_alloc(&st->fresh, c->job.in_dtype, rank, shape);
    gf_job_out_shape(&c->job, 0, shape);
    if (!rc)
        rc = gf_array_alloc(&st->out, c->job.out[0].dtype, rank, shape);
    if (rc)
        return rc;
    gf_bench_fill(c, &st->in);
    if (st->fresh.data)
        memcpy(st->fresh.data, st->in.data, (size_t)c->bytes_in);
    return gf_bench_reference_make(st->b, c, &st->in, st->limit, &st->reference);
}

/* Arrays that pass through a device in every run: what page-locking them takes is not timed. */
static void lock_arrays(struct state *st, int i) {
    const struct gf_bench_entrant *e = &st->b->entrant[i];
    struct entry *entry = &st->entry[i];
    const struct gf_array *arrays[2] = {&st->in, &st->out};
    for (int k = 0; k < 2 && entry->plan->in_slabs && e->backend->on_device->lock; k++)
        e->backend->on_device->lock(e->context, arrays[k]->data, gf_array_bytes(arrays[k]),
                                    &entry->locked[k]);
}

static void unlock_arrays(struct state *st, int i) {
    const struct gf_bench_entrant *e = &st->b->entrant[i];
    const struct gf_array *arrays[2] = {&st->in, &st->out};
    for (int k = 0; k < 2; k++)
        if (st->entry[i].locked[k])
            e->backend->on_device->unlock(e->context, arrays[k]->data);
}

/* Bytes a second that pass to the device and back together, each way by itself at full speed. */
static double bus_speed(const struct gf_bench_entrant *e) {
    enum { BYTES = 64 << 20 };
    double seconds[2];
    if (!e->backend->on_device->transfer ||
        e->backend->on_device->transfer(e->context, BYTES, true, seconds))
        return 0;
    return BYTES / seconds[0] + BYTES / seconds[1];
}

/* Several devices have the arrays: what they send each other passes through no one's memory alone. */
static void note_devices(const struct gf_plan *plan, struct gf_bench_row *row) {
    row->devices = plan->n_shares;
    row->copy = 0;
    for (int i = 0; i < plan->n_shares; i++) {
        const size_t used = strlen(row->device);
        snprintf(row->device + used, sizeof row->device - used, "%s%s", i ? " + " : ", devices ",
                 plan->share[i].device);
    }
}

/* Plans, runs once and checks what came out. */
static int try_out(struct state *st, int i, struct gf_bench_row *row) {
    const struct gf_bench_entrant *e = &st->b->entrant[i];
    struct entry *entry = &st->entry[i];
    struct gf_report report = {.imag_ratio = 0};
    struct measured m;
    double start = now();
    entry->inner = 1;
    row->passes = 0; /* also where this is not the first try */
    row->moved = 0;
    row->devices = 0;
    row->copy = e->resident ? e->device.copy : st->b->host.copy;
    if (e->resident)
        snprintf(row->device, sizeof row->device, "%s", e->device.name);
    snprintf(row->code_path, sizeof row->code_path, "%s", e->code_path);
    /* Measuring plans try themselves out on arrays of their own. */
    int64_t trial = e->fftw_plan ? st->c->bytes_in + st->c->bytes_out : 0;
    int rc = gf_memory_check(trial, st->limit);
    if (!rc)
        rc = e->backend->plan(e->context, &st->c->job, &entry->plan);
    row->build = rc ? 0 : entry->plan->build_seconds;
    row->plan = now() - start - row->build;
    if (!rc && entry->plan->in_slabs)
        row->copy = bus_speed(e);
    else if (!rc && entry->plan->n_shares)
        note_devices(entry->plan, row);
    if (!rc)
        rc = take(st, entry->plan->workspace_bytes);
    if (rc)
        return rc;
    for (int p = 0; p < entry->plan->n_passes; p++) {
        row->passes += !entry->plan->pass[p].part;
        row->moved += entry->plan->pass[p].bytes_read + entry->plan->pass[p].bytes_written;
    }
    memset(st->out.data, 0xff, (size_t)st->c->bytes_out); /* NaN: nobody's answer is left over */
    lock_arrays(st, i);
    rc = gf_plan_bind(entry->plan, &st->in, &st->out, &entry->bound);
    rc = rc ? rc : run(st, i, &m);
    if (!rc && is_resident(st, i))
        rc = entry->plan->ops->download(entry->plan, &st->out, &report);
    if (rc)
        return rc;
    bool wrong;
    row->error = gf_bench_reference_error(st->c, &st->reference, &st->out, &wrong);
    row->status = wrong ? GF_BENCH_WRONG : GF_BENCH_OK;
    return 0;
}

/* How often a run executes; the second run is the first that is warm, and a device's clock rises
 * with its work. */
static int settle(struct state *st, int i) {
    enum { TRIES = 4, MOST_SPENT = 8 };
    struct entry *e = &st->entry[i];
    bool resident = is_resident(st, i), spent = st->fresh.data;
    double least = resident ? shortest_resident : shortest;
    struct measured m;
    int rc = 0, tries = resident ? TRIES : 1;
    e->seconds = malloc(MOST_ROUNDS * sizeof(double));
    e->host_seconds = malloc(MOST_ROUNDS * sizeof(double));
    if (!e->seconds || !e->host_seconds)
        return gf_fail(GF_ENOMEM, "no memory for the times");
    for (int k = 0; k < tries && !rc; k++) {
        rc = run(st, i, &m);
        if (!rc && m.seconds * e->inner < least)
            e->inner = (int)(least / (m.seconds + 1e-9)) + 1;
        /* A spent input needs renewing before each execution. On a device that would be all that
         * is seen; there, a few in a row only transform what the last one left, and by then values
         * have not left their range. */
        if (spent && e->inner > (resident ? MOST_SPENT : 1))
            e->inner = resident ? MOST_SPENT : 1;
    }
    return rc;
}

static bool measured_enough(const struct gf_settings *s, const struct entry *e) {
    if (e->runs == MOST_ROUNDS)
        return true;
    return s->bench.repeat ? e->runs >= s->bench.repeat
                           : e->runs >= LEAST_ROUNDS && e->spent >= s->bench.seconds;
}

/* One run of each that is not done, round after round, so that whatever drifts does so for all
 * alike. */
static void time_all(struct state *st, struct gf_bench_row *rows) {
    for (bool any = true; any;) {
        any = false;
        for (int i = 0; i < st->b->n; i++) {
            struct entry *e = &st->entry[i];
            struct measured m;
            if (!e->plan || rows[i].status != GF_BENCH_OK || e->done ||
                measured_enough(st->b->s, e))
                continue;
            double start = now();
            int rc = run(st, i, &m);
            e->spent += now() - start;
            if (rc) {
                give_up(&rows[i], rc);
                continue;
            }
            e->seconds[e->runs] = m.seconds;
            e->host_seconds[e->runs++] = m.host;
            any = true;
        }
    }
}

static struct gf_trend trend_of(const struct gf_bench_case *c, double seconds) {
    return (struct gf_trend){.axes = c->job.axes | (unsigned)c->job.ndim << 8,
                             .points = (double)c->points,
                             .rate = c->flops / seconds};
}

static struct gf_trend *trend_before(const struct state *st, int i) {
    return &st->b->trend[st->c->job.precision][st->c->kind][i];
}

/* Takes over what was measured, unless an earlier attempt was quieter, or shorter where one of the two breaks
 * the trend. True: something disturbed it. */
static bool note_times(struct state *st, int i, struct gf_bench_row *row) {
    struct entry *e = &st->entry[i];
    struct gf_times t = gf_times_of(e->seconds, e->runs);
    const struct gf_trend trend = trend_of(st->c, t.median);
    bool astray = gf_trend_breaks(trend_before(st, i), &trend), first = !row->time.runs;
    row->again += !first;
    if (!first && (astray || row->astray ? row->time.median <= t.median
                                         : gf_times_quieter(&row->time, &t) == &row->time))
        return row->noisy || row->astray;
    row->time = t;
    row->host = is_resident(st, i) ? gf_times_of(e->host_seconds, e->runs).median : 0;
    row->noisy = gf_times_are_noisy(&t);
    row->astray = astray;
    return row->noisy || row->astray;
}

/* All entrants, and those again that something disturbed. */
static void measure(struct state *st, struct gf_bench_row *rows) {
    enum { REPEATS = 3 };
    int noisy = 1;
    for (int attempt = 0; attempt <= REPEATS && noisy; attempt++) {
        time_all(st, rows);
        noisy = 0;
        for (int i = 0; i < st->b->n; i++) {
            struct entry *e = &st->entry[i];
            bool timed = e->plan && rows[i].status == GF_BENCH_OK;
            if (timed && !e->done)
                e->done = !note_times(st, i, &rows[i]);
            noisy += timed && !e->done;
            e->runs = 0;
            e->spent = 0;
        }
    }
}

static void relate(const struct gf_bench *b, struct gf_bench_row *rows) {
    const struct gf_bench_row *to = b->relative < 0 ? NULL : &rows[b->relative];
    for (int i = 0; i < b->n && to && to->status == GF_BENCH_OK; i++) {
        if (rows[i].status != GF_BENCH_OK)
            continue;
        rows[i].ratio = to->time.median / rows[i].time.median;
        snprintf(rows[i].relative, sizeof rows[i].relative, "%s", to->name);
    }
}

/* Frees what an entrant holds beside its row. */
static void drop_plan(struct state *st, int i) {
    struct entry *e = &st->entry[i];
    unlock_arrays(st, i);
    gf_bound_drop(e->bound);
    gf_plan_drop(e->plan);
    free(e->seconds);
    free(e->host_seconds);
    *e = (struct entry){.waits = e->waits};
}

/* Tries those that wait. Plans hold their workspace until all are timed: whoever finds too little
 * memory beside others' waits until these are gone. Returns how many still do. */
static int try_waiting(struct state *st, struct gf_bench_row *rows) {
    int held = 0, waiting = 0;
    for (int i = 0; i < st->b->n; i++) {
        struct entry *e = &st->entry[i];
        if (!e->waits)
            continue;
        int rc = try_out(st, i, &rows[i]);
        e->waits = rc == GF_ENOMEM && held > 0;
        waiting += e->waits;
        held += !rc;
        if (rc && !e->waits)
            give_up(&rows[i], rc);
        if (rc)
            drop_plan(st, i);
    }
    return waiting;
}

/* The entrants that fit into memory together, in turns; then those that did not. */
static void run_in_groups(struct state *st, struct gf_bench_row *rows) {
    const int64_t limit = st->limit;
    for (int i = 0; i < st->b->n; i++)
        st->entry[i].waits = true;
    for (int waiting = st->b->n; waiting;) {
        st->limit = limit;
        waiting = try_waiting(st, rows);
        if (!waiting)
            gf_bench_reference_free(&st->reference);
        int rc;
        for (int i = 0; i < st->b->n; i++)
            if (st->entry[i].plan && rows[i].status == GF_BENCH_OK && (rc = settle(st, i)))
                give_up(&rows[i], rc);
        measure(st, rows);
        for (int i = 0; i < st->b->n; i++) {
            if (st->entry[i].plan && rows[i].status == GF_BENCH_OK) {
                *trend_before(st, i) = trend_of(st->c, rows[i].time.median);
                /* On the host, a run may spend its input. */
                const struct gf_array *in =
                    st->fresh.data && is_resident(st, i) ? &st->fresh : &st->in;
                const struct gf_bench_work w = {&st->b->entrant[i], st->entry[i].plan, in,
                                                &st->out};
                gf_bench_add_details(&st->b->s->bench, &w, &rows[i]);
            }
            drop_plan(st, i);
        }
    }
}

int gf_bench_case_run(struct gf_bench *b, const struct gf_bench_case *c,
                      struct gf_bench_row rows[GF_MAX_ENTRANTS]) {
    struct state st = {.b = b, .c = c};
    int n = b->n;
    for (int i = 0; i < n; i++) {
        rows[i] = (struct gf_bench_row){.error = -1};
        snprintf(rows[i].name, sizeof rows[i].name, "%s", b->entrant[i].name);
    }
    int rc = prepare(&st);
    if (rc) {
        rows[0].name[0] = 0;
        give_up(&rows[0], rc);
        n = 1;
    } else {
        run_in_groups(&st, rows);
        relate(b, rows);
    }
    gf_bench_reference_free(&st.reference);
    gf_array_free(&st.in);
    gf_array_free(&st.fresh);
    gf_array_free(&st.out);
    return n;
}
