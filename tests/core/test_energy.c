/* Counters of energy in a tree like that of Linux: packages are added up, their parts are not, and
 * counters wrap. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/host/energy.h"
#include "core/base/value/status.h"
#include "tests/test.h"

static char root[] = "/tmp/test_energy.XXXXXX";

static void put(const char *domain, const char *file, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, domain);
    CHECK(!mkdir(path, 0700) || errno == EEXIST);
    snprintf(path, sizeof path, "%s/%s/%s", root, domain, file);
    FILE *f = fopen(path, "we");
    CHECK(f != NULL);
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static void drop(const char *domain) {
    static const char *const files[] = {"energy_uj", "max_energy_range_uj"};
    char path[256];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", root, domain, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/%s", root, domain);
    rmdir(path);
}

static void test_packages(void) {
    struct gf_energy_counter e;
    double joules = -1;
    put("intel-rapl:0", "max_energy_range_uj", "262143328850\n");
    put("intel-rapl:0", "energy_uj", "262143000000\n");
    put("intel-rapl:1", "max_energy_range_uj", "1000000\n");
    put("intel-rapl:1", "energy_uj", "250000\n");
    put("intel-rapl:0:0", "max_energy_range_uj", "1000000\n"); /* the cores, counted above too */
    put("intel-rapl:0:0", "energy_uj", "0\n");
    put("intel-rapl-mmio:0", "energy_uj", "0\n"); /* the same package by another way */
    CHECK_EQ(gf_energy_open_cpu(root, &e), 0);
    CHECK_EQ(e.n, 2);
    CHECK_EQ(gf_energy_read(&e, &joules), 0);
    CHECK(joules == 0);
    put("intel-rapl:0", "energy_uj", "1000000\n"); /* wrapped: 0.32885 J to its end */
    put("intel-rapl:1", "energy_uj", "750000\n");
    put("intel-rapl:0:0", "energy_uj", "900000\n");
    CHECK_EQ(gf_energy_read(&e, &joules), 0);
    CHECK_MSG(fabs(joules - (1.32885 + 0.5)) < 1e-9, "%.9g J", joules);
    put("intel-rapl:1", "energy_uj", "750001\n");
    CHECK_EQ(gf_energy_read(&e, &joules), 0);
    CHECK_MSG(fabs(joules - 1e-6) < 1e-12, "%.9g J", joules);
    put("intel-rapl:1", "energy_uj", "soon\n");
    CHECK_EQ(gf_energy_read(&e, &joules), GF_EIO);
    CHECK_EQ(gf_energy_open_cpu(root, &e), GF_EABSENT);
    CHECK_MSG(strstr(gf_message(), "is no number") != NULL, "%s", gf_message());
    drop("intel-rapl:0:0");
    drop("intel-rapl-mmio:0");
    drop("intel-rapl:0");
    drop("intel-rapl:1");
}

static void test_absent(void) {
    struct gf_energy_counter e;
    CHECK_EQ(gf_energy_open_cpu(root, &e), GF_EABSENT);
    CHECK_MSG(strstr(gf_message(), "lists no CPU package") != NULL, "%s", gf_message());
    put("intel-rapl:0", "max_energy_range_uj", "1000\n"); /* and no counter, as for other users */
    CHECK_EQ(gf_energy_open_cpu(root, &e), GF_EABSENT);
    drop("intel-rapl:0");
    CHECK_EQ(gf_energy_open_cpu("/nowhere/powercap", &e), GF_EABSENT);
    CHECK_MSG(strstr(gf_message(), "No such file") != NULL, "%s", gf_message());
    CHECK_EQ(gf_energy_open_gpu("a GPU that nobody has", &e), GF_EABSENT);
    CHECK_MSG(strstr(gf_message(), "NVML") != NULL, "%s", gf_message());
}

int main(void) {
    NEED(mkdtemp(root));
    RUN("packages are added up, their parts are not, and counters wrap", test_packages());
    RUN("absent counters are reported", test_absent());
    NEED(!rmdir(root));
    return TEST_END();
}
