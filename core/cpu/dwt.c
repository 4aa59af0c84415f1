/* Wavelet jobs: the sequence of levels, and the memory between them. */
#include "core/cpu/dwt.h"

#include <stdlib.h>
#include <string.h>

#include "core/cpu/mirror.h"
#include "core/wavelet/dwt.h"
#include "core/base/value/status.h"

struct dwt {
    struct gf_job job;
    const struct gf_cpu_kernels *kernels;
    int threads;
    enum gf_dtype real; /* f32 or f64 */
    struct gf_dwt_layout layout;
    int64_t packed[GF_MAX_RANK]; /* shape of the coefficients */
    bool tight;                  /* no gaps between bands */
    bool own_coefficients;       /* forward: no output can hold them; inverse: the input does not */
};

/* The memory for one run at a time, allocated by the first one. */
struct dwt_memory {
    char *between[2];             /* approximations of odd and even levels */
    struct gf_array coefficients; /* own ones */
    char *scratch;
};

static int64_t level_bytes(const struct dwt *d, int level) {
    const struct gf_dwt_axis *axis = d->layout.axis;
    return axis[0].n[level] * axis[1].n[level] * axis[2].n[level] * d->layout.pixel;
}

static struct gf_cpu_dwt_level shape_of(const struct dwt *d, int level) {
    return gf_cpu_dwt_level_of(&d->job, &d->layout, d->kernels, level);
}

static struct gf_cpu_rows rows_of(const struct gf_array *a) {
    struct gf_cpu_rows r = {.data = a->data};
    if (a->rank >= 3)
        r.row = a->stride[a->rank - 3];
    if (a->rank >= 4)
        r.plane = a->stride[a->rank - 4];
    return r;
}

/* The workspace for an approximation that is transformed further. */
static struct gf_cpu_rows rows_between(const struct dwt *d, const struct dwt_memory *r, int level) {
    const ptrdiff_t row = d->layout.axis[2].n[level] * d->layout.pixel;
    return (struct gf_cpu_rows){r->between[level % 2 ? 0 : 1], row * d->layout.axis[1].n[level],
                                row};
}

/* The beginning of larger results is evicted before they are complete. */
static const int64_t worth_streaming = 1 << 20, keeps_cached = 16 << 20;

/* Points a level's bands into the packed coefficients. */
static void point_bands(const struct dwt *d, const struct dwt_memory *r, int level,
                        const struct gf_array *c, struct gf_cpu_dwt_level *l) {
    const struct gf_dwt_axis *axis = d->layout.axis;
    const struct gf_cpu_rows whole = rows_of(c);
    bool large = level_bytes(d, level - 1) >= worth_streaming;
    for (int b = 0; b < 8; b++) {
        l->band[b] = whole;
        l->stream[b] = large;
        const int64_t at = (b & 4 ? axis[0].at[level] * whole.plane : 0) +
                           (b & 2 ? axis[1].at[level] * whole.row : 0) +
                           (b & 1 ? axis[2].at[level] * d->layout.pixel : 0);
        l->band[b].data += at;
    }
    if (level == d->job.wavelet.levels)
        return;
    l->band[0] = rows_between(d, r, level);
    l->stream[0] = level_bytes(d, level) >= keeps_cached;
}

static void list_passes(const struct dwt *d, struct gf_plan *plan) {
    const struct gf_job *job = &d->job;
    const struct gf_dwt_axis *axis = d->layout.axis;
    bool inverse = job->direction == GF_INVERSE;
    for (int i = 0; i < job->wavelet.levels && plan->n_passes < GF_MAX_PASSES; i++) {
        int level = inverse ? job->wavelet.levels - i : i + 1;
        int64_t fine = level_bytes(d, level - 1), bands = 1;
        const char *type = gf_dtype_name(d->real);
        for (int k = 0; k < 3; k++)
            bands *= 1 + d->layout.on[k];
        bands *= level_bytes(d, level);
        if (level == 1) {
            type = gf_dtype_name(inverse ? job->out[0].dtype : job->in_dtype);
            fine = fine / (int64_t)gf_dtype_size(d->real) *
                   (int64_t)gf_dtype_size(inverse ? job->out[0].dtype : job->in_dtype);
        }
        gf_pass_list(plan, inverse ? bands : fine, inverse ? fine : bands,
                     "level %d: %lldx%lldx%lld %s %s bands of %lldx%lldx%lld", level,
                     (long long)axis[0].n[level - 1], (long long)axis[1].n[level - 1],
                     (long long)axis[2].n[level - 1], type, inverse ? "<-" : "->",
                     (long long)axis[0].n[level], (long long)axis[1].n[level],
                     (long long)axis[2].n[level]);
    }
}

static int allocate(const struct dwt *d, struct dwt_memory *r) {
    int rc = 0;
    if (r->scratch)
        return 0;
    for (int l = 1; l <= 2 && l < d->job.wavelet.levels; l++)
        if (!r->between[l - 1] && !(r->between[l - 1] = gf_alloc((size_t)level_bytes(d, l))))
            return gf_fail(GF_ENOMEM, "no memory for a level of %lld bytes",
                           (long long)level_bytes(d, l));
    if (d->own_coefficients && !r->coefficients.data)
        rc = gf_array_alloc(&r->coefficients, d->real, d->job.ndim + 1, d->packed);
    if (rc)
        return rc;
    /* Later levels are narrower, except that PyWavelets' count makes 2 of a line of 1. */
    size_t most = 0;
    for (int l = 1; l <= d->job.wavelet.levels; l++) {
        struct gf_cpu_dwt_level level = shape_of(d, l);
        size_t bytes = gf_cpu_dwt_scratch(&level);
        most = bytes > most ? bytes : most;
    }
    r->scratch = gf_alloc(most * (size_t)d->threads);
    return r->scratch ? 0 : gf_no_memory();
}

/* Returns `a` itself if its rows are dense, else *copy, with its samples if `with_samples`. */
static int densely(const struct gf_array *a, bool with_samples, struct gf_array *copy,
                   struct gf_array *out) {
    if (gf_array_has_dense_rows(a)) {
        *out = *a;
        return 0;
    }
    int rc = gf_array_alloc(copy, a->dtype, a->rank, a->shape);
    if (!rc && with_samples)
        gf_array_copy(copy, a);
    *out = *copy;
    return rc;
}

static int forward(const struct dwt *d, struct gf_bound *b, struct gf_report *report) {
    const struct dwt_memory *r = b->impl;
    const struct gf_array *in = &b->in;
    struct gf_array copy = {0}, source, c = r->coefficients, *out = b->out;
    const int levels = d->job.wavelet.levels;
    for (int i = 0; i < d->job.n_out && !d->own_coefficients; i++)
        if (out[i].dtype == d->real) {
            c = out[i];
            break;
        }
    struct gf_array apart = {0};
    if (!gf_array_is_contiguous(&c)) { /* alpha is interleaved with the channels */
        int rc = gf_array_alloc(&apart, d->real, d->job.ndim + 1, d->packed);
        if (rc)
            return rc;
        c = apart;
    }
    int rc = densely(in, true, &copy, &source);
    if (rc)
        goto out;
    if (!d->tight)
        memset(c.data, 0, (size_t)gf_array_count(&c) * gf_dtype_size(c.dtype));
    for (int level = 1; level <= levels; level++) {
        struct gf_cpu_dwt_level l = shape_of(d, level);
        l.fine = level == 1 ? rows_of(&source) : rows_between(d, r, level - 1);
        if (level == 1)
            l.type = gf_cpu_sample_of(source.dtype);
        point_bands(d, r, level, &c, &l);
        gf_cpu_dwt_forward(&l, d->threads, r->scratch);
    }
    rc = gf_dwt_threshold(&d->job, &c, d->threads);
    for (int i = 0; i < d->job.n_out && !rc; i++)
        if (out[i].data != c.data)
            gf_dwt_output(&d->job, i, &c, &out[i], d->threads, &report->high[i]);
out:
    gf_array_free(&copy);
    gf_array_free(&apart);
    return rc;
}

/* Provides thresholded coefficients in the kernels' precision. */
static int gather(const struct dwt *d, const struct dwt_memory *r, const struct gf_array *in,
                  struct gf_array *copy, struct gf_array *c) {
    if (!d->own_coefficients)
        return densely(in, true, copy, c);
    *c = r->coefficients;
    if (!gf_array_is_contiguous(in)) {
        gf_dwt_convert(in, c, d->threads);
        return gf_dwt_threshold(&d->job, c, d->threads);
    }
    int64_t count = gf_array_count(c), step = 1 << 16;
    size_t from = gf_dtype_size(in->dtype), to = gf_dtype_size(c->dtype);
#pragma omp parallel for num_threads(d->threads)
    for (int64_t i = 0; i < count; i += step)
        d->kernels->wavelet->load((const char *)in->data + (size_t)i * from,
                                  gf_cpu_sample_of(in->dtype), count - i < step ? count - i : step,
                                  (char *)c->data + (size_t)i * to);
    return gf_dwt_threshold(&d->job, c, d->threads);
}

static int inverse(const struct dwt *d, struct gf_bound *b, struct gf_report *report) {
    const struct dwt_memory *r = b->impl;
    struct gf_array copy = {0}, c, *out = b->out;
    int rc = gather(d, r, &b->in, &copy, &c);
    for (int level = d->job.wavelet.levels; level >= 1 && !rc; level--) {
        struct gf_cpu_dwt_level l = shape_of(d, level);
        point_bands(d, r, level, &c, &l);
        if (level > 1) {
            l.fine = rows_between(d, r, level - 1);
            gf_cpu_dwt_inverse(&l, d->threads, r->scratch);
            continue;
        }
        for (int i = 0; i < d->job.n_out && !rc; i++) {
            struct gf_array spare = {0}, to;
            rc = densely(&out[i], false, &spare, &to);
            if (rc)
                break;
            l.fine = rows_of(&to);
            l.type = gf_cpu_sample_of(to.dtype);
            l.stream_fine = level_bytes(d, 0) >= worth_streaming;
            report->clipped[i] = gf_cpu_dwt_inverse(&l, d->threads, r->scratch);
            if (to.data != out[i].data)
                gf_array_copy(&out[i], &to);
            gf_array_free(&spare);
        }
    }
    gf_array_free(&copy);
    return rc;
}

static int dwt_run(struct gf_bound *b, struct gf_report *report) {
    const struct dwt *d = b->plan->impl;
    const int rc = allocate(d, b->impl);
    if (rc)
        return rc;
    return d->job.direction == GF_INVERSE ? inverse(d, b, report) : forward(d, b, report);
}

static void dwt_unbind(struct gf_bound *b) {
    struct dwt_memory *r = b->impl;
    gf_free(r->between[0]);
    gf_free(r->between[1]);
    gf_free(r->scratch);
    gf_array_free(&r->coefficients);
    free(r);
}

static void dwt_drop(struct gf_plan *plan) {
    free(plan->impl);
}

int gf_cpu_dwt_plan(struct gf_plan *plan, const struct gf_cpu_kernels *kernels, int threads) {
    static const struct gf_plan_ops ops = {.exec = dwt_run,
                                           .bound_bytes = sizeof(struct dwt_memory),
                                           .unbind = dwt_unbind,
                                           .drop = dwt_drop};
    const struct gf_job *job = &plan->job;
    struct dwt *d = plan->impl = calloc(1, sizeof *d);
    if (!d)
        return gf_no_memory();
    plan->ops = &ops;
    d->job = *job;
    d->kernels = kernels;
    d->real = kernels->bits == 64 ? GF_F64 : GF_F32;
    gf_dwt_layout(job, &d->layout);
    gf_dwt_shape(job, true, d->packed);
    d->tight = gf_dwt_layout_is_tight(&d->layout);
    d->threads = level_bytes(d, 0) < 1 << 18 ? 1 : threads; /* small jobs end before a team wakes */
    if (job->direction == GF_INVERSE) {
        d->own_coefficients = job->in_dtype != d->real || job->wavelet.threshold != GF_KEEP_ALL;
    } else {
        d->own_coefficients = true;
        for (int i = 0; i < job->n_out; i++)
            d->own_coefficients = d->own_coefficients && job->out[i].dtype != d->real;
    }
    int64_t bytes = 0;
    for (int l = 1; l <= 2 && l < job->wavelet.levels; l++)
        bytes += level_bytes(d, l);
    if (d->own_coefficients) {
        int64_t all;
        int rc = gf_size_product(d->packed, job->ndim + 1, (int64_t)gf_dtype_size(d->real), &all);
        if (rc)
            return rc;
        bytes += all;
    }
    struct gf_cpu_dwt_level widest = shape_of(d, 1);
    plan->workspace_bytes = bytes + (int64_t)gf_cpu_dwt_scratch(&widest) * d->threads;
    list_passes(d, plan);
    return 0;
}
