/* Makes the jobs of wavelet transforms from their options. */
#include "core/op/dwt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/job/dwt_shape.h"

enum { DEFAULT_LEVELS = 3 };

static int too_many(int levels, const struct gf_job *job, int most) {
    char size[GF_SHAPE_TEXT];
    return gf_fail(GF_EINVAL, "--levels=%d, and a size of %s allows 1%s%.0d", levels,
                   gf_shape_text(job->shape, job->ndim, size), most > 1 ? " to " : "",
                   most > 1 ? most : 0);
}

void gf_dwt_take_threshold(const struct gf_dwt_options *o, struct gf_wavelet *w) {
    w->threshold = (enum gf_threshold)o->threshold;
    w->percent = o->percent;
    w->amount = o->amount;
}

int gf_dwt_describe(const struct gf_dwt_options *o, bool chosen, struct gf_job *job) {
    job->op = GF_DWT;
    job->wavelet.name = (enum wavelet)o->name;
    job->wavelet.boundary = o->boundary < 0 ? GF_PERIODIC : (enum gf_boundary)o->boundary;
    gf_dwt_take_threshold(o, &job->wavelet);
    /* An axis of one sample cannot be split. Only a picture of a single sample is padded, to
     * two. */
    unsigned longer = 0;
    for (int i = 0; i < job->ndim; i++)
        longer |= job->shape[i] > 1 ? job->axes & 1u << i : 0;
    if (!longer && chosen)
        return gf_fail(GF_EINVAL, "one sample along each axis to transform: nothing to split");
    job->axes = longer ? longer : job->axes;
    const int most = gf_dwt_max_levels(job->ndim, job->shape, job->axes, &job->wavelet);
    if (o->levels > most)
        return too_many(o->levels, job, most);
    job->wavelet.levels = o->levels == GF_MOST_LEVELS ? most
                          : o->levels                 ? o->levels
                          : most < DEFAULT_LEVELS     ? most
                                                      : DEFAULT_LEVELS;
    return 0;
}

/* ---- the options ---- */

static const char *const boundaries[] = {"periodic", "symmetric", "zero", NULL};

#define WAVELET_WORDS(NAME, taps, name, also, alias, what, h) name, also, alias,
#define WAVELET_TEXT(NAME, taps, name, also, alias, what, h) \
    "; " name ", also called " also " and " alias
#define WAVELET_HELP(NAME, taps, name, also, alias, what, h) \
    WAVELET_TEXT(NAME, taps, name, also, alias, what, h) ": " what
static const char *const wavelets[] = {WAVELETS(WAVELET_WORDS) NULL}; /* three each */

/* Parses a wavelet's name; explains one that is mistaken for d4. */
static int parse_wavelet(const struct gf_opt *o, const char *value, void *field) {
    for (int i = 0; wavelets[i]; i++)
        if (!strcasecmp(value, wavelets[i])) {
            *(int *)field = i / 3;
            return 0;
        }
    if (!strcasecmp(value, "db4"))
        return gf_fail(GF_EUSAGE,
                       "--wavelet=db4 has eight taps; the one with four taps is d4, also "
                       "called w4 and db2");
    return gf_fail(GF_EUSAGE, "no %s '%.40s'; there is %s", o->name, value,
                   &WAVELETS(WAVELET_TEXT)[2]);
}

static bool print_wavelet(const struct gf_opt *o, const void *field, int i,
                          char text[GF_OPT_TEXT_SIZE]) {
    (void)o;
    snprintf(text, GF_OPT_TEXT_SIZE, "%s", wavelets[3 * *(const int *)field]);
    return !i && *(const int *)field;
}

static int parse_levels(const struct gf_opt *o, const char *value, void *field) {
    char *end;
    errno = 0;
    long v = strtol(value, &end, 10);
    if (!strcmp(value, "max"))
        v = GF_MOST_LEVELS;
    else if (errno || end == value || *end || v < 1 || v > GF_MAX_LEVELS)
        return gf_fail(GF_EUSAGE, "--%s cannot be '%.40s'; it is 1 to %d, or max", o->name, value,
                       GF_MAX_LEVELS);
    *(int *)field = (int)v;
    return 0;
}

static bool print_levels(const struct gf_opt *o, const void *field, int i,
                         char text[GF_OPT_TEXT_SIZE]) {
    const int levels = *(const int *)field;
    (void)o;
    snprintf(text, GF_OPT_TEXT_SIZE, levels == GF_MOST_LEVELS ? "max" : "%d", levels);
    return !i && levels;
}

static int parse_threshold(const struct gf_opt *o, const char *value, void *field) {
    struct gf_dwt_options *w = field;
    bool hard = !strncmp(value, "hard:", 5), soft = !strncmp(value, "soft:", 5);
    char *end = NULL;
    double v = hard || soft ? strtod(value + 5, &end) : 0;
    bool percent = end && *end == '%';
    if (!end || end == value + 5 || end[percent] || !isfinite(v) || v < 0 || (percent && v > 100))
        return gf_opt_refuse(
            o, value,
            "it is hard:T, soft:T with T from 0, or hard:K%, soft:K% with K from 0 to 100");
    w->threshold = hard ? GF_HARD : GF_SOFT;
    w->percent = percent;
    w->amount = v;
    return 0;
}

static bool print_threshold(const struct gf_opt *o, const void *field, int i,
                            char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_dwt_options *w = field;
    (void)o;
    snprintf(text, GF_OPT_TEXT_SIZE, "%s:%.17g%s", w->threshold == GF_HARD ? "hard" : "soft",
             w->amount, w->percent ? "%" : "");
    return !i && w->threshold != GF_KEEP_ALL;
}

const struct gf_dwt_options gf_dwt_defaults = {.boundary = -1};

#define GF_AT(field) offsetof(struct gf_dwt_options, field)

const struct gf_opt gf_dwt_rows[] = {
    GF_PARSED("wavelet", GF_AT(name), "NAME", parse_wavelet, &WAVELETS(WAVELET_HELP)[2],
              .choices = wavelets, .print = print_wavelet),
    GF_PARSED("levels", GF_AT(levels), "N|max", parse_levels,
              "how many times to split the approximation; max: as often as the size allows "
              "(default: 3, or fewer where the size requires it)",
              .print = print_levels),
    GF_CHOICE("boundary", boundary, "NAME", boundaries,
              "how a line continues beyond its ends: periodic (default), symmetric or zero"),
    GF_PARSED("threshold", 0, "RULE", parse_threshold,
              "hard:T or soft:T removes details below T; hard:K% or soft:K% keeps the largest K%",
              .print = print_threshold),
    {0}};

/* ---- the operations ---- */

/* Makes the axes those of the option, negative ones counted from the end: unlike others, axes of one
 * sample that are named are split. */
static int take_axes(const char *text, struct gf_job *job) {
    unsigned axes = 0;
    for (const char *p = text;; p++) {
        char *end;
        const long v = strtol(p, &end, 10), axis = v < 0 ? v + job->ndim : v;
        if (end == p || (*end && *end != ',') || axis < 0 || axis >= job->ndim || axes >> axis & 1)
            return gf_fail(GF_EINVAL, "axes=%.40s: it is a list of axes from 0 to %d", text,
                           job->ndim - 1);
        axes |= 1u << axis;
        p = end;
        if (!*end)
            break;
    }
    job->axes = axes;
    return 0;
}

/* Coefficients are fractions, whatever the samples are; samples may be rounded. */
static int describe(struct gf_operation *op) {
    const struct gf_dwt_options *o = op->shared;
    struct gf_output *out = op->job.out;
    if (gf_dtype_is_integer(out->dtype) &&
        (op->job.direction == GF_FORWARD || gf_dtype_is_integer(op->job.in_dtype)))
        out->dtype = op->job.precision == GF_DOUBLE ? GF_F64 : GF_F32;
    int rc = o->axes ? take_axes(o->axes, &op->job) : 0;
    const unsigned axes = op->job.axes;
    if (!rc)
        rc = gf_dwt_describe(o, false, &op->job);
    op->job.axes = o->axes ? axes : op->job.axes;
    return rc;
}

/* The most samples of which the levels make that many coefficients along an axis; 0: none. Of two that
 * differ by one, only the longer is found. */
static int64_t samples_of(int64_t coefficients, const struct gf_wavelet *w) {
    struct gf_dwt_axis axis;
    int64_t low = 0, high = coefficients;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        gf_dwt_axis(middle, true, w->levels, w, &axis);
        if (axis.packed <= coefficients)
            low = middle;
        else
            high = middle - 1;
    }
    gf_dwt_axis(low, true, w->levels, w, &axis);
    return axis.packed == coefficients ? low : 0;
}

static int describe_inverse(struct gf_operation *op) {
    const struct gf_dwt_options *o = op->shared;
    struct gf_job *job = &op->job;
    if (o->levels < 1)
        return gf_fail(GF_EUSAGE, "idwt needs levels=N, those of its coefficients");
    job->direction = GF_INVERSE;
    int rc = describe(op);
    for (int i = 0; i < job->ndim && !rc; i++) {
        const int64_t n = job->axes >> i & 1 ? samples_of(job->shape[i], &job->wavelet) : 1;
        if (!n)
            rc = gf_fail(GF_EINVAL, "no picture has %lld coefficients of %d levels along an axis",
                         (long long)job->shape[i], o->levels);
        else if (job->axes >> i & 1)
            job->shape[i] = n;
    }
    return rc;
}

#define GF_OPERATION(title, steps) \
    { \
        .name = title, \
        .options = {operation_rows, sizeof(struct gf_dwt_options), &gf_dwt_defaults, NULL}, \
        .gives = GF_REAL, .describe = steps \
    }

static const struct gf_opt operation_rows[] = {
    GF_ROW("wavelet levels boundary threshold", GF_OPT_ROWS, 0, .rows = gf_dwt_rows),
    GF_TEXT("axes", axes, "LIST", "axes to transform (default: all with more than one sample)"),
    {0}};
const struct gf_operation_kind gf_operation_dwt = GF_OPERATION("dwt", describe),
                               gf_operation_idwt = GF_OPERATION("idwt", describe_inverse);
