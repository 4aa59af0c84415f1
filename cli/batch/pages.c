/* The loop over the pages of a volume. It may be walked through more than once: an automatic display
 * range looks at a few pages first, a full one at all of them. */
#include "cli/batch/pages.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cli/batch/store.h"
#include "cli/log.h"
#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/range_planes.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"

enum { SLOTS = 2 };

/* Samples that are NaN or Inf, and the first one. */
struct nonfinite {
    int64_t count, first[GF_MAX_RANK];
};

/* One walk. Its parts are the pages that are read, transformed or written together. Part i is in
 * slot i % SLOTS: it is read once part i - SLOTS was transformed, and transformed once the results
 * of that one were written. */
struct walk {
    struct gf_task *t;
    int64_t parts, at_once;
    struct gf_array in[SLOTS], out[SLOTS][GF_MAX_OUTPUTS];
    struct gf_volume *volume[GF_MAX_OUTPUTS]; /* NULL with {page}, and where nothing is written */
    bool writes;
    struct nonfinite bad; /* the reading thread's, until it has ended */
    double ms_read, ms_write;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t read, ran, written; /* parts */
    bool spoiled;               /* samples are to be refused: the others are only counted */
    int rc;                     /* the first failure, with its message: a thread keeps its own */
    char message[512];
};

static int64_t first_of(const struct walk *w, int64_t part) {
    return part * w->at_once;
}

static int64_t pages_of(const struct walk *w, int64_t part) {
    int64_t left = w->t->job.shape[0] - first_of(w, part);
    return left < w->at_once ? left : w->at_once;
}

/* ---- the threads ---- */

static void fail(struct walk *w, int rc) {
    pthread_mutex_lock(&w->lock);
    if (!w->rc) {
        w->rc = rc;
        snprintf(w->message, sizeof w->message, "%s", gf_message());
    }
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

/* Waits until *count is at least `least`; false where there is nothing more to do. */
static bool await(struct walk *w, const int64_t *count, int64_t least, bool spoils) {
    pthread_mutex_lock(&w->lock);
    while (*count < least && !w->rc && !(spoils && w->spoiled))
        pthread_cond_wait(&w->changed, &w->lock);
    bool on = !w->rc && !(spoils && w->spoiled);
    pthread_mutex_unlock(&w->lock);
    return on;
}

static void advance(struct walk *w, int64_t *count) {
    pthread_mutex_lock(&w->lock);
    ++*count;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

/* ---- reading ---- */

/* The samples of pages from `from` on, finite, or counted for the refusal. */
static int read_pages(struct gf_task *t, int64_t from, struct gf_array *to, struct nonfinite *bad) {
    int64_t first[GF_MAX_RANK];
    int rc = gf_reader_pages(&t->reader, t->s, t->read, &t->image, from, to);
    int64_t count = rc ? 0 : gf_array_nonfinite(to, first);
    if (count && t->s->nan != GF_NAN_REFUSE) {
        gf_samples_mend(to, false);
    } else if (count) {
        first[0] += from;
        if (!bad->count)
            memcpy(bad->first, first, sizeof first);
        bad->count += count;
    }
    return rc;
}

static void *read_all(void *user) {
    struct walk *w = user;
    for (int64_t i = 0; i < w->parts; i++) {
        if (!w->bad.count && !await(w, &w->ran, i - SLOTS + 1, false))
            return NULL;
        double start = gf_now_ms();
        struct gf_array to = gf_array_slice(&w->in[i % SLOTS], 0, 0, pages_of(w, i));
        int rc = read_pages(w->t, first_of(w, i), &to, &w->bad);
        w->ms_read += gf_now_ms() - start;
        if (rc) {
            fail(w, rc);
            return NULL;
        }
        pthread_mutex_lock(&w->lock);
        w->spoiled = w->bad.count > 0;
        pthread_mutex_unlock(&w->lock);
        advance(w, &w->read);
    }
    return NULL;
}

/* ---- writing ---- */

static int write_pages(struct walk *w, int64_t part) {
    const struct gf_task *t = w->t;
    int rc = 0;
    for (int i = 0; i < t->job.n_out && !rc; i++) {
        struct gf_array pages = gf_array_slice(&w->out[part % SLOTS][i], 0, 0, pages_of(w, part));
        rc = gf_product_put(t->s, &t->product[i], &t->image.metadata, w->volume[i],
                            first_of(w, part), &pages);
    }
    return rc;
}

static void *write_all(void *user) {
    struct walk *w = user;
    for (int64_t i = 0; i < w->parts; i++) {
        if (!await(w, &w->ran, i + 1, true))
            return NULL;
        double start = gf_now_ms();
        int rc = write_pages(w, i);
        w->ms_write += gf_now_ms() - start;
        if (rc) {
            fail(w, rc);
            return NULL;
        }
        advance(w, &w->written);
    }
    return NULL;
}

/* ---- transforming ---- */

/* Of pages in `px`: what the backend transforms, and the alpha channel. */
static void split(const struct gf_task *t, const struct gf_array *px, struct gf_array *in,
                  struct gf_array *alpha) {
    const int axis = t->job.ndim;
    *in = t->in;
    in->data = px->data;
    in->shape[0] = px->shape[0];
    *alpha = *in;
    alpha->shape[axis] = 1;
    alpha->data = t->has_alpha ? (char *)in->data + in->shape[axis] * in->stride[axis] : NULL;
}

static void add_report(struct gf_task *t, const struct gf_report *one) {
    struct gf_report *sum = &t->report;
    for (int i = 0; i < t->job.n_out; i++) {
        sum->clipped[i] += one->clipped[i];
        sum->low[i] = one->low[i];
        sum->high[i] = one->high[i] > sum->high[i] ? one->high[i] : sum->high[i];
    }
    sum->kept += one->kept;
    sum->lost += one->lost;
    sum->imag_ratio = sum->lost > 0 ? sqrt(sum->lost / sum->kept) : 0;
}

static int run_part(struct walk *w, int64_t part) {
    struct gf_task *t = w->t;
    struct gf_job job = t->pages.job;
    struct gf_array in, alpha, out[GF_MAX_OUTPUTS], plain[GF_MAX_OUTPUTS];
    struct gf_report report;
    const int64_t n = job.shape[0] = pages_of(w, part);
    struct gf_array px = gf_array_slice(&w->in[part % SLOTS], 0, 0, n);
    split(t, &px, &in, &alpha);
    for (int i = 0; i < job.n_out; i++) {
        out[i] = gf_array_slice(&w->out[part % SLOTS][i], 0, 0, n);
        plain[i] = gf_task_without_alpha(t, i, &out[i]);
    }
    int rc = gf_runner_plan(t->runner, &job);
    if (!rc)
        rc = gf_runner_run(t->runner, &in, plain, &report);
    if (rc)
        return rc;
    add_report(t, &report);
    for (int i = 0; i < job.n_out && w->writes; i++)
        gf_task_complete(t, i, &out[i], &alpha);
    return 0;
}

static int run_all(struct walk *w) {
    for (int64_t i = 0; i < w->parts; i++) {
        if (!await(w, &w->read, i + 1, true) ||
            (w->writes && !await(w, &w->written, i - SLOTS + 1, true)))
            return 0;
        double start = gf_now_ms();
        int rc = run_part(w, i);
        w->t->ms_transform += gf_now_ms() - start;
        if (rc)
            return rc;
        advance(w, &w->ran);
    }
    return 0;
}

/* ---- a walk ---- */

static int take_slots(struct walk *w) {
    const struct gf_task *t = w->t;
    int rc = 0;
    for (int i = 0; i < SLOTS && !rc; i++) {
        struct gf_array like = t->image.px;
        like.shape[0] = w->at_once;
        rc = gf_array_alloc(&w->in[i], like.dtype, like.rank, like.shape);
        for (int k = 0; k < t->job.n_out && !rc; k++) {
            like = t->product[k].image.px;
            like.shape[0] = w->at_once;
            rc = gf_array_alloc(&w->out[i][k], like.dtype, like.rank, like.shape);
        }
    }
    return rc;
}

static void drop_slots(struct walk *w) {
    for (int i = 0; i < SLOTS; i++) {
        gf_array_free(&w->in[i]);
        for (int k = 0; k < GF_MAX_OUTPUTS; k++)
            gf_array_free(&w->out[i][k]);
    }
}

/* The calling thread transforms, for it is the one that has the runner. */
static int run_threads(struct walk *w) {
    pthread_t reader, writer;
    if (pthread_create(&reader, NULL, read_all, w))
        return gf_fail(GF_ENOMEM, "cannot start a thread");
    bool two = w->writes && !pthread_create(&writer, NULL, write_all, w);
    int rc = w->writes && !two ? gf_fail(GF_ENOMEM, "cannot start a thread") : run_all(w);
    if (rc)
        fail(w, rc);
    pthread_join(reader, NULL);
    if (two)
        pthread_join(writer, NULL);
    if (w->rc)
        return gf_fail((enum gf_status)w->rc, "%s", w->message);
    return w->bad.count ? gf_load_refuse(&w->t->image, w->bad.count, w->bad.first) : 0;
}

static int walk(struct walk *w) {
    struct gf_task *t = w->t;
    w->at_once = t->pages.at_once;
    w->parts = (t->job.shape[0] + w->at_once - 1) / w->at_once;
    t->report = (struct gf_report){.imag_ratio = 0};
    int rc = take_slots(w);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (!rc)
        rc = run_threads(w);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    drop_slots(w);
    t->ms_decode += w->ms_read;
    t->ms_encode += w->ms_write;
    return rc;
}

/* ---- display ranges ---- */

static void set_range(struct gf_task *t, int i, double low, double high) {
    struct gf_output *out = &t->pages.job.out[i];
    out->range = GF_RANGE_GIVEN;
    out->low = low;
    out->high = high;
}

/* The pages that the sample of an automatic range is on, one by one. *spoiled: there is none, as samples
 * will be refused, once the walk over all pages has counted them. */
static int look_at_pages(struct gf_task *t, struct gf_range_planes *r, bool *spoiled) {
    struct gf_job one = gf_range_planes_job(&t->job);
    struct gf_array px = {0}, spectrum = {0}, in, alpha, like = t->image.px;
    struct nonfinite bad = {0};
    struct gf_report report;
    int64_t shape[GF_MAX_RANK];
    gf_job_out_shape(&one, 0, shape);
    like.shape[0] = 1;
    int rc = gf_runner_plan(t->runner, &one);
    if (!rc)
        rc = gf_array_alloc(&px, like.dtype, like.rank, like.shape);
    if (!rc)
        rc = gf_array_alloc(&spectrum, one.out[0].dtype, one.ndim + 1, shape);
    for (int64_t z = 0; !rc && (z = gf_range_planes_next(r, z)) >= 0; z++) {
        rc = read_pages(t, z, &px, &bad);
        if (rc || bad.count)
            break;
        split(t, &px, &in, &alpha);
        rc = gf_runner_run(t->runner, &in, &spectrum, &report);
        if (!rc)
            gf_range_planes_add(r, z, &in, &spectrum);
    }
    gf_array_free(&px);
    gf_array_free(&spectrum);
    *spoiled = bad.count > 0;
    return rc;
}

static int sample_ranges(struct gf_task *t) {
    struct gf_range_planes r;
    double start = gf_now_ms();
    int rc = gf_range_planes_make(&t->job, &r);
    if (rc)
        return rc;
    bool spoiled;
    rc = look_at_pages(t, &r, &spoiled);
    for (int i = 0; i < t->job.n_out && !rc; i++) {
        double range[2] = {0, 1};
        if (!gf_output_samples(&t->job, i))
            continue;
        if (!spoiled)
            gf_range_planes_find(&r, i, range);
        set_range(t, i, range[0], range[1]);
    }
    gf_range_planes_free(&r);
    t->ms_transform += gf_now_ms() - start;
    return rc;
}

/* Ranges over all pages, before the first of them is written. */
static int find_ranges(struct gf_task *t) {
    bool full = false;
    int rc = 0;
    if (gf_job_samples(&t->job))
        rc = sample_ranges(t);
    for (int i = 0; i < t->job.n_out; i++)
        full = full || gf_output_is_full(&t->job.out[i]);
    if (rc || !full)
        return rc;
    struct walk w = {.t = t};
    rc = walk(&w);
    for (int i = 0; i < t->job.n_out && !rc; i++)
        if (gf_output_is_full(&t->job.out[i]))
            set_range(t, i, t->report.low[i], t->report.high[i]);
    return rc;
}

/* ---- outputs ---- */

static int begin(struct walk *w) {
    struct gf_task *t = w->t;
    int rc = 0;
    for (int i = 0; i < t->job.n_out && !rc; i++) {
        const struct gf_format *f = t->product[i].format;
        if (f->load) /* see gf_formats_load() */
            rc = f->load();
        if (!rc)
            rc = gf_product_begin(t->s, &t->product[i], &t->image.metadata, &w->volume[i]);
    }
    return rc;
}

static int commit(struct walk *w) {
    int rc = 0;
    for (int i = 0; i < w->t->job.n_out && !rc; i++) {
        if (w->volume[i])
            rc = gf_volume_commit(w->volume[i]);
        w->volume[i] = NULL;
    }
    return rc;
}

int gf_pages_run(struct gf_task *t) {
    struct walk w = {.t = t, .writes = true};
    char alpha;
    int rc = find_ranges(t);
    if (!rc)
        rc = begin(&w);
    if (!rc)
        rc = walk(&w);
    t->alpha.data = t->has_alpha ? &alpha : NULL; /* check() asks only whether there is one */
    if (!rc && t->hooks->check)
        rc = t->hooks->check(t);
    t->alpha.data = NULL;
    double start = gf_now_ms();
    if (!rc)
        rc = commit(&w);
    t->ms_encode += gf_now_ms() - start;
    for (int i = 0; i < t->job.n_out; i++)
        gf_volume_abort(w.volume[i]);
    gf_reader_close(&t->reader);
    if (!rc)
        gf_log_verbose("'%s': %lld pages, %lld at once", gf_log_name(t->read[0]),
                       (long long)t->job.shape[0], (long long)t->pages.at_once);
    return rc;
}
