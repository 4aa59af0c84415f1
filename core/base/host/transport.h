/* How the processes of a run communicate: the functions of a plugin that is built with an MPI
 * library (core/mpi/plugin.c) and opened at run time, as the binary interfaces of MPI libraries
 * differ. core/base/job/ranks.h opens one.
 *
 * Functions return 0, or another code, with the reason in message(); then the processes are out of
 * step and only abandon() helps. One thread makes all calls. */
#ifndef GF_CORE_BASE_TRANSPORT_H
#define GF_CORE_BASE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

/* Changes with struct gf_transport. */
enum { GF_TRANSPORT_VERSION = 3 };

struct gf_transport {
    int version;
    const char *library; /* "Open MPI", "MPICH" */
    /* Joins the processes of a launcher. Once per process. */
    int (*start)(int *rank, int *size);
    void (*stop)(void);
    void (*abandon)(int code); /* ends all processes; does not return */
    const char *(*message)(void);

    /* Collective. share() sends `bytes` of rank `root` to all ranks. gather() sends equal shares of
     * all ranks, in their order, to all. */
    int (*share)(void *data, int64_t bytes, int root);
    int (*gather)(const void *mine, int64_t bytes, void *all);

    /* Collective. A window of this rank's memory, possibly empty, that all ranks reach until
     * close(); one at a time. */
    int (*open)(void *memory, int64_t bytes);
    int (*close)(void);
    /* To or from the memory of rank `peer` at offset `at`. put() returns once `data` may be
     * changed, get() once it has arrived. */
    int (*put)(const void *data, int64_t bytes, int peer, int64_t at);
    int (*get)(void *data, int64_t bytes, int peer, int64_t at);
    /* Collective. On return, all data put has arrived in all ranks' memory. */
    int (*fence)(void);
};

/* The plugin's only symbol. */
#define GF_TRANSPORT_SYMBOL "gf_transport"
typedef const struct gf_transport *gf_transport_get(void);

#endif
