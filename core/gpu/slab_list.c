/* Lists a job in slabs for `gpufft plan`. */

#include "core/gpu/slab.h"

/* Adds the host bytes copied, or if the arrays stay on the device, those of all passes. */
static void count_bytes(struct gf_gpu_walk *w, struct gf_pass_info *pass) {
    const struct gf_gpu_role *role = &w->s->role;
    for (int64_t part = 0; part < w->n && role->resident; part++) {
        const struct gf_gpu_plan *p = gf_gpu_part_run(w, part)->plan;
        for (int i = 0; i < p->n_passes; i++) {
            pass->bytes_read += p->pass[i].summary.bytes_read;
            pass->bytes_written += p->pass[i].summary.bytes_written;
        }
    }
    if (role->resident || !w->n)
        return;
    pass->bytes_read += !role->members || w->from_input ? w->bytes_read : 0;
    pass->bytes_written += !role->members || w->to_output ? w->bytes_written : 0;
}

/* Lists walk `index` of all devices, with the longest parts of any. */
static void list_walk(const struct gf_gpu_shared *p, int index, struct gf_plan *plan) {
    struct gf_pass_info *pass = &plan->pass[plan->n_passes++];
    const struct gf_gpu_slabs *s = p->member->s;
    const struct gf_gpu_walk *longest = &s->walk[index];
    int busy = 0;
    *pass = (struct gf_pass_info){.bytes_read = 0};
    for (int i = 0; i < p->n; i++) {
        struct gf_gpu_walk *w = &p->member[i].s->walk[index];
        busy += w->n > 0;
        longest = w->each > longest->each ? w : longest;
        count_bytes(w, pass);
        plan->kernels_built += w->run[0].built + w->run[1].built;
        plan->build_seconds += w->run[0].build_seconds + w->run[1].build_seconds;
    }
    const int passes = longest->run[0].plan->n_passes;
    const char *scans = longest->scans ? ", for the display range" : "";
    const char *units = longest->columns  ? "columns"
                        : longest->blocks ? (s->asked.ndim == 1 ? "rows" : "bins of a page")
                                          : "pages";
    const char *plural = passes == 1 ? "" : "es";
    const long long each = longest->each;
    if (s->role.members)
        snprintf(pass->what, sizeof pass->what, "%d devices, %s%s: %lld %s at a time, %d pass%s",
                 busy, longest->what, scans, each, units, passes, plural);
    else
        snprintf(pass->what, sizeof pass->what, "%lld %s%s: %lld %s each, %d pass%s on the device",
                 (long long)longest->n, longest->what, scans, each, units, passes, plural);
}

/* Bytes that a device sends to others in all walks. */
static int64_t sent_by(const struct gf_gpu_slabs *s) {
    int64_t bytes = 0;
    for (int i = 0; i + 1 < s->n_walks; i++) {
        const struct gf_gpu_walk *w = &s->walk[i], *next = w + 1;
        const int64_t all = next->blocks ? s->bins : s->plan.pages;
        bytes += w->to_output ? 0 : w->extent * (all - next->extent) * s->unit;
    }
    if (s->role.natural)
        bytes += s->walk[1].extent * (s->plan.pages - s->walk[0].extent) * s->unit;
    return bytes;
}

static void list_share(const struct gf_gpu_shared *p, int i, struct gf_plan_share *share) {
    const struct gf_gpu_slabs *s = p->member[i].s;
    *share = (struct gf_plan_share){.bytes = s->device_bytes, .sent = sent_by(s)};
    snprintf(share->device, sizeof share->device, "%s", p->member[i].name);
    for (int k = 0; k < s->n_walks; k++) {
        const struct gf_gpu_walk *w = &s->walk[k];
        *(w->blocks ? &share->bins : &share->pages) = (struct gf_span){w->first, w->extent};
    }
    share->direct = p->reaches[i] == (1u << p->n) - 1;
}

void gf_gpu_shared_list(const struct gf_gpu_shared *p, struct gf_plan *plan) {
    for (int i = 0; i < p->member->s->n_walks; i++)
        list_walk(p, i, plan);
    for (int i = 0; i < p->n; i++) {
        const struct gf_gpu_slabs *s = p->member[i].s;
        if (s->role.members)
            list_share(p, i, &plan->share[plan->n_shares++]);
        plan->workspace_bytes += s->host_bytes;
        plan->device_bytes = gf_max(plan->device_bytes, s->device_bytes);
    }
    plan->in_slabs = !p->member->s->role.resident;
}
