/* What `gpufft plan` shows of a job in slabs. */
#include <stdio.h>

#include "core/gpu/slab.h"

void gf_gpu_slabs_list(const struct gf_gpu_slabs *s, struct gf_plan *plan) {
    for (int i = 0; i < s->n_walks; i++) {
        const struct gf_gpu_walk *w = &s->walk[i];
        struct gf_pass_info *pass = &plan->pass[plan->n_passes++];
        *pass =
            (struct gf_pass_info){.bytes_read = w->bytes_read, .bytes_written = w->bytes_written};
        const int passes = w->run[0].plan->n_passes;
        snprintf(pass->what, sizeof pass->what, "%lld %s%s: %lld %s each, %d pass%s on the device",
                 (long long)w->n, w->what, w->scans ? ", for the display range" : "",
                 (long long)w->each,
                 w->columns           ? "columns"
                 : s->asked.ndim == 1 ? "rows"
                 : w->blocks          ? "bins of a page"
                                      : "pages",
                 passes, passes == 1 ? "" : "es");
        plan->kernels_built += w->run[0].built + w->run[1].built;
        plan->build_seconds += w->run[0].build_seconds + w->run[1].build_seconds;
    }
    plan->in_slabs = true;
    plan->workspace_bytes = s->host_bytes;
    plan->device_bytes = s->device_bytes;
}
