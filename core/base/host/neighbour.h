/* The memory of other processes of this machine and this user, which Linux copies to and from directly.
 *
 *     struct gf_neighbour own, other;
 *     gf_neighbour_open(memory, &own);
 *     …                                          the processes exchange these structs
 *     if (gf_neighbour_reaches(&other))
 *         rc = gf_neighbour_copy(&other, at, data, bytes, true);
 *     …                                          all have finished
 *     gf_neighbour_close(); */
#ifndef GF_CORE_BASE_NEIGHBOUR_H
#define GF_CORE_BASE_NEIGHBOUR_H

#include <stdbool.h>
#include <stdint.h>

struct gf_neighbour {
    int64_t process;
    uint64_t self, memory; /* addresses in that process: of this struct and of its memory */
    uint64_t random;       /* a process with the same number on another machine has another one */
};

/* Describes this process's memory, and allows the user's other processes to reach it. *own stays where it is
 * until they have called gf_neighbour_reaches(). */
void gf_neighbour_open(const void *memory, struct gf_neighbour *own);
void gf_neighbour_close(void);

/* True if `n` describes another process, and its memory can be copied to and from. False on other systems
 * than Linux, and where copying between processes is not allowed. */
bool gf_neighbour_reaches(const struct gf_neighbour *n);
/* Copies to (`puts`) or from n's memory at offset `at`. GF_EIO. */
int gf_neighbour_copy(const struct gf_neighbour *n, int64_t at, void *data, int64_t bytes,
                      bool puts);

#endif
