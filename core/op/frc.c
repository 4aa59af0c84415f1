/* Correlates two signals ring by ring, behind a mask, and once more with random phases. */
#include "core/op/frc.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/unit.h"

struct comparison {
    struct gf_crew crew; /* counts all arrays */
    const struct gf_frc_options *o;
    struct gf_array px[2], mask, soft; /* mask: a view on the pair's grid, or no data */
    double samples;                    /* a sample of the pair in those of the signal */
};

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

/* Bytes of a soft mask, and for each of the pair of its part, its spectrum and a turned copy of one. */
static int64_t array_bytes(const struct gf_frc_options *o, const struct gf_array *px,
                           const struct gf_array *part) {
    return (o->soft ? gf_array_bytes(px) : 0) + gf_array_bytes(part) * (o->random > 0 ? 3 : 2) +
           2 * gf_signal_spectrum_bytes(part);
}

/* ---- the pair ---- */

/* Sets c->mask on the grid of the whole signal. */
static int make_mask(struct comparison *c, const struct gf_array *px, const struct gf_array *mask) {
    int64_t least = INT64_MAX;
    if (!c->o->soft) {
        c->mask = *mask;
        int rc = mask->data ? gf_signal_same_shape(mask, px, "the picture") : 0;
        return rc || !mask->data ? rc : gf_signal_same_type(mask, px, "the picture");
    }
    for (int i = 0; i < px->rank; i++)
        least = px->shape[i] > 1 ? gf_min(least, px->shape[i]) : least;
    const double edge = 0.1 * (double)least;
    int rc = gf_array_alloc(&c->soft, px->dtype, px->rank, px->shape);
    if (!rc)
        gf_frc_soft_mask(c->o->radius > 0 ? c->o->radius : 4 * edge, edge, &c->soft);
    c->mask = c->soft;
    return rc;
}

/* Copies the two signals or, of one, the halves on the diagonals of squares of four samples (Koho,
 * Tortarolo, Castello and others 2019, "Fourier ring correlation simplifies image restoration in
 * fluorescence microscopy"). */
static int make_pair(struct comparison *c, const struct gf_array *px,
                     const struct gf_array *other) {
    struct gf_array from[2] = {*px, *other};
    int rc = other->data ? gf_signal_same_shape(px, other, "the other") : 0;
    if (other->data && !rc)
        rc = gf_signal_same_type(px, other, "the other");
    if (!other->data) {
        from[1] = thinned(px, 1);
        from[0] = thinned(px, 0);
        c->mask = c->mask.data ? thinned(&c->mask, 0) : c->mask;
        if (!gf_array_count(from))
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

/* Transforms signal i behind the mask, which changes it, or a copy with random phases. */
static int transform(struct comparison *c, int i, bool random, struct gf_spectrum *out) {
    struct gf_array turned = {0}, *px = random ? &turned : &c->px[i];
    int rc = random ? gf_signal_forward(&c->crew, &c->px[i], out) : 0;
    if (!rc && random) {
        gf_frc_turn(out, NULL, c->o->random * c->samples, (uint64_t)i + 1);
        rc = gf_signal_inverse(&c->crew, out, &turned);
        gf_array_free(&out->px);
    }
    if (!rc && c->mask.data)
        rc = gf_frc_apply_mask(px, &c->mask);
    if (!rc)
        rc = gf_signal_forward(&c->crew, px, out);
    gf_array_free(&turned);
    return rc;
}

static int make_rings(struct comparison *c, bool random, struct gf_ring **ring) {
    static const double shift[GF_MAX_DIMS] = {0.5, 0.5, 0.5};
    struct gf_spectrum of[2] = {{0}, {0}};
    int rc = transform(c, 0, random, &of[0]);
    if (!rc)
        rc = transform(c, 1, random, &of[1]);
    if (!rc) {
        if (c->samples > 1) /* the second half begins half a sample later */
            gf_frc_turn(&of[1], shift, 0, 0);
        *ring = calloc((size_t)gf_spectrum_ring_count(&of[0]), sizeof **ring);
        rc = *ring ? gf_spectrum_cross_rings(&of[0], &of[1], *ring) : gf_no_memory();
    }
    gf_array_free(&of[0].px);
    gf_array_free(&of[1].px);
    return rc;
}

/* Fills the curves from the rings of the samples, and of random phases or NULL. */
static void fill_curves(const struct comparison *c, const struct gf_ring *random,
                        struct gf_frc *f) {
    const struct gf_frc_options *o = c->o;
    const double sample = o->sample > 0 ? o->sample : 1;
    snprintf(f->per, sizeof f->per, "cycles/%.12s", o->unit ? o->unit : "sample");
    double **v = f->curve;
    for (int64_t i = 0; i < f->n; i++) {
        struct gf_ring *r = &f->ring[i];
        r->frequency /= c->samples;
        v[GF_FRC_FREQUENCY][i] = r->frequency / sample;
        v[GF_FRC_CORRELATION][i] = v[GF_FRC_CORRECTED][i] = gf_frc_correlation(r);
        if (random)
            v[GF_FRC_RANDOMIZED][i] = gf_frc_correlation(&random[i]);
        if (random && r->frequency > o->random)
            v[GF_FRC_CORRECTED][i] =
                gf_frc_corrected(v[GF_FRC_CORRELATION][i], v[GF_FRC_RANDOMIZED][i]);
        v[GF_FRC_AT_HALF_BIT][i] =
            gf_frc_threshold((struct gf_frc_threshold){GF_FRC_HALF_BIT, 0}, r->bins);
        v[GF_FRC_AT_3_SIGMA][i] =
            gf_frc_threshold((struct gf_frc_threshold){GF_FRC_3_SIGMA, 0}, r->bins);
        for (int k = 0; k < o->n_thresholds; k++)
            v[GF_FRC_THRESHOLDS + k][i] = fmin(gf_frc_threshold(o->threshold[k], r->bins), 1);
    }
    for (int k = 0; k < o->n_thresholds; k++) {
        const double at = gf_frc_crossing(o->threshold[k], f->ring, v[GF_FRC_CORRECTED], f->n);
        f->above[k] = at > 0;
        f->crossing[k] = at > 0 && at < INFINITY ? at / sample : NAN;
        f->resolution[k] = 1 / f->crossing[k];
    }
}

static int compare(struct comparison *c, struct gf_frc *f) {
    struct gf_ring *random = NULL;
    int64_t longest = 1;
    for (int i = 0; i < c->px[0].rank; i++)
        longest = gf_max(longest, c->px[0].shape[i]);
    f->n = longest / 2 + 1;
    *f->curve = calloc(GF_FRC_CURVES * (size_t)f->n, sizeof **f->curve);
    int rc = *f->curve ? 0 : gf_no_memory();
    for (int k = 1; k < GF_FRC_CURVES && !rc; k++)
        f->curve[k] = *f->curve + k * f->n;
    if (!rc && c->o->random > 0) /* before the mask changes the pair */
        rc = make_rings(c, true, &random);
    if (!rc)
        rc = make_rings(c, false, &f->ring);
    if (!rc)
        fill_curves(c, random, f);
    free(random);
    return rc;
}

/* ---- the options ---- */

static int parse_thresholds(const struct gf_opt *o, const char *value, void *field) {
    struct gf_frc_options *find = field;
    for (find->n_thresholds = 0; *value; value += strcspn(value, ",")) {
        value += *value == ',';
        char *end;
        const int k = find->n_thresholds++, n = (int)strcspn(value, ",");
        const bool half_bit = n == 8 && !strncmp(value, "half-bit", 8);
        const bool sigma = n == 7 && !strncmp(value, "3-sigma", 7);
        const double v = strtod(value, &end);
        if (k == GF_FRC_MOST || n >= 12 ||
            (!half_bit && !sigma && (end != value + n || !(v > 0 && v < 1))))
            return gf_opt_refuse(o, value,
                                 "it lists up to six of half-bit, 3-sigma and numbers "
                                 "between 0 and 1");
        find->threshold[k] = (struct gf_frc_threshold){half_bit ? GF_FRC_HALF_BIT
                                                       : sigma  ? GF_FRC_3_SIGMA
                                                                : GF_FRC_CONSTANT,
                                                       v};
        snprintf(find->name[k], sizeof find->name[k], "%.*s", n, sigma ? "3 sigma" : value);
    }
    return find->n_thresholds ? 0 : gf_opt_refuse(o, "", "it is a list");
}

static bool print_thresholds(const struct gf_opt *o, const void *field, int i,
                             char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_frc_options *find = field;
    int n = 0;
    (void)o;
    for (int k = 0; k < find->n_thresholds; k++) {
        const struct gf_frc_threshold *t = &find->threshold[k];
        n += snprintf(text + n, GF_OPT_TEXT_SIZE - (size_t)n,
                      t->rule == GF_FRC_HALF_BIT  ? "%shalf-bit"
                      : t->rule == GF_FRC_3_SIGMA ? "%s3-sigma"
                                                  : "%s%.9g",
                      k ? "," : "", t->value);
    }
    return !i && find->n_thresholds;
}

static int parse_random(const struct gf_opt *o, const char *value, void *field) {
    struct gf_frc_options *find = field;
    struct gf_radius *r = &find->randomize;
    find->randomize_text = value;
    if (!gf_radius_parse(value, r) || !(r->value > 0))
        return gf_opt_refuse(o, value, "it is above 0: cycles a sample, or 30A, 0.03/A");
    find->random = r->value; /* until the unit is known */
    const double most = r->unit == GF_NYQUIST ? 100 : r->unit < GF_PERIOD ? 0.5 : HUGE_VAL;
    return r->value <= most ? 0 : gf_opt_refuse(o, value, "it is up to 0.5 cycles a sample");
}

static bool print_random(const struct gf_opt *o, const void *field, int i,
                         char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_frc_options *find = field;
    (void)o;
    gf_radius_print(&find->randomize, text, 0);
    return !i && find->randomize.value > 0;
}

static int check(void *options) {
    struct gf_frc_options *o = options;
    char end;
    o->soft = o->mask && (!strcmp(o->mask, "soft") ||
                          (sscanf(o->mask, "soft:%lf%c", &o->radius, &end) == 1 && o->radius > 0));
    return o->n_thresholds ? 0 : parse_thresholds(NULL, "0.5,0.143,half-bit,3-sigma", o);
}

#define GF_AT(field) offsetof(struct gf_frc_options, field)

const struct gf_opt gf_frc_rows[] = {
    GF_TEXT(
        "mask", mask, "soft[:R]|FILE",
        "weights of the samples: a disc or ball of radius R with a soft edge, or a picture whose "
        "black is left out"),
    GF_PARSED("randomize", 0, "F", parse_random,
              "make phases beyond F random (0.1 cycles a sample, 30A or 0.03/A), and correct the "
              "curve by what still correlates",
              .print = print_random),
    GF_PARSED("threshold", 0, "LIST", parse_thresholds,
              "where the curve's crossings are reported (default: 0.5,0.143,half-bit,3-sigma)",
              .print = print_thresholds),
    GF_ROWS("precision", signal, gf_signal_rows),
    {0}};

static const struct gf_frc_options defaults = {.signal.precision = GF_DOUBLE};

/* Sets o->random by o->randomize and the unit. GF_EINVAL if it is not within half a cycle a sample. */
static int take_randomize(struct gf_frc_options *o) {
    const struct gf_radius *r = &o->randomize;
    char kind = 0;
    const double spacing = o->unit ? o->sample * gf_unit_value(o->unit, &kind) : 0;
    o->random = r->unit == GF_NYQUIST      ? r->value / 200
                : r->unit < GF_PERIOD      ? r->value
                : r->kind != kind          ? 0
                : r->unit == GF_PER_LENGTH ? r->value / r->unit_value * spacing
                                           : spacing / (r->value * r->unit_value);
    if (r->unit >= GF_PERIOD && !(o->random > 0))
        return gf_fail(
            GF_EINVAL,
            "--randomize=%.60s: its samples have no distance of that kind that is the same "
            "along all axes; give --pixel=LENGTH, or cycles a sample",
            o->randomize_text);
    return o->random <= 0.5
               ? 0
               : gf_fail(GF_EINVAL, "--randomize=%.60s: it is up to 0.5 cycles a sample",
                         o->randomize_text);
}

/* ---- the operation ---- */

static int describe(struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    struct gf_frc_options *o = &((struct gf_frc *)op->state)->o;
    double spacing[GF_MAX_DIMS];
    bool alike;
    const char *unit = gf_operand_spacing(&op->of, spacing, &alike);
    *o = *(const struct gf_frc_options *)s->options;
    o->sample = alike ? spacing[0] : 1;
    o->unit = alike ? unit : NULL;
    op->inner = &op->job;
    return !o->mask || o->soft || s->with[1].data
               ? 0
               : gf_fail(GF_EUSAGE, "--mask=%.60s: its samples are missing", o->mask);
}

static int expect(struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    const struct gf_frc *f = op->state;
    const struct gf_array px = gf_signal_of(op);
    struct gf_array part = px;
    for (int i = 0; i < px.rank && !s->with[0].data; i++)
        part.shape[i] = gf_max(1, px.shape[i] / 2);
    op->need = gf_signal_crew(op).held + array_bytes(&f->o, &px, &part) +
               gf_signal_workspace(&op->crew, &part);
    return 0;
}

static int take(struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    struct gf_array px = gf_signal_of(op), other = s->with[0];
    struct gf_frc *f = op->state;
    struct comparison c = {.crew = gf_signal_crew(op), .o = &f->o, .samples = other.data ? 1 : 2};
    int rc = take_randomize(&f->o);
    if (!rc)
        rc = gf_signal_begin(op, &px);
    if (op->page && other.rank == px.rank + 1 && op->page <= other.shape[0])
        other = gf_array_index(&other, 0, op->page - 1);
    if (!rc)
        rc = make_mask(&c, &px, &s->with[1]);
    if (!rc)
        rc = make_pair(&c, &px, &other);
    c.crew.held += rc ? 0 : array_bytes(&f->o, &px, c.px);
    if (!rc)
        rc = compare(&c, f);
    gf_array_free(&c.soft);
    gf_array_free(&c.px[0]);
    gf_array_free(&c.px[1]);
    gf_array_free(&px);
    return rc;
}

static void drop(struct gf_operation *op) {
    struct gf_frc *f = op->state;
    free(f->ring);
    free(*f->curve);
}

static void facts(const struct gf_operation *op, struct gf_facts *to) {
    const struct gf_frc *f = op->state;
    const struct gf_frc_options *o = &f->o;
    const size_t step = sizeof(double);
    const int n = o->n_thresholds;
    double *const *v = f->curve;
    gf_facts_begin(to, "crossings", GF_FACT_TABLE, n);
    GF_FACTS(to, "threshold", NULL, 0, n, sizeof *o->name, *o->name);
    GF_FACTS(to, "frequency", f->per, 0, n, step, f->crossing);
    GF_FACTS(to, "resolution", o->unit ? o->unit : "samples", 0, n, step, f->resolution);
    GF_FACTS(to, ".above", NULL, 0, n, sizeof *f->above, f->above);
    gf_facts_end(to);
    gf_facts_begin(to, "rings", GF_FACT_TABLE, f->n);
    GF_FACTS(to, "frequency", f->per, 0, f->n, step, v[GF_FRC_FREQUENCY]);
    GF_FACTS(to, "bins", NULL, 0, f->n, sizeof *f->ring, &f->ring->bins);
    GF_FACTS(to, "correlation", NULL, 0, f->n, step, v[GF_FRC_CORRELATION]);
    if (o->random > 0) {
        GF_FACTS(to, "randomized", NULL, 0, f->n, step, v[GF_FRC_RANDOMIZED]);
        GF_FACTS(to, "corrected", NULL, 0, f->n, step, v[GF_FRC_CORRECTED]);
    }
    GF_FACTS(to, "half_bit", NULL, 0, f->n, step, v[GF_FRC_AT_HALF_BIT]);
    GF_FACTS(to, "sigma_3", NULL, 0, f->n, step, v[GF_FRC_AT_3_SIGMA]);
    gf_facts_end(to);
}

const struct gf_operation_kind gf_operation_frc = {
    .name = "frc",
    .options = {gf_frc_rows, sizeof(struct gf_frc_options), &defaults, check},
    .with = {0, 2, gf_signals_open, gf_signals_close},
    .measures = true,
    .state = sizeof(struct gf_frc),
    .describe = describe,
    .expect = expect,
    .take = take,
    .drop = drop,
    .facts = facts};
