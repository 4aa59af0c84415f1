/* cuFFT over two devices (cuFFTXt), as `gpufft bench --backend=cufftxt` calls it. Stricter than the original: an
 * order of samples that a transform does not take, and a second transform that does not begin with the samples
 * of the first, are errors. */
#include "tests/gpu/fake/cufft.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 32 /* points of an axis */ };
enum { SHARING = 2 /* devices */ };
enum { NATURAL = 2, SHUFFLED = 3 };

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

static bool is_real(const struct fft_plan *p) {
    return p->type == FFT_R2C || p->type == FFT_D2Z;
}
static size_t element(const struct fft_plan *p) {
    return p->type == FFT_C2C || p->type == FFT_R2C ? 8 : 16;
}

int cufftXtSetGPUs(int handle, int n, int *devices) {
    const int code = fake_begin(__func__);
    struct fft_plan *p = fft_plan(handle);
    if (code || !p || n != SHARING || devices[0] == devices[1])
        return fake_end(code ? code : FFT_INVALID_DEVICE);
    p->n_devices = n;
    memcpy(p->device, devices, sizeof p->device);
    return fake_end(0);
}

static int make_plan(struct fft_plan *p, const int n[3], int type, size_t *work) {
    if (!p || !p->n_devices || n[0] < LEAST || n[1] < LEAST || n[2] < LEAST)
        return FFT_INVALID_SIZE;
    p->type = type;
    p->points = n[2];
    p->rows[0] = n[0];
    p->rows[1] = n[1];
    p->depth = is_real(p) ? n[2] / 2 + 1 : n[2];
    work[0] = work[1] = 1 << 20;
    return 0;
}

int cufftMakePlan3d(int handle, int nz, int ny, int nx, int type, size_t *work) {
    const int code = fake_begin(__func__), n[3] = {nz, ny, nx};
    return fake_end(code ? code : make_plan(fft_plan(handle), n, type, work));
}

int cufftMakePlan2d(int handle, int ny, int nx, int type, size_t *work) {
    int code = fake_begin(__func__);
    const int n[3] = {LEAST, ny, nx};
    struct fft_plan *p = fft_plan(handle);
    code = code ? code : make_plan(p, n, type, work);
    if (!code) {
        p->rows[0] = ny;
        p->rows[1] = p->depth;
        p->depth = 1;
    }
    return fake_end(code);
}

/* Slab g of an axis of n: from here on. */
static long first(long n, int g) {
    return n * g / SHARING;
}

static void free_slabs(struct descriptor *d) {
    for (int g = 0; g < SHARING; g++)
        if (d->slabs->data[g])
            fake_give_back((uint64_t)(uintptr_t)d->slabs->data[g]);
    free(d->slabs);
    free(d);
}

int cufftXtMalloc(int handle, struct descriptor **out, int order) {
    int code = fake_begin(__func__);
    const struct fft_plan *p = fft_plan(handle);
    if (code || !p)
        return fake_end(code ? code : FFT_INVALID_PLAN);
    struct descriptor *d = calloc(1, sizeof *d);
    d->slabs = calloc(1, sizeof *d->slabs);
    d->order = order;
    d->slabs->n = SHARING;
    for (int g = 0; g < SHARING; g++) {
        long a = first(p->rows[0], g + 1) - first(p->rows[0], g);
        long b = first(p->rows[1], g + 1) - first(p->rows[1], g);
        long most = a * p->rows[1] > b * p->rows[0] ? a * p->rows[1] : b * p->rows[0];
        uint64_t address = 0;
        d->slabs->device[g] = p->device[g];
        d->slabs->bytes[g] = (size_t)(most * p->depth) * element(p);
        if (!code && fake_take(fake_device(p->device[g]), d->slabs->bytes[g], &address))
            code = FFT_ALLOC_FAILED;
        d->slabs->data[g] = (void *)(uintptr_t)address;
    }
    *out = d;
    if (code) {
        free_slabs(d);
        *out = NULL;
    }
    return fake_end(code);
}

int cufftXtFree(struct descriptor *d) {
    const int code = fake_begin(__func__);
    free_slabs(d);
    return fake_end(code);
}

/* Between a descriptor and memory in natural order. A shuffled one has its first two axes swapped and
 * is cut along what was the second. */
static void move(const struct fft_plan *p, const struct descriptor *d, char *natural,
                 bool to_natural) {
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

static char *take_array(const struct fft_plan *p) {
    return malloc((size_t)(p->rows[0] * p->rows[1] * p->depth) * element(p));
}

int cufftXtMemcpy(int handle, void *to, void *from, int way) {
    enum { TO_DEVICES, TO_HOST };
    const int code = fake_begin(__func__);
    const struct fft_plan *p = fft_plan(handle);
    struct descriptor *a = to, *b = from;
    if (code || !p)
        return fake_end(code ? code : FFT_INVALID_PLAN);
    if (way == TO_DEVICES)
        move(p, a, from, false);
    else if (way == TO_HOST)
        move(p, b, to, true);
    else {
        if (b->order != SHUFFLED || a->order != NATURAL)
            return fake_end(FFT_INVALID_VALUE);
        char *array = take_array(p);
        move(p, b, array, true);
        move(p, a, array, false);
        free(array);
    }
    return fake_end(0);
}

static double complex get(const struct fft_plan *p, const char *a, long i) {
    if (element(p) == 8)
        return ((const float complex *)a)[i];
    return ((const double complex *)a)[i];
}
static void set(const struct fft_plan *p, char *a, long i, double complex v) {
    if (element(p) == 8)
        ((float complex *)a)[i] = (float complex)v;
    else
        ((double complex *)a)[i] = v;
}

/* The n values from `at` on, `step` apart. */
static void transform_line(const struct fft_plan *p, char *a, long at, long step, long n,
                           int sign) {
    double complex *line = malloc((size_t)n * sizeof *line);
    for (long i = 0; i < n; i++)
        line[i] = get(p, a, at + i * step);
    fft_line(line, n, 1, sign);
    for (long i = 0; i < n; i++)
        set(p, a, at + i * step, line[i]);
    free(line);
}

/* A padded row of reals becomes half its spectrum. */
static void transform_row(const struct fft_plan *p, char *a, long at, long n) {
    double complex *line = malloc((size_t)n * sizeof *line);
    for (long i = 0; i < n; i++)
        line[i] = element(p) == 8 ? (double)((float *)a)[2 * at + i] : ((double *)a)[2 * at + i];
    fft_line(line, n, 1, -1);
    for (long i = 0; i <= n / 2; i++)
        set(p, a, at + i, line[i]);
    free(line);
}

/* A hash of the samples, without the padding of rows of reals. */
static uint64_t hash(const struct fft_plan *p, const char *a) {
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
static int execute(struct fft_plan *p, struct descriptor *in, struct descriptor *out, int sign) {
    if (!p)
        return FFT_INVALID_PLAN;
    if (in != out || in->order != NATURAL)
        return FFT_INVALID_VALUE;
    const bool volume = p->depth > 1;
    const long y = p->rows[0], x = p->rows[1], d = p->depth;
    char *a = take_array(p);
    move(p, in, a, true);
    uint64_t h = hash(p, a);
    int rc = p->first_input && p->first_input != h ? FFT_EXEC_FAILED : 0;
    p->first_input = h;
    long row = volume ? d : x;
    for (long i = 0; i < y * x * d; i += row)
        if (is_real(p))
            transform_row(p, a, i, p->points);
        else
            transform_line(p, a, i, 1, row, sign);
    for (long i = 0; volume && i < y * d; i++)
        transform_line(p, a, i / d * x * d + i % d, d, x, sign);
    for (long i = 0; i < x * d; i++)
        transform_line(p, a, i, x * d, y, sign);
    out->order = SHUFFLED;
    move(p, out, a, false);
    free(a);
    return rc;
}

int cufftXtExecDescriptorC2C(int handle, struct descriptor *in, struct descriptor *out, int sign) {
    const int code = fake_begin(__func__);
    return fake_end(code ? code : execute(fft_plan(handle), in, out, sign));
}
int cufftXtExecDescriptorZ2Z(int handle, struct descriptor *in, struct descriptor *out, int sign) {
    const int code = fake_begin(__func__);
    return fake_end(code ? code : execute(fft_plan(handle), in, out, sign));
}
int cufftXtExecDescriptorR2C(int handle, struct descriptor *in, struct descriptor *out) {
    const int code = fake_begin(__func__);
    return fake_end(code ? code : execute(fft_plan(handle), in, out, -1));
}
int cufftXtExecDescriptorD2Z(int handle, struct descriptor *in, struct descriptor *out) {
    const int code = fake_begin(__func__);
    return fake_end(code ? code : execute(fft_plan(handle), in, out, -1));
}
