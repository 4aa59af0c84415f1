/* The record of a spectrum (complex, magnitude or phase) or of wavelet coefficients says how it was
 * made, so that `gpufft inv` needs no options. It is stored as JSON and parsed as hostile input.
 * core/api/picture.h turns the fields into a job.
 *
 *     struct gf_record record;
 *     if (image.record && !gf_record_parse(image.record, &record))
 *         axes = record.ndim; */
#ifndef GF_FORMATS_RECORD_H
#define GF_FORMATS_RECORD_H

#include "core/base/job/window.h"
#include "formats/format.h"

/* Wavelet coefficients have version 2, so that a version 1 reader does not take them for a
 * spectrum; version 3 has the axes of the picture's file, or its header, and is written only for
 * pictures that have them. Version 4 may have these too: it is a spectrum of samples behind a
 * window, or without their smooth part, which earlier readers would return as the picture. */
enum {
    GF_RECORD_SPECTRUM = 1,
    GF_RECORD_WAVELET,
    GF_RECORD_AXES,
    GF_RECORD_WINDOW,
    GF_RECORD_LATEST = GF_RECORD_WINDOW
};

/* Bytes of text: headers are most of it. */
enum { GF_MOST_RECORD = 23 << 20 };

enum gf_alpha { GF_ALPHA_NONE, GF_ALPHA_DROPPED, GF_ALPHA_KEPT /* as the last plane */ };

struct gf_record {
    int version; /* set by parsing; GF_RECORD_... */
    bool is_wavelet;
    enum gf_kind kind; /* of the file it describes: complex, magnitude or phase */
    int ndim;
    int64_t shape[GF_MAX_DIMS]; /* the picture's, slowest first */
    bool channel_axis;          /* the picture's one channel has an axis in .npy */
    int64_t channels;    /* spectra in the file: the picture's channels without alpha, 1 for luma */
    enum gf_color color; /* of the picture that its inverse gives */
    enum gf_dtype dtype; /* the picture's samples */
    int depth;           /* the picture file's bits a sample */
    int64_t white;       /* as struct gf_image's */
    unsigned axes;       /* bit i: axis i was transformed */
    enum gf_norm norm;
    bool shift, half;
    bool luma;
    bool complex_input; /* the picture itself was complex */
    enum gf_alpha alpha;
    struct gf_window window; /* the samples were multiplied by it; dtype is that of the products */
    bool smooth;             /* --edges=smooth: their smooth part was subtracted */
    /* The picture's, without the profile, which only the file can hold. Its header is borrowed, and
     * NULL after parsing: see gf_record_restore(). */
    struct gf_metadata metadata;
    /* Those of the picture's file, also of its pages if these are pictures; n is 0 if it has none. */
    struct gf_axes file_axes;
    /* A wavelet's: `kind` is real; norm, shift, half, luma and complex_input are unused. */
    enum wavelet wavelet;
    int levels;
    enum gf_boundary boundary;
    bool thresholded; /* the inverse does not give back the picture */
};

/* True for a record, also one whose start or end is damaged: the text has the program's mark, or
 * several of the record's keys, or ends within the mark. False for other programs' texts. */
bool gf_record_is_ours(const char *text, size_t n);
/* Sets *text to one line of JSON, verified by parsing it; the caller frees it. */
int gf_record_format(const struct gf_record *record, char **text);
/* GF_EFORMAT, with the reason, if the text is no record, has a later version, or makes impossible
 * claims: every field is range-checked, shapes in 64-bit arithmetic. */
int gf_record_parse(const char *text, struct gf_record *out);
/* For tests: decodes the header in a record that parses into m->header; none leaves it. */
int gf_record_header(const char *text, struct gf_metadata *m);
/* Gives a spectrum's image the metadata of the picture in its record, which include no profile: it
 * keeps its own. */
int gf_record_restore(const struct gf_record *r, struct gf_image *image);
/* Returns PATH.json, the path of the record beside a file, which the caller frees; NULL if memory
 * is short. */
char *gf_record_path(const char *path);

#endif
