/* Whether the outputs of a task are there already: by what is known of their making, or by time. */
#include "cli/batch/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/batch/store.h"
#include "cli/environment.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "formats/files.h"
#include "formats/record.h"

/* ---- what is read ---- */

typedef bool read_visit(void *user, const char *path);

/* The record beside a .npy or raw file is a part of it. */
static bool visit_input(const char *path, read_visit *visit, void *user) {
    const struct gf_format *format = gf_format_by_suffix(path);
    struct stat st;
    bool going = visit(user, path);
    if (going && (!format || format->record_beside)) {
        char *beside = gf_record_path(path);
        if (beside && !stat(beside, &st))
            going = visit(user, beside);
        free(beside);
    }
    return going;
}

/* Ends with the first that returns false. */
static bool each_read(const struct gf_resume *r, read_visit *visit, void *user) {
    const struct gf_settings *s = r->s;
    bool going = !s->from_phase || visit_input(s->from_phase, visit, user);
    for (int i = 0; i < r->n_read && going; i++)
        going = visit_input(r->read[i], visit, user);
    for (int i = 0; i < s->filter.n_parts && going; i++) {
        const struct gf_filter_part *p = &s->filter.part[i];
        if (p->what == GF_MASK || p->what == GF_KERNEL)
            going = visit_input(p->text, visit, user);
    }
    return going;
}

static bool is_file(const char *path, struct stat *st) {
    return path && strcmp(path, "-") && !stat(path, st) && S_ISREG(st->st_mode);
}

static bool is_after(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static bool find_newest(void *user, const char *path) {
    struct timespec *newest = user;
    struct stat st;
    if (!is_file(path, &st))
        return false;
    if (is_after(&st.st_mtim, newest))
        *newest = st.st_mtim;
    return true;
}

/* Without the device, whose number may change from one start of the machine to the next. */
static uint64_t hash_file(uint64_t h, const struct stat *st) {
    const int64_t what[] = {(int64_t)st->st_ino, st->st_size, st->st_mtim.tv_sec,
                            st->st_mtim.tv_nsec};
    return gf_hash(h, what, sizeof what);
}

static bool hash_read(void *user, const char *path) {
    uint64_t *h = user;
    struct stat st;
    if (!is_file(path, &st))
        return false;
    *h = hash_file(*h, &st);
    return true;
}

static uint64_t hash_options(const char *command, const struct gf_settings *s) {
    const struct gf_process *process = gf_process();
    uint64_t h = gf_hash_text(GF_HASH_START, GF_VERSION);
    h = gf_hash_text(h, command);
    h = gf_hash(h, s->fingerprint, sizeof s->fingerprint[0]);
    h = gf_hash_text(h, process->isa);
    h = gf_hash_text(h, process->kernel_folder);
    h = gf_hash_text(h, gf_environment_device());
    for (int i = 0; i < s->filter.n_parts; i++) {
        h = gf_hash_text(h, s->filter.part[i].text);
        h = gf_hash(h, &s->filter.part[i].what, sizeof s->filter.part[i].what);
    }
    return h;
}

void gf_resume_begin(struct gf_resume *r, const char *command, const struct gf_settings *s,
                     char *const *read, int n_read) {
    if (r->s)
        return;
    r->s = s;
    r->read = read;
    r->n_read = n_read;
    r->made_of = r->made ? hash_options(command, s) : 0;
    if (r->made && !each_read(r, hash_read, &r->made_of))
        r->made_of = 0; /* a pipe, or it is not there */
}

/* ---- what is written ---- */

/* A visit of the files in their order. */
struct look {
    const struct gf_resume *r;
    const struct gf_outputs *outputs;
    int (*file)(struct look *l, const char *path, const struct gf_product *p);
    uint64_t made_of; /* with all products; 0: not known */
    uint64_t number;  /* of the file among all */
    bool by_time;
};

static uint64_t hash_products(const struct gf_resume *r, const struct gf_outputs *outputs) {
    uint64_t h = r->made_of;
    for (int i = 0; i < outputs->n && h; i++) {
        const struct gf_product *p = &outputs->product[i];
        const int what[] = {p->kind, p->bands, p->aside, p->where->has_page, (int)p->page};
        h = gf_hash(gf_hash_text(h, p->format->name), what, sizeof what);
    }
    return h;
}

static bool has_record(const struct gf_product *p) {
    return p->where->has_page ? gf_page_has_record(p) : p->has_record;
}

static bool is_same_record(const char *text, const struct gf_record *want) {
    struct gf_record found;
    char *a = NULL, *b = NULL;
    bool same = text && !gf_record_parse(text, &found) && !gf_record_format(&found, &a) &&
                !gf_record_format(want, &b) && !strcmp(a, b);
    free(a);
    free(b);
    return same;
}

/* Whether a file is of the product's format, complete, and of the record that it would have. */
static bool is_whole(const struct look *l, const struct gf_product *p, const char *path) {
    const int ndim = l->outputs->job->ndim;
    struct gf_read_options options = gf_settings_read_options(l->r->s);
    struct gf_image image = {0};
    struct gf_file *file = NULL;
    options.raw = (struct gf_raw_layout){0};
    if (p->format->needs_layout) {
        options.raw = (struct gf_raw_layout){.ndim = 1, .dtype = p->image.px.dtype, .shape = {1}};
        for (int i = p->where->has_page && ndim == 3; i <= ndim; i++)
            options.raw.shape[0] *= p->shape[i];
    }
    bool whole = !gf_file_open(path, &options, &file, &image) &&
                 gf_file_format(file) == p->format && !gf_file_check_end(file, &image);
    if (whole && p->has_record && !p->where->has_page &&
        (p->format->embeds_record || p->format->record_beside))
        whole = is_same_record(image.record, &p->record);
    gf_file_close(file);
    gf_image_free(&image);
    return whole;
}

static bool is_newer(const struct gf_resume *r, const struct stat *st) {
    struct timespec newest = {0};
    return each_read(r, find_newest, &newest) && is_after(&st->st_mtim, &newest);
}

static uint64_t hash_output(const struct stat *st) {
    const uint64_t device = (uint64_t)st->st_dev;
    return hash_file(gf_hash(GF_HASH_START, &device, sizeof device), st);
}

/* -1 unless this file, of a product or (NULL) the record beside one, is up to date. */
static int find_file(struct look *l, const char *path, const struct gf_product *p) {
    struct stat st;
    if (!is_file(path, &st))
        return -1;
    const uint64_t made_of = gf_hash(l->made_of, &l->number, sizeof l->number);
    const enum gf_made_how how =
        l->made_of ? gf_made_find(l->r->made, hash_output(&st), made_of) : GF_MADE_UNKNOWN;
    if (how != GF_MADE_UNKNOWN)
        return how == GF_MADE_SO ? 0 : -1;
    l->by_time = true;
    const bool whole = st.st_size > 0 && is_newer(l->r, &st) && (!p || is_whole(l, p, path));
    return whole ? 0 : -1;
}

static int note_file(struct look *l, const char *path, const struct gf_product *p) {
    struct stat st;
    (void)p;
    if (is_file(path, &st))
        gf_made_note(l->r->made, hash_output(&st),
                     gf_hash(l->made_of, &l->number, sizeof l->number));
    return 0;
}

static int visit(void *user, int i, const struct gf_product *p, const char *path) {
    struct look *l = user;
    (void)i;
    int rc = l->file(l, path, p);
    l->number++;
    if (!rc && p->format->record_beside && has_record(p)) {
        char *beside = gf_record_path(path);
        rc = l->file(l, beside, NULL);
        l->number++;
        free(beside);
    }
    return rc;
}

static int each_written(struct look *l) {
    const struct gf_outputs *o = l->outputs;
    l->made_of = hash_products(l->r, o);
    return gf_products_each_file(o->job, o->product, o->n, visit, l);
}

bool gf_resume_finds(const struct gf_resume *r, const struct gf_outputs *outputs, bool *by_time) {
    struct look l = {.r = r, .outputs = outputs, .file = find_file};
    const bool all = !each_written(&l);
    *by_time = l.by_time;
    return all;
}

void gf_resume_note(const struct gf_resume *r, const struct gf_outputs *outputs) {
    struct look l = {.r = r, .outputs = outputs, .file = note_file};
    if (r->made_of)
        each_written(&l);
}
