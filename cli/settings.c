/* Defaults and contradictions of options, and their translation for files, backends and the
 * engine. */
#include "cli/settings.h"

#include <omp.h>

#include "cli/environment.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "core/base/host/memory.h"

struct gf_settings gf_settings_default(void) {
    return (struct gf_settings){
        .type = GF_UNSET,
        .channels_last = GF_UNSET,
        .kind = GF_UNSET,
        .clobber = true,
        .write = {.level = -1},
        .display = gf_display_defaults,
        .norm = GF_UNSET,
        .precision = GF_UNSET,
        .color = GF_UNSET,
        .backend = "auto",
        .peer = true,
        .tune = true,
        .plan_transform = GF_UNSET,
        .fftw_plan = GF_UNSET,
        .plan = GF_UNSET,
        .wavelet = gf_dwt_defaults,
        .filter = {.edges = GF_UNSET},
        .stats.find = gf_statistics_defaults,
        .match.find = gf_match_defaults,
        .bench = {.seconds = 0.5},
    };
}

int gf_settings_check(const struct gf_settings *s) {
    if (s->shape.n && s->type == GF_UNSET)
        return gf_fail(GF_EUSAGE, "--shape needs --type, e.g. --type=u8");
    if (!s->shape.n && !s->plan_only && (s->type != GF_UNSET || s->big_endian || s->offset))
        return gf_fail(GF_EUSAGE, "--type, --endian and --skip describe a raw file, which needs "
                                  "--shape");
    if (s->shape.n > 3)
        return gf_fail(GF_EUSAGE, "--shape has %d extents; a raw file has at most 3", s->shape.n);
    if (s->axes.n && s->dims)
        return gf_fail(GF_EUSAGE, "--axes and --dims exclude each other; give one of them");
    if (s->quiet && s->verbose)
        return gf_fail(GF_EUSAGE, "--quiet and --verbose exclude each other");
    if (!s->from_magnitude != !s->from_phase)
        return gf_fail(GF_EUSAGE, "--from-magnitude and --from-phase need each other");
    /* Finds repeated letters and indices; x and -1 are compared once the rank is known. */
    for (int i = 0; i < s->axes.n; i++)
        for (int j = 0; j < i; j++)
            if (s->axes.axis[i].letter == s->axes.axis[j].letter &&
                s->axes.axis[i].index == s->axes.axis[j].index)
                return gf_fail(GF_EUSAGE, "--axes names an axis twice");
    return 0;
}

struct gf_read_options gf_settings_read_options(const struct gf_settings *s) {
    struct gf_read_options o = {
        .channels_last = s->channels_last != GF_UNSET,
        .max_memory = s->max_memory,
        .copies = (s->filter.auto_notch || s->filter.descreen.on || s->filter.destripe) &&
                  !s->write.jpeg_quality,
        .threads = gf_settings_threads(s),
        .n_select = s->n_select,
        .volumes = !s->dims && !s->axes.n,
        .dims = s->dims,
        .edited = s->edited,
        .frames = s->stacked};
    memcpy(o.select, s->select, sizeof o.select);
    for (int i = 0; i < s->axes.n && !s->dims; i++)
        o.volumes = o.volumes || s->axes.axis[i].letter == 'z';
    if (!s->shape.n)
        return o;
    o.raw.ndim = s->shape.n;
    for (int i = 0; i < s->shape.n && i < 3; i++)
        o.raw.shape[i] = s->shape.extent[i];
    o.raw.dtype = (enum gf_dtype)s->type;
    o.raw.big_endian = s->big_endian;
    o.raw.offset = s->offset;
    return o;
}

int gf_settings_threads(const struct gf_settings *s) {
    return s->threads ? s->threads : omp_get_max_threads();
}

struct gf_write_options gf_settings_write_options(const struct gf_settings *s) {
    struct gf_write_options o = s->write;
    o.threads = gf_settings_threads(s);
    strcpy(o.tiff_compression, gf_tiff_compressions[s->tiff_compression]);
    return o;
}

enum gf_precision gf_settings_precision(const struct gf_settings *s, enum gf_dtype dtype) {
    return s->precision != GF_UNSET ? (enum gf_precision)s->precision
                                    : gf_operation_precision(dtype);
}

/* The image's axis that --axes means by a name: a file's, or else x, y, z from the last one. */
static int find_axis(const struct gf_axes *names, int ndim, char letter) {
    for (int i = 0; i < ndim && names; i++) {
        const struct gf_axis *a = gf_axes_spatial(names, ndim, i);
        if (a && a->name[0] == letter && !a->name[1])
            return i;
    }
    return letter < 'x' ? -1 : ndim - 1 - (letter - 'x');
}

int gf_settings_axes(const struct gf_settings *s, const struct gf_axes *names, int ndim,
                     unsigned *axes) {
    *axes = 0;
    if (s->dims > ndim)
        return gf_fail(GF_EINVAL, "--dims=%d, and there %s %d", s->dims,
                       ndim == 1 ? "is only" : "are only", ndim);
    if (!s->axes.n) {
        const bool pages = names && names->named && ndim == 3;
        const int n = s->dims ? s->dims : pages ? 2 : ndim;
        *axes = ((1u << n) - 1) << (ndim - n);
        return 0;
    }
    for (int i = 0; i < s->axes.n; i++) {
        const char letter = s->axes.axis[i].letter;
        int at = s->axes.axis[i].index;
        if (letter)
            at = find_axis(names, ndim, letter);
        else if (at < 0)
            at += ndim;
        else if (names && names->separate && names->n > ndim)
            return gf_fail(GF_EINVAL, "--axes: the array has %d axes; count from the last one: -1",
                           names->n);
        if (at < 0 || at >= ndim) {
            char name[24];
            snprintf(name, sizeof name, letter ? "%c" : "%d",
                     letter ? letter : s->axes.axis[i].index);
            if (letter && names && names->n > ndim && !gf_axes_spatial(names, ndim, 0))
                return gf_fail(GF_EINVAL,
                               "--axes: no axis %s by itself: the pages have several; "
                               "leave one index of the others by --select",
                               name);
            return gf_fail(GF_EINVAL, "--axes: no axis %s; there %s %d", name,
                           ndim == 1 ? "is" : "are", ndim);
        }
        if (*axes >> at & 1)
            return gf_fail(GF_EINVAL, "--axes names an axis twice");
        *axes |= 1u << at;
    }
    return 0;
}

/* Gives an axis another spacing, also in a header that is kept, if that has one of the same kind. */
static void respace(struct gf_image *image, struct gf_axis *a, double spacing, const char *unit) {
    struct gf_metadata *m = &image->metadata;
    const struct gf_format *f = m->header ? gf_format_by_name(m->header_format) : NULL;
    char kind = 0, was = 0;
    const double by =
        spacing * gf_unit_value(unit, &kind) / (a->spacing * gf_unit_value(a->unit, &was));
    if (f && f->scale && a->spacing > 0 && kind == was && strchr("xyz", *a->name))
        f->scale(m, *a->name - 'x', by);
    a->spacing = spacing;
    snprintf(a->unit, sizeof a->unit, "%s", unit);
}

int gf_settings_pixel(const struct gf_settings *s, struct gf_image *image) {
    struct gf_axes *axes = &image->axes;
    const int n = s->pixel.n, ndim = image->ndim;
    int space = 0;
    if (!n)
        return 0;
    axes->oblique = false;
    for (int i = axes->n ? ndim : 0; i < ndim; i++) {
        const char name[2] = {(char)('x' + i), 0};
        gf_axes_add(axes, name, image->px.shape[ndim - 1 - i], 0, "");
    }
    for (int i = axes->n - 1; i >= 0; i--) {
        struct gf_axis *a = &axes->axis[i];
        if (a->role != GF_SPACE || (n > 1 && space == n))
            continue;
        respace(image, a, s->pixel.spacing[n == 1 ? 0 : n - 1 - space], s->pixel.unit);
        space++;
    }
    return n == 1 || space == n ? 0
                                : gf_fail(GF_EINVAL, "--pixel: %d spacings, and there %s %d", n,
                                          space == 1 ? "is" : "are", space);
}

/* ---- backends and the engine ---- */

struct gf_backend_options gf_backend_options_of(const struct gf_settings *s) {
    return (struct gf_backend_options){
        .environment = gf_environment(),
        .threads = s->threads,
        .device = s->device ? s->device : gf_environment_device(),
        .device_memory = s->max_device_memory,
        .plan = s->plan == 1               ? GF_PLAN_MEASURE
                : s->plan == 0 || !s->tune ? GF_PLAN_ESTIMATE
                                           : GF_PLAN_KEPT,
        .fftw_plan = s->fftw_plan == GF_UNSET ? NULL : gf_fftw_plans[s->fftw_plan],
    };
}

int gf_settings_request(struct gf_settings *s) {
    return gf_request_find(gf_environment(), &s->request, s->backend, s->device);
}

static void note(void *user, const char *line) {
    (void)user;
    gf_log_note("%s", line);
}

int gf_settings_engine(const struct gf_settings *s, enum gf_engine_use use,
                       struct gf_engine **engine) {
    struct gf_engine_options o = {
        .request = &s->request,
        .use = use,
        .dynamic = s->deal == GF_DEAL_DYNAMIC,
        .open = gf_backend_options_of(s),
        .device_variable = "GPUFFT_DEVICE",
        .untuned = !s->tune,
        .ends = true,
        .memory_limit = s->max_memory ? s->max_memory : gf_memory_available(),
        .note = note,
    };
    if (s->device || s->assume) /* the request names it */
        o.open.device = NULL;
    o.open.general = true; /* files of many sizes, unlike a caller's arrays */
    o.open.no_peer = !s->peer;
    o.open.dry = s->plan_only;
    o.open.compiling = gf_progress_compiling;
    return gf_engine_open(engine, &o);
}
