/* The required result of a job, sample by sample, as the comments in core/base/job/job.h define it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter/filter.h"
#include "tests/core/reference.h"

static const long double pi = 3.141592653589793238462643383279502884L;

/* Element (z, y, x) of channel c of an array of a job with `ndim` axes. */
static struct cld element(const struct gf_array *a, int ndim, const int64_t at[3], int64_t c) {
    const char *p = (const char *)a->data + c * a->stride[ndim];
    for (int i = 0; i < ndim; i++)
        p += at[3 - ndim + i] * a->stride[i];
    switch (a->dtype) {
    case GF_U8:
        return (struct cld){*(const uint8_t *)p, 0};
    case GF_I8:
        return (struct cld){*(const int8_t *)p, 0};
    case GF_U16:
        return (struct cld){*(const uint16_t *)p, 0};
    case GF_I16:
        return (struct cld){*(const int16_t *)p, 0};
    case GF_U32:
        return (struct cld){*(const uint32_t *)p, 0};
    case GF_I32:
        return (struct cld){*(const int32_t *)p, 0};
    case GF_F32:
        return (struct cld){*(const float *)p, 0};
    case GF_F64:
        return (struct cld){(long double)*(const double *)p, 0};
    case GF_C64:
        return (struct cld){((const float *)p)[0], ((const float *)p)[1]};
    case GF_C128:
        return (struct cld){((const double *)p)[0], ((const double *)p)[1]};
    default:
        return (struct cld){0, 0};
    }
}

static int64_t index_of(const struct reference *r, int64_t c, const int64_t at[3]) {
    return ((c * r->n[0] + at[0]) * r->n[1] + at[1]) * r->n[2] + at[2];
}

/* Bin k of the input spectrum, wherever it is in the array. */
static struct cld spectrum_bin(const struct gf_job *job, const struct reference *r,
                               const struct gf_array *in, int64_t c, const int64_t k[3]) {
    int64_t at[3];
    bool mirrored = job->in_half && k[r->half] > r->n[r->half] / 2;
    for (int a = 0; a < 3; a++) {
        at[a] = mirrored && r->on[a] ? (r->n[a] - k[a]) % r->n[a] : k[a];
        if (job->in_shift && r->on[a] && !(job->in_half && a == r->half))
            at[a] = (at[a] + r->n[a] / 2) % r->n[a];
    }
    struct cld v = element(in, job->ndim, at, c);
    if (mirrored)
        v.im = -v.im;
    return v;
}

/* A bin that is its own mirror image. */
static bool is_own_mirror(const struct reference *r, const int64_t k[3]) {
    for (int a = 0; a < 3; a++)
        if (r->on[a] && k[a] && 2 * k[a] != r->n[a])
            return false;
    return true;
}

static bool next(int64_t at[3], const int64_t n[3]) {
    for (int a = 2; a >= 0; a--) {
        if (++at[a] < n[a])
            return true;
        at[a] = 0;
    }
    return false;
}

static void read_input(const struct gf_job *job, const struct gf_array *in, struct reference *r) {
    for (int64_t c = 0; c < r->channels; c++) {
        int64_t at[3] = {0, 0, 0};
        do {
            struct cld v;
            if (job->direction == GF_INVERSE)
                v = spectrum_bin(job, r, in, c, at);
            else if (job->luma)
                v = (struct cld){0.2126L * element(in, job->ndim, at, 0).re +
                                     0.7152L * element(in, job->ndim, at, 1).re +
                                     0.0722L * element(in, job->ndim, at, 2).re,
                                 0};
            else
                v = element(in, job->ndim, at, c);
            r->v[index_of(r, c, at)] = v;
        } while (next(at, r->n));
    }
}

static void finish(const struct gf_job *job, struct reference *r) {
    long double real = 0, imag = 0, points = 1, scale;
    bool inverse = job->direction == GF_INVERSE;
    for (int a = 0; a < 3; a++)
        points *= r->on[a] ? (long double)r->n[a] : 1;
    scale = job->norm == GF_NORM_ORTHO                              ? 1 / sqrtl(points)
            : (job->norm == GF_NORM_BACKWARD) == (inverse != false) ? 1 / points
                                                                    : 1;
    for (int64_t c = 0; c < r->channels; c++) {
        int64_t at[3] = {0, 0, 0};
        do {
            struct cld *v = &r->v[index_of(r, c, at)];
            v->re *= scale;
            v->im *= scale;
            real += v->re * v->re;
            imag += v->im * v->im;
            double size = (double)hypotl(v->re, v->im);
            r->most = size > r->most ? size : r->most;
            if ((inverse && job->real) || (r->real_spectrum && is_own_mirror(r, at)))
                v->im = 0;
        } while (next(at, r->n));
    }
    r->shortest = 1;
    for (int a = 0; a < 3; a++) {
        /* A long line is transformed as the rows and columns of a table. */
        double n = r->n[a] > 8192 ? sqrt((double)r->n[a]) : (double)r->n[a];
        if (r->on[a] && n > 1 && (r->shortest == 1 || n < r->shortest))
            r->shortest = n;
    }
    r->imag_ratio = real > 0 ? (double)sqrtl(imag / real) : 0;
    int64_t count = r->channels * r->n[0] * r->n[1] * r->n[2];
    r->rms = (double)sqrtl((real + (inverse && job->real ? 0 : imag)) / (long double)count);
}

void reference_shape(const struct gf_job *job, struct reference *r) {
    *r = (struct reference){.channels = job->luma ? 1 : job->channels, .n = {1, 1, 1}};
    for (int i = 0; i < job->ndim; i++) {
        int a = 3 - job->ndim + i;
        r->n[a] = job->shape[i];
        r->on[a] = job->axes >> i & 1;
        r->half = r->on[a] ? a : r->half;
    }
    r->real_spectrum =
        job->op == GF_FFT && job->direction == GF_FORWARD && !gf_dtype_is_complex(job->in_dtype);
}

static bool transform_all(struct reference *r, int sign) {
    int64_t plane = r->n[0] * r->n[1] * r->n[2];
    unsigned axes = 0;
    for (int a = 0; a < 3; a++)
        axes |= (unsigned)r->on[a] << a;
    for (int64_t c = 0; c < r->channels; c++)
        if (!reference_transform(r->v + c * plane, r->n, axes, sign))
            return false;
    return true;
}

/* There, times the filter, and back. Rounding errors are in proportion to what went in. */
static bool run_filter(const struct gf_job *job, struct reference *r) {
    struct gf_job back = *job;
    double rms, most;
    finish(&(struct gf_job){.norm = GF_NORM_BACKWARD}, r);
    rms = r->rms;
    most = r->most;
    if (!transform_all(r, -1))
        return false;
    reference_filter(job, r);
    if (!transform_all(r, 1))
        return false;
    back.direction = GF_INVERSE;
    back.norm = GF_NORM_BACKWARD;
    back.real = true;
    finish(&back, r);
    int64_t count = r->channels * r->n[0] * r->n[1] * r->n[2];
    for (int64_t i = 0; i < count; i++)
        r->v[i].re += (long double)job->filter->offset;
    r->rms = 2 * (r->rms + r->gain * rms + fabs(job->filter->offset));
    r->most = 2 * (r->most + r->gain * most);
    return true;
}

bool reference_run(const struct gf_job *job, const struct gf_array *in, struct reference *r) {
    reference_shape(job, r);
    int64_t plane = r->n[0] * r->n[1] * r->n[2];
    r->v = malloc((size_t)(plane * r->channels) * sizeof *r->v);
    if (!r->v)
        return false;
    read_input(job, in, r);
    if (job->op == GF_FILTER)
        return run_filter(job, r);
    if (!transform_all(r, job->direction == GF_FORWARD ? -1 : 1))
        return false;
    finish(job, r);
    return true;
}

void reference_free(struct reference *r) {
    free(r->v);
    r->v = NULL;
}

double reference_bound(const struct gf_job *job) {
    double log2n = 0, c = (job->precision == GF_DOUBLE ? 6e-16 : 3e-7) / sqrt(24);
    bool small = true;
    for (int i = 0; i < job->ndim; i++) {
        int64_t n = job->axes >> i & 1 ? job->shape[i] : 1;
        log2n += log2((double)n);
        for (int p = 2; p <= 13; p++)
            while (n % p == 0)
                n /= p;
        small = small && n == 1;
    }
    double bound = (small ? 1 : 2) * c * sqrt(log2n > 1 ? log2n : 1);
    /* The factors' rounding, which a power of a number multiplies; high ones are to be worked out
     * in double precision. */
    for (int i = 0; job->op == GF_FILTER && i < job->filter->n_factors; i++) {
        const struct gf_filter_factor *f = &job->filter->factor[i];
        int order = f->a.order > f->b.order ? f->a.order : f->b.order;
        bound += (job->precision == GF_DOUBLE ? 1e-16 : 6e-8) * (2 + (order > 8 ? 0 : order));
    }
    return bound;
}

/* The frequency (or sample) at position `at` of output i. */
static void bin_at(const struct reference *r, const struct gf_output *o, const int64_t at[3],
                   int64_t k[3]) {
    for (int a = 0; a < 3; a++) {
        bool shifted = o->shift && r->on[a] && !(o->half && a == r->half);
        k[a] = shifted ? (at[a] + r->n[a] - r->n[a] / 2) % r->n[a] : at[a];
    }
}

static void output_extent(const struct gf_job *job, const struct reference *r,
                          const struct gf_output *o, int64_t n[3]) {
    memcpy(n, r->n, 3 * sizeof *n);
    if (o->half && job->direction == GF_FORWARD)
        n[r->half] = n[r->half] / 2 + 1;
}

double reference_error(const struct gf_job *job, int i, const struct reference *r,
                       const struct gf_array *out) {
    const struct gf_output *o = &job->out[i];
    long double error = 0, norm = 0;
    int64_t n[3], k[3];
    output_extent(job, r, o, n);
    for (int64_t c = 0; c < r->channels; c++) {
        int64_t at[3] = {0, 0, 0};
        do {
            bin_at(r, o, at, k);
            struct cld want = r->v[index_of(r, c, k)];
            struct cld got = element(out, job->ndim, at, c);
            if (o->kind == GF_REAL)
                want.im = 0;
            error +=
                (got.re - want.re) * (got.re - want.re) + (got.im - want.im) * (got.im - want.im);
            norm += want.re * want.re + want.im * want.im;
        } while (next(at, n));
    }
    return norm > 0 ? (double)sqrtl(error / norm) : (double)sqrtl(error);
}

/* ---- sample by sample ---- */

struct interval {
    long double low, high;
};

/* All that the number of this kind may be, when the complex value is right to within e. */
static struct interval value_interval(enum gf_kind kind, struct cld v, bool real, long double e) {
    long double m = hypotl(v.re, v.im), low = m > e ? m - e : 0, high = m + e, d;
    switch (kind) {
    case GF_MAGNITUDE:
        return (struct interval){low, high};
    case GF_POWER:
        return (struct interval){low * low, high * high};
    case GF_REAL:
        return (struct interval){v.re - e, v.re + e};
    case GF_IMAG:
        return real ? (struct interval){0, 0} : (struct interval){v.im - e, v.im + e};
    default: /* phase: zero and real values have no tolerance, the others may wrap around */
        if (real && m > e)
            return (struct interval){v.re < 0 ? pi : 0, v.re < 0 ? pi : 0};
        if (m == 0 && e == 0)
            return (struct interval){0, 0};
        d = m > e ? asinl(e / m) : pi;
        high = atan2l(v.im, v.re);
        if (high + d > pi || high - d < -pi)
            return (struct interval){-pi, pi};
        return (struct interval){high - d, high + d};
    }
}

static long double tone(enum gf_scale scale, long double v) {
    return scale == GF_SCALE_LOG ? log1pl(v) : scale == GF_SCALE_SQRT ? sqrtl(v) : v;
}

/* 0..1 for a value, black to white. */
static long double display(const struct gf_output *o, long double v, long double low,
                           long double high) {
    long double t, range;
    if (o->kind == GF_PHASE) {
        t = (v + pi) / (2 * pi);
    } else if (o->kind == GF_REAL || o->kind == GF_IMAG) {
        t = high > 0 ? 0.5L + 0.5L * v / high : 0.5L;
    } else {
        low = tone(o->scale, low);
        range = tone(o->scale, high) - low;
        t = range > 0 ? (tone(o->scale, v) - low) / range : 0;
    }
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

/* The levels that the interval may come to, given the interval of the range's upper end. */
static struct interval level_interval(const struct gf_output *o, struct interval v, double low,
                                      struct interval high, bool is_single) {
    struct interval t = {2, -1};
    double lowest, white;
    gf_dtype_range(o->dtype, &lowest, &white);
    for (int i = 0; i < 4; i++) {
        long double x = display(o, i & 1 ? v.low : v.high, low, i & 2 ? high.low : high.high);
        t.low = x < t.low ? x : t.low;
        t.high = x > t.high ? x : t.high;
    }
    /* A hair for the mapping's own rounding. */
    long double hair =
        is_single ? 6e-7L * (long double)white + 1e-6L : 1e-15L * (long double)white + 1e-6L;
    return (struct interval){floorl(t.low * (long double)white + 0.5L - hair),
                             floorl(t.high * (long double)white + 0.5L + hair)};
}

static struct interval round_interval(struct interval v, long double lowest, long double highest) {
    v.low = roundl(v.low);
    v.high = roundl(v.high);
    v.low = v.low < lowest ? lowest : v.low > highest ? highest : v.low;
    v.high = v.high < lowest ? lowest : v.high > highest ? highest : v.high;
    return v;
}

/* A bin's error is of the order of the bound times the rms of all bins; of its own size; and, along
 * the axes of the largest bin, of that bin's size spread over one line. */
static long double allowance(const struct gf_job *job, const struct reference *r, struct cld v) {
    double bound = reference_bound(job);
    return bound *
           (10 * (long double)r->rms + 2 * r->most / sqrt(r->shortest) + 4 * hypotl(v.re, v.im));
}

/* The largest value of the output's kind anywhere, as an interval. */
static struct interval largest(const struct gf_job *job, const struct gf_output *o,
                               const struct reference *r) {
    struct interval most = {0, 0};
    if (o->range == GF_RANGE_GIVEN && o->kind != GF_PHASE)
        return (struct interval){o->high, o->high};
    if (o->kind == GF_PHASE)
        return (struct interval){pi, pi};
    for (int64_t c = 0; c < r->channels; c++) {
        int64_t at[3] = {0, 0, 0};
        do {
            struct cld v = r->v[index_of(r, c, at)];
            bool real = r->real_spectrum && is_own_mirror(r, at);
            struct interval x = value_interval(o->kind, v, real, allowance(job, r, v));
            if (x.low < 0) { /* real and imaginary parts count by their size */
                long double high = -x.low > x.high ? -x.low : x.high;
                x.low = x.high < 0 ? -x.high : 0;
                x.high = high;
            }
            most.low = x.low > most.low ? x.low : most.low;
            most.high = x.high > most.high ? x.high : most.high;
        } while (next(at, r->n));
    }
    return most;
}

/* How many bins are surely, and how many may be, below a value, or above it. */
struct beyond {
    int64_t surely, maybe;
};

static void count_beyond(struct interval v, double limit, bool above, struct beyond *b) {
    enum { HAIR = 1000 }; /* a range's ends are rounded to one part in so many */
    long double hair = (long double)limit / HAIR;
    b->surely += above ? v.low > limit + hair : v.high < limit - hair;
    b->maybe += above ? v.high >= limit - hair : v.low <= limit + hair;
}

/* An automatic range, where the sample has all bins: 1% of the bins that are not left out are below
 * it, and 0.1% above. Which are left out is as uncertain as they are themselves. */
static bool range_fits(const struct gf_job *job, int i, const struct reference *r,
                       const struct gf_report *report, char *text, size_t size) {
    const struct gf_output *o = &job->out[i];
    const bool squared = o->kind == GF_POWER;
    struct beyond low = {0, 0}, high = {0, 0}, all = {0, 0};
    const long double least = job->precision == GF_DOUBLE ? 1e-14L : 1e-6L;
    long double most = 0, small = squared ? least * least : least;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t c = 0; c < r->channels; c++) {
            int64_t at[3] = {0, 0, 0};
            do {
                bool zero = true;
                for (int k = 0; k < 3; k++)
                    zero = zero && (!r->on[k] || !at[k]);
                struct cld v = r->v[index_of(r, c, at)];
                bool real = r->real_spectrum && is_own_mirror(r, at);
                struct interval x = value_interval(o->kind, v, real, allowance(job, r, v));
                if (x.low < 0)
                    x = (struct interval){x.high < 0 ? -x.high : 0,
                                          -x.low > x.high ? -x.low : x.high};
                if (zero)
                    continue;
                most = !pass && x.high > most ? x.high : most;
                if (!pass)
                    continue;
                all.surely += x.low > 2 * small * most;
                if (x.high <= small * most / 2) /* left out for certain */
                    continue;
                all.maybe++;
                count_beyond(x, report->low[i], false, &low);
                count_beyond(x, report->high[i], true, &high);
            } while (next(at, r->n));
        }
    int64_t left_out = all.maybe - all.surely;
    bool degenerate = report->low[i] <= 1.01 * (double)small * report->high[i];
    bool dark = degenerate || o->kind == GF_REAL || o->kind == GF_IMAG ||
                (low.surely <= all.maybe / 100 + left_out && low.maybe >= all.surely / 100);
    bool bright = !all.surely || (high.surely <= all.maybe / 1000 + left_out && high.maybe >= 1);
    if (dark && bright)
        return true;
    snprintf(text, size,
             "range %.9g to %.9g has %lld to %lld of %lld bins below, %lld to %lld above",
             report->low[i], report->high[i], (long long)low.surely, (long long)low.maybe,
             (long long)all.maybe, (long long)high.surely, (long long)high.maybe);
    return false;
}

/* Whether the sample at that position of the output is counted where it clips. */
static bool is_counted(const struct gf_job *job, const int64_t at[3]) {
    bool counted = true;
    for (int i = 0; i < job->ndim; i++)
        counted = counted && (!job->counted[i] || at[3 - job->ndim + i] < job->counted[i]);
    return counted;
}

int64_t reference_check(const struct gf_job *job, int i, const struct reference *r,
                        const struct gf_array *out, const struct gf_report *report, char *text,
                        size_t size) {
    const struct gf_output *o = &job->out[i];
    int64_t wrong = 0, must_clip = 0, may_clip = 0, n[3], k[3];
    double type_low, type_high;
    bool integer = gf_dtype_is_integer(o->dtype), shown = integer && o->map == GF_MAP_DISPLAY;
    struct interval high = {0, 0};
    /* Values of single precision may have been rounded to it on their way into a wider output. */
    bool is_single = job->precision == GF_SINGLE || o->dtype == GF_F32 || o->dtype == GF_C64;
    long double narrow = is_single ? 1.2e-7L : 2.3e-16L;
    text[0] = 0;
    gf_dtype_range(o->dtype, &type_low, &type_high);
    output_extent(job, r, o, n);
    if (shown) {
        bool found = o->range == GF_RANGE_AUTO && o->kind != GF_PHASE;
        wrong += found && !range_fits(job, i, r, report, text, size);
        high = found ? (struct interval){report->high[i], report->high[i]} : largest(job, o, r);
        if (report->high[i] < (double)high.low * (1 - 1e-12) ||
            report->high[i] > (double)high.high * (1 + 1e-12)) {
            snprintf(text, size, "range's upper end %.9g, not %.9Lg to %.9Lg", report->high[i],
                     high.low, high.high);
            wrong++;
        }
    }
    for (int64_t c = 0; c < r->channels; c++) {
        int64_t at[3] = {0, 0, 0};
        do {
            bin_at(r, o, at, k);
            struct cld want = r->v[index_of(r, c, k)], got = element(out, job->ndim, at, c);
            long double e = allowance(job, r, want);
            bool real = r->real_spectrum && is_own_mirror(r, k), fine;
            struct interval v = {0, 0};
            if (o->kind == GF_COMPLEX) {
                e += narrow * hypotl(want.re, want.im);
                fine = hypotl(got.re - want.re, got.im - want.im) <= e && (!real || got.im == 0);
            } else {
                v = value_interval(o->kind, want, real, e);
                if (integer && !shown) {
                    struct interval whole = {roundl(v.low), roundl(v.high)};
                    bool counted = is_counted(job, at);
                    must_clip += counted && (whole.high < type_low || whole.low > type_high);
                    may_clip += counted && (whole.low < type_low || whole.high > type_high);
                    v = round_interval(v, type_low, type_high);
                } else if (shown) {
                    v = level_interval(o, v, report->low[i], high, job->precision == GF_SINGLE);
                } else {
                    v.low -= narrow * fabsl(v.low);
                    v.high += narrow * fabsl(v.high);
                }
                fine = got.re >= v.low && got.re <= v.high;
            }
            if (!fine && !wrong++)
                snprintf(text, size,
                         "(%d,%d,%d) channel %d: %.9Lg%+.9Lgi, not %.9Lg to %.9Lg "
                         "(bin %.9Lg%+.9Lgi)",
                         (int)at[0], (int)at[1], (int)at[2], (int)c, got.re, got.im, v.low, v.high,
                         want.re, want.im);
        } while (next(at, n));
    }
    if (report->clipped[i] < must_clip || report->clipped[i] > may_clip) {
        if (!wrong++)
            snprintf(text, size, "%lld clipped, not %lld to %lld", (long long)report->clipped[i],
                     (long long)must_clip, (long long)may_clip);
    }
    return wrong;
}
