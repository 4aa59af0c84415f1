/* Finds periodic noise, waves and screens, in a picture's own spectrum. */
#include <stdlib.h>

#include "core/op/filter/filtering.h"
#include "core/base/value/stretch.h"
#include "core/spectrum/detail.h"
#include "core/spectrum/structure.h"

/* Waves below this share of the strongest one may come from rounding and clipping it. */
static const double LEAST_RATIO = 1. / 16;
/* As a share of an integer type's white: half a level of 8 bits. */
static const double LEAST_SHARE = 0.5 / 255;
/* The residue of a subtracted wave is within half a bin of it, or within `radius` of a swelling
 * one: a gaussian of 1.5 times that radius leaves a fifth at its end. A gaussian of a twelfth of
 * the distance to the centre is within 3e-4 of 1 at a third of it. */
static const double RADIUS = 0.5, WIDER = 1.5, SHARE_OF_DISTANCE = 1. / 12;

/* The least amplitude of an 8-bit picture's strongest wave. JPEGs and scaled pictures have
 * invisible waves of 2, 4 or 8 samples and up to 1.3 levels. */
static const double LEAST_STRONGEST = 1.5;
/* A wave this much stronger than the structure's is judged separately. */
static const double BESIDE = 2.5;
/* Limits of a swelling wave: the most variation over the picture, and the least clearness. */
static const double SWELL_NOISE = 0.25, SWELL_CLEAR = 30;
/* A wave must explain this share of the tiles' power, or leave at most this multiple of the floor
 * around its peak. The other limits apply to waves that explain less than CLEAR_STEADY. */
static const double LEAST_STEADY = 0.875, MOST_EXCESS = 15;
static const double CLEAR_STEADY = 0.95, MOST_NOISE = 1.2, LEAST_CLEAR = 10;
/* A wave that leaves more than this multiple of the floor, and that explains less than this share
 * of the tiles' power, varies over the picture. */
static const double VARIES = 60, MOST_STEADY = 0.99;
/* The noisier a wave is over the places, the clearer its peak must be: at least 15 times as clear
 * as noisy for interference, up to 10 times for stone. */
static const double LEAST_EVIDENCE = 12.5, HIDDEN_EVIDENCE = 3.75;
/* A print's least range, as a share of an integer type's white, and its least number of dots along
 * the shorter side. Perforated dark sheets have a range of 1/3, fabric 0.46, prints 0.8. */
static const double PRINT_RANGE = 0.5, LEAST_DOTS = 24;
/* The least frequency of lines that multiply a picture, and the most slant of them. */
static const double LEAST_LINES = 0.1, MOST_SLANT = 0.1;
/* The least sine of the angle between two waves that span a structure's lattice. */
static const double LEAST_TURN = 0.1;
/* The most contrast of a hidden wave, or of one that swells, as lines of text do. */
static const double MOST_CONTRAST = 0.2;
/* Limits of a painted wave: the share of its power that differs between channels, and the share of
 * that which is not proportional to the channels' means. */
static const double LEAST_UNLIKE = 0.003, MOST_REST = 0.1;
/* In a crowd, waves below this share of a structure's strongest one also belong to it. */
static const double CROWD_SHARE = 0.25;

enum {
    PLAN_BYTES = 128 << 10, /* of a plan with a table, besides the table */
    LOOKED_AT = 24,         /* waves examined to recognise a structure, even if N is less */
    CROWD = 8,              /* the most waves of interference */
    MOST_STRUCTURES = 8,    /* the search ends after this many hidden waves of structures */
};

static const char *option(const struct gf_operation *op) {
    return gf_filter_options_of(op)->auto_notch ? "--auto-notch" : "--descreen";
}

/* ---- choosing ---- */

/* Keeps up to `most` waves of the candidates. */
static void keep_waves(struct gf_periodic_list *found, int most) {
    double strongest = 0;
    int n = 0;
    for (int i = 0; i < found->n && n < most; i++) {
        const struct gf_periodic *p = &found->item[i];
        if (p->amplitude < LEAST_RATIO * strongest || !gf_periodic_is_wave(p))
            continue;
        strongest = fmax(strongest, p->amplitude);
        found->item[n++] = *p;
    }
    found->n = n;
}

/* The power that one wave does not explain in the tiles, over the floor around its peak. */
static double excess_of(const struct gf_periodic *p) {
    return (1 / p->steady - 1) * p->level;
}

static void add_notch(struct gf_notches *list, const struct gf_periodic *p, double radius) {
    struct gf_notch *to = &list->notch[list->n++];
    *to =
        (struct gf_notch){.radius = radius, .strength = sqrt(p->level), .amplitude = p->amplitude};
    to->varies = excess_of(p) > VARIES && p->steady < MOST_STEADY;
    memcpy(to->at, p->at, sizeof to->at);
}

static void add_waves(struct gf_notches *list, const struct gf_periodic_list *found) {
    for (int i = 0; i < found->n; i++) {
        const struct gf_periodic *p = &found->item[i];
        add_notch(list, p, fmin(fmax(RADIUS, WIDER * p->radius), SHARE_OF_DISTANCE * p->periods));
    }
}

/* The search ignores amplitudes below this. */
static double least_amplitude(const struct gf_filter_frame *frame) {
    double low, white = frame->white;
    if (gf_dtype_is_integer(frame->dtype) && !(white > 0))
        gf_dtype_range(frame->dtype, &low, &white);
    return LEAST_SHARE * white;
}

/* The picture that is searched, and its spectrum. */
struct search {
    const struct gf_operation *op;
    const struct gf_job *job;
    const struct gf_array *out;
    int64_t channels;
    double (*levels)[2]; /* for each channel: its 1% and 99% quantiles */
    double total;        /* amplitude of all waves */
};

static struct gf_spectrum spectrum_of(const struct search *e, int64_t channel) {
    return gf_spectrum_of(e->job, e->out, channel, e->op->crew.threads);
}

static int find_candidates(const struct search *e, struct gf_periodic_list *all) {
    struct gf_periodic_list one;
    int rc = 0;
    for (int64_t c = 0; c < e->channels && !rc; c++) {
        struct gf_spectrum s = spectrum_of(e, c);
        rc = gf_spectrum_periodic(&s, least_amplitude(&gf_filtering_of(e->op)->frame), false, &one);
        if (!rc)
            gf_periodic_merge(all, &one);
    }
    return rc;
}

/* ---- interference, or a structure ---- */

static int find_levels(struct search *e) {
    e->levels = gf_alloc((size_t)e->channels * sizeof *e->levels);
    int rc = e->levels ? 0 : gf_no_memory();
    for (int64_t c = 0; c < e->channels && !rc; c++) {
        const struct gf_array px = gf_array_index(&e->op->in, e->job->ndim, c);
        rc = gf_samples_quantiles(&px, (const double[]){0.01, 0.99}, e->levels[c]);
    }
    return rc;
}

/* Examines a wave in the channel in which it is strongest. A coloured structure, and light on it,
 * changes all channels by the same factor; interference adds the same to all, or to one. */
static int examine(const struct search *e, const double *at, struct gf_structure *strongest) {
    double n = (double)e->channels, a = 0, aa = 0, am = 0, mm = 0;
    int rc = 0;
    *strongest = (struct gf_structure){.looked = false};
    for (int64_t c = 0; c < e->channels && !rc; c++) {
        struct gf_spectrum s = spectrum_of(e, c);
        struct gf_structure one;
        rc = gf_structure_look(&s, e->levels[c], at, e->total, &one);
        a += one.amplitude;
        aa += one.amplitude * one.amplitude;
        am += one.amplitude * one.level;
        mm += one.level * one.level;
        if (!rc && one.amplitude >= strongest->amplitude)
            *strongest = one;
    }
    const double unlike = aa - a * a / n, rest = aa - am * am / fmax(mm, 1e-30);
    strongest->painted = unlike > LEAST_UNLIKE * aa && rest < MOST_REST * unlike;
    return rc;
}

static void leave(struct gf_notches *list, const double *at, double amplitude) {
    if (amplitude > list->left.amplitude) {
        list->left.amplitude = amplitude;
        memcpy(list->left.at, at, sizeof list->left.at);
    }
}

/* True if it is not the same wave all over the picture. */
static bool is_noise(const struct gf_periodic *p, const struct gf_structure *seen) {
    if (p->radius > 0 || p->steady >= CLEAR_STEADY)
        return p->radius > 0 && (seen->noise > SWELL_NOISE || p->clear < SWELL_CLEAR ||
                                 (seen->contrast > MOST_CONTRAST && !gf_structure_is_added(seen)));
    return seen->looked && (seen->noise > MOST_NOISE ||
                            p->clear < fmax(LEAST_CLEAR, LEAST_EVIDENCE * seen->noise) ||
                            (p->steady < LEAST_STEADY && excess_of(p) > MOST_EXCESS));
}

/* Near a structure, or in a crowd, only a pure wave is interference: those of a structure that repeats
 * exactly are as constant. */
static bool is_of_structure(const struct gf_notches *list, const struct gf_periodic *p, bool crowd,
                            const struct gf_structure *seen) {
    const double half[2] = {list->left.at[0] / 2, list->left.at[1] / 2};
    const bool multiple = gf_wave_is_multiple(half, p->at);
    const bool alone = !(multiple && (seen->painted || gf_structure_is_bare(seen))) &&
                       (!crowd || !(list->left.amplitude > 0));
    if (!seen->looked ||
        (gf_structure_is_added(seen) && (alone || (!seen->harmonics && !multiple))) ||
        (!crowd && p->amplitude >= BESIDE * list->left.amplitude))
        return false;
    return !gf_structure_is_pure(seen) || multiple ||
           (crowd && p->amplitude < CROWD_SHARE * list->left.amplitude);
}

/* Removes the waves of regular structures from the list. */
static int leave_structures(const struct search *e, struct gf_periodic_list *found) {
    struct gf_notches *list = &gf_filtering_of(e->op)->peaks;
    struct gf_spectrum s = spectrum_of(e, 0);
    struct gf_structure *seen = calloc((size_t)found->n + 1, sizeof *seen);
    bool structure[GF_MAX_PERIODIC], left[GF_MAX_PERIODIC] = {false}, crowd = found->n > CROWD;
    int rc = seen ? 0 : gf_no_memory(), n = 0;
    const struct gf_periodic *p = found->item;
    gf_screens_product(found, &s, structure);
    for (int i = 0; i < found->n && !rc; i++) {
        rc = examine(e, p[i].at, &seen[i]);
        structure[i] =
            !gf_structure_is_added(&seen[i]) && (structure[i] || gf_structure_is_likely(&seen[i]));
        if (structure[i] || (is_noise(&p[i], &seen[i]) && !gf_periodic_is_harmonic(found, left, i)))
            leave(list, p[i].at, p[i].amplitude);
    }
    for (int i = 0; i < found->n && !rc; i++) {
        const bool harmonic = gf_periodic_is_harmonic(found, left, i);
        left[i] = !harmonic && is_noise(&p[i], &seen[i]);
        structure[i] = structure[i] ||
                       (!left[i] && !harmonic && is_of_structure(list, &p[i], crowd, &seen[i]));
        left[i] = left[i] || structure[i];
        if (left[i])
            leave(list, p[i].at, p[i].amplitude);
    }
    for (int i = 0; i < found->n && !rc; i++) /* a few waves may be one and its harmonics */
        if (!left[i] && gf_periodic_is_of_lattice(found, structure, crowd ? 0 : LEAST_TURN, i))
            left[i] = structure[i] = true;
    for (int i = 0; i < found->n && !rc; i++)
        if (!left[i])
            found->item[n++] = p[i];
    found->n = (int)gf_min(n, gf_filter_options_of(e->op)->auto_notch);
    free(seen);
    return rc;
}

/* True if the picture has dark ink, bright paper and many dots, as a scan of a print has. */
static bool may_be_print(const struct search *e, const struct gf_screen *screen,
                         const struct gf_structure *seen) {
    const struct gf_filter_frame *frame = &gf_filtering_of(e->op)->frame;
    const double frequency = hypot(screen->basis[0][0], screen->basis[0][1]);
    return seen->range >= PRINT_RANGE / LEAST_SHARE * least_amplitude(frame) &&
           (double)gf_min(frame->shape[0], frame->shape[1]) * frequency >= LEAST_DOTS;
}

/* Leaves screens that do not look printed. Sets *all if they are the picture itself. */
static int leave_screens(const struct search *e, bool *all) {
    struct gf_notches *list = &gf_filtering_of(e->op)->peaks;
    struct gf_structure seen;
    const struct gf_screen *first = &list->screen[0];
    int rc = examine(e, first->at, &seen);
    /* Dots without a picture below them are the picture. */
    *all = first->n > 1 && gf_structure_is_bare(&seen);
    if (rc || (!*all && may_be_print(e, first, &seen) && gf_structure_is_print(&seen, first)))
        return rc;
    list->n_screens = 0;
    if (first->n > 1)
        leave(list, first->at, first->amplitude);
    return 0;
}

/* Finds lines that multiply the rows of a picture: its spectrum is repeated around them, so they are
 * removed like a screen. */
static int find_lines(const struct search *e, const struct gf_periodic_list *found) {
    struct gf_notches *list = &gf_filtering_of(e->op)->peaks;
    const struct gf_screen_request want = {.known = true};
    struct gf_screen screen[GF_MAX_SCREENS] = {{.n = 0}};
    struct gf_spectrum s = spectrum_of(e, 0);
    struct gf_structure seen;
    gf_screens_find(found, &s, &want, screen);
    const double y = fabs(screen[0].basis[0][0]), x = fabs(screen[0].basis[0][1]);
    if (screen[0].n != 1 || y < LEAST_LINES || x > MOST_SLANT * y)
        return 0;
    int rc = examine(e, screen[0].at, &seen);
    if (!rc && gf_structure_is_factor(&seen))
        list->screen[list->n_screens++] = screen[0];
    return rc;
}

/* ---- hidden waves ---- */

/* Finds the strongest hidden wave of all channels; its amplitude is 0 if there is none. */
static int find_hidden(const struct gf_operation *op, struct gf_detail *detail, int64_t channels,
                       struct gf_periodic *wave) {
    int rc = 0;
    wave->amplitude = 0;
    for (int64_t c = 0; c < channels && !rc; c++) {
        struct gf_periodic p;
        rc = gf_detail_find(&detail[c], least_amplitude(&gf_filtering_of(op)->frame), &p);
        if (!rc && p.amplitude > wave->amplitude)
            *wave = p;
    }
    return rc;
}

/* Adds waves that are weaker than the picture, after `found`. They are only subtracted, since a
 * notch would also remove the stronger picture. */
static int add_hidden(const struct search *e, struct gf_detail *detail,
                      const struct gf_periodic_list *found) {
    const struct gf_operation *op = e->op;
    struct gf_notches *list = &gf_filtering_of(op)->peaks;
    const double least = found->n ? LEAST_RATIO * found->item[0].amplitude : 0;
    const int64_t channels = e->channels;
    struct gf_periodic p;
    struct gf_structure seen;
    int rc = 0, structures = 0;
    while (!rc && list->n < gf_filter_options_of(op)->auto_notch && structures < MOST_STRUCTURES) {
        rc = find_hidden(op, detail, channels, &p);
        if (rc || p.amplitude <= least)
            break;
        rc = examine(e, p.at, &seen);
        if (!rc && (gf_structure_is_likely(&seen) || p.clear < HIDDEN_EVIDENCE * seen.noise ||
                    seen.contrast > MOST_CONTRAST || is_of_structure(list, &p, false, &seen))) {
            double factor[2];
            structures++;
            for (int64_t c = 0; c < channels; c++)
                gf_detail_take(&detail[c], p.at, factor);
            continue;
        }
        add_notch(list, &p, 0);
        double *factor =
            realloc(list->factor, (size_t)(2 * channels * (list->n_hidden + 1)) * sizeof *factor);
        if (!factor)
            return gf_no_memory();
        list->factor = factor;
        factor += 2 * channels * list->n_hidden++;
        for (int64_t c = 0; c < channels; c++)
            gf_detail_take(&detail[c], p.at, factor + 2 * c);
    }
    return rc;
}

static int search_hidden(const struct search *e, const struct gf_periodic_list *found) {
    const int64_t channels = e->channels;
    struct gf_detail *detail = calloc((size_t)channels, sizeof *detail);
    int rc = detail ? 0 : gf_no_memory();
    for (int64_t c = 0; c < channels && !rc; c++) {
        struct gf_spectrum s = spectrum_of(e, c);
        rc = gf_detail_make(&s, found, &detail[c]);
    }
    if (!rc)
        rc = add_hidden(e, detail, found);
    for (int64_t c = 0; c < channels && detail; c++)
        gf_detail_free(&detail[c]);
    free(detail);
    return rc;
}

/* Finds the picture's own power and, unless the samples will be lengthened for it, the mask. */
static int make_mask(const struct search *e, bool lengthened) {
    struct gf_notches *list = &gf_filtering_of(e->op)->peaks;
    struct gf_windowed w = {.whole = lengthened};
    int rc = 0;
    for (int64_t c = 0; c < e->channels && !rc; c++) {
        struct gf_spectrum s = spectrum_of(e, c);
        rc = gf_windowed_power(&s, &w);
    }
    if (!rc && !lengthened)
        list->own = gf_screens_own(&w, list->screen, list->n_screens);
    memcpy(list->screens.extent, e->job->shape, sizeof e->job->shape);
    if (!rc && (lengthened || gf_filter_edges(e->op) != GF_EDGES_SCREEN))
        rc = gf_screens_mask(&w, &list->own, list->screen, list->n_screens, &list->screens.px);
    gf_windowed_free(&w);
    return rc;
}

/* Drops all waves if even the strongest is too faint to be seen. */
static void forget_faint(const struct gf_operation *op) {
    struct gf_notches *list = &gf_filtering_of(op)->peaks;
    double strongest = 0;
    for (int i = 0; i < list->n; i++)
        strongest = fmax(strongest, list->notch[i].amplitude);
    if (gf_filtering_of(op)->frame.dtype == GF_U8 && strongest < LEAST_STRONGEST)
        list->n = list->n_hidden = 0;
}

/* Leaves all screens if the period of one varies over the picture. */
static void forget_varying(struct gf_notches *list) {
    for (int i = 0; i < list->n_screens; i++)
        if (list->screen[i].varies)
            list->varying = 1 / hypot(list->screen[i].basis[0][0], list->screen[i].basis[0][1]);
    if (list->varying > 0)
        list->n_screens = 0;
}

/* Chooses screens, or else waves, among the candidates. */
static int choose(struct search *e, struct gf_periodic_list *found) {
    const struct gf_filter_options *f = gf_filter_options_of(e->op);
    struct gf_notches *list = &gf_filtering_of(e->op)->peaks;
    struct gf_screen_request want = {.known = f->descreen.on,
                                     .period = gf_filtering_of(e->op)->period};
    struct gf_spectrum s = spectrum_of(e, 0);
    bool all = false;
    int rc = 0;
    list->n_screens = gf_screens_find(found, &s, &want, list->screen);
    forget_varying(list);
    if (want.known && !list->n_screens && !(list->varying > 0))
        rc = gf_screens_spread(found, &s, &want, &list->varying);
    const bool screened = list->n_screens;
    if (screened && !want.known)
        rc = leave_screens(e, &all);
    if (!rc && !list->n_screens && !all && f->auto_notch)
        rc = find_lines(e, found);
    if (rc || list->n_screens || all || !f->auto_notch)
        return rc ? rc : list->n_screens ? make_mask(e, false) : 0;
    keep_waves(found, f->auto_notch > LOOKED_AT ? f->auto_notch : LOOKED_AT);
    for (int i = 0; i < found->n; i++)
        e->total += found->item[i].amplitude;
    const struct gf_periodic_list known = *found;
    rc = leave_structures(e, found);
    if (!rc) {
        add_waves(list, found);
        rc = search_hidden(e, &known);
        forget_faint(e->op);
    }
    if (screened && !list->n)
        leave(list, list->screen[0].at, list->screen[0].amplitude);
    return rc;
}

static int find_noise(struct search *e) {
    struct gf_periodic_list found = {.n = 0};
    int rc = find_candidates(e, &found);
    if (!rc)
        rc = find_levels(e);
    if (!rc)
        rc = choose(e, &found);
    gf_free(e->levels);
    return rc;
}

/* ---- the search ---- */

struct gf_job gf_filter_look_job(const struct gf_operation *op, const struct gf_output *output,
                                 bool luma, struct gf_array *out) {
    struct gf_job job = gf_filtering_of(op)->input.data ? op->job : gf_filter_picture_job(op);
    int64_t shape[GF_MAX_RANK];
    job.op = GF_FFT;
    job.luma |= luma;
    memset(job.counted, 0, sizeof job.counted);
    job.in_dtype = gf_filtering_of(op)->input.data  ? gf_filtering_of(op)->input.dtype
                   : gf_filtering_of(op)->n_striped ? gf_filtering_of(op)->clean.dtype
                                                    : op->of.px.dtype;
    job.spend_input = false;
    job.n_out = 1;
    job.out[0] = *output;
    gf_job_out_shape(&job, 0, shape);
    *out = gf_array_wrap(NULL, job.out[0].dtype, job.ndim + 1, shape);
    return job;
}

struct gf_job gf_filter_search_job(const struct gf_operation *op, struct gf_array *out) {
    const enum gf_dtype dtype = op->job.precision == GF_DOUBLE ? GF_C128 : GF_C64;
    const struct gf_output half = {.kind = GF_COMPLEX, .dtype = dtype, .half = true};
    return gf_filter_look_job(op, &half, false, out);
}

/* Memory for the searches in the spectrum: for waves; then for a screen's mask, or hidden waves. */
static int64_t search_bytes(const struct gf_operation *op, const struct gf_job *job,
                            const struct gf_array *out) {
    struct gf_spectrum one = gf_spectrum_of(job, out, 0, op->crew.threads);
    int64_t waves = gf_spectrum_periodic_bytes(&one);
    int64_t screens = gf_windowed_bytes(&one) + gf_screens_mask_bytes(&one), extra;
    int64_t hidden = job->channels * gf_detail_bytes(&one, &extra) + extra;
    int64_t most = screens > hidden ? screens : hidden;
    return 3 * (int64_t)sizeof(struct gf_periodic_list) + gf_structure_bytes() +
           (job->ndim == 2 && most > waves ? most : waves);
}

/* Plans the search within the limit. The plan's workspace remains allocated during the search. */
static int plan_search(struct gf_operation *op, struct gf_job *job, const struct gf_array *out) {
    int64_t held = gf_array_bytes(out) + search_bytes(op, job, out);
    /* If a context is being opened, does not wait for it before the samples are read. */
    if (!op->in.data && gf_runner_ahead(op->crew.runner, job))
        return gf_filter_check_memory(op, held);
    struct gf_crew crew = op->crew;
    crew.held += held;
    const int rc = gf_crew_fit(&crew, job);
    return rc ? rc : gf_filter_check_memory(op, held + op->crew.runner->workspace);
}

/* Converts the period of --descreen to samples, by the file's resolution along x. */
static int resolve_period(struct gf_operation *op) {
    const struct gf_filter_options *f = gf_filter_options_of(op);
    const double dpi = f->dpi > 0 ? f->dpi : op->of.dpi;
    gf_filtering_of(op)->period = f->descreen.period;
    if (!f->descreen.lpi)
        return 0;
    if (!dpi)
        return gf_fail(GF_EINVAL,
                       "--descreen=%glpi: the file does not tell its resolution; give --dpi",
                       f->descreen.lpi);
    gf_filtering_of(op)->period = dpi / f->descreen.lpi;
    return 0;
}

int gf_filter_expect_notches(struct gf_operation *op) {
    struct gf_notches *list = &gf_filtering_of(op)->peaks;
    struct gf_array out;
    if (op->job.axes != (1u << op->job.ndim) - 1)
        return gf_fail(GF_EINVAL,
                       "%s searches the whole spectrum; it works neither page by page nor along "
                       "some of --axes",
                       option(op));
    int rc = resolve_period(op);
    if (rc)
        return rc;
    struct gf_job job = gf_filter_search_job(op, &out);
    const int last = job.ndim - 1;
    list->expected = true;
    for (list->n = 0; list->n < gf_filter_options_of(op)->auto_notch; list->n++) {
        struct gf_notch *p = &list->notch[list->n];
        *p = (struct gf_notch){.radius = RADIUS};
        p->at[last] = (double)((list->n + 1) % (job.shape[last] / 2 + 1));
    }
    return plan_search(op, &job, &out);
}

/* Calls use() with the spectrum of op->in. */
static int with_spectrum(struct gf_operation *op, int (*use)(struct search *e)) {
    struct gf_array out;
    struct gf_report report;
    struct gf_job job = gf_filter_search_job(op, &out);
    struct search e = {.op = op, .job = &job, .out = &out, .channels = out.shape[job.ndim]};
    int rc = plan_search(op, &job, &out);
    if (!rc)
        rc = gf_array_alloc(&out, out.dtype, out.rank, out.shape);
    if (!rc)
        rc = gf_runner_run(op->crew.runner, &op->in, &out, &report);
    if (!rc)
        rc = use(&e);
    gf_array_free(&out);
    gf_runner_forget(op->crew.runner); /* makes room for the filter's table */
    return rc;
}

int gf_filter_find_notches(struct gf_operation *op) {
    struct gf_notches *list = &gf_filtering_of(op)->peaks;
    list->expected = false;
    list->n = list->n_hidden = 0;
    list->left.amplitude = 0;
    return with_spectrum(op, find_noise);
}

static int mask_lengthened(struct search *e) {
    return make_mask(e, true);
}

int gf_filter_mask_screens(struct gf_operation *op) {
    return with_spectrum(op, mask_lengthened);
}

int64_t gf_filter_screen_bytes(const struct gf_operation *op) {
    struct gf_job lengthened = op->job;
    if (!gf_filtering_of(op)->peaks.expected || lengthened.ndim != 2 ||
        gf_filter_options_of(op)->edges != GF_EDGES_PERIODIC)
        return 0;
    for (int i = 0; i < lengthened.ndim; i++)
        lengthened.shape[i] = gf_edges_length(GF_EDGES_SCREEN, lengthened.shape[i]);
    const int64_t more = gf_shape_count(lengthened.shape, 2) - gf_shape_count(op->job.shape, 2);
    const int64_t each = op->job.precision == GF_DOUBLE ? 32 : 16; /* output, spectrum, tables */
    return gf_job_bytes(&lengthened, -1) + each * op->job.channels * more;
}

int64_t gf_filter_notch_bytes(const struct gf_operation *op) {
    const struct gf_notches *list = &gf_filtering_of(op)->peaks;
    const int64_t *shape = gf_filtering_of(op)->frame.shape;
    if (!list->expected)
        return (list->screens.px.data ? gf_array_bytes(&list->screens.px) : 0) +
               (list->painted.px.data ? gf_array_bytes(&list->painted.px) : 0);
    if (op->job.ndim != 2)
        return 0;
    /* The plan has a table of its own; it is counted already if waves may be found too. */
    int64_t tables = gf_filter_options_of(op)->auto_notch ? 1 : 2,
            mask = shape[0] * (shape[1] / 2 + 1) * 4;
    int64_t table = op->job.shape[0] * (op->job.shape[1] / 2 + 1);
    /* The input is lengthened once, for screens or for waves. */
    const int64_t wider = gf_max(0, gf_filter_screen_bytes(op) - gf_filter_lengthen_bytes(op));
    return mask + tables * table * (op->job.precision == GF_DOUBLE ? 8 : 4) + PLAN_BYTES + wider;
}
