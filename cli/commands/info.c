/* gpufft info: what files hold, from their headers. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/batch/inputs.h"
#include "cli/batch/job_record.h"
#include "cli/json_memory.h"
#include "cli/log.h"
#include "cli/batch/ranks.h"
#include "cli/batch/report.h"
#include "core/base/status.h"
#include "formats/files.h"

static const char *color_name(const struct gf_image *image) {
    switch (image->color) {
    case GF_GRAY:
        return "gray";
    case GF_RGB:
        return "rgb";
    default:
        return "plain channels";
    }
}

static const char *alpha_name(enum gf_alpha alpha) {
    switch (alpha) {
    case GF_ALPHA_DROPPED:
        return "dropped";
    case GF_ALPHA_KEPT:
        return "kept as the last channel";
    default:
        return "none";
    }
}

static void print_shape(const int64_t *shape, int n) {
    for (int i = 0; i < n; i++)
        printf("%s%lld", i ? "x" : "", (long long)shape[i]);
}

static void axes_text(unsigned axes, int ndim, char text[8]) {
    int n = 0;
    for (int i = 0; i < ndim; i++)
        if (axes >> i & 1) {
            if (n)
                text[n++] = ',';
            text[n++] = "zyx"[GF_MAX_DIMS - ndim + i];
        }
    text[n] = 0;
}

/* ---- beside the samples ---- */

static const char *const units[] = {NULL, "inch", "centimetre", "metre"}; /* by enum gf_unit */
static const char *const intents[] = {"perceptual", "relative colorimetric", "saturation",
                                      "absolute colorimetric"};
/* Where the first row and the first column belong, by EXIF's number. */
static const char *const corners[] = {NULL,           "top-left",     "top-right",
                                      "bottom-right", "bottom-left",  "left-top",
                                      "right-top",    "right-bottom", "left-bottom"};

static const char *compression_of(const struct gf_image *image) {
    return image->compression ? image->compression : "none";
}

static void print_resolution(const char *label, const struct gf_resolution *r) {
    double x, y;
    if (!(r->x > 0))
        return;
    if (r->unit == GF_UNIT_NONE)
        printf("  %-13s%.6g to %.6g, without a unit", label, r->x, r->y);
    else
        printf("  %-13s%.6gx%.6g pixels per %s", label, r->x, r->y, units[r->unit]);
    if (r->unit > GF_INCH && gf_resolution_in(r, GF_INCH, &x, &y))
        printf(" (%.6gx%.6g per inch)", x, y);
    printf("\n");
}

static const char spaces[] = "zyx";

static int64_t extent_of(const struct gf_stack *s, char axis) {
    return axis == 'z' ? s->z : axis == 'c' ? s->c : s->t;
}

static void print_stack(const struct gf_image *image) {
    const struct gf_stack *s = &image->stack;
    if (!s->by)
        return;
    printf("  stack        ");
    for (int i = 0; i < 3; i++)
        printf("%c %lld, ", s->order[i], (long long)extent_of(s, s->order[i]));
    printf("%lld pages by %s's description", (long long)s->pages, s->by);
    for (int i = 0; i < 3; i++)
        if (s->spacing[i] > 0)
            printf(", %c by %.6g%s%s", spaces[i], s->spacing[i], *s->unit ? " " : "", s->unit);
    printf("\n");
}

static void print_metadata(const struct gf_image *image) {
    const struct gf_metadata *m = &image->metadata;
    char name[80], space[5];
    print_resolution("resolution", &m->resolution);
    if (image->orientation)
        printf("  orientation  %d (%s)%s\n", image->orientation, corners[image->orientation],
               image->orientation == 1 ? ""
               : image->turned         ? ", applied"
                                       : ", not applied");
    if (m->gamma)
        printf("  gamma        %.6g\n", m->gamma / 1e5);
    if (m->srgb)
        printf("  colour       sRGB, %s\n", intents[m->intent]);
    if (!m->profile)
        return;
    gf_profile_space(m, space);
    gf_profile_name(m, name, sizeof name);
    printf("  profile      %s%sICC of %.*s, %zu bytes\n", name, *name ? ", " : "",
           (int)strcspn(space, " "), space, m->profile_bytes);
}

/* ---- records ---- */

static void print_record(const struct gf_record *r) {
    struct gf_job job;
    char axes[8];
    gf_job_of_record(r, &job);
    axes_text(r->axes, r->ndim, axes);
    if (r->version == GF_RECORD_WAVELET) {
        printf("  wavelet      d4 coefficients%s of a ", r->thresholded ? ", thresholded," : "");
        print_shape(r->shape, r->ndim);
        printf(" %s picture\n               axes %s, %d level%s, boundary %s, alpha %s\n",
               gf_dtype_name(r->dtype), axes, r->levels, r->levels == 1 ? "" : "s",
               gf_boundary_name(job.wavelet.boundary), alpha_name(r->alpha));
        print_resolution("", &r->metadata.resolution);
        return;
    }
    printf("  spectrum     %s of a ", gf_kind_name(gf_kind_of_record(r)));
    print_shape(r->shape, r->ndim);
    printf(" %s picture%s\n", gf_dtype_name(r->dtype), r->luma ? "'s luma" : "");
    printf("               axes %s, norm %s, zero frequency in the %s, %s, alpha %s\n", axes,
           gf_norm_name(job.norm), r->shift ? "centre" : "corner", r->half ? "half" : "full",
           alpha_name(r->alpha));
    print_resolution("", &r->metadata.resolution);
}

static void print_info(const char *path, const struct gf_image *image,
                       const struct gf_format *format, const struct gf_record *r) {
    gf_log_heading(path);
    printf("  format       %s\n", format->name);
    printf("  compression  %s\n", compression_of(image));
    printf("  shape        ");
    print_shape(image->px.shape, image->ndim);
    if (image->ndim == 3)
        printf(" (%lld pages)", (long long)image->px.shape[0]);
    printf("\n  channels     %lld (%s%s)\n", (long long)image->px.shape[image->ndim],
           color_name(image), image->alpha ? ", the last is alpha" : "");
    printf("  type         %s", gf_dtype_name(image->px.dtype));
    if (image->depth)
        printf(" (%d bits a sample in the file)", image->depth);
    printf("\n");
    print_stack(image);
    print_metadata(image);
    if (r)
        print_record(r);
}

static json_t *json_resolution(const struct gf_resolution *r) {
    json_t *o = r->x > 0 ? json_object() : json_null();
    if (!(r->x > 0))
        return o;
    json_object_set_new(o, "x", json_real(r->x));
    json_object_set_new(o, "y", json_real(r->y));
    json_object_set_new(o, "unit", units[r->unit] ? json_string(units[r->unit]) : json_null());
    return o;
}

static json_t *json_record(const struct gf_record *r) {
    static const char *const alpha[] = {"none", "dropped", "kept"};
    struct gf_job job;
    char axes[8];
    gf_job_of_record(r, &job);
    axes_text(r->axes, r->ndim, axes);
    json_t *o = json_object();
    json_object_set_new(o, "version", json_integer(r->version));
    json_object_set_new(o, "kind", json_string(gf_kind_name(gf_kind_of_record(r))));
    json_object_set_new(o, "shape", gf_json_shape(r->shape, r->ndim));
    json_object_set_new(o, "channels", json_integer(r->channels));
    json_object_set_new(o, "type", json_string(gf_dtype_name(r->dtype)));
    json_object_set_new(o, "axes", json_string(axes));
    json_object_set_new(o, "alpha", json_string(alpha[r->alpha]));
    json_object_set_new(o, "resolution", json_resolution(&r->metadata.resolution));
    if (r->version == GF_RECORD_WAVELET) {
        json_object_set_new(o, "transform", json_string("dwt"));
        json_object_set_new(o, "wavelet", json_string("d4"));
        json_object_set_new(o, "levels", json_integer(r->levels));
        json_object_set_new(o, "boundary", json_string(gf_boundary_name(job.wavelet.boundary)));
        json_object_set_new(o, "thresholded", json_boolean(r->thresholded));
        return o;
    }
    json_object_set_new(o, "norm", json_string(gf_norm_name(job.norm)));
    json_object_set_new(o, "shift", json_boolean(r->shift));
    json_object_set_new(o, "half", json_boolean(r->half));
    json_object_set_new(o, "luma", json_boolean(r->luma));
    return o;
}

static json_t *json_stack(const struct gf_stack *s) {
    if (!s->by)
        return json_null();
    json_t *o = json_object(), *spacing = json_object();
    json_object_set_new(o, "by", json_string(s->by));
    json_object_set_new(o, "pages", json_integer(s->pages));
    json_object_set_new(o, "order", json_string(s->order));
    for (int i = 0; i < 3; i++) {
        const char name[2] = {s->order[i], 0}, space[2] = {spaces[i], 0};
        json_object_set_new(o, name, json_integer(extent_of(s, s->order[i])));
        if (s->spacing[i] > 0)
            json_object_set_new(spacing, space, json_real(s->spacing[i]));
    }
    json_object_set_new(o, "spacing", spacing);
    json_object_set_new(o, "unit", *s->unit ? json_string(s->unit) : json_null());
    return o;
}

static json_t *json_orientation(const struct gf_image *image) {
    json_t *o = image->orientation ? json_object() : json_null();
    if (!image->orientation)
        return o;
    json_object_set_new(o, "exif", json_integer(image->orientation));
    json_object_set_new(o, "name", json_string(corners[image->orientation]));
    json_object_set_new(o, "applied", json_boolean(image->turned));
    return o;
}

static json_t *json_profile(const struct gf_metadata *m) {
    char name[80], space[5];
    if (!m->profile)
        return json_null();
    json_t *o = json_object();
    gf_profile_space(m, space);
    space[strcspn(space, " ")] = 0;
    json_object_set_new(o, "name", json_string(gf_profile_name(m, name, sizeof name)));
    json_object_set_new(o, "space", json_string(space));
    json_object_set_new(o, "bytes", json_integer((json_int_t)m->profile_bytes));
    return o;
}

static void json_metadata(json_t *o, const struct gf_image *image) {
    const struct gf_metadata *m = &image->metadata;
    json_object_set_new(o, "compression", json_string(compression_of(image)));
    json_object_set_new(o, "resolution", json_resolution(&m->resolution));
    json_object_set_new(o, "orientation", json_orientation(image));
    json_object_set_new(o, "gamma", m->gamma ? json_real(m->gamma / 1e5) : json_null());
    json_object_set_new(o, "srgb", m->srgb ? json_string(intents[m->intent]) : json_null());
    json_object_set_new(o, "profile", json_profile(m));
}

static void print_json(const char *path, const struct gf_image *image,
                       const struct gf_format *format, const struct gf_record *r) {
    gf_json_memory_begin();
    json_t *o = json_object();
    json_object_set_new(o, "path", gf_json_text(path));
    json_object_set_new(o, "format", json_string(format->name));
    json_object_set_new(o, "shape", gf_json_shape(image->px.shape, image->ndim));
    json_object_set_new(o, "pages", json_integer(image->ndim == 3 ? image->px.shape[0] : 1));
    json_object_set_new(o, "channels", json_integer(image->px.shape[image->ndim]));
    json_object_set_new(o, "color", json_string(color_name(image)));
    json_object_set_new(o, "alpha", json_boolean(image->alpha));
    json_object_set_new(o, "type", json_string(gf_dtype_name(image->px.dtype)));
    json_object_set_new(o, "depth", json_integer(image->depth));
    json_object_set_new(o, "stack", json_stack(&image->stack));
    json_metadata(o, image);
    json_object_set_new(o, "record", r ? json_record(r) : json_null());
    gf_json_print(o);
}

static int show(const struct gf_settings *s, const char *path) {
    struct gf_image image = {0};
    struct gf_record record;
    const struct gf_format *format = NULL;
    struct gf_read_options options = gf_settings_read_options(s);
    options.header_only = options.lists = true;
    int rc = gf_image_read(path, &options, &image, &format);
    if (!rc && image.record)
        rc = gf_record_parse(image.record, &record);
    if (!rc)
        (s->json ? print_json : print_info)(path, &image, format, image.record ? &record : NULL);
    gf_log_flush_stdout();
    gf_image_free(&image);
    return rc;
}

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_inputs inputs = {0};
    int worst = 0;
    if (!gf_ranks_prints(s, operands, n))
        return 0;
    int rc = gf_settings_check(s);
    if (!rc)
        rc = gf_inputs_gather(s, operands, n, &inputs);
    if (rc) {
        gf_log_error("info: %s", gf_message());
        worst = gf_exit_code(rc);
        goto out;
    }
    worst = inputs.failed ? 1 : 0;
    for (int i = 0; i < inputs.n; i++) {
        if (!show(s, inputs.path[i]))
            continue;
        gf_log_fail(inputs.path[i]);
        gf_report_failed(s, inputs.path[i]);
        worst = 1;
    }
out:
    gf_inputs_free(&inputs);
    return worst;
}

static const struct gf_opt_group *const groups[] = {&gf_opts_list, &gf_opts_raw,    &gf_opts_skip,
                                                    &gf_opts_mpi,  &gf_opts_common, NULL};

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
