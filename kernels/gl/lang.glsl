/* kernels/lang.h in GLSL, and the types of samples. Without pointers or storage of 8 or 16 bits,
 * buffers are named where they are used, and samples are unpacked from words. Offsets have 32 bits,
 * numbers are single.
 *
 * A loop's bound is a variable, never read from a buffer in the loop: Mesa 22.3's renderer on the
 * CPU would leave out the invocations that end first. */
#ifndef LANG_H
#define LANG_H

#pragma optionNV(unroll all)

/* Argument blocks are in constant memory if that allows a layout without padding. The extension
 * precedes everything but directives. */
#ifdef GL_NV_uniform_buffer_std430_layout
#extension GL_NV_uniform_buffer_std430_layout : enable
#define ARGS uniform
#else
#define ARGS readonly restrict buffer
#endif

#define INLINE
#define real         float
#define cplx         vec2
#define R(x)         float(x)
#define CPLX(re, im) vec2(re, im)
#define LOCAL_ID     int(gl_LocalInvocationID.x)
#define GROUP_ID     int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x)
#define BARRIER()    barrier() /* orders accesses to shared memory too */

/* The groups of a launch; a second dimension may add some to fill up. */
layout(location = 0) uniform int groups;

/* Values of IN_T and OUT_T. */
#define TYPE_uchar  1
#define TYPE_ushort 2
#define TYPE_float  3
#define TYPE_schar  4
#define TYPE_short  5
#define BITS_OF_TYPE(t) \
    ((t) == TYPE_float ? 32 : (t) == TYPE_ushort || (t) == TYPE_short ? 16 : 8)

#endif
