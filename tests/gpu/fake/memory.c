/* Device memory, locked host memory, and copies. An address is that of host memory. */
#include "tests/gpu/fake/fake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GRANULE = 256, PAGE = 4096 };

static struct fake_region *regions;

/* ---- regions ---- */

struct fake_region *fake_region(const void *address, size_t bytes) {
    const char *at = address;
    for (struct fake_region *r = regions; r; r = r->next)
        if (at >= r->address && at < r->address + r->bytes &&
            bytes <= (size_t)(r->address + r->bytes - at))
            return r;
    return NULL;
}

static struct fake_region *add(struct fake_region from) {
    struct fake_region *r = malloc(sizeof *r);
    *r = from;
    r->next = regions;
    return regions = r;
}

static void drop(struct fake_region *r) {
    struct fake_region **at = &regions;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    if (r->kind == FAKE_ON_DEVICE)
        r->device->used -= r->bytes;
    if (r->mapping)
        munmap(r->mapping, r->mapped);
    free(r);
}

char *fake_map(size_t bytes, char **mapping, size_t *mapped) {
    const size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
    char *at = mmap(NULL, pages + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    mprotect(at + pages, PAGE, PROT_NONE);
    *mapping = at;
    *mapped = pages + PAGE;
    at += pages - bytes;
    memset(at, 0xff, bytes);
    return at;
}

int fake_take(struct fake_device *device, size_t bytes, uint64_t *address) {
    struct fake_region r = {.kind = FAKE_ON_DEVICE, .device = device};
    const size_t all = fake_memory(device->number);
    r.bytes = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    if (!bytes)
        return INVALID_VALUE;
    if (r.bytes < bytes || r.bytes > all - device->used ||
        !(r.address = fake_map(r.bytes, &r.mapping, &r.mapped)))
        return OUT_OF_MEMORY;
    device->used += r.bytes;
    *address = (uint64_t)(uintptr_t)add(r)->address;
    return 0;
}

int fake_give_back(uint64_t address) {
    struct fake_region *r = fake_region((const void *)(uintptr_t)address, 1);
    if (!r || r->kind != FAKE_ON_DEVICE || r->address != (const char *)(uintptr_t)address)
        return INVALID_VALUE;
    fake_finish(r->device);
    drop(r);
    return 0;
}

void fake_memory_drop(struct fake_device *device) {
    int left = 0;
    for (struct fake_region *r = regions, *next; r; r = next) {
        next = r->next;
        if (r->device != device)
            continue;
        left++;
        drop(r);
    }
    if (left && !device->failed)
        fake_note("left: %d regions of memory", left);
}

/* ---- device memory ---- */

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    const int code = fake_enter(__func__);
    return fake_end(code ? code : fake_take(fake_current(), bytes, address));
}

int cuMemFree_v2(uint64_t address) {
    const int code = fake_enter(__func__);
    return fake_end(code ? code : fake_give_back(address));
}

/* ---- locked host memory ---- */

int cuMemHostAlloc(void **host, size_t bytes, unsigned flags) {
    int code = fake_enter(__func__);
    struct fake_region r = {.kind = FAKE_HOST, .bytes = bytes, .device = fake_current()};
    if (!code && (!bytes || flags > 7))
        code = INVALID_VALUE;
    const size_t pages = (bytes + PAGE - 1) / PAGE * PAGE; /* begins with a page */
    if (!code && !(r.address = fake_map(pages, &r.mapping, &r.mapped)))
        code = OUT_OF_MEMORY;
    if (!code)
        *host = add(r)->address;
    return fake_end(code);
}

int cuMemFreeHost(void *host) {
    const int code = fake_enter(__func__);
    struct fake_region *r = fake_region(host, 1);
    if (code || !r || r->address != host || r->kind != FAKE_HOST || r->registered)
        return fake_end(code ? code : INVALID_VALUE);
    fake_finish(fake_current());
    drop(r);
    return fake_end(0);
}

int cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags) {
    const int code = fake_enter(__func__);
    const char *begin = host, *end = begin + bytes;
    if (code || !host || !bytes || flags > 7)
        return fake_end(code ? code : INVALID_VALUE);
    for (const struct fake_region *r = regions; r; r = r->next)
        if (r->kind == FAKE_HOST && begin < r->address + r->bytes && r->address < end)
            return fake_end(ALREADY_REGISTERED);
    add((struct fake_region){.kind = FAKE_HOST,
                             .address = host,
                             .bytes = bytes,
                             .device = fake_current(),
                             .registered = true});
    return fake_end(0);
}

int cuMemHostUnregister(void *host) {
    const int code = fake_enter(__func__);
    struct fake_region *r = fake_region(host, 1);
    if (code || !r || !r->registered || r->address != host)
        return fake_end(code ? code : NOT_REGISTERED);
    fake_finish(fake_current());
    drop(r);
    return fake_end(0);
}

int cuPointerGetAttribute(void *value, int which, uint64_t address) {
    enum { CONTEXT = 1, MEMORY_TYPE = 2, DEVICE_ORDINAL = 9, RANGE_START = 11, RANGE_SIZE = 12 };
    const int code = fake_enter(__func__);
    const struct fake_region *r = fake_region((const void *)(uintptr_t)address, 1);
    if (code || !r)
        return fake_end(code ? code : INVALID_VALUE);
    switch (which) {
    case CONTEXT:
        *(void **)value = r->device;
        return fake_end(0);
    case MEMORY_TYPE:
        *(unsigned *)value = (unsigned)r->kind;
        return fake_end(0);
    case DEVICE_ORDINAL:
        *(int *)value = r->device->number;
        return fake_end(0);
    case RANGE_START:
        *(uint64_t *)value = (uint64_t)(uintptr_t)r->address;
        return fake_end(0);
    case RANGE_SIZE:
        *(size_t *)value = r->bytes;
        return fake_end(0);
    default:
        return fake_end(INVALID_VALUE);
    }
}

/* ---- copies ---- */

struct rows {
    char *to, *from;
    size_t to_pitch, from_pitch, width, height;
};

static void copy_now(const struct rows *r) {
    for (size_t i = 0; i < r->height; i++)
        memmove(r->to + i * r->to_pitch, r->from + i * r->from_pitch, r->width);
}

static int run_copy(void *data) {
    copy_now(data);
    return 0;
}

/* One end of a copy: whether the current device may touch it, and whether it stays where it is until the copy
 * runs. */
static int look(const void *at, size_t bytes, int kind, bool *stays) {
    const struct fake_region *r = fake_region(at, bytes);
    const struct fake_device *d = fake_current();
    *stays = r != NULL;
    if (kind == FAKE_HOST)
        return r && r->kind != FAKE_HOST ? INVALID_VALUE : 0;
    if (!r || (kind == FAKE_ON_DEVICE && r->kind != FAKE_ON_DEVICE))
        return INVALID_VALUE;
    return r->kind == FAKE_HOST || r->device == d || d->reaches[r->device->number] ? 0
                                                                                   : INVALID_VALUE;
}

static int copy(struct rows r, int to_kind, int from_kind, void *handle) {
    struct fake_stream *s = fake_stream(handle);
    bool to_stays, from_stays;
    if (!s)
        return INVALID_HANDLE;
    if (!r.width || !r.height)
        return 0;
    int code = look(r.to, (r.height - 1) * r.to_pitch + r.width, to_kind, &to_stays);
    if (!code)
        code = look(r.from, (r.height - 1) * r.from_pitch + r.width, from_kind, &from_stays);
    if (code)
        return code;
    fake_note_command(s, "%zu times %zu bytes, each %zu and %zu behind the last", r.height, r.width,
                      r.from_pitch, r.to_pitch);
    if (!to_stays) { /* returns when all is there */
        fake_finish_stream(s);
        if (fake_current()->failed)
            return fake_current()->failed;
        copy_now(&r);
        return 0;
    }
    /* Memory that is not locked may be changed by the caller: it is kept. */
    struct rows *later = malloc(sizeof *later + (from_stays ? 0 : r.width * r.height));
    *later = r;
    if (!from_stays) {
        later->from = (char *)(later + 1);
        later->from_pitch = r.width;
        r.to = later->from;
        r.to_pitch = r.width;
        copy_now(&r);
    }
    return fake_enqueue(s, run_copy, later);
}

static int copy_line(uint64_t to, int to_kind, uint64_t from, int from_kind, size_t bytes,
                     void *stream) {
    const struct rows r = {.to = (char *)(uintptr_t)to,
                           .from = (char *)(uintptr_t)from,
                           .to_pitch = bytes,
                           .from_pitch = bytes,
                           .width = bytes,
                           .height = 1};
    return copy(r, to_kind, from_kind, stream);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *host, size_t bytes, void *stream) {
    const int code = fake_enter(__func__);
    return fake_end(
        code ? code
             : copy_line(to, FAKE_ON_DEVICE, (uint64_t)(uintptr_t)host, FAKE_HOST, bytes, stream));
}

int cuMemcpyDtoHAsync_v2(void *host, uint64_t from, size_t bytes, void *stream) {
    const int code = fake_enter(__func__);
    return fake_end(code ? code
                         : copy_line((uint64_t)(uintptr_t)host, FAKE_HOST, from, FAKE_ON_DEVICE,
                                     bytes, stream));
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    const int code = fake_enter(__func__);
    return fake_end(code ? code
                         : copy_line(to, FAKE_ON_DEVICE, from, FAKE_ON_DEVICE, bytes, stream));
}

/* CUDA_MEMCPY2D. */
struct copy_2d {
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    uint64_t from_device;
    void *from_array;
    size_t from_pitch, to_x, to_y;
    int to_kind;
    void *to_host;
    uint64_t to_device;
    void *to_array;
    size_t to_pitch, width, height;
};

int cuMemcpy2DAsync_v2(const struct copy_2d *c, void *stream) {
    const int code = fake_enter(__func__);
    if (code)
        return fake_end(code);
    if (c->from_array || c->to_array || c->from_x || c->from_y || c->to_x || c->to_y ||
        c->from_pitch > INT32_MAX || c->to_pitch > INT32_MAX || c->from_pitch < c->width ||
        c->to_pitch < c->width)
        return fake_end(INVALID_VALUE);
    const uint64_t to = c->to_kind == FAKE_HOST ? (uint64_t)(uintptr_t)c->to_host : c->to_device;
    const uint64_t from =
        c->from_kind == FAKE_HOST ? (uint64_t)(uintptr_t)c->from_host : c->from_device;
    const struct rows r = {.to = (char *)(uintptr_t)to,
                           .from = (char *)(uintptr_t)from,
                           .to_pitch = c->to_pitch,
                           .from_pitch = c->from_pitch,
                           .width = c->width,
                           .height = c->height};
    return fake_end(copy(r, c->to_kind, c->from_kind, stream));
}

struct fill {
    char *to;
    size_t bytes;
    unsigned char value;
};

static int run_fill(void *data) {
    const struct fill *f = data;
    memset(f->to, f->value, f->bytes);
    return 0;
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *stream) {
    int code = fake_enter(__func__);
    struct fake_stream *s = code ? NULL : fake_stream(stream);
    bool stays;
    if (!code)
        code = s ? look((void *)(uintptr_t)to, bytes, FAKE_ON_DEVICE, &stays) : INVALID_HANDLE;
    if (code)
        return fake_end(code);
    fake_note_command(s, "%zu bytes become %u", bytes, value);
    struct fill *f = malloc(sizeof *f);
    *f = (struct fill){(char *)(uintptr_t)to, bytes, value};
    return fake_end(fake_enqueue(s, run_fill, f));
}
