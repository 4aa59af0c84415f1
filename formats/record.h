/* The record: what a complex (or magnitude, or phase) file, or one of wavelet coefficients, says
 * about the picture it came from, so that `gpufft inv` needs no flags. Stored as JSON; read back as
 * hostile input. */
#ifndef GF_FORMATS_RECORD_H
#define GF_FORMATS_RECORD_H

#include "core/base/job.h"
#include "formats/format.h"

/* Wavelet coefficients came later; a version 1 reader does not take them for something else. */
enum { GF_RECORD_VERSION = 1, GF_RECORD_WAVELET = 2 };

enum gf_alpha { GF_ALPHA_NONE, GF_ALPHA_DROPPED, GF_ALPHA_KEPT /* as the last plane */ };

struct gf_record {
    int version;
    enum gf_kind kind; /* of the file it describes: complex, magnitude or phase */
    int ndim;
    int64_t shape[GF_MAX_DIMS]; /* the picture's, slowest first */
    bool channel_axis;          /* the picture's one channel has an axis of its own in .npy */
    int64_t channels;           /* spectra in the file: of the picture without alpha; 1 for luma */
    enum gf_color color;        /* of the picture that inverts from it */
    enum gf_dtype dtype;        /* the picture's samples */
    int depth;                  /* the picture file's bits a sample */
    unsigned axes;              /* bit i: axis i was transformed */
    enum gf_norm norm;
    bool shift, half;
    bool luma;
    bool complex_input; /* the picture itself was complex */
    enum gf_alpha alpha;
    /* GF_RECORD_WAVELET: `kind` is real; norm, shift, half, luma and complex_input say nothing */
    int levels;
    enum gf_boundary boundary;
    bool thresholded; /* what inverts from it is not the picture any more */
};

/* True when a text is a record, or was one before its start or its end was damaged: it has the
 * program's mark or several of the record's keys, or is cut within the mark. False for what someone
 * else wrote. */
bool gf_record_is_ours(const char *text, size_t n);
/* JSON text, one line, read back and compared; the caller frees it with free(). */
int gf_record_format(const struct gf_record *record, char **text);
/* GF_EFORMAT with the reason for a text that is no record, is of a later version, or claims what
 * cannot be: every field is range-checked, shapes in 64-bit arithmetic. */
int gf_record_parse(const char *text, struct gf_record *out);

#endif
