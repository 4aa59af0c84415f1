/* Plans one axis as a single tile, in parts or as a convolution, whichever is cheapest. */

#include <math.h>

#include "core/base/value/factor.h"
#include "core/base/value/status.h"
#include "core/gpu/plan/pass_builder.h"
#include "core/gpu/plan/decision.h"

static enum gf_gpu_buffer_id other(enum gf_gpu_buffer_id buffer_id) {
    return buffer_id == GF_GPU_A ? GF_GPU_B : GF_GPU_A;
}

/* A line in up to three parts, or Rader's or Bluestein's convolution whose transforms have two. */
struct cut {
    int parts;
    int64_t length[3];
    int64_t convolution;
    bool rader;
};

/* Sets the extents of buffers between the passes of a split line. */
static void work_extent(const struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *whole,
                        const struct gf_gpu_space *from, int64_t length, int64_t extent[4]) {
    memcpy(extent, from->extent, sizeof from->extent);
    if (whole->load == LOAD_PAIR)
        extent[whole->pair_axis] = (b->n[whole->pair_axis] + 1) / 2;
    if (whole->mirror_axis >= 0)
        extent[whole->mirror_axis] = b->n[whole->mirror_axis] / 2 + 1;
    extent[whole->axis] = length;
}

/* Adds the passes of a transform in parts. All but the last, which writes `to`, alternate between
 * work buffers. */
static int add_parts(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *whole,
                     const struct cut *cut, const struct gf_gpu_space *from,
                     const struct gf_gpu_space *to) {
    struct gf_gpu_space here = *from, there;
    int64_t before[3] = {1, 1, 1};
    for (int i = 0; i < cut->parts; i++) {
        bool first = i == 0, last = i == cut->parts - 1;
        struct gf_gpu_axis_pass ap = *whole;
        ap.length = cut->length[i];
        ap.after = whole->leaves_radix ? 2 : gf_gpu_leaves(whole);
        for (int j = i + 1; j < cut->parts; j++)
            ap.after *= cut->length[j];
        ap.before[0] = before[0];
        ap.before[1] = before[1];
        if (last && ap.store == STORE_ROW_HALVES) { /* one index: add_own_axis() */
            ap.before[0] *= ap.before[1];
            ap.before[1] = 1;
        }
        if (!first) {
            ap.load = LOAD_COMPLEX;
            ap.multiply_in = false;
            if (ap.store != STORE_PAIR)
                ap.pair_axis = -1;
        }
        if (!last) {
            ap.store = STORE_COMPLEX;
            ap.sample = NULL;
            ap.range = NULL;
            ap.scaled = ap.multiply_out = ap.mirror = false;
            if (ap.load != LOAD_PAIR)
                ap.pair_axis = -1;
            int64_t extent[4];
            work_extent(b, whole, from, b->n[whole->axis] / (whole->fold ? 2 : 1), extent);
            there = gf_gpu_padded_planes(other(here.buffer_id), extent, b->complex_bytes);
            /* The last pass must not write the buffer it reads. */
            if (i == cut->parts - 2 && there.buffer_id == to->buffer_id)
                there.buffer_id = other(there.buffer_id);
            gf_gpu_reserve(b->p, &there);
        } else {
            there = *to;
        }
        int rc = gf_gpu_add_axis_pass(b->p, &ap, &here, &there);
        if (rc)
            return rc;
        before[i < 1 ? 0 : 1] = cut->length[i];
        here = there;
    }
    return 0;
}

/* Adds a convolution in three passes. The forward transform is split into a and m points, the
 * inverse into m and a, so a tile of the middle pass holds the forward transform's last part and
 * the inverse's first. Bluestein multiplies by a chirp at both ends; Rader permutes the points and
 * stores the zeroth one after the others. */
static int add_convolution(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *whole,
                           const struct cut *cut, const struct gf_gpu_space *from,
                           const struct gf_gpu_space *to) {
    const int64_t first = cut->length[0], middle = cut->length[1];
    struct gf_gpu_axis_pass ap = *whole;
    struct gf_gpu_space x, y;
    int64_t extent[4];
    work_extent(b, whole, from, cut->rader ? b->n[whole->axis] : cut->convolution, extent);
    x = gf_gpu_padded_planes(other(from->buffer_id), extent, b->complex_bytes);
    y = gf_gpu_padded_planes(other(x.buffer_id), extent, b->complex_bytes);
    gf_gpu_reserve(b->p, &x);
    gf_gpu_reserve(b->p, &y);
    ap.convolution = cut->convolution;
    ap.rader = cut->rader;
    ap.length = first;
    ap.after = middle;
    ap.dir = 1;
    ap.store = STORE_COMPLEX;
    ap.sample = NULL;
    ap.range = NULL;
    ap.mirror = ap.scaled = false;
    ap.pair_axis = whole->load == LOAD_PAIR ? whole->pair_axis : -1;
    ap.multiply_in = !cut->rader;
    int rc = gf_gpu_add_axis_pass(b->p, &ap, from, &x);
    if (rc)
        return rc;
    ap.load = LOAD_COMPLEX;
    ap.length = middle;
    ap.before[0] = first;
    ap.after = 1;
    ap.dir = -1;
    ap.both = true;
    ap.multiply_in = false;
    ap.pair_axis = -1;
    ap.rader = cut->rader ? 2 : 0;
    rc = gf_gpu_add_axis_pass(b->p, &ap, &x, &y);
    if (rc)
        return rc;
    ap = *whole;
    ap.load = LOAD_COMPLEX;
    ap.convolution = cut->convolution;
    ap.rader = cut->rader ? 3 : 0;
    ap.length = first;
    ap.before[0] = middle;
    ap.dir = -1;
    ap.multiply_out = !cut->rader;
    ap.pair_axis = whole->store == STORE_PAIR ? whole->pair_axis : -1;
    return gf_gpu_add_axis_pass(b->p, &ap, &y, to);
}

static int add_cut(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *ap,
                   const struct cut *cut, const struct gf_gpu_space *from,
                   const struct gf_gpu_space *to) {
    return cut->convolution ? add_convolution(b, ap, cut, from, to)
                            : add_parts(b, ap, cut, from, to);
}

struct choice {
    struct gf_gpu_plan_builder *b;
    const struct gf_gpu_axis_pass *ap;
    const struct gf_gpu_space *from;
    struct gf_gpu_space to;
    bool to_work; /* choose A or B */
    struct cut best;
    struct gf_gpu_decision decision;
};

/* Runs the last pass in place if possible, else writes the other buffer. */
static void choose_buffer(const struct choice *c, const struct cut *cut, struct gf_gpu_space *to) {
    *to = c->to;
    if (!c->to_work)
        return;
    /* A single group may overwrite a line and its mirror image; in three dimensions two groups read
     * some of the lines. */
    bool alone = (c->ap->load == LOAD_COMPLEX && c->ap->store == STORE_COMPLEX) ||
                 (c->ap->load == LOAD_PACKED && c->b->axes == 2);
    bool in_place = cut->parts == 1 && alone && !c->ap->sorts && c->ap->across_axis < 0 &&
                    gf_gpu_same_layout(c->from, &c->to);
    bool ours = c->from->buffer_id == GF_GPU_A || c->from->buffer_id == GF_GPU_B;
    if (cut->parts == 1)
        to->buffer_id = ours && in_place ? c->from->buffer_id : other(c->from->buffer_id);
    else
        to->buffer_id = ours && cut->parts % 2 == 0 && !cut->convolution
                            ? c->from->buffer_id
                            : other(c->from->buffer_id);
}

static void consider(struct choice *c, const struct cut *cut) {
    struct gf_gpu_space to;
    choose_buffer(c, cut, &to);
    struct gf_gpu_trial trial = gf_gpu_trial_begin(c->b->p);
    int rc = add_cut(c->b, c->ap, cut, c->from, &to);
    double gain = rc ? 0 : gf_gpu_chains_gain(c->b->p, trial.n_passes);
    double cost = gf_gpu_trial_end(c->b->p, &trial) - gain;
    if (cut->parts > 1)
        cost = fmax(cost, 0.1 * cost + cut->parts * gf_gpu_queue_cost(&c->b->p->props));
    if (!rc && gf_gpu_decision_offer(&c->decision, cost, "%s%lldx%lldx%lld",
                                     cut->rader         ? "r"
                                     : cut->convolution ? "b"
                                                        : "",
                                     (long long)cut->length[0], (long long)cut->length[1],
                                     (long long)cut->length[2]))
        c->best = *cut;
}

/* Tries all splits of n into two or three parts of similar size. Next to a large prime there may be
 * few other factors, so any size is tried. */
static void consider_cuts(struct choice *c, int64_t n, int64_t convolution, bool rader) {
    enum { SHORTEST = 16, LONGEST = 8192 };
    for (int64_t a = c->ap->fold || gf_gpu_has_codelets(n) ? SHORTEST : 2;
         a <= LONGEST && a <= n / SHORTEST; a++) {
        if (n % a || !gf_gpu_has_codelets(a) || (convolution && !gf_gpu_has_codelets(n / a)))
            continue;
        int64_t rest = n / a;
        if (rest <= LONGEST)
            consider(c, &(struct cut){2, {a, rest}, convolution, rader});
    }
    if (convolution || n < (int64_t)1 << 20)
        return;
    for (int64_t a = SHORTEST; a * a <= n / SHORTEST && a <= LONGEST; a++)
        for (int64_t m = a; n % a == 0 && m * m <= n / a && m <= LONGEST; m++)
            if (n / a % m == 0 && n / a / m <= LONGEST)
                consider(c, &(struct cut){3, {a, m, n / a / m}, 0, false});
}

/* True if both ends depend only on position, so that points may be permuted. */
static bool can_split_rader(const struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *ap,
                            int64_t n) {
    bool in = ap->load == LOAD_COMPLEX || ap->load == LOAD_PAIR || ap->load == LOAD_REAL;
    bool out = ap->store == STORE_COMPLEX || ap->store == STORE_PAIR;
    if (gf_gpu_counted(b->job, ap->axis) < n)
        return false;
    return in && out && !ap->fold && n > 512 && gf_is_prime(n) && gf_gpu_has_codelets(n - 1);
}

static int64_t line_points(const struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *ap) {
    return b->n[ap->axis] /
           (ap->fold || ap->load == LOAD_PACKED || ap->leaves_radix ? 2 : gf_gpu_leaves(ap));
}

int gf_gpu_add_axis(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap,
                    const struct gf_gpu_space *from, struct gf_gpu_space *to, bool one_tile) {
    struct choice c = {
        .b = b, .ap = ap, .from = from, .to = *to, .decision = gf_gpu_decision_begin(b->p)};
    int64_t n = line_points(b, ap);
    c.to_work = to->buffer_id == GF_GPU_A || to->buffer_id == GF_GPU_B;
    ap->length = n;
    one_tile = one_tile || ap->leaves_radix || ap->across_axis >= 0 || gf_gpu_leaves(ap) > 1 ||
               gf_gpu_joins(ap) > 1;
    consider(&c, &(struct cut){1, {n}, 0, false});
    if (!one_tile)
        consider_cuts(&c, n, 0, false);
    if (!one_tile && can_split_rader(b, ap, n))
        consider_cuts(&c, n - 1, n - 1, true);
    if (!one_tile && !ap->fold && !c.best.parts) {
        const int64_t m = gf_max(gf_factor_smooth_length(2 * n - 1), 256);
        consider_cuts(&c, m, m, false);
    }
    if (!c.best.parts)
        return gf_fail(GF_EUNSUPP, "lines of %lld points are too long for this device",
                       (long long)n);
    int rc = gf_gpu_decision_end(&c.decision);
    if (rc)
        return rc;
    choose_buffer(&c, &c.best, to);
    gf_gpu_reserve(b->p, to);
    return add_cut(b, ap, &c.best, from, to);
}

bool gf_gpu_fits(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *ap,
                 const struct gf_gpu_space *from, const struct gf_gpu_space *to, bool parts) {
    struct gf_gpu_axis_pass one = *ap;
    struct choice c = {
        .b = b, .ap = &one, .from = from, .to = *to, .decision = gf_gpu_decision_begin(NULL)};
    const int64_t n = line_points(b, ap);
    one.length = n;
    if (parts)
        consider_cuts(&c, n, 0, false);
    else
        consider(&c, &(struct cut){1, {n}, 0, false});
    return c.best.parts > 0;
}
