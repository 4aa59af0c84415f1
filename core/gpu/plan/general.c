/* Arguments of the general kernel, which transforms lines of any length. */
#include "core/gpu/plan/pass_builder.h"

#include "core/base/value/factor.h"
#include "core/base/value/status.h"
#include "core/gpu/plan/tables.h"

enum { THREADS = 256 /* as in the kernel */, MOST = 1 << 14 };

/* Chooses few, large radices; false if there are too many or other primes remain. */
static bool set_radices(struct gf_gpu_tile *t, int64_t points) {
    static const int radices[] = {8, 7, 5, 4, 3, 2};
    int64_t rest = points;
    t->points = (int)points;
    t->stages = 0;
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        for (; rest % radices[i] == 0; rest /= radices[i]) {
            if (t->stages == GENERAL_STAGES)
                return false;
            t->radix[t->stages++] = radices[i];
        }
    return rest == 1 && points <= MOST;
}

/* True for whole lines that are stored point by point. */
static bool is_plain(const struct gf_gpu_axis_pass *ap) {
    bool whole = ap->before[0] * ap->before[1] * ap->after == 1 && !ap->convolution;
    bool load = ap->load != LOAD_PACKED && ap->load != LOAD_ROW_HALVES;
    bool store = ap->store == STORE_COMPLEX || ap->store == STORE_PAIR ||
                 ap->store == STORE_HALVES || ap->store == STORE_SAMPLE;
    return whole && load && store && !ap->fold && !ap->filtered && !ap->both && !ap->rader;
}

bool gf_gpu_general_tile(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *chosen,
                         struct gf_gpu_tile *t) {
    const struct gf_gpu_props *props = &b->p->props;
    const int64_t n = b->ap->length, pair = 2 * gf_gpu_word(&b->p->job);
    *t = (struct gf_gpu_tile){.length = n,
                              .lines = chosen->lines,
                              .rows_in = chosen->rows_in,
                              .rows_out = chosen->rows_out,
                              .algorithm = GF_GPU_PLAIN,
                              .members = 1,
                              .threads = THREADS,
                              .whole = true,
                              .sides = 1,
                              .resident = 1,
                              .bound = 1};
    if (!is_plain(b->ap) || n > MOST || props->max_group < THREADS)
        return false;
    if (!set_radices(t, n)) {
        t->algorithm = GF_GPU_BLUESTEIN;
        if (!set_radices(t, gf_factor_smooth_length(2 * n - 1)))
            return false;
    }
    const int64_t points = t->points;
    while (t->lines > 1 && 2 * points * t->lines * pair > props->local_bytes / 2)
        t->lines /= 2;
    t->local_bytes = 2 * points * t->lines * pair;
    return t->local_bytes <= props->local_bytes;
}

void gf_gpu_general_args(struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    struct gf_gpu_tables *tables = &b->p->tables;
    struct pass_args *a = &b->args;
    a->points = t->points;
    a->lines = t->lines;
    a->stages = t->stages;
    for (int i = 0; i < t->stages; i++)
        a->radix[i] = t->radix[i];
    a->rows_in = t->rows_in;
    a->rows_out = t->rows_out;
    for (int i = b->n; i < 5; i++)
        a->index[i].count = a->index[i].counted = 1;
    a->table_split = gf_gpu_table_split(tables, t->points, 0, &a->table_split_low);
    if (t->algorithm == GF_GPU_BLUESTEIN) {
        a->table_chirp = gf_gpu_table_chirp(tables, t->length, 1); /* forward: see the kernel */
        a->table_spectrum = gf_gpu_table_spectrum(tables, t->algorithm, t->length, t->points, 1);
    }
}
