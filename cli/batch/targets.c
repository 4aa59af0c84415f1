/* Finds templates, types and folders of the outputs that options name, and claims their names. */
#include "cli/batch/targets.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "formats/io/guard.h"
#include "formats/record.h"
#include "formats/scratch.h"

static int add_target(struct gf_targets *out, const char *option, const char *text,
                      enum gf_kind kind) {
    if (out->n == GF_MAX_OUTPUTS)
        return gf_fail(GF_EUSAGE, "more than %d outputs of one run", GF_MAX_OUTPUTS);
    struct gf_target *t = &out->target[out->n++];
    t->kind = kind;
    t->label = gf_kind_name(kind);
    return gf_template_parse(option, text, &t->where);
}

static int add_aside(struct gf_targets *out, const char *option, const char *text,
                     enum gf_kind kind, const char *label) {
    int rc = add_target(out, option, text, kind);
    out->target[out->n - 1].label = label;
    out->target[out->n - 1].aside = true;
    out->n_aside++;
    return rc;
}

static int add_out(const struct gf_settings *s, enum gf_kind kind, bool keeps_type,
                   struct gf_targets *out) {
    int rc = gf_template_of_folder(s->out, keeps_type ? "{ext}" : "png", &out->out_text);
    if (!rc)
        rc = add_target(out, "--out", out->out_text ? out->out_text : s->out, kind);
    if (!rc && out->out_text)
        out->target[out->n - 1].where.known_ext = keeps_type;
    return rc;
}

int gf_targets_parse(const struct gf_settings *s, enum gf_kind kind, bool keeps_type,
                     struct gf_targets *out) {
    static const char *const options[GF_N_KINDS] = {"--magnitude", "--phase", "--power",
                                                    "--real",      "--imag",  "--complex"};
    int rc = 0;
    *out = (struct gf_targets){0};
    if (s->out)
        rc = add_out(s, kind, keeps_type, out);
    else if (s->kind != GF_UNSET)
        return gf_fail(GF_EUSAGE, "--kind needs --out, which would hold what it names");
    for (int k = 0; k < GF_N_KINDS && !rc; k++)
        if (s->further[k])
            rc = add_target(out, options[k], s->further[k], (enum gf_kind)k);
    if (!rc && s->bands) {
        if (asprintf(&out->bands_text, "tiff:%s/{dir}/{stem}_*", s->bands) < 0)
            return gf_no_memory();
        rc = add_target(out, "--bands", out->bands_text, kind);
        out->target[out->n - 1].bands = true;
    }
    if (!rc && s->reg.mean)
        rc = add_aside(out, "--mean", s->reg.mean, kind, "mean");
    const bool radial = s->stats.radial, table = s->reg.csv;
    if (!rc && (radial || table || s->frc.curve)) {
        rc = radial  ? add_aside(out, "--radial", s->stats.radial, kind, "radial")
             : table ? add_aside(out, "--csv", s->reg.csv, kind, "registered")
                     : add_aside(out, "--out", s->frc.curve, kind, "frc");
        struct gf_target *t = &out->target[out->n - 1];
        t->plain = true;
        if (!rc && (t->where.prefix || t->where.has_time || t->where.has_channel ||
                    (t->where.has_page && s->dims != 2)))
            rc = gf_fail(GF_EUSAGE,
                         "%s names a file, or a template with {stem}, and with --dims=2 {page}",
                         t->where.option);
    }
    if (!rc && s->mask_out)
        rc = add_aside(out, "--mask-out", s->mask_out, kind, "mask");
    const struct gf_target *data = rc || !s->json ? NULL : gf_targets_stdout(out);
    return data ? gf_fail(GF_EUSAGE, "--json and %s=- both want stdout", data->where.option) : rc;
}

const struct gf_target *gf_targets_stdout(const struct gf_targets *targets) {
    for (int i = 0; i < targets->n; i++)
        if (!strcmp(targets->target[i].where.text, "-"))
            return &targets->target[i];
    return NULL;
}

void gf_targets_free(struct gf_targets *targets) {
    free(targets->bands_text);
    free(targets->out_text);
    *targets = (struct gf_targets){0};
}

int gf_target_dtype(const struct gf_settings *s, const struct gf_target *t, enum gf_kind kind,
                    const struct gf_format *format, enum gf_precision precision,
                    enum gf_dtype *dtype) {
    const unsigned can = format->dtypes;
    bool is_double = precision == GF_DOUBLE;
    if (kind == GF_COMPLEX) {
        *dtype = is_double && can >> GF_C128 & 1 ? GF_C128 : GF_C64;
        if (can >> *dtype & 1)
            return 0;
        return gf_fail(GF_EUSAGE, "%s: a %s file holds no complex numbers; use .tif, .npy or .raw",
                       t->where.option, format->name);
    }
    if (t->aside) {
        *dtype = can >> GF_F32 & 1 ? GF_F32 : GF_U8;
        return 0;
    }
    if (t->bands)
        *dtype = is_double ? GF_F64 : GF_F32;
    else if (s->depth)
        *dtype = s->depth == 8 ? GF_U8 : s->depth == 16 ? GF_U16 : GF_F32;
    else if (is_double && can >> GF_F64 & 1)
        *dtype = GF_F64;
    else
        *dtype = can >> GF_F32 & 1 ? GF_F32 : GF_U8;
    if (can >> *dtype & 1)
        return 0;
    return gf_fail(GF_EUSAGE, "%s: a %s file holds no --depth=%d; use %s", t->where.option,
                   format->name, s->depth,
                   s->depth < 32 ? ".png, .tif or .npy" : ".tif, .npy or .raw");
}

int gf_target_resolve(const struct gf_target *t, const char *in, const struct gf_format **format,
                      char **path) {
    int rc = gf_template_expand(&t->where, in, t->label, NULL, path);
    *format = NULL;
    if (rc || t->plain)
        return rc;
    rc = gf_template_format(&t->where, *path, format);
    if (rc) {
        free(*path);
        *path = NULL;
    }
    return rc;
}

/* Refuses two outputs of one name; the message says how to make them differ. */
static int refuse_twice(const struct gf_claimant *a, const struct gf_claimant *b,
                        const char *path) {
    const struct gf_target *first = a->what, *second = b->what;
    if (a->in == b->in) /* named in the order of the targets, the same in every run */
        return gf_fail(GF_EUSAGE, "%s and %s would both write '%s'",
                       (first < second ? first : second)->where.option,
                       (first < second ? second : first)->where.option, path);
    if (first == second && !first->where.has_stem)
        return gf_fail(GF_EUSAGE,
                       "several inputs and one output '%s'; use a template, e.g. "
                       "'{stem}_{kind}.png'",
                       first->where.text);
    const bool below = first->where.roots && first->where.roots->n && !first->where.has_dir;
    return gf_fail(GF_EUSAGE, "'%s' and '%s' would both be written to '%s'%s", a->in, b->in, path,
                   below ? "; {dir} in the template keeps their folders" : "");
}

static int claim(const struct gf_target *t, const char *in, const char *path) {
    const struct gf_claimant who = {.in = in, .what = t};
    struct gf_claimant other;
    int rc = gf_guard_claim(path, &who, &other);
    return other.in ? refuse_twice(&other, &who, path) : rc;
}

int gf_target_claim(const struct gf_target *t, const char *in, const struct gf_format *format,
                    const char *path) {
    char *record = NULL, *samples = NULL;
    int rc = claim(t, in, path);
    if (rc == 0 && format && format->record_beside) {
        record = gf_record_path(path);
        rc = record ? claim(t, in, record) : gf_no_memory();
    }
    if (rc == 0 && format && gf_format_makes_pair(format, path)) {
        rc = gf_path_partner(path, &samples);
        rc = rc ? rc : claim(t, in, samples);
    }
    free(record);
    free(samples);
    return rc < 0 ? rc : 0;
}

int gf_targets_each(const struct gf_targets *targets, char *const *names, int n_names,
                    gf_target_visit *visit, void *user) {
    int rc = 0;
    for (int i = 0; i < n_names && !rc; i++)
        for (int k = 0; k < targets->n && !rc; k++) {
            const struct gf_target *t = &targets->target[k];
            char *path = NULL;
            rc = gf_template_expand(&t->where, names[i], t->label, NULL, &path);
            if (!rc)
                rc = visit(user, t, names[i], path);
            free(path);
        }
    return rc;
}

static int claim_output(void *settings, const struct gf_target *t, const char *in, char *path) {
    const struct gf_format *format = NULL;
    enum gf_dtype dtype;
    int rc = t->plain ? 0 : gf_template_format(&t->where, path, &format);
    if (!rc && !t->plain)
        rc = gf_target_dtype(settings, t, t->kind, format, GF_SINGLE, &dtype);
    return rc ? rc : gf_target_claim(t, in, format, path);
}

int gf_targets_claim(const struct gf_settings *s, const struct gf_targets *targets,
                     char *const *names, int n_names) {
    return gf_targets_each(targets, names, n_names, claim_output, (void *)s);
}

/* ---- folders ---- */

static bool is_folder(const char *path) {
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int gf_folder_make(const char *folder) {
    char what[256];
    if (!mkdir(folder, 0777) || is_folder(folder))
        return 0;
    snprintf(what, sizeof what, "cannot make folder '%.200s'", folder);
    return gf_fail_errno(GF_EIO, what);
}

/* Makes the folder and its parents. */
static int make_all(const char *folder) {
    char *above = is_folder(folder) ? NULL : gf_folder_of(folder);
    int rc = above ? make_all(above) : 0;
    free(above);
    return rc ? rc : gf_folder_make(folder);
}

static int check_folder(void *settings, const struct gf_target *t, const char *in, char *path) {
    const struct gf_settings *s = settings;
    char *folder = gf_folder_of(path), *above = folder && t->bands ? gf_folder_of(folder) : NULL;
    int rc = folder && (above || !t->bands) ? 0 : gf_no_memory();
    (void)in;
    if (rc || t->plain || is_folder(folder) || strstr(folder, "{page}") || strstr(folder, "{t}") ||
        strstr(folder, "{c}"))
        goto out;
    if (s->mkdir)
        rc = s->dry_run ? 0 : make_all(folder);
    else if (!above || !is_folder(above)) /* --bands makes its folder */
        rc = gf_fail(GF_EIO, "%s: there is no folder '%s'; --mkdir makes it", t->where.option,
                     above ? above : folder);
out:
    free(folder);
    free(above);
    return rc;
}

int gf_targets_check_folders(const struct gf_settings *s, const struct gf_targets *targets,
                             char *const *names, int n_names) {
    return gf_targets_each(targets, names, n_names, check_folder, (void *)s);
}
