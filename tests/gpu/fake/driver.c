/* Devices, contexts, and which call is to fail. */
#include "tests/gpu/fake/fake.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 13000, NAMES = 96, DEFAULT_CAPABILITY = 90 };

static struct fake_device devices[FAKE_DEVICES] = {{.number = 0}, {.number = 1}};
static _Thread_local struct fake_device *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

long fake_setting(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

struct fake_device *fake_current(void) {
    return current;
}

struct fake_device *fake_device(int number) {
    return number >= 0 && number < fake_setting("FAKE_CUDA_DEVICES", FAKE_DEVICES)
               ? &devices[number]
               : NULL;
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

/* How often a call of that name was made, and any call where it is NULL. */
static long count(const char *name) {
    static struct {
        const char *name;
        long calls;
    } known[NAMES];
    static long all;
    int i = 0;
    if (!name)
        return ++all;
    while (i < NAMES - 1 && known[i].name && strcmp(known[i].name, name))
        i++;
    known[i].name = name;
    return ++known[i].calls;
}

static int default_code(const char *name) {
    if (strstr(name, "Alloc") || strstr(name, "Register"))
        return OUT_OF_MEMORY;
    return !strncmp(name, "nvrtc", 5) ? 6 : !strncmp(name, "cufft", 5) ? 5 : INVALID_VALUE;
}

static bool is_sticky(int code) {
    return code == ILLEGAL_ADDRESS || (code >= MISALIGNED && code <= LAUNCH_FAILED);
}

/* FAKE_CUDA_FAIL=[NAME:]N[:CODE] */
static int injected(const char *name) {
    const char *spec = getenv("FAKE_CUDA_FAIL");
    char own[64] = "";
    long nth = 0, code = default_code(name), any = count(NULL), same = count(name);
    if (!spec)
        return 0;
    if (*spec < '0' || *spec > '9') {
        const int length = (int)strcspn(spec, ":");
        snprintf(own, sizeof own, "%.*s", length, spec);
        spec += length + (spec[length] == ':');
    }
    if (sscanf(spec, "%ld:%ld", &nth, &code) < 1 || (*own && strcmp(own, name)) ||
        (*own ? same : any) != nth)
        return 0;
    if (current && is_sticky((int)code))
        current->failed = (int)code;
    fake_note("%s failed: %ld", name, code);
    return (int)code;
}

int fake_begin(const char *name) {
    pthread_mutex_lock(&lock);
    fake_note("%s", name);
    return injected(name);
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
    *n = (int)fake_setting("FAKE_CUDA_DEVICES", FAKE_DEVICES);
    return fake_end(fake_begin(__func__));
}

int cuDeviceGet(int *device, int number) {
    const int code = fake_begin(__func__);
    *device = number;
    return fake_end(code ? code : fake_device(number) ? 0 : INVALID_VALUE);
}

int cuDeviceGetName(char *name, int size, int device) {
    snprintf(name, (size_t)size, "Fake %c", 'A' + device);
    return fake_end(fake_begin(__func__));
}

static size_t memory_of(void) {
    return (size_t)fake_setting("FAKE_CUDA_MEMORY", 1 << 30);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    const int code = fake_begin(__func__);
    *bytes = memory_of();
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
        d->failed = 0;
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
    *all = memory_of();
    *unused = current ? *all - current->used : 0;
    return fake_end(code);
}

int cuDeviceCanAccessPeer(int *can, int device, int other) {
    const int code = fake_begin(__func__);
    *can = device != other && fake_setting("FAKE_CUDA_PEERS", 1);
    return fake_end(code ? code : fake_device(device) && fake_device(other) ? 0 : INVALID_VALUE);
}

int cuCtxEnablePeerAccess(void *context, unsigned flags) {
    int code = fake_enter(__func__);
    const struct fake_device *other = context;
    if (!code &&
        (flags || other == current || !other->retained || !fake_setting("FAKE_CUDA_PEERS", 1)))
        code = INVALID_VALUE;
    if (!code && current->reaches[other->number])
        code = PEER_ALREADY_ENABLED;
    if (!code)
        current->reaches[other->number] = true;
    return fake_end(code);
}
