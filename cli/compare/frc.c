/* gpufft frc: Fourier ring and shell correlation of two pictures or volumes, or of one with itself. */
#include <math.h>

#include "cli/command.h"
#include "cli/compare/signal.h"
#include "cli/log.h"
#include "cli/plot/plot.h"
#include "cli/report.h"

struct comparison {
    struct gf_task *t;
    int64_t page; /* -1: all of the file */
    const struct gf_frc *f;
};

/* ---- the report ---- */

static const char form[] =
    "  shape      {shape}{?luma ; luma of colour}{?halves ; halves of one picture}"
    "{?mask ; mask {mask}}\n"
    "{?randomize   random     phases beyond {randomize:.4g} cycles/{per}; the curve is "
    "corrected\n}"
    "  threshold  cycles/{per:-6s}  resolution in {in}\n"
    "{*crossings   {threshold:-10s} {?frequency {frequency:-14.4g} {resolution:.4g}|"
    "{?above the curve stays above it|the curve is never above it}}\n}";

static const char csv[] =
    "frequency,bins,correlation,{?randomize randomized,corrected,}half_bit,sigma_3\n"
    "{*rings {frequency:.9g},{bins},{correlation:.9g},"
    "{?randomize {randomized:.9g},{corrected:.9g},}{half_bit:.9g},{sigma_3:.9g}\n}";

static json_t *report(const void *comparison) {
    const struct comparison *c = comparison;
    const struct gf_settings *s = c->t->s;
    const struct gf_frc_options *find = &c->f->o;
    json_t *o =
        GF_ADD(gf_signal_report(c->t, c->t->read[0], c->page),
               GF_KEY_IF(s->other.with, "with", s->other.with),
               GF_KEY("shape", gf_json_shape(c->t->image.px.shape, c->t->image.ndim)),
               GF_BOOL("luma", s->other.about.color == GF_RGB || c->t->image.color == GF_RGB),
               GF_BOOL("halves", !s->other.with), GF_KEY_IF(find->mask, "mask", find->mask),
               GF_KEY_IF(find->random > 0, "randomize", find->random / find->sample),
               GF_KEY_IF(find->unit, "unit", find->unit));
    return GF_ADD(gf_report_where(c->t, gf_signal_facts(c->t, o)), GF_BOOL("ok", true),
                  GF_KEY(".in", find->unit ? find->unit : "samples"),
                  GF_KEY(".per", find->unit ? find->unit : "sample"));
}

/* The curve's value at a frequency. */
static double value_at(const struct comparison *c, double f) {
    const double *x = c->f->curve[GF_FRC_FREQUENCY], *y = c->f->curve[GF_FRC_CORRECTED];
    int64_t i = 1;
    while (i + 1 < c->f->n && x[i] < f)
        i++;
    return y[i - 1] + (y[i] - y[i - 1]) * (f - x[i - 1]) / (x[i] - x[i - 1]);
}

static const char *last_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int write_file(const struct comparison *c) {
    const struct gf_settings *s = c->t->s;
    const int n = c->f->o.n_thresholds, further = c->f->o.random > 0 ? 2 : 0;
    struct gf_plot_curve curve[GF_FRC_CURVES + GF_FRC_MOST];
    double at[GF_FRC_MOST][2];
    char label[32], title[256];
    struct gf_plot plot = {title, label, "correlation", .linear_x = true, .linear_y = true};
    plot.curve = curve;
    snprintf(title, sizeof title, s->other.with ? "%.100s and %.100s" : "%.100s",
             gf_log_name(last_of(c->t->name)), s->other.with ? last_of(s->other.with) : "");
    snprintf(label, sizeof label, "cycles/%s", c->f->o.unit ? c->f->o.unit : "sample");
    for (int k = 0; k < n; k++) { /* the dots come first, which puts them on top */
        at[k][0] = c->f->crossing[k];
        if (isnan(at[k][0]))
            continue;
        at[k][1] = value_at(c, at[k][0]);
        curve[plot.n++] = (struct gf_plot_curve){NULL, &at[k][0], &at[k][1], 1, k + 1};
    }
    for (int k = 0; k < 1 + n + further; k++) {
        const int which = k == 0   ? GF_FRC_CORRELATION
                          : k <= n ? GF_FRC_THRESHOLDS + k - 1
                                   : GF_FRC_CORRECTED + k - n - 1;
        const char *name = k == 0                      ? "correlation"
                           : k <= n                    ? c->f->o.name[k - 1]
                           : which == GF_FRC_CORRECTED ? "corrected"
                                                       : "randomized";
        curve[plot.n++] =
            (struct gf_plot_curve){name, *c->f->curve + 1, c->f->curve[which] + 1, c->f->n - 1, k};
    }
    return gf_signal_save(c->t, c->page, &plot, csv, report, c);
}

/* Notes that the distances of the samples differ from axis to axis. */
static void note_units(const struct gf_task *t) {
    const struct gf_image *image = &t->image;
    double spacing[GF_MAX_DIMS];
    bool alike;
    if (gf_signal_spacing(image, image->ndim, spacing, &alike) && !alike)
        gf_log_note("'%s': the distance of its samples differs from axis to axis; a ring holds one "
                    "frequency in cycles per sample, and the resolution is in samples",
                    gf_log_name(t->read[0]));
}

static int visit(struct gf_task *t, const char *name, int64_t page) {
    if (page <= 0)
        note_units(t);
    int rc = gf_signal_apply(t, name, page);
    const struct comparison c = {t, page, t->op.state};
    if (!rc && t->targets->n)
        rc = write_file(&c);
    if (!rc)
        gf_signal_print(t, name, form, report(&c));
    gf_operation_drop(&t->op);
    return rc;
}

/* ---- the command ---- */

static int stream(struct gf_task *t) {
    return gf_signal_stream(t, visit);
}

static const struct gf_task_hooks hooks = {
    .name = "frc", .prints = true, .prepare = gf_signal_prepare, .stream = stream};

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_frc_options *o = &s->frc.find;
    int rc = s->frc.curve ? gf_plot_file("--out", s->frc.curve) : 0;
    if (rc >= 0)
        rc = gf_operation_frc.options.check(o);
    if (rc < 0)
        return rc;
    s->other.with = n > 1 ? operands[--n] : NULL;
    return gf_signal_run(&hooks, s, &o->signal, o->soft ? NULL : o->mask, operands, n);
}

static const struct gf_opt_group frc_group = GF_GROUP(
    "Correlation", GF_ROWS("mask randomize threshold", frc.find, gf_frc_rows),
    GF_INTEGER("dims", dims, "2|3", 2, 3,
               "2: compare each page of a volume by itself; 3: all as depth"),
    GF_TEXT("out", frc.curve, "FILE",
            "write the curve as .csv, .json or a plot, .svg or .png; {stem} for several inputs",
            .letter = 'o'),
    GF_NEGATE("clobber", clobber, "refuse to replace an existing file"),
    GF_FLAG("sync", sync, "write each file to its disk before it replaces the old one"));

static const struct gf_opt_group *const groups[] = {&frc_group, &gf_opts_precision_double,
                                                    GF_GROUPS_LOOKING};

const struct gf_command gf_command_frc = {
    .name = "frc",
    .operands = "IN... [OTHER]",
    .summary = "ring or shell correlation of two pictures, and the resolution",
    .usual = "out mask threshold randomize pixel dims json",
    .groups = groups,
    .text = true,
    .examples = "  gpufft frc first.tif second.tif\n"
                "  gpufft frc half1.mrc half2.mrc --mask=soft --randomize=0.1 --out=fsc.svg\n"
                "  gpufft frc micrograph.png --json\n",
    .run = run,
};
