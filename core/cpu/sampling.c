/* A few lines of the last pass, transformed before it, for the automatic display range. */
#include "core/cpu/plan.h"

#include <omp.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/job/loadstore.h"
#include "core/base/value/status.h"

/* The sample's axis for an axis of the job; channels come last. */
static int sample_axis(const struct gf_cpu_plan *p, int axis) {
    return axis == p->job.ndim ? 3 : gf_work_axis(&p->job, axis);
}

static const struct gf_range_axis *indices_of(const struct gf_cpu_plan *p, int axis) {
    return &p->sampling->sample.axis[sample_axis(p, axis)];
}

static size_t complex_bytes(const struct gf_cpu_plan *p) {
    return (size_t)p->kernels->bits / 4;
}

/* ---------------------------------------------------------------- plan */

/* Finds runs of a row's indices within one block of lanes. */
static void find_runs(struct gf_cpu_sampling *s, const struct gf_range_axis *x, int lanes) {
    for (int i = 0; i < x->count; i++)
        if (i == 0 || x->index[i] / lanes != x->index[i - 1] / lanes)
            s->run[s->n_runs++] = i;
    s->run[s->n_runs] = x->count;
}

static int64_t blocks_in(const struct gf_cpu_plan *p, const struct gf_cpu_pass_args *args) {
    return gf_divide_up(args->n_lane, p->kernels->lanes);
}

/* Counts the runs of the last pass that the sample needs. */
static void plan_lines(const struct gf_cpu_plan *p, const struct gf_cpu_pass *last,
                       struct gf_cpu_sampling *s) {
    s->blocks = blocks_in(p, &last->args) * last->args.n_outer[0] * last->args.n_outer[1];
    s->n_lines = s->n_runs;
    for (int d = 0; d < 2; d++)
        if (last->outer[d] >= 0)
            s->n_lines *= s->sample.axis[sample_axis(p, last->outer[d])].count;
    s->line_set = (size_t)last->args.n * (size_t)p->kernels->lanes * complex_bytes(p);
}

int gf_cpu_sampling_make(const struct gf_cpu_plan *p, struct gf_cpu_sampling **out) {
    struct gf_cpu_sampling *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return gf_no_memory();
    int rc = gf_range_sample_make(&p->job, &s->sample);
    const struct gf_range_axis *x = &s->sample.axis[gf_work_axis(&p->job, p->inner)];
    if (!rc && !(s->run = malloc((size_t)(x->count + 1) * sizeof *s->run)))
        rc = gf_no_memory();
    if (!rc)
        find_runs(s, x, p->kernels->lanes);
    const struct gf_cpu_pass *last = &p->pass[p->n_passes - 1];
    if (!rc && last->range_sampled)
        plan_lines(p, last, s);
    if (rc) {
        gf_cpu_sampling_free(s);
        return rc;
    }
    *out = s;
    return 0;
}

void gf_cpu_sampling_free(struct gf_cpu_sampling *s) {
    if (!s)
        return;
    gf_range_sample_free(&s->sample);
    free(s->run);
    free(s);
}

void gf_cpu_sampling_summarise(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                               struct gf_pass_info *info) {
    const struct gf_range_sample *s = &p->sampling->sample;
    int64_t lines = 0, all = pass->args.n_lane;
    *info = (struct gf_pass_info){.part = true};
    if (pass->range_sampled) {
        lines = indices_of(p, pass->lane)->count;
        for (int d = 0; d < 2; d++) {
            lines *= pass->outer[d] < 0 ? 1 : indices_of(p, pass->outer[d])->count;
            all *= pass->args.n_outer[d];
        }
        info->bytes_read = lines * pass->args.n * (int64_t)complex_bytes(p);
        snprintf(info->what, sizeof info->what, "range: %lld of %lld lines along %c, for %lld bins",
                 (long long)lines, (long long)all, "zyx"[gf_work_axis(&p->job, pass->axis)],
                 (long long)s -> count);
    } else {
        info->bytes_read = s->count * (int64_t)complex_bytes(p);
        snprintf(info->what, sizeof info->what, "range: %lld bins", (long long)s->count);
    }
}

static size_t round_up(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

int64_t gf_cpu_sampling_place(const struct gf_cpu_plan *p, char *memory,
                              struct gf_cpu_sampled *to) {
    const struct gf_cpu_sampling *s = p->sampling;
    const size_t count = (size_t)s->sample.count, lines = round_up(count * complex_bytes(p));
    const size_t kept = lines + s->line_set * (size_t)s->n_lines;
    const size_t key = kept + round_up((size_t)s->blocks * sizeof *to->kept);
    if (to) {
        *to = (struct gf_cpu_sampled){.bins = {.sample = &s->sample,
                                               .value = memory,
                                               .is_double = p->kernels->bits == 64,
                                               .key = (uint32_t *)(void *)(memory + key)},
                                      .lines = memory + lines,
                                      .kept = (int32_t *)(void *)(memory + kept)};
        memset(to->kept, 0xff, (size_t)s->blocks * sizeof *to->kept); /* -1 */
    }
    return (int64_t)(key + round_up(count * sizeof *to->bins.key));
}

/* ---------------------------------------------------------------- bins */

static int64_t step_of(const struct gf_cpu_plan *p, int axis) {
    const struct gf_range_axis *a = p->sampling->sample.axis;
    int which = sample_axis(p, axis);
    int64_t step = which < 2 || which == 3 ? a[2].count : 1;
    step *= which == 0 || which == 3 ? a[1].count : 1;
    return which == 3 ? step * a[0].count : step;
}

/* Copies `count` neighbours from a block of lanes to bin `i`. */
static void put(const struct gf_cpu_bound *b, int64_t i, const char *block, int64_t first,
                int64_t count) {
    const struct gf_range_bins *to = &b->sampled.bins;
    const int64_t lanes = b->plan->kernels->lanes;
    for (int64_t k = first; k < first + count; k++)
        gf_number_put(to->value, i + k - first, to->is_double,
                      (struct gf_number){gf_real_get(block, k, to->is_double),
                                         gf_real_get(block, lanes + k, to->is_double)});
}

/* A block of lanes at `data`, line by line. */
static struct gf_cpu_end block_end(const struct gf_cpu_plan *p, const struct gf_cpu_pass_args *args,
                                   char *data, int64_t lane0) {
    const int64_t lanes = p->kernels->lanes, size = (int64_t)complex_bytes(p);
    return (struct gf_cpu_end){.type = GF_CPU_WORK,
                               .data = data - lane0 * size,
                               .line = {.n = args->n, .stride = lanes * size},
                               .lane = {.n = args->n_lane, .stride = size},
                               .outer = {{.n = args->n_outer[0]}, {.n = args->n_outer[1]}}};
}

/* Transforms run `number`, which includes the indices of the outer axes. */
static void run_lines(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass, int number,
                      void *scratch) {
    const struct gf_cpu_plan *p = b->plan;
    const struct gf_cpu_sampling *s = p->sampling;
    const struct gf_range_axis *x = indices_of(p, pass->lane), *k = indices_of(p, pass->axis);
    const int64_t lanes = p->kernels->lanes, size = (int64_t)complex_bytes(p);
    int first = s->run[number % s->n_runs], end = s->run[number % s->n_runs + 1];
    int rest = number / s->n_runs;
    char *lines = b->sampled.lines + (size_t)number * s->line_set;
    int64_t tile = 0, lane0 = x->index[first] / lanes * lanes;
    int64_t to = first * step_of(p, pass->lane), step = step_of(p, pass->axis);
    for (int d = 0; d < 2; d++) {
        if (pass->outer[d] < 0)
            continue;
        const struct gf_range_axis *a = indices_of(p, pass->outer[d]);
        to += rest % a->count * step_of(p, pass->outer[d]);
        tile = tile * pass->args.n_outer[d] + a->index[rest % a->count];
        rest /= a->count;
    }
    if (lane0 >= pass->args.n_lane) /* packed: made by unpack() */
        return;
    struct gf_cpu_pass_args args = pass->args;
    args.groups = 1;
    args.unpacks = false;
    args.destination = block_end(p, &args, lines, lane0);
    struct gf_cpu_stats none = {0};
    tile = tile * blocks_in(p, &args) + lane0 / lanes;
    p->kernels->run(&args, tile, scratch, &none);
    if (!pass->args.unpacks)
        b->sampled.kept[tile] = number;
    for (int i = 0; i < k->count; i++)
        put(b, to + i * step, lines + k->index[i] * lanes * size, x->index[first] - lane0,
            end - first);
}

void gf_cpu_sampling_tile(const struct gf_cpu_bound *b, const struct gf_cpu_pass_args *args,
                          int64_t tile, void *scratch, struct gf_cpu_stats *stats) {
    const struct gf_cpu_plan *p = b->plan;
    const struct gf_cpu_sampled *s = &b->sampled;
    const int64_t groups = gf_max(args->groups, 1), blocks = blocks_in(p, args);
    const int64_t tiles = gf_divide_up(blocks, groups);
    const int64_t first = tile / tiles * blocks + tile % tiles * groups;
    const int64_t count = gf_min(blocks - tile % tiles * groups, groups);
    bool any = false;
    for (int64_t i = first; i < first + count && !args->unpacks; i++)
        any |= s->kept[i] >= 0;
    if (!any) {
        p->kernels->run(args, tile, scratch, stats);
        return;
    }
    for (int64_t i = first; i < first + count; i++) {
        struct gf_cpu_pass_args one = *args;
        one.groups = 1;
        if (s->kept[i] >= 0) {
            one.line = NULL;
            one.source = block_end(p, &one, s->lines + (size_t)s->kept[i] * p->sampling->line_set,
                                   i % blocks * p->kernels->lanes);
        }
        p->kernels->run(&one, i, scratch, stats);
    }
}

void gf_cpu_sampling_lines(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass,
                           int threads) {
    const struct gf_cpu_plan *p = b->plan;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int i = 0; i < p->sampling->n_lines; i++)
        run_lines(b, pass, i, b->scratch + (size_t)omp_get_thread_num() * p->scratch_bytes);
    if (p->packed)
        gf_range_unpack(&p->job, &b->sampled.bins);
}

void gf_cpu_sampling_read(const struct gf_cpu_bound *b) {
    const struct gf_cpu_plan *p = b->plan;
    const struct gf_range_sample *s = &p->sampling->sample;
    for (int64_t i = 0; i < s->count; i++) {
        static const int order[4] = {2, 1, 0, 3}; /* the last index changes fastest */
        int64_t index[GF_MAX_DIMS + GF_MAX_RANK] = {0}, *of = index + GF_MAX_DIMS - p->job.ndim;
        int64_t rest = i;
        for (int k = 0; k < 4; k++) {
            const struct gf_range_axis *a = &s->axis[order[k]];
            index[order[k]] = (int64_t)a->index[rest % a->count];
            rest /= a->count;
        }
        put(b, i, gf_cpu_work_at(b, of), of[p->inner] % p->kernels->lanes, 1);
    }
}
