/* gpufft fwd: spectra of pictures, volumes and lines. */
#include "cli/command.h"
#include "cli/log.h"
#include "cli/batch/describe.h"
#include "cli/filter/filtering.h"

/* Describes an output, which is all zero, by the options. */
static void describe_output(const struct gf_settings *s, enum gf_kind kind, enum gf_dtype dtype,
                            struct gf_output *out) {
    out->kind = kind;
    out->dtype = dtype;
    out->half = s->half;
    out->map = gf_dtype_is_integer(dtype) ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
    out->shift = s->shift == GF_UNSET ? kind != GF_COMPLEX : s->shift;
    if (s->scale != GF_UNSET)
        out->scale = (enum gf_scale)s->scale;
    /* --range is for magnitudes and the like; a phase always spans the circle. */
    if (out->map == GF_MAP_DISPLAY && kind != GF_PHASE) {
        out->range = s->range.which;
        out->low = s->range.low;
        out->high = s->range.high;
    }
}

/* Spectra that can be inverted, alone or as a pair, get a record of their source. */
static void describe_record(struct gf_task *t, int i) {
    const struct gf_output *out = &t->job.out[i];
    struct gf_product *p = &t->product[i];
    if (out->map == GF_MAP_DISPLAY ||
        (out->kind != GF_COMPLEX && out->kind != GF_MAGNITUDE && out->kind != GF_PHASE))
        return;
    p->has_record = true;
    if (out->kind == GF_COMPLEX)
        p->keeps = GF_KEEPS_PROFILE;
    p->record = gf_record_of_job(&t->job, i, &t->image, p->alpha_plane);
    p->record.window = t->s->window;
    p->record.smooth = t->s->smooth;
}

static int prepare(struct gf_task *t) {
    const struct gf_settings *s = t->s;
    struct gf_job *job = &t->job;
    gf_task_begin_job(t, GF_FORWARD);
    job->norm = s->norm == GF_UNSET ? GF_NORM_BACKWARD : (enum gf_norm)s->norm;
    int rc = gf_task_take_channels(t);
    job->spend_input = gf_window_is_asked(s) || !t->image.alpha; /* which is copied later */
    if (!rc)
        rc = gf_settings_axes(s, &t->image.axes, job->ndim, &job->axes);
    if (!rc && gf_window_is_asked(s)) {
        rc = gf_window_prepare(s, job);
        t->extra_bytes = gf_window_bytes(s, job);
        t->refuses.slabs = s->smooth ? "the smooth part is made of all samples" : NULL;
    }
    if (!rc && s->half && gf_dtype_is_complex(job->in_dtype))
        rc = gf_fail(GF_EINVAL, "--half is for real input, and this is complex: its spectrum has "
                                "no redundant half");
    enum gf_color color = job->luma ? GF_GRAY : t->image.color;
    for (int i = 0; i < job->n_out && !rc; i++) {
        struct gf_product *p = &t->product[i];
        enum gf_dtype dtype;
        rc = gf_target_dtype(s, p->target, p->kind, p->format, job->precision, &dtype);
        if (rc)
            return rc;
        describe_output(s, p->kind, dtype, &job->out[i]);
        p->noise = true;
        /* A half spectrum has shorter rows than the picture: no room for alpha. */
        p->alpha_plane =
            t->image.alpha && p->kind == GF_COMPLEX && !s->half && p->format->alpha_plane;
        rc = gf_task_describe(t, i, p->alpha_plane ? GF_OTHER_COLOR : color);
        describe_record(t, i);
    }
    return rc;
}

/* Prints a note if alpha was dropped, or if a line's spectrum became a picture of one row. */
static int check(struct gf_task *t) {
    bool kept = true;
    gf_array_free(&t->weighed);
    for (int i = 0; i < t->job.n_out; i++) {
        const struct gf_product *p = &t->product[i];
        kept = kept && p->alpha_plane;
        if (t->job.ndim == 1 && t->job.out[i].map == GF_MAP_DISPLAY && !p->format->lines)
            gf_log_note("'%s': '%s' is one row of pixels; gpufft stats --radial=FILE plots a "
                        "line's spectrum",
                        gf_log_name(t->read[0]), p->path);
    }
    if (t->image.alpha && !kept)
        gf_log_note("'%s': alpha dropped; %s", gf_log_name(t->read[0]),
                    t->s->half ? "a halved spectrum has no room for it"
                               : "a complex TIFF keeps it");
    return 0;
}

const struct gf_task_hooks gf_hooks_forward = {
    .name = "fwd",
    .default_kind = GF_MAGNITUDE,
    .prepare = prepare,
    .check = check,
};

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_task_hooks hooks = gf_hooks_forward;
    hooks.input = gf_window_is_asked(s) ? &gf_window_input : NULL;
    return gf_batch_run(&hooks, s, operands, n);
}

static const struct gf_opt_group *const groups[] = {
    &gf_opts_out,           &gf_opts_spectrum_kind, &gf_opts_further,
    &gf_opts_depth_display, &gf_opts_files,         &gf_opts_display,
    &gf_opts_window,        &gf_opts_axes,          &gf_opts_norm,
    &gf_opts_precision,     &gf_opts_color,         &gf_opts_half,
    &gf_opts_list,          &gf_opts_frames,        &gf_opts_raw,
    &gf_opts_backend,       &gf_opts_peer,          &gf_opts_run,
    &gf_opts_scratch,       &gf_opts_report,        NULL};

const struct gf_command gf_command_fwd = {
    .name = "fwd",
    .operands = "IN... --out=OUT",
    .summary = "forward FFT: 2D of a picture, 3D of a volume, 1D of a line",
    .launched = true,
    .joins = true,
    .groups = groups,
    .examples = "  gpufft fwd scene.png --out=spectrum.png\n"
                "  gpufft fwd scene.png --complex=spec.tif --phase=phase.png\n"
                "  gpufft fwd photos/ --out='spectra/{stem}_{kind}.png' --resume\n"
                "  find a -name '*.png' -print0 | gpufft fwd --files0-from=- --out='o/{stem}.png'\n"
                "  gpufft fwd head.raw --shape=32x64x64 --type=u8 --out=head.tif\n"
                "  gpufft fwd - --out=png:- < scene.png > spectrum.png\n",
    .run = run,
};
