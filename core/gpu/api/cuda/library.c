/* Loads NVIDIA's driver and NVRTC, and checks binaries for them. */
#include "core/gpu/api/cuda/library.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/base/dl.h"
#include "core/base/status.h"

static const struct gf_dl_symbol driver_symbols[] = {
#define DRIVER(field, name, ...) {"cu" name, offsetof(struct gf_cuda, field)},
#define NVRTC(...)
#include "core/gpu/api/cuda/calls.inc"
#undef DRIVER
#undef NVRTC
    {NULL, 0},
};

static const struct gf_dl_symbol nvrtc_symbols[] = {
#define DRIVER(...)
#define NVRTC(result, field, name, ...) {"nvrtc" name, offsetof(struct gf_nvrtc, field)},
#include "core/gpu/api/cuda/calls.inc"
    {NULL, 0},
};

/* ---- the driver ---- */

static struct gf_cuda driver;
static struct gf_nvrtc compiler;
static char absent[256]; /* why there is no driver, or none that works */
static bool loaded, started;

static void load_driver(void) {
    static const char *const sonames[] = {"libcuda.so.1", "libcuda.so", NULL};
    void *handle;
    loaded = !gf_dl_open(sonames, driver_symbols, &driver, &handle);
    if (!loaded) {
        snprintf(absent, sizeof absent, "%.150s; install the NVIDIA driver", gf_message());
        return;
    }
    gf_dl_find(handle, "cuLaunchKernelEx", &driver.launch_with);
    gf_dl_find(handle, "cuDeviceCanAccessPeer", &driver.peer_can_access);
    gf_dl_find(handle, "cuCtxEnablePeerAccess", &driver.peer_enable);
}

/* Begins to use a driver that is there. */
static void start_driver(void) {
    int n = 0;
    if (!gf_cuda_load())
        return;
    int rc = driver.init(0);
    if (!rc)
        rc = driver.device_count(&n);
    started = !rc && n > 0;
    if (rc && rc != GF_CU_NO_DEVICE)
        snprintf(absent, sizeof absent,
                 "the NVIDIA driver cannot start: %.120s; update or reinstall it",
                 gf_cuda_error(&driver, rc));
    else if (!started)
        snprintf(absent, sizeof absent,
                 "the NVIDIA driver sees no GPU; check nvidia-smi and "
                 "CUDA_VISIBLE_DEVICES");
}

bool gf_cuda_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_driver);
    if (!loaded)
        gf_fail(GF_EABSENT, "%s", absent);
    return loaded;
}

const struct gf_cuda *gf_cuda_find(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_driver);
    if (started)
        return &driver;
    gf_fail(GF_EABSENT, "%s", absent);
    return NULL;
}

const char *gf_cuda_error(const struct gf_cuda *cu, int code) {
    static _Thread_local char number[32];
    const char *text = NULL;
    if (!cu->error_string(code, &text) && text)
        return text;
    snprintf(number, sizeof number, "error %d", code);
    return number;
}

bool gf_cuda_is_fatal(int code) {
    static const int fatal[] = {GF_CU_DEINITIALIZED,        GF_CU_ECC_UNCORRECTABLE,
                                GF_CU_NVLINK_UNCORRECTABLE, GF_CU_CONTAINED,
                                GF_CU_ILLEGAL_ADDRESS,      GF_CU_LAUNCH_TIMEOUT,
                                GF_CU_CONTEXT_IS_DESTROYED, GF_CU_ASSERT,
                                GF_CU_STACK_ERROR,          GF_CU_ILLEGAL_INSTRUCTION,
                                GF_CU_MISALIGNED_ADDRESS,   GF_CU_INVALID_ADDRESS_SPACE,
                                GF_CU_INVALID_PC,           GF_CU_LAUNCH_FAILED,
                                GF_CU_TENSOR_MEMORY_LEAK,   GF_CU_UNKNOWN};
    bool is = false;
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        is = is || fatal[i] == code;
    return is;
}

bool gf_cuda_image_is_whole(const void *image, size_t bytes) {
    const char *at = image;
    Elf64_Ehdr head;
    Elf64_Shdr section;
    Elf64_Phdr segment;
    if (bytes < SELFMAG || memcmp(at, ELFMAG, SELFMAG))
        return bytes > 0 && !at[bytes - 1];
    if (bytes < sizeof head)
        return false;
    memcpy(&head, at, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof section ||
        head.e_shoff > bytes || (bytes - head.e_shoff) / sizeof section < head.e_shnum)
        return false;
    if (head.e_phnum && (head.e_phentsize != sizeof segment || head.e_phoff > bytes ||
                         (bytes - head.e_phoff) / sizeof segment < head.e_phnum))
        return false;
    for (int i = 0; i < head.e_shnum; i++) {
        memcpy(&section, at + head.e_shoff + (size_t)i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS &&
            (section.sh_offset > bytes || section.sh_size > bytes - section.sh_offset))
            return false;
    }
    return true;
}

/* ---- the compiler ---- */

static bool open_fitting(const struct gf_cuda_part *part, int driver_major, void *table) {
    enum { MOST = 64 };
    void *candidate[MOST]; /* a table of symbols */
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/",
#ifdef __aarch64__
                                          "/usr/local/cuda/targets/sbsa-linux/lib/"
#else
                                          "/usr/local/cuda/targets/x86_64-linux/lib/"
#endif
    };
    char path[128];
    const char *const sonames[] = {path, NULL};
    void *handle, *newer = NULL;
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        for (int s = 0; part->suffixes[s]; s++) {
            snprintf(path, sizeof path, "%s%s.so%s", folders[f], part->name, part->suffixes[s]);
            if (gf_dl_open(sonames, part->symbols, candidate, &handle))
                continue;
            bool fits = part->cuda_major(candidate) <= driver_major;
            if (newer && !fits) {
                gf_dl_close(handle);
                continue;
            }
            memcpy(table, candidate, part->bytes);
            if (fits) {
                gf_dl_close(newer);
                return true;
            }
            newer = handle;
        }
    }
    return newer != NULL;
}

bool gf_cuda_open_fitting(struct gf_dl_once *once, const struct gf_cuda_part *part,
                          int driver_major, void *table) {
    pthread_mutex_lock(&once->mutex);
    if (!once->tried)
        once->status = open_fitting(part, driver_major, table) ? 0 : GF_EABSENT;
    once->tried = true;
    const int rc = once->status;
    pthread_mutex_unlock(&once->mutex);
    return !rc;
}

static int nvrtc_major(const void *table) {
    int major = 0, minor = 0;
    ((const struct gf_nvrtc *)table)->version(&major, &minor);
    return major;
}

/* A binary from a compiler newer than the driver may not load. */
const struct gf_nvrtc *gf_nvrtc_find(void) {
    static const char *const suffixes[] = {".13", ".12", ".11.2", "", NULL};
    static const struct gf_cuda_part part = {"libnvrtc", suffixes, nvrtc_symbols, sizeof compiler,
                                             nvrtc_major};
    static struct gf_dl_once once = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    const struct gf_cuda *cu = gf_cuda_find();
    int version = 0;
    if (!cu)
        return NULL;
    cu->driver_version(&version);
    if (gf_cuda_open_fitting(&once, &part, version / 1000, &compiler))
        return &compiler;
    gf_fail(GF_EABSENT,
            "no NVRTC (libnvrtc.so.13, .12 or .11.2); apt install libnvrtc12, or NVIDIA's "
            "cuda-nvrtc-%d-%d, or name its folder in LD_LIBRARY_PATH",
            version / 1000, version % 1000 / 10);
    return NULL;
}
