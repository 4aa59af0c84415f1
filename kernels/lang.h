/* Hides the language: OpenCL C 1.2, CUDA C++ or, for checks only, plain C++ (KERNEL_STUB). Kernels
 * use what the three share. */
#ifndef LANG_H
#define LANG_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define IS_OPENCL 1

#define KERNEL(threads, resident) __kernel __attribute__((reqd_work_group_size(threads, 1, 1)))
#define GLOBAL                    __global
#define LOCAL                     __local
#define RESTRICT                  restrict
/* The tile is the last parameter, sized by the launch, and aligned to the widest access, 16
 * bytes. */
#define TILE_PARAMETER(type) , __local float4 *tile_memory
#define TILE_DECLARE(type)   __local type *tile = (__local type *)tile_memory;
#define INLINE               static inline __attribute__((always_inline))
#define LOCAL_ID             ((int)get_local_id(0))
#define GROUP_ID             ((long)get_group_id(0))
#define GROUPS               ((long)get_num_groups(0))
#define GROUPS_IN_ORDER      0 /* not known */
#define GIVE_UP()            ((void)0)
#define AWAIT()
#define AWAITED(p) (*(p))
#define AWAIT_PREVIOUS()
#define BEGIN_NEXT()
#define BARRIER()        barrier(CLK_LOCAL_MEM_FENCE)
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define ATOMIC_READ(p)   atomic_add(p, 0)
#define GLOBAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define READ_ONCE(p)     (*(p))
#define READ_SHARED(p)   (*(p))
#define WRITE_ONCE(p, v) (*(p) = (v))
#define UNROLL           _Pragma("unroll")
#define ROLLED           _Pragma("unroll 1")
#define CPLX(re, im)     ((cplx)((re), (im)))
#define COARSE_LOG2(x)   native_log2(x)
#define COARSE_SQRT(x)   native_sqrt(x)
#define BITS_OF(x)       as_uint(x)
#define OF_BITS(b)       as_float(b)
#define WIDE_BITS_OF(x)  ((wide)as_long(x))
/* a's lowest byte, then b's from the highest to the second. */
#define REVERSED_BYTES(a, b) \
    as_uint((uchar4)(as_uchar4(a).s0, as_uchar4(b).s3, as_uchar4(b).s2, as_uchar4(b).s1))
#define OF_WIDE_BITS(b)  as_double(b)
#define WARP             1 /* items that run in step: not known */
#define ATOMIC_MAX(p, v) atomic_max(p, v)
#define RAISE(p, v)      ((void)atomic_max(p, v)) /* for values that seldom rise */
#ifdef __NV_CL_C_VERSION
#define FENCE() __asm__ volatile("membar.gl;" ::: "memory")
#else
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
#define FENCE_READ()          FENCE()
#define FETCH_AHEAD(to, from) (*(to) = *(from))
#define AWAIT_FETCHED()
typedef long wide; /* 64 bits */
typedef char schar;
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#elif defined(__CUDACC__)

/* Room of a multiprocessor of this architecture. */
#if __CUDA_ARCH__ == 750
#define UNIT_THREADS 1024
#define UNIT_GROUPS  16
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870
#define UNIT_THREADS 1536
#define UNIT_GROUPS  16
#elif __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1100
#define UNIT_THREADS 1536
#define UNIT_GROUPS  24
#else
#define UNIT_THREADS 2048
#define UNIT_GROUPS  32
#endif
#define LESS_OF(a, b)   ((a) < (b) ? (a) : (b))
#define ROOM_FOR(group) LESS_OF(UNIT_THREADS / (((group) + 31) / 32 * 32), UNIT_GROUPS)
/* `resident` groups are to fit a multiprocessor, which limits their registers. */
#define KERNEL(threads, resident) \
    extern "C" __global__ void __launch_bounds__(threads, LESS_OF(resident, ROOM_FOR(threads)))
#define GLOBAL
#define LOCAL
#define RESTRICT __restrict__
#define TILE_PARAMETER(type)
#define TILE_DECLARE(type) extern __shared__ __align__(16) type tile[];
#define INLINE             static __device__ __forceinline__
#define LOCAL_ID           ((int)threadIdx.x)
#define GROUP_ID           ((wide)blockIdx.x)
#define GROUPS             ((wide)gridDim.x)
/* Groups of a launch begin in numeric order: CUDA does not promise it, but all its devices do it,
 * and CUB's scan (decoupled look-back) relies on it. */
#define GROUPS_IN_ORDER    1
/* An error instead of an endless wait. */
#define GIVE_UP()          __trap()
/* The device may begin a launch's groups once all groups of the previous launch have ended or
 * called BEGIN_NEXT(). That launch's results are visible only after AWAIT(). */
#if __CUDA_ARCH__ >= 900
#define AWAIT()      asm volatile("griddepcontrol.wait;" ::: "memory")
#define BEGIN_NEXT() asm volatile("griddepcontrol.launch_dependents;" ::: "memory")
#else
#define AWAIT()
#define BEGIN_NEXT()
#endif
/* Reads a real from a buffer that the kernel does not write, never before AWAIT(). */
#define AWAITED(p) (*(const volatile real *)(p))
/* Every kernel's first statement. A pass over a range's sample waits once it knows its lines, then
 * lets the next launch begin: the pass that writes the display finds its input complete, and waits
 * for the range before it stores. */
#if SAMPLED || AWAITS_RANGE
#define AWAIT_PREVIOUS()
#else
#define AWAIT_PREVIOUS() AWAIT()
#endif
#define BARRIER()        __syncthreads()
#define ATOMIC_ADD(p, v) atomicAdd(p, v)
#define ATOMIC_READ(p)   acquired(p)
#define GLOBAL_BARRIER() __syncthreads()
#define FENCE()          fence()
#define FENCE_READ()
/* Access values used once, without caching, or written by other groups, in the second-level
 * cache. */
#define READ_ONCE(p)         __ldcs(p)
#define READ_SHARED(p)       __ldcg(p)
#define WRITE_ONCE(p, v)     __stcs(p, v)
#define ATOMIC_MAX(p, v)     atomicMax(p, v)
#define RAISE(p, v)          ((v) > *(volatile const uint *)(p) ? (void)atomicMax(p, v) : (void)0)
#define UNROLL               _Pragma("unroll")
#define ROLLED               _Pragma("unroll 1")
#define CPLX(re, im)         make_cplx(re, im)
#define COARSE_LOG2(x)       approximate_log2(x)
#define COARSE_SQRT(x)       approximate_sqrt(x)
#define BITS_OF(x)           __float_as_uint(x)
#define OF_BITS(b)           __uint_as_float(b)
#define WIDE_BITS_OF(x)      __double_as_longlong(x)
#define REVERSED_BYTES(a, b) __byte_perm(a, b, 0x5670)
#define OF_WIDE_BITS(b)      __longlong_as_double(b)
#define WARP                 32
typedef long long wide;
typedef unsigned char uchar;
typedef signed char schar;
typedef unsigned short ushort;
typedef unsigned int uint;
/* Earlier writes become visible before later writes and atomic additions. */
INLINE void fence() {
#if __CUDA_ARCH__ >= 700
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
#else
    __threadfence();
#endif
}
/* Loads a counter; values that other groups wrote before fencing and adding to it can then be
 * read. */
INLINE uint acquired(const uint *p) {
    uint v;
#if __CUDA_ARCH__ >= 700
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#else
    v = *(const volatile uint *)p;
    __threadfence();
#endif
    return v;
}
/* Copies 16 bytes from global to local memory without a register. An item sees its copies after
 * AWAIT_FETCHED(), all items after the next barrier. */
#if __CUDA_ARCH__ >= 800
#define FETCH_AHEAD(to, from) fetch_16(to, from)
#define AWAIT_FETCHED()       asm volatile("cp.async.wait_all;" ::: "memory")
INLINE void fetch_16(void *to, const void *from) {
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint)__cvta_generic_to_shared(to)),
        "l"(from)
        : "memory");
}
#else
#define FETCH_AHEAD(to, from) (*(to) = *(from))
#define AWAIT_FETCHED()
#endif
/* One instruction each; __log2f() takes more for subnormals. */
INLINE float approximate_log2(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
INLINE float approximate_sqrt(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

#elif defined(KERNEL_STUB)

#include <cmath>
#include <cstring>
using namespace std;
#define KERNEL(threads, resident) extern "C" void
#define GLOBAL
#define LOCAL
#define RESTRICT             __restrict__
#define TILE_PARAMETER(type) , type *tile
#define TILE_DECLARE(type)
#define INLINE          static inline
#define LOCAL_ID        0
#define GROUP_ID        ((wide)0)
#define GROUPS          ((wide)1)
#define GROUPS_IN_ORDER 1
#define GIVE_UP()       ((void)0)
#define AWAIT()
#define AWAITED(p) (*(p))
#define AWAIT_PREVIOUS()
#define BEGIN_NEXT()
#define BARRIER()
#define ATOMIC_ADD(p, v) ((*(p) += (v)) - (v))
#define ATOMIC_READ(p)   (*(p))
#define GLOBAL_BARRIER()
#define FENCE()
#define FENCE_READ()
#define READ_ONCE(p)          (*(p))
#define READ_SHARED(p)        (*(p))
#define WRITE_ONCE(p, v)      (*(p) = (v))
#define ATOMIC_MAX(p, v)      (*(p) = *(p) > (v) ? *(p) : (v))
#define RAISE(p, v)           ((void)ATOMIC_MAX(p, v))
#define FETCH_AHEAD(to, from) (*(to) = *(from))
#define AWAIT_FETCHED()
#define UNROLL
#define ROLLED
#define CPLX(re, im)    make_cplx(re, im)
#define COARSE_LOG2(x)  log2(x)
#define COARSE_SQRT(x)  sqrt(x)
#define BITS_OF(x)      stub_bits<uint>(x)
#define OF_BITS(b)      stub_bits<float>(b)
#define WIDE_BITS_OF(x) stub_bits<wide>(x)
#define REVERSED_BYTES(a, b) \
    (((a)&255u) | ((b) >> 16 & 0xff00u) | ((b)&0xff0000u) | ((b)&0xff00u) << 16)
#define OF_WIDE_BITS(b) stub_bits<double>(b)
#define WARP            1
typedef long long wide;
typedef unsigned char uchar;
typedef signed char schar;
typedef unsigned short ushort;
typedef unsigned int uint;
template <typename to, typename from> static inline to stub_bits(from v) {
    to bits;
    static_assert(sizeof bits == sizeof v, "a number and its bits");
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
struct float2 {
    float x, y;
};
struct double2 {
    double x, y;
};
struct uchar2 {
    uchar x, y;
};
struct ushort2 {
    ushort x, y;
};
struct char2 {
    schar x, y;
};
struct short2 {
    short x, y;
};
struct int2 {
    int x, y;
};
struct uint2 {
    uint x, y;
};
struct uint4 {
    uint x, y, z, w;
};
struct float4 {
    float x, y, z, w;
};
struct double4 {
    double x, y, z, w;
};
struct uchar4 {
    uchar x, y, z, w;
};
struct ushort4 {
    ushort x, y, z, w;
};
static inline float2 make_float2(float x, float y) {
    return {x, y};
}
static inline double2 make_double2(double x, double y) {
    return {x, y};
}

#endif

/* OpenCL's qualifier precedes the return type, CUDA's launch bounds follow it. */
#ifdef IS_OPENCL
#define VOID void
#else
#define VOID
#endif

#ifdef DOUBLE
#define LARGEST_REAL R(1.7976931348623157e308)
#define ROUNDING     R(1e-14) /* bins below this share of the largest are rounding errors */
typedef double real;
typedef double2 cplx;
#define make_cplx make_double2
#else
#define LARGEST_REAL R(3.40282346638528859812e38)
#define ROUNDING     R(1e-6)
typedef float real;
typedef float2 cplx;
#define make_cplx    make_float2
#endif
#define R(x) ((real)(x)) /* rounded once */

/* For text that serves GLSL too (kernels/gl/lang.glsl). */
#define STRUCT(name)          struct name
#define TAKE_ARGS(type)       const struct type *a = &args;
#define ARG(member)           a->member
#define GET(buffer, at)       (buffer)[at]
#define SET(buffer, at, v)    ((buffer)[at] = (v))
#define ADD_TO(buffer, at, v) ATOMIC_ADD(&(buffer)[at], v)
#define READ_SAMPLE(at)       ((real)src[at])
#define WRITE_SAMPLE(at, v)   (dst[at] = (v))
#define SAMPLE_OF(v)          ((OUT_T)(v))

/* Returns the sum over a warp's items up to this one. All of them call it. */
INLINE uint sum_of_warp(uint v) {
#if WARP > 1
    UNROLL for (int step = 1; step < WARP; step *= 2) {
        const uint other = __shfl_up_sync(~0u, v, step);
        v += LOCAL_ID % WARP >= step ? other : 0;
    }
#endif
    return v;
}

/* On 0..1; NaN becomes 0. */
#if defined(__CUDACC__) && !defined(DOUBLE)
#define SATURATED(x) __saturatef(x)
#else
INLINE real saturated(real x) {
    x = x > R(0) ? x : R(0);
    return x < R(1) ? x : R(1);
}
#define SATURATED(x) saturated(x)
#endif

#endif
