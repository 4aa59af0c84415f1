/* gpufft frc: Fourier ring and shell correlation of two pictures or volumes, or of one with itself. */

#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/command.h"
#include "cli/compare/signal.h"
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "cli/plot/plot.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/base/host/memory.h"

/* The other side of every comparison of a run. */
struct gf_correlating {
    struct gf_array other; /* no data: halves of each input are compared */
    struct gf_array mask;  /* a file's, or no data */
    bool soft;
    struct gf_signal_about about; /* other */
    double radius;                /* of a soft mask in samples; 0: by the extents */
};

/* The curves of a comparison, each of n rings, and their names. */
enum { FREQUENCY, CORRELATION, CORRECTED, RANDOMIZED, THRESHOLDS, MOST = THRESHOLDS + GF_FRC_MOST };

struct comparison {
    struct gf_task *t;
    const struct gf_correlating *of;
    int64_t page; /* -1: all of the file */
    struct gf_array whole, soft, px[2];
    struct gf_array mask;    /* a view on the pair's grid, or no data */
    double samples, space;   /* a sample of the pair in those of the file; one of these in units */
    double beyond;           /* --randomize, in cycles a sample of the file; 0: unset */
    const char *unit;        /* NULL: unknown */
    int64_t n;               /* rings up to half a cycle a sample */
    struct gf_ring *ring[2]; /* of the samples, and of random phases */
    double *curve;           /* MOST times n */
};

/* True if --randomize was given. */
static bool randomizes(const struct comparison *c) {
    return c->beyond > 0;
}

static struct gf_frc_threshold threshold(const struct comparison *c, int k) {
    return c->t->s->frc.threshold[k].is;
}

/* ---- the pair ---- */

/* Every second sample along each axis, from the first or the second one on. */
static struct gf_array thinned(const struct gf_array *a, int first) {
    struct gf_array view = *a;
    view.base = NULL;
    for (int i = 0; i < a->rank; i++) {
        view.data = (char *)view.data + first * view.stride[i];
        view.shape[i] /= 2;
        view.stride[i] *= 2;
    }
    return view;
}

/* Sets c->mask on the grid of the whole picture. */
static int make_mask(struct comparison *c) {
    const struct gf_array *px = &c->whole;
    c->mask = c->of->mask;
    if (!c->of->soft)
        return c->mask.data ? gf_signal_same_shape(&c->mask, px, "the picture") : 0;
    int64_t least = INT64_MAX;
    for (int i = 0; i < px->rank; i++)
        least = px->shape[i] > 1 ? gf_min(least, px->shape[i]) : least;
    const double edge = 0.1 * (double)least;
    int rc = gf_array_alloc(&c->soft, px->dtype, px->rank, px->shape);
    if (!rc)
        gf_frc_soft_mask(c->of->radius > 0 ? c->of->radius : 4 * edge, edge, &c->soft);
    c->mask = c->soft;
    return rc;
}

/* Copies the two pictures or, of one, the halves on the diagonals of squares of four samples (Koho,
 * Tortarolo, Castello and others 2019, "Fourier ring correlation simplifies image restoration in
 * fluorescence microscopy"). */
static int make_pair(struct comparison *c) {
    struct gf_array from[2] = {c->whole, c->of->other};
    const struct gf_array *b = &from[1];
    if (c->page >= 0 && b->rank == 3 && c->page < b->shape[0])
        from[1] = gf_array_index(b, 0, c->page);
    int rc = make_mask(c);
    if (!rc && b->data)
        rc = gf_signal_same_shape(&c->whole, b, "the other");
    if (!c->of->other.data) {
        c->samples = 2;
        from[0] = thinned(&c->whole, 0);
        from[1] = thinned(&c->whole, 1);
        c->mask = c->mask.data ? thinned(&c->mask, 0) : c->mask;
        if (!gf_array_count(b))
            return gf_fail(GF_EINVAL, "an axis of one sample has no halves to compare");
    }
    for (int i = 0; i < 2 && !rc; i++) {
        rc = gf_array_alloc(&c->px[i], from[i].dtype, from[i].rank, from[i].shape);
        if (!rc)
            gf_array_copy(&c->px[i], &from[i]);
    }
    return rc;
}

/* ---- rings ---- */

/* Bytes of all arrays: the input, the signals, and for each of the pair its part, its spectrum and, with
 * --randomize, a turned copy of one. Adds the workspace if `transforms`. */
static int64_t held(const struct gf_task *t, bool transforms) {
    const struct gf_correlating *of = t->s->frc.prepared;
    const struct gf_image image = gf_signal_visited(t);
    const int64_t signal = gf_signal_bytes(t->s, &image),
                  n = gf_shape_count(image.px.shape, image.ndim);
    const bool is_double = signal / n == sizeof(double);
    int64_t part[GF_MAX_DIMS];
    for (int i = 0; i < image.ndim; i++)
        part[i] = of->other.data ? image.px.shape[i] : gf_max(1, image.px.shape[i] / 2);
    const int64_t bytes = gf_shape_count(part, image.ndim) * (signal / n);
    return gf_signal_input_bytes(t) + gf_array_bytes(&of->other) + gf_array_bytes(&of->mask) +
           signal * (1 + of->soft) + bytes * (t->s->frc.randomize.value > 0 ? 3 : 2) +
           2 * gf_signal_spectrum_bytes(image.ndim, part, is_double) +
           (transforms ? gf_signal_workspace(&t->op.crew, image.ndim, part, is_double) : 0);
}

static struct gf_crew crew_of(const struct gf_task *t) {
    return (struct gf_crew){t->op.crew.runner, t->op.crew.runner->threads, held(t, false)};
}

/* Transforms picture i behind the mask, which changes it, or a copy with random phases. */
static int transform(struct comparison *c, int i, bool random, struct gf_spectrum *out) {
    struct gf_array turned = {0}, *px = random ? &turned : &c->px[i];
    const struct gf_crew crew = crew_of(c->t);
    int rc = random ? gf_signal_forward(&crew, &c->px[i], out) : 0;
    if (!rc && random) {
        gf_frc_turn(out, NULL, c->beyond * c->samples, (uint64_t)i + 1);
        rc = gf_signal_inverse(&crew, out, &turned);
        gf_array_free(&out->px);
    }
    if (!rc && c->mask.data)
        rc = gf_frc_apply_mask(px, &c->mask);
    if (!rc)
        rc = gf_signal_forward(&crew, px, out);
    gf_array_free(&turned);
    return rc;
}

static int make_rings(struct comparison *c, bool random) {
    static const double shift[GF_MAX_DIMS] = {0.5, 0.5, 0.5};
    struct gf_spectrum of[2] = {{0}, {0}};
    int rc = transform(c, 0, random, &of[0]);
    if (!rc)
        rc = transform(c, 1, random, &of[1]);
    if (!rc) {
        if (c->samples > 1) /* the second half begins half a sample later */
            gf_frc_turn(&of[1], shift, 0, 0);
        c->ring[random] = calloc((size_t)gf_spectrum_ring_count(&of[0]), sizeof *c->ring[random]);
        rc = c->ring[random] ? gf_spectrum_cross_rings(&of[0], &of[1], c->ring[random])
                             : gf_no_memory();
    }
    gf_array_free(&of[0].px);
    gf_array_free(&of[1].px);
    return rc;
}

static int make_curves(struct comparison *c) {
    int64_t longest = 1;
    for (int i = 0; i < c->px[0].rank; i++)
        longest = gf_max(longest, c->px[0].shape[i]);
    c->n = longest / 2 + 1;
    c->curve = calloc(MOST * (size_t)c->n, sizeof *c->curve);
    int rc = c->curve ? 0 : gf_no_memory();
    if (!rc && randomizes(c)) /* before the mask changes the pair */
        rc = make_rings(c, true);
    if (!rc)
        rc = make_rings(c, false);
    for (int64_t i = 0; i < c->n && !rc; i++) {
        struct gf_ring *r = &c->ring[0][i];
        double *v = c->curve + i;
        r->frequency /= c->samples;
        v[FREQUENCY * c->n] = r->frequency / c->space;
        v[CORRELATION * c->n] = v[CORRECTED * c->n] = gf_frc_correlation(r);
        if (randomizes(c))
            v[RANDOMIZED * c->n] = gf_frc_correlation(&c->ring[1][i]);
        if (randomizes(c) && r->frequency > c->beyond)
            v[CORRECTED * c->n] = gf_frc_corrected(v[CORRELATION * c->n], v[RANDOMIZED * c->n]);
        for (int k = 0; k < c->t->s->frc.n_thresholds; k++)
            v[(THRESHOLDS + k) * c->n] = fmin(gf_frc_threshold(threshold(c, k), r->bins), 1);
    }
    return rc;
}

/* ---- the report ---- */

static json_t *rings_report(const struct comparison *c) {
    static const struct gf_frc_threshold half_bit = {GF_FRC_HALF_BIT, 0},
                                         sigma_3 = {GF_FRC_3_SIGMA, 0};
    json_t *list = json_array();
    for (int64_t i = 0; i < c->n; i++) {
        const double *v = c->curve + i;
        const int64_t bins = c->ring[0][i].bins;
        GF_APPEND(list, GF_KEY("frequency", v[FREQUENCY * c->n]), GF_KEY("bins", bins),
                  GF_KEY("correlation", v[CORRELATION * c->n]),
                  GF_KEY_IF(randomizes(c), "randomized", v[RANDOMIZED * c->n]),
                  GF_KEY_IF(randomizes(c), "corrected", v[CORRECTED * c->n]),
                  GF_KEY("half_bit", gf_frc_threshold(half_bit, bins)),
                  GF_KEY("sigma_3", gf_frc_threshold(sigma_3, bins)));
    }
    return list;
}

/* The frequency at which the curve falls below threshold k, in cycles per unit. */
static double crossing(const struct comparison *c, int k) {
    return gf_frc_crossing(threshold(c, k), c->ring[0], c->curve + CORRECTED * c->n, c->n) /
           c->space;
}

static json_t *crossings_report(const struct comparison *c) {
    json_t *list = json_array();
    for (int k = 0; k < c->t->s->frc.n_thresholds; k++) {
        const double f = crossing(c, k);
        const bool crosses = f > 0 && f < INFINITY;
        GF_APPEND(
            list, GF_KEY("threshold", c->t->s->frc.threshold[k].name),
            GF_KEY_OR_NULL(crosses, "frequency", f), GF_KEY_OR_NULL(crosses, "resolution", 1 / f),
            GF_KEY(".why", f > 0 ? "the curve stays above it" : "the curve is never above it"));
    }
    return list;
}

static const char form[] =
    "  shape      {shape}{?luma ; luma of colour}{?halves ; halves of one picture}"
    "{?mask ; mask {mask}}\n"
    "{?randomize   random     phases beyond {randomize:.4g} cycles/{per}; the curve is "
    "corrected\n}"
    "  threshold  cycles/{per:-6s}  resolution in {in}\n"
    "{*crossings   {threshold:-10s} {?frequency {frequency:-14.4g} {resolution:.4g}|{why}}\n}";

static const char csv[] =
    "frequency,bins,correlation,{?randomize randomized,corrected,}half_bit,sigma_3\n"
    "{*rings {frequency:.9g},{bins},{correlation:.9g},"
    "{?randomize {randomized:.9g},{corrected:.9g},}{half_bit:.9g},{sigma_3:.9g}\n}";

static json_t *report(const void *comparison) {
    const struct comparison *c = comparison;
    const struct gf_settings *s = c->t->s;
    return GF_ADD(
        gf_signal_report(c->t, c->t->read[0], c->page), GF_KEY_IF(s->frc.with, "with", s->frc.with),
        GF_KEY("shape", gf_json_shape(c->whole.shape, c->whole.rank)),
        GF_BOOL("luma", c->of->about.luma || c->t->image.color == GF_RGB),
        GF_BOOL("halves", !s->frc.with), GF_KEY_IF(s->frc.mask, "mask", s->frc.mask),
        GF_KEY_IF(randomizes(c), "randomize", c->beyond / c->space),
        GF_KEY_IF(c->unit, "unit", c->unit), GF_KEY("crossings", crossings_report(c)),
        GF_KEY("rings", rings_report(c)), GF_KEY("backend", gf_runner_name(c->t->op.crew.runner)),
        GF_BOOL("ok", true), GF_KEY(".in", c->unit ? c->unit : "samples"),
        GF_KEY(".per", c->unit ? c->unit : "sample"));
}

/* The curve's value at a frequency. */
static double value_at(const struct comparison *c, double f) {
    const double *x = c->curve + FREQUENCY * c->n, *y = c->curve + CORRECTED * c->n;
    int64_t i = 1;
    while (i + 1 < c->n && x[i] < f)
        i++;
    return y[i - 1] + (y[i] - y[i - 1]) * (f - x[i - 1]) / (x[i] - x[i - 1]);
}

static const char *last_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int write_file(const struct comparison *c) {
    const struct gf_settings *s = c->t->s;
    const int n = s->frc.n_thresholds, further = randomizes(c) ? 2 : 0;
    struct gf_plot_curve curve[MOST + GF_FRC_MOST];
    double at[GF_FRC_MOST][2];
    char label[32], title[256];
    struct gf_plot plot = {title, label, "correlation", .linear_x = true, .linear_y = true};
    plot.curve = curve;
    snprintf(title, sizeof title, s->frc.with ? "%.100s and %.100s" : "%.100s",
             gf_log_name(last_of(c->t->name)), s->frc.with ? last_of(s->frc.with) : "");
    snprintf(label, sizeof label, "cycles/%s", c->unit ? c->unit : "sample");
    for (int k = 0; k < n; k++) { /* the dots come first, which puts them on top */
        at[k][0] = crossing(c, k);
        if (!(at[k][0] > 0 && at[k][0] < INFINITY))
            continue;
        at[k][1] = value_at(c, at[k][0]);
        curve[plot.n++] = (struct gf_plot_curve){NULL, &at[k][0], &at[k][1], 1, k + 1};
    }
    for (int k = 0; k < 1 + n + further; k++) {
        const int which = k == 0   ? CORRELATION
                          : k <= n ? THRESHOLDS + k - 1
                                   : CORRECTED + k - n - 1;
        const char *name = k == 0               ? "correlation"
                           : k <= n             ? s->frc.threshold[k - 1].name
                           : which == CORRECTED ? "corrected"
                                                : "randomized";
        curve[plot.n++] =
            (struct gf_plot_curve){name, c->curve + 1, c->curve + which * c->n + 1, c->n - 1, k};
    }
    return gf_signal_save(c->t, c->page, &plot, csv, report, c);
}

/* Sets the unit and c->beyond; notes that the distances of the samples differ. */
static int take_units(struct comparison *c) {
    const struct gf_settings *s = c->t->s;
    const struct gf_radius *r = &s->frc.randomize;
    const struct gf_image *image = &c->t->image;
    double spacing[GF_MAX_DIMS];
    bool alike, same = true;
    char kind = 0, own = 0;
    const char *unit = gf_signal_spacing(image, image->ndim, spacing, &alike);
    c->unit = alike ? unit : NULL;
    c->space = alike ? spacing[0] : 1;
    if (unit && !alike && c->page <= 0)
        gf_log_note("'%s': the distance of its samples differs from axis to axis; a ring holds one "
                    "frequency in cycles per sample, and the resolution is in samples",
                    gf_log_name(c->t->read[0]));
    for (int i = 1; i <= image->ndim && i <= c->of->other.rank && !s->pixel.n; i++) {
        const int k = c->of->other.rank - i;
        const double a = gf_image_spacing(image, image->ndim - i, &kind),
                     b = c->of->about.spacing[k];
        same = same &&
               (!(a > 0 && b > 0) || (kind == c->of->about.kind[k] && fabs(a - b) <= 1e-4 * b));
    }
    if (!same && c->page <= 0)
        gf_log_note(
            "'%s': its samples are not as far apart as those of '%s'; they are compared one "
            "by one, and the resolution is by the first",
            gf_log_name(c->t->read[0]), s->frc.with);
    const double metres = gf_unit_value(r->name, &kind);
    const double sample = c->unit ? c->space * gf_unit_value(c->unit, &own) : 0;
    c->beyond = r->unit == GF_NYQUIST      ? r->value / 200
                : r->unit < GF_PERIOD      ? r->value
                : own != kind              ? 0
                : r->unit == GF_PER_LENGTH ? r->value / metres * sample
                                           : sample / (r->value * metres);
    if (r->unit >= GF_PERIOD && !(c->beyond > 0))
        return gf_fail(
            GF_EINVAL,
            "--randomize=%.60s: its samples have no distance of that kind that is the same "
            "along all axes; give --pixel=LENGTH, or cycles a sample",
            s->frc.randomize_text);
    return c->beyond <= 0.5
               ? 0
               : gf_fail(GF_EINVAL, "--randomize=%.60s: it is up to 0.5 cycles a sample",
                         s->frc.randomize_text);
}

static int visit(struct gf_task *t, const char *name, int64_t page) {
    struct comparison c = {.t = t, .of = t->s->frc.prepared, .page = page, .samples = 1};
    gf_progress_show("transforming", gf_log_name(name));
    int rc = take_units(&c);
    if (!rc)
        rc = gf_signal_make(t->s, &t->image, &c.whole);
    if (!rc)
        rc = make_pair(&c);
    if (!rc)
        rc = make_curves(&c);
    if (!rc && t->targets->n)
        rc = write_file(&c);
    if (!rc)
        gf_signal_print(t, name, form, report(&c));
    free(c.ring[0]);
    free(c.ring[1]);
    free(c.curve);
    struct gf_array *const all[] = {&c.whole, &c.soft, &c.px[0], &c.px[1]};
    for (int i = 0; i < 4; i++)
        gf_array_free(all[i]);
    return rc;
}

/* ---- the command ---- */

static int stream(struct gf_task *t) {
    return gf_signal_each(t, held(t, true), visit, NULL);
}

static const struct gf_task_hooks hooks = {
    .name = "frc", .prints = true, .prepare = gf_signal_prepare, .stream = stream};

static int load(struct gf_settings *s, struct gf_correlating *c) {
    const char *mask = s->frc.mask;
    char end;
    c->soft = mask && (!strcmp(mask, "soft") ||
                       (sscanf(mask, "soft:%lf%c", &c->radius, &end) == 1 && c->radius > 0));
    int rc = s->frc.with
                 ? gf_signal_load(s, s->frc.with, GF_SIGNAL_OTHER, &c->other, &c->about, NULL)
                 : 0;
    if (!rc && mask && !c->soft)
        rc = gf_signal_load(s, mask, GF_SIGNAL_WEIGHTS, &c->mask, NULL, NULL);
    return rc;
}

static int parse_thresholds(const struct gf_opt *o, const char *value, void *field) {
    struct gf_settings *s = field;
    for (s->frc.n_thresholds = 0; *value; value += strcspn(value, ",")) {
        value += *value == ',';
        char *end;
        const int k = s->frc.n_thresholds++, n = (int)strcspn(value, ",");
        const bool half_bit = n == 8 && !strncmp(value, "half-bit", 8);
        const bool sigma = n == 7 && !strncmp(value, "3-sigma", 7);
        const double v = strtod(value, &end);
        if (k == GF_FRC_MOST || n >= 12 ||
            (!half_bit && !sigma && (end != value + n || !(v > 0 && v < 1))))
            return gf_opt_refuse(o, value,
                                 "it lists up to six of half-bit, 3-sigma and numbers "
                                 "between 0 and 1");
        s->frc.threshold[k].is = (struct gf_frc_threshold){half_bit ? GF_FRC_HALF_BIT
                                                           : sigma  ? GF_FRC_3_SIGMA
                                                                    : GF_FRC_CONSTANT,
                                                           v};
        snprintf(s->frc.threshold[k].name, sizeof s->frc.threshold[k].name, "%.*s", n,
                 sigma ? "3 sigma" : value);
    }
    return s->frc.n_thresholds ? 0 : gf_opt_refuse(o, "", "it is a list");
}

static int parse_random(const struct gf_opt *o, const char *value, void *field) {
    struct gf_settings *s = field;
    struct gf_radius *r = &s->frc.randomize;
    s->frc.randomize_text = value;
    if (!gf_radius_parse(value, r) || !(r->value > 0))
        return gf_opt_refuse(o, value, "it is above 0: cycles a sample, or 30A, 0.03/A");
    const double most = r->unit == GF_NYQUIST ? 100 : r->unit < GF_PERIOD ? 0.5 : HUGE_VAL;
    return r->value <= most ? 0 : gf_opt_refuse(o, value, "it is up to 0.5 cycles a sample");
}

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_correlating correlating = {0};
    int rc = s->frc.curve ? gf_plot_file("--out", s->frc.curve) : 0;
    if (rc >= 0 && !s->frc.n_thresholds)
        rc = parse_thresholds(NULL, "0.5,0.143,half-bit,3-sigma", s);
    if (rc < 0)
        return rc;
    s->frc.with = n > 1 ? operands[--n] : NULL;
    s->frc.prepared = &correlating;
    if (s->precision == GF_UNSET)
        s->precision = GF_DOUBLE;
    rc = load(s, &correlating);
    const int code = rc ? gf_exit_code(rc) : gf_batch_run(&hooks, s, operands, n);
    gf_array_free(&correlating.other);
    gf_array_free(&correlating.mask);
    return code;
}

static const struct gf_opt_group frc_group = GF_GROUP(
    "Correlation",
    GF_TEXT(
        "mask", frc.mask, "soft[:R]|FILE",
        "weights of the samples: a disc or ball of radius R with a soft edge, or a picture whose "
        "black is left out"),
    GF_PARSED("randomize", 0, "F", parse_random,
              "make phases beyond F random (0.1 cycles a sample, 30A or 0.03/A), and correct the "
              "curve by what still correlates"),
    GF_PARSED("threshold", 0, "LIST", parse_thresholds,
              "where the curve's crossings are reported (default: 0.5,0.143,half-bit,3-sigma)"),
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
