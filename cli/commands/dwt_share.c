/* The forward transform's parts, each a stream of its own. */
#include "cli/commands/dwt_share.h"

/* For shares by measured speed: as many parts as tell the speed, and as many more. */
enum { PARTS_A_DEVICE = 4, STREAMS = 1 /* which read ahead and write by threads of their own */ };

struct share {
    int parts;
    struct gf_volume *volume;
};

int gf_dwt_share_parts(const struct gf_task *t) {
    return gf_part_may_share(t) ? gf_dwt_share_count(&t->job, t->deal) : 0;
}

int gf_dwt_share_count(const struct gf_job *job, const struct gf_deal *d) {
    return gf_part_streams(d) ? gf_part_count(gf_dwt_parts(job, PARTS_A_DEVICE * d->n), d) : 0;
}

int gf_dwt_share_threads(const struct gf_settings *s, const struct gf_deal *d) {
    return gf_part_threads(s, d, STREAMS);
}

int64_t gf_dwt_share_bytes(const struct gf_task *t, int parts) {
    struct gf_dwt_part part;
    int64_t bytes = 0;
    gf_dwt_part(&t->job, parts, 0, &part);
    for (int i = 0; i < t->deal->n; i++)
        bytes +=
            gf_dwt_run_bytes(t, &t->runners[i], &part.job, gf_dwt_share_threads(t->s, t->deal));
    return bytes;
}

/* Another device does the part again where this one fails. */
static int run_part(void *user, struct gf_part_hand *hand, int i) {
    const struct share *s = user;
    struct gf_dwt_part part;
    struct gf_dwt_run run = {.hand = hand};
    int rc;
    gf_dwt_part(&hand->t->job, s->parts, i, &part);
    do
        rc = gf_dwt_run_part(&run, &part, s->volume);
    while (rc && run.on_device && gf_runner_stream_moves(hand->runner, rc));
    return rc;
}

int gf_dwt_share_run(struct gf_task *t, int parts, struct gf_volume *volume,
                     struct gf_part_sum *sum) {
    struct share s = {parts, volume};
    const struct gf_part_work work = {
        .parts = parts, .streams = STREAMS, .run = run_part, .user = &s};
    return gf_part_share(t, &work, sum);
}
