/* Lines about devices that share a run. */
#include "cli/batch/deal_report.h"

#include <stdio.h>

#include "cli/batch/report.h"
#include "cli/log.h"

static double rounded(double share) {
    return (double)(int64_t)(share * 1e4 + 0.5) / 1e4;
}

/* `units`: of the task that is reported. */
static json_t *device_json(const struct gf_deal_entry *e, double share, int64_t units) {
    json_t *o = json_object();
    json_object_set_new(o, "device", gf_json_text(e->what.name));
    json_object_set_new(o, "share", json_real(rounded(share)));
    json_object_set_new(o, "units", json_integer(units));
    if (e->failed)
        json_object_set_new(o, "error", gf_json_text(e->message));
    return o;
}

json_t *gf_deal_json(const struct gf_task *t) {
    struct gf_deal *d = t->among;
    double share[GF_DEAL_MOST];
    json_t *o = json_object(), *devices = json_array();
    const bool pages = t->deal && t->pages.at_once;
    const int ran = gf_deal_find(d, t->runner->session);
    gf_deal_shares(d, share);
    for (int i = 0; i < d->n; i++)
        if (pages || i == ran)
            json_array_append_new(devices,
                                  device_json(&d->entry[i], share[i], pages ? d->entry[i].done : 1));
    json_object_set_new(o, "rule", json_string(d->dynamic ? "dynamic" : "fixed"));
    json_object_set_new(o, "recorded", json_boolean(d->recorded));
    json_object_set_new(o, "devices", devices);
    return o;
}

void gf_deal_print(struct gf_deal *d) {
    double share[GF_DEAL_MOST];
    if (d->n < 2)
        return;
    gf_deal_shares(d, share);
    for (int i = 0; i < d->n; i++) {
        const struct gf_deal_entry *e = &d->entry[i];
        gf_log_verbose("%s: share %.3f (%s), %lld unit%s", e->what.name, share[i],
                       d->dynamic    ? "as it turned out"
                       : d->recorded ? "from the record"
                                     : "from its first units",
                       (long long)e->done, e->done == 1 ? "" : "s");
    }
    bool survived = false;
    for (int i = 0; i < d->n; i++)
        survived = survived || !d->entry[i].failed;
    for (int i = 0; i < d->n && survived; i++)
        if (d->entry[i].failed)
            gf_log_note("%s failed, and the others did its work: %s", d->entry[i].what.name, d->entry[i].message);
}
