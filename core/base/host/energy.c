/* Reads counters of energy. */
#include "core/base/host/energy.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/host/dl.h"

/* ---- the CPU ---- */

static int read_number(const char *path, uint64_t *value) {
    FILE *f = fopen(path, "re");
    if (!f)
        return gf_fail(GF_EABSENT, "'%s': %s", path, strerror(errno));
    bool read = fscanf(f, "%" SCNu64, value) == 1;
    fclose(f);
    return read ? 0 : gf_fail(GF_EABSENT, "'%s' is no number", path);
}

/* "intel-rapl:0" is a package, AMD's too; "intel-rapl:0:1" is a part of it. */
static bool is_package(const char *name) {
    const char *colon = strchr(name, ':');
    return !strncmp(name, "intel-rapl:", 11) && colon && !strchr(colon + 1, ':');
}

static int open_package(const char *folder, const char *name, struct gf_energy_package *p) {
    char range[sizeof p->path];
    int n = snprintf(p->path, sizeof p->path, "%s/%s/energy_uj", folder, name);
    int m = snprintf(range, sizeof range, "%s/%s/max_energy_range_uj", folder, name);
    if (n < 0 || m < 0 || (size_t)m >= sizeof range)
        return gf_fail(GF_EABSENT, "the folder's name is too long");
    int rc = read_number(range, &p->range);
    return rc ? rc : read_number(p->path, &p->last);
}

int gf_energy_open_cpu(const char *folder, struct gf_energy_counter *e) {
    struct dirent *entry;
    int rc = 0;
    *e = (struct gf_energy_counter){.n = 0};
    DIR *d = opendir(folder);
    if (!d)
        return gf_fail(GF_EABSENT, "'%s': %s; the kernel counts no energy here", folder,
                       strerror(errno));
    while (!rc && (entry = readdir(d)))
        if (is_package(entry->d_name) && e->n < GF_MAX_PACKAGES)
            rc = open_package(folder, entry->d_name, &e->package[e->n++]);
    closedir(d);
    if (!rc && !e->n)
        rc = gf_fail(GF_EABSENT, "'%s' lists no CPU package", folder);
    return rc;
}

static int read_packages(struct gf_energy_counter *e, double *joules) {
    for (int i = 0; i < e->n; i++) {
        struct gf_energy_package *p = &e->package[i];
        uint64_t now;
        if (read_number(p->path, &now))
            return GF_EIO;
        uint64_t wrapped = now < p->last ? p->range : 0;
        *joules += (double)(now + wrapped - p->last) * 1e-6;
        p->last = now;
    }
    return 0;
}

/* ---- a GPU ---- */

/* NVML, from its documentation. */
static struct nvml {
    int (*init)(void);
    int (*count)(unsigned *n);
    int (*device)(unsigned number, void **device);
    int (*name)(void *device, char *name, unsigned size);
    int (*energy)(void *device, unsigned long long *millijoules);
} nvml;

#define SYMBOL(field, name) \
    { "nvml" name, offsetof(struct nvml, field) }
static const struct gf_dl_symbol symbols[] = {
    SYMBOL(init, "Init_v2"),
    SYMBOL(count, "DeviceGetCount_v2"),
    SYMBOL(device, "DeviceGetHandleByIndex_v2"),
    SYMBOL(name, "DeviceGetName"),
    SYMBOL(energy, "DeviceGetTotalEnergyConsumption"),
    {NULL, 0},
};

static int load_nvml(void *unused) {
    static const char *const sonames[] = {"libnvidia-ml.so.1", NULL};
    void *handle;
    (void)unused;
    return gf_dl_open(sonames, symbols, &nvml, &handle) || nvml.init() ? GF_EABSENT : 0;
}

int gf_energy_open_gpu(const char *name, struct gf_energy_counter *e) {
    static struct gf_dl_once once = GF_DL_ONCE;
    unsigned long long now = 0;
    unsigned n = 0;
    int found = 0;
    *e = (struct gf_energy_counter){.n = 0};
    if (gf_dl_once(&once, load_nvml, NULL) || nvml.count(&n))
        return gf_fail(GF_EABSENT, "no NVML (libnvidia-ml.so.1, of NVIDIA's driver)");
    for (unsigned i = 0; i < n; i++) {
        char text[128] = "";
        void *device;
        if (nvml.device(i, &device) || nvml.name(device, text, sizeof text) || strcmp(text, name))
            continue;
        e->device = device;
        found++;
    }
    if (found != 1)
        return gf_fail(GF_EABSENT, found ? "NVML has several '%s'" : "NVML has no '%s'", name);
    if (nvml.energy(e->device, &now))
        return gf_fail(GF_EABSENT, "'%s' counts no energy", name);
    e->last = now;
    return 0;
}

static int read_gpu(struct gf_energy_counter *e, double *joules) {
    unsigned long long now = 0;
    if (nvml.energy(e->device, &now))
        return gf_fail(GF_EIO, "the GPU's energy cannot be read any more");
    *joules = (double)(now - e->last) * 1e-3;
    e->last = now;
    return 0;
}

int gf_energy_read(struct gf_energy_counter *e, double *joules) {
    *joules = 0;
    return e->n ? read_packages(e, joules) : read_gpu(e, joules);
}
