/* Lines about devices that share a run. */
#include "cli/batch/deal_report.h"

#include "cli/log.h"

void gf_deal_print(struct gf_deal *d) {
    double share[GF_DEAL_MOST];
    if (d->n < 2)
        return;
    gf_deal_shares(d, share);
    for (int i = 0; i < d->n; i++) {
        const struct gf_deal_entry *e = &d->entry[i];
        if (gf_deal_leaves_out(d, i)) {
            gf_log_verbose(
                "%s: left out: its context takes %.2g s to open, and the others need %.2g s",
                e->what.name, e->late, e->others);
            continue;
        }
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
            gf_log_note("%s failed, and the others did its work: %s", d->entry[i].what.name,
                        d->entry[i].message);
}
