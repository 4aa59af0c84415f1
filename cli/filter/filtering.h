/* State that gpufft filter keeps with a task (cli/batch/task.h, `filtering`). */
#ifndef GF_CLI_FILTER_FILTERING_H
#define GF_CLI_FILTER_FILTERING_H

#include "cli/filter/make.h"

struct gf_smooth_pages;

/* From prepare() to the end of the task. */
struct gf_filtering {
    struct gf_filter_frame frame;
    struct gf_filter *of_pages; /* page by page: of as many as are at once; to be released */
    struct gf_filter *filter;   /* to be released, or freed where it is the file's own */
    bool own;
    struct gf_smooth_pages
        *smooth;           /* --edges=smooth page by page: once all were looked at; owned */
    struct gf_array input; /* lengthened by --edges; no data where the picture itself will do */
    struct gf_notches peaks;
    double period; /* of --descreen, in samples; 0: any */
};

#endif
