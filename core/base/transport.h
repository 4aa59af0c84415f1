/* How processes of one run talk to each other, and the memory that they share: the functions of a
 * plugin that is built with an MPI library (core/mpi/plugin.c) and opened at run time, as MPI
 * libraries differ in their binary interfaces. core/base/ranks.h opens one.
 *
 * Functions return 0, or a code that is not 0 after which message() has the reason; then the
 * processes are out of step and only abandon() helps. All of them are called by one thread. */
#ifndef GF_CORE_BASE_TRANSPORT_H
#define GF_CORE_BASE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

/* Changes with struct gf_transport. */
enum { GF_TRANSPORT_VERSION = 3 };

struct gf_transport {
    int version;
    const char *library; /* "Open MPI", "MPICH" */
    /* Joins the processes that a launcher started. Once in a process. */
    int (*start)(int *rank, int *size);
    void (*stop)(void);
    void (*abandon)(int code); /* ends all processes; does not return */
    const char *(*message)(void);

    /* Collective: `bytes` of rank `root` to all; equal shares of all, in the order of the ranks, to
     * all. */
    int (*share)(void *data, int64_t bytes, int root);
    int (*gather)(const void *mine, int64_t bytes, void *all);

    /* Memory of this rank that all reach, one window at a time, until it is closed. Collective;
     * there may be none of it. */
    int (*open)(void *memory, int64_t bytes);
    int (*close)(void);
    /* To or from rank `peer`'s memory at an offset. put() returns when `data` may be changed, get()
     * when it is there. */
    int (*put)(const void *data, int64_t bytes, int peer, int64_t at);
    int (*get)(void *data, int64_t bytes, int peer, int64_t at);
    /* Collective: what was put is there, in the memory of all. */
    int (*fence)(void);
};

/* The plugin's only symbol. */
#define GF_TRANSPORT_SYMBOL "gf_transport"
typedef const struct gf_transport *gf_transport_get(void);

#endif
