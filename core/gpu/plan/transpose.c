/* A pass from spectra of a long line's columns to the rows of its matrix, and back. */

#include "core/base/value/status.h"
#include "core/gpu/plan/pass_builder.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/tables.h"

enum { SIDE = 32 }; /* of the squares in kernels/transpose.cl */

static void set_transpose(const struct gf_job *job, const struct gf_gpu_space *work, bool half,
                          struct transpose_args *a) {
    a->columns = work->extent[2];
    a->channels = work->extent[3];
    a->n = job->shape[0];
    a->height = work->extent[1];
    a->numbers = half ? a->n / 2 + 1 : a->n;
}

int gf_gpu_add_transpose(struct gf_gpu_plan *p, const struct gf_gpu_space *work) {
    const struct gf_job *job = &p->job;
    const bool back = job->direction == GF_INVERSE, is_double = job->precision == GF_DOUBLE;
    const bool half = back ? job->in_half : job->out[0].half;
    const int64_t word = is_double ? 8 : 4;
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_TRANSPOSE, "transpose.cl", "transpose_step");
    if (!pass)
        return GF_EUNSUPP;
    struct transpose_args *a = &pass->args.transpose;
    set_transpose(job, work, half, a);
    while ((int64_t)1 << 2 * a->split_bits < job->line) /* two tables of equal size */
        a->split_bits++;
    a->table_split =
        gf_gpu_table_split(&p->tables, job->line, (int)a->split_bits, &a->table_split_low);
    pass->energy = back && job->real && !half;
    gf_gpu_option(pass, "-DBACK=%d -DHERMITIAN=%d", back, pass->energy);
    GF_GPU_BUFFERS(pass, back ? GF_GPU_IN : work->buffer_id, back ? work->buffer_id : GF_GPU_OUT,
                   GF_GPU_TABLES, GF_GPU_ENERGY);
    p->bytes[GF_GPU_ENERGY] = 2 * GF_GPU_GROUPS * word;
    const int64_t groups = gf_divide_up(a->columns, SIDE) *
                           gf_divide_up(back ? a->height : a->numbers, SIDE) * a->channels;
    gf_gpu_set_launch(pass, gf_min(GF_GPU_GROUPS, groups), GROUP, SIDE * (SIDE + 1) * 2 * word,
                      sizeof *a);
    snprintf(pass->summary.what, sizeof pass->summary.what,
             "transposed, times the line's twiddles");
    const int64_t each = a->columns * a->channels * 2 * word;
    pass->summary.bytes_read = each * (back ? a->numbers : gf_min(a->height, a->numbers));
    pass->summary.bytes_written = each * (back ? a->height : a->numbers);
    pass->cost = (double)(pass->summary.bytes_read + pass->summary.bytes_written) / 0.8 +
                 gf_gpu_launch_cost(&p->props);
    return 0;
}

void gf_gpu_transpose_move(struct gf_gpu_plan *p, int64_t first) {
    for (int i = 0; i < p->n_passes; i++)
        if (p->pass[i].kind == GF_GPU_PASS_TRANSPOSE)
            p->pass[i].args.transpose.first = first;
}
