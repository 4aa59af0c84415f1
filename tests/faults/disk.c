/* A disk that is full but for some pages: a small tmpfs, mounted in a namespace of its own. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faults/faults.h"

enum { PAGE = 4096, MOST_FREE = 6 };

static bool put_line(const char *path, const char *line) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line);
    if (fd >= 0)
        close(fd);
    return good;
}

/* As root a mount namespace is enough; any other user is root in a user namespace. */
static bool enter_namespace(void) {
    char line[64];
    unsigned uid = getuid(), gid = getgid();
    if (!unshare(CLONE_NEWNS))
        return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return false;
    put_line("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "0 %u 1", uid);
    bool good = put_line("/proc/self/uid_map", line);
    snprintf(line, sizeof line, "0 %u 1", gid);
    return good && put_line("/proc/self/gid_map", line);
}

/* Takes all there is, then gives `pages` back. */
static void fill(const char *folder, int pages) {
    static const char block[PAGE];
    char path[300];
    snprintf(path, sizeof path, "%s/" DISK_FILLER, folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    off_t n = 0;
    while (fd >= 0 && write(fd, block, PAGE) == PAGE)
        n += PAGE;
    if (fd < 0 || ftruncate(fd, n - (off_t)pages * PAGE))
        fail_hard(path);
    close(fd);
}

bool full_disk(const struct clean *clean, int n, trial_report *report, char *why, size_t size) {
    struct place p;
    struct outcome o;
    place_open(&p, world.root, "full");
    bool good = enter_namespace() && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
                !mount("tmpfs", p.folder, "tmpfs", 0, "size=256k");
    if (!good)
        snprintf(why, size, "no tmpfs can be mounted: %s", strerror(errno));
    for (int i = 0; good && i < n; i++)
        for (int pages = 0; pages <= MOST_FREE && clean[i].after.n && !clean[i].c->few; pages++) {
            struct fault fault = {.limit = -1};
            folder_clear(p.folder, false);
            tree_write(p.folder, &clean[i].before);
            fill(p.folder, pages);
            run_program(&p, clean[i].c, world.in, &fault, &o);
            report(i, pages, judge(&p, &clean[i], &fault, &o), &p, &o);
            outcome_free(&o);
        }
    if (good)
        umount2(p.folder, MNT_DETACH);
    place_close(&p);
    return good;
}
