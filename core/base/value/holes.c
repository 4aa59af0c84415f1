/* Holes in samples, see holes.h. */
#include "core/base/value/holes.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"

enum { MOST_LEVELS = 40 };

/* A level of the pyramid: values, and weights from 0 (unknown) to 1. */
struct level {
    int64_t height, width;
    double *value, *weight;
};

/* Sums of the finer level's samples around (2 y, 2 x) of a level, weighted 1 2 1 along each axis. */
static void pull(const struct level *fine, struct level *coarse) {
    for (int64_t y = 0; y < coarse->height; y++)
        for (int64_t x = 0; x < coarse->width; x++) {
            double sum = 0, weight = 0;
            for (int64_t v = gf_max(2 * y - 1, 0); v < gf_min(2 * y + 2, fine->height); v++)
                for (int64_t u = gf_max(2 * x - 1, 0); u < gf_min(2 * x + 2, fine->width); u++) {
                    const double w = fine->weight[v * fine->width + u] *
                                     ((v == 2 * y ? 2 : 1) * (u == 2 * x ? 2 : 1)) / 4.;
                    sum += w * fine->value[v * fine->width + u];
                    weight += w;
                }
            coarse->value[y * coarse->width + x] = weight > 0 ? sum / weight : 0;
            coarse->weight[y * coarse->width + x] = fmin(weight, 1);
        }
}

/* The coarse level's value at (y / 2, x / 2), interpolated between its samples. */
static double between(const struct level *l, int64_t y, int64_t x) {
    const int64_t v[2] = {y / 2, gf_min((y + 1) / 2, l->height - 1)};
    const int64_t u[2] = {x / 2, gf_min((x + 1) / 2, l->width - 1)};
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += l->value[v[i / 2] * l->width + u[i % 2]];
    return sum / 4;
}

/* Fills what a level does not know from the coarser one. */
static void push(struct level *fine, const struct level *coarse) {
    for (int64_t y = 0; y < fine->height; y++)
        for (int64_t x = 0; x < fine->width; x++) {
            const int64_t i = y * fine->width + x;
            const double w = fine->weight[i];
            if (w < 1)
                fine->value[i] = w * fine->value[i] + (1 - w) * between(coarse, y, x);
        }
}

/* Fills one channel of a plane, `step` bytes between neighbours in a row. */
static int fill(enum gf_dtype t, char *px, int64_t height, int64_t width, int64_t step) {
    struct level level[MOST_LEVELS];
    int n = 1;
    int64_t all = height * width, known = 0;
    level[0] = (struct level){.height = height, .width = width};
    for (; level[n - 1].height > 1 || level[n - 1].width > 1; n++) {
        level[n].height = gf_divide_up(level[n - 1].height, 2);
        level[n].width = gf_divide_up(level[n - 1].width, 2);
        all += level[n].height * level[n].width;
    }
    double *numbers = malloc((size_t)all * 2 * sizeof *numbers), *at = numbers;
    if (!numbers)
        return gf_no_memory();
    for (int i = 0; i < n; i++, at += 2 * level[i - 1].height * level[i - 1].width) {
        level[i].value = at;
        level[i].weight = at + level[i].height * level[i].width;
    }
    for (int64_t i = 0; i < height * width; i++) {
        const double v = gf_sample_get(px + i * step, t);
        level[0].value[i] = isfinite(v) ? v : 0;
        level[0].weight[i] = isfinite(v);
        known += isfinite(v);
    }
    for (int i = 1; i < n && known; i++)
        pull(&level[i - 1], &level[i]);
    for (int i = n - 2; i >= 0 && known; i--)
        push(&level[i], &level[i + 1]);
    for (int64_t i = 0; i < height * width; i++)
        if (!(level[0].weight[i] > 0))
            gf_sample_put(px + i * step, t, level[0].value[i]);
    free(numbers);
    return GF_OK;
}

int gf_holes_fill(struct gf_array *a, unsigned char *hole) {
    const int64_t channels = a->shape[a->rank - 1], width = a->shape[a->rank - 2];
    const int64_t height = a->rank > 2 ? a->shape[a->rank - 3] : 1, all = gf_array_count(a);
    const int64_t size = (int64_t)gf_dtype_size(a->dtype), plane = height * width * channels;
    int rc = GF_OK;
    for (int64_t i = 0; i < all && hole; i++)
        hole[i] = !isfinite(gf_sample_get((char *)a->data + i * size, a->dtype));
    for (int64_t from = 0; from < all && !rc; from += plane) {
        struct gf_array one = gf_array_wrap((char *)a->data + from * size, a->dtype, 2,
                                            (const int64_t[]){plane / channels, channels});
        if (!gf_array_nonfinite(&one, NULL))
            continue;
        for (int64_t c = 0; c < channels && !rc; c++)
            rc = fill(a->dtype, (char *)one.data + c * size, height, width, channels * size);
    }
    return rc;
}

static bool has_hole(const unsigned char *hole, int64_t channels, int64_t channel, bool same) {
    return same ? hole[channel] : memchr(hole, 1, (size_t)channels) != NULL;
}

void gf_holes_put_back(struct gf_array *out, const unsigned char *hole, int64_t channels) {
    const int64_t n = out->shape[out->rank - 1];
    for (int64_t i = 0; i < gf_array_count(out); i++)
        if (has_hole(hole + i / n * channels, channels, i % n, n == channels))
            gf_sample_put(gf_array_at(out, i), out->dtype, NAN);
}
