/* Calls in a child process, see isolated.h. */
#include "formats/io/isolated.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/io/io.h"

int gf_isolated(int (*work)(const void *user, size_t n, void *to), const void *user, size_t n,
                void *to, int *result) {
    struct answer {
        int result;
        double bytes[]; /* aligned for all types */
    } *a = mmap(NULL, sizeof *a + n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (a == MAP_FAILED)
        return gf_no_memory();
    a->result = -1;
    const pid_t child = fork();
    if (!child) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        a->result = work(user, n, a->bytes);
        _exit(0);
    }
    const int rc = child < 0 ? gf_fail_errno(GF_EIO, "cannot start a process") : GF_OK;
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    *result = a->result;
    memcpy(to, a->bytes, n);
    munmap(a, sizeof *a + n);
    return rc;
}
