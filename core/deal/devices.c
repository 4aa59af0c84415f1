/* Lists of devices, by backend and number. */
#include "core/deal/devices.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"

bool gf_deal_is_list(const char *backend, const char *device) {
    return (backend && (!strcmp(backend, "all") || strpbrk(backend, ",:"))) ||
           (device && (!strcmp(device, "all") || strchr(device, ',')));
}

static int add(struct gf_deal_device *out, int *n, const char *backend, const char *device) {
    if (*n == GF_DEAL_MOST)
        return gf_fail(GF_EUSAGE, "more than %d devices are named", GF_DEAL_MOST);
    struct gf_deal_device *d = &out[(*n)++];
    snprintf(d->backend, sizeof d->backend, "%s", backend);
    snprintf(d->device, sizeof d->device, "%s", device);
    snprintf(d->name, sizeof d->name, "%s%s%s", d->backend, *device ? ":" : "", d->device);
    return 0;
}

static bool has_name(const struct gf_gpu_props *props, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(props[i].name, name))
            return true;
    return false;
}

/* All devices of a backend; of the GPUs among them only those that `known` does not have by another
 * backend. */
static int add_all(const struct gf_backend *b, bool gpus, const struct gf_gpu_props *known,
                   int n_known, struct gf_deal_device *out, int *n) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    int rc = 0, all = gf_backend_devices(b, props);
    for (int i = 0; i < all && !rc; i++) {
        char number[16];
        if (gpus && (props[i].is_cpu || has_name(known, n_known, props[i].name)))
            continue;
        snprintf(number, sizeof number, "%d", i);
        rc = add(out, n, b->name, number);
    }
    return rc;
}

/* The first usable backend in host memory, and the GPUs of each automatic one. */
static int add_everything(const struct gf_backend *const *list, struct gf_deal_device *out,
                          int *n) {
    struct gf_gpu_props known[GF_GPU_MAX_DEVICES];
    const struct gf_backend *b = NULL;
    char reason[GF_REASON];
    int rc = 0, n_known = 0;
    while (!rc && (b = gf_backend_next(list, true, b))) {
        rc = add_all(b, true, known, n_known, out, n);
        if (!n_known)
            n_known = gf_backend_devices(b, known);
    }
    do
        b = gf_backend_next(list, false, b);
    while (b && gf_backend_probe(b, reason));
    return rc || !b ? rc : add(out, n, b->name, "");
}

/* One entry of a list of backends: "openmp", "cuda:0", "opencl:all". */
static int add_entry(const struct gf_backend *const *list, char *entry, struct gf_deal_device *out,
                     int *n) {
    const struct gf_backend *b;
    struct gf_gpu_props props;
    char *device = strchr(entry, ':');
    if (device)
        *device++ = 0;
    int before = *n, rc = gf_backend_find_in(list, entry, &b);
    if (rc || !device)
        return rc ? rc : add(out, n, entry, "");
    if (!b->devices)
        return gf_fail(GF_EUSAGE, "--backend=%s:%s: backend '%s' has no devices", entry, device,
                       entry);
    if (strlen(device) >= sizeof out->device || !*device)
        return gf_fail(GF_EUSAGE, "--backend=%s: a device is named behind the colon", entry);
    if (strcmp(device, "all")) {
        rc = b->list ? gf_backend_device(b, device, &props) : 0;
        return rc ? rc : add(out, n, entry, device);
    }
    rc = add_all(b, false, NULL, 0, out, n);
    return !rc && *n == before ? gf_fail(GF_EABSENT, "backend '%s' has no device here", entry) : rc;
}

/* Calls add_entry() for each part of the text between commas, with `backend` before it if there is
 * one. */
static int add_list(const struct gf_backend *const *list, const char *backend, const char *text,
                    struct gf_deal_device *out, int *n) {
    int rc = 0;
    for (bool more = true; more && !rc;) {
        char entry[128];
        int length = (int)strcspn(text, ",");
        int all = snprintf(entry, sizeof entry, "%s%s%.*s", backend ? backend : "",
                           backend ? ":" : "", length, text);
        if (!length || all >= (int)sizeof entry)
            return gf_fail(GF_EUSAGE, "'%.60s' is no list of devices; write cuda:0,cuda:1,openmp",
                           text);
        rc = add_entry(list, entry, out, n);
        more = text[length];
        text += length + more;
    }
    return rc;
}

/* The backend of a list of devices: the first automatic one that has any of its own which is not the
 * CPU, or has any. */
static const struct gf_backend *backend_with_devices(const struct gf_backend *const *list) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    const struct gf_backend *any = NULL;
    for (const struct gf_backend *b = NULL; (b = gf_backend_next(list, true, b));) {
        int n = gf_backend_devices(b, props);
        if (n && !props[0].is_cpu)
            return b;
        any = any || !n ? any : b;
    }
    return any;
}

int gf_deal_devices(const struct gf_backend *const *list, const char *backend, const char *device,
                    struct gf_deal_device out[GF_DEAL_MOST], int *n) {
    *n = 0;
    const bool several = backend && gf_deal_is_list(backend, NULL);
    if (several && device)
        return gf_fail(GF_EUSAGE, "--backend=%s names the devices, and so does --device=%s",
                       backend, device);
    if (several)
        return strcmp(backend, "all") ? add_list(list, NULL, backend, out, n)
                                      : add_everything(list, out, n);
    const struct gf_backend *b = backend ? NULL : backend_with_devices(list);
    if (!backend && !b)
        return gf_fail(GF_EABSENT, "--device=%s: no usable backend has devices; see gpufft devices",
                       device);
    return add_list(list, backend ? backend : b->name, device, out, n);
}

char *gf_deal_together(const struct gf_deal_device *device, int n) {
    char *text = calloc((size_t)n, sizeof device->device + 1);
    for (int i = 0; i < n && text; i++) {
        if (strcmp(device[i].backend, device->backend) || !device[i].device[0]) {
            free(text);
            return NULL;
        }
        strcat(strcat(text, i ? "," : ""), device[i].device);
    }
    return text;
}
