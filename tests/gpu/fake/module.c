/* Binaries, their functions, and launches. A binary is a shared library; PTX is text that becomes one. */
#include "tests/gpu/fake/fake.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PLAIN_SHARED = 48 << 10, MAX_DYNAMIC_SHARED = 8 };

struct function {
    char name[64];
    struct module *module;
    void (*call)(void **arguments);
    struct fake_group **group;
    const int *sizes; /* of its arguments, ends with 0 */
    int threads;      /* the most of a group */
    int shared;       /* the most bytes of a launch */
    struct function *next;
};

struct module {
    struct fake_device *device;
    void *library;
    int file;
    struct function *functions;
    struct module *next;
};
static struct module *modules;

/* ---- modules ---- */

/* The section headers are the file's end. */
static size_t image_bytes(const void *image) {
    Elf64_Ehdr head;
    memcpy(&head, image, sizeof head);
    return head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
}

/* From a file of its own, as a library that is loaded already would be found by its name. */
static int load(struct module *m, const void *image, size_t bytes) {
    char path[64];
    m->file = memfd_create("fake-kernel", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", m->file);
    if (m->file < 0 || write(m->file, image, bytes) != (ssize_t)bytes)
        return OUT_OF_MEMORY;
    m->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return m->library && dlsym(m->library, FAKE_STAMP) ? 0 : INVALID_IMAGE;
}

static int load_ptx(struct module *m, const char *text) {
    char folder[64], path[256];
    size_t bytes = 0;
    if (!fake_folder(folder))
        return OUT_OF_MEMORY;
    int code = fake_compile(folder, text, path) ? INVALID_PTX : 0;
    char *image = code ? NULL : fake_read(folder, "k.so", &bytes);
    if (!code)
        code = image ? load(m, image, bytes) : INVALID_PTX;
    free(image);
    fake_folder_drop(folder);
    return code;
}

static void drop(struct module *m) {
    struct module **at = &modules;
    while (*at && *at != m)
        at = &(*at)->next;
    if (*at)
        *at = m->next;
    for (struct function *f = m->functions, *next; f; f = next) {
        next = f->next;
        free(f);
    }
    if (m->library)
        dlclose(m->library);
    if (m->file >= 0)
        close(m->file);
    free(m);
}

int cuModuleLoadData(void **module, const void *image) {
    int code = fake_enter(__func__);
    if (code)
        return fake_end(code);
    struct module *m = calloc(1, sizeof *m);
    m->device = fake_current();
    m->file = -1;
    if (!memcmp(image, ELFMAG, SELFMAG))
        code = load(m, image, image_bytes(image));
    else
        code = strncmp(image, FAKE_PTX, strlen(FAKE_PTX)) ? INVALID_IMAGE : load_ptx(m, image);
    if (code) {
        drop(m);
        return fake_end(code);
    }
    m->next = modules;
    *module = modules = m;
    return fake_end(0);
}

static struct module *find_module(const void *handle) {
    struct module *m = modules;
    while (m && m != handle)
        m = m->next;
    return m && m->device == fake_current() ? m : NULL;
}

int cuModuleUnload(void *module) {
    const int code = fake_enter(__func__);
    struct module *m = code ? NULL : find_module(module);
    if (!m)
        return fake_end(code ? code : INVALID_HANDLE);
    fake_finish(m->device);
    drop(m);
    return fake_end(0);
}

void fake_modules_drop(struct fake_device *device) {
    int left = 0;
    for (struct module *m = modules, *next; m; m = next) {
        next = m->next;
        if (m->device != device)
            continue;
        left++;
        drop(m);
    }
    if (left && !device->failed)
        fake_note("left: %d modules", left);
}

/* ---- functions ---- */

static void *symbol(const struct module *m, const char *prefix, const char *name) {
    char text[128];
    snprintf(text, sizeof text, "%s%s", prefix, name);
    return dlsym(m->library, text);
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
    const int code = fake_enter(__func__);
    struct module *m = code ? NULL : find_module(module);
    if (!m)
        return fake_end(code ? code : INVALID_HANDLE);
    void *call = symbol(m, "fake_call_", name);
    if (!call)
        return fake_end(NOT_FOUND);
    struct function *f = calloc(1, sizeof *f);
    *f = (struct function){.module = m,
                           .group = dlsym(m->library, "fake_group"),
                           .sizes = symbol(m, "fake_sizes_", name),
                           .threads = *(const int *)symbol(m, "fake_threads_", name),
                           .shared = PLAIN_SHARED,
                           .next = m->functions};
    snprintf(f->name, sizeof f->name, "%s", name);
    memcpy(&f->call, &call, sizeof call);
    *function = m->functions = f;
    return fake_end(0);
}

static struct function *find_function(const void *handle) {
    for (struct module *m = modules; m; m = m->next)
        for (struct function *f = m->functions; f; f = f->next)
            if (f == handle)
                return m->device == fake_current() ? f : NULL;
    return NULL;
}

int cuFuncSetAttribute(void *function, int which, int value) {
    enum { MOST_SHARED = 97 };
    const int code = fake_enter(__func__);
    struct function *f = code ? NULL : find_function(function);
    if (!f)
        return fake_end(code ? code : INVALID_HANDLE);
    if (which != MAX_DYNAMIC_SHARED || value < 0 || value > fake_attribute(MOST_SHARED))
        return fake_end(INVALID_VALUE);
    f->shared = value;
    return fake_end(0);
}

/* ---- launches ---- */

static int run_launch(void *data) {
    return fake_run_groups(data);
}

static bool fits(const struct fake_dim *d, int first_attribute) {
    const unsigned n[3] = {d->x, d->y, d->z};
    for (int i = 0; i < 3; i++)
        if (!n[i] || n[i] > (unsigned)fake_attribute(first_attribute + i))
            return false;
    return true;
}

/* The arguments are copied now, each to a multiple of 16 bytes. */
static int launch(void *handle, const struct fake_launch *l, void *stream, void **arguments) {
    enum { BLOCK_X = 2, GRID_X = 5, ALIGNED = 16 };
    const struct function *f = find_function(handle);
    struct fake_stream *s = fake_stream(stream);
    if (!f || !s)
        return INVALID_HANDLE;
    if (!fits(&l->groups, GRID_X) || !fits(&l->items, BLOCK_X) ||
        l->items.x * l->items.y * l->items.z > (unsigned)f->threads ||
        l->shared_bytes > (unsigned)f->shared)
        return INVALID_VALUE;
    fake_note_command(s, "%s, groups %u %u %u of %u %u %u items, %u bytes shared", f->name,
                      l->groups.x, l->groups.y, l->groups.z, l->items.x, l->items.y, l->items.z,
                      l->shared_bytes);
    size_t n = 0, bytes = 0;
    for (; f->sizes[n]; n++)
        bytes += ((size_t)f->sizes[n] + ALIGNED - 1) / ALIGNED * ALIGNED;
    const size_t head = (sizeof *l + n * sizeof *arguments + ALIGNED - 1) / ALIGNED * ALIGNED;
    struct fake_launch *kept = malloc(head + bytes);
    char *at = (char *)kept + head;
    *kept = *l;
    kept->call = f->call;
    kept->group = f->group;
    kept->arguments = (void **)(kept + 1);
    for (size_t i = 0; i < n; i++) {
        kept->arguments[i] = at;
        memcpy(at, arguments[i], (size_t)f->sizes[i]);
        at += ((size_t)f->sizes[i] + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    return fake_enqueue(s, run_launch, kept);
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **arguments, void **extra) {
    const int code = fake_enter(__func__);
    const struct fake_launch l = {.groups = {grid_x, grid_y, grid_z},
                                  .items = {block_x, block_y, block_z},
                                  .shared_bytes = shared_bytes};
    return fake_end(code ? code : extra ? INVALID_VALUE : launch(function, &l, stream, arguments));
}

/* CUlaunchConfig and CUlaunchAttribute. */
struct attribute {
    int which, pad, value[16];
};
struct config {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    const struct attribute *attributes;
    unsigned n_attributes;
};

int cuLaunchKernelEx(const struct config *c, void *function, void **arguments, void **extra) {
    enum { PROGRAMMATIC_SERIALIZATION = 6, CAPABILITY_MAJOR = 75, HOPPER = 9 };
    int code = fake_enter(__func__);
    const struct fake_launch l = {.groups = {c->grid[0], c->grid[1], c->grid[2]},
                                  .items = {c->block[0], c->block[1], c->block[2]},
                                  .shared_bytes = c->shared_bytes};
    for (unsigned i = 0; i < c->n_attributes && !code; i++)
        if (c->attributes[i].which != PROGRAMMATIC_SERIALIZATION ||
            fake_attribute(CAPABILITY_MAJOR) < HOPPER)
            code = NOT_SUPPORTED;
    return fake_end(code    ? code
                    : extra ? INVALID_VALUE
                            : launch(function, &l, c->stream, arguments));
}
