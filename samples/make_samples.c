/* make_samples DIR: paints all samples into DIR. The same bytes on every run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "samples/samples.h"

enum { SIZE = 512, STARS_WIDTH = 400, STARS_HEIGHT = 300, PLANET_WIDTH = 97, PLANET_HEIGHT = 61 };
enum { CROP_X = 14, CROP_Y = 118, CROP_WIDTH = 321, CROP_HEIGHT = 243, LINE = 1000 };
enum { STRIPES_X = 40, STRIPES_Y = 130, STRIPES_SIZE = 256 };
enum { GRAIN_X = 30, GRAIN_Y = 60, GRAIN_SIZE = 256 };

static const char *dir;

/* Ends the program: a tool of one purpose has nothing to tidy up. */
static void check(int rc, const char *path) {
    if (rc) {
        fprintf(stderr, "make_samples: '%s': %s\n", path, gf_message());
        exit(1);
    }
}

static void *take(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (!p) {
        fprintf(stderr, "make_samples: out of memory\n");
        exit(1);
    }
    return p;
}

/* Writes extents `shape` (slowest first, without channels) times `channels` to DIR/name. */
static void save(const char *name, void *data, enum gf_dtype dtype, int ndim, const int64_t *shape,
                 int channels) {
    int64_t extent[GF_MAX_RANK];
    memcpy(extent, shape, (size_t)ndim * sizeof *extent);
    extent[ndim] = channels;
    struct gf_image image = {.px = gf_array_wrap(data, dtype, ndim + 1, extent),
                             .ndim = ndim,
                             .color = channels > 2 ? GF_RGB : GF_GRAY,
                             .alpha = channels == 2 || channels == 4};
    struct gf_write_options options = {
        .level = 9, .strategy = GF_PNG_DEFAULT, .tiff_compression = "deflate"};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    check(gf_image_write(path, gf_format_by_suffix(name), &image, &options, true), path);
}

static void save_picture(const char *name, void *data, enum gf_dtype dtype, int64_t height,
                         int64_t width, int channels) {
    save(name, data, dtype, 2, (int64_t[]){height, width}, channels);
}

static uint8_t byte_of(double v) {
    return (uint8_t)(255 * clamp(v, 0, 1) + 0.5);
}

/* The waves that a bad line adds to a picture: three with whole numbers of periods across it, strongest
 * in the middle. That swell makes each peak of the spectrum 3 x 3 wide, and nothing leaks beyond.
 */
static double bands(int x, int y) {
    double swell = (1 - 0.3 * cos(2 * PI * x / SIZE)) * (1 - 0.3 * cos(2 * PI * y / SIZE));
    double a = 8.5 * cos(2 * PI * ((36 * x + 20 * y) % SIZE) / SIZE + 0.3);
    double b = 6 * cos(2 * PI * ((-56 * x + 100 * y) % SIZE) / SIZE + 1.1);
    double c = 4.5 * cos(2 * PI * ((104 * x + 44 * y) % SIZE) / SIZE);
    return swell * (a + b + c);
}

/* A part of the scene as a detector sees it whose rows have offsets of their own; and the strokes
 * that paint over the line of these in its spectrum, on grey. */
static void save_stripes(const uint8_t *scene) {
    struct rng r = {.state = 3};
    uint8_t *striped = take(STRIPES_SIZE * STRIPES_SIZE, 1);
    uint8_t *strokes = take(STRIPES_SIZE * STRIPES_SIZE, 1);
    for (int y = 0; y < STRIPES_SIZE; y++) {
        const double offset = 8 * rng_normal(&r);
        for (int x = 0; x < STRIPES_SIZE; x++) {
            const int far = abs(y - STRIPES_SIZE / 2), i = y * STRIPES_SIZE + x;
            const double v = scene[(y + STRIPES_Y) * SIZE + x + STRIPES_X];
            striped[i] = byte_of((v + offset) / 255);
            strokes[i] = abs(x - STRIPES_SIZE / 2) < 1 && far > 12 ? 0 : 128;
        }
    }
    save_picture("scene-stripes.png", striped, GF_U8, STRIPES_SIZE, STRIPES_SIZE, 1);
    save_picture("strokes.png", strokes, GF_U8, STRIPES_SIZE, STRIPES_SIZE, 1);
    free(striped);
    free(strokes);
}

/* The scene in grey, with bands, as a crop in colour, and in print. */
static void make_scene(void) {
    const int n = SIZE * SIZE;
    struct vec *rgb = take((size_t)n, sizeof *rgb);
    double *grey = take((size_t)n, sizeof *grey);
    uint8_t *plain = take((size_t)n, 1), *noisy = take((size_t)n, 1), *crop = take((size_t)n, 3);
    uint8_t *page = take(PAGE_WIDTH * PAGE_HEIGHT, 1);
    scene_paint(rgb, SIZE);
    for (int i = 0; i < n; i++) {
        rgb[i] = develop(rgb[i]);
        grey[i] = 0.05 + 0.85 * luma(rgb[i]); /* room for the bands: cut off, they would beat */
        plain[i] = byte_of(grey[i]);
        noisy[i] = byte_of(grey[i] + bands(i % SIZE, i / SIZE) / 255);
    }
    for (int y = 0; y < CROP_HEIGHT; y++)
        for (int x = 0; x < CROP_WIDTH; x++) {
            struct vec c = rgb[(y + CROP_Y) * SIZE + x + CROP_X];
            uint8_t *p = crop + 3 * (y * CROP_WIDTH + x);
            p[0] = byte_of(c.x);
            p[1] = byte_of(c.y);
            p[2] = byte_of(c.z);
        }
    page_paint(grey, SIZE, page);
    save_picture("scene.png", plain, GF_U8, SIZE, SIZE, 1);
    save_picture("scene-noise.png", noisy, GF_U8, SIZE, SIZE, 1);
    save_stripes(plain);
    save_picture("scene-rgb.png", crop, GF_U8, CROP_HEIGHT, CROP_WIDTH, 3);
    save_picture("halftone.png", page, GF_U8, PAGE_HEIGHT, PAGE_WIDTH, 1);
    free(rgb);
    free(grey);
    free(plain);
    free(noisy);
    free(crop);
    free(page);
}

/* A part of the still life as on a fast film: noise that is the same at all frequencies. */
static void save_grain(const uint8_t *still) {
    struct rng r = {.state = 20};
    uint8_t *grain = take(GRAIN_SIZE * GRAIN_SIZE, 1);
    for (int i = 0; i < GRAIN_SIZE * GRAIN_SIZE; i++) {
        int x = GRAIN_X + i % GRAIN_SIZE, y = GRAIN_Y + i / GRAIN_SIZE;
        /* Half of the range is left to the picture, so that little of the noise is cut off. */
        grain[i] = byte_of((64 + 0.6 * still[y * SIZE + x] + 14 * rng_normal(&r)) / 255);
    }
    save_picture("still-grain.png", grain, GF_U8, GRAIN_SIZE, GRAIN_SIZE, 1);
    free(grain);
}

static void make_still(void) {
    const int n = SIZE * SIZE;
    struct vec *rgb = take((size_t)n, sizeof *rgb);
    uint8_t *grey = take((size_t)n, 1);
    still_paint(rgb, SIZE);
    for (int i = 0; i < n; i++)
        grey[i] = byte_of(luma(develop(rgb[i])));
    save_picture("still.png", grey, GF_U8, SIZE, SIZE, 1);
    save_grain(grey);
    free(rgb);
    free(grey);
}

static void make_charts(void) {
    uint8_t *zone = take(SIZE * SIZE, 1);
    zoneplate_paint(zone, SIZE);
    save_picture("zoneplate.png", zone, GF_U8, SIZE, SIZE, 1);
    free(zone);

    uint16_t *stars = take(STARS_WIDTH * STARS_HEIGHT, sizeof *stars);
    stars_paint(stars, STARS_WIDTH, STARS_HEIGHT);
    save_picture("stars.png", stars, GF_U16, STARS_HEIGHT, STARS_WIDTH, 1);
    free(stars);

    uint8_t *planet = take(PLANET_WIDTH * PLANET_HEIGHT, 4);
    planet_paint(planet, PLANET_WIDTH, PLANET_HEIGHT);
    save_picture("scene-alpha.png", planet, GF_U8, PLANET_HEIGHT, PLANET_WIDTH, 4);
    free(planet);

    uint8_t shake[SHAKE_SIZE * SHAKE_SIZE];
    shake_paint(shake);
    save_picture("shake.png", shake, GF_U8, SHAKE_SIZE, SHAKE_SIZE, 1);

    float line[LINE];
    chirp_play(line, LINE);
    save("chirp.npy", line, GF_F32, 1, (int64_t[]){LINE}, 1);
}

static void make_head(void) {
    uint8_t *head = take(HEAD_DEPTH * HEAD_HEIGHT * HEAD_WIDTH, 1);
    char path[4096];
    const int64_t shape[] = {HEAD_DEPTH, HEAD_HEIGHT, HEAD_WIDTH};
    head_fill(head);
    save("head.raw", head, GF_U8, 3, shape, 1);
    save("head.tif", head, GF_U8, 3, shape, 1);
    snprintf(path, sizeof path, "%s/head", dir);
    if (mkdir(path, 0777) && errno != EEXIST)
        check(gf_fail(GF_EIO, "%s", strerror(errno)), path);
    for (int z = 0; z < HEAD_DEPTH; z++) {
        char name[32];
        snprintf(name, sizeof name, "head/frame_%02d.pgm", z);
        save_picture(name, head + z * HEAD_HEIGHT * HEAD_WIDTH, GF_U8, HEAD_HEIGHT, HEAD_WIDTH, 1);
    }
    free(head);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make_samples DIR\n");
        return 2;
    }
    dir = argv[1];
    make_charts();
    make_head();
    make_still();
    make_scene();
    return 0;
}
