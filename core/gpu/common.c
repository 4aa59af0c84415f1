/* Opens devices, reads a compiler's log, and makes buffers and copies, for all APIs: checks what
 * drivers do not, and makes every copy a move of rows. */
#include "core/gpu/common.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"

/* ---- devices ---- */

int gf_gpu_pick(const char *wanted, const struct gf_gpu_props *props, int n, int *index) {
    char list[384] = "";
    char *end;
    *index = 0;
    if (n > 0 && (!wanted || !*wanted))
        return 0;
    if (n <= 0)
        return gf_fail(GF_EABSENT, "no device");
    /* "2" is not the first "H200". */
    long number = strtol(wanted, &end, 10);
    bool is_number = end != wanted && !*end;
    if (isdigit((unsigned char)*wanted) && is_number && number < n) {
        *index = (int)number;
        return 0;
    }
    for (int i = 0; i < n && !is_number; i++) {
        if (strcasestr(props[i].name, wanted)) {
            *index = i;
            return 0;
        }
    }
    for (int i = 0; i < n; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%d '%s'", i ? ", " : "", i, props[i].name);
    }
    return gf_fail(GF_EABSENT, "no device '%.64s'; there %s %s", wanted, n > 1 ? "are" : "is",
                   list);
}

int gf_gpu_list(const struct gf_environment *env, const struct gf_gpu *api,
                struct gf_gpu_props *props) {
    const int n = api->find(env, props);
    for (int i = 0; i < n; i++)
        props[i].environment = env;
    return n;
}

int gf_gpu_open(const struct gf_environment *env, const struct gf_gpu *api, const char *device,
                void **gpu, struct gf_gpu_props *props) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES];
    int index, n = gf_gpu_list(env, api, list),
               rc = n < 0 ? n : gf_gpu_pick(device, list, n, &index);
    *gpu = NULL;
    if (rc)
        return rc;
    *props = list[index];
    return api->open(props, gpu);
}

int gf_gpu_probe(const struct gf_environment *env, const struct gf_gpu *api,
                 char reason[GF_REASON]) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    if (api->probe)
        return api->probe(env, reason);
    const int n = gf_gpu_list(env, api, props);
    if (n < 0)
        snprintf(reason, GF_REASON, "%s", gf_message());
    else
        snprintf(reason, GF_REASON, "%.110s: %.110s%s", props[0].platform, props[0].name,
                 n > 1 ? ", and more" : "");
    return n < 0 ? GF_EABSENT : 0;
}

int gf_gpu_failure(const struct gf_gpu_device *head, bool full, const char *what,
                   const char *error) {
    return full ? gf_fail(GF_ENOMEM, "%s: out of memory on '%s'", what, head->props.name)
                : gf_fail(GF_EBACKEND, "%s failed on '%s': %s", what, head->props.name, error);
}

bool gf_gpu_lost(void *gpu) {
    return ((struct gf_gpu_device *)gpu)->lost;
}

int gf_gpu_add_device(struct gf_gpu_props *props, int n, const struct gf_gpu_props *device) {
    const bool has_cpu = n > 0 && props[n - 1].is_cpu;
    const int gpus = n - has_cpu;
    if (!device->is_cpu && gpus == GF_GPU_MAX_DEVICES - 1)
        return n;
    if (!device->is_cpu && has_cpu)
        props[n] = props[gpus];
    props[gpus] = *device;
    return device->is_cpu ? gpus + 1 : n + 1;
}

const char *gf_gpu_complaint(char *log) {
    const char *first = NULL;
    char *rest = log, *line;
    while ((line = strsep(&rest, "\r\n"))) {
        while (isspace((unsigned char)*line))
            line++;
        if (!*line)
            continue;
        if (strstr(line, "error"))
            return line;
        if (!first)
            first = line;
    }
    return first ? first : "";
}

/* ---- checks ---- */

/* GF_EBACKEND unless `bytes` from `offset` on fit in `room`: drivers do not check. */
static int check_range(int64_t offset, int64_t bytes, int64_t room) {
    if (offset >= 0 && bytes >= 0 && offset <= room && bytes <= room - offset)
        return 0;
    return gf_fail(GF_EBACKEND, "%lld bytes at %lld are not within a buffer of %lld",
                   (long long)bytes, (long long)offset, (long long)room);
}

/* The same for `count` rows of `bytes`, `pitch` bytes apart. */
static int check_rows(int64_t offset, int64_t bytes, int64_t pitch, int64_t count, int64_t room) {
    if (bytes < 0 || count < 0 || pitch < bytes || (count > 1 && pitch > INT64_MAX / count))
        return gf_fail(GF_EBACKEND, "%lld rows of %lld bytes cannot be %lld apart",
                       (long long)count, (long long)bytes, (long long)pitch);
    return check_range(offset, count ? (count - 1) * pitch + bytes : 0, room);
}

/* ---- buffers ---- */

int gf_gpu_no_room(void *gpu, int64_t bytes) {
    const struct gf_gpu_device *d = gpu;
    char size[GF_SIZE_TEXT];
    return gf_fail(GF_ENOMEM, "'%s' has no room for a buffer of %s", d->props.name,
                   gf_memory_text(bytes, size));
}

int gf_gpu_alloc(void *gpu, int64_t bytes, struct gf_gpu_buffer **out) {
    const struct gf_gpu_device *d = gpu;
    const int64_t most = d->api->whole ? d->props.max_alloc : d->props.memory;
    struct gf_gpu_buffer *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b)
        return gf_no_memory();
    b->bytes = bytes;
    int rc = bytes < 0 || bytes > most ? gf_gpu_no_room(gpu, bytes)
                                       : d->api->take(gpu, bytes < 16 ? 16 : bytes, &b->handle);
    if (rc)
        free(b);
    else
        *out = b;
    return rc;
}

void gf_gpu_free(void *gpu, struct gf_gpu_buffer *b) {
    const struct gf_gpu_device *d = gpu;
    if (b && !b->view)
        d->api->give(gpu, b->handle);
    free(b);
}

int gf_gpu_view(void *gpu, struct gf_gpu_buffer *of, int64_t offset, int64_t bytes,
                struct gf_gpu_buffer **view) {
    const struct gf_gpu_device *d = gpu;
    *view = NULL;
    int rc = check_range(offset, bytes, of->bytes);
    if (rc)
        return rc;
    struct gf_gpu_buffer *b = malloc(sizeof *b);
    if (!b)
        return gf_no_memory();
    *b = (struct gf_gpu_buffer){
        .handle = of->handle + (uint64_t)offset, .bytes = bytes, .view = !d->api->part};
    rc = d->api->part ? d->api->part(gpu, of->handle, offset, bytes, &b->handle) : 0;
    if (rc)
        free(b);
    else
        *view = b;
    return rc;
}

int gf_gpu_pin_none(void *gpu, int64_t bytes, void **host) {
    enum { PAGE = 4096 };
    char size[GF_SIZE_TEXT];
    (void)gpu;
    *host = bytes >= 0 && bytes <= INT64_MAX - PAGE
                ? aligned_alloc(PAGE, ((size_t)bytes + PAGE) / PAGE * PAGE)
                : NULL;
    return *host
               ? 0
               : gf_fail(GF_ENOMEM, "no %s of memory for the device", gf_memory_text(bytes, size));
}

void gf_gpu_unpin_none(void *gpu, void *host) {
    (void)gpu;
    free(host);
}

/* ---- copies ---- */

static int move(void *gpu, const struct gf_gpu_move *m) {
    const struct gf_gpu_device *d = gpu;
    const struct gf_gpu_end *const ends[2] = {&m->from, &m->to};
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++)
        if (ends[i]->buffer)
            rc = check_rows(ends[i]->offset, m->bytes, ends[i]->pitch, m->count,
                            ends[i]->buffer->bytes);
    return rc || !m->bytes || !m->count ? rc : d->api->move(gpu, m);
}

int gf_gpu_upload(void *gpu, struct gf_gpu_buffer *to, int64_t offset, const void *host,
                  int64_t bytes) {
    return move(gpu, &(struct gf_gpu_move){.from = {.host = (char *)(uintptr_t)host},
                                           .to = {to, NULL, offset, bytes},
                                           .bytes = bytes,
                                           .count = 1,
                                           .what = "an upload"});
}

int gf_gpu_download(void *gpu, void *host, const struct gf_gpu_buffer *from, int64_t offset,
                    int64_t bytes) {
    return move(gpu, &(struct gf_gpu_move){.from = {from, NULL, offset, bytes},
                                           .to = {.host = host},
                                           .bytes = bytes,
                                           .count = 1,
                                           .what = "a download"});
}

/* Arrays in parts need this. */
int gf_gpu_rows(void *gpu, void *other, const struct gf_gpu_move *rows) {
    const struct gf_gpu_device *d = gpu;
    struct gf_gpu_move m = *rows;
    if (d->api->whole)
        return gf_fail(GF_EUNSUPP, "%s cannot copy rows", d->api->name);
    if (gpu != other && !d->api->reads_others)
        return gf_fail(GF_EUNSUPP, "%s cannot copy between contexts", d->api->name);
    for (struct gf_gpu_end *end = &m.from; end; end = end == &m.from ? &m.to : NULL) {
        end->pitch = end->pitch ? end->pitch : m.bytes;
        if (end->host) {
            end->host += end->offset;
            end->offset = 0;
        }
    }
    m.what = m.from.buffer && m.to.buffer ? "a copy to another device" : "a copy of rows";
    return move(gpu, &m);
}

int gf_gpu_copy(void *gpu, struct gf_gpu_buffer *to, int64_t to_offset,
                const struct gf_gpu_buffer *from, int64_t from_offset, int64_t bytes) {
    return move(gpu, &(struct gf_gpu_move){.from = {from, NULL, from_offset, bytes},
                                           .to = {to, NULL, to_offset, bytes},
                                           .bytes = bytes,
                                           .count = 1,
                                           .what = "a copy"});
}

int gf_gpu_clear(void *gpu, struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    const struct gf_gpu_device *d = gpu;
    int rc = check_range(offset, bytes, to->bytes);
    return rc || !bytes ? rc : d->api->zero(gpu, to, offset, bytes);
}
