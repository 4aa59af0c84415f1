/* The bands of a wavelet transform: their names, and where they are among the coefficients.
 * Thresholds of packed coefficients, and their pictures. */
#include "core/wavelet/dwt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/value/sample_run.h"
#include "core/base/value/status.h"
#include "core/wavelet/rank.h"

/* ---- bands ---- */

static bool on_axis(const struct gf_job *job, int i) {
    return job->axes >> i & 1;
}

static void describe_band(const struct gf_job *job, const struct gf_dwt_axis *axis, int level,
                          unsigned detail, struct gf_dwt_band *band) {
    *band = (struct gf_dwt_band){.level = level, .detail = detail};
    int letters = 0;
    for (int i = 0; i < job->ndim; i++) {
        bool d = detail >> i & 1;
        band->start[i] = d ? axis[i].at[level] : 0;
        band->extent[i] = axis[i].n[level];
        if (on_axis(job, i))
            band->name[letters++] = d ? 'd' : 'a';
    }
    snprintf(band->name + letters, sizeof band->name - (size_t)letters, "%d", level);
}

int gf_dwt_bands(const struct gf_job *job, struct gf_dwt_band bands[GF_MAX_BANDS]) {
    struct gf_dwt_axis axis[GF_MAX_DIMS];
    int n = 0, levels = job->wavelet.levels;
    for (int i = 0; i < job->ndim; i++)
        gf_dwt_axis(job->shape[i], on_axis(job, i), levels, &job->wavelet, &axis[i]);
    describe_band(job, axis, levels, 0, &bands[n++]);
    for (int l = levels; l >= 1; l--)
        for (unsigned key = 1; key < 1u << job->ndim; key++) {
            unsigned detail = 0; /* the last axis is fastest, in PyWavelets' key order */
            for (int i = 0; i < job->ndim; i++)
                detail |= (key >> (job->ndim - 1 - i) & 1) << i;
            if (!(detail & ~job->axes))
                describe_band(job, axis, l, detail, &bands[n++]);
        }
    return n;
}

struct gf_array gf_dwt_band_view(const struct gf_job *job, const struct gf_dwt_band *band,
                                 const struct gf_array *c) {
    struct gf_array v = *c;
    v.base = NULL;
    for (int i = 0; i < job->ndim; i++)
        v = gf_array_slice(&v, i, band->start[i], band->extent[i]);
    return v;
}

/* ---- thresholds and outputs ---- */

/* The rows of a band, each of n contiguous samples. */
struct rows {
    char *data;
    int64_t planes, height, n;
    int64_t plane, row; /* bytes */
};

static struct rows rows_of(const struct gf_array *v) {
    int r = v->rank;
    return (struct rows){.data = v->data,
                         .planes = r > 3 ? v->shape[r - 4] : 1,
                         .height = r > 2 ? v->shape[r - 3] : 1,
                         .n = v->shape[r - 2] * v->shape[r - 1],
                         .plane = r > 3 ? v->stride[r - 4] : 0,
                         .row = r > 2 ? v->stride[r - 3] : 0};
}

static char *row_at(const struct rows *r, int64_t i) {
    return r->data + i / r->height * r->plane + i % r->height * r->row;
}

/* ---------------------------------------------------------------- thresholds */

bool gf_dwt_limit(struct gf_job *job, int64_t *rank) {
    struct gf_wavelet *w = &job->wavelet;
    struct gf_dwt_band band[GF_MAX_BANDS];
    double details = 0;
    if (!gf_wavelet_keeps_share(w))
        return false;
    const int n = gf_dwt_bands(job, band);
    for (int b = 1; b < n; b++) {
        double count = (double)job->channels;
        for (int i = 0; i < job->ndim; i++)
            count *= (double)band[b].extent[i];
        details += count;
    }
    const int64_t keep = llround(details * w->amount / 100);
    /* Hard: the smallest detail kept. Soft: the largest that becomes zero. */
    *rank = w->threshold == GF_SOFT ? keep : keep - 1;
    w->percent = keep > 0 && (double)keep < details;
    if ((double)keep >= details)
        w->threshold = GF_KEEP_ALL;
    else if (!keep)
        w->amount = job->precision == GF_DOUBLE ? DBL_MAX : (double)FLT_MAX; /* nothing is kept */
    return w->percent;
}

/* The magnitude of the detail of that rank (0: the largest). */
static int select_magnitude(const struct gf_job *job, const struct gf_dwt_band *band, int n,
                            const struct gf_array *c, int64_t rank, double *out) {
    enum { DIGIT = 16 };
    struct gf_dwt_rank r;
    int rc = gf_dwt_rank_begin(&r, c->dtype == GF_F64, DIGIT, rank);
    if (rc)
        return rc;
    do
        for (int b = 1; b < n; b++) {
            const struct gf_array v = gf_dwt_band_view(job, &band[b], c);
            const struct rows rows = rows_of(&v);
            for (int64_t i = 0; i < rows.planes * rows.height; i++)
                gf_dwt_rank_count(&r, row_at(&rows, i), rows.n);
        }
    while (gf_dwt_rank_next(&r));
    *out = gf_dwt_rank_end(&r);
    return 0;
}

#define SHRINK(type) \
    static void shrink_##type(type *c, int64_t n, bool soft, type limit) { \
        for (int64_t k = 0; k < n; k++) { \
            type v = c[k], size = v < 0 ? -v : v; \
            if (soft) \
                v = size > limit ? (v < 0 ? v + limit : v - limit) : 0; \
            else if (size < limit) \
                v = 0; \
            c[k] = v; \
        } \
    }
SHRINK(float)
SHRINK(double)

static void shrink(char *p, bool is_double, int64_t n, bool soft, double limit) {
    if (is_double)
        shrink_double((double *)p, n, soft, limit);
    else
        shrink_float((float *)p, n, soft, (float)limit);
}

void gf_dwt_shrink(const struct gf_job *job, void *rows, int64_t height, int64_t n,
                   int64_t stride) {
    const struct gf_wavelet *w = &job->wavelet;
    for (int64_t y = 0; y < height; y++)
        shrink((char *)rows + y * stride, job->precision == GF_DOUBLE, n, w->threshold == GF_SOFT,
               w->amount);
}

int gf_dwt_threshold(const struct gf_job *job, struct gf_array *c, int threads) {
    struct gf_job found = *job;
    struct gf_wavelet *w = &found.wavelet;
    struct gf_dwt_band band[GF_MAX_BANDS];
    int64_t rank;
    const int n = gf_dwt_bands(job, band);
    const bool is_double = c->dtype == GF_F64;
    if (gf_dwt_limit(&found, &rank)) {
        int rc = select_magnitude(job, band, n, c, rank, &w->amount);
        if (rc)
            return rc;
    }
    for (int b = 1; b < n && w->threshold != GF_KEEP_ALL; b++) {
        struct gf_array v = gf_dwt_band_view(job, &band[b], c);
        struct rows r = rows_of(&v);
#pragma omp parallel for num_threads(threads) if (r.n * r.height * r.planes > 1 << 16)
        for (int64_t i = 0; i < r.planes * r.height; i++)
            shrink(row_at(&r, i), is_double, r.n, w->threshold == GF_SOFT, w->amount);
    }
    return 0;
}

/* ---------------------------------------------------------------- outputs */

static void extremes(const struct rows *r, bool is_double, int threads, double *low, double *high) {
    double least = INFINITY, most = -INFINITY;
#pragma omp parallel for num_threads(threads) reduction(min : least) reduction(max : most)
    for (int64_t i = 0; i < r->planes * r->height; i++) {
        const char *p = row_at(r, i);
        for (int64_t k = 0; k < r->n; k++) {
            double v = gf_real_get(p, k, is_double);
            least = v < least ? v : least;
            most = v > most ? v : most;
        }
    }
    *low = least;
    *high = most;
}

enum { RUN = 512 }; /* samples at a time */

struct gf_dwt_scale gf_dwt_scale_of(enum gf_dtype to, bool detail, double least, double most) {
    double zero, white;
    gf_dtype_range(to, &zero, &white);
    const double low = detail ? 0 : least, top = detail ? fmax(fabs(least), fabs(most)) : most;
    return (struct gf_dwt_scale){detail, low, top > low ? white / (top - low) : 0};
}

void gf_dwt_scale_run(const struct gf_dwt_scale *s, enum gf_dtype to, double *v, int64_t n) {
    for (int64_t k = 0; k < n; k++)
        v[k] = ((s->detail ? fabs(v[k]) : v[k]) - s->low) * s->gain;
    if (gf_dtype_is_integer(to))
        gf_sample_run_round(to, n, v);
}

static void write_rows(const struct gf_array *from, const struct gf_array *to,
                       struct gf_dwt_scale scale, int threads) {
    const int r = to->rank;
    const struct rows source = rows_of(from), target = rows_of(to);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < source.planes * source.height; i++) {
        double v[RUN];
        for (int64_t c = 0; c < to->shape[r - 1]; c++) {
            const char *p = row_at(&source, i) + c * from->stride[r - 1];
            char *q = row_at(&target, i) + c * to->stride[r - 1];
            for (int64_t x = 0; x < to->shape[r - 2]; x += RUN) {
                const int64_t n = to->shape[r - 2] - x < RUN ? to->shape[r - 2] - x : RUN;
                gf_sample_run_read(p + x * from->stride[r - 2], from->dtype, from->stride[r - 2], n,
                                   v, NULL);
                gf_dwt_scale_run(&scale, to->dtype, v, n);
                gf_sample_run_write(q + x * to->stride[r - 2], to->dtype, to->stride[r - 2], n, v,
                                    NULL);
            }
        }
    }
}

void gf_dwt_convert(const struct gf_array *from, struct gf_array *to, int threads) {
    write_rows(from, to, (struct gf_dwt_scale){false, 0, 1}, threads);
}

void gf_dwt_clear(struct gf_array *a) {
    const double zero[RUN] = {0};
    const struct rows r = rows_of(a);
    const int64_t *stride = a->stride + a->rank - 2, *shape = a->shape + a->rank - 2;
    for (int64_t i = 0; i < r.planes * r.height; i++)
        for (int64_t c = 0; c < shape[1]; c++)
            for (int64_t x = 0; x < shape[0]; x += RUN)
                gf_sample_run_write(row_at(&r, i) + x * stride[0] + c * stride[1], a->dtype,
                                    stride[0], shape[0] - x < RUN ? shape[0] - x : RUN, zero, NULL);
}

void gf_dwt_output(const struct gf_job *job, int i, const struct gf_array *c, struct gf_array *out,
                   int threads, double *high) {
    const bool is_double = c->dtype == GF_F64;
    struct gf_dwt_band band[GF_MAX_BANDS];
    if (!gf_dtype_is_integer(job->out[i].dtype)) {
        gf_dwt_convert(c, out, threads);
        return;
    }
    gf_dwt_clear(out);
    int n = gf_dwt_bands(job, band);
    for (int b = 0; b < n; b++) {
        struct gf_array from = gf_dwt_band_view(job, &band[b], c);
        struct gf_array to = gf_dwt_band_view(job, &band[b], out);
        struct rows r = rows_of(&from);
        double least, most;
        extremes(&r, is_double, threads, &least, &most);
        if (b == 0)
            *high = most;
        write_rows(&from, &to, gf_dwt_scale_of(out->dtype, b > 0, least, most), threads);
    }
}
