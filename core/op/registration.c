/* Finds a shift by correlation, first of phases, and before it turn and scale in the spectra's
 * magnitudes. */
#include "core/op/registration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/compare/correlate.h"

/* Signals: the picture in place, and the polar samples of two. */
enum { MOVED, POLAR, N_ARRAYS = POLAR + 2 };
enum { FORWARD, FIRST, INVERSE, N_RUNNERS };

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

struct gf_registration {
    struct gf_registration_options o;
    bool repeats;
    struct gf_runner own[N_RUNNERS]; /* if it repeats */
    struct gf_array array[N_ARRAYS];
    struct work pictures, halves, polars; /* halves: pictures of half the size, f32 */
    /* In gf_registration_find(). */
    struct gf_crew crew;
    const struct gf_array *ref, *in;
    struct gf_found *found;
};

/* True for pictures that are first looked for at half their size. */
static bool has_halves(const struct gf_array *px) {
    return px->rank == 2 && px->dtype == GF_F32 && px->shape[0] >= HALVED && px->shape[1] >= HALVED;
}

/* A tapered signal and three spectra of the picture, less of the halves, and to turn it the moved
 * picture and the polar samples. */
int64_t gf_registration_bytes(const struct gf_registration_options *o, const struct gf_array *px) {
    const struct gf_array single = gf_array_wrap(NULL, GF_F32, px->rank, px->shape);
    const int64_t n = gf_array_count(px), spectrum = gf_signal_spectrum_bytes(&single);
    return 4 * n + 3 * spectrum + (has_halves(px) ? n + spectrum / 2 : 0) +
           (o->estimate == GF_SHIFT ? 0 : (int64_t)GF_POLAR * GF_POLAR * 24 + gf_array_bytes(px));
}

int gf_registration_new(const struct gf_crew *crew, const struct gf_registration_options *o,
                        int64_t times, struct gf_registration **out) {
    struct gf_registration *r = *out = calloc(1, sizeof *r);
    if (!r)
        return gf_no_memory();
    r->o = *o;
    r->repeats = times > 1;
    for (int k = 0; k < N_RUNNERS && r->repeats; k++) {
        gf_runner_beside(&r->own[k], crew->runner, crew->threads);
        gf_runner_repeat(&r->own[k], times);
    }
    return 0;
}

static void free_work(struct work *w) {
    struct gf_array *const array[] = {&w->px, &w->kept.px, &w->of[0].px, &w->of[1].px};
    for (int i = 0; i < 4; i++)
        gf_array_free(array[i]);
    free(w->share);
}

void gf_registration_free(struct gf_registration *r) {
    if (!r)
        return;
    free_work(&r->pictures);
    free_work(&r->halves);
    free_work(&r->polars);
    for (int k = 0; k < N_ARRAYS; k++)
        gf_array_free(&r->array[k]);
    for (int k = 0; k < N_RUNNERS && r->repeats; k++)
        gf_runner_close(&r->own[k]);
    free(r);
}

void gf_registration_forget(struct gf_registration *r) {
    r->pictures.ready = r->halves.ready = r->pictures.near = false;
}

int gf_registration_fits(const struct gf_registration_options *o, const struct gf_array *ref,
                         const struct gf_array *px) {
    if (px->rank != 2 && o->estimate != GF_SHIFT)
        return gf_fail(GF_EINVAL, "%d axes; --estimate=rigid and similarity take pictures%s",
                       px->rank, px->rank == 3 ? ", --dims=2 the pages of a volume" : "");
    return ref ? gf_signal_same_shape(px, ref, "the reference") : 0;
}

/* ---- correlation ---- */

/* The crew, with a runner that keeps its plan. */
static struct gf_crew crew_of(struct gf_registration *r, int which) {
    struct gf_crew crew = r->crew;
    crew.runner = r->repeats ? &r->own[which] : crew.runner;
    return crew;
}

/* Tapers a signal, or its half, and transforms it. Like all below that return a status, GF_ENOMEM
 * or worse. */
static int transform(struct gf_registration *r, struct work *w, const struct gf_array *px,
                     const double *middle, const double *less, struct gf_spectrum *to,
                     double *energy) {
    const unsigned axes = w == &r->polars ? 2 : 7; /* angles are periodic */
    int64_t shape[GF_MAX_DIMS];
    for (int i = 0; i < px->rank; i++)
        shape[i] = px->shape[i] >> (w == &r->halves);
    int rc = w->px.data ? 0 : gf_array_alloc(&w->px, GF_F32, px->rank, shape);
    if (!rc)
        rc = gf_taper(px, middle, less, axes, r->crew.threads, &w->px, energy);
    if (!rc && !(*energy > 0))
        rc = gf_fail(GF_EINVAL, "all samples are equal, and nothing can be aligned");
    if (rc)
        return rc;
    const struct gf_crew crew = crew_of(r, w == &r->pictures ? FORWARD : FIRST);
    return gf_signal_forward(&crew, &w->px, to);
}

/* Finds the shift of `in` to about a tenth of a sample, and how far the peak rises. */
static int find(struct gf_registration *r, struct work *w, const struct gf_array *ref,
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
    const struct gf_crew crew = crew_of(r, INVERSE);
    rc = gf_signal_inverse(&crew, &w->of[1], &w->px);
    gf_correlation_peak(&w->kept, &w->px, w != &r->polars, peak);
    for (int i = 0; i < ref->rank && w == &r->halves; i++)
        peak->shift[i] *= 2;
    return rc;
}

static int find_shift(struct gf_registration *r, struct gf_correlation_peak *peak) {
    const struct gf_array *px = r->in;
    const bool halves = has_halves(px) && r->ref->dtype == GF_F32;
    int rc = halves ? find(r, &r->halves, r->ref, px, peak) : 0;
    return rc || (halves && peak->height >= SURE) ? rc : find(r, &r->pictures, r->ref, px, peak);
}

/* Refines a shift that find() found, in windows of what both show. For small shifts the reference
 * keeps one window, and its spectrum. */
static int refine(struct gf_registration *r, struct work *w, const struct gf_array *ref,
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
    return rc ? rc
              : gf_correlation_refine(&w->of[0], &w->of[1], energy,
                                      w != &r->polars && r->found->inverted, shift,
                                      &r->found->coefficient);
}

/* ---- turn and scale ---- */

/* Finds what turns and scales `in`, up to half a turn, and adds it to r->found->motion. */
static int find_turn(struct gf_registration *r, const struct gf_array *in) {
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
    r->found->motion.turn += more.turn;
    r->found->motion.scale *= r->o.estimate == GF_SIMILARITY ? more.scale : 1;
    return rc;
}

/* Moves `in` by r->found->motion into MOVED, and finds the shift that is left. */
static int find_moved(struct gf_registration *r, struct gf_correlation_peak *peak) {
    int rc =
        r->array[MOVED].data ? 0 : gf_array_alloc(&r->array[MOVED], r->in->dtype, 2, r->in->shape);
    if (rc)
        return rc;
    memset(r->found->motion.shift, 0, sizeof r->found->motion.shift);
    gf_motion_apply(r->in, &r->found->motion, true, r->crew.threads, &r->array[MOVED]);
    return find(r, &r->pictures, r->ref, &r->array[MOVED], peak);
}

/* The spectrum's magnitude is the same after half a turn, so both are tried; then the picture, now
 * nearly in place, shows what is left to turn. */
static int find_motion(struct gf_registration *r, struct gf_correlation_peak *peak) {
    struct gf_correlation_peak other;
    int rc = find_turn(r, r->in);
    if (!rc)
        rc = find_moved(r, peak);
    r->found->motion.turn += 180;
    if (!rc)
        rc = find_moved(r, &other);
    if (!rc && other.height > peak->height)
        *peak = other;
    else
        r->found->motion.turn -= 180;
    if (rc)
        return rc;
    memcpy(r->found->motion.shift, peak->shift, sizeof peak->shift);
    gf_motion_apply(r->in, &r->found->motion, true, r->crew.threads, &r->array[MOVED]);
    rc = find_turn(r, &r->array[MOVED]);
    r->found->motion.turn = remainder(r->found->motion.turn, 360);
    return rc ? rc : find_moved(r, peak);
}

/* Samples; a shorter shift is a rounding error. */
static const double ROUNDING = 1e-6;

int gf_registration_find(struct gf_registration *r, const struct gf_crew *crew,
                         const struct gf_array *ref, const struct gf_array *px,
                         struct gf_found *found) {
    const bool turns = r->o.estimate != GF_SHIFT;
    const int least = turns ? GF_PEAK_LEAST_TURNED : GF_PEAK_LEAST;
    struct gf_correlation_peak peak;
    double *shift = found->motion.shift;
    *found = (struct gf_found){.motion.scale = 1};
    r->crew = *crew;
    r->ref = ref;
    r->in = px;
    r->found = found;
    int rc = gf_registration_fits(&r->o, ref, px);
    if (!rc)
        rc = turns ? find_motion(r, &peak) : find_shift(r, &peak);
    if (!rc && !(peak.height >= least))
        rc = gf_fail(GF_EINVAL,
                     "nothing in common with the reference: the correlation's peak is %.3g times "
                     "its deviation, and less than %d may be chance",
                     peak.height, least);
    if (rc)
        return rc;
    found->height = peak.height;
    found->inverted = peak.inverted;
    memcpy(shift, peak.shift, sizeof peak.shift);
    rc = refine(r, &r->pictures, ref, turns ? &r->array[MOVED] : px, shift);
    for (int i = 0; i < px->rank; i++)
        shift[i] = fabs(shift[i]) < ROUNDING ? 0 : shift[i];
    found->aligned = !rc;
    found->backend = gf_runner_name(crew_of(r, FORWARD).runner);
    return rc;
}

void gf_registration_facts(const struct gf_found *f, struct gf_facts *to) {
    GF_FACT(to, "rotation", "degrees", &f->motion.turn);
    GF_FACT(to, "scale", NULL, &f->motion.scale);
    if (f->aligned) {
        GF_FACT(to, "correlation", NULL, &f->coefficient);
        GF_FACT(to, "peak", NULL, &f->height);
    }
    GF_FACT(to, "inverted", NULL, &f->inverted);
    GF_FACT(to, "aligned", NULL, &f->aligned);
    if (f->backend)
        GF_FACT(to, "backend", NULL, f->backend);
}

/* ---- the options ---- */

static const char *const estimates[] = {"shift", "rigid", "similarity",
                                        NULL};             /* enum gf_estimate */
static const char *const fills[] = {"zero", "edge", NULL}; /* enum gf_fill */

#define GF_AT(field) offsetof(struct gf_registration_options, field)

const struct gf_opt gf_registration_rows[] = {
    GF_CHOICE("estimate", estimate, "WHAT", estimates,
              "shift (default), rigid (and rotation), or similarity (and scale)"),
    GF_CHOICE("fill", fill, "zero|edge", fills,
              "what aligned pictures have where IN shows nothing: 0 (default), or the samples of "
              "its edge"),
    GF_ROWS("precision", signal, gf_signal_rows),
    {0}};
