/* Loads OpenCL and restores the signal handlers that its drivers replace. */
#include "core/gpu/api/opencl/library.h"

#include <unistd.h>

#include "core/base/host/dl.h"

static const struct gf_dl_symbol symbols[] = {
#define CALL(result, field, name, ...) {"cl" name, offsetof(struct gf_opencl, field)},
#include "core/gpu/api/opencl/calls.inc"
    {NULL, 0},
};

static const char *const sonames[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};

static struct gf_opencl library;

static struct gf_dl_signals ours;

void gf_opencl_restore_signals(void) {
    gf_dl_restore_signals(&ours);
}

/* PoCL aborts the process if it cannot count the CPUs, as in a bare container or chroot without
 * /sys. */
static bool would_abort(void) {
    return !access("/proc/version", F_OK) && access("/sys/devices/system/cpu", F_OK);
}

static int load(void *unused) {
    void *handle;
    (void)unused;
    gf_dl_keep_signals(&ours);
    if (would_abort())
        return gf_fail(GF_EABSENT,
                       "/sys is not mounted, and OpenCL's CPU devices abort the program without "
                       "it; mount -t sysfs sysfs /sys");
    return gf_dl_open(sonames, symbols, &library, &handle)
               ? gf_fail(GF_EABSENT,
                         GF_HERE("%.120s; apt install ocl-icd-libopencl1 and the GPU's driver, or "
                                 "pocl-opencl-icd for the CPU",
                                 "%.120s; install the GPU's driver"),
                         gf_message())
               : 0;
}

const struct gf_opencl *gf_opencl_find(void) {
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(&once, load, NULL) ? NULL : &library;
}

const char *gf_opencl_error(int32_t code) {
    static _Thread_local char number[32];
    static const struct {
        int32_t code;
        const char *name;
    } names[] = {
        {GF_CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {GF_CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {-3, "CL_COMPILER_NOT_AVAILABLE"},
        {GF_CL_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {GF_CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {GF_CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
        {-11, "CL_BUILD_PROGRAM_FAILURE"},
        {-12, "CL_MAP_FAILURE"},
        {GF_CL_FAILED_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {-30, "CL_INVALID_VALUE"},
        {-33, "CL_INVALID_DEVICE"},
        {GF_CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
        {GF_CL_INVALID_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
        {-38, "CL_INVALID_MEM_OBJECT"},
        {-42, "CL_INVALID_BINARY"},
        {-43, "CL_INVALID_BUILD_OPTIONS"},
        {-44, "CL_INVALID_PROGRAM"},
        {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
        {-46, "CL_INVALID_KERNEL_NAME"},
        {-47, "CL_INVALID_KERNEL_DEFINITION"},
        {-48, "CL_INVALID_KERNEL"},
        {-49, "CL_INVALID_ARG_INDEX"},
        {-50, "CL_INVALID_ARG_VALUE"},
        {-51, "CL_INVALID_ARG_SIZE"},
        {-52, "CL_INVALID_KERNEL_ARGS"},
        {-54, "CL_INVALID_WORK_GROUP_SIZE"},
        {-55, "CL_INVALID_WORK_ITEM_SIZE"},
        {-58, "CL_INVALID_EVENT"},
        {-59, "CL_INVALID_OPERATION"},
        {GF_CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
        {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
        {GF_CL_NO_PLATFORM, "CL_PLATFORM_NOT_FOUND"},
        {GF_CL_NVIDIA_FAULT, "illegal memory access in a kernel"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            return names[i].name;
    snprintf(number, sizeof number, "error %d", (int)code);
    return number;
}
