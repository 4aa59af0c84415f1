/* Two passes over the parts of one axis in one launch. A strip is a tile's lines: all points of the
 * axis, for LINES neighbours. The first pass writes strips to a ring's slots; the second reads them
 * some strips later, while they are in the second-level cache.
 *
 * A group waits only for groups that began before it, so all end, however many the device runs at a
 * time and whatever other launches run. Groups are ordered by number if the device begins them so,
 * else by tickets. All counters are zero again at the end.
 *
 * Given by -D: see pass.h, and chain_next.h for the second pass; CHAIN_RESIDENT;
 *   INNER0 INNER1 BELOW0 BELOW1 TILES SLOTS   of struct chain_args: divisors
 *   PLANE_PAIRS    a strip is a plane and its mirror image; planes 0 and n/2 are one strip */
#define READ(p) READ_ONCE(p)
#include "plain_pass.h"
#include "chain_next.h"
#include "plain_pass.h"
#undef plain_pass

/* Counters: tickets, finished strips, each strip's finished tiles of the first pass, and of the
 * second. */
#define TICKETS 0
#define DONE    1
#define READY   2

#define MOST_ASKED (1u << 24)

/* Groups that began before this one. Tickets cost 6% of the time at 512x512, as a group loads only
 * once it has one; the last ticket resets the counter. */
INLINE uint groups_ahead(GLOBAL uint *counters, LOCAL uint *shared) {
#if GROUPS_IN_ORDER
    (void)counters;
    (void)shared;
    return (uint)GROUP_ID;
#else
    if (LOCAL_ID == 0) {
        *shared = ATOMIC_ADD(counters + TICKETS, 1u);
        if (*shared + 1 == (uint)GROUPS)
            counters[TICKETS] = 0;
    }
    BARRIER();
    return *shared;
#endif
}

/* Waits, usually some microseconds, until the counter reaches `count`. Gives up after ten seconds,
 * in case a device begins its groups in another order. */
INLINE void wait_for(GLOBAL uint *counter, uint count) {
    for (uint asked = 0; ATOMIC_READ(counter) < count; asked++)
        if (GROUPS_IN_ORDER && asked == MOST_ASKED)
            GIVE_UP();
    FENCE_READ();
}

/* Called by one item after a strip's last tile: clears its first counter and the second of the
 * strip that had its slot, which nobody will read again. The last strip clears all. */
INLINE void end_strip(GLOBAL uint *counters, uint strip, uint strips, uint slots) {
    GLOBAL uint *ready = counters + READY, *done = ready + strips;
    ready[strip] = 0;
    if (strip >= slots)
        done[strip - slots] = 0;
    FENCE();
    if (ATOMIC_ADD(counters + DONE, 1u) + 1 < strips)
        return;
    counters[DONE] = 0;
    for (uint i = slots < strips ? strips - slots : 0; i < strips; i++)
        done[i] = 0;
}

/* Counts a tile that the group has written, by one item. */
INLINE void count_tile(GLOBAL uint *counters, const struct chain_args *a, uint strip, int follows) {
    const uint strips = (uint)a->strips, last = INNER1 - 1;
    if (!follows) /* no group reads the second pass's results */
        FENCE();
    const uint before = ATOMIC_ADD(counters + READY + (follows ? strips : 0) + strip, 1u);
    if (follows && before == last)
        end_strip(counters, strip, strips, SLOTS);
}

/* The pass's number of tile `inner` of a strip, and its lines' place in the strip's slot. */
INLINE struct placed_tile tile_of(const struct chain_args *a, const int pass, uint strip,
                                  uint inner) {
    struct placed_tile t = {0, 0, 0, 0, 0};
#if PLANE_PAIRS
    const uint each = (pass ? INNER1 : INNER0) / 2, image = inner >= each;
    const uint strips = (uint)a->strips, plane = (uint)a->slot / 2;
    const uint number = !image ? strip : strip ? 2 * strips - strip : strips;
    t.number = number * each + inner - image * each;
    if (pass) {
        t.in = image * plane;
        t.in_mirror = (strip ? !image : image) * plane;
    } else {
        t.out = image * plane;
    }
#else
    const uint below = pass ? BELOW1 : BELOW0, over = strip / below;
    t.number = strip - over * below + (inner + over * (pass ? INNER1 : INNER0)) * below;
    (void)a;
#endif
    return t;
}

KERNEL(THREADS, CHAIN_RESIDENT)
VOID fft_chain(GLOBAL const first_source *src, GLOBAL cplx *ring, GLOBAL next_sink_element *dst,
               GLOBAL const cplx *RESTRICT table, GLOBAL const real *RESTRICT params,
               GLOBAL uint *counters ELSEWHERE_OF_FIRST,
               const struct chain_args args TILE_PARAMETER(cplx)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(cplx)
    const uint first = INNER0, second = INNER1, both = first + second;
    const uint strips = (uint)args.strips, slots = SLOTS, lag = (uint)args.lag;
    const uint ahead = groups_ahead(counters, (LOCAL uint *)tile);
    GLOBAL uint *ready = counters + READY, *done = ready + strips;
    /* Tiles of both passes alternate as evenly as their numbers allow. */
    const uint step = ahead / both, number = ahead - step * both;
    const uint before = number * second / both;
    const int follows = (number + 1) * second / both > before;
    const uint strip = follows ? step - lag : step; /* large: none yet */
    const int there = strip < strips;
    /* One item's work is outside the branch below: PoCL 3.1 sends all items the first one's way at
     * a branch after a barrier within a branch. */
    if (LOCAL_ID == 0 && there && (follows || strip >= slots))
        wait_for(follows ? ready + strip : done + strip - slots, follows ? first : second);
    GLOBAL_BARRIER(); /* and all have read the ticket, which is in the tile */
    if (there) {
        GLOBAL cplx *slot =
            ring + (strip % slots) * (uint)args.slot - (wide)(strip % TILES * LINES);
        if (follows) {
            next_plain_pass(slot, dst, table, params, &args.second,
                            tile_of(&args, 1, strip, before), (LOCAL next_word *)tile);
        } else {
            struct placed_tile at = tile_of(&args, 0, strip, number - before);
            at.elsewhere = FIRST_ELSEWHERE(elsewhere);
            plain_pass(src, slot, table, params, &args.first, at, (LOCAL first_word *)tile);
        }
    }
    GLOBAL_BARRIER();
    if (LOCAL_ID == 0 && there)
        count_tile(counters, &args, strip, follows);
}
