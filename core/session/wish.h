/* The devices that --backend and --device ask for. Text becomes this once; sessions, deals, bench,
 * tune, selftest and ranks all take it:
 *
 *     struct gf_wish wish;
 *     int rc = gf_wish_list(&wish, gf_backends, "cuda:all,openmp", NULL);
 *
 * A list names BACKEND, BACKEND:DEVICE or BACKEND:all between commas; `all` alone is the CPU and
 * every GPU once. A list of devices, or `all`, is for one backend: the one that is named, or the
 * automatic one that has them. */
#ifndef GF_CORE_SESSION_WISH_H
#define GF_CORE_SESSION_WISH_H

#include "core/session/backends.h"

enum { GF_WISH_MOST = 64, GF_WISH_DEVICE = 64 };

struct gf_wish_device {
    char name[96]; /* "cuda:0", "openmp" */
    const struct gf_backend *backend;
    char device[GF_WISH_DEVICE]; /* number or part of a name; "": none was named */
};

struct gf_wish {
    const struct gf_backend *const *backends; /* NULL: gf_backends */
    int n;                                    /* 0: auto picks for each job */
    bool list;                                /* named one by one, even if there is only one */
    const char *option; /* "backend", or "device" where that alone told the backend */
    struct gf_wish_device device[GF_WISH_MOST];
};

/* Whether these texts name devices one by one. Either may be NULL. */
bool gf_wish_is_list(const char *backend, const char *device);
/* Both fill *w; `backend` is NULL or "auto" where none is asked for, `device` may be NULL.
 * GF_EUSAGE for an unknown backend and for what cannot be a list, GF_EABSENT for what is not here.
 * They open no context. gf_wish_one() does not start the driver of a backend without a device's
 * name, and names device[0] even where it fails. */
int gf_wish_one(struct gf_wish *w, const struct gf_backend *const *backends, const char *backend,
                const char *device);
int gf_wish_list(struct gf_wish *w, const struct gf_backend *const *backends, const char *backend,
                 const char *device);
/* Whether these are several devices of one backend, which can share a job. */
bool gf_wish_shares(const struct gf_wish *w);

#endif
