/* Prints an axis pass as kernel options and as a line of `gpufft plan`. */
#include "core/gpu/plan/pass_builder.h"

#include <math.h>

#include "core/gpu/plan/pass.h"

static void joined_text(const struct gf_gpu_axis_pass *ap, char *text, size_t size) {
    const int z = ap->left[0], y = ap->left[1];
    if (z > 1 && y > 1)
        snprintf(text, size, ", with the last %d of z and %d of y", z, y);
    else
        snprintf(text, size, ", with the last %d of %c", z > 1 ? z : y, z > 1 ? 'z' : 'y');
}

void gf_gpu_axis_pass_describe(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t,
                               struct gf_gpu_pass *pass) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const bool halves_in =
        ap->load == LOAD_HERMITIAN || ap->load == LOAD_TWO_HALVES || ap->load == LOAD_ROW_HALVES;
    const bool halves_out =
        ap->store == STORE_HALVES || ap->store == STORE_TWO_HALVES || ap->store == STORE_ROW_HALVES;
    const char *from = halves_in                   ? "half spectrum, "
                       : ap->load == LOAD_UNTANGLE ? "packed spectrum, "
                                                   : "";
    char tile[80], end[40] = "", across[64] = "";
    gf_gpu_tile_describe(t, t->sides, tile, sizeof tile); /* two sides are the halves of a line */
    if (ap->store == STORE_SAMPLE)
        snprintf(end, sizeof end, " -> %s %s", gf_kind_name(ap->sample->kind),
                 gf_dtype_name(ap->out_type));
    else if (ap->store == STORE_PAIR)
        snprintf(end, sizeof end, " -> %s", gf_dtype_name(ap->out_type));
    else if (halves_out || ap->store == STORE_TANGLE)
        snprintf(end, sizeof end, " -> %s", halves_out ? "half spectrum" : "packed");
    if (ap->across_axis >= 0)
        snprintf(across, sizeof across, ", with the last 2 of %c", "zyxc"[ap->across_axis]);
    if (gf_gpu_joins(ap) > 1)
        joined_text(ap, across, sizeof across);
    bool part = ap->before[0] * ap->before[1] > 1 || ap->after > 1;
    snprintf(pass->summary.what, sizeof pass->summary.what, "%c: %s%s%s%s%s, tiles of %d%s%s",
             "zyxc"[ap->axis], part ? "part " : "",
             gf_gpu_samples_in(ap) ? gf_dtype_name(ap->in_type) : "",
             gf_gpu_samples_in(ap) ? ", " : from, tile, end, t->lines,
             t->rows_in || t->coalesced_in ? " rows" : " columns",
             *across           ? across
             : ap->filtered    ? ", there and back with the filter"
             : ap->rader       ? ", Rader"
             : ap->convolution ? ", Bluestein"
                               : "");
    pass->summary.bytes_read = (int64_t)b->read;
    pass->summary.bytes_written = (int64_t)b->written;
}

bool gf_gpu_turns_by_line(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    enum { MOST = 5 << 18 }; /* entries */
    const int64_t last = t->radix[t->stages - 1];
    return gf_gpu_is_turned(b->ap) && !b->general && !b->ap->convolution &&
           t->algorithm == GF_GPU_PLAIN && b->args.index[0].turn &&
           (t->points / last + last) * b->args.index[0].count <= MOST;
}

bool gf_gpu_can_coalesce(const struct gf_gpu_pass_builder *b, bool in) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const struct gf_gpu_props *props = &b->p->props;
    const int e = in ? ap->load : ap->store;
    const bool pairs =
        in ? e == LOAD_PAIR || e == LOAD_TWO_HALVES : e == STORE_PAIR || e == STORE_TWO_HALVES;
    const bool known = pairs || (in ? e == LOAD_COMPLEX || e == LOAD_REAL : e == STORE_COMPLEX);
    const bool halves = e == (in ? LOAD_TWO_HALVES : STORE_TWO_HALVES);
    const int64_t row = halves ? ap->length / 2 + 1 : ap->length;
    const bool whole = !gf_gpu_is_part(ap) && !ap->convolution && !ap->filtered && !ap->fold &&
                       !ap->range && ap->across_axis < 0 && gf_gpu_joins(ap) == 1;
    return known && whole && (in ? b->in_step : b->out_step) == 1 &&
           (in ? b->args.index[0].in : b->args.index[0].out) == row << pairs &&
           (!pairs || (in ? b->args.pair_in : b->args.pair_out) == row) && !props->is_cpu &&
           !props->plain && !b->p->general && !b->chains;
}

/* True if the samples of a pair are adjacent and each pair is at an even offset, so one access
 * moves both. */
static bool pairs_are_near(const struct gf_gpu_pass_builder *b, bool in, bool neighbours) {
    const struct pass_args *a = &b->args;
    bool near = neighbours || ((in ? a->pair_in : a->pair_out) == 1 && a->lone < 0 &&
                               (in ? a->in_point : a->out_point) % 2 == 0);
    for (int i = 0; i < b->n; i++)
        near = near && (in ? a->index[i].in : a->index[i].out) % 2 == 0;
    return near;
}

/* True if offsets within a line fit in 32 bits. */
static bool is_short(const struct gf_gpu_pass_builder *b, int64_t stride) {
    int64_t points = b->args.axis_size;
    if (b->ap->convolution > points)
        points = b->ap->convolution;
    return points * stride < (int64_t)1 << 31;
}

static void sample_options(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    if (gf_gpu_samples_in(ap))
        gf_gpu_type_options(pass, "IN", ap->in_type);
    if (gf_gpu_samples_out(ap))
        gf_gpu_output_options(pass, ap->out_type);
    if (gf_gpu_samples_out(ap) && gf_dtype_is_integer(ap->out_type) &&
        gf_job_counts_part(&b->p->job))
        gf_gpu_option(pass, "-DCOUNTED=1");
    if (ap->store == STORE_SAMPLE)
        gf_gpu_option(pass, "-DKIND=%d -DSCALE=%d -DSHIFTED=%d -DDISPLAY=%d", (int)ap->sample->kind,
                      (int)ap->sample->scale, ap->sample->shift, gf_output_is_display(ap->sample));
    if (ap->range)
        gf_gpu_option(pass, ap->keys ? "-DSAMPLED=1" : "-DAWAITS_RANGE=1");
    if (ap->store == STORE_SAMPLE)
        gf_gpu_option(pass, "-DBOUNDED=%d -DCOARSE=%d", gf_job_is_bounded(&b->p->job),
                      !(b->p->job.precision == GF_DOUBLE) && gf_dtype_is_integer(ap->out_type) &&
                          gf_dtype_size(ap->out_type) <= 2);
    else
        gf_gpu_option(pass, "-DKIND=0 -DSCALE=0 -DSHIFTED=0 -DDISPLAY=0");
}

void gf_gpu_general_options(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    gf_gpu_option(pass, "-DDIR=%d -DLOAD=%d -DSTORE=%d -DSCALED=%d -DMIRROR=%d", ap->dir, ap->load,
                  ap->store, ap->scaled, ap->mirror);
    sample_options(b, pass);
}

/* One more than the largest offset, in elements, that a work item computes, including lines past a
 * tile's last. */
static double reach(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t, bool in) {
    const struct pass_args *a = &b->args;
    double most =
        fmax((double)t->points, (double)t->length) * (double)(in ? b->in_step : b->out_step) +
        (double)(in ? a->pair_in : a->pair_out);
    for (int i = 0; i < b->n; i++) {
        const struct index_args *x = &a->index[i];
        int64_t stride = in ? x->in : x->out, count = gf_max(x->count, x->size);
        if (in && i == 0 && b->ap->across_axis >= 0) /* a stride of line pairs */
            stride /= 2;
        if (i == 0 && gf_gpu_joins(b->ap) > 1) { /* one tile holds all of them */
            most += (double)b->ap->left[0] * (double)stride +
                    (double)b->ap->left[1] * (double)(in ? a->pair_in : a->pair_out);
            continue;
        }
        if (!stride) /* included in a coordinate */
            stride = in ? x->point_in * a->axis_in : x->point_out * a->axis_out;
        most += (double)(count + t->lines) * (double)stride;
    }
    return most;
}

/* True if 32 bits cannot hold every offset and twice every coordinate. */
static bool is_far(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const double most = 2147483648.0;
    double points = fmax((double)b->args.axis_size, (double)b->ap->convolution);
    return 2 * points >= most || reach(b, t, true) >= most || reach(b, t, false) >= most;
}

void gf_gpu_tile_options(struct gf_gpu_pass *pass, const char *prefix,
                         const struct gf_gpu_tile *t) {
    unsigned radices = 0;
    for (int i = 0; i < t->stages; i++)
        radices |= 1u << t->radix[i];
    for (int i = 0; i < t->member_stages; i++)
        radices |= 1u << t->member_radix[i];
    const struct {
        const char *name;
        int64_t value;
    } options[] = {{"LENGTH", t->length},
                   {"POINTS", t->points},
                   {"LINES", t->lines},
                   {"STAGES", t->stages},
                   {"HELD", t->held},
                   {"ROWS_IN", t->rows_in},
                   {"ROWS_OUT", t->rows_out},
                   {"PAD_EVERY", t->pad_every},
                   {"IDX_STRIDE", t->index_stride},
                   {"LINE_STRIDE", t->line_stride},
                   {"WHOLE", t->whole},
                   {"RADICES", radices}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        gf_gpu_option(pass, "-D%s%s=%lld", prefix, options[i].name, (long long)options[i].value);
    for (int i = 0; i < t->stages; i++)
        gf_gpu_option(pass, "-D%sRADIX%d=%d", prefix, i, t->radix[i]);
    if (t->coalesced_in || t->coalesced_out)
        gf_gpu_option(pass, "-DCOALESCED_IN=%d -DCOALESCED_OUT=%d", t->coalesced_in,
                      t->coalesced_out);
    if (t->members > 1)
        gf_gpu_option(pass, "-DMEMBERS=%d -DMEMBER_STAGES=%d", t->members, t->member_stages);
    for (int i = 0; i < t->member_stages; i++)
        gf_gpu_option(pass, "-DMEMBER%d=%d", i, t->member_radix[i]);
}

/* Bytes per access for rows of samples that are written whole through the tile, a divisor of every
 * row's offset; 0 if they are not. */
static int row_access(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const struct pass_args *a = &b->args;
    int64_t samples = ap->length, bytes = b->out_bytes;
    if (ap->store != STORE_SAMPLE || ap->keys || ap->sample->map != GF_MAP_DISPLAY ||
        !gf_dtype_is_integer(ap->out_type) || !t->rows_out || a->axis_out != 1 ||
        ap->length != a->axis_size || t->algorithm != GF_GPU_PLAIN ||
        2 * samples * bytes * t->lines > t->local_bytes)
        return 0;
    for (int i = 0; i < b->n; i++)
        samples |= a->index[i].out; /* its lowest set bit is the common power of two */
    for (int access = 16; access >= 4; access /= 2)
        if (samples * bytes % access == 0)
            return access;
    return 0;
}

void gf_gpu_axis_pass_options(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t,
                              struct gf_gpu_pass *pass) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    pass->far = is_far(b, t);
    gf_gpu_tile_options(pass, "", t);
    gf_gpu_option(pass, "-DTHREADS=%d -DRESIDENT=%d -DDIR=%d -DALGORITHM=%d", t->threads, t->bound,
                  ap->dir, (int)t->algorithm);
    gf_gpu_option(pass, "-DUNIT_IN=%d -DUNIT_OUT=%d -DINDICES=%d", b->args.in_point == 1,
                  b->args.out_point == 1, b->n);
    gf_gpu_option(pass, "-DLOAD=%d -DSTORE=%d -DSPLIT=%d -DMULTIPLY_IN=%d -DMULTIPLY_OUT=%d",
                  ap->load, ap->store,
                  gf_gpu_turns_by_line(b, t) ? SPLIT_BY_LINE
                  : !gf_gpu_is_turned(ap)    ? 0
                  : b->args.split_bits       ? 2
                                             : 1,
                  ap->multiply_in, ap->multiply_out);
    bool whole = ap->length == b->args.axis_size && !ap->convolution;
    gf_gpu_option(pass, "-DSCALED=%d -DMIRROR=%d -DRADER_PART=%d", ap->scaled, ap->mirror,
                  ap->rader);
    gf_gpu_option(pass, "-DSHORT_IN=%d -DSHORT_OUT=%d -DFAR=%d", is_short(b, b->args.axis_in),
                  is_short(b, b->args.axis_out), pass->far);
    gf_gpu_option(pass, "-DWHOLE_IN=%d -DWHOLE_OUT=%d -DUNIT_AXIS_IN=%d -DUNIT_AXIS_OUT=%d", whole,
                  whole, b->args.axis_in == 1, b->args.axis_out == 1);
    /* One access moves two complex numbers in single precision only. */
    bool two = t->sides == 2 && ap->load == LOAD_COMPLEX,
         is_double = b->p->job.precision == GF_DOUBLE;
    bool halves = ap->load == LOAD_TWO_HALVES;
    gf_gpu_option(
        pass, "-DNEAR_IN=%d -DNEAR_OUT=%d",
        (ap->load == LOAD_PAIR || ((halves || two) && !is_double)) && pairs_are_near(b, true, two),
        (ap->store == STORE_PAIR || (two && !is_double)) && pairs_are_near(b, false, two));
    const bool sums = ap->fold && ap->load == LOAD_PAIR && gf_gpu_is_part(ap);
    pass->folded = sums || gf_gpu_is_mirrored(ap);
    if (sums)
        gf_gpu_option(pass, "-DSUMS=1");
    if (ap->across_axis >= 0)
        gf_gpu_option(pass, "-DACROSS=1");
    for (int i = 0; i < b->n && gf_gpu_joins(ap) > 1; i++)
        if (b->axis[i] < 2)
            gf_gpu_option(pass, "-DJOIN_%c=%d -DJOIN_AT_%c=%d", "ZY"[b->axis[i]],
                          ap -> left[b->axis[i]], "ZY"[b->axis[i]], i);
    if (gf_gpu_is_mirrored(ap))
        gf_gpu_option(pass, "-DMIRRORED=1 -DFOLD_SPLIT=%d", b->args.fold_bits ? 2 : 1);
    if (ap->store == STORE_SAMPLE && row_access(b, t))
        gf_gpu_option(pass, "-DROW_ACCESS=%d", row_access(b, t));
    sample_options(b, pass);
}
