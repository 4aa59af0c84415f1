/* Replaces {stem}, {page} and the like in templates; finds types by prefix or suffix. */
#include "cli/batch/template.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/text.h"
#include "core/base/value/status.h"

bool gf_path_is_file(const char *path) {
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode);
}

enum field { STEM, KIND, EXT, FOLDER, PAGE, TIME, CHANNEL, N_FIELDS };
static const char *const fields[N_FIELDS] = {"{stem}", "{kind}", "{ext}", "{dir}",
                                             "{page}", "{t}",    "{c}"};

/* The field that begins here, or -1. */
static int field_at(const char *p) {
    for (int i = 0; i < N_FIELDS; i++)
        if (!strncmp(p, fields[i], strlen(fields[i])))
            return i;
    return -1;
}

/* Finds the type before the path, as in "png:-". Other text with a colon is a path. */
static const struct gf_format *prefix_format(const char *text, size_t *length) {
    char name[16];
    const char *colon = strchr(text, ':');
    if (!colon || colon - text >= (int)sizeof name || memchr(text, '.', (size_t)(colon - text)))
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    *length = (size_t)(colon - text) + 1;
    return gf_format_by_name(name);
}

int gf_template_of_folder(const char *text, const char *suffix, char **out) {
    size_t n = strlen(text), skip = 0;
    const struct gf_format *prefix = prefix_format(text, &skip);
    char typed[16];
    *out = NULL;
    if (n <= skip || text[n - 1] != '/')
        return 0;
    snprintf(typed, sizeof typed, "%.*s", skip ? (int)skip - 1 : 0, text);
    if (asprintf(out, "%s{dir}/{stem}_{kind}.%s", text, prefix ? typed : suffix) >= 0)
        return 0;
    *out = NULL;
    return gf_no_memory();
}

int gf_template_parse(const char *option, const char *text, struct gf_template *out) {
    struct stat st;
    size_t skip = 0;
    *out = (struct gf_template){.option = option, .prefix = prefix_format(text, &skip)};
    out->text = out->prefix ? text + skip : text;
    for (const char *p = out->text; (p = strchr(p, '{')); p++) {
        size_t name = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz");
        if (field_at(p) < 0 && name && p[1 + name] == '}')
            return gf_fail(GF_EUSAGE,
                           "%s: unknown %.*s; a template knows {stem} {kind} {ext} {dir} {page} "
                           "{t} {c}",
                           option, (int)name + 2, p);
    }
    out->has_stem = strstr(out->text, fields[STEM]);
    out->has_page = strstr(out->text, fields[PAGE]);
    out->has_time = strstr(out->text, fields[TIME]);
    out->has_channel = strstr(out->text, fields[CHANNEL]);
    out->has_dir = strstr(out->text, fields[FOLDER]);
    size_t n = strlen(out->text);
    if (!n)
        return gf_fail(GF_EUSAGE, "%s: '%s' names a type but no file", option, text);
    if (!strcmp(out->text, "-") && !out->prefix)
        return gf_fail(GF_EUSAGE, "%s=-: name the type for stdout: png:- pgm:- tiff:- npy:- raw:-",
                       option);
    if (strcmp(out->text, "-") &&
        (out->text[n - 1] == '/' || (!stat(out->text, &st) && S_ISDIR(st.st_mode))))
        return gf_fail(GF_EUSAGE,
                       "%s: '%s' is a folder; name the files by a template, e.g. "
                       "'%s%s{stem}_{kind}.png'",
                       option, out->text, out->text, out->text[n - 1] == '/' ? "" : "/");
    return 0;
}

/* Finds the input's name without folders and last suffix, and that suffix. */
static void split_name(const char *in, const char **stem, int *stem_length, const char **ext) {
    const char *slash = strrchr(in, '/');
    *stem = slash ? slash + 1 : in;
    if (!strcmp(in, "-"))
        *stem = "stdin";
    const char *suffix = gf_suffix(*stem);
    bool has_ext = *suffix && suffix - 1 != *stem;
    *ext = has_ext ? suffix : "";
    *stem_length = (int)(has_ext ? (size_t)(suffix - 1 - *stem) : strlen(*stem));
}

/* Both files of a NIfTI pair become one. */
static int choose_ext(const struct gf_template *t, const char *in, const char **ext) {
    char *partner;
    int rc = gf_path_partner(in, &partner);
    if (partner && !access(partner, F_OK))
        *ext = "nii";
    else if (t->known_ext && !gf_format_by_suffix(in))
        *ext = "png";
    free(partner);
    return rc;
}

/* Finds an input's folder below its root, without slashes around it. Returns its length, from 0. */
static int split_folder(const struct gf_roots *roots, const char *in, const char **dir) {
    const char *last = strrchr(in, '/');
    size_t skip = 0;
    for (int i = 0; roots && i < roots->n; i++)
        if (!strncmp(in, roots->path[i], strlen(roots->path[i])) && strlen(roots->path[i]) > skip)
            skip = strlen(roots->path[i]);
    *dir = in + skip;
    return skip && last > *dir ? (int)(last - *dir) : 0;
}

int gf_template_expand(const struct gf_template *t, const char *in, const char *kind,
                       const struct gf_indices *at, char **path) {
    const size_t part = gf_path_part(in);
    size_t size = 0;
    char *text = NULL;
    const char *stem, *ext, *dir;
    if (part) { /* of a file, which names the outputs */
        char *file = strndup(in, part);
        int rc = file ? gf_template_expand(t, file, kind, at, path) : gf_no_memory();
        free(file);
        return rc;
    }
    int stem_length;
    const int dir_length = split_folder(t->roots, in, &dir);
    split_name(in, &stem, &stem_length, &ext);
    if (t->has_stem && strspn(stem, ".") >= (size_t)stem_length && stem_length <= 2)
        return gf_fail(GF_EINVAL,
                       "'%s' without its suffix is '%.*s', which is a folder, not a {stem}", in,
                       stem_length, stem);
    int rc = choose_ext(t, in, &ext);
    if (rc)
        return rc;
    const int64_t index[] = {at ? at->page : 0, at ? at->time : 0, at ? at->channel : 0};
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return gf_no_memory();
    for (const char *p = t->text; *p;) {
        int field = *p == '{' ? field_at(p) : -1;
        if (field == STEM)
            fprintf(f, "%.*s", stem_length, stem);
        else if (field == KIND)
            fputs(kind, f);
        else if (field == EXT)
            fputs(ext, f);
        else if (field >= PAGE && at)
            fprintf(f, "%04lld", (long long)index[field - PAGE]);
        else if (field == FOLDER)
            fprintf(f, "%.*s", dir_length, dir);
        else
            fputc(*p, f);
        p += field >= 0 && (field < PAGE || at) ? strlen(fields[field]) : 1;
        if (field == FOLDER && !dir_length && *p == '/') /* "{dir}/{stem}.png" is no name below / */
            p++;
    }
    rc = gf_text_close(f, &text);
    if (!rc && (!t->prefix || t->prefix->pairs))
        gf_path_to_header(text); /* by which both files of a pair are called */
    *path = text;
    return rc;
}

int gf_template_format(const struct gf_template *t, const char *path,
                       const struct gf_format **format) {
    *format = t->prefix ? t->prefix : gf_format_by_suffix(path);
    if (*format && !(*format)->write && !(*format)->put_pages)
        return gf_fail(GF_EUSAGE, "%s: no %s file is written; write .tif with --ome, or .npy",
                       t->option, (*format)->name);
    if (*format)
        return 0;
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return gf_fail(GF_EUSAGE,
                   "%s: '%s' %s%.20s; use .png .jpg .pgm .ppm .pfm .tif .npy .raw .mrc "
                   ".fits .nii, or a type "
                   "before the name, e.g. png:%s",
                   t->option, path, dot ? "has the unknown suffix " : "has no suffix",
                   dot ? dot : "", path);
}
