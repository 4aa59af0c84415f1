/* Opens devices and reads a compiler's log, for all APIs. */
#include "core/gpu/common.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"

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

int gf_gpu_open(const struct gf_gpu *api, const char *device, void **gpu,
                struct gf_gpu_props *props) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES];
    int index, n = api->find(list), rc = n < 0 ? n : gf_gpu_pick(device, list, n, &index);
    *gpu = NULL;
    if (rc)
        return rc;
    *props = list[index];
    return api->open(props, gpu);
}

int gf_gpu_probe(const struct gf_gpu *api, char reason[GF_REASON]) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    if (api->probe)
        return api->probe(reason);
    const int n = api->find(props);
    if (n < 0)
        snprintf(reason, GF_REASON, "%s", gf_message());
    else
        snprintf(reason, GF_REASON, "%.110s: %.110s%s", props[0].platform, props[0].name,
                 n > 1 ? ", and more" : "");
    return n < 0 ? GF_EABSENT : 0;
}

bool gf_gpu_lost(void *gpu) {
    return ((struct gf_gpu_device *)gpu)->lost;
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
