/* The devices that --backend=LIST and --device=LIST name:
 *
 *     struct gf_deal_device device[GF_DEAL_MOST];
 *     int n, rc = gf_deal_devices(gf_backends, "cuda:all,openmp", NULL, device, &n);
 *
 * A list names BACKEND, BACKEND:DEVICE or BACKEND:all between commas; `all` alone is the CPU and every
 * GPU once. A list of devices, or `all`, is for one backend: the one that is named, or the automatic
 * one that has them. */
#ifndef GF_CORE_DEAL_DEVICES_H
#define GF_CORE_DEAL_DEVICES_H

#include "core/session/backends.h"

enum { GF_DEAL_MOST = 64 };

struct gf_deal_device {
    char name[96]; /* "cuda:0", "openmp" */
    char backend[32];
    char device[64]; /* number or part of a name; "": none was named */
};

/* Whether these name devices one by one. Either may be NULL. */
bool gf_deal_is_list(const char *backend, const char *device);
/* GF_EUSAGE for what cannot be a list and for an unknown backend, GF_EABSENT for what is not here.
 * Opens no context. */
int gf_deal_devices(const struct gf_backend *const *list, const char *backend, const char *device,
                    struct gf_deal_device out[GF_DEAL_MOST], int *n);
/* The devices of one backend as --device names them, "0,1", in memory that the caller frees; NULL where
 * they are of several backends, or there is no memory. */
char *gf_deal_together(const struct gf_deal_device *device, int n);

#endif
