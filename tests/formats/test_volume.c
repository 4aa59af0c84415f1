/* Volumes written page by page and box by box are, byte for byte, what is written at once; read page
 * by page they have the samples that are read at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/checksum.h"
#include "formats/files.h"
#include "formats/record.h"
#include "formats/volume.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const struct gf_record record = {.version = 1,
                                        .kind = GF_COMPLEX,
                                        .ndim = 3,
                                        .shape = {5, 8, 9},
                                        .channels = 1,
                                        .dtype = GF_U8,
                                        .depth = 8,
                                        .axes = 6};

struct way {
    const char *path, *compression;
    bool frames;
};
static const struct way ways[] = {{"a.tif", "", true},
                                  {"b.tif", "deflate", false},
                                  {"c.tif", "lzw", false},
                                  {"d.npy", "", true},
                                  {"e.raw", "", true}};

static struct gf_write_options options_of(const struct way *w) {
    struct gf_write_options o = {.level = -1, .threads = 2};
    strcpy(o.tiff_compression, w->compression);
    return o;
}

/* `n` pages of the image from `from` on. */
static struct gf_image part_of(const struct gf_image *image, int64_t from, int64_t n) {
    struct gf_image part = *image;
    part.px = gf_array_slice(&image->px, 0, from, n);
    return part;
}

static struct gf_image without_samples(const struct gf_image *image) {
    struct gf_image like = *image;
    like.px.data = like.px.base = NULL;
    return like;
}

/* The file and, where there is one, its record. */
struct written {
    unsigned char *data, *beside;
    size_t n, n_beside;
};

static struct written take(const char *path) {
    struct written w = {0};
    char beside[64];
    snprintf(beside, sizeof beside, "%s.json", path);
    w.data = file_get(path, &w.n);
    w.beside = file_get(beside, &w.n_beside);
    remove(path);
    remove(beside);
    return w;
}

static bool same(const struct written *a, const struct written *b) {
    return a->data && b->data && a->n == b->n && !memcmp(a->data, b->data, a->n) &&
           !a->beside == !b->beside &&
           (!a->beside ||
            (a->n_beside == b->n_beside && !memcmp(a->beside, b->beside, a->n_beside)));
}

static void drop(struct written *w) {
    free(w->data);
    free(w->beside);
}

static void check_append(const struct way *w, const struct gf_image *image,
                         const struct written *whole) {
    const struct gf_format *f = gf_format_by_suffix(w->path);
    struct gf_write_options o = options_of(w);
    struct gf_image like = without_samples(image);
    int64_t depth = image->px.shape[0];
    for (int64_t step = 1; step <= 3; step++) {
        struct gf_volume *v;
        int rc = gf_volume_begin(w->path, f, &like, &o, true, &v);
        for (int64_t z = 0; z < depth && !rc; z += step) {
            struct gf_image pages = part_of(image, z, step < depth - z ? step : depth - z);
            rc = gf_volume_put(v, z, &pages);
        }
        CHECK_EQ(rc, GF_OK);
        CHECK_EQ(gf_volume_commit(v), GF_OK);
        struct written now = take(w->path);
        CHECK_MSG(same(whole, &now), "%s by %lld pages differs", w->path, (long long)step);
        drop(&now);
    }
}

/* Boxes from the last plane to the first, the lower half of each before its upper one. */
static void check_boxes(const struct way *w, const struct gf_image *image,
                        const struct written *whole) {
    const struct gf_format *f = gf_format_by_suffix(w->path);
    struct gf_write_options o = options_of(w);
    struct gf_image like = without_samples(image);
    struct gf_volume *v = NULL;
    int rc = gf_volume_create(w->path, f, &like, &o, true, &v);
    CHECK_EQ(!rc, w->frames);
    if (rc)
        return;
    const struct gf_array *px = &image->px;
    bool volume = image->ndim == 3;
    const int64_t height = px->shape[volume], width = px->shape[volume + 1];
    const int64_t row = px->stride[volume], plane = volume ? px->stride[0] : 0;
    for (int64_t z = volume ? px->shape[0] : 1; z-- > 0 && !rc;)
        for (int half = 1; half >= 0 && !rc; half--) {
            int64_t y = half ? height / 2 : 0, end = half ? height : height / 2;
            struct gf_volume_box box = {z, y, 0, end - y, width};
            rc = gf_volume_write(v, &box, (char *)px->data + z * plane + y * row, row);
        }
    CHECK_EQ(rc, GF_OK);
    CHECK_EQ(gf_volume_commit(v), GF_OK);
    struct written now = take(w->path);
    CHECK_MSG(same(whole, &now), "%s in boxes differs", w->path);
    drop(&now);
}

static void check_read(const struct way *w, const struct gf_image *image) {
    struct gf_read_options o = {.raw = {.ndim = 0}};
    struct gf_file *file;
    struct gf_image like, all;
    if (!image->record && gf_format_by_suffix(w->path)->needs_layout) {
        o.raw = (struct gf_raw_layout){.ndim = image->ndim,
                                       .channels = image->px.shape[image->ndim],
                                       .dtype = image->px.dtype};
        memcpy(o.raw.shape, image->px.shape, (size_t)image->ndim * sizeof *o.raw.shape);
    }
    o.channels_last = image->px.shape[image->ndim] > 1 && !o.raw.ndim;
    int rc = gf_file_open(w->path, &o, &file, &like);
    CHECK_MSG(!rc, "%s: %s", w->path, gf_message());
    if (rc)
        return;
    CHECK_EQ(gf_file_unit(file) == GF_WHOLE,
             like.ndim < 3 && !w->frames && gf_format_by_suffix(w->path)->embeds_record);
    all = *image;
    rc = gf_array_alloc(&all.px, image->px.dtype, image->px.rank, image->px.shape);
    const int64_t n = like.px.shape[0], page = like.px.stride[0];
    for (int64_t z = n;
         z-- > 0 && !rc && gf_file_unit(file) != GF_WHOLE;) /* the last one first, twice */
        for (int i = 0; i < 2 && !rc; i++)
            rc = gf_file_read_part(file, &like, GF_PAGE, z, 1, (char *)all.px.data + z * page);
    CHECK_MSG(!rc, "%s: %s", w->path, gf_message());
    CHECK(gf_file_unit(file) == GF_WHOLE || image_same(image, &all));
    gf_array_free(&all.px);
    gf_image_free(&like);
    gf_file_close(file);
}

static void check_all(const struct gf_image *image) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *w = &ways[i];
        const struct gf_format *f = gf_format_by_suffix(w->path);
        struct gf_write_options o = options_of(w);
        CHECK_EQ(gf_image_write(w->path, f, image, &o, true), GF_OK);
        check_read(w, image);
        struct written whole = take(w->path);
        if (image->ndim == 3 || !f->embeds_record)
            check_append(w, image, &whole);
        check_boxes(w, image, &whole);
        drop(&whole);
    }
}

static void test_types(void) {
    static const enum gf_dtype types[] = {GF_U8, GF_I16, GF_F32, GF_F64, GF_C64, GF_C128};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int64_t channels = 1; channels <= 4; channels++) {
            struct gf_image image = image_make(types[i], 5, 8, 9, channels, 7);
            image.alpha = channels == 4;
            gf_resolution_set(&image.metadata.resolution, 300, 300, GF_INCH);
            if (channels == 1)
                CHECK_EQ(gf_record_format(&record, &image.record), GF_OK);
            check_all(&image);
            gf_image_free(&image);
        }
}

/* Several strips a page; pictures and lines, whose pages are rows and samples. */
static void test_shapes(void) {
    struct gf_image image = image_make(GF_F32, 2, 1100, 1000, 1, 3);
    check_all(&image);
    gf_image_free(&image);
    image = image_make(GF_U16, 0, 30, 20, 3, 3);
    check_all(&image);
    gf_image_free(&image);
    image = image_make(GF_F32, 1, 3, 4, 1, 3);
    check_all(&image);
    gf_image_free(&image);
}

/* A run of rows that are apart in memory. */
static void test_strided(void) {
    struct gf_image image = image_make(GF_U16, 3, 6, 20, 1, 3), part = image;
    part.px = gf_array_slice(&image.px, 2, 5, 7);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct gf_format *f = gf_format_by_suffix(ways[i].path);
        struct gf_write_options o = options_of(&ways[i]);
        CHECK_EQ(gf_image_write(ways[i].path, f, &part, &o, true), GF_OK);
        struct written whole = take(ways[i].path);
        check_append(&ways[i], &part, &whole);
        drop(&whole);
    }
    gf_image_free(&image);
}

/* Boxes of so many columns, by several threads at once: the file, and the checksum in its record. */
static void check_threads(const struct way *w, const struct gf_image *image, int64_t columns,
                          const struct written *whole) {
    const struct gf_format *f = gf_format_by_suffix(w->path);
    const struct gf_array *px = &image->px;
    const struct gf_write_options o = options_of(w);
    const struct gf_image like = without_samples(image);
    const int64_t parts = px->shape[2] / columns;
    struct gf_volume *v = NULL;
    int failed = 0;
    CHECK_EQ(gf_volume_create(w->path, f, &like, &o, true, &v), GF_OK);
    gf_volume_share(v, 4);
#pragma omp parallel for num_threads(4) schedule(dynamic) reduction(+ : failed)
    for (int64_t i = 0; i < px->shape[0] * parts; i++) {
        const struct gf_volume_box box = {
            .z = i / parts, .x = i % parts * columns, .height = px->shape[1], .width = columns};
        failed += !!gf_volume_write(
            v, &box, (char *)px->data + box.z * px->stride[0] + box.x * px->stride[2],
            px->stride[1]);
    }
    CHECK_EQ(failed, 0);
    CHECK_EQ(gf_volume_commit(v), GF_OK);
    struct written now = take(w->path);
    CHECK_MSG(same(whole, &now), "%s by threads, %d columns each, differs", w->path, (int)columns);
    drop(&now);
}

/* Planes of more than a run that is written by itself, in a file that is summed up in shares, and smaller ones. */
static void test_threads(int height) {
    static const int64_t columns[] = {150, 75, 30};
    struct gf_image image = image_make(GF_F32, 5200 / height, height, 150, 1, 3);
    CHECK_EQ(gf_record_format(&record, &image.record), GF_OK);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *w = &ways[i];
        const struct gf_write_options o = options_of(w);
        if (!w->frames)
            continue;
        CHECK_EQ(gf_image_write(w->path, gf_format_by_suffix(w->path), &image, &o, true), GF_OK);
        struct written whole = take(w->path);
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            check_threads(w, &image, columns[k], &whole);
        drop(&whole);
    }
    gf_image_free(&image);
}

static void test_aborted(void) {
    struct gf_image image = image_make(GF_U8, 3, 6, 20, 1, 3), page = part_of(&image, 0, 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct gf_format *f = gf_format_by_suffix(ways[i].path);
        struct gf_write_options o = options_of(&ways[i]);
        struct gf_volume *v;
        CHECK_EQ(gf_volume_begin(ways[i].path, f, &image, &o, true, &v), GF_OK);
        CHECK_EQ(gf_volume_put(v, 0, &page), GF_OK);
        gf_volume_abort(v);
        /* Pages of another shape, and too few of them. */
        struct gf_image narrow = page;
        narrow.px.shape[2]--;
        CHECK_EQ(gf_volume_begin(ways[i].path, f, &image, &o, true, &v), GF_OK);
        CHECK_EQ(gf_volume_put(v, 0, &narrow), GF_EINVAL);
        gf_volume_abort(v);
        CHECK_EQ(gf_volume_begin(ways[i].path, f, &image, &o, true, &v), GF_OK);
        CHECK_EQ(gf_volume_put(v, 0, &page), GF_OK);
        CHECK_EQ(gf_volume_commit(v), GF_EINVAL);
    }
    CHECK(gf_volume_pages_refused("a.png", gf_format_by_name("png")) != NULL);
    CHECK(gf_volume_pages_refused("-", gf_format_by_name("tif")) != NULL);
    CHECK(gf_volume_pages_refused("-", gf_format_by_name("npy")) == NULL);
    CHECK_EQ(scratch_count(), 0);
    gf_image_free(&image);
}

/* Parts in any order have the sum of the whole; with a gap, or one part twice, there is none. */
static void test_sums(void) {
    enum { N = 1000, PART = 37, PARTS = N / PART + 1 };
    unsigned char data[N];
    struct gf_sums s = {0};
    uint32_t crc;
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)(i * i >> 3);
    for (int i = 0; i < PARTS; i++) {
        int at = i * 5 % PARTS * PART, n = N - at < PART ? N - at : PART;
        crc = gf_crc32(0, data, 10, 1);
        CHECK(i == 0 || !gf_sums_total(&s, 0, N, &crc));
        gf_sums_add(&s, at, data + at, (size_t)n, 1);
    }
    crc = 0;
    CHECK(gf_sums_total(&s, 0, N, &crc) && crc == gf_crc32(0, data, N, 1));
    gf_sums_add(&s, 0, data, PART, 1);
    CHECK(!gf_sums_total(&s, 0, N, &crc));
}

int main(void) {
    scratch_enter();
    RUN("pages and boxes of every type give the file written at once", test_types());
    RUN("pictures, lines and long pages are written in parts", test_shapes());
    RUN("rows that are apart in memory are written", test_strided());
    RUN("large planes are written on several threads", test_threads(260));
    RUN("small planes are written on several threads", test_threads(20));
    RUN("a volume that is given up leaves no file", test_aborted());
    RUN("parts in any order have the sum of the whole", test_sums());
    scratch_leave();
    return TEST_END();
}
