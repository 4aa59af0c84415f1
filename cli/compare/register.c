/* gpufft register: how pictures, volumes or the frames of a stack lie on a reference. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/command.h"
#include "cli/compare/align.h"
#include "cli/compare/signal.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/base/memory.h"
#include "core/base/sample_value.h"
#include "core/compare/correlate.h"
#include "core/divide/conveyor.h"

enum estimate { SHIFT, RIGID, SIMILARITY };
enum { PREVIOUS = 1, EDGE = 1 };

/* Signals: the picture in place, and the polar samples of two. */
enum { MOVED, POLAR, N_ARRAYS = POLAR + 2 };
/* Runners of a hand, each of which keeps its plan. */
enum { FORWARD, FIRST, INVERSE, ALIGNING, N_RUNNERS };
enum { MOST_HANDS = 64 };

/* Pictures of so many samples a side are first looked for at half their size, which takes a quarter
 * of the time, unless the peak there is lower than SURE. */
enum { HALVED = 256, SURE = 20 };

/* The arrays of a correlation, allocated for the first pair. */
struct work {
    struct gf_array px;       /* a tapered signal, or the surface */
    struct gf_spectrum kept;  /* of the reference, if `ready` */
    float *share;             /* of its rings */
    struct gf_spectrum of[2]; /* of the reference and the other one */
    double energy;            /* of of[0] */
    bool ready, near;         /* near: of[0] is the reference behind the window of small shifts */
};

/* A picture or page and what was found. */
struct frame {
    struct gf_image image;
    struct gf_array ref, px; /* --to=previous: the frame before; the frame */
    struct gf_motion motion;
    double height, coefficient;
    const char *backend;
    struct gf_failure failed;
};

/* A thread that registers frames. */
struct hand {
    struct gf_registering *all;
    struct frame *f;
    const struct gf_array *ref, *in;
    struct gf_runner own[N_RUNNERS], *runner[N_RUNNERS];
    struct gf_array array[N_ARRAYS];
    struct work pictures, halves, polars; /* halves: pictures of half the size, f32 */
};

/* The state of a run: the reference, and where the last frame is. */
struct gf_registering {
    struct gf_task *t;
    struct gf_array ref;
    struct gf_metadata place; /* the reference's, of which aligned pictures get the coordinates */
    struct gf_image volume;
    int threads, hands, frames;       /* threads of a hand; frames in memory */
    int64_t bytes;                    /* of all arrays */
    struct hand hand[MOST_HANDS + 1]; /* the last one aligns frames that follow each other */
    struct frame frame[2 * MOST_HANDS];
    double before[GF_MAX_DIMS]; /* --to=previous: the sum of the shifts */
    bool printed;
};

static void free_work(struct work *w) {
    struct gf_array *const array[] = {&w->px, &w->kept.px, &w->of[0].px, &w->of[1].px};
    for (int i = 0; i < 4; i++)
        gf_array_free(array[i]);
    free(w->share);
    *w = (struct work){.ready = false};
}

/* Frees all but the reference. */
static void free_state(struct gf_registering *g) {
    for (int i = 0; i <= g->hands; i++) {
        struct hand *r = &g->hand[i];
        free_work(&r->pictures);
        free_work(&r->halves);
        free_work(&r->polars);
        for (int k = 0; k < N_ARRAYS; k++)
            gf_array_free(&r->array[k]);
        for (int k = 0; k < N_RUNNERS; k++)
            gf_runner_close(&r->own[k]);
    }
    for (int i = 0; i < g->frames; i++) {
        gf_array_free(&g->frame[i].image.px);
        gf_array_free(&g->frame[i].ref);
        gf_array_free(&g->frame[i].px);
    }
    g->hands = g->frames = 0;
}

/* True for pictures that are first looked for at half their size. */
static bool has_halves(int rank, const int64_t *shape, bool is_single) {
    return rank == 2 && is_single && shape[0] >= HALVED && shape[1] >= HALVED;
}

/* Bytes of a hand's arrays: a tapered signal and three spectra of the picture, less of the halves,
 * and for --estimate=rigid the moved picture and the polar samples. */
static int64_t hand_bytes(const struct gf_settings *s, const struct gf_image *page) {
    const int64_t signal = gf_signal_bytes(s, page), n = gf_shape_count(page->px.shape, page->ndim),
                  spectrum = gf_signal_spectrum_bytes(page->ndim, page->px.shape, false),
                  polars = s->reg.estimate == SHIFT ? 0 : (int64_t)GF_POLAR * GF_POLAR * 24;
    const bool halves = has_halves(page->ndim, page->px.shape, signal == 4 * n);
    return 4 * n + 3 * spectrum + (halves ? n + spectrum / 2 : 0) + polars + (polars ? signal : 0);
}

/* Bytes that a hand needs beside its arrays: the workspace of its transforms, all of which a stack's
 * hand keeps, or what aligning takes (cli/compare/align.h). */
static int64_t beside_bytes(struct gf_registering *g, const struct gf_image *page, int64_t pages) {
    const struct gf_task *t = g->t;
    const int64_t work = gf_signal_workspace(t->runner, page->ndim, page->px.shape, false);
    const int64_t aligning = t->targets->n
                                 ? gf_align_bytes(t->s->reg.estimate == SHIFT,
                                                  gf_settings_precision(t->s, page->px.dtype),
                                                  &page->px, t->product[0].image.px.dtype)
                                 : 0;
    return pages > 1 ? 2 * work + work / 4 + aligning : gf_max(work, aligning);
}

/* Chooses how many hands share pages of that shape, as many as fit memory; returns the bytes of all. */
static int64_t choose_hands(struct gf_registering *g, const struct gf_image *page, int64_t pages) {
    const struct gf_settings *s = g->t->s;
    const bool whole = pages > 1 && !gf_reader_has_pages(&g->t->reader);
    const int64_t signal = gf_signal_bytes(s, page), hand = hand_bytes(s, page),
                  frame = gf_array_bytes(&page->px) + signal * (1 + (s->reg.to == PREVIOUS)),
                  beside = beside_bytes(g, page, pages),
                  held = gf_array_bytes(&g->t->product[0].image.px) + signal +
                         (whole ? gf_array_bytes(&page->px) * pages : 0);
    g->hands = (int)gf_min(gf_min(gf_settings_threads(s), MOST_HANDS), pages) + 1;
    do {
        g->hands--;
        g->frames = pages > 1 ? 2 * g->hands : 1;
        g->bytes = held + g->frames * frame + g->hands * hand;
    } while (g->hands > 1 && g->bytes + g->hands * beside > gf_runner_limit(g->t->runner));
    return g->bytes + g->hands * beside;
}

static void open_hands(struct gf_registering *g, const struct gf_image *page, int64_t pages) {
    choose_hands(g, page, pages);
    g->threads = gf_settings_threads(g->t->s) / g->hands;
    for (int i = 0; i <= g->hands; i++) {
        struct hand *r = &g->hand[i];
        r->all = g;
        for (int k = 0; k < N_RUNNERS; k++) {
            r->runner[k] = pages > 1 ? &r->own[k] : g->t->runner;
            if (pages > 1)
                gf_runner_open(&r->own[k], g->t->runner->session, g->threads);
            gf_runner_repeat(r->runner[k], pages);
        }
    }
}

/* ---- correlation ---- */

/* Tapers a signal, or its half, and transforms it. Like all below that return a status, GF_ENOMEM
 * or worse. */
static int transform(struct hand *r, struct work *w, const struct gf_array *px,
                     const double *middle, const double *less, struct gf_spectrum *to,
                     double *energy) {
    const unsigned axes = w == &r->polars ? 2 : 7; /* angles are periodic */
    int64_t shape[GF_MAX_DIMS];
    for (int i = 0; i < px->rank; i++)
        shape[i] = px->shape[i] >> (w == &r->halves);
    int rc = w->px.data ? 0 : gf_array_alloc(&w->px, GF_F32, px->rank, shape);
    if (!rc)
        rc = gf_taper(px, middle, less, axes, r->all->threads, &w->px, energy);
    if (!rc && !(*energy > 0))
        rc = gf_fail(GF_EINVAL, "all samples are equal, and nothing can be aligned");
    if (rc)
        return rc;
    return gf_signal_forward(r->runner[w == &r->pictures ? FORWARD : FIRST], r->all->bytes, &w->px,
                             to);
}

/* Finds the shift of `in` to about a tenth of a sample, and how far the peak rises. */
static int find(struct hand *r, struct work *w, const struct gf_array *ref,
                const struct gf_array *in, struct gf_correlation_peak *peak) {
    double energy;
    int rc = w->ready ? 0 : transform(r, w, ref, NULL, NULL, &w->kept, &energy);
    if (!rc && !w->ready)
        rc = gf_ring_shares(&w->kept, &w->share);
    w->ready = !rc;
    if (!rc)
        rc = transform(r, w, in, NULL, NULL, &w->of[1], &energy);
    if (!rc)
        rc = gf_cross_phases(&w->kept, w->share, &w->of[1], &w->of[1]);
    if (rc)
        return rc;
    rc = gf_signal_inverse(r->runner[INVERSE], r->all->bytes, &w->of[1], &w->px);
    gf_correlation_peak(&w->kept, &w->px, peak);
    for (int i = 0; i < ref->rank && w == &r->halves; i++)
        peak->shift[i] *= 2;
    return rc;
}

static int find_shift(struct hand *r, struct gf_correlation_peak *peak) {
    const struct gf_array *px = r->in;
    const bool halves =
        has_halves(px->rank, px->shape, px->dtype == GF_F32 && r->ref->dtype == GF_F32);
    int rc = halves ? find(r, &r->halves, r->ref, px, peak) : 0;
    return rc || (halves && peak->height >= SURE) ? rc : find(r, &r->pictures, r->ref, px, peak);
}

/* Refines a shift that find() found, in windows of what both show. For small shifts the reference
 * keeps one window, and its spectrum. */
static int refine(struct hand *r, struct work *w, const struct gf_array *ref,
                  const struct gf_array *in, double *shift) {
    double energy[2], less[GF_MAX_DIMS], middle[2][GF_MAX_DIMS];
    bool near = true;
    int rc = 0;
    for (int i = 0; i < ref->rank; i++)
        near = near && 16 * fabs(shift[i]) <= (double)ref->shape[i];
    for (int i = 0; i < ref->rank; i++) {
        less[i] = near ? (double)ref->shape[i] / 8 : fabs(shift[i]);
        middle[0][i] = near ? 0 : shift[i] / 2;
        middle[1][i] = middle[0][i] - shift[i];
    }
    if (!near || !w->near)
        rc = transform(r, w, ref, middle[0], less, &w->of[0], &w->energy);
    w->near = near && !rc;
    energy[0] = w->energy;
    if (!rc)
        rc = transform(r, w, in, middle[1], less, &w->of[1], &energy[1]);
    return rc ? rc : gf_correlation_refine(&w->of[0], &w->of[1], energy, shift, &r->f->coefficient);
}

/* ---- turn and scale ---- */

/* Finds what turns and scales `in`, up to half a turn, and adds it to r->f->motion. */
static int find_turn(struct hand *r, const struct gf_array *in) {
    const int64_t shape[] = {GF_POLAR, GF_POLAR};
    const struct gf_array *const picture[] = {r->ref, in};
    struct gf_correlation_peak peak;
    struct work *w = &r->polars;
    double energy;
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        if (!r->array[POLAR + i].data)
            rc = gf_array_alloc(&r->array[POLAR + i], GF_F32, 2, shape);
        if (!rc)
            rc = transform(r, &r->pictures, picture[i], NULL, NULL, &r->pictures.of[i], &energy);
        if (!rc)
            gf_motion_polar(&r->pictures.of[i], &r->array[POLAR + i]);
    }
    w->ready = w->near = r->pictures.near = false;
    if (!rc)
        rc = find(r, w, &r->array[POLAR], &r->array[POLAR + 1], &peak);
    if (!rc)
        rc = refine(r, w, &r->array[POLAR], &r->array[POLAR + 1], peak.shift);
    const struct gf_motion more = gf_motion_of_polar(peak.shift);
    r->f->motion.turn += more.turn;
    r->f->motion.scale *= r->all->t->s->reg.estimate == SIMILARITY ? more.scale : 1;
    return rc;
}

/* Moves `in` by r->f->motion into MOVED, and finds the shift that is left. */
static int find_moved(struct hand *r, struct gf_correlation_peak *peak) {
    int rc =
        r->array[MOVED].data ? 0 : gf_array_alloc(&r->array[MOVED], r->in->dtype, 2, r->in->shape);
    if (rc)
        return rc;
    memset(r->f->motion.shift, 0, sizeof r->f->motion.shift);
    gf_motion_apply(r->in, &r->f->motion, true, r->all->threads, &r->array[MOVED]);
    return find(r, &r->pictures, r->ref, &r->array[MOVED], peak);
}

/* The spectrum's magnitude is the same after half a turn, so both are tried; then the picture, now
 * nearly in place, shows what is left to turn. */
static int find_motion(struct hand *r, struct gf_correlation_peak *peak) {
    struct gf_correlation_peak other;
    int rc = find_turn(r, r->in);
    if (!rc)
        rc = find_moved(r, peak);
    r->f->motion.turn += 180;
    if (!rc)
        rc = find_moved(r, &other);
    if (!rc && other.height > peak->height)
        *peak = other;
    else
        r->f->motion.turn -= 180;
    if (rc)
        return rc;
    memcpy(r->f->motion.shift, peak->shift, sizeof peak->shift);
    gf_motion_apply(r->in, &r->f->motion, true, r->all->threads, &r->array[MOVED]);
    rc = find_turn(r, &r->array[MOVED]);
    r->f->motion.turn = remainder(r->f->motion.turn, 360);
    return rc ? rc : find_moved(r, peak);
}

/* Registers r->in. GF_EINVAL if it has nothing in common with the reference. */
static int estimate(struct hand *r) {
    const bool turns = r->all->t->s->reg.estimate != SHIFT;
    struct gf_correlation_peak peak;
    r->f->motion = (struct gf_motion){.scale = 1};
    int rc = turns ? find_motion(r, &peak) : find_shift(r, &peak);
    const int least = turns ? GF_PEAK_LEAST_TURNED : GF_PEAK_LEAST;
    if (!rc && !(peak.height >= least))
        rc = gf_fail(GF_EINVAL,
                     "nothing in common with the reference: the correlation's peak is %.3g times "
                     "its deviation, and less than %d may be chance",
                     peak.height, least);
    if (rc)
        return rc;
    r->f->height = peak.height;
    memcpy(r->f->motion.shift, peak.shift, sizeof peak.shift);
    return refine(r, &r->pictures, r->ref, turns ? &r->array[MOVED] : r->in, r->f->motion.shift);
}

/* ---- the aligned picture ---- */

/* Puts the aligned picture into the product. Its alpha moves with it. */
static int align(struct hand *r, int64_t page) {
    const struct gf_array *in = &r->f->image.px;
    struct gf_array to = r->all->t->product[0].image.px;
    if (page >= 0)
        to = gf_array_index(&to, 0, page);
    const struct gf_array from = gf_array_slice(in, in->rank - 1, 0, to.shape[to.rank - 1]);
    const struct gf_aligning how = {.runner = r->runner[ALIGNING],
                                    .motion = &r->f->motion,
                                    .precision = gf_settings_precision(r->all->t->s, from.dtype),
                                    .threads = r->all->threads,
                                    .edge = r->all->t->s->reg.fill == EDGE,
                                    .held = r->all->bytes};
    return r->all->t->s->reg.estimate == SHIFT ? gf_align_shift(&how, &from, &to)
                                               : gf_align_move(&how, &from, &to);
}

/* ---- the report ---- */

static const char form[] =
    "{?first input                    {*axes {axis:-11s}}"
    "{?unit {*axes {axis} in {unit:-8s}}}{?turns rotation  scale     }correlation  peak\n}"
    "{name:-24s} {*axes {samples:-10.3f} }{?unit {*axes {units:-12.5g} }}"
    "{?turns {rotation:-9.3f} {scale:-9.5f} }{correlation:-12.4f} {peak:.1f}\n";

static void print(struct gf_registering *g, const struct frame *f, const char *name, int64_t page) {
    static const char *const names[] = {"z", "y", "x"};
    const struct gf_task *t = g->t;
    const struct gf_motion *m = &f->motion;
    const int ndim = g->ref.rank;
    double spacing[GF_MAX_DIMS] = {0};
    const char *unit = gf_signal_spacing(&f->image, ndim, spacing, NULL);
    const char *frame = t->n_read > 1 ? t->read[page] : NULL;
    if (t->targets->n && !strcmp(t->targets->target[0].where.text, "-"))
        return; /* the picture has stdout */
    json_t *axes = json_array();
    for (int i = 0; i < ndim; i++)
        GF_APPEND(axes, GF_KEY(".axis", names[3 - ndim + i]), GF_KEY(".samples", m->shift[i]),
                  GF_KEY(".units", m->shift[i] * spacing[i]));
    gf_signal_print(
        t, NULL, form,
        GF_ADD(gf_signal_report(t, frame ? frame : t->read[0], page),
               GF_KEY("shape", gf_json_shape(g->ref.shape, ndim)),
               GF_KEY("shift", gf_json_reals(m->shift, NULL, ndim)), GF_KEY_IF(unit, "unit", unit),
               GF_KEY_IF(unit, "shift_in_unit", gf_json_reals(m->shift, spacing, ndim)),
               GF_KEY("rotation", m->turn), GF_KEY("scale", m->scale),
               GF_KEY("correlation", f->coefficient), GF_KEY("peak", f->height),
               GF_KEY("backend", f->backend), GF_KEY_IF(t->targets->n, "out", t->product[0].path),
               GF_BOOL("ok", true), GF_BOOL(".first", !g->printed),
               GF_KEY(".name", gf_log_name(frame ? frame : name)), GF_KEY(".axes", axes),
               GF_BOOL(".turns", t->s->reg.estimate != SHIFT)));
    g->printed = true;
}

/* ---- the task ---- */

/* Lets hand i find and make what is asked. */
static int register_frame(struct gf_registering *g, int i, struct frame *f, int64_t page) {
    struct hand *r = &g->hand[i];
    const bool pair = g->t->s->reg.to == PREVIOUS;
    r->f = f;
    r->ref = pair ? &f->ref : &g->ref;
    r->in = &f->px;
    if (pair)
        r->pictures.ready = r->halves.ready = r->pictures.near = false;
    int rc = estimate(r);
    f->backend = gf_runner_name(r->runner[FORWARD]);
    return !rc && g->t->targets->n && !pair ? align(r, page) : rc;
}

/* Registers a picture. */
static int visit(struct gf_task *t, const char *name, int64_t page) {
    struct gf_registering *g = t->s->reg.state;
    struct frame *f = &g->frame[0];
    gf_progress_show("registering", gf_log_name(name));
    gf_array_free(&f->px); /* it may be of another type */
    open_hands(g, &t->image, 1);
    f->image = t->image;
    f->image.px.base = NULL;
    int rc = gf_signal_make(t->s, &t->image, &f->px);
    if (!rc)
        rc = register_frame(g, 0, f, page);
    if (!rc)
        print(g, f, name, page);
    return rc;
}

static int read_frame(void *user, int reader, int64_t page) {
    struct gf_registering *g = user;
    const struct gf_settings *s = g->t->s;
    struct frame *f = &g->frame[page % g->frames];
    const struct gf_array *before = &g->frame[gf_max(page - 1, 0) % g->frames].px;
    (void)reader;
    int rc = gf_signal_read_page(g->t, &g->volume, page, &f->image);
    if (!rc)
        rc = gf_signal_make(s, &f->image, &f->px);
    if (!rc && !page && !s->reg.with)
        rc = gf_signal_make(s, &f->image, &g->ref);
    if (!rc && s->reg.to == PREVIOUS && !f->ref.data)
        rc = gf_array_alloc(&f->ref, f->px.dtype, f->px.rank, f->px.shape);
    if (!rc && s->reg.to == PREVIOUS)
        gf_array_copy(&f->ref, before);
    f->failed = (struct gf_failure){.status = 0};
    gf_failure_keep(&f->failed, rc);
    return page ? 0 : rc; /* a later page fails after those before it are printed */
}

static int work_frame(void *user, int i, int64_t page) {
    struct gf_registering *g = user;
    struct frame *f = &g->frame[page % g->frames];
    int rc = f->failed.status ? 0 : register_frame(g, i, f, page);
    if (rc)
        gf_fail((enum gf_status)rc, "page %lld: %s", (long long)page, gf_message());
    gf_failure_keep(&f->failed, rc);
    return 0;
}

static int write_frame(void *user, int64_t page) {
    struct gf_registering *g = user;
    struct frame *f = &g->frame[page % g->frames];
    struct hand *r = &g->hand[g->hands];
    char name[PATH_MAX];
    const bool pair = g->t->s->reg.to == PREVIOUS;
    int rc = gf_failure_return(&f->failed);
    gf_progress_show("registering", gf_signal_page_name(g->t, page, name, sizeof name));
    for (int i = 0; i < GF_MAX_DIMS && pair; i++)
        f->motion.shift[i] = g->before[i] += f->motion.shift[i];
    r->f = f;
    if (!rc && pair && g->t->targets->n)
        rc = align(r, page);
    if (!rc)
        print(g, f, name, page);
    return rc;
}

/* Registers the pages of a stack; without a reference its first page is that. */
static int walk(struct gf_task *t) {
    struct gf_registering *g = t->s->reg.state;
    struct gf_session *session = t->runner->session;
    struct gf_image page = {.ndim = 2};
    const bool alone = session->alone;
    g->volume = t->image;
    page.px = gf_array_index(&t->image.px, 0, 0);
    memset(g->before, 0, sizeof g->before);
    if (!t->s->reg.with)
        gf_array_free(&g->ref);
    open_hands(g, &page, t->image.px.shape[0]);
    struct gf_conveyor c = {.items = t->image.px.shape[0],
                            .slots = g->frames,
                            .readers = 1,
                            .hands = g->hands,
                            .read = read_frame,
                            .work = work_frame,
                            .write = write_frame,
                            .input_is_written = true,
                            .user = g};
    session->alone = alone && g->hands == 1;
    const int rc = gf_conveyor_run(&c);
    session->alone = alone;
    free_state(g);
    g->volume = (struct gf_image){.ndim = 0};
    return rc;
}

static int describe(struct gf_task *t) {
    const struct gf_record own = {.dtype = t->image.px.dtype,
                                  .white = (int64_t)t->image.white,
                                  .color = t->image.color,
                                  .alpha = t->image.alpha ? GF_ALPHA_KEPT : GF_ALPHA_NONE};
    t->job.n_out = 1;
    t->product[0].kind = GF_REAL;
    int rc = gf_task_describe_restored(t, 0, &own);
    const struct gf_format *f = t->product[0].format;
    if (!rc && t->s->reg.with && f->place)
        rc = f->place(&t->image.metadata, &t->s->reg.state->place);
    if (rc > 0)
        gf_log_note("'%s': its world coordinates are left out, as the reference has none",
                    gf_log_name(t->read[0]));
    return rc < 0 ? rc : 0;
}

static int prepare(struct gf_task *t) {
    struct gf_registering *g = t->s->reg.state;
    int rc = gf_signal_prepare(t);
    g->t = t;
    t->job.op = GF_FILTER;
    if (!rc)
        rc = gf_task_take_channels(t);
    if (rc)
        return rc;
    const int pages = gf_signal_by_pages(t), ndim = t->image.ndim - pages;
    const struct gf_array own =
        gf_array_wrap(NULL, t->image.px.dtype, ndim, t->image.px.shape + pages);
    if (!t->s->reg.with && !pages)
        return gf_fail(GF_EINVAL, "one picture, and no reference; give REF IN, or a stack with "
                                  "--dims=2");
    if (ndim != 2 && t->s->reg.estimate != SHIFT)
        return gf_fail(GF_EINVAL, "%d axes; --estimate=rigid and similarity take pictures%s", ndim,
                       ndim == 3 ? ", --dims=2 the pages of a volume" : "");
    if (t->reader.series && t->targets->n)
        return gf_fail(GF_EINVAL, "times or channels of volumes; --select takes one");
    if (t->s->reg.with && (rc = gf_signal_same_shape(&own, &g->ref, "the reference")))
        return rc;
    return t->targets->n ? describe(t) : 0;
}

static int stream(struct gf_task *t) {
    const struct gf_image page = gf_signal_visited(t);
    const int64_t pages = gf_signal_by_pages(t) ? t->image.px.shape[0] : 1;
    const int64_t need = choose_hands(t->s->reg.state, &page, pages) +
                         (t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0);
    int rc = gf_signal_each(t, need, visit, walk);
    if (!rc && t->targets->n)
        gf_task_note_lost(t, 0);
    return rc;
}

static const struct gf_task_hooks hooks = {.name = "register",
                                           .default_kind = GF_REAL,
                                           .label = "registered",
                                           .keeps_type = true,
                                           .prints = true,
                                           .prepare = prepare,
                                           .stream = stream};

static int run(struct gf_settings *s, char **operands, int n) {
    const bool listed = s->files_from || s->files0_from;
    const bool pair = !s->frames && (n > 1 || (n && listed));
    if (s->reg.to == PREVIOUS && (pair || s->reg.estimate != SHIFT))
        return gf_fail(GF_EUSAGE, "--to=previous adds up the shifts of a stack's frames; give "
                                  "--frames, or one stack with --dims=2, and --estimate=shift");
    s->dims = s->frames ? 2 : s->dims;
    s->reg.with = pair ? operands[0] : NULL;
    struct gf_registering *g = s->reg.state = calloc(1, sizeof *g);
    if (!g)
        return gf_no_memory();
    int rc = pair ? gf_signal_load(s, operands[0], GF_SIGNAL_ALIKE, &g->ref, NULL, &g->place) : 0;
    int code = rc ? gf_exit_code(rc) : gf_batch_run(&hooks, s, operands + pair, n - pair);
    free_state(g);
    gf_array_free(&g->ref);
    gf_metadata_free(&g->place);
    free(g);
    return code;
}

static const char *const estimates[] = {"shift", "rigid", "similarity", NULL}; /* enum estimate */
static const char *const references[] = {"first", "previous", NULL};
static const char *const fills[] = {"zero", "edge", NULL};

static const struct gf_opt_group register_group = GF_GROUP(
    "Registration",
    GF_CHOICE("estimate", reg.estimate, "WHAT", estimates,
              "shift (default), rigid (and rotation), or similarity (and scale)"),
    GF_CHOICE("to", reg.to, "first|previous", references,
              "register the frames of a stack with the first one (default), or each with the one "
              "before it, and add up the shifts"),
    GF_CHOICE("fill", reg.fill, "zero|edge", fills,
              "what aligned pictures have where IN shows nothing: 0 (default), or the samples of "
              "its edge"),
    GF_INTEGER("dims", dims, "2|3", 2, 3,
               "2: take each page of a volume by itself; 3: all as depth"));

static const struct gf_opt_group *const groups[] = {&gf_opts_out,       &gf_opts_depth_own,
                                                    &gf_opts_files,     &register_group,
                                                    &gf_opts_precision, GF_GROUPS_LOOKING};

const struct gf_command gf_command_register = {
    .name = "register",
    .operands = "REF IN...",
    .summary = "shift, rotation and scale that align pictures with a reference",
    .usual = "out estimate to by csv mean dims json",
    .groups = groups,
    .text = true,
    .examples = "  gpufft register first.png second.png\n"
                "  gpufft register first.png second.png --estimate=similarity --out=aligned.png\n"
                "  gpufft register --frames frames/ --to=previous --json\n"
                "  gpufft register movie.tif --dims=2 --out=steady.tif\n",
    .run = run,
};
