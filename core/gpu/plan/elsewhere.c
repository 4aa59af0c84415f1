/* Lets a plan's first pass read some of its points from another buffer. */
#include "core/gpu/plan/elsewhere.h"

#include "core/gpu/plan/pass.h"

static const struct gf_gpu_pass *first_launch(const struct gf_gpu_plan *p) {
    const struct gf_gpu_pass *pass = &p->pass[0];
    return pass->chain ? &p->chain[pass->chain - 1] : pass;
}

bool gf_gpu_plan_can_read_elsewhere(const struct gf_gpu_plan *p) {
    const struct gf_gpu_pass *pass = &p->pass[0], *launch = first_launch(p);
    return p->n_passes && pass->kind == GF_GPU_PASS_AXIS && pass->plain &&
           pass->load == LOAD_COMPLEX && launch->n_buffers < GF_GPU_MAX_BUFFERS;
}

void gf_gpu_plan_read_elsewhere(struct gf_gpu_plan *p) {
    struct gf_gpu_pass *launch = (struct gf_gpu_pass *)first_launch(p);
    launch->buffer[launch->n_buffers++] = GF_GPU_ELSEWHERE;
    gf_gpu_option(launch, "-DELSEWHERE=1");
}

void gf_gpu_plan_set_elsewhere(struct gf_gpu_plan *p, struct gf_span coordinates) {
    struct gf_gpu_pass *launch = (struct gf_gpu_pass *)first_launch(p);
    struct pass_args *args =
        launch->kind == GF_GPU_PASS_CHAIN ? &launch->args.chain.first : &launch->args.pass;
    args->elsewhere_first = coordinates.first;
    args->elsewhere_count = coordinates.count;
}
