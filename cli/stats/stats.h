/* The statistics of a file that `gpufft stats` computes and prints. */
#ifndef GF_CLI_STATS_STATS_H
#define GF_CLI_STATS_STATS_H

#include "cli/settings.h"

struct gf_stats {
    const struct gf_task *t;
    const char *name; /* with the page's number in brackets if there are several */
    int64_t page;     /* -1: all of the file */
    const struct gf_job *job;
    const char *unit;      /* in which o.spacing gives the distance of samples; NULL: unknown */
    double ring_spacing;   /* along all axes alike; 0: it differs, or is unknown */
    char density_unit[48]; /* --psd: of the rings' means, which are densities then */
    struct gf_statistics_options o;
    struct gf_statistics of;
};

struct gf_task;
void gf_stats_print(const struct gf_stats *s);

/* Plots the rings' means, which are called `what`, into an image, which the caller frees; or, if
 * that is NULL, writes the rings to the task's file, as a plot, a table or JSON. */
int gf_stats_plot(const struct gf_stats *s, const char *what, struct gf_image *image);

#endif
