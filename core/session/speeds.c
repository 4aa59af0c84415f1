/* A file of lines: the number of a file system, and the bytes a second that it moved last. */
#include "core/session/speeds.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/session/cache_lines.h"

enum { MOST = 16, BYTES = 2048 };
static const char name[] = "disk-speeds";

struct speed {
    unsigned long long disk;
    double speed;
};

static bool disk_of(const char *folder, unsigned long long *disk) {
    struct stat st;
    bool there = !stat(folder, &st);
    *disk = there ? (unsigned long long)st.st_dev : 0;
    return there;
}

/* The lines that make sense. */
static int load(struct speed speeds[MOST]) {
    char text[BYTES + 1], *line, *rest = text;
    int n = 0;
    gf_cache_lines_read(name, text, sizeof text);
    while (n < MOST && (line = strsep(&rest, "\n"))) {
        struct speed *to = &speeds[n];
        n += sscanf(line, "%llu %lg", &to->disk, &to->speed) == 2 && to->speed > 0 &&
             isfinite(to->speed);
    }
    return n;
}

static void store(const struct speed *speeds, int n) {
    char text[BYTES];
    int bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += snprintf(text + bytes, sizeof text - (size_t)bytes, "%llu %.6g\n", speeds[i].disk,
                          speeds[i].speed);
    gf_cache_lines_write(name, text);
}

double gf_disk_speed(const char *folder) {
    struct speed speeds[MOST];
    unsigned long long disk;
    double speed = 0;
    if (!disk_of(folder, &disk))
        return 0;
    for (int i = load(speeds) - 1; i >= 0; i--)
        if (speeds[i].disk == disk)
            speed = speeds[i].speed;
    return speed;
}

void gf_disk_speed_keep(const char *folder, double bytes_per_second) {
    struct speed speeds[MOST + 1]; /* the newest first */
    int kept = 1;
    if (!(bytes_per_second > 0) || !isfinite(bytes_per_second) || !disk_of(folder, &speeds[0].disk))
        return;
    speeds[0].speed = bytes_per_second;
    const int lock = gf_cache_lines_lock();
    for (int i = 1, n = load(speeds + 1); i <= n && kept < MOST; i++)
        if (speeds[i].disk != speeds[0].disk)
            speeds[kept++] = speeds[i];
    store(speeds, kept);
    gf_cache_lines_unlock(lock);
}

int gf_disk_speeds_forget(void) {
    return gf_cache_lines_remove(name);
}
