/* Energy from hardware counters: the CPU packages' through Linux (RAPL), an NVIDIA GPU's through
 * NVML. They count the whole package or board, whoever uses it, and advance a few times a second,
 * so measure for a second or more.
 *
 *     struct gf_energy_counter e;
 *     double joules;
 *     int rc = gf_energy_open_cpu(GF_POWERCAP, &e);
 *     …
 *     if (!rc) rc = gf_energy_read(&e, &joules);     since it was opened or last read */
#ifndef GF_CORE_BASE_ENERGY_H
#define GF_CORE_BASE_ENERGY_H

#include <stdint.h>

#define GF_POWERCAP "/sys/class/powercap"

enum { GF_MAX_PACKAGES = 16 };

struct gf_energy_counter {
    int n; /* of packages; 0: a GPU */
    struct gf_energy_package {
        char path[256];       /* its counter */
        uint64_t last, range; /* microjoules; the counter wraps beyond `range` */
    } package[GF_MAX_PACKAGES];
    void *device; /* NVML's */
    uint64_t last;
};

/* GF_EABSENT, with the reason, if no counter can be read. `folder` lists Linux's counters. Needs no
 * closing. */
int gf_energy_open_cpu(const char *folder, struct gf_energy_counter *e);
/* Opens the counter of the only GPU of that name. */
int gf_energy_open_gpu(const char *name, struct gf_energy_counter *e);
/* Joules since the last call; handles one wrap of a counter. GF_EIO. */
int gf_energy_read(struct gf_energy_counter *e, double *joules);

#endif
