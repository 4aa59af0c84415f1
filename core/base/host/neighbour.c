/* Copies between processes by process_vm_readv() and process_vm_writev(). */
#include "core/base/host/neighbour.h"

#include "core/base/value/status.h"

#ifdef __linux__
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

void gf_neighbour_open(const void *memory, struct gf_neighbour *own) {
    *own = (struct gf_neighbour){
        .process = getpid(), .self = (uintptr_t)own, .memory = (uintptr_t)memory};
    if (getrandom(&own->random, sizeof own->random, 0) != sizeof own->random)
        own->process = 0;
    /* Yama otherwise allows this to a process's parents alone. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

void gf_neighbour_close(void) {
    prctl(PR_SET_PTRACER, 0, 0, 0, 0);
}

/* Returns 0 or an errno. */
static int copy(int64_t process, uint64_t there, char *here, int64_t bytes, bool puts) {
    while (bytes > 0) {
        const struct iovec local = {here, (size_t)bytes};
        const struct iovec remote = {(void *)(uintptr_t)there, (size_t)bytes};
        const ssize_t n =
            (puts ? process_vm_writev : process_vm_readv)((pid_t)process, &local, 1, &remote, 1, 0);
        if (n <= 0)
            return n ? errno : EFAULT;
        here += n;
        there += (uint64_t)n;
        bytes -= n;
    }
    return 0;
}

bool gf_neighbour_reaches(const struct gf_neighbour *n) {
    struct gf_neighbour found;
    return n->process && n->process != getpid() &&
           !copy(n->process, n->self, (char *)&found, sizeof found, false) &&
           !memcmp(&found, n, sizeof found);
}

int gf_neighbour_copy(const struct gf_neighbour *n, int64_t at, void *data, int64_t bytes,
                      bool puts) {
    const int code = copy(n->process, n->memory + (uint64_t)at, data, bytes, puts);
    return code ? gf_fail(GF_EIO, "cannot copy %s process %lld: %s", puts ? "to" : "from",
                          (long long)n->process, strerror(code))
                : 0;
}
#else
void gf_neighbour_open(const void *memory, struct gf_neighbour *own) {
    (void)memory;
    *own = (struct gf_neighbour){0};
}

void gf_neighbour_close(void) {}

bool gf_neighbour_reaches(const struct gf_neighbour *n) {
    (void)n;
    return false;
}

int gf_neighbour_copy(const struct gf_neighbour *n, int64_t at, void *data, int64_t bytes,
                      bool puts) {
    (void)n, (void)at, (void)data, (void)bytes, (void)puts;
    return gf_fail(GF_EUNSUPP, "no copies between processes here");
}
#endif
