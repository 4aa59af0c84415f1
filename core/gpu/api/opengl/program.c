/* Compiles OpenGL's shaders to programs, and keeps these as binaries. */
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "core/gpu/common.h"
#include "core/gpu/api/opengl/context.h"

/* A kept program: the format of its binary, then the driver's bytes; or its zero-terminated text if
 * the driver returns no binaries. */
enum { TEXT_FORMAT = 0 };
struct image {
    uint32_t format;
    char bytes[];
};

/* Turns "-DA=1 -DB=x" into lines of #define before the source. A value that is a name becomes
 * TYPE_x, as GLSL's preprocessor compares only numbers. */
static char *text_of(const char *options, const char *source) {
    size_t room = 2 * strlen(options) + strlen(source) + 256;
    char *text = malloc(room), *copy = strdup(options), *rest = copy, *word;
    size_t used = text ? (size_t)snprintf(text, room, "#version 430 core\n") : 0;
    while (text && copy && (word = strsep(&rest, " "))) {
        char *value = strchr(word, '=');
        if (strncmp(word, "-D", 2))
            continue;
        if (value)
            *value++ = 0;
        bool name = value && ((*value >= 'a' && *value <= 'z') || (*value >= 'A' && *value <= 'Z'));
        used += (size_t)snprintf(text + used, room - used, "#define %s %s%s\n", word + 2,
                                 name ? "TYPE_" : "", value ? value : "1");
    }
    if (text && copy) {
        snprintf(text + used, room - used, "%s", source);
    } else {
        free(text);
        text = NULL;
    }
    free(copy);
    return text;
}

/* GLSL's #line takes no file name. */
static void drop_file_names(char *text) {
    for (char *at = text; (at = strstr(at, "#line "));) {
        char *quote = strchr(at, '"'), *end = strchr(at, '\n');
        if (quote && end && quote < end)
            memset(quote, ' ', (size_t)(end - quote));
        at = end ? end : at + 1;
    }
}

static int compile_failure(struct gf_opengl_context *g, uint32_t shader, uint32_t program,
                           const char *name) {
    char log[4096] = "";
    if (shader)
        g->gl->shader_log(shader, sizeof log, NULL, log);
    else
        g->gl->program_log(program, sizeof log, NULL, log);
    return gf_fail(GF_EBACKEND, "building %s for '%s': %.400s", name, g->head.props.name,
                   *log ? gf_gpu_complaint(log) : "no reason given");
}

static int compile(struct gf_opengl_context *g, const char *name, const char *text,
                   uint32_t program) {
    int32_t done = 0;
    uint32_t shader = g->gl->make_shader(GF_GL_COMPUTE_SHADER);
    g->gl->shader_source(shader, 1, &text, NULL);
    g->gl->compile(shader);
    g->gl->shader_integer(shader, GF_GL_COMPILE_STATUS, &done);
    int rc = done ? 0 : compile_failure(g, shader, 0, name);
    if (!rc) {
        g->gl->set_program_integer(program, GF_GL_RETRIEVABLE, 1);
        g->gl->attach(program, shader);
        g->gl->link(program);
        g->gl->program_integer(program, GF_GL_LINK_STATUS, &done);
        rc = done ? 0 : compile_failure(g, 0, program, name);
    }
    g->gl->drop_shader(shader);
    return rc;
}

static int take_image(struct gf_opengl_context *g, uint32_t program, const char *name,
                      const char *text, void **binary, size_t *bytes) {
    int32_t length = 0;
    g->gl->program_integer(program, GF_GL_BINARY_LENGTH, &length);
    const size_t text_bytes = strlen(text) + 1, room = length > 0 ? (size_t)length : text_bytes;
    struct image *image = malloc(sizeof *image + room);
    if (!image)
        return gf_fail(GF_ENOMEM, "no memory to build %s", name);
    *binary = image;
    *bytes = sizeof *image + room;
    if (length <= 0) {
        image->format = TEXT_FORMAT;
        memcpy(image->bytes, text, text_bytes);
        return 0;
    }
    g->gl->program_binary(program, length, &length, &image->format, image->bytes);
    *bytes = sizeof *image + (size_t)length;
    return gf_opengl_check(g, "taking a binary");
}

int gf_opengl_build(void *gpu, const char *name, const char *source, const char *options,
                    void **binary, size_t *bytes) {
    struct gf_opengl_context *g = gpu;
    char *text = text_of(options, source);
    *binary = NULL;
    *bytes = 0;
    int rc = text ? 0 : gf_fail(GF_ENOMEM, "no memory to build %s", name);
    if (!rc) {
        drop_file_names(text);
        pthread_mutex_lock(&g->building);
        rc = gf_opengl_enter(g);
        if (!rc) {
            uint32_t program = g->gl->make_program();
            rc = compile(g, name, text, program);
            if (!rc)
                rc = take_image(g, program, name, text, binary, bytes);
            g->gl->drop_program(program);
            gf_opengl_leave(g);
        }
        pthread_mutex_unlock(&g->building);
    }
    if (rc) {
        free(*binary);
        *binary = NULL;
    }
    free(text);
    return rc;
}

static int load_image(struct gf_opengl_context *g, const struct image *image, size_t bytes,
                      const char *entry, struct gf_gpu_kernel *k) {
    int32_t done = 0;
    int rc = 0;
    k->program = g->gl->make_program();
    if (image->format == TEXT_FORMAT) {
        rc = compile(g, entry, image->bytes, k->program);
    } else {
        g->gl->load_binary(k->program, image->format, image->bytes,
                           (int32_t)(bytes - sizeof *image));
        g->gl->program_integer(k->program, GF_GL_LINK_STATUS, &done);
        g->gl->error(); /* drops the error of a format that the driver no longer takes */
        if (!done)
            rc = gf_fail(GF_EBACKEND, "loading %s on '%s': the driver refuses its binary", entry,
                         g->head.props.name);
    }
    if (rc)
        g->gl->drop_program(k->program);
    return rc;
}

int gf_opengl_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                   int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    struct gf_opengl_context *g = gpu;
    *kernel = NULL;
    if (local_bytes > g->head.props.local_bytes || bytes < sizeof(struct image))
        return gf_fail(GF_EBACKEND, "%s needs %lld bytes of shared memory, '%s' has %lld", entry,
                       (long long)local_bytes, g->head.props.name,
                       (long long)g->head.props.local_bytes);
    struct gf_gpu_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return gf_no_memory();
    pthread_mutex_lock(&g->building);
    int rc = gf_opengl_enter(g);
    if (!rc) {
        rc = load_image(g, binary, bytes, entry, k);
        gf_opengl_leave(g);
    }
    pthread_mutex_unlock(&g->building);
    if (rc)
        free(k);
    else
        *kernel = k;
    return rc;
}

void gf_opengl_unload(void *gpu, struct gf_gpu_kernel *k) {
    struct gf_opengl_context *g = gpu;
    if (!k)
        return;
    if (!gf_opengl_enter(g)) {
        g->gl->drop_program(k->program);
        gf_opengl_leave(g);
    }
    free(k);
}
