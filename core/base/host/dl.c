/* Opening a library at run time and filling a table of its functions. */
#include "core/base/host/dl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifndef _WIN32 /* which has names of its own */
static const char *gf_library_here(const char *soname) {
    return soname;
}
#endif

/* Returns the first symbol that is missing, or NULL. */
static const char *fill(void *handle, const struct gf_dl_symbol *symbols, void *table) {
    for (; symbols->name; symbols++) {
        void *p = dlsym(handle, symbols->name);
        if (!p)
            return symbols->name;
        memcpy((char *)table + symbols->offset, &p, sizeof p);
    }
    return NULL;
}

int gf_dl_open(const char *const sonames[], const struct gf_dl_symbol *symbols, void *table,
               void **handle) {
    char tried[256] = "";
    const char *missing = NULL, *owner = NULL;
    for (; *sonames; sonames++) {
        const char *name = gf_library_here(*sonames);
        void *h = *name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (h) {
            const char *symbol = fill(h, symbols, table);
            if (!symbol) {
                *handle = h;
                return 0;
            }
            missing = symbol;
            owner = name;
            dlclose(h);
        }
        size_t used = strlen(tried);
        snprintf(tried + used, sizeof tried - used, "%s%s", used && *name ? ", " : "", name);
    }
    *handle = NULL;
    if (missing)
        return gf_fail(GF_EABSENT, "%s has no %s (tried %s)", owner, missing, tried);
    return gf_fail(GF_EABSENT, "no %s", tried);
}

int gf_dl_once(struct gf_dl_once *once, int (*load)(void *user), void *user) {
    pthread_mutex_lock(&once->mutex);
    if (!once->tried)
        gf_failure_keep(&once->failure, load(user));
    once->tried = true;
    pthread_mutex_unlock(&once->mutex);
    return gf_failure_return(&once->failure);
}

static int load(void *library) {
    const struct gf_dl_library *l = library;
    void *handle;
    return !*l->soname[0] || !gf_dl_open(l->soname, l->symbols, l->table, &handle)
               ? 0
               : gf_fail(l->status, "%s", l->message);
}

int gf_dl_load(struct gf_dl_library *l) {
    return gf_dl_once(&l->once, load, l);
}

void gf_dl_close(void *handle) {
    if (handle)
        dlclose(handle);
}

void gf_dl_find(void *handle, const char *name, void *function) {
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
}

static const int endings[] = {SIGINT, SIGTERM, SIGHUP};

void gf_dl_keep_signals(struct gf_dl_signals *kept) {
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        sigaction(endings[i], NULL, &kept->handler[i]);
}

void gf_dl_restore_signals(const struct gf_dl_signals *kept) {
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        sigaction(endings[i], &kept->handler[i], NULL);
}

bool gf_dl_file(const void *function, char *path, size_t size) {
    Dl_info info;
    if (!dladdr(function, &info) || !info.dli_fname || strlen(info.dli_fname) >= size)
        return false;
    strcpy(path, info.dli_fname);
    return true;
}
