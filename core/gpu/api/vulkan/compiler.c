/* Compiles shaders by shaderc, which is loaded when the first one is not in the cache. Its
 * functions are declared after its manual. */
#include <stdlib.h>
#include <string.h>

#include "core/base/host/dl.h"
#include "core/gpu/api/vulkan/library.h"
#include "core/gpu/api/shaders.h"

enum { TARGET_VULKAN = 0, KIND_COMPUTE = 2, LEVEL_PERFORMANCE = 2, COMPILED = 0 };

struct shaderc {
    void *(*compiler)(void);
    void (*drop_compiler)(void *compiler);
    void *(*options)(void);
    void (*drop_options)(void *options);
    void (*set_target)(void *options, int target, uint32_t version);
    void (*set_level)(void *options, int level);
    void *(*compile)(const void *compiler, const char *text, size_t bytes, int kind,
                     const char *name, const char *entry, const void *options);
    int (*status)(const void *result);
    const char *(*message)(const void *result);
    size_t (*length)(const void *result);
    const char *(*bytes)(const void *result);
    void (*drop_result)(void *result);
};

#define SYMBOL(field, name) \
    { "shaderc_" name, offsetof(struct shaderc, field) }
static const struct gf_dl_symbol symbols[] = {
    SYMBOL(compiler, "compiler_initialize"),
    SYMBOL(drop_compiler, "compiler_release"),
    SYMBOL(options, "compile_options_initialize"),
    SYMBOL(drop_options, "compile_options_release"),
    SYMBOL(set_target, "compile_options_set_target_env"),
    SYMBOL(set_level, "compile_options_set_optimization_level"),
    SYMBOL(compile, "compile_into_spv"),
    SYMBOL(status, "result_get_compilation_status"),
    SYMBOL(message, "result_get_error_message"),
    SYMBOL(length, "result_get_length"),
    SYMBOL(bytes, "result_get_bytes"),
    SYMBOL(drop_result, "result_release"),
    {NULL, 0},
};

static struct shaderc shaderc;

int gf_vulkan_compiler(void) {
    static struct gf_dl_library library = GF_DL_LIBRARY(
        symbols, &shaderc, GF_EABSENT,
        GF_HERE("Vulkan's shaders need a libshaderc.so.1 that loads; apt install libshaderc1, "
                "and see the README for Debian 12",
                "Vulkan's shaders need a shaderc_shared.dll"),
        "libshaderc.so.1", "libshaderc_shared.so.1", NULL);
    return gf_dl_load(&library);
}

static int take(const void *result, const char *name, const char *device, size_t head, void **image,
                size_t *bytes) {
    if (result && shaderc.status(result) != COMPILED)
        return gf_shaders_refused(name, device, shaderc.message(result));
    *bytes = result ? shaderc.length(result) : 0;
    *image = result ? malloc(head + *bytes) : NULL;
    if (!*image)
        return gf_fail(GF_ENOMEM, "no memory to build %s", name);
    memcpy((char *)*image + head, shaderc.bytes(result), *bytes);
    return 0;
}

int gf_vulkan_compile(const char *name, const char *device, const char *text, size_t head,
                      void **image, size_t *bytes) {
    int rc = gf_vulkan_compiler();
    if (rc)
        return rc;
    void *compiler = shaderc.compiler(), *options = shaderc.options(), *result = NULL;
    if (compiler && options) {
        shaderc.set_target(options, TARGET_VULKAN, VK_API_VERSION_1_2);
        shaderc.set_level(options, LEVEL_PERFORMANCE);
        result = shaderc.compile(compiler, text, strlen(text), KIND_COMPUTE, name, "main", options);
    }
    rc = take(result, name, device, head, image, bytes);
    if (result)
        shaderc.drop_result(result);
    if (options)
        shaderc.drop_options(options);
    if (compiler)
        shaderc.drop_compiler(compiler);
    return rc;
}
