/* gpufft info: what files hold, from their headers. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/batch/inputs.h"
#include "cli/batch/job_record.h"
#include "cli/json_memory.h"
#include "cli/log.h"
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

static void print_record(const struct gf_record *r) {
    struct gf_job job;
    char axes[8];
    gf_job_of_record(r, &job);
    axes_text(r->axes, r->ndim, axes);
    if (r->version == GF_RECORD_WAVELET) {
        printf("  wavelet   d4 coefficients%s of a ", r->thresholded ? ", thresholded," : "");
        print_shape(r->shape, r->ndim);
        printf(" %s picture\n            axes %s, %d level%s, boundary %s, alpha %s\n",
               gf_dtype_name(r->dtype), axes, r->levels, r->levels == 1 ? "" : "s",
               gf_boundary_name(job.wavelet.boundary), alpha_name(r->alpha));
        return;
    }
    printf("  spectrum  %s of a ", gf_kind_name(gf_kind_of_record(r)));
    print_shape(r->shape, r->ndim);
    printf(" %s picture%s\n", gf_dtype_name(r->dtype), r->luma ? "'s luma" : "");
    printf("            axes %s, norm %s, zero frequency in the %s, %s, alpha %s\n", axes,
           gf_norm_name(job.norm), r->shift ? "centre" : "corner", r->half ? "half" : "full",
           alpha_name(r->alpha));
}

static void print_info(const char *path, const struct gf_image *image,
                       const struct gf_format *format, const struct gf_record *r) {
    printf("%s\n", gf_log_name(path));
    printf("  format    %s\n", format->name);
    printf("  shape     ");
    print_shape(image->px.shape, image->ndim);
    if (image->ndim == 3)
        printf(" (%lld pages)", (long long)image->px.shape[0]);
    printf("\n  channels  %lld (%s%s)\n", (long long)image->px.shape[image->ndim],
           color_name(image), image->alpha ? ", the last is alpha" : "");
    printf("  type      %s", gf_dtype_name(image->px.dtype));
    if (image->depth)
        printf(" (%d bits a sample in the file)", image->depth);
    printf("\n");
    if (r)
        print_record(r);
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
    json_object_set_new(o, "record", r ? json_record(r) : json_null());
    gf_json_print(o);
}

static int show(const struct gf_settings *s, const char *path) {
    struct gf_image image = {0};
    struct gf_record record;
    const struct gf_format *format = NULL;
    struct gf_read_options options = gf_settings_read_options(s);
    options.header_only = true;
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

static const struct gf_opt_group *const groups[] = {&gf_opts_list,   &gf_opts_raw,    &gf_opts_skip,
                                                    &gf_opts_offset, &gf_opts_common, NULL};

const struct gf_command gf_command_info = {
    .name = "info",
    .operands = "IN...",
    .summary = "what a file holds: shape, type, pages, a spectrum's record",
    .groups = groups,
    .examples = "  gpufft info scene.png spec.tif\n"
                "  gpufft info --json head.tif\n",
    .run = run,
};
