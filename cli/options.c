/* Groups of options that several commands share, and parsers of their values. */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "cli/shapes.h"
#include "core/base/host/memory.h"

static const char *const types[] = {"u8",  "i8",  "u16", "i16",  "u32", "i32",
                                    "f32", "f64", "c64", "c128", NULL}; /* as enum gf_dtype */
static const char *const endians[] = {"little", "big", NULL};
static const char *const nans[] = {"refuse", "zero", "mean", "interpolate", "keep", NULL};
static const char *const precisions[] = {"single", "double", NULL};
static const char *const colors[] = {"channels", "luma", NULL};
static const char *const places[] = {"last", NULL};
static const char *const strategies[] = {"auto", "huffman", "rle", "filtered", "default", NULL};
const char *const gf_tiff_compressions[] = {"none", "deflate", "lzw", NULL};
const char *const gf_fftw_plans[] = {"estimate", "measure", "patient", NULL};
const char *const gf_plans[] = {"estimate", "measure", NULL};

static int parse_shape(const struct gf_opt *o, const char *value, void *field) {
    struct gf_settings *s = field;
    (void)o;
    return gf_shape_parse(value, s->shape.extent, &s->shape.n);
}

static int parse_skip(const struct gf_opt *o, const char *value, void *field) {
    char *end;
    errno = 0;
    long long v = strtoll(value, &end, 10);
    if (errno || end == value || *end || v < 0)
        return gf_opt_refuse(o, value, "it is a whole number from 0");
    *(int64_t *)field = v;
    return 0;
}

int gf_opt_parse_memory(const struct gf_opt *o, const char *value, void *field) {
    (void)o;
    return gf_memory_parse(value, field);
}

static int parse_depth(const struct gf_opt *o, const char *value, void *field) {
    static const char *const depths[] = {"8", "16", "32", NULL};
    int i, rc = gf_opt_choose("--depth", value, depths, &i);
    (void)o;
    if (!rc)
        *(int *)field = 8 << i;
    return rc;
}

static int parse_stretch(const struct gf_opt *o, const char *value, void *field) {
    return gf_range_parse(o, value, true, field);
}

int gf_settings_parse_axes(const struct gf_opt *o, const char *value, void *field) {
    struct gf_axes_text *axes = field;
    const char *p = value;
    for (axes->n = 0; axes->n < GF_MAX_DIMS; p++) {
        int i = axes->n;
        axes->axis[i].letter = 0;
        axes->axis[i].index = 0;
        if (*p >= 'a' && *p <= 'z') {
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
    return gf_opt_refuse(
        o, value,
        "it lists up to three of x, y, z, of the file's names or of NumPy's indices 0, 1, 2, -1, "
        "-2, -3");
}

static bool print_axes(const struct gf_opt *o, const void *field, int i,
                       char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_axes_text *axes = field;
    int n = 0;
    (void)o;
    for (int k = 0; k < axes->n; k++)
        n += axes->axis[k].letter ? sprintf(text + n, "%s%c", k ? "," : "", axes->axis[k].letter)
                                  : sprintf(text + n, "%s%d", k ? "," : "", axes->axis[k].index);
    return !i && axes->n;
}

/* NAME=FIRST:END or NAME=INDEX, several with commas. */
static int parse_select(const struct gf_opt *o, const char *value, void *field) {
    struct gf_settings *s = field;
    const char *p = value;
    for (s->n_select = 0; s->n_select < GF_MAX_AXES; p++) {
        struct gf_range_of *r = &s->select[s->n_select];
        const size_t n = strcspn(p, "=");
        char *end;
        if (!n || n >= sizeof r->name || p[n] != '=')
            break;
        snprintf(r->name, sizeof r->name, "%.*s", (int)n, p);
        p += n + 1;
        const long long first = strtoll(p, &end, 10);
        r->first = end == p ? 0 : first;
        long long last = r->first + 1;
        if (*end == ':') {
            p = end + 1;
            last = strtoll(p, &end, 10);
            last = end == p ? 0 : last;
        } else if (end == p) {
            break;
        }
        if (r->first < 0 || (last && last <= r->first))
            break;
        r->count = last ? last - r->first : 0;
        s->n_select++;
        p = end;
        if (!*p)
            return 0;
        if (*p != ',')
            break;
    }
    return gf_opt_refuse(o, value, "it is NAME=INDEX or NAME=FIRST:END, from 0, as in t=0:10,c=1");
}

/* LENGTHUNIT, or a length each for several axes and the unit behind the last: 3,1,1A. */
static int parse_pixel(const struct gf_opt *o, const char *value, void *field) {
    struct gf_settings *s = field;
    char *end = NULL, kind;
    const char *p = value;
    s->pixel.n = 0;
    do {
        const double v = strtod(p, &end);
        if (end == p || !(v > 0) || !isfinite(v))
            break;
        s->pixel.spacing[s->pixel.n++] = v;
        p = end + 1;
    } while (*end == ',' && s->pixel.n < GF_MAX_DIMS);
    gf_unit_copy(end, 0, s->pixel.unit);
    if (s->pixel.n && gf_unit_value(s->pixel.unit, &kind) > 0)
        return 0;
    return gf_opt_refuse(o, value,
                         "it is a length and a unit, as in 1.06A or 3,1,1um; units are m cm mm um "
                         "nm A pm inch deg arcmin arcsec mas s ms us");
}

const struct gf_opt_group gf_opts_out = GF_GROUP(
    "Output",
    GF_TEXT("out", out, "OUT",
            "where to write: a path, png:- for stdout, or a template with {stem} {kind} {ext} "
            "{dir} {page} {t} {c}; DIR/ is DIR/{dir}/{stem}_{kind}.png",
            .letter = 'o', .inert = true),
    GF_FLAG("mkdir", mkdir, "make the folders that outputs are to be in", .inert = true));

const struct gf_opt_group gf_opts_spectrum_kind = GF_GROUP(
    NULL, GF_CHOICE("kind", kind, "KIND", gf_kind_names,
                    "what --out holds: magnitude (default), phase, power, real, imag or complex"));

const struct gf_opt_group gf_opts_further = GF_GROUP(
    NULL,
    GF_TEXT("magnitude", further[GF_MAGNITUDE], "OUT",
            "also write the magnitude, from the same transform", .inert = true),
    GF_TEXT("phase", further[GF_PHASE], "OUT", "also write the phase", .inert = true),
    GF_TEXT("power", further[GF_POWER], "OUT", "also write the power", .inert = true),
    GF_TEXT("real", further[GF_REAL], "OUT", "also write the real part", .inert = true),
    GF_TEXT("imag", further[GF_IMAG], "OUT", "also write the imaginary part", .inert = true),
    GF_TEXT("complex", further[GF_COMPLEX], "OUT", "also write the complex numbers",
            .inert = true));

const struct gf_opt_group gf_opts_depth_display = GF_GROUP(
    NULL,
    GF_PARSED("depth", GF_AT(depth), "8|16|32", parse_depth,
              "bits per sample: 8 and 16 are for display, 32 is float (default: 8 for PNG and PNM, "
              "float for the others)"));

const struct gf_opt_group gf_opts_depth_own = GF_GROUP(
    NULL, GF_PARSED("depth", GF_AT(depth), "8|16|32", parse_depth,
                    "bits per sample, to which the result is clipped and rounded (default: the "
                    "picture's own type)"));

const struct gf_opt_group gf_opts_stretch = GF_GROUP(
    NULL, GF_PARSED("range", GF_AT(display.range), "RANGE", parse_stretch,
                    "values that become black and white of an integer output: full (the smallest "
                    "and largest), LOW,HIGH or quantiles, 1%,99.9% (default: none, clip)"));

const struct gf_opt_group gf_opts_files = GF_GROUP(
    NULL, GF_NEGATE("clobber", clobber, "refuse to replace an existing file", .inert = true),
    GF_FLAG("sync", sync, "write each file to its disk before it replaces the old one",
            .inert = true),
    GF_INTEGER("png-level", write.level, "0-9", 0, 9, "compression level of PNG and deflated TIFF"),
    GF_CHOICE("png-strategy", write.strategy, "NAME", strategies,
              "how PNG is compressed: auto (default), huffman, rle, filtered or default"),
    GF_CHOICE("tiff-compression", tiff_compression, "NAME", gf_tiff_compressions,
              "none (default), deflate or lzw"),
    GF_FLAG("ome", write.ome, "write OME-TIFF: OME's XML describes the pages"),
    GF_INTEGER("jpeg-quality", write.jpeg_quality, "1-100", 1, 100,
               "quality of JPEG output (default: 92)"));

const struct gf_opt_group gf_opts_display =
    GF_GROUP("Display", GF_ROWS("shift scale range", display, gf_display_rows));

const struct gf_opt_group gf_opts_window =
    GF_GROUP("Edges", GF_ROWS("window edges", windowing, gf_window_rows));

const struct gf_opt_group gf_opts_axes =
    GF_GROUP("Transform",
             GF_PARSED("axes", GF_AT(axes), "LIST", gf_settings_parse_axes,
                       "axes to transform: x,y,z or NumPy indices (default: all in space)",
                       .print = print_axes),
             GF_INTEGER("dims", dims, "1|2|3", 1, 3,
                        "transform the last 1, 2 or 3 axes; 2 takes a volume page by page"));

const struct gf_opt_group gf_opts_norm =
    GF_GROUP(NULL, GF_CHOICE("norm", norm, "NAME", gf_norm_names,
                             "backward (default), ortho or forward, as in NumPy"));

const struct gf_opt_group gf_opts_precision = GF_GROUP(
    NULL,
    GF_CHOICE("precision", precision, "NAME", precisions,
              "single or double (default: double for f64, c128, u32 and i32 input, else single)"));

const struct gf_opt_group gf_opts_precision_double = GF_GROUP(
    NULL, GF_CHOICE("precision", precision, "NAME", precisions, "single or double (the default)"));

const struct gf_opt_group gf_opts_color = GF_GROUP(
    NULL, GF_CHOICE("color", color, "channels|luma", colors,
                    "each channel by itself, or one Rec.709 luma (default: luma for fwd's PNG "
                    "and JPEG of magnitude or power, else channels)"));

const struct gf_opt_group gf_opts_half = GF_GROUP(
    NULL, GF_FLAG("half", half, "write only the non-redundant half of a real input's spectrum"));

const struct gf_opt_group gf_opts_edited =
    GF_GROUP(NULL, GF_FLAG("edited", edited,
                           "IN was changed after gpufft wrote it: use its record all the same, and "
                           "clip what does not fit"));

const struct gf_opt_group gf_opts_wavelet =
    GF_GROUP(NULL, GF_ROWS("wavelet", wavelet, gf_dwt_rows));

const struct gf_opt_group gf_opts_levels =
    GF_GROUP(NULL, GF_ROWS("levels boundary threshold", wavelet, gf_dwt_rows));

const struct gf_opt_group gf_opts_list =
    GF_GROUP("Input",
             GF_FLAG("recursive", recursive, "of a folder take the folders in it too",
                     .letter = 'r', .inert = true),
             GF_TEXT("files-from", files_from, "FILE",
                     "read names of inputs from FILE, one per line; - is stdin", .inert = true),
             GF_TEXT("files0-from", files0_from, "FILE",
                     "the same, with a zero byte after each name", .inert = true));

const struct gf_opt_group gf_opts_frames = GF_GROUP(
    NULL, GF_FLAG("frames", frames, "take the inputs, in order, as the planes of one volume"),
    GF_CHOICE("nan", nan, "WAY", nans,
              "refuse NaN and Inf (default), or replace them: zero, mean, interpolate (from their "
              "surroundings in the plane) or keep (the same, and filter makes them NaN again)"));

const struct gf_opt_group gf_opts_raw =
    GF_GROUP("Raw files",
             GF_PARSED("shape", 0, "DxHxW", parse_shape,
                       "read IN as raw samples of this shape, slowest axis first (needs --type)"),
             GF_CHOICE("type", type, "TYPE", types,
                       "type of raw samples: u8 i8 u16 i16 u32 i32 f32 f64 c64 c128"),
             GF_CHOICE("endian", big_endian, "little|big", endians,
                       "byte order of raw samples (default: little)"),
             GF_CHOICE("channels", channels_last, "last", places,
                       "take the last axis of a .npy or raw file as colour"),
             GF_PARSED("skip", GF_AT(offset), "BYTES", parse_skip,
                       "bytes to skip before the first raw sample"),
             GF_PARSED("select", 0, "LIST", parse_select,
                       "read only these pages: t=0:10,c=1 by the names of the file's axes"),
             GF_PARSED("pixel", 0, "LENGTH", parse_pixel,
                       "the distance of samples, as in 1.06A; 3,1,1um: slowest axis first"));

static const char *backend_name(int i) {
    return i == 0 ? "auto" : gf_backends[i - 1] ? gf_backends[i - 1]->name : NULL;
}

/* Options of commands that run on any backend; `backends` and `devices` end two texts if several
 * can share the work. */
#define COMPUTE_ROWS(backends, devices) \
    GF_TEXT("backend", backend, "NAME", \
            "a backend that `gpufft devices` lists, or auto (default), which picks a GPU where " \
            "that is faster" backends, \
            .letter = 'b', .known = backend_name), \
        GF_TEXT("device", device, "N|NAME", \
                "a device, by number or part of its name; auto then picks its backend (default: " \
                "GPUFFT_DEVICE, or the first)" devices, \
                .own = true), \
        GF_PARSED("max-device-memory", GF_AT(max_device_memory), "SIZE", gf_opt_parse_memory, \
                  "a GPU's memory to use; larger arrays pass through it in parts (default: what " \
                  "is free)", \
                  .own = true), \
        GF_INTEGER("threads", threads, "N", 1, 4096, \
                   "CPU threads (default: OMP_NUM_THREADS, or all)", .inert = true), \
        GF_CHOICE("fftw-plan", fftw_plan, "NAME", gf_fftw_plans, \
                  "how long FFTW plans: estimate (default), measure or patient"), \
        GF_PLAN_ROW, GF_NEGATE("tune", tune, "ignore what `gpufft tune` measured")

const struct gf_opt_group gf_opts_backend = GF_GROUP(
    "Backend", COMPUTE_ROWS("; all, or a list such as cuda:0,cuda:1,openmp, shares the work",
                            "; all, or a list such as 0,1, shares the work"));
const struct gf_opt_group gf_opts_one_backend = GF_GROUP("Backend", COMPUTE_ROWS("", ""));

const struct gf_opt_group gf_opts_memory =
    GF_GROUP("Run", GF_PARSED("max-memory", GF_AT(max_memory), "SIZE", gf_opt_parse_memory,
                              "refuse work that needs more memory, e.g. 4G (default: what is free)",
                              .inert = true));

static const char *const mpi_choices[] = {"auto", "on", "off", NULL}; /* as enum gf_mpi */

const struct gf_opt_group gf_opts_mpi = GF_GROUP(
    NULL,
    GF_CHOICE("mpi", mpi, "auto|on|off", mpi_choices,
              "which of the processes that mpirun or srun started prints: the first (default), or "
              "with off each",
              .inert = true));

const struct gf_opt_group gf_opts_peer = GF_GROUP(
    NULL, GF_NEGATE("peer", peer,
                    "devices that share a transform exchange it through the host's memory"));

static const char *const deals[] = {"fixed", "dynamic", NULL}; /* as enum gf_deal_rule */

const struct gf_opt_group gf_opts_run = GF_GROUP(
    "Run",
    GF_CHOICE("deal", deal, "fixed|dynamic", deals,
              "how several devices share the work: in shares fixed before it begins (default), or "
              "as fast as each turns out to be"),
    GF_INTEGER("jobs", jobs, "N", 1, 256,
               "pictures to process concurrently (default: one per CPU thread)", .letter = 'j',
               .inert = true),
    GF_CHOICE("mpi", mpi, "auto|on|off", mpi_choices,
              "whether processes that mpirun or srun started are one run (default: auto)",
              .inert = true),
    GF_FLAG("dry-run", dry_run, "print what would be read and written, and do nothing else",
            .letter = 'n', .inert = true),
    GF_FLAG("resume", resume, "skip inputs whose outputs exist, made from them with these options",
            .inert = true),
    GF_FLAG("force", force, "process all inputs, even with --resume", .inert = true),
    GF_PARSED("max-memory", GF_AT(max_memory), "SIZE", gf_opt_parse_memory,
              "memory for all concurrent pictures together, e.g. 4G (default: what is free)",
              .inert = true));

const struct gf_opt_group gf_opts_scratch = GF_GROUP(
    NULL, GF_TEXT("scratch", scratch, "DIR|auto",
                  "transform what does not fit memory through a file in this folder; auto: "
                  "beside the output",
                  .inert = true));

/* `what`: the text of --json; `more`: that of --verbose. */
#define REPORT_ROWS(what, more) \
    GF_FLAG("json", json, what, .inert = true), \
        GF_FLAG("quiet", quiet, "print failures only", .letter = 'q', .inert = true), \
        GF_FLAG("verbose", verbose, more, .letter = 'v', .inert = true), \
        GF_FLAG("help", help, "print the options and examples", .letter = 'h', .inert = true)

const struct gf_opt_group gf_opts_report = GF_GROUP(
    NULL, REPORT_ROWS("print one line of JSON per file on stdout",
                      "print the backend, why it was chosen, and how long each phase took"));
const struct gf_opt_group gf_opts_common =
    GF_GROUP("General", REPORT_ROWS("print JSON instead of text", "print more"));
