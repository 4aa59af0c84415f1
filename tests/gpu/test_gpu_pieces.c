/* The pieces that devices exchange between the walks of a job that they share, as numbers. */
#include "core/gpu/slab_walk.h"
#include "tests/test.h"

struct shape {
    int64_t pages, bins, unit;
};

enum { EACH = 3 }; /* indices of a part, at most */

static int64_t parts_of(struct gf_span own) {
    return (own.count + EACH - 1) / EACH;
}

static struct gf_span part_at(struct gf_span own, int64_t k) {
    const int64_t at = k * EACH;
    return (struct gf_span){own.first + at, own.count - at < EACH ? own.count - at : EACH};
}

/* Whether every row of the piece is within both parts, and brings each bin to its place. `to` counts what
 * was written there. */
static bool good_piece(const struct shape *e, bool to_block, struct gf_span pages,
                       struct gf_span bins, uint8_t *to) {
    const struct gf_gpu_region in[2] = {{pages.first, 0, e->bins}, {0, bins.first, bins.count}};
    const struct gf_gpu_move p = gf_gpu_piece(e->unit, pages, bins, in[!to_block], in[to_block]);
    const int64_t slab = pages.count * e->bins * e->unit, block = e->pages * bins.count * e->unit;
    bool good = p.count == pages.count && p.bytes == bins.count * e->unit;
    for (int64_t z = 0; z < p.count && good; z++)
        for (int64_t i = 0; i < p.bytes; i++) {
            const int64_t from = p.from.offset + z * p.from.pitch + i;
            const int64_t there = p.to.offset + z * p.to.pitch + i;
            const int64_t in_slab = to_block ? from : there, in_block = to_block ? there : from;
            const int64_t bin = i / e->unit;
            good = good && in_slab < slab && in_block < block &&
                   in_slab == (z * e->bins + bins.first + bin) * e->unit + i % e->unit &&
                   in_block == ((pages.first + z) * bins.count + bin) * e->unit + i % e->unit;
            if (good)
                to[there]++;
        }
    return good;
}

/* One part of one device, from all parts of all devices: each of its bytes is written once. */
static bool is_filled(const struct shape *e, bool to_block, int members, struct gf_span own) {
    uint8_t written[4096] = {0};
    const int64_t all = own.count * (to_block ? e->pages : e->bins) * e->unit;
    bool good = all <= (int64_t)sizeof written;
    for (int m = 0; m < members && good; m++) {
        const struct gf_span other = gf_span_share(to_block ? e->pages : e->bins, members, m);
        for (int64_t k = 0; k < parts_of(other) && good; k++)
            good = good_piece(e, to_block, to_block ? part_at(other, k) : own,
                              to_block ? own : part_at(other, k), written);
    }
    for (int64_t i = 0; i < all && good; i++)
        good = written[i] == 1;
    return good;
}

/* Even, uneven and prime extents, and more devices than pages. */
static void test_pieces(void) {
    static const struct shape shape[] = {{8, 12, 8}, {7, 13, 8}, {2, 31, 16}, {11, 3, 24}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int members = 1; members <= 5; members++)
            for (int m = 0; m < members; m++)
                for (int blocks = 0; blocks < 2; blocks++) {
                    const struct shape *e = &shape[i];
                    const struct gf_span own =
                        gf_span_share(blocks ? e->bins : e->pages, members, m);
                    bool good = true;
                    for (int64_t k = 0; k < parts_of(own); k++)
                        good = good && is_filled(e, blocks, members, part_at(own, k));
                    CHECK_MSG(good, "%lldx%lld, device %d of %d, %s", (long long)e->pages,
                              (long long)e->bins, m, members, blocks ? "bins" : "pages");
                }
}

int main(void) {
    RUN("the pieces cover each exchanged array once", test_pieces());
    return TEST_END();
}
