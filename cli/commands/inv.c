/* gpufft inv: spectra back to pictures. */

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
    const struct gf_job *job = &t->job;
    if (s->norm != GF_UNSET && s->norm != (int)job->norm)
        return gf_fail(GF_EINVAL, "its record has norm %s, not %s", gf_norm_name(job->norm),
                       gf_norm_name((enum gf_norm)s->norm));
    if (s->shift != GF_UNSET && s->shift != job->in_shift)
        return gf_fail(GF_EINVAL, "its record has the zero frequency in the %s",
                       job->in_shift ? "centre" : "corner");
    return s->from_magnitude || r->kind == GF_COMPLEX ? 0 : refuse_picture(&t->image);
}

/* Without a record: a full spectrum, norm backward, unshifted; a pair of pictures is centred. */
static int guess_job(struct gf_task *t) {
    const struct gf_settings *s = t->s;
    struct gf_job *job = &t->job;
    job->channels = t->image.px.shape[job->ndim];
    job->norm = s->norm == GF_UNSET ? GF_NORM_BACKWARD : (enum gf_norm)s->norm;
    job->in_shift = s->shift == GF_UNSET ? s->from_magnitude != NULL : s->shift;
    gf_task_split(t, &t->image.px, job->channels);
    return gf_settings_axes(s, &t->image.axes, job->ndim, &job->axes);
}

static int prepare(struct gf_task *t) {
    static const struct gf_inverse how = {check_input, check_options, guess_job};
    int rc = gf_task_prepare_inverse(t, &how);
    t->job.real = true;
    for (int i = 0; i < t->job.n_out; i++)
        t->job.real = t->job.real && t->product[i].kind == GF_REAL;
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
    const struct gf_report *report = &t->report;
    bool lossy = t->job.real && !t->job.in_half && report->imag_ratio >= IMAG_RATIO;
    if (lossy && !t->image.record && t->s->kind == GF_UNSET && !t->s->further[GF_REAL])
        return gf_fail(GF_EINVAL,
                       "the inverse is complex (imaginary to real part: %.2g); give --kind=real to "
                       "write the real part, or --kind=complex|magnitude|imag|phase",
                       report->imag_ratio);
    if (lossy && t->image.record)
        gf_log_note("'%s': the spectrum is not that of a real picture any more (imaginary to real "
                    "part: %.2g); the real part is written",
                    gf_log_name(t->read[0]), report->imag_ratio);
    note_window(t);
    return gf_task_check_restored(t);
}

const struct gf_task_hooks gf_hooks_inverse = {
    .name = "inv",
    .default_kind = GF_REAL,
    .prepare = prepare,
    .check = check,
};

static const struct gf_opt_group kind_group = GF_GROUP(
    NULL,
    GF_CHOICE("kind", kind, "KIND", gf_kind_choices,
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
    GF_CHOICE3("shift", shift,
               "the zero frequency of IN is in the centre (default: as recorded; without a record "
               "no, but yes for --from-magnitude)"));

static const struct gf_opt_group *const groups[] = {
    /* outputs, and a pair in place of IN */
    &gf_opts_out, &kind_group, &gf_opts_further, &gf_opts_depth_own, &gf_opts_stretch,
    &gf_opts_files, &pair_group,
    /* the transform */
    &gf_opts_axes, &gf_opts_norm, &shift_group, &gf_opts_precision, GF_GROUPS_TRANSFORMING};

const struct gf_command gf_command_inv = {
    .name = "inv",
    .operands = "IN... --out=OUT",
    .summary = "inverse FFT of a spectrum file, back to its picture",
    .launched = true,
    .joins = true,
    .groups = groups,
    .examples = "  gpufft inv spec.tif --out=back.png\n"
                "  gpufft inv --from-magnitude=mag.tif --from-phase=phase.tif --out=back.png\n",
    .notes = "The record in a spectrum file determines axes, norm and shift. --axes, --dims,\n"
             "--norm and --shift are for files without one; otherwise they may only repeat it.\n",
    .hooks = &gf_hooks_inverse,
};
