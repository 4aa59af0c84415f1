/* gpufft match: finds a template in pictures by normalised cross-correlation. */
#include "core/compare/match.h"

#include <float.h>
#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/command.h"
#include "cli/compare/signal.h"
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/base/value/factor.h"
#include "core/base/host/memory.h"
#include "core/base/value/sample_value.h"
#include "core/compare/correlate.h"

/* The template of a run. */
struct gf_matching {
    struct gf_match match;
    struct gf_array kernel; /* w (t - mean t) */
    struct gf_array weight; /* w, or no data */
    bool luma;
};

/* One picture's arrays: `in` is padded, and the others have its shape. */
struct search {
    struct gf_task *t;
    const struct gf_matching *of;
    int64_t input; /* bytes */
    double floor;  /* of a window's variance */
    struct gf_array in, correlation, sum, square;
};

/* Logs a failure. */
static int prepare_template(struct gf_settings *s, struct gf_matching *m) {
    const char *mask = s->match.mask;
    struct gf_signal_about about = {0};
    int rc = gf_signal_load(s, s->match.with, GF_SIGNAL_OTHER, &m->kernel, &about, NULL);
    m->luma = about.luma;
    if (!rc && mask)
        rc = gf_signal_load(s, mask, GF_SIGNAL_WEIGHTS, &m->weight, NULL, NULL);
    if (rc)
        return rc;
    if (mask)
        rc = gf_signal_same_shape(&m->weight, &m->kernel, "the template");
    if (!rc)
        rc = gf_match_prepare(&m->kernel, mask ? &m->weight : NULL, &m->match);
    if (rc)
        gf_log_fail(mask ? mask : s->match.with);
    return rc;
}

/* ---- correlation ---- */

/* Bytes of all arrays at the peak: the image, the map that is written, and padded ones. */
static int64_t held(const struct search *s) {
    const int64_t padded = gf_shape_count(s->in.shape, s->in.rank) * (int64_t)sizeof(double);
    return s->input + gf_array_bytes(&s->t->product[0].image.px) +
           padded * (s->of->weight.data ? 6 : 4);
}

/* Begins the search of a picture or page. */
static struct search begin(struct gf_task *t) {
    const struct gf_image image = gf_signal_visited(t);
    struct search s = {.t = t, .of = t->s->match.prepared, .input = gf_signal_input_bytes(t)};
    s.in.rank = image.ndim;
    for (int i = 0; i < s.in.rank; i++)
        s.in.shape[i] = gf_factor_smooth_length(image.px.shape[i]);
    return s;
}

static int transform(struct search *s, const struct gf_array *in, struct gf_spectrum *spectrum) {
    return gf_signal_forward(s->t->op.crew.runner, held(s), in, spectrum);
}

/* Makes `out` of the part, and of zeros to the padded shape. */
static int pad(const struct search *s, const struct gf_array *part, struct gf_array *out) {
    int rc = gf_array_alloc(out, part->dtype, part->rank, s->in.shape);
    if (rc)
        return rc;
    struct gf_array to = *out;
    memset(out->data, 0, (size_t)gf_array_bytes(out));
    for (int i = 0; i < part->rank; i++)
        to = gf_array_slice(&to, i, 0, part->shape[i]);
    gf_array_copy(&to, part);
    return 0;
}

/* Makes `out` the correlation of a part of the template with the samples of which `spectrum` is the
 * transform. */
static int correlate(struct search *s, const struct gf_spectrum *spectrum,
                     const struct gf_array *part, struct gf_array *out) {
    struct gf_array padded = {0};
    struct gf_spectrum own = {0};
    int rc = pad(s, part, &padded);
    if (!rc)
        rc = transform(s, &padded, &own);
    gf_array_free(&padded);
    if (!rc) {
        gf_cross_power(&spectrum->px, &own.px);
        rc = gf_signal_inverse(s->t->op.crew.runner, held(s), &own, out);
    }
    gf_array_free(&own.px);
    return rc;
}

/* Squares s->in, and correlates it with the weights. */
static int weigh_squares(struct search *s) {
    const bool wide = s->in.dtype == GF_F64;
    struct gf_spectrum squares = {0};
    for (int64_t i = 0; i < gf_array_count(&s->in); i++) {
        const double x = gf_real_get(s->in.data, i, wide);
        gf_real_put(s->in.data, i, wide, x * x);
    }
    int rc = transform(s, &s->in, &squares);
    if (!rc)
        rc = correlate(s, &squares, &s->of->weight, &s->square);
    gf_array_free(&squares.px);
    return rc;
}

static int sum_windows(struct search *s) {
    int rc = gf_array_alloc(&s->sum, GF_F64, s->in.rank, s->in.shape);
    if (!rc)
        rc = gf_array_alloc(&s->square, GF_F64, s->in.rank, s->in.shape);
    if (rc)
        return rc;
    gf_samples_convert(&s->sum, &s->in);
    const double *x = s->sum.data;
    for (int64_t i = 0; i < gf_array_count(&s->sum); i++)
        ((double *)s->square.data)[i] = x[i] * x[i];
    gf_match_windows(&s->of->match, &s->sum);
    gf_match_windows(&s->of->match, &s->square);
    return 0;
}

/* Removes the signal's mean and makes s->in and s->floor, below which a window's variance, or its
 * correlation, is rounding. */
static int take_signal(struct search *s, struct gf_array *px) {
    const bool wide = px->dtype == GF_F64;
    const double error = 64 * (wide ? DBL_EPSILON : FLT_EPSILON);
    const int64_t n = gf_array_count(px);
    double sum = 0, squares = 0, fourths = 0;
    for (int64_t i = 0; i < n; i++)
        sum += gf_real_get(px->data, i, wide);
    for (int64_t i = 0; i < n; i++) {
        const double x = gf_real_get(px->data, i, wide) - sum / (double)n;
        gf_real_put(px->data, i, wide, x);
        squares += x * x;
        fourths += x * x * x * x;
    }
    s->floor = fmax(error * error, 64 * DBL_EPSILON) * squares;
    if (s->of->weight.data)
        s->floor += error * sqrt(fourths * s->of->match.count);
    return pad(s, px, &s->in);
}

/* Makes the scores, in s->sum, of which `map` becomes a view. */
static int score(struct search *s, struct gf_array *map) {
    const bool weighted = s->of->weight.data;
    struct gf_spectrum spectrum = {0};
    int rc = transform(s, &s->in, &spectrum);
    if (!rc)
        rc = correlate(s, &spectrum, &s->of->kernel, &s->correlation);
    if (!rc && weighted)
        rc = correlate(s, &spectrum, &s->of->weight, &s->sum);
    gf_array_free(&spectrum.px);
    if (!rc)
        rc = weighted ? weigh_squares(s) : sum_windows(s);
    if (rc)
        return rc;
    gf_match_score(&s->of->match, &s->correlation, &s->square, s->floor, &s->sum);
    *map = s->sum;
    for (int i = 0; i < map->rank; i++)
        *map = gf_array_slice(map, i, 0, s->t->image.px.shape[i] - s->of->match.shape[i] + 1);
    return 0;
}

/* ---- the report ---- */

static json_t *peaks_report(const struct gf_match *m, const struct gf_match_peak *peak, int n) {
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        double centre[GF_MAX_DIMS];
        for (int i = 0; i < m->ndim; i++)
            centre[i] = peak[k].fine[i] + (double)(m->shape[i] - 1) / 2;
        GF_APPEND(list, GF_KEY("at", gf_json_shape(peak[k].at, m->ndim)),
                  GF_KEY("corner", gf_json_reals(peak[k].fine, NULL, m->ndim)),
                  GF_KEY("centre", gf_json_reals(centre, NULL, m->ndim)),
                  GF_KEY("score", peak[k].score));
    }
    return list;
}

static const char form[] =
    "  shape      {shape}, template {template}{?weighted , masked}{?luma ; luma of colour}\n"
    "{?peaks   matches\n    corner {axes:-15s}  centre                  score\n"
    "{*peaks     {corner:-23.2f} {centre:-23.2f} {score:.4f}\n}|"
    "{?seeks   matches    none of a score from {least:.3g} on{?best ; the best is {best:.4f}}\n}}";

static int print(const struct search *s, const char *name, int64_t page,
                 const struct gf_array *map) {
    static const char *const axes[] = {"x", "x,y", "x,y,z"};
    const struct gf_task *t = s->t;
    const struct gf_match *m = &s->of->match;
    const int max = t->s->match.peaks;
    struct gf_match_peak *peak = malloc(((size_t)max + 1) * sizeof *peak);
    int n, none = 0,
           rc = peak ? gf_match_peaks(m, map, t->s->match.least, peak, max, &n) : gf_no_memory();
    if (!rc && !n && max)
        rc = gf_match_peaks(m, map, 0, peak, 1, &none);
    if (!rc)
        gf_signal_print(t, name, form,
                        GF_ADD(gf_signal_report(t, t->read[0], page),
                               GF_KEY("shape", gf_json_shape(t->image.px.shape, m->ndim)),
                               GF_KEY("template", gf_json_shape(m->shape, m->ndim)),
                               GF_BOOL("weighted", s->of->weight.data),
                               GF_BOOL("luma", s->of->luma || t->image.color == GF_RGB),
                               GF_KEY("precision", s->in.dtype == GF_F64 ? "double" : "single"),
                               GF_KEY("backend", gf_runner_name(t->op.crew.runner)),
                               GF_KEY("peaks", peaks_report(m, peak, n)),
                               GF_KEY_IF(none, "best", peak[0].score), GF_BOOL("ok", true),
                               GF_KEY(".axes", axes[m->ndim - 1]),
                               GF_KEY(".least", t->s->match.least), GF_BOOL(".seeks", max != 0)));
    free(peak);
    return rc;
}

/* Puts the scores into the map that is written; integers show 0 to 1 as black to white. */
static void store(const struct gf_task *t, int64_t page, struct gf_array *map) {
    struct gf_array to = t->product[0].image.px;
    if (page >= 0)
        to = gf_array_index(&to, 0, page);
    const double white = gf_filter_mask_white(&t->product[0].image);
    to.rank = map->rank; /* without the one channel */
    for (int64_t i = 0; i < gf_array_count(map) && white != 1; i++) {
        char *v = gf_array_at(map, i);
        gf_sample_put(v, map->dtype, white * gf_sample_get(v, map->dtype));
    }
    gf_samples_convert(&to, map);
}

static int visit(struct gf_task *t, const char *name, int64_t page) {
    struct search s = begin(t);
    struct gf_array px = {0}, map;
    gf_progress_show("transforming", gf_log_name(name));
    int rc = gf_signal_make(t->s, &t->image, &px);
    if (!rc)
        rc = take_signal(&s, &px);
    gf_array_free(&px);
    if (!rc)
        rc = score(&s, &map);
    if (!rc)
        rc = print(&s, name, page, &map);
    if (!rc && t->targets->n)
        store(t, page, &map);
    struct gf_array *const all[] = {&s.in, &s.correlation, &s.sum, &s.square};
    for (int i = 0; i < 4; i++)
        gf_array_free(all[i]);
    return rc;
}

/* ---- the task ---- */

/* Describes the map of scores, of all pages. */
static int describe_map(struct gf_task *t, const struct gf_match *m) {
    struct gf_product *p = &t->product[0];
    const int pages = gf_signal_by_pages(t), ndim = t->image.ndim;
    enum gf_dtype dtype;
    int rc = gf_target_dtype(t->s, p->target, p->kind, p->format, GF_SINGLE, &dtype);
    for (int i = 0; i < ndim; i++)
        p->shape[i] = t->image.px.shape[i] - (i < pages ? 0 : m->shape[i - pages] - 1);
    p->shape[ndim] = 1;
    p->image.ndim = ndim;
    p->image.color = GF_GRAY;
    if (!rc)
        p->image.px = gf_array_wrap(NULL, dtype, ndim + 1, p->shape);
    return rc ? rc : gf_product_accepts(p);
}

static int prepare(struct gf_task *t) {
    const struct gf_match *m = &t->s->match.prepared->match;
    int rc = gf_signal_prepare(t);
    if (rc)
        return rc;
    const int pages = gf_signal_by_pages(t), ndim = t->image.ndim - pages;
    if (m->ndim != ndim)
        return gf_fail(GF_EINVAL, "%d axes, and the template has %d%s", ndim, m->ndim,
                       ndim == 3 ? "; --dims=2 takes a volume page by page" : "");
    for (int i = 0; i < ndim; i++)
        if (m->shape[i] > t->image.px.shape[pages + i])
            return gf_fail(GF_EINVAL, "the template is larger: %lld samples along an axis of %lld",
                           (long long)m->shape[i], (long long)t->image.px.shape[pages + i]);
    return t->targets->n ? describe_map(t, m) : 0;
}

static int stream(struct gf_task *t) {
    const struct search s = begin(t);
    const bool is_double = gf_settings_precision(t->s, t->image.px.dtype) == GF_DOUBLE;
    const int64_t work = gf_signal_workspace(t->op.crew.runner, s.in.rank, s.in.shape, is_double);
    return gf_signal_each(t, held(&s) + work, visit, NULL);
}

static const struct gf_task_hooks hooks = {.name = "match",
                                           .default_kind = GF_REAL,
                                           .label = "match",
                                           .prints = true,
                                           .prepare = prepare,
                                           .stream = stream};

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_matching matching = {0};
    if (n < 2)
        return gf_fail(GF_EUSAGE, "it takes a picture and a template: gpufft match IN TEMPLATE");
    s->match.with = operands[n - 1];
    s->match.prepared = &matching;
    if (s->precision == GF_UNSET)
        s->precision = GF_DOUBLE;
    int rc = prepare_template(s, &matching);
    int code = rc ? gf_exit_code(rc) : gf_batch_run(&hooks, s, operands, n - 1);
    gf_array_free(&matching.kernel);
    gf_array_free(&matching.weight);
    return code;
}

static const struct gf_opt_group match_group = GF_GROUP(
    "Match",
    GF_TEXT("template-mask", match.mask, "FILE",
            "weights of the template's samples: black is left out, white counts in full"),
    GF_INTEGER("dims", dims, "2|3", 2, 3,
               "2: search each page of a volume by itself; 3: all as depth"),
    GF_INTEGER("peaks", match.peaks, "N", 0, 100000, "list the N best places (default: 5)"),
    GF_NUMBER("least", match.least, "SCORE", 1, "it is a score above 0, up to 1",
              "list scores from this one on (default: 0.5)"));

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
