/* Files to the array that a task transforms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/log.h"
#include "core/base/sample_value.h"
#include "cli/batch/task.h"
#include "core/base/status.h"

int gf_load_picture(const struct gf_settings *s, const char *path, bool header_only,
                    struct gf_image *image) {
    struct gf_read_options options = gf_settings_read_options(s);
    options.header_only = header_only;
    return gf_image_read(path, &options, image, NULL);
}

/* Puts the name of the one file among several before the message. */
static int fail_in(int rc, const char *path) {
    char cause[512];
    snprintf(cause, sizeof cause, "%s", gf_message());
    return gf_fail((enum gf_status)rc, "'%s': %s", gf_log_name(path), cause);
}

/* A volume of n planes shaped like `plane`; without samples when that has none. */
static int frames_alloc(const struct gf_image *plane, int n, struct gf_image *volume) {
    int64_t shape[GF_MAX_RANK] = {n, plane->px.shape[0], plane->px.shape[1], plane->px.shape[2]};
    *volume = (struct gf_image){
        .ndim = 3, .color = plane->color, .alpha = plane->alpha, .depth = plane->depth};
    if (plane->px.data)
        return gf_array_alloc(&volume->px, plane->px.dtype, 4, shape);
    int64_t bytes;
    volume->px = gf_array_wrap(NULL, plane->px.dtype, 4, shape);
    return gf_size_product(shape, 4, (int64_t)gf_dtype_size(plane->px.dtype), &bytes);
}

static int check_plane(const struct gf_image *plane, const struct gf_image *volume) {
    if (plane->ndim != 2)
        return gf_fail(GF_EINVAL, "%s; --frames takes single pictures",
                       plane->ndim == 1 ? "a line" : "several pages");
    if (!volume->ndim)
        return 0;
    const int64_t *want = volume->px.shape + 1, *is = plane->px.shape;
    if (plane->px.dtype != volume->px.dtype || plane->alpha != volume->alpha ||
        memcmp(want, is, 3 * sizeof *is))
        return gf_fail(GF_EINVAL,
                       "%lldx%lld %s with %lld channels, and the frames before it are %lldx%lld "
                       "%s with %lld",
                       (long long)is[0], (long long)is[1], gf_dtype_name(plane->px.dtype),
                       (long long)is[2], (long long)want[0], (long long)want[1],
                       gf_dtype_name(volume->px.dtype), (long long)want[2]);
    return 0;
}

int gf_load_frame(const struct gf_settings *s, const char *path, const struct gf_image *volume,
                  struct gf_image *plane) {
    int rc = gf_load_picture(s, path, false, plane);
    if (!rc)
        rc = check_plane(plane, volume);
    if (!rc)
        rc = gf_load_finite(s, plane);
    return rc ? fail_in(rc, path) : 0;
}

int gf_load_frames(const struct gf_settings *s, char *const *paths, int n, bool header_only,
                   struct gf_image *image) {
    int rc = 0;
    struct gf_image plane = {0};
    *image = (struct gf_image){0};
    for (int i = 0; i < n && !rc; i++) {
        rc = gf_load_picture(s, paths[i], header_only, &plane);
        if (!rc)
            rc = check_plane(&plane, image);
        if (rc)
            rc = fail_in(rc, paths[i]);
        else if (i == 0)
            rc = frames_alloc(&plane, n, image);
        if (!rc && !header_only) {
            struct gf_array to = gf_array_index(&image->px, 0, i);
            gf_array_copy(&to, &plane.px);
        }
        gf_image_free(&plane);
        if (header_only)
            break; /* the first one tells what memory is needed; the others are held to it */
    }
    if (rc)
        gf_image_free(image);
    return rc;
}

/* One of the two float pictures; fills `record` when the file has one, and checks its kind. */
static int load_part(const struct gf_settings *s, const char *path, enum gf_kind kind,
                     bool header_only, struct gf_image *image, struct gf_record *record) {
    int rc = gf_load_picture(s, path, header_only, image);
    if (!rc && image->record)
        rc = gf_record_parse(image->record, record);
    if (!rc && image->record && record->version == GF_RECORD_WAVELET)
        rc = gf_fail(GF_EINVAL, "its record describes wavelet coefficients");
    if (!rc && image->record && record->kind != kind)
        rc = gf_fail(GF_EINVAL, "its record has %s, not %s", gf_kind_name(record->kind),
                     gf_kind_name(kind));
    if (!rc && image->px.dtype != GF_F32 && image->px.dtype != GF_F64)
        rc = gf_fail(GF_EINVAL,
                     "%s samples are made for the eye and hold no exact %s; write it as a float "
                     ".tif, .pfm or .npy",
                     gf_dtype_name(image->px.dtype), gf_kind_name(kind));
    return rc ? fail_in(rc, path) : 0;
}

static bool same_spectrum(const struct gf_record *a, const struct gf_record *b) {
    return a->ndim == b->ndim && !memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) &&
           a->channels == b->channels && a->axes == b->axes && a->norm == b->norm &&
           a->shift == b->shift && a->half == b->half && a->dtype == b->dtype;
}

int gf_load_pair(const struct gf_settings *s, bool header_only, struct gf_image *image) {
    struct gf_image magnitude = {0}, phase = {0};
    struct gf_record of_magnitude, of_phase;
    *image = (struct gf_image){0};
    int rc = load_part(s, s->from_magnitude, GF_MAGNITUDE, header_only, &magnitude, &of_magnitude);
    if (!rc)
        rc = load_part(s, s->from_phase, GF_PHASE, header_only, &phase, &of_phase);
    if (rc)
        goto out;
    if (magnitude.px.rank != phase.px.rank ||
        memcmp(magnitude.px.shape, phase.px.shape,
               (size_t)phase.px.rank * sizeof *phase.px.shape)) {
        rc = gf_fail(GF_EINVAL, "magnitude and phase differ in shape");
        goto out;
    }
    if (magnitude.record && phase.record && !same_spectrum(&of_magnitude, &of_phase)) {
        rc = gf_fail(GF_EINVAL, "the records of magnitude and phase tell of different spectra");
        goto out;
    }
    bool wide = magnitude.px.dtype == GF_F64 || phase.px.dtype == GF_F64;
    enum gf_dtype dtype = wide ? GF_C128 : GF_C64;
    image->ndim = magnitude.ndim;
    image->color = magnitude.color;
    if (header_only) {
        image->px = gf_array_wrap(NULL, dtype, phase.px.rank, phase.px.shape);
    } else {
        rc = gf_array_alloc(&image->px, dtype, phase.px.rank, phase.px.shape);
        if (rc)
            goto out;
        gf_samples_polar(&image->px, &magnitude.px, &phase.px);
    }
    char **record = magnitude.record ? &magnitude.record : &phase.record;
    image->record = *record;
    *record = NULL;
out:
    gf_image_free(&magnitude);
    gf_image_free(&phase);
    return rc;
}

int gf_image_match(struct gf_array *px, int rank, const int64_t *shape) {
    struct gf_array v = *px;
    for (int i = 1; i <= GF_MAX_RANK; i++) { /* from the last axis */
        int64_t want = i <= rank ? shape[rank - i] : 1;
        int64_t is = i <= px->rank ? px->shape[px->rank - i] : 1;
        if (want != is)
            return gf_fail(GF_EFORMAT, "the record has another shape than the file");
        if (i <= rank) {
            v.shape[rank - i] = want;
            v.stride[rank - i] = i <= px->rank ? px->stride[px->rank - i] : 0;
        }
    }
    v.rank = rank;
    *px = v;
    return 0;
}

int gf_load_finite(const struct gf_settings *s, struct gf_image *image) {
    int64_t first[GF_MAX_RANK];
    int64_t bad = gf_array_nonfinite(&image->px, first);
    if (!bad)
        return 0;
    if (s->nan != GF_NAN_REFUSE) {
        gf_samples_mend(&image->px, s->nan == GF_NAN_MEAN);
        return 0;
    }
    char where[128] = "";
    bool channels = image->px.shape[image->ndim] > 1;
    for (int i = 0; i < image->ndim + channels; i++) {
        size_t used = strlen(where);
        snprintf(where + used, sizeof where - used, "%s%lld", i ? ", " : "", (long long)first[i]);
    }
    return gf_fail(GF_EINVAL, "%lld sample%s NaN or Inf, the first at [%s]; see --nan=zero|mean",
                   (long long)bad, bad == 1 ? " is" : "s are", where);
}
