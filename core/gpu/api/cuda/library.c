/* Loads NVIDIA's driver and NVRTC, and checks binaries for them. */
#include "core/gpu/api/cuda/library.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

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

static int load_driver(void *unused) {
    static const char *const sonames[] = {"libcuda.so.1", "libcuda.so", NULL};
    void *handle;
    (void)unused;
    if (gf_dl_open(sonames, driver_symbols, &driver, &handle))
        return gf_fail(GF_EABSENT, "%.150s; install the NVIDIA driver", gf_message());
    gf_dl_find(handle, "cuLaunchKernelEx", &driver.launch_with);
    gf_dl_find(handle, "cuDeviceCanAccessPeer", &driver.peer_can_access);
    gf_dl_find(handle, "cuCtxEnablePeerAccess", &driver.peer_enable);
    return 0;
}

/* Initialises the driver. */
static int start_driver(void *unused) {
    int n = 0;
    (void)unused;
    if (!gf_cuda_load())
        return GF_EABSENT;
    int rc = driver.init(0);
    if (!rc)
        rc = driver.device_count(&n);
    if (rc && rc != GF_CU_NO_DEVICE)
        return gf_fail(GF_EABSENT, "the NVIDIA driver cannot start: %.120s; update or reinstall it",
                       gf_cuda_error(&driver, rc));
    return !rc && n > 0 ? 0
                        : gf_fail(GF_EABSENT, "the NVIDIA driver sees no GPU; check nvidia-smi and "
                                              "CUDA_VISIBLE_DEVICES");
}

bool gf_cuda_load(void) {
    static struct gf_dl_once once = GF_DL_ONCE;
    return !gf_dl_once(&once, load_driver, NULL);
}

const struct gf_cuda *gf_cuda_find(void) {
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(&once, start_driver, NULL) ? NULL : &driver;
}

void *gf_cuda_current(void) {
    void *context = NULL;
    return gf_cuda_find() && !driver.context_get(&context) ? context : NULL;
}

void gf_cuda_resume(void *current) {
    if (gf_cuda_find())
        driver.context_set(current);
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
    static const int fatal[] = {
        4,   /* driver shut down */
        214, /* uncorrectable ECC error */
        220, /* uncorrectable NVLink error */
        226, /* memory error contained to this process */
        GF_CU_ILLEGAL_ADDRESS,
        702, /* launch timeout */
        709, /* context destroyed */
        710, /* assertion in a kernel */
        714, /* stack error */
        715, /* illegal instruction */
        716, /* misaligned address */
        717, /* invalid address space */
        718, /* invalid program counter */
        719, /* launch failed */
        721, /* tensor memory leak */
        999, /* unknown */
    };
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

bool gf_cuda_open_fitting(const struct gf_cuda_part *part, void *table) {
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
    const int driver_major = gf_cuda_version(&driver) / 1000;
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

int gf_cuda_version(const struct gf_cuda *cu) {
    int version = 0;
    cu->driver_version(&version);
    return version;
}

static int nvrtc_major(const void *table) {
    int major = 0, minor = 0;
    ((const struct gf_nvrtc *)table)->version(&major, &minor);
    return major;
}

/* A binary from a compiler newer than the driver may not load. */
static int load_nvrtc(void *unused) {
    static const char *const suffixes[] = {".13", ".12", ".11.2", "", NULL};
    static const struct gf_cuda_part part = {"libnvrtc", suffixes, nvrtc_symbols, sizeof compiler,
                                             nvrtc_major};
    const struct gf_cuda *cu = gf_cuda_find();
    (void)unused;
    if (!cu || gf_cuda_open_fitting(&part, &compiler))
        return cu ? 0 : GF_EABSENT;
    const int version = gf_cuda_version(cu);
    return gf_fail(GF_EABSENT,
                   GF_HERE("no NVRTC (libnvrtc.so.13, .12 or .11.2); apt install libnvrtc12, or "
                           "NVIDIA's cuda-nvrtc-%d-%d, or name its folder in LD_LIBRARY_PATH",
                           "no NVRTC (nvrtc64_130_0.dll, 120 or 112); install CUDA %d.%d or older, "
                           "or add the library's folder to PATH"),
                   version / 1000, version % 1000 / 10);
}

const struct gf_nvrtc *gf_nvrtc_find(void) {
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(&once, load_nvrtc, NULL) ? NULL : &compiler;
}
