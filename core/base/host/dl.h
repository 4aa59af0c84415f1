/* Libraries found at run time: each has a struct of function pointers that is filled from a table.
 *
 *     static const struct gf_dl_symbol symbols[] = {
 *         {"zlibVersion", offsetof(struct zlib, version)}, {0}};
 *     rc = gf_dl_open((const char *const[]){"libz.so.1", NULL}, symbols, &zlib, &handle); */
#ifndef GF_CORE_BASE_DL_H
#define GF_CORE_BASE_DL_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/value/status.h"

/* Chooses the text of a message that names libraries or remedies. */
#ifdef _WIN32
#define GF_HERE(linux_text, windows_text) windows_text
#else
#define GF_HERE(linux_text, windows_text) linux_text
#endif

/* One symbol and the offset of its pointer in the struct; a table ends with a NULL name. */
struct gf_dl_symbol {
    const char *name;
    size_t offset;
};

/* Opens the first of `sonames` (NULL-terminated) that loads and has every symbol, and fills
 * `table`. GF_EABSENT with the names tried, or the missing symbol. A library that has started
 * threads of its own must never be closed. */
int gf_dl_open(const char *const sonames[], const struct gf_dl_symbol *symbols, void *table,
               void **handle);
void gf_dl_close(void *handle); /* takes NULL */

/* A library that stays open, loaded by whichever thread needs it first. */
struct gf_dl_once {
    pthread_mutex_t mutex;
    bool tried;
    struct gf_failure failure;
};
#define GF_DL_ONCE \
    { .mutex = PTHREAD_MUTEX_INITIALIZER }
/* Calls load(user) once; later calls return what the first one did, with its message. */
int gf_dl_once(struct gf_dl_once *once, int (*load)(void *user), void *user);
/* One that needs no more than to be opened. */
struct gf_dl_library {
    const char *soname[3]; /* of which the first that loads serves; "": it is linked */
    const struct gf_dl_symbol *symbols;
    void *table;
    enum gf_status status; /* if none loads, with its message */
    const char *message;
    struct gf_dl_once once;
};
#define GF_DL_LIBRARY(symbols, table, status, message, ...) \
    { {__VA_ARGS__}, symbols, table, status, message, GF_DL_ONCE }
int gf_dl_load(struct gf_dl_library *l);
/* Sets the pointer at `function` to one more function, or to NULL if the library lacks it. */
void gf_dl_find(void *handle, const char *name, void *function);
/* The handlers of the signals that end a program, which some libraries replace. */
struct gf_dl_signals {
    struct sigaction handler[3];
};
void gf_dl_keep_signals(struct gf_dl_signals *kept);
void gf_dl_restore_signals(const struct gf_dl_signals *kept);
/* Finds the file that a library's `function` was loaded from. False if that is unknown. */
bool gf_dl_file(const void *function, char *path, size_t size);

#endif
