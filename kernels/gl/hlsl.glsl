/* The part of kernels/gl/lang.glsl that is HLSL's, of shader model 5.0. */
#include "codes.h"

/* GLSL's names, and names of its texts that HLSL reserves or has as functions of its own. */
#define vec2                  float2
#define uvec4                 uint4
#define shared                groupshared
#define floatBitsToUint(x)    asuint(x)
#define uintBitsToFloat(x)    asfloat(x)
#define atomicAdd(x, v)       InterlockedAdd(x, v)
#define atomicOr(x, v)        InterlockedOr(x, v)
#define line                  line_
#define point                 point_
#define mul(a, b)             product_of(a, b)
#define atan2(y, x)           angle_of(y, x)
#define isinf(x)              (abs(x) > 3.40282346638528859812e38)

#define PRIVATE   static
#define UNROLL    [unroll]
#define cplx      float2
#define LOCAL_ID  item
#define GROUP_ID  group

/* All buffers are structured ones of words, which may be accessed by atomics and bound wherever
 * they are needed: a buffer has one stride for life. Each has its own functions, as the compiler of
 * vkd3d 2.1 loses writes to a parameter that is a buffer; a loop in them would take it seconds. A
 * buffer can be bound once: one that may be the same as another names that, and takes its place if
 * `same` is set. */
#define BUFFER(at, storage, block, type, name) BUFFER_OF(at, type, name, false, name)
#define BUFFER_OR(at, storage, block, type, name, other) BUFFER_OF(at, type, name, same, other)
#define BUFFER_OF(at, type, name, is_other, other) \
    RWStructuredBuffer<uint> name##_words : register(u##at); \
    type get_##name(int i) { \
        if (is_other) \
            return get_##type(other##_words, i); \
        return get_##type(name##_words, i); \
    } \
    void set_##name(int i, type v) { \
        if (is_other) { \
            other##_words[words_of_##type * i] = word_of(v, 0); \
            if (words_of_##type > 1) \
                other##_words[words_of_##type * i + 1] = word_of(v, 1); \
        } else { \
            name##_words[words_of_##type * i] = word_of(v, 0); \
            if (words_of_##type > 1) \
                name##_words[words_of_##type * i + 1] = word_of(v, 1); \
        } \
    }
#define GET(buffer, at)       get_##buffer(at)
#define SET(buffer, at, v)    set_##buffer(at, v)
#define ADD_TO(buffer, at, v) InterlockedAdd(buffer##_words[at], v)
#define AND_TO(buffer, at, v) InterlockedAnd(buffer##_words[at], v)
#define OR_TO(buffer, at, v)  InterlockedOr(buffer##_words[at], v)

static const int words_of_uint = 1, words_of_int = 1, words_of_float = 1, words_of_float2 = 2;

uint get_uint(RWStructuredBuffer<uint> words, int i) {
    return words[i];
}
int get_int(RWStructuredBuffer<uint> words, int i) {
    return int(words[i]);
}
float get_float(RWStructuredBuffer<uint> words, int i) {
    return asfloat(words[i]);
}
float2 get_float2(RWStructuredBuffer<uint> words, int i) {
    return asfloat(uint2(words[2 * i], words[2 * i + 1]));
}
uint word_of(uint v, int k) {
    return v;
}
uint word_of(float v, int k) {
    return asuint(v);
}
uint word_of(float2 v, int k) {
    return asuint(k == 0 ? v.x : v.y);
}

/* vkd3d 2.1 takes a constant's value from what its terms are before entry(). */
#define const

/* A launch's numbers, read from a structured buffer, as constant buffers pad arrays. */
#define KERNEL(threads, resident)
#define ARGS_ARE(type) \
    struct launch_block { \
        type block; \
        int groups, across, same; \
    }; \
    StructuredBuffer<launch_block> launch : register(t0); \
    LAUNCHED
#define args launch[0].block

static int item, group, groups;
static bool same;

/* Functions, as vkd3d's preprocessor takes no macro without parameters. entry() leaves out the
 * groups that a launch's second dimension adds. */
void BARRIER() {
    GroupMemoryBarrierWithGroupSync();
}
void AWAIT_PREVIOUS() {
}

void main();

#ifdef THREADS
#define ITEMS THREADS
#else
#define ITEMS GROUP
#endif
#define LAUNCHED \
    [numthreads(ITEMS, 1, 1)] void entry(uint3 at : SV_GroupID, uint i : SV_GroupIndex) { \
        item = int(i); \
        group = int(at.y) * launch[0].across + int(at.x); \
        groups = launch[0].groups; \
        same = launch[0].same != 0; \
        if (group < groups) \
            main(); \
    }
