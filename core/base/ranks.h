/* The processes of one run, through the plugin that speaks their MPI.
 *
 *     struct gf_ranks ranks;
 *     int rc = gf_ranks_open("/usr/lib/gpufft/gpufft-mpi-openmpi.so", &ranks);
 *     …
 *     rc = gf_ranks_agree(&ranks, rc);      a failure of one is the failure of all
 *     gf_ranks_close(&ranks);
 *
 * A failure below MPI is a failure of all, and they are out of step: `broken`. Functions return at
 * once then. */
#ifndef GF_CORE_BASE_RANKS_H
#define GF_CORE_BASE_RANKS_H

#include "core/base/job.h"
#include "core/base/span.h"
#include "core/base/transport.h"

struct gf_ranks {
    const struct gf_transport *transport;
    int rank, size;
    bool broken;
    int speaker; /* the rank whose failure gf_ranks_agree() returned; it has the message */
};

/* Loads the plugin and joins the others. GF_EABSENT where the plugin does not load. The library
 * stays in the process. */
int gf_ranks_open(const char *plugin, struct gf_ranks *r);
void gf_ranks_close(struct gf_ranks *r); /* takes one that is all zero */

/* A code of the transport as a status, GF_EIO with its message: the ranks are broken then. */
int gf_ranks_check(struct gf_ranks *r, int code);

/* The functions below are called by all ranks, in the same order. Where there are none, ranks NULL,
 * they leave what one process has. */

/* 0 where all ranks have 0, else the status of the first that has not. */
int gf_ranks_agree(struct gf_ranks *r, int rc);
int gf_ranks_share(struct gf_ranks *r, void *data, int64_t bytes, int root);
int gf_ranks_gather(struct gf_ranks *r, const void *mine, int64_t bytes, void *all);
/* values[i] becomes the sum over all ranks, in their order, or the largest. */
int gf_ranks_sum(struct gf_ranks *r, double *values, int64_t n);
int gf_ranks_most(struct gf_ranks *r, double *values, int64_t n);
/* This rank's share of n items; all of them where it is alone. */
static inline struct gf_span gf_ranks_own(const struct gf_ranks *r, int64_t n) {
    return r ? gf_slab_share(n, r->size, r->rank) : (struct gf_span){0, n};
}
/* Adds up a report's counts: those of this rank's parts become those of all. */
int gf_ranks_join_report(struct gf_ranks *r, struct gf_report *report);

#endif
