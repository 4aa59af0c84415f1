/* struct gf_transport on top of MPI: a shared object of its own, built by an MPI library's compiler
 * wrapper (make mpi). It is linked to that library and to nothing of this program. */
#include "core/base/transport.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 1 << 30, /* of one message: counts are ints */
    LEAST_POSTED = 256
};

static MPI_Comm comm = MPI_COMM_NULL;
static MPI_File file = MPI_FILE_NULL;
static char reason[512];

/* Messages under way. */
static MPI_Request *posted;
static int *indices;
static int n_posted, capacity;

static int check(int code, const char *what) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    if (code == MPI_SUCCESS)
        return 0;
    MPI_Error_string(code, text, &n);
    snprintf(reason, sizeof reason, "%s: %.400s", what, text);
    return code;
}

static int out_of_memory(void) {
    snprintf(reason, sizeof reason, "out of memory");
    return -1;
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
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, rank);
    MPI_Comm_size(comm, size);
    return 0;
}

static void stop(void) {
    MPI_Comm_free(&comm);
    MPI_Finalize();
    free(posted);
    free(indices);
    posted = NULL;
    indices = NULL;
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

/* Room for one more request. */
static MPI_Request *request(void) {
    if (n_posted == capacity) {
        int more = capacity ? 2 * capacity : LEAST_POSTED;
        MPI_Request *p = realloc(posted, (size_t)more * sizeof *p);
        posted = p ? p : posted;
        int *i = p ? realloc(indices, (size_t)more * sizeof *i) : NULL;
        indices = i ? i : indices;
        if (!i)
            return NULL;
        capacity = more;
    }
    return &posted[n_posted];
}

static int post(void *data, int64_t bytes, int peer, bool sends) {
    int code = 0;
    for (int64_t at = 0; at < bytes && !code; at += MOST_BYTES) {
        int n = bytes - at < MOST_BYTES ? (int)(bytes - at) : MOST_BYTES;
        MPI_Request *r = request();
        if (!r)
            return out_of_memory();
        code =
            sends ? check(MPI_Isend((char *)data + at, n, MPI_BYTE, peer, 0, comm, r), "MPI_Isend")
                  : check(MPI_Irecv((char *)data + at, n, MPI_BYTE, peer, 0, comm, r), "MPI_Irecv");
        n_posted += !code;
    }
    return code;
}

static int post_send(const void *data, int64_t bytes, int to) {
    return post((void *)(uintptr_t)data, bytes, to, true);
}

static int post_receive(void *data, int64_t bytes, int from) {
    return post(data, bytes, from, false);
}

/* Those that have ended leave the list. */
static int progress(bool wait) {
    int done = 0, kept = 0;
    if (wait) {
        int code = check(MPI_Waitall(n_posted, posted, MPI_STATUSES_IGNORE), "MPI_Waitall");
        n_posted = 0;
        return code;
    }
    int code =
        check(MPI_Testsome(n_posted, posted, &done, indices, MPI_STATUSES_IGNORE), "MPI_Testsome");
    for (int i = 0; i < n_posted && !code && done > 0; i++)
        if (posted[i] != MPI_REQUEST_NULL)
            posted[kept++] = posted[i];
    if (done > 0)
        n_posted = kept;
    return code;
}

static int open_file(const char *path, bool write) {
    /* A file is on one machine's disk or on a file system that knows how to share it: what one process
     * closes the others see. */
    return check(
        MPI_File_open(comm, path, write ? MPI_MODE_WRONLY : MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
        "cannot open the file");
}

static int close_file(void) {
    return check(MPI_File_close(&file), "cannot close the file");
}

/* The parts as a file view: one collective access to all of them. */
static int set_view(const struct gf_file_part *parts, int n, int *bytes) {
    int *length = malloc((size_t)(n + 1) * sizeof *length);
    MPI_Aint *at = malloc((size_t)(n + 1) * sizeof *at);
    MPI_Datatype type;
    *bytes = 0;
    for (int i = 0; i < n && length && at; i++) {
        at[i] = (MPI_Aint)parts[i].at;
        length[i] = (int)parts[i].bytes;
        *bytes += length[i];
    }
    if (!length || !at) {
        free(length);
        free(at);
        return out_of_memory();
    }
    if (!n) {
        MPI_Type_contiguous(1, MPI_BYTE, &type);
    } else {
        MPI_Type_create_hindexed(n, length, at, MPI_BYTE, &type);
    }
    MPI_Type_commit(&type);
    int code = check(MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL),
                     "MPI_File_set_view");
    MPI_Type_free(&type);
    free(length);
    free(at);
    return code;
}

static int check_count(int code, MPI_Status *status, int bytes, const char *what) {
    int done = 0;
    if (code)
        return check(code, what);
    MPI_Get_count(status, MPI_BYTE, &done);
    if (done == bytes)
        return 0;
    snprintf(reason, sizeof reason, "%s: %d bytes of %d", what, done, bytes);
    return -1;
}

static int read_parts(const struct gf_file_part *parts, int n, void *data) {
    MPI_Status status;
    int bytes, code = set_view(parts, n, &bytes);
    return code ? code
                : check_count(MPI_File_read_all(file, data, bytes, MPI_BYTE, &status), &status,
                              bytes, "cannot read the file");
}

static int write_parts(const struct gf_file_part *parts, int n, const void *data) {
    MPI_Status status;
    int bytes, code = set_view(parts, n, &bytes);
    return code ? code
                : check_count(MPI_File_write_all(file, data, bytes, MPI_BYTE, &status), &status,
                              bytes, "cannot write the file");
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
                                              .send = post_send,
                                              .receive = post_receive,
                                              .progress = progress,
                                              .open = open_file,
                                              .read = read_parts,
                                              .write = write_parts,
                                              .close = close_file};

gf_transport_get gf_transport;
const struct gf_transport *gf_transport(void) {
    return &transport;
}
