/* Devices, contexts, and which call is to fail. */
#include "tests/gpu/fake/fake.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 13000, DEFAULT_CAPABILITY = 90, DEFAULT_DEVICES = 2 };

static struct fake_device devices[FAKE_DEVICES] = {
    {.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
static _Thread_local struct fake_device *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

long fake_setting(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

struct fake_device *fake_current(void) {
    return current;
}

static int device_count(void) {
    return (int)fake_setting("FAKE_CUDA_DEVICES", DEFAULT_DEVICES);
}

struct fake_device *fake_device(int number) {
    return number >= 0 && number < device_count() ? &devices[number] : NULL;
}

void fake_note(const char *format, ...) {
    const char *path = getenv("FAKE_CUDA_TRACE");
    char line[256];
    va_list list;
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file < 0)
        return;
    va_start(list, format);
    int n = vsnprintf(line, sizeof line - 1, format, list);
    va_end(list);
    line[n++] = '\n';
    if (write(file, line, (size_t)n) != n)
        abort();
    close(file);
}

/* ---- calls that fail ---- */

static int default_code(const char *name) {
    if (!strcmp(name, FAKE_COMMAND))
        return LAUNCH_FAILED;
    if (strstr(name, "Alloc") || strstr(name, "Register"))
        return OUT_OF_MEMORY;
    return !strncmp(name, "nvrtc", 5) ? 6 : !strncmp(name, "cufft", 5) ? 5 : INVALID_VALUE;
}

static bool is_sticky(int code) {
    return code == ILLEGAL_ADDRESS || (code >= MISALIGNED && code <= LAUNCH_FAILED);
}

/* One of FAKE_CUDA_FAIL's: its code if it is this call's turn, else 0. */
static int injected_by(const char *spec, long *matches, const char *name,
                       const struct fake_device *device) {
    char own[64] = "";
    int on = -1, end = 0;
    long nth = 0, code = default_code(name);
    if (*spec < '0' || *spec > '9') {
        end = (int)strcspn(spec, "@:");
        snprintf(own, sizeof own, "%.*s", end, spec);
        sscanf(spec + end, "@%d", &on);
        end += (int)strcspn(spec + end, ":");
    }
    const bool turn = sscanf(spec + end + (spec[end] == ':'), "%ld:%ld", &nth, &code) >= 1 &&
                      (*own ? !strcmp(own, name) : strcmp(name, FAKE_COMMAND)) &&
                      (on < 0 || (device && device->number == on)) && ++*matches == nth;
    return turn ? (int)code : 0;
}

/* FAKE_CUDA_FAIL=[NAME][@DEVICE]:N[:CODE], or N[:CODE]; each call that matches counts. A second one
 * may follow, after a comma. */
int fake_injected(const char *name, struct fake_device *device) {
    static long matches[2];
    const char *spec = getenv("FAKE_CUDA_FAIL"), *comma = spec ? strchr(spec, ',') : NULL;
    if (!spec) {
        matches[0] = matches[1] = 0; /* of the next setting */
        return 0;
    }
    int code = injected_by(spec, &matches[0], name, device);
    if (comma && !code)
        code = injected_by(comma + 1, &matches[1], name, device);
    if (!code)
        return 0;
    if (device && is_sticky(code))
        device->failed = code;
    fake_note("%s failed: %d", name, code);
    return code;
}

int fake_begin(const char *name) {
    pthread_mutex_lock(&lock);
    fake_note("%s", name);
    return fake_injected(name, current);
}

int fake_enter(const char *name) {
    const int code = fake_begin(name);
    if (code)
        return code;
    return current && current->retained ? current->failed : INVALID_CONTEXT;
}

int fake_end(int code) {
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- devices ---- */

int cuInit(unsigned flags) {
    const int code = fake_begin(__func__);
    return fake_end(code ? code : (int)flags);
}

int cuDriverGetVersion(int *version) {
    *version = (int)fake_setting("FAKE_CUDA_VERSION", VERSION);
    return fake_end(fake_begin(__func__));
}

int cuGetErrorString(int code, const char **text) {
    *text = code == INVALID_VALUE     ? "invalid argument"
            : code == OUT_OF_MEMORY   ? "out of memory"
            : code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
            : code == MISALIGNED      ? "misaligned address"
            : code == LAUNCH_FAILED   ? "unspecified launch failure"
                                      : NULL;
    return *text ? 0 : INVALID_VALUE;
}

int cuDeviceGetCount(int *n) {
    *n = device_count();
    return fake_end(fake_begin(__func__));
}

int cuDeviceGet(int *device, int number) {
    const int code = fake_begin(__func__);
    *device = number;
    return fake_end(code ? code : fake_device(number) ? 0 : INVALID_VALUE);
}

int cuDeviceGetName(char *name, int size, int device) {
    const char *same = getenv("FAKE_CUDA_NAME");
    if (same)
        snprintf(name, (size_t)size, "%s", same);
    else
        snprintf(name, (size_t)size, "Fake %c", 'A' + device);
    return fake_end(fake_begin(__func__));
}

/* FAKE_CUDA_MEMORY=BYTES,...: the last number is that of all other devices, too. */
size_t fake_memory(int device) {
    const char *text = getenv("FAKE_CUDA_MEMORY"), *comma;
    for (; text && device > 0 && (comma = strchr(text, ',')); device--)
        text = comma + 1;
    return text ? strtoul(text, NULL, 10) : 1 << 30;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    const int code = fake_begin(__func__);
    *bytes = fake_memory(device);
    return fake_end(code ? code : fake_device(device) ? 0 : INVALID_VALUE);
}

/* By compute capability: shared memory of a multiprocessor, KiB. */
static int unit_shared(long capability) {
    return capability >= 90   ? 228
           : capability == 80 ? 164
           : capability >= 86 ? 100
           : capability >= 75 ? 64
                              : 96;
}

int fake_attribute(int which) {
    const long capability = fake_setting("FAKE_CUDA_CAPABILITY", DEFAULT_CAPABILITY);
    const int shared = unit_shared(capability) * 1024;
    switch (which) {
    case 1: /* items of a group, and along x and y */
    case 2:
    case 3:
        return 1024;
    case 4:
        return 64;
    case 5: /* groups along x, y, z */
        return INT32_MAX;
    case 6:
    case 7:
        return 65535;
    case 8: /* shared memory of a group, and the most that a function can ask for */
        return 48 << 10;
    case 97:
        return capability == 75 ? shared : shared - 1024;
    case 81:
        return shared;
    case 10: /* warp */
        return 32;
    case 13: /* kHz */
        return 1500000;
    case 16: /* multiprocessors */
        return 132;
    case 75:
        return (int)capability / 10;
    case 76:
        return (int)capability % 10;
    default:
        return 0;
    }
}

int cuDeviceGetAttribute(int *value, int which, int device) {
    const int code = fake_begin(__func__);
    *value = fake_attribute(which);
    return fake_end(code ? code : fake_device(device) ? 0 : INVALID_VALUE);
}

/* ---- contexts ---- */

int cuDevicePrimaryCtxRetain(void **context, int device) {
    const int code = fake_begin(__func__);
    struct fake_device *d = fake_device(device);
    *context = d;
    if (!code && d)
        d->retained++;
    return fake_end(code ? code : d ? 0 : INVALID_VALUE);
}

/* The last release frees what is left, which a program that closes in order has freed before. */
int cuDevicePrimaryCtxRelease_v2(int device) {
    const int code = fake_begin(__func__);
    struct fake_device *d = fake_device(device);
    if (code || !d || !d->retained)
        return fake_end(code ? code : INVALID_CONTEXT);
    if (!--d->retained) {
        fake_finish(d);
        fake_streams_drop(d);
        fake_modules_drop(d);
        fake_memory_drop(d);
        memset(d->reaches, 0, sizeof d->reaches);
    }
    return fake_end(0);
}

int cuCtxSetCurrent(void *context) {
    const int code = fake_begin(__func__);
    struct fake_device *d = context;
    if (!code)
        current = d;
    return fake_end(code ? code : d && !d->retained ? INVALID_CONTEXT : 0);
}

int cuCtxGetCurrent(void **context) {
    const int code = fake_begin(__func__);
    *context = current;
    return fake_end(code);
}

int cuCtxSynchronize(void) {
    const int code = fake_enter(__func__);
    if (code)
        return fake_end(code);
    fake_finish(current);
    return fake_end(current->failed);
}

int cuMemGetInfo_v2(size_t *unused, size_t *all) {
    const int code = fake_enter(__func__);
    *all = current ? fake_memory(current->number) : 0;
    *unused = current ? *all - current->used : 0;
    return fake_end(code);
}

/* FAKE_CUDA_PEERS=AB,...: device A reaches B. */
static bool can_reach(int device, int other) {
    const char *pairs = getenv("FAKE_CUDA_PEERS");
    char pair[32];
    snprintf(pair, sizeof pair, "%d%d", device, other);
    return device != other && (!pairs || strstr(pairs, pair));
}

int cuDeviceCanAccessPeer(int *can, int device, int other) {
    const int code = fake_begin(__func__);
    *can = can_reach(device, other);
    return fake_end(code ? code : fake_device(device) && fake_device(other) ? 0 : INVALID_VALUE);
}

int cuCtxEnablePeerAccess(void *context, unsigned flags) {
    int code = fake_enter(__func__);
    const struct fake_device *other = context;
    if (!code && (flags || !other->retained || !can_reach(current->number, other->number)))
        code = INVALID_VALUE;
    if (!code && current->reaches[other->number])
        code = PEER_ALREADY_ENABLED;
    if (!code)
        current->reaches[other->number] = true;
    return fake_end(code);
}
