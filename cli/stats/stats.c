/* gpufft stats: energy, radial spectrum and peaks of pictures, volumes and lines. */
#include "cli/stats/stats.h"

#include "cli/compare/signal.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/plot/plot.h"

/* Analyses samples in memory and prints the result. */
static int look_and_print(struct gf_task *t, const char *name, int64_t page) {
    struct gf_stats st = {.t = t, .name = name, .page = page, .job = &t->op.job};
    bool alike;
    t->op.crew.held = gf_array_bytes(&t->image.px);
    int rc = gf_signal_apply(t, name, page);
    if (rc)
        return rc;
    st.of = *(const struct gf_statistics *)t->op.state;
    st.o = st.of.o;
    st.unit = gf_operand_spacing(&t->op.of, st.o.spacing, &alike);
    st.ring_spacing = st.o.sample;
    if (st.o.psd)
        snprintf(st.density_unit, sizeof st.density_unit,
                 t->image.ndim > 1 ? "unit^2 / (cycle/%s)^%d" : "unit^2 / (cycle/%s)",
                 st.ring_spacing > 0 ? st.unit : "sample", t->image.ndim);
    if (t->targets->n)
        rc = gf_stats_plot(&st, st.o.psd ? st.density_unit : "mean power", NULL);
    if (!rc) {
        gf_stats_print(&st);
        gf_log_verbose("'%s': backend %s (%s)", gf_log_name(name),
                       gf_runner_name(t->op.crew.runner), t->op.crew.runner->why);
    }
    gf_operation_drop(&t->op);
    return rc;
}

/* Called if there is no memory for the samples: fails with the memory that all the work needs. */
static int refuse(struct gf_task *t, const struct gf_image *header, int rc) {
    const struct gf_image failed = t->image;
    struct gf_failure first = {0};
    gf_failure_keep(&first, rc);
    t->image = *header;
    t->op.crew.held = gf_array_bytes(&t->image.px);
    int all = gf_signal_describe(t);
    if (!all)
        all = t->op.kind->expect(&t->op);
    t->image = failed;
    return all == GF_ENOMEM ? all : gf_failure_return(&first);
}

static int stream(struct gf_task *t) {
    const struct gf_image header = t->image;
    const bool pages = gf_signal_by_pages(t);
    int rc = gf_signal_each(t, 0, look_and_print, NULL);
    if (rc == GF_ENOMEM && !pages && !t->image.px.data && t->n_read == 1 && strcmp(t->read[0], "-"))
        rc = refuse(t, &header, rc);
    return rc;
}

static const struct gf_task_hooks hooks = {
    .name = "stats", .prints = true, .prepare = gf_signal_prepare, .stream = stream};

static int run(struct gf_settings *s, char **operands, int n) {
    int rc = gf_signal_open(s, "stats", &s->stats.find);
    if (!rc && s->stats.radial)
        rc = gf_plot_file("--radial", s->stats.radial);
    return rc < 0 ? rc : gf_batch_run(&hooks, s, operands, n);
}

static const char *const colors[] = {"luma", "channels", NULL};

static const struct gf_opt_group stats_group = GF_GROUP(
    "Statistics",
    GF_INTEGER("dims", dims, "2|3", 2, 3,
               "2: take each page of a volume by itself; 3: all as depth"),
    GF_ROWS("peaks", stats.find, gf_statistics_rows),
    GF_TEXT("radial", stats.radial, "FILE",
            "write the radial spectrum as .csv, .json or a plot, .svg or .png; {stem} for several "
            "inputs"),
    GF_ROWS("psd tiles angular band", stats.find, gf_statistics_rows),
    GF_CHOICE("color", stats.channels, "luma|channels", colors,
              "analyse one Rec.709 luma of colour (default), or each channel by itself"),
    GF_NEGATE("clobber", clobber, "refuse to replace an existing file"),
    GF_FLAG("sync", sync, "write each file to its disk before it replaces the old one"));

static const struct gf_opt_group edges_group =
    GF_GROUP("Edges", GF_ROWS("window edges", stats.find, gf_statistics_rows));

static const struct gf_opt_group *const groups[] = {&stats_group, &edges_group, &gf_opts_precision,
                                                    GF_GROUPS_LOOKING};

const struct gf_command gf_command_stats = {
    .name = "stats",
    .operands = "IN...",
    .summary = "energy, radial spectrum or its density, strongest peaks",
    .usual = "peaks radial psd tiles window angular dims json",
    .groups = groups,
    .text = true,
    .examples = "  gpufft stats scene.png\n"
                "  gpufft stats noise.png --peaks=10 --radial=noise.png\n"
                "  gpufft stats scene.png --psd --tiles=128 --radial=density.svg\n"
                "  gpufft stats photos/ --radial='{stem}.csv' --json\n",
    .run = run,
};
