/* gpufft register: how pictures, volumes or the frames of a stack lie on a reference. */
#include <limits.h>
#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/command.h"
#include "cli/compare/registering.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/base/value/sample_value.h"
#include "core/base/host/conveyor.h"

/* Frees all but the reference. */
static void free_state(struct gf_registering *g) {
    for (int i = 0; i <= g->hands; i++) {
        gf_operation_drop(&g->op[i]);
        gf_runner_close(&g->runner[i]);
    }
    for (int i = 0; i < g->frames; i++) {
        gf_array_free(&g->frame[i].image.px);
        gf_array_free(&g->frame[i].ref);
        gf_array_free(&g->frame[i].px);
        gf_array_free(&g->frame[i].moved);
    }
    free(g->found);
    free(g->sum);
    g->sum = NULL;
    json_decref(g->rows);
    g->found = NULL;
    g->rows = NULL;
    g->hands = g->frames = 0;
}

/* The mean of the aligned pages, or NULL. */
static struct gf_product *mean_of(struct gf_task *t) {
    return t->s->reg.mean ? &t->product[gf_register_writes(t)] : NULL;
}

static bool moves(struct gf_task *t) {
    return gf_register_writes(t) || mean_of(t);
}

/* Describes the operation of hand i on the input, or a page, of which none is in memory. */
static int describe_hand(struct gf_registering *g, int i, int64_t pages) {
    struct gf_operation *op = &g->op[i];
    struct gf_task *t = g->t;
    g->with[i] = (struct gf_signals){&t->s->reg.find, .changes = t->s->reg.to == GF_TO_PREVIOUS};
    op->kind = &gf_operation_register;
    op->shared = &g->with[i];
    op->crew = t->op.crew;
    op->times = pages;
    op->of.px = gf_signal_visited(t).px;
    op->of.px.data = op->of.px.base = NULL;
    g->with[i].with[0] = t->s->other.with ? g->ref : gf_signal_of(op);
    gf_operation_begin(op, &op->of.px);
    op->job.n_out = moves(t);
    op->job.out[0].dtype = gf_register_writes(t) ? t->product[0].image.px.dtype : op->of.px.dtype;
    return gf_operation_describe(op);
}

/* Chooses how many hands share so many pages, as many as fit memory; *all: the bytes that they need. */
static int choose_hands(struct gf_registering *g, int64_t pages, int64_t *all) {
    struct gf_task *t = g->t;
    const struct gf_settings *s = t->s;
    t->op.crew.held = 0;
    int rc = describe_hand(g, 0, pages);
    rc = rc ? rc : g->op[0].kind->expect(&g->op[0]);
    if (rc)
        return rc;
    const struct gf_array page = g->op[0].of.px, px = gf_signal_of(&g->op[0]);
    const bool whole = pages > 1 && !gf_reader_has_pages(&t->reader);
    const int64_t one = gf_array_bytes(&page), signal = gf_array_bytes(&px),
                  ref = gf_array_bytes(g->with[0].with),
                  frame = one + signal * (1 + (s->reg.to == GF_TO_PREVIOUS)) +
                          (mean_of(t) && !gf_register_writes(t) ? one : 0),
                  mean = mean_of(t) ? 12 * gf_array_count(&mean_of(t)->image.px) : 0,
                  held = gf_array_bytes(&t->product[0].image.px) + signal + mean +
                         (whole ? one * pages : 0);
    struct gf_crew *crew = &t->op.crew;
    g->hands = (int)gf_min(gf_min(gf_settings_threads(s), GF_REGISTER_HANDS), pages) + 1;
    do {
        g->hands--;
        g->frames = pages > 1 ? 2 * g->hands : 1;
        *all = held + g->frames * frame + g->hands * (g->op[0].need - signal - ref);
    } while (g->hands > 1 && *all > gf_runner_limit(crew->runner));
    crew->threads = gf_settings_threads(s) / g->hands;
    crew->held = *all - g->op[0].need; /* of one hand, which counts that itself */
    return 0;
}

static int open_hands(struct gf_registering *g, int64_t pages) {
    int64_t all;
    int rc = choose_hands(g, pages, &all);
    for (int i = 0; i <= g->hands && !rc; i++) {
        rc = describe_hand(g, i, pages);
        if (pages == 1)
            continue;
        gf_runner_beside(&g->runner[i], g->t->op.crew.runner, g->t->op.crew.threads);
        gf_runner_repeat(&g->runner[i], pages);
        g->op[i].crew.runner = &g->runner[i];
    }
    return rc;
}

/* ---- the aligned picture ---- */

/* The place of an aligned page. */
static struct gf_array place(const struct gf_task *t, const struct gf_moving_frame *f,
                             int64_t page) {
    const struct gf_array *all = &t->product[0].image.px;
    return !gf_register_writes(t) ? f->moved : page < 0 ? *all : gf_array_index(all, 0, page);
}

/* Lets hand i put the aligned picture into its place. Its alpha moves with it. */
static int align(struct gf_registering *g, int i, struct gf_moving_frame *f, int64_t page) {
    const struct gf_array *in = &f->image.px;
    struct gf_operation *op = &g->op[i];
    if (!gf_register_writes(g->t) && !f->moved.data &&
        gf_array_alloc(&f->moved, in->dtype, in->rank, in->shape))
        return GF_ENOMEM;
    struct gf_array to = place(g->t, f, page);
    op->in = gf_array_slice(in, in->rank - 1, 0, to.shape[to.rank - 1]);
    *(struct gf_found *)op->state = f->found;
    return gf_operation_run(op, &to);
}

/* Adds an aligned page to the sum of its channel. */
static void add(struct gf_registering *g, const struct gf_moving_frame *f, int64_t page) {
    struct gf_product *mean = mean_of(g->t);
    if (!mean || !f->found.aligned)
        return;
    const struct gf_array from = place(g->t, f, page);
    const int64_t n = gf_array_count(&mean->image.px) / g->by.channels,
                  channels = mean->image.px.shape[mean->image.px.rank - 1];
    double *sum = g->sum + page / g->by.stride % g->by.channels * n;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i / channels * from.shape[from.rank - 1] + i % channels;
        sum[i] += gf_sample_get((const char *)from.data + at * (int64_t)gf_dtype_size(from.dtype),
                                from.dtype);
    }
}

static void divide(struct gf_registering *g) {
    struct gf_array *px = &mean_of(g->t)->image.px;
    double n = 0;
    for (int64_t i = 0; i < g->groups; i++)
        n += g->found[i].aligned;
    for (int64_t i = 0; i < gf_array_count(px); i++)
        gf_sample_put((char *)px->data + i * (int64_t)gf_dtype_size(px->dtype), px->dtype,
                      g->sum[i] / n);
}

/* ---- the task ---- */

/* Lets hand i find how a frame lies on the reference. */
static int measure(struct gf_registering *g, int i, struct gf_moving_frame *f) {
    struct gf_operation *op = &g->op[i];
    g->with[i].with[0] = g->with[i].changes ? f->ref : g->ref;
    op->in = f->px;
    op->in.shape[op->in.rank++] = 1; /* a channel */
    const int rc = gf_operation_take(op);
    f->found = *(struct gf_found *)op->state;
    return rc;
}

/* Registers a picture. */
static int visit(struct gf_task *t, const char *name, int64_t page) {
    struct gf_registering *g = t->s->reg.state;
    struct gf_moving_frame *f = &g->frame[0];
    gf_progress_show("registering", gf_log_name(name));
    gf_array_free(&f->px); /* it may be of another type */
    int rc = open_hands(g, 1);
    f->image = t->image;
    f->image.px.base = NULL;
    if (!rc)
        rc = gf_signal_make(t->s, &t->image, &f->px);
    if (!rc)
        rc = measure(g, 0, f);
    if (!rc && gf_register_writes(t))
        rc = align(g, 0, f, page);
    if (!rc)
        gf_register_print(g, &f->found, page);
    return rc;
}

/* ---- stacks: the measured pages ---- */

static int64_t page_of(const struct gf_registering *g, int64_t group) {
    const int64_t n = g->by.stride;
    return (group / n * g->by.channels + g->by.at) * n + group % n;
}

static int64_t group_of(const struct gf_registering *g, int64_t page) {
    const int64_t n = g->by.stride;
    return page / (n * g->by.channels) * n + page % n;
}

static bool is_blank(const struct gf_array *px) {
    const bool is_double = px->dtype == GF_F64;
    const int64_t n = gf_array_count(px);
    int64_t i = 1;
    while (i < n && gf_real_get(px->data, i, is_double) == gf_real_get(px->data, 0, is_double))
        i++;
    return i >= n;
}

static int read_frame(void *user, int reader, int64_t group) {
    struct gf_registering *g = user;
    const struct gf_settings *s = g->t->s;
    struct gf_moving_frame *f = &g->frame[group % g->frames];
    const struct gf_moving_frame *before = &g->frame[gf_max(group - 1, 0) % g->frames];
    const bool pair = s->reg.to == GF_TO_PREVIOUS;
    (void)reader;
    int rc = gf_signal_read_page(g->t, &g->t->image, page_of(g, group), &f->image);
    if (!rc)
        rc = gf_signal_make(s, &f->image, &f->px);
    if (!rc && !group && !s->other.with)
        rc = gf_signal_make(s, &f->image, &g->ref);
    if (!rc && pair && !f->ref.data)
        rc = gf_array_alloc(&f->ref, f->px.dtype, f->px.rank, f->px.shape);
    if (!rc && pair && !(before == f && before->blank))
        gf_array_copy(&f->ref, group && before->blank ? &before->ref : &before->px);
    f->blank = !rc && (group || s->other.with) && is_blank(&f->px);
    f->failed = (struct gf_failure){.status = 0};
    gf_failure_keep(&f->failed, rc);
    return group ? 0 : rc; /* a later page fails after those before it are printed */
}

/* True if each page is moved by its own shift, as soon as that is known. */
static bool at_once(const struct gf_registering *g) {
    return g->by.channels == 1 && g->t->s->reg.to != GF_TO_PREVIOUS;
}

static int work_frame(void *user, int i, int64_t group) {
    struct gf_registering *g = user;
    struct gf_moving_frame *f = &g->frame[group % g->frames];
    const int64_t page = page_of(g, group);
    if (f->blank) {
        f->found = (struct gf_found){.motion.scale = 1};
        return 0;
    }
    int rc = f->failed.status ? 0 : measure(g, i, f);
    if (!rc && !f->failed.status && at_once(g) && moves(g->t))
        rc = align(g, i, f, page);
    if (rc)
        gf_fail((enum gf_status)rc, "page %lld: %s", (long long)page, gf_message());
    gf_failure_keep(&f->failed, rc);
    return 0;
}

/* Gives a blank frame the shift before it, and those before the first aligned one its shift. */
static int write_frame(void *user, int64_t group) {
    struct gf_registering *g = user;
    struct gf_moving_frame *f = &g->frame[group % g->frames];
    struct gf_found *found = &g->found[group];
    char name[PATH_MAX];
    const bool pair = g->t->s->reg.to == GF_TO_PREVIOUS, late = !at_once(g);
    const int64_t last = g->last;
    int rc = gf_failure_return(&f->failed);
    gf_progress_show("registering",
                     gf_signal_page_name(g->t, page_of(g, group), name, sizeof name));
    if (rc)
        return rc;
    *found = f->found;
    if (f->blank && last >= 0)
        found->motion = g->found[last].motion;
    for (int i = 0; i < GF_MAX_DIMS && pair && !f->blank && last >= 0; i++)
        found->motion.shift[i] += g->found[last].motion.shift[i];
    g->last = f->blank ? last : group;
    for (int64_t i = 0; i < group && !f->blank && last < 0; i++) {
        g->found[i].motion = found->motion;
        gf_register_print(g, &g->found[i], page_of(g, i));
    }
    f->found = *found;
    if (g->by.channels > 1 || g->last < 0)
        return 0;
    if ((late || f->blank) && moves(g->t))
        rc = align(g, g->hands, f, group);
    if (rc)
        return rc;
    add(g, f, group);
    gf_register_print(g, found, group);
    return 0;
}

/* ---- stacks: pages that wait for the shift of another one ---- */

static int read_moved(void *user, int reader, int64_t page) {
    struct gf_registering *g = user;
    (void)reader;
    return moves(g->t)
               ? gf_signal_read_page(g->t, &g->t->image, page, &g->frame[page % g->frames].image)
               : 0;
}

static int work_moved(void *user, int i, int64_t page) {
    struct gf_registering *g = user;
    struct gf_moving_frame *f = &g->frame[page % g->frames];
    f->found = g->found[group_of(g, page)];
    return moves(g->t) ? align(g, i, f, page) : 0;
}

static int write_moved(void *user, int64_t page) {
    struct gf_registering *g = user;
    const struct gf_moving_frame *f = &g->frame[page % g->frames];
    if (g->by.channels == 1)
        return 0; /* a blank page before the first aligned one, which was printed with that */
    add(g, f, page);
    gf_register_print(g, &f->found, page);
    return 0;
}

/* Registers the pages of a stack; without a reference its first page is that. */
static int walk(struct gf_task *t) {
    struct gf_registering *g = t->s->reg.state;
    const int64_t pages = t->image.px.shape[0];
    g->groups = pages / g->by.channels;
    g->last = -1;
    if (!t->s->other.with)
        gf_array_free(&g->ref);
    int rc = open_hands(g, pages);
    g->found = calloc((size_t)g->groups, sizeof *g->found);
    if (mean_of(t))
        g->sum = calloc((size_t)gf_array_count(&mean_of(t)->image.px), sizeof *g->sum);
    if (!rc && (!g->found || (mean_of(t) && !g->sum)))
        rc = gf_no_memory();
    struct gf_conveyor c = {.items = g->groups,
                            .slots = g->frames,
                            .readers = 1,
                            .hands = g->hands,
                            .read = read_frame,
                            .work = work_frame,
                            .write = write_frame,
                            .input_is_written = true,
                            .user = g};
    if (!rc)
        rc = gf_conveyor_run(&c);
    if (!rc && g->last < 0)
        rc = gf_fail(GF_EINVAL, "all samples of each page are equal, and nothing can be aligned");
    int64_t first = 0;
    while (!rc && first < g->groups && !g->found[first].aligned)
        first++;
    c.items = g->by.channels > 1 ? pages : first;
    c.read = read_moved;
    c.work = work_moved;
    c.write = write_moved;
    if (!rc)
        rc = gf_conveyor_run(&c);
    if (!rc && g->sum)
        divide(g);
    return rc;
}

static int describe(struct gf_task *t) {
    const struct gf_record own = {.dtype = t->image.px.dtype,
                                  .white = (int64_t)t->image.white,
                                  .color = t->image.color,
                                  .alpha = t->image.alpha ? GF_ALPHA_KEPT : GF_ALPHA_NONE};
    t->op.job.n_out = 1;
    t->product[0].kind = GF_REAL;
    int rc = gf_task_describe_restored(t, 0, &own);
    const struct gf_format *f = t->product[0].format;
    if (!rc && t->s->other.with && f->place)
        rc = f->place(&t->image.metadata, &t->s->other.about.metadata);
    if (rc > 0)
        gf_log_note("'%s': its world coordinates are left out, as the reference has none",
                    gf_log_name(t->read[0]));
    return rc < 0 ? rc : 0;
}

/* Describes the mean of each channel: floats, or integers where the file has no others. */
static int describe_mean(struct gf_task *t, const struct gf_registering *g) {
    struct gf_product *p = mean_of(t);
    const int pages = g->by.channels > 1;
    enum gf_dtype dtype, own = t->image.px.dtype;
    int rc = gf_target_dtype(t->s, p->target, GF_REAL, p->format, GF_SINGLE, &dtype);
    if (rc)
        return rc;
    if (gf_dtype_is_integer(dtype) && p->format->dtypes >> own & 1)
        dtype = own;
    else if (gf_dtype_is_integer(dtype))
        return gf_fail(GF_EINVAL, "%s samples do not fit a %s file; name a .tif or .npy",
                       gf_dtype_name(own), p->format->name);
    p->kind = GF_REAL;
    p->shape[0] = g->by.channels;
    memcpy(p->shape + pages, t->image.px.shape + 1, 2 * sizeof *p->shape);
    p->shape[2 + pages] = t->op.job.channels;
    p->image.ndim = 2 + pages;
    p->image.color = t->image.color;
    p->image.px = gf_array_wrap(NULL, dtype, 3 + pages, p->shape);
    p->image.axes = t->image.axes;
    gf_axes_drop_pages(&p->image.axes, false);
    return gf_product_accepts(p);
}

/* Finds the channels of a stack that --by names, or by default those of its channel axis. */
static int find_channels(const struct gf_task *t, struct gf_registering *g) {
    const struct gf_axes *axes = &t->image.axes;
    const struct gf_range_of *by = &t->s->reg.by;
    int64_t stride = 1;
    g->by.stride = g->by.channels = 1;
    g->by.at = 0;
    const bool counted = axes->n > 2 && gf_axes_pages(axes) == t->image.px.shape[0];
    for (int i = axes->n - 3; i >= 0 && counted; stride *= axes->axis[i--].extent) {
        const struct gf_axis *a = &axes->axis[i];
        if (*by->name ? strcmp(by->name, a->name) != 0 : a->role != GF_CHANNEL)
            continue;
        if (by->first >= a->extent)
            return gf_fail(GF_EINVAL, "--by=%s=%lld: axis %s has %lld, from 0", by->name,
                           (long long)by->first, by->name, (long long)a->extent);
        if (t->s->reg.each && t->s->reg.mean && a->extent > 1)
            return gf_fail(GF_EINVAL,
                           "--mean with --by=none would mix channels; --select=%s=0 "
                           "takes one",
                           a->name);
        g->by.channels = t->s->reg.each ? 1 : a->extent;
        g->by.stride = t->s->reg.each ? 1 : stride;
        g->by.at = by->first;
        return 0;
    }
    return *by->name ? gf_fail(GF_EINVAL, "--by=%s=%lld: its pages have no axis %s", by->name,
                               (long long)by->first, by->name)
                     : 0;
}

static int prepare(struct gf_task *t) {
    struct gf_registering *g = t->s->reg.state;
    int rc = gf_signal_prepare(t);
    g->t = t;
    t->op.job.op = GF_FILTER;
    if (!rc)
        rc = gf_task_take_channels(t);
    if (rc)
        return rc;
    const bool pages = gf_signal_by_pages(t);
    if (!t->s->other.with && !pages)
        return gf_fail(GF_EINVAL, "one picture, and no reference; give REF IN, or a stack with "
                                  "--dims=2");
    rc = describe_hand(g, 0, 1);
    if (rc)
        return rc;
    if (t->s->reg.mean && !pages)
        return gf_fail(GF_EINVAL, "--mean is that of a stack with --dims=2, or of --frames");
    if (pages)
        rc = find_channels(t, g);
    if (!rc && gf_register_writes(t))
        rc = describe(t);
    return rc || !t->s->reg.mean ? rc : describe_mean(t, g);
}

static int stream(struct gf_task *t) {
    struct gf_registering *g = t->s->reg.state;
    g->lost = false;
    if (t->s->reg.csv && !(g->rows = json_array()))
        return gf_no_memory();
    const int64_t pages = gf_signal_by_pages(t) ? t->image.px.shape[0] : 1;
    const int64_t decoding = t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0;
    int64_t need = 0;
    int rc = choose_hands(g, pages, &need);
    rc = rc ? rc : gf_signal_each(t, need + decoding, visit, walk);
    if (!rc && gf_register_writes(t))
        gf_task_note_lost(t, 0);
    if (!rc && g->rows)
        rc = gf_register_save(g);
    if (gf_signal_by_pages(t))
        free_state(g);
    json_decref(g->rows);
    g->rows = NULL;
    return rc;
}

static const struct gf_task_hooks hooks = {.name = "register",
                                           .default_kind = GF_REAL,
                                           .label = "registered",
                                           .keeps_type = true,
                                           .prints = true,
                                           .prepare = prepare,
                                           .stream = stream};

static int run(struct gf_settings *s, char **operands, int n) {
    const bool listed = s->files_from || s->files0_from;
    const bool pair = !s->frames && (n > 1 || (n && listed));
    if (s->reg.to == GF_TO_PREVIOUS && (pair || s->reg.find.estimate != GF_SHIFT))
        return gf_fail(GF_EUSAGE, "--to=previous adds up the shifts of a stack's frames; give "
                                  "--frames, or one stack with --dims=2, and --estimate=shift");
    s->dims = s->frames ? 2 : s->dims;
    s->other.with = pair ? operands[0] : NULL;
    struct gf_registering *g = s->reg.state = calloc(1, sizeof *g);
    if (!g)
        return gf_no_memory();
    s->reg.find.signal.precision = s->precision;
    int rc = gf_signal_load_other(s, true, NULL);
    g->ref = s->other.px;
    g->ref.base = NULL;
    int code = rc ? gf_exit_code(rc) : gf_batch_run(&hooks, s, operands + pair, n - pair);
    free_state(g);
    gf_array_free(&g->ref);
    gf_signal_drop_other(s);
    free(g);
    return code;
}

static int parse_by(const struct gf_opt *o, const char *value, void *field) {
    struct gf_register_settings *r = &((struct gf_settings *)field)->reg;
    const size_t n = strcspn(value, "=");
    char *end;
    r->each = !strcmp(value, "none");
    r->by = (struct gf_range_of){.count = 1};
    if (r->each)
        return 0;
    if (!n || n >= sizeof r->by.name || !value[n])
        return gf_opt_refuse(o, value, "it is NAME=INDEX, from 0, as in c=0, or none");
    snprintf(r->by.name, sizeof r->by.name, "%.*s", (int)n, value);
    r->by.first = strtoll(value + n + 1, &end, 10);
    if (end == value + n + 1 || *end || r->by.first < 0)
        return gf_opt_refuse(o, value, "it is NAME=INDEX, from 0, as in c=0, or none");
    return 0;
}

static bool print_by(const struct gf_opt *o, const void *field, int i,
                     char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_register_settings *r = &((const struct gf_settings *)field)->reg;
    (void)o;
    if (r->each)
        snprintf(text, GF_OPT_TEXT_SIZE, "none");
    else
        snprintf(text, GF_OPT_TEXT_SIZE, "%s=%lld", r->by.name, (long long)r->by.first);
    return !i && (r->each || *r->by.name);
}

static const char *const references[] = {
    [GF_TO_FIRST] = "first", [GF_TO_PREVIOUS] = "previous", NULL};

static const struct gf_opt_group register_group = GF_GROUP(
    "Registration", GF_ROWS("estimate", reg.find, gf_registration_rows),
    GF_CHOICE("to", reg.to, "first|previous", references,
              "register the frames of a stack with the first one (default), or each with the one "
              "before it, and add up the shifts"),
    GF_ROWS("fill", reg.find, gf_registration_rows),
    GF_PARSED("by", 0, "AXIS=N|none", parse_by,
              "move all pages of a stack by the shifts of these (default: c=0, if there are "
              "channels); none: each by its own",
              .print = print_by),
    GF_TEXT("mean", reg.mean, "FILE", "also write the mean of the aligned frames of a stack"),
    GF_TEXT("csv", reg.csv, "FILE", "also write the table to FILE, with commas"),
    GF_INTEGER("dims", dims, "2|3", 2, 3,
               "2: take each page of a volume by itself; 3: all as depth"));

static const struct gf_opt_group *const groups[] = {&gf_opts_out,       &gf_opts_depth_own,
                                                    &gf_opts_files,     &register_group,
                                                    &gf_opts_precision, GF_GROUPS_LOOKING};

const struct gf_command gf_command_register = {
    .name = "register",
    .operands = "REF IN...",
    .summary = "shift, rotation and scale that align pictures with a reference",
    .usual = "out estimate to by csv mean dims json",
    .groups = groups,
    .text = true,
    .examples = "  gpufft register first.png second.png\n"
                "  gpufft register first.png second.png --estimate=similarity --out=aligned.png\n"
                "  gpufft register --frames frames/ --to=previous --json\n"
                "  gpufft register movie.tif --dims=2 --out=steady.tif\n",
    .run = run,
};
