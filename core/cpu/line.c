/* Chooses algorithm and radices for a length, and builds the kernels' tables. */
#include "core/cpu/plan.h"

#include "core/base/value/factor.h"
#include "core/base/value/status.h"

const struct gf_cpu_kernels *gf_cpu_kernels_for(const struct gf_job *job) {
    const char *isa = gf_environment_isa();
    const struct gf_cpu_kernels *k =
        gf_cpu_kernels_find(job->precision == GF_DOUBLE ? 64 : 32, isa);
    if (!k)
        gf_fail(GF_EABSENT, "GPUFFT_ISA=%s does not run on this CPU", isa);
    return k;
}

struct gf_cpu_line *gf_cpu_line_plan(int64_t n, int bits) {
    struct gf_radices r = gf_factor_radices(n);
    struct gf_cpu_line *inner;
    switch (gf_factor_algorithm(n)) {
    case GF_ALG_RADER:
        inner = gf_cpu_line_plan(n - 1, bits);
        return inner ? gf_cpu_line_rader(n, gf_primitive_root(n), inner, bits) : NULL;
    case GF_ALG_BLUESTEIN:
        inner = gf_cpu_line_plan(gf_factor_smooth_length(2 * n - 1), bits);
        return inner ? gf_cpu_line_bluestein(n, inner, bits) : NULL;
    case GF_ALG_STAGES:
        break;
    }
    struct gf_cpu_line *leaf = NULL;
    if (r.rest > 1) {
        if (!(leaf = gf_cpu_line_plan(r.rest, bits)))
            return NULL;
        r.radix[r.n++] = (int)r.rest;
    }
    return gf_cpu_line_stages(n, r.radix, r.n, leaf, bits);
}

/* Plans the transform over a line's vectors. A leaf of sixteen reads more vectors from one cache
 * set than it has ways; two fours and eights are 5% faster. Shorter lines use sixteen with 32
 * registers, and a stage of four that is fused with the next (kernels/cpu/row_digits.h). Measured:
 * 4096 points alone gain 5%, as rows they lose 10%. */
static struct gf_cpu_line *vectors_plan(int64_t n, int lanes, int bits, bool alone) {
    enum { MOST_WITH_SIXTEEN = 256 };
    struct gf_radices r = gf_factor_radices(n);
    int *last = r.radix + r.n - 1, *eight = last - (r.n > 1);
    if (alone && *eight != 8)
        eight = r.radix;
    if (r.n > 2 && last[0] == 16 && last[-1] == 8) {
        memmove(r.radix + 2, r.radix, (size_t)(r.n++ - 1) * sizeof *r.radix);
        r.radix[0] = r.radix[1] = 4;
    } else if (lanes == 16 && n <= MOST_WITH_SIXTEEN && r.n > 1 && last[0] == 8 && *eight == 8) {
        *eight = 4;
        last[0] = 16;
    } else {
        return gf_cpu_line_plan(n, bits);
    }
    return gf_cpu_line_stages(n, r.radix, r.n, NULL, bits);
}

bool gf_cpu_row_plan(int64_t n, const struct gf_cpu_kernels *kernels, bool alone,
                     struct gf_cpu_row **rows) {
    const int lanes = kernels->lanes, bits = kernels->bits;
    /* of several lines two of 64 are as fast in eights */
    const bool few = gf_cpu_row_is_few(n, lanes) && (alone || n > 4 * lanes);
    const int block = few ? lanes : gf_cpu_row_block(n, lanes);
    *rows = NULL;
    if (!block || (alone && block < lanes && n > (int64_t)lanes * lanes))
        return true;
    *rows = gf_cpu_row_make(n, block, vectors_plan(n / block, lanes, bits, alone), lanes, bits);
    return *rows;
}
