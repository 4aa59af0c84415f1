/* One output of a task: its place, what it is, and from the run until it is written its samples. */
#ifndef GF_CLI_BATCH_PRODUCT_H
#define GF_CLI_BATCH_PRODUCT_H

#include "cli/batch/template.h"
#include "core/base/job.h"
#include "formats/record.h"

/* The part of a picture's metadata that is written with an output: all of it with a picture; the profile,
 * for which a record has no room, with data that a record takes back to the picture; else nothing. */
enum gf_keeps { GF_KEEPS_NOTHING, GF_KEEPS_PROFILE, GF_KEEPS_ALL };

struct gf_product {
    enum gf_kind kind;
    const char *label; /* {kind} */
    bool bands;        /* a file for each band; `path` is their place, without their names */
    bool aside;        /* no output of the job: the command's check() makes it */
    const struct gf_format *format;
    char *path; /* {page} not yet replaced */
    const struct gf_template *where;
    const char *in;   /* the input's name, for {page} paths */
    int64_t page;     /* which picture of its file that is, likewise */
    bool noise;       /* a spectrum: encoders need not look for structure */
    bool alpha_plane; /* one channel more than the job's: alpha, as a plane like any other */
    enum gf_keeps keeps;
    struct gf_image image; /* px has samples from the run until it is written */
    int64_t shape[GF_MAX_RANK];
    bool has_record;
    struct gf_record record;
};

#endif
