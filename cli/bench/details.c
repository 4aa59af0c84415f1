/* The passes of a plan and the copies to a device and back, each timed by itself; the energy of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/bench/bench.h"
#include "cli/log.h"
#include "core/base/clock.h"
#include "core/base/energy.h"
#include "core/base/status.h"

enum { TRIES = 5 };

static int time_once(const struct gf_bench_work *w, double *seconds) {
    /* A device's passes run on what was uploaded. */
    if (w->plan->ops->time && (w->e->resident || !w->plan->ops->upload))
        return w->plan->ops->time(w->plan, w->in, w->out, seconds);
    return gf_fail(GF_EUNSUPP, "its passes cannot be timed separately");
}

static int time_passes(const struct gf_bench_work *w, struct gf_bench_row *row) {
    double least[GF_MAX_PASSES], now[GF_MAX_PASSES];
    int n = w->plan->n_passes, rc = 0;
    for (int i = 0; i < n; i++)
        least[i] = n == 1 ? row->time.median : INFINITY; /* one pass is all there is */
    for (int k = 0; k < TRIES && n > 1 && !rc; k++) {
        rc = time_once(w, now);
        for (int i = 0; i < n && !rc; i++)
            least[i] = fmin(least[i], now[i]);
    }
    if (rc)
        return rc;
    struct gf_bench_pass *timed = NULL;
    row->listed = calloc(GF_MAX_PASSES, sizeof *row->listed);
    for (int i = 0; i < n && row->listed; i++) {
        const struct gf_pass_info *pass = &w->plan->pass[i];
        struct gf_bench_pass *to = &row->listed[row->n_listed++];
        snprintf(to->what, sizeof to->what, "%s", pass->what);
        to->bytes = pass->bytes_read + pass->bytes_written;
        if (isfinite(least[i]))
            timed = to;
        else if (timed && !pass->part) /* it was timed together with that one */
            timed->bytes += to->bytes;
        to->expected = row->copy > 0 ? pass->cost / row->copy : 0;
        to->seconds = isfinite(least[i]) ? least[i] : 0;
    }
    return 0;
}

static int time_transfers(const struct gf_bench_work *w, struct gf_bench_row *row) {
    struct gf_bench_transfers *t = &row->transfers;
    const struct gf_on_device *d = w->e->backend->on_device;
    const struct gf_array *const arrays[2] = {w->in, w->out};
    struct gf_report report;
    double seconds[2], whole = INFINITY;
    int rc = 0;
    if (!d->transfer)
        return 0;
    for (int way = 0; way < 2; way++) {
        t->bytes[way] = gf_array_bytes(arrays[way]);
        for (int pinned = 0; pinned < 2 && !rc; pinned++) {
            double least = INFINITY;
            for (int k = 0; k < TRIES && !rc; k++) {
                rc = d->transfer(w->e->context, t->bytes[way], pinned, seconds);
                least = fmin(least, seconds[way]);
            }
            *(pinned ? &t->pinned[way] : &t->pageable[way]) = rc ? 0 : least;
        }
    }
    for (int k = 0; k < TRIES && !rc; k++) {
        double start = gf_now_ms();
        rc = w->plan->ops->exec(w->plan, w->in, w->out, &report);
        whole = fmin(whole, (gf_now_ms() - start) * 1e-3);
    }
    t->whole = rc ? 0 : whole;
    return rc;
}

/* Executes a number of times, some hundredths of a second in all, so that reading the clock does
 * not matter. */
static int run_some(const struct gf_bench_work *w, int times) {
    struct gf_report report;
    double seconds;
    int rc = 0;
    if (w->e->resident)
        return w->plan->ops->run(w->plan, times, &seconds);
    for (int i = 0; i < times && !rc; i++)
        rc = w->plan->ops->exec(w->plan, w->in, w->out, &report);
    return rc;
}

static int count_energy(const struct gf_bench_work *w, struct gf_bench_row *row) {
    enum { LEAST_MS = 1200, SOME_MS = 30 };
    struct gf_energy counter;
    double joules = 0, start = 0, runs = 0;
    int times = (int)fmin(1e6, SOME_MS * 1e-3 / row->time.median) + 1, rc = 0;
    if (w->plan->job.spend_input)
        return gf_fail(GF_EUNSUPP, "each run needs a fresh input");
    if (w->plan->n_shares)
        return gf_fail(GF_EUNSUPP, "only that of one device is counted");
    rc = w->e->resident ? gf_energy_open_gpu(w->e->device.name, &counter)
                        : gf_energy_open_cpu(GF_POWERCAP, &counter);
    if (!rc)
        rc = run_some(w, times); /* lets clocks rise and counters advance */
    if (!rc)
        rc = gf_energy_read(&counter, &joules);
    for (start = gf_now_ms(); !rc && gf_now_ms() - start < LEAST_MS; runs += times)
        rc = run_some(w, times);
    double ms = gf_now_ms() - start;
    if (!rc)
        rc = gf_energy_read(&counter, &joules);
    if (!rc)
        row->energy =
            (struct gf_bench_energy){.joules = joules / runs, .seconds = ms * 1e-3 / runs};
    return rc;
}

void gf_bench_add_details(const struct gf_bench_settings *o, const struct gf_bench_work *w,
                          struct gf_bench_row *row) {
    if (o->joules && count_energy(w, row))
        snprintf(row->energy.why, sizeof row->energy.why, "%s", gf_message());
    if (o->passes && time_passes(w, row))
        gf_log_verbose("bench: %s: %s", w->e->name, gf_message());
    if (o->transfers && w->e->resident && !w->plan->in_slabs && time_transfers(w, row))
        gf_log_verbose("bench: %s: %s", w->e->name, gf_message());
}
