/* Pages of the smooth part: jumps, their recursions along the slowest axis. */
#include "core/filter/smooth_pages.h"

#include <math.h>
#include <omp.h>

#include "core/base/value/halves.h"
#include "core/base/value/status.h"
#include "core/filter/smooth.h"

/* Frequencies of a row processed together by a thread. */
enum { STRIP = 64 };

void gf_smooth_pages_init(struct gf_smooth_pages *s, const struct gf_job *job) {
    struct gf_smooth x;
    *s = (struct gf_smooth_pages){.channels = job->channels, .axes = job->axes};
    memcpy(s->shape, job->shape, sizeof s->shape);
    for (int i = 0; i < GF_MAX_DIMS; i++) {
        s->face[i].jumps = gf_smooth_init(&x, job, i);
        if (!s->face[i].jumps)
            continue;
        s->face[i].job = x.forward;
        s->face[i].job.axes &= ~1u;
        if (i == 0)
            s->inverse = x.inverse;
    }
}

struct gf_job gf_smooth_pages_job(const struct gf_smooth_pages *s, int64_t count) {
    struct gf_job job = s->inverse;
    job.shape[0] = count;
    return job;
}

int gf_smooth_pages_take(struct gf_smooth_pages *s) {
    int rc = 0;
    for (int i = 0; i < GF_MAX_DIMS && !rc; i++) {
        struct gf_smooth_face *f = &s->face[i];
        int64_t shape[GF_MAX_RANK];
        if (!f->jumps)
            continue;
        gf_job_in_shape(&f->job, shape);
        rc = gf_array_alloc(&f->of, f->job.in_dtype, 4, shape);
    }
    return rc;
}

int64_t gf_smooth_pages_bytes(const struct gf_smooth_pages *s) {
    int64_t kept = 0, most = 0;
    for (int i = 0; i < GF_MAX_DIMS; i++) {
        int64_t bytes = 3 * (int64_t)gf_dtype_size(s->inverse.in_dtype) * s->channels;
        for (int k = 0; k < GF_MAX_DIMS; k++)
            bytes *= k == i ? 1 : s->shape[k];
        if (!s->face[i].jumps)
            continue;
        kept += bytes / 3; /* plus its source and workspace */
        most = bytes > most ? bytes : most;
    }
    return kept + most;
}

void gf_smooth_pages_free(struct gf_smooth_pages *s) {
    for (int i = 0; i < GF_MAX_DIMS; i++)
        gf_array_free(&s->face[i].of);
}

/* Keeps the first page and subtracts it from the last: the jump along the slowest axis. */
static void look_at_ends(struct gf_smooth_pages *s, int64_t z, const struct gf_array *page) {
    struct gf_array *jump = &s->face[0].of;
    const int64_t n = gf_array_count(jump);
    const bool is_double = jump->dtype == GF_F64;
    if (z == 0)
        memcpy(jump->data, page->data, (size_t)gf_array_bytes(jump));
    if (z != s->shape[0] - 1)
        return;
    for (int64_t i = 0; i < n; i++)
        gf_real_put(jump->data, i, is_double,
                    gf_real_get(page->data, i, is_double) - gf_real_get(jump->data, i, is_double));
}

void gf_smooth_pages_look(struct gf_smooth_pages *s, int64_t first, const struct gf_array *pages) {
    for (int64_t z = 0; z < pages->shape[0]; z++) {
        const struct gf_array page = gf_array_slice(pages, 0, z, 1);
        look_at_ends(s, first + z, &page);
        for (int i = 1; i < GF_MAX_DIMS; i++) {
            const struct gf_smooth x = {.axis = i, .n = s->shape[i]};
            if (!s->face[i].jumps)
                continue;
            struct gf_array jump = gf_array_slice(&s->face[i].of, 0, first + z, 1);
            gf_smooth_jump(&x, &page, &jump);
        }
    }
}

/* ---- recursions ---- */

/* Some frequencies of a row, all channels, and their constants along the slowest axis. */
struct strip {
    const struct gf_smooth_pages *s;
    int64_t row, column, count, width; /* width: `count` times the channels */
    bool is_double;
    double a[STRIP], e[STRIP], scale[STRIP], around[STRIP];
    double x[2 * STRIP], y[2]; /* 1 - exp(2 pi i k / N), for a jump along that axis */
    double *source, *state;    /* re, im */
    double *pages;             /* results */
};

static void factor(int64_t k, int64_t n, double to[2]) {
    const double angle = M_PI * (double)k / (double)n, s = sin(angle);
    to[0] = 2 * s * s;
    to[1] = -2 * s * cos(angle);
}

static void begin_strip(struct strip *t) {
    const int64_t *shape = t->s->shape;
    double row = 0;
    memset(t->y, 0, sizeof t->y);
    if (t->s->face[1].jumps) {
        factor(t->row, shape[1], t->y);
        row = t->y[0] / 2;
    }
    for (int64_t k = 0; k < t->count; k++) {
        factor(t->column + k, shape[2], t->x + 2 * k);
        const double a = 2 * asinh(sqrt(row + t->x[2 * k] / 2));
        t->a[k] = a;
        t->e[k] = a > 0 ? exp(-a) : 0;
        t->scale[k] = a > 0 ? -0.5 / sinh(a) : 0;
        t->around[k] = a > 0 ? -1 / expm1(-a * (double)shape[0]) : 1;
    }
}

/* The spectrum of a page's jumps along x at the strip's row; the other half's numbers are
 * conjugates. */
static void row_jump(const struct strip *t, int64_t z, int64_t channel, double to[2]) {
    const struct gf_array *of = &t->s->face[2].of;
    const int64_t rows = of->shape[1], c = t->s->channels;
    const bool other = t->row >= rows;
    const int64_t i = (z * rows + (other ? t->s->shape[1] - t->row : t->row)) * c + channel;
    if (!gf_dtype_is_complex(of->dtype)) {
        to[0] = gf_real_get(of->data, i, t->is_double);
        to[1] = 0;
        return;
    }
    const struct gf_number f = gf_number_get(of->data, i, t->is_double);
    to[0] = f.re;
    to[1] = other ? -f.im : f.im;
}

/* Adds a face's numbers from `at` on, times a factor. */
static void add_face(const struct strip *t, const struct gf_array *of, int64_t at, int64_t count,
                     const double factor[2]) {
    for (int64_t i = 0; i < count; i++) {
        const struct gf_number f = gf_number_get(of->data, at + i, t->is_double);
        t->source[2 * i] += f.re * factor[0] - f.im * factor[1];
        t->source[2 * i + 1] += f.re * factor[1] + f.im * factor[0];
    }
}

/* W(z) of the first `count` frequencies. */
static void find_source(const struct strip *t, int64_t z, int64_t count) {
    const int64_t c = t->s->channels, columns = t->s->shape[2] / 2 + 1;
    static const double plus[2] = {1, 0}, minus[2] = {-1, 0};
    memset(t->source, 0, (size_t)(2 * count * c) * sizeof *t->source);
    for (int64_t channel = 0; channel < c && t->s->face[2].jumps; channel++) {
        double r[2];
        row_jump(t, z, channel, r);
        for (int64_t k = 0; k < count; k++) {
            double *to = t->source + 2 * (k * c + channel);
            to[0] = r[0] * t->x[2 * k] - r[1] * t->x[2 * k + 1];
            to[1] = r[0] * t->x[2 * k + 1] + r[1] * t->x[2 * k];
        }
    }
    if (t->s->face[1].jumps)
        add_face(t, &t->s->face[1].of, (z * columns + t->column) * c, count * c, t->y);
    const int64_t at = (t->row * columns + t->column) * c;
    if (z == 0)
        add_face(t, &t->s->face[0].of, at, count * c, plus);
    if (z == t->s->shape[0] - 1)
        add_face(t, &t->s->face[0].of, at, count * c, minus);
}

/* state = W(z) + e state */
static void advance(const struct strip *t, int64_t z, int64_t count) {
    const int64_t reals = 2 * t->s->channels;
    find_source(t, z, count);
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = k * reals; i < (k + 1) * reals; i++)
            t->state[i] = t->source[i] + t->e[k] * t->state[i];
}

/* Sums the state at page z over the following pages in steps of +1 or -1, around the ends. Far away
 * only the first frequencies have not decayed. */
static void run_in(const struct strip *t, int64_t z, int step) {
    const double decayed = t->is_double ? 40 : 24; /* below the rounding of the numbers */
    const int64_t n = t->s->shape[0], reals = 2 * t->s->channels;
    const double far = decayed / fmax(t->a[0], 1e-300);
    int64_t count = 0;
    memset(t->state, 0, (size_t)(2 * t->width) * sizeof *t->state);
    for (int64_t j = far < (double)n ? (int64_t)far : n - 1; j >= 0; j--) {
        while (count < t->count && t->a[count] * (double)j <= decayed)
            count++;
        advance(t, ((z + step * j) % n + n) % n, count);
    }
    for (int64_t k = 0; k < t->count; k++)
        for (int64_t i = k * reals; i < (k + 1) * reals; i++)
            t->state[i] *= t->around[k];
}

/* F + e B of pages first .. first + n - 1. */
static void sum_up(const struct strip *t, int64_t first, int64_t n) {
    const int64_t reals = 2 * t->s->channels, page = 2 * t->width;
    run_in(t, first - 1, -1);
    for (int64_t z = 0; z < n; z++) {
        advance(t, first + z, t->count);
        memcpy(t->pages + z * page, t->state, (size_t)page * sizeof *t->state);
    }
    run_in(t, first + n, 1);
    for (int64_t z = n - 1; z >= 0; z--) {
        for (int64_t k = 0; k < t->count; k++)
            for (int64_t i = k * reals; i < (k + 1) * reals; i++)
                t->pages[z * page + i] += t->e[k] * t->state[i];
        advance(t, first + z, t->count);
    }
}

static void write_strip(const struct strip *t, int64_t first, struct gf_array *to) {
    const int64_t reals = 2 * t->s->channels, columns = t->s->shape[2] / 2 + 1;
    const double n = (double)t->s->shape[0];
    const int64_t face = (t->row * columns + t->column) * reals;
    for (int64_t z = 0; z < to->shape[0]; z++) {
        const double line = ((double)(first + z) + 0.5 - n / 2) / n;
        const int64_t at = ((z * t->s->shape[1] + t->row) * columns + t->column) * reals;
        for (int64_t i = 0; i < 2 * t->width; i++) {
            const double v =
                t->a[i / reals] > 0
                    ? t->scale[i / reals] * t->pages[z * 2 * t->width + i]
                    : line * gf_real_get(t->s->face[0].of.data, face + i, t->is_double);
            gf_real_put(to->data, at + i, t->is_double, v);
        }
    }
}

int gf_smooth_pages_spectrum(const struct gf_smooth_pages *s, int threads, int64_t first,
                             struct gf_array *spectrum) {
    const int64_t columns = s->shape[2] / 2 + 1, n = spectrum->shape[0];
    const int64_t strips = gf_divide_up(columns, STRIP), width = 2 * STRIP * s->channels;
    threads = threads > 0 ? threads : 1;
    const size_t room = (size_t)((n + 2) * width) * sizeof(double);
    char *scratch = gf_alloc(room * (size_t)threads);
    if (!scratch)
        return gf_no_memory();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < s->shape[1] * strips; i++) {
        struct strip t = {.s = s, .row = i / strips, .column = i % strips * STRIP};
        t.count = columns - t.column < STRIP ? columns - t.column : STRIP;
        t.width = t.count * s->channels;
        t.is_double = spectrum->dtype == GF_C128;
        t.source = (double *)(scratch + room * (size_t)omp_get_thread_num());
        t.state = t.source + width;
        t.pages = t.state + width;
        begin_strip(&t);
        sum_up(&t, first, n);
        write_strip(&t, first, spectrum);
    }
    gf_free(scratch);
    return 0;
}
