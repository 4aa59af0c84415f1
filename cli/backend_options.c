/* Settings become options of core/session. */
#include "cli/backend_options.h"

#include <string.h>

#include "cli/environment.h"
#include "cli/log.h"
#include "core/base/memory.h"
#include "core/base/status.h"

struct gf_backend_options gf_backend_options_of(const struct gf_settings *s) {
    return (struct gf_backend_options){
        .threads = s->threads,
        .device = s->device ? s->device : gf_environment_device(),
        .device_memory = s->max_device_memory,
        .plan = s->plan == 1               ? GF_PLAN_MEASURE
                : s->plan == 0 || !s->tune ? GF_PLAN_ESTIMATE
                                           : GF_PLAN_KEPT,
        .fftw_plan = s->fftw_plan == GF_UNSET ? NULL : gf_fftw_plans[s->fftw_plan],
    };
}

static void print_note(void *user, const char *text) {
    (void)user;
    gf_log_note("%s", text);
}

static struct gf_session_options session_options(const struct gf_settings *s) {
    const struct gf_backend_options b = gf_backend_options_of(s);
    return (struct gf_session_options){
        .backend = strcmp(s->backend, "auto") ? s->backend : NULL,
        .device = b.device,
        .device_variable = s->device ? NULL : "GPUFFT_DEVICE",
        .device_memory = b.device_memory,
        .no_peer = !s->peer,
        .dry = s->plan_only,
        .threads = b.threads,
        .plan = b.plan,
        .fftw_plan = b.fftw_plan,
        .untuned = !s->tune,
        .ends = true,
        .memory_limit = s->max_memory ? s->max_memory : gf_memory_available(),
        .note = print_note,
    };
}

int gf_session_open_among(const struct gf_settings *s, const struct gf_backend *const *backends,
                          struct gf_session *session) {
    struct gf_session_options options = session_options(s);
    if (gf_deal_is_list(options.backend, s->device))
        return gf_fail(GF_EUSAGE, "this command uses one device, not a list of them");
    options.backends = backends;
    if (backends)
        options.device = NULL;
    return gf_session_open(session, &options);
}

int gf_session_open_together(const struct gf_settings *s, struct gf_session *session,
                             struct gf_deal_device *first, char **devices) {
    struct gf_session_options options = session_options(s);
    struct gf_deal_device device[GF_DEAL_MOST];
    int n, rc = gf_deal_devices(gf_backends, options.backend, s->device, device, &n);
    *devices = NULL;
    if (rc)
        return rc;
    *first = device[0];
    if (n > 1 && !(*devices = gf_deal_together(device, n)))
        return gf_fail(GF_EUSAGE, "devices of one backend share a transform, not of several");
    options.backend = first->backend;
    options.device = first->device[0] ? first->device : NULL;
    options.device_variable = NULL;
    options.devices = *devices;
    return gf_session_open(session, &options);
}

int gf_deal_open_for(const struct gf_settings *s, bool together, struct gf_deal *deal) {
    const struct gf_session_options options = session_options(s);
    const struct gf_deal_request request = {.backend = options.backend,
                                            .device = s->device,
                                            .dynamic = s->deal == GF_DEAL_DYNAMIC,
                                            .together = together};
    return gf_deal_open(deal, &options, &request);
}
