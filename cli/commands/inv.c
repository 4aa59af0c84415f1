/* gpufft inv: spectra back to the pictures they came from. */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/batch/batch.h"
#include "cli/batch/describe.h"
#include "cli/batch/job_record.h"
#include "core/base/status.h"

/* Below this the imaginary part of a foreign spectrum's inverse is rounding noise. */
static const double IMAG_RATIO = 1e-5;

static int refuse_picture(const struct gf_image *image) {
    return gf_fail(GF_EINVAL,
                   "%s samples, not a complex spectrum: a magnitude without its phase cannot be "
                   "inverted; take a --kind=complex file, or --from-magnitude=F --from-phase=F",
                   gf_dtype_name(image->px.dtype));
}

/* An option that contradicts the record, whose job this is. */
static int check_options(const struct gf_settings *s, const struct gf_job *job) {
    unsigned axes = job->axes;
    int rc = s->axes.n || s->dims ? gf_settings_axes(s, job->ndim, &axes) : 0;
    if (rc)
        return rc;
    if (axes != job->axes)
        return gf_fail(GF_EINVAL, "its record has other axes than the options");
    if (s->norm != GF_UNSET && s->norm != (int)job->norm)
        return gf_fail(GF_EINVAL, "its record has norm %s, not %s", gf_norm_name(job->norm),
                       gf_norm_name((enum gf_norm)s->norm));
    if (s->shift != GF_UNSET && s->shift != job->in_shift)
        return gf_fail(GF_EINVAL, "its record has the zero frequency in the %s",
                       job->in_shift ? "centre" : "corner");
    return 0;
}

static int job_from_record(struct gf_task *t, const struct gf_record *r) {
    struct gf_job *job = &t->job;
    gf_job_of_record(r, job);
    int rc = check_options(t->s, job);
    if (rc)
        return rc;
    if (!t->s->from_magnitude && gf_kind_of_record(r) != GF_COMPLEX)
        return refuse_picture(&t->image);
    return gf_task_take_recorded(t, r->alpha == GF_ALPHA_KEPT);
}

/* Without a record: full, backward; unshifted, but a pair of pictures is centred. */
static int job_from_options(struct gf_task *t) {
    const struct gf_settings *s = t->s;
    struct gf_job *job = &t->job;
    job->ndim = t->image.ndim;
    memcpy(job->shape, t->image.px.shape, (size_t)job->ndim * sizeof *job->shape);
    job->channels = t->image.px.shape[job->ndim];
    job->norm = s->norm == GF_UNSET ? GF_NORM_BACKWARD : (enum gf_norm)s->norm;
    job->in_shift = s->shift == GF_UNSET ? s->from_magnitude != NULL : s->shift;
    gf_task_split(t, &t->image.px, job->channels);
    return gf_settings_axes(s, job->ndim, &job->axes);
}

/* Without --kind a picture that was complex is restored as complex, in formats that can hold it. */
static int choose_kind(struct gf_task *t, int i, const struct gf_record *r) {
    struct gf_product *p = &t->product[i];
    struct gf_target target = t->targets->target[i];
    bool unsaid = t->s->out && i == 0 && t->s->kind == GF_UNSET;
    if (!r || !r->complex_input || !unsaid)
        return 0;
    if (!(p->format->dtypes >> GF_C64 & 1))
        return gf_fail(GF_EINVAL,
                       "the picture was complex, and a %s file is not; write .tif, .npy or .raw, "
                       "or give --kind=real|imag|magnitude|phase",
                       p->format->name);
    target.kind = p->kind = GF_COMPLEX;
    free(p->path);
    p->path = NULL;
    return gf_target_resolve(&target, p->in, &p->format, &p->path);
}

static int choose_dtype(const struct gf_task *t, int i, const struct gf_record *r,
                        enum gf_dtype *dtype) {
    const struct gf_product *p = &t->product[i];
    struct gf_target target = t->targets->target[i];
    target.kind = p->kind;
    int rc = gf_target_dtype(t->s, &target, p->format, t->job.precision, dtype);
    bool own = r && p->kind == (r->complex_input ? GF_COMPLEX : GF_REAL);
    return rc || !own ? rc : gf_target_keep_dtype(t->s, p->format, r->dtype, dtype);
}

static enum gf_color foreign_color(int64_t channels) {
    return channels == 1 ? GF_GRAY : channels == 3 ? GF_RGB : GF_OTHER_COLOR;
}

static int describe_product(struct gf_task *t, int i, const struct gf_record *r) {
    struct gf_product *p = &t->product[i];
    struct gf_output *out = &t->job.out[i];
    int rc = choose_kind(t, i, r);
    if (!rc)
        rc = choose_dtype(t, i, r, &out->dtype);
    if (rc)
        return rc;
    out->kind = p->kind;
    /* A phase as integers is for the eye; all else keeps its numbers. */
    bool display = p->kind == GF_PHASE && gf_dtype_is_integer(out->dtype);
    out->map = display ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
    p->alpha_plane = r && r->alpha == GF_ALPHA_KEPT && p->kind == GF_REAL && p->format->alpha;
    p->image.alpha = p->alpha_plane;
    p->keeps = r && p->kind == GF_REAL ? GF_KEEPS_ALL : GF_KEEPS_NOTHING;
    p->image.channel_axis = r && r->channel_axis;
    return gf_task_describe(t, i, r ? r->color : foreign_color(t->job.channels));
}

static int prepare(struct gf_task *t) {
    struct gf_job *job = &t->job;
    struct gf_record record, *r = NULL;
    int rc = 0;
    if (t->image.record) {
        rc = gf_record_parse(t->image.record, &record);
        r = &record;
    }
    if (!rc && r && r->version == GF_RECORD_WAVELET)
        rc = gf_fail(GF_EINVAL, "wavelet coefficients, not a spectrum; gpufft idwt inverts them");
    if (!rc && !gf_dtype_is_complex(t->image.px.dtype))
        rc = refuse_picture(&t->image);
    if (rc)
        return rc;
    t->recorded = r != NULL;
    gf_task_take_metadata(t, r);
    job->direction = GF_INVERSE;
    job->in_dtype = t->image.px.dtype;
    job->precision = gf_task_precision(t->s, job->in_dtype);
    rc = r ? job_from_record(t, r) : job_from_options(t);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = describe_product(t, i, r);
    job->real = true;
    for (int i = 0; i < job->n_out; i++)
        job->real = job->real && t->product[i].kind == GF_REAL;
    return rc;
}

/* What the numbers show: an imaginary part that would be lost, samples that do not fit. */
static int check(struct gf_task *t) {
    const struct gf_report *report = &t->report;
    bool lossy = t->job.real && !t->job.in_half && report->imag_ratio >= IMAG_RATIO;
    if (lossy && !t->recorded && t->s->kind == GF_UNSET && !t->s->further[GF_REAL])
        return gf_fail(GF_EINVAL,
                       "the inverse is complex (imaginary to real part: %.2g); give --kind=real to "
                       "write the real part, or --kind=complex|magnitude|imag|phase",
                       report->imag_ratio);
    if (lossy && t->recorded)
        gf_log_note("'%s': the spectrum is not that of a real picture any more (imaginary to real "
                    "part: %.2g); the real part is written",
                    gf_log_name(t->read[0]), report->imag_ratio);
    for (int i = 0; i < t->job.n_out; i++) {
        const char *type = gf_dtype_name(t->job.out[i].dtype);
        if (report->clipped[i] && !t->s->depth)
            return gf_fail(GF_EINVAL,
                           "%lld sample%s not fit %s; a float .tif keeps them, --depth=8 or 16 "
                           "clips them",
                           (long long)report->clipped[i],
                           report->clipped[i] == 1 ? " does" : "s do", type);
        if (t->alpha.data && !t->product[i].alpha_plane)
            gf_log_note("'%s': alpha dropped; a %s file does not keep it here",
                        gf_log_name(t->read[0]), t->product[i].format->name);
    }
    return 0;
}

const struct gf_task_hooks gf_hooks_inverse = {
    .name = "inv",
    .default_kind = GF_REAL,
    .spreads = true,
    .prepare = prepare,
    .check = check,
};

static int run(struct gf_settings *s, char **operands, int n) {
    return gf_batch_run(&gf_hooks_inverse, s, operands, n);
}

static const struct gf_opt kind_rows[] = {
    GF_CHOICE("kind", kind, "KIND", gf_kind_choices,
              "what --out holds: magnitude, phase, power, real, imag or complex (default: real, or "
              "complex if the picture was)"),
    GF_END,
};
static const struct gf_opt_group kind_group = {NULL, kind_rows};

static const struct gf_opt pair_rows[] = {
    GF_TEXT("from-magnitude", from_magnitude, "FILE",
            "invert this float magnitude picture, with the phase of --from-phase", .inert = true),
    GF_TEXT("from-phase", from_phase, "FILE",
            "the float phase picture that belongs to --from-magnitude", .inert = true),
    GF_END,
};
static const struct gf_opt_group pair_group = {"Instead of IN", pair_rows};

static const struct gf_opt shift_rows[] = {
    GF_CHOICE3("shift", shift,
               "the zero frequency of IN is in the centre (default: as recorded; without a record "
               "no, but yes for --from-magnitude)"),
    GF_END,
};
static const struct gf_opt_group shift_group = {NULL, shift_rows};

static const struct gf_opt_group *const groups[] = {
    &gf_opts_out,  &kind_group,     &gf_opts_further, &gf_opts_depth_own, &gf_opts_files,
    &pair_group,   &gf_opts_axes,   &gf_opts_norm,    &shift_group,       &gf_opts_precision,
    &gf_opts_list, &gf_opts_frames, &gf_opts_raw,     &gf_opts_skip,      &gf_opts_backend,
    &gf_opts_peer, &gf_opts_run,    &gf_opts_scratch, &gf_opts_report,    NULL};

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
    .run = run,
};
