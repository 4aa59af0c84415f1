/* The passes of a plan, and the copies to a device and back, each timed by itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/bench/bench.h"
#include "cli/log.h"
#include "core/base/clock.h"
#include "core/base/energy.h"
#include "core/base/status.h"

enum { TRIES = 5 };

static int time_once(const struct gf_bench_entrant *e, struct gf_plan *plan,
                     const struct gf_array *in, struct gf_array *out, double *seconds) {
    /* A device's passes run on what was uploaded. */
    if (plan->ops->time && (e->resident || !plan->ops->upload))
        return plan->ops->time(plan, in, out, seconds);
    return gf_fail(GF_EUNSUPP, "its passes cannot be timed separately");
}

void gf_bench_time_passes(const struct gf_bench_entrant *e, struct gf_plan *plan,
                          const struct gf_array *in, struct gf_array *out,
                          struct gf_bench_row *row) {
    double least[GF_MAX_PASSES], now[GF_MAX_PASSES];
    int n = plan->n_passes, rc = 0;
    for (int i = 0; i < n; i++)
        least[i] = n == 1 ? row->time.median : INFINITY; /* one pass is all there is */
    for (int k = 0; k < TRIES && n > 1 && !rc; k++) {
        rc = time_once(e, plan, in, out, now);
        for (int i = 0; i < n && !rc; i++)
            least[i] = fmin(least[i], now[i]);
    }
    if (rc) {
        gf_log_verbose("bench: %s: %s", e->name, gf_message());
        return;
    }
    struct gf_bench_pass *timed = NULL;
    row->listed = calloc(GF_MAX_PASSES, sizeof *row->listed);
    for (int i = 0; i < n && row->listed; i++) {
        const struct gf_pass_info *pass = &plan->pass[i];
        struct gf_bench_pass *to = &row->listed[row->n_listed++];
        snprintf(to->what, sizeof to->what, "%s", pass->what);
        to->bytes = pass->bytes_read + pass->bytes_written;
        if (isfinite(least[i]))
            timed = to;
        else if (timed && !pass->part) /* it ran together with that one */
            timed->bytes += to->bytes;
        to->expected = row->copy > 0 ? pass->cost / row->copy : 0;
        to->seconds = isfinite(least[i]) ? least[i] : 0;
    }
}

void gf_bench_time_transfers(const struct gf_bench_entrant *e, struct gf_plan *plan,
                             const struct gf_array *in, struct gf_array *out,
                             struct gf_bench_row *row) {
    struct gf_bench_transfers *t = &row->transfers;
    const struct gf_on_device *d = e->backend->on_device;
    struct gf_report report;
    double seconds[2];
    int rc = 0;
    if (!e->resident || !d->transfer)
        return;
    const struct gf_array *const arrays[2] = {in, out};
    for (int way = 0; way < 2; way++) {
        t->bytes[way] = gf_array_count(arrays[way]) * (int64_t)gf_dtype_size(arrays[way]->dtype);
        for (int pinned = 0; pinned < 2 && !rc; pinned++) {
            double least = INFINITY;
            for (int k = 0; k < TRIES && !rc; k++) {
                rc = d->transfer(e->context, t->bytes[way], pinned, seconds);
                least = fmin(least, seconds[way]);
            }
            *(pinned ? &t->pinned[way] : &t->pageable[way]) = rc ? 0 : least;
        }
    }
    double whole = INFINITY;
    for (int k = 0; k < TRIES && !rc; k++) {
        double start = gf_now_ms();
        rc = plan->ops->exec(plan, in, out, &report);
        whole = fmin(whole, (gf_now_ms() - start) * 1e-3);
    }
    t->whole = rc ? 0 : whole;
    if (rc)
        gf_log_verbose("bench: %s: %s", e->name, gf_message());
}

/* Runs that take some hundredths of a second, so that reading the clock costs nothing. */
static int run_some(const struct gf_bench_entrant *e, struct gf_plan *plan,
                    const struct gf_array *in, struct gf_array *out, int times) {
    struct gf_report report;
    double seconds;
    int rc = 0;
    if (e->resident)
        return plan->ops->run(plan, times, &seconds);
    for (int i = 0; i < times && !rc; i++)
        rc = plan->ops->exec(plan, in, out, &report);
    return rc;
}

void gf_bench_count_energy(const struct gf_bench_entrant *e, struct gf_plan *plan,
                           const struct gf_array *in, struct gf_array *out,
                           struct gf_bench_row *row) {
    enum { LEAST_MS = 1200, SOME_MS = 30 };
    struct gf_energy counter;
    double joules = 0, start = 0, runs = 0;
    int times = (int)fmin(1e6, SOME_MS * 1e-3 / row->time.median) + 1, rc = 0;
    if (plan->job.spend_input)
        rc = gf_fail(GF_EUNSUPP, "each run needs its input anew");
    if (!rc && plan->n_shares)
        rc = gf_fail(GF_EUNSUPP, "only one device's is counted");
    if (!rc)
        rc = e->resident ? gf_energy_open_gpu(e->device.name, &counter)
                         : gf_energy_open_cpu(GF_POWERCAP, &counter);
    if (!rc)
        rc = run_some(e, plan, in, out, times); /* clocks rise, and counters step */
    if (!rc)
        rc = gf_energy_read(&counter, &joules);
    for (start = gf_now_ms(); !rc && gf_now_ms() - start < LEAST_MS; runs += times)
        rc = run_some(e, plan, in, out, times);
    double ms = gf_now_ms() - start;
    if (!rc)
        rc = gf_energy_read(&counter, &joules);
    if (rc)
        snprintf(row->energy.why, sizeof row->energy.why, "%s", gf_message());
    else
        row->energy =
            (struct gf_bench_energy){.joules = joules / runs, .seconds = ms * 1e-3 / runs};
}
