/* Options of backends and sessions, from settings and the environment. */
#ifndef GF_CLI_BACKEND_OPTIONS_H
#define GF_CLI_BACKEND_OPTIONS_H

#include "cli/settings.h"
#include "core/deal/deal.h"

/* For a backend's open(): --threads, --fftw-plan, --max-device-memory, and --device or GPUFFT_DEVICE. */
struct gf_backend_options gf_backend_options_of(const struct gf_settings *s);

/* Sets s->wish from --backend and --device. GF_EUSAGE, GF_EABSENT as gf_wish_list(). */
int gf_settings_wish(struct gf_settings *s);
/* The same, but refuses lists (GF_EUSAGE). `backends`: NULL, or backends of one device each, for which --device
 * is ignored. */
int gf_settings_wish_one(struct gf_settings *s, const struct gf_backend *const *backends);

/* Opens a session for s->wish, --threads and --max-memory (default: all free memory); its notes are printed
 * unless --quiet. The settings must outlive it. Several devices share a job that does not fit the first one;
 * GF_EUSAGE if they cannot. */
int gf_session_open_for(const struct gf_settings *s, struct gf_session *session);
/* The same for commands that share their work among devices. together: the work is one transform, which the
 * devices share if they can. */
int gf_deal_open_for(const struct gf_settings *s, bool together, struct gf_deal *deal);

#endif
