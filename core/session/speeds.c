/* A file of lines: the number of a file system, and the bytes a second that it moved last. */
#include "core/session/speeds.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/gpu/kernel_store.h"

enum { MOST = 16, BYTES = 2048 };
static const char name[] = "disk-speeds", temporary[] = "disk-speeds.building";

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

/* The lines that make sense, of a regular file of the user's own. */
static int load(const struct gf_kernel_store *s, struct speed speeds[MOST]) {
    char text[BYTES + 1], *line, *rest = text;
    struct stat st;
    int n = 0, fd = openat(s->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return 0;
    bool own = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid();
    ssize_t bytes = own ? read(fd, text, BYTES) : 0;
    close(fd);
    text[bytes > 0 ? bytes : 0] = 0;
    while (n < MOST && (line = strsep(&rest, "\n"))) {
        struct speed *to = &speeds[n];
        n += sscanf(line, "%llu %lg", &to->disk, &to->speed) == 2 && to->speed > 0 &&
             isfinite(to->speed);
    }
    return n;
}

static void store(const struct gf_kernel_store *s, const struct speed *speeds, int n) {
    char text[BYTES];
    int bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += snprintf(text + bytes, sizeof text - (size_t)bytes, "%llu %.6g\n", speeds[i].disk,
                          speeds[i].speed);
    int fd = openat(s->folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    0600); /* two at once: one of them is kept */
    if (fd < 0)
        return;
    bool good = write(fd, text, (size_t)bytes) == bytes;
    good = !close(fd) && good;
    if (!good || renameat(s->folder, temporary, s->folder, name))
        unlinkat(s->folder, temporary, 0);
}

double gf_disk_speed(const char *folder) {
    struct gf_kernel_store s;
    struct speed speeds[MOST];
    unsigned long long disk;
    double speed = 0;
    if (!disk_of(folder, &disk) || !gf_kernel_store_open(&s, false))
        return 0;
    for (int i = load(&s, speeds) - 1; i >= 0; i--)
        if (speeds[i].disk == disk)
            speed = speeds[i].speed;
    gf_kernel_store_close(&s);
    return speed;
}

void gf_disk_speed_keep(const char *folder, double bytes_per_second) {
    struct gf_kernel_store s;
    struct speed speeds[MOST + 1]; /* the newest first */
    int kept = 1;
    if (!(bytes_per_second > 0) || !isfinite(bytes_per_second) ||
        !disk_of(folder, &speeds[0].disk) || !gf_kernel_store_open(&s, true))
        return;
    speeds[0].speed = bytes_per_second;
    for (int i = 1, n = load(&s, speeds + 1); i <= n && kept < MOST; i++)
        if (speeds[i].disk != speeds[0].disk)
            speeds[kept++] = speeds[i];
    store(&s, speeds, kept);
    gf_kernel_store_close(&s);
}
