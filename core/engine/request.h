/* The devices requested by --backend and --device, parsed once for the engine, bench, tune,
 * selftest and ranks:
 *
 *     struct gf_request request;
 *     int rc = gf_request_list(env, &request, gf_backends, "cuda:all,openmp", NULL);
 *
 * A list has entries BACKEND, BACKEND:DEVICE or BACKEND:all between commas; `all` alone is the CPU
 * and every GPU once. A list of devices, or `all`, is for the named backend or else the automatic
 * one that has them. */
#ifndef GF_CORE_ENGINE_REQUEST_H
#define GF_CORE_ENGINE_REQUEST_H

#include "core/engine/backends.h"

enum { GF_REQUEST_MOST = 64, GF_REQUEST_DEVICE = 64 };

struct gf_request_device {
    char name[96]; /* "cuda:0", "openmp" */
    const struct gf_backend *backend;
    char device[GF_REQUEST_DEVICE]; /* number or part of a name; "": unnamed */
};

struct gf_request {
    const struct gf_environment *environment;
    const struct gf_backend *const *backends; /* NULL: gf_backends */
    int n;                                    /* 0: auto picks for each job */
    bool list;                                /* a list of devices, even of only one */
    const char *option; /* "backend", or "device" if that alone implied the backend */
    struct gf_request_device device[GF_REQUEST_MOST];
};

/* True if these texts list devices. Either may be NULL. */
bool gf_request_is_list(const char *backend, const char *device);
/* A list or one device of gf_backends, by the texts. */
int gf_request_find(const struct gf_environment *env, struct gf_request *w, const char *backend,
                    const char *device);
/* Both fill *w; `backend` is NULL or "auto" if none is requested, `device` may be NULL. GF_EUSAGE
 * for an unknown backend or a malformed list, GF_EABSENT for absent devices. They open no context.
 * gf_request_one() does not start the driver of a backend without a device's name, and sets
 * device[0].name even if it fails. */
int gf_request_one(const struct gf_environment *env, struct gf_request *w,
                   const struct gf_backend *const *backends, const char *backend,
                   const char *device);
int gf_request_list(const struct gf_environment *env, struct gf_request *w,
                    const struct gf_backend *const *backends, const char *backend,
                    const char *device);
/* True for several devices of one backend, which can share a job. */
bool gf_request_shares(const struct gf_request *w);

#endif
