/* The rows of all options, in groups that the commands share, and what parses their values. */
#include "cli/filter/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/memory.h"
#include "core/base/status.h"

static const char *const types[] = {"u8",  "i8",  "u16", "i16",  "u32", "i32",
                                    "f32", "f64", "c64", "c128", NULL}; /* as enum gf_dtype */
static const char *const endians[] = {"little", "big", NULL};
static const char *const nans[] = {"refuse", "zero", "mean", NULL};
static const char *const kinds[] = {"magnitude", "phase", "power", "real", "imag", "complex", NULL};
static const char *const scales[] = {"log", "linear", "sqrt", NULL};
static const char *const transforms[] = {"fft", "dwt", "idwt", NULL}; /* as enum gf_plan_of */
static const char *const norms[] = {"backward", "ortho", "forward", NULL};
static const char *const precisions[] = {"single", "double", NULL};
static const char *const boundaries[] = {"periodic", "symmetric", "zero", NULL};
static const char *const edges[] = {"periodic", "mirror", "taper", "smooth", NULL};
static const char *const colors[] = {"channels", "luma", NULL};
static const char *const stats_colors[] = {"luma", "channels", NULL};
static const char *const places[] = {"last", NULL};
static const char *const strategies[] = {"auto", "huffman", "rle", "filtered", "default", NULL};
const char *const gf_tiff_compressions[] = {"none", "deflate", "lzw", NULL};
const char *const gf_fftw_plans[] = {"estimate", "measure", "patient", NULL};

static int parse_whole(const char *what, const char *value, int64_t low, int64_t *out) {
    char *end;
    errno = 0;
    long long v = strtoll(value, &end, 10);
    if (errno || end == value || *end || v < low)
        return gf_fail(GF_EUSAGE, "%s cannot be '%.40s'; it is a whole number from %lld", what,
                       value, (long long)low);
    *out = v;
    return 0;
}

static int parse_shape(const char *value, void *field) {
    struct gf_settings *s = field;
    return gf_shape_parse(value, s->shape.extent, &s->shape.n);
}

static int parse_offset(const char *value, void *field) {
    return parse_whole("--offset", value, 0, field);
}

static int parse_skip(const char *value, void *field) {
    return parse_whole("--skip", value, 0, field);
}

static int parse_memory(const char *value, void *field) {
    return gf_memory_parse(value, field);
}

static int parse_depth(const char *value, void *field) {
    static const char *const depths[] = {"8", "16", "32", NULL};
    int i, rc = gf_opt_choose("--depth", value, depths, &i);
    if (!rc)
        *(int *)field = 8 << i;
    return rc;
}

static int parse_range(const char *value, void *field) {
    struct gf_settings *s = field;
    char *end;
    double low = strtod(value, &end);
    bool ok = end != value && *end == ',';
    const char *second = end + 1;
    double high = ok ? strtod(second, &end) : 0;
    if (!ok || end == second || *end || !isfinite(low) || !isfinite(high))
        return gf_fail(GF_EUSAGE, "--range cannot be '%.40s'; it is LOW,HIGH", value);
    if (low >= high)
        return gf_fail(GF_EUSAGE, "--range=%.40s: LOW is not below HIGH", value);
    s->range.said = true;
    s->range.low = low;
    s->range.high = high;
    return 0;
}

int gf_settings_parse_axes(const char *value, void *field) {
    struct gf_axes_text *axes = field;
    const char *p = value;
    for (axes->n = 0; axes->n < GF_MAX_DIMS; p++) {
        int i = axes->n;
        axes->axis[i].letter = 0;
        axes->axis[i].index = 0;
        if (*p && strchr("xyz", *p)) {
            axes->axis[i].letter = *p++;
        } else {
            char *end;
            long v = strtol(p, &end, 10);
            if (end == p || v < -GF_MAX_DIMS || v >= GF_MAX_DIMS)
                break;
            axes->axis[i].index = (int)v;
            p = end;
        }
        axes->n++;
        if (!*p)
            return 0;
        if (*p != ',')
            break;
    }
    return gf_fail(GF_EUSAGE,
                   "--axes cannot be '%.40s'; it lists up to three of x, y, z or of NumPy's "
                   "indices 0, 1, 2, -1, -2, -3",
                   value);
}

/* The names of the one wavelet, and of one that is taken for it. */
static int parse_wavelet(const char *value, void *field) {
    static const char *const names[] = {"d4", "w4", "db2", NULL};
    for (int i = 0; names[i]; i++)
        if (!strcasecmp(value, names[i])) {
            *(int *)field = i;
            return 0;
        }
    if (!strcasecmp(value, "db4"))
        return gf_fail(GF_EUSAGE,
                       "--wavelet=db4 has eight taps; the one with four taps is d4, also "
                       "called w4 and db2");
    return gf_fail(GF_EUSAGE, "no wavelet '%.40s'; there is d4, also called w4 and db2", value);
}

static int parse_levels(const char *value, void *field) {
    char *end;
    errno = 0;
    long v = strtol(value, &end, 10);
    if (!strcmp(value, "max"))
        v = GF_MOST_LEVELS;
    else if (errno || end == value || *end || v < 1 || v > GF_MAX_LEVELS)
        return gf_fail(GF_EUSAGE, "--levels cannot be '%.40s'; it is 1 to %d, or max", value,
                       GF_MAX_LEVELS);
    *(int *)field = (int)v;
    return 0;
}

static int parse_threshold(const char *value, void *field) {
    struct gf_wavelet_settings *w = &((struct gf_settings *)field)->wavelet;
    bool hard = !strncmp(value, "hard:", 5), soft = !strncmp(value, "soft:", 5);
    char *end = NULL;
    double v = hard || soft ? strtod(value + 5, &end) : 0;
    bool percent = end && *end == '%';
    if (!end || end == value + 5 || end[percent] || !isfinite(v) || v < 0 || (percent && v > 100))
        return gf_fail(GF_EUSAGE,
                       "--threshold cannot be '%.40s'; it is hard:T, soft:T with T from 0, or "
                       "hard:K%%, soft:K%% with K from 0 to 100",
                       value);
    w->threshold = hard ? GF_HARD : GF_SOFT;
    w->percent = percent;
    w->amount = v;
    return 0;
}

#define AT(field) offsetof(struct gf_settings, field)
#define END                                                                                        \
    { .name = NULL }
#define FLAG(n, field, text)                                                                       \
    { .name = n, .type = GF_OPT_FLAG, .at = AT(field), .help = text }
#define TEXT(n, field, argument, text)                                                             \
    { .name = n, .type = GF_OPT_TEXT, .at = AT(field), .arg = argument, .help = text }
#define CHOICE(n, field, argument, list, text)                                                     \
    {                                                                                              \
        .name = n, .type = GF_OPT_CHOICE, .at = AT(field), .arg = argument, .choices = list,       \
        .help = text                                                                               \
    }
/* `offset`: 0 when the parser wants the whole structure. */
#define PARSED(n, offset, argument, function, text)                                                \
    {                                                                                              \
        .name = n, .type = GF_OPT_PARSE, .at = offset, .arg = argument, .parse = function,         \
        .help = text                                                                               \
    }
#define INTEGER(n, field, argument, least, most, text)                                             \
    {                                                                                              \
        .name = n, .type = GF_OPT_INT, .at = AT(field), .arg = argument, .low = least,             \
        .high = most, .help = text                                                                 \
    }

#define RAW_ROWS(offset_name, parse_it)                                                            \
    PARSED("shape", 0, "DxHxW", parse_shape,                                                       \
           "read IN as raw samples of this shape, slowest axis first (with --type)"),              \
        CHOICE("type", type, "TYPE", types,                                                        \
               "raw sample type: u8 i8 u16 i16 u32 i32 f32 f64 c64 c128"),                         \
        CHOICE("endian", big_endian, "little|big", endians, "byte order of raw samples"),          \
        PARSED(offset_name, AT(offset), "BYTES", parse_it, "bytes before the first raw sample"),   \
        CHOICE("channels", channels_last, "last", places,                                          \
               "the last axis of a .npy or raw file is colour")

static const struct gf_opt raw_rows[] = {RAW_ROWS("offset", parse_offset), END};
const struct gf_opt_group gf_opts_raw = {"Raw files", raw_rows};

/* A filter's own --offset is that of its result. */
static const struct gf_opt raw_filter_rows[] = {RAW_ROWS("skip", parse_skip), END};
const struct gf_opt_group gf_opts_raw_filter = {"Raw files", raw_filter_rows};

#define LIST_ROWS                                                                                  \
    TEXT("files-from", files_from, "FILE", "read names of inputs, one a line; - is stdin"),        \
        TEXT("files0-from", files0_from, "FILE", "the same, each name ended by a zero byte")

static const struct gf_opt input_rows[] = {
    FLAG("frames", frames, "the inputs, in order, are the planes of one volume"),
    CHOICE("nan", nan, "refuse|zero|mean", nans, "what becomes of NaN and Inf (default: refuse)"),
    LIST_ROWS,
    END,
};
const struct gf_opt_group gf_opts_input = {"Input", input_rows};

static const struct gf_opt list_rows[] = {
    LIST_ROWS,
    END,
};
const struct gf_opt_group gf_opts_list = {"Input", list_rows};

static const struct gf_opt pair_rows[] = {
    TEXT("from-magnitude", from_magnitude, "FILE", "invert a float magnitude picture …"),
    TEXT("from-phase", from_phase, "FILE", "… together with this float phase picture"),
    END,
};
const struct gf_opt_group gf_opts_pair = {"Instead of IN", pair_rows};

#define OUT_ROW                                                                                    \
    TEXT("out", out, "OUT",                                                                        \
         "where to write: a path, png:- for stdout, or a template with {stem} {kind} {ext} "       \
         "{page}")
#define KIND_ROW(default_text)                                                                     \
    CHOICE(                                                                                        \
        "kind", kind, "KIND", kinds,                                                               \
        "what --out takes: magnitude, phase, power, real, imag, complex (default: " default_text   \
        ")")
#define FURTHER_ROWS                                                                               \
    TEXT("magnitude", further[GF_MAGNITUDE], "OUT", "write the magnitude too, from the same run"), \
        TEXT("phase", further[GF_PHASE], "OUT", "write the phase too"),                            \
        TEXT("power", further[GF_POWER], "OUT", "write the power too"),                            \
        TEXT("real", further[GF_REAL], "OUT", "write the real part too"),                          \
        TEXT("imag", further[GF_IMAG], "OUT", "write the imaginary part too"),                     \
        TEXT("complex", further[GF_COMPLEX], "OUT", "write the complex numbers too")
#define FILE_ROWS                                                                                  \
    {.name = "clobber",                                                                            \
     .type = GF_OPT_NEGATE,                                                                        \
     .at = AT(clobber),                                                                            \
     .help = "refuse to replace an existing file"},                                                \
        INTEGER("png-level", png_level, "0-9", 0, 9, "deflate level of PNG and deflated TIFF"),    \
        CHOICE("png-strategy", png_strategy, "NAME", strategies,                                   \
               "auto, huffman, rle, filtered, default"),                                           \
        CHOICE("tiff-compression", tiff_compression, "NAME", gf_tiff_compressions,                 \
               "none (default), deflate, lzw")

static const struct gf_opt output_rows[] = {
    OUT_ROW,
    KIND_ROW("magnitude"),
    FURTHER_ROWS,
    PARSED("depth", AT(depth), "8|16|32", parse_depth,
           "bits a sample: 8 and 16 display, 32 float (default: PNG and PGM 8, others float)"),
    FILE_ROWS,
    END,
};
const struct gf_opt_group gf_opts_output = {"Output", output_rows};

static const struct gf_opt output_inv_rows[] = {
    OUT_ROW,
    KIND_ROW("real, or complex if the picture was"),
    FURTHER_ROWS,
    PARSED("depth", AT(depth), "8|16|32", parse_depth,
           "bits a sample, clipped and rounded (default: the picture's own type)"),
    FILE_ROWS,
    END,
};
const struct gf_opt_group gf_opts_output_inv = {"Output", output_inv_rows};

static const struct gf_opt display_rows[] = {
    {.name = "shift",
     .type = GF_OPT_CHOICE3,
     .at = AT(shift),
     .help = "zero frequency in the centre (default: yes, but in the corner for complex)"},
    CHOICE("scale", scale, "log|linear|sqrt", scales,
           "grey for magnitude and power (default: log)"),
    PARSED("range", 0, "LOW,HIGH", parse_range,
           "values that become black and white (default: 0 and the largest)"),
    END,
};
const struct gf_opt_group gf_opts_display = {"Display", display_rows};

#define AXES_ROWS                                                                                  \
    PARSED("axes", AT(axes), "LIST", gf_settings_parse_axes,                                       \
           "axes to transform: x,y,z or NumPy indices (default: all)"),                            \
        INTEGER("dims", dims, "1|2|3", 1, 3, "the last 1, 2 or 3 axes; 2 takes a volume by page")
#define NORM_ROW                                                                                   \
    CHOICE("norm", norm, "NAME", norms, "backward (default), ortho or forward, as NumPy's")
#define PRECISION_ROW                                                                              \
    CHOICE("precision", precision, "NAME", precisions,                                             \
           "single or double (default: double for f64, c128, u32, i32 input, else single)")
#define COLOR_ROW                                                                                  \
    CHOICE("color", color, "channels|luma", colors,                                                \
           "each channel by itself (default), or one Rec.709 luma")

static const struct gf_opt transform_rows[] = {
    AXES_ROWS,
    NORM_ROW,
    PRECISION_ROW,
    COLOR_ROW,
    FLAG("half", half, "only the non-redundant half of a real input's spectrum"),
    END,
};
const struct gf_opt_group gf_opts_transform = {"Transform", transform_rows};

static const struct gf_opt spectrum_rows[] = {
    AXES_ROWS,
    NORM_ROW,
    {.name = "shift",
     .type = GF_OPT_CHOICE3,
     .at = AT(shift),
     .help = "the spectrum's zero frequency is in the centre (default: as recorded; else no, but "
             "yes for --from-magnitude)"},
    PRECISION_ROW,
    END,
};
const struct gf_opt_group gf_opts_spectrum = {"Transform (a record in the file comes first)",
                                              spectrum_rows};

static const struct gf_opt output_dwt_rows[] = {
    OUT_ROW,
    TEXT("bands", wavelet.bands, "DIR",
         "write each band as DIR/{stem}_BAND.tif, with or without --out"),
    PARSED("depth", AT(depth), "8|16|32", parse_depth,
           "bits a sample: 8 and 16 display, 32 float (default: PNG and PGM 8, others float)"),
    FILE_ROWS,
    END,
};
const struct gf_opt_group gf_opts_output_dwt = {"Output", output_dwt_rows};

static const struct gf_opt output_idwt_rows[] = {
    OUT_ROW,
    PARSED("depth", AT(depth), "8|16|32", parse_depth,
           "bits a sample, clipped and rounded (default: the picture's own type)"),
    FILE_ROWS,
    END,
};
const struct gf_opt_group gf_opts_output_idwt = {"Output", output_idwt_rows};

#define WAVELET_ROWS                                                                               \
    PARSED("levels", AT(wavelet.levels), "N|max", parse_levels,                                    \
           "how often the approximation is split again (default: 3, or the most the size "         \
           "allows)"),                                                                             \
        CHOICE("boundary", wavelet.boundary, "NAME", boundaries,                                   \
               "periodic (default), symmetric or zero: what stands beyond the ends of a line"),    \
        PARSED("threshold", 0, "RULE", parse_threshold,                                            \
               "hard:T or soft:T for details below T, hard:K% or soft:K% to keep the largest K%")

static const struct gf_opt wavelet_rows[] = {
    PARSED("wavelet", AT(wavelet.name), "NAME", parse_wavelet,
           "d4, also called w4 and db2: Daubechies' four taps"),
    WAVELET_ROWS,
    AXES_ROWS,
    PRECISION_ROW,
    END,
};
const struct gf_opt_group gf_opts_wavelet = {
    "Transform (for idwt a record in the file comes first)", wavelet_rows};

static const struct gf_opt plan_rows[] = {
    CHOICE("transform", plan_transform, "NAME", transforms,
           "fft, dwt or idwt (default: fft, its inverse for a file with a record)"),
    WAVELET_ROWS,
    END,
};
const struct gf_opt_group gf_opts_plan = {"What is planned", plan_rows};

static const struct gf_opt output_filter_rows[] = {
    OUT_ROW,
    PARSED("depth", AT(depth), "8|16|32", parse_depth,
           "bits a sample, clipped and rounded (default: the picture's own type)"),
    PARSED("offset", 0, "V|P%|mid", gf_parse_offset,
           "add V, P% of white, or mid-grey to the result"),
    TEXT("mask-out", filter.mask_out, "OUT",
         "write the filter too, as a picture of the centred spectrum"),
    FILE_ROWS,
    END,
};
const struct gf_opt_group gf_opts_output_filter = {"Output", output_filter_rows};

static const struct gf_opt filter_rows[] = {
    PARSED("lowpass", 0, "R[,PROFILE]", gf_parse_lowpass,
           "keep what is nearer than R; PROFILE is gaussian (default), ideal or butterworth:N"),
    PARSED("highpass", 0, "R[,PROFILE]", gf_parse_highpass, "keep what is farther than R"),
    PARSED("bandpass", 0, "R1,R2[,PROFILE]", gf_parse_bandpass, "keep what is between R1 and R2"),
    PARSED("bandreject", 0, "R1,R2[,PROFILE]", gf_parse_bandreject,
           "take out what is between R1 and R2"),
    PARSED("notch", 0, "X,Y[,Z],R[,PROFILE]", gf_parse_notch,
           "take out what is nearer than R to X,Y bins from the centre, x right, y down, and to "
           "-X,-Y"),
    {.name = "auto-notch",
     .type = GF_OPT_PARSE,
     .at = AT(filter.auto_notch),
     .arg = "N",
     .parse = gf_parse_auto_notch,
     .optional = true,
     .help = "find periodic noise in each picture, and take out up to N waves (default: "
             "24)"},
    PARSED("mask", 0, "FILE", gf_parse_mask,
           "multiply the centred spectrum by this picture, black 0, white 1"),
    PARSED("convolve", 0, "KERNEL", gf_parse_convolve,
           "convolve with a picture, brought to sum 1, or with gaussian:S of S pixels"),
    CHOICE("edges", filter.edges, "NAME", edges,
           "periodic (default), mirror, taper or smooth: what is beyond the picture's edges"),
    END,
};
const struct gf_opt_group gf_opts_filter = {
    "Filter (R: bins, or 0.1c: cycles a sample, or 50%: of Nyquist)", filter_rows};

static const struct gf_opt filter_transform_rows[] = {AXES_ROWS, PRECISION_ROW, COLOR_ROW, END};
const struct gf_opt_group gf_opts_filter_transform = {"Transform", filter_transform_rows};

static const struct gf_opt stats_rows[] = {
    INTEGER("peaks", stats.peaks, "N", 0, 100000, "list the N strongest peaks (default: 5)"),
    TEXT("radial", stats.radial, "FILE",
         "write the radial spectrum: .csv, .json, or .png, which is a plot; {stem} for several"),
    CHOICE("color", stats.channels, "luma|channels", stats_colors,
           "of colour, one Rec.709 luma (default), or each channel by itself"),
    {.name = "clobber",
     .type = GF_OPT_NEGATE,
     .at = AT(clobber),
     .help = "refuse to replace an existing file"},
    PRECISION_ROW,
    END,
};
const struct gf_opt_group gf_opts_stats = {"Statistics", stats_rows};

static const struct gf_opt demo_rows[] = {
    TEXT("out", out, "DIR", "the folder for the panels; several lessons have one each in it"),
    INTEGER("page", demo.page, "N", 0, 1 << 30,
            "no lesson: write page N of the volume IN, from 0, to --out=OUT"),
    INTEGER("every", demo.every, "N", 1, 1 << 20,
            "no lesson: write every Nth sample of the picture IN along each axis to --out=OUT"),
    TEXT("sum", demo.sum, "KERNEL",
         "no lesson: write IN convolved in space, sample by sample, with the picture KERNEL"),
    FILE_ROWS,
    END,
};
const struct gf_opt_group gf_opts_demo = {"Lessons, and what they do by hand", demo_rows};

static const struct gf_opt backend_rows[] = {
    TEXT("backend", backend, "NAME",
         "one that `gpufft devices` lists, or auto (default): a GPU where it is done sooner"),
    TEXT("device", device, "N|NAME",
         "the device, by number or part of its name; auto takes its backend (default: "
         "GPUFFT_DEVICE, or the first)"),
    INTEGER("threads", threads, "N", 1, 4096,
            "processor threads (default: OMP_NUM_THREADS, or all)"),
    CHOICE("fftw-plan", fftw_plan, "NAME", gf_fftw_plans, "estimate (default), measure, patient"),
    END,
};
const struct gf_opt_group gf_opts_backend = {"Backend", backend_rows};

#define MEMORY_ROW                                                                                 \
    PARSED("max-memory", AT(max_memory), "SIZE", parse_memory,                                     \
           "refuse what needs more, e.g. 4G (default: what is free)")

static const struct gf_opt memory_rows[] = {MEMORY_ROW, END};
const struct gf_opt_group gf_opts_memory = {"Limits", memory_rows};

/* Of a command that takes one input after the other. */
static const struct gf_opt run_alone_rows[] = {
    MEMORY_ROW,
    FLAG("json", json, "one JSON line a file on stdout"),
    FLAG("quiet", quiet, "failures only"),
    FLAG("verbose", verbose, "the backend, why it was chosen, and the times of each phase"),
    FLAG("help", help, "this text"),
    END,
};
const struct gf_opt_group gf_opts_run_alone = {"Run", run_alone_rows};

static const struct gf_opt run_rows[] = {
    INTEGER("jobs", jobs, "N", 1, 256, "pictures at work at once (default: the processor threads)"),
    FLAG("resume", resume, "skip inputs whose outputs are all there and newer"),
    FLAG("force", force, "do all of them, whatever --resume says"),
    PARSED("max-memory", AT(max_memory), "SIZE", parse_memory,
           "memory for all pictures at work together, e.g. 4G (default: what is free)"),
    FLAG("json", json, "one JSON line a file on stdout"),
    FLAG("quiet", quiet, "failures only"),
    FLAG("verbose", verbose, "the backend, why it was chosen, and the times of each phase"),
    FLAG("help", help, "this text"),
    END,
};
const struct gf_opt_group gf_opts_run = {"Run", run_rows};

static const struct gf_opt common_rows[] = {
    FLAG("json", json, "JSON instead of text"),
    FLAG("quiet", quiet, "failures only"),
    FLAG("verbose", verbose, "say more"),
    FLAG("help", help, "this text"),
    END,
};
const struct gf_opt_group gf_opts_common = {"General", common_rows};
