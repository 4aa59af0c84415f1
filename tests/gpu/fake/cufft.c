/* cuFFT: plans of one device, whose transforms are commands of its streams. */
#include "tests/gpu/fake/cufft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 64, MOST = 1 << 24 /* points of an axis */ };

static struct fft_plan plans[PLANS];

struct fft_plan *fft_plan(int handle) {
    return handle > 0 && handle <= PLANS && plans[handle - 1].taken ? &plans[handle - 1] : NULL;
}

int cufftGetVersion(int *version) {
    *version = 12000;
    return fake_end(fake_begin(__func__));
}

int cufftCreate(int *handle) {
    const int code = fake_begin(__func__);
    int i = 0;
    while (i < PLANS && plans[i].taken)
        i++;
    if (code || i == PLANS)
        return fake_end(code ? code : FFT_ALLOC_FAILED);
    plans[i] = (struct fft_plan){.taken = true, .own_work = true};
    *handle = i + 1;
    return fake_end(0);
}

int cufftDestroy(int handle) {
    const int code = fake_begin(__func__);
    struct fft_plan *p = fft_plan(handle);
    if (code || !p)
        return fake_end(code ? code : FFT_INVALID_PLAN);
    p->taken = false;
    return fake_end(0);
}

int cufftSetAutoAllocation(int handle, int on) {
    const int code = fake_begin(__func__);
    struct fft_plan *p = fft_plan(handle);
    if (!code && p)
        p->own_work = on;
    return fake_end(code ? code : p ? 0 : FFT_INVALID_PLAN);
}

int cufftSetWorkArea(int handle, void *work) {
    const int code = fake_begin(__func__);
    struct fft_plan *p = fft_plan(handle);
    if (!code && p)
        p->work = work;
    return fake_end(code ? code : p ? 0 : FFT_INVALID_PLAN);
}

int cufftSetStream(int handle, void *stream) {
    const int code = fake_begin(__func__);
    struct fft_plan *p = fft_plan(handle);
    if (!code && p)
        p->stream = stream;
    return fake_end(code ? code : p ? 0 : FFT_INVALID_PLAN);
}

/* ---- planning ---- */

static bool is_double(int type) {
    return type >= FFT_Z2Z;
}
static bool real_in(int type) {
    return type == FFT_R2C || type == FFT_D2Z;
}
static bool real_out(int type) {
    return type == FFT_C2R || type == FFT_Z2D;
}

/* Points of axis i on one side: half of the last one's are stored where the other side is real. */
static long long extent(const struct fft_plan *p, int i, bool halved) {
    return halved && i == p->rank - 1 ? p->n[i] / 2 + 1 : p->n[i];
}

static struct fft_side make_side(const struct fft_plan *p, const long long *embed, long long stride,
                                 long long distance, bool halved) {
    struct fft_side s = {.stride = embed ? stride : 1, .distance = distance};
    long long all = 1;
    for (int i = 0; i < p->rank; i++) {
        s.embed[i] = embed ? embed[i] : extent(p, i, halved);
        all *= extent(p, i, halved);
    }
    if (!embed)
        s.distance = all;
    return s;
}

int cufftMakePlanMany64(int handle, int rank, long long *n, long long *in_embed,
                        long long in_stride, long long in_distance, long long *out_embed,
                        long long out_stride, long long out_distance, int type, long long batch,
                        size_t *work_bytes) {
    const int code = fake_begin(__func__);
    struct fft_plan *p = fft_plan(handle);
    if (code || !p || p->made)
        return fake_end(code ? code : FFT_INVALID_PLAN);
    if (rank < 1 || rank > 3 || batch < 1 || !in_embed != !out_embed)
        return fake_end(FFT_INVALID_VALUE);
    p->type = type;
    p->rank = rank;
    p->batch = batch;
    p->work_bytes = (size_t)batch * 16;
    for (int i = 0; i < rank; i++) {
        p->n[i] = n[i];
        p->work_bytes *= (size_t)n[i];
        if (n[i] < 1 || n[i] > MOST)
            return fake_end(FFT_INVALID_SIZE);
    }
    p->in = make_side(p, in_embed, in_stride, in_distance, real_out(type));
    p->out = make_side(p, out_embed, out_stride, out_distance, real_in(type));
    p->made = true;
    *work_bytes = p->work_bytes;
    return fake_end(0);
}

/* ---- transforms ---- */

/* Points 0, step, 2 step, … by their number's smallest prime. Long double, because selftest is strict. */
static void transform(const long double complex *in, long double complex *out, long n, long step,
                      int sign) {
    long r = 2;
    while (r * r <= n && n % r)
        r++;
    r = n % r ? n : r;
    const long m = n / r;
    if (n == 1) {
        *out = *in;
        return;
    }
    long double complex *sum = malloc((size_t)r * 2 * sizeof *sum), *wave = sum + r;
    for (long i = 0; i < r; i++)
        transform(in + i * step, out + i * m, m, step * r, sign);
    for (long i = 0; i < r; i++)
        wave[i] = cexpl(sign * 2 * I * M_PIl * (long double)i / (long double)r);
    for (long k = 0; k < m; k++) {
        for (long i = 0; i < r; i++)
            sum[i] = out[k + i * m] *
                     cexpl(sign * 2 * I * M_PIl * (long double)(i * k % n) / (long double)n);
        for (long j = 0; j < r; j++) {
            long double complex v = 0;
            for (long i = 0; i < r; i++)
                v += sum[i] * wave[i * j % r];
            out[k + j * m] = v;
        }
    }
    free(sum);
}

void fft_line(double complex *at, long n, long step, int sign) {
    long double complex *in = calloc((size_t)n * 2, sizeof *in), *out = in + n;
    for (long i = 0; i < n; i++)
        in[i] = at[i * step];
    transform(in, out, n, 1, sign);
    for (long i = 0; i < n; i++)
        at[i * step] = (double complex)out[i];
    free(in);
}

static double complex get(const void *memory, long long i, bool real, bool wide) {
    if (real)
        return wide ? ((const double *)memory)[i] : (double)((const float *)memory)[i];
    return wide ? ((const double complex *)memory)[i]
                : (double complex)((const float complex *)memory)[i];
}

static void put(void *memory, long long i, bool real, bool wide, double complex v) {
    if (real && wide)
        ((double *)memory)[i] = creal(v);
    else if (real)
        ((float *)memory)[i] = (float)creal(v);
    else if (wide)
        ((double complex *)memory)[i] = v;
    else
        ((float complex *)memory)[i] = (float complex)v;
}

struct command {
    struct fft_plan plan;
    void *in, *out;
    int sign;
};

/* The place of a transform's point (i, j, k), given by its number among the points of `halved` extents. */
static long long place(const struct fft_plan *p, const struct fft_side *s, long long number,
                       bool halved) {
    long long index[3], at = 0;
    for (int i = p->rank - 1; i >= 0; i--) {
        index[i] = number % extent(p, i, halved);
        number /= extent(p, i, halved);
    }
    for (int i = 0; i < p->rank; i++)
        at = at * s->embed[i] + index[i];
    return at * s->stride;
}

static long long count(const struct fft_plan *p, bool halved) {
    long long all = 1;
    for (int i = 0; i < p->rank; i++)
        all *= extent(p, i, halved);
    return all;
}

/* All lines of an axis, in a packed array whose last axis has `last` points. */
static void transform_axis(const struct fft_plan *p, double complex *a, int axis, long last,
                           int sign) {
    long step = 1, lines = 1;
    for (int i = 0; i < p->rank; i++) {
        const long n = i == p->rank - 1 ? last : (long)p->n[i];
        step *= i > axis ? n : 1;
        lines *= i == axis ? 1 : n;
    }
    for (long l = 0; l < lines; l++)
        fft_line(a + l / step * step * p->n[axis] + l % step, (long)p->n[axis], step, sign);
}

/* A packed half spectrum's rows become whole ones: what it leaves out is the conjugate of the rest. */
static double complex *complete(const struct fft_plan *p, double complex *half) {
    const long n = (long)p->n[p->rank - 1], kept = n / 2 + 1;
    const long rows = (long)(count(p, true) / kept);
    double complex *whole = malloc((size_t)(rows * n) * sizeof *whole);
    for (long r = 0; r < rows; r++)
        for (long i = 0; i < n; i++)
            whole[r * n + i] = i < kept ? half[r * kept + i] : conj(half[r * kept + n - i]);
    free(half);
    return whole;
}

/* One transform of the batch: a half spectrum is completed when its outer axes are done, and its memory
 * spoilt. */
static void run_one(const struct command *c, char *in, char *out) {
    const struct fft_plan *p = &c->plan;
    const bool wide = is_double(p->type), halved_in = real_out(p->type),
               halved_out = real_in(p->type);
    const long last = (long)extent(p, p->rank - 1, halved_in);
    long long n = count(p, halved_in);
    double complex *a = malloc((size_t)n * sizeof *a);
    for (long long i = 0; i < n; i++) {
        const long long at = place(p, &p->in, i, halved_in);
        a[i] = get(in, at, real_in(p->type), wide);
        if (halved_in && in != out)
            put(in, at, false, wide, NAN);
    }
    for (int axis = 0; axis < p->rank - 1; axis++)
        transform_axis(p, a, axis, last, c->sign);
    if (halved_in)
        a = complete(p, a);
    transform_axis(p, a, p->rank - 1, (long)p->n[p->rank - 1], c->sign);
    n = count(p, halved_out);
    const long long row = p->n[p->rank - 1], kept = extent(p, p->rank - 1, halved_out);
    for (long long i = 0; i < n; i++)
        put(out, place(p, &p->out, i, halved_out), real_out(p->type), wide,
            a[i / kept * row + i % kept]);
    free(a);
}

static int run(void *data) {
    const struct command *c = data;
    const struct fft_plan *p = &c->plan;
    const size_t word = is_double(p->type) ? 8 : 4;
    const size_t in = (size_t)p->in.distance * word * (real_in(p->type) ? 1 : 2);
    const size_t out = (size_t)p->out.distance * word * (real_out(p->type) ? 1 : 2);
    memset(p->work, 0xee, p->work_bytes);
    for (long long b = 0; b < p->batch; b++)
        run_one(c, (char *)c->in + (size_t)b * in, (char *)c->out + (size_t)b * out);
    return 0;
}

/* All memory must be the device's, and begin where a complex number does. */
static int execute(const char *name, int handle, int type, void *in, void *out, int sign) {
    int code = fake_enter(name);
    struct fft_plan *p = fft_plan(handle);
    if (code || !p || !p->made)
        return fake_end(code ? FFT_EXEC_FAILED : FFT_INVALID_PLAN);
    struct fake_stream *s = fake_stream(p->stream);
    const uintptr_t aligned = is_double(type) ? 16 : 8;
    if (p->type != type)
        return fake_end(FFT_INVALID_TYPE);
    if (p->own_work || !fake_region(p->work, p->work_bytes))
        return fake_end(FFT_NO_WORKSPACE);
    if (!s || !fake_region(in, 1) || !fake_region(out, 1))
        return fake_end(FFT_INVALID_VALUE);
    if ((uintptr_t)in % aligned || (uintptr_t)out % aligned)
        return fake_end(FFT_UNALIGNED_DATA);
    struct command *c = malloc(sizeof *c);
    *c = (struct command){*p, in, out, sign};
    return fake_end(fake_enqueue(s, run, c) ? FFT_EXEC_FAILED : 0);
}

int cufftExecC2C(int handle, void *in, void *out, int sign) {
    return execute(__func__, handle, FFT_C2C, in, out, sign);
}
int cufftExecZ2Z(int handle, void *in, void *out, int sign) {
    return execute(__func__, handle, FFT_Z2Z, in, out, sign);
}
int cufftExecR2C(int handle, void *in, void *out) {
    return execute(__func__, handle, FFT_R2C, in, out, -1);
}
int cufftExecD2Z(int handle, void *in, void *out) {
    return execute(__func__, handle, FFT_D2Z, in, out, -1);
}
int cufftExecC2R(int handle, void *in, void *out) {
    return execute(__func__, handle, FFT_C2R, in, out, 1);
}
int cufftExecZ2D(int handle, void *in, void *out) {
    return execute(__func__, handle, FFT_Z2D, in, out, 1);
}
