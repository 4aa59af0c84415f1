/* --paint: removes the frequencies that were painted black in a spectrum's picture. */
#include <stdlib.h>

#include "cli/filter/filtering.h"
#include "cli/log.h"

static const double BLACK = 0.5 / 255;

bool gf_filter_paints(const struct gf_settings *s) {
    bool paints = false;
    for (int i = 0; i < s->filter.n_parts; i++)
        paints = paints || s->filter.part[i].what == GF_PAINT;
    return paints;
}

/* Position `at` of the centred spectrum (C order), mirrored at frequency zero. */
static int64_t mirror(const struct gf_job *job, int64_t at) {
    int64_t mirrored = 0, stride = 1;
    for (int i = job->ndim - 1; i >= 0; i--) {
        const int64_t n = job->shape[i];
        mirrored += (2 * (n / 2) - at % n + n) % n * stride;
        stride *= n;
        at /= n;
    }
    return mirrored;
}

/* Zeroes a mask where the file is black and a channel of the picture is not; returns how often. */
static int64_t compare(const struct gf_job *job, const struct gf_array *picture, const double *file,
                       double *mask) {
    const int64_t n = gf_shape_count(job->shape, job->ndim), channels = picture->shape[job->ndim];
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        const unsigned char *px = (const unsigned char *)picture->data + i * channels;
        bool shown = false;
        for (int64_t c = 0; c < channels; c++)
            shown = shown || px[c] > 1;
        if (!shown || file[i] > BLACK)
            continue;
        const int64_t also = mirror(job, i);
        count += (mask[i] > 0) + (also != i && mask[also] > 0);
        mask[i] = mask[also] = 0;
    }
    return count;
}

int gf_filter_paint(struct gf_task *t) {
    struct gf_notches *list = &t->filtering->peaks;
    struct gf_array picture;
    struct gf_report report;
    struct gf_job job = gf_filter_look_job(t,
                                           &(struct gf_output){.kind = GF_MAGNITUDE,
                                                               .dtype = GF_U8,
                                                               .map = GF_MAP_DISPLAY,
                                                               .range = GF_RANGE_AUTO,
                                                               .shift = true},
                                           &picture);
    const int64_t n = gf_shape_count(job.shape, job.ndim);
    if (job.axes != (1u << job.ndim) - 1)
        return gf_fail(GF_EINVAL, "--paint needs the whole spectrum, without --axes and --dims");
    job.norm = GF_NORM_BACKWARD;
    int rc = gf_runner_plan(t->runner, &job);
    if (!rc)
        rc = gf_filter_check_memory(t, gf_array_bytes(&picture) + n * (int64_t)sizeof(double) +
                                           t->runner->workspace);
    if (!rc)
        rc = gf_array_alloc(&picture, picture.dtype, picture.rank, picture.shape);
    if (!rc)
        rc = gf_runner_run(t->runner, &t->in, &picture, &report);
    if (!rc && !(list->painted = malloc((size_t)n * sizeof *list->painted)))
        rc = gf_no_memory();
    for (int64_t i = 0; i < n && !rc; i++)
        list->painted[i] = 1;
    for (int i = 0; i < t->s->filter.n_parts && !rc; i++) {
        const struct gf_filter_part *p = &t->s->filter.part[i];
        if (p->what == GF_PAINT)
            gf_log_note("'%s': --paint=%s removes %lld of %lld frequencies",
                        gf_log_name(t->read[0]), p->text,
                        (long long)compare(&job, &picture, p->file.value, list->painted),
                        (long long)n);
    }
    gf_array_free(&picture);
    gf_runner_forget(t->runner);
    return rc;
}
