/* Making jobs and arrays, running them on the backend under test, and comparing. */
#include "tests/core/backends.h"

#include <stdio.h>
#include <string.h>

#include "core/base/value/status.h"

bool backends_mine(struct subject *s) {
    return s->asked++ % s->shards == s->shard;
}

/* Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (SplitMix64). */
uint64_t backends_random(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t backends_below(uint64_t *seed, int64_t n) {
    return (int64_t)(backends_random(seed) % (uint64_t)n);
}

static double uniform(uint64_t *seed, int bits) {
    return (double)(backends_random(seed) >> (64 - bits)) / (double)(1ull << bits) - 0.5;
}

void backends_fill(struct gf_array *a, uint64_t *seed) {
    int64_t components = gf_array_count(a) * (gf_dtype_is_complex(a->dtype) ? 2 : 1);
    char *p = a->data;
    size_t size = gf_dtype_size(a->dtype) / (gf_dtype_is_complex(a->dtype) ? 2 : 1);
    for (int64_t i = 0; i < components; i++, p += size) {
        uint64_t r;
        float f;
        double d;
        switch (gf_dtype_real(a->dtype)) {
        case GF_F32:
            f = (float)uniform(seed, 24);
            memcpy(p, &f, size);
            break;
        case GF_F64:
            d = uniform(seed, 53);
            memcpy(p, &d, size);
            break;
        default:
            r = backends_random(seed);
            memcpy(p, &r, size);
        }
    }
}

void backends_count_part(struct subject *s, struct gf_job *job) {
    bool part = backends_below(&s->seed, 2);
    for (int i = 0; i < GF_MAX_DIMS; i++)
        job->counted[i] = part && i < job->ndim && backends_below(&s->seed, 3)
                              ? 1 + backends_below(&s->seed, job->shape[i])
                              : 0;
}

struct gf_job backends_job(enum gf_direction direction, enum gf_dtype in, enum gf_precision p,
                           int ndim, int64_t n0, int64_t n1, int64_t n2) {
    struct gf_job job = {.direction = direction,
                         .ndim = ndim,
                         .shape = {n0, n1, n2},
                         .channels = 1,
                         .axes = (1u << ndim) - 1,
                         .in_dtype = in,
                         .precision = p,
                         .n_out = 1};
    job.out[0].kind = GF_COMPLEX;
    job.out[0].dtype = p == GF_DOUBLE ? GF_C128 : GF_C64;
    return job;
}

struct gf_job backends_variant(struct gf_job job, int which) {
    bool wide = job.precision == GF_DOUBLE;
    enum gf_dtype real = wide ? GF_F64 : GF_F32, complex = wide ? GF_C128 : GF_C64;
    job.direction = which < 2 ? GF_FORWARD : GF_INVERSE;
    job.in_dtype = which == 0 ? real : complex;
    job.real = which >= 3;
    job.in_half = which == 4;
    job.out[0] = (struct gf_output){.kind = which >= 3 ? GF_REAL : GF_COMPLEX,
                                    .dtype = which >= 3 ? real : complex};
    return job;
}

int backends_run(struct subject *s, const struct gf_job *job, const struct gf_array *in,
                 struct gf_array *out, struct gf_report *report) {
    bool team = gf_array_count(in) >= 1 << 14 || s->runs++ % 64 == 0;
    int rc = 0;
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = out[i].data ? 0 : gf_job_alloc(job, i, &out[i]);
    return rc ? rc : gf_backend_run(s->backend, s->context[team], job, in, out, report);
}

bool backends_refused(const struct subject *s, int rc) {
    return rc == GF_EUNABLE &&
           (s->backend == &gf_backend_opengl || s->backend == &gf_backend_vulkan ||
            s->backend == &gf_backend_directcompute);
}

const char *backends_text(const struct gf_job *job, char text[160]) {
    int used = snprintf(text, 160, "%s ",
                        job->op == GF_FILTER           ? "filter"
                        : job->direction == GF_FORWARD ? "forward"
                                                       : "inverse");
    for (int i = 0; i < job->ndim; i++)
        used += snprintf(text + used, 160 - (size_t)used, "%s%lld", i ? "x" : "",
                         (long long)job->shape[i]);
    for (int i = 0; i < job->ndim && gf_job_counts_part(job); i++)
        used += snprintf(text + used, 160 - (size_t)used, "%s%lld", i ? "x" : " part ",
                         (long long)gf_job_counted(job, i));
    snprintf(text + used, 160 - (size_t)used, " axes %u channels %lld, %s%s%s%s%s, %s, %s",
             job->axes, (long long)job->channels, gf_dtype_name(job->in_dtype),
             job->luma ? " luma" : "", job->in_shift ? " centred" : "", job->in_half ? " half" : "",
             job->real ? " to real" : "", gf_norm_name(job->norm),
             job->precision == GF_DOUBLE ? "double" : "single");
    return text;
}
