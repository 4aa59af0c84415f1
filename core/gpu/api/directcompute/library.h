/* Direct3D 11 as far as computing needs it, loaded at run time: Windows' own, or DXVK's on Linux. The
 * interfaces are declared here, after their documentation, as headers that serve both are not
 * widely packaged. An object begins with a pointer to the table of its methods, which keep their
 * places for ever; what is not called is a gap.
 *
 *     const struct gf_d3d *d3d = gf_d3d_find();
 *     if (!d3d)
 *         return GF_EABSENT; */
#ifndef GF_CORE_GPU_DIRECTCOMPUTE_LIBRARY_H
#define GF_CORE_GPU_DIRECTCOMPUTE_LIBRARY_H

#include <wchar.h>

#include "core/gpu/gpu.h"

/* Results of methods: negative ones are failures. */
enum { GF_D3D_NOT_YET = 1, GF_D3D_NO_MEMORY = (int32_t)0x8007000E };

enum {
    GF_D3D_DEFAULT = 0, /* memory: the device's, the host's to write, the host's to read */
    GF_D3D_DYNAMIC = 2,
    GF_D3D_STAGING = 3,
    GF_D3D_BIND_INPUT = 8,
    GF_D3D_BIND_ACCESS = 0x80,
    GF_D3D_HOST_WRITES = 0x10000,
    GF_D3D_HOST_READS = 0x20000,
    GF_D3D_STRUCTURED = 0x40,
    GF_D3D_MAP_READ = 1,
    GF_D3D_MAP_DISCARD = 4,
    GF_D3D_QUERY_EVENT = 0,
    GF_D3D_QUERY_TIME = 2,
    GF_D3D_QUERY_CLOCK = 3,
    GF_D3D_SOFTWARE = 2,
    GF_D3D_LEVEL_11_0 = 0xb000,
    GF_D3D_SDK = 7
};

typedef void (*gf_d3d_gap)(void);

struct gf_d3d_object {
    const struct {
        gf_d3d_gap gap0[2];
        uint32_t (*release)(void *self);
    } * calls;
};

struct gf_d3d_blob {
    const struct {
        gf_d3d_gap gap0[2];
        uint32_t (*release)(void *self);
        const void *(*data)(void *self);
        size_t (*bytes)(void *self);
    } * calls;
};

struct gf_d3d_factory {
    const struct {
        gf_d3d_gap gap0[12];
        int32_t (*adapter)(void *self, uint32_t index, void **adapter);
    } * calls;
};

struct gf_d3d_adapter_text {
    wchar_t name[128];
    uint32_t vendor, device, subsystem, revision;
    size_t dedicated, dedicated_system, shared;
    uint32_t id[2], flags;
};
struct gf_d3d_adapter {
    const struct {
        gf_d3d_gap gap0[10];
        int32_t (*describe)(void *self, struct gf_d3d_adapter_text *text);
    } * calls;
};

struct gf_d3d_buffer_kind {
    uint32_t bytes, usage, bind, host, kind, stride;
};
struct gf_d3d_query_kind {
    uint32_t query, flags;
};
struct gf_d3d_device {
    const struct {
        gf_d3d_gap gap0[3];
        int32_t (*buffer)(void *self, const struct gf_d3d_buffer_kind *kind, const void *content,
                          void **buffer);
        gf_d3d_gap gap4[3];
        int32_t (*input)(void *self, void *buffer, const void *kind, void **view);
        int32_t (*access)(void *self, void *buffer, const void *kind, void **view);
        gf_d3d_gap gap9[9];
        int32_t (*shader)(void *self, const void *code, size_t bytes, void *linkage, void **shader);
        gf_d3d_gap gap19[5];
        int32_t (*query)(void *self, const struct gf_d3d_query_kind *kind, void **query);
        gf_d3d_gap gap25[14];
        int32_t (*removed)(void *self);
    } * calls;
};

struct gf_d3d_box {
    uint32_t left, top, front, right, bottom, back;
};
struct gf_d3d_mapped {
    void *data;
    uint32_t row, plane;
};
struct gf_d3d_context {
    const struct {
        gf_d3d_gap gap0[14];
        int32_t (*map)(void *self, void *buffer, uint32_t part, uint32_t how, uint32_t flags,
                       struct gf_d3d_mapped *mapped);
        void (*unmap)(void *self, void *buffer, uint32_t part);
        gf_d3d_gap gap16[11];
        void (*begin)(void *self, void *query);
        void (*end)(void *self, void *query);
        int32_t (*result)(void *self, void *query, void *data, uint32_t bytes, uint32_t flags);
        gf_d3d_gap gap30[11];
        void (*dispatch)(void *self, uint32_t x, uint32_t y, uint32_t z);
        gf_d3d_gap gap42[4];
        void (*copy)(void *self, void *to, uint32_t to_part, uint32_t x, uint32_t y, uint32_t z,
                     void *from, uint32_t from_part, const struct gf_d3d_box *box);
        gf_d3d_gap gap47[1];
        void (*write)(void *self, void *to, uint32_t part, const struct gf_d3d_box *box,
                      const void *from, uint32_t row, uint32_t plane);
        gf_d3d_gap gap49[18];
        void (*inputs)(void *self, uint32_t first, uint32_t n, void *const *views);
        void (*accesses)(void *self, uint32_t first, uint32_t n, void *const *views,
                         const uint32_t *counts);
        void (*use)(void *self, void *shader, void *classes, uint32_t n);
        gf_d3d_gap gap70[41];
        void (*flush)(void *self);
    } * calls;
};

struct gf_d3d {
    int32_t (*create_factory)(const void *interface, void **factory);
    int32_t (*create_device)(void *adapter, int32_t kind, void *software, uint32_t flags,
                             const uint32_t *levels, uint32_t n_levels, uint32_t version,
                             void **device, uint32_t *level, void **context);
    struct gf_d3d_factory *factory;
};

/* Releases an object; takes NULL. */
static inline void gf_d3d_release(void *object) {
    if (object)
        (*(struct gf_d3d_object *)object).calls->release(object);
}

/* Loads the libraries and makes the process's one list of adapters, once; neither is ever given
 * back. NULL with gf_message(), which names the remedy. */
const struct gf_d3d *gf_d3d_find(void);

/* As gf_gpu.find. GF_EABSENT with the remedy if there is no adapter. */
int gf_d3d_adapters(const struct gf_environment *env, struct gf_gpu_props *props);

/* Loads the compiler of shaders, once: vkd3d's or Windows'. GF_EABSENT with the remedy if there is
 * none. Its name and version are valid until the process ends, "" before it is loaded. */
int gf_d3d_compiler(void);
const char *gf_d3d_compiler_version(void);
/* Compiles HLSL's entry() for shader model 5.0 to *bytes of *binary, which the caller frees.
 * GF_EBACKEND with the first error of the compiler's log; GF_EABSENT with the remedy if there is no
 * compiler. */
int gf_d3d_compile(const char *name, const char *device, const char *text, void **binary,
                   size_t *bytes);

#endif
