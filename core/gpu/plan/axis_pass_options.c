/* What a pass along an axis tells its kernel, and what `gpufft plan` says of it. */
#include "core/gpu/plan/axis_pass.h"

void gf_gpu_axis_pass_describe(const struct gf_gpu_pass_builder *l, const struct gf_gpu_tile *t,
                               struct gf_gpu_pass *pass) {
    static const char *const from[] = {
        [LOAD_COMPLEX] = "",
        [LOAD_UNTANGLE] = "packed spectrum, ",
        [LOAD_HERMITIAN] = "half spectrum, ",
        [LOAD_TWO_HALVES] = "half spectrum, ",
        [LOAD_PACKED] = "",
        [LOAD_ROW_HALVES] = "half spectrum, ",
    };
    static const char *const to[] = {
        [STORE_COMPLEX] = "",
        [STORE_HALVES] = " -> half spectrum",
        [STORE_TANGLE] = " -> packed",
        [STORE_TWO_HALVES] = " -> half spectrum",
        [STORE_ROW_HALVES] = " -> half spectrum",
        [STORE_PACKED] = "",
    };
    const struct gf_gpu_axis_pass *g = l->leg;
    char tile[80], end[40] = "";
    if (t->sides == 2) /* two half lines and what joins them */
        gf_gpu_tile_describe_twice(t, tile, sizeof tile);
    else
        gf_gpu_tile_describe(t, tile, sizeof tile);
    if (g->store == STORE_SAMPLE)
        snprintf(end, sizeof end, " -> %s%s%s", gf_kind_name(g->sample->kind), " ",
                 gf_dtype_name(g->out_type));
    else if (g->store == STORE_PAIR)
        snprintf(end, sizeof end, " -> %s", gf_dtype_name(g->out_type));
    bool part = g->before[0] * g->before[1] > 1 || g->after > 1;
    snprintf(pass->summary.what, sizeof pass->summary.what, "%c: %s%s%s%s%s, tiles of %d%s%s",
             "zyxc"[g->axis], part ? "part " : "",
             gf_gpu_samples_in(g) ? gf_dtype_name(g->in_type) : "",
             gf_gpu_samples_in(g) ? ", " : from[g->load], tile,
             g->store == STORE_SAMPLE || g->store == STORE_PAIR ? end : to[g->store], t->lines,
             t->rows_in ? " rows" : " columns",
             g->filtered      ? ", there and back with the filter"
             : g->rader       ? ", Rader"
             : g->convolution ? ", Bluestein"
                              : "");
    pass->summary.bytes_read = (int64_t)l->read;
    pass->summary.bytes_written = (int64_t)l->written;
}

/* A pair's samples side by side, and every pair at an even place: one access moves both. */
static bool pairs_are_near(const struct gf_gpu_pass_builder *l, bool in, bool neighbours) {
    const struct pass_args *a = &l->args;
    bool near = neighbours || ((in ? a->pair_in : a->pair_out) == 1 && a->lone < 0 &&
                               (in ? a->in_point : a->out_point) % 2 == 0);
    for (int i = 0; i < l->n; i++)
        near = near && (in ? a->index[i].in : a->index[i].out) % 2 == 0;
    return near;
}

/* Whether elements of one line are within 32 bits of each other. */
static bool is_short(const struct gf_gpu_pass_builder *l, int64_t stride) {
    int64_t points = l->args.axis_size;
    if (l->leg->convolution > points)
        points = l->leg->convolution;
    return points * stride < (int64_t)1 << 31;
}

void gf_gpu_axis_pass_options(const struct gf_gpu_pass_builder *l, const struct gf_gpu_tile *t,
                              struct gf_gpu_pass *pass) {
    const struct gf_gpu_axis_pass *g = l->leg;
    gf_gpu_option(pass,
                  "-DLENGTH=%lld -DPOINTS=%d -DLINES=%d -DTHREADS=%d -DSTAGES=%d -DHELD=%d "
                  "-DRESIDENT=%d",
                  (long long)t->length, t->points, t->lines, t->threads, t->stages, t->held,
                  t->resident);
    for (int i = 0; i < t->stages; i++)
        gf_gpu_option(pass, "-DRADIX%d=%d", i, t->radix[i]);
    gf_gpu_option(pass,
                  "-DDIR=%d -DALGORITHM=%d -DROWS_IN=%d -DROWS_OUT=%d -DUNIT_IN=%d "
                  "-DUNIT_OUT=%d -DINDICES=%d",
                  g->dir, (int)t->algorithm, t->rows_in, t->rows_out, l->args.in_point == 1,
                  l->args.out_point == 1, l->n);
    gf_gpu_option(pass, "-DPAD_EVERY=%d -DIDX_STRIDE=%d -DLINE_STRIDE=%d -DWHOLE=%d", t->pad_every,
                  t->index_stride, t->line_stride, t->whole);
    gf_gpu_option(pass, "-DLOAD=%d -DSTORE=%d -DSPLIT=%d -DMULTIPLY_IN=%d -DMULTIPLY_OUT=%d",
                  g->load, g->store, g->after > 1 || g->both, g->multiply_in, g->multiply_out);
    bool whole = g->length == l->args.axis_size && !g->convolution;
    gf_gpu_option(pass, "-DSCALED=%d -DMIRROR=%d -DRADER_PART=%d", g->scaled, g->mirror, g->rader);
    gf_gpu_option(pass, "-DSHORT_IN=%d -DSHORT_OUT=%d", is_short(l, l->args.axis_in),
                  is_short(l, l->args.axis_out));
    gf_gpu_option(pass, "-DWHOLE_IN=%d -DWHOLE_OUT=%d -DUNIT_AXIS_IN=%d -DUNIT_AXIS_OUT=%d", whole,
                  whole, l->args.axis_in == 1, l->args.axis_out == 1);
    /* Two complex numbers are one access in single precision alone. */
    bool two = t->sides == 2 && g->load == LOAD_COMPLEX, wide = l->p->job.precision == GF_DOUBLE;
    bool halves = g->load == LOAD_TWO_HALVES;
    gf_gpu_option(pass, "-DNEAR_IN=%d -DNEAR_OUT=%d",
                  (g->load == LOAD_PAIR || ((halves || two) && !wide)) &&
                      pairs_are_near(l, true, two),
                  (g->store == STORE_PAIR || (two && !wide)) && pairs_are_near(l, false, two));
    if (gf_gpu_samples_in(g))
        gf_gpu_type_options(pass, "IN", g->in_type);
    if (gf_gpu_samples_out(g))
        gf_gpu_type_options(pass, "OUT", g->out_type);
    if (g->store == STORE_SAMPLE)
        gf_gpu_option(pass, "-DKIND=%d -DSCALE=%d -DSHIFTED=%d -DDISPLAY=%d", (int)g->sample->kind,
                      (int)g->sample->scale, g->sample->shift,
                      g->sample->map == GF_MAP_DISPLAY && gf_dtype_is_integer(g->out_type));
    if (g->store == STORE_SAMPLE)
        gf_gpu_option(pass, "-DBOUNDED=%d -DCOARSE=%d", gf_job_is_bounded(&l->p->job),
                      !(l->p->job.precision == GF_DOUBLE) && gf_dtype_is_integer(g->out_type) &&
                          gf_dtype_size(g->out_type) <= 2);
    else
        gf_gpu_option(pass, "-DKIND=0 -DSCALE=0 -DSHIFTED=0 -DDISPLAY=0");
}
