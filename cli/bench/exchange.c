/* Times the exchange of a volume and compares it with its lower bounds: copying the sent bytes in
 * memory, and the link. */
#include "cli/bench/bench.h"

#include "cli/batch/ranks.h"
#include "cli/log.h"
#include "cli/report.h"
#include "core/base/memory.h"
#include "core/mpi/exchange.h"
#include "formats/io/keeper.h"

static const double usual_seconds = 0.5;

static json_t *report(const struct gf_settings *s, const char *shape, const struct gf_ranks *ranks,
                      const struct gf_exchange_times *e) {
    const double sent = (double)e->bytes_sent;
    return GF_REPORT(GF_KEY("kind", "exchange"), GF_KEY("shape", shape),
                     GF_KEY("mpi", ranks->transport->library), GF_KEY("ranks", ranks->size),
                     GF_KEY("bytes_sent", e->bytes_sent), GF_KEY("runs", e->runs),
                     GF_KEY("median_ms", e->median * 1e3), GF_KEY("least_ms", e->least * 1e3),
                     GF_KEY("copy_ms", e->copy * 1e3), GF_KEY(".gb_s", sent / e->median * 1e-9),
                     GF_KEY(".copies", e->least / e->copy), GF_KEY(".link", s->link),
                     GF_KEY_IF(s->link > 0, "link_ms", sent / s->link * 1e-6),
                     GF_KEY_IF(s->link > 0, ".links", e->least * s->link * 1e9 / sent));
}

static const char form[] =
    "{shape} complex, {ranks} processes of {mpi}\n"
    "  sent      {bytes_sent:B} by each\n"
    "  exchange  {median_ms:.4g} ms, the least {least_ms:.4g} ms, {gb_s:.3g} GB/s from each, "
    "{runs} runs\n"
    "  copy      {copy_ms:.4g} ms: the exchange takes at least {copies:.2f} times what a memory "
    "copy does\n"
    "{?link_ms   link      {link_ms:.4g} ms at {link:.3g} GB/s: the exchange takes at least "
    "{links:.2f} times that\n}";

static int measure(const struct gf_settings *s, const struct gf_extents *shape,
                   struct gf_ranks *ranks) {
    const bool is_double = s->bench.precisions == 1u << GF_DOUBLE;
    const enum gf_dtype type = is_double ? GF_C128 : GF_C64;
    struct gf_exchange_times e;
    char text[GF_SHAPE_TEXT];
    struct gf_job job = {.ndim = shape->n,
                         .channels = 1,
                         .axes = (1u << shape->n) - 1,
                         .in_dtype = type,
                         .precision = is_double ? GF_DOUBLE : GF_SINGLE,
                         .n_out = 1,
                         .out = {{.kind = GF_COMPLEX, .dtype = type}}};
    for (int i = 0; i < shape->n; i++)
        job.shape[i] = shape->extent[i];
    int rc = gf_exchange_measure(ranks, &job, s->max_memory ? s->max_memory : gf_memory_available(),
                                 s->bench.seconds > 0 ? s->bench.seconds : usual_seconds,
                                 s->bench.repeat, &e);
    if (!rc && ranks->rank == 0)
        gf_report_print(s->json, form,
                        report(s, gf_shape_text(shape->extent, shape->n, text), ranks, &e));
    return rc;
}

static int run(const struct gf_settings *s, const struct gf_shapes *shapes,
               struct gf_ranks *ranks) {
    int rc = 0;
    for (int i = 0; i < shapes->n && !rc; i++)
        rc = measure(s, &shapes->shape[i], ranks);
    gf_log_mute(ranks->rank != (rc ? ranks->speaker : 0));
    return rc;
}

int gf_bench_exchange(const struct gf_settings *s, char *const *operands, int n) {
    const struct gf_launcher launcher = gf_environment_launcher();
    struct gf_shapes shapes = {0};
    struct gf_ranks ranks = {.transport = NULL};
    struct gf_settings all = *s;
    const struct gf_targets none = {.n = 0};
    const struct gf_rank_work work = {&all, "bench", &none, operands, n};
    bool joined;
    int rc = launcher.size > 1 ? 0
                               : gf_fail(GF_EUSAGE, "--kind=exchange measures the processes that "
                                                    "mpirun or srun started");
    all.mpi = GF_MPI_ON;
    for (int i = 0; i < n && !rc; i++)
        rc = gf_shapes_add(&shapes, operands[i], (enum gf_step)s->step);
    if (!rc && !n)
        rc = gf_shapes_add(&shapes, "256^3", GF_STEP_DOUBLE);
    if (!rc)
        rc = gf_ranks_join(&launcher, &work, &ranks, &joined);
    if (!rc)
        rc = run(s, &shapes, &ranks);
    /* the others wait, since the launcher kills all processes when one exits with an error */
    if (rc)
        gf_log_error("bench: %s", gf_message());
    gf_keeper_stop();
    if (ranks.broken)
        ranks.transport->abandon(gf_exit_code(rc));
    gf_ranks_close(&ranks);
    gf_shapes_free(&shapes);
    return gf_exit_code(rc);
}
