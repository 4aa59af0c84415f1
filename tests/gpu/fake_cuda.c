/* Two GPUs that are not there: as much of NVIDIA's driver and of cuFFT, in host memory and by sums, as
 * `gpufft bench --backend=cufftxt` calls. Built as libcuda.so.1 and libcufft.so.12. It is stricter than the
 * originals: a copy in another device's context, an order of samples that a transform does not take, and
 * a second transform that does not begin with the samples of the first are errors. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2, PLANS = 64, LEAST = 32 /* points of an axis */, UNKNOWN = 999 };
enum { INVALID_VALUE = 4, EXEC_FAILED = 6, INVALID_SIZE = 8, INVALID_DEVICE = 11 };
enum { C2C = 0x29, R2C = 0x2a, Z2Z = 0x69, D2Z = 0x6a };
enum { NATURAL = 2, SHUFFLED = 3 };

/* ---- the driver ---- */

static int contexts[DEVICES], *current;

static int n_devices(void) {
    const char *n = getenv("FAKE_CUDA_DEVICES");
    return n ? atoi(n) : DEVICES;
}

int cuInit(unsigned flags) {
    return (int)flags;
}
int cuDriverGetVersion(int *version) {
    *version = 13000;
    return 0;
}
int cuGetErrorString(int code, const char **text) {
    *text = "an error of the fake driver";
    return !code;
}
int cuDeviceGetCount(int *n) {
    *n = n_devices();
    return 0;
}
int cuDeviceGet(int *device, int number) {
    *device = number;
    return number >= n_devices();
}
int cuDeviceGetName(char *name, int size, int device) {
    strncpy(name, device ? "Fake B" : "Fake A", (size_t)size);
    return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    *bytes = (size_t)1 << 30;
    return device >= n_devices();
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1024; /* compute capability 9.0 */
    return device >= n_devices();
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    *context = &contexts[device];
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
    return device >= n_devices();
}
int cuCtxSetCurrent(void *context) {
    current = context;
    return 0;
}
int cuCtxSynchronize(void) {
    return current ? 0 : UNKNOWN;
}

/* Device memory has its device before it. */
static int device_of(const void *memory) {
    return ((const int *)memory)[-4];
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    void *a = (void *)(uintptr_t)to, *b = (void *)(uintptr_t)from;
    if (stream || !current || device_of(a) != current - contexts || device_of(b) != device_of(a))
        return UNKNOWN;
    memcpy(a, b, bytes);
    return 0;
}

#define NOT_HERE(name)                                                                             \
    int name(void) {                                                                               \
        return UNKNOWN;                                                                            \
    }
NOT_HERE(cuStreamCreate)
NOT_HERE(cuStreamDestroy_v2)
NOT_HERE(cuStreamSynchronize)
NOT_HERE(cuStreamWaitEvent)
NOT_HERE(cuEventCreate)
NOT_HERE(cuEventDestroy_v2)
NOT_HERE(cuEventRecord)
NOT_HERE(cuEventSynchronize)
NOT_HERE(cuEventElapsedTime)
NOT_HERE(cuMemAlloc_v2)
NOT_HERE(cuMemFree_v2)
NOT_HERE(cuMemGetInfo_v2)
NOT_HERE(cuMemHostAlloc)
NOT_HERE(cuMemFreeHost)
NOT_HERE(cuMemHostRegister_v2)
NOT_HERE(cuMemHostUnregister)
NOT_HERE(cuPointerGetAttribute)
NOT_HERE(cuMemcpyHtoDAsync_v2)
NOT_HERE(cuMemcpyDtoHAsync_v2)
NOT_HERE(cuMemcpy2DAsync_v2)
NOT_HERE(cuMemsetD8Async)
NOT_HERE(cuModuleLoadData)
NOT_HERE(cuModuleUnload)
NOT_HERE(cuModuleGetFunction)
NOT_HERE(cuFuncSetAttribute)
NOT_HERE(cuLaunchKernel)

/* ---- cuFFT ---- */

struct slabs {
    int version, n;
    int device[64];
    void *data[64];
    size_t bytes[64];
    void *state;
};

struct descriptor {
    int version;
    struct slabs *slabs;
    int library, order;
    void *own;
};

/* An array of rows[0] x rows[1] x `depth` complex elements, rows of which hold `points` reals or
 * complex numbers. Handles count from 1. */
static struct plan {
    int type, n_devices, device[DEVICES];
    long rows[2], depth, points;
    uint64_t first_input; /* its hash; 0: none yet */
} plans[PLANS];
static int n_plans;

static bool is_real(const struct plan *p) {
    return p->type == R2C || p->type == D2Z;
}
static size_t element(const struct plan *p) {
    return p->type == C2C || p->type == R2C ? 8 : 16;
}

int cufftGetVersion(int *version) {
    *version = 12000;
    return 0;
}
int cufftCreate(int *handle) {
    if (n_plans == PLANS)
        return INVALID_VALUE;
    *handle = ++n_plans;
    return 0;
}
int cufftDestroy(int handle) {
    return handle < 1 || handle > n_plans;
}
int cufftXtSetGPUs(int handle, int n, int *devices) {
    struct plan *p = &plans[handle - 1];
    if (n != DEVICES || devices[0] == devices[1])
        return INVALID_DEVICE;
    p->n_devices = n;
    memcpy(p->device, devices, sizeof p->device);
    return 0;
}
int cufftMakePlan3d(int handle, int nz, int ny, int nx, int type, size_t *work) {
    struct plan *p = &plans[handle - 1];
    if (!p->n_devices || nz < LEAST || ny < LEAST || nx < LEAST)
        return INVALID_SIZE;
    p->type = type;
    p->points = nx;
    p->rows[0] = nz;
    p->rows[1] = ny;
    p->depth = is_real(p) ? nx / 2 + 1 : nx;
    work[0] = work[1] = 1 << 20;
    return 0;
}
int cufftMakePlan2d(int handle, int ny, int nx, int type, size_t *work) {
    struct plan *p = &plans[handle - 1];
    int rc = cufftMakePlan3d(handle, LEAST, ny, nx, type, work);
    p->rows[0] = ny;
    p->rows[1] = p->depth;
    p->depth = 1;
    return rc;
}

/* Slab g of an axis of n: from here on. */
static long first(long n, int g) {
    return n * g / DEVICES;
}

int cufftXtMalloc(int handle, struct descriptor **out, int order) {
    const struct plan *p = &plans[handle - 1];
    struct descriptor *d = calloc(1, sizeof *d);
    d->slabs = calloc(1, sizeof *d->slabs);
    d->order = order;
    d->slabs->n = DEVICES;
    for (int g = 0; g < DEVICES; g++) {
        long a = first(p->rows[0], g + 1) - first(p->rows[0], g);
        long b = first(p->rows[1], g + 1) - first(p->rows[1], g);
        long most = a * p->rows[1] > b * p->rows[0] ? a * p->rows[1] : b * p->rows[0];
        d->slabs->device[g] = p->device[g];
        d->slabs->bytes[g] = (size_t)(most * p->depth) * element(p);
        int *memory = malloc(d->slabs->bytes[g] + 16);
        memory[0] = p->device[g];
        d->slabs->data[g] = memory + 4;
    }
    *out = d;
    return 0;
}
int cufftXtFree(struct descriptor *d) {
    for (int g = 0; g < DEVICES; g++)
        free((int *)d->slabs->data[g] - 4);
    free(d->slabs);
    free(d);
    return 0;
}

/* Between a descriptor and memory in natural order. A shuffled one has its first two axes swapped and
 * is cut along what was the second. */
static void move(const struct plan *p, const struct descriptor *d, char *natural, bool to_natural) {
    const bool shuffled = d->order == SHUFFLED;
    const size_t line = (size_t)p->depth * element(p);
    for (long i = 0; i < p->rows[0]; i++)
        for (long j = 0; j < p->rows[1]; j++) {
            long slow = shuffled ? j : i, fast = shuffled ? i : j;
            int g = 0;
            while (slow >= first(p->rows[shuffled], g + 1))
                g++;
            slow -= first(p->rows[shuffled], g);
            char *there =
                (char *)d->slabs->data[g] + (size_t)(slow * p->rows[!shuffled] + fast) * line;
            char *here = natural + (size_t)(i * p->rows[1] + j) * line;
            memcpy(to_natural ? here : there, to_natural ? there : here, line);
        }
}

static char *take_array(const struct plan *p) {
    return malloc((size_t)(p->rows[0] * p->rows[1] * p->depth) * element(p));
}

int cufftXtMemcpy(int handle, void *to, void *from, int way) {
    const struct plan *p = &plans[handle - 1];
    struct descriptor *a = to, *b = from;
    if (way == 0)
        move(p, a, from, false);
    else if (way == 1)
        move(p, b, to, true);
    else {
        if (b->order != SHUFFLED || a->order != NATURAL)
            return INVALID_VALUE;
        char *array = take_array(p);
        move(p, b, array, true);
        move(p, a, array, false);
        free(array);
    }
    return 0;
}

static double complex get(const struct plan *p, const char *a, long i) {
    if (element(p) == 8)
        return ((const float complex *)a)[i];
    return ((const double complex *)a)[i];
}
static void set(const struct plan *p, char *a, long i, double complex v) {
    if (element(p) == 8)
        ((float complex *)a)[i] = (float complex)v;
    else
        ((double complex *)a)[i] = v;
}

/* The n values from `at` on, `step` apart. */
static void sum_line(const struct plan *p, char *a, long at, long step, long n, int sign) {
    double complex *in = malloc((size_t)n * 2 * sizeof *in), *wave = in + n;
    for (long i = 0; i < n; i++) {
        in[i] = get(p, a, at + i * step);
        wave[i] = cexp(sign * 2 * I * acos(-1) * (double)i / (double)n);
    }
    for (long k = 0; k < n; k++) {
        double complex sum = 0;
        for (long i = 0; i < n; i++)
            sum += in[i] * wave[i * k % n];
        set(p, a, at + k * step, sum);
    }
    free(in);
}

/* A padded row of reals becomes half its spectrum. */
static void sum_row(const struct plan *p, char *a, long at, long n) {
    double *in = malloc((size_t)n * sizeof *in);
    for (long i = 0; i < n; i++)
        in[i] = element(p) == 8 ? (double)((float *)a)[2 * at + i] : ((double *)a)[2 * at + i];
    for (long k = 0; k <= n / 2; k++) {
        double complex sum = 0;
        for (long i = 0; i < n; i++)
            sum += in[i] * cexp(-2 * I * acos(-1) * (double)(i * k % n) / (double)n);
        set(p, a, at + k, sum);
    }
    free(in);
}

/* Of the samples, without what pads rows of reals. */
static uint64_t hash(const struct plan *p, const char *a) {
    const size_t unit = is_real(p) ? element(p) / 2 : element(p), row = (size_t)p->points * unit;
    const size_t pitch = is_real(p) ? (size_t)(p->points / 2 + 1) * element(p) : row;
    const size_t all = (size_t)(p->rows[0] * p->rows[1] * p->depth) * element(p);
    uint64_t h = 14695981039346656037u;
    for (size_t at = 0; at < all; at += pitch)
        for (size_t i = 0; i < row; i++)
            h = (h ^ (unsigned char)a[at + i]) * 1099511628211u;
    return h;
}

/* All axes, the fastest first. */
static int execute(int handle, struct descriptor *in, struct descriptor *out, int sign) {
    struct plan *p = &plans[handle - 1];
    if (in != out || in->order != NATURAL)
        return INVALID_VALUE;
    const bool volume = p->depth > 1;
    const long y = p->rows[0], x = p->rows[1], d = p->depth;
    char *a = take_array(p);
    move(p, in, a, true);
    uint64_t h = hash(p, a);
    int rc = p->first_input && p->first_input != h ? EXEC_FAILED : 0;
    p->first_input = h;
    long row = volume ? d : x;
    for (long i = 0; i < y * x * d; i += row)
        if (is_real(p))
            sum_row(p, a, i, p->points);
        else
            sum_line(p, a, i, 1, row, sign);
    for (long i = 0; volume && i < y * d; i++)
        sum_line(p, a, i / d * x * d + i % d, d, x, sign);
    for (long i = 0; i < x * d; i++)
        sum_line(p, a, i, x * d, y, sign);
    out->order = SHUFFLED;
    move(p, out, a, false);
    free(a);
    return rc;
}

int cufftXtExecDescriptorC2C(int handle, struct descriptor *in, struct descriptor *out, int sign) {
    return execute(handle, in, out, sign);
}
int cufftXtExecDescriptorZ2Z(int handle, struct descriptor *in, struct descriptor *out, int sign) {
    return execute(handle, in, out, sign);
}
int cufftXtExecDescriptorR2C(int handle, struct descriptor *in, struct descriptor *out) {
    return execute(handle, in, out, -1);
}
int cufftXtExecDescriptorD2Z(int handle, struct descriptor *in, struct descriptor *out) {
    return execute(handle, in, out, -1);
}
