/* The options of a filter: their rows, the parsers of their values, questions about them. */
#include "core/op/filter/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "core/base/value/status.h"
#include "core/base/value/unit.h"

#define GF_AT(field) offsetof(struct gf_filter_options, field)

/* ---- questions ---- */

bool gf_filter_makes_table(const struct gf_filter_options *o) {
    bool has = false;
    for (int i = 0; i < o->n_parts; i++)
        has = has || o->part[i].what >= GF_KERNEL;
    return has;
}

const struct gf_filter_part *gf_filter_psf(const struct gf_filter_options *o) {
    for (int i = 0; i < o->n_parts; i++)
        if (o->part[i].what >= GF_PSF)
            return &o->part[i];
    return NULL;
}

bool gf_filter_iterates(const struct gf_filter_options *o) {
    return gf_filter_psf(o) && o->restore.iterations != 0;
}

bool gf_filter_measures(const struct gf_filter_options *o) {
    return gf_filter_psf(o) && o->restore.iterations == 0 && !(o->restore.regularize > 0);
}

bool gf_filter_looks(const struct gf_filter_options *o) {
    return gf_filter_searches(o) || o->destripe || o->paints;
}

bool gf_filter_searches(const struct gf_filter_options *o) {
    return o->auto_notch || o->descreen.on;
}

int gf_filter_check_file(const struct gf_filter_part *p) {
    return p->refused ? gf_fail(GF_ENOMEM, "'%.400s' %s", p->text, p->refused) : 0;
}

int gf_filter_check(struct gf_filter_options *f, bool others) {
    const bool psf = gf_filter_psf(f), tikhonov = f->restore.regularize > 0;
    const bool iterates = f->restore.iterations != 0, noise = f->restore.noise != 0;
    const bool offset = f->offset != 0 || f->offset_unit == GF_OFFSET_MID;
    /* Richardson-Lucy is no factor of a spectrum, so that nothing can be one beside it. */
    const bool beside = f->n_parts > 1 || offset || others;
    const char *why =
        !psf && (iterates || tikhonov || noise)
            ? "--iterations, --regularize and --noise belong to --deconvolve"
        : f->dpi > 0 && !(f->descreen.lpi > 0)
            ? "--dpi belongs to --descreen=Nlpi; --pixel gives the distance of samples"
        : psf && (gf_filter_searches(f) || f->destripe || f->paints)
            ? "--deconvolve does not go with --auto-notch, --descreen, --destripe or --paint; "
              "remove periodic noise first"
        : tikhonov && (iterates || noise) ? "--regularize excludes --iterations and --noise"
        : f->restore.iterations > 0 && noise
            ? "--noise ends --iterations=auto, not a number of iterations"
        : iterates && beside
            ? "--iterations excludes other filters, --mask-out, --offset, --color=luma and "
              "--precision=double; filter its result"
            : NULL;
    if (f->edges < 0 && !psf)
        f->edges = GF_EDGES_PERIODIC;
    return why ? gf_fail(GF_EUSAGE, "%s", why) : 0;
}

/* ---- values ---- */

enum { MAX_FIELDS = 6, DEFAULT_NOTCHES = 24 };

static const double MOST_PERCENT = 200 * GF_MOST_CYCLES;

#define RADIUS \
    "a period in samples (20px), cycles a sample (0.05c), bins, per cent of Nyquist (50%%) or, " \
    "for a known distance of " \
    "samples, " \
    "a period or a frequency (10A, 0.3/mm)"

/* The text between two commas. */
struct field {
    const char *text;
    size_t length;
};

static int split(const char *value, struct field field[MAX_FIELDS + 1]) {
    int n = 0;
    for (;; value++) {
        size_t length = strcspn(value, ",");
        field[n++] = (struct field){value, length};
        value += length;
        if (!*value || n > MAX_FIELDS)
            return n;
    }
}

/* Parses a field that is a number followed by `suffix` characters. */
static bool parse_number(const struct field *f, size_t suffix, double *out) {
    char *end;
    *out = strtod(f->text, &end);
    return f->length > suffix && end == f->text + f->length - suffix && *f->text != ' ';
}

static int wrong_form(const struct gf_filter_part *p) {
    static const char *const forms[] = {"R[,PROFILE]", "R[,PROFILE]", "R1,R2[,PROFILE]",
                                        "R1,R2[,PROFILE]", "X,Y[,Z],R[,PROFILE]"};
    return gf_fail(GF_EUSAGE,
                   "--%s cannot be '%.60s'; it is %s, PROFILE one of " GF_PROFILE_NAMES
                   "R in " RADIUS,
                   p->option, p->text, forms[p->what]);
}

/* Parses "10A" or "10 A", a period, or "0.3/mm", a frequency; false for anything else. */
static bool parse_length(const struct field *f, struct gf_radius *out) {
    char *end;
    out->value = strtod(f->text, &end);
    if (end == f->text || !isfinite(out->value))
        return false;
    end += strspn(end, " ");
    out->unit = *end == '/' ? GF_PER_LENGTH : GF_PERIOD;
    gf_unit_copy(end + (*end == '/'), ',', out->name);
    out->unit_value = gf_unit_value(out->name, &out->kind);
    return out->unit_value > 0;
}

/* Parses a distance from the zero frequency in any unit; 20px is a period of 20 samples. */
static bool parse_distance(const struct field *f, struct gf_radius *out) {
    const char last = f->length ? f->text[f->length - 1] : 0;
    if (parse_length(f, out))
        return true;
    if (last == 'x' && f->length > 2 && f->text[f->length - 2] == 'p') {
        const bool valid = parse_number(f, 2, &out->value) && fabs(out->value) > 0;
        out->unit = GF_CYCLES;
        out->value = 1 / out->value;
        return valid;
    }
    out->unit = last == 'c' ? GF_CYCLES : last == '%' ? GF_NYQUIST : GF_BINS;
    return parse_number(f, out->unit != GF_BINS, &out->value);
}

bool gf_radius_parse(const char *text, struct gf_radius *out) {
    return parse_distance(&(struct field){text, strlen(text)}, out);
}

static int parse_radius(const struct gf_filter_part *p, const struct field *f,
                        struct gf_radius *out) {
    if (!parse_distance(f, out))
        return wrong_form(p);
    double most = out->unit == GF_CYCLES    ? GF_MOST_CYCLES
                  : out->unit == GF_NYQUIST ? MOST_PERCENT
                                            : HUGE_VAL;
    if (out->value > 0 && out->value <= most && isfinite(out->value))
        return 0;
    return gf_fail(
        GF_EUSAGE,
        "--%s=%.60s: a radius is above 0 bins, up to 0.866c (cycles a sample) or 173.2%% "
        "of Nyquist, the corner of a volume",
        p->option, p->text);
}

/* Parses the order after the colon of a profile that has one. */
static int parse_order(const struct field *f, const char *name, struct gf_filter_part *p) {
    const size_t prefix = strcspn(name, ":") + 1;
    char *end = NULL;
    const long order = f->length > prefix ? strtol(f->text + prefix, &end, 10) : 0;
    if (end != f->text + f->length || order < 1 || order > GF_MAX_ORDER)
        return gf_fail(GF_EUSAGE, "--%s=%.60s: it is %s with N from 1 to %d", p->option, p->text,
                       name, GF_MAX_ORDER);
    p->order = (int)order;
    return 0;
}

static int parse_profile(const struct field *f, struct gf_filter_part *p) {
    for (int i = 0; i < GF_N_PROFILES; i++) {
        const char *name = gf_filter_profiles[i];
        const size_t length = strcspn(name, ":");
        p->profile = (enum gf_profile)i;
        if (f->length < length || strncmp(f->text, name, length))
            continue;
        if (name[length])
            return parse_order(f, name, p);
        if (f->length == length)
            return 0;
    }
    return gf_fail(GF_EUSAGE, "--%s=%.60s: a profile is one of " GF_PROFILE_NAMES "not '%.*s'",
                   p->option, p->text, (int)f->length, f->text);
}

/* Adds a part of the kind that the row's `low` names. */
static int add_part(const struct gf_opt *o, const char *text, struct gf_filter_options *f,
                    struct gf_filter_part **out) {
    if (f->n_parts == GF_MAX_PARTS)
        return gf_fail(GF_EUSAGE, "more than %d filters in one run", GF_MAX_PARTS);
    f->paints = f->paints || o->low == GF_PAINT;
    *out = &f->part[f->n_parts++];
    **out = (struct gf_filter_part){
        .what = (enum gf_filter_what)o->low, .option = o->name, .text = text};
    return 0;
}

/* The last field is a profile if it begins with a letter that begins no number. */
static int parse_part(const struct gf_opt *o, const char *value, void *options) {
    const bool coordinates = o->low == GF_NOTCH;
    const int radii = o->low == GF_BANDPASS || o->low == GF_BANDREJECT ? 2 : 1;
    struct field field[MAX_FIELDS + 1];
    struct gf_filter_part *p = NULL;
    int n = split(value, field), rc = add_part(o, value, options, &p);
    const char *last = field[n - 1].text;
    bool said = n > 1 && field[n - 1].length && !strchr("0123456789.+- ", *last) &&
                strncasecmp(last, "nan", 3) && strncasecmp(last, "inf", 3);
    if (rc)
        return rc;
    if (said)
        rc = parse_profile(&field[--n], p);
    p->n_centre = coordinates ? n - radii : 0;
    if (!rc && (coordinates ? p->n_centre < 1 || p->n_centre > GF_MAX_DIMS : n != radii))
        rc = wrong_form(p);
    for (int i = 0; i < p->n_centre && !rc; i++)
        if (!parse_distance(&field[i], &p->centre[i]) || !isfinite(p->centre[i].value) ||
            (p->centre[i].unit == GF_PERIOD && !(fabs(p->centre[i].value) > 0)))
            rc = gf_fail(GF_EUSAGE,
                         "--notch=%.60s: its place is X,Y or X,Y,Z from the centre, in bins or in "
                         "the units of R",
                         p->text);
    for (int i = 0; i < radii && !rc; i++)
        rc = parse_radius(p, &field[p->n_centre + i], &p->radius[i]);
    /* X,Y without R reads as X,R on a line, and is refused if Y is 0 or less. */
    if (rc && p->n_centre == 1 && parse_distance(&field[1], &p->centre[1]))
        rc = gf_fail(GF_EUSAGE,
                     "--notch=%.60s: R is missing; it is X,Y,R, the bin and the radius of what is "
                     "removed around it, e.g. --notch=%.60s,3",
                     p->text, p->text);
    const bool comparable = p->radius[0].unit < GF_PERIOD && p->radius[0].unit == p->radius[1].unit;
    if (!rc && radii == 2 && comparable && p->radius[0].value >= p->radius[1].value)
        rc = gf_fail(GF_EUSAGE, "--%s=%.60s: R1 is not below R2", o->name, value);
    return rc;
}

int gf_radius_print(const struct gf_radius *r, char *text, int n) {
    const char *unit = r->unit == GF_CYCLES ? "c" : r->unit == GF_NYQUIST ? "%" : "";
    return n + snprintf(text + n, GF_OPT_TEXT_SIZE - (size_t)n, "%s%.17g%s%s", n ? "," : "",
                        r->value, r->unit == GF_PER_LENGTH ? "/" : unit,
                        r->unit >= GF_PERIOD ? r->name : "");
}

static const char *const kernels[] = {"gaussian:", "disk:", "motion:", "airy:", "moffat:"};

/* The row's option of part i, if it is the row's. */
static bool print_part(const struct gf_opt *o, const void *options, int i,
                       char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_filter_options *f = options;
    const struct gf_filter_part *p = &f->part[i];
    if (i >= f->n_parts || strcmp(p->option, o->name))
        return false;
    if (p->what > GF_NOTCH) {
        const bool named = p->what != GF_KERNEL && p->what != GF_PSF && !gf_filter_is_shown(p);
        const double second = p->psf.shape == GF_PSF_MOFFAT ? p->psf.power : p->psf.angle;
        const bool two = p->psf.shape == GF_PSF_MOFFAT || p->psf.shape == GF_PSF_MOTION;
        const int n =
            snprintf(text, GF_OPT_TEXT_SIZE, "%s", named ? kernels[p->psf.shape] : p->text);
        if (named)
            snprintf(text + n, GF_OPT_TEXT_SIZE - (size_t)n, two ? "%.17g,%.17g" : "%.17g",
                     p->psf.size, second);
        return true;
    }
    int n = 0;
    for (int k = 0; k < p->n_centre; k++)
        n = gf_radius_print(&p->centre[k], text, n);
    for (int k = 0; k < 1 + (p->what == GF_BANDPASS || p->what == GF_BANDREJECT); k++)
        n = gf_radius_print(&p->radius[k], text, n);
    const char *name = gf_filter_profiles[p->profile];
    const int length = (int)strcspn(name, ":");
    n += snprintf(text + n, GF_OPT_TEXT_SIZE - (size_t)n, ",%.*s", length, name);
    if (name[length])
        snprintf(text + n, GF_OPT_TEXT_SIZE - (size_t)n, ":%d", p->order);
    return true;
}

static int parse_mask(const struct gf_opt *o, const char *value, void *options) {
    struct gf_filter_part *p = NULL;
    return add_part(o, value, options, &p);
}

/* Parses "4" or, for motion and moffat, "15,30". */
static bool parse_psf(const char *text, double most, struct gf_psf *psf) {
    struct field field[MAX_FIELDS + 1];
    const bool moffat = psf->shape == GF_PSF_MOFFAT, two = moffat || psf->shape == GF_PSF_MOTION;
    double second = 0;
    if (split(text, field) != 1 + two || !parse_number(&field[0], 0, &psf->size) ||
        !(psf->size > 0 && psf->size <= most) || !isfinite(psf->size) ||
        (two && !parse_number(&field[1], 0, &second)))
        return false;
    *(moffat ? &psf->power : &psf->angle) = second;
    return isfinite(second) && (!moffat || (second > 1 && second <= GF_PSF_MOST));
}

int gf_filter_refuse_kernel(const char *option, const char *value) {
    return gf_opt_refuse(&(struct gf_opt){.name = option}, value,
                         "it is a picture's file, gaussian:S, disk:R, motion:LENGTH,ANGLE, airy:R "
                         "or moffat:R,B, with S, R and LENGTH in pixels, above 0 and up to 200, "
                         "and B above 1");
}

/* A kernel's name and numbers, or a file. */
static int parse_kernel(const struct gf_opt *o, const char *value, void *options) {
    struct gf_filter_part *p = NULL;
    int k = 0;
    while (k <= GF_PSF_MOFFAT && strncmp(value, kernels[k], strlen(kernels[k])))
        k++;
    struct gf_psf psf = {.shape = (enum gf_psf_shape)k};
    const bool undoes = o->low == GF_PSF, named = k <= GF_PSF_MOFFAT;
    if (undoes && gf_filter_psf(options))
        return gf_fail(GF_EUSAGE, "--deconvolve is given once");
    const double most = undoes || k != GF_PSF_GAUSSIAN ? GF_PSF_MOST : HUGE_VAL;
    if (named ? !parse_psf(strchr(value, ':') + 1, most, &psf) : !*value)
        return gf_filter_refuse_kernel(o->name, value);
    int rc = add_part(o, value, options, &p);
    if (rc || !named)
        return rc;
    p->psf = psf;
    p->radius[0].value = psf.size;
    p->what = undoes ? GF_PSF_MADE : k == GF_PSF_GAUSSIAN ? GF_BLUR : GF_KERNEL_MADE;
    return 0;
}

static int parse_auto_notch(const struct gf_opt *o, const char *value, void *count) {
    struct field f = {value, strlen(value)};
    double n = DEFAULT_NOTCHES;
    if (*value && (!parse_number(&f, 0, &n) || !(n >= 1 && n <= GF_MAX_NOTCHES) || n != floor(n)))
        return gf_fail(GF_EUSAGE, "--%s cannot be '%.40s'; it is 1 to %d waves", o->name, value,
                       GF_MAX_NOTCHES);
    *(int *)count = (int)n;
    return 0;
}

static bool print_auto_notch(const struct gf_opt *o, const void *count, int i,
                             char text[GF_OPT_TEXT_SIZE]) {
    (void)o;
    snprintf(text, GF_OPT_TEXT_SIZE, "%d", *(const int *)count);
    return !i && *(const int *)count;
}

/* Parses a period in samples, or rows per inch; without a value any screen. */
static int parse_descreen(const struct gf_opt *o, const char *value, void *options) {
    struct gf_filter_options *f = options;
    struct field field = {value, strlen(value)};
    double number = 0;
    bool px = field.length > 2 && !strcmp(value + field.length - 2, "px");
    bool lpi = field.length > 3 && !strcmp(value + field.length - 3, "lpi");
    bool valid = !*value || ((px || lpi) && parse_number(&field, px ? 2 : 3, &number) &&
                             number > (px ? 2 : 0) && number <= 1e6);
    if (!valid)
        return gf_opt_refuse(
            o, value, "it is the screen's period, above 2px, or its rows an inch, such as 150lpi");
    f->descreen.on = true;
    f->descreen.period = px ? number : 0;
    f->descreen.lpi = lpi ? number : 0;
    return 0;
}

static bool print_descreen(const struct gf_opt *o, const void *options, int i,
                           char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_filter_options *f = options;
    const bool px = f->descreen.period > 0;
    (void)o;
    *text = 0;
    if (px || f->descreen.lpi > 0)
        snprintf(text, GF_OPT_TEXT_SIZE, "%.17g%s", px ? f->descreen.period : f->descreen.lpi,
                 px ? "px" : "lpi");
    return !i && f->descreen.on;
}

static const char *const stripes[] = {"", "auto", "90", "0"}; /* by destripe */

/* The angle is that of the wave, as stats prints it. */
static int parse_destripe(const struct gf_opt *o, const char *value, void *destripe) {
    int i = GF_DESTRIPE_COLUMNS;
    while (i >= 0 && strcmp(value, stripes[i]))
        i--;
    *(int *)destripe = i > GF_DESTRIPE_AUTO ? i : GF_DESTRIPE_AUTO;
    return i >= 0 ? 0
                  : gf_opt_refuse(o, value,
                                  "it is 90 (rows), 0 (columns) or auto; --auto-notch removes "
                                  "waves of any angle");
}

static bool print_destripe(const struct gf_opt *o, const void *destripe, int i,
                           char text[GF_OPT_TEXT_SIZE]) {
    (void)o;
    snprintf(text, GF_OPT_TEXT_SIZE, "%s", stripes[*(const int *)destripe]);
    return !i && *(const int *)destripe;
}

static int parse_offset(const struct gf_opt *o, const char *value, void *options) {
    struct gf_filter_options *f = options;
    struct field field = {value, strlen(value)};
    bool percent = value[field.length - 1] == '%';
    f->offset_unit = percent ? GF_OFFSET_PERCENT : GF_OFFSET_NUMBER;
    if (!strcmp(value, "mid"))
        f->offset_unit = GF_OFFSET_MID;
    else if (!parse_number(&field, percent, &f->offset) || !isfinite(f->offset))
        return gf_opt_refuse(o, value,
                             "it is a number in the samples' unit, a percentage of white such as "
                             "50%, or mid");
    return 0;
}

static bool print_offset(const struct gf_opt *o, const void *options, int i,
                         char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_filter_options *f = options;
    const bool mid = f->offset_unit == GF_OFFSET_MID;
    (void)o;
    snprintf(text, GF_OPT_TEXT_SIZE, mid ? "mid" : "%.17g%s", f->offset,
             f->offset_unit == GF_OFFSET_PERCENT ? "%" : "");
    return !i && (mid || f->offset != 0);
}

/* ---- the rows ---- */

static const char *const edges[] = {"periodic", "mirror", "taper", "smooth", NULL};

const struct gf_opt gf_filter_rows[] = {
    GF_PARSED("lowpass", 0, "R[,PROFILE]", parse_part,
              "keep frequencies up to R; PROFILE is one of " GF_PROFILE_NAMES
              "by default the first",
              .low = GF_LOWPASS, .print = print_part),
    GF_PARSED("highpass", 0, "R[,PROFILE]", parse_part, "keep frequencies above R",
              .low = GF_HIGHPASS, .print = print_part),
    GF_PARSED("bandpass", 0, "R1,R2[,PROFILE]", parse_part, "keep frequencies between R1 and R2",
              .low = GF_BANDPASS, .print = print_part),
    GF_PARSED("bandreject", 0, "R1,R2[,PROFILE]", parse_part,
              "remove frequencies between R1 and R2", .low = GF_BANDREJECT, .print = print_part),
    GF_PARSED("notch", 0, "X,Y[,Z],R[,PROFILE]", parse_part,
              "remove what is within R of X,Y (from the centre, x right, y down, in bins or as R) "
              "and of its mirror image -X,-Y",
              .low = GF_NOTCH, .print = print_part),
    GF_PARSED("auto-notch", GF_AT(auto_notch), "N", parse_auto_notch,
              "find periodic noise in each picture, and remove up to N waves (default: 24), or a "
              "printer's screen",
              .optional = true, .print = print_auto_notch),
    GF_PARSED("descreen", 0, "PERIODpx|Nlpi", parse_descreen,
              "remove a printer's screen, of this period or so many lines an inch",
              .optional = true, .print = print_descreen),
    GF_PARSED("destripe", GF_AT(destripe), "ANGLE|auto", parse_destripe,
              "remove stripes along rows (90) or columns (0); auto (no value): if it shows any",
              .optional = true, .print = print_destripe),
    GF_NUMBER("dpi", dpi, "N", 1000000, "it is samples an inch, such as 600",
              "samples an inch, for --descreen=Nlpi (default: the file's own)"),
    GF_PARSED("mask", 0, "FILE", parse_mask,
              "multiply the centred spectrum by this picture: black is 0, white is 1",
              .low = GF_MASK, .print = print_part),
    GF_PARSED("paint", 0, "FILE", parse_mask,
              "remove what you painted black in FILE, a picture written by `gpufft fwd`",
              .low = GF_PAINT, .print = print_part),
    GF_PARSED("convolve", 0, "KERNEL", parse_kernel,
              "convolve with a picture, scaled to sum 1, or with a blur as of --deconvolve",
              .low = GF_KERNEL, .print = print_part),
    GF_PARSED("deconvolve", 0, "PSF", parse_kernel,
              "undo a blur by PSF: a picture, gaussian:S, disk:R, motion:LENGTH,ANGLE, airy:R or "
              "moffat:R,B, in pixels; by Wiener's filter",
              .low = GF_PSF, .print = print_part),
    GF_NUMBER("noise", restore.noise, "auto|LEVEL", 0,
              "it is auto or a standard deviation in the samples' unit",
              "the noise's standard deviation in the samples' unit (default: auto, measured)",
              .automatic = true),
    GF_NUMBER("regularize", restore.regularize, "L", 0, "it is a weight, such as 0.01",
              "take Tikhonov's filter, with L times the Laplacian, instead of Wiener's"),
    GF_NUMBER("iterations", restore.iterations, "N|auto", 100000, "it is auto or 1 to 100000",
              "take N steps of Richardson and Lucy's method instead of Wiener's filter",
              .automatic = true, .whole = true),
    GF_CHOICE("edges", edges, "NAME", edges,
              "what continues the picture beyond its edges: periodic (default), mirror (default of "
              "--deconvolve, or taper if the blur is not symmetric), taper or smooth"),
    GF_PARSED("offset", 0, "V|P%|mid", parse_offset,
              "add V, P% of white, or mid-grey to the result", .print = print_offset),
    {0}};
