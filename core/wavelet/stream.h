/* A forward wavelet transform along time, frame by frame, for volumes that may exceed memory. A
 * backend that supports it has this table (struct gf_backend.streamer):
 *
 *     struct gf_dwt_taker taker = {.emit = write_box, .user = file};
 *     struct gf_dwt_stream *stream;
 *     int rc = b->streamer->open(context, &job, threads, memory, &taker, &stream);
 *     for (int64_t z = 0; z < job.shape[0] && !rc; z++)
 *         rc = b->streamer->push(stream, &frame[z]);
 *     b->streamer->close(stream); */
#ifndef GF_CORE_WAVELET_STREAM_H
#define GF_CORE_WAVELET_STREAM_H

#include "core/wavelet/window.h"

/* A box of one plane z of the packed array, in the job's precision. */
struct gf_dwt_box {
    int64_t z, y, x, height, width; /* pixels */
    int64_t stride;                 /* bytes from row to row of `data` */
    const void *data;
    /* The step along z that made it: level, detail or approximation, and number. */
    int level;
    bool detail;
    int64_t step;
};

/* Moves a part's box to its place in the whole; false if it is outside the part's share. */
bool gf_dwt_part_place(const struct gf_dwt_part *part, struct gf_dwt_box *box);

/* Receives finished coefficients. Both functions return 0 or a code that ends the stream. */
struct gf_dwt_taker {
    int (*emit)(void *user, const struct gf_dwt_box *box, int n);
    /* NULL if emit() copies what it needs of the boxes' data. Otherwise it returns when the data of
     * the first `boxes` of all boxes emitted may be overwritten. */
    int (*settle)(void *user, int64_t boxes);
    void *user;
};

struct gf_dwt_stream;

/* The memory that a stream needs, and the bytes that it moves. */
struct gf_dwt_stream_info {
    /* most planes of the input's size (of any level: smaller ones by their share) held at once */
    double peak;
    /* 0 where a device has no memory of its own: */
    int64_t device_bytes, host_bytes;
    int64_t bytes_up, bytes_down; /* of all levels */
    int64_t chunks, planes;       /* of the first level; planes of a chunk */
    int built;
    double build_seconds;
};

struct gf_dwt_streamer {
    /* At most so many bytes of host memory, besides the pushed frame: no more than `memory` where
     * fewer planes at a time make that possible. */
    int64_t (*bytes)(const struct gf_job *job, int threads, int64_t memory);
    /* For forward jobs of three axes, z among the transformed ones; thresholds by T, not by share.
     * Gaps between bands are never emitted. `context` is the backend's, which is the stream's alone
     * until close(); NULL for a backend in host memory. */
    int (*open)(void *context, const struct gf_job *job, int threads, int64_t memory,
                const struct gf_dwt_taker *taker, struct gf_dwt_stream **out);
    /* Copies and processes the next of job->shape[0] planes (y, x, channel; dense). The last one
     * completes the transform. */
    int (*push)(struct gf_dwt_stream *s, const struct gf_array *plane);
    void (*info)(const struct gf_dwt_stream *s, struct gf_dwt_stream_info *info);
    void (*close)(struct gf_dwt_stream *s); /* takes NULL */
};

/* The members that every stream has; for implementers. */
enum { GF_DWT_BATCH = 64 };
struct gf_dwt_sender {
    struct gf_job job;
    struct gf_dwt_taker taker;
    struct gf_dwt_layout layout;
    int64_t boxes; /* sent so far */
    int n;         /* of these, not yet emitted */
    struct gf_dwt_box box[GF_DWT_BATCH];
};
/* GF_EINVAL if the job cannot run frame by frame. */
int gf_dwt_sender_begin(struct gf_dwt_sender *s, const struct gf_job *job,
                        const struct gf_dwt_taker *taker);
/* Sends a plane of a level's step, its bands without gaps, detail or approximation along z, in as
 * few boxes as possible; the approximation of an approximation is in none unless the level is the
 * last. `shrink`: applies the threshold. */
int gf_dwt_send(struct gf_dwt_sender *s, int level, bool detail, int64_t step, char *data,
                bool shrink);
/* Emits what is sent. */
int gf_dwt_emit(struct gf_dwt_sender *s);

#endif
