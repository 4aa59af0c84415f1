/* gpufft tune SHAPE...: measures plans for several kinds of transforms of each shape. */
#include "cli/commands/tune_plans.h"

#include "cli/bench/bench.h"
#include "cli/environment.h"
#include "cli/log.h"
#include "cli/report.h"

/* Kinds measured by default, and all kinds that have several plans. */
enum {
    USUAL = 1 << GF_BENCH_C2C | 1 << GF_BENCH_R2C | 1 << GF_BENCH_PICTURE,
    CAN = USUAL | 1 << GF_BENCH_C2R | 1 << GF_BENCH_PICTURE_FULL
};
static char *const common[] = {"512^2..4096^2", "1080x1920", "3000x4000", "64^3..512^3"};
enum { COMMON = sizeof common / sizeof *common };

struct tuned {
    const char *device;
    const struct gf_settings *s;
    const struct gf_backend *backend;
    void *context;
    int worst; /* exit code */
};

static const char form[] = "  {transform:-34s} {?plans {?noisy noisy: the expected plan "
                           "stays|{?faster {ms:.4g} ms, {saved:.1f}% less "
                           "than the expected plan|{ms:.4g} ms: of {plans} plans the expected one "
                           "stays}}|not measured: no choice, or no time left}\n";

static int tune_case(void *user, const struct gf_bench_case *c) {
    struct tuned *t = user;
    struct gf_plan *plan = NULL;
    char what[128], shape[GF_SHAPE_TEXT];
    snprintf(what, sizeof what, "%s %s%s",
             gf_shape_mark(c->job.shape, c->job.ndim, c->job.axes, "*", shape),
             gf_bench_kinds[c->kind], c->job.precision == GF_DOUBLE ? " double" : "");
    int rc = gf_backend_plan(t->backend, t->context, &c->job, &plan);
    if (rc) {
        t->worst = gf_log_exit(rc, what);
    } else {
        const struct gf_plan_choice *p = &plan->choice;
        gf_report_print(t->s->json, form,
                        GF_REPORT(GF_KEY("device", t->device), GF_KEY("transform", what),
                                  GF_KEY("plans", p->measured), GF_KEY("ms", p->ms),
                                  GF_KEY("estimate_ms", p->estimate_ms), GF_KEY("noisy", p->noisy),
                                  GF_BOOL(".faster", p->ms < p->estimate_ms),
                                  GF_KEY(".saved", 100 * (1 - p->ms / p->estimate_ms))));
    }
    gf_log_flush_stdout();
    gf_plan_drop(plan);
    return 0;
}

int gf_tune_plans(const struct gf_settings *s, const struct gf_request_device *device,
                  char **operands, int n) {
    struct gf_settings own = *s;
    struct tuned t = {.device = device->name, .s = &own, .backend = device->backend};
    struct gf_shapes sizes = {.n = 0};
    const struct gf_backend_options options = {.environment = gf_environment(),
                                               .device = device->device[0] ? device->device : NULL,
                                               .threads = s->threads,
                                               .plan = GF_PLAN_REMEASURE};
    int rc = gf_backend_usable(gf_environment(), t.backend);
    if (!rc && !t.backend->list)
        return 0;
    if (!own.bench.kinds)
        own.bench.kinds = USUAL;
    if (!rc && own.bench.kinds & ~(unsigned)CAN)
        rc = gf_fail(GF_EUSAGE, "plans of c2c, r2c, c2r and pictures are measured");
    if (!rc)
        rc = gf_bench_sizes(&own, n ? operands : (char **)common, n ? n : COMMON, &sizes);
    if (!rc)
        rc = t.backend->open(t.backend, &options, &t.context);
    if (!rc && !s->json)
        printf("%s plans\n", device->name);
    for (int i = 0; !rc && i < sizes.n; i++)
        rc = gf_bench_each_case(&own, &sizes.shape[i], tune_case, &t);
    const int code = gf_log_exit(rc, device->name);
    if (t.context)
        t.backend->close(t.context);
    gf_shapes_free(&sizes);
    return rc ? code : t.worst;
}
