/* Keeps lines by key in files of the cache folder. */
#include "core/store/lines.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/value/hash.h"
#include "core/base/value/status.h"
#include "core/store/store.h"

/* Reads a file of the user's; "" for any other, or one too long to be ours. */
static void read_text(const struct gf_environment *env, const char *name, char *text, size_t size) {
    struct gf_store s;
    struct stat st;
    size_t bytes = 0;
    char *data = NULL;
    if (gf_store_open(env, &s, false))
        data = gf_store_load(&s, name, (off_t)size - 1, &st, &bytes);
    gf_store_close(&s);
    snprintf(text, size, "%s", data ? data : "");
    free(data);
}

static bool write_text(const struct gf_environment *env, const char *name, const char *text) {
    struct gf_store s;
    const bool good = gf_store_open(env, &s, true) &&
                      gf_store_replace(&s, name, &(struct gf_store_part){text, strlen(text)}, 1);
    gf_store_close(&s);
    return good;
}

int gf_store_lines_remove(const struct gf_environment *env, const char *name) {
    struct gf_store s;
    if (!gf_store_open(env, &s, false))
        return 0;
    int rc = unlinkat(s.folder, name, 0) ? errno : 0;
    gf_store_close(&s);
    gf_store_lines_reread();
    if (!rc || rc == ENOENT)
        return !rc;
    return gf_fail(GF_EIO, "cannot delete '%s/%s': %s", s.path, name, strerror(rc));
}

int gf_store_lines_lock(const struct gf_environment *env) {
    struct gf_store s;
    if (!gf_store_open(env, &s, true))
        return -1;
    /* Locks the folder itself. On file systems without locks the last writer wins. */
    int rc;
    do
        rc = flock(s.folder, LOCK_EX);
    while (rc && errno == EINTR);
    if (rc)
        gf_store_close(&s);
    return s.folder;
}

void gf_store_lines_unlock(int lock) {
    if (lock >= 0)
        close(lock);
}

/* ---- records ---- */

/* The texts that this run has read, by folder and name; when there is no room, the oldest goes. */
enum { KNOWN = 16 };
static struct {
    uint64_t key;
    char *text;
} known[KNOWN];
static unsigned oldest;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the file's text, replaced by `given` or read once; "" if memory is short. The caller
 * holds known_lock. */
static const char *known_text(const struct gf_environment *env, const char *name,
                              const char *given) {
    const uint64_t key = gf_hash_text(gf_hash_text(GF_HASH_START, gf_environment_cache(env)), name);
    unsigned i = 0;
    while (i < KNOWN && (!known[i].text || known[i].key != key))
        i++;
    if (i == KNOWN) {
        i = oldest++ % KNOWN;
        free(known[i].text);
        known[i].text = NULL;
        known[i].key = key;
    }
    if (given || !known[i].text) {
        char *text = known[i].text ? known[i].text : malloc(GF_STORE_LINES_BYTES);
        if (text && given)
            snprintf(text, GF_STORE_LINES_BYTES, "%s", given);
        else if (text)
            read_text(env, name, text, GF_STORE_LINES_BYTES);
        known[i].text = text;
    }
    return known[i].text ? known[i].text : "";
}

static const char *next_line(const char *line) {
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

bool gf_store_lines_find(const struct gf_environment *env, const char *name, const char *key,
                         char *value, size_t size) {
    const size_t n = strlen(key);
    pthread_mutex_lock(&known_lock);
    const char *line = known_text(env, name, NULL);
    while (*line && strncmp(line, key, n))
        line = next_line(line);
    if (*line)
        snprintf(value, size, "%.*s", (int)strcspn(line + n, "\n"), line + n);
    pthread_mutex_unlock(&known_lock);
    return *line;
}

bool gf_store_lines_keep(const struct gf_environment *env, const char *name, const char *key,
                         const char *value) {
    enum { MOST = GF_STORE_LINES_BYTES };
    char *old = malloc(2 * MOST);
    if (!old)
        return false;
    char *text = old + MOST;
    const int lock = gf_store_lines_lock(env);
    read_text(env, name, old, MOST);
    int used = snprintf(text, MOST, "%s%s\n", key, value);
    for (const char *line = old; *line; line = next_line(line)) {
        const int n = (int)(next_line(line) - line);
        if (*line != '\n' && strncmp(line, key, strlen(key)) && used + n < MOST)
            used += snprintf(text + used, (size_t)(MOST - used), "%.*s", n, line);
    }
    const bool good = used < MOST && write_text(env, name, text);
    gf_store_lines_unlock(lock);
    pthread_mutex_lock(&known_lock);
    if (good)
        known_text(env, name, text);
    pthread_mutex_unlock(&known_lock);
    free(old);
    return good;
}

void gf_store_lines_reread(void) {
    pthread_mutex_lock(&known_lock);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        free(known[i].text);
        known[i].text = NULL;
    }
    pthread_mutex_unlock(&known_lock);
}

char *gf_store_lines_text(const struct gf_environment *env, const char *name) {
    pthread_mutex_lock(&known_lock);
    char *copy = strdup(known_text(env, name, NULL));
    pthread_mutex_unlock(&known_lock);
    return copy;
}
