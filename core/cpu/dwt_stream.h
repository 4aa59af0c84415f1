/* A wavelet transform along time, frame by frame: each level keeps a window of the few planes that
 * its next steps along z need (Chrysafis and Ortega 2000, "Line-based, reduced memory, wavelet
 * image compression"), and emits each finished step at once.
 *
 *     rc = gf_dwt_stream_open(&job, threads, &taker, &s);
 *     for (z = 0; z < job.shape[0] && !rc; z++)
 *         rc = gf_dwt_stream_push(s, &plane[z]);
 *     gf_dwt_stream_close(s);
 *
 * Functions return 0, GF_ENOMEM, GF_EINVAL, or what the taker returned. */
#ifndef GF_CORE_CPU_DWT_STREAM_H
#define GF_CORE_CPU_DWT_STREAM_H

#include "core/base/job.h"

/* A box of one plane z of the packed array, in the job's precision. */
struct gf_dwt_box {
    int64_t z, y, x, height, width; /* pixels */
    int64_t stride;                 /* bytes from row to row of `data` */
    const void *data;
};

/* Receives finished coefficients. Both functions return 0 or a code that ends the stream. */
struct gf_dwt_taker {
    int (*emit)(void *user, const struct gf_dwt_box *box);
    /* NULL if emit() copies what it needs of box->data. Otherwise it returns when the data of the
     * first `boxes` of all boxes emitted may be overwritten. */
    int (*settle)(void *user, int64_t boxes);
    void *user;
};

struct gf_dwt_stream;

/* For forward jobs of three axes that transform z, and whose threshold, if any, is by T. The parts
 * of the packed array that are never emitted are the gaps between bands. */
int gf_dwt_stream_open(const struct gf_job *job, int threads, const struct gf_dwt_taker *taker,
                       struct gf_dwt_stream **out);
/* Bytes that such a stream allocates. */
int64_t gf_dwt_stream_bytes(const struct gf_job *job, int threads);
/* Takes the next of job->shape[0] planes (y, x, channel) and copies it. The last one finishes the
 * transform. */
int gf_dwt_stream_push(struct gf_dwt_stream *s, const struct gf_array *plane);
/* The largest number of planes held at once; planes of coarser levels count by their area. */
double gf_dwt_stream_peak(const struct gf_dwt_stream *s);
void gf_dwt_stream_close(struct gf_dwt_stream *s); /* or NULL */

#endif
