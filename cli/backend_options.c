/* Makes options of core/session from settings. */
#include "cli/backend_options.h"

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

int gf_settings_wish(struct gf_settings *s) {
    return (gf_wish_is_list(s->backend, s->device) ? gf_wish_list : gf_wish_one)(
        &s->wish, gf_backends, s->backend, s->device);
}

int gf_settings_wish_one(struct gf_settings *s, const struct gf_backend *const *backends) {
    if (gf_wish_is_list(s->backend, s->device))
        return gf_fail(GF_EUSAGE, "this command uses one device, not a list of them");
    return gf_wish_one(&s->wish, backends, s->backend, backends ? NULL : s->device);
}

static struct gf_session_options session_options(const struct gf_settings *s) {
    struct gf_session_options o = {
        .wish = &s->wish,
        .open = gf_backend_options_of(s),
        .device_variable = "GPUFFT_DEVICE",
        .untuned = !s->tune,
        .ends = true,
        .memory_limit = s->max_memory ? s->max_memory : gf_memory_available(),
        .note = print_note,
    };
    if (s->device || s->assume) /* the wish has it */
        o.open.device = NULL;
    o.open.no_peer = !s->peer;
    o.open.dry = s->plan_only;
    return o;
}

int gf_session_open_for(const struct gf_settings *s, struct gf_session *session) {
    struct gf_session_options options = session_options(s);
    options.together = s->wish.n > 1;
    if (options.together && !gf_wish_shares(&s->wish))
        return gf_fail(GF_EUSAGE,
                       "a transform can be shared by devices of one backend, not of several");
    gf_session_open(session, &options);
    return 0;
}

int gf_deal_open_for(const struct gf_settings *s, bool together, struct gf_deal *deal) {
    struct gf_session_options options = session_options(s);
    options.together = together;
    return gf_deal_open(deal, &options, s->deal == GF_DEAL_DYNAMIC);
}
