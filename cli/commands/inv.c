/* gpufft inv: spectra back to pictures. */

#include <stdlib.h>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/batch/describe.h"

/* A smaller imaginary part of a foreign spectrum's inverse is rounding noise. */
static const double IMAG_RATIO = 1e-5;

static int refuse_picture(const struct gf_image *image) {
    return gf_fail(GF_EINVAL,
                   "%s samples, not a complex spectrum: a magnitude without its phase cannot be "
                   "inverted; take a --kind=complex file, or --from-magnitude=F --from-phase=F",
                   gf_dtype_name(image->px.dtype));
}

static int check_input(const struct gf_task *t, const struct gf_record *r) {
    if (r && r->is_wavelet)
        return gf_fail(GF_EINVAL, "wavelet coefficients, not a spectrum; gpufft idwt inverts them");
    return gf_dtype_is_complex(t->image.px.dtype) ? 0 : refuse_picture(&t->image);
}

static int check_options(struct gf_task *t, const struct gf_record *r) {
    const struct gf_settings *s = t->s;
    const struct gf_job *job = &t->op.job;
    if (s->norm != GF_UNSET && s->norm != (int)job->norm)
        return gf_fail(GF_EINVAL, "its record has norm %s, not %s", gf_norm_name(job->norm),
                       gf_norm_name((enum gf_norm)s->norm));
    if (s->display.shift != GF_UNSET && s->display.shift != job->in_shift)
        return gf_fail(GF_EINVAL, "its record has the zero frequency in the %s",
                       job->in_shift ? "centre" : "corner");
    if (s->halved &&
        (!job->in_half || (s->halved > 0 && s->halved != job->shape[gf_job_half_axis(job)])))
        return gf_fail(GF_EINVAL, "its record has a %s spectrum%s", job->in_half ? "half" : "full",
                       job->in_half ? " of another size than --half" : "");
    return s->from_magnitude || r->kind == GF_COMPLEX ? 0 : refuse_picture(&t->image);
}

/* Takes the last transformed axis as the half that NumPy's rfftn() leaves of it. */
static int take_half(struct gf_task *t) {
    struct gf_job *job = &t->op.job;
    const int axis = gf_job_half_axis(job);
    const int64_t bins = job->shape[axis], n = t->s->halved > 0 ? t->s->halved : 2 * (bins - 1);
    if (n / 2 + 1 != bins || n < 1)
        return gf_fail(GF_EINVAL, "its halved axis has %lld bins: --half=%lld or %lld",
                       (long long)bins, (long long)gf_max(2 * bins - 2, 1),
                       2 * (long long)bins - 1);
    job->in_half = true;
    job->shape[axis] = n;
    return 0;
}

/* Without a record: a full spectrum, norm backward, unshifted; a pair of pictures is centred, and so
 * are IMOD's spectra, which have norm ortho. */
static int guess_job(struct gf_task *t) {
    const struct gf_settings *s = t->s;
    struct gf_job *job = &t->op.job;
    job->channels = t->image.px.shape[job->ndim];
    const bool imod = s->halved && t->image.centred_half;
    job->norm = s->norm != GF_UNSET ? (enum gf_norm)s->norm
                : imod              ? GF_NORM_ORTHO
                                    : GF_NORM_BACKWARD;
    job->in_shift = s->display.shift == GF_UNSET ? s->from_magnitude || imod : s->display.shift;
    gf_task_split(t, &t->image.px, job->channels);
    int rc = gf_settings_axes(s, &t->image.axes, job->ndim, &job->axes);
    if (!rc && imod)
        gf_log_note(
            "'%s': half a spectrum as IMOD writes it: norm %s, the zero frequency in the %s row",
            gf_log_name(t->read[0]), gf_norm_name(job->norm), job->in_shift ? "middle" : "first");
    return rc || !s->halved ? rc : take_half(t);
}

static int prepare(struct gf_task *t) {
    static const struct gf_inverse how = {check_input, check_options, guess_job};
    int rc = gf_task_prepare_inverse(t, &how);
    t->op.job.real = true;
    for (int i = 0; i < t->op.job.n_out; i++)
        t->op.job.real = t->op.job.real && t->product[i].kind == GF_REAL;
    return rc;
}

/* Prints a note if the record says that the spectrum is not that of the picture's own samples. */
static void note_window(const struct gf_task *t) {
    char window[GF_WINDOW_TEXT];
    struct gf_record r;
    if (t->image.record && !gf_record_parse(t->image.record, &r) && r.version == GF_RECORD_WINDOW)
        gf_log_note("'%s': the picture is restored as it was transformed: window %s, %s edges",
                    gf_log_name(t->read[0]), gf_window_text(&r.window, window),
                    r.smooth ? "smooth" : "periodic");
}

/* Reports a lost imaginary part and samples that do not fit the type. */
static int check(struct gf_task *t) {
    const struct gf_report *report = &t->op.report;
    bool lossy = t->op.job.real && !t->op.job.in_half && report->imag_ratio >= IMAG_RATIO;
    if (lossy && !t->image.record && t->s->kind == GF_UNSET && !t->s->further[GF_REAL])
        return gf_fail(GF_EINVAL, "the inverse is complex (imaginary to real part: %.2g); give %s",
                       report->imag_ratio,
                       t->image.centred_half
                           ? "--half, as IMOD writes half a spectrum"
                           : "--kind=real to write the real part, another --kind, or --half if the "
                             "file is half a spectrum");
    int rc = gf_task_check_restored(t);
    if (rc)
        return rc;
    if (lossy && t->image.record)
        gf_log_note("'%s': the spectrum is not that of a real picture any more (imaginary to real "
                    "part: %.2g); the real part is written",
                    gf_log_name(t->read[0]), report->imag_ratio);
    note_window(t);
    return 0;
}

const struct gf_task_hooks gf_hooks_inverse = {
    .name = "inv",
    .default_kind = GF_REAL,
    .prepare = prepare,
    .check = check,
};

static const struct gf_opt_group kind_group = GF_GROUP(
    NULL,
    GF_CHOICE("kind", kind, "KIND", gf_kind_names,
              "what --out holds: magnitude, phase, power, real, imag or complex (default: real, or "
              "complex if the picture was)"));

static const struct gf_opt_group pair_group = GF_GROUP(
    "Instead of IN",
    GF_TEXT("from-magnitude", from_magnitude, "FILE",
            "invert this float magnitude picture, with the phase of --from-phase", .inert = true),
    GF_TEXT("from-phase", from_phase, "FILE",
            "the float phase picture that belongs to --from-magnitude", .inert = true));

static const struct gf_opt_group shift_group = GF_GROUP(
    NULL,
    GF_CHOICE3("shift", display.shift,
               "the zero frequency of IN is in the centre (default: as recorded; without a record "
               "no, but yes for --from-magnitude)"));

static int parse_half(const struct gf_opt *o, const char *value, void *field) {
    char *end;
    const long long n = strtoll(value, &end, 10);
    if (*value && (*end || n < 1 || n > INT64_MAX / 4))
        return gf_opt_refuse(o, value, "it is a whole number from 1");
    *(int64_t *)field = *value ? n : -1;
    return 0;
}

static const struct gf_opt_group half_group = GF_GROUP(
    NULL, GF_PARSED("half", GF_AT(halved), "N", parse_half,
                    "without a record: IN is half a spectrum, as numpy.fft.rfftn makes, of "
                    "a last axis of N samples (default: an even number)",
                    .optional = true));

static const struct gf_opt_group *const groups[] = {
    /* outputs, and a pair in place of IN */
    &gf_opts_out, &kind_group, &gf_opts_further, &gf_opts_depth_own, &gf_opts_stretch,
    &gf_opts_files, &pair_group,
    /* the transform */
    &gf_opts_axes, &gf_opts_norm, &shift_group, &half_group, &gf_opts_edited, &gf_opts_precision,
    GF_GROUPS_TRANSFORMING};

const struct gf_command gf_command_inv = {
    .name = "inv",
    .operands = "IN... --out=OUT",
    .summary = "inverse FFT of a spectrum file, back to its picture",
    .launched = true,
    .joins = true,
    .usual = "out kind depth half edited from-magnitude from-phase backend resume",
    .groups = groups,
    .examples = "  gpufft inv spec.tif --out=back.png\n"
                "  gpufft inv spec.npy --edited --out=back.png\n"
                "  gpufft inv rfft2.npy --half=639 --out=back.tif\n"
                "  gpufft inv --from-magnitude=mag.tif --from-phase=phase.tif --out=back.png\n",
    .notes = "The record in a spectrum file determines axes, norm and shift. --axes, --dims,\n"
             "--norm and --shift are for files without one; otherwise they may only repeat it.\n",
    .hooks = &gf_hooks_inverse,
};
