/* Removes stripes from each plane of the samples, before the search for waves. */
#include "core/op/filter/filtering.h"
#include "core/base/host/memory.h"

/* The least deviation, in levels of an integer: rounding makes rows of a smooth shade. */
static const double LEAST_DEVIATION = 0.75;

/* The rows and columns of a plane are the last two axes. */
int64_t gf_filter_planes(const struct gf_operation *op) {
    return gf_shape_count(gf_filtering_of(op)->frame.shape, op->job.ndim - 2);
}

int gf_filter_expect_stripes(struct gf_operation *op) {
    const int64_t *n = gf_filtering_of(op)->frame.shape + op->job.ndim - 2;
    int64_t clean;
    if (op->job.ndim < 2)
        return gf_fail(GF_EINVAL, "--destripe needs a picture; a line has no stripes");
    int rc = gf_size_product(op->of.px.shape, op->job.ndim + 1, 8, &clean);
    gf_filtering_of(op)->n_striped = 1; /* until they are looked for */
    return rc ? rc
              : gf_filter_check_memory(op, clean + gf_destripe_bytes(n[0], n[1], op->job.channels));
}

int gf_filter_remove_stripes(struct gf_operation *op) {
    struct gf_filtering *f = op->state;
    const int last = op->job.ndim - 1;
    int threads = op->crew.threads;
    struct gf_destripe want = {
        .axis = gf_filter_options_of(op)->destripe - GF_DESTRIPE_ROWS,
        .threads = threads,
        .transform = {gf_filter_run_here, &threads},
    };
    if (gf_dtype_is_integer(f->frame.dtype)) {
        gf_dtype_range(f->frame.dtype, &want.low, &want.high);
        want.high = f->frame.white > 0 ? f->frame.white : want.high;
        want.least = LEAST_DEVIATION;
    }
    int rc = gf_array_alloc(&f->clean, op->job.precision == GF_DOUBLE ? GF_F64 : GF_F32, last + 2,
                            op->in.shape);
    f->n_striped = 0;
    f->stripes.axis = -1;
    for (int64_t z = 0; z < gf_filter_planes(op) && !rc; z++) {
        const struct gf_array in = last > 1 ? gf_array_index(&op->in, 0, z) : op->in;
        struct gf_array out = last > 1 ? gf_array_index(&f->clean, 0, z) : f->clean;
        struct gf_stripes found;
        rc = gf_destripe(&want, &in, &out, &found);
        if (!rc && found.axis >= 0 && !f->n_striped++)
            f->stripes = found;
    }
    if (!rc && f->n_striped) {
        op->in = f->clean;
        op->in.base = NULL;
    } else {
        gf_array_free(&f->clean);
    }
    return rc;
}
