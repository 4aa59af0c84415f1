/* A pass that writes a display and finds its range: SAMPLED. The first groups take tiles of the lines
 * in the range's sample, leave the keys of their bins, and the last of them to finish finds the
 * quantiles. The other groups take the pass's own tiles and wait for the range before they store.
 * A group that waits while a tile of the sample is not begun takes that tile first, and its own once
 * more: so the range is found whatever the order is in which groups start, and however few run at the
 * same time. With PAIRS the groups that start beside the sample's have a second tile: where the range
 * is not there after the first one, they park its values and transform the second before they wait. */
#ifndef RANGE_PASS_H
#define RANGE_PASS_H

#include "lines.h"
#include "sink.h"

#define NO_TILE ((uint)-1)

/* What a group works on: a tile of the pass's lines or, in a pass that finds its display range, of
 * those in the sample. */
struct task {
    uint tile;
    int sampling;
    int own;                 /* a tile of the pass's lines is still to come: */
    uint mine;               /* this one */
    uint second;             /* and after it this one, or NO_TILE */
    uint parked;             /* this one's values are parked, or NO_TILE */
    int restores;            /* they are taken from there */
    uint stolen;             /* a tile of the sample that nobody has begun */
    uint range[4];           /* its words, 0 as long as they are not there: known to work item 0 */
    GLOBAL const int *order; /* where the lists of the sample are */
};

/* The only task of a group. */
INLINE struct task only_task(GLOBAL const int *order) {
    struct task t;
    t.tile = t.mine = (uint)GROUP_ID;
    t.second = t.parked = NO_TILE;
    t.restores = 0;
    t.sampling = SAMPLED == SAMPLED_ALONE;
    t.own = 0;
    t.stolen = 0;
    t.order = order;
    UNROLL for (int i = 0; i < 4; i++) t.range[i] = 0;
    return t;
}

#ifndef CLEARS
#define CLEARS 0
#endif

/* Before a pass that finds its range: the words that its groups exchange. */
INLINE void clear_shared(GLOBAL uint *counters, const int threads) {
    for (int i = LOCAL_ID; i < SHARED_KEYS && CLEARS && GROUP_ID == 0; i += threads)
        counters[SHARED + i] = 0;
    (void)counters;
}

#if SAMPLED
#include "quantiles.h"

/* The histogram and what follows it in the tile's memory; keys are put in front of it. */
INLINE void begin_keys(const struct sample_lines *s, LOCAL uint *words) {
    BARRIER(); /* the transform's last exchange is over */
    clear_words(words + s->sums, SAMPLE_SUMS + 2);
}

/* Where the bins of a tile's line are in the sample, and those of its mirror image. */
struct sampled_line {
    wide at, mirror;
    int there, own; /* as in struct line */
};

INLINE struct sampled_line sampled_line_at(const struct pass_args *a, uint tile, uint number) {
    const struct sample_lines *s = &a->sample;
    const uint tiles = ((uint)s->count[0] + TILE_LINES(a) - 1) / TILE_LINES(a);
    struct sampled_line l;
    uint rest = INDICES > 1 ? tile / tiles : 0, at = (tile - rest * tiles) * TILE_LINES(a) + number;
    l.there = at < (uint)s->count[0];
    l.at = l.mirror = 0;
    l.own = 0;
    UNROLL for (int i = 0; i < INDICES; i++) {
        const uint mirror = s->size[i] && at ? (uint)s->size[i] - at : at;
        l.at += (wide)at * s->stride[i];
        l.mirror += (wide)mirror * s->stride[i];
        l.own |= i == (int)a->own_index && mirror == at;
        if (i + 1 < INDICES) {
            const uint next = i + 2 < INDICES ? rest / (uint)s->count[i + 1] : 0;
            at = rest - next * (uint)s->count[i + 1];
            rest = next;
        }
    }
    return l;
}

/* A bin on a tile's line or on the line's mirror image. */
struct sampled_bin {
    wide at;   /* in the sample; -1: none */
    uint from; /* its coordinate, and behind those of the lines before */
    uint weight;
};

/* The i-th of a tile. */
INLINE struct sampled_bin sampled_bin_at(const struct pass_args *a, const struct task *t, uint i) {
    const struct sample_lines *s = &a->sample;
    const uint bins = (uint)s->bins, n = (uint)a->axis_size, line = i / bins, number = line / 2;
    const int mirror = (int)(line & 1);
    const struct sampled_line l = sampled_line_at(a, t->tile, number);
    struct sampled_bin b;
    b.at = -1;
    b.from = b.weight = 0;
    if (number < TILE_LINES(a) && l.there && !(mirror && l.own)) {
        const uint bin = i - line * bins, k = (uint)t->order[s->list_along + bin];
        b.at = (mirror ? l.mirror : l.at) + (wide)bin * s->stride_along;
        b.from = number * n + (mirror && k ? n - k : k);
        b.weight = (uint)t->order[s->weight + b.at];
    }
    return b;
}

/* That a work item looks up at the same time. */
#define BINS_AT_ONCE (THREADS < 128 ? 6 : 3)

/* After the keys of the tile's lines are at `keys`. */
INLINE void leave_keys(const struct pass_args *a, const struct task *t, GLOBAL uint *shared,
                       LOCAL uint *words, LOCAL const uint *keys) {
    const struct sample_lines *s = &a->sample;
    LOCAL uint *sums = words + s->sums;
    BARRIER();
    for (uint i = (uint)LOCAL_ID; i < TILE_LINES(a) * 2 * (uint)s->bins;
         i += BINS_AT_ONCE * THREADS) {
        struct sampled_bin bin[BINS_AT_ONCE];
        UNROLL for (int j = 0; j < BINS_AT_ONCE; j++) bin[j] =
            sampled_bin_at(a, t, i + j * THREADS);
        UNROLL for (int j = 0; j < BINS_AT_ONCE; j++) {
            if (bin[j].at < 0)
                continue;
            const uint key = keys[bin[j].from];
            SHOW(&shared[SHARED_KEYS + bin[j].at], key);
            if (SAMPLED == SAMPLED_FIRST)
                put_key(sums, sums + SAMPLE_SUMS, key, bin[j].weight);
        }
    }
}
#endif

#if SAMPLED == SAMPLED_FIRST
/* The next tile of the sample that is not begun, by work item 0; NO_TILE: none. */
INLINE uint next_sampled(const struct sample_lines *s, GLOBAL uint *shared) {
    const uint next = ATOMIC_ADD(&shared[SHARED_NEXT], 1u);
    return next < (uint)s->tiles ? next : NO_TILE;
}

/* The words of the range, as far as they are there. */
INLINE void see_range(struct task *t, GLOBAL uint *shared) {
    UNROLL for (int i = 0; i < 2 * REAL_WORDS; i++) t->range[i] = SEEN(&shared[SHARED_RANGE + i]);
}
INLINE int has_range(const struct task *t) {
    int has = 1;
    UNROLL for (int i = 0; i < 2 * REAL_WORDS; i++) has &= t->range[i] != 0;
    return has;
}

INLINE struct task first_task(const struct sample_lines *s, GLOBAL const int *order,
                              GLOBAL uint *shared, LOCAL uint *words) {
    struct task t = only_task(order);
    t.stolen = NO_TILE;
    t.own = GROUP_ID >= (wide)s->tiles;
    t.sampling = !t.own;
    if (t.sampling) {
        if (LOCAL_ID == 0)
            words[s->note] = next_sampled(s, shared);
        BARRIER();
        t.tile = words[s->note];
    } else {
        t.tile = t.mine -= (uint)s->tiles;
        if (PAIRS && t.mine < (uint)s->pairs)
            t.second = (uint)GROUPS - (uint)s->tiles + t.mine;
        if (LOCAL_ID == 0)
            see_range(&t, shared);
    }
    return t;
}

/* Whether the group has another task. */
INLINE int next_task(struct task *t) {
    int again = 1;
    if (t->sampling) {
        again = t->own;
        t->sampling = 0;
        t->tile = t->mine;
    } else if (t->stolen != NO_TILE) {
        t->sampling = 1;
        t->tile = t->stolen;
        t->stolen = NO_TILE;
    } else if (PAIRS && t->second != NO_TILE) {
        t->tile = t->mine = t->second;
        t->second = NO_TILE;
    } else {
        again = PAIRS && t->parked != NO_TILE;
        t->restores = again;
        t->tile = t->mine = t->parked;
        t->parked = NO_TILE;
    }
    if (again)
        BARRIER(); /* all are done with the tile's memory */
    return again;
}

/* Whether the range is there, and in the tile's memory, at `range`; else the group has stolen a
 * tile, or parks its own. */
INLINE int range_is_there(struct task *t, const struct sample_lines *s, GLOBAL uint *shared,
                          LOCAL uint *words) {
    LOCAL real *range = (LOCAL real *)(words + s->note + 2);
    if (LOCAL_ID == 0) {
        uint stolen = NO_TILE;
        int parks = PAIRS > 1 && t->second != NO_TILE;
        while (!has_range(t) && stolen == NO_TILE && !parks) {
            see_range(t, shared);
            parks = PAIRS && !has_range(t) && t->second != NO_TILE;
            if (!has_range(t) && !parks && SEEN(&shared[SHARED_NEXT]) < (uint)s->tiles)
                stolen = next_sampled(s, shared);
            if (!has_range(t) && !parks)
                PAUSE();
        }
        words[s->note] = stolen;
        words[s->note + 1] = (uint)parks;
        range[0] = real_of_words(t->range);
        range[1] = real_of_words(t->range + REAL_WORDS);
    }
    BARRIER();
    t->stolen = words[s->note];
    if (PAIRS && words[s->note + 1])
        t->parked = t->mine;
    return t->stolen == NO_TILE && t->parked != t->mine;
}

/* Where the values of a group's first tile are parked. */
#define PARK(args, shared, tile)                                                                   \
    ((GLOBAL real *)((shared) + (args)->sample.parked) +                                           \
     (wide)(tile) * (wide)TILE_LINES(args) * (args)->axis_size)

/* Sums that a work item reads at the same time. */
#define SUMS_AT_ONCE 8

/* The range, by the group that finished the sample; the parameters have it for the report. */
INLINE void publish_range(const struct pass_args *a, const struct task *t, GLOBAL real *params,
                          GLOBAL uint *shared, LOCAL uint *words) {
    struct keys k;
    real range[2];
    uint first[AT_ONCE];
    k.key = shared + SHARED_KEYS;
    k.weight = t->order + a->sample.weight;
    k.count = a->sample.all;
    const uint largest = SEEN(&shared[SHARED_LARGEST]), zero = SEEN(&shared[SHARED_ZERO]);
    const real rms = params[a->params + PARAM_RMS], rounding = params[a->params + PARAM_ROUNDING];
    next_keys(&k, LOCAL_ID, first);
    for (int i = LOCAL_ID; i < SAMPLE_DIGITS; i += SUMS_AT_ONCE * THREADS) {
        uint sum[SUMS_AT_ONCE];
        UNROLL for (int j = 0; j < SUMS_AT_ONCE; j++) {
            const int digit = i + j * THREADS;
            sum[j] = digit < SAMPLE_DIGITS ? SEEN(&shared[SHARED_SUMS + digit]) : 0;
        }
        UNROLL for (int j = 0; j < SUMS_AT_ONCE; j++) {
            const int digit = i + j * THREADS;
            if (digit < SAMPLE_DIGITS)
                words[SUM_AT(digit)] = sum[j];
        }
    }
    BARRIER();
    find_range(&k, words, first, largest, zero, rms, rounding, range);
    if (LOCAL_ID == 0) {
        uint shown[2 * REAL_WORDS];
        words_of_real(shown, range[0]);
        words_of_real(shown + REAL_WORDS, range[1]);
        UNROLL for (int i = 0; i < 2 * REAL_WORDS; i++) SHOW(&shared[SHARED_RANGE + i], shown[i]);
        params[a->params + PARAM_LOW] = range[0];
        params[a->params + PARAM_HIGH] = range[1];
    }
}

/* The tile's keys and their histogram to all, and from the last tile's group the range. */
INLINE void finish_keys(const struct pass_args *a, const struct task *t, GLOBAL real *params,
                        GLOBAL uint *shared, LOCAL uint *words) {
    const struct sample_lines *s = &a->sample;
    LOCAL uint *sums = words + s->sums;
    BARRIER();
    for (int i = LOCAL_ID; i < SAMPLE_DIGITS; i += THREADS) {
        const uint sum = sums[SUM_AT(i)];
        if (sum)
            ATOMIC_ADD(&shared[SHARED_SUMS + i], sum);
    }
    if (LOCAL_ID < 2)
        ATOMIC_MAX(&shared[SHARED_LARGEST + LOCAL_ID], sums[SAMPLE_SUMS + LOCAL_ID]);
    FENCE();
    BARRIER();
    if (LOCAL_ID == 0)
        words[s->note] = ATOMIC_ADD(&shared[SHARED_DONE], 1u) + 1 == (uint)s->tiles;
    BARRIER();
    if (words[s->note]) {
        FENCE();
        publish_range(a, t, params, shared, words);
    }
}

/* In a kernel, which has `args`, `params`, `counters` and `tile`: the tasks of its group. */
#define FIRST_TASK(order)        first_task(&args.sample, order, counters + SHARED, (LOCAL uint *)tile)
#define IS_NONE(task)            ((task).sampling && (task).tile == NO_TILE)
#define NEXT_TASK(task)          next_task(&(task))
#define IS_PARKED(task)          (PAIRS && (task).restores)
#define TAKE_PARKED(task, to, x) take_parked(to, PARK(&args, counters + SHARED, (task).tile), x)
/* `store` writes a line's samples through `out`; or their keys, for which there is room at `room`, or
 * their values. */
#define STORES(task, out, room, store)                                                             \
    const int there = !(task).sampling && range_is_there(&(task), &args.sample, counters + SHARED, \
                                                         (LOCAL uint *)tile);                      \
    if (there) {                                                                                   \
        (out).range = (LOCAL const real *)((LOCAL uint *)tile + args.sample.note + 2);             \
        store;                                                                                     \
    } else if ((task).sampling || (PAIRS && (task).stolen == NO_TILE)) {                           \
        (out).aside = 1;                                                                           \
        (out).keys = (room);                                                                       \
        (out).park = (task).sampling ? 0 : PARK(&args, counters + SHARED, (task).tile);            \
        if ((task).sampling)                                                                       \
            begin_keys(&args.sample, (LOCAL uint *)tile);                                          \
        store;                                                                                     \
        if ((task).sampling) {                                                                     \
            leave_keys(&args, &(task), counters + SHARED, (LOCAL uint *)tile, (room));             \
            finish_keys(&args, &(task), params, counters + SHARED, (LOCAL uint *)tile);            \
        }                                                                                          \
    }
#else
#define FIRST_TASK(order) only_task(order)
#define IS_NONE(task)     0
#define NEXT_TASK(task)   0
#endif
#if !PAIRS
#undef IS_PARKED
#undef TAKE_PARKED
#define IS_PARKED(task)          0
#define TAKE_PARKED(task, to, x) (void)0
#endif
/* To a work item's share, which tile that is. */
#if SAMPLED
#define SHARE_TASK(task, share)                                                                    \
    (share).tile = (task).tile;                                                                    \
    (share).sampling = (task).sampling;                                                            \
    (share).order = (task).order
#else
#define SHARE_TASK(task, share) (void)(task)
#endif
#if SAMPLED == SAMPLED_ALONE
#define STORES(task, out, room, store)                                                             \
    (out).aside = 1;                                                                               \
    (out).keys = (room);                                                                           \
    BARRIER();                                                                                     \
    store;                                                                                         \
    leave_keys(&args, &(task), counters + SHARED, (LOCAL uint *)tile, (room))
#elif !SAMPLED
#define STORES(task, out, room, store) store
#endif

#endif
