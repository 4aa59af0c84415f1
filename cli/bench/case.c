/* Measures a case: plans it, checks a first run of every entrant, times runs in turns; then passes,
 * copies to and from the device, and energy. */
#include <math.h>
#include <stdlib.h>

#include "cli/bench/bench.h"
#include "cli/log.h"
#include "core/base/host/clock.h"
#include "core/base/host/energy.h"
#include "core/base/host/memory.h"

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 10000, DETAIL_TRIES = 5 };
/* The least seconds of a measurement, so that reading the clock does not matter; on a device,
 * enough for several launches in a queue. */
static const double shortest = 100e-6, shortest_resident = 1e-3;

/* An entrant working on the case. */
struct entry {
    const struct gf_bench_entrant *e;
    struct gf_bench_row *row;
    struct gf_trend *before; /* of the entrant's last row */
    struct gf_plan *plan;
    double *seconds; /* MOST_ROUNDS per run, then as many by the host's clock */
    int runs, inner; /* inner: executions per run */
    double spent;    /* seconds spent on these runs */
    bool done;       /* needs no further runs */
    bool uploaded;   /* the input is on the device */
    bool waits;      /* until other entrants' plans free their memory */
    bool locked[2];  /* input, output: page-locked */
};

struct state {
    struct gf_bench *b;
    const struct gf_bench_case *c;
    struct gf_array in, out, fresh; /* fresh: copy of an input that runs destroy */
    struct gf_bench_reference reference;
    struct entry entry[GF_MAX_ENTRANTS], *end; /* one past the last */
    int64_t limit;                             /* bytes left to allocate */
};

static double now(void) {
    return gf_now_ms() * 1e-3;
}

static bool is_timed(const struct entry *e) {
    return e->plan && e->row->status == GF_BENCH_OK;
}

/* Seconds of an execution by the device's clock, if any, and by the host's. */
struct measured {
    double seconds, host;
};

static int run_on_host(struct state *st, struct entry *e, struct measured *m) {
    int rc = 0;
    if (st->fresh.data)
        memcpy(st->in.data, st->fresh.data, (size_t)st->c->bytes_in);
    double start = now();
    for (int k = 0; k < e->inner && !rc; k++)
        rc = gf_bound_run(e->plan->own, NULL);
    m->seconds = m->host = (now() - start) / e->inner;
    return rc;
}

/* Uploads the input once, or before each run if runs destroy it. */
static int run_on_device(struct state *st, struct entry *e, struct measured *m) {
    int rc = 0;
    if (!e->uploaded || st->fresh.data)
        rc = e->plan->ops->upload(e->plan, st->fresh.data ? &st->fresh : &st->in);
    e->uploaded = !rc;
    double start = now();
    if (!rc)
        rc = e->plan->ops->run(e->plan, e->inner, &m->seconds);
    m->host = (now() - start) / e->inner;
    m->seconds /= e->inner;
    return rc;
}

/* True if the arrays stay in device memory while it is timed; slabs pass through it, and some
 * filters return to the host for a product. */
static bool is_resident(const struct entry *e) {
    return e->e->resident && !(e->plan && !e->plan->ops->upload);
}

static int run(struct state *st, struct entry *e, struct measured *m) {
    *m = (struct measured){0, 0};
    return (is_resident(e) ? run_on_device : run_on_host)(st, e, m);
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
    st->limit = st->b->s->max_memory ? st->b->s->max_memory : gf_memory_available();
    int rc = take(st, c->bytes_in * (c->job.spend_input ? 2 : 1) + c->bytes_out);
    if (rc)
        return rc;
    rc = gf_job_alloc(&c->job, -1, &st->in);
    if (!rc && c->job.spend_input)
        rc = gf_job_alloc(&c->job, -1, &st->fresh);
    if (!rc)
        rc = gf_job_alloc(&c->job, 0, &st->out);
    if (rc)
        return rc;
    gf_bench_fill(c, &st->in);
    if (st->fresh.data)
        memcpy(st->fresh.data, st->in.data, (size_t)c->bytes_in);
    return gf_bench_reference_make(st->b, c, &st->in, st->limit, &st->reference);
}

/* Page-locks arrays that are copied in every run, so that runs exclude the time for it. */
static void lock_arrays(struct state *st, struct entry *e) {
    const struct gf_on_device *d = e->e->backend->on_device;
    const struct gf_array *arrays[2] = {&st->in, &st->out};
    for (int k = 0; k < 2 && e->plan->in_slabs && d->lock; k++)
        d->lock(e->e->context, arrays[k]->data, gf_array_bytes(arrays[k]), &e->locked[k]);
}

/* Returns bytes a second to the device plus back, each direction measured alone. */
static double bus_speed(const struct gf_bench_entrant *e) {
    enum { BYTES = 64 << 20 };
    double seconds[2];
    if (!e->backend->on_device->transfer ||
        e->backend->on_device->transfer(e->context, BYTES, true, seconds))
        return 0;
    return BYTES / seconds[0] + BYTES / seconds[1];
}

/* Names the devices that share the arrays. No single copy bandwidth applies to them. */
static void note_devices(const struct gf_plan *plan, struct gf_bench_row *row) {
    row->devices = plan->n_shares;
    row->copy = 0;
    for (int i = 0; i < plan->n_shares; i++) {
        const size_t used = strlen(row->device);
        snprintf(row->device + used, sizeof row->device - used, "%s%s", i ? " + " : ", devices ",
                 plan->share[i].device);
    }
}

/* Plans, runs once and checks the result. */
static int try_out(struct state *st, struct entry *e) {
    const struct gf_bench_entrant *entrant = e->e;
    struct gf_bench_row *row = e->row;
    struct gf_report report = {.imag_ratio = 0};
    struct measured m;
    double start = now();
    e->inner = 1;
    row->passes = 0; /* a second try starts from zero */
    row->moved = 0;
    row->devices = 0;
    row->copy = entrant->resident ? entrant->device.copy : st->b->host.copy;
    if (entrant->resident)
        snprintf(row->device, sizeof row->device, "%s", entrant->device.name);
    snprintf(row->code_path, sizeof row->code_path, "%s", entrant->code_path);
    /* FFTW measures plans on its own arrays. */
    int64_t trial = entrant->fftw_plan ? st->c->bytes_in + st->c->bytes_out : 0;
    int rc = gf_memory_check(trial, st->limit);
    if (!rc)
        rc = gf_backend_plan(entrant->backend, entrant->context, &st->c->job, &e->plan);
    row->build = rc ? 0 : e->plan->build_seconds;
    row->plan = now() - start - row->build;
    if (!rc && entrant->resident && !is_resident(e))
        row->copy = bus_speed(entrant);
    else if (!rc && e->plan->n_shares)
        note_devices(e->plan, row);
    if (!rc)
        rc = take(st, e->plan->workspace_bytes);
    if (rc)
        return rc;
    for (int p = 0; p < e->plan->n_passes; p++)
        row->passes += !e->plan->pass[p].part;
    row->moved = gf_pass_bytes(e->plan->pass, e->plan->n_passes);
    memset(st->out.data, 0xff,
           /* NaN, so that an earlier entrant's result cannot pass for this one's */
           (size_t)st->c->bytes_out);
    lock_arrays(st, e);
    rc = gf_plan_bind(e->plan, &st->in, &st->out, &e->plan->own);
    rc = rc ? rc : run(st, e, &m);
    if (!rc && is_resident(e))
        rc = e->plan->ops->download(e->plan, &st->out, &report);
    if (rc)
        return rc;
    bool wrong;
    row->error = gf_bench_reference_error(st->c, &st->reference, &st->out, &wrong);
    row->status = wrong ? GF_BENCH_WRONG : GF_BENCH_OK;
    return 0;
}

/* Chooses the executions per run. These also warm up caches and a device's clock. */
static int settle(struct state *st, struct entry *e) {
    enum { TRIES = 4, MOST_SPENT = 8 };
    bool resident = is_resident(e), spent = st->fresh.data;
    double least = resident ? shortest_resident : shortest;
    struct measured m;
    int rc = 0, tries = resident ? TRIES : 1;
    e->seconds = malloc(2 * MOST_ROUNDS * sizeof(double));
    if (!e->seconds)
        return gf_no_memory();
    for (int k = 0; k < tries && !rc; k++) {
        rc = run(st, e, &m);
        if (!rc && m.seconds * e->inner < least)
            e->inner = (int)(least / (m.seconds + 1e-9)) + 1;
        /* A destroyed input must be renewed before each execution. On a device the copy would
         * dominate the time, so a few executions in a row transform the previous result: few enough
         * that values stay in range. */
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

/* Runs the unfinished entrants in turns, so that drift of the machine affects them alike. */
static void time_all(struct state *st) {
    for (bool any = true; any;) {
        any = false;
        for (struct entry *e = st->entry; e < st->end; e++) {
            struct measured m;
            if (!is_timed(e) || e->done || measured_enough(st->b->s, e))
                continue;
            double start = now();
            int rc = run(st, e, &m);
            e->spent += now() - start;
            if (rc) {
                give_up(e->row, rc);
                continue;
            }
            e->seconds[e->runs] = m.seconds;
            e->seconds[MOST_ROUNDS + e->runs++] = m.host;
            any = true;
        }
    }
}

static struct gf_trend trend_of(const struct gf_bench_case *c, double seconds) {
    return (struct gf_trend){.axes = c->job.axes | (unsigned)c->job.ndim << 8,
                             .points = (double)c->points,
                             .rate = c->flops / seconds};
}

/* Stores the times in the row unless those of an earlier attempt were quieter or, if either attempt
 * is off the trend, shorter. Returns true if the row is still noisy or off the trend. */
static bool note_times(struct state *st, struct entry *e) {
    struct gf_bench_row *row = e->row;
    struct gf_times t = gf_times_of(e->seconds, e->runs);
    const struct gf_trend trend = trend_of(st->c, t.median);
    bool astray = gf_trend_breaks(e->before, &trend), first = !row->time.runs;
    row->again += !first;
    if (first || (astray || row->astray ? row->time.median > t.median
                                        : gf_times_quieter(&row->time, &t) != &row->time)) {
        row->time = t;
        row->host = is_resident(e) ? gf_times_of(e->seconds + MOST_ROUNDS, e->runs).median : 0;
        row->noisy = gf_times_are_noisy(&t);
        row->astray = astray;
    }
    return row->noisy || row->astray;
}

/* Times all entrants, and repeats those that were disturbed. */
static void measure(struct state *st) {
    enum { REPEATS = 3 };
    int noisy = 1;
    for (int attempt = 0; attempt <= REPEATS && noisy; attempt++) {
        time_all(st);
        noisy = 0;
        for (struct entry *e = st->entry; e < st->end; e++) {
            if (is_timed(e) && !e->done)
                e->done = !note_times(st, e);
            noisy += is_timed(e) && !e->done;
            e->runs = 0;
            e->spent = 0;
        }
    }
}

/* ---- passes, copies, energy ---- */

static int time_passes(const struct entry *e, const struct gf_array *in, struct gf_array *out) {
    struct gf_bench_row *row = e->row;
    double least[GF_MAX_PASSES], now[GF_MAX_PASSES];
    int n = e->plan->n_passes, rc = 0;
    if (n > 1 && !e->plan->ops->time)
        return gf_fail(GF_EUNSUPP, "its passes cannot be timed separately");
    for (int i = 0; i < n; i++)
        least[i] = n == 1 ? row->time.median : INFINITY; /* a single pass takes the whole time */
    for (int k = 0; k < DETAIL_TRIES && n > 1 && !rc; k++) {
        rc = e->plan->ops->time(e->plan, in, out, now); /* on a device, of the uploaded input */
        for (int i = 0; i < n && !rc; i++)
            least[i] = fmin(least[i], now[i]);
    }
    if (rc)
        return rc;
    struct gf_bench_pass *timed = NULL;
    row->listed = calloc(GF_MAX_PASSES, sizeof *row->listed);
    for (int i = 0; i < n && row->listed; i++) {
        const struct gf_pass_info *pass = &e->plan->pass[i];
        struct gf_bench_pass *to = &row->listed[row->n_listed++];
        snprintf(to->what, sizeof to->what, "%s", pass->what);
        to->bytes = pass->bytes_read + pass->bytes_written;
        if (isfinite(least[i]))
            timed = to;
        else if (timed && !pass->part) /* timed together with `timed` */
            timed->bytes += to->bytes;
        to->expected = row->copy > 0 ? pass->cost / row->copy : 0;
        to->seconds = isfinite(least[i]) ? least[i] : 0;
    }
    return 0;
}

static int time_transfers(const struct entry *e, const struct gf_array *in, struct gf_array *out) {
    struct gf_bench_row *row = e->row;
    struct gf_bench_transfers *t = &row->transfers;
    const struct gf_on_device *d = e->e->backend->on_device;
    const struct gf_array *const arrays[2] = {in, out};
    double seconds[2], whole = INFINITY;
    int rc = 0;
    if (!d->transfer)
        return 0;
    for (int way = 0; way < 2; way++) {
        t->bytes[way] = gf_array_bytes(arrays[way]);
        for (int pinned = 0; pinned < 2 && !rc; pinned++) {
            double least = INFINITY;
            for (int k = 0; k < DETAIL_TRIES && !rc; k++) {
                rc = d->transfer(e->e->context, t->bytes[way], pinned, seconds);
                least = fmin(least, seconds[way]);
            }
            *(pinned ? &t->pinned[way] : &t->pageable[way]) = rc ? 0 : least;
        }
    }
    for (int k = 0; k < DETAIL_TRIES && !rc; k++) {
        double start = gf_now_ms();
        rc = gf_plan_exec(e->plan, in, out, NULL);
        whole = fmin(whole, (gf_now_ms() - start) * 1e-3);
    }
    t->whole = rc ? 0 : whole;
    return rc;
}

/* Executes `times` times, some hundredths of a second, so that reading the clock does not
 * matter. */
static int run_some(const struct entry *e, const struct gf_array *in, struct gf_array *out,
                    int times) {
    double seconds;
    int rc = 0;
    if (is_resident(e))
        return e->plan->ops->run(e->plan, times, &seconds);
    for (int i = 0; i < times && !rc; i++)
        rc = gf_plan_exec(e->plan, in, out, NULL);
    return rc;
}

static int count_energy(const struct entry *e, const struct gf_array *in, struct gf_array *out) {
    struct gf_bench_row *row = e->row;
    enum { LEAST_MS = 1200, SOME_MS = 30 };
    struct gf_energy_counter counter;
    double joules = 0, start = 0, runs = 0;
    int times = (int)fmin(1e6, SOME_MS * 1e-3 / row->time.median) + 1, rc = 0;
    if (e->plan->job.spend_input)
        return gf_fail(GF_EUNSUPP, "each run needs a fresh input");
    if (e->plan->n_shares)
        return gf_fail(GF_EUNSUPP, "only that of one device is counted");
    rc = e->e->resident ? gf_energy_open_gpu(e->e->device.name, &counter)
                        : gf_energy_open_cpu(GF_POWERCAP, &counter);
    if (!rc)
        rc = run_some(e, in, out, times); /* lets clocks rise and counters advance */
    if (!rc)
        rc = gf_energy_read(&counter, &joules);
    for (start = gf_now_ms(); !rc && gf_now_ms() - start < LEAST_MS; runs += times)
        rc = run_some(e, in, out, times);
    double ms = gf_now_ms() - start;
    if (!rc)
        rc = gf_energy_read(&counter, &joules);
    if (!rc)
        row->energy =
            (struct gf_bench_energy){.joules = joules / runs, .seconds = ms * 1e-3 / runs};
    return rc;
}

/* Adds what --joules, --passes and --transfers ask for. A failure here does not fail the row. */
static void add_details(struct state *st, const struct entry *e) {
    const struct gf_bench_settings *o = &st->b->s->bench;
    struct gf_bench_row *row = e->row;
    /* The host's runs may destroy their input. */
    const struct gf_array *in = st->fresh.data && is_resident(e) ? &st->fresh : &st->in;
    if (o->joules && count_energy(e, in, &st->out))
        snprintf(row->energy.why, sizeof row->energy.why, "%s", gf_message());
    if (o->passes && time_passes(e, in, &st->out))
        gf_log_verbose("bench: %s: %s", row->name, gf_message());
    if (o->transfers && is_resident(e) && time_transfers(e, in, &st->out))
        gf_log_verbose("bench: %s: %s", row->name, gf_message());
}

/* ---- all entrants ---- */

static void relate(const struct gf_bench *b, struct gf_bench_row *rows) {
    const struct gf_bench_row *to = b->relative < 0 ? NULL : &rows[b->relative];
    for (int i = 0; i < b->n && to && to->status == GF_BENCH_OK; i++) {
        if (rows[i].status != GF_BENCH_OK)
            continue;
        rows[i].ratio = to->time.median / rows[i].time.median;
        snprintf(rows[i].relative, sizeof rows[i].relative, "%s", to->name);
    }
}

/* Frees an entrant's plan, times and locks. */
static void drop_plan(struct state *st, struct entry *e) {
    for (int k = 0; k < 2; k++)
        if (e->locked[k])
            e->e->backend->on_device->unlock(e->e->context, (k ? &st->out : &st->in)->data);
    gf_plan_drop(e->plan);
    free(e->seconds);
    *e = (struct entry){.e = e->e, .row = e->row, .before = e->before, .waits = e->waits};
}

/* Tries the waiting entrants. Plans hold their workspace until all are timed, so an entrant without
 * enough memory waits until the others are freed. Returns how many still wait. */
static int try_waiting(struct state *st) {
    int held = 0, waiting = 0;
    for (struct entry *e = st->entry; e < st->end; e++) {
        if (!e->waits)
            continue;
        int rc = try_out(st, e);
        e->waits = rc == GF_ENOMEM && held > 0;
        waiting += e->waits;
        held += !rc;
        if (rc && !e->waits)
            give_up(e->row, rc);
        if (rc)
            drop_plan(st, e);
    }
    return waiting;
}

/* Times the entrants that fit into memory at once, then the others. */
static void run_in_groups(struct state *st) {
    const int64_t limit = st->limit;
    for (int waiting = st->b->n; waiting;) {
        st->limit = limit;
        waiting = try_waiting(st);
        if (!waiting)
            gf_bench_reference_free(&st->reference);
        int rc;
        for (struct entry *e = st->entry; e < st->end; e++)
            if (is_timed(e) && (rc = settle(st, e)))
                give_up(e->row, rc);
        measure(st);
        for (struct entry *e = st->entry; e < st->end; e++) {
            if (is_timed(e)) {
                *e->before = trend_of(st->c, e->row->time.median);
                add_details(st, e);
            }
            drop_plan(st, e);
        }
    }
}

int gf_bench_case_run(struct gf_bench *b, const struct gf_bench_case *c,
                      struct gf_bench_row rows[GF_MAX_ENTRANTS]) {
    struct state st = {.b = b, .c = c, .end = st.entry + b->n};
    int n = b->n;
    for (int i = 0; i < n; i++) {
        rows[i] = (struct gf_bench_row){.error = -1};
        snprintf(rows[i].name, sizeof rows[i].name, "%s", b->entrant[i].name);
        st.entry[i] = (struct entry){.e = &b->entrant[i],
                                     .row = &rows[i],
                                     .before = &b->trend[c->job.precision][c->kind][i],
                                     .waits = true};
    }
    int rc = prepare(&st);
    if (rc) {
        rows[0].name[0] = 0;
        give_up(&rows[0], rc);
        n = 1;
    } else {
        run_in_groups(&st);
        relate(b, rows);
    }
    gf_bench_reference_free(&st.reference);
    gf_array_free(&st.in);
    gf_array_free(&st.fresh);
    gf_array_free(&st.out);
    return n;
}
