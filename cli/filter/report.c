/* Reports: the waves, screens and stripes that were removed or left, and what --deconvolve measured. */
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "cli/report.h"

enum { MOST_TOLD = 4 };

static struct gf_wave wave_of(const struct gf_task *t, const double *at) {
    return gf_wave_at(t->op.job.ndim, gf_filtering_of(&t->op)->frame.shape, at);
}

/* Writes ": period 4.5, angle 30, strength 61"; further waves follow a semicolon. */
static int add_wave(char *text, size_t room, int i, const struct gf_wave *wave, double strength) {
    return snprintf(text, room, "%s period %.4g, angle %.3g, strength %.3g", i ? ";" : ":",
                    wave->period, wave->angle, strength);
}

static void tell_found(const struct gf_task *t, bool screens, int n, const char *left) {
    const struct gf_notches *list = &gf_filtering_of(&t->op)->peaks;
    char text[512], rest[32] = "";
    int length = 0;
    for (int i = 0; i < n && i < MOST_TOLD; i++) {
        struct gf_wave wave = wave_of(t, screens ? list->screen[i].at : list->notch[i].at);
        length += add_wave(text + length, sizeof text - (size_t)length, i, &wave,
                           screens ? sqrt(list->screen[i].level) : list->notch[i].strength);
    }
    if (n > MOST_TOLD)
        snprintf(rest, sizeof rest, "; and %d more", n - MOST_TOLD);
    gf_log_note("'%s': removed %d %s%s%s%s%s%s", gf_log_name(t->read[0]), n,
                screens ? "screen" : "wave", n == 1 ? "" : "s",
                !screens                ? ""
                : list->screen[0].n > 1 ? " of dots"
                                        : " of lines",
                text, rest, left);
}

static void list_notches(const struct gf_task *t) {
    const struct gf_notches *list = &gf_filtering_of(&t->op)->peaks;
    for (int i = 0; i < list->n; i++) {
        const struct gf_notch *p = &list->notch[i];
        char place[96];
        int n = 0;
        for (int k = t->op.job.ndim - 1; k >= 0; k--)
            n += snprintf(place + n, sizeof place - (size_t)n, "%.2f,", p->at[k]);
        gf_log_verbose("'%s': a wave at %s amplitude %.3g, %.3g times its surroundings",
                       gf_log_name(t->read[0]), place, p->amplitude, p->strength);
    }
}

void gf_filter_tell_notches(const struct gf_task *t) {
    const struct gf_notches *list = &gf_filtering_of(&t->op)->peaks;
    const bool waves = t->s->filter.auto_notch;
    char left[160] = "";
    if (list->left.amplitude > 0)
        snprintf(left, sizeof left,
                 "; left alone: a regular pattern of period %.3g px with sharp edges, such as "
                 "bricks or mesh%s",
                 wave_of(t, list->left.at).period,
                 gf_dtype_is_integer(t->op.job.in_dtype) ? " (--descreen removes printed screens)"
                                                         : "");
    if (list->varying > 0)
        snprintf(left, sizeof left,
                 "; left alone: a screen whose period, about %.3g px, varies over the picture",
                 list->varying);
    if (list->n_screens || list->n)
        tell_found(t, list->n_screens, list->n_screens ? list->n_screens : list->n, left);
    else
        gf_log_note("'%s': %s%s%s", gf_log_name(t->read[0]),
                    waves ? "--auto-notch finds no periodic noise" : "--descreen finds no screen",
                    t->op.untouched ? "; the samples are untouched" : "", left);
    list_notches(t);
}

/* `strength`: negative if there is none. */
static json_t *describe_wave(const struct gf_task *t, const double *at, double strength,
                             double amplitude) {
    const struct gf_wave wave = wave_of(t, at);
    return GF_REPORT(GF_KEY("at", gf_json_reals(at, NULL, t->op.job.ndim)),
                     GF_KEY("period", wave.period), GF_KEY("angle", wave.angle),
                     GF_KEY_IF(strength >= 0, "strength", strength),
                     GF_KEY("amplitude", amplitude));
}

void gf_filter_describe_notches(const struct gf_task *t, json_t *o) {
    const struct gf_notches *list = &gf_filtering_of(&t->op)->peaks;
    json_t *notches = json_array(), *screens = json_array(), *left = json_array();
    for (int i = 0; i < list->n; i++) {
        const struct gf_notch *p = &list->notch[i];
        json_array_append_new(notches, GF_ADD(describe_wave(t, p->at, p->strength, p->amplitude),
                                              GF_KEY("radius", p->radius)));
    }
    for (int i = 0; i < list->n_screens; i++) {
        const struct gf_screen *p = &list->screen[i];
        json_array_append_new(screens, GF_ADD(describe_wave(t, p->at, sqrt(p->level), p->amplitude),
                                              GF_KEY("of", p->n > 1 ? "dots" : "lines")));
    }
    if (list->left.amplitude > 0)
        json_array_append_new(left,
                              GF_ADD(describe_wave(t, list->left.at, -1, list->left.amplitude),
                                     GF_KEY("reason", "regular pattern")));
    if (list->varying > 0)
        json_array_append_new(
            left, GF_REPORT(GF_KEY("period", list->varying), GF_KEY("reason", "period varies")));
    GF_ADD(o, GF_KEY("notches", notches), GF_KEY("left", left), GF_KEY("screens", screens));
}

void gf_filter_tell_stripes(const struct gf_task *t) {
    const struct gf_filtering *f = gf_filtering_of(&t->op);
    const char *name = gf_log_name(t->read[0]);
    char planes[48] = "", period[48] = "";
    if (t->op.job.ndim > 2)
        snprintf(planes, sizeof planes, " in %lld of %lld planes", (long long)f->n_striped,
                 (long long)gf_filter_planes(&t->op));
    if (f->stripes.period > 0)
        snprintf(period, sizeof period, ", bands of period %.4g", f->stripes.period);
    if (f->n_striped)
        gf_log_note("'%s': removed stripes along %s (angle %d)%s%s, deviation %.3g", name,
                    f->stripes.axis ? "columns" : "rows", f->stripes.axis ? 0 : 90, period, planes,
                    f->stripes.deviation);
    else
        gf_log_note("'%s': --destripe finds no stripes%s", name,
                    t->op.untouched ? "; the samples are untouched" : "");
}

void gf_filter_describe_stripes(const struct gf_task *t, json_t *o) {
    const struct gf_stripes *s = &gf_filtering_of(&t->op)->stripes;
    json_t *list = json_array();
    if (gf_filtering_of(&t->op)->n_striped)
        GF_APPEND(list, GF_KEY("angle", s->axis ? 0 : 90), GF_KEY("deviation", s->deviation),
                  GF_KEY("coherence", s->coherence), GF_KEY("levels", s->levels),
                  GF_KEY_IF(s->period > 0, "period", s->period),
                  GF_KEY("planes", (long)gf_filtering_of(&t->op)->n_striped));
    GF_ADD(o, GF_KEY("stripes", list));
}

void gf_filter_describe_restored(const struct gf_task *t, json_t *o) {
    const struct gf_restored *r = &gf_filtering_of(&t->op)->restored;
    const bool iterates = gf_filter_iterates(&t->s->filter),
               wiener = gf_filter_measures(&t->s->filter);
    const double l = t->s->filter.restore.regularize;
    const char *method = iterates ? "richardson-lucy" : wiener ? "wiener" : "tikhonov";
    json_t *said =
        GF_REPORT(GF_KEY("psf", gf_filter_psf(&t->s->filter)->text), GF_KEY("method", method),
                  GF_KEY_IF(r->noise.deviation > 0, "noise", r->noise.deviation),
                  GF_KEY_IF(wiener, "k", r->prior.mean), GF_KEY_IF(l > 0, "l", l),
                  GF_KEY_IF(iterates, "iterations", r->iterations));
    GF_ADD(o, GF_KEY("deconvolved", said));
}
