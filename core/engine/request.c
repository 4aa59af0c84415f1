/* The requested devices, by backend and number. */
#include "core/engine/request.h"

#include <string.h>

#include "core/base/value/status.h"

bool gf_request_is_list(const char *backend, const char *device) {
    return (backend && (!strcmp(backend, "all") || strpbrk(backend, ",:"))) ||
           (device && (!strcmp(device, "all") || strchr(device, ',')));
}

static struct gf_request begin(const struct gf_environment *env,
                               const struct gf_backend *const *backends, bool list) {
    return (struct gf_request){.environment = env,
                               .backends = backends ? backends : gf_backends,
                               .list = list,
                               .option = "backend"};
}

static void set(struct gf_request_device *d, const char *backend, const char *device) {
    snprintf(d->device, sizeof d->device, "%s", device);
    snprintf(d->name, sizeof d->name, "%s%s%s", backend, *device ? ":" : "", d->device);
}

/* ---- one ---- */

/* Finds the automatic backend with this device. */
static int find_of_device(const struct gf_request *w, const char *name,
                          const struct gf_backend **out) {
    struct gf_gpu_props props;
    *out = NULL;
    while ((*out = gf_backend_next(w->backends, true, *out)))
        if (!gf_backend_device(w->environment, *out, name, &props))
            return 0;
    return gf_fail(GF_EABSENT,
                   "--device=%s: no usable backend has such a device; see gpufft devices", name);
}

/* Finds the backend and checks that it has the device. */
static int find_one(const struct gf_request *w, const char *backend, const char *device,
                    const struct gf_backend **out) {
    struct gf_gpu_props props;
    int rc = backend ? gf_backend_find_in(w->environment, w->backends, backend, true, out) : 0;
    if (rc || !device)
        return rc;
    if (!backend)
        return find_of_device(w, device, out);
    if (!(*out)->devices)
        return gf_fail(GF_EABSENT, "--device=%s: backend '%s' has no devices", device, backend);
    return (*out)->list ? gf_backend_device(w->environment, *out, device, &props) : 0;
}

int gf_request_one(const struct gf_environment *env, struct gf_request *w,
                   const struct gf_backend *const *backends, const char *backend,
                   const char *device) {
    *w = begin(env, backends, false);
    if (backend && !strcmp(backend, "auto"))
        backend = NULL;
    if (!backend)
        w->option = "device";
    if (!backend && !device)
        return 0;
    set(w->device, backend ? backend : "", device ? device : "");
    int rc = find_one(w, backend, device, &w->device->backend);
    w->n = !rc;
    return rc;
}

/* ---- lists ---- */

static int add(struct gf_request *w, const struct gf_backend *b, const char *device) {
    if (w->n == GF_REQUEST_MOST)
        return gf_fail(GF_EUSAGE, "more than %d devices are named", GF_REQUEST_MOST);
    struct gf_request_device *d = &w->device[w->n++];
    d->backend = b;
    set(d, b->name, device);
    return 0;
}

static bool has_name(const struct gf_gpu_props *props, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(props[i].name, name))
            return true;
    return false;
}

/* Adds all devices of a backend; for `gpus`, only GPUs that are not in `known`, the list of another
 * backend. */
static int add_all(struct gf_request *w, const struct gf_backend *b, bool gpus,
                   const struct gf_gpu_props *known, int n_known) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    int rc = 0, all = gf_backend_devices(w->environment, b, props);
    for (int i = 0; i < all && !rc; i++) {
        char number[16];
        if (gpus && (props[i].is_cpu || has_name(known, n_known, props[i].name)))
            continue;
        snprintf(number, sizeof number, "%d", i);
        rc = add(w, b, number);
    }
    return rc;
}

/* Adds the first usable backend in host memory, and the GPUs of each automatic one. */
static int add_everything(struct gf_request *w) {
    struct gf_gpu_props known[GF_GPU_MAX_DEVICES];
    const struct gf_backend *b = NULL;
    char reason[GF_REASON];
    int rc = 0, n_known = 0;
    while (!rc && (b = gf_backend_next(w->backends, true, b))) {
        rc = add_all(w, b, true, known, n_known);
        if (!n_known)
            n_known = gf_backend_devices(w->environment, b, known);
    }
    do
        b = gf_backend_next(w->backends, false, b);
    while (b && b->probe(b, w->environment, reason));
    return rc || !b ? rc : add(w, b, "");
}

/* Adds an entry such as "openmp", "cuda:0", "opencl:all". */
static int add_entry(struct gf_request *w, char *entry) {
    const struct gf_backend *b;
    struct gf_gpu_props props;
    char *device = strchr(entry, ':');
    if (device)
        *device++ = 0;
    int before = w->n, rc = gf_backend_find_in(w->environment, w->backends, entry, false, &b);
    if (rc || !device)
        return rc ? rc : add(w, b, "");
    if (!b->devices)
        return gf_fail(GF_EUSAGE, "--backend=%s:%s: backend '%s' has no devices", entry, device,
                       entry);
    if (strlen(device) >= GF_REQUEST_DEVICE || !*device)
        return gf_fail(GF_EUSAGE, "--backend=%s: name a device after the colon", entry);
    if (strcmp(device, "all")) {
        rc = b->list ? gf_backend_device(w->environment, b, device, &props) : 0;
        return rc ? rc : add(w, b, device);
    }
    rc = add_all(w, b, false, NULL, 0);
    return !rc && w->n == before ? gf_fail(GF_EABSENT, "backend '%s' has no device here", entry)
                                 : rc;
}

/* Adds each part between commas, prefixed by `backend`, if any. */
static int add_list(struct gf_request *w, const char *backend, const char *text) {
    int rc = 0;
    for (bool more = true; more && !rc;) {
        char entry[128];
        int length = (int)strcspn(text, ",");
        int all = snprintf(entry, sizeof entry, "%s%s%.*s", backend ? backend : "",
                           backend ? ":" : "", length, text);
        if (!length || all >= (int)sizeof entry)
            return gf_fail(GF_EUSAGE, "'%.60s' is no list of devices; write cuda:0,cuda:1,openmp",
                           text);
        rc = add_entry(w, entry);
        more = text[length];
        text += length + more;
    }
    return rc;
}

/* The backend of a list of devices: the first automatic one whose first device is not the CPU, else
 * the first that has devices. */
static const struct gf_backend *backend_with_devices(const struct gf_request *w) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    const struct gf_backend *any = NULL;
    for (const struct gf_backend *b = NULL; (b = gf_backend_next(w->backends, true, b));) {
        int n = gf_backend_devices(w->environment, b, props);
        if (n && !props[0].is_cpu)
            return b;
        any = any || !n ? any : b;
    }
    return any;
}

int gf_request_list(const struct gf_environment *env, struct gf_request *w,
                    const struct gf_backend *const *backends, const char *backend,
                    const char *device) {
    *w = begin(env, backends, true);
    if (backend && !strcmp(backend, "auto"))
        backend = NULL;
    const bool several = gf_request_is_list(backend, NULL);
    if (several && device)
        return gf_fail(GF_EUSAGE, "--backend=%s names the devices, and so does --device=%s",
                       backend, device);
    if (several)
        return strcmp(backend, "all") ? add_list(w, NULL, backend) : add_everything(w);
    const struct gf_backend *b = backend ? NULL : backend_with_devices(w);
    if (!backend && !b)
        return gf_fail(GF_EABSENT, "--device=%s: no usable backend has devices; see gpufft devices",
                       device);
    return add_list(w, backend ? backend : b->name, device);
}

int gf_request_find(const struct gf_environment *env, struct gf_request *w, const char *backend,
                    const char *device) {
    return (gf_request_is_list(backend, device) ? gf_request_list : gf_request_one)(
        env, w, gf_backends, backend, device);
}

bool gf_request_shares(const struct gf_request *w) {
    bool shares = w->n > 1;
    for (int i = 0; i < w->n; i++)
        shares = shares && w->device[i].backend == w->device->backend && w->device[i].device[0];
    return shares;
}
