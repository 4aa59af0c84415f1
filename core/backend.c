#include "core/backend.h"

#include <string.h>

#include "core/status.h"

const struct gf_backend *const gf_backends[] = {
    &gf_backend_openmp, &gf_backend_opencl, &gf_backend_cuda,
    &gf_backend_cufft,  &gf_backend_fftw,   NULL,
};

static int min3(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Edit distance, case aside, where a swap of neighbours counts as one; names longer than a
 * backend's could ever be are simply far away. */
static int distance(const char *a, const char *b) {
    enum { LONGEST = 16 };
    int d[LONGEST + 1][LONGEST + 1];
    int n = (int)strnlen(a, LONGEST + 1), m = (int)strnlen(b, LONGEST + 1);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= m; j++) {
            if (!i || !j) {
                d[i][j] = i + j;
                continue;
            }
            int differ = (a[i - 1] | 32) != (b[j - 1] | 32);
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + differ);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = min3(d[i][j], d[i - 2][j - 2] + 1, d[i][j]);
        }
    }
    return d[n][m];
}

static int unknown_name(const char *name) {
    char list[128] = "";
    const char *near = NULL;
    int nearest = 3; /* two slips of the hand are a typing mistake, three another word */
    for (int i = 0; gf_backends[i]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", gf_backends[i]->name);
        int d = distance(name, gf_backends[i]->name);
        if (d < nearest) {
            nearest = d;
            near = gf_backends[i]->name;
        }
    }
    if (near)
        return gf_fail(GF_EUSAGE, "no backend '%s'; did you mean '%s'? (auto, %s)", name, near,
                       list);
    return gf_fail(GF_EUSAGE, "no backend '%s'; there are auto, %s", name, list);
}

int gf_backend_find(const char *name, const struct gf_backend **out) {
    *out = NULL;
    for (int i = 0; gf_backends[i]; i++) {
        if (strcmp(name, gf_backends[i]->name))
            continue;
        char reason[GF_REASON] = "";
        if (gf_backends[i]->probe(reason))
            return gf_fail(GF_EABSENT, "backend '%s' is not usable here: %s", name, reason);
        *out = gf_backends[i];
        return 0;
    }
    return unknown_name(name);
}

int gf_backend_choose(const struct gf_job *job, const struct gf_backend **out,
                      char why[GF_REASON]) {
    *out = NULL;
    if (job->op == GF_DWT) { /* the one that has wavelets */
        *out = &gf_backend_openmp;
        snprintf(why, GF_REASON, "%s: the processor's own wavelets", gf_backend_openmp.name);
        return 0;
    }
    for (int i = 0; gf_backends[i]; i++) {
        char reason[GF_REASON] = "";
        if (!gf_backends[i]->automatic || gf_backends[i]->probe(reason))
            continue;
        *out = gf_backends[i];
        snprintf(why, GF_REASON, "%s: the processor's own transforms; no GPU backend is usable",
                 gf_backends[i]->name);
        return 0;
    }
    return gf_fail(GF_EABSENT, "no backend that may be chosen automatically is usable here");
}
