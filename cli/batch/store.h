/* Products, the outputs of a task, and their files: one each, or with {page} one for every plane, or one
 * for every band of a wavelet.
 *
 *     if (!gf_product_accepts(&product))          before the work
 *         …
 *     rc = gf_product_write(settings, &job, &product, &image.metadata);  after it
 */
#ifndef GF_CLI_BATCH_STORE_H
#define GF_CLI_BATCH_STORE_H

#include "cli/batch/targets.h"
#include "formats/record.h"
#include "formats/volume.h"

/* The part of a picture's metadata that is written with an output. A picture keeps all of it; data with a record
 * keep the profile, which the record cannot hold; other outputs keep nothing. */
enum gf_keeps { GF_KEEPS_NOTHING, GF_KEEPS_PROFILE, GF_KEEPS_ALL };

/* One output of a task: its place, its type and, from the run until it is written, its samples. */
struct gf_product {
    const struct gf_target *target; /* as it was asked for */
    enum gf_kind kind;              /* the target's, unless the command decides otherwise */
    const struct gf_format *format;
    char *path;     /* {page} not yet replaced; of bands their place, with a star for their names */
    const char *in; /* the input's name, for {page} paths */
    int64_t page;   /* which picture of its file that is, likewise */
    bool noise;     /* a spectrum: encoders need not look for structure */
    bool alpha_plane; /* one channel more than the job's: alpha, as a plane like any other */
    enum gf_keeps keeps;
    struct gf_image image; /* px has samples from the run until it is written */
    int64_t shape[GF_MAX_RANK];
    bool has_record;
    struct gf_record record;
};

/* GF_EINVAL if the product's format cannot hold it; the message names formats that can. */
int gf_product_accepts(const struct gf_product *p);
/* Writes all its files; `metadata` is the picture's, for the products that keep it. Makes the folder of bands. */
int gf_product_write(const struct gf_settings *s, const struct gf_job *job,
                     const struct gf_product *p, const struct gf_metadata *metadata);
/* NULL if the product can be written in parts, else the reason: with `in_order` page by page, else boxes of rows in
 * any order. */
const char *gf_product_refuses(const struct gf_settings *s, const struct gf_product *p,
                               bool in_order);
/* Makes the volume of a product that is written in parts, which the caller commits or aborts: with `in_order` page
 * by page by gf_product_put(), else by gf_volume_write(). *out is NULL with {page}: each plane is a file. */
int gf_product_open(const struct gf_settings *s, const struct gf_product *p,
                    const struct gf_metadata *metadata, bool in_order, struct gf_volume **out);
/* Opens one that another process made, by the path of its temporary. */
int gf_product_join(const struct gf_product *p, const char *path, const struct gf_frame *frame,
                    struct gf_volume **out);
/* Writes planes from number `from` on. `v` is NULL with {page}. */
int gf_product_put(const struct gf_settings *s, const struct gf_product *p,
                   const struct gf_metadata *metadata, struct gf_volume *v, int64_t from,
                   const struct gf_array *pages);
/* True if each of its files has a record: the product, or with {page} each plane. */
bool gf_product_has_record(const struct gf_product *p);

/* The products of a job. */
struct gf_outputs {
    const struct gf_job *job;
    const struct gf_product *product;
    int n;
};
/* Visits every file that they are written to by its real name. Ends with the first visit that does not return 0, and
 * returns that. */
typedef int gf_file_visit(void *user, const struct gf_product *p, const char *path);
int gf_outputs_each_file(const struct gf_outputs *o, gf_file_visit *visit, void *user);

#endif
