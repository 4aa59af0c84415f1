/* gpufft register: how a picture, a volume or a frame lies on a reference. */
#include <math.h>
#include <stdlib.h>

#include "cli/compare/registering.h"

static void free_work(struct gf_correlating_work *w) {
    struct gf_array *const array[] = {&w->px, &w->kept.px, &w->of[0].px, &w->of[1].px};
    for (int i = 0; i < 4; i++)
        gf_array_free(array[i]);
    free(w->share);
    *w = (struct gf_correlating_work){.ready = false};
}

void gf_register_free_hand(struct gf_hand *r) {
    free_work(&r->pictures);
    free_work(&r->halves);
    free_work(&r->polars);
    for (int k = 0; k < N_ARRAYS; k++)
        gf_array_free(&r->array[k]);
    for (int k = 0; k < N_RUNNERS; k++)
        gf_runner_close(&r->own[k]);
}

/* ---- correlation ---- */

static struct gf_crew crew_of(const struct gf_hand *r, int which) {
    return (struct gf_crew){r->runner[which], r->runner[which]->threads, r->all->bytes};
}

/* Tapers a signal, or its half, and transforms it. Like all below that return a status, GF_ENOMEM
 * or worse. */
static int transform(struct gf_hand *r, struct gf_correlating_work *w, const struct gf_array *px,
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
    const struct gf_crew crew = crew_of(r, w == &r->pictures ? FORWARD : FIRST);
    return gf_signal_forward(&crew, &w->px, to);
}

/* Finds the shift of `in` to about a tenth of a sample, and how far the peak rises. */
static int find(struct gf_hand *r, struct gf_correlating_work *w, const struct gf_array *ref,
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

static int find_shift(struct gf_hand *r, struct gf_correlation_peak *peak) {
    const struct gf_array *px = r->in;
    const bool halves =
        gf_register_has_halves(px->rank, px->shape, px->dtype == GF_F32 && r->ref->dtype == GF_F32);
    int rc = halves ? find(r, &r->halves, r->ref, px, peak) : 0;
    return rc || (halves && peak->height >= SURE) ? rc : find(r, &r->pictures, r->ref, px, peak);
}

/* Refines a shift that find() found, in windows of what both show. For small shifts the reference
 * keeps one window, and its spectrum. */
static int refine(struct gf_hand *r, struct gf_correlating_work *w, const struct gf_array *ref,
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
                                      w != &r->polars && r->f->found.inverted, shift,
                                      &r->f->found.coefficient);
}

/* ---- turn and scale ---- */

/* Finds what turns and scales `in`, up to half a turn, and adds it to r->f->found.motion. */
static int find_turn(struct gf_hand *r, const struct gf_array *in) {
    const int64_t shape[] = {GF_POLAR, GF_POLAR};
    const struct gf_array *const picture[] = {r->ref, in};
    struct gf_correlation_peak peak;
    struct gf_correlating_work *w = &r->polars;
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
    r->f->found.motion.turn += more.turn;
    r->f->found.motion.scale *= r->all->t->s->reg.estimate == SIMILARITY ? more.scale : 1;
    return rc;
}

/* Moves `in` by r->f->found.motion into MOVED, and finds the shift that is left. */
static int find_moved(struct gf_hand *r, struct gf_correlation_peak *peak) {
    int rc =
        r->array[MOVED].data ? 0 : gf_array_alloc(&r->array[MOVED], r->in->dtype, 2, r->in->shape);
    if (rc)
        return rc;
    memset(r->f->found.motion.shift, 0, sizeof r->f->found.motion.shift);
    gf_motion_apply(r->in, &r->f->found.motion, true, r->all->threads, &r->array[MOVED]);
    return find(r, &r->pictures, r->ref, &r->array[MOVED], peak);
}

/* The spectrum's magnitude is the same after half a turn, so both are tried; then the picture, now
 * nearly in place, shows what is left to turn. */
static int find_motion(struct gf_hand *r, struct gf_correlation_peak *peak) {
    struct gf_correlation_peak other;
    int rc = find_turn(r, r->in);
    if (!rc)
        rc = find_moved(r, peak);
    r->f->found.motion.turn += 180;
    if (!rc)
        rc = find_moved(r, &other);
    if (!rc && other.height > peak->height)
        *peak = other;
    else
        r->f->found.motion.turn -= 180;
    if (rc)
        return rc;
    memcpy(r->f->found.motion.shift, peak->shift, sizeof peak->shift);
    gf_motion_apply(r->in, &r->f->found.motion, true, r->all->threads, &r->array[MOVED]);
    rc = find_turn(r, &r->array[MOVED]);
    r->f->found.motion.turn = remainder(r->f->found.motion.turn, 360);
    return rc ? rc : find_moved(r, peak);
}

/* Samples; a shorter shift is a rounding error. */
static const double ROUNDING = 1e-6;

int gf_register_estimate(struct gf_hand *r) {
    const bool turns = r->all->t->s->reg.estimate != SHIFT;
    struct gf_correlation_peak peak;
    r->f->found.motion = (struct gf_motion){.scale = 1};
    int rc = turns ? find_motion(r, &peak) : find_shift(r, &peak);
    const int least = turns ? GF_PEAK_LEAST_TURNED : GF_PEAK_LEAST;
    if (!rc && !(peak.height >= least))
        rc = gf_fail(GF_EINVAL,
                     "nothing in common with the reference: the correlation's peak is %.3g times "
                     "its deviation, and less than %d may be chance",
                     peak.height, least);
    if (rc)
        return rc;
    r->f->found.height = peak.height;
    r->f->found.inverted = peak.inverted;
    memcpy(r->f->found.motion.shift, peak.shift, sizeof peak.shift);
    double *shift = r->f->found.motion.shift;
    rc = refine(r, &r->pictures, r->ref, turns ? &r->array[MOVED] : r->in, shift);
    for (int i = 0; i < r->in->rank; i++)
        shift[i] = fabs(shift[i]) < ROUNDING ? 0 : shift[i];
    return rc;
}
