/* The options' defaults, contradictions among them, and their meaning for other parts. */
#include "cli/settings.h"

#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "core/base/status.h"

struct gf_settings gf_settings_default(void) {
    return (struct gf_settings){
        .type = GF_UNSET,
        .channels_last = GF_UNSET,
        .kind = GF_UNSET,
        .clobber = true,
        .write = {.level = -1},
        .shift = GF_UNSET,
        .scale = GF_UNSET,
        .range = {.which = GF_RANGE_AUTO},
        .norm = GF_UNSET,
        .precision = GF_UNSET,
        .backend = "auto",
        .peer = true,
        .tune = true,
        .plan_transform = GF_UNSET,
        .fftw_plan = GF_UNSET,
        .plan = GF_UNSET,
        .wavelet = {.boundary = GF_UNSET},
        .stats = {.peaks = 5},
        .demo = {.page = GF_UNSET},
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
    /* Repeated letters and indices are found without a file; x and -1 once its rank is known. */
    for (int i = 0; i < s->axes.n; i++)
        for (int j = 0; j < i; j++)
            if (s->axes.axis[i].letter == s->axes.axis[j].letter &&
                s->axes.axis[i].index == s->axes.axis[j].index)
                return gf_fail(GF_EUSAGE, "--axes names an axis twice");
    return 0;
}

struct gf_read_options gf_settings_read_options(const struct gf_settings *s) {
    struct gf_read_options o = {.channels_last = s->channels_last != GF_UNSET,
                                .max_memory = s->max_memory,
                                .copies = (s->filter.auto_notch || s->filter.descreen.on) &&
                                          !s->write.jpeg_quality,
                                .threads = gf_settings_threads(s)};
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
#ifdef _OPENMP
    return s->threads ? s->threads : omp_get_max_threads();
#else
    return s->threads ? s->threads : 1;
#endif
}

struct gf_write_options gf_settings_write_options(const struct gf_settings *s) {
    struct gf_write_options o = s->write;
    o.threads = gf_settings_threads(s);
    strcpy(o.tiff_compression, gf_tiff_compressions[s->tiff_compression]);
    return o;
}

int gf_settings_axes(const struct gf_settings *s, int ndim, unsigned *axes) {
    *axes = 0;
    if (s->dims > ndim)
        return gf_fail(GF_EINVAL, "--dims=%d, and there %s %d", s->dims,
                       ndim == 1 ? "is only" : "are only", ndim);
    if (!s->axes.n) {
        int n = s->dims ? s->dims : ndim;
        *axes = ((1u << n) - 1) << (ndim - n);
        return 0;
    }
    for (int i = 0; i < s->axes.n; i++) {
        char letter = s->axes.axis[i].letter;
        int at = s->axes.axis[i].index;
        if (letter)
            at = ndim - 1 - (letter - 'x');
        else if (at < 0)
            at += ndim;
        if (at < 0 || at >= ndim) {
            if (letter)
                return gf_fail(GF_EINVAL, "--axes: no axis %c; there %s %d", letter,
                               ndim == 1 ? "is" : "are", ndim);
            return gf_fail(GF_EINVAL, "--axes: no axis %d; there %s %d", s->axes.axis[i].index,
                           ndim == 1 ? "is" : "are", ndim);
        }
        if (*axes >> at & 1)
            return gf_fail(GF_EINVAL, "--axes names an axis twice");
        *axes |= 1u << at;
    }
    return 0;
}
