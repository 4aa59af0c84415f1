/* Surveys coefficients box by box. */
#include "core/wavelet/survey.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/value/sample_run.h"
#include "core/base/value/status.h"
#include "core/wavelet/dwt.h"

/* Samples at a time. Counts of a digit that take a few kilobytes: a job in little memory has them. */
enum { RUN = 512, DIGIT = 11, DIGITS = 1 << DIGIT };

static bool is_picture(const struct gf_job *job) {
    return job->direction == GF_FORWARD && job->out[0].map == GF_MAP_DISPLAY;
}

int gf_dwt_survey_walks(const struct gf_job *job) {
    const int bits = job->precision == GF_DOUBLE ? 64 : 32;
    return (gf_wavelet_keeps_share(&job->wavelet) ? (bits + DIGIT - 1) / DIGIT : 0) +
           is_picture(job);
}

int64_t gf_dwt_survey_bytes(const struct gf_job *job) {
    return gf_wavelet_keeps_share(&job->wavelet) ? DIGITS * (int64_t)sizeof(int64_t) : 0;
}

int gf_dwt_survey_open(struct gf_dwt_survey *s, const struct gf_job *job) {
    int64_t rank = 0;
    *s = (struct gf_dwt_survey){.job = *job, .lock = PTHREAD_MUTEX_INITIALIZER};
    s->selects = gf_dwt_limit(&s->job, &rank);
    s->looks = is_picture(job);
    gf_dwt_layout(job, &s->layout);
    for (int l = 0; l <= GF_MAX_LEVELS; l++)
        for (int d = 0; d < 1 << GF_MAX_DIMS; d++) {
            s->low[l][d] = INFINITY;
            s->high[l][d] = -INFINITY;
        }
    return s->selects ? gf_dwt_rank_begin(&s->rank, job->precision == GF_DOUBLE, DIGIT, rank) : 0;
}

void gf_dwt_survey_close(struct gf_dwt_survey *s) {
    free(s->rank.count);
    s->rank.count = NULL;
}

struct gf_job gf_dwt_survey_job(const struct gf_dwt_survey *s) {
    struct gf_job job = s->job;
    if (s->selects)
        job.wavelet.threshold = GF_KEEP_ALL;
    if (job.direction == GF_FORWARD && (gf_dwt_survey_wants(s) || is_picture(&job)))
        job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = gf_dwt_real(&job)};
    return job;
}

/* ---- boxes, row by row ---- */

/* Numbers of one band in a row of a box. */
struct run {
    unsigned band; /* bits: detail along an axis */
    char *from, *to;
    int64_t n;
};

/* Calls take() for the bands of each row of a box, whose bands touch. `size`: bytes of the samples that
 * replace its numbers. */
static void each_run(const struct gf_dwt_survey *s, const struct gf_dwt_box *b, int64_t size,
                     void (*take)(void *user, int level, const struct run *run), void *user) {
    const struct gf_dwt_layout *a = &s->layout;
    const int64_t channels = s->job.channels, number = a->pixel / channels;
    const int64_t at_x = a->on[2] ? a->axis[2].at[b->level] : INT64_MAX;
    const int64_t cut = gf_min(gf_max(at_x - b->x, 0), b->width) * channels;
    const int64_t all = b->width * channels;
    for (int64_t y = 0; y < b->height; y++) {
        char *row = (char *)b->data + y * b->stride;
        const bool detail = a->on[1] && b->y + y >= a->axis[1].at[b->level];
        const unsigned band = (unsigned)b->detail | (unsigned)detail << 1;
        const struct run low = {band, row, row, cut};
        const struct run high = {band | 1u << 2, row + cut * number, row + cut * size, all - cut};
        if (low.n)
            take(user, b->level, &low);
        if (high.n)
            take(user, b->level, &high);
    }
}

static void look(void *user, int level, const struct run *run) {
    struct gf_dwt_survey *s = user;
    double least = s->low[level][run->band], most = s->high[level][run->band];
    if (s->selects) {
        if (run->band)
            gf_dwt_rank_count(&s->rank, run->from, run->n);
        return;
    }
    for (int64_t i = 0; i < run->n; i++) {
        const double v = gf_real_get(run->from, i, s->job.precision == GF_DOUBLE);
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    s->low[level][run->band] = least;
    s->high[level][run->band] = most;
}

void gf_dwt_survey_box(struct gf_dwt_survey *s, const struct gf_dwt_box *box) {
    pthread_mutex_lock(&s->lock);
    each_run(s, box, s->layout.pixel / s->job.channels, look, s);
    pthread_mutex_unlock(&s->lock);
}

void gf_dwt_survey_plane(struct gf_dwt_survey *s, int64_t z, const struct gf_array *plane) {
    struct gf_dwt_band band[GF_MAX_BANDS];
    const int n = gf_dwt_bands(&s->job, band);
    for (int i = 0; i < n; i++) {
        const int64_t *at = band[i].start, *size = band[i].extent;
        if (z < at[0] || z >= at[0] + size[0])
            continue;
        const struct gf_dwt_box box = {.y = at[1],
                                       .x = at[2],
                                       .height = size[1],
                                       .width = size[2],
                                       .stride = plane->stride[0],
                                       .data = (char *)plane->data + at[1] * plane->stride[0] +
                                               at[2] * plane->stride[1],
                                       .level = band[i].level,
                                       .detail = band[i].detail & 1};
        gf_dwt_survey_box(s, &box);
    }
}

/* ---- walks ---- */

/* Adds up what all ranks saw. */
static int join(struct gf_dwt_survey *s, struct gf_ranks *ranks) {
    enum { BANDS = (GF_MAX_LEVELS + 1) << GF_MAX_DIMS };
    double *least = s->low[0];
    if (!s->selects) {
        for (int i = 0; i < BANDS; i++)
            least[i] = -least[i];
        int rc = gf_ranks_most(ranks, least, BANDS);
        for (int i = 0; i < BANDS; i++)
            least[i] = -least[i];
        return rc ? rc : gf_ranks_most(ranks, s->high[0], BANDS);
    }
    double *sum = malloc(DIGITS * sizeof *sum);
    int rc = gf_ranks_agree(ranks, sum ? 0 : gf_no_memory());
    for (int i = 0; i < DIGITS && !rc; i++)
        sum[i] = (double)s->rank.count[i];
    if (!rc)
        rc = gf_ranks_sum(ranks, sum, DIGITS);
    for (int i = 0; i < DIGITS && !rc; i++)
        s->rank.count[i] = (int64_t)sum[i];
    free(sum);
    return rc;
}

int gf_dwt_survey_next(struct gf_dwt_survey *s, struct gf_ranks *ranks) {
    const int rc = ranks ? join(s, ranks) : 0;
    if (rc)
        return rc;
    if (!s->selects)
        s->looks = false;
    else if (!gf_dwt_rank_next(&s->rank)) {
        s->selects = s->job.wavelet.percent = false;
        s->job.wavelet.amount = gf_dwt_rank_end(&s->rank);
    }
    return 0;
}

/* ---- pictures ---- */

static void show(void *user, int level, const struct run *run) {
    const struct gf_dwt_survey *s = user;
    const enum gf_dtype from = gf_dwt_real(&s->job), to = s->job.out[0].dtype;
    const int64_t number = (int64_t)gf_dtype_size(from), size = (int64_t)gf_dtype_size(to);
    const double least = s->low[level][run->band], most = s->high[level][run->band];
    const struct gf_dwt_scale scale = gf_dwt_scale_of(to, run->band, least, most);
    double v[RUN];
    for (int64_t at = 0; at < run->n; at += RUN) {
        const int64_t n = gf_min(RUN, run->n - at);
        gf_sample_run_read(run->from + at * number, from, number, n, v, NULL);
        gf_dwt_scale_run(&scale, to, v, n);
        gf_sample_run_write(run->to + at * size, to, size, n, v, NULL);
    }
}

void gf_dwt_survey_show(const struct gf_dwt_survey *s, const struct gf_dwt_box *box) {
    each_run(s, box, (int64_t)gf_dtype_size(s->job.out[0].dtype), show, (void *)s);
}
