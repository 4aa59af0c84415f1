/* Reads pictures as signals of one channel, page by page or all at once, and transforms them. */
#include "cli/compare/signal.h"

#include <limits.h>
#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/command.h"
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "cli/plot/plot.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/base/value/sample_value.h"

static int check_record(const struct gf_image *image, const char *command) {
    struct gf_record record;
    int rc = image->record ? gf_record_parse(image->record, &record) : 0;
    if (rc || !image->record)
        return rc;
    if (record.is_wavelet)
        return gf_fail(GF_EINVAL,
                       "wavelet coefficients; %s takes the picture they came from (gpufft idwt)",
                       command);
    if (record.kind == GF_COMPLEX)
        return gf_fail(GF_EINVAL, "a spectrum; %s takes the picture it came from (gpufft inv)",
                       command);
    return 0;
}

/* Reads the header's samples; only PNM files, and TIFFs of unequal pages, hold several pictures. */
static int read_only(struct gf_reader *r, struct gf_image *image) {
    int rc = gf_reader_read(r, image, NULL);
    if (!rc && !r->series && (rc = gf_reader_more(r)) > 0)
        rc = gf_fail(GF_EUNSUPP, r->file[0] && gf_file_pick(r->file[0])->apart
                                     ? "its pages differ in size or type; --select=z=0 takes one"
                                     : "a PNM of more than one picture");
    return rc ? rc : gf_load_finite(r->s, image);
}

/* ---- samples ---- */

int gf_signal_make(const struct gf_settings *s, const struct gf_image *image, struct gf_array *px) {
    const int64_t channels = image->px.shape[image->ndim] - image->alpha;
    const struct gf_array in = gf_array_slice(&image->px, image->ndim, 0, channels);
    px->dtype = gf_settings_precision(s, in.dtype) == GF_DOUBLE ? GF_F64 : GF_F32;
    return gf_signal_take(&in, image->color == GF_RGB, px);
}

/* Makes a signal of a file, and its image without samples. */
static int load(const struct gf_settings *s, const char *path, bool alike, struct gf_array *px,
                struct gf_image *image) {
    struct gf_settings own = *s;
    struct gf_reader reader = {0};
    char *const paths[] = {(char *)path};
    own.frames = false;
    own.max_memory = 0; /* what the machine has */
    if (!alike)
        own.shape.n = own.n_select = own.pixel.n = 0;
    int rc = gf_reader_open(&reader, &own, paths, 1, image);
    if (!rc)
        rc = check_record(image, "this command");
    if (!rc && reader.series)
        rc = gf_fail(GF_EINVAL, "times or channels of volumes; --select takes one");
    if (!rc)
        rc = read_only(&reader, image);
    gf_reader_close(&reader);
    if (!rc)
        rc = gf_signal_make(s, image, px);
    gf_array_free(&image->px);
    if (rc)
        gf_log_fail(path);
    return rc;
}

int gf_signal_load_other(struct gf_settings *s, bool alike, const char *weights) {
    struct gf_array *w = &s->other.weights;
    struct gf_image image = {0};
    int rc = s->other.with ? load(s, s->other.with, alike, &s->other.px, &s->other.about) : 0;
    if (rc || !weights)
        return rc;
    rc = load(s, weights, false, w, &image);
    const double white = gf_filter_white(image.px.dtype, image.white);
    for (int64_t i = 0; !rc && i < gf_array_count(w); i++) {
        char *p = gf_array_at(w, i);
        gf_sample_put(p, w->dtype, gf_sample_get(p, w->dtype) / white);
    }
    gf_image_free(&image);
    return rc;
}

void gf_signal_drop_other(struct gf_settings *s) {
    gf_array_free(&s->other.px);
    gf_array_free(&s->other.weights);
    gf_image_free(&s->other.about);
}

/* ---- operations ---- */

int gf_signal_open(struct gf_settings *s, const char *name, void *options) {
    const struct gf_array *const own[] = {&s->other.px, &s->other.weights};
    struct gf_array with[2];
    int n = 0;
    for (int i = 0; i < 2; i++) {
        with[i] = *own[i];
        with[i].shape[with[i].rank++] = 1; /* a channel */
        n = own[i]->data ? i + 1 : n;
    }
    s->other.op.kind = gf_operation_find(name);
    return gf_operation_open(&s->other.op, options, with, n);
}

int gf_signal_run(const struct gf_task_hooks *hooks, struct gf_settings *s,
                  struct gf_signal_options *options, const char *weights, char **operands, int n) {
    const char *with = weights ? weights : s->other.with ? s->other.with : hooks->name;
    options->precision = s->precision = s->precision == GF_UNSET ? GF_DOUBLE : s->precision;
    options->spends = true;
    int rc = gf_signal_load_other(s, false, weights);
    if (!rc && (rc = gf_signal_open(s, hooks->name, options)))
        gf_log_fail(with);
    const int code = rc ? gf_exit_code(rc) : gf_batch_run(hooks, s, operands, n);
    gf_operation_close(&s->other.op);
    gf_signal_drop_other(s);
    return code;
}

int gf_signal_describe(struct gf_task *t) {
    const struct gf_image all = t->image;
    struct gf_operation *op = &t->op;
    gf_operation_drop(op);
    t->image = gf_signal_visited(t);
    op->kind = t->s->other.op.kind;
    op->shared = t->s->other.op.shared;
    op->of = (struct gf_operand){.white = 0};
    op->job = (struct gf_job){.n_out = 1, .axes = op->job.axes};
    gf_operand_of_image(&t->image, t->image.ndim, &op->of);
    op->of.rgb = op->of.rgb && !t->s->stats.channels;
    gf_task_begin_job(t, GF_FORWARD);
    int rc = gf_task_take_channels(t);
    op->of.px = op->in;
    op->of.px.data = NULL;
    if (!rc)
        rc = gf_operation_describe(op);
    t->image = all;
    return rc;
}

int gf_signal_apply(struct gf_task *t, const char *name, int64_t page) {
    gf_progress_show("transforming", gf_log_name(name));
    t->op.page = page + 1;
    const int rc = gf_signal_describe(t);
    return rc ? rc : gf_task_take(t);
}

json_t *gf_signal_facts(const struct gf_task *t, json_t *o) {
    struct gf_facts facts = {0};
    t->op.kind->facts(&t->op, &facts);
    return gf_report_facts(o, &facts);
}

const char *gf_signal_spacing(const struct gf_image *image, int ndim, double spacing[GF_MAX_DIMS],
                              bool *alike) {
    struct gf_operand of = {.px.rank = ndim + 1};
    bool own;
    gf_operand_of_image(image, ndim, &of);
    return gf_operand_spacing(&of, spacing, alike ? alike : &own);
}

/* ---- pages ---- */

/* A page's image, with the samples of the first one. */
static struct gf_image page_of(const struct gf_image *volume) {
    struct gf_image page = {.ndim = 2, .color = volume->color, .alpha = volume->alpha};
    page.axes = volume->axes;
    gf_axes_drop_pages(&page.axes, true);
    page.px = gf_array_index(&volume->px, 0, 0);
    return page;
}

int gf_signal_read_page(struct gf_task *t, const struct gf_image *volume, int64_t z,
                        struct gf_image *image) {
    struct gf_array px = image->px, like = volume->px;
    int rc = 0;
    *image = page_of(volume);
    if (like.data) {
        px = gf_array_index(&like, 0, z);
    } else {
        rc = px.data ? 0 : gf_array_alloc(&px, like.dtype, 3, like.shape + 1);
        like.shape[0] = 1;
        struct gf_array to = gf_array_wrap(px.data, like.dtype, 4, like.shape);
        rc = rc ? rc : gf_reader_part(&t->reader, volume, GF_PAGE, z, &to);
    }
    image->px = px;
    return rc ? rc : gf_load_finite(t->s, image);
}

const char *gf_signal_page_name(const struct gf_task *t, int64_t z, char *name, size_t size) {
    const struct gf_axes *axes = &t->image.axes;
    char at[128] = "";
    int64_t pages = axes->n > 3 ? gf_axes_pages(axes) : 0, left = z;
    for (int i = 0; i < axes->n - 2 && pages > 1; i++) {
        const size_t n = strlen(at);
        pages /= axes->axis[i].extent;
        if (axes->axis[i].extent > 1)
            snprintf(at + n, sizeof at - n, "%s%s=%lld", n ? "," : "", axes->axis[i].name,
                     (long long)(left / pages));
        left %= pages;
    }
    if (strchr(at, ','))
        snprintf(name, size, "%s[%s]", t->read[0], at);
    else
        snprintf(name, size, "%s[%lld]", t->read[0], (long long)z);
    return name;
}

static int visit_pages(struct gf_task *t, gf_signal_visit *visit, gf_signal_walk *walk) {
    int rc = gf_reader_has_pages(&t->reader) ? 0 : gf_reader_read(&t->reader, &t->image, NULL);
    const struct gf_image volume = t->image;
    const int64_t pages = rc ? 0 : volume.px.shape[0];
    char name[PATH_MAX];
    gf_runner_repeat(t->op.crew.runner, pages);
    if (walk && !rc)
        return walk(t);
    t->image.px = (struct gf_array){0};
    for (int64_t z = 0; !rc && z < pages; z++) {
        rc = gf_signal_read_page(t, &volume, z, &t->image);
        if (!rc)
            rc = visit(t, gf_signal_page_name(t, z, name, sizeof name), z);
    }
    gf_array_free(&t->image.px);
    t->image = volume;
    return rc;
}

/* Notes that the other picture's samples have another distance. */
static void note_other(const struct gf_task *t) {
    const struct gf_settings *s = t->s;
    const struct gf_image *image = &t->image, *other = &s->other.about;
    bool same = true;
    char kind = 0, own = 0;
    for (int i = 1; i <= image->ndim && i <= other->ndim && !s->pixel.n; i++) {
        const double a = gf_image_spacing(image, image->ndim - i, &kind),
                     b = gf_image_spacing(other, other->ndim - i, &own);
        same = same && (!(a > 0 && b > 0) || (kind == own && fabs(a - b) <= 1e-4 * b));
    }
    if (!same)
        gf_log_note("'%s': its samples are not as far apart as those of '%s'; they are compared "
                    "one by one, and lengths are by the first",
                    gf_log_name(t->read[0]), s->other.with);
}

/* The volumes of a series share no file here. */
static int check_series(const struct gf_task *t) {
    for (int i = 0; t->reader.series && i < t->targets->n; i++) {
        const struct gf_target *to = &t->targets->target[i];
        if (!gf_template_counts(&to->where))
            return gf_fail(GF_EINVAL, "%s is one file for several volumes; --select takes one%s",
                           to->where.option,
                           to->plain ? "" : ", {t} or {c} in its name makes a file of each");
    }
    return 0;
}

int gf_signal_prepare(struct gf_task *t) {
    int rc = check_record(&t->image, t->hooks->name);
    rc = rc ? rc : check_series(t);
    gf_task_begin_job(t, GF_FORWARD);
    t->op.refuses.pages = gf_why(GF_WHY_PLANES);
    t->product[0].image.ndim = t->image.ndim;
    memcpy(t->product[0].shape, t->image.px.shape, sizeof t->product[0].shape);
    if (!rc)
        rc = gf_settings_axes(t->s, &t->image.axes, t->op.job.ndim, &t->op.job.axes);
    if (!rc && t->s->other.with && !t->page)
        note_other(t);
    return rc || !t->s->other.op.kind ? rc : gf_signal_describe(t);
}

bool gf_signal_by_pages(const struct gf_task *t) {
    return t->image.ndim == 3 && !(t->op.job.axes & 1);
}

struct gf_image gf_signal_visited(const struct gf_task *t) {
    return gf_signal_by_pages(t) ? page_of(&t->image) : t->image;
}

/* Calls visit() or walk(). */
static int visit_all(struct gf_task *t, gf_signal_visit *visit, gf_signal_walk *walk) {
    if (gf_signal_by_pages(t))
        return visit_pages(t, visit, walk);
    int rc = read_only(&t->reader, &t->image);
    return rc ? rc : visit(t, t->name, -1);
}

int gf_signal_each(struct gf_task *t, int64_t need, gf_signal_visit *visit, gf_signal_walk *walk) {
    const struct gf_target *to = t->targets->target;
    if (gf_signal_by_pages(t) && !walk && t->targets->n && to->plain && !to->where.has_page)
        return gf_fail(GF_EINVAL, "several pages: number the files with {page} in %s",
                       to->where.option);
    int rc = gf_runner_check_memory(t->op.crew.runner, need);
    for (int i = 0; i < t->targets->n && !rc; i++) {
        struct gf_array *out = &t->product[i].image.px, like = *out;
        rc = like.rank ? gf_array_alloc(out, like.dtype, like.rank, like.shape) : 0;
    }
    if (!rc)
        rc = visit_all(t, visit, walk);
    for (int i = 0; i < t->targets->n && !rc; i++)
        if (t->product[i].image.px.rank) {
            gf_task_clip(t, i, &t->product[i].image.px, &t->op);
            rc = gf_product_write(t->s, &t->op.job, &t->product[i], &t->image.metadata);
        }
    if (!t->reader.series)
        gf_reader_close(&t->reader);
    t->state = rc ? t->state : GF_TASK_WRITTEN;
    return rc;
}

int gf_signal_stream(struct gf_task *t, gf_signal_visit *visit) {
    const struct gf_array one = gf_signal_visited(t).px, *out = &t->product[0].image.px;
    t->op.crew.held = gf_array_bytes(out) +
                      gf_array_bytes(gf_reader_has_pages(&t->reader) ? &one : &t->image.px) +
                      (t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0);
    const int rc = t->op.kind->expect(&t->op);
    return rc ? rc : gf_signal_each(t, t->op.need, visit, NULL);
}

/* ---- reports ---- */

json_t *gf_signal_report(const struct gf_task *t, const char *in, int64_t page) {
    return GF_REPORT(GF_KEY("in", in), GF_KEY_IF(page >= 0, "page", page),
                     GF_KEY("command", t->hooks->name));
}

void gf_signal_print(const struct gf_task *t, const char *name, const char *form, json_t *report) {
    if (gf_targets_stdout(t->targets)) {
        json_decref(report);
        return;
    }
    gf_progress_hide();
    if (name && !t->s->json)
        gf_log_heading(name);
    gf_report_print(t->s->json, form, report);
    gf_log_flush_stdout();
}

int gf_signal_save(const struct gf_task *t, int64_t page, const struct gf_plot *plot,
                   const char *csv, json_t *(*report)(const void *user), const void *user) {
    const struct gf_target *to = &t->targets->target[0];
    const struct gf_indices at = {.page = gf_max(page, 0)};
    const bool clobber = t->s->clobber;
    char *path;
    int rc = gf_template_expand(&to->where, t->read[0], to->label, &at, &path);
    if (rc)
        return rc;
    const int what = gf_plot_file(to->where.option, path);
    rc = what < 0 ? what
         : what == GF_PLOT_DRAWING
             ? gf_plot_write(plot, path, clobber)
             : gf_report_save(what == GF_PLOT_CSV ? csv : NULL, report(user), path, clobber);
    free(path);
    return rc;
}
