/* Records by the number of a file system: the bytes a second that it moved last. */
#include "core/session/disk_speed.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/gpu/cache/cache_lines.h"

enum { TEXT = 32 };
static const char name[] = "disk-speeds";

static bool key_of(const char *folder, char key[TEXT]) {
    struct stat st;
    const bool there = !stat(folder, &st);
    snprintf(key, TEXT, "%llu ", there ? (unsigned long long)st.st_dev : 0);
    return there;
}

double gf_disk_speed(const char *folder) {
    char key[TEXT], value[TEXT];
    const bool known = key_of(folder, key) && gf_cache_record_find(name, key, value, TEXT);
    const double speed = known ? strtod(value, NULL) : 0;
    return speed > 0 && isfinite(speed) ? speed : 0;
}

void gf_disk_speed_keep(const char *folder, double bytes_per_second) {
    char key[TEXT], value[TEXT];
    if (!(bytes_per_second > 0) || !isfinite(bytes_per_second) || !key_of(folder, key))
        return;
    snprintf(value, sizeof value, "%.6g", bytes_per_second);
    gf_cache_record_keep(name, key, value);
}

int gf_disk_speeds_forget(void) {
    return gf_cache_lines_remove(name);
}
