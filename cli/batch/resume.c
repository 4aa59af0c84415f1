/* Finds outputs that are up to date, by a note of how they were made or by time. */
#include "cli/batch/resume.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "cli/environment.h"
#include "core/base/value/hash.h"
#include "formats/files.h"

/* ---- inputs ---- */

static bool is_file(const char *path, struct stat *st) {
    return path && strcmp(path, "-") && !gf_path_stat(path, st) && S_ISREG(st->st_mode);
}

static bool is_after(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Omits the device, whose number may change when the machine restarts. */
static uint64_t hash_file(uint64_t h, const struct stat *st) {
    const int64_t what[] = {(int64_t)st->st_ino, st->st_size, st->st_mtim.tv_sec,
                            st->st_mtim.tv_nsec};
    return gf_hash(h, what, sizeof what);
}

/* Adds a file; false for a pipe or an absent file. */
static bool add_file(struct gf_resume *r, const char *path) {
    struct stat st;
    if (!is_file(path, &st))
        return false;
    r->made_of = hash_file(r->made_of, &st);
    if (is_after(&st.st_mtim, &r->newest))
        r->newest = st.st_mtim;
    return true;
}

/* Adds an input, and the record or the samples beside it. */
static bool add_input(struct gf_resume *r, const char *path) {
    const struct gf_format *format = gf_format_by_suffix(path);
    const size_t part = gf_path_part(path);
    bool known = add_file(r, path);
    r->made_of = part ? gf_hash_text(r->made_of, path + part) : r->made_of;
    if (known && (!format || format->record_beside)) {
        char *beside = gf_record_path(path), *partner = NULL;
        add_file(r, beside);
        known = !gf_path_partner(path, &partner);
        add_file(r, partner);
        free(partner);
        free(beside);
    }
    return known;
}

static uint64_t hash_options(const char *command, const struct gf_settings *s) {
    uint64_t h = gf_hash_text(GF_HASH_START, GF_VERSION);
    h = gf_hash_text(h, command);
    h = gf_hash(h, s->fingerprint, sizeof s->fingerprint[0]);
    h = gf_hash_text(h, gf_environment_isa());
    h = gf_hash_text(h, gf_environment()->kernel_folder);
    h = gf_hash_text(h, gf_environment_device());
    for (int i = 0; i < s->filter.n_parts; i++) {
        h = gf_hash_text(h, s->filter.part[i].text);
        h = gf_hash(h, &s->filter.part[i].what, sizeof s->filter.part[i].what);
    }
    return h;
}

void gf_resume_begin(struct gf_resume *r, const char *command, const struct gf_settings *s,
                     char *const *read, int n_read) {
    const char *beside;
    if (r->s)
        return;
    r->s = s;
    r->made_of = hash_options(command, s);
    r->known = true;
    for (int i = 0; i < n_read && r->known; i++)
        r->known = add_input(r, read[i]);
    for (int i = 0; r->known && (beside = gf_inputs_beside(s, i)); i++)
        r->known = add_input(r, beside);
    if (!r->made || !r->known)
        r->made_of = 0;
}

/* ---- outputs ---- */

/* A visit to all output files in their order. */
struct written {
    struct gf_resume *r;
    const struct gf_outputs *outputs;
    bool notes;       /* notes how they were made; else looks for such notes */
    uint64_t made_of; /* the task's, and a hash of all products; 0 if unknown */
    uint64_t number;  /* of the file, from 0 */
};

static uint64_t hash_products(const struct gf_resume *r, const struct gf_outputs *outputs) {
    uint64_t h = r->made_of;
    for (int i = 0; i < outputs->n && h; i++) {
        const struct gf_product *p = &outputs->product[i];
        const int what[] = {p->kind, p->target->bands, p->target->aside, p->by_plane, (int)p->page};
        h = gf_hash(gf_hash_text(h, p->format->name), what, sizeof what);
    }
    return h;
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

/* True if a file is complete and has the product's format and record. */
static bool is_whole(const struct written *l, const struct gf_product *p, const char *path) {
    const int ndim = l->outputs->job->ndim;
    struct gf_read_options options = gf_settings_read_options(l->r->s);
    struct gf_image image = {0};
    struct gf_file *file = NULL;
    options.raw = (struct gf_raw_layout){0};
    if (p->format->needs_layout) {
        options.raw = (struct gf_raw_layout){.ndim = 1, .dtype = p->image.px.dtype, .shape = {1}};
        for (int i = p->by_plane && ndim == 3; i <= ndim; i++)
            options.raw.shape[0] *= p->shape[i];
    }
    bool whole = !gf_file_open(path, &options, &file, &image) &&
                 gf_file_format(file) == p->format && !gf_file_check_end(file, &image);
    if (whole && p->has_record && !p->by_plane &&
        (p->format->embeds_record || p->format->record_beside))
        whole = is_same_record(image.record, &p->record);
    gf_file_close(file);
    gf_image_free(&image);
    return whole;
}

static uint64_t hash_output(const struct stat *st) {
    const uint64_t device = (uint64_t)st->st_dev;
    return hash_file(gf_hash(GF_HASH_START, &device, sizeof device), st);
}

/* Notes how a file of a product was made: `path`, or the record or samples beside it; or returns -1
 * unless it is up to date. */
static int visit_file(struct written *l, const struct gf_product *p, const char *path,
                      const char *file) {
    const uint64_t made_of = gf_hash(l->made_of, &l->number, sizeof l->number);
    enum gf_made_how how = GF_MADE_UNKNOWN;
    struct stat st;
    l->number++;
    if (!is_file(file, &st))
        return l->notes ? 0 : -1;
    if (l->notes)
        gf_made_note(l->r->made, hash_output(&st), made_of);
    else if (l->made_of)
        how = gf_made_find(l->r->made, hash_output(&st), made_of);
    if (l->notes || how != GF_MADE_UNKNOWN)
        return l->notes || how == GF_MADE_SO ? 0 : -1;
    l->r->by_time = true;
    const bool whole = st.st_size > 0 && l->r->known && is_after(&st.st_mtim, &l->r->newest) &&
                       is_whole(l, p, path);
    return whole ? 0 : -1;
}

static int visit(void *user, const struct gf_product *p, const char *path) {
    char *beside = NULL, *samples = NULL;
    int rc = visit_file(user, p, path, path);
    if (!rc && gf_format_makes_pair(p->format, path))
        rc = gf_path_partner(path, &samples) ? -1 : visit_file(user, p, path, samples);
    if (!rc && p->format->record_beside && gf_product_has_record(p)) {
        beside = gf_record_path(path);
        rc = visit_file(user, p, path, beside);
    }
    free(beside);
    free(samples);
    return rc;
}

bool gf_resume_finds(struct gf_resume *r, const struct gf_outputs *outputs) {
    struct written l = {.r = r, .outputs = outputs, .made_of = hash_products(r, outputs)};
    r->by_time = false;
    return !gf_outputs_each_file(outputs, visit, &l);
}

void gf_resume_note(struct gf_resume *r, const struct gf_outputs *outputs) {
    struct written l = {
        .r = r, .outputs = outputs, .made_of = hash_products(r, outputs), .notes = true};
    if (r->made_of)
        gf_outputs_each_file(outputs, visit, &l);
}
