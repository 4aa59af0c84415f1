/* The part of kernels/gl/lang.glsl that is GLSL's. */

#pragma optionNV(unroll all)

/* Argument blocks are in constant memory if that allows a layout without padding. The extension
 * precedes everything but directives. */
#ifdef VULKAN
#extension GL_EXT_scalar_block_layout : require
#define ARGS uniform
#elif defined GL_NV_uniform_buffer_std430_layout
#extension GL_NV_uniform_buffer_std430_layout : enable
#define ARGS uniform
#else
#define ARGS readonly restrict buffer
#endif

#define PRIVATE /* an invocation's own variable at file scope */
#define UNROLL
#define cplx      vec2
#define LOCAL_ID  int(gl_LocalInvocationID.x)
#define GROUP_ID  int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x)
#define BARRIER() barrier() /* orders accesses to shared memory too */
/* Returns from groups that a launch's second dimension adds. */
#define AWAIT_PREVIOUS() \
    if (GROUP_ID >= groups) \
    return

#define KERNEL(threads, resident) layout(local_size_x = threads) in;
#define BUFFER(at, storage, block, type, name) \
    layout(std430, binding = at) storage block { \
        type name[]; \
    };
#define BUFFER_OR(at, storage, block, type, name, other) BUFFER(at, storage, block, type, name)
#define ARGS_ARE(type) \
    layout(std430, binding = 6) ARGS args_block { \
        type args; \
    };
#define GET(buffer, at)       buffer[at]
#define SET(buffer, at, v)    buffer[at] = v
#define ADD_TO(buffer, at, v) atomicAdd(buffer[at], v)
#define AND_TO(buffer, at, v) atomicAnd(buffer[at], v)
#define OR_TO(buffer, at, v)  atomicOr(buffer[at], v)

/* The groups of a launch; a second dimension may add some to fill up. */
#ifdef VULKAN
layout(push_constant) uniform launch_block {
    int groups;
};
#else
layout(location = 0) uniform int groups;
#endif
