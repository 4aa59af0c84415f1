/* Decides whether a volume is run page by page, with how many pages and how much memory. */
#include "cli/batch/task.h"

#include <sys/stat.h>

#include "core/base/host/clock.h"
#include "core/base/job/range.h"

enum {
    AT_ONCE = 8 << 20, /* bytes of pages, in and out, that are worth a run */
    PARTS_A_DEVICE = 16,
    SLOTS_A_DEVICE = 12,
    MOST_STREAMS = 8,
    STREAM_THREADS = 4,     /* of a team on the CPU */
    STREAM_BYTES = 64 << 20 /* of pages; from here on the whole team runs them */
};

/* True for a file, a part of one, or a folder of chunks. */
static bool can_be_read_again(const char *path) {
    struct stat st;
    return strcmp(path, "-") && !gf_path_stat(path, &st) &&
           (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

bool gf_task_is_at_hand(const struct gf_task *t) {
    if (t->reader.file[0] && !t->s->frames)
        return gf_file_is_at_hand(t->reader.file[0]);
    for (int i = 0; i < t->n_read; i++)
        if (!can_be_read_again(t->read[i]))
            return false;
    return !t->s->from_phase || can_be_read_again(t->s->from_phase);
}

const char *gf_task_refuses_input(const struct gf_task *t, enum gf_unit unit) {
    const bool means = t->s->nan == GF_NAN_MEAN && !gf_dtype_is_integer(t->image.px.dtype);
    if (t->s->plan_only)
        return NULL;
    if (means && !gf_task_is_at_hand(t))
        return gf_why(GF_WHY_TWICE);
    if (unit > GF_PAGE && (t->s->frames || gf_file_unit(t->reader.file[0]) < unit))
        return gf_why(unit == GF_SAMPLE ? GF_WHY_INPUT_LINES : GF_WHY_INPUT_ROWS);
    return gf_reader_has_pages(&t->reader) ? NULL : gf_why(GF_WHY_INPUT);
}

const char *gf_task_refuses_outputs(const struct gf_task *t, bool in_order) {
    const char *why = NULL;
    for (int i = 0; i < t->targets->n && !why && !t->s->plan_only; i++) {
        const struct gf_product *p = &t->product[i];
        why = p->stretches                                ? gf_why(GF_WHY_RANGE)
              : p->target->aside && !t->hooks->draw_aside ? gf_why(GF_WHY_DRAWN)
                                                          : gf_product_refuses(t->s, p, in_order);
    }
    return why;
}

const char *gf_task_refuses_pages(const struct gf_task *t) {
    const struct gf_job *job = &t->op.job;
    const bool volume = t->image.ndim == 3 && job->ndim == 3 && !(job->axes & 1);
    if (!volume || job->shape[0] < 2 || t->image.px.shape[0] != job->shape[0])
        return gf_why(GF_WHY_PLANES);
    const bool looks_ahead = gf_job_samples(job) || gf_job_is_full(job);
    if (!t->s->plan_only && looks_ahead && !gf_task_is_at_hand(t))
        return gf_why(GF_WHY_TWICE);
    const char *why = gf_task_refuses_input(t, GF_PAGE);
    if (!why)
        why = gf_task_refuses_outputs(t, true);
    return why ? why : t->op.refuses.pages;
}

/* True if outputs would be left incomplete when a later page fails: streams other than /dev/null,
 * and a file for each page. Such pages are kept in memory if they fit. */
static bool shows_parts(const struct gf_task *t) {
    bool shows = false;
    for (int i = 0; i < t->targets->n; i++) {
        const struct gf_product *p = &t->product[i];
        shows =
            shows || p->by_plane || (gf_path_is_stream(p->path) && !gf_sink_goes_nowhere(p->path));
    }
    return shows && !t->s->plan_only;
}

static int64_t all_bytes(const struct gf_task *t, bool in, bool out) {
    int64_t bytes = in ? gf_array_bytes(&t->image.px) : 0;
    for (int i = 0; i < t->op.job.n_out && out; i++)
        bytes += gf_array_bytes(&t->product[i].image.px);
    return bytes;
}

static int64_t page_bytes(const struct gf_task *t, bool in, bool out) {
    return all_bytes(t, in, out) / t->op.job.shape[0];
}

/* Bytes of arrays in memory at a time. */
static int64_t held_bytes(const struct gf_task *t, bool in, bool out) {
    const int64_t pages = t->group.slots * gf_task_at_once(t);
    return pages ? pages * page_bytes(t, in, out) : all_bytes(t, in, out);
}

static int devices(const struct gf_task *t) {
    return t->deal ? gf_engine_devices(t->deal) : 1;
}

int gf_task_streams(const struct gf_task *t, int i) {
    if (!gf_engine_has_own_contexts(t->deal, i))
        return 2;
    const int teams = gf_settings_threads(t->s) / STREAM_THREADS;
    const bool small = page_bytes(t, true, true) * gf_task_at_once(t) < STREAM_BYTES;
    return !small || teams < 1 ? 1 : teams < MOST_STREAMS ? teams : MOST_STREAMS;
}

/* Pages in a group: few enough that several devices get their shares, and that what is made for the
 * first group leaves most of the memory. */
static int64_t usual_pages(const struct gf_task *t) {
    enum { SHARE = 4 };
    const int64_t limit = t->op.page_bytes ? gf_runner_limit(t->op.crew.runner) / SHARE : AT_ONCE;
    const int64_t n = gf_min(limit, AT_ONCE) / (page_bytes(t, true, true) + t->op.page_bytes + 1);
    const int64_t most = t->op.job.shape[0] / (PARTS_A_DEVICE * devices(t));
    return gf_max(1, devices(t) > 1 ? gf_min(n, most) : n);
}

/* Two, so that pages are transformed while others are read and written; more for several devices,
 * since results are written in order and a slow device must not hold up the others. */
static int64_t usual_slots(const struct gf_task *t) {
    return devices(t) > 1 ? SLOTS_A_DEVICE * devices(t) : 2;
}

struct gf_array gf_task_alpha(const struct gf_task *t, const struct gf_array *px) {
    const int axis = px->rank - 1;
    return t->op.of.alpha ? gf_array_slice(px, axis, px->shape[axis] - 1, 1)
                          : (struct gf_array){.data = NULL};
}

struct gf_operation gf_task_pages(struct gf_task *t, struct gf_runner *runner, int64_t n) {
    struct gf_operation op = {.kind = t->op.kind,
                              .crew = {.runner = runner, .threads = t->op.crew.threads},
                              .of = t->op.of,
                              .in = t->op.in,
                              .job = t->group.job,
                              .slots = t->group.slots,
                              .whole = &t->op,
                              .shared = t->op.shared};
    op.in.data = NULL;
    op.in.shape[0] = op.job.shape[0] = n;
    op.crew.held = gf_array_bytes(&t->image.px) / t->image.px.shape[0] * n;
    return op;
}

int gf_task_take(struct gf_task *t) {
    const double start = gf_now_ms();
    t->op.in.data = t->image.px.data;
    t->op.caller = t;
    const int rc = gf_operation_take(&t->op);
    if (t->op.kind)
        t->op.ms.prepare += gf_now_ms() - start;
    if (!rc && t->hooks->taken)
        t->hooks->taken(t);
    return rc;
}

static int set_pages(struct gf_task *t, int64_t n) {
    t->group.job = t->op.job;
    t->group.job.lean = false;
    gf_runner_repeat(t->op.crew.runner, gf_divide_up(t->op.job.shape[0], n));
    t->group = gf_task_pages(t, t->op.crew.runner, n);
    const int rc = gf_operation_take(&t->group);
    t->group.extra_bytes += gf_finite_bytes(&t->reader, &t->image);
    return rc;
}

int gf_task_choose_pages(struct gf_task *t) {
    const int64_t usual = usual_pages(t), all = t->op.job.shape[0];
    t->op.refuses.pages = gf_task_refuses_pages(t);
    const bool shared = devices(t) > 1 || t->ranks || t->s->ranks;
    if (t->op.refuses.pages || (!t->op.by_pages && !shared && (usual >= all || shows_parts(t))))
        return 0;
    t->group.slots = usual_slots(t);
    return set_pages(t, gf_min(usual, all));
}

bool gf_task_take_fewer_pages(struct gf_task *t) {
    int64_t usual = usual_pages(t), half = (t->op.job.shape[0] + 1) / 2;
    const bool is_read = t->image.px.data;
    if (t->op.refuses.pages || gf_task_at_once(t) == 1 || is_read)
        return false;
    if (t->group.slots > 2 && t->group.slots > devices(t)) {
        t->group.slots /= 2;
        return true;
    }
    if (!t->group.slots)
        t->group.slots = usual_slots(t);
    return !set_pages(t, gf_task_at_once(t) ? gf_task_at_once(t) / 2 : gf_min(usual, half));
}

struct gf_job *gf_task_planned(struct gf_task *t) {
    return t->op.inner ? t->op.inner : gf_task_at_once(t) ? &t->group.job : &t->op.job;
}

int64_t gf_task_in_bytes(const struct gf_task *t) {
    return held_bytes(t, true, false);
}

int64_t gf_task_out_bytes(const struct gf_task *t) {
    return held_bytes(t, false, true);
}

bool gf_task_fits_input(const struct gf_task *t) {
    return t->op.job.n_out == 1 && !t->op.of.alpha &&
           gf_array_bytes(&t->product[0].image.px) <= gf_array_bytes(&t->image.px);
}

/* Bytes that encoding needs beyond the arrays. Outputs are written one by one, after the input is
 * freed unless an output is in its place; pages are written while the next ones are read. */
static int64_t encoding_bytes(const struct gf_task *t) {
    const bool whole = !gf_task_at_once(t);
    const int64_t in = gf_task_in_bytes(t), out = gf_task_out_bytes(t);
    int64_t left = !whole ? in + out : gf_task_fits_input(t) ? in : out, most = 0;
    for (int i = 0; i < t->targets->n; i++) {
        const struct gf_product *p = &t->product[i];
        const bool asks = p->image.px.rank && p->format->writing_bytes && !p->target->bands;
        const int64_t bytes = asks ? p->format->writing_bytes(&p->image) : 0;
        most = left + bytes > most ? left + bytes : most;
        left -= whole ? gf_array_bytes(&p->image.px) : 0;
    }
    most -= in + out;
    return most > 0 ? most : 0;
}

int64_t gf_task_extra_bytes(const struct gf_task *t) {
    if (!gf_task_at_once(t))
        return t->op.extra_bytes + encoding_bytes(t);
    int64_t decoding = t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0;
    int64_t streams = 0; /* beyond the one whose workspace is counted */
    for (int i = 0; devices(t) > 1 && i < devices(t); i++)
        streams += gf_engine_has_own_contexts(t->deal, i) ? gf_task_streams(t, i) - 1 : 0;
    return t->group.extra_bytes + decoding + encoding_bytes(t) +
           streams * gf_task_at_once(t) * page_bytes(t, true, true);
}

int64_t gf_task_looking_bytes(const struct gf_task *t) {
    if (!gf_task_at_once(t) || !gf_job_samples(&t->op.job))
        return 0;
    const struct gf_job one = gf_ranges_page_job(&t->op.job);
    return page_bytes(t, true, false) + gf_job_bytes(&one, 0);
}

void gf_task_choose_reported(struct gf_task *t) {
    struct gf_deal_work w = {.left_out = false};
    if (t->deal)
        gf_deal_work(t->deal, (int)(t->op.crew.runner - t->runners), &w);
    for (int i = devices(t) - 1; i >= 0 && w.left_out; i--) {
        struct gf_deal_work other;
        gf_deal_work(t->deal, i, &other);
        if (!other.left_out)
            t->op.crew.runner = &t->runners[i];
    }
}
