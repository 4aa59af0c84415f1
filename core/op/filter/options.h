/* The options of a filter: what multiplies a picture's spectrum, what is searched and removed before,
 * and what continues the picture beyond its edges. They hold for all pictures of a run. */
#ifndef GF_CORE_OP_FILTER_OPTIONS_H
#define GF_CORE_OP_FILTER_OPTIONS_H

#include "core/filter/edges.h"
#include "core/filter/table.h"
#include "core/op/option.h"
#include "core/restore/psf.h"

/* One --lowpass, --mask and so on. */
enum gf_filter_what {
    GF_LOWPASS,
    GF_HIGHPASS,
    GF_BANDPASS,
    GF_BANDREJECT,
    GF_NOTCH,
    GF_BLUR,        /* --convolve=gaussian:S; radius[0].value is S */
    GF_KERNEL,      /* --convolve=FILE */
    GF_KERNEL_MADE, /* --convolve=disk:R and so on: `psf`, sampled in `file` */
    GF_MASK,
    GF_PAINT,
    GF_PSF,      /* --deconvolve=FILE */
    GF_PSF_MADE, /* --deconvolve=disk:R and so on: `psf`, sampled in `file` unless gaussian */
};

struct gf_radius {
    double value;
    /* Bins; cycles per sample; % of half a cycle; a period; cycles per length, both in `name`. */
    enum { GF_BINS, GF_CYCLES, GF_NYQUIST, GF_PERIOD, GF_PER_LENGTH } unit;
    char name[12];
    /* The unit in metres, degrees or seconds, and which: 'm', 'd', 's'. */
    double unit_value;
    char kind;
};

/* The corner of a volume's spectrum: sqrt(3) / 2 cycles a sample. */
#define GF_MOST_CYCLES 0.8660254037844386

/* Parses a distance from the zero frequency: bins, "0.1c", "10%", "10A" or "0.3/mm"; false for other
 * texts. */
bool gf_radius_parse(const char *text, struct gf_radius *out);
/* Writes it behind `n` characters of a text, of GF_OPT_TEXT_SIZE, and a comma; returns their number. */
int gf_radius_print(const struct gf_radius *r, char *text, int n);

struct gf_filter_part {
    enum gf_filter_what what;
    const char *option; /* "lowpass" */
    const char *text;   /* the value as typed; a file's path */
    enum gf_profile profile;
    int order;
    struct gf_radius radius[2]; /* bands: inner, outer */
    int n_centre;
    struct gf_radius centre[GF_MAX_DIMS]; /* from the centre along x, y, z, with a sign */
    /* The file's samples, centred, C order; owned. Only the last `ndim` extents count. */
    struct gf_filter_samples file;
    int ndim;
    char *refused; /* NULL, or why the file exceeds the memory limit, its samples zeros; owned */
    double step;   /* of the file's levels, as a share of white; 0: floats */
    struct gf_psf psf;
    bool symmetric; /* a point-spread function that its mirror image along any axis equals */
    /* NULL, or reads a mask that is too large for `file`: n rows, of a line samples, from number
     * `first` on, 0 to 1. */
    int (*read)(const struct gf_filter_part *p, int64_t first, int64_t n, double *to);
    void *source;         /* its file */
    int64_t sample_bytes; /* of that */
};

enum { GF_MAX_PARTS = 64, GF_MAX_NOTCHES = 60 };

/* True for what is given as a picture of the spectrum. */
static inline bool gf_filter_is_shown(const struct gf_filter_part *p) {
    return p->what == GF_MASK || p->what == GF_PAINT;
}

/* True for what comes from a picture, of the spectrum or of samples. */
static inline bool gf_filter_is_file(const struct gf_filter_part *p) {
    return gf_filter_is_shown(p) || p->what == GF_KERNEL || p->what == GF_PSF;
}

struct gf_filter_options {
    int n_parts;
    struct gf_filter_part part[GF_MAX_PARTS];
    bool paints;    /* a part is GF_PAINT */
    int auto_notch; /* most notches; 0: off */
    struct {
        bool on;
        double period, lpi; /* samples per row, or rows per inch; 0: unset */
    } descreen;
    enum { GF_DESTRIPE_OFF, GF_DESTRIPE_AUTO, GF_DESTRIPE_ROWS, GF_DESTRIPE_COLUMNS } destripe;
    double dpi; /* 0: unset */
    int edges;  /* enum gf_edges; negative: the default */
    struct {
        /* 0: unset, -1: auto. Noise is in sample units, iterations are Richardson-Lucy's. */
        double noise, regularize, iterations;
    } restore;
    enum { GF_OFFSET_NUMBER, GF_OFFSET_PERCENT, GF_OFFSET_MID } offset_unit;
    double offset;
};

/* The rows of these options; parts keep their texts. */
extern const struct gf_opt gf_filter_rows[];
/* Refuses options that contradict each other or --deconvolve, and sets the default of --edges. `others`:
 * something else is against --iterations. */
int gf_filter_check(struct gf_filter_options *f, bool others);
/* GF_EUSAGE: the value is neither a kernel nor a picture's name. */
int gf_filter_refuse_kernel(const char *option, const char *value);

/* True if there are masks, kernels or an inverse, which become a table. */
bool gf_filter_makes_table(const struct gf_filter_options *o);
/* True if anything is looked for in the samples. */
bool gf_filter_looks(const struct gf_filter_options *o);
/* The point-spread function, or NULL. */
const struct gf_filter_part *gf_filter_psf(const struct gf_filter_options *o);
/* True if the filter depends on the picture's samples: Wiener's. */
bool gf_filter_measures(const struct gf_filter_options *o);
/* True for Richardson-Lucy, whose job (op->inner) blurs tiles. */
bool gf_filter_iterates(const struct gf_filter_options *o);
/* True for --auto-notch or --descreen. */
bool gf_filter_searches(const struct gf_filter_options *o);

/* GF_ENOMEM for a file that exceeds the memory limit, once the whole operation does not. */
int gf_filter_check_file(const struct gf_filter_part *p);

#endif
