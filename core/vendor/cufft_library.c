/* Loads cuFFT, and names its errors. */
#include "core/vendor/cufft_library.h"

#include <stdio.h>

#include "core/gpu/api/cuda/library.h"
#include "core/base/status.h"

#define SYMBOL(field, name)                                                                        \
    { "cufft" name, offsetof(struct gf_cufft, field) }

static const struct gf_dl_symbol symbols[] = {
    SYMBOL(version, "GetVersion"),   SYMBOL(create, "Create"),
    SYMBOL(destroy, "Destroy"),      SYMBOL(auto_allocate, "SetAutoAllocation"),
    SYMBOL(make, "MakePlanMany64"),  SYMBOL(set_work, "SetWorkArea"),
    SYMBOL(set_stream, "SetStream"), SYMBOL(c2c, "ExecC2C"),
    SYMBOL(z2z, "ExecZ2Z"),          SYMBOL(r2c, "ExecR2C"),
    SYMBOL(d2z, "ExecD2Z"),          SYMBOL(c2r, "ExecC2R"),
    SYMBOL(z2d, "ExecZ2D"),          {NULL, 0},
};

static struct gf_cufft library;

/* Version 12 is CUDA 13's, 11 CUDA 12's, 10 CUDA 11's. Every table begins with version(). */
static int cuda_major(const void *table) {
    int version = 0, (*const *first)(int *) = table;
    (*first)(&version);
    return version / 1000 + 1;
}

static int driver_version(const struct gf_cuda *cu) {
    int version = 0;
    cu->driver_version(&version);
    return version;
}

bool gf_cufft_open(struct gf_dl_once *once, const struct gf_dl_symbol *list, size_t bytes,
                   void *table) {
    static const char *const suffixes[] = {".12", ".11", ".10", "", NULL};
    const struct gf_cuda_part part = {"libcufft", suffixes, list, bytes, cuda_major};
    const struct gf_cuda *cu = gf_cuda_find();
    return cu && gf_cuda_open_fitting(once, &part, driver_version(cu) / 1000, table);
}

int gf_cufft_absent(void) {
    const struct gf_cuda *cu = gf_cuda_find();
    const int version = cu ? driver_version(cu) : 0;
    return cu ? gf_fail(GF_EABSENT,
                        "no cuFFT (libcufft.so.12, .11 or .10); apt install libcufft11, or "
                        "NVIDIA's libcufft-%d-%d, or name its folder in LD_LIBRARY_PATH",
                        version / 1000, version % 1000 / 10)
              : GF_EABSENT;
}

const struct gf_cufft *gf_cufft_find(void) {
    static struct gf_dl_once once = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    if (gf_cufft_open(&once, symbols, sizeof library, &library))
        return &library;
    gf_cufft_absent();
    return NULL;
}

const char *gf_cufft_error(int code) {
    static _Thread_local char number[32];
    static const char *const names[] = {
        [1] = "CUFFT_INVALID_PLAN",        [GF_CUFFT_ALLOC_FAILED] = "CUFFT_ALLOC_FAILED",
        [3] = "CUFFT_INVALID_TYPE",        [4] = "CUFFT_INVALID_VALUE",
        [5] = "CUFFT_INTERNAL_ERROR",      [6] = "CUFFT_EXEC_FAILED",
        [7] = "CUFFT_SETUP_FAILED",        [GF_CUFFT_INVALID_SIZE] = "CUFFT_INVALID_SIZE",
        [9] = "CUFFT_UNALIGNED_DATA",      [10] = "CUFFT_INCOMPLETE_PARAMETER_LIST",
        [11] = "CUFFT_INVALID_DEVICE",     [12] = "CUFFT_PARSE_ERROR",
        [13] = "CUFFT_NO_WORKSPACE",       [GF_CUFFT_NOT_IMPLEMENTED] = "CUFFT_NOT_IMPLEMENTED",
        [15] = "CUFFT_LICENSE_ERROR",      [GF_CUFFT_NOT_SUPPORTED] = "CUFFT_NOT_SUPPORTED",
        [17] = "CUFFT_MISSING_DEPENDENCY", [18] = "CUFFT_NVRTC_FAILURE",
        [19] = "CUFFT_NVJITLINK_FAILURE",  [20] = "CUFFT_NVSHMEM_FAILURE",
    };
    if (code > 0 && (size_t)code < sizeof names / sizeof *names)
        return names[code];
    snprintf(number, sizeof number, "error %d", code);
    return number;
}

int gf_cufft_failure(int code, const char *what, const char *device) {
    int rc = code == GF_CUFFT_ALLOC_FAILED ? GF_ENOMEM
             : code == GF_CUFFT_INVALID_SIZE || code == GF_CUFFT_NOT_IMPLEMENTED ||
                     code == GF_CUFFT_NOT_SUPPORTED
                 ? GF_EUNSUPP
                 : GF_EBACKEND;
    return gf_fail(rc, "cuFFT, %s on '%s': %s", what, device, gf_cufft_error(code));
}
