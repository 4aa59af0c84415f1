/* Made-up devices and random jobs, see tests/gpu/gpu_jobs.h. */
#include "tests/gpu/gpu_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "core/wavelet/dwt.h"
#include "core/filter/filter.h"
#include "tests/core/backends.h"

static struct gf_gpu_props device(int64_t local, int64_t unit, int group, int units, bool fp64,
                                  bool cpu) {
    struct gf_gpu_props p = {.memory = (int64_t)1 << 40,
                             .max_alloc = (int64_t)1 << 40,
                             .local_bytes = local << 10,
                             .unit_local_bytes = unit << 10,
                             .max_group = group,
                             .units = units,
                             .warp = cpu ? 1 : 32,
                             .fp64 = fp64,
                             .is_cpu = cpu};
    snprintf(p.name, sizeof p.name, "a device of %lld KiB, groups of %d", (long long)local, group);
    return p;
}

struct gf_gpu_props gpu_devices[GPU_DEVICES];

void gpu_make_devices(void) {
    gpu_devices[0] = device(227, 228, 1024, 132, true, false);
    gpu_devices[0].chain_bytes = 1;
    gpu_devices[0].fetches = true;
    gpu_devices[1] = device(48, 228, 1024, 132, true, false);
    gpu_devices[2] = device(64, 64, 256, 40, true, false);
    gpu_devices[3] = device(96, 96, 512, 60, false, false);
    gpu_devices[4] = device(64, 64, 4096, 8, true, true);
    gpu_devices[5] = device(32, 64, 256, 16, true, false);
}

static int64_t pick(uint64_t *seed, int64_t n) {
    return backends_below(seed, n);
}

struct gf_job gpu_random_job(uint64_t *seed, const int64_t *most) {
    struct gf_job job = {.ndim = 1 + (int)pick(seed, 3), .n_out = 1 + (int)pick(seed, 3) % 3 / 2};
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = 1 + pick(seed, most[job.ndim]);
    if (pick(seed, 4) == 0) /* something that several devices cut */
        job.shape[pick(seed, job.ndim)] = 256 + pick(seed, most[0]);
    job.axes = 1 + (unsigned)pick(seed, (1 << job.ndim) - 1);
    job.channels = pick(seed, 3) ? 1 : 1 + pick(seed, 5);
    job.direction = (enum gf_direction)(pick(seed, 3) == 0);
    job.precision = (enum gf_precision)(pick(seed, 3) == 0);
    job.norm = (enum gf_norm)pick(seed, 3);
    job.in_dtype = (enum gf_dtype)pick(seed, GF_N_DTYPES);
    if (job.direction == GF_INVERSE) {
        if (pick(seed, 4))
            job.in_dtype = pick(seed, 2) ? GF_C64 : GF_C128;
        job.in_shift = pick(seed, 2);
        job.real = pick(seed, 2);
        job.in_half = job.real && pick(seed, 2);
    } else if (!gf_dtype_is_complex(job.in_dtype) && job.channels >= 3) {
        job.luma = pick(seed, 2);
    }
    for (int i = 0; i < job.n_out; i++) {
        struct gf_output *o = &job.out[i];
        bool forward = job.direction == GF_FORWARD;
        o->kind = (enum gf_kind)pick(seed, GF_N_KINDS);
        o->dtype = o->kind == GF_COMPLEX ? (pick(seed, 2) ? GF_C64 : GF_C128)
                                         : (enum gf_dtype)pick(seed, GF_F64 + 1);
        o->map = pick(seed, 3) ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
        o->scale = (enum gf_scale)pick(seed, 3);
        o->shift = forward && pick(seed, 2);
        o->half = forward && gf_job_is_real(&job) && pick(seed, 2);
    }
    return job;
}

bool gpu_line_job(int i, struct gf_job *job) {
    static const char *const jobs[] = {
        "fwd c64 96x40 axes=1 > complex",
        "fwd u8 97x33 axes=1 ch=2 > complex half",
        "fwd f32 20000x3 axes=1 > complex half",
        "fwd f64 96x40 axes=1 double luma ch=3 > complex half",
        "inv c64 96x40 axes=1 > complex",
        "inv c64 97x33 axes=1 ch=2 real half > real u8",
        "inv c64 20000x3 axes=1 real half > real f32",
        "inv c64 96x40 axes=1 real > real f32, magnitude f32",
        "inv c128 31x70 axes=1 double real > real f64",
    };
    if (i >= (int)(sizeof jobs / sizeof *jobs) || !backends_parse(jobs[i], job))
        return false;
    job->line = job->shape[0] * 1009;
    job->elsewhere = 1009;
    return true;
}

/* A filter of random low passes, perhaps too many to evaluate, perhaps with a table, which the
 * planner does not look into. */
static void random_filter(uint64_t *seed, struct gf_job *job) {
    struct gf_filter *f;
    if (gf_filter_new(&f))
        abort();
    int n = (int)pick(seed, 4) * (pick(seed, 4) ? 1 : 3), profile = (int)pick(seed, 4);
    for (int i = 0; i < n; i++) {
        struct gf_lowpass a = {.profile = (enum gf_profile)(profile < 3 ? profile : pick(seed, 3)),
                               .order = 1 + (int)pick(seed, 4),
                               .radius = {3, 4, 5}},
                          b = a;
        if (pick(seed, 2))
            gf_filter_add_lowpass(f, &a);
        else
            gf_filter_add_band(f, &b, &a, true);
    }
    if (pick(seed, 3) == 0) {
        static const enum gf_dtype type[] = {GF_F32, GF_F64, GF_C64, GF_C128};
        int64_t shape[GF_MAX_RANK];
        memcpy(shape, job->shape, sizeof job->shape);
        shape[gf_job_half_axis(job)] = shape[gf_job_half_axis(job)] / 2 + 1;
        if (gf_array_alloc(&f->table, type[pick(seed, 4)], job->ndim, shape))
            abort();
    }
    job->filter = f;
    job->filter_serial = f->serial;
}

bool gpu_random_filter_job(uint64_t *seed, struct gf_job *job) {
    if (job->direction != GF_FORWARD || gf_dtype_is_complex(job->in_dtype))
        return false;
    job->op = GF_FILTER;
    for (int i = 0; i < job->n_out; i++)
        job->out[i] =
            (struct gf_output){.kind = GF_REAL, .dtype = (enum gf_dtype)pick(seed, GF_F64 + 1)};
    random_filter(seed, job);
    return true;
}

void gpu_drop_filter(struct gf_job *job) {
    gf_filter_free((struct gf_filter *)job->filter);
}

struct gf_job gpu_random_wavelet(uint64_t *seed, const int64_t *most) {
    struct gf_job job = {.op = GF_DWT, .ndim = 1 + (int)pick(seed, 3), .n_out = 1};
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = 1 + pick(seed, most[job.ndim]);
    job.axes = 1 + (unsigned)pick(seed, (1 << job.ndim) - 1);
    job.channels = pick(seed, 3) ? 1 : 1 + pick(seed, 4);
    job.direction = (enum gf_direction)pick(seed, 2);
    job.precision = (enum gf_precision)(pick(seed, 4) == 0);
    job.wavelet.boundary = (enum gf_boundary)pick(seed, 3);
    job.wavelet.levels =
        1 + (int)pick(seed, gf_dwt_max_levels(job.ndim, job.shape, job.axes, &job.wavelet));
    job.wavelet.threshold = (enum gf_threshold)(pick(seed, 4) ? 0 : pick(seed, 3));
    enum gf_dtype real = pick(seed, 4) ? GF_F32 : GF_F64, any = (enum gf_dtype)pick(seed, GF_C64);
    bool forward = job.direction == GF_FORWARD;
    job.in_dtype = forward || !pick(seed, 4) ? any : real;
    job.n_out = forward ? 1 : 1 + (int)pick(seed, 2);
    for (int i = 0; i < job.n_out; i++) {
        job.out[i].kind = GF_REAL;
        job.out[i].dtype = forward ? real : (enum gf_dtype)pick(seed, GF_C64);
    }
    return job;
}
