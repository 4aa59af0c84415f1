/* Derives jobs, outputs and records from headers, for the commands' prepare(). */
#include "cli/batch/describe.h"

#include "cli/log.h"

void gf_task_split(struct gf_task *t, const struct gf_array *px, int64_t channels) {
    const int axis = t->op.job.ndim;
    t->op.in = *px;
    t->op.in.base = NULL;
    t->op.in.shape[axis] = channels;
    t->op.of.alpha = px->shape[axis] > channels;
}

int gf_task_take_channels(struct gf_task *t) {
    const struct gf_image *image = &t->image;
    int64_t channels = image->px.shape[image->ndim] - image->alpha;
    if (channels < 1)
        return gf_fail(GF_EINVAL, "nothing but an alpha channel");
    t->op.job.channels = channels;
    t->op.job.luma = t->s->color == 1 && channels > 1;
    if (t->op.job.luma && image->color != GF_RGB)
        return gf_fail(GF_EINVAL,
                       "--color=luma needs red, green and blue, and these are %lld plain channels",
                       (long long)channels);
    gf_task_split(t, &image->px, channels);
    return 0;
}

void gf_task_begin_job(struct gf_task *t, enum gf_direction direction) {
    struct gf_job *job = &t->op.job;
    job->direction = direction;
    job->ndim = t->image.ndim;
    memcpy(job->shape, t->image.px.shape, (size_t)job->ndim * sizeof *job->shape);
    job->in_dtype = t->image.px.dtype;
    job->precision = gf_settings_precision(t->s, job->in_dtype);
}

/* GF_EINVAL if --axes or --dims differ from the axes of a record's job. */
static int check_axes(const struct gf_settings *s, const struct gf_job *job) {
    unsigned axes = job->axes;
    int rc = s->axes.n || s->dims ? gf_settings_axes(s, NULL, job->ndim, &axes) : 0;
    if (!rc && axes != job->axes)
        rc = gf_fail(GF_EINVAL, "--axes and --dims must name the axes of its record");
    return rc;
}

int gf_task_describe(struct gf_task *t, int i, enum gf_color color) {
    struct gf_product *p = &t->product[i];
    int64_t shape[GF_MAX_RANK], bytes;
    gf_job_out_shape(&t->op.job, i, shape);
    shape[t->op.job.ndim] += p->alpha_plane;
    int rc = gf_size_product(shape, t->op.job.ndim + 1,
                             (int64_t)gf_dtype_size(t->op.job.out[i].dtype), &bytes);
    if (rc)
        return rc;
    p->image.px = gf_array_wrap(NULL, t->op.job.out[i].dtype, t->op.job.ndim + 1, shape);
    memcpy(p->shape, shape, sizeof p->shape);
    p->image.ndim = t->op.job.ndim;
    p->image.color = color;
    p->image.channel_axis = p->image.channel_axis || t->image.channel_axis;
    if (!p->image.axes.n && t->op.job.op != GF_DWT) {
        p->image.axes = t->image.axes;
        if (t->op.job.op == GF_FFT && t->op.job.direction == GF_FORWARD)
            gf_axes_transform(&p->image.axes, t->op.job.ndim, t->op.job.shape, t->op.job.axes);
    }
    struct gf_product written = gf_series_product(t, i);
    if (p->stretches)
        written.image.px.dtype = p->dtype;
    if (p->drawn.ndim)
        written.image = p->drawn;
    return t->s->plan_only ? 0 : gf_product_accepts(&written);
}

/* ---- restored pictures ---- */

/* For a restored picture: sets *dtype to its `own` type if the format can hold it, but leaves it
 * with --depth. GF_EINVAL if the format can hold neither that nor floats. */
static int keep_dtype(const struct gf_settings *s, const struct gf_format *format,
                      enum gf_dtype own, int64_t white, enum gf_dtype *dtype) {
    const unsigned can = format->dtypes;
    if (s->depth)
        return 0;
    if (white > 0 && !(can >> own & 1)) /* the file's integers */
        own = white <= UINT8_MAX ? GF_U8 : GF_U16;
    if (can >> own & 1)
        *dtype = own;
    else if (!(can >> GF_F32 & 1) && !s->display.range.given)
        return gf_fail(
            GF_EINVAL,
            "the picture's %s samples do not fit a %s file; write %s, or give --depth=%s, "
            "which clips and rounds, or --range=1%%,99.9%% to look at them",
            gf_dtype_name(own), format->name, own == GF_U16 ? ".png or .tif" : ".tif or .npy",
            can >> GF_U16 & 1 ? "8 or 16" : "8");
    return 0;
}

int gf_task_describe_restored(struct gf_task *t, int i, const struct gf_record *r) {
    struct gf_product *p = &t->product[i];
    struct gf_output *out = &t->op.job.out[i];
    const bool own = r && p->kind == (r->complex_input ? GF_COMPLEX : GF_REAL);
    int rc = gf_target_dtype(t->s, p->target, p->kind, p->format, t->op.job.precision, &out->dtype);
    if (!rc && own)
        rc = keep_dtype(t->s, p->format, r->dtype, r->white, &out->dtype);
    if (rc)
        return rc;
    if (t->s->display.range.given && !gf_dtype_is_integer(out->dtype))
        return gf_fail(GF_EINVAL, "--range makes integers, and these are %s; give --depth=8 or 16",
                       gf_dtype_name(out->dtype));
    p->stretches =
        t->s->display.range.given && gf_dtype_is_integer(out->dtype) && p->kind != GF_PHASE;
    p->dtype = out->dtype;
    if (p->stretches)
        out->dtype = t->op.job.precision == GF_DOUBLE ? GF_F64 : GF_F32;
    out->kind = p->kind;
    /* Only a phase as integers is mapped for display. */
    bool display = p->kind == GF_PHASE && gf_dtype_is_integer(out->dtype);
    out->map = display ? GF_MAP_DISPLAY : GF_MAP_NUMBER;
    p->alpha_plane = r && r->alpha == GF_ALPHA_KEPT && p->kind == GF_REAL && p->format->alpha;
    p->image.alpha = p->alpha_plane;
    p->white = r && p->kind == GF_REAL && !p->stretches ? (double)r->white : 0;
    if (p->format->keeps_white && p->white > 0 && out->dtype == r->dtype)
        p->image.white = p->white;
    p->keeps = own || (r && p->kind == GF_REAL) ? GF_KEEPS_ALL : GF_KEEPS_NOTHING;
    p->image.channel_axis = r && r->channel_axis;
    p->image.restores = own && !t->s->depth && !p->stretches;
    if (own || (r && p->kind == GF_REAL)) {
        p->image.axes = r->file_axes;
        p->image.axes.separate = t->image.axes.separate;
        if (gf_axes_pages(&p->image.axes) != t->op.job.shape[0] || t->reader.series)
            gf_axes_drop_pages(&p->image.axes, false);
    }
    return gf_task_describe(t, i, r ? r->color : gf_color_of(t->op.job.channels));
}

/* Without --kind restores a complex picture as complex; GF_EINVAL if the format cannot hold it. */
static int choose_kind(struct gf_task *t, int i, const struct gf_record *r) {
    struct gf_product *p = &t->product[i];
    bool unsaid = t->s->out && i == 0 && t->s->kind == GF_UNSET;
    if (!r || !r->complex_input || !unsaid)
        return 0;
    if (!(p->format->dtypes >> GF_C64 & 1))
        return gf_fail(GF_EINVAL,
                       "the picture was complex, and a %s file is not; write .tif, .npy or .raw, "
                       "or give --kind=real|imag|magnitude|phase",
                       p->format->name);
    p->kind = GF_COMPLEX;
    return 0;
}

int gf_task_prepare_inverse(struct gf_task *t, const struct gf_inverse *how) {
    struct gf_record record, *r = t->image.record ? &record : NULL;
    int rc = r ? gf_record_parse(t->image.record, r) : 0;
    if (!rc)
        rc = how->check_input(t, r);
    if (rc)
        return rc;
    rc = r ? gf_record_restore(r, &t->image) : 0;
    if (!rc && r && t->reader.file[0])
        rc = gf_pick_move(gf_file_pick(t->reader.file[0]), &t->image.metadata);
    if (rc)
        return rc;
    gf_task_begin_job(t, GF_INVERSE);
    if (r) {
        gf_record_job(r, &t->op.job);
        rc = check_axes(t->s, &t->op.job);
    }
    if (!rc)
        rc = r ? how->check_options(t, r) : how->guess_job(t);
    struct gf_array px = t->image.px;
    if (!rc && r && !(rc = gf_record_match(r, &px)))
        gf_task_split(t, &px, t->op.job.channels);
    for (int i = 0; i < t->op.job.n_out && !rc; i++) {
        rc = choose_kind(t, i, r);
        if (!rc)
            rc = gf_task_describe_restored(t, i, r);
    }
    return rc;
}

void gf_task_tell_clipped(const struct gf_task *t, int i) {
    const long long clipped = (long long)t->op.report.clipped[i];
    if (clipped)
        (t->s->edited ? gf_log_note : gf_log_verbose)(
            "'%s': %lld sample%s clipped to %s", gf_log_name(t->read[0]), clipped,
            clipped == 1 ? "" : "s", gf_task_range_name(t, i, (char[24]){0}));
}

const char *gf_task_range_name(const struct gf_task *t, int i, char text[24]) {
    const double white = t->product[i].image.white;
    if (white > 0)
        snprintf(text, 24, "0..%.0f", white);
    else
        snprintf(text, 24, "%s", gf_dtype_name(t->op.job.out[i].dtype));
    return text;
}

/* Notes a distance of samples that is an angle, say, and no length. */
static void note_distances(const struct gf_task *t, const struct gf_format *format) {
    for (int i = 0; i < t->image.axes.n && format->lengths; i++) {
        const struct gf_axis *a = &t->image.axes.axis[i];
        char kind = 'm';
        if (a->role == GF_SPACE && a->spacing > 0 && gf_unit_value(a->unit, &kind) > 0 &&
            kind != 'm') {
            gf_log_note("'%s': the %s file does not keep its distances in %s",
                        gf_log_name(t->read[0]), format->name, a->unit);
            return;
        }
    }
}

void gf_task_note_lost(const struct gf_task *t, int i) {
    const struct gf_product *p = &t->product[i];
    double low, white;
    gf_dtype_range(t->op.job.out[i].dtype, &low, &white);
    if (p->white > 0 && !(p->image.white > 0) && gf_dtype_is_integer(t->op.job.out[i].dtype) &&
        (p->white < white || p->white > white))
        gf_log_note("'%s': its white is %.0f; the %s file keeps the numbers, and its white is %.0f",
                    gf_log_name(t->read[0]), p->white, p->format->name, white);
    const struct gf_metadata *m = &t->image.metadata;
    const struct gf_format *from = m->header ? gf_format_by_name(m->header_format) : NULL;
    char names[GF_HEADER_NAMES] = "", lost[80] = "";
    if (p->keeps == GF_KEEPS_ALL && from && from != p->format && from->name_header)
        from->name_header(m, names);
    if (*names)
        gf_log_note("'%s': the %s file does not keep its %s", gf_log_name(t->read[0]),
                    p->format->name, names);
    if (p->keeps == GF_KEEPS_ALL)
        note_distances(t, p->format);
    if (p->keeps == GF_KEEPS_ALL && m->more && from == p->format && (!m->rest || p->by_plane))
        gf_log_note("'%s': the other images and tables of the FITS file are not in '%s'",
                    gf_log_name(t->read[0]), p->path);
    for (int k = 0; k < 4 && m->lost[k] && p->keeps == GF_KEEPS_ALL; k++)
        snprintf(lost + strlen(lost), sizeof lost - strlen(lost), "%s%d%s", k ? ", " : "",
                 m->lost[k], m->lost[k] == 330 ? " (SubIFDs, such as reduced copies)" : "");
    if (*lost)
        gf_log_note("'%s': '%s' does not have its TIFF tags %s", gf_log_name(t->read[0]), p->path,
                    lost);
    if (p->keeps == GF_KEEPS_ALL && m->packed && from == p->format)
        gf_log_note("'%s': the image is not compressed in '%s'", gf_log_name(t->read[0]), p->path);
    if (t->op.of.alpha && !t->product[i].alpha_plane)
        gf_log_note("'%s': alpha dropped; a %s file does not keep it here", gf_log_name(t->read[0]),
                    t->product[i].format->name);
}

int gf_task_check_restored(struct gf_task *t) {
    for (int i = 0; i < t->op.job.n_out; i++) {
        const long long clipped = (long long)t->op.report.clipped[i];
        if (clipped && !t->s->depth && !t->op.lossy && !t->s->edited)
            return gf_fail(
                GF_EINVAL,
                "%lld sample%s not fit %s; a float .tif keeps them, --depth=8 or 16%s clips them",
                clipped, clipped == 1 ? " does" : "s do", gf_task_range_name(t, i, (char[24]){0}),
                t->image.record && t->op.job.op == GF_FFT ? " or --edited" : "");
        if (!t->s->depth)
            gf_task_tell_clipped(t, i);
        gf_task_note_lost(t, i);
    }
    return 0;
}
