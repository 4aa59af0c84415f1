/* One axis of a job: in one tile, cut into parts, or as a convolution; whichever is cheapest. */
#include "core/gpu/plan/axis.h"

#include <string.h>

#include "core/base/factor.h"
#include "core/base/status.h"

struct gf_gpu_space gf_gpu_planes(enum gf_gpu_buffer_id place, const int64_t extent[4],
                                  int element) {
    struct gf_gpu_space s = {.place = place, .element = element};
    int64_t stride = 1;
    static const int order[4] = {2, 1, 0, 3};
    memcpy(s.extent, extent, sizeof s.extent);
    for (int i = 0; i < 4; i++) {
        s.stride[order[i]] = stride;
        stride *= extent[order[i]];
    }
    return s;
}

struct gf_gpu_space gf_gpu_padded_planes(enum gf_gpu_buffer_id place, const int64_t extent[4],
                                         int element) {
    enum { LINE = 128, WORTH = 16 }; /* bytes of a cache line; lines of a row */
    struct gf_gpu_space s = gf_gpu_planes(place, extent, element);
    int64_t unit = LINE / element, row = (extent[2] + unit - 1) / unit * unit;
    if (extent[2] < WORTH * unit)
        return s;
    s.stride[1] = row;
    s.stride[0] = row * extent[1];
    s.stride[3] = s.stride[0] * extent[0];
    return s;
}

static int64_t space_bytes(const struct gf_gpu_space *s) {
    return s->stride[3] * s->extent[3] * s->element;
}

void gf_gpu_need(struct gf_gpu_builder *b, const struct gf_gpu_space *s) {
    if (s->place == GF_GPU_A || s->place == GF_GPU_B) {
        int64_t bytes = space_bytes(s);
        if (bytes > b->p->bytes[s->place])
            b->p->bytes[s->place] = bytes;
    }
}

static enum gf_gpu_buffer_id other(enum gf_gpu_buffer_id place) {
    return place == GF_GPU_A ? GF_GPU_B : GF_GPU_A;
}

static bool same_layout(const struct gf_gpu_space *a, const struct gf_gpu_space *b) {
    return a->element == b->element && !memcmp(a->extent, b->extent, sizeof a->extent) &&
           !memcmp(a->stride, b->stride, sizeof a->stride);
}

/* How a line is cut: into up to three parts; or it is a convolution of that many points, Rader's or
 * Bluestein's, which is cut into two there and back. */
struct cut {
    int parts;
    int64_t length[3];
    int64_t convolution;
    bool rader;
};

/* The extents between the passes of a split line, `length` long. */
static void work_extent(const struct gf_gpu_builder *b, const struct gf_gpu_axis_pass *whole,
                        const struct gf_gpu_space *from, int64_t length, int64_t extent[4]) {
    memcpy(extent, from->extent, sizeof from->extent);
    if (whole->load == LOAD_PAIR)
        extent[whole->pair_axis] = (b->n[whole->pair_axis] + 1) / 2;
    if (whole->mirror_axis >= 0)
        extent[whole->mirror_axis] = b->n[whole->mirror_axis] / 2 + 1;
    extent[whole->axis] = length;
}

/* The legs of one transform cut in parts. `to` is where the last one writes; its place was chosen
 * by the caller, those in between alternate. */
static int add_parts(struct gf_gpu_builder *b, const struct gf_gpu_axis_pass *whole,
                     const struct cut *cut, const struct gf_gpu_space *from,
                     const struct gf_gpu_space *to, double *cost) {
    struct gf_gpu_space here = *from, there;
    int64_t before[3] = {1, 1, 1};
    for (int i = 0; i < cut->parts; i++) {
        bool first = i == 0, last = i == cut->parts - 1;
        struct gf_gpu_axis_pass leg = *whole;
        leg.length = cut->length[i];
        leg.after = 1;
        for (int j = i + 1; j < cut->parts; j++)
            leg.after *= cut->length[j];
        leg.before[0] = before[0];
        leg.before[1] = before[1];
        if (!first) {
            leg.load = LOAD_COMPLEX;
            leg.multiply_in = false;
            if (leg.store != STORE_PAIR)
                leg.pair_axis = -1;
        }
        if (!last) {
            leg.store = STORE_COMPLEX;
            leg.sample = NULL;
            leg.scaled = leg.multiply_out = leg.mirror = false;
            if (leg.load != LOAD_PAIR)
                leg.pair_axis = -1;
            int64_t extent[4];
            work_extent(b, whole, from, b->n[whole->axis], extent);
            there = gf_gpu_padded_planes(other(here.place), extent, b->complex_bytes);
            /* The last one may not write where it reads. */
            if (i == cut->parts - 2 && there.place == to->place)
                there.place = other(there.place);
            gf_gpu_need(b, &there);
        } else {
            there = *to;
        }
        double c = 0;
        int rc = gf_gpu_add_axis_pass(b->p, &leg, &here, &there, &c);
        if (rc)
            return rc;
        *cost += c;
        before[i < 1 ? 0 : 1] = cut->length[i];
        here = there;
    }
    return 0;
}

/* A convolution there and back in three passes. The forward transform is cut into lengths a and m,
 * the one back into m and a: the pass between them has in each tile both the last points of the one
 * and the first of the other. Bluestein's has a chirp at each end; Rader's takes and leaves the
 * points in his order, and carries the zeroth one along behind them. */
static int add_convolution(struct gf_gpu_builder *b, const struct gf_gpu_axis_pass *whole,
                           const struct cut *cut, const struct gf_gpu_space *from,
                           const struct gf_gpu_space *to, double *cost) {
    const int64_t first = cut->length[0], middle = cut->length[1];
    struct gf_gpu_axis_pass leg = *whole;
    struct gf_gpu_space x, y;
    int64_t extent[4];
    double c;
    work_extent(b, whole, from, cut->rader ? b->n[whole->axis] : cut->convolution, extent);
    x = gf_gpu_padded_planes(other(from->place), extent, b->complex_bytes);
    y = gf_gpu_padded_planes(other(x.place), extent, b->complex_bytes);
    gf_gpu_need(b, &x);
    gf_gpu_need(b, &y);
    leg.convolution = cut->convolution;
    leg.rader = cut->rader;
    leg.length = first;
    leg.after = middle;
    leg.dir = 1;
    leg.store = STORE_COMPLEX;
    leg.sample = NULL;
    leg.mirror = leg.scaled = false;
    leg.pair_axis = whole->load == LOAD_PAIR ? whole->pair_axis : -1;
    leg.multiply_in = !cut->rader;
    int rc = gf_gpu_add_axis_pass(b->p, &leg, from, &x, &c);
    *cost += c;
    if (rc)
        return rc;
    leg.load = LOAD_COMPLEX;
    leg.length = middle;
    leg.before[0] = first;
    leg.after = 1;
    leg.dir = -1;
    leg.both = true;
    leg.multiply_in = false;
    leg.pair_axis = -1;
    leg.rader = cut->rader ? 2 : 0;
    rc = gf_gpu_add_axis_pass(b->p, &leg, &x, &y, &c);
    *cost += c;
    if (rc)
        return rc;
    leg = *whole;
    leg.load = LOAD_COMPLEX;
    leg.convolution = cut->convolution;
    leg.rader = cut->rader ? 3 : 0;
    leg.length = first;
    leg.before[0] = middle;
    leg.dir = -1;
    leg.multiply_out = !cut->rader;
    leg.pair_axis = whole->store == STORE_PAIR ? whole->pair_axis : -1;
    rc = gf_gpu_add_axis_pass(b->p, &leg, &y, to, &c);
    *cost += c;
    return rc;
}

static int add_cut(struct gf_gpu_builder *b, const struct gf_gpu_axis_pass *leg,
                   const struct cut *cut, const struct gf_gpu_space *from,
                   const struct gf_gpu_space *to, double *cost) {
    *cost = 0;
    return cut->convolution ? add_convolution(b, leg, cut, from, to, cost)
                            : add_parts(b, leg, cut, from, to, cost);
}

struct choice {
    struct gf_gpu_builder *b;
    const struct gf_gpu_axis_pass *leg;
    const struct gf_gpu_space *from;
    struct gf_gpu_space to;
    bool free_place; /* `to` may stand in A or B */
    struct cut best;
    double best_cost;
};

/* Where the last leg's result goes: in place when it can be, else to the other buffer. */
static void choose_place(const struct choice *c, const struct cut *cut, struct gf_gpu_space *to) {
    *to = c->to;
    if (!c->free_place)
        return;
    /* A line and its mirror image may change in one group's hands, but in more than two dimensions
     * some are read by two groups. */
    bool alone = (c->leg->load == LOAD_COMPLEX && c->leg->store == STORE_COMPLEX) ||
                 (c->leg->load == LOAD_PACKED && c->b->axes == 2);
    bool in_place = cut->parts == 1 && alone && same_layout(c->from, &c->to);
    bool ours = c->from->place == GF_GPU_A || c->from->place == GF_GPU_B;
    if (cut->parts == 1)
        to->place = ours && in_place ? c->from->place : other(c->from->place);
    else
        to->place = ours && cut->parts % 2 == 0 && !cut->convolution ? c->from->place
                                                                     : other(c->from->place);
}

static void consider(struct choice *c, const struct cut *cut) {
    struct gf_gpu_plan *p = c->b->p;
    int passes = p->n_passes;
    int64_t bytes[GF_GPU_N_BUFFERS];
    struct gf_gpu_space to;
    double cost;
    bool dry = p->dry;
    memcpy(bytes, p->bytes, sizeof bytes);
    choose_place(c, cut, &to);
    p->dry = true;
    if (!add_cut(c->b, c->leg, cut, c->from, &to, &cost) && cost < c->best_cost) {
        c->best_cost = cost;
        c->best = *cut;
    }
    p->dry = dry;
    p->n_passes = passes;
    memcpy(p->bytes, bytes, sizeof bytes);
}

/* Every way to cut n into two parts, or three, that are not too unlike. */
static void consider_cuts(struct choice *c, int64_t n, int64_t convolution, bool rader) {
    enum { SHORTEST = 16, LONGEST = 8192 };
    for (int64_t a = SHORTEST; a <= LONGEST && a <= n / SHORTEST; a++) {
        if (n % a || !gf_gpu_has_codelets(a) || (convolution && !gf_gpu_has_codelets(n / a)))
            continue;
        int64_t rest = n / a;
        if (rest <= LONGEST)
            consider(c, &(struct cut){2, {a, rest}, convolution, rader});
    }
    if (c->best.parts || convolution || n < (int64_t)1 << 20)
        return;
    for (int64_t a = SHORTEST; a * a <= n / SHORTEST && a <= LONGEST; a++)
        for (int64_t m = a; n % a == 0 && m * m <= n / a && m <= LONGEST; m++)
            if (n / a % m == 0 && n / a / m <= LONGEST)
                consider(c, &(struct cut){3, {a, m, n / a / m}, 0, false});
}

/* Ends that go by an element's place alone, which Rader's order may be. */
static bool can_split_rader(const struct gf_gpu_axis_pass *leg, int64_t n) {
    bool in = leg->load == LOAD_COMPLEX || leg->load == LOAD_PAIR || leg->load == LOAD_REAL;
    bool out = leg->store == STORE_COMPLEX || leg->store == STORE_PAIR;
    return in && out && !leg->fold && n > 512 && gf_is_prime(n) && gf_gpu_has_codelets(n - 1);
}

/* Of a transform along the leg's axis. */
static int64_t line_points(const struct gf_gpu_builder *b, const struct gf_gpu_axis_pass *leg) {
    return b->n[leg->axis] / (leg->fold || leg->load == LOAD_PACKED ? 2 : 1);
}

int gf_gpu_add_axis(struct gf_gpu_builder *b, struct gf_gpu_axis_pass *leg,
                    const struct gf_gpu_space *from, struct gf_gpu_space *to, bool one_tile) {
    struct choice c = {.b = b, .leg = leg, .from = from, .to = *to, .best_cost = 1e300};
    int64_t n = line_points(b, leg);
    c.free_place = to->place == GF_GPU_A || to->place == GF_GPU_B;
    leg->length = n;
    consider(&c, &(struct cut){1, {n}, 0, false});
    if (!one_tile) {
        consider_cuts(&c, n, 0, false);
        if (can_split_rader(leg, n))
            consider_cuts(&c, n - 1, n - 1, true);
        if (!c.best.parts) {
            int64_t m = gf_factor_smooth_length(2 * n - 1);
            if (m < 256)
                m = 256;
            consider_cuts(&c, m, m, false);
        }
    }
    if (!c.best.parts)
        return gf_fail(GF_EUNSUPP, "lines of %lld points are too long for this device",
                       (long long)n);
    double cost;
    choose_place(&c, &c.best, to);
    gf_gpu_need(b, to);
    return add_cut(b, leg, &c.best, from, to, &cost);
}

bool gf_gpu_fits_tile(struct gf_gpu_builder *b, const struct gf_gpu_axis_pass *leg,
                      const struct gf_gpu_space *from, const struct gf_gpu_space *to) {
    struct gf_gpu_axis_pass one = *leg;
    struct choice c = {.b = b, .leg = &one, .from = from, .to = *to, .best_cost = 1e300};
    one.length = line_points(b, leg);
    consider(&c, &(struct cut){1, {one.length}, 0, false});
    return c.best.parts == 1;
}
