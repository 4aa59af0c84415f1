/* Draws finished spectra: marks, zoom, rulers, colours and size of pictures, and plots of lines. */
#include "cli/commands/fwd_picture.h"

#include <stdlib.h>
#include <string.h>

#include "cli/log.h"
#include "cli/options.h"
#include "cli/plot/colormap.h"
#include "cli/plot/picture.h"
#include "cli/plot/plot.h"
#include "cli/report.h"
#include "cli/stats/stats.h"
#include "core/base/sample_value.h"

enum { SMALL = 256 }; /* a marked or ruled picture is magnified to this size at least */

static int parse_zoom(const struct gf_opt *o, const char *value, void *field) {
    struct gf_picture_settings *p = field;
    char *end;
    const long zoom = strtol(value, &end, 10);
    bool ok = end != value && zoom >= 1 && zoom <= 512;
    memset(p->centre, 0, sizeof p->centre);
    for (int i = 0; i < 2 && ok && *end; i++) {
        const char *number = end + 1;
        ok = *end == ',';
        p->centre[i] = ok ? strtol(number, &end, 10) : 0;
        ok = ok && end != number && *end == (i ? 0 : ',');
    }
    p->zoom = (int)zoom;
    return ok && !*end ? 0
                       : gf_opt_refuse(o, value,
                                       "it is a whole number to 512, or with the bin in the middle "
                                       "F,X,Y, as in 4,30,-20");
}

const struct gf_opt_group gf_opts_picture = GF_GROUP(
    "Picture",
    GF_INTEGER("mark", picture.marks, "N", 1, 1000,
               "ring the N strongest peaks and write their periods beside them"),
    GF_PARSED("zoom", GF_AT(picture), "F[,X,Y]", parse_zoom,
              "magnify F times, around the centre or the bin X,Y from it"),
    GF_FLAG("rulers", picture.rulers, "draw frequencies at the left and below"),
    GF_CHOICE("colormap", picture.colormap, "NAME", gf_colormap_names,
              "gray (default), viridis, magma, inferno, plasma, cividis, or twilight for a phase"),
    GF_INTEGER("max-size", picture.max_size, "N", 128, 65535,
               "reduce to at most N pixels a side; the largest of the bins that fall together is "
               "shown"));

static bool is_asked(const struct gf_settings *s) {
    const struct gf_picture_settings *p = &s->picture;
    return p->marks || p->zoom || p->rulers || p->colormap || p->max_size;
}

static bool annotates(const struct gf_settings *s) {
    return s->picture.marks || s->picture.rulers;
}

/* True if the pictures become u8 with three channels. */
static bool colors(const struct gf_settings *s) {
    return annotates(s) || s->picture.colormap;
}

/* ---- before the transform ---- */

/* The axis of a line, or of a picture of one row or column; -1 for anything else. */
static int line_axis(const struct gf_job *job) {
    if (job->ndim == 1)
        return job->shape[0] > 1 ? 0 : -1;
    const int64_t *n = job->shape;
    return job->ndim > 2 || (n[0] > 1) == (n[1] > 1) ? -1 : n[1] > 1;
}

bool gf_picture_plots(const struct gf_task *t, int i) {
    const struct gf_settings *s = t->s;
    const bool strip = s->depth || s->scale != GF_UNSET || s->range.given || s->color != GF_UNSET;
    const int axis = line_axis(&t->job);
    return axis >= 0 && t->job.axes >> axis & 1 && t->product[i].format->pictures && !strip &&
           !is_asked(s) && t->product[i].kind != GF_COMPLEX;
}

static bool is_plot(const struct gf_task *t, int i) {
    return t->product[i].drawn && t->job.out[i].map == GF_MAP_NUMBER;
}

/* Refuses options that the spectrum of output i does not suit. */
static int check_options(const struct gf_task *t, int i) {
    const struct gf_settings *s = t->s;
    const struct gf_job *job = &t->job;
    const int64_t channels = gf_job_lanes(job);
    if (job->ndim < 2 || job->axes != 3u << (job->ndim - 2))
        return gf_fail(GF_EINVAL, "--mark, --zoom, --rulers, --colormap and --max-size draw on "
                                  "spectra of two axes; --dims=2 takes a volume page by page");
    if (colors(s) && job->out[i].dtype != GF_U8)
        return gf_fail(GF_EINVAL,
                       "marks, rulers and colours are drawn with 8 bits; leave "
                       "--depth=%d out",
                       s->depth);
    if (channels > 1 && (s->picture.marks || s->picture.colormap || (colors(s) && channels != 3)))
        return gf_fail(GF_EINVAL,
                       "--mark and --colormap draw on one channel, and there are %lld; "
                       "--color=luma makes one of colour",
                       (long long)channels);
    return 0;
}

static int make_view(const struct gf_task *t, struct gf_view *view) {
    const struct gf_picture_settings *p = &t->s->picture;
    const struct gf_view_wish wish = {
        .zoom = p->zoom,
        .least = annotates(t->s) ? SMALL : 0,
        .at = {p->centre[1], p->centre[0]},
        .most = p->max_size && p->rulers ? gf_picture_most(p->max_size) : p->max_size};
    int64_t shape[GF_MAX_RANK];
    gf_job_out_shape(&t->job, 0, shape);
    return gf_view_make(shape + t->job.ndim - 2, &wish, view);
}

/* The image that output i becomes, without samples. */
static int describe_drawn(const struct gf_task *t, int i, struct gf_image *image) {
    const struct gf_product *p = &t->product[i];
    int64_t shape[GF_MAX_RANK];
    struct gf_view view;
    if (is_plot(t, i)) {
        const int64_t plot[] = {2 * GF_PLOT_HEIGHT, 2 * GF_PLOT_WIDTH, 3};
        *image = (struct gf_image){.ndim = 2, .color = GF_RGB};
        image->px = gf_array_wrap(NULL, GF_U8, 3, plot);
        return 0;
    }
    int rc = make_view(t, &view);
    if (rc)
        return rc;
    memcpy(shape, p->shape, sizeof shape);
    gf_picture_size(&view, t->s->picture.rulers, shape + t->job.ndim - 2);
    *image = (struct gf_image){.ndim = t->job.ndim, .color = p->image.color};
    if (colors(t->s)) {
        shape[t->job.ndim] = 3;
        image->color = GF_RGB;
    }
    image->px = gf_array_wrap(NULL, t->job.out[i].dtype, t->job.ndim + 1, shape);
    return 0;
}

/* Adds an output that no file holds: the spectrum whose peaks are marked. */
static int add_spectrum(struct gf_task *t) {
    struct gf_job *job = &t->job;
    const int i = job->n_out;
    int64_t shape[GF_MAX_RANK];
    if (i == GF_MAX_OUTPUTS)
        return gf_fail(GF_EINVAL, "--mark needs one of the %d outputs of a run", GF_MAX_OUTPUTS);
    job->out[i] = (struct gf_output){.kind = GF_COMPLEX,
                                     .dtype = gf_job_number(job),
                                     .half = !gf_dtype_is_complex(job->in_dtype)};
    gf_job_out_shape(job, i, shape);
    t->product[i].image.px = gf_array_wrap(NULL, job->out[i].dtype, job->ndim + 1, shape);
    job->n_out++;
    return 0;
}

/* The peaks' spectrum: one plane of it. */
static struct gf_spectrum spectrum_of(const struct gf_task *t, int64_t z, struct gf_job *one) {
    const int i = t->job.n_out - 1;
    struct gf_array px = t->product[i].image.px;
    *one = t->job;
    if (one->ndim == 3) {
        px = gf_array_index(&px, 0, px.data ? z : 0);
        memmove(one->shape, one->shape + 1, 2 * sizeof *one->shape);
    }
    one->ndim = 2;
    one->out[0] = one->out[i];
    return gf_spectrum_of(one, &px, 0, gf_settings_threads(t->s));
}

int gf_picture_prepare(struct gf_task *t) {
    const bool asked = is_asked(t->s);
    int n = 0;
    for (int i = 0; i < t->job.n_out; i++) {
        struct gf_product *p = &t->product[i];
        struct gf_product drawn = *p;
        p->drawn |= asked && gf_output_is_display(&t->job.out[i]);
        if (!p->drawn)
            continue;
        int rc = is_plot(t, i) ? 0 : check_options(t, i);
        if (!rc)
            rc = describe_drawn(t, i, &drawn.image);
        if (!rc)
            rc = t->s->plan_only ? 0 : gf_product_accepts(&drawn);
        if (rc)
            return rc;
        t->refuses.pages = t->refuses.slabs = "a drawn picture is made in one piece";
        t->extra_bytes += gf_array_bytes(&drawn.image.px) * 4 / 3; /* and its pens' bytes */
        p->noise = false;
        p->dtype = GF_U8;
        if (!is_plot(t, i))
            p->dtype = t->job.out[i].dtype;
        n++;
    }
    if (asked && !n)
        return gf_fail(GF_EINVAL, "--mark, --zoom, --rulers, --colormap and --max-size draw on "
                                  "integer pictures; write .png, or give --depth=8");
    if (!t->s->picture.marks)
        return 0;
    struct gf_job one;
    int rc = add_spectrum(t);
    const struct gf_spectrum s = spectrum_of(t, 0, &one);
    t->extra_bytes += gf_spectrum_peaks_bytes(&s);
    return rc;
}

/* ---- marks ---- */

/* The marks of plane z: allocates notes->mark, which the caller frees, and appends to `list`. */
static int find_marks(struct gf_task *t, int64_t z, const struct gf_stats *st,
                      struct gf_notes *notes, json_t *list) {
    struct gf_job one;
    const struct gf_spectrum s = spectrum_of(t, z, &one);
    const int most = t->s->picture.marks;
    struct gf_stats_signal found = {.peak = malloc((size_t)most * sizeof *found.peak),
                                    .wave = malloc((size_t)most * sizeof *found.wave)};
    struct gf_mark *mark = malloc((size_t)most * sizeof *mark);
    int rc = found.peak && found.wave && mark ? 0 : gf_no_memory();
    notes->mark = mark;
    if (!rc)
        rc = gf_spectrum_peaks(&s, 0, found.peak, most, &found.n_peaks);
    for (int k = 0; k < found.n_peaks && !rc; k++) {
        const struct gf_peak *p = &found.peak[k];
        const double f = gf_stats_cycles(st, p);
        found.wave[k] = gf_peak_wave(&s, p);
        found.wave[k].amplitude /= gf_job_scale(&t->job);
        mark[k] = (struct gf_mark){.at = {p->at[0], p->at[1]}, .twin = p->twin};
        snprintf(mark[k].label, sizeof mark[k].label, "%.4g %s",
                 f > 0 ? 1 / f : found.wave[k].period, f > 0 ? st->unit : "px");
    }
    notes->n_marks = found.n_peaks;
    json_t *peaks = rc ? NULL : gf_stats_peaks_report(st, &found);
    for (size_t k = 0; k < json_array_size(peaks) && t->job.ndim > 2; k++)
        GF_ADD(json_array_get(peaks, k), GF_KEY("page", z));
    json_array_extend(list, peaks);
    json_decref(peaks);
    free(found.peak);
    free(found.wave);
    return rc;
}

/* ---- pictures ---- */

static enum gf_pool pool_of(enum gf_kind kind) {
    return kind == GF_PHASE                     ? GF_POOL_MIDDLE
           : kind == GF_REAL || kind == GF_IMAG ? GF_POOL_FARTHEST
                                                : GF_POOL_LARGEST;
}

/* A plane of a picture, or of a volume. */
static struct gf_array plane_of(const struct gf_array *px, int64_t z) {
    return px->rank > 3 ? gf_array_index(px, 0, z) : *px;
}

/* Draws plane z of output i into `px`. */
static int draw_plane(const struct gf_task *t, int i, int64_t z, const struct gf_notes *notes,
                      const struct gf_array *px) {
    unsigned char map[256][3];
    struct gf_view view;
    int64_t size[2];
    int rc = make_view(t, &view);
    if (rc)
        return rc;
    const int64_t margin = gf_picture_size(&view, notes->rulers, size);
    const struct gf_array from = plane_of(&t->product[i].image.px, z), all = plane_of(px, z);
    struct gf_array to = gf_array_slice(&all, 1, margin, view.size[1]);
    to = gf_array_slice(&to, 0, 0, view.size[0]);
    gf_colormap_make(t->s->picture.colormap, map);
    gf_view_draw(&view, &from, pool_of(t->product[i].kind), colors(t->s) ? map : NULL, &to,
                 gf_settings_threads(t->s));
    return annotates(t->s) ? gf_picture_annotate(&view, notes, &all) : 0;
}

/* Makes the drawn image the product's. */
static void replace(struct gf_product *p, const struct gf_image *drawn) {
    gf_array_free(&p->image.px);
    p->image.ndim = drawn->ndim;
    p->image.color = drawn->color;
    p->image.px = drawn->px;
    p->image.axes.n = 0;
    memcpy(p->shape, drawn->px.shape, sizeof p->shape);
}

static int draw_pictures(struct gf_task *t) {
    struct gf_image plane = t->image, drawn[GF_MAX_OUTPUTS] = {{.ndim = 0}};
    struct gf_job one;
    struct gf_notes notes = {.rulers = t->s->picture.rulers, .unit = "sample", .spacing = {1, 1}};
    const int64_t planes = t->job.ndim > 2 ? t->job.shape[0] : 1;
    json_t *list = t->s->picture.marks ? json_array() : NULL;
    int rc = 0;
    spectrum_of(t, 0, &one);
    struct gf_stats st = {.job = &one};
    plane.ndim = 2;
    gf_stats_take_units(&plane, &st);
    if (st.unit) {
        notes.unit = st.unit;
        memcpy(notes.spacing, st.spacing, sizeof notes.spacing);
    }
    for (int i = 0; i < t->targets->n && !rc; i++) {
        rc = t->product[i].drawn ? describe_drawn(t, i, &drawn[i]) : 0;
        const struct gf_array like = drawn[i].px;
        if (!rc && t->product[i].drawn)
            rc = gf_array_alloc(&drawn[i].px, like.dtype, like.rank, like.shape);
    }
    for (int64_t z = 0; z < planes && !rc; z++) {
        rc = list ? find_marks(t, z, &st, &notes, list) : 0;
        for (int i = 0; i < t->targets->n && !rc; i++)
            rc = t->product[i].drawn ? draw_plane(t, i, z, &notes, &drawn[i].px) : 0;
        free((void *)notes.mark);
        notes.mark = NULL;
    }
    for (int i = 0; i < t->targets->n; i++) {
        if (rc)
            gf_array_free(&drawn[i].px);
        else if (t->product[i].drawn)
            replace(&t->product[i], &drawn[i]);
    }
    if (list)
        t->also = GF_REPORT(GF_KEY("marks", list));
    return rc;
}

/* ---- plots ---- */

enum { MOST_COLUMNS = 2048 }; /* of a plot; of more points each shows the lowest and the highest */

/* A line's spectrum, by frequency: from 0 up for real samples, else from the lowest. */
struct line {
    int axis;
    int64_t n, first, count; /* bins from `first` on */
    bool shifted;
    struct gf_array px;
};

static struct line line_of(const struct gf_task *t, int i) {
    const struct gf_job *job = &t->job;
    const struct gf_output *out = &job->out[i];
    struct line l = {.axis = line_axis(job), .px = t->product[i].image.px};
    const bool real = !gf_dtype_is_complex(job->in_dtype);
    l.n = job->shape[l.axis];
    l.first = real ? 0 : -(l.n / 2);
    l.count = real ? l.n / 2 + 1 : l.n;
    l.shifted = out->shift && !(out->half && l.axis == gf_job_half_axis(job));
    return l;
}

static double value_at(const struct line *l, int64_t k, int64_t channel) {
    const int64_t bin = (k + l->n + (l->shifted ? l->n / 2 : 0)) % l->n;
    const char *p = (const char *)l->px.data + bin * l->px.stride[l->axis] +
                    channel * l->px.stride[l->px.rank - 1];
    return gf_sample_get(p, l->px.dtype);
}

/* Fills a curve's points for frequencies in steps of `unit`; returns their number. */
static int64_t fill_curve(const struct line *l, int64_t channel, double unit, double *x,
                          double *y) {
    const int64_t columns = gf_min(l->count, MOST_COLUMNS);
    int64_t n = 0;
    for (int64_t c = 0; c < columns; c++) {
        const int64_t from = l->count * c / columns, to = l->count * (c + 1) / columns;
        int64_t low = from, high = from;
        for (int64_t k = from; k < to; k++) {
            const double v = value_at(l, l->first + k, channel);
            low = v < value_at(l, l->first + low, channel) ? k : low;
            high = v > value_at(l, l->first + high, channel) ? k : high;
        }
        for (int64_t k = gf_min(low, high);; k = gf_max(low, high)) {
            x[n] = (double)(l->first + k) * unit;
            y[n++] = value_at(l, l->first + k, channel);
            if (k == gf_max(low, high))
                break;
        }
    }
    return n;
}

static int draw_plot(struct gf_task *t, int i) {
    const char *slash = strrchr(t->read[0], '/');
    const struct line l = line_of(t, i);
    const int64_t channels = gf_job_lanes(&t->job), points = 2 * MOST_COLUMNS;
    const enum gf_kind kind = t->product[i].kind;
    struct gf_stats st = {.job = &t->job};
    struct gf_image image = {.ndim = 0};
    char label[32];
    gf_stats_take_units(&t->image, &st);
    snprintf(label, sizeof label, "cycles/%s", st.unit ? st.unit : "sample");
    double *x = malloc((size_t)(2 * channels * points) * sizeof *x);
    struct gf_plot_curve *curve = calloc((size_t)channels, sizeof *curve);
    int rc = x && curve ? 0 : gf_no_memory();
    for (int64_t c = 0; c < channels && !rc; c++) {
        double *own = x + 2 * c * points;
        const double unit = 1 / ((double)l.n * (st.unit ? st.spacing[l.axis] : 1));
        curve[c] = (struct gf_plot_curve){.x = own, .y = own + points};
        curve[c].n = fill_curve(&l, c, unit, own, own + points);
        gf_plot_name_channel(&curve[c], c, channels, t->image.color == GF_RGB);
    }
    const struct gf_plot plot = {.title = gf_log_name(slash ? slash + 1 : t->read[0]),
                                 .x_label = label,
                                 .y_label = gf_kind_name(kind),
                                 .linear_x = true,
                                 .linear_y = kind != GF_MAGNITUDE && kind != GF_POWER,
                                 .curve = curve,
                                 .n = (int)channels};
    if (!rc)
        rc = gf_plot_image(&plot, &image);
    if (rc)
        gf_image_free(&image);
    else
        replace(&t->product[i], &image);
    free(curve);
    free(x);
    return rc;
}

int gf_picture_draw(struct gf_task *t) {
    int rc = is_asked(t->s) ? draw_pictures(t) : 0;
    for (int i = 0; i < t->targets->n && !rc; i++)
        rc = is_plot(t, i) ? draw_plot(t, i) : 0;
    if (t->s->picture.marks)
        t->overflowed[t->job.n_out - 1] = 0;
    return rc;
}
