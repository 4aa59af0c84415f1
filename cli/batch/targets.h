/* The outputs that the options ask for, and claims on their file names before any work.
 *
 *     rc = gf_targets_parse(settings, GF_MAGNITUDE, false, &targets);
 *     if (!rc)
 *         rc = gf_targets_claim(settings, &targets, inputs.path, inputs.n);
 */
#ifndef GF_CLI_BATCH_TARGETS_H
#define GF_CLI_BATCH_TARGETS_H

#include "cli/batch/inputs.h"

struct gf_target {
    enum gf_kind kind;
    const char *label; /* replaces {kind} */
    bool bands;        /* --bands: one file each, for which `where` has a star */
    bool plain;        /* --radial, frc --out: no picture, whatever its suffix */
    bool aside;        /* --mask-out, --radial: no output of the job; these come last */
    struct gf_template where;
};

struct gf_targets {
    struct gf_target target[GF_MAX_OUTPUTS];
    int n, n_aside;
    char *bands_text, *out_text; /* freed by gf_targets_free() */
};

/* Adds --out with `kind`, then --magnitude=, --phase=, …, if given. --out=DIR/ stands for
 * DIR/{stem}_{kind}.png, with `keeps_type` for the input's suffix instead of png. */
int gf_targets_parse(const struct gf_settings *s, enum gf_kind kind, bool keeps_type,
                     struct gf_targets *out);

/* The first target that is stdout, or NULL. */
const struct gf_target *gf_targets_stdout(const struct gf_targets *targets);

void gf_targets_free(struct gf_targets *targets);

/* Chooses the target's sample type as `kind` in `format`: by --depth, else float if the format has
 * it. GF_EUSAGE if the format cannot hold it. */
int gf_target_dtype(const struct gf_settings *s, const struct gf_target *t, enum gf_kind kind,
                    const struct gf_format *format, enum gf_precision precision,
                    enum gf_dtype *dtype);

/* Finds the format and path ({page}, {t} and {c} not replaced) of `t` for this input. The caller frees *path. */
int gf_target_resolve(const struct gf_target *t, const char *in, const struct gf_format **format,
                      char **path);

/* Calls visit() for the path of each output of each input, as gf_target_resolve() finds it. The visitor may
 * change the path. Stops at the first that does not return 0, and returns that. */
typedef int gf_target_visit(void *user, const struct gf_target *t, const char *in, char *path);
int gf_targets_each(const struct gf_targets *targets, char *const *names, int n_names,
                    gf_target_visit *visit, void *user);

/* Claims these outputs: GF_EUSAGE if two have one name, or one is an input, also through links. */
int gf_targets_claim(const struct gf_settings *s, const struct gf_targets *targets,
                     char *const *names, int n_names);

/* Claims one file of target `t` by its real name, and the record beside it if `format` (may be
 * NULL) writes one. `t` and `in` must be those that gf_targets_claim() had. */
int gf_target_claim(const struct gf_target *t, const char *in, const struct gf_format *format,
                    const char *path);

/* GF_EIO if a folder of these outputs does not exist; with --mkdir makes it and its parents.
 * Folders with {page}, {t} or {c} in their names are not checked. */
int gf_targets_check_folders(const struct gf_settings *s, const struct gf_targets *targets,
                             char *const *names, int n_names);
int gf_folder_make(const char *folder);

#endif
