/* Options of backends and sessions, from settings and the environment. */
#ifndef GF_CLI_BACKEND_OPTIONS_H
#define GF_CLI_BACKEND_OPTIONS_H

#include "cli/settings.h"
#include "core/deal/deal.h"

/* For a backend's open(): --threads, --fftw-plan, --max-device-memory, and --device or
 * GPUFFT_DEVICE. */
struct gf_backend_options gf_backend_options_of(const struct gf_settings *s);

/* A session for --backend, --device, --threads and --max-memory (default: all that is free); its
 * notes are printed unless --quiet. The settings must outlive it. NULL, or a list of backends of its own, whose
 * first device is used. */
int gf_session_open_among(const struct gf_settings *s, const struct gf_backend *const *backends,
                          struct gf_session *session);
/* The same for commands that share their work among several devices, which --backend=LIST and
 * --device=LIST name. together: the work is one transform, which all devices share that can. */
int gf_deal_open_for(const struct gf_settings *s, bool together, struct gf_deal *deal);
/* A session of all the devices that a list names, of one backend, which share a job that does not fit the
 * first of them. *devices is freed by the caller, after the session is closed. */
int gf_session_open_together(const struct gf_settings *s, struct gf_session *session,
                             struct gf_deal_device *first, char **devices);

#endif
