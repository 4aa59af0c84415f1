/* Options of backends and sessions, from settings and the environment. */
#ifndef GF_CLI_BACKEND_OPTIONS_H
#define GF_CLI_BACKEND_OPTIONS_H

#include "cli/settings.h"
#include "core/deal/deal.h"

/* For a backend's open(): --threads, --fftw-plan, --max-device-memory, and --device or GPUFFT_DEVICE. */
struct gf_backend_options gf_backend_options_of(const struct gf_settings *s);

/* s->wish becomes what --backend and --device ask for. GF_EUSAGE, GF_EABSENT as gf_wish_list(). */
int gf_settings_wish(struct gf_settings *s);
/* The same where GF_EUSAGE refuses lists. NULL, or backends of one device each, for any --device. */
int gf_settings_wish_one(struct gf_settings *s, const struct gf_backend *const *backends);

/* A session for s->wish, --threads and --max-memory (default: all that is free); its notes are printed
 * unless --quiet. The settings must outlive it. Several devices share a job that does not fit the first;
 * GF_EUSAGE for those that cannot. */
int gf_session_open_for(const struct gf_settings *s, struct gf_session *session);
/* The same for commands that share their work among the devices. together: the work is one transform,
 * which all devices share that can. */
int gf_deal_open_for(const struct gf_settings *s, bool together, struct gf_deal *deal);

#endif
