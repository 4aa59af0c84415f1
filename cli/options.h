/* The rows of option tables, and the groups that several commands share. A command's own group is
 * in its file. */
#ifndef GF_CLI_OPTIONS_H
#define GF_CLI_OPTIONS_H

#include "cli/settings.h"

#define GF_AT(field) offsetof(struct gf_settings, field)
/* clang-format off */
/* A group's title, or NULL, and its rows. Rows with .own = true decide neither bytes nor what
 * processes of a run say to each other. */
#define GF_GROUP(heading, ...) {heading, (const struct gf_opt[]){__VA_ARGS__, {0}}}
/* clang-format on */

/* Selects a GPU's plans. */
#define GF_PLAN_ROW \
    GF_CHOICE( \
        "plan", plan, "NAME", gf_plans, \
        "a GPU's plan: estimate, by what the passes are expected to take, or measure, the " \
        "fastest of up to twelve, which is kept (default: one that was kept, else estimate)")

/* ---- groups; without a title, a group continues the one before ---- */

extern const struct gf_opt_group gf_opts_out, /* Output: --out */
    gf_opts_spectrum_kind,                    /* --kind of a spectrum */
    gf_opts_further,                          /* --magnitude=F and so on */
    gf_opts_depth_display,                    /* --depth of a display */
    gf_opts_depth_own,                        /* --depth, by default the picture's own type */
    gf_opts_stretch,                          /* --range of a restored picture */
    gf_opts_files,                            /* --no-clobber and options of formats */
    gf_opts_display,                          /* Display */
    gf_opts_window,                           /* Edges: --window, --edges=smooth */
    gf_opts_axes,                             /* Transform: --axes, --dims */
    gf_opts_norm, gf_opts_precision, gf_opts_precision_double, gf_opts_color, gf_opts_half,
    gf_opts_edited, gf_opts_wavelet, /* --wavelet */
    gf_opts_levels,                  /* --levels, --boundary, --threshold */
    gf_opts_list,                    /* Input: --files-from */
    gf_opts_frames,                  /* --frames, --nan */
    gf_opts_raw,                     /* Raw files */
    gf_opts_backend,                 /* Backend */
    gf_opts_one_backend,             /* the same for one device */
    gf_opts_scratch,                 /* --scratch */
    gf_opts_memory,                  /* Run: --max-memory, one input at a time */
    gf_opts_run,                     /* Run: several inputs concurrently */
    gf_opts_mpi,                     /* --mpi for output that one process can print for all */
    gf_opts_peer,                    /* --no-peer */
    gf_opts_report,                  /* --json a line per file, --quiet, --verbose, --help */
    gf_opts_common; /* General: --json in place of text, --quiet, --verbose, --help */

/* The end of the list of a command that transforms files: inputs and the run. */
#define GF_GROUPS_TRANSFORMING \
    &gf_opts_list, &gf_opts_frames, &gf_opts_raw, &gf_opts_backend, &gf_opts_peer, &gf_opts_run, \
        &gf_opts_scratch, &gf_opts_report, NULL
/* The end of the list of a command that looks into files one by one. */
#define GF_GROUPS_LOOKING \
    &gf_opts_list, &gf_opts_frames, &gf_opts_raw, &gf_opts_backend, &gf_opts_memory, \
        &gf_opts_report, NULL

/* A size such as 4G, into an int64_t of bytes. */
int gf_opt_parse_memory(const struct gf_opt *o, const char *value, void *field);
/* --axes as typed, into a struct gf_axes_text. */
int gf_settings_parse_axes(const struct gf_opt *o, const char *value, void *field);

#endif
