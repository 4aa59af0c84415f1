/* The CUDA that kernels are written in (kernels/lang.h), as C for the CPU: fake_nvrtc.c puts this before a
 * kernel. Items of a group run one after the other between barriers, groups in the order of their numbers.
 * __global__, __launch_bounds__ and __shared__ stay in the text, for fake_nvrtc.c to find.
 * The architecture is one without assembly in lang.h. */
#include <stdbool.h>
#include <stdint.h>
#include <tgmath.h>

#define __CUDACC__    1
#define __CUDA_ARCH__ 600
#define __device__
#define __forceinline__ __attribute__((always_inline))
#define __align__(n)    __attribute__((aligned(n)))
#define __restrict__ restrict

struct fake_dim {
    unsigned x, y, z;
};
/* Set by the driver; `item` changes from one item to the next. */
struct fake_group {
    struct fake_dim item, group, items, groups;
    void *tile;
    void (*barrier)(void);
    void (*trap)(void);
} * fake_group;
#define threadIdx       (fake_group->item)
#define blockIdx        (fake_group->group)
#define blockDim        (fake_group->items)
#define gridDim         (fake_group->groups)
#define __syncthreads() fake_group->barrier()
#define __trap()        fake_group->trap()

#define FAKE_VECTORS(type, base, a, b) \
    typedef struct { \
        base x, y; \
    } __attribute__((aligned(a))) type##2; \
    typedef struct { \
        base x, y, z, w; \
    } __attribute__((aligned(b))) type##4; \
    static inline type##2 make_##type##2(base x, base y) { \
        return (type##2){x, y}; \
    } \
    static inline type##4 make_##type##4(base x, base y, base z, base w) { \
        return (type##4){x, y, z, w}; \
    }
FAKE_VECTORS(char, signed char, 2, 4)
FAKE_VECTORS(uchar, unsigned char, 2, 4)
FAKE_VECTORS(short, short, 4, 8)
FAKE_VECTORS(ushort, unsigned short, 4, 8)
FAKE_VECTORS(int, int, 8, 16)
FAKE_VECTORS(uint, unsigned, 8, 16)
FAKE_VECTORS(float, float, 8, 16)
FAKE_VECTORS(double, double, 16, 16)

/* Nothing runs at the same time as an item. */
#define FAKE_EXCHANGED(p, v) \
    ({ \
        __auto_type at = (p); \
        __typeof__(*at) old = *at; \
        *at = (v); \
        old; \
    })
#define atomicAdd(p, v) FAKE_EXCHANGED(p, old + (v))
#define atomicMax(p, v) FAKE_EXCHANGED(p, old > (v) ? old : (v))
#define __ldcs(p)       (*(p))
#define __ldcg(p)       (*(p))
#define __stcs(p, v)    ((void)(*(p) = (v)))
#define __nanosleep(n)  ((void)0)
#define __threadfence() ((void)0)
#define __saturatef(x)  fake_saturated(x)
#define __byte_perm     fake_byte_perm
#define FAKE_BITS(name, to, from) \
    static inline to name(from v) { \
        to bits; \
        __builtin_memcpy(&bits, &v, sizeof bits); \
        return bits; \
    }
FAKE_BITS(__float_as_uint, unsigned, float)
FAKE_BITS(__uint_as_float, float, unsigned)
FAKE_BITS(__double_as_longlong, long long, double)
FAKE_BITS(__longlong_as_double, double, long long)
static inline float fake_saturated(float x) {
    return x > 0 ? x < 1 ? x : 1 : 0;
}
static inline unsigned fake_byte_perm(unsigned a, unsigned b, unsigned which) {
    const uint64_t both = (uint64_t)b << 32 | a;
    unsigned bytes = 0;
    for (int i = 0; i < 4; i++)
        bytes |= (unsigned)(both >> (which >> 4 * i & 7) * 8 & 255) << 8 * i;
    return bytes;
}
/* All items of a group call it. */
#define __shfl_up_sync(mask, v, step) fake_shuffle_up(v, (unsigned)(step))
static inline unsigned fake_shuffle_up(unsigned v, unsigned step) {
    static _Thread_local unsigned value[1024];
    const unsigned item = threadIdx.x;
    value[item] = v;
    __syncthreads();
    if (item % 32 >= step)
        v = value[item - step];
    __syncthreads();
    return v;
}
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
/* The two instructions that lang.h writes for every architecture: of a float x, to y. */
#define asm(...) (y = #__VA_ARGS__[1] == 'l' ? log2f(x) : sqrtf(x))
