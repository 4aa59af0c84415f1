/* gpufft match: finds a template in pictures by normalised cross-correlation. */
#include "cli/command.h"
#include "cli/compare/signal.h"
#include "cli/filter/filtering.h"
#include "cli/report.h"
#include "core/base/value/sample_value.h"

/* ---- the report ---- */

static const char form[] =
    "  shape      {shape}, template {template}{?weighted , masked}{?luma ; luma of colour}\n"
    "{?peaks   matches\n    corner {axes:-15s}  centre                  score\n"
    "{*peaks     {corner:-23.2f} {centre:-23.2f} {score:.4f}\n}|"
    "{?seeks   matches    none of a score from {least:.3g} on{?best ; the best is {best:.4f}}\n}}";

static void print(const struct gf_task *t, const char *name, int64_t page) {
    static const char *const axes[] = {"x", "x,y", "x,y,z"};
    const struct gf_signals *of = t->op.shared;
    const struct gf_match *m = &of->match;
    json_t *o = GF_ADD(
        gf_signal_report(t, t->read[0], page),
        GF_KEY("shape", gf_json_shape(t->image.px.shape, m->ndim)),
        GF_KEY("template", gf_json_shape(m->shape, m->ndim)), GF_BOOL("weighted", of->with[1].data),
        GF_BOOL("luma", t->s->other.about.color == GF_RGB || t->image.color == GF_RGB),
        GF_KEY("precision", t->s->precision == GF_DOUBLE ? "double" : "single"));
    gf_report_where(t, o);
    gf_signal_print(t, name, form,
                    GF_ADD(gf_signal_facts(t, o), GF_BOOL("ok", true),
                           GF_KEY(".axes", axes[m->ndim - 1]),
                           GF_KEY(".least", t->s->match.find.least),
                           GF_BOOL(".seeks", t->s->match.find.peaks != 0)));
}

/* Puts the scores into the map that is written; integers show 0 to 1 as black to white. */
static void store(const struct gf_task *t, int64_t page) {
    const struct gf_array *map = &t->op.in;
    struct gf_array to = t->product[0].image.px;
    if (page >= 0)
        to = gf_array_index(&to, 0, page);
    const double white = gf_filter_white(to.dtype, t->product[0].image.white);
    for (int64_t i = 0; i < gf_array_count(map) && white != 1; i++) {
        char *v = gf_array_at(map, i);
        gf_sample_put(v, map->dtype, white * gf_sample_get(v, map->dtype));
    }
    gf_samples_convert(&to, map);
}

static int visit(struct gf_task *t, const char *name, int64_t page) {
    const int rc = gf_signal_apply(t, name, page);
    if (!rc)
        print(t, name, page);
    if (!rc && t->targets->n)
        store(t, page);
    gf_operation_drop(&t->op);
    return rc;
}

/* ---- the task ---- */

/* Describes the map of scores, of all pages. */
static int describe_map(struct gf_task *t) {
    struct gf_product *p = &t->product[0];
    const int pages = gf_signal_by_pages(t), ndim = t->image.ndim;
    enum gf_dtype dtype;
    int rc = gf_target_dtype(t->s, p->target, p->kind, p->format, GF_SINGLE, &dtype);
    p->shape[0] = t->image.px.shape[0];
    memcpy(p->shape + pages, t->op.job.shape, (size_t)t->op.job.ndim * sizeof *p->shape);
    p->shape[ndim] = 1;
    p->image.ndim = ndim;
    p->image.color = GF_GRAY;
    if (!rc)
        p->image.px = gf_array_wrap(NULL, dtype, ndim + 1, p->shape);
    return rc ? rc : gf_product_accepts(p);
}

static int prepare(struct gf_task *t) {
    const int rc = gf_signal_prepare(t);
    return rc || !t->targets->n ? rc : describe_map(t);
}

static int stream(struct gf_task *t) {
    return gf_signal_stream(t, visit);
}

static const struct gf_task_hooks hooks = {.name = "match",
                                           .default_kind = GF_REAL,
                                           .label = "match",
                                           .prints = true,
                                           .prepare = prepare,
                                           .stream = stream};

static int run(struct gf_settings *s, char **operands, int n) {
    if (n < 2)
        return gf_fail(GF_EUSAGE, "it takes a picture and a template: gpufft match IN TEMPLATE");
    s->other.with = operands[n - 1];
    return gf_signal_run(&hooks, s, &s->match.find.signal, s->other.mask, operands, n - 1);
}

static const struct gf_opt_group match_group =
    GF_GROUP("Match",
             GF_TEXT("template-mask", other.mask, "FILE",
                     "weights of the template's samples: black is left out, white counts in full"),
             GF_INTEGER("dims", dims, "2|3", 2, 3,
                        "2: search each page of a volume by itself; 3: all as depth"),
             GF_ROWS("peaks least", match.find, gf_match_rows));

static const struct gf_opt_group match_output = GF_GROUP(
    "Output", GF_TEXT("out", out, "MAP",
                      "write the score at every place: floats to .tif or .npy; .png shows 0 to 1 "
                      "as black to white",
                      .letter = 'o'));

static const struct gf_opt_group *const groups[] = {&match_group,
                                                    &match_output,
                                                    &gf_opts_depth_display,
                                                    &gf_opts_files,
                                                    &gf_opts_precision_double,
                                                    GF_GROUPS_LOOKING};

const struct gf_command gf_command_match = {
    .name = "match",
    .operands = "IN... TEMPLATE",
    .summary = "where a template is found, and how well it fits",
    .usual = "out peaks least template-mask dims json",
    .groups = groups,
    .text = true,
    .examples = "  gpufft match scan.png letter.png\n"
                "  gpufft match scan.png letter.png --peaks=100 --least=0.8 --json\n"
                "  gpufft match cells.tif cell.tif --template-mask=disc.png --out=score.tif\n",
    .run = run,
};
