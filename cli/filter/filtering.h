/* The parts of gpufft filter besides the operation (core/op/filter): options, masks and kernels from
 * files, reports, and the filter as a picture. */
#ifndef GF_CLI_FILTER_FILTERING_H
#define GF_CLI_FILTER_FILTERING_H

#include <jansson.h>

#include "cli/batch/task.h"
#include "cli/options.h"
#include "core/op/filter/filtering.h"

/* ---- options.c ---- */

/* The options of a filter, which `gpufft plan` takes too, and those of its result. */
extern const struct gf_opt_group gf_opts_filter, gf_opts_filter_result;
/* Prints a note for each radius below a bin, which may be meant in another unit. */
void gf_filter_note_radii(const struct gf_settings *s);
/* gf_filter_check() with the settings that exclude --iterations. */
int gf_filter_check_settings(struct gf_settings *s);

/* ---- files.c: the pictures that --mask and --convolve name ---- */

/* Reads them into the settings, until gf_filter_free_files(), and chooses what --deconvolve does at
 * the edges. Logs a failure. */
int gf_filter_read_files(struct gf_settings *s);
void gf_filter_free_files(struct gf_settings *s);

/* ---- report.c ---- */

/* Print a line that says what was removed. */
void gf_filter_tell_notches(const struct gf_task *t);
void gf_filter_tell_stripes(const struct gf_task *t);
/* Add "notches" and "screens", "stripes", and the method of --deconvolve and its numbers to the JSON
 * line. */
void gf_filter_describe_notches(const struct gf_task *t, json_t *o);
void gf_filter_describe_stripes(const struct gf_task *t, json_t *o);
void gf_filter_describe_restored(const struct gf_task *t, json_t *o);

/* ---- mask.c: --mask-out, the filter as a picture with frequency zero in its centre ---- */

/* Describes the filter on the picture's spectrum as product `p` of the task. */
int gf_filter_describe_mask(struct gf_task *t, struct gf_product *p);
/* Bytes that drawing it needs besides the product; 0 without --mask-out. */
int64_t gf_filter_mask_bytes(const struct gf_task *t);
/* Draws it into that file, or NULL: as the product's picture. A hook of the task. */
int gf_filter_draw_mask(struct gf_task *t, struct gf_volume *volume);

#endif
