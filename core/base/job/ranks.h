/* The processes of one run, through the plugin for their MPI library.
 *
 *     struct gf_ranks ranks;
 *     int rc = gf_ranks_open("/usr/lib/gpufft/gpufft-mpi-openmpi.so", &ranks);
 *     …
 *     rc = gf_ranks_agree(&ranks, rc);      one rank's failure fails all
 *     gf_ranks_close(&ranks);
 *
 * After a failure in MPI all ranks have failed and are out of step (`broken`); functions then
 * return at once. */
#ifndef GF_CORE_BASE_RANKS_H
#define GF_CORE_BASE_RANKS_H

#include "core/base/job/job.h"
#include "core/base/value/span.h"
#include "core/base/host/transport.h"

struct gf_ranks {
    const struct gf_transport *transport;
    int rank, size;
    bool broken;
    int speaker; /* the rank whose failure gf_ranks_agree() returned; it has the message */
};

/* Loads the plugin and joins the other processes. GF_EABSENT if it does not load. The library stays
 * loaded. */
int gf_ranks_open(const char *plugin, struct gf_ranks *r);
void gf_ranks_close(struct gf_ranks *r); /* takes an all-zero struct */

/* Notes that this rank has failed with rc and the current gf_message(), and is out of step with the
 * others: the ranks are broken. Returns rc; 0 changes nothing. */
int gf_ranks_break(struct gf_ranks *r, int rc);
/* The same for a transport's code, which becomes GF_EIO with its message. */
int gf_ranks_check(struct gf_ranks *r, int code);

/* All ranks call the functions below in the same order. With NULL ranks, values stay as they
 * are. */

/* 0 if rc is 0 on all ranks, else the status of the first rank that failed. */
int gf_ranks_agree(struct gf_ranks *r, int rc);
int gf_ranks_share(struct gf_ranks *r, void *data, int64_t bytes, int root);
int gf_ranks_gather(struct gf_ranks *r, const void *mine, int64_t bytes, void *all);
/* values[i] becomes the sum, or the maximum, over all ranks in their order. */
int gf_ranks_sum(struct gf_ranks *r, double *values, int64_t n);
int gf_ranks_most(struct gf_ranks *r, double *values, int64_t n);
/* This rank's share of n items, or all of them without ranks. */
static inline struct gf_span gf_ranks_own(const struct gf_ranks *r, int64_t n) {
    return r ? gf_span_share(n, r->size, r->rank) : (struct gf_span){0, n};
}
/* Sums a report's counts over all ranks. */
int gf_ranks_join_report(struct gf_ranks *r, struct gf_report *report);

#endif
