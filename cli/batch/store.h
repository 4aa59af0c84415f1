/* Products, the outputs of a task, and their files: one each, or one for every plane ({page}), or
 * one for every band of a wavelet.
 *
 *     if (!gf_product_accepts(&product))          before the work
 *         …
 *     rc = gf_product_write(settings, &job, &product, &image.metadata);  after it
 */
#ifndef GF_CLI_BATCH_STORE_H
#define GF_CLI_BATCH_STORE_H

#include "cli/batch/targets.h"
#include "formats/pick.h"
#include "formats/record.h"
#include "formats/volume.h"
#include "core/wavelet/dwt.h"

/* Metadata written: all of it with a picture, the profile if the record cannot hold it, or none. */
enum gf_keeps { GF_KEEPS_NOTHING, GF_KEEPS_TEXTS, GF_KEEPS_PROFILE /* and texts */, GF_KEEPS_ALL };

/* One output of a task: its place and type, and its samples from the run until it is written. */
struct gf_product {
    const struct gf_target *target; /* from the options */
    enum gf_kind kind;              /* the target's, unless the command decides otherwise */
    const struct gf_format *format;
    char *path;     /* {page}, {t} and {c} not replaced; of bands, with a star for their names */
    const char *in; /* the input's name, which such a path may contain */
    int64_t page;   /* the picture's number in its file */
    struct gf_pick pick;                /* the pages of the file that make the picture */
    struct gf_pick_count time, channel; /* of the picture's planes */
    bool by_plane;                      /* each plane is a file */
    bool noise;       /* a spectrum, in which encoders need not look for structure */
    bool alpha_plane; /* alpha follows the job's channels as one more plane */
    enum gf_keeps keeps;
    double white;   /* the picture's, as struct gf_image's; the image has it if its format does */
    bool stretches; /* a range of the samples becomes integers once they are made */
    enum gf_dtype dtype; /* of these integers */
    struct gf_image image;
    struct gf_image drawn; /* if it has axes, check() replaces the image by this one, for people */
    int64_t shape[GF_MAX_RANK]; /* of the file's samples, without what --edges added */
    bool has_record;
    struct gf_record record;
};

/* Decides whether each plane is a file: with {page}, or if {t} or {c} names an axis of the pages; else
 * completes the path. GF_EINVAL if planes or volumes of the file would have one name. `pick` is
 * the file's, or NULL. */
int gf_product_number(struct gf_product *p, const struct gf_pick *pick);
/* GF_EINVAL if the product's format cannot hold it; the message names formats that can. */
int gf_product_accepts(const struct gf_product *p);
/* Makes the integers of a product that stretches, by --range, in place of its samples. */
int gf_product_stretch(const struct gf_settings *s, struct gf_product *p);
/* Writes all its files, with the part of the picture's metadata it keeps. Makes the folder of
 * bands. */
int gf_product_write(const struct gf_settings *s, const struct gf_job *job,
                     const struct gf_product *p, const struct gf_metadata *metadata);
/* Makes the folder of the bands, whose parent exists; describes the file of a band, without samples, whose
 * path the caller frees. */
int gf_product_folder(const struct gf_product *p);
int gf_product_band(const struct gf_product *p, const struct gf_dwt_band *b,
                    struct gf_product *band);
/* NULL, or why a product cannot be written page by page in order, or else in boxes in any order. */
const char *gf_product_refuses(const struct gf_settings *s, const struct gf_product *p,
                               bool in_order);
/* Makes the volume of a product that is written in parts, by gf_product_put(), or unless `in_order`
 * by gf_volume_write() too. The caller commits or aborts it. NULL if each plane is a file. */
int gf_product_open(const struct gf_settings *s, const struct gf_product *p,
                    const struct gf_metadata *metadata, bool in_order, struct gf_volume **out);
/* Opens a product that another process made, by the path of its temporary. */
int gf_product_join(const struct gf_product *p, const char *path, const struct gf_frame *frame,
                    struct gf_volume **out);
/* Writes planes from number `from` on. `v` is NULL if each is a file. */
int gf_product_put(const struct gf_settings *s, const struct gf_product *p,
                   const struct gf_metadata *metadata, struct gf_volume *v, int64_t from,
                   const struct gf_array *pages);
/* True if each of its files, perhaps one a plane, has a record. */
bool gf_product_has_record(const struct gf_product *p);

/* The products of a job. */
struct gf_outputs {
    const struct gf_job *job;
    const struct gf_product *product;
    int n;
};
/* Calls visit() for the real name of every file, until one does not return 0, and returns that. */
typedef int gf_file_visit(void *user, const struct gf_product *p, const char *path);
int gf_outputs_each_file(const struct gf_outputs *o, gf_file_visit *visit, void *user);

#endif
