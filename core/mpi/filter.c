/* Samples to samples: planes, the exchange, rows there and back with the filter between, the exchange
 * back, planes. */
#include "core/base/clock.h"
#include "core/mpi/direction.h"
#include "core/mpi/pencils.h"
#include "core/mpi/planes.h"

struct filter {
    struct gf_slabs v;
    struct gf_spread *s;
    struct gf_planes in, out;
};

static int allocate(struct filter *f) {
    const struct gf_job *job = &f->s->job;
    int rc = gf_planes_open(&f->v, &f->s->in, job->in_dtype, job->channels, &f->in);
    return rc ? rc : gf_planes_open(&f->v, &f->s->out, job->out[0].dtype, f->v.channels, &f->out);
}

static int run(struct filter *f) {
    struct gf_spread *s = f->s;
    struct gf_ranks *ranks = s->ranks;
    int rc = gf_slabs_open(s, &f->v);
    if (!rc)
        rc = allocate(f);
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = gf_ranks_open_file(ranks, s->in.path, false);
    if (rc)
        return rc;
    double start = gf_now_ms();
    rc = gf_ranks_close_file(ranks, gf_planes_take(&f->in));
    if (!rc)
        rc = gf_slabs_refuse_nonfinite(&f->v);
    if (!rc)
        rc = gf_pencils_from_rows(&f->v);
    s->ms_transform = gf_now_ms() - start - s->ms_read;
    start = gf_now_ms();
    if (!rc)
        rc = gf_ranks_open_file(ranks, s->out.path, true);
    if (rc)
        return rc;
    rc = gf_ranks_close_file(ranks, gf_planes_give(&f->out));
    if (!rc)
        rc = gf_planes_add_up(&f->out);
    s->ms_write = gf_now_ms() - start;
    return rc;
}

int gf_spread_filter(struct gf_spread *s) {
    struct filter f = {.s = s};
    int rc = run(&f);
    gf_planes_close(&f.in);
    gf_planes_close(&f.out);
    gf_slabs_close(&f.v);
    return rc;
}
