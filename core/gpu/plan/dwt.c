/* Plans wavelets: each level's tile and pass. */
#include "core/gpu/plan/plan_builder.h"

#include <math.h>

#include "core/wavelet/dwt.h"
#include "core/base/value/status.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/plan/pass.h"

/* How a level's work is divided; see kernels/wavelet.h. */
struct wave_tile {
    int items;     /* per group */
    int width;     /* adjacent items along x, a power of two */
    int rows;      /* of each band per item, if both planes and rows are transformed */
    int resident;  /* groups per multiprocessor */
    bool ahead;    /* planes are prefetched */
    int64_t strip; /* steps per item */
};

/* ---------------------------------------------------------------- levels */

enum { WALK, ROW, X };

struct level {
    struct gf_gpu_plan *p;
    int number;
    bool on[3];                 /* z, y, x */
    struct gf_dwt_axis axis[3]; /* likewise */
    int at[3];                  /* axes of WALK, ROW and X */
    enum gf_gpu_buffer_id fine, packed, low;
    enum gf_dtype fine_type, packed_type, low_type;
    struct wave_args args;
    struct wave_tile tile;
};

static bool inverse(const struct level *l) {
    return l->p->job.direction == GF_INVERSE;
}

static bool transforms_planes(const struct level *l) {
    return l->on[0] && l->on[1];
}

/* Strides of dense rows and planes. */
static void strides(const struct level *l, const int64_t extent[3], int64_t out[3]) {
    out[2] = l->p->job.channels;
    out[1] = out[2] * extent[2];
    out[0] = out[1] * extent[1];
}

static void set_strides(struct level *l) {
    struct wave_args *a = &l->args;
    int64_t n[3], m[3], all[3], fine[3], low[3], packed[3];
    for (int i = 0; i < 3; i++) {
        n[i] = l->axis[i].n[l->number - 1];
        m[i] = l->axis[i].n[l->number];
        all[i] = l->axis[i].packed;
    }
    strides(l, n, fine);
    strides(l, all, packed);
    strides(l, l->low == l->packed ? all : m, low);
    for (int i = 0; i < 3; i++) {
        int from = l->at[i];
        a->n[i] = n[from];
        a->m[i] = m[from];
        a->detail[i] = l->axis[from].at[l->number] * packed[from];
        if (i == X)
            continue;
        a->fine[i] = fine[from];
        a->low[i] = low[from];
        a->packed[i] = packed[from];
    }
}

/* Pairs of samples from an axis' bands; see core/cpu/dwt_level.c. */
static int64_t pairs(const struct level *l, int64_t m) {
    return m - (l->p->job.wavelet.boundary == GF_PERIODIC ? 0 : 1);
}

static void count_work(struct level *l) {
    struct wave_args *a = &l->args;
    bool walk = l->on[l->at[WALK]], row = transforms_planes(l), x = l->on[2];
    a->channels = l->p->job.channels;
    a->columns = (!x ? a->n[X] : inverse(l) ? (a->n[X] + 1) / 2 : a->m[X]) * a->channels;
    a->rows = !row ? a->n[ROW] : inverse(l) ? pairs(l, a->m[ROW]) : a->m[ROW];
    a->steps = !walk ? a->n[WALK] : inverse(l) ? pairs(l, a->m[WALK]) : a->m[WALK];
}

static int power_up_to(int64_t n, int most) {
    int p = 1;
    while (p < n && p < most)
        p *= 2;
    return p;
}

/* Relative time by strip length. A strip reads two more planes or rows than it finishes, and the
 * last wave of groups leaves units idle; three quarters of that is regained, as the others have the
 * memory to themselves. */
static double strip_cost(int64_t strip, int64_t steps, double groups, double at_once) {
    double waves = groups * (double)gf_divide_up(steps, strip) / at_once;
    return (2 + 1 / (double)strip) * (1 + 0.25 * (ceil(waves) - waves) / waves);
}

static void choose_tile(struct level *l) {
    const struct gf_gpu_props *props = &l->p->props;
    const struct wave_args *a = &l->args;
    const bool volume = transforms_planes(l), is_double = l->p->job.precision == GF_DOUBLE;
    struct wave_tile *t = &l->tile;
    int most = power_up_to(props->max_group, 256);
    t->items = most <= props->max_group ? most : most / 2;
    t->width = power_up_to(a->columns, volume && t->items > 64 ? 64 : t->items);
    /* Limited by Hopper's registers. */
    t->rows = volume && !is_double ? 2 : 1;
    t->resident = volume || is_double ? 2 : inverse(l) ? 5 : 6;
    t->ahead = !volume;
    int64_t longest = props->is_cpu ? 64 : volume ? 48 : 16;
    double groups =
        (double)gf_divide_up(a->columns, t->width) *
        ((double)gf_divide_up(a->rows, t->rows) / ((double)t->items / (double)t->width));
    double at_once = (double)props->units * t->resident, least = INFINITY;
    for (int64_t strip = 4; strip <= longest; strip++) {
        double cost = strip_cost(strip, a->steps, groups, at_once);
        if (cost < least) {
            least = cost;
            t->strip = strip;
        }
    }
    t->strip = gf_min(t->strip, a->steps);
}

static int set_groups(struct level *l, struct gf_gpu_pass *pass) {
    struct wave_args *a = &l->args;
    const struct wave_tile *t = &l->tile;
    int64_t strips = gf_divide_up(a->steps, t->strip), tiles = gf_divide_up(a->rows, t->rows);
    a->strip = t->strip;
    while (1 << a->width_bits < t->width)
        a->width_bits++;
    a->blocks = gf_divide_up(a->columns, t->width);
    a->inner = transforms_planes(l) ? tiles : strips;
    double units = (double)strips * (double)tiles;
    double lines = units / (t->items / t->width) + 1, groups = lines * (double)a->blocks;
    double row = (double)gf_max(a->n[X], a->m[X]) * (double)a->channels;
    if (row > 0x7fffffff || units > 0xffffffffu || groups > 0x7fffffff || a->n[ROW] > 0x7fffffff)
        return gf_fail(GF_EUNSUPP,
                       "rows of %.3g samples in %.3g strips have more groups than a launch "
                       "can count",
                       row, units);
    pass->groups = gf_divide_up(strips * tiles, t->items / t->width) * a->blocks;
    pass->group = t->items;
    return 0;
}

/* True if bytes within a plane (within a row, if rows are walked) or an axis exceed 32 bits. */
static bool is_far(const struct level *l, bool planes) {
    const struct wave_args *a = &l->args;
    double fine = (double)gf_dtype_size(l->fine_type), extent = planes ? (double)a->n[ROW] : 1;
    double packed = (double)gf_dtype_size(l->packed_type), low = (double)gf_dtype_size(l->low_type);
    double row = (double)a->n[X] * (double)a->channels;
    fine *= planes ? extent * (double)a->fine[ROW] : row;
    packed *= planes ? (double)l->axis[l->at[ROW]].packed * (double)a->packed[ROW]
                     : (double)l->axis[2].packed * (double)a->channels;
    low *= planes ? (double)a->m[ROW] * (double)a->low[ROW] : row + 8;
    for (int i = 0; i < 3; i++)
        if (a->n[i] > 1 << 29)
            return true;
    return fine > 0xf0000000u || packed > 0xf0000000u || low > 0xf0000000u;
}

static int taps_before(enum wavelet name) {
    int n = 0;
    for (int i = 0; i < (int)name; i++)
        n += gf_dwt_taps(&(struct gf_wavelet){.name = (enum wavelet)i});
    return n;
}

static void set_options(const struct level *l, struct gf_gpu_pass *pass) {
    const struct wave_args *a = &l->args;
    const struct wave_tile *t = &l->tile;
    const struct gf_wavelet *w = &l->p->job.wavelet;
    bool walk = l->on[l->at[WALK]], row = transforms_planes(l), x = l->on[2];
    if (!inverse(l))
        gf_gpu_option(pass, "-DFORWARD");
    gf_gpu_option(pass, "-DALONG_WALK=%d -DALONG_ROW=%d -DALONG_X=%d -DBOUNDARY=%d -DTAPS_FROM=%d",
                  walk, row, x, (int)w->boundary, taps_before(w->name));
    gf_gpu_option(pass, "-DROWS=%d -DITEMS=%d -DRESIDENT=%d -DAHEAD=%d -DNEAR=%d -DTHRESHOLD=%d",
                  t->rows, t->items, t->resident, t->ahead,
                  x && a->channels == 1 && a->n[X] % 2 == 0, (int)w->threshold);
    gf_gpu_option(pass, "-DFAR=%d", is_far(l, row));
    gf_gpu_type_options(pass, "IN", inverse(l) ? l->packed_type : l->fine_type);
    gf_gpu_type_options(pass, "LOW", l->low_type);
    gf_gpu_output_options(pass, inverse(l) ? l->fine_type : l->packed_type);
}

static void describe(const struct level *l, struct gf_gpu_pass *pass) {
    const struct wave_args *a = &l->args;
    char *text = pass->summary.what;
    const char *type = gf_dtype_name(l->fine_type);
    int64_t n = a->n[0] * a->n[1] * a->n[2] * a->channels, m = a->m[0] * a->m[1] * a->m[2];
    int bands = 1;
    for (int i = 0; i < 3; i++)
        bands *= l->on[i] ? 2 : 1;
    const struct gf_dwt_axis *x = l->axis;
    int from = l->number - 1, to = l->number;
    snprintf(text, sizeof pass->summary.what,
             "level %d: %lldx%lldx%lld %s %s %d bands of %lldx%lldx%lld, strips of %lld along %c",
             to, (long long)x[0].n[from], (long long)x[1].n[from], (long long)x[2].n[from], type,
             inverse(l) ? "<-" : "->", bands, (long long)x[0].n[to], (long long)x[1].n[to],
             (long long)x[2].n[to], (long long)l->tile.strip, "zyx"[l->at[WALK]]);
    int64_t fine = n * (int64_t)gf_dtype_size(l->fine_type);
    int64_t coarse = m * a->channels *
                     ((bands - 1) * (int64_t)gf_dtype_size(l->packed_type) +
                      (int64_t)gf_dtype_size(l->low_type));
    pass->summary.bytes_read = inverse(l) ? coarse : fine;
    pass->summary.bytes_written = inverse(l) ? fine : coarse;
    pass->cost = (double)(fine + coarse) / 0.8; /* estimated, not measured */
}

/* `output` is the output written by an inverse's last level, else 0. */
static int add_level(struct level *l, int output) {
    set_strides(l);
    count_work(l);
    choose_tile(l);
    struct gf_gpu_pass *pass = gf_gpu_next_pass(l->p, GF_GPU_PASS_WAVELET, "wavelet.cl",
                                                inverse(l) ? "wave_inverse" : "wave_forward");
    if (!pass)
        return GF_EUNSUPP;
    int rc = set_groups(l, pass);
    if (rc)
        return rc;
    set_options(l, pass);
    describe(l, pass);
    gf_gpu_set_buffers(pass, inverse(l) ? 5 : 4,
                       (enum gf_gpu_buffer_id[]){inverse(l) ? l->packed : l->fine,
                                                 inverse(l) ? l->fine : l->packed, l->low,
                                                 GF_GPU_PARAMS, GF_GPU_COUNTERS});
    l->args.counters = (int64_t)output * COUNTERS;
    if (inverse(l) && gf_dtype_is_integer(l->fine_type))
        pass->output = output;
    pass->args.wave = l->args;
    pass->args_bytes = sizeof l->args;
    return 0;
}

/* Returns the buffer for an approximation between levels, enlarged as needed. */
static enum gf_gpu_buffer_id between(const struct level *l, int number) {
    enum gf_gpu_buffer_id buffer_id = number % 2 ? GF_GPU_A : GF_GPU_B;
    int64_t bytes = l->p->job.channels * gf_gpu_word(&l->p->job);
    for (int i = 0; i < 3; i++)
        bytes *= l->axis[i].n[number];
    l->p->bytes[buffer_id] = gf_max(l->p->bytes[buffer_id], bytes);
    return buffer_id;
}

/* Adds one level, which writes output number `output` if it is an inverse's last. */
static int add_level_of(struct level level, int number, int output) {
    struct level *l = &level;
    const struct gf_job *job = &l->p->job;
    const enum gf_dtype real = job->precision == GF_DOUBLE ? GF_F64 : GF_F32;
    const enum gf_gpu_buffer_id out = (enum gf_gpu_buffer_id)(GF_GPU_OUT + output);
    const bool coarsest = number == job->wavelet.levels, finest = number == 1;
    l->number = number;
    l->packed = inverse(l) ? GF_GPU_IN : GF_GPU_OUT;
    l->packed_type = inverse(l) ? job->in_dtype : job->out[0].dtype;
    l->low = coarsest ? l->packed : between(l, number);
    l->low_type = coarsest ? l->packed_type : real;
    l->fine = !finest ? between(l, number - 1) : inverse(l) ? out : GF_GPU_IN;
    l->fine_type = !finest ? real : inverse(l) ? job->out[output].dtype : job->in_dtype;
    return add_level(l, output);
}

static int add_levels(const struct level *l) {
    const struct gf_job *job = &l->p->job;
    const int levels = job->wavelet.levels;
    int rc = 0;
    for (int i = 1; i <= levels && !rc; i++) {
        const int number = inverse(l) ? levels + 1 - i : i;
        const int outputs = inverse(l) && number == 1 ? job->n_out : 1;
        for (int output = 0; output < outputs && !rc; output++)
            rc = add_level_of(*l, number, output);
        /* Gaps remain beside an axis's details if another axis's begin later. */
        for (int k = 0; k < 3 && !inverse(l); k++)
            if (l->on[0] + l->on[1] + l->on[2] > 1 && l->axis[k].at[i] > l->axis[k].n[i])
                l->p->gaps = true;
    }
    return rc;
}

bool gf_gpu_dwt_take_share(struct gf_job *job) {
    const enum gf_dtype real = gf_dwt_real(job);
    const bool forward = job->direction == GF_FORWARD;
    bool shares = gf_wavelet_keeps_share(&job->wavelet);
    shares |= forward && (job->n_out > 1 || gf_dtype_is_integer(job->out[0].dtype));
    if (!shares)
        return false;
    job->wavelet.threshold = GF_KEEP_ALL;
    if (forward) {
        job->n_out = 1;
        job->out[0] = (struct gf_output){.kind = GF_REAL, .dtype = real};
    } else {
        job->in_dtype = real;
    }
    return true;
}

int gf_gpu_dwt_make(struct gf_gpu_plan *p) {
    struct level l = {.p = p};
    p->host_share = gf_gpu_dwt_take_share(&p->job);
    const struct gf_job *job = &p->job;
    struct gf_dwt_layout layout;
    if (gf_dwt_taps(&job->wavelet) != 4)
        return gf_fail(GF_EUNABLE,
                       "GPUs have wavelets of four taps; --backend=openmp has them all");
    gf_dwt_layout(job, &layout);
    memcpy(l.on, layout.on, sizeof l.on);
    memcpy(l.axis, layout.axis, sizeof l.axis);
    l.at[WALK] = l.on[0] ? 0 : 1;
    l.at[ROW] = l.on[0] ? 1 : 0;
    l.at[X] = 2;
    return add_levels(&l);
}
