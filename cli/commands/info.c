/* gpufft info: reports the contents of files from their headers. */

#include "cli/command.h"
#include "cli/batch/describe.h"
#include "cli/log.h"
#include "cli/batch/ranks.h"
#include "cli/report.h"

/* ---- metadata ---- */

static const char *const colors[] = {"gray", "rgb", "plain channels"}; /* enum gf_color */
static const char *const units[] = {NULL, "inch", "centimetre",
                                    "metre"}; /* enum gf_resolution_unit */
static const char *const intents[] = {"perceptual", "relative colorimetric", "saturation",
                                      "absolute colorimetric"};
/* The corner of the first row and first column, by EXIF orientation. */
static const char *const corners[] = {NULL,           "top-left",     "top-right",
                                      "bottom-right", "bottom-left",  "left-top",
                                      "right-top",    "right-bottom", "left-bottom"};

static json_t *axes_report(const struct gf_axes *axes) {
    json_t *list = json_array();
    for (const struct gf_axis *a = axes->axis; a < axes->axis + axes->n; a++)
        GF_APPEND(list, GF_KEY("name", a->name), GF_KEY("extent", a->extent),
                  GF_KEY_OR_NULL(a->spacing > 0, "spacing", a->spacing),
                  GF_KEY_OR_NULL(*a->unit, "unit", a->unit), GF_KEY("role", gf_role_names[a->role]),
                  GF_BOOL(".next", a < axes->axis + axes->n - 1));
    return list;
}

static json_t *resolution_report(const struct gf_resolution *r) {
    double x, y;
    const bool converts = r->unit > GF_INCH && gf_resolution_in(r, GF_INCH, &x, &y);
    return GF_REPORT(GF_KEY("x", r->x), GF_KEY("y", r->y), GF_KEY("unit", units[r->unit]),
                     GF_KEY_IF(converts, ".inch", GF_REPORT(GF_KEY("x", x), GF_KEY("y", y))));
}

static json_t *record_report(const struct gf_record *r) {
    static const char *const alpha[] = {"none", "dropped", "kept"};
    const struct gf_resolution *resolution = &r->metadata.resolution;
    const bool wavelet = r->is_wavelet;
    char window[GF_WINDOW_TEXT];
    json_t *o = GF_REPORT(
        GF_KEY("version", r->version), GF_KEY("kind", gf_kind_name(r->kind)),
        GF_KEY("shape", gf_json_shape(r->shape, r->ndim)), GF_KEY("channels", r->channels),
        GF_KEY("type", gf_dtype_name(r->dtype)), GF_KEY("axes", gf_json_axes(r->axes, r->ndim)),
        GF_KEY("alpha", alpha[r->alpha]), GF_BOOL(".kept", r->alpha == GF_ALPHA_KEPT),
        GF_KEY_OR_NULL(resolution->x > 0, "resolution", resolution_report(resolution)));
    if (wavelet)
        return GF_ADD(o, GF_KEY("transform", "dwt"),
                      GF_KEY("wavelet", gf_wavelet_names[r->wavelet]), GF_KEY("levels", r->levels),
                      GF_KEY("boundary", gf_boundary_name(r->boundary)),
                      GF_KEY("thresholded", r->thresholded));
    return GF_ADD(
        o, GF_KEY("norm", gf_norm_name(r->norm)), GF_KEY("shift", r->shift),
        GF_KEY("half", r->half), GF_KEY("luma", r->luma),
        GF_KEY_IF(!gf_window_is_flat(&r->window), "window", gf_window_text(&r->window, window)),
        GF_TRUE_IF(r->smooth, "smooth"));
}

static json_t *orientation_report(const struct gf_image *image) {
    return GF_REPORT(GF_KEY("exif", image->orientation),
                     GF_KEY("name", corners[image->orientation]), GF_KEY("applied", image->turned),
                     GF_BOOL(".turns", image->orientation != 1));
}

static json_t *profile_report(const struct gf_metadata *m) {
    char name[80], space[5];
    gf_profile_space(m, space);
    space[strcspn(space, " ")] = 0;
    return GF_REPORT(GF_KEY("name", gf_profile_name(m, name, sizeof name)), GF_KEY("space", space),
                     GF_KEY("bytes", m->profile_bytes));
}

static json_t *report(const char *path, const struct gf_image *image,
                      const struct gf_format *format, const struct gf_record *r) {
    const struct gf_metadata *m = &image->metadata;
    return GF_REPORT(
        GF_KEY("path", path), GF_KEY("format", format->name),
        GF_KEY("shape", gf_json_shape(image->px.shape, image->ndim)),
        GF_BOOL(".volume", image->ndim == 3 || image->apart), GF_BOOL(".apart", image->apart > 0),
        GF_KEY("pages", image->apart       ? image->apart
                        : image->ndim == 3 ? image->px.shape[0]
                                           : 1),
        GF_KEY("channels", image->px.shape[image->ndim]), GF_KEY("color", colors[image->color]),
        GF_KEY("alpha", image->alpha), GF_KEY("type", gf_dtype_name(image->px.dtype)),
        GF_KEY("depth", image->depth), GF_KEY_IF(image->white > 0, "white", (int64_t)image->white),
        GF_KEY_OR_NULL(image->axes.n, "axes", axes_report(&image->axes)),
        GF_KEY("axes_by", image->axes.n ? image->axes.by : NULL),
        GF_KEY("compression", image->compression ? image->compression : "none"),
        GF_KEY_OR_NULL(m->resolution.x > 0, "resolution", resolution_report(&m->resolution)),
        GF_KEY_OR_NULL(image->orientation, "orientation", orientation_report(image)),
        GF_KEY_OR_NULL(m->gamma, "gamma", m->gamma / 1e5),
        GF_KEY("srgb", m->srgb ? intents[m->intent] : NULL),
        GF_KEY_OR_NULL(m->profile, "profile", profile_report(m)),
        GF_KEY_OR_NULL(r, "record", record_report(r)));
}

#define RESOLUTION \
    "{?unit {x:.6g}x{y:.6g} pixels per {unit}|{x:.6g} to {y:.6g}, without a unit}" \
    "{*inch  ({x:.6g}x{y:.6g} per inch)}\n"

static const char form[] =
    "  format       {format}\n"
    "  compression  {compression}\n"
    "  shape        {shape}{?volume  ({pages} pages{?apart , which differ; the first})}\n"
    "  channels     {channels} ({color}{?alpha , the last is alpha})\n"
    "  type         {type}{?depth  ({depth} bits a sample in the file)}{?white , white is "
    "{white}}\n"
    "{?axes   axes         {*axes {name} {extent}{?spacing  by {spacing:.6g}{?unit  {unit}}}"
    "{?next , }}{?axes_by  ({axes_by}'s description)}\n}"
    "{*resolution   resolution   " RESOLUTION "}"
    "{*orientation   orientation  {exif} ({name}){?turns {?applied , applied|, not applied}}\n}"
    "{?gamma   gamma        {gamma:.6g}\n}"
    "{?srgb   colour       sRGB, {srgb}\n}"
    "{*profile   profile      {?name {name}, }ICC of {space}, {bytes} bytes\n}"
    "{*record {?transform "
    "  wavelet      {wavelet} coefficients{?thresholded , thresholded,} of a {shape} {type} picture\n"
    "               axes {axes}, {levels#level}, boundary {boundary}, alpha {alpha}{?kept  as the "
    "last channel}\n|"
    "  spectrum     {kind} of a {shape} {type} picture{?luma 's luma}\n"
    "               axes {axes}, norm {norm}, zero frequency in the {?shift centre|corner}, "
    "{?half half|full}, alpha {alpha}{?kept  as the last channel}"
    "{?window , window {window}}{?smooth , edges smooth}\n}"
    "{*resolution                " RESOLUTION "}}";

static int show(const struct gf_settings *s, const char *path) {
    struct gf_image image = {0};
    struct gf_record record;
    const struct gf_format *format = NULL;
    struct gf_read_options options = gf_settings_read_options(s);
    options.header_only = options.lists = true;
    options.volumes = false;
    int rc = gf_image_read(path, &options, &image, &format);
    if (!rc && image.record)
        rc = gf_record_parse(image.record, &record);
    if (!rc && !s->json)
        gf_log_heading(path);
    if (!rc)
        gf_report_print(s->json, form, report(path, &image, format, image.record ? &record : NULL));
    gf_log_flush_stdout();
    gf_load_note(path, &image);
    gf_image_free(&image);
    return rc;
}

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_inputs inputs = {0};
    int worst;
    if (!gf_ranks_prints(s, operands, n))
        return 0;
    int rc = gf_settings_check(s);
    if (!rc)
        rc = gf_inputs_gather(s, operands, n, &inputs);
    worst = rc ? rc : inputs.failed != 0;
    for (int i = 0; i < inputs.n && !rc; i++) {
        if (!show(s, inputs.path[i]))
            continue;
        gf_log_fail(inputs.path[i]);
        gf_report_failed(s, inputs.path[i]);
        worst = 1;
    }
    gf_inputs_free(&inputs);
    return worst;
}

static const struct gf_opt_group *const groups[] = {&gf_opts_list, &gf_opts_raw, &gf_opts_mpi,
                                                    &gf_opts_common, NULL};

const struct gf_command gf_command_info = {
    .name = "info",
    .operands = "IN...",
    .summary = "what a file holds: shape, type, compression, a spectrum's record",
    .launched = true,
    .groups = groups,
    .text = true,
    .examples = "  gpufft info scene.png spec.tif\n"
                "  gpufft info --json head.tif\n",
    .run = run,
};
