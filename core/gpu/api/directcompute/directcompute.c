/* GPUs through Direct3D 11's compute shaders: those of kernels/gl as HLSL. The driver waits for what
 * a command needs and keeps what it uses, so a buffer may be given back at any time. Several threads
 * may make shaders at once; all else goes through the one immediate context. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/gpu/api/directcompute/library.h"
#include "core/gpu/api/shaders.h"
#include "core/gpu/common.h"

enum { SOME_UNITS = 32, STAGE = 4 << 20, AT_END = GF_GPU_MARKS, WORD = 4 };

struct gf_gpu_kernel {
    void *shader;
    void *args, *view; /* a launch's numbers, made by the first launch */
    uint32_t args_bytes;
};

/* Device memory. gf_gpu_buffer.handle points to one. */
struct memory {
    void *buffer, *view;
};

struct context {
    struct gf_gpu_device head;
    struct gf_d3d_device *device;
    struct gf_d3d_context *context;
    void *stage;                  /* for downloads */
    void *mark[GF_GPU_MARKS + 1]; /* events, made when they are first set; the last one: sync */
    bool marked[GF_GPU_MARKS + 1];
    void *time[2], *clock; /* of marks 0 and 1, and whether the clock was steady */
    int64_t unsent;        /* bytes that launches not yet sent may touch */
};

/* Turns Direct3D's code into a status. */
static int d3d_failure(struct context *g, int32_t code, const char *what) {
    char text[48];
    const int32_t removed = g->device ? g->device->calls->removed(g->device) : 0;
    if (removed < 0)
        g->head.lost = true;
    snprintf(text, sizeof text, removed < 0 ? "the device was lost, error 0x%x" : "error 0x%x",
             (unsigned)(removed < 0 ? removed : code));
    return gf_gpu_failure(&g->head, code == GF_D3D_NO_MEMORY, what, text);
}

/* ---- devices ---- */

static bool directcompute_installed(void) {
    return gf_d3d_find();
}

static void directcompute_close(void *gpu) {
    struct context *g = gpu;
    if (!g)
        return;
    for (int i = 0; i <= GF_GPU_MARKS; i++)
        gf_d3d_release(g->mark[i]);
    gf_d3d_release(g->time[0]);
    gf_d3d_release(g->time[1]);
    gf_d3d_release(g->clock);
    gf_d3d_release(g->stage);
    gf_d3d_release(g->context);
    gf_d3d_release(g->device);
    free(g);
}

static int32_t make_query(struct context *g, uint32_t kind, void **query) {
    return g->device->calls->query(g->device, &(struct gf_d3d_query_kind){kind, 0}, query);
}

static int32_t open_device(struct context *g) {
    static const uint32_t level = GF_D3D_LEVEL_11_0;
    static const struct gf_d3d_buffer_kind stage = {
        .bytes = STAGE, .usage = GF_D3D_STAGING, .host = GF_D3D_HOST_READS};
    uint32_t got;
    int32_t rc =
        gf_d3d_find()->create_device((void *)(uintptr_t)g->head.props.handle, 0, NULL, 0, &level, 1,
                                     GF_D3D_SDK, (void **)&g->device, &got, (void **)&g->context);
    if (rc >= 0)
        rc = g->device->calls->buffer(g->device, &stage, NULL, &g->stage);
    for (int i = 0; rc >= 0 && i < 2; i++)
        rc = make_query(g, GF_D3D_QUERY_TIME, &g->time[i]);
    return rc >= 0 ? make_query(g, GF_D3D_QUERY_CLOCK, &g->clock) : rc;
}

static int directcompute_open(struct gf_gpu_props *props, void **gpu) {
    struct context *g = calloc(1, sizeof *g);
    if (!g)
        return gf_no_memory();
    g->head.api = &gf_gpu_directcompute;
    g->head.props = *props;
    const int32_t code = open_device(g);
    if (code < 0) {
        int rc = d3d_failure(g, code, "opening a device");
        directcompute_close(g);
        return rc;
    }
    if (!props->units) /* planning weighs how many groups run at the same time */
        props->units = props->is_cpu ? 1 : SOME_UNITS;
    *gpu = g;
    return 0;
}

/* ---- memory ---- */

static struct memory *memory_of(uint64_t handle) {
    return (struct memory *)(uintptr_t)handle;
}

static void directcompute_give(void *gpu, uint64_t handle) {
    struct memory *m = memory_of(handle);
    (void)gpu;
    gf_d3d_release(m->view);
    gf_d3d_release(m->buffer);
    free(m);
}

static int directcompute_take(void *gpu, int64_t bytes, uint64_t *handle) {
    struct context *g = gpu;
    /* Whole words, of which shaders read samples of 8 and 16 bits. */
    const struct gf_d3d_buffer_kind kind = {.bytes = (uint32_t)((bytes + 15) / 16 * 16),
                                            .usage = GF_D3D_DEFAULT,
                                            .bind = GF_D3D_BIND_ACCESS,
                                            .kind = GF_D3D_STRUCTURED,
                                            .stride = WORD};
    struct memory *m = calloc(1, sizeof *m);
    *handle = (uint64_t)(uintptr_t)m;
    if (!m)
        return gf_no_memory();
    int32_t code = g->device->calls->buffer(g->device, &kind, NULL, &m->buffer);
    if (code >= 0)
        code = g->device->calls->access(g->device, m->buffer, NULL, &m->view);
    if (code >= 0)
        return 0;
    directcompute_give(g, *handle);
    return code == GF_D3D_NO_MEMORY ? gf_gpu_no_room(gpu, bytes)
                                    : d3d_failure(g, code, "taking memory");
}

static int64_t directcompute_free_bytes(void *gpu) {
    const struct context *g = gpu;
    return g->head.props.is_cpu ? gf_memory_available() : g->head.props.memory;
}

/* ---- copies ---- */

static struct gf_d3d_box range(int64_t from, int64_t bytes) {
    return (struct gf_d3d_box){(uint32_t)from, 0, 0, (uint32_t)(from + bytes), 1, 1};
}

static void upload(struct context *g, const struct gf_gpu_buffer *to, int64_t offset,
                   const char *from, int64_t bytes) {
    const struct gf_d3d_box box = range(offset, bytes);
    g->context->calls->write(g->context, memory_of(to->handle)->buffer, 0, &box, from, 0, 0);
}

static int directcompute_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset,
                              int64_t bytes) {
    enum { PIECE = 64 << 10 };
    static const char zeros[PIECE];
    struct context *g = gpu;
    int rc = gf_shaders_clear(&g->head, to, offset, bytes);
    for (int64_t done = 0; done < bytes && !rc; done += PIECE)
        upload(g, to, offset + done, zeros, gf_min(bytes - done, PIECE));
    return rc;
}

/* Waits for the bytes, piece by piece. */
static int download(struct context *g, const struct gf_gpu_move *m) {
    void *from = memory_of(m->from.buffer->handle)->buffer;
    struct gf_d3d_mapped mapped;
    for (int64_t done = 0, bytes; done < m->bytes; done += bytes) {
        bytes = gf_min(m->bytes - done, STAGE);
        const struct gf_d3d_box box = range(m->from.offset + done, bytes);
        g->context->calls->copy(g->context, g->stage, 0, 0, 0, 0, from, 0, &box);
        const int32_t code =
            g->context->calls->map(g->context, g->stage, 0, GF_D3D_MAP_READ, 0, &mapped);
        if (code < 0)
            return d3d_failure(g, code, m->what);
        memcpy(m->to.host + done, mapped.data, (size_t)bytes);
        g->context->calls->unmap(g->context, g->stage, 0);
    }
    g->unsent = 0;
    return 0;
}

/* Copies one row: gf_gpu_rows() refuses more. */
static int directcompute_move(void *gpu, const struct gf_gpu_move *m) {
    struct context *g = gpu;
    const struct gf_gpu_end *from = &m->from, *to = &m->to;
    if (to->host)
        return download(g, m);
    if (from->host) {
        for (int64_t done = 0; done < m->bytes; done += STAGE)
            upload(g, to->buffer, to->offset + done, from->host + done,
                   gf_min(m->bytes - done, STAGE));
        return 0;
    }
    const struct gf_d3d_box box = range(from->offset, m->bytes);
    g->context->calls->copy(g->context, memory_of(to->buffer->handle)->buffer, 0,
                            (uint32_t)to->offset, 0, 0, memory_of(from->buffer->handle)->buffer, 0,
                            &box);
    return 0;
}

/* ---- programs ---- */

static int directcompute_build(void *gpu, const char *name, const char *source, const char *options,
                               void **binary, size_t *bytes) {
    struct context *g = gpu;
    char *text = gf_shaders_text(GF_SHADERS_HLSL, options, source);
    *binary = NULL;
    int rc = text ? gf_d3d_compile(name, g->head.props.name, text, binary, bytes)
                  : gf_fail(GF_ENOMEM, "no memory to build %s", name);
    free(text);
    return rc;
}

/* A container: its name, a checksum, a version, and its length in bytes. */
static bool is_whole(const void *binary, size_t bytes) {
    enum { LENGTH_AT = 24, HEAD = 32 };
    uint32_t length = 0;
    if (bytes >= HEAD)
        memcpy(&length, (const char *)binary + LENGTH_AT, sizeof length);
    return length == bytes && !memcmp(binary, "DXBC", 4);
}

static int directcompute_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                              int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    struct context *g = gpu;
    const int rc = gf_shaders_fit(&g->head, entry, local_bytes, is_whole(binary, bytes));
    *kernel = NULL;
    if (rc)
        return rc;
    struct gf_gpu_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return gf_no_memory();
    const int32_t code = g->device->calls->shader(g->device, binary, bytes, NULL, &k->shader);
    if (code < 0) {
        free(k);
        return d3d_failure(g, code, "loading a kernel");
    }
    *kernel = k;
    return 0;
}

static void directcompute_unload(void *gpu, struct gf_gpu_kernel *k) {
    (void)gpu;
    if (!k)
        return;
    gf_d3d_release(k->view);
    gf_d3d_release(k->args);
    gf_d3d_release(k->shader);
    free(k);
}

/* ---- launches ---- */

/* Makes the kernel's block of arguments. */
static int32_t make_args(struct context *g, struct gf_gpu_kernel *k, uint32_t bytes) {
    const struct gf_d3d_buffer_kind kind = {.bytes = bytes,
                                            .usage = GF_D3D_DYNAMIC,
                                            .bind = GF_D3D_BIND_INPUT,
                                            .host = GF_D3D_HOST_WRITES,
                                            .kind = GF_D3D_STRUCTURED,
                                            .stride = bytes};
    k->args_bytes = bytes;
    const int32_t code = g->device->calls->buffer(g->device, &kind, NULL, &k->args);
    return code < 0 ? code : g->device->calls->input(g->device, k->args, NULL, &k->view);
}

/* Writes the arguments, then the launch's shape: launch_block of kernels/gl/hlsl.glsl. The driver
 * gives each launch new memory. */
static int put_args(struct context *g, struct gf_gpu_kernel *k, const struct gf_shader_launch *made,
                    bool same) {
    const int32_t shape[] = {made->groups, (int32_t)made->across, same};
    const uint32_t bytes = (uint32_t)(made->bytes + sizeof shape);
    struct gf_d3d_mapped mapped;
    int32_t code = k->args ? 0 : make_args(g, k, bytes);
    if (code >= 0 && bytes != k->args_bytes)
        return gf_fail(GF_EBACKEND, "a kernel's arguments have one size");
    if (code >= 0)
        code = g->context->calls->map(g->context, k->args, 0, GF_D3D_MAP_DISCARD, 0, &mapped);
    if (code < 0)
        return d3d_failure(g, code, "a launch");
    memcpy(mapped.data, made->args, made->bytes);
    memcpy((char *)mapped.data + made->bytes, shape, sizeof shape);
    g->context->calls->unmap(g->context, k->args, 0);
    return 0;
}

/* Fills the slots of views. A view is in one slot only: the next one shares it. Returns whether
 * there is such a pair, which the kernel knows by BUFFER_OR. */
static bool put_views(struct context *g, const struct gf_gpu_launch *l, void **views) {
    bool same = false;
    for (int i = 0; i < l->n_buffers; i++) {
        views[i] = l->buffer[i] ? memory_of(l->buffer[i]->handle)->view : NULL;
        g->unsent += l->buffer[i] ? l->buffer[i]->bytes : 0;
        if (i && views[i] && views[i] == views[i - 1]) {
            views[i] = NULL;
            same = true;
        }
    }
    return same;
}

/* Windows resets a device that is busy for 2 seconds with what was sent at once, so launches that
 * may touch much are sent one by one. */
static int directcompute_launch(void *gpu, const struct gf_gpu_launch *l) {
    enum { SENT_ALONE = 64 << 20 };
    struct context *g = gpu;
    void *views[GF_SHADERS_ARGS_AT] = {NULL};
    struct gf_shader_launch made;
    int rc = gf_shaders_launch(&g->head, l, &made);
    if (!rc)
        rc = put_args(g, l->kernel, &made, put_views(g, l, views));
    if (rc)
        return rc;
    g->context->calls->use(g->context, l->kernel->shader, NULL, 0);
    g->context->calls->inputs(g->context, 0, 1, &l->kernel->view);
    g->context->calls->accesses(g->context, 0, GF_SHADERS_ARGS_AT, views, NULL);
    g->context->calls->dispatch(g->context, made.across, made.down, 1);
    if (g->unsent > SENT_ALONE) {
        g->context->calls->flush(g->context);
        g->unsent = 0;
    }
    return 0;
}

static int directcompute_mark(void *gpu, int which) {
    struct context *g = gpu;
    int32_t code = g->mark[which] ? 0 : make_query(g, GF_D3D_QUERY_EVENT, &g->mark[which]);
    if (code < 0)
        return d3d_failure(g, code, "marking a queue");
    if (which == 0)
        g->context->calls->begin(g->context, g->clock);
    if (which < 2)
        g->context->calls->end(g->context, g->time[which]);
    if (which == 1)
        g->context->calls->end(g->context, g->clock);
    g->context->calls->end(g->context, g->mark[which]);
    g->context->calls->flush(g->context);
    g->marked[which] = true;
    g->unsent = 0;
    return 0;
}

/* Waits for a query's result; Direct3D 11.0 can only be asked again and again. */
static int await(struct context *g, void *query, void *data, uint32_t bytes) {
    static const struct timespec pause = {0, 20000};
    int32_t code;
    while ((code = g->context->calls->result(g->context, query, data, bytes, 0)) == GF_D3D_NOT_YET)
        nanosleep(&pause, NULL);
    return code < 0 ? d3d_failure(g, code, "waiting for the device") : 0;
}

static int directcompute_reach(void *gpu, int which) {
    struct context *g = gpu;
    return g->marked[which] ? await(g, g->mark[which], NULL, 0) : 0;
}

static int directcompute_sync(void *gpu) {
    struct context *g = gpu;
    int rc = directcompute_mark(g, AT_END);
    if (!rc)
        rc = directcompute_reach(g, AT_END);
    if (!rc && g->device->calls->removed(g->device) < 0)
        rc = d3d_failure(g, 0, "a kernel");
    return rc;
}

static int directcompute_elapsed(void *gpu, double *seconds) {
    struct context *g = gpu;
    struct {
        uint64_t frequency;
        int32_t changed;
    } clock = {0, 0};
    uint64_t at[2] = {0, 0};
    *seconds = 0;
    if (!g->marked[0] || !g->marked[1])
        return gf_fail(GF_EBACKEND, "the device has no two marks to measure between");
    int rc = await(g, g->clock, &clock, sizeof clock);
    for (int i = 0; i < 2 && !rc; i++)
        rc = await(g, g->time[i], &at[i], sizeof at[i]);
    if (!rc && (clock.changed || !clock.frequency))
        rc = gf_fail(GF_EBACKEND, "the clock of '%s' was not steady", g->head.props.name);
    if (!rc)
        *seconds = (double)(int64_t)(at[1] - at[0]) / (double)clock.frequency;
    return rc;
}

const struct gf_gpu gf_gpu_directcompute = {
    .name = "directcompute",
    .suffix = ".comp",
    .whole = true,
    .check = gf_shaders_check,
    .installed = directcompute_installed,
    .find = gf_d3d_adapters,
    .open = directcompute_open,
    .close = directcompute_close,
    GF_GPU_COMMON(directcompute),
    .pin = gf_gpu_pin_none,
    .unpin = gf_gpu_unpin_none,
    .build = directcompute_build,
    .load = directcompute_load,
    .unload = directcompute_unload,
    .launch = directcompute_launch,
    .sync = directcompute_sync,
    .mark = directcompute_mark,
    .reach = directcompute_reach,
    .elapsed = directcompute_elapsed,
};
