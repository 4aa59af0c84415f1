/* --destripe: removes stripes from each plane of the samples, before the search for waves. */
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "cli/report.h"
#include "core/base/host/memory.h"

/* The least deviation, in levels of an integer: rounding makes rows of a smooth shade. */
static const double LEAST_DEVIATION = 0.75;

/* The rows and columns of a plane are the last two axes. */
static int64_t planes_of(const struct gf_task *t) {
    return gf_shape_count(t->filtering->frame.shape, t->op.job.ndim - 2);
}

int gf_filter_expect_stripes(struct gf_task *t) {
    const int64_t *n = t->filtering->frame.shape + t->op.job.ndim - 2;
    int64_t clean;
    if (t->op.job.ndim < 2)
        return gf_fail(GF_EINVAL, "--destripe needs a picture; a line has no stripes");
    int rc = gf_size_product(t->image.px.shape, t->op.job.ndim + 1, 8, &clean);
    t->filtering->n_striped = 1; /* until they are looked for */
    return rc ? rc
              : gf_filter_check_memory(t,
                                       clean + gf_destripe_bytes(n[0], n[1], t->op.job.channels));
}

int gf_filter_remove_stripes(struct gf_task *t) {
    struct gf_filtering *f = t->filtering;
    const int last = t->op.job.ndim - 1;
    struct gf_destripe want = {
        .axis = t->s->filter.destripe - GF_DESTRIPE_ROWS,
        .threads = gf_settings_threads(t->s),
        .transform = {gf_filter_run_once, (void *)t->s},
    };
    if (gf_dtype_is_integer(f->frame.dtype)) {
        gf_dtype_range(f->frame.dtype, &want.low, &want.high);
        want.high = f->frame.white > 0 ? f->frame.white : want.high;
        want.least = LEAST_DEVIATION;
    }
    int rc = gf_array_alloc(&f->clean, t->op.job.precision == GF_DOUBLE ? GF_F64 : GF_F32, last + 2,
                            t->op.in.shape);
    f->n_striped = 0;
    f->stripes.axis = -1;
    for (int64_t z = 0; z < planes_of(t) && !rc; z++) {
        const struct gf_array in = last > 1 ? gf_array_index(&t->op.in, 0, z) : t->op.in;
        struct gf_array out = last > 1 ? gf_array_index(&f->clean, 0, z) : f->clean;
        struct gf_stripes found;
        rc = gf_destripe(&want, &in, &out, &found);
        if (!rc && found.axis >= 0 && !f->n_striped++)
            f->stripes = found;
    }
    if (!rc && f->n_striped) {
        t->op.in = f->clean;
        t->op.in.base = NULL;
    } else {
        gf_array_free(&f->clean);
    }
    return rc;
}

void gf_filter_tell_stripes(const struct gf_task *t) {
    const struct gf_filtering *f = t->filtering;
    const char *name = gf_log_name(t->read[0]);
    char planes[48] = "", period[48] = "";
    if (t->op.job.ndim > 2)
        snprintf(planes, sizeof planes, " in %lld of %lld planes", (long long)f->n_striped,
                 (long long)planes_of(t));
    if (f->stripes.period > 0)
        snprintf(period, sizeof period, ", bands of period %.4g", f->stripes.period);
    if (f->n_striped)
        gf_log_note("'%s': removed stripes along %s (angle %d)%s%s, deviation %.3g", name,
                    f->stripes.axis ? "columns" : "rows", f->stripes.axis ? 0 : 90, period, planes,
                    f->stripes.deviation);
    else
        gf_log_note("'%s': --destripe finds no stripes%s", name,
                    t->op.untouched ? "; the samples are untouched" : "");
}

void gf_filter_describe_stripes(const struct gf_task *t, json_t *o) {
    const struct gf_stripes *s = &t->filtering->stripes;
    json_t *list = json_array();
    if (t->filtering->n_striped)
        GF_APPEND(list, GF_KEY("angle", s->axis ? 0 : 90), GF_KEY("deviation", s->deviation),
                  GF_KEY("coherence", s->coherence), GF_KEY("levels", s->levels),
                  GF_KEY_IF(s->period > 0, "period", s->period),
                  GF_KEY("planes", (long)t->filtering->n_striped));
    GF_ADD(o, GF_KEY("stripes", list));
}
