/* The outputs that the options ask for, and their claims to file names before any work.
 *
 *     rc = gf_targets_parse(settings, GF_MAGNITUDE, &targets);
 *     if (!rc)
 *         rc = gf_targets_claim(settings, &targets, inputs.path, inputs.n);
 */
#ifndef GF_CLI_BATCH_TARGETS_H
#define GF_CLI_BATCH_TARGETS_H

#include "cli/batch/inputs.h"

struct gf_target {
    enum gf_kind kind;
    const char *label; /* what replaces {kind} */
    bool bands;        /* --bands: a file for each, `where` names only their place */
    bool plain;        /* --radial: no picture, whatever its suffix */
    bool aside;        /* --mask-out, --radial: no output of the job; these come last */
    struct gf_template where;
};

struct gf_targets {
    struct gf_target target[GF_MAX_OUTPUTS];
    int n, n_aside;
    char *bands_text, *out_text; /* freed by gf_targets_free() */
};

/* --out with `kind`, then --magnitude=, --phase=, …, which may be none at all. --out=DIR/
 * is DIR/{stem}_{kind}.png, or with `keeps_type` has the input's suffix. */
int gf_targets_parse(const struct gf_settings *s, enum gf_kind kind, bool keeps_type,
                     struct gf_targets *out);

void gf_targets_free(struct gf_targets *targets);

/* The sample type of the target as `kind` in `format`: by --depth, else float if the format has it. GF_EUSAGE if the format
 * cannot hold it. */
int gf_target_dtype(const struct gf_settings *s, const struct gf_target *t, enum gf_kind kind,
                    const struct gf_format *format, enum gf_precision precision,
                    enum gf_dtype *dtype);

/* For a picture that comes back: sets *dtype to its `own` type if the format holds that; leaves it with --depth.
 * GF_EINVAL if the format holds neither that nor floats. */
int gf_target_keep_dtype(const struct gf_settings *s, const struct gf_format *format,
                         enum gf_dtype own, enum gf_dtype *dtype);

/* The format of target `t` for this input, and its path ({page} not replaced). */
int gf_target_resolve(const struct gf_target *t, const char *in, const struct gf_format **format,
                      char **path);

/* Visits the path of each output of the inputs `names` as far as the arguments name it: {page} is not
 * replaced. The visitor may change the path. Ends with the first that does not return 0, and returns that. */
typedef int gf_target_visit(void *user, const struct gf_target *t, const char *in, char *path);
int gf_targets_each(const struct gf_targets *targets, char *const *names, int n_names,
                    gf_target_visit *visit, void *user);

/* Claims these outputs: GF_EUSAGE for two of one name, and for one that is read, through links too. */
int gf_targets_claim(const struct gf_settings *s, const struct gf_targets *targets,
                     char *const *names, int n_names);

/* Claims one file of target `t` by its real name, and the record beside it if `format` (may be NULL) has one
 * there. `t` and `in` are those that gf_targets_claim() was given. */
int gf_target_claim(const struct gf_target *t, const char *in, const struct gf_format *format,
                    const char *path);

/* GF_EIO if a folder of these outputs does not exist; with --mkdir makes it and those above it. A folder
 * with {page} in its name is left to the writing. */
int gf_targets_check_folders(const struct gf_settings *s, const struct gf_targets *targets,
                             char *const *names, int n_names);
int gf_folder_make(const char *folder);

#endif
