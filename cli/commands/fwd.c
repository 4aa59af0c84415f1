/* gpufft fwd: spectra of pictures, volumes and lines; pictures of them with marks, zoom, rulers,
 * colours and size, and plots of lines. */
#include <stdlib.h>

#include "cli/log.h"
#include "cli/compare/signal.h"
#include "cli/plot/picture.h"
#include "cli/plot/plot.h"
#include "cli/report.h"
#include "cli/stats/stats.h"
#include "core/base/value/sample_value.h"
#include "cli/command.h"
#include "cli/batch/describe.h"
#include "cli/filter/filtering.h"

enum { SMALL = 256 }; /* a marked or ruled picture is magnified to this size at least */

static int parse_zoom(const struct gf_opt *o, const char *value, void *field) {
    struct gf_picture_settings *p = field;
    int used = 0;
    p->centre[0] = p->centre[1] = 0;
    const int n =
        sscanf(value, "%5d%n,%9d,%9d%n", &p->zoom, &used, &p->centre[0], &p->centre[1], &used);
    if (n != 2 && !value[used] && p->zoom >= 1 && p->zoom <= 512)
        return 0;
    return gf_opt_refuse(o, value,
                         "it is a whole number to 512, or F,X,Y with the bin in the middle");
}

static const struct gf_opt_group picture_group = GF_GROUP(
    "Picture",
    GF_INTEGER("mark", picture.marks, "N", 1, GF_MAX_MARKS,
               "ring the N strongest peaks and write their periods beside them"),
    GF_PARSED("zoom", GF_AT(picture), "F[,X,Y]", parse_zoom,
              "magnify F times, around the centre or the bin X,Y from it"),
    GF_FLAG("rulers", picture.rulers, "draw frequencies at the left and below"),
    GF_CHOICE("colormap", picture.colormap, "NAME", gf_colormap_names,
              "gray (default), viridis, magma, inferno, plasma, cividis, or twilight for a phase"),
    GF_INTEGER("max-size", picture.max_size, "N", 128, 65535,
               "reduce to N pixels a side; each shows the largest of its bins"));

static bool is_asked(const struct gf_settings *s) {
    const struct gf_picture_settings *p = &s->picture;
    return p->marks || p->zoom || p->rulers || p->colormap || p->max_size;
}

static bool annotates(const struct gf_settings *s) {
    return s->picture.marks || s->picture.rulers;
}

/* ---- drawings, before the transform ---- */

/* Refuses to draw on output i of the job, or on any (-1), and says what makes it possible. */
static int refuse(const struct gf_settings *s, const struct gf_job *job, int i) {
    const struct gf_picture_settings *p = &s->picture;
    const char *asked = p->marks      ? "--mark"
                        : p->zoom     ? "--zoom"
                        : p->rulers   ? "--rulers"
                        : p->colormap ? "--colormap"
                                      : "--max-size";
    const char *needs = i < 0 ? "8-bit pictures of a spectrum; write PNG, or add --depth=8"
                        : job->ndim < 2 ? "a picture; this is a line"
                        : job->axes != 3u << (job->ndim - 2)
                            ? "a transform of two axes; add --dims=2"
                        : gf_job_lanes(job) > 1 ? "one channel; add --color=luma"
                        : job->out[i].half      ? "a full spectrum, without --half"
                        : !job->out[i].shift    ? "a centred spectrum; add --shift"
                                                : "8 bits; add --depth=8";
    return gf_fail(GF_EINVAL, "%s needs %s", asked, needs);
}

/* The axis of a line, or of a picture of one row or column; -1 for anything else. */
static int line_axis(const struct gf_job *job) {
    const int64_t *n = job->shape;
    if (job->ndim == 1)
        return n[0] > 1 ? 0 : -1;
    return job->ndim > 2 || (n[0] > 1) == (n[1] > 1) ? -1 : n[1] > 1;
}

/* True if output i would be a real line's magnitudes or powers as pixels, unless asked for. */
static bool becomes_plot(const struct gf_task *t, int i) {
    const struct gf_settings *s = t->s;
    const struct gf_product *p = &t->product[i];
    const int axis = line_axis(&t->op.job);
    const bool strip =
        s->depth || s->display.scale != GF_UNSET || s->display.range.given || s->color != GF_UNSET;
    return axis >= 0 && t->op.job.axes >> axis & 1 && gf_job_lanes(&t->op.job) == 1 && !strip &&
           !gf_dtype_is_complex(t->op.job.in_dtype) && !s->half && p->format->pictures &&
           (p->kind == GF_MAGNITUDE || p->kind == GF_POWER);
}

static int make_view(const struct gf_task *t, struct gf_view *view) {
    const struct gf_picture_settings *p = &t->s->picture;
    const int64_t *shape = t->op.job.shape + t->op.job.ndim - 2;
    return gf_view_make(
        view, shape,
        p->zoom ? p->zoom : gf_divide_up(annotates(t->s) ? SMALL : 1, gf_max(shape[0], shape[1])),
        (const int[]){p->centre[1], p->centre[0]}, p->max_size, p->rulers);
}

/* Describes the drawn picture of output i. */
static int describe_view(const struct gf_task *t, int i, struct gf_image *drawn) {
    const struct gf_job *job = &t->op.job;
    const bool colors = annotates(t->s) || t->s->picture.colormap;
    struct gf_view view;
    if (job->out[i].half || !job->out[i].shift || job->ndim < 2 ||
        job->axes != 3u << (job->ndim - 2) || gf_job_lanes(job) > 1 || job->out[i].dtype != GF_U8)
        return refuse(t->s, job, i);
    int rc = make_view(t, &view);
    if (rc)
        return rc;
    const int64_t shape[] = {job->shape[0], view.size[0] + view.margin, view.size[1] + view.margin,
                             colors ? 3 : 1};
    *drawn = (struct gf_image){.ndim = job->ndim, .color = colors ? GF_RGB : GF_GRAY};
    drawn->px = gf_array_wrap(NULL, GF_U8, job->ndim + 1, shape + (job->ndim == 2));
    return 0;
}

/* Describes what is drawn for output i, if anything; that of a plot becomes numbers. GF_EINVAL. */
static int describe_drawn(struct gf_task *t, int i) {
    struct gf_output *out = &t->op.job.out[i];
    struct gf_product *p = &t->product[i];
    const int64_t plot[] = {2 * GF_PLOT_HEIGHT, 2 * GF_PLOT_WIDTH, 3};
    int rc = 0;
    if (gf_output_is_display(out) && is_asked(t->s)) {
        rc = describe_view(t, i, &p->drawn);
    } else if (gf_output_is_display(out) && becomes_plot(t, i)) {
        out->map = GF_MAP_NUMBER;
        out->dtype = gf_dtype_real(gf_job_number(&t->op.job));
        p->drawn = (struct gf_image){.ndim = 2, .color = GF_RGB};
        p->drawn.px = gf_array_wrap(NULL, GF_U8, 3, plot);
        t->op.extra_bytes += 64 * gf_job_points(&t->op.job); /* rings and points */
    } else {
        return 0;
    }
    t->op.refuses.pages = t->op.refuses.slabs = gf_why(GF_WHY_DRAWN);
    t->op.extra_bytes += gf_array_bytes(&p->drawn.px) * 4 / 3; /* and its pens' bytes */
    p->noise = false;
    return rc;
}

/* One plane of the spectrum whose peaks are marked: the last output, which no file holds. */
static struct gf_spectrum spectrum_of(const struct gf_task *t, int64_t z, struct gf_job *one) {
    struct gf_array px = t->product[t->op.job.n_out - 1].image.px;
    *one = t->op.job;
    if (one->ndim == 3) {
        px = gf_array_index(&px, 0, px.data ? z : 0);
        memmove(one->shape, one->shape + 1, 2 * sizeof *one->shape);
    }
    one->ndim = 2;
    one->axes = 3;
    one->out[0] = one->out[one->n_out - 1];
    return gf_spectrum_of(one, &px, 0, gf_settings_threads(t->s));
}

/* Called after it, for all outputs: adds one for the peaks. GF_EINVAL if nothing can be drawn. */
static int prepare_drawn(struct gf_task *t) {
    struct gf_job *job = &t->op.job, one;
    struct gf_output *out = &job->out[job->n_out];
    bool draws = !is_asked(t->s);
    int64_t shape[GF_MAX_RANK];
    for (int i = 0; i < job->n_out; i++)
        draws = draws || t->product[i].drawn.ndim;
    if (!draws || !t->s->picture.marks)
        return draws ? 0 : refuse(t->s, job, -1);
    if (job->n_out == GF_MAX_OUTPUTS)
        return gf_fail(GF_EINVAL, "--mark needs one of a run's %d outputs", GF_MAX_OUTPUTS);
    *out = (struct gf_output){.kind = GF_COMPLEX,
                              .dtype = gf_job_number(job),
                              .half = !gf_dtype_is_complex(job->in_dtype)};
    gf_job_out_shape(job, job->n_out, shape);
    t->product[job->n_out++].image.px = gf_array_wrap(NULL, out->dtype, job->ndim + 1, shape);
    const struct gf_spectrum s = spectrum_of(t, 0, &one);
    t->op.extra_bytes += gf_spectrum_peaks_bytes(&s);
    return 0;
}

/* ---- after it ---- */

/* Finds the marks of plane z, and appends them to `list`. */
static int find_marks(const struct gf_task *t, int64_t z, const struct gf_stats *st,
                      struct gf_notes *notes, json_t *list) {
    struct gf_job one;
    const struct gf_spectrum s = spectrum_of(t, z, &one);
    struct gf_signal_statistics found = {.n_peaks = 0};
    struct gf_facts facts = {0};
    const double weight =
        gf_job_scale(&t->op.job) * gf_window_mean(&t->s->windowing.window, &one, 1);
    int rc = gf_statistics_find_peaks(&s, t->s->picture.marks, weight, st->o.spacing, &found);
    notes->n_marks = rc ? 0 : found.n_peaks;
    for (int k = 0; k < notes->n_marks; k++) {
        const struct gf_peak *p = &found.peak[k];
        notes->mark[k] = (struct gf_mark){.at = {p->at[0], p->at[1]}, .twin = p->twin};
        snprintf(notes->mark[k].label, sizeof notes->mark[k].label, "%.4g %s", found.wave[k].length,
                 found.wave[k].per_unit > 0 ? st->unit : "px");
    }
    if (!rc)
        gf_statistics_peak_facts(&found, 2, st->unit, &facts);
    json_t *o = gf_report_facts(json_object(), &facts), *peaks = json_object_get(o, "peaks");
    for (size_t k = 0; k < json_array_size(peaks) && t->op.job.ndim > 2; k++)
        GF_ADD(json_array_get(peaks, k), GF_KEY("page", z));
    json_array_extend(list, peaks);
    json_decref(o);
    free(found.peak);
    free(found.wave);
    return rc;
}

/* Draws plane z of all products, with its marks if there is a list of these. */
static int draw_planes(const struct gf_task *t, int64_t z, json_t *list) {
    unsigned char colors[256][3];
    struct gf_job one;
    struct gf_view view;
    struct gf_image plane = t->image;
    struct gf_stats st = {.job = &one};
    struct gf_notes notes = {.n_marks = 0};
    spectrum_of(t, z, &one);
    plane.ndim = 2;
    st.unit = gf_signal_spacing(&plane, 2, st.o.spacing, NULL);
    notes.unit = st.unit ? st.unit : "sample";
    for (int i = 0; i < 2; i++)
        notes.spacing[i] = st.unit ? st.o.spacing[i] : 1;
    gf_colormap_make(t->s->picture.colormap, colors);
    int rc = make_view(t, &view);
    if (!rc && list)
        rc = find_marks(t, z, &st, &notes, list);
    for (int i = 0; i < t->targets->n && !rc; i++) {
        const struct gf_product *p = &t->product[i];
        struct gf_array from = p->image.px, to = p->drawn.px;
        if (!p->drawn.ndim)
            continue;
        if (p->drawn.ndim > 2) {
            from = gf_array_index(&from, 0, z);
            to = gf_array_index(&to, 0, z);
        }
        gf_view_draw(&view, &from, p->kind == GF_MAGNITUDE || p->kind == GF_POWER, colors,
                     gf_settings_threads(t->s), &to);
        rc = annotates(t->s) ? gf_view_annotate(&view, &notes, &to) : 0;
    }
    return rc;
}

/* Plots a real line's spectrum by the plot of stats: each bin is a ring. */
static int draw_plot(const struct gf_task *t, struct gf_product *p) {
    const int axis = line_axis(&t->op.job);
    const int64_t n = t->op.job.shape[axis], zero = t->op.job.out[0].shift ? n / 2 : 0;
    bool alike;
    struct gf_signal_statistics signal = {.n_peaks = 0};
    struct gf_stats st = {.t = t, .of = {.n_signals = 1, .n_rings = n / 2 + 1, .signal = &signal}};
    signal.ring = malloc((size_t)st.of.n_rings * sizeof *signal.ring);
    if (!signal.ring)
        return gf_no_memory();
    st.unit = gf_signal_spacing(&t->image, t->op.job.ndim, st.o.spacing, &alike);
    st.ring_spacing = alike ? st.o.spacing[axis] : 0;
    for (int64_t k = 0; k < st.of.n_rings; k++) {
        const int64_t at = (zero + k) % n * p->image.px.stride[axis];
        const double v = gf_sample_get((const char *)p->image.px.data + at, p->image.px.dtype);
        signal.ring[k] = (struct gf_ring){.frequency = (double)k / (double)n, .mean = v};
    }
    int rc = gf_stats_plot(&st, gf_kind_name(p->kind), &p->drawn);
    free(signal.ring);
    return rc;
}

/* Draws, and adds the marks to t->also. GF_ENOMEM. */
static int draw(struct gf_task *t) {
    const int64_t planes = t->op.job.ndim > 2 ? t->op.job.shape[0] : 1;
    json_t *list = t->s->picture.marks ? json_array() : NULL;
    int rc = 0;
    for (int i = 0; i < t->targets->n && !rc; i++) {
        struct gf_product *p = &t->product[i];
        if (p->drawn.ndim)
            rc = is_asked(t->s)
                     ? gf_array_alloc(&p->drawn.px, GF_U8, p->drawn.px.rank, p->drawn.px.shape)
                     : draw_plot(t, p);
    }
    for (int64_t z = 0; z < planes && is_asked(t->s) && !rc; z++)
        rc = draw_planes(t, z, list);
    for (int i = 0; i < t->targets->n; i++) {
        struct gf_product *p = &t->product[i];
        if (!p->drawn.ndim)
            continue;
        gf_array_free(rc ? &p->drawn.px : &p->image.px);
        p->image = rc ? p->image : p->drawn;
        p->drawn.px.base = NULL;
        memcpy(p->shape, p->image.px.shape, sizeof p->shape);
    }
    if (list && !rc && !json_array_size(list))
        gf_log_note("'%s': no peaks found, nothing is marked", gf_log_name(t->read[0]));
    if (list) {
        gf_array_free(&t->product[--t->op.job.n_out].image.px);
        t->also = GF_REPORT(GF_KEY("marks", list));
    }
    return rc;
}

/* ---- the command ---- */

/* Spectra get texts, and those that can be inverted, alone or as a pair, a record of their source. */
static void describe_record(struct gf_task *t, int i) {
    const struct gf_output *out = &t->op.job.out[i];
    struct gf_product *p = &t->product[i];
    if (out->map == GF_MAP_DISPLAY || p->drawn.ndim)
        return;
    p->keeps = out->kind == GF_COMPLEX ? GF_KEEPS_PROFILE : GF_KEEPS_TEXTS;
    if (out->kind != GF_COMPLEX && out->kind != GF_MAGNITUDE && out->kind != GF_PHASE)
        return;
    p->has_record = true;
    p->record = gf_record_of_job(&t->op.job, i, &t->image, p->alpha_plane);
    p->record.window = t->s->windowing.window;
    p->record.smooth = t->s->windowing.smooth;
}

/* True if colour becomes luma unless --color says otherwise: all outputs are for the eye. */
static bool shows_luma(const struct gf_task *t) {
    bool shows = t->s->color == GF_UNSET && t->image.color == GF_RGB && t->op.job.n_out;
    for (int i = 0; i < t->op.job.n_out; i++)
        shows = shows && t->product[i].format->pictures &&
                (t->product[i].kind == GF_MAGNITUDE || t->product[i].kind == GF_POWER);
    return shows;
}

static int prepare(struct gf_task *t) {
    const struct gf_settings *s = t->s;
    struct gf_job *job = &t->op.job;
    gf_task_begin_job(t, GF_FORWARD);
    job->norm = s->norm == GF_UNSET ? GF_NORM_BACKWARD : (enum gf_norm)s->norm;
    int rc = gf_task_take_channels(t);
    job->luma = job->luma || shows_luma(t);
    const bool changed = gf_window_is_asked(&s->windowing);
    job->spend_input = changed || !t->image.alpha; /* which is copied later */
    if (!rc)
        rc = gf_settings_axes(s, &t->image.axes, job->ndim, &job->axes);
    if (!rc && changed) {
        t->op.kind = &gf_operation_window;
        t->op.shared = (void *)&s->windowing;
        t->op.of.px = t->image.px;
        rc = gf_operation_describe(&t->op);
    }
    if (!rc && s->half && gf_dtype_is_complex(job->in_dtype))
        rc = gf_fail(GF_EINVAL, "--half is for real input, and this is complex: its spectrum has "
                                "no redundant half");
    enum gf_color color = job->luma ? GF_GRAY : t->image.color;
    for (int i = 0; i < job->n_out && !rc; i++) {
        struct gf_product *p = &t->product[i];
        struct gf_output *out = &job->out[i];
        rc = gf_target_dtype(s, p->target, p->kind, p->format, job->precision, &out->dtype);
        if (rc)
            return rc;
        out->half = s->half;
        gf_display_describe(&s->display, p->kind, out);
        p->noise = true;
        rc = describe_drawn(t, i);
        /* A half spectrum has shorter rows than the picture: no room for alpha. */
        p->alpha_plane =
            t->image.alpha && p->kind == GF_COMPLEX && !s->half && p->format->alpha_plane;
        rc = rc ? rc : gf_task_describe(t, i, p->alpha_plane ? GF_OTHER_COLOR : color);
        describe_record(t, i);
    }
    return rc ? rc : prepare_drawn(t);
}

/* Draws pictures, and prints a note if alpha was dropped. */
static int check(struct gf_task *t) {
    bool kept = true;
    gf_operation_drop(&t->op);
    for (int i = 0; i < t->targets->n; i++)
        kept = kept && t->product[i].alpha_plane;
    if (t->image.alpha && !kept)
        gf_log_note("'%s': alpha dropped; %s", gf_log_name(t->read[0]),
                    t->s->half ? "a halved spectrum has no room for it"
                               : "a complex TIFF keeps it");
    return draw(t);
}

const struct gf_task_hooks gf_hooks_forward = {
    .name = "fwd",
    .default_kind = GF_MAGNITUDE,
    .prepare = prepare,
    .check = check,
};

static const struct gf_opt_group *const groups[] = {
    /* outputs */
    &gf_opts_out, &gf_opts_spectrum_kind, &gf_opts_further, &gf_opts_depth_display, &gf_opts_files,
    &gf_opts_display, &picture_group,
    /* the transform */
    &gf_opts_window, &gf_opts_axes, &gf_opts_norm, &gf_opts_precision, &gf_opts_color,
    &gf_opts_half, GF_GROUPS_TRANSFORMING};

const struct gf_command gf_command_fwd = {
    .name = "fwd",
    .operands = "IN... --out=OUT",
    .summary = "forward FFT: 2D of a picture, 3D of a volume, 1D of a line",
    .launched = true,
    .joins = true,
    .usual = "out kind complex range depth color window dims backend resume",
    .groups = groups,
    .examples = "  gpufft fwd scene.png --out=spectrum.png\n"
                "  gpufft fwd scene.png --mark=5 --rulers --out=peaks.png\n"
                "  gpufft fwd scene.png --complex=spec.tif --phase=phase.png\n"
                "  gpufft fwd photos/ --out='spectra/{stem}_{kind}.png' --resume\n"
                "  find a -name '*.png' -print0 | gpufft fwd --files0-from=- --out='o/{stem}.png'\n"
                "  gpufft fwd head.raw --shape=32x64x64 --type=u8 --out=head.tif\n"
                "  gpufft fwd - --out=png:- < scene.png > spectrum.png\n",
    .hooks = &gf_hooks_forward,
};
