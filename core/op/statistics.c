/* Transforms samples, or their tiles, and adds up what their spectra show. */
#include "core/op/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run: its samples, and the job of a tile, which without tiles is all of them. */
struct survey {
    struct gf_crew crew; /* counts all arrays once it is planned */
    const struct gf_statistics_options *o;
    const struct gf_array *px;
    struct gf_job tile;
    int64_t step, count[GF_MAX_DIMS];
    struct gf_statistics *s;
};

/* ---- the plan ---- */

/* Half a spectrum of each channel, or a full one of complex samples. */
static struct gf_job make_job(const struct gf_statistics_options *o, const struct gf_array *px) {
    struct gf_job job = {.direction = GF_FORWARD,
                         .ndim = px->rank - 1,
                         .channels = px->shape[px->rank - 1],
                         .axes = (1u << (px->rank - 1)) - 1,
                         .in_dtype = px->dtype,
                         .precision = o->precision,
                         .luma = o->luma,
                         .norm = GF_NORM_BACKWARD,
                         .n_out = 1};
    memcpy(job.shape, px->shape, (size_t)job.ndim * sizeof *job.shape);
    job.out[0] = (struct gf_output){.kind = GF_COMPLEX,
                                    .dtype = gf_job_number(&job),
                                    .half = !gf_dtype_is_complex(job.in_dtype)};
    return job;
}

/* Makes the tiles' job, and their places. */
static int cut(struct survey *v) {
    const struct gf_statistics_options *o = v->o;
    struct gf_statistics *s = v->s;
    const int64_t n = o->tile;
    int64_t longest = 1;
    v->step = n - (int64_t)((double)n * o->overlap);
    v->tile = make_job(o, v->px);
    s->n_signals = o->luma ? 1 : v->tile.channels;
    s->n_tiles = 1;
    s->ndim = v->tile.ndim;
    s->changed = gf_window_is_asked(&v->o->window) || o->psd;
    if (o->angular && v->tile.ndim != 2)
        return gf_fail(GF_EINVAL, "--angular takes pictures; --dims=2 takes the pages of a volume");
    for (int i = 0; i < v->tile.ndim; i++) {
        const int64_t all = v->px->shape[i];
        if (n > all)
            return gf_fail(GF_EINVAL, "--tiles=%lld does not fit the %lld samples along an axis",
                           (long long)n, (long long)all);
        v->tile.shape[i] = n ? n : all;
        v->count[i] = n ? 1 + (all - n) / v->step : 1;
        s->n_tiles *= v->count[i];
        longest = gf_max(longest, v->tile.shape[i]);
    }
    s->band[0] = o->band[1] > 0 ? o->band[0] : fmin(4 / (double)longest, 0.125);
    s->band[1] = o->band[1] > 0 ? o->band[1] : 0.25;
    return s->changed ? gf_window_prepare(&v->o->window, &v->tile) : 0;
}

/* Plans within the memory limit. Counts the spectrum, and the workspace during the search for
 * peaks. */
static int plan(struct survey *v) {
    struct gf_job *job = &v->tile;
    const enum gf_dtype type = job->out[0].dtype;
    int64_t shape[GF_MAX_RANK], bytes;
    gf_job_out_shape(job, 0, shape);
    int rc = gf_size_product(shape, job->ndim + 1, (int64_t)gf_dtype_size(type), &bytes);
    if (rc)
        return rc;
    const struct gf_array spectrum = gf_array_wrap(NULL, type, job->ndim + 1, shape);
    const struct gf_spectrum one = gf_spectrum_of(job, &spectrum, 0, v->crew.threads);
    v->crew.held += bytes + gf_spectrum_peaks_bytes(&one) +
                    (v->s->changed ? gf_window_bytes(&v->o->window, job) : 0);
    return gf_crew_plan(&v->crew, job);
}

/* ---- what spectra show ---- */

static int look_at_samples(const struct survey *v) {
    struct gf_statistics *s = v->s;
    int rc = 0;
    s->signal = calloc((size_t)s->n_signals, sizeof *s->signal);
    if (!s->signal)
        return gf_fail(GF_ENOMEM, "out of memory for %lld channels", (long long)s->n_signals);
    for (int64_t i = 0; i < s->n_signals && !rc; i++)
        rc = gf_sample_stats(v->px, v->o->luma ? GF_LUMA : i, &s->signal[i].samples);
    return rc;
}

static void add_energy(struct gf_energy *sum, const struct gf_energy *one, double share) {
    sum->total += one->total * share;
    sum->zero += one->zero * share;
    for (int i = 0; i < GF_N_BANDS; i++)
        sum->below[i] += one->below[i] * share;
}

/* Adds a tile's share of the mean rings and energies to the signal's. */
static int add_spectrum(const struct survey *v, const struct gf_spectrum *spectrum,
                        struct gf_signal_statistics *signal) {
    struct gf_statistics *s = v->s;
    const double share = 1 / (double)s->n_tiles;
    s->n_rings = gf_spectrum_ring_count(spectrum);
    struct gf_ring *ring = malloc((size_t)s->n_rings * sizeof *ring);
    if (!signal->ring)
        signal->ring = calloc((size_t)s->n_rings, sizeof *ring);
    struct gf_energy energy;
    int rc = ring && signal->ring ? gf_spectrum_rings(spectrum, ring, &energy) : gf_no_memory();
    for (int64_t r = 0; r < s->n_rings && !rc; r++) {
        ring[r].mean = signal->ring[r].mean + ring[r].mean * share;
        signal->ring[r] = ring[r];
    }
    free(ring);
    if (!rc && !isfinite(energy.total))
        rc = v->tile.precision == GF_SINGLE
                 ? gf_fail(GF_EUNSUPP,
                           "its spectrum overflowed single precision; --precision=double")
                 : gf_fail(GF_EUNSUPP, "its energy overflowed double precision; scale the samples");
    if (!rc)
        add_energy(&signal->energy, &energy, share);
    return rc || !v->o->angular ? rc : gf_spectrum_angles(spectrum, s->band, signal->angle);
}

int gf_statistics_find_peaks(const struct gf_spectrum *s, int most, double weight,
                             const double *spacing, struct gf_signal_statistics *signal) {
    signal->peak = malloc(((size_t)most + 1) * sizeof *signal->peak);
    signal->wave = malloc(((size_t)most + 1) * sizeof *signal->wave);
    if (!signal->peak || !signal->wave)
        return gf_no_memory();
    int rc = gf_spectrum_peaks(s, 0, signal->peak, most, &signal->n_peaks);
    for (int k = 0; k < signal->n_peaks; k++) {
        signal->wave[k] = gf_peak_wave(s, &signal->peak[k]);
        signal->wave[k].amplitude /= weight;
        double squares = 0;
        for (int i = 0; *spacing > 0 && i < s->ndim; i++) {
            const double f = (double)signal->peak[k].at[i] / ((double)s->shape[i] * spacing[i]);
            squares += f * f;
        }
        signal->wave[k].per_unit = sqrt(squares);
        signal->wave[k].length = squares > 0 ? 1 / sqrt(squares) : signal->wave[k].period;
    }
    return rc;
}

/* Transforms tile i into `out`, and adds its statistics. */
static int look_at_tile(struct survey *v, int64_t i, struct gf_array *out) {
    struct gf_array made = {0}, in = *v->px;
    const double weight = gf_window_mean(&v->o->window.window, &v->tile, 1);
    int rc = 0;
    for (int axis = v->tile.ndim - 1; axis >= 0; i /= v->count[axis--])
        in = gf_array_slice(&in, axis, i % v->count[axis] * v->step, v->tile.shape[axis]);
    if (v->s->changed)
        rc = gf_window_make(&v->o->window, &v->crew, &v->tile, v->o->psd, &in, &made);
    if (!rc)
        rc = gf_crew_run(&v->crew, &v->tile, v->s->changed ? &made : &in, out);
    for (int64_t c = 0; c < v->s->n_signals && !rc; c++) {
        const struct gf_spectrum spectrum =
            gf_spectrum_of(&v->tile, out, c, gf_window_threads(&v->tile, v->crew.threads));
        rc = add_spectrum(v, &spectrum, &v->s->signal[c]);
        if (!rc && v->s->n_tiles == 1)
            rc = gf_statistics_find_peaks(&spectrum, v->o->peaks, weight, v->o->spacing,
                                          &v->s->signal[c]);
    }
    gf_array_free(&made);
    return rc;
}

/* Turns the rings' means into densities, |F|^2 cell / sum w^2, and fits their slopes. A window
 * correlates neighbouring rings: mean w^4 / (mean w^2)^2 of them count as one in the error. */
static void find_density(const struct survey *v) {
    const struct gf_job *job = &v->tile;
    const double square = gf_window_mean(&v->o->window.window, job, 2);
    const double alike = gf_window_mean(&v->o->window.window, job, 4) / (square * square);
    double factor = 1 / square;
    int axes = 0; /* with a window */
    for (int i = 0; i < job->ndim; i++) {
        factor *= (v->o->sample > 0 ? v->o->sample : 1) / (double)job->shape[i];
        axes += job->shape[i] > 1;
    }
    for (struct gf_signal_statistics *s = v->s->signal; s < v->s->signal + v->s->n_signals; s++) {
        for (int64_t r = 0; r < v->s->n_rings; r++)
            s->ring[r].mean *= factor;
        s->slope = gf_rings_slope(s->ring, v->s->n_rings, v->s->band);
        s->slope.error *= pow(alike, 0.5 / gf_max(1, axes));
    }
}

/* Makes the energies by direction shares of their sum. */
static void share_angles(struct gf_signal_statistics *s) {
    double whole = 0;
    for (int i = 0; i < GF_ANGLES; i++)
        whole += s->angle[i];
    for (int i = 0; i < GF_ANGLES; i++)
        s->angle[i] /= whole > 0 ? whole : 1;
}

/* ---- the options ---- */

/* N, or N,OVERLAP% */
static int parse_tiles(const struct gf_opt *o, const char *value, void *field) {
    struct gf_statistics_options *find = field;
    char *end;
    const long long n = strtoll(value, &end, 10);
    const bool given = *end == ',';
    const double percent = given ? strtod(end + 1, &end) : 50;
    if (n < 2 || n > INT32_MAX || !(percent >= 0 && percent <= 95) ||
        strcmp(end, given ? "%" : "") || end[-1] == ',')
        return gf_opt_refuse(o, value, "it is N or N,OVERLAP% with N from 2, OVERLAP from 0 to 95");
    find->tile = n;
    find->overlap = percent / 100;
    return 0;
}

static bool print_tiles(const struct gf_opt *o, const void *field, int i,
                        char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_statistics_options *find = field;
    (void)o;
    snprintf(text, GF_OPT_TEXT_SIZE, "%lld,%.17g%%", (long long)find->tile, 100 * find->overlap);
    return !i && find->tile;
}

static int parse_band(const struct gf_opt *o, const char *value, void *field) {
    double *band = ((struct gf_statistics_options *)field)->band;
    char *end, *last;
    band[0] = strtod(value, &end);
    band[1] = *end == ',' ? strtod(end + 1, &last) : 0;
    if (band[1] > band[0] && band[0] > 0 && band[1] < 1 && !*last)
        return 0;
    return gf_opt_refuse(o, value, "it is LOW,HIGH in cycles per sample, as in 0.02,0.2");
}

static bool print_band(const struct gf_opt *o, const void *field, int i,
                       char text[GF_OPT_TEXT_SIZE]) {
    const double *band = ((const struct gf_statistics_options *)field)->band;
    (void)o;
    snprintf(text, GF_OPT_TEXT_SIZE, "%.17g,%.17g", band[0], band[1]);
    return !i && band[1] > 0;
}

static int check(void *options) {
    struct gf_statistics_options *o = options;
    if (o->tile && (!o->psd || o->window.smooth))
        return gf_fail(GF_EUSAGE, "--tiles needs --psd, and a --window instead of --edges=smooth");
    if (o->band[1] > 0 && !o->psd && !o->angular)
        return gf_fail(GF_EUSAGE, "--band needs --psd or --angular");
    if (o->psd && !o->window.smooth && o->window.window.shape == GF_WINDOW_UNSET)
        o->window.window.shape = GF_WINDOW_HANN;
    return 0;
}

const struct gf_statistics_options gf_statistics_defaults = {.peaks = 5, .overlap = 0.5};

#define GF_AT(field) offsetof(struct gf_statistics_options, field)

const struct gf_opt gf_statistics_rows[] = {
    GF_INTEGER("peaks", peaks, "N", 0, 100000, "list the N strongest peaks (default: 5)"),
    GF_FLAG("psd", psd,
            "make the radial spectrum a power spectral density, with a fitted slope; --window is "
            "then hann by default"),
    GF_PARSED("tiles", 0, "N[,OVERLAP%]", parse_tiles,
              "average the densities of tiles of N samples along each axis (default overlap: 50%)",
              .print = print_tiles),
    GF_FLAG("angular", angular, "list the energy by direction"),
    GF_PARSED("band", 0, "LOW,HIGH", parse_band,
              "frequencies of the slope and of --angular in cycles per sample (default: from 4 "
              "periods in the longest extent, at most 0.125, to 0.25)",
              .print = print_band),
    GF_ROWS("window edges", window, gf_window_rows),
    {0}};

/* ---- the operation ---- */

void gf_statistics_peak_facts(const struct gf_signal_statistics *of, int ndim, bool known,
                              struct gf_facts *to) {
    const struct gf_peak *p = of->peak;
    const struct gf_wave *w = of->wave;
    const int n = of->n_peaks;
    gf_facts_begin(to, "peaks", GF_FACT_TABLE, n);
    GF_FACTS(to, "at", "bins", ndim, n, sizeof *p, p->at);
    GF_FACTS(to, "frequency", "cycles/sample", 0, n, sizeof *w, &w->frequency);
    GF_FACTS(to, "period", "samples", 0, n, sizeof *w, &w->period);
    if (known)
        GF_FACTS(to, "per_unit", NULL, 0, n, sizeof *w, &w->per_unit);
    GF_FACTS(to, ".length", NULL, 0, n, sizeof *w, &w->length);
    if (ndim > 1)
        GF_FACTS(to, "angle", "degrees", 0, n, sizeof *w, &w->angle);
    if (ndim > 2)
        GF_FACTS(to, "tilt", "degrees", 0, n, sizeof *w, &w->tilt);
    GF_FACTS(to, "amplitude", NULL, 0, n, sizeof *w, &w->amplitude);
    GF_FACTS(to, "strength", NULL, 0, n, sizeof *p, &p->strength);
    GF_FACTS(to, "radius", "bins", 0, n, sizeof *p, &p->radius);
    gf_facts_end(to);
}

static void add_facts(const struct gf_statistics *s, const struct gf_signal_statistics *of,
                      struct gf_facts *to) {
    static const double one = 1;
    const struct gf_statistics_options *o = &s->o;
    static const int64_t first = 1 - GF_ANGLES / 2;
    const struct gf_energy *e = &of->energy;
    GF_FACT(to, "mean", NULL, &of->samples.mean);
    GF_FACT(to, "minimum", NULL, &of->samples.low);
    GF_FACT(to, "maximum", NULL, &of->samples.high);
    GF_FACT(to, "deviation", NULL, &of->samples.deviation);
    gf_facts_begin(to, "energy", GF_FACT_RECORD, 0);
    GF_FACT(to, "samples", NULL, &of->samples.energy);
    GF_FACT(to, "spectrum", NULL, &e->total);
    GF_FACT(to, "zero", NULL, &e->zero);
    GF_FACT(to, "below_1_8", NULL, &e->below[0]);
    GF_FACT(to, "below_1_4", NULL, &e->below[1]);
    GF_FACT(to, "below_1_2", NULL, &e->below[2]);
    gf_facts_end(to);
    gf_facts_begin(to, "radial", GF_FACT_RECORD, 0);
    GF_FACT(to, "step", "cycles/sample", s->n_rings > 1 ? &of->ring[1].frequency : &one);
    GF_FACTS(to, "bins", NULL, 0, s->n_rings, sizeof *of->ring, &of->ring->bins);
    GF_FACTS(to, o->psd ? "density" : "power", NULL, 0, s->n_rings, sizeof *of->ring,
             &of->ring->mean);
    gf_facts_end(to);
    if (of->slope.rings) {
        gf_facts_begin(to, "slope", GF_FACT_RECORD, 0);
        GF_FACT(to, "value", NULL, &of->slope.value);
        GF_FACT(to, "error", NULL, &of->slope.error);
        GF_FACT(to, "rings", NULL, &of->slope.rings);
        gf_facts_end(to);
    }
    if (o->angular) {
        gf_facts_begin(to, "angles", GF_FACT_RECORD, 0);
        GF_FACT(to, "first", "degrees", &first);
        GF_FACTS(to, "energy", NULL, 0, GF_ANGLES, sizeof *of->angle, of->angle);
        gf_facts_end(to);
    }
    if (s->n_tiles == 1)
        gf_statistics_peak_facts(of, s->ndim, *o->spacing > 0, to);
}

/* Begins a survey by what is known of the samples; GF_EINVAL if the options do not suit them. */
static int begin(struct gf_operation *op, struct survey *v) {
    struct gf_statistics *s = op->state;
    bool alike;
    s->o = *(const struct gf_statistics_options *)op->shared;
    s->o.luma = op->of.rgb;
    s->o.precision = op->job.precision;
    gf_operand_spacing(&op->of, s->o.spacing, &alike);
    s->o.sample = alike ? s->o.spacing[op->of.px.rank - 2] : 0;
    op->inner = &op->job;
    *v = (struct survey){.crew = op->crew, .o = &s->o, .px = &op->in, .s = s};
    return cut(v);
}

static int describe(struct gf_operation *op) {
    struct survey v;
    return begin(op, &v);
}

static int expect(struct gf_operation *op) {
    struct survey v;
    int rc = begin(op, &v);
    if (!rc)
        rc = plan(&v);
    op->need = v.crew.held + v.crew.runner->workspace;
    return rc;
}

static int take(struct gf_operation *op) {
    struct gf_statistics *s = op->state;
    struct gf_array out = {0};
    struct survey v;
    int rc = begin(op, &v);
    if (rc)
        return rc;
    gf_runner_ahead(op->crew.runner, &v.tile);
    rc = look_at_samples(&v); /* while the context opens */
    if (!rc)
        rc = plan(&v);
    if (!rc)
        rc = gf_job_alloc(&v.tile, 0, &out);
    for (int64_t i = 0; i < s->n_tiles && !rc; i++)
        rc = look_at_tile(&v, i, &out);
    if (!rc && s->o.psd)
        find_density(&v);
    for (int64_t i = 0; i < s->n_signals && !rc; i++)
        share_angles(&s->signal[i]);
    gf_array_free(&out);
    return rc;
}

static void drop(struct gf_operation *op) {
    struct gf_statistics *s = op->state;
    for (int64_t i = 0; i < s->n_signals && s->signal; i++) {
        free(s->signal[i].ring);
        free(s->signal[i].peak);
        free(s->signal[i].wave);
    }
    free(s->signal);
}

static void facts(const struct gf_operation *op, struct gf_facts *to) {
    const struct gf_statistics *s = op->state;
    gf_facts_begin(to, "signals", GF_FACT_LIST, 0);
    for (int64_t i = 0; i < s->n_signals; i++) {
        gf_facts_begin(to, NULL, GF_FACT_RECORD, 0);
        add_facts(s, &s->signal[i], to);
        gf_facts_end(to);
    }
    gf_facts_end(to);
}

const struct gf_operation_kind gf_operation_stats = {
    .name = "stats",
    .options = {gf_statistics_rows, sizeof(struct gf_statistics_options), &gf_statistics_defaults,
                check},
    .measures = true,
    .state = sizeof(struct gf_statistics),
    .describe = describe,
    .expect = expect,
    .take = take,
    .drop = drop,
    .facts = facts};
