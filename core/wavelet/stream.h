/* A forward wavelet transform along time, frame by frame, for volumes that may exceed memory. A
 * backend that has it sets struct gf_backend.streamer:
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

/* A box of one plane z of the packed array, in the output's type. */
struct gf_dwt_box {
    int64_t z, y, x, height, width; /* pixels */
    int64_t stride;                 /* bytes between rows of `data` */
    const void *data;
    /* The step along z that made it: its level, band along z, and number. */
    int level;
    bool detail;
    int64_t step;
};

/* Moves a part's box to its place in the whole; false if it is outside the part's share. */
bool gf_dwt_part_place(const struct gf_dwt_part *part, struct gf_dwt_box *box);

/* Receives finished coefficients. A nonzero result ends the stream. */
struct gf_dwt_taker {
    int (*emit)(void *user, const struct gf_dwt_box *box, int n);
    /* NULL if emit() copies the data it needs. Otherwise returns once the data of the first `boxes`
     * boxes emitted may be overwritten. */
    int (*settle)(void *user, int64_t boxes);
    void *user;
};

struct gf_dwt_stream;

/* A stream's memory, and the bytes it moves. */
struct gf_dwt_stream_info {
    /* most planes held at once, in planes of the input's size */
    double peak;
    /* 0 unless a device has its own memory: */
    int64_t device_bytes, host_bytes;
    int64_t bytes_up, bytes_down; /* over all levels */
    int64_t chunks, planes;       /* of level 1; planes per chunk */
    int built;
    double build_seconds;
};

struct gf_dwt_streamer {
    /* Upper bound of host memory besides the pushed frame: at most `memory`, if fewer planes at a
     * time allow that. */
    int64_t (*bytes)(const struct gf_job *job, int threads, int64_t memory);
    /* For forward jobs of three axes that transform z, with thresholds by T, not by share. Gaps
     * between bands are never emitted. The stream owns the backend's `context` until close(); NULL
     * for a backend in host memory. */
    int (*open)(void *context, const struct gf_job *job, int threads, int64_t memory,
                const struct gf_dwt_taker *taker, struct gf_dwt_stream **out);
    /* Copies and processes the next of job->shape[0] dense planes (y, x, channel). The last one
     * completes the transform. */
    int (*push)(struct gf_dwt_stream *s, const struct gf_array *plane);
    void (*info)(const struct gf_dwt_stream *s, struct gf_dwt_stream_info *info);
    void (*close)(struct gf_dwt_stream *s); /* takes NULL */
};

/* Members of every stream; for implementers. */
enum { GF_DWT_BATCH = 64 };
struct gf_dwt_sender {
    struct gf_job job;
    struct gf_dwt_taker taker;
    struct gf_dwt_layout layout;
    int64_t boxes; /* sent so far */
    int n;         /* not yet emitted */
    struct gf_dwt_box box[GF_DWT_BATCH];
};
/* GF_EINVAL if the job cannot run frame by frame. */
int gf_dwt_sender_begin(struct gf_dwt_sender *s, const struct gf_job *job,
                        const struct gf_dwt_taker *taker);
/* Sends a plane of a level's step, bands without gaps, detail or approximation along z, in as few
 * boxes as possible, without the approximation of an approximation unless the level is the last.
 * `shrink`: applies the threshold. */
int gf_dwt_send(struct gf_dwt_sender *s, int level, bool detail, int64_t step, char *data,
                bool shrink);
/* Emits the boxes sent. */
int gf_dwt_emit(struct gf_dwt_sender *s);

#endif
