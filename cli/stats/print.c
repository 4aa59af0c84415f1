/* What stats found, as text and as JSON. */
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/log.h"
#include "cli/batch/report.h"
#include "cli/stats/stats.h"

static void print_shape(const struct gf_stats *s) {
    int64_t channels = s->job->channels;
    printf("  shape      ");
    for (int i = 0; i < s->job->ndim; i++)
        printf("%s%lld", i ? "x" : "", (long long)s->job->shape[i]);
    printf(", %lld channel%s, %s%s\n", (long long)channels, channels == 1 ? "" : "s",
           gf_dtype_name(s->job->in_dtype), s->image->alpha ? "; alpha is left out" : "");
}

static double percent(double part, double whole) {
    return whole > 0 ? 100 * (part / whole) : 0;
}

static void print_samples(const struct gf_stats *s, const struct gf_signal *c) {
    const struct gf_energy *e = &c->energy;
    double rest = e->total - e->zero;
    printf("  samples    mean %.6g, minimum %.6g, maximum %.6g, standard deviation %.6g%s\n",
           c->samples.mean, c->samples.low, c->samples.high, c->samples.deviation,
           gf_dtype_is_complex(s->job->in_dtype) ? " (of magnitudes)" : "");
    printf("  energy     sum |x|^2 %.7g, sum |F|^2 / N %.7g\n", c->samples.energy, e->total);
    printf("             %.4g%% in the zero frequency; of the rest %.3g%% below 1/8 of Nyquist,\n"
           "             %.3g%% below 1/4, %.3g%% below 1/2\n",
           percent(e->zero, e->total), percent(e->below[0], rest), percent(e->below[1], rest),
           percent(e->below[2], rest));
}

/* Rings by octaves: 1, 2, 3-4, 5-8, … */
static void print_rings(const struct gf_stats *s, const struct gf_signal *c) {
    printf("  radial spectrum\n"
           "    rings        cycles/sample      period         bins       mean |F|^2\n");
    for (int64_t from = 1, to = 1; from < s->n_rings; from = to + 1, to *= 2) {
        char rings[48], range[48], periods[48];
        double sum = 0;
        int64_t bins = 0;
        to = to < s->n_rings ? to : s->n_rings - 1;
        for (int64_t r = from; r <= to; r++) {
            sum += c->ring[r].mean * (double)c->ring[r].bins;
            bins += c->ring[r].bins;
        }
        double low = c->ring[from].frequency, high = c->ring[to].frequency;
        if (from == to) {
            snprintf(rings, sizeof rings, "%lld", (long long)from);
            snprintf(range, sizeof range, "%.4g", low);
            snprintf(periods, sizeof periods, "%.4g", 1 / low);
        } else {
            snprintf(rings, sizeof rings, "%lld-%lld", (long long)from, (long long)to);
            snprintf(range, sizeof range, "%.4g-%.4g", low, high);
            snprintf(periods, sizeof periods, "%.4g-%.4g", 1 / low, 1 / high);
        }
        printf("    %-12s %-18s %-14s %-10lld %.4g\n", rings, range, periods, (long long)bins,
               bins ? sum / (double)bins : 0);
    }
}

/* "36,-20": x first. */
static const char *place(const struct gf_stats *s, const struct gf_peak *p, char text[80]) {
    text[0] = 0;
    for (int i = s->job->ndim - 1; i >= 0; i--) {
        size_t used = strlen(text);
        snprintf(text + used, 80 - used, "%s%lld", i < s->job->ndim - 1 ? "," : "",
                 (long long)p->at[i]);
    }
    return text;
}

static void print_peaks(const struct gf_stats *s, const struct gf_signal *c) {
    static const char *const axes[] = {"x", "x,y", "x,y,z"};
    int ndim = s->job->ndim;
    char text[80];
    if (!c->n_peaks) {
        if (s->peaks)
            printf("  peaks      none\n");
        return;
    }
    printf("  peaks\n    %-16s %-10s %s%s%-11s %s\n", axes[ndim - 1], "period",
           ndim > 1 ? "angle    " : "", ndim > 2 ? "tilt     " : "", "amplitude", "times its ring");
    for (int i = 0; i < c->n_peaks; i++) {
        const struct gf_wave *w = &c->wave[i];
        printf("    %-16s %-10.4g ", place(s, &c->peak[i], text), w->period);
        if (ndim > 1)
            printf("%-8.1f ", w->angle);
        if (ndim > 2)
            printf("%-8.1f ", w->tilt);
        printf("%-11.4g %.3g\n", w->amplitude, c->peak[i].strength);
    }
}

void gf_stats_print(const struct gf_stats *s) {
    gf_log_heading(s->name);
    print_shape(s);
    for (int64_t i = 0; i < s->n_signals; i++) {
        if (s->job->luma)
            printf("  luma\n");
        else if (s->n_signals > 1)
            printf("  channel %lld\n", (long long)i + 1);
        print_samples(s, &s->signal[i]);
        print_rings(s, &s->signal[i]);
        print_peaks(s, &s->signal[i]);
    }
    gf_log_flush_stdout();
}

static json_t *json_peaks(const struct gf_stats *s, const struct gf_signal *c) {
    json_t *list = json_array();
    for (int i = 0; i < c->n_peaks; i++) {
        const struct gf_peak *p = &c->peak[i];
        const struct gf_wave *w = &c->wave[i];
        json_t *o = json_object();
        json_object_set_new(o, "at", gf_json_shape(p->at, s->job->ndim));
        json_object_set_new(o, "frequency", json_real(w->frequency));
        json_object_set_new(o, "period", json_real(w->period));
        if (s->job->ndim > 1)
            json_object_set_new(o, "angle", json_real(w->angle));
        if (s->job->ndim > 2)
            json_object_set_new(o, "tilt", json_real(w->tilt));
        json_object_set_new(o, "amplitude", json_real(w->amplitude));
        json_object_set_new(o, "strength", json_real(p->strength));
        json_object_set_new(o, "radius", json_real(p->radius));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *json_energy(const struct gf_signal *c) {
    const struct gf_energy *e = &c->energy;
    json_t *o = json_object();
    json_object_set_new(o, "samples", json_real(c->samples.energy));
    json_object_set_new(o, "spectrum", json_real(e->total));
    json_object_set_new(o, "zero", json_real(e->zero));
    json_object_set_new(o, "below_1_8", json_real(e->below[0]));
    json_object_set_new(o, "below_1_4", json_real(e->below[1]));
    json_object_set_new(o, "below_1_2", json_real(e->below[2]));
    return o;
}

json_t *gf_radial_json(const struct gf_stats *s, const struct gf_signal *c) {
    json_t *o = json_object(), *bins = json_array(), *power = json_array();
    for (int64_t r = 0; r < s->n_rings; r++) {
        json_array_append_new(bins, json_integer(c->ring[r].bins));
        json_array_append_new(power, json_real(c->ring[r].mean));
    }
    json_object_set_new(o, "step", json_real(s->n_rings > 1 ? c->ring[1].frequency : 1));
    json_object_set_new(o, "bins", bins);
    json_object_set_new(o, "power", power);
    return o;
}

static json_t *json_signal(const struct gf_stats *s, const struct gf_signal *c) {
    json_t *o = json_object();
    json_object_set_new(o, "mean", json_real(c->samples.mean));
    json_object_set_new(o, "minimum", json_real(c->samples.low));
    json_object_set_new(o, "maximum", json_real(c->samples.high));
    json_object_set_new(o, "deviation", json_real(c->samples.deviation));
    json_object_set_new(o, "energy", json_energy(c));
    json_object_set_new(o, "radial", gf_radial_json(s, c));
    json_object_set_new(o, "peaks", json_peaks(s, c));
    return o;
}

void gf_stats_json(const struct gf_stats *s) {
    json_t *o = json_object(), *signals = json_array();
    json_object_set_new(o, "in", gf_json_text(s->path));
    if (s->page >= 0)
        json_object_set_new(o, "page", json_integer(s->page));
    json_object_set_new(o, "command", json_string("stats"));
    json_object_set_new(o, "shape", gf_json_shape(s->job->shape, s->job->ndim));
    json_object_set_new(o, "channels", json_integer(s->job->channels));
    json_object_set_new(o, "type", json_string(gf_dtype_name(s->job->in_dtype)));
    json_object_set_new(o, "precision",
                        json_string(s->job->precision == GF_DOUBLE ? "double" : "single"));
    json_object_set_new(o, "backend", json_string(s->backend));
    json_object_set_new(o, "luma", json_boolean(s->job->luma));
    for (int64_t i = 0; i < s->n_signals; i++)
        json_array_append_new(signals, json_signal(s, &s->signal[i]));
    json_object_set_new(o, "signals", signals);
    json_object_set_new(o, "ok", json_true());
    gf_json_print(o);
}
