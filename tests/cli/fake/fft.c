/* MKL's FFTW interface, as an MKL without the functions of wisdom has it, and IPP's DFT, by sums: one library by
 * their names, for tests/cli/bench.test.
 *
 *     FAKE_MKL=avx2                 MKL loads libmkl_avx2.so.2 from its folder for the first plan
 *     FAKE_IPP="ippSP AVX2 (l9)"    IPP's name for its code
 *     FAKE_STALL=512:3:50           the first 3 runs of MKL on 512 points take 50 ms more each        */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { C2C, R2C, C2R };
struct dim {
    ptrdiff_t n, in, out;
};
struct plan {
    enum kind kind;
    bool wide;
    int sign, rank, batches;
    struct dim dim[3], batch[3];
};

static double complex get(const struct plan *p, const void *from, ptrdiff_t at) {
    const bool real = p->kind == R2C;
    const double *d = from;
    const float *f = from;
    if (p->wide)
        return real ? d[at] : d[2 * at] + I * d[2 * at + 1];
    return real ? f[at] : f[2 * at] + I * f[2 * at + 1];
}

static void put(const struct plan *p, void *to, ptrdiff_t at, double complex v) {
    const bool real = p->kind == C2R;
    double *d = to;
    float *f = to;
    at *= real ? 1 : 2;
    if (p->wide) {
        d[at] = creal(v);
        if (!real)
            d[at + 1] = cimag(v);
    } else {
        f[at] = (float)creal(v);
        if (!real)
            f[at + 1] = (float)cimag(v);
    }
}

/* The value of bin or sample j; those that a half spectrum lacks are mirror images. */
static double complex value(const struct plan *p, const void *from, ptrdiff_t offset,
                            const ptrdiff_t *j) {
    const struct dim *last = &p->dim[p->rank - 1];
    const bool mirrored = p->kind == C2R && j[p->rank - 1] > last->n / 2;
    for (int i = 0; i < p->rank; i++)
        offset += (mirrored ? (p->dim[i].n - j[i]) % p->dim[i].n : j[i]) * p->dim[i].in;
    const double complex v = get(p, from, offset);
    return mirrored ? conj(v) : v;
}

/* The next index, the last axis fastest; false after the last one. */
static bool next(const struct dim *dims, int rank, ptrdiff_t *j, bool half) {
    for (int i = rank - 1; i >= 0; i--) {
        if (++j[i] < (half && i == rank - 1 ? dims[i].n / 2 + 1 : dims[i].n))
            return true;
        j[i] = 0;
    }
    return false;
}

static void transform(const struct plan *p, const void *from, void *to) {
    ptrdiff_t b[3] = {0};
    do {
        ptrdiff_t in = 0, out = 0, k[3] = {0};
        for (int i = 0; i < p->batches; i++) {
            in += b[i] * p->batch[i].in;
            out += b[i] * p->batch[i].out;
        }
        do {
            ptrdiff_t j[3] = {0}, at = out;
            double complex sum = 0;
            for (int i = 0; i < p->rank; i++)
                at += k[i] * p->dim[i].out;
            do {
                double turns = 0;
                for (int i = 0; i < p->rank; i++)
                    turns += (double)(j[i] * k[i] % p->dim[i].n) / (double)p->dim[i].n;
                sum +=
                    value(p, from, in, j) * (turns == 0    ? 1
                                             : turns == .5 ? -1
                                                           : cexp(p->sign * 2 * M_PI * I * turns));
            } while (next(p->dim, p->rank, j, false));
            put(p, to, at, sum);
        } while (next(p->dim, p->rank, k, p->kind == R2C));
    } while (next(p->batch, p->batches, b, false));
}

/* ---- MKL ---- */

static void load_code(void) {
    const char *code = getenv("FAKE_MKL");
    char path[4200];
    Dl_info info;
    if (!code || !dladdr((void *)load_code, &info))
        return;
    snprintf(path, sizeof path, "%.*s/libmkl_%s.so.2",
             (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname, code);
    dlopen(path, RTLD_NOW);
}

static void *make(enum kind kind, bool wide, int sign, int rank, const struct dim *dims,
                  int batches, const struct dim *batch) {
    struct plan *p = calloc(1, sizeof *p);
    load_code();
    *p = (struct plan){kind, wide, sign, rank, batches, .batch = {{0}}};
    memcpy(p->dim, dims, (size_t)rank * sizeof *dims);
    memcpy(p->batch, batch, (size_t)batches * sizeof *batch);
    return p;
}

static void run(const struct plan *p, const void *in, void *out) {
    static int stalled;
    const char *stall = getenv("FAKE_STALL");
    long points = 0;
    int runs = 0, ms = 0;
    if (stall && sscanf(stall, "%ld:%d:%d", &points, &runs, &ms) == 3 && p->rank == 1 &&
        p->dim[0].n == points && stalled < runs) {
        stalled++;
        usleep((unsigned)ms * 1000);
    }
    transform(p, in, out);
}

#define FFTW(prefix, wide) \
    const char prefix##version[] = "FFTW 3.3.4 wrappers to a made-up MKL"; \
    void *prefix##plan_guru64_dft(int rank, const struct dim *d, int batches, const struct dim *b, \
                                  void *in, void *out, int sign, unsigned flags) { \
        (void)in, (void)out, (void)flags; \
        return make(C2C, wide, sign, rank, d, batches, b); \
    } \
    void *prefix##plan_guru64_dft_r2c(int rank, const struct dim *d, int batches, \
                                      const struct dim *b, void *in, void *out, unsigned flags) { \
        (void)in, (void)out, (void)flags; \
        return make(R2C, wide, -1, rank, d, batches, b); \
    } \
    void *prefix##plan_guru64_dft_c2r(int rank, const struct dim *d, int batches, \
                                      const struct dim *b, void *in, void *out, unsigned flags) { \
        (void)in, (void)out, (void)flags; \
        return make(C2R, wide, 1, rank, d, batches, b); \
    } \
    void prefix##execute_dft(void *p, void *in, void *out) { \
        run(p, in, out); \
    } \
    void prefix##execute_dft_r2c(void *p, void *in, void *out) { \
        run(p, in, out); \
    } \
    void prefix##execute_dft_c2r(void *p, void *in, void *out) { \
        run(p, in, out); \
    } \
    void prefix##destroy_plan(void *p) { \
        free(p); \
    } \
    void prefix##set_timelimit(double s) { \
        (void)s; \
    } \
    int prefix##init_threads(void) { \
        return 1; \
    } \
    void prefix##plan_with_nthreads(int n) { \
        (void)n; \
    }
FFTW(fftwf_, false)
FFTW(fftw_, true)

void MKL_Set_Num_Threads(int n) {
    (void)n;
}

int MKL_Set_Threading_Layer(int layer) {
    return layer;
}

/* ---- IPP: what a line or a picture needs is a struct plan without strides ---- */

struct extent {
    int width, height;
};
struct version {
    int number[4];
    char cpu[4];
    const char *name, *version;
};

int ippInit(void) {
    return 0;
}

const struct version *ippsGetLibVersion(void) {
    static struct version v = {.version = "2026.9 (made up)"};
    v.name = getenv("FAKE_IPP") ? getenv("FAKE_IPP") : "ippSP AVX2 (l9)";
    return &v;
}

static int sizes(int *spec, int *first, int *work) {
    *spec = sizeof(struct plan);
    *first = *work = 0;
    return 0;
}

#define LINES(type, wide, forward, inverse, there, back) \
    int ippsDFTGetSize_##type(int n, int flag, int hint, int *spec, int *first, int *work) { \
        (void)flag, (void)hint; \
        return n > 1 << 20 ? -6 : sizes(spec, first, work); \
    } \
    int ippsDFTInit_##type(int n, int flag, int hint, void *spec, void *first) { \
        (void)hint, (void)first; \
        *(struct plan *)spec = (struct plan){C2C, wide, 0, 1, 0, .dim = {{n, 1, 1}}}; \
        return flag == 8 ? 0 : -5; \
    } \
    int ippsDFTFwd_##forward(const void *in, void *out, const void *spec, void *work) { \
        struct plan p = *(const struct plan *)spec; \
        (void)work; \
        p.kind = there; \
        p.sign = -1; \
        transform(&p, in, out); \
        return 0; \
    } \
    int ippsDFTInv_##inverse(const void *in, void *out, const void *spec, void *work) { \
        struct plan p = *(const struct plan *)spec; \
        (void)work; \
        p.kind = back; \
        p.sign = 1; \
        transform(&p, in, out); \
        return 0; \
    }
LINES(C_32fc, false, CToC_32fc, CToC_32fc, C2C, C2C)
LINES(C_64fc, true, CToC_64fc, CToC_64fc, C2C, C2C)
LINES(R_32f, false, RToCCS_32f, CCSToR_32f, R2C, C2R)
LINES(R_64f, true, RToCCS_64f, CCSToR_64f, R2C, C2R)

int ippiDFTGetSize_C_32fc(struct extent n, int flag, int hint, int *spec, int *first, int *work) {
    (void)n, (void)flag, (void)hint;
    return sizes(spec, first, work);
}

int ippiDFTInit_C_32fc(struct extent n, int flag, int hint, void *spec, void *first) {
    (void)hint, (void)first;
    *(struct plan *)spec = (struct plan){C2C, false, 0, 2, 0, .dim = {{n.height}, {n.width}}};
    return flag == 8 ? 0 : -5;
}

static int picture(const void *in, int in_pitch, void *out, int out_pitch, const void *spec,
                   int sign) {
    struct plan p = *(const struct plan *)spec;
    p.sign = sign;
    p.dim[0].in = in_pitch / 8;
    p.dim[0].out = out_pitch / 8;
    p.dim[1].in = p.dim[1].out = 1;
    transform(&p, in, out);
    return 0;
}

int ippiDFTFwd_CToC_32fc_C1R(const void *in, int in_pitch, void *out, int out_pitch,
                             const void *spec, void *work) {
    (void)work;
    return picture(in, in_pitch, out, out_pitch, spec, -1);
}

int ippiDFTInv_CToC_32fc_C1R(const void *in, int in_pitch, void *out, int out_pitch,
                             const void *spec, void *work) {
    (void)work;
    return picture(in, in_pitch, out, out_pitch, spec, 1);
}
