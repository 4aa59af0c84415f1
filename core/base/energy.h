/* The energy that hardware has counted: of the CPU's packages where Linux shows its counters (RAPL),
 * of an NVIDIA GPU through NVML. The counters are those of the whole package or board, whoever works
 * there, and step some times a second: what is measured takes a second or more.
 *
 *     struct gf_energy e;
 *     double joules;
 *     int rc = gf_energy_open_cpu(GF_POWERCAP, &e);
 *     …
 *     if (!rc) rc = gf_energy_read(&e, &joules);     since it was opened, or read before
 */
#ifndef GF_CORE_BASE_ENERGY_H
#define GF_CORE_BASE_ENERGY_H

#include <stdint.h>

#define GF_POWERCAP "/sys/class/powercap"

enum { GF_MAX_PACKAGES = 16 };

struct gf_energy {
    int n; /* of packages; 0: a GPU */
    struct gf_energy_package {
        char path[256];       /* its counter */
        uint64_t last, range; /* microjoules; the counter wraps beyond `range` */
    } package[GF_MAX_PACKAGES];
    void *device; /* NVML's */
    uint64_t last;
};

/* GF_EABSENT, with the reason, where there is no counter or it cannot be read. `folder`: where Linux
 * lists them. Nothing to close. */
int gf_energy_open_cpu(const char *folder, struct gf_energy *e);
/* The GPU of that name, of which there is to be one. */
int gf_energy_open_gpu(const char *name, struct gf_energy *e);
/* Joules since the last call; a counter may have wrapped once. GF_EIO. */
int gf_energy_read(struct gf_energy *e, double *joules);

#endif
