/* struct gf_transport over MPI, as a shared object built by an MPI library's compiler wrapper (make
 * mpi). It links to that library and to nothing of this program. */
#include "core/base/host/transport.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 }; /* of one message, as counts are ints */

static MPI_Comm comm = MPI_COMM_NULL;
static MPI_Win window = MPI_WIN_NULL;
static char reason[512];

static int check(int code, const char *what) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    if (code == MPI_SUCCESS)
        return 0;
    MPI_Error_string(code, text, &n);
    snprintf(reason, sizeof reason, "%s: %.400s", what, text);
    return code;
}

static const char *message(void) {
    return reason;
}

static int start(int *rank, int *size) {
    int provided = 0;
    int code = check(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), "MPI_Init");
    if (!code)
        code = check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
    if (code)
        return code;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, rank);
    MPI_Comm_size(comm, size);
    return 0;
}

static void stop(void) {
    MPI_Comm_free(&comm);
    MPI_Finalize();
}

static void abandon(int code) {
    MPI_Abort(MPI_COMM_WORLD, code);
}

static int share(void *data, int64_t bytes, int root) {
    int code = 0;
    for (int64_t at = 0; at < bytes && !code; at += MOST_BYTES) {
        int n = bytes - at < MOST_BYTES ? (int)(bytes - at) : MOST_BYTES;
        code = check(MPI_Bcast((char *)data + at, n, MPI_BYTE, root, comm), "MPI_Bcast");
    }
    return code;
}

static int gather(const void *mine, int64_t bytes, void *all) {
    MPI_Datatype share_type;
    if (bytes > MOST_BYTES) {
        snprintf(reason, sizeof reason, "shares of more than 2^30 bytes");
        return -1;
    }
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &share_type);
    MPI_Type_commit(&share_type);
    int code = check(MPI_Allgather(mine, 1, share_type, all, 1, share_type, comm), "MPI_Allgather");
    MPI_Type_free(&share_type);
    return code;
}

static int open_window(void *memory, int64_t bytes) {
    int code = check(MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, comm, &window),
                     "MPI_Win_create");
    if (code)
        return code;
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    return check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), "MPI_Win_lock_all");
}

static int close_window(void) {
    int code = check(MPI_Win_unlock_all(window), "MPI_Win_unlock_all");
    int freed = check(MPI_Win_free(&window), "MPI_Win_free");
    return code ? code : freed;
}

/* Sends messages one after the other. */
static int move(char *data, int64_t bytes, int peer, int64_t at, bool puts) {
    int code = 0;
    for (int64_t done = 0; done < bytes && !code; done += MOST_BYTES) {
        const int n = bytes - done < MOST_BYTES ? (int)(bytes - done) : MOST_BYTES;
        const MPI_Aint there = (MPI_Aint)(at + done);
        code = puts ? MPI_Put(data + done, n, MPI_BYTE, peer, there, n, MPI_BYTE, window)
                    : MPI_Get(data + done, n, MPI_BYTE, peer, there, n, MPI_BYTE, window);
    }
    if (!code)
        code = MPI_Win_flush_local(peer, window);
    return check(code, puts ? "MPI_Put" : "MPI_Get");
}

static int put(const void *data, int64_t bytes, int peer, int64_t at) {
    return move((char *)(uintptr_t)data, bytes, peer, at, true);
}

static int get(void *data, int64_t bytes, int peer, int64_t at) {
    return move(data, bytes, peer, at, false);
}

static int fence(void) {
    int code = check(MPI_Win_flush_all(window), "MPI_Win_flush_all");
    if (!code)
        code = check(MPI_Win_sync(window), "MPI_Win_sync");
    if (!code)
        code = check(MPI_Barrier(comm), "MPI_Barrier");
    return code ? code : check(MPI_Win_sync(window), "MPI_Win_sync");
}

#ifdef OMPI_MAJOR_VERSION
#define LIBRARY "Open MPI"
#else
#define LIBRARY "MPICH"
#endif

static const struct gf_transport transport = {.version = GF_TRANSPORT_VERSION,
                                              .library = LIBRARY,
                                              .start = start,
                                              .stop = stop,
                                              .abandon = abandon,
                                              .message = message,
                                              .share = share,
                                              .gather = gather,
                                              .open = open_window,
                                              .close = close_window,
                                              .put = put,
                                              .get = get,
                                              .fence = fence};

gf_transport_get gf_transport;
const struct gf_transport *gf_transport(void) {
    return &transport;
}
