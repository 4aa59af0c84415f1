/* Available memory, sizes as text, and checks against a limit. */
#include "core/base/host/memory.h"

#include <ctype.h>
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/value/array.h"
#include "core/base/value/status.h"

/* The number after `key` on a line of the file, or its first number if the key is "". -1 for "max"
 * (control groups) and for a missing file. */
static int64_t read_number(const char *path, const char *key) {
    char line[512];
    int64_t value = -1;
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f)) {
        size_t n = strlen(key);
        if (strncmp(line, key, n) || sscanf(line + n, "%" SCNd64, &value) != 1)
            continue;
        break;
    }
    fclose(f);
    return value;
}

/* Version 1 of control groups reports the largest number of whole pages if there is no limit. */
static const int64_t unlimited = INT64_MAX / 2;

/* Room in a control group and all groups above it. Groups count the page cache as used, but the
 * kernel frees its inactive part under pressure, so that part is room. */
static int64_t group_room(const char *root, const char *group, const char *limit_file,
                          const char *usage_file, const char *cache_key) {
    char dir[1024], path[1200];
    int64_t room = INT64_MAX;
    size_t stop = strlen(root);
    if (snprintf(dir, sizeof dir, "%s%s", root, group) >= (int)sizeof dir)
        return room;
    for (;;) {
        size_t n = strlen(dir);
        while (n > stop && dir[n - 1] == '/')
            dir[--n] = 0;
        snprintf(path, sizeof path, "%s/%s", dir, limit_file);
        int64_t limit = read_number(path, "");
        if (limit >= 0 && limit < unlimited) { /* reading the other two files is slow */
            snprintf(path, sizeof path, "%s/%s", dir, usage_file);
            int64_t used = read_number(path, "");
            snprintf(path, sizeof path, "%s/memory.stat", dir);
            int64_t cache = read_number(path, cache_key);
            used = (used > 0 ? used : 0) - (cache > 0 ? cache : 0);
            used = used > 0 ? used : 0;
            room = gf_min(room, limit > used ? limit - used : 0);
        }
        char *slash = strrchr(dir, '/');
        if (n <= stop || !slash)
            break;
        *slash = 0;
    }
    return room;
}

static int64_t groups_room(void) {
    char line[1024];
    int64_t room = INT64_MAX;
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (!f)
        return room;
    while (fgets(line, sizeof line, f)) { /* number:controllers:path */
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = 0;
        controllers++;
        if (!*controllers)
            room = gf_min(room, group_room("/sys/fs/cgroup", path, "memory.max", "memory.current",
                                           "inactive_file"));
        else if (!strcmp(controllers, "memory"))
            room = gf_min(room, group_room("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes",
                                           "memory.usage_in_bytes", "total_inactive_file"));
    }
    fclose(f);
    return room;
}

int64_t gf_memory_available(void) {
    int64_t room = groups_room();
    int64_t kib = read_number("/proc/meminfo", "MemAvailable:");
    if (kib >= 0)
        room = gf_min(room, kib * 1024);
    struct rlimit r;
    if (!getrlimit(RLIMIT_AS, &r) && r.rlim_cur != RLIM_INFINITY && r.rlim_cur < INT64_MAX) {
        int64_t pages = read_number("/proc/self/statm", "");
        int64_t used = pages > 0 ? pages * sysconf(_SC_PAGESIZE) : 0;
        int64_t limit = (int64_t)r.rlim_cur;
        room = gf_min(room, limit > used ? limit - used : 0);
    }
    return room;
}

/* strtod() would expect the decimal point of the locale. */
int gf_memory_parse(const char *text, int64_t *bytes) {
    const char *p = text;
    double value = 0, unit = 1;
    int digits = 0;
    for (; isdigit((unsigned char)*p); p++, digits++)
        value = value * 10 + (*p - '0');
    if (*p == '.')
        for (p++; isdigit((unsigned char)*p); p++, digits++)
            value += (*p - '0') * (unit /= 10);
    static const char letters[] = "KMGT";
    const char *letter = *p ? strchr(letters, toupper((unsigned char)*p)) : NULL;
    int power = letter ? (int)(letter - letters) + 1 : 0;
    p += power > 0;
    double base = 1024;
    if (power && !strcasecmp(p, "b"))
        base = 1000;
    bool known = !*p || !strcasecmp(p, "b") || (power && !strcasecmp(p, "ib"));
    while (power--)
        value *= base;
    if (!digits || !known || value < 1 || value > 4e18)
        return gf_fail(GF_EUSAGE, "'%s' is not a size: a number, then K, M, G or T", text);
    *bytes = (int64_t)ceil(value);
    return 0;
}

static const char *print(int64_t bytes, double (*rounded)(double), char text[GF_SIZE_TEXT]) {
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int i = 0;
    while (value >= 1024 && i < 6) {
        value /= 1024;
        i++;
    }
    snprintf(text, GF_SIZE_TEXT, i ? "%.1f %s" : "%.0f %s", rounded(value * 10) / 10, unit[i]);
    return text;
}

const char *gf_memory_text(int64_t bytes, char text[GF_SIZE_TEXT]) {
    return print(bytes, rint, text);
}

const char *gf_memory_need_text(int64_t bytes, char text[GF_SIZE_TEXT]) {
    return print(bytes, ceil, text);
}

const char *gf_memory_limit_text(int64_t bytes, char text[GF_SIZE_TEXT]) {
    return print(bytes, floor, text);
}

/* The C library keeps memory for the thread that freed it, which may add up to more than the arrays
 * take, and the kernel rounds arrays up to huge pages. */
void gf_memory_spare(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
#endif
#ifdef PR_SET_THP_DISABLE
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
#endif
}

int gf_memory_check(int64_t need, int64_t limit) {
    enum { BESIDE = 4 << 20 };
    char a[GF_SIZE_TEXT], b[GF_SIZE_TEXT];
    if (limit <= 0)
        limit = gf_memory_available();
    if (need <= limit) {
        if (need > limit - BESIDE - limit / 4)
            gf_memory_spare();
        return 0;
    }
    return gf_fail(GF_ENOMEM, "needs %s, limit %s (--max-memory)", gf_memory_need_text(need, a),
                   gf_memory_limit_text(limit, b));
}
