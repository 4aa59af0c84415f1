/* Reads files into the array that a task transforms. */
#include "cli/batch/load.h"

#include <stdlib.h>

#include "cli/log.h"
#include "core/base/value/holes.h"
#include "core/base/value/sample_value.h"
#include "formats/record.h"

void gf_load_note(const char *path, const struct gf_image *image) {
    if (image->note)
        gf_log_note("'%s': %s", gf_log_name(path), image->note);
}

int gf_load_picture(const struct gf_settings *s, const char *path, bool header_only,
                    struct gf_image *image) {
    struct gf_read_options options = gf_settings_read_options(s);
    options.header_only = header_only;
    options.volumes = false;
    int rc = gf_image_read(path, &options, image, NULL);
    if (!rc)
        gf_load_note(path, image);
    return rc;
}

/* Prefixes the message with the name of one file of several. */
static int fail_in(int rc, const char *path) {
    char cause[512];
    snprintf(cause, sizeof cause, "%s", gf_message());
    return gf_fail((enum gf_status)rc, "'%s': %s", gf_log_name(path), cause);
}

/* ---- one picture ---- */

static int open_picture(struct gf_reader *r, const char *path, struct gf_image *image) {
    struct gf_read_options options = gf_settings_read_options(r->s);
    options.several = !r->s->stacked;
    int rc = r->file[0] ? gf_file_next(r->file[0], image)
                        : gf_file_open(path, &options, &r->file[0], image);
    if (!rc)
        rc = gf_settings_pixel(r->s, image);
    if (rc)
        gf_reader_close(r);
    else
        gf_load_note(path, image);
    r->pending = !rc;
    const struct gf_pick *pick = rc ? NULL : gf_file_pick(r->file[0]);
    r->series = !rc && pick->images > 1 && !pick->apart;
    r->several = !rc && !r->s->stacked && (pick->images > 1 || gf_file_format(r->file[0])->more);
    r->copies = !rc && options.copies && gf_file_format(r->file[0])->lossy;
    return rc;
}

static int read_picture(struct gf_reader *r, struct gf_image *image, struct gf_feed *feed) {
    int rc = gf_file_read(r->file[0], image, r->several ? NULL : feed);
    if (!rc && feed && feed->produce)
        return 0;
    r->pending = false;
    if (rc || !(r->several || r->copies))
        gf_reader_close(r);
    return rc;
}

int gf_reader_more(struct gf_reader *r) {
    return r->several ? gf_file_more(r->file[0]) : 0;
}

/* ---- frames ---- */

static int check_plane(const struct gf_image *plane, const struct gf_image *volume) {
    if (plane->ndim != 2)
        return gf_fail(GF_EINVAL, "%s; --frames takes single pictures",
                       plane->ndim == 1 ? "a line" : "several pages");
    if (!volume->ndim)
        return 0;
    if (plane->white < volume->white || plane->white > volume->white)
        return gf_fail(GF_EINVAL, "its white (maxval) is not that of the frames before it");
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

/* The first frame determines the volume's type and shape. */
static int open_frames(struct gf_reader *r, int n, struct gf_image *image) {
    struct gf_read_options options = gf_settings_read_options(r->s);
    const struct gf_image *plane = &r->part[0];
    int64_t bytes;
    int rc = gf_file_open(r->paths[0], &options, &r->file[0], &r->part[0]);
    if (!rc)
        rc = check_plane(plane, image);
    if (rc)
        return fail_in(rc, r->paths[0]);
    const int64_t shape[] = {n, plane->px.shape[0], plane->px.shape[1], plane->px.shape[2]};
    *image = (struct gf_image){
        .ndim = 3, .color = plane->color, .alpha = plane->alpha, .depth = plane->depth};
    image->white = plane->white;
    image->px = gf_array_wrap(NULL, plane->px.dtype, 4, shape);
    return gf_size_product(shape, 4, (int64_t)gf_dtype_size(plane->px.dtype), &bytes);
}

static int read_frame(struct gf_reader *r, int64_t i, const struct gf_image *volume,
                      struct gf_image *plane) {
    if (i > 0 || !r->file[0]) {
        int rc = gf_load_picture(r->s, r->paths[i], false, plane);
        return rc ? rc : check_plane(plane, volume);
    }
    *plane = r->part[0];
    r->part[0] = (struct gf_image){0};
    int rc = gf_file_read(r->file[0], plane, NULL);
    gf_file_close(r->file[0]); /* not the whole reader: the mean may be being summed */
    r->file[0] = NULL;
    return rc;
}

int gf_reader_frame(struct gf_reader *r, int64_t i, const struct gf_image *volume,
                    struct gf_image *plane) {
    int rc = read_frame(r, i, volume, plane);
    if (!rc)
        rc = gf_load_finite(r->s, plane);
    return rc ? fail_in(rc, r->paths[i]) : 0;
}

/* Reads frames `from` and following into all planes of `to`. */
static int read_frames(struct gf_reader *r, const struct gf_image *image, int64_t from,
                       struct gf_array *to) {
    int rc = 0;
    for (int64_t i = 0; i < to->shape[0] && !rc; i++) {
        struct gf_image plane = {0};
        struct gf_array at = gf_array_index(to, 0, i);
        rc = read_frame(r, from + i, image, &plane);
        if (rc)
            rc = fail_in(rc, r->paths[from + i]);
        else
            gf_array_copy(&at, &plane.px);
        gf_image_free(&plane);
    }
    return rc;
}

/* ---- magnitude and phase ---- */

/* Reads the header of one of the two float pictures, and its record if the file has one. */
static int open_part(struct gf_reader *r, int i, struct gf_record *record) {
    const char *path = i ? r->s->from_phase : r->s->from_magnitude;
    const enum gf_kind kind = i ? GF_PHASE : GF_MAGNITUDE;
    struct gf_read_options options = gf_settings_read_options(r->s);
    struct gf_image *image = &r->part[i];
    int rc = gf_file_open(path, &options, &r->file[i], image);
    if (!rc && image->record)
        rc = gf_record_parse(image->record, record);
    if (!rc && image->record && record->is_wavelet)
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
           a->shift == b->shift && a->half == b->half && a->dtype == b->dtype &&
           a->smooth == b->smooth && a->window.shape == b->window.shape &&
           a->window.parameter == b->window.parameter;
}

static int open_pair(struct gf_reader *r, struct gf_image *image) {
    struct gf_image *magnitude = &r->part[0], *phase = &r->part[1];
    struct gf_record of_magnitude, of_phase;
    int rc = open_part(r, 0, &of_magnitude);
    if (!rc)
        rc = open_part(r, 1, &of_phase);
    if (rc)
        return rc;
    if (magnitude->px.rank != phase->px.rank ||
        memcmp(magnitude->px.shape, phase->px.shape,
               (size_t)phase->px.rank * sizeof *phase->px.shape))
        return gf_fail(GF_EINVAL, "magnitude and phase differ in shape");
    if (magnitude->record && phase->record && !same_spectrum(&of_magnitude, &of_phase))
        return gf_fail(GF_EINVAL, "the records of magnitude and phase describe different spectra");
    bool is_double = magnitude->px.dtype == GF_F64 || phase->px.dtype == GF_F64;
    image->ndim = magnitude->ndim;
    image->color = magnitude->color;
    image->px = gf_array_wrap(NULL, is_double ? GF_C128 : GF_C64, phase->px.rank, phase->px.shape);
    char **record = magnitude->record ? &magnitude->record : &phase->record;
    image->record = *record;
    *record = NULL;
    return 0;
}

static int read_pair(struct gf_reader *r, struct gf_image *image) {
    const char *const path[2] = {r->s->from_magnitude, r->s->from_phase};
    struct gf_array like = image->px;
    for (int i = 0; i < 2; i++) {
        int rc = gf_file_read(r->file[i], &r->part[i], NULL);
        if (rc)
            return fail_in(rc, path[i]);
    }
    int rc = gf_array_alloc(&image->px, like.dtype, like.rank, like.shape);
    if (!rc)
        gf_samples_polar(&image->px, &r->part[0].px, &r->part[1].px);
    gf_reader_close(r);
    return rc;
}

/* ---- any of them ---- */

int gf_reader_open(struct gf_reader *r, const struct gf_settings *s, char *const *paths, int n,
                   struct gf_image *image) {
    *image = (struct gf_image){0};
    r->s = s;
    r->paths = paths;
    return s->from_magnitude ? open_pair(r, image)
           : s->frames       ? open_frames(r, n, image)
                             : open_picture(r, paths[0], image);
}

int gf_reader_again(const struct gf_reader *of, struct gf_reader *r) {
    *r = (struct gf_reader){.s = of->s, .paths = of->paths};
    return of->file[0] && !r->s->frames ? gf_file_again(of->file[0], &r->file[0]) : 0;
}

int gf_reader_read(struct gf_reader *r, struct gf_image *image, struct gf_feed *feed) {
    const struct gf_array like = image->px;
    if (r->s->from_magnitude)
        return read_pair(r, image);
    if (!r->s->frames)
        return read_picture(r, image, feed);
    int rc = gf_array_alloc(&image->px, like.dtype, like.rank, like.shape);
    return rc ? rc : read_frames(r, image, 0, &image->px);
}

bool gf_reader_has_pages(const struct gf_reader *r) {
    return r->s->frames ||
           (!r->s->from_magnitude && r->file[0] && gf_file_unit(r->file[0]) != GF_WHOLE);
}

int gf_reader_part(struct gf_reader *r, const struct gf_image *image, enum gf_unit unit,
                   int64_t first, struct gf_array *to) {
    struct gf_array pages = image->px;
    const int64_t n = gf_array_count(to) / gf_image_numbers(image, unit);
    r->pending = false;
    if (!r->s->frames)
        return gf_file_read_part(r->file[0], image, unit, first, n, to->data);
    pages.data = to->data;
    pages.shape[0] = n;
    return read_frames(r, image, first, &pages);
}

void gf_reader_close(struct gf_reader *r) {
    for (int i = 0; i < 2; i++) {
        gf_file_close(r->file[i]);
        gf_image_free(&r->part[i]);
    }
    free(r->mean);
    *r = (struct gf_reader){.s = r->s, .paths = r->paths};
}

/* ---- samples ---- */

/* True if the array has neither NaN nor Inf. Threads share a large one. */
static bool all_finite(const struct gf_settings *s, const struct gf_array *a) {
    enum { LARGE = 32 << 20 };
    const int threads = gf_array_bytes(a) < LARGE ? 1 : gf_settings_threads(s);
    const int64_t all = a->shape[0], parts = gf_min(all, threads);
    int64_t bad = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : bad) if (threads > 1)
    for (int64_t i = 0; i < parts; i++) {
        const int64_t from = all * i / parts, end = all * (i + 1) / parts;
        const struct gf_array part = gf_array_slice(a, 0, from, end - from);
        bad += gf_array_nonfinite(&part, NULL);
    }
    return !bad;
}

/* The number of NaN and Inf, and the index in the image of the first, in C order. */
struct nonfinite {
    int64_t count, first;
};

/* Counts NaN and Inf of an array that begins at index `at` of the image. */
static void count(const struct gf_array *a, int64_t at, struct nonfinite *bad) {
    int64_t first = 0;
    const int64_t n = gf_array_nonfinite(a, &first);
    bad->first = bad->count ? bad->first : at + first;
    bad->count += n;
}

static int refuse(const struct gf_image *image, const struct nonfinite *bad) {
    return gf_array_refuse_nonfinite(&image->px, bad->count, bad->first, "; see --nan");
}

static int fill_holes(struct gf_array *px, unsigned char *hole) {
    if (gf_dtype_is_complex(px->dtype))
        return gf_fail(GF_EINVAL, "--nan=interpolate and keep take real samples");
    return gf_holes_fill(px, hole);
}

int gf_load_finite(const struct gf_settings *s, struct gf_image *image) {
    struct nonfinite bad = {0};
    if (all_finite(s, &image->px))
        return 0;
    if (s->nan == GF_NAN_REFUSE) {
        count(&image->px, 0, &bad);
        return refuse(image, &bad);
    }
    if (s->nan >= GF_NAN_INTERPOLATE)
        return fill_holes(&image->px, NULL);
    gf_samples_mend(&image->px, s->nan == GF_NAN_MEAN);
    return 0;
}

static bool has_samples(const struct gf_reader *r) {
    return !r->s->frames && gf_file_unit(r->file[0]) == GF_SAMPLE && gf_file_is_at_hand(r->file[0]);
}

/* Returns how many samples, each of all channels, read_on() reads at a time. */
static int64_t samples_at_once(const struct gf_reader *r, const struct gf_image *image) {
    enum { AT_ONCE = 1 << 12 };
    const struct gf_array *px = &image->px;
    return has_samples(r) ? AT_ONCE : gf_array_count(px) / px->shape[image->ndim] / px->shape[0];
}

/* Reads all pages from `from` on, in order, as a pipe requires. Counts NaN and Inf if `mean` is NULL,
 * else sums the other samples into it. */
static int read_on(struct gf_reader *r, const struct gf_image *image, int64_t from,
                   struct nonfinite *bad, struct gf_samples_mean *mean) {
    const struct gf_array *px = &image->px;
    const enum gf_unit unit = has_samples(r)     ? GF_SAMPLE /* a line may exceed memory */
                              : image->ndim == 2 ? GF_ROW
                                                 : GF_PAGE;
    const int64_t channels = px->shape[image->ndim], all = gf_array_count(px) / channels;
    const int64_t page = all / px->shape[0], most = samples_at_once(r, image);
    struct gf_array part = {0};
    int rc = gf_array_alloc(&part, px->dtype, 2, (int64_t[]){most, channels});
    for (int64_t i = from * page, n; i < all && !rc; i += n) {
        n = gf_min(all - i, most);
        struct gf_array some = gf_array_slice(&part, 0, 0, n);
        rc = gf_reader_part(r, image, unit, unit == GF_SAMPLE ? i : i / page, &some);
        if (!rc && mean)
            gf_samples_sum(&some, mean);
        else if (!rc)
            count(&some, i * channels, bad);
    }
    gf_array_free(&part);
    return rc;
}

/* Replaces NaN and Inf by the mean of all samples, summed in the same order as in memory. */
static int mend_with_mean(struct gf_reader *r, const struct gf_image *image, struct gf_array *a) {
    int rc = 0;
    if (!r->mean) {
        r->mean = calloc((size_t)image->px.shape[image->ndim], sizeof *r->mean);
        rc = r->mean ? read_on(r, image, 0, NULL, r->mean) : gf_no_memory();
    }
    if (!rc)
        gf_samples_fill(a, r->mean);
    return rc;
}

int64_t gf_finite_bytes(const struct gf_reader *r, const struct gf_image *image) {
    if (!r->s || r->s->nan != GF_NAN_MEAN || !(r->file[0] || r->s->frames))
        return 0;
    return samples_at_once(r, image) * image->px.shape[image->ndim] *
           (int64_t)gf_dtype_size(image->px.dtype);
}

/* Applies --nan to a part that begins at page `from`. -1: earlier pages may hold NaN and Inf that
 * were not counted yet. */
static int finish(struct gf_reader *r, const struct gf_image *image, int64_t from,
                  struct gf_array *a) {
    const int64_t page = gf_array_count(&image->px) / image->px.shape[0];
    struct nonfinite bad = {0};
    int rc = 0;
    count(a, from * page, &bad);
    if (r->hole && r->s->nan == GF_NAN_KEEP)
        memset(r->hole, 0, (size_t)gf_array_count(a));
    if (!bad.count)
        return 0;
    if (r->s->nan >= GF_NAN_INTERPOLATE)
        return fill_holes(a, r->s->nan == GF_NAN_KEEP ? r->hole : NULL);
    if (r->s->nan == GF_NAN_REFUSE) { /* counts all of them */
        bad = from < 0 ? (struct nonfinite){0} : bad;
        rc = read_on(r, image, from < 0 ? 0 : from + gf_array_count(a) / page, &bad, NULL);
        return rc ? rc : refuse(image, &bad);
    }
    if (r->s->nan == GF_NAN_MEAN)
        return mend_with_mean(r, image, a);
    gf_samples_mend(a, false);
    return 0;
}

int gf_finite_read(struct gf_reader *r, const struct gf_image *image, enum gf_unit unit,
                   int64_t first, struct gf_array *to) {
    int rc = gf_reader_part(r, image, unit, first, to);
    return rc ? rc : finish(r, image, unit == GF_PAGE && !r->any_order ? first : -1, to);
}
