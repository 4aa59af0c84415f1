/* gpufft stats: energy, radial spectrum and peaks of pictures, volumes and lines. */
#include "cli/stats/stats.h"

#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/compare/signal.h"
#include "cli/command.h"
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "cli/plot/plot.h"
#include "cli/progress.h"

static void free_stats(struct gf_stats *s) {
    for (int64_t i = 0; i < s->n_signals && s->signal; i++) {
        free(s->signal[i].ring);
        free(s->signal[i].peak);
        free(s->signal[i].wave);
    }
    free(s->signal);
    s->signal = NULL;
}

/* Makes the job: half a spectrum of each channel but alpha, or a full one of complex samples. */
static int make_job(struct gf_task *t) {
    struct gf_job *job = &t->op.job;
    *job = (struct gf_job){.n_out = 1, .norm = GF_NORM_BACKWARD};
    gf_task_begin_job(t, GF_FORWARD);
    job->axes = (1u << job->ndim) - 1;
    int rc = gf_task_take_channels(t);
    job->luma = t->image.color == GF_RGB && !t->s->stats.channels;
    job->out[0].kind = GF_COMPLEX;
    job->out[0].dtype = gf_job_number(job);
    job->out[0].half = !gf_dtype_is_complex(job->in_dtype);
    return rc;
}

/* Makes the tiles' job, and their places. */
static int cut(const struct gf_task *t, struct gf_stats *st) {
    const struct gf_stats_settings *o = &t->s->stats;
    const int64_t n = o->tile;
    int64_t longest = 1;
    st->step = n - (int64_t)((double)n * o->overlap);
    st->tile = t->op.job;
    st->n_tiles = 1;
    st->changed = gf_window_is_asked(&t->s->windowing) || o->psd;
    if (o->angular && t->op.job.ndim != 2)
        return gf_fail(GF_EINVAL, "--angular takes pictures; --dims=2 takes the pages of a volume");
    for (int i = 0; i < t->op.job.ndim; i++) {
        const int64_t all = t->op.job.shape[i];
        if (n > all)
            return gf_fail(GF_EINVAL, "--tiles=%lld does not fit the %lld samples along an axis",
                           (long long)n, (long long)all);
        st->tile.shape[i] = n ? n : all;
        st->count[i] = n ? 1 + (all - n) / st->step : 1;
        st->n_tiles *= st->count[i];
        longest = gf_max(longest, st->tile.shape[i]);
    }
    st->band[0] = o->band[1] > 0 ? o->band[0] : fmin(4 / (double)longest, 0.125);
    st->band[1] = o->band[1] > 0 ? o->band[1] : 0.25;
    return st->changed ? gf_window_prepare(&t->s->windowing, &st->tile) : 0;
}

/* Plans within the memory limit. Counts the spectrum, and the workspace during the search for
 * peaks. */
static int plan(struct gf_task *t, struct gf_stats *st) {
    struct gf_job *job = &st->tile;
    const enum gf_dtype type = job->out[0].dtype;
    int64_t shape[GF_MAX_RANK], bytes;
    gf_job_out_shape(job, 0, shape);
    int rc = gf_size_product(shape, job->ndim + 1, (int64_t)gf_dtype_size(type), &bytes);
    if (rc)
        return rc;
    const struct gf_array spectrum = gf_array_wrap(NULL, type, job->ndim + 1, shape);
    const struct gf_spectrum one = gf_spectrum_of(job, &spectrum, 0, gf_settings_threads(t->s));
    const struct gf_crew crew = {
        .runner = t->op.crew.runner,
        .threads = one.threads,
        .held = gf_array_bytes(&t->image.px) + bytes + gf_spectrum_peaks_bytes(&one) +
                (st->changed ? gf_window_bytes(&t->s->windowing, job) : 0)};
    return gf_crew_plan(&crew, job);
}

static int look_at_samples(struct gf_stats *st) {
    const struct gf_job *job = st->job;
    int rc = 0;
    st->n_signals = job->luma ? 1 : job->channels;
    st->signal = calloc((size_t)st->n_signals, sizeof *st->signal);
    if (!st->signal)
        return gf_fail(GF_ENOMEM, "out of memory for %lld channels", (long long)st->n_signals);
    for (int64_t i = 0; i < st->n_signals && !rc; i++)
        rc = gf_sample_stats(&st->image->px, job->luma ? GF_LUMA : i, &st->signal[i].samples);
    return rc;
}

static void add_energy(struct gf_energy *sum, const struct gf_energy *one, double share) {
    sum->total += one->total * share;
    sum->zero += one->zero * share;
    for (int i = 0; i < GF_N_BANDS; i++)
        sum->below[i] += one->below[i] * share;
}

/* Adds a tile's share of the mean rings and energies to the signal's. */
static int add_spectrum(struct gf_stats *st, const struct gf_spectrum *s,
                        struct gf_stats_signal *signal) {
    const double share = 1 / (double)st->n_tiles;
    st->n_rings = gf_spectrum_ring_count(s);
    struct gf_ring *ring = malloc((size_t)st->n_rings * sizeof *ring);
    if (!signal->ring)
        signal->ring = calloc((size_t)st->n_rings, sizeof *ring);
    struct gf_energy energy;
    int rc = ring && signal->ring ? gf_spectrum_rings(s, ring, &energy) : gf_no_memory();
    for (int64_t r = 0; r < st->n_rings && !rc; r++) {
        ring[r].mean = signal->ring[r].mean + ring[r].mean * share;
        signal->ring[r] = ring[r];
    }
    free(ring);
    if (!rc && !isfinite(energy.total))
        rc = st->tile.precision == GF_SINGLE
                 ? gf_fail(GF_EUNSUPP,
                           "its spectrum overflowed single precision; --precision=double")
                 : gf_fail(GF_EUNSUPP, "its energy overflowed double precision; scale the samples");
    if (!rc)
        add_energy(&signal->energy, &energy, share);
    return rc || !st->options->stats.angular ? rc : gf_spectrum_angles(s, st->band, signal->angle);
}

int gf_stats_find_peaks(const struct gf_spectrum *s, int most, double weight,
                        struct gf_stats_signal *signal) {
    signal->peak = malloc(((size_t)most + 1) * sizeof *signal->peak);
    signal->wave = malloc(((size_t)most + 1) * sizeof *signal->wave);
    if (!signal->peak || !signal->wave)
        return gf_no_memory();
    int rc = gf_spectrum_peaks(s, 0, signal->peak, most, &signal->n_peaks);
    for (int k = 0; k < signal->n_peaks; k++) {
        signal->wave[k] = gf_peak_wave(s, &signal->peak[k]);
        signal->wave[k].amplitude /= weight;
    }
    return rc;
}

/* Transforms tile i into `out`, and adds its statistics. */
static int look_at_tile(struct gf_task *t, struct gf_stats *st, int64_t i, struct gf_array *out) {
    struct gf_array made = {0}, in = t->op.in;
    struct gf_report report = {0};
    const int threads = gf_window_threads(&st->tile, gf_settings_threads(t->s));
    for (int axis = t->op.job.ndim - 1; axis >= 0; i /= st->count[axis--])
        in = gf_array_slice(&in, axis, i % st->count[axis] * st->step, st->tile.shape[axis]);
    int rc = !st->changed ? 0
                          : gf_window_make(&t->s->windowing, &t->op.crew, &st->tile,
                                           t->s->stats.psd, &in, &made);
    if (!rc)
        rc =
            gf_runner_plan(t->op.crew.runner, &st->tile); /* the smooth part has plans of its own */
    if (!rc)
        rc = gf_runner_run(t->op.crew.runner, st->changed ? &made : &in, out, &report);
    for (int64_t c = 0; c < st->n_signals && !rc; c++) {
        struct gf_stats_signal *signal = &st->signal[c];
        const struct gf_spectrum s = gf_spectrum_of(&st->tile, out, c, threads);
        rc = add_spectrum(st, &s, signal);
        if (!rc && st->n_tiles == 1)
            rc = gf_stats_find_peaks(&s, t->s->stats.peaks,
                                     gf_window_mean(&t->s->windowing.window, &st->tile, 1), signal);
    }
    gf_array_free(&made);
    return rc;
}

/* Turns the rings' means into densities, |F|^2 cell / sum w^2, and fits their slopes. A window
 * correlates neighbouring rings: mean w^4 / (mean w^2)^2 of them count as one in the error. */
static void find_density(struct gf_stats *st) {
    const struct gf_job *job = &st->tile;
    const bool known = st->ring_spacing > 0;
    const double square = gf_window_mean(&st->options->windowing.window, job, 2);
    const double alike = gf_window_mean(&st->options->windowing.window, job, 4) / (square * square);
    double factor = 1 / square;
    int axes = 0; /* with a window */
    for (int i = 0; i < job->ndim; i++) {
        factor *= (known ? st->ring_spacing : 1) / (double)job->shape[i];
        axes += job->shape[i] > 1;
    }
    snprintf(st->density_unit, sizeof st->density_unit,
             job->ndim > 1 ? "unit^2 / (cycle/%s)^%d" : "unit^2 / (cycle/%s)",
             known ? st->unit : "sample", job->ndim);
    for (int64_t i = 0; i < st->n_signals; i++) {
        for (int64_t r = 0; r < st->n_rings; r++)
            st->signal[i].ring[r].mean *= factor;
        st->signal[i].slope = gf_rings_slope(st->signal[i].ring, st->n_rings, st->band);
        st->signal[i].slope.error *= pow(alike, 0.5 / gf_max(1, axes));
    }
}

/* Transforms the picture, or its tiles, and analyses it. */
static int look(struct gf_task *t, struct gf_stats *st) {
    struct gf_array out = {0};
    int rc = make_job(t);
    rc = rc ? rc : cut(t, st);
    if (rc)
        return rc;
    gf_task_bind(t);
    gf_runner_ahead(t->op.crew.runner, &st->tile);
    rc = look_at_samples(st); /* while the context opens */
    rc = rc ? rc : plan(t, st);
    if (!rc)
        rc = gf_job_alloc(&st->tile, 0, &out);
    for (int64_t i = 0; i < st->n_tiles && !rc; i++)
        rc = look_at_tile(t, st, i, &out);
    if (!rc && t->s->stats.psd)
        find_density(st);
    gf_array_free(&out);
    return rc;
}

/* Analyses samples in memory and prints the result. */
static int look_and_print(struct gf_task *t, const char *name, int64_t page) {
    struct gf_stats st = {.path = t->read[0],
                          .name = name,
                          .page = page,
                          .image = &t->image,
                          .job = &t->op.job,
                          .options = t->s};
    bool alike;
    st.unit = gf_signal_spacing(&t->image, t->image.ndim, st.spacing, &alike);
    st.ring_spacing = alike ? st.spacing[t->image.ndim - 1] : 0;
    gf_progress_show("transforming", gf_log_name(name));
    int rc = look(t, &st);
    if (!rc && t->targets->n)
        rc = gf_stats_plot(&st, t->s->stats.psd ? st.density_unit : "mean power", t, NULL);
    if (!rc) {
        gf_stats_print(t, &st);
        gf_log_verbose("'%s': backend %s (%s)", gf_log_name(name),
                       gf_runner_name(t->op.crew.runner), t->op.crew.runner->why);
    }
    free_stats(&st);
    return rc;
}

/* Called if there is no memory for the samples: fails with the memory that all the work needs. */
static int refuse(struct gf_task *t, const struct gf_image *header, int rc) {
    const struct gf_image failed = t->image;
    struct gf_failure first = {0};
    gf_failure_keep(&first, rc);
    t->image = *header;
    struct gf_stats st = {0};
    const int all = make_job(t) || cut(t, &st) ? 0 : plan(t, &st);
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

/* N, or N,OVERLAP% */
static int parse_tiles(const struct gf_opt *o, const char *value, void *field) {
    struct gf_settings *s = field;
    char *end;
    const long long n = strtoll(value, &end, 10);
    const bool given = *end == ',';
    const double percent = given ? strtod(end + 1, &end) : 50;
    if (n < 2 || n > INT32_MAX || !(percent >= 0 && percent <= 95) ||
        strcmp(end, given ? "%" : "") || end[-1] == ',')
        return gf_opt_refuse(o, value, "it is N or N,OVERLAP% with N from 2, OVERLAP from 0 to 95");
    s->stats.tile = n;
    s->stats.overlap = percent / 100;
    return 0;
}

static int parse_band(const struct gf_opt *o, const char *value, void *field) {
    double *band = ((struct gf_settings *)field)->stats.band;
    char *end, *last;
    band[0] = strtod(value, &end);
    band[1] = *end == ',' ? strtod(end + 1, &last) : 0;
    if (band[1] > band[0] && band[0] > 0 && band[1] < 1 && !*last)
        return 0;
    return gf_opt_refuse(o, value, "it is LOW,HIGH in cycles per sample, as in 0.02,0.2");
}

static int run(struct gf_settings *s, char **operands, int n) {
    const struct gf_stats_settings *o = &s->stats;
    if (o->tile && (!o->psd || s->windowing.smooth))
        return gf_fail(GF_EUSAGE, "--tiles needs --psd, and a --window instead of --edges=smooth");
    if (o->band[1] > 0 && !o->psd && !o->angular)
        return gf_fail(GF_EUSAGE, "--band needs --psd or --angular");
    if (o->psd && !s->windowing.smooth && s->windowing.window.shape == GF_WINDOW_UNSET)
        s->windowing.window.shape = GF_WINDOW_HANN;
    int rc = s->stats.radial ? gf_plot_file("--radial", s->stats.radial) : 0;
    return rc < 0 ? rc : gf_batch_run(&hooks, s, operands, n);
}

static const char *const colors[] = {"luma", "channels", NULL};

static const struct gf_opt_group stats_group = GF_GROUP(
    "Statistics",
    GF_INTEGER("dims", dims, "2|3", 2, 3,
               "2: take each page of a volume by itself; 3: all as depth"),
    GF_INTEGER("peaks", stats.peaks, "N", 0, 100000, "list the N strongest peaks (default: 5)"),
    GF_TEXT("radial", stats.radial, "FILE",
            "write the radial spectrum as .csv, .json or a plot, .svg or .png; {stem} for several "
            "inputs"),
    GF_FLAG("psd", stats.psd,
            "make the radial spectrum a power spectral density, with a fitted slope; --window is "
            "then hann by default"),
    GF_PARSED("tiles", 0, "N[,OVERLAP%]", parse_tiles,
              "average the densities of tiles of N samples along each axis (default overlap: 50%)"),
    GF_FLAG("angular", stats.angular, "list the energy by direction"),
    GF_PARSED("band", 0, "LOW,HIGH", parse_band,
              "frequencies of the slope and of --angular in cycles per sample (default: from 4 "
              "periods in the longest extent, at most 0.125, to 0.25)"),
    GF_CHOICE("color", stats.channels, "luma|channels", colors,
              "analyse one Rec.709 luma of colour (default), or each channel by itself"),
    GF_NEGATE("clobber", clobber, "refuse to replace an existing file"),
    GF_FLAG("sync", sync, "write each file to its disk before it replaces the old one"));

static const struct gf_opt_group *const groups[] = {&stats_group, &gf_opts_window,
                                                    &gf_opts_precision, GF_GROUPS_LOOKING};

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
