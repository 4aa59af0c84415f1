/* Loads cuFFT, and names its errors. */
#include "core/vendor/cufft_library.h"

#include "core/gpu/api/cuda/library.h"

#define SYMBOL(member, name, parameters) {"cufft" name, offsetof(struct gf_cufft, member)},
static const struct gf_dl_symbol symbols[] = {GF_CUFFT_FUNCTIONS(SYMBOL){NULL, 0}};

static struct gf_cufft library;

/* Version 12 is CUDA 13's, 11 CUDA 12's, 10 CUDA 11's. */
static int cuda_major(const void *table) {
    int version = 0;
    ((const struct gf_cufft *)table)->version(&version);
    return version / 1000 + 1;
}

int gf_cufft_absent(void) {
    const struct gf_cuda *cu = gf_cuda_find();
    const int version = cu ? gf_cuda_version(cu) : 0;
    return cu ? gf_fail(GF_EABSENT,
                        GF_HERE("no cuFFT (libcufft.so.12, .11 or .10); apt install libcufft11, or "
                                "NVIDIA's libcufft-%d-%d, or name its folder in LD_LIBRARY_PATH",
                                "no cuFFT (cufft64_12.dll, 11 or 10); install CUDA %d.%d or older, "
                                "or add the library's folder to PATH"),
                        version / 1000, version % 1000 / 10)
              : GF_EABSENT;
}

static int load(void *unused) {
    static const char *const suffixes[] = {".12", ".11", ".10", "", NULL};
    static const struct gf_cuda_part part = {"libcufft", suffixes, symbols, sizeof library,
                                             cuda_major};
    (void)unused;
    return gf_cuda_find() && gf_cuda_open_fitting(&part, &library) ? 0 : gf_cufft_absent();
}

const struct gf_cufft *gf_cufft_find(void) {
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(&once, load, NULL) ? NULL : &library;
}

int gf_cufft_version(char text[GF_VENDOR_TEXT]) {
    int version = 0;
    if (!gf_cufft_find())
        return GF_EABSENT;
    if (!text)
        return 0;
    library.version(&version);
    snprintf(text, GF_VENDOR_TEXT, "cuFFT %d.%d.%d", version / 1000, version % 1000 / 100,
             version % 100);
    return 0;
}

int gf_cufft_type(bool in_complex, bool out_complex, bool is_double) {
    return !in_complex    ? (is_double ? GF_CUFFT_D2Z : GF_CUFFT_R2C)
           : !out_complex ? (is_double ? GF_CUFFT_Z2D : GF_CUFFT_C2R)
                          : (is_double ? GF_CUFFT_Z2Z : GF_CUFFT_C2C);
}

int gf_cufft_exec(int type, int plan, void *in, void *out, int direction) {
    return type == GF_CUFFT_C2C   ? library.c2c(plan, in, out, direction)
           : type == GF_CUFFT_Z2Z ? library.z2z(plan, in, out, direction)
           : type == GF_CUFFT_R2C ? library.r2c(plan, in, out)
           : type == GF_CUFFT_D2Z ? library.d2z(plan, in, out)
           : type == GF_CUFFT_C2R ? library.c2r(plan, in, out)
                                  : library.z2d(plan, in, out);
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
