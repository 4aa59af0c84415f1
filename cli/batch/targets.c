#include "cli/batch/targets.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/log.h"
#include "core/base/status.h"

static int add_target(struct gf_targets *out, const char *option, const char *text,
                      enum gf_kind kind) {
    if (out->n == GF_MAX_OUTPUTS)
        return gf_fail(GF_EUSAGE, "more than %d outputs of one run", GF_MAX_OUTPUTS);
    struct gf_target *t = &out->target[out->n++];
    t->kind = kind;
    t->label = gf_kind_name(kind);
    t->bands = t->plain = t->aside = false;
    return gf_template_parse(option, text, &t->where);
}

int gf_targets_parse(const struct gf_settings *s, enum gf_kind kind, struct gf_targets *out) {
    static const char *const options[GF_N_KINDS] = {"--magnitude", "--phase", "--power",
                                                    "--real",      "--imag",  "--complex"};
    int rc = 0;
    *out = (struct gf_targets){0};
    if (s->out)
        rc = add_target(out, "--out", s->out, kind);
    else if (s->kind != GF_UNSET)
        return gf_fail(GF_EUSAGE, "--kind needs --out, which would hold what it names");
    for (int k = 0; k < GF_N_KINDS && !rc; k++)
        if (s->further[k])
            rc = add_target(out, options[k], s->further[k], (enum gf_kind)k);
    if (!rc && s->wavelet.bands) {
        if (asprintf(&out->bands_text, "tiff:%s/{stem}_*", s->wavelet.bands) < 0)
            return gf_fail(GF_ENOMEM, "out of memory");
        rc = add_target(out, "--bands", out->bands_text, kind);
        out->target[out->n - 1].bands = true;
    }
    if (!rc && !out->n)
        return gf_fail(GF_EUSAGE, "no output; say --out=FILE");
    if (!rc && s->filter.mask_out) {
        rc = add_target(out, "--mask-out", s->filter.mask_out, kind);
        out->target[out->n - 1].label = "mask";
        out->target[out->n - 1].aside = true;
        out->n_aside++;
    }
    for (int i = 0; i < out->n && !rc && s->json; i++)
        if (!strcmp(out->target[i].where.text, "-"))
            return gf_fail(GF_EUSAGE, "--json and %s=- both want stdout",
                           out->target[i].where.option);
    return rc;
}

void gf_targets_free(struct gf_targets *targets) {
    free(targets->bands_text);
    *targets = (struct gf_targets){0};
}

int gf_target_dtype(const struct gf_settings *s, const struct gf_target *t,
                    const struct gf_format *format, enum gf_precision precision,
                    enum gf_dtype *dtype) {
    const unsigned can = format->dtypes;
    bool wide = precision == GF_DOUBLE;
    if (t->kind == GF_COMPLEX) {
        *dtype = wide && can >> GF_C128 & 1 ? GF_C128 : GF_C64;
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
        *dtype = wide ? GF_F64 : GF_F32;
    else if (s->depth)
        *dtype = s->depth == 8 ? GF_U8 : s->depth == 16 ? GF_U16 : GF_F32;
    else if (wide && can >> GF_F64 & 1)
        *dtype = GF_F64;
    else
        *dtype = can >> GF_F32 & 1 ? GF_F32 : GF_U8;
    if (can >> *dtype & 1)
        return 0;
    return gf_fail(GF_EUSAGE, "%s: a %s file holds no --depth=%d", t->where.option, format->name,
                   s->depth);
}

int gf_target_resolve(const struct gf_target *t, const char *in, const struct gf_format **format,
                      char **path) {
    int rc = gf_template_expand(&t->where, in, t->label, -1, path);
    if (rc)
        return rc;
    rc = gf_template_format(&t->where, *path, format);
    if (rc) {
        free(*path);
        *path = NULL;
    }
    return rc;
}

/* A file that will be written, and who asked for it. */
struct claim {
    char *key; /* the path with its links resolved */
    const char *in;
    const struct gf_target *target;
};

/* Regular files only: devices and pipes may be read and written at once. */
static bool file_identity(const char *path, bool reading, struct stat *st) {
    int rc = strcmp(path, "-") ? stat(path, st) : fstat(reading ? STDIN_FILENO : STDOUT_FILENO, st);
    return !rc && (S_ISREG(st->st_mode) || S_ISBLK(st->st_mode));
}

/* The folder's true path and the last component; `path` itself when there is no such folder. */
static char *real_place(const char *path) {
    const char *slash = strrchr(path, '/');
    char *key = NULL;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    if (!real || asprintf(&key, "%s/%s", real, slash ? slash + 1 : path) < 0)
        key = strdup(path);
    free(real);
    free(folder);
    return key;
}

/* The path behind symbolic links, which need not lead to anything yet. NULL: nothing to compare. */
static char *claim_key(const char *path) {
    struct stat st;
    if (!strcmp(path, "-"))
        return strdup("-");
    if (!stat(path, &st) && !S_ISREG(st.st_mode))
        return NULL;
    char *key = real_place(path);
    for (int links = 0; key && links < 40; links++) {
        char to[PATH_MAX], *next = NULL;
        ssize_t n = readlink(key, to, sizeof to - 1);
        if (n < 0)
            break;
        to[n] = 0;
        char *slash = strrchr(key, '/');
        int folder = to[0] == '/' || !slash ? 0 : (int)(slash - key) + 1;
        if (asprintf(&next, "%.*s%s", folder, key, to) < 0)
            break;
        free(key);
        key = real_place(next);
        free(next);
    }
    return key;
}

static int by_key(const void *a, const void *b) {
    return strcmp(((const struct claim *)a)->key, ((const struct claim *)b)->key);
}

static int refuse_twice(const struct claim *a, const struct claim *b) {
    if (a->in == b->in)
        return gf_fail(GF_EUSAGE, "%s and %s would both write '%s'", a->target->where.option,
                       b->target->where.option, a->target->where.text);
    if (!a->target->where.has_stem)
        return gf_fail(GF_EUSAGE,
                       "several inputs and one output '%s'; use a template, e.g. "
                       "'{stem}_{kind}.png'",
                       a->target->where.text);
    return gf_fail(GF_EUSAGE, "'%s' and '%s' would both be written to '%s'", a->in, b->in, a->key);
}

struct identity {
    dev_t dev;
    ino_t ino;
    const char *path;
};

static int by_identity(const void *a, const void *b) {
    const struct identity *x = a, *y = b;
    if (x->dev != y->dev)
        return x->dev < y->dev ? -1 : 1;
    return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int check_not_input(const char *path, const struct identity *read, size_t n) {
    struct stat st;
    if (!file_identity(path, false, &st))
        return 0;
    struct identity wanted = {.dev = st.st_dev, .ino = st.st_ino};
    const struct identity *same = bsearch(&wanted, read, n, sizeof *read, by_identity);
    if (!same)
        return 0;
    return gf_fail(GF_EUSAGE, "output '%s' is the input '%s'; inputs are never written",
                   strcmp(path, "-") ? path : "stdout", gf_log_name(same->path));
}

/* The paths of one input's outputs; with {page} the pages of one input differ by themselves. */
static int claim_outputs(const struct gf_settings *s, const struct gf_targets *targets,
                         const char *in, const struct identity *read, size_t n_read,
                         struct claim *claims, size_t *n) {
    for (int i = 0; i < targets->n; i++) {
        const struct gf_target *t = &targets->target[i];
        const struct gf_format *format;
        enum gf_dtype dtype;
        char *path;
        int rc = t->plain ? gf_template_expand(&t->where, in, t->label, -1, &path)
                          : gf_target_resolve(t, in, &format, &path);
        if (rc)
            return rc;
        if (!t->plain)
            rc = gf_target_dtype(s, t, format, GF_SINGLE, &dtype);
        if (!rc)
            rc = check_not_input(path, read, n_read);
        char *key = rc ? NULL : claim_key(path);
        free(path);
        if (rc)
            return rc;
        if (key)
            claims[(*n)++] = (struct claim){key, in, t};
    }
    return 0;
}

int gf_targets_claim(const struct gf_settings *s, const struct gf_targets *targets,
                     char *const *names, int n_names, char *const *read, int n_read) {
    size_t n = 0, n_inputs = 0;
    int rc = 0;
    struct claim *claims = calloc((size_t)n_names * (size_t)targets->n + 1, sizeof *claims);
    struct identity *inputs = calloc((size_t)n_read + 1, sizeof *inputs);
    if (!claims || !inputs) {
        rc = gf_fail(GF_ENOMEM, "out of memory for the list of outputs");
        goto out;
    }
    for (int i = 0; i < n_read; i++) {
        struct stat st;
        if (file_identity(read[i], true, &st))
            inputs[n_inputs++] = (struct identity){st.st_dev, st.st_ino, read[i]};
    }
    qsort(inputs, n_inputs, sizeof *inputs, by_identity);
    for (int i = 0; i < n_names && !rc; i++)
        rc = claim_outputs(s, targets, names[i], inputs, n_inputs, claims, &n);
    if (rc)
        goto out;
    qsort(claims, n, sizeof *claims, by_key);
    for (size_t i = 1; i < n && !rc; i++)
        if (!strcmp(claims[i - 1].key, claims[i].key))
            rc = refuse_twice(&claims[i - 1], &claims[i]);
out:
    for (size_t i = 0; i < n; i++)
        free(claims[i].key);
    free(claims);
    free(inputs);
    return rc;
}
