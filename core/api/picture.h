/* Pictures between files, jobs and operations: what the record of a spectrum says of the job that made
 * it and of the one that inverts it, and what an image says of an operation's samples. picture.c has
 * the library's pictures.
 *
 *     record = gf_record_of_job(&job, 0, &image, false);           written with the spectrum
 *     gf_record_job(&record, &inverse);                            read again
 *     rc = gf_record_match(&record, &px);
 *
 * record.c */
#ifndef GF_CORE_API_PICTURE_H
#define GF_CORE_API_PICTURE_H

#include "core/api/library.h"
#include "core/op/operation.h"
#include "formats/record.h"

/* Constant once it is read. Of a spectrum it describes the picture that it was made of, but for the
 * samples. */
struct gpufft_image {
    struct gpufft *library;
    struct gf_image image;
};

/* The record of output `i` of a forward job on `image`; alpha_kept: the alpha channel is the
 * output's last plane. Kinds, norms and boundaries have the same numbers as in the job. */
struct gf_record gf_record_of_job(const struct gf_job *job, int i, const struct gf_image *image,
                                  bool alpha_kept);
/* Sets op, ndim, shape, channels and axes of the inverse job; norm, in_shift and in_half for a
 * spectrum, the wavelet for coefficients. */
void gf_record_job(const struct gf_record *r, struct gf_job *job);
/* Gives samples the rank and shape of the inverse job, and of a record's alpha: some formats drop leading
 * axes of extent 1, others add one. GF_EFORMAT for any other difference. */
int gf_record_match(const struct gf_record *r, struct gf_array *px);

/* Sets what is known of an image's samples, the first `ndim` of whose axes are an operation's. */
void gf_operand_of_image(const struct gf_image *image, int ndim, struct gf_operand *of);

#endif
