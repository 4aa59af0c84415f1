/* Prints statistics as text or JSON, and writes the radial spectrum as a table, JSON or a plot. */
#include <math.h>
#include <stdlib.h>

#include "cli/compare/signal.h"
#include "cli/log.h"
#include "cli/plot/plot.h"
#include "cli/report.h"
#include "cli/stats/stats.h"

/* The energy's share in the zero frequency in percent, and the shares of the rest. */
static json_t *shares_report(const struct gf_energy *e) {
    const double rest = e->total - e->zero;
    const double part[4] = {e->zero, e->below[0], e->below[1], e->below[2]};
    static const char *const keys[] = {"zero", "1_8", "1_4", "1_2"};
    json_t *o = json_object();
    for (int i = 0; i < 4; i++) {
        const double whole = i ? rest : e->total;
        GF_ADD(o, GF_KEY(keys[i], whole > 0 ? 100 * (part[i] / whole) : 0));
    }
    return o;
}

/* "3" or "3-4" */
static void range_text(char text[48], double low, double high) {
    int n = snprintf(text, 48, "%.4g", low);
    if (low != high)
        snprintf(text + n, 48 - (size_t)n, "-%.4g", high);
}

/* Rings by octaves: 1, 2, 3-4, 5-8, … */
static json_t *octaves_report(const struct gf_stats *s, const struct gf_signal_statistics *c) {
    json_t *list = json_array();
    for (int64_t from = 1, to = 1; from < s->of.n_rings; from = to + 1, to *= 2) {
        char rings[48], range[48], periods[48];
        double sum = 0;
        int64_t bins = 0;
        to = to < s->of.n_rings ? to : s->of.n_rings - 1;
        for (int64_t r = from; r <= to; r++) {
            sum += c->ring[r].mean * (double)c->ring[r].bins;
            bins += c->ring[r].bins;
        }
        const double unit = s->ring_spacing > 0 ? s->ring_spacing : 1;
        double low = c->ring[from].frequency / unit, high = c->ring[to].frequency / unit;
        snprintf(rings, sizeof rings, from == to ? "%lld" : "%lld-%lld", (long long)from,
                 (long long)to);
        range_text(range, low, high);
        range_text(periods, 1 / low, 1 / high);
        GF_APPEND(list, GF_KEY("rings", rings), GF_KEY("range", range), GF_KEY("periods", periods),
                  GF_KEY("bins", bins), GF_KEY("mean", bins ? sum / (double)bins : 0));
    }
    return list;
}

/* The energy by direction in sectors of 15 degrees. */
static json_t *sectors_report(const struct gf_signal_statistics *c) {
    enum { SECTOR = 15 };
    json_t *sectors = json_array();
    for (int first = SECTOR / 2; first < GF_ANGLES; first += SECTOR) {
        double share = 0;
        for (int i = first; i < first + SECTOR; i++)
            share += 100 * c->angle[i % GF_ANGLES];
        GF_APPEND(sectors, GF_KEY("centre", first + SECTOR / 2 - GF_ANGLES / 2 + 1),
                  GF_KEY("share", share));
    }
    return sectors;
}

static json_t *report(const struct gf_stats *s) {
    static const char *const axes[] = {"x", "x,y", "x,y,z"};
    const struct gf_job *job = s->job;
    const bool density = s->o.psd, tiled = s->o.tile;
    char window[GF_WINDOW_TEXT];
    json_t *o =
        GF_ADD(gf_signal_report(s->t, s->t->read[0], s->page),
               GF_KEY("shape", gf_json_shape(job->shape, job->ndim)),
               GF_KEY("channels", job->channels), GF_KEY("type", gf_dtype_name(job->in_dtype)),
               GF_KEY("precision", job->precision == GF_DOUBLE ? "double" : "single"));
    GF_ADD(gf_report_where(s->t, o), GF_KEY("luma", s->o.luma));
    json_t *signals = json_object_get(gf_signal_facts(s->t, o), "signals");
    for (int64_t i = 0; i < s->of.n_signals; i++) {
        const struct gf_signal_statistics *c = &s->of.signal[i];
        GF_ADD(json_array_get(signals, (size_t)i), GF_KEY_IF(s->of.n_signals > 1, ".number", i + 1),
               GF_KEY(".shares", shares_report(&c->energy)),
               GF_KEY(".octaves", octaves_report(s, c)),
               GF_KEY_IF(s->o.angular, ".sectors", sectors_report(c)));
    }
    return GF_ADD(o, GF_KEY_IF(s->unit, "unit", s->unit),
                  GF_KEY_IF(s->ring_spacing > 0, "spacing", s->ring_spacing),
                  GF_KEY(".rings_per", s->ring_spacing > 0 ? s->unit : "sample"),
                  GF_KEY(".peaks_in", s->unit ? s->unit : ""), GF_BOOL("ok", true),
                  GF_KEY(".alpha", s->t->image.alpha),
                  GF_KEY(".magnitudes", gf_dtype_is_complex(job->in_dtype)),
                  GF_KEY(".axes", axes[job->ndim - 1]), GF_BOOL(".plane", job->ndim > 1),
                  GF_BOOL(".volume", job->ndim > 2),
                  GF_BOOL(".seeks", s->o.peaks && s->of.n_tiles == 1),
                  GF_KEY_IF(s->of.changed, "window", gf_window_text(&s->o.window.window, window)),
                  GF_KEY_IF(s->of.changed, "edges", s->o.window.smooth ? "smooth" : "periodic"),
                  GF_KEY_IF(tiled, "tiles", s->of.n_tiles), GF_KEY_IF(tiled, "tile", s->o.tile),
                  GF_KEY_IF(density, "density_unit", s->density_unit),
                  GF_KEY(".power_is", density ? s->density_unit : "mean |F|^2"),
                  GF_KEY_IF(density || s->o.angular, "band_low", s->of.band[0]),
                  GF_KEY_IF(density || s->o.angular, "band_high", s->of.band[1]));
}

static const char form[] =
    "  shape      {shape}, {channels#channel}, {type}{?alpha ; alpha is left out}\n"
    "{?window   window     {window}, {edges} edges{?tiles , {tiles#tile} of {tile} samples along "
    "each axis}\n}"
    "{*signals {?luma   luma\n|{?number   channel {number}\n}}"
    "  samples    mean {mean:.6g}, minimum {minimum:.6g}, maximum {maximum:.6g}, standard "
    "deviation "
    "{deviation:.6g}{?magnitudes  (of magnitudes)}\n"
    "  energy     {*energy sum ||x||^2 {samples:.7g}, sum ||F||^2 / N {spectrum:.7g}}\n"
    "{*shares              {zero:.4g}% in the zero frequency; of the rest {1_8:.3g}% below 1/8 of "
    "Nyquist,\n"
    "             {1_4:.3g}% below 1/4, {1_2:.3g}% below 1/2\n}"
    "  radial spectrum\n"
    "    rings        cycles/{rings_per:-11s} period         bins       {power_is}\n"
    "{*octaves     {rings:-12s} {range:-18s} {periods:-14s} {bins:-10d} {mean:.4g}\n}"
    "{*slope   slope      {value:.4g}, standard error {error:.2g}, of {rings#ring} "
    "from {band_low:.4g} to {band_high:.4g} cycles/sample\n}"
    "{*angles   directions  from {band_low:.4g} to {band_high:.4g} cycles/sample\n"
    "    angle            energy\n"
    "{*sectors     {centre:-16d} {share:.3g}%\n}}"
    "{?peaks   peaks\n    {axes:-16s} period {peaks_in:-3s} {?plane angle    }{?volume tilt     "
    "}amplitude   "
    "times its ring\n"
    "{*peaks     {at:-16.0f} {length:-10.4g} {?plane {angle:-8.1f} }{?volume {tilt:-8.1f} }"
    "{amplitude:-11.4g} {strength:.3g}\n}|{?seeks   peaks      none\n}}}";

void gf_stats_print(const struct gf_stats *s) {
    gf_signal_print(s->t, s->name, form, report(s));
}

/* ---- the radial spectrum as a file ---- */

/* A row for each ring, with a column for each channel. */
static const char csv[] =
    "frequency,bins{*signals ,{power_is}{?number _{number}}}{?spacing ,cycles_per_{unit}}\n"
    "{*rings {frequency:r},{bins}{*means ,{mean:r}}{?spacing ,{cycles:r}}\n}";

static json_t *rings_report(const void *stats) {
    const struct gf_stats *s = stats;
    json_t *signals = json_array(), *rings = json_array(),
           *all = gf_signal_facts(s->t, json_object());
    for (int64_t c = 0; c < s->of.n_signals; c++) {
        json_t *of = json_array_get(json_object_get(all, "signals"), (size_t)c);
        json_array_append(signals, GF_ADD(json_object_get(of, "radial"),
                                          GF_KEY_IF(s->of.n_signals > 1, ".number", c + 1)));
    }
    json_decref(all);
    for (int64_t r = 0; r < s->of.n_rings; r++) {
        const struct gf_ring *ring = &s->of.signal[0].ring[r];
        json_t *means = json_array();
        for (int64_t c = 0; c < s->of.n_signals; c++)
            GF_APPEND(means, GF_KEY("mean", s->of.signal[c].ring[r].mean));
        GF_APPEND(rings, GF_KEY("frequency", ring->frequency), GF_KEY("bins", ring->bins),
                  GF_KEY("means", means),
                  GF_KEY_IF(s->ring_spacing > 0, "cycles", ring->frequency / s->ring_spacing));
    }
    return GF_REPORT(GF_KEY("in", s->t->read[0]), GF_KEY("signals", signals),
                     GF_KEY(".rings", rings), GF_KEY(".power_is", s->o.psd ? "density" : "power"),
                     GF_KEY_IF(s->ring_spacing > 0, ".spacing", s->ring_spacing),
                     GF_KEY_IF(s->ring_spacing > 0, ".unit", s->unit));
}

/* The frequencies, then each channel's powers, each of n_rings numbers. */
static void fill_curves(const struct gf_stats *s, double *number, struct gf_plot_curve *curve) {
    static const char *const channels[] = {"1", "2", "3", "4"}, *const colors[] = {"red", "green",
                                                                                   "blue"};
    static const int color_of[] = {1, 2, 0, 6}; /* near red, green and blue */
    bool named = s->t->image.color == GF_RGB && s->of.n_signals == 3;
    for (int64_t r = 0; r < s->of.n_rings; r++)
        number[r] = s->of.signal[0].ring[r].frequency / (s->ring_spacing > 0 ? s->ring_spacing : 1);
    for (int64_t c = 0; c < s->of.n_signals; c++) {
        double *y = number + (c + 1) * s->of.n_rings;
        for (int64_t r = 0; r < s->of.n_rings; r++)
            y[r] = s->of.signal[c].ring[r].mean;
        curve[c] = (struct gf_plot_curve){.x = number, .y = y, .n = s->of.n_rings};
        curve[c].color = s->of.n_signals == 1 ? 0 : c < 4 ? color_of[c] : 7;
        if (s->of.n_signals > 1 && c < 4)
            curve[c].name = named ? colors[c] : channels[c];
    }
}

int gf_stats_plot(const struct gf_stats *s, const char *what, struct gf_image *image) {
    const char *slash = strrchr(s->t->read[0], '/');
    char label[32] = "cycles/sample";
    if (s->ring_spacing > 0)
        snprintf(label, sizeof label, "cycles/%s", s->unit);
    struct gf_plot plot = {.title = gf_log_name(slash ? slash + 1 : s->t->read[0]),
                           .x_label = label,
                           .y_label = what,
                           .linear_x = image != NULL, /* a line's, from the zero frequency on */
                           .n = (int)s->of.n_signals};
    double *number = malloc(((size_t)s->of.n_signals + 1) * (size_t)s->of.n_rings * sizeof *number);
    struct gf_plot_curve *curve = malloc((size_t)s->of.n_signals * sizeof *curve);
    int rc = number && curve ? 0 : gf_no_memory();
    if (!rc) {
        fill_curves(s, number, curve);
        plot.curve = curve;
        if (s->o.psd)
            plot.nyquist = 0.5 / (s->ring_spacing > 0 ? s->ring_spacing : 1);
        rc = image ? gf_plot_image(&plot, image)
                   : gf_signal_save(s->t, s->page, &plot, csv, rings_report, s);
    }
    free(curve);
    free(number);
    return rc;
}
