/* Common to the transforms of one device and of two: plans, and transforms of lines in double precision. */
#ifndef FAKE_CUFFT_H
#define FAKE_CUFFT_H

#include <complex.h>

#include "tests/gpu/fake/fake.h"

enum {
    FFT_INVALID_PLAN = 1,
    FFT_ALLOC_FAILED = 2,
    FFT_INVALID_TYPE = 3,
    FFT_INVALID_VALUE = 4,
    FFT_EXEC_FAILED = 6,
    FFT_INVALID_SIZE = 8,
    FFT_UNALIGNED_DATA = 9,
    FFT_INVALID_DEVICE = 11,
    FFT_NO_WORKSPACE = 13
};
enum {
    FFT_C2C = 0x29,
    FFT_R2C = 0x2a,
    FFT_C2R = 0x2c,
    FFT_Z2Z = 0x69,
    FFT_D2Z = 0x6a,
    FFT_Z2D = 0x6c
};

struct fft_side {
    long long embed[3], stride, distance;
};

struct fft_plan {
    bool taken, made;
    int type;
    /* of one device */
    int rank;
    long long n[3], batch;
    struct fft_side in, out;
    bool own_work;
    size_t work_bytes;
    void *work, *stream;
    /* of two: an array of rows[0] x rows[1] x `depth` complex elements, whose rows hold `points` numbers */
    int n_devices, device[FAKE_DEVICES];
    long rows[2], depth, points;
    uint64_t first_input; /* its hash; 0: none yet */
};

/* NULL: there is none of that handle. */
struct fft_plan *fft_plan(int handle);
/* n numbers, `step` apart, to their transform. */
void fft_line(double complex *at, long n, long step, int sign);

#endif
