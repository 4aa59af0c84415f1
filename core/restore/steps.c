/* Steps from line to line of a picture, whole and by segments. */
#include "core/restore/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "core/spectrum/spectrum.h"

enum {
    MOST = 256,   /* samples of a segment that are looked at */
    LEAST_OF = 5, /* and the fewest that are not clipped */
    STEPS = 10,   /* of an estimate */
};
/* The scale of weights over the median of absolute differences. */
static const double SCALE = 1.1;

/* The differences of a line of one channel from the line before, by segments. */
struct differences {
    float v[GF_SEGMENTS * (MOST + 1)];
    int n[GF_SEGMENTS], all;
};

static void gather(const struct gf_line_steps *p, int64_t line, int64_t channel,
                   struct differences *d) {
    const int64_t n = p->px->shape[!p->axis], gap = gf_steps_stride(p->px, !p->axis);
    const int64_t across = gf_steps_stride(p->px, p->axis);
    const float *after = (const float *)p->px->data + line * across + channel;
    d->all = 0;
    for (int s = 0; s < GF_SEGMENTS; s++) {
        const int64_t begin = s * n / GF_SEGMENTS, end = (s + 1) * n / GF_SEGMENTS;
        const int64_t step = gf_divide_up(gf_max(end - begin, 1), MOST);
        int count = 0;
        for (int64_t i = begin; i < end; i += step) {
            const float v = after[i * gap], before = after[i * gap - across];
            if (!gf_steps_is_clipped(p, v) && !gf_steps_is_clipped(p, before))
                d->v[d->all + count++] = v - before;
        }
        d->n[s] = count < LEAST_OF || 4 * count * step < end - begin ? 0 : count;
        d->all += d->n[s];
    }
}

/* Orders v. */
static float locate(float *v, int n, float scale) {
    float m = gf_select_float(v, n, n / 2);
    for (int k = 0; k < STEPS; k++) {
        float sum = 0, weights = 0;
        for (int i = 0; i < n; i++) {
            const float r = (v[i] - m) / scale, q = 1 / (1 + r * r), weight = q * q;
            sum += weight * (v[i] - m);
            weights += weight;
        }
        m += sum / fmaxf(weights, 1e-20F);
    }
    return m;
}

/* The median distance of differences from their median, or NAN. */
static float spread(struct differences *d) {
    const float m = d->all ? gf_select_float(d->v, d->all, d->all / 2) : 0;
    for (int i = 0; i < d->all; i++)
        d->v[i] = fabsf(d->v[i] - m);
    return d->all ? gf_select_float(d->v, d->all, d->all / 2) : NAN;
}

static void find_scale(struct gf_line_steps *p, float *each) {
    const int64_t lines = p->px->shape[p->axis], channels = p->px->shape[2];
    int64_t n = 0;
#pragma omp parallel for num_threads(p->threads)
    for (int64_t i = 0; i < (lines - 1) * channels; i++) {
        struct differences d;
        gather(p, i / channels + 1, i % channels, &d);
        each[i] = spread(&d);
    }
    for (int64_t i = 0; i < (lines - 1) * channels; i++)
        if (!isnan(each[i]))
            each[n++] = each[i];
    p->scale = fmax(n ? SCALE * (double)gf_select_float(each, n, n / 2) : 0, p->least);
}

static void find_steps(const struct gf_line_steps *p, int64_t line, int64_t channel) {
    struct differences d;
    const float scale = (float)p->scale;
    float *v = d.v;
    gather(p, line, channel, &d);
    for (int s = 0; s < GF_SEGMENTS; v += d.n[s++])
        *gf_steps_at(&p->step, line, s, channel) = d.n[s] ? locate(v, d.n[s], scale) : NAN;
    *gf_steps_at(&p->step, line, GF_SEGMENTS, channel) = d.all ? locate(d.v, d.all, scale) : 0;
}

int gf_steps_make(struct gf_line_steps *p) {
    const int64_t lines = p->px->shape[p->axis], channels = p->px->shape[2];
    const int64_t shape[] = {lines, GF_SEGMENTS + 1, channels};
    int rc = gf_array_alloc(&p->step, GF_F32, 3, shape);
    if (rc)
        return rc;
    memset(p->step.data, 0, (size_t)gf_array_bytes(&p->step));
    find_scale(p, p->step.data);
    memset(p->step.data, 0, (size_t)gf_array_bytes(&p->step));
#pragma omp parallel for num_threads(p->threads)
    for (int64_t i = 0; i < (lines - 1) * channels; i++)
        find_steps(p, i / channels + 1, i % channels);
    return 0;
}
