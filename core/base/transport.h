/* What processes of one run say to each other, and their access to a shared file: the functions of a
 * plugin that is built with an MPI library (core/mpi/plugin.c) and opened at run time, as MPI
 * libraries differ in their binary interfaces. core/mpi/ranks.h opens one.
 *
 * Functions return 0, or a code that is not 0 after which message() has the reason; then the processes
 * are out of step and only abandon() helps. All of them are called by one thread. */
#ifndef GF_CORE_BASE_TRANSPORT_H
#define GF_CORE_BASE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

/* Changes with struct gf_transport. */
enum { GF_TRANSPORT_VERSION = 1 };

/* Bytes [at, at + bytes) of a file. */
struct gf_file_part {
    int64_t at, bytes;
};

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

    /* Begin, and return at once; any number of bytes. What one rank sends another arrives in the order
     * in which the other one began to receive. progress() moves what is under way, and with `wait`
     * returns when all of it has ended. */
    int (*send)(const void *data, int64_t bytes, int to);
    int (*receive)(void *data, int64_t bytes, int from);
    int (*progress)(bool wait);

    /* Collective: all ranks call them in the same order. The file exists. Parts ascend, do not
     * overlap, lie in `data` one after the other, and come to less than 2^31 bytes; a rank may have
     * none. */
    int (*open)(const char *path, bool write);
    int (*read)(const struct gf_file_part *parts, int n, void *data);
    int (*write)(const struct gf_file_part *parts, int n, const void *data);
    int (*close)(void);
};

/* The plugin's only symbol. */
#define GF_TRANSPORT_SYMBOL "gf_transport"
typedef const struct gf_transport *gf_transport_get(void);

#endif
